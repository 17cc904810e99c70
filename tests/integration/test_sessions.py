#!/usr/bin/env python3
"""Conversations over plain HTTP: calls that run once, events, interruption, handoff, ends."""

import concurrent.futures
import contextlib
import http.client
import json

from harness import PATIENCE, Daemon, installed, main, run, same, wait_for
from test_auth import Caller, new_key

PLUGINS = ["echo", "slow_echo", "talk"]


class Listener:
    """The event stream of a session: next() is (number, event); the last one is None."""

    def __init__(self, daemon, session, headers=None):
        host, port = daemon.address.rsplit(":", 1)
        self.connection = http.client.HTTPConnection(host, int(port), timeout=20 * PATIENCE)
        self.connection.request("GET", f"/v1/sessions/{session}/events", headers=headers or {})
        self.response = self.connection.getresponse()
        same(self.response.status, 200, "status of the events")
        same(self.response.headers["content-type"], "text/event-stream")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def next(self):
        number = event = None
        for line in iter(self.response.readline, b""):
            name, _, value = line.decode().rstrip("\n").partition(": ")
            if name == "id":
                number = int(value)
            elif name == "data":
                event = json.loads(value)
            elif not line.strip() and event:
                return number, event
        return None

    def event(self, kind):
        """The next event, which is of this kind."""
        found = self.next()
        assert found, f"the stream ended before {kind}"
        same(found[1]["type"], kind, found[1])
        return found[1]


def begin(daemon, **members):
    answer = daemon.http("POST", "/v1/sessions", members)
    same(answer.status, 201, answer)
    same(answer.headers["location"], f"/v1/sessions/{answer.json['session_id']}")
    return answer.json["session_id"]


@contextlib.contextmanager
def talking(**members):
    with Daemon(plugins=PLUGINS) as d:
        session = begin(d, **members)
        with Listener(d, session) as events:
            yield d, session, events


def tell(daemon, session, **event):
    return daemon.http("POST", f"/v1/sessions/{session}/events", event)


def call(daemon, session, tool, arguments=None, **members):
    return daemon.http("POST", f"/v1/tools/{tool}/call",
                       {"arguments": arguments or {}, "session_id": session, **members})


def test_S0_38_one_id_three_times_at_once_runs_once():
    with talking(call_id="CA-1") as (d, session, events):
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            wait = {"ms": 800, "text": "once"}
            answers = [pool.submit(call, d, session, "slow_echo", wait, call_id="fc1") for _ in range(3)]
            answers = [answer.result() for answer in answers]
        same([a.status for a in answers], [200] * 3)
        same({a.body for a in answers}.__len__(), 1, "different answers")
        same(answers[0].json["output"], '{"result":"once"}')
        events.event("tool_call_started")
        while (event := events.next()[1])["type"] == "tool_call_progress":
            pass
        same((event["type"], event["call_id"], event["ok"]), ("tool_call_output", "fc1", True))
        again = call(d, session, "slow_echo", wait, call_id="fc1")
        same(again.body, answers[0].body, "the answer once more")
        d.wait_log("tool_invocation_ignored_already_executed", lambda e: e["function_call_id"] == "fc1")
        same(len(d.log_events("tool_invocation_scheduled", least=1)), 1)
        same(len(d.log_events("tool_invocation_ignored_already_pending", least=2)), 2)
        same({e["call_id"] for e in d.log_events("tool_invocation_ignored_already_pending")}, {"CA-1"})
        other = call(d, session, "slow_echo", {"ms": 1}, call_id="fc1")
        same((other.status, other.error), (409, "call_id_reused"))
        same(d.http("GET", f"/v1/sessions/{session}").json["executed"], 1)


