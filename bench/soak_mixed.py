"""Everything at once for an hour, while things break: is an answer wrong, does the daemon grow, does its loop stall?

  ./dev soak mixed [MINUTES] [--clients N] [--core N] [--keep] [--json]

Clients call by every front; store, audit, approvals and a log are on.  Meanwhile, every second or so, workers are killed,
plugins replaced, cut short, added and taken away, policies and tenants changed, connections crowd and don't read,
allocations and descriptors are refused.  After each minute all of it rests, and what the daemon then has is noted.

It fails when an answer is wrong, when a turn of the loop worked more than 10 ms, or when in the last third the daemon has
more descriptors, or 1 MiB more memory, than in the second.  Time that the machine below a virtual one takes is counted by
the kernel as work of whoever it was taken from; so turns that were long while some was taken are told, and no failure.
--core: daemon, workers and clients on this processor."""

import argparse
import collections
import contextlib
import errno
import http.client
import json
import pathlib
import random
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "tests/integration"), str(HERE.parent / "tests/faults")]
from harness import plugin_file, wait_for  # noqa: E402
from measure import add_options, save  # noqa: E402
from plot import curves  # noqa: E402
from soak_sessions import Quiet, gauge  # noqa: E402
from test_faults import kill, plugin_processes  # noqa: E402
from test_memory import Failures  # noqa: E402
from webhooks import Webhooks, turns  # noqa: E402

ROUND = 60  # seconds of load between two rests
GROWTH_MAX = 1024  # KiB
SESSION_MAX = 60  # seconds: a call of 30 that nobody interrupts, its session's 2, and time for both
TURN_MAX = "0.01"  # seconds, a bound of the metric
PLUGINS = ["echo", "slow_echo", "calculator", "clock", "hash", "courier", "null_deref", "spin"]
CONFIG = {
    "max_crashes": 1000,
    "log_calls_per_second": 100,
    "sessions": {"principal_max": 10_000, "tenant_max": 10_000},
    "approvals": {"by": "caller", "ttl": "20s", "rules": [{"tools": ["hash"], "approval": "always"}]},
}


def stolen(core):
    """Ticks that the machine below has had of this processor, or of all."""
    name = "cpu" if core is None else f"cpu{core}"
    lines = pathlib.Path("/proc/stat").read_text().splitlines()
    return next(int(line.split()[8]) for line in lines if line.split()[0] == name)


class Turns:
    """Which turns of the loop were long, as the daemon's metric tells."""

    def __init__(self, d, core):
        self.d, self.core = d, core
        self.long = collections.Counter()  # by what was done before
        self.robbed = self.late = 0  # long while something was stolen; by the clock on the wall
        self.stolen, self.counts = stolen(core), turns(d)

    def look(self, after):
        with contextlib.suppress(OSError, http.client.HTTPException, ValueError, KeyError):
            counts, taken = turns(self.d), stolen(self.core)
            late, long = slower_than(self.counts, counts)
            self.late += late
            if taken == self.stolen:
                self.long[after] += long
            else:
                self.robbed += long
            self.counts, self.stolen = counts, taken

    def rest(self):
        return {"turns_long": self.long.total(), "turns_robbed": self.robbed, "turns_late": self.late}


