"""Spans of what brings several calls, or brings them by and by: each tree begins at its front."""

import http.client
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from handshake import Handshake  # noqa: E402
from harness import Daemon, main, same, wait_for  # noqa: E402
from mcp_wire import Session, request  # noqa: E402
from otlp_server import Collector  # noqa: E402
from test_agui import call_events, lines  # noqa: E402
from test_agui import FINISHED, STARTED  # noqa: E402
from test_realtime import attended, say_call  # noqa: E402
from test_session_ws import WebSocket  # noqa: E402
from test_sessions import begin, call, tell  # noqa: E402
from test_traces import CLIENT, INTERNAL, PARENT, SAMPLED, SERVER, TRACE, UNSAMPLED, metric, traced  # noqa: E402

OTHER_TRACE = TRACE[::-1]
ECHO = {"name": "echo", "arguments": {"text": "x"}}


def elsewhere(flags="01"):
    return f"00-{OTHER_TRACE}-{PARENT}-{flags}"


def parts(collector, front, count, name="execute_tool echo"):
    """The spans below that of the front, as many as there shall be, within its trace."""
    found = collector.wait(count, lambda s: s.parent == front.id and s.name == name)
    same((len(found), {s.trace for s in found}, {s.kind for s in found}), (count, {front.trace}, {INTERNAL}))
    return found


def tracing(collector):
    return {"trace": {"endpoint": collector.url, "delay": "20ms"}}


def attributes(span, *names):
    return tuple(span.attributes.get(name) for name in names)


def test_a_batch_is_one_tree():
    with Collector() as c, traced(c) as d:
        body = {"calls": [ECHO, ECHO, {**ECHO, "metadata": {"traceparent": elsewhere()}},
                          {**ECHO, "metadata": {"traceparent": elsewhere("00")}}]}
        same(d.http("POST", "/v1/calls", body, {"traceparent": SAMPLED, "tracestate": "a=b"}).status, 200)
        front = c.one("POST /v1/calls")
        same((front.trace, front.parent, front.kind, front.state), (TRACE, PARENT, SERVER, "a=b"))
        same(attributes(front, "http.route", "http.response.status_code", "toolhost.batch.size"), ("/v1/calls", 200, 4))
        for part in parts(c, front, 2):
            assert front.start <= part.start <= part.end <= front.end, (front, part)
        # who names a trace itself is part of that, or of none, as it says
        own = c.wait(1, lambda s: s.trace == OTHER_TRACE and s.name == "execute_tool echo")
        same([(s.parent, [link["spanId"] for link in s.links]) for s in own], [(PARENT, [front.id])])
        same(len([s for s in c.spans if s.name == "execute_tool echo"]), 3)


def test_a_batch_is_sampled_as_a_whole():
    with Collector() as c, traced(c, trace={"ratio": 0.5}) as d:
        for _ in range(40):
            same(d.http("POST", "/v1/calls", {"calls": [ECHO] * 3}).status, 200)
        d.http("POST", "/v1/calls", {"calls": [ECHO] * 3}, {"traceparent": UNSAMPLED})
        d.http("POST", "/v1/calls", {"calls": [ECHO] * 3}, {"traceparent": SAMPLED})
        c.wait(1, lambda s: s.trace == TRACE and s.name == "POST /v1/calls")
        fronts = [s for s in c.spans if s.kind == SERVER]
        assert 5 < len(fronts) < 36, len(fronts)
        for front in fronts:
            parts(c, front, 3)
        same(len([s for s in c.spans if s.name == "execute_tool echo"]), 3 * len(fronts))


def test_a_batch_whose_caller_leaves():
    with Collector() as c, traced(c, ["slow_echo"]) as d:
        host, port = d.address.rsplit(":", 1)
        connection = http.client.HTTPConnection(host, int(port))
        connection.request("POST", "/v1/calls", '{"calls":[{"name":"slow_echo","arguments":{"ms":60000}}]}',
                           {"Content-Type": "application/json"})
        wait_for(lambda: metric(d, 'toolhost_calls_running{plugin="slow_echo"}') == 1, what="the call to run")
        connection.close()
        front = c.one("POST /v1/calls")
        same((front.attributes["error.type"], front.status), ("client_gone", {"code": 2}))
        part = parts(c, front, 1, "execute_tool slow_echo")[0]
        same((part.attributes["error.type"], part.status["code"]), ("tool_cancelled", 2))


