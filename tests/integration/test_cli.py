"""The toolhost program against the real daemon: what it prints, where, and its exit statuses."""

import contextlib
import fcntl
import json
import os
import pathlib
import pty
import re
import shutil
import signal
import struct
import subprocess
import tempfile
import termios

from harness import PATIENCE, SANITIZER, SOURCE, Daemon, Skip, in_background, installed, main, plugin_file, run, same, wait_for

TOOLHOST = installed("bin/toolhost")
OK, FAILED, USAGE, UNREACHABLE, NOT_FOUND, REFUSED = 0, 1, 2, 3, 4, 5
TIMED_OUT, CRASHED, CANCELLED, BAD_PLUGIN = 7, 8, 10, 11


def cli(d, *words, **more):
    """(status, stdout, stderr) of toolhost as a client of this daemon; d may be None."""
    socket = ["--socket", d.socket] if d else []
    return run(TOOLHOST, *socket, *words, **more)


def daemon(*plugins):
    """A daemon with these plugins and no other, wherever the tests run."""
    return Daemon(plugins=plugins, args=["--no-standard-dirs"])


def says(got, status, *texts):
    """The status, and what stderr must hold."""
    same(got[0], status, f"exit status (stderr: {got[2]!r})")
    for text in texts:
        assert text in got[2], f"expected {text!r} in {got[2]!r}"


def on_terminal(*words, width=60):
    """Status and output of toolhost on a terminal of this width."""
    pid, fd = pty.fork()
    if pid == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
        os.execv(TOOLHOST, [str(TOOLHOST), *map(str, words)])
    got = b""
    with contextlib.suppress(OSError):
        while chunk := os.read(fd, 65536):
            got += chunk
    os.close(fd)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), got.decode()


@contextlib.contextmanager
def folder():
    path = pathlib.Path(tempfile.mkdtemp(prefix="toolhost-test."))
    path.chmod(0o755)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def test_list():
    with daemon("echo", "slow_echo") as d:
        status, out, _ = cli(d, "list")
        same((status, json.loads(out)["tool_choice"]), (OK, "auto"))
        same([tool["name"] for tool in json.loads(out)["tools"]], ["echo", "slow_echo"])
        same(cli(d, "list", "--names")[1], "echo\nslow_echo\n")
        openai = json.loads(cli(d, "list", "--format", "openai")[1])["tools"][0]
        same((openai["type"], openai["name"], "parameters" in openai), ("function", "echo", True))
        assert "input_schema" in json.loads(cli(d, "list", "-fanthropic")[1])["tools"][0]
        says(cli(d, "list", "--format", "opnai"), USAGE, "expected one of mcp, ", "did you mean openai?")


def test_list_on_a_terminal():
    with daemon("echo") as d:
        status, out = on_terminal("--socket", d.socket, "list", width=50)
        lines = out.replace("\r", "").split("\n")
        same(status, OK)
        same(lines[0].split(), ["NAME", "PLUGIN", "TOKENS", "DESCRIPTION"])
        same(lines[1].split()[:2], ["echo", "echo"])
        assert lines[1].endswith("…") and len(lines[1]) <= 50, lines[1]
        assert "1 tool, about " in out, out


def test_call():
    with daemon("echo") as d:
        same(cli(d, "call", "echo", '{"text":"hello"}')[:2], (OK, "hello\n"))
        same(cli(d, "call", "echo", "--arg", "text=5")[:2], (OK, "5\n"))
        same(cli(d, "call", "echo", "-", input='{"text":"from stdin\\n"}')[:2], (OK, "from stdin\n"))
        with folder() as f:
            (f / "args.json").write_text('{"text":"from a file"}')
            same(cli(d, "call", "echo", f"@{f}/args.json")[:2], (OK, "from a file\n"))
        status, out, _ = cli(d, "call", "echo", '{"text":"x"}', "--json")
        envelope = json.loads(out)
        same((status, envelope["ok"], envelope["content"]), (OK, True, [{"type": "text", "text": "x"}]))
        assert envelope["call_id"].startswith("cli-"), envelope


def test_call_over_tcp():
    with daemon("echo") as d:
        url = f"http://{d.address}/"
        env = {**os.environ, "http_proxy": "http://127.0.0.1:1", "ALL_PROXY": "http://127.0.0.1:1"}
        same(run(TOOLHOST, "--url", url, "call", "echo", "--arg", "text=hi", env=env)[:2], (OK, "hi\n"))
        env = {**os.environ, "TOOLHOST_SOCKET": str(d.socket)}
        same(run(TOOLHOST, "call", "echo", "--arg", "text=env", env=env)[:2], (OK, "env\n"))


