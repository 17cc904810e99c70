"""A service with a model in it, as tests want one: it answers by a script, in each of the four protocols that agents
are spoken to in, whole or as events, and keeps what it was asked."""

import http.server
import json
import threading
import time

PROTOCOLS = ("openai-chat", "openai-responses", "anthropic-messages", "a2a")
PIECE = 3  # characters of what is sent in pieces


def says(text="", *calls):
    """A turn: what the model says, and the calls it makes, each (name, arguments as an object or text)."""
    return {"text": text, "calls": [(f"call_{i}", name, args if isinstance(args, str) else json.dumps(args))
                                    for i, (name, args) in enumerate(calls)]}


def pieces(text):
    return [text[i:i + PIECE] for i in range(0, len(text), PIECE)]


# ---- openai-chat

def chat_whole(turn):
    calls = [{"id": id, "type": "function", "function": {"name": name, "arguments": args}} for id, name, args in turn["calls"]]
    message = {"role": "assistant", "content": turn["text"] or None, **({"tool_calls": calls} if calls else {})}
    return {"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}]}


def chat_events(turn):
    def chunk(delta, finish=None):
        return None, {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
    yield chunk({"role": "assistant", "content": ""})
    for piece in pieces(turn["text"]):
        yield chunk({"content": piece})
    for i, (id, name, args) in enumerate(turn["calls"]):
        yield chunk({"tool_calls": [{"index": i, "id": id, "type": "function", "function": {"name": name, "arguments": ""}}]})
        for piece in pieces(args):
            yield chunk({"tool_calls": [{"index": i, "function": {"arguments": piece}}]})
    yield chunk({}, "tool_calls" if turn["calls"] else "stop")
    yield None, "[DONE]"


# ---- openai-responses

def responses_items(turn):
    items = [{"type": "reasoning", "id": "rs_1", "summary": []}]
    if turn["text"]:
        items.append({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
                      "content": [{"type": "output_text", "text": turn["text"], "annotations": []}]})
    return items + [{"type": "function_call", "id": f"fc_{id}", "call_id": id, "name": name, "arguments": args}
                    for id, name, args in turn["calls"]]


def responses_whole(turn):
    return {"id": "resp_1", "object": "response", "status": "completed", "error": None, "output": responses_items(turn)}


def responses_events(turn):
    def event(kind, **members):
        return kind, {"type": kind, **members}
    yield event("response.created", response={"id": "resp_1", "status": "in_progress", "output": []})
    for piece in pieces(turn["text"]):
        yield event("response.output_text.delta", output_index=0, delta=piece)
    for i, item in enumerate(responses_items(turn)):
        yield event("response.output_item.done", output_index=i, item=item)
    yield event("response.completed", response=responses_whole(turn))


# ---- anthropic-messages

def messages_whole(turn):
    content = [{"type": "text", "text": turn["text"]}] if turn["text"] else []
    content += [{"type": "tool_use", "id": id, "name": name, "input": json.loads(args)} for id, name, args in turn["calls"]]
    return {"type": "message", "role": "assistant", "content": content, "stop_reason": "tool_use" if turn["calls"] else "end_turn"}


def messages_events(turn):
    def event(kind, **members):
        return kind, {"type": kind, **members}
    yield event("message_start", message={"role": "assistant", "content": []})
    yield event("ping")
    yield event("content_block_start", index=0, content_block={"type": "text", "text": ""})
    for piece in pieces(turn["text"]):
        yield event("content_block_delta", index=0, delta={"type": "text_delta", "text": piece})
    yield event("content_block_stop", index=0)
    for i, (id, name, args) in enumerate(turn["calls"], 1):
        yield event("content_block_start", index=i, content_block={"type": "tool_use", "id": id, "name": name, "input": {}})
        for piece in pieces(args):
            yield event("content_block_delta", index=i, delta={"type": "input_json_delta", "partial_json": piece})
        yield event("content_block_stop", index=i)
    yield event("message_delta", delta={"stop_reason": "end_turn"})
    yield event("message_stop")


# ---- a2a

def a2a_answer(result):
    return {"jsonrpc": "2.0", "id": 1, "result": result}


def a2a_task(state, text=None, said=None):
    status = {"state": state}
    if said:
        status["message"] = {"kind": "message", "role": "agent", "messageId": "m1", "parts": [{"kind": "text", "text": said}]}
    artifacts = [{"artifactId": "a1", "parts": [{"kind": "text", "text": text}]}] if text is not None else []
    return {"kind": "task", "id": "task-1", "contextId": "ctx-1", "status": status, "artifacts": artifacts}


def a2a_whole(turn):
    return a2a_answer(turn["task"] if "task" in turn else a2a_task("completed", turn["text"]))


def a2a_events(turn):
    if "task" in turn:
        yield None, a2a_answer(turn["task"])
        return
    yield None, a2a_answer(a2a_task("working"))
    for i, piece in enumerate(pieces(turn["text"])):
        yield None, a2a_answer({"kind": "artifact-update", "taskId": "task-1", "contextId": "ctx-1", "append": i != 0,
                                "artifact": {"artifactId": "a1", "parts": [{"kind": "text", "text": piece}]}})
    yield None, a2a_answer({"kind": "status-update", "taskId": "task-1", "contextId": "ctx-1", "final": True,
                            "status": {"state": "completed"}})


WHOLE = dict(zip(PROTOCOLS, (chat_whole, responses_whole, messages_whole, a2a_whole)))
EVENTS = dict(zip(PROTOCOLS, (chat_events, responses_events, messages_events, a2a_events)))


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        model = self.server.model
        with model.lock:
            model.asked.append({"body": body, "headers": dict(self.headers), "path": self.path})
            turn = model.script.pop(0) if len(model.script) > 1 else model.script[0]
        turn = turn(body) if callable(turn) else turn
        try:
            self.answer(self.path.strip("/"), turn, body.get("stream") or body.get("method") == "message/stream")
        except (BrokenPipeError, ConnectionResetError):
            model.left.set()

    def answer(self, protocol, turn, as_events):
        if "hang" in turn:
            self.server.model.hung.set()
            self.server.model.free.wait(30)
            return
        if "raw" in turn:
            return self.send(turn.get("status", 200), turn.get("type", "application/json"), turn["raw"])
        if not as_events:
            return self.send(200, "application/json", json.dumps(WHOLE[protocol](turn)))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream; charset=utf-8")
        self.send_header("connection", "close")
        self.end_headers()
        for kind, data in EVENTS[protocol](turn):
            text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
            self.wfile.write(((f"event: {kind}\n" if kind else "") + f"data: {text}\n\n").encode())
            self.wfile.flush()
            if turn.get("slowly"):
                time.sleep(turn["slowly"])
        self.close_connection = True

    def send(self, status, kind, text):
        data = text.encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class Model:
    """A server that answers by its script, the last entry again and again."""

    def __init__(self, *script):
        self.script, self.asked = list(script), []
        self.lock = threading.Lock()
        self.hung, self.free, self.left = threading.Event(), threading.Event(), threading.Event()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.model = self
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.free.set()
        self.server.shutdown()
        self.server.server_close()

    def bodies(self):
        return [one["body"] for one in self.asked]
