"""A million calls through POST /mcp: does the daemon grow?

  ./dev soak [CALLS]

After the first tenth the daemon's resident memory may grow by at most 1 MiB, and its number of open
descriptors must be what it was."""

import pathlib
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests/integration"))
from harness import Daemon, wait_for  # noqa: E402
from wrk import Target, echo_call  # noqa: E402

STEP_SECONDS = 5
GROWTH_MAX = 1024  # KiB


def figures(daemon, fds_at_rest):
    """Memory and descriptors once the connections of the load are gone."""
    wait_for(lambda: daemon.fds() <= fds_at_rest, 10, "the end of the connections")
    return daemon.rss(), daemon.fds()


def main():
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with Daemon(plugins=["echo"], config={"log_calls_per_second": 0}) as daemon:
        target = Target(f"http://{daemon.address}/mcp", **echo_call(100))
        daemon.call("echo", {"text": "warm"})
        fds_at_rest = daemon.fds()
        calls, base = 0, None
        while calls < wanted:
            calls += target.load(64, STEP_SECONDS, place=[])["calls"]
            rss, fds = figures(daemon, fds_at_rest)
            if base is None and calls >= wanted / 10:
                base = rss, fds
            print(f"{calls:9} calls   {rss:7} KiB   {fds:3} descriptors", flush=True)
    growth = rss - base[0]
    print(f"after the first tenth: {growth:+} KiB, {fds - base[1]:+} descriptors")
    sys.exit(0 if growth <= GROWTH_MAX and fds == base[1] else 1)


if __name__ == "__main__":
    main()
