#!/usr/bin/env python3
"""The seed's save_meal, made over the management API and called a moment later; what is made outlives the daemon."""

import json

from harness import Daemon, main, same, wait_for
from test_auth import bearer
from test_http import Handler, Server
from test_manage import manager, path, put
from test_sessions import begin, call
from test_tenants import tools


LUNCH = {"meal_type": "lunch", "dishes": ["soup"]}
SORRY = "Sorry, I couldn't log that meal."
SAVE_MEAL = {
    "name": "save_meal",
    "description": "Log a meal the user consumed",
    "parameters": [
        {"name": "meal_type", "type": "string", "enum": ["breakfast", "lunch", "dinner"]},
        {"name": "dishes", "type": "array", "required": True}
    ],
    "actions": [
        {"type": "validate", "rules": []},
        {"type": "context.set", "data": {"logged_meals[+]": "{{params}}"}},
        {"type": "webhook", "endpoint": "meal.log", "body": {"user_id": "{{user.id}}", "meal": "{{params}}"}}
    ],
    "on_success": [{"type": "respond", "message": "I've logged your {{params.meal_type}}!"}],
    "on_failure": [{"type": "respond", "message": SORRY}]
}


class Meals(Handler):
    """Answers as a server of meals does."""

    def on_log(self, path, nth):
        self.answer(200, json.dumps({"id": nth}).encode(), Content_Type="application/json")


def output(answer):
    return json.loads(answer.json["output"])


def policy(s):
    return {"actions": {"permissions": {"http": [{"url": s.url + "/*", "private": True}]}}}


def endpoint(s, at="/log"):
    return {"name": "meal.log", "url": s.url + at}


def test_S2_28_save_meal_is_made_and_called_over_rest_and_mcp():
    with Server(Meals) as s, Daemon(plugins=["echo", "actions"], policies=policy(s)) as d:
        acme, other = manager(d, "acme"), manager(d, "other")
        early = put(acme, "acme", SAVE_MEAL)
        same((early.status, early.json["problems"][0]["pointer"]), (422, "/actions/2/endpoint"))
        same(put(acme, "acme", endpoint(s), kind="endpoints").status, 201)
        made = put(acme, "acme", SAVE_MEAL)
        same((made.status, made.json["served"]), (201, True), made)
        same(acme.http("GET", path("acme", "save_meal")).json["document"], SAVE_MEAL)
        session = begin(acme, context={"user": {"id": "u1"}})
        answer = call(acme, session, "save_meal", LUNCH)
        same((answer.json["ok"], output(answer)["message"]), (True, "I've logged your lunch!"), answer)
        same(json.loads(s.asked[0]["body"]), {"user_id": "u1", "meal": LUNCH})
        over_mcp = d.call("save_meal", LUNCH, headers=bearer(acme.token))
        same((over_mcp.ok, json.loads(over_mcp.text)["message"]), (True, "I've logged your lunch!"))
        same(json.loads(s.asked[1]["body"]), {"user_id": None, "meal": LUNCH})
        same(tools(other), ["echo"])
        broken = acme.http("PATCH", path("acme", "meal.log", "endpoints", "?wait=true"), {"url": s.url + "/status/500"})
        same((broken.status, broken.json["served"]), (200, True), broken)
        same(call(acme, session, "save_meal", LUNCH).json["ok"], True)  # as the response before: the next one has the new one
        failed = call(acme, begin(acme), "save_meal", LUNCH)
        same((failed.json["ok"], failed.json["error"], output(failed)["message"]), (False, "webhook_failed", SORRY))


def test_S2_6_every_problem_of_a_document_has_its_place():
    with Server(Meals) as s, Daemon(plugins=["actions"], policies=policy(s)) as d:
        acme = manager(d, "acme")
        same(put(acme, "acme", endpoint(s), kind="endpoints").status, 201)
        wrong = {**SAVE_MEAL, "actions": [{"type": "webhok", "endpoint": "meal.log"}, {"type": "respond"}]}
        refused = put(acme, "acme", wrong, more="?validate=true")
        same(refused.status, 422)
        pointers = [p["pointer"] for p in refused.json["problems"]]
        assert "/actions/0/type" in pointers and any(p.startswith("/actions/1") for p in pointers), refused.json
        good = put(acme, "acme", SAVE_MEAL, more="?validate=true").json
        same((good["ok"], good["definitions"][0]["name"]), (True, "save_meal"))
        same(acme.http("GET", path("acme")).json["total"], 0)


def test_a_trial_sends_nothing():
    with Server(Meals) as s, Daemon(plugins=["actions"], policies=policy(s)) as d:
        acme = manager(d, "acme")
        put(acme, "acme", endpoint(s), kind="endpoints")
        put(acme, "acme", SAVE_MEAL)
        tried = acme.http("POST", path("acme", "save_meal", more="/test"),
                          {"arguments": LUNCH, "context": {"user": {"id": "u9"}}, "webhooks": {"meal.log": {"status": 200}}})
        same((tried.status, tried.json["ok"], tried.json["message"]), (200, True, "I've logged your lunch!"), tried)
        same(tried.json["context"]["workflow"], {"logged_meals": [LUNCH]})
        same([a["type"] for a in tried.json["trace"]], ["validate", "context.set", "webhook", "respond"])
        same(s.asked, [])


def test_what_was_made_outlives_the_daemon():
    with Server(Meals) as s, Daemon(check=False) as keeper:
        state = keeper.dir / "state"
        state.mkdir()
        state.chmod(0o1777)
        about = {"plugins": ["echo", "actions"], "policies": policy(s), "args": ("--state-dir", str(state))}
        with Daemon(**about) as d:
            acme = manager(d, "acme")
            same(put(acme, "acme", endpoint(s), kind="endpoints").status, 201)
            first = put(acme, "acme", SAVE_MEAL)
            same(first.json["served"], True)
        with Daemon(**about) as d:
            acme = manager(d, "acme")
            wait_for(lambda: tools(acme) == ["echo", "save_meal"], what="the tools of before")
            again = acme.http("GET", path("acme", "save_meal"))
            same((again.json["document"], again.headers["etag"], again.json["author"]),
                 (SAVE_MEAL, first.headers["etag"], "key:m-acme"))
            same(acme.http("POST", "/v1/tools/save_meal/call", {"arguments": LUNCH}).json["structured"]["message"],
                 "I've logged your lunch!")


if __name__ == "__main__":
    main()
