"""What breaks around the daemon while it serves: workers, itself, files, descriptors, clocks.

Short in `make check`; `./dev test faults` runs it in full (TOOLHOST_FAULTS=full)."""

import collections
import contextlib
import http.client
import json
import os
import pathlib
import resource
import signal
import socket
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "integration"))
from harness import (BUILD, Daemon, PATIENCE, SANITIZER, Skip, comment, descendants, in_background,  # noqa: E402
                     is_running, main, plugin_file, same, wait_for)

FULL = os.environ.get("TOOLHOST_FAULTS") == "full"
# What a caller may see of a worker that was killed under its call.
HONEST = {"tool_crashed", "worker_lost", "tool_unavailable"}


def often(short, full):
    return full if FULL else short


class Load:
    """Callers of echo, each on a connection of its own; every answer is checked and counted."""

    def __init__(self, d, callers=4):
        self.d, self.ended = d, threading.Event()
        self.seen, self.wrong = collections.Counter(), []
        self.threads = [threading.Thread(target=self._call, args=(n,), daemon=True) for n in range(callers)]
        for thread in self.threads:
            thread.start()

    def _call(self, number):
        host, port = self.d.address.rsplit(":", 1)
        connection = http.client.HTTPConnection(host, int(port), timeout=30 * PATIENCE)
        turn = 0
        with contextlib.closing(connection):
            while not self.ended.is_set():
                turn += 1
                text = f"{number}/{turn}"
                try:
                    self._one(connection, text)
                except Exception as e:  # no answer at all
                    self.wrong.append(f"{text}: {e!r}")
                    return

    def _one(self, connection, text):
        connection.request("POST", "/v1/tools/echo/call", json.dumps({"arguments": {"text": text}}),
                           {"Content-Type": "application/json"})
        body = json.loads(connection.getresponse().read())
        code = (body.get("error") or {}).get("code")
        if code is None and text not in json.dumps(body):
            self.wrong.append(f"{text}: {body}")
        self.seen[code or "ok"] += 1

    def count(self):
        return sum(self.seen.values())

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.ended.set()
        for thread in self.threads:
            thread.join(60 * PATIENCE)
        if kind is None:
            same(self.wrong[:5], [], "calls without a right answer")


def plugin_processes(d):
    """Processes that run plugin code: every worker that has an init above it."""
    return [pid for pid in d.workers() if not descendants(pid) and is_worker(pid)]


def is_worker(pid):
    with contextlib.suppress(OSError):
        return b"toolhost-worker" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
    return False


def kill(pid):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def test_workers_killed_ten_times_a_second():
    seconds = often(3, 60)
    with Daemon(plugins=["echo"], config={"max_crashes": 1000}) as d:
        fds, killed = d.fds(), 0
        with Load(d) as load:
            wait_for(lambda: load.seen["ok"] > 10, 10, "calls")
            for _ in range(10 * seconds):
                for pid in plugin_processes(d):
                    kill(pid)
                    killed += 1
                time.sleep(0.1)
            ok = load.seen["ok"]
            wait_for(lambda: load.seen["ok"] > ok, 40, "calls after the last kill")
        comment(f"{killed} killed, {dict(load.seen)}")
        assert killed > seconds, killed
        same(set(load.seen) - HONEST - {"ok"}, set(), "other answers")
        wait_for(lambda: d.fds() <= fds + 6, 10, "the descriptors of dead workers")


def test_the_daemon_killed_and_started_again():
    rounds = often(5, 100)
    with Daemon(plugins=["echo", "slow_echo"], args=("--state-dir", "state"), check=False) as first:
        first.process.kill()
        first.process.wait()
        times = []
        for _ in range(rounds):
            d = again(first)
            try:
                d.call("echo", {"text": "x"})
                in_background(lambda d=d: d.rest("slow_echo", {"ms": 60000}))
                wait_for(lambda d=d: len(plugin_processes(d)) >= 2, 10, "both workers")
                workers = d.workers()
                d.process.kill()
                d.process.wait()
                wait_for(lambda: not any(map(is_running, workers)), 10, "the end of the workers of a killed daemon")
                times.append(d.ready_after)
            finally:
                end(d)
        comment(f"{rounds} rounds, ready after at most {max(times) * 1000:.0f} ms")


