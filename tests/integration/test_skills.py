"""Skills that plugins bring in their folders: to clients of both eras of MCP, over plain HTTP, on the command line."""

import base64
import hashlib
import json
import random
import re

from harness import Daemon, LEGACY, SOURCE, installed, main, run, same, wait_for
from test_auth import bearer, new_key
from test_offers import INITIALIZE, Listener, Session, both, listen
from test_copies import of_plugin, with_state

TOOLHOST = installed("bin/toolhost")
URI = "skill://conformance/commit-message/SKILL.md"
ROOT = URI.removesuffix("/SKILL.md")
FILES = SOURCE / "plugins/conformance/skills/commit-message"
EXTENSION = "io.modelcontextprotocol/skills"


def skill(name, body="Do it.\n", more=""):
    return f"---\nname: {name}\ndescription: About {name}.\n{more}---\n{body}"


def bytes_of(ask, uri):
    """What a read gives, as bytes."""
    content, = ask("resources/read", {"uri": uri})["result"]["contents"]
    same(content["uri"], uri)
    return content["text"].encode() if "text" in content else base64.b64decode(content["blob"])


def uris(skills):
    return [entry["uri"] for entry in skills]


def test_what_is_declared():
    with Daemon(plugins=["echo"]) as d:
        modern = d.mcp("server/discover").json["result"]["capabilities"]["extensions"]
        same(modern[EXTENSION], {"directoryRead": True})
        same(Session(d).server["capabilities"]["extensions"], {EXTENSION: {"directoryRead": True}})
        for ask in both(d):
            same(ask("skills/list")["result"]["skills"], [])


def test_a_skill_and_its_files():
    with Daemon(plugins=["conformance.plugin"]) as d:
        for ask in both(d):
            entry, = ask("skills/list")["result"]["skills"]
            same((entry["uri"], entry["frontmatter"]["name"], entry["frontmatter"]["metadata"]["version"]),
                 (URI, "commit-message", "1.0"))
            same(ask("skills/get", {"uri": URI})["result"]["skill"], entry)
            # the manifest is complete, and true
            paths = sorted(str(p.relative_to(FILES)) for p in FILES.rglob("*") if p.is_file())
            same([f["uri"] for f in entry["resources"]], [f"{ROOT}/{path}" for path in paths])
            for file in entry["resources"]:
                data = bytes_of(ask, file["uri"])
                same(data, (FILES / file["uri"].removeprefix(ROOT + "/")).read_bytes())
                same((file["size"], file["digest"]), (len(data), "sha256:" + hashlib.sha256(data).hexdigest()))
            # its SKILL.md is among the resources, the others need not be
            listed = [r for r in ask("resources/list")["result"]["resources"] if r["uri"].startswith("skill:")]
            same([(r["uri"], r["name"], r["mimeType"], r["description"]) for r in listed],
                 [(URI, "commit-message", "text/markdown", entry["frontmatter"]["description"])])


def test_the_bundled_skill():
    with Daemon(args=["--plugin-dir", str(installed("lib/toolhost"))],
                policies={"clock": {"permissions": {"read": ["/usr/share/zoneinfo"]}}}) as d:
        entry, = d.http("GET", "/v1/skills").json["skills"]
        same((entry["uri"], len(entry["resources"])), ("skill://clock/plan-a-meeting/SKILL.md", 2))
        same(of_plugin(d, "clock")["problems"], [])
        # what it tells an agent to do, done
        content, = d.http("GET", f"/v1/resources/read?uri={entry['uri']}").json["contents"]
        calls = [json.loads(text) for text in re.findall(r"```json\n(.*?)```", content["text"], re.S)]
        same([call["op"] for call in calls], ["convert", "diff", "convert", "add"])
        results = [d.call("clock", call) for call in calls]
        assert all(result.ok for result in results), results
        same([results[0].structured["time"], results[1].structured["seconds"], results[2].structured["weekday"]],
             ["2026-11-24T14:00:00Z", 7200, "Tuesday"])
        same(results[3].structured["time"], "2026-10-26T15:00:00+01:00")  # clocks went back, the hour stays
    status, out, _ = cli(None, "check", installed("lib/toolhost/clock.plugin"), "--json")
    same(status, 0)
    report, = [tool for tool in json.loads(out)["tools"] if tool["name"].startswith("skill ")]
    same(report["findings"], [])


