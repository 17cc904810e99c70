"""Calls through every path: what works, and what each wrong one is told."""

import json

from harness import Daemon, LEGACY, in_background, main, mcp_headers, same, ENVELOPE


def test_echo_over_mcp_and_rest():
    with Daemon(plugins=["echo"]) as d:
        same(d.call("echo", {"text": "grüß dich\u0000\n"}).text, "grüß dich\u0000\n")
        rest = d.rest("echo", {"text": "hi"})
        same(rest.status, 200, "status")
        assert "hi" in json.dumps(rest.body), rest


def test_tools_list_is_in_order_and_pages():
    with Daemon(plugins=["echo", "hash", "clock", "calculator"], config={"page_size": 1}) as d:
        first = d.mcp("tools/list").json["result"]
        same(len(first["tools"]), 1, "tools on the first page")
        names = d.tools()
        same(names, d.tools(), "two listings")
        same(names, sorted(names), "the order")
        assert {"echo", "calculator"} <= set(names), names
        bad = d.mcp("tools/list", {"cursor": "no such place"})
        same(bad.error, -32602, "a cursor that was never given out")


def test_formats_of_the_list():
    with Daemon(plugins=["echo"]) as d:
        openai = d.http("GET", "/v1/tools?format=openai").json["tools"]
        same(openai[0]["type"], "function")
        assert "parameters" in openai[0].get("function", openai[0]), openai
        anthropic = d.http("GET", "/v1/tools?format=anthropic").json["tools"]
        same(anthropic[0]["input_schema"]["type"], "object")
        mcp = d.http("GET", "/v1/tools?format=mcp").json
        same(mcp["tools"][0]["inputSchema"]["type"], "object")
        same(d.http("GET", "/v1/tools?format=klingon").status, 400)


def test_wrong_arguments_are_told_one_by_one():
    with Daemon(plugins=["echo"]) as d:
        for arguments, pointer in (({"text": 5}, "/text"), ({}, "text"), ({"text": "a", "more": 1}, "more")):
            rest = d.rest("echo", arguments)
            same((rest.status, rest.code), (422, "tool_args_invalid"), f"for {arguments}")
            assert pointer in json.dumps(rest.body), rest
            mcp = d.call("echo", arguments)
            assert mcp.is_error and pointer in mcp.text, mcp


def test_arguments_that_are_no_object():
    with Daemon(plugins=["echo"]) as d:
        for arguments in ([], "text", 5, True):
            result = d.rest("echo", arguments)
            same((result.status, result.code), (400, "tool_args_parse_error"), f"for {arguments!r}")
            same(d.call("echo", arguments).rpc_error["code"], -32602, f"for {arguments!r}")


def test_unknown_tool():
    with Daemon(plugins=["echo"]) as d:
        rest = d.rest("ecko", {})
        same((rest.status, rest.code), (404, "tool_not_found"))
        outcome = d.call("ecko")
        same((outcome.answer.status, outcome.rpc_error["code"]), (200, -32602))


def test_unknown_method_and_paths():
    with Daemon(plugins=["echo"]) as d:
        answer = d.mcp("tools/dance")
        same((answer.status, answer.error), (404, -32601))
        same(d.http("GET", "/nowhere").status, 404)
        got = d.http("GET", "/v1/tools/echo/call")
        same(got.status, 405)
        assert "POST" in got.headers.get("allow", ""), got.headers


def test_discover():
    with Daemon(plugins=["echo"]) as d:
        result = d.mcp("server/discover").json["result"]
        assert "2026-07-28" in result["supportedVersions"], result
        assert "tools" in result["capabilities"], result
        same(result["resultType"], "complete")


def test_envelope_and_headers_are_cross_checked():
    with Daemon(plugins=["echo"]) as d:
        same((lambda a: (a.status, a.error))(d.mcp("tools/list", headers={"Mcp-Method": "tools/call"})), (400, -32020))
        old = d.mcp("tools/list", headers={"MCP-Protocol-Version": "v999"},
                    meta={"io.modelcontextprotocol/protocolVersion": "v999"})
        same((old.status, old.error), (400, -32022))
        same(old.json["error"]["data"]["requested"], "v999")
        mixed = d.mcp("tools/list", meta={"io.modelcontextprotocol/protocolVersion": "v999"})
        same((mixed.status, mixed.error), (400, -32020))


def test_handshake_of_older_revisions():
    with Daemon(plugins=["echo"]) as d:
        for version in (LEGACY, "2025-06-18"):
            accept = {"Accept": "application/json, text/event-stream"}
            hello = d.http("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
                "protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}, accept)
            same(hello.status, 200)
            same(hello.json["result"]["protocolVersion"], version)
            accept |= {"Mcp-Session-Id": hello.headers["mcp-session-id"], "MCP-Protocol-Version": version}
            same(d.http("POST", "/mcp", {"jsonrpc": "2.0", "method": "notifications/initialized"}, accept).status, 202)
            call = d.http("POST", "/mcp", {"jsonrpc": "2.0", "id": 2, "method": "tools/call",
                                           "params": {"name": "echo", "arguments": {"text": "old"}}}, accept)
            same(call.json["result"]["content"][0]["text"], "old")
            assert d.http("DELETE", "/mcp", None, accept).status < 300
            gone = d.http("POST", "/mcp", {"jsonrpc": "2.0", "id": 3, "method": "tools/list"}, accept)
            same(gone.status, 404, "a session that was ended")


def test_foreign_host_and_origin():
    with Daemon(plugins=["echo"]) as d:
        params = {"_meta": ENVELOPE}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params}
        for name, value in (("Origin", "https://evil.example"), ("Host", "evil.example")):
            answer = d.http("POST", "/mcp", body, {**mcp_headers("tools/list", params), name: value})
            same(answer.status, 403, f"{name}: {value}")
        local = {**mcp_headers("tools/list", params), "Origin": "http://localhost:3000"}
        same(d.http("POST", "/mcp", body, local).status, 200)


def test_probes_and_metrics():
    with Daemon(plugins=["echo"]) as d:
        same(d.http("GET", "/healthz").status, 200)
        same(d.http("GET", "/readyz").status, 200)
        d.call("echo", {"text": "x"})
        metrics = d.http("GET", "/metrics").body.decode()
        assert 'tool="echo"' in metrics and "# TYPE" in metrics, metrics[:500]


def test_a_call_is_one_line_of_the_log():
    with Daemon(plugins=["echo"]) as d:
        d.rest("echo", {"text": "not for the log"}, call_id="good")
        d.rest("echo", {"text": 5}, call_id="bad")
        good = d.wait_log("tool_call_finished", lambda e: e.get("call") == "good")
        same((good["tool"], good["front"], good["level"]), ("echo", "rest", "info"))
        assert int(good["wall_us"]) > 0, good
        bad = d.wait_log("tool_call_failed", lambda e: e.get("call") == "bad")
        same(bad["code"], "tool_args_invalid")
        assert not any("not for the log" in line for line in d.raw), d.raw


def test_many_at_once():
    with Daemon(plugins=["echo"]) as d:
        waiting = [in_background(d.call, "echo", {"text": f"n{i}"}) for i in range(40)]
        same([w().text for w in waiting], [f"n{i}" for i in range(40)])


def test_large_arguments_and_results():
    with Daemon(plugins=["echo"], config={"results": {"shown": 0}}) as d:
        for size in (1000, 64_000, 70_000, 900_000):
            text = "äb" * (size // 3)
            same(len(d.call("echo", {"text": text}).text), len(text), f"characters of {size}")


if __name__ == "__main__":
    main()
