"""Configuration that is wrong: file, path, expected, got; and the old state stays."""

import json
import signal

from harness import Daemon, installed, main, run, same

CASES = [
    # file, content, what the sentence must hold
    ("toolhostd.json", '{"listn": "127.0.0.1:0"}', ["toolhostd.json", "listn", "did you mean"]),
    ("toolhostd.json", '{"listen": 5}', ["toolhostd.json", "/listen", "expected", "5"]),
    ("toolhostd.json", '{"listen": ', ["toolhostd.json", "line 1"]),
    ("toolhostd.json", '[]', ["toolhostd.json", "object"]),
    ("plugins.d/echo.json", '{"limits": {"memory": "lots"}}',
     ["plugins.d/echo.json", "/limits/memory", "expected", "256M", "lots"]),
    ("plugins.d/echo.json", '{"limits": {"memry": "1M"}}', ["plugins.d/echo.json", "memry", "did you mean", "memory"]),
    ("plugins.d/echo.json", '{"permissions": {"read": "/"}}', ["plugins.d/echo.json", "/permissions/read", "expected"]),
    ("plugins.d/echo.json", '{"permissions": {"read": ["etc"]}}', ["plugins.d/echo.json", "/permissions/read/0", "etc"]),
]


def check(d, *more):
    return run(installed("sbin/toolhostd"), "--check", "--config-dir", d.config_dir, "--plugin-dir", d.plugin_dir, *more)


def test_check_says_what_is_wrong_and_where():
    with Daemon(plugins=["echo"]) as d:
        for file, content, words in CASES:
            path = d.config_dir / file
            before = path.read_text() if path.exists() else None
            path.write_text(content)
            status, out, err = check(d)
            assert status != 0, f"{content} was accepted"
            for word in words:
                assert word in out + err, f"{content}: expected {word!r} in {(out + err)!r}"
            path.unlink()
            if before is not None:
                path.write_text(before)


def test_check_of_what_is_right():
    with Daemon(plugins=["echo"]) as d:
        d.write_config('// comments are allowed\n{ /* here too */ "log_level": "debug" }')
        status, out, err = check(d)
        same(status, 0, out + err)


def test_a_policy_is_explained():
    with Daemon(plugins=["echo"], policies={"echo": {"profile": "nonetwork", "limits": {"files": 33}}}) as d:
        status, out, err = check(d, "--explain", "echo")
        same((status, err), (0, ""))
        policy = json.loads(out)
        same((policy["profile"], policy["limits"]["files"], policy["limits"]["memory"]), ("nonetwork", 33, 1 << 30))
        status, out, err = check(d, "--explain", "another")
        same(json.loads(out)["profile"], "strict")


def test_a_daemon_does_not_start_with_a_bad_file():
    d = Daemon(plugins=["echo"], config='{"listn": 1}', check=False)
    with d:
        assert d.process.wait(20) != 0
        d.reader.join(5)
        assert "listn" in "\n".join(d.raw), d.raw


def test_reload_keeps_the_old_state_when_the_new_is_bad():
    with Daemon(plugins=["echo"]) as d:
        d.policy("echo", '{"limits": {"memory": "lots"}}')
        d.signal(signal.SIGHUP)
        failed = d.wait_log("reload_failed")
        assert "/limits/memory" in json.dumps(failed), failed
        assert d.call("echo", {"text": "as before"}).ok
        d.policy("echo", {"enabled": False})
        d.signal(signal.SIGHUP)
        d.wait_log("reloaded")
        d.wait_tool("echo", present=False)
        d.policy("echo", {"enabled": True})
        d.signal(signal.SIGHUP)
        d.wait_tool("echo")


def test_unknown_options_and_addresses():
    for words, said in ((["--lisen", "x"], "lisen"), (["--listen", "nowhere"], "nowhere"),
                        (["--config-dir", "/nonexistent/folder", "--check"], "/nonexistent/folder"),
                        (["--worker", "/nonexistent/worker"], "/nonexistent/worker")):
        status, out, err = run(installed("sbin/toolhostd"), *words, timeout=20)
        assert status != 0 and said in out + err, (words, status, out, err)


def test_an_address_that_is_taken():
    with Daemon(plugins=["echo"]) as d:
        status, out, err = run(installed("sbin/toolhostd"), "--listen", d.address, "--config-dir", d.config_dir,
                               "--socket", d.dir / "run" / "other.sock", timeout=20)
        assert status != 0 and d.address in out + err, (status, out, err)


def test_the_report_of_the_sandbox():
    status, out, err = run(installed("sbin/toolhostd"), "--sandbox-report")
    same(status, 0, err)
    for guarantee in ("no-network", "no-foreign-files", "no-foreign-signals", "memory-cap", "kill-tree"):
        assert guarantee in out, out


def test_version_and_help():
    for option in ("--version", "--help"):
        status, out, err = run(installed("sbin/toolhostd"), option)
        same((status, err), (0, ""), option)
        assert "toolhostd" in out, out


if __name__ == "__main__":
    main()
