"""tools/call over HTTP with the daemon's connections in 1, 2 … threads, on all processors of the machine.

  ./dev bench threads [N…] [--runs N] [--seconds N] [--keep] [--json]

The same daemon, once for each number (1 2 without any), and the same load; 1 is the loop alone.  Server, workers and load
generator share the processors as the kernel likes.  What counts is ratios: runs are short and alternate.

On a machine with few or busy processors the calls per second say little.  The processor time of the daemon's busiest
thread does: so long a call takes at least, however many processors there are."""

import argparse
import contextlib
import pathlib
import sys
import time

import measure
import servers
from harness import Daemon

CASES = [  # name, title, bytes of the argument, connections
    ("many", "64 in flight", 2, 64),
    ("crowd", "256 in flight", 2, 256),
    ("one", "1 in flight", 2, 1),
    ("large", "64 in flight, 20 KB of arguments", 20_000, 64),
]


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("threads", type=int, nargs="*", default=[1, 2], help="numbers of threads (default 1 2)")
    parser.add_argument("--seconds", type=int, default=1, help="of one run (default 1)")
    parser.add_argument("--runs", type=int, default=11, help="of each number in each case (default 11)")
    measure.add_options(parser)
    return parser.parse_args()


@contextlib.contextmanager
def daemon(threads):
    with Daemon(plugins=["echo"], config={**servers.QUIET, "threads": threads}) as d:
        yield servers.Served(f"http://{d.address}/mcp", d.pid)


def thread_times(pid):
    """{thread: µs of a processor it has had}."""
    return {task.name: int((task / "schedstat").read_text().split()[0]) / 1e3 for task in pathlib.Path(f"/proc/{pid}/task").iterdir()}


def run_of(served, target, case, seconds):
    def run():
        before = thread_times(served.pid)
        result = target.load(case[3], seconds, place=[])
        used = [time - before.get(thread, 0) for thread, time in thread_times(served.pid).items()]
        return {**result, "cpu_us": sum(used) / result["calls"], "busiest_us": max(used) / result["calls"]}
    return run


def measure_case(served, case, options):
    with contextlib.ExitStack() as stack:
        sides = {}
        for threads, server in served.items():
            target = stack.enter_context(contextlib.closing(server.target(case[2])))
            target.load(case[3], 1, place=[])  # warm
            sides[threads] = run_of(server, target, case, options.seconds)
        runs = measure.alternate(sides, options.runs, settle=lambda: time.sleep(0.05))
    first = [run["rate"] for run in runs[options.threads[0]]]
    kinds = ("rate", "p50_us", "p99_us", "cpu_us", "busiest_us")
    return {threads: {**{what: measure.spread([run[what] for run in found]) for what in kinds},
                      "to_first": measure.ratios([run["rate"] for run in found], first)} for threads, found in runs.items()}


def show(case, results):
    print(f"\n{case[1]}")
    print(f"  {'threads':>7} {'calls/s':>9} {'p50 µs':>8} {'p99 µs':>8} {'CPU µs':>7} {'busiest':>8}  {'÷ the first':>11} {'(middle half)':>15}")
    for threads, found in results.items():
        ratio = found["to_first"]
        print(f"  {threads:7} {found['rate']['median']:9,.0f} {found['p50_us']['median']:8,.0f} {found['p99_us']['median']:8,.0f} "
              f"{found['cpu_us']['median']:7.1f} {found['busiest_us']['median']:8.1f}  {ratio['median']:11.2f} {ratio['low']:9.2f}–{ratio['high']:.2f}")
    sys.stdout.flush()


def main():
    options = parse()
    cases = {}
    with contextlib.ExitStack() as stack:
        served = {threads: stack.enter_context(daemon(threads)) for threads in options.threads}
        for case in CASES:
            cases[case[0]] = measure_case(served, case, options)
            if not options.json:
                show(case, cases[case[0]])
    measure.save("threads", {"cases": cases}, options)


if __name__ == "__main__":
    main()
