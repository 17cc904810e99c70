"""Each operation of /openapi.json, made at least once: status, type, headers, code and body are what it says."""

import json
import socket

from described import Described
from harness import Daemon, in_background, installed, main, run, same, wait_for
from realtime_server import RealtimeServer
from test_auth import bearer, guarded, new_key
from test_manage import GRANTS, deed, dense
from test_realtime_incoming import incoming, sign, webhook_config

PLUGINS = ["echo", "calculator", "greeter", "asks", "talk", "large", "shelf", "deeds", "conformance.plugin"]
INITIALIZE = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
    "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}
ADA = {"action": "accept", "content": {"name": "Ada"}}


class Witness:
    """The daemon as a caller with a key sees it; every answer is looked at."""

    def __init__(self, d, api, headers):
        self.d, self.api, self.headers = d, api, headers

    def http(self, method, path, body=None, headers=None, status=200):
        answer = self.d.http(method, path, body, {**self.headers, **(headers or {})})
        same(answer.status, status, f"status of {method} {path}, with {answer}")
        return self.api.saw(method, path, answer)


def tools(w):
    for query in ("", "?format=openai&strict=true", "?cost=1&budget=100", "?tools=e*&tags=a&plugins=echo", "?tenant=acme"):
        w.http("GET", "/v1/tools" + query)
    w.http("GET", "/v1/tools?format=klingon", status=400)
    w.http("GET", "/v1/tools?tols=a", status=400)
    call = "/v1/tools/echo/call"
    w.http("POST", call, {"arguments": {"text": "hi"}, "call_id": "c1", "metadata": {"a": 1}, "deadline_ms": 1000})
    w.http("POST", call + "?preview=true", {"arguments": {"text": "hi"}})
    for encoding in ("sonore", "agui", "agent-framework", "mcp"):
        w.http("POST", f"{call}?encoding={encoding}", {"arguments": {"text": "hi"}})
        w.http("POST", f"{call}?encoding={encoding}", {"arguments": {"txt": "hi"}}, status=422)
        w.http("POST", f"/v1/tools/none/call?encoding={encoding}", {}, status=404)
    w.http("POST", call, {"arguments": {"text": "hi"}}, {"Accept": "text/event-stream"})
    w.http("POST", call, {"arguments": "["}, status=400)
    w.http("POST", call, b"{", {"Content-Type": "application/json"}, status=400)
    w.http("POST", call, b"{}", {"Content-Type": "text/plain"}, status=415)
    w.http("POST", call, {"argument": 1}, status=400)
    w.http("POST", "/v1/tools/calculator/call", {"arguments": {"expression": "1/0"}})
    w.http("POST", "/v1/agui", {"type": "RUN_STARTED", "threadId": "t", "runId": "r"})
    w.http("POST", "/v1/agui", b"", status=400)
    several = {"calls": [{"name": "echo", "arguments": {"text": "hi"}, "call_id": "c2"}, {"name": "none"},
                         {"name": "echo", "arguments": {"txt": 1}}], "metadata": {"a": 1}, "deadline_ms": 5000}
    for encoding in ("", "?encoding=sonore", "?encoding=agui", "?encoding=agent-framework", "?encoding=mcp&preview=true"):
        same(len(w.http("POST", "/v1/calls" + encoding, several).json["results"]), 3)
    w.http("POST", "/v1/calls", {"calls": [{"name": "greet", "arguments": {"who": "it"}}]}, status=202)
    w.http("POST", "/v1/calls", several, {"Accept": "text/event-stream"})
    w.http("POST", "/v1/calls", {"calls": []}, status=400)
    w.http("POST", "/v1/calls", b"{", {"Content-Type": "application/json"}, status=400)
    w.http("POST", "/v1/calls", b"{}", {"Content-Type": "text/plain"}, status=415)
    w.http("POST", "/v1/calls", {**several, "session_id": "ses_" + "0" * 32}, status=404)
    w.http("GET", "/v1/stats")
    w.http("GET", "/v1/top")
    w.http("GET", "/v1/logs?last=5&level=info&event=ready&tool=echo&tenant=acme&follow=false")
    w.http("GET", "/v1/logs?last=x", status=400)
    w.http("DELETE", "/v1/stats", status=204)


