"""The HTTP broker: tools have no network, the daemon makes the requests that an operator has granted."""

import contextlib
import http.server
import json
import os
import pwd
import ssl
import tempfile
import threading
import time

from harness import Daemon, comment, in_background, main, run, same, wait_for

OK, FAILED, NOT_GRANTED, BAD_VALUE, CANCELLED = 0, 1000, 4000, 7000, 8000
WINDOW = 128 * 1024


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one piece

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def any(self):
        length = int(self.headers.get("Content-Length") or 0)
        self.asked = {"method": self.command, "path": self.path, "headers": dict(self.headers.items()),
                      "body": self.rfile.read(length), "peer": self.client_address}
        with self.server.lock:
            self.server.asked.append(self.asked)
            nth = len(self.server.asked)
        path = self.path.split("?")[0].strip("/").split("/")
        getattr(self, "on_" + path[0], self.on_other)(path, nth)

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = any

    def on_other(self, path, nth):
        self.answer(404, b"nothing here")

    def on_echo(self, path, nth):
        asked = dict(self.asked, body=self.asked["body"].decode("latin-1"), peer=None)
        self.answer(200, json.dumps(asked).encode(), Content_Type="application/json")

    def on_sink(self, path, nth):
        self.answer(200, str(len(self.asked["body"])).encode())

    def on_bytes(self, path, nth):
        self.answer(200, bytes(i * 7 % 251 for i in range(int(path[1]))), Content_Type="application/octet-stream")

    def on_status(self, path, nth):
        self.answer(int(path[1]), b"so it is")

    def on_flaky(self, path, nth):
        """503 until it was asked for the n-th time."""
        self.answer(200 if nth >= int(path[1]) else 503, b"at last")

    def on_to(self, path, nth):
        self.answer(302, b"elsewhere", Location=self.server.location)

    def on_see(self, path, nth):
        self.answer(303, Location="/echo/there")

    def on_keep(self, path, nth):
        self.answer(307, Location="/echo/there")

    def on_loop(self, path, nth):
        self.answer(302, Location=f"/loop/{nth}")

    def on_never(self, path, nth):
        self.server.stop.wait(60)
        self.close_connection = True

    def on_slow(self, path, nth):
        self.server.stop.wait(0.3)
        self.answer(200, b"slept")

    def on_drip(self, path, nth):
        """As fast as it is taken; how much that was is told."""
        self.send_response(200)
        self.send_header("Content-Length", str(64 << 20))
        self.end_headers()
        with contextlib.suppress(OSError):
            while not self.server.stop.is_set():
                self.wfile.write(bytes(16384))
                self.server.dripped += 16384

    def on_endless(self, path, nth):
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        with contextlib.suppress(OSError):
            while not self.server.stop.is_set():
                self.wfile.write(b"4000\r\n" + bytes(16384) + b"\r\n")

    def on_headers(self, path, nth):
        self.send_response(200)
        for i in range(int(path[1])):
            self.send_header(f"X-{i}", "x" * 100)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def on_short(self, path, nth):
        self.send_response(200)
        self.send_header("Content-Length", "100")
        self.end_headers()
        self.wfile.write(b"no more")
        self.close_connection = True


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self, handler=Handler):
        super().__init__(("127.0.0.1", 0), handler)
        self.asked, self.lock, self.stop = [], threading.Lock(), threading.Event()
        self.dripped, self.location = 0, ""
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def handle_error(self, *_):
        pass  # who asked has gone

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.shutdown()
        self.server_close()


@contextlib.contextmanager
def bed(grants=None, plugins=("courier",), **policy):
    """A server, and a daemon that may ask it."""
    with Server() as s:
        grants = [{"url": s.url + "/*", "private": True}] if grants is None else grants(s)
        limits = policy.pop("limits", {})
        whole = {"permissions": {"http": grants}, "limits": {"max_time": "20s", **limits}, **policy}
        with Daemon(plugins=list(plugins), policies={name: whole for name in plugins}) as d:
            yield s, d


def ask(d, url, tool="courier", **arguments):
    return json.loads(d.call(tool, {"url": url, **arguments}).text)


# ---- requests and answers

