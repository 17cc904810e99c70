"""MCP over standard input and output beyond the first steps: both eras on one pipe, subscriptions, what is
told between a request and its answer, cancelling, batches."""

import json

from harness import ENVELOPE, LEGACY, MODERN, Daemon, main, same
from mcp_wire import notification, request, slow

META = "io.modelcontextprotocol/"
ID = META + "subscriptionId"


def modern(method, params=None, id=1, meta=None):
    return request(method, {**(params or {}), "_meta": {**ENVELOPE, **(meta or {})}}, id)


def handshake(d, version=LEGACY):
    hello = d.pipe.ask("initialize", {"protocolVersion": version, "capabilities": {},
                                      "clientInfo": {"name": "t", "version": "1"}}, modern=False)
    same(hello["result"]["protocolVersion"], version)
    d.pipe.send(notification("notifications/initialized"))


def test_probe_handshake_and_both_eras_at_once():
    with Daemon(plugins=["echo"], stdio=True) as d:
        same(d.pipe.ask("server/discover")["result"]["supportedVersions"], [MODERN])
        early = d.pipe.ask("tools/list", modern=False)
        same(early["error"]["code"], -32602)  # neither an envelope nor a handshake
        same(d.pipe.ask("ping", modern=False)["result"], {})
        handshake(d)
        for _ in range(2):
            new = d.pipe.ask("tools/call", {"name": "echo", "arguments": {"text": "new"}})["result"]
            old = d.pipe.ask("tools/call", {"name": "echo", "arguments": {"text": "old"}}, modern=False)["result"]
            same((new["resultType"], new["content"][0]["text"]), ("complete", "new"))
            same(("resultType" in old, old["content"][0]["text"]), (False, "old"))
        same(d.pipe.ask("ping")["error"]["code"], -32601)
        same(d.pipe.ask("server/discover", modern=False)["error"]["code"], -32601)


def test_the_envelope():
    with Daemon(plugins=["echo"], stdio=True) as d:
        for meta, code in (({META + "protocolVersion": "v999", META + "clientCapabilities": {}}, -32022),
                           ({META + "protocolVersion": LEGACY, META + "clientCapabilities": {}}, -32022),
                           ({META + "protocolVersion": MODERN}, -32602),
                           ({META + "protocolVersion": 1, META + "clientCapabilities": {}}, -32602)):
            d.pipe.send(request("tools/list", {"_meta": meta}))
            error = d.pipe.receive()["error"]
            same(error["code"], code, f"for {meta}")
            if code == -32022:
                same(error["data"], {"supported": [MODERN], "requested": meta[META + "protocolVersion"]})


def test_listen():
    with Daemon(plugins=["echo"], stdio=True) as d:
        d.pipe.send(modern("subscriptions/listen", {"notifications": {"toolsListChanged": True}}, "s"))
        same(d.pipe.receive(), {"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": {
            "notifications": {"toolsListChanged": True}, "_meta": {ID: "s"}}})
        d.add("hash")
        same(d.pipe.receive(), {"jsonrpc": "2.0", "method": "notifications/tools/list_changed",
                                "params": {"_meta": {ID: "s"}}})
        d.pipe.send(notification("notifications/cancelled", {"requestId": "s"}))
        d.pipe.send(modern("subscriptions/listen", {"notifications": {}}, 8))
        same(d.pipe.receive()["params"]["_meta"][ID], 8)
        d.add("clock")  # nobody wants to hear of it any more
        while "clock" not in str(d.pipe.ask("tools/list")):
            pass
        d.process.stdin.close()
        left = [json.loads(line) for line in d.process.stdout]
        same(left, [{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 8}}])


def test_changes_for_a_client_of_the_handshake():
    with Daemon(plugins=["echo"], stdio=True) as d:
        handshake(d)
        d.pipe.ask("tools/list", modern=False)
        d.add("hash")
        same(d.pipe.receive(), {"jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": {}})


def test_progress_and_log():
    with Daemon(plugins=["slow_echo", "wire"], stdio=True) as d:
        d.pipe.send(modern("tools/call", slow(20, "x"), "c", {"progressToken": 9}))
        heard = []
        while (message := d.pipe.receive()).get("id") != "c":
            heard.append(message)
        same({(m["method"], m["params"]["progressToken"]) for m in heard}, {("notifications/progress", 9)})
        d.pipe.send(modern("tools/call", {"name": "logs"}, 1, {META + "logLevel": "error"}))
        same(d.pipe.receive()["params"], {"level": "error", "logger": "logs", "data": "an error"})
        same(d.pipe.receive()["id"], 1)
        handshake(d)
        same(d.pipe.ask("logging/setLevel", {"level": "warning"}, modern=False)["result"], {})
        d.pipe.send(request("tools/call", {"name": "logs"}, 2))
        same([d.pipe.receive()["params"]["level"] for _ in range(2)], ["warning", "error"])
        same(d.pipe.receive()["id"], 2)


def test_what_is_cancelled_is_silent():
    for send in (modern, request):
        with Daemon(plugins=["slow_echo"], stdio=True, args=["--log-level", "info"]) as d:
            handshake(d)
            d.pipe.send(send("tools/call", slow(60_000), 7))
            if send is request:
                assert d.pipe.receive()["params"]["progressToken"] == "p"
            d.pipe.send(notification("notifications/cancelled", {"requestId": 7, "reason": "enough"}))
            d.pipe.send(notification("notifications/cancelled", {"requestId": 7}))
            d.pipe.send(notification("notifications/cancelled", {"requestId": "never was"}))
            d.wait_log("tool_call_failed", lambda e: e.get("code") == "tool_cancelled")
            d.pipe.send(request("ping", {}, 8))
            while (message := d.pipe.receive()).get("id") != 8:
                same(message.get("method"), "notifications/progress")


def test_batches():
    for version in ("2025-03-26", "2024-11-05"):
        with Daemon(plugins=["echo", "slow_echo"], stdio=True) as d:
            handshake(d, version)
            d.pipe.send([request("ping", {}, 1), notification("notifications/initialized"),
                         request("tools/call", {"name": "slow_echo", "arguments": {"ms": 50}}, 2), 3])
            answers = {m.get("id"): m for m in d.pipe.receive()}
            same(set(answers), {1, 2, None})
            same(answers[None]["error"]["code"], -32600)
            d.pipe.send([notification("notifications/initialized")])
            d.pipe.send([])
            same(d.pipe.receive()["error"]["code"], -32600)
            d.pipe.send([request("tools/call", {"name": "slow_echo", "arguments": {"ms": 60_000}}, 4),
                         request("ping", {}, 5), notification("notifications/cancelled", {"requestId": 4})])
            same([m["id"] for m in d.pipe.receive()], [5])
    with Daemon(plugins=["echo"], stdio=True) as d:
        for _ in range(2):  # before the handshake and after one of a revision without batches
            d.pipe.send([request("ping")])
            same(d.pipe.receive()["error"]["code"], -32600)
            handshake(d)


if __name__ == "__main__":
    main()
