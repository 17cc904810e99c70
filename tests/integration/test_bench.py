"""What the benches reckon with: order of runs, medians, ratios, pictures, the versions of the servers beside ours.  No times."""

import contextlib
import http.server
import json
import os
import pathlib
import shutil
import signal
import sys
import threading
import xml.etree.ElementTree

from harness import BUILD, SOURCE, Daemon, Skip, installed, main, same

sys.path.insert(0, str(SOURCE / "bench"))
import call  # noqa: E402
import measure  # noqa: E402
import peers  # noqa: E402
import plot  # noqa: E402
import scale  # noqa: E402
import soak_clients  # noqa: E402
import soak_mixed  # noqa: E402
import tables  # noqa: E402
import tracepoints  # noqa: E402
import wrk  # noqa: E402


def test_runs_alternate_and_every_other_round_goes_backwards():
    order = []
    sides = {name: lambda name=name: order.append(name) or len(order) for name in "abc"}
    found = measure.alternate(sides, 3)
    same("".join(order), "abccbaabc")
    same(found, {"a": [1, 6, 7], "b": [2, 5, 8], "c": [3, 4, 9]})


def test_spread_is_the_median_and_the_middle_half():
    same(measure.spread([5]), {"median": 5, "low": 5, "high": 5, "runs": 1})
    same(measure.spread([9, 1, 5, 3, 7]), {"median": 5, "low": 3, "high": 7, "runs": 5})


def test_ratios_are_of_the_runs_beside_each_other():
    # The weather of the third round was bad for both: medians alone would say 1.
    same(measure.ratios([10, 20, 4], [20, 10, 2])["median"], 2)
    same(measure.differences([10, 20, 4], [20, 10, 2])["median"], 2)


def test_promises_that_were_not_measured_are_skipped_and_counted():
    table = measure.Promises()
    table.at_least("a", 2, 2)
    table.at_most("b", 2, None)
    assert table.good
    table.at_most("c", 2, 2.01)
    same([row["state"] for row in table.rows], ["kept", "skipped", "missed"])
    assert not table.good


def test_pictures_are_well_formed():
    rows = [("a < b & c", 2.0, 1.5, 2.5), ("none", 0.0, 0.0, 0.0)]
    series = {"one": [(1, 10), (1000, 20)], "two": [(1, 1)]}
    for drawing in (plot.bars("a <title>", rows, "×", ["none"]), plot.curves("t", "x", "y", series)):
        root = xml.etree.ElementTree.fromstring(drawing)
        assert root.tag.endswith("svg"), root.tag
        width, height = float(root.get("width")), float(root.get("height"))
        for element in root.iter():
            for name, most in (("x", width), ("x1", width), ("x2", width), ("y", height), ("y1", height), ("y2", height)):
                assert 0 <= float(element.get(name, 0)) <= most, (element.tag, element.attrib)


def test_servers_of_others_are_pinned_to_one_version():
    for one in peers.ALL:
        locks = [one.files / name for name in ("package-lock.json", "requirements.txt", "go.sum", "Cargo.lock")]
        lock = next(path for path in locks if path.exists()).read_text()
        assert one.version in lock, f"{one.name}: {one.version} is not in its lock file"
        assert '"resolved"' not in lock, f"{one.name}: its lock file names the place of a registry"


def test_slopes_are_named():
    xs = (1, 10, 100, 1000)
    for power, name in ((0, "flat"), (0.5, "less than linear"), (1, "linear"), (1.2, "MORE THAN LINEAR"), (-1, "falling")):
        value = scale.slope([(x, 7 * x ** power) for x in xs])
        assert abs(value - power) < 1e-9, value
        same(scale.named(value), name)
    same(scale.slope([(10, 5)]), None)
    same(scale.slope([(10, 5), (100, None)]), None)


class Grows:
    """A curve with a constant that hides, at first, how its cost grows."""

    def __init__(self, power):
        self.power = power

    def rows(self, points, _options=None):
        return [{"x": x, "cost": 1000 + 0.01 * x ** self.power, "shown": x ** 3, "late": 4 if x > 10 else None} for x in points]

    def curve(self):
        columns = [scale.Column("cost", "cost"), scale.Column("shown", "shown", cost=False), scale.Column("late", "late")]
        return scale.Curve("A title", "things", [1, 10, 100, 1000, 10_000, 100_000], 10_000, columns, self.rows)


