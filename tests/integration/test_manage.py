#!/usr/bin/env python3
"""Declarative tools that are made while the daemon serves: over the management API, and by files."""

import json

from harness import Daemon, installed, main, run, same, wait_for
from test_auth import Caller, bearer, new_key
from test_tenants import call, mcp_tools, tools


GRANTS = {"deeds": {"permissions": {"http": ["https://hooks.example/*", "https://x.example/"]}}}


def deed(name, says="done", **more):
    return {"name": name, "says": says, "description": f"Does {name}.", **more}


def manager(d, tenant, name=None):
    return Caller(d, new_key(d, name or f"m-{tenant}", "--tenant", tenant, "--role", "manage"))


def path(tenant, name=None, kind="tools", more=""):
    return f"/v1/tenants/{tenant}/{kind}" + (f"/{name}" if name else "") + more


def dense(document):
    """As the stand-in for the builder can read it."""
    return json.dumps(document, separators=(",", ":"))


def put(who, tenant, document, more="?wait=true", headers=None, kind="tools"):
    return who.http("PUT", path(tenant, document["name"], kind, more), dense(document), headers)


def says(who, name):
    answer = call(who, name, {})
    return answer.json["content"][0]["text"] if answer.status == 200 else answer.error


def test_S2_1_S2_2_a_tool_is_made_and_called_without_a_restart():
    with Daemon(plugins=["echo", "deeds"]) as d:
        acme, other = manager(d, "acme"), manager(d, "other")
        same(tools(acme), ["echo"])
        made = put(acme, "acme", deed("save_meal", "logged"))
        same((made.status, made.json["created"], made.json["served"]), (201, True, True), made)
        same(made.headers["etag"], f'"{made.json["revision"]}"')
        same(tools(acme), ["echo", "save_meal"])
        same(mcp_tools(d, acme.token), ["echo", "save_meal"])
        same(says(acme, "save_meal"), "logged of acme")
        result = d.call("save_meal", {}, headers=bearer(acme.token))
        assert result.ok, result
        same((tools(other), says(other, "save_meal")), (["echo"], "tool_not_found"))
        same((tools(d), says(d, "save_meal")), (["echo"], "tool_not_found"))
        same(put(other, "other", deed("save_meal", "kept")).status, 201)
        same((says(acme, "save_meal"), says(other, "save_meal")), ("logged of acme", "kept of other"))
        changed = put(acme, "acme", deed("save_meal", "eaten"))
        same((changed.status, changed.json["created"], says(acme, "save_meal")), (200, False, "eaten of acme"))
        same(says(other, "save_meal"), "kept of other")
        gone = acme.http("DELETE", path("acme", "save_meal", more="?wait=true"))
        same((gone.status, gone.json["deleted"], gone.json["served"]), (200, True, True), gone)
        same((tools(acme), says(acme, "save_meal")), (["echo"], "tool_not_found"))
        same(acme.http("DELETE", path("acme", "save_meal")).error, "not_found")
        event = d.wait_log("definition_changed")
        same((event["tenant"], event["kind"], event["name"], event["act"], event["author"]),
             ("acme", "tool", "save_meal", "created", "key:m-acme"))


def test_internal_tools_are_the_daemon_s_alone():
    with Daemon(plugins=["deeds"]) as d:
        same(tools(d), [])
        for name in ("actions_check", "actions_try"):
            same(call(d, name, {}).error, "tool_not_found")
            same(d.call(name, {}).rpc_error["code"], -32602)


def test_U2_7_a_list_has_pages_and_a_search():
    with Daemon(plugins=["deeds"]) as d:
        acme = manager(d, "acme")
        for number in range(5):
            same(put(acme, "acme", deed(f"deed_{number}"), more="").status, 201)
        same(put(acme, "acme", deed("late", description="Of the Evening."), more="").status, 201)
        page = acme.http("GET", path("acme", more="?limit=2&offset=1")).json
        same(([i["name"] for i in page["items"]], page["total"], page["limit"], page["offset"]),
             (["deed_1", "deed_2"], 6, 2, 1))
        first = page["items"][0]
        same((first["id"], first["description"], first["author"]), ("deed_1", "Does deed_1.", "key:m-acme"))
        assert first["created_at"] == first["updated_at"] and first["created_at"].endswith("Z"), first
        same([i["name"] for i in acme.http("GET", path("acme", more="?search=evening")).json["items"]], ["late"])
        same([i["name"] for i in acme.http("GET", path("acme", more="?search=deed_3")).json["items"]], ["deed_3"])
        same(acme.http("GET", path("acme", more="?limit=many")).error, "bad_parameter")
        same(acme.http("GET", path("acme", more="?offset=99")).json["items"], [])


