"""MCP 2026-07-28 over HTTP, as a client sees it: every check with its code and status, event streams,
subscriptions, and that a client that leaves cancels."""

import json

from harness import ENVELOPE, LEGACY, MODERN, Daemon, main, mcp_headers, same
from mcp_wire import BOTH, modern_stream, notification, request, slow

META = "io.modelcontextprotocol/"
ID = META + "subscriptionId"
PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


def post(d, body, headers=None):
    return d.http("POST", "/mcp", body, {"Accept": BOTH, **(headers or {})})


def envelope(**changes):
    """ENVELOPE with members changed, or (None) left out."""
    changed = {**ENVELOPE, **{META + name: value for name, value in changes.items()}}
    return {name: value for name, value in changed.items() if value is not None}


def refused(answer, status, code):
    same((answer.status, answer.error), (status, code), f"status and code of {answer}")
    assert answer.json.get("id", "absent") is not None, f"an id that is null in {answer}"
    return answer.json["error"]


# ---- the ladder


def test_what_is_no_message():
    with Daemon(plugins=["echo"]) as d:
        for body in (b"{", b"\xff\xfe", b"", b"{\"a\":1,\"a\":2}"):
            assert "id" not in post(d, body).json
            refused(post(d, body), 400, -32700)
        for body in (b"3", b"null", b"{}", b'{"jsonrpc":"2.0","id":null,"method":"ping"}',
                     b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', b'{"jsonrpc":"1.0","id":1,"method":"ping"}'):
            refused(post(d, body), 400, -32600)
        enveloped = request("tools/list", {"_meta": ENVELOPE})
        refused(post(d, [enveloped]), 400, -32600)
        refused(post(d, [enveloped], {"MCP-Protocol-Version": MODERN}), 400, -32600)
        refused(post(d, {"jsonrpc": "2.0", "id": 1, "result": {}}, {"MCP-Protocol-Version": MODERN}), 400, -32600)


def test_http_itself():
    with Daemon(plugins=["echo"]) as d:
        body = request("tools/list", {"_meta": ENVELOPE})
        headers = mcp_headers("tools/list", {})
        same(d.http("POST", "/mcp", body, {**headers, "Content-Type": "text/plain"}).status, 415)
        same(d.http("POST", "/mcp", body, {**headers, "Accept": "text/html"}).status, 406)
        same(d.http("POST", "/mcp", body, {**headers, "Accept": "application/json"}).status, 200)
        same(d.http("POST", "/mcp", body, {**headers, "Origin": "http://evil.example.com"}).status, 403)
        same(d.http("POST", "/mcp", body, {**headers, "Host": "evil.example.com"}).status, 403)
        same(d.http("POST", "/mcp", body, {**headers, "Origin": f"http://{d.address}"}).status, 200)
        gone = d.http("GET", "/mcp", None, {"Accept": "text/event-stream", "MCP-Protocol-Version": MODERN})
        same((gone.status, gone.headers.get("allow")), (405, "POST"))
        same(d.http("DELETE", "/mcp", None, {"MCP-Protocol-Version": MODERN}).status, 405)
        same(d.http("PUT", "/mcp", body).status, 405)
        large = request("tools/list", {"_meta": {**ENVELOPE, "x": "x" * 2_000_000}})
        same(d.http("POST", "/mcp", large, headers).status, 413)
        same(post(d, notification("notifications/whatever", {"_meta": ENVELOPE})).status, 202)


def test_the_envelope():
    with Daemon(plugins=["echo"]) as d:
        headers = mcp_headers("tools/list", {})
        for meta in ({}, None, 3, envelope(protocolVersion=None), envelope(clientCapabilities=None),
                     envelope(clientCapabilities=[]), envelope(protocolVersion=7), envelope(logLevel="loud"),
                     {**ENVELOPE, "progressToken": 1.5}, {**ENVELOPE, "progressToken": None}):
            params = {} if meta is None else {"_meta": meta}
            refused(d.http("POST", "/mcp", request("tools/list", params), headers), 400, -32602)
        bare = envelope(clientInfo=None)
        same(d.http("POST", "/mcp", request("tools/list", {"_meta": bare}), headers).status, 200)


def test_versions():
    with Daemon(plugins=["echo"]) as d:
        supported = d.mcp("server/discover").json["result"]["supportedVersions"]
        for version in ("v999.0.0", LEGACY, "2025-03-26"):
            body = request("tools/list", {"_meta": envelope(protocolVersion=version)})
            headers = {**mcp_headers("tools/list", {}), "MCP-Protocol-Version": version}
            error = refused(d.http("POST", "/mcp", body, headers), 400, -32022)
            same(error["data"], {"supported": supported, "requested": version})
            headers["MCP-Protocol-Version"] = MODERN
            refused(d.http("POST", "/mcp", body, headers), 400, -32020)
        for header in (None, LEGACY):
            refused(d.mcp("tools/list", headers={"MCP-Protocol-Version": header or ""}), 400, -32020)


def test_headers_that_name_the_message():
    with Daemon(plugins=["echo"]) as d:
        call = {"name": "echo", "arguments": {"text": "x"}}
        for wrong in ({"Mcp-Method": "tools/list"}, {"Mcp-Method": "TOOLS/CALL"}, {"Mcp-Method": ""},
                      {"Mcp-Name": "other"}, {"Mcp-Name": "ECHO"}, {"Mcp-Name": "=?base64?ZWNobw?="}):
            refused(d.mcp("tools/call", call, headers=wrong), 400, -32020)
        for right in ({"Mcp-Method": "  tools/call\t"}, {"Mcp-Name": " echo "}, {"Mcp-Name": "=?base64?ZWNobw==?="},
                      {"Mcp-Session-Id": "ignored", "Last-Event-ID": "9-9"}):
            answer = d.mcp("tools/call", call, headers=right)
            same(answer.status, 200, f"with {right}")
            assert "mcp-session-id" not in answer.headers, answer.headers
        shouted = {k.upper(): v for k, v in mcp_headers("tools/call", call).items()}
        body = request("tools/call", {**call, "_meta": ENVELOPE})
        same(d.http("POST", "/mcp", body, shouted).status, 200)


def test_arguments_repeated_as_headers():
    with Daemon(plugins=["wire"]) as d:
        assert "misrouted" not in d.tools(), d.tools()
        problem = d.wait_log("tool_refused", lambda e: "misrouted" in json.dumps(e))
        assert "/inputSchema/properties/weight: x-mcp-header: expected" in json.dumps(problem), problem

        def routed(arguments, **headers):
            sent = {"Mcp-Param-" + name: value for name, value in headers.items()}
            return d.mcp("tools/call", {"name": "routed", "arguments": arguments}, headers=sent)

        same(routed({"region": "eu", "shard": 7}, Region="eu", Shard="7").status, 200)
        same(routed({"region": "eu", "shard": 7}, Region="=?base64?ZXU=?=", Shard="7.0").status, 200)
        same(routed({"region": None}).status, 200)
        same(routed({}, Region="anything").status, 200)
        for arguments, headers in (({"region": "eu"}, {}), ({"region": "eu"}, {"Region": "EU"}),
                                   ({"region": "eu"}, {"Region": "=?base64?ZXU?="}),
                                   ({"region": "eu"}, {"Region": "=?base64?Z!XU=?="}),
                                   ({"shard": 7}, {"Shard": "8"}), ({"shard": 7}, {"Shard": "seven"})):
            refused(routed(arguments, **headers), 400, -32020)


def test_methods():
    with Daemon(plugins=["echo"]) as d:
        for method in ("initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe",
                       "notifications/initialized", "no/such", ""):
            refused(d.mcp(method), 404, -32601)
        refused(d.mcp("tools/call", {"arguments": {}}), 200, -32602)
        refused(d.mcp("tools/call", {"name": "echo", "arguments": []}), 200, -32602)
        refused(d.mcp("tools/call", {"name": "nosuch"}), 200, -32602)
        refused(d.mcp("subscriptions/listen"), 200, -32602)
        wrong = d.call("echo", {"text": 5})
        assert wrong.is_error and wrong.rpc_error is None, wrong


# ---- results


def test_every_result_says_what_it_is():
    with Daemon(plugins=["echo"]) as d:
        for method, params in (("server/discover", {}), ("tools/list", {}), ("tools/call", {"name": "echo"}),
                               ("tools/call", {"name": "echo", "arguments": {"text": "x"}})):
            result = d.mcp(method, params).json["result"]
            same(result["resultType"], "complete", method)
            same(result["_meta"][META + "serverInfo"]["name"], "toolhost", method)
            if method != "tools/call":
                assert isinstance(result["ttlMs"], int) and result["ttlMs"] >= 0, result
                assert result["cacheScope"] in ("public", "private"), result
        for number in (0, -1, 2**53 - 1, "", "ü", "1"):
            body = request("server/discover", {"_meta": ENVELOPE}, number)
            same(d.http("POST", "/mcp", body, mcp_headers("server/discover", {})).json["id"], number)


def test_pages():
    with Daemon(plugins=["echo", "calculator", "clock", "hash", "files"], config={"page_size": 2}) as d:
        whole, pages, cursor = [], 0, None
        while True:
            result = d.mcp("tools/list", {"cursor": cursor} if cursor is not None else {}).json["result"]
            assert len(result["tools"]) <= 2, result
            whole += [tool["name"] for tool in result["tools"]]
            pages += 1
            if "nextCursor" not in result:
                break
            cursor = result["nextCursor"]
            assert cursor, "an empty cursor"
        same(whole, sorted(whole), "order")
        same(len(whole), len(set(whole)), "number of tools")
        assert pages > 2, pages
        same(d.tools(), whole, "the second time")
        for bad in ("", "nonsense!", "ZWNobw==", 3, None, [], "\u0000"):
            refused(d.mcp("tools/list", {"cursor": bad}), 200, -32602)


# ---- what comes before the answer


def test_progress():
    with Daemon(plugins=["slow_echo"]) as d:
        for token in ("p", 7, 2**53 - 1):
            with modern_stream(d, "tools/call", slow(20, "x"), {"progressToken": token}, id="c") as stream:
                same((stream.status, stream.type), (200, "text/event-stream"))
                *told, last = stream.messages()
            same({m["method"] for m in told}, {"notifications/progress"})
            same({json.dumps(m["params"]["progressToken"]) for m in told}, {json.dumps(token)})
            steps = [m["params"]["progress"] for m in told]
            same(steps, sorted(set(steps)), "progress")
            same((last["id"], last["result"]["resultType"]), ("c", "complete"))
        plain = d.mcp("tools/call", slow(20, "x"))
        same(plain.headers["content-type"], "application/json", "without a token")
        deaf = d.mcp("tools/call", slow(20), {"Accept": "application/json"}, {"progressToken": 1})
        same(deaf.headers["content-type"], "application/json", "to one that takes no events")


def test_log():
    with Daemon(plugins=["wire"]) as d:
        same(d.mcp("tools/call", {"name": "logs"}).headers["content-type"], "application/json")
        with modern_stream(d, "tools/call", {"name": "logs"}, {META + "logLevel": "warning"}) as stream:
            *told, last = stream.messages()
        same([(m["method"], m["params"]) for m in told], [
            ("notifications/message", {"level": "warning", "logger": "logs", "data": "a warning"}),
            ("notifications/message", {"level": "error", "logger": "logs", "data": "an error"})])
        same(last["result"]["content"][0]["text"], "logged")


def test_trace_context():
    with Daemon(plugins=["wire"]) as d:
        def sent(**meta):
            return json.loads(d.call("sent", meta=meta).text or "{}")

        same(sent(), {})
        same(sent(traceparent=PARENT, tracestate="a=b"), {"traceparent": PARENT, "tracestate": "a=b"})
        same(sent(traceparent="00-0", tracestate="a=b"), {})


def test_a_client_that_leaves_cancels():
    with Daemon(plugins=["slow_echo"]) as d:
        with modern_stream(d, "tools/call", slow(60_000), {"progressToken": "p"}) as stream:
            same(stream.message()["method"], "notifications/progress")
        d.wait_log("tool_call_failed", lambda e: e.get("code") == "tool_cancelled")


# ---- subscriptions


def listen(d, id, **wishes):
    stream = modern_stream(d, "subscriptions/listen", {"notifications": wishes}, id=id)
    same((stream.status, stream.type), (200, "text/event-stream"))
    return stream


def test_listen():
    with Daemon(plugins=["echo"]) as d:
        with listen(d, "s", toolsListChanged=True) as a, listen(d, 17, toolsListChanged=True) as b, \
                listen(d, 18, somethingElse=True) as nothing:
            for stream, id, wishes in ((a, "s", {"toolsListChanged": True}), (b, 17, {"toolsListChanged": True}),
                                       (nothing, 18, {})):
                same(stream.message(), {
                    "jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged",
                    "params": {"notifications": wishes, "_meta": {ID: id}}})
            d.add("hash")
            for stream, id in ((a, "s"), (b, 17)):
                same(stream.message(), {"jsonrpc": "2.0", "method": "notifications/tools/list_changed",
                                        "params": {"_meta": {ID: id}}})
            d.stop()
            last = a.messages()[-1]
            same((last["id"], last["result"]["resultType"], last["result"]["_meta"][ID]), ("s", "complete", "s"))
            ends = nothing.messages()
            same([m["id"] for m in ends], [18], "all it heard")


def test_listen_without_events():
    with Daemon(plugins=["echo"]) as d:
        params = {"notifications": {"toolsListChanged": True}}
        same(d.mcp("subscriptions/listen", params, {"Accept": "application/json"}).status, 406)


if __name__ == "__main__":
    main()
