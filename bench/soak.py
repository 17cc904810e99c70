"""A million calls through POST /mcp: does the daemon grow?

  ./dev soak [CALLS] [--keep] [--json]

After the first tenth the daemon's resident memory may grow by at most 1 MiB, and its number of open
descriptors must be what it was."""

import argparse
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests/integration"))
from harness import Daemon, wait_for  # noqa: E402
from measure import add_options, save  # noqa: E402
from plot import curves  # noqa: E402
from wrk import Target, echo_call  # noqa: E402

STEP_SECONDS = 5
GROWTH_MAX = 1024  # KiB


def figures(daemon, fds_at_rest):
    """Memory and descriptors once the connections of the load are gone."""
    wait_for(lambda: daemon.fds() <= fds_at_rest, 10, "the end of the connections")
    return daemon.rss(), daemon.fds()


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("calls", nargs="?", type=int, default=1_000_000)
    add_options(parser)
    return parser.parse_args()


def load(daemon, wanted, out):
    """[{calls, rss_kib, fds}], after each few seconds of load."""
    target = Target(f"http://{daemon.address}/mcp", **echo_call(100))
    daemon.call("echo", {"text": "warm"})
    fds_at_rest, calls, rests = daemon.fds(), 0, []
    while calls < wanted:
        calls += target.load(64, STEP_SECONDS, place=[])["calls"]
        rss, fds = figures(daemon, fds_at_rest)
        rests.append({"calls": calls, "rss_kib": rss, "fds": fds})
        print(f"{calls:9} calls   {rss:7} KiB   {fds:3} descriptors", flush=True, file=out)
    return rests


def main():
    options = parse()
    out = sys.stderr if options.json else sys.stdout
    with Daemon(plugins=["echo"], config={"log_calls_per_second": 0}) as daemon:
        rests = load(daemon, options.calls, out)
    base = next(rest for rest in rests if rest["calls"] >= options.calls / 10)
    growth, fds = (rests[-1][what] - base[what] for what in ("rss_kib", "fds"))
    print(f"after the first tenth: {growth:+} KiB, {fds:+} descriptors", file=out)
    save("soak-calls", {"rests": rests, "growth_kib": growth, "growth_fds": fds}, options,
         curves("Calls of echo through POST /mcp", "calls", "", {
             name: [(rest["calls"], rest[key]) for rest in rests]
             for name, key in (("resident KiB", "rss_kib"), ("descriptors", "fds"))}))
    sys.exit(0 if growth <= GROWTH_MAX and fds == 0 else 1)


if __name__ == "__main__":
    main()
