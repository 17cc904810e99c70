#!/usr/bin/env python3
"""The telephone call that a session is: what tools may ask of it, and request_transfer through the real daemon."""

import contextlib
import json

from harness import Daemon, main, same, wait_for
from test_auth import Caller, new_key
from test_builders import ACME
from test_sessions import Listener, begin, call

PHONE = {"permissions": {"call_service": ["refer", "hangup", "dtmf", "say"]}}


@contextlib.contextmanager
def telephone(policy=PHONE, fake=True, call_id="CA-1"):
    with Daemon(plugins=["phone", "echo"], policies={"phone": policy},
                config={"sessions": {"fake_telephone": fake}}) as d:
        session = begin(d, call_id=call_id)
        with Listener(d, session) as events:
            yield d, session, events


def ask(d, session, **arguments):
    return json.loads(call(d, session, "phone", arguments).json["output"])["result"]


def of(call_id):
    return lambda line: line.get("function_call_id") == call_id


def next_service(events):
    while True:
        event = events.next()[1]
        if event["type"] == "call_service":
            return event


def test_everything_that_a_telephone_can_do():
    with telephone() as (d, session, events):
        same(ask(d, session, action="call_id"), "CA-1")
        for action, member, text in (("refer", "target_uri", "sip:a@example.com"), ("hangup", "reason", "bye"),
                                     ("dtmf", "digits", "12#"), ("say", "text", "Bonjour\n!")):
            same(ask(d, session, action=action, text=text, key=f"k-{action}"), "ok")
            same(next_service(events), {"type": "call_service", "service": "recording", "action": action, member: text,
                                        "idempotency_key": f"k-{action}", "ok": True})
            done = d.wait_log("call_service_done", lambda e: e["action"] == action)
            same((done["call_id"], done["service"]), ("CA-1", "recording"))


def test_A0_13_the_same_key_is_done_once():
    with telephone() as (d, session, events):
        for _ in range(3):
            same(ask(d, session, action="refer", text="+14155550100", key="once"), "ok")
        same(ask(d, session, action="refer", text="+14155550199", key="once"),
             "failed: the idempotency key is another request's")
        same(ask(d, session, action="hangup"), "ok")
        same([next_service(events)["action"] for _ in range(2)], ["refer", "hangup"])


def test_what_can_not_be_done_is_told_in_words():
    with telephone() as (d, session, _):
        same(ask(d, session, action="dtmf", text="1x"), "failed: tones are written with 0 to 9, A to D, * and #")
        same(ask(d, session, action="refer"), "failed: the target is neither a SIP URI nor a number")
        same(ask(d, session, action="say", text="x" * 17000), "failed: the text is too long")
        same(ask(d, session, action="say", text="x" * 70000), "bad value: The text is too long.")


def test_S0_51_who_is_granted_nothing_is_given_nothing():
    with telephone(policy={}) as (d, session, _):
        same(ask(d, session, action="refer", text="+1"), "no service")
        same(ask(d, session, action="call_id"), "no service")
        assert not [e for e in d.lines if e["event"] == "tool_executor_dependencies_prepared"]


def test_S0_51_a_tool_gets_what_it_is_granted_and_no_more():
    some = {"permissions": {"call_service": ["refer", "dtmf"]}, "tools": {"phone": {"call_service": ["dtmf"]}}}
    refused = "not granted: the operator has not granted this tool that (permissions.call_service)"
    with telephone(policy=some) as (d, session, events):
        same(ask(d, session, action="refer", text="+1"), refused)
        same(ask(d, session, action="hangup"), refused)
        same(ask(d, session, action="dtmf", text="1"), "ok")
        same(next_service(events)["action"], "dtmf")
        granted = next(p for p in d.http("GET", "/v1/plugins").json["plugins"] if p["name"] == "phone")["policy"]
        same(granted["permissions"]["call_service"], ["refer", "dtmf"])
        same(granted["tools"]["phone"]["call_service"], ["dtmf"])


def test_a_session_that_is_no_telephone_call():
    with telephone(fake=False) as (d, session, _):
        same(ask(d, session, action="call_id"), "no telephone")
        same(ask(d, session, action="hangup"), "not granted: the session is no telephone call")
        outside = d.http("POST", "/v1/tools/phone/call", {"arguments": {"action": "hangup"}})
        same(outside.json["content"][0]["text"], "not granted: the session is no telephone call")


