"""Servers that are measured beside each other: nginx, ours in its forms, those of others.  All on one core.

Each is a context that gives a Served: what to ask it, and the processes whose time counts."""

import contextlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

from measure import BUILD
from harness import Daemon, descendants, installed
from wrk import CORE, MODERN, ONE_CORE, Target, echo_call

NGINX = """daemon off; worker_processes 1; pid {dir}/nginx.pid; error_log {dir}/error.log;
events {{ worker_connections 1024; }}
http {{
  access_log off; keepalive_requests 1000000000; client_max_body_size 2m; client_body_buffer_size 64k;
  client_body_temp_path {dir}/a; proxy_temp_path {dir}/b; fastcgi_temp_path {dir}/c; uwsgi_temp_path {dir}/d;
  scgi_temp_path {dir}/e; default_type application/json;
  server {{ listen 127.0.0.1:{port}; location / {{ return 200 '{answer}'; }} }}
}}
"""
ANSWER = '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"xx"}],"resultType":"complete"}}'
START_SECONDS = 180


class Served:
    """A server that runs: what to ask for so many bytes, and its processes."""

    def __init__(self, url, pid, protocol=MODERN, ask=None, expect=True, renew=False):
        self.url, self.pid, self.protocol, self.expect = url, pid, protocol, expect
        self.ask = ask or (lambda size: {"url": url, **echo_call(size, protocol)})
        self.renew = renew  # a target is good for one run

    def target(self, size):
        target = Target(**self.ask(size), expect="x" * size if self.expect else None)
        target.check()
        return target

    def cpu_seconds(self):
        """What its processes have used until now, those that ended aside."""
        return sum(process_seconds(pid) for pid in [self.pid, *descendants(self.pid)])


def process_seconds(pid):
    with contextlib.suppress(OSError):
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def accepts(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


@contextlib.contextmanager
def started(command, port, name, **more):
    process = subprocess.Popen(list(map(str, command)), **more)
    try:
        end = time.monotonic() + START_SECONDS
        while not accepts(port):
            if process.poll() is not None or time.monotonic() > end:
                sys.exit(f"{name} did not start")
            time.sleep(0.02)
        yield process
    finally:
        process.terminate()
        process.wait()


@contextlib.contextmanager
def nginx(env=None):
    """`return 200` with an answer as long as that of an echo of two bytes: it looks at nothing."""
    program = shutil.which("nginx") or "/usr/sbin/nginx"
    with tempfile.TemporaryDirectory(prefix="toolhost-bench.") as folder:
        os.chmod(folder, 0o755)
        port = free_port()
        config = pathlib.Path(folder, "nginx.conf")
        config.write_text(NGINX.format(dir=folder, port=port, answer=ANSWER))
        command = [*ONE_CORE, program, "-p", folder, "-c", config, "-e", f"{folder}/error.log"]
        with started(command, port, "nginx", env={**os.environ, **(env or {})}) as process:
            yield Served(f"http://127.0.0.1:{port}/mcp", process.pid, expect=False)


@contextlib.contextmanager
def peer(one):
    """A server of peers.py; peers.Missing when it can't be had."""
    command, port = one.command(), free_port()
    with (open(BUILD / "peers" / one.name / "server.log", "wb") as log,
          started([*ONE_CORE, *command, port], port, one.title, stdout=log, stderr=log) as process):
        yield Served(f"http://127.0.0.1:{port}/mcp", process.pid, one.protocol)


# ---- ours

QUIET = {"log_calls_per_second": 0}  # the others log no calls either
GUARDS = {"guards": {"input": [{"guard": "pii", "action": "redact"}, {"guard": "secrets", "action": "block"}],
                     "output": [{"guard": "injection", "action": "strip"}, {"guard": "pii", "action": "redact"}]}}


@contextlib.contextmanager
def one_core():
    """Programs that are started inside inherit the core."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {CORE})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextlib.contextmanager
def ours(config=None, ask=None, state=False, args=(), **more):
    """toolhostd with echo: schema checked, run in a sandboxed process.  state: with a folder for its store and audit; more: of
    Daemon."""
    with contextlib.ExitStack() as stack:
        if state:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="toolhost-bench."))
            os.chmod(folder, 0o777)
            args = (*args, "--state-dir", folder)
        with one_core():
            daemon = stack.enter_context(Daemon(plugins=["echo"], config={**QUIET, **(config or {})}, args=args, **more))
        url = f"http://{daemon.address}/mcp"
        yield Served(url, daemon.pid, ask=ask(daemon) if ask else None, renew=ask is in_sessions)


SESSIONS = 64
JSON = {"Content-Type": "application/json"}


def in_sessions(daemon):
    """Calls with ids of their own in 64 sessions: each is written in the ledger of its session, which takes some thousand.
    So every run has sessions of its own."""
    opened = []

    def ask(size):
        for session in opened:
            daemon.http("DELETE", f"/v1/sessions/{session}")
        opened[:] = [daemon.http("POST", "/v1/sessions", {}).json["session_id"] for _ in range(SESSIONS)]
        body = json.dumps({"session_id": "%W", "call_id": "c%N", "arguments": {"text": "x" * size}})
        return {"url": f"http://{daemon.address}/v1/tools/echo/call", "headers": JSON, "body": body, "words": opened}
    return ask


def over_rest(daemon):
    def ask(size):
        body = json.dumps({"arguments": {"text": "x" * size}})
        return {"url": f"http://{daemon.address}/v1/tools/echo/call", "headers": JSON, "body": body}
    return ask


INSIDE = "toolhostd, without isolation (bench only)"


def inside(**more):
    """The same code, and a tool that runs in the daemon's process: what isolation costs (inside.c).  Nobody can have that."""
    return ours(program=BUILD / "bench/inside", args=("--worker", installed("libexec/toolhost/toolhost-worker")), **more)


OURS = {
    "toolhostd": lambda: ours(),
    "toolhostd, guards": lambda: ours(GUARDS),
    "toolhostd, plain HTTP": lambda: ours(ask=over_rest),
    "toolhostd, ledger of a session": lambda: ours(ask=in_sessions),
    "toolhostd, store, audit and log": lambda: ours({"log_calls_per_second": 100}, state=True),
    INSIDE: inside,
}