def test_a_request_and_its_answer():
    with bed() as (s, d):
        r = ask(d, s.url + "/echo/x%20y?a=1&b=%c3%a4", header="X-Mine", value="yes")
        same((r["is"], r["status"], r["code"]), (OK, 200, ""))
        same(r["headers"]["content-type"], "application/json")
        got = json.loads(r["body"])
        same((got["method"], got["path"]), ("GET", "/echo/x%20y?a=1&b=%C3%A4"))
        same(got["headers"]["X-Mine"], "yes")
        assert got["headers"]["User-Agent"].startswith("toolhost/"), got
        assert "Accept-Encoding" not in got["headers"] and "Expect" not in got["headers"], got
        same(got["headers"]["Host"], s.url[7:])


def test_methods_and_bodies():
    with bed() as (s, d):
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"):
            r = ask(d, s.url + "/echo", method=method, json='{"a":1}')
            got = json.loads(r["body"])
            same((got["method"], got["body"], got["headers"]["Content-Type"]),
                 (method, '{"a":1}', "application/json"))
        same(json.loads(ask(d, s.url + "/echo", json="{}")["body"])["method"], "POST")
        same((ask(d, s.url + "/echo", method="HEAD")["status"], s.asked[-1]["method"]), (200, "HEAD"))
        r = ask(d, s.url + "/echo", method="POST")
        same((s.asked[-1]["headers"]["Content-Length"], "Content-Type" in s.asked[-1]["headers"]), ("0", False))
        same(ask(d, s.url + "/sink", body_len=500000)["body"], "500000")
        for status in (204, 301, 404, 500):
            same(ask(d, f"{s.url}/status/{status}")["status"], status)


def test_what_is_no_request():
    with bed() as (s, d):
        for arguments, part in (({"method": "get"}, "the method"), ({"method": "CONNECT"}, "the method"),
                                ({"method": "TRACE"}, "the method"), ({"header": "Host", "value": "x"}, "Host"),
                                ({"header": "Content-Length", "value": "1"}, "Content-Length"),
                                ({"header": "Transfer-Encoding", "value": "chunked"}, "Transfer-Encoding"),
                                ({"header": "Proxy-Authorization", "value": "x"}, "Proxy"),
                                ({"header": "X: y", "value": "z"}, "X: y"),
                                ({"header": "X", "value": "a\r\nB: c"}, "holds what no header may"),
                                ({"key": "a\nb"}, "idempotency key")):
            r = ask(d, s.url + "/echo", **arguments)
            assert (r["is"], r["code"]) == (BAD_VALUE, "http_bad_request") and part in r["message"], r
        for url, part in (("ftp://example.com/", "https://"), (s.url + "/../x", "\"..\""),
                          (s.url.replace("//", "//u:p@") + "/", "user name"), (s.url + "/\x01", "control")):
            r = ask(d, url)
            assert r["is"] == BAD_VALUE and part in r["message"], r
        same(s.asked, [])
        same(ask(d, s.url + "/echo")["is"], OK)


def test_connections_are_kept():
    with bed() as (s, d):
        for _ in range(5):
            same(ask(d, s.url + "/echo")["status"], 200)
        same(len({asked["peer"] for asked in s.asked}), 1)


def test_several_requests_in_a_call():
    with bed() as (s, d):
        same(ask(d, s.url + "/echo", times=50)["status"], 200)
        same(len(s.asked), 50)
        counts = d.http("GET", "/metrics").body.decode()
        assert "toolhost_http_requests_total 50" in counts and "toolhost_http_open 0" in counts, counts


def test_many_calls_at_once():
    with bed() as (s, d):
        begun = time.monotonic()
        calls = [in_background(ask, d, s.url + "/slow") for _ in range(24)]
        same([call()["body"] for call in calls], ["slept"] * 24)
        comment(f"24 requests of 0.3 s took {time.monotonic() - begun:.2f} s")


def test_what_it_cost_is_told():
    with bed() as (s, d):
        call = d.rest("courier", {"url": s.url + "/sink", "body_len": 1000, "times": 2})
        same(call.body["usage"]["daemon"]["http"], {"requests": 2, "bytes_sent": 2000, "bytes_received": 8})
        log = d.wait_log("tool_call_finished")
        same((log["http_requests"], log["http_sent"], log["http_received"]), ("2", "2000", "8"))
        same("http" in d.rest("courier", {"url": "x"}).body["usage"]["daemon"], True)
        counts = d.http("GET", "/metrics").body.decode()
        assert 'toolhost_call_http_requests_total{plugin="courier",tool="courier"} 3' in counts, counts
        assert "toolhost_http_sent_bytes_total 2000" in counts, counts