def test_what_no_worker_would_ask():
    deeds = ("phone_long", "phone_key", "phone_rest", "phone_zero", "phone_utf8", "phone_again", "phone_number")
    with Daemon(plugins=["forged_service", "echo"], config={"max_crashes": 1000, "sessions": {"fake_telephone": True}}) as d:
        session = begin(d, call_id="CA-1")
        for deed in deeds:
            wait_for(lambda: d.rest("forged_service", {"deed": "phone"}).status == 200, what="a worker")
            same(json.loads(call(d, session, "forged_service", {"deed": deed}).json["output"])["error"], "tool_crashed", deed)
        wait_for(lambda: len(d.log_events("worker_crashed", lambda e: e["reason"] == "protocol_error")) == len(deeds),
                 what="all of them in the log")
        same(d.log_events("call_service_done"), [])  # nothing of it was granted
        same(d.call("echo", {"text": "well"}).text, "well")


def test_S0_50_S0_51_the_log_of_what_a_tool_is_given():
    with telephone() as (d, session, _):
        call(d, session, "phone", {"text": "x", "action": "say", "key": "k"}, call_id="fc-1", response_id="r-1")
        parsed = d.wait_log("tool_executor_arguments_parsed")
        same(parsed["argument_keys"], ["action", "key", "text"])
        prepared = d.wait_log("tool_executor_dependencies_prepared")
        same(prepared["dependency_keys"], ["call_service"])
        for line in (parsed, prepared):
            same([line[m] for m in ("tool_name", "tenant_id", "openai_sip_call_id", "function_call_id", "response_id")],
                 ["phone", "default", "CA-1", "fc-1", "r-1"])
        call(d, session, "echo", {"text": "x"}, call_id="fc-2")
        same(d.wait_log("tool_executor_arguments_parsed", of("fc-2"))["argument_keys"], ["text"])
        d.wait_log("tool_executor_execute_finished", of("fc-2"))
        same([e["function_call_id"] for e in d.lines if e["event"] == "tool_executor_dependencies_prepared"], ["fc-1"])


def test_S0_56_S0_57_S0_58_S0_60_S0_61_S0_63_request_transfer():
    with Daemon(plugins=["request_transfer"], tenants={"acme-corp": ACME},
                config={"sessions": {"fake_telephone": True}}) as d:
        acme = Caller(d, new_key(d, "acme", "--tenant", "acme-corp"))
        session = acme.http("POST", "/v1/sessions", {"call_id": "rtc_42"}).json["session_id"]

        def transfer(call_id, arguments):
            return acme.http("POST", "/v1/tools/request_transfer/call",
                             {"arguments": arguments, "session_id": session, "call_id": call_id,
                              "response_id": "resp_1"}).json

        destination = ACME["features"]["refer"]["destinations"][0]
        target = destination["target_uri"]
        got = transfer("fc_1", {"reason": "devis", "destination_id": destination["destination_id"]})
        same((got["ok"], got.get("error")), (True, None))
        same(json.loads(got["output"]), {"message": "call_transfer_requested", "target_uri": target, "reason": "devis"})
        same(json.loads(transfer("fc_2", {"destination_id": destination["destination_id"]})["output"])["reason"], "")
        same(transfer("fc_3", {"destination_id": "nowhere"})["error"], "tool_args_invalid")
        d.wait_log("tool_executor_execute_finished", of("fc_2"))
        same([e["event"] for e in d.lines if e.get("function_call_id") == "fc_1" or e["event"] == "call_service_done"],
             ["tool_invocation_scheduled", "tool_executor_execute_started", "tool_executor_arguments_parsed",
              "tool_executor_dependencies_prepared", "request_transfer_started",
              "request_transfer_destination_resolution_finished", "request_transfer_refer_call_started",
              "call_service_done", "request_transfer_refer_call_succeeded", "tool_executor_execute_finished"])
        started = d.wait_log("request_transfer_started")
        same((started["argument_keys"], started["response_id"]), (["destination_id", "reason"], "resp_1"))
        referred = d.wait_log("request_transfer_refer_call_started")
        same((referred["idempotency_key"], referred["openai_sip_call_id"], referred["target_uri"], referred["reason"]),
             (f"rtc_42-transfer-{target}", "rtc_42", target, "devis"))
        same(len([e for e in d.lines if e["event"] == "call_service_done"]), 1)  # the same key


if __name__ == "__main__":
    main()
