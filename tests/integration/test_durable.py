"""Calls that their callers name, through the real daemon: they run once, also over restarts, and what
came of them is known."""

import contextlib
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from harness import Daemon, comment, in_background, main, plugin_file, same, wait_for  # noqa: E402
from racing import Race  # noqa: E402


@contextlib.contextmanager
def kept(durable=True, **more):
    """A folder for the state, and one for the lines; .again() is the next daemon on them."""
    with Daemon(check=False) as keeper:
        for name in ("state", "tally"):
            (keeper.dir / name).mkdir()
            (keeper.dir / name).chmod(0o1777)
        keeper.file = keeper.dir / "tally" / "lines"
        keeper.file.touch()
        keeper.file.chmod(0o666)

        def again(**options):
            arguments = ("--state-dir", str(keeper.dir / "state")) if durable else ()
            return Daemon(**{"plugins": [plugin_file("tally")], "args": arguments,
                             "policies": {"tally": {"permissions": {"write": [str(keeper.dir / "tally")]}}},
                             **more, **options})

        def tally(d, name, **arguments):
            members = {k: arguments.pop(k) for k in ("call_id", "session_id") if k in arguments}
            return d.rest("tally", {"file": str(keeper.file), "id": name, **arguments}, **members)

        keeper.again, keeper.tally = again, tally
        keeper.ran = lambda: keeper.file.read_text().split()
        yield keeper


def text(answer):
    return answer.body["content"][0]["text"]


def status(d, name, query=""):
    answer = d.http("GET", f"/v1/calls/{name}{query}")
    return answer.json.get("status") or answer.error


def test_the_same_id_runs_once():
    with kept(durable=False) as k, k.again() as d:
        first, again = (k.tally(d, "a", call_id="1") for _ in range(2))
        same((first.status, first.body.get("replayed")), (200, None))
        same((again.status, again.body["replayed"], text(again)), (200, True, text(first)))
        same(again.answer.headers["idempotent-replayed"], "true")
        assert "idempotent-replayed" not in first.answer.headers
        same(k.ran(), ["a"])
        other = k.tally(d, "b", call_id="1")
        same((other.status, other.code), (409, "call_id_reused"))
        assert text(k.tally(d, "b")) != text(k.tally(d, "b"))  # without an id nothing is remembered
        same(k.ran(), ["a", "b", "b"])


def test_a_failure_is_a_result():
    with kept(durable=False) as k, k.again() as d:
        first, again = (k.tally(d, "a", call_id="1", fail=True) for _ in range(2))
        same((first.code, again.code, again.message, again.body["replayed"]), ("as_wished", "as_wished", "a", True))
        same(k.ran(), ["a"])


def test_of_a_session_and_of_none():
    with kept(durable=False) as k, k.again() as d:
        texts = {text(k.tally(d, "a", call_id="1", **more)) for more in ({}, {"session_id": "x"}, {"session_id": "y"})}
        same(len(texts), 3)
        same(status(d, "1", "?session_id=x"), "ended")
        same(status(d, "1", "?session_id=z"), "call_not_found")


def test_while_it_runs():
    with kept(durable=False) as k, k.again() as d:
        waiting = in_background(lambda: k.tally(d, "a", call_id="1", ms=60000))
        wait_for(k.ran, what="the run")
        again = k.tally(d, "a", call_id="1", ms=60000)
        same((again.status, again.code, again.answer.headers["retry-after"]), (409, "call_in_progress", "1"))
        same(status(d, "1"), "running")
        same(d.http("DELETE", "/v1/calls/1").status, 204)
        same(waiting().code, "tool_cancelled")
        wait_for(lambda: status(d, "1") == "ended", what="the end to be known")
        replayed = k.tally(d, "a", call_id="1", ms=60000)
        same((replayed.code, replayed.body["replayed"]), ("tool_cancelled", True))
        same(d.http("DELETE", "/v1/calls/1").error, "call_ended")


def test_cancelled_before_it_comes():
    with kept(durable=False) as k, k.again() as d:
        gone = d.http("DELETE", "/v1/calls/1")
        same((gone.status, gone.json), (202, {"call_id": "1", "status": "cancelled"}))
        same(status(d, "1"), "cancelled")
        same(k.tally(d, "a", call_id="1").code, "tool_cancelled")
        same(k.ran(), [])


def test_too_large_to_keep():
    with kept(durable=False, config={"store": {"result_max": 1024}}, plugins=["echo"]) as k, k.again() as d:
        long = "x" * 2000
        first, again = (d.rest("echo", {"text": long}, call_id="1") for _ in range(2))
        assert first.status == 200 and long in first.answer.body.decode()
        same((again.status, again.code, again.body["replayed"]), (410, "result_too_large_to_keep", True))


