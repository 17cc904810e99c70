"""The real daemon in a folder of its own, for tests that talk to it.

    def test_echo():
        with Daemon(plugins=["echo"]) as d:
            assert d.call("echo", {"text": "hi"}).text == "hi"

    if __name__ == "__main__":
        main()

Every test_* function of the file is one point of TAP.  Where things are comes from the environment
`make check` sets: TOOLHOST_STAGE (a staged installation), TOOLHOST_BUILD (hostile plugins).
"""

import contextlib
import ctypes
import http.client
import inspect
import json
import os
import pathlib
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback

SOURCE = pathlib.Path(os.environ.get("TOOLHOST_SOURCE", pathlib.Path(__file__).parents[2]))
BUILD = pathlib.Path(os.environ.get("TOOLHOST_BUILD", SOURCE / "build"))
STAGE = pathlib.Path(os.environ.get("TOOLHOST_STAGE", BUILD / "stage"))
PREFIX = os.environ.get("TOOLHOST_PREFIX", "/usr")
CONFIG = STAGE / os.environ.get("TOOLHOST_CONFIG", "/etc/toolhost").lstrip("/")
SANITIZER = os.environ.get("TOOLHOST_SANITIZER") or "no"
# What is slow under a sanitizer gets this many times the time.
PATIENCE = 1 if SANITIZER == "no" else 6

# Every daemon has so many threads for its connections, where a test does not say otherwise.
THREADS = int(os.environ.get("TOOLHOST_THREADS") or 0)

MODERN = "2026-07-28"
LEGACY = "2025-11-25"
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "harness", "version": "1"},
}

# The process that stays root.
LAUNCHER = "toolhost-launch"

# What a sanitizer reports of daemon or workers; crashes are not among it, some tests are about them.
REPORTS = ("ThreadSanitizer: data race", "ThreadSanitizer: lock-order", "LeakSanitizer: detected", "runtime error:",
           "AddressSanitizer: heap", "AddressSanitizer: stack-buffer", "AddressSanitizer: global-buffer")


class Skip(Exception):
    """Raised by a test that can't be run here; its text says why."""


def installed(path):
    """A file of the staged installation, by its path below the prefix."""
    return STAGE / PREFIX.lstrip("/") / path


def plugin_file(name):
    """The .so of a bundled plugin or of one that only tests use."""
    bundled = (installed(f"lib/toolhost/{name}.plugin/{name}.so"), installed(f"lib/toolhost/{name}.so"))
    folders = ("tests/hostile", "tests/integration", "plugins/conformance")
    for place in (*bundled, *(BUILD / folder / ".libs" / f"{name}.so" for folder in folders)):
        if place.exists():
            return place
    raise FileNotFoundError(f"no plugin {name}: neither bundled nor among those of the tests")


def wait_for(predicate, timeout=10, what="the condition"):
    """What predicate returned when it was first true; a failure after `timeout` seconds."""
    end = time.monotonic() + timeout * PATIENCE
    while True:
        value = predicate()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"{what} did not come true within {timeout * PATIENCE} s")
        time.sleep(0.005)


def same(got, expected, what=""):
    """assert that says both sides."""
    assert got == expected, f"{what or 'value'}: expected {expected!r}, got {got!r}"


class Answer:
    """An HTTP answer: status, headers (lower case), body."""

    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        kind = self.headers.get("content-type", "")
        if kind.startswith("text/event-stream"):
            return self.events[-1]
        return json.loads(self.body)

    @property
    def events(self):
        """The messages of an event stream."""
        lines = self.body.decode().split("\n")
        return [json.loads(line[5:]) for line in lines if line.startswith("data:") and line[5:].strip()]

    @property
    def error(self):
        """The error's code in whichever form it came, or None."""
        return (self.json.get("error") or {}).get("code")

    def __repr__(self):
        return f"{self.status} {self.body[:600]!r}"


class Outcome:
    """The result of one tools/call."""

    def __init__(self, answer):
        self.answer = answer
        message = answer.json
        self.rpc_error = message.get("error")
        self.result = message.get("result") or {}
        self.is_error = bool(self.result.get("isError"))
        self.content = self.result.get("content", [])
        self.structured = self.result.get("structuredContent")
        self.text = "".join(part.get("text", "") for part in self.content)

    @property
    def ok(self):
        return self.rpc_error is None and not self.is_error and self.answer.status == 200

    def __repr__(self):
        return repr(self.answer)


