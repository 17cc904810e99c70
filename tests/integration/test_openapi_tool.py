#!/usr/bin/env python3
"""Services as tools: documents in OpenAPI, and a real service that is asked through the daemon."""

import base64
import contextlib
import json
import os
import signal
import tempfile

import openapi_documents
from harness import SOURCE, Daemon, comment, main, same, wait_for
from test_builders import caller, seconds
from test_http import Handler, Server, write_secret


class Service(Handler):
    """Says what it was asked, and has pages, failures and pictures."""

    def give(self, value, status=200, **headers):
        self.answer(status, json.dumps(value).encode(), **{"Content_Type": "application/json", **headers})

    def on_v1(self, path, nth):
        getattr(self, "on_" + path[1], self.on_said)(path, nth)

    def on_said(self, path, nth):
        headers = {name.lower(): value for name, value in self.asked["headers"].items()}
        self.give({"method": self.command, "path": self.path, "body": self.asked["body"].decode("latin-1"),
                   "headers": headers})

    on_other = on_said

    def on_pages(self, path, nth):
        self.give([{"id": n, "long": "x" * 50} for n in range(5)],
                  Link=f'<{self.server.url}/v1/pages?page=2>; rel="next"')

    def on_missing(self, path, nth):
        self.answer(404, json.dumps({"type": "about:blank", "title": "Not found", "detail": "no such pet"}).encode(),
                    Content_Type="application/problem+json")

    def on_picture(self, path, nth):
        self.answer(200, b"\x89PNG....", Content_Type="image/png")

    def on_moved(self, path, nth):
        self.answer(302, b"", Location="/v1/said")

    def on_slow(self, path, nth):
        self.server.stop.wait(20)
        self.close_connection = True


def operation(name, *parameters, **more):
    return {"operationId": name, "parameters": list(parameters), "responses": {"200": {"description": "ok"}}, **more}


def parameter(name, where="query", **more):
    return {"name": name, "in": where, "required": where == "path", "schema": {"type": "string"}, **more}


def document(url, **paths):
    return {"openapi": "3.0.3", "info": {"title": "A service", "version": "1"}, "servers": [{"url": url + "/v1"}],
            "paths": {"/" + path.replace("__", "/"): item for path, item in paths.items()}}


def items(url):
    """One operation for each thing that is tested."""
    file = {"type": "object", "properties": {"title": {"type": "string"}, "file": {"type": "string", "format": "binary"}}}
    found = document(
        url, said={"get": operation("say", parameter("q"), parameter("X-Trace", "header")),
                   "post": operation("tell", requestBody={"content": {"application/json": {"schema": {"type": "object"}}}})},
        form={"post": operation("fill", requestBody={"content": {"application/x-www-form-urlencoded": {
            "schema": {"type": "object"}, "encoding": {"deep": {"style": "deepObject", "explode": True}}}}})},
        upload={"post": operation("upload", requestBody={"required": True, "content": {
            "multipart/form-data": {"schema": file}}})},
        pages={"get": operation("pages", parameter("page"))}, missing={"get": operation("missing")},
        picture={"get": operation("picture")}, moved={"get": operation("moved")}, slow={"get": operation("slow")})
    found["paths"]["/things/{id}"] = {"get": operation("thing", parameter("id", "path"))}
    found["paths"]["/secured"] = {"get": operation("secured", security=[{"key": []}])}
    found["components"] = {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}}
    return found


@contextlib.contextmanager
def serving(make=items, policy=None, **settings):
    """The service, and a daemon with a tool for each of its operations."""
    with Server(Service) as s, tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        s.folder = folder
        write_secret(os.path.join(folder, "key"), "k3y/canary\n")
        policy = {"permissions": {"http": [{"url": s.url + "/*", "private": True, "headers": {"X-Key": "${key}"}}],
                                  "read": [folder]},
                  "secrets": {"key": os.path.join(folder, "key")}, **(policy or {})}
        service = {"name": "items", **settings}
        if make is not None:
            service["document"] = make(s.url)
        if callable(service.get("file")):
            service["file"] = service["file"](s.url, folder)
        with Daemon(plugins=["openapi"], policies={"openapi": policy},
                    tenants={"default": {"features": {"openapi": {"services": [service]}}}}) as d:
            yield s, d


