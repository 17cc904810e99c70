"""Resources, prompts and completions of plugins, through the daemon, to clients of both eras of MCP."""

import http.client
import json
import shutil

from harness import Daemon, LEGACY, in_background, main, plugin_file, same, wait_for

INITIALIZE = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


class Session:
    """A client of the handshake over HTTP."""

    def __init__(self, d):
        self.d, self.id = d, None
        self.server = self.ask("initialize", INITIALIZE)["result"]

    def ask(self, method, params=None):
        headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": LEGACY}
        if self.id:
            headers["Mcp-Session-Id"] = self.id
        answer = self.d.http("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}},
                             headers)
        same(answer.status, 200, f"status of {method}")
        self.id = answer.headers.get("mcp-session-id", self.id)
        return answer.json


class Listener:
    """A subscription of 2026-07-28, or the stream of a session."""

    def __init__(self, d, method, headers, body=None):
        host, port = d.address.rsplit(":", 1)
        self.connection = http.client.HTTPConnection(host, int(port), timeout=30)
        self.connection.request(method, "/mcp", body, headers)
        self.response = self.connection.getresponse()
        same(self.response.status, 200, "status of the stream")

    def next(self):
        while True:
            line = self.response.readline().decode()
            assert line, "the stream ended"
            if line.startswith("data:") and line[5:].strip():
                return json.loads(line[5:])

    def until(self, method):
        while (message := self.next()).get("method") != method:
            pass
        return message

    def close(self):
        self.connection.close()


