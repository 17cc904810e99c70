"""A server that speaks HTTP/2 over TLS and nothing else.

    with Http2Server() as s:
        … s.url, s.cert …

It is a process of its own, written with h2 (python3-h2); without it tests skip.  What it is asked it tells
in its answers:

    /who         of the request: its protocol, connection, stream, method, path, headers and bytes
    /meet/N      the same, when N such requests are open at once
    /never       nothing
    /bytes/N     N bytes
    /begun       as /who, when the head of an answer to /bytes was sent
"""

import asyncio
import contextlib
import json
import os
import ssl
import subprocess
import sys
import tempfile

PIECE = bytes(i * 7 % 251 for i in range(251 * 64))


# ---- the server

def connection_class():
    from h2.config import H2Configuration
    from h2.connection import H2Connection
    from h2.events import DataReceived, RequestReceived, StreamEnded, StreamReset, WindowUpdated

    class Connection(asyncio.Protocol):
        made, bodies_begun, meeting = [], 0, []

        def connection_made(self, transport):
            self.made.append(self)
            self.transport, self.number = transport, len(self.made)
            self.asked, self.held, self.bodies = {}, [], {}
            self.protocol = transport.get_extra_info("ssl_object").selected_alpn_protocol()
            self.h2 = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8"))
            self.h2.initiate_connection()
            self.flush()

        def flush(self):
            if not self.transport.is_closing():
                self.transport.write(self.h2.data_to_send())

        def data_received(self, data):
            for event in self.h2.receive_data(data):
                if isinstance(event, RequestReceived):
                    self.asked[event.stream_id] = {"headers": dict(event.headers), "bytes": 0}
                elif isinstance(event, DataReceived):
                    self.asked[event.stream_id]["bytes"] += len(event.data)
                    self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                elif isinstance(event, StreamEnded):
                    self.act(event.stream_id)
                elif isinstance(event, StreamReset):
                    self.bodies.pop(event.stream_id, None)
                elif isinstance(event, WindowUpdated):
                    self.go_on()
            self.flush()

        def path(self, stream):
            return self.asked[stream]["headers"][":path"]

        def act(self, stream):
            what, _, count = self.path(stream)[1:].partition("/")
            if what == "who" or what == "begun" and Connection.bodies_begun:
                self.tell(stream)
            elif what == "meet":
                self.meet(stream, int(count))
            elif what == "bytes":
                self.begin_body(stream, int(count))
            else:
                self.held.append(stream)

        def meet(self, stream, count):
            self.meeting.append((self, stream))
            if len(self.meeting) == count:
                for connection, waiting in self.meeting:
                    connection.tell(waiting)
                    connection.flush()
                self.meeting.clear()

        def release(self, path):
            for stream in [s for s in self.held if self.path(s) == path]:
                self.held.remove(stream)
                self.tell(stream)
            self.flush()

        def tell(self, stream):
            asked = self.asked[stream]
            pseudo = {name[1:]: value for name, value in asked["headers"].items() if name.startswith(":")}
            plain = {name: value for name, value in asked["headers"].items() if not name.startswith(":")}
            self.answer(stream, json.dumps({
                **pseudo, "protocol": self.protocol, "connection": self.number, "stream": stream, "headers": plain,
                "bytes": asked["bytes"]}).encode(), "application/json")

        def answer(self, stream, body, kind):
            self.h2.send_headers(stream, [(":status", "200"), ("content-type", kind),
                                          ("content-length", str(len(body)))])
            self.bodies[stream] = memoryview(body)
            self.go_on()

        def begin_body(self, stream, count):
            self.answer(stream, PIECE * (count // len(PIECE)) + PIECE[:count % len(PIECE)], "application/octet-stream")
            Connection.bodies_begun += 1
            for connection in self.made:
                connection.release("/begun")

        def go_on(self):
            for stream, body in list(self.bodies.items()):
                while body and (room := min(self.h2.local_flow_control_window(stream),
                                            self.h2.max_outbound_frame_size)) > 0:
                    self.h2.send_data(stream, body[:room].tobytes())
                    body = self.bodies[stream] = body[room:]
                if not body:
                    self.h2.end_stream(stream)
                    del self.bodies[stream]

    return Connection


async def serve(cert, key):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    context.set_alpn_protocols(["h2"])
    loop = asyncio.get_running_loop()
    server = await loop.create_server(connection_class(), "127.0.0.1", 0, ssl=context)
    print(server.sockets[0].getsockname()[1], flush=True)
    end = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(end), sys.stdin)
    await end.read()
    os._exit(0)  # connections that are open are not waited for


if __name__ == "__main__":
    asyncio.run(serve(*sys.argv[1:]))
    sys.exit()


# ---- its other end

from harness import Skip, run  # noqa: E402: the server itself needs none of it


def interpreter():
    """A Python that has h2: this one, or Debian's."""
    for python in (sys.executable, "/usr/bin/python3"):
        with contextlib.suppress(OSError):
            if subprocess.run([python, "-c", "import h2"], stderr=subprocess.DEVNULL).returncode == 0:
                return python
    raise Skip("there is no h2 (python3-h2)")


class Http2Server:
    def __init__(self):
        python = interpreter()
        self.folder = tempfile.TemporaryDirectory(prefix="toolhost-http2.")
        os.chmod(self.folder.name, 0o755)
        self.cert, key = (os.path.join(self.folder.name, name) for name in ("cert.pem", "key.pem"))
        run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", self.cert, "-days", "2",
            "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost")
        os.chmod(self.cert, 0o644)
        self.process = subprocess.Popen([python, "-B", __file__, self.cert, key], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        port = self.process.stdout.readline().strip()
        assert port, "the server did not begin"
        self.url = f"https://localhost:{port}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(10)
        self.process.stdout.close()
        self.folder.cleanup()
