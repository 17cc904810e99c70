#!/usr/bin/env python3
"""Declarative tools in the real daemon: the seed's example, webhooks to a real server, rows of tests/actions."""

import contextlib
import json
import os
import tempfile

from harness import SOURCE, Daemon, in_background, main, same, wait_for
from test_builders import caller
from test_http import Handler, Server, write_secret
from test_manage import manager, path, put
from test_meals import LUNCH, SAVE_MEAL, SORRY
from test_sessions import Listener, begin, call, tell


class Meals(Handler):
    """Answers as a server of meals does."""

    def on_log(self, path, nth):
        self.answer(200, json.dumps({"id": nth}).encode(), Content_Type="application/json")

    def on_text(self, path, nth):
        self.answer(200, "gut gespeichert, é".encode())

    def on_bytes(self, path, nth):
        self.answer(200, b"\xff\xfe")


def declared(*tools, endpoints=(), **more):
    return {"features": {"actions": {"tools": list(tools), "endpoints": list(endpoints), **more}}}


def tool(name, *actions, **more):
    return {"name": name, "description": "d", "actions": list(actions), **more}


def hook(endpoint, **more):
    return {"type": "webhook", "endpoint": endpoint, **more}


def say(text):
    return {"type": "respond", "message": text}


@contextlib.contextmanager
def kitchen(*tools, path="/log", endpoints=(), grants=None, tenants=None, plugins=(), secrets=None, **more):
    """A server of meals, and a daemon whose tools may ask it."""
    with Server(Meals) as s:
        grants = grants(s) if grants else [{"url": s.url + "/*", "private": True}]
        policy = {"permissions": {"http": grants}, **({"secrets": secrets} if secrets else {})}
        meal_log = {"name": "meal.log", "url": s.url + path, **more}
        others = [{**e, "url": s.url + e["url"]} for e in endpoints]
        tenants = tenants(s) if tenants else {"default": declared(*tools, endpoints=[meal_log, *others])}
        with Daemon(plugins=["actions", *plugins], policies={"actions": policy}, tenants=tenants) as d:
            yield s, d


def output(answer):
    return json.loads(answer.json["output"])


def context(d, session):
    return d.http("GET", f"/v1/sessions/{session}").json["context"]


def spoken(text):
    return {"type": "agent_send_text", "text": text, "interruptible": True}


# ---- the seed's example

def test_S2_3_S2_10_S2_17_S2_19_S2_28_save_meal_logs_a_meal():
    with kitchen(SAVE_MEAL) as (s, d):
        session = begin(d, context={"user": {"id": "u1"}})
        with Listener(d, session) as events:
            answer = call(d, session, "save_meal", LUNCH, call_id="fc_1")
            same(answer.json["ok"], True, answer)
            same(output(answer), {"ok": True, "message": "I've logged your lunch!", "said": True, "data": {}})
            events.event("tool_call_started")
            same(events.event("output")["output"], spoken("I've logged your lunch!"))
            same(context(d, session)["workflow"], {"logged_meals": [LUNCH]})
            call(d, session, "save_meal", {"dishes": ["bread"]})
            same(context(d, session)["workflow"]["logged_meals"][1], {"dishes": ["bread"]})
        first = s.asked[0]
        same((first["method"], first["path"], json.loads(first["body"])), ("POST", "/log", {"user_id": "u1", "meal": LUNCH}))
        assert first["headers"]["Idempotency-Key"].endswith(".fc_1-actions[2]"), first
        trace = d.wait_log("tool_actions_finished")
        same([a["type"] for a in trace["actions"]], ["validate", "context.set", "webhook", "respond"])
        assert "soup" not in json.dumps(trace), trace
        same(d.rest("save_meal", {"meal_type": "brunch", "dishes": []}).code, "tool_args_invalid")
        same(len(s.asked), 2)


def test_S2_22_S2_26_A2_15_save_meal_says_that_it_failed():
    with kitchen(SAVE_MEAL, path="/status/500") as (s, d):
        session = begin(d)
        with Listener(d, session) as events:
            answer = call(d, session, "save_meal", LUNCH)
            same((answer.json["ok"], answer.json["error"], answer.json["respond"]), (False, "webhook_failed", True))
            same(output(answer), {"ok": False, "error": "webhook_failed", "message": SORRY, "said": True, "data": {}})
            events.event("tool_call_started")
            same(events.event("output")["output"], spoken(SORRY))
        same(context(d, session)["workflow"], {"logged_meals": [LUNCH]})
        plain = d.rest("save_meal", LUNCH)
        same((plain.code, plain.message), ("webhook_failed", SORRY))
        same(json.loads(plain.body["content"][0]["text"])["message"], SORRY)
        outcome = d.call("save_meal", LUNCH)
        same((outcome.ok, outcome.result["content"][0]["text"]), (False, SORRY))


