#!/usr/bin/env python3
"""Approvals on every front: the caller as the one who decides, where it may, and conversations that are asked for one
approval after the other."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from handshake import EVERYTHING, Handshake  # noqa: E402
from harness import in_background, main, plugin_file, same, wait_for  # noqa: E402
from test_agui import RUN, STARTED, call_events, lines, play, post, results  # noqa: E402
from test_approvals import cli, ended, kept, listed, one  # noqa: E402
from test_asks_mcp import CAPABILITIES, result  # noqa: E402
from test_auth import bearer, new_key  # noqa: E402
from test_invoke import add_relay, grant, told  # noqa: E402
from test_session_ws import WebSocket  # noqa: E402
from test_sessions import Listener, begin, tell  # noqa: E402

RULES = [{"tools": ["tally"], "approval": "always", "reason": "It leaves a line."}]
BY_CALLER = {"approvals": {"by": "caller", "rules": RULES}}
REFUSED = "Tool execution was not approved."


def own(**more):
    """Callers decide about their own calls."""
    return kept(durable=False, config=BY_CALLER, **more)


def line(k, name):
    return {"file": str(k.file), "id": name}


def answer(approve, **more):
    return {"action": "accept", "content": {"approve": approve, **more}}


def mcp(d, arguments, can=None, headers=None, **params):
    return d.mcp("tools/call", {"name": "tally", "arguments": arguments, **params},
                 meta={CAPABILITIES: {"elicitation": {}} if can is None else can}, headers=headers)


def asked(answer):
    """What a client of 2026-07-28 is asked: the question, and the state."""
    found = result(answer, "input_required")
    same(list(found["inputRequests"]), ["approval"])
    return found["inputRequests"]["approval"], found["requestState"]


# ---- MCP 2026-07-28

def test_U3_8_T3_2_T3_3_T3_4_input_required_asks_the_caller():
    with own() as k, k.again() as d:
        question, state = asked(mcp(d, line(k, "a")))
        same(question["method"], "elicitation/create")
        same(question["params"]["requestedSchema"]["required"], ["approve"])
        message = question["params"]["message"]
        assert message.startswith("May 'tally' run with {") and message.endswith("It leaves a line."), message
        same((one(d)["front"], k.ran()), ("mcp", []))
        done = result(mcp(d, line(k, "a"), requestState=state, inputResponses={"approval": answer(True)}))
        assert done["content"][0]["text"].startswith("a at "), done
        same(k.ran(), ["a"])
        for said, text in ((answer(False, text="Not now."), "Not now."), (answer(False), REFUSED),
                           ({"action": "decline"}, REFUSED), ({"action": "cancel"}, REFUSED)):
            _, state = asked(mcp(d, line(k, "b")))
            done = result(mcp(d, line(k, "b"), requestState=state, inputResponses={"approval": said}))
            same((done["isError"], done["content"][0]["text"]), (True, text), said)
        same((k.ran(), len(listed(d, "rejected"))), (["a"], 4))
        # a tool that fails after it was approved: exactly one result
        _, state = asked(mcp(d, {**line(k, "c"), "fail": True}))
        done = result(mcp(d, {**line(k, "c"), "fail": True}, requestState=state,
                          inputResponses={"approval": answer(True)}))
        same((done["isError"], k.ran()), (True, ["a", "c"]))


def test_T3_5_T0_4_U3_11_replayed_forged_and_substituted_answers_are_inert():
    with own() as k, k.again() as d:
        arguments = {**line(k, "a"), "fail": True}
        _, state = asked(mcp(d, arguments))
        first = result(mcp(d, arguments, requestState=state, inputResponses={"approval": answer(True)}))
        for again in (answer(True), answer(False), {"action": "decline"}):  # what was decided stays decided
            done = result(mcp(d, arguments, requestState=state, inputResponses={"approval": again}))
            same((done["isError"], done["content"]), (True, first["content"]), again)
        same(k.ran(), ["a"])
        _, rejected = asked(mcp(d, line(k, "b")))
        result(mcp(d, line(k, "b"), requestState=rejected, inputResponses={"approval": answer(False)}))
        done = result(mcp(d, line(k, "b"), requestState=rejected, inputResponses={"approval": answer(True)}))
        same((done["isError"], done["content"][0]["text"]), (True, REFUSED))
        _, state = asked(mcp(d, line(k, "c")))
        for what, other in ((line(k, "x"), state), (line(k, "c"), state + "A"), (line(k, "c"), "apr_" + "0" * 32)):
            refused = mcp(d, what, requestState=other, inputResponses={"approval": answer(True)})
            same((refused.status, refused.error), (200, -32602), f"{what} {other[:8]}")
        for wrong in (answer("yes"), {"action": "accept"}, {"action": "accept", "content": {}}, {}):
            refused = mcp(d, line(k, "c"), requestState=state, inputResponses={"approval": wrong})
            same((refused.status, refused.error), (200, -32602), f"{wrong}")
        same((k.ran(), one(d)["arguments"]["id"]), (["a"], "c"))
        # somebody else's caller has no use for the state
        key = new_key(d, "mallory", "--role", "call")
        refused = mcp(d, line(k, "c"), headers=bearer(key), requestState=state,
                      inputResponses={"approval": answer(True)})
        same((refused.error, k.ran()), (-32602, ["a"]))
        # what comes without a state is no answer to anything
        asked(mcp(d, line(k, "c"), inputResponses={"approval": answer(True)}))
        same(k.ran(), ["a"])


def test_U3_11_a_late_answer_is_inert():
    with kept(durable=False, config={"approvals": {**BY_CALLER["approvals"], "ttl": "1s"}}) as k, k.again() as d:
        _, state = asked(mcp(d, line(k, "a")))
        one(d, "expired")
        done = result(mcp(d, line(k, "a"), requestState=state, inputResponses={"approval": answer(True)}))
        same((done["isError"], k.ran()), (True, []))
        assert done["content"][0]["text"].startswith(REFUSED[:-1]), done


def test_T3_5_somebody_else_has_decided_meanwhile():
    with own() as k, k.again() as d:
        for name, word, text in (("a", "approve", None), ("b", "reject", REFUSED)):
            _, state = asked(mcp(d, line(k, name)))
            found = one(d)
            cli(d, word, found["id"])
            if word == "approve":
                ended(d, found)  # it has run, without its caller
            for said in (True, False):
                done = result(mcp(d, line(k, name), requestState=state, inputResponses={"approval": answer(said)}))
                same(done["isError"], word == "reject")
                assert done["content"][0]["text"].startswith(text or "a at "), done
        same(k.ran(), ["a"])


def test_T3_5_asked_over_mcp_and_answered_after_a_restart_runs_once():
    with kept(config={**BY_CALLER}) as k:
        keys = k.dir / "keys"
        keys.write_text("ab" * 32 + "\n")
        keys.chmod(0o600)
        asks = {"config": {**BY_CALLER, "asks": {"key_file": str(keys)}}}
        with k.again(**asks) as d:
            _, state = asked(mcp(d, line(k, "a")))
        with k.again(**asks) as d:
            for _ in range(2):
                done = result(mcp(d, line(k, "a"), requestState=state, inputResponses={"approval": answer(True)}))
                assert done["content"][0]["text"].startswith("a at "), done
        same(k.ran(), ["a"])


def test_who_can_not_be_asked_or_may_not_decide_waits():
    with own() as k, k.again() as d:
        waiting = in_background(lambda: mcp(d, line(k, "a"), can={}))
        cli(d, "approve", one(d)["id"])
        assert result(waiting())["content"][0]["text"].startswith("a at ")
    with kept(durable=False) as k, k.again() as d:  # by approvers alone
        waiting = in_background(lambda: mcp(d, line(k, "a")))
        cli(d, "approve", one(d)["id"])
        assert result(waiting())["content"][0]["text"].startswith("a at ")
        boss = bearer(new_key(d, "boss", "--role", "approve", "--role", "call"))
        _, state = asked(mcp(d, line(k, "b"), headers=boss))
        done = result(mcp(d, line(k, "b"), headers=boss, requestState=state,
                          inputResponses={"approval": answer(True, remember="arguments")}))
        assert done["content"][0]["text"].startswith("b at ")
        assert result(mcp(d, line(k, "b"), headers=boss))["content"][0]["text"].startswith("b at ")
        asked(mcp(d, line(k, "c"), headers=boss))
        same(k.ran(), ["a", "b", "b"])


# ---- MCP's handshake

def test_U3_8_T3_3_elicitation_create_asks_the_caller():
    said = []
    with own() as k, k.again() as d:
        client = Handshake(d, EVERYTHING, lambda request: said.pop(0))
        said[:] = [answer(True), answer(False, text="No."), {"action": "decline"}, Exception("no window")]
        assert client.text("tally", line(k, "a")).startswith("a at ")
        same(client.text("tally", line(k, "b")), "No.")
        same(client.text("tally", line(k, "c")), REFUSED)
        same(client.text("tally", line(k, "d")), REFUSED)
        same([r["method"] for r in client.asked], ["elicitation/create"] * 4)
        same(k.ran(), ["a"])


# ---- plain HTTP

def test_U3_8_plain_http_asks_the_caller_that_wants_it():
    with own() as k, k.again() as d:
        def ask(name):
            answer = d.http("POST", "/v1/tools/tally/call?approval=ask", {"arguments": line(k, name)})
            same((answer.status, answer.json["status"]), (202, "input_required"))
            return answer.json["ask"]

        found = ask("a")
        same(list(found["requests"]), ["approval"])
        place = f"/v1/asks/{found['id']}"
        wrong = d.http("POST", place, {"responses": {"approval": {"action": "accept", "content": {"approve": 1}}}})
        same((wrong.status, k.ran()), (422, []))
        done = d.http("POST", place, {"responses": {"approval": answer(True)}})
        same((done.status, done.json["ok"], k.ran()), (200, True, ["a"]))
        done = d.http("POST", f"/v1/asks/{ask('b')['id']}", {"decline": True})
        same((done.status, done.error, k.ran()), (403, "approval_rejected", ["a"]))


def test_who_drops_what_it_is_asked_withdraws_its_call():
    with own() as k, k.again() as d:
        asks = []
        for name in ("a", "b"):
            asks.append(d.http("POST", "/v1/tools/tally/call?approval=ask", {"arguments": line(k, name)}).json["ask"])
        same(d.http("DELETE", f"/v1/asks/{asks[0]['id']}").status, 204)
        same(one(d, "withdrawn")["arguments"]["id"], "a")
        same(one(d)["arguments"]["id"], "b")  # the other one still waits
        assert "withdrawn" in cli(d, "approve", one(d, "withdrawn")["id"], good=False)
        cli(d, "approve", one(d)["id"])
        wait_for(lambda: k.ran() == ["b"], what="the other one")
        same(d.http("DELETE", f"/v1/asks/{asks[1]['id']}").status, 204)  # it was approved and has run
        same(len(listed(d, "withdrawn")), 1)


# ---- tools that call tools

def test_an_approved_call_of_a_tool_is_still_that_tool_s():
    with own() as k, k.again(policies={"relay_0000": grant("*"), "tally": {"permissions": {
            "write": [str(k.dir / "tally")]}}}) as d:
        add_relay(d, 0)
        d.wait_tool("relay_0000", timeout=30)
        waiting = in_background(d.rest, "relay_0000", {"tool": "tally", "args": json.dumps(line(k, "a"))})
        cli(d, "approve", one(d)["id"])
        status, found = told(waiting())[0]
        same((status, k.ran()), (0, ["a"]), found)
        outer = d.wait_log("tool_call_finished", lambda e: e["tool"] == "relay_0000")
        inner = d.wait_log("tool_call_finished", lambda e: e["tool"] == "tally")
        same((inner["invoked_by"], one(d, "approved")["outcome"]), (outer["call"], "ok"))


# ---- AG-UI

def test_U3_8_T3_3_ag_ui_interrupts_ask_the_caller():
    with own() as k, k.again() as d:
        events = play(d, call_events("tally", line(k, "a"), "c1"), call_events("tally", line(k, "b"), "c2"))
        interrupts = events[-1]["outcome"]["interrupts"]
        same({i["toolCallId"] for i in interrupts}, {"c1", "c2"})
        same({i["reason"] for i in interrupts}, {"input_required"})
        same(k.ran(), [])
        resume = [{"interruptId": i["id"], "status": "resolved", "payload": {"approve": i["toolCallId"] == "c1"}}
                  for i in interrupts]
        events = post(d, lines([{**STARTED, "runId": "r2", "input": {"resume": resume, **RUN}},
                                {"type": "RUN_FINISHED", "threadId": "t1", "runId": "r2"}]))
        told = {id: e["content"] for id, e in results(events).items()}
        assert told["c1"].startswith("a at "), told
        same((told["c2"], k.ran()), (REFUSED, ["a"]))


# ---- conversations

def say(d, session, name, k, id, **more):
    same(tell(d, session, type="tool_call", call_id=id, name="tally", arguments=line(k, name), **more).status, 202)


def started(events, *ids):
    for id in ids:
        same(events.event("tool_call_started")["call_id"], id)


def approve(d, session, event, **members):
    return tell(d, session, type="tool_approval", approval_id=event["approval_id"], **members)


def output(event):
    return json.loads(event["output"])


def test_T0_8_needs_approval_emits_an_event_and_approving_runs_the_tool_once():
    with own() as k, k.again() as d:
        session = begin(d)
        with Listener(d, session) as events:
            say(d, session, "a", k, "c1", response_id="r1")
            started(events, "c1")
            event = events.event("tool_approval_required")
            same((event["call_id"], event["name"], event["response_id"], event["arguments"]["id"], event["reason"],
                  event["may_decide"]), ("c1", "tally", "r1", "a", "It leaves a line.", True))
            say(d, session, "a", k, "c1", response_id="r1")  # a duplicate of what waits
            d.wait_log("tool_invocation_ignored_already_pending")
            same(k.ran(), [])
            for wrong, code in (({"approve": "yes"}, "bad_event"), ({}, "bad_event"),
                                ({"approve": True, "remember": "all"}, "bad_event")):
                same(approve(d, session, event, **wrong).error, code)
            same(tell(d, session, type="tool_approval", approval_id="apr_" + "0" * 32, approve=True).error,
                 "approval_not_found")
            same(approve(d, session, event, approve=True).status, 202)
            same(events.event("tool_approval_decided")["state"], "approved")
            done = events.event("tool_call_output")
            same((done["call_id"], done["ok"]), ("c1", True))
            same(approve(d, session, event, approve=True).error, "approval_not_found")  # answered already
            say(d, session, "a", k, "c1")
            d.wait_log("tool_invocation_ignored_already_executed")
            same(k.ran(), ["a"])


def test_T0_8_U0_20_reject_sends_the_rejection():
    with own() as k, k.again() as d:
        session = begin(d)
        with Listener(d, session) as events:
            for text, told in ((None, REFUSED), ("Too late.", "Too late.")):
                say(d, session, "a", k, f"c{text}")
                started(events, f"c{text}")
                event = events.event("tool_approval_required")
                same(approve(d, session, event, approve=False, text=text).status, 202)
                same(events.event("tool_approval_decided")["state"], "rejected")
                done = events.event("tool_call_output")
                same((done["ok"], done["error"], output(done)["message"]), (False, "approval_rejected", told))
            same(k.ran(), [])


def test_T3_12_U3_10_a_conversation_is_asked_for_one_after_the_other():
    with own() as k, k.again() as d:
        session = begin(d)
        with Listener(d, session) as events:
            for n in (1, 2, 3):
                say(d, session, f"a{n}", k, f"c{n}")
            started(events, "c1")
            wait_for(lambda: len(listed(d)) == 3, what="three approvals")
            first = next(e for e in iter(lambda: events.next()[1], None) if e["type"] == "tool_approval_required")
            same(first["call_id"], "c1")
            later = next(a for a in listed(d) if a["call_id"] == "c2")
            same(tell(d, session, type="tool_approval", approval_id=later["id"], approve=True).error,
                 "approval_not_found")  # it is not asked for yet
            seen = []

            def until(kind):
                while (event := events.next()[1])["type"] != kind:
                    seen.append(event)
                return event

            same(approve(d, session, first, approve=True).status, 202)
            second = until("tool_approval_required")
            same(second["call_id"], "c2")
            same(approve(d, session, second, approve=False).status, 202)
            third = until("tool_approval_required")
            cli(d, "approve", third["approval_id"])  # whoever may
            wait_for(lambda: sorted(k.ran()) == ["a1", "a3"], what="the approved ones")


def test_U3_10_a_standing_approval_of_a_conversation_s_caller():
    with own() as k, k.again() as d:
        session = begin(d)
        with Listener(d, session) as events:
            say(d, session, "a", k, "c1")
            started(events, "c1")
            event = events.event("tool_approval_required")
            same(approve(d, session, event, approve=True, remember="arguments").status, 202)
            events.event("tool_approval_decided")
            events.event("tool_call_output")
            say(d, session, "a", k, "c2")
            started(events, "c2")
            same(events.event("tool_call_output")["ok"], True)
            say(d, session, "b", k, "c3")
            started(events, "c3")
            events.event("tool_approval_required")
            same(k.ran(), ["a", "a"])


def test_T0_8_who_may_not_decide_waits():
    with kept(durable=False) as k, k.again() as d:
        session = begin(d)
        with Listener(d, session) as events:
            say(d, session, "a", k, "c1")
            started(events, "c1")
            event = events.event("tool_approval_required")
            same(event["may_decide"], False)
            refused = approve(d, session, event, approve=True)
            same((refused.status, refused.error), (403, "approval_not_allowed"))
            cli(d, "approve", event["approval_id"])
            events.event("tool_approval_decided")
            same((events.event("tool_call_output")["ok"], k.ran()), (True, ["a"]))


def test_U3_11_who_sends_a_decision_decides_with_its_own_role():
    with kept(durable=False) as k, k.again() as d:
        keys = {name: bearer(new_key(d, name, "--role", "call", *more)) for name, more in (
            ("caller", ()), ("boss", ("--role", "manage")))}

        def decision(event):
            return {"type": "tool_approval", "approval_id": event["approval_id"], "approve": True}

        session = d.http("POST", "/v1/sessions", {}, keys["caller"]).json["session_id"]
        place = f"/v1/sessions/{session}/events"
        with Listener(d, session, keys["caller"]) as events:
            for name in ("a", "b"):
                same(d.http("POST", place, {"type": "tool_call", "call_id": name, "name": "tally",
                                            "arguments": line(k, name)}, keys["caller"]).status, 202)
                events.event("tool_call_started")
                event = events.event("tool_approval_required")
                same(event["may_decide"], False)
                refused = d.http("POST", place, decision(event), keys["caller"])
                same((refused.status, refused.error), (403, "approval_not_allowed"))
                if name == "a":
                    same(d.http("POST", place, decision(event), keys["boss"]).status, 202)
                else:
                    with WebSocket(d, f"?session_id={session}", keys["boss"]) as socket:
                        socket.say(**decision(event))
                        events.event("tool_approval_decided")
                        same(events.event("tool_call_output")["ok"], True)
                    continue
                events.event("tool_approval_decided")
                same(events.event("tool_call_output")["ok"], True)
        same((k.ran(), {a["decided_by"] for a in listed(d, "approved")}), (["a", "b"], {"key:boss"}))


def test_T0_8_an_interruption_withdraws_and_a_turn_of_the_user_does_not():
    with own() as k, k.again() as d:
        session = begin(d)
        with Listener(d, session) as events:
            say(d, session, "a", k, "c1", response_id="r1")
            started(events, "c1")
            event = events.event("tool_approval_required")
            tell(d, session, type="user_turn_started")  # "yes, do it" is a turn, too
            same(one(d)["id"], event["approval_id"])
            same(d.http("POST", f"/v1/sessions/{session}/interrupt", {"response_id": "r1"}).json, {"cancelled": 1})
            same(events.event("tool_approval_decided")["state"], "withdrawn")
            same(events.event("tool_call_output")["error"], "tool_cancelled")
            same(one(d, "withdrawn")["id"], event["approval_id"])
            same(approve(d, session, event, approve=True).error, "approval_not_found")
            say(d, session, "b", k, "c2")
            started(events, "c2")
            last = events.event("tool_approval_required")
        d.http("DELETE", f"/v1/sessions/{session}")
        wait_for(lambda: len(listed(d, "withdrawn")) == 2, what="the end of the other")
        assert "withdrawn" in cli(d, "approve", last["approval_id"], good=False)
        same(k.ran(), [])


def test_U3_7_T3_2_what_else_a_response_wanted_waits_with_it():
    with own(plugins=[plugin_file("tally"), "echo"]) as k, k.again() as d:
        for approved in (True, False):
            session = begin(d)
            with Listener(d, session) as events:
                say(d, session, "a", k, "c1", response_id="r1")
                tell(d, session, type="tool_call", call_id="c2", name="echo", arguments={"text": "b"}, response_id="r1")
                tell(d, session, type="tool_call", call_id="c3", name="echo", arguments={"text": "c"}, response_id="r2")
                kinds = {}
                while "tool_approval_required" not in kinds or "c3" not in kinds:
                    event = events.next()[1]
                    assert event.get("call_id") != "c2" or event["type"] == "tool_call_started", event
                    kinds[event["call_id"] if event["type"] == "tool_call_output" else event["type"]] = event
                same(approve(d, session, kinds["tool_approval_required"], approve=approved).status, 202)
                done = {}
                while len(done) < 2:
                    event = events.next()[1]
                    if event["type"] == "tool_call_output":
                        done[event["call_id"]] = event["ok"]
                same(done, {"c1": approved, "c2": True})
        same(k.ran(), ["a"])


def test_T0_8_over_a_websocket():
    with own() as k, k.again() as d, WebSocket(d) as socket:
        socket.event("session")
        socket.say(type="tool_call", call_id="c1", name="tally", arguments=line(k, "a"))
        socket.event("tool_call_started")
        event = socket.event("tool_approval_required")
        socket.say(type="tool_approval", approval_id=event["approval_id"], approve=True)
        socket.event("tool_approval_decided")
        same((socket.event("tool_call_output")["ok"], k.ran()), (True, ["a"]))


def test_T0_8_X10_over_realtime_nothing_is_said_while_it_waits():
    with own() as k, k.again() as d, WebSocket(d, "?format=realtime") as socket:
        socket.event("session.update")

        def wanted(id, name):
            socket.say(type="response.created", response={"id": f"r{id}"})
            socket.say(type="response.function_call_arguments.done", call_id=id, name="tally", response_id=f"r{id}",
                       item_id=f"i{id}", arguments=json.dumps(line(k, name)))
            socket.say(type="response.output_item.done", response_id=f"r{id}", item={
                "type": "function_call", "id": f"i{id}", "call_id": id, "name": "tally", "status": "completed",
                "arguments": json.dumps(line(k, name))})
            socket.say(type="response.done", response={"id": f"r{id}", "status": "completed", "output": []})
            return socket.event("toolhost.tool_approval_required")["approval"]

        for id, approved in (("c1", True), ("c2", False)):
            event = wanted(id, id)
            socket.say(type="tool_approval", approval_id=event["approval_id"], approve=approved)
            item = socket.event("conversation.item.create")["item"]  # the first thing that is said
            same((item["type"], item["call_id"]), ("function_call_output", id))
            assert (REFUSED in item["output"]) != approved, item
            socket.event("response.create")
        same(k.ran(), ["c1"])


if __name__ == "__main__":
    main()
