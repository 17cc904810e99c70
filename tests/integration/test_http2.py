#!/usr/bin/env python3
"""The HTTP broker and servers of HTTP/2: requests that run at once share a connection."""

import contextlib
import json

from harness import PATIENCE, SANITIZER, Daemon, comment, in_background, main, same
from http2_server import Http2Server
from test_http import FAILED, OK, ask

WINDOW = 32 << 20  # of a stream: what libcurl lets servers send before it is taken


@contextlib.contextmanager
def bed(**limits):
    """A server of HTTP/2, and a daemon that may ask it and has a connection to it."""
    with Http2Server() as s:
        policy = {"permissions": {"http": [{"url": s.url + "/*", "private": True}]},
                  "limits": {"max_time": "20s", **limits}}
        with Daemon(plugins=["courier"], policies={"courier": policy}, config={"http": {"ca_file": s.cert}}) as d:
            same(who(d, s)["connection"], 1)
            yield s, d


def told(answer):
    same((answer["is"], answer["status"]), (OK, 200), answer)
    return json.loads(answer["body"])


def who(d, s, path="/who", **more):
    return told(ask(d, s.url + path, **more))


def peak(d):
    """The most KiB that were ever resident."""
    return int(d.status()["VmHWM"].split()[0])


def test_a_request_comes_by_http_2():
    with bed() as (s, d):
        r = ask(d, s.url + "/who", method="POST", json='{"a":1}', header="X-Mine", value="yes")
        got = told(r)
        same((got["protocol"], got["method"], got["scheme"], got["path"]), ("h2", "POST", "https", "/who"))
        same((got["authority"], got["bytes"], r["headers"]["content-type"]), (s.url[8:], 7, "application/json"))
        same((got["headers"]["x-mine"], got["headers"]["content-type"]), ("yes", "application/json"))
        assert got["headers"]["user-agent"].startswith("toolhost/"), got
        assert not {"connection", "transfer-encoding", "accept-encoding"} & set(got["headers"]), got


def test_requests_at_once_share_a_connection():
    with bed() as (s, d):
        calls = [in_background(who, d, s, "/meet/8") for _ in range(8)]
        met = [call() for call in calls]
        same([one["connection"] for one in met], [1] * 8)
        same(len({one["stream"] for one in met}), 8)


def test_bodies_beyond_a_window():
    with bed(http_response="8M", http_request="8M") as (s, d):
        same(who(d, s, body_len=3000000)["bytes"], 3000000)
        r = ask(d, s.url + "/bytes/3000000", pause_ms=0)
        total = 0
        for i in range(3000000):
            total = (total * 31 + i * 7 % 251) & 0xffffffff
        same((r["is"], r["streamed"], r["sum"]), (OK, 3000000, total))
        same(ask(d, s.url + "/bytes/8388609", pause_ms=0)["code"], "http_too_large")
        same(who(d, s)["connection"], 1)


def test_who_gives_up_leaves_the_others_alone():
    with bed() as (s, d):
        other = in_background(who, d, s, "/reset")
        r = ask(d, s.url + "/never", timeout_ms=300)
        same((r["is"], r["code"]), (FAILED, "http_timeout"))
        same(who(d, s)["connection"], 1)  # libcurl 7.88 tells of the reset along with this
        same(other()["connection"], 1)


def test_who_is_slow_leaves_the_others_alone():
    with bed(http_response="64M", max_time=f"{4 * PATIENCE}s") as (s, d):
        before = peak(d)
        slow = in_background(d.rest, "courier", {"url": f"{s.url}/bytes/{WINDOW + (8 << 20)}", "pause_ms": 400})
        same(who(d, s, "/begun")["connection"], 1)
        same(who(d, s)["connection"], 1)
        same(slow().code, "tool_timeout")
        same(who(d, s)["connection"], 1)
        comment(f"the daemon grew by {peak(d) - before} KiB")
        if SANITIZER == "no":  # which keeps what was given back
            assert peak(d) - before < (WINDOW + (4 << 20)) >> 10, "more than libcurl's window"


if __name__ == "__main__":
    main()
