#!/usr/bin/env python3
"""Calls that ask in a conversation: questions as events, answers, and what becomes of those without."""

import concurrent.futures
import contextlib
import json

from harness import Daemon, main, same
from test_asks_rest import cli
from test_auth import Caller, new_key
from test_sessions import Listener, begin, call, tell

ACCEPT = {"action": "accept", "content": {"name": "Ann"}}


@contextlib.contextmanager
def asking(**config):
    with Daemon(plugins=["asks", "echo"], config=config) as d:
        session = begin(d)
        with Listener(d, session) as events:
            yield d, session, events


def start(daemon, session, events, name="greet", call_id="c", **members):
    same(tell(daemon, session, type="tool_call", call_id=call_id, name=name, **members).status, 202)
    events.event("tool_call_started")
    asked = events.event("tool_call_asks")
    same((asked["call_id"], asked["name"]), (call_id, name))
    return asked


def answer(daemon, session, call_id="c", **members):
    return tell(daemon, session, type="answer", call_id=call_id, **members)


def test_a_question_and_its_answer():
    with asking() as (d, session, events):
        asked = start(d, session, events, response_id="r")
        question = asked["requests"]["user_name"]
        same((question["method"], question["params"]["message"]), ("elicitation/create", 'Who is "you"?'))
        same((asked["response_id"], asked["expires_in_ms"]), ("r", 600000))
        shown = d.http("GET", f"/v1/sessions/{session}").json
        same([(c["call_id"], list(c["requests"])) for c in shown["calls"]], [("c", ["user_name"])])
        tell(d, session, type="user_turn_started")  # the user may be about to answer
        wrong = answer(d, session, responses={"user_name": {"action": "accept", "content": {"name": "A"}}})
        same((wrong.status, wrong.error, wrong.json["error"]["path"]), (422, "input_invalid", "/responses"))
        same(answer(d, session, call_id="x", responses={}).error, "ask_not_found")
        same(answer(d, session, responses=[]).error, "bad_event")
        same(answer(d, session, responses={"other": ACCEPT}).status, 202)  # it goes on waiting
        same(answer(d, session, responses={"user_name": ACCEPT}).status, 202)
        told = events.event("tool_call_output")
        same((told["call_id"], told["ok"], told["output"], told["respond"]), ("c", True, '{"result":"Hello, Ann!"}', True))
        late = answer(d, session, responses={"user_name": ACCEPT})
        same((late.status, late.error), (404, "ask_not_found"))
        d.wait_log("tool_executor_execute_finished")
        same(len(d.log_events("tool_executor_execute_finished", least=1)), 1)


def test_the_caller_waits_as_long():
    with asking() as (d, session, events):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            first = pool.submit(call, d, session, "greet", {}, call_id="c")
            events.event("tool_call_started")
            events.event("tool_call_asks")
            again = pool.submit(call, d, session, "greet", {}, call_id="c")  # the same waits, too
            d.wait_log("tool_invocation_ignored_already_pending", lambda e: e["function_call_id"] == "c")
            answer(d, session, responses={"user_name": ACCEPT})
            same({first.result().body, again.result().body}.__len__(), 1)
            same(first.result().json["output"], '{"result":"Hello, Ann!"}')


def test_round_after_round():
    with asking() as (d, session, events):
        asked = start(d, session, events, name="rounds")
        same(list(asked["requests"]), ["step1"])
        answer(d, session, responses={"step1": ACCEPT})
        same(list(events.event("tool_call_asks")["requests"]), ["step2"])
        answer(d, session, responses={"step2": {"action": "accept", "content": {"name": "Bob"}}})
        same(events.event("tool_call_output")["output"], '{"result":"step1=Ann \\nstep2=Bob "}')


def test_who_declines_is_heard():
    with asking() as (d, session, events):
        start(d, session, events)
        same(answer(d, session, decline=True).status, 202)
        same(events.event("tool_call_output")["output"], '{"result":"Hello, whoever (declined)!"}')


