"""What no client sends, to every operation of /openapi.json: the answer is a refusal that is described, in JSON,
and the daemon goes on."""

import collections
import contextlib
import json
import re
import socket

from described import Described
from harness import Answer, Daemon, main, same
from realtime_server import RealtimeServer
from test_auth import new_key
from test_manage import GRANTS
from test_realtime_incoming import webhook_config

PLUGINS = ["echo", "asks", "greeter", "deeds"]
STREAMS = {"streamSessionEvents", "streamMcp"}
DEEP = b"[" * 100000
BODIES = {
    "nothing": b"",
    "a blank": b" ",
    "no JSON": b"{",
    "another type": b"[]",
    "a number": b"1e999999",
    "a huge number": b'{"ttl_ms":' + b"9" * 600 + b',"deadline_ms":' + b"9" * 600 + b"}",
    "a number beyond 64 bits": b'{"ttl_ms":18446744073709551616,"deadline_ms":18446744073709551616}',
    "a name twice": b'{"call_id":"a","call_id":"b"}',
    "U+0000": b'{"call_id":"a\\u0000b","name\\u0000":1}',
    "a lone surrogate": b'{"call_id":"\\ud800"}',
    "no UTF-8": b'{"call_id":"\xff\xfe"}',
    "control characters": b'{"call_id":"\x01\x1b[2J"}',
    "depth": DEEP,
    "depth in a member": b'{"arguments":' + DEEP,
    "many members": b"{" + b",".join(b'"m%d":0' % i for i in range(20000)) + b"}",
    "a byte order mark": b"\xef\xbb\xbf{}",
    "more behind it": b"{} {}",
}
TYPES = ["application/json", "text/plain", "application/json; charset=utf-16", "a/b/c", "\x7f", "application/x-www-form-urlencoded"]
SEGMENTS = ["%ff", "%C0%AF", "..", "%2e%2e", "a%0d%0ab", "%1b%5b2J", "x" * 4000, "%E2%80%AE", "'\"<script>", "*", "~", "%25"]
BROKEN = ["%", "%0", "%zz", "%00"]
QUERIES = ["%", "a=%zz", "a=%00", "=", "&&", "a", "tools=%ff", "tools=%00", "x" * 3000, "a=1&a=2", "%74ools=a&tools=b", "after=-1", "uri="]
METHODS = ["PATCH", "PUT", "TRACE", "OPTIONS", "BREW", "get", "M-SEARCH"]


def raw(d, request):
    """One request as it stands, on a connection of its own; an Answer, or None without a whole one."""
    host, port = d.address.rsplit(":", 1)
    got = b""
    with socket.create_connection((host, int(port)), 20) as s, contextlib.suppress(ConnectionError, TimeoutError):
        with contextlib.suppress(ConnectionError):
            s.sendall(request)
        while chunk := s.recv(65536):
            got += chunk
    head, _, body = got.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
    if headers.get("transfer-encoding") == "chunked":
        body = b"".join(re.findall(rb"[0-9a-f]+\r\n(.*?)\r\n", body, re.DOTALL))
    return Answer(int(lines[0].split()[1]), headers, body) if got else None


class Sender:
    def __init__(self, d, api, key):
        self.d, self.api, self.key = d, api, key
        self.count, self.statuses = 0, collections.Counter()

    def __call__(self, method, path, body=None, kind="application/json", more=()):
        lines = [f"{method} {path} HTTP/1.1", f"Host: {self.d.address}", f"Authorization: Bearer {self.key}",
                 "Connection: close", *more]
        if body is not None:
            lines += [f"Content-Type: {kind}", f"Content-Length: {len(body)}"]
        self.count += 1
        answer = raw(self.d, "\r\n".join([*lines, "", ""]).encode("latin-1") + (body or b""))
        self.statuses[answer and answer.status] += 1
        return answer

    def is_refused(self, answer, what):
        """It is 4xx with a body that says why."""
        assert answer is not None and 400 <= answer.status < 500, f"{what}: {answer}"
        error = json.loads(answer.body)["error"]
        assert error["message"] and (isinstance(error["code"], int) or error["code"]), f"{what}: {answer}"
        assert "\x1b" not in answer.body.decode(), f"{what}: {answer}"

    def is_described(self, method, path, answer, what):
        assert answer is not None and answer.status < 500, f"{what}: {answer}"
        self.api.saw(method, path, answer)


