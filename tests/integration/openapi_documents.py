"""Large OpenAPI documents, invented, in three styles that public services have:

payments   3.0, JSON: bodies as forms, deepObject, expand, a body in one of several forms, circles
hosting    3.0, YAML: many parameters in paths, parameters and answers by reference, pages by Link, nullable
cloud      3.1, JSON: servers with variables, multipart uploads, webhooks, types as lists, styles of paths

Each is the same every time it is made.  As a program: openapi_documents.py STYLE [URL] prints one.
"""

import json
import re
import sys


def ref(kind, name):
    return {"$ref": f"#/components/{kind}/{name}"}


def answer(schema, status="200", media="application/json", **more):
    return {status: {"description": "Success.", "content": {media: {"schema": schema}}, **more}}


def title(name):
    return name.replace("_", " ").replace("-", " ").capitalize()


# ---- payments ----

MONEY = ("account balance_transaction bank_account card charge checkout_session coupon credit_note customer dispute "
         "event fee file_link invoice invoice_item issuing_card issuing_holder ledger_entry mandate order payment_intent "
         "payment_link payment_method payout plan price product promotion quote receipt refund report_run review "
         "setup_intent shipping_rate sku source subscription subscription_item tax_code tax_rate terminal_reader token "
         "topup transfer transfer_reversal usage_record webhook_endpoint").split()
DEEP = {"style": "deepObject", "explode": True}


def payment_object(name, number):
    other = MONEY[(number + 1) % len(MONEY)]
    return {
        "type": "object", "description": f"A {title(name).lower()}.", "required": ["id", "object"],
        "x-resource": name,
        "properties": {
            "id": {"type": "string", "maxLength": 5000, "description": "Unique identifier.", "readOnly": True},
            "object": {"type": "string", "enum": [name]},
            "amount": {"type": "integer", "minimum": 0, "exclusiveMinimum": True, "description": "In the smallest unit."},
            "currency": {"type": "string", "format": "currency", "example": "eur"},
            "created": {"type": "integer", "format": "unix-time"},
            "livemode": {"type": "boolean"},
            "metadata": {"type": "object", "additionalProperties": {"type": "string", "maxLength": 500}},
            other: {"nullable": True, "anyOf": [{"type": "string"}, ref("schemas", other)],
                    "x-expansionResources": {"oneOf": [ref("schemas", other)]}},
        }}


def payment_form(name, creating):
    properties = {
        "amount": {"type": "integer", "minimum": 1}, "currency": {"type": "string", "minLength": 3, "maxLength": 3},
        "expand": {"type": "array", "items": {"type": "string", "maxLength": 5000}},
        "metadata": {"anyOf": [{"type": "object", "additionalProperties": {"type": "string"}},
                               {"type": "string", "enum": [""]}]},
        "shipping": {"type": "object", "required": ["address", "name"], "properties": {
            "name": {"type": "string"}, "phone": {"type": "string"},
            "address": {"type": "object", "properties": {
                key: {"type": "string"} for key in ("line1", "line2", "city", "state", "postal_code", "country")}}}},
        f"{name}_options": {"type": "object", "properties": {"mode": {"type": "string", "enum": ["auto", "manual"]}}},
    }
    schema = {"type": "object", "properties": properties}
    if creating:
        schema["required"] = ["amount", "currency"]
    return {"required": creating, "content": {"application/x-www-form-urlencoded": {
        "schema": schema, "encoding": {key: DEEP for key in ("expand", "metadata", "shipping", f"{name}_options")}}}}


