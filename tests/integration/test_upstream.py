"""plugins/mcp: tools of other MCP servers as ours, over standard input and output and over HTTP, of both eras."""

import http.server
import json
import os
import pathlib
import shutil
import tempfile
import threading
import time

import upstream_server
from harness import Daemon, SANITIZER, SOURCE, Skip, comment, in_background, main, same, wait_for
from test_process import with_words

PYTHON = "/usr/bin/python3"
REQUIRE = ["no-network", "no-foreign-files", "no-foreign-signals", "kill-tree"]


class Place:
    """A folder with the server, which its sandbox may read."""

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="toolhost-upstream."))
        self.folder.chmod(0o755)
        shutil.copy(upstream_server.__file__, self.folder / "server.py")
        (self.folder / "server.py").chmod(0o644)
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder)

    def program(self, *words, **more):
        return {"command": [PYTHON, "-B", str(self.folder / "server.py"), *words], "read": [str(self.folder)],
                "memory": "128M", **more}


def daemon(servers, processes=None, http_grants=None, **more):
    if SANITIZER != "no" and processes:
        raise Skip("programs would inherit the limits of a sanitizer's worker")
    policy = {"permissions": {"processes": processes or {}, "http": http_grants or []}, "workers": {"ready": 1},
              "sandbox": {"require": REQUIRE}}
    return Daemon(plugins=("mcp", "echo"), policies={"mcp": policy}, config={"sandbox": {"require": REQUIRE}},
                  tenants={"default": {"features": {"mcp": {"servers": servers}}}}, **more)


def stdio(place, *words, **server):
    """A daemon in front of one program."""
    return daemon([{"name": "up", "process": "up", "prefix": "up_", **server}], {"up": place.program(*words)})


def listed(d):
    found, cursor = {}, None
    while True:
        result = d.mcp("tools/list", {"cursor": cursor} if cursor else {}).json["result"]
        found.update({tool["name"]: tool for tool in result["tools"]})
        cursor = result.get("nextCursor")
        if not cursor:
            return found


def check_tools(d):
    d.wait_tool("up_echo", timeout=20)
    tools = listed(d)
    same([name for name in tools if name.startswith("up_")],
         ["up_asks", "up_breaks", "up_crash", "up_echo", "up_environment", "up_fails", "up_get_sum", "up_get_sum_2",
          "up_hangs", "up_other", "up_parts", "up_progress", "up_waits"])
    same({key: tools["up_echo"][key] for key in upstream_server.ECHO if key != "name"},
         {key: value for key, value in upstream_server.ECHO.items() if key != "name"})
    same(tools["up_get_sum"]["outputSchema"]["required"], ["sum"])
    same(tools["up_fails"]["description"], "up_fails")


def check_calls(d):
    same(d.call("up_echo", {"text": "häl\nlo \u0000"}).text, "häl\nlo \u0000")
    same(d.call("up_get_sum", {"a": 1.5, "b": 2}).structured, {"sum": 3.5})
    content = d.call("up_parts").content
    same(content[0]["annotations"], {"priority": 0.5})
    same([(part["type"], part.get("data") or part.get("uri") or "") for part in content],
         [("text", ""), ("image", "aGk="), ("audio", "aG8="), ("resource", ""), ("resource", ""),
          ("resource_link", "test://c")])
    same([content[3]["resource"]["text"], content[4]["resource"]["blob"]], ["there", "aGk="])
    failed = d.rest("up_fails")
    same((failed.code, failed.message), ("upstream_tool_failed", "no such luck"))
    broken = d.rest("up_breaks")
    same((broken.code, broken.message), ("upstream_error", "up: no good (-32602)"))
    same(d.rest("up_other").code, "upstream_protocol")
    # what this host promises of every tool holds of theirs
    same(d.rest("up_echo", {"text": 1}).code, "tool_args_invalid")
    same(d.rest("up_echo", {"text": "a", "b": 1}).code, "tool_args_invalid")


def test_a_legacy_program():
    with Place() as place, stdio(place, "legacy") as d:
        check_tools(d)
        check_calls(d)
        same(d.call("up_asks").text, "nobody")
        same(d.wait_log("program_output", lambda e: e["program"] == "up")["text"], "server: ready")


def test_a_modern_program():
    with Place() as place, stdio(place, "modern") as d:
        check_tools(d)
        check_calls(d)


def test_a_program_that_ends_over_what_it_does_not_know():
    with Place() as place, stdio(place, "legacy", "ends_on_unknown") as d:
        check_tools(d)
        same(d.call("up_echo", {"text": "well"}).text, "well")


