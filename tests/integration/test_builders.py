#!/usr/bin/env python3
"""Builders: tools that plugins make of a tenant's features, each tenant's in processes of its own."""

import datetime
import json
import threading
import time

from harness import PATIENCE, SANITIZER, SOURCE, Daemon, main, same, wait_for
from test_auth import Caller, new_key
from test_cli import on_terminal
from test_tenants import call, cli, listening, tools

EXAMPLE = (SOURCE / "examples" / "tenants" / "acme-corp.json").read_text()
ACME = json.loads("\n".join(line for line in EXAMPLE.splitlines() if not line.startswith("//")))


def features(**more):
    return {"tools": ["echo"], "features": more}


def caller(d, tenant):
    return Caller(d, new_key(d, tenant, "--tenant", tenant))


def events(d, tenant, prefix="tool_build"):
    return [e for e in d.lines if e.get("tenant_id") == tenant and e["event"].startswith(prefix)]


def test_S0_3_S0_5_S0_8_three_tenants_have_three_toolsets():
    tenants = {"acme-corp": {**ACME, "tools": []}, "two": features(greet={"words": ["moin", "servus"]}), "three": {"tools": []}}
    with Daemon(plugins=["echo", "greeter", "request_transfer"], tenants=tenants) as d:
        acme, two, three = (caller(d, name) for name in tenants)
        same(tools(acme), ["request_transfer"])
        same(tools(two), ["echo", "greet_moin", "greet_servus"])
        same(tools(three), [])
        for who, choice in ((acme, "auto"), (two, "auto"), (three, "none")):
            same(who.http("GET", "/v1/tools?format=openai-realtime").json["tool_choice"], choice)
        same(call(two, "greet_moin", {}).json["content"][0]["text"], "moin to two")
        same(call(acme, "greet_moin", {}).error, "tool_not_found")
        same(call(acme, "request_transfer", {"destination_id": "elsewhere"}).error, "tool_args_invalid")
        refused = call(acme, "request_transfer", {"destination_id": "sales"})
        same(refused.error, "call_service_unavailable")
        started = d.wait_log("request_transfer_started")
        same((started["tenant_id"], started["plugin"], started["tool"]),
             ("acme-corp", "request_transfer", "request_transfer"))
        assert started["call"] == started["function_call_id"], started
        same(tools(d), ["echo"])  # of no tenant: what is not built


def test_a_configuration_larger_than_a_frame():
    words = [f"word_{number:05}_{'x' * 20}" for number in range(2100)]
    tenants = {"one": {"tools": [], "features": {"greet": {"words": words}}}}
    policies = {} if SANITIZER == "no" else {"greeter": {"limits": {"memory": "1G"}}}  # it remembers what was freed
    with Daemon(plugins=["greeter"], tenants=tenants, policies=policies) as d:
        one = caller(d, "one")
        got = tools(one)
        same((len(got), got[0], got[-1]), (len(words), f"greet_{words[0]}", f"greet_{words[-1]}"))
        same(call(one, f"greet_{words[-1]}", {}).json["content"][0]["text"], f"{words[-1]} to one")
        wait_for(lambda: any("builds of 7" in str(e) for e in d.lines), what="what its builder was told")


def seconds(ts):
    return datetime.datetime.fromisoformat(ts.replace("Z", "+00:00")).timestamp()


def test_a_tool_asks_for_a_new_build():
    tenants = {"one": features(greet={"words": ["again", "moin"]}), "two": features(greet={"words": ["again"]})}
    with Daemon(plugins=["greeter"], tenants=tenants) as d:
        one = caller(d, "one")
        call(one, "greet_moin", {})
        same(call(one, "greet_again", {}).json["content"][0]["text"], "0")
        wait_for(lambda: len(events(d, "one", "tool_build_finished")) == 2, 10, "the new build")
        for _ in range(20):  # which are one, after a while
            same(call(one, "greet_again", {}).json["content"][0]["text"], "0")
        wait_for(lambda: len(events(d, "one", "tool_build_finished")) == 3, 15, "one more")
        built = [e for e in events(d, "one", "tool_builder_phase_built_tool") if e["builder"] == "greet"]
        same([e["tool_name"] for e in built], ["greet_again", "greet_moin"] * 3)
        times = [e["ts"] for e in events(d, "one", "tool_build_started")]
        assert seconds(times[2]) - seconds(times[1]) >= 4.9, times
        same(len(events(d, "two", "tool_build_started")), 1)
        same(call(one, "greet_moin", {}).json["content"][0]["text"], "moin to one")


