"""toolhost schema check: verdicts, forms of output, exit statuses; no daemon runs."""

import contextlib
import json
import os
import pathlib
import pty
import shutil
import subprocess
import tempfile

from harness import PATIENCE, installed, main, run, same

TOOLHOST = installed("bin/toolhost")
OK, INVALID, USAGE, BAD_SCHEMA, BAD_DOCUMENT = 0, 1, 2, 12, 13

SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "minLength": 2},
        "days": {"type": "integer", "minimum": 1, "maximum": 14},
        "unit": {"enum": ["celsius", "fahrenheit"]},
    },
    "required": ["city"],
    "additionalProperties": False,
}
GOOD = {"city": "Oslo", "days": 3}
BAD = {"city": "Oslo", "days": 20, "untit": 1}


@contextlib.contextmanager
def folder(**files):
    """A folder with these files, name_json being name.json; texts as they are, all else as JSON."""
    path = pathlib.Path(tempfile.mkdtemp(prefix="toolhost-test."))
    try:
        for name, content in {"s_json": SCHEMA, **files}.items():
            text = content if isinstance(content, (str, bytes)) else json.dumps(content)
            (path / name.replace("_", ".")).write_bytes(text if isinstance(text, bytes) else text.encode())
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def check(where, *words, **more):
    """(status, stdout, stderr) of schema check in this folder."""
    return run(TOOLHOST, "schema", "check", *words, cwd=where, **more)


def on_terminal(where, *words, env=()):
    """Status and output on a terminal."""
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(where)
        os.execve(TOOLHOST, [str(TOOLHOST), "schema", "check", *words], {**os.environ, "TERM": "xterm", **dict(env)})
    got = b""
    with contextlib.suppress(OSError):
        while chunk := os.read(fd, 65536):
            got += chunk
    os.close(fd)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), got.decode().replace("\r\n", "\n")


def says(got, status, *texts):
    """The status, and what stderr must hold."""
    same(got[0], status, f"exit status (stderr: {got[2]!r})")
    for text in texts:
        assert text in got[2], f"expected {text!r} in {got[2]!r}"


def test_verdicts_as_text():
    with folder(a_json=GOOD, b_json=BAD) as f:
        same(check(f, "s.json", "a.json"), (OK, "a.json: valid\n", ""))
        status, out, err = check(f, "s.json", "b.json")
        lines = out.splitlines()
        same((status, lines[0], err), (INVALID, "b.json: invalid", ""))
        assert any(line.startswith("  /days: ") and "14" in line for line in lines), out
        assert any(line.startswith("  /untit: ") for line in lines), out
        status, out, _ = check(f, "s.json", "a.json", "b.json", "a.json")
        same((status, out.splitlines()[-1]), (INVALID, "3 documents: 2 valid, 1 not"))
        same(check(f, "s.json"), (OK, "s.json: a good schema\n", ""))


def test_quiet():
    with folder(a_json=GOOD, b_json=BAD) as f:
        same(check(f, "s.json", "a.json", "-q"), (OK, "", ""))
        same(check(f, "s.json", "-q"), (OK, "", ""))
        status, out, _ = check(f, "s.json", "--quiet", "a.json", "b.json")
        same((status, out.splitlines()[0]), (INVALID, "b.json: invalid"))
        got = json.loads(check(f, "s.json", "-q", "-j", "a.json", "b.json")[1])
        same([d["document"] for d in got["documents"]], ["b.json"])
        same(got["counts"]["valid"], 1)


