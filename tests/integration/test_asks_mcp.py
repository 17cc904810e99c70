#!/usr/bin/env python3
"""Calls that ask, over MCP: results of their own and sealed state in 2026-07-28, requests of the daemon to
clients of the handshake, over HTTP and over pipes."""

import json

from handshake import EVERYTHING, Handshake
from harness import LEGACY, Daemon, main, same

CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
ADA = {"action": "accept", "content": {"name": "Ada"}}


def call(d, tool, arguments=None, can=None, **params):
    """tools/call with these capabilities: the answer."""
    return d.mcp("tools/call", {"name": tool, "arguments": arguments or {}, **params},
                 meta={CAPABILITIES: {"elicitation": {}} if can is None else can})


def result(answer, kind="complete"):
    same(answer.status, 200, f"status of {answer}")
    found = answer.json["result"]
    same(found["resultType"], kind)
    return found


def text(answer):
    return result(answer)["content"][0]["text"]


def test_a_form():
    with Daemon(plugins=["asks"]) as d:
        asked = result(call(d, "greet", {"who": "it"}), "input_required")
        same(sorted(set(asked) - {"_meta"}), ["inputRequests", "requestState", "resultType"])
        same(list(asked["inputRequests"]), ["user_name"])
        same(asked["inputRequests"]["user_name"]["method"], "elicitation/create")
        same(asked["inputRequests"]["user_name"]["params"]["message"], 'Who is "it"?')
        state = asked["requestState"]
        assert "Ada" not in state and "name" not in state
        done = call(d, "greet", {"who": "it"}, inputResponses={"user_name": ADA, "other": {}}, requestState=state)
        same(text(done), "Hello, Ada!")
        for action, word in (("decline", "declined"), ("cancel", "dismissed")):
            done = call(d, "greet", {"who": "it"}, inputResponses={"user_name": {"action": action}}, requestState=state)
            same(text(done), f"Hello, whoever ({word})!")
        same(len(d.log_events("tool_call_asked", least=1)), 1)


def test_answers_without_state():
    with Daemon(plugins=["asks"]) as d:
        same(text(call(d, "greet", inputResponses={"user_name": ADA, "other": {"a": 1}})), "Hello, Ada!")
        again = result(call(d, "greet", inputResponses={"wrong": ADA}), "input_required")
        same(list(again["inputRequests"]), ["user_name"])
        for bad in (None, 5, [], {"user_name": 12345}, {"user_name": None}, {"user_name": {}},
                    {"user_name": {"action": "accept"}}, {"user_name": {"action": "accept", "content": {"name": "x"}}}):
            refused = call(d, "greet", inputResponses=bad)
            same((refused.status, refused.error), (200, -32602), f"of {bad}")
            assert refused.json["error"]["message"].startswith("Invalid params: inputResponses: "), refused


def test_missing_answers_are_asked_for_again():
    with Daemon(plugins=["asks"]) as d:
        asked = result(call(d, "all", can=EVERYTHING), "input_required")
        same(sorted(asked["inputRequests"]), ["form", "model", "roots", "url"])
        same(asked["inputRequests"]["url"]["params"],
             {"mode": "url", "message": "Pay.", "url": "https://pay.example/1"})
        more = result(call(d, "all", can=EVERYTHING, requestState=asked["requestState"], inputResponses={
            "form": ADA, "roots": {"roots": [{"uri": "file:///a"}]}}), "input_required")
        same(sorted(more["inputRequests"]), ["model", "url"])
        assert more["requestState"] != asked["requestState"]
        model = {"role": "assistant", "content": {"type": "text", "text": "Hello"}, "model": "m"}
        done = result(call(d, "all", can=EVERYTHING, requestState=more["requestState"], inputResponses={
            "url": {"action": "accept"}, "model": model}))
        lines = [block["text"] for block in done["content"]]
        same(lines[0], 'form answered {"name": "Ada"}\n')
        same(lines[1], "url answered {}\n")
        same(json.loads(lines[2].split(" ", 2)[2]), model)


