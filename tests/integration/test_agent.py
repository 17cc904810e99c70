#!/usr/bin/env python3
"""Agents behind services as tools: four protocols against a server with a script, tools of our own, limits, questions,
conversations.  Names hold the ids of shared behaviours (S3-17 …) and of the rows of the reference's table (T3-7 …)."""

import contextlib
import json
import os

import harness
from harness import Daemon, in_background, installed, main, same, wait_for
from model_server import PROTOCOLS, Model, a2a_task, says
from test_asks_rest import ADA, answer as answer_ask, ask as asks
from test_guards import asked
from test_http import write_secret
from test_invoke import add_relay
from test_sessions import Listener, begin, call as call_in

LIMIT = "Function invocation limit reached before a final answer could be produced."
OPENAI = PROTOCOLS[0]
CALC = ("calculator", {"expression": "6*7"})


def agent(model, protocol=OPENAI, **members):
    made = {"name": "helper", "description": "Helps.", "protocol": protocol, "endpoint": f"{model.url}/{protocol}",
            "model": "m", **members}
    return made if protocol != "a2a" else {k: v for k, v in made.items() if k != "model"}


@contextlib.contextmanager
def helped(model, *agents, plugins=("calculator", "echo"), invoke=("*",), policy=None, **more):
    policy = policy or {"permissions": {"http": [{"url": model.url + "/*", "private": True}], "invoke": list(invoke)}}
    with Daemon(plugins=["agent", *plugins], policies={"agent": policy},
                tenants={"default": {"features": {"agents": {"agents": list(agents)}}}}, **more) as d:
        d.wait_tool(agents[0]["name"], timeout=30)
        yield d


@contextlib.contextmanager
def one(*script, protocol=OPENAI, plugins=("calculator", "echo"), **members):
    with Model(*script) as model, helped(model, agent(model, protocol, **members), plugins=plugins) as d:
        yield model, d


def cli(*words):
    return harness.run(installed("bin/toolhost"), *words)


def text(answer):
    same(answer.status, 200, answer)
    assert answer.body["ok"], answer
    return answer.body["content"][0]["text"]


def run(d, task="What is it?", tool="helper", **members):
    return d.rest(tool, {"task": task}, **members)


def results(body):
    """What the model was told of its calls, in their order, in the last request."""
    if "messages" in body and any(m.get("role") == "tool" for m in body["messages"]):
        return [m["content"] for m in body["messages"] if m["role"] == "tool"]
    if "input" in body:
        return [i["output"] for i in body["input"] if i.get("type") == "function_call_output"]
    return [b["content"] for m in body["messages"] if isinstance(m["content"], list)
            for b in m["content"] if b["type"] == "tool_result"]


# ---- one turn

def test_S3_17_S3_18_U3_13_an_agent_is_a_tool_with_a_task():
    with one(says("Well done.")) as (model, d):
        tool = next(t for t in d.mcp("tools/list").json["result"]["tools"] if t["name"] == "helper")
        same(tool["inputSchema"], {"type": "object", "properties": {"task": {
            "type": "string", "description": "Task for helper"}}, "required": ["task"], "additionalProperties": False})
        same(text(run(d, "Say something.")), "Well done.")
        same(model.bodies()[0]["messages"], [{"role": "user", "content": "Say something."}])
        same(d.rest("helper", {"job": "x", "more": "y"}).code, "tool_args_invalid")