def calls(w):
    w.http("GET", "/v1/calls/none", status=404)
    w.http("DELETE", "/v1/calls/none?running=true", status=404)
    w.http("DELETE", "/v1/calls/to-come", status=202)
    w.http("GET", "/v1/calls/c1")
    w.http("DELETE", "/v1/calls/c1", status=409)
    asked = w.http("POST", "/v1/tools/greet/call", {"arguments": {"who": "it"}}, status=202).json["ask"]
    w.http("GET", "/v1/asks")
    place = f"/v1/asks/{asked['id']}"
    w.http("GET", place)
    w.http("POST", place, {"responses": {"user_name": {}}}, status=422)
    w.http("POST", place, {}, status=400)
    w.http("POST", place, {"responses": {"user_name": ADA}})
    w.http("POST", place, {"responses": {}}, status=409)
    w.http("GET", place)
    w.http("DELETE", place, status=204)
    w.http("DELETE", place, status=404)
    told = w.http("POST", "/v1/tools/large/call?preview=true", {"arguments": {"kind": "text", "bytes": 300000}})
    link = next(part for part in told.json["content"] if part["type"] == "resource_link")
    place = "/v1/results/" + link["uri"].rsplit("/", 1)[1]
    same(len(w.http("GET", place).body), 300000)
    same(len(w.http("GET", place, headers={"Range": "bytes=0-9"}, status=206).body), 10)
    w.http("GET", place, headers={"Range": "bytes=300000-"}, status=416)
    w.http("GET", "/v1/results/none", status=404)


def approvals(w):
    """Calls of the calculator with one expression need approval."""
    def waits(expression):
        waiting = in_background(lambda: w.d.http("POST", "/v1/tools/calculator/call",
                                                 {"arguments": {"expression": expression}}, w.headers))
        wait_for(lambda: w.d.http("GET", "/v1/approvals?state=pending", headers=w.headers).json["approvals"],
                 what="the approval")
        return waiting, w.http("GET", "/v1/approvals?state=pending&limit=1&tenant=default").json["approvals"][0]["id"]

    waiting, found = waits("40+1")
    place = f"/v1/approvals/{found}"
    w.http("GET", place)
    for body in ({}, {"decision": "maybe"}, {"decision": "approve", "why": 1}, {"decision": "reject", "remember": "tool"}):
        w.http("POST", place, body, status=400)
    w.http("POST", place, b"{", {"Content-Type": "application/json"}, status=400)
    w.http("POST", place, b"{}", {"Content-Type": "text/plain"}, status=415)
    w.http("POST", place, {"decision": "approve", "remember": "arguments"})
    same(waiting().json["content"][0]["text"], "41")
    w.http("POST", place, {"decision": "reject"}, status=409)
    wait_for(lambda: "result" in w.http("GET", place).json, what="the result")
    rule = w.http("GET", "/v1/approvals/rules").json["rules"][0]["id"]
    w.http("DELETE", f"/v1/approvals/rules/{rule}", status=204)
    w.http("DELETE", f"/v1/approvals/rules/{rule}", status=404)
    waiting, found = waits("40+1")
    w.http("POST", f"/v1/approvals/{found}", {"decision": "reject", "text": "No."})
    same(w.api.saw("POST", "/v1/tools/calculator/call", waiting()).error, "approval_rejected")
    left = w.http("POST", "/v1/tools/calculator/call", {"arguments": {"expression": "40+1"}},
                  {"Prefer": "respond-async"}, status=202).json["approval"]["id"]
    w.http("POST", f"/v1/approvals/{left}", {"decision": "approve"})
    both = {"calls": [{"name": "calculator", "arguments": {"expression": e}} for e in ("1+1", "40+1")]}
    for result in w.http("POST", "/v1/calls", both, {"Prefer": "respond-async"}, status=202).json["results"]:
        w.http("POST", f"/v1/approvals/{result['approval']['id']}", {"decision": "reject"})
    w.http("GET", "/v1/approvals?limit=1")
    w.http("GET", "/v1/approvals?cursor=1")
    w.http("GET", "/v1/approvals?state=unknown", status=400)
    w.http("GET", "/v1/approvals/none", status=404)
    w.http("POST", "/v1/approvals/none", {"decision": "approve"}, status=404)