def test_S0_66_S4_14_a_cancelled_response_spares_background_calls():
    with talking() as (d, session, events):
        for number in range(3):
            same(tell(d, session, type="tool_call", call_id=f"c{number}", name="slow_echo",
                      arguments={"ms": 20000}, response_id="r1").status, 202)
        tell(d, session, type="tool_call", call_id="bg", name="research",
             arguments='{"ms":1000,"text":"found"}', response_id="r1")
        answer = d.http("POST", f"/v1/sessions/{session}/interrupt", {"response_id": "r1"})
        same((answer.status, answer.json), (200, {"cancelled": 3}))
        seen = []
        while (event := events.next()[1])["type"] != "tool_call_result":
            if event["type"] == "tool_call_output":
                seen.append((event["call_id"], event.get("error"), event["respond"]))
        same(sorted(seen), [("bg", None, True)] + [(f"c{n}", "tool_cancelled", False) for n in range(3)])
        same((event["call_id"], event["response_id"], event["output"], event["respond"]),
             ("bg", "r1", '{"result":"found"}', True))
        same(d.wait_log("tool_cancel_for_response_finished")["cancelled_count"], "3")


def test_S4_5_S4_6_S4_7_passthrough_and_handoff():
    with talking() as (d, session, events):
        answer = call(d, session, "say", {"text": "Good day."}, call_id="s")
        same((answer.json["output"], answer.json["respond"]), ('"success"', False))
        events.event("tool_call_started")
        same(events.event("output")["output"], {"type": "text", "text": "Good day."})
        same(events.event("tool_call_output")["call_id"], "s")
        tell(d, session, type="tool_call", call_id="h", name="sales", arguments={})
        events.event("tool_call_started")
        same(events.event("agent_handed_off")["agent"], "sales")
        same(json.loads(events.event("output")["output"]["text"]), {"event": {"type": "agent_handed_off"}})
        same(events.event("tool_call_output")["output"], '"success"')
        same(d.http("GET", f"/v1/sessions/{session}").json["active"], "sales")
        tell(d, session, type="user_turn_ended", content="two, please")
        heard = json.loads(events.event("output")["output"]["text"])
        same(heard, {"event": {"type": "user_turn_ended", "content": "two, please"}})


def say(text):
    return {"type": "say", "text": text}


def test_S4_5_U4_1_U4_3_what_a_tool_emits_goes_to_the_user():
    with talking() as (d, session, events):
        answer = call(d, session, "speak", {"events": [say("one"), {"type": "end_call"}]}, call_id="c")
        same((answer.json["ok"], answer.json["output"], answer.json["respond"], answer.json["emitted"]),
             (True, '"success"', False, 2))
        events.event("tool_call_started")
        for event in say("one"), {"type": "end_call"}:
            heard = events.event("output")
            same((heard["call_id"], heard["output"]), ("c", event))
        same(events.event("tool_call_output")["output"], '"success"')
        answer = call(d, session, "speak", {"events": [say("two")], "text": "told"}, call_id="both")
        same((answer.json["output"], answer.json["respond"]), ('{"result":"told"}', True))
        answer = call(d, session, "speak", {"events": [{}]}, call_id="bad")  # TOOLHOST_BAD_VALUE
        same((answer.json["error"], "emitted" in answer.json), ("not_said", False))
        plain = d.http("POST", "/v1/tools/speak/call", {"arguments": {"events": [say("nobody")]}})
        same((plain.json["error"]["code"], plain.json["error"]["message"]), ("not_said", "4000"))  # NOT_GRANTED


def test_S4_13_U4_5_what_was_said_before_an_interruption_stays_said():
    with talking() as (d, session, events):
        tell(d, session, type="tool_call", call_id="c", name="speak", response_id="r",
             arguments={"events": [say("so far")], "ms": 20000})
        events.event("tool_call_started")
        same(events.event("output")["output"], say("so far"))  # while it runs
        tell(d, session, type="user_turn_started")
        answer = events.event("tool_call_output")
        same((answer["error"], answer["respond"], answer["emitted"]), ("tool_cancelled", False, 1))
        with Listener(d, session, {"Last-Event-ID": "1"}) as again:
            same(again.event("output")["output"], say("so far"))


