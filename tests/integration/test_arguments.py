"""Arguments that don't fit are told one by one or mended, and results must be what was declared."""

import json

from harness import Daemon, installed, main, plugin_file, run, same

TOOLHOST = installed("bin/toolhost")
STRINGIFIED = {"filters": json.dumps({"minRating": "4"})}
MENDED = [("stringified", "/filters"), ("scalar", "/filters/minRating")]


def repairs_of(outcome):
    return [(r["rule"], r["pointer"]) for r in outcome.result["_meta"].get("toolhost/repair", [])]


def problems_of(outcome):
    return outcome.result["_meta"].get("toolhost/validation", [])


def cli(d, *words):
    return run(TOOLHOST, "--socket", d.socket, *words)


def test_the_text_for_the_model():
    with Daemon(plugins=["data_query"]) as d:
        outcome = d.call("data_query", {"limit": 500, "sort": {"order": "ascending"}, "limti": 1})
        lines = outcome.text.split("\n")
        same(outcome.is_error, True)
        same(lines[0], "data_query: 3 argument errors; nothing was executed. Correct them and call again.")
        same(len(lines), 4, outcome.text)
        for pointer in ("/limit: ", "/sort/by: ", "/limti: "):
            assert any(line.startswith("- " + pointer) for line in lines), f"no {pointer} in {outcome.text}"
        assert 'did you mean "limit"?' in outcome.text, outcome.text
        assert len(outcome.content) == 1 and outcome.structured is None, outcome


def test_the_form_for_programs():
    with Daemon(plugins=["data_query"]) as d:
        problems = problems_of(d.call("data_query", {"limit": 500}))
        same([p["instancePath"] for p in problems], ["/limit"])
        same(problems[0]["keyword"], "maximum")
        same(problems[0]["schemaPath"], "/properties/limit/maximum")
        assert {"message", "expected", "got"} <= set(problems[0]), problems
        rest = d.rest("data_query", {"limit": 500})
        same((rest.status, rest.code), (422, "tool_args_invalid"))
        same(rest.body["error"]["problems"], problems)


def test_many_errors_stay_short():
    with Daemon(plugins=["data_query"]) as d:
        outcome = d.call("data_query", {f"unknown_{i:02}_{'x' * 200}": i for i in range(60)})
        assert len(outcome.text.encode()) <= 2048, len(outcome.text)
        assert outcome.text.splitlines()[-1].startswith("and "), outcome.text
        assert len(problems_of(outcome)) <= 10


def test_what_a_tool_itself_refuses_has_the_same_shape():
    with Daemon(plugins=["hash"]) as d:
        outcome = d.call("hash", {"base64": "!", "text": "both"})
        assert outcome.text.startswith("hash: 2 argument errors; nothing was executed."), outcome
        assert "\n- arguments: expected exactly one of" in outcome.text, outcome
        same({p["instancePath"] for p in problems_of(outcome)}, {"", "/base64"})


def test_no_arguments_are_an_empty_object():
    with Daemon(plugins=["data_query"]) as d:
        answer = d.mcp("tools/call", {"name": "data_query"})
        same(answer.json["result"]["structuredContent"]["matches"], 24)
        same(d.http("POST", "/v1/tools/data_query/call").json["structured"]["matches"], 24)


def test_safe_repair_says_what_it_mended():
    with Daemon(plugins=["data_query"]) as d:
        outcome = d.call("data_query", STRINGIFIED)
        same((outcome.ok, outcome.structured["matches"]), (True, 18))
        same(repairs_of(outcome), MENDED)
        same(len(outcome.content), 1, "the result is the tool's, nothing is put into it")
        rest = d.rest("data_query", STRINGIFIED, call_id="mended")
        same([(r["rule"], r["pointer"]) for r in rest.body["repairs"]], MENDED)
        line = d.wait_log("tool_args_repaired", lambda e: e.get("call") == "mended")
        same((line["level"], line["repairs"]), ("info", "stringified /filters, scalar /filters/minRating"))
        metrics = d.http("GET", "/metrics").body.decode()
        assert 'toolhost_repairs_total{plugin="data_query",tool="data_query",rule="scalar"} 2\n' in metrics, metrics
        good = d.call("data_query", {"filters": {"minRating": 4}})
        assert "toolhost/repair" not in good.result["_meta"], good


