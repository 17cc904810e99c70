"""A client of MCP's handshake over HTTP that can be asked: it reads the event stream of its request, and
answers the daemon's requests by POSTs of their own while that is open."""

import contextlib
import http.client
import json

from harness import LEGACY, PATIENCE, same

EVERYTHING = {"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}}, "roots": {}}


class Handshake:
    """One session.  `answer` gets each request of the daemon; what it returns is the result, an Exception the
    error, None no answer at all."""

    def __init__(self, daemon, capabilities=None, answer=None, version=LEGACY):
        self.daemon, self.answer = daemon, answer
        self.ids, self.asked = 0, []
        self.headers = {"Accept": "application/json, text/event-stream"}
        hello = self.post({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": version, "capabilities": EVERYTHING if capabilities is None else capabilities,
            "clientInfo": {"name": "handshake", "version": "1"}}})
        self.headers.update({"Mcp-Session-Id": hello.headers["mcp-session-id"], "MCP-Protocol-Version": version})
        same(self.post({"jsonrpc": "2.0", "method": "notifications/initialized"}).status, 202)

    def post(self, message):
        return self.daemon.http("POST", "/mcp", message, self.headers)

    def reply(self, request):
        self.asked.append(request)
        answer = self.answer(request) if self.answer else None
        if answer is None:
            return
        message = {"jsonrpc": "2.0", "id": request["id"]}
        if isinstance(answer, Exception):
            message["error"] = {"code": -1, "message": str(answer)}
        else:
            message["result"] = answer
        same(self.post(message).status, 202, "status of an answer")

    def messages(self, response):
        if not response.getheader("content-type", "").startswith("text/event-stream"):
            yield json.loads(response.read())
            return
        for line in response:
            if line.startswith(b"data:") and line[5:].strip():
                yield json.loads(line[5:])

    def request(self, method, params, before=None):
        """The response to a request; what the daemon asks meanwhile is answered."""
        self.ids += 1
        host, port = self.daemon.address.rsplit(":", 1)
        connection = http.client.HTTPConnection(host, int(port), timeout=30 * PATIENCE)
        with contextlib.closing(connection):
            body = {"jsonrpc": "2.0", "id": self.ids, "method": method, "params": params}
            connection.request("POST", "/mcp", json.dumps(body), {**self.headers, "Content-Type": "application/json"})
            for message in self.messages(connection.getresponse()):
                if message.get("id") == self.ids and "method" not in message:
                    return message
                if "method" in message and "id" in message:
                    self.reply(message)
        raise AssertionError("the stream ended without a response")

    def call(self, tool, arguments=None):
        return self.request("tools/call", {"name": tool, "arguments": arguments or {}})

    def text(self, tool, arguments=None):
        return self.call(tool, arguments)["result"]["content"][0]["text"]
