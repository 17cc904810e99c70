"""An OpenTelemetry collector for tests: it takes OTLP over HTTP in JSON, and holds what comes to the letter of
opentelemetry/proto/trace/v1/trace.proto and of OTLP's rules for JSON (ids in hex, enums as numbers, 64-bit
integers as strings)."""

import http.server
import json
import re
import threading

from harness import wait_for

U64 = "a decimal string of 64 bits"
ID16, ID8 = re.compile(r"[0-9a-f]{32}"), re.compile(r"[0-9a-f]{16}")


class Wrong(AssertionError):
    pass


def need(condition, *what):
    if not condition:
        raise Wrong(*what)


def u64(value):
    need(isinstance(value, str) and re.fullmatch(r"0|[1-9][0-9]*", value) and int(value) < 1 << 64, U64, value)
    return int(value)


def an_id(value, form):
    need(isinstance(value, str) and form.fullmatch(value) and set(value) != {"0"}, "an id in lower-case hex", value)
    return value


def text(value):
    need(isinstance(value, str), "a text", value)
    return value


def fields(message, known, what):
    """Each field by its reader; a name that proto has not is none."""
    need(isinstance(message, dict), f"{what}: an object", message)
    need(not set(message) - set(known), f"{what}: unknown fields", set(message) - set(known))
    return {name: read(message[name]) for name, read in known.items() if name in message}


def each(read):
    def reader(value):
        need(isinstance(value, list), "a list", value)
        return [read(item) for item in value]
    return reader


def small(maximum):
    def reader(value):
        need(isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= maximum, "a number", value)
        return value
    return reader


def i64(value):
    need(isinstance(value, str) and re.fullmatch(r"-?[0-9]+", value) and -(1 << 63) <= int(value) < 1 << 63, value)
    return int(value)


def any_value(value):
    need(isinstance(value, dict) and len(value) == 1, "one value", value)
    return next(iter(fields(value, {"stringValue": text, "intValue": i64, "boolValue": lambda b: b,
                                    "doubleValue": float}, "AnyValue").values()))


def key_value(value):
    got = fields(value, {"key": text, "value": any_value}, "KeyValue")
    need(got["key"], "a key")
    return got["key"], got["value"]


def attributes(value):
    pairs = each(key_value)(value)
    need(len({k for k, _ in pairs}) == len(pairs), "attribute keys are unique", pairs)
    return dict(pairs)


def link(value):
    return fields(value, {"traceId": lambda v: an_id(v, ID16), "spanId": lambda v: an_id(v, ID8), "traceState": text,
                          "attributes": attributes, "flags": small((1 << 32) - 1)}, "Link")


def status(value):
    return fields(value, {"message": text, "code": small(2)}, "Status")


class Span:
    def __init__(self, value, resource, scope):
        got = fields(value, {
            "traceId": lambda v: an_id(v, ID16), "spanId": lambda v: an_id(v, ID8), "traceState": text,
            "parentSpanId": lambda v: an_id(v, ID8), "flags": small((1 << 32) - 1), "name": text, "kind": small(5),
            "startTimeUnixNano": u64, "endTimeUnixNano": u64, "attributes": attributes, "links": each(link),
            "status": status}, "Span")
        for name in ("traceId", "spanId", "name", "kind", "startTimeUnixNano", "endTimeUnixNano"):
            need(name in got, "Span has no", name)
        need(got["name"] and got["kind"], "a name and a kind", got)
        need(got["endTimeUnixNano"] >= got["startTimeUnixNano"], "it ends before it begins", got)
        self.trace, self.id, self.parent = got["traceId"], got["spanId"], got.get("parentSpanId")
        self.name, self.kind, self.flags = got["name"], got["kind"], got.get("flags", 0)
        self.start, self.end = got["startTimeUnixNano"], got["endTimeUnixNano"]
        self.attributes, self.links = got.get("attributes", {}), got.get("links", [])
        self.status, self.state = got.get("status", {}), got.get("traceState", "")
        self.resource, self.scope = resource, scope

    def __repr__(self):
        return f"<{self.name} {self.kind} {self.id} of {self.parent} {self.attributes} {self.status}>"


def read(body):
    """The spans of an ExportTraceServiceRequest."""
    spans = []

    def resource_spans(value):
        got = fields(value, {"resource": lambda r: fields(r, {"attributes": attributes}, "Resource")["attributes"],
                             "scopeSpans": lambda v: v, "schemaUrl": text}, "ResourceSpans")
        for scope_spans in got["scopeSpans"]:
            inner = fields(scope_spans, {"scope": lambda s: fields(s, {"name": text, "version": text}, "Scope"),
                                         "spans": lambda v: v, "schemaUrl": text}, "ScopeSpans")
            spans.extend(Span(s, got["resource"], inner["scope"]) for s in inner["spans"])

    fields(json.loads(body), {"resourceSpans": each(resource_spans)}, "ExportTraceServiceRequest")
    return spans


class Collector(http.server.ThreadingHTTPServer):
    """`answers` are (status, body) of the next requests, then 200."""

    daemon_threads = True

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1

        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            server = self.server
            with server.lock:
                answer, said = server.answers.pop(0) if server.answers else (200, b"{}")
                server.requests.append((answer, self.path, {k.lower(): v for k, v in self.headers.items()}, body))
                if answer == 200:
                    try:
                        need(self.headers["content-type"] == "application/json", "a content type",
                             self.headers["content-type"])
                        server.spans.extend(read(body))
                    except Exception as e:  # told by `wait`
                        server.wrong.append(repr(e))
            self.send_response(answer)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, *_):
            pass

    def __init__(self, *answers):
        super().__init__(("127.0.0.1", 0), self.Handler)
        self.answers, self.requests, self.spans, self.wrong = list(answers), [], [], []
        self.lock = threading.Lock()
        self.base = f"http://127.0.0.1:{self.server_address[1]}"
        self.url = self.base + "/v1/traces"
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.shutdown()
        self.server_close()
        if kind is None:
            need(not self.wrong, self.wrong)

    def wait(self, count, where=lambda span: True):
        """`count` such spans, at least."""
        def found():
            with self.lock:
                need(not self.wrong, self.wrong)
                return [s for s in self.spans if where(s)]

        wait_for(lambda: len(found()) >= count, 20, f"{count} spans")
        return found()

    def one(self, name):
        """The span of this name, of which there is one."""
        spans = self.wait(1, lambda s: s.name == name)
        need(len(spans) == 1, name, spans)
        return spans[0]
