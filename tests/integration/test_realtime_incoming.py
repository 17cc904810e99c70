#!/usr/bin/env python3
"""Telephone calls that come in: OpenAI's webhook, its REST paths, and what tools ask of such a call."""

import base64
import contextlib
import hashlib
import hmac
import json
import pathlib
import time

from harness import Daemon, main, same
from realtime_server import KEY, RealtimeServer
from test_auth import Caller, bearer, new_key
from test_builders import ACME

SECRET = "whsec_" + base64.b64encode(b"a secret of the webhook").decode()
NUMBER = "+14155550100"
TRANSFER = {**ACME, "realtime": {"numbers": [NUMBER], "session": {"model": "gpt-realtime", "instructions": "Soyez bref."}}}
PATH = "/v1/realtime/incoming"


def webhook_config(service, **more):
    secret = pathlib.Path(service.folder.name) / "webhook"
    secret.write_text(SECRET + "\n")
    secret.chmod(0o600)
    return service.config(webhook_secret_file=str(secret), **more)


def sign(body, webhook_id, then=None, secret=SECRET):
    then = str(int(time.time()) if then is None else then)
    key = base64.b64decode(secret[6:])
    mac = hmac.new(key, f"{webhook_id}.{then}.".encode() + body, hashlib.sha256).digest()
    return {"webhook-id": webhook_id, "webhook-timestamp": then, "webhook-signature": "v1," + base64.b64encode(mac).decode(),
            "Content-Type": "application/json"}


def incoming(call, number=NUMBER, **more):
    return json.dumps({"id": "evt_" + call, "object": "event", "type": "realtime.call.incoming", "created_at": 1,
                       "data": {"call_id": call, "sip_headers": [
                           {"name": "From", "value": "sip:+14155559999@example.com"},
                           {"name": "To", "value": f"<sip:{number}@sip.api.openai.com;user=phone>;tag=1"}]}, **more}).encode()


def ring(d, call, webhook_id=None, body=None, **how):
    body = incoming(call) if body is None else body
    return d.http("POST", PATH, body, sign(body, webhook_id or "wh_" + call, **how))


@contextlib.contextmanager
def switchboard(tenants=None, plugins=("request_transfer", "echo"), **settings):
    with RealtimeServer() as service, Daemon(plugins=list(plugins), tenants=tenants or {"acme-corp": TRANSFER},
                                             config=webhook_config(service, **settings)) as d:
        yield d, service


def test_U0_1_U0_6_T0_18_what_is_not_signed_is_refused():
    with switchboard() as (d, service):
        body = incoming("rtc_1")
        good = sign(body, "wh_1")
        for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
            refused = d.http("POST", PATH, body, {k: v for k, v in good.items() if k != name})
            same((refused.status, refused.error), (401, name.replace("-", "_") + "_missing"))
        for then, code in ((time.time() - 400, "webhook_timestamp_too_old"), (time.time() + 400, "webhook_timestamp_too_new")):
            refused = ring(d, "rtc_1", then=int(then))
            same((refused.status, refused.error), (401, code))
            assert refused.json["error"]["message"].startswith("Invalid signature: "), refused
        same(ring(d, "rtc_1", secret="whsec_Zm9v").error, "webhook_signature_mismatch")
        same(d.http("POST", PATH, body + b" ", good).error, "webhook_signature_mismatch")
        several = {**good, "webhook-signature": "v1,bm9uZQ== " + good["webhook-signature"]}
        same(d.http("POST", PATH, body, several).status, 200)
        same(d.http("GET", PATH).status, 405)
        service.wait_request("accept")
        same(len(service.requests), 1)
        assert "whsec_" not in "\n".join(d.raw) and KEY not in "\n".join(d.raw)


def test_U0_2_the_same_webhook_again_is_only_acknowledged():
    with switchboard() as (d, service):
        same(ring(d, "rtc_1", "wh_1").json, {"ok": True, "accepting": True})
        for _ in range(2):
            same(ring(d, "rtc_1", "wh_1").json, {"ok": True, "deduped": True})
        service.sideband("rtc_1")
        same(len(service.requests), 1)


def test_T0_16_a_call_that_is_there_is_not_taken_twice():
    with switchboard() as (d, service):
        ring(d, "rtc_1", "wh_1")
        same(ring(d, "rtc_1", "wh_2").json, {"ok": True, "deduped": True})
        side = service.sideband("rtc_1")
        same(ring(d, "rtc_1", "wh_3").json, {"ok": True, "deduped": True})
        side.close(1000)
        d.wait_log("session_ended", lambda e: e["reason"] == "call_ended")
        same(ring(d, "rtc_1", "wh_4").json, {"ok": True, "accepting": True})
        service.wait_request("accept", after=1)


