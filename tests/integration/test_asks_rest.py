#!/usr/bin/env python3
"""Calls that ask, over plain HTTP and from the command line: who may answer them, how, and for how long."""

import contextlib
import json
import os
import pty

from harness import Daemon, installed, main, run, same, wait_for

TOOLHOST = installed("bin/toolhost")
ADA = {"action": "accept", "content": {"name": "Ada"}}
ASKS = 14


def ask(d, tool="greet", arguments=None, **members):
    """Call a tool that asks; its ask."""
    got = d.rest(tool, arguments, **members)
    same((got.status, got.body["ok"], got.body["status"]), (202, False, "input_required"), f"{got}")
    return got.body["ask"]


def answer(d, found, **body):
    return d.http("POST", f"/v1/asks/{found['id']}", body)


def cli(d, *words, **more):
    return run(TOOLHOST, "--socket", d.socket, *words, **more)


def test_answered():
    with Daemon(plugins=["asks"]) as d:
        found = ask(d, arguments={"who": "it"}, call_id="mine")
        same((found["state"], found["tool"], found["call_id"]), ("open", "greet", "mine"))
        assert 590000 < found["expires_in_ms"] <= 600000, found
        same(found["requests"]["user_name"]["params"]["message"], 'Who is "it"?')
        done = answer(d, found, responses={"user_name": ADA})
        same((done.status, done.json["ok"], done.json["call_id"]), (200, True, "mine"))
        same(done.json["content"][0]["text"], "Hello, Ada!")
        kept = d.http("GET", f"/v1/asks/{found['id']}").json
        same((kept["state"], kept["result"]["content"][0]["text"]), ("done", "Hello, Ada!"))
        same(answer(d, found, responses={}).error, "ask_answered")
        same(d.http("GET", "/v1/asks").json, {"asks": []})


def test_rounds_and_parts():
    with Daemon(plugins=["asks"]) as d:
        found = ask(d, "rounds", {"rounds": 2})
        again = answer(d, found, responses={"step1": ADA})
        same((again.status, again.json["ask"]["id"], list(again.json["ask"]["requests"])), (202, found["id"], ["step2"]))
        done = answer(d, found, responses={"step2": ADA})
        same("".join(block["text"] for block in done.json["content"]), "step1=Ada step2=Ada ")
        found = ask(d, "all")
        same(sorted(found["requests"]), ["form", "model", "roots", "url"])
        part = answer(d, found, responses={"form": ADA, "roots": {"roots": []}})
        same((part.status, sorted(part.json["requests"])), (200, ["model", "url"]))
        done = answer(d, found, decline=True)
        same([block["text"].split()[1] for block in done.json["content"]],
             ["answered", "declined", "declined", "answered"])


def test_refusals():
    with Daemon(plugins=["asks"], config={"asks": {"max": 2}}) as d:
        found = ask(d)
        for body, status, code in (({}, 400, "bad_request"), ({"responses": []}, 400, "bad_request"),
                                   ({"responses": {"user_name": {}}}, 422, "input_invalid"),
                                   ({"responses": {"user_name": {"action": "accept"}}}, 422, "input_invalid")):
            got = answer(d, found, **body)
            same((got.status, got.error), (status, code), f"of {body}")
        same(d.http("POST", f"/v1/asks/{found['id']}", "{", {"Content-Type": "application/json"}).error, "bad_json")
        same(d.http("GET", "/v1/asks/ask_0").error, "ask_not_found")
        other = ask(d)
        got = d.rest("greet")
        same((got.status, got.code), (429, "tool_overloaded"))
        same(d.http("DELETE", f"/v1/asks/{other['id']}").status, 204)
        same(d.http("GET", f"/v1/asks/{other['id']}").status, 404)
        same([a["id"] for a in d.http("GET", "/v1/asks").json["asks"]], [found["id"]])
        same(answer(d, found, responses={"user_name": ADA}).status, 200)
        ask(d), ask(d)  # what is done makes room


