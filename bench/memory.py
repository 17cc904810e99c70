"""What the daemon costs while nothing is asked of it, and how soon it serves.

  ./dev bench memory [--keep] [--json] [NAME…]

Idle memory with 20 plugins known and none running; a session of the daemon's own interface and one of MCP, of 10,000 that
are idle; the process of an idle worker; the time from the start of the program to the line "ready" in its log, with what
it learnt of its plugins the last time.  nginx, idle with one worker, stands beside the daemon: it was started here, too."""

import argparse
import contextlib
import http.client
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

import measure
import plot
import servers
from harness import Daemon, descendants, installed, wait_for
from measure import Promises
from promises import copies

QUIET = {"log_calls_per_second": 0}
SESSIONS, PLUGINS, STARTS = 10_000, 20, 15
MCP_SESSIONS = SESSIONS - 100  # there may be 10,000
INITIALIZE = {"jsonrpc": "2.0", "id": 1, "method": "initialize",
              "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}}


def pages(pid):
    """KiB of a process by kind, as the kernel adds them up."""
    text = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
    return {kind: int(kib) for kind, kib in re.findall(r"^(\w+): +(\d+) kB", text, re.M)}


def resident(pid):
    return pages(pid)["Rss"]


class Keeper:
    """Holds the folders of a daemon, so that it is started again with the same files."""

    def __init__(self, stack):
        self.folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="toolhost-bench.")))
        self.folder.chmod(0o755)
        for name, mode in (("plugins", 0o755), ("config", 0o755), ("state", 0o777), ("run", 0o1777)):
            (self.folder / name).mkdir()
            (self.folder / name).chmod(mode)
        files, _ = copies(self.folder / "plugins", PLUGINS)
        for file in files:
            file.chmod(0o755)
        (self.folder / "config/toolhostd.json").write_text(json.dumps(QUIET))

    def start(self):
        """(process, milliseconds until it was ready)."""
        command = [installed("sbin/toolhostd"), "--config-dir", self.folder / "config", "--no-standard-dirs",
                   "--plugin-dir", self.folder / "plugins", "--state-dir", self.folder / "state", "--listen", "127.0.0.1:0",
                   "--socket", self.folder / "run/toolhostd.sock"]
        at = time.perf_counter()
        process = subprocess.Popen(list(map(str, command)), stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
        for line in process.stderr:
            if b'"event":"ready"' in line:
                return process, (time.perf_counter() - at) * 1000
        sys.exit("the daemon ended before it was ready")

    @staticmethod
    def stop(process):
        process.send_signal(signal.SIGTERM)
        process.stderr.read()
        process.wait()


def starts():
    """Milliseconds to "ready", of starts with a warm cache, beside those of nginx until it accepts."""
    def ours():
        process, took = keeper.start()
        keeper.stop(process)
        return took

    def theirs():
        at = time.perf_counter()
        with servers.nginx():
            return (time.perf_counter() - at) * 1000

    with contextlib.ExitStack() as stack:
        keeper = Keeper(stack)
        for _ in range(3):
            ours()
        found = measure.alternate({"toolhostd": ours, "nginx": theirs}, STARTS)
    return {"start_ms": measure.spread(found["toolhostd"]), "start_ms_nginx": measure.spread(found["nginx"])}


def idle():
    """With 20 plugins that are known and not running."""
    with contextlib.ExitStack() as stack:
        keeper, found = Keeper(stack), []
        for _ in range(5):
            process, _ = keeper.start()
            wait_for(lambda: len(descendants(process.pid)) <= 1, 20, "the end of the workers that described")
            time.sleep(0.2)
            found.append(pages(process.pid))
            launcher = [pages(pid) for pid in descendants(process.pid)]
            keeper.stop(process)
        nginx = stack.enter_context(servers.nginx())
        beside = [pages(pid) for pid in [nginx.pid, *descendants(nginx.pid)]]
    return {"idle_rss_kib": measure.spread([one["Rss"] for one in found]),
            "idle_private_kib": measure.spread([one["Private_Clean"] + one["Private_Dirty"] for one in found]),
            "idle_anonymous_kib": measure.spread([one["Anonymous"] for one in found]),
            "launcher_private_kib": sum(one["Private_Clean"] + one["Private_Dirty"] for one in launcher),
            "nginx_rss_kib": sum(one["Rss"] for one in beside),
            "nginx_private_kib": sum(one["Private_Clean"] + one["Private_Dirty"] for one in beside)}


def asker(daemon):
    host, port = daemon.address.rsplit(":", 1)
    connection = http.client.HTTPConnection(host, int(port), timeout=30)

    def ask(path, body, headers):
        connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json", **headers})
        answer = connection.getresponse()
        text = answer.read()
        assert answer.status in (200, 201, 202), f"{path}: {answer.status} {text[:200]!r}"
        return answer
    return ask


def growth(daemon, make, count=SESSIONS):
    """KiB of each of so many, after a hundred that nobody counts."""
    for _ in range(100):
        make()
    before = daemon.rss()
    for _ in range(count):
        make()
    return (daemon.rss() - before) / count


def sessions():
    limits = {"max": 2 * SESSIONS, "tenant_max": 2 * SESSIONS, "principal_max": 2 * SESSIONS}
    with Daemon(plugins=["echo"], config={**QUIET, "sessions": limits}) as d:
        ask = asker(d)
        own = growth(d, lambda: ask("/v1/sessions", {"context": {"user": {"name": "Ada"}}}, {}))
        mcp = growth(d, lambda: ask("/mcp", INITIALIZE, {"Accept": "application/json, text/event-stream"}), MCP_SESSIONS)
    return {"session_kib": own, "mcp_session_kib": mcp}


def worker():
    """Private dirty KiB of the processes of a worker that has run a call, and the resident ones."""
    with Daemon(plugins=["echo"], config=QUIET, policies={"echo": {"workers": {"ready": 1}}}) as d:
        assert d.call("echo", {"text": "x"}).text == "x"
        time.sleep(0.3)
        found = [pages(pid) for pid in d.workers()]
    return {"worker_private_dirty_kib": sum(one["Private_Dirty"] for one in found),
            "worker_rss_kib": sum(one["Rss"] for one in found), "worker_processes": len(found)}


PARTS = {"idle": idle, "sessions": sessions, "worker": worker, "start": starts}


def promises(found):
    table = Promises()

    def middle(name, scale=1):
        value = found.get(name)
        return None if value is None else (value["median"] if isinstance(value, dict) else value) / scale

    table.at_most(f"resident, idle, {PLUGINS} plugins known and none running", 12, middle("idle_rss_kib", 1024), "MiB")
    table.at_most("an idle session (/v1/sessions)", 4, middle("session_kib"), "KiB")
    table.at_most("an idle session of MCP (2025-11-25)", 4, middle("mcp_session_kib"), "KiB")
    table.at_most("private dirty memory of an idle worker", 0.5, middle("worker_private_dirty_kib", 1024), "MiB")
    table.at_most(f"start to ready with a warm cache, {PLUGINS} plugins", 20, middle("start_ms"), "ms")
    return table


def show(found):
    for name, value in found.items():
        if isinstance(value, dict):
            print(f"  {name:28} {value['median']:10.1f}   ({value['low']:.1f}–{value['high']:.1f}, {value['runs']} runs)")
        else:
            print(f"  {name:28} {value:10.2f}")


def drawing(found):
    rows = [(name, value["median"], value["low"], value["high"]) for name, value in found.items()
            if isinstance(value, dict) and name.endswith("_kib")]
    rows += [(name, value, value, value) for name, value in found.items() if isinstance(value, (int, float)) and name.endswith("_kib")]
    return plot.bars("Idle memory, KiB", rows, "KiB", [name for name, *_ in rows if not name.startswith("nginx")])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PARTS) + " (all)")
    measure.add_options(parser)
    options = parser.parse_args()
    found = {}
    for name in options.names or PARTS:
        found.update(PARTS[name]())
    table = promises(found)
    if not options.json:
        show(found)
        table.show()
    measure.save("memory", {"figures": found, "promises": table.rows}, options, drawing(found) if "idle_rss_kib" in found else None)
    sys.exit(0 if table.good else 1)


if __name__ == "__main__":
    main()