def test_capabilities():
    with Daemon(plugins=["asks"]) as d:
        asked = result(call(d, "all", can={"sampling": {}}), "input_required")
        same(list(asked["inputRequests"]), ["model"])
        asked = result(call(d, "all", can={"elicitation": {}, "roots": {}}), "input_required")
        same(sorted(asked["inputRequests"]), ["form", "roots"])
        same(text(call(d, "greet", can={})), "Hello, whoever (unaskable)!")
        refused = call(d, "greet", {"insist": True}, can={"sampling": {}})
        same((refused.status, refused.error), (400, -32021))
        same(refused.json["error"]["data"], {"requiredCapabilities": {"elicitation": {}}})


def test_rounds():
    with Daemon(plugins=["asks"]) as d:
        answers, state = None, None
        for step in (1, 2, 3):
            more = {"requestState": state, "inputResponses": answers} if state else {}
            asked = result(call(d, "rounds", {"rounds": 3}, **more), "input_required")
            same(list(asked["inputRequests"]), [f"step{step}"])
            assert asked["requestState"] != state
            state = asked["requestState"]
            answers = {f"step{step}": {"action": "accept", "content": {"name": f"n{step}"}}}
        done = result(call(d, "rounds", {"rounds": 3}, requestState=state, inputResponses=answers))
        same("".join(block["text"] for block in done["content"]), "step1=n1 step2=n2 step3=n3 ")


def test_state_is_bound():
    with Daemon(plugins=["asks"]) as d:
        state = result(call(d, "greet", {"who": "a", "n": 1}), "input_required")["requestState"]
        answers = {"user_name": ADA}
        same(text(call(d, "greet", {"n": 1, "who": "a"}, inputResponses=answers, requestState=state)), "Hello, Ada!")
        for what, tool, arguments, other in (
                ("tampered", "greet", {"who": "a", "n": 1}, state + "-TAMPERED"),
                ("changed", "greet", {"who": "a", "n": 1}, state[:-1] + ("A" if state[-1] != "A" else "Q")),
                ("of other arguments", "greet", {"who": "b", "n": 1}, state),
                ("of another tool", "rounds", {"who": "a", "n": 1}, state),
                ("empty", "greet", {"who": "a", "n": 1}, ""),
                ("no string", "greet", {"who": "a", "n": 1}, 7)):
            refused = call(d, tool, arguments, inputResponses=answers, requestState=other)
            same((refused.status, refused.error), (200, -32602), f"state {what}")
            assert "requestState: " in refused.json["error"]["message"], refused


def key_file(d, keys):
    path = d.dir / "keys"
    path.write_text(keys)
    path.chmod(0o600)
    return path


def test_a_key_file_outlives_the_daemon():
    with Daemon(plugins=["asks"]) as other:
        path = key_file(other, "ab" * 32 + "\n")
        asks = {"asks": {"key_file": str(path)}}
        with Daemon(plugins=["asks"], config=asks) as d:
            state = result(call(d, "greet"), "input_required")["requestState"]
        with Daemon(plugins=["asks"], config=asks) as d:
            same(text(call(d, "greet", inputResponses={"user_name": ADA}, requestState=state)), "Hello, Ada!")
        same(call(other, "greet", inputResponses={"user_name": ADA}, requestState=state).error, -32602)


def test_a_bad_key_file_is_a_sentence():
    with Daemon(plugins=["asks"]) as other:
        path = key_file(other, "secret")
        with Daemon(config={"asks": {"key_file": str(path)}}, check=False) as d:
            assert d.process.wait(10) != 0
            d.reader.join(5)
            assert any(f"asks.key_file: {path}: line 1: expected a key" in line for line in d.raw), d.raw


def test_wrong_questions():
    with Daemon(plugins=["asks"]) as d:
        same(result(call(d, "wrong", can=EVERYTHING))["isError"], True)
        assert "https URL" in d.wait_log("tool_call_failed")["cause"]


# ---- the handshake


