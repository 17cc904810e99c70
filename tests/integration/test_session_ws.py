#!/usr/bin/env python3
"""A whole conversation over a WebSocket: the handshake, events, limits, and how it ends."""

import base64
import contextlib
import hashlib
import json
import os
import random
import socket
import struct

from harness import PATIENCE, Daemon, main, same, wait_for
from test_auth import bearer, new_key

GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
TEXT, BYTES, CLOSE, PING, PONG = 1, 2, 8, 9, 10


class WebSocket:
    """A client that can also do what none should."""

    def __init__(self, daemon, query="", headers=None, receive_buffer=None):
        host, port = daemon.address.rsplit(":", 1)
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(20 * PATIENCE)
        self.socket.connect((host, int(port)))
        key = base64.b64encode(os.urandom(16))
        sent = {"Host": daemon.address, "Upgrade": "websocket", "Connection": "keep-alive, Upgrade",
                "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": key.decode(), **(headers or {})}
        lines = "".join(f"{name}: {value}\r\n" for name, value in sent.items() if value is not None)
        self.socket.sendall(f"GET /v1/session{query} HTTP/1.1\r\n{lines}\r\n".encode())
        self.file = self.socket.makefile("rb")
        self.status = int(self.file.readline().split()[1])
        self.headers = {}
        while (line := self.file.readline().decode().strip()):
            name, _, value = line.partition(": ")
            self.headers[name.lower()] = value
        if self.status == 101:
            expected = base64.b64encode(hashlib.sha1(key + GUID).digest()).decode()
            same(self.headers["sec-websocket-accept"], expected)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()
        self.socket.close()

    def frame(self, opcode, data, fin=True, masked=True):
        size = len(data)
        head = bytes([(0x80 if fin else 0) | opcode])
        bit = 0x80 if masked else 0
        head += (bytes([bit | size]) if size < 126 else bytes([bit | 126]) + struct.pack("!H", size) if size < 65536
                 else bytes([bit | 127]) + struct.pack("!Q", size))
        mask = os.urandom(4) if masked else b""
        body = bytes(b ^ mask[i % 4] for i, b in enumerate(data)) if masked else data
        self.socket.sendall(head + mask + body)

    def say(self, **event):
        self.frame(TEXT, json.dumps(event).encode())

    def receive(self):
        """(opcode, payload) of the next frame; None at the end."""
        head = self.file.read(2)
        if len(head) < 2:
            return None
        same(head[1] & 0x80, 0, "a mask of the server")
        size = head[1] & 0x7F
        if size == 126:
            size = struct.unpack("!H", self.file.read(2))[0]
        elif size == 127:
            size = struct.unpack("!Q", self.file.read(8))[0]
        return head[0] & 0x0F, self.file.read(size)

    def event(self, kind):
        """The next event, which is of this kind."""
        opcode, payload = self.receive()
        same(opcode, TEXT, payload)
        event = json.loads(payload)
        same(event["type"], kind, event)
        return event

    def closed(self):
        """The code it is closed with (None: it has none), and nothing behind that."""
        opcode, payload = self.receive()
        same(opcode, CLOSE, payload)
        same(self.receive(), None, "behind the end")
        return struct.unpack("!H", payload[:2])[0] if payload else None


def sessions(daemon):
    return daemon.http("GET", "/v1/sessions").json["sessions"]


def test_a_conversation():
    with Daemon(plugins=["echo", "slow_echo"]) as d:
        with WebSocket(d, "?call_id=CA-7") as ws:
            session = ws.event("session")["session"]
            for _ in range(3):
                ws.say(type="response.function_call_arguments.done", call_id="fc", name="echo",
                       arguments='{"text":"hi"}', response_id="r1")
            same(ws.event("tool_call_started")["number"], 1)
            output = ws.event("tool_call_output")
            same((output["number"], output["call_id"], output["output"]), (2, "fc", '{"result":"hi"}'))
            ws.say(type="tool_call", call_id="slow", name="slow_echo", arguments={"ms": 20000}, response_id="r2")
            ws.event("tool_call_started")
            ws.say(type="response.done", response={"id": "r2", "status": "cancelled"})
            while (event := json.loads(ws.receive()[1]))["type"] == "tool_call_progress":
                pass
            same((event["type"], event["error"], event["respond"]), ("tool_call_output", "tool_cancelled", False))
            same(d.http("GET", f"/v1/sessions/{session['session_id']}").json["executed"], 2)
            ignored = [e for state in ("pending", "executed")
                       for e in d.log_events(f"tool_invocation_ignored_already_{state}", least=1)]
            same([e["call_id"] for e in ignored], ["CA-7"] * 2)
            ws.say(type="end", reason="hangup")
            same(ws.event("session_ended")["reason"], "hangup")
            same(ws.closed(), 1000)
        same(sessions(d), [])