def test_a_revision_that_is_not_there_any_more_is_not_written_over():
    with Daemon(plugins=["deeds"]) as d:
        acme = manager(d, "acme")
        first = put(acme, "acme", deed("a"), headers={"If-None-Match": "*"})
        same(first.status, 201)
        again = put(acme, "acme", deed("a"), headers={"If-None-Match": "*"})
        same((again.status, again.error, again.json["error"]["revision"]), (412, "revision_conflict", first.json["revision"]))
        etag = first.headers["etag"]
        second = put(acme, "acme", deed("a", "two"), headers={"If-Match": etag})
        same(second.status, 200)
        late = put(acme, "acme", deed("a", "three"), headers={"If-Match": etag})
        same((late.status, late.headers["etag"]), (412, second.headers["etag"]))
        same(acme.http("DELETE", path("acme", "a"), headers={"If-Match": etag}).status, 412)
        same(put(acme, "acme", deed("b"), headers={"If-Match": "*"}).status, 412)
        same(put(acme, "acme", deed("b"), headers={"If-Match": "soon"}).error, "bad_request")
        same(acme.http("POST", path("acme"), deed("a")).status, 409)
        same(acme.http("POST", path("acme"), deed("b")).status, 201)
        got = acme.http("GET", path("acme", "a"))
        same((got.json["document"], got.headers["etag"]), (deed("a", "two"), second.headers["etag"]))
        same(acme.http("GET", path("acme", "a", more="?raw=true")).json, deed("a", "two"))


def test_a_dry_run_tells_every_problem_and_writes_nothing():
    with Daemon(plugins=["echo", "deeds"]) as d:
        acme = manager(d, "acme")
        good = put(acme, "acme", deed("a"), more="?validate=true")
        same((good.status, good.json), (200, {"ok": True, "created": True, "problems": [], "definitions": []}))
        for more in ("?validate=true", ""):
            bad = put(acme, "acme", {"name": "a", "says": "wrong"}, more=more)
            same((bad.status, bad.error, bad.json["ok"]), (422, "definition_invalid", False))
            same(bad.json["problems"],
                 [{"pointer": "/says", "code": "wrong", "message": "It is wrong", "hint": "say something else"},
                  {"pointer": "", "code": "bad", "message": "All of it"}])
        taken = put(acme, "acme", deed("echo"))
        same([(p["pointer"], p["code"]) for p in taken.json["problems"]], [("/name", "name_taken")])
        mismatch = acme.http("PUT", path("acme", "b"), deed("a"))
        same([(p["pointer"], p["code"]) for p in mismatch.json["problems"]], [("/name", "name_mismatch")])
        for name in ("Upper", "a.b", "9a", "x" * 65):
            same(put(acme, "acme", deed(name)).json["problems"][0]["code"], "name_invalid")
        same(acme.http("POST", path("acme"), {"says": "x"}).json["problems"][0]["code"], "name_invalid")
        same(acme.http("PUT", path("acme", "a"), []).error, "bad_request")
        same(acme.http("PUT", path("acme", "a"), '{"name":"a","name":"a"}').error, "bad_request")
        same(acme.http("PUT", path("acme", "a"), {"says": "x" * 140000}).error, "too_large")
        same(acme.http("GET", path("acme")).json["total"], 0)
        unnamed = acme.http("PUT", path("acme", "c", more="?wait=true"), dense({"says": "here"}))
        same((unnamed.status, says(acme, "c")), (201, "here of acme"))


def test_a_merge_patch_changes_what_it_names():
    with Daemon(plugins=["deeds"]) as d:
        acme = manager(d, "acme")
        put(acme, "acme", deed("a", "one", more={"x": 1, "y": 2}))
        patched = acme.http("PATCH", path("acme", "a", more="?wait=true"), {"says": "two", "more": {"x": None, "z": 3}})
        same((patched.status, says(acme, "a")), (200, "two of acme"))
        same(acme.http("GET", path("acme", "a", more="?raw=true")).json, deed("a", "two", more={"y": 2, "z": 3}))
        same(acme.http("PATCH", path("acme", "b"), {}).error, "not_found")
        same(acme.http("PATCH", path("acme", "a"), {"says": "wrong"}).error, "definition_invalid")
        same(acme.http("PATCH", path("acme", "a"), {}, headers={"If-Match": '"9999"'}).status, 412)


