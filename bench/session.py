"""What conversations cost: opening and ending them, calls in them, and how soon an interruption is felt.

  ./dev bench session [--runs N] [--seconds N] [--keep] [--json]

Calls of echo over plain HTTP in 64 sessions, each with an id that is written in its session's ledger, beside the same calls
without a session, and beside nginx; all on one core.  Then, from one client on one connection, beside GET /healthz on the
same: a session opened and ended; and the time from an interruption to its answer, when all the session's calls, which would
sleep for half a minute, have been cancelled."""

import argparse
import contextlib
import http.client
import json
import sys
import time

import compare
import measure
import plot
import servers
from compare import US, Case
from harness import Daemon

CASES = [Case("many", "64 in flight", 2, 64), Case("one", "1 in flight", 2, 1)]
TIMES, CALLS = 1000, 8
SERVERS = {"nginx": servers.nginx, "toolhostd, no session": lambda: servers.ours(ask=servers.over_rest),
           US: lambda: servers.ours(ask=servers.in_sessions)}


class Client:
    """One connection; ask() gives the answer and what it took, in microseconds."""

    def __init__(self, daemon):
        host, port = daemon.address.rsplit(":", 1)
        self.connection = http.client.HTTPConnection(host, int(port), timeout=30)

    def ask(self, method, path, body=None):
        text = None if body is None else json.dumps(body)
        at = time.perf_counter()
        self.connection.request(method, path, text, servers.JSON)
        answer = self.connection.getresponse()
        said = answer.read()
        took = (time.perf_counter() - at) * 1e6
        if not 200 <= answer.status < 300:
            sys.exit(f"{method} {path}: {answer.status} {said[:300]!r}")
        return (json.loads(said) if said.startswith(b"{") else None), took


def open_and_end(client):
    session, opened = client.ask("POST", "/v1/sessions", {})
    _, ended = client.ask("DELETE", f"/v1/sessions/{session['session_id']}")
    return opened + ended


def interrupt(client, number):
    """Of a session in which so many calls run."""
    session = client.ask("POST", "/v1/sessions", {})[0]["session_id"]
    for call in range(CALLS):
        client.ask("POST", f"/v1/sessions/{session}/events",
                   {"type": "tool_call", "call_id": f"c{call}", "name": "slow_echo", "arguments": {"ms": 30000}})
    answer, took = client.ask("POST", f"/v1/sessions/{session}/interrupt", {})
    if answer["cancelled"] != CALLS:
        sys.exit(f"{answer['cancelled']} of {CALLS} calls were cancelled in session {number}")
    client.ask("DELETE", f"/v1/sessions/{session}")
    return took


def single():
    """Figures of one client: microseconds, the median and the 99th percentile."""
    policies = {"slow_echo": {"limits": {"threads": CALLS, "processes": CALLS + 8, "max_time": "60s"}}}
    with servers.one_core():
        daemon = Daemon(plugins=["echo", "slow_echo"], config=servers.QUIET, policies=policies)
    with daemon:
        client = Client(daemon)
        interrupt(client, 0)
        found = measure.alternate({
            "healthz": lambda: client.ask("GET", "/healthz")[1],
            "open_and_end": lambda: open_and_end(client),
        }, TIMES)
        found["interrupt"] = [interrupt(client, number) for number in range(TIMES // 20)]
    return {name: {"p50_us": measure.percentile(times, 0.5), "p99_us": measure.percentile(times, 0.99), "times": len(times)}
            for name, times in found.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    compare.add_options(parser, CASES)
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        served = {name: stack.enter_context(start()) for name, start in SERVERS.items()}
        cases = compare.run_cases(served, CASES, options)
    figures = single()
    if not options.json:
        print("\none client, one connection")
        titles = {"healthz": "GET /healthz", "open_and_end": "a session opened and ended", "interrupt": f"an interruption of {CALLS} calls"}
        for name, title in titles.items():
            print(f"  {title:34} p50 {figures[name]['p50_us']:6.0f} µs   p99 {figures[name]['p99_us']:6.0f} µs   "
                  f"{figures[name]['p50_us'] / figures['healthz']['p50_us']:5.2f} × /healthz")
    picture = plot.bars("Calls of echo over plain HTTP, 64 in flight, one core: calls per second ÷ nginx `return 200`",
                        compare.rows(cases["many"]), "×", [US]) if "many" in cases else None
    measure.save("session", {"cases": cases, "single": figures}, options, picture)


if __name__ == "__main__":
    main()
