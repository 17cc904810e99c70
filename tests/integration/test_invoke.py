#!/usr/bin/env python3
"""Tools that call other tools, and secrets that a plugin is told: what is granted, what is inherited, where it ends."""

import contextlib
import json
import os

from harness import Daemon, in_background, main, plugin_file, same, wait_for
from test_asks_rest import ADA, ask
from test_auth import Caller, new_key
from test_http import write_secret
from test_sessions import Listener, begin, call as call_in

OK, FAILED, ASKED, NOT_GRANTED, NOT_FOUND, BAD_VALUE = 0, 1000, 2000, 4000, 5000, 7000


def grant(*patterns, **more):
    return {"permissions": {"invoke": list(patterns)}, **more}


def add_relay(d, number, of="relay"):
    """Another plugin of the file, under another number; its name."""
    old = b"serial_0000" if of == "relay_serial" else b"relay_0000"
    name = old[:-4] + b"%04d" % number
    made = d.dir / "made.so"
    made.write_bytes(plugin_file(of).read_bytes().replace(old, name))
    return d.add(made, name.decode()).stem


@contextlib.contextmanager
def relays(count=1, serials=0, plugins=("echo",), policy=None, policies=None, **more):
    """relay_0000 … and serial_0000 …, which may all call what `policy` says."""
    policy = grant("*") if policy is None else policy
    names = [f"relay_{i:04}" for i in range(count)] + [f"serial_{i:04}" for i in range(serials)]
    with Daemon(plugins=plugins, policies={**{name: policy for name in names}, **(policies or {})}, **more) as d:
        for i in range(count):
            add_relay(d, i)
        for i in range(serials):
            add_relay(d, i, "relay_serial")
        for name in names:
            d.wait_tool(name, timeout=30)
        yield d


def told(answer):
    """What a relay says came of what it called: (status, result), or a list of them."""
    got = [json.loads(part["text"]) for part in answer.body["content"]]
    return [(one["status"], one["result"]) for one in got]


def one(d, tool, args="{}", by="relay_0000", **members):
    answer = d.rest(by, {"tool": tool, "args": args if isinstance(args, str) else json.dumps(args)}, **members)
    same(answer.status, 200, answer)
    return told(answer)[0]


def through(*tools, last, args):
    """Arguments of the first of these relays, so that each calls the next."""
    for tool in reversed((*tools, last)):
        args = {"tool": tool, "args": json.dumps(args)}
    return args


def test_a_tool_calls_another():
    with relays() as d:
        status, result = one(d, "echo", {"text": "hi"})
        same((status, result["is_error"], result["content"]), (OK, False, [{"type": "text", "text": "hi"}]))
        line = d.wait_log("tool_call_finished", lambda e: e["tool"] == "echo")
        outer = d.wait_log("tool_call_finished", lambda e: e["tool"] == "relay_0000")
        same((line["invoked_by"], line["front"]), (outer["call"], "rest"))
        assert "invoked_by" not in outer and line["call"] != outer["call"]


def test_a_structured_result_comes_along():
    with relays(plugins=("calculator",)) as d:
        status, result = one(d, "calculator", {"expression": "6*7"})
        same(status, OK, result)
        assert "42" in json.dumps(result.get("structured", result["content"])), result


def test_T3_11_16_only_what_is_granted():
    with relays(plugins=("echo", "calculator"), policy=grant("calc*", "nothing")) as d:
        status, result = one(d, "echo", {"text": "hi"})
        same((status, result["code"], result["is_error"]), (NOT_GRANTED, "invoke_not_granted", True))
        same(one(d, "calculator", {"expression": "1+1"})[0], OK)
        same(one(d, "calc")[0], NOT_FOUND)
        same(one(d, "nothing")[0], NOT_FOUND)
        same(one(d, "nothing2")[0], NOT_GRANTED)
    with relays(policy={}) as d:
        same(one(d, "echo", {"text": "hi"})[1]["code"], "invoke_not_granted")
        same(told(d.rest("relay_0000", {"list": []})), [(OK, [])])


def test_the_one_pipeline_checks_and_mends():
    with relays() as d:
        status, result = one(d, "echo", {"tekst": 1})
        same((status, result["code"]), (BAD_VALUE, "tool_args_invalid"))
        assert result["problems"] and "text" in result["message"], result
        same(one(d, "echo", "[1]")[1]["code"], "tool_args_parse_error")
        same(one(d, "echo", "{'text': 'single',}")[1]["content"][0]["text"], "single")


def test_what_fails_does_not_fail_the_caller():
    with relays(plugins=("echo", "fragile")) as d:
        status, result = one(d, "fragile", {"crash": True})
        same((status, result["code"]), (FAILED, "tool_crashed"))
        same(one(d, "echo", {"text": "on"})[0], OK)


