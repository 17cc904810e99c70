"""The toolset as each provider of models takes it, and what `toolhost check` says is lost."""

import json

from harness import Daemon, installed, main, plugin_file, run, same

TOOLHOST = installed("bin/toolhost")
REVISIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
FORMATS = ("mcp", *(f"mcp-{revision}" for revision in REVISIONS), "openai", "openai-chat", "openai-responses",
           "openai-realtime", "anthropic", "gemini", "ag-ui")
STRICT = ("openai", "openai-chat", "openai-responses", "anthropic")
# What the providers say they take in strict schemas, and what they want of objects.
TAKEN = {
    "openai": {"type", "title", "description", "enum", "const", "properties", "required", "additionalProperties", "items",
               "minItems", "maxItems", "anyOf", "$ref", "$defs", "pattern", "format", "minimum", "maximum",
               "exclusiveMinimum", "exclusiveMaximum", "multipleOf"},
    "anthropic": {"type", "title", "description", "enum", "const", "properties", "required", "additionalProperties",
                  "items", "minItems", "anyOf", "$ref", "$defs", "pattern", "format"},
}


def toolset(d, format, strict=False):
    answer = d.http("GET", f"/v1/tools?format={format}" + ("&strict=true" if strict else ""))
    same(answer.status, 200, f"{format}: {answer.body[:300]}")
    return answer.json


def declarations(answer):
    """{name: (schema, strict)} of a toolset in whichever format."""
    tools = answer["tools"]
    if tools and "functionDeclarations" in tools[0]:
        tools = tools[0]["functionDeclarations"]
    found = {}
    for tool in tools:
        one = tool.get("function", tool)
        schema = next(one[m] for m in ("parameters", "input_schema", "parametersJsonSchema", "inputSchema") if m in one)
        found[one["name"]] = (schema, one.get("strict"))
    return found


def schemas(schema):
    """A schema and all below it."""
    yield schema
    for word in ("properties", "$defs"):
        for below in schema.get(word, {}).values():
            yield from schemas(below)
    for below in schema.get("anyOf", []):
        yield from schemas(below)
    if isinstance(schema.get("items"), dict):
        yield from schemas(schema["items"])


def check_strict(provider, schema):
    for one in schemas(schema):
        same(set(one) - TAKEN[provider], set(), f"keywords {provider} does not take in {one}")
        assert {"type", "$ref", "anyOf"} & set(one), one
        if "properties" in one:
            same(one["additionalProperties"], False, f"additionalProperties of {one}")
            if provider == "openai":
                same(sorted(one["required"]), sorted(one["properties"]), "required")


def test_every_format_has_every_tool():
    with Daemon(plugins=["formats", "echo"]) as d:
        for format in FORMATS:
            answer = toolset(d, format)
            names = ["2nd_labels", "echo", "note", "search", "tree"]
            left_out = [tool["name"] for tool in answer.get("left_out", [])]
            same(sorted([*declarations(answer), *left_out]), names, format)
            same(left_out, ["2nd_labels"] if format == "gemini" else [], f"left out of {format}")
        same(toolset(d, "mcp")["tool_choice"], "auto")
        same(toolset(d, "anthropic")["tool_choice"], {"type": "auto"})
        same(toolset(d, "gemini")["tool_choice"], {"functionCallingConfig": {"mode": "AUTO"}})


