"""Python clients of other authors against the real daemon: the official SDK and FastMCP, in both eras, over
HTTP and stdio.  `./dev clients` installs them."""

import json
import os
import pathlib
import subprocess
import tempfile

from harness import Daemon, PATIENCE, SOURCE, Skip, installed, main, same

PYTHON = os.environ.get("TOOLHOST_PYTHON")
PLUGINS = ["echo", "slow_echo"]
MODERN, LEGACY = "2026-07-28", "2025-11-25"


def exchange(kind, mode, *target):
    if not PYTHON or not pathlib.Path(PYTHON).exists():
        raise Skip("the Python clients are not installed: ./dev clients")
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run([PYTHON, str(SOURCE / "tests/clients/exchange.py"), kind, mode, *map(str, target)],
                              capture_output=True, text=True, cwd=home, env={**os.environ, "HOME": home},
                              timeout=120 * PATIENCE)
    same(done.returncode, 0, f"exit status, with {done.stderr[-1500:]}")
    return json.loads(done.stdout)


def check(seen, version, asked):
    same(seen["version"], version, "negotiated version")
    same(seen["server"], "toolhost" if asked else None, "name of the server")
    same(sorted(seen["tools"]), sorted(PLUGINS), "tools")
    same(seen["text"], "grüß dich", "echo")
    assert "text" in str(seen["wrong"]) and ("raised" in seen["wrong"] or seen["wrong"]["isError"]), seen["wrong"]
    assert "no_such_tool" in str(seen["unknown"]), seen["unknown"]
    assert seen["progress"] > 1, "it heard no progress"
    same(seen["parallel"], [f"n{i}" for i in range(20)], "parallel calls")


def both_carriers(kind, mode, version):
    with Daemon(plugins=PLUGINS) as d:
        check(exchange(kind, mode, "http", f"http://{d.address}/mcp"), version, mode != version)
        check(exchange(kind, mode, "stdio", installed("sbin/toolhostd"), "--stdio", "--config-dir", d.config_dir,
                       "--state-dir", "none", "--no-standard-dirs", "--plugin-dir", d.plugin_dir), version,
              mode != version)


def test_sdk_with_the_handshake():
    both_carriers("sdk", "legacy", LEGACY)


def test_sdk_that_finds_out():
    both_carriers("sdk", "auto", MODERN)


def test_sdk_pinned():
    both_carriers("sdk", MODERN, MODERN)


def test_fastmcp_with_the_handshake():
    both_carriers("fastmcp", "legacy", LEGACY)


def test_fastmcp_that_finds_out():
    both_carriers("fastmcp", "auto", MODERN)


if __name__ == "__main__":
    main()