def test_filters_and_several_servers():
    with Place() as place:
        servers = [{"name": "one", "process": "one", "prefix": "a_", "tools": ["echo", "get*"]},
                   {"name": "two", "process": "two", "prefix": "b_", "tools": ["?arts", "nothing"], "era": "legacy"},
                   {"name": "gone", "process": "gone"}, {"name": "none", "process": "none"}]
        with daemon(servers, {"one": place.program("modern"), "two": place.program("both"),
                              "gone": place.program("legacy", "exits")}) as d:
            d.wait_tool("b_parts", timeout=30)
            same([n for n in listed(d) if n[1:2] == "_"], ["a_echo", "a_get_sum", "a_get_sum_2", "b_parts"])
            absent = {e["server"]: e["why"] for e in d.log_events("upstream_unavailable", least=2)}
            assert "status 4" in absent["gone"], absent
            assert "granted no program" in absent["none"], absent
            same(d.call("a_echo", {"text": "x"}).text, "x")


def test_progress_and_log():
    with Place() as place, stdio(place, "legacy") as d:
        d.wait_tool("up_progress", timeout=20)
        answer = d.mcp("tools/call", {"name": "up_progress", "arguments": {}}, meta={"progressToken": "p"})
        told = [m["params"] for m in answer.events if m.get("method") == "notifications/progress"]
        same([(p["progress"], p["total"], p["message"]) for p in told],
             [(1, 3, "step 1"), (2, 3, "step 2"), (3, 3, "step 3")])
        same(d.wait_log("plugin_log", lambda e: "half way" in e.get("text", ""))["text"], "up: half way")


def test_a_hanging_tool_times_out_and_its_tree_is_gone():
    with Place() as place, stdio(place, "legacy", "children", timeout=1500, grace=300) as d:
        d.wait_tool("up_hangs", timeout=20)
        at = time.monotonic()
        hung = d.rest("up_hangs")
        took = time.monotonic() - at
        assert hung.code in ("upstream_timeout", "tool_timeout") and took < 5, (hung, took)
        wait_for(lambda: not with_words("sleep\0617"), 15, "the end of its tree")
        ended = d.wait_log("program_ended", lambda e: e["program"] == "up")
        comment(f"answered after {took:.1f} s; {ended['why']}")
        wait_for(lambda: d.call("up_echo", {"text": "again"}).text == "again", 15, "the server to be back")
        same(d.call("echo", {"text": "well"}).text, "well")


def test_a_cancelled_call_leaves_the_server_alone():
    with Place() as place, stdio(place, "legacy") as d:
        d.wait_tool("up_waits", timeout=20)
        same(d.call("up_echo", {"text": "here"}).text, "here")
        before = [p["pid"] for p in programs(d)]
        calling = in_background(d.rest, "up_waits", {}, call_id="c1")
        wait_for(lambda: d.http("GET", "/v1/calls/c1").status == 200, 5, "the call")
        d.http("DELETE", "/v1/calls/c1")
        same(calling().code, "tool_cancelled")
        same(d.call("up_echo", {"text": "there"}).text, "there")
        same([p["pid"] for p in programs(d)], before)


def programs(d):
    return next(p for p in d.http("GET", "/v1/plugins").json["plugins"] if p["name"] == "mcp")["programs"]


def test_a_server_that_crashes_comes_back():
    with Place() as place, stdio(place, "modern") as d:
        d.wait_tool("up_crash", timeout=20)
        crashed = d.rest("up_crash")
        same(crashed.code, "upstream_lost")
        assert "status 3" in crashed.message, crashed.message
        same(d.rest("up_echo", {"text": "now"}).code, "upstream_unavailable")
        wait_for(lambda: d.call("up_echo", {"text": "again"}).text == "again", 15, "the server to be back")


def test_servers_that_misbehave():
    for words, code, part in ((("garbage",), None, ""), (("long",), "upstream_lost", "too long"),
                              (("lies",), "upstream_protocol", "no result"), (("flood",), "upstream_lost", "no messages"),
                              (("asks_back",), None, "")):
        with Place() as place, stdio(place, "legacy", *words, message_max=1 << 20) as d:
            d.wait_tool("up_echo", timeout=20)
            answer = d.rest("up_echo", {"text": "hello"}, timeout=60)
            same(answer.code, code, f"{words}: {answer.message}")
            assert part in (answer.message or ""), f"{words}: {answer.message}"
            same(d.call("echo", {"text": "well"}).text, "well")


