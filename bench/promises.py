"""What the host promises of isolation, measured on this machine.

  ./dev bench promises [--json] [NAME…]

Each line is one promise: its bound, what was measured, how.  Times are upper bounds: they are taken
from outside, with the way to the daemon and back in them.  docs/promises.md explains them."""

import argparse
import contextlib
import http.client
import json
import os
import pathlib
import resource
import select
import signal
import socket
import statistics
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests/integration"))
from harness import Daemon, descendants, in_background, is_running, plugin_file, wait_for  # noqa: E402

QUIET = {"log_calls_per_second": 0}
GET = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"


def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


class Caller:
    """Calls of echo on one connection, and how long each took."""

    def __init__(self, d):
        host, port = d.address.rsplit(":", 1)
        self.connection = http.client.HTTPConnection(host, int(port), timeout=30)

    def call(self, tool="echo"):
        at = time.perf_counter()
        self.connection.request("POST", f"/v1/tools/{tool}/call", '{"arguments":{"text":"x"}}',
                                {"Content-Type": "application/json"})
        response = self.connection.getresponse()
        body = response.read()
        assert response.status == 200, body
        return (time.perf_counter() - at) * 1000

    def many(self, seconds):
        end, times = time.perf_counter() + seconds, []
        while time.perf_counter() < end:
            times.append(self.call())
        return times


def copies(folder, count):
    """So many different plugins with a tool each, as files, and the names of the tools."""
    template = plugin_file("numbered").read_bytes()
    files, names = [], [f"numbered_{n:04}" for n in range(count)]
    for name in names:
        files.append(pathlib.Path(folder, f"{name}.so"))
        files[-1].write_bytes(template.replace(b"numbered_0000", name.encode()))
    return files, names


def worker_start():
    """The first call of each of 200 plugins: start of its worker, load, describe, call."""
    with tempfile.TemporaryDirectory() as folder:
        files, names = copies(folder, 200)
        with Daemon(plugins=files, config=QUIET) as d:
            wait_for(lambda: not d.workers() or len(d.workers()) <= 1, 60, "the end of the workers that described")
            caller = Caller(d)
            caller.connection.connect()
            times = [caller.call(name) for name in names]
    return percentile(times, 0.99), f"p50 {statistics.median(times):.1f} ms"


def kill_to_reaped():
    """From the answer tool_timeout, with no grace, to the end of a process that holds 512 MiB and spins."""
    times = []
    config = {**QUIET, "grace": 0, "max_crashes": 1000}
    policies = {"heavy_spin": {"limits": {"memory": "700M", "max_time": "1500ms"}}}
    with Daemon(plugins=["heavy_spin"], config=config, policies=policies) as d:
        for _ in range(5):
            call = in_background(d.rest, "heavy_spin", {"mib": 512})
            wait_for(lambda: any(resident(pid) > 512 << 10 for pid in d.workers()), 20, "512 MiB")
            workers = [pid for pid in d.workers() if resident(pid) > 512 << 10]
            answer = call()
            at = time.perf_counter()
            assert answer.code == "tool_timeout", answer
            while any(map(is_running, workers)):
                time.sleep(0.0005)
            times.append((time.perf_counter() - at) * 1000)
    return max(times), f"median {statistics.median(times):.1f} ms of {len(times)}"


def resident(pid):
    """KiB of a process, 0 when it has gone."""
    with contextlib.suppress(OSError, IndexError):
        return int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1]) * resource.getpagesize() >> 10
    return 0


ATTACKERS = ["spin", "malloc_bomb", "thread_bomb", "fork_bomb", "spam_stdout", "huge_result", "disk_bomb"]


@contextlib.contextmanager
def attacked(d, names):
    """Calls of all of these, again and again, from a process of their own: here only the neighbour is timed."""
    child = os.fork()
    if child == 0:
        for name in names:
            threading.Thread(target=lambda name=name: [d.rest(name) for _ in iter(int, 1)], daemon=True).start()
        signal.pause()
    try:
        yield
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


