"""Agents of other authors' frameworks with our tools: agent-framework-core (MCPStreamableHTTPTool) and openai-agents
(MCPServerStreamableHttp), each with a model that says what it is told to, and no network.  `./dev clients` installs
them."""

import json
import os
import pathlib
import subprocess

from harness import PATIENCE, SOURCE, Skip, in_background, main, same
from test_approvals import cli, kept, one

PYTHON = os.environ.get("TOOLHOST_AGENTS")
FRAMEWORK, OPENAI = "framework", "openai"
REJECTED = {FRAMEWORK: "Error: Tool call invocation was rejected by user.", OPENAI: "Tool execution was not approved."}

# What its model is told of a call that we rejected: this framework keeps to itself what an error of a tool says.
NOT_APPROVED = {FRAMEWORK: "Error: Function failed.", OPENAI: "Tool execution was not approved."}
FREE, BY_CALLER = {"approvals": {}}, {"approvals": {"by": "caller", "mode": "always"}}


def need_frameworks():
    if not PYTHON or not pathlib.Path(PYTHON).exists():
        raise Skip("agent-framework-core and openai-agents are not installed: ./dev clients")


def command(kind, d, call, how, answer):
    need_frameworks()
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
    with kept(durable=False, config=FREE) as k, k.again() as d:
        asked, told = agent(kind, d, tallying(k))
        same((asked, k.ran()), ([], ["a"]))
        assert "a at " in told, told


def check_own_approval(kind):
    """The framework asks before it calls: one that is approved runs once, and of one that is not we never hear."""
    with kept(durable=False, config=FREE) as k, k.again() as d:
        call = tallying(k)
        asked, told = agent(kind, d, call, "agent", "no")
        same((asked, told, k.ran()), ([["tally", call["arguments"]]], REJECTED[kind], []))
        same(d.log_events("tool_call_finished"), [])
        asked, told = agent(kind, d, call, "agent", "yes")
        same((asked, k.ran()), ([["tally", call["arguments"]]], ["a"]))
        assert "a at " in told, told


def check_our_approval(kind):
    """We ask somebody else: the call waits, is approved and runs once, or is rejected and never runs."""
    need_frameworks()
    with kept(durable=False, config={"approvals": {"mode": "always"}}) as k, k.again() as d:
        for word, answer in (("approve", "a at "), ("reject", NOT_APPROVED[kind])):
            waiting = in_background(lambda: agent(kind, d, tallying(k)))
            cli(d, word, one(d, timeout=60)["id"])
            asked, told = waiting()
            assert answer in told, told
            same((asked, k.ran()), ([], ["a"]))


def test_agent_framework_calls_our_tools():
    check_call(FRAMEWORK)


def test_U3_8_agent_framework_asks_for_its_own_approval():
    check_own_approval(FRAMEWORK)


def test_U3_8_agent_framework_waits_for_our_approval():
    check_our_approval(FRAMEWORK)


def test_U3_8_agent_framework_is_asked_by_an_elicitation():
    with kept(durable=False, config=BY_CALLER) as k, k.again() as d:
        for answer, text in (("yes", "a at "), ("no", NOT_APPROVED[FRAMEWORK])):
            ((message, form),), told = agent(FRAMEWORK, d, tallying(k), "elicit", answer)
            same((message[:15], form["required"], k.ran()), ("May 'tally' run", ["approve"], ["a"]))
            assert text in told, told


def test_openai_agents_calls_our_tools():
    check_call(OPENAI)


def test_U0_20_openai_agents_asks_for_its_own_approval():
    check_own_approval(OPENAI)


def test_U3_8_openai_agents_waits_for_our_approval():
    check_our_approval(OPENAI)


if __name__ == "__main__":
    main()
