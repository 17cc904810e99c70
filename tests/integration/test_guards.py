#!/usr/bin/env python3
"""Guards of calls: their order, what each verdict does on every way to the daemon, what a redacting guard
keeps to itself, guards of plugins that hang, crash or answer nonsense, budgets, and errors."""

import hashlib
import json
import os
import pathlib
import tempfile
import time

from harness import PATIENCE, Daemon, in_background, installed, main, run, same, wait_for
from test_agui import call_events, play
from test_session_ws import WebSocket

CANARY = "4155550123"
PHONE = f"+1{CANARY}"
REDACT = {"guard": "pii", "kinds": ["phone"], "action": "redact"}
BLOCK = {"guard": "pii", "kinds": ["phone"], "message": "No telephone numbers."}
REFUSED = "The call could not be checked, so it was refused."
PLUGINS = ["leaky", "checker"]


def plugin(does, guard="check", **more):
    """An entry for a guard of checker.c."""
    config = {k: more.pop(k) for k in ("as", "text", "json") if k in more}
    return {"guard": f"plugin:checker/{guard}", "config": {"does": does, **config}, "timeout": "5s", **more}


def guards(input=(), output=(), on_error=(), **more):
    lists = {"input": list(input), "output": list(output), "on_error": list(on_error)}
    return {**{k: v for k, v in lists.items() if v}, **more}


def daemon(*lists, plugins=PLUGINS, file=None, **more):
    """One whose tenant "default" has these guards."""
    return Daemon(plugins=plugins, tenants={"default": {**(file or {}), "guards": guards(*lists)}}, **more)


def leak(d, *how, tool="leak", **more):
    members = {k: more.pop(k) for k in ("call_id", "session_id") if k in more}
    return d.rest(tool, {"how": list(how), **more}, **members)


def text(outcome):
    same(outcome.status, 200, outcome.answer)
    return "".join(part.get("text", "") for part in outcome.body["content"])


def refusal(outcome):
    return outcome.status, outcome.code, outcome.message


def reload(d):
    before = len(d.log_events("reloaded"))
    done = run(installed("bin/toolhost"), "reload", "--socket", str(d.socket))
    same(done[0], 0, done)
    d.wait_log("reloaded", after=before)


def runs(d):
    """How often the tool was run, by its log."""
    reload(d)  # what was logged before is read then
    return len(d.log_events("tool_log", lambda e: e["text"] == "leak runs"))


def notes(d):
    reload(d)
    return [e["text"] for e in d.log_events("tool_log")]


def no_canary(d, *heard):
    """The number is neither in what was heard nor in the log, whose lines up to now have come."""
    reload(d)
    for what in (*map(repr, heard), *d.raw):
        assert CANARY not in what, what


# ---- order, and the rules of failure ----

def test_S3_9_T3_13_hooks_run_in_their_order_the_hosts_first():
    entries = lambda who: guards([plugin("note", **{"as": f"{who}1"}), plugin("note", **{"as": f"{who}2"})],
                                 [plugin("note", **{"as": f"{who}3"})])
    with Daemon(plugins=PLUGINS, tenants={"default": {"guards": entries("tenant")}},
                config={"guards": entries("host")}) as d:
        same(text(leak(d, "echo", text="hi")), "hi")
        said = [note.split(" sees")[0] for note in notes(d)]
        same(said, [*(f"{who} input leak default" for who in ("host1", "host2", "tenant1", "tenant2")), "leak runs",
                    *(f"{who} output leak default" for who in ("host3", "tenant3"))])


def test_S3_10_after_a_failure_of_the_input_the_tool_does_not_run():
    on_error = [{"template": "{{tool}} is out: {{code}}"}]
    with daemon([plugin("fail", text="odd"), plugin("note")], [plugin("note")], on_error) as d:
        same(refusal(leak(d, "text")), (502, "guardrail_failed", "leak is out: guardrail_failed"))
        same((runs(d), notes(d)), (0, []))
        same(d.wait_log("tool_call_failed")["cause"], "plugin:checker/check: check_broke: odd")


