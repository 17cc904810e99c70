"""Who the daemon and its workers are, once started."""

import os
import stat

from harness import Daemon, Skip, main, same, wait_for


def no_capabilities(status):
    for kind in ("CapEff", "CapPrm", "CapInh", "CapAmb"):
        same(int(status[kind], 16), 0, kind)


def serving(d):
    """The two processes of the one worker (its init and itself), once the one that described has gone."""
    assert d.call("echo", {"text": "x"}).ok
    return wait_for(lambda: len(pids := d.workers()) == 2 and pids, 10, "one worker of two processes")


def test_a_daemon_started_as_root_is_root_no_more():
    if os.geteuid() != 0:
        raise Skip("needs root")
    with Daemon(plugins=["echo"]) as d:
        assert d.call("echo", {"text": "x"}).ok
        status = d.status()
        assert "0" not in status["Uid"].split(), status["Uid"]
        assert "0" not in status["Gid"].split(), status["Gid"]
        same([g for g in status["Groups"].split() if g == "0"], [], "root among the groups")
        no_capabilities(status)
        same(status["NoNewPrivs"], "1", "no new privileges")


def test_workers_are_in_namespaces_of_their_own_and_filtered():
    with Daemon(plugins=["echo"]) as d:
        for pid in serving(d):
            status = d.status(pid)
            if os.geteuid() == 0:
                assert "0" not in status["Uid"].split(), status["Uid"]
            same(status["Seccomp"], "2", f"seccomp of {status['Name']}")
            same(status["NoNewPrivs"], "1", f"no new privileges of {status['Name']}")
            if os.geteuid() == 0:
                for space in ("user", "pid", "net", "mnt", "ipc", "uts"):
                    theirs = os.readlink(f"/proc/{pid}/ns/{space}")
                    assert theirs != os.readlink(f"/proc/self/ns/{space}"), f"{space} namespace is shared"


def test_workers_have_no_environment_and_few_descriptors():
    if os.geteuid() != 0:
        raise Skip("needs root to look into a worker")
    with Daemon(plugins=["echo"], env={"A_SECRET": "of-the-daemon"}) as d:
        for pid in serving(d):
            environment = open(f"/proc/{pid}/environ", "rb").read()
            assert b"of-the-daemon" not in environment, environment
            assert len(os.listdir(f"/proc/{pid}/fd")) < 16, os.listdir(f"/proc/{pid}/fd")


def test_the_socket_is_a_socket_and_nobody_elses():
    with Daemon(plugins=["echo"]) as d:
        mode = os.stat(d.socket).st_mode
        assert stat.S_ISSOCK(mode), oct(mode)


if __name__ == "__main__":
    main()
