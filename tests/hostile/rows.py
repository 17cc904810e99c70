"""The rows of the hostile set: what each plugin does, what its caller must see, what must follow.

Row.sees is what the caller may be told: "ok", the code of an error, or the tool's own code behind a
colon ("tool_execution_failed:refused").  Row.reasons are those that may stand in the log as the end of
its process; () when it goes on living.  The ids (P1, P2, …) are those of SECURITY.md.
"""

import dataclasses
import json
import os
import pathlib
import re
import shutil
import tempfile
import time
import typing

from harness import PATIENCE, Rest, in_background, same, wait_for

LIMITS = {"max_time": f"{10 * PATIENCE}s", "memory": "64M", "files": 32, "tmp": "1M", "processes": 16, "threads": 8}
SOON = {"max_time": f"{300 * PATIENCE}ms"}
# … and so that its process may have to start again before.
SOON_ENOUGH = {"max_time": f"{1500 * PATIENCE}ms"}
# A call that is ended by force: deadline, grace period, kill.
STOPPED = {"sees": ("tool_timeout",), "reasons": ("deadline",), "limits": SOON}
CRASHED = {"sees": ("tool_crashed",)}
# Some of the nine calls that are refused with the end of the process; test_isolation.py has all.
FORBIDDEN = ("ptrace", "process_vm_readv", "process_vm_writev")


@dataclasses.dataclass
class Row:
    threat: str
    plugin: str
    does: str
    sees: tuple = ("ok",)
    reasons: tuple = ()
    arguments: dict = dataclasses.field(default_factory=dict)
    limits: dict = dataclasses.field(default_factory=dict)
    tool: typing.Optional[str] = None
    # What the tool must say, as a pattern; or a function of (rig, answer) that looks closer.
    says: typing.Any = None
    # function (rig, row) that does it in another way than one call; returns the answer.
    deed: typing.Any = None
    # Its process ends even if the caller was told nothing of it.
    ends: bool = False
    # KiB the daemon may keep, as room for next time, of what it had to hold at once.
    keeps: int = 0
    # Makes sense under a sanitizer's runtime, which lifts limits and needs what is probed?
    sanitized: bool = True

    def policy(self):
        return {"limits": {**LIMITS, **self.limits}}


def text_of(answer):
    """What the tool said, or its error's sentence."""
    parts = answer.body.get("content") or []
    said = "".join(part.get("text", "") for part in parts)
    return answer.message or said or json.dumps(answer.body.get("structured"))


def structured_of(answer):
    return answer.body.get("structured") or json.loads(text_of(answer))


# ---- what a tool says of how far it got

def at_most(bound, least=0):
    def check(_rig, answer):
        number = int(re.search(r"\d+", text_of(answer)).group())
        assert least <= number <= bound, f"it got {number}, expected {least} to {bound}"
    return check


def all_refused(least):
    """Every probe of constructor and call was refused."""
    def check(_rig, answer):
        findings = structured_of(answer)
        for when in ("constructor", "call"):
            mine = [f for f in findings if f["when"] == when]
            assert len(mine) >= least, f"{len(mine)} probes of the {when}"
            same([f["what"] for f in mine if not f["refused"]], [], f"let through in the {when}")
    return check


# ---- deeds that are more than one call

def load(rig, row):
    """Put the plugin where the daemon looks: loading is the deed, and must be refused."""
    before = len(rig.refusals(row.plugin))
    rig.daemon.add(row.plugin)
    rig.wait_refused(row.plugin, before)
    answer = rig.daemon.rest(row.tool or row.plugin)
    if "start_timeout" in row.reasons:  # it would be tried again beside the rows that follow
        (rig.daemon.plugin_dir / f"{row.plugin}.so").unlink()
        rig.daemon.wait_log("plugin_removed", lambda e: e["plugin"] == row.plugin)
    return answer