def test_S3_10_after_a_failure_of_the_tool_no_guard_of_the_output_runs():
    with daemon([], [plugin("note")], [{"text": "Sorry."}]) as d:
        same(refusal(leak(d, "fail")), (200, "busy", "Sorry."))
        same(refusal(leak(d, "crash")), (502, "tool_crashed", "Sorry."))
        same(notes(d), ["leak runs"] * runs(d))


def test_S3_10_a_failure_of_the_output_goes_to_on_error_too():
    with daemon([], [plugin("fail"), plugin("note")], [plugin("", guard="comfort")]) as d:
        same(refusal(leak(d, "text")), (502, "guardrail_failed",
                                        "leak failed: guardrail_failed: A guard could not check the call."))
        same((runs(d), len(notes(d))), (1, 1))


def test_A3_3_U3_5_without_on_error_the_cause_is_told_where_it_shall_be():
    for detailed, said in ((False, "A guard could not check the call."),
                           (True, "A guard could not check the call. (plugin:checker/check: check_broke: odd)")):
        with daemon([plugin("fail", text="odd")], file={"detailed_errors": detailed}) as d:
            same(refusal(leak(d, "text")), (502, "guardrail_failed", said))


def test_A3_4_an_error_function_that_fails_leaves_the_error_as_it_is():
    for does, wait in (("fail", "5s"), ("crash", "5s"), ("hang", "100ms")):
        with daemon([], [], [plugin(does, guard="comfort", timeout=wait)], config={"grace": "100ms"}) as d:
            same(refusal(leak(d, "crash")), (502, "tool_crashed", "The tool crashed."))
            d.wait_log("guard_failed", lambda e: (e["stage"], e["then"]) == ("error", "the error is told"))


def test_A3_5_the_last_error_function_of_a_tool_counts():
    first = [{"text": "all", "tools": ["*"]}, {"text": "ours", "tools": ["leak"]}]
    with Daemon(plugins=PLUGINS, config={"guards": guards([], [], [{"text": "host"}])},
                tenants={"default": {"guards": guards([], [], [*first, {"text": "theirs", "tools": ["promise"]}])}}) as d:
        same(leak(d, "crash").message, "ours")
        same(leak(d, "crash", tool="promise").message, "theirs")


def test_S3_13_what_an_error_function_says_may_be_a_result():
    on_error = [{"text": "Try again tomorrow.", "is_error": False}]
    with daemon([], [], on_error) as d:
        same(text(leak(d, "fail")), "Try again tomorrow.")
        same(d.wait_log("tool_call_failed")["code"], "busy")  # the log is told what it was
        promised = leak(d, "fail", tool="promise")  # a result that does not fit its outputSchema is none
        same((promised.body["ok"], promised.message), (False, "Try again tomorrow."))
    with daemon([], [], [plugin("", guard="comfort")]) as d:
        outcome = d.call("leak", {"how": ["fail"]})
        assert outcome.is_error and outcome.text.startswith("leak failed: busy: "), outcome


# ---- verdicts ----

def test_A3_2_T3_15_the_first_guard_that_does_not_allow_wins():
    inputs = [plugin("allow"), plugin("reject", text="First."), plugin("reject", text="Second.")]
    with daemon(inputs) as d:
        same(refusal(leak(d, "text")), (403, "guardrail_rejected", "First."))
        outcome = d.call("leak", {"how": ["text"]})
        assert outcome.is_error and outcome.text == "First.", outcome
        same(runs(d), 0)


def test_T3_15_a_guard_of_the_output_rejects():
    with daemon([], [plugin("reject", text="Not this.")]) as d:
        answer = leak(d, "text")
        same((refusal(answer), runs(d)), ((403, "guardrail_rejected", "Not this."), 1))
        assert CANARY not in repr(answer.answer)


