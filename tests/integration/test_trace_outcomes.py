"""Spans of calls that don't just run: approvals, guards, other tries, time-outs, cancels; and of daemons with threads for
connections."""

import pathlib
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from harness import in_background, main, same, wait_for  # noqa: E402
from otlp_server import Collector  # noqa: E402
from test_approvals import ALWAYS, cli, kept  # noqa: E402
from test_approvals import one as waiting_one  # noqa: E402
from test_traces import metric, traced  # noqa: E402
from test_trouble import RETRY  # noqa: E402

ERROR, SLACK_NS = 2, 100_000_000


def failure(span):
    return span.attributes.get("error.type"), span.status.get("code")


def below(collector, span):
    """The names of its parts, as they began."""
    with collector.lock:
        return [s.name for s in sorted(collector.spans, key=lambda s: s.start) if s.parent == span.id]


def approved(collector):
    trace = {"endpoint": collector.url, "delay": "20ms"}
    return {"config": {**ALWAYS, "trace": trace}}


def test_an_approval_ends_when_it_is_decided():
    with Collector() as c, kept(durable=False) as k, k.again(**approved(c)) as d:
        answer = in_background(lambda: k.tally(d, "a"))
        cli(d, "approve", waiting_one(d)["id"])
        same(answer().status, 200)
        front = c.one("POST /v1/tools/{name}/call")
        asked, approval, worker = c.wait(1, lambda s: s.parent == front.id)[0], c.one("approval"), c.one("worker")
        ran = c.wait(1, lambda s: s.id == worker.parent)[0]
        same((asked.name, ran.name, ran.parent, approval.parent), ("execute_tool tally",) * 2 + (asked.id,) * 2)
        same((approval.attributes["toolhost.approval.decision"], failure(asked), failure(ran)),
             ("approved", (None, None), (None, None)))
        assert asked.start <= approval.start <= approval.end <= ran.start <= ran.end <= asked.end <= front.end
        same({s.trace for s in c.spans if s.name != "GET"}, {front.trace})


def test_a_call_that_is_not_approved_has_failed():
    with Collector() as c, kept(durable=False) as k, k.again(**approved(c)) as d:
        answer = in_background(lambda: k.tally(d, "a"))
        cli(d, "reject", waiting_one(d)["id"], "No.")
        same(answer().status, 403)
        front, call = c.one("POST /v1/tools/{name}/call"), c.one("execute_tool tally")
        same((failure(call), front.status), (("approval_rejected", ERROR), {}))
        same(c.one("approval").attributes["toolhost.approval.decision"], "approval_rejected")
        same(below(c, call), ["approval"])


def test_a_guard_that_refuses():
    guards = {"input": [{"guard": "size", "bytes": 100}], "output": [{"guard": "regex", "patterns": ["wor+d"]}]}
    with Collector() as c, traced(c, config={"guards": guards}) as d:
        d.call("echo", {"text": "x" * 200})
        call = c.one("execute_tool echo")
        same((failure(call), below(c, call)), (("guardrail_rejected", ERROR), ["guard size"]))
        guard = c.one("guard size")
        same((guard.attributes["toolhost.guard.verdict"], guard.status), ("reject", {}))
        same(failure(c.one("tools/call echo")), ("tool_error", ERROR))
        d.call("echo", {"text": "word"})
        call = c.wait(2, lambda s: s.name == "execute_tool echo")[1]
        same((failure(call), below(c, call)),
             (("guardrail_rejected", ERROR), ["guard size", "queue", "worker", "guard regex"]))
        same(failure(c.one("worker")), (None, None))  # it has done its work


