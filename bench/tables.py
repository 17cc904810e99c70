"""Write the tables of docs/performance.md from bench/results and bench/stages.json.

  ./dev bench tables"""

import json
import sys

import call
import schema
import store
from measure import RESULTS, SOURCE, figure

PAGE = SOURCE / "docs/performance.md"
STAGES = SOURCE / "bench/stages.json"
CALL = RESULTS / "call.json"
CASES = {"many": "64 in flight", "one": "1 in flight", "large": "64 in flight, 20 KB of arguments", "crowd": "256 in flight"}
COMPARED = {"http": ("Calls over HTTP", "nginx"), "stdio": ("Calls over standard input", "cat"),
            "session": ("Calls in sessions", "nginx"), "broker": ("Requests through the daemon", "nginx")}
MEMORY = {"idle_rss_kib": "resident, idle, 20 plugins known", "idle_private_kib": "of it private",
          "launcher_private_kib": "private, of the process that starts workers", "nginx_rss_kib": "resident, nginx with one worker",
          "session_kib": "a session", "mcp_session_kib": "a session of MCP (2025-11-25)",
          "worker_private_dirty_kib": "private dirty, a worker", "worker_rss_kib": "resident, a worker"}
SCALE = ("flight", "tools", "sessions", "tenants", "size", "workers")


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def compared(report, beside):
    for case, title in CASES.items():
        if case not in report["cases"]:
            continue
        rows = []
        for name, found in report["cases"][case].items():
            ratio = found["to_reference"]
            rows.append([name, figure(found["rate"]["median"]), figure(found["p50_us"]["median"]), figure(found["p99_us"]["median"]),
                         f"{found['cpu_us']['median']:.1f}", f"{ratio['median']:.3f} ({ratio['low']:.3f}–{ratio['high']:.3f})",
                         f"{found['us_to_it']['median']:.2f}"])
        yield f"\n{title}:\n\n" + table(["", "calls/s", "p50 µs", "p99 µs", "CPU µs", f"÷ {beside}", "toolhostd ÷ it"], rows)


def promised(report):
    rows = [[row["what"], f"{row['sign']} {figure(row['bound'])} {row['unit']}",
             "-" if row["measured"] is None else figure(row["measured"]), row["state"]] for row in report["promises"]]
    return "\n" + table(["promise", "bound", "measured", ""], rows)


def memory(report):
    def middle(value):
        return value["median"] if isinstance(value, dict) else value

    found = report["figures"]
    rows = [[title, figure(middle(found[name])) + " KiB"] for name, title in MEMORY.items() if name in found]
    for name, title in (("start_ms", "start to ready"), ("start_ms_nginx", "nginx, until it accepts")):
        if name in found:
            rows.append([title, figure(middle(found[name])) + " ms"])
    return "\n" + table(["idle", ""], rows)


def scaled(report):
    """The points of a curve, and under them the slopes of its columns."""
    columns = report["columns"]
    rows = [[f"{row['x']:,}"] + ["-" if row.get(key) is None else figure(row[key]) for key in columns] for row in report["points"]]
    for name, slope, words in (("slope", "slope", "named"), ("slope at the end", "slope_end", "named_end")):
        rows.append([name] + [f"{c[slope]:.2f}, {c[words]}" if c[slope] is not None else "-" for c in columns.values()])
    return "\n" + table([report["x"]] + [c["title"] for c in columns.values()], rows)


