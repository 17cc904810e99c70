"""@modelcontextprotocol/server-everything, the reference server of the protocol's authors, behind toolhostd: a
program in a sandbox of its own (plugins/mcp).  `./dev clients` installs it."""

import os
import pathlib
import time

from harness import Daemon, SANITIZER, Skip, comment, in_background, main, same, wait_for
from test_clients import PACKAGES, node
from test_process import with_words

# Without a cgroup many processes together have no memory limit, which is a guarantee of its own.
REQUIRE = ["no-network", "no-foreign-files", "no-foreign-signals", "kill-tree"]


def everything(plugins=("mcp", "echo"), **server):
    node_program = os.path.realpath(node())
    modules = os.path.realpath(pathlib.Path(PACKAGES, "node_modules"))
    index = f"{modules}/@modelcontextprotocol/server-everything/dist/index.js"
    if not os.path.exists(index):
        raise Skip("server-everything is not installed: ./dev clients")
    if SANITIZER != "no":
        raise Skip("programs would inherit the limits of a sanitizer's worker")
    reachable(modules)
    program = {"command": [node_program, index, "stdio"], "read": sorted({modules, str(pathlib.Path(node_program).parent)}),
               "memory": "512M", "address_space": "64G", "processes": 64, "files": 512, "jit": True}
    policy = {"permissions": {"processes": {"everything": program}}, "workers": {"ready": 1},
              "sandbox": {"require": REQUIRE}}
    feature = {"servers": [{"name": "everything", "process": "everything", "prefix": "ev_", "connect": 25000, **server}]}
    return Daemon(plugins=plugins, policies={"mcp": policy}, config={"sandbox": {"require": REQUIRE}},
                  tenants={"default": {"features": {"mcp": feature}}})


def reachable(path):
    """A daemon that was started as root is somebody else by the time it reads this."""
    for folder in pathlib.Path(path).parents:
        if os.geteuid() == 0 and not folder.stat().st_mode & 0o001:
            raise Skip(f"{folder} is nobody else's to look into")


def test_its_tools_keep_their_schemas():
    with everything() as d:
        d.wait_tool("ev_echo", timeout=60)
        tools = {t["name"]: t for t in d.mcp("tools/list").json["result"]["tools"]}
        comment(f"{len(tools) - 1} tools: {', '.join(sorted(tools))}")
        schema = tools["ev_echo"]["inputSchema"]
        same((schema["type"], schema["properties"]["message"]["type"], schema["required"]),
             ("object", "string", ["message"]))
        structured = next(t for t in tools.values() if "outputSchema" in t)
        same(structured["outputSchema"]["type"], "object")
        same(d.call("ev_echo", {"message": "grüß dich"}).text, "Echo: grüß dich")
        same(d.rest("ev_echo", {"message": 7}).code, "tool_args_invalid")
        assert "42" in d.call("ev_get-sum", {"a": 40, "b": 2}).text
        assert d.call("ev_get-tiny-image").content[1]["type"] == "image"


def test_a_tool_that_takes_too_long_ends_with_its_tree():
    with everything(tools=["echo", "*long*"], timeout=2000, grace=300) as d:
        d.wait_tool("ev_echo", timeout=60)
        name = next(n for n in d.tools() if "long" in n)
        wait_for(lambda: len(with_words("server-everything/dist/index.js")) == 1, 15, "one server")
        first = with_words("server-everything/dist/index.js")
        at = time.monotonic()
        slow = d.rest(name, {"duration": 600, "steps": 600})
        comment(f"{name}: {slow.code} after {time.monotonic() - at:.1f} s")
        assert slow.code in ("upstream_timeout", "tool_timeout"), slow
        wait_for(lambda: not set(first) & set(with_words("server-everything/dist/index.js")), 15, "its end")
        wait_for(lambda: d.call("ev_echo", {"message": "again"}).text == "Echo: again", 30, "another")
        calls = [in_background(d.call, "ev_echo", {"message": str(i)}) for i in range(20)]
        same([call().text for call in calls], [f"Echo: {i}" for i in range(20)])


if __name__ == "__main__":
    main()
