"""OpenAI's Realtime service, played: its REST paths of calls, and the sidebands of its WebSockets.

    with RealtimeServer() as service:
        with Daemon(config=service.config()) as d:
            ...
            side = service.sideband("rtc_1")
            side.send(type="session.created")
            item = side.expect(type="conversation.item.create")

The service is a process of its own, written with aiohttp (python3-aiohttp); without it tests skip.
Orders go to its standard input and what happens comes from its standard output, an object a line.
"""

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

KEY = "sk-played"


# ---- the service

async def serve(cert, key):
    import asyncio
    import ssl

    from aiohttp import WSMsgType, web

    sockets, answers = {}, {}

    def tell(**event):
        print(json.dumps(event), flush=True)

    async def sideband(request):
        call = request.query.get("call_id", "")
        status = answers.get((call, "sideband")) or (401 if request.headers.get("Authorization") != f"Bearer {KEY}"
                                                     else 400 if {"model", "call_id"} <= set(request.query) else 0)
        tell(on="dialled", call=call, query=dict(request.query), headers=dict(request.headers), status=status)
        if status:
            return web.json_response({"error": {"message": "no"}}, status=status)
        ws = web.WebSocketResponse(max_msg_size=1 << 24, autoping=True)
        await ws.prepare(request)
        sockets[call] = ws
        tell(on="open", call=call)
        async for message in ws:
            if message.type == WSMsgType.TEXT:
                tell(on="event", call=call, event=json.loads(message.data))
        tell(on="closed", call=call, code=ws.close_code)
        return ws

    async def act(request):
        call, verb = request.match_info["call"], request.match_info["verb"]
        body = await request.read()
        tell(on="request", method=request.method, path=request.path, call=call, verb=verb,
             headers=dict(request.headers), json=json.loads(body) if body else None)
        status = answers.get((call, verb)) or answers.get(("*", verb), 200)
        return web.json_response({} if status < 400 else {"error": {"message": "no"}}, status=status)

    async def obey(order):
        ws = sockets.get(order.get("call"))
        if order["do"] == "answer":
            answers[order["call"], order["verb"]] = order["status"]
        elif order["do"] == "send":
            await ws.send_str(order["text"])
        elif order["do"] == "bytes":
            await ws.send_bytes(b"bytes")
        elif order["do"] == "close":
            asyncio.ensure_future(ws.close(code=order["code"]))
        elif order["do"] == "break":
            ws._req.transport.abort()

    app = web.Application()
    app.router.add_get("/v1/realtime", sideband)
    app.router.add_post("/v1/realtime/calls/{call}/{verb}", act)
    runner = web.AppRunner(app)
    await runner.setup()
    context = None
    if cert:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(cert, key)
    site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context, shutdown_timeout=0.1)
    await site.start()
    tell(on="ready", port=site._server.sockets[0].getsockname()[1])
    orders = asyncio.StreamReader(limit=1 << 26)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
    while line := await orders.readline():
        order = json.loads(line)
        await obey(order)
        tell(on="done", id=order["id"])
    os._exit(0)  # sockets that are open are not waited for


if __name__ == "__main__":
    import asyncio
    asyncio.run(serve(*(sys.argv[1:] or (None, None))))
    sys.exit()


# ---- its other end

from harness import PATIENCE, Skip, run  # noqa: E402: the service itself needs none of it


def interpreter():
    """A Python that has aiohttp: this one, that of ./dev clients, or Debian's."""
    for python in (sys.executable, os.environ.get("TOOLHOST_PYTHON"), "/usr/bin/python3"):
        with contextlib.suppress(OSError):
            if python and subprocess.run([python, "-c", "import aiohttp"], stderr=subprocess.DEVNULL).returncode == 0:
                return python
    raise Skip("there is no aiohttp (python3-aiohttp)")


