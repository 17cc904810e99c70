#!/usr/bin/env python3
"""Calls that need a person's approval, through the real daemon: what waits, who decides, that what was
approved runs once, also over restarts, and that nothing else runs."""

import contextlib
import http.client
import itertools
import json
import pathlib
import sqlite3
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from harness import Daemon, in_background, installed, main, plugin_file, run, same, wait_for  # noqa: E402
from test_auth import bearer, new_key  # noqa: E402
from test_durable import kill  # noqa: E402

TOOLHOST = installed("bin/toolhost")
ALWAYS = {"approvals": {"rules": [{"tools": ["tally"], "approval": "always", "reason": "It leaves a line."}]}}


@contextlib.contextmanager
def kept(durable=True, config=None, **more):
    """A folder for the state, and one for the lines; .again() is the next daemon on them."""
    with Daemon(check=False) as keeper:
        for name in ("state", "tally"):
            (keeper.dir / name).mkdir()
            (keeper.dir / name).chmod(0o1777)
        keeper.file = keeper.dir / "tally" / "lines"
        keeper.file.touch()
        keeper.file.chmod(0o666)

        def again(**options):
            arguments = ("--state-dir", str(keeper.dir / "state")) if durable else ()
            return Daemon(**{"plugins": [plugin_file("tally")], "args": arguments,
                             "config": {**ALWAYS, **(config or {})},
                             "policies": {"tally": {"permissions": {"write": [str(keeper.dir / "tally")]}}},
                             **more, **options})

        def tally(d, name, headers=None, **arguments):
            members = {k: arguments.pop(k) for k in ("call_id", "session_id") if k in arguments}
            body = {"arguments": {"file": str(keeper.file), "id": name, **arguments}, **members}
            return d.http("POST", "/v1/tools/tally/call", body, headers)

        keeper.again, keeper.tally = again, tally
        keeper.ran = lambda: keeper.file.read_text().split()
        yield keeper


def cli(d, *words, good=True):
    status, out, said = run(TOOLHOST, "--socket", d.socket, *words)
    same(status == 0, good, f"success of {words}, which said {out!r} and {said!r}")
    return out if good else said


def listed(d, *words):
    return json.loads(cli(d, "approvals", *words))["approvals"]


def one(d, state="pending", timeout=10):
    """The approval that waits, once it does."""
    wait_for(lambda: len(listed(d, state)) == 1, timeout, what=f"a {state} approval")
    return listed(d, state)[0]


def known(d, found):
    return json.loads(cli(d, "approvals", found["id"]))


def ended(d, found):
    """What is known of an approval once its call has ended."""
    wait_for(lambda: known(d, found)["approval"].get("ended"), what="the end")
    return known(d, found)


def text(answer):
    return answer.json["content"][0]["text"]


# ---- deciding

def test_S3_20_an_approved_call_runs_and_a_rejected_one_does_not():
    with kept(durable=False) as k, k.again() as d:
        waiting = in_background(lambda: k.tally(d, "a"))
        found = one(d)
        same((found["tool"], found["arguments"]["id"], found["reason"]), ("tally", "a", "It leaves a line."))
        same((found["principal"], found["tenant"], found["front"], found["by"]), ("anonymous", "default", "rest", "approver"))
        same(k.ran(), [])
        decided = json.loads(cli(d, "approve", found["id"]))["approval"]
        same((decided["state"], decided["decided_by"].startswith("uid:")), ("approved", True))
        same((waiting().status, k.ran()), (200, ["a"]))
        result = ended(d, found)
        same((result["approval"]["outcome"], result["result"]["ok"]), ("ok", True))

        waiting = in_background(lambda: k.tally(d, "b"))
        found = one(d)
        cli(d, "reject", found["id"], "Not today.")
        answer = waiting()
        same((answer.status, answer.error), (403, "approval_rejected"))
        same(answer.json["error"]["message"], "Not today.")
        same((one(d, "rejected")["text"], k.ran()), ("Not today.", ["a"]))


