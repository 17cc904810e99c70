#!/usr/bin/env python3
"""Tools that fail: other tries, circuits, and what is counted of them."""

import concurrent.futures

from harness import Daemon, PATIENCE, main, same, wait_for
from test_auth import Caller, new_key

RETRY = {"tries": 3, "wait": 10, "wait_max": 20, "growth": "exponential"}


def troubled(**tools):
    return Daemon(plugins=["troubled"], policies={"troubled": {"tools": tools}})


def ask(daemon, tool, fail=0, **arguments):
    answer = daemon.rest(tool, {"fail": fail, **arguments})
    return answer.code or answer.body["content"][0]["text"]


def test_U1_8_A1_6_an_idempotent_tool_is_tried_again():
    with troubled(again={"retry": RETRY}, once={"retry": RETRY}) as d:
        same(ask(d, "again", 2), "try 3")
        same([(e["tries"], e["wait_ms"], e["error"]) for e in d.log_events("tool_call_retried", least=2)],
             [("1", "10", "network_error"), ("2", "20", "network_error")])
        same(ask(d, "again", 3), "network_error")  # three tries are all
        same(ask(d, "again", 0), "try 4")
        same(ask(d, "again", 1, code="invalid_input"), "invalid_input")  # it would not help
        same(ask(d, "again", 0), "try 2")
        same(ask(d, "once", 1), "network_error")  # it might be done twice
        same(len(d.log_events("tool_call_retried", least=4)), 4)


def test_A1_6_no_other_try_unless_it_is_said():
    with Daemon(plugins=["troubled"]) as d:
        same(ask(d, "again", 1), "network_error")
        same(d.log_events("tool_call_retried"), [])


def test_a_call_that_has_spoken_to_the_user_is_not_tried_again():
    with troubled(again={"retry": RETRY}) as d:
        session = d.http("POST", "/v1/sessions", {}).json["session_id"]
        def called(**arguments):
            body = {"arguments": arguments, "session_id": session}
            return d.http("POST", "/v1/tools/again/call", body).json
        same(called(fail=1)["output"], '{"result":"try 2"}')
        spoken = called(fail=1, say=True)
        same((spoken["error"], spoken["emitted"]), ("network_error", 1))
        same(len(d.log_events("tool_call_retried", least=1)), 1)


def test_U1_9_no_try_beyond_a_calls_time():
    with troubled(again={"retry": {"tries": 2, "wait": "1h", "wait_max": "1h"}}) as d:
        same(ask(d, "again", 1), "network_error")
        same(d.log_events("tool_call_retried"), [])


def test_U1_9_a_call_that_waits_for_its_next_try_can_be_cancelled():
    with troubled(again={"retry": {"tries": 2, "wait": "20s"}}) as d, concurrent.futures.ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(d.rest, "again", {"fail": 1}, call_id="c1")
        d.wait_log("tool_call_retried", lambda e: e["call"] == "c1")
        same(d.http("DELETE", "/v1/calls/c1").status, 204)
        same(waiting.result().code, "tool_cancelled")
        same(ask(d, "again"), "try 2")


def test_U1_7_U1_12_a_circuit_opens_and_recovers():
    breaker = {"failures": 2, "recovery": 200, "successes": 1}
    with troubled(down={"breaker": breaker}) as d:
        same([ask(d, "down", 99) for _ in range(2)], ["network_error"] * 2)
        d.wait_log("tool_circuit_opened", lambda e: e["tool"] == "down")
        refused = d.rest("down", {})
        same((refused.status, refused.code, refused.message),
             (503, "tool_unavailable", "Tool 'down' is temporarily unavailable due to repeated failures"))
        assert 0 < refused.body["error"]["retry_after_ms"] <= 201, refused.body
        [circuit] = d.http("GET", "/v1/stats").json["circuits"]
        same({k: circuit[k] for k in ("tool", "plugin", "tenant")},
             {"tool": "down", "plugin": "troubled", "tenant": "default"})
        assert circuit["state"] == ("open" if "retry_after_ms" in circuit else "half_open"), circuit
        same(ask(d, "once"), "try 1")  # other tools are other circuits
        wait_for(lambda: ask(d, "down") == "try 3", 5 * PATIENCE)
        same(ask(d, "down"), "try 1")
        same(d.http("GET", "/v1/stats").json["circuits"], [])


def test_U1_12_each_tenant_sees_its_own_circuits():
    with Daemon(plugins=["troubled"], tenants={"acme": {}},
                policies={"troubled": {"tools": {"down": {"breaker": {"failures": 3}}}}}) as d:
        acme = Caller(d, new_key(d, "acme", "--tenant", "acme", "--role", "call", "--role", "observe"))
        manager = Caller(d, new_key(d, "operator", "--role", "manage"))
        for who in (acme, d, acme, acme):
            answer = who.http("POST", "/v1/tools/down/call", {"arguments": {"fail": 99}})
            same(answer.json["error"]["code"], "network_error", answer.body)

        def circuits(who):
            return {(c["tool"], c["tenant"]): (c["state"], c.get("failures"))
                    for c in who.http("GET", "/v1/stats").json["circuits"]}
        same(circuits(acme), {("down", "acme"): ("open", None)})
        same(circuits(d), {("down", "default"): ("closed", 1)})
        same(circuits(manager), {("down", "acme"): ("open", None), ("down", "default"): ("closed", 1)})


def test_A1_6_by_default_five_failures_in_a_row_open_it():
    with Daemon(plugins=["troubled"]) as d:
        same([ask(d, "down", 99) for _ in range(6)], ["network_error"] * 5 + ["tool_unavailable"])
        same(ask(d, "again"), "try 1")


def test_U1_7_what_a_tool_says_of_its_work_opens_nothing():
    with Daemon(plugins=["troubled"]) as d:
        same({ask(d, "down", 99, code="no_luck") for _ in range(8)}, {"no_luck"})
        same({ask(d, "down", "seven") for _ in range(8)}, {"tool_args_invalid"})


def test_U1_12_null_keeps_a_circuit_closed():
    with troubled(down={"breaker": {"failures": None}}) as d:
        same({ask(d, "down", 99) for _ in range(8)}, {"network_error"})


def test_U1_5_T1_10_T1_11_statistics():
    def stats(tool):
        answer = d.http("GET", "/v1/stats")
        same(answer.status, 200, answer.body)
        return {t["name"]: t for t in answer.json["tools"]}[tool]

    with Daemon(plugins=["troubled"]) as d:
        new = stats("once")
        same({k: v for k, v in new.items() if k not in ("name", "plugin")},
             {"executions": 0, "successes": 0, "failures": 0, "success_rate": 0, "total_ms": 0, "average_ms": 0})
        same(ask(d, "once"), "try 1")
        one = stats("once")
        same((one["executions"], one["successes"], one["failures"], one["success_rate"]), (1, 1, 0, 1))
        same(one["total_ms"], one["average_ms"])
        same(ask(d, "once", 99, code="no_luck"), "no_luck")
        same(ask(d, "once", "seven"), "tool_args_invalid")  # nothing was executed
        same(ask(d, "nobody"), "tool_not_found")
        same(tuple(stats("once")[k] for k in ("executions", "successes", "failures", "success_rate")), (2, 1, 1, 0.5))
        same(d.http("DELETE", "/v1/stats").status, 403)


if __name__ == "__main__":
    main()