def test_what_it_was_can_be_seen_and_is_made_again():
    with Daemon(plugins=["deeds"]) as d:
        acme = manager(d, "acme")
        one = put(acme, "acme", deed("a", "one")).json["revision"]
        two = put(acme, "acme", deed("a", "two")).json["revision"]
        acme.http("DELETE", path("acme", "a"))
        items = acme.http("GET", path("acme", "a", more="/history")).json["items"]
        same([(i["deleted"], i.get("document", {}).get("says")) for i in items],
             [(True, None), (False, "two"), (False, "one")])
        same([i["revision"] for i in items[1:]], [two, one])
        same({i["author"] for i in items}, {"key:m-acme"})
        same(acme.http("GET", path("acme", "a", more=f"?revision={one}")).json["document"], deed("a", "one"))
        same(acme.http("GET", path("acme", "a")).error, "not_found")
        same(acme.http("GET", path("acme", "a", more="?revision=9999")).error, "not_found")
        back = acme.http("POST", path("acme", "a", more=f"/restore?revision={one}&wait=true"))
        same((back.status, says(acme, "a")), (201, "one of acme"))
        same(acme.http("POST", path("acme", "a", more="/restore")).error, "bad_parameter")
        same(acme.http("GET", path("acme", "b", more="/history")).error, "not_found")
        same([i["name"] for i in acme.http("GET", path("acme")).json["items"]], ["a"])


def test_a_tool_is_tried_with_a_context_of_one_s_own():
    with Daemon(plugins=["deeds"], policies=GRANTS) as d:
        acme = manager(d, "acme")
        put(acme, "acme", deed("a"))
        put(acme, "acme", {"name": "meal.log", "url": "https://hooks.example/meal"}, kind="endpoints")
        tried = acme.http("POST", path("acme", "a", more="/test"),
                          {"arguments": {"x": 1}, "context": {"user": {"id": "u"}}, "webhooks": {"meal.log": {"status": 200}}})
        same(tried.status, 200)
        same(tried.json["told"], {"tool": deed("a"), "endpoints": [{"name": "meal.log", "url": "https://hooks.example/meal"}],
                                  "arguments": {"x": 1}, "context": {"user": {"id": "u"}},
                                  "webhooks": {"meal.log": {"status": 200}}})
        other = acme.http("POST", path("acme", "b", more="/test"), {"tool": deed("b")})
        same(other.json["told"]["tool"], deed("b"))
        same(acme.http("POST", path("acme", "b", more="/test"), {}).error, "not_found")


def test_U2_8_endpoints_have_a_registry():
    with Daemon(plugins=["deeds"], policies=GRANTS) as d:
        acme = manager(d, "acme")
        endpoint = {"name": "meal.log", "url": "https://hooks.example/meal"}
        made = put(acme, "acme", endpoint, kind="endpoints")
        same((made.status, made.json["served"]), (201, True))
        same(acme.http("GET", path("acme", "meal.log", "endpoints")).json["document"], endpoint)
        same([i["name"] for i in acme.http("GET", path("acme", kind="endpoints")).json["items"]], ["meal.log"])
        same(acme.http("GET", path("acme", "meal.log", "endpoints", "/history")).json["items"][0]["document"], endpoint)
        same(acme.http("PATCH", path("acme", "meal.log", "endpoints"), {"method": "PUT"}).status, 200)
        same(acme.http("DELETE", path("acme", "meal.log", "endpoints")).status, 200)
        for url, method in (("https://other.example/", "POST"), ("http://hooks.example/", "POST"), ("https://x.example/y", "GET"),
                            ("https://other.example/{{x}}", "POST")):
            refused = put(acme, "acme", {"name": "e", "url": url, "method": method}, kind="endpoints")
            same([(p["pointer"], p["code"]) for p in refused.json["problems"]], [("/url", "not_granted")], url)
        for more in ({"url": "https://hooks.example/a/{{params.id}}"}, {"base_url": "https://hooks.example", "path": "/meals"}):
            same(put(acme, "acme", {"name": "e", **more}, more="?validate=true", kind="endpoints").status, 200)
        for name in (".a", "a.", "a..b"):
            same(put(acme, "acme", {"name": name}, kind="endpoints").json["problems"][0]["code"], "name_invalid")