def test_arrays_of_MCP():
    with Collector() as c, traced(c) as d:
        messages = [request("tools/call", ECHO, "a"), request("tools/list", {}, "b"),
                    request("tools/call", {**ECHO, "_meta": {"traceparent": elsewhere()}}, "c")]
        session = Session(d, "2025-03-26")
        same(len(session.post(messages, {"traceparent": SAMPLED}).json), 3)
        front = c.one("POST /mcp")
        same((front.trace, front.parent, front.kind), (TRACE, PARENT, SERVER))
        same(attributes(front, "toolhost.batch.size", "http.response.status_code"), (3, 200))
        inner = c.wait(2, lambda s: s.parent == front.id)
        same(sorted((s.name, s.kind, s.flags >> 9 & 1) for s in inner),
             [("tools/call echo", SERVER, 0), ("tools/list", SERVER, 0)])
        own = c.wait(1, lambda s: s.trace == OTHER_TRACE and s.kind == SERVER)[0]
        same([(link["traceId"], link["spanId"]) for link in own.links], [(TRACE, front.id)])


def test_arrays_on_standard_input():
    with Collector() as c, traced(c, stdio=True) as d:
        d.pipe.ask("initialize", {"protocolVersion": "2025-03-26", "capabilities": {},
                                  "clientInfo": {"name": "t", "version": "1"}}, modern=False)
        d.pipe.send([request("tools/call", ECHO, "a"), request("tools/call", ECHO, "b")])
        same(len(d.pipe.receive()), 2)
        front = c.one("batch")
        same((front.kind, front.parent, *attributes(front, "network.transport", "toolhost.batch.size")),
             (SERVER, None, "pipe", 2))
        same({s.name for s in c.wait(2, lambda s: s.parent == front.id)}, {"tools/call echo"})


def test_questions_to_a_client():
    def answer(question):
        return Exception("no") if question["method"] == "sampling/createMessage" else {"action": "decline"}

    with Collector() as c, traced(c, ["asks"]) as d:
        client = Handshake(d, answer=answer)
        client.call("all")
        front = c.one("tools/call all")
        asked = {s.name: s for s in c.wait(3, lambda s: s.kind == CLIENT)}
        same((sorted(asked), {s.parent for s in asked.values()}),
             (["elicitation/create", "roots/list", "sampling/createMessage"], {front.id}))
        same([attributes(asked[m], "mcp.method.name", "error.type", "rpc.response.status_code") for m in sorted(asked)],
             [("elicitation/create", None, None), ("roots/list", None, None), ("sampling/createMessage", "-1", "-1")])
        for question in client.asked:
            told = question["params"]["_meta"]["traceparent"]
            assert told in [f"00-{s.trace}-{s.id}-01" for s in c.spans if s.name == question["method"]], told
        # what goes on after them is below what has asked
        first = c.wait(1, lambda s: s.parent == front.id and s.name == "execute_tool all")[0]
        parts(c, first, 1, "execute_tool all")
    with Daemon(plugins=["asks"]) as d:
        client = Handshake(d, answer=answer)
        client.call("all")
        same([q for q in client.asked if "_meta" in q.get("params", {})], [])


def test_sessions_by_http():
    with Collector() as c, traced(c, ["echo", "talk"]) as d:
        session = begin(d)
        call(d, session, "echo", {"text": "x"}, call_id="1", metadata={"traceparent": SAMPLED})
        front = c.one("POST /v1/tools/{name}/call")
        same((front.trace, front.parent, front.attributes["http.response.status_code"]), (TRACE, PARENT, 200))
        part = parts(c, front, 1)[0]
        same(part.attributes["toolhost.front"], "session")
        same(call(d, session, "echo", {"text": "y"}, call_id="1").status, 409)
        again = c.wait(2, lambda s: s.name == front.name)[1]
        same((again.parent, again.attributes["http.response.status_code"]), (None, 409))
        same(d.http("POST", "/v1/calls", {"session_id": session, "calls": [ECHO, ECHO]}).status, 200)
        parts(c, c.one("POST /v1/calls"), 2)
        tell(d, session, type="tool_call", call_id="2", name="echo", arguments={"text": "x"})
        front = c.one("POST /v1/sessions/{id}/events")
        same(attributes(front, "http.response.status_code", "gen_ai.conversation.id"),
             (202, part.attributes["gen_ai.conversation.id"]))
        parts(c, front, 1)


def test_who_has_taken_over_works_for_the_event():
    with Collector() as c, traced(c, ["talk"]) as d:
        session = begin(d)
        tell(d, session, type="tool_call", call_id="h", name="sales", arguments={})
        parts(c, c.one("POST /v1/sessions/{id}/events"), 1, "execute_tool sales")
        d.http("POST", f"/v1/sessions/{session}/events", {"type": "user_turn_ended", "content": "two"},
               {"traceparent": SAMPLED})
        front = c.wait(1, lambda s: s.trace == TRACE and s.kind == SERVER)[0]
        same((front.name, front.parent), ("POST /v1/sessions/{id}/events", PARENT))
        parts(c, front, 1, "execute_tool sales")


def converse(ws, **event):
    """An event, and what is said of its call up to its output."""
    ws.say(**event)
    while json.loads(ws.receive()[1])["type"] != "tool_call_output":
        pass


