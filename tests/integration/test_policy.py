"""Every key of a policy: what is written down is what the plugin meets, or what the caller is told."""

import concurrent.futures
import pathlib
import re
import shutil
import signal
import tempfile

from harness import SANITIZER, Daemon, Skip, comment, installed, main, run, same

SANITIZED = SANITIZER != "no"
MIB = 1 << 20


def limits(**values):
    return {"limits": values}


def tool(name, **values):
    return {"tools": {name: values}}


def reload(d, name):
    """Read the policies again; the plugin serves by its new one."""
    before = len(d.log_events("reloaded"))
    d.signal(signal.SIGHUP)
    d.wait_log("reloaded", after=before)
    d.wait_log("plugin_loaded", lambda e: e["plugin"] == name, after=before + 1)


def killed(d, name, reason):
    """The end of the plugin's worker has this reason."""
    return d.wait_log("worker_crashed", lambda e: e["plugin"] == name and e["reason"] == reason)


def well(d):
    assert d.call("echo", {"text": "well"}).ok


# ---- permissions, and limits that the kernel knows

def test_files_and_folders():
    with Daemon(plugins=["file_io"]) as d:
        place = pathlib.Path(tempfile.mkdtemp(prefix="toolhost-policy."))
        try:
            place.chmod(0o755)
            for folder in ("read", "write", "neither"):
                (place / folder).mkdir()
                (place / folder).chmod(0o777)
                (place / folder / "file").write_text("content")
                (place / folder / "file").chmod(0o666)
            d.policy("file_io", {"permissions": {"read": [str(place / "read")], "write": [str(place / "write")]}})
            reload(d, "file_io")
            for folder, may_read, may_write in (("read", True, False), ("write", True, True), ("neither", False, False)):
                file = str(place / folder / "file")
                same((d.call("file_io", {"read": file}).text == "content", d.call("file_io", {"write": file}).text == "ok"),
                     (may_read, may_write), folder)
        finally:
            shutil.rmtree(place)


def number_in(outcome):
    return int(re.search(r"\d+", outcome.text).group())


def test_what_the_kernel_counts():
    rows = [("fd_bomb", {"files": 32}, 8, 32), ("fd_bomb", {"files": 100}, 64, 100),
            ("disk_bomb", {"tmp": "1M"}, 512, 1024), ("disk_bomb", {"tmp": "4M"}, 2048, 4096),  # KiB
            ("thread_bomb", {"processes": 20, "memory": "1G"}, 4, 20),
            ("thread_bomb", {"processes": 60, "memory": "1G"}, 30, 60)]
    for plugin, settings, least, most in rows:
        with Daemon(plugins=[plugin], policies={plugin: limits(**settings)}) as d:
            outcome = d.call(plugin)
            comment(f"{plugin} {settings}: {outcome.text}")
            assert least <= number_in(outcome) <= most, (settings, outcome)


def test_calls_at_once():
    with Daemon(plugins=["slow_echo"], policies={"slow_echo": limits(threads=2, queue=1)}) as d:
        assert d.call("slow_echo", {"ms": 1}).ok
        with concurrent.futures.ThreadPoolExecutor(6) as callers:
            codes = [c.code for c in callers.map(lambda _: d.rest("slow_echo", {"ms": 1000}), range(6))]
        assert codes.count("tool_overloaded") >= 2 and codes.count(None) >= 2, codes


def test_what_the_plugin_is_told():
    with Daemon(plugins=["files"]) as d:
        d.policy("files", {"config": {"no such key": 1}})
        d.signal(signal.SIGHUP)
        assert "no such key" in d.wait_log("plugin_refused", lambda e: e["plugin"] == "files")["why"]


def test_grants_that_name_nothing():
    for policy, path in (({"permissions": {"secrets": ["key"]}}, "/permissions/secrets/0: expected the name of one"),
                         ({"permissions": {"invoke": ["an echo"]}}, "/permissions/invoke/0: expected the name of a tool"),
                         ({"permissions": {"invoke": "echo"}}, "/permissions/invoke: expected array")):
        with Daemon(plugins=["echo"]) as d:
            d.policy("other", policy)
            status, out, err = run(installed("sbin/toolhostd"), "--check", "--config-dir", d.config_dir)
            assert status != 0 and path in err, err


# ---- memory

def test_memory_is_what_a_plugin_gets():
    if SANITIZED:
        raise Skip("shadow memory counts too")
    for size in ("32M", "128M"):
        with Daemon(plugins=["malloc_bomb"], policies={"malloc_bomb": limits(memory=size)}) as d:
            outcome = d.rest("malloc_bomb")
            if outcome.status != 200:  # its cgroup counts more than what malloc gives
                comment(f"memory {size}: {killed(d, 'malloc_bomb', 'oom')['why']}")
                continue
            taken = int(outcome.body["content"][0]["text"])
            comment(f"memory {size}: {taken} MiB")
            assert int(size[:-1]) // 2 < taken < int(size[:-1]), taken


def test_address_space_is_room_and_memory_the_limit():
    if SANITIZED:
        raise Skip("shadow memory counts too")
    with Daemon(plugins=["malloc_bomb", "echo"],
                policies={"malloc_bomb": limits(memory="64M", address_space="8G", max_time="20s")}) as d:
        for shared in (False, True):
            outcome = d.rest("malloc_bomb", {"shared": shared})
            same((outcome.code, outcome.message), ("tool_crashed", "The tool used up its memory."))
            end = killed(d, "malloc_bomb", "oom")
            comment(end["why"])
            d.lines.remove(end)
        well(d)


# ---- processor time

