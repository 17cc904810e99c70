#!/usr/bin/env python3
"""Which tools a caller is shown: some of them, those it looks for, and page by page while they change."""

import json

from harness import Daemon, installed, main, run, same
from mcp_wire import Session

SEARCH, DESCRIBE = "toolhost_search_tools", "toolhost_describe_tool"


def at(d, query, method, params=None):
    """A request of 2026-07-28 to /mcp with a query."""
    was = d.http
    d.http = lambda verb, path, *more: was(verb, path + query, *more)
    try:
        return d.mcp(method, params)
    finally:
        d.http = was


def listed(d, query, **params):
    return [tool["name"] for tool in at(d, query, "tools/list", params).json["result"]["tools"]]


def call(d, shown, tool, /, **arguments):
    return at(d, shown, "tools/call", {"name": tool, "arguments": arguments}).json


def text(answer):
    return answer["result"]["content"][0]["text"]


def test_some_tools():
    with Daemon(plugins=["echo", "calculator", "hash", "large"]) as d:
        every = d.tools()
        assert {"echo", "calculator", "hash"} <= set(every), every
        same(listed(d, "?tools=calc*,echo"), ["calculator", "echo"])
        same(listed(d, "?plugins=hash"), [name for name in every if name.startswith("hash")])
        same(listed(d, "?tools=none"), [])
        same(listed(d, "?tags=none"), [])
        same(listed(d, "?tags=none,big"), ["large"])
        same(listed(d, "?tags=big&plugins=hash"), [])
        same(listed(d, "?tools=*"), every)
        same(text(call(d, "?tools=calc*,echo", "echo", text="x")), "x")
        same(call(d, "?tools=calc*", "echo", text="x")["error"]["code"], -32602)
        names = [tool["name"] for tool in d.http("GET", "/v1/tools?tools=calc*,echo").json["tools"]]
        same(names, ["calculator", "echo"])
        same([tool["name"] for tool in d.http("GET", "/v1/tools").json["tools"]], every)
        body = {"arguments": {"text": "x"}}
        same(d.http("POST", "/v1/tools/echo/call?tools=calc*", body).status, 404)
        same(d.http("POST", "/v1/tools/echo/call?tools=e*", body).status, 200)


def test_as_the_configuration_says():
    listed_so = {"listed": {"tools": "e*", "disclosure": "search"}}
    with Daemon(plugins=["echo", "calculator"], config=listed_so) as d:
        same(d.tools(), [SEARCH, DESCRIBE])
        same(listed(d, "?disclosure=all"), ["echo"])
        same(listed(d, "?disclosure=all&tools=*"), ["calculator", "echo"])
        same(call(d, "", "calculator", expression="1")["error"]["code"], -32602)
    with Daemon(plugins=["echo", "calculator"], config={"listed": {"tools": "e*"}}, stdio=True) as d:
        tools = d.pipe.ask("tools/list")["result"]["tools"]
        same([tool["name"] for tool in tools], ["echo"])


def test_in_a_session():
    with Daemon(plugins=["echo", "calculator"], config={"page_size": 1}) as d:
        was = d.http
        d.http = lambda verb, path, *more: was(verb, path.replace("/mcp", "/mcp?tools=e*,cal*"), *more)
        session = Session(d)
        first = session.ask("tools/list")["result"]
        second = session.ask("tools/list", {"cursor": first["nextCursor"]})["result"]
        same([tool["name"] for tool in first["tools"] + second["tools"]], ["calculator", "echo"])
        assert "nextCursor" not in second
        d.http = was


