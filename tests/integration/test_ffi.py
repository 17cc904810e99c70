#!/usr/bin/env python3
"""Tools of C functions with the real daemon: libraries of the system, and one of our own that does what
libraries should not."""

import base64
import json
import pathlib
import shutil
import subprocess
import tempfile
import threading
import zlib

from harness import BUILD, CONFIG, PATIENCE, SOURCE, Daemon, Skip, installed, main, plugin_file, same, wait_for
from test_auth import Caller, new_key
from test_tenants import call, tools

WEB_SEARCH = ("Search the web.", "What to look for.")  # as the comment in cases.h says
CASES = "/plugin/libcases.so"
GRANTED = ["libm.so.6", "libz.so.1", "libsqlite3.so.*", CASES]

POW = {"name": "pow", "description": "x to the power of y.", "library": "libm.so.6", "returns": "double",
       "thread_safe": True, "params": [{"name": "x", "type": "double"}, {"name": "y", "type": "double"}]}
CRC32 = {"name": "crc32", "description": "CRC-32 of a text.", "library": "libz.so.1",
         "params": [{"name": "crc", "type": "unsigned long", "value": 0},
                    {"name": "buf", "type": "const unsigned char *", "length": "len", "encoding": "text"},
                    {"name": "len", "type": "unsigned int"}], "returns": "unsigned long"}
COMPRESS = {"name": "compress", "description": "Bytes as zlib compresses them.", "library": "libz.so.1",
            "params": [{"name": "dest", "type": "unsigned char *", "length": "destLen", "direction": "out"},
                       {"name": "destLen", "type": "unsigned long *"},
                       {"name": "source", "type": "const unsigned char *", "length": "sourceLen"},
                       {"name": "sourceLen", "type": "unsigned long"}],
            "returns": "int", "errors": {"when": "nonzero", "message_symbol": "zError"}}
VERSION = {"name": "sqlite3_libversion", "description": "The version of SQLite.", "library": "libsqlite3.so.0",
           "returns": "const char *"}
# One tool of five functions: a database in memory, a statement, its first value.
QUERY = {"name": "query", "description": "The first value of a query of SQLite.", "library": "libsqlite3.so.0",
         "calls": [
             {"symbol": "sqlite3_open", "returns": "int",
              "params": [{"name": "file", "type": "string", "value": ":memory:"},
                         {"name": "db", "type": "sqlite3 **", "free": "sqlite3_close"}],
              "errors": {"when": "nonzero", "message_symbol": "sqlite3_errmsg", "message_with": "db"}},
             {"symbol": "sqlite3_prepare_v2", "returns": "int",
              "params": [{"name": "on", "type": "sqlite3 *", "from": "db"},
                         {"name": "sql", "type": "const char *", "description": "A SELECT."},
                         {"name": "bytes", "type": "int", "value": -1},
                         {"name": "statement", "type": "sqlite3_stmt **", "free": "sqlite3_finalize"},
                         {"name": "tail", "type": "const char *", "nullable": True, "value": None}],
              "errors": {"when": "nonzero", "message_symbol": "sqlite3_errmsg", "message_with": "db", "code": "bad_sql"}},
             {"symbol": "sqlite3_step", "params": [{"name": "s", "type": "sqlite3_stmt *", "from": "statement"}],
              "returns": {"type": "int", "name": "step", "hide": True}},
             {"symbol": "sqlite3_column_text",
              "params": [{"name": "s", "type": "sqlite3_stmt *", "from": "statement"},
                         {"name": "column", "type": "int", "default": 0}],
              "returns": {"type": "const char *", "name": "value"}}]}
SQLITE_TYPES = {"sqlite3": {"opaque": True}, "sqlite3_stmt": {"opaque": True}}


def own(name, **more):
    return {"name": name, "description": "A case.", "library": CASES, **more}


def tenant(*functions, **more):
    return {"tools": [], "features": {"functions": {"functions": list(functions), **more}}}


class Host(Daemon):
    """A daemon whose plugin ffi has the library of cases beside it."""

    def __init__(self, tenants, libraries=GRANTED, policy=None, **more):
        self.tenants_given = tenants
        policy = {"config": {"libraries": libraries}, **(policy or {})}
        super().__init__(plugins=["echo"], policies={"ffi": policy}, tenants=tenants, **more)

    def _start(self, args, env):
        folder = self.plugin_dir / "ffi.plugin"
        folder.mkdir(mode=0o755)
        shutil.copyfile(plugin_file("ffi"), folder / "ffi.so")
        shutil.copyfile(BUILD / "plugins" / "ffi" / ".libs" / "libcases.so", folder / "libcases.so")
        for place in (folder, *folder.iterdir()):
            place.chmod(0o755)
        super()._start(args, env)

    def of(self, name):
        return Caller(self, new_key(self, name, "--tenant", name))


