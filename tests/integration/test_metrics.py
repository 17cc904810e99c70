"""/metrics: what there is of each part, as Prometheus' own checker and OpenMetrics' rules have it."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from harness import Skip, main, same  # noqa: E402
from otlp_server import Collector  # noqa: E402
from test_http import Server  # noqa: E402
from test_traces import SAMPLED, TRACE, courier_policy, traced  # noqa: E402

OPENMETRICS = "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5"
SAMPLE = re.compile(r'([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (\S+)(?: # (\{.*\}) (\S+) (\S+))?')
SUFFIXES = {"counter": ("_total",), "gauge": ("",), "histogram": ("_bucket", "_sum", "_count")}


def text_of(d, accept=None):
    answer = d.http("GET", "/metrics", headers={"Accept": accept} if accept else None)
    same(answer.status, 200)
    return answer.headers["content-type"], answer.body.decode()


def families(text):
    """{name: (type, [(sample's name, labels, value, exemplar)])}: every sample under the head of its family."""
    found, name, kind = {}, None, None
    for line in text.split("\n"):
        if line.startswith("# HELP "):
            name = line.split(" ")[2]
            assert name not in found, f"{name} twice"
        elif line.startswith("# TYPE "):
            same(line.split(" ")[2], name)
            kind = line.split(" ")[3]
            found[name] = (kind, [])
        elif line and line != "# EOF":
            sample, labels, value, exemplar, amount, at = SAMPLE.fullmatch(line).groups()
            float(value)
            found[name][1].append((sample, labels or "", float(value), exemplar and (exemplar, float(amount), float(at))))
    return found


def metrics_of_much():
    """Of a daemon in which each part has done something: (Prometheus' text, OpenMetrics, the samples' names)."""
    with Collector() as c, Server() as s, traced(
            c, ["courier", "echo"], policies=courier_policy(s),
            config={"guards": {"input": [{"guard": "size", "bytes": 1000}]}}) as d:
        d.call("courier", {"url": s.url + "/echo"}, meta={"traceparent": SAMPLED})
        d.call("echo", {"text": "x"})
        d.call("echo", {"wrong": "x"})
        d.rest("echo", {"text": 5}, call_id="named")
        return text_of(d), text_of(d, OPENMETRICS)


def test_what_is_told_of_calls():
    (kind, text), _ = metrics_of_much()
    same(kind, "text/plain; version=0.0.4; charset=utf-8")
    found = families(text)
    for name, (kind, samples) in found.items():
        for sample, *_, exemplar in samples:
            ends = ("",) if kind == "counter" else SUFFIXES[kind]
            assert sample.startswith(name) and sample[len(name):] in ends, (name, sample)
            same(exemplar, None)
        assert name.startswith("toolhost_"), name
        assert name.endswith("_total") == (kind == "counter"), name
    calls = found["toolhost_call_seconds"][1]
    same({re.search('stage="([a-z]+)"', labels)[1] for _, labels, *_ in calls}, {"front", "queue", "run", "total"})
    same({re.search('state="([a-z]+)"', labels)[1] for _, labels, *_ in found["toolhost_worker_processes"][1]},
         {"starting", "idle", "busy", "leaving"})
    one = {sample: value for sample, labels, value, _ in found["toolhost_http_seconds"][1] if "le=" not in labels}
    same(one["toolhost_http_seconds_count"], 1)
    assert 0 < one["toolhost_http_seconds_sum"] < 10
    for name in ("toolhost_calls_total", "toolhost_queue_depth", "toolhost_calls_running", "toolhost_memory_bytes",
                 "toolhost_store_up", "toolhost_approvals_pending", "toolhost_guard_verdicts_total",
                 "toolhost_guard_seconds", "toolhost_loop_turn_seconds", "toolhost_http_requests_total",
                 "toolhost_build_info", "toolhost_trace_spans_total", "toolhost_worker_rss_bytes"):
        assert found[name][1], name


def test_promtool_finds_nothing():
    promtool = shutil.which("promtool")
    if promtool is None:
        raise Skip("promtool (Debian package prometheus) is not installed")
    (_, text), _ = metrics_of_much()
    done = subprocess.run([promtool, "check", "metrics"], input=text, capture_output=True, text=True, timeout=60)
    same((done.returncode, done.stdout + done.stderr), (0, ""))


def test_openmetrics_with_exemplars():
    (_, text), (kind, open_text) = metrics_of_much()
    same(kind, "application/openmetrics-text; version=1.0.0; charset=utf-8")
    assert open_text.endswith("\n# EOF\n") and open_text.count("# EOF") == 1 and "# EOF" not in text
    found = families(open_text)
    told = set()
    for name, (kind, samples) in found.items():
        assert not name.endswith("_total"), name
        for sample, labels, value, exemplar in samples:
            assert sample.startswith(name) and sample[len(name):] in SUFFIXES[kind], (name, sample)
            if exemplar is None:
                continue
            assert sample.endswith("_bucket"), sample
            labels_of, amount, at = exemplar
            told.add((name, re.fullmatch(r'\{trace_id="([0-9a-f]{32})"\}', labels_of)[1]))
            bound = re.search('le="([^"]+)"', labels)[1]
            assert amount <= float(bound.replace("+Inf", "inf")) and at > 1.7e9, (bound, amount, at)
    assert ("toolhost_call_seconds", TRACE) in told and ("toolhost_http_seconds", TRACE) in told, told
    same({name + ("_total" if kind == "counter" else "") for name, (kind, _) in found.items()}, set(families(text)))


READ = """
import json, sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as read
from prometheus_client.parser import text_string_to_metric_families as read_old
text, open_text = json.load(sys.stdin)
json.dump({"old": sorted({f.name for f in read_old(text)}), "new": sorted({f.name for f in read(open_text)}),
           "exemplars": [s.exemplar.labels for f in read(open_text) for s in f.samples if s.exemplar]}, sys.stdout)
"""


def test_prometheus_client_reads_it():
    """The parser of Prometheus' own client."""
    python = os.environ.get("TOOLHOST_PYTHON")
    if not python or subprocess.run([python, "-c", "import prometheus_client"], capture_output=True).returncode != 0:
        raise Skip("prometheus_client is not installed: ./dev clients")
    (_, text), (_, open_text) = metrics_of_much()
    done = subprocess.run([python, "-c", READ], input=json.dumps([text, open_text]), capture_output=True, text=True)
    same(done.returncode, 0, f"exit status, with {done.stderr[-1000:]}")
    seen = json.loads(done.stdout)
    assert {"trace_id": TRACE} in seen["exemplars"], seen["exemplars"]
    same(seen["old"], seen["new"])


def test_the_dashboard_names_what_there_is():
    """Every metric, label and stage of examples/grafana/toolhost.json is one of /metrics."""
    source = pathlib.Path(__file__).resolve().parents[2]
    board = json.loads((source / "examples/grafana/toolhost.json").read_text())
    (_, text), _ = metrics_of_much()
    there = {sample for _, samples in families(text).values() for sample, *_ in samples} | set(families(text))
    queries = [t["expr"] for p in board["panels"] for t in p.get("targets", ())] + \
              [v["query"]["query"] if isinstance(v["query"], dict) else v["query"] for v in board["templating"]["list"]
               if v["type"] == "query"]
    assert len(queries) > 20
    for query in queries:
        names = re.findall(r"toolhost_[a-z_]+", query)
        assert names or "up{" in query, query
        missing = [name for name in names if name not in there]
        assert not missing, (missing, query)
    same(len({p["id"] for p in board["panels"]}), len(board["panels"]))


if __name__ == "__main__":
    main()
