"""What a hostile tool can do to the daemon and to others: nothing.  The plugins are in tests/hostile."""

import json
import time

from harness import Daemon, PATIENCE, SANITIZER, Skip, comment, in_background, is_running, main, same, wait_for

SANITIZED = SANITIZER != "no"
# plugin, what a call of it may answer
DEADLY = [
    ("null_deref", ["tool_crashed"]),
    ("abort_", ["tool_crashed"]),
    ("stack_overflow", ["tool_crashed"]),
    ("exit0", ["tool_crashed"]),
    ("close_fds", [None, "tool_crashed", "tool_timeout"]),  # None: its result was in shared memory already
    ("bad_frames", ["tool_crashed"]),
    ("forged_result", ["tool_crashed"]),
    ("bad_status", ["tool_execution_failed"]),
    ("sleep_forever", ["tool_timeout"]),
    ("later_never", ["tool_timeout"]),
]
# plugin, words of the sentence that says why it is not loaded
REFUSED = [
    ("no_entry", ["toolhost_plugin_entry"]),
    ("no_execute", ["execute"]),
    ("wrong_abi", ["abi is 7"]),
    ("ctor_crash", []),
    ("ctor_exit0", []),
]
# plugin, words about the tool of it that is left out
REFUSED_TOOLS = [
    ("bad_definition", ["definition"]),
    ("bad_schema", ["/properties"]),
    ("dup_name", ["dup_name", "another tool"]),
]
BOMBS = ["fork_bomb", "thread_bomb", "fd_bomb", "malloc_bomb", "disk_bomb", "spam_stdout"]


def policy(**limits):
    return {"limits": {"max_time": "2s", **limits}}


def well(d):
    same(d.call("echo", {"text": "well"}).text, "well")


def starts_of(d, plugin):
    """How many processes the plugin has had."""
    return next(p["starts"] for p in d.http("GET", "/v1/plugins").json["plugins"] if p["name"] == plugin)


def crashed(d, plugin):
    return d.wait_log("worker_crashed", lambda e: e.get("plugin") == plugin)


def test_an_endless_loop_is_stopped():
    with Daemon(plugins=["spin", "echo"]) as d:
        well(d)
        in_background(d.rest, "spin")()  # its worker has been started
        at = time.monotonic()
        result = d.rest("spin")
        took = time.monotonic() - at
        same((result.status, result.code), (504, "tool_timeout"))
        comment(f"tool_timeout after {took * 1000:.0f} ms, with max_time 200 ms")
        assert took < 2 * PATIENCE, f"the caller waited {took:.2f} s"
        well(d)


def test_innocent_calls_of_a_killed_process():
    """One in the same process that may run again does so once; the other is told what happened."""
    with Daemon(plugins=["neighbours"], config={"grace": "50ms", "drain": "50ms"}) as d:
        d.rest("once")  # its worker has been started
        again = in_background(d.rest, "again", {"ms": 1500})
        once = in_background(d.rest, "once", {"ms": 1500})
        wait_for(lambda: next(p["running"] for p in d.http("GET", "/v1/plugins").json["plugins"]) == 2, 5,
                 "both to run")
        same(d.rest("stuck").code, "tool_timeout")
        same(again().body["content"][0]["text"], "waited")
        same(once().code, "worker_lost")
        same(starts_of(d, "neighbours"), 3)  # to describe, the one that was killed, its replacement


def test_the_process_of_an_endless_loop_is_gone():
    with Daemon(plugins=["spin", "echo"], policies={"spin": policy(max_time=f"{200 * PATIENCE}ms")}) as d:
        well(d)
        others = set(d.workers())
        at = time.monotonic()
        same(d.rest("spin").code, "tool_timeout")
        spinning = set(d.workers()) - others
        assert spinning, "the process was gone before its grace period"
        wait_for(lambda: not any(map(is_running, spinning)), 10, "the end of the process")
        comment(f"gone {time.monotonic() - at:.2f} s after the call came")
        d.wait_log("worker_condemned", lambda e: e.get("plugin") == "spin")
        well(d)


