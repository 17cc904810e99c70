"""A call as an OpenTelemetry collector has it: one tree from front to broker, with the names of the conventions.  The
collector is the published Go modules (tests/clients/collector); what it hands on is looked at.  `./dev clients`
builds it."""

import contextlib
import os
import pathlib
import socket
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "integration"))
from harness import PATIENCE, Daemon, Skip, main, same, wait_for  # noqa: E402
from otlp_server import Collector  # noqa: E402
from test_http import Server  # noqa: E402

COLLECTOR = os.environ.get("TOOLHOST_COLLECTOR")
INTERNAL, SERVER, CLIENT = 1, 2, 3
CONFIG = """
receivers: {{ otlp: {{ protocols: {{ http: {{ endpoint: "127.0.0.1:{port}" }} }} }} }}
exporters:
  otlphttp: {{ endpoint: "{sink}", encoding: json, compression: none, tls: {{ insecure: true }}, sending_queue: {{ enabled: false }} }}
service:
  telemetry: {{ metrics: {{ level: none }}, logs: {{ level: warn }} }}
  pipelines: {{ traces: {{ receivers: [otlp], exporters: [otlphttp] }} }}
"""


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as s:
        return s.getsockname()[1]


def answers(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


@contextlib.contextmanager
def collector(sink):
    """Its endpoint, while it runs and sends what it gets to the sink."""
    if not COLLECTOR or not pathlib.Path(COLLECTOR).exists():
        raise Skip("the collector is not built: ./dev clients, with Go")
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        config = pathlib.Path(folder) / "collector.yaml"
        config.write_text(CONFIG.format(port=port, sink=sink.base))
        process = subprocess.Popen([COLLECTOR, f"--config=file:{config}"], stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True)
        try:
            wait_for(lambda: process.poll() is not None or answers(port), 60 * PATIENCE, "the collector")
            if process.poll() is not None:
                raise AssertionError(process.stdout.read())
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(30)


def test_a_collector_has_one_tree_from_front_to_broker():
    with Collector() as sink, collector(sink) as endpoint, Server() as s:
        policy = {"courier": {"permissions": {"http": [{"url": s.url + "/*", "private": True}]}}}
        env = {"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint, "OTEL_BSP_SCHEDULE_DELAY": "50",
               "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment.name=test"}
        with Daemon(plugins=["courier"], policies=policy, env=env) as d:
            same(d.call("courier", {"url": s.url + "/echo"}).ok, True)
            spans = {span.name: span for span in sink.wait(5)}
        front, call, queue, worker, get = (
            spans[name] for name in ("tools/call courier", "execute_tool courier", "queue", "worker", "GET"))
        same(len({span.trace for span in spans.values()}), 1)
        same([span.parent for span in (front, call, queue, worker, get)],
             [None, front.id, call.id, call.id, worker.id])
        same([span.kind for span in (front, call, queue, worker, get)], [SERVER, INTERNAL, INTERNAL, INTERNAL, CLIENT])
        assert front.start <= call.start <= queue.end <= worker.end <= call.end <= front.end
        for name, of in (("mcp.method.name", front), ("mcp.protocol.version", front), ("gen_ai.tool.name", front),
                         ("gen_ai.operation.name", call), ("gen_ai.tool.call.id", call),
                         ("http.request.method", get), ("server.address", get)):
            assert of.attributes[name], (name, of)
        same(get.attributes["http.response.status_code"], 200)
        same((front.resource["service.name"], front.resource["deployment.environment.name"]), ("toolhost", "test"))


def test_a_collector_has_a_batch_as_one_tree():
    with Collector() as sink, collector(sink) as endpoint, Server() as s:
        policy = {"courier": {"permissions": {"http": [{"url": s.url + "/*", "private": True}]}}}
        with Daemon(plugins=["courier"], policies=policy,
                    config={"threads": 2, "trace": {"endpoint": endpoint + "/v1/traces", "delay": "50ms"}}) as d:
            calls = [{"name": "courier", "arguments": {"url": s.url + "/echo"}}] * 3
            same(d.http("POST", "/v1/calls", {"calls": calls}).status, 200)
            spans = sink.wait(13)
        same(len({span.trace for span in spans}), 1)
        below = {span.id: sorted(other.name for other in spans if other.parent == span.id) for span in spans}
        shape = [(span.name, span.kind, below[span.id]) for span in sorted(spans, key=lambda span: span.name)]
        same(shape, [("GET", CLIENT, [])] * 3 + [("POST /v1/calls", SERVER, ["execute_tool courier"] * 3)]
             + [("execute_tool courier", INTERNAL, ["queue", "worker"])] * 3 + [("queue", INTERNAL, [])] * 3
             + [("worker", INTERNAL, ["GET"])] * 3)


def test_a_collector_takes_errors_links_and_odd_names():
    parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    other = "00-1af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    with Collector() as sink, collector(sink) as endpoint:
        with Daemon(plugins=["echo"], config={"trace": {"endpoint": endpoint + "/v1/traces", "delay": "50ms",
                                                        "content": True}}) as d:
            d.call("echo", {"text": "gr\u00fc\u00df \u0001 \"\\ \U0001f600"}, meta={"traceparent": parent, "tracestate": "a=b"},
                   headers={"traceparent": other})
            d.call("no such \"tool\"", {})
            front = sink.one("tools/call echo")
            same((front.trace, front.parent, front.state), (parent[3:35], parent[36:52], "a=b"))
            same([link["traceId"] for link in front.links], [other[3:35]])
            assert "gr\u00fc\u00df" in sink.one("execute_tool echo").attributes["gen_ai.tool.call.arguments"]
            failed = sink.one("tools/call")
            same((failed.attributes["gen_ai.tool.name"], failed.status["code"]), ("no such \"tool\"", 2))
            wait_for(lambda: 'toolhost_trace_spans_total{outcome="rejected"} 0' in
                     d.http("GET", "/metrics").body.decode(), what="no span to be refused")


if __name__ == "__main__":
    main()