OK, NOT_GRANTED, NOT_FOUND, BAD_VALUE = 0, 4000, 5000, 7000


def test_S4_13_U4_5_what_a_tool_had_given_before_an_interruption_is_told():
    with talking() as (d, session, events):
        for call_id in ("c1", "c2"):
            tell(d, session, type="tool_call", call_id=call_id, name="speak", response_id=call_id, arguments={
                "first": "two are left", "events": [say("looking")], "ms": 60000, "text": "none of it is told"})
            events.event("tool_call_started")
            events.event("output")
            if call_id == "c1":
                same(d.http("POST", f"/v1/sessions/{session}/interrupt", {"response_id": "c1"}).json, {"cancelled": 1})
            else:
                tell(d, session, type="user_turn_started")
            told = events.event("tool_call_output")
            same((told["call_id"], told["ok"], told["error"], told["respond"]), (call_id, False, "tool_cancelled", False))
            output = json.loads(told["output"])
            same((output["error"], output["partial"]), ("tool_cancelled", {"result": "two are left"}))
            same(call(d, session, "speak", call_id=call_id).status, 409)
        same(d.log_events("worker_condemned"), [])


def act(daemon, session, *deeds, **members):
    arguments = {"do": list(deeds), "count": len(deeds), **members.pop("also", {})}
    answer = call(daemon, session, "act", arguments, **members).json
    if not answer["ok"]:
        return answer["error"]
    said = json.loads(answer["output"])
    lines = said["result"].split("\n") if isinstance(said, dict) else [said]
    return [(int(status), json.loads(value) if value != "-" else None)
            for status, value in (line.split(" ", 1) for line in lines)]


def test_a_tool_reads_and_writes_the_context():
    with talking(context={"user": {"name": "Ann"}}) as (d, session, events):
        same(act(d, session, {"get": "user.name"}, {"get": "workflow.step"}, {"set": "workflow.step", "json": "2"},
                 {"append": "history", "json": '{"said":"hi"}'}, {"raise": "vip"}, {"flag": "vip"},
                 {"get": "workflow"}, {"set": "user.name", "json": '"Bob"'}, {"set": "workflow.step.x", "json": "1"}),
             [(OK, "Ann"), (NOT_FOUND, None), (OK, None), (OK, None), (OK, None), (OK, True),
              (OK, {"step": 2}), (NOT_GRANTED, None), (BAD_VALUE, None)])
        context = d.http("GET", f"/v1/sessions/{session}").json["context"]
        same((context["workflow"], context["history"], context["flags"]), ({"step": 2}, [{"said": "hi"}], {"vip": True}))
        same(act(d, session, {"set": "workflow.step", "json": "3"}, {"lower": "vip"}, also={"fail": True}), "failed")
        same(act(d, session, {"get": "workflow.step"}, {"flag": "vip"}), [(OK, 2), (OK, True)])
        plain = d.http("POST", "/v1/tools/act/call", {"arguments": {"do": [{"get": "user"}], "count": 1}})
        same(plain.json["content"][0]["text"], f"{NOT_GRANTED} -")


