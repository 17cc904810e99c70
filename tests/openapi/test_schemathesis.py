"""The daemon's description of itself, by other people's programs: openapi-spec-validator judges it, and
schemathesis makes requests of it, well formed and hostile ones.  None may be answered with 5xx, in a way that
is not described, or as if nothing were wrong with it.

`./dev test schemathesis` installs both (PyPI) and runs this in full; `./dev test` with fewer requests."""

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "integration"))
from harness import PATIENCE, Daemon, Skip, main, same  # noqa: E402
from realtime_server import RealtimeServer  # noqa: E402
from test_auth import new_key  # noqa: E402
from test_manage import GRANTS  # noqa: E402

HOOKS = pathlib.Path(__file__).with_name("hooks.py")
VENV = os.environ.get("TOOLHOST_OPENAPI")
FULL = os.environ.get("TOOLHOST_SCHEMATHESIS") == "full"
EXAMPLES = 25 if FULL else 4
PLUGINS = ["echo", "calculator", "greeter", "asks", "talk", "deeds"]

CONFIG = """
seed = 20261122
hooks = "{hooks}"
request-timeout = 20.0
max-stream-events = 2
headers = {{ Authorization = "Bearer {key}" }}
warnings = false

[parameters]
"query.wait" = "false"
"query.follow" = "false"

[generation]
database = "none"
max-examples = {examples}
allow-x00 = {nul}

[checks.negative_data_rejection]
expected-statuses = [{refused}]

[checks.positive_data_acceptance]
expected-statuses = [{accepted}]
"""

REFUSED = ["400", "401", "403", "404", "405", "406", "409", "410", "412", "413", "414", "415", "416", "422", "426", "429",
           "431"]
# Good answers to a request that is well formed: of these, what it names is not there, or is there already.
ACCEPTED = ["2xx", "404", "409", "412"]
# … and what a schema can't say: {operation: status}.
ALSO = {
    "answerAsk": "422",
    **dict.fromkeys(("createTool", "putTool", "patchTool", "restoreTool", "putEndpoint", "patchEndpoint",
                     "restoreEndpoint", "testTool"), "4xx"),  # a plugin judges what they are
    "callTool": "422",  # the arguments don't fit the tool
    "converse": "426",  # no WebSocket is asked for
    "getResult": "416",
    "listTools": "400",  # strict, of a format that has no such form
    "postMcp": "4xx",  # a protocol has its own order
    "runAgui": "400",  # nothing at all
    "streamSessionEvents": "400",  # behind an event that was not yet
    "takeRealtimeWebhook": "401",  # nobody signs it
}
# What is wrong in the body, only the plugin that builds such tools could say; the stand-in does not.
PLUGIN_JUDGES = {"testTool"}
# Without its session MCP has one method only.
NO_SESSION = {"streamMcp", "endMcp"}
# They end when their session does; what they say at once is all there is to see.
STREAMS = {"streamMcp", "streamSessionEvents"}
STREAM_SECONDS = 0.5


def program(name):
    if not VENV or not pathlib.Path(VENV, "bin", name).is_file():
        raise Skip(f"{name} is not installed: ./dev test schemathesis")
    return str(pathlib.Path(VENV, "bin", name))


def quoted(words):
    return ", ".join(f'"{word}"' for word in words)


def operation(name):
    """What is particular of one, for schemathesis.toml."""
    lines = ["", "[[operations]]", f'include-operation-id = "{name}"']
    if name in STREAMS:
        lines += [f"request-timeout = {STREAM_SECONDS}"]
    if name in ALSO:
        lines += ["[operations.checks.positive_data_acceptance]",
                  f"expected-statuses = [{quoted([*ACCEPTED, ALSO[name]])}]"]
    if name in PLUGIN_JUDGES:
        lines += ["[operations.checks.negative_data_rejection]", f"expected-statuses = [{quoted(['200', *REFUSED])}]"]
    if name in NO_SESSION:
        lines += ["[operations.checks.missing_required_header]", 'expected-statuses = ["401", "403", "405"]']
    return "\n".join(lines) + "\n"


