"""A backup of a daemon that serves: it is whole, what is wrong with one is told, and a daemon goes on from it."""

import contextlib
import hashlib
import json
import os
import pathlib
import shutil
import stat
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from harness import Daemon, in_background, installed, main, plugin_file, run, same, wait_for  # noqa: E402
from test_approvals import cli, kept, listed, one, text  # noqa: E402
from test_durable import kill  # noqa: E402
from test_manage import deed, manager, put, says  # noqa: E402
from test_store import call_until, named, status  # noqa: E402

TOOLHOST = installed("bin/toolhost")


def backup(d, folder, *words):
    """What toolhost prints of a backup that it made, as JSON."""
    return json.loads(cli(d, "backup", str(folder), "--json", *words))


def verify(folder, *words):
    return run(TOOLHOST, "backup", "--verify", str(folder), *words)


def proof(folder, *words):
    code, out, err = verify(folder, *words)
    same(code, 0, err)
    return json.loads(out)


@contextlib.contextmanager
def with_backup(**more):
    """A keeper of a state, and a backup of it with a call and an audit."""
    with kept(**more) as k:
        k.state, k.copy = k.dir / "state", k.dir / "copy"
        with k.again(plugins=["echo"], config={}) as d:
            named(d, "a")
            wait_for(lambda: any("tool_call" in f.read_text() for f in (k.state / "audit").iterdir()), what="the record")
            k.said = backup(d, k.copy)
        yield k


def restore(k):
    """As docs/store.md says."""
    shutil.rmtree(k.state)
    k.state.mkdir()
    k.state.chmod(0o1777)
    for name in ("toolhost.db", "audit", "pins"):
        source = k.copy / name
        (shutil.copytree if source.is_dir() else shutil.copyfile)(source, k.state / name)
    if os.geteuid() == 0:
        owner = k.owner
        for place in (k.state, *k.state.rglob("*")):
            os.chown(place, *owner)
    for place in k.state.rglob("*"):
        place.chmod(0o700 if place.is_dir() else 0o600)


def test_what_there_was_is_there_again_after_a_kill():
    with kept() as k:
        k.state, k.copy = k.dir / "state", k.dir / "copy"
        plugins = [plugin_file("tally"), "echo", "deeds"]
        with k.again(plugins=plugins) as d:
            acme = manager(d, "acme")
            same(put(acme, "acme", deed("save_meal", "logged")).status, 201)
            same(named(d, "done").status, 200)
            waiting = in_background(lambda: k.tally(d, "approved", call_id="later"))
            found = one(d)
            k.owner = ((k.state / "toolhost.db").stat().st_uid, (k.state / "toolhost.db").stat().st_gid)
            backup(d, k.copy)
            named(d, "too-late")
            d.check = False
            kill(d)
            with contextlib.suppress(Exception):
                waiting()
        restore(k)
        with k.again(plugins=plugins) as d:
            same(status(d, "done"), "ended")
            same(named(d, "done").body["replayed"], True)
            same(status(d, "too-late"), "call_not_found")
            same(says(manager(d, "acme"), "save_meal"), "logged of acme")
            same([a["id"] for a in listed(d, "pending")], [found["id"]])
            same(k.ran(), [])
            cli(d, "approve", found["id"])
            wait_for(lambda: k.ran() == ["approved"], what="the call that was approved")
        code, out, err = run(TOOLHOST, "audit", "verify", str(k.state / "audit"))
        same(code, 0, err)


def test_it_is_made_while_calls_run():
    with kept() as k:
        k.state = k.dir / "state"
        with k.again(plugins=["echo"], config={}) as d:
            failures, count, ended = [], [0], threading.Event()
            calling = threading.Thread(target=call_until, args=(d, failures, count, ended))
            calling.start()
            try:
                wait_for(lambda: count[0] > 20, what="calls")
                seen = []
                for n in range(3):
                    backup(d, k.dir / f"copy{n}")
                    seen.append(count[0])
            finally:
                ended.set()
                calling.join(30)
            same(failures, [])
            same(list((k.state / "backups").iterdir()), [])
        proofs = [proof(k.dir / f"copy{n}") for n in range(3)]
        assert proofs[0]["calls"] >= 20, proofs
        assert [p["calls"] for p in proofs] == sorted(p["calls"] for p in proofs), proofs
        for p in proofs:
            same((p["whole"], p["audit_first"]), (True, 1), p)


