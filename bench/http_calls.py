"""tools/call over HTTP: toolhostd beside nginx `return 200` and beside servers on other people's MCP packages.

  ./dev bench http [--runs N] [--seconds N] [--only NAME…] [--no-peers] [--keep] [--json]

The same request of 2026-07-28 for all (but that version 1 of the TypeScript SDK is told 2025-11-25 in a header, the newest
it knows), the same load generator, and one core that server, worker processes and load generator share.  toolhostd checks
the arguments against the tool's schema and runs the tool in a sandboxed process; nginx looks at nothing; the others run
the tool in their own process.  Every server must have given the right answer before it is measured, and answers of that
length under load.  What counts is ratios: runs are short and alternate."""

import argparse
import contextlib
import sys
import time

import measure
import peers
import plot
import servers
from measure import Promises

CASES = [  # name, title, bytes of the argument, connections
    ("many", "64 in flight", 2, 64),
    ("one", "1 in flight", 2, 1),
    ("large", "64 in flight, 20 KB of arguments", 20_000, 64),
]
US = "toolhostd"


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=1, help="of one run (default 1)")
    parser.add_argument("--runs", type=int, default=11, help="of each server in each case (default 11)")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="of the servers beside nginx and toolhostd these alone")
    parser.add_argument("--case", choices=[case[0] for case in CASES], nargs="+", help="these cases alone")
    parser.add_argument("--no-peers", action="store_true", help="no servers of others: nothing is installed or built")
    measure.add_options(parser)
    return parser.parse_args()


def candidates(options):
    """{name: how it is started}, nginx and toolhostd first."""
    found = {"nginx": servers.nginx, **servers.OURS}
    if not options.no_peers:
        found.update({one.title: lambda one=one: servers.peer(one) for one in peers.ALL})
    if options.only:
        found = {name: start for name, start in found.items()
                 if name in ("nginx", US) or any(word.lower() in name.lower() for word in options.only)}
    return found


def start_all(stack, options):
    """What runs now, and {name: why} of what can't be had."""
    served, missing = {}, {}
    for name, start in candidates(options).items():
        try:
            served[name] = stack.enter_context(start())
        except peers.Missing as why:
            missing[name] = str(why)
            print(f"skipped: {name}: {why}", file=sys.stderr, flush=True)
    return served, missing


def run_of(served, target, case, seconds):
    _, _, size, connections = case

    def run():
        with contextlib.closing(served.target(size)) if served.renew else contextlib.nullcontext(target) as asked:
            before = served.cpu_seconds()
            result = asked.load(connections, seconds)
        result["cpu_us"] = (served.cpu_seconds() - before) * 1e6 / result["calls"]
        return result
    return run


def measure_case(served, case, options):
    _, title, size, connections = case
    with contextlib.ExitStack() as stack:
        sides = {}
        for name, server in served.items():
            target = stack.enter_context(contextlib.closing(server.target(size)))
            target.load(connections, 1)  # warm: compilers of others have seen it
            sides[name] = run_of(server, target, case, options.seconds)
        runs = measure.alternate(sides, options.runs, settle=lambda: time.sleep(0.05))
    return {name: summary(name, runs) for name in served}


def summary(name, runs):
    mine, nginx, us = runs[name], runs["nginx"], runs[US]
    rates = [run["rate"] for run in mine]
    found = {what: measure.spread([run[what] for run in mine]) for what in ("rate", "p50_us", "p99_us", "cpu_us")}
    found["to_nginx"] = measure.ratios(rates, [run["rate"] for run in nginx])
    found["p50_over_nginx_us"] = measure.differences([run["p50_us"] for run in mine], [run["p50_us"] for run in nginx])
    found["toolhostd_to_it"] = measure.ratios([run["rate"] for run in us], rates)
    return found


def show(case, results):
    print(f"\n{case[1]}")
    print(f"  {'':34} {'calls/s':>9} {'p50 µs':>8} {'p99 µs':>8} {'CPU µs':>7}  {'÷ nginx':>7} {'(middle half)':>15} {'toolhostd ÷ it':>15}")
    for name, found in results.items():
        ratio = found["to_nginx"]
        print(f"  {name:34} {found['rate']['median']:9,.0f} {found['p50_us']['median']:8,.0f} {found['p99_us']['median']:8,.0f} "
              f"{found['cpu_us']['median']:7.1f}  {ratio['median']:7.3f} {ratio['low']:7.3f}–{ratio['high']:.3f}  "
              f"{found['toolhostd_to_it']['median']:13.2f}")
    sys.stdout.flush()


def promises(cases, missing):
    table = Promises()

    def value(case, name, what):
        return cases[case][name][what]["median"] if case in cases and name in cases[case] else None

    table.at_least("calls/s beside nginx, 64 in flight, one core", 0.8, value("many", US, "to_nginx"), "×")
    table.at_most("p50 over that of nginx, 1 in flight", 15, value("one", US, "p50_over_nginx_us"), "µs")
    table.at_least("calls/s beside nginx, 20 KB of arguments", 0.35, value("large", US, "to_nginx"), "×")
    for one in peers.ALL:
        bound = 40 if one.name == "typescript-sdk-1" else 1.5
        table.at_least(f"calls/s beside {one.title} {one.version}, 64 in flight", bound,
                       value("many", one.title, "toolhostd_to_it"), "×")
    return table


def drawing(cases):
    rows = [(name, *(found["to_nginx"][what] for what in ("median", "low", "high"))) for name, found in cases["many"].items()]
    rows.sort(key=lambda row: -row[1])
    return plot.bars("tools/call echo, 64 in flight, one core: calls per second ÷ nginx `return 200`", rows, "×",
                     [name for name, *_ in rows if name.startswith(US)])


def main():
    options = parse()
    cases = {}
    with contextlib.ExitStack() as stack:
        served, missing = start_all(stack, options)
        for case in CASES:
            if not options.case or case[0] in options.case:
                cases[case[0]] = measure_case(served, case, options)
                if not options.json:
                    show(case, cases[case[0]])
    table = promises(cases, missing)
    figures = {"cases": cases, "missing": missing, "promises": table.rows,
               "versions": {"nginx": measure.first_line("/usr/sbin/nginx", "-v"), **{one.title: one.version for one in peers.ALL}}}
    if not options.json:
        table.show()
        if missing:
            print(f"  {len(missing)} servers were skipped: " + "; ".join(f"{name} ({why})" for name, why in missing.items()))
    measure.save("http", figures, options, drawing(cases) if "many" in cases else None)
    sys.exit(0 if table.good else 1)


if __name__ == "__main__":
    main()