class Faults:
    """What breaks around a daemon, by name; each leaves it as it was."""

    def __init__(self, d, failures, seed, watch):
        self.d, self.failures, self.watch = d, failures, watch
        self.random = random.Random(seed)
        self.done = collections.Counter()
        self.number = 0

    def kill_a_worker(self):
        workers = plugin_processes(self.d)
        if workers:
            kill(self.random.choice(workers))

    def replace_a_plugin(self):
        self.number += 1
        name = self.random.choice(("echo", "clock"))
        part = self.d.plugin_dir / ".part"
        part.write_bytes(plugin_file(name).read_bytes() + b"generation %d" % self.number)
        part.chmod(0o755)
        part.rename(self.d.plugin_dir / f"{name}.so")

    def cut_a_plugin_short(self):
        with open(self.d.plugin_dir / "echo.so", "r+b") as file:
            file.truncate(100)
        self.d.add("echo")

    def add_and_remove_a_plugin(self):
        self.d.add("allparts")
        time.sleep(0.3)
        (self.d.plugin_dir / "allparts.so").unlink()

    def change_a_policy(self):
        self.d.policy("calculator", {"limits": {"queue": 100 + self.random.randrange(2)}})
        self.d.signal(signal.SIGHUP)

    def change_the_tenants(self):
        self.d.tenant(f"t{self.random.randrange(5)}", {"limits": {"running": self.random.randrange(1, 9)}})
        self.d.signal(signal.SIGHUP)

    def open_the_logs_again(self):
        self.d.signal(signal.SIGUSR1)

    def crowd(self):
        """Connections that say nothing, and some that ask and don't read."""
        host, port = self.d.address.rsplit(":", 1)
        with contextlib.ExitStack() as stack, contextlib.suppress(OSError):
            for number in range(200):
                peer = stack.enter_context(socket.create_connection((host, int(port)), 5))
                if number % 4 == 0:
                    peer.setblocking(False)
                    peer.send(b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20)
            time.sleep(0.3)

    def refuse(self, kind, error):
        """The kernel's refusal of one of the next calls of this kind."""
        self.failures.fail(kind, self.random.randrange(8), error)
        time.sleep(0.5)
        self.failures.end(kind)

    def refuse_memory(self):
        self.refuse("memory", errno.ENOMEM)

    def refuse_descriptors(self):
        kind = self.random.choice(("memfd", "socketpair", "pipe", "open"))
        self.refuse(kind, errno.EMFILE)

    def refuse_a_mapping(self):
        self.refuse("mmap", errno.ENOMEM)

    ALL = (kill_a_worker, replace_a_plugin, cut_a_plugin_short, add_and_remove_a_plugin, change_a_policy, change_the_tenants,
           open_the_logs_again, crowd, refuse_memory, refuse_descriptors, refuse_a_mapping)

    def run(self, until):
        """One after the other, with pauses, until then."""
        while time.monotonic() < until:
            fault = self.random.choice(self.ALL)
            fault(self)
            self.done[fault.__name__] += 1
            if self.d.process.poll() is not None:
                sys.exit(f"the daemon ended after {fault.__name__}: {self.d.raw[-3:]}")
            time.sleep(min(self.random.uniform(0.2, 1.5), max(0.0, until - time.monotonic())))
            self.watch.look(fault.__name__)


class Clients:
    """Processes of soak_clients.py, and what they have told."""

    def __init__(self, address, webhook, place):
        self.command = [*place, sys.executable, "-B", HERE / "soak_clients.py", address]
        self.webhook = webhook
        self.done, self.told = collections.Counter(), collections.Counter()
        self.broken, self.wrong = 0, []

    def start(self, count, seed, seconds):
        return [subprocess.Popen([*map(str, self.command), str(seed + number), str(seconds), self.webhook],
                                 stdout=subprocess.PIPE, text=True) for number in range(count)]

    def collect(self, processes):
        for process in processes:
            said, _ = process.communicate(timeout=ROUND + 120)
            if process.returncode != 0:
                sys.exit(f"a client failed with {process.returncode}")
            got = json.loads(said)
            self.done.update(got["done"])
            self.told.update(got["told"])
            self.broken += got["broken"]
            self.wrong += got["wrong"]


def at_rest(d, fds_before):
    """What the daemon has when nothing is going on any more."""
    with contextlib.suppress(AssertionError):
        wait_for(lambda: gauge(d, "toolhost_sessions") == 0, SESSION_MAX, "the end of all sessions")
    with contextlib.suppress(AssertionError):  # then it is told as it is
        wait_for(lambda: d.fds() <= fds_before, 15)
    return {"rss_kib": d.rss(), "fds": d.fds(), "workers": len(plugin_processes(d)), "sessions": left_over(d)}


def left_over(d):
    """Sessions that go on though nobody has anything to do with them, as the daemon shows them."""
    shown = [d.http("GET", f"/v1/sessions/{one['session_id']}") for one in d.http("GET", "/v1/sessions").json["sessions"]]
    return [one.json for one in shown if one.status == 200]


def slower_than(before, after):
    """How many turns were beyond the bound: by the clock, and by the processor time they took."""
    return [(a["+Inf"] - a[TURN_MAX]) - (b["+Inf"] - b[TURN_MAX]) for b, a in zip(before, after)]


