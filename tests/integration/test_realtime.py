#!/usr/bin/env python3
"""Calls of OpenAI's Realtime service, which is played (realtime_server.py): the daemon attends them by a WebSocket of
its own."""

import contextlib
import json
import pathlib
import tempfile

from harness import Daemon, installed, main, run, same, wait_for
from realtime_server import KEY, RealtimeServer
from test_auth import bearer, new_key

PLUGINS = ["echo", "slow_echo"]


@contextlib.contextmanager
def attended(plugins=PLUGINS, tls=False, calls=("rtc_1",), tenants=None, config=None, **settings):
    """A daemon that attends calls: (daemon, service, headers of a manager)."""
    with RealtimeServer(tls) as service, \
            Daemon(plugins=plugins, config={**service.config(**settings), **(config or {})}, tenants=tenants) as d:
        manager = bearer(new_key(d, "operator", "--role", "manage", "--role", "call"))
        for call in calls:
            same(attend(d, manager, call).status, 201)
        yield d, service, manager


def attend(d, manager, call, **more):
    return d.http("POST", "/v1/realtime/calls", {"call_id": call, **more}, manager)


def say_call(side, call, name, arguments, response, completed=True):
    text = json.dumps(arguments)
    side.send(type="response.function_call_arguments.done", event_id="e", response_id=response, item_id="i_" + call,
              output_index=0, call_id=call, name=name, arguments=text)
    if completed:
        side.send(type="response.output_item.done", response_id=response, output_index=0,
                  item={"id": "i_" + call, "type": "function_call", "status": "completed", "call_id": call,
                        "name": name, "arguments": text})


def test_U0_19_a_response_that_does_not_come_is_asked_for_again_and_given_up():
    with attended(response_timeout="20ms") as (d, service, _):
        side = service.sideband("rtc_1")
        side.expect(type="session.update")
        side.send(type="response.created", response={"id": "r1"})
        say_call(side, "c1", "echo", {"text": "a"}, "r1")
        side.expect(type="conversation.item.create")
        side.send(type="response.done", response={"id": "r1", "status": "completed"})
        ids = [side.expect(type="response.create")["event_id"] for _ in range(3)]
        for tries, event_id in enumerate(ids, 1):
            line = d.wait_log("realtime_response_unanswered", lambda e, n=tries: e["tries"] == str(n))
            same((line["call_id"], line["event_id"]), ("rtc_1", event_id))
        same(len(set(ids)), 3)
        side.send(type="response.created", response={"id": "r2"})
        say_call(side, "c2", "echo", {"text": "b"}, "r2")
        same(side.expect(type="conversation.item.create")["item"]["call_id"], "c2")


def test_U0_9_U0_10_U0_14_a_call_from_its_tools_to_its_end():
    with attended() as (d, service, _):
        side = service.sideband("rtc_1")
        dialled = service.wait("dialled")
        same((dialled["query"], dialled["headers"]["Authorization"]), ({"call_id": "rtc_1"}, f"Bearer {KEY}"))
        same(dialled["headers"]["User-Agent"], "toolhost")
        session = side.expect(type="session.update")["session"]
        same((session["type"], session["tool_choice"]), ("realtime", "auto"))
        same(sorted(t["name"] for t in session["tools"]), sorted(PLUGINS))
        side.send(type="response.created", response={"id": "r1"})
        say_call(side, "c1", "echo", {"text": "grüß dich"}, "r1")
        item = side.expect(type="conversation.item.create")["item"]
        same((item["type"], item["call_id"], json.loads(item["output"])),
             ("function_call_output", "c1", {"result": "grüß dich"}))
        side.send(type="response.done", response={"id": "r1", "status": "completed"})
        side.expect(type="response.create")
        side.close(1000)
        d.wait_log("session_ended", lambda e: e["reason"] == "call_ended")
        same(d.log_events("ws_tool_invocation_built")[0]["arguments_json"], '{"text":"<string of 19>"}')
        names = [e["event"] for e in d.lines if e.get("function_call_id") == "c1"]
        same(names[:4], ["ws_tool_call_received", "ws_tool_invocation_built",
                         "ws_tool_invocation_submitting_to_dispatcher", "tool_invocation_scheduled"])
        assert KEY not in "\n".join(d.raw), "the key is in the log"