def body(d, tool, arguments):
    answer = d.rest(tool, arguments)
    same(answer.status, 200, answer)
    assert "structured" in answer.body, answer
    return answer.body["structured"]


def test_S3_14_a_document_is_tools():
    with serving() as (s, d):
        names = ["fill", "missing", "moved", "pages", "picture", "say", "slow", "tell", "thing", "upload"]
        same(sorted(d.tools()), names)
        told = d.wait_log("openapi_operation_left_out")
        same((told["method"], told["path"]), ("GET", "/secured"))
        assert 'it needs the credentials "key"' in told["why"], told
        wanted = d.wait_log("openapi_credentials_missing")
        same(wanted["policy"]["permissions"]["http"], [{"url": s.url + "/v1/*", "headers": {"X-Key": "${items_key}"}}])
        built = d.wait_log("openapi_service_built")
        same((built["service"], built["operations"], built["left_out"]), ("items", 10, 1))
        same(d.rest("say", {"qq": 1}).code, "tool_args_invalid")
        same([tool["name"] for tool in d.http("GET", "/v1/tools?tags=items").json["tools"]], names)


def test_U3_16_T3_18_values_arrive_as_they_were_written():
    rows = {"foo/bar?q=1#frag data": "foo%2Fbar%3Fq%3D1%23frag%20data", "hello%2Fworld": "hello%252Fworld",
            "café résumé": "caf%C3%A9%20r%C3%A9sum%C3%A9", "a:b@c": "a%3Ab%40c"}
    with serving() as (s, d):
        for value, path in rows.items():
            same(body(d, "thing", {"id": value})["path"], "/v1/things/" + path, value)
        for value in ("..", "../../admin", "%2e%2e", "."):
            answer = d.rest("thing", {"id": value})
            same(answer.code, "openapi_error", answer)
            assert "dot-segment" in answer.body["error"]["message"], answer
        same(len(s.asked), len(rows))


def test_U3_17_queries_headers_and_bodies():
    with serving() as (s, d):
        said = body(d, "say", {"q": "a b&c=d/é", "X-Trace": "t-1"})
        same((said["path"], said["headers"]["x-trace"]), ("/v1/said?q=a+b%26c%3Dd%2F%C3%A9", "t-1"))
        said = body(d, "tell", {"body": {"a": [1, 2.5, None]}})
        same((said["method"], said["body"], said["headers"]["content-type"]),
             ("POST", '{"a":[1,2.5,null]}', "application/json"))
        said = body(d, "fill", {"body": {"a": "x y", "deep": {"b": {"c": 1}}}})
        same((said["body"], said["headers"]["content-type"]),
             ("a=x+y&deep%5Bb%5D%5Bc%5D=1", "application/x-www-form-urlencoded"))
        data = base64.b64encode(b"\x00\xff\r\n--x").decode()
        said = body(d, "upload", {"body": {"title": "T", "file": {"name": "a.bin", "data": data}}})
        boundary = said["headers"]["content-type"].partition("boundary=")[2]
        same(said["body"].split("--" + boundary), [
            "", '\r\nContent-Disposition: form-data; name="title"\r\n\r\nT\r\n',
            '\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n'
            "Content-Type: application/octet-stream\r\n\r\n\x00\xff\r\n--x\r\n", "--\r\n"])


def test_U3_18_answers():
    with serving(timeout=1500) as (s, d):
        answer = d.rest("missing", {})
        same((answer.code, answer.body["error"]["message"]),
             ("openapi_error", "The service answered 404: Not found: no such pet"))
        assert "redirects are not followed" in d.rest("moved", {}).body["error"]["message"]
        same(d.rest("picture", {}).body["content"][0]["mimeType"], "image/png")
        assert d.rest("slow", {}).code in ("http_timeout", "tool_timeout")
        answer = d.rest("pages", {})
        same(answer.body["content"][-1]["text"], "There is more: call it again with page = 2.")


