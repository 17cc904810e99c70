"""Callers that decide about their own calls, each over a front of its own: one way to begin calls, to see which of
them somebody is asked about, to decide, and to have what came of them."""

import contextlib
import copy
import json
import pathlib
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from handshake import EVERYTHING, Handshake  # noqa: E402
from harness import in_background, same, wait_for  # noqa: E402
from test_agui import call_events, lines, post  # noqa: E402
from test_asks_mcp import CAPABILITIES  # noqa: E402
from test_session_ws import TEXT, WebSocket  # noqa: E402
from test_sessions import Listener, begin, tell  # noqa: E402


def form(approve, **more):
    return {"action": "accept", "content": {"approve": approve, **more}}


class Decider:
    """`file` is where the tool leaves its lines; `tag` keeps what this one calls apart from what others do.  A call
    is known by its name; its id is `tag-name`, and the line it leaves is that, or what `lines` has for it."""

    def __init__(self, d, file, tag):
        self.d, self.file, self.tag, self.waiting, self.more = d, str(file), tag, {}, {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def id(self, name):
        return f"{self.tag}-{name}"

    def arguments(self, name):
        return {"file": self.file, "id": self.id(name), **self.more.get(name, {})}

    def pending(self):
        """{name: approval} of those that wait in the book."""
        found = self.d.http("GET", "/v1/approvals?state=pending").json["approvals"]
        ids = {a["arguments"]["id"]: a for a in found}
        return {id.removeprefix(f"{self.tag}-"): a for id, a in ids.items() if id.startswith(f"{self.tag}-")}

    def is_asked(self, *names):
        """Those names, and no others, are to be decided now."""
        wait_for(lambda: sorted(self.asked()) == sorted(names), what=f"{self.tag} to be asked about {names}")


def of_rest(answer):
    told = answer.json
    return (True, told["content"][0]["text"]) if told.get("ok") else (False, told["error"]["message"])


class Plain(Decider):
    """Plain HTTP: each call is an exchange that waits."""

    headers = {}

    def call(self, name):
        return self.d.http("POST", "/v1/tools/tally/call", {"arguments": self.arguments(name), "call_id": self.id(name)},
                           self.headers)

    def start(self, *names):
        for name in names:
            self.waiting[name] = in_background(self.call, name)

    def asked(self):
        return self.pending()

    def decide(self, name, approve, /, **more):
        word = "approve" if approve else "reject"
        return self.d.http("POST", f"/v1/approvals/{self.pending()[name]['id']}", {"decision": word, **more})

    def results(self):
        return {name: of_rest(waiting()) for name, waiting in self.waiting.items()}


class Streamed(Plain):
    """The same, as a stream of events."""

    headers = {"Accept": "text/event-stream"}


class Batch(Plain):
    """The calls of one request, `POST /v1/calls`."""

    def start(self, *names):
        self.wanted = names
        calls = [{"name": "tally", "arguments": self.arguments(name), "call_id": self.id(name)} for name in names]
        self.waiting = in_background(self.d.http, "POST", "/v1/calls", {"calls": calls}, self.headers)

    def told(self):
        return self.waiting().json["results"]

    def results(self):
        return {name: (True, r["content"][0]["text"]) if r["ok"] else (False, r["error"]["message"])
                for name, r in zip(self.wanted, self.told(), strict=True)}


class StreamedBatch(Batch):
    """The same, as a stream of events: results come in any order, and say whose they are."""

    headers = {"Accept": "text/event-stream"}

    def told(self):
        told = [e for e in self.waiting().events if "result" in e and "status" not in e["result"]]  # no `approval`
        found = {e["index"]: e["result"] for e in told}
        same(len(found), len(told), "one result each")
        return [found[index] for index in sorted(found)]


class McpBatch(Plain):
    """A JSON-RPC array of MCP 2025-03-26."""

    def start(self, *names):
        client = Handshake(self.d, {}, version="2025-03-26")
        calls = [{"jsonrpc": "2.0", "id": name, "method": "tools/call",
                  "params": {"name": "tally", "arguments": self.arguments(name)}} for name in names]
        self.waiting = in_background(client.post, calls)

    def results(self):
        answer = self.waiting()
        messages = answer.events if isinstance(answer.json, dict) else answer.json
        messages = [m for found in messages for m in (found if isinstance(found, list) else [found])]
        return {m["id"]: of_mcp(m["result"]) for m in messages if "id" in m}


class Asked(Plain):
    """Plain HTTP, where the caller itself wants to be asked."""

    def start(self, *names):
        self.asks, self.done = {}, {}
        for name in names:
            self.take(name, self.d.http("POST", "/v1/tools/tally/call?approval=ask",
                                        {"arguments": self.arguments(name), "call_id": self.id(name)}))

    def take(self, name, answer):
        if answer.status == 202:
            self.asks[name] = answer.json["ask"]["id"]
        else:
            self.asks.pop(name, None)
            self.done[name] = of_rest(answer)

    def asked(self):
        return self.asks

    def decide(self, name, approve, /, **more):
        self.take(name, self.d.http("POST", f"/v1/asks/{self.asks[name]}",
                                    {"responses": {"approval": form(approve, **more)}}))

    def results(self):
        return self.done


def of_mcp(result):
    return not result.get("isError", False), result["content"][0]["text"]


class Mcp(Decider):
    """MCP 2026-07-28: a result that asks, and the call once more."""

    def send(self, name, **params):
        return self.d.mcp("tools/call", {"name": "tally", "arguments": self.arguments(name), **params},
                          meta={CAPABILITIES: {"elicitation": {}}}).json["result"]

    def take(self, name, result):
        if result["resultType"] == "input_required":
            self.states[name] = result["requestState"]
        else:
            self.states.pop(name, None)
            self.done[name] = of_mcp(result)

    def start(self, *names):
        self.states, self.done = {}, {}
        for name in names:
            self.take(name, self.send(name))

    def asked(self):
        return self.states

    def decide(self, name, approve, /, **more):
        self.take(name, self.send(name, requestState=self.states[name],
                                  inputResponses={"approval": form(approve, **more)}))

    def results(self):
        return self.done


class Elicited(Decider):
    """MCP's handshake: a request to the client while its own waits."""

    def __enter__(self):
        self.session = Handshake(self.d, EVERYTHING)
        return self

    def start(self, *names):
        self.clients = {}
        for name in names:  # in one session, each with its own stream
            self.session.ids += 100
            client = self.clients[name] = copy.copy(self.session)
            client.asked = []
            self.waiting[name] = in_background(client.call, "tally", self.arguments(name))

    def asked(self):
        return [name for name, client in self.clients.items() if client.asked]

    def decide(self, name, approve, /, **more):
        client = self.clients[name]
        same(client.post({"jsonrpc": "2.0", "id": client.asked.pop()["id"], "result": form(approve, **more)}).status, 202)

    def results(self):
        return {name: of_mcp(waiting()["result"]) for name, waiting in self.waiting.items()}


class AgUi(Decider):
    """AG-UI: a run that ends with interrupts, and one that resumes it."""

    def start(self, *names):
        self.done, self.said = {}, []
        self.play("r1", *(event for name in names for event in call_events("tally", self.arguments(name), self.id(name))))

    def play(self, run, *events, **more):
        run = {"threadId": self.tag, "runId": run}
        self.take(post(self.d, lines([{"type": "RUN_STARTED", **run, **({"input": {**run, **more}} if more else {})},
                                      *events, {"type": "RUN_FINISHED", **run}])))

    def take(self, events):
        outcome = events[-1].get("outcome") or {}
        self.open = {i["toolCallId"].removeprefix(f"{self.tag}-"): i["id"] for i in outcome.get("interrupts", [])}
        for event in events:
            if event["type"] == "TOOL_CALL_RESULT":
                self.done[event["toolCallId"].removeprefix(f"{self.tag}-")] = event["content"]

    def asked(self):
        return self.open

    def decide(self, name, approve, /, **more):
        """With the last decision the run goes on."""
        self.said.append({"interruptId": self.open.pop(name), "status": "resolved",
                          "payload": {"approve": approve, **more}})
        if not self.open:
            self.play("r2", resume=self.said)

    def results(self):
        return {name: (content.startswith(f"{self.arguments(name)['id']} at "), content) for name, content in self.done.items()}


def of_session(event):
    output = json.loads(event["output"])
    return event["ok"], output["result"] if event["ok"] else output["message"]


class Conversation(Decider):
    """A conversation, with its events over HTTP: it is asked for one approval after the other."""

    def __enter__(self):
        self.session = begin(self.d)
        self.listener = Listener(self.d, self.session)
        self.read(lambda: (self.listener.next() or (0, None))[1])
        return self

    def __exit__(self, *_):
        self.d.http("DELETE", f"/v1/sessions/{self.session}")
        self.listener.connection.close()

    def read(self, take):
        """Take events from now on, in a thread of their own."""
        self.open, self.done, self.events = {}, {}, []

        def body():
            with contextlib.suppress(AttributeError, OSError, ValueError):  # it is closed while it reads
                while (event := take()):
                    self.events.append(event)
                    self.hear(event)

        threading.Thread(target=body, daemon=True).start()

    def name_of(self, event):
        return event["call_id"].removeprefix(f"{self.tag}-")

    def hear(self, event):
        if event["type"] == "tool_approval_required":
            self.open[self.name_of(event)] = event["approval_id"]
        elif event["type"] == "tool_approval_decided":
            self.open.pop(self.name_of(event), None)
        elif event["type"] == "tool_call_output":
            self.done.setdefault(self.name_of(event), []).append(of_session(event))

    def send(self, **event):
        return tell(self.d, self.session, **event)

    def start(self, *names, response="r1"):
        self.wanted = names
        for name in names:
            self.send(type="tool_call", call_id=self.id(name), name="tally", arguments=self.arguments(name),
                      response_id=f"{self.tag}{response}")

    def asked(self):
        return list(self.open)

    def decide(self, name, approve, /, **more):
        return self.send(type="tool_approval", approval_id=self.open[name], approve=approve, **more)

    def results(self):
        """Of all that were begun; one each."""
        wait_for(lambda: len(self.done) == len(self.wanted), what=f"results of {self.tag}")
        same({len(found) for found in self.done.values()}, {1}, self.done)
        return {name: found[0] for name, found in self.done.items()}


class InConversation(Conversation):
    """A conversation whose calls are exchanges of plain HTTP."""

    def start(self, *names, response="r1"):
        self.wanted = names
        for name in names:
            self.waiting[name] = in_background(
                self.d.http, "POST", "/v1/tools/tally/call",
                {"arguments": self.arguments(name), "call_id": self.id(name), "session_id": self.session,
                 "response_id": f"{self.tag}{response}"})
            wait_for(lambda: any(e["type"] == "tool_call_started" and e["call_id"] == self.id(name)
                                 for e in self.events), what=f"{name} to be there")

    def results(self):
        events = super().results()
        for name in self.wanted:
            told = json.loads(self.waiting[name]().json["output"])
            same(told["result"] if events[name][0] else told["message"], events[name][1], "the same by both ways")
        return events


class OverWebSocket(Conversation):
    """The same over a WebSocket."""

    query = ""

    def __enter__(self):
        self.socket = WebSocket(self.d, self.query)
        self.greeting()
        self.read(self.next)
        return self

    def greeting(self):
        self.socket.event("session")

    def next(self):
        opcode, payload = self.socket.receive() or (0, None)
        return json.loads(payload) if opcode == TEXT else None

    def __exit__(self, *_):
        self.socket.say(type="end")
        self.socket.__exit__()

    def send(self, **event):
        self.socket.say(**event)


class OverRealtime(OverWebSocket):
    """The events of a Realtime service, which keeps the conversation."""

    query = "?format=realtime"

    def greeting(self):
        self.socket.event("session.update")

    def hear(self, event):
        if event["type"].startswith("toolhost."):
            inner = event.get("approval", event)
            return super().hear({**inner, "type": event["type"].removeprefix("toolhost.")})
        item = event.get("item", {})
        if item.get("type") == "function_call_output":
            self.open.pop(self.name_of(item), None)  # that it is decided is not told otherwise
            told = json.loads(item["output"])
            super().hear({"type": "tool_call_output", "call_id": item["call_id"], "ok": "result" in told,
                          "output": item["output"]})

    def start(self, *names, response="r1"):
        self.wanted = names
        response = f"{self.tag}{response}"
        self.send(type="response.created", response={"id": response})
        for name in names:
            arguments = json.dumps(self.arguments(name))
            self.send(type="response.function_call_arguments.done", call_id=self.id(name), name="tally",
                      response_id=response, item_id=f"i-{self.id(name)}", arguments=arguments)
            self.send(type="response.output_item.done", response_id=response, item={
                "type": "function_call", "id": f"i-{self.id(name)}", "call_id": self.id(name), "name": "tally",
                "status": "completed", "arguments": arguments})
        self.send(type="response.done", response={"id": response, "status": "completed", "output": []})


BATCHES = (Batch, StreamedBatch, McpBatch)
PLAIN = (Plain, Streamed, Asked, Mcp, Elicited, AgUi)
CONVERSATIONS = (Conversation, InConversation, OverWebSocket, OverRealtime)
