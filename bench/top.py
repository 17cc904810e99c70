"""What toolhost top shows under a mixed load: calls that go well, wait, fail, crash and are refused.

  ./dev bench top [SECONDS]

The table is printed as `toolhost top --once` prints it, of an interval of two seconds in the middle of the load."""

import pathlib
import subprocess
import sys
import threading

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests/integration"))
from harness import Daemon, installed, wait_for  # noqa: E402

PLUGINS = ["echo", "slow_echo", "calculator", "hash", "clock", "null_deref"]
# Tool, arguments, callers.
LOAD = [
    ("echo", {"text": "hello"}, 4),
    ("calculator", {"expression": "2^64-1"}, 2),
    ("hash", {"text": "hello", "algorithm": "sha256"}, 2),
    ("clock", {"op": "now"}, 1),
    ("slow_echo", {"ms": 200, "text": "later"}, 3),
    ("echo", {"txt": "no such argument"}, 1),
    ("null_deref", {}, 1),
]


def keep_calling(d, tool, arguments, ended):
    while not ended.is_set():
        d.rest(tool, arguments)


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 2
    ended = threading.Event()
    with Daemon(plugins=PLUGINS) as d:
        callers = [threading.Thread(target=keep_calling, args=(d, tool, arguments, ended))
                   for tool, arguments, count in LOAD for _ in range(count)]
        for caller in callers:
            caller.start()
        try:
            wait_for(lambda: len({e["tool"] for e in d.log_events("tool_call_finished")}) >= 5, 30, "a call of each tool")
            subprocess.run([installed("bin/toolhost"), "--socket", d.socket, "top", "--once", "--interval", f"{int(seconds * 1000)}"],
                           check=True)
        finally:
            ended.set()
            for caller in callers:
                caller.join(60)


if __name__ == "__main__":
    main()
