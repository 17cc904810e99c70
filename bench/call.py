"""Where the time of a call goes: user and kernel, wake-ups, system calls, copies, allocations; and what isolation takes.

  ./dev bench call [--runs N] [--seconds N] [--case NAME…] [--keep] [--json]

The calls of ./dev bench http, on one core: of nginx, of daemon and worker, and of a daemon that runs the tool itself, which
nobody can have (inside.c).  Processor time, switches and page faults are counted by the kernel while nothing else is looked
at; system calls too, by root, in a run of their own.  Allocations and copies are counted in a third run, with functions of
ours in place of the C library's (counting.c), in a worker that is linked with them.  What a round trip to another process
takes at least is measured besides (doorbell.c)."""

import argparse
import collections
import contextlib
import json
import pathlib
import re
import statistics
import struct
import subprocess
import sys
import time

import measure
import servers
import tracepoints
from compare import US
from harness import descendants
from http_calls import CASES
from measure import BUILD
from wrk import ONE_CORE

COUNTING = BUILD / "bench/.libs/counting.so"
COUNTED_WORKER = BUILD / "bench/counted_worker"
DOORBELL = BUILD / "bench/doorbell"
COUNTS = ("allocations", "allocated", "freed", "copies", "copied")  # counting.c: struct counts
ROWS = [  # what, its title, its digits
    ("user_us", "user µs", 2), ("kernel_us", "kernel µs", 2), ("wakeups", "wake-ups", 2), ("preempted", "preempted", 2),
    ("faults", "page faults", 2), ("system_calls", "system calls", 2), ("allocations", "allocations", 1),
    ("allocated", "bytes allocated", 0), ("copies", "copies", 1), ("copied", "bytes copied", 0)]
ALONE = "without isolation"
SHOWN = 0.01  # system calls that are rarer than that are not listed


# ---- what the kernel counts

def roles(name, server):
    """{role: its processes}; the process that starts workers is counted with them, and does nothing meanwhile."""
    below = descendants(server.pid)
    return {"daemon": [server.pid], "worker": below} if name == US else {name: [server.pid, *below]}


def used(pids):
    """What these processes have used until now."""
    found = collections.Counter()
    for pid in pids:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        found.update({"faults": int(fields[7]) + int(fields[9]), "user": int(fields[11]), "kernel": int(fields[12])})
        for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
            status = (task / "status").read_text()
            found.update({"ns": int((task / "schedstat").read_text().split()[0]),
                          "wakeups": int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", status, re.M)[1]),
                          "preempted": int(re.search(r"^nonvoluntary_ctxt_switches:\s+(\d+)", status, re.M)[1])})
    return found


def grown(look, load):
    """What load() tells, and {role: how much of each thing a call took}, by what look() tells before and after."""
    before = look()
    result = load()
    return result, {role: {what: (value - before[role][what]) / result["calls"] for what, value in found.items()}
                    for role, found in look().items()}


def per_call(runs):
    """Of runs of one role.  The time is exact, how it divides is known by the kernel's ticks: that takes all runs together."""
    ticks = {what: sum(run[what] for run in runs) for what in ("user", "kernel")}
    share = ticks["user"] / (sum(ticks.values()) or 1)
    cpu = statistics.median(run["ns"] for run in runs) / 1000
    counted = {what: statistics.median(run[what] for run in runs) for what in ("wakeups", "preempted", "faults")}
    return {"user_us": cpu * share, "kernel_us": cpu * (1 - share), **counted}


# ---- system calls

def look_at(sides, load, known):
    """{role: {name: how often in a call}} of these tracepoints."""
    with contextlib.ExitStack() as stack:
        counters = {role: stack.enter_context(contextlib.closing(tracepoints.Counters(pids, known))) for role, pids in sides.items()}
        return grown(lambda: {role: one.counts() for role, one in counters.items()}, load)[1]


def system_calls(sides, load):
    """{role: {name: how often in a call}}, the most frequent first; nothing where the kernel does not tell.  To look at all
    there are slows down every switch of context: that only tells which are made."""
    known = tracepoints.numbers()
    made = {name for names in look_at(sides, load, known).values() for name, count in names.items() if count}
    found = look_at(sides, load, {name: known[name] for name in made})
    return {role: {name: count for name, count in sorted(names.items(), key=lambda row: -row[1]) if count}
            for role, names in found.items() if known}


# ---- copies and allocations

def pages(pids):
    """{inode: what is counted there}: a process that was forked shares the page of the one it came from."""
    found = {}
    for pid in pids:
        mapped = re.search(r"^([0-9a-f]+)-\S+ \S+ \S+ \S+ (\d+) +/memfd:toolhost-counts",
                           pathlib.Path(f"/proc/{pid}/maps").read_text(), re.M)
        if mapped:
            with open(f"/proc/{pid}/mem", "rb") as memory:
                memory.seek(int(mapped[1], 16))
                found[mapped[2]] = struct.unpack(f"{len(COUNTS)}Q", memory.read(8 * len(COUNTS)))
    return found


def counted(sides):
    """{role: {what: how much until now}}; the first role has what it shares with others."""
    found, seen = {}, set()
    for role, pids in sides.items():
        own = {inode: counts for inode, counts in pages(pids).items() if inode not in seen}
        if not own:
            sys.exit(f"{role}: nothing is counted in it")
        seen |= set(own)
        found[role] = dict(zip(COUNTS, map(sum, zip(*own.values()))))
    return found