def test_U0_5_other_events_are_acknowledged():
    with switchboard() as (d, service):
        for body in (b'{"type":"live.call.incoming"}', b'{"type":"response.completed","data":{"id":"r"}}', b"{}", b"[]",
                     b"no json", incoming(""), incoming("../x"), b'{"type":"realtime.call.incoming"}'):
            answer = ring(d, "", f"wh_{hash(body)}", body)
            same((answer.status, answer.json["ok"]), (200, True))
            assert answer.json["ignored"], answer
        same(service.requests, [])


def test_U0_4_U0_8_U0_10_the_tenant_whose_number_was_dialled():
    other = {"tools": ["echo"], "tool_choice": "echo", "realtime": {"numbers": ["+33123456789"]}}
    with switchboard({"acme-corp": TRANSFER, "other": other}, session={"model": "common", "audio": {"x": 1}}) as (d, service):
        ring(d, "rtc_1")
        accept = service.wait_request("accept")
        same((accept["method"], accept["path"], accept["headers"]["Authorization"]),
             ("POST", "/v1/realtime/calls/rtc_1/accept", f"Bearer {KEY}"))
        body = accept["json"]
        same({k: v for k, v in body.items() if k != "tools"},
             {"type": "realtime", "audio": {"x": 1}, "model": "gpt-realtime", "instructions": "Soyez bref.", "tool_choice": "auto"})
        tool = next(t for t in body["tools"] if t["name"] == "request_transfer")
        same((tool["type"], tool["parameters"]["required"]), ("function", ["destination_id"]))
        service.sideband("rtc_1")
        ring(d, "rtc_2", body=incoming("rtc_2", "33123456789"))
        body = service.wait_request("accept", after=1)["json"]
        same(([t["name"] for t in body["tools"]], body["tool_choice"]), (["echo"], {"type": "function", "name": "echo"}))
        same(body["model"], "common")
        same(ring(d, "rtc_3", body=incoming("rtc_3", "+19995550100")).json, {"ok": True, "accepting": False})
        same(service.wait_request("reject")["json"], {"status_code": 404})
        same(d.wait_log("realtime_call_rejected")["why"], "no tenant has the number")


def test_U0_3_more_calls_than_there_is_room_for():
    one = {"tools": [], "realtime": {"numbers": [NUMBER], "calls_max": 1}}
    rest = {"tools": [], "realtime": {"numbers": ["*"]}}
    with switchboard({"one": one, "rest": rest}, calls_max=2) as (d, service):
        ring(d, "rtc_1")
        side = service.sideband("rtc_1")
        same(ring(d, "rtc_2").status, 200)
        same(service.wait_request("reject")["json"], {"status_code": 486})
        ring(d, "rtc_3", body=incoming("rtc_3", "+33999999999"))
        service.sideband("rtc_3")
        same(ring(d, "rtc_4", body=incoming("rtc_4", "+33999999998")).json, {"ok": True, "accepting": False})
        same(service.wait_request("reject", after=1)["json"], {"status_code": 603})
        side.close(1000)
        d.wait_log("session_ended")
        ring(d, "rtc_5")
        service.sideband("rtc_5")


def test_U0_8_a_caller_who_has_gone_is_no_fault():
    with switchboard() as (d, service):
        service.answer("rtc_1", "accept", 404)
        same(ring(d, "rtc_1").status, 200)
        same(d.wait_log("realtime_call_gone")["tenant_id"], "acme-corp")
        same(d.wait_log("session_ended")["reason"], "caller_gone")
        service.answer("rtc_2", "accept", 403)
        same(ring(d, "rtc_2").status, 200)
        same(d.wait_log("realtime_accept_failed")["why"], "the service answered with status 403")
        service.wait_request("accept", after=1)
        same([r["verb"] for r in service.requests], ["accept", "accept"])


def model_calls(side, call_id, arguments, name="request_transfer"):
    text = json.dumps(arguments)
    side.send(type="response.created", response={"id": "resp_" + call_id})
    side.send(type="response.function_call_arguments.done", event_id="e", response_id="resp_" + call_id, item_id="i",
              output_index=0, call_id=call_id, name=name, arguments=text)
    side.send(type="response.output_item.done", response_id="resp_" + call_id, output_index=0,
              item={"id": "i", "type": "function_call", "status": "completed", "call_id": call_id, "name": name,
                    "arguments": text})
    return side.expect(type="conversation.item.create")["item"]


