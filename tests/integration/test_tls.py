"""TLS on listeners: real clients over it, those that break it, certificates that change, and files that are wrong."""

import contextlib
import http.client
import json
import os
import pathlib
import shutil
import socket
import ssl
import struct
import subprocess
import tempfile
import warnings

from harness import PATIENCE, Daemon, installed, main, run, same, wait_for

TOOLHOST, TOOLHOSTD = installed("bin/toolhost"), installed("sbin/toolhostd")


class Authority:
    """Certificates in a folder of their own: an authority's, and those it signs."""

    def __init__(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="toolhost-test."))
        self.dir.chmod(0o755)
        self.ca = self.file("ca.pem")
        self.openssl("req", "-x509", *self.new_key("ca"), "-subj", "/CN=Test authority", "-days", "2", "-out", self.ca)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.dir, ignore_errors=True)

    def file(self, name):
        return self.dir / name

    def openssl(self, *words, **more):
        done = subprocess.run(["openssl", *map(str, words)], capture_output=True, text=True, **more)
        same(done.returncode, 0, done.stderr)

    def new_key(self, name):
        return "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", self.file(f"{name}.key")

    def sign(self, name, subject="localhost"):
        """Certificate and key of this name; what was there is replaced."""
        self.openssl("req", *self.new_key(name), "-subj", f"/CN={subject}", "-out", self.file(f"{name}.csr"))
        self.file("san.cnf").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
        self.openssl("x509", "-req", "-in", self.file(f"{name}.csr"), "-CA", self.ca, "-CAkey", self.file("ca.key"), "-days", "2",
                     "-extfile", self.file("san.cnf"), "-out", self.file(f"{name}.pem"))
        # Whoever the daemon becomes reads it again.
        self.file(f"{name}.key").chmod(0o640)
        if os.geteuid() == 0:
            for user in ("toolhost", "nobody"):
                with contextlib.suppress(LookupError):
                    shutil.chown(self.file(f"{name}.key"), user)
                    break
        return self.file(f"{name}.pem"), self.file(f"{name}.key")

    def settings(self, name="server", **more):
        certificate, key = self.sign(name)
        return {"listen": ["127.0.0.1:0"], "certificate_file": str(certificate), "key_file": str(key), **more}

    def context(self, client=None):
        context = ssl.create_default_context(cafile=str(self.ca))
        if client:
            context.load_cert_chain(*client)
        return context


@contextlib.contextmanager
def serving(plugins=("echo",), config=None, **tls):
    with Authority() as authority, Daemon(plugins=plugins, config={"tls": authority.settings(**tls), **(config or {})}) as d:
        d.tls = d.wait_log("listening", lambda e: e.get("tls") == "yes")["address"]
        d.port = int(d.tls.rsplit(":", 1)[1])
        yield d, authority


def connect(d, context, **more):
    plain = socket.create_connection(("127.0.0.1", d.port), 20 * PATIENCE)
    return context.wrap_socket(plain, server_hostname="localhost", **more)


def request(path, body=None):
    """The bytes of a request on a connection that stays."""
    body = b"" if body is None else json.dumps(body).encode()
    head = f"{'POST' if body else 'GET'} {path} HTTP/1.1\r\nHost: localhost\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n" if body else ""
    return head.encode() + b"\r\n" + body


def answer(s):
    """(status, body) of the next answer."""
    response = http.client.HTTPResponse(s)
    response.begin()
    return response.status, response.read()


def echo(text):
    return request("/v1/tools/echo/call", {"arguments": {"text": text}})


def test_real_clients():
    with serving() as (d, authority):
        url = f"https://localhost:{d.port}"
        same(run(TOOLHOST, "--url", url, "--ca", authority.ca, "call", "echo", "--arg", "text=hi")[:2], (0, "hi\n"))
        status, _, err = run(TOOLHOST, "--url", url, "call", "echo", "--arg", "text=hi")
        assert status == 3 and "certificate" in err, err
        same(run(TOOLHOST, "--ca", authority.ca, "list")[0], 2)
        connection = http.client.HTTPSConnection("localhost", d.port, context=authority.context())
        for text in ("one", "two"):
            connection.request("POST", "/v1/tools/echo/call", json.dumps({"arguments": {"text": text}}), {"Content-Type": "application/json"})
            same(json.loads(connection.getresponse().read())["content"][0]["text"], text)
        connection.close()
        if shutil.which("curl"):
            status, out, err = run("curl", "-sS", "-w", "%{http_version} %{ssl_verify_result}", "--cacert", authority.ca, f"{url}/healthz")
            same((status, out), (0, '{"status":"ok"}1.1 0'), err)
        same(d.http("GET", "/healthz").status, 200)


