/* The kinds of what plugins offer: how each is known, and what is particular to its definition. */
#include <string.h>

#include "base/json_write.h"
#include "catalog/definition.h"
#include "catalog/reading.h"
#include "catalog/strict.h"
#include "schema/schema.h"

enum { NAME_MAX_LEN = 64 };

static const char *
text_of (struct reading *r, const char *member)
{
  return json_cstring (&r->tape, json_member (&r->tape, r->root, member), &r->arena);
}

static void
set_name (struct tool *tool, const char *name)
{
  tool->name = xstrdup (name);
  tool->name_len = strlen (name);
}

static void
set_description (struct reading *r, struct tool *tool)
{
  const char *description = text_of (r, "description");

  tool->description = xstrdup (description != NULL ? description : "");
}

/* ---- tools ---- */

static void
name_by_name (struct reading *r, struct tool *tool)
{
  const char *name = text_of (r, "name");
  size_t len = name != NULL ? strspn (name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                            "0123456789_-")
                            : 0;

  if (len != 0 && len <= NAME_MAX_LEN && name[len] == '\0')
    set_name (tool, name);
}

/* False: err has the sentence for its own kind of fault, led by where it is. */
static bool
read_schema (struct reading *r, const char *member, struct schema **schema, struct error *err)
{
  const struct json_node *node = json_member (&r->tape, r->root, member);

  if (node == NULL)
    return true;
  *schema = schema_compile (&r->tape, node, NULL, err);
  return *schema != NULL || error_wrap (err, "/%s", member);
}

static enum tool_background
read_background (const struct json_tape *tape, const struct json_node *node)
{
  if (json_equals (tape, node, "required"))
    return BACKGROUND_MUST;
  if (json_equals (tape, node, "answered"))
    return BACKGROUND_ANSWERED;
  return json_is (node, JSON_TRUE) ? BACKGROUND_MAY : BACKGROUND_NO;
}

static enum tool_kind
read_kind (const struct json_tape *tape, const struct json_node *node)
{
  if (json_equals (tape, node, "passthrough"))
    return TOOL_PASSTHROUGH;
  return json_equals (tape, node, "handoff") ? TOOL_HANDOFF : TOOL_LOOPBACK;
}

static void
read_tags (struct reading *r, struct tool *tool, const struct json_node *tags)
{
  if (!json_is (tags, JSON_ARRAY))
    return;
  tool->tags = xcalloc (tags->count + 1, sizeof *tool->tags);
  for (const struct json_node *n = json_first (tags); n != json_end (tags); n = json_next (n)) {
    const char *tag = json_cstring (&r->tape, n, &r->arena);
    if (tag != NULL)
      tool->tags[tool->tags_count++] = xstrdup (tag);
  }
}

static void
read_toolhost (struct reading *r, struct tool *tool)
{
  const struct json_node *own = json_member (&r->tape, r->root, "toolhost");
  const struct json_node *annotations = json_member (&r->tape, r->root, "annotations");
  const struct json_node *idempotent = json_member (&r->tape, own, "idempotent");
  const struct json_node *permissions = json_member (&r->tape, own, "permissions");
  int64_t turns = 0;
  size_t len;

  if (idempotent == NULL)
    idempotent = json_member (&r->tape, annotations, "idempotentHint");
  tool->idempotent = json_is (idempotent, JSON_TRUE);
  tool->kind = read_kind (&r->tape, json_member (&r->tape, own, "kind"));
  tool->background = read_background (&r->tape, json_member (&r->tape, own, "background"));
  (void) json_int64 (&r->tape, json_member (&r->tape, own, "activeTurns"), &turns);
  tool->active_turns = (unsigned) turns;
  read_tags (r, tool, json_member (&r->tape, own, "tags"));
  tool->approval = json_equals (&r->tape, json_member (&r->tape, own, "approval"), "always");
  tool->internal = json_is (json_member (&r->tape, own, "internal"), JSON_TRUE);
  if (permissions != NULL) {
    const char *raw = json_raw (&r->tape, permissions, &len);
    tool->permissions = xstrndup (raw, len);
  }
}

