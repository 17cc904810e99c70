"""A small virtual machine: Debian's stock kernel under qemu, with a root file system made of what the
test names.  No acceleration is asked for, so it runs everywhere qemu does.

    machine = Machine(folder)
    machine.add_program("/usr/sbin/toolhostd", installed("sbin/toolhostd"))
    machine.add("/test.sh", "guest.sh")
    lines, status = machine.run("sh /test.sh", seconds=120)

Missing says in words what is not here."""

import gzip
import io
import pathlib
import re
import shutil
import stat
import subprocess
import sys

QEMU = "qemu-system-x86_64"
BUSYBOX = "/bin/busybox"
KERNEL_PACKAGE = "linux-image-cloud-amd64"

# The first file system of a kernel can't be pivoted away from, so everything moves into a tmpfs.
FIRST_INIT = """#!/bin/busybox sh
/bin/busybox mkdir -p /new
/bin/busybox mount -t tmpfs -o size=80% tmpfs /new
for part in /*; do [ "$part" = /new ] || /bin/busybox cp -a "$part" /new/; done
/bin/busybox mkdir -p /new/proc /new/sys /new/dev /new/tmp /new/run /new/root
exec /bin/busybox switch_root /new /init2
"""
SECOND_INIT = """#!/bin/busybox sh
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
chmod 1777 /tmp
"""
RUN_COMMAND = SECOND_INIT + """
mount -t cgroup2 cgroup /sys/fs/cgroup
ip link set lo up
echo '== begin =='
{command}
echo "== end $? =="
poweroff -f
"""
RUN_SYSTEMD = SECOND_INIT + """
exec /usr/lib/systemd/systemd --unit=command.service --show-status=no --log-target=kmsg
"""
COMMAND_SERVICE = """[Unit]
DefaultDependencies=no
[Service]
Type=oneshot
StandardOutput=tty
StandardError=tty
TTYPath=/dev/ttyS0
Environment=HOME=/root
ExecStart=/bin/sh -c "echo '== begin =='; {command}; echo == end $$? ==; poweroff -f"
"""
# What systemd consists of here, besides the units of /usr/lib/systemd/system that are no services.
SYSTEMD = ["/usr/lib/systemd/systemd", "/usr/lib/systemd/systemd-journald", "/usr/bin/systemctl",
           "/usr/bin/systemd-sysusers", "/usr/bin/systemd-tmpfiles", "/usr/bin/journalctl",
           "/usr/bin/systemd-analyze"]
MERGED = ("bin", "sbin", "lib", "lib64")


class Missing(Exception):
    """What the machine can't do without."""


def find_kernel(folder):
    """Debian's kernel, taken out of its package: downloaded once, never installed."""
    folder.mkdir(parents=True, exist_ok=True)
    found = sorted(folder.glob("boot/vmlinuz-*"))
    if found:
        return found[-1]
    if not shutil.which("apt-get"):
        raise Missing("no apt-get to fetch Debian's kernel with")
    depends = subprocess.run(["apt-cache", "depends", KERNEL_PACKAGE], capture_output=True, text=True).stdout
    package = re.search(r"Depends: (linux-image-\S+)", depends)
    if not package:
        raise Missing(f"the package list knows no {KERNEL_PACKAGE}")
    done = subprocess.run(["apt-get", "-qq", "download", package[1]], cwd=folder, capture_output=True, text=True)
    files = sorted(folder.glob("linux-image-*.deb"))
    if done.returncode != 0 or not files:
        raise Missing(f"{package[1]} could not be fetched: {done.stderr.strip()[-200:]}")
    subprocess.run(["dpkg", "-x", files[-1], folder], check=True)
    return sorted(folder.glob("boot/vmlinuz-*"))[-1]