class Sideband:
    """One call's socket; what came is taken in order, across connections."""

    def __init__(self, service, call):
        self.service, self.call, self.taken = service, call, 0

    def send(self, **event):
        self.service.order(do="send", call=self.call, text=json.dumps(event))

    def send_text(self, text):
        self.service.order(do="send", call=self.call, text=text)

    def send_bytes(self):
        self.service.order(do="bytes", call=self.call)

    def close(self, code=1000):
        self.service.order(do="close", call=self.call, code=code)

    def break_off(self):
        self.service.order(do="break", call=self.call)

    @property
    def received(self):
        return [e["event"] for e in self.service.seen("event", call=self.call)]

    def expect(self, timeout=10, **members):
        """The next event, which has these members."""
        event = self.service.wait("event", timeout, after=self.taken, call=self.call)["event"]
        self.taken += 1
        got = {name: event.get(name) for name in members}
        assert got == members, f"expected {members}, got {event}"
        return event

    def expect_nothing(self):
        """Nothing more has come by the time that an answer to something else has."""
        rest = self.received[self.taken:]
        assert not rest, rest


class RealtimeServer:
    def __init__(self, tls=False):
        self.events, self.heard, self.orders = [], threading.Condition(), 0
        self.folder = tempfile.TemporaryDirectory(prefix="toolhost-realtime.")
        os.chmod(self.folder.name, 0o755)
        self.cert = None
        files = []
        if tls:
            self.cert, key = (os.path.join(self.folder.name, name) for name in ("cert.pem", "key.pem"))
            run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", self.cert, "-days",
                "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost")
            os.chmod(self.cert, 0o644)
            files = [self.cert, key]
        self.key_file = pathlib.Path(self.folder.name) / "openai"
        self.key_file.write_text(KEY + "\n")
        self.key_file.chmod(0o600)
        self.process = subprocess.Popen([interpreter(), "-B", __file__, *files], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        port = self.wait("ready")["port"]
        self.url = f"https://localhost:{port}/v1/realtime" if tls else f"http://127.0.0.1:{port}/v1/realtime"

    def config(self, **more):
        """Of a daemon that attends calls of this service."""
        return {"realtime": {"url": self.url, "key_file": str(self.key_file), "private": True, **more},
                **({"http": {"ca_file": self.cert}} if self.cert else {})}

    def _read(self):
        for line in self.process.stdout:
            with self.heard:
                self.events.append(json.loads(line))
                self.heard.notify_all()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(10)
        self.reader.join(10)
        self.process.stdout.close()
        self.folder.cleanup()

    def seen(self, on, **members):
        with self.heard:
            return [e for e in self.events if e["on"] == on and all(e.get(n) == v for n, v in members.items())]

    def wait(self, on, timeout=15, after=0, **members):
        """What happened of this kind, beyond the `after` first ones."""
        end = time.monotonic() + timeout * PATIENCE
        while True:
            found = self.seen(on, **members)
            if len(found) > after:
                return found[after]
            with self.heard:
                left = end - time.monotonic()
                assert left > 0 and self.process.poll() is None, f"no {on} {members}; the last was {self.events[-3:]}"
                self.heard.wait(min(left, 0.05))

    def order(self, **order):
        self.orders += 1
        self.process.stdin.write(json.dumps({"id": self.orders, **order}) + "\n")
        self.process.stdin.flush()
        self.wait("done", id=self.orders)

    def answer(self, call, verb, status):
        """What it answers from now on: accept, reject, refer, hangup or sideband of this call ("*": of all); 0: well"""
        self.order(do="answer", call=call, verb=verb, status=status)

    @property
    def requests(self):
        return self.seen("request")

    def wait_request(self, verb, timeout=15, after=0):
        return self.wait("request", timeout, after, verb=verb)

    def sideband(self, call, timeout=15, after=0):
        """The socket of a call, once it is open (for the time after `after`)."""
        self.wait("open", timeout, after, call=call)
        return Sideband(self, call)