def test_S3_4_S3_14_credentials_are_added_by_the_daemon():
    with serving(credentials=["key"]) as (s, d):
        said = body(d, "secured", {})
        same((s.asked[-1]["path"], s.asked[-1]["headers"]["X-Key"]), ("/v1/secured", "k3y/canary"))
        same(said["path"], "/v1/secured")
        assert "k3y" not in json.dumps(d.lines), "the key is in the log"
        assert "X-Key" not in d.http("GET", "/v1/tools").body.decode(), "the key is an argument"


def test_what_of_answers_is_told():
    with serving(response={"fields": ["id"], "max_bytes": 40}) as (s, d):
        answer = d.rest("pages", {})
        same(answer.body["content"][0]["text"], '{"result":[{"id":0},{"id":1},{"id":2}]}')
        assert "Of 5 items the first 3 are told" in answer.body["content"][1]["text"], answer


def test_T3_19_37_a_server_s_variable_leads_nowhere_that_is_not_granted():
    """Neither to another host, nor, where all hosts are granted, to an address that is not public."""
    anywhere = [{"url": "http://*/*"}]
    for grants, code in (([], "http_not_granted"), (anywhere, "ssrf_blocked")):
        def make(url):
            found = document(url, said={"get": operation("say")})
            found["servers"] = [{"url": "http://{host}/v1", "variables": {"host": {"default": "public.example"}}}]
            return found
        with serving(make=make, policy={"permissions": {"http": grants}},
                     server_variables={"host": "169.254.169.254"}) as (s, d):
            same((d.rest("say", {}).code, s.asked), (code, []))


def test_U3_19_T3_19_36_T3_19_44_only_what_is_granted_is_asked():
    with serving(server="http://127.0.0.1:9/v1") as (s, d):
        same(d.rest("say", {}).code, "http_not_granted")
    with serving(policy={"permissions": {"http": []}}) as (s, d):
        same(d.rest("say", {}).code, "http_not_granted")
        same(s.asked, [])


def test_a_build_that_fails_says_what_is_wrong():
    with serving(make=None, document="openapi: 3.0.0\npaths: [") as (s, d):
        error = d.wait_log("tool_build_error")
        assert "/services/0/document: line 3" in error["message"], error
        same(d.tools(), [])


def write_yaml(url, folder):
    path = os.path.join(folder, "api.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"openapi: 3.1.0\ninfo: {{title: Files, version: '1'}}\nservers: [{{url: '{url}/v1'}}]\npaths:\n"
                   "  /said:\n    get:\n      operationId: say\n      parameters:\n        - $ref: 'p.yaml#/q'\n")
    with open(os.path.join(folder, "p.yaml"), "w", encoding="utf-8") as file:
        file.write("q: {name: q, in: query, schema: {type: [string, 'null']}}\n")
    return path


def test_U3_18_T3_19_16_a_document_in_a_file_and_what_it_refers_to():
    with serving(make=None, file=write_yaml, external_refs=True) as (s, d):
        same(body(d, "say", {"q": "x"})["path"], "/v1/said?q=x")
    with serving(make=None, file=write_yaml) as (s, d):
        assert "that is blocked" in d.wait_log("tool_build_error")["message"]


def put_document(url, folder, *names):
    path = os.path.join(folder, "changing.json")
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(document(url, **{name: {"get": operation(name)} for name in names}), file)
    os.rename(path + ".new", path)
    return path


def test_a_document_that_changes_is_built_anew():
    with serving(make=None, file=lambda url, folder: put_document(url, folder, "a", "b")) as (s, d):
        same(d.tools(), ["a", "b"])
        same(body(d, "a", {})["path"], "/v1/a")
        put_document(s.url, s.folder, "a", "c")
        same(body(d, "a", {})["path"], "/v1/a")  # which notices it
        wait_for(lambda: d.tools() == ["a", "c"], what="the tools of the new document")
        put_document(s.url, s.folder, "d")
        d.signal(signal.SIGHUP)
        wait_for(lambda: d.tools() == ["d"], 15, "the tools after a reload")
        same(body(d, "d", {})["path"], "/v1/d")


