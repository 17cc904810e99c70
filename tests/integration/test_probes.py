"""USDT probes: what docs/observability.md lists is what the program's notes have."""

import os
import pathlib
import re
import shutil

from harness import SOURCE, Skip, installed, main, run, same


def notes():
    """{probe: how many arguments} of the daemon."""
    config = pathlib.Path(os.environ["TOOLHOST_BUILD"]) / "config.h"
    if "#define TOOLHOST_USDT 1" not in config.read_text():
        raise Skip("built without sys/sdt.h (Debian package systemtap-sdt-dev)")
    if shutil.which("readelf") is None:
        raise Skip("readelf is not installed")
    status, out, err = run("readelf", "--wide", "--notes", installed("sbin/toolhostd"))
    same((status, err), (0, ""))
    found = re.findall(r"Provider: (\S+)\s+Name: (\S+)\s+Location: [^\n]*\s+Arguments: *([^\n]*)", out)
    assert found, out
    same({provider for provider, *_ in found}, {"toolhost"})
    return {name: len(arguments.split()) for _, name, arguments in found}


def described():
    rows = re.findall(r"^\| `([a-z]+__[a-z]+)` \| ([^|]*) \|", (SOURCE / "docs/observability.md").read_text(), re.M)
    return {name: arguments.count(",") + 1 for name, arguments in rows}


def test_the_notes_are_those_that_are_described():
    there, told = notes(), described()
    same(there, told)
    same(set(told), {"call__begin", "call__end", "queue__push", "queue__pop", "worker__start", "worker__kill",
                     "worker__end", "http__begin", "http__end"})


if __name__ == "__main__":
    main()
