"""The audit, through the real daemon: what is recorded, that it is whole, and that harm to it is found."""

import contextlib
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from harness import Daemon, installed, main, run, same, wait_for  # noqa: E402


@contextlib.contextmanager
def kept():
    """A folder for the state; .again() is the next daemon on it."""
    with Daemon(check=False) as keeper:
        keeper.state = keeper.dir / "state"
        keeper.state.mkdir()
        keeper.state.chmod(0o1777)
        keeper.folder = keeper.state / "audit"
        keeper.again = lambda **more: Daemon(plugins=["echo", "calculator"], args=("--state-dir", str(keeper.state)), **more)
        yield keeper


def cli(*words):
    return run(installed("bin/toolhost"), "audit", *words)


def query(k, *words):
    code, out, err = cli("query", str(k.folder), *words, "--json")
    same(code, 0, err)
    return [json.loads(line) for line in out.splitlines()]


def head(k):
    code, out, err = cli("verify", str(k.folder), "--json")
    same(code, 0, err)
    return json.loads(out)


def first_file(k):
    return sorted(k.folder.iterdir())[0]


def test_calls_are_recorded_and_the_chain_is_whole():
    with kept() as k:
        with k.again() as d:
            d.rest("echo", {"text": "hello"}, call_id="one")
            d.rest("echo", {"tekst": "hello"}, call_id="two")
            d.rest("nothing", {}, call_id="three")
            wait_for(lambda: len(query(k, "event=tool_call")) == 3)
        calls = query(k, "event=tool_call")
        same([(c["tool"], c["outcome"], c["call"]) for c in calls],
             [("echo", "ok", "one"), ("echo", "tool_args_invalid", "two"), ("nothing", "tool_not_found", "three")])
        same(calls[0]["tenant"], "default")
        same(calls[0]["front"], "rest")
        same(len(calls[0]["arguments_sha256"]), 64)
        assert "hello" not in first_file(k).read_text()
        events = [r["event"] for r in query(k)]
        same(events[0], "started", events)
        same(events[-1], "stopped", events)
        found = head(k)
        same((found["whole"], found["first"], found["last"]), (True, 1, len(events)))


def test_it_goes_on_after_a_restart_and_after_a_kill():
    with kept() as k:
        with k.again() as d:
            d.rest("echo", {"text": "a"})
            wait_for(lambda: len(query(k, "event=tool_call")) == 1)
            d.check = False
            d.process.kill()
            d.process.wait()
        before = head(k)
        with k.again() as d:
            d.rest("echo", {"text": "b"})
            wait_for(lambda: len(query(k, "event=tool_call")) == 2)
        same(head(k)["first"], 1)
        code, _, err = cli("verify", str(k.folder), "head=" + before["head"])
        same(code, 0, err)


def test_what_was_changed_is_found_and_not_gone_on_with():
    with kept() as k:
        with k.again() as d:
            d.rest("echo", {"text": "a"})
            wait_for(lambda: len(query(k, "event=tool_call")) == 1)
        file = first_file(k)
        was = file.read_text()
        last = was.splitlines()[-1]
        file.write_text(was.replace('"tool":"echo"', '"tool":"ecco"'))
        code, _, err = cli("verify", str(k.folder))
        same(code, 1, err)
        assert "is not what its hash says" in err and f"{file}:" in err, err
        file.write_text(was.replace(last, last.replace('"event"', '"evemt"')))
        with k.again(check=False) as d:
            assert d.process.wait(20) != 0
            d.reader.join(5)
            assert "the audit can't be gone on with" in "\n".join(d.raw), d.raw
        file.write_text(was)
        made_anew = "0" * 64
        code, _, err = cli("verify", str(k.folder), "head=" + made_anew)
        same(code, 1, err)
        assert "the chain was made anew" in err, err


def test_with_a_key():
    with kept() as k:
        key = k.dir / "audit.key"
        key.write_text("a key that is long enough\n")
        key.chmod(0o644)
        with k.again(config={"audit": {"key_file": str(key), "arguments": "shape"}}) as d:
            d.rest("echo", {"text": "hello"})
            wait_for(lambda: len(query(k, f"key_file={key}", "event=tool_call")) == 1)
        same(query(k, f"key_file={key}", "event=tool_call")[0]["arguments"], {"text": "<string of 5>"})
        code, _, err = cli("verify", str(k.folder))
        same(code, 1, err)
        with k.again(check=False) as d:
            assert d.process.wait(20) != 0