def test_the_command_line_says_what_was_mended():
    with Daemon(plugins=["data_query"]) as d:
        status, out, err = cli(d, "call", "data_query", json.dumps(STRINGIFIED))
        same((status, out.splitlines()[0]), (0, "18 of 24 rows match"), err)
        assert "mended /filters (stringified): " in err and "mended /filters/minRating (scalar): " in err, err
        status, out, err = cli(d, "call", "data_query", json.dumps(STRINGIFIED), "--json")
        same((status, err, len(json.loads(out)["repairs"])), (0, "", 2))


def test_without_repair_every_place_is_named():
    with Daemon(plugins=["data_query"], config={"repair": "off"}) as d:
        outcome = d.call("data_query", STRINGIFIED)
        same(outcome.is_error, True)
        same([p["instancePath"] for p in problems_of(outcome)], ["/filters", "/filters/minRating"])
        status, out, err = cli(d, "call", "data_query", json.dumps(STRINGIFIED))
        assert status != 0 and "\n- /filters: " in err and "\n- /filters/minRating: " in err, err


def test_a_tools_own_setting_wins():
    off = {"tools": {"data_query": {"repair": "off"}}}
    with Daemon(plugins=["data_query"], policies={"data_query": off}) as d:
        same(d.rest("data_query", STRINGIFIED).code, "tool_args_invalid")
        d.policy("data_query", {"tools": {"data_query": {"repair": "lenient"}}})
        same(cli(d, "reload")[0], 0)
        d.wait_log("plugin_loaded", after=1)
        d.wait_tool("data_query")
        same(d.rest("data_query", {"limt": 3}).body["structured"]["matches"], 24, "a misspelt name")


def test_the_setting_of_the_daemon_is_reloaded():
    with Daemon(plugins=["data_query"], config={"repair": "off"}) as d:
        same(d.rest("data_query", STRINGIFIED).code, "tool_args_invalid")
        d.write_config({"repair": "safe"})
        same(cli(d, "reload")[0], 0)
        same(d.rest("data_query", STRINGIFIED).status, 200)


def test_a_policy_for_a_tool_that_is_not_there():
    with Daemon(plugins=["echo"], policies={"echo": {"tools": {"ecko": {"repair": "off"}}}}) as d:
        same(d.wait_log("policy_of_unknown_tool")["tool"], "ecko")


def test_text_of_a_model():
    """function.arguments as a provider hands it on; JSON of MCP's wire is never mended."""
    with Daemon(plugins=["data_query"]) as d:
        for text, rules in (('{"limit":3}', None), ('{"limit":3,}', ["syntax"]), ('{"limit":"3",}', ["syntax", "scalar"]),
                            ("```json\n{\"limit\": 3}\n```", ["syntax"]), ("", None)):
            body = d.rest("data_query", text).body
            assert body["ok"], (text, body)
            same([r["rule"] for r in body["repairs"]] if "repairs" in body else None, rules, text)
        same(d.rest("data_query", "no JSON at all: ]").code, "tool_args_parse_error")
        for wire in ('{"limit":3}', "", None):
            same(d.mcp("tools/call", {"name": "data_query", "arguments": wire}).error, -32602)
        status, out, err = cli(d, "call", "data_query", '{"limit":1,}')
        same(status, 0, err)
        assert "mended the arguments (syntax): " in err, err
    with Daemon(plugins=["data_query"], config={"repair": "off"}) as d:
        same(d.rest("data_query", '{"limit":3}').status, 200, "a text that is JSON is no repair")
        same(d.rest("data_query", '{"limit":3,}').code, "tool_args_parse_error")


