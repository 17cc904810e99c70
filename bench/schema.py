"""Our JSON reader and schema engine beside node: JSON.parse, and ajv as the MCP TypeScript SDK sets it.

  ./dev bench schema [--rounds N] [--batch MS] [--keep] [--json] [--bombs]

Five documents of tool calls, 64 copies of each.  Both sides run on one core, never at the same time, by
turns; the p10 of the batches counts, and between what the ratios of the middle half of the rounds lie is told with it.
What is asked is asked of ratios: the figures of different machines can't be compared.  --bombs: what schemas and values
made to be costly take instead."""

import argparse
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys

import measure
import plot

HERE = pathlib.Path(__file__).parent
CORE = os.environ.get("BENCH_CORE", max(os.sched_getaffinity(0)))
DOCUMENTS = ["t1", "t2", "t3", "t4", "t5"]
# what is measured, and what of it node does too
OURS = ["valid", "invalid", "report", "parse", "both", "compile"]
THEIRS = ["valid", "invalid", "parse", "both", "compile"]
# ratio, the floor of its geometric mean, of each document
FLOORS = [("valid", 3.0, 1.5), ("both", 4.0, None), ("compile", 20.0, None)]
PICTURED = ("valid", "both")
TITLES = {"valid": "validate, valid", "invalid": "validate, invalid", "report": "  and say why", "parse": "parse",
          "both": "parse and validate", "compile": "compile"}
PATTERN_MS, LOAD_MS = 10, 50