def test_a_neighbour_does_not_notice_an_endless_loop():
    with Daemon(plugins=["spin", "echo"]) as d:
        well(d)
        starts = starts_of(d, "echo")
        spinning = in_background(d.rest, "spin")
        for i in range(50):
            same(d.call("echo", {"text": f"n{i}"}).text, f"n{i}")
        same(spinning().code, "tool_timeout")
        same(starts_of(d, "echo"), starts, "starts of the neighbour's worker")


def test_a_null_pointer_is_told_to_the_log_and_not_to_the_model():
    with Daemon(plugins=["null_deref", "echo"]) as d:
        result = d.rest("null_deref")
        same((result.status, result.code), (502, "tool_crashed"))
        assert "SIG" not in str(result.body) and "0x" not in str(result.body), result
        if not SANITIZED:
            end = crashed(d, "null_deref")
            assert "SIGSEGV" in str(end.get("signal")), end
            assert "null_deref" in str(end.get("backtrace")), end
        well(d)


def test_a_call_that_ends_its_thread_has_crashed():
    with Daemon(plugins=["pthread_exit_", "echo"]) as d:
        same(d.rest("pthread_exit_").code, "tool_crashed")  # its deadline would be tool_timeout
        end = crashed(d, "pthread_exit_")
        same(end["reason"], "exit_without_result")
        assert "a call had ended its thread" in end["why"], end
        well(d)


def test_after_a_crash_the_next_call_succeeds():
    with Daemon(plugins=["fragile"]) as d:
        same(d.call("fragile", {"crash": False}).text, "whole")
        for _ in range(3):
            same(d.rest("fragile", {"crash": True}).code, "tool_crashed")
            same(d.call("fragile", {"crash": False}).text, "whole", "the next call")


def test_a_plugin_that_only_crashes_is_quarantined():
    with Daemon(plugins=["null_deref", "echo"]) as d:
        for _ in range(40):
            result = d.rest("null_deref")
            if result.code == "tool_unavailable":
                break
            same(result.code, "tool_crashed")
        same((result.status, result.code), (503, "tool_unavailable"))
        d.wait_log("plugin_quarantined", lambda e: e.get("plugin") == "null_deref")
        assert len(d.log_events("worker_crashed")) <= 8, "too many processes were started"
        well(d)


def test_deadly_tools_and_what_their_callers_are_told():
    for plugin, codes in DEADLY:
        with Daemon(plugins=[plugin, "echo"], policies={plugin: policy(max_time=f"{500 * PATIENCE}ms")}) as d:
            well(d)
            fds, starts = d.fds(), starts_of(d, "echo")
            code = d.rest(plugin).code
            assert code in codes, f"{plugin}: expected one of {codes}, got {code}"
            well(d)
            wait_for(lambda: d.fds() <= fds + 6, 10, f"{plugin}: the end of its descriptors")
            same(starts_of(d, "echo"), starts, f"{plugin}: starts of the neighbour's worker")


def test_plugins_that_are_refused_poison_nothing():
    names = [name for name, _ in REFUSED + REFUSED_TOOLS]
    with Daemon(plugins=["echo", *names]) as d:
        for event, cases in (("plugin_refused", REFUSED), ("tool_refused", REFUSED_TOOLS)):
            for plugin, words in cases:
                said = json.dumps(d.wait_log(event, lambda e, p=plugin: e.get("plugin") == p))
                for word in [] if SANITIZED else words:
                    assert word in said, f"{plugin}: expected {word!r} in {said}"
        same(d.tools(), ["dup_name", "echo", "good_one"])
        well(d)


# tool of the plugin bad_schema, words of the sentence that says why it is left out
BAD_SCHEMAS = [
    ("unknown_type", ["/inputSchema/properties/x/type"]),
    ("unknown_dialect", ["/inputSchema/$schema", "dialect"]),
    ("network_ref", ["/inputSchema/properties/x/$ref", "reference"]),
    ("costly_pattern", ["/inputSchema/properties/x/pattern"]),
    ("bad_pattern", ["/inputSchema/properties/x/pattern"]),
    ("too_deep", ["/inputSchema", "32"]),
    ("too_many", ["/inputSchema", "2000"]),
]


