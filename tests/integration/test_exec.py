"""Programs that a policy grants (permissions.exec): they run inside the plugin's sandbox, and no others do."""

import os
import pathlib
import time

from harness import Daemon, SANITIZER, Skip, comment, in_background, main, same, wait_for

SHELL, PERL, TRUE = "/usr/bin/dash", "/usr/bin/perl", "/usr/bin/true"
# Without a cgroup many processes together have no memory limit, which is a guarantee of its own.
REQUIRE = ["no-network", "no-foreign-files", "no-foreign-signals", "kill-tree"]


def policy(*programs, **limits):
    for program in programs:
        if not os.access(program, os.X_OK) or os.path.realpath(program) != program:
            raise Skip(f"there is no {program} here")
    if SANITIZER != "no":
        raise Skip("programs would inherit the limits of a sanitizer's worker")
    return {"runs_program": {"permissions": {"exec": list(programs)}, "limits": {"max_time": "20s", **limits},
                             "sandbox": {"require": REQUIRE}}}


def daemon(policies, plugins=("runs_program", "echo"), **more):
    return Daemon(plugins=plugins, policies=policies, config={"sandbox": {"require": REQUIRE}}, **more)


def run(d, *argv, **arguments):
    return d.call("runs_program", {"argv": list(argv), **arguments}).text


def test_a_granted_program_runs():
    with daemon(policy(SHELL, PERL)) as d:
        same(run(d, SHELL, "-c", "echo hello; exit 3"), "3:hello\n")
        same(run(d, SHELL, "-c", f"{PERL} -e 'print 6 * 7' | {SHELL} -c 'read x; echo $x'"), "0:42\n")
        same(run(d, SHELL, "-c", "echo text > /tmp/x; read x < /tmp/x; echo $x"), "0:text\n")


def test_no_other_program_runs():
    library = next((p for p in pathlib.Path("/usr/lib").rglob("*")
                    if p.is_file() and not p.is_symlink() and os.access(p, os.X_OK)
                    and p.stat().st_mode & 0o001 and p.read_bytes()[:4] == b"\x7fELF"), None)
    with daemon(policy(SHELL)) as d:
        same(run(d, TRUE), "ENOENT")
        same(run(d, SHELL, "-c", f"{TRUE}; echo $?").splitlines()[-1], "127")
        same(run(d, "/plugin/runs_program.so"), "EACCES")
        same(run(d, SHELL, "-c", "echo > /tmp/x; /tmp/x; echo $?").splitlines()[-1], "126")
        if library is not None:
            comment(f"in the worker's root, and refused: {library}")
            same(run(d, str(library)), "EACCES")


def test_without_a_grant_there_are_no_processes():
    with daemon({}) as d:
        assert run(d, SHELL, "-c", "echo hello") in ("EPERM", "ENOENT", "EACCES")


# What perl is told to do, and what it must be told.
DEEDS = [
    ("socket(my $s, 2, 1, 0)", "Operation not permitted"),
    ("socket(my $s, 1, 1, 0)", "Operation not permitted"),
    ("open(my $f, '<', '/etc/passwd')", "No such file or directory"),
    ("open(my $f, '>', '/usr/lib/x')", "Read-only file system|Permission denied"),
    ("syscall(272, 0x10000000) == 0", "Operation not permitted"),  # unshare (CLONE_NEWUSER)
    ("kill(9, 1)", "Operation not permitted"),
]


def test_a_program_reaches_no_more_than_the_plugin():
    with daemon(policy(PERL)) as d:
        for deed, refusal in DEEDS:
            said = run(d, PERL, "-e", f"print(({deed}) ? 'done' : \"$!\")")
            assert any(word in said for word in refusal.split("|")) and said != "0:done", f"{deed}: {said}"
        same(d.call("echo", {"text": "well"}).text, "well")


def test_programs_are_bounded():
    child = "close STDOUT; close STDERR; exec '/usr/bin/perl', '-e', 'sleep 600'"
    bomb = f"my $n = 0; while (defined(my $p = fork)) {{ $p or do {{ {child} }}; $n++ }} print $n"
    with daemon(policy(PERL, processes=24)) as d:
        started = int(run(d, PERL, "-e", bomb).split(":")[1])
        comment(f"{started} processes with a limit of 24")
        assert 5 < started < 24, started
        same(d.call("echo", {"text": "well"}).text, "well")


def with_words(words):
    """The processes with these words on their command line."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if words.encode() in (process / "cmdline").read_bytes():
                found.append(process.name)
        except OSError:
            pass
    return found


def test_all_of_it_ends_with_the_call():
    words = f"marked_{os.getpid()}"
    sleep = f"my $x = '{words}'; $SIG{{TERM}} = 'IGNORE'; fork; fork; setpgrp; sleep 600"
    with daemon(policy(PERL, max_time="2s")) as d:
        calling = in_background(d.rest, "runs_program", {"argv": [PERL, "-e", sleep]})
        wait_for(lambda: len(with_words(words)) >= 4, 15, "the processes")
        same(calling().code, "tool_timeout")
        at = time.monotonic()
        wait_for(lambda: not with_words(words), 15, "their end")
        comment(f"gone {(time.monotonic() - at) * 1000:.0f} ms after the answer")
        same(run(d, PERL, "-e", "print 'again'"), "0:again")


def test_what_is_left_behind_is_collected():
    with daemon(policy(SHELL, TRUE, processes=16)) as d:
        for _ in range(40):
            same(run(d, SHELL, "-c", f"({TRUE} &) ; echo left"), "0:left\n")


WRONG = [("/usr/bin", "folder"), ("/usr/bin/not-there-at-all", "No such file"), ("/bin/sh", "symbolic link")]


def test_what_cannot_be_granted():
    policy(SHELL)
    for path, words in WRONG:
        policies = {"runs_program": {"permissions": {"exec": [path]}, "sandbox": {"require": REQUIRE}}}
        with daemon(policies, plugins=["runs_program"]) as d:
            said = str(d.wait_log("plugin_refused"))
            assert path in said and words in said, said


if __name__ == "__main__":
    main()