def test_large_files_are_whole():
    data = random.Random(1).randbytes(8 << 20)
    with Daemon() as d:
        d.add_folder("echo", {"a/SKILL.md": skill("a"), "a/large.bin": data})
        wait_for(lambda: d.http("GET", "/v1/skills").json["skills"], what="the skill")
        for ask in both(d):
            assert bytes_of(ask, "skill://echo/a/large.bin") == data
        content, = d.http("GET", "/v1/resources/read?uri=skill://echo/a/large.bin").json["contents"]
        assert base64.b64decode(content["blob"]) == data


def test_bytes_that_are_no_text():
    data = bytes(range(256)) * 4096
    with Daemon() as d:
        d.add_folder("echo", {"a/SKILL.md": skill("a"), "a/data.bin": data, "a/empty.txt": b"",
                              "a/text.txt": "caf\u00e9 \u2028 \U0001f600 \"\\\r\n\t"})
        wait_for(lambda: d.http("GET", "/v1/skills").json["skills"], what="the skill")
        for ask in both(d):
            same(bytes_of(ask, "skill://echo/a/data.bin"), data)
            same(bytes_of(ask, "skill://echo/a/empty.txt"), b"")
            same(bytes_of(ask, "skill://echo/a/text.txt"), "caf\u00e9 \u2028 \U0001f600 \"\\\r\n\t".encode())


def test_the_eras_differ_where_they_must():
    with Daemon(plugins=["conformance.plugin"]) as d:
        modern, legacy = both(d)
        for method, params in (("skills/list", {}), ("skills/get", {"uri": URI})):
            result = modern(method, params)["result"]
            same((result["resultType"], result["cacheScope"]), ("complete", "private"))
            assert result["ttlMs"] >= 0
            assert not {"resultType", "ttlMs", "cacheScope"} & set(legacy(method, params)["result"])
        result = modern("resources/directory/read", {"uri": ROOT})["result"]
        same(result["resultType"], "complete")
        # whatever is not there is -32602; of a read in the handshake -32002, as of any resource
        for ask in (modern, legacy):
            for uri in ("skill://conformance/none/SKILL.md", ROOT, f"{ROOT}/references/RULES.md", "test://static-text", ""):
                same(ask("skills/get", {"uri": uri})["error"]["code"], -32602, uri)
            for uri in (URI, "skill://none", "skill://conformance/commit", f"{ROOT}/templates/", "file:///etc", ""):
                same(ask("resources/directory/read", {"uri": uri})["error"]["code"], -32602, uri)
            same(ask("skills/get")["error"]["code"], -32602)
            same(ask("resources/directory/read", {"uri": ROOT, "cursor": "?"})["error"]["code"], -32602)
        for uri in (f"{ROOT}/none.md", ROOT, f"{ROOT}/../../conformance.so", f"{ROOT}/%2e%2e/x", "skill://conformance/x"):
            same((modern("resources/read", {"uri": uri})["error"]["code"],
                  legacy("resources/read", {"uri": uri})["error"]["code"]), (-32602, -32002), uri)
        same(modern("skills/get", {"uri": "skill://no/SKILL.md"})["error"]["message"].count("skill://no/SKILL.md"), 1)


