#!/usr/bin/env python3
"""Calls that belong together, as a model asks for several at once: POST /v1/calls, and what a call that needs approval
means for the others."""

import contextlib
import http.client
import json
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from handshake import Handshake  # noqa: E402
from harness import in_background, main, plugin_file, same, wait_for  # noqa: E402
from mcp_wire import Session, request  # noqa: E402
from test_agui import RUN, STARTED, call_events, lines, play, results  # noqa: E402
from test_agui import post as post_agui  # noqa: E402
from test_approvals import cli, ended, kept, known, listed  # noqa: E402
from test_auth import bearer, new_key  # noqa: E402
from test_durable import kill  # noqa: E402
from test_session_ws import WebSocket  # noqa: E402

# Of the tally's calls those need approval whose id begins with w.
MIXED = {"approvals": {"rules": [
    {"tools": ["tally"], "arguments": {"properties": {"id": {"pattern": "^w"}}, "required": ["id"]},
     "approval": "always", "reason": "It leaves a line."}]}}
BY_CALLER = {"approvals": {**MIXED["approvals"], "by": "caller"}}
STREAM = {"Accept": "text/event-stream"}


def mixed(durable=False, config=None, **more):
    return kept(durable=durable, config={**MIXED, **(config or {})}, **more)


def tally(k, name, **more):
    return {"name": "tally", "arguments": {"file": str(k.file), "id": name}, **more}


def post(d, calls, query="", headers=None, **members):
    return d.http("POST", "/v1/calls" + query, {"calls": calls, **members}, headers)


def outcomes(answer):
    """Of each call its text, or the code of its error."""
    return [r["content"][0]["text"].split()[0] if r["ok"] else r["error"]["code"] for r in answer.json["results"]]


def waiting(d, count):
    wait_for(lambda: len(listed(d, "pending")) == count, what=f"{count} approvals")
    return {a["arguments"]["id"]: a["id"] for a in listed(d, "pending")}


def events(answer):
    found = []
    for block in answer.body.decode().split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.split("\n") if ": " in line)
        if lines:
            found.append((lines["event"], json.loads(lines["data"])))
    return found


# ---- without approvals

def test_U3_7_T3_2_calls_run_together_and_answer_in_their_order():
    with mixed(plugins=[plugin_file("tally"), plugin_file("echo")]) as k, k.again() as d:
        answer = post(d, [tally(k, "a", call_id="c1"), {"name": "echo", "arguments": {"text": "hi"}},
                          tally(k, "b", metadata={"x": 1}, deadline_ms=5000)])
        same((answer.status, outcomes(answer)), (200, ["a", "hi", "b"]))
        same((sorted(k.ran()), answer.json["results"][0]["call_id"]), (["a", "b"], "c1"))
        # a call that fails, is refused or is not there leaves the others alone, whatever its place
        answer = post(d, [{"name": "none"}, tally(k, "c"), {"name": "echo", "arguments": {"txt": 1}},
                          {"name": "echo", "arguments": "["}, {"name": "echo", "arguments": "{\"text\":\"x\"}"}])
        same((answer.status, outcomes(answer)),
             (200, ["tool_not_found", "c", "tool_args_invalid", "tool_args_parse_error", "x"]))
        for encoding, seen in (("mcp", lambda r: r["isError"]), ("sonore", lambda r: not r["ok"]),
                               ("agui", lambda r: not r["success"]), ("agent-framework", lambda r: r["is_error"])):
            answer = post(d, [{"name": "none"}, {"name": "echo", "arguments": {"text": "hi"}}], f"?encoding={encoding}")
            same([seen(r) for r in answer.json["results"]], [True, False], encoding)


def test_U3_7_calls_of_a_batch_run_at_the_same_time():
    with mixed() as k, k.again() as d:
        pipe = k.dir / "tally" / "pipe"
        os.mkfifo(pipe, 0o666)
        pipe.chmod(0o666)
        # the first one can't end before somebody reads what it writes
        background = in_background(lambda: post(d, [{"name": "tally", "arguments": {"file": str(pipe), "id": "a"}},
                                                    tally(k, "b")]))
        wait_for(lambda: k.ran() == ["b"], what="the second one")
        same(pipe.read_text(), "a\n")
        same(outcomes(background()), ["a", "b"])


