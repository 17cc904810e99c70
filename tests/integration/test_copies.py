"""A plugin runs from the daemon's own copy: whatever happens to its file, no call notices."""

import contextlib
import json
import os
import shutil
import threading
import time

from harness import BUILD, Daemon, comment, main, plugin_file, run, installed, same, wait_for

FOLDER = BUILD / "tests/integration/private.plugin"


class Callers:
    """Threads that call echo all the time; .failures has every answer that was not the right one."""

    def __init__(self, daemon, threads=3):
        self.daemon, self.failures, self.times, self.ended = daemon, [], [], threading.Event()
        self.threads = [threading.Thread(target=self.body, args=(n,)) for n in range(threads)]

    def body(self, number):
        count = 0
        while not self.ended.is_set():
            text = f"caller {number} call {count}"
            at = time.monotonic()
            outcome = self.daemon.call("echo", {"text": text})
            self.times.append(time.monotonic() - at)
            if not outcome.ok or outcome.text != text:
                self.failures.append(repr(outcome))
            count += 1

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        for thread in self.threads:
            thread.join(60)


@contextlib.contextmanager
def with_state(**more):
    """A daemon whose state folder outlives it: call .again for the next one."""
    with Daemon(check=False) as keeper:
        state = keeper.dir / "state"
        state.mkdir()
        state.chmod(0o1777)

        def again(**options):
            arguments = ["--state-dir", str(state), "--plugin-dir", str(keeper.plugin_dir)]
            d = Daemon(args=arguments, **{**more, **options})
            d.plugin_dir = keeper.plugin_dir
            return d

        keeper.state, keeper.again = state, again
        yield keeper


def echo_with(tail):
    """The file of echo, as another file: what follows the last section is not looked at."""
    return plugin_file("echo").read_bytes() + tail


def copies(state):
    return sorted(p.name for p in (state / "plugins/sha256").iterdir() if not p.name.startswith("."))


def of_plugin(d, name):
    return next(p for p in d.http("GET", "/v1/plugins").json["plugins"] if p["name"] == name)


def test_rewriting_the_file_in_place_fails_no_call():
    for keep_state in (True, False):
        with with_state() as keeper:
            keeper.add("echo")
            with (keeper.again() if keep_state else Daemon(plugins=["echo"])) as d, Callers(d) as callers:
                target = d.plugin_dir / "echo.so"
                for i in range(20):
                    before = len(d.log_events("plugin_loaded"))
                    with target.open("r+b") as file:
                        file.truncate(0)
                        file.flush()
                        done = len(callers.times)
                        wait_for(lambda: len(callers.times) > done + 20, 30, "calls while the file is empty")
                        file.write(echo_with(b"generation %d" % i))
                    d.wait_log("plugin_loaded", after=before)
                wait_for(lambda: len(callers.times) > 1000, 60, "a thousand calls")
            same(callers.failures, [], "failed calls")
            comment(f"{len(callers.times)} calls")


def test_a_file_truncated_by_its_path():
    with Daemon(plugins=["echo"]) as d, Callers(d) as callers:
        os.truncate(d.plugin_dir / "echo.so", 100)
        d.wait_log("plugin_refused", lambda e: "cut short" in e["why"], timeout=30)
        for worker in d.workers():  # new ones have nothing but the copy
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker, 9)
        done = len(callers.times)
        wait_for(lambda: len(callers.times) > done + 50, 30, "calls after that")
        assert len(callers.failures) <= 3, callers.failures
        loaded = len(d.log_events("plugin_loaded"))
        d.add("echo")
        d.wait_log("plugin_loaded", after=loaded)


