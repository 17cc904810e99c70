"""Workers by the best means a host has: cgroups, limits of processes, or neither namespaces nor cgroups."""

import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

import hosts
from harness import Daemon, SANITIZER, Skip, comment, installed, is_running, main, plugin_file, same, wait_for

ALL = ["kill-tree", "memory-cap", "no-foreign-files", "no-foreign-signals", "no-network"]
SANITIZED = SANITIZER != "no"


def report(*options, prepare=None):
    """toolhostd --sandbox-report: status, output, complaint."""
    with tempfile.TemporaryDirectory(prefix="toolhost-report.") as folder:
        os.chmod(folder, 0o755)
        done = subprocess.run([installed("sbin/toolhostd"), "--sandbox-report", "--config-dir", folder, *options],
                              capture_output=True, text=True, timeout=60, preexec_fn=prepare)
        return done.returncode, done.stdout, done.stderr


def facts(prepare=None):
    status, out, complaint = report("--json", prepare=prepare)
    assert out, complaint
    return status, json.loads(out)


def need_cgroups():
    if os.geteuid() != 0:
        raise Skip("needs root")
    tier = facts()[1]["tier"]
    if tier not in "AB":
        raise Skip(f"no cgroup may be made here (tier {tier})")


def sandbox_of(d):
    return d.http("GET", "/v1/plugins").json["sandbox"]


def guarantees_of(d, name):
    return next(p["guarantees"] for p in d.http("GET", "/v1/plugins").json["plugins"] if p["name"] == name)


def policy(**limits):
    return {"limits": {"max_time": "20s", **limits}}


# ---- cgroups


def test_a_worker_that_uses_up_its_memory_ends_as_oom():
    need_cgroups()
    if SANITIZED:
        raise Skip("a sanitizer's allocator is what would be tested")
    for arguments in ({}, {"shared": True}):
        with Daemon(plugins=["malloc_bomb", "echo"], policies={"malloc_bomb": policy(memory="64M")}) as d:
            same(d.call("echo", {"text": "x"}).text, "x")
            outcome = d.rest("malloc_bomb", arguments)
            same((outcome.code, outcome.message), ("tool_crashed", "The tool used up its memory."), str(arguments))
            end = d.wait_log("worker_crashed", lambda e: e["plugin"] == "malloc_bomb")
            same(end.get("reason"), "oom")
            comment(f"{arguments}: {end['why']}")
            same(d.call("echo", {"text": "x"}).text, "x")


def test_threads_have_an_end():
    need_cgroups()
    with Daemon(plugins=["thread_bomb", "echo"], policies={"thread_bomb": policy(processes=24)}) as d:
        outcome = d.rest("thread_bomb")
        comment(f"{outcome.status} {str(outcome.body)[:120]}")
        assert outcome.status in (200, 502), outcome
        if outcome.status == 200:
            assert int(outcome.body["content"][0]["text"]) <= 24, outcome
        same(d.call("echo", {"text": "x"}).text, "x")


def groups_of(d):
    """The daemon's own folders of cgroups; those of others may go while they are looked for."""
    return [pathlib.Path(path) for path, _, _ in os.walk("/sys/fs/cgroup")
            if os.path.basename(path) == f"toolhost.{d.pid}"]


def users_of(d, pids):
    """Who those processes are that are still there."""
    found = set()
    for pid in pids:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            found.add(d.status(pid)["Uid"].split()[0])
    return found


def test_groups_go_with_their_workers():
    need_cgroups()
    with Daemon(plugins=["echo"], config={"idle_stop": "50ms"}) as d:
        same(d.call("echo", {"text": "x"}).text, "x")
        top = groups_of(d)
        assert top, "no folder of ours"
        comment(f"ours: {[str(path) for path in top]}")
        wait_for(lambda: not [sub for path in top for sub in path.iterdir() if sub.is_dir() and sub.name != "daemon"],
                 10, "no groups of workers")
    wait_for(lambda: not any(path.exists() for path in top), 5, "the end of our folders")


# ---- limits of processes


def test_an_ordinary_user_has_namespaces_and_limits():
    if os.geteuid() != 0:
        raise Skip("every other test runs so")
    status, found = facts(hosts.ordinary_user)
    if found["tier"] == "D":
        raise Skip("an ordinary user may not make user namespaces here")
    same((status, found["uid_per_worker"], found["root_launcher"]), (0, False, False))
    with Daemon(plugins=["echo", "fragile"], prepare=hosts.ordinary_user) as d:
        same(d.call("echo", {"text": "x"}).text, "x")
        assert d.launcher() is not None
        same(users_of(d, d.workers()), {d.status()["Uid"].split()[0]})
        same(d.rest("fragile", {"crash": True}).code, "tool_crashed")


# ---- neither


def without_namespaces(prepare, **more):
    if SANITIZED:
        raise Skip("a sanitizer's runtime is not confined to what is told here")
    try:
        status, found = facts(prepare)
    except (OSError, subprocess.SubprocessError) as error:
        raise Skip(f"such a host can't be had here: {error}") from error
    same((status, found["tier"], found["namespaces"]["user"]), (0, "D", False))
    return found


def plugin_folder(top, prepare, *names):
    """Plugins of the daemon's user's own: in a user namespace without root what is root's is a stranger's."""
    folder = pathlib.Path(top, "plugins")
    folder.mkdir()
    for name in names:
        shutil.copy(plugin_file(name), folder)
    for path in (folder, *folder.iterdir()):
        path.chmod(0o755)
        if os.geteuid() == 0 and prepare != hosts.container:
            os.chown(path, hosts.USER, hosts.USER)
    return folder