def codes_from_elsewhere(calls):
    """The codes that these functions' answers have, called at once in a process of their own: building large requests
    here would keep the neighbour waiting for Python, not for the daemon."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        running = [in_background(call) for call in calls]
        os.write(write, json.dumps([get().code for get in running]).encode())
        os._exit(0)
    os.close(write)

    def codes():
        with os.fdopen(read) as told:
            found = json.load(told)
        os.waitpid(child, 0)
        return set(found) - {None}
    return codes


def stop_with_large_arguments(rig, row):
    """Calls with large arguments keep coming for a process that takes nothing any more."""
    text = "x" * 700_000
    stopped = in_background(rig.daemon.rest, row.plugin, {})
    more = codes_from_elsewhere([lambda: rig.daemon.rest(row.plugin, {"stop": False, "text": text})] * 24)
    answer = stopped()
    codes = more()
    assert codes <= {"tool_timeout", "worker_lost", "tool_crashed"}, f"the others were told {codes}"
    return answer


def forge_beside_others(rig, row):
    """Forges answers while a call of another plugin runs: that one gets its own."""
    other = in_background(rig.daemon.rest, "slow_echo", {"ms": 200, "text": "its own"})
    wait_for(lambda: rig.plugin("slow_echo")["running"] == 1, 5, "the other call to run")
    answer = rig.daemon.rest(row.plugin, row.arguments)
    same(text_of(other()), "its own", "the call of the other plugin")
    return answer


def call_until_it_ends(rig, row):
    """Calls run while it does it; what it makes of them is its own affair, but its process must end."""
    before = len(rig.ends(row.plugin))
    answers = []

    def ended():
        answers.append(rig.daemon.rest(row.plugin, row.arguments))
        return any(e.get("reason") in row.reasons for e in rig.ends(row.plugin)[before:])
    wait_for(ended, 20, "the end of its process")
    return answers[0]


def read_offer(rig, row):
    """Not a tool's call: a read of the resource that the row names."""
    return Rest(rig.daemon.http("GET", f"/v1/resources/read?uri={row.arguments['uri']}", timeout=90))


def get_offer(rig, row):
    """… or a prompt."""
    return Rest(rig.daemon.http("POST", f"/v1/prompts/{row.arguments['name']}", {}, timeout=90))


def raised(word):
    return "".join(chr(ord(c) + 1) for c in word)


def hunt(rig, row):
    """The canary is in the daemon's environment, configuration and heap, and in another plugin."""
    for _ in range(20):
        same(text_of(rig.daemon.rest("echo", {"text": rig.canary})), rig.canary)
    answer = rig.daemon.rest(row.plugin, {"word": raised(rig.canary), "own": raised("found-what-is-mine"),
                                          "since": int(rig.planted_at) - 1}, timeout=90)
    assert answer.code is None, answer
    found = structured_of(answer)
    same(found["hits"], 0, "places where the canary was read")
    assert found["own"] > 0 and found["pages"] > 100 and found["folders"] > 3, f"the hunter sees nothing: {found}"
    same(found["proc"], False, "/proc is there")
    return answer


def escape(rig, row):
    # Not below /tmp, where the worker has a folder of its own that it may write to.
    base = pathlib.Path(rig.grants)
    secret, kept = base / "outside/secret", base / "ro/kept"
    before = [(p.read_text(), p.stat().st_mode, p.stat().st_nlink, p.stat().st_uid) for p in (secret, kept)]
    answer = rig.daemon.rest(row.plugin, {"base": str(base)})
    after = [(p.read_text(), p.stat().st_mode, p.stat().st_nlink, p.stat().st_uid) for p in (secret, kept)]
    same(after, before, "the files that it may not change")
    same(sorted(p.name for p in base.iterdir()), ["outside", "ro", "rw"], "what is beside the grants")
    same([p.name for p in (base / "outside").iterdir()], ["secret"], "what is outside")
    return answer


def reach(rig, row):
    return rig.daemon.rest(row.plugin, {"pids": [1, rig.daemon.pid, os.getpid(), *rig.daemon.workers()]})


def spam(rig, row):
    """What is said without end costs the daemon little and its log less."""
    lines, cpu, began = rig.log_bytes(), rig.cpu_seconds(), time.monotonic()
    answer = rig.daemon.rest(row.plugin, row.arguments)
    took = time.monotonic() - began
    spent, logged = rig.cpu_seconds() - cpu, rig.log_bytes() - lines
    rig.note(f"{row.plugin}: {took:.2f} s, daemon's processor time {spent:.2f} s with its neighbour, "
             f"{logged / 1024:.0f} KiB of log")
    # 64 KiB a second are kept, and each line is counted as longer than it is.
    assert logged < 400_000 * (took + 1), f"{logged} bytes of log in {took:.1f} s"
    return answer