def test_T3_15_built_in_guards_block_input_and_output():
    with daemon([BLOCK], [BLOCK]) as d:
        same(refusal(leak(d, "echo", text=PHONE)), (403, "guardrail_rejected", "No telephone numbers."))
        same(runs(d), 0)
        same(refusal(leak(d, "text")), (403, "guardrail_rejected", "No telephone numbers."))
        same(refusal(leak(d, "json")), (403, "guardrail_rejected", "No telephone numbers."))
        same(text(leak(d, "echo", text="fine")), "fine")


def test_S3_12_T3_13_U3_12_guards_change_arguments_and_results():
    other = plugin("arguments", json=json.dumps({"how": ["echo"], "text": f"ring {PHONE}"}))
    with daemon([other, REDACT], [plugin("note"), plugin("result", text="seen")]) as d:
        same(text(leak(d, "text")), "seen")
        assert any("ring [phone]" in note for note in notes(d)), notes(d)
    with daemon([], [plugin("structured", json='{"number":"+1"}')]) as d:
        same(leak(d, "json", tool="promise").body["structured"], {"number": "+1"})


def test_arguments_that_do_not_fit_are_not_given_to_the_tool():
    for json_ in ('{"how":7}', "[]"):
        with daemon([plugin("arguments", json=json_)]) as d:
            same((refusal(leak(d, "text")), runs(d)), ((403, "guardrail_rejected", REFUSED), 0))
    with daemon([plugin("result")]) as d:  # text instead of arguments
        same((refusal(leak(d, "text")), runs(d)), ((403, "guardrail_rejected", REFUSED), 0))


def test_a_result_that_a_guard_has_changed_still_has_to_fit():
    with daemon([], [REDACT]) as d:
        answer = leak(d, "json", tool="promise")
        same((answer.status, answer.code), (502, "tool_output_invalid"))
        no_canary(d, answer.body)


def test_guards_mean_tools_by_pattern():
    with daemon([{**BLOCK, "tools": ["prom*"]}]) as d:
        same(text(leak(d, "echo", text=PHONE)), PHONE)
        same(leak(d, "echo", tool="promise", text=PHONE).code, "guardrail_rejected")


# ---- what a redacting guard keeps to itself ----

HOW = [["text"], ["json"], ["progress", "log", "event", "text"], ["fail"], ["code"], ["text", "fail"], ["much"]]


def test_S3_12_a_number_that_is_redacted_is_nowhere():
    with daemon([REDACT], [REDACT]) as d:
        heard = [leak(d, *how).body for how in HOW]
        heard.append(leak(d, "echo", text=f"call {PHONE}").body)
        heard.append(leak(d, "echo", text=f"{PHONE} {'x' * 40}").body)  # refused, and quoted
        heard.append(leak(d, "ask").body)
        heard += [d.call("leak", {"how": how}).answer.body for how in HOW]
        events = d.mcp("tools/call", {"name": "leak", "arguments": {"how": ["progress", "log", "text"]}},
                       meta={"progressToken": 1, "io.modelcontextprotocol/logLevel": "debug"}).body
        heard.append(events)
        assert b"dialling [phone]" in events and b"dialled [phone]" in events, events
        assert "Call [phone]." in repr(heard), heard
        d.wait_log("dialled", lambda e: e["to"] == "[phone]")
        no_canary(d, *heard)


def test_what_is_kept_of_a_large_result_is_redacted():
    with daemon([], [REDACT]) as d:
        outcome = d.call("leak", {"how": ["much"], "times": 20000})
        links = [part["uri"] for part in outcome.content if part["type"] == "resource_link"]
        assert links, outcome
        whole = [d.mcp("resources/read", {"uri": uri}).body for uri in links]
        assert all(b"[phone]" in part for part in whole)
        no_canary(d, outcome.answer.body, *whole)