def test_U3_8_U3_11_replayed_forged_and_late_answers_are_inert():
    with kept(durable=False, config={"approvals": {**ALWAYS["approvals"], "ttl": "1s"}}) as k, k.again() as d:
        waiting = in_background(lambda: k.tally(d, "a"))
        found = one(d)
        cli(d, "approve", "apr_" + "0" * 32, good=False)
        cli(d, "approve", found["id"])
        same(waiting().status, 200)
        assert "approved already" in cli(d, "approve", found["id"], good=False)
        assert "approved already" in cli(d, "reject", found["id"], good=False)
        same(k.ran(), ["a"])
        answer = k.tally(d, "b")
        same((answer.status, answer.error), (403, "approval_expired"))
        late = one(d, "expired")
        assert "expired" in cli(d, "approve", late["id"], good=False)
        same(k.ran(), ["a"])


def test_one_that_is_over_is_known_for_the_retention_and_never_shorter_than_results():
    for store, hours in (({"ttl": "1h", "retention": "2h"}, 2), ({"ttl": "2h", "retention": "1h"}, 2), ({"ttl": "1h"}, 1)):
        with kept(config={"store": store}) as k:
            with k.again() as d:
                waiting, begun = in_background(lambda: k.tally(d, "a")), time.time()  # noqa: B023
                cli(d, "reject", one(d)["id"], "Not today.")
                same(waiting().status, 403)
            with contextlib.closing(sqlite3.connect(k.dir / "state/toolhost.db")) as db, db:
                (forget,), = db.execute("SELECT forget_ms / 1000.0 FROM record WHERE kind = 'approval'").fetchall()
                assert begun - 0.01 <= forget - 3600 * hours <= time.time() + 0.01, (store, forget - begun)
                db.execute("UPDATE record SET forget_ms = 1")  # as if the time had passed
            with k.again() as d:
                wait_for(lambda: listed(d, "all") == [], what="that it is forgotten")  # noqa: B023


def test_T3_4_arguments_that_do_not_fit_ask_nobody():
    with kept(durable=False) as k, k.again() as d:
        same(d.rest("tally", {"file": 1}).code, "tool_args_invalid")
        same(d.rest("tally", "[").code, "tool_args_parse_error")
        same(listed(d, "all"), [])


def test_a_caller_does_not_approve_itself():
    with kept(durable=False) as k, k.again() as d:
        waiting = in_background(lambda: k.tally(d, "a"))
        found = one(d)
        place = f"/v1/approvals/{found['id']}"
        same([a["id"] for a in d.http("GET", "/v1/approvals").json["approvals"]], [found["id"]])  # it sees its own
        refused = d.http("POST", place, {"decision": "approve"})
        same((refused.status, refused.error), (403, "forbidden"))
        key = new_key(d, "boss", "--role", "approve")
        for body, path in (({"decision": "yes"}, "/decision"), ({"decision": "approve", "arguments": {}}, "/arguments"),
                           ({"decision": "reject", "remember": "tool"}, "/remember"), ({}, "/decision")):
            wrong = d.http("POST", place, body, bearer(key))
            same((wrong.status, path in wrong.json["error"]["message"]), (400, True), f"{body}: {wrong}")
        taken = d.http("POST", place, {"decision": "approve"}, bearer(key))
        same((taken.status, taken.json["approval"]["decided_by"]), (200, "key:boss"))
        same((waiting().status, k.ran()), (200, ["a"]))


def test_a_caller_that_may_approves_itself():
    with kept(durable=False, config={"approvals": {**ALWAYS["approvals"], "by": "caller"}}) as k, k.again() as d:
        waiting = in_background(lambda: k.tally(d, "a"))
        found = one(d)
        same(found["by"], "caller")
        same(d.http("POST", f"/v1/approvals/{found['id']}", {"decision": "approve"}).status, 200)
        same((waiting().status, k.ran()), (200, ["a"]))


def test_a_tenant_sees_its_own():
    with kept(durable=False) as k, k.again() as d:
        (d.config_dir / "tenants.d").mkdir(exist_ok=True)
        waiting = in_background(lambda: k.tally(d, "a"))
        found = one(d)
        other = new_key(d, "other", "--role", "approve", "--tenant", "else")
        same(d.http("GET", "/v1/approvals", headers=bearer(other)).json["approvals"], [])
        place = f"/v1/approvals/{found['id']}"
        same(d.http("GET", place, headers=bearer(other)).error, "approval_not_found")
        same(d.http("POST", place, {"decision": "approve"}, bearer(other)).error, "approval_not_found")
        cli(d, "approve", found["id"])
        same(waiting().status, 200)


