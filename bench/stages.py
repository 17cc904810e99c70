"""Where the instructions of a call go: the daemon under callgrind, stage by stage.

  ./dev bench stages [--calls N] [--json | --check | --write]

A fixed sequence of `tools/call echo` over one connection (2026-07-28, schema checked, run in a worker of its
own) is served by a daemon whose instructions are counted, and what is counted is divided by the number of calls.
Instructions are no time: kernel, caches and wake-ups are not among them.  But they hardly differ from run to run,
whatever else the machine does, so that a change of a few percent is a change of the code.  --check compares with
the figures that are kept in the tree (stages.json) and fails where a stage has grown by more than 5 %; --write
writes them anew."""

import argparse
import collections
import json
import pathlib
import platform
import re
import socket
import subprocess
import sys
import tempfile

from measure import BUILD, HERE

from harness import Daemon  # noqa: E402  (measure.py says where it is)

KEPT = HERE / "stages.json"
TOLERANCE = 0.05
LEAST = 100  # instructions: what is smaller may double
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "stages", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}}

# The first that a source's path begins with, or contains.
STAGES = [
    ("HTTP", ["host/front/http/", "host/front/front", "host/front/auth/"]),
    ("JSON", ["host/base/json", "host/base/utf8", "host/base/invisible"]),
    ("MCP", ["host/front/"]),
    ("schema check", ["host/schema/"]),
    ("guards and approvals", ["host/guard/", "host/approval/", "host/call/guard", "host/call/approv"]),
    ("call", ["host/call/", "host/catalog/"]),
    ("worker's channel", ["host/pool/", "host/base/ring", "host/base/frame"]),
    ("log, audit, metrics", ["host/watch/", "host/audit/"]),
    ("store", ["host/store/"]),
    ("memory and texts", ["host/base/"]),
    ("rest of the daemon", ["host/"]),
]
OUTSIDE = [("libev", "libev"), ("C library", "libc"), ("C library", "ld-linux"), ("libcrypto", "libcrypto")]


def stage_of(path, thing):
    """Of a source file, or of what has none: the name of the shared object."""
    for stage, prefixes in STAGES:
        if any(prefix in path for prefix in prefixes):
            return stage
    for stage, word in OUTSIDE:
        if word in pathlib.Path(thing).name:
            return stage
    return "others"


def read_profile(file):
    """{stage: instructions}: the cost lines of callgrind's format, each under the file and object it names."""
    names, costs = {"f": {}, "o": {}}, collections.Counter()
    path = thing = ""
    inclusive = False

    def named(kind, text):
        number, _, name = text.partition(" ")
        if name:
            names[kind][number] = name
        return names[kind].get(number, number)

    for line in file.read_text().splitlines():
        key, _, text = line.partition("=")
        if key in ("fl", "fi", "fe"):
            path = named("f", text)
        elif key in ("cfi", "cfl"):
            named("f", text)
        elif key == "ob":
            thing = named("o", text)
        elif key == "cob":
            named("o", text)
        elif key == "calls":
            inclusive = True
        elif re.match(r"[0-9+*-]", line):
            _, *cost = line.split()
            if cost and not inclusive:
                costs[stage_of(path, thing)] += int(cost[0])
            inclusive = False
    return costs


def request(number):
    body = json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call",
                       "params": {"name": "echo", "arguments": {"text": "hi"}, "_meta": META}}).encode()
    return (b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n"
            b"Mcp-Method: tools/call\r\nMcp-Name: echo\r\n"
            b"Content-Length: %d\r\n\r\n" % len(body)) + body


def answer(s):
    data = b""
    while True:
        more = s.recv(65536)
        if not more:
            sys.exit("the daemon closed the connection")
        data += more
        head, found, body = data.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: (\d+)", head)
        if found and length and len(body) >= int(length[1]):
            break
    if not head.startswith(b"HTTP/1.1 200") or b'"text":"hi"' not in body:
        sys.exit(f"not the answer of echo: {data[:500]!r}")


def call(s, numbers):
    for number in numbers:
        s.sendall(request(number))
        answer(s)


def profiles(folder, pid):
    """In the order in which they were written; there is one for each time the metrics were asked for."""
    return sorted(pathlib.Path(folder).glob(f"profile.{pid}.*"), key=lambda file: int(file.suffix[1:]))


def measure(calls):
    """{stage: instructions of a call}"""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder).chmod(0o777)
        # What counts can't install the launcher's filter of system calls; the workers run without it, and have theirs.
        counted = ["valgrind", "-q", "--vgdb=no", "--tool=callgrind", "--dump-before=get_metrics*",
                   f"--callgrind-out-file={folder}/profile.%p"]
        with Daemon(plugins=["echo"], config={"sandbox": {"require": []}, "log_calls_per_second": 0}, under=counted,
                    env={"LD_PRELOAD": str(BUILD / "bench/.libs/no_filter.so")}, ready_within=120) as d:
            host, port = d.address.rsplit(":", 1)
            with socket.create_connection((host, int(port)), 60) as s:
                s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                call(s, range(200))
                d.http("GET", "/metrics")
                call(s, range(calls))
            d.http("GET", "/metrics")
            # It was made by root; the daemon has become somebody else, and writes the last one at its end.
            pathlib.Path(folder, f"profile.{d.process.pid}").chmod(0o666)
        files = profiles(folder, d.process.pid)
        if len(files) < 2:
            sys.exit(f"callgrind wrote {len(files)} profiles, and not one for each time the metrics were asked for")
        return {stage: round(cost / calls) for stage, cost in read_profile(files[1]).most_common()}


def compiler():
    return subprocess.run(["gcc", "-dumpfullversion"], capture_output=True, text=True, check=True).stdout.strip()


def show(stages, kept):
    total = sum(stages.values())
    print(f"{'stage':22} {'instructions':>12} {'share':>6} {'kept':>8} {'change':>7}")
    for stage, cost in {**stages, "all": total}.items():
        before = (sum(kept.values()) if stage == "all" else kept.get(stage, 0)) if kept else 0
        change = f"{100 * (cost / before - 1):+6.1f}%" if before else ""
        print(f"{stage:22} {cost:12} {100 * cost / total:5.1f}% {before or '':>8} {change:>7}")


def grown(stages, kept):
    """The stages that take more than they did."""
    return [stage for stage, cost in {**stages, "all": sum(stages.values())}.items()
            if cost > (sum(kept.values()) if stage == "all" else kept.get(stage, 0)) * (1 + TOLERANCE) + LEAST]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=1000, help="how many are counted (default 1000)")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--json", action="store_true", help="print the figures as JSON")
    what.add_argument("--check", action="store_true", help="fail where a stage has grown")
    what.add_argument("--write", action="store_true", help="keep these figures")
    options = parser.parse_args()

    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {"stages": {}}
    stages = measure(options.calls)
    if options.json:
        print(json.dumps({"compiler": compiler(), "machine": platform.machine(), "stages": stages}, indent=2))
        return
    show(stages, kept["stages"])
    if options.write:
        KEPT.write_text(json.dumps({"compiler": compiler(), "machine": platform.machine(), "stages": stages}, indent=2) + "\n")
    elif options.check and (kept.get("compiler"), kept.get("machine")) != (compiler(), platform.machine()):
        print(f"skipped: the figures that are kept are of gcc {kept.get('compiler')} on {kept.get('machine')}")
    elif options.check and grown(stages, kept["stages"]):
        sys.exit(f"more than {100 * TOLERANCE:.0f} % above what is kept: {', '.join(grown(stages, kept['stages']))}")


if __name__ == "__main__":
    main()
