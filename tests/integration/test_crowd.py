"""More callers than the daemon has room for: they are told so, and the others notice nothing."""

import contextlib
import os
import pathlib
import resource
import socket
import time

from harness import Daemon, main, same, wait_for, PATIENCE, THREADS

FILES = 96
TICKS = os.sysconf("SC_CLK_TCK")
GET = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"


def connect(d, stack):
    host, port = d.address.rsplit(":", 1)
    return stack.enter_context(contextlib.closing(socket.create_connection((host, int(port)), 10 * PATIENCE)))


def ask(s):
    """The status of one request on an open connection; None when it was closed or reset."""
    with contextlib.suppress(ConnectionError):
        s.sendall(GET)
        words = s.recv(65536).split(b" ", 2)
        return int(words[1]) if len(words) > 2 else None
    return None


def hear(s):
    """What a caller that says nothing is told, until the daemon closes."""
    got = b""
    while chunk := s.recv(65536):
        got += chunk
    return got


def expect_refusal(answer):
    assert answer.startswith(b"HTTP/1.1 503 "), answer
    assert b"\r\nRetry-After: 1\r\n" in answer and b'"too_many_connections"' in answer, answer


def fill(d, stack, limit=FILES):
    """Connections that were served, until one is not."""
    served = []
    while len(served) < limit:
        s = connect(d, stack)
        if ask(s) != 200:
            s.close()
            return served
        served.append(s)
    raise AssertionError(f"{limit} connections with {limit} descriptors")


def cpu(d):
    """Seconds of processor time the daemon has used."""
    fields = pathlib.Path(f"/proc/{d.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def test_descriptors_for_workers():
    """Connections leave some for the workers, and for who comes by the Unix socket."""
    with Daemon(plugins=["echo"], limits={resource.RLIMIT_NOFILE: 4 * FILES}) as d, contextlib.ExitStack() as stack:
        served = fill(d, stack, 4 * FILES)
        assert FILES < len(served) < 4 * FILES, f"{len(served)} connections"
        expect_refusal(hear(connect(d, stack)))
        same(d.wait_log("http_connections_refused")["reason"], "no_descriptors")
        local = stack.enter_context(socket.socket(socket.AF_UNIX))
        local.connect(str(d.socket))
        same(ask(local), 200, "a user of the Unix socket")
        body = b'{"arguments":{"text":"hi"}}'
        served[0].sendall(b"POST /v1/tools/echo/call HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                          b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        assert served[0].recv(65536).startswith(b"HTTP/1.1 200 "), "no worker for a call"
        same([d.log_events("http_accept_failed"), d.log_events("worker_start_failed")], [[], []])
        for s in served[1:4]:
            s.close()
        wait_for(lambda: ask(connect(d, stack)) == 200, what="room for another")


def test_without_descriptors():
    with contextlib.ExitStack() as stack:
        # Descriptors that the daemon has and knows nothing of.
        others = [stack.enter_context(open(os.devnull)).fileno() for _ in range(FILES - 32 - 8 * THREADS)]
        d = stack.enter_context(Daemon(limits={resource.RLIMIT_NOFILE: FILES}, pass_fds=others))
        served = fill(d, stack)
        assert len(served) > 7, f"only {len(served)} connections"
        used, began = cpu(d), time.monotonic()
        for _ in range(10):
            expect_refusal(hear(connect(d, stack)))
            same(ask(served[0]), 200, "a connection that was there")
        used, passed = cpu(d) - used, time.monotonic() - began
        assert used < max(0.1 * PATIENCE, passed / 4), f"{used} s of processor time in {passed} s"
        same(len(d.log_events("http_accept_failed")) <= passed + 3, True, "a log line a second at most")
        same(d.wait_log("http_connections_refused")["reason"], "no_descriptors")
        for s in served[1:6]:
            s.close()
        wait_for(lambda: ask(connect(d, stack)) == 200, what="being served again")
        served[6].close()
        metrics = wait_for(lambda: (a := d.http("GET", "/metrics")).status == 200 and a.body.decode(), what="metrics")
        for name in ('toolhost_http_connections_refused_total{reason="no_descriptors"}', "toolhost_http_accept_pauses_total"):
            values = [line.split()[1] for line in metrics.splitlines() if line.startswith(name + " ")]
            assert values and float(values[0]) >= 10, f"{name}: {values}"


def test_too_many_of_a_peer():
    with Daemon(config={"connections_per_peer_max": 2}) as d, contextlib.ExitStack() as stack:
        first, second = connect(d, stack), connect(d, stack)
        same([ask(first), ask(second)], [200, 200])
        expect_refusal(hear_after_end(connect(d, stack)))
        event = d.wait_log("http_connections_refused")
        same([event["reason"], event["peer"]], ["connections_per_peer_max", "127.0.0.1"])
        local = stack.enter_context(socket.socket(socket.AF_UNIX))
        local.connect(str(d.socket))
        same(ask(local), 200, "a user of the Unix socket")
        same(ask(first), 200, "a connection that was there")
        second.close()
        wait_for(lambda: ask(connect(d, stack)) == 200, what="room for another")


def hear_after_end(s):
    s.shutdown(socket.SHUT_WR)
    return hear(s)


if __name__ == "__main__":
    main()
