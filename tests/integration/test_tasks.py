#!/usr/bin/env python3
"""The tasks extension of MCP: calls that take their time are answered with a task."""

import re

from harness import Daemon, main, same, wait_for

CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
TASKS = "io.modelcontextprotocol/tasks"
CAN = {"elicitation": {}, "extensions": {TASKS: {}}}
ADA = {"action": "accept", "content": {"name": "Ada"}}


def rpc(d, method, params, can=CAN, headers=None):
    if "taskId" in params:
        headers = {"Mcp-Name": params["taskId"], **(headers or {})}
    return d.mcp(method, params, headers, meta={CAPABILITIES: can})


def call(d, tool, arguments=None, can=CAN, **more):
    return rpc(d, "tools/call", {"name": tool, "arguments": arguments or {}, **more}, can)


def created(answer):
    task = answer.json["result"]
    same((answer.status, task["resultType"]), (200, "task"))
    return task


def get(d, task):
    found = rpc(d, "tasks/get", {"taskId": task["taskId"]}).json["result"]
    same(found["resultType"], "complete")
    return found


def until(d, task, *states):
    return wait_for(lambda: (lambda found: found if found["status"] in states else None)(get(d, task)),
                    what=f"task to be {states}")


def test_work():
    with Daemon(plugins=["asks"]) as d:
        same(d.mcp("server/discover").json["result"]["capabilities"]["extensions"][TASKS], {})
        task = created(call(d, "work", {"ms": 100}))
        same(sorted(set(task) - {"_meta"}),
             ["createdAt", "lastUpdatedAt", "pollIntervalMs", "resultType", "status", "taskId", "ttlMs"])
        same((task["status"], task["ttlMs"], task["pollIntervalMs"]), ("working", 3600000, 500))
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", task["createdAt"]), task
        assert get(d, task)["status"] in ("working", "completed")
        done = until(d, task, "completed")
        same((done["result"]["content"][0]["text"], done["result"]["isError"]), ("done", False))
        same(done["statusMessage"], "half")
        assert "error" not in done and "inputRequests" not in done
        again = rpc(d, "tasks/cancel", {"taskId": task["taskId"]}).json["result"]
        same(sorted(set(again) - {"_meta"}), ["resultType"])
        same(get(d, task)["status"], "completed")


def test_ends():
    with Daemon(plugins=["asks"]) as d:
        failed = until(d, created(call(d, "work", {"fail": True})), "completed")["result"]
        same((failed["isError"], failed["content"][0]["text"]), (True, "It failed."))
        broken = until(d, created(call(d, "work", {"fail": True, "broken": True})), "failed")
        same(broken["error"], {"code": -32603, "message": "It failed."})
        assert "result" not in broken
        task = created(call(d, "work", {"ms": 20000}))
        same(rpc(d, "tasks/cancel", {"taskId": task["taskId"]}).status, 200)
        same(get(d, task)["status"], "cancelled")
        d.wait_log("tool_call_failed", lambda e: e.get("code") == "tool_cancelled")


def test_who_gets_a_task():
    with Daemon(plugins=["asks"]) as d:
        inline = {"elicitation": {}}
        same(call(d, "work", can=inline).json["result"]["content"][0]["text"], "done")
        refused = call(d, "background_only", can=inline)
        same((refused.status, refused.error), (400, -32021))
        same(refused.json["error"]["data"], {"requiredCapabilities": {"extensions": {TASKS: {}}}})
        until(d, created(call(d, "background_only")), "completed")
        same(call(d, "work", {"ms": "soon"}).json["result"].get("taskId"), None)  # refused at once
        for method in ("tasks/get", "tasks/update", "tasks/cancel"):
            same(rpc(d, method, {"taskId": "task_0"}, can=inline).error, -32021, method)
            same(rpc(d, method, {"taskId": "task_0", "inputResponses": {}}).error, -32602, method)
        for method in ("tasks/list", "tasks/result"):
            same((rpc(d, method, {"taskId": "task_0"}).status, rpc(d, method, {"taskId": "x"}).error), (404, -32601))
        task = created(call(d, "work", {"ms": 1}))
        same(rpc(d, "tasks/get", {"taskId": task["taskId"]}, headers={"Mcp-Name": "task_0"}).error, -32020)