def test_call_takes_types_from_the_schema():
    with daemon("slow_echo") as d:
        same(cli(d, "call", "slow_echo", "--arg", "ms=0", "--arg", "text=1")[:2], (OK, "1\n"))
        same(cli(d, "call", "slow_echo", '{"ms":5000,"text":"a"}', "--arg", "ms:=0")[:2], (OK, "a\n"))


def test_progress_goes_to_stderr():
    with daemon("slow_echo") as d:
        status, out, err = cli(d, "call", "slow_echo", '{"ms":1000,"text":"done"}')
        same((status, out), (OK, "done\n"))
        assert "% (" in err and "/10) step " in err, err


def test_exit_statuses():
    with daemon("echo", "spin", "null_deref") as d:
        says(cli(d, "call", "ecko"), NOT_FOUND, "tool_not_found", "toolhost list shows")
        says(cli(d, "call", "echo", '{"text":5}'), REFUSED, "tool_args_invalid", "\n- /text: ")
        says(cli(d, "call", "echo", "hello"), REFUSED, "tool_args_parse_error", "arguments are not JSON: byte ")
        says(cli(d, "call", "echo", "[]"), REFUSED, "not a JSON object")
        says(cli(d, "call", "spin", "--deadline", "200"), TIMED_OUT, "tool_timeout")
        says(cli(d, "call", "null_deref"), CRASHED, "tool_crashed")
        status, out, err = cli(d, "call", "ecko", "--json")
        same((status, json.loads(out)["error"]["code"], err), (NOT_FOUND, "tool_not_found", ""))


def test_unreachable():
    with folder() as f:
        got = run(TOOLHOST, "--socket", f / "none.sock", "list")
        says(got, UNREACHABLE, f"cannot reach toolhostd at {f}/none.sock: No such file or directory", "is it running?")
        got = run(TOOLHOST, "--url", "http://127.0.0.1:1", "plugins")
        says(got, UNREACHABLE, "cannot reach toolhostd at http://127.0.0.1:1: Connection refused")


def test_usage():
    says(cli(None), USAGE, "which command?")
    says(cli(None, "lst"), USAGE, 'there is no command "lst"; did you mean list?')
    says(cli(None, "call"), USAGE, "too few arguments: toolhost call")
    says(cli(None, "reload", "now"), USAGE, "too many arguments")
    says(cli(None, "list", "--nmaes"), USAGE, "unknown option --nmaes; did you mean --names?")
    says(cli(None, "--url", "x", "--socket", "y", "list"), USAGE, "can't be used together")
    says(cli(None, "call", "--plugin", "x.so", "--socket", "y", "t"), USAGE, "--plugin needs no daemon")
    says(cli(None, "call", "a", "--deadline", "soon"), USAGE, "--deadline: expected milliseconds")
    says(cli(None, "call", "a", "@/nonexistent"), USAGE, "/nonexistent: No such file or directory")


def test_help():
    status, out, _ = cli(None, "--help")
    same(status, OK)
    for command in ("list", "call", "resources", "read", "prompts", "prompt", "skills", "check", "schema", "new", "plugins",
                    "cancel", "reload", "top", "logs", "backup"):
        assert f"\n  {command} " in out, command
        same(cli(None, "help", command)[0], OK)
    same(cli(None, "call", "--help")[1], cli(None, "help", "call")[1])
    same(cli(None, "--version")[1], cli(None, "version")[1])
    same(json.loads(cli(None, "version", "--json")[1])["name"], "toolhost")


def test_check_of_what_is_no_tool():
    report = json.loads(cli(None, "check", plugin_file("conformance"), "--json")[1])
    found = {tool["name"]: tool for tool in report["tools"]}
    read = found["resource test://static-text"]
    same((read["findings"], read["examples"][0]["ok"]), ([], True))
    same(found["template test://template/{id}/data"]["examples"], [])
    same(found["prompt test_simple_prompt"]["examples"][0]["text"], "user: This is a simple prompt for testing.")
    same(found["prompt test_prompt_with_arguments"]["examples"], [])
    status, out, _ = cli(None, "check", plugin_file("bad_offers"), "--json")
    same(status, BAD_PLUGIN)
    assert "template bad://{deed}" in out and '"tool_crashed: The tool crashed."' in out, out


