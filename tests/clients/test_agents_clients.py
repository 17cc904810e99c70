"""Agents of other authors' frameworks with our tools: agent-framework-core (MCPStreamableHTTPTool) and openai-agents
(MCPServerStreamableHttp), each with a model that says what it is told to, and no network.  `./dev clients` installs
them."""

import json
import os
import pathlib
import subprocess

from harness import PATIENCE, SOURCE, Skip, main, same
from test_durable import kept

PYTHON = os.environ.get("TOOLHOST_AGENTS")
FRAMEWORK, OPENAI = "framework", "openai"
REJECTED = {FRAMEWORK: "Error: Tool call invocation was rejected by user.", OPENAI: "Tool execution was not approved."}


def command(kind, d, call, how, answer):
    if not PYTHON or not pathlib.Path(PYTHON).exists():
        raise Skip("agent-framework-core and openai-agents are not installed: ./dev clients")
    return [PYTHON, str(SOURCE / "tests/clients/agent_client.py"), kind, f"http://{d.address}/mcp", json.dumps(call),
            how, answer]


def agent(kind, d, call, how="nobody", answer="yes"):
    """What it was asked, and what its model was told."""
    done = subprocess.run(command(kind, d, call, how, answer), capture_output=True, text=True, cwd=d.dir,
                          env={**os.environ, "HOME": str(d.dir)}, timeout=120 * PATIENCE)
    same(done.returncode, 0, f"exit status, with {done.stderr[-1500:]}")
    seen = json.loads(done.stdout)
    same((seen["tools"], seen["text"]), (["tally"], "Done."))
    ((call_id, told),) = seen["results"]
    same(call_id, "c1")
    return seen["asked"], told


def tallying(k):
    return {"name": "tally", "arguments": {"file": str(k.file), "id": "a"}}


def check_call(kind):
    with kept(durable=False) as k, k.again() as d:
        asked, told = agent(kind, d, tallying(k))
        same((asked, k.ran()), ([], ["a"]))
        assert "a at " in told, told


def check_own_approval(kind):
    """The framework asks before it calls: one that is approved runs once, and of one that is not we never hear."""
    with kept(durable=False) as k, k.again() as d:
        call = tallying(k)
        asked, told = agent(kind, d, call, "agent", "no")
        same((asked, told, k.ran()), ([["tally", call["arguments"]]], REJECTED[kind], []))
        same(d.log_events("tool_call_finished"), [])
        asked, told = agent(kind, d, call, "agent", "yes")
        same((asked, k.ran()), ([["tally", call["arguments"]]], ["a"]))
        assert "a at " in told, told


def test_agent_framework_calls_our_tools():
    check_call(FRAMEWORK)


def test_U3_8_agent_framework_asks_for_its_own_approval():
    check_own_approval(FRAMEWORK)


def test_openai_agents_calls_our_tools():
    check_call(OPENAI)


def test_U0_20_openai_agents_asks_for_its_own_approval():
    check_own_approval(OPENAI)


if __name__ == "__main__":
    main()
