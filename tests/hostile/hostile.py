#!/usr/bin/env python3
"""Every hostile plugin against a running daemon, beside a neighbour that must not notice.

    hostile.py [--table] [NAME…]

Without --table it prints TAP, a point for each row and way of running; with it the table of
`./dev test hostile`, where the neighbour's latency counts too.  NAME is a plugin.

There is one daemon for each way of running (started as root; by an unprivileged user), and it must
live through all rows.  A row holds when
  - the caller was told one of the codes the row names, and the tool got no further than it may;
  - the log tells the end of the plugin's process with a reason the row names;
  - the daemon is the same process, runs the same code, has as many descriptors as before, and grew by
    less than a bound (its code and descriptors are looked at by root only);
  - the plugin echo, called all the while, always gave the right answer.
"""

import contextlib
import http.client
import json
import os
import pathlib
import re
import secrets
import signal
import sys
import threading
import time
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "integration"))

from harness import Daemon, PATIENCE, SANITIZER, STAGE, comment, installed, run, same, wait_for  # noqa: E402
import rows as hostile  # noqa: E402

UNPRIVILEGED = 12345  # a user that owns nothing
GROWTH_MAX_KIB = 8192 * PATIENCE
NEIGHBOUR_EVERY = 0.002  # seconds
TRIES = 4  # for the neighbour's latency
NEIGHBOUR_SAMPLES = 150  # for a p99, so that a quick row waits for them
BASE_SAMPLES = 500
RATIO_MAX, RATIO_SLACK_MS = 2.0, 5.0
GENEROUS_MS = 5000 * PATIENCE


class Neighbour:
    """Calls echo on one connection, as long as the daemon lives, and times it."""

    def __init__(self, daemon):
        self.daemon = daemon
        self.times, self.wrong = [], []
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        host, port = self.daemon.address.rsplit(":", 1)
        connection = http.client.HTTPConnection(host, int(port), timeout=30 * PATIENCE)
        number = 0
        with contextlib.closing(connection):
            while not self.stopped.wait(NEIGHBOUR_EVERY):
                number += 1
                self._call(connection, f"n{number}")

    def _call(self, connection, text):
        began = time.perf_counter()
        try:
            connection.request("POST", "/v1/tools/echo/call", json.dumps({"arguments": {"text": text}}),
                               {"Content-Type": "application/json"})
            body = json.loads(connection.getresponse().read())
            if not body.get("ok") or body["content"][0]["text"] != text:
                self.wrong.append(body)
        except (OSError, http.client.HTTPException, ValueError) as e:
            self.wrong.append(repr(e))
            connection.close()
        self.times.append((time.perf_counter() - began) * 1000)

    def p99_since(self, mark, samples=NEIGHBOUR_SAMPLES):
        wait_for(lambda: len(self.times) >= mark + samples or not self.thread.is_alive(), 60,
                 "enough calls of the neighbour")
        taken = sorted(self.times[mark:])
        return taken[int(len(taken) * 0.99) - 1]

    def stop(self):
        self.stopped.set()
        self.thread.join(30)