def test_S2_24_a_tool_works_without_a_session():
    with kitchen(SAVE_MEAL) as (s, d):
        answer = d.http("POST", "/v1/tools/save_meal/call", {"arguments": LUNCH, "metadata": {"trace": True}})
        same(answer.status, 200, answer)
        structured = answer.json["structured"]
        same((structured["ok"], structured["message"]), (True, "I've logged your lunch!"))
        same([a["ok"] for a in structured["trace"]], [True] * 4)
        same(json.loads(s.asked[0]["body"]), {"user_id": None, "meal": LUNCH})


# ---- tenants, changes

def test_S2_1_S2_2_tenants_have_their_own_and_changes_count_at_once():
    greet = {name: tool("greet", say(f"{name} says hello")) for name in ("one", "two")}
    with Daemon(plugins=["actions"], tenants={name: declared(t) for name, t in greet.items()}) as d:
        one, two = caller(d, "one"), caller(d, "two")
        for who, name in ((one, "one"), (two, "two")):
            same(who.http("POST", "/v1/tools/greet/call", {"arguments": {}}).json["structured"]["message"], f"{name} says hello")
        d.tenant("one", declared(tool("greet", say("changed")), tool("more", say("new"))))
        wait_for(lambda: one.http("POST", "/v1/tools/more/call", {"arguments": {}}).status == 200)
        same(one.http("POST", "/v1/tools/greet/call", {"arguments": {}}).json["structured"]["message"], "changed")
        same(two.http("POST", "/v1/tools/greet/call", {"arguments": {}}).json["structured"]["message"], "two says hello")
        same(two.http("POST", "/v1/tools/more/call", {"arguments": {}}).error, "tool_not_found")


def test_S2_1_a_call_that_runs_keeps_its_tool():
    with kitchen(tool("t", hook("wait"), say("old")), endpoints=[{"name": "wait", "url": "/slow"}]) as (s, d):
        running = in_background(d.rest, "t", {})
        wait_for(lambda: s.asked)
        d.tenant("default", declared(tool("t", say("new")), tool("u", say("new"))))
        wait_for(lambda: d.rest("u", {}).body.get("ok"))
        same(d.rest("t", {}).body["structured"]["message"], "new")
        same(running().body["structured"]["message"], "old")


def test_S2_2_a_tool_that_is_wrong_is_told_and_the_others_serve():
    with Daemon(plugins=["actions"], tenants={"default": declared(tool("bad", {"type": "respnd"}), tool("good", say("yes")))}) as d:
        same(d.rest("good", {}).body["structured"]["message"], "yes")
        same(d.rest("bad", {}).code, "tool_not_found")
        refused = d.wait_log("actions_tool_refused")
        same((refused["tool_name"], refused["problems"][0]["pointer"]), ("bad", "/tools/0/actions/0/type"))
        listed = [t["name"] for t in d.http("GET", "/v1/tools").json["tools"]]
        same(listed, ["good"])  # the plugin's own tools are the daemon's alone


def test_S3_6_S3_7_A3_6_strict_is_refused_kept_or_silently_off():
    name = {"name": "who", "type": "string"}
    tools = {how: {**tool(how, say("hi")), "parameters": [{**name, "required": needed}], "strict": strict}
             for how, strict, needed in (("refused", True, False), ("kept", True, True), ("off", "auto", False), ("on", "auto", True))}
    with Daemon(plugins=["actions"], tenants={"default": declared(*tools.values())}) as d:
        wait_for(lambda: d.rest("kept", {"who": "x"}).body.get("ok"))
        given = d.http("GET", "/v1/tools?format=openai").json["tools"]
        same({t["name"]: t["strict"] for t in given}, {"kept": True, "off": False, "on": True})
        problem = d.wait_log("actions_tool_refused")["problems"][0]
        same((problem["pointer"][-13:], problem["code"]), ("/parameters/0", "strict_optional"))


# ---- webhooks

def webhook_result(path, **more):
    with kitchen(tool("t", hook("meal.log"), say("{{result}}"), on_failure=[say("{{error.reason}} {{error.status}}")]), path=path, **more) as (s, d):
        answer = d.http("POST", "/v1/tools/t/call", {"arguments": {}})
        said = answer.json.get("structured") or json.loads(answer.json["content"][0]["text"])
        return said["ok"], said["message"], len(s.asked)