def test_who_leaves_or_cancels_withdraws():
    with kept(durable=False) as k, k.again() as d:
        connection = http.client.HTTPConnection(d.address, timeout=30)
        connection.request("POST", "/v1/tools/tally/call", json.dumps({"arguments": {"file": str(k.file), "id": "a"}}),
                           {"Content-Type": "application/json"})
        left = one(d)
        connection.close()
        same(one(d, "withdrawn")["id"], left["id"])
        waiting = in_background(lambda: k.tally(d, "b"))
        found = one(d)
        same(d.http("DELETE", f"/v1/calls/{found['call_id']}").status, 204)
        same(waiting().error, "tool_cancelled")
        wait_for(lambda: len(listed(d, "withdrawn")) == 2, what="both to be withdrawn")
        for each in (left, found):
            assert "withdrawn" in cli(d, "approve", each["id"], good=False)
        same(k.ran(), [])


def test_who_does_not_wait_has_its_id():
    with kept(durable=False) as k, k.again() as d:
        answer = k.tally(d, "a", headers={"Prefer": "wait=1, Respond-Async"})
        found = answer.json["approval"]
        same((answer.status, answer.json["status"], found["state"]), (202, "approval_required", "pending"))
        same(answer.headers["location"], f"/v1/approvals/{found['id']}")
        cli(d, "approve", found["id"])
        same((ended(d, found)["result"]["ok"], k.ran()), (True, ["a"]))


def test_a_stream_tells_that_it_waits():
    with kept(durable=False) as k, k.again() as d:
        waiting = in_background(lambda: k.tally(d, "a", headers={"Accept": "text/event-stream"}))
        cli(d, "approve", one(d)["id"])
        names = [line.partition(b": ")[2] for line in waiting().body.splitlines() if line.startswith(b"event: ")]
        same((names[0], names[-1]), (b"approval", b"result"))


# ---- standing rules

def test_U3_10_standing_rules():
    with kept() as k:
        with k.again() as d:
            waiting = in_background(lambda: k.tally(d, "a"))
            cli(d, "approve", one(d)["id"], "--remember", "arguments")
            same(waiting().status, 200)
            same(k.tally(d, "a").status, 200)
            rule = json.loads(cli(d, "approvals", "rules"))["rules"][0]
            same((rule["tool"], rule["arguments"]["id"], rule["principal"]), ("tally", "a", "anonymous"))
            waiting = in_background(lambda: k.tally(d, "b"))
            cli(d, "reject", one(d)["id"])
            same(waiting().error, "approval_rejected")
        audit = [json.loads(line) for file in (k.dir / "state" / "audit").iterdir() for line in file.open()]
        decided = [(r["decision"], r["by"].partition(":")[0]) for r in audit if r["event"] == "approval_decided"]
        same(decided, [("approve", "uid"), ("reject", "uid")])
        with k.again() as d:
            same(k.tally(d, "a").status, 200)
            cli(d, "reject", rule["id"])
            cli(d, "reject", rule["id"], good=False)
            waiting = in_background(lambda: k.tally(d, "a"))
            cli(d, "approve", one(d)["id"], "--remember", "tool")
            same(waiting().status, 200)
            same(k.tally(d, "c").status, 200)
        same(k.ran(), ["a", "a", "a", "a", "c"])


# ---- over restarts

def ask_over_mcp(d, k, name):
    """A call over MCP whose caller is gone once it waits."""
    with contextlib.suppress(Exception):
        d.call("tally", {"file": str(k.file), "id": name})


def test_T3_5_asked_over_mcp_and_approved_after_a_restart_runs_once():
    for stop in (lambda d: d.__exit__(None, None, None), kill):
        with kept() as k:
            d = k.again()
            waiting = in_background(lambda d=d: ask_over_mcp(d, k, "a"))
            found = one(d)
            stop(d)
            waiting()
            with k.again() as d:
                same(one(d)["id"], found["id"])
                cli(d, "approve", found["id"])
                result = ended(d, found)
                same((result["approval"]["outcome"], result["result"]["ok"]), ("ok", True))
                assert result["result"]["content"][0]["text"].startswith("a at ")
            with k.again() as d:
                same(known(d, found)["result"]["ok"], True)
                assert "approved already" in cli(d, "approve", found["id"], good=False)
            same(k.ran(), ["a"])


