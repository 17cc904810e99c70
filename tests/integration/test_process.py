"""Programs beside a worker (permissions.processes, toolhost.process/1): named by the operator alone, each in a
sandbox of its own, gone with the worker, the plugin's order or the daemon."""

import http.server
import json
import os
import pathlib
import signal
import tempfile
import threading
import time

from harness import Daemon, SANITIZER, Skip, comment, in_background, installed, is_running, main, run, same, wait_for

SHELL, PERL, CAT = "/usr/bin/dash", "/usr/bin/perl", "/usr/bin/cat"
# Without a cgroup many processes together have no memory limit, which is a guarantee of its own.
REQUIRE = ["no-network", "no-foreign-files", "no-foreign-signals", "kill-tree"]


def daemon(processes, secrets=None, tenants=None, **more):
    if SANITIZER != "no":
        raise Skip("programs would inherit the limits of a sanitizer's worker")
    for name in (SHELL, PERL, CAT):
        if not os.access(name, os.X_OK):
            raise Skip(f"there is no {name} here")
    policy = {"permissions": {"processes": processes}, "limits": {"max_time": "20s"},
              "sandbox": {"require": REQUIRE}, **({"secrets": secrets} if secrets else {}), **more}
    return Daemon(plugins=("beside", "echo"), policies={"beside": policy},
                  config={"sandbox": {"require": REQUIRE}})


def sh(script, **more):
    return {"command": [SHELL, "-c", script], **more}


def perl(script, **more):
    return {"command": [PERL, "-e", script], **more}


def talk(d, name, **arguments):
    return d.call("beside", {"name": name, **arguments})