def test_queries():
    with kept() as k:
        with k.again() as d:
            for n in range(5):
                d.rest("echo", {"text": str(n)})
            d.rest("calculator", {"expression": "1 + 1"}, call_id="a,b")
            wait_for(lambda: len(query(k, "event=tool_call")) == 6)
        same(len(query(k, "tool=echo")), 5)
        same(len(query(k, "tool=echo", "limit=2")), 2)
        same(len(query(k, "tool=echo", "since=1h")), 5)
        same(query(k, "tool=echo", "until=1h"), [])
        same(query(k, "tool=echo", "since=2100"), [])
        code, out, _ = cli("export", str(k.folder), "call=a,b")
        same(code, 0)
        rows = out.splitlines()
        same(rows[0], "seq,ts,event,tenant,principal,tool,outcome,call")
        assert rows[1].endswith(',"a,b"'), rows
        for word, why in (("tol=echo", "expected event="), ("since=yesterday", "expected a time")):
            code, _, err = cli("query", str(k.folder), word)
            same(code, 2, err)
            assert why in err, err
        code, _, err = cli("verify", str(k.dir / "nowhere"))
        same(code, 1, err)
        assert "No such file" in err, err


def test_files_that_can_not_be_begun():
    """Where the audit is required nothing runs without it."""
    with kept() as k:
        with k.again(config={"audit": {"required": True, "segment": "64K"}}) as d:
            same(d.rest("echo", {"text": "a"}).code, None)
            wait_for(lambda: len(query(k, "event=tool_call")) == 1)  # a file was begun
            k.folder.chmod(0o500)
            wait_for(lambda: d.rest("echo", {"text": "b"}).code == "tool_unavailable", 20)
            k.folder.chmod(0o700)
            wait_for(lambda: d.rest("echo", {"text": "c"}).code is None)
        found = head(k)
        same((found["whole"], found["files"]), (True, 2))
        same(query(k, "event=audit_gap"), [])


def test_bad_settings():
    for config, why in (({"audit": {"arguments": "all"}}, "/audit/arguments"),
                        ({"audit": {"keep": "1s"}}, "/audit/keep"),
                        ({"audit": {"kee": "1h"}}, "keep"),
                        ({"audit": {"key_file": "/nowhere"}}, "/audit/key_file")):
        with Daemon(check=False, config=config) as d:
            assert d.process.wait(20) != 0
            d.reader.join(5)
            assert why in "\n".join(d.raw), (why, d.raw)


def test_its_files_take_no_more_than_they_may():
    """The oldest go while calls are made; what is left is proved, unless somebody else cuts it."""
    with kept() as k:
        with k.again(config={"audit": {"segment": "64K", "disk": "1M"}}) as d:
            d.http("GET", "/healthz")
            n = 0
            while len(list(k.folder.iterdir())) < 8:
                d.rest("echo", {"text": "x"}, call_id=f"{n}-" + "i" * 100)
                n += 1
            metrics = d.http("GET", "/metrics").body.decode()
            assert "toolhost_audit_segments_removed_total 0" in metrics, metrics
        with k.again(config={"audit": {"segment": "64K", "disk": 1 << 20, "keep": "1h"}}) as d:
            for file in sorted(k.folder.iterdir())[:3]:
                os.utime(file, (1000, 1000))
            d.rest("echo", {"text": "x"})
        with k.again(config={"audit": {"segment": "64K", "keep": "1h"}}) as d:
            wait_for(lambda: "toolhost_audit_segments_removed_total 3" in d.http("GET", "/metrics").body.decode())
        found = head(k)
        assert found["first"] > 1, found
        removed = query(k, "event=audit_segment_removed")
        same((len(removed), removed[-1]["last"] + 1), (3, found["first"]))
        first_file(k).unlink()
        code, _, err = cli("verify", str(k.folder))
        same(code, 1, err)
        assert "no record tells that those before it were removed" in err, err


def test_bounds_of_its_files_are_checked():
    for audit, why in (({"disk": "1K"}, "/audit/disk: "), ({"disk": "much"}, "/audit/disk: "), ({"disc": 1}, "/audit/disc: unknown property")):
        with Daemon(plugins=["echo"], config={"audit": audit}, check=False) as d:
            assert d.process.wait(20) != 0
            d.reader.join(5)
            assert why in "\n".join(d.raw), d.raw


if __name__ == "__main__":
    main()