def test_the_words_of_a_failure_pass_only_as_guards_let_them():
    with daemon([], [BLOCK]) as d:
        answer = leak(d, "text", "fail")
        same((answer.code, answer.message, answer.body["content"]), ("busy", "The tool failed.", []))
        same(refusal(leak(d, "ask"))[1], "guardrail_rejected")
    with daemon([], [plugin("allow")]) as d:  # one of a plugin's says nothing of failures
        same(leak(d, "fail").message, "The tool failed.")


def test_a_session_is_told_nothing_that_is_redacted():
    with daemon([REDACT], [REDACT]) as d, WebSocket(d) as ws:
        def next_event():
            return json.loads(ws.receive()[1])

        heard = [next_event()]
        for number, how in enumerate((["text", "emit"], ["context", "text"], ["fail"]), 1):
            ws.say(type="tool_call", call_id=str(number), name="leak",
                   arguments=json.dumps({"how": how, "text": PHONE}))
            while heard[-1]["type"] != "tool_call_output" or heard[-1].get("call_id") != str(number):
                heard.append(next_event())
        assert "Call [phone]" in repr(heard), heard
        no_canary(d, *heard)


# ---- every way to a tool ----

def test_every_front_is_guarded():
    with daemon([], [REDACT], plugins=["leaky", "checker"]) as d:
        agui = play(d, call_events("leak", {"how": ["text"]}))
        assert "Call [phone]." in repr(agui), agui
        status, said, _ = run(installed("bin/toolhost"), "call", "leak", '{"how":["text"]}', "--socket", str(d.socket))
        same(status, 0)
        assert "Call [phone]." in said, said
        for encoding in ("sonore", "agui", "agent-framework", "mcp"):
            answer = d.http("POST", f"/v1/tools/leak/call?encoding={encoding}", {"arguments": {"how": ["text"]}})
            assert b"Call [phone]." in answer.body, answer
        no_canary(d, agui, said)
    with daemon([], [REDACT], stdio=True) as d:
        answer = d.pipe.ask("tools/call", {"name": "leak", "arguments": {"how": ["text"]}})
        same(answer["result"]["content"][0]["text"], "Call [phone].")


def audited(output):
    """The files of the audit of two calls, and what the SHA-256 of the arguments of the second is."""
    arguments = {"how": ["echo"], "text": PHONE}
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        with daemon([], output, args=["--state-dir", folder]) as d:
            leak(d, "text")
            leak(d, *arguments["how"], text=arguments["text"])
            reload(d)
        files = [p.read_text() for p in pathlib.Path(folder).rglob("*") if p.is_file() and "audit" in str(p)]
    return "".join(files), hashlib.sha256(json.dumps(arguments).encode()).hexdigest()


def test_the_audit_has_no_way_back_to_what_is_redacted():
    records, digest = audited([])
    assert '"tool_call"' in records and digest in records, records
    records, digest = audited([REDACT])
    assert '"tool_call"' in records and digest not in records and CANARY not in records, records


def test_a_call_that_is_told_again_was_guarded_once():
    with daemon([plugin("note", **{"as": "in"})], [plugin("note", **{"as": "out"}), REDACT]) as d:
        first, again = (leak(d, "text", call_id="one", session_id="s") for _ in range(2))
        same([text(first), text(again)], ["Call [phone]."] * 2)
        said = [note.split(" ")[0] for note in notes(d)]
        same(sorted(said), ["in", "leak", "out"])


def test_a_call_that_is_rejected_may_come_again():
    with daemon([BLOCK]) as d:
        for _ in range(2):
            same(leak(d, "echo", text=PHONE, call_id="one", session_id="s").code, "guardrail_rejected")
        same(runs(d), 0)


# ---- before a person is asked ----

ASK = {"approvals": {"rules": [{"tools": ["leak"], "approval": "always", "reason": "Look."}]}}