def test_directories():
    with Daemon(plugins=["conformance.plugin"]) as d:
        for ask in both(d):
            def names(uri):
                result = ask("resources/directory/read", {"uri": uri})["result"]
                assert "nextCursor" not in result
                return [(r["name"], r["mimeType"]) for r in result["resources"]]

            same(names("skill://conformance"), [("commit-message", "inode/directory")])
            same(names(ROOT), [("commit-message", "text/markdown"), ("references", "inode/directory"),
                               ("templates", "inode/directory")])
            same(names(f"{ROOT}/templates"), [("one-line.md", "text/markdown"), ("short", "inode/directory")])
            children = ask("resources/directory/read", {"uri": f"{ROOT}/templates"})["result"]["resources"]
            same(children[1]["uri"], f"{ROOT}/templates/short")
            same(bytes_of(ask, children[0]["uri"]), (FILES / "templates/one-line.md").read_bytes())


def pages(ask, method, params, member):
    """All items over all pages, and how many pages there were."""
    items, count, more = [], 0, {}
    while True:
        result = ask(method, {**params, **more})["result"]
        items, count = items + result[member], count + 1
        if "nextCursor" not in result:
            return items, count
        more = {"cursor": result["nextCursor"]}


def test_pages():
    files = {f"s{n}/SKILL.md": skill(f"s{n}") for n in range(5)}
    files |= {f"s0/f{n}.txt": "text" for n in range(4)}
    with Daemon(config={"page_size": 2}) as d:
        d.add_folder("echo", files)
        wait_for(lambda: d.http("GET", "/v1/skills").json["skills"], what="the skills")
        for ask in both(d):
            found, count = pages(ask, "skills/list", {}, "skills")
            same((uris(found), count), ([f"skill://echo/s{n}/SKILL.md" for n in range(5)], 3))
            found, count = pages(ask, "resources/directory/read", {"uri": "skill://echo/s0"}, "resources")
            same((len(found), count, found[-1]["name"]), (5, 3, "f3.txt"))


def test_over_stdio():
    with Daemon(plugins=["conformance.plugin"], stdio=True) as d:
        said = d.pipe.ask("initialize", INITIALIZE, modern=False)["result"]["capabilities"]
        same(said["extensions"], {EXTENSION: {"directoryRead": True}})
        d.pipe.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        for modern in (True, False):
            def ask(method, params=None):
                return d.pipe.ask(method, params, modern=modern)

            same(uris(ask("skills/list")["result"]["skills"]), [URI])
            same(ask("skills/get", {"uri": URI})["result"]["skill"]["uri"], URI)
            same(bytes_of(ask, f"{ROOT}/templates/short/why.md"), (FILES / "templates/short/why.md").read_bytes())
            same(len(ask("resources/directory/read", {"uri": ROOT})["result"]["resources"]), 3)
            same(ask("skills/get", {"uri": "skill://x/SKILL.md"})["error"]["code"], -32602)


def test_plain_http():
    with Daemon(plugins=["conformance.plugin"]) as d:
        entry, = d.http("GET", "/v1/skills").json["skills"]
        same(d.http("GET", f"/v1/skills/get?uri={URI}").json, entry)
        for path, status in ((f"/v1/skills/get?uri={ROOT}", 404), ("/v1/skills/get", 400),
                             (f"/v1/resources/directory?uri={URI}", 404), ("/v1/resources/directory", 400)):
            same(d.http("GET", path).status, status, path)
        same([r["name"] for r in d.http("GET", f"/v1/resources/directory?uri={ROOT}/templates").json["resources"]],
             ["one-line.md", "short"])
        same(d.http("GET", f"/v1/resources/read?uri={ROOT}/references/RULES.md").json["contents"][0]["mimeType"],
             "text/markdown")
        same(d.http("GET", f"/v1/resources/read?uri={ROOT}/none").status, 404)
        # reads are calls: counted, logged
        d.wait_log("tool_call_finished", lambda e: e.get("tool", "").startswith("skill://"))
        metrics = d.http("GET", "/metrics").body.decode()
        assert 'tool="skill skill://conformance/commit-message/SKILL.md"' in metrics, metrics[:3000]


