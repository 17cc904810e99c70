#!/usr/bin/env python3
"""Connections in threads: the same answers, whoever comes, leaves, streams or upgrades meanwhile."""

import collections
import contextlib
import json
import os
import pathlib
import random
import signal
import socket
import threading
import time

from harness import ENVELOPE, Daemon, comment, in_background, installed, main, mcp_headers, run, same, wait_for, PATIENCE
from test_session_ws import WebSocket

TWO = {"threads": 2}
LINES = "Host: localhost\r\nContent-Type: application/json\r\n"


def connect(d):
    host, port = d.address.rsplit(":", 1)
    s = socket.create_connection((host, int(port)), 30 * PATIENCE)
    return contextlib.closing(s), s


def request(path, body, headers=""):
    data = json.dumps(body).encode()
    return f"POST {path} HTTP/1.1\r\n{LINES}{headers}Content-Length: {len(data)}\r\n\r\n".encode() + data


def echo(text):
    return request("/v1/tools/echo/call", {"arguments": {"text": text}})


def hear(file):
    """Status and body of the next answer; None when the daemon has closed instead."""
    status = file.readline()
    if not status:
        return None
    length = 0
    while (line := file.readline().strip()):
        name, _, value = line.partition(b": ")
        length = int(value) if name == b"Content-Length" else length
    return int(status.split()[1]), file.read(length)


def samples(d, name):
    """What /metrics has of a name, by its labels."""
    lines = d.http("GET", "/metrics").body.decode().splitlines()
    found = (line.removeprefix(name).rpartition(" ") for line in lines if line.startswith((name + "{", name + " ")))
    return {labels: float(value) for labels, _, value in found}


def test_what_threads_may_be():
    for value, words in ((0, "1..64"), (65, "1..64"), ("two", "expected integer"), (1.5, "expected integer")):
        with Daemon(config={"threads": value}, check=False) as d:
            assert d.process.wait(20 * PATIENCE) != 0, f"{value} was taken"
            d.reader.join(5)
            said = "\n".join(d.raw)
            assert "/threads: expected" in said and words in said, said
    with Daemon(config={"threads": 64}) as d:
        same(d.http("GET", "/healthz").status, 200)


def test_each_thread_serves():
    with Daemon(plugins=["echo"], config={"threads": 3}) as d:
        names = [pathlib.Path(task, "comm").read_text().strip() for task in pathlib.Path(f"/proc/{d.pid}/task").iterdir()]
        same(names.count("toolhost-http"), 3, "threads for connections")
        # The kernel spreads connections over the sockets; none of them is forgotten.
        for _ in range(100):
            same(d.http("GET", "/healthz").status, 200)
        turns = samples(d, "toolhost_http_thread_turn_seconds_count")
        same(sorted(turns), ['{thread="0"}', '{thread="1"}', '{thread="2"}'])
        assert all(count > 10 for count in turns.values()), turns
        work = samples(d, "toolhost_http_thread_turn_work_seconds_count")
        same(sorted(work), sorted(turns))
    with Daemon(config={"threads": 1}) as d:
        same(samples(d, "toolhost_http_thread_turn_seconds_count"), {}, "turns of threads that are not there")


def test_an_address_is_served_by_one_daemon():
    with Daemon(config=TWO) as d, Daemon(config=TWO, check=False, args=["--listen", d.address]) as other:
        assert other.process.wait(20 * PATIENCE) != 0, "a second daemon listens where the first one does"
        other.reader.join(5)
        assert "Address already in use" in "\n".join(other.raw), other.raw


def test_everybody_gets_the_own_answers():
    """Calls of many connections at once, some of them pipelined."""
    def calls(number):
        closing, s = connect(d)
        with closing:
            file = s.makefile("rb")
            for first in range(0, 60, 6):
                texts = [f"{number}-{first + i}" for i in range(1 + first % 4)]
                s.sendall(b"".join(map(echo, texts)))
                for text in texts:
                    status, body = hear(file)
                    same((status, json.loads(body)["content"][0]["text"]), (200, text))

    with Daemon(plugins=["echo"], config=TWO) as d:
        for done in [in_background(calls, number) for number in range(32)]:
            done()
        local = socket.socket(socket.AF_UNIX)
        with contextlib.closing(local):
            local.connect(str(d.socket))
            local.sendall(echo("by the Unix socket"))
            assert b"by the Unix socket" in hear(local.makefile("rb"))[1]