def test_a_background_call_of_a_session():
    with kept(durable=False) as k, k.again() as d:
        session = d.http("POST", "/v1/sessions", {}).json["session_id"]
        answer = k.tally(d, "a", call_id="1", session_id=session)
        same(answer.body["call_id"], "1")
        known = d.http("GET", f"/v1/calls/1?session_id={session}").json
        same((known["status"], known["tool"], known["result"]["ok"]), ("ended", "tally", True))
        same(status(d, "1"), "call_not_found")


# ---- over restarts

def kill(d):
    """As the machine does it: nothing is told, nothing is written."""
    d.process.kill()
    d.process.wait()
    d._clean()


def test_a_result_outlives_the_daemon():
    with kept() as k:
        with k.again() as d:
            first, failed = k.tally(d, "a", call_id="1"), k.tally(d, "b", call_id="2", fail=True)
        with k.again() as d:
            same(text(k.tally(d, "a", call_id="1")), text(first))
            again = k.tally(d, "b", call_id="2", fail=True)
            same((again.code, again.body["replayed"], failed.code), ("as_wished", True, "as_wished"))
            known = d.http("GET", "/v1/calls/1").json
            same((known["status"], known["tool"], known["result"]["ok"]), ("ended", "tally", True))
            assert known["created"] <= known["ended"]
        same(k.ran(), ["a", "b"])


def test_a_killed_daemon_s_results():
    with kept() as k:
        d = k.again()
        first = k.tally(d, "a", call_id="1")
        kill(d)
        with k.again() as d:
            same(text(k.tally(d, "a", call_id="1")), text(first))
        same(k.ran(), ["a"])


def test_what_ran_is_unknown_and_never_runs_again():
    with kept() as k:
        d = k.again()
        waiting = in_background(lambda: k.tally(d, "a", call_id="1", ms=60000))
        wait_for(k.ran, what="the run")
        kill(d)
        with contextlib.suppress(Exception):  # nobody has answered
            waiting()
        for _ in range(2):
            with k.again() as d:
                same(status(d, "1"), "unknown")
                again = k.tally(d, "a", call_id="1", ms=60000)
                same((again.status, again.code), (502, "outcome_unknown"))
                same(d.http("DELETE", "/v1/calls/1").error, "call_ended")
        same(k.ran(), ["a"])


def test_a_daemon_that_stops_lets_its_calls_end():
    with kept() as k:
        with k.again() as d:
            waiting = in_background(lambda: k.tally(d, "a", call_id="1", ms=1000))
            wait_for(k.ran, what="the run")
        first = text(waiting())
        with k.again() as d:
            same(text(k.tally(d, "a", call_id="1", ms=1000)), first)


def test_a_note_outlives_the_daemon():
    with kept() as k:
        with k.again() as d:
            same(d.http("DELETE", "/v1/calls/1").status, 202)
        with k.again() as d:
            same(k.tally(d, "a", call_id="1").code, "tool_cancelled")
        same(k.ran(), [])


def test_a_background_result_outlives_its_session():
    with kept() as k:
        with k.again() as d:
            session = d.http("POST", "/v1/sessions", {}).json["session_id"]
            k.tally(d, "a", call_id="1", session_id=session)
        with k.again() as d:
            same(d.http("GET", f"/v1/sessions/{session}").error, "session_not_found")
            known = d.http("GET", f"/v1/calls/1?session_id={session}").json
            same((known["status"], known["result"]["ok"]), ("ended", True))


def test_a_store_that_can_not_be_opened():
    with kept() as k:
        with k.again():
            other = k.again(check=False)
            try:
                same(other.process.wait(20), 1)
                other.reader.join(5)
                assert "the record of calls can't be opened" in other.raw[-1], other.raw
            finally:
                other._clean()


def test_what_can_not_be_recorded_is_not_run():
    with kept(config={"store": {"disk": 100_000}}) as k, k.again() as d:
        notes = (d.http("DELETE", f"/v1/calls/{n}-{'x' * 200}") for n in range(5000))
        full = next(answer for answer in notes if answer.status != 202)
        same((full.status, full.error, full.headers["retry-after"]), (503, "tool_unavailable", "1"))
        answer = k.tally(d, "a", call_id="1" * 200)
        same((answer.status, answer.code, answer.answer.headers["retry-after"]), (503, "tool_unavailable", "1"))
        assert "was not run" in answer.message, answer.message
        assert "full" in d.wait_log("store_unwell")["why"]
        same(k.tally(d, "b").status, 200)  # who gives no id asks for no record
        same(k.ran(), ["b"])


def test_raced_ids_and_a_killed_daemon():
    with Race(ids=20000, kills=3) as race:
        race.run()
        race.ask_again()
        figures = race.check()
        assert figures["kills"] == 4 and figures["runs"] > 15000, figures
        comment(f"{figures}, ready after at most {race.down * 1000:.0f} ms")


if __name__ == "__main__":
    main()