def test_a_list_that_changes_is_built_anew():
    with Place() as place, stdio(place, "legacy") as d:
        d.wait_tool("up_echo", timeout=20)
        # the words of the program that says so; the next one begins without them
        d.call("up_echo", {"text": "change"})
        d.wait_log("tool_build_started", after=1, timeout=30)


# ---- over HTTP

class Http(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, era, *words):
        self.era, self.words, self.sessions, self.seen = era, words, {}, []
        self.modern = upstream_server.Server(era, words)
        self.hang = threading.Event()
        super().__init__(("127.0.0.1", 0), Answers)
        threading.Thread(target=self.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server_port}/mcp"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.hang.set()
        self.shutdown()
        self.server_close()


class Answers(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def send(self, status, body=b"", kind="application/json", **headers):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server = self.server
        server.seen.append((body, {k.lower(): v for k, v in self.headers.items()}))
        if server.words and server.words[0].isdigit():
            return self.send(int(server.words[0]))
        modern = "io.modelcontextprotocol/protocolVersion" in str(body.get("params"))
        if server.era == "legacy" and not modern:
            return self.legacy(body)
        said = []
        peer = upstream_server.Server(server.era, server.words, said.append)
        return self.give(peer, body, said, modern)

    def legacy(self, body):
        server, session = self.server, self.headers.get("Mcp-Session-Id")
        if body.get("method") == "initialize":
            session = f"s{len(server.sessions)}"
            server.sessions[session] = True
        elif session not in server.sessions:
            return self.send(404 if session else 400)
        said = []
        return self.give(upstream_server.Server("legacy", server.words, said.append), body, said, False,
                         Mcp_Session_Id=session)

    def give(self, peer, body, said, modern, **headers):
        answer = peer.handle(body)
        if "id" not in body:
            return self.send(202)
        if answer is None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            self.wfile.write(b": waiting\n\n")
            self.server.hang.wait(60)
            self.close_connection = True
            return None
        if modern and answer.get("error", {}).get("code") == -32601:
            return self.send(404, json.dumps(answer).encode())
        if not said:
            return self.send(200, json.dumps(answer).encode(), **headers)
        stream = "".join(f"event: message\ndata: {json.dumps(m)}\n\n" for m in (*said, answer))
        return self.send(200, stream.encode(), "text/event-stream", **headers)


def over_http(server, **more):
    grant = {"url": f"http://127.0.0.1:{server.server_port}/*", "private": True, "methods": ["POST", "GET"],
             "headers": {"Authorization": "Bearer abc"}}
    return daemon([{"name": "up", "url": server.url, "prefix": "up_", **more}], http_grants=[grant])


def test_a_modern_server_over_http():
    with Http("modern") as server, over_http(server, headers={"X-Own": "yes"}) as d:
        check_tools(d)
        check_calls(d)
        body, headers = next((b, h) for b, h in server.seen if b["method"] == "tools/call")
        same([headers[name] for name in ("mcp-protocol-version", "mcp-method", "mcp-name", "authorization", "x-own")],
             ["2026-07-28", "tools/call", "echo", "Bearer abc", "yes"])
        assert body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] == "2026-07-28"
        answer = d.mcp("tools/call", {"name": "up_progress", "arguments": {}}, meta={"progressToken": "p"})
        told = [m["params"]["message"] for m in answer.events if m.get("method") == "notifications/progress"]
        same(told, ["step 1", "step 2", "step 3"])
        same(set(body["params"]["_meta"]) & {"traceparent", "tracestate"}, set())
        trace = {"traceparent": f"00-{'1' * 32}-{'2' * 16}-00", "tracestate": "a=b"}
        same(d.call("up_echo", {"text": "x"}, meta=trace).text, "x")
        meta = server.seen[-1][0]["params"]["_meta"]
        same({name: meta[name] for name in trace}, trace)


def test_a_legacy_server_over_http_and_its_sessions():
    with Http("legacy") as server, over_http(server) as d:
        check_tools(d)
        check_calls(d)
        assert server.seen[-1][1]["mcp-session-id"] in server.sessions
        same(server.seen[-1][1]["mcp-protocol-version"], "2025-06-18")
        server.sessions.clear()
        same(d.call("up_echo", {"text": "new"}).text, "new")
        same(list(server.sessions), ["s0"])
        assert "notifications/initialized" in [b["method"] for b, _ in server.seen]


