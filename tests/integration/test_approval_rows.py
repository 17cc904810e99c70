#!/usr/bin/env python3
"""Approvals, row by row: T3-2 to T3-6, T3-12 and T3-13 of docs/seeds.md, on every front that a caller may come by."""

import contextlib
import functools
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from deciders import (BATCHES, CONVERSATIONS, PLAIN, AgUi, Conversation, InConversation, Mcp, OverRealtime,  # noqa: E402
                      OverWebSocket, Plain, Streamed, form)
from harness import in_background, installed, main, plugin_file, run, same, wait_for  # noqa: E402
from test_approvals import cli, ended, kept, known, listed, one  # noqa: E402
from test_asks_mcp import CAPABILITIES  # noqa: E402
from test_durable import kill  # noqa: E402
from test_guards import guards, plugin as broken_guard  # noqa: E402

REFUSED = "Tool execution was not approved."
FREE = {"tools": ["tally"], "arguments": {"properties": {"id": {"type": "string", "pattern": "free"}}},
        "approval": "never"}
RULES = [FREE, {"tools": ["tally", "all", "greet"], "approval": "always", "reason": "It leaves a line."}]
# Among them those of T3-2: no thread (Plain, Streamed), a local one (InConversation, OverWebSocket), and one that
# somebody else keeps (Mcp, OverRealtime), without streams and with them.
FRONTS = (*PLAIN, *CONVERSATIONS)


def own(durable=False, more=None, **options):
    """Callers decide about their own calls; those whose id has "free" in it need no approval."""
    return kept(durable=durable, config={"approvals": {"by": "caller", "rules": RULES, **(more or {})}}, **options)


def shows(*rows):
    """The rows of docs/seeds.md that a test is for; where it fails it names them."""
    def with_rows(function):
        @functools.wraps(function)
        def test():
            try:
                function()
            except BaseException:
                print("".join(f"# {row}\n" for row in rows), end="", flush=True)
                raise
        return test
    return with_rows


def each(fronts, **options):
    """A caller on each front, all of one daemon."""
    with own(**options) as k, k.again() as d:
        for number, front in enumerate(fronts):
            with front(d, k.file, f"{front.__name__.lower()}{number}") as f:
                f.k = k
                yield f


def ran(f):
    """The calls of this one that have run, in their order."""
    return [id.removeprefix(f"{f.tag}-") for id in f.k.ran() if id.startswith(f"{f.tag}-")]


def decide(f, **said):
    """Decide about each as soon as it is asked about."""
    left = dict(said)
    while left:
        wait_for(lambda: set(f.asked()) & set(left), what=f"{f.tag} to be asked about one of {list(left)}")
        for name in set(f.asked()) & set(left):
            f.decide(name, left.pop(name))


def call(f, name, **more):
    """One more call of its own."""
    if isinstance(f, Conversation):
        f.done.clear()
    f.start(name, **more)


def is_run(f, name, result):
    ok, text = result
    assert ok and text.startswith(f"{f.id(name)} at "), f"{f.tag}: {result}"


# ---- T3-2: how many run, are asked about, have a result

@shows("T3-2.1 a call over plain HTTP; no approval: one run, one result, nobody is asked",
       "T3-2.2 the same as a stream; no approval: one run, one result, nobody is asked",
       "T3-2.3 a call of a conversation over plain HTTP; no approval: one run, one result, nobody is asked",
       "T3-2.4 one over its WebSocket; no approval: one run, one result, nobody is asked",
       "T3-2.5 a call over MCP, whose client keeps the state; no approval: one run, one result, nobody is asked",
       "T3-2.6 a call over Realtime, whose service keeps the conversation; no approval: one run, one result, nobody is asked",
       "T3-13.27 no request: nothing is asked", "T3-13.42 no request, in a stream",
       "T3-13.77 a rule works without a conversation", "T3-13.78 and without one in a stream",
       "T3-13.79 a call without a conversation makes none", "T3-13.84 a rule, in a stream",
       "T3-13.100 what is no approval passes", "T3-13.112 nothing is asked: nothing is changed",
       "T3-13.116 none needs it: nothing is shown", "T3-13.122 in a stream: nothing is asked",
       "T3-13.125 in a stream: nothing is shown")
def test_T3_2_T3_13_what_needs_no_approval_runs_once_and_has_one_result():
    for f in each(FRONTS):
        f.start("free")
        found = f.results()
        same((list(found), ran(f), list(f.asked()), f.pending()), (["free"], ["free"], [], {}), f.tag)
        is_run(f, "free", found["free"])
        if isinstance(f, (Plain, Mcp, AgUi)):
            same(f.d.http("GET", "/v1/sessions").json["sessions"], [], f.tag)


@shows("T3-2.7 a call over plain HTTP; approval: one request, no run, no result yet",
       "T3-2.8 the same as a stream; approval: one request, no run, no result yet",
       "T3-2.9 a call of a conversation over plain HTTP; approval: one request, no run, no result yet",
       "T3-2.10 one over its WebSocket; approval: one request, no run, no result yet",
       "T3-2.11 a call over MCP, whose client keeps the state; approval: one request, no run, no result yet",
       "T3-2.12 a call over Realtime, whose service keeps the conversation; approval: one request, no run, no result yet",
       "T3-13.28 a request no rule is for is asked about", "T3-13.59 in a stream what no rule is for is shown",
       "T3-13.66 one is no queue", "T3-13.101 what is asked is recorded",
       "T3-13.126 outside of an agent each call is asked about for itself", "T3-13.127 without a conversation, too",
       "T3-13.128 and in a stream")
