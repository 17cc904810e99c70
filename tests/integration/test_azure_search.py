#!/usr/bin/env python3
"""Tools that search indexes of Azure AI Search, with a service of our own that has its contract: it refuses
whatever the real one does not take."""

import contextlib
import http.server
import json
import os
import tempfile
import threading

from harness import Daemon, main, same
from test_auth import Caller, new_key
from test_tenants import call, tools

KEY = "k3y-of-the-service"
DOCUMENTS = [{"id": str(n), "title": f"Document {n}", "rating": n % 5} for n in range(1, 13)]
# What a request may have besides "search", and of which type.
MEMBERS = {"search": str, "queryType": str, "filter": str, "select": str, "searchFields": str, "orderby": str,
           "top": int, "skip": int, "count": bool, "semanticConfiguration": str, "captions": str, "answers": str,
           "vectorQueries": list}


class Refused(Exception):
    def __init__(self, status, code, message):
        self.status, self.code, self.message = status, code, message


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            status, answer = 200, self.search(body)
        except Refused as why:
            status, answer = why.status, {"error": {"code": why.code, "message": why.message}}
        text = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; odata.metadata=minimal")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def search(self, body):
        if self.headers.get("api-key") != KEY:
            raise Refused(403, "Forbidden", "the api-key is not valid")
        if self.path != "/indexes/handbook/docs/search?api-version=2024-07-01":
            raise Refused(404, "ResourceNotFound", f"there is no {self.path}")
        if not self.headers.get("Content-Type", "").startswith("application/json"):
            raise Refused(415, "UnsupportedMediaType", "expected application/json")
        asked = json.loads(body)
        for name, value in asked.items():
            if name not in MEMBERS or type(value) is not MEMBERS[name]:
                raise Refused(400, "InvalidRequest", f"{name} can't be {value!r}")
        if asked["queryType"] not in ("simple", "full", "semantic"):
            raise Refused(400, "InvalidRequest", "queryType")
        if asked["queryType"] != "semantic" and {"captions", "answers", "semanticConfiguration"} & set(asked):
            raise Refused(400, "SemanticQueriesNotAvailable", "captions and answers need queryType semantic")
        for query in asked.get("vectorQueries", []):
            if query.get("kind") != "text" or not query.get("text") or not query.get("fields") or query.get("k", 0) < 1:
                raise Refused(400, "InvalidVectorQuery", "expected kind, text, fields and k")
        self.server.asked.append(asked)
        return self.found(asked)

    def found(self, asked):
        skip, top = asked["skip"], asked["top"]
        fields = asked["select"].split(",") if "select" in asked else list(DOCUMENTS[0])
        if set(fields) - set(DOCUMENTS[0]):
            raise Refused(400, "InvalidRequestParameter", f"Could not find a property named '{fields[-1]}'")
        page = [{"@search.score": 1.0 / n, **{f: d[f] for f in fields}}
                for n, d in enumerate(DOCUMENTS[skip:skip + top], skip + 1)]
        answer = {"@odata.context": "https://x/$metadata#docs(*)", "value": page}
        if asked["count"]:
            answer["@odata.count"] = len(DOCUMENTS)
        if asked["queryType"] == "semantic":
            answer["@search.answers"] = [{"key": "1", "text": "It is so.", "highlights": "", "score": 0.97}]
            for one in page:
                one.update({"@search.rerankerScore": 2.5, "@search.captions": [{"text": "A caption.", "highlights": ""}]})
        return answer


@contextlib.contextmanager
def bed(key=KEY, **members):
    """The service, a daemon, and a tenant with one index."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.asked = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}"
    with tempfile.NamedTemporaryFile("w", suffix=".key") as file:
        file.write(key)
        file.flush()
        os.chmod(file.name, 0o600)
        policy = {"permissions": {"http": [{"url": url + "/indexes/*", "methods": ["POST"], "private": True,
                                            "headers": {"api-key": "${azure}"}}]}, "secrets": {"azure": file.name}}
        index = {"name": "search_handbook", "description": "Searches the handbook.", "endpoint": url, "index": "handbook"}
        tenant = {"tools": [], "features": {"azure_search": {"indexes": [{**index, **members}]}}}
        try:
            with Daemon(plugins=["azure_search"], policies={"azure_search": policy}, tenants={"one": tenant}) as d:
                yield server, d, Caller(d, new_key(d, "one", "--tenant", "one"))
        finally:
            server.shutdown()
            server.server_close()


def search(caller, **arguments):
    answer = call(caller, "search_handbook", arguments)
    assert answer.error is None, answer
    return answer.json["structured"]


def test_A3_11_S3_14_a_search_and_its_pages():
    with bed(select=["id", "title"], count=True, top=5) as (s, d, one):
        same(tools(one), ["search_handbook"])
        first = search(one, query="handbook")
        same((first["count"], len(first["results"]), first["next_skip"]), (12, 5, 5))
        same(first["results"][0], {"score": 1.0, "document": {"id": "1", "title": "Document 1"}})
        last = search(one, query="handbook", skip=10)
        same(([r["document"]["id"] for r in last["results"]], "next_skip" in last), (["11", "12"], False))
        same(s.asked[0], {"search": "handbook", "queryType": "simple", "select": "id,title", "top": 5, "skip": 0, "count": True})
        said = json.dumps(d.lines)
        assert KEY not in said, "the key is in the log"


def test_A3_11_semantic_ranking_and_vectors():
    with bed(query_type="semantic", semantic_configuration="default", vector_fields=["v"], filter="rating ge 1",
             takes_filter=True) as (s, _, one):
        found = search(one, query="why?", filter="rating le 4", top=1)
        same(found["answers"], [{"text": "It is so.", "score": 0.97}])
        same((found["results"][0]["reranker_score"], found["results"][0]["captions"]), (2.5, ["A caption."]))
        same(s.asked[0]["filter"], "(rating ge 1) and (rating le 4)")
        same(s.asked[0]["vectorQueries"], [{"kind": "text", "text": "why?", "fields": "v", "k": 50}])
        same(call(one, "search_handbook", {"query": "x", "filter": "a) or (b"}).error, "tool_args_invalid")


def test_A3_11_what_the_service_refuses_is_told():
    with bed(select=["nothing"]) as (_, _, one):
        error = call(one, "search_handbook", {"query": "x"}).json["error"]
        same((error["code"], error["message"]),
             ("azure_search_failed", "The search service answered 400, InvalidRequestParameter: "
                                     "Could not find a property named 'nothing'."))
    with bed(key="another") as (_, _, one):
        error = call(one, "search_handbook", {"query": "x"}).json["error"]
        assert "answered 403, Forbidden" in error["message"] and "its key is missing" in error["message"], error


if __name__ == "__main__":
    main()
