#!/usr/bin/env python3
"""Guards on the ways to a tool that test_guards.py does not go: telephone calls, calls in the background, after an
interruption, and tools that are built or made of documents."""

import json

from harness import Daemon, main, same
from realtime_server import RealtimeServer
from test_actions import declared, say, tool
from test_auth import bearer, new_key
from test_guards import BLOCK, CANARY, PHONE, PLUGINS, REDACT, guards, no_canary, plugin, runs
from test_realtime import attend, say_call
from test_sessions import Listener, begin, tell



def guarded(*lists, plugins, file=None, **more):
    return Daemon(plugins=[*plugins, "checker"], tenants={"default": {**(file or {}), "guards": guards(*lists)}}, **more)


# ---- a telephone call

def test_a_telephone_call_is_guarded():
    with RealtimeServer() as service, guarded([BLOCK], [REDACT], plugins=["leaky"], config=service.config()) as d:
        manager = bearer(new_key(d, "operator", "--role", "manage", "--role", "call"))
        same(attend(d, manager, "rtc_1").status, 201)
        side = service.sideband("rtc_1")
        side.expect(type="session.update")
        side.send(type="response.created", response={"id": "r1"})
        say_call(side, "c1", "leak", {"how": ["text", "emit"]}, "r1")
        told = side.expect(type="conversation.item.create")["item"]
        assert "Call [phone]." in told["output"], told
        side.send(type="response.done", response={"id": "r1", "status": "completed"})
        spoken = side.expect(type="response.create")
        assert CANARY not in json.dumps(spoken), spoken
        side.send(type="response.created", response={"id": "r2"})
        say_call(side, "c2", "leak", {"how": ["echo"], "text": PHONE}, "r2")
        refused = side.expect(type="conversation.item.create")["item"]
        assert "No telephone numbers." in refused["output"], refused
        same(runs(d), 1)
        no_canary(d, told, spoken, refused)


def test_a_telephone_call_has_the_guards_of_plugins_too():
    lists = [plugin("arguments", json=json.dumps({"how": ["echo"], "text": "other"}))], [plugin("note")]
    with RealtimeServer() as service, guarded(*lists, plugins=["leaky"], config=service.config()) as d:
        manager = bearer(new_key(d, "operator", "--role", "manage", "--role", "call"))
        same(attend(d, manager, "rtc_1").status, 201)
        side = service.sideband("rtc_1")
        side.expect(type="session.update")
        side.send(type="response.created", response={"id": "r1"})
        say_call(side, "c1", "leak", {"how": ["text"]}, "r1")
        same(json.loads(side.expect(type="conversation.item.create")["item"]["output"]), {"result": "other"})
        d.wait_log("tool_log", lambda e: e["text"].startswith("note output leak default"))


# ---- in the background

def result_of(events, call_id, kind):
    while True:
        event = events.next()[1]
        if event["type"] == kind and event.get("call_id") == call_id:
            return event


def test_a_call_in_the_background_is_guarded():
    with guarded([BLOCK], [REDACT], plugins=["talk"]) as d:
        session = begin(d)
        with Listener(d, session) as events:
            refused = {"ms": 0, "text": f"ring {PHONE}"}
            tell(d, session, type="tool_call", call_id="no", name="research", arguments=refused, response_id="r1")
            answer = result_of(events, "no", "tool_call_output")
            if answer.get("error") is None:  # a call in the background is answered at once, and told of later
                answer = result_of(events, "no", "tool_call_result")
            assert "No telephone numbers." in json.dumps(answer), answer
            no_canary(d, answer)


def test_what_a_call_in_the_background_gives_is_redacted_also_after_an_interruption():
    lists = [plugin("arguments", json=json.dumps({"ms": 300, "text": f"found {PHONE}"}))], [REDACT]
    with guarded(*lists, plugins=["talk"]) as d:
        session = begin(d)
        with Listener(d, session) as events:
            tell(d, session, type="tool_call", call_id="bg", name="research", arguments={"ms": 300}, response_id="r1")
            begun = result_of(events, "bg", "tool_call_output")
            d.http("POST", f"/v1/sessions/{session}/interrupt", {"response_id": "r1"})
            later = result_of(events, "bg", "tool_call_result")
            same(later["output"], '{"result":"found [phone]"}')
            no_canary(d, begun, later)


# ---- tools that are built, and tools of documents

def test_a_tool_that_was_built_is_guarded():
    built = {"features": {"greet": {"words": ["moin", "servus"]}}}
    lists = [{**plugin("reject", text="Not so loud."), "tools": ["greet_servus"]}], [plugin("result", text="hush")]
    with guarded(*lists, plugins=["greeter"], file=built) as d:
        same(d.rest("greet_moin", {}).body["content"][0]["text"], "hush")
        refused = d.rest("greet_servus", {})
        same((refused.code, refused.message), ("guardrail_rejected", "Not so loud."))


def test_a_tool_of_a_document_is_guarded():
    spoken = {**tool("ring", say("Ringing {{params.to}}."), parameters=[{"name": "to", "type": "string", "required": True}])}
    with guarded([], [REDACT], plugins=["actions"], file=declared(spoken)) as d:
        same(d.rest("ring", {"to": "Ada"}).body["structured"]["message"], "Ringing Ada.")
        answer = d.rest("ring", {"to": PHONE})
        same(answer.body["structured"]["message"], "Ringing [phone].")
        session = begin(d)
        with Listener(d, session) as events:
            tell(d, session, type="tool_call", call_id="c1", name="ring", arguments={"to": PHONE}, response_id="r1")
            heard = [events.next()[1]]
            while heard[-1]["type"] != "tool_call_output":
                heard.append(events.next()[1])
        same([e for e in heard if CANARY in json.dumps(e)], [])
        no_canary(d, answer.body, heard[-1])
    with guarded([BLOCK], [], plugins=["actions"], file=declared(spoken)) as d:
        refused = d.rest("ring", {"to": PHONE})
        same((refused.code, refused.message), ("guardrail_rejected", "No telephone numbers."))


if __name__ == "__main__":
    main()