def test_resources_and_prompts():
    with Daemon(plugins=["conformance"]) as d:
        same([r["uri"] for r in json.loads(cli(d, "resources")[1])["resources"]],
             ["test://static-binary", "test://static-text", "test://watched-resource"])
        same(cli(d, "read", "test://static-text")[:2], (OK, "This is the content of the static text resource.\n"))
        png = subprocess.run([TOOLHOST, "--socket", d.socket, "read", "test://static-binary"], capture_output=True)
        assert png.stdout.startswith(b"\x89PNG") and png.stdout.endswith(b"IEND\xaeB`\x82"), png.stdout
        shown = on_terminal("--socket", d.socket, "plugins", "conformance", width=120)[1]
        assert re.search(r"resources +test://static-text, test://static-binary", shown), shown
        table = on_terminal("--socket", d.socket, "resources", width=120)[1]
        assert re.search(r"^test://template/\{id\}/data +application/json +Data for every id", table, re.M), table
        same(json.loads(cli(d, "read", "test://template/7/data", "--json")[1])["contents"][0]["uri"],
             "test://template/7/data")
        says(cli(d, "read", "test://nothing"), NOT_FOUND, "toolhost resources shows the resources there are")
        assert "test_prompt_with_arguments" in [p["name"] for p in json.loads(cli(d, "prompts")[1])["prompts"]]
        same(cli(d, "prompt", "test_prompt_with_arguments", "-a", "arg1=a", "-a", "arg2=b")[:2],
             (OK, "user: Prompt with arguments: arg1='a', arg2='b'\n"))
        same(cli(d, "prompt", "test_prompt_with_image")[1].splitlines(),
             ["user: [image image/png, 69 bytes]", "user: Please analyze the image above."])
        says(cli(d, "prompt", "test_prompt_with_arguments", '{"arg1":"a"}'), REFUSED, "/arg2")
        says(cli(d, "prompt", "nothing"), NOT_FOUND, "toolhost prompts shows the prompts there are")


def start_slow_call(d):
    """A call that has said how far it is."""
    process = subprocess.Popen([TOOLHOST, "--socket", d.socket, "call", "slow_echo", '{"ms":60000}'],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert "step 0" in process.stderr.readline()
    return process


def test_interrupt_cancels():
    with daemon("slow_echo") as d:
        process = start_slow_call(d)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20 * PATIENCE)
        same(process.returncode, CANCELLED, err)
        assert "tool_cancelled" in err, err
        d.wait_log("tool_call_failed", lambda e: e.get("code") == "tool_cancelled")


def test_cancel():
    with daemon("slow_echo") as d:
        call = in_background(d.rest, "slow_echo", {"ms": 60_000}, call_id="a call: 1")
        wait_for(lambda: cli(d, "cancel", "a call: 1", "--json")[:2] == (OK, '{"cancelled":"a call: 1"}\n'), 10,
                 "a call that can be cancelled")
        same(call().code, "tool_cancelled")
        says(cli(d, "cancel", "a call: 1"), NOT_FOUND, "no running call of this id")


def test_plugins():
    with daemon("echo", "bad_definition") as d:
        d.call("echo", {"text": "x"})
        listed = {p["name"]: p for p in json.loads(cli(d, "plugins")[1])["plugins"]}
        same(sorted(listed), ["bad_definition", "echo"])
        same(listed["echo"]["calls"], 1)
        status, out = on_terminal("--socket", d.socket, "plugins", width=120)
        lines = out.replace("\r", "").split("\n")
        same((status, lines[0].split()), (OK, ["NAME", "STATE", "GENERATION", "WORKERS", "RUNNING", "WAITING", "CALLS", "CRASHES", "SANDBOX", "FILE"]))
        assert any(line.startswith("bad_definition: ") for line in lines), out
        assert "\nguarantees\n" in "\n".join(lines) and "no-network" in out, out


def test_reload():
    with daemon("echo") as d:
        same(cli(d, "reload")[:2], (OK, '{"reloaded":true}\n'))
        d.policy("echo", '{"limits":{"memory":"lots"}}')
        says(cli(d, "reload"), FAILED, "echo.json", "/limits/memory", '"lots"')
        same(cli(d, "call", "echo", '{"text":"still"}')[:2], (OK, "still\n"))


def test_a_terminal_gets_nothing_harmful():
    with daemon("echo") as d:
        arguments = json.dumps({"text": "a\x1b[31mb\u202ec"})
        same(on_terminal("--socket", d.socket, "call", "echo", arguments), (OK, "a\\u001b[31mb\\u202ec\r\n"))
        same(cli(d, "call", "echo", arguments)[1], "a\x1b[31mb\u202ec\n")


def test_call_without_a_daemon():
    echo, spin = plugin_file("echo"), plugin_file("spin")
    same(cli(None, "call", "--plugin", echo, "echo", '{"text":"alone"}')[:2], (OK, "alone\n"))
    same(cli(None, "call", "--plugin", echo, "echo", "--arg", "text=5")[:2], (OK, "5\n"))
    status, out, _ = cli(None, "call", "--plugin", echo, "echo", '{"text":"x"}', "--json")
    same((status, json.loads(out)["content"]), (OK, [{"type": "text", "text": "x"}]))
    says(cli(None, "call", "--plugin", echo, "other"), NOT_FOUND, "tool_not_found")
    says(cli(None, "call", "--plugin", echo, "echo", '{"text":5}'), REFUSED, "tool_args_invalid", "/text: ")
    says(cli(None, "call", "--plugin", spin, "spin", "--deadline", "200ms"), TIMED_OUT, "tool_timeout")
    says(cli(None, "call", "--plugin", plugin_file("null_deref"), "null_deref"), CRASHED, "tool_crashed")
    says(cli(None, "call", "--plugin", "/nonexistent.so", "x"), BAD_PLUGIN, "/nonexistent.so")
    says(cli(None, "call", "--plugin", plugin_file("no_entry"), "x"), BAD_PLUGIN, "toolhost_plugin_entry")