def test_asking():
    with Daemon(plugins=["asks"]) as d:
        task = created(call(d, "task_greet"))
        asked = until(d, task, "input_required")
        same(list(asked["inputRequests"]), ["user_name"])
        assert "requestState" not in asked and "result" not in asked
        bad = rpc(d, "tasks/update", {"taskId": task["taskId"], "inputResponses": {"user_name": {}}})
        same(bad.error, -32602)
        ack = rpc(d, "tasks/update", {"taskId": task["taskId"], "inputResponses": {"other": {}, "user_name": ADA}})
        same(sorted(set(ack.json["result"]) - {"_meta"}), ["resultType"])
        same(until(d, task, "completed")["result"]["content"][0]["text"], "Hello, Ada!")
        other = created(call(d, "task_greet"))
        until(d, other, "input_required")
        rpc(d, "tasks/cancel", {"taskId": other["taskId"]})
        same(get(d, other)["status"], "cancelled")


def test_parts_of_answers():
    with Daemon(plugins=["asks"]) as d:
        task = created(call(d, "task_two"))
        same(sorted(until(d, task, "input_required")["inputRequests"]), ["one", "two"])
        rpc(d, "tasks/update", {"taskId": task["taskId"], "inputResponses": {"one": ADA}})
        left = get(d, task)
        same((left["status"], list(left["inputRequests"])), ("input_required", ["two"]))
        rpc(d, "tasks/update", {"taskId": task["taskId"], "inputResponses": {"two": ADA}})
        same(until(d, task, "completed")["result"]["content"][0]["text"], "Ada and Ada")


def test_a_task_after_the_answers():
    with Daemon(plugins=["asks"]) as d:
        asked = call(d, "later_greet").json["result"]
        same(asked["resultType"], "input_required")
        task = created(call(d, "later_greet", inputResponses={"user_name": ADA}, requestState=asked["requestState"]))
        assert "requestState" not in task and "inputRequests" not in task
        same(until(d, task, "completed")["result"]["content"][0]["text"], "Hello, Ada!")


def test_bounds():
    with Daemon(plugins=["asks"], config={"tasks": {"max": 1, "ttl": "1s"}}) as d:
        task = created(call(d, "work"))
        same(call(d, "work").json["result"]["content"][0]["text"], "done")  # no room: answered inline
        same(call(d, "background_only").status, 503)
        wait_for(lambda: rpc(d, "tasks/get", {"taskId": task["taskId"]}).error == -32602, what="the task's end")
        created(call(d, "background_only"))


def test_notifications():
    with Daemon(plugins=["asks"], stdio=True) as d:
        meta = {CAPABILITIES: CAN}
        task = d.pipe.ask("tools/call", {"name": "task_greet", "_meta": meta})["result"]
        refused = d.pipe.ask("subscriptions/listen", {"notifications": {"taskIds": [task["taskId"]]}})
        same(refused["error"]["code"], -32021)
        wait_for(lambda: d.pipe.ask("tasks/get", {"taskId": task["taskId"], "_meta": meta})["result"]["status"]
                 == "input_required")
        envelope = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", **meta}
        d.pipe.send({"jsonrpc": "2.0", "id": "L", "method": "subscriptions/listen", "params": {
            "notifications": {"taskIds": [task["taskId"], "task_of_another"]}, "_meta": envelope}})
        same(d.pipe.receive()["params"]["notifications"], {"taskIds": [task["taskId"]]})
        d.pipe.send({"jsonrpc": "2.0", "id": "U", "method": "tasks/update", "params": {
            "taskId": task["taskId"], "inputResponses": {"user_name": ADA}, "_meta": envelope}})
        heard = [d.pipe.receive() for _ in range(3)]
        same(heard[0]["id"], "U")
        same([(m["method"], m["params"]["status"]) for m in heard[1:]],
             [("notifications/tasks", "working"), ("notifications/tasks", "completed")])
        same(heard[2]["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], "L")
        same(heard[2]["params"]["result"]["content"][0]["text"], "Hello, Ada!")


if __name__ == "__main__":
    main()