def test_a_cost_that_grows_too_much_at_the_end_breaks_the_promise():
    for power, state in ((1, "kept"), (1.5, "missed")):
        grows = Grows(power)
        curve = grows.curve()
        rows = grows.rows(curve.points)
        found = scale.slopes(curve, rows)
        assert found["cost"]["slope"] < 1, "the constant hides it"
        same([row["state"] for row in scale.promises(curve, rows, found).rows], [state, "kept"], power)  # what is shown has none


def test_quick_leaves_out_the_largest_points_of_each_curve():
    for name, curve in scale.CURVES.items():
        quick = curve.chosen(True)
        same(curve.chosen(False), curve.points, name)
        assert 2 <= len(quick) < len(curve.points) and quick == curve.points[:len(quick)], name


def test_the_first_page_is_held_against_its_bound_at_the_most_tools_alone():
    curve = scale.CURVES["tools"]
    few = [{"x": x, "page_ms": 9} for x in curve.chosen(True)]
    many = few + [{"x": curve.points[-1], "page_ms": 6}]
    for rows, state in ((few, "skipped"), (many, "missed")):
        same(scale.promises(curve, rows, scale.slopes(curve, rows)).rows[-1]["state"], state)


def test_the_table_of_a_curve_has_its_points_and_slopes():
    grows = Grows(1)
    curve = grows.curve()
    rows = grows.rows(curve.points)
    found = scale.slopes(curve, rows)
    report = {"x": curve.x_title, "points": rows, "columns": {c.key: {"title": c.title, **found[c.key]} for c in curve.columns}}
    lines = tables.scaled(report).strip().splitlines()
    same(lines[0], "| things | cost | shown | late |")
    same(lines[2], "| 1 | 1,000 | 1 | - |")
    same(len(lines), 2 + len(rows) + 2)
    assert lines[-2].endswith("| 3.00, MORE THAN LINEAR | 0.00, flat |"), lines[-2]
    same(set(tables.SCALE), set(scale.CURVES))
    xml.etree.ElementTree.fromstring(scale.drawing(curve, rows))


def test_the_time_of_a_call_is_exact_and_divided_by_the_ticks_of_all_runs():
    runs = [{"ns": ns, "user": user, "kernel": 10 - user, "wakeups": 0.5, "preempted": 0, "faults": 0}
            for ns, user in ((9000, 0), (10_000, 2), (20_000, 4))]
    found = call.per_call(runs)
    same((round(found["user_us"], 9), round(found["kernel_us"], 9), found["wakeups"]), (2, 8, 0.5))
    idle = call.per_call([{**run, "ns": 0, "user": 0, "kernel": 0} for run in runs])
    same((idle["user_us"], idle["kernel_us"]), (0, 0))


def test_what_a_call_took_is_told_for_each_process():
    counts = {"daemon": {"ns": 100}, "worker": {"ns": 7}}

    def load():
        counts["daemon"] = {"ns": 300}
        return {"calls": 100}

    same(call.grown(lambda: dict(counts), load), ({"calls": 100}, {"daemon": {"ns": 2}, "worker": {"ns": 0}}))


def test_what_isolation_takes_is_told_of_the_runs_beside_each_other():
    def run(rate, p50, *ns):
        return {"rate": rate, "p50_us": p50}, {str(role): {"ns": one} for role, one in enumerate(ns)}

    found = call.isolation({"toolhostd": [run(50, 30, 9000, 3000), run(5, 300, 90_000, 30_000)],
                            call.ALONE: [run(100, 10, 8000), run(10, 280, 116_000)]})
    same([found[what]["median"] for what in ("rate", "p50_us", "cpu_us")], [0.5, 20, 4])


def test_system_calls_are_counted_while_they_are_made():
    known = tracepoints.numbers()
    if not known:
        raise Skip("tracepoints are root's, and of a kernel that has them")
    with contextlib.closing(tracepoints.Counters([os.getpid()], {name: known[name] for name in ("getppid", "pipe2")})) as counters:
        before = counters.counts()
        for _ in range(7):
            os.getppid()
        same({name: count - before[name] for name, count in counters.counts().items()}, {"getppid": 7, "pipe2": 0})