def test_A3_8_a_text_stands_for_the_task():
    """In the place of the object, and as its only member under another name; also without mending."""
    for repair in ("safe", "off"):
        with Model(says("Yes.")) as model, helped(model, agent(model), config={"repair": repair}) as d:
            as_text = lambda text: d.http("POST", "/v1/tools/helper/call", {"arguments": text})
            good = [(as_text("Do it."), "Do it."), (as_text('"Do \\"it\\"."'), 'Do "it".'), (as_text('{"task":"a"}'), "a"),
                    (d.rest("helper", {"job": "b"}), "b"), (as_text('{"question":"Is it?"}'), "Is it?")]
            same([m["messages"][0]["content"] for m in model.bodies()], [said for _, said in good], repair)
            assert all(a.status == 200 for a, _ in good), good
            bad = [(as_text('{"task":"cut o'), "tool_args_parse_error"), (as_text('["a"]'), "tool_args_parse_error"),
                   (as_text('"cut o'), "tool_args_parse_error"), (as_text("7"), "tool_args_parse_error")]
            same([a.error for a, _ in bad], [code for _, code in bad], repair)
            for arguments in ({"a": "x", "b": "y"}, {"a": 1}, {"a": ["x"]}, {}):
                same(d.rest("helper", arguments).code, "tool_args_invalid", arguments)
            same(len(model.bodies()), len(good))


def test_U3_5_a_person_said_no():
    rules = {"approvals": {"rules": [{"tools": ["echo"], "approval": "always"}]}}
    for detailed in (False, True):
        with Model(says("", ("echo", {"text": "x"})), says("Well.")) as model, \
                helped(model, agent(model, tools=["*"], include_detailed_errors=detailed), config=rules) as d:
            waiting = in_background(run, d, deadline_ms=60000)
            same(cli("reject", asked(d)["id"], "--socket", str(d.socket))[0], 0)
            same(text(waiting()), "Well.")
            told = results(model.bodies()[1])[0]
            assert told.startswith("Error: Tool call invocation was rejected by user."), told
            same(" Exception: " in told, detailed)


def test_every_protocol_whole_and_as_events():
    for protocol in PROTOCOLS:
        for stream in (True, False):
            with one(says("Grüße aus dem Süden, 42."), protocol=protocol, stream=stream) as (model, d):
                same(text(run(d)), "Grüße aus dem Süden, 42.", f"{protocol} {stream}")


def test_what_is_sent_is_what_the_protocol_wants():
    for protocol in PROTOCOLS[:3]:
        with one(says("Yes."), protocol=protocol, instructions="Be brief.", tools=["echo"],
                 parameters={"temperature": 0.5, "max_tokens": 7}) as (model, d):
            text(run(d))
            body = model.bodies()[0]
            same((body["model"], body["temperature"], body["max_tokens"], body["stream"]), ("m", 0.5, 7, True))
            same(body["tools"][0].get("function", body["tools"][0])["name"], "echo")
            said = {"openai-chat": lambda: body["messages"][0]["content"], "openai-responses": lambda: body["instructions"],
                    "anthropic-messages": lambda: body["system"]}[protocol]()
            same(said, "Be brief.")
            version = {k.lower(): v for k, v in model.asked[0]["headers"].items()}.get("anthropic-version")
            same(version, "2023-06-01" if protocol == "anthropic-messages" else None)


def test_keys_are_the_brokers():
    with Model(says("Yes.")) as model, Daemon(plugins=["agent"]) as d:
        path = os.path.join(d.config_dir, "key")
        write_secret(path, "sk-canary\n")
        d.policy("agent", {"permissions": {"http": [{"url": model.url + "/*", "private": True,
                                                     "headers": {"Authorization": "Bearer ${k}"}}]}, "secrets": {"k": path}})
        d.signal(1)
        d.wait_log("reloaded")
        d.tenant("default", {"features": {"agents": {"agents": [agent(model)]}}})
        d.signal(1)
        d.wait_tool("helper", timeout=30)
        wait_for(lambda: run(d).body["ok"], what="the policy")
        same(model.asked[0]["headers"]["Authorization"], "Bearer sk-canary")
        assert not [line for line in d.raw if "canary" in line]