def test_other_tries():
    policies = {"troubled": {"tools": {"again": {"retry": RETRY}}}}
    with Collector() as c, traced(c, ["troubled"], policies=policies) as d:
        same(d.rest("again", {"fail": 2}).code, None)
        call = c.one("execute_tool again")
        workers = sorted(c.wait(3, lambda s: s.name == "worker"), key=lambda s: s.start)
        same([(s.attributes.get("toolhost.try"), *failure(s)) for s in workers],
             [(None, "network_error", ERROR), (2, "network_error", ERROR), (3, None, None)])
        same((failure(call), below(c, call)), ((None, None), ["queue", "worker"] * 3))
        same(d.rest("again", {"fail": 1, "code": "invalid_input"}).code, "invalid_input")
        call = c.wait(2, lambda s: s.name == call.name)[1]
        same((failure(call), below(c, call)), (("invalid_input", ERROR), ["queue", "worker"]))


def test_time_outs_and_cancels():
    with Collector() as c, traced(c, ["slow_echo"]) as d:
        same(d.rest("slow_echo", {"ms": 60_000}, deadline_ms=100).code, "tool_timeout")
        same([failure(c.one(name)) for name in ("execute_tool slow_echo", "worker", "POST /v1/tools/{name}/call")],
             [("tool_timeout", ERROR), ("tool_timeout", ERROR), ("504", ERROR)])
        answer = in_background(d.rest, "slow_echo", {"ms": 60_000}, call_id="c1")
        wait_for(lambda: metric(d, 'toolhost_calls_running{plugin="slow_echo"}') == 1, what="the call to run")
        same(d.http("DELETE", "/v1/calls/c1").status, 204)
        same(answer().code, "tool_cancelled")
        call = c.wait(2, lambda s: s.name == "execute_tool slow_echo")[1]
        worker = c.wait(1, lambda s: s.name == "worker" and s.parent == call.id)[0]
        same((failure(call), failure(worker)), (("tool_cancelled", ERROR),) * 2)


def test_a_try_in_a_process_that_had_to_be_killed():
    with Collector() as c, traced(c, ["neighbours"], config={"grace": "50ms", "drain": "50ms"}) as d:
        again = in_background(d.rest, "again", {"ms": 1500})
        wait_for(lambda: next(p["running"] for p in d.http("GET", "/v1/plugins").json["plugins"]) == 1, what="it to run")
        same(d.rest("stuck").code, "tool_timeout")
        same(again().body["content"][0]["text"], "waited")
        call = c.one("execute_tool again")
        workers = sorted(c.wait(2, lambda s: s.parent == call.id and s.name == "worker"), key=lambda s: s.start)
        same([(s.attributes.get("toolhost.try"), *failure(s)) for s in workers],
             [(None, "worker_lost", ERROR), (2, None, None)])
        same(below(c, call), ["queue", "worker"] * 2)


def test_threads_of_connections():
    """Each call is one tree, and lies within the time that its caller has seen."""
    seen = {}

    def client(d, number):
        for i in range(15):
            trace = f"{number:016x}{i + 1:016x}"
            before = time.time_ns()
            same(d.call("echo", {"text": "x"}, headers={"traceparent": f"00-{trace}-{'b' * 16}-01"}).text, "x")
            seen[trace] = before, time.time_ns()

    with Collector() as c, traced(c, config={"threads": 2}) as d:
        clients = [in_background(client, d, number + 1) for number in range(6)]
        for wait in clients:
            wait()
        c.wait(4 * len(seen))
        for trace, (before, after) in seen.items():
            spans = {s.name: s for s in c.spans if s.trace == trace}
            same(sorted(spans), ["execute_tool echo", "queue", "tools/call echo", "worker"])
            front, call, queue, worker = (spans[n] for n in ("tools/call echo", "execute_tool echo", "queue", "worker"))
            same((front.parent, call.parent, queue.parent, worker.parent), ("b" * 16, front.id, call.id, call.id))
            assert front.start <= call.start <= queue.start <= queue.end <= worker.end <= call.end <= front.end, spans
            # a turn that had begun before may read it, and clocks are set in small steps
            assert before - SLACK_NS <= front.start and front.end <= after + SLACK_NS, (front, before, after)
        same((len(seen), len({s.id for s in c.spans})), (90, 360))


if __name__ == "__main__":
    main()