def test_check():
    status, out, err = cli(None, "check", plugin_file("echo"))
    report = json.loads(out)
    same((status, report["loaded"], report["errors"]), (OK, True, 0), err + out)
    same([tool["name"] for tool in report["tools"]], ["echo"])
    status, out = on_terminal("check", plugin_file("echo"), width=120)
    assert "loaded in the sandbox" in out and "0 errors" in out, out
    for name in ("bad_definition", "no_entry", "wrong_abi", "bad_schema"):
        status, out, err = cli(None, "check", plugin_file(name))
        same((status, json.loads(out)["errors"] > 0), (BAD_PLUGIN, True), f"{name}: {out} {err}")
    says(cli(None, "check", "/nonexistent.so"), BAD_PLUGIN, "/nonexistent.so: can't be read")


def test_new():
    with folder() as f:
        same(cli(None, "new", "hello", cwd=f)[0], OK)
        same(sorted(os.listdir(f / "hello")), [".gitignore", "Makefile", "README.md", "hello.c", "test_hello.c"])
        says(cli(None, "new", "hello", cwd=f), FAILED, "hello: File exists", "choose another name")
        says(cli(None, "new", "../x", cwd=f), USAGE, "expected a name of 1 to 64 of a-z 0-9 _ -")
        same(cli(None, "new", "my-tool", "--dir", f / "hello")[0], OK)
        assert (f / "hello/my-tool/my-tool.c").exists()


def test_new_builds_and_answers():
    if not shutil.which("make") or not shutil.which("cc") or not shutil.which("pkg-config"):
        raise Skip("needs make, cc and pkg-config")
    if SANITIZER != "no":
        raise Skip("a plugin built without the sanitizer can't be linked with its mock")
    with folder() as f:
        cli(None, "new", "hello", cwd=f)
        env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
        env["PATH"] = f"{TOOLHOST.parent}:{env['PATH']}"
        status, out, err = run("make", "check", cwd=f / "hello", env=env, timeout=120)
        same(status, 0, out + err)
        assert "not ok" not in out and out.count("ok - ") >= 4, out
        plugin = f / "hello/hello.so"
        same(cli(None, "call", "--plugin", plugin, "hello", '{"name":"Ada"}')[:2], (OK, "Hello, Ada!\n"))
        says(cli(None, "call", "--plugin", plugin, "hello", '{"name":"  "}'), REFUSED, "/name: ")
        status, out, _ = cli(None, "check", plugin)
        report = json.loads(out)
        same((status, report["errors"], report["warnings"]), (OK, 0, 0), out)
        same(report["tools"][0]["examples"], [{"arguments": {"name": "Ada"}, "ok": True, "text": "Hello, Ada!"}])


COMPLETION = r"""
source /usr/share/bash-completion/bash_completion
source "$1"; shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE} COMP_TYPE=9
_toolhost "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\n' "${COMPREPLY[@]}"
"""


def test_completion():
    if not pathlib.Path("/usr/share/bash-completion/bash_completion").exists():
        raise Skip("needs bash-completion")

    def complete(*words):
        return run("bash", "-c", COMPLETION, "bash", SOURCE / "completions/toolhost", TOOLHOST, *words)[1].split()

    with daemon("echo", "slow_echo") as d:
        same(complete("--socket", d.socket, "call", ""), ["echo", "slow_echo"])
        same(complete("--socket", d.socket, "call", "sl"), ["slow_echo"])
    same(complete("pl"), ["plugins"])
    same(complete("to"), ["tools", "top"])
    same(complete("top", "--sort", "r"), ["rate", "running", "refused"])
    same(complete("logs", "--level", "n"), ["notice"])
    same(complete("logs", "--fo"), ["--follow"])
    same(complete("list", "--format", "open"), ["openai", "openai-chat", "openai-responses", "openai-realtime"])
    same(complete("call", "echo", "--dead"), ["--deadline"])
    same(complete("schema", ""), ["check"])
    same(complete("ffi", ""), ["import"])
    same(complete("ffi", "import", "--pre"), ["--preprocess"])
    same(complete("schema", "check", "--output", "n"), ["ndjson"])
    same(complete("schema", "check", "--draft", "draft-0"), ["draft-07", "draft-06", "draft-04"])


if __name__ == "__main__":
    main()