def test_S0_9_whether_a_tool_shall_be_used():
    choices = {"plain": None, "any": "required", "no": "none", "one": "greet_moin", "other": "nothing", "empty": "required"}
    tenants = {name: {**(features(greet={"words": ["moin"]}) if name != "empty" else {"tools": []}),
                      **({"tool_choice": choice} if choice else {})} for name, choice in choices.items()}
    with Daemon(plugins=["echo", "greeter"], tenants=tenants) as d:
        def shown(name, form):
            return caller(d, name).http("GET", f"/v1/tools?format={form}").json["tool_choice"]
        same([shown(name, "openai-realtime") for name in choices],
             ["auto", "required", "none", {"type": "function", "name": "greet_moin"}, "auto", "none"])
        same(shown("one", "openai-chat"), {"type": "function", "function": {"name": "greet_moin"}})
        same((shown("any", "anthropic"), shown("one", "anthropic")), ({"type": "any"}, {"type": "tool", "name": "greet_moin"}))
        same(shown("one", "gemini"), {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["greet_moin"]}})
        same(events(d, "one", "tool_build_finished")[-1]["tool_choice"], "greet_moin")
        d.wait_log("tenant_tool_choice_unknown", lambda e: e["tenant"] == "other" and e["tool_choice"] == "nothing")


def test_S0_4_S0_10_S0_11_S0_12_S0_14_S0_21_S0_22_S0_31_the_log_of_a_build():
    tenants = {"acme-corp": EXAMPLE, "off": {"features": {"refer": {"enabled": False}}},
               "none": {"features": {"refer": {"enabled": True, "destinations": [{"destination_id": "a", "enabled": False}]}}}}
    with Daemon(plugins=["echo", "request_transfer"], tenants=tenants) as d:
        got = events(d, "acme-corp")
        same([e["event"] for e in got],
             ["tool_build_started", "tool_builder_phase_started", "tool_builder_phase_built_tool",
              "tool_builder_phase_started", "tool_builder_refer_destinations_selected",
              "tool_builder_refer_parameters_built", "tool_builder_refer_tool_definition_built",
              "tool_builder_phase_built_tool", "tool_build_finished"])
        same(got[0]["builder_count"], 2)
        same([e["builder"] for e in got if e["event"] == "tool_builder_phase_started"], ["granted", "refer"])
        same(got[4]["destination_ids"], ["sales", "support"])
        same((got[5]["enum_destination_ids"], got[5]["required"]), (["sales", "support"], ["destination_id"]))
        same((got[6]["tool_name"], got[6]["parameters"]["required"]), ("request_transfer", ["destination_id"]))
        same((got[7]["builder"], got[7]["tool_name"]), ("refer", "request_transfer"))
        same((got[8]["tool_count"], got[8]["tool_choice"], got[8]["tool_names"]),
             (2, "auto", ["echo", "request_transfer"]))
        for tenant, why in (("off", "tool_builder_refer_disabled"), ("none", "tool_builder_refer_no_enabled_destinations")):
            same([e["event"] for e in events(d, tenant)][3:],
                 ["tool_builder_phase_started", why, "tool_builder_phase_no_tool", "tool_build_finished"])
        same(events(d, "none")[4]["configured_destinations"], 1)


def test_S0_7_S0_13_a_builder_that_fails_harms_no_other():
    refer = ACME["features"]["refer"]
    tenants = {name: features(greet={name: True}, refer=refer) for name in ("refuse", "crash")}
    with Daemon(plugins=["echo", "greeter", "request_transfer"], tenants=tenants) as d:
        for name in tenants:
            same(tools(caller(d, name)), ["echo", "request_transfer"], name)
        error = {name: next(e for e in events(d, name) if e["event"] == "tool_build_error") for name in tenants}
        same((error["refuse"]["builder"], error["refuse"]["error"]["plugin"]), ("greet", "greeter"))
        assert "/refuse: not today" in error["refuse"]["message"], error
        assert "SEGV" in error["crash"]["message"], error
        same([b["problem"] for b in cli(d, "tenants", "refuse")["builds"] if b["builder"] == "greet"],
             [error["refuse"]["message"]])


def test_T3_11_13_of_a_builder_that_fails_no_new_tool_comes():
    with Daemon(plugins=["echo", "greeter"], tenants={"one": features(greet={"words": ["moin"]})}) as d:
        one = caller(d, "one")
        same(tools(one), ["echo", "greet_moin"])
        d.tenant("one", features(greet={"words": ["servus", "moin"], "refuse": True}))
        d.wait_log("tool_build_error")
        assert "greet_servus" not in tools(one), tools(one)
        same(call(one, "echo", {"text": "x"}).status, 200)


def test_T3_14_13_each_tool_of_a_builder_has_a_self_of_its_own():
    with Daemon(plugins=["greeter"], tenants={"one": features(greet={"words": ["moin", "servus"]})}) as d:
        one = caller(d, "one")
        for word in ("moin", "servus", "moin"):
            same(call(one, f"greet_{word}", {}).json["content"][0]["text"], f"{word} to one")


