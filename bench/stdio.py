"""tools/call over standard input: toolhostd beside `cat`, which gives back what it gets, and servers on others' packages.

  ./dev bench stdio [--runs N] [--seconds N] [--no-peers] [--keep] [--json]

The handshake of 2025-11-25, then calls of echo: 64 in flight, one in flight, and 64 with 20 KB.  The client writes one line
for each that came back; it, the server and what that starts share one core.  `cat` is the limit: two pipes and nothing
else."""

import argparse
import contextlib
import json
import os
import select
import subprocess
import sys
import time

import compare
import measure
import peers
import plot
import servers
from compare import US, Case
from harness import Daemon, descendants
from wrk import CORE, ONE_CORE

CASES = [Case("many", "64 in flight", 2, 64), Case("one", "1 in flight", 2, 1),
         Case("large", "64 in flight, 20 KB of arguments", 20_000, 64)]
LIMIT = "cat"
INITIALIZE = {"jsonrpc": "2.0", "id": "first", "method": "initialize",
              "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}}


def line(message):
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


class Piped:
    """A server on two pipes, to which the handshake was spoken."""

    renew = False

    def __init__(self, name, process, speaks=True):
        self.name, self.process, self.speaks = name, process, speaks
        self.number, self.pending = 0, b""
        self.input, self.output = process.stdin.fileno(), process.stdout.fileno()
        os.set_blocking(self.input, False)
        if speaks:
            self.pending = line(INITIALIZE)
            assert self.answer("first")["result"]["protocolVersion"] == "2025-11-25", name
            self.pending = line({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def write(self):
        with contextlib.suppress(BlockingIOError):
            self.pending = self.pending[os.write(self.input, self.pending):]

    def read(self):
        """What came; what is still to be sent is sent meanwhile, for who writes may wait for who reads."""
        while self.pending:
            self.write()
            if self.pending and self.output in select.select([self.output], [self.input], [])[0]:
                break
        piece = os.read(self.output, 1 << 20)
        if not piece:
            sys.exit(f"{self.name}: it closed its output")
        return piece

    def answer(self, number):
        """The one of this id; what else is said is passed over."""
        text = b""
        while True:
            text += self.read()
            while b"\n" in text:
                one, _, text = text.partition(b"\n")
                message = json.loads(one)
                if message.get("id") == number:
                    return message

    def calls(self, size, count):
        """So many lines, each with a number of its own."""
        tail = b',"method":"tools/call","params":{"name":"echo","arguments":{"text":"' + b"x" * size + b'"}}}\n'
        first, self.number = self.number, self.number + count
        return b"".join(b'{"jsonrpc":"2.0","id":%d%b' % (number, tail) for number in range(first, first + count))

    def check(self, size):
        number = self.number
        self.pending = self.calls(size, 1)
        answer = self.answer(number)
        if self.speaks and answer.get("result", {}).get("content", [{}])[0].get("text") != "x" * size:
            sys.exit(f"{self.name}: a wrong answer before any load: {json.dumps(answer)[:300]}")

    def cpu_seconds(self):
        return sum(servers.process_seconds(pid) for pid in [self.process.pid, *descendants(self.process.pid)])

    def load(self, size, in_flight, seconds):
        """One run: {rate, p50_us, p99_us, cpu_us}.  With more than one in flight both times are the mean."""
        cpu, begun = self.cpu_seconds(), time.perf_counter()
        sent, outstanding, pieces, times, sent_at = 0, 0, [], [], begun
        room = in_flight
        while room or outstanding:
            if room:
                sent_at = time.perf_counter()
                self.pending += self.calls(size, room)
                sent, outstanding, room = sent + room, outstanding + room, 0
            piece = self.read()
            came = piece.count(b"\n")
            pieces.append(piece)
            outstanding -= came
            now = time.perf_counter()
            if in_flight == 1 and came:
                times.append((now - sent_at) * 1e6)
            room = came if now < begun + seconds else 0
        took = time.perf_counter() - begun
        right = b"".join(pieces).count(b'"text":"' + b"x" * size + b'"')
        if right != sent:
            sys.exit(f"{self.name}: {right} of {sent} answers were right")
        times = times or [took / sent * in_flight * 1e6]
        return {"rate": sent / took, "p50_us": measure.percentile(times, 0.5), "p99_us": measure.percentile(times, 0.99),
                "cpu_us": (self.cpu_seconds() - cpu) * 1e6 / sent, "calls": sent}

    def target(self, size):
        """As servers.Served has it: what is loaded with one size."""
        self.check(size)
        return Target(self, size)


class Target:
    def __init__(self, piped, size):
        self.piped, self.size = piped, size

    def verify(self, connections):
        """Every answer of every run is looked at, after its time was taken."""
        self.load(connections, 1)

    def load(self, connections, seconds):
        return self.piped.load(self.size, connections, seconds)

    def close(self):
        pass


@contextlib.contextmanager
def program(name, command, speaks=True):
    process = subprocess.Popen([*ONE_CORE, *map(str, command)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL)
    try:
        yield Piped(name, process, speaks)
    finally:
        process.stdin.close()
        process.stdout.close()
        process.wait(20)


@contextlib.contextmanager
def ours():
    with contextlib.ExitStack() as stack:
        with servers.one_core():
            daemon = stack.enter_context(Daemon(plugins=["echo"], config=servers.QUIET, stdio=True))
        yield Piped(US, daemon.process)
        os.set_blocking(daemon.process.stdin.fileno(), True)


def start_all(stack, options):
    served = {LIMIT: stack.enter_context(program(LIMIT, ["cat"], speaks=False)), US: stack.enter_context(ours())}
    missing = {}
    for one in [] if options.no_peers else peers.ALL:
        try:
            served[one.title] = stack.enter_context(program(one.title, [*one.command(), "stdio"]))
        except peers.Missing as why:
            missing[one.title] = str(why)
    return served, missing


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--no-peers", action="store_true", help="no servers of others: nothing is installed or built")
    compare.add_options(parser, CASES)
    options = parser.parse_args()
    os.sched_setaffinity(0, {CORE})
    with contextlib.ExitStack() as stack:
        served, missing = start_all(stack, options)
        cases = compare.run_cases(served, CASES, options, LIMIT)
    for name, why in missing.items():
        print(f"skipped: {name}: {why}", file=sys.stderr)
    picture = plot.bars("tools/call echo over standard input, 64 in flight, one core: calls per second ÷ cat",
                        compare.rows(cases["many"]), "×", [US]) if "many" in cases else None
    measure.save("stdio", {"cases": cases, "missing": missing,
                           "versions": {one.title: one.version for one in peers.ALL}}, options, picture)


if __name__ == "__main__":
    main()
