"""Many plugins: copies of one whose name has a number of fixed width."""

import itertools
import time
import types

from harness import Daemon, comment, main, plugin_file, same, wait_for, PATIENCE, SANITIZER
from many_tools import check_walk, put, take_away, tools_of, walk
from mcp_wire import Session

COUNT = 1000
TEMPLATE_NAME = b"numbered_0000"
ROOM = {} if SANITIZER == "no" else {"memory_max": "4G"}  # it remembers what was freed


def fill(d):
    template = plugin_file("numbered").read_bytes()
    assert TEMPLATE_NAME in template
    for i in range(COUNT):
        target = d.plugin_dir / f"copy_{i:04}.so"
        target.write_bytes(template.replace(TEMPLATE_NAME, b"numbered_%04d" % i))
        target.chmod(0o755)


def ready(d):
    d.wait_log("ready", timeout=120)
    return time.monotonic() - d.started_at


def start(state, plugin_dir):
    return Daemon(args=["--state-dir", str(state), "--plugin-dir", str(plugin_dir)], check=False)


def test_a_thousand_plugins():
    with Daemon() as first:
        fill(first)
        state = first.dir / "state"
        state.mkdir(mode=0o777)
        state.chmod(0o1777)
        seconds = []
        for _ in range(2):
            with start(state, first.plugin_dir) as d:
                seconds.append(ready(d))
                d.address = d.wait_log("listening")["address"]
                wait_for(lambda: d.http("GET", "/readyz").status == 200, 60, "readyz")
                same(len(d.tools()), COUNT, "tools")
                same(d.call("numbered_0707").text, "numbered_0707")
                listing = sorted(timed(d) for _ in range(50))
                workers = len(d.workers())
                d.check = True
                comment(f"start to ready {seconds[-1] * 1000:.0f} ms, a page of tools/list "
                        f"p50 {listing[25] * 1000:.1f} ms, {workers} worker processes")
                assert workers < 50, "workers are kept for tools nobody calls"
        assert seconds[1] < 5 * PATIENCE, f"the second start took {seconds[1]:.1f} s"


def test_more_than_ten_thousand_tools_are_all_there_at_ready():
    """Not for each plugin that is described is the list made again then; when all are, it has them all."""
    numbers = range(110)
    with Daemon() as first:
        folder = types.SimpleNamespace(plugin_dir=first.dir / "many")
        folder.plugin_dir.mkdir(mode=0o755)
        for number in numbers:
            put(folder, number)
        with Daemon(args=["--plugin-dir", str(folder.plugin_dir)], config={"page_size": 5000, **ROOM}, ready_within=120) as d:
            same(len(d.log_events("plugin_loaded", least=len(numbers))), len(numbers))
            names = d.tools()
            same(len(names), len(numbers) * 100)
            check_walk(names, stayed=numbers)
            same(d.call("hundred_0109_99", {"account": "a"}).text, "hundred_0109")


def timed(d):
    at = time.monotonic()
    d.mcp("tools/list")
    return time.monotonic() - at


class Changes:
    """Plugins that come, go and are replaced, one change after another; each is seen before the next."""

    def __init__(self, d):
        self.d, self.made, self.generations = d, 0, itertools.count(1)
        self.steps = itertools.cycle([lambda: self.goes(1), lambda: self.replaced(3), lambda: self.comes(1),
                                      lambda: self.replaced(4), lambda: self.comes(9), lambda: self.goes(9)])

    def goes(self, number):
        take_away(self.d, number)
        self.d.wait_tool(tools_of(number)[0], present=False, timeout=15)

    def comes(self, number):
        put(self.d, number)
        self.d.wait_tool(tools_of(number)[0], timeout=15)

    def replaced(self, number):
        before = len(self.d.log_events("plugin_loaded"))
        put(self.d, number, next(self.generations))
        self.d.wait_log("plugin_loaded", after=before)

    def step(self):
        next(self.steps)()
        self.made += 1


def test_pages_while_plugins_come_and_go():
    """After each page another plugin comes, goes or is replaced: what stays is on some page once."""
    with Daemon(config={"page_size": 70}) as d:
        for number in range(6):
            put(d, number)
        wait_for(lambda: len(d.tools()) == 600, 30, "600 tools")
        changes, session = Changes(d), Session(d)
        for ask in (lambda params: d.mcp("tools/list", params).json["result"],
                    lambda params: session.ask("tools/list", params)["result"]):
            check_walk(walk(ask, changes.step), stayed=(0, 2, 3, 4, 5))
        assert changes.made >= 2 * 7, changes.made


if __name__ == "__main__":
    main()