class Side:
    """One of the two programs, which waits for orders."""

    def __init__(self, *command):
        self.process = subprocess.Popen(["taskset", "-c", str(CORE), *map(str, command)], text=True, bufsize=1,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def run(self, what, document, milliseconds):
        self.process.stdin.write(f"{what} {document} {milliseconds}\n")
        answer = self.process.stdout.readline().split()
        if len(answer) != 2:
            sys.exit(f"{self.process.args[3]}: no answer to {what} {document}")
        return [float(word) if word != "-" else 0.0 for word in answer]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def data():
    folder = pathlib.Path(os.environ.get("TOOLHOST_TEST_DATA", ""), "schema-bench")
    if not (folder / "t1.schema.json").exists():
        sys.exit(f"the documents of the bench are not in {folder}: TOOLHOST_TEST_DATA names the folder around it")
    return folder


def p10(batches):
    return sorted(batches)[len(batches) // 10]


def geomean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def take_turns(ours, theirs, rounds, batch):
    """{document: {"ours": {what: ns}, "theirs": …, "rounds": {what: the ratios of the rounds}, "allocations": {what: a call}}}"""
    jobs = [(document, what) for document in DOCUMENTS for what in OURS]
    seen = {job: ([], [], []) for job in jobs}
    for document, what in jobs:  # warm: node compiles what is hot
        ours.run(what, document, 5)
        if what in THEIRS:
            theirs.run(what, document, 300 if what == "compile" else 150)
    for number in range(rounds):
        for document, what in jobs:
            us, them, allocations = seen[document, what]
            for turn in ((0, 1) if number % 2 == 0 else (1, 0)):
                if turn == 0:
                    ns, count = ours.run(what, document, batch)
                    us.append(ns)
                    allocations.append(count)
                elif what in THEIRS:
                    them.append(theirs.run(what, document, batch)[0])
    result = {document: {"ours": {}, "theirs": {}, "rounds": {}, "allocations": {}} for document in DOCUMENTS}
    for (document, what), (us, them, allocations) in seen.items():
        result[document]["ours"][what] = p10(us)
        result[document]["allocations"][what] = max(allocations)
        if them:
            result[document]["theirs"][what] = p10(them)
            result[document]["rounds"][what] = measure.ratios(them, us)
    return result


def ratios(result, what):
    return [result[document]["theirs"][what] / result[document]["ours"][what] for document in DOCUMENTS]


def judge(result):
    promises = measure.Promises()
    for what, mean, each in FLOORS:
        found = ratios(result, what)
        promises.at_least(f"{TITLES[what]}: beside node, geometric mean", mean, geomean(found), "×")
        if each:
            promises.at_least(f"{TITLES[what]}: beside node, the least of the documents", each, min(found), "×")
    count = sum(result[document]["allocations"][what] for document in DOCUMENTS for what in ("valid", "both"))
    promises.at_most("allocations of a call that is valid", 0, count)
    return promises


def rows(result):
    """As people read them: what docs/performance.md has, too."""
    head = ["ns for one document", "", *(name.upper() for name in DOCUMENTS), "geomean"]
    lines = []
    for what in OURS:
        found = ratios(result, what) if what in THEIRS else [result[d]["theirs"]["invalid"] / result[d]["ours"][what] for d in DOCUMENTS]
        lines.append([TITLES[what], "toolhost", *(f"{result[d]['ours'][what]:.0f}" for d in DOCUMENTS), ""])
        if what in THEIRS:
            lines.append(["", "node", *(f"{result[d]['theirs'][what]:.0f}" for d in DOCUMENTS), ""])
        lines.append(["", "ratio", *(f"{ratio:.2f}" for ratio in found), f"{geomean(found):.2f}"])
    for title, what in (("malloc, a valid call", "valid"), ("malloc, parse and validate", "both")):
        lines.append([title, "toolhost", *(f"{result[d]['allocations'][what]:g}" for d in DOCUMENTS), ""])
    return head, lines


def show(result):
    head, lines = rows(result)
    for title, side, *cells in [head, *lines]:
        print(f"{title:26} {side:9}" + "".join(f"{cell:>10}" for cell in cells))


def picture(result):
    rows = [(f"{TITLES[what]}, {document.upper()}", result[document]["theirs"][what] / result[document]["ours"][what],
             result[document]["rounds"][what]["low"], result[document]["rounds"][what]["high"])
            for what in PICTURED for document in DOCUMENTS]
    return plot.bars("JSON read and checked on one core: time of node ÷ ours", rows, "×")


def ajv():
    package = pathlib.Path(os.environ.get("TOOLHOST_CLIENTS", ""), "node_modules/ajv/package.json")
    return json.loads(package.read_text())["version"] if package.exists() else None


def compare(program, options):
    node = shutil.which(os.environ.get("TOOLHOST_NODE", "node"))
    if not node:
        sys.exit("there is no node")
    folder = data()
    ours = Side(program, folder)
    theirs = Side(node, HERE / "schema_bench.mjs", folder)
    result = take_turns(ours, theirs, options.rounds, options.batch)
    ours.close()
    theirs.close()
    promises = judge(result)
    if not options.json:
        show(result)
        promises.show()
    measure.save("schema", {"documents": result, "promises": promises.rows, "versions": {"node": measure.first_line(node, "--version"), "ajv": ajv()}},
                 options, picture(result))
    return promises.good


def bombs(program, options):
    """Each case several times, the least counts: it is a bound on work that is asked for, not on the machine."""
    best = {}
    for _ in range(3):
        done = subprocess.run(["taskset", "-c", str(CORE), program, "--bombs"], capture_output=True, text=True, check=True)
        for line in done.stdout.splitlines():
            pattern, load, check, outcome, name = line.split("\t", 4)
            case = best.setdefault(name, {"pattern": pattern == "1", "load_ms": 1e9, "check_ms": 1e9, "outcome": outcome})
            case["load_ms"] = min(case["load_ms"], float(load))
            case["check_ms"] = min(case["check_ms"], float(check))
    for case in best.values():
        case["met"] = (case["load_ms"] < LOAD_MS and (not case["pattern"] or case["check_ms"] < PATTERN_MS)
                       and case["outcome"] != "broken")
    if options.json:
        print(json.dumps(best, indent=2))
    else:
        print(f"{'':8}{'load ms':>9}{'check ms':>9}  outcome")
        for name, case in best.items():
            print(f"{'met' if case['met'] else 'NOT MET':8}{case['load_ms']:9.2f}{case['check_ms']:9.2f}  "
                  f"{case['outcome']:11} {name[:80]}")
        print(f"\nasked for: load < {LOAD_MS} ms, a pattern on 100 kB < {PATTERN_MS} ms")
    return all(case["met"] for case in best.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20, help="of both sides (default 20)")
    parser.add_argument("--batch", type=int, default=20, help="milliseconds of one batch (default 20)")
    measure.add_options(parser)
    parser.add_argument("--bombs", action="store_true", help="the costly cases, not the comparison")
    options = parser.parse_args()
    program = os.environ["TOOLHOST_SCHEMA_BENCH"]
    sys.exit(0 if (bombs if options.bombs else compare)(program, options) else 1)


if __name__ == "__main__":
    main()