def test_each_schema_that_cannot_be_used_has_its_own_sentence():
    with Daemon(plugins=["bad_schema"]) as d:
        same(d.tools(), ["good_one"])
        same(d.call("good_one").text, "well")
        plugin = d.http("GET", "/v1/plugins").json["plugins"][0]
        problems = {p.split(":")[0]: p for p in plugin["problems"]}
        same(sorted(problems), sorted(f"tool {tool}" for tool, _ in BAD_SCHEMAS))
        same(len(set(p.partition(": ")[2] for p in problems.values())), len(BAD_SCHEMAS), "different sentences")
        for tool, words in BAD_SCHEMAS:
            comment(problems[f"tool {tool}"])
            for word in words:
                said = problems[f"tool {tool}"].replace(",", "")
                assert word in said, f"expected {word!r} in {said!r}"
        same(len(d.log_events("tool_refused", least=len(BAD_SCHEMAS))), len(BAD_SCHEMAS))


def test_a_worker_that_garbles_the_memory_it_shares():
    """Every call has one clear answer; the daemon and the neighbour do not notice."""
    if SANITIZER == "thread":
        raise Skip("its threads race, which is their purpose")
    with Daemon(plugins=["ring_flip", "echo"], policies={"ring_flip": policy(max_time=f"{500 * PATIENCE}ms")}) as d:
        same(d.call("ring_flip", {"where": "down"}).text, "0", "what it may do to the daemon's memory")
        well(d)
        pid, fds, rss, starts = d.pid, d.fds(), d.rss(), starts_of(d, "echo")
        answers = {}
        for i in range(900):
            if i >= 45 and answers.get("tool_crashed"):
                break
            where = ("index", "frames", "all")[i % 3]
            calls = [in_background(d.rest, "ring_flip", {"where": where, "pause_us": i % 2}) for _ in range(3)]
            well(d)
            for answer in calls:
                answer = answer()
                word = answer.code or "result"
                answers[word] = answers.get(word, 0) + 1
                assert answer.status in (200, 502, 503, 504), answer
        comment(f"what callers were told: {answers}")
        assert set(answers) <= {"result", "tool_crashed", "worker_lost", "tool_timeout", "tool_unavailable"}, answers
        assert answers.get("tool_crashed"), answers
        d.wait_log("worker_crashed", lambda e: e.get("plugin") == "ring_flip")
        same(d.pid, pid)
        assert is_running(pid)
        wait_for(lambda: d.fds() <= fds + 6, 10, "the end of its descriptors")
        assert d.rss() - rss < 8000 * PATIENCE, f"the daemon grew by {d.rss() - rss} KiB"
        same(starts_of(d, "echo"), starts, "starts of the neighbour's worker")
        well(d)


def test_json_of_a_worker_is_read_strictly():
    kinds = ["duplicate", "utf8", "zero_name", "surrogate", "quotes", "number", "more"]
    for kind in kinds:
        with Daemon(plugins=["bad_json", "echo"]) as d:
            same(d.rest("bad_json", {"kind": kind}).code, "tool_crashed", kind)
            end = crashed(d, "bad_json")
            assert "not what it must be" in json.dumps(end), f"{kind}: {end}"
            well(d)


def test_bombs_go_off_in_their_sandbox():
    for plugin in BOMBS:
        limits = policy(memory="64M", files=32, tmp="1M", processes=16, max_time="10s")
        with Daemon(plugins=[plugin, "echo"], policies={plugin: limits}) as d:
            well(d)
            rss = d.rss()
            bomb = in_background(d.rest, plugin)
            for i in range(20):
                same(d.call("echo", {"text": f"n{i}"}).text, f"n{i}", f"a neighbour of {plugin}")
            result = bomb()
            said = json.dumps(result.body)[:160]
            comment(f"{plugin}: {result.status} {said}")
            assert result.status in (200, 502, 504), result
            assert d.rss() - rss < 20_000 * PATIENCE, f"{plugin}: the daemon grew by {d.rss() - rss} KiB"
            well(d)


