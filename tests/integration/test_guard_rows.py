#!/usr/bin/env python3
"""What two frameworks ask of what stands around a tool, row by row: middleware of functions (T3-13) and guardrails of
tools (T3-15).  Each row has a daemon of its own, and the label of docs/seeds.md."""

import json
import time

from harness import Daemon, in_background, main, same, wait_for
from test_guards import BLOCK, PLUGINS, REFUSED, guards, leak, notes, plugin, refusal, reload, text

IN, OUT = plugin("note", **{"as": "pre"}), plugin("note", **{"as": "post"})
ALLOW, FAIL = plugin("allow"), plugin("fail", text="odd")
BLOCKED = "Blocked before the tool."
FAILED = (502, "guardrail_failed", "A guard could not check the call.")
RAN = ["leak runs"]


def order(d):
    return [note.split(" sees")[0].removesuffix(" default") for note in notes(d)]


def rejected(said):
    return 403, "guardrail_rejected", said


def outcome(answer):
    """The text of a result, or what was refused and why."""
    if answer.status == 200 and answer.body["ok"]:
        return "".join(part.get("text", "") for part in answer.body["content"])
    return refusal(answer)


def shows(label, lists, call, expected, log=None, host=None):
    """A call with these guards comes to this, and this is the log's order of guards and tool."""
    files = {"default": {"guards": guards(*lists)}}
    with Daemon(plugins=PLUGINS, tenants=files, config={"guards": guards(*host)} if host else None) as d:
        same(outcome(leak(d, *call[0], **call[1])), expected, label)
        if log is not None:
            same(order(d), log, label)


def echo(said="hi"):
    return ("echo",), {"text": said}


AROUND = ["pre input leak", *RAN, "post output leak"]
WRONG = {"guard": "plugin:checker/check", "config": {"does": "allow"}}


# ---- T3-13: middleware of functions

MIDDLEWARE = [
    ("T3-13.3 it stands around the tool", ([IN], [OUT]), echo(), "hi", AROUND),
    ("T3-13.6 also of a call with options of its own", ([IN], [OUT]), (("echo",), {"text": "hi", "call_id": "c"}), "hi", AROUND),
    ("T3-13.9 as a tenant's file has it, and as the host's has it", ([], [OUT]), echo(), "hi", AROUND, ([IN], [])),
    ("T3-13.10 of two both run", ([IN, ALLOW], [ALLOW, OUT]), echo(), "hi", AROUND),
    ("T3-13.14 what fails before the tool is told, and the tool does not run", ([IN, FAIL], [OUT]), echo(), FAILED,
     ["pre input leak"]),
    ("T3-13.15 what the tool fails with can be taken care of", ([IN], [], [{"text": "Later.", "is_error": False}]),
     (("fail",), {}), "Later.", ["pre input leak", *RAN]),
    ("T3-13.16 a changed result is the result", ([IN], [plugin("result", text="changed"), OUT]), echo(), "changed", AROUND),
    ("T3-13.17 several run in the order they stand in", ([IN, plugin("note", **{"as": "pre2"})],
                                                         [OUT, plugin("note", **{"as": "post2"})]), echo(), "hi",
     ["pre input leak", "pre2 input leak", *RAN, "post output leak", "post2 output leak"]),
    ("T3-13.18 the host's stand around the call with the tenant's", ([plugin("note", **{"as": "ours"})], [OUT]), echo(),
     "hi", ["pre input leak", "ours input leak", *RAN, "post output leak"], ([IN], [])),
    ("T3-13.22 one that does not go on is the last, and its text is the result", ([IN, plugin("reject", text=BLOCKED)],
                                                                                  [OUT]), echo(),
     rejected(BLOCKED), ["pre input leak"]),
]


def test_T3_13_middleware():
    for row in MIDDLEWARE:
        shows(*row)


def test_T3_13_1_T3_13_2_T3_13_5_T3_13_12_what_can_be_made_and_what_can_not():
    """A file with a guard in it that is none changes nothing, and says where it is wrong."""
    rows = [({"config": {}}, "/guards/input/0/guard"), ({"guard": None}, "/guards/input/0/guard"),
            ({**WRONG, "next": True}, "/guards/input/0/next"), ({"guard": "plugin:checker"}, "/guards/input/0/guard")]
    with Daemon(plugins=PLUGINS, tenants={"default": {"guards": guards([IN])}}) as d:
        for entry, where in rows:
            before = len(d.log_events("tenant_refused"))
            d.tenant("default", {"guards": {"input": [entry]}})
            refused = d.wait_log("tenant_refused", after=before)
            assert refused["why"].startswith(where + ": "), refused
            same(text(leak(d, "echo", text="hi")), "hi")
        d.tenant("default", {"guards": guards([IN])})  # or a reload would say that a file is wrong
        same(order(d), ["pre input leak", *RAN] * len(rows), "T3-13.1 the one that was good still stands there")


