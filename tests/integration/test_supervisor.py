"""Workers end, for a reason each; they are started again, held back, tried, recycled and replaced."""

import json
import os
import pathlib
import signal
import tempfile
import time

from harness import (PATIENCE, SANITIZER, Daemon, Skip, comment, descendants, in_background, installed, main,
                     run, same, under_load, wait_for)

SANITIZED = SANITIZER != "no"
TOOLHOST = installed("bin/toolhost")
QUICK = {"max_crashes": 3, "quarantine": "400ms", "quarantine_max": "2s"}


def plugin(d, name):
    return next(p for p in d.http("GET", "/v1/plugins").json["plugins"] if p["name"] == name)


def ends(d, name):
    return plugin(d, name).get("ends", {})


def ended(d, name, reason):
    """The end of a worker for this reason, as the log has it."""
    events = ("worker_crashed", "worker_ended")
    found = wait_for(lambda: [e for event in events for e in d.log_events(event)
                              if (e.get("plugin"), e.get("reason")) == (name, reason)], 15, f"{name}: {reason}")
    comment(f"{name}: {reason}: {found[0]['why']}")
    return found[0]


def crash_until_quarantined(d, name, arguments=None):
    for _ in range(40):
        if (outcome := d.rest(name, arguments)).code == "tool_unavailable":
            return outcome
    raise AssertionError("it was never quarantined")


# what a call does: plugin, reason, a word of the sentence
OF_A_CALL = [
    ("null_deref", "signal", "SIGSEGV"),
    ("abort_", "signal", "SIGABRT"),
    ("exit0", "exit_without_result", "status 0"),
    ("bad_frames", "protocol_error", ""),
    ("forged_result", "protocol_error", ""),
    ("spin", "deadline", "grace"),
]
# what happens while it is loaded
OF_A_START = [
    ("ctor_crash", "signal", "while the plugin was loaded"),
    ("ctor_exit0", "exit_without_result", "while the plugin was loaded"),
    ("ctor_hang", "start_timeout", "in time"),
    ("no_entry", "load_failed", "toolhost_plugin_entry"),
]


def test_each_end_of_a_call_has_its_reason():
    for name, reason, word in OF_A_CALL:
        if SANITIZED and reason == "signal":
            continue  # the sanitizer's runtime makes an exit of it
        with Daemon(plugins=[name], config={"grace": "50ms"}) as d:
            for _ in range(20):  # on a busy machine the one with a short time of its own may not even start
                d.rest(name)
                if plugin(d, name)["calls"]:
                    break
            end = ended(d, name, reason)
            assert word in end["why"], end
            wait_for(lambda: ends(d, name).get(reason), 10, reason)
            same(plugin(d, name)["last_ends"][0]["reason"], reason)
            metrics = d.http("GET", "/metrics").body.decode()
            assert f'toolhost_worker_ends_total{{plugin="{name}",reason="{reason}"}}' in metrics, metrics


def test_each_end_of_a_start_has_its_reason():
    for name, reason, word in OF_A_START:
        if SANITIZED and reason == "signal":
            continue
        timeout = {"start_timeout": "1s"} if reason == "start_timeout" else {}
        with Daemon(plugins=[name], config=timeout) as d:
            end = ended(d, name, reason)
            assert word in end["why"], end


def test_a_plugin_that_was_too_slow_is_tried_again():
    with tempfile.TemporaryDirectory(prefix="toolhost-test.", dir="/var/tmp") as folder:
        os.chmod(folder, 0o755)
        go = pathlib.Path(folder, "go")
        policy = {"permissions": {"read": [folder]}, "config": {"until": str(go)}}
        with Daemon(plugins=["late", "no_entry", "echo"], policies={"late": policy},
                    config={"start_timeout": "1s"}) as d:
            refused = d.wait_log("plugin_refused", lambda e: e["plugin"] == "late")
            same((refused["again_in_ms"], plugin(d, "late")["state"]), ("1000", "backing_off"))
            refused = d.wait_log("plugin_refused", lambda e: e["plugin"] == "late", after=1, timeout=30)
            same(refused["again_in_ms"], "2000", "the second pause")
            go.touch()
            d.wait_log("plugin_loaded", lambda e: e["plugin"] == "late", timeout=60)
            same(d.call("late").text, "there")
            same(plugin(d, "late")["problems"], [])
            broken = d.log_events("plugin_refused", lambda e: e["plugin"] == "no_entry", least=1)
            same([e.get("again_in_ms") for e in broken], [None], "what is broken is not tried again")


