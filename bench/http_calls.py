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

import compare
import measure
import peers
import plot
import servers
from compare import US, Case
from measure import Promises

CASES = [
    Case("many", "64 in flight", 2, 64),
    Case("one", "1 in flight", 2, 1),
    Case("large", "64 in flight, 20 KB of arguments", 20_000, 64),
]


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="of the servers beside nginx and toolhostd these alone")
    parser.add_argument("--no-peers", action="store_true", help="no servers of others: nothing is installed or built")
    compare.add_options(parser, CASES)
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


def promises(cases):
    table = Promises()

    table.at_least("calls/s beside nginx, 64 in flight, one core", 0.8, compare.middle(cases, "many", US, "to_reference"), "×")
    table.at_most("p50 over that of nginx, 1 in flight", 15, compare.middle(cases, "one", US, "p50_over_reference_us"), "µs")
    table.at_least("calls/s beside nginx, 20 KB of arguments", 0.35, compare.middle(cases, "large", US, "to_reference"), "×")
    for one in peers.ALL:
        bound = 40 if one.name == "typescript-sdk-1" else 1.5
        table.at_least(f"calls/s beside {one.title} {one.version}, 64 in flight", bound,
                       compare.middle(cases, "many", one.title, "us_to_it"), "×")
    return table


def drawing(cases):
    rows = compare.rows(cases["many"])
    return plot.bars("tools/call echo, 64 in flight, one core: calls per second ÷ nginx `return 200`", rows, "×",
                     [name for name, *_ in rows if name.startswith(US)])


def main():
    options = parse()
    with contextlib.ExitStack() as stack:
        served, missing = start_all(stack, options)
        cases = compare.run_cases(served, CASES, options)
    table = promises(cases)
    nginx = (measure.first_line("/usr/sbin/nginx", "-v") or "?").rpartition("/")[2]
    figures = {"cases": cases, "missing": missing, "promises": table.rows,
               "versions": {"nginx": nginx, **{one.title: one.version for one in peers.ALL}}}
    if not options.json:
        table.show()
        if missing:
            print(f"  {len(missing)} servers were skipped: " + "; ".join(f"{name} ({why})" for name, why in missing.items()))
    measure.save("http", figures, options, drawing(cases) if "many" in cases else None)
    sys.exit(0 if table.good else 1)


if __name__ == "__main__":
    main()