def settings(key, nul):
    """What schemathesis.toml holds."""
    text = CONFIG.format(hooks=HOOKS, key=key, examples=EXAMPLES, nul=str(nul).lower(), refused=quoted(REFUSED),
                         accepted=quoted(ACCEPTED))
    return text + "".join(map(operation, sorted({*ALSO, *NO_SESSION, *PLUGIN_JUDGES, *STREAMS})))


@contextlib.contextmanager
def described():
    """A daemon that serves all that is described: (daemon, its manager's key)."""
    with RealtimeServer() as service, tempfile.TemporaryDirectory(prefix="toolhost-openapi.") as folder:
        os.chmod(folder, 0o755)
        secret = pathlib.Path(folder, "webhook")
        secret.write_text("whsec_QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo=")
        secret.chmod(0o600)
        config = {**service.config(webhook_secret_file=str(secret)), "auth": {"required": True}}
        with Daemon(plugins=PLUGINS, config=config, tenants={"acme": {"pin": True}}, policies=GRANTS) as d:
            yield d, new_key(d, "all", "--role", "manage")


def test_the_description_is_valid():
    validator = program("openapi-spec-validator")
    with described() as (d, _), tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "openapi.json")
        file.write_bytes(d.http("GET", "/openapi.json").body)
        done = subprocess.run([validator, "--schema", "3.1", str(file)], capture_output=True, text=True)
        same(done.returncode, 0, f"exit status, with {done.stdout[-2000:]}{done.stderr[-1000:]}")


def run(d, key, folder, nul, *more):
    """Run schemathesis: (its report, what it printed)."""
    config, report, description = (folder / name for name in ("schemathesis.toml", "report.json", "openapi.json"))
    config.write_text(settings(key, nul))
    description.write_bytes(d.http("GET", "/openapi.json").body)  # a file: read from its path, that would be left out
    done = subprocess.run(
        [program("st"), "--config-file", str(config), "run", str(description), "--url", f"http://{d.address}",
         "--checks", "all", "--no-color", "--continue-on-failure", "--report", "json", "--report-json-path",
         str(report), *more],
        capture_output=True, text=True, cwd=folder, env={**os.environ, "HOME": str(folder)}, timeout=280 * PATIENCE)
    assert report.exists(), done.stdout[-2000:] + done.stderr[-2000:]
    return json.loads(report.read_text()), done.stdout


def check(nul, *more, phases):
    program("st")
    with described() as (d, key), tempfile.TemporaryDirectory(prefix="toolhost-openapi.") as folder:
        report, output = run(d, key, pathlib.Path(folder), nul, *more)
        if report["exit_code"] != 0:
            print("\n".join("# " + line for line in output.splitlines()))
        same(report["failures"], [], "what schemathesis found")
        # A stream that has nothing to say yet is not wrong: it alone has so little time.
        quiet = output.count(f"Read timed out after {STREAM_SECONDS} seconds")
        same(sum(error["count"] for error in report["errors"]), quiet, "errors")
        operations = sum(len(path) for path in d.http("GET", "/openapi.json").json["paths"].values())
        same(report["operations"]["tested"], operations, "operations that were tested")
        done = {"success", "error"} if quiet else {"success"}
        assert all(report["phases"][name]["status"] in done for name in phases), report["phases"]
        print(f"# {report['test_cases']['generated']} requests in {report['running_time']:.0f} s")
        same([e for e in d.lines if e.get("event") in ("worker_crashed", "plugin_quarantined")], [], "crashes")
        same(d.http("GET", "/healthz").status, 200)


def test_requests_of_all_kinds_find_nothing():
    check(False, phases=("examples", "coverage", "fuzzing", "stateful"))


def test_nor_do_those_with_nul():
    """U+0000 in a name or a parameter is refused, which no schema says: what is well formed can't be told."""
    phases = ("coverage", "fuzzing") if FULL else ("fuzzing",)
    check(True, "--phases", ",".join(phases), "--exclude-checks", "positive_data_acceptance", phases=phases)


if __name__ == "__main__":
    main()
