"""Ten thousand declarative tools, made over HTTP for a hundred tenants, and served.

  ./dev bench tools [TENANTS] [TOOLS] [--calls N] [--json]

Each of TENANTS tenants (default 100) has an endpoint and TOOLS tools (default 100) put over the management API, 32 requests
at a time: it is measured until the last is answered, and until all tenants are served all of them.  Then the daemon is
stopped and started again: until it says that it is ready, with every tenant served (with a durable store; without one that
is said and not measured).  Last, one caller calls a declarative tool that asks a webhook, a native tool that asks the same
webhook, a native echo, and the webhook itself, in turns, N times each: the median of the first is to be within 1.5 times the
second, which goes the same way and is code instead of a document.  The other two say what that way costs: a request of a
tool goes through the daemon, so a process more is woken there and back.  The server of webhooks is a process of its own.  10,000 tools are to be made in 20 s, and a restart is
to take 2 s."""

import argparse
import collections
import json
import pathlib
import re
import selectors
import socket
import statistics
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests/integration"))
sys.path.insert(0, str(HERE))
from harness import Daemon, run, installed, wait_for  # noqa: E402
from webhooks import Webhooks  # noqa: E402

CREATE_MAX, RESTART_MAX, CALL_MAX = 20, 2, 1.5  # seconds for 10,000; seconds; times
AT_ONCE, ROUND = 32, 50


def document(name):
    """The size of a tool that is of use."""
    return {"name": name, "description": f"Log a meal the user has had, as {name} keeps it.",
            "parameters": [
                {"name": "meal_type", "type": "string", "enum": ["breakfast", "lunch", "dinner"], "required": True},
                {"name": "dishes", "type": "array", "description": "What there was, one by one."}],
            "actions": [
                {"type": "webhook", "endpoint": "meal.log", "body": {"meal": "{{params}}", "by": name}}],
            "on_success": [{"type": "respond", "message": "I've logged your {{params.meal_type}}!"}],
            "on_failure": [{"type": "respond", "message": "Sorry, I couldn't log that meal."}]}


