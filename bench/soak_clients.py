"""One client of `./dev soak mixed`: deeds at random, every answer looked at.

  soak_clients.py ADDRESS SEED SECONDS WEBHOOK

It ends by itself and prints {"done": {deed: count}, "told": {code: count}, "broken": count, "wrong": [text]}: what it
did, which codes it was told instead of a result, how often a connection broke, and answers that may not be."""

import collections
import http.client
import json
import pathlib
import random
import socket
import sys
import time

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests/integration"))
from harness import ENVELOPE, LEGACY, mcp_headers  # noqa: E402
from test_agui import call_events, lines, FINISHED, STARTED  # noqa: E402
from test_session_ws import WebSocket  # noqa: E402

JSON = {"Content-Type": "application/json"}
# What a caller may be told while workers are killed, plugins replaced, and the kernel refuses: never a wrong result.
HONEST = {"tool_crashed", "worker_lost", "tool_unavailable", "tool_overloaded", "memory_short", "internal_error",
          "tool_execution_failed", "too_many_connections", "approval_rejected"}
WRONG_MAX = 20


class Wrong(Exception):
    """An answer that may not be."""


class Client:
    def __init__(self, address, seed, webhook):
        self.address, self.webhook = address, webhook
        self.host, port = address.rsplit(":", 1)
        self.port = int(port)
        self.random = random.Random(seed)
        self.turn = 0
        self.name = f"soak-{seed}"
        self.told = collections.Counter()
        self.connection = None

    # ---- asking

    def ask(self, method, path, body=None, headers=None):
        """(status, headers, body) over the connection that is kept."""
        if self.connection is None:
            self.connection = http.client.HTTPConnection(self.host, self.port, timeout=60)
        data = body if body is None or isinstance(body, (str, bytes)) else json.dumps(body)
        try:
            self.connection.request(method, path, data, headers or JSON)
            answer = self.connection.getresponse()
            return answer.status, answer.headers, answer.read()
        except (OSError, http.client.HTTPException):
            self.connection.close()
            self.connection = None
            raise

    def text(self):
        self.turn += 1
        return f"{self.name}/{self.turn}"

    def refused(self, code, what):
        """A code in place of a result."""
        self.told[str(code)] += 1
        if code not in HONEST:
            raise Wrong(f"{what}: {code}")

    def rest(self, tool, arguments, expected, also=None):
        """A call by plain HTTP: its text holds what is expected, or its code is that, the other, or an honest one."""
        status, _, body = self.ask("POST", f"/v1/tools/{tool}/call", {"arguments": arguments})
        self.judge(json.loads(body), expected, f"{tool}: {status}", also)

    def judge(self, result, expected, what, also=None):
        code = (result.get("error") or {}).get("code")
        if code is None:
            if expected not in json.dumps(result):
                raise Wrong(f"{what}: {json.dumps(result)[:300]} has no {expected[:60]}")
        elif code in (expected, also):
            self.told[code] += 1
        else:
            self.refused(code, what)

    # ---- deeds

    def modern(self):
        text = self.text()
        params = {"name": "echo", "arguments": {"text": text}, "_meta": ENVELOPE}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        _, _, body = self.ask("POST", "/mcp", message, {**JSON, **mcp_headers("tools/call", params)})
        self.judge_mcp(json.loads(body), text, "modern")

    def judge_mcp(self, message, text, what):
        result = message.get("result")
        if result is None or result.get("isError"):
            said = json.dumps(message)
            honest = [code for code in HONEST if code in said]
            self.refused(honest[0] if honest else said[:300], what)
        elif text not in json.dumps(result):
            raise Wrong(f"{what}: {json.dumps(result)[:300]} has no {text}")

    def legacy(self):
        """A session of 2025-11-25: its begin, two calls, its end."""
        headers = {**JSON, "Accept": "application/json, text/event-stream"}
        params = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "soak", "version": "1"}}
        status, heads, body = self.ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params},
                                       headers)
        if status != 200:
            return self.refused((json.loads(body).get("error") or {}).get("code"), "initialize")
        headers.update({"Mcp-Session-Id": heads["mcp-session-id"], "MCP-Protocol-Version": LEGACY})
        self.ask("POST", "/mcp", {"jsonrpc": "2.0", "method": "notifications/initialized"}, headers)
        for number in (1, 2):
            text = self.text()
            message = {"jsonrpc": "2.0", "id": number, "method": "tools/call",
                       "params": {"name": "echo", "arguments": {"text": text}}}
            _, kind, body = self.ask("POST", "/mcp", message, headers)
            if kind["content-type"].startswith("text/event-stream"):
                body = [line[5:] for line in body.decode().split("\n") if line.startswith("data:") and line[5:].strip()][-1]
            self.judge_mcp(json.loads(body), text, "legacy")
        self.ask("DELETE", "/mcp", None, headers)

    def plain(self):
        text = self.text()
        self.rest("echo", {"text": text}, text)

    def others(self):
        self.rest("calculator", {"expression": "2^64-1"}, "18446744073709551615")
        self.rest("clock", {"op": "now"}, "T")

    def large(self):
        text = self.text() + "x" * self.random.randint(20_000, 300_000)
        self.rest("echo", {"text": text}, text)

    def wrong_arguments(self):
        self.rest("echo", {"txt": 1}, "tool_args_invalid")
        self.rest("nobody", {}, "tool_not_found")

    def crash(self):
        """Whose crashes in a row keep its next worker waiting, beyond the call's time."""
        self.rest("null_deref", {}, "tool_crashed", also="tool_timeout")

    def endless(self):
        self.rest("spin", {}, "tool_timeout")

    def hook(self):
        """A tool that asks a server through the daemon."""
        self.rest("courier", {"url": self.webhook, "json": "{}"}, "delivered")

    def approved(self):
        """A call that waits for a decision, by its own caller."""
        headers = {**JSON, "Prefer": "respond-async"}
        yes = self.random.random() < 0.7
        status, _, body = self.ask("POST", "/v1/tools/hash/call", {"arguments": {"text": "hello", "algorithm": "sha256"}}, headers)
        answer = json.loads(body)
        if status != 202:
            return self.refused((answer.get("error") or {}).get("code"), "a call that waits")
        id = answer["approval"]["id"]
        self.ask("POST", f"/v1/approvals/{id}", {"decision": "approve" if yes else "reject"})

    def batch(self):
        texts = [self.text() for _ in range(self.random.randint(1, 8))]
        calls = [{"name": "echo", "arguments": {"text": text}} for text in texts]
        _, _, body = self.ask("POST", "/v1/calls", {"calls": calls})
        answer = json.loads(body)
        if "results" not in answer:
            return self.refused((answer.get("error") or {}).get("code"), "batch")
        for text, result in zip(texts, answer["results"], strict=True):
            self.judge(result, text, "batch")

    def agui(self):
        text = self.text()
        run = lines([STARTED, *call_events("echo", {"text": text}), FINISHED])
        status, _, body = self.ask("POST", "/v1/agui", run, {"Accept": "application/jsonl", "Content-Type": "application/jsonl"})
        if status != 200:
            return self.refused((json.loads(body).get("error") or {}).get("code"), "agui")
        [result] = [e for e in map(json.loads, body.decode().splitlines()) if e["type"] == "TOOL_CALL_RESULT"]
        if text not in result["content"]:
            honest = [code for code in HONEST if code in body.decode()]
            self.refused(honest[0] if honest else body.decode()[-400:], "agui")

    def conversation(self):
        """A session with calls, one of them twice, an interruption, and its end, or none."""
        status, _, body = self.ask("POST", "/v1/sessions", {"context": {"user": {"name": self.name}}, "ttl_ms": 2000})
        if status != 201:
            return self.refused((json.loads(body).get("error") or {}).get("code"), "a session")
        path = f"/v1/sessions/{json.loads(body)['session_id']}"
        for number in range(self.random.randint(1, 4)):
            slow = self.random.random() < 0.5
            event = {"type": "tool_call", "call_id": f"c{number}", "name": "slow_echo" if slow else "echo",
                     "arguments": {"ms": 30000} if slow else {"text": "hi"}, "response_id": "r"}
            for _ in range(self.random.choice((1, 1, 2))):
                self.ask("POST", f"{path}/events", event)
        self.ask("POST", f"{path}/interrupt", {"response_id": "r"})
        if self.random.random() < 0.8:
            self.ask("DELETE", path)

    def socket(self):
        with WebSocket(self) as ws:
            if ws.status != 101:
                return self.refused("too_many_connections", "a WebSocket")
            text = self.text()
            ws.event("session")
            ws.say(type="tool_call", call_id="c", name="echo", arguments={"text": text})
            while (event := json.loads(ws.receive()[1]))["type"] != "tool_call_output":
                pass
            self.judge({"error": {"code": event["error"]}} if event.get("error") else event, text, "a WebSocket")
            if self.random.random() < 0.7:
                ws.say(type="end")

    def cancelled(self):
        """A call that is cut off with its connection while it runs."""
        with socket.create_connection((self.host, self.port), 20) as peer:
            body = b'{"arguments":{"ms":30000}}'
            peer.sendall(b"POST /v1/tools/slow_echo/call HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                         b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
            time.sleep(self.random.random() / 20)

    def garbage(self):
        """What is no HTTP, or half of it."""
        said = self.random.choice((self.random.randbytes(300), b"GET /v1/tools HTTP/1.1\r\nHost: loc",
                                   b"POST /mcp HTTP/1.1\r\nHost: l\r\nContent-Length: 7\r\n\r\n{\"json"))
        with socket.create_connection((self.host, self.port), 20) as peer:
            peer.sendall(said)

    def lists(self):
        params = {"_meta": ENVELOPE}
        self.good("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params},
                  {**JSON, **mcp_headers("tools/list", params)})
        for path in ("/healthz", "/v1/tools", "/v1/stats", "/metrics", "/openapi.json"):
            self.good("GET", path)

    def good(self, method, path, body=None, headers=None):
        status, _, said = self.ask(method, path, body, headers)
        if status != 200:
            self.refused((json.loads(said).get("error") or {}).get("code"), path)

    DEEDS = {modern: 30, plain: 20, legacy: 4, others: 4, large: 2, wrong_arguments: 3, crash: 1, endless: 1, hook: 6,
             approved: 2, batch: 5, agui: 4, conversation: 5, socket: 4, cancelled: 3, garbage: 2, lists: 1}


def main():
    address, seed, seconds, webhook = sys.argv[1:]
    client = Client(address, int(seed), webhook)
    done, broken, wrong = collections.Counter(), 0, []
    end = time.monotonic() + float(seconds)
    while time.monotonic() < end and len(wrong) < WRONG_MAX:
        [deed] = client.random.choices(list(client.DEEDS), client.DEEDS.values())
        try:
            deed(client)
            done[deed.__name__] += 1
        except Wrong as e:
            wrong.append(f"{deed.__name__}: {e}")
        except (OSError, http.client.HTTPException, TypeError, IndexError) as e:  # the latter two: where a WebSocket broke
            if isinstance(e, TimeoutError):
                wrong.append(f"{deed.__name__}: no answer")
            broken += 1
    print(json.dumps({"done": done, "told": client.told, "broken": broken, "wrong": wrong}))


if __name__ == "__main__":
    main()