def test_S0_7_a_builder_that_hangs_harms_no_other():
    tenants = {"hang": features(greet={"hang": True}, refer=ACME["features"]["refer"])}
    with Daemon(plugins=["echo", "greeter", "request_transfer"], tenants=tenants, config={"start_timeout": "6s"}) as d:
        hang = caller(d, "hang")
        wait_for(lambda: tools(hang) == ["echo", "request_transfer"], what="the tools of the other builders")
        d.wait_log("tool_build_error", lambda e: e["tenant_id"] == "hang" and e["builder"] == "greet" and e["message"])


def test_S0_6_a_name_that_is_taken_and_a_feature_nobody_builds():
    with Daemon(plugins=["echo", "greeter"], tenants={"one": features(greet={"name": "echo"}, gret={})}) as d:
        one = caller(d, "one")
        same(tools(one), ["echo"])
        same(call(one, "echo", {"text": "x"}).json["content"][0]["text"], "x")
        assert "plugin echo has a tool of this name" in cli(d, "tenants", "one")["builds"][0]["problem"]
        same(d.wait_log("tenant_feature_without_builder")["feature"], "gret")


def test_S0_20_a_feature_that_changes_changes_its_tenant_alone_and_fails_no_call():
    tenants = {name: features(greet={"words": ["moin", name]}) for name in ("one", "two", "three")}
    with Daemon(plugins=["echo", "greeter"], tenants=tenants) as d:
        callers = {name: caller(d, name) for name in tenants}
        stop, failed, calls, took = threading.Event(), [], [], []

        def load(who):
            while not stop.is_set():
                answer = call(who, "greet_moin", {})
                calls.append(answer.status)
                if answer.status != 200:
                    failed.append(answer)

        threads = [threading.Thread(target=load, args=(who,)) for who in callers.values()]
        with listening(callers["two"]) as of_two:
            for thread in threads:
                thread.start()
            for number in range(3):
                since = time.monotonic()
                d.tenant("one", features(greet={"words": ["moin", f"word{number}"]}))
                wait_for(lambda: tools(callers["one"]) == ["echo", "greet_moin", f"greet_word{number}"],
                         what="the tenant's new toolset")
                took.append(time.monotonic() - since)
                goal = len(calls) + 10
                wait_for(lambda: len(calls) > goal, what="calls after the change")
            stop.set()
            for thread in threads:
                thread.join()
            same(failed, [])
            assert min(took) < 1 * PATIENCE, took  # a machine that has much else to do is not measured
            for name in ("two", "three"):
                same(tools(callers[name]), ["echo", f"greet_{name}", "greet_moin"] if name < "moin" else
                     sorted(["echo", "greet_moin", f"greet_{name}"]))
                same(len([e for e in events(d, name) if e["event"] == "tool_build_started"]), 1, name)
            d.tenant("two", features())  # it hears of this one, and has heard of none before
            same(of_two.message()["method"], "notifications/tools/list_changed")


def test_the_command_shows_what_was_built():
    refer = ACME["features"]["refer"]
    tenants = {"one": {"features": {"greet": {"refuse": True}, "refer": refer}, "quotas": {"queued": 4}}}
    with Daemon(plugins=["echo", "greeter", "request_transfer"], tenants=tenants) as d:
        status, shown = on_terminal("tenants", "one", "--socket", d.socket, width=100)
        lines = shown.replace("\r", "").splitlines()
        same(status, 0)
        same(lines[0].split(), ["TENANT", "TOOLS", "CHOICE", "ROLES", "RUNNING", "QUEUED", "PER", "MINUTE", "REFUSED"])
        same(lines[1].split(), ["one", "2", "auto", "-", "0/-", "0/4", "0/-", "0"])
        same(lines[2], "tools: echo, request_transfer")
        assert lines[3].startswith("greet, built by greeter: ") and "/refuse: not today" in lines[3], lines
        same(lines[4], "refer, built by request_transfer: request_transfer")


def test_a_plugin_that_changes_builds_anew():
    with Daemon(plugins=["echo", "greeter"], tenants={"one": features(greet={"words": ["moin"]})}) as d:
        one = caller(d, "one")
        d.replace("greeter", 1)
        d.wait_log("tool_build_finished", after=1)
        same(call(one, "greet_moin", {}).json["content"][0]["text"], "moin to one")
        (d.plugin_dir / "greeter.so").unlink()
        wait_for(lambda: tools(one) == ["echo"], what="the end of what it built")
    with Daemon(plugins=["greeter"], tenants={"one": features(greet={"words": ["moin"]})}, stdio=True,
                args=["--tenant", "one"]) as d:
        same([t["name"] for t in d.pipe.ask("tools/list")["result"]["tools"]], ["greet_moin"])


if __name__ == "__main__":
    main()
