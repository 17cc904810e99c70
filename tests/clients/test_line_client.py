"""Events of voice agents, judged by Cartesia Line's own classes: what tools have for the user is theirs, what they say
comes to whoever has the conversation.  `./dev clients` installs them."""

import json
import os
import pathlib
import subprocess

from harness import Daemon, PATIENCE, SOURCE, Skip, main, same
from test_line import outputs
from test_sessions import Listener, begin, call, tell

PYTHON = os.environ.get("TOOLHOST_PYTHON")
AGENTS = [{"agent": "sales", "handoff_message": "I'll hand you over.", "introduction": "Sales here.",
           "update_call": {"voice_id": "v1", "pronunciation_dict_id": "p1", "language": "fr"}}]
FEATURES = {"end_call": {}, "transfer_call": {"message": "One moment.", "interruptible": False}, "send_dtmf": {},
            "agent_as_handoff": {"agents": AGENTS}}


def line(mode, said=""):
    if not PYTHON or not pathlib.Path(PYTHON).exists():
        raise Skip("the Python clients are not installed: ./dev clients")
    done = subprocess.run([PYTHON, str(SOURCE / "tests/clients/line_events.py"), mode], input=said,
                          capture_output=True, text=True, timeout=60 * PATIENCE)
    same(done.returncode, 0, f"exit status, with {done.stderr[-1500:]}")
    return [json.loads(row) for row in done.stdout.split("\n") if row]


def judged(events, classes):
    """Line takes each event for one of its class, and finds in it what we wrote."""
    rows = line("judge", "".join(json.dumps(event) + "\n" for event in events))
    same([row.get("class", row) for row in rows], classes)
    same([row["event"] for row in rows], events)


def voice_agent():
    return Daemon(plugins=[*FEATURES, "talk"], tenants={"default": {"features": FEATURES}})


def test_U4_23_what_tools_have_for_the_user_are_events_of_line():
    line("judge")  # skips before all else
    with voice_agent() as d:
        session = begin(d)
        with Listener(d, session) as events:
            said = [*outputs(d, session, events, "end_call", reason="done", message="Goodbye!"),
                    *outputs(d, session, events, "transfer_call", target_phone_number="+1 (415) 555-1234"),
                    *outputs(d, session, events, "transfer_call", target_phone_number="123"),
                    *outputs(d, session, events, "send_dtmf", button="#")]
            call(d, session, "transfer_to_sales")
            events.event("tool_call_started")
            said += [events.event("output")["output"] for _ in range(3)]
    judged(said, ["AgentSendText", "AgentEndCall", "AgentSendText", "AgentTransferCall", "AgentSendText",
                  "AgentSendDtmf", "AgentSendText", "AgentUpdateCall", "AgentSendText"])
    same([e["interruptible"] for e in said if "interruptible" in e], [False, True, False, False, True, True, True])


def test_U4_1_U4_23_what_a_tool_emits_arrives_as_line_wrote_it():
    wrote = [{"type": "agent_send_text", "text": "grüß dich", "interruptible": False, "responding_to": "e1"},
             {"type": "agent_send_dtmf", "button": "5"}, {"type": "end_call", "reason": "voicemail_detected"},
             {"type": "agent_transfer_call", "target_sip_uri": "sip:desk@example.com"},
             {"type": "log_metric", "name": "latency", "value": {"ms": 12.5}},
             {"type": "log_message", "name": "n", "level": "info", "message": "m", "metadata": {"a": [1, None]}},
             {"type": "update_call", "language": "de"}, {"type": "agent_send_custom", "metadata": {"card": {"n": 1}}}]
    judged(wrote, ["AgentSendText", "AgentSendDtmf", "AgentEndCall", "AgentTransferCall", "LogMetric", "LogMessage",
                   "AgentUpdateCall", "AgentSendCustom"])
    with voice_agent() as d:
        session = begin(d)
        with Listener(d, session) as events:
            same(outputs(d, session, events, "speak", events=wrote), wrote)


def test_U4_2_a_call_and_its_result_tell_what_line_tells_of_them():
    line("judge")
    with voice_agent() as d:
        session = begin(d)
        with Listener(d, session) as events:
            call(d, session, "speak", {"text": "two are left"}, call_id="c1")
            began, ended = events.event("tool_call_started"), events.event("tool_call_output")
    judged([{"type": "agent_tool_called", "tool_call_id": began["call_id"], "tool_name": began["name"]},
            {"type": "agent_tool_returned", "tool_call_id": ended["call_id"], "tool_name": ended["name"],
             "result": json.loads(ended["output"])}], ["AgentToolCalled", "AgentToolReturned"])
    same((began["call_id"], began["name"], ended["call_id"], ended["name"]), ("c1", "speak") * 2)


def test_S4_7_U4_17_U4_23_an_agent_hears_what_line_says_as_it_was_said():
    said = line("make")
    with voice_agent() as d:
        session = begin(d)
        with Listener(d, session) as events:
            call(d, session, "transfer_to_sales")
            while events.next()[1]["type"] != "tool_call_output":
                pass
            same(json.loads(events.event("output")["output"]["text"])["event"]["type"], "agent_handed_off")
            for event in said:
                tell(d, session, **event)
                same(json.loads(events.event("output")["output"]["text"]), {"event": event})
        same(len(said), 12)


def test_S4_5_without_an_agent_they_are_taken_and_are_nobodys():
    said = line("make")
    with voice_agent() as d:
        session = begin(d)
        for event in said:
            tell(d, session, **event)
        same(d.http("GET", f"/v1/sessions/{session}").json["active"], None)
        same(call(d, session, "speak", {"text": "still here"}).json["ok"], True)


if __name__ == "__main__":
    main()