def test_one_object():
    with folder(a_json=GOOD, b_json=BAD, c_json="{") as f:
        status, out, err = check(f, "s.json", "a.json", "b.json", "c.json", "none.json", "--json")
        got = json.loads(out)
        same((status, err, out.count("\n")), (BAD_DOCUMENT, "", 1))
        same((got["schema"], got["compiled"]), ("s.json", True))
        same(got["counts"], {"valid": 1, "repaired": 0, "invalid": 1, "not_json": 1, "unreadable": 1})
        a, b, c, d = got["documents"]
        same(a, {"document": "a.json", "valid": True, "problems": [], "more": 0})
        same(sorted(p["instancePath"] for p in b["problems"]), ["/days", "/untit"])
        days = next(p for p in b["problems"] if p["instancePath"] == "/days")
        same((days["schemaPath"], days["keyword"]), ("/properties/days/maximum", "maximum"))
        assert days["message"] and days["expected"] and days["got"], days
        same((c["valid"], c["error"]["reason"], c["error"]["line"], c["error"]["byte"]), (False, "not_json", 1, 1))
        same((d["valid"], d["error"]["reason"]), (False, "unreadable"))
        same(check(f, "s.json", "a.json", "-o", "json")[1], check(f, "s.json", "a.json", "-j")[1])
        same(json.loads(check(f, "s.json", "-j")[1])["documents"], [])


def test_an_object_a_line():
    with folder(a_json=GOOD, b_json=BAD) as f:
        status, out, _ = check(f, "s.json", "a.json", "b.json", "--output", "ndjson")
        got = [json.loads(line) for line in out.splitlines()]
        same((status, [(d["document"], d["valid"]) for d in got]), (INVALID, [("a.json", True), ("b.json", False)]))
        same(json.loads(check(f, "s.json", "-o", "ndjson")[1]), {"schema": "s.json", "compiled": True})


def test_basic_output():
    with folder(a_json=GOOD, b_json=BAD) as f:
        status, out, _ = check(f, "s.json", "a.json", "b.json", "--output", "basic")
        a, b = [json.loads(line) for line in out.splitlines()]
        same((status, a, b["valid"]), (INVALID, {"valid": True}, False))
        places = {e["instanceLocation"]: e["keywordLocation"] for e in b["errors"]}
        same(places["/days"], "/properties/days/maximum")
        assert all(e["error"] for e in b["errors"]), b


def test_standard_input():
    with folder(a_json=GOOD) as f:
        same(check(f, "s.json", "-", input=json.dumps(GOOD))[:2], (OK, "standard input: valid\n"))
        same(json.loads(check(f, "s.json", "-", "-j", input="5")[1])["documents"][0]["document"], "-")
        same(check(f, "-", "a.json", input=json.dumps(SCHEMA))[:2], (OK, "a.json: valid\n"))
        says(check(f, "-", "-", input="{}"), USAGE, "standard input (-) can be read only once")


def test_lines():
    text = '{"city":"Oslo"}\n\n{"city":"O"}\r\n{"city":\n  \n{"city":"Rome"}'
    with folder(d_ndjson=text) as f:
        status, out, _ = check(f, "s.json", "d.ndjson", "--lines")
        verdicts = [line for line in out.splitlines() if line.startswith("d.ndjson:")]
        same([v.split(": ")[:2] for v in verdicts], [["d.ndjson:1", "valid"], ["d.ndjson:3", "invalid"],
                                                     ["d.ndjson:4", "not JSON"], ["d.ndjson:6", "valid"]])
        same(status, BAD_DOCUMENT)
        status, out, _ = check(f, "s.json", "-", "-l", "-o", "ndjson", input=text)
        got = [json.loads(line) for line in out.splitlines()]
        same([(d["document"], d["line"], d["valid"]) for d in got],
             [("-", 1, True), ("-", 3, False), ("-", 4, False), ("-", 6, True)])
        same(got[2]["error"]["line"], 4)
        says(check(f, "s.json", "none.ndjson", "-l"), BAD_DOCUMENT)


def test_many_lines():
    lines = [json.dumps(GOOD if i % 10 else BAD) for i in range(10_000)]
    with folder(d_ndjson="\n".join(lines)) as f:
        status, out, err = check(f, "s.json", "d.ndjson", "--lines", "--output", "ndjson", timeout=30 * PATIENCE)
        got = [json.loads(line) for line in out.splitlines()]
        same((status, err, len(got)), (INVALID, "", 10_000))
        same([d["line"] for d in got], list(range(1, 10_001)))
        same(sum(d["valid"] for d in got), 9_000)
        status, out, _ = check(f, "s.json", "d.ndjson", "-l", "-j", timeout=30 * PATIENCE)
        same((len(json.loads(out)["documents"]), json.loads(out)["counts"]["invalid"]), (10_000, 1_000))