def test_T3_2_T3_13_what_needs_approval_is_one_request_and_runs_not_at_all():
    for f in each(FRONTS):
        f.start("a")
        f.is_asked("a")
        same((ran(f), list(f.pending())), ([], ["a"]), f.tag)
        decide(f, a=False)
        same((f.results(), ran(f)), ({"a": (False, REFUSED)}, []), f.tag)


@shows("T3-2.15 calls of one response over plain HTTP; mixed", "T3-2.16 the same over a WebSocket",
       "T3-2.18 a response over Realtime; mixed", "T3-12.11 what is safe is held, and begun with the decision",
       "T3-12.16 in a queue, too, what is safe is held", "T3-13.34 of two requests the one that needs it is shown",
       "T3-13.61 in a stream only what needs it is shown", "T3-13.114 what needs none is not asked about",
       "T3-13.115 it is held", "T3-13.118 what was held is begun with the decision", "T3-13.119 and once",
       "T3-13.123 in a stream: what needs none is not asked about", "T3-13.124 in a stream: it is held")
def test_T3_2_T3_12_T3_13_of_a_mixed_response_nothing_runs_that_comes_behind_what_waits():
    for f in each(CONVERSATIONS):
        f.start("a", "free")
        f.is_asked("a")
        same((ran(f), list(f.pending())), ([], ["a"]), f.tag)
        decide(f, a=True)
        found = f.results()
        for name in ("a", "free"):
            is_run(f, name, found[name])
        same(sorted(ran(f)), ["a", "free"], f.tag)


@shows("T3-2.13 calls of one request over plain HTTP; mixed: one request, the other waits with it, no run",
       "T3-2.14 the same as a stream", "T3-2.17 a batch over MCP; mixed")
def test_T3_2_U3_7_of_a_mixed_batch_nothing_runs_before_the_decision():
    for f in each(BATCHES):
        f.start("free", "a", "free2")  # what comes before waits as well
        f.is_asked("a")
        same((ran(f), list(f.pending())), ([], ["a"]), f.tag)
        decide(f, a=True)
        found = f.results()
        same(sorted(found), ["a", "free", "free2"], f.tag)  # those of an array of JSON-RPC come in any order
        for name in found:
            is_run(f, name, found[name])
        same(sorted(ran(f)), ["a", "free", "free2"], f.tag)


def test_T3_2_U3_7_of_a_mixed_run_of_AG_UI_all_are_requests():
    for f in each([AgUi]):
        f.start("free", "a")
        f.is_asked("a", "free")
        same((ran(f), f.done), ([], {}))
        decide(f, a=False, free=True)
        same((f.results()["a"], ran(f)), ((False, REFUSED), ["free"]))


# ---- T3-3: approved and rejected together

@shows("T3-3.1 of two calls one is approved and one rejected: one result each, one run")
def test_T3_3_of_two_calls_one_is_approved_and_one_rejected():
    for f in each((*FRONTS, *BATCHES)):
        f.start("a", "b")
        decide(f, a=True, b=False)
        found = f.results()
        same((sorted(found), found["b"], ran(f)), (["a", "b"], (False, REFUSED), ["a"]), f.tag)
        is_run(f, "a", found["a"])


@shows("T3-3.2 the result of a rejection carries the id of its call", "T3-13.105 a rejection is kept as such")
def test_T3_3_T3_13_the_result_of_a_rejection_is_that_of_its_call():
    for f in each(FRONTS):
        f.start("a", "b")
        for name, text in (("a", "Not this."), ("b", "Nor that.")):
            wait_for(lambda: name in f.asked(), what=f"{f.tag}: {name}")
            f.decide(name, False, text=text)
        same((f.results(), ran(f)), ({"a": (False, "Not this."), "b": (False, "Nor that.")}, []), f.tag)


# ---- T3-4: what comes of an approved call

@shows("T3-4.1 an approved call has exactly one result", "T3-5.2 no call is there twice once it is decided",
       "T3-12.7 what was decided is in no list of what waits", "T3-13.41 an answer is used up",
       "T3-13.106 the entry is used up")
def test_T3_4_T3_5_T3_12_T3_13_an_approved_call_has_its_result_and_one_only():
    for f in each(FRONTS):
        f.start("a")
        decide(f, a=True)
        found = f.results()
        same((list(found), ran(f), f.pending()), (["a"], ["a"], {}), f.tag)
        is_run(f, "a", found["a"])


def test_T3_4_an_approved_call_that_fails_has_the_tool_s_error_as_its_result():
    for f in each(FRONTS):
        f.more["a"] = {"fail": True}
        f.start("a")
        decide(f, a=True)
        ok, text = f.results()["a"]
        same((ok, f.id("a") in text, ran(f)), (False, True, ["a"]), f"{f.tag}: {text}")


@shows("T3-4.2 it fails behind the approval: without the cause",
       "T3-4.3 the same with the cause, where the tenant says so")