def test_a_malformed_batch_says_where():
    with mixed(config={"batch_max": 3}) as k, k.again() as d:
        good = tally(k, "a")
        for body, path, words in (
                ({}, "/calls", "at least one"), ({"calls": []}, "/calls", "at least one"),
                ({"calls": {}}, "/calls", "list"), ([], "", "expected an object"),
                ({"calls": [good, good, {"nam": "tally"}]}, "/calls/2/nam", "did you mean \"name\"?"),
                ({"calls": [good, {"arguments": {}}]}, "/calls/1/name", "the name of a tool"),
                ({"calls": [good, {"name": 5}]}, "/calls/1/name", "got number"),
                ({"calls": [good, {"name": ""}]}, "/calls/1/name", "the name of a tool"),
                ({"calls": [good, "tally"]}, "/calls/1", "expected an object, got string"),
                ({"calls": [good, {**good, "session_id": "s"}]}, "/calls/1/session_id", "unknown member"),
                ({"calls": [good, {**good, "deadline_ms": 0}]}, "/calls/1/deadline_ms", "above 0"),
                ({"calls": [{**good, "call_id": "x"}, good, {**good, "call_id": "x"}]}, "/calls/2/call_id",
                 "/calls/0 has this id as well"),
                ({"calls": [good] * 4}, "/calls", "at most 3 calls, got 4"),
                ({"calls": [good], "respons_id": "r"}, "/respons_id", "did you mean \"response_id\"?")):
            answer = d.http("POST", "/v1/calls", body)
            same((answer.status, answer.error, answer.json["error"].get("path")), (400, "bad_request", path), body)
            assert words in answer.json["error"]["message"], answer.json
        same(d.http("POST", "/v1/calls", b"{", {"Content-Type": "application/json"}).error, "bad_json")
        same(d.http("POST", "/v1/calls", b"{}", {"Content-Type": "text/plain"}).status, 415)
        same(post(d, [good], "?encoding=klingon").status, 400)
        same(k.ran(), [])


def test_the_events_of_a_batch_name_their_call():
    with mixed() as k, k.again() as d:
        background = in_background(lambda: post(d, [tally(k, "s"), tally(k, "w")], headers=STREAM))
        cli(d, "approve", waiting(d, 1)["w"])
        seen = events(background())
        same([e for e, _ in seen if e not in ("log", "progress")], ["approval", "result", "result", "end"])
        same({data["index"]: data["result"]["ok"] for e, data in seen if e == "result"}, {0: True, 1: True})
        same(([d["index"] for e, d in seen if e == "approval"], seen[-1][1]), ([1], {"calls": 2}))


# ---- with approvals

def test_U3_7_T3_2_one_that_waits_has_all_wait():
    with mixed() as k, k.again() as d:
        # all of them need approval: nothing runs before the last decision
        background = in_background(lambda: post(d, [tally(k, "w1"), tally(k, "w2")]))
        found = waiting(d, 2)
        cli(d, "approve", found["w1"])
        wait_for(lambda: known(d, {"id": found["w1"]})["approval"]["state"] == "approved", what="the decision")
        same(k.ran(), [])
        cli(d, "approve", found["w2"])
        same((outcomes(background()), sorted(k.ran())), (["w1", "w2"], ["w1", "w2"]))
        # mixed: what is safe is not asked about, waits, and runs with the decision
        background = in_background(lambda: post(d, [tally(k, "s1"), tally(k, "w3"), tally(k, "s2", call_id="c2")]))
        found = waiting(d, 1)
        same((len(k.ran()), list(found)), (2, ["w3"]))
        d.wait_log("tool_call_held", lambda e: e["call"] == "c2")
        cli(d, "approve", found["w3"])
        same((outcomes(background()), sorted(k.ran())), (["s1", "w3", "s2"], ["s1", "s2", "w1", "w2", "w3"]))


def test_U3_7_T3_3_approved_and_rejected_give_one_result_each():
    with mixed() as k, k.again() as d:
        background = in_background(lambda: post(d, [tally(k, "s"), tally(k, "w1"), tally(k, "w2", call_id="c2")]))
        found = waiting(d, 2)
        cli(d, "reject", found["w2"], "No.")
        same(k.ran(), [])
        cli(d, "approve", found["w1"])
        answer = background()
        same((outcomes(answer), sorted(k.ran())), (["s", "w1", "approval_rejected"], ["s", "w1"]))
        same((answer.json["results"][2]["call_id"], answer.json["results"][2]["error"]["message"]), ("c2", "No."))
        # all rejected: the safe one runs, for nothing stands against it any more
        background = in_background(lambda: post(d, [tally(k, "s3"), tally(k, "w3")]))
        cli(d, "reject", waiting(d, 1)["w3"])
        same((outcomes(background()), sorted(k.ran())), (["s3", "approval_rejected"], ["s", "s3", "w1"]))
        # what nobody decides about expires, and the rest runs
    with mixed(config={"approvals": {**MIXED["approvals"], "ttl": "1s"}}) as k, k.again() as d:
        same(outcomes(post(d, [tally(k, "s4"), tally(k, "w4")])), ["s4", "approval_expired"])


