"""Callers share a plugin: one that floods it waits for itself, and is told when to come again.

The flood comes over TCP (everybody there is one caller), the other caller over the Unix socket.
What is compared is how many calls of each were done, never how long they took.
"""

import contextlib
import http.client
import json
import socket
import threading

from harness import Daemon, main, same, wait_for, PATIENCE

SERIAL = {"limits": {"threads": 1}}
FLOOD = 40


class Local(http.client.HTTPConnection):
    """HTTP over the Unix socket."""

    def __init__(self, d):
        super().__init__("localhost", timeout=60 * PATIENCE)
        self.path = str(d.socket)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)

    def ask(self, method, path, body=None):
        headers = {"Content-Type": "application/json"} if body is not None else {}
        self.request(method, path, json.dumps(body) if body is not None else None, headers)
        response = self.getresponse()
        return response.status, json.loads(response.read() or b"null")

    def call(self, tool, arguments):
        return self.ask("POST", f"/v1/tools/{tool}/call", {"arguments": arguments})


class Flood:
    """Callers over TCP that call again as soon as they are answered."""

    def __init__(self, d, arguments, callers=FLOOD):
        self.d, self.arguments = d, arguments
        self.answers = []
        self.ends = False
        self.pause = threading.Event()
        self.threads = [threading.Thread(target=self._run, daemon=True) for _ in range(callers)]
        for thread in self.threads:
            thread.start()

    def _run(self):
        while not self.ends:
            answer = self.d.rest("slow_echo", self.arguments, timeout=120)
            self.answers.append(answer)
            if answer.status != 200:
                self.pause.wait(0.02)  # far less than it was told, so that the queue stays full

    def count(self, status=200):
        return sum(answer.status == status for answer in list(self.answers))

    def stop(self):
        self.ends = True
        self.pause.set()
        for thread in self.threads:
            thread.join(60 * PATIENCE)
            assert not thread.is_alive(), "a caller of the flood was never answered"


def plugin(d, name):
    return next(p for p in d.http("GET", "/v1/plugins").json["plugins"] if p["name"] == name)


def test_flood():
    with Daemon(plugins=["slow_echo", "echo"], policies={"slow_echo": SERIAL}) as d, contextlib.closing(Local(d)) as local:
        flood = Flood(d, {"ms": 20})
        wait_for(lambda: plugin(d, "slow_echo")["queued"] >= FLOOD - 5, what="a long queue")
        before, calls = flood.count(), 15
        for i in range(calls):
            same(local.call("slow_echo", {"ms": 20, "text": str(i)})[0], 200, f"call {i} of the other caller")
        done = flood.count() - before
        # One of theirs runs when ours comes, and one more may have its turn before ours.
        assert done <= 3 * calls, f"{done} calls of the flood during {calls} of the other caller"
        before = flood.count()
        for _ in range(calls):
            same(d.rest("echo", {"text": "hi"}).status, 200, "a neighbour's call")
        assert flood.count() - before < FLOOD * calls / 2, "calls of a neighbour waited for the flood"
        flood.stop()
        same([a for a in flood.answers if a.status != 200], [], "calls of the flood that did not go well")


