"""Calls that ask an HTTP server through the daemon: what that costs beside asking it directly, and beside a proxy.

  ./dev bench broker [--runs N] [--seconds N] [--keep] [--json]

The tool http_get has no network: the daemon looks at the URL, asks for it, and gives the tool what came.  The server asked
is an nginx; it is also asked by the load generator itself, through another nginx as a proxy (what one more hop costs at
least), and by curl, 500 times over one connection.  All on one core.  A call is a request from the client, one frame to
the sandboxed process, one back that asks, a request to the server, and all the way back."""

import argparse
import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import compare
import measure
import plot
import servers
from compare import US, Case
from harness import Daemon
from wrk import ONE_CORE, mcp_call

CASES = [Case("many", "64 in flight", 0, 64), Case("one", "1 in flight", 0, 1)]
PAGE = "x" * 512
PAGES = """daemon off; worker_processes 1; pid {dir}/nginx.pid; error_log {dir}/error.log;
events {{ worker_connections 1024; }}
http {{
  access_log off; keepalive_requests 1000000000; client_body_temp_path {dir}/a; proxy_temp_path {dir}/b;
  fastcgi_temp_path {dir}/c; uwsgi_temp_path {dir}/d; scgi_temp_path {dir}/e; default_type text/plain;
  {body}
}}
"""
PROXY = """upstream pages {{ server 127.0.0.1:{to}; keepalive 64; keepalive_requests 1000000000; }}
  server {{ listen 127.0.0.1:{port}; location / {{ proxy_pass http://pages; proxy_http_version 1.1; proxy_set_header Connection ""; }} }}"""
CURL_TIMES = 500


@contextlib.contextmanager
def pages(body, port):
    with tempfile.TemporaryDirectory(prefix="toolhost-bench.") as folder:
        os.chmod(folder, 0o755)
        config = pathlib.Path(folder, "nginx.conf")
        config.write_text(PAGES.format(dir=folder, body=body))
        program = shutil.which("nginx") or "/usr/sbin/nginx"
        command = [*ONE_CORE, program, "-p", folder, "-c", config, "-e", f"{folder}/error.log"]
        with servers.started(command, port, "nginx") as process:
            yield process.pid


def asked_directly(port, pid):
    url = f"http://127.0.0.1:{port}/page"
    return servers.Served(url, pid, expect=False, ask=lambda size: {"url": url, "headers": {}, "body": ""})


def through_us(daemon, page):
    call = mcp_call("http_get", {"url": page})
    return servers.Served(f"http://{daemon.address}/mcp", daemon.pid, expect=False,
                          ask=lambda size: {"url": f"http://{daemon.address}/mcp", **call})


def curl(url):
    """Microseconds of one request of curl's, of many over one connection."""
    with servers.one_core():
        done = subprocess.run(["curl", "-s", "-o", "/dev/null", "-w", "%{http_code} %{time_total}\n", f"{url}?[1-{CURL_TIMES}]"],
                              capture_output=True, text=True, check=True)
    times = re.findall(r"^200 ([\d.]+)$", done.stdout, re.M)
    assert len(times) == CURL_TIMES, done.stdout[:300]
    return [float(time) * 1e6 for time in times]


def check_page(daemon, page):
    """What the tool gives is the page."""
    outcome = daemon.call("http_get", {"url": page})
    assert outcome.ok and PAGE in outcome.text and outcome.structured["status"] == 200, outcome


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    compare.add_options(parser, CASES)
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        port, proxy = servers.free_port(), servers.free_port()
        body = f"server {{ listen 127.0.0.1:{port}; location / {{ return 200 '{PAGE}'; }} }}"
        asked = asked_directly(port, stack.enter_context(pages(body, port)))
        hop = asked_directly(proxy, stack.enter_context(pages(PROXY.format(to=port, port=proxy), proxy)))
        policy = {"permissions": {"http": [{"url": f"http://127.0.0.1:{port}/*", "private": True}]}, "limits": {"http_open": 64}}
        with servers.one_core():
            daemon = stack.enter_context(Daemon(plugins=["http_get"], policies={"http_get": policy}, config=servers.QUIET))
        check_page(daemon, asked.url)
        served = {"nginx": asked, "nginx as a proxy": hop, US: through_us(daemon, asked.url)}
        cases = compare.run_cases(served, CASES, options)
        times = curl(asked.url)
    beside = {name: measure.percentile(times, part) for name, part in (("p50_us", 0.5), ("p99_us", 0.99))}
    if not options.json:
        print(f"\ncurl, {CURL_TIMES} requests over one connection: p50 {beside['p50_us']:.0f} µs, p99 {beside['p99_us']:.0f} µs")
        if "many" in cases:
            to_proxy = cases["many"][US]["rate"]["median"] / cases["many"]["nginx as a proxy"]["rate"]["median"]
            print(f"toolhostd ÷ nginx as a proxy, 64 in flight: {to_proxy:.2f}")
    figures = {"cases": cases, "curl": beside, "versions": {"curl": measure.first_line("curl", "--version")}}
    picture = plot.bars("A page through http_get, 64 in flight, one core: calls per second ÷ asking nginx", compare.rows(cases["many"]),
                        "×", [US]) if "many" in cases else None
    measure.save("broker", figures, options, picture)


if __name__ == "__main__":
    main()