def test_A2_8_A2_15_a_change_is_whole_and_stays_when_its_call_fails():
    def change(**parts):
        return {"change": json.dumps(parts)}

    def context():
        return d.http("GET", f"/v1/sessions/{session}").json["context"]

    with talking(context={"user": {"name": "Ann"}}) as (d, session, events):
        same(act(d, session, {"set": "workflow.before", "json": "1"},
                 change(set={"workflow.step": 1, "agents.a.b": {}}, append={"workflow.l": [2]}, flags={"vip": True, "x": False}),
                 {"get": "workflow"}, {"set": "workflow.after", "json": "1"}, also={"fail": True}), "failed")
        same({root: context()[root] for root in ("workflow", "agents", "flags")},
             {"workflow": {"before": 1, "step": 1, "l": [[2]]}, "agents": {"a": {"b": {}}}, "flags": {"vip": True}})
        for wrong, status in ((change(set={"workflow.step": 2, "user.name": "Bob"}), NOT_GRANTED),
                              (change(set={"workflow.step": 2}, append={"workflow.step": 3}), BAD_VALUE),
                              (change(set={"workflow.step": 2}, more={}), BAD_VALUE), (change(set=[]), BAD_VALUE),
                              ({"change": "[]"}, BAD_VALUE), ({"change": "{"}, BAD_VALUE)):
            same(act(d, session, wrong), [(status, None)], wrong)
        same(act(d, session, change(set={"workflow.large": "x" * 40000}), change(set={"workflow.more": "x" * 40000}),
                 {"get": "workflow.step"}), [(OK, None), (1000, None), (OK, 1)])
        same(context()["workflow"]["step"], 1)
        plain = d.http("POST", "/v1/tools/act/call", {"arguments": {"do": [change()], "count": 1}})
        same(plain.json["content"][0]["text"], f"{NOT_GRANTED} -")


def test_S2_11_a_handoff_that_holds_although_its_call_fails():
    with talking() as (d, session, events):
        call(d, session, "act", {"do": [{"handoff": '{"tool":"sales"}'}], "count": 1, "fail": True}, call_id="no")
        events.event("tool_call_started")
        events.event("tool_call_output")
        same(d.http("GET", f"/v1/sessions/{session}").json["active"], None)
        call(d, session, "act", {"do": [{"handoff": '{"tool":"sales","anyway":true}'}], "count": 1, "fail": True}, call_id="h")
        events.event("tool_call_started")
        same(events.event("agent_handed_off")["agent"], "sales")
        answer = events.event("tool_call_output")
        same((answer["ok"], answer["error"], answer["respond"]), (False, "failed", False))
        same(d.http("GET", f"/v1/sessions/{session}").json["active"], "sales")
        same(act(d, session, {"handoff": '{"tool":"sales","anyway":1}'}), [(BAD_VALUE, None)])


def test_large_values_go_up_and_down():
    with talking() as (d, session, events):
        large = json.dumps("x" * 40000)
        same(act(d, session, {"set": "workflow.large", "json": large}), [(OK, None)])
        same(act(d, session, {"get": "workflow"}), [(OK, {"large": "x" * 40000})])
        same(act(d, session, {"set": "workflow.more", "json": large}), "context_write_denied")  # 64 KiB in all
        context = d.http("GET", f"/v1/sessions/{session}").json["context"]
        same(list(context["workflow"]), ["large"])


def test_U4_17_a_tool_hands_off():
    with talking() as (d, session, events):
        call(d, session, "act", {"do": [{"handoff": '{"tool":"sales"}'}], "count": 1}, call_id="h")
        events.event("tool_call_started")
        same(events.event("agent_handed_off")["agent"], "sales")
        answer = events.event("tool_call_output")
        same((answer["ok"], answer["respond"]), (True, False))
        introduced = json.loads(events.event("output")["output"]["text"])
        same(introduced, {"event": {"type": "agent_handed_off", "from": "act"}})
        tell(d, session, type="user_turn_ended", content="two, please")
        heard = json.loads(events.event("output")["output"]["text"])
        same(heard, {"event": {"type": "user_turn_ended", "content": "two, please"}})
        same(d.http("GET", f"/v1/sessions/{session}").json["active"], "sales")
        same(act(d, session, {"handoff": '{"tool":"nobody"}'}, {"handoff": '{"tool":null}'}),
             [(NOT_FOUND, None), (OK, None)])
        same(d.http("GET", f"/v1/sessions/{session}").json["active"], None)