def payment_paths(name):
    noun, plural = title(name).replace(" ", ""), name + "s"
    expand = {"name": "expand", "in": "query", "style": "deepObject", "explode": True,
              "schema": {"type": "array", "items": {"type": "string"}}}
    created = {"name": "created", "in": "query", "style": "deepObject", "explode": True, "schema": {"anyOf": [
        {"type": "object", "properties": {key: {"type": "integer"} for key in ("gt", "gte", "lt", "lte")}},
        {"type": "integer"}]}}
    pages = [{"name": key, "in": "query", "schema": {"type": "string"}} for key in ("starting_after", "ending_before")]
    pages.append({"name": "limit", "in": "query", "schema": {"type": "integer", "minimum": 1, "maximum": 100}})
    identity = {"name": name, "in": "path", "required": True, "style": "simple",
                "schema": {"type": "string", "maxLength": 5000}}
    found = {"type": "object", "required": ["data", "has_more"], "properties": {
        "data": {"type": "array", "items": ref("schemas", name)}, "has_more": {"type": "boolean"},
        "object": {"type": "string", "enum": ["list"]}, "url": {"type": "string", "pattern": f"^/v1/{plural}"}}}

    def operation(verb, path, words, parameters, body=None, schema=None):
        made = {"operationId": verb + path, "summary": words, "tags": [title(name)], "parameters": parameters,
                "responses": {**answer(schema or ref("schemas", name)), "default": ref("responses", "error")}}
        if body:
            made["requestBody"] = body
        return made

    return {
        f"/v1/{plural}": {
            "get": operation("Get", noun + "s", f"List all {plural}", [created, expand, *pages], schema=found),
            "post": operation("Post", noun + "s", f"Create a {title(name).lower()}", [], payment_form(name, True))},
        f"/v1/{plural}/{{{name}}}": {
            "get": operation("Get", noun + "sId", f"Retrieve a {title(name).lower()}", [expand, identity]),
            "post": operation("Post", noun + "sId", f"Update a {title(name).lower()}", [identity],
                              payment_form(name, False)),
            "delete": operation("Delete", noun + "sId", f"Delete a {title(name).lower()}", [identity])},
        f"/v1/{plural}/{{{name}}}/cancel": {
            "post": operation("Post", noun + "sIdCancel", f"Cancel a {title(name).lower()}", [identity])},
    }


def payments(url):
    paths = {}
    for name in MONEY:
        paths.update(payment_paths(name))
    error = {"type": "object", "properties": {"error": {"type": "object", "properties": {
        "message": {"type": "string"}, "code": {"type": "string"}}}}}
    return {
        "openapi": "3.0.0", "info": {"title": "Payments", "version": "2026-10-01", "description": "Money, moved."},
        "servers": [{"url": url + "/"}], "security": [{"basicAuth": []}, {"bearerAuth": []}], "paths": paths,
        "components": {
            "schemas": {name: payment_object(name, number) for number, name in enumerate(MONEY)},
            "responses": {"error": {"description": "Error.", "content": {"application/json": {"schema": error}}}},
            "securitySchemes": {"basicAuth": {"type": "http", "scheme": "basic"},
                                "bearerAuth": {"type": "http", "scheme": "bearer"}}}}


# ---- code hosting ----

PARTS = ("actions/artifacts actions/caches actions/runners actions/runs actions/secrets actions/workflows branches "
         "check-runs check-suites codespaces collaborators comments commits contents dependabot/alerts deployments "
         "environments events forks git/blobs git/commits git/refs git/tags git/trees hooks invitations issues "
         "issues/comments issues/events keys labels languages milestones notifications pages pulls pulls/comments "
         "releases releases/assets rulesets secret-scanning/alerts stargazers statuses subscribers tags teams topics "
         "traffic/clones traffic/views").split()
OWNERS = ("repos/{owner}/{repo}", "orgs/{org}", "user", "enterprises/{enterprise}")


def hosting_operation(group, verb, scope, parameters, schema, **more):
    where = re.sub(r"[{}/]+", "-", scope).strip("-")
    return {"operationId": f"{group}/{verb}-for-{where}", "summary": f"{title(verb)} {title(group).lower()}",
            "description": f"{title(verb)} {title(group).lower()} of `{scope}`.\n\nNeeds the scope `{group}`.",
            "tags": [group], "externalDocs": {"url": "https://docs.example/rest"},
            "parameters": parameters, "responses": {**schema, "404": ref("responses", "not_found")}, **more}


def hosting_paths(scope, part):
    group = part.split("/")[0]
    name = part.rsplit("/", 1)[-1].rstrip("s").replace("-", "_")
    schema = ref("schemas", name)
    places = [ref("parameters", place) for place in re.findall(r"{(\w+)}", scope)]
    one = {"name": f"{name}_id", "in": "path", "required": True, "description": "Its number.",
           "schema": {"type": "integer"}}
    pages = [ref("parameters", "per_page"), ref("parameters", "page")]
    link = {"Link": {"schema": {"type": "string"}, "example": '<https://api.example/x?page=2>; rel="next"'}}
    body = {"required": True, "content": {"application/json": {"schema": {
        "type": "object", "required": ["name"], "properties": {
            "name": {"type": "string"}, "body": {"type": "string", "nullable": True},
            "labels": {"type": "array", "items": {"oneOf": [{"type": "string"}, ref("schemas", name)]}}}}}}}
    path = f"/{scope}/{part}"
    verb = part.rsplit("/", 1)[-1]
    return {
        path: {"get": hosting_operation(group, "list-" + verb, scope, [*places, *pages, ref("parameters", "since")],
                                        answer({"type": "array", "items": schema}, headers=link)),
               "post": hosting_operation(group, "create-" + verb, scope, places, answer(schema, "201"), requestBody=body)},
        f"{path}/{{{name}_id}}": {
            "parameters": [one],
            "get": hosting_operation(group, "get-" + verb, scope, places, answer(schema)),
            "patch": hosting_operation(group, "update-" + verb, scope, places, answer(schema), requestBody=body),
            "delete": hosting_operation(group, "delete-" + verb, scope, places, {"204": {"description": "Gone."}})}}