def test_only_a_whole_file_is_taken():
    with Daemon(plugins=["echo"]) as d:
        data = plugin_file("hash").read_bytes()
        with (d.plugin_dir / "hash.so").open("wb", buffering=0) as file:
            for i in range(10):
                file.write(data[len(data) * i // 10:len(data) * (i + 1) // 10])
                time.sleep(0.2)
                d.add("echo", f"other{i}")  # the folder is looked at meanwhile
        d.wait_tool("hash")
        d.wait_log("plugin_loaded", lambda e: e["plugin"] == "hash")
        same([e["why"] for e in d.log_events("plugin_refused")], [], "refusals")
        same(len(d.log_events("plugin_loaded", lambda e: e["plugin"] == "hash", least=1)), 1)


def test_a_start_from_the_store():
    with with_state() as keeper:
        keeper.add("echo")
        keeper.add("calculator")
        for start in range(3):
            with keeper.again() as d:
                same(sorted(d.tools()), ["calculator", "echo"])
                if start:
                    same(d.log_events("worker_started"), [], "workers that only described")
                assert d.call("echo", {"text": "x"}).ok
                names = copies(keeper.state)
                hashes = sorted(of_plugin(d, name)["sha256"] + ".so" for name in ("echo", "calculator"))
                same(names, hashes)
                comment(f"ready after {d.ready_after * 1000:.0f} ms")
        copy = keeper.state / "plugins/sha256" / names[0]
        same(copy.stat().st_mode & 0o7777, 0o444)
        same((keeper.state / "plugins").stat().st_mode & 0o7777, 0o700)


def test_a_damaged_copy_is_made_again():
    with with_state() as keeper:
        keeper.add("echo")
        with keeper.again() as d:
            d.call("echo", {"text": "x"})
        copy = keeper.state / "plugins/sha256" / copies(keeper.state)[0]
        whole = copy.read_bytes()
        copy.chmod(0o600)
        copy.write_bytes(whole[:1000] + b"\0" * 500 + whole[1500:])
        with keeper.again() as d:
            assert d.call("echo", {"text": "x"}).ok
            d.wait_log("plugin_store_damaged")
            same(copy.read_bytes(), whole)
        copy.unlink()
        with keeper.again() as d:
            assert d.call("echo", {"text": "x"}).ok
            same(copy.read_bytes(), whole)


def test_old_copies_go():
    with with_state() as keeper:
        keeper.add("echo")
        with keeper.again():
            pass
        old = keeper.state / "plugins/sha256" / ("0" * 64 + ".so")
        shutil.copy(keeper.state / "plugins/sha256" / copies(keeper.state)[0], old)
        os.utime(old, (1, 1))
        with keeper.again() as d:
            d.wait_log("plugin_store_swept", timeout=30)
            assert not old.exists()
            same(len(copies(keeper.state)), 1)
            assert d.call("echo", {"text": "x"}).ok


def test_a_store_that_can_not_be_written():
    with with_state() as keeper:
        (keeper.state / "plugins").write_text("no folder")
        keeper.add("echo")
        with keeper.again() as d:
            d.wait_log("plugin_store_failed")
            assert d.call("echo", {"text": "x"}).ok


def test_a_folder_with_a_library_of_its_own():
    for keep_state in (False, True):
        with with_state() as keeper, (keeper.again() if keep_state else Daemon()) as d:
            part = d.plugin_dir / ".part"
            shutil.copytree(FOLDER, part)
            (part / "lib/libgreeting2.so").unlink()
            (part / "notes").mkdir()
            (part / "notes/note.txt").write_text("one")
            (part / "policy.json").write_text('{ // asks for much\n "permissions": { "read": ["/etc"] },'
                                              ' "limits": { "memory": "1G" } }')
            part.rename(d.plugin_dir / "private.plugin")
            d.wait_tool("private")
            same(d.call("private").text, "hello, one")
            same(of_plugin(d, "private")["suggested_policy"],
                 {"permissions": {"read": ["/etc"]}, "limits": {"memory": "1G"}})
            before = len(d.log_events("plugin_loaded"))
            (d.plugin_dir / "private.plugin/notes/note.txt").write_text("two")
            d.wait_log("plugin_loaded", after=before)
            same(d.call("private").text, "hello, two")
            shutil.copy(FOLDER / "lib/libgreeting2.so", d.plugin_dir / "private.plugin/lib/libgreeting.so")
            d.wait_log("plugin_loaded", after=before + 1)
            same(d.call("private").text, "good day, two")
            (d.plugin_dir / "private.plugin/lib/libgreeting.so").unlink()
            d.wait_log("plugin_refused", lambda e: "libgreeting.so" in e["why"])
            same(d.call("private").text, "good day, two")  # what it replaces goes on
            if keep_state:
                assert any(name.endswith(".tar") for name in copies(keeper.state))


def test_a_suggested_policy_grants_nothing():
    with Daemon() as d:
        folder = d.plugin_dir / "file_io.plugin"
        folder.mkdir()
        secret = d.dir / "secret.txt"
        secret.write_text("canary")
        (folder / "policy.json").write_text(json.dumps({"permissions": {"read": [str(d.dir)], "write": [str(d.dir)]}}))
        shutil.copy(plugin_file("file_io"), folder / "file_io.so")
        d.wait_tool("file_io")
        same(of_plugin(d, "file_io")["suggested_policy"]["permissions"]["read"], [str(d.dir)])
        assert "canary" not in repr(d.call("file_io", {"read": str(secret)}))


def test_a_suggestion_that_is_no_policy():
    with Daemon(plugins=["echo"]) as d:
        folder = d.plugin_dir / "calculator.plugin"
        folder.mkdir()
        (folder / "policy.json").write_text('{ "limits": { "memory": "lots" } }')
        shutil.copy(plugin_file("calculator"), folder / "calculator.so")
        d.wait_log("plugin_refused", lambda e: "policy.json in it: /limits/memory" in e["why"])


def test_a_huge_file_keeps_nobody_waiting():
    with with_state() as keeper, keeper.again(config={"start_timeout": "60s"}) as d:
        d.add("echo")
        d.wait_tool("echo")
        part = d.plugin_dir / ".part"
        with part.open("wb") as file:
            file.write(plugin_file("hash").read_bytes())
            file.truncate(200 << 20)

        def being_copied():
            return any(p.name.endswith(".part") for p in (keeper.state / "plugins/sha256").iterdir())

        with Callers(d, 1) as callers:
            part.rename(d.plugin_dir / "hash.so")
            wait_for(being_copied, 30, "the copy to begin")
            before, at = len(callers.times), time.monotonic()
            wait_for(lambda: not being_copied(), 120, "the copy to end")
            meanwhile, copied = len(callers.times) - before, time.monotonic() - at
            d.wait_tool("hash", timeout=60)
        same(callers.failures, [])
        comment(f"{meanwhile} calls in the {copied * 1000:.0f} ms of the copy")
        assert meanwhile >= 10, "calls waited for the copy"


def test_a_plugin_that_is_too_large():
    with Daemon(plugins=["echo"], config={"plugin_max": "64K"}) as d:
        part = d.plugin_dir / ".part"
        part.write_bytes(plugin_file("hash").read_bytes() + b"\0" * 65536)
        part.rename(d.plugin_dir / "hash.so")
        d.wait_log("plugin_refused", lambda e: "it is over 65536 bytes (plugin_max)" in e["why"])


def test_the_command_line_takes_a_folder():
    with Daemon(check=False) as d:
        folder = d.dir / "private.plugin"
        shutil.copytree(FOLDER, folder)
        status, out, err = run(installed("bin/toolhost"), "call", "--plugin", folder, "private", "{}")
        same(status, 0, err)
        assert "hello, none" in out, out


if __name__ == "__main__":
    main()
