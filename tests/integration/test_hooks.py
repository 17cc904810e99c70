"""Webhooks of a tenant: what is told of calls that have ended, signed, until somebody takes it."""

import base64
import contextlib
import hashlib
import hmac
import http.server
import json
import pathlib
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from harness import main, same, wait_for  # noqa: E402
from test_durable import kept  # noqa: E402

SECRET = b"0123456789abcdef0123456789abcdef"


class Books(http.server.ThreadingHTTPServer):
    """Who hears of calls; `answers` are the statuses of the next requests, then 204."""

    daemon_threads = True

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            with self.server.lock:
                status = self.server.answers.pop(0) if self.server.answers else 204
                self.server.heard.append((status, dict(self.headers), body))
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    def __init__(self, *answers):
        super().__init__(("127.0.0.1", 0), self.Handler)
        self.answers, self.heard, self.lock = list(answers), [], threading.Lock()
        self.url = f"http://127.0.0.1:{self.server_address[1]}/in"
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

    def wait(self, count):
        wait_for(lambda: len(self.heard) >= count, 20, f"{count} requests")
        return self.heard


def check_signature(headers, body):
    """As Standard Webhooks has its receivers do it."""
    headers = {name.lower(): value for name, value in headers.items()}
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    mac = base64.b64encode(hmac.new(SECRET, signed, hashlib.sha256).digest()).decode()
    same(headers["webhook-signature"], f"v1,{mac}")
    assert abs(time.time() - int(headers["webhook-timestamp"])) < 60
    same(headers["content-type"], "application/json")
    return headers["webhook-id"]


@contextlib.contextmanager
def hooked(books, durable=False, **hook):
    with kept(durable=durable) as k:
        secret = k.dir / "secret"
        secret.write_text("whsec_" + base64.b64encode(SECRET).decode() + "\n")
        secret.chmod(0o600)
        k.hook = {"name": "books", "url": books.url, "secret_file": str(secret), "private": True, **hook}
        k.serve = lambda: k.again(tenants={"default": {"hooks": [k.hook]}})
        yield k


def test_what_is_told():
    with Books() as books, hooked(books) as k, k.serve() as d:
        k.tally(d, "a", call_id="1")
        k.tally(d, "b", call_id="2", fail=True)
        k.tally(d, "c")  # nobody named it
        heard = sorted(books.wait(2), key=lambda h: json.loads(h[2])["data"]["call"]["call_id"])
        for _, headers, body in heard:
            same(check_signature(headers, body), json.loads(body)["id"])
        first, second = (json.loads(body) for _, _, body in heard)
        same({k: first[k] for k in ("object", "type", "tenant_id", "livemode")},
             {"object": "event", "type": "call.completed", "tenant_id": "default", "livemode": True})
        same(first["data"]["tool"], "tally")
        assert first["data"]["result"]["content"][0]["text"].startswith("a at ")
        same((second["type"], second["data"]["result"]["code"]), ("call.failed", "as_wished"))
        wait_for(lambda: 'toolhost_outbox_total{outcome="sent"} 2' in d.http("GET", "/metrics").body.decode(), 10,
                 "both to be counted")
        same(len(books.heard), 2)


def test_only_what_is_wanted():
    with Books() as books, hooked(books, events=["call.failed"]) as k, k.serve() as d:
        k.tally(d, "a", call_id="1")
        k.tally(d, "b", call_id="2", fail=True)
        same(json.loads(books.wait(1)[0][2])["data"]["call"]["call_id"], "2")


def test_told_again_until_it_is_taken():
    with Books(500) as books, hooked(books) as k, k.serve() as d:
        k.tally(d, "a", call_id="1")
        (one, *_), (two, *_) = books.wait(2)[:2]
        same((one, two), (500, 204))
        same(check_signature(*books.heard[0][1:]), check_signature(*books.heard[1][1:]))
        d.wait_log("outbox_failed", lambda e: "500" in e["why"])


def test_told_after_the_daemon_was_killed():
    with Books(500) as books, hooked(books, durable=True) as k:
        d = k.serve()
        try:
            same(k.tally(d, "a", call_id="1").status, 200)
            books.wait(1)
        finally:
            d.process.kill()
            d.process.wait()
            d._clean()
        with k.serve():
            books.wait(2)
            same(check_signature(*books.heard[0][1:]), check_signature(*books.heard[1][1:]))


def test_not_to_every_address():
    with Books() as books, hooked(books, private=False) as k, k.serve() as d:
        k.tally(d, "a", call_id="1")
        d.wait_log("outbox_failed", lambda e: "not public" in e["why"])
        same(books.heard, [])


def test_a_wrong_hook_is_no_hook():
    with Books() as books, hooked(books) as k:
        for change, says in (({"secret_file": "/no/such/file"}, "/hooks/0/secret_file: "),
                             ({"url": "ftp://books.example/"}, "/hooks/0/url: expected a URL like"),
                             ({"events": ["call.started"]}, "/hooks/0/events/0: "),
                             ({"name": "a b"}, "/hooks/0/name: expected 1 to 64 letters")):
            k.hook, good = {**k.hook, **change}, k.hook
            d = k.again(tenants={"default": {"hooks": [k.hook]}}, check=False)
            try:
                same(d.process.wait(20), 1)
                d.reader.join(5)
                assert f"tenants.d/default.json: {says}" in d.raw[-1], d.raw[-1]
            finally:
                d._clean()
            k.hook = good


if __name__ == "__main__":
    main()
