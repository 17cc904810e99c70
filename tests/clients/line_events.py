"""Line's own classes of events (cartesia-line, line/events.py), run by the Python that has them.  The module is loaded
alone: it needs pydantic, the package around it a whole framework.

    line_events.py make     one event of each kind that comes to an agent, a line each
    line_events.py judge    events of an agent, a line each, become {"class", "event"} or {"error"}
"""

import importlib.util
import json
import pathlib
import sys
import sysconfig
import typing

import pydantic


def load():
    path = pathlib.Path(sysconfig.get_paths()["purelib"], "line", "events.py")
    spec = importlib.util.spec_from_file_location("line_events_alone", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # pydantic looks the names of annotations up in it
    spec.loader.exec_module(module)
    return module


def inputs(line):
    """Each class of InputEvent once, the last one with all others as its history."""
    said = line.UserTextSent(content="grüß \"dich\"\n\u2028")
    pressed = line.UserDtmfSent(button="#")
    events = [line.CallStarted(), line.UserTurnStarted(), pressed, said, line.UserTurnEnded(content=[said, pressed]),
              line.UserCustomSent(metadata={"cart": [1, 2.5, None, {"a": True}]}), line.AgentTurnStarted(),
              line.AgentTextSent(content="Hello."), line.AgentDtmfSent(button="7"),
              line.AgentTurnEnded(content=[line.AgentTextSent(content="Hello."), line.AgentDtmfSent(button="7")]),
              line.AgentHandedOff()]
    events.append(line.CallEnded(history=list(events)))
    assert {type(e) for e in events} == set(typing.get_args(line.InputEvent)), "there are other kinds of events"
    return events


def judge(line, text):
    """Strict: nothing is made fit, and no member is left out."""
    kinds = {kind.model_fields["type"].default: kind for kind in typing.get_args(line.OutputEvent)}
    event = json.loads(text)
    try:
        made = kinds[event["type"]].model_validate(event, strict=True, extra="forbid")
    except (KeyError, pydantic.ValidationError) as e:
        return {"error": str(e)}
    return {"class": type(made).__name__, "event": made.model_dump(exclude_unset=True)}


def main():
    line = load()
    if sys.argv[1:] == ["make"]:
        for event in inputs(line):
            print(event.model_dump_json())
    else:
        for text in sys.stdin:
            print(json.dumps(judge(line, text)))


main()
