#!/usr/bin/python3
"""A small MCP server for tests, on standard input and output or (imported) over HTTP, of either era.

    upstream_server.py legacy|modern|both [word …]

Words make it misbehave: garbage, long, lies, flood, slow, exits, deaf, more (a longer list), changes.
"""

import json
import os
import subprocess
import sys
import threading
import time

MODERN = "2026-07-28"
ECHO = {"name": "echo", "title": "Echo", "description": "Says it again.",
        "inputSchema": {"type": "object", "properties": {"text": {"type": "string", "x-kept": True}},
                        "required": ["text"], "additionalProperties": False},
        "annotations": {"readOnlyHint": True, "title": "Echo!"},
        "icons": [{"src": "data:image/png;base64,AAAA", "mimeType": "image/png"}]}
TOOLS = [
    ECHO,
    {"name": "get/sum", "description": "Adds.",
     "inputSchema": {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}},
     "outputSchema": {"type": "object", "properties": {"sum": {"type": "number"}}, "required": ["sum"]}},
    {"name": "get.sum", "description": "The same under another name.", "inputSchema": {"type": "object"}},
    {"name": "parts", "description": "Every kind of part.", "inputSchema": {"type": "object"}},
    {"name": "fails", "inputSchema": {"type": "object"}},
    {"name": "breaks", "description": "Answers with an error.", "inputSchema": {"type": "object"}},
    {"name": "hangs", "description": "Never answers.", "inputSchema": {"type": "object"}},
    {"name": "waits", "description": "Until it is cancelled.", "inputSchema": {"type": "object"}},
    {"name": "progress", "description": "Tells how far it is.", "inputSchema": {"type": "object"}},
    {"name": "crash", "description": "Ends the server.", "inputSchema": {"type": "object"}},
    {"name": "environment", "description": "Of the server.", "inputSchema": {"type": "object"}},
    {"name": "asks", "description": "Asks for a name.", "inputSchema": {"type": "object"}},
    {"name": "other", "description": "A kind that is unknown.", "inputSchema": {"type": "object"}},
]
PARTS = [{"type": "text", "text": "one", "annotations": {"priority": 0.5}},
         {"type": "image", "data": "aGk=", "mimeType": "image/png"},
         {"type": "audio", "data": "aG8=", "mimeType": "audio/wav"},
         {"type": "resource", "resource": {"uri": "test://a", "mimeType": "text/plain", "text": "there"}},
         {"type": "resource", "resource": {"uri": "test://b", "blob": "aGk="}},
         {"type": "resource_link", "uri": "test://c", "name": "c", "description": "linked"}]


class Fault(Exception):
    def __init__(self, code, message, data=None):
        self.error = {"code": code, "message": message, **({"data": data} if data else {})}