def offers(w):
    w.http("GET", "/v1/resources")
    read = w.http("GET", "/v1/resources").json["resources"][0]["uri"]
    w.http("GET", f"/v1/resources/read?uri={read}")
    w.http("GET", "/v1/resources/read?uri=none:1", status=404)
    w.http("GET", "/v1/resources/read", status=400)
    skills = w.http("GET", "/v1/skills").json["skills"]
    uri = skills[0]["uri"]
    w.http("GET", f"/v1/skills/get?uri={uri}")
    w.http("GET", f"/v1/resources/directory?uri={uri.removesuffix('/SKILL.md')}")
    w.http("GET", "/v1/resources/directory?uri=none:1", status=404)
    w.http("GET", "/v1/skills/get?uri=none:1", status=404)
    prompts = w.http("GET", "/v1/prompts").json["prompts"]
    plain = [p["name"] for p in prompts
             if "input_required" not in p["name"] and not any(a.get("required") for a in p.get("arguments", []))]
    w.http("POST", f"/v1/prompts/{plain[0]}", {})
    w.http("POST", "/v1/prompts/test_input_required_result_prompt", {}, status=202)
    w.http("POST", "/v1/prompts/none", {}, status=404)


def sessions(w):
    opened = w.http("POST", "/v1/sessions", {"call_id": "t1", "ttl_ms": 60000, "context": {"user": {"a": 1}}}, status=201)
    place = opened.headers["location"]
    w.http("POST", "/v1/sessions", {"context": {"user": 1}}, status=400)
    w.http("GET", "/v1/sessions")
    w.http("GET", place)
    name = opened.json["session_id"]
    call = {"arguments": {"text": "hi"}, "session_id": name, "call_id": "c1"}
    w.http("POST", "/v1/tools/echo/call", call)
    w.http("POST", "/v1/tools/echo/call?encoding=sonore", call)
    w.http("POST", "/v1/tools/echo/call", {**call, "arguments": {"text": "ho"}}, status=409)
    w.http("POST", "/v1/tools/echo/call", {**call, "session_id": "ses_" + "0" * 32}, status=404)
    w.http("POST", place + "/events", {"type": "context", "set": {"workflow.step": 2}}, status=202)
    w.http("POST", place + "/events", {"type": "context", "set": {"user.a": 2}}, status=403)
    w.http("POST", place + "/events", {"type": ""}, status=400)
    w.http("POST", place + "/events", {"type": "answer", "call_id": "x", "decline": True}, status=404)
    w.http("POST", place + "/interrupt", {"response_id": "r"})
    w.http("POST", place + "/interrupt", [], status=400)
    w.http("GET", place + "/events?after=1000", status=400)
    stream(w, place + "/events")
    w.http("GET", "/v1/session", status=426)
    handshake(w)
    w.http("DELETE", place, status=204)
    w.http("GET", place, status=404)
    w.http("GET", place + "/events", status=404)


def head_of(w, path, more=""):
    """Status and headers of an answer that does not end."""
    host, port = w.d.address.rsplit(":", 1)
    fields = "".join(f"{name}: {value}\r\n" for name, value in w.headers.items()) + more
    with socket.create_connection((host, int(port)), 10) as s:
        s.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n{fields}\r\n".encode())
        got = b""
        while b"\r\n\r\n" not in got:
            got += s.recv(4096)
    lines = got.split(b"\r\n\r\n")[0].decode().split("\r\n")
    return int(lines[0].split()[1]), dict(line.lower().split(": ", 1) for line in lines[1:])


def stream(w, path, more=""):
    status, headers = head_of(w, path, more)
    same((status, headers["content-type"]), (200, "text/event-stream"))
    operation = w.api.find("GET", path)
    assert "text/event-stream" in operation["responses"]["200"]["content"]
    w.api.made.add(operation["operationId"])


def handshake(w):
    status, _ = head_of(w, "/v1/session", "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n")
    same(status, 101)
    assert "101" in w.api.find("GET", "/v1/session")["responses"]


