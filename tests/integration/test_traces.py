"""OpenTelemetry: what is done for a request, as one tree of spans, in a collector."""

import contextlib
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from harness import LEGACY, Daemon, installed, main, run, same, wait_for  # noqa: E402
from mcp_wire import Session  # noqa: E402
from otlp_server import Collector  # noqa: E402
from test_http import Server  # noqa: E402
from test_invoke import one, relays  # noqa: E402
from test_sessions import begin  # noqa: E402

GUARDS = {"input": [{"guard": "size", "bytes": 1000}]}
INTERNAL, SERVER, CLIENT = 1, 2, 3
REMOTE = 1 << 8 | 1 << 9 | 1
TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
SAMPLED, UNSAMPLED = (f"00-{TRACE}-{PARENT}-{flags}" for flags in ("01", "00"))
OTHER = f"00-{TRACE[::-1]}-{PARENT}-00"
SECRET = "arg-1f6b-not-to-be-told"


@contextlib.contextmanager
def traced(collector, plugins=("echo",), trace=None, config=None, **more):
    settings = {"endpoint": collector.url, "delay": "20ms", **(trace or {})}
    with Daemon(plugins=plugins, config={"trace": settings, **(config or {})}, **more) as d:
        yield d


def metric(d, name):
    for line in d.http("GET", "/metrics").body.decode().split("\n"):
        if line.startswith(name + " "):
            return float(line.split(" ")[-1])
    raise AssertionError(name)


def courier_policy(server):
    return {"courier": {"permissions": {"http": [{"url": server.url + "/*", "private": True}]}}}


def test_one_tree_from_front_to_broker():
    with Collector() as c, Server() as s, traced(c, ["courier"], policies=courier_policy(s)) as d:
        d.mcp("tools/call", {"name": "courier", "arguments": {"url": s.url + "/echo?token=" + SECRET}},
              meta={"traceparent": SAMPLED, "tracestate": "a=b"})
        spans = {span.name: span for span in c.wait(5)}
        same(sorted(spans), ["GET", "execute_tool courier", "queue", "tools/call courier", "worker"])
        front, call, worker, get = (spans[n] for n in ("tools/call courier", "execute_tool courier", "worker", "GET"))
        same({span.trace for span in spans.values()}, {TRACE})
        same((front.parent, front.kind, front.state, front.flags), (PARENT, SERVER, "a=b", REMOTE))
        same((call.parent, call.kind), (front.id, INTERNAL))
        same((spans["queue"].parent, worker.parent), (call.id, call.id))
        same((get.parent, get.kind), (worker.id, CLIENT))
        for outer, inner in ((front, call), (call, spans["queue"]), (call, worker), (worker, get)):
            assert outer.start <= inner.start <= inner.end <= outer.end, (outer, inner)
        attributes = dict(front.attributes)
        same(attributes.pop("jsonrpc.request.id"), "1")
        same(attributes, {
            "mcp.method.name": "tools/call", "mcp.protocol.version": "2026-07-28", "gen_ai.operation.name":
            "execute_tool", "gen_ai.tool.name": "courier", "network.transport": "tcp",
            "network.protocol.name": "http", "network.protocol.version": "1.1"})
        same({k: call.attributes[k] for k in ("gen_ai.operation.name", "gen_ai.tool.name", "gen_ai.tool.type",
                                              "toolhost.plugin", "toolhost.tenant", "toolhost.front")},
             {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "courier", "gen_ai.tool.type": "function",
              "toolhost.plugin": "courier", "toolhost.tenant": "default", "toolhost.front": "mcp"})
        line = d.wait_log("tool_call_finished")
        same((call.attributes["gen_ai.tool.call.id"], line["trace_id"]), (line["call"], TRACE))
        port = int(s.url.rsplit(":", 1)[1])
        same({k: get.attributes[k] for k in ("http.request.method", "url.full", "server.address", "server.port",
                                             "http.response.status_code")},
             {"http.request.method": "GET", "url.full": s.url + "/echo", "server.address": "127.0.0.1",
              "server.port": port, "http.response.status_code": 200})
        # what goes out is told to be part of the request's own span
        same((s.asked[0]["headers"]["traceparent"], s.asked[0]["headers"]["tracestate"]),
             (f"00-{TRACE}-{get.id}-01", "a=b"))
        same((front.resource["service.name"], front.scope["name"]), ("toolhost", "toolhost"))
        assert SECRET.encode() not in b"".join(body for *_, body in c.requests)


def test_who_is_not_sampled_passes_on_what_it_got():
    with Collector() as c, Server() as s, traced(c, ["courier", "echo"], policies=courier_policy(s)) as d:
        d.mcp("tools/call", {"name": "courier", "arguments": {"url": s.url + "/echo"}}, meta={"traceparent": UNSAMPLED})
        same(s.asked[0]["headers"]["traceparent"], UNSAMPLED)
        d.call("echo", {"text": "x"}, meta={"traceparent": SAMPLED})
        c.one("worker")
        same({span.trace for span in c.spans}, {TRACE})
        assert "execute_tool courier" not in {span.name for span in c.spans}