static bool
read_mirrored (struct reading *r, struct tool *tool, struct error *err)
{
  const struct json_node *schema = json_member (&r->tape, r->root, "inputSchema");

  return mirrored_read (&tool->mirrored, &r->tape, schema, err) || error_wrap (err, "/inputSchema");
}

/* The argument that a bare text stands for is one of the tool's. */
static bool
read_text (struct reading *r, struct tool *tool, struct error *err)
{
  const struct json_node *own = json_member (&r->tape, r->root, "toolhost");
  const struct json_node *schema = json_member (&r->tape, r->root, "inputSchema");
  const struct json_node *properties = json_member (&r->tape, schema, "properties");
  const char *text = json_cstring (&r->tape, json_member (&r->tape, own, "text"), &r->arena);

  if (text == NULL)
    return true;
  if (json_member (&r->tape, properties, text) == NULL)
    return error_set (err, "/toolhost/text: the inputSchema has no property \"%s\"", text);
  tool->text = xstrdup (text);
  return true;
}

/* S3-7: a strict tool has no optional arguments; "auto" asks no more than can be had. */
static bool
read_strict (struct reading *r, struct tool *tool, struct error *err)
{
  switch (strict_wish (&r->tape, r->root)) {
  case STRICT_ON:
    tool->strict = true;
    return strict_takes_all (&r->tape, r->root, err);
  case STRICT_AUTO:
    tool->strict = strict_suits (&r->tape, r->root, NULL);
    tool->strict_off = !tool->strict;
    return true;
  default:
    return true;
  }
}

static bool
read_tool (struct reading *r, struct tool *tool, struct error *err)
{
  set_description (r, tool);
  read_toolhost (r, tool);
  return read_schema (r, "inputSchema", &tool->input, err)
         && read_schema (r, "outputSchema", &tool->output, err) && read_mirrored (r, tool, err)
         && read_strict (r, tool, err) && read_text (r, tool, err);
}

/* ---- resources and templates ---- */

static void
name_by_uri (struct reading *r, struct tool *tool)
{
  const char *uri = text_of (r, "uri"), *template = text_of (r, "uriTemplate");

  tool->offer = template != NULL ? OFFER_TEMPLATE : OFFER_RESOURCE;
  if (uri != NULL || template != NULL)
    set_name (tool, template != NULL ? template : uri);
}

/* Reading is what nothing is changed by: a lost read may always be run again. */
static bool
read_resource (struct reading *r, struct tool *tool, struct error *err)
{
  bool one = json_member (&r->tape, r->root, "uri") != NULL;
  bool many = json_member (&r->tape, r->root, "uriTemplate") != NULL;

  if (one == many)
    return error_set (err, "definition: expected uri or uriTemplate, got %s",
                      one ? "both" : "neither");
  set_description (r, tool);
  tool->idempotent = true;
  if (one)
    return true;
  tool->uri_template = uri_template_new (tool->name, tool->name_len, err);
  return tool->uri_template != NULL || error_wrap (err, "definition at /uriTemplate: ");
}

/* ---- prompts ---- */

/* The schema of a prompt's arguments: strings, some of them required; others are let be. */
static bool
write_schema (struct reading *r, const struct json_node *arguments, struct buf *out,
              struct error *err)
{
  struct json_writer w = { .out = out };
  struct json_tape tape;

  jsonw_object (&w);
  jsonw_name_string (&w, "type", "object");
  jsonw_name (&w, "properties");
  jsonw_object (&w);
  for (const struct json_node *n = json_first (arguments); n != json_end (arguments);
       n = json_next (n)) {
    const char *name = json_cstring (&r->tape, json_member (&r->tape, n, "name"), &r->arena);
    jsonw_name_len (&w, name, strlen (name)); /* the plugin's text */
    jsonw_raw (&w, "{\"type\":\"string\"}", strlen ("{\"type\":\"string\"}"));
  }
  jsonw_end (&w);
  jsonw_name (&w, "required");
  jsonw_array (&w);
  for (const struct json_node *n = json_first (arguments); n != json_end (arguments);
       n = json_next (n))
    if (json_is (json_member (&r->tape, n, "required"), JSON_TRUE))
      jsonw_string (&w, json_cstring (&r->tape, json_member (&r->tape, n, "name"), &r->arena));
  jsonw_end (&w);
  jsonw_end (&w);
  /* Names that stand twice are the one thing that may be wrong with it. */
  return json_read (&tape, out->data, out->len, &json_default_limits, &r->arena)
         || error_set (err, "definition at /arguments: two arguments have the same name");
}