def test_a_named_call_that_comes_again():
    with kept() as k:
        d = k.again()
        waiting = in_background(lambda d=d: k.tally(d, "a", call_id="1"))
        found = one(d)
        busy = k.tally(d, "a", call_id="1")
        same((busy.status, busy.error), (409, "call_in_progress"))
        same(k.tally(d, "b", call_id="1").error, "call_id_reused")
        kill(d)
        with contextlib.suppress(Exception):
            waiting()
        with k.again() as d:
            waiting = in_background(lambda: k.tally(d, "a", call_id="1"))
            d.wait_log("started")
            same(one(d)["id"], found["id"])
            cli(d, "approve", found["id"])
            first = waiting()
            same(first.status, 200)
            again = k.tally(d, "a", call_id="1")
            same((again.json["replayed"], text(again)), (True, text(first)))
        with k.again() as d:
            again = k.tally(d, "a", call_id="1")
            same((again.json["replayed"], text(again)), (True, text(first)))
            same(listed(d), [])
        same(k.ran(), ["a"])


def test_by_the_approval_s_id_its_result_is_found():
    with kept(durable=False) as k, k.again() as d:
        waiting = in_background(lambda: k.tally(d, "a"))
        found = one(d)
        cli(d, "approve", found["id"])
        first = waiting()
        same(d.http("GET", f"/v1/calls/{found['id']}").json["result"]["content"][0]["text"], text(first))


def test_a_killed_daemon_never_runs_it_twice():
    """The daemon is killed at another moment each time: before, while and after it is decided and runs."""
    for round_, ms in enumerate(itertools.chain(range(0, 40, 4), (60, 120, 200))):
        with kept() as k:
            d = k.again()
            waiting = in_background(lambda d=d: ask_over_mcp(d, k, "a"))
            found = one(d)
            deciding = in_background(lambda d=d: run(TOOLHOST, "--socket", d.socket, "approve", found["id"]))
            time.sleep(ms / 1000)  # the moment of the kill, not a wait for anything
            kill(d)
            status, _, _ = deciding()
            waiting()
            with k.again() as d:
                state = known(d, found)["approval"]["state"]
                assert state == "approved" or status != 0, f"round {round_}: told yes, and it is {state}"
                if state == "pending":
                    cli(d, "approve", found["id"])
                outcome = ended(d, found)["approval"]["outcome"]
                assert outcome in ("ok", "outcome_unknown"), f"round {round_}: {outcome}"
                assert len(k.ran()) <= 1 and (outcome != "ok" or k.ran() == ["a"]), f"round {round_}: {k.ran()}"


def test_what_ran_when_the_daemon_died_is_unknown():
    with kept() as k:
        d = k.again()
        waiting = in_background(lambda d=d: ask_over_mcp(d, k, "a"))
        found = one(d)
        kill(d)
        waiting()
        d = k.again()
        cli(d, "approve", found["id"])
        wait_for(lambda: k.ran() == ["a"], what="the run")
        kill(d)
        with k.again() as d:
            assert ended(d, found)["approval"]["outcome"] in ("ok", "outcome_unknown")
        same(k.ran(), ["a"])


def test_a_tool_that_changed_is_not_run():
    with kept() as k:
        d = k.again()
        waiting = in_background(lambda d=d: ask_over_mcp(d, k, "a"))
        found = one(d)
        kill(d)
        waiting()
        changed = k.dir / "tally.so"
        changed.write_bytes(pathlib.Path(plugin_file("tally")).read_bytes() + b"\0")
        changed.chmod(0o755)
        with k.again(plugins=[changed]) as d:
            cli(d, "approve", found["id"])
            over = ended(d, found)["approval"]
            same(over["state"], "expired")
            assert "not what it was" in over["text"], over
        same(k.ran(), [])


def test_what_can_not_be_recorded_is_not_run():
    with kept(config={"store": {"disk": 100_000}}) as k, k.again() as d:
        notes = (d.http("DELETE", f"/v1/calls/{n}-{'x' * 200}") for n in range(5000))
        full = next(answer for answer in notes if answer.status != 202)
        same((full.status, full.error), (503, "tool_unavailable"))
        answer = k.tally(d, "a" * 20000)
        same((answer.status, answer.error), (503, "tool_unavailable"))
        assert "approval" in answer.json["error"]["message"], answer
        same(k.ran(), [])


if __name__ == "__main__":
    main()
