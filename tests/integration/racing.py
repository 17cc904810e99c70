"""Calls with ids, raced over many connections, through daemons that are killed: what ran, and what was
told of it.

Every id is asked for by two connections at a time, and again after each kill for as long as nobody knows
what became of it.  The tool leaves a line for each run (tally.c), so that lines are runs.

    with Race(ids=20000, kills=3) as race:
        race.run()
        race.check()
"""

import collections
import contextlib
import json
import pathlib
import re
import select
import shutil
import socket
import tempfile
import time

from harness import SANITIZER, Daemon, plugin_file, same

CONNECTIONS = 64
# What is no end of a call: it is asked for again.
NOT_YET = {"call_in_progress", "tool_overloaded", "tool_unavailable"}
HEAD = re.compile(rb"HTTP/1.1 (\d+)[^\r]*\r\n(?:[^\r]*\r\n)*?[Cc]ontent-[Ll]ength: (\d+)\r\n(?:[^\r]*\r\n)*?\r\n")


class Caller:
    """A connection that asks for one id after another."""

    def __init__(self, race, ids):
        self.race, self.ids = race, collections.deque(ids)
        self.asked, self.got, self.socket = None, b"", None

    def connect(self, address):
        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)), 30)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setblocking(False)
        self.got = b""

    def ask(self):
        """The next id, if there is one."""
        self.asked = self.ids.popleft() if self.ids else None
        if self.asked is not None:
            with contextlib.suppress(ConnectionError):  # then it can't be read from either
                self.socket.send(self.race.request(self.asked))
        return self.asked is not None

    def hear(self):
        """What has come; False: the connection is lost."""
        try:
            piece = self.socket.recv(65536)
        except BlockingIOError:
            return True
        except ConnectionError:
            return False
        if not piece:
            return False
        self.got += piece
        head = HEAD.match(self.got)
        if head and len(self.got) >= head.end() + int(head[2]):
            body = self.got[head.end():]
            self.got = b""
            number, self.asked = self.asked, None
            self.race.answered(self, number, int(head[1]), body)
            self.ask()
        return True

    def drop(self):
        """The daemon is gone: what was asked is not answered."""
        if self.socket is not None:
            self.socket.close()
        if self.asked is not None:
            self.ids.appendleft(self.asked)
        self.socket = self.asked = None


