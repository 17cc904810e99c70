"""toolhostd beside nginx `return 200`, both on one core with the load.

  ./dev bench [--seconds N] [--runs N] [--json]

`tools/call echo` over POST /mcp (2026-07-28), schema checked, run in a sandboxed worker, against an nginx
that answers the same requests without looking at them.  Runs are short and alternate, so that both are
measured in the same weather: what counts is the median of the ratios of each pair.  The figures of different
machines can't be compared, the ratios can."""

import argparse
import contextlib
import json
import os
import pathlib
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "integration"))
from harness import Daemon  # noqa: E402

ONE_CORE = ["taskset", "-c", "0"]
# name, bytes of the argument, connections, what is compared, what is expected of it
CASES = [
    ("64 connections", 2, 64, "calls/s", 0.7),
    ("1 connection", 2, 1, "p50", None),
    ("64 connections, 20 KB", 20_000, 64, "calls/s", None),
]
CONFIG = """daemon off; worker_processes 1; pid {dir}/nginx.pid; error_log {dir}/error.log;
events {{ worker_connections 1024; }}
http {{
  access_log off; keepalive_requests 1000000000; client_max_body_size 2m; client_body_buffer_size 64k;
  client_body_temp_path {dir}/a; proxy_temp_path {dir}/b; fastcgi_temp_path {dir}/c; uwsgi_temp_path {dir}/d;
  scgi_temp_path {dir}/e;
  server {{ listen 127.0.0.1:{port}; location / {{ return 200 "ok"; }} }}
}}
"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def accepts(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


@contextlib.contextmanager
def nginx():
    program = shutil.which("nginx") or "/usr/sbin/nginx"
    with tempfile.TemporaryDirectory(prefix="toolhost-bench.") as folder:
        os.chmod(folder, 0o755)
        port = free_port()
        config = pathlib.Path(folder, "nginx.conf")
        config.write_text(CONFIG.format(dir=folder, port=port))
        process = subprocess.Popen([*ONE_CORE, program, "-p", folder, "-c", config, "-e", f"{folder}/error.log"])
        try:
            while not accepts(port):
                if process.poll() is not None:
                    sys.exit("nginx did not start")
                time.sleep(0.02)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            process.terminate()
            process.wait()


def load(url, size, connections, seconds):
    done = subprocess.run([*ONE_CORE, "wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", HERE / "echo.lua", url],
                          capture_output=True, text=True, env={**os.environ, "BENCH_BYTES": str(size)}, check=True)
    result = json.loads(done.stdout.strip().splitlines()[-1])
    if result["refused"] or result["broken"]:
        sys.exit(f"{url}: {result['refused']} answers were no 200, {result['broken']} connections broke")
    result["rate"] = result["calls"] / result["seconds"]
    return result


def median(runs, what):
    return statistics.median(run[what] for run in runs)


def measure(urls, case, seconds, runs):
    _, size, connections, _, _ = case
    results = {name: [] for name in urls}
    for _ in range(runs):
        for name, url in urls.items():
            results[name].append(load(url, size, connections, seconds))
    ratios = sorted(ours["rate"] / theirs["rate"] for ours, theirs in zip(results["toolhostd"], results["nginx"]))
    report = {name: {what: median(r, what) for what in ("rate", "p50_us", "p99_us")} for name, r in results.items()}
    return {**report, "ratio": statistics.median(ratios), "ratios": ratios}


def show(case, result):
    name, _, _, what, expected = case
    print(f"\n{name}")
    print(f"  {'':10} {'calls/s':>10} {'p50 µs':>9} {'p99 µs':>9}")
    for server in ("nginx", "toolhostd"):
        r = result[server]
        print(f"  {server:10} {r['rate']:10.0f} {r['p50_us']:9.0f} {r['p99_us']:9.0f}")
    ratio, pairs = result["ratio"], result["ratios"]
    print(f"  toolhostd / nginx: {ratio:.2f} of the calls/s ({pairs[0]:.2f} to {pairs[-1]:.2f} in {len(pairs)} pairs), "
          f"{result['toolhostd']['p50_us'] - result['nginx']['p50_us']:+.0f} µs at p50", end="")
    print(f"  (expected: at least {expected})" if expected else "")
    return expected is None or ratio >= expected


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=1, help="of one run (default 1)")
    parser.add_argument("--runs", type=int, default=15, help="of each server in each case (default 15)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    options = parser.parse_args()

    os.sched_setaffinity(0, {0})  # and so of everything started from here
    report, good = {}, True
    quiet = {"log_calls_per_second": 0}  # nginx logs none either
    with nginx() as beside, Daemon(plugins=["echo"], config=quiet) as daemon:
        urls = {"nginx": beside, "toolhostd": f"http://{daemon.address}/mcp"}
        for url in urls.values():
            load(url, 2, 64, 1)  # warm
        for case in CASES:
            report[case[0]] = measure(urls, case, options.seconds, options.runs)
            if not options.json:
                good = show(case, report[case[0]]) and good
    if options.json:
        print(json.dumps(report, indent=2))
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