def test_a_call_ends_when_its_processor_time_is_used_up():
    with Daemon(plugins=["cpu_thief", "echo"], policies={"cpu_thief": limits(cpu_per_call="200ms")}) as d:
        outcome = d.rest("cpu_thief")
        same((outcome.status, outcome.code), (504, "tool_timeout"))
        assert "processor time" in outcome.message and "200 ms" in outcome.message, outcome
        used = outcome.body["usage"]["worker"]["cpu_us"]
        assert 200_000 <= used < 5_000_000, used
        well(d)


def test_what_is_used_is_told_by_who_measured_it():
    with Daemon(plugins=["cpu_thief"]) as d:
        assert d.rest("cpu_thief", {"ms": 300}).status == 200
        outcome = d.call("cpu_thief", {"ms": 300})
        usage = outcome.result["_meta"]["toolhost/usage"]
        same(sorted(usage), ["daemon", "kernel", "worker"])
        same(sorted(usage["daemon"]), ["bytesIn", "bytesOut", "queueUs", "runUs", "wallUs"])
        assert usage["daemon"]["wallUs"] >= usage["daemon"]["runUs"] >= 250_000, usage
        assert usage["worker"]["cpuUs"] > 0 and usage["kernel"]["rssPeakBytes"] > MIB // 4, usage
        plugin = next(p for p in d.http("GET", "/v1/plugins").json["plugins"] if p["name"] == "cpu_thief")
        kernel = plugin["usage"]["kernel"]
        assert kernel["rss_peak_bytes"] >= kernel["rss_bytes"] > 0 and kernel["cpu_ms"] > 0, kernel
        if not SANITIZED:
            assert "RSS watchdog" in plugin["guarantees"]["memory-cap"], plugin["guarantees"]
        metrics = d.http("GET", "/metrics").body.decode()
        for name in ("toolhost_worker_rss_bytes", "toolhost_worker_rss_peak_bytes",
                     "toolhost_worker_cpu_seconds_total"):
            assert f'{name}{{plugin="cpu_thief",source="kernel"}}' in metrics, metrics
        assert 'toolhost_call_cpu_seconds_total{plugin="cpu_thief",tool="cpu_thief",source="worker"}' in metrics


def test_a_call_that_sleeps_uses_none():
    with Daemon(plugins=["slow_echo"], policies={"slow_echo": limits(cpu_per_call="50ms")}) as d:
        assert d.call("slow_echo", {"ms": 800, "text": "slept"}).ok


def test_a_worker_that_does_not_tell_is_found_out():
    for how in ("thread", "deaf"):
        with Daemon(plugins=["cpu_thief", "echo"], config={"deadline": "120s"},
                    policies={"cpu_thief": limits(cpu_per_call="100ms")}) as d:
            outcome = d.rest("cpu_thief", {"how": how}, timeout=130)
            same((outcome.code, outcome.message), ("tool_crashed", "The tool used up its processor time."), how)
            comment(killed(d, "cpu_thief", "cpu")["why"])
            well(d)


# ---- single tools

def test_a_tool_may_have_less_than_its_plugin():
    rows = [({"max_time": "200ms"}, {"ms": 20000}, "tool_timeout"),
            ({"enabled": False}, {"ms": 1}, "tool_not_found"),
            ({"enabled": True}, {"ms": 1}, None)]
    with Daemon(plugins=["slow_echo", "echo"]) as d:
        for settings, arguments, code in rows:
            d.policy("slow_echo", tool("slow_echo", **settings))
            reload(d, "slow_echo")
            same(d.rest("slow_echo", arguments).code, code, settings)
        well(d)


def test_a_tool_may_return_less():
    with Daemon(plugins=["huge_result"], policies={"huge_result": tool("huge_result", result="8K")}) as d:
        same(len(d.call("huge_result", {"bytes": 7000}).text), 7000)
        same(d.rest("huge_result", {"bytes": 9000}).code, "too_large")


def test_a_tool_may_wait_less():
    with Daemon(plugins=["slow_echo", "echo"],
                policies={"slow_echo": {"limits": {"threads": 1}, **tool("slow_echo", queue=2)}}) as d:
        assert d.call("slow_echo", {"ms": 1}).ok
        with concurrent.futures.ThreadPoolExecutor(6) as callers:
            codes = [c.code for c in callers.map(lambda _: d.rest("slow_echo", {"ms": 1000}), range(6))]
        assert codes.count("tool_overloaded") >= 2 and codes.count(None) >= 2, codes
        assert d.call("slow_echo", {"ms": 1}).ok
        well(d)


def test_a_tool_may_have_less_processor_time():
    with Daemon(plugins=["cpu_thief"], policies={"cpu_thief": tool("cpu_thief", cpu_per_call="100ms")}) as d:
        outcome = d.rest("cpu_thief")
        assert outcome.code == "tool_timeout" and "100 ms" in outcome.message, outcome


def test_a_tool_can_not_have_more():
    rows = [({"limits": {"max_time": "2s"}, **tool("a", max_time="3s")}, ["/tools/a/max_time", "2000", "3000"]),
            ({"limits": {"result": "1M"}, **tool("a", result="2M")}, ["/tools/a/result", str(MIB), str(2 * MIB)]),
            (tool("a", queue=257), ["/tools/a/queue", "256 calls", "257 calls"]),
            (tool("a", cpu_per_call="31s"), ["/tools/a/cpu_per_call", "30000", "31000"])]
    with Daemon(plugins=["echo"]) as d:
        for policy, words in rows:
            d.policy("other", policy)
            status, out, err = run(installed("sbin/toolhostd"), "--check", "--config-dir", d.config_dir)
            assert status != 0 and all(word in err for word in ["plugins.d/other.json", *words]), (policy, err)


if __name__ == "__main__":
    main()