def test_it_ends_with_its_connection():
    with Daemon(plugins=["echo", "slow_echo"]) as d:
        with WebSocket(d) as ws:
            ws.event("session")
            ws.say(type="tool_call", call_id="c", name="slow_echo", arguments={"ms": 20000})
            ws.event("tool_call_started")
        d.wait_log("session_ended", lambda e: e["reason"] == "disconnected")
        d.wait_log("tool_call_failed", lambda e: e["code"] == "tool_cancelled")
        with WebSocket(d) as ws:
            ws.event("session")
            ws.frame(CLOSE, struct.pack("!H", 1000))
            same(ws.closed(), 1000)
        wait_for(lambda: not sessions(d), 10, "the end of both")


def test_it_is_joined_behind_an_event():
    with Daemon(plugins=["echo"]) as d:
        with WebSocket(d, "?keep=true") as ws:
            session = ws.event("session")["session"]["session_id"]
            ws.say(type="tool_call", call_id="a", name="echo", arguments={"text": "1"})
            ws.event("tool_call_started")
            ws.event("tool_call_output")
        with WebSocket(d, f"?session_id={session}&after=1") as ws:
            ws.event("session")
            same(ws.event("tool_call_output")["number"], 2)
        for query, status in ((f"?session_id={session}&after=9", 400), (f"?session_id={session}&after=x", 400),
                              ("?session_id=ses_0", 404)):
            with WebSocket(d, query) as ws:
                same(ws.status, status, query)
        same(len(sessions(d)), 1)


def test_who_has_joined_goes_with_its_owner():
    with Daemon(plugins=["echo"]) as d:
        with WebSocket(d) as owner:
            session = owner.event("session")["session"]["session_id"]
            guests = [WebSocket(d, f"?session_id={session}") for _ in range(3)]
            for guest in guests:
                guest.event("session")
        for guest in guests:
            with guest:
                same(guest.event("session_ended")["reason"], "disconnected")
                same(guest.closed(), 1000)


def test_what_is_wrong_is_told():
    with Daemon(plugins=["echo"]) as d, WebSocket(d) as ws:
        ws.event("session")
        ws.frame(TEXT, b"{")
        same(ws.event("error")["code"], "bad_json")
        ws.say(type="tool_call", name="echo")
        error = ws.event("error")
        same((error["code"], error["path"]), ("bad_event", "/call_id"))
        ws.frame(PING, b"there?")
        same(ws.receive(), (PONG, b"there?"))
        ws.frame(TEXT, b'{"type":"tool_call","call_id":"c",', fin=False)
        ws.frame(PING, b"")
        ws.frame(0, b'"name":"echo","arguments":{"text":"parts"}}')
        same(ws.receive(), (PONG, b""))
        ws.event("tool_call_started")
        same(ws.event("tool_call_output")["output"], '{"result":"parts"}')


def test_T0_10_T0_11_as_an_application_with_a_realtime_socket_of_its_own():
    with Daemon(plugins=["echo", "slow_echo"]) as d, WebSocket(d, "?format=realtime") as ws:
        tools = ws.event("session.update")["session"]
        same((tools["type"], tools["tool_choice"]), ("realtime", "auto"))
        same(sorted((t["type"], t["name"]) for t in tools["tools"]), [("function", "echo"), ("function", "slow_echo")])
        ws.frame(TEXT, b"{")  # logged, and nothing else
        ws.say(type="response.created", response={"id": "r1"})
        for call in ("c1", "c2"):
            ws.say(type="response.function_call_arguments.done", call_id=call, item_id="i" + call, response_id="r1",
                   name="echo", arguments='{"text":"hi"}')
        items = [ws.event("conversation.item.create")["item"] for _ in range(2)]
        same(sorted((i["type"], i["call_id"], i["output"]) for i in items),
             [("function_call_output", c, '{"result":"hi"}') for c in ("c1", "c2")])
        ws.say(type="response.create", response={"instructions": "Greet."})
        ws.say(type="response.done", response={"id": "r1", "status": "completed"})
        same("response" in ws.event("response.create"), False, "the tools' turn comes first")
        ws.say(type="response.created", response={"id": "r2"})
        ws.say(type="response.function_call_arguments.done", call_id="slow", item_id="i9", response_id="r2",
               name="slow_echo", arguments='{"ms":20000}')
        ws.say(type="response.output_item.done", response_id="r2", item={
            "id": "i9", "type": "function_call", "status": "completed", "call_id": "slow", "name": "slow_echo",
            "arguments": '{"ms":20000}'})
        ws.say(type="response.done", response={"id": "r2", "status": "cancelled"})
        output = ws.event("conversation.item.create")["item"]
        same((output["call_id"], json.loads(output["output"])["error"]), ("slow", "tool_cancelled"))
        same(ws.event("response.create")["response"], {"instructions": "Greet."})
        ws.say(type="end", reason="hangup")
        same(ws.closed(), 1000)
        same(len(d.log_events("realtime_event_malformed", least=1)), 1)
        with WebSocket(d, "?format=morse") as other:
            same(other.status, 400)