def test_looking_for_tools():
    with Daemon(plugins=["echo", "calculator", "hash"]) as d:
        shown = "?disclosure=search"
        same(listed(d, shown), [SEARCH, DESCRIBE])
        found = text(call(d, shown, SEARCH, query="expression")).splitlines()
        assert found[0].startswith("calculator: ") and len(found[0]) < 230, found
        same(len(text(call(d, shown, SEARCH, query="text", limit=1)).splitlines()), 1)
        assert text(call(d, shown, SEARCH, query="xyzzy")).startswith("None of "), "of nothing"
        definition = text(call(d, shown, DESCRIBE, name="calculator"))
        assert '"inputSchema"' in definition and '"name":"calculator"' in definition, definition
        same(text(call(d, shown, "echo", text="x")), "x")
        for name, arguments in ((SEARCH, {}), (SEARCH, {"query": "x", "limit": 0}), (SEARCH, {"query": "x", "limit": 51}),
                                (DESCRIBE, {}), (DESCRIBE, {"name": "nothing"})):
            assert call(d, shown, name, **arguments)["result"]["isError"], (name, arguments)
        some = shown + "&tools=echo"
        assert text(call(d, some, SEARCH, query="expression")).startswith("None of 1 tools"), "of some"
        assert call(d, some, DESCRIBE, name="calculator")["result"]["isError"]
        same(call(d, "", SEARCH, query="x")["error"]["code"], -32602)
        same(at(d, "?disclosure=some", "tools/list").status, 400)


def test_what_they_cost():
    with Daemon(plugins=["echo", "calculator", "hash"]) as d:
        tools = d.mcp("tools/list").json["result"]["tools"]
        cost = d.http("GET", "/v1/tools?cost=1").json
        same([tool["name"] for tool in cost["tools"]], [tool["name"] for tool in tools])
        for tool, listed_so in zip(cost["tools"], tools):
            exact = len(json.dumps(listed_so, separators=(",", ":"), ensure_ascii=False).encode())
            same((tool["bytes"], tool["tokens"]), (exact, (exact + 3) // 4), tool["name"])
        same((cost["bytes"], cost["tokens"]),
             tuple(sum(tool[unit] for tool in cost["tools"]) for unit in ("bytes", "tokens")))
        budget = cost["tokens"] - 1
        fitting = d.http("GET", f"/v1/tools?cost=1&budget={budget}").json
        same([tool["fits"] for tool in fitting["tools"]], [True] * (len(tools) - 1) + [False])
        same((fitting["fitting"], fitting["budget"]), (len(tools) - 1, budget))
        same(d.http("GET", "/v1/tools?cost=1&budget=0").status, 400)
        same(d.http("GET", "/v1/tools?cost=1&budget=few").status, 400)

        def toolhost(*words):
            return run(installed("bin/toolhost"), "list", "--socket", str(d.socket), *words)

        same(json.loads(toolhost("--cost", "--tools", "e*")[1])["tools"],
             [tool for tool in cost["tools"] if tool["name"] == "echo"])
        same(toolhost("--names", "--tools", "e*,hash*")[1].split()[0], "echo")
        for words in (["--budget", "5"], ["--cost", "--budget", "0"], ["--cost", "--format", "openai"]):
            assert toolhost(*words)[0] != 0, words


def test_pages_while_tools_come_and_go():
    with Daemon(plugins=["echo", "calculator", "hash", "clock"], config={"page_size": 1}) as d:
        stay = [name for name in d.tools() if not name.startswith("hash")]
        for turn in range(6):
            names, cursor = [], None
            while True:
                result = d.mcp("tools/list", {"cursor": cursor} if cursor else {}).json["result"]
                names += [tool["name"] for tool in result["tools"]]
                cursor = result.get("nextCursor")
                if not cursor:
                    break
                if len(names) == 1 + turn % 3:
                    there = (d.plugin_dir / "hash.so").exists()
                    if there:
                        (d.plugin_dir / "hash.so").unlink()
                    else:
                        d.add("hash")
                    d.wait_tool("hash", present=not there, timeout=15)
            same(len(names), len(set(names)), f"no tool twice among {names}")
            same([name for name in names if name in stay], stay, "every tool that stayed")


if __name__ == "__main__":
    main()
