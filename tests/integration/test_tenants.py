#!/usr/bin/env python3
"""Tenants: who is served what, on what terms, and what a change of one tenant's file changes."""

import contextlib
import json
import threading
import time

from harness import PATIENCE, Daemon, installed, main, run, same, wait_for
from mcp_wire import Session, modern_stream
from test_auth import Caller, bearer, new_key

PLUGINS = ["echo", "calculator", "hash", "slow_echo"]


def cli(d, *words):
    status, said, complaint = run(installed("bin/toolhost"), *words, "--socket", str(d.socket))
    same((status, complaint), (0, ""), words)
    return json.loads(said)


def tools(caller):
    return [tool["name"] for tool in caller.http("GET", "/v1/tools").json["tools"]]


def mcp_tools(d, token):
    return [tool["name"] for tool in d.mcp("tools/list", headers=bearer(token)).json["result"]["tools"]]


@contextlib.contextmanager
def listening(caller):
    """The stream of a subscription to the list of tools, acknowledged."""
    wish = {"notifications": {"toolsListChanged": True}}
    with modern_stream(caller, "subscriptions/listen", wish, headers=bearer(caller.token)) as stream:
        same(stream.message()["method"], "notifications/subscriptions/acknowledged")
        yield stream


def call(caller, tool, arguments):
    return caller.http("POST", f"/v1/tools/{tool}/call", {"arguments": arguments})


def test_each_tenant_is_shown_its_own_tools():
    tenants = {"one": {"tools": ["echo"]}, "two": {"plugins": ["calculator"]}, "none": {"plugins": []}}
    with Daemon(plugins=PLUGINS, tenants=tenants) as d:
        whole = tools(d)
        assert {"echo", "calculator", "hash"} <= set(whole), whole
        tokens = {name: new_key(d, name, "--tenant", name) for name in (*tenants, "other")}
        shown = {"one": ["echo"], "two": ["calculator"], "none": [], "other": whole}
        for name, expected in shown.items():
            caller = Caller(d, tokens[name])
            same(tools(caller), expected, name)
            same(mcp_tools(d, tokens[name]), expected, name)
            session = Session(caller)
            same([tool["name"] for tool in session.ask("tools/list")["result"]["tools"]], expected, name)
        same(call(Caller(d, tokens["one"]), "echo", {"text": "x"}).json["ok"], True)
        same(call(Caller(d, tokens["one"]), "calculator", {"expression": "1"}).error, "tool_not_found")
        same(call(Caller(d, tokens["two"]), "calculator", {"expression": "1+1"}).status, 200)
        same(d.call("echo", {"text": "x"}, headers=bearer(tokens["none"])).rpc_error["code"], -32602)
        openai = Caller(d, tokens["none"]).http("GET", "/v1/tools?format=openai").json
        same((openai["tools"], openai["tool_choice"]), ([], "none"))
        same([t["name"] for t in cli(d, "list", "--tenant", "two")["tools"]], ["calculator"])
        same(Caller(d, tokens["one"]).http("GET", "/v1/tools?tenant=two").status, 403)


def test_default_is_for_all_without_a_file():
    with Daemon(plugins=PLUGINS, tenants={"default": {"tools": ["hash"]}, "one": {"tools": ["echo"]}}) as d:
        same(tools(d), ["hash"])
        same(tools(Caller(d, new_key(d, "a", "--tenant", "one"))), ["echo"])
        same(tools(Caller(d, new_key(d, "b", "--tenant", "nobody"))), ["hash"])
    with Daemon(plugins=PLUGINS, tenants={"one": {"tools": ["echo"]}}, stdio=True, args=["--tenant", "one"]) as d:
        same([t["name"] for t in d.pipe.ask("tools/list")["result"]["tools"]], ["echo"])