def test_U3_7_T3_2_surfaced_to_a_caller_that_decides_itself():
    with mixed(config=BY_CALLER) as k, k.again() as d:
        answer = post(d, [tally(k, "s"), tally(k, "w"), {"name": "none"}], "?approval=ask")
        same((answer.status, [r.get("status") for r in answer.json["results"]]),
             (202, ["input_required", "input_required", None]))
        same((k.ran(), sorted(waiting(d, 2))), ([], ["s", "w"]))
        for result, said in zip(answer.json["results"], (True, False)):
            place = f"/v1/asks/{result['ask']['id']}"
            body = {"responses": {"approval": {"action": "accept", "content": {"approve": said}}}}
            same(d.http("POST", place, body).status, 200 if said else 403)
        same(k.ran(), ["s"])
        # who does not wait is told of each, and decides about its own
        answer = post(d, [tally(k, "s2"), tally(k, "w2")], headers={"Prefer": "respond-async"})
        same((answer.status, answer.headers["preference-applied"]), (202, "respond-async"))
        same([r["status"] for r in answer.json["results"]], ["approval_required"] * 2)
        same(k.ran(), ["s"])
        for result in answer.json["results"]:
            same(d.http("POST", f"/v1/approvals/{result['approval']['id']}", {"decision": "approve"}).status, 200)
        wait_for(lambda: sorted(k.ran()) == ["s", "s2", "w2"], what="both")


def test_U3_7_a_caller_that_leaves_takes_what_it_did_not_name():
    with mixed() as k, k.again() as d:
        raw = json.dumps({"calls": [tally(k, "s1"), tally(k, "w1"), tally(k, "s2", call_id="named"),
                                    tally(k, "w2", call_id="kept")]}).encode()
        with contextlib.closing(http.client.HTTPConnection(*d.address.rsplit(":", 1))) as c:
            c.request("POST", "/v1/calls", raw, {"Content-Type": "application/json"})
            found = waiting(d, 2)
        wait_for(lambda: len(listed(d, "withdrawn")) == 1, what="what was not named is withdrawn")
        same((list(waiting(d, 1)), k.ran()), (["w2"], []))
        cli(d, "approve", found["w2"])
        same((ended(d, {"id": found["w2"]})["approval"]["outcome"], k.ran()), ("ok", ["w2"]))


def test_U3_7_after_a_restart_an_approved_call_runs_by_itself():
    with mixed(durable=True) as k:
        d = k.again()
        calls = [tally(k, "s", call_id="c-s"), tally(k, "w1", call_id="c-w1"), tally(k, "w2", call_id="c-w2")]
        in_background(lambda: post(d, calls))
        found = waiting(d, 2)
        cli(d, "approve", found["w1"])
        same(k.ran(), [])
        kill(d)
        with k.again() as d:
            # decided before the end, begun after it; the other one still waits, and the safe one never began
            ended(d, {"id": found["w1"]})
            same(k.ran(), ["w1"])
            background = in_background(lambda: post(d, calls))
            d.wait_log("tool_call_held", lambda e: e["call"] == "c-s")  # it waits again
            same(k.ran(), ["w1"])
            cli(d, "approve", found["w2"])
            answer = background()
            same((outcomes(answer), sorted(k.ran())), (["s", "w1", "w2"], ["s", "w1", "w2"]))
            same([r.get("replayed", False) for r in answer.json["results"]][1], True)
        # the same again: what was run is told
        with k.again() as d:
            answer = post(d, calls)
            same(([r["replayed"] for r in answer.json["results"]], sorted(k.ran())), ([True] * 3, ["s", "w1", "w2"]))


def test_U3_7_a_daemon_that_stops_begins_nothing():
    with mixed(durable=True) as k:
        with k.again() as d:
            background = in_background(lambda: post(d, [tally(k, "s"), tally(k, "w", call_id="c")]))
            waiting(d, 1)
            d.stop()
            same(outcomes(background()), ["tool_unavailable", "tool_unavailable"])
        same(k.ran(), [])