def test_S4_13_interruptions_and_ends_cancel_what_waits():
    with asking() as (d, session, events):
        start(d, session, events, response_id="r1")
        start(d, session, events, call_id="other", response_id="r2")
        stopped = d.http("POST", f"/v1/sessions/{session}/interrupt", {"response_id": "r1"})
        same(stopped.json, {"cancelled": 1})
        told = events.event("tool_call_output")
        same((told["call_id"], told["error"], told["respond"]), ("c", "tool_cancelled", False))
        same(answer(d, session, responses={"user_name": ACCEPT}).error, "ask_not_found")
        same(tell(d, session, type="interrupt").status, 202)
        same(events.event("tool_call_output")["call_id"], "other")
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(call, d, session, "greet", {}, call_id="last")
            events.event("tool_call_started")
            events.event("tool_call_asks")
            same(d.http("DELETE", f"/v1/sessions/{session}").status, 204)
            same(waiting.result().json["error"], "tool_cancelled")
        same(events.event("session_ended")["reason"], "deleted")


def test_questions_of_conversations_stand_in_v1_asks():
    with asking() as (d, session, events):
        name = d.http("GET", f"/v1/sessions/{session}").json["name"]
        boss = Caller(d, new_key(d, "boss", "--role", "approve"))
        other = Caller(d, new_key(d, "other", "--role", "call"))
        for n, (who, body, output) in enumerate((
                (d, {"responses": {"user_name": ACCEPT}}, '{"result":"Hello, Ann!"}'),
                (boss, {"decline": True}, '{"result":"Hello, whoever (declined)!"}'))):
            asked = start(d, session, events, call_id=f"c{n}")
            path = f"/v1/asks/{name}:c{n}"
            same(other.http("GET", "/v1/asks").json, {"asks": []})
            same([other.http(*request).status for request in (("GET", path), ("POST", path, body), ("DELETE", path))],
                 [404] * 3)
            [ask] = who.http("GET", "/v1/asks").json["asks"]
            same(who.http("GET", path).json["requests"], ask["requests"])
            same((ask["id"], ask["state"], ask["tool"], ask["session"], ask["requests"]),
                 (f"{name}:c{n}", "open", "greet", name, asked["requests"]))
            wrong = who.http("POST", path, {"responses": {"user_name": {"action": "accept", "content": {"name": "A"}}}})
            same((wrong.status, wrong.error), (422, "input_invalid"))
            same(who.http("POST", path, {"responses": []}).error, "bad_request")
            done = who.http("POST", path, body)
            same((done.status, done.json["state"], "requests" in done.json), (200, "running", False))
            same(events.event("tool_call_output")["output"], output)
            same(who.http("POST", path, body).status, 404)
        start(d, session, events, call_id="c9")
        same(boss.http("DELETE", f"/v1/asks/{name}:c9").status, 204)
        same(events.event("tool_call_output")["error"], "tool_cancelled")


def test_toolhost_approve_answers_in_a_conversation():
    with asking() as (d, session, events):
        start(d, session, events, call_id="fc 1 ü")
        listed = cli(d, "asks", "--json")
        [ask] = json.loads(listed[1])["asks"]
        same(cli(d, "approve", ask["id"], "--arg", "name=Ann")[:2], (0, "the conversation goes on\n"))
        same(events.event("tool_call_output")["output"], '{"result":"Hello, Ann!"}')


def test_nobody_answers():
    with asking(asks={"ttl": "1s"}) as (d, session, events):
        asked = start(d, session, events)
        same(asked["expires_in_ms"], 1000)
        same(events.event("tool_call_output")["output"], '{"result":"Hello, whoever (expired)!"}')


def test_more_than_may_wait():
    with asking(asks={"max": 1}) as (d, session, events):
        start(d, session, events)
        other = begin(d)
        same(call(d, other, "greet", {}).json["error"], "tool_overloaded")
        answer(d, session, responses={"user_name": ACCEPT})
        events.event("tool_call_output")
        start(d, session, events, call_id="again")


def test_the_active_agent_can_not_ask():
    with Daemon(plugins=["asks", "talk"]) as d:
        session = begin(d)
        with Listener(d, session) as events:
            call(d, session, "act", {"do": [{"handoff": '{"tool":"greet","args":{"insist":true}}'}], "count": 1})
            events.event("tool_call_started")
            events.event("agent_handed_off")
            events.event("tool_call_output")
            same(events.event("agent_failed")["error"], "capability_required")


if __name__ == "__main__":
    main()