def test_handshake():
    def answer(request):
        if request["method"] == "roots/list":
            return {"roots": []}
        if request["method"] == "sampling/createMessage":
            return Exception("User rejected")
        return {"action": "accept", "content": {"name": "Ada"}}

    with Daemon(plugins=["asks"]) as d:
        client = Handshake(d, answer=answer)
        same(client.text("greet", {"who": "it"}), "Hello, Ada!")
        same(client.asked[0]["method"], "elicitation/create")
        same(client.asked[0]["params"]["message"], 'Who is "it"?')
        blocks = client.call("all")["result"]["content"]
        same([block["text"].split()[1] for block in blocks], ["answered", "answered", "declined", "answered"])
        by_url = next(r["params"] for r in client.asked if r.get("params", {}).get("mode") == "url")
        assert by_url["elicitationId"], by_url
        blocks = client.call("rounds", {"rounds": 3})["result"]["content"]
        same("".join(block["text"] for block in blocks), "step1=Ada step2=Ada step3=Ada ")


def test_handshake_without_capability():
    with Daemon(plugins=["asks"]) as d:
        client = Handshake(d, capabilities={"roots": {}})
        same(client.text("greet"), "Hello, whoever (unaskable)!")
        refused = client.call("greet", {"insist": True})["result"]
        same((refused["isError"], refused["_meta"]["toolhost/error"]["code"]), (True, "capability_required"))
        same(client.asked, [])


def test_handshake_no_answer():
    with Daemon(plugins=["asks"], config={"asks": {"ttl": "1s"}}) as d:
        same(Handshake(d).text("greet"), "Hello, whoever (expired)!")
        same(Handshake(d, answer=lambda request: {"action": "accept"}).text("greet"), "Hello, whoever (dismissed)!")
        assert "user_name" in d.wait_log("mcp_answer_unusable")["why"]


def test_session_that_ends_while_it_is_asked():
    with Daemon(plugins=["asks"]) as d:
        client = Handshake(d)
        client.answer = lambda request: same(d.http("DELETE", "/mcp", headers=client.headers).status, 204)
        same(client.call("greet")["error"]["code"], -32603)
        same(text(call(d, "greet", can={})), "Hello, whoever (unaskable)!")


def test_prompts():
    """What is no tool asks as well."""
    context = {"action": "accept", "content": {"context": "night"}}
    name = "test_input_required_result_prompt"
    with Daemon(plugins=["conformance"]) as d:
        meta = {CAPABILITIES: {"elicitation": {}}}
        asked = result(d.mcp("prompts/get", {"name": name}, meta=meta), "input_required")
        more = {"inputResponses": {"user_context": context}, "requestState": asked["requestState"]}
        done = result(d.mcp("prompts/get", {"name": name, **more}, meta=meta))
        same(done["messages"][0]["content"]["text"], "Use this context: night")
        same(d.mcp("tools/call", {"name": "greet", "arguments": {"name": "x"}, **more}, meta=meta).error, -32602)
        same(d.mcp("prompts/get", {"name": name}).error, -32021)
        client = Handshake(d, answer=lambda request: context)
        got = client.request("prompts/get", {"name": name})["result"]
        same(got["messages"][0]["content"]["text"], "Use this context: night")


# ---- pipes


def test_pipes_modern():
    with Daemon(plugins=["asks"], stdio=True) as d:
        meta = {CAPABILITIES: {"elicitation": {}}}
        params = {"name": "greet", "_meta": meta}
        asked = d.pipe.ask("tools/call", params)["result"]
        same(asked["resultType"], "input_required")
        done = d.pipe.ask("tools/call", {**params, "inputResponses": {"user_name": ADA},
                                         "requestState": asked["requestState"]})["result"]
        same(done["content"][0]["text"], "Hello, Ada!")


def test_pipes_handshake():
    with Daemon(plugins=["asks"], stdio=True) as d:
        d.pipe.ask("initialize", {"protocolVersion": LEGACY, "capabilities": {"elicitation": {}},
                                  "clientInfo": {"name": "pipe", "version": "1"}}, modern=False)
        d.pipe.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        d.pipe.send({"jsonrpc": "2.0", "id": "c", "method": "tools/call", "params": {"name": "greet"}})
        request = d.pipe.receive()
        same(request["method"], "elicitation/create")
        d.pipe.send({"jsonrpc": "2.0", "id": request["id"], "result": ADA})
        same(d.pipe.receive()["result"]["content"][0]["text"], "Hello, Ada!")


if __name__ == "__main__":
    main()