def asked(d):
    """What a person is asked about, once it is."""
    def pending():
        out = run(installed("bin/toolhost"), "--socket", str(d.socket), "approvals", "pending")[1]
        return json.loads(out)["approvals"]

    wait_for(pending, what="an approval")
    return pending()[0]


def approve(d, found):
    same(run(installed("bin/toolhost"), "--socket", str(d.socket), "approve", found["id"])[0], 0)


def test_A3_7_guards_run_after_approval():
    with daemon([plugin("note")], config=ASK) as d:
        waiting = in_background(lambda: leak(d, "echo", text="hi"))
        found = asked(d)
        same(notes(d), [])
        approve(d, found)
        same(text(waiting()), "hi")
        same(notes(d), ["note input leak default sees hi", "leak runs"])


def test_A3_7_and_before_it_too_where_that_is_configured():
    early = {"guards": guards([plugin("note"), {"guard": "budget", "max_invocations": 1}], before_approval=True)}
    with Daemon(plugins=PLUGINS, tenants={"default": early}, config=ASK) as d:
        waiting = in_background(lambda: leak(d, "echo", text="hi"))
        found = asked(d)
        same(notes(d), ["note input leak default sees hi"])
        approve(d, found)
        same(text(waiting()), "hi")
        same(notes(d), ["note input leak default sees hi"] * 2 + ["leak runs"])
    refusing = {"guards": guards([plugin("reject")], before_approval=True)}
    with Daemon(plugins=PLUGINS, tenants={"default": refusing}, config=ASK) as d:
        for named in ({}, {"call_id": "x", "session_id": "s"}):
            same(leak(d, "echo", text="hi", **named).code, "guardrail_rejected")
        same(json.loads(run(installed("bin/toolhost"), "--socket", str(d.socket), "approvals")[1])["approvals"], [])


def test_A3_7_a_guard_behind_one_that_redacts_waits_for_the_approval_too():
    with daemon([REDACT, {"guard": "denylist", "words": ["forbidden"]}], config=ASK) as d:
        waiting = in_background(lambda: leak(d, "echo", text=f"forbidden, call {PHONE}"))
        found = asked(d)
        same(found["arguments"]["text"], "forbidden, call [phone]")
        approve(d, found)
        same(waiting().code, "guardrail_rejected")


def test_people_are_asked_about_what_a_redacting_guard_leaves():
    with daemon([REDACT], config=ASK) as d:
        waiting = in_background(lambda: leak(d, "echo", text=f"call {PHONE}"))
        found = asked(d)
        same(found["arguments"]["text"], "call [phone]")
        approve(d, found)
        same(text(waiting()), "call [phone]")
        no_canary(d, found)


def test_a_call_that_is_cancelled_before_it_is_asked_about():
    early = {"guards": guards([plugin("sleep", timeout="60s")], before_approval=True)}
    with Daemon(plugins=PLUGINS, tenants={"default": early}, config={**ASK, "grace": "100ms"}) as d:
        before = len(d.log_events("worker_started", lambda e: e["plugin"] == "checker"))
        waiting = in_background(lambda: leak(d, "text", call_id="one"))
        d.wait_log("worker_started", lambda e: e["plugin"] == "checker", after=before)
        d.http("DELETE", "/v1/calls/one")
        same(waiting().code, "tool_cancelled")


# ---- guards that misbehave ----

def test_a_guard_that_hangs_rejects_within_its_deadline():
    for does in ("hang", "sleep"):
        with daemon([plugin(does, timeout="300ms")], config={"grace": "100ms"}) as d:
            began = time.monotonic()
            same(refusal(leak(d, "text")), (403, "guardrail_rejected", REFUSED))
            took = time.monotonic() - began
            assert 0.25 < took < 3 * PATIENCE, took
            failed = d.wait_log("guard_failed")
            same((failed["guard"], failed["why"], failed["then"]),
                 ("plugin:checker/check", "it did not answer within 300 ms", "the call is refused"))
            same(runs(d), 0)


