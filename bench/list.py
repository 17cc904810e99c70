"""What tools/list costs with 10,000 tools of 100 plugins, and whether its pages agree while plugins come and go.

  ./dev bench list [--seconds N]

Times are taken from outside, over HTTP on one connection that stays open, with the way to the daemon and back in them.
First the first page alone, in both eras; then all pages, again and again, while ten of the plugins come, go and are
replaced without a pause: each tool that was there all the time must be on exactly one page of every walk."""

import argparse
import contextlib
import http.client
import itertools
import json
import pathlib
import select
import statistics
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests/integration"))
from harness import ENVELOPE, Daemon, mcp_headers, wait_for  # noqa: E402
from many_tools import TOOLS, check_walk, plugin_name, put, take_away, walk  # noqa: E402
from mcp_wire import Session, request  # noqa: E402

PLUGINS, COMING, TIMES = 100, 10, 1000
ERAS = ("2026-07-28", "2025-11-25")
P50_MS = 5
failed = []


def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


class Lister:
    """A client of one era that stays connected; `times` has what each of its requests took, in milliseconds."""

    def __init__(self, d, era):
        host, port = d.address.rsplit(":", 1)
        self.connection = http.client.HTTPConnection(host, int(port), timeout=30)
        self.session = None if era == ERAS[0] else Session(d, era)
        self.times, self.bytes = [], 0

    def ask(self, params):
        params = params if self.session else {**params, "_meta": ENVELOPE}
        headers = self.session.headers() if self.session else mcp_headers("tools/list", params)
        body = json.dumps(request("tools/list", params)).encode()
        at = time.perf_counter()
        self.connection.request("POST", "/mcp", body, {**headers, "Content-Type": "application/json"})
        answer = self.connection.getresponse().read()
        self.times.append((time.perf_counter() - at) * 1000)
        self.bytes = len(answer)
        return json.loads(answer)["result"]


def report(what, times, note=""):
    p50 = statistics.median(times)
    if p50 > P50_MS:
        failed.append(what)
    print(f"{'kept  ' if p50 <= P50_MS else 'BROKEN'}  {what:50} p50 {p50:6.2f} ms (at most {P50_MS})  "
          f"p99 {percentile(times, 0.99):6.2f} ms  {note}", flush=True)


class Changes(threading.Thread):
    """Some plugins come, go and are replaced, each change when the one before is in use."""

    def __init__(self, d, numbers):
        super().__init__(daemon=True)
        self.d, self.numbers, self.ended, self.made = d, numbers, threading.Event(), 0

    def until(self, event, number, change):
        def ours(e):
            return e.get("plugin") == plugin_name(number)

        before = len(self.d.log_events(event, ours))
        change()
        self.d.wait_log(event, ours, after=before)
        self.made += 1

    def run(self):
        for generation, number in zip(itertools.count(1), itertools.cycle(self.numbers)):
            if self.ended.is_set():
                return
            self.until("plugin_loaded", number, lambda: put(self.d, number, generation))
            if generation % 2:
                self.until("plugin_removed", number, lambda: take_away(self.d, number))
                self.until("plugin_loaded", number, lambda: put(self.d, number, generation))

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.join(60)
        assert not self.is_alive(), "the changes don't end"


def call_healthz(address, ended):
    """What each took until somebody writes to `ended`, as JSON."""
    host, port = address.rsplit(":", 1)
    times = []
    with contextlib.closing(http.client.HTTPConnection(host, int(port), timeout=30)) as connection:
        while not select.select([ended], [], [], 0.002)[0]:
            at = time.perf_counter()
            connection.request("GET", "/healthz")
            connection.getresponse().read()
            times.append((time.perf_counter() - at) * 1000)
    return json.dumps(times)


@contextlib.contextmanager
def neighbour(d, times):
    """Another client meanwhile, in a process of its own: what each /healthz took it is added to `times`."""
    child = subprocess.Popen([sys.executable, "-B", __file__, "--neighbour", d.address], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE)
    try:
        yield
    finally:
        times += json.loads(child.communicate(b"end")[0])


def first_pages(d):
    for era in ERAS:
        lister = Lister(d, era)
        tools = [len(lister.ask({})["tools"]) for _ in range(TIMES)]
        report(f"first page, {era}", lister.times, f"{tools[0]} tools, {lister.bytes} bytes, {TIMES} times")


def walks(d, seconds):
    listers, walked, others = [Lister(d, era) for era in ERAS], 0, []
    stayed = range(PLUGINS - COMING)
    with neighbour(d, others), Changes(d, range(PLUGINS - COMING, PLUGINS)) as changes:
        end = time.monotonic() + seconds
        for lister in itertools.cycle(listers):
            check_walk(walk(lister.ask), stayed)
            walked += 1
            if time.monotonic() > end:
                break
    for era, lister in zip(ERAS, listers):
        report(f"any page while plugins come and go, {era}", lister.times, f"{len(lister.times)} pages")
    report("another client's /healthz meanwhile", others, f"longest {max(others):.1f} ms")
    print(f"kept    {walked} walks over all pages during {changes.made} changes: each tool that stayed is there once")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=15, help="how long pages are walked (15)")
    parser.add_argument("--neighbour", metavar="ADDRESS", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.neighbour:
        print(call_healthz(options.neighbour, sys.stdin))
        return
    with Daemon(config={"log_calls_per_second": 0}) as d:
        for number in range(PLUGINS):
            put(d, number)
        lister = Lister(d, ERAS[0])
        wait_for(lambda: len(walk(lister.ask)) == PLUGINS * TOOLS, 120, f"{PLUGINS * TOOLS} tools")
        first_pages(d)
        walks(d, options.seconds)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