def test_sampling():
    with Collector() as c, traced(c, trace={"ratio": 0}) as d:
        for _ in range(20):
            d.call("echo", {"text": "x"})
        d.call("echo", {"text": "x"}, meta={"traceparent": SAMPLED})
        c.one("worker")
        same({span.trace for span in c.spans}, {TRACE})
    with Collector() as c, traced(c, trace={"ratio": 1, "parent_based": False}) as d:
        d.call("echo", {"text": "x"}, meta={"traceparent": UNSAMPLED})
        same(c.one("worker").trace, TRACE)
    with Collector() as c, traced(c, trace={"ratio": 0.5}) as d:
        for _ in range(200):
            d.call("echo", {"text": "x"})
        d.call("echo", {"text": "last"}, meta={"traceparent": SAMPLED})
        c.wait(1, lambda span: span.trace == TRACE and span.name == "worker")
        traces = {span.trace for span in c.spans} - {TRACE}
        assert 50 <= len(traces) <= 150, len(traces)
        # all who decide by the ratio decide alike: by the last eight bytes
        assert all(int(trace[16:], 16) < 1 << 63 for trace in traces)


def test_parents_of_http():
    """The headers of the request, where _meta says nothing; both: the latter is linked to."""
    other = "1af7651916cd43dd8448eb211c80319c"
    with Collector() as c, traced(c) as d:
        d.call("echo", {"text": "x"}, headers={"traceparent": SAMPLED, "tracestate": "a=b"})
        front = c.one("tools/call echo")
        same((front.trace, front.parent, front.state, front.links), (TRACE, PARENT, "a=b", []))
        d.call("echo", {"text": "x"}, headers={"traceparent": SAMPLED},
               meta={"traceparent": f"00-{other}-{PARENT}-01"})
        front = c.wait(1, lambda span: span.trace == other and span.kind == SERVER)[0]
        same([(link["traceId"], link["spanId"]) for link in front.links], [(TRACE, PARENT)])
        for wrong in ("00-0", SAMPLED.upper(), f"00-{'0' * 32}-{PARENT}-01", f"01-{TRACE}-{PARENT}-01"):
            d.call("echo", {"text": "x"}, headers={"traceparent": wrong})
        fresh = c.wait(4, lambda span: span.kind == SERVER and span.parent is None)
        same(len({span.trace for span in fresh}), 4)


def test_rest_and_its_metadata():
    with Collector() as c, traced(c) as d:
        d.rest("echo", {"text": "x"}, metadata={"traceparent": SAMPLED, "mine": 1})
        front, call = c.one("POST /v1/tools/{name}/call"), c.one("execute_tool echo")
        same((front.trace, front.parent, front.kind), (TRACE, PARENT, SERVER))
        same((call.parent, call.attributes["toolhost.front"]), (front.id, "rest"))
        same({k: front.attributes[k] for k in ("http.request.method", "http.route", "url.path",
                                               "http.response.status_code")},
             {"http.request.method": "POST", "http.route": "/v1/tools/{name}/call", "url.path": "/v1/tools/echo/call",
              "http.response.status_code": 200})
        d.http("POST", "/v1/tools/echo/call", {"arguments": {}}, {"traceparent": SAMPLED})
        failed = c.wait(2, lambda s: s.kind == SERVER)[1]
        same((failed.trace, failed.attributes["http.response.status_code"], failed.status), (TRACE, 422, {}))


def test_headers_go_along_by_every_way():
    """Sampled or not, traced here or not: the tool and who it asks hear of the request's trace."""
    for trace in ({}, {"endpoint": "http://127.0.0.1:9/v1/traces"}):
        with Server() as s, Daemon(plugins=["courier"], policies=courier_policy(s), config={"trace": trace}) as d:
            asks = {"arguments": {"url": s.url + "/echo"}}
            headers = {"traceparent": UNSAMPLED, "tracestate": 'a="b'}
            d.http("POST", "/v1/tools/courier/call", asks, headers)
            d.http("POST", "/v1/tools/courier/call", {**asks, "metadata": {}}, headers)
            d.http("POST", "/v1/tools/courier/call", {**asks, "metadata": {"mine": 1}}, headers)
            session = begin(d)
            d.http("POST", "/v1/tools/courier/call", {**asks, "call_id": "1", "session_id": session}, headers)
            d.http("POST", "/v1/tools/courier/call", {**asks, "metadata": {"traceparent": OTHER}}, headers)
            d.http("POST", "/v1/tools/courier/call", asks, {"traceparent": "nonsense"})
            told = [(one["headers"].get("traceparent"), one["headers"].get("tracestate")) for one in s.asked]
            same(told[:5], [(UNSAMPLED, 'a="b')] * 4 + [(OTHER, None)])
            assert told[5] == (None, None) or (trace and TRACE not in told[5][0]), told[5]


