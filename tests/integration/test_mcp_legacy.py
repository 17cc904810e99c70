"""MCP with the handshake over HTTP, as a client of 2025-11-25, 2025-06-18 or 2025-03-26 sees it: sessions,
event streams that are resumed, the stream of GET, batches."""

import json

from harness import ENVELOPE, LEGACY, MODERN, Daemon, main, same
from mcp_wire import Session, Stream, notification, request, slow

VERSIONS = (LEGACY, "2025-06-18", "2025-03-26")


def refused(answer, status, code):
    same((answer.status, answer.error), (status, code), f"status and code of {answer}")


def changed(kind="tools"):
    return {"jsonrpc": "2.0", "method": f"notifications/{kind}/list_changed", "params": {}}


# ---- sessions


def test_the_handshake():
    with Daemon(plugins=["echo"]) as d:
        ids = set()
        for asked, agreed in (*zip(VERSIONS, VERSIONS), ("2024-11-05", LEGACY), (MODERN, LEGACY), ("soon", LEGACY)):
            s = Session(d, asked)
            same(s.agreed, agreed, f"the answer to {asked}")
            assert s.id and all(0x21 <= ord(c) <= 0x7e for c in s.id), s.id
            result = s.hello.json["result"]
            same(result["serverInfo"]["name"], "toolhost")
            same(set(result) - {"protocolVersion", "capabilities", "serverInfo", "instructions"}, set())
            ids.add(s.id)
        same(len(ids), 6, "different ids")
        refused(d.http("POST", "/mcp", request("initialize"), {"Accept": "application/json"}), 200, -32602)


def test_requests_of_a_session():
    with Daemon(plugins=["echo"]) as d:
        for version in VERSIONS:
            s = Session(d, version)
            same(s.ask("ping"), {"jsonrpc": "2.0", "id": 1, "result": {}})
            same([tool["name"] for tool in s.ask("tools/list")["result"]["tools"]], ["echo"])
            result = s.ask("tools/call", {"name": "echo", "arguments": {"text": "old"}})["result"]
            same((result["content"][0]["text"], "resultType" in result), ("old", False))
            same(s.ask("tools/call", {"name": "nosuch"})["error"]["code"], -32602)
            same(s.ask("server/discover")["error"]["code"], -32601)  # on status 200: 404 would end the session
            same(s.ask("tools/list", {"cursor": "x"})["error"]["code"], -32602)
            same(s.post({"jsonrpc": "2.0", "id": 99, "result": {}}).status, 202, "a response nobody waits for")


def test_which_session():
    with Daemon(plugins=["echo"]) as d:
        s = Session(d)
        list_tools = request("tools/list")
        refused(s.post(list_tools, {"Mcp-Session-Id": None}), 400, -32000)
        refused(s.post(list_tools, {"Mcp-Session-Id": "0" * 32}), 404, -32001)
        refused(s.post(list_tools, {"MCP-Protocol-Version": "1999-01-01"}), 400, -32000)
        same(s.post(list_tools, {"MCP-Protocol-Version": None}).status, 200)
        same(s.post(list_tools, {"MCP-Protocol-Version": "2025-06-18"}).status, 200)
        refused(s.post(list_tools, {"MCP-Protocol-Version": MODERN}), 400, -32602)
        same(d.http("GET", "/mcp", None, {"Accept": "text/event-stream"}).status, 405)
        with s.get(headers={"Mcp-Session-Id": "0" * 32}) as stream:
            same(stream.status, 404)
        with s.get(headers={"Accept": "application/json"}) as stream:
            same(stream.status, 406)


def test_the_end_of_a_session():
    with Daemon(plugins=["slow_echo"]) as d:
        s = Session(d)
        with s.get() as standalone, s.stream("tools/call", slow(60_000), 7) as call:
            same(call.message()["method"], "notifications/progress")
            same(s.delete().status, 204)
            last = call.messages()[-1]
            same((last["id"], last["error"]["code"]), (7, -32603))
            same(standalone.messages(), [])
        d.wait_log("tool_call_failed", lambda e: e.get("code") == "tool_cancelled")
        for again in (s.post(request("ping")), s.post(notification("notifications/initialized")), s.delete()):
            same(again.status, 404)


def test_an_envelope_beats_the_session():
    with Daemon(plugins=["echo"]) as d:
        s = Session(d)
        answer = d.mcp("tools/list", headers={"Mcp-Session-Id": s.id})
        same(answer.json["result"]["resultType"], "complete")


# ---- calls


def test_what_comes_before_the_answer():
    with Daemon(plugins=["slow_echo", "wire"]) as d:
        for version in VERSIONS:
            s = Session(d, version)
            with s.stream("tools/call", slow(20, "x", 5), "c") as stream:
                same((stream.status, stream.type), (200, "text/event-stream"))
                events = list(iter(stream.event, None))
            primed = [e for e in events if not e.data]
            same(len(primed), 1 if version == LEGACY else 0, f"events without data, of {version}")
            if primed:
                assert events[0] is primed[0] and int(primed[0].retry) > 0 and primed[0].id, events
            same(len({e.id for e in events}), len(events), "different ids")
            told = [e.message for e in events if e.data]
            same({json.dumps(m["params"]["progressToken"]) for m in told[:-1]}, {"5"})
            same((told[-1]["id"], told[-1]["result"]["content"][0]["text"]), ("c", "x"))
            plain = s.post(request("tools/call", {"name": "slow_echo", "arguments": {"ms": 10}}))
            same(plain.headers["content-type"], "application/json", "without a token")