def test_what_is_wrong_with_a_skill_is_told_and_the_plugin_works():
    with Daemon() as d:
        d.add_folder("echo", {"good/SKILL.md": skill("good"), "bad/SKILL.md": "# No front matter\n",
                              "other/SKILL.md": skill("wrong"), "lost/skill.md": skill("lost")})
        d.wait_tool("echo")
        problems = of_plugin(d, "echo")["problems"]
        same(problems, ["skill skills/bad/SKILL.md: line 1: expected --- and front matter with name and description",
                        "skill skills/other/SKILL.md: /name: wrong: expected the name of its folder, other",
                        "skill skills/lost: there is no SKILL.md in it; the file's name is in capitals"])
        d.wait_log("tool_refused", after=2)
        same([e["why"] for e in d.log_events("tool_refused")], problems)
        same(of_plugin(d, "echo")["skills"], ["skill://echo/good/SKILL.md"])
        same(uris(d.http("GET", "/v1/skills").json["skills"]), ["skill://echo/good/SKILL.md"])
        assert d.call("echo", {"text": "hi"}).ok
        for uri in ("skill://echo/bad/SKILL.md", "skill://echo/other/SKILL.md"):
            same(d.http("GET", f"/v1/resources/read?uri={uri}").status, 404)


def test_links_that_lead_out_are_refused():
    with Daemon(plugins=["echo"]) as d:
        folder = d.plugin_dir / ".part"
        (folder / "skills/a").mkdir(parents=True)
        (folder / "hash.so").write_bytes(installed("lib/toolhost/hash.so").read_bytes())
        (folder / "skills/a/SKILL.md").write_text(skill("a"))
        (folder / "skills/a/passwd.txt").symlink_to("/etc/passwd")
        folder.rename(d.plugin_dir / "hash.plugin")
        why = d.wait_log("plugin_refused")["why"]
        same(why, "skills/a/passwd.txt in it is a symbolic link that leads to no file in it")
        same(d.http("GET", "/v1/skills").json["skills"], [])


def test_what_changes_is_told():
    first = {"a/SKILL.md": skill("a"), "a/notes.txt": "one", "b/SKILL.md": skill("b")}
    with Daemon() as d:
        d.add_folder("echo", first)
        d.wait_tool("echo")
        wanted = listen(d, {"resourcesListChanged": True, "resourceSubscriptions": ["skill://echo/a/notes.txt"]})
        wanted.next()
        session = Session(d)
        session.ask("resources/subscribe", {"uri": "skill://echo/a/notes.txt"})
        stream = Listener(d, "GET", {"Accept": "text/event-stream", "Mcp-Session-Id": session.id,
                                     "MCP-Protocol-Version": LEGACY})
        before = d.http("GET", "/v1/skills/get?uri=skill://echo/a/SKILL.md").json
        d.add_folder("echo", {**first, "a/notes.txt": "two"})
        told = [wanted.next(), wanted.next()]
        same({m["method"] for m in told}, {"notifications/resources/updated", "notifications/resources/list_changed"})
        same([m["params"]["uri"] for m in told if "uri" in m["params"]], ["skill://echo/a/notes.txt"])
        stream.until("notifications/resources/updated")
        stream.until("notifications/resources/list_changed")
        after = d.http("GET", "/v1/skills/get?uri=skill://echo/a/SKILL.md").json
        assert before["resources"][0] == after["resources"][0] and before["resources"][1] != after["resources"][1]
        same(bytes_of(session.ask, "skill://echo/a/notes.txt"), b"two")
        # one that goes
        del first["b/SKILL.md"]
        d.add_folder("echo", {**first, "a/notes.txt": "two"})
        same(wanted.next()["method"], "notifications/resources/list_changed")
        same(uris(d.http("GET", "/v1/skills").json["skills"]), ["skill://echo/a/SKILL.md"])
        # and all of them
        before = len(d.log_events("plugin_removed"))
        (d.plugin_dir / "echo.plugin").rename(d.dir / "gone")
        d.wait_log("plugin_removed", after=before)
        wait_for(lambda: d.http("GET", "/v1/skills").json["skills"] == [], what="the skills to go")
        wanted.close()
        stream.close()