def value(caller, tool, arguments):
    answer = call(caller, tool, arguments)
    assert answer.error is None, answer
    return answer.json["structured"]


def failure(answer):
    error = answer.json["error"]
    return error["code"], error["message"]


def test_S3_14_libraries_of_the_system():
    with Host({"one": tenant(POW, CRC32, COMPRESS, VERSION, QUERY, types=SQLITE_TYPES)}) as d:
        one = d.of("one")
        same(tools(one), ["compress", "crc32", "pow", "query", "sqlite3_libversion"])
        same(value(one, "pow", {"x": 2, "y": 0.5}), {"result": 2 ** 0.5})
        same(value(one, "crc32", {"buf": "hello"}), {"result": zlib.crc32(b"hello")})
        small = value(one, "compress", {"source": base64.b64encode(b"a" * 1000).decode()})
        same(zlib.decompress(base64.b64decode(small["dest"])), b"a" * 1000)
        version = value(one, "sqlite3_libversion", {})["result"]
        assert version.startswith("3."), version
        same(call(one, "sqlite3_libversion", {}).json["content"][0]["text"], version)
        same(value(one, "query", {"sql": "SELECT sqlite_version(), 'b'"}), {"value": version})
        same(value(one, "query", {"sql": "SELECT 1, 'b'", "column": 1}), {"value": "b"})
        code, message = failure(call(one, "query", {"sql": "SELEC"}))
        same((code, message), ("bad_sql", 'sqlite3_prepare_v2 failed: near "SELEC": syntax error (1)'))
        same(call(one, "pow", {"x": "2", "y": []}).error, "tool_args_invalid")
        code, message = failure(call(one, "pow", {"x": -1, "y": 0.5}))
        same(code, "ffi_result")
        assert "not a number (NaN)" in message, message


def test_S3_16_name_title_description_strict_and_errors_are_the_documents():
    functions = [own("say_version", symbol="version", title="Version", returns="const char *", strict=True,
                     annotations={"readOnlyHint": True}, toolhost={"idempotent": True, "tags": ["info"]}),
                 own("grown_up", symbol="allowed", params=[{"name": "age", "type": "int"}], returns="bool",
                     errors={"when": "false", "code": "too_young", "message": "Come back later."})]
    with Host({"one": tenant(*functions)}) as d:
        one = d.of("one")
        same(tools(one), ["grown_up", "say_version"])
        shown = one.http("GET", "/v1/tools").json["tools"][1]
        same((shown["title"], shown["description"], shown["annotations"]["readOnlyHint"]), ("Version", "A case.", True))
        openai = one.http("GET", "/v1/tools?format=openai-chat").json["tools"]
        same([t["function"].get("strict", False) for t in openai][1], True)
        same(failure(call(one, "grown_up", {"age": 3})), ("too_young", "allowed failed: Come back later. (0)"))
        same(value(one, "grown_up", {"age": 18}), {})


def test_S3_15_T3_14_schemas_as_clients_see_them():
    with Host({"one": tenant(own("web_search", params=[
            {"name": "query", "type": "string", "description": "What to look for."},
            {"name": "num_results", "type": "int", "default": 10}],
            returns={"type": "char *", "free": "give_back"}))}) as d:
        one = d.of("one")
        (shown,) = one.http("GET", "/v1/tools").json["tools"]
        same(shown["inputSchema"], {
            "type": "object", "additionalProperties": False, "required": ["query"],
            "properties": {"query": {"type": "string", "maxLength": 65536, "description": "What to look for."},
                           "num_results": {"type": "integer", "minimum": -2**31, "maximum": 2**31 - 1, "default": 10}}},
             "T3-14.9 without a schema the prototype is one")
        same((shown["name"], shown["description"]), ("web_search", "A case."), "T3-14.1 name and description are the document's")
        same(shown["outputSchema"]["required"], ["result"])
        same(value(one, "web_search", {"query": "C"}), {"result": "10 results for C"})
        same(value(one, "web_search", {"query": "C", "num_results": 2}), {"result": "2 results for C"})


