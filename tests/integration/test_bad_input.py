"""Input that no client of good will sends: each piece has its status and code, and nobody else notices."""

import json

from harness import Daemon, ENVELOPE, main, mcp_headers, same

PARAMS = {"name": "echo", "arguments": {"text": "hi"}, "_meta": ENVELOPE}
HEADERS = {**mcp_headers("tools/call", PARAMS), "Content-Type": "application/json"}
BODY = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": PARAMS}).encode()


def still_well(d):
    same(d.call("echo", {"text": "still well"}).text, "still well")


def post(d, body, headers=HEADERS):
    return d.http("POST", "/mcp", body, headers)


def status_of(raw):
    return int(raw.split(b" ", 2)[1]) if raw else None


def test_bodies_that_are_no_json():
    with Daemon(plugins=["echo"]) as d:
        for body in (b"", b"{", BODY[:-1], BODY[:40], b"nil", BODY + b"}", b"\xef\xbb\xbf" + BODY,
                     BODY.replace(b'"hi"', b"'hi'"), BODY.replace(b'"hi"', b"01"), BODY.replace(b'"hi"', b"NaN")):
            answer = post(d, body)
            same((answer.status, answer.error), (400, -32700), f"for {body[:60]!r}")
            assert "id" not in answer.json, answer
        still_well(d)


def test_invalid_utf8():
    with Daemon(plugins=["echo"]) as d:
        for bad in (b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82", b"\\ud800"):
            answer = post(d, BODY.replace(b'"hi"', b'"' + bad + b'"'))
            same((answer.status, answer.error), (400, -32700), f"for {bad!r}")
            rest = d.http("POST", "/v1/tools/echo/call", b'{"arguments":{"text":"' + bad + b'"}}')
            same(rest.status, 400, f"over REST for {bad!r}")
        still_well(d)


def test_deep_nesting():
    with Daemon(plugins=["echo"]) as d:
        for depth in (65, 1000, 100_000):
            for left, right in ((b"[", b"]"), (b'{"a":', b"}")):
                nested = left * depth + b"1" + right * depth
                answer = post(d, BODY.replace(b'"hi"', nested))
                same(answer.status, 400, f"for depth {depth}")
        still_well(d)


def test_oversized_body():
    with Daemon(plugins=["echo"]) as d:
        announced = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 2000000\r\n\r\n"
        same(status_of(d.send_raw(announced)), 413)
        chunked = (b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                   b"Transfer-Encoding: chunked\r\n\r\n200000\r\n")
        same(status_of(d.send_raw(chunked)), 413, "a chunk that is too large")
        still_well(d)


def test_truncated_body():
    with Daemon(plugins=["echo"]) as d:
        head = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n"
        assert status_of(d.send_raw(head + BODY[:100])) in (None, 400), "a body that ends early was answered"
        still_well(d)


def test_wrong_content_type():
    with Daemon(plugins=["echo"]) as d:
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
            same(post(d, BODY, {**HEADERS, "Content-Type": kind}).status, 415, kind)
            same(d.http("POST", "/v1/tools/echo/call", b'{"arguments":{}}', {"Content-Type": kind}).status, 415, kind)
        same(post(d, BODY, {**HEADERS, "Content-Type": "application/json; charset=utf-8"}).status, 200)
        still_well(d)


def test_messages_that_are_no_requests():
    with Daemon(plugins=["echo"]) as d:
        for body in ([], 5, "x", None, {}, {"jsonrpc": "1.0", "id": 1, "method": "tools/list"},
                     {"jsonrpc": "2.0", "id": 1, "method": 5}):
            answer = post(d, json.dumps(body).encode())
            same((answer.status, answer.error), (400, -32600), f"for {body!r}")
        still_well(d)


def test_duplicate_names_are_refused():
    with Daemon(plugins=["echo"]) as d:
        answer = post(d, BODY.replace(b'"text": "hi"', b'"text": "hi", "text": "ho"'))
        same(answer.status, 400)
        still_well(d)


def test_ambiguous_http():
    host = b"Host: 127.0.0.1\r\n"
    cases = {
        b"GET /healthz HTTP/1.1\r\n\r\n": 400,
        b"GET /healthz HTTP/1.1\r\n" + host + host + b"\r\n": 400,
        b"POST /mcp HTTP/1.1\r\n" + host + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n": 400,
        b"POST /mcp HTTP/1.1\r\n" + host + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello": 400,
        b"POST /mcp HTTP/1.1\r\n" + host + b"Content-Length: +5\r\n\r\nhello": 400,
        b"GET /healthz HTTP/1.1\r\n" + host + b"X : y\r\n\r\n": 400,
        b"GET /healthz HTTP/1.1\r\n" + host + b" folded: y\r\n\r\n": 400,
        b"GET /healthz HTTP/9.9\r\n" + host + b"\r\n": 505,
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03": 400,
    }
    with Daemon(plugins=["echo"]) as d:
        for request, expected in cases.items():
            same(status_of(d.send_raw(request)), expected, f"for {request!r}")
        still_well(d)


def test_endless_heads():
    with Daemon(plugins=["echo"]) as d:
        long_line = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"a" * 200_000
        assert status_of(d.send_raw(long_line)) in (400, 431)
        many = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n" + b"".join(b"X%d: y\r\n" % i for i in range(1000))
        same(status_of(d.send_raw(many + b"\r\n")), 431)
        still_well(d)


def test_tool_names_from_the_wire():
    with Daemon(plugins=["echo"]) as d:
        for name in ("", "../echo", "a" * 5000, "echo\u0000", "é", "echo "):
            outcome = d.http("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
                "name": name, "arguments": {}, "_meta": ENVELOPE}},
                {**mcp_headers("tools/call", {}), "Mcp-Name": "echo"})
            assert outcome.error in (-32020, -32602), (name, outcome)
        same(d.http("POST", "/v1/tools/..%2fecho/call", {"arguments": {}}).status, 404)
        still_well(d)


if __name__ == "__main__":
    main()
