"""What a durable call costs: claimed and ended, each told when it is on the disk.

  ./dev bench store [--runs N] [--seconds N] [--keep] [--json]

Our store beside SQLite called directly, in one thread, with the same tables and transactions of the same size; with 1, 8 and
64 calls at the same time.  An act is a claim or a result, two make a call.  What the disk does is told besides: how often a
second 4 KiB are written and synced.  The files are in the build folder."""

import argparse
import json
import subprocess
import sys

import measure
import plot

PROGRAM = measure.BUILD / "bench/store_bench"
AT_ONCE = (1, 8, 64)
OURS, LIMIT = "store", "sqlite"


def run_of(side, at_once, seconds):
    def run():
        command = [PROGRAM, side, measure.BUILD, str(at_once), str(seconds)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{side} with {at_once} calls at once: exit status {done.returncode}")
        return json.loads(done.stdout)
    return run


def measure_case(at_once, options):
    runs = measure.alternate({side: run_of(side, at_once, options.seconds) for side in (OURS, LIMIT, "disk")}, options.runs)
    rates = {side: [run["rate"] for run in found] for side, found in runs.items()}
    return {"calls": measure.spread(rates[OURS]), "sqlite_calls": measure.spread(rates[LIMIT]), "syncs": measure.spread(rates["disk"]),
            "to_sqlite": measure.ratios(rates[OURS], rates[LIMIT]),
            **{what: measure.spread([run[what] for run in runs[OURS]]) for what in ("commits", "p50_us", "p99_us")}}


def rows(cases):
    """As people read them: what docs/performance.md has, too."""
    head = ["calls at once", "calls/s", "commits/s", "p50 of an act, µs", "p99, µs", "SQLite, calls/s", "4 KiB synced/s", "÷ SQLite"]
    lines = []
    for at_once, found in cases.items():
        ratio = found["to_sqlite"]
        lines.append([str(at_once), *(f"{found[what]['median']:,.0f}" for what in ("calls", "commits", "p50_us", "p99_us", "sqlite_calls", "syncs")),
                      f"{ratio['median']:.2f} ({ratio['low']:.2f}–{ratio['high']:.2f})"])
    return head, lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1, help="of one run (default 1)")
    parser.add_argument("--runs", type=int, default=7, help="of each side in each case (default 7)")
    measure.add_options(parser)
    options = parser.parse_args()
    cases = {}
    for at_once in AT_ONCE:
        cases[at_once] = measure_case(at_once, options)
        if not options.json:
            head, lines = rows(cases)
            if at_once == AT_ONCE[0]:
                print("  ".join(f"{title:>17}" for title in head))
            print("  ".join(f"{cell:>17}" for cell in lines[-1]), flush=True)
    bars = [(f"{at_once} at once", *(found["to_sqlite"][part] for part in ("median", "low", "high"))) for at_once, found in cases.items()]
    measure.save("store", {"at_once": cases}, options, plot.bars("Durable calls per second ÷ SQLite called directly", bars, "×"))


if __name__ == "__main__":
    main()