# ---- a case

def start(stack, preload=False):
    env = {"LD_PRELOAD": str(COUNTING)} if preload else {}
    args = ("--worker", str(COUNTED_WORKER)) if preload else ()
    return {"nginx": stack.enter_context(servers.nginx(env=env)), US: stack.enter_context(servers.ours(env=env, args=args)),
            ALONE: stack.enter_context(servers.inside(env=env))}


def measure_time(served, case, options):
    """{server: [(what load tells, {role: what a call used}) of each run]}"""
    with contextlib.ExitStack() as stack:
        sides = {}
        for name, server in served.items():
            target = stack.enter_context(contextlib.closing(server.target(case.size)))
            target.verify(case.connections)
            sides[name] = lambda name=name, server=server, target=target: grown(
                lambda: {role: used(pids) for role, pids in roles(name, server).items()},
                lambda: target.load(case.connections, options.seconds))
        return measure.alternate(sides, options.runs, settle=lambda: time.sleep(0.05))


def isolation(runs):
    """What calls take with isolation beside those without, in the runs beside each other."""
    def of(name, what):
        return [what(result, sum(role["ns"] for role in found.values())) for result, found in runs[name]]

    def both(compare, what):
        return compare(of(US, what), of(ALONE, what))
    return {"rate": both(measure.ratios, lambda result, _: result["rate"]),
            "p50_us": both(measure.differences, lambda result, _: result["p50_us"]),
            "cpu_us": both(measure.differences, lambda _, ns: ns / 1000)}


def look_closer(served, case, look):
    """look(its roles, its load) of each server, warm."""
    found = {}
    for name, server in served.items():
        with contextlib.closing(server.target(case.size)) as target:
            target.verify(case.connections)
            found.update(look(roles(name, server), lambda target=target: target.load(case.connections, 1)))
    return found


def run_case(served, counting, case, options):
    runs = measure_time(served, case, options)
    found = {role: per_call([used_by[role] for _, used_by in of]) for of in runs.values() for role in of[0][1]}
    for role, names in look_closer(served, case, system_calls).items():
        found[role].update(system_calls=sum(names.values()), names=names)
    for role, counts in look_closer(counting, case, lambda sides, load: grown(lambda: counted(sides), load)[1]).items():
        found[role].update(counts)
    return {"roles": found, "isolation": isolation(runs)}


# ---- showing

def rows(found):
    """The lines of a table: a title and a text of each role."""
    def text(role, what, digits):
        return f"{found[role][what]:,.{digits}f}" if what in found[role] else "-"

    lines = [[title, *(text(role, what, digits) for role in found)] for what, title, digits in ROWS]
    listed = [", ".join(f"{name} {count:.2f}" for name, count in one.get("names", {}).items() if count >= SHOWN) for one in found.values()]
    return [*lines, ["which", *listed]]


def costs(found):
    """A sentence."""
    rate, cpu, p50 = (found["isolation"][what] for what in ("rate", "cpu_us", "p50_us"))
    return (f"isolation takes {cpu['median']:.1f} µs of processor time ({cpu['low']:.1f}–{cpu['high']:.1f}) and "
            f"{p50['median']:.0f} µs of p50; with it there are {rate['median']:.2f} ({rate['low']:.2f}–{rate['high']:.2f}) times the "
            "calls a second that there are without")


def least(doorbells):
    """A sentence."""
    others = {"eventfds": "eventfd", "a futex and an eventfd": "futex", "pipes": "pipe"}
    return (f"A round trip between two processes on one core, by which nothing is done, takes {doorbells['socket']:.1f} µs by a socket, "
            f"as toolhostd does it, " + ", ".join(f"{doorbells[name]:.1f} by {words}" for words, name in others.items() if name in doorbells))


def show(case, found):
    print(f"\n{case.title}: {costs(found)}")
    found = found["roles"]
    print(f"  {'of one call':16} " + " ".join(f"{role:>17}" for role in found))
    *lines, which = rows(found)
    for title, *texts in lines:
        print(f"  {title:16} " + " ".join(f"{text:>17}" for text in texts))
    for role, names in zip(found, which[1:]):
        print(f"  {role}: {names}")
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=2, help="of one run (default 2)")
    parser.add_argument("--runs", type=int, default=5, help="of each server in each case (default 5)")
    parser.add_argument("--case", choices=[case.name for case in CASES], nargs="+", help="these cases alone")
    measure.add_options(parser)
    options = parser.parse_args()
    doorbells = json.loads(subprocess.run([*ONE_CORE, DOORBELL], check=True, capture_output=True, text=True).stdout)
    if not options.json:
        print(f"{least(doorbells)}.")
    cases = {}
    with contextlib.ExitStack() as stack:
        served, counting = start(stack), start(stack, preload=True)
        for case in CASES:
            if not options.case or case.name in options.case:
                cases[case.name] = run_case(served, counting, case, options)
                if not options.json:
                    show(case, cases[case.name])
    measure.save("call", {"cases": cases, "doorbells_us": doorbells}, options)


if __name__ == "__main__":
    main()
