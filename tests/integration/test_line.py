#!/usr/bin/env python3
"""The tools of a voice agent: what they say to the user, and what they ask of servers."""

import contextlib
import json
import os
import tempfile

from harness import SOURCE, Daemon, main, same, wait_for
from test_builders import caller
from test_http import Handler, Server, write_secret
from test_sessions import Listener, begin, call, tell


class SearchEngine(Handler):
    """Answers as SearXNG and the Brave Search API do."""

    def on_searxng(self, path, nth):
        self.give({"query": "q", "results": [
            {"title": f"Page {n}", "url": f"https://{n}.example/", "content": "an <b>excerpt</b>"} for n in range(12)]})

    def on_brave(self, path, nth):
        if self.headers.get("X-Subscription-Token") != "k3y/canary":
            self.give({"error": "no key"}, 401)
        else:
            self.give({"web": {"results": [{"title": "T", "url": "https://a.example/", "description": "D"}]}})

    def on_nothing(self, path, nth):
        self.give({"results": []})

    def give(self, json_value, status=200):
        self.answer(status, json.dumps(json_value).encode(), Content_Type="application/json")


@contextlib.contextmanager
def searching(**feature):
    """A search engine, and a daemon that may ask it, with a key where the engine wants one."""
    with Server(SearchEngine) as s, tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        key = os.path.join(folder, "key")
        write_secret(key, "k3y/canary\n")
        policy = {"permissions": {"http": [
            {"url": s.url + "/brave", "private": True, "headers": {"X-Subscription-Token": "${brave}"}},
            {"url": s.url + "/nothing", "private": True}, {"url": s.url + "/searxng", "private": True}]},
                  "secrets": {"brave": key}}
        feature["url"] = s.url + feature["url"]
        with Daemon(plugins=["web_search"], policies={"web_search": policy},
                    tenants={"default": {"features": {"web_search": feature}}}) as d:
            yield s, d


def test_S4_10_U4_21_web_search_asks_searxng():
    with searching(backend="searxng", url="/searxng", search_context_size="low") as (s, d):
        answer = d.rest("web_search", {"query": "opening times & more"})
        same(answer.status, 200, answer)
        text = answer.body["content"][0]["text"]
        same(text.split("\n\n"), [f"{n + 1}. Page {n}\n   an excerpt\n   URL: https://{n}.example/" for n in range(3)])
        same(s.asked[0]["path"], "/searxng?q=opening%20times%20%26%20more&format=json")
        assert "X-Subscription-Token" not in s.asked[0]["headers"], s.asked
        same(d.rest("web_search", {"query": ""}).code, "tool_args_invalid")


def test_S4_10_U4_21_web_search_asks_brave_with_a_key_it_never_sees():
    with searching(backend="brave", url="/brave") as (s, d):
        same(d.rest("web_search", {"query": "q"}).body["content"][0]["text"], "1. T\n   D\n   URL: https://a.example/")
        same(s.asked[0]["path"], "/brave?q=q&text_decorations=false&count=5")
        same(s.asked[0]["headers"]["X-Subscription-Token"], "k3y/canary")
        assert "k3y" not in json.dumps(d.lines), "the key is in the log"


def test_U4_21_web_search_that_finds_nothing_or_may_not_ask():
    with searching(backend="searxng", url="/nothing") as (s, d):
        same(d.rest("web_search", {"query": "moon"}).body["content"][0]["text"], "No results found for: moon")
        d.tenant("default", {"features": {"web_search": {"backend": "searxng", "url": s.url + "/elsewhere"}}})
        d.wait_log("tool_build_finished", after=1)
        answer = d.rest("web_search", {"query": "moon"})
        same(answer.code, "http_not_granted")
        assert answer.message.startswith("Web search error: "), answer


# ---- what is said to the user of a session

@contextlib.contextmanager
def phone(**features):
    """A daemon whose tenant has these features, a session, and the session's events."""
    with Daemon(plugins=list(features), tenants={"default": {"features": features}}) as d:
        session = begin(d)
        with Listener(d, session) as events:
            yield d, session, events


def outputs(d, session, events, tool, /, **arguments):
    """What the user gets of a call, of which the model hears "success" and does not go on."""
    answer = call(d, session, tool, arguments)
    same((answer.json["ok"], answer.json["output"], answer.json["respond"]), (True, '"success"', False), answer)
    events.event("tool_call_started")
    got = []
    while (event := events.next()[1])["type"] == "output":
        got.append(event["output"])
    same((event["type"], event["output"], event["respond"]), ("tool_call_output", '"success"', False))
    return got


def say(text, interruptible=True):
    return {"type": "agent_send_text", "text": text, "interruptible": interruptible}