def test_cancelling_one_of_a_batch_lets_the_others_go():
    with mixed() as k, k.again() as d:
        background = in_background(lambda: post(d, [tally(k, "s", call_id="cs"), tally(k, "w", call_id="cw"),
                                                    tally(k, "s2", call_id="cs2")]))
        waiting(d, 1)
        same(d.http("DELETE", "/v1/calls/cs").status, 204)
        same(k.ran(), [])
        same(d.http("DELETE", "/v1/calls/cw").status, 204)
        same((outcomes(background()), k.ran()), (["tool_cancelled", "tool_cancelled", "s2"], ["s2"]))


def test_waiting_for_people_is_outside_the_deadline_of_the_others():
    with mixed() as k, k.again() as d:
        began = time.monotonic()
        background = in_background(lambda: post(d, [tally(k, "s"), tally(k, "w")], deadline_ms=1500))
        found = waiting(d, 1)
        wait_for(lambda: time.monotonic() > began + 1.6, what="the deadline")
        cli(d, "approve", found["w"])
        same(outcomes(background()), ["s", "w"])


# ---- MCP: arrays, in the revisions that have them

def mcp_calls(k, *names):
    return [request("tools/call", tally(k, name), name) for name in names]


def mcp_texts(answer):
    """By the ids of the requests."""
    return {m["id"]: m["result"]["content"][0]["text"].split()[0] for m in answer}


def test_U3_7_T3_2_T3_3_batches_of_MCP():
    with mixed() as k, k.again() as d:
        s = Session(d, "2025-03-26")
        same(mcp_texts(s.post(mcp_calls(k, "s1", "s2")).json), {"s1": "s1", "s2": "s2"})
        background = in_background(lambda: s.post([*mcp_calls(k, "s3", "w1"), request("ping", {}, "p"),
                                                   *mcp_calls(k, "w2")]))
        found = waiting(d, 2)
        cli(d, "approve", found["w1"])
        wait_for(lambda: known(d, {"id": found["w1"]})["approval"]["state"] == "approved", what="the decision")
        same(sorted(k.ran()), ["s1", "s2"])
        cli(d, "reject", found["w2"], "No.")
        told = {m["id"]: m for m in background().json}
        same(told.pop("p")["result"], {})
        same((mcp_texts(told.values()), sorted(k.ran())),
             ({"s3": "s3", "w1": "w1", "w2": "No."}, ["s1", "s2", "s3", "w1"]))
        # a request of its own is no one's sibling
        background = in_background(lambda: s.post(mcp_calls(k, "s4", "w3")))
        found = waiting(d, 1)
        same(s.post(mcp_calls(k, "s5")[0]).json["id"], "s5")
        same("s4" in k.ran(), False)
        cli(d, "approve", found["w3"])
        same(mcp_texts(background().json), {"s4": "s4", "w3": "w3"})


def test_U3_7_batches_on_standard_input():
    with mixed(config=BY_CALLER) as k, k.again(stdio=True) as d:
        d.pipe.ask("initialize", {"protocolVersion": "2025-03-26", "capabilities": {"elicitation": {}},
                                  "clientInfo": {"name": "t", "version": "1"}}, modern=False)
        d.pipe.send(mcp_calls(k, "s1", "w1", "w2"))
        asked = [d.pipe.receive(), d.pipe.receive()]
        same([m["method"] for m in asked], ["elicitation/create"] * 2)
        yes = "'w1'" in asked[0]["params"]["message"].replace('"', "'")
        for question, said in zip(asked, (yes, not yes)):
            same(k.ran(), [])
            d.pipe.send({"jsonrpc": "2.0", "id": question["id"],
                         "result": {"action": "accept", "content": {"approve": said}}})
        same(mcp_texts(d.pipe.receive()), {"s1": "s1", "w1": "w1", "w2": "Tool"})
        same(sorted(k.ran()), ["s1", "w1"])