def test_a_guard_that_crashes_rejects():
    with daemon([], [plugin("crash")]) as d:
        answer = leak(d, "text")
        same((refusal(answer), runs(d)), ((403, "guardrail_rejected", REFUSED), 1))
        d.wait_log("guard_failed", lambda e: "SIGSEGV" in e["why"])
        assert CANARY not in repr(answer.answer)


def test_an_answer_that_is_no_verdict_rejects():
    for does in ("odd", "ask"):
        with daemon([plugin(does)]) as d:
            same((refusal(leak(d, "text")), runs(d)), ((403, "guardrail_rejected", REFUSED), 0))


def test_a_guard_that_can_not_be_asked_rejects():
    absent = {"guard": "plugin:nobody/none"}
    unfit = {"guard": "plugin:checker/check", "config": {"does": 7}}
    rows = ((absent, "there is no such guard"), (unfit, "its \"config\" does not fit the guard's configSchema"))
    for entry, why in rows:
        with daemon([entry]) as d:
            same(refusal(leak(d, "text")), (403, "guardrail_rejected", REFUSED))
            same(d.wait_log("guard_failed")["why"], why)
    with daemon([], [plugin("allow", guard="input")]) as d:
        same(refusal(leak(d, "text")), (403, "guardrail_rejected", REFUSED))
        same(d.wait_log("guard_failed")["why"], "it does not do that")


def test_where_the_operator_says_so_a_call_goes_on_without_a_verdict():
    for does in ("crash", "hang", "odd"):
        with daemon([plugin(does, timeout="1s", on_failure="allow")], config={"grace": "100ms"}) as d:
            same(text(leak(d, "echo", text="fine")), "fine")
            same(d.wait_log("guard_failed")["then"], "the call goes on")


def test_a_rejection_is_no_failure_to_answer():
    with daemon([plugin("reject", on_failure="allow")]) as d:
        same(refusal(leak(d, "text")), (403, "guardrail_rejected", "no"))


def test_a_call_that_is_cancelled_while_it_is_checked_ends_at_once():
    with daemon([plugin("sleep", timeout="60s")], config={"grace": "100ms"}) as d:
        before = len(d.log_events("worker_started", lambda e: e["plugin"] == "checker"))
        waiting = in_background(lambda: leak(d, "text", call_id="one"))
        d.wait_log("worker_started", lambda e: e["plugin"] == "checker", after=before)
        gone = d.http("DELETE", "/v1/calls/one")
        same(gone.status, 204, gone)
        same(waiting().code, "tool_cancelled")
        same(runs(d), 0)


def test_the_calls_deadline_holds_for_its_guards():
    with daemon([plugin("sleep", timeout="60s")], config={"deadline": "300ms", "grace": "100ms"}) as d:
        same(leak(d, "text").code, "tool_timeout")


# ---- budgets ----

def test_U3_1_max_invocations():
    with daemon([{"guard": "budget", "max_invocations": 2, "tools": ["leak"]}]) as d:
        for _ in range(2):
            same(text(leak(d, "echo", text="x")), "x")
        said = "Function 'leak' has reached its maximum invocation limit, you can no longer use this tool."
        same(refusal(leak(d, "echo")), (429, "max_invocations_reached", said))
        same(runs(d), 2)
        same(leak(d, "json", tool="promise").status, 200)
        reload(d)
        same(leak(d, "echo").code, "max_invocations_reached")  # a reload gives none back


def test_U3_1_U3_9_max_exceptions_and_a_success_that_begins_them_anew():
    with daemon([{"guard": "budget", "max_exceptions": 2}]) as d:
        for how in ("fail", "text", "fail", "fail"):
            same(leak(d, how).status, 200)
        said = ("Function 'leak' has reached its maximum exception limit, you tried to use this tool too many times "
                "and it kept failing.")
        same(refusal(leak(d, "text")), (429, "max_exceptions_reached", said))