def test_S3_15_U3_1_T3_14_tools_of_a_header_in_a_file():
    header = str((SOURCE / "plugins/ffi/cases.h").resolve())
    functions = {"web_search": {"params": {"num_results": {"default": 10}}, "returns": {"free": "give_back"}}}
    features = {"headers": [{"file": header, "library": CASES, "symbols": ["middle", "sum", "next_colour", "divide"],
                             "functions": functions}]}
    reads = {"permissions": {"read": [header]}}
    with Host({"one": {"tools": [], "features": {"functions": features}}}, policy=reads) as d:
        one = d.of("one")
        same(tools(one), ["divide", "middle", "next_colour", "sum", "web_search"])
        shown = next(t for t in one.http("GET", "/v1/tools").json["tools"] if t["name"] == "web_search")
        same((shown["description"], shown["inputSchema"]["properties"]["query"]["description"]), WEB_SEARCH,
             "T3-14.2 without any they are the comment's")
        same(shown["inputSchema"]["properties"]["num_results"]["default"], 10, "T3-14.11 what the document adds")
        same(value(one, "web_search", {"query": "C"}), {"result": "10 results for C"})
        same(value(one, "middle", {"a": {"x": 0, "y": 2}, "b": {"x": 1, "y": 4}}), {"result": {"x": 0.5, "y": 3}})
        same(value(one, "sum", {"values": [1, 2.5]}), {"result": 3.5})
        same(value(one, "next_colour", {"c": "RED"}), {"result": "GREEN"})
        same(value(one, "divide", {"a": 17, "b": 5}), {"result": 0, "quotient": 3, "remainder": 2})
    with Host({"one": {"tools": [], "features": {"functions": features}}}) as d:  # no file is granted
        failed = build_error(d)
        assert f"/headers/0/file: {header} can't be read" in failed, failed


def build_error(d):
    """The sentence about why a feature could not be built."""
    return json.dumps(d.wait_log("tool_build_error"), ensure_ascii=False)


def test_a_function_that_crashes_takes_nobody_along():
    functions = [own("crash", params=[{"name": "how", "type": "int"}], returns="int"), POW,
                 own("overrun", params=[{"name": "to", "type": "char *", "direction": "out", "length": "n", "size": 8},
                                        {"name": "n", "type": "size_t"}])]
    with Host({"one": tenant(*functions), "two": tenant(POW)}) as d:
        one, two = d.of("one"), d.of("two")
        same(value(one, "pow", {"x": 2, "y": 3}), {"result": 8})
        for how in (0, 1):
            same(call(one, "crash", {"how": how}).error, "tool_crashed")
            same(value(two, "pow", {"x": 2, "y": 3}), {"result": 8})
            same(value(one, "pow", {"x": 2, "y": 4}), {"result": 16})
        same(call(one, "overrun", {}).error, "tool_crashed")
        same(value(one, "pow", {"x": 2, "y": 5}), {"result": 32})


def test_a_function_that_loops_ends_at_its_deadline():
    with Host({"one": tenant(own("loop", returns="int", max_time=400), POW)}) as d:
        one = d.of("one")
        same(call(one, "loop", {}).error, "tool_timeout")
        same(value(one, "pow", {"x": 2, "y": 3}), {"result": 8})


def at_once(caller, tool, count):
    got = []
    threads = [threading.Thread(target=lambda: got.append(value(caller, tool, {})["result"])) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60 * PATIENCE)
    return got


def test_functions_run_one_at_a_time_unless_they_are_thread_safe():
    alone = own("alone", returns="bool")
    with Host({"one": tenant(alone), "two": tenant({**alone, "thread_safe": True})}) as d:
        same(at_once(d.of("one"), "alone", 8), [True] * 8)
        assert False in at_once(d.of("two"), "alone", 8)


def test_what_is_not_granted_is_no_tool():
    cases = [
        (tenant(POW), ["libz.so.1"], "/functions/0/library: the library libm.so.6 is not granted"),
        (tenant({**POW, "name": "system", "params": []}), GRANTED, "/functions/0/symbol: system is a function of"),
        (tenant({**POW, "library": "../libm.so.6"}), ["*"], "/functions/0/library: the library ../libm.so.6 is not granted"),
        (tenant({**POW, "symbol": "powe"}), GRANTED, "/functions/0/symbol: there is no function powe in libm.so.6"),
        (tenant(own("version", returns="itn")), GRANTED, "there is no type \\\"itn\\\"; did you mean \\\"int\\\""),
    ]
    for given, libraries, expected in cases:
        with Host({"one": given}, libraries=libraries) as d:
            said = build_error(d)
            assert expected in said, (expected, said)
            same(tools(d.of("one")), [])


