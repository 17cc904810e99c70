#!/usr/bin/env python3
"""What frameworks of agents expect of a tool: its definition, its arguments, its result, and that it holds up no other."""

import json

from harness import Daemon, in_background, installed, main, plugin_file, run, same, wait_for

TOOLHOST = installed("bin/toolhost")


def told(d, arguments):
    """The arguments that the tool says it has, or the code of its failure and the pointers of what was wrong."""
    answer = d.rest("told", arguments)
    if answer.status == 200:
        return answer.body["structured"]
    return answer.code, [p["instancePath"] for p in answer.body["error"].get("problems", [])]


# ---- the definition

def test_S3_6_U3_3_a_definition_as_the_wire_has_it():
    with Daemon(plugins=["told"]) as d:
        spec = {t["function"]["name"]: t for t in d.http("GET", "/v1/tools?format=openai-chat").json["tools"]}["told"]
        same(spec["type"], "function")
        same(set(spec["function"]), {"name", "description", "parameters", "strict"})
        same(spec["function"]["parameters"]["required"], ["query"])


def test_S3_3_S3_8_S3_11_A3_1_a_schema_of_arguments_and_one_function_are_enough():
    with Daemon(plugins=["told"]) as d:
        shown = {t["name"]: t for t in d.http("GET", "/v1/tools").json["tools"]}["told"]
        same(shown["inputSchema"]["properties"]["num_results"]["default"], 10)
        same(told(d, {"query": "x"}), {"num_results": 10, "arguments": {"query": "x"}})


def test_S3_7_A3_6_a_strict_tool_with_an_optional_argument_is_not_served():
    sentence = ("/inputSchema/properties/a: is optional, and a strict tool has no optional arguments: "
                'name it in "required", or say "strict": "auto" or false')
    with Daemon(plugins=["told"]) as d:
        given = {t["name"]: t["strict"] for t in d.http("GET", "/v1/tools?format=openai").json["tools"]}
        same(given, {"told": False, "exact": True, "parts": False})
        same(d.rest("inexact", {}).code, "tool_not_found")
    status, out, err = run(TOOLHOST, "check", plugin_file("told"))
    assert status != 0, out
    same(json.loads(out)["findings"][0]["message"], "tool inexact: " + sentence)
    findings = next(t["findings"] for t in json.loads(out)["tools"] if t["name"] == "told")
    note = next(f for f in findings if f["pointer"] == "/toolhost/strict")
    assert note["message"].startswith('"auto" is off: /inputSchema/properties/num_results: is optional'), note


def test_U3_3_a_name_is_one_tool_s():
    with Daemon(plugins=["told"]) as d:
        d.add("told", name="zold")
        refused = d.wait_log("tool_name_conflict")
        same(refused["plugin"], "zold")
        for name in ("told", "exact", "parts"):  # each one that is twice, and who has it
            assert f"{name}: plugin told has a tool of this name already" in refused["why"], refused
        same(d.tools(), ["exact", "parts", "told"])  # those of the first stay, once each
        same(told(d, {"query": "x"})["num_results"], 10)


# ---- arguments

def test_T3_14_a_schema_as_its_author_has_written_it():
    with Daemon(plugins=["told"]) as d:
        shown = {t["name"]: t for t in d.mcp("tools/list").json["result"]["tools"]}["told"]
        schema = shown["inputSchema"]
        same((shown["description"], schema["properties"]["query"]),
             ("Says which arguments it has.", {"type": "string", "description": "What to look for"}),
             "T3-14.3 members have their descriptions")
        same((set(schema["properties"]), schema["required"]), ({"query", "num_results", "note", "order", "ms"}, ["query"]),
             "T3-14.4 all of it is there")
        same((schema["additionalProperties"], schema["properties"]["order"]["x-shown"]), (False, "small"),
             "T3-14.8 also what only its author knows")
        same(told(d, {"query": "x", "num_results": 3}), {"num_results": 3, "arguments": {"query": "x", "num_results": 3}},
             "T3-14.5 arguments are an object of its members")
        answer = d.mcp("tools/call", {"name": "told", "arguments": {"query": "x", "num_results": 3}}).json["result"]
        same(answer["structuredContent"]["num_results"], 3, "T3-14.10 over MCP as well")


