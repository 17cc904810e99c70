"""A thousand plugins: copies of one small plugin whose name has a number of fixed width."""

import time

from harness import Daemon, comment, main, plugin_file, same, wait_for, PATIENCE

COUNT = 1000
TEMPLATE_NAME = b"numbered_0000"


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


def timed(d):
    at = time.monotonic()
    d.mcp("tools/list")
    return time.monotonic() - at


if __name__ == "__main__":
    main()
