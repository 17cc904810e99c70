"""Memory, descriptors and mappings that can't be had: every such call of the daemon's own code fails
once, in turn, while it serves; and its ceiling of memory holds.

Sampled in `make check`; `./dev test faults` takes every call (TOOLHOST_FAULTS=full)."""

import contextlib
import errno
import http.client
import json
import mmap
import os
import pathlib
import signal
import socket
import struct
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "integration"))
from harness import (BUILD, Daemon, PATIENCE, SANITIZER, Skip, comment, in_background, main,  # noqa: E402
                     same, wait_for)

FULL = os.environ.get("TOOLHOST_FAULTS") == "full"
KINDS = ["memory", "memfd", "socketpair", "pipe", "mmap", "open"]
WORDS = 5  # of a struct failure: calls, at, times, error, failed


class Failures:
    """What nth_failure.so counts, and when it lets calls fail."""

    def __init__(self):
        library = BUILD / "tests/faults/.libs/nth_failure.so"
        if SANITIZER != "no":
            raise Skip("a sanitizer wants to be loaded first")
        if not library.exists():
            raise Skip(f"{library.name} was not built")
        self.file = tempfile.NamedTemporaryFile(prefix="toolhost-failures.")
        self.file.truncate(WORDS * 8 * len(KINDS))
        os.chmod(self.file.name, 0o666)
        self.map = mmap.mmap(self.file.fileno(), WORDS * 8 * len(KINDS))
        self.env = {"LD_PRELOAD": str(library), "TOOLHOST_FAILURES": self.file.name}

    def _at(self, kind, word):
        return (KINDS.index(kind) * WORDS + word) * 8

    def _get(self, kind, word):
        return struct.unpack_from("=Q", self.map, self._at(kind, word))[0]

    def _set(self, kind, word, value):
        struct.pack_into("=Q", self.map, self._at(kind, word), value)

    def calls(self, kind):
        return self._get(kind, 0)

    def failed(self, kind):
        return self._get(kind, 4)

    def fail(self, kind, after, error, times=1):
        """The call that comes after so many others, and those behind it up to `times`."""
        self._set(kind, 2, times)
        self._set(kind, 3, error)
        self._set(kind, 4, 0)
        self._set(kind, 1, self.calls(kind) + 1 + after)

    def end(self, kind):
        self._set(kind, 1, 0)


REFUSALS = {"tool_overloaded", "tool_unavailable", "tool_execution_failed", "memory_short", "too_many_connections",
            "tool_not_found", "tool_crashed", "worker_lost", "internal_error"}


def right_or_refused(answer, expected, what):
    """An answer is what it must be, or says with a code why it is not."""
    if answer.status == expected and answer.status == 200:
        return 1
    code = (answer.body.get("error") or {}).get("code")
    assert answer.status == expected or code in REFUSALS, f"{what}: {answer}"
    return 0


def script(d, turn, strict=False):
    """A little of everything a daemon does; `strict`: nothing may be refused."""
    right = right_or_refused
    if strict:
        def right(answer, expected, what):
            same(answer.status, expected, f"{what}: {answer}")
    text = f"turn {turn} " + "x" * 3000
    with contextlib.suppress(ConnectionError, http.client.HTTPException):
        same(d.http("GET", "/healthz").status, 200)
        tools = d.mcp("tools/list")
        same(tools.status, 200, "tools/list")
        called = d.call("echo", {"text": text})
        assert called.answer.status == 200 and (text in called.text or called.is_error), called
        if strict:
            assert called.ok, called
        right(d.rest("echo", {"text": text}), 200, "a call")
        right(d.rest("echo", {"text": "l" * 200000}), 200, "a call with large arguments")
        right(d.rest("echo", {"nonsense": [1, 2, {}]}), 422, "arguments that don't fit")
        right(d.rest("nobody", {}), 404, "a tool that is not there")
        same(d.http("GET", "/v1/plugins").status, 200, "plugins")
        same(d.http("GET", "/metrics").status, 200, "metrics")
        d.policy("echo", {"limits": {"queue": 100 + turn % 2}})
        d.signal(signal.SIGHUP)
        right(d.rest("echo", {"text": text}), 200, "a call after a reload")
        if turn % 4 == 0:
            d.add("slow_echo")
        if turn % 4 == 2:
            (d.plugin_dir / "slow_echo.so").unlink(missing_ok=True)
        return
    assert not strict, "a connection broke"