ROWS = [
    # while it is loaded
    Row("P1", "ctor_crash", "crashes in its constructor", ("tool_not_found",), ("signal", "load_failed"), deed=load,
        ends=True),
    Row("P1", "ctor_exit0", "exits with 0 in its constructor", ("tool_not_found",),
        ("exit_without_result", "load_failed"), deed=load, ends=True),
    Row("P1", "ctor_hang", "never ends its constructor", ("tool_not_found",), ("start_timeout",), deed=load, ends=True),
    Row("P1", "ctor_probe", "tries 60 forbidden things when loaded, called", tool="probe", says=all_refused(50),
        sanitized=False),
    *(Row("P18", "forbidden", f"calls {call}", **CRASHED, reasons=("policy_violation",), arguments={"call": call},
          sanitized=False) for call in FORBIDDEN),
    Row("P18", "kernel_surface", "calls what no tool needs of the kernel", says=r"^\d\d+ refused, let through:$",
        sanitized=False),
    # how a call can end its process
    Row("P10", "null_deref", "writes through a null pointer", **CRASHED, reasons=("signal",)),
    Row("P10", "abort_", "aborts", **CRASHED, reasons=("signal",)),
    Row("P10", "stack_overflow", "overflows its stack", **CRASHED, reasons=("signal",)),
    Row("P14", "exit0", "exits with 0", **CRASHED, reasons=("exit_without_result",)),
    Row("P14", "exit_now", "ends by _exit with 0", **CRASHED, reasons=("exit_without_result",)),
    Row("P14", "longjmp_out", "jumps out of the callback", ("tool_crashed", "tool_timeout"), ("signal", "deadline"),
        limits=SOON),
    Row("P14", "pthread_exit_", "ends the host's thread", **CRASHED, reasons=("exit_without_result",)),
    Row("P12", "dtor_crash", "crashes when it is closed", says="whole", reasons=("signal",), ends=True),
    Row("P12", "dtor_hang", "never ends when it is closed", says="whole", reasons=("stop_timeout",), ends=True),
    # what is no tool ends in the same ways
    Row("P10", "bad_offers", "never returns from a read", ("tool_timeout",), ("deadline",), {"uri": "bad://spin"},
        limits=SOON_ENOUGH, deed=read_offer),
    Row("P10", "bad_offers", "crashes in a prompt", ("tool_crashed",), ("signal",), {"name": "bad"},
        limits=SOON_ENOUGH, deed=get_offer),
    Row("P13", "bad_offers", "tells changes without end", ("tool_timeout",), (), {"uri": "bad://flood"},
        limits=SOON_ENOUGH, deed=read_offer),
    # calls that do not end
    Row("P10", "spin", "never returns", **STOPPED),
    Row("P10", "deadlock", "waits for itself", **STOPPED),
    Row("P10", "later_never", "keeps its call for ever", **STOPPED),
    Row("P11", "sleep_forever", "sleeps with all signals blocked", **STOPPED),
    Row("P11", "stop_self", "stops its process (SIGSTOP)", **STOPPED),
    Row("P19", "stop_self", "takes no more frames, 17 MiB of arguments wait", **STOPPED,
        deed=stop_with_large_arguments, keeps=2 * 24 * 700),
    Row("P19", "frame_thief", "reads the host's frames itself", **STOPPED),
    Row("P10", "cpu_thief", "uses a processor for too long", ("tool_timeout",), limits={"cpu_per_call": "100ms"}),
    # bombs
    Row("P2", "fork_bomb", "forks 1,000 times", says="^0$"),
    Row("P3", "thread_bomb", "starts 5,000 threads", says=at_most(16, 1)),
    Row("P4", "malloc_bomb", "takes all memory", ("ok", "tool_crashed"), ("oom", "signal"), says=at_most(64),
        sanitized=False),
    Row("P4", "malloc_bomb", "takes all shared memory", ("ok", "tool_crashed"), ("oom", "signal"),
        arguments={"shared": True}, says=at_most(64), sanitized=False),
    Row("P4", "memfd_bomb", "fills files without a name", ("ok", "tool_crashed"), ("oom",), says="^0$"),
    Row("P5", "fd_bomb", "opens 100,000 descriptors", says=at_most(32, 1)),
    Row("P5", "send_fds", "sends the host 256 descriptors", ("ok", "tool_crashed"), ("protocol_error",),
        says=at_most(256), limits={"files": 64}),
    Row("P17", "disk_bomb", "fills /tmp", says=at_most(1024, 512)),
    Row("P17", "inode_bomb", "makes a million files", says=at_most(1024, 16)),
    Row("P17", "sparse_map", "fills /tmp through a map", ("tool_crashed", "tool_execution_failed:refused"),
        ("signal", "oom")),
    # floods
    Row("P13", "spam_stdout", "prints 256 MiB", ("ok", "tool_timeout"), arguments={"mib": 256},
        limits={"max_time": f"{2 * PATIENCE}s"}, deed=spam),
    Row("P13", "log_flood", "logs without end", ("tool_timeout",), limits=SOON, deed=spam),
    Row("P13", "progress_flood", "tells progress without end", ("tool_timeout",), limits=SOON, deed=spam),
    Row("P13", "huge_result", "gives a result of 1 GiB", ("too_large", "tool_execution_failed:too_large"),
        arguments={"bytes": 1 << 30}, limits={"memory": "3G", "result": "32M"}, sanitized=False),
    Row("P13", "huge_result", "gives a result of 24 MiB", arguments={"bytes": 24 << 20},
        limits={"memory": "3G", "result": "32M"}, sanitized=False),
    Row("P13", "result_flood", "adds to its result without end", ("tool_execution_failed:refused",), says=at_most(4),
        limits={"result": "4M"}),
    # lies
    Row("P15", "bad_json", "gives a result that is no JSON", **CRASHED, reasons=("protocol_error",)),
    Row("P15", "bad_status", "returns a status there is not", ("tool_execution_failed",)),
    Row("P15", "bad_frames", "writes rubbish to the host", **CRASHED, reasons=("protocol_error",)),
    Row("P15", "forged_result", "answers for calls of others", **CRASHED, reasons=("protocol_error",),
        deed=forge_beside_others),
    *(Row("P15", "forged_service", f"asks for a service oddly: {deed}", arguments={"deed": deed}, says="^asked$")
      for deed in ("huge", "taken", "stop", "left", "asked", "invoke", "invoke_left", "tools")),
    # More than these, which would end in quarantine here, are in test_http.py and test_invoke.py.
    *(Row("P15", "forged_service", f"asks for a service badly: {deed}", **CRASHED, reasons=("protocol_error",),
          arguments={"deed": deed}) for deed in ("twice", "more", "not_json", "invoke_text")),
    Row("P15", "forged_event", "speaks to a user it does not have", **CRASHED, reasons=("protocol_error",),
        arguments={"deed": "good"}),
    Row("P9", "ring_flip", "writes where only the daemon may", arguments={"where": "down"}, says="^0$"),
    Row("P15", "close_fds", "closes every descriptor", ("ok", "tool_crashed", "tool_timeout"),
        ("protocol_error", "exit_without_result", "deadline"), limits=SOON, ends=True),
    Row("P9", "ring_flip", "flips the indices of the memory it shares", ("ok", "tool_crashed", "tool_timeout"),
        ("protocol_error", "signal", "deadline"), arguments={"where": "index"}, limits=SOON, deed=call_until_it_ends,
        ends=True),
    Row("P9", "ring_flip", "flips all of the memory it shares", ("ok", "tool_crashed", "tool_timeout"),
        ("protocol_error", "signal", "deadline"), arguments={"where": "all"}, limits=SOON, deed=call_until_it_ends,
        ends=True),
    # reaching for others
    Row("P6", "reach_processes", "reaches for every process", says="^0$", deed=reach),
    Row("P8", "every_socket", "asks for every kind of socket", says="^896 refused$"),
    Row("P7", "canary_hunt", "looks for another's secret everywhere", limits={"max_time": "60s"}, deed=hunt,
        sanitized=False),
    Row("P7", "escape_files", "reads and changes files outside its grants", says=r"^\d+ refused, let through:$",
        deed=escape),
]


class Grants:
    """The folders of escape_files."""

    def __init__(self):
        self.path = tempfile.mkdtemp(prefix="toolhost-test.", dir="/var/tmp")
        base = pathlib.Path(self.path)
        base.chmod(0o755)
        for name in ("ro", "rw", "rw/made", "outside"):
            (base / name).mkdir()
            (base / name).chmod(0o777 if name.startswith("rw") else 0o755)
        (base / "ro/kept").write_text("kept")
        (base / "outside/secret").write_text("secret")
        (base / "outside/secret").chmod(0o666)
        (base / "rw/lead_out").symlink_to("../outside")

    def policy(self):
        return {"permissions": {"read": [f"{self.path}/ro"], "write": [f"{self.path}/rw"]}}

    def remove(self):
        shutil.rmtree(self.path, ignore_errors=True)