def test_who_may_manage_whom():
    tenants = {"capped": {"roles": ["call"]}}
    with Daemon(plugins=["deeds"], tenants=tenants) as d:
        acme, operator = manager(d, "acme"), manager(d, "default", "operator")
        caller = Caller(d, new_key(d, "caller", "--tenant", "acme"))
        capped = manager(d, "capped")
        same(put(acme, "other", deed("a")).status, 403)
        same(acme.http("GET", path("other")).status, 403)
        same(put(operator, "acme", deed("a")).status, 201)
        same(says(acme, "a"), "done of acme")
        for who in (caller, d, capped):
            same(put(who, "acme", deed("b")).status, 403)
            same(who.http("GET", path("acme")).status, 403)
        same(operator.http("GET", "/v1/tenants/no%20name/tools").error, "not_found")


def test_files_are_for_every_tenant_and_a_wrong_one_changes_nothing():
    tenants = {"filed": {"plugins": [], "features": {"actions": {"tools": [deed("c", "filed")]}}}}
    with Daemon(plugins=["deeds"], tenants=tenants) as d:
        folder = d.config_dir / "tools.d"
        folder.mkdir(mode=0o755)
        acme, operator = manager(d, "acme"), manager(d, "default", "operator")
        same(operator.http("POST", "/v1/reload").status, 200)

        def write(name, content):
            (folder / f".{name}").write_text(content if isinstance(content, str) else dense(content))
            (folder / f".{name}").rename(folder / f"{name}.json")

        write("one", deed("a", "file"))
        write("two", {"tools": [deed("b", "file"), deed("c", "file")]})
        wait_for(lambda: tools(acme) == ["a", "b", "c"], what="the tools of the files")
        same(tools(d), ["a", "b", "c"])
        same((says(acme, "a"), says(acme, "c")), ("file of acme", "file of acme"))
        filed = Caller(d, new_key(d, "filed", "--tenant", "filed"))
        same(tools(filed), [])  # whose plugins its file grants
        d.tenant("filed", {"plugins": ["deeds"], "features": {"actions": {"tools": [deed("c", "filed")]}}})
        wait_for(lambda: tools(filed) == ["a", "b", "c"], what="the file of the tenant")
        same(says(filed, "c"), "filed of filed")
        same(put(operator, "filed", deed("c", "api")).json["served"], True)
        same(says(filed, "c"), "api of filed")
        overridden = d.wait_log("definition_overridden", lambda e: e["by"] == "api")
        same((overridden["name"], overridden["from"], overridden["tenant"]), ("c", "tenants.d", "filed"))
        write("one", '[{"name": "a", "says": "new"}, {"name": "No"}]')
        refused = d.wait_log("tools_file_refused")
        same((refused["file"], refused["still_serving"]), ("one", "the file before it"))
        assert refused["why"].startswith("/1/name: expected"), refused
        same(says(acme, "a"), "file of acme")
        same(operator.http("POST", "/v1/reload").status, 422)
        (folder / "two.json").unlink()
        wait_for(lambda: tools(acme) == ["a"], what="the tools without that file")
        d.tenant("filed", {"features": {"actions": {"tols": []}}})
        d.wait_log("tenant_refused", lambda e: e["why"].startswith("/features/actions/tols: expected"))


def test_many_changes_are_few_builds_of_that_tenant_alone():
    with Daemon(plugins=["deeds"]) as d:
        acme, other = manager(d, "acme"), manager(d, "other")
        put(other, "other", deed("a"))
        for number in range(50):
            same(put(acme, "acme", deed(f"deed_{number}"), more="").status, 201)
        wait_for(lambda: len(tools(acme)) == 50, what="all of them")
        builds = [e["tenant_id"] for e in d.log_events("tool_build_started", least=2)]
        assert 1 <= builds.count("acme") < 25, builds
        same(builds.count("other"), 1)


def test_a_build_that_fails_takes_no_tool_away():
    with Daemon(plugins=["deeds"]) as d:
        acme = manager(d, "acme")
        put(acme, "acme", deed("a", "one"))
        crashed = put(acme, "acme", deed("b", "crash"))
        same((crashed.status, crashed.json["served"]), (201, False))
        d.wait_log("tool_build_error", lambda e: e["tenant_id"] == "acme")
        same((tools(acme), says(acme, "a")), (["a"], "one of acme"))
        same(put(acme, "acme", deed("b", "two")).json["served"], True)
        same((tools(acme), says(acme, "b")), (["a", "b"], "two of acme"))


