"""Thousands of conversations over plain HTTP: does the daemon grow?

  ./dev soak sessions [SESSIONS]

Each session has a few calls, some of which are long; at random it is interrupted, by response or as a whole, listened to,
left without a word, or ended while its calls run.  After the first fifth the daemon's resident memory may grow by at most
2 MiB; in the end there is no session, no call, and no descriptor more than before."""

import argparse
import concurrent.futures
import contextlib
import http.client
import json
import pathlib
import random
import re
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests/integration"))
from harness import Daemon, wait_for  # noqa: E402

CLIENTS = 8
GROWTH_MAX = 2048  # KiB


class Quiet(Daemon):
    """One whose log is only read once it is ready."""

    def _read(self):
        ready = False
        for line in self.process.stderr:
            ready = ready or b'"ready"' in line
            if ready and b'"ready"' not in line:
                continue
            with self.heard:
                self.raw.append(line.decode(errors="replace"))
                with contextlib.suppress(ValueError):
                    self.lines.append(json.loads(line))
                self.heard.notify_all()


class Client:
    """One connection that is kept; every answer is one of those that are expected."""

    def __init__(self, daemon, seed):
        host, port = daemon.address.rsplit(":", 1)
        self.connection = http.client.HTTPConnection(host, int(port), timeout=60)
        self.random = random.Random(seed)
        self.counts = dict.fromkeys(("calls", "again", "interrupts", "cancelled", "left"), 0)

    def ask(self, method, path, body=None, expect=(200, 201, 202, 204)):
        text = json.dumps(body) if body is not None else None
        self.connection.request(method, path, text, {"Content-Type": "application/json"})
        answer = self.connection.getresponse()
        said = answer.read()
        assert answer.status in expect, f"{method} {path} {text}: {answer.status} {said[:300]!r}"
        return json.loads(said) if said else None

    def call(self, session, number):
        slow = self.random.random() < 0.6
        event = {"type": "tool_call", "call_id": f"c{number}", "name": "slow_echo" if slow else "echo",
                 "arguments": {"ms": 30000} if slow else {"text": "hi"}, "response_id": f"r{number % 2}"}
        self.ask("POST", f"/v1/sessions/{session}/events", event)
        self.counts["calls"] += 1
        if self.random.random() < 0.2:  # once more
            self.ask("POST", f"/v1/sessions/{session}/events", event)
            self.counts["again"] += 1

    def interrupt(self, session):
        which = self.random.choice([{"response_id": "r0"}, {"response_id": "r1"}, {}])
        self.counts["cancelled"] += self.ask("POST", f"/v1/sessions/{session}/interrupt", which)["cancelled"]
        self.counts["interrupts"] += 1

    def converse(self):
        session = self.ask("POST", "/v1/sessions", {"context": {"user": {"name": "soak"}}, "ttl_ms": 1000})["session_id"]
        for number in range(self.random.randint(1, 4)):
            self.call(session, number)
            if self.random.random() < 0.4:
                self.interrupt(session)
        if self.random.random() < 0.1:  # it expires
            self.ask("POST", f"/v1/sessions/{session}/interrupt", {})
            self.counts["left"] += 1
        else:
            self.ask("DELETE", f"/v1/sessions/{session}")


def work(client, sessions):
    for _ in range(sessions):
        client.converse()


def gauge(daemon, name):
    return float(re.search(rf"^{name} (\S+)$", daemon.http("GET", "/metrics").body.decode(), re.M)[1])


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sessions", nargs="?", type=int, default=10_000)
    return parser.parse_args()


def main():
    wanted = parse().sessions
    step = max(wanted // 10 // CLIENTS, 1)
    config = {"sessions": {"principal_max": 10000, "tenant_max": 10000}}
    with Quiet(plugins=["echo", "slow_echo"], config=config) as daemon:
        daemon.call("echo", {"text": "warm"})
        daemon.call("slow_echo", {"ms": 1})
        fds_at_rest = daemon.fds()
        clients = [Client(daemon, seed) for seed in range(CLIENTS)]
        done, base = 0, None
        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
            while done < wanted:
                list(pool.map(lambda client: work(client, step), clients))
                done += step * CLIENTS
                wait_for(lambda: gauge(daemon, "toolhost_sessions") == 0, 30, "the end of all sessions")
                rss = daemon.rss()
                if base is None and done >= wanted / 5:
                    base = rss
                print(f"{done:8} sessions   {rss:7} KiB", flush=True)
        for client in clients:
            client.connection.close()
        total = {name: sum(client.counts[name] for client in clients) for name in clients[0].counts}
        print("  ".join(f"{count} {name}" for name, count in total.items()))
        wait_for(lambda: daemon.fds() <= fds_at_rest, 20, "the end of the connections")
    growth = rss - base
    print(f"after the first fifth: {growth:+} KiB")
    sys.exit(0 if growth <= GROWTH_MAX else 1)


if __name__ == "__main__":
    main()