class Rest:
    """The result of POST /v1/tools/{name}/call."""

    def __init__(self, answer):
        self.answer, self.status = answer, answer.status
        self.body = answer.json
        self.code = (self.body.get("error") or {}).get("code")
        self.message = (self.body.get("error") or {}).get("message")

    def __repr__(self):
        return repr(self.answer)


class Pipe:
    """A daemon on standard input and output: one message a line."""

    def __init__(self, process):
        self.process = process
        self.next_id = 0

    def send(self, message):
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def receive(self):
        line = self.process.stdout.readline()
        assert line, "the daemon closed its output"
        return json.loads(line)

    def ask(self, method, params=None, modern=True):
        """Send a request, skip notifications, return the response."""
        self.next_id += 1
        params = dict(params or {})
        if modern:
            params["_meta"] = {**ENVELOPE, **params.get("_meta", {})}
        self.send({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params})
        while True:
            message = self.receive()
            if message.get("id") == self.next_id:
                return message


class Daemon:
    """A running toolhostd.

    plugins   names (bundled or hostile) or paths of .so files, copied into a plugin folder; NAME.plugin is
              the folder of one, with the skills it has in the source
    tenants   {name: what its file of tenants.d holds}
    policies  {name: policy}; a bundled plugin without one gets the policy it ships with
    config    members of toolhostd.json
    args      more command line
    stdio     speak over .pipe instead of listening
    limits    {a resource.RLIMIT_*: its value} of the daemon, soft and hard
    pass_fds  descriptors it inherits
    user      start it as this uid, with the gid of the same number (needs root)
    ready_within  seconds; more for very many plugins
    under     command line of a program that runs the daemon
    program   what is run instead of the toolhostd that is installed
    prepare   called in the new process before it becomes the daemon (hosts.py has some)
    check     wait until it is ready, and look for leftovers at the end
    """

    def __init__(self, plugins=(), policies=None, config=None, args=(), stdio=False, env=None, check=True,
                 limits=None, user=None, ready_within=15, prepare=None, pass_fds=(), tenants=None, under=(), program=None):
        # A root daemon stops being root; it still has to get at its files.
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="toolhost-test."))
        self.dir.chmod(0o755)
        self.plugin_dir = self.dir / "plugins"
        self.config_dir = self.dir / "config"
        self.policy_dir = self.config_dir / "plugins.d"
        self.socket = self.dir / "run" / "toolhostd.sock"
        for folder in (self.plugin_dir, self.config_dir, self.policy_dir, self.socket.parent):
            folder.mkdir(mode=0o755)
        if os.geteuid() == 0:
            self.socket.parent.chmod(0o1777)
        for plugin in plugins:
            if str(plugin).endswith(".plugin"):
                self.add_folder(pathlib.Path(plugin).stem)
            else:
                self.add(plugin)
        for name, policy in (policies or {}).items():
            self.policy(name, policy)
        for name, tenant in (tenants or {}).items():
            self.tenant(name, tenant)
        self.write_config(config or {})
        self.lines, self.raw = [], []
        self.heard = threading.Condition()
        self.check = check
        self.stdio = stdio
        self.limits = limits or {}
        self.pass_fds = pass_fds
        self.user, self.ready_within = user, ready_within
        self.prepare = prepare
        self.under = under
        self.program = program or installed("sbin/toolhostd")
        self.address = None
        self.started_at = time.monotonic()
        try:
            self._start(args, env or {})
        except BaseException:
            self._clean()
            raise

    # ---- files

    def add(self, plugin, name=None):
        """Put a plugin where the daemon looks, in one step."""
        source = pathlib.Path(plugin) if os.sep in str(plugin) else plugin_file(plugin)
        target = self.plugin_dir / f"{name or source.stem}.so"
        part = self.plugin_dir / f".{target.name}.part"
        shutil.copyfile(source, part)
        part.chmod(0o755)
        part.rename(target)
        shipped = CONFIG / "plugins.d" / f"{source.stem}.json"
        if shipped.exists() and not (self.policy_dir / shipped.name).exists():
            shutil.copyfile(shipped, self.policy_dir / shipped.name)
        return target

    def add_folder(self, plugin, skills=None):
        """Put a plugin there as NAME.plugin, in one step; skills is {path: text or bytes}, without it those
        of the source."""
        target = self.plugin_dir / f"{plugin}.plugin"
        part = self.plugin_dir / f".{target.name}.part"
        part.mkdir(mode=0o755)
        shutil.copyfile(plugin_file(plugin), part / f"{plugin}.so")
        if skills is None:
            shutil.copytree(SOURCE / "plugins" / plugin / "skills", part / "skills")
        for path, content in (skills or {}).items():
            file = part / "skills" / path
            file.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
            file.write_bytes(content if isinstance(content, bytes) else content.encode())
        for place in (part, *part.rglob("*")):
            place.chmod(0o755)
        if target.exists():
            exchange(part, target)
            shutil.rmtree(part)
        else:
            part.rename(target)
        return target

    def replace(self, name, number):
        """The same plugin as another file (what follows the last section is not looked at), until it is live."""
        other = self.dir / "other.so"
        other.write_bytes(plugin_file(name).read_bytes() + f"generation {number}".encode())
        before = len(self.log_events("plugin_loaded"))
        self.add(other, name)
        self.wait_log("plugin_loaded", after=before)

    def policy(self, name, policy):
        text = policy if isinstance(policy, str) else json.dumps(policy)
        (self.policy_dir / f"{name}.json").write_text(text)

    def tenant(self, name, tenant):
        """Put a tenant's file in its place, in one step."""
        folder = self.config_dir / "tenants.d"
        folder.mkdir(mode=0o755, exist_ok=True)
        part = folder / f".{name}.part"
        part.write_text(tenant if isinstance(tenant, str) else json.dumps(tenant))
        part.rename(folder / f"{name}.json")

    def write_config(self, config):
        if THREADS and isinstance(config, dict):
            config = {"threads": THREADS, **config}
        text = config if isinstance(config, str) else json.dumps(config)
        (self.config_dir / "toolhostd.json").write_text(text)

    # ---- life

    def _start(self, args, env):
        command = [*self.under, str(self.program), "--config-dir", str(self.config_dir),
                   "--no-standard-dirs", "--plugin-dir", str(self.plugin_dir)]
        if "--state-dir" not in args:
            command += ["--state-dir", "none"]
        command += ["--stdio"] if self.stdio else ["--listen", "127.0.0.1:0", "--socket", str(self.socket)]
        pipe = subprocess.PIPE if self.stdio else subprocess.DEVNULL
        self.process = subprocess.Popen(command + list(args), stdin=pipe, stdout=pipe,
                                        stderr=subprocess.PIPE, env={**os.environ, **env},
                                        preexec_fn=self._before_exec, pass_fds=self.pass_fds)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        self.pipe = Pipe(self.process) if self.stdio else None
        if self.check and not self.stdio:
            self.address = self.wait_log("listening", lambda e: str(e.get("address", "")).startswith("127."))["address"]
            self.wait_log("ready", timeout=self.ready_within)
            self.ready_after = time.monotonic() - self.started_at

    def _before_exec(self):
        for kind, value in self.limits.items():
            resource.setrlimit(kind, (value, value))
        if self.user is not None:
            os.setgroups([])
            os.setgid(self.user)
            os.setuid(self.user)
        if self.prepare:
            self.prepare()

    def _read(self):
        for line in self.process.stderr:
            with self.heard:
                self.raw.append(line.decode(errors="replace").rstrip("\n"))
                with contextlib.suppress(ValueError):
                    event = json.loads(line)
                    if isinstance(event, dict):
                        self.lines.append(event)
                self.heard.notify_all()
        with self.heard:
            self.heard.notify_all()

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        try:
            if kind is None:
                self.stop()
        finally:
            if kind is not None:
                for line in self.raw[-15:]:
                    print(f"# log: {line[:400]}")
            self._clean()

    def stop(self):
        """End the daemon as an operator does; it must leave nothing behind."""
        workers = self.workers()
        if self.process.poll() is None:
            if self.stdio:
                self.process.stdin.close()
            else:
                self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(15 * PATIENCE)
        self.reader.join(5)
        if self.check:
            same(status, 0, "exit status of the daemon")
            same([line for line in self.raw if any(report in line for report in REPORTS)], [], "sanitizer reports")
            wait_for(lambda: not any(map(is_running, workers)), 5, "the end of all workers")

    def _clean(self):
        process = getattr(self, "process", None)
        if process is not None:
            if process.poll() is None:
                process.kill()
                process.wait()
            for stream in (process.stdin, process.stdout):
                if stream:
                    with contextlib.suppress(OSError):
                        stream.close()
            self.reader.join(5)
            process.stderr.close()
        shutil.rmtree(self.dir, ignore_errors=True)

    # ---- log

    def log_events(self, name, where=None, least=0, timeout=15):
        """All of this name that fit and have come; before, it waits for as many as there must be at least: a thread of the
        daemon writes the log, and what it tells of may be answered sooner."""
        end = time.monotonic() + timeout * PATIENCE
        with self.heard:
            while True:
                found = [e for e in self.lines if e.get("event") == name and (where is None or where(e))]
                if len(found) >= least or time.monotonic() >= end or not self.reader.is_alive():
                    return found
                self.heard.wait(0.1)

    def wait_log(self, name, where=None, timeout=15, after=0):
        """The first event of this name (beyond the `after` first ones) that fits."""
        found = self.log_events(name, where, after + 1, timeout)
        if len(found) > after:
            return found[after]
        ended = "" if self.reader.is_alive() else " before the daemon ended"
        raise AssertionError(f"no log event {name!r}{ended}; the log ends with\n" + "\n".join(self.raw[-15:]))

    # ---- talking

    def http(self, method, path, body=None, headers=None, timeout=30):
        """One request on a connection of its own.  A body that is no bytes is sent as JSON."""
        host, port = self.address.rsplit(":", 1)
        connection = http.client.HTTPConnection(host, int(port), timeout=timeout * PATIENCE)
        sent = dict(headers or {})
        if body is not None and not isinstance(body, (bytes, str)):
            body = json.dumps(body, ensure_ascii=False)
        if body is not None and not any(name.lower() == "content-type" for name in sent):
            sent["Content-Type"] = "application/json"
        with contextlib.closing(connection):
            connection.request(method, path, body.encode() if isinstance(body, str) else body, sent)
            response = connection.getresponse()
            return Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())

    def send_raw(self, data, timeout=10):
        """Bytes as they are; all that comes back until the daemon closes."""
        host, port = self.address.rsplit(":", 1)
        with socket.create_connection((host, int(port)), timeout * PATIENCE) as s:
            s.sendall(data)
            s.shutdown(socket.SHUT_WR)
            got = b""
            with contextlib.suppress(ConnectionResetError):
                while chunk := s.recv(65536):
                    got += chunk
            return got

    def mcp(self, method, params=None, headers=None, meta=None, timeout=30):
        """A request of the 2026-07-28 wire, with its envelope and headers."""
        params = {**(params or {}), "_meta": {**ENVELOPE, **(meta or {})}}
        sent = mcp_headers(method, params)
        sent.update(headers or {})
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return self.http("POST", "/mcp", body, sent, timeout)

    def call(self, tool, arguments=None, timeout=30, **more):
        params = {"name": tool, "arguments": {} if arguments is None else arguments}
        return Outcome(self.mcp("tools/call", params, timeout=timeout, **more))

    def rest(self, tool, arguments=None, timeout=30, **members):
        body = {"arguments": {} if arguments is None else arguments, **members}
        return Rest(self.http("POST", f"/v1/tools/{tool}/call", body, timeout=timeout))

    def tools(self):
        """All names of tools/list, over all its pages."""
        names, cursor = [], None
        while True:
            result = self.mcp("tools/list", {"cursor": cursor} if cursor else {}).json["result"]
            names += [tool["name"] for tool in result["tools"]]
            cursor = result.get("nextCursor")
            if not cursor:
                return names

    def wait_tool(self, name, present=True, timeout=5):
        wait_for(lambda: (name in self.tools()) == present, timeout,
                 f"tool {name} to be {'there' if present else 'gone'}")

    # ---- the processes

    @property
    def pid(self):
        """The process that serves: the one whose signals and memory count."""
        return self.process.pid

    def status(self, pid=None):
        """/proc/PID/status as a dict."""
        text = pathlib.Path(f"/proc/{pid or self.pid}/status").read_text()
        return {k: v.strip() for k, _, v in (line.partition(":") for line in text.splitlines())}

    def rss(self):
        """Resident KiB of the daemon."""
        return int(self.status()["VmRSS"].split()[0])

    def fds(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def workers(self):
        """Every process of a worker."""
        return [pid for pid in descendants(self.pid) if pid != self.launcher()]

    def launcher(self):
        """The process that starts workers for a daemon that was root, or None."""
        return next((pid for pid in children(self.pid) if name_of(pid) == LAUNCHER), None)

    def signal(self, number):
        self.process.send_signal(number)


def mcp_headers(method, params):
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": MODERN,
               "Mcp-Method": method}
    named = "uri" if method == "resources/read" else "name"
    if named in params:
        headers["Mcp-Name"] = str(params[named])
    return headers