def test_full_queue():
    policy = {"limits": {"threads": 1, "queue": 8}}
    with Daemon(plugins=["slow_echo"], policies={"slow_echo": policy}, config={"log_calls_per_second": 1000000}) as d, \
         contextlib.closing(Local(d)) as local:
        same(d.rest("slow_echo", {"ms": 50}).status, 200)
        flood = Flood(d, {"ms": 50})
        wait_for(lambda: flood.count(429) > 0, what="a refusal")
        for i in range(10):
            same(local.call("slow_echo", {"ms": 10})[0], 200, f"call {i} of the other caller")
        flood.stop()
        refused = [a for a in flood.answers if a.status == 429]
        same([a for a in flood.answers if a.status not in (200, 429)], [], "calls that went otherwise")
        for answer in refused:
            same(answer.code, "tool_overloaded")
            ms = answer.body["error"]["retry_after_ms"]
            assert 50 <= ms <= 30000, f"retry_after_ms {ms}"
            same(answer.answer.headers["retry-after"], str((ms + 999) // 1000))
        assert d.log_events("tool_call_failed", lambda e: "lost its place" in str(e.get("cause")), least=1), "no call lost its place"


def test_control_never_waits():
    policy = {"limits": {"threads": 1, "queue": 4}}
    with Daemon(plugins=["slow_echo", "echo"], policies={"slow_echo": policy}, config={"drain": "200ms"}) as d, \
         contextlib.closing(Local(d)) as local:
        same(d.rest("slow_echo", {"ms": 1}).status, 200)
        flood = Flood(d, {"ms": 60000}, callers=5)
        wait_for(lambda: plugin(d, "slow_echo")["queued"] == 4, what="a full queue")
        flood.ends = True
        same(d.http("GET", "/healthz").status, 200)
        same(d.http("GET", "/readyz").status, 200)
        assert b"toolhost_workers" in d.http("GET", "/metrics").body
        same(sorted(d.tools()), ["echo", "slow_echo"])
        same(local.ask("POST", "/v1/reload")[0], 200, "reload")
        same(flood.answers, [], "calls that have ended")
        d.policy("slow_echo", {"limits": {"threads": 1, "queue": 5}})
        same(local.ask("POST", "/v1/reload")[0], 200, "reload with another policy")
        wait_for(lambda: d.rest("slow_echo", {"ms": 1}).status == 200, what="a call of the new generation")
        same(flood.answers, [], "calls of the old generation that have ended")


def test_cancel_passes_the_queue():
    policy = {"limits": {"threads": 1, "queue": 8}}
    with Daemon(plugins=["slow_echo"], policies={"slow_echo": policy}) as d:
        threads = [threading.Thread(target=d.rest, args=("slow_echo", {"ms": 60000}),
                                    kwargs={"call_id": f"call-{i}", "timeout": 120}, daemon=True) for i in range(8)]
        for thread in threads:
            thread.start()
        wait_for(lambda: plugin(d, "slow_echo")["queued"] == 7, what="a queue")
        for i in reversed(range(8)):
            same(d.http("DELETE", f"/v1/calls/call-{i}").status // 100, 2, "cancelling")
        for thread in threads:
            thread.join(60 * PATIENCE)
            assert not thread.is_alive(), "a cancelled call was not answered"


def test_limits_of_a_tenant():
    with Daemon(plugins=["slow_echo", "echo"], config={"tenant_running_max": 1}) as d:
        thread = threading.Thread(target=d.rest, args=("slow_echo", {"ms": 60000}),
                                  kwargs={"call_id": "long", "timeout": 120}, daemon=True)
        thread.start()
        wait_for(lambda: plugin(d, "slow_echo")["running"] == 1, what="a running call")
        other = threading.Thread(target=d.rest, args=("echo", {"text": "hi"}), daemon=True)
        other.start()
        wait_for(lambda: plugin(d, "echo")["queued"] == 1, what="a call that waits for the other plugin's")
        same(d.http("DELETE", "/v1/calls/long").status // 100, 2)
        other.join(60 * PATIENCE)
        assert not other.is_alive(), "the call that waited was not woken"
        thread.join(60 * PATIENCE)
        same(d.rest("echo", {"text": "hi"}).status, 200)


def test_limit_in_a_plugin():
    with Daemon(plugins=["slow_echo"], policies={"slow_echo": {"limits": {"per_tenant": 2}}}) as d:
        flood = Flood(d, {"ms": 100}, callers=6)
        wait_for(lambda: plugin(d, "slow_echo")["queued"] == 4, what="calls over the limit")
        for _ in range(20):
            assert plugin(d, "slow_echo")["running"] <= 2, "more than two run"
        flood.stop()
        same(flood.count(), len(flood.answers), "calls that went well")


if __name__ == "__main__":
    main()
