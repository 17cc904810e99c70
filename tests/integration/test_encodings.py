#!/usr/bin/env python3
"""One result in the forms that other systems of tools know: ?encoding= of a call, in sessions too."""

import json

from harness import Daemon, main, same
from test_sessions import PLUGINS, begin


def ask(daemon, tool, arguments, encoding, **members):
    return daemon.http("POST", f"/v1/tools/{tool}/call?encoding={encoding}",
                       {"arguments": arguments, "call_id": "c1", **members})


def failed(code, message, tool):
    """S0's body of a call that failed."""
    output = {"ok": False, "error": code, "tool": tool, "message": message}
    return {"function_call_id": "c1", "ok": False, "error": code, "output": json.dumps(output, separators=(",", ":"))}


def test_S0_47_S0_49_S0_55_sonore():
    with Daemon(plugins=["echo"]) as d:
        answer = ask(d, "echo", {"text": "hi"}, "sonore")
        same((answer.status, answer.body.decode() if isinstance(answer.body, bytes) else answer.body),
             (200, '{"function_call_id":"c1","ok":true,"error":null,"output":"{\\"result\\":\\"hi\\"}"}'))
        answer = ask(d, "nobody", {}, "sonore")
        same((answer.status, answer.json),
             (404, failed("tool_not_found", "Requested tool is not available.", "nobody")))
        for arguments in ("{", "[]"):
            answer = ask(d, "echo", arguments, "sonore")
            same((answer.status, answer.json),
                 (400, failed("tool_args_parse_error", "Tool arguments could not be parsed.", "echo")))


def test_S1_5_agui():
    with Daemon(plugins=["echo", "calculator"]) as d:
        same(ask(d, "echo", {"text": "hi"}, "agui").json, {"success": True, "message": "hi"})
        said = ask(d, "echo", {}, "agui").json
        same((said["success"], said["message"].startswith("Validation failed: ")), (False, True), said)


def test_S3_2_agent_framework():
    with Daemon(plugins=["echo"]) as d:
        same(ask(d, "echo", {"text": "hi"}, "agent-framework").json,
             {"is_error": False, "output": [{"type": "text", "text": "hi"}]})
        said = ask(d, "nobody", {}, "agent-framework").json
        same((said["is_error"], said["error_code"]), (True, "tool_not_found"))


def test_S3_1_S3_2_text_image_audio_and_what_went_wrong():
    with Daemon(plugins=["told"]) as d:
        same(ask(d, "parts", {}, "agent-framework").json,
             {"is_error": False, "output": [{"type": "text", "text": "both"},
                                            {"type": "image", "data": "iVBORw==", "mimeType": "image/png"},
                                            {"type": "audio", "data": "UklGRg==", "mimeType": "audio/wav"}]})
        said = ask(d, "told", {"query": "x", "num_results": []}, "agent-framework").json
        same((said["is_error"], said["error_code"]), (True, "tool_args_invalid"))
        same(said["output"], [{"type": "text", "text": said["message"]}])
        same([(p["instancePath"], p["keyword"]) for p in said["details"]], [("/num_results", "type")])
        said = ask(d, "nobody", {}, "agent-framework").json
        same(set(said), {"is_error", "output", "error_code", "message"})  # there is no more to tell


def test_X8_mcp():
    with Daemon(plugins=["echo"]) as d:
        same(ask(d, "echo", {"text": "hi"}, "mcp").json,
             {"content": [{"type": "text", "text": "hi"}], "isError": False})


def test_X8_on_an_event_stream():
    def stream(encoding, tool, arguments):
        return d.http("POST", f"/v1/tools/{tool}/call?encoding={encoding}", {"arguments": arguments, "call_id": "c1"},
                      {"Accept": "text/event-stream"})

    with Daemon(plugins=["slow_echo"]) as d:
        for encoding in ("sonore", "agui", "agent-framework", "mcp"):
            whole, refused, missing = (("slow_echo", {"text": "grüß dich", "ms": 60}), ("slow_echo", {"text": 7}),
                                       ("nobody", {}))
            answer = stream(encoding, *whole)
            same((answer.status, answer.headers["content-type"]), (200, "text/event-stream"))
            names = [line[7:] for line in answer.body.decode().split("\n") if line.startswith("event: ")]
            same(names[-1], "result")
            same(set(names[:-1]) - {"progress"}, set())  # that has a form of its own
            same(answer.events[-1], ask(d, *whole, encoding).json, encoding)
            for call in (refused, missing):  # before there is a stream
                plain, answer = ask(d, *call, encoding), stream(encoding, *call)
                same((answer.status, answer.headers["content-type"], answer.json),
                     (plain.status, "application/json", plain.json), encoding)


def test_X8_in_a_session():
    with Daemon(plugins=PLUGINS) as d:
        session = begin(d)
        expected = {
            "sonore": {"function_call_id": "c1", "ok": True, "error": None, "output": '{"result":"hi"}'},
            "agui": {"success": True, "message": "hi"},
            "agent-framework": {"is_error": False, "output": [{"type": "text", "text": "hi"}]},
            "mcp": {"content": [{"type": "text", "text": "hi"}], "isError": False},
        }
        for encoding, said in expected.items():  # the call runs once, its answer is told four times
            same(ask(d, "echo", {"text": "hi"}, encoding, session_id=session).json, said)
        same(len(d.log_events("tool_invocation_scheduled", least=1)), 1)


def test_X8_another_encoding_is_refused():
    with Daemon(plugins=["echo"]) as d:
        answer = ask(d, "echo", {"text": "hi"}, "xml")
        same((answer.status, answer.error), (400, "bad_encoding"))


if __name__ == "__main__":
    main()