def growth(rests, name):
    """What the median of the last third has more than that of the second."""
    third = max(len(rests) // 3, 1)
    values = [rest[name] for rest in rests]
    return statistics.median(values[-third:]) - statistics.median(values[-2 * third:-third] or values[:1])


def out(options):
    """Where what people read goes."""
    return sys.stderr if options.json else sys.stdout


def soak(d, options, webhook, failures):
    place = ["taskset", "-c", str(options.core)] if options.core is not None else []
    time.sleep(1)  # until what the start began has ended
    watch = Turns(d, options.core)
    clients, faults = Clients(d.address, webhook, place), Faults(d, failures, options.seed, watch)
    fds, rests = d.fds(), []
    begun = time.monotonic()
    while time.monotonic() - begun < 60 * options.minutes:
        running = clients.start(options.clients, options.seed + len(rests) * options.clients, ROUND)
        faults.run(time.monotonic() + ROUND)
        clients.collect(running)
        rest = {**at_rest(d, fds), "minute": round((time.monotonic() - begun) / 60, 1), "deeds": clients.done.total(), "broken": clients.broken}
        watch.look("the end of a round")
        rest.update(watch.rest())
        fds = fds if rests else max(fds, rest["fds"])
        rests.append(rest)
        print("{minute:5} min {deeds:9} deeds {rss_kib:7} KiB {fds:4} descriptors {workers:3} workers {turns_long:3} long turns "
              "({turns_robbed} of a robbed processor, {turns_late} by the wall's clock)".format(**rest), flush=True, file=out(options))
        clients.wrong += [f"a session that does not end: {json.dumps(one)}" for one in rest["sessions"]]
        if clients.wrong:
            break
    return clients, faults, rests


def parse():
    parser = argparse.ArgumentParser(description="Everything at once for an hour, while things break.")
    parser.add_argument("minutes", nargs="?", type=int, default=60)
    parser.add_argument("--clients", type=int, default=6)
    parser.add_argument("--core", type=int)
    parser.add_argument("--seed", type=int, default=1)
    add_options(parser)
    return parser.parse_args()


def main():
    options = parse()
    failures = Failures()
    under = ["taskset", "-c", str(options.core)] if options.core is not None else []
    state = pathlib.Path(failures.file.name + ".state")
    state.mkdir()
    state.chmod(0o777)
    try:
        with Webhooks(0.02) as server:
            policies = {"courier": {"permissions": {"http": [{"url": server.url + "/*", "private": True}]}},
                        "spin": {"limits": {"max_time": "200ms"}}, "null_deref": {"limits": {"max_time": "2s"}}}
            with Quiet(plugins=PLUGINS, policies=policies, config=CONFIG, env=failures.env, under=under,
                       args=("--state-dir", str(state))) as d:
                clients, faults, rests = soak(d, options, server.url + "/hook", failures)
    finally:
        shutil.rmtree(state, ignore_errors=True)
    report(options, clients, faults, rests)


def report(options, clients, faults, rests):
    for what, counts in (("done", clients.done), ("told", clients.told), ("faults", faults.done),
                         ("long turns after", +faults.watch.long)):
        print(f"{what}: " + ", ".join(f"{count} {name}" for name, count in counts.most_common()), file=out(options))
    memory, fds, long = growth(rests, "rss_kib"), growth(rests, "fds"), rests[-1]["turns_long"]
    print(f"{clients.broken} connections broke; from the second to the last third {memory:+.0f} KiB, {fds:+.0f} descriptors; "
          f"{long} turns of the loop worked more than 10 ms, {rests[-1]['turns_robbed']} on a robbed processor; "
          f"{len(clients.wrong)} wrong answers", file=out(options))
    for text in clients.wrong[:10]:
        print(f"wrong: {text}", file=out(options))
    save("soak", {"minutes": rests[-1]["minute"], "rests": rests, "done": clients.done, "told": clients.told, "faults": faults.done,
                  "broken": clients.broken, "wrong": clients.wrong, "growth_kib": memory, "growth_fds": fds}, options,
         curves("A soak with faults", "minute", "", {
             name: [(rest["minute"], rest[key]) for rest in rests]
             for name, key in (("resident KiB", "rss_kib"), ("descriptors", "fds"))}))
    sys.exit(0 if not clients.wrong and memory <= GROWTH_MAX and fds <= 0 and long == 0 else 1)


if __name__ == "__main__":
    main()