def test_the_table_of_a_call_says_what_was_not_counted():
    time = {"user_us": 1.234, "kernel_us": 5, "wakeups": 0, "preempted": 0, "faults": 0}
    found = {"nginx": time, "daemon": {**time, "system_calls": 2.5, "names": {"read": 2.5, "brk": 0.001}, "copied": 12345.6}}
    lines = call.rows(found)
    same(lines[0], ["user µs", "1.23", "1.23"])
    same({row[0]: row[1:] for row in lines}["system calls"], ["-", "2.50"])
    same({row[0]: row[1:] for row in lines}["bytes copied"], ["-", "12,346"])
    same(lines[-1], ["which", "", "read 2.50"])
    isolation = {what: measure.spread([value]) for what, value in (("rate", 0.5), ("cpu_us", 20), ("p50_us", 21))}
    text = tables.called({"environment": measure.environment(), "cases": {"one": {"roles": found, "isolation": isolation}}})
    assert "1 in flight: isolation takes 20.0 µs of processor time (20.0–20.0) and 21 µs of p50;" in text, text
    assert "- daemon: read 2.50\n" in text and "- nginx:" not in text, text


def test_without_isolation_a_call_is_run_by_the_daemon_itself():
    program = BUILD / "bench/inside"
    worker = ("--worker", installed("libexec/toolhost/toolhost-worker"))
    with Daemon(plugins=["echo"], policies={"echo": {"workers": {"ready": 1}}}, program=program, args=worker) as d:
        workers = d.workers()
        assert workers
        for pid in workers:
            os.kill(pid, signal.SIGSTOP)
        try:
            for text in ("x", "y" * 20_000, "é\n"):
                same(d.call("echo", {"text": text}).text, text)
        finally:
            for pid in workers:
                os.kill(pid, signal.SIGCONT)
def test_a_client_of_the_soak_tells_wrong_answers_from_honest_ones():
    def verdict(result):
        client = soak_clients.Client("127.0.0.1:1", 1, "")
        try:
            client.judge(result, "right", "a call")
        except soak_clients.Wrong:
            return "wrong"
        return dict(client.told) or "good"

    same(verdict({"content": [{"text": "right"}]}), "good")
    same(verdict({"content": [{"text": "that of somebody else"}]}), "wrong")
    same(verdict({"error": {"code": "tool_crashed"}}), {"tool_crashed": 1})
    same(verdict({"error": {"code": "tool_not_found"}}), "wrong")


def test_a_soak_compares_its_last_third_with_its_second():
    rests = [{"fds": n} for n in (90, 10, 50, 20, 20, 21, 20, 22, 22)]
    same(soak_mixed.growth(rests, "fds"), 2)
    same(soak_mixed.growth(rests[:1], "fds"), 0)
    before, after = ({"0.01": 5, "+Inf": 6}, {"0.01": 5, "+Inf": 5}), ({"0.01": 8, "+Inf": 12}, {"0.01": 9, "+Inf": 9})
    same(soak_mixed.slower_than(before, after), [3, 0])


class Short:
    """Options of a run."""

    runs, seconds, quick = 1, 1, False


def test_a_curve_is_measured_on_a_running_daemon():
    if not shutil.which("wrk"):
        raise Skip("there is no wrk")
    rows = list(scale.sessions([1, 300], Short))
    same([row["x"] for row in rows], [1, 300])
    for row in rows:
        assert row["rate"] > 0 and row["open_us"] > 0 and row["session_kib"] is None, row


class Answers(http.server.BaseHTTPRequestHandler):
    """The echo of a server that gets it wrong when told so."""

    def do_POST(self):
        text = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["params"]["arguments"]["text"]
        body = json.dumps({"text": "?" if self.path == "/wrong" else text}).encode()
        self.send_response(500 if self.path == "/broken" else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def test_a_server_that_answers_wrongly_is_not_measured():
    server = http.server.HTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for path, good in (("/right", True), ("/wrong", False), ("/broken", False)):
        target = wrk.Target(f"http://127.0.0.1:{server.server_port}{path}", **wrk.echo_call(50), expect="x" * 50)
        try:
            target.check()
            refused = False
        except SystemExit as why:
            refused = "a wrong answer before any load" in str(why)
        finally:
            target.close()
        same(refused, not good, path)
        assert not pathlib.Path(target.file).exists()
    server.shutdown()


def test_answers_of_another_length_under_load_are_found():
    target = wrk.Target("http://127.0.0.1:1/mcp", **wrk.echo_call(50))
    target.compare_length(5)  # nothing to compare with yet
    target.length = 1200
    target.compare_length(1230)
    try:
        target.compare_length(1000)
        raise AssertionError("shorter answers passed")
    except SystemExit as why:
        assert "answers of 1000 bytes where 1200 were expected" in str(why), why
    finally:
        target.close()


if __name__ == "__main__":
    main()
