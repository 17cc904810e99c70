#!/usr/bin/env python3
"""A telephone call from its webhook to its end: a daemon with the tenant acme-corp, and OpenAI's Realtime service played.

    webhook, signed  ->  accepted with the tenant's tools  ->  the model calls request_transfer
                     ->  refer, with its idempotency key   ->  the call ends

What the daemon says in its log is compared with what it is to say, name by name.  Exit status 0: it did; 1: it did not;
77: there is no aiohttp (Debian: python3-aiohttp).
"""

import argparse
import asyncio
import base64
import contextlib
import hashlib
import hmac
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time

try:
    from aiohttp import ClientSession, WSMsgType, web
except ImportError:
    print("There is no aiohttp; Debian has it as python3-aiohttp.", file=sys.stderr)
    sys.exit(77)

HERE = pathlib.Path(__file__).resolve().parent
CALL, NUMBER, TENANT = "rtc_demo", "+14155550100", "acme-corp"
SECRET = "whsec_" + base64.b64encode(b"the webhook of a demonstration").decode()
ARGUMENTS = {"destination_id": "support", "reason": "Panne"}
PATIENCE = 30  # seconds for each step

# What the log says, by the names of the system that toolhost behaves like.
EVENTS = """
    tool_build_started
    tool_builder_phase_started tool_builder_phase_no_tool
    tool_builder_phase_started
    tool_builder_refer_destinations_selected tool_builder_refer_parameters_built tool_builder_refer_tool_definition_built
    tool_builder_phase_built_tool
    tool_build_finished
    ws_tool_call_received ws_tool_invocation_built ws_tool_invocation_submitting_to_dispatcher
    tool_invocation_scheduled
    tool_executor_execute_started tool_executor_arguments_parsed tool_executor_dependencies_prepared
    request_transfer_started
    request_transfer_destination_resolution_started request_transfer_destination_resolved
    request_transfer_destination_resolution_finished
    request_transfer_refer_call_started request_transfer_refer_call_succeeded
    tool_executor_execute_finished
    tool_cancel_all_started tool_cancel_all_finished
""".split()
OTHERS = {"tool_build_error", "tool_not_found", "tool_execution_error", "tool_run_and_respond_fallback_output_sent",
          "ws_tool_dispatcher_missing_fallback_output", "request_transfer_destination_not_found"}


def show(arrow, what, detail=""):
    print(f"  {arrow} {what}" + (f"  {detail}" if detail else ""), flush=True)


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class Service:
    """OpenAI's side: the REST paths of calls, and a model that wants to transfer the caller."""

    def __init__(self, refer_status):
        self.refer_status = refer_status
        self.accepted, self.ended = asyncio.Event(), asyncio.Event()
        self.refer = self.tools = self.output = None

    async def start(self):
        app = web.Application()
        app.router.add_post("/v1/realtime/calls/{call}/{verb}", self.rest)
        app.router.add_get("/v1/realtime", self.sideband)
        self.runner = web.AppRunner(app, access_log=None)
        await self.runner.setup()
        site = web.TCPSite(self.runner, "127.0.0.1", 0, shutdown_timeout=0.1)
        await site.start()
        return f"http://127.0.0.1:{site._server.sockets[0].getsockname()[1]}/v1/realtime"

    async def rest(self, request):
        verb, text = request.match_info["verb"], await request.text()
        body = json.loads(text) if text else {}
        if verb == "accept":
            self.tools = {tool["name"]: tool for tool in body["tools"]}
            show("<-", "accept", f"tools: {', '.join(self.tools)}; tool_choice: {body['tool_choice']}")
            self.accepted.set()
        elif verb == "refer":
            self.refer = {**body, "key": request.headers.get("Idempotency-Key")}
            show("<-", "refer", f"{body['target_uri']}, Idempotency-Key: {self.refer['key']}")
            return web.json_response({}, status=self.refer_status)
        else:
            show("<-", verb, compact(body))
        return web.json_response({})

    async def sideband(self, request):
        ws = web.WebSocketResponse()
        await ws.prepare(request)
        show("<-", "sideband", request.path_qs)
        await self.speak(ws)
        async for message in ws:
            if message.type == WSMsgType.TEXT and await self.heard(ws, json.loads(message.data)):
                break
        show("->", "the call ends")
        await ws.close(code=1000)
        self.ended.set()
        return ws

    async def speak(self, ws):
        arguments = compact(ARGUMENTS)
        item = {"id": "item_1", "type": "function_call", "status": "completed", "call_id": "fc_1",
                "name": "request_transfer", "arguments": arguments}
        show("->", "the model calls request_transfer", arguments)
        for event in (
                {"type": "session.created"},
                {"type": "response.created", "response": {"id": "resp_1", "status": "in_progress"}},
                {"type": "response.function_call_arguments.done", "response_id": "resp_1", "item_id": "item_1",
                 "output_index": 0, "call_id": "fc_1", "name": "request_transfer", "arguments": arguments},
                {"type": "response.output_item.done", "response_id": "resp_1", "output_index": 0, "item": item},
                {"type": "response.done", "response": {"id": "resp_1", "status": "completed", "output": [item]}}):
            await ws.send_json({"event_id": f"event_{event['type']}", **event})

    async def heard(self, ws, event):
        """True: that was all; the caller is with somebody else."""
        if event["type"] == "conversation.item.create":
            self.output = json.loads(event["item"]["output"])
            show("<-", "function_call_output", compact(self.output))
        elif event["type"] == "response.create":
            show("<-", "response.create")
        return self.output is not None and event["type"] == "response.create"