def settled(d):
    """The reserve is there again, and nothing is refused."""
    def calm():
        with contextlib.suppress(ConnectionError, http.client.HTTPException):
            return b"toolhost_memory_shedding 0" in d.http("GET", "/metrics").body \
                and d.rest("echo", {"text": "calm"}).status == 200
        return False
    wait_for(calm, 30, what="the daemon to be well again")


def survives(d, after):
    assert d.process.poll() is None, f"the daemon ended: {after}: {d.raw[-3:]}"


def numbers(count, samples):
    """Of so many calls, those that shall fail: all, or some from all over."""
    if FULL or count <= samples:
        return range(count)
    return sorted({int(i * count / samples) for i in range(samples)} | set(range(8)))


def test_every_allocation():
    failures = Failures()
    with Daemon(plugins=["echo"], env=failures.env) as d:
        for turn in range(4):
            script(d, turn, strict=True)
        before = failures.calls("memory")
        for turn in range(4):
            script(d, turn, strict=True)
        count = (failures.calls("memory") - before) // 4
        assert count > 100, f"{count} allocations in a turn"
        tried = 0
        for turn, n in enumerate(numbers(count, 60)):
            failures.fail("memory", n, errno.ENOMEM)
            script(d, turn)
            survives(d, f"allocation {n} failed")
            tried += failures.failed("memory")
            failures.end("memory")
            if turn % 10 == 9:
                settled(d)
                script(d, turn, strict=True)
        comment(f"{count} allocations in a turn, {tried} failed")
        assert tried > 20, f"only {tried} allocations failed"
        settled(d)
        script(d, 0, strict=True)
        assert d.log_events("memory_reserve_used", least=1), "the reserve was never used"


def test_twice_in_a_row_is_the_end():
    failures = Failures()
    d = Daemon(plugins=["echo"], env=failures.env, check=False)
    with d:
        d.address = d.wait_log("listening", lambda e: str(e.get("address", "")).startswith("127."))["address"]
        d.wait_log("ready")
        failures.fail("memory", 5, errno.ENOMEM, times=2)
        with contextlib.suppress(ConnectionError, http.client.HTTPException):
            d.rest("echo", {"text": "hi"})
        same(d.process.wait(30 * PATIENCE), -signal.SIGABRT, "exit status")
        d.reader.join(5)
        assert any("toolhost: out of memory: " in line for line in d.raw), d.raw[-3:]


def test_every_kernel_object():
    failures = Failures()
    errors = {"memfd": errno.EMFILE, "socketpair": errno.ENFILE, "pipe": errno.EMFILE, "mmap": errno.ENOMEM,
              "open": errno.ENFILE}
    with Daemon(plugins=["echo"], env=failures.env) as d:
        same(d.rest("echo", {"text": "hi"}).status, 200)
        for kind, error in errors.items():
            tried = 0
            for n in range(40 if FULL else 8):
                failures.fail(kind, n, error)
                script(d, n)  # reloads, so that a worker is started
                survives(d, f"{kind} {n} failed")
                tried += failures.failed(kind)
                failures.end(kind)
                settled(d)
            comment(f"{kind}: {tried} failed")
        assert d.rest("echo", {"text": "x" * 200000}).status == 200


def test_no_descriptor_for_large_arguments():
    failures = Failures()
    with Daemon(plugins=["echo"], env=failures.env) as d:
        same(d.rest("echo", {"text": "hi"}).status, 200)
        failures.fail("memfd", 0, errno.EMFILE)
        answer = d.rest("echo", {"text": "x" * 200000})
        same([answer.status, answer.code, failures.failed("memfd")], [503, "tool_unavailable", 1])
        assert "retry-after" in answer.answer.headers, answer.answer.headers
        same(d.rest("echo", {"text": "x" * 200000}).status, 200)


