#!/usr/bin/env python3
"""The HTTP broker and servers of HTTP/2."""

import contextlib
import json

from harness import PATIENCE, SANITIZER, Daemon, comment, in_background, main, same
from http2_server import Http2Server
from test_http import FAILED, OK, ask

PERIOD, LARGE = 251, 16 << 20  # of what /bytes sends; bytes


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


def sum_of(count):
    """What courier makes of so many bytes of /bytes."""
    once, shift = 0, pow(31, PERIOD, 1 << 32)
    for i in range(PERIOD):
        once = once * 31 + i * 7 % PERIOD
    total = 0
    for _ in range(count // PERIOD):
        total = (total * shift + once) & 0xffffffff
    for i in range(count % PERIOD):
        total = (total * 31 + i * 7 % PERIOD) & 0xffffffff
    return total


def test_requests_at_once_have_connections_of_their_own():
    with bed() as (s, d):
        for _ in range(2):  # the second time those of the first
            calls = [in_background(who, d, s, "/meet/8") for _ in range(8)]
            same({call()["connection"] for call in calls}, set(range(1, 9)))


def test_bodies_beyond_a_window():
    with bed(http_response="8M", http_request="8M") as (s, d):
        same(who(d, s, body_len=3000000)["bytes"], 3000000)
        r = ask(d, s.url + "/bytes/3000000", pause_ms=0)
        same((r["is"], r["streamed"], r["sum"]), (OK, 3000000, sum_of(3000000)))
        same(who(d, s)["connection"], 1)
        same(ask(d, s.url + "/bytes/8388609", pause_ms=0)["code"], "http_too_large")


def test_who_gives_up_leaves_the_others_alone():
    with bed() as (s, d):
        other = in_background(who, d, s, "/meet/2")
        r = ask(d, s.url + "/never", timeout_ms=300)
        same((r["is"], r["code"]), (FAILED, "http_timeout"))
        who(d, s, "/meet/2")
        other()


def test_who_is_slow_leaves_the_others_alone():
    """And the server waits for it: the daemon holds little of what it has not taken."""
    with bed(http_response="64M", max_time=f"{20 * PATIENCE}s") as (s, d):
        before = peak(d)
        slow = in_background(ask, d, f"{s.url}/bytes/{LARGE}", pause_ms=1)
        who(d, s, "/begun")
        for _ in range(50):
            who(d, s)
        same(slow()["sum"], sum_of(LARGE))
        comment(f"the daemon grew by {peak(d) - before} KiB")
        if SANITIZER == "no":  # which keeps what was given back
            assert peak(d) - before < 4 << 10, "it holds what a slow tool has not taken"


if __name__ == "__main__":
    main()