def test_A2_16_what_servers_answer():
    same(webhook_result("/log"), (True, '{"id":1}', 1))
    same(webhook_result("/text"), (True, "gut gespeichert, é", 1))
    same(webhook_result("/bytes"), (True, "", 1))
    same(webhook_result("/status/404"), (False, "status 404", 1))
    same(webhook_result("/see"), (False, "status 303", 1))  # not followed


def test_A2_16_a_server_that_does_not_answer_in_time():
    same(webhook_result("/never", timeout_ms=200), (False, "http_timeout ", 1))


def test_U2_2_retries():
    same(webhook_result("/flaky/3", retries=2), (True, "at last", 3))
    same(webhook_result("/flaky/3", retries=1), (False, "status 503", 2))
    same(webhook_result("/flaky/2"), (False, "status 503", 1))


def test_A2_16_only_what_is_granted_is_asked():
    same(webhook_result("/log", grants=lambda s: [{"url": s.url + "/other", "private": True}]), (False, "http_not_granted ", 0))
    same(webhook_result("/log", grants=lambda s: [{"url": s.url + "/*"}])[:2], (False, "ssrf_blocked "))


def test_A2_16_values_stay_in_their_place():
    t = tool("t", hook("by.id"), parameters=[{"name": "id", "type": "string"}])
    with kitchen(t, endpoints=[{"name": "by.id", "url": "/log/{{params.id}}/x?q={{params.id}}", "headers": {"X-Id": "{{params.id}}"}}]) as (s, d):
        d.rest("t", {"id": "a/b?x=1#y"})
        same((s.asked[0]["path"], s.asked[0]["headers"]["X-Id"]),
             ("/log/a%2Fb%3Fx%3D1%23y/x?q=a%2Fb%3Fx%3D1%23y", "a/b?x=1#y"))
        same(d.rest("t", {"id": "../admin"}).code, "webhook_failed")  # the broker takes no dots in whatever clothes
        for wrong in ("..", ".", "", "a\r\nX-Admin: 1"):
            same(d.rest("t", {"id": wrong}).code, "template_error", wrong)
        same(len(s.asked), 1)


def test_A2_16_the_operator_s_secrets_are_added_and_never_seen():
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        key = os.path.join(folder, "key")
        write_secret(key, "k3y-canary\n")

        def grants(s):
            return [{"url": s.url + "/*", "private": True, "headers": {"Authorization": "Bearer ${meals}"}}]

        with kitchen(SAVE_MEAL, grants=grants, secrets={"meals": key}) as (s, d):
            same(d.rest("save_meal", LUNCH).code, None)
            same(s.asked[0]["headers"]["Authorization"], "Bearer k3y-canary")
            assert "k3y" not in json.dumps(d.lines), "the key is in the log"


def test_A2_15_others_see_what_was_written_while_a_webhook_is_under_way():
    write = {"type": "context.set", "data": {"step": "asked", "l[+]": 1}}
    read = {"type": "context.get", "path": "workflow.other"}
    with kitchen(tool("t", write, hook("wait"), read), endpoints=[{"name": "wait", "url": "/slow"}]) as (s, d):
        session = begin(d)
        running = in_background(call, d, session, "t")
        wait_for(lambda: s.asked)
        same(context(d, session)["workflow"], {"step": "asked", "l": [1]})
        tell(d, session, type="context", set={"workflow.other": "written meanwhile"})
        same(output(running())["data"], {"other": "written meanwhile"})


# ---- handing off

def test_S2_11_A2_19_handing_over_also_when_it_failed():
    greeter = tool("t", {"type": "handoff", "agent": "sales"}, say("never"), on_success=[say("One moment.")])
    sorry = tool("f", hook("meal.log"), on_failure=[say("I ask a colleague."), {"type": "handoff", "agent": "sales"}])
    with kitchen(greeter, sorry, path="/status/500", plugins=["talk"]) as (s, d):
        for name, ok, said in (("t", True, "One moment."), ("f", False, "I ask a colleague.")):
            session = begin(d)
            with Listener(d, session) as events:
                answer = call(d, session, name)
                same((answer.json["ok"], answer.json["respond"], output(answer)["message"] if not ok else said), (ok, False, said), answer)
                events.event("tool_call_started")
                same(events.event("output")["output"], spoken(said))
                same(events.event("agent_handed_off")["agent"], "sales")
            same(d.http("GET", f"/v1/sessions/{session}").json["active"], "sales")
        d.tenant("default", declared(tool("t", {"type": "handoff", "agent": "nobody"}), tool("u")))
        wait_for(lambda: d.rest("u", {}).code is None)
        same(d.rest("t", {}).code, "no_conversation")
        same(call(d, begin(d), "t").json["error"], "agent_not_found")