class Rig:
    """A daemon with all the plugins, and what is known of it before a row begins."""

    def __init__(self, wanted, user):
        self.notes = []
        self.canary = "canary-" + secrets.token_hex(12)
        self.planted_at = time.time()
        self.folders = hostile.Grants()
        self.grants = self.folders.path
        self.daemon = Daemon(plugins=["echo", "slow_echo", *self._loaded(wanted)], policies=self._policies(wanted),
                             config=self._config(), env={"TOOLHOST_CANARY": self.canary}, user=user, ready_within=120)
        self.neighbour = None

    @staticmethod
    def _loaded(wanted):
        return sorted({row.plugin for row in wanted if row.deed is not hostile.load})

    def _policies(self, wanted):
        policies = {row.plugin: row.policy() for row in reversed(wanted)}
        if "escape_files" in policies:
            policies["escape_files"].update(self.folders.policy())
        policies["slow_echo"] = {"config": {"secret": self.canary}}
        return policies

    def _config(self):
        soon = f"{100 * PATIENCE}ms"
        return {"grace": soon, "drain": soon, "idle_stop": soon, "start_timeout": f"{5 * PATIENCE}s",
                "deadline": f"{90 * PATIENCE}s", "instructions": f"The canary is {self.canary}."}

    def __enter__(self):
        self.daemon.__enter__()
        self.load_again()
        self.neighbour = Neighbour(self.daemon)
        self.measure_base()
        return self

    def __exit__(self, *how):
        self.neighbour.stop()
        self.folders.remove()
        return self.daemon.__exit__(*how)

    def load_again(self):
        """A machine that is busy with something else may have been too slow for some plugins."""
        for refused in self.daemon.log_events("plugin_refused"):
            self.daemon.add(refused["plugin"])
            self.daemon.wait_log("plugin_loaded", lambda e, name=refused["plugin"]: e.get("plugin") == name, 60)

    def measure_base(self):
        """The neighbour's p99 while nothing else is called."""
        self.quiet()
        self.base_p99 = self.neighbour.p99_since(len(self.neighbour.times), BASE_SAMPLES)

    # ---- the daemon as others see it

    def note(self, text):
        self.notes.append(text)

    def plugin(self, name):
        return next(p for p in self.daemon.http("GET", "/v1/plugins").json["plugins"] if p["name"] == name)

    def refusals(self, plugin):
        return self.daemon.log_events("plugin_refused", lambda e: e.get("plugin") == plugin)

    def wait_refused(self, plugin, after):
        return self.daemon.wait_log("plugin_refused", lambda e: e.get("plugin") == plugin, after=after)

    def ends(self, plugin):
        with self.daemon.heard:
            return [e for e in self.daemon.lines
                    if e.get("event") in ("worker_crashed", "worker_ended") and e.get("plugin") == plugin]

    def log_bytes(self):
        with self.daemon.heard:
            return sum(map(len, self.daemon.raw))

    def cpu_seconds(self):
        fields = pathlib.Path(f"/proc/{self.daemon.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def fds(self):
        """How many descriptors the daemon has; 0 where the tester is not root and may not look."""
        try:
            return self.daemon.fds()
        except PermissionError:
            return 0

    def code(self):
        """The files whose code the daemon can run; none where the tester may not look."""
        try:
            maps = pathlib.Path(f"/proc/{self.daemon.pid}/maps").read_text().splitlines()
        except PermissionError:
            return set()
        return {line.split(maxsplit=5)[-1] for line in maps if "x" in line.split()[1]}

    def quiet(self):
        """No process but echo's: what descriptors there are then is what must be there again."""
        def others():
            plugins = self.daemon.http("GET", "/v1/plugins").json["plugins"]
            return [(p["name"], p["state"]) for p in plugins if (p.get("workers", 0) == 0) != (p["name"] != "echo")]
        try:
            wait_for(lambda: not others(), 20)
        except AssertionError:
            raise AssertionError(f"after 20 s these still had workers, or echo had none: {others()}") from None
        time.sleep(NEIGHBOUR_EVERY)  # the connection of that question has been closed, too


class Finding:
    """What one row came to."""

    def __init__(self, row):
        self.row = row
        self.saw, self.reason = "", ""
        self.ms = self.p99 = self.ratio = 0.0
        self.fds = self.grew = 0
        self.problems = []

    def check(self, holds, sentence):
        if not holds:
            self.problems.append(sentence)


def told(answer):
    """What the caller was told, in the words of Row.sees."""
    if answer.status == 200 and answer.body.get("ok"):
        return "ok"
    if answer.status == 200 and answer.code:
        return f"tool_execution_failed:{answer.code}" if answer.code != "tool_execution_failed" else answer.code
    return answer.code or f"status {answer.status}"


def do_deed(rig, row):
    if row.deed is not None:
        return row.deed(rig, row)
    return rig.daemon.rest(row.tool or row.plugin, row.arguments, timeout=90)


def check_words(rig, row, answer):
    if callable(row.says):
        row.says(rig, answer)
    elif row.says is not None:
        said = hostile.text_of(answer)
        assert re.search(row.says, said), f"it said {said!r}, expected {row.says!r}"


def end_of(rig, row, before):
    """Why the process that did it ended, and whether that is one of the row's reasons."""
    def reasons():
        return [e["reason"] for e in rig.ends(row.plugin)[before:] if e.get("reason")]
    with contextlib.suppress(AssertionError):
        wait_for(reasons, 15)
    with contextlib.suppress(AssertionError):
        return wait_for(lambda: [reason for reason in reasons() if reason in row.reasons], 3)[0], True
    return " ".join(reasons()) or "none", False


def try_row(rig, row, finding):
    """Once; false when the machine was so busy that the call was over before its tool had begun."""
    ends, began = len(rig.ends(row.plugin)), time.monotonic()
    answer = do_deed(rig, row)
    finding.saw = told(answer)
    if row.reasons and (row.ends or finding.saw in ("tool_crashed", "tool_timeout")):
        finding.reason, fits = end_of(rig, row, ends)
        if finding.saw == "tool_timeout" and finding.reason == "idle":
            return False
        finding.check(fits, f"its process ended for: {finding.reason}; expected {' or '.join(row.reasons)}")
    finding.ms = (time.monotonic() - began) * 1000
    finding.check(finding.saw in row.sees, f"the caller was told {finding.saw}, expected {' or '.join(row.sees)}")
    if finding.saw == row.sees[0]:
        check_words(rig, row, answer)
    return True


def watch_row(rig, row, finding):
    tried = any(try_row(rig, row, finding) for _ in range(5))
    finding.check(tried, "its tool never began in time")
    same(rig.daemon.process.poll(), None, "exit status of the daemon")


def run_row(rig, row):
    finding = Finding(row)
    daemon = rig.daemon
    try:
        rig.quiet()
        pid, fds, rss, code = daemon.pid, rig.fds(), daemon.rss(), rig.code()
        mark, wrong = len(rig.neighbour.times), len(rig.neighbour.wrong)
        watch_row(rig, row, finding)
        finding.p99 = rig.neighbour.p99_since(mark)
        finding.ratio = finding.p99 / rig.base_p99
        rig.quiet()
        wait_for(lambda: rig.fds() <= fds, 10, f"the end of its descriptors ({fds} before)")
        with contextlib.suppress(AssertionError):  # what large results had is kept for others, a second or two
            wait_for(lambda: daemon.rss() - rss <= GROWTH_MAX_KIB + row.keeps, 4)
        finding.fds, finding.grew = rig.fds() - fds, daemon.rss() - rss
        finding.check(rig.code() == code, f"the daemon has other code than before: {rig.code() - code}")
        finding.check(daemon.pid == pid and daemon.process.poll() is None, "the daemon is another process")
        finding.check(finding.grew <= GROWTH_MAX_KIB + row.keeps, f"the daemon grew by {finding.grew} KiB")
        finding.check(rig.neighbour.wrong[wrong:] == [], f"the neighbour got {rig.neighbour.wrong[wrong:][:2]}")
        finding.check(finding.p99 < GENEROUS_MS, f"the neighbour's p99 was {finding.p99:.0f} ms")
    except Exception as e:  # whatever went wrong is what the row has to say
        finding.problems.append(f"{e}" if isinstance(e, AssertionError) else traceback.format_exc())
    return finding


# ---- ways of running

def run_as(user, *arguments):
    """The staged daemon's program with these arguments: (status, stdout, stderr)."""
    change = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"] if user is not None else []
    return run(*change, installed("sbin/toolhostd"), *arguments)


def tier_of(user):
    """How well processes can be bounded in this way, as the daemon itself reports."""
    return json.loads(run_as(user, "--sandbox-report", "--json")[1])["tier"]


def ways():
    """(name, user or None, why not or None) of each way of running."""
    if os.geteuid() != 0:
        return [("root", None, "needs root"), ("user", None, None)]
    reachable = run_as(UNPRIVILEGED, "--version")[0] == 0
    return [("root", None, None),
            ("user", UNPRIVILEGED, None if reachable else f"an ordinary user can't reach {STAGE}")]


def applies(row):
    return SANITIZER == "no" or row.sanitized


def run_way(rows, user):
    """Yields a Finding for each row; a daemon that can't serve at all is told by the first."""
    wanted = [row for row in rows if applies(row)]
    with Rig(wanted, user) as rig:
        for row in rows:
            yield rig, (run_row(rig, row) if applies(row) else None)


# ---- what is printed

def tap(rows):
    print(f"1..{2 * len(rows)}", flush=True)
    number, failed = 0, 0
    for way, user, why_not in ways():
        findings = run_way(rows, user) if why_not is None else ((None, None) for _ in rows)
        for row, (_, finding) in zip(rows, findings, strict=True):
            number += 1
            title = f"{number} - hostile, {way}: {row.plugin} {row.does}"
            if finding is None:
                print(f"ok {title} # SKIP {why_not or 'a sanitizer build has no such limit'}", flush=True)
                continue
            for problem in finding.problems:
                comment(problem)
            failed += bool(finding.problems)
            print(f"{'not ok' if finding.problems else 'ok'} {title}", flush=True)
    return failed == 0


HEADER = ("threat", "plugin", "what it does", "way", "tier", "the caller saw", "reason in the log", "ms", "fds",
          "RSS KiB", "p99")
WIDTHS = (6, 15, 46, 4, 4, 31, 19, 5, 3, 7, 6)
RULES = f"""
ms       from the call until the caller had its answer and, where the log must tell it, the process was gone
fds, RSS what the daemon has more than before, once only the neighbour's worker is left (bound: 0, {GROWTH_MAX_KIB} KiB)
p99      of a neighbour called every {NEIGHBOUR_EVERY * 1000:.0f} ms meanwhile, as a multiple of its p99 before all rows: at most
         {RATIO_MAX:.0f} or {RATIO_SLACK_MS:.0f} ms more, whichever is larger; a row beyond it runs again,
         up to {TRIES} times in all, between new measurements without it, since others use this machine too
"""


def line(cells):
    print("  ".join(str(cell).ljust(width) for cell, width in zip(cells, WIDTHS)).rstrip(), flush=True)


def too_slow(p99, base):
    return p99 > max(base * RATIO_MAX, base + RATIO_SLACK_MS)


def tried_again(rig, row, first):
    """The row once more, between two new measurements of the neighbour without the plugin."""
    rig.measure_base()
    before, again = rig.base_p99, run_row(rig, row)
    rig.measure_base()
    rig.base_p99 = max(before, rig.base_p99)
    problem = None
    if too_slow(again.p99, rig.base_p99):
        problem = (f"the neighbour's p99 was {again.p99:.1f} ms, with nothing else {before:.1f} ms before and at most "
                   f"{rig.base_p99:.1f} ms after; {first.ratio:.1f} times at the first of {TRIES} tries")
    return again, problem


def judged(rig, row, finding):
    """With the neighbour's latency: what the plugin does to it, it does at every try."""
    if finding.problems or not too_slow(finding.p99, rig.base_p99):
        return finding
    for _ in range(TRIES - 1):
        again, problem = tried_again(rig, row, finding)
        if again.problems or problem is None:
            return again
    again.check(False, problem)
    return again


def show_row(way, tier, finding):
    row = finding.row
    line((row.threat, row.plugin, row.does, way, tier, finding.saw, finding.reason or "lives", f"{finding.ms:.0f}",
          f"{finding.fds:+d}", f"{finding.grew:+d}", f"{finding.ratio:.2f}x"))
    for problem in finding.problems:
        print(f"        DOES NOT HOLD: {problem}", flush=True)


def table(rows):
    held, failed = 0, 0
    print(RULES)
    line(HEADER)
    for way, user, why_not in ways():
        if why_not:
            print(f"as {way}: not run, {why_not}")
            continue
        tier = tier_of(user)
        for row, (rig, finding) in zip(rows, run_way(rows, user), strict=True):
            if finding is None:
                continue
            finding = judged(rig, row, finding)
            show_row(way, tier, finding)
            failed += bool(finding.problems)
            held += not finding.problems
            while rig.notes:
                print(f"        {rig.notes.pop()}")
    print(f"\n{held} rows hold" + (f", {failed} do not" if failed else ""))
    return failed == 0


def main(arguments):
    names = [a for a in arguments if not a.startswith("--")]
    rows = [row for row in hostile.ROWS if not names or row.plugin in names]
    if not installed("sbin/toolhostd").exists():
        print(f"1..0 # SKIP no daemon at {installed('sbin/toolhostd')}")
        return True
    signal.alarm(900 * PATIENCE)
    return table(rows) if "--table" in arguments else tap(rows)


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1:]) else 1)
