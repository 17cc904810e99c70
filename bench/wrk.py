"""The load generator of all benches over HTTP: wrk, with one request from a file (load.lua)."""

import http.client
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import urllib.parse

HERE = pathlib.Path(__file__).parent
ONE_CORE = ["taskset", "-c", "0"]
MODERN = "2026-07-28"
NEAR = 0.02  # of an answer's length: by so much the mean length of a run's answers may differ from that of the one checked


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
        self.length, self.head = None, None
        parts = urllib.parse.urlsplit(url)
        self.host, self.path = parts.netloc, parts.path
        with tempfile.NamedTemporaryFile("w", prefix="toolhost-bench.", suffix=".request", delete=False) as file:
            file.write(f"POST {self.path}\n" + "".join(f"{n}: {v}\n" for n, v in headers.items()) + "\n" + body)
        self.file = file.name

    def close(self):
        os.unlink(self.file)

    def check(self):
        """Ask once; the answer must be a 200 that holds what is expected.  Its length is what those of a run are held
        against: wrk itself only looks at the status."""
        connection = http.client.HTTPConnection(self.host, timeout=30)
        body = self.body.replace("%N", "0").replace("%W", (*self.words, "")[0])
        connection.request("POST", self.path, body, self.headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        if answer.status != 200 or (self.expect is not None and self.expect not in text):
            sys.exit(f"{self.url}: a wrong answer before any load: {answer.status} {text[:300]}")
        self.length = len(text)

    def load(self, connections, seconds, place=ONE_CORE):
        """{calls, seconds, rate, p50_us, p99_us} of one run; ends the program when an answer was not what it should be."""
        environment = {**os.environ, "BENCH_REQUEST": self.file, "BENCH_WORDS": " ".join(self.words)}
        command = [*place, "wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "20s", "-s", HERE / "load.lua",
                   f"http://{self.host}{self.path}"]
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        if done.returncode != 0:
            sys.exit(f"wrk: {done.stderr or done.stdout}")
        result = json.loads(done.stdout.strip().splitlines()[-1])
        if result["refused"] or result["broken"] or not result["calls"]:
            sys.exit(f"{self.url}: {result['refused']} answers of {result['calls']} were no 200, "
                     f"{result['broken']} connections broke")
        self._compare_lengths(result)
        result["rate"] = result["calls"] / result["seconds"]
        return result

    def _compare_lengths(self, result):
        """wrk counts heads and bodies; the heads of a server are of one length but for a few digits."""
        mean = result["bytes"] / result["calls"]
        if self.length is None:
            return
        head = mean - self.length
        if self.head is None:
            self.head = head
        if abs(head - self.head) > max(NEAR * self.length, 8):
            sys.exit(f"{self.url}: answers of {mean:.0f} bytes where {self.head + self.length:.0f} were expected")