def handshake(revision):
    return {"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}


def listed_over_http(d, revision):
    """What tools/list shows to a client whose handshake ended with this revision."""
    headers = {"Accept": "application/json, text/event-stream"}

    def ask(method, params):
        return d.http("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, headers)
    hello = ask("initialize", handshake(revision))
    same(hello.json["result"]["protocolVersion"], revision)
    headers |= {"Mcp-Session-Id": hello.headers["mcp-session-id"], "MCP-Protocol-Version": revision}
    return ask("tools/list", {}).json["result"]["tools"]


def test_each_revision_of_mcp_lists_its_format():
    with Daemon(plugins=["formats", "echo"]) as d:
        same(d.mcp("tools/list").json["result"]["tools"], toolset(d, "mcp")["tools"])
        for revision in REVISIONS[:2]:
            same(listed_over_http(d, revision), toolset(d, f"mcp-{revision}")["tools"])
        formats = {revision: toolset(d, f"mcp-{revision}")["tools"] for revision in REVISIONS}
        note = next(tool for tool in toolset(d, "mcp")["tools"] if tool["name"] == "note")
        same(note["inputSchema"]["properties"], {"value": True, "never": False})
    with Daemon(plugins=["formats", "echo"], stdio=True) as d:
        for revision in REVISIONS:
            d.pipe.ask("initialize", handshake(revision), modern=False)
            tools = d.pipe.ask("tools/list", modern=False)["result"]["tools"]
            same(tools, formats[revision], revision)
            note = next(tool for tool in tools if tool["name"] == "note")
            same(note["inputSchema"]["properties"], {"value": {}, "never": {"not": {}}})
            known = {"name", "description", "inputSchema"}
            known |= {"annotations"} if revision >= "2025-03-26" else set()
            known |= {"title", "outputSchema", "_meta"} if revision >= "2025-06-18" else set()
            known |= {"icons"} if revision >= "2025-11-25" else set()
            same(set(note), known, revision)


def test_strict_forms():
    with Daemon(plugins=["formats", "echo"]) as d:
        for format in STRICT:
            provider = format.split("-")[0]
            tools = declarations(toolset(d, format, strict=True))
            for name, (schema, strict) in tools.items():
                if strict:
                    check_strict(provider, schema)
            # Who can't be strict is given as it is; Anthropic takes no recursion.
            strict = {name for name, (_, strict) in tools.items() if strict}
            same(strict, {"echo", "search"} | ({"tree"} if provider == "openai" else set()), format)
        search = declarations(toolset(d, "openai", strict=True))["search"][0]
        same(search["properties"]["limit"]["type"], ["integer", "null"])
        same(search["properties"]["query"]["description"], "What to look for (at least 1, at most 200 characters)")
        same(search["$defs"]["span"]["properties"]["from"], {"type": "string", "format": "date"})


def test_what_is_enforced_stays_the_definition():
    with Daemon(plugins=["formats"]) as d:
        strict = declarations(toolset(d, "anthropic", strict=True))["search"][0]
        assert "maximum" not in strict["properties"]["limit"], strict
        assert d.call("search", {"query": "x", "limit": 50}).ok
        wrong = d.call("search", {"query": "x", "limit": 51})
        assert wrong.is_error and "/limit" in wrong.text, wrong


def test_a_change_is_seen():
    with Daemon(plugins=["echo"]) as d:
        same(list(declarations(toolset(d, "openai", strict=True))), ["echo"])
        d.add("formats")
        d.wait_log("plugin_loaded", lambda e: e.get("plugin") == "formats")
        same(len(declarations(toolset(d, "openai", strict=True))), 5)


def test_unknown_formats():
    with Daemon(plugins=["echo"]) as d:
        wrong = d.http("GET", "/v1/tools?format=klingon")
        same((wrong.status, wrong.error), (400, "bad_format"))
        for format in FORMATS:
            assert format in wrong.json["error"]["message"], wrong
        wrong = d.http("GET", "/v1/tools?format=gemini&strict=true")
        same((wrong.status, wrong.error), (400, "bad_format"))
        assert "no strict form" in wrong.json["error"]["message"], wrong


def test_list():
    with Daemon(plugins=["formats"]) as d:
        def listed(*words):
            return run(TOOLHOST, "--socket", d.socket, "list", *words)
        status, out, _ = listed("--format", "openai", "--strict")
        same((status, json.loads(out)), (0, toolset(d, "openai", strict=True)))
        same(listed("--format", "gemini", "--names")[:2], (0, "note\nsearch\ntree\n"))
        same(listed("--format", "openai-chat", "--names")[:2], (0, "2nd_labels\nnote\nsearch\ntree\n"))
        status, _, err = listed("--format", "mcp", "--strict")
        assert status == 2 and "mcp has no strict form" in err, err
        status, _, err = listed("--format", "opnai")
        assert status == 2 and "did you mean openai?" in err, err


def test_check_tells_losses():
    status, out, err = run(TOOLHOST, "check", plugin_file("formats"))
    same(status, 0, err + out)
    tools = {tool["name"]: tool["findings"] for tool in json.loads(out)["tools"]}

    def finding(tool, provider, pointer):
        return next((f for f in tools[tool] if f.get("provider") == provider and f["pointer"] == pointer), None)

    moved = finding("search", "anthropic-strict", "/inputSchema/properties/limit")
    same((moved["level"], moved["what"], moved["keyword"], moved["date"][:2]), ("note", "moved", "minimum, maximum", "20"))
    same(moved["message"], "for Anthropic strict: minimum, maximum are moved to the description")
    same(finding("search", "openai-strict", "/inputSchema/properties/query")["keyword"], "minLength, maxLength")
    assert "without strict" in finding("tree", "anthropic-strict", "/inputSchema")["message"]
    name = finding("2nd_labels", "gemini", "/name")
    same((name["level"], name["what"]), ("warning", "refused"))
    assert name["message"].endswith("it is left out there"), name
    same([f for f in tools["tree"] if f.get("provider", "").startswith("mcp")], [])


if __name__ == "__main__":
    main()
