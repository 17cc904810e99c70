"""The one process that stays root: what it may do, whose uid the workers have, and who dies with whom."""

import os
import pathlib
import signal
import subprocess
import tempfile

from harness import Daemon, SANITIZER, Skip, comment, in_background, is_running, main, same, wait_for

# The capabilities of the table in launcher_confine.c.
KEPT = sum(1 << number for number in (5, 6, 7, 21, 31))  # kill, setgid, setuid, sys_admin, setfcap
NOBODY = 65534


def need_root():
    if os.geteuid() != 0:
        raise Skip("needs root")


def uids(d, pids):
    return {int(uid) for pid in pids for uid in d.status(pid)["Uid"].split()}


def well(d):
    same(d.call("echo", {"text": "well"}).text, "well")


def test_every_worker_has_a_uid_of_its_own():
    need_root()
    with Daemon(plugins=["echo", "fragile", "later_ok"]) as d:
        well(d)
        same(d.call("fragile", {"crash": False}).text, "whole")
        assert d.call("later_ok", {"ms": 1}).ok
        inits = wait_for(lambda: len(d.workers()) == 6 and d.workers(), 10, "three workers")
        by_worker = {}
        for pid in inits:
            by_worker.setdefault(os.readlink(f"/proc/{pid}/ns/pid_for_children"), set()).update(uids(d, [pid]))
        comment(f"uids of the workers: {sorted(map(sorted, by_worker.values()))}")
        same(len(by_worker), 3, "pid namespaces")
        same(sorted(len(ids) for ids in by_worker.values()), [1, 1, 1], "uids in one worker")
        every = set.union(*by_worker.values())
        same(len(every), 3, "different uids")
        assert every <= set(range(60000, 61000)), every
        assert not every & uids(d, [d.pid]), "a worker has the uid of the daemon"
        started = {int(e["uid"]) for e in d.log_events("worker_started")}
        assert every <= started, f"{every} ran, {started} were told"


def test_the_range_of_uids_is_the_operators():
    need_root()
    with Daemon(plugins=["echo"], config={"worker_uids": {"first": 71000, "count": 8}}) as d:
        well(d)
        same({int(e["uid"]) in range(71000, 71008) for e in d.log_events("worker_started")}, {True})
    config = {"user": "nobody", "worker_uids": {"first": NOBODY - 3, "count": 8}}
    with Daemon(plugins=["echo"], config=config, check=False) as d:
        same(d.process.wait(10), 1)
        d.reader.join(5)
        assert "worker_uids: 65531 to 65538 holds the uid 65534 of user nobody" in "".join(d.raw), d.raw


def test_the_launcher_is_tiny():
    need_root()
    with Daemon(plugins=["echo"]) as d:
        well(d)
        launcher = d.launcher()
        status = d.status(launcher)
        for kind in ("CapEff", "CapPrm", "CapBnd"):
            same(int(status[kind], 16) & ~KEPT, 0, f"{kind} beyond the table")
        same(int(status["CapInh"], 16) | int(status["CapAmb"], 16), 0, "capabilities handed down")
        same((status["NoNewPrivs"], status["Groups"]), ("1", ""))
        same(status["Seccomp"], "2", "its filter")
        assert os.readlink(f"/proc/{launcher}/ns/net") != os.readlink("/proc/self/ns/net"), "it shares our network"
        held = [os.readlink(f"/proc/{launcher}/fd/{fd}") for fd in os.listdir(f"/proc/{launcher}/fd")]
        comment(f"its descriptors: {sorted(held)}")
        same(sum(what.startswith("socket:") for what in held), 1, "sockets")
        assert not any(what.startswith("pipe:") for what in held), held
        if SANITIZER == "no":
            assert int(status["VmRSS"].split()[0]) < 8192, status["VmRSS"]


def groups():
    """The cgroups of workers that there are."""
    return {str(path) for path in pathlib.Path("/sys/fs/cgroup").glob("**/toolhost.*")}


def test_nothing_outlives_a_daemon_that_was_killed():
    need_root()
    with Daemon(plugins=["echo", "sleep_forever"], check=False) as d:
        wait_for(lambda: d.log_events("ready"), 10, "ready")
        d.address = d.log_events("listening", lambda e: str(e["address"]).startswith("127."))[0]["address"]
        well(d)
        in_background(d.rest, "sleep_forever")
        wait_for(lambda: len(d.workers()) == 4, 10, "two workers")
        everybody = [d.launcher(), *d.workers()]
        mine = {group for group in groups() if group.rpartition(".")[2] == str(d.pid)}
        d.signal(signal.SIGKILL)
        wait_for(lambda: not any(map(is_running, everybody)), 10, "the end of launcher and workers")
        wait_for(lambda: not mine & groups(), 10, "the end of their cgroups")


def test_a_daemon_without_its_launcher_ends():
    need_root()
    with Daemon(plugins=["echo"], check=False) as d:
        wait_for(lambda: d.log_events("ready"), 10, "ready")
        d.address = d.log_events("listening", lambda e: str(e["address"]).startswith("127."))[0]["address"]
        well(d)
        workers = d.workers()
        os.kill(d.launcher(), signal.SIGKILL)
        d.wait_log("launcher_lost")
        same(d.process.wait(20), 3, "exit status")
        wait_for(lambda: not any(map(is_running, workers)), 10, "the end of the workers")


def test_ctrl_c_is_the_daemons_business():
    """The launcher hears no signal of a terminal, and calls that run may end."""
    need_root()
    with Daemon(plugins=["neighbours"]) as d:
        d.rest("once")
        waiting = in_background(d.rest, "once", {"ms": 700})
        wait_for(lambda: next(p["running"] for p in d.http("GET", "/v1/plugins").json["plugins"]) == 1, 5, "it to run")
        os.kill(d.launcher(), signal.SIGTERM)
        os.kill(d.launcher(), signal.SIGINT)
        d.signal(signal.SIGTERM)
        same(waiting().status, 200)
        same(d.process.wait(10), 0)


def owner(path):
    status = path.stat()
    return status.st_uid, status.st_gid


def test_granted_folders_belong_to_the_daemons_user():
    """The worker's uid is its own; what it reads and writes is the daemon's all the same."""
    need_root()
    with tempfile.TemporaryDirectory(prefix="toolhost-grant.") as top:
        folder = pathlib.Path(top, "data")
        folder.mkdir(mode=0o700)
        (folder / "there").write_text("private")
        (folder / "there").chmod(0o600)
        for path in (folder, folder / "there"):
            os.chown(path, NOBODY, NOBODY)
        os.chmod(top, 0o755)
        policy = {"permissions": {"write": [str(folder)]}}
        with Daemon(plugins=["file_io"], policies={"file_io": policy}, config={"user": "nobody"}) as d:
            uid = d.wait_log("worker_started")["uid"]
            same(d.call("file_io", {"read": str(folder / "there")}).text, "private")
            same(d.call("file_io", {"write": str(folder / "there")}).text, "ok")
            same(d.call("file_io", {"write": str(folder / "made")}).text, "ok")
            same(owner(folder / "made"), (NOBODY, NOBODY), "owner on the disk")
            comment(f"uid of the worker: {uid}")


if __name__ == "__main__":
    main()
