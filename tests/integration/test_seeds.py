#!/usr/bin/env python3
"""What the systems that toolhost behaves like say of a whole: the life of a tool, its parts, what its author is promised."""

import concurrent.futures
import json
import re

from harness import PATIENCE, Daemon, installed, main, plugin_file, run, same, wait_for
from test_builders import ACME, caller
from test_http import Server
from test_sessions import Listener, begin, call, talking, tell


def custom(**feature):
    return Daemon(plugins=["custom"], tenants={"default": {"features": {"custom": feature}}})


def test_S0_1_S0_2_a_life_in_six_stages():
    with Daemon(plugins=["request_transfer"], tenants={"acme-corp": ACME}) as d:
        acme = caller(d, "acme-corp")
        session = begin(acme, call_id="rtc_1")
        same(call(acme, session, "request_transfer", {"destination_id": "sales"}, call_id="fc_1").status, 200)
        d.wait_log("tool_executor_execute_finished")
        seen = [e["event"] for e in d.lines]
        stages = ("tenant_loaded",  # configuration
                  "tool_build_started", "tool_builder_refer_tool_definition_built", "tool_build_finished",  # building
                  "session_started",  # session setup
                  "tool_invocation_scheduled",  # invocation, by the dispatcher
                  "tool_executor_execute_started", "request_transfer_started",  # execution, and the tool itself
                  "tool_executor_execute_finished")  # response
        at = [seen.index(name) for name in stages]
        same(at, sorted(at), seen)


def test_S0_32_S0_45_what_an_invocation_carries():
    with talking(call_id="rtc_1") as (d, session, events):
        tell(d, session, type="response.function_call_arguments.done", call_id="fc_1", name="echo",
             arguments='{"text":"hi"}', response_id="resp_1", item_id="item_1")
        events.event("tool_call_started")
        answer = events.event("tool_call_output")
        same((answer["call_id"], answer["response_id"], answer["item_id"]), ("fc_1", "resp_1", "item_1"))
        assert "hi" in answer["output"], answer
        started = d.wait_log("tool_executor_execute_started")
        expected = {"tenant_id": "default", "openai_sip_call_id": "rtc_1", "function_call_id": "fc_1", "tool_name": "echo",
                    "response_id": "resp_1", "item_id": "item_1"}
        same({name: started[name] for name in expected}, expected)


def test_S0_9_a_model_may_choose_among_the_tools_there_are():
    with custom(enabled=True) as d:
        same(d.http("GET", "/v1/tools?format=openai-realtime").json["tool_choice"], "auto")
    with custom(enabled=False) as d:
        same(d.http("GET", "/v1/tools?format=openai-realtime").json["tool_choice"], "none")


def test_S0_37_a_session_knows_what_is_pending_and_what_was_executed():
    with talking() as (d, session, events):
        tell(d, session, type="tool_call", call_id="one", name="slow_echo", arguments={"ms": 20000}, response_id="r")
        events.event("tool_call_started")
        state = d.http("GET", f"/v1/sessions/{session}").json
        same(([c["call_id"] for c in state["calls"]], state["executed"]), (["one"], 0))
        d.http("POST", f"/v1/sessions/{session}/interrupt", {"response_id": "r"})
        while events.next()[1]["type"] != "tool_call_output":
            pass
        state = d.http("GET", f"/v1/sessions/{session}").json
        same(([c["call_id"] for c in state["calls"]], state["executed"]), ([], 1))


def test_S0_42_calls_of_two_sessions_share_nothing():
    with talking() as (d, session, events):
        other = begin(d)
        for where, text in ((session, "here"), (other, "there")):
            same(call(d, where, "echo", {"text": text}, call_id="same").json["output"], '{"result":"%s"}' % text)
        same([d.http("GET", f"/v1/sessions/{s}").json["executed"] for s in (session, other)], [1, 1])


def test_S0_43_a_tool_that_is_registered_again_takes_the_old_one_s_place():
    with Daemon(plugins=["greeter"], tenants={"one": {"features": {"greet": {"words": ["moin"]}}}}) as d:
        one = caller(d, "one")
        same(call(one, begin(one), "greet_moin").json["output"], '{"result":"moin to one"}')
        d.tenant("one", {"features": {"greet": {"words": ["servus", "moin"]}}})
        wait_for(lambda: len(one.http("GET", "/v1/tools").json["tools"]) == 2, what="the new tools")
        same(call(one, begin(one), "greet_moin").json["output"], '{"result":"moin to one"}')
        same(call(one, begin(one), "greet_hi").json["error"], "tool_not_found")


def test_S0_44_a_call_always_has_a_result():
    with Daemon(plugins=["echo", "null_deref"]) as d:
        session = begin(d)
        rows = (("null_deref", {}, "tool_crashed"), ("nobody", {}, "tool_not_found"), ("echo", {}, "tool_args_invalid"))
        for name, arguments, error in rows:
            answer = call(d, session, name, arguments).json
            same((answer["ok"], answer["error"], json.loads(answer["output"])["error"]), (False, error, error), name)
        same(call(d, session, "echo", {"text": "lives"}).json["output"], '{"result":"lives"}')


def test_S0_46_S0_49_the_tool_is_looked_up_before_its_arguments_are_read():
    with talking() as (d, session, events):
        for bad in ('{"text":', "[1]", "3"):
            for name, error in (("echo", "tool_args_parse_error"), ("nobody", "tool_not_found")):
                tell(d, session, type="tool_call", call_id=f"{name} {bad}", name=name, arguments=bad)
                events.event("tool_call_started")
                answer = events.event("tool_call_output")
                same((answer["ok"], answer["error"]), (False, error), bad)
                if name == "echo":
                    same(answer["output"], '{"ok":false,"error":"tool_args_parse_error","tool":"echo",'
                                           '"message":"Tool arguments could not be parsed."}', bad)