def exchange(one, other):
    """Let two paths change places, in one step."""
    at_cwd, rename_exchange = -100, 2
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.renameat2(at_cwd, os.fsencode(one), at_cwd, os.fsencode(other), rename_exchange) != 0:
        raise OSError(ctypes.get_errno(), f"renameat2 {one} {other}")


def is_running(pid):
    """Is there such a process, and is it no zombie?"""
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


def name_of(pid):
    """The name of a process as ps shows it; None when it is gone."""
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()


def children(root):
    return parents().get(root, [])


def descendants(root):
    below, found, queue = parents(), [], [root]
    while queue:
        here = below.get(queue.pop(), [])
        found += here
        queue += here
    return found


def parents():
    """The children of every process that has some."""
    found = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError):
                stat = pathlib.Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()
                found.setdefault(int(stat[1]), []).append(int(entry))
    return found


def run(*command, timeout=60, **more):
    """A program of the installation to its end: (status, stdout, stderr)."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          timeout=timeout * PATIENCE, **more)
    return done.returncode, done.stdout, done.stderr


def in_background(function, *args, **more):
    """Run in a thread; calling what is returned waits and gives the result, or raises."""
    box = {}

    def body():
        try:
            box["value"] = function(*args, **more)
        except BaseException as e:  # handed to whoever waits
            box["error"] = e

    thread = threading.Thread(target=body, daemon=True)
    thread.start()

    def result(timeout=60):
        thread.join(timeout * PATIENCE)
        assert not thread.is_alive(), "still running in the background"
        if "error" in box:
            raise box["error"]
        return box["value"]

    return result


def keep_calling(d, failures, count, ended):
    while not ended.is_set():
        text = f"n{count[0]}"
        count[0] += 1
        outcome = d.call("echo", {"text": text})
        if not outcome.ok or outcome.text != text:
            failures.append(repr(outcome))


def under_load(d, act):
    """What act() returns, while three callers call without a pause; none of the calls may fail."""
    failures, count, ended = [], [0], threading.Event()
    callers = [threading.Thread(target=keep_calling, args=(d, failures, count, ended)) for _ in range(3)]
    for caller in callers:
        caller.start()
    try:
        result = act()
    finally:
        ended.set()
        for caller in callers:
            caller.join(60)
    same(failures, [], "failed calls")
    assert count[0] > 10, count
    comment(f"{count[0]} calls")
    return result


def comment(text):
    for line in str(text).splitlines():
        print(f"# {line}", flush=True)


def main():
    """Run the test_* functions of the calling file, in their order, and print TAP."""
    scope = inspect.stack()[1].frame.f_globals
    wanted = sys.argv[1:]
    tests = [(n, f) for n, f in scope.items() if n.startswith("test_") and callable(f)
             and (not wanted or n in wanted)]
    suite = pathlib.Path(scope["__file__"]).stem.removeprefix("test_")
    if not installed("sbin/toolhostd").exists():
        print(f"1..0 # SKIP no daemon at {installed('sbin/toolhostd')}")
        return
    signal.alarm(600 * PATIENCE)
    print(f"1..{len(tests)}", flush=True)
    failed = 0
    for number, (name, function) in enumerate(tests, 1):
        title = f"{number} - {suite}: {name.removeprefix('test_').replace('_', ' ')}"
        try:
            function()
            print(f"ok {title}", flush=True)
        except Skip as e:
            print(f"ok {title} # SKIP {e}", flush=True)
        except BaseException as e:
            failed += 1
            comment("".join(traceback.format_exception(e)))
            print(f"not ok {title}", flush=True)
            if isinstance(e, KeyboardInterrupt):
                raise
    sys.exit(1 if failed else 0)