# ---- grants

def test_only_what_is_granted():
    with bed(lambda s: [{"url": s.url + "/echo/v1/*", "private": True, "methods": ["GET", "HEAD"]}]) as (s, d):
        same(ask(d, s.url + "/echo/v1/x")["status"], 200)
        del s.asked[:]
        for url in ("/echo/v1", "/echo/v2/x", "/echo/v10/x", "/", "/ECHO/v1/x", "/echo/v1%2fx"):
            r = ask(d, s.url + url)
            same((r["is"], r["code"], r["status"]), (NOT_GRANTED, "http_not_granted", 0), url)
        r = ask(d, s.url + "/echo/v1/x", method="POST")
        assert r["is"] == NOT_GRANTED and "method" in r["message"], r
        for url in ("https" + s.url[4:], s.url.replace("127.0.0.1", "localhost"), s.url.rsplit(":", 1)[0]):
            same(ask(d, url + "/echo/v1/x")["code"], "http_not_granted", url)
        same(s.asked, [])
        refused = d.wait_log("http_refused")
        same((refused["plugin"], refused["tool"], refused["fault"]), ("courier", "courier", "http_not_granted"))


def test_a_private_address_needs_a_word():
    with bed(lambda s: [s.url + "/*", "http://localhost:%d/*" % s.server_address[1], "http://*:%d/*" %
                        s.server_address[1]]) as (s, d):
        for host in ("127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]"):
            r = ask(d, f"http://{host}:{s.server_address[1]}/echo")
            same((r["is"], r["code"]), (NOT_GRANTED, "ssrf_blocked"), host)
        same(s.asked, [])


def test_nothing_is_granted_by_itself():
    with Server() as s, Daemon(plugins=["courier"]) as d:
        same(ask(d, s.url + "/echo")["code"], "http_not_granted")
        same(s.asked, [])


def test_a_tool_may_have_less_than_its_plugin():
    with Server() as s:
        policy = {"permissions": {"http": [{"url": s.url + "/*", "private": True}]},
                  "tools": {"courier_two": {"http": [s.url + "/echo/two"]}}}
        with Daemon(plugins=["courier"], policies={"courier": policy}) as d:
            same(ask(d, s.url + "/echo/two", tool="courier_two")["status"], 200)
            same(ask(d, s.url + "/echo/one", tool="courier_two")["code"], "http_not_granted")
            same(ask(d, s.url + "/echo/one")["status"], 200)


# ---- redirects

def test_redirects_are_followed_and_asked_for_again():
    with bed(lambda s: [{"url": s.url + p, "private": True} for p in ("/to/*", "/see", "/keep", "/echo/*", "/loop/*")]
             ) as (s, d):
        s.location = "/echo/there?x=1"
        r = ask(d, s.url + "/to/x")
        same((r["status"], r["url"], json.loads(r["body"])["path"]), (200, s.url + "/echo/there?x=1", "/echo/there?x=1"))
        same(ask(d, s.url + "/to/x", redirects=0xffffffff)["status"], 302)
        got = json.loads(ask(d, s.url + "/see", json="{}")["body"])
        same((got["method"], got["body"], "Content-Type" in got["headers"]), ("GET", "", False))
        got = json.loads(ask(d, s.url + "/keep", json="{}")["body"])
        same((got["method"], got["body"]), ("POST", "{}"))
        before = len(s.asked)
        same((ask(d, s.url + "/loop/x")["code"], len(s.asked) - before), ("http_too_many_redirects", 6))
        for location in ("/status/200", "http://169.254.169.254/latest/", "file:///etc/passwd", "//u@x/", "/echo/%2e%2e/x",
                         "https://example.com/", "http://127.0.0.1:1/", "/echo/\\x"):
            s.location = location
            before = len(s.asked)
            r = ask(d, s.url + "/to/x")
            same((r["is"], r["code"], len(s.asked) - before), (NOT_GRANTED, "http_not_granted", 1), location)
            assert "redirected" in r["message"], r


