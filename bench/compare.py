"""Servers beside each other under the load of wrk, case by case: rates, times, processor time, ratios to one of them."""

import contextlib
import sys
import time

import measure

US = "toolhostd"


class Case:
    def __init__(self, name, title, size, connections):
        self.name, self.title, self.size, self.connections = name, title, size, connections


def run_of(served, target, case, seconds):
    def run():
        with contextlib.closing(served.target(case.size)) if served.renew else contextlib.nullcontext(target) as asked:
            before = served.cpu_seconds()
            result = asked.load(case.connections, seconds)
        result["cpu_us"] = (served.cpu_seconds() - before) * 1e6 / result["calls"]
        return result
    return run


def run_case(served, case, options, beside="nginx"):
    """{name: its figures}: medians and middle halves of what is measured, and of the ratios of runs beside each other."""
    with contextlib.ExitStack() as stack:
        sides = {}
        for name, server in served.items():
            target = stack.enter_context(contextlib.closing(server.target(case.size)))
            target.verify(case.connections)
            sides[name] = run_of(server, target, case, options.seconds)
        runs = measure.alternate(sides, options.runs, settle=lambda: time.sleep(0.05))
    return {name: summary(runs, name, beside) for name in served}


def summary(runs, name, beside):
    mine, reference, us = runs[name], runs[beside], runs[US]
    rates = [run["rate"] for run in mine]
    found = {what: measure.spread([run[what] for run in mine]) for what in ("rate", "p50_us", "p99_us", "cpu_us")}
    found["to_reference"] = measure.ratios(rates, [run["rate"] for run in reference])
    found["p50_over_reference_us"] = measure.differences([run["p50_us"] for run in mine], [run["p50_us"] for run in reference])
    found["us_to_it"] = measure.ratios([run["rate"] for run in us], rates)
    return found


def show(case, results, beside="nginx"):
    print(f"\n{case.title}")
    print(f"  {'':34} {'calls/s':>9} {'p50 µs':>8} {'p99 µs':>8} {'CPU µs':>7}  {'÷ ' + beside:>14} {'(middle half)':>15}"
          f" {US + ' ÷ it':>15}")
    for name, found in results.items():
        ratio = found["to_reference"]
        print(f"  {name:34} {found['rate']['median']:9,.0f} {found['p50_us']['median']:8,.0f} {found['p99_us']['median']:8,.0f} "
              f"{found['cpu_us']['median']:7.1f}  {ratio['median']:14.3f} {ratio['low']:9.3f}–{ratio['high']:.3f}  "
              f"{found['us_to_it']['median']:13.2f}")
    sys.stdout.flush()


def middle(cases, case, name, what):
    """The median, or None when it was not measured."""
    return cases[case][name][what]["median"] if case in cases and name in cases[case] else None


def rows(results, what="to_reference"):
    """For plot.bars, largest first."""
    found = [(name, *(figures[what][part] for part in ("median", "low", "high"))) for name, figures in results.items()]
    return sorted(found, key=lambda row: -row[1])


def add_options(parser, cases):
    parser.add_argument("--seconds", type=int, default=1, help="of one run (default 1)")
    parser.add_argument("--runs", type=int, default=11, help="of each server in each case (default 11)")
    parser.add_argument("--case", choices=[case.name for case in cases], nargs="+", help="these cases alone")
    measure.add_options(parser)


def run_cases(served, cases, options, beside="nginx"):
    found = {}
    for case in cases:
        if not options.case or case.name in options.case:
            found[case.name] = run_case(served, case, options, beside)
            if not options.json:
                show(case, found[case.name], beside)
    return found