def test_versions_and_protocols():
    with serving() as (d, authority):
        for version, name in ((ssl.TLSVersion.TLSv1_2, "TLSv1.2"), (ssl.TLSVersion.TLSv1_3, "TLSv1.3")):
            context = authority.context()
            context.minimum_version = context.maximum_version = version
            context.set_alpn_protocols(["h2", "http/1.1"])
            with connect(d, context) as s:
                same((s.version(), s.selected_alpn_protocol()), (name, "http/1.1"))
                s.sendall(echo(name))
                same(answer(s)[0], 200)
        old = authority.context()
        old.set_ciphers("ALL:@SECLEVEL=0")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            old.minimum_version, old.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
        weak = authority.context()
        weak.maximum_version = ssl.TLSVersion.TLSv1_2
        weak.set_ciphers("AES128-SHA:AES256-SHA256")
        other = authority.context()
        other.set_alpn_protocols(["h2"])
        for context in (old, weak, other):
            try:
                connect(d, context)
            except (ssl.SSLError, ConnectionError):
                continue
            raise AssertionError("it was let in")
        d.wait_log("tls_handshake_failed")


def test_requests_in_pieces_of_any_size():
    """Each byte in a record of its own, and many requests in one."""
    with serving() as (d, authority), connect(d, authority.context()) as s:
        for byte in echo("slowly"):
            s.sendall(bytes([byte]))
        same(json.loads(answer(s)[1])["content"][0]["text"], "slowly")
        s.sendall(b"".join(echo(f"n{i}") for i in range(40)))
        same([json.loads(answer(s)[1])["content"][0]["text"] for _ in range(40)], [f"n{i}" for i in range(40)])


def test_records_in_pieces_of_any_size():
    """The other way round: one record comes byte by byte, also those of the handshake."""
    with serving() as (d, authority), socket.create_connection(("127.0.0.1", d.port), 20 * PATIENCE) as raw:
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        tls = authority.context().wrap_bio(incoming, outgoing, server_hostname="localhost")

        def drive(act):
            while True:
                try:
                    result = act()
                except ssl.SSLWantReadError:
                    result = None
                for byte in outgoing.read():
                    raw.sendall(bytes([byte]))
                if result is not None:
                    return result
                incoming.write(raw.recv(1))

        drive(lambda: tls.do_handshake() or True)
        drive(lambda: tls.write(echo("in drops")))
        got = b""
        while b'"in drops"' not in got:
            got += drive(lambda: tls.read(65536))


def test_large_requests_and_answers():
    with serving(plugins=["echo"], config={"results": {"shown": 0}, "body_max": "8M"}) as (d, authority), \
            connect(d, authority.context()) as s:
        text = "x" * (1 << 20)
        s.sendall(echo(text))
        same(json.loads(answer(s)[1])["content"][0]["text"], text)


def test_a_peer_that_reads_slowly():
    """What the socket does not take is kept, and is the same when it does."""
    with serving(plugins=["large"], config={"results": {"shown": 0}}) as (d, authority):
        plain = socket.socket()
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        plain.settimeout(30 * PATIENCE)
        plain.connect(("127.0.0.1", d.port))
        with authority.context().wrap_socket(plain, server_hostname="localhost") as s:
            s.sendall(request("/v1/tools/large/call", {"arguments": {"kind": "text", "bytes": 4000000}}))
            d.wait_log("tool_call_finished")
            response = http.client.HTTPResponse(s)
            response.begin()
            got = b""
            while piece := response.read(1000):
                got += piece
            same(json.loads(got)["content"], d.rest("large", {"kind": "text", "bytes": 4000000}).body["content"])
            s.sendall(request("/healthz"))
            same(answer(s)[0], 200)


def test_leaving_cancels():
    """Saying good-bye in TLS, and just closing the socket."""
    with serving(plugins=["slow_echo"]) as (d, authority):
        for number, leave in enumerate((lambda s: s.unwrap(), lambda s: s.close())):
            s = connect(d, authority.context())
            s.sendall(request("/v1/tools/slow_echo/call", {"arguments": {"ms": 60000, "text": "x"}}))
            wait_for(lambda: json.loads(run(TOOLHOST, "--socket", d.socket, "top", "-i", "100")[1])["running"] == 1)
            s.settimeout(0.2)
            with contextlib.suppress(OSError):
                leave(s)
            d.wait_log("tool_call_failed", lambda e: e["code"] == "tool_cancelled", after=number)
            s.close()