def test_S0_52_a_tool_gets_arguments_call_and_only_what_it_was_given():
    with custom(enabled=True) as d:
        session = begin(d, call_id="rtc_1")
        same(call(d, session, "custom_tool", {"param1": "who"}).json["output"], '{"service":null}')
        same(call(d, session, "custom_tool", {"param1": "four"}).json["output"], '{"result":4}')


def test_S0_68_a_tool_as_the_recipe_has_it():
    with custom(enabled=True) as d:
        session = begin(d)
        definition = d.http("GET", "/v1/tools").json["tools"][0]
        same(definition["inputSchema"]["required"], ["param1"])
        rows = (({"param1": ""}, False, "missing_param", '{"error":"param1 is required"}'),
                ({"param1": "raise"}, False, "execution_failed", '{"error":"it was told to"}'),
                ({"param1": "four"}, True, None, '{"result":4}'))
        for arguments, ok, error, output in rows:
            answer = call(d, session, "custom_tool", arguments).json
            same((answer["ok"], answer.get("error"), answer["output"]), (ok, error, output), arguments)
    with custom(enabled=False) as d:
        same(d.tools(), [])
        assert d.wait_log("tool_builder_phase_no_tool", lambda e: e["builder"] == "custom")


def test_S0_69_a_tool_that_waits_for_a_server_ends_in_time():
    with Server() as s:
        policy = {"permissions": {"http": [{"url": s.url + "/*", "private": True}]}, "limits": {"max_time": "500ms"}}
        with Daemon(plugins=["courier"], policies={"courier": policy}) as d:
            answer = d.rest("courier", {"url": s.url + "/never"})
            same(answer.code, "tool_timeout")
            assert answer.body["usage"]["daemon"]["wall_us"] < 5e6 * PATIENCE, answer
            assert "toolhost_http_open 0" in d.http("GET", "/metrics").body.decode(), "the request goes on"


def test_S0_70_calls_outcomes_and_times_are_counted():
    with custom(enabled=True) as d:
        for param1 in ("a", "b", "", "raise"):
            d.rest("custom_tool", {"param1": param1})
        d.rest("custom_tool", {})
        text = d.http("GET", "/metrics").body.decode()
        counts = dict(re.findall(r'^toolhost_calls_total\{plugin="custom",tool="custom_tool",outcome="([a-z_]+)"\} (\d+)', text, re.M))
        same(counts.pop("ok"), "2")
        same(counts.pop("tool_args_invalid"), "1")
        same(sum(map(int, counts.values())), 2, counts)
        assert 'toolhost_call_seconds_count{plugin="custom",tool="custom_tool",stage="total"} 4' in text, "what ran"


def test_S0_71_tools_are_tried_alone_with_bad_arguments_and_at_once():
    status, said, _ = run(installed("bin/toolhost"), "call", "--plugin", plugin_file("echo"), "echo", '{"text":"alone"}')
    same((status, "alone" in said), (0, True))
    with custom(enabled=True) as d:
        for bad in ({}, {"param1": 1}, {"param1": None}, {"param1": "x", "ms": -1}):
            same(d.rest("custom_tool", bad).code, "tool_args_invalid", bad)
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            asked = [pool.submit(d.rest, "custom_tool", {"param1": "x" * n, "ms": 50}) for n in range(1, 9)]
            same([answer.result().body["structured"]["result"] for answer in asked], list(range(1, 9)))


# ---- voice agents

def test_S4_1_what_a_function_says_of_itself_is_its_definition():
    with custom(enabled=True) as d:
        tool = d.http("GET", "/v1/tools?format=openai-realtime").json["tools"][0]
        same((tool["name"], tool["description"]), ("custom_tool", "Says how long param1 is."))
        same(tool["parameters"]["properties"]["param1"], {"type": "string", "description": "The first parameter"})
        same(tool["parameters"]["required"], ["param1"])


def test_S4_2_the_context_is_no_parameter():
    with Daemon(plugins=["greeter"], tenants={"one": {"features": {"greet": {"words": ["moin"]}}}}) as d:
        one = caller(d, "one")
        tool = one.http("GET", "/v1/tools").json["tools"][0]
        same(tool["inputSchema"], {"type": "object", "additionalProperties": False})
        same(call(one, begin(one), "greet_moin").json["output"], '{"result":"moin to one"}')  # it knows whose call it is


def test_S4_3_tools_give_their_results_to_the_model_unless_they_say_otherwise():
    with talking() as (d, session, events):
        kinds = {tool["name"]: (tool.get("_meta") or {}) for tool in d.http("GET", "/v1/tools").json["tools"]}
        assert {"echo", "say", "sales"} <= set(kinds), kinds
        plain = call(d, session, "echo", {"text": "hi"}).json
        same((plain["output"], plain["respond"]), ('{"result":"hi"}', True))
        passed = call(d, session, "say", {"text": "hi"}).json
        same((passed["output"], passed["respond"]), ('"success"', False))
        handed = call(d, session, "sales").json
        same((handed["output"], handed["respond"]), ('"success"', False))
        same(d.http("GET", f"/v1/sessions/{session}").json["active"], "sales")


if __name__ == "__main__":
    main()
