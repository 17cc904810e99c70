"""What the benches share: sides that are measured by turns, medians with their spread, ratios, results that are kept.

A side is a name and a function that measures it once.  Runs are short and alternate, so that all sides are measured in the
same weather: what counts is the median of the ratios of the runs of one round."""

import datetime
import json
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
SOURCE = HERE.parent
BUILD = pathlib.Path(os.environ.get("TOOLHOST_BUILD", SOURCE / "build"))
RESULTS = HERE / "results"

sys.path.insert(0, str(SOURCE / "tests/integration"))


def alternate(sides, runs, settle=None):
    """{side: [what each of its runs gave]}; every other round goes backwards.  settle() is called after each run."""
    found = {name: [] for name in sides}
    for number in range(runs):
        order = list(sides) if number % 2 == 0 else list(reversed(list(sides)))
        for name in order:
            found[name].append(sides[name]())
            if settle:
                settle()
    return found


def spread(values):
    """The median, and between what the middle half lies."""
    values = sorted(values)
    low, _, high = statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else values * 3
    return {"median": statistics.median(values), "low": low, "high": high, "runs": len(values)}


def ratios(ours, theirs):
    """What each run is to the run beside it."""
    return spread([a / b for a, b in zip(ours, theirs)])


def differences(ours, theirs):
    return spread([a - b for a, b in zip(ours, theirs)])


def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


# ---- what a promise is held against

class Promises:
    """Rows of a table: what was promised, what was measured, whether it is kept."""

    def __init__(self):
        self.rows = []

    def at_least(self, what, bound, value, unit=""):
        self._add(what, "≥", bound, value, unit, value is not None and value >= bound)

    def at_most(self, what, bound, value, unit=""):
        self._add(what, "≤", bound, value, unit, value is not None and value <= bound)

    def _add(self, what, sign, bound, value, unit, kept):
        state = "skipped" if value is None else "kept" if kept else "missed"
        self.rows.append({"what": what, "sign": sign, "bound": bound, "measured": value, "unit": unit, "state": state})

    @property
    def good(self):
        return all(row["state"] != "missed" for row in self.rows)

    def show(self):
        print("\nPromises")
        for row in self.rows:
            measured = "-" if row["measured"] is None else figure(row["measured"])
            print(f"  {row['state']:8} {row['what']:66} {row['sign']} {figure(row['bound']):>6} {row['unit']:4} measured {measured}")
        counts = {state: sum(row["state"] == state for row in self.rows) for state in ("kept", "missed", "skipped")}
        print("  " + ", ".join(f"{count} {state}" for state, count in counts.items()))


def figure(value):
    """Three digits that say something."""
    if value == 0 or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


# ---- the machine, the versions, what is kept

def first_line(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return None
    text = (done.stdout + done.stderr).strip()
    return text.splitlines()[0] if text else None


def processor():
    found = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    return found[1] if found else platform.machine()


def environment():
    return {"date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%MZ"),
            "processor": processor(), "processors": os.cpu_count(), "kernel": platform.release(),
            "system": platform.freedesktop_os_release().get("PRETTY_NAME", ""), "load": os.getloadavg()[0],
            "toolhost": first_line("git", "-C", str(SOURCE), "describe", "--always", "--dirty") or "a release"}


def add_options(parser):
    parser.add_argument("--keep", action="store_true",
                        help="write the results to bench/results, where the documentation takes them from, not to the build")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")


def save(name, figures, options, drawing=None):
    """The figures of one bench, and their picture, in the folder of results; prints where."""
    folder = RESULTS if options.keep else BUILD / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    report = {"bench": name, "environment": environment(), **figures}
    target = folder / f"{name}.json"
    target.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    if drawing:
        target.with_suffix(".svg").write_text(drawing)
    if options.json:
        print(json.dumps(report, indent=1, ensure_ascii=False))
    else:
        print(f"\nwritten: {os.path.relpath(target)}" + (" and its .svg" if drawing else ""))