def test_its_manifest_says_what_it_is():
    with with_backup() as k:
        manifest = json.loads((k.copy / "manifest.json").read_text())
        same((manifest["toolhost_backup"], manifest["made"]), (1, k.said["made"]))
        for entry in manifest["files"]:
            content = (k.copy / entry["path"]).read_bytes()
            same((len(content), hashlib.sha256(content).hexdigest()), (entry["bytes"], entry["sha256"]), entry["path"])
        same(sorted(e["path"].split("/")[0] for e in manifest["files"]), ["audit", "toolhost.db"])
        same((k.said["files"], k.said["bytes"]), (2, sum(e["bytes"] for e in manifest["files"])))
        for place in (k.copy, *k.copy.rglob("*")):
            same(stat.S_IMODE(place.stat().st_mode), 0o700 if place.is_dir() else 0o600, place)
        same(proof(k.copy)["calls"], 1)
        # A head that was noted proves the audit of the backup, as any other.
        code, _, err = run(TOOLHOST, "audit", "verify", str(k.copy / "audit"), "head=" + proof(k.copy)["audit_head"])
        same(code, 0, err)


def test_what_is_wrong_with_one_is_told():
    with with_backup() as k:
        store, manifest = k.copy / "toolhost.db", k.copy / "manifest.json"
        segment = next((k.copy / "audit").iterdir())
        was = {place: place.read_bytes() for place in (store, manifest, segment)}

        def is_told(place, content, sentence):
            if content is None:
                place.unlink()
            else:
                place.write_bytes(content)
            code, out, err = verify(k.copy)
            same((code, out), (1, ""), sentence)
            assert sentence in err and str(place) in err, err
            place.write_bytes(was[place])

        def listing(place, content):
            """The manifest of whoever changes files and knows of hashes."""
            entries = json.loads(was[manifest])
            for entry in entries["files"]:
                if str(k.copy / entry["path"]) == str(place):
                    entry.update(bytes=len(content), sha256=hashlib.sha256(content).hexdigest())
            return json.dumps(entries).encode()

        is_told(store, was[store][:-1], f"it has {len(was[store]) - 1} bytes, and had {len(was[store])} when it was made")
        is_told(store, was[store][:-1] + bytes([was[store][-1] ^ 1]), "it was changed since it was made")
        is_told(segment, was[segment].replace(b"echo", b"ecco"), "it was changed since it was made")
        is_told(segment, None, "No such file or directory")
        is_told(manifest, None, "No such file or directory")
        is_told(manifest, b"{}", "it is no manifest of a backup")
        is_told(manifest, was[manifest].replace(b'"toolhost_backup":1', b'"toolhost_backup":2'), "a manifest of another version")
        is_told(manifest, was[manifest].replace(b"toolhost.db", b"../hosts"), "/files/0: it is no file of a backup")
        damaged = was[segment].replace(b"echo", b"ecco")
        manifest.write_bytes(listing(segment, damaged))
        is_told(segment, damaged, "is not what its hash says")
        damaged = was[store][:4096] + b"\xff" * 4096 + was[store][8192:]
        manifest.write_bytes(listing(store, damaged))
        store.write_bytes(damaged)
        code, _, err = verify(k.copy)
        assert code == 1 and f"{store}: " in err, err
        manifest.write_bytes(was[manifest])
        store.write_bytes(was[store])
        same(verify(k.copy)[0], 0)
        same(verify(k.dir / "nowhere")[0], 1)


def test_with_a_key_of_the_audit():
    with kept() as k:
        key = k.dir / "audit.key"
        key.write_text("a key that is long enough\n")
        key.chmod(0o644)
        with k.again(plugins=["echo"], config={"audit": {"key_file": str(key)}}) as d:
            named(d, "a")
            backup(d, k.dir / "copy")
        assert "is not what its hash says" in verify(k.dir / "copy")[2]
        same(proof(k.dir / "copy", "--audit-key", key)["whole"], True)
        same(verify(k.dir / "copy", "--audit-key", "/nonexistent")[0], 2)


def test_what_can_not_be_backed_up():
    with kept() as k:
        with k.again(plugins=["echo"], config={}) as d:
            (k.dir / "there").mkdir()
            (k.dir / "unfinished.part").mkdir()
            assert "a backup takes no other's place" in cli(d, "backup", str(k.dir / "there"), good=False)
            assert "unfinished.part: File exists" in cli(d, "backup", str(k.dir / "unfinished"), good=False)
            assert "No such file or directory" in cli(d, "backup", str(k.dir / "no" / "folder"), good=False)
            assert "--audit-key is for --verify" in cli(d, "backup", "x", "--audit-key", "y", good=False)
            same([p.name for p in (k.dir / "state" / "backups").iterdir()], [])
        with Daemon(plugins=["echo"]) as d:
            assert "keeps its state in memory" in cli(d, "backup", str(k.dir / "memory"), good=False)


if __name__ == "__main__":
    main()