def test_the_minute_s_quota_says_when_to_come_again():
    with Daemon(plugins=PLUGINS, tenants={"one": {"quotas": {"per_minute": 2}}}) as d:
        one, two = Caller(d, new_key(d, "a", "--tenant", "one")), Caller(d, new_key(d, "b", "--tenant", "two"))
        for _ in range(2):
            same(call(one, "echo", {"text": "x"}).status, 200)
        refused = call(one, "echo", {"text": "x"})
        same((refused.status, refused.error), (429, "quota_exceeded"))
        wait = int(refused.headers["retry-after"])
        assert 50 <= wait <= 60, wait
        message = refused.json["error"]["message"]
        same(message, f"The tenant's quota is 2 calls a minute; the next one is taken in {wait} s.")
        for _ in range(3):
            same(call(two, "echo", {"text": "x"}).status, 200)
        shown = cli(d, "tenants", "one")
        same((shown["last_minute"], shown["refused"], shown["quotas"]["per_minute"]), (2, 1, 2))


def test_running_and_queued_are_bounded():
    with Daemon(plugins=PLUGINS, tenants={"one": {"quotas": {"running": 1, "queued": 1}}}) as d:
        one = Caller(d, new_key(d, "a", "--tenant", "one"))
        codes = []
        same(call(one, "slow_echo", {"ms": 1}).status, 200)  # a worker is there
        threads = [threading.Thread(target=lambda: codes.append(call(one, "slow_echo", {"ms": 1500}).status)) for _ in range(2)]
        threads[0].start()
        wait_for(lambda: cli(d, "tenants", "one")["running"] == 1, what="one call that runs")
        threads[1].start()
        wait_for(lambda: cli(d, "tenants", "one")["waiting"] == 1, what="one call that waits")
        refused = call(one, "slow_echo", {"ms": 1})
        same((refused.status, refused.error, refused.headers["retry-after"]), (429, "quota_exceeded", "1"))
        for thread in threads:
            thread.join()
        same(codes, [200, 200])


def test_roles_and_errors_are_the_tenant_s():
    tenants = {"one": {"roles": ["list"]}, "two": {"detailed_errors": True, "repair": "off"}}
    with Daemon(plugins=[*PLUGINS, "null_deref"], tenants=tenants) as d:
        one = Caller(d, new_key(d, "a", "--tenant", "one", "--role", "manage"))
        two, other = (Caller(d, new_key(d, name, "--tenant", name)) for name in ("two", "other"))
        same(one.http("GET", "/v1/tools").status, 200)
        same(call(one, "echo", {"text": "x"}).status, 403)
        same(one.http("GET", "/v1/tenants").status, 403)
        told = [call(c, "null_deref", {}).json["error"] for c in (other, two)]
        same((told[0]["code"], told[0]["message"]), ("tool_crashed", "The tool crashed."))
        assert told[1]["message"].startswith("The tool crashed. (") and "SEGV" in told[1]["message"], told
        mended = '{"text": "x",}'
        same(call(two, "echo", mended).error, "tool_args_parse_error")
        same(call(other, "echo", mended).status, 200)


def test_a_file_that_changes_changes_its_tenant_alone():
    tenants = {"one": {"tools": ["echo"]}, "two": {"tools": ["hash", "echo"]}, "three": {"tools": ["calculator", "echo"]}}
    with Daemon(plugins=PLUGINS, tenants=tenants) as d:
        callers = {name: Caller(d, new_key(d, name, "--tenant", name)) for name in tenants}
        before = {name: tools(caller) for name, caller in callers.items()}
        stop, failed, calls, took = threading.Event(), [], [], []

        def load(caller):
            while not stop.is_set():
                answer = call(caller, "echo", {"text": "x"})
                calls.append(answer.status)
                if answer.status != 200:
                    failed.append(answer)

        threads = [threading.Thread(target=load, args=(caller,)) for caller in callers.values() for _ in range(2)]
        for thread in threads:
            thread.start()
        for tools_of_one in (["echo", "hash"], ["echo"], ["echo", "calculator"]):
            since = time.monotonic()
            d.tenant("one", {"tools": tools_of_one})
            wait_for(lambda: tools(callers["one"]) == sorted(tools_of_one), what="the tenant's new toolset")
            took.append(time.monotonic() - since)
            same(tools(callers["two"]), before["two"])
            same(tools(callers["three"]), before["three"])
            goal = len(calls) + 10
            wait_for(lambda: len(calls) > goal, what="calls after the change")
        stop.set()
        for thread in threads:
            thread.join()
        same(failed, [])
        assert min(took) < 1 * PATIENCE, took
        same(len(d.log_events("tenant_loaded", lambda e: e["tenant"] == "two", least=1)), 1)