def hosting_schema(name):
    return {"type": "object", "title": title(name), "required": ["id", "url"], "properties": {
        "id": {"type": "integer", "format": "int64", "readOnly": True, "example": 42},
        "node_id": {"type": "string", "example": "MDU6SXNzdWUx"},
        "url": {"type": "string", "format": "uri"}, "body": {"type": "string", "nullable": True},
        "state": {"type": "string", "enum": ["open", "closed"], "nullable": True},
        "closed_by": {"allOf": [ref("schemas", "simple_user")], "nullable": True},
        "user": ref("schemas", "simple_user"), "created_at": {"type": "string", "format": "date-time"}}}


def hosting(url, operations=1000):
    paths, count = {}, 0
    for scope, part in ((scope, part) for scope in OWNERS for part in PARTS):
        for path, item in hosting_paths(scope, part).items():
            kept = {}
            for key, value in item.items():
                if key == "parameters" or count < operations:
                    kept[key] = value
                    count += key != "parameters"
            if any(key != "parameters" for key in kept):
                paths[path] = kept
    names = {part.rsplit("/", 1)[-1].rstrip("s").replace("-", "_") for part in PARTS}
    places = {place: {"name": place, "in": "path", "required": True, "schema": {"type": "string"}}
              for scope in OWNERS for place in re.findall(r"{(\w+)}", scope)}
    user = {"type": "object", "properties": {"login": {"type": "string"}, "id": {"type": "integer"},
                                             "manager": {"nullable": True, "allOf": [ref("schemas", "simple_user")]}}}
    return {
        "openapi": "3.0.3", "info": {"title": "Code hosting", "version": "1.1.4"},
        "servers": [{"url": url}], "paths": paths,
        "components": {
            "parameters": {**places,
                           "per_page": {"name": "per_page", "in": "query", "description": "Results per page (max 100).",
                                        "schema": {"type": "integer", "default": 30}},
                           "page": {"name": "page", "in": "query", "schema": {"type": "integer", "default": 1}},
                           "since": {"name": "since", "in": "query", "schema": {"type": "string", "format": "date-time"}}},
            "responses": {"not_found": {"description": "Not found.", "content": {"application/json": {
                "schema": {"type": "object", "properties": {"message": {"type": "string"}}}}}}},
            "schemas": {"simple_user": user, **{name: hosting_schema(name) for name in sorted(names)}}}}


# ---- cloud storage and weather ----

THINGS = ("acl bucket channel folder hmac_key lifecycle notification object policy project retention service_account "
          "forecast observation station alert radar_image climate_normal air_quality marine_report").split()


def cloud_schema(name):
    return {"type": "object", "required": ["kind"], "properties": {
        "kind": {"const": f"cloud#{name}"}, "id": {"type": ["string", "integer"], "readOnly": True},
        "secret": {"type": "string", "writeOnly": True}, "size": {"type": ["integer", "null"], "exclusiveMinimum": 0},
        "position": {"type": "array", "prefixItems": [{"type": "number"}, {"type": "number"}], "items": False},
        "children": {"type": "array", "items": ref("schemas", name)}},
        "dependentRequired": {"size": ["id"]}, "examples": [{"kind": f"cloud#{name}", "id": "a"}]}