class Server:
    """One peer.  say(message) sends; handle(message) gives the answer, or None."""

    def __init__(self, era, words=(), say=None):
        self.era, self.words, self.say = era, set(words), say
        self.calls, self.cancelled, self.asked = 0, [], []
        self.listed = 0
        self.ready = False

    def handle(self, message):
        method, params = message.get("method"), message.get("params") or {}
        if method is None:
            return None
        if "id" not in message:
            if method == "notifications/cancelled":
                self.cancelled.append(params.get("requestId"))
            self.asked.append(method)
            return None
        answer = {"jsonrpc": "2.0", "id": message["id"]}
        try:
            self.asked.append(method)
            result = self.dispatch(method, params)
        except Fault as fault:
            return {**answer, "error": fault.error}
        return None if result is None else {**answer, "result": result}

    def dispatch(self, method, params):
        meta = params.get("_meta") or {}
        modern = "io.modelcontextprotocol/protocolVersion" in meta
        if modern and self.era == "legacy" or (method == "server/discover" and not modern):
            raise Fault(-32601, "Method not found")
        if modern and meta["io.modelcontextprotocol/protocolVersion"] != MODERN:
            raise Fault(-32022, "Unsupported", {"supported": [MODERN], "requested": "x"})
        if not modern and self.era == "modern":
            raise Fault(-32022, "Unsupported", {"supported": [MODERN], "requested": "none"})
        if method == "server/discover":
            return self.whole(modern, {"supportedVersions": [MODERN], "capabilities": {"tools": {}}, "ttlMs": 0,
                                       "cacheScope": "private"})
        if method == "initialize":
            self.ready = True
            return {"protocolVersion": "2025-06-18", "capabilities": {"tools": {"listChanged": True}},
                    "serverInfo": {"name": "test", "version": "1"}}
        if method == "ping":
            return {}
        if method == "tools/list":
            return self.whole(modern, self.list(params))
        if method == "tools/call":
            return self.call(params, meta, modern)
        raise Fault(-32601, "Method not found")

    @staticmethod
    def whole(modern, result):
        return {"resultType": "complete", **result} if modern else result

    def list(self, params):
        at = int(params.get("cursor", "0"))
        tools = TOOLS + ([{**ECHO, "name": "later"}] if "more" in self.words else [])
        page = {"tools": tools[at:at + 5]}
        if at + 5 < len(tools):
            page["nextCursor"] = str(at + 5)
        return page

    def call(self, params, meta, modern):
        self.calls += 1
        name, arguments = params["name"], params.get("arguments") or {}
        done = lambda **result: self.whole(modern, result)
        text = lambda said, **more: done(content=[{"type": "text", "text": said}], **more)
        if name == "echo":
            if arguments.get("text") == "change":
                self.words.add("more")
                self.say({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
            return text(arguments["text"])
        if name in ("get/sum", "get.sum"):
            total = arguments.get("a", 0) + arguments.get("b", 0)
            return text(str(total), structuredContent={"sum": total})
        if name == "parts":
            return done(content=PARTS)
        if name == "fails":
            return text("no such luck", isError=True)
        if name == "breaks":
            raise Fault(-32602, "no good")
        if name in ("hangs", "waits"):
            if name == "hangs" and "children" in self.words:
                subprocess.Popen(["/usr/bin/sleep", "617"])
            return None
        if name == "progress":
            for i in range(1, 4):
                self.say({"jsonrpc": "2.0", "method": "notifications/progress",
                          "params": {"progressToken": meta.get("progressToken"), "progress": i, "total": 3,
                                     "message": f"step {i}"}})
            self.say({"jsonrpc": "2.0", "method": "notifications/message",
                      "params": {"level": "warning", "data": "half way"}})
            return text("done")
        if name == "crash":
            os._exit(3)
        if name == "environment":
            return text(json.dumps(dict(os.environ)))
        if name == "other":
            return done(content=[{"type": "hologram", "data": "?"}])
        if name == "asks":
            return self.ask(params, modern, text)
        raise Fault(-32602, "unknown tool")

    def ask(self, params, modern, text):
        answers = params.get("inputResponses")
        if not modern:
            return text("nobody")
        if answers is None:
            return {"resultType": "input_required", "requestState": "s-1", "inputRequests": {
                "who is it?": {"method": "elicitation/create", "params": {
                    "message": "Who?", "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}},
                                                           "required": ["name"]}}}}}
        answer = answers["who is it?"]
        return text(f"{answer['action']} {answer.get('content', {}).get('name')} {params.get('requestState')}")


def main():
    era, words = sys.argv[1], sys.argv[2:]
    lock = threading.Lock()

    def say(message):
        with lock:
            sys.stdout.write(json.dumps(message) + "\n")
            sys.stdout.flush()

    server = Server(era, words, say)
    print("server: ready", file=sys.stderr, flush=True)
    if "exits" in words:
        sys.exit(4)
    if "deaf" in words:
        time.sleep(1000)
    if "garbage" in words:
        for i in range(100):
            print(f"this is no message {i} {{", flush=True)
    if "ends_on_unknown" in words:
        server.strict = True
    for line in sys.stdin:
        message = json.loads(line)
        if "ends_on_unknown" in words and message.get("method") == "server/discover":
            sys.exit(5)
        if "asks_back" in words and message.get("method") == "tools/call":
            say({"jsonrpc": "2.0", "id": "mine-1", "method": "ping"})
            say({"jsonrpc": "2.0", "id": "mine-2", "method": "roots/list"})
        if message.get("method") == "tools/call":
            if "long" in words:
                sys.stdout.write('{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"' % message["id"])
                for _ in range(100):
                    sys.stdout.write("x" * (1 << 20))
                print('"}]}}', flush=True)
                continue
            if "flood" in words:
                while True:
                    print("garbage " * 100, flush=True)
            if "lies" in words:
                say({"jsonrpc": "2.0", "id": 999999, "result": {"content": []}})
                say({"jsonrpc": "2.0", "id": "x", "result": {"content": []}})
                say({"jsonrpc": "2.0", "id": message["id"], "result": {"content": "no list"}})
                continue
        answer = server.handle(message)
        if answer is not None:
            say(answer)


if __name__ == "__main__":
    main()
