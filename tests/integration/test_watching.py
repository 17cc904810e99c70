"""toolhost top and toolhost logs: what they show of a daemon that works."""

import contextlib
import fcntl
import json
import os
import pathlib
import pty
import select
import signal
import struct
import subprocess
import tempfile
import termios
import threading
import time

from harness import PATIENCE, Daemon, in_background, installed, keep_calling, main, run, same, wait_for

TOOLHOST = installed("bin/toolhost")


def cli(d, *words, **more):
    return run(TOOLHOST, "--socket", d.socket, *words, **more)


@contextlib.contextmanager
def busy(d):
    """Three callers call without a pause."""
    failures, ended = [], threading.Event()
    callers = [threading.Thread(target=keep_calling, args=(d, failures, [0], ended)) for _ in range(3)]
    for caller in callers:
        caller.start()
    try:
        yield
    finally:
        ended.set()
        for caller in callers:
            caller.join(60)
    same(failures, [], "failed calls")


class Vt52:
    """A screen of the simplest kind that ncurses knows how to address, and a program on it."""

    def __init__(self, *words, rows=24, columns=100):
        self.rows, self.columns, self.at = rows, columns, (0, 0)
        self.cells = {}
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # tests that run in the background ignore it
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.execve(TOOLHOST, [str(TOOLHOST), *map(str, words)],
                      {k: v for k, v in os.environ.items() if k not in ("LINES", "COLUMNS")} | {"TERM": "vt52"})
        self.left = b""

    def resize(self, rows, columns):
        self.rows, self.columns = rows, columns
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, keys):
        os.write(self.fd, keys)

    def read(self):
        """Take what has come; False: the program has ended."""
        if not select.select([self.fd], [], [], 0.05)[0]:
            return True
        try:
            got = os.read(self.fd, 65536)
        except OSError:
            return False
        self._take(self.left + got)
        return bool(got)

    def _take(self, data):
        i = 0
        while i < len(data):
            c = data[i]
            if c == 0x1B:
                need = 4 if data[i + 1:i + 2] == b"Y" else 2
                if len(data) - i < need:
                    break
                self._escape(data[i + 1:i + need])
                i += need
                continue
            self._put(c)
            i += 1
        self.left = data[i:]

    def _escape(self, code):
        row, column = self.at
        if code[:1] == b"Y":
            self.at = (code[1] - 32, code[2] - 32)
        elif code == b"H":
            self.at = (0, 0)
        elif code in (b"J", b"K"):
            for place in list(self.cells):
                if place[0] == row and place[1] >= column or code == b"J" and place[0] > row:
                    del self.cells[place]
        else:
            step = {b"A": (-1, 0), b"B": (1, 0), b"C": (0, 1), b"D": (0, -1)}.get(code, (0, 0))
            self.at = (row + step[0], column + step[1])

    def _put(self, c):
        row, column = self.at
        if c == 8:
            self.at = (row, max(0, column - 1))
        elif c == 9:
            self.at = (row, (column // 8 + 1) * 8)
        elif c == 10:
            self.at = (row + 1, column)
        elif c == 13:
            self.at = (row, 0)
        elif c >= 32:
            self.cells[self.at] = chr(c)
            self.at = (row, min(column + 1, self.columns - 1))

    def line(self, row):
        return "".join(self.cells.get((row, column), " ") for column in range(self.columns)).rstrip()

    @property
    def lines(self):
        return [self.line(row) for row in range(self.rows)]

    def until(self, true, what):
        """Read until the screen is so."""
        end = time.monotonic() + 20 * PATIENCE
        while not true():
            assert self.read(), f"{what}: it ended; the screen:\n" + "\n".join(self.lines)
            assert time.monotonic() < end, f"{what} did not come; the screen:\n" + "\n".join(self.lines)

    def end(self):
        """The exit status, once it has ended."""
        end = time.monotonic() + 20 * PATIENCE
        while self.read():
            if time.monotonic() > end:
                os.kill(self.pid, signal.SIGKILL)
        os.close(self.fd)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def column(screen, title, row):
    """What stands below a title that is at the right of its column."""
    titles = next(line for line in screen if title in line)
    end = titles.index(title) + len(title)
    return row[:end].split()[-1]


def test_top_as_json():
    with Daemon(plugins=["echo", "slow_echo", "null_deref"]) as d:
        with busy(d):
            waiting = in_background(d.call, "slow_echo", {"ms": 3000, "text": "x"})
            wait_for(lambda: {"slow_echo": 1}.items() <= {t["tool"]: t["running"] for t in d.http("GET", "/v1/top").json["calls"]}.items())
            status, out, err = cli(d, "top", "--interval", "500ms")
            top = json.loads(out)
            same((status, err), (0, ""))
            tools = {t["tool"]: t for t in top["tools"]}
            same(top["tools"][0]["tool"], "echo")
            echo = tools["echo"]
            assert echo["calls_per_second"] > 1 and 0 < echo["p50_ms"] <= echo["p99_ms"], echo
            assert abs(top["calls_per_second"] - sum(t["calls_per_second"] for t in top["tools"])) < 1e-6, top
            same((echo["failed"], echo["refused"]), (0, 0))
            plugins = {p["name"]: p for p in top["plugins"]}
            same(plugins["echo"]["state"], "running")
            assert plugins["echo"]["workers"] >= 1 and plugins["echo"]["rss_bytes"] >= 0, plugins
            waiting()


def test_top_tells_failures_from_refusals():
    with Daemon(plugins=["echo", "null_deref"]) as d:
        for _ in range(3):
            same(d.rest("echo", {"txt": 1}).code, "tool_args_invalid")
        same(d.rest("null_deref").code, "tool_crashed")
        same(d.rest("echo", {"text": "a"}).status, 200)
        tools = {t["tool"]: t for t in json.loads(cli(d, "top", "-i", "100")[1])["tools"]}
        same([tools["echo"][k] for k in ("calls", "failed", "refused", "running")], [4, 0, 3, 0])
        same([tools["null_deref"][k] for k in ("calls", "failed", "refused", "running")], [1, 1, 0, 0])
        same(tools["echo"]["p99_ms"], None)


def test_top_once_is_a_table():
    with Daemon(plugins=["echo"]) as d:
        with busy(d):
            status, out, _ = cli(d, "top", "--once", "-i", "300")
        lines = out.split("\n")
        same((status, lines[0].startswith("toolhostd up 00:00:"), lines[3].split()[:3]), (0, True, ["TOOL", "PLUGIN", "CALLS/S"]))
        same(lines[4].split()[:2], ["echo", "echo"])
        assert "echo" in next(line for line in lines[6:] if "running" in line), out


def test_top_is_drawn_anew():
    with Daemon(plugins=["echo", "slow_echo"]) as d:
        d.call("slow_echo", {"ms": 0, "text": "a"})
        screen = Vt52("--socket", d.socket, "top", "-i", "250")
        with busy(d):
            screen.until(lambda: "by rate" in screen.lines[-1], "the first table")
            screen.until(lambda: screen.lines[4].startswith("echo "), "the tool that is called most, first")
            rate = lambda: column(screen.lines, "CALLS/S", screen.lines[4])
            screen.until(lambda: rate() not in ("-", "0"), "a rate")
            first = column(screen.lines, "REFUSED/S  CALLS", screen.lines[4])
            screen.until(lambda: column(screen.lines, "REFUSED/S  CALLS", screen.lines[4]) != first, "a second look")
            screen.type(b"n")
            screen.until(lambda: "by name" in screen.lines[-1], "another order")
            screen.type(b"s")
            screen.until(lambda: "by rate" in screen.lines[-1], "the order after the last one")
            screen.type(b"+")
            screen.until(lambda: "every 0.5 s" in screen.lines[-1], "a longer interval")
            screen.resize(12, 60)
            screen.until(lambda: "by rate" in screen.lines[11] and max(map(len, screen.lines)) <= 60, "the smaller screen")
        screen.type(b"q")
        same(screen.end(), 0)


def test_top_waits_for_a_daemon_that_went_away():
    with Daemon(plugins=["echo"]) as d:
        screen = Vt52("--socket", d.socket, "top", "-i", "250")
        screen.until(lambda: "by rate" in screen.lines[-1], "the table")
        d.stop()
        screen.until(lambda: "cannot reach toolhostd" in screen.lines[-1], "why there is no newer one")
        screen.type(b"q")
        same(screen.end(), 0)


def test_top_of_nobody():
    with Daemon(plugins=["echo"]) as d:
        status, out, err = cli(d, "top", "--sort", "colour")
        same((status, out), (2, ""))
        assert "--sort: expected rate, p99, running, failed, refused or name" in err, err
        assert "--interval: expected from 100 ms to an hour" in cli(d, "top", "-i", "99")[2]
        same(cli(d, "logs", "--level", "loud")[0], 2)
        same(cli(d, "logs", "--last", "-1")[0], 2)
        status, _, err = run(TOOLHOST, "--url", f"http://{d.address}", "logs")
        assert status != 0 and "Only root or the daemon's own user may do this" in err, err
    same(run(TOOLHOST, "--socket", "/nonexistent/s", "top", "-1")[0], 3)


def test_logs_shows_the_last_lines():
    with Daemon(plugins=["echo"]) as d:
        for text in ("a", "b", "c"):
            d.rest("echo", {"text": text}, call_id=f"call-{text}")
        d.rest("echo", {"txt": ""})
        lines = [json.loads(line) for line in cli(d, "logs", "-n", "2", "-e", "tool_call_finished")[1].splitlines()]
        same([line["call"] for line in lines], ["call-b", "call-c"])
        lines = [json.loads(line) for line in cli(d, "logs", "-n", "100")[1].splitlines()]
        assert lines[-1]["event"] == "tool_call_failed" and "ready" in [line["event"] for line in lines], lines
        same(cli(d, "logs", "-l", "error")[:2], (0, ""))


class Following:
    """toolhost logs -f, and what it has said."""

    def __init__(self, d, *words):
        self.process = subprocess.Popen([TOOLHOST, "--socket", d.socket, "logs", "-f", *words], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        wait_for(lambda: d.log_events("log_followed"), what="the follower to be there")

    def line(self):
        return json.loads(self.process.stdout.readline())


def test_logs_follows():
    with Daemon(plugins=["echo", "slow_echo"]) as d:
        f = Following(d, "-n", "0", "-t", "echo")
        d.rest("slow_echo", {"ms": 0, "text": "x"})
        d.rest("echo", {"text": "x"}, call_id="one")
        same(f.line()["call"], "one")
        d.rest("echo", {"txt": "x"}, call_id="two")
        got = f.line()
        same((got["call"], got["code"]), ("two", "tool_args_invalid"))
        d.stop()
        same((f.process.wait(10), "toolhostd has ended" in f.process.stderr.read()), (3, True))


def test_logs_follows_on_a_terminal():
    with Daemon(plugins=["echo"]) as d:
        screen = Vt52("--socket", d.socket, "logs", "-f", "-n", "0", rows=8, columns=400)
        wait_for(lambda: d.log_events("log_followed"), what="the follower to be there")
        d.rest("echo", {"txt": "x"}, call_id="two words")
        screen.until(lambda: any("tool_call_failed tool=echo" in line and 'call="two words"' in line
                                 for line in screen.lines), "the line")
        os.kill(screen.pid, signal.SIGINT)
        same(screen.end(), -signal.SIGINT)


# ---- the log file

def lines_of(file):
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_a_log_file_is_rotated_without_losing_a_line():
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "toolhostd.log"
        os.chmod(folder, 0o1777)
        with Daemon(plugins=["echo"], config={"log_file": str(log), "log_calls_per_second": 1000000}, check=False) as d:
            wait_for(lambda: log.exists() and any(line["event"] == "ready" for line in lines_of(log)))
            d.address = next(line["address"] for line in lines_of(log) if line["event"] == "listening")
            failures, count, ended = [], [0], threading.Event()
            caller = threading.Thread(target=keep_calling, args=(d, failures, count, ended))
            caller.start()
            names = []
            for number, ask in enumerate((signal.SIGUSR1, signal.SIGHUP, signal.SIGUSR1)):
                names.append(log.with_suffix(f".{number}"))
                wait_for(lambda: any(line["event"] == "tool_call_finished" for line in lines_of(log)))
                log.rename(names[-1])
                d.process.send_signal(ask)
                wait_for(lambda: log.exists() and any(line["event"] == "log_reopened" for line in lines_of(log)))
            ended.set()
            caller.join(60)
            same(failures, [])
            wait_for(lambda: sum(line["event"] == "tool_call_finished" for name in (*names, log) for line in lines_of(name))
                     == count[0], what="a line of each call")


def test_a_log_file_that_can_not_be_opened_again():
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "toolhostd.log"
        os.chmod(folder, 0o1777)
        with Daemon(plugins=["echo"], config={"log_file": str(log)}, check=False) as d:
            wait_for(lambda: log.exists() and any(line["event"] == "ready" for line in lines_of(log)))
            old = log.rename(log.with_suffix(".old"))
            log.mkdir()
            d.process.send_signal(signal.SIGUSR1)
            wait_for(lambda: any(line["event"] == "log_not_reopened" for line in lines_of(old)))
            log.rmdir()
            d.process.send_signal(signal.SIGUSR1)
            wait_for(lambda: log.exists() and any(line["event"] == "log_reopened" for line in lines_of(log)))


if __name__ == "__main__":
    main()