def test_a_server_over_http_that_hangs():
    with Http("legacy") as server, over_http(server, timeout=1500) as d:
        d.wait_tool("up_hangs", timeout=20)
        hung = d.rest("up_hangs")
        assert hung.code in ("upstream_timeout", "tool_timeout"), hung
        wait_for(lambda: "notifications/cancelled" in [b["method"] for b, _ in server.seen], 5, "the word of it")
        same(d.call("up_echo", {"text": "well"}).text, "well")


def test_servers_over_http_that_refuse():
    for status, part in (("401", "credentials"), ("500", "status 500"), ("302", "status 302")):
        with Http("modern", status) as server, over_http(server) as d:
            why = d.wait_log("upstream_unavailable", timeout=20)["why"]
            assert part in why, why


def test_a_server_that_comes_late_is_built_then():
    with Http("modern", "500") as server, over_http(server, retry=1000) as d:
        d.wait_log("upstream_unavailable", timeout=20)
        server.words = ()
        d.wait_tool("up_echo", timeout=30)


def test_a_question_of_the_server_reaches_the_caller():
    with Http("modern") as server, over_http(server) as d:
        d.wait_tool("up_asks", timeout=20)
        able = {"io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}}}
        first = d.mcp("tools/call", {"name": "up_asks", "arguments": {}}, meta=able).json["result"]
        same(first["resultType"], "input_required")
        (key, request), = first["inputRequests"].items()
        same(request["params"]["message"], "Who?")
        for action, content, said in (("accept", {"name": "Ada"}, "accept Ada s-1"), ("decline", None, "decline None s-1")):
            answer = {"action": action, **({"content": content} if content else {})}
            second = d.mcp("tools/call", {"name": "up_asks", "arguments": {}, "inputResponses": {key: answer},
                                          "requestState": first["requestState"]}, meta=able).json["result"]
            same(second["content"][0]["text"], said)


def test_the_examples_are_read():
    examples = SOURCE / "examples"
    with Daemon(plugins=("mcp",), policies={"mcp": (examples / "policies/mcp.json").read_text()},
                tenants={"default": (examples / "tenants/upstream.json").read_text()}) as d:
        absent = [d.wait_log("upstream_unavailable", lambda e, n=name: e["server"] == n, timeout=40)["server"]
                  for name in ("everything", "example")]
        same(absent, ["everything", "example"])
        same(d.log_events("tool_build_error"), [])


BAD = [
    ({}, "/servers: expected a list of at most 32 servers"),
    ({"servers": [1]}, "/servers/0: expected an object with a name"),
    ({"servers": [{"process": "x"}]}, "/servers/0/name: expected a name of 1 to 64"),
    ({"servers": [{"name": "a"}]}, '/servers/0: expected "process"'),
    ({"servers": [{"name": "a", "process": "x", "url": "https://x/"}]}, '/servers/0: expected "process"'),
    ({"servers": [{"name": "a", "url": "ftp://x/"}]}, "/servers/0/url: expected a URL"),
    ({"servers": [{"name": "a", "process": "x", "headers": {"A": "b"}}]}, "/servers/0/headers: expected none"),
    ({"servers": [{"name": "a", "process": "x", "prefix": "a b"}]}, "/servers/0/prefix: expected at most 32"),
    ({"servers": [{"name": "a", "process": "x", "timeout": 5}]}, "/servers/0/timeout: expected a whole number from 100"),
    ({"servers": [{"name": "a", "process": "x", "tools": "echo"}]}, "/servers/0/tools: expected a list of names"),
    ({"servers": [{"name": "a", "process": "x", "era": "old"}]}, '/servers/0/era: expected "auto"'),
    ({"servers": [{"name": "a", "process": "x", "prefx": "x"}]}, '/servers/0/prefx: there is no such member; did you mean "prefix"'),
    ({"servers": [{"name": "a", "process": "x"}, {"name": "a", "process": "x"}]}, "/servers/1/name: expected another name"),
    ({"server": []}, 'there is no member "server"'),
]


def test_what_a_tenant_may_not_say():
    with Daemon(plugins=("mcp", "echo"), tenants={"default": {}}) as d:
        for number, (feature, sentence) in enumerate(BAD):
            d.tenant(f"t{number}", {"features": {"mcp": feature}})
            said = d.wait_log("tool_build_error", lambda e: e.get("tenant_id") == f"t{number}", timeout=30)["message"]
            assert sentence in said, f"{sentence}\n{said}"


if __name__ == "__main__":
    main()