def test_an_operator_need_not_wait_for_the_next_try():
    with Daemon(plugins=["ctor_hang"], config={"start_timeout": "1s"}) as d:
        for after, pause in enumerate(("1000", "2000", "4000")):
            refused = d.wait_log("plugin_refused", after=after, timeout=30)
            same(refused["again_in_ms"], pause)
        before = len(d.log_events("worker_started"))
        same(run(TOOLHOST, "--socket", d.socket, "plugins", "release", "ctor_hang")[0], 0)
        d.wait_log("worker_started", after=before, timeout=1.5)  # the pause is 2 s at least


def test_a_forbidden_system_call_is_told_as_one():
    with Daemon(plugins=["forbidden"]) as d:
        same(d.rest("forbidden", {"call": "ptrace"}).code, "tool_crashed")
        assert "SIGSYS" in ended(d, "forbidden", "policy_violation")["why"]


def test_orderly_ends_have_reasons_too():
    with Daemon(plugins=["echo"], config={"idle_stop": "50ms"}) as d:
        ended(d, "echo", "stopped")  # it had been started to be described
        assert d.call("echo", {"text": "x"}).ok
        ended(d, "echo", "idle")
        same(d.log_events("worker_crashed"), [])
    with Daemon(plugins=["echo"]) as d:
        assert d.call("echo", {"text": "x"}).ok
    ended(d, "echo", "daemon_shutdown")


def test_a_worker_that_somebody_kills_is_no_crash_of_the_plugin():
    if os.geteuid() != 0:
        raise Skip("needs root to kill a worker of another user")
    with Daemon(plugins=["slow_echo"], config={"max_crashes": 1}) as d:
        same(d.rest("slow_echo", {"ms": 0}).status, 200)
        calling = in_background(d.rest, "slow_echo", {"ms": 5000})
        wait_for(lambda: plugin(d, "slow_echo")["running"] == 1, 10, "the call")
        init = d.log_events("worker_started")[-1]["pid"]
        os.kill(int(init), signal.SIGKILL)
        same(calling().code, "worker_lost")
        ended(d, "slow_echo", "killed")
        same(d.rest("slow_echo", {"ms": 0}).status, 200)  # after its pause, and not quarantined


def test_a_tool_that_only_crashes_costs_few_processes():
    with Daemon(plugins=["null_deref", "echo"]) as d:
        for _ in range(100):
            outcome = d.rest("null_deref")
            assert outcome.code in ("tool_crashed", "tool_unavailable"), outcome
        starts = plugin(d, "null_deref")["starts"]
        comment(f"100 calls that crash: {starts} processes")
        assert starts <= 8, starts
        assert d.call("echo", {"text": "x"}).ok


def test_a_tool_that_crashes_every_second_call_is_quarantined():
    with Daemon(plugins=["fragile"], config=QUICK | {"quarantine": "60s"}) as d:
        for _ in range(3):
            same(d.rest("fragile", {"crash": False}).status, 200)
            same(d.rest("fragile", {"crash": True}).code, "tool_crashed")
        outcome = d.rest("fragile", {"crash": False})
        same((outcome.status, outcome.code), (503, "tool_unavailable"))
        left = outcome.body["error"]["retry_after_ms"]
        assert 0 < left <= 60_000, outcome
        shown = plugin(d, "fragile")
        same(shown["state"], "quarantined")
        assert 0 < shown["retry_after_ms"] <= 60_000, shown