def mcp(w):
    headers = {"Accept": "application/json, text/event-stream"}
    session = w.http("POST", "/mcp", INITIALIZE, headers).headers["mcp-session-id"]
    headers["Mcp-Session-Id"] = session
    w.http("POST", "/mcp", {"jsonrpc": "2.0", "method": "notifications/initialized"}, headers, status=202)
    w.http("POST", "/mcp", {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}, headers)
    w.http("POST", "/mcp", {"jsonrpc": "2.0", "id": 3}, headers, status=400)
    w.http("POST", "/mcp", {"jsonrpc": "2.0", "id": 3, "method": "tools/list"},
           {**headers, "Mcp-Session-Id": "none"}, status=404)
    w.http("POST", "/mcp", b"{}", {"Content-Type": "text/plain"}, status=415)
    w.http("GET", "/mcp", status=405)
    stream(w, "/mcp", f"Accept: text/event-stream\r\nMcp-Session-Id: {session}\r\n")
    w.http("DELETE", "/mcp", headers=headers, status=204)


def daemon(w):
    for path in ("/", "/healthz", "/readyz", "/metrics", "/openapi.json", "/v1/plugins", "/v1/tenants",
                 "/v1/tenants/acme", "/v1/tenants/acme/pins"):
        w.http("GET", path)
    w.http("GET", "/v1/tenants/none", status=404)
    w.http("GET", "/v1/tenants/none/pins", status=404)
    w.http("POST", "/v1/tenants/acme/pins/accept?name=none", status=404)
    w.http("POST", "/v1/plugins/echo/release")
    w.http("POST", "/v1/plugins/none/release", status=404)
    w.http("GET", "/v1/store")
    w.http("POST", "/v1/store/backup", status=409)  # it is in memory
    w.http("POST", "/v1/store/backup?name=.hidden", status=400)
    w.http("POST", "/v1/reload")
    w.d.tenant("wrong", "{")
    w.d.wait_log("tenant_refused")
    w.http("GET", "/v1/tenants")


def made(w):
    """Tools and endpoints that a tenant makes: the stand-in of the builder reads dense JSON."""
    endpoint = {"name": "meal.log", "url": "https://hooks.example/meal"}
    other = {**endpoint, "url": "https://other.example/"}
    for kind, document, wrong in (("tools", deed("a"), {"name": "a", "says": "wrong"}), ("endpoints", endpoint, other)):
        place = f"/v1/tenants/default/{kind}"
        one = f"{place}/{document['name']}"
        first = w.http("PUT", one + "?wait=true", dense(document), status=201)
        w.http("PUT", one, dense(document), {"If-Match": '"99999"'}, status=412)
        w.http("PUT", one + "?validate=true", dense(document))
        w.http("PUT", one, dense(wrong), status=422)
        w.http("PUT", one, "[", status=400)
        w.http("GET", place + "?limit=1&offset=0&search=a")
        w.http("GET", one)
        w.http("GET", one + "?raw=true")
        w.http("GET", place + "/none", status=404)
        w.http("PATCH", one, {"description": "Another."})
        w.http("GET", one + "/history")
        w.http("POST", f"{one}/restore?revision={first.json['revision']}")
        w.http("POST", one + "/restore", status=400)
    w.http("POST", "/v1/tenants/default/tools", dense(deed("b")), status=201)
    w.http("POST", "/v1/tenants/default/tools", dense(deed("b")), status=409)
    w.http("POST", "/v1/tenants/default/tools/a/test", {"arguments": {"x": 1}})
    w.http("POST", "/v1/tenants/default/tools/none/test", {}, status=404)
    for one in ("tools/a", "tools/b", "endpoints/meal.log"):
        w.http("DELETE", "/v1/tenants/default/" + one)
    w.http("DELETE", "/v1/tenants/default/tools/a", status=404)