def test_a_restart_reads_no_plugin_and_knows_the_skills():
    with with_state() as keeper:
        keeper.add_folder("echo", {"a/SKILL.md": skill("a"), "a/notes.txt": "one", "b/SKILL.md": "nothing"})
        with keeper.again() as d:
            first = d.http("GET", "/v1/skills").json
            problems = of_plugin(d, "echo")["problems"]
            wait_for(lambda: (keeper.state / "describe-cache.jsonl").exists(), what="the cache")
        with keeper.again() as d:
            same(d.http("GET", "/v1/skills").json, first)
            same((of_plugin(d, "echo")["problems"], len(problems)), (problems, 1))
            same(of_plugin(d, "echo")["starts"], 0, "workers that had to be started")
            same(d.http("GET", "/v1/resources/read?uri=skill://echo/a/notes.txt").json["contents"][0]["text"], "one")


def test_roles():
    with Daemon(plugins=["conformance.plugin"]) as d:
        shown = bearer(new_key(d, "looker", "--role", "list"))
        same(d.http("GET", "/v1/skills", headers=shown).status, 200)
        same(d.http("GET", f"/v1/resources/directory?uri={ROOT}", headers=shown).status, 200)
        same(d.http("GET", f"/v1/resources/read?uri={URI}", headers=shown).status, 403)
        same(d.mcp("skills/list", headers=shown).status, 200)
        same(d.mcp("skills/get", {"uri": URI}, headers=shown).status, 200)
        same(d.mcp("resources/read", {"uri": URI}, headers=shown).status, 403)


def cli(d, *words):
    where = ("--socket", d.socket) if d else ()
    return run(TOOLHOST, *where, *words)


def test_the_command():
    with Daemon(plugins=["conformance.plugin"]) as d:
        d.add_folder("echo", {"commit-message/SKILL.md": skill("commit-message"), "b/SKILL.md": skill("b")})
        d.wait_tool("echo")
        same(uris(json.loads(cli(d, "skills")[1])["skills"]),
             [URI, "skill://echo/b/SKILL.md", "skill://echo/commit-message/SKILL.md"])
        same(json.loads(cli(d, "skills", "b", "--json")[1])["frontmatter"]["description"], "About b.")
        same(json.loads(cli(d, "skills", URI)[1])["uri"], URI)
        status, _, said = cli(d, "skills", "commit-message")
        same(status, 2)
        assert "there are several skills commit-message; name one by its URI" in said, said
        status, _, said = cli(d, "skills", "none")
        same((status, said), (4, "toolhost: there is no skill none; toolhost skills shows them\n"))
        same(cli(d, "read", f"{ROOT}/templates/one-line.md")[:2], (0, "What is different now\n"))


def test_check_looks_at_skills():
    with Daemon() as d:
        body = "[there](notes.txt) [folder](sub/) [web](https://x.example/) [part](#a) [gone](missing.md#x)\n"
        folder = d.add_folder("echo", {"a/SKILL.md": skill("a", body), "a/notes.txt": "", "a/sub/x.txt": "",
                                       "b/SKILL.md": "nothing", "c/SKILL.md": skill("c", "line\n" * 600)})
        status, out, _ = cli(None, "check", folder, "--json")
        report = json.loads(out)
        same(status, 11)
        assert ["skill skills/b/SKILL.md: line 1: expected --- and front matter with name and description"] == \
            [f["message"] for f in report["findings"] if f["level"] == "error"], report["findings"]
        found = {tool["name"]: [f["message"] for f in tool["findings"]] for tool in report["tools"]}
        same(found["skill skill://echo/a/SKILL.md"],
             ["SKILL.md links to missing.md, which is no file of the skill"])
        assert "over 500 lines" in found["skill skill://echo/c/SKILL.md"][0], found


if __name__ == "__main__":
    main()