def test_verdicts_come_as_the_lines_do():
    with folder() as f:
        process = subprocess.Popen([TOOLHOST, "schema", "check", "s.json", "-", "-l", "-o", "ndjson"], cwd=f,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for document, valid in ((GOOD, True), (BAD, False), (GOOD, True)):
            process.stdin.write(json.dumps(document) + "\n")
            process.stdin.flush()
            same(json.loads(process.stdout.readline())["valid"], valid)
        process.stdin.close()
        same((process.stdout.read(), process.wait(20 * PATIENCE)), ("", INVALID))
        process.stdout.close()


def test_a_reader_that_leaves():
    with folder() as f:
        process = subprocess.Popen([TOOLHOST, "schema", "check", "s.json", "-", "-l", "-o", "ndjson"], cwd=f,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        process.stdout.close()
        with contextlib.suppress(BrokenPipeError):
            while True:  # until it has ended: it does not judge for nobody
                process.stdin.write(b'{"city":"Oslo"}\n' * 1000)
        same(process.wait(20 * PATIENCE), INVALID)
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()


NOT_JSON = {
    b"": (1, 1), b"{'a':1}": (1, 2), b'{"a":1,}': (1, 8), b"// x\n{}": (1, 1), b'{"a":1,\n"a":2}': (2, 1),
    b'{"a\\u0000b":1}': (1, 2), b"[NaN]": (1, 2), b'"\xff"': (1, 2), b'"\\ud800"': (1, 2), b"{} x": (1, 4),
    b'{\n  "\xc3\xa9": tru\n}': (2, 8), b"\xef\xbb\xbf{}": (1, 1), b"[" * 5000: (1, 1025),
}


def test_documents_that_are_not_json():
    for text, place in NOT_JSON.items():
        with folder(d_json=text) as f:
            status, out, _ = check(f, "s.json", "d.json")
            same((status, out.split(" (byte")[0]),
                 (BAD_DOCUMENT, f"d.json: not JSON: line {place[0]}, column {place[1]}"), repr(text[:20]))


def test_schemas_that_are_none():
    cases = [({"properties": {"p": {"pattern": "("}}}, "/properties/p/pattern"),
             ({"type": "strng"}, "/type"),
             ({"$schema": "http://example.com/unknown"}, "/$schema"),
             ({"items": {"$ref": "http://example.com/elsewhere.json"}}, "/items/$ref")]
    for schema, pointer in cases:
        with folder(s_json=schema, a_json=GOOD) as f:
            got = check(f, "s.json", "a.json")
            says(got, BAD_SCHEMA, f"toolhost: s.json: {pointer}: ")
            same(got[1], "")
            status, out, err = check(f, "s.json", "a.json", "-j")
            same((status, err), (BAD_SCHEMA, ""))
            fault = json.loads(out)
            same((fault["schema"], fault["compiled"]), ("s.json", False))
            same((fault["error"]["reason"], fault["error"]["pointer"]), ("bad_schema", pointer))
            assert fault["error"]["message"], fault


def test_schemas_that_cannot_be_read():
    with folder(s_json='{\n"type" "object"}') as f:
        says(check(f, "s.json"), BAD_SCHEMA, "s.json: not JSON: line 2, column 8 (byte 9): expected ':'")
        fault = json.loads(check(f, "s.json", "-o", "ndjson")[1])["error"]
        same((fault["reason"], fault["line"], fault["column"], fault["byte"]), ("not_json", 2, 8, 9))
        says(check(f, "none.json"), BAD_SCHEMA, "none.json: No such file or directory")
        same(json.loads(check(f, "none.json", "-j")[1])["error"]["reason"], "unreadable")
        says(check(f, "."), BAD_SCHEMA, "Is a directory")


def test_usage():
    with folder(a_json=GOOD) as f:
        says(run(TOOLHOST, "schema"), USAGE, "too few arguments")
        says(run(TOOLHOST, "schema", "check"), USAGE, "too few arguments: toolhost schema check SCHEMA [DOC]...")
        says(run(TOOLHOST, "schema", "lint", "s.json"), USAGE, 'schema: expected check, got "lint"')
        says(check(f, "s.json", "--ouput", "json"), USAGE, "unknown option --ouput; did you mean --output?")
        says(check(f, "s.json", "--output", "xml"), USAGE, '--output: expected text, json, ndjson or basic, got "xml"')
        says(check(f, "s.json", "--draft", "7"), USAGE, "--draft: expected 2020-12, 2019-09, draft-07")
        says(check(f, "s.json", "--formats", "no"), USAGE, '--formats: expected assert or annotate, got "no"')
        says(check(f, "s.json", "--repair", "all"), USAGE, '--repair: expected off, safe or lenient, got "all"')
        says(check(f, "s.json", "--ref", "x.json"), USAGE, "--ref: expected URI=FILE")
        says(check(f, "s.json", "-j", "-o", "text"), USAGE, "--json and --output can't be used together")


def test_help():
    status, out, _ = run(TOOLHOST, "schema", "--help")
    same(status, OK)
    for text in ("  12  ", "  13  ", "--lines", "--output", "--registry PATH", "--ref URI=FILE", "--repair", "--draft"):
        assert text in out, text
    assert "\n  schema " in run(TOOLHOST, "--help")[1]


def test_drafts():
    # draft-04: a boolean that goes with maximum; later a number of its own
    with folder(s_json={"maximum": 5, "exclusiveMaximum": True}, d_json="5") as f:
        same(check(f, "s.json", "d.json", "--draft", "draft-04")[0], INVALID)
        same(check(f, "s.json", "d.json")[0], BAD_SCHEMA)
    # an array of items: 2019-09 and before
    with folder(s_json={"items": [{"type": "string"}]}, d_json="[5]") as f:
        for draft in ("2019-09", "draft-07", "draft-06", "draft-04"):
            same(check(f, "s.json", "d.json", "--draft", draft)[0], INVALID, draft)
    # "$schema" says more than the option
    with folder(s_json={"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "string"}]},
                d_json="[5]") as f:
        same(check(f, "s.json", "d.json", "--draft", "2020-12")[0], INVALID)


def test_formats():
    with folder(s_json={"format": "date"}, d_json='"2026-02-30"') as f:
        same(check(f, "s.json", "d.json")[0], INVALID)
        same(check(f, "s.json", "d.json", "--formats", "assert")[0], INVALID)
        same(check(f, "s.json", "d.json", "--formats", "annotate")[0], OK)


def test_references():
    names = {"$id": "https://example.com/names.json", "$defs": {"short": {"maxLength": 3}}}
    schema = {"$ref": "https://example.com/names.json#/$defs/short"}
    with folder(s_json=schema, n_json=names, d_json='"long"', e_json='"abc"') as f:
        says(check(f, "s.json", "d.json"), BAD_SCHEMA, "/$ref")
        for words in (("--ref", "https://example.com/names.json=n.json"), ("--registry", "n.json"),
                      ("--registry", ".")):
            same(check(f, "s.json", "d.json", *words)[0], INVALID, words)
            same(check(f, "s.json", "e.json", *words)[0], OK, words)
        (f / "folder/deeper").mkdir(parents=True)
        (f / "folder/deeper/n.json").write_text(json.dumps(names))
        same(check(f, "s.json", "d.json", "--registry", "folder")[0], INVALID)
        says(check(f, "s.json", "--registry", "d.json"), BAD_SCHEMA, "--registry: d.json: ", 'has no "$id"')
        says(check(f, "s.json", "--registry", "none"), BAD_SCHEMA, "--registry: none: No such file")
        says(check(f, "s.json", "--ref", "https://example.com/names.json=none"), BAD_SCHEMA, "No such file")
        (f / "folder/bad.json").write_text("{")
        says(check(f, "s.json", "--registry", "folder"), BAD_SCHEMA, "folder/bad.json: not JSON: byte 1")


def test_describe():
    with folder(a_json=GOOD) as f:
        status, out, _ = check(f, "s.json", "--describe")
        same((status, [line.split(" ")[0] for line in out.splitlines()]), (OK, ["city", "days", "unit"]))
        assert "celsius" in out and "a good schema" not in out, out
        same(check(f, "s.json", "a.json", "--describe")[1], out + "a.json: valid\n")
        got = json.loads(check(f, "s.json", "--describe", "--json")[1])
        same(got["description"], out)
        says(check(f, "s.json", "--describe", "-o", "ndjson"), USAGE, "--describe is for text and json")


def test_repair():
    with folder(d_json={"city": "Oslo", "days": "3"}) as f:
        same(check(f, "s.json", "d.json")[0], INVALID)
        same(check(f, "s.json", "d.json", "--repair", "off")[0], INVALID)
        status, out, _ = check(f, "s.json", "d.json", "--repair", "safe")
        lines = out.splitlines()
        same((status, lines[0]), (OK, "d.json: valid once repaired"))
        assert lines[1].startswith("  /days: "), out
        same(json.loads(lines[2].removeprefix("  now ")), {"city": "Oslo", "days": 3})
        got = json.loads(check(f, "s.json", "d.json", "--repair", "safe", "-o", "ndjson")[1])
        same((got["valid"], got["value"]), (True, {"city": "Oslo", "days": 3}))
        same([r["pointer"] for r in got["repairs"]], ["/days"])
        assert got["repairs"][0]["rule"] and got["repairs"][0]["note"], got
    with folder(d_json={"city": 5, "days": "many"}) as f:
        same(check(f, "s.json", "d.json", "--repair", "lenient")[0], INVALID)


def test_repair_of_syntax():
    with folder(d_json='{"city": "Oslo",\n "days": 3,}') as f:
        same(check(f, "s.json", "d.json", "--repair", "off")[0], BAD_DOCUMENT)
        got = json.loads(check(f, "s.json", "d.json", "--repair", "safe", "-o", "ndjson")[1])
        same((got["valid"], got["value"], len(got["repairs"])), (True, {"city": "Oslo", "days": 3}, 1))
    with folder(d_json='{"city": "Oslo",\n "days": 3') as f:
        same(check(f, "s.json", "d.json", "--repair", "safe")[0], BAD_DOCUMENT)
        same(check(f, "s.json", "d.json", "--repair", "lenient")[0], OK)


def test_on_a_terminal():
    with folder(a_json=GOOD, b_json={"\x1b[2J": 1}, c_json='{\n  "city": Oslo\n}') as f:
        status, out = on_terminal(f, "s.json", "a.json", "b.json", "c.json")
        same(status, BAD_DOCUMENT)
        assert "a.json: \x1b[32mvalid\x1b[0m\n" in out, out
        assert "b.json: \x1b[31minvalid\x1b[0m\n" in out, out
        assert "\x1b[2J" not in out, out
        assert "line 2, column 11 (byte 12): expected a value\n    \"city\": Oslo\n            ^\n" in out, repr(out)
        status, out = on_terminal(f, "s.json", "a.json", env={"NO_COLOR": "1"}.items())
        same(out, "a.json: valid\n")
        status, out = on_terminal(f, "s.json", "b.json", "--json")
        assert "\x1b" not in out and json.loads(out)["counts"]["invalid"] == 1, out
        status, out = on_terminal(f, "c.json")
        assert out.endswith('expected a value\n    "city": Oslo\n            ^\n'), repr(out)


def test_large_schemas():
    properties = {f"p{i}": {"type": "integer", "minimum": i} for i in range(20_000)}
    deep = {}
    for _ in range(200):
        deep = {"properties": {"d": deep}}
    with folder(s_json={"properties": properties}, t_json=deep, d_json={"p7": 6}) as f:
        same(check(f, "s.json", "d.json", timeout=60 * PATIENCE)[0], INVALID)
        same(check(f, "t.json", "d.json")[0], OK)


if __name__ == "__main__":
    main()