def test_S0_62_A0_11_A0_13_a_transfer_that_fails_and_one_that_works():
    destination = next(d for d in ACME["features"]["refer"]["destinations"] if d["target_uri"].startswith("+"))
    with switchboard() as (d, service):
        ring(d, "rtc_1")
        side = service.sideband("rtc_1")
        service.answer("rtc_1", "refer", 400)
        item = model_calls(side, "fc_1", {"destination_id": destination["destination_id"]})
        same((item["type"], item["call_id"], json.loads(item["output"])), ("function_call_output", "fc_1", {
            "error": "call_transfer_failed", "detail": "Failed to transfer the call. Please handle the call without transfer."}))
        error = d.wait_log("tool_execution_error")
        same([error[m] for m in ("tool_name", "tenant_id", "function_call_id", "openai_sip_call_id", "target_uri", "error")],
             ["request_transfer", "acme-corp", "fc_1", "rtc_1", destination["target_uri"], "the service answered with status 400"])
        side.send(type="response.done", response={"id": "resp_fc_1", "status": "completed"})
        side.expect(type="response.create")
        service.answer("rtc_1", "refer", 200)
        item = model_calls(side, "fc_2", {"destination_id": destination["destination_id"], "reason": "devis"})
        same(json.loads(item["output"]), {"message": "call_transfer_requested", "target_uri": destination["target_uri"],
                                          "reason": "devis"})
        refer = service.wait_request("refer", after=1)
        same((refer["json"], refer["headers"]["Idempotency-Key"]),
             ({"target_uri": "tel:" + destination["target_uri"]}, f"rtc_1-transfer-{destination['target_uri']}"))


def test_a_session_that_is_ended_takes_the_call_along():
    with switchboard() as (d, service):
        manager = bearer(new_key(d, "operator", "--role", "manage", "--role", "call"))
        ring(d, "rtc_1")
        service.sideband("rtc_1")
        session = d.http("GET", "/v1/sessions", headers=manager).json["sessions"][0]
        same(d.http("DELETE", f"/v1/sessions/{session['name']}", headers=manager).status, 204)
        same(service.wait_request("hangup")["call"], "rtc_1")


def test_a_call_that_somebody_else_accepted_can_be_acted_on_too():
    with switchboard() as (d, service):
        manager = bearer(new_key(d, "operator", "--role", "manage", "--role", "call"))
        same(d.http("POST", "/v1/realtime/calls", {"call_id": "rtc_7", "tenant": "acme-corp"}, manager).status, 201)
        side = service.sideband("rtc_7")
        side.expect(type="session.update")
        model_calls(side, "fc_1", {"destination_id": "sales"})
        same(service.wait_request("refer")["call"], "rtc_7")


def test_end_call_is_a_hangup():
    tenant = {"features": {"end_call": {}}, "realtime": {"numbers": [NUMBER]}}
    with switchboard({"line": tenant}, plugins=["end_call"]) as (d, service):
        ring(d, "rtc_1")
        side = service.sideband("rtc_1")
        model_calls(side, "fc_1", {"reason": "goodbye"}, name="end_call")
        side.send(type="response.done", response={"id": "resp_fc_1", "status": "completed"})
        same(service.wait_request("hangup")["call"], "rtc_1")
        same(d.wait_log("call_service_done")["action"], "hangup")


def test_tones_can_not_be_sent_and_the_log_says_so():
    tenant = {"features": {"send_dtmf": {}}, "realtime": {"numbers": [NUMBER]}}
    with switchboard({"line": tenant}, plugins=["send_dtmf"]) as (d, service):
        ring(d, "rtc_1")
        model_calls(service.sideband("rtc_1"), "fc_1", {"button": "1"}, name="send_dtmf")
        failed = d.wait_log("realtime_phone_failed")
        same((failed["call_id"], failed["action"], failed["why"]), ("rtc_1", "dtmf", "this telephone can't do that"))


def test_without_a_secret_no_calls_come_in():
    with RealtimeServer() as service, Daemon(plugins=["echo"], config=service.config()) as d:
        same(ring(d, "rtc_1").status, 404)
    with Daemon(plugins=["echo"]) as d:
        same(ring(d, "rtc_1").status, 404)


if __name__ == "__main__":
    main()