def test_an_application_answers_what_a_tool_asks():
    with Daemon(plugins=["asks"]) as d, WebSocket(d, "?format=realtime") as ws:
        ws.event("session.update")
        ws.say(type="response.function_call_arguments.done", call_id="c", item_id="i", response_id="r", name="greet",
               arguments="{}")
        asked = ws.event("toolhost.tool_call_asks")
        same((asked["call_id"], list(asked["requests"])), ("c", ["user_name"]))
        ws.say(type="answer", call_id="c", responses={"user_name": {"action": "accept", "content": {"name": "Ann"}}})
        same(ws.event("conversation.item.create")["item"]["output"], '{"result":"Hello, Ann!"}')
        ws.event("response.create")


def test_limits_close_with_a_code():
    with Daemon(plugins=["echo"], config={"body_max": 4096}) as d:
        for act, code in (
                (lambda ws: ws.frame(BYTES, b"x"), 1003),
                (lambda ws: ws.frame(TEXT, b" " * 5000), 1009),
                (lambda ws: ws.frame(TEXT, b"{}", masked=False), 1002),
                (lambda ws: ws.frame(3, b""), 1002),
                (lambda ws: ws.frame(TEXT, b"\xff\xfe"), 1007),
                (lambda ws: ws.frame(PING, b"x" * 126), None),
                (lambda ws: ws.frame(0, b"x"), 1002)):
            with WebSocket(d) as ws:
                ws.event("session")
                act(ws)
                same(ws.closed(), code)
        wait_for(lambda: not sessions(d), 10, "the end of all")


def test_garbage_ends_a_connection_at_most():
    chance = random.Random(7)
    with Daemon(plugins=["echo"]) as d:
        for _ in range(100):
            with WebSocket(d) as ws, contextlib.suppress(OSError):
                ws.event("session")
                for _ in range(chance.randint(1, 8)):
                    if chance.random() < 0.5:
                        ws.socket.sendall(chance.randbytes(chance.randint(1, 200)))
                    else:
                        ws.frame(chance.choice((0, TEXT, TEXT, BYTES, PING, PONG)),
                                 chance.randbytes(chance.randint(0, 125)), fin=chance.random() < 0.7)
        wait_for(lambda: not sessions(d), 10, "the end of all")
        same(d.rest("echo", {"text": "still here"}).status, 200)


def test_one_that_does_not_read_is_closed():
    with Daemon(plugins=["echo"]) as d, WebSocket(d, "?keep=true", receive_buffer=4096) as ws:
        session = ws.event("session")["session"]["session_id"]
        answers = [d.http("POST", f"/v1/sessions/{session}/events",
                          {"type": "tool_call", "call_id": f"c{n}", "name": "echo",
                           "arguments": {"text": "x" * 60000}}) for n in range(250)]
        same({a.status for a in answers}, {202})
        # All is said before it reads: more than any socket's buffers hold.
        wait_for(lambda: d.http("GET", f"/v1/sessions/{session}").json["executed"] == 250, 20, "the end of all calls")
        last = None
        while frame := ws.receive():
            last = frame
        same((last[0], struct.unpack("!H", last[1][:2])[0], last[1][2:]), (CLOSE, 1008, b"slow_consumer"))


def test_the_handshake():
    with Daemon(plugins=["echo"]) as d:
        for headers, status in (({"Upgrade": None}, 426), ({"Connection": "keep-alive"}, 426),
                                ({"Sec-WebSocket-Version": "8"}, 426), ({"Sec-WebSocket-Key": "short"}, 400),
                                ({"Origin": "https://evil.example"}, 403)):
            with WebSocket(d, headers=headers) as ws:
                same(ws.status, status, headers)
        same(d.http("GET", "/v1/session").headers["sec-websocket-version"], "13")
        same(d.http("POST", "/v1/session", {}).status, 405)
        watcher = new_key(d, "watcher", "--role", "list")
        with WebSocket(d, headers=bearer(watcher)) as ws:
            same(ws.status, 403)
        same(sessions(d), [])


def test_it_is_closed_when_the_daemon_stops():
    with Daemon(plugins=["echo"]) as d, WebSocket(d) as ws:
        ws.event("session")
        d.signal(15)
        same(ws.closed(), 1001)
        d.process.wait(15 * PATIENCE)


if __name__ == "__main__":
    main()