def test_several_at_once_in_their_order():
    with relays(2) as d:
        calls = [{"tool": "relay_0001", "args": json.dumps({"say": "slow", "sleep": 300})},
                 {"tool": "echo", "args": json.dumps({"text": "quick"})}, {"tool": "none", "args": "{}"}]
        got = told(d.rest("relay_0000", {"calls": calls}))
        same([status for status, _ in got], [OK, OK, NOT_FOUND])
        same([result["content"][0]["text"].split()[0] for _, result in got[:2]], ["slow", "quick"])
        d.wait_log("tool_call_finished", lambda e: e["tool"] == "relay_0000")
        ended = [e["tool"] for e in d.log_events("tool_call_finished")]
        assert ended.index("echo") < ended.index("relay_0001"), ended
        same(told(d.rest("relay_0000", {"calls": [calls[1]] * 16}))[15][0], OK)
        same(told(d.rest("relay_0000", {"calls": [calls[1]] * 17}))[0], (BAD_VALUE, None))


def test_the_tools_that_may_be_called():
    with relays(2, plugins=("echo", "calculator", "clock"), policy=grant("echo", "calc*", "relay*")) as d:
        names = lambda *wanted: [t["name"] for t in told(d.rest("relay_0000", {"list": list(wanted)}))[0][1]]
        same(names(), ["calculator", "echo", "relay_0001"])
        same(names("echo", "current_time"), ["echo"])
        same(names("*a*"), ["calculator", "relay_0001"])
        tool = told(d.rest("relay_0000", {"list": ["echo"]}))[0][1][0]
        same((tool["inputSchema"]["type"], bool(tool["description"])), ("object", True))


def test_of_its_tenants_own_toolset():
    with relays(plugins=("echo", "calculator"),
                tenants={"acme": {"tools": ["relay_0000", "echo"]},
                         "other": {"tools": ["relay_0000", "calculator"]}}) as d:
        for tenant, has, lacks in (("acme", "echo", "calculator"), ("other", "calculator", "echo")):
            caller = Caller(d, new_key(d, tenant, "--tenant", tenant))
            listed = json.loads(caller.http("POST", "/v1/tools/relay_0000/call", {"arguments": {"list": []}})
                                .json["content"][0]["text"])
            same([t["name"] for t in listed["result"]], [has])
            got = caller.http("POST", "/v1/tools/relay_0000/call", {"arguments": {"tool": lacks}}).json
            same(json.loads(got["content"][0]["text"])["status"], NOT_FOUND, got)


def test_it_is_the_same_caller_in_the_same_session():
    with relays(2) as d:
        session = begin(d)
        with Listener(d, session) as events:
            answer = call_in(d, session, "relay_0000", {"tool": "relay_0001", "args": json.dumps({"say": "hello"})})
            said = json.loads(answer.json["output"])["result"]["content"][0]["text"]
            same(said, json.loads(call_in(d, session, "relay_0001", {"say": "hello"}).json["output"])["result"])
            assert said.startswith("hello in ses"), said
            same([events.next()[1]["type"] for _ in range(3)], ["tool_call_started", "output", "tool_call_output"])
        got = d.mcp("tools/call", {"name": "relay_0000", "arguments": {
            "tool": "relay_0001", "args": "{}"}}, meta={"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"})
        assert "traceparent" in got.json["result"]["content"][0]["text"], got


def test_depth_and_cycles():
    with relays(9, 1) as d:
        chain = [f"relay_{i:04}" for i in range(1, 9)]
        seven = d.rest("relay_0000", through(*chain[:7], last="echo", args={"text": "deep"}), deadline_ms=60000)
        assert "deep" in seven.body["content"][0]["text"], seven
        assert "invoke_too_deep" not in seven.body["content"][0]["text"], seven
        eight = d.rest("relay_0000", through(*chain, last="echo", args={"text": "deep"}), deadline_ms=60000)
        assert "invoke_too_deep" in eight.body["content"][0]["text"], eight
        for way in (["relay_0000"], ["relay_0001", "relay_0000"], ["serial_0000", "relay_0001", "serial_0000"]):
            got = d.rest("relay_0000", through(*way[:-1], last=way[-1], args={"say": "x"}))
            assert "invoke_cycle" in got.body["content"][0]["text"], (way, got)


def test_what_is_left_of_the_time_is_inherited():
    with relays(2, plugins=()) as d:
        got = d.rest("relay_0000", {"tool": "relay_0001", "args": '{"sleep":60000}'}, deadline_ms=700)
        # The inner one's time is over first, by less than a millisecond: its caller may still say so.
        assert got.code == "tool_timeout" or told(got)[0][1]["code"] == "tool_timeout", got
        inner = d.wait_log("tool_call_failed", lambda e: e["tool"] == "relay_0001")
        assert inner["code"] in ("tool_timeout", "tool_cancelled"), inner