def test_quarantine_ends_with_a_call_that_is_tried():
    with Daemon(plugins=["fragile"], config=QUICK) as d:
        crash_until_quarantined(d, "fragile", {"crash": True})
        wait_for(lambda: plugin(d, "fragile")["state"] == "half_open", 10, "the end of the time")
        starts = plugin(d, "fragile")["starts"]
        same(d.rest("fragile", {"crash": True}).code, "tool_crashed", "the call that is tried")
        same(plugin(d, "fragile")["starts"], starts + 1)
        outcome = d.rest("fragile", {"crash": False})
        same(outcome.code, "tool_unavailable", "another call after the crash")
        assert outcome.body["error"]["retry_after_ms"] > 400, "the second quarantine is longer"
        wait_for(lambda: d.rest("fragile", {"crash": False}).status == 200, 10, "a call that works")
        same(plugin(d, "fragile")["state"], "running")
        same(len(d.log_events("plugin_quarantined", least=2)), 2)


def test_one_call_at_a_time_is_tried():
    with Daemon(plugins=["neighbours"], config=QUICK | {"grace": "50ms"}) as d:
        if SANITIZED:
            raise Skip("killing is not told apart from an exit")
        for _ in range(3):
            assert d.rest("once", {"ms": 0}).status == 200
            crash_worker(d, "neighbours")
        wait_for(lambda: plugin(d, "neighbours")["state"] == "half_open", 10, "the end of the time")
        tried = in_background(d.rest, "once", {"ms": 700})
        wait_for(lambda: plugin(d, "neighbours")["running"] == 1, 10, "the call that is tried")
        same(d.rest("again", {"ms": 0}).code, "tool_unavailable", "the second one")
        same(tried().status, 200)
        same(d.rest("again", {"ms": 0}).status, 200)


def last_started(d):
    """The processes of the worker that was started last, its init left out; none when it is gone."""
    return descendants(int(d.log_events("worker_started")[-1]["pid"]))


def crash_worker(d, name):
    """End the worker proper, which its init reports: that is a crash of the plugin's."""
    if os.geteuid() != 0:
        raise Skip("needs root to kill a worker of another user")
    before = plugin(d, name)["crashes"]
    wait_for(lambda: last_started(d), 10, "a worker")
    os.kill(last_started(d)[-1], signal.SIGABRT)
    wait_for(lambda: plugin(d, name)["crashes"] == before + 1, 10, "the crash")


def test_kills_for_timeouts_are_counted_apart():
    with Daemon(plugins=["spin"], config=QUICK | {"grace": "20ms"}) as d:
        for number in range(4):
            same(d.rest("spin", deadline_ms=100 * PATIENCE).code, "tool_timeout")
            shown = wait_for(lambda: (p := plugin(d, "spin"))["overdue"] > number and p, what="the end of its worker")
        same((shown["crashes"], d.log_events("plugin_quarantined")), (0, []), f"crashes among {shown['last_ends']}")
        same(shown["most_frequent_failure"], "deadline")


def test_release():
    with Daemon(plugins=["fragile"], config=QUICK | {"quarantine": "60s"}, args=["--no-standard-dirs"]) as d:
        crash_until_quarantined(d, "fragile", {"crash": True})
        refused = d.http("POST", "/v1/plugins/fragile/release")  # over TCP: anybody
        same((refused.status, refused.error), (403, "not_allowed"))
        same(d.rest("fragile", {"crash": False}).code, "tool_unavailable")
        status, out, _ = run(TOOLHOST, "--socket", d.socket, "plugins", "release", "nobody")
        same(status, 4, "releasing what is not there")
        status, out, error = run(TOOLHOST, "--socket", d.socket, "plugins", "release", "fragile")
        same((status, out), (0, '{"released":"fragile"}\n'), error)
        same(d.rest("fragile", {"crash": False}).status, 200)
        same(plugin(d, "fragile")["state"], "running")
        d.wait_log("plugin_released")