def test_credentials_stay_where_they_belong():
    with Server() as other, bed(lambda s: [{"url": u + "/*", "private": True} for u in (s.url, other.url)]) as (s, d):
        s.location = other.url + "/echo/x"
        ask(d, s.url + "/to/x", header="Authorization", value="Bearer mine")
        same(s.asked[0]["headers"]["Authorization"], "Bearer mine")
        assert "Authorization" not in other.asked[0]["headers"], other.asked
        s.location = "/echo/x"
        ask(d, s.url + "/to/x", header="Authorization", value="Bearer mine")
        same(s.asked[-1]["headers"]["Authorization"], "Bearer mine")


# ---- secrets

def write_secret(path, text, mode=0o600):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    os.chmod(path, mode)
    if os.geteuid() == 0:  # a daemon that was started as root has become this user
        os.chown(path, pwd.getpwnam("nobody").pw_uid, -1)


def test_secrets_are_added_unseen():
    with Server() as s, Daemon(plugins=["courier"]) as d:
        path = os.path.join(d.config_dir, "key")
        write_secret(path, "s3cr3t/canary\n")
        grant = {"url": s.url + "/echo/*", "private": True, "headers": {"Authorization": "Bearer ${key}"},
                 "query": {"key": "${key}", "v": "1"}}
        plain = {"url": s.url + "/status/*", "private": True}
        d.policy("courier", {"permissions": {"http": [grant, plain]}, "secrets": {"key": path}})
        d.signal(1)
        wait_for(lambda: ask(d, s.url + "/status/200")["is"] == OK, what="the policy")
        del s.asked[:]
        r = ask(d, s.url + "/echo/x?a=b", header="authorization", value="Bearer of the tool's")
        same(s.asked[0]["headers"].get("Authorization"), "Bearer s3cr3t/canary")
        same(s.asked[0]["path"], "/echo/x?a=b&key=s3cr3t%2Fcanary&v=1")
        same(r["url"], s.url + "/echo/x?a=b")
        ask(d, s.url + "/status/200")
        assert "Authorization" not in s.asked[-1]["headers"] and "canary" not in s.asked[-1]["path"], s.asked[-1]
        shown = d.http("GET", "/v1/plugins").body.decode()
        assert "Bearer ${key}" in shown and "canary" not in shown, shown
        assert not any("canary" in json.dumps(e) for e in d.lines), "in the log"


def test_a_secret_that_others_can_read_is_refused():
    with Daemon(plugins=["courier"]) as d:
        path = os.path.join(d.config_dir, "key")
        for mode, text, part in ((0o644, "x", "chmod 600"), (0o620, "x", "chmod 600"), (0o600, "", "one line"),
                                 (0o600, "a\nb", "one line"), (None, "", "can't be read")):
            if mode is None:
                os.unlink(path)
            else:
                write_secret(path, text, mode)
            d.policy("courier", {"secrets": {"key": path}})
            d.signal(1)
            why = wait_for(lambda: [e for e in d.log_events("reload_failed") if part in json.dumps(e)], what=part)
            assert "/secrets/key" in json.dumps(why[-1]), why


# ---- limits

def test_answers_are_bounded():
    with bed(limits={"http_response": "1M", "http_request": "100K"}) as (s, d):
        same(ask(d, s.url + "/bytes/1048576", pause_ms=0)["streamed"], 1048576)
        for url in ("/bytes/1048577", "/endless", "/headers/200"):
            r = ask(d, s.url + url, pause_ms=0)
            same((r["is"], r["code"]), (FAILED, "http_too_large"), url)
        same(ask(d, s.url + "/bytes/5000", response_max=4999)["code"], "http_too_large")
        same(ask(d, s.url + "/bytes/5000", response_max=5000)["is"], OK)
        before = len(s.asked)
        same(ask(d, s.url + "/echo", body_len=102401)["code"], "http_too_large")
        same(len(s.asked), before)
        same(ask(d, s.url + "/sink", body_len=102400)["status"], 200)


def test_time_is_bounded():
    with bed(limits={"max_time": "5s"}) as (s, d):
        begun = time.monotonic()
        r = ask(d, s.url + "/never", timeout_ms=300)
        same((r["is"], r["code"]), (FAILED, "http_timeout"))
        assert time.monotonic() - begun < 3, "late"
        same(ask(d, s.url + "/echo")["status"], 200)


