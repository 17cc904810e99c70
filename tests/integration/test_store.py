"""The durable store, through the real daemon: it is shown, copied, brought back; what is wrong with its file is
told before anything is served."""

import contextlib
import json
import os
import pathlib
import shutil
import sqlite3
import stat
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from harness import Daemon, installed, main, run, same, wait_for  # noqa: E402


@contextlib.contextmanager
def kept():
    """A folder for the state; .again() is the next daemon on it."""
    with Daemon(check=False) as keeper:
        keeper.state = keeper.dir / "state"
        keeper.state.mkdir()
        keeper.state.chmod(0o1777)
        keeper.file = keeper.state / "toolhost.db"
        keeper.again = lambda **more: Daemon(plugins=["echo"], args=("--state-dir", str(keeper.state)), **more)
        yield keeper


def named(d, name):
    return d.rest("echo", {"text": name}, call_id=name)


def status(d, name):
    answer = d.http("GET", f"/v1/calls/{name}")
    return answer.json.get("status") or answer.error


def cli(d, *words):
    return run(installed("bin/toolhost"), "--socket", d.socket, *words)


def told(*words):
    """What toolhost prints as JSON."""
    code, out, err = words
    same(code, 0, err)
    return json.loads(out)


def copy_of(d, *name):
    return pathlib.Path(told(*cli(d, "store", "backup", *name, "--json"))["file"])


def refused(k):
    """What a daemon says that does not start on this folder."""
    with k.again(check=False) as d:
        assert d.process.wait(20) != 0
        d.reader.join(5)
        return "\n".join(d.raw)


def test_it_is_shown():
    with kept() as k, k.again() as d:
        named(d, "a")
        shown = told(*cli(d, "store", "--json"))
        same([shown[n] for n in ("engine", "durable", "file", "well")], ["sqlite", True, str(k.file), True])
        same([shown[n] for n in ("calls", "running", "unknown", "failures")], [1, 0, 0, 0])
        assert shown["commits"] >= 2 and shown["acts"] >= 2 and shown["bytes"] > 4096, shown
        same(stat.S_IMODE(os.stat(k.file).st_mode), 0o600)
        assert "toolhost_store_calls 1\n" in d.http("GET", "/metrics").body.decode()


def end_long_ago(file):
    """All that is known of calls is over; sqlite3 has the file while no daemon has."""
    with contextlib.closing(sqlite3.connect(file)) as store, store:
        store.execute("UPDATE call SET ended_ms = 1")


def test_the_file_shrinks_when_what_was_in_it_is_over():
    with kept() as k:
        with k.again() as d:
            for n in range(12):
                same(d.rest("echo", {"text": "x" * 900000}, call_id=f"large-{n}").status, 200)
        full = k.file.stat().st_size
        assert full > 12 * 900000, full
        end_long_ago(k.file)
        with k.again() as d:
            wait_for(lambda: k.file.stat().st_size < full / 2)
            same(status(d, "large-1"), "call_not_found")
            shown = told(*cli(d, "store", "--json"))
            same((shown["calls"], shown["forgotten"]), (0, 12))
            metrics = d.http("GET", "/metrics").body.decode()
            assert "toolhost_store_forgotten_total 12\n" in metrics and "toolhost_store_free_bytes " in metrics
            named(d, "new")
        assert k.file.stat().st_size < full / 2


def test_a_file_is_made_anew_while_no_daemon_has_it():
    with kept() as k:
        vacuum = installed("bin/toolhost"), "store", "vacuum", str(k.state)
        with k.again() as d:
            same(d.rest("echo", {"text": "x" * 900000}, call_id="large").status, 200)
            named(d, "a")
            code, _, err = run(*vacuum)
            assert code == 1 and "another daemon has it, process" in err, err
        with contextlib.closing(sqlite3.connect(k.file)) as store, store:
            store.execute("DELETE FROM call WHERE id <> (SELECT id FROM call ORDER BY number DESC)")
            store.execute("DELETE FROM chunk")
        said = told(*run(*vacuum, "--json"))
        same(said["after"], k.file.stat().st_size)
        assert said["after"] < said["before"] / 2, said
        same(stat.S_IMODE(os.stat(k.file).st_mode), 0o600)
        with k.again() as d:
            same(status(d, "a"), "ended")


def test_a_copy_is_made_while_calls_run():
    with kept() as k:
        with k.again() as d:
            failures, count, ended = [], [0], threading.Event()
            calling = threading.Thread(target=call_until, args=(d, failures, count, ended))
            calling.start()
            wait_for(lambda: count[0] > 20, what="calls")
            copies = [copy_of(d, f"copy{n}.db") for n in range(3)]
            ended.set()
            calling.join(30)
            same(failures, [])
            code, out, err = cli(d, "store", "backup", "copy1.db")
            same(code, 1, out)
            assert "File exists" in err, err
            assert cli(d, "store", "backup", "../x")[0] != 0
        for copy in copies:
            same((copy.parent, stat.S_IMODE(copy.stat().st_mode)), (k.state / "backups", 0o600))
        for old in k.state.glob("toolhost.db*"):
            old.unlink()
        shutil.move(copies[-1], k.file)
        with k.again() as d:
            for n in range(20):
                same(status(d, f"call{n}"), "ended")
            same(named(d, "call0").body["replayed"], True)


def call_until(d, failures, count, ended):
    while not ended.is_set():
        answer = named(d, f"call{count[0]}")
        if not answer.body.get("ok"):
            failures.append(repr(answer))
        count[0] += 1


def test_only_who_manages_copies_it():
    with kept() as k, k.again() as d:
        same(d.http("POST", "/v1/store/backup").error, "not_allowed")
        same((k.state / "backups").exists(), False)


def test_one_daemon_has_it():
    with kept() as k, k.again() as d:
        said = refused(k)
        assert f"{k.file}: another daemon has it, process " in said, said
        same(named(d, "a").body["ok"], True)


def test_a_damaged_file_is_left_alone():
    with kept() as k:
        with k.again() as d:
            for n in range(50):
                named(d, f"call{n}")
        with open(k.file, "r+b") as file:
            file.seek(4096)
            file.write(b"\xa5" * 4096 * 4)
        before = k.file.read_bytes()
        said = refused(k)
        assert f"{k.file}: it is damaged" in said and "toolhost store backup" in said, said
        same(k.file.read_bytes() == before, True)


def test_without_a_state_folder_it_is_in_memory():
    with Daemon(plugins=["echo"]) as d:
        named(d, "a")
        shown = told(*cli(d, "store", "--json"))
        same((shown["engine"], shown["durable"], "file" in shown, shown["calls"]), ("memory", False, False, 1))
        code, out, err = cli(d, "store", "backup")
        same(code, 1, out)
        assert "the store is in memory" in err, err


if __name__ == "__main__":
    main()