def test_T3_13_7_each_call_has_it():
    with Daemon(plugins=PLUGINS, tenants={"default": {"guards": guards([IN], [OUT])}}) as d:
        for said in ("one", "two"):
            same(text(leak(d, "echo", text=said)), said)
        same(order(d), AROUND * 2)


def test_T3_13_4_T3_13_8_it_is_told_the_tool_the_tenant_and_the_arguments():
    with Daemon(plugins=PLUGINS, tenants={"default": {"guards": guards([IN])}}) as d:
        leak(d, "echo", text="look", call_id="c1", session_id="s1", deadline_ms=20000)
        same(notes(d), ["pre input leak default sees look", *RAN])


def test_T3_13_13_a_call_without_a_session_has_it_too():
    with Daemon(plugins=PLUGINS, tenants={"default": {"guards": guards([IN], [OUT])}}) as d:
        for members in ({}, {"session_id": "s"}):
            same(text(leak(d, "echo", text="hi", **members)), "hi")
        same(d.call("leak", {"how": ["echo"], "text": "hi"}).text, "hi")
        same(order(d), AROUND * 3)


def test_T3_13_19_a_call_that_is_streamed_has_it_too():
    with Daemon(plugins=PLUGINS, tenants={"default": {"guards": guards([IN], [OUT])}}) as d:
        told = d.mcp("tools/call", {"name": "leak", "arguments": {"how": ["progress", "echo"], "text": "hi"}},
                     meta={"progressToken": 1}, headers={"accept": "application/json, text/event-stream"}).events
        same((told[0]["method"], told[-1]["result"]["content"][0]["text"]), ("notifications/progress", "hi"))
        same(order(d), AROUND)


def test_T3_13_20_without_a_call_nothing_is_asked():
    with Daemon(plugins=PLUGINS, tenants={"default": {"guards": guards([IN], [OUT])}}) as d:
        same(d.tools(), ["leak", "promise"])
        same(leak(d, "echo", tool="nobody").code, "tool_not_found")
        same(leak(d, "echo", text=7).code, "tool_args_invalid")
        same(order(d), [])


def test_T3_13_21_what_cancels_the_call_cancels_it():
    slow = plugin("sleep", timeout="60s")
    for lists in (([slow], []), ([], [slow])):
        with Daemon(plugins=PLUGINS, tenants={"default": {"guards": guards(*lists)}}, config={"grace": "100ms"}) as d:
            before = len(d.log_events("worker_started", lambda e: e["plugin"] == "checker"))
            waiting = in_background(lambda: leak(d, "echo", text="hi", call_id="one"))
            d.wait_log("worker_started", lambda e: e["plugin"] == "checker", after=before)
            same(d.http("DELETE", "/v1/calls/one").status, 204)
            same(waiting().code, "tool_cancelled")


def test_T3_13_23_what_a_call_came_with_stays_as_it_was():
    """One that allows leaves arguments, deadline, id and session of the call alone."""
    came = {"how": ["echo"], "text": "a \u00e4 \"b\"", "times": 3}
    for lists in ((), ([ALLOW], [ALLOW])):
        with Daemon(plugins=PLUGINS, tenants={"default": {"guards": guards(*lists)}}) as d:
            answer = d.rest("leak", came, call_id="mine", session_id="s1")
            same((text(answer), answer.body["call_id"]), (came["text"], "mine"))
            late = d.rest("leak", {"how": ["wait"]}, deadline_ms=200)
            same(late.code, "tool_timeout")


# ---- T3-15: guardrails of tools

# A guard of a plugin is asked in a process of its own, one that is built in is looked at by the daemon.
PASSWORD = {"guard": "denylist", "words": ["password"], "message": "Tool call blocked: contains a password"}
NUMBER = {"guard": "regex", "patterns": [r"\b\d{3}-\d{2}-\d{4}\b"], "message": "Content was filtered"}