def test_what_it_says_is_told_while_it_speaks():
    turn = {**says("one two three four five"), "slowly": 0.05}
    with one(turn) as (model, d):
        got = d.mcp("tools/call", {"name": "helper", "arguments": {"task": "count"}}, meta={"progressToken": "p"},
                    headers={"accept": "application/json, text/event-stream"})
        told = [e["params"]["message"] for e in got.events if e.get("method") == "notifications/progress"]
        assert told and all(piece in "one two three four five" for piece in told), told


# ---- tools

def test_T3_1_1_calls_results_and_the_answer_in_order():
    for protocol in PROTOCOLS[:3]:
        for stream in (True, False):
            with one(says("Let me see.", CALC, ("echo", {"text": "hi"})), says("It is 42."), protocol=protocol, stream=stream,
                     tools=["calc*", "echo"]) as (model, d):
                same(text(run(d)), "It is 42.", protocol)
                told = results(model.bodies()[1])
                same((len(told), "42" in told[0], told[1]), (2, True, "hi"), told)
                for tool in ("calculator", "echo"):
                    assert d.wait_log("tool_call_finished", lambda e, tool=tool: e["tool"] == tool)["invoked_by"]


def test_T3_1_2_rounds_follow_one_another():
    with one(says("", CALC), says("", ("echo", {"text": "two"})), says("Done."), tools=["*"]) as (model, d):
        same(text(run(d)), "Done.")
        roles = [m["role"] for m in model.bodies()[2]["messages"]]
        same(roles, ["user", "assistant", "tool", "assistant", "tool"])