def test_it_ends_with_the_call():
    with bed(limits={"max_time": "700ms"}) as (s, d):
        same(d.rest("courier", {"url": s.url + "/never"}).code, "tool_timeout")
        wait_for(lambda: "toolhost_http_open 0" in d.http("GET", "/metrics").body.decode(), what="no open request")
        same(ask(d, s.url + "/echo")["status"], 200)
        assert not d.log_events("worker_condemned"), "the tool was to return by itself"


def test_requests_at_once_are_bounded():
    with bed(limits={"http_open": 3}) as (s, d):
        calls = [in_background(ask, d, s.url + "/never", method="POST") for _ in range(3)]
        wait_for(lambda: len(s.asked) == 3, what="three requests")
        same(ask(d, s.url + "/echo")["code"], "http_busy")
        s.stop.set()
        assert all(call()["is"] == FAILED for call in calls)
        same(ask(d, s.url + "/echo")["status"], 200)


def test_a_broken_answer():
    with bed() as (s, d):
        r = ask(d, s.url + "/short")
        same((r["is"], r["status"], r["code"]), (FAILED, 200, "http_broken_off"))
        r = ask(d, "http://127.0.0.1:1/")
        same(r["code"], "http_not_granted")


# ---- streams

def test_a_body_streams_by():
    with bed(limits={"http_response": "64M"}) as (s, d):
        r = ask(d, s.url + "/bytes/3000000", pause_ms=0)
        total = 0
        for i in range(3000000):
            total = (total * 31 + i * 7 % 251) & 0xffffffff
        same((r["is"], r["streamed"], r["sum"], r["body"]), (OK, 3000000, total, ""))
        assert r["pieces"] > 40, r


def test_who_is_slow_slows_the_server():
    with bed(limits={"http_response": "64M", "max_time": "2s"}) as (s, d):
        before = d.rss()
        call = in_background(d.rest, "courier", {"url": s.url + "/drip", "pause_ms": 400})
        same(call().code, "tool_timeout")
        comment(f"{s.dripped >> 10} KiB were sent, the daemon grew by {d.rss() - before} KiB")
        assert s.dripped < 24 << 20, s.dripped
        assert d.rss() - before < 8 << 10, d.rss()


def test_a_tool_may_stop():
    with bed(limits={"http_response": "64M"}) as (s, d):
        r = ask(d, s.url + "/drip", stop_after=100000, times=1)
        same((r["is"], r["code"], r["status"]), (FAILED, "http_stopped", 200))
        assert 100000 <= r["streamed"] < 200000, r
        same(ask(d, s.url + "/echo")["status"], 200)


# ---- trying again

def test_what_is_safe_is_tried_again():
    with bed() as (s, d):
        r = ask(d, s.url + "/flaky/3")
        same((r["status"], len(s.asked)), (200, 3))
    with bed() as (s, d):
        same((ask(d, s.url + "/flaky/3", method="POST")["status"], len(s.asked)), (503, 1))
    with bed() as (s, d):
        r = ask(d, s.url + "/flaky/3", method="POST", key="k-1")
        same((r["status"], len(s.asked)), (200, 3))
        same({asked["headers"]["Idempotency-Key"] for asked in s.asked}, {"k-1"})
    with bed() as (s, d):
        same((ask(d, s.url + "/flaky/9")["status"], len(s.asked)), (503, 3))


def test_a_server_that_fails_is_left_alone():
    with bed() as (s, d):
        for _ in range(5):
            same(ask(d, s.url + "/status/500", method="POST")["status"], 500)
        before = len(s.asked)
        r = ask(d, s.url + "/echo")
        same((r["is"], r["code"], len(s.asked) - before), (FAILED, "http_circuit_open", 0))
        same(d.wait_log("http_circuit_open")["host"], "127.0.0.1")


# ---- cassettes