@contextlib.contextmanager
def from_elsewhere():
    """Measure as from another machine: what this process waits for a processor here is not the host's time."""
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    except PermissionError:
        yield "timed by a client that competes with them"
        return
    try:
        yield "timed by a client that never waits for a processor"
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def neighbour():
    """p99 of echo while all attackers run again and again, beside its p99 alone: the median of five pairs."""
    with Daemon(plugins=["echo", *ATTACKERS], config={**QUIET, "max_crashes": 1000}) as d:
        caller, pairs = Caller(d), []
        caller.many(0.5)
        for _ in range(5):
            with from_elsewhere():
                alone = percentile(caller.many(3), 0.99)
            with attacked(d, ATTACKERS), from_elsewhere() as how:
                pairs.append((percentile(caller.many(4), 0.99) / alone, alone))
            wait_for(lambda: d.http("GET", "/healthz").status == 200, 10, "an answer after the attack")
    ratio, alone = sorted(pairs)[len(pairs) // 2]
    return ratio, (f"p99 {alone:.2f} ms alone, {alone * ratio:.2f} ms beside {len(ATTACKERS)} attackers, {how}; "
                   f"{pairs_range(pairs)}")


def pairs_range(pairs):
    return f"{min(pairs)[0]:.1f} to {max(pairs)[0]:.1f} x in {len(pairs)} pairs"


def connect(d, count, source="127.0.0.1"):
    host, port = d.address.rsplit(":", 1)
    found = []
    for _ in range(count):
        s = socket.socket()
        s.bind((source, 0))
        s.connect((host, int(port)))
        found.append(s)
    return found


def idle_connections():
    """RSS of the daemon with 10,000 connections that were served once, less 64 MiB, by connection."""
    count = 10000
    config = {**QUIET, "connections_max": count + 100, "connections_per_peer_max": count}
    with contextlib.ExitStack() as stack, Daemon(plugins=["echo"], config=config) as d:
        before = d.rss()
        for number in range(10):
            for s in connect(d, count // 10, f"127.0.0.{number + 1}"):
                stack.callback(s.close)
                s.sendall(GET)
                assert s.recv(4096).startswith(b"HTTP/1.1 200")
        rss = d.rss()
        stack.close()
    return rss / 1024, f"{(rss - before) / count:.2f} KiB a connection, {before / 1024:.1f} MiB before"


def restart():
    """From exec to ready with 20 plugins that were described before."""
    with tempfile.TemporaryDirectory() as state, tempfile.TemporaryDirectory() as folder:
        os.chmod(state, 0o777)
        files, _ = copies(folder, 20)
        times = []
        for _ in range(6):
            with Daemon(plugins=files, args=("--state-dir", state), config=QUIET) as d:
                times.append(d.ready_after * 1000)
    return max(times[1:]), f"median {statistics.median(times[1:]):.0f} ms"


def slow_connections():
    """Accept to first byte while 1,000 connections send a byte of their headers now and then."""
    with Daemon(plugins=["echo"], config=QUIET) as d:
        slow, ended, times = connect(d, 1000), threading.Event(), []

        def dribble():
            while not ended.is_set():
                for s in slow:
                    with contextlib.suppress(OSError):
                        s.send(b"G")
                ended.wait(0.2)

        thread = threading.Thread(target=dribble)
        thread.start()
        try:
            for _ in range(500):
                at = time.perf_counter()
                (s,) = connect(d, 1)
                s.sendall(GET)
                select.select([s], [], [], 10)
                times.append((time.perf_counter() - at) * 1000)
                s.close()
        finally:
            ended.set()
            thread.join()
            for s in slow:
                s.close()
    return percentile(times, 0.99), f"p50 {statistics.median(times):.2f} ms"


# name, what is measured, bound, unit, how
PROMISES = [
    ("worker-start", "worker start, p99", 25, "ms", worker_start),
    ("kill-to-reaped", "kill to reaped at 512 MiB, longest", 100, "ms", kill_to_reaped),
    ("neighbour", "a neighbour's p99 under attack", 2, "x", neighbour),
    ("idle-connections", "daemon with 10,000 idle connections", 64 + 10000 * 16 / 1024, "MiB", idle_connections),
    ("restart", "restart to serving, 20 plugins, longest", 1000, "ms", restart),
    ("slow-connections", "accept to first byte beside 1,000 slow connections, p99", 10, "ms", slow_connections),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(p[0] for p in PROMISES))
    options = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    report, kept = [], True
    for name, what, bound, unit, measure in PROMISES:
        if options.names and name not in options.names:
            continue
        value, note = measure()
        kept = kept and value <= bound
        report.append({"promise": name, "what": what, "bound": bound, "measured": round(value, 2), "unit": unit,
                       "note": note, "kept": value <= bound})
        if not options.json:
            print(f"{'kept  ' if value <= bound else 'BROKEN'}  {what:58} {value:8.1f} {unit:3} (at most {bound:.0f})  "
                  f"{note}", flush=True)
    if options.json:
        print(json.dumps(report, indent=2))
    sys.exit(0 if kept else 1)


if __name__ == "__main__":
    main()