def test_T3_1_3_calls_in_several_items_of_one_answer():
    items = {"openai-responses": ("output", lambda i: {"type": "function_call", "call_id": f"c{i}", "name": "echo",
                                                       "arguments": json.dumps({"text": f"n{i}"})},
                                  {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Next."}]}),
             "anthropic-messages": ("content", lambda i: {"type": "tool_use", "id": f"c{i}", "name": "echo",
                                                          "input": {"text": f"n{i}"}}, {"type": "text", "text": "Next."})}
    for protocol, (member, called, said) in items.items():
        answer = {"raw": json.dumps({"status": "completed", member: [called(0), said, called(1), said, called(2)]})}
        with one(answer, says("Done."), protocol=protocol, tools=["echo"]) as (model, d):
            same(text(run(d)), "Done.")
            same(results(model.bodies()[1]), ["n0", "n1", "n2"], protocol)


def test_T3_14_16_a_null_that_a_model_gives_reaches_the_tool():
    with one(says("", ("told", {"query": "x", "note": None})), says("Done."), plugins=("told",), tools=["told"]) as (model, d):
        same(text(run(d)), "Done.")
        same(json.loads(results(model.bodies()[1])[0])["arguments"], {"query": "x", "note": None})


def test_T3_11_1_what_it_may_not_use_it_is_not_shown():
    with Model(says("Yes.")) as model, helped(model, agent(model, tools=["*"]), invoke=("echo",)) as d:
        text(run(d))
        same([t["function"]["name"] for t in model.bodies()[0]["tools"]], ["echo"])


def test_U3_5_T3_9_T3_10_texts_of_what_goes_wrong():
    calls = (("nothing", {}), ("echo", "{{{"), ("echo", {"text": 1, "more": 2}), ("fragile", {"crash": True}))
    for detailed in (False, True):
        with one(says("", *calls), says("Sorry."), plugins=("echo", "fragile"), tools=["*"],
                 include_detailed_errors=detailed) as (model, d):
            same(text(run(d)), "Sorry.")
            told = results(model.bodies()[1])
            same(told[0], 'Error: Requested function "nothing" not found.')
            for got, expected in zip(told[1:], ("Error: Argument parsing failed.", "Error: Argument parsing failed.",
                                                "Error: Function failed.")):
                assert got.startswith(expected), told
                same(" Exception: " in got, detailed, "T3-9.7 with their causes" if detailed else "T3-10.2 the texts alone")
            same("Exception" in "".join(told), detailed, "T3-10.1 with its cause" if detailed else "T3-9.6 without causes")


def test_T3_9_4_terminate_on_unknown_calls():
    with one(says("", ("nothing", {})), says("Sorry."), tools=["*"], terminate_on_unknown_calls=True) as (model, d):
        got = run(d)
        same(got.code, "agent_error", got)
        assert 'Requested function "nothing" not found.' in got.message, got
        same(len(model.asked), 1)


def test_T3_9_1_without_tools_nothing_is_run():
    for protocol in PROTOCOLS[:3]:
        with one(says("", ("echo", {"text": "x"})), says("No tools."), protocol=protocol) as (model, d):
            same(text(run(d)), "No tools.")
            assert not model.bodies()[0].get("tools"), model.bodies()[0]
            same(results(model.bodies()[1]), ['Error: Requested function "echo" not found.'])
            same([e["tool"] for e in d.log_events("tool_call_finished") if e["tool"] == "echo"], [])


def test_T3_9_3_an_unknown_call_is_told_and_the_run_goes_on():
    with one(says("", ("nothing", {})), says("", ("echo", {"text": "on"})), says("Done."), tools=["*"]) as (model, d):
        same(text(run(d)), "Done.")
        same(results(model.bodies()[2]), ['Error: Requested function "nothing" not found.', "on"])


def test_T3_9_5_additional_tools_are_run_and_not_shown():
    with one(says("", ("echo", {"text": "hidden"})), says("Done."), tools=["calculator"], additional_tools=["ec*"]) as (model, d):
        same(text(run(d)), "Done.")
        same([t["function"]["name"] for t in model.bodies()[0]["tools"]], ["calculator"])
        same(results(model.bodies()[1]), ["hidden"])


# ---- tools that come and go

def test_T3_11_what_it_is_shown_follows_what_there_is():
    """A task keeps the tools it began with, the next one has those there are then."""
    for stream in (True, False):
        with Model(says("Hm.")) as model, helped(model, agent(model, tools=["*"], stream=stream), plugins=("echo",)) as d:
            shown = lambda body: sorted(t["function"]["name"] for t in body["tools"])
            grows = lambda body: (d.add("calculator"), d.wait_tool("calculator"), says("", ("echo", {"text": "x"})))[2]
            model.script[:] = [grows, says("One.")]
            same(text(run(d)), "One.")
            same([shown(b) for b in model.bodies()], [["echo"]] * 2, "T3-11.5 a task's list stays as it was")
            model.script[:] = [says("", CALC), says("Two.")]
            same(text(run(d)), "Two.")
            same(shown(model.bodies()[2]), ["calculator", "echo"], "T3-11.3 the model is shown what has come")
            assert "42" in results(model.bodies()[3])[0], "T3-11.2 what has come can be called"
            model.script[:] = [says("Three.")]
            same(text(run(d)), "Three.")
            same(shown(model.bodies()[4]), ["calculator", "echo"], "T3-11.6 it stays")
            (d.plugin_dir / "calculator.so").unlink()
            d.wait_tool("calculator", present=False)
            model.script[:] = [says("", CALC), says("Four.")]
            same(text(run(d)), "Four.")
            same(shown(model.bodies()[5]), ["echo"], "T3-11.4 what has gone is not shown")
            same(results(model.bodies()[6]), ['Error: Requested function "calculator" not found.'],
                 "T3-11.10 as events and whole")


# ---- limits

def test_T3_7_U3_4_max_iterations_end_with_a_call_without_tools():
    with one(lambda body: says("That is all.") if body.get("tool_choice") == "none" else says("", CALC),
             tools=["*"], max_iterations=3) as (model, d):
        same(text(run(d)), "That is all.")
        same(len(results(model.bodies()[-1])), 3, "T3-7.1 so many rounds are run")
        same([b.get("tool_choice") for b in model.bodies()], [None, None, None, "none"], "T3-7.3 then no tool may be called")
        calls = [c["id"] for m in model.bodies()[-1]["messages"] for c in m.get("tool_calls", [])]
        same(len(calls), len(results(model.bodies()[-1])), "T3-7.2 each call has its result")


def test_T3_7_forty_iterations_by_default():
    with one(lambda body: says("End.") if body.get("tool_choice") == "none" else says("", ("echo", {"text": "x"})),
             tools=["echo"]) as (model, d):
        same(text(run(d, deadline_ms=60000)), "End.")
        same(len(model.asked), 41)


def test_T3_7_4_U3_9_a_blank_end_has_a_text_of_its_own():
    for protocol in PROTOCOLS[:3]:
        with one(says("", CALC), says(""), protocol=protocol, tools=["*"], max_iterations=1) as (_, d):
            same(text(run(d)), LIMIT, protocol)
        with one(says("", CALC), tools=["*"], max_iterations=1, protocol=protocol) as (_, d):  # it calls all the same
            same(text(run(d)), LIMIT, protocol)


def test_T3_8_max_function_calls_are_counted_after_the_batch():
    choose = lambda body: says("Done.") if body.get("tool_choice") == "none" else says("", *[CALC] * 3)
    with one(choose, tools=["*"], max_function_calls=5) as (model, d):
        same(text(run(d)), "Done.")
        same((len(model.asked), len(results(model.bodies()[-1]))), (3, 6), "T3-8.1 the batch that reaches the limit is run")
    single = lambda body: says("Done.") if body.get("tool_choice") == "none" else says("", CALC)
    with one(single, tools=["*"], max_function_calls=2) as (model, d):
        same(text(run(d)), "Done.")
        same((len(model.asked), len(results(model.bodies()[-1]))), (3, 2), "T3-8.2 one call in each round")
    with one(says("", CALC), says("", CALC), says("Done."), tools=["*"], max_function_calls=0) as (model, d):
        same(text(run(d)), "Done.")
        same([b.get("tool_choice") for b in model.bodies()], [None] * 3, "T3-8.3 without a limit there is none")


def test_T3_9_max_consecutive_errors_and_their_recovery():
    bad = says("", ("nothing", {}))
    with one(lambda body: says("I give up.") if body.get("tool_choice") == "none" else bad, tools=["*"]) as (model, d):
        same(text(run(d)), "I give up.")
        same(len(model.asked), 4, "T3-9.2 three in a row, by default")
    with one(lambda body: says("I give up.") if body.get("tool_choice") == "none" else bad, tools=["*"],
             max_consecutive_errors=0) as (model, d):
        same(text(run(d)), "I give up.")
        same(len(model.asked), 2, "T3-9.9 none is as one: the first ends it")
    with one(bad, bad, says("", CALC), bad, bad, says("Well."), tools=["*"]) as (model, d):
        same(text(run(d)), "Well.")
        same([b.get("tool_choice") for b in model.bodies()], [None] * 6, "T3-9.11 a success begins anew")


def test_more_calls_at_once_than_the_host_takes():
    calls = [("echo", {"text": f"n{i}"}) for i in range(20)]
    with one(says("", *calls), says("Done."), tools=["*"]) as (model, d):
        same(text(run(d)), "Done.")
        same(results(model.bodies()[1]), [f"n{i}" for i in range(20)])


# ---- what the service does

def test_S3_10_errors_are_agent_error_with_the_services_words():
    for protocol in PROTOCOLS:
        rows = [({"raw": json.dumps({"error": {"message": "no such key"}}), "status": 401}, "answered 401: no such key"),
                ({"raw": "<html>", "status": 502, "type": "text/html"}, "answered 502"),
                ({"raw": "garbage"}, "no JSON object"), ({"raw": "{}"}, "its answer has no"),
                ({"raw": json.dumps({"error": {"message": "overloaded", "type": "x"}})}, "overloaded"),
                ({"raw": "data: {oops\n\n", "type": "text/event-stream"}, "no JSON object"),
                ({"raw": ": nothing\n\n", "type": "text/event-stream"}, "ended in the middle"),
                ({"raw": 'data: {"error":{"message":"broke"}}\n\n', "type": "text/event-stream"}, "broke")]
        for turn, part in rows:
            with one(turn, protocol=protocol) as (_, d):
                got = run(d)
                same(got.code, "agent_error", (protocol, turn, got))
                assert part in got.message and "The agent helper failed" in got.message, (protocol, turn, got)


def test_it_asks_nobody_who_is_not_granted():
    with Model(says("Yes.")) as model, helped(model, agent(model), policy={"permissions": {"http": []}}) as d:
        got = run(d)
        same(got.code, "agent_error")
        assert "http_not_granted" in got.message, got
        same(model.asked, [])


def test_deadline_and_cancel_end_the_request():
    with one({"hang": True}, deadline=700) as (model, d):
        same(run(d).code, "tool_timeout")
    with one({**says("x" * 3000), "slowly": 0.02}) as (model, d):
        result = in_background(run, d, call_id="mine", deadline_ms=60000)
        wait_for(lambda: model.asked, what="the request")
        same(d.http("DELETE", "/v1/calls/mine").status // 100, 2)
        same(result().code, "tool_cancelled")
        wait_for(model.left.is_set, what="the end of the stream")


# ---- what it gives

def test_S3_19_the_answer_by_pointer_and_by_schema():
    answer = json.dumps({"n": 42, "why": {"a/b": "because"}})
    with one(says(answer), output={"pointer": "/why/a~1b"}) as (_, d):
        same(text(run(d)), "because")
    with one(says(f"Here:\n```json\n{answer}\n```\n"), output={"pointer": "/n"}) as (_, d):
        same(run(d).body["structured"], 42)
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    with one(says(answer), output={"schema": schema}) as (model, d):
        same(run(d).body["structured"]["n"], 42)
        same(model.bodies()[0]["response_format"]["json_schema"]["schema"], schema)
    with one(says('{"n":"many"}'), output={"schema": schema}) as (_, d):
        same(run(d).code, "tool_output_invalid")
    for said, part in (("no json", "no JSON"), ("{}", "nothing at /n")):
        with one(says(said), output={"pointer": "/n"}) as (_, d):
            got = run(d)
            same(got.code, "agent_error")
            assert part in got.message, got


# ---- people

def test_T3_16_9_U3_13_what_a_nested_tool_asks_the_caller_is_asked():
    for protocol in PROTOCOLS[:3]:
        with one(says("", ("greet", {"who": "it"}), ("echo", {"text": "once"})), says("They said hello."), protocol=protocol,
                 plugins=("asks", "echo"), tools=["*"]) as (model, d):
            found = asks(d, "helper", {"task": "greet"})
            keys = list(found["requests"])
            same((len(keys), found["requests"][keys[0]]["params"]["message"]), (1, 'Who is "it"?'))
            done = answer_ask(d, found, responses={keys[0]: ADA})
            same((done.status, done.json["content"][0]["text"]), (200, "They said hello."), done)
            same(results(model.bodies()[1]), ["Hello, Ada!", "once"])
            same(len(model.asked), 2, "nothing is asked again")
            d.wait_log("tool_call_finished", lambda e: e["tool"] == "helper")
            same(len([e for e in d.log_events("tool_call_finished") if e["tool"] == "echo"]), 1, "what was done is done")


def test_T3_16_10_all_that_a_nested_tool_asks_the_caller_is_asked():
    with one(says("", ("all", {}), ("greet", {"who": "it"})), says("Thanks."), plugins=("asks",), tools=["*"],
             max_function_calls=1) as (model, d):
        found = asks(d, "helper", {"task": "ask"})
        same(len(found["requests"]), 5, "four of one tool, and one of the other")
        same(answer_ask(d, found, decline=True).json["content"][0]["text"], "Thanks.")
        same((len(model.asked), model.bodies()[1].get("tool_choice")), (2, "none"), "one batch, counted once")


def test_T3_16_11_where_nobody_can_be_asked_the_tool_is_told_so():
    with one(says("", ("greet", {"who": "it"})), says("Nobody."), plugins=("asks",), tools=["*"]) as (model, d):
        got = d.call("helper", {"task": "greet"})  # a client of MCP that can't be asked
        same(got.text, "Nobody.")
        same(results(model.bodies()[1]), ["Hello, whoever (unaskable)!"])


def relayed(d, numbers=(0,)):
    """relay_0000, which says in whose name it was called."""
    for number in numbers:
        add_relay(d, number)
        d.wait_tool(f"relay_{number:04}", timeout=30)


NESTED = ("relay_0000", {"say": "called"})
TRACE = {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}


@contextlib.contextmanager
def nesting(*script, **members):
    with one(*script, plugins=(), tools=["*"], **members) as (model, d):
        relayed(d)
        yield model, d


def test_T3_16_1_T3_16_2_T3_16_4_T3_16_8_a_nested_tool_is_called_in_the_callers_name():
    for stream in (True, False):
        with nesting(says("", NESTED), says("Done."), stream=stream) as (model, d):
            session = begin(d)
            same(json.loads(call_in(d, session, "helper", {"task": "x"}).json["output"])["result"], "Done.")
            own = json.loads(call_in(d, session, "relay_0000", {"say": "called"}).json["output"])["result"]
            same(results(model.bodies()[1]), [own], "T3-16.8 session and tenant are the caller's")
            assert own.startswith("called in ses"), own
        with nesting(says("", NESTED), says("Done."), stream=stream) as (model, d):
            got = d.mcp("tools/call", {"name": "helper", "arguments": {"task": "x"}}, meta=TRACE).json
            same(got["result"]["content"][0]["text"], "Done.")
            plain = d.mcp("tools/call", {"name": "relay_0000", "arguments": {"say": "called"}}, meta=TRACE).json
            same(results(model.bodies()[1]), [plain["result"]["content"][0]["text"]], "T3-16.2 as it came, and nothing else")


def test_T3_16_3_through_several_of_them():
    last = ("relay_0001", {"tool": "relay_0000", "args": json.dumps(NESTED[1])})
    with nesting(says("", last), says("Done.")) as (model, d):
        d.policy("relay_0001", {"permissions": {"invoke": ["*"]}})
        d.signal(1)
        d.wait_log("reloaded")
        relayed(d, numbers=(1,))
        got = d.mcp("tools/call", {"name": "helper", "arguments": {"task": "x"}}, meta=TRACE).json
        same(got["result"]["content"][0]["text"], "Done.")
        told = json.loads(results(model.bodies()[1])[0])["result"]["content"][0]["text"]
        assert told.startswith("called in  of default by ") and TRACE["traceparent"] in told, told


def test_T3_16_5_without_anything_to_pass_on():
    with nesting(says("", NESTED), says("Done.")) as (model, d):
        same(text(run(d)), "Done.")
        assert results(model.bodies()[1])[0].startswith("called in  of default by "), results(model.bodies()[1])


def test_T3_16_6_what_a_call_came_with_is_no_parameter_of_the_model():
    with nesting(says("", NESTED), says("Done."), parameters={"temperature": 0.8}) as (model, d):
        d.mcp("tools/call", {"name": "helper", "arguments": {"task": "x"}}, meta=TRACE)
        same(set(model.bodies()[0]), {"model", "messages", "stream", "tools", "temperature"})
        assert "traceparent" not in json.dumps(model.bodies()[0]), model.bodies()[0]


def test_T3_16_7_calls_share_nothing_of_it():
    with nesting(lambda body: says("Done.") if results(body) else says("", NESTED)) as (model, d):
        sessions = [begin(d), begin(d)]
        for session in sessions:
            call_in(d, session, "helper", {"task": "x"})
        own = [json.loads(call_in(d, s, *NESTED).json["output"])["result"] for s in sessions]
        told = [results(body)[0] for body in model.bodies() if results(body)]
        same((told, len(set(told))), (own, 2))


def test_T3_16_what_is_declined_the_model_hears():
    with one(says("", ("greet", {"who": "it"})), says("Nobody."), plugins=("asks",), tools=["*"]) as (model, d):
        found = asks(d, "helper", {"task": "greet"})
        done = answer_ask(d, found, decline=True)
        same(done.json["content"][0]["text"], "Nobody.", done)
        same(len(results(model.bodies()[1])), 1)


def test_an_a2a_agent_that_asks():
    for stream in (True, False):
        script = ({"task": a2a_task("input-required", said="Which colour?")}, says("It is red."))
        with one(*script, protocol="a2a", stream=stream) as (model, d):
            found = asks(d, "helper", {"task": "paint"})
            key = next(iter(found["requests"]))
            same(found["requests"][key]["params"]["message"], "Which colour?")
            done = answer_ask(d, found, responses={key: {"action": "accept", "content": {"answer": "red"}}})
            same(done.json["content"][0]["text"], "It is red.", done)
            message = model.bodies()[1]["params"]["message"]
            same((message["parts"][0]["text"], message["taskId"], message["contextId"]), ("red", "task-1", "ctx-1"))


def test_an_a2a_task_that_takes_its_time():
    script = ({"task": a2a_task("submitted")}, {"task": a2a_task("working")}, {"task": a2a_task("completed", "At last.")})
    with one(*script, protocol="a2a", stream=False) as (model, d):
        same(text(run(d)), "At last.")
        same([b["method"] for b in model.bodies()], ["message/send", "tasks/get", "tasks/get"])
    with one({"task": a2a_task("failed", said="no paint")}, protocol="a2a") as (_, d):
        got = run(d)
        assert got.code == "agent_error" and "failed: no paint" in got.message, got


# ---- conversations

def test_A3_9_propagate_session_is_off_unless_it_is_wanted():
    for wanted in (False, True):
        with one(says("First."), says("Second."), propagate_session=wanted) as (model, d):
            session = begin(d)
            for task in ("one", "two"):
                assert call_in(d, session, "helper", {"task": task}).json["ok"]
            said = [m["content"] for m in model.bodies()[1]["messages"]]
            same(said if not wanted else [said[0], said[-1], len(said)], ["one", "two", 3] if wanted else ["two"])
    with one(says("First."), protocol="a2a", propagate_session=True) as (model, d):
        session = begin(d)
        for task in ("one", "two"):
            assert call_in(d, session, "helper", {"task": task}).json["ok"]
        assert "contextId" not in model.bodies()[0]["params"]["message"]
        same(model.bodies()[1]["params"]["message"]["contextId"], "ctx-1")


def test_a_handoff_gives_it_what_the_user_says():
    with one(says("Hello, I am the helper."), says("It is raining."), kind="handoff") as (model, d):
        session = begin(d)
        with Listener(d, session) as events:
            call_in(d, session, "helper", {"task": "Take over."})
            kinds = {}
            while "output" not in kinds or "agent_handed_off" not in kinds:
                event = events.next()[1]
                kinds[event["type"]] = event
            same(kinds["output"]["output"]["text"] if isinstance(kinds["output"]["output"], dict) else kinds["output"]["output"],
                 "Hello, I am the helper.")
            d.http("POST", f"/v1/sessions/{session}/events",
                   {"type": "user_turn_ended", "content": [{"type": "user_text_sent", "content": "How is the weather?"}]})
            while True:
                event = events.next()[1]
                if event["type"] in ("output", "agent_failed"):
                    break
            assert "It is raining." in json.dumps(event), event
            same([m["content"] if isinstance(m["content"], str) else None for m in model.bodies()[1]["messages"]][-1],
                 "How is the weather?")


if __name__ == "__main__":
    main()