def test_S0_66_S4_14_A4_6_a_response_that_is_cancelled_in_the_middle():
    with attended([*PLUGINS, "talk"]) as (d, service, _):
        side = service.sideband("rtc_1")
        side.expect(type="session.update")
        side.send(type="response.created", response={"id": "r1"})
        for call in ("a", "b", "c"):
            say_call(side, call, "slow_echo", {"ms": 60000}, "r1")
        say_call(side, "bg", "research", {"ms": 1500, "text": "found"}, "r1")
        item = side.expect(type="conversation.item.create")["item"]
        same((item["call_id"], item["output"]), ("bg", '{"status":"running"}'))
        side.send(type="response.done", response={
            "id": "r1", "status": "cancelled", "status_details": {"type": "cancelled", "reason": "turn_detected"}})
        items = [side.expect(type="conversation.item.create")["item"] for _ in range(3)]
        same(sorted((i["call_id"], json.loads(i["output"])["error"]) for i in items),
             [(c, "tool_cancelled") for c in "abc"])
        same(d.wait_log("tool_cancel_for_response_finished")["cancelled_count"], "3")
        for number in range(3):
            d.wait_log("tool_call_failed", lambda e: e["code"] == "tool_cancelled", after=number)
        side.expect_nothing()
        item = side.expect(type="conversation.item.create")["item"]
        same((item["type"], item["role"]), ("message", "system"))
        assert "research" in item["content"][0]["text"] and "call bg" in item["content"][0]["text"], item
        assert item["content"][0]["text"].endswith('It gave: {"result":"found"}'), item
        side.expect(type="response.create")
        side.send(type="response.created", response={"id": "r2"})
        side.send(type="response.done", response={"id": "r2", "status": "completed"})
        side.send(type="error", error={"type": "invalid_request_error", "code": "x", "message": "no"})
        d.wait_log("realtime_error")
        side.expect_nothing()


def test_S0_64_a_connection_that_breaks_off_loses_nothing():
    with attended() as (d, service, _):
        side = service.sideband("rtc_1")
        side.expect(type="session.update")
        side.send(type="response.created", response={"id": "r1"})
        say_call(side, "c1", "slow_echo", {"ms": 700, "text": "later"}, "r1")
        d.wait_log("tool_invocation_scheduled")
        service.answer("rtc_1", "sideband", 503)
        side.break_off()
        d.wait_log("realtime_disconnected")
        d.wait_log("tool_executor_execute_finished")
        d.wait_log("realtime_disconnected", lambda e: e["status"] == "503")
        service.answer("rtc_1", "sideband", 0)
        service.sideband("rtc_1", after=1)
        item = side.expect(type="conversation.item.create")["item"]
        same(item["call_id"], "c1")
        side.expect(type="response.create")
        side.send(type="conversation.item.added", item={"id": item["id"]})
        side.send(type="error", error={"type": "invalid_request_error", "event_id": "", "code": "x", "message": "no"})
        d.wait_log("realtime_error")
        side.expect_nothing()
        same(len(d.log_events("realtime_connected", least=2)), 2)


def test_a_call_that_is_gone_ends_its_session():
    with attended() as (d, service, manager):
        service.sideband("rtc_1")
        service.answer("rtc_9", "sideband", 404)
        same(attend(d, manager, "rtc_9").status, 201)
        d.wait_log("session_ended", lambda e: e["call_id"] == "rtc_9" and e["reason"] == "call_ended")
        service.answer("rtc_8", "sideband", 403)
        same(attend(d, manager, "rtc_8").status, 201)
        d.wait_log("session_ended", lambda e: e["call_id"] == "rtc_8" and e["reason"] == "realtime_refused")
        same(len(d.http("GET", "/v1/sessions", headers=manager).json["sessions"]), 1)


def test_T0_14_nonsense_harms_no_call():
    with attended() as (d, service, _):
        side = service.sideband("rtc_1")
        side.expect(type="session.update")
        for text in ("{", "[]", '"text"', "{}", '{"type":7}', '{"type":"response.done"}', '{"type":"error"}',
                     '{"type":"response.function_call_arguments.done","call_id":5}', "[" * 200,
                     '{"type":"response.output_item.done","item":[]}', json.dumps({"type": "x" * 100000})):
            side.send_text(text)
        say_call(side, "c1", "echo", {"text": "alive"}, "r1")
        same(side.expect(type="conversation.item.create")["item"]["call_id"], "c1")
        side.send_bytes()  # is no event at all: the socket is closed, and opened again
        service.sideband("rtc_1", after=1)
        d.wait_log("realtime_connected", after=1)


def test_T0_15_the_end_of_a_session_closes_its_socket():
    with attended() as (d, service, manager):
        side = service.sideband("rtc_1")
        side.expect(type="session.update")
        say_call(side, "c1", "slow_echo", {"ms": 60000}, "r1")
        d.wait_log("tool_invocation_scheduled")
        second = attend(d, manager, "rtc_2")
        service.sideband("rtc_2")
        same(d.http("DELETE", second.headers["location"], headers=manager).status, 204)
        same(service.wait("closed", call="rtc_2")["code"], 1000)
        first = next(s for s in d.http("GET", "/v1/sessions", headers=manager).json["sessions"] if s["running"])
        same(d.http("DELETE", f"/v1/sessions/{first['name']}", headers=manager).status, 204)
        same(service.wait("closed", call="rtc_1")["code"], 1000)
        side.expect_nothing()
        wait_for(lambda: "toolhost_realtime_calls 0" in d.http("GET", "/metrics", headers=manager).body.decode(), 10,
                 "the end of the call")


