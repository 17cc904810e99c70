"""How costs grow: calls in flight, tools, idle sessions, tenants, bytes of arguments, workers; each to the largest that is promised.

  ./dev bench scale [CURVE…] [--quick] [--runs N] [--seconds N] [--keep] [--json]

Each curve is a table of a running daemon, with the slope of every column on logarithmic axes: 0 is flat, 1 is linear.
"end" is the slope of the last three points alone, where what is there once and for all hides less.  No cost may grow with
more than 1.1, neither over all points nor at the end.  --quick leaves out the largest points, which take long to set up."""

import argparse
import contextlib
import fcntl
import json
import math
import os
import pathlib
import statistics
import sys
import tempfile
import types

import measure
import plot
import servers
from harness import Daemon, wait_for
from list import Lister
from many_tools import TOOLS, put
from memory import pages
from servers import JSON, QUIET
from session import Client, open_and_end
from tools import ask_all, make_key
from wrk import ONE_CORE, Target, echo_call, mcp_call

SLOPE_MAX, PAGE_MS_MAX = 1.1, 5
FLAT = 0.1
IN_FLIGHT = 16  # where that is not what changes
ASKED = 200  # requests of one client, of which the median counts


class Column:
    """What is measured at each point.  cost: its slope is held against the promise; else it is only shown."""

    def __init__(self, key, title, cost=True):
        self.key, self.title, self.cost = key, title, cost


class Curve:
    """measure(points, options) gives a row for each point: {"x": …, key of a column: value or None}."""

    def __init__(self, title, x_title, points, large, columns, measure_points):
        self.title, self.x_title, self.points, self.large = title, x_title, points, large
        self.columns, self.measure = columns, measure_points

    def chosen(self, quick):
        return [x for x in self.points if not (quick and x >= self.large)]


# ---- slopes

def slope(points):
    """Of the straight line nearest to them on logarithmic axes; None where there are too few."""
    logs = [(math.log(x), math.log(y)) for x, y in points if y is not None and y > 0]
    if len({x for x, _ in logs}) < 2:
        return None
    return statistics.linear_regression([x for x, _ in logs], [y for _, y in logs]).slope


def named(value):
    if value is None:
        return "too few points"
    if abs(value) < FLAT:
        return "flat"
    if value < 0:
        return "falling"
    if value < 1 - FLAT:
        return "less than linear"
    return "linear" if value <= SLOPE_MAX else "MORE THAN LINEAR"


def slopes(curve, rows):
    """{key of a column: its slopes and their names}."""
    found = {}
    for column in curve.columns:
        points = [(row["x"], row[column.key]) for row in rows if row.get(column.key) is not None]
        whole, end = slope(points), slope(points[-3:])
        found[column.key] = {"slope": whole, "slope_end": end, "named": named(whole), "named_end": named(end)}
    return found


def promises(curve, rows, found):
    table = measure.Promises()
    for column in curve.columns:
        if column.cost:
            steepest = max((found[column.key][part] for part in ("slope", "slope_end") if found[column.key][part] is not None),
                           default=None)
            table.at_most(f"slope of {column.title} by {curve.x_title}", SLOPE_MAX, steepest)
    if curve is CURVES["tools"]:
        largest = next((row["page_ms"] for row in rows if row["x"] >= curve.points[-1]), None)
        table.at_most(f"first page of tools/list, {curve.points[-1]:,} tools", PAGE_MS_MAX, largest, "ms")
    return table


# ---- what is measured with

def processor_seconds(pids):
    return sum(servers.process_seconds(pid) for pid in pids)