def test_a_changed_file_releases():
    with Daemon(plugins=["fragile"], config=QUICK | {"quarantine": "60s"}) as d:
        crash_until_quarantined(d, "fragile", {"crash": True})
        d.replace("fragile", 1)
        same(d.rest("fragile", {"crash": False}).status, 200)
        shown = plugin(d, "fragile")
        same(shown["generation"], 2)
        same(shown["crashes"], 3, "what is remembered of the generation before")


def test_what_toolhost_shows_of_a_plugin():
    with Daemon(plugins=["fragile", "echo"], args=["--no-standard-dirs"]) as d:
        d.rest("fragile", {"crash": True})
        status, out, error = run(TOOLHOST, "--socket", d.socket, "plugins", "fragile")
        one = json.loads(out)
        same((status, one["name"], one["crashes"]), (0, "fragile", 1), error)
        same(one["policy"]["profile"], "strict")
        assert one["last_ends"][0]["at"].endswith("Z"), one
        same(run(TOOLHOST, "--socket", d.socket, "plugins", "nobody")[0], 4)
        same(run(TOOLHOST, "--socket", d.socket, "plugins", "end", "fragile")[0], 2)


def test_workers_that_are_ready_before_anybody_calls():
    policy = {"workers": {"ready": 2, "max": 2}}
    with Daemon(plugins=["echo"], policies={"echo": policy}, config={"idle_stop": "50ms"}) as d:
        ready = lambda: (p := plugin(d, "echo"))["workers"] == 2 and p["starting"] == 0 and p
        starts = wait_for(ready, 10, "two workers")["starts"]
        same(starts, 2)
        for i in range(20):
            same(d.call("echo", {"text": f"n{i}"}).text, f"n{i}")
        same(plugin(d, "echo")["starts"], 2)
        same(ends(d, "echo"), {})  # idle_stop leaves them


def test_more_workers_when_calls_wait():
    policy = {"workers": {"max": 3}, "limits": {"threads": 1}}
    with Daemon(plugins=["slow_echo"], policies={"slow_echo": policy}) as d:
        calls = [in_background(d.rest, "slow_echo", {"ms": 500 * PATIENCE}) for _ in range(6)]
        wait_for(lambda: plugin(d, "slow_echo")["running"] == 3, 10, "three at the same time")
        same([c().status for c in calls], [200] * 6)
        assert plugin(d, "slow_echo")["workers"] <= 3


def test_recycling_loses_no_call():
    with Daemon(plugins=["echo"], policies={"echo": {"recycle": {"calls": 40}}}) as d:
        under_load(d, lambda: wait_for(lambda: ends(d, "echo").get("recycled", 0) >= 5, 60, "five recycled"))
        same(d.log_events("worker_crashed"), [])


def test_recycling_by_age():
    policy = {"workers": {"ready": 1, "max": 1}, "recycle": {"age": "100ms"}}
    with Daemon(plugins=["echo"], policies={"echo": policy}) as d:
        wait_for(lambda: ends(d, "echo").get("recycled", 0) >= 2, 10, "two recycled")
        assert d.call("echo", {"text": "x"}).ok


def test_thirty_generations_lose_no_call():
    with Daemon(plugins=["echo"]) as d:
        assert d.call("echo", {"text": "x"}).ok
        under_load(d, lambda: [d.replace("echo", i) for i in range(30)])
        shown = plugin(d, "echo")
        same(shown["generation"], 31)
        wait_for(lambda: plugin(d, "echo")["draining"] == 0, 15, "the end of the old generations")
        same(d.log_events("worker_crashed"), [])


def test_a_new_generation_is_ready_before_it_serves():
    """Its worker has started before the tools change, so the next call waits for nothing."""
    with Daemon(plugins=["echo"]) as d:
        assert d.call("echo", {"text": "x"}).ok
        d.replace("echo", 1)
        shown = plugin(d, "echo")
        same((shown["generation"], shown["workers"], shown["starting"]), (2, 1, 0))
        starts = shown["starts"]
        assert d.call("echo", {"text": "x"}).ok
        same(plugin(d, "echo")["starts"], starts)
        ended(d, "echo", "replaced")


if __name__ == "__main__":
    main()