def test_U3_14_T3_11_9_tools_come_and_go_with_the_configuration():
    with Host({"one": tenant(POW)}) as d:
        one = d.of("one")
        same(tools(one), ["pow"])
        d.tenant("one", tenant(CRC32))
        wait_for(lambda: tools(one) == ["crc32"], 15, "the other tool")
        same(value(one, "crc32", {"buf": "x"}), {"result": zlib.crc32(b"x")})


HEADER = """
/** Search the web.
 * @param query What to look for. */
char *web_search (const char *query, int num_results);
struct db *db_open (void);
"""


def cli(*words, text=None):
    done = subprocess.run([installed("bin/toolhost"), *map(str, words)], input=text, capture_output=True, text=True,
                          timeout=60 * PATIENCE)
    return done.returncode, done.stdout, done.stderr


def test_ffi_import_proposes_what_the_daemon_takes():
    code, out, err = cli("ffi", "import", "--library", CASES, "-", text=HEADER)
    same(code, 0, err)
    proposed = json.loads(out)
    same(proposed, {"types": {}, "functions": [
        {"name": "web_search", "description": "Search the web.", "library": CASES, "symbol": "web_search",
         "params": [{"name": "query", "type": "const char *", "description": "What to look for."},
                    {"name": "num_results", "type": "int"}], "returns": {"type": "char *"}}]})
    same(err.splitlines(), [
        '-:5: db_open is left out: it gives a handle: write what is done with it in "calls"',
        "-:4: web_search - who frees the string that it gives is not known"])
    whole = json.loads(cli("ffi", "import", "--library", CASES, SOURCE / "plugins/ffi/cases.h")[1])
    same([f["name"] for f in whole["functions"]], ["web_search", "middle", "divide", "sum", "next_colour", "grow"])
    whole["functions"][-1]["params"][0]["direction"] = "inout"
    with Host({"one": {"tools": [], "features": {"functions": whole}}}) as d:
        one = d.of("one")
        same(len(tools(one)), 6)
        rect = {"from": {"x": 0, "y": 0}, "to": {"x": 1, "y": 1}, "label": "ab", "tags": [1, 2, 3]}
        same(value(one, "grow", {"r": rect, "by": 1})["r"]["to"], {"x": 2, "y": 2})


def test_ffi_import_in_a_file_and_preprocessed():
    if shutil.which("cc") is None:
        raise Skip("needs a C compiler, cc")
    with tempfile.TemporaryDirectory() as folder:
        header = pathlib.Path(folder, "own.h")
        header.write_text("#include <stdint.h>\n#define TWICE(t) t twice_##t (t value);\n// Twice.\nTWICE (int32_t)\n")
        out = pathlib.Path(folder, "own.json")
        same(cli("ffi", "import", "-E", "-o", out, header)[:2], (0, ""))
        same([(f["name"], f["params"][0]["type"]) for f in json.loads(out.read_text())["functions"]], [("twice_int32_t", "int")])
        code, text, _ = cli("ffi", "import", "-E", "--symbol", "pow", "/usr/include/math.h")
        same((code, [f["name"] for f in json.loads(text)["functions"]]), (0, ["pow"]))
        code, _, err = cli("ffi", "import", "-E", pathlib.Path(folder, "none.h"))
        same(code, 13)
        assert "cc -E could not preprocess it" in err, err


def test_ffi_import_says_what_is_wrong():
    same(cli("ffi", "import", "/nowhere.h"), (13, "", "toolhost: /nowhere.h: No such file or directory\n"))
    same(cli("ffi", "export", "x"), (2, "", 'toolhost: ffi: expected import, got "export"\n'))
    same(cli("ffi", "import"), (2, "", "toolhost: ffi import: expected a header\n"))
    code, out, err = cli("ffi", "import", "--plugin", plugin_file("echo"), "-", text=HEADER)
    same((code, out, err), (11, "", "toolhost: the plugin has no tool ffi_import\n"))


def test_the_shipped_policy_grants_nothing():
    shipped = "".join(line for line in (CONFIG / "plugins.d" / "ffi.json").read_text().splitlines(True)
                      if not line.startswith("//"))
    same(json.loads(shipped), {"config": {"libraries": []}})


if __name__ == "__main__":
    main()
