"""toolhostd --stdio: one message a line, both eras, and an end when the input ends."""

import json

from harness import Daemon, LEGACY, main, same, wait_for, is_running


def test_modern():
    with Daemon(plugins=["echo"], stdio=True) as d:
        found = d.pipe.ask("server/discover")["result"]
        assert "2026-07-28" in found["supportedVersions"], found
        names = [tool["name"] for tool in d.pipe.ask("tools/list")["result"]["tools"]]
        same(names, ["echo"])
        result = d.pipe.ask("tools/call", {"name": "echo", "arguments": {"text": "line\nbreak"}})["result"]
        same(result["content"][0]["text"], "line\nbreak")
        same(result["resultType"], "complete")


def test_arguments_are_an_object_or_missing():
    with Daemon(plugins=["data_query"], stdio=True) as d:
        result = d.pipe.ask("tools/call", {"name": "data_query"})["result"]
        same(result["structuredContent"]["matches"], 24)
        for wire in ("", '""', None, []):
            same(d.pipe.ask("tools/call", {"name": "data_query", "arguments": wire})["error"]["code"], -32602)


def test_a_plugin_that_hangs_keeps_nobody_waiting():
    """It has 60 s to be loaded; the others are served long before (the harness waits half of that)."""
    with Daemon(plugins=["echo", "ctor_hang"], stdio=True, config={"start_timeout": "60s"}) as d:
        same([tool["name"] for tool in d.pipe.ask("tools/list")["result"]["tools"]], ["echo"])


def test_handshake():
    for version in (LEGACY, "2025-06-18", "2025-03-26", "2024-11-05"):
        with Daemon(plugins=["echo"], stdio=True) as d:
            hello = d.pipe.ask("initialize", {"protocolVersion": version, "capabilities": {},
                                              "clientInfo": {"name": "t", "version": "1"}}, modern=False)
            same(hello["result"]["protocolVersion"], version)
            d.pipe.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
            result = d.pipe.ask("tools/call", {"name": "echo", "arguments": {"text": "old"}}, modern=False)["result"]
            same(result["content"][0]["text"], "old")
            assert "resultType" not in result, result


def test_probe_then_handshake_on_one_pipe():
    with Daemon(plugins=["echo"], stdio=True) as d:
        assert "result" in d.pipe.ask("server/discover")
        hello = d.pipe.ask("initialize", {"protocolVersion": LEGACY, "capabilities": {},
                                          "clientInfo": {"name": "t", "version": "1"}}, modern=False)
        same(hello["result"]["protocolVersion"], LEGACY)


def test_bad_lines_are_answered_and_survived():
    with Daemon(plugins=["echo"], stdio=True) as d:
        for line, code in ((b"{", -32700), (b"\xff", -32700), (b"5", -32600), (b"[" * 100_000, -32700)):
            d.pipe.send(line)
            message = d.pipe.receive()
            same(message["error"]["code"], code, f"for {line[:20]!r}")
            assert message.get("id") is None, message
        d.pipe.send(b"")
        same(d.pipe.ask("tools/call", {"name": "echo", "arguments": {"text": "well"}})["result"]["content"][0]["text"],
             "well")


def test_an_oversized_line():
    with Daemon(plugins=["echo"], stdio=True) as d:
        d.pipe.send(b'{"jsonrpc":"2.0","id":9,"method":"' + b"x" * 3_000_000 + b'"}')
        assert "error" in d.pipe.receive()
        assert "result" in d.pipe.ask("tools/list")


def test_answers_that_are_due_come_after_the_input_has_ended():
    with Daemon(plugins=["echo"], stdio=True) as d:
        for i in range(20):
            d.pipe.send({"jsonrpc": "2.0", "id": i, "method": "tools/call", "params": {
                "name": "echo", "arguments": {"text": str(i)},
                "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                          "io.modelcontextprotocol/clientCapabilities": {}}}})
        d.process.stdin.close()
        answers = [json.loads(line) for line in d.process.stdout]
        same(sorted(a["id"] for a in answers if "id" in a), list(range(20)))
        same(d.process.wait(20), 0, "exit status")


def test_an_ended_reader_ends_the_daemon():
    with Daemon(plugins=["echo"], stdio=True, check=False) as d:
        d.pipe.ask("tools/list")
        d.process.stdout.close()
        for _ in range(3):
            try:
                d.pipe.send({"jsonrpc": "2.0", "id": 1, "method": "ping"})
            except OSError:
                break
        try:
            d.process.stdin.close()
        except OSError:
            pass
        wait_for(lambda: d.process.poll() is not None, 10, "the end of the daemon")
        wait_for(lambda: not is_running(d.pid), 5)


def test_several_at_once():
    with Daemon(plugins=["echo"], stdio=True) as a, Daemon(plugins=["echo"], stdio=True) as b:
        for d in (a, b):
            assert "result" in d.pipe.ask("tools/list")


if __name__ == "__main__":
    main()