def load(served, make_target, connections, options, pids=None, place=ONE_CORE, shortest=0):
    """Medians of some runs of wrk; cpu_us is the processor time of `pids`, or of the daemon and its workers.  shortest: bytes
    that every answer has at least."""
    with contextlib.closing(make_target()) as target:
        target.check()
        checked = target.load(connections, 1, place, verify=True)
        target.length = checked["bytes"] / checked["calls"]
        if target.length < shortest:
            sys.exit(f"{target.url}: answers of {target.length:.0f} bytes, which can't be whole")
        runs = []
        for _ in range(options.runs):
            before = processor_seconds(pids) if pids else served.cpu_seconds()
            run = target.load(connections, options.seconds, place)
            after = processor_seconds(pids) if pids else served.cpu_seconds()
            runs.append({"rate": run["rate"], "p50_us": run["p50_us"], "cpu_us": (after - before) * 1e6 / run["calls"]})
    return {key: statistics.median(run[key] for run in runs) for key in runs[0]}


class Terse(Daemon):
    """Of whose log only little is looked at: four lines for each tenant come at once, and what finds no room is dropped."""

    def _read(self):
        fcntl.fcntl(self.process.stderr, fcntl.F_SETPIPE_SZ, 1 << 20)
        for line in self.process.stderr:
            if b'"event":"t' not in line:  # tenant_loaded, tool_build_started and so on
                with self.heard:
                    self.raw.append(line.decode(errors="replace").rstrip("\n"))
                    with contextlib.suppress(ValueError):
                        self.lines.append(json.loads(line))
                    self.heard.notify_all()
        with self.heard:
            self.heard.notify_all()


    def wait_log(self, name, where=None, timeout=15, after=0):
        if name != "ready":
            return super().wait_log(name, where, timeout, after)
        return wait_for(lambda: self.http("GET", "/readyz").status == 200, timeout, "the daemon to be ready")


def started(**more):
    with servers.one_core():
        return Terse(**{"plugins": ["echo"], "ready_within": 120, **more})


def served_by(daemon):
    return servers.Served(f"http://{daemon.address}/mcp", daemon.pid)


def echo(served, size=2):
    # What is longer does not fit in the environment of wrk.
    return lambda: Target(served.url, **echo_call(size), expect="x" * min(size, 100_000))


def settle(daemon):
    """The workers that described the plugins are gone: their time would be missing afterwards."""
    wait_for(lambda: not daemon.workers(), 120, "the end of the workers that described")


@contextlib.contextmanager
def folder_of(*names):
    """A folder with folders a daemon may write in, whoever it becomes."""
    with tempfile.TemporaryDirectory(prefix="toolhost-bench.") as path:
        os.chmod(path, 0o755)
        found = [pathlib.Path(path, name) for name in names]
        for one in found:
            one.mkdir()
            one.chmod(0o1777 if one.name == "state" else 0o755)
        yield found


# ---- the curves

def in_flight(points, options):
    # More than the queue of a plugin holds are refused.
    limits = {"limits": {"queue": 4 * max(points)}}
    with started(config=QUIET, policies={"echo": limits}) as d:
        served = served_by(d)
        for x in points:
            yield {"x": x, **load(served, echo(served), x, options)}


