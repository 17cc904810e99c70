"""OpenAI's own client of the Realtime service against what the daemon says to it: the types of its events, and an
application that forwards between the two.  `./dev clients` installs it."""

import json
import os
import pathlib
import subprocess
import tempfile

from harness import Daemon, PATIENCE, SOURCE, main, same
from realtime_server import KEY, RealtimeServer
from test_clients import PACKAGES, node

PLUGINS = ["echo", "slow_echo", "talk"]


def arguments_done(call, name, arguments, response="r1"):
    return {"type": "response.function_call_arguments.done", "event_id": "e", "response_id": response,
            "item_id": "i_" + call, "output_index": 0, "call_id": call, "name": name,
            "arguments": json.dumps(arguments)}


def item_done(call, name, arguments, response="r1"):
    return {"type": "response.output_item.done", "event_id": "e", "response_id": response, "output_index": 0,
            "item": {"id": "i_" + call, "object": "realtime.item", "type": "function_call", "status": "completed",
                     "call_id": call, "name": name, "arguments": json.dumps(arguments)}}


def said_by_the_daemon():
    """One client event of each kind that there is."""
    with RealtimeServer(tls=True) as service, Daemon(plugins=PLUGINS) as d:
        app = subprocess.Popen([node(), str(SOURCE / "tests/clients/realtime_app.mjs"),
                                service.url.removesuffix("/realtime"), KEY, d.address],
                               stdout=subprocess.PIPE, text=True,
                               env={**os.environ, "NODE_EXTRA_CA_CERTS": service.cert})
        try:
            side = service.sideband("", timeout=30)
            side.expect(type="session.update")
            side.send(type="response.created", event_id="e", response={"id": "r1", "object": "realtime.response"})
            for call, name, arguments in (("c1", "echo", {"text": "hi"}), ("bg", "research", {"ms": 300, "text": "x"}),
                                          ("s", "say", {"text": "Good day."})):
                side.send(**arguments_done(call, name, arguments))
                side.send(**item_done(call, name, arguments))
            kinds = sorted(side.expect(type="conversation.item.create")["item"]["type"] for _ in range(4))
            same(kinds, ["function_call_output"] * 3 + ["message"])
            for number in range(2, 5):
                side.send(type="response.done", event_id="e", response={
                    "id": f"r{number - 1}", "object": "realtime.response", "status": "completed", "output": []})
                if number < 4:
                    side.expect(type="response.create")
                    side.send(type="response.created", event_id="e",
                              response={"id": f"r{number}", "object": "realtime.response"})
            side.send(type="end", event_id="e")
            assert app.wait(30 * PATIENCE) == 0
            same(json.loads(app.stdout.read().splitlines()[-1]), {"type": "app.closed", "code": 1000})
            return side.received
        finally:
            app.kill()
            app.stdout.close()


def compile_events(events):
    """The compiler's word on events as OpenAI's client takes them."""
    with tempfile.TemporaryDirectory(dir=PACKAGES) as folder:  # where it finds the package
        source = pathlib.Path(folder, "events.ts")
        source.write_text("import type { RealtimeClientEvent } from 'openai/resources/realtime/realtime';\n"
                          f"export const events: RealtimeClientEvent[] = {json.dumps(events)};\n")
        done = subprocess.run([node(), pathlib.Path(PACKAGES, "node_modules/typescript/bin/tsc"), "--noEmit",
                               "--strict", "--skipLibCheck", "--target", "es2022", "--module", "esnext",
                               "--moduleResolution", "bundler", source], capture_output=True, text=True,
                              timeout=120 * PATIENCE)
        return done.returncode, done.stdout


def test_U0_10_U0_14_an_application_with_its_own_client_and_the_types_of_what_it_is_told():
    events = said_by_the_daemon()
    same({e["type"] for e in events}, {"session.update", "conversation.item.create", "response.create"})
    same(compile_events(events), (0, ""))
    wrong = [{**events[0], "type": "session.updates"}, {"type": "response.create", "response": {"tool_choice": 7}}]
    for event in wrong:
        assert compile_events([event])[0] != 0, f"the compiler takes {event}"


if __name__ == "__main__":
    main()