def test_calls_of_a_WebSocket():
    with Collector() as c, traced(c, ["echo", "talk"]) as d:
        with WebSocket(d, headers={"traceparent": SAMPLED, "tracestate": "a=b"}) as ws:
            session = ws.event("session")["session"]
            converse(ws, type="tool_call", call_id="1", name="echo", arguments={"text": "x"})
            front = c.one("tool_call")
            same((front.trace, front.parent, front.kind, front.state), (TRACE, PARENT, SERVER, "a=b"))
            same(front.attributes["gen_ai.conversation.id"], session["name"])
            part = parts(c, front, 1)[0]
            assert front.start <= part.start <= part.end <= front.end, (front, part)
            converse(ws, type="tool_call", call_id="2", name="echo", arguments={"text": "x"},
                     metadata={"traceparent": elsewhere()})
            own = c.wait(1, lambda s: s.trace == OTHER_TRACE and s.name == "tool_call")[0]
            same(own.parent, PARENT)
            parts(c, own, 1)
            converse(ws, type="tool_call", call_id="3", name="sales", arguments={})
            ws.say(type="user_turn_ended", content="two")
            event = c.one("event")
            same((event.trace, event.parent), (TRACE, PARENT))
            parts(c, event, 1, "execute_tool sales")
    with Collector() as c, traced(c) as d, WebSocket(d, headers={"traceparent": UNSAMPLED}) as ws:
        ws.event("session")
        converse(ws, type="tool_call", call_id="1", name="echo", arguments={"text": "x"}, response_id="r1")
        converse(ws, type="tool_call", call_id="2", name="echo", arguments={"text": "x"},
                 metadata={"traceparent": SAMPLED})
        parts(c, c.one("tool_call"), 1)
        same({s.name for s in c.spans}, {"tool_call", "execute_tool echo", "queue", "worker"})


def test_calls_of_one_response():
    """Also those that come when the first has ended; and what has ended stays their parent."""
    done = {"type": "response.function_call_arguments.done", "name": "echo", "arguments": '{"text":"x"}'}
    with Collector() as c, traced(c) as d, WebSocket(d) as ws:
        ws.event("session")
        converse(ws, **done, call_id="1", response_id="r1")
        converse(ws, **done, call_id="2", response_id="r1")
        same([s.name for s in c.wait(2, lambda s: s.name == "execute_tool echo")], ["execute_tool echo"] * 2)
        same([s for s in c.spans if s.name == "response"], [])
        ws.say(type="response.done", response={"id": "r1", "status": "completed"})
        response = c.one("response")
        same((response.kind, response.parent, response.attributes["gen_ai.response.id"]), (SERVER, None, "r1"))
        for part in parts(c, response, 2):
            assert response.start <= part.start <= part.end <= response.end, (response, part)
        converse(ws, type="tool_call", call_id="3", name="echo", arguments={"text": "x"}, response_id="r2")
        response = c.wait(2, lambda s: s.name == "response")[1]
        parts(c, response, 1)
        converse(ws, type="tool_call", call_id="4", name="echo", arguments={"text": "x"}, response_id="r2")
        parts(c, response, 2)
        same(len([s for s in c.spans if s.name == "response"]), 2)


def test_a_conversation_with_a_Realtime_service():
    with Collector() as c, attended(["echo"], config=tracing(c)) as (_, service, __):
        side = service.sideband("rtc_1")
        side.expect(type="session.update")
        side.send(type="response.created", response={"id": "r1"})
        for call_id in "c1", "c2":
            say_call(side, call_id, "echo", {"text": "x"}, "r1")
            side.expect(type="conversation.item.create")
        side.send(type="response.done", response={"id": "r1", "status": "completed"})
        response = c.one("response")
        same((response.kind, response.attributes["gen_ai.response.id"]), (SERVER, "r1"))
        parts(c, response, 2)


def test_runs_of_AG_UI():
    with Collector() as c, traced(c) as d:
        body = lines([STARTED, *call_events("echo", {"text": "x"}), *call_events("echo", {"text": "y"}, "c2"), FINISHED])
        headers = {"Content-Type": "application/jsonl", "traceparent": SAMPLED}
        same(d.http("POST", "/v1/agui", body, headers).status, 200)
        front = c.one("POST /v1/agui")
        same((front.trace, front.parent, front.kind, front.status), (TRACE, PARENT, SERVER, {}))
        same(attributes(front, "gen_ai.conversation.id", "toolhost.agui.run", "http.response.status_code"),
             ("t1", "r1", 200))
        parts(c, front, 2)
        d.http("POST", "/v1/agui", lines([FINISHED]), headers)
        broken = c.wait(2, lambda s: s.name == front.name)[1]
        same((broken.attributes["error.type"], broken.status), ("agui_protocol_error", {"code": 2}))


if __name__ == "__main__":
    main()