def again(first):
    """A daemon on the same folders."""
    d = Daemon.__new__(Daemon)
    d.__dict__.update(first.__dict__)
    d.lines, d.raw, d.heard = [], [], threading.Condition()
    d.check, d.address, d.started_at = True, None, time.monotonic()
    state = first.dir / "state"
    state.mkdir(exist_ok=True)
    state.chmod(0o777)
    d._start(("--state-dir", str(state)), {})
    return d


def end(d):
    if d.process.poll() is None:
        d.process.kill()
        d.process.wait()
    d.reader.join(5)
    d.process.stderr.close()


def test_a_plugin_file_truncated_and_replaced_during_calls():
    calls = often(1000, 10000)
    good = plugin_file("echo").read_bytes()
    with Daemon(plugins=["echo"]) as d, Load(d) as load:
        file, turn = d.plugin_dir / "echo.so", 0
        while load.count() < calls:
            turn += 1
            with open(file, "r+b") as f:  # in place, as a careless copy does
                f.truncate(100)
                f.seek(0)
                f.write(b"garbage" * 200)
            part = d.plugin_dir / ".part"
            part.write_bytes(good + f"turn {turn}".encode())
            part.chmod(0o755)
            part.rename(file)
            target = load.count() + calls / 20
            wait_for(lambda: load.count() >= target or load.wrong, 60, "calls to go on")
            assert not load.wrong, load.wrong[:3]
        comment(f"{turn} turns, {dict(load.seen)}")
        same(set(load.seen), {"ok"}, "answers")