def listen(d, notifications):
    params = {"notifications": notifications,
              "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                        "io.modelcontextprotocol/clientCapabilities": {}}}
    body = json.dumps({"jsonrpc": "2.0", "id": "L", "method": "subscriptions/listen", "params": params})
    return Listener(d, "POST", {"Accept": "text/event-stream", "Content-Type": "application/json",
                                "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "subscriptions/listen"}, body)


def both(d):
    """Two clients, one of each era: functions from method and params to result or error."""
    session = Session(d)
    return [lambda method, params=None: d.mcp(method, params).json, session.ask]


def test_lists():
    with Daemon(plugins=["conformance"]) as d:
        for ask in both(d):
            names = [r["uri"] for r in ask("resources/list")["result"]["resources"]]
            same(names, ["test://static-binary", "test://static-text", "test://watched-resource"])
            templates = ask("resources/templates/list")["result"]["resourceTemplates"]
            same([t["uriTemplate"] for t in templates], ["test://template/{id}/data"])
            prompts = ask("prompts/list")["result"]["prompts"]
            names = [p["name"] for p in prompts]
            same(names, sorted(names))
            same(prompts[names.index("test_prompt_with_arguments")]["arguments"][0],
                 {"name": "arg1", "description": "The first one.", "required": True})


def test_the_eras_differ_where_they_must():
    with Daemon(plugins=["conformance"]) as d:
        modern, legacy = both(d)
        for method in ("resources/list", "resources/templates/list", "prompts/list"):
            result = modern(method)["result"]
            same((result["resultType"], result["cacheScope"]), ("complete", "private"))
            assert result["ttlMs"] >= 0
            result = legacy(method)["result"]
            assert not {"resultType", "ttlMs", "cacheScope"} & set(result), result
        result = modern("resources/read", {"uri": "test://static-text"})["result"]
        same((result["resultType"], result["ttlMs"]), ("complete", 0))
        gone = {"uri": "test://nothing"}
        same((modern("resources/read", gone)["error"]["code"], legacy("resources/read", gone)["error"]["code"]),
             (-32602, -32002))
        same(modern("resources/read", gone)["error"]["data"]["uri"], "test://nothing")
        capabilities = modern("server/discover")["result"]["capabilities"]
        same(capabilities["resources"], {"subscribe": True, "listChanged": True})
        same((capabilities["prompts"], capabilities["completions"]), ({"listChanged": True}, {}))
        handshake = Session(d).server["capabilities"]
        same({name: handshake[name] for name in ("resources", "prompts", "completions")},
             {name: capabilities[name] for name in ("resources", "prompts", "completions")})


def test_pages():
    with Daemon(plugins=["conformance"], config={"page_size": 2}) as d:
        for ask in both(d):
            first = ask("resources/list")["result"]
            same(len(first["resources"]), 2)
            second = ask("resources/list", {"cursor": first["nextCursor"]})["result"]
            same([r["name"] for r in second["resources"]], ["watched-resource"])
            assert "nextCursor" not in second
            same(ask("prompts/list", {"cursor": "no cursor"})["error"]["code"], -32602)


def test_reads():
    with Daemon(plugins=["conformance"]) as d:
        for ask in both(d):
            same(ask("resources/read", {"uri": "test://static-text"})["result"]["contents"],
                 [{"uri": "test://static-text", "mimeType": "text/plain",
                   "text": "This is the content of the static text resource."}])
            blob = ask("resources/read", {"uri": "test://static-binary"})["result"]["contents"][0]
            assert blob["blob"].startswith("iVBOR") and blob["mimeType"] == "image/png", blob
            made = ask("resources/read", {"uri": "test://template/a%2Db/data"})["result"]["contents"][0]
            same((made["uri"], json.loads(made["text"])["id"]), ("test://template/a%2Db/data", "a-b"))
            # the template matches, and its plugin says that there is nothing
            refused = ask("resources/read", {"uri": "test://template/0/data"})["error"]
            same((refused["message"], refused["data"]["uri"]), ("There is no such resource.", "test://template/0/data"))
            same(ask("resources/read", {})["error"]["code"], -32602)


def test_prompts():
    with Daemon(plugins=["conformance"]) as d:
        for ask in both(d):
            result = ask("prompts/get", {"name": "test_prompt_with_arguments",
                                         "arguments": {"arg1": "one", "arg2": "two"}})["result"]
            same(result["description"], "A prompt that repeats its two arguments.")
            same(result["messages"], [{"role": "user", "content": {
                "type": "text", "text": "Prompt with arguments: arg1='one', arg2='two'"}}])
            missing = ask("prompts/get", {"name": "test_prompt_with_arguments", "arguments": {"arg1": "one"}})["error"]
            same(missing["code"], -32602)
            assert "/arg2: required string is missing" in missing["message"], missing
            same(ask("prompts/get", {"name": "nothing"})["error"]["code"], -32602)
            image = ask("prompts/get", {"name": "test_prompt_with_image"})["result"]["messages"][0]["content"]
            same((image["type"], image["mimeType"]), ("image", "image/png"))


def test_completions():
    prompt = {"type": "ref/prompt", "name": "test_prompt_with_arguments"}
    template = {"type": "ref/resource", "uri": "test://template/{id}/data"}
    with Daemon(plugins=["conformance"]) as d:
        for ask in both(d):
            def complete(ref, name, value):
                return ask("completion/complete", {"ref": ref, "argument": {"name": name, "value": value},
                                                   "context": {"arguments": {"arg2": "x"}}})
            same(complete(prompt, "arg1", "par")["result"]["completion"],
                 {"values": ["paris", "park", "party"], "total": 3, "hasMore": False})
            same(complete(template, "id", "12")["result"]["completion"]["values"], ["12", "123"])
            # a prompt that suggests nothing
            silent = {"type": "ref/prompt", "name": "test_prompt_with_embedded_resource"}
            same(complete(silent, "resourceUri", "")["result"]["completion"]["values"], [])
            for ref, name in ((prompt, "arg3"), ({"type": "ref/prompt", "name": "nothing"}, "arg1"), ({}, "a")):
                same(complete(ref, name, "")["error"]["code"], -32602)


def test_over_stdio():
    with Daemon(plugins=["conformance"], stdio=True) as d:
        d.pipe.ask("initialize", INITIALIZE, modern=False)
        d.pipe.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        for modern in (True, False):
            read = d.pipe.ask("resources/read", {"uri": "test://static-text"}, modern=modern)
            same(read["result"]["contents"][0]["uri"], "test://static-text")
            got = d.pipe.ask("prompts/get", {"name": "test_simple_prompt"}, modern=modern)
            same(got["result"]["messages"][0]["role"], "user")


def listed(d):
    return [r["uri"] for r in d.mcp("resources/list").json["result"]["resources"]]


def test_a_template_lists_what_is_there_now():
    with Daemon(plugins=["shelf"]) as d:
        wait_for(lambda: listed(d) == ["shelf://books/1", "shelf://books/2"], what="the books")
        wanted = listen(d, {"resourcesListChanged": True})
        wanted.next()
        read = d.mcp("resources/read", {"uri": "shelf://books/2"}).json["result"]["contents"][0]
        same(read, {"uri": "shelf://books/2", "mimeType": "text/plain", "text": "Book 2"})
        d.call("put_books", {"count": 3})
        same(wanted.next()["method"], "notifications/resources/list_changed")
        wait_for(lambda: len(listed(d)) == 3, what="the new book")
        same(d.mcp("resources/read", {"uri": "shelf://books/3"}).json["result"]["contents"][0]["text"], "Book 3")
        # what can't be listed is told, the rest stays
        d.call("put_books", {"count": 6})
        wait_for(lambda: len(listed(d)) == 6, what="six books")
        why = d.wait_log("resource_refused")["why"]
        same(why, "resource shelf://other: the template shelf://books/{number} listed it and does not match it")
        # a list that fails leaves what was there
        d.call("put_books", {"count": -1})
        same(d.wait_log("resources_not_listed")["code"], "no_shelf")
        same(len(listed(d)), 6)
        wanted.close()
        (d.plugin_dir / "shelf.so").unlink()
        wait_for(lambda: listed(d) == [], what="the books to go")


def test_what_plugins_say_has_changed():
    with Daemon(plugins=["conformance"]) as d:
        wanted = listen(d, {"promptsListChanged": True, "resourcesListChanged": True,
                            "resourceSubscriptions": ["test://watched-resource"]})
        same(wanted.next()["params"]["notifications"],
             {"promptsListChanged": True, "resourcesListChanged": True,
              "resourceSubscriptions": ["test://watched-resource"]})
        session = Session(d)
        session.ask("resources/subscribe", {"uri": "test://watched-resource"})
        stream = Listener(d, "GET", {"Accept": "text/event-stream", "Mcp-Session-Id": session.id,
                                     "MCP-Protocol-Version": LEGACY})
        d.call("test_trigger_tool_change")  # nobody subscribed to it
        d.call("test_trigger_prompt_change")
        same(wanted.next()["method"], "notifications/prompts/list_changed")
        stream.until("notifications/prompts/list_changed")
        d.call("test_trigger_resource_change")
        same(wanted.next()["method"], "notifications/resources/list_changed")
        updated = wanted.next()
        same((updated["method"], updated["params"]["uri"]),
             ("notifications/resources/updated", "test://watched-resource"))
        same(stream.until("notifications/resources/updated")["params"]["uri"], "test://watched-resource")
        wanted.close()
        stream.close()


def test_a_plugin_that_goes_takes_all_with_it():
    with Daemon(plugins=["conformance"]) as d:
        wanted = listen(d, {"promptsListChanged": True, "resourcesListChanged": True})
        wanted.next()
        (d.plugin_dir / "conformance.so").unlink()
        same({wanted.next()["method"], wanted.next()["method"]},
             {"notifications/prompts/list_changed", "notifications/resources/list_changed"})
        same(d.mcp("resources/list").json["result"]["resources"], [])
        same(d.mcp("prompts/get", {"name": "test_simple_prompt"}).json["error"]["code"], -32602)
        wanted.close()


def test_of_two_plugins_with_one_uri_the_first_is_asked():
    with Daemon(plugins=["conformance"]) as d:
        shutil.copyfile(plugin_file("conformance"), d.plugin_dir / "another.so")
        d.wait_log("tool_name_conflict")
        plugins = {p["name"]: p for p in d.http("GET", "/v1/plugins").json["plugins"]}
        why = plugins["conformance"]["problems"][0]
        assert "resource test://static-text: plugin another has a resource of this name already" in why, why
        assert "prompt test_simple_prompt: plugin another" in why, why
        same(len(d.mcp("resources/list").json["result"]["resources"]), 3)
        d.mcp("resources/read", {"uri": "test://static-text"})
        plugins = {p["name"]: p for p in d.http("GET", "/v1/plugins").json["plugins"]}
        same((plugins["another"]["workers"], plugins["conformance"]["workers"]), (1, 0))


def test_calls_are_counted_logged_and_bounded_as_those_of_tools():
    with Daemon(plugins=["conformance"], policies={"conformance": {"limits": {"result": "1K"}}}) as d:
        result = d.mcp("resources/read", {"uri": "test://static-text"}).json["result"]
        usage = result["_meta"]["toolhost/usage"]
        assert usage["daemon"]["bytesOut"] > 50 and "worker" in usage, usage
        done = d.wait_log("tool_call_finished", lambda e: e.get("kind") == "read")
        same(done["tool"], "test://static-text")
        assert 'tool="resource test://static-text"' in d.http("GET", "/metrics").body.decode()


def test_hostile_ones_end_as_tools_do():
    policy = {"limits": {"max_time": "2s"}}
    with Daemon(plugins=["bad_offers", "echo"], policies={"bad_offers": policy},
                config={"grace": "100ms", "max_crashes": 10}) as d:
        def refused(method, params):
            error = d.mcp(method, params).json["error"]
            return error["code"], error["data"]["code"]
        same(refused("resources/read", {"uri": "bad://spin"}), (-32603, "tool_timeout"))
        d.wait_log("worker_ended", lambda e: e.get("reason") == "deadline")
        same(refused("resources/read", {"uri": "bad://crash"}), (-32603, "tool_crashed"))
        same(refused("prompts/get", {"name": "bad"}), (-32603, "tool_crashed"))
        same(refused("completion/complete", {"ref": {"type": "ref/prompt", "name": "bad"},
                                             "argument": {"name": "a", "value": ""}}), (-32603, "tool_crashed"))
        same(refused("resources/read", {"uri": "bad://nothing"}), (-32603, "tool_execution_failed"))
        assert d.call("echo", {"text": "still here"}).ok


def test_a_read_is_cancelled_when_its_client_leaves():
    with Daemon(plugins=["bad_offers", "echo"], config={"grace": "100ms"}) as d:
        params = {"uri": "bad://spin", "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                                                 "io.modelcontextprotocol/clientCapabilities": {}}}
        host, port = d.address.rsplit(":", 1)
        connection = http.client.HTTPConnection(host, int(port), timeout=30)
        connection.request("POST", "/mcp",
                           json.dumps({"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": params}),
                           {"Content-Type": "application/json", "MCP-Protocol-Version": "2026-07-28",
                            "Mcp-Method": "resources/read", "Mcp-Name": "bad://spin"})

        def running():
            return next(p for p in d.http("GET", "/v1/plugins").json["plugins"] if p["name"] == "bad_offers")["running"]
        wait_for(lambda: running() == 1, what="the read to run")
        connection.close()
        d.wait_log("tool_call_failed", lambda e: e.get("code") == "tool_cancelled" and e.get("kind") == "read")


def test_a_flood_of_changes_is_bounded():
    with Daemon(plugins=["bad_offers", "echo"], policies={"bad_offers": {"limits": {"max_time": "1s"}}}) as d:
        wanted = listen(d, {"promptsListChanged": True})
        wanted.next()
        reading = in_background(d.mcp, "resources/read", {"uri": "bad://flood"})
        for _ in range(3):
            same(wanted.next()["method"], "notifications/prompts/list_changed")
        assert d.call("echo", {"text": "still here"}).ok
        same(reading().json["error"]["data"]["code"], "tool_timeout")
        wanted.close()


if __name__ == "__main__":
    main()
