"""The shipped unit under a real systemd: Debian's stock kernel in a virtual machine, this system's systemd
as process 1, the staged installation.

  ./dev systemd

Without qemu, busybox, systemd or Debian's kernel it skips with the reason."""

import pathlib
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "integration"))
from harness import BUILD, SANITIZER, installed, plugin_file  # noqa: E402
from vm import Machine, Missing, report  # noqa: E402

SECONDS = 300


def machine():
    if SANITIZER != "no":
        raise Missing("a sanitizer build is too large for the machine")
    made = Machine(BUILD / "vm", memory="768M")
    made.add_systemd()
    for program in ("sbin/toolhostd", "bin/toolhost", "libexec/toolhost/toolhost-worker"):
        made.add_program(f"/usr/{program}", installed(program))
    for name in ("echo", "malloc_bomb"):
        made.add(f"/usr/lib/toolhost/{name}.so", plugin_file(name))
    for file in ("systemd/system/toolhostd.service", "systemd/system/toolhostd.socket",
                 "sysusers.d/toolhost.conf", "tmpfiles.d/toolhost.conf"):
        made.add(f"/usr/lib/{file}", installed(f"lib/{file}"), 0o644)
    made.text("/etc/toolhost/toolhostd.json", "{}")
    made.text("/etc/systemd/system/toolhostd.service.d/log.conf", "[Service]\nStandardError=file:/run/toolhostd.log\n")
    made.add("/guest_systemd.sh", HERE / "guest_systemd.sh")
    return made


if __name__ == "__main__":
    report("systemd", lambda: machine().run("sh /guest_systemd.sh", SECONDS, systemd=True))
