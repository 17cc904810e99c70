"""The sandbox on another kernel: Debian's stock one in a virtual machine, where cgroup v2 is whole and
Landlock is of an older version.

  ./dev second-kernel

Without qemu, busybox or Debian's kernel it skips with the reason."""

import pathlib
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "integration"))
from harness import BUILD, SANITIZER, installed, plugin_file  # noqa: E402
from vm import Machine, Missing, report  # noqa: E402

PLUGINS = ["echo", "fork_bomb", "spin", "malloc_bomb", "disk_bomb", "null_deref"]
SECONDS = 300


def machine():
    if SANITIZER != "no":
        raise Missing("a sanitizer build is too large for the machine")
    made = Machine(BUILD / "vm")
    for program in ("sbin/toolhostd", "bin/toolhost", "libexec/toolhost/toolhost-worker"):
        made.add_program(f"/usr/{program}", installed(program))
    for name in PLUGINS:
        made.add(f"/usr/lib/toolhost/{name}.so", plugin_file(name))
    made.text("/etc/toolhost/toolhostd.json", "{}")
    made.add("/guest.sh", HERE / "guest.sh")
    return made


if __name__ == "__main__":
    report("second kernel", lambda: machine().run("sh /guest.sh", SECONDS))