def test_T3_4_the_cause_of_a_failure_behind_an_approval_is_told_only_where_it_shall_be():
    """A guard of the output breaks: the tool has run, and whoever asked is told why where the tenant says so."""
    broken = guards([], [broken_guard("fail", text="odd")])
    for detailed in (False, True):
        tenant = {"default": {"detailed_errors": detailed, "guards": broken}}
        for f in each((Plain, Streamed, Mcp, Conversation), tenants=tenant, plugins=[plugin_file("tally"), "checker"]):
            f.start("a")
            decide(f, a=True)
            ok, text = f.results()["a"]
            same((ok, "A guard could not check the call." in text, "check_broke: odd" in text, ran(f)),
                 (False, True, detailed, ["a"]), f"{f.tag}: {text}")


@shows("T3-4.4 its arguments do not fit: no run, and nobody is asked")
def test_T3_4_arguments_that_do_not_fit_run_nothing_and_ask_nobody_on_any_front():
    for f in each(FRONTS):
        f.more["a"] = {"ms": "soon"}
        f.start("a")
        ok, text = f.results()["a"]
        same((ok, "integer" in text, ran(f), f.pending()), (False, True, [], {}), f"{f.tag}: {text}")
    for f in each([Plain]):
        same(listed(f.d, "all"), [])


# ---- T3-5: exactly once

@shows("T3-5.1 a decision that comes again is inert")
def test_T3_5_decisions_that_come_again_are_inert():
    for f in each(FRONTS):
        f.start("a", "b")
        decide(f, a=True, b=False)
        found = f.results()
        for approval in listed(f.d, "all"):
            if approval["arguments"]["id"] in (f.id("a"), f.id("b")):
                for word in ("approve", "reject"):
                    again = f.d.http("POST", f"/v1/approvals/{approval['id']}", {"decision": word})
                    same((again.status, again.error), (409, "approval_decided"), f.tag)
        same((f.results(), ran(f)), (found, ["a"]), f.tag)


def test_T3_5_the_call_once_more_after_it_has_run_is_its_result():
    with own() as k, k.again() as d:
        f = Plain(d, k.file, "plain")
        f.start("a")
        decide(f, a=True)
        first = f.results()
        for _ in range(3):
            f.start("a")
            same((f.results(), f.pending(), k.ran()), (first, {}, ["plain-a"]))


# ---- T3-6: ids that come again are told apart by their occurrence

class Runs:
    """Runs of AG-UI whose calls all have the same id."""

    def __init__(self, d, k):
        self.d, self.k, self.count = d, k, 0

    def begin(self, name):
        self.count += 1
        f = AgUi(self.d, self.k.file, f"run{self.count}")
        f.id = lambda _: "c1"
        f.arguments = lambda _: {"file": str(self.k.file), "id": name}
        f.start("c1")
        return f


@shows("T3-6.1 each result goes to its own call, in whichever order they are approved",
       "T3-13.83 results stand by their calls")
def test_T3_6_1_T3_13_each_result_goes_to_the_call_that_was_approved():
    for f in each(PLAIN):
        f.start("a", "b")
        f.is_asked("a", "b")
        for name in ("b", "a"):  # in another order than they came
            f.decide(name, True)
        found = f.results()
        for name in ("a", "b"):
            is_run(f, name, found[name])
        same(sorted(ran(f)), ["a", "b"], f.tag)


def test_T3_6_2_an_id_that_has_its_result_may_come_again():
    with own() as k, k.again() as d:
        runs = Runs(d, k)
        for name in ("old", "new"):
            f = runs.begin(name)
            same((list(f.asked()), k.ran()), (["c1"], [] if name == "old" else ["old"]))
            f.decide("c1", True)
            assert f.done["c1"].startswith(f"{name} at "), f.done
        same(k.ran(), ["old", "new"])


def test_T3_6_3_a_request_that_comes_again_is_the_same_request():
    with own() as k, k.again() as d:
        f = Plain(d, k.file, "plain")
        f.start("a")
        f.is_asked("a")
        first = f.pending()["a"]["id"]
        again = f.call("a")
        same((again.status, again.error), (409, "call_in_progress"))
        same([a["id"] for a in listed(d)], [first])
        with Conversation(d, k.file, "talk") as talk:
            for _ in range(3):
                talk.start("a")
            talk.is_asked("a")
            d.wait_log("tool_invocation_ignored_already_pending")
            same(len(talk.pending()), 1)
            decide(talk, a=True)
            is_run(talk, "a", talk.results()["a"])
        decide(f, a=True)
        is_run(f, "a", f.results()["a"])
        same(sorted(k.ran()), ["plain-a", "talk-a"])


def test_T3_6_4_what_was_answered_already_is_answered_with_what_it_gave():
    with own() as k, k.again() as d:
        f = Mcp(d, k.file, "mcp")
        f.start("a")
        state = f.states["a"]
        f.decide("a", True)
        first = f.results()["a"]
        for approve in (True, False):
            f.states["a"] = state
            f.decide("a", approve)
            same((f.results()["a"], k.ran()), (first, ["mcp-a"]))


def test_T3_6_5_one_id_three_times_is_three_calls():
    """One that needs nothing, one that is approved, one that is rejected: each has its own result."""
    with own() as k, k.again() as d:
        runs = Runs(d, k)
        free, approved, rejected = runs.begin("free"), runs.begin("two"), runs.begin("three")
        same((list(free.asked()), list(approved.asked()), list(rejected.asked())), ([], ["c1"], ["c1"]))
        rejected.decide("c1", False)
        approved.decide("c1", True)
        assert free.done["c1"].startswith("free at ") and approved.done["c1"].startswith("two at "), approved.done
        same((rejected.done["c1"], k.ran()), (REFUSED, ["free", "two"]))