class Race:
    def __init__(self, ids, kills, config=None, sleep_every=50):
        self.count, self.kills, self.sleep_every = ids, kills, sleep_every
        self.config = {"log_calls_per_second": 0, "log_level": "warning", "tenant_running_max": 100000,
                       **(config or {})}
        self.told = [None] * ids      # the text that was acknowledged
        self.unknown = set()          # of which outcome_unknown was told
        self.wrong = []
        self.seen = collections.Counter()
        self.answers = self.killed = 0
        self.daemon = None
        self.slowest = self.down = 0.0

    def __enter__(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="toolhost-race."))
        self.dir.chmod(0o755)
        for name in ("state", "tally"):
            (self.dir / name).mkdir()
            (self.dir / name).chmod(0o1777)
        self.file = self.dir / "tally" / "lines"
        self.file.touch()
        self.file.chmod(0o666)
        return self

    def __exit__(self, *_):
        if self.daemon is not None:
            self.daemon.process.kill()
            self.daemon.process.wait()
            self.daemon._clean()
        shutil.rmtree(self.dir, ignore_errors=True)

    # ---- the daemon

    def start(self):
        begun = time.monotonic()
        d = Daemon(plugins=[plugin_file("tally")], args=("--state-dir", str(self.dir / "state")), check=False,
                   policies={"tally": {"permissions": {"write": [str(self.dir / "tally")]},
                                       "limits": {"threads": 4}}},
                   config={"memory_max": "512M" if SANITIZER == "no" else "4G", **self.config, "log_level": "info"})
        self.daemon = d
        d.address = d.wait_log("listening", lambda e: str(e.get("address", "")).startswith("127."))["address"]
        d.wait_log("ready")
        self.down = max(self.down, time.monotonic() - begun)

    def kill(self):
        self.daemon.process.kill()
        self.daemon.process.wait()
        self.daemon._clean()
        self.daemon = None
        self.killed += 1

    # ---- one call

    def name(self, number):
        return f"id-{number}"

    def request(self, number):
        name = self.name(number)
        arguments = {"file": str(self.file), "id": name}
        if number % self.sleep_every == 0:
            arguments["ms"] = 5
        body = json.dumps({"arguments": arguments, "call_id": name}).encode()
        return (b"POST /v1/tools/tally/call HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                b"Content-Length: %d\r\n\r\n" % len(body)) + body

    def answered(self, caller, number, status, body):
        self.answers += 1
        answer = json.loads(body)
        if answer.get("ok"):
            self.acknowledge(number, answer["content"][0]["text"], answer.get("replayed", False))
            return
        code = answer["error"]["code"]
        self.seen[code] += 1
        if code in NOT_YET:
            caller.ids.append(number)
        elif code == "outcome_unknown":
            self.unknown.add(number)
            if self.told[number] is not None:
                self.wrong.append(f"{self.name(number)} was acknowledged, and is unknown now")
        else:
            self.wrong.append(f"{self.name(number)}: {status} {answer}")

    def acknowledge(self, number, text, replayed):
        self.seen["replayed" if replayed else "run"] += 1
        if number in self.unknown:
            self.wrong.append(f"{self.name(number)} was unknown, and has a result now")
        if self.told[number] is None:
            self.told[number] = text
        elif self.told[number] != text:
            self.wrong.append(f"{self.name(number)}: first {self.told[number]!r}, then {text!r}")

    # ---- all of them

    def pairs(self, numbers, callers):
        """Each id for two connections, which come to it at about the same time."""
        half = len(callers) // 2
        for i, number in enumerate(numbers):
            callers[i % half].ids.append(number)
            callers[half + i % half].ids.append(number)

    def serve(self, callers, enough):
        """Ask until nothing is left (True) or `enough` answers have come."""
        poll = select.epoll()
        by_fd = {}
        for caller in callers:
            caller.connect(self.daemon.address)
            by_fd[caller.socket.fileno()] = caller
            poll.register(caller.socket, select.EPOLLIN)
            caller.ask()
        with contextlib.closing(poll):
            while self.answers < enough and any(c.asked is not None for c in callers):
                for fd, _ in poll.poll(30):
                    if not by_fd[fd].hear():
                        raise AssertionError("the daemon closed a connection by itself")
        return self.answers < enough

    def run(self):
        callers = [Caller(self, []) for _ in range(CONNECTIONS)]
        self.pairs(range(self.count), callers)
        every = 2 * self.count // (self.kills + 1)
        begun = time.monotonic()
        self.start()
        while not self.serve(callers, self.answers + every if self.killed < self.kills else float("inf")):
            self.kill()
            for caller in callers:
                caller.drop()
            self.start()
            # what was acknowledged before the kill: some of it at once again
            recent = [n for n in range(self.count) if self.told[n] is not None][-200:] if self.killed <= 3 else []
            self.pairs(recent, callers)
        for caller in callers:
            caller.drop()
        self.seconds = time.monotonic() - begun

    def ask_again(self):
        """Every id once more, of one daemon after one more kill: nothing may have changed."""
        self.kill()
        self.start()
        callers = [Caller(self, range(i, self.count, CONNECTIONS)) for i in range(CONNECTIONS)]
        runs = self.seen["run"]
        self.serve(callers, float("inf"))
        for caller in callers:
            caller.drop()
        same(self.seen["run"], runs, "runs while asking again")

    def check(self):
        lines = collections.Counter(self.file.read_text().split("\n"))
        lines.pop("", None)
        twice = [name for name, count in lines.items() if count != 1]
        acknowledged = {self.name(n) for n in range(self.count) if self.told[n] is not None}
        unknown = {self.name(n) for n in self.unknown}
        same(self.wrong[:5], [], "contradictions")
        same(twice[:5], [], "ids that ran more than once")
        same(sorted(acknowledged - set(lines))[:5], [], "results of what never ran")
        same(sorted(acknowledged & unknown)[:5], [], "both known and unknown")
        same(len(acknowledged | unknown), self.count, "ids whose end is told")
        return {"ids": self.count, "kills": self.killed, "answers": self.answers, "runs": len(lines),
                "run twice": len(twice), "lost or changed": len(self.wrong), "unknown": len(unknown),
                "of them had begun": len(unknown & set(lines))}
