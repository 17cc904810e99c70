"""Answers of the daemon beside what /openapi.json says of them.

    api = Described(d)
    api.saw("GET", "/v1/tools", answer)    at once: status, type, headers, code
    api.check()                            at the end: all bodies, by `toolhost schema check`, and which
                                           operations were never made
"""

import json
import pathlib
import re
import tempfile
from urllib.parse import urlsplit

from harness import installed, run, same


def is_of(pattern, path):
    return re.fullmatch("[^/]+".join(map(re.escape, re.split(r"\{[^}]*\}", pattern))), path)


class Described:
    def __init__(self, d):
        self.document = d.http("GET", "/openapi.json").json
        self.made = set()
        self.bodies = {}  # {schema as text: [(what, body)]}

    def operations(self):
        return {operation["operationId"] for path in self.document["paths"].values() for operation in path.values()}

    def find(self, method, path):
        """The operation of a request, or None."""
        for pattern, methods in self.document["paths"].items():
            if is_of(pattern, path) and method.lower() in methods:
                return methods[method.lower()]
        return None

    def resolve(self, node):
        while "$ref" in node:
            found = self.document
            for step in node["$ref"].split("/")[1:]:
                found = found[step]
            node = found
        return node

    def content_of(self, response, answer, what):
        """What is described of the answer's type; None: it has no body."""
        described = response.get("content")
        if not described:
            same(answer.body, b"", f"body of {what}")
            return None
        kind = answer.headers["content-type"].split(";")[0]
        assert kind in described or "*/*" in described, f"{what}: {kind} is not among {list(described)}"
        return described.get(kind, described.get("*/*"))

    def saw(self, method, path, answer):
        """Take an answer to account; returns it."""
        operation = self.find(method, urlsplit(path).path)
        assert operation, f"{method} {path} is not described"
        what = f"{operation['operationId']} {answer.status}"
        assert str(answer.status) in operation["responses"], f"{what} is not described: {answer}"
        response = self.resolve(operation["responses"][str(answer.status)])
        for name, header in response.get("headers", {}).items():
            assert name.lower() in answer.headers or not header.get("required"), f"{what}: {name} is missing"
        media = self.content_of(response, answer, what)
        codes = response.get("x-error-codes")
        code = json.loads(answer.body).get("error") if codes and answer.body else None
        code = code.get("code") if isinstance(code, dict) else code
        assert not codes or not isinstance(code, str) or code in codes, f"{what}: {code} is not among {codes}"
        if media and "schema" in media and answer.headers["content-type"].startswith("application/json"):
            self.bodies.setdefault(json.dumps(media["schema"]), []).append((what, answer.body))
        self.made.add(operation["operationId"])
        return answer

    def judge(self, schema, bodies):
        """Validate bodies by one schema: what `toolhost schema check` complains of."""
        with tempfile.TemporaryDirectory(prefix="toolhost-described.") as folder:
            folder = pathlib.Path(folder)
            (folder / "schema").write_text(json.dumps({**schema, "components": self.document["components"]}))
            files = []
            for number, (what, body) in enumerate(bodies):
                files.append(folder / f"{what.replace(' ', '-')}-{number}")
                files[-1].write_bytes(body)
            status, out, err = run(installed("bin/toolhost"), "schema", "check", "--quiet", folder / "schema", *files)
        return "" if status == 0 else f"{json.dumps(schema)}: {status}\n{out}{err}"

    def check_bodies(self):
        """What is wrong with all the bodies that were seen."""
        return "".join(self.judge(json.loads(schema), bodies) for schema, bodies in self.bodies.items())

    def check(self, unmade=()):
        """All bodies are as they should be, and all operations but these were made."""
        same(self.check_bodies(), "", "what is wrong with bodies")
        same(sorted(self.operations() - self.made), sorted(unmade), "operations that were not made")