def test_a_result_has_a_limit():
    with Daemon(plugins=["huge_result", "echo"], policies={"huge_result": policy(result="1M", max_time="10s")},
                config={"results": {"shown": 0}}) as d:
        same(len(d.call("huge_result", {"bytes": 500_000}).text), 500_000)
        same(d.rest("huge_result", {"bytes": 5_000_000}).code, "too_large")
        well(d)


def test_later_calls():
    with Daemon(plugins=["later_ok"]) as d:
        assert d.call("later_ok", {"ms": 10}).ok
        for how in ("not retained", "not later", "twice"):
            outcome = d.rest("later_ok", {"how": how}, deadline_ms=2000)
            comment(f"{how}: {outcome.status} {outcome.code}")
        assert d.call("later_ok", {"ms": 10}).ok


def test_the_sandbox_refuses_everything_from_the_constructor_on():
    if SANITIZED:
        raise Skip("a sanitizer's runtime needs what is probed")
    with Daemon(plugins=["ctor_probe", "echo"]) as d:
        outcome = d.call("probe")
        assert outcome.ok, outcome
        findings = outcome.structured if isinstance(outcome.structured, list) else json.loads(outcome.text)
        for when in ("constructor", "call"):
            mine = [f for f in findings if f["when"] == when]
            assert len(mine) > 40, f"{len(mine)} probes of the {when}"
            same([f["what"] for f in mine if not f["refused"]], [], f"let through in the {when}")
        well(d)


# The system calls that end the process, and nothing honest makes.
FORBIDDEN = ["ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "init_module", "finit_module",
             "delete_module", "kexec_load", "kexec_file_load"]


def test_a_call_that_nothing_honest_makes_ends_the_process():
    for call in FORBIDDEN:
        with Daemon(plugins=["forbidden", "echo"]) as d:
            well(d)
            same(d.rest("forbidden", {"call": call}).code, "tool_crashed", call)
            same(crashed(d, "forbidden")["reason"], "policy_violation", call)
            well(d)


def test_code_that_is_made_needs_the_operators_word():
    if SANITIZED:
        raise Skip("a sanitizer's shadow memory needs what is refused")
    with Daemon(plugins=["new_code"]) as d:
        same(d.call("new_code").text, "0 0")
        layers = d.http("GET", "/v1/plugins").json["plugins"][0]["guarantees"]
        assert "seccomp" in layers["no-new-code"], layers
        comment(f"no-new-code: {layers['no-new-code']}")
    with Daemon(plugins=["new_code"], policies={"new_code": {"sandbox": {"jit": True}}}) as d:
        same(d.call("new_code").text, "42 42")
        same(d.http("GET", "/v1/plugins").json["plugins"][0]["guarantees"]["no-new-code"], "")


def test_a_process_for_each_call():
    policy = {"isolate": "call", "workers": {"max": 4}}
    with Daemon(plugins=["echo", "spin"], policies={"echo": policy, "spin": {**policy, "limits": {"max_time": "200ms"}}}) as d:
        calls = [in_background(d.rest, "echo", {"text": str(n)}) for n in range(12)]
        same([call().status for call in calls], [200] * 12)
        began = len(d.log_events("worker_started", lambda e: e["plugin"] == "echo"))
        assert began >= 12, f"{began} processes for 12 calls"
        same(d.rest("spin").code, "tool_timeout", "a call over its time")
        same(d.log_events("worker_crashed", lambda e: e["plugin"] == "echo"), [])


def test_what_large_calls_take_is_given_back():
    if SANITIZED:
        raise Skip("a sanitizer keeps what is freed")
    with Daemon(plugins=["echo"], config={"body_max": "4M", "results": {"shown": "0"}}) as d:
        same(d.rest("echo", {"text": "x"}).status, 200)
        before = d.rss()
        for _ in range(20):
            same(d.rest("echo", {"text": "x" * 1_000_000}).status, 200)
        comment(f"the daemon had {before} KiB, and {d.rss()} KiB after the last call")
        wait_for(lambda: d.rss() < before + 4096, what="less memory")


if __name__ == "__main__":
    main()