def realtime(w):
    w.http("POST", "/v1/realtime/calls", {"call_id": "rtc_1"}, status=201)
    w.http("POST", "/v1/realtime/calls", {"call_id": "rtc_1"}, status=409)
    w.http("POST", "/v1/realtime/calls", {"call": "rtc_1"}, status=400)
    w.http("POST", "/v1/realtime/incoming", b"{}", {"Content-Type": "application/json"}, status=401)
    body = incoming("rtc_2")
    w.http("POST", "/v1/realtime/incoming", body, sign(body, "wh_1"))
    w.http("POST", "/v1/realtime/incoming", body, sign(body, "wh_1"))
    w.http("POST", "/v1/realtime/incoming", b"{}", sign(b"{}", "wh_2"))


def strangers(w):
    """Who shows nothing, nothing good, or lacks the role."""
    caller = bearer(new_key(w.d, "caller", "--role", "call"))
    for headers, status in (({}, 401), (bearer("none"), 401), ({"Authorization": "Bearer a b"}, 400), (caller, 403)):
        w.api.saw("POST", "/v1/reload", w.d.http("POST", "/v1/reload", headers=headers))
        same(w.d.http("POST", "/v1/reload", headers=headers).status, status)
    w.http("GET", "/v1/tools", headers={"Host": "evil.example"}, status=403)
    w.http("GET", "/v1/tools", headers={"Origin": "https://evil.example"}, status=403)
    w.http("GET", "/v1/tools", headers={"X-Long": "x" * 9000}, status=431)
    w.http("GET", "/v1/tools?tools=" + "x" * 9000, status=414)


def metadata(api):
    with guarded() as (d, _):
        for path in ("/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"):
            same(api.saw("GET", path, d.http("GET", path)).status, 200)


def test_every_operation_answers_as_described():
    with RealtimeServer() as service:
        config = {**webhook_config(service), "auth": {"required": True}, "results": {"shown": "1K"},
                  "approvals": {"rules": [{"tools": ["calculator"], "approval": "always",
                                           "arguments": {"properties": {"expression": {"const": "40+1"}}}}]}}
        with Daemon(plugins=PLUGINS, tenants={"acme": {"pin": True}}, policies=GRANTS, config=config) as d:
            api = Described(d)
            w = Witness(d, api, bearer(new_key(d, "all", "--role", "manage")))
            for part in (tools, calls, approvals, offers, sessions, mcp, daemon, made, realtime, strangers):
                part(w)
            metadata(api)
            api.check()


def test_the_command_prints_the_same():
    with Daemon() as d:
        status, out, err = run(installed("bin/toolhost"), "openapi")
        same((status, err, out), (0, "", d.http("GET", "/openapi.json").body.decode() + "\n"))
        same(run(installed("bin/toolhost"), "openapi", "now")[0], 2)


def test_it_is_there_for_everybody():
    with Daemon(config={"auth": {"required": True}}) as d:
        answer = d.http("GET", "/openapi.json")
        same((answer.status, answer.headers["content-type"]), (200, "application/json"))
        same(d.http("HEAD", "/openapi.json").status, 200)
        same(d.http("POST", "/openapi.json").status, 401)
        same(answer.json["openapi"], "3.1.0")
        key = bearer(new_key(d, "all", "--role", "manage"))
        same(d.http("GET", "/", headers=key).json["openapi"], "/openapi.json")


def check_examples(api, media, what):
    if "example" in media and "schema" in media:
        same(api.judge(media["schema"], [(what, json.dumps(media["example"]).encode())]), "")
        return 1
    return 0


def test_its_examples_are_valid():
    with Daemon() as d:
        api = Described(d)
        count = 0
        for methods in api.document["paths"].values():
            for operation in methods.values():
                bodies = [operation.get("requestBody", {})]
                for holder in (*bodies, *map(api.resolve, operation["responses"].values())):
                    for media in holder.get("content", {}).values():
                        count += check_examples(api, media, operation["operationId"])
        assert count > 5, "there are no examples"


def test_what_is_no_utf8_is_told_as_utf8():
    with Daemon() as d:
        for query, name in (("%ff=1", "�"), ("a%00b=1", ""), ("tools=%ff", "tools"), ("tools=%ed%a0%80", "tools")):
            answer = d.http("GET", "/v1/tools?" + query)
            same((answer.status, answer.error), (400, "bad_parameter"))
            assert answer.json["error"]["message"].startswith(name), answer


if __name__ == "__main__":
    main()
