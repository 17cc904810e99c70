"""What schemathesis looks at besides its own checks: a refusal's code is one that the description names."""

import json

import schemathesis


@schemathesis.check
def documented_error_code(ctx, response, case):
    if response.status_code < 400 or case.operation.definition.raw is None:
        return
    described = case.operation.definition.raw.get("responses", {}).get(str(response.status_code))
    if described is None:
        return  # another check's finding
    if "$ref" in described:
        described = case.operation.schema.raw_schema["components"]["responses"][described["$ref"].rsplit("/", 1)[1]]
    codes = described.get("x-error-codes")
    if codes is None or not response.content:
        return
    body = json.loads(response.content)
    code = body["error"].get("code") if isinstance(body.get("error"), dict) else body.get("error")
    if isinstance(code, str):
        assert code in codes, f"{response.status_code} with the code {code!r}, described are {codes}"
