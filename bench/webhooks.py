"""A thousand tools that wait for a slow server at the same time.

  ./dev bench webhooks [CALLS] [--seconds S] [--json]

CALLS calls of a tool (default 1,000), all at once, each of which asks a server through the daemon and waits for an answer
that takes a second.  All of them are to end within three seconds, the daemon is to grow by 64 MiB at most, and its loop is to work
no longer than 10 ms in one turn.  Server and caller are processes of their own, so that nothing but the daemon and its
workers is measured; what the machine does besides shows in the time, and in how long turns were with all that the kernel
gave to others meanwhile, which is printed too."""

import argparse
import contextlib
import heapq
import json
import os
import pathlib
import re
import selectors
import signal
import socket
import sys
import time

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests/integration"))
from harness import Daemon, wait_for  # noqa: E402

SECONDS_MAX, GROWTH_MAX, TURN_MAX = 3, 64, 10  # seconds; MiB for a thousand calls; ms

ENDED = b"\r\n\r\n"


class Webhooks:
    """A server in a process of its own: every request is answered after so many seconds."""

    def __init__(self, seconds):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
        self.url = "http://127.0.0.1:%d" % self.listener.getsockname()[1]
        self.pid = os.fork()
        if self.pid == 0:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            with contextlib.suppress(KeyboardInterrupt):
                self.serve(seconds)
            os._exit(0)
        self.listener.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)

    def serve(self, seconds):
        body = b'{"delivered":true}'
        answer = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)
        selector, due, got, number = selectors.DefaultSelector(), [], {}, 0
        self.listener.setblocking(False)
        selector.register(self.listener, selectors.EVENT_READ)
        while True:
            wait = max(0, due[0][0] - time.monotonic()) if due else None
            for key, _ in selector.select(wait):
                peer = key.fileobj
                if peer is self.listener:
                    with contextlib.suppress(BlockingIOError):
                        while True:
                            peer = self.listener.accept()[0]
                            peer.setblocking(False)
                            got[peer] = b""
                            selector.register(peer, selectors.EVENT_READ)
                    continue
                data = peer.recv(65536)
                got[peer] += data
                if not data:
                    selector.unregister(peer)
                    peer.close()
                    del got[peer]
                elif self.is_whole(got[peer]):
                    got[peer] = b""
                    number += 1
                    heapq.heappush(due, (time.monotonic() + seconds, number, peer))
            now = time.monotonic()
            while due and due[0][0] <= now:
                peer = heapq.heappop(due)[2]
                if peer in got:
                    peer.sendall(answer)

    @staticmethod
    def is_whole(request):
        head, ended, body = request.partition(ENDED)
        length = re.search(rb"(?i)content-length: *(\d+)", head)
        return bool(ended) and len(body) >= int(length[1] if length else 0)


def ask(daemon, calls, url):
    """All calls at once, each on a connection of its own; their answers."""
    host, port = daemon.address.rsplit(":", 1)
    body = json.dumps({"arguments": {"url": url, "json": '{"event":"order.created"}'}}).encode()
    request = (b"POST /v1/tools/courier/call HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
               b"Content-Length: %d\r\nConnection: close\r\n\r\n%b" % (len(body), body))
    peers = [socket.create_connection((host, int(port))) for _ in range(calls)]
    selector, answers = selectors.DefaultSelector(), {}
    for peer in peers:
        selector.register(peer, selectors.EVENT_READ)
        answers[peer] = b""
    begun, open_ = time.perf_counter(), calls
    for peer in peers:
        peer.sendall(request)
    while open_:
        for key, _ in selector.select():
            data = key.fileobj.recv(65536)
            answers[key.fileobj] += data
            if not data:
                selector.unregister(key.fileobj)
                key.fileobj.close()
                open_ -= 1
    return time.perf_counter() - begun, list(answers.values())


def is_good(answer):
    return answer.startswith(b"HTTP/1.1 200") and b"delivered" in answer


def turns(daemon):
    """How many turns of the loop took, and worked, at most so many seconds, by that bound."""
    text = daemon.http("GET", "/metrics").body.decode()
    return [{bound: int(count) for bound, count in re.findall(r'loop_%s_seconds_bucket\{le="([^"]+)"\} (\d+)' % kind, text)}
            for kind in ("turn", "turn_work")]


def slowest(before, after):
    """The bound that all turns in between kept."""
    count = {bound: after[bound] - before[bound] for bound in after}
    return next((float(bound) for bound in after if count[bound] == count["+Inf"]), float("inf"))


def measure(calls, seconds):
    threads = 256
    workers = -(-calls // threads)
    limits = {"http_open": calls, "queue": calls, "threads": threads, "processes": threads + 16, "max_time": "30s"}
    with Webhooks(seconds) as server:
        policy = {"permissions": {"http": [{"url": server.url + "/*", "private": True}]}, "limits": limits,
                  "workers": {"ready": workers, "max": workers}}
        with Daemon(plugins=["courier"], policies={"courier": policy}, config={"log_calls_per_second": 0}) as d:
            wait_for(lambda: len(d.workers()) == 2 * workers, what="the workers")
            assert d.rest("courier", {"url": server.url + "/first"}).status == 200
            memory, before = d.rss(), turns(d)
            took, answers = ask(d, calls, server.url + "/webhook")
            whole, work = (slowest(*pair) * 1000 for pair in zip(before, turns(d)))
            return {"calls": calls, "answered": sum(map(is_good, answers)), "seconds": took,
                    "growth_mib": (d.rss() - memory) / 1024, "turn_ms": whole, "turn_work_ms": work}


def parse():
    parser = argparse.ArgumentParser(description="Tools that wait for a slow server at the same time.")
    parser.add_argument("calls", nargs="?", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=1, help="how long the server takes for an answer")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def main():
    options = parse()
    got = measure(options.calls, options.seconds)
    if options.json:
        print(json.dumps(got))
    else:
        print("%(answered)d of %(calls)d calls were answered in %(seconds).2f s; the daemon has grown by "
              "%(growth_mib).1f MiB; its loop worked no longer than %(turn_work_ms)g ms in a turn, which with all that "
              "others were given took no longer than %(turn_ms)g ms" % got)
    good = (got["answered"] == got["calls"] and got["seconds"] <= SECONDS_MAX + options.seconds - 1
            and got["growth_mib"] <= GROWTH_MAX * options.calls / 1000 and got["turn_work_ms"] <= TURN_MAX)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