def test_a_call_that_is_not_run_uses_no_budget():
    with daemon([{"guard": "budget", "max_invocations": 1}, BLOCK]) as d:
        for _ in range(3):
            same(leak(d, "echo", text=PHONE).code, "guardrail_rejected")
        same(text(leak(d, "echo", text="x")), "x")
        same(leak(d, "echo", text="x").code, "max_invocations_reached")


def test_budgets_are_counted_for_whom_they_are_meant():
    with daemon([{"guard": "budget", "max_invocations": 1, "per": "session"}]) as d:
        for session in ("a", "b"):
            same(leak(d, "echo", session_id=session).status, 200)
        same(leak(d, "echo", session_id="a").code, "max_invocations_reached")


def test_a_rate_says_when_to_come_again():
    with daemon([{"guard": "rate", "max": 1, "window": "1h"}]) as d:
        same(leak(d, "echo").status, 200)
        late = leak(d, "echo")
        same((late.status, late.code), (429, "quota_exceeded"))
        assert 3000 < int(late.answer.headers["retry-after"]) <= 3600, late.answer.headers


# ---- configuration ----

def test_a_broken_file_changes_nothing():
    with daemon([], [REDACT]) as d:
        d.tenant("default", {"guards": {"output": [{"guard": "pii", "kinds": ["fax"]}]}})
        refused = d.wait_log("tenant_refused")
        assert refused["why"].startswith("/guards/output/0/kinds/0: "), refused
        same(text(leak(d, "text")), "Call [phone].")
        d.tenant("default", {"guards": {}})
        d.wait_log("tenant_changed" if d.log_events("tenant_changed") else "tenant_refused")
        for _ in range(100):
            if text(leak(d, "text")) == f"Call {PHONE}.":
                break
            time.sleep(0.1)
        same(text(leak(d, "text")), f"Call {PHONE}.")


def test_the_hosts_guards_are_read_again():
    with Daemon(plugins=PLUGINS, config={"guards": guards([], [REDACT])}) as d:
        same(text(leak(d, "text")), "Call [phone].")
        d.write_config({"guards": {"output": [{"guard": "budgt"}]}})
        status, _, said = run(installed("bin/toolhost"), "reload", "--socket", str(d.socket))
        assert status != 0 and "/guards/output/0/guard" in said, said
        same(text(leak(d, "text")), "Call [phone].")
        check = run(installed("sbin/toolhostd"), "--check", "--config-dir", str(d.config_dir))
        same(check[0], 2)
        assert 'there is no guard "budgt"; did you mean "budget"?' in check[2], check
        d.write_config({})
        reload(d)
        same(text(leak(d, "text")), f"Call {PHONE}.")


def test_what_guards_do_is_counted():
    with daemon([plugin("allow"), BLOCK], [REDACT]) as d:
        leak(d, "text")
        leak(d, "echo", text=PHONE)
        metrics = d.http("GET", "/metrics").body.decode()
        for line in ('toolhost_guard_verdicts_total{guard="plugin:checker/check",tool="leak",stage="input",verdict="allow"} 2',
                     'toolhost_guard_verdicts_total{guard="pii",tool="leak",stage="input",verdict="reject"} 1',
                     'toolhost_guard_verdicts_total{guard="pii",tool="leak",stage="output",verdict="replace"} 1',
                     'toolhost_guard_seconds_count{guard="pii",tool="leak",stage="input"} 2'):
            assert line in metrics, [l for l in metrics.splitlines() if "guard" in l]


def test_guards_are_not_shown_to_clients():
    with daemon([plugin("allow")]) as d:
        same(d.tools(), ["leak", "promise"])
        found = next(p for p in d.http("GET", "/v1/plugins").json["plugins"] if p["name"] == "checker")
        same((found["tools"], found["guards"]), ([], ["checker/check", "checker/input", "checker/comfort"]))


if __name__ == "__main__":
    main()