def tool(d, *words, status=0):
    """What the command prints, as JSON lines."""
    got, said, complaint = run(installed("bin/toolhost"), "tools", *words, "--tenant", "acme", "--socket", str(d.socket))
    same(got, status, (words, said, complaint))
    return [json.loads(line) for line in said.splitlines()], complaint


def test_the_command_applies_a_folder():
    with Daemon(plugins=["deeds"], policies=GRANTS) as d:
        acme = manager(d, "acme")
        folder = d.dir / "tools"
        folder.mkdir()
        files = {"a.json": deed("a", "one"), "b.json": {"tools": [deed("b")], "endpoints": [{"name": "e", "url": "https://x.example/"}]}}
        for name, content in files.items():
            (folder / name).write_text("// a comment\n" + dense(content))
        dry, _ = tool(d, "apply", "-f", str(folder), "--dry-run")
        same([(c["act"], c["kind"], c["name"], c.get("done")) for c in dry],
             [("create", "endpoint", "e", "valid"), ("create", "tool", "a", None), ("create", "tool", "b", None)])
        same(acme.http("GET", path("acme")).json["total"], 0)
        applied, _ = tool(d, "apply", "-f", str(folder))
        same([c["done"] for c in applied], ["created"] * 3)
        wait_for(lambda: tools(acme) == ["a", "b"], what="what was applied")
        again, _ = tool(d, "apply", "-f", str(folder))
        same([c["act"] for c in again], ["same"] * 3)
        (folder / "a.json").write_text(dense(deed("a", "two", more={"x": 1})))
        (folder / "b.json").unlink()
        refused, complaint = tool(d, "apply", "-f", str(folder), "--prune", status=2)
        same([(c["act"], c["name"]) for c in refused], [("change", "a"), ("prune", "b"), ("prune", "e")])
        assert "--yes" in complaint, complaint
        pruned, _ = tool(d, "apply", "-f", str(folder), "--prune", "--yes")
        same([(c["act"], c["name"], c["done"]) for c in pruned],
             [("change", "a", "changed"), ("prune", "b", "pruned"), ("prune", "e", "pruned")])
        same(pruned[0]["changes"], ["/says", "/more"])
        wait_for(lambda: says(acme, "a") == "two of acme" and tools(acme) == ["a"], what="what was pruned")
        (folder / "bad.json").write_text(dense(deed("bad", "wrong")))
        bad, _ = tool(d, "apply", "-f", str(folder), status=1)
        same((bad[1]["done"], bad[1]["answer"]["problems"][0]["pointer"]), ("not valid", "/says"))
        (folder / "bad.json").write_text('[{"name": "a"}]')
        _, complaint = tool(d, "apply", "-f", str(folder), status=13)
        assert '"a" stands there twice' in complaint, complaint
        (folder / "bad.json").write_text('{"name": 1}')
        _, complaint = tool(d, "apply", "-f", str(folder), status=13)
        assert "bad.json: /name: expected" in complaint, complaint


def test_the_command_lists_shows_tries_and_takes_away():
    with Daemon(plugins=["deeds"]) as d:
        acme = manager(d, "acme")
        put(acme, "acme", deed("a"))
        same([i["name"] for i in tool(d)[0][0]["items"]], ["a"])
        same(tool(d, "get", "a")[0], [deed("a")])
        same(tool(d, "test", "a", "--arguments", '{"x":1}', "--context", '{"user":{}}')[0][0]["told"]["arguments"], {"x": 1})
        same(tool(d, "history", "a")[0][0]["items"][0]["document"], deed("a"))
        same(tool(d, "delete", "a")[0][0]["deleted"], True)
        _, complaint = tool(d, "get", "a", status=4)
        assert "made no tool of this name" in complaint, complaint
        _, complaint = tool(d, "aply", status=2)
        assert "did you mean apply" in complaint, complaint
        tool(d, "apply", status=2)


def test_without_the_plugin_that_builds_it_says_so():
    with Daemon(plugins=["echo"]) as d:
        same(put(manager(d, "acme"), "acme", deed("a")).error, "actions_unavailable")


if __name__ == "__main__":
    main()