def test_text_that_is_cut_off():
    """What has arrived may be half of what was meant: only who says so has tools called with it."""
    cut = '{"filters": {"minRating": 4}, "limit": 1'
    for text in (cut, cut[:20], cut[:-2], "```json\n" + cut, '{"limit": 1, ...}'):
        with Daemon(plugins=["data_query"]) as d:
            refused = d.rest("data_query", text)
            same((refused.status, refused.code), (400, "tool_args_parse_error"), text)
            assert refused.body["error"]["message"].endswith(
                "They seem to be cut off, and nothing was executed: send them again, whole."), refused
            status, _, err = cli(d, "call", "data_query", text)
            assert status != 0 and "cut off" in err, err
            broken = d.rest("data_query", cut + "}} and more: {}")
            same(broken.code, "tool_args_parse_error")
            assert "cut off" not in broken.body["error"]["message"], broken
    with Daemon(plugins=["data_query"], config={"repair": "lenient"}) as d:
        body = d.rest("data_query", cut).body
        same((body["ok"], [r["rule"] for r in body["repairs"]]), (True, ["syntax"]), body)
        same(body["repairs"][0]["note"], "bracket closed")
        same(len(body["structured"]["rows"]), 1)


def test_empty_text_is_no_arguments():
    with Daemon(plugins=["data_query"]) as d:
        for text, rules in (("", None), (" \n", None), ('""', ["whole"]), ('" "', ["whole"])):
            body = d.rest("data_query", text).body
            same((body["ok"], body["structured"]["matches"]), (True, 24), text)
            same([r["rule"] for r in body["repairs"]] if "repairs" in body else None, rules, text)
            same(cli(d, "call", "data_query", text)[0], 0, text)
        same(cli(d, "call", "data_query", "", "--arg", "limit=1")[0], 0)
        same(run(TOOLHOST, "--socket", d.socket, "call", "data_query", "-", input="")[0], 0)
    for text in ("", '""'):
        same(run(TOOLHOST, "call", "--plugin", plugin_file("data_query"), "data_query", text)[0], 0, text)
    with Daemon(plugins=["data_query"], config={"repair": "off"}) as d:
        same(d.rest("data_query", "").body["ok"], True, "what is missing is no repair")
        same(d.rest("data_query", '""').code, "tool_args_parse_error")


def test_secrets_are_not_told():
    with Daemon(plugins=["hash"]) as d:
        outcome = d.call("hash", {"text": "x", "hmac_key": {"my": "hunter2"}})
        assert outcome.is_error and "/hmac_key" in outcome.text, outcome
        d.call("hash", {"text": 5, "hmac_key": ["hunter2"]})
        assert "hunter2" not in json.dumps(outcome.result) and not any("hunter2" in line for line in d.raw), outcome


def test_results_must_be_what_was_declared():
    with Daemon(plugins=["bad_output"]) as d:
        for value in ({"n": 1}, None, 0, False, "", {}):
            outcome = d.call("bad_output", {"give": value})
            same((outcome.ok, outcome.structured), (True, value))
        outcome = d.call("bad_output", {"give": {"n": "x", "key": "hunter2"}})
        same((outcome.is_error, outcome.structured), (True, None))
        same(outcome.result["_meta"]["toolhost/error"]["code"], "tool_output_invalid")
        same({p["instancePath"] for p in problems_of(outcome)}, {"/n", "/key"})
        assert "\n- /n: expected integer" in outcome.text and "hunter2" not in outcome.text, outcome.text
        rest = d.rest("bad_output", {"give": []})
        same((rest.status, rest.code), (502, "tool_output_invalid"))
        assert "content" not in rest.body and "structured" not in rest.body, rest
        failed = d.wait_log("tool_call_failed", lambda e: e.get("code") == "tool_output_invalid")
        assert failed["level"] == "error" and "/n: " in failed["message"], failed


def test_a_result_that_is_missing():
    with Daemon(plugins=["bad_output"]) as d:
        outcome = d.call("bad_output")
        same(outcome.result["_meta"]["toolhost/error"]["code"], "tool_output_invalid")
        assert "\n- result: expected a structured result, got none" in outcome.text, outcome.text
        same(d.rest("bad_output", {"fail": True}).code, "it_failed", "a tool that failed owes none")


if __name__ == "__main__":
    main()