def test_it_is_cancelled_with_the_outer_call():
    with relays(2, plugins=(), config={"log_level": "debug"}) as d:
        result = in_background(d.rest, "relay_0000", {"tool": "relay_0001", "args": '{"sleep":20000}'}, call_id="outer")
        d.wait_log("tool_call_started", lambda e: e["tool"] == "relay_0001")
        same(d.http("DELETE", "/v1/calls/outer").status // 100, 2)
        same(result().code, "tool_cancelled")
        inner = d.wait_log("tool_call_failed", lambda e: e["tool"] == "relay_0001")
        same((inner["code"], inner["invoked_by"]), ("tool_cancelled", "outer"))


def test_who_waits_for_another_tool_keeps_nobody_waiting():
    # Two serial plugins with one process each, which call each other at the same time: neither may have to
    # wait for the other's place.
    with relays(1, 2, plugins=()) as d:
        slow = {"tool": "relay_0000", "args": '{"sleep":300}'}
        results = [in_background(d.rest, first, {"calls": [slow, {"tool": second, "args": '{"say":"there"}'}]},
                                 deadline_ms=20000)
                   for first, second in (("serial_0000", "serial_0001"), ("serial_0001", "serial_0000"))]
        for result in results:
            same([status for status, _ in told(result(60))], [OK, OK])


def test_results_have_a_bound():
    with relays(2) as d:
        status, result = one(d, "relay_0001", {"big": 1 << 20})
        same((status, len(result["content"][0]["text"])), (OK, 1 << 20))
        status, result = one(d, "relay_0001", {"big": 5 << 20})
        same((status, result["code"]), (FAILED, "invoke_too_large"))
        two = [{"tool": "relay_0001", "args": json.dumps({"big": 3 << 20})}] * 2
        same(sorted(status for status, _ in told(d.rest("relay_0000", {"calls": two}))), [OK, FAILED])


def test_arguments_have_a_bound():
    with relays() as d:
        text = "y" * 500_000  # in eight frames
        status, result = one(d, "echo", {"text": text}, deadline_ms=20000)
        same((status, result["content"][0]["text"] == text), (OK, True))


def test_what_it_asks_is_for_the_caller_to_ask():
    with relays(plugins=("asks",)) as d:
        status, result = one(d, "greet", {"who": "it"})
        same((status, result["code"]), (ASKED, "input_required"))
        same(result["asks"]["user_name"]["kind"], "form")
        same(result["asks"]["user_name"]["params"]["message"], 'Who is "it"?')
        calls = [{"tool": "greet", "args": '{"who":"it"}', "answers": {"user_name": ADA}}]
        status, result = told(d.rest("relay_0000", {"calls": calls}))[0]
        same((status, result["content"][0]["text"]), (OK, "Hello, Ada!"))
        calls[0]["answers"] = {"user_name": {"action": "accept", "content": {"name": 7}}}
        status, result = told(d.rest("relay_0000", {"calls": calls}))[0]
        same((status, result["code"]), (FAILED, "input_invalid"))
        ask(d, "greet")  # a caller's own goes on as ever


def test_what_no_worker_would_ask_of_other_tools():
    deeds = [f"invoke_{word}" for word in ("text", "object", "none", "no_tool", "zero", "args", "answers", "many", "long",
                                           "body", "more", "number", "again")] + ["tools_text", "tools_bad"]
    with Daemon(plugins=["forged_service", "echo"], config={"max_crashes": 1000},
                policies={"forged_service": grant("echo")}) as d:
        for deed in deeds:
            wait_for(lambda: d.rest("forged_service", {"deed": "invoke"}).status == 200, what="a worker")
            same(d.rest("forged_service", {"deed": deed}).code, "tool_crashed", deed)
        wait_for(lambda: len(d.log_events("worker_crashed", lambda e: e["reason"] == "protocol_error")) == len(deeds),
                 what="all of them in the log")
        same(d.call("echo", {"text": "well"}).text, "well")


def test_secrets_are_told_by_name():
    with Daemon() as d:
        path = os.path.join(d.config_dir, "key")
        write_secret(path, "s3cr3t-canary\n")
        policy = {"secrets": {"need": path, "other": path}, "permissions": {"secrets": ["need"]}, "config": {"need": 1}}
        d.policy("relay_0000", policy)
        d.signal(1)
        d.wait_log("reloaded")
        add_relay(d, 0)
        d.wait_tool("relay_0000")
        same(d.rest("relay_0000", {"secret": "need"}).body["content"][0]["text"], "13 bytes, the first is s")
        same(d.rest("relay_0000", {"secret": "other"}).code, "no_secret")
        same(d.rest("relay_0000", {"secret": "PATH"}).code, "no_secret")
        shown = d.http("GET", "/v1/plugins").body.decode()
        assert "s3cr3t" not in shown and '"secrets": ["need"]' in shown.replace('":["', '": ["'), shown
        assert not [line for line in d.raw if "s3cr3t" in line]
        d.policy("relay_0000", {**policy, "permissions": {}})
        d.signal(1)
        why = d.wait_log("plugin_refused", lambda e: e["plugin"] == "relay_0000")["why"]
        assert "/need: The secret is not there." in why, why


if __name__ == "__main__":
    main()
