"""Plugins come, change and go while the daemon serves."""

import time

from harness import Daemon, in_background, main, plugin_file, same, under_load, wait_for
from test_guards import approve, asked

LIVE_WITHIN = 1  # seconds, as promised


def test_a_plugin_dropped_in_is_live():
    with Daemon(plugins=["echo"]) as d:
        same(d.tools(), ["echo"])
        d.add("hash")
        at = time.monotonic()
        wait_for(lambda: len(d.tools()) > 1, 5, "the new tool")
        assert time.monotonic() - at < LIVE_WITHIN * 5, "it took too long"


def test_T3_11_14_a_removed_plugin_is_gone():
    with Daemon(plugins=["echo", "calculator"]) as d:
        d.call("echo", {"text": "x"})
        (d.plugin_dir / "echo.so").unlink()
        d.wait_tool("echo", present=False)
        same(d.rest("echo", {"text": "x"}).code, "tool_not_found")
        assert "calculator" in d.tools()


def test_no_call_is_lost_while_a_plugin_is_replaced():
    with Daemon(plugins=["echo"]) as d:
        under_load(d, lambda: [d.replace("echo", i) for i in range(5)])


def test_the_old_worker_ends_after_a_swap():
    with Daemon(plugins=["echo"]) as d:
        d.call("echo", {"text": "x"})
        old = set(d.workers())
        assert old, "no worker after a call"
        d.replace("echo", 1)
        wait_for(lambda: not old & set(d.workers()), 15, "the end of the old workers")
        assert d.call("echo", {"text": "x"}).ok


def test_files_that_are_no_plugins_poison_nothing():
    with Daemon(plugins=["echo"]) as d:
        (d.plugin_dir / "text.so").write_text("this is no shared object\n")
        (d.plugin_dir / "empty.so").write_text("")
        (d.plugin_dir / "half.so").write_bytes(plugin_file("echo").read_bytes()[:3000])
        (d.plugin_dir / "folder.so").mkdir()
        (d.plugin_dir / "notes.txt").write_text("no plugin at all")
        (d.plugin_dir / "dangling.so").symlink_to("/nonexistent")
        for name in ("text", "empty", "half"):
            d.wait_log("plugin_refused", lambda e, name=name: e.get("plugin") == name)
        same(d.tools(), ["echo"])
        assert d.call("echo", {"text": "x"}).ok


def test_a_plugin_that_others_could_write_is_refused():
    with Daemon(plugins=["echo"]) as d:
        part = d.plugin_dir / ".part"
        part.write_bytes(plugin_file("hash").read_bytes())
        part.chmod(0o777)
        part.rename(d.plugin_dir / "hash.so")
        d.wait_log("plugin_refused", lambda e: e.get("plugin") == "hash")
        same(d.tools(), ["echo"])


def test_T3_11_8_what_has_come_asks_for_approval_where_it_has_to():
    rules = {"approvals": {"rules": [{"tools": ["ec*"], "approval": "always", "reason": "Look."}]}}
    with Daemon(plugins=["hash"], config=rules) as d:
        d.add("echo")
        d.wait_tool("echo")
        waiting = in_background(lambda: d.rest("echo", {"text": "x"}))
        approve(d, asked(d))
        same(waiting().body["content"][0]["text"], "x")


def test_T3_11_11_the_same_file_once_more_is_nothing_new():
    with Daemon(plugins=["echo"]) as d:
        d.call("echo", {"text": "x"})
        part = d.plugin_dir / ".part"
        part.write_bytes((d.plugin_dir / "echo.so").read_bytes())
        part.chmod(0o755)
        part.rename(d.plugin_dir / "echo.so")
        d.add("hash")  # comes after it
        d.wait_tool("hash")
        same((d.tools().count("echo"), d.log_events("tool_name_conflict")), (1, []))
        assert d.call("echo", {"text": "x"}).ok


def test_T3_11_15_what_was_no_plugin_goes_unnoticed():
    with Daemon(plugins=["echo"]) as d:
        (d.plugin_dir / "text.so").write_text("this is no shared object\n")
        d.wait_log("plugin_refused")
        (d.plugin_dir / "text.so").unlink()
        d.add("hash")
        d.wait_tool("hash")
        same(d.tools(), ["echo", "hash"])


def test_T3_11_12_two_plugins_of_one_tool():
    with Daemon(plugins=["echo"]) as d:
        d.add("echo", "second")
        d.wait_log("tool_name_conflict", lambda e: "echo" in str(e.get("why")))
        same(d.tools(), ["echo"])
        assert d.call("echo", {"text": "x"}).ok
        (d.plugin_dir / "echo.so").unlink()
        d.wait_log("plugin_removed")
        wait_for(lambda: d.http("GET", "/v1/plugins").json["plugins"][0]["name"] == "second", 10, "the other one alone")
        same(d.tools(), ["echo"], "what the other one offers")
        same(d.http("GET", "/v1/plugins").json["plugins"][0]["problems"], [])
        assert d.call("echo", {"text": "x"}).ok


def test_names_that_are_taken_are_told_in_their_order():
    with Daemon() as d:
        for name in ("first", "second", "third"):
            d.add("asks", name)
        told = {e["plugin"]: e["why"] for e in (d.wait_log("tool_name_conflict", lambda e, n=n: e["plugin"] == n
                                                           and "plugin first has" in e["why"])
                                                for n in ("second", "third"))}
        for why in told.values():
            words = [part.split()[1].rstrip(":") for part in why.split("; ")]
            same(words[:5], ["greet", "all", "rounds", "wrong", "work"], "names, as the plugin has them")
            assert all(part.endswith("plugin first has a tool of this name already") for part in why.split("; ")), why


if __name__ == "__main__":
    main()
