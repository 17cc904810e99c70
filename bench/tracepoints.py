"""How often processes make each system call, counted by the kernel while they run (perf_event_open): nothing slows down.

Needs root; without it, or where the kernel was built without such tracepoints, nothing is known."""

import contextlib
import ctypes
import os
import pathlib
import platform
import re
import resource
import struct
import subprocess

PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241}.get(platform.machine())
TRACEPOINT, ATTRIBUTES = 2, 112  # PERF_TYPE_TRACEPOINT, bytes of struct perf_event_attr
INHERIT = 2  # by threads that are started meanwhile
# In a mount namespace of its own: nobody else sees what is mounted.  Where it is mounted already, it can't be once more.
LIST = "test -d /sys/kernel/tracing/events || mount -t tracefs none /sys/kernel/tracing && grep -H . /sys/kernel/tracing/events/syscalls/sys_enter_*/id"
libc = ctypes.CDLL(None, use_errno=True)


def numbers():
    """{system call: number of its tracepoint}"""
    if os.geteuid() != 0 or PERF_EVENT_OPEN is None:
        return {}
    done = subprocess.run(["unshare", "-m", "sh", "-c", LIST], capture_output=True, text=True)
    return {name: int(number) for name, number in re.findall(r"sys_enter_(\w+)/id:(\d+)$", done.stdout, re.M)}


def counter(number, thread):
    attributes = struct.pack("<IIQQQQQ", TRACEPOINT, ATTRIBUTES, number, 0, 0, 0, INHERIT).ljust(ATTRIBUTES, b"\0")
    fd = libc.syscall(PERF_EVENT_OPEN, attributes, thread, -1, -1, 0)
    if fd < 0:
        raise OSError(ctypes.get_errno(), "perf_event_open")
    return fd


class Counters:
    """Of all threads of some processes; to be closed."""

    def __init__(self, pids, tracepoints):
        threads = [int(task.name) for pid in pids for task in pathlib.Path(f"/proc/{pid}/task").iterdir()]
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        self.fds = {}
        with contextlib.ExitStack() as stack:
            stack.callback(self.close)
            for name, number in tracepoints.items():
                fds = self.fds[name] = []
                for thread in threads:
                    fds.append(counter(number, thread))
            stack.pop_all()

    def counts(self):
        """{system call: how often until now}"""
        return {name: sum(struct.unpack("=Q", os.read(fd, 8))[0] for fd in fds) for name, fds in self.fds.items()}

    def close(self):
        for fds in self.fds.values():
            for fd in fds:
                os.close(fd)
        self.fds = {}
