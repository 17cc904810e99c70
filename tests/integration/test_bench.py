"""What the benches reckon with: order of runs, medians, ratios, pictures, the versions of the servers beside ours.  No times."""

import http.server
import json
import pathlib
import sys
import threading
import xml.etree.ElementTree

from harness import SOURCE, main, same

sys.path.insert(0, str(SOURCE / "bench"))
import measure  # noqa: E402
import peers  # noqa: E402
import plot  # noqa: E402
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