def test_reloads_under_load_fail_no_call():
    rounds = often(50, 1000)
    with Daemon(plugins=["echo"]) as d, Load(d) as load:
        for turn in range(rounds):
            if turn % 10 == 0:  # now and then with something new to read
                d.policy("echo", {"limits": {"queue": 256 + turn // 10 % 2}})
            same(manage(d, "POST", "/v1/reload"), 200, "status of a reload")
            wait_for(lambda: load.count() > turn or load.wrong, 30, "calls between reloads")
        assert not load.wrong, load.wrong[:3]
        comment(f"{rounds} reloads, {dict(load.seen)}")
        same(set(load.seen), {"ok"}, "answers")


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=30 * PATIENCE)
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


def manage(d, method, path):
    """The status of a request of the manager, who comes by the Unix socket."""
    connection = UnixConnection(d.socket)
    with contextlib.closing(connection):
        connection.request(method, path, "{}" if method == "POST" else None, {"Content-Type": "application/json"})
        response = connection.getresponse()
        response.read()
        return response.status


def test_descriptors_run_out():
    with Daemon(limits={resource.RLIMIT_NOFILE: 256}, plugins=["echo"]) as d, contextlib.ExitStack() as stack:
        same(d.rest("echo", {"text": "before"}).status, 200)
        host, port = d.address.rsplit(":", 1)
        for _ in range(300):
            with contextlib.suppress(OSError):
                s = stack.enter_context(contextlib.closing(socket.create_connection((host, int(port)), 5)))
                s.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        for pid in plugin_processes(d):  # and now a worker is needed
            kill(pid)
        assert d.process.poll() is None, "the daemon ended"
        stack.close()
        wait_for(lambda: d.rest("echo", {"text": "after"}).status == 200, 30, "a call after the crowd has gone")


def preloaded(name, **env):
    """The environment of a daemon with one of the libraries beside this file before the C library."""
    library = BUILD / f"tests/faults/.libs/{name}.so"
    if SANITIZER != "no":
        raise Skip("a sanitizer wants to be loaded first")
    if not library.exists():
        raise Skip(f"{library.name} was not built")
    return {"LD_PRELOAD": str(library), **env}


def test_one_byte_at_a_time():
    with Daemon(plugins=["echo", "allparts", "exit0"], env=preloaded("one_byte")) as d:
        same(d.call("echo", {"text": "Grüße " * 50}).text, "Grüße " * 50)
        same(d.rest("echo", {"text": "x"}).status, 200)
        assert d.call("allparts").ok
        same(d.rest("echo", {"text": 1}).code, "tool_args_invalid")
        same(d.rest("nothing").code, "tool_not_found")
        same(d.rest("exit0").code, "tool_crashed")
        same(manage(d, "POST", "/v1/reload"), 200)
        same(manage(d, "GET", "/metrics"), 200)
        assert d.log_events("worker_crashed", lambda e: "exited with status 0" in e["why"], least=1), d.raw[-5:]
    with Daemon(plugins=["echo"], stdio=True, env=preloaded("one_byte")) as d:
        call = "tools/call", {"name": "echo", "arguments": {"text": "x" * 3000}}
        answer = wait_for(lambda: d.pipe.ask(*call).get("result"), 15, "the plugin, described byte by byte")
        same(answer["content"][0]["text"], "x" * 3000)


def test_the_wall_clock_jumps():
    jump = pathlib.Path(os.environ.get("TMPDIR", "/tmp"), f"toolhost-jump.{os.getpid()}")
    jump.write_text("0")
    try:
        with Daemon(plugins=["slow_echo", "spin"], env=preloaded("clock_jump", TOOLHOST_CLOCK_JUMP=str(jump)),
                    policies={"spin": {"limits": {"max_time": "500ms"}}}) as d:
            for seconds in (86400, -86400, 10 * 365 * 86400, 0):
                slow = in_background(d.rest, "slow_echo", {"ms": 400, "text": "t"})
                spinning = in_background(d.rest, "spin")
                wait_for(lambda: len(plugin_processes(d)) >= 2, 10, "both workers")
                jump.write_text(str(seconds))
                at = time.monotonic()
                same(slow().status, 200, f"a slow call over a jump of {seconds} s")
                same(spinning().code, "tool_timeout", f"a call over its time over a jump of {seconds} s")
                assert time.monotonic() - at < 20 * PATIENCE, "it took too long"
                wait_for(lambda: d.rest("slow_echo", {"ms": 1}).status == 200, 10, "the next call")
            stamps = [e["ts"] for e in d.log_events("tool_call_failed", least=4)]
            assert len({s[:4] for s in stamps}) > 1, f"the clock did not jump: {stamps}"
    finally:
        jump.unlink()


def test_sigterm_during_64_long_calls():
    with Daemon(plugins=["slow_echo"], config={"drain": "20s"}) as d:
        calls = [in_background(d.rest, "slow_echo", {"ms": 1000, "text": f"n{n}"}) for n in range(64)]
        wait_for(lambda: len(started(d)) >= 64, 20, "64 calls under way")
        d.signal(signal.SIGTERM)
        answers = [call() for call in calls]
        same({a.status for a in answers}, {200}, "statuses of calls that fit into the drain time")
        same(d.process.wait(20 * PATIENCE), 0, "exit status")


def started(d):
    answer = d.http("GET", "/metrics").body.decode()
    lines = [line for line in answer.splitlines() if line.startswith('toolhost_calls_running{plugin="slow_echo"')]
    return range(int(float(lines[0].split()[-1]))) if lines else []


def test_sigterm_during_64_calls_that_are_too_long():
    with Daemon(plugins=["slow_echo"], config={"drain": "300ms"}) as d:
        calls = [in_background(d.rest, "slow_echo", {"ms": 60000}) for _ in range(64)]
        wait_for(lambda: len(started(d)) >= 64, 20, "64 calls under way")
        d.signal(signal.SIGTERM)
        codes = collections.Counter(call().code for call in calls)
        comment(dict(codes))
        same(set(codes), {"tool_cancelled"}, "what callers are told")
        same(d.process.wait(20 * PATIENCE), 0, "exit status")


if __name__ == "__main__":
    main()