def test_metadata_of_the_tool_say_where_it_stands():
    with Collector() as c, traced(c, ["wire"]) as d:
        def sent(**meta):
            return json.loads(d.call("sent", meta=meta).text or "{}")

        got = sent(traceparent=SAMPLED, tracestate="a=b", baggage="k=v")
        call = c.one("execute_tool sent")
        same(got, {"baggage": "k=v", "traceparent": f"00-{TRACE}-{call.id}-01", "tracestate": "a=b"})
        same(sent(traceparent=UNSAMPLED), {"traceparent": UNSAMPLED})


def test_errors():
    with Collector() as c, traced(c) as d:
        d.call("no_such_tool", {})
        front = c.one("tools/call")
        same((front.attributes["error.type"], front.attributes["rpc.response.status_code"], front.status),
             ("-32602", "-32602", {"code": 2}))
        same(front.attributes["gen_ai.tool.name"], "no_such_tool")
        call = c.one("execute_tool")
        same((call.parent, call.attributes["error.type"]), (front.id, "tool_not_found"))
        d.call("echo", {"txt": SECRET})
        front = c.one("tools/call echo")
        call = c.wait(2, lambda s: s.name.startswith("execute_tool"))[-1]
        same((front.attributes["error.type"], front.status["code"]), ("tool_error", 2))
        same(call.status["code"], 2)
        assert "error" in Session(d).ask("no/such/method")
        front = c.wait(1, lambda s: s.attributes.get("mcp.method.name") == "no/such/method")[0]
        same((front.name, front.attributes["error.type"]), ("unknown", "-32601"))
        assert SECRET.encode() not in b"".join(body for *_, body in c.requests)


def test_sessions_of_the_handshake():
    with Collector() as c, traced(c) as d:
        session = Session(d)
        same(c.one("initialize").kind, SERVER)
        session.ask("tools/call", {"name": "echo", "arguments": {"text": "x"}})
        front = c.one("tools/call echo")
        same(front.attributes["mcp.protocol.version"], LEGACY)
        assert front.attributes["mcp.session.id"] and front.attributes["mcp.session.id"] != session.id


def test_content_only_where_it_is_wanted():
    for content in (False, True):
        with Collector() as c, traced(c, trace={"content": content},
                                      config={"guards": {s: [{"guard": "pii", "action": "redact"}] for s in ("input", "output")}}) as d:
            d.call("echo", {"text": SECRET + " mail me at ada@example.com"})
            call = c.one("execute_tool echo")
            same("gen_ai.tool.call.arguments" in call.attributes, content)
            sent = b"".join(body for *_, body in c.requests)
            same(SECRET.encode() in sent, content)
            assert b"ada@example.com" not in sent
            if content:
                assert SECRET in json.loads(call.attributes["gen_ai.tool.call.arguments"])["text"]
                assert SECRET in call.attributes["gen_ai.tool.call.result"]


def test_guards_and_inner_calls():
    with Collector() as c, relays(config={"trace": {"endpoint": c.url, "delay": "20ms"}, "guards": GUARDS}) as d:
        same(one(d, "echo", {"text": "x"})[0], 0)
        outer, inner = c.one("execute_tool relay_0000"), c.one("execute_tool echo")
        same((inner.trace, inner.parent), (outer.trace, outer.id))
        guards = c.wait(2, lambda s: s.name == "guard size")
        same({g.parent for g in guards}, {outer.id, inner.id})
        same({g.attributes["toolhost.guard.verdict"] for g in guards}, {"allow"})


def test_stdio_is_a_pipe():
    with Collector() as c, traced(c, stdio=True) as d:
        d.pipe.ask("tools/call", {"name": "echo", "arguments": {"text": "x"}})
        front = c.one("tools/call echo")
        same(front.attributes["network.transport"], "pipe")
        assert "network.protocol.name" not in front.attributes


def test_a_collector_that_fails():
    with Collector((503, b""), (429, b"")) as c, traced(c) as d:
        d.call("echo", {"text": "x"})
        c.one("worker")
        same([status for status, *_ in c.requests[:3]], [503, 429, 200])
        same(c.requests[0][3], c.requests[2][3])
        d.wait_log("trace_export_failed")
        d.wait_log("trace_export_recovered")
        c.answers.append((400, b"no"))
        d.call("echo", {"text": "lost"})
        wait_for(lambda: metric(d, 'toolhost_trace_spans_total{outcome="failed"}') >= 1, what="a lost batch")
    with Collector((200, b'{"partialSuccess":{"rejectedSpans":"2"}}')) as c, traced(c, trace={"delay": "1s"}) as d:
        d.call("echo", {"text": "x"})
        wait_for(lambda: metric(d, 'toolhost_trace_spans_total{outcome="rejected"}') == 2, what="two refused spans")
        same(d.wait_log("trace_spans_rejected")["spans"], "2")