def test_S2_28_the_example_of_a_tenant_works():
    text = (SOURCE / "examples" / "tenants" / "meals.json").read_text()
    with Daemon(plugins=["actions"], tenants={"meals": text}) as d:
        meals = caller(d, "meals")
        same([t["name"] for t in meals.http("GET", "/v1/tools").json["tools"]], ["save_meal"])
        same([d.log_events(what) for what in ("actions_tool_refused", "actions_configuration_refused")], [[], []])
        said = call(meals, begin(meals), "save_meal", LUNCH).json
        same((said["ok"], said["error"], json.loads(said["output"])["message"]), (False, "webhook_failed", SORRY))


# ---- over the management API

def test_S2_1_a_tool_is_put_checked_tried_and_called_without_a_restart():
    with Server(Meals) as s:
        policy = {"permissions": {"http": [{"url": s.url + "/*", "private": True}]}}
        with Daemon(plugins=["actions"], policies={"actions": policy}) as d:
            acme = manager(d, "acme")
            made = put(acme, "acme", {"name": "meal.log", "url": s.url + "/log"}, kind="endpoints")
            same(made.status, 201, made)
            wrong = dict(SAVE_MEAL, actions=[{"type": "webhook", "endpoint": "meal.lg"}, {"type": "respnd"}])
            refused = put(acme, "acme", wrong)
            same((refused.status, [(p["pointer"], p["code"], p["hint"]) for p in refused.json["problems"]]),
                 (422, [("/actions/0/endpoint", "unknown_endpoint", 'did you mean "meal.log"?'),
                        ("/actions/1/type", "unknown_action_type", 'did you mean "respond"?')]), refused)
            made = put(acme, "acme", SAVE_MEAL)
            same((made.status, made.json["served"]), (201, True), made)
            tried = acme.http("POST", path("acme", "save_meal", more="/test"), json.dumps(
                {"arguments": LUNCH, "context": {"user": {"id": "u1"}}, "webhooks": {"meal.log": {"status": 500}}}))
            same((tried.status, tried.json["message"], tried.json["context"]["workflow"]), (200, SORRY, {"logged_meals": [LUNCH]}), tried)
            same(len(s.asked), 0)
            answer = call(acme, begin(acme), "save_meal", LUNCH)
            same(output(answer)["message"], "I've logged your lunch!")
            same(json.loads(s.asked[0]["body"]), {"user_id": None, "meal": LUNCH})


# ---- the rows

def rows():
    """Those that a real session can play: without webhooks, other agents, a clock, and mistakes."""
    for path in sorted((SOURCE / "tests" / "actions").glob("*.json")):
        for row in json.loads(path.read_text()):
            tried, expected = row.get("try"), row["expect"]
            if tried and not any(key in tried for key in ("endpoints", "now", "strict_templates")) \
                    and not any(key in expected for key in ("handoff", "problems")) and "handoff" not in json.dumps(tried):
                yield row


def prepare(d, given):
    """A session whose context is as given."""
    session = begin(d, context={root: given[root] for root in ("user", "tenant") if root in given})
    changes = {f"{root}.{name}": value for root in ("workflow", "agents") for name, value in given.get(root, {}).items()}
    same(tell(d, session, type="context", set=changes, flags=given.get("flags", {})).status, 202)
    for said in given.get("history", []):
        tell(d, session, type="context", append={"history": said})
    return session


def fits(expected, got):
    if isinstance(expected, dict):
        if "$absent" in expected:
            return got is None
        if "$has" in expected:
            return expected["$has"] in got
        if "$exactly" in expected:
            return got == expected["$exactly"]
        return isinstance(got, dict) and all(fits(value, got.get(name)) for name, value in expected.items())
    if isinstance(expected, list):
        return isinstance(got, list) and len(got) == len(expected) and all(map(fits, expected, got))
    return got == expected and (type(got) is type(expected) or {type(got), type(expected)} == {int, float})


def test_S2_20_S2_21_rows_are_as_real_as_they_are_tried():
    played = list(rows())
    tools = [dict(row["try"]["tool"], name=f"row_{n}") for n, row in enumerate(played)]
    assert len(played) > 100, len(played)
    with Daemon(plugins=["actions"], tenants={"default": declared(*tools)}) as d:
        for n, row in enumerate(played):
            session = prepare(d, row["try"].get("context", {}))
            answer = call(d, session, f"row_{n}", row["try"].get("arguments"), metadata={"trace": True})
            got = {**output(answer), "context": context(d, session)}
            expected = {k: v for k, v in row["expect"].items() if k in ("ok", "error", "message", "data", "trace", "context")}
            assert fits(expected, got), f"{row['name']}: {got}"
            d.http("DELETE", f"/v1/sessions/{session}")


if __name__ == "__main__":
    main()
