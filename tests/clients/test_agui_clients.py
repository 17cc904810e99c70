"""AG-UI's own TypeScript client against the real daemon: its parser, its schemas and its verifier over what
comes out, its HttpAgent over a run of its own.  `./dev clients` installs it."""

import json
import os
import pathlib
import subprocess

from harness import Daemon, PATIENCE, SOURCE, Skip, main, same
from test_clients import PACKAGES, node


def client(*words, stdin=""):
    found = node()
    if not pathlib.Path(PACKAGES, "node_modules/@ag-ui/client").is_dir():
        raise Skip("the client of AG-UI is not installed: ./dev clients")
    done = subprocess.run([found, str(SOURCE / "tests/clients/agui.mjs"), *words], input=stdin, capture_output=True,
                          text=True, env=dict(os.environ), timeout=60 * PATIENCE)
    same(done.returncode, 0, f"exit status, with {done.stderr[-1500:]}")
    return json.loads(done.stdout)


def test_U1_19_U1_21_its_verifier_takes_what_comes_out():
    node()
    run = {"threadId": "t", "runId": "r"}
    events = [{"type": "RUN_STARTED", **run}, {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": "I look"},
              {"type": "TOOL_CALL_CHUNK", "toolCallId": "c", "toolCallName": "slow_echo", "delta": '{"ms":100,"te'},
              {"type": "TOOL_CALL_CHUNK", "delta": 'xt":"hi"}'},
              {"type": "TEXT_MESSAGE_CHUNK", "messageId": "n", "delta": "wait"},
              {"type": "TEXT_MESSAGE_CHUNK", "delta": " for it"}, {"type": "RUN_FINISHED", **run}]
    with Daemon(plugins=["slow_echo"]) as d:
        seen = client("stream", f"http://{d.address}/v1/agui", stdin="".join(json.dumps(e) + "\n" for e in events))
        same(seen["error"], None)
        told, = [e for e in seen["events"] if e["type"] == "TOOL_CALL_RESULT"]
        same((told["toolCallId"], told["content"], seen["types"][-1]), ("c", "hi", "RUN_FINISHED"))
        broken = client("stream", f"http://{d.address}/v1/agui", stdin=json.dumps(events[0]))
        same((broken["error"], broken["types"]), (None, ["RUN_STARTED", "RUN_ERROR"]))


def test_U1_18_U1_20_an_agent_is_interrupted_and_resumes():
    node()
    calls = [{"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}
             for id, name, arguments in (("c1", "echo", '{"text":"hi"}'), ("c2", "greet", "{}"))]
    messages = [{"id": "m1", "role": "user", "content": "go"},
                {"id": "m2", "role": "assistant", "content": "", "toolCalls": calls}]
    with Daemon(plugins=["echo", "asks"]) as d:
        seen = client("agent", f"http://{d.address}/v1/agui", json.dumps(messages))
        same([(a["reason"], a["toolCallId"]) for a in seen["asked"]], [("input_required", "c2")])
        same({m["toolCallId"]: m["content"] for m in seen["messages"] if m["role"] == "tool"},
             {"c1": "hi", "c2": "Hello, Ada!"})
        same(sorted(seen["statuses"]), ["executing"] * 3 + ["interrupted"] + ["succeeded"] * 2)


if __name__ == "__main__":
    main()