def test_streams_and_websockets():
    with serving(plugins=["echo"]) as (d, authority):
        with connect(d, authority.context()) as s:
            s.sendall(request("/v1/session").replace(b"Host: localhost\r\n", b"Host: localhost\r\nUpgrade: websocket\r\n"
                      b"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"))
            file = s.makefile("rb")
            same(file.readline().split()[1], b"101")
            while file.readline().strip():
                pass
            head = file.read(2)
            size = head[1] if head[1] < 126 else struct.unpack("!H", file.read(2))[0]
            first = json.loads(file.read(size))
            assert "session" in json.dumps(first), first
            s.sendall(b"\x89\x80\x00\x00\x00\x00")  # ping, in three pieces
            while True:
                head = file.read(2)
                size = head[1] if head[1] < 126 else struct.unpack("!H", file.read(2))[0]
                file.read(size)
                if head[0] == 0x8A:
                    break
        with connect(d, authority.context()) as s, connect(d, authority.context()) as other:
            s.sendall(request("/v1/sessions", {}))
            session = json.loads(answer(s)[1])["session_id"]
            other.sendall(request(f"/v1/sessions/{session}/events"))
            s.sendall(request("/v1/tools/echo/call", {"arguments": {"text": "hi"}, "session_id": session, "call_id": "c1", "response_id": "r"}))
            same(answer(s)[0], 200)
            got = b""
            while b"tool_call_output" not in got:
                got += other.recv(65536)


