"""The load generator of all benches over HTTP: wrk, with one request from a file (load.lua)."""

import http.client
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.parse

HERE = pathlib.Path(__file__).parent
CORE = int(os.environ.get("BENCH_CORE", "0"))
ONE_CORE = ["taskset", "-c", str(CORE)]
MODERN = "2026-07-28"
# Of an answer's length: by so much the mean of a run may differ from that of the run that was checked.  Answers that tell
# what a call took differ a little by themselves.
NEAR = 0.1
WARM_CALLS, WARM_SECONDS = 5000, 20
SLOW = 30  # seconds: a run in which nothing was answered is made again, twice as long, up to this


def mcp_call(tool, arguments, protocol=MODERN):
    """What a Target is made of but its URL: headers and body of a tools/call."""
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
               "MCP-Protocol-Version": protocol, "Mcp-Method": "tools/call", "Mcp-Name": tool}
    meta = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments, "_meta": meta}}
    return {"headers": headers, "body": json.dumps(body, separators=(",", ":"))}


def echo_call(size, protocol=MODERN):
    return mcp_call("echo", {"text": "x" * size}, protocol)


class Target:
    """What is asked: a URL, headers and a body; %N in the body is another number each time, %W one of the words."""

    def __init__(self, url, headers, body, expect=None, words=()):
        self.url, self.headers, self.body, self.expect, self.words = url, headers, body, expect, words
        self.length = None
        self.first = 0  # numbers that were used
        parts = urllib.parse.urlsplit(url)
        self.host, self.path = parts.netloc, parts.path
        with tempfile.NamedTemporaryFile("w", prefix="toolhost-bench.", suffix=".request", delete=False) as file:
            file.write(f"POST {self.path}\n" + "".join(f"{n}: {v}\n" for n, v in headers.items()) + "\n" + body)
        self.file = file.name

    def close(self):
        os.unlink(self.file)

    def check(self):
        """Ask once; the answer must be a 200 that holds what is expected."""
        connection = http.client.HTTPConnection(self.host, timeout=30)
        body = self.body.replace("%N", "0").replace("%W", (*self.words, "")[0])
        connection.request("POST", self.path, body, self.headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        if answer.status != 200 or (self.expect is not None and self.expect not in text):
            sys.exit(f"{self.url}: a wrong answer before any load: {answer.status} {text[:300]}")

    def verify(self, connections):
        """Runs that are not measured: in the first every answer is looked at, and there are so many calls that compilers of
        others have seen what comes.  The mean length of the last one's answers is what those of the runs that follow are held
        against, in which wrk looks at the status alone."""
        result = self.load(connections, 1, verify=True)
        calls, end = result["calls"], time.monotonic() + WARM_SECONDS
        while calls < WARM_CALLS and time.monotonic() < end:
            result = self.load(connections, 1)
            calls += result["calls"]
        self.length = result["bytes"] / result["calls"]

    def load(self, connections, seconds, place=ONE_CORE, verify=False):
        """{calls, seconds, rate, p50_us, p99_us} of one run; ends the program when an answer was not what it should be."""
        environment = {**os.environ, "BENCH_REQUEST": self.file, "BENCH_WORDS": " ".join(self.words),
                       "BENCH_FIRST": str(self.first)}
        if verify and self.expect:
            environment["BENCH_EXPECT"] = self.expect
        command = [*place, "wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "20s", "-s", HERE / "load.lua",
                   f"http://{self.host}{self.path}"]
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        if done.returncode != 0:
            sys.exit(f"wrk: {done.stderr or done.stdout}")
        result = json.loads(done.stdout.strip().splitlines()[-1])
        self.first += result["calls"] + connections  # some were asked, and nobody waited for the answers
        if not result["calls"] and seconds < SLOW:
            return self.load(connections, 2 * seconds, place, verify)
        if result["refused"] or result["wrong"] or result["broken"] or not result["calls"]:
            sys.exit(f"{self.url}: of {result['calls']} answers {result['refused']} were no 200 and {result['wrong']} wrong; "
                     f"{result['broken']} connections broke or were not answered in time")
        self.compare_length(result["bytes"] / result["calls"])
        result["rate"] = result["calls"] / result["seconds"]
        return result

    def compare_length(self, mean):
        if self.length is not None and abs(mean - self.length) > NEAR * self.length:
            sys.exit(f"{self.url}: answers of {mean:.0f} bytes where {self.length:.0f} were expected")