def test_large_bodies_both_ways():
    with Daemon(plugins=["echo"], config={**TWO, "body_max": "8M", "results": {"shown": "0"}}) as d:
        for size in (100, 20_000, 300_000, 700_000):
            text = "".join(random.choice("abcdefgh") for _ in range(1000)) * (size // 1000 + 1)
            same(d.call("echo", {"text": text}).text, text)


# ---- who comes, leaves, streams and upgrades -------------------------------------------------------

class Crowd:
    """Callers that each do one thing again and again, until the daemon is gone."""

    def __init__(self, daemon):
        self.d, self.counts, self.wrong = daemon, collections.Counter(), []
        self.ending = False
        kinds = [self.call, self.call_and_leave, self.pipeline_and_leave, self.stream, self.stream_and_leave,
                 self.talk, self.talk_and_leave, self.half, self.nonsense]
        self.threads = [threading.Thread(target=self.keep_on, args=(kind,)) for kind in kinds * 2]
        for thread in self.threads:
            thread.start()

    def keep_on(self, kind):
        while not self.ending:
            try:
                kind()
                self.counts[kind.__name__] += 1
            except AssertionError as error:
                self.wrong.append(f"{kind.__name__}: {error}")
                return
            except Exception as error:  # connections end while the daemon does; before that none does by itself
                if not self.ending and self.d.process.poll() is None:
                    self.wrong.append(f"{kind.__name__}: {error!r}")
                return

    def answer(self, file, text):
        got = hear(file)
        if got is None or got[0] != 200:
            raise ValueError(f"no answer: {got}")
        same(json.loads(got[1])["content"][0]["text"], text)

    def call(self):
        closing, s = connect(self.d)
        with closing:
            file = s.makefile("rb")
            for number in range(5):
                s.sendall(echo(f"call {number}"))
                self.answer(file, f"call {number}")

    def call_and_leave(self):
        closing, s = connect(self.d)
        with closing:
            s.sendall(request("/v1/tools/slow_echo/call", {"arguments": {"ms": 60_000, "text": "never"}}))
            time.sleep(random.random() / 50)

    def pipeline_and_leave(self):
        closing, s = connect(self.d)
        with closing:
            s.sendall(b"".join(echo(f"pipe {n}") for n in range(8)))
            file = s.makefile("rb")
            for number in range(random.randrange(8)):
                self.answer(file, f"pipe {number}")

    def begin_stream(self, s, ms):
        params = {"name": "slow_echo", "arguments": {"ms": ms, "text": "streamed"},
                  "_meta": {**ENVELOPE, "progressToken": "p"}}
        headers = "".join(f"{name}: {value}\r\n" for name, value in mcp_headers("tools/call", params).items())
        s.sendall(request("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}, headers))

    def stream(self):
        closing, s = connect(self.d)
        with closing:
            self.begin_stream(s, 50)
            got = b""
            while not got.endswith(b"0\r\n\r\n"):
                more = s.recv(65536)
                if not more:
                    raise ValueError("the stream broke off")
                got += more
            assert b"streamed" in got or self.ending or b'"error"' in got, got

    def stream_and_leave(self):
        closing, s = connect(self.d)
        with closing:
            self.begin_stream(s, 60_000)
            s.recv(65536)

    def talk(self):
        with WebSocket(self.d) as ws:
            self.hear_event(ws, "session")
            ws.say(type="tool_call", call_id="a", name="echo", arguments={"text": "said"})
            self.hear_event(ws, "tool_call_started")
            self.hear_event(ws, "tool_call_output")
            ws.say(type="end", reason="hangup")
            self.hear_event(ws, "session_ended")
            if not self.ending:
                same(ws.closed(), 1000)

    def hear_event(self, ws, kind):
        got = ws.receive() if ws.status == 101 else None
        if got is None or self.ending and f'"{kind}"'.encode() not in got[1]:
            raise ValueError("no conversation")
        assert f'"{kind}"'.encode() in got[1], got

    def talk_and_leave(self):
        with WebSocket(self.d) as ws:
            self.hear_event(ws, "session")
            for number in range(random.randrange(20)):
                ws.say(type="tool_call", call_id=f"c{number}", name="echo", arguments={"text": "x" * 1000})

    def half(self):
        closing, s = connect(self.d)
        with closing:
            s.sendall(echo("half")[:-random.randrange(1, 60)])

    def nonsense(self):
        closing, s = connect(self.d)
        with closing:
            s.sendall(b"nonsense\r\n\r\n")
            got = hear(s.makefile("rb"))
            if got is None:
                raise ValueError("no answer")
            same(got[0], 400)

    def end(self):
        self.ending = True
        for thread in self.threads:
            thread.join(60 * PATIENCE)
        assert not any(thread.is_alive() for thread in self.threads), "a caller that nobody answers"
        comment(dict(self.counts))
        same(self.wrong, [], "what went wrong")


def test_a_crowd_that_comes_and_goes():
    config = {**TWO, "log_calls_per_second": 0, "sessions": {"max": 10000, "tenant_max": 10000, "principal_max": 10000}}
    with Daemon(plugins=["echo", "slow_echo"], config=config) as d:
        crowd = Crowd(d)
        try:
            wait_for(lambda: crowd.wrong or len(crowd.counts) == 9 and min(crowd.counts.values()) >= 20, 60, "the crowd")
        finally:
            crowd.end()
        wait_for(lambda: samples(d, "toolhost_http_connections")[""] == 1, 20, "all connections to be gone")
        same(d.call("echo", {"text": "after them"}).text, "after them")


def test_a_daemon_that_drains_among_them():
    config = {**TWO, "drain": "500ms", "log_calls_per_second": 0}
    for _ in range(3):
        with Daemon(plugins=["echo", "slow_echo"], config=config) as d:
            crowd = Crowd(d)
            try:
                wait_for(lambda: crowd.wrong or len(crowd.counts) >= 8, 60, "the crowd")
                crowd.ending = True
                d.signal(signal.SIGTERM)
                status = d.process.wait(30 * PATIENCE)
                d.reader.join(5)
                same(status, 0, "\n".join(line for line in d.raw if not line.startswith("{")) + "\nexit status of the daemon")
            finally:
                crowd.end()


if __name__ == "__main__":
    main()