def tools(points, options):
    for x in points:
        with folder_of("plugins", "state") as (plugins, state):
            for number in range(x // TOOLS):
                put(types.SimpleNamespace(plugin_dir=plugins), number)
            about = {"config": {**QUIET, "memory_max": "8G", "idle_stop": "200ms"},
                     "args": ("--state-dir", str(state), "--plugin-dir", str(plugins))}
            with started(**about) as d:
                learnt = d.ready_after
            with started(**about) as d:
                yield {"x": x, "described_s": learnt, "start_ms": d.ready_after * 1000, **tools_served(d, x, options)}


def tools_served(d, x, options):
    settle(d)
    lister = Lister(d, "2026-07-28")
    listed = [len(lister.ask({})["tools"]) for _ in range(ASKED)]
    if set(listed) != {min(x, 100)}:  # the page holds a hundred; echo is one tool more
        sys.exit(f"{x} tools: the first page has {set(listed)}")
    lister.connection.close()
    served = served_by(d)
    return {"page_ms": statistics.median(lister.times), "rss_mib": d.rss() / 1024, **load(served, echo(served), IN_FLIGHT, options)}


def sessions(points, options):
    limits = {name: 1_000_000 for name in ("max", "tenant_max", "principal_max")}
    with started(config={**QUIET, "memory_max": "8G", "sessions": {"ttl": "24h", **limits}}) as d:
        served, client, there = served_by(d), Client(d), 0
        load(served, echo(served), IN_FLIGHT, options)  # what the first calls take is not the sessions'
        at_rest = d.rss()
        for x in points:
            open_sessions(d, x - there)
            there = x
            took = statistics.median(open_and_end(client) for _ in range(ASKED))
            memory = (d.rss() - at_rest) / x if x >= 1000 else None  # of fewer it is less than a page here and there
            yield {"x": x, "open_us": took, "session_kib": memory, **load(served, echo(served), IN_FLIGHT, options)}


def open_sessions(d, count):
    body = json.dumps({"context": {"user": {"name": "Ada"}}})
    request = (f"POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
               f"Content-Length: {len(body)}\r\n\r\n{body}").encode()
    statuses = ask_all(d.address, [request] * count)
    if statuses != {201: count}:
        sys.exit(f"sessions were not opened: {dict(statuses)}")


def tenants(points, options):
    for x in points:
        about = {"config": {**QUIET, "memory_max": "8G"}, "tenants": {f"t{number}": {"tools": ["echo"]} for number in range(x)}}
        starts = []
        for _ in range(2):
            with started(**about) as d:
                starts.append(d.ready_after * 1000)
        with started(**about) as d:
            starts.append(d.ready_after * 1000)
            settle(d)
            memory = d.rss() / 1024
            yield {"x": x, "start_ms": statistics.median(starts), "rss_mib": memory,
                   **load(served_by(d), of_tenant(d, f"t{x - 1}"), IN_FLIGHT, options)}


def of_tenant(d, tenant):
    """Calls of the last of them, with a key of its own."""
    key = make_key(d, "bench", "--tenant", tenant, "--role", "call")
    headers = {**JSON, "Authorization": f"Bearer {key}"}
    wait_for(lambda: d.http("GET", "/v1/tools", headers=headers).status == 200, 30, "the key to be known")
    return lambda: Target(f"http://{d.address}/v1/tools/echo/call", headers, '{"arguments":{"text":"xx"}}', expect="xx")


def sizes(points, options):
    config = {**QUIET, "body_max": 4 << 20, "results": {"shown": 8 << 20}}
    with started(config=config) as d:
        served = served_by(d)
        for x in points:
            found = load(served, echo(served, x), IN_FLIGHT, options, shortest=x)
            yield {"x": x, "ns_per_byte": found["cpu_us"] * 1000 / x, **found}


def workers(points, options):
    """On all cores: on one, more workers could not be faster."""
    for x in points:
        policy = {"workers": {"ready": x, "max": x}, "limits": {"queue": 1024}}
        with Daemon(plugins=["busy"], config=QUIET, policies={"busy": policy}, ready_within=60) as d:
            wait_for(lambda: len(d.workers()) >= 2 * x, 60, f"{x} workers")  # each is two processes
            served = served_by(d)
            found = load(served, lambda: Target(served.url, **mcp_call("busy", {"ms": 1}), expect="finished"), 64, options,
                         [d.pid], ())
            memory = sum(pages(pid)["Private_Dirty"] for pid in d.workers())
        yield {"x": x, "worker_mib": memory / 1024 / x, **found}


CPU, RATE = Column("cpu_us", "CPU of a call, µs"), Column("rate", "calls/s", cost=False)
# Who waits for all others that are in flight waits as long as they take.
P50 = Column("p50_us", "p50 of a call, µs", cost=False)
CURVES = {
    "flight": Curve("calls of echo, one core", "calls in flight", [1, 4, 16, 64, 256, 1024], 1024, [CPU, P50, RATE], in_flight),
    "tools": Curve(f"calls of echo beside tools of plugins, {IN_FLIGHT} in flight, one core", "tools known",
                   [1, 100, 1000, 10_000, 100_000], 100_000,
                   [CPU, RATE, Column("page_ms", "first page of tools/list, ms"), Column("start_ms", "start to ready, ms"),
                    Column("described_s", "first start, s"), Column("rss_mib", "memory, MiB")], tools),
    "sessions": Curve(f"calls of echo beside idle sessions, {IN_FLIGHT} in flight, one core", "idle sessions",
                      [1, 10, 100, 1000, 10_000, 100_000], 100_000,
                      [CPU, RATE, Column("open_us", "opening and ending one, µs"), Column("session_kib", "memory of one, KiB")], sessions),
    "tenants": Curve(f"calls of one tenant, {IN_FLIGHT} in flight, one core", "tenants", [1, 10, 100, 1000, 10_000], 10_000,
                     [CPU, RATE, Column("start_ms", "start to ready, ms"), Column("rss_mib", "memory, MiB")], tenants),
    "size": Curve(f"calls of echo, {IN_FLIGHT} in flight, one core", "bytes of arguments",
                  [100, 400, 1600, 6400, 25_600, 102_400, 409_600, 1 << 20], 1 << 20,
                  [CPU, P50, Column("ns_per_byte", "CPU of a byte, ns"), RATE], sizes),
    "workers": Curve("calls that compute for 1 ms, 64 in flight, all cores", "workers", [1, 2, 4, 8, 16, 32, 64], 64,
                     [Column("cpu_us", "CPU of the daemon for a call, µs"), RATE,
                      Column("worker_mib", "memory of one, MiB")], workers),
}


# ---- what is shown

def show(curve, rows, found):
    def cell(value):
        return "-" if value is None else measure.figure(value)

    widths = [max(len(column.title), 9) for column in curve.columns]
    print(f"\n{curve.title}\n  {curve.x_title:>18}" + "".join(f"  {c.title:>{w}}" for c, w in zip(curve.columns, widths)))
    for row in rows:
        print(f"  {row['x']:18,}" + "".join(f"  {cell(row.get(c.key)):>{w}}" for c, w in zip(curve.columns, widths)))
    for column in curve.columns:
        one = found[column.key]
        print(f"  {column.title:32} slope {number(one['slope'])} {one['named']:18} end {number(one['slope_end'])} {one['named_end']}")
    sys.stdout.flush()


def number(value):
    return "    -" if value is None else f"{value:5.2f}"


def drawing(curve, rows):
    series = {c.title: [(row["x"], row[c.key]) for row in rows if row.get(c.key)] for c in curve.columns}
    return plot.curves(curve.title, curve.x_title, "", {name: points for name, points in series.items() if points})


def report(name, options):
    """Measures a curve, shows and saves it; true when its promises are kept."""
    curve = CURVES[name]
    rows = list(curve.measure(curve.chosen(options.quick), options))
    found = slopes(curve, rows)
    table = promises(curve, rows, found)
    if not options.json:
        show(curve, rows, found)
        table.show()
    measure.save(f"scale-{name}", {"title": curve.title, "x": curve.x_title, "quick": options.quick, "points": rows,
                                   "columns": {c.key: {"title": c.title, "cost": c.cost, **found[c.key]} for c in curve.columns},
                                   "promises": table.rows}, options, drawing(curve, rows))
    return table.good


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="CURVE", help=", ".join(CURVES) + " (all)")
    parser.add_argument("--quick", action="store_true", help="without the largest points")
    parser.add_argument("--runs", type=int, default=3, help="runs of wrk at each point, of which the median counts (3)")
    parser.add_argument("--seconds", type=int, default=1, help="of each run (1)")
    measure.add_options(parser)
    options = parser.parse_args()
    unknown = set(options.names) - set(CURVES)
    if unknown:
        parser.error(f"no curve {', '.join(sorted(unknown))}: there are {', '.join(CURVES)}")
    return options


def main():
    options = parse()
    good = [report(name, options) for name in options.names or CURVES]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