GUARDRAILS = [
    ("T3-15.1 built in, of the input: it passes, or does not", ([BLOCK], []),
     [(echo(), "hi"), (echo("+14155550123"), rejected("No telephone numbers."))]),
    ("T3-15.2 of a plugin, of the input: it passes", ([ALLOW], []), [(echo(), "hi")]),
    ("T3-15.2 of a plugin, of the input: it fails", ([FAIL], []), [(echo(), FAILED)]),
    ("T3-15.3 built in, of the output: it passes, or does not", ([], [BLOCK]),
     [(echo(), "hi"), ((("text",), {}), rejected("No telephone numbers."))]),
    ("T3-15.4 of a plugin, of the output: it passes", ([], [ALLOW]), [(echo(), "hi")]),
    ("T3-15.4 of a plugin, of the output: it fails", ([], [FAIL]), [(echo(), FAILED)]),
    ("T3-15.9 a password in the arguments", ([PASSWORD], []),
     [(echo("my password is x"), rejected("Tool call blocked: contains a password")), (echo("hello"), "hello")]),
    ("T3-15.10 a number of a person in the result", ([], [NUMBER]),
     [(echo("it is 123-45-6789"), rejected("Content was filtered")), (echo("it is sunny"), "it is sunny")]),
    ("T3-15.13 allow", ([ALLOW], [ALLOW]), [(echo(), "hi")]),
    ("T3-15.14 reject: its text is told in the place of the result", ([], [plugin("reject", text="Not this.")]),
     [(echo(), rejected("Not this."))]),
    ("T3-15.15 fail", ([FAIL], []), [(echo(), FAILED)]),
    ("T3-15.16 one of each: the first that does not allow wins",
     ([], [{"guard": "denylist", "words": ["sensitive"], "message": "Content was filtered"},
           {**plugin("fail"), "tools": ["lea*"]}]),
     [(echo("sensitive and dangerous"), rejected("Content was filtered")), (echo("dangerous"), FAILED)]),
    ("T3-15.16 one of each, and none of them means it", ([], [PASSWORD, {**FAIL, "tools": ["other"]}]), [(echo("clean"), "clean")]),
]


def test_T3_15_guardrails():
    for label, lists, calls in GUARDRAILS:
        with Daemon(plugins=PLUGINS, tenants={"default": {"guards": guards(*lists)}}) as d:
            for call, expected in calls:
                same(outcome(leak(d, *call[0], **call[1])), expected, label)


def test_T3_15_5_T3_15_6_what_is_no_guard_refuses():
    for lists in (([plugin("odd")], []), ([], [plugin("odd")]), ([{"guard": "plugin:checker/nobody"}], []),
                  ([], [{"guard": "plugin:checker/nobody"}])):
        with Daemon(plugins=PLUGINS, tenants={"default": {"guards": guards(*lists)}}) as d:
            same(refusal(leak(d, "echo", text="hi")), rejected(REFUSED))
            d.wait_log("guard_failed", lambda e: e["then"] == "the call is refused")


def test_T3_15_7_T3_15_8_a_guard_has_the_name_its_author_gave_it():
    with Daemon(plugins=PLUGINS, tenants={"default": {"guards": guards([plugin("reject")], [ALLOW])}}) as d:
        found = next(p for p in d.http("GET", "/v1/plugins").json["plugins"] if p["name"] == "checker")
        same(found["guards"], ["checker/check", "checker/input", "checker/comfort"])
        leak(d, "echo", text="hi")
        said = d.wait_log("guard_rejected")
        same((said["guard"], said["stage"]), ("plugin:checker/check", "input"))


def test_T3_15_11_T3_15_12_a_failure_says_which_guard_and_at_which_stage():
    for stage, lists in (("input", ([FAIL], [])), ("output", ([], [FAIL]))):
        files = {"default": {"guards": guards(*lists), "detailed_errors": True}}
        with Daemon(plugins=PLUGINS, tenants=files) as d:
            answer = leak(d, "echo", text="hi")
            same(answer.message, "A guard could not check the call. (plugin:checker/check: check_broke: odd)", stage)
            same(d.wait_log("tool_call_failed")["cause"], "plugin:checker/check: check_broke: odd")
            metrics = d.http("GET", "/metrics").body.decode()
            line = f'{{guard="plugin:checker/check",tool="leak",stage="{stage}",verdict="fail"}} 1'
            assert line in metrics, [l for l in metrics.splitlines() if "guard" in l]


def counted(d, stage, verdict):
    """How often a guard of this stage has said so."""
    wanted = f'stage="{stage}",verdict="{verdict}"}} '
    return sum(int(line.rsplit(" ", 1)[1]) for line in d.http("GET", "/metrics").body.decode().splitlines()
               if line.startswith("toolhost_guard_verdicts_total") and wanted in line)


def test_T3_15_17_T3_15_18_T3_15_19_verdicts_are_known_whatever_ends_the_run():
    """What guards had said is counted, also when a later limit or failure ends what the caller was at."""
    budget = {"guard": "budget", "max_invocations": 1}
    with Daemon(plugins=PLUGINS, tenants={"default": {"guards": guards([ALLOW, budget], [plugin("reject")])}}) as d:
        same(leak(d, "echo", text="hi").code, "guardrail_rejected")
        same(leak(d, "echo", text="hi").code, "max_invocations_reached")
        same((counted(d, "input", "allow"), counted(d, "output", "reject"), counted(d, "output", "allow")), (3, 1, 0))
    with Daemon(plugins=PLUGINS, tenants={"default": {"guards": guards([PASSWORD, {**FAIL, "tools": ["promise"]}])}}) as d:
        same(text(leak(d, "echo", text="hi")), "hi")
        same(leak(d, "json", tool="promise").code, "guardrail_failed")
        same((counted(d, "input", "allow"), counted(d, "input", "fail")), (2, 1))


if __name__ == "__main__":
    main()