def test_T0_15_what_attends_calls_and_who_may_ask_for_it():
    with attended() as (d, service, manager):
        service.sideband("rtc_1")
        caller = bearer(new_key(d, "caller", "--role", "call"))
        same(attend(d, caller, "rtc_2").status, 403)
        same(attend(d, {}, "rtc_2").status, 403)
        same(attend(d, manager, "rtc_1").status, 409)
        same(attend(d, manager, "").status, 400)
        same(attend(d, manager, "x" * 257).status, 400)
        same(d.http("GET", "/v1/realtime/calls", headers=manager).status, 405)
        refused = d.http("GET", "/v1/realtime/calls", headers=manager)
        same((refused.error, refused.headers["allow"]), ("method_not_allowed", "POST"))
        for body, code, path in ((b"[", "bad_json", None), (b"[]", "bad_request", ""), (b"{}", "bad_request", ""),
                                 ({"call_id": 7}, "bad_request", "/call_id"),
                                 ({"call_id": "rtc_2", "tenant": {}}, "bad_request", "/tenant"),
                                 ({"call_id": "rtc_2", "tenants": "a"}, "bad_request", "")):
            answer = d.http("POST", "/v1/realtime/calls", body, manager)
            same((answer.status, answer.error, answer.json["error"].get("path")), (400, code, path))
        text = d.http("POST", "/v1/realtime/calls", "{}", {**manager, "Content-Type": "text/plain"})
        same((text.status, text.error), (415, "unsupported_media_type"))
    with Daemon() as d:
        manager = bearer(new_key(d, "operator", "--role", "manage"))
        same((attend(d, manager, "rtc_1").status, attend(d, manager, "rtc_1").error), (404, "not_found"))


def test_A4_3_S4_8_a_call_is_ended_when_the_goodbye_was_heard():
    feature = {"default": {"features": {"end_call": {}}}}
    with attended(["end_call"], tenants=feature) as (d, service, _):
        side = service.sideband("rtc_1")
        same([t["name"] for t in side.expect(type="session.update")["session"]["tools"]], ["end_call"])
        side.send(type="response.created", response={"id": "r1"})
        say_call(side, "c1", "end_call", {"reason": "done", "message": "Goodbye, and thank you."}, "r1")
        same(side.expect(type="conversation.item.create")["item"]["output"], '"success"')
        side.send(type="response.done", response={"id": "r1", "status": "completed"})
        said = side.expect(type="response.create")["response"]
        assert said["instructions"].endswith("Goodbye, and thank you."), said
        side.send(type="response.created", response={"id": "r2"})
        side.send(type="output_audio_buffer.started", response_id="r2")
        side.send(type="response.done", response={"id": "r2", "status": "completed"})
        side.send(type="error", error={"type": "invalid_request_error", "code": "x", "message": "no"})
        d.wait_log("realtime_error")
        same(d.log_events("realtime_phone_asked"), [])
        side.send(type="output_audio_buffer.stopped", response_id="r2")
        same(d.wait_log("realtime_phone_asked")["action"], "hangup")


def test_T0_15_settings_that_can_not_work_are_told_at_the_start():
    with tempfile.TemporaryDirectory() as folder:
        key = pathlib.Path(folder, "key")
        key.write_text("sk\n")
        key.chmod(0o600)
        for settings, sentence in (
                ({"url": "https://a.example/v1/realtime?model=gpt-realtime", "key_file": str(key)}, "excludes a model"),
                ({"url": "ftp://a.example/", "key_file": str(key)}, "/realtime/url"),
                ({"key_file": folder + "/none"}, "/realtime/key_file"),
                ({"key_file": str(key), "output": "raw"}, "/realtime/output"),
                ({"key_file": str(key), "dispatch_on": "never"}, "/realtime/dispatch_on")):
            config = pathlib.Path(folder, "toolhostd.json")
            config.write_text(json.dumps({"listen": ["127.0.0.1:0"], "socket": None, "realtime": settings}))
            status, out, err = run(installed("sbin/toolhostd"), "--config", config, "--no-standard-dirs", timeout=20)
            assert status != 0 and sentence in err + out, (settings, status, out, err)


def test_a_call_over_tls_whose_certificate_is_checked():
    with attended(tls=True) as (d, service, manager):
        side = service.sideband("rtc_1")
        side.expect(type="session.update")
        text = "0123456789abcdef" * 20000
        say_call(side, "c1", "echo", {"text": text}, "r1")
        output = json.loads(side.expect(type="conversation.item.create", timeout=20)["item"]["output"])
        assert output, output
        side.send_text(json.dumps({"type": "y", "z": "x" * 3000000}))  # much at once
        say_call(side, "c2", "echo", {"text": "behind it"}, "r1")
        side.expect(type="response.create")
        same(side.expect(type="conversation.item.create")["item"]["call_id"], "c2")
    with RealtimeServer(tls=True) as service:
        config = {"realtime": service.config()["realtime"]}  # its authority is nobody's
        with Daemon(plugins=["echo"], config=config) as d:
            manager = bearer(new_key(d, "operator", "--role", "manage"))
            same(attend(d, manager, "rtc_1").status, 201)
            assert d.wait_log("realtime_disconnected")["why"], "a reason"
            same(service.seen("dialled"), [])


def test_an_address_that_is_not_public_needs_the_operators_word():
    with attended(private=False) as (d, service, _):
        d.wait_log("session_ended", lambda e: e["reason"] == "realtime_refused")
        same(service.seen("dialled"), [])


if __name__ == "__main__":
    main()