def test_a_full_queue_drops():
    """Nobody is there: calls go on, what has no room is counted."""
    with Collector() as c:
        pass
    with traced(c, trace={"queue": 5, "delay": "10m", "batch": 1000}) as d:
        for _ in range(10):
            same(d.call("echo", {"text": "x"}).text, "x")
        same(metric(d, "toolhost_trace_queue"), 5)
        assert metric(d, 'toolhost_trace_spans_total{outcome="dropped"}') >= 30
        same(d.log_events("http_request"), [])


def test_what_waits_is_sent_at_the_end():
    with Collector() as c:
        with traced(c, trace={"delay": "10m"}) as d:
            d.call("echo", {"text": "x"})
            same(c.requests, [])
        same({"tools/call echo", "worker"} - {span.name for span in c.spans}, set())


def test_headers_with_secrets():
    with Collector() as c, Daemon() as other:
        key = other.dir / "key"
        key.write_text("s3cr3t\n")
        key.chmod(0o600)
        trace = {"headers": {"Authorization": "Bearer ${key}", "X-Scope": "a"}, "secrets": {"key": str(key)},
                 "service_name": "tools", "attributes": {"deployment.environment.name": "staging"}}
        with traced(c, trace=trace) as d:
            d.call("echo", {"text": "x"})
            span = c.one("worker")
            same(span.resource["service.name"], "tools")
            same(span.resource["deployment.environment.name"], "staging")
            same((c.requests[0][1], c.requests[0][2]["authorization"], c.requests[0][2]["x-scope"]),
                 ("/v1/traces", "Bearer s3cr3t", "a"))
            assert not any("s3cr3t" in line for line in d.raw)


def test_the_variables_of_opentelemetry():
    with Collector() as c:
        env = {"OTEL_EXPORTER_OTLP_ENDPOINT": c.base, "OTEL_EXPORTER_OTLP_HEADERS": "x-key=a%20b , x-b=2",
               "OTEL_SERVICE_NAME": "by-variable", "OTEL_RESOURCE_ATTRIBUTES": "service.name=not-this,team=a",
               "OTEL_BSP_SCHEDULE_DELAY": "20", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc", "OTEL_TRACES_SAMPLER_ARG": "x"}
        with Daemon(plugins=["echo"], env=env) as d:
            d.call("echo", {"text": "x"})
            span = c.one("worker")
            same((span.resource["service.name"], span.resource["team"]), ("by-variable", "a"))
            same((c.requests[0][1], c.requests[0][2]["x-key"], c.requests[0][2]["x-b"]), ("/v1/traces", "a b", "2"))
            same(d.wait_log("trace_variables_ignored")["names"], "OTEL_EXPORTER_OTLP_PROTOCOL")
        # the file says what counts
        with Daemon(plugins=["echo"], env=env, config={"trace": {"service_name": "by-file"}}) as d:
            d.call("echo", {"text": "x"})
            c.wait(1, lambda s: s.resource["service.name"] == "by-file")
        for off in ({"OTEL_SDK_DISABLED": "true"}, {"OTEL_TRACES_EXPORTER": "none"},
                    {"OTEL_TRACES_SAMPLER": "always_off"}):
            c.spans.clear()
            with Daemon(plugins=["echo"], env={**env, **off}) as d:
                d.call("echo", {"text": "x"})
            same(c.spans, [], str(off))


def test_bad_settings():
    with Daemon() as d:
        for wrong, says in (({"endpoint": "ftp://x/"}, "/trace/endpoint: "),
                            ({"endpoint": "http://127.0.0.1:1/*"}, "/trace/endpoint: expected one URL"),
                            ({"endpoint": "http://127.0.0.1:1/a", "headers": {"A": "${no}"}}, "/trace/headers: "),
                            ({"endpoint": "http://127.0.0.1:1/a", "headers": {"A\n": "b"}}, "/trace/headers/"),
                            ({"ratio": 1.5}, "/trace/ratio: "), ({"ratio": "all"}, "/trace/ratio: "),
                            ({"queue": 0}, "/trace/queue: "), ({"secrets": {"a": "relative"}}, "/trace/secrets/a: "),
                            ({"endpont": "x"}, 'did you mean "endpoint"?')):
            d.write_config({"trace": wrong})
            got = run(installed("sbin/toolhostd"), "--check", "--config-dir", d.config_dir, "--plugin-dir", d.plugin_dir)
            assert got[0] != 0 and says in got[1] + got[2], (wrong, got)


if __name__ == "__main__":
    main()