def request(method, path, key, body=None):
    data = json.dumps(body, separators=(",", ":")).encode() if body is not None else b""
    return (f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n").encode() + data


def whole(got):
    """The answer at the start, and its length; 0: it is not there yet."""
    head = got.find(b"\r\n\r\n")
    length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", got[:head + 2]) if head >= 0 else None
    size = head + 4 + int(length[1]) if length else 0
    return size if head >= 0 and len(got) >= size else 0


def connect(address):
    host, port = address.rsplit(":", 1)
    peer = socket.create_connection((host, int(port)))
    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return peer


def ask_all(address, requests):
    """All of them, AT_ONCE at a time, each connection one after the other; how many had which status."""
    queue, statuses, failed = collections.deque(requests), collections.Counter(), []
    selector, open_ = selectors.DefaultSelector(), 0
    for _ in range(min(AT_ONCE, len(queue))):
        peer = connect(address)
        peer.sendall(queue.popleft())
        selector.register(peer, selectors.EVENT_READ, bytearray())
        open_ += 1
    while open_:
        for key, _ in selector.select():
            got, data = key.data, key.fileobj.recv(65536)
            got += data
            size = whole(got)
            if data and not size:
                continue
            statuses[int(got[9:12]) if size else 0] += 1
            if size and got[9:10] != b"2" and len(failed) < 3:
                failed.append(bytes(got[:size]).decode(errors="replace"))
            del got[:size]
            if data and queue:
                key.fileobj.sendall(queue.popleft())
                continue
            selector.unregister(key.fileobj)
            key.fileobj.close()
            open_ -= 1
    for answer in failed:
        print(answer, file=sys.stderr)
    return statuses


def served(d, key, tenants):
    """How many tools each tenant is served."""
    answer = d.http("GET", "/v1/tenants", headers={"Authorization": f"Bearer {key}"}, timeout=60)
    return {t["name"]: len(t["tools"]) for t in answer.json["tenants"] if t["name"] in tenants}


def make_key(d, *words):
    status, key, complaint = run(installed("bin/toolhost"), "key", "new", *words, "--config-dir", str(d.config_dir))
    assert status == 0, complaint
    return key.strip()


def one(peer, message):
    """Seconds until its answer is there."""
    begun, got = time.perf_counter(), b""
    peer.sendall(message)
    while not whole(got):
        got += peer.recv(65536)
    took = time.perf_counter() - begun
    assert got.startswith(b"HTTP/1.1 200"), got
    return took


def calls(d, key, url, count):
    """Medians in microseconds: the declarative tool, the native echo, the webhook alone, a native tool that asks it."""
    lunch = {"meal_type": "lunch", "dishes": ["soup", "bread"]}
    messages = [request("POST", "/v1/tools/tool_0/call", key, {"arguments": lunch}),
                request("POST", "/v1/tools/echo/call", key, {"arguments": {"text": json.dumps(lunch)}}),
                request("POST", "/log", key, {"meal": lunch, "by": "tool_0"}),
                request("POST", "/v1/tools/courier/call", key, {"arguments": {"url": url + "/log", "json": json.dumps(lunch)}})]
    peers = [connect(d.address), connect(d.address), connect(url.removeprefix("http://")), connect(d.address)]
    took = [[], [], [], []]
    for peer, message in zip(peers, messages):
        for _ in range(ROUND):
            one(peer, message)
    while len(took[0]) < count:
        for peer, message, times in zip(peers, messages, took):
            times.extend(one(peer, message) for _ in range(ROUND))
    for peer in peers:
        peer.close()
    return [statistics.median(times) * 1e6 for times in took]


def measure(tenants, tools, count):
    names = {f"tenant{number}" for number in range(tenants)}
    with tempfile.TemporaryDirectory(prefix="toolhost-bench.") as folder, Webhooks(0) as server:
        state = pathlib.Path(folder)
        state.chmod(0o1777)
        limits = {"http_open": 64, "queue": 256}
        policy = {"permissions": {"http": [{"url": server.url + "/*", "private": True}]}, "limits": limits}
        about = {"plugins": ["echo", "courier", "actions"], "policies": {"actions": policy, "courier": policy},
                 "config": {"log_calls_per_second": 0}, "args": ("--state-dir", str(state / "state")), "ready_within": 60}
        got = {"tenants": tenants, "tools": tenants * tools}
        with Daemon(**about) as d:
            key = make_key(d, "operator", "--role", "manage")
            wait_for(lambda: d.http("GET", "/v1/tenants", headers={"Authorization": f"Bearer {key}"}).status == 200)
            own = len(d.tools())  # of plugins, which every tenant is served
            endpoint = {"name": "meal.log", "url": server.url + "/log"}
            paths = [f"/v1/tenants/{name}" for name in sorted(names)]
            begun = time.perf_counter()
            statuses = ask_all(d.address, [request("PUT", f"{path}/endpoints/meal.log", key, endpoint) for path in paths])
            statuses += ask_all(d.address, [request("PUT", f"{path}/tools/tool_{number}", key, document(f"tool_{number}"))
                                            for number in range(tools) for path in paths])
            got["create_s"] = time.perf_counter() - begun
            assert statuses == {201: tenants * (tools + 1)}, statuses
            wait_for(lambda: all(n == tools + own for n in served(d, key, names).values()), 60, "all tools to be served")
            got["served_s"] = time.perf_counter() - begun
            got["rss_mib"] = d.rss() / 1024
        with Daemon(**about) as d:
            key = make_key(d, "operator", "--role", "manage")
            wait_for(lambda: d.http("GET", "/v1/tenants", headers={"Authorization": f"Bearer {key}"}).status == 200)
            if served(d, key, names) == {name: tools + own for name in names}:
                got["restart_s"] = d.ready_after
            caller = make_key(d, "caller", "--tenant", "tenant0", "--role", "call")
            if "restart_s" not in got:
                for path, body in (("endpoints/meal.log", endpoint), ("tools/tool_0", document("tool_0"))):
                    ask_all(d.address, [request("PUT", f"/v1/tenants/tenant0/{path}", key, body)])
            wait_for(lambda: served(d, key, {"tenant0"}).get("tenant0", 0) > own, what="the tool")
            wait_for(lambda: d.http("GET", "/v1/tools", headers={"Authorization": f"Bearer {caller}"}).status == 200)
            got["call_us"], got["echo_us"], got["webhook_us"], got["native_us"] = calls(d, caller, server.url, count)
            got["ratio"] = got["call_us"] / got["native_us"]
            got["ratio_direct"] = got["call_us"] / (got["echo_us"] + got["webhook_us"])
    return got


def parse():
    parser = argparse.ArgumentParser(description="Declarative tools of many tenants.")
    parser.add_argument("tenants", nargs="?", type=int, default=100)
    parser.add_argument("tools", nargs="?", type=int, default=100)
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def main():
    options = parse()
    got = measure(options.tenants, options.tools, options.calls)
    if options.json:
        print(json.dumps(got))
    else:
        print("%(tools)d tools of %(tenants)d tenants were made in %(create_s).1f s, and served after %(served_s).1f s; "
              "the daemon has %(rss_mib).0f MiB" % got)
        print("started again it was ready after %.2f s" % got["restart_s"] if "restart_s" in got
              else "the store is not durable: there was nothing to start again with")
        print("a call takes %(call_us).0f us (median); a native tool that asks the same webhook %(native_us).0f: %(ratio).2f times; "
              "a native echo %(echo_us).0f, the webhook without a host %(webhook_us).0f: %(ratio_direct).2f times both" % got)
    good = (got["create_s"] <= CREATE_MAX * got["tools"] / 10000 + 1 and got.get("restart_s", 0) <= RESTART_MAX
            and got["ratio"] <= CALL_MAX)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