def test_only_those_are_told_whose_toolset_changed():
    with Daemon(plugins=PLUGINS, tenants={"one": {"tools": ["echo"]}, "two": {"tools": ["echo"]}}) as d:
        one, two = (Caller(d, new_key(d, name, "--tenant", name)) for name in ("one", "two"))
        with listening(one) as of_one, listening(two) as of_two:
            d.tenant("one", {"tools": ["hash"]})
            same(of_one.message()["method"], "notifications/tools/list_changed")
            d.tenant("two", {"tools": ["calculator"]})
            same(of_two.message()["method"], "notifications/tools/list_changed")
            d.tenant("one", {"tools": ["echo"]})
            same(of_one.message()["method"], "notifications/tools/list_changed")
            d.tenant("two", {"tools": ["calculator"], "detailed_errors": True})
            d.wait_log("tenant_loaded", lambda e: e["tenant"] == "two", after=2)
            d.tenant("two", {"tools": []})
            same(of_two.message()["method"], "notifications/tools/list_changed")
            same(tools(two), [])  # of its four changes, it heard of the two that it could see


def test_a_bad_file_keeps_the_last_good_one():
    with Daemon(plugins=PLUGINS, tenants={"one": {"tools": ["echo"]}}) as d:
        one, new = (Caller(d, new_key(d, name, "--tenant", name)) for name in ("one", "new"))
        d.tenant("one", '{"tools": ["hash"], "quota": {}}')
        why = d.wait_log("tenant_refused")
        same((why["tenant"], why["still_serving"]), ("one", "the file before it"))
        assert why["why"].startswith("/quota: ") and "quotas" in why["why"], why
        same(tools(one), ["echo"])
        same(cli(d, "tenants", "one")["problem"], why["why"])
        d.tenant("new", "{")
        d.wait_log("tenant_refused", lambda e: e["tenant"] == "new" and e["still_serving"] == "nothing")
        same(tools(new), [])
        status, _, said = run(installed("bin/toolhost"), "reload", "--socket", str(d.socket))
        assert status != 0 and "tenants.d/" in said, (status, said)
        d.tenant("one", {"tools": ["hash"]})
        wait_for(lambda: tools(one) == ["hash"], what="the good file")
        (d.config_dir / "tenants.d" / "one.json").unlink()
        d.wait_log("tenant_gone")
        assert "calculator" in tools(one)
        check = run(installed("sbin/toolhostd"), "--check", "--config-dir", str(d.config_dir))
        same(check[0], 2)
        assert "tenants.d/new.json: line 1" in check[2], check
        d.http("GET", "/healthz")


def test_a_bad_file_is_no_start():
    with Daemon(plugins=PLUGINS, tenants={"one": {"guards": {"input": [{"guard": "pi"}]}}}, check=False) as d:
        same(d.process.wait(20), 1)
    assert any("tenants.d/one.json: /guards/input/0/guard: there is no guard" in line for line in d.raw), d.raw


def test_the_command_shows_them():
    with Daemon(plugins=PLUGINS, tenants={"b": {"tools": ["echo"], "roles": ["call"]}, "a": {}}) as d:
        shown = cli(d, "tenants")["tenants"]
        same([t["name"] for t in shown], ["a", "b"])
        same((shown[1]["tools"], shown[1]["tool_choice"], shown[1]["roles"]), (["echo"], "auto", ["list", "call"]))
        status, _, said = run(installed("bin/toolhost"), "tenants", "nobody", "--socket", str(d.socket))
        assert status != 0 and "no file of such a tenant" in said, said


if __name__ == "__main__":
    main()