def test_log():
    with Daemon(plugins=["wire"]) as d:
        s = Session(d)
        call = request("tools/call", {"name": "logs"})
        same(s.post(call).headers["content-type"], "application/json")
        same(s.ask("logging/setLevel", {"level": "warning"})["result"], {})
        same([m["params"]["level"] for m in s.post(call).events[:-1]], ["warning", "error"])
        same(s.ask("logging/setLevel", {"level": "debug"})["result"], {})
        same(len(s.post(call).events), 5)
        same(s.ask("logging/setLevel", {"level": "loud"})["error"]["code"], -32602)
        same(Session(d).post(call).headers["content-type"], "application/json", "of another session")


def test_only_a_message_cancels():
    with Daemon(plugins=["slow_echo"]) as d:
        s = Session(d)
        with s.stream("tools/call", slow(1500, "lost"), 7) as stream:
            assert stream.message()
        done = d.wait_log("tool_call_finished", lambda e: e.get("tool") == "slow_echo")
        assert done, "leaving ended the call"
        with s.stream("tools/call", slow(60_000), 8) as stream:
            assert stream.message()
            same(s.post(notification("notifications/cancelled", {"requestId": 9})).status, 202)
            same(s.post(notification("notifications/cancelled", {"requestId": "8"})).status, 202)
            same(s.post(notification("notifications/cancelled", {"requestId": 8})).status, 202)
            assert all("id" not in m for m in stream.messages()), "an answer to what was cancelled"
        d.wait_log("tool_call_failed", lambda e: e.get("code") == "tool_cancelled")


# ---- streams


def test_resuming():
    with Daemon(plugins=["slow_echo"]) as d:
        for version in VERSIONS:
            s = Session(d, version)
            with s.stream("tools/call", slow(400, "whole"), 7) as stream:
                first = stream.event()
            with s.get(first.id) as stream:
                same((stream.status, stream.type), (200, "text/event-stream"))
                events = list(iter(stream.event, None))
            same(events[-1].message["result"]["content"][0]["text"], "whole")
            numbers = [int(e.id.rpartition("-")[2]) for e in (first, *events)]
            same(numbers, list(range(numbers[0], numbers[0] + len(numbers))), "numbers without a gap")
            with s.get(events[-2].id) as stream:  # it is over, and its end can still be had
                same([e.data for e in iter(stream.event, None)], [events[-1].data])
            for nothing in ("7-0", "x", "1"):
                with s.get(nothing) as stream:
                    refused(stream.rest(), 400, -32000)
            other = Session(d, version)
            with other.get(events[-2].id) as stream:
                refused(stream.rest(), 400, -32000)


def test_the_stream_of_get():
    with Daemon(plugins=["echo"]) as d:
        s = Session(d)
        d.add("hash")
        d.wait_tool("hash")
        with s.get() as stream:
            assert not stream.event().data, "the first event primes"
            same(stream.message(), changed())  # what it missed
            with s.get() as second:
                same(second.status, 409)
            d.add("clock")
            event = stream.event()
            same(event.message, changed())
        d.add("calculator")
        d.wait_tool("calculator")
        with s.get(event.id) as stream:
            same(stream.message(), changed())
        asked = Session(d)
        with asked.stream("ping") as stream:  # what is unsolicited goes to GET alone
            same(stream.rest().json["result"], {})


def test_a_session_that_did_not_say_that_it_is_ready():
    with Daemon(plugins=["echo"]) as d:
        s = Session(d, initialized=False)
        same(s.ask("ping")["result"], {})
        same([tool["name"] for tool in s.ask("tools/list")["result"]["tools"]], ["echo"])


# ---- batches


def test_batches():
    with Daemon(plugins=["echo", "slow_echo"]) as d:
        s = Session(d, "2025-03-26")

        def call(id, text):
            return request("tools/call", {"name": "echo", "arguments": {"text": text}}, id)

        answer = s.post([call(1, "a"), notification("notifications/initialized"), call("two", "b"), 7])
        same(answer.status, 200)
        answers = {m.get("id"): m for m in answer.json}
        same(answers[1]["result"]["content"][0]["text"], "a")
        same(answers["two"]["result"]["content"][0]["text"], "b")
        same((len(answers), answers[None]["error"]["code"]), (3, -32600))
        same(s.post([notification("notifications/initialized")]).status, 202)
        with Stream(d, "POST", s.headers(), [call(1, "a"), request("tools/call", slow(20, "s"), 2)]) as stream:
            same(stream.type, "text/event-stream")
            same({m["id"] for m in stream.messages() if "id" in m}, {1, 2})
        for body in ([], [call(1, "a")] * 101, [request("tools/list", {"_meta": ENVELOPE})]):
            refused(s.post(body), 400, -32600)
        same(s.post([request("initialize", {"protocolVersion": LEGACY})]).json[0]["error"]["code"], -32600)
        for version in (LEGACY, "2025-06-18"):
            refused(Session(d, version).post([call(1, "a")]), 400, -32600)


if __name__ == "__main__":
    main()