# ---- the ceiling


def metric(d, name):
    lines = d.http("GET", "/metrics").body.decode().splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith(name + " "))


def needs_plain_memory():
    if SANITIZER != "no":
        raise Skip("a sanitizer's memory is not the daemon's")


def test_huge_results_stay_below_the_ceiling():
    needs_plain_memory()
    ceiling = 64 << 20
    policy = {"limits": {"memory": "2G", "threads": 32}}
    with Daemon(plugins=["huge_result", "echo"], policies={"huge_result": policy},
                config={"memory_max": ceiling, "deadline": "60s"}) as d:
        same(d.rest("huge_result", {"bytes": 1000}).code, None)
        callers = [in_background(d.rest, "huge_result", {"bytes": 12 << 20}, timeout=120) for _ in range(24)]
        answers = [caller(120) for caller in callers]
        for answer in answers:
            if answer.code is None:
                assert len(answer.answer.body) > 12 << 20, answer
            else:
                assert answer.code in ("tool_execution_failed", "tool_overloaded", "memory_short"), answer
                assert "memory" in answer.message, answer.message
            same(d.http("GET", "/healthz").status, 200)
        highest = int(d.status()["VmHWM"].split()[0]) * 1024
        refused = [answer.code for answer in answers if answer.code]
        comment(f"{len(refused)} of {len(answers)} refused, at most {highest >> 20} MiB were used")
        assert highest < ceiling, f"{highest} bytes of {ceiling}"
        assert refused, "nothing was refused: the test tries too little"
        settled(d)
        assert metric(d, "toolhost_memory_refused_total") > 0
        same(metric(d, "toolhost_memory_max_bytes"), ceiling)
        same(d.rest("huge_result", {"bytes": 6 << 20}).code, None, "a large result afterwards")


def test_levels():
    """Callers that never finish what they send fill the daemon; it sheds, and recovers.

    Where it sheds it refuses whoever is sending at that time, and has what they had sent back: two of them have less than
    the 5 % by which a level ends below where it began, so that the level stays as long as the others do."""
    needs_plain_memory()
    sent = 2 << 20
    with Daemon(plugins=["echo"], config={"memory_max": "96M", "body_max": "8M"}) as d, contextlib.ExitStack() as stack:
        same(d.rest("echo", {"text": "hi"}).status, 200)
        host, port = d.address.rsplit(":", 1)
        for _ in range(100):
            if metric(d, "toolhost_memory_shedding") != 0:
                break
            s = stack.enter_context(socket.create_connection((host, int(port)), 60 * PATIENCE))
            with contextlib.suppress(ConnectionError):
                s.sendall(b"POST /v1/tools/echo/call HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                          b"Content-Length: %d\r\n\r\n" % (sent + 1000) + b" " * sent)
        event = d.wait_log("memory_pressure")
        same(event["before"], "none")
        body = json.dumps({"arguments": {"text": "x" * (1 << 20)}})
        answer = d.http("POST", "/v1/tools/echo/call", body, {"Content-Type": "application/json"})
        same([answer.status, answer.error], [503, "memory_short"], "a large request")
        assert "retry-after" in answer.headers, answer.headers
        answer = d.http("GET", "/healthz")
        same([answer.status, answer.headers.get("connection")], [200, "close"])
        same(d.mcp("tools/list").status, 200)
        stack.close()
        settled(d)
        d.wait_log("memory_pressure", lambda e: e["level"] == "none")
        same(d.http("POST", "/v1/tools/echo/call", body, {"Content-Type": "application/json"}).status, 200)
        highest = int(d.status()["VmHWM"].split()[0]) * 1024
        comment(f"at most {highest >> 20} MiB of 96 were used")
        assert highest < 96 << 20, f"{highest} bytes"


if __name__ == "__main__":
    main()