def test_T3_6_6_all_that_one_call_asks_stays_with_it():
    """Two calls of one id, both approved: the first one asks four things more, and those are its own."""
    with own(plugins=[plugin_file("tally"), plugin_file("asks")]) as k, k.again() as d:
        def call(tool, arguments, **params):
            return d.mcp("tools/call", {"name": tool, "arguments": arguments, **params}, meta={CAPABILITIES: {
                "elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}}}).json["result"]

        yes = {"approval": form(True)}
        what = {"tool": "tally", "arguments": {"file": str(k.file), "id": "second"}}
        first, second = call("all", {}), call(**what)
        second = call(**what, requestState=second["requestState"], inputResponses=yes)
        assert second["content"][0]["text"].startswith("second at "), second
        asked = call("all", {}, requestState=first["requestState"], inputResponses=yes)
        same((asked["resultType"], sorted(asked["inputRequests"])), ("input_required", ["form", "model", "roots", "url"]))
        done = call("all", {}, requestState=asked["requestState"], inputResponses={
            "form": {"action": "accept", "content": {"name": "Ada"}}, "url": {"action": "decline"},
            "model": {"role": "assistant", "model": "m", "content": {"type": "text", "text": "Hi"}},
            "roots": {"roots": []}})
        said = "".join(part["text"] for part in done["content"])
        same([line.split()[:2] for line in said.splitlines()],
             [["form", "answered"], ["url", "declined"], ["model", "answered"], ["roots", "answered"]])
        same(k.ran(), ["second"])


def later(d, k, name):
    """A call whose caller is answered at once, with what stands in the place of its result."""
    answer = k.tally(d, name, headers={"Prefer": "respond-async"})
    same((answer.status, answer.json["status"]), (202, "approval_required"))
    return answer.json["approval"]


def test_T3_6_7_what_stands_in_the_place_of_a_result_is_of_its_own_occurrence():
    with own() as k, k.again() as d:
        same(k.tally(d, "free").status, 200)
        second, third = later(d, k, "same"), later(d, k, "same")
        assert second["id"] != third["id"] and second["arguments"] == third["arguments"]
        texts = []
        for found in (third, second):
            cli(d, "approve", found["id"])
            texts.append(ended(d, found)["result"]["content"][0]["text"])
        assert texts[0] != texts[1], texts
        same(known(d, third)["result"]["content"][0]["text"], texts[0])
        same(k.ran(), ["free", "same", "same"])


def test_T3_6_8_a_rejection_takes_the_place_and_nothing_else_does():
    with own() as k, k.again() as d:
        found = later(d, k, "a")
        cli(d, "reject", found["id"])
        over = known(d, found)
        same((over["approval"]["state"], "result" in over, [a["id"] for a in listed(d, "all")], k.ran()),
             ("rejected", False, [found["id"]], []))


def test_T3_6_9_results_in_another_order_than_the_calls():
    with own() as k, k.again() as d:
        calls = {name: later(d, k, name) for name in ("one", "two", "three")}
        for name in ("three", "one", "two"):
            cli(d, "approve", calls[name]["id"])
            ended(d, calls[name])
        same(k.ran(), ["three", "one", "two"])
        for name, found in calls.items():
            assert known(d, found)["result"]["content"][0]["text"].startswith(f"{name} at ")


def test_T3_6_10_a_call_without_an_id_is_given_one():
    with own() as k, k.again() as d:
        first, second = later(d, k, "a"), later(d, k, "b")
        assert first["call_id"] and second["call_id"] and first["call_id"] != second["call_id"]
        cli(d, "approve", second["id"])
        assert ended(d, second)["result"]["content"][0]["text"].startswith("b at ")
        same((known(d, first)["approval"]["state"], k.ran()), ("pending", ["b"]))


# ---- T3-12: a queue, siblings that are hidden, rules

@shows("T3-12.1 a decision changes nothing of what was asked: approved", "T3-12.2 the same as a stream",
       "T3-12.3 rejected", "T3-12.4 the same as a stream")
def test_T3_12_a_decision_changes_nothing_of_what_was_asked():
    for f in each((Plain, Streamed)):
        for name, approve in (("a", True), ("b", False)):
            f.start(name)
            f.is_asked(name)
            before = f.pending()[name]
            f.decide(name, approve)
            f.results()
            after = known(f.d, before)["approval"]
            same(after["state"], "approved" if approve else "rejected")
            for member in before.keys() - {"state", "expires"}:
                same(after[member], before[member], f"{f.tag}: {member}")
        same(ran(f), ["a"], f.tag)


@shows("T3-12.9 all that an approved call asks is asked at once", "T3-12.10 the same as a stream")
def test_T3_12_all_that_an_approved_call_asks_is_asked_at_once():
    with own(plugins=[plugin_file("tally"), plugin_file("asks")]) as k, k.again() as d:
        for headers in ({}, {"Accept": "text/event-stream"}):
            waiting = in_background(d.http, "POST", "/v1/tools/all/call", {"arguments": {}}, headers)
            cli(d, "approve", one(d)["id"])
            answer = waiting().json
            same((answer["status"], sorted(answer["ask"]["requests"])),
                 ("input_required", ["form", "model", "roots", "url"]), headers)


@shows("T3-12.13 what is held is not begun by another response")
def test_T3_12_what_is_held_is_not_begun_by_another_response():
    for f in each(CONVERSATIONS):
        f.start("a", "free1")
        f.is_asked("a")
        f.start("free2", response="r2")
        wait_for(lambda: ran(f) == ["free2"], what=f"{f.tag}: the call of another response")
        same(list(f.asked()), ["a"])
        f.wanted = ["a", "free1", "free2"]
        decide(f, a=True)
        f.results()
        same(sorted(ran(f)), ["a", "free1", "free2"], f.tag)


@shows("T3-12.14 what is held is begun by the decision it waits for")
def test_T3_12_what_is_held_is_begun_by_the_decision_it_waits_for():
    for f in each(CONVERSATIONS):
        f.start("a", "free1")
        f.is_asked("a")
        f.start("b", "free2", response="r2")
        wait_for(lambda: sorted(f.pending()) == ["a", "b"], what=f"{f.tag}: both in the book")
        cli(f.d, "reject", f.pending()["b"]["id"])  # the later one, which is not asked about yet
        wait_for(lambda: ran(f) == ["free2"], what=f"{f.tag}: what the rejected one held")
        f.wanted = ["a", "b", "free1", "free2"]
        decide(f, a=True)
        same((f.results()["b"], sorted(ran(f))), ((False, REFUSED), ["a", "free1", "free2"]), f.tag)


@shows("T3-12.15 several requests are a queue", "T3-12.21 the queue over streams", "T3-13.62 of several one is shown",
       "T3-13.63 approved: the next one", "T3-13.65 the last one decided: all have their results",
       "T3-13.67 rejected: the next one", "T3-13.68 of several in a stream one is shown",
       "T3-13.69 approved, in a stream: the next one", "T3-13.113 all need approval: each is asked about")
def test_T3_12_T3_13_U3_10_conversations_are_asked_for_one_after_the_other():
    for f in each(CONVERSATIONS):
        for number, name in enumerate("abc"):
            f.start(name, response=f"r{number}")
        wait_for(lambda: len(f.pending()) == 3, what=f"{f.tag}: three in the book")
        for name, approve in (("a", True), ("b", False), ("c", True)):
            f.is_asked(name)
            f.decide(name, approve)
        f.wanted = list("abc")
        found = f.results()
        same((found["b"], ran(f), f.pending()), ((False, REFUSED), ["a", "c"], {}), f.tag)


@shows("T3-13.74 a rule for all tools", "T3-13.75 and no call is asked about",
       "T3-13.81 the first rule that fits decides")
def test_T3_13_a_rule_for_all_tools_asks_about_none_and_the_first_that_fits_decides():
    always, never = {"tools": ["*"], "approval": "always"}, {"tools": ["*"], "approval": "never"}
    for rules, asked in (([never], False), ([never, always], False), ([always, never], True),
                         ([{"tools": ["tal"], "approval": "never"}, always], True)):
        for f in each((Plain, Streamed, Conversation), more={"mode": "always", "rules": rules}):
            f.start("a")
            if asked:
                decide(f, a=False)
            same((f.results()["a"][0], ran(f)), (not asked, [] if asked else ["a"]), f"{f.tag}: {rules}")


@shows("T3-12.18 what goes by itself has the budget of all",
       "T3-12.19 the budget is used up: what is approved has a result", "T3-12.20 the same as a stream")
def test_T3_12_what_goes_by_itself_and_what_is_approved_have_one_budget():
    """An approval gives no call back, and a call whose budget is used up has a result, too."""
    spent = "Function 'tally' has reached its maximum invocation limit, you can no longer use this tool."
    tenant = {"default": {"guards": guards([{"guard": "budget", "max_invocations": 3}])}}
    for front in (Plain, Streamed):
        for f in each((front,), tenants=tenant):
            f.start("free1", "free2", "a")
            decide(f, a=True)
            same({ok for ok, _ in f.results().values()}, {True}, f.tag)
            f.start("free3", "b")
            decide(f, b=True)
            same((f.results()["free3"], f.results()["b"]), ((False, spent), (False, spent)), f.tag)
            same((sorted(ran(f)), f.pending()), (["a", "free1", "free2"], {}), f.tag)


@shows("T3-12.17 a rule sees the tool, the caller and the arguments", "T3-13.76 a rule for a tool",
       "T3-13.80 a rule that does not fit")
def test_T3_12_T3_13_a_rule_sees_the_tool_its_caller_and_its_arguments():
    rules = [{"tools": ["tal*"], "callers": ["anon*"], "arguments": {"properties": {"ms": {"maximum": 5}}},
              "approval": "never"}, {"approval": "always"}]
    with own(more={"rules": rules}) as k, k.again() as d:
        for ms, asked in ((5, False), (6, True), (None, True)):
            f = Plain(d, k.file, f"ms{ms}")
            f.more["a"] = {} if ms is None else {"ms": ms}
            f.start("a")
            if asked:
                f.is_asked("a")
                f.decide("a", False)
            same((f.results()["a"][0], f.pending()), (not asked, {}), ms)
        same(k.ran(), ["ms5-a"])


# ---- T3-13: rules that stand, forged answers

def drop_rules(d):
    for rule in json.loads(cli(d, "approvals", "rules"))["rules"]:
        cli(d, "reject", rule["id"])


@shows("T3-12.22 approved for good, for a tool", "T3-12.24 approved for good, for these arguments",
       "T3-13.29 for good, of a tool: later calls go", "T3-13.30 for good, of these arguments: the same call goes",
       "T3-13.31 others do not", "T3-13.39 an approval for good is an approval",
       "T3-13.57 what a rule answers for is not shown", "T3-13.58 nor in a stream",
       "T3-13.60 where a rule answers for all nothing is shown",
       "T3-13.82 a rule that stands goes before the configuration")
def test_T3_12_T3_13_an_approval_for_good_answers_for_what_comes_later():
    for f in each(FRONTS):
        f.more = {"twin": {"id": f.id("a")}}
        for name, remember, later in (("a", "arguments", "twin"), ("b", "tool", "c")):  # b is another call than a
            call(f, name)
            f.is_asked(name)
            f.decide(name, True, remember=remember)
            is_run(f, name, f.results()[name])
            call(f, later)
            ok, text = f.results()[later]
            assert ok and text.startswith(f"{f.arguments(later)['id']} at "), f"{f.tag}: {text}"
            same((list(f.asked()), f.pending()), ([], {}), f.tag)
        same(ran(f), ["a", "a", "b", "c"], f.tag)
        drop_rules(f.d)


@shows("T3-12.25 a rule of no arguments is not one of the tool",
       "T3-13.32 for good without arguments: not for calls with any", "T3-13.33 but for calls without")
def test_T3_12_T3_13_for_good_without_arguments_is_for_calls_without_any():
    with own(plugins=[plugin_file("tally"), plugin_file("asks")]) as k, k.again() as d:
        def greet(**arguments):
            return d.http("POST", "/v1/tools/greet/call", {"arguments": arguments})

        waiting = in_background(greet)
        cli(d, "approve", one(d)["id"], "--remember", "arguments")
        same(waiting().json["status"], "input_required")  # it runs, and asks
        same(json.loads(cli(d, "approvals", "rules"))["rules"][0]["arguments"], {})
        same((greet().json["status"], listed(d)), ("input_required", []))
        waiting = in_background(lambda: greet(who="you"))
        cli(d, "reject", one(d)["id"])
        same(waiting().error, "approval_rejected")


@shows("T3-13.52 for good, of the tool: the rule has no arguments",
       "T3-13.53 for good, of the arguments: the rule has them", "T3-13.54 what is no such word is refused",
       "T3-13.55 and nothing is decided by it", "T3-13.92 a decision that says nothing more makes no rule",
       "T3-13.93 a rule has the name of its tool", "T3-13.94 and its arguments")
def test_T3_13_what_a_decision_may_say():
    with own() as k, k.again() as d:
        f = Plain(d, k.file, "plain")
        for name, remember in (("a", "tool"), ("b", "arguments"), ("c", None)):
            f.start(name)
            f.is_asked(name)
            for wrong in ({"remember": "all"}, {"remember": True}, {"text": 1}, {"tool": "tally"}):
                same(f.decide(name, True, **wrong).status, 400, wrong)
            same(f.decide(name, False, remember="tool").status, 400)
            f.decide(name, True, **({"remember": remember} if remember else {}))
            is_run(f, name, f.results()[name])
            rules = json.loads(cli(d, "approvals", "rules"))["rules"]
            same([(r["tool"], r.get("arguments", {}).get("id")) for r in rules],
                 [("tally", {"tool": None, "arguments": f.id("b")}[remember])] if remember else [])
            drop_rules(d)


@shows("T3-13.40 rules are kept", "T3-13.95 a rule of a tool is kept as it was", "T3-13.96 one of arguments",
       "T3-13.97 one of no arguments", "T3-13.98 with the names its members have", "T3-13.99 all of them")
def test_T3_13_rules_are_over_a_restart_what_they_were():
    with own(durable=True, plugins=[plugin_file("tally"), plugin_file("asks")]) as k:
        def greet(d):
            return in_background(lambda: d.http("POST", "/v1/tools/greet/call", {"arguments": {}}).json["status"])

        with k.again() as d:
            f = Plain(d, k.file, "plain")
            f.start("a")
            f.is_asked("a")
            f.decide("a", True, remember="arguments")
            f.results()
            waiting = greet(d)
            cli(d, "approve", one(d)["id"], "--remember", "arguments")
            waiting()
            f.start("b")
            f.is_asked("b")
            f.decide("b", True, remember="tool")
            f.results()
            before = json.loads(cli(d, "approvals", "rules"))["rules"]
        same([sorted(set(r) & {"tool", "arguments"}) for r in before], [["arguments", "tool"], ["arguments", "tool"], ["tool"]])
        with k.again() as d:
            same(json.loads(cli(d, "approvals", "rules"))["rules"], before)
            same((Plain(d, k.file, "plain").call("c").status, greet(d)(), listed(d)), (200, "input_required", []))


@shows("T3-5.3 what was kept is decided after a restart, and runs once",
       "T3-12.8 what waits is there after a restart", "T3-12.12 two that wait are taken up by the next daemon",
       "T3-13.110 an answer to what an earlier daemon has recorded")
def test_T3_5_T3_12_T3_13_what_waits_is_there_after_a_restart():
    with own(durable=True) as k:
        d = k.again()
        f = Plain(d, k.file, "plain")
        f.start("a", "b")
        f.is_asked("a", "b")
        before = f.pending()
        kill(d)
        for waiting in f.waiting.values():
            with contextlib.suppress(Exception):
                waiting()
        with k.again() as d:
            f = Plain(d, k.file, "plain")
            same({name: a["id"] for name, a in f.pending().items()}, {name: a["id"] for name, a in before.items()})
            decide(f, a=True, b=False)
            f.start("a")  # whoever asked comes again
            is_run(f, "a", f.results()["a"])
            same((known(d, before["b"])["approval"]["state"], k.ran(), f.pending()), ("rejected", ["plain-a"], {}))


@shows("T3-13.64 approved for good: what waits and fits goes", "T3-13.70 approved for good, in a stream")
def test_T3_13_an_approval_for_good_answers_for_what_waits_already():
    for f in each((Plain, Streamed, InConversation, Conversation, OverWebSocket, OverRealtime)):
        f.start("a", "b", "c")
        if f.__class__ in PLAIN:
            wait_for(lambda: len(f.pending()) == 3, what=f"{f.tag}: those in the book")
        wait_for(lambda: "a" in f.asked(), what=f"{f.tag} to be asked about a")
        f.decide("a", True, remember="tool")
        found = f.results()
        for name in ("a", "b", "c"):
            is_run(f, name, found[name])
        same((sorted(ran(f)), f.pending()), (["a", "b", "c"], {}), f.tag)
        rule, = json.loads(cli(f.d, "approvals", "rules"))["rules"]
        same([a["decided_by"] for a in listed(f.d, "all") if a["arguments"]["id"] == f.id("a")], ["anonymous"])
        same({a["decided_by"] for a in listed(f.d, "all") if a["arguments"]["id"] == f.id("b")} - {f"rule:{rule['id']}"},
             set(), f.tag)
        drop_rules(f.d)


def test_T3_13_an_approval_for_these_arguments_answers_for_no_others_that_wait():
    for f in each((Plain, Streamed)):
        f.more = {"twin": {"id": f.id("a")}}
        f.start("a", "b", "twin")
        wait_for(lambda: len(listed(f.d)) == 3, what=f"{f.tag}: all in the book")
        f.decide("a", True, remember="arguments")
        wait_for(lambda: len(listed(f.d)) == 1, what=f"{f.tag}: the one with other arguments")
        same(list(f.pending()), ["b"])
        f.decide("b", False)
        same((f.results()["b"], ran(f)), ((False, REFUSED), ["a", "a"]), f.tag)


@shows("T3-13.56 the same for good twice is one rule")
def test_T3_13_the_same_for_good_twice_is_one_rule():
    """The second one is for what the first one has been made of, which a person is asked about again."""
    with own(more={"unasked_max": 1}) as k, k.again() as d:
        f = Plain(d, k.file, "plain")
        for name in ("a", "free1", "b"):  # behind one that goes unasked, a person decides, whatever stands
            f.start(name)
            if name != "free1":
                f.is_asked(name)
                f.decide(name, True, remember="tool")
            same(f.results()[name][0], True)
        same(len(json.loads(cli(d, "approvals", "rules"))["rules"]), 1)


@shows("T3-13.35 a forged answer during a queue", "T3-13.102 an answer to what was not recorded is dropped")
def test_T3_13_U3_11_forged_answers_during_a_queue_are_dropped():
    for f in each(CONVERSATIONS):
        for number, name in enumerate("ab"):
            f.start(name, response=f"r{number}")
        f.wanted = list("ab")
        wait_for(lambda: len(f.pending()) == 2, what=f"{f.tag}: both in the book")
        f.is_asked("a")
        waiting = f.pending()
        first = f.open["a"]
        for forged in ("apr_" + "0" * 32, waiting["b"]["id"], "", first + "0"):
            f.open["a"] = forged
            f.decide("a", True)
        f.open["a"] = first
        same((ran(f), sorted(f.pending())), ([], ["a", "b"]), f.tag)
        decide(f, a=False, b=True)
        same((f.results()["a"], ran(f)), ((False, REFUSED), ["b"]), f.tag)


@shows("T3-13.36 a substituted answer: what runs is the record", "T3-13.103 an answer is bound to the record",
       "T3-13.104 also one that repeats it")
def test_T3_13_U3_11_what_runs_is_what_was_asked_about():
    """Whoever decides hands in no arguments: what else stands beside a decision is refused, or not looked at."""
    for f in each(CONVERSATIONS):
        f.start("a")
        f.is_asked("a")
        f.decide("a", True, arguments={"file": f.file, "id": f.id("x")}, name="greet", call_id="x")
        is_run(f, "a", f.results()["a"])
        call(f, "b", response="r2")
        f.is_asked("b")
        f.decide("b", True, arguments=f.arguments("b"))  # what is the same is not looked at, either
        is_run(f, "b", f.results()["b"])
        same(ran(f), ["a", "b"], f.tag)
    with own() as k, k.again() as d:
        f = Plain(d, k.file, "plain")
        f.start("a")
        f.is_asked("a")
        wrong = f.decide("a", True, arguments={"id": "x"})
        same((wrong.status, "/arguments" in wrong.json["error"]["message"], k.ran()), (400, True, []))
        decide(f, a=True)
        f.results()
        same(k.ran(), ["plain-a"])


@shows("T3-13.37 two answers: one counts", "T3-13.107 two in one turn count once")
def test_T3_13_U3_11_of_two_answers_the_first_counts():
    for f in each(CONVERSATIONS):
        f.start("a")
        f.is_asked("a")
        id = f.open["a"]
        for approve in (True, False, True):
            f.open["a"] = id
            f.decide("a", approve)
        is_run(f, "a", f.results()["a"])
        same(ran(f), ["a"], f.tag)


@shows("T3-13.108 what was recorded is not changed by what comes later",
       "T3-13.111 without a conversation answers are bound as well")
def test_T3_13_U3_11_what_was_recorded_is_not_changed_by_what_comes_later():
    """Nor is an answer outside of a conversation good for anything but what it was asked about."""
    with own() as k, k.again() as d:
        f, other = Mcp(d, k.file, "mcp"), Plain(d, k.file, "plain")
        f.start("a")
        other.start("a")
        other.is_asked("a")
        before = (f.pending(), other.pending())
        for arguments in ({"id": "x"}, {"file": str(k.dir / "other")}, {"ms": 1}):
            f.more["a"] = other.more["a"] = arguments
            refused = f.d.mcp("tools/call", {"name": "tally", "arguments": f.arguments("a"), "requestState":
                                             f.states["a"], "inputResponses": {"approval": form(True)}})
            same((refused.error, other.call("a").error), (-32602, "call_id_reused"), arguments)
        f.more, other.more = {}, {}
        same(((f.pending(), other.pending()), k.ran()), (before, []))
        for forged in ("apr_" + "0" * 32, before[1]["a"]["id"][:-1], before[1]["a"]["call_id"]):
            same(d.http("POST", f"/v1/approvals/{forged}", {"decision": "approve"}).status, 404, forged)
        decide(f, a=True)
        decide(other, a=False)
        is_run(f, "a", f.results()["a"])
        same((other.results()["a"], k.ran()), ((False, REFUSED), ["mcp-a"]))


# ---- T3-13: what goes by itself does not go for ever

@shows("T3-13.85 what goes by itself stops at the cap", "T3-13.86 in a stream, too")
def test_T3_12_T3_13_U3_10_after_so_many_calls_by_themselves_somebody_is_asked():
    for f in each(FRONTS, more={"unasked_max": 2}):
        for name in ("free1", "free2"):
            call(f, name)
            is_run(f, name, f.results()[name])
        call(f, "free3")
        f.is_asked("free3")
        assert f.pending()["free3"]["reason"].endswith("(2 calls before it have gone without asking.)"), f.pending()
        same(ran(f), ["free1", "free2"], f.tag)
        f.decide("free3", False)
        same(f.results()["free3"], (False, REFUSED), f.tag)
        for name in ("free4", "free5"):  # somebody was there
            call(f, name)
            is_run(f, name, f.results()[name])
        call(f, "free6")
        decide(f, free6=True)
        is_run(f, "free6", f.results()["free6"])
        f.d.wait_log("approval_unasked_max")


def test_T3_13_U3_10_rules_that_stand_are_counted_as_well():
    for f in each((Plain, Conversation), more={"unasked_max": 1}):
        for name, asked in (("a", True), ("b", False), ("c", True), ("d", False), ("e", True)):
            call(f, name)
            if asked:
                f.is_asked(name)
                f.decide(name, True, remember="tool")
            is_run(f, name, f.results()[name])
        drop_rules(f.d)


@shows("T3-13.90 without a cap in the configuration it is 40")
def test_T3_13_U3_10_a_turn_of_the_user_begins_anew_and_forty_is_the_cap_of_a_conversation():
    for f in each((Conversation, OverWebSocket)):
        names = [f"free{n}" for n in range(41)]
        f.start(*names)
        f.is_asked("free40")
        wait_for(lambda: len(ran(f)) == 40, what="forty runs")
        f.send(type="user_turn_started")
        f.start("free41", response="r2")
        wait_for(lambda: len(ran(f)) == 41, what="one more, in the turn of the user")
        same(list(f.asked()), ["free40"])
    for f in each((Plain,)):
        f.start(*names)
        same({ok for ok, _ in f.results().values()}, {True})
        same((len(ran(f)), f.pending()), (41, {}))


@shows("T3-13.91 a cap is at least 1")
def test_T3_13_a_cap_is_at_least_one():
    for wrong in (0, -1, "many", 1.5, None):
        with own(more={"unasked_max": wrong}) as k, k.again(check=False) as d:
            status, _, said = run(installed("sbin/toolhostd"), "--check", "--config-dir", d.config_dir, "--plugin-dir",
                                  d.plugin_dir)
            same((status != 0, "/approvals/unasked_max: expected" in said), (True, True), f"{wrong}: {said}")


@shows("T3-13.120 a tool nobody knows: here it is refused, and asked about by nobody")
def test_T3_13_a_tool_nobody_knows_is_no_approval():
    with own(more={"mode": "always"}) as k, k.again() as d:
        answer = d.http("POST", "/v1/tools/nothing/call", {"arguments": {}})
        same((answer.status, listed(d, "all")), (404, []))


if __name__ == "__main__":
    main()