def test_time():
    with Daemon(plugins=["asks"], config={"asks": {"ttl": "1s"}}) as d:
        found = ask(d)
        same(d.wait_log("ask_expired")["ask"], found["id"])
        same(answer(d, found, responses={"user_name": ADA}).error, "ask_not_found")


def test_long_answers():
    """Answers that don't fit a frame travel with the arguments, in a descriptor."""
    with Daemon(plugins=["asks"]) as d:
        found = ask(d, "all", {"filler": "f" * 40000})
        model = {"role": "assistant", "content": {"type": "text", "text": "t" * 150000}, "model": "m"}
        same(answer(d, found, responses={"model": model}).status, 200)
        done = answer(d, found, decline=True)
        same(json.loads(done.json["content"][2]["text"].split(" ", 2)[2]), model)
        found = ask(d, "all")
        model["content"]["text"] = "t" * 300000
        refused = answer(d, found, responses={"model": model})
        same((refused.status, refused.error), (422, "input_invalid"))
        assert "longer than 262144 bytes" in refused.json["error"]["message"], refused


def test_event_stream():
    with Daemon(plugins=["asks"]) as d:
        got = d.http("POST", "/v1/tools/greet/call", {"arguments": {}}, {"Accept": "text/event-stream"})
        same((got.status, got.json["status"]), (200, "input_required"))


def test_command_line():
    with Daemon(plugins=["asks"]) as d:
        status, out, err = cli(d, "call", "greet", "--arg", "who=it")
        same((status, out), (ASKS, ""))
        assert 'user_name: Who is "it"?' in err and "name (string)" in err, err
        id = err.split("toolhost approve ")[1].split()[0]
        same(json.loads(cli(d, "asks")[1])["asks"][0]["id"], id)
        same(cli(d, "approve", id, "--arg", "name=Ada")[:2], (0, "Hello, Ada!\n"))
        status, out, err = cli(d, "approve", id, "--decline")
        same(status, 1, err)
        assert "ask_answered" in err, err
        ids = [json.loads(cli(d, "call", "--json", tool)[1])["ask"]["id"] for tool in ("greet", "greet", "all")]
        same(cli(d, "approve", ids[0], json.dumps({"user_name": ADA}))[:2], (0, "Hello, Ada!\n"))
        same(cli(d, "approve", ids[1], "-D")[:2], (0, "Hello, whoever (declined)!\n"))
        same(cli(d, "approve", ids[2], "--arg", "name=Ada")[0], 2)
        same(cli(d, "approve", ids[2], '{"form": {}}')[0], 5)
        same(cli(d, "approve", "ask_0", "-D")[0], 4)
        same(cli(d, "approve", ids[2])[0], 2)  # standard input is no terminal


def on_terminal(typed, *words):
    """What toolhost prints on a terminal on which these lines are typed."""
    pid, fd = pty.fork()
    if pid == 0:
        os.execv(TOOLHOST, [str(TOOLHOST), *map(str, words)])
    os.write(fd, "".join(f"{line}\n" for line in typed).encode())
    got = b""
    with contextlib.suppress(OSError):
        while chunk := os.read(fd, 65536):
            got += chunk
    os.close(fd)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), got.decode()


def test_terminal():
    with Daemon(plugins=["asks"]) as d:
        status, out = on_terminal(["Ada", "y", "Hello from a person", "/a file:///b"],
                                  "--socket", d.socket, "approve", ask(d, "all")["id"])
        same(status, 0, out)
        for text in ("Who?", "open https://pay.example/1", 'form answered {"name":"Ada"}', "url answered {}",
                     '"text":"Hello from a person"', '{"roots":[{"uri":"file:///a"},{"uri":"file:///b"}]}'):
            assert text in out, f"expected {text} in {out}"
        found = ask(d)
        status, out = on_terminal([], "--socket", d.socket, "asks")
        assert found["id"] in out and "name (string)" in out, out


def test_stop_while_it_is_asked():
    with Daemon(plugins=["asks"]) as d:
        ask(d)
        wait_for(lambda: d.http("GET", "/v1/asks").json["asks"], what="the ask")


if __name__ == "__main__":
    main()
