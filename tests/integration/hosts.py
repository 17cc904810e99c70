"""Hosts that allow less than this one: what a daemon does before it is one, for Daemon(prepare=…)."""

import ctypes
import os
import platform
import struct

USER = 12345  # an ordinary user, who needs no entry in /etc/passwd

CLONE_NEWUSER = 0x10000000
PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS = 4, 38
SECCOMP_SET_MODE_FILTER = 1
EPERM, ENOSYS = 1, 38
ARM = platform.machine() == "aarch64"
SECCOMP, CLONE, UNSHARE = (277, 220, 97) if ARM else (317, 56, 272)
CLONE3, LANDLOCK_CREATE_RULESET = 435, 444

libc = ctypes.CDLL(None, use_errno=True)


def check(result, what):
    if result != 0:
        raise OSError(ctypes.get_errno(), what)


def ordinary_user():
    """Not root; who runs the tests as somebody else stays that."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(USER)
        os.setuid(USER)


def no_user_namespaces():
    """A hardened distribution: the sysctl says that nobody makes any."""
    ordinary_user()
    uid, gid = os.geteuid(), os.getegid()
    libc.prctl(PR_SET_DUMPABLE, 1)
    check(libc.unshare(CLONE_NEWUSER), "unshare")
    for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
        with open(f"/proc/self/{name}", "w") as f:
            f.write(text)
    with open("/proc/sys/user/max_user_namespaces", "w") as f:
        f.write("0")


def instruction(code, jump_true, jump_false, value):
    return struct.pack("=HBBI", code, jump_true, jump_false, value)


def filter_calls(*rows):
    """Each row: a system call's number, bits of its first argument that make it forbidden (0: always), the errno."""
    load, equal, any_bit, answer = 0x20, 0x15, 0x45, 0x06
    allow, errno = 0x7FFF0000, 0x00050000
    program = b""
    for number, bits, error in rows:
        program += instruction(load, 0, 0, 0)
        if bits:
            program += instruction(equal, 0, 3, number) + instruction(load, 0, 0, 16)
            program += instruction(any_bit, 0, 1, bits)
        else:
            program += instruction(equal, 0, 1, number)
        program += instruction(answer, 0, 0, errno | error)
    program += instruction(answer, 0, 0, allow)
    code = ctypes.create_string_buffer(program)

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]

    head = Program(len(program) // 8, ctypes.cast(code, ctypes.c_void_p))
    check(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no new privileges")
    check(libc.syscall(SECCOMP, SECCOMP_SET_MODE_FILTER, 0, ctypes.byref(head)), "seccomp")


NO_NAMESPACES = ((CLONE3, 0, ENOSYS), (CLONE, CLONE_NEWUSER, EPERM), (UNSHARE, CLONE_NEWUSER, EPERM))


def container():
    """A container's usual seccomp profile: clone3 is not there, new user namespaces are refused."""
    filter_calls(*NO_NAMESPACES)


def container_of_a_user():
    ordinary_user()
    container()


def container_without_landlock():
    """One on a kernel that has no Landlock either: nothing hides the host's files."""
    ordinary_user()
    filter_calls((LANDLOCK_CREATE_RULESET, 0, ENOSYS), *NO_NAMESPACES)