def test_U3_7_a_client_of_batches_that_can_be_asked():
    """No revision has both; one that says so all the same is asked, and nothing begins before it has answered."""
    ran = []

    def answer(question):
        ran.append(list(k.ran()))
        return {"action": "accept", "content": {"approve": True}}

    with mixed(config=BY_CALLER) as k, k.again() as d:
        client = Handshake(d, {"elicitation": {}}, answer, version="2025-03-26")
        found, host = {}, d.address.rsplit(":", 1)
        with contextlib.closing(http.client.HTTPConnection(*host, timeout=30)) as c:
            c.request("POST", "/mcp", json.dumps(mcp_calls(k, "s", "w")),
                      {**client.headers, "Content-Type": "application/json"})
            for message in client.messages(c.getresponse()):
                for m in message if isinstance(message, list) else [message]:
                    if "method" in m and "id" in m:
                        client.reply(m)
                    elif "id" in m:
                        found[m["id"]] = m
                if len(found) == 2:
                    break
        same((mcp_texts(found.values()), ran, sorted(k.ran())), ({"s": "s", "w": "w"}, [[]], ["s", "w"]))


# ---- AG-UI: the calls of a run

def agui_line(k, name):
    return {"file": str(k.file), "id": name}


def resumed(interrupts, approve):
    resume = [{"interruptId": i["id"], "status": "resolved", "payload": {"approve": i["toolCallId"] in approve}}
              for i in interrupts]
    return lines([{**STARTED, "runId": "r2", "input": {"resume": resume, **RUN}},
                  {"type": "RUN_FINISHED", "threadId": "t1", "runId": "r2"}])


def test_U3_7_T3_2_T3_3_a_run_of_AG_UI_interrupts_for_all_of_its_calls():
    with mixed(config=BY_CALLER) as k, k.again() as d:
        same(set(results(play(d, call_events("tally", agui_line(k, "s1"), "a"),
                              call_events("tally", agui_line(k, "s2"), "b")))), {"a", "b"})
        events = play(d, call_events("tally", agui_line(k, "s3"), "c1"), call_events("tally", agui_line(k, "w1"), "c2"),
                      call_events("tally", agui_line(k, "w2"), "c3"))
        interrupts = events[-1]["outcome"]["interrupts"]
        same((sorted(i["toolCallId"] for i in interrupts), results(events)), (["c1", "c2", "c3"], {}))
        same(sorted(k.ran()), ["s1", "s2"])
        told = results(post_agui(d, resumed(interrupts, {"c1", "c2"})))
        same({id: e["content"].split()[0] for id, e in told.items()}, {"c1": "s3", "c2": "w1", "c3": "Tool"})
        same(sorted(k.ran()), ["s1", "s2", "s3", "w1"])
        # the same of a RunAgentInput
        message = {"id": "m1", "role": "assistant", "toolCalls": [
            {"id": id, "type": "function", "function": {"name": "tally", "arguments": json.dumps(agui_line(k, name))}}
            for id, name in (("d1", "s4"), ("d2", "w3"))]}
        body = {**RUN, "state": {}, "messages": [message], "tools": [], "context": [], "forwardedProps": {}}
        events = post_agui(d, json.dumps(body), kind="application/json")
        same(sorted(i["toolCallId"] for i in events[-1]["outcome"]["interrupts"]), ["d1", "d2"])
        same(sorted(k.ran()), ["s1", "s2", "s3", "w1"])


def test_U3_7_a_run_of_AG_UI_waits_where_others_decide():
    with mixed() as k, k.again() as d:
        background = in_background(lambda: play(d, call_events("tally", agui_line(k, "s"), "a"),
                                                call_events("tally", agui_line(k, "w"), "b")))
        found = waiting(d, 1)
        same(k.ran(), [])
        cli(d, "approve", found["w"])
        same((set(results(background())), sorted(k.ran())), ({"a", "b"}, ["s", "w"]))


# ---- in a session

def test_U3_7_T3_2_T3_3_a_batch_in_a_session():
    with mixed() as k, k.again() as d:
        session = d.http("POST", "/v1/sessions", {}).json["session_id"]
        background = in_background(lambda: post(d, [tally(k, "s", call_id="a"), tally(k, "w1", call_id="b"),
                                                    tally(k, "w2", call_id="c")],
                                                session_id=session, response_id="r1"))
        found = waiting(d, 2)
        same(k.ran(), [])
        cli(d, "approve", found["w1"])
        cli(d, "reject", found["w2"])
        results = background().json["results"]
        same(([r["call_id"] for r in results], [r["ok"] for r in results], sorted(k.ran())),
             (["a", "b", "c"], [True, True, False], ["s", "w1"]))
        # again: nothing runs twice; another call under a known id is refused, and the rest is answered
        results = post(d, [tally(k, "s", call_id="a"), tally(k, "other", call_id="b"), tally(k, "t", call_id="t")],
                       session_id=session).json["results"]
        same([r["ok"] for r in results], [True, False, True])
        same((results[1]["error"]["code"], sorted(k.ran())), ("call_id_reused", ["s", "t", "w1"]))
        unknown = post(d, [tally(k, "s")], session_id="ses_" + "0" * 32)
        same((unknown.status, unknown.error), (404, "session_not_found"))