def test_S4_8_A4_3_end_call_says_goodbye_and_ends():
    with phone(end_call={}) as (d, session, events):
        end = {"type": "end_call", "reason": "agent_ended", "interruptible": True}
        same(outputs(d, session, events, "end_call", reason="done", message="Goodbye!"), [say("Goodbye!", False), end])
        same(outputs(d, session, events, "end_call", reason="done"), [end])
        same(call(d, session, "end_call", {}).json["error"], "tool_args_invalid")
        same(d.rest("end_call", {"reason": "done"}).code, "no_conversation")


def test_S4_9_T4_9_transfer_call_checks_numbers():
    rows = (("+14155551234", "+14155551234"), ("+1415555123", "invalid"), ("not-a-phone-number", "understand"),
            ("123", "understand"), ("+442071234567", "+442071234567"), ("+1 415 555 1234", "+14155551234"),
            ("+1-415-555-1234", "+14155551234"), ("+1 (415) 555-1234", "+14155551234"),
            ("+44 20 7123 4567", "+442071234567"))
    sorry = {"invalid": "I'm sorry, that phone number appears to be invalid.",
             "understand": "I'm sorry, I couldn't understand that phone number format."}
    with phone(transfer_call={"message": "One moment."}) as (d, session, events):
        for number, what in rows:
            expected = [say(sorry[what])] if what in sorry else [
                say("One moment."), {"type": "agent_transfer_call", "target_phone_number": what, "interruptible": True}]
            same(outputs(d, session, events, "transfer_call", target_phone_number=number), expected, number)


def test_T4_9_a_pinned_number_is_hidden_and_checked():
    with phone(transfer_call={"target_phone_number": "+1 (415) 555-1234"}) as (d, session, events):
        same(outputs(d, session, events, "transfer_call"),
             [{"type": "agent_transfer_call", "target_phone_number": "+14155551234", "interruptible": True}])
        assert "415" not in d.http("GET", "/v1/tools").body.decode(), "the model sees the number"
        refused = call(d, session, "transfer_call", {"target_phone_number": "+442071234567"})
        same(refused.json["error"], "tool_args_invalid")
        d.tenant("default", {"features": {"transfer_call": {"target_phone_number": "+1415555123"}}})
        error = d.wait_log("tool_build_error")
        assert "/target_phone_number: expected ten digits after +1" in error["message"], error
        wait_for(lambda: d.tools() == [], what="the tool to be gone")


def test_S4_11_T4_10_send_dtmf_presses_a_key():
    with phone(send_dtmf={}) as (d, session, events):
        for button in "7*#":
            same(outputs(d, session, events, "send_dtmf", button=button), [{"type": "agent_send_dtmf", "button": button}])
        same(call(d, session, "send_dtmf", {"button": "A"}).json["error"], "tool_args_invalid")


def test_S4_12_U4_18_agent_as_handoff_says_introduces_and_routes():
    agents = [{"agent": "sales", "handoff_message": "I'll hand you over.", "introduction": "Sales here.",
               "update_call": {"language": "fr"}}, {"agent": "nobody"}]
    with Daemon(plugins=["agent_as_handoff", "talk"],
                tenants={"default": {"features": {"agent_as_handoff": {"agents": agents}}}}) as d:
        session = begin(d)
        with Listener(d, session) as events:
            answer = call(d, session, "transfer_to_sales").json
            same((answer["ok"], answer["output"], answer["respond"]), (True, '"success"', False))
            events.event("tool_call_started")
            same([events.event("output")["output"] for _ in range(3)],
                 [say("I'll hand you over."), {"type": "update_call", "language": "fr"}, say("Sales here.")])
            same(events.event("agent_handed_off")["agent"], "sales")
            events.event("tool_call_output")
            heard = json.loads(events.event("output")["output"]["text"])["event"]
            same((heard["type"], heard["from"]), ("agent_handed_off", "transfer_to_sales"))
            tell(d, session, type="user_turn_ended", content="two, please")
            heard = json.loads(events.event("output")["output"]["text"])
            same(heard, {"event": {"type": "user_turn_ended", "content": "two, please"}})
            missing = call(d, session, "transfer_to_nobody").json
            same((missing["ok"], missing["error"]), (False, "agent_not_found"))
            same(d.http("GET", f"/v1/sessions/{session}").json["active"], "sales")


def test_the_example_of_a_voice_agent_works():
    text = (SOURCE / "examples" / "tenants" / "voice-agent.json").read_text()
    plugins = ["end_call", "transfer_call", "send_dtmf", "web_search", "agent_as_handoff"]
    with Daemon(plugins=plugins, tenants={"voice-agent": text}) as d:
        agent = caller(d, "voice-agent")
        names = [tool["name"] for tool in agent.http("GET", "/v1/tools").json["tools"]]
        same(names, ["end_call", "send_dtmf", "transfer_call", "transfer_to_billing", "web_search"])
        same(d.log_events("tool_build_error"), [])
        answer = call(agent, begin(agent), "transfer_call").json
        same((answer["ok"], answer["emitted"]), (True, 2))


if __name__ == "__main__":
    main()