static bool
names_are_texts (struct reading *r, const struct json_node *arguments)
{
  for (const struct json_node *n = json_first (arguments); n != json_end (arguments);
       n = json_next (n))
    if (json_cstring (&r->tape, json_member (&r->tape, n, "name"), &r->arena) == NULL)
      return false;
  return true;
}

static bool
read_prompt (struct reading *r, struct tool *tool, struct error *err)
{
  const struct json_node *arguments = json_member (&r->tape, r->root, "arguments");
  CLEANUP_BUF struct buf text = { 0 };
  struct json_tape tape;

  set_description (r, tool);
  tool->idempotent = true;
  if (arguments == NULL)
    return true;
  if (!names_are_texts (r, arguments))
    return error_set (err, "definition at /arguments: a name holds U+0000");
  if (!write_schema (r, arguments, &text, err)
      || !json_read (&tape, text.data, text.len, &json_default_limits, &r->arena))
    return false;
  tool->input = schema_compile (&tape, json_root (&tape), NULL, err);
  return tool->input != NULL;
}

/* ---- guards ---- */

/* A guard of a plugin is that of no other: clients don't name it, the operator does. */
static void
name_of_plugin (struct reading *r, struct tool *tool)
{
  const char *name = text_of (r, "name");
  CLEANUP_BUF struct buf whole = { 0 };

  if (name == NULL)
    return;
  buf_printf (&whole, "%s/%s", tool->plugin, name);
  set_name (tool, buf_cstr (&whole));
}

static bool
read_guard (struct reading *r, struct tool *tool, struct error *err)
{
  const struct json_node *stages = json_member (&r->tape, r->root, "stages");
  unsigned wanted = CHECKS_ERRORS;

  set_description (r, tool);
  for (const struct json_node *n = stages != NULL ? json_first (stages) : NULL;
       n != NULL && n != json_end (stages); n = json_next (n))
    wanted |= json_equals (&r->tape, n, "input") ? CHECKS_INPUT : CHECKS_OUTPUT;
  if (stages != NULL)
    tool->checks &= wanted;
  return read_schema (r, "configSchema", &tool->input, err);
}

/* ---- all of them ---- */

static const char *const tool_members[] = { "name",        "title",        "description",
                                            "inputSchema", "outputSchema", "annotations",
                                            "icons",       "_meta",        NULL };
static const char *const resource_members[] = { "uri",         "uriTemplate", "name", "title",
                                                "description", "mimeType",    "size", "annotations",
                                                "icons",       "_meta",       NULL };
static const char *const prompt_members[] = { "name",  "title", "description", "arguments",
                                              "icons", "_meta", NULL };

static const char *const guard_members[] = { "name",         "title", "description", "stages",
                                             "configSchema", "_meta", NULL };

const struct offer_rules offer_rules[OFFER_LISTS] = {
  { .list = "tools",
    .word = "tool",
    .schema = definition_schema_json,
    .members = tool_members,
    .name = name_by_name,
    .read = read_tool },
  { .list = "resources",
    .word = "resource",
    .schema = resource_schema_json,
    .members = resource_members,
    .optional = true,
    .name = name_by_uri,
    .read = read_resource },
  { .list = "prompts",
    .word = "prompt",
    .schema = prompt_schema_json,
    .members = prompt_members,
    .optional = true,
    .name = name_by_name,
    .read = read_prompt },
  { .list = "guards",
    .word = "guard",
    .schema = guard_schema_json,
    .members = guard_members,
    .optional = true,
    .name = name_of_plugin,
    .read = read_guard },
};
