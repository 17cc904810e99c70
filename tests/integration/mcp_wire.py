"""MCP over HTTP as it goes over the wire: event streams read as they come, sessions of the handshake."""

import http.client
import json

from harness import ENVELOPE, LEGACY, PATIENCE, Answer, mcp_headers, same

BOTH = "application/json, text/event-stream"


class Event:
    """One event of a stream: its id and retry (or None), its data as text."""

    def __init__(self, lines):
        fields = [line.partition(":") for line in lines if not line.startswith(":")]
        values = {name: value.removeprefix(" ") for name, _, value in fields}
        self.id, self.retry, self.data = values.get("id"), values.get("retry"), values.get("data")

    @property
    def message(self):
        return json.loads(self.data)

    def __repr__(self):
        return f"{self.id}: {self.data!r}"


class Stream:
    """An answer that is read while it comes.  Leaving it closes the connection."""

    def __init__(self, daemon, method, headers, body=None, timeout=30):
        host, port = daemon.address.rsplit(":", 1)
        self.connection = http.client.HTTPConnection(host, int(port), timeout=timeout * PATIENCE)
        self.connection.request(method, "/mcp", None if body is None else json.dumps(body).encode(), headers)
        self.response = self.connection.getresponse()
        self.status = self.response.status
        self.type = self.response.headers.get("Content-Type", "")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()
        self.response.close()

    def event(self):
        """The next event; None at the end of the stream.  Comments are passed over."""
        while True:
            lines = []
            while line := self.response.readline():
                line = line.decode().rstrip("\n")
                if not line:
                    break
                lines.append(line)
            if not lines:
                return None
            if any(not line.startswith(":") for line in lines):
                return Event(lines)

    def message(self):
        """The next message; priming events are passed over."""
        while event := self.event():
            if event.data:
                return event.message
        return None

    def messages(self):
        """All that are left."""
        return list(iter(self.message, None))

    def rest(self):
        """The whole of a plain answer."""
        return Answer(self.status, {k.lower(): v for k, v in self.response.getheaders()}, self.response.read())


def request(method, params=None, id=1):
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params or {}}


def notification(method, params=None):
    return {"jsonrpc": "2.0", "method": method, "params": params or {}}


def modern_stream(daemon, method, params=None, meta=None, id=1, headers=None):
    """A request of 2026-07-28 whose answer is read as it comes."""
    params = {**(params or {}), "_meta": {**ENVELOPE, **(meta or {})}}
    sent = {"Content-Type": "application/json", **mcp_headers(method, params), **(headers or {})}
    return Stream(daemon, "POST", sent, request(method, params, id))


class Session:
    """A client of the handshake."""

    def __init__(self, daemon, version=LEGACY, capabilities=None, initialized=True):
        self.daemon, self.version, self.id = daemon, version, None
        self.hello = self.post(request("initialize", {
            "protocolVersion": version, "capabilities": capabilities or {},
            "clientInfo": {"name": "test", "version": "1"}}, 0))
        same(self.hello.status, 200, "status of initialize")
        self.id = self.hello.headers["mcp-session-id"]
        self.agreed = self.hello.json["result"]["protocolVersion"]
        if initialized:
            same(self.post(notification("notifications/initialized")).status, 202, "status of initialized")

    def headers(self, more=None):
        own = {"Content-Type": "application/json", "Accept": BOTH}
        if self.id:
            own["Mcp-Session-Id"] = self.id
            if self.agreed >= "2025-06-18":
                own["MCP-Protocol-Version"] = self.agreed
        own.update(more or {})
        return {name: value for name, value in own.items() if value is not None}

    def post(self, body, headers=None):
        return self.daemon.http("POST", "/mcp", body, self.headers(headers))

    def ask(self, method, params=None, id=1):
        """The message that answers a request."""
        answer = self.post(request(method, params, id))
        same(answer.status, 200, f"status of {method}, with {answer}")
        return answer.json

    def stream(self, method, params=None, id=1, headers=None):
        return Stream(self.daemon, "POST", self.headers(headers), request(method, params, id))

    def get(self, last=None, headers=None):
        more = {"Last-Event-ID": last, "Content-Type": None, **(headers or {})}
        return Stream(self.daemon, "GET", self.headers(more))

    def delete(self):
        return self.daemon.http("DELETE", "/mcp", None, self.headers({"Content-Type": None}))


def slow(ms, text="", token="p"):
    """Parameters of a call that shows its progress at once and then takes its time."""
    return {"name": "slow_echo", "arguments": {"ms": ms, "text": text}, "_meta": {"progressToken": token}}