class Daemon:
    """toolhostd, with what it needs in a folder of its own."""

    def __init__(self, folder, program, plugin_dirs, service_url):
        self.folder, self.program, self.plugin_dirs = folder, program, plugin_dirs
        self.lines, self.news = [], asyncio.Condition()
        config = folder / "config"
        (config / "tenants.d").mkdir(parents=True)
        (config / "plugins.d").mkdir()
        shutil.copy(HERE / "acme-corp.json", config / "tenants.d" / "acme-corp.json")
        (config / "plugins.d" / "request_transfer.json").write_text('{"permissions": {"call_service": ["refer"]}}')
        for name, text in (("openai", "sk-demo"), ("webhook", SECRET)):
            (folder / name).write_text(text)
            (folder / name).chmod(0o600)
        (config / "toolhostd.json").write_text(json.dumps({"realtime": {
            "url": service_url, "private": True, "key_file": str(folder / "openai"),
            "webhook_secret_file": str(folder / "webhook"), "session": {"model": "gpt-realtime"}}}))

    async def start(self):
        dirs = [part for folder in self.plugin_dirs for part in ("--plugin-dir", folder)]
        self.process = await asyncio.create_subprocess_exec(
            self.program, "--config-dir", str(self.folder / "config"), "--state-dir", "none", "--listen", "127.0.0.1:0",
            "--socket", "none", *(["--no-standard-dirs"] if dirs else []), *dirs,
            stdin=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE, limit=1 << 20)
        self.reader = asyncio.create_task(self.read())
        await self.wait("ready")
        return (await self.wait("listening"))["address"]

    async def read(self):
        async for line in self.process.stderr:
            async with self.news:
                with contextlib.suppress(ValueError):
                    self.lines.append(json.loads(line))
                self.news.notify_all()
        async with self.news:
            self.lines.append({"event": "the end of the log"})
            self.news.notify_all()

    async def wait(self, name):
        def found():
            return [line for line in self.lines if line["event"] in (name, "the end of the log")]

        async with self.news:
            await asyncio.wait_for(self.news.wait_for(found), PATIENCE)
        if found()[0]["event"] != name:
            raise SystemExit(f"toolhostd ended before {name}: {self.lines[-2:]}")
        return found()[0]

    async def stop(self):
        with contextlib.suppress(ProcessLookupError):
            self.process.terminate()
        await self.process.wait()
        await self.reader


async def ring(address):
    body = compact({"id": "evt_1", "object": "event", "type": "realtime.call.incoming", "created_at": int(time.time()),
                    "data": {"call_id": CALL, "sip_headers": [{"name": "From", "value": "sip:+14155559999@example.com"},
                                                              {"name": "To", "value": f"sip:{NUMBER}@example.com"}]}})
    then = str(int(time.time()))
    mac = hmac.new(base64.b64decode(SECRET[6:]), f"wh_1.{then}.{body}".encode(), hashlib.sha256).digest()
    headers = {"webhook-id": "wh_1", "webhook-timestamp": then, "Content-Type": "application/json",
               "webhook-signature": "v1," + base64.b64encode(mac).decode()}
    async with ClientSession() as client, client.post(f"http://{address}/v1/realtime/incoming", data=body,
                                                      headers=headers) as answer:
        show("->", f"webhook: {NUMBER} is called", f"{answer.status} {await answer.text()}")


def compare(lines):
    """Print what the log said, beside what it was to say; is it the same?"""
    known = set(EVENTS) | OTHERS
    said = [line["event"] for line in lines if line["event"] in known and line.get("tenant_id") in (None, TENANT)]
    good = said == EVENTS
    print("\nThe log, in order:")
    for i in range(max(len(said), len(EVENTS))):
        is_, due = (names[i] if i < len(names) else "(nothing)" for names in (said, EVENTS))
        print(f"  {i + 1:2} {is_}" + ("" if is_ == due else f"   <- expected {due}"))
    return good


def check(service):
    target = "+14155552000"
    yield "accepted with request_transfer alone", list(service.tools or ()) == ["request_transfer"]
    yield "transferred to the destination", (service.refer or {}).get("target_uri") == f"tel:{target}"
    yield "with the idempotency key", (service.refer or {}).get("key") == f"{CALL}-transfer-{target}"
    yield "the model was told", service.output == {"message": "call_transfer_requested", "target_uri": target,
                                                   "reason": ARGUMENTS["reason"]}


async def play(options):
    service = Service(options.refer_status)
    # a daemon of root's stops being root, and still has to get at its files
    with tempfile.TemporaryDirectory(prefix="toolhost-phone-agent.") as name:
        os.chmod(name, 0o755)
        daemon = Daemon(pathlib.Path(name), options.toolhostd, options.plugin_dir, await service.start())
        try:
            address = await daemon.start()
            print("The call:")
            await ring(address)
            await asyncio.wait_for(service.ended.wait(), PATIENCE)
            await daemon.wait("session_ended")
        finally:
            await daemon.stop()
            await service.runner.cleanup()
    good = compare(daemon.lines)
    print()
    for what, is_so in check(service):
        good = good and is_so
        print(f"  {'yes' if is_so else 'NO '} {what}")
    print(f"\n{'As it is to be.' if good else 'Not as it is to be.'}")
    return 0 if good else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--toolhostd", default=shutil.which("toolhostd") or "/usr/sbin/toolhostd", help="the daemon")
    parser.add_argument("--plugin-dir", action="append", default=[], help="where request_transfer.so is, if not installed")
    parser.add_argument("--refer-status", type=int, default=200, help="what the service answers to a transfer")
    sys.exit(asyncio.run(play(parser.parse_args())))


if __name__ == "__main__":
    main()