class Machine:
    """`folder` keeps the kernel from one run to the next."""

    def __init__(self, folder, memory="512M"):
        if not shutil.which(QEMU):
            raise Missing(f"{QEMU} is not installed (package qemu-system-x86)")
        if not pathlib.Path(BUSYBOX).exists():
            raise Missing("busybox is not installed (package busybox-static)")
        self.folder, self.memory = pathlib.Path(folder), memory
        self.kernel = find_kernel(self.folder / "kernel")
        self.files = {f"/{name}": (stat.S_IFLNK | 0o777, f"usr/{name}".encode()) for name in MERGED}
        self.add(BUSYBOX, BUSYBOX)
        self.text("/etc/passwd", "root:x:0:0::/root:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n")
        self.text("/etc/group", "root:x:0:\nnogroup:x:65534:\n")
        self.text("/init", FIRST_INIT, 0o755)

    def _put(self, path, mode, data):
        if path.split("/")[1] in MERGED:
            path = "/usr" + path
        for parent in pathlib.PurePosixPath(path).parents:
            if str(parent) != "/":
                self.files.setdefault(str(parent), (stat.S_IFDIR | 0o755, b""))
        self.files[path] = (stat.S_IFREG | mode, data)

    def text(self, path, text, mode=0o644):
        self._put(path, mode, text.encode())

    def add(self, path, source, mode=0o755):
        self._put(path, mode, pathlib.Path(source).read_bytes())

    def add_program(self, path, source):
        """A file with the libraries it needs, where this system has them."""
        self.add(path, source)
        libraries = subprocess.run(["ldd", str(source)], capture_output=True, text=True).stdout
        for library in re.findall(r"(/\S+) \(0x", libraries):
            self.add(library, library)

    def add_systemd(self):
        """This system's, to be process 1."""
        for program in SYSTEMD:
            if not pathlib.Path(program).exists():
                raise Missing(f"{program} is not here (package systemd)")
            self.add_program(program, program)
        units = pathlib.Path("/usr/lib/systemd/system")
        for unit in [*units.glob("*.target"), *units.glob("systemd-journald*")]:
            if unit.is_file():
                self.add(str(unit), unit, 0o644)
        self.text("/etc/machine-id", "0123456789abcdef0123456789abcdef\n")

    def _archive(self):
        """The root file system in the kernel's cpio format ("newc")."""
        out = io.BytesIO()

        def entry(number, name, mode, data):
            fields = [number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0]
            out.write(b"070701" + b"".join(b"%08X" % f for f in fields))
            out.write(name.encode() + b"\0")
            out.write(b"\0" * (-out.tell() % 4) + data)
            out.write(b"\0" * (-out.tell() % 4))

        for number, (path, (mode, data)) in enumerate(sorted(self.files.items()), 1):
            entry(number, path.lstrip("/"), mode, data)
        entry(0, "TRAILER!!!", 0, b"")
        return gzip.compress(out.getvalue(), 1)

    def run(self, command, seconds, systemd=False):
        """Boot, run, power off: the lines the command wrote, and its status.  With systemd it is a
        service of it."""
        self.text("/init2", (RUN_SYSTEMD if systemd else RUN_COMMAND).replace("{command}", command), 0o755)
        if systemd:
            self.text("/etc/systemd/system/command.service", COMMAND_SERVICE.replace("{command}", command))
        image = self.folder / "initramfs.gz"
        image.write_bytes(self._archive())
        done = subprocess.run([QEMU, "-accel", "tcg", "-m", self.memory, "-smp", "2", "-nographic", "-no-reboot",
                               "-net", "none", "-kernel", self.kernel, "-initrd", image,
                               "-append", "console=ttyS0 quiet loglevel=3 panic=-1 random.trust_cpu=on"],
                              capture_output=True, timeout=seconds, stdin=subprocess.DEVNULL)
        text = done.stdout.decode(errors="replace").replace("\r", "")
        began, ended = text.find("== begin ==\n"), re.search(r"^== end (\d+) ==$", text, re.M)
        if began < 0 or not ended:
            raise AssertionError(f"the machine did not get through:\n{text[-3000:]}")
        return text[began + 12:ended.start()].splitlines(), int(ended[1])


def report(name, run):
    """Print as TAP what the checks of a machine said; `run` boots it."""
    try:
        lines, status = run()
    except Missing as why:
        print(f"1..0 # SKIP {why}")
        return
    number = 0
    for line in lines:
        verdict = "not ok" if line.startswith("not ok ") else "ok" if line.startswith("ok ") else None
        if verdict:
            number += 1
            line = f"{verdict} {number} - {name}: {line.removeprefix(verdict).lstrip()}"
        print(line if verdict else f"# {line.removeprefix('# ')}")
    print(f"1..{number}")
    sys.exit(0 if status == 0 and number > 0 else 1)