def soaked(report):
    """Ten of its rests, and what went on between them."""
    rests, step = report["rests"], max(len(report["rests"]) // 10, 1)
    rows = [[f"{rest['minute']:.0f}", f"{rest['deeds']:,}", f"{rest['rss_kib']:,}", str(rest["fds"]), str(rest["turns_long"]),
             str(rest["turns_robbed"]), str(rest["turns_late"])]
            for rest in (rests[0], *rests[step:-1:step], rests[-1])]
    parts = [table(["minute", "deeds", "resident KiB", "descriptors", "turns that worked > 10 ms",
                    "so on a robbed processor", "turns that took > 10 ms"], rows)]
    for title, name in (("Deeds", "done"), ("Told instead of a result", "told"), ("Faults", "faults")):
        ordered = sorted(report[name].items(), key=lambda item: -item[1])
        parts.append(f"{title}: " + ", ".join(f"{count:,} {what.replace('_', ' ') if name != 'told' else f'`{what}`'}"
                                              for what, count in ordered) + ".\n")
    parts.append(f"{report['broken']:,} connections broke, {len(report['wrong'])} answers were wrong. From the second third to the last: "
                 f"{report['growth_kib']:+,.0f} KiB, {report['growth_fds']:+,.0f} descriptors.\n")
    return "\n" + "\n".join(parts)


def threaded(report):
    """Case by case; beside the first number of threads."""
    for case, results in report["cases"].items():
        rows = [[threads, *(figure(found[what]["median"]) for what in ("rate", "p50_us", "p99_us", "cpu_us", "busiest_us")),
                 f"{found['to_first']['median']:.2f} ({found['to_first']['low']:.2f}–{found['to_first']['high']:.2f})"]
                for threads, found in results.items()]
        yield f"\n{CASES[case]}:\n\n" + table(["threads", "calls/s", "p50 µs", "p99 µs", "CPU µs", "busiest thread, µs", "÷ the first"], rows)


def where(report):
    at = report["environment"]
    versions = ", ".join(f"{name} {version}" for name, version in report.get("versions", {}).items() if version)
    return (f"{at['date']}, {at['processor']}, {at['processors']} processors, Linux {at['kernel']}, {at['system']}, "
            f"load {at['load']:.1f}, toolhost {at['toolhost']}" + (f"; {versions}" if versions else "") + "\n")


# What is no curve of ./dev bench scale: its title, and what makes the parts of its text.
SECTIONS = {
    **{name: (title, lambda report, beside=beside: compared(report, beside)) for name, (title, beside) in COMPARED.items()},
    "schema": ("JSON read and checked, beside node and ajv", lambda report: ["\n" + table(*schema.rows(report["documents"]))]),
    "store": ("Durable calls", lambda report: ["\n" + table(*store.rows(report["at_once"]))]),
    "memory": ("Idle, and start", lambda report: [memory(report)]),
    "threads": ("Connections in threads", threaded),
    "soak": ("A soak with faults", lambda report: [soaked(report)]),
}
ORDER = (*COMPARED, "schema", "store", "memory", "threads", *(f"scale-{one}" for one in SCALE), "soak")


def section(name, report):
    if name in SECTIONS:
        title, make = SECTIONS[name]
        parts = list(make(report))
    else:
        title, parts = f"By {report['x']}: {report['title']}", [scaled(report)]
    if report.get("promises"):
        parts.append(promised(report))
    for who, why in report.get("missing", {}).items():
        parts.append(f"\nSkipped: {who}: {why}\n")
    picture = f"\n![{title}](../bench/results/{name}.svg)\n" if (RESULTS / f"{name}.svg").exists() else ""
    return f"\n### {title}\n\n{where(report)}{''.join(parts)}{picture}"


def stages(report):
    total = sum(report["stages"].values())
    rows = [[stage, f"{cost:,}", f"{100 * cost / total:.1f} %"] for stage, cost in report["stages"].items() if cost]
    return (f"\ngcc {report['compiler']}, {report['machine']}:\n\n"
            + table(["stage", "instructions", "share"], [*rows, ["all", f"{total:,}", ""]]) + "\n")


def called(report):
    """Where the time of a call goes, case by case."""
    parts = []
    for case, found in report["cases"].items():
        *lines, which = call.rows(found["roles"])
        parts.append(f"\n{CASES[case]}: {call.costs(found)}.\n\n" + table(["of one call", *found["roles"]], lines))
        parts.append("\nSystem calls:\n\n" + "".join(f"- {role}: {names}\n" for role, names in zip(found["roles"], which[1:]) if names))
    doorbells = f"\n{call.least(report['doorbells_us'])}.\n" if "doorbells_us" in report else ""
    return f"\n{where(report)}{''.join(parts)}{doorbells}\n"


def put(text, name, content):
    """The text with this between the two lines that name it."""
    begin, end = f"<!-- {name}: written by ./dev bench tables -->\n", f"<!-- end of {name} -->\n"
    before, found, rest = text.partition(begin)
    _, found_end, after = rest.partition(end)
    if not found or not found_end:
        sys.exit(f"{PAGE} has no place for {name}")
    return before + begin + content + end + after


def main():
    found = [(name, RESULTS / f"{name}.json") for name in ORDER]
    sections = [section(name, json.loads(path.read_text())) for name, path in found if path.exists()]
    text = put(PAGE.read_text(), "tables", "".join(sections) + "\n")
    if CALL.exists():
        text = put(text, "call", called(json.loads(CALL.read_text())))
    PAGE.write_text(put(text, "stages", stages(json.loads(STAGES.read_text()))))
    print(f"{len(sections)} sections written to {PAGE}")


if __name__ == "__main__":
    main()