def spoken(k, socket, id, name, response):
    """A service of OpenAI's Realtime API says that its model wants this call."""
    socket.say(type="response.function_call_arguments.done", call_id=id, name="tally", response_id=response,
               item_id=f"i{id}", arguments=json.dumps(agui_line(k, name)))
    item = {"type": "function_call", "id": f"i{id}", "call_id": id, "name": "tally", "status": "completed",
            "arguments": json.dumps(agui_line(k, name))}
    socket.say(type="response.output_item.done", response_id=response, item=item)


def ok(d, *ids):
    """Whether these calls went well, once they have ended: the model is told so of each, once."""
    return [d.wait_log("tool_executor_execute_finished", lambda e, id=id: e["function_call_id"] == id)["ok"] == "true"
            for id in ids]


def test_U3_7_T3_2_T3_3_a_response_of_realtime_is_a_batch():
    with mixed() as k, k.again() as d, WebSocket(d, "?format=realtime") as socket:
        socket.event("session.update")
        socket.say(type="response.created", response={"id": "r1"})
        spoken(k, socket, "c1", "s1", "r1")
        spoken(k, socket, "c2", "w1", "r1")
        spoken(k, socket, "c3", "w2", "r1")
        found = waiting(d, 2)
        same(k.ran(), [])
        socket.say(type="response.done", response={"id": "r1", "status": "completed", "output": []})
        d.wait_log("tool_call_held")
        cli(d, "approve", found["w1"])
        same(k.ran(), [])
        cli(d, "reject", found["w2"])
        same(ok(d, "c1", "c2", "c3"), [True, True, False])
        same(sorted(k.ran()), ["s1", "w1"])
        # none needs approval: they begin when the response is done
        spoken(k, socket, "c4", "s2", "r2")
        spoken(k, socket, "c5", "s3", "r2")
        d.wait_log("tool_invocation_scheduled", lambda e: e["function_call_id"] == "c5")
        same(sorted(k.ran()), ["s1", "w1"])
        socket.say(type="response.done", response={"id": "r2", "status": "completed", "output": []})
        same((ok(d, "c4", "c5"), sorted(k.ran())), ([True, True], ["s1", "s2", "s3", "w1"]))
        # one that is never done is over when another one begins
        spoken(k, socket, "c6", "s4", "r3")
        spoken(k, socket, "c7", "s5", "r4")
        same((ok(d, "c6"), "s5" in k.ran()), ([True], False))


def test_U3_7_nobody_waits_for_the_end_of_a_response_without_need():
    none = {"approvals": {"rules": [{"tools": ["tally"], "approval": "never"}, {"tools": ["other"], "approval": "always"}]}}
    with mixed(config=none) as k, k.again() as d, WebSocket(d, "?format=realtime") as socket:
        socket.event("session.update")
        spoken(k, socket, "c1", "w1", "r1")
        same((ok(d, "c1"), k.ran()), ([True], ["w1"]))


def test_U3_7_an_interruption_takes_what_waits_for_the_end_of_a_response():
    with mixed() as k, k.again() as d, WebSocket(d, "?format=realtime") as socket:
        socket.event("session.update")
        spoken(k, socket, "c1", "s1", "r1")
        spoken(k, socket, "c2", "w1", "r1")
        waiting(d, 1)
        socket.say(type="response.done", response={"id": "r1", "status": "cancelled", "output": []})
        wait_for(lambda: len(listed(d, "withdrawn")) == 1, what="the withdrawal")
        d.wait_log("tool_cancel_for_response_finished", lambda e: e["cancelled_count"] == "2")
        same(k.ran(), [])


def test_a_batch_takes_the_role_call():
    with mixed() as k, k.again() as d:
        key = new_key(d, "boss", "--role", "approve")
        same(post(d, [tally(k, "a")], headers=bearer(key)).status, 403)
        same(k.ran(), [])


if __name__ == "__main__":
    main()