def test_T3_14_6_U3_2_missing_required():
    with Daemon(plugins=["told"]) as d:
        same(told(d, {}), ("tool_args_invalid", ["/query"]))


def test_T3_14_7_U3_2_invalid_type():
    with Daemon(plugins=["told"], config={"repair": "off"}) as d:
        rows = [({"query": 5}, ["/query"]), ({"query": "x", "num_results": "ten"}, ["/num_results"]),
                ({"query": "x", "num_results": True}, ["/num_results"]),  # a bool is no integer
                ({"query": "x", "num_results": 1.5}, ["/num_results"]),
                ({"query": "x", "note": 1}, ["/note"]),  # none of a list of types
                ({"query": None}, ["/query"])]
        for arguments, pointers in rows:
            same(told(d, arguments), ("tool_args_invalid", pointers), arguments)


def test_U3_2_no_other_members_and_only_the_choices():
    with Daemon(plugins=["told"], config={"repair": "off"}) as d:
        same(told(d, {"query": "x", "extra": 1}), ("tool_args_invalid", ["/extra"]))
        same(told(d, {"query": "x", "order": "size"}), ("tool_args_invalid", ["/order"]))
        same(told(d, {"query": "x", "order": "date"})["arguments"], {"query": "x", "order": "date"})


def test_T3_14_15_U3_2_an_explicit_null_is_kept():
    with Daemon(plugins=["told"]) as d:
        same(told(d, {"query": "x", "note": None})["arguments"], {"query": "x", "note": None})
        same(told(d, {"query": "x", "note": "n"})["arguments"], {"query": "x", "note": "n"})


def test_T3_14_17_U3_2_an_omitted_optional_has_its_default():
    with Daemon(plugins=["told"]) as d:
        same(told(d, {"query": "x"})["num_results"], 10)
        same(told(d, {"query": "x", "num_results": 3})["num_results"], 3)


def test_U3_6_arguments_that_are_no_object_are_refused_and_none_are_an_empty_one():
    with Daemon(plugins=["told", "echo"]) as d:
        call = lambda tool, text: d.http("POST", f"/v1/tools/{tool}/call", {"arguments": text})
        for bad in ("just words", "[1]", "7", "true", '"words"'):
            same(call("told", bad).error, "tool_args_parse_error", bad)
        same(call("parts", "").status, 200)
        same(d.http("POST", "/v1/tools/parts/call", {}).status, 200)
        same(call("told", '{"query":"x"}').json["structured"]["arguments"], {"query": "x"})


def test_T3_14_12_a_tool_that_waits_gives_its_result_when_it_has_it():
    with Daemon(plugins=["told"]) as d:
        same(told(d, {"query": "x", "ms": 50}), {"num_results": 10, "arguments": {"query": "x", "ms": 50}})


def test_T3_14_14_tools_of_one_plugin_share_what_it_keeps():
    with Daemon(plugins=["shelf"]) as d:
        books = lambda: len(d.mcp("resources/list").json["result"]["resources"])
        for count in (3, 1):
            same(d.rest("put_books", {"count": count}).status, 200)
            wait_for(lambda: books() == count, what="what another offer of the plugin sees")


def test_T3_14_18_a_slow_tool_does_not_hold_up_the_loop():
    with Daemon(plugins=["told", "echo"]) as d:
        slow = in_background(d.rest, "told", {"query": "slow", "ms": 60000}, call_id="slow")
        wait_for(lambda: d.http("GET", "/v1/calls/slow").status == 200, what="a call that runs")
        for _ in range(20):
            same(d.rest("echo", {"text": "hi"}).status, 200)
            same(told(d, {"query": "quick"})["num_results"], 10)
        same(d.http("DELETE", "/v1/calls/slow").status, 204)
        same(slow().code, "tool_cancelled")


if __name__ == "__main__":
    main()