@contextlib.contextmanager
def target():
    with RealtimeServer() as service:
        config = {**webhook_config(service), "auth": {"required": True}}
        with Daemon(plugins=PLUGINS, tenants={"acme": {"pin": True}}, policies=GRANTS, config=config) as d:
            key = new_key(d, "all", "--role", "manage")
            api = Described(d)
            sender = Sender(d, api, key)
            yield sender
            print(f"# {sender.count} requests, answered with {dict(sorted(sender.statuses.items()))}")
            same(api.check_bodies(), "")
            same(d.http("GET", "/healthz").status, 200)
            same([e for e in d.lines if e.get("event") in ("worker_crashed", "plugin_quarantined")], [])


def operations(api):
    """(method, pattern, operation), but for streams that do not end."""
    for pattern, methods in api.document["paths"].items():
        for method, operation in methods.items():
            if operation["operationId"] not in STREAMS:
                yield method.upper(), pattern, operation


def filled(pattern, segment):
    return re.sub(r"\{[^}]*\}", lambda _: segment, pattern)


def test_bodies():
    with target() as send:
        for method, pattern, operation in operations(send.api):
            if "requestBody" not in operation:
                continue
            path = filled(pattern, "echo")
            for name, body in BODIES.items():
                send.is_described(method, path, send(method, path, body), f"{method} {path} with {name}")
            for kind in TYPES:
                answer = send(method, path, b"{}", kind)
                if kind == "\x7f":
                    send.is_refused(answer, f"{method} {path} of a type with DEL")
                else:
                    send.is_described(method, path, answer, f"{method} {path} of type {kind!r}")


def test_bodies_of_a_session_and_of_a_question():
    with target() as send:
        session = json.loads(send("POST", "/v1/sessions", b"{}").body)["session_id"]
        asked = json.loads(send("POST", "/v1/tools/greet/call", b"{}").body)["ask"]["id"]
        for path in (f"/v1/sessions/{session}/events", f"/v1/sessions/{session}/interrupt", f"/v1/asks/{asked}"):
            for name, body in BODIES.items():
                send.is_described("POST", path, send("POST", path, body), f"POST {path} with {name}")


def test_paths():
    with target() as send:
        for method, pattern, _ in operations(send.api):
            if "{" not in pattern:
                continue
            for segment in SEGMENTS:
                path = filled(pattern, segment)
                answer = send(method, path, b"{}" if method in ("POST", "PUT") else None)
                assert answer is not None and answer.status < 500, f"{method} {path}: {answer}"
                if answer.status >= 400:
                    send.is_refused(answer, f"{method} {path}")
            for segment in BROKEN:
                send.is_refused(send(method, filled(pattern, segment)), f"{method} {pattern} with {segment}")


def test_queries():
    with target() as send:
        for method, pattern, _ in operations(send.api):
            path = filled(pattern, "echo")
            for query in QUERIES:
                answer = send(method, f"{path}?{query}", b"{}" if method in ("POST", "PUT") else None)
                send.is_described(method, path, answer, f"{method} {path}?{query}")


def test_methods():
    with target() as send:
        for pattern, methods in send.api.document["paths"].items():
            path = filled(pattern, "echo")
            for method in METHODS:
                if method.lower() in methods:
                    continue
                answer = send(method, path)
                send.is_refused(answer, f"{method} {path}")
                if answer.status == 405:
                    assert {m.upper() for m in methods} <= set(answer.headers["allow"].upper().split(", ")), answer


def test_headers():
    with target() as send:
        for method, pattern, _ in operations(send.api):
            path = filled(pattern, "echo")
            body = b"{}" if method in ("POST", "PUT") else None
            for header in ("Accept: \xff", "Accept: ;;;,,,", "Range: bytes=-", "Last-Event-ID: -1", "Origin: null", "X: " + "y" * 9000,
                           "Accept: text/event-stream", "If-Match: " + "9" * 100, "If-None-Match: x", "Expect: 200-ok", "Mcp-Session-Id: \xe9", "Webhook-Id: \xe9"):
                answer = send(method, path, body, more=[header])
                send.is_described(method, path, answer, f"{method} {path} with {header[:40]!r}")
            for header in ("X: a\x00b", "X : y", "\x01: y", "Content-Length: -1", "Transfer-Encoding: gzip, chunked"):
                answer = send(method, path, more=[header])
                assert answer.status in (400, 501), f"{method} {path} with {header!r}: {answer}"


if __name__ == "__main__":
    main()