def test_what_no_worker_would_want_of_a_session():
    deeds = ("state_short", "state_again", "state_text", "state_none", "state_two")
    with Daemon(plugins=["forged_service"], config={"max_crashes": 1000}) as d:
        session = begin(d)
        for deed in deeds:
            wait_for(lambda: call(d, session, "forged_service", {"deed": "stop"}).json["ok"], 60, what="a worker")
            same(call(d, session, "forged_service", {"deed": deed}).json["error"], "tool_crashed", deed)
        wait_for(lambda: call(d, session, "forged_service", {"deed": "stop"}).json["ok"], 60, what="a worker")
        same(d.rest("forged_service", {"deed": "state"}).code, "tool_crashed")


def test_what_no_worker_would_tell_a_user():
    deeds = ("empty", "not_json", "no_object", "no_type", "type", "not_utf8", "long", "flood")
    with Daemon(plugins=["forged_event"], config={"max_crashes": 1000}) as d:
        session = begin(d)
        wait_for(lambda: call(d, session, "forged_event", {"deed": "good"}).json["ok"], 60, what="a worker")
        for deed in deeds:
            same(call(d, session, "forged_event", {"deed": deed}).json["error"], "tool_crashed", deed)
            wait_for(lambda: call(d, session, "forged_event", {"deed": "good"}).json["ok"], 60, what="a worker")
        same(len(d.log_events("worker_crashed", lambda e: e["reason"] == "protocol_error", least=len(deeds))), len(deeds))


def test_S0_67_the_end_cancels_what_runs():
    with talking() as (d, session, events):
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(call, d, session, "slow_echo", {"ms": 20000}, call_id="c")
            events.event("tool_call_started")
            same(d.http("DELETE", f"/v1/sessions/{session}").status, 204)
            same((waiting.result().json["ok"], waiting.result().json["error"]), (False, "tool_cancelled"))
        while (event := events.next()[1])["type"] == "tool_call_progress":
            pass
        same((event["type"], event["reason"]), ("session_ended", "deleted"))
        same(events.next(), None, "behind the last event")
        gone = d.http("GET", f"/v1/sessions/{session}")
        same((gone.status, gone.error), (404, "session_not_found"))
        same(call(d, session, "echo", {"text": "x"}).error, "session_not_found")


def test_a_caller_that_leaves_finds_its_answer():
    with talking() as (d, session, events):
        with contextlib.suppress(TimeoutError):
            d.http("POST", "/v1/tools/slow_echo/call", {"arguments": {"ms": 900, "text": "kept"}, "call_id": "c",
                                                        "session_id": session}, timeout=0.3 / PATIENCE)
        answer = call(d, session, "slow_echo", {"ms": 900, "text": "kept"}, call_id="c")
        same(answer.json["output"], '{"result":"kept"}')
        same(len(d.log_events("tool_invocation_scheduled", least=1)), 1)


def test_events_go_on_behind_the_last_one():
    with talking() as (d, session, events):
        for number in range(3):
            tell(d, session, type="tool_call", call_id=f"c{number}", name="nothing")
        numbers = [events.next()[0] for _ in range(6)]
        same(numbers, [1, 2, 3, 4, 5, 6])
        with Listener(d, session, {"Last-Event-ID": "4"}) as other:
            number, event = other.next()
            same((number, event["call_id"]), (5, "c2"))
        early = d.http("GET", f"/v1/sessions/{session}/events", headers={"Last-Event-ID": "7"})
        same((early.status, early.error), (400, "bad_request"))
        same(d.http("GET", f"/v1/sessions/{session}/events?after=x").status, 400)