def test_http_without_tls():
    with serving() as (d, authority):
        for method in ("GET", "POST"):
            with socket.create_connection(("127.0.0.1", d.port), 20 * PATIENCE) as s:
                s.sendall(f"{method} / HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
                status, body = answer(s)
                same((status, json.loads(body)["error"]["code"]), (400, "tls_required"))
                assert "https://" in json.loads(body)["error"]["message"], body
                same(s.recv(1), b"")
        d.wait_log("tls_handshake_failed", lambda e: "without TLS" in e["why"])
        metrics = d.http("GET", "/metrics").body.decode()
        assert 'toolhost_tls_handshakes_total{outcome="plain_http"} 2' in metrics, metrics


def test_bad_handshakes():
    """Nobody is disturbed by them, and the log says a line a second."""
    hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"
    with serving() as (d, authority), connect(d, authority.context()) as good:
        for garbage in (b"\x00", b"\xff" * 70000, b"SSH-2.0-x\r\n", hello + b"\x00" * 600, hello[:9],
                        b"\x15\x03\x03\x00\x02\x02\x28", b"\x17\x03\x03\x40\x00" + b"x" * 16384, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"):
            with socket.create_connection(("127.0.0.1", d.port), 20 * PATIENCE) as s, contextlib.suppress(ConnectionError):
                s.sendall(garbage)
                with contextlib.suppress(OSError):  # it is closed already
                    s.shutdown(socket.SHUT_WR)
                while s.recv(65536):
                    pass
        good.sendall(echo("still here"))
        same(answer(good)[0], 200)
        # A record that is damaged ends its own connection alone.
        with socket.create_connection(("127.0.0.1", d.port), 20 * PATIENCE) as raw:
            s = authority.context().wrap_socket(raw.dup(), server_hostname="localhost")
            raw.sendall(b"\x17\x03\x03\x00\x20" + b"\x00" * 32)
            with contextlib.suppress(OSError):
                same(s.recv(1), b"")
        wait_for(lambda: b"toolhost_http_connections 2" in d.http("GET", "/metrics").body, what="the others to be gone")
        good.sendall(echo("still here"))
        same(answer(good)[0], 200)


def test_who_is_silent_is_sent_away():
    """Handshakes have the time of a request's head."""
    with serving() as (d, authority), contextlib.ExitStack() as stack:
        silent = [stack.enter_context(socket.create_connection(("127.0.0.1", d.port), 30 * PATIENCE)) for _ in range(20)]
        silent[0].sendall(b"\x16\x03\x01")
        with connect(d, authority.context()) as good:
            good.sendall(echo("meanwhile"))
            same(answer(good)[0], 200)
        for s in silent:
            same(s.recv(1), b"")
        metrics = d.http("GET", "/metrics").body.decode()
        assert 'toolhost_tls_handshakes_total{outcome="slow"} 20' in metrics, metrics


def serial(s):
    return s.getpeercert()["serialNumber"]


def test_a_certificate_is_read_again():
    with serving() as (d, authority), connect(d, authority.context()) as before:
        authority.sign("server")
        status, _, err = run(TOOLHOST, "--socket", d.socket, "reload")
        same(status, 0, err)
        d.wait_log("tls_certificate_read")
        with connect(d, authority.context()) as after:
            assert serial(after) != serial(before)
            good = serial(after)
        before.sendall(echo("an old connection"))
        same(answer(before)[0], 200)
        authority.sign("other")
        shutil.copyfile(authority.file("other.key"), authority.file("server.key"))
        status, _, err = run(TOOLHOST, "--socket", d.socket, "reload")
        assert status != 0 and f"/tls: {authority.file('server.key')}: it is not the key of the certificate" in err, err
        with connect(d, authority.context()) as s:
            same(serial(s), good)
        metrics = d.http("GET", "/metrics").body.decode()
        assert "toolhost_tls_certificate_expires_seconds 1" in metrics, metrics


def test_clients_with_certificates():
    with Authority() as others, Authority() as authority:
        tls = authority.settings(client_ca_file=str(authority.ca))
        mine, stranger = authority.sign("mine"), others.sign("mine")
        with Daemon(plugins=["echo"], config={"tls": tls}) as d:
            d.port = int(d.wait_log("listening", lambda e: e.get("tls") == "yes")["address"].rsplit(":", 1)[1])
            for _ in range(2):
                with connect(d, authority.context(mine)) as s:
                    s.sendall(echo("hi"))
                    same(answer(s)[0], 200)
            for client in (None, stranger):
                with contextlib.suppress(ssl.SSLError, ConnectionError), connect(d, authority.context(client)) as s:
                    s.sendall(echo("hi"))
                    raise AssertionError(f"it was answered: {s.recv(10)}" if s.recv(1) else "") from None
            d.wait_log("tls_handshake_failed", lambda e: "certificate" in e["why"])
            both = authority.file("both.pem")
            both.write_bytes(mine[0].read_bytes() + mine[1].read_bytes())
            url = f"https://localhost:{d.port}"
            same(run(TOOLHOST, "--url", url, "--ca", authority.ca, "--cert", both, "call", "echo", "-a", "text=hi")[:2], (0, "hi\n"))
            assert run(TOOLHOST, "--url", url, "--ca", authority.ca, "call", "echo", "-a", "text=hi")[0] == 3


def test_files_that_are_wrong():
    with Authority() as a:
        certificate, key = a.sign("server")
        _, other = a.sign("other")
        a.file("text.pem").write_text("no certificate")
        a.file("text.key").write_text("no key")
        a.file("text.key").chmod(0o600)
        a.file("public.key").write_bytes(key.read_bytes())
        a.file("public.key").chmod(0o644)
        a.openssl("ec", "-in", key, "-aes128", "-passout", "pass:secret", "-out", a.file("secret.key"))
        a.file("secret.key").chmod(0o600)
        good = {"listen": ["127.0.0.1:0"], "certificate_file": str(certificate), "key_file": str(key)}
        rows = [
            ({"key_file": str(other)}, f"/tls: {other}: it is not the key of the certificate {certificate}"),
            ({"certificate_file": "/nonexistent"}, "/tls: /nonexistent: No such file or directory"),
            ({"key_file": "/nonexistent"}, "/tls: /nonexistent: No such file or directory"),
            ({"certificate_file": str(a.file("text.pem"))}, f"/tls: {a.file('text.pem')}: expected certificates as PEM: "),
            ({"key_file": str(a.file("text.key"))}, f"/tls: {a.file('text.key')}: expected a private key as PEM: "),
            ({"key_file": str(a.file("public.key"))}, "expected a file that nobody but its owner and its group may read"),
            ({"key_file": str(a.file("secret.key"))}, "the key is encrypted; the daemon asks nobody for its passphrase"),
            ({"key_file": None}, "/tls: expected certificate_file and key_file, key_file is missing"),
            ({"certificate_file": None}, "/tls: expected certificate_file and key_file, certificate_file is missing"),
            ({"client_ca_file": "/nonexistent"}, "/tls: /nonexistent: expected certificates of authorities as PEM: "),
            ({"client_ca_file": str(a.file("text.pem"))}, f"{a.file('text.pem')}: expected certificates of authorities as PEM: "),
            ({"listen": "127.0.0.1:0"}, "/tls/listen: expected "),
            ({"certificate": "x"}, "/tls/certificate: unknown property; allowed here: listen, certificate_file, key_file, client_ca_file"),
        ]
        for change, sentence in rows:
            a.file("toolhostd.json").write_text(json.dumps({"tls": {**good, **change}}))
            status, _, err = run(TOOLHOSTD, "--check", "--config", a.file("toolhostd.json"))
            assert status == 2 and sentence in err, f"{change}: {status} {err}"
        a.file("toolhostd.json").write_text(json.dumps({"tls": good}))
        same(run(TOOLHOSTD, "--check", "--config", a.file("toolhostd.json"))[0], 0)


def test_other_addresses_than_loopback_need_keys():
    with Authority() as a:
        tls = {**a.settings(), "listen": ["0.0.0.0:0"]}
        a.file("toolhostd.json").write_text(json.dumps({"tls": tls}))
        status, _, err = run(TOOLHOSTD, "--config", a.file("toolhostd.json"), "--listen", "none", "--socket", a.file("s"),
                             "--state-dir", "none")
        assert status == 1 and "only loopback addresses are served" in err, err


if __name__ == "__main__":
    main()