def with_words(words):
    """The processes with these words on their command line."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if words.encode() in (process / "cmdline").read_bytes():
                found.append(int(process.name))
        except OSError:
            pass
    return found


def test_a_granted_program_talks_by_its_pipes():
    with daemon({"cat": {"command": [CAT]}, "three": sh("read x; echo got $x; exit 3")}) as d:
        same(talk(d, "cat", say="hello").text, "exited 0:hello")
        same(talk(d, "three", say="one\n").text, "exited 3:got one\n")
        same(d.wait_log("program_ended", lambda e: e.get("program") == "three")["why"], "it exited with status 3")


def test_no_other_program_can_be_named():
    with daemon({"cat": {"command": [CAT]}}) as d:
        for name in ("dog", CAT, "../cat", ""):
            answer = d.rest("beside", {"name": name})
            same(answer.code, "program_not_granted", name)
        same(d.call("echo", {"text": "well"}).text, "well")


def test_a_plugin_without_grants_starts_nothing():
    with daemon({}) as d:
        same(d.rest("beside", {"name": "cat"}).code, "program_not_granted")


def test_a_program_that_is_not_there_is_told_with_its_name():
    with daemon({"none": {"command": ["/usr/bin/not-there-at-all"]}, "file": {"command": ["/usr/share"]},
                 "grant": {"command": [CAT], "read": ["/not/there"]}}) as d:
        answer = d.rest("beside", {"name": "none"})
        same(answer.code, "program_failed")
        assert "/usr/bin/not-there-at-all: No such file" in answer.message, answer.message
        assert "/usr/share: Permission denied" in d.rest("beside", {"name": "file"}).message
        assert "/not/there" in d.rest("beside", {"name": "grant"}).message
        d.wait_log("program_start_failed", lambda e: e.get("program") == "none")


def test_its_environment_is_what_was_granted():
    folder = pathlib.Path(os.environ.get("TMPDIR", "/tmp")) / f"toolhost-secret-{os.getpid()}"
    folder.write_text("s3cr3t\n")
    folder.chmod(0o600)
    try:
        with daemon({"env": {"command": ["/usr/bin/env"], "env": {"TOKEN": "key-${api}", "HOME": "/", "A": ""}}},
                    secrets={"api": str(folder)}) as d:
            said = sorted(talk(d, "env").text.partition(":")[2].split())
            same(said, ["A=", "HOME=/", "LANG=C.UTF-8", "PATH=/usr/local/bin:/usr/bin:/bin", "TMPDIR=/tmp",
                        "TOKEN=key-s3cr3t"])
            assert "s3cr3t" not in json.dumps(d.http("GET", "/v1/plugins").json)
            assert "s3cr3t" not in "".join(map(str, d.raw))
    finally:
        folder.unlink()


# What perl is told to do, and what it must be told.
DEEDS = [
    ("socket(my $s, 2, 1, 0)", "Operation not permitted"),
    ("socket(my $s, 1, 1, 0)", "Operation not permitted"),
    ("open(my $f, '<', '/etc/passwd')", "No such file or directory"),
    ("open(my $f, '<', '/proc/self/status')", "No such file or directory"),
    ("open(my $f, '>', '/usr/lib/x')", "Read-only file system|Permission denied"),
    ("open(my $f, '>', '/x')", "Read-only file system|Permission denied"),
    ("syscall(272, 0x10000000) == 0", "Operation not permitted"),  # unshare (CLONE_NEWUSER)
    ("syscall(165, 0, 0, 0, 0, 0) == 0", "Operation not permitted"),  # mount
    ("syscall(250, 0, 0, 0, 0) == 0", "Operation not permitted"),  # keyctl
    ("syscall(321, 0, 0, 0) == 0", "Operation not permitted"),  # bpf
    ("syscall(425, 1, 0) == 0", "Function not implemented"),  # io_uring_setup
    ("kill(9, 1)", "Operation not permitted"),
    ("chmod(0777, '/tmp')", "Operation not permitted"),
]


def test_a_program_reaches_nothing_outside_its_sandbox():
    if os.uname().machine != "x86_64":
        raise Skip("the numbers are those of x86-64")
    granted = {f"deed{i}": perl(f"print(({deed}) ? 'done' : \"$!\")") for i, (deed, _) in enumerate(DEEDS)}
    with daemon(granted) as d:
        for i, (deed, refusal) in enumerate(DEEDS):
            answer = talk(d, f"deed{i}")
            said = answer.text.partition(":")[2]
            assert said in refusal.split("|"), f"{deed}: {answer.text}"


def test_it_sees_its_own_processes_only():
    with daemon({"pid": perl("print $$, ' ', kill(0, 1) ? 'init' : 'no', ' ', getppid")}) as d:
        same(talk(d, "pid").text, "exited 0:2 no 1")


def test_what_it_may_read_and_write():
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        (pathlib.Path(folder) / "in").mkdir()
        (pathlib.Path(folder) / "out").mkdir()
        (pathlib.Path(folder) / "in" / "text").write_text("given")
        (pathlib.Path(folder) / "in" / "program").write_text(f"#!{SHELL}\necho ran\n")
        (pathlib.Path(folder) / "in" / "program").chmod(0o755)
        rights = {"read": [f"{folder}/in"], "write": [f"{folder}/out"]}
        (pathlib.Path(folder) / "out").chmod(0o777)
        with daemon({"read": sh(f"cat {folder}/in/text; {folder}/in/program", **rights),
                     "write": sh(f"echo made > {folder}/out/made; echo x > {folder}/in/x; echo $?", **rights),
                     "noexec": sh(f"cp {folder}/in/program {folder}/out/p 2>/dev/null; cat {folder}/in/program "
                                  f"> /tmp/p; /tmp/p; echo $?; {folder}/out/p; echo $?", **rights)}) as d:
            same(talk(d, "read").text, "exited 0:givenran\n")
            said = talk(d, "write").text
            same((pathlib.Path(folder) / "out" / "made").read_text(), "made\n", said)
            same(said.split(":")[1], "2\n")
            same(talk(d, "noexec").text.split(":")[1].split(), ["126", "126"])


def test_what_it_prints_as_errors_is_logged_and_bounded():
    flood = "for (1 .. 200000) { print STDERR \"line $_ of many, many more than anybody will ever read\\n\" } print 'end'"
    with daemon({"says": sh("echo trouble >&2; echo fine"), "flood": perl(flood)}) as d:
        same(talk(d, "says").text, "exited 0:fine\n")
        same(d.wait_log("program_output", lambda e: e.get("program") == "says")["text"], "trouble")
        calling = in_background(d.rest, "beside", {"name": "flood", "most": 3, "kill": True})
        d.wait_log("program_output_dropped", lambda e: e.get("program") == "flood")
        calling()
        assert len(d.log_events("program_output", lambda e: e.get("program") == "flood")) < 3000
        same(d.call("echo", {"text": "well"}).text, "well")


def test_huge_output_and_deaf_programs_hurt_nobody():
    with daemon({"yes": sh("yes"), "deaf": sh("exec sleep 600")}) as d:
        same(talk(d, "yes", most=200000, kill=True).text[:13], "killed 0:y\ny\n")
        same(talk(d, "deaf", say="x" * 60000, most=0, kill=True).text, "killed 0:")
        same(d.call("echo", {"text": "well"}).text, "well")


def test_a_killed_program_takes_its_daemons_along():
    words = f"marked_{os.getpid()}"
    script = (f"my $x = '{words}'; $SIG{{TERM}} = $SIG{{HUP}} = $SIG{{INT}} = 'IGNORE'; $| = 1; "
              "if (!fork) { setpgrp; if (!fork) { if (!fork) { sleep 600 } sleep 600 } exit } print \"up\\n\"; sleep 600")
    with daemon({"daemonic": perl(script)}) as d:
        calling = in_background(d.rest, "beside", {"name": "daemonic", "most": 3, "kill": True})
        calling()
        wait_for(lambda: not with_words(words), 15, "their end")
        d.wait_log("program_ended", lambda e: e.get("program") == "daemonic")


def kept(d, words, count=1, **arguments):
    """A program that runs on."""
    calling = in_background(d.rest, "beside", {"name": "sleeper", "keep": 1, **arguments})
    wait_for(lambda: len(with_words(words)) >= count, 15, "the processes")
    return calling


def sleeper(words):
    return perl(f"my $x = '{words}'; $| = 1; fork; fork; print \"up\\n\"; sleep 600")


def test_it_ends_when_its_worker_crashes():
    words = f"marked_{os.getpid()}_crash"
    with daemon({"sleeper": sleeper(words)}) as d:
        same(kept(d, words, count=4)().status, 200)
        same(d.rest("beside", {"name": "sleeper", "keep": 1, "crash": True}).code, "tool_crashed")
        at = time.monotonic()
        wait_for(lambda: not with_words(words), 15, "their end")
        comment(f"gone {(time.monotonic() - at) * 1000:.0f} ms after the answer")


def test_it_ends_when_its_worker_is_killed_at_a_deadline():
    words = f"marked_{os.getpid()}_late"
    with daemon({"sleeper": sleeper(words)}, tools={"beside": {"max_time": "2s"}}) as d:
        same(kept(d, words, hang=True)().code, "tool_timeout")
        wait_for(lambda: not with_words(words), 15, "their end")


def test_it_ends_when_the_daemon_is_killed():
    words = f"marked_{os.getpid()}_orphan"
    with daemon({"sleeper": sleeper(words)}) as d:
        same(kept(d, words)().status, 200)
        d.check = False
        os.kill(d.pid, signal.SIGKILL)
        wait_for(lambda: not with_words(words), 15, "their end")


def test_it_ends_when_the_daemon_stops():
    words = f"marked_{os.getpid()}_stop"
    with daemon({"sleeper": sleeper(words)}) as d:
        same(kept(d, words)().status, 200)
        d.stop()
        wait_for(lambda: not with_words(words), 15, "their end")


def test_a_fork_bomb_stays_in_its_limit():
    bomb = ("my $n = 0; while (defined(my $p = fork)) { $p or do { close STDOUT; close STDERR; "
            "exec '/usr/bin/perl', '-e', 'sleep 600' }; $n++ } print $n")
    with daemon({"bomb": perl(bomb, processes=24)}) as d:
        said = talk(d, "bomb").text
        started = int(said.partition(":")[2])
        comment(f"{started} processes with a limit of 24")
        assert 5 < started < 25, said
        same(d.call("echo", {"text": "well"}).text, "well")


def test_no_more_run_than_may_and_they_are_shown():
    words = f"marked_{os.getpid()}_many"
    with daemon({"sleeper": {**sleeper(words), "at_once": 2}}) as d:
        for _ in range(2):
            same(d.rest("beside", {"name": "sleeper", "keep": 1}).status, 200)
        answer = d.rest("beside", {"name": "sleeper", "keep": 1})
        same(answer.code, "program_limit")
        assert "at_once" in answer.message
        shown = next(p for p in d.http("GET", "/v1/plugins").json["plugins"] if p["name"] == "beside")
        same([(p["name"], p["state"]) for p in shown["programs"]], [("sleeper", "running")] * 2)
        assert all(is_running(p["pid"]) for p in shown["programs"])


def test_programs_are_not_started_without_end():
    with daemon({"true": {"command": ["/usr/bin/true"]}}) as d:
        codes = [d.rest("beside", {"name": "true"}).code for _ in range(18)]
        assert "program_limit" in codes and codes[:16] == [None] * 16, codes


def test_a_build_starts_one_and_calls_use_it():
    script = "echo greeter; while read x; do echo you said $x; done"
    policy = {"permissions": {"processes": {"namer": sh(script)}}, "sandbox": {"require": REQUIRE}}
    if SANITIZER != "no":
        raise Skip("programs would inherit the limits of a sanitizer's worker")
    with Daemon(plugins=("beside", "echo"), policies={"beside": policy},
                config={"sandbox": {"require": REQUIRE}}, tenants={"default": {"features": {"named": {}}}}) as d:
        d.wait_tool("greeter")
        same(d.call("greeter").text, "you said hello\n")
        same(d.call("greeter").text, "you said hello\n")


class Names(http.server.BaseHTTPRequestHandler):
    asked = 0

    def do_GET(self):
        Names.asked += 1
        if self.path == "/never":
            time.sleep(8)
        self.send_response(200)
        self.send_header("Content-Length", "8")
        self.end_headers()
        self.wfile.write(b"from_web")

    def log_message(self, *_):
        pass


def test_a_builder_asks_servers_while_it_builds():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Names)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_port}"
    policy = {"permissions": {"http": [{"url": base + "/*", "private": True}]}}
    for path, fits in (("/name", True), ("/never", False)):
        with Daemon(plugins=("beside", "echo"), policies={"beside": policy}, config={"build_timeout": "3s"},
                    tenants={"default": {"features": {"fetched": {"url": base + path}}}}) as d:
            if fits:
                d.wait_tool("from_web")
                same(d.call("from_web").text, "here")
                assert Names.asked >= 2
                left = int(d.wait_log("plugin_log", lambda e: "ms left" in e.get("text", ""))["text"].split()[0])
                assert 1000 < left <= 3000, left
            else:
                said = d.wait_log("tool_build_error")
                assert "/url: http_timeout" in said["message"], said
            same(d.call("echo", {"text": "well"}).text, "well")
    with Daemon(plugins=("beside",), policies={"beside": {}},
                tenants={"default": {"features": {"fetched": {"url": base + "/name"}}}}) as d:
        assert "http_not_granted" in d.wait_log("tool_build_error")["message"]
    server.shutdown()


BAD = [
    ({"x": {}}, "/permissions/processes/x/command: required array is missing"),
    ({"x": {"command": []}}, "/permissions/processes/x/command: expected at least 1 item"),
    ({"x": {"command": ["cat"]}}, '/permissions/processes/x/command/0: expected the absolute path of a program, got "cat"'),
    ({"a b": {"command": [CAT]}}, "/permissions/processes/a b: the name of this property: expected text that matches the pattern"),
    ({"x": {"command": [CAT], "network": True}}, "/permissions/processes/x/network: a program that is started for a plugin has no network"),
    ({"x": {"command": [CAT], "env": {"A": "${none}"}}}, '/permissions/processes/x/env/A: "none" is not in /secrets'),
    ({"x": {"command": [CAT], "env": {"A B": "1"}}}, "/permissions/processes/x/env/A B: the name of this property: expected text that matches the pattern"),
    ({"x": {"command": [CAT], "env": {"A": 1}}}, "/permissions/processes/x/env/A: expected string, got integer 1"),
    ({"x": {"command": [CAT], "memory": "lots"}}, '/permissions/processes/x/memory: expected a size like "256M", got string "lots"'),
    ({"x": {"command": [CAT], "memory": "64M", "address_space": "32M"}}, "/permissions/processes/x/address_space: expected at least its memory, 67108864, got 33554432"),
    ({"x": {"command": [CAT], "read": ["etc"]}}, "/permissions/processes/x/read/0: expected an absolute path"),
    ({"x": {"command": [CAT], "comand": 1}}, '/permissions/processes/x/comand: unknown property; did you mean "command"?'),
    ({"x": [CAT]}, "/permissions/processes/x: expected object"),
]


def test_what_a_policy_may_not_say_of_programs():
    with Daemon(plugins=("echo",)) as d:
        for processes, sentence in BAD:
            d.policy("other", {"permissions": {"processes": processes}})
            status, _, err = run(installed("sbin/toolhostd"), "--check", "--config-dir", d.config_dir)
            assert status != 0 and "plugins.d/other.json" in err and sentence in err, f"{sentence}\n{err}"
        d.policy("other", {"permissions": {"processes": {"x": {"command": [CAT], "network": False, "jit": True}}}})
        status, _, err = run(installed("sbin/toolhostd"), "--check", "--config-dir", d.config_dir)
        same(status, 0, err)


if __name__ == "__main__":
    main()