def test_context_and_what_is_refused():
    with Daemon(plugins=["echo"]) as d:
        session = begin(d, context={"user": {"name": "Ada"}})
        same(tell(d, session, type="context", set={"workflow.step": 2}, flags={"vip": True}).status, 202)
        context = d.http("GET", f"/v1/sessions/{session}").json["context"]
        same(context, {"user": {"name": "Ada"}, "tenant": {}, "workflow": {"step": 2}, "agents": {},
                       "flags": {"vip": True}, "history": []})
        denied = tell(d, session, type="context", set={"user.name": "Eve"})
        same((denied.status, denied.json["error"]),
             (403, {"code": "context_write_denied", "message": "/set/user.name: this part of the context can't be "
                    "written", "path": "/set/user.name"}))
        bad = tell(d, session, type="tool_call", name="echo")
        same((bad.status, bad.json["error"]["code"], bad.json["error"]["path"]), (400, "bad_event", "/call_id"))
        wrong = d.http("POST", "/v1/sessions", {"contxt": {}})
        same((wrong.status, wrong.json["error"]["path"]), (400, "/contxt"))
        assert 'did you mean "context"?' in wrong.json["error"]["message"], wrong
        same(d.http("POST", f"/v1/sessions/{session}/interrupt", {"response_id": 1}).status, 400)
        same(d.http("POST", "/v1/sessions", "[]").status, 400)
        same(d.rest("echo", {"text": "x"}, session_id="a label of mine").status, 200)


def test_a_session_is_its_caller_s():
    with Daemon(plugins=["echo"]) as d:
        ada, eve = (Caller(d, new_key(d, name, "--role", "call")) for name in ("ada", "eve"))
        boss = Caller(d, new_key(d, "boss", "--role", "manage"))
        session = begin(ada)
        for other in (eve, d):
            same(other.http("GET", f"/v1/sessions/{session}").status, 404)
            same(other.http("GET", f"/v1/sessions/{session}/events").status, 404)
            same(call(other, session, "echo", {"text": "x"}).status, 404)
            same(other.http("GET", "/v1/sessions").json, {"sessions": []})
        same(len(ada.http("GET", "/v1/sessions").json["sessions"]), 1)
        name = boss.http("GET", "/v1/sessions").json["sessions"][0]["name"]
        same(ada.http("DELETE", f"/v1/sessions/{name}").status, 404)
        same(boss.http("DELETE", f"/v1/sessions/{name}").status, 204)
        same(ada.http("GET", f"/v1/sessions/{session}").status, 404)


def test_caps_and_expiry():
    config = {"sessions": {"principal_max": 2, "ttl": "1s"}}
    with Daemon(plugins=["echo"], config=config) as d:
        begin(d)
        begin(d)
        full = d.http("POST", "/v1/sessions", {})
        same((full.status, full.error), (429, "session_limit"))
        assert full.headers["retry-after"], full
        d.wait_log("session_ended", lambda e: e["reason"] == "expired")
        wait_for(lambda: not d.http("GET", "/v1/sessions").json["sessions"], 10, "the end of both")
        begin(d)


def test_a_toolset_that_changes_is_told():
    with talking() as (d, session, events):
        d.add("hash")
        same("hash" in " ".join(events.event("toolset_changed")["tools"]), True)
        answer = call(d, session, "hash", {"text": "x"}, call_id="c")
        same(answer.json["ok"], True)


def test_the_command():
    def sessions(*words):
        return run(installed("bin/toolhost"), "sessions", *words, "--socket", d.socket)

    with talking() as (d, session, events):
        status, said, complaint = sessions()
        same((status, complaint), (0, ""))
        shown = json.loads(said)["sessions"][0]
        same((shown["state"], shown["running"], shown["active"]), ("open", 0, None))
        assert session not in said, said
        same(sessions("end", shown["name"]), (0, "", ""))
        events.event("session_ended")
        status, said, complaint = sessions("end", shown["name"])
        assert status != 0 and "session_not_found" in complaint + said or "no session" in complaint, complaint
        status, said, complaint = sessions("stop")
        same((status, complaint), (2, "toolhost: sessions: expected nothing, or end and a session\n"))


def test_streams_end_when_the_daemon_stops():
    with talking() as (d, session, events):
        d.signal(15)
        same(events.next(), None, "behind the last event")
        d.process.wait(15 * PATIENCE)  # a second signal may find it without its handlers


if __name__ == "__main__":
    main()
