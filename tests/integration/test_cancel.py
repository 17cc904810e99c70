"""A call that nobody waits for any more is stopped: by id, by a client that leaves, on stdio by a message."""

import json
import socket
import time

from harness import (Daemon, ENVELOPE, PATIENCE, comment, in_background, is_running, main, mcp_headers, same,
                     wait_for)
from mcp_wire import Session, modern_stream

SLOW = {"name": "slow_echo", "arguments": {"ms": 60_000}, "_meta": {**ENVELOPE, "progressToken": "p"}}


def ended(d, code):
    return d.wait_log("tool_call_failed", lambda e: e.get("code") == code)


def test_cancel_by_id():
    with Daemon(plugins=["slow_echo", "echo"]) as d:
        call = in_background(d.rest, "slow_echo", {"ms": 60_000}, call_id="to-be-cancelled")
        path = "/v1/calls/to-be-cancelled"
        wait_for(lambda: d.http("GET", path).status == 200, 5, "a call that can be cancelled")
        same(d.http("DELETE", path).status, 204)
        same(call().code, "tool_cancelled")
        same(d.http("DELETE", path + "?running=true").status, 404, "the second time")
        assert d.call("echo", {"text": "x"}).ok


def test_cancel_of_an_unknown_call():
    with Daemon(plugins=["echo"]) as d:
        same(d.http("DELETE", "/v1/calls/never-was?running=true").status, 404)
        same(d.http("GET", "/v1/calls/never-was").status, 404)


def test_a_client_that_leaves_cancels_its_call():
    with Daemon(plugins=["slow_echo"]) as d:
        host, port = d.address.rsplit(":", 1)
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": SLOW}).encode()
        headers = {"Host": d.address, "Content-Type": "application/json", "Content-Length": len(body),
                   **mcp_headers("tools/call", SLOW)}
        head = "POST /mcp HTTP/1.1\r\n" + "".join(f"{k}: {v}\r\n" for k, v in headers.items()) + "\r\n"
        with socket.create_connection((host, int(port)), 30) as s:
            s.sendall(head.encode() + body)
            got = b""
            while b"notifications/progress" not in got:
                chunk = s.recv(65536)
                assert chunk, got
                got += chunk
        ended(d, "tool_cancelled")
        same(d.call("slow_echo", {"ms": 0, "text": "next"}).text, "next")


# ---- the work in the worker: busy has one thread, which answers the next call when the work has ended, and its
# process remembers how; a process that was killed for it would not


def begun(stream):
    """A call that is at work, by its first message; its client then goes away.  When."""
    with stream:
        same(stream.message()["method"], "notifications/progress")
        return time.monotonic()


def work(tool, **arguments):
    return {"name": tool, "arguments": arguments, "_meta": {"progressToken": "p"}}


def test_leaving_stops_work_of_2026_07_28():
    with Daemon(plugins=["busy"], config={"grace": "20s"}) as d:
        left = begun(modern_stream(d, "tools/call", work("busy", ms=60_000), {"progressToken": "p"}))
        same(d.call("how_it_ended").text, "stopped")
        took = time.monotonic() - left
        assert took < 20, f"the work went on for {took:.1f} s"
        comment(f"stopped after {took * 1000:.1f} ms")


def test_leaving_ends_work_of_2026_07_28_that_does_not_look():
    with Daemon(plugins=["heavy_spin"], config={"grace": "300ms"}) as d:
        left = begun(modern_stream(d, "tools/call", work("heavy_spin", mib=1), {"progressToken": "p"}))
        workers = d.workers()
        assert workers, "no worker"
        wait_for(lambda: not any(map(is_running, workers)), 5, "the end of the processes at work")
        took = time.monotonic() - left
        assert 0.3 <= took < 2 * PATIENCE, f"gone after {took:.2f} s, with a grace of 0.3 s"
        comment(f"gone after {took * 1000:.0f} ms")


def test_leaving_stops_no_work_of_the_handshake():
    with Daemon(plugins=["busy"], config={"grace": "100ms"}) as d:
        begun(Session(d).stream("tools/call", work("busy", ms=600)))
        same(d.call("how_it_ended").text, "finished")
        same(d.log_events("tool_call_failed"), [])


# ---- by a message, and by time


def test_cancel_on_stdio():
    with Daemon(plugins=["slow_echo"], stdio=True, args=["--log-level", "info"]) as d:
        d.pipe.send({"jsonrpc": "2.0", "id": "slow", "method": "tools/call", "params": SLOW})
        same(d.pipe.receive()["method"], "notifications/progress")
        d.pipe.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "slow"}})
        ended(d, "tool_cancelled")
        d.pipe.send({"jsonrpc": "2.0", "id": "after", "method": "tools/list", "params": {"_meta": ENVELOPE}})
        while (message := d.pipe.receive()).get("id") != "after":
            same(message.get("id"), None, "an answer to the cancelled call")


def test_the_callers_deadline():
    with Daemon(plugins=["slow_echo"]) as d:
        at = time.monotonic()
        result = d.rest("slow_echo", {"ms": 60_000}, deadline_ms=100)
        same((result.status, result.code), (504, "tool_timeout"))
        assert time.monotonic() - at < 20, "it waited for the tool"


def test_the_operators_limit_beats_the_tools_own():
    with Daemon(plugins=["slow_echo"], policies={"slow_echo": {"limits": {"max_time": "100ms"}}}) as d:
        same(d.rest("slow_echo", {"ms": 60_000}).code, "tool_timeout")


def test_a_full_queue_says_so():
    limits = {"queue": 1, "threads": 1}
    with Daemon(plugins=["slow_echo"], policies={"slow_echo": {"limits": limits}}) as d:
        calls = [in_background(d.rest, "slow_echo", {"ms": 3000}) for _ in range(8)]
        results = [c() for c in calls]
        codes = [r.code for r in results]
        same(set(codes), {None, "tool_overloaded"}, "outcomes")
        assert all(r.status == 429 for r in results if r.code), results


def test_progress_arrives_in_order():
    with Daemon(plugins=["slow_echo"]) as d:
        answer = d.mcp("tools/call", {"name": "slow_echo", "arguments": {"ms": 0, "text": "end"}},
                       meta={"progressToken": "p1"})
        same(answer.status, 200)
        told = [e["params"] for e in answer.events if e.get("method") == "notifications/progress"]
        same([p["progressToken"] for p in told], ["p1"] * len(told))
        steps = [p["progress"] for p in told]
        assert steps and steps == sorted(steps), steps
        same(answer.json["result"]["content"][0]["text"], "end")


if __name__ == "__main__":
    main()