def test_a_document_that_changes_while_no_worker_runs():
    with serving(make=None, file=lambda url, folder: put_document(url, folder, "a", "b")) as (s, d):
        d.wait_log("worker_ended", lambda e: e["reason"] == "stopped", after=1)
        put_document(s.url, s.folder, "a", "c")
        d.rest("a", {})  # its worker builds other tools than were told
        wait_for(lambda: d.tools() == ["a", "c"], 15, "the tools of the new document")
        wait_for(lambda: d.rest("a", {}).code is None, 30, "a call that works")


def test_a_document_that_was_wrong_is_read_again():
    def wrong(url, folder):
        path = os.path.join(folder, "changing.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write("{")
        return path
    with serving(make=None, file=wrong) as (s, d):
        same(d.tools(), [])
        put_document(s.url, s.folder, "a")
        d.signal(signal.SIGHUP)
        wait_for(lambda: d.tools() == ["a"], 15, "the tools after a reload")


def test_tenants_have_services_of_their_own():
    with Server(Service) as s:
        policy = {"permissions": {"http": [{"url": s.url + "/*", "private": True}]}}
        tenants = {name: {"features": {"openapi": {"services": [
            {"name": name, "prefix": name + "_", "document": document(s.url, said={"get": operation("say")})}]}}}
            for name in ("one", "two")}
        with Daemon(plugins=["openapi"], policies={"openapi": policy}, tenants=tenants) as d:
            for name in tenants:
                who = caller(d, name)
                same([tool["name"] for tool in who.http("GET", "/v1/tools").json["tools"]], [name + "_say"])


def test_the_example_is_one():
    text = (SOURCE / "examples" / "tenants" / "services.json").read_text()
    with Daemon(plugins=["openapi"], tenants={"services": text}) as d:
        who = caller(d, "services")
        tool = who.http("GET", "/v1/tools").json["tools"][0]
        same((tool["name"], sorted(tool["inputSchema"]["properties"])), ("get_forecast", ["city", "days"]))


# ---- large documents, in the style of public ones ----

def large(style):
    """For `file`: where the document is, which is too large for a tenant's file."""
    def write(url, folder):
        made = openapi_documents.STYLES[style](url)
        path = os.path.join(folder, style)
        with open(path, "w", encoding="utf-8") as file:
            file.write(openapi_documents.to_yaml(made) if style == "hosting" else json.dumps(made))
        return path
    return write


def test_S3_14_a_payments_api():
    with serving(make=None, file=large("payments"), credentials=["bearerAuth"], tools_max=300, output_schema=False) as (s, d):
        same(len(d.tools()), 288)
        same(d.log_events("openapi_operation_left_out"), [])
        said = body(d, "PostCustomers", {"body": {
            "amount": 5, "currency": "eur", "expand": ["source", "card"], "metadata": {"a b": "c"},
            "shipping": {"name": "N", "address": {"city": "Köln"}}}})
        same(said["body"], "amount=5&currency=eur&expand%5B0%5D=source&expand%5B1%5D=card&metadata%5Ba%20b%5D=c"
                           "&shipping%5Bname%5D=N&shipping%5Baddress%5D%5Bcity%5D=K%C3%B6ln")
        same(said["headers"]["content-type"], "application/x-www-form-urlencoded")
        said = body(d, "GetCustomersId", {"customer": "cus/1", "expand": ["card"]})
        same(said["path"], "/v1/customers/cus%2F1?expand%5B0%5D=card")
        said = body(d, "PostCustomersIdCancel", {"customer": "c"})
        same((said["path"], said["body"]), ("/v1/customers/c/cancel", ""))
        same(d.rest("PostCustomers", {"body": {"amount": "x", "currency": "eur"}}).code, "tool_args_invalid")


def test_S3_14_a_code_hosting_api_is_searched():
    with serving(make=None, file=large("hosting"), group="search") as (s, d):
        same(sorted(d.tools()), ["items_call", "items_describe_operation", "items_search_operations"])
        same(d.wait_log("openapi_service_built")["operations"], 980)
        found = body(d, "items_search_operations", {"query": "list milestones in repos", "limit": 3})
        same(found["operations"][0]["operation"], "milestones/list-milestones-for-repos-owner-repo")
        told = body(d, "items_describe_operation", {"operation": found["operations"][0]["operation"]})
        same(told["definition"]["inputSchema"]["required"], ["owner", "repo"])
        said = body(d, "items_call", {"operation": "milestones/get-milestones-for-repos-owner-repo",
                                      "arguments": {"owner": "a", "repo": "b.c", "milestone_id": 7}})
        same(said["path"], "/repos/a/b.c/milestones/7")
        answer = d.rest("items_call", {"operation": "milestones/get-milestones-for-repos-owner-repo", "arguments": {}})
        same(answer.code, "tool_args_invalid")
        assert "/: it lacks owner" in answer.body["error"]["message"], answer


def test_S3_14_a_cloud_api():
    with serving(make=None, file=large("cloud"), credentials=["apiKey"], tools_max=200, output_schema=False,
                 server_variables={"tier": "pro"}) as (s, d):
        same(len(d.tools()), 140)
        data = base64.b64encode(b"\x00\x01").decode()
        said = body(d, "cloud_objects_upload", {"object": "a b", "body": {
            "file": {"name": "f", "type": "image/x", "data": data}, "metadata": {"kind": "cloud#object"}}})
        same(said["path"], "/pro/v2/objects/a%20b:upload")
        assert 'filename="f"\r\nContent-Type: image/x\r\n\r\n\x00\x01\r\n' in said["body"], said
        assert 'Content-Type: application/json\r\n\r\n{"kind":"cloud#object"}' in said["body"], said
        said = body(d, "cloud_forecasts_latest", {"region": ["eu", "us"], "format": "json"})
        same(said["path"], "/pro/v2/forecasts/near;region=eu;region=us/latest.json")
        said = body(d, "cloud_buckets_get", {"bucket": "b", "fields": ["a", "b"], "If-Match": '"e"'})
        same((said["path"], said["headers"]["if-match"]), ("/pro/v2/buckets/b?fields=a%20b", '"e"'))
        same(d.rest("cloud_buckets_insert", {"body": {"kind": "cloud#other"}}).code, "tool_args_invalid")


def worker_rss(d):
    """The most memory that a worker has had, in KiB."""
    return max(int(d.status(pid)["VmHWM"].split()[0]) for pid in d.workers())


def test_a_thousand_operations_are_tools():
    with serving(make=None, file=large("hosting"), tools_max=1000, output_schema=False) as (s, d):
        same(len(d.tools()), 980)
        started, built = (d.wait_log(event, lambda e: e.get("builder", "openapi") == "openapi")["ts"]
                          for event in ("tool_builder_phase_started", "tool_builder_phase_built_tool"))
        same(body(d, "labels_get-labels-for-orgs-org", {"org": "o", "label_id": 1})["path"], "/orgs/o/labels/1")
        milliseconds = (seconds(built) - seconds(started)) * 1000
        comment(f"980 operations: built in {milliseconds:.0f} ms, {d.rss()} KiB of the daemon, "
                f"{worker_rss(d)} KiB of the worker")


def test_S3_14_our_own_description():
    """The daemon's operations as tools of the daemon: one that is called by another."""
    with Daemon(plugins=["echo"]) as other, tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        path = os.path.join(folder, "own.json")
        with open(path, "wb") as file:
            file.write(other.http("GET", "/openapi.json").body)
        os.chmod(path, 0o644)
        server = "http://" + other.address
        policy = {"permissions": {"http": [{"url": server + "/*", "private": True}], "read": [folder]}}
        schemes = list(json.loads(other.http("GET", "/openapi.json").body)["components"].get("securitySchemes", {}))
        service = {"name": "toolhost", "file": path, "server": server, "names": "derive", "credentials": schemes,
                   "tools_max": 500, "output_schema": False}
        with Daemon(plugins=["openapi"], policies={"openapi": policy},
                    tenants={"default": {"features": {"openapi": {"services": [service]}}}}) as d:
            said = body(d, "post_v1_tools_name_call", {"name": "echo", "body": {"arguments": {"text": "from outside"}}})
            same(said["content"][0]["text"], "from outside")
            assert len(d.tools()) > 30, d.tools()


if __name__ == "__main__":
    main()