def test_recorded_and_replayed():
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        path = os.path.join(folder, "cassette.json")
        with Server() as s:
            policy = {"permissions": {"http": [{"url": s.url + "/*", "private": True}]}}

            def play(mode):
                with Daemon(plugins=["courier"], policies={"courier": policy}, config={"http": {mode: path}}) as d:
                    return [ask(d, s.url + url, **more) for url, more in
                            (("/echo/x?a=1", {}), ("/sink", {"body_len": 10}), ("/bytes/300", {}), ("/status/404", {}),
                             ("/see", {}), ("/flaky/7", {}), ("/sink", {"body_len": 11}))]
            recorded = play("record")
            asked = len(s.asked)
        os.chmod(path, 0o644)
        replayed = play("replay")
        same(len(s.asked), asked)
        for a, b in zip(recorded, replayed):
            same({k: v for k, v in a.items() if k != "pieces"}, {k: v for k, v in b.items() if k != "pieces"})
        with Daemon(plugins=["courier"], policies={"courier": policy}, config={"http": {"replay": path}}) as d:
            r = ask(d, s.url + "/other")
            assert r["code"] == "http_no_connection" and "has no answer to GET" in r["message"], r
            same(ask(d, "http://127.0.0.1:1/")["code"], "http_not_granted")


# ---- TLS

def test_certificates_are_checked():
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        cert, key = os.path.join(folder, "cert.pem"), os.path.join(folder, "key.pem")
        run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, "-days", "2",
            "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost")
        os.chmod(cert, 0o644)
        with Server() as s:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(cert, key)
            s.socket = context.wrap_socket(s.socket, server_side=True)
            port = s.server_address[1]
            policy = {"permissions": {"http": [{"url": f"https://{host}:{port}/*", "private": True}
                                               for host in ("localhost", "127.0.0.1")]}}
            with Daemon(plugins=["courier"], policies={"courier": policy}, config={"http": {"ca_file": cert}}) as d:
                same(ask(d, f"https://localhost:{port}/status/200")["body"], "so it is")
                r = ask(d, f"https://127.0.0.1:{port}/status/200")  # not a name of the certificate's
                same((r["is"], r["code"]), (FAILED, "http_no_connection"))
            with Daemon(plugins=["courier"], policies={"courier": policy}) as d:
                same(ask(d, f"https://localhost:{port}/status/200", method="POST")["code"], "http_no_connection")


# ---- workers that lie

def test_what_no_worker_would_ask():
    deeds = ("number", "twice", "long", "more", "empty", "not_json", "no_url", "headers", "zero", "negative", "what", "tail")
    with Daemon(plugins=["forged_service", "echo"], config={"max_crashes": 1000}) as d:
        for deed in deeds:
            wait_for(lambda: d.rest("forged_service", {"deed": "stop"}).status == 200, what="a worker")
            same(d.rest("forged_service", {"deed": deed}).code, "tool_crashed", deed)
        wait_for(lambda: len(d.log_events("worker_crashed", lambda e: e["reason"] == "protocol_error")) == len(deeds),
                 what="all of them in the log")
        same(d.call("echo", {"text": "well"}).text, "well")
        assert "toolhost_http_open 0" in d.http("GET", "/metrics").body.decode()


# ---- traces, proxies, the shipped plugin

def test_traces_go_along():
    parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    with bed() as (s, d):
        d.mcp("tools/call", {"name": "courier", "arguments": {"url": s.url + "/echo"}},
              meta={"traceparent": parent, "tracestate": "a=b"})
        same((s.asked[0]["headers"]["traceparent"], s.asked[0]["headers"]["tracestate"]), (parent, "a=b"))


def test_no_proxy_of_the_environment():
    with Server() as proxy, Server() as s:
        policy = {"permissions": {"http": [{"url": s.url + "/*", "private": True}]}}
        env = {name: proxy.url for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY")}
        with Daemon(plugins=["courier"], policies={"courier": policy}, env=env) as d:
            same(ask(d, s.url + "/echo")["status"], 200)
        same(proxy.asked, [])


def test_http_get():
    with bed(plugins=("http_get",)) as (s, d):
        r = d.call("http_get", {"url": s.url + "/status/418", "accept": "text/plain"})
        same(r.text, "so it is")
        same(s.asked[0]["headers"]["Accept"], "text/plain")
        r = d.rest("http_get", {"url": "https://example.com/"})
        same(r.code, "http_not_granted")
        same(d.rest("http_get", {"url": s.url + "/drip", "max_bytes": 1000}).status, 200)


if __name__ == "__main__":
    main()