def cloud_paths(name):
    plural = name + "s"
    one = {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
    fields = {"name": "fields", "in": "query", "style": "spaceDelimited", "explode": False,
              "schema": {"type": "array", "items": {"type": "string"}}}
    units = {"name": "units", "in": "query", "style": "pipeDelimited", "explode": False,
             "schema": {"type": "array", "items": {"enum": ["metric", "imperial", "kelvin"]}}}
    match = {"name": "If-Match", "in": "header", "schema": {"type": "string"}}
    key = {"name": "key", "in": "query", "required": True, "schema": {"type": "string"}}
    found = {"type": "object", "properties": {"items": {"type": "array", "items": ref("schemas", name)},
                                              "nextPageToken": {"type": "string"}}}
    body = {"required": True, "content": {"application/json": {"schema": ref("schemas", name)}}}
    upload = {"required": True, "content": {"multipart/form-data": {
        "schema": {"type": "object", "required": ["file"], "properties": {
            "file": {"contentMediaType": "application/octet-stream"}, "metadata": ref("schemas", name),
            "checksum": {"type": "string", "contentEncoding": "base64"}}},
        "encoding": {"metadata": {"contentType": "application/json"}}}}}

    def operation(verb, words, parameters, schema, **more):
        return {"operationId": f"cloud.{plural}.{verb}", "summary": f"{words} {title(name).lower()}", "tags": [plural],
                "parameters": [key, *parameters], "responses": answer(schema), **more}

    region = {"name": "region", "in": "path", "required": True, "style": "matrix", "explode": True,
              "schema": {"type": "array", "items": {"type": "string"}}}
    form = {"name": "format", "in": "path", "required": True, "style": "label", "schema": {"type": "string"}}
    return {
        f"/{plural}": {"get": operation("list", "List every", [fields, units], found),
                       "post": operation("insert", "Insert a", [], ref("schemas", name), requestBody=body)},
        f"/{plural}/{{{name}}}": {
            "parameters": [one],
            "get": operation("get", "Get a", [fields, match], ref("schemas", name)),
            "put": operation("update", "Update a", [match], ref("schemas", name), requestBody=body),
            "delete": operation("delete", "Delete a", [match], {"type": "null"})},
        f"/{plural}/{{{name}}}:upload": {"post": operation("upload", "Upload a", [one], ref("schemas", name),
                                                           requestBody=upload)},
        f"/{plural}/near{{region}}/latest{{format}}": {
            "get": operation("latest", "The latest", [region, form], ref("schemas", name))}}


def cloud(url):
    paths = {}
    for name in THINGS:
        paths.update(cloud_paths(name))
    return {
        "openapi": "3.1.0", "info": {"title": "Cloud and weather", "version": "v2", "summary": "Objects and skies."},
        "jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
        "servers": [{"url": url + "/{tier}/{version}", "variables": {
            "version": {"default": "v2"}, "tier": {"default": "free", "enum": ["free", "pro"]}}}],
        "paths": paths, "security": [{"apiKey": []}],
        "webhooks": {"changed": {"post": {"requestBody": {"content": {"application/json": {"schema": ref("schemas", "object")}}},
                                          "responses": {"200": {"description": "Heard."}}}}},
        "components": {"schemas": {name: cloud_schema(name) for name in THINGS},
                       "securitySchemes": {"apiKey": {"type": "apiKey", "in": "query", "name": "key"}}}}


# ---- YAML ----

def scalar(value):
    if isinstance(value, str) and re.fullmatch(r"[A-Za-z_][A-Za-z0-9_ -]*[A-Za-z0-9_]", value) \
            and value.lower() not in ("null", "true", "false", "yes", "no", "on", "off"):
        return value
    return json.dumps(value)


def to_yaml(value, indent=0):
    """Block style, as people write it: mappings, lists, plain words, a literal for more than one line."""
    space = "  " * indent
    if isinstance(value, dict) and value:
        return "".join(f"{space}{scalar(str(key))}:{nested(item, indent)}" for key, item in value.items())
    if isinstance(value, list) and value:
        return "".join(f"{space}-{nested(item, indent)}" for item in value)
    return space + scalar(value) + "\n"


def nested(value, indent):
    if isinstance(value, (dict, list)) and value:
        return "\n" + to_yaml(value, indent + 1)
    if isinstance(value, str) and "\n" in value and not value.endswith("\n"):
        return " |-\n" + "".join(("  " * (indent + 1) + line).rstrip() + "\n" for line in value.split("\n"))
    return " " + scalar(value) + "\n"


STYLES = {"payments": payments, "hosting": hosting, "cloud": cloud}

if __name__ == "__main__":
    made = STYLES[sys.argv[1]](sys.argv[2] if len(sys.argv) > 2 else "https://api.example")
    sys.stdout.write(to_yaml(made) if sys.argv[1] == "hosting" else json.dumps(made, indent=1))
