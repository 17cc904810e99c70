#!/usr/bin/env python3
"""AG-UI: streams of events in and out over POST /v1/agui and `toolhost agui`, the examples of its page on
tools, interrupts."""

import contextlib
import json
import subprocess

from harness import Daemon, PATIENCE, installed, main, same

RUN = {"threadId": "t1", "runId": "r1"}
STARTED, FINISHED = {"type": "RUN_STARTED", **RUN}, {"type": "RUN_FINISHED", **RUN}


def call_events(tool, arguments=None, id="c1"):
    """The events of one call; arguments that are a string are sent as they are."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
    half = len(text) // 2
    return [{"type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": tool},
            {"type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": text[:half]},
            {"type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": text[half:]},
            {"type": "TOOL_CALL_END", "toolCallId": id}]


def lines(events):
    return "".join(json.dumps(event) + "\n" for event in events)


def post(daemon, body, accept="application/jsonl", kind="application/jsonl", query=""):
    answer = daemon.http("POST", f"/v1/agui{query}", body, headers={"Accept": accept, "Content-Type": kind},
                         timeout=60)
    same((answer.status, answer.headers["content-type"]), (200, accept), answer.body)
    return [json.loads(line) for line in answer.body.decode().splitlines()]


def play(daemon, *calls, start=STARTED, **more):
    """A run with these calls: all that is said."""
    return post(daemon, lines([start, *(event for call in calls for event in call), FINISHED]), **more)


def results(events):
    return {e["toolCallId"]: e for e in events if e["type"] == "TOOL_CALL_RESULT"}


def statuses(events):
    return [e["value"]["status"] for e in events if e["type"] == "CUSTOM"]


def content(daemon, tool, arguments=None):
    """What a model is told of one call."""
    return results(play(daemon, call_events(tool, arguments)))["c1"]["content"]


def result(daemon, tool, arguments=None):
    """{success, result, message} of one call."""
    return daemon.http("POST", f"/v1/tools/{tool}/call?encoding=agui", {"arguments": arguments or {}}).json


@contextlib.contextmanager
def executors():
    with Daemon(plugins=["executors"]) as d:
        yield d


# ---- streams ----

def test_S1_2_U1_13_U1_14_a_stream_comes_out_with_results_in_it():
    call = call_events("echo", {"text": "hi"})
    with Daemon(plugins=["echo"]) as d:
        events = play(d, call)
        same(events[0], STARTED)
        same(events[-1], FINISHED)
        same([e for e in events if e["type"] not in ("CUSTOM", "TOOL_CALL_RESULT")], [STARTED, *call, FINISHED])
        same(statuses(events), ["started", "executing", "succeeded"])
        told = results(events)["c1"]
        same((told["content"], told["role"], told["messageId"][:4]), ("hi", "tool", "msg_"))
        sent = "".join(f"data: {json.dumps(e)}\n\n" for e in [STARTED, *call, FINISHED])
        answer = d.http("POST", "/v1/agui", sent, headers={"Content-Type": "text/event-stream"})
        same(answer.headers["content-type"], "text/event-stream")
        again = [json.loads(block[len("data: "):]) for block in answer.body.decode().split("\n\n") if block]
        same([e["type"] for e in again], [e["type"] for e in events])


def test_U1_13_T3_10_4_calls_run_at_once_and_the_run_waits():
    with Daemon(plugins=["slow_echo"]) as d:
        events = play(d, call_events("slow_echo", {"ms": 400, "text": "slow"}, "a"),
                      call_events("slow_echo", {"ms": 1, "text": "fast"}, "b"))
        same([e["toolCallId"] for e in events if e["type"] == "TOOL_CALL_RESULT"], ["b", "a"])
        same({id: e["content"] for id, e in results(events).items()}, {"a": "slow", "b": "fast"})
        same(events[-1], FINISHED)


def test_T1_2_T3_10_3_A1_7_what_is_not_here_is_left_to_others():
    with Daemon(plugins=["echo"]) as d:
        events = play(d, call_events("theirs"))
        same((results(events), statuses(events)), ({}, ["started", "failed"]))
        same(events[-2]["value"]["error"], "Tool not found (server-handled)")


def test_U1_21_the_rules():
    with Daemon(plugins=["echo"]) as d:
        events = post(d, lines([STARTED, {"type": "TOOL_CALL_END", "toolCallId": "c1"}, FINISHED]))
        same(events, [STARTED, {"type": "RUN_ERROR", "code": "protocol_error", "message":
                      "Cannot send 'TOOL_CALL_END' event: No active tool call found with ID 'c1'. A "
                      "'TOOL_CALL_START' event must be sent first."}])
        d.wait_log("agui_protocol_error")
        same(post(d, lines([{"type": "TOOL_CALL_END", "toolCallId": "c1"}]), query="?verify=false"),
             [{"type": "TOOL_CALL_END", "toolCallId": "c1"}])
        same(d.http("POST", "/v1/agui", b"", headers={"Content-Type": "application/jsonl"}).status, 400)


def test_U1_18_U1_17_a_run_agent_input():
    message = {"id": "m1", "role": "assistant", "toolCalls": [
        {"id": "c1", "type": "function", "function": {"name": "echo", "arguments": '{"text":"hi"}'}}]}
    with Daemon(plugins=["echo"]) as d:
        body = {**RUN, "state": {}, "messages": [message], "tools": [], "context": [], "forwardedProps": {}}
        events = post(d, json.dumps(body), kind="application/json")
        same((events[0], events[-1], results(events)["c1"]["content"]), (STARTED, FINISHED, "hi"))
        done = {"id": "m2", "role": "tool", "toolCallId": "c1", "content": "hi"}
        same(post(d, json.dumps({**body, "messages": [message, done]}), kind="application/json"),
             [STARTED, FINISHED])


def test_T1_16_the_command():
    with Daemon(plugins=["echo"]) as d:
        def agui(events):
            return subprocess.run([installed("bin/toolhost"), "agui", "--url", f"http://{d.address}"],
                                  input=lines(events), capture_output=True, text=True, timeout=30 * PATIENCE)
        done = agui([STARTED, *call_events("echo", {"text": "hi"}), FINISHED])
        same((done.returncode, done.stderr), (0, ""))
        events = [json.loads(line) for line in done.stdout.splitlines()]
        same((events[0], events[-1], results(events)["c1"]["content"]), (STARTED, FINISHED, "hi"))
        done = agui([STARTED])
        same((done.returncode, json.loads(done.stdout.splitlines()[-1])["type"]), (1, "RUN_ERROR"))


# ---- the page on tools ----

def test_S1_1_S1_3_S1_6_an_executor_and_its_tool():
    with executors() as d:
        tools = {t["name"]: t for t in d.http("GET", "/v1/tools?format=ag-ui").json["tools"]}
        same(sorted(tools["compute"]), ["description", "name", "parameters"])
        same(tools["compute"]["parameters"]["properties"], {"expression": {"type": "string"}})
        same(tools["query_data"]["parameters"]["required"], ["query"])


def test_S1_4_what_a_tool_is_told():
    with executors() as d:
        thread, run, metadata = content(d, "who").split(" ", 2)
        same((thread, run), ("t1", "r1"))
        metadata = json.loads(metadata)
        same((sorted(metadata), metadata["toolCallId"]), (["startTime", "toolCallId"], "c1"))


def test_S1_7_it_says_whether_it_can():
    with executors() as d:
        same(result(d, "registered", {"required_param": "secret"}),
             {"success": False, "message": "You lack the permission."})
        same(result(d, "registered", {"required_param": "x"})["success"], True)


def test_S1_8_T1_10_its_time():
    with executors() as d:
        said = content(d, "slow")
        same(said, "Error: Tool execution failed - The tool did not finish in time and was stopped.")
        same(content(d, "patient"), "no limit")


def test_S1_9_S1_10_all_that_is_wrong_is_told():
    with executors() as d:
        same(result(d, "registered", {"number": -1, "email": "nobody"}),
             {"success": False, "message": "Validation failed: Missing required parameter: required_param, "
              "Number must be non-negative, Invalid email format"})
        same(result(d, "weather")["message"], "Validation failed: Missing required parameter: location")
        for blank in ("", "  ", None):
            same(result(d, "weather", {"location": blank})["message"], "Validation failed: Location cannot be empty")


def test_S1_11_S1_12_failures_have_their_words():
    with executors() as d:
        for kind, message in (("argument", "Invalid input: not that"), ("io", "Network error: no route"),
                              ("security", "Permission denied: not you")):
            same(result(d, "risky", {"kind": kind}), {"success": False, "message": message})
            same(content(d, "risky", {"kind": kind}), message)
        for kind in ("crash", "else"):
            same(result(d, "risky", {"kind": kind})["message"][:23], "Tool execution failed: ")
            same(content(d, "risky", {"kind": kind})[:32], "Error: Tool execution failed - T")


def test_S1_13_S1_18_the_calculator():
    with executors() as d:
        same(result(d, "compute", {"expression": "2 + 3"}),
             {"success": True, "result": 5.0, "message": "2 + 3 = 5.0"})
        same(result(d, "compute"), {"success": False, "message": "Missing expression"})
        same(result(d, "compute", {"expression": "invalid"}),
             {"success": False, "message": "Calculation error: can't parse invalid"})


def test_S1_14_the_weather():
    with executors() as d:
        same(result(d, "weather", {"location": "Berlin"}),
             {"success": True, "result": {"temperature": 21.5, "condition": "sunny"}})


def test_S1_15_the_location():
    with executors() as d:
        same(result(d, "location"), {"success": False, "message": "Invalid input: Missing location parameter"})
        same(result(d, "location", {"location": "forbidden"}),
             {"success": False, "message": "Location permission required"})
        same(result(d, "location", {"location": "here"}),
             {"success": True, "result": {"latitude": 52.5, "longitude": 13.4}, "message": "metric"})


def test_S1_16_a_file_is_always_closed():
    with executors() as d:
        same(result(d, "read_text", {"filename": "/nowhere"}),
             {"success": False, "message": "File error: No such file or directory"})
        for _ in range(100):  # more than it may have open
            same(result(d, "read_text", {"filename": "/"})["message"], "File error: Is a directory")


def test_S1_17_a_schema_with_all_of_it():
    with executors() as d:
        for wrong in ({}, {"query": "x", "filters": {"category": "games"}}, {"query": "x", "filters": {"minRating": 6}},
                      {"query": "x", "sortBy": "price"}):
            same(d.rest("query_data", wrong).code, "tool_args_invalid", wrong)
        right = {"query": "x", "filters": {"category": "books", "minRating": 5}, "sortBy": "date"}
        same(result(d, "query_data", right), {"success": False, "message": "This tool always fails"})


def test_T1_9_T1_10_the_tests_of_its_module():
    with executors() as d:
        same(result(d, "echo_message", {"message": "hi"}),
             {"success": True, "result": {"echo": "hi"}, "message": "Message echoed successfully"})
        same(result(d, "calculate", {"operation": "add", "a": 10.5, "b": 5.5}),
             {"success": True, "result": 16.0, "message": "10.5 add 5.5 = 16.0"})
        same(result(d, "calculate", {"operation": "divide", "a": 5, "b": 0})["message"], "Cannot divide by zero")
        same(content(d, "calculate", "[nothing")[:22], "Invalid JSON arguments")


# ---- interrupts ----

def interrupts(events):
    same(events[-1]["outcome"]["type"], "interrupt")
    return events[-1]["outcome"]["interrupts"]


def resumed(*entries, thread="t1"):
    return {**STARTED, "threadId": thread, "input": {"threadId": thread, "runId": "r1", "resume": list(entries)}}


def test_U1_20_T1_15_what_a_tool_asks_interrupts_the_run():
    with Daemon(plugins=["asks"]) as d:
        events = play(d, call_events("greet"))
        same((results(events), statuses(events)), ({}, ["started", "executing", "interrupted"]))
        asked, = interrupts(events)
        same((asked["reason"], asked["message"], asked["toolCallId"]), ("input_required", 'Who is "you"?', "c1"))
        same(asked["responseSchema"]["required"], ["name"])
        entry = {"interruptId": asked["id"], "status": "resolved"}
        # what does not fit, or is not this thread's, leaves it open
        events = play(d, start=resumed({**entry, "payload": {"name": 7}}))
        same((events[-1]["type"], "name" in events[-1]["message"]), ("RUN_ERROR", True), events)
        events = post(d, lines([resumed({**entry, "payload": {"name": "Ada"}}, thread="t2")]))
        same(events[-1]["message"], f"Interrupt '{asked['id']}' is not open in this thread")
        events = play(d, start=resumed({**entry, "payload": {"name": "Ada"}}))
        same(results(events)["c1"]["content"], "Hello, Ada!")
        same([e["type"] for e in events if e["type"].startswith("TOOL_CALL")], ["TOOL_CALL_RESULT"])
        same(events[-1], FINISHED)
        events = play(d, start=resumed({**entry, "payload": {"name": "Ada"}}))
        same(events[-1]["message"], f"Interrupt '{asked['id']}' is not open in this thread")


def test_U1_20_all_questions_of_a_call_are_answered_at_once():
    with Daemon(plugins=["asks"]) as d:
        asked = interrupts(play(d, call_events("task_two")))
        same(len(asked), 2)
        entries = [{"interruptId": a["id"], "status": "resolved", "payload": {"name": "Ada"}} for a in asked]
        events = play(d, start=resumed(entries[0]))
        same((events[-1]["type"], "has questions left" in events[-1]["message"]), ("RUN_ERROR", True))
        entries[1] = {"interruptId": asked[1]["id"], "status": "cancelled"}
        same(results(play(d, start=resumed(entries[1])))["c1"]["content"], "Ada and ?")


if __name__ == "__main__":
    main()
