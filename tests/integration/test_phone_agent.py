#!/usr/bin/env python3
"""examples/phone-agent: a telephone call from its webhook to its end, against OpenAI's Realtime service played."""

import os
import shutil
import subprocess
import tempfile

from harness import PATIENCE, SOURCE, installed, main, plugin_file, same
from realtime_server import interpreter

PLAY = SOURCE / "examples" / "phone-agent" / "play.py"


def play(*options):
    with tempfile.TemporaryDirectory(prefix="toolhost-test.") as plugins:
        os.chmod(plugins, 0o755)  # a daemon of root's stops being root
        shutil.copy(plugin_file("request_transfer"), plugins)
        return subprocess.run([interpreter(), "-B", str(PLAY), "--toolhostd", str(installed("sbin/toolhostd")),
                               "--plugin-dir", plugins, *options], capture_output=True, text=True, timeout=60 * PATIENCE)


def test_S0_1_S0_2_S0_61_S0_63_a_call_from_its_webhook_to_its_end():
    played = play()
    same(played.returncode, 0, played.stdout + played.stderr)
    lines = [line.strip() for line in played.stdout.splitlines()]
    for line in ("<- accept  tools: request_transfer; tool_choice: auto",
                 "<- refer  tel:+14155552000, Idempotency-Key: rtc_demo-transfer-+14155552000",
                 '<- function_call_output  {"message":"call_transfer_requested","target_uri":"+14155552000","reason":"Panne"}',
                 "1 tool_build_started", "25 tool_cancel_all_finished", "As it is to be."):
        assert line in lines, f"{line!r} is not in\n{played.stdout}"


def test_S0_62_a_call_that_goes_another_way_is_told():
    played = play("--refer-status", "403")
    same(played.returncode, 1, played.stdout + played.stderr)
    assert "22 tool_execution_error   <- expected request_transfer_refer_call_succeeded" in played.stdout, played.stdout
    assert "Not as it is to be." in played.stdout, played.stdout


if __name__ == "__main__":
    main()