def confined(prepare):
    """All guarantees hold, by what is left, in daemons that serve, kill and end as ever."""
    with tempfile.TemporaryDirectory(prefix="toolhost-grant.") as top:
        os.chmod(top, 0o777)
        granted, other = pathlib.Path(top, "granted"), pathlib.Path(top, "other")
        for folder in (granted, other):
            folder.mkdir()
            folder.chmod(0o777)
            (folder / "file").write_text("words")
        plugins = plugin_folder(top, prepare, "echo", "file_io", "sleep_forever", "fork_bomb", "null_deref")
        policies = {"file_io": {"permissions": {"write": [str(granted)]}}, "sleep_forever": policy(max_time="300ms")}
        with Daemon(args=["--plugin-dir", str(plugins)], policies=policies, prepare=prepare) as d:
            same(d.call("echo", {"text": "x"}).text, "x")
            same(sandbox_of(d)["tier"], "D")
            by = guarantees_of(d, "echo")
            comment(f"{by}")
            same([name for name in ALL if not by[name]], [], "guarantees that nothing meets")
            assert not any("pid namespace" in what or "mount namespace" in what for what in by.values()), by
            same(d.call("file_io", {"read": str(granted / "file")}).text, "words")
            same(d.call("file_io", {"write": str(granted / "made")}).text, "ok")
            for path in (other / "file", "/etc/passwd", "/proc/self/status", f"/proc/{d.pid}/environ"):
                assert not d.call("file_io", {"read": str(path)}).ok, f"{path} was read"
            assert not d.call("file_io", {"write": str(other / "made")}).ok
            same(d.call("fork_bomb").text, "0", "processes of a fork bomb")
            same(d.rest("null_deref").code, "tool_crashed")
            same(d.rest("sleep_forever").code, "tool_timeout")
            d.wait_log("worker_crashed", lambda e: e["plugin"] == "null_deref")
            yield d


def test_a_hardened_host_without_user_namespaces():
    found = without_namespaces(hosts.no_user_namespaces)
    assert any("user.max_user_namespaces" in advice for advice in found["allow"]), found["allow"]
    for d in confined(hosts.no_user_namespaces):
        assert d.launcher() is not None


def test_a_container_of_an_ordinary_user():
    found = without_namespaces(hosts.container_of_a_user)
    assert any("seccomp profile" in advice for advice in found["allow"]), found["allow"]
    for _ in confined(hosts.container_of_a_user):
        pass


def test_a_container_of_root():
    if os.geteuid() != 0:
        raise Skip("needs root")
    found = without_namespaces(hosts.container)
    same((found["root_launcher"], found["uid_per_worker"]), (True, True))
    for d in confined(hosts.container):
        by_plugin = {e["plugin"]: int(e["uid"]) for e in d.log_events("worker_started")}
        own = int(d.status()["Uid"].split()[0])
        assert by_plugin["echo"] != own, by_plugin
        same(by_plugin["file_io"], own, "uid of a worker with grants that can't be mounted for it")
        for pid in d.workers():
            assert "0" not in d.status(pid)["Uid"].split(), d.status(pid)["Uid"]


def test_no_process_of_a_killed_daemon_is_left_without_namespaces():
    without_namespaces(hosts.container_of_a_user)
    with Daemon(plugins=["echo"], prepare=hosts.container_of_a_user, check=False) as d:
        d.wait_log("ready")
        d.address = d.log_events("listening", lambda e: str(e["address"]).startswith("127."))[0]["address"]
        same(d.call("echo", {"text": "x"}).text, "x")
        workers = d.workers()
        d.process.kill()
        wait_for(lambda: not any(map(is_running, workers)), 10, "the end of the workers")


# ---- what nothing can meet


def test_a_daemon_that_cannot_keep_its_promise_does_not_start():
    if SANITIZED:
        raise Skip("a sanitizer's runtime is not confined to what is told here")
    status, out, complaint = report(prepare=hosts.container_without_landlock)
    same(status, 1)
    assert "no-foreign-files     NOT MET: it takes a mount namespace or Landlock" in out, out
    with Daemon(plugins=["echo"], prepare=hosts.container_without_landlock, check=False) as d:
        same(d.process.wait(20), 1)
        d.reader.join(5)
        said = [line for line in d.raw if line.startswith("toolhostd: ")]
        same(len(said), 1, "sentences")
        comment(said[0])
        for words in ('"no-foreign-files" is required', "nothing on this system meets it",
                      "a mount namespace or Landlock", "seccomp profile"):
            assert words in said[0], said[0]


def test_what_is_not_required_is_told_as_missing():
    if SANITIZED:
        raise Skip("a sanitizer's runtime is not confined to what is told here")
    require = [name for name in ALL if name != "no-foreign-files"]
    config = {"sandbox": {"require": require}}
    with Daemon(plugins=["echo", "fragile"], config=config, prepare=hosts.container_without_landlock,
                policies={"fragile": {"profile": "nonetwork"}}) as d:
        same(d.call("echo", {"text": "x"}).text, "x")
        same(sandbox_of(d)["guarantees"]["no-foreign-files"], {"met": False, "by": ""})
        same(guarantees_of(d, "echo")["no-foreign-files"], "")
        assert 'toolhost_sandbox_tier{tier="D"} 1' in d.http("GET", "/metrics").body.decode()


if __name__ == "__main__":
    main()
