#include "catalog/definition.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_tape.h"
#include "base/json_write.h"
#include "catalog/poison.h"
#include "schema/schema.h"

enum { NAME_MAX_LEN = 64, DEFINITION_MAX = 256 * 1024 };

static const struct json_limits definition_limits = {
  .depth = 48, .nodes = 20000, .members = 2000, .number_len = 64
};

/* A definition while it is read. */
struct reading {
  struct json_tape tape;
  const struct json_node *root;
  struct arena arena;
};

static void
reading_cleanup (struct reading *r)
{
  arena_free (&r->arena);
}

/* ---- the members of a definition ---- */

static bool
name_ok (const char *name)
{
  size_t len = strspn (name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-");
  return len != 0 && len <= NAME_MAX_LEN && name[len] == '\0';
}

static struct schema *
compile_schema_of_definitions (void)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct schema *schema = NULL;
  struct json_tape tape;

  if (json_read (&tape, definition_schema_json, strlen (definition_schema_json),
                 &json_default_limits, &arena))
    schema = schema_compile (&tape, json_root (&tape), NULL, NULL);
  assert (schema != NULL); /* it is ours */
  return schema;
}

/* Is the definition what its schema says? */
static bool
judge (struct reading *r, const struct schema *schema, struct error *err)
{
  struct schema_report report = { .count = 0 };
  const struct schema_problem *first = &report.problems[0];

  if (schema_validate (schema, &r->tape, r->root, &report, &r->arena))
    return true;
  return error_set (err, "definition%s%s: %s", *first->pointer != '\0' ? " at " : "",
                    first->pointer, first->message);
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

static void
read_toolhost (struct reading *r, struct tool *tool)
{
  const struct json_node *own = json_member (&r->tape, r->root, "toolhost");
  const struct json_node *annotations = json_member (&r->tape, r->root, "annotations");
  const struct json_node *idempotent = json_member (&r->tape, own, "idempotent");
  const struct json_node *permissions = json_member (&r->tape, own, "permissions");
  size_t len;

  if (idempotent == NULL)
    idempotent = json_member (&r->tape, annotations, "idempotentHint");
  tool->idempotent = json_is (idempotent, JSON_TRUE);
  tool->strict = json_is (json_member (&r->tape, own, "strict"), JSON_TRUE);
  if (permissions != NULL) {
    const char *raw = json_raw (&r->tape, permissions, &len);
    tool->permissions = xstrndup (raw, len);
  }
}

/* ---- rendering ---- */

static void
copy_member (struct json_writer *w, const struct reading *r, const char *member)
{
  const struct json_node *node = json_member (&r->tape, r->root, member);
  size_t len;

  if (node == NULL)
    return;
  const char *raw = json_raw (&r->tape, node, &len);
  jsonw_name_raw (w, member, raw, len);
}

/* As MCP lists it: what is the host's alone is left out. */
static void
render (const struct reading *r, struct buf *out)
{
  static const char *const members[] = { "name",        "title",        "description",
                                         "inputSchema", "outputSchema", "annotations",
                                         "icons",       "_meta" };
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  for (size_t i = 0; i < sizeof members / sizeof *members; i++)
    copy_member (&w, r, members[i]);
  jsonw_end (&w);
}

/* A JSON text on one line: blanks outside strings go (definitions are written over many lines). */
static void
compact (const char *json, size_t len, struct buf *out)
{
  bool in_string = false;

  for (size_t i = 0; i < len; i++) {
    char c = json[i];
    if (in_string && c == '\\') {
      buf_append (out, json + i, 2);
      i++;
      continue;
    }
    if (c == '"')
      in_string = !in_string;
    if (in_string || (c != ' ' && c != '\n' && c != '\t' && c != '\r'))
      buf_putc (out, c);
  }
}

/* ---- one definition, all definitions ---- */

static bool
read_members (struct reading *r, struct tool *tool, struct error *err)
{
  const struct json_node *description = json_member (&r->tape, r->root, "description");

  tool->description = xstrdup (json_cstring (&r->tape, description, &r->arena));
  read_toolhost (r, tool);
  return read_schema (r, "inputSchema", &tool->input, err)
         && read_schema (r, "outputSchema", &tool->output, err);
}

/* The name, as far as there is one: whatever else is wrong is told with it. */
static void
read_name (struct reading *r, struct tool *tool)
{
  const char *name = json_cstring (&r->tape, json_member (&r->tape, r->root, "name"), &r->arena);

  if (name == NULL || !name_ok (name))
    return;
  tool->name = xstrdup (name);
  tool->name_len = strlen (name);
}

static bool
read_definition (struct tool *tool, const struct schema *schema, const char *json, size_t len,
                 struct error *err)
{
  __attribute__ ((cleanup (reading_cleanup))) struct reading r = { 0 };
  CLEANUP_BUF struct buf line = { 0 };

  if (len > DEFINITION_MAX)
    return error_set (err, "definition is over %d bytes", DEFINITION_MAX);
  if (!json_read (&r.tape, json, len, &definition_limits, &r.arena))
    return error_set (err, "definition is not JSON: byte %zu: %s", r.tape.offset, r.tape.problem);
  compact (json, len, &line);
  if (!json_read (&r.tape, line.data, line.len, &definition_limits, &r.arena))
    return error_set (err, "definition is not JSON: %s", r.tape.problem);
  r.root = json_root (&r.tape);
  read_name (&r, tool);
  if (judge (&r, schema, err) && poison_check (&r.tape, r.root, err)
      && read_members (&r, tool, err)) {
    render (&r, &tool->mcp);
    return true;
  }
  if (tool->name != NULL)
    error_wrap (err, "tool %s: ", tool->name);
  return false;
}

/* DESCRIBE says -1 for no limit and 0 for the host's default. */
static bool
read_max_time (const struct json_tape *tape, const struct json_node *node, struct tool *tool,
               struct error *err)
{
  int64_t ms = 0;

  if (node != NULL && !json_int64 (tape, node, &ms))
    return error_set (err, "max_time is not a whole number");
  if (ms < -1)
    return error_set (err, "max_time: expected more than 0 milliseconds or TOOLHOST_NO_LIMIT");
  tool->max_time_ms = ms == -1 ? INT64_MAX : ms;
  return true;
}

static void
add_problem (struct described *d, const char *text)
{
  d->problems = xrealloc (d->problems, (d->problems_count + 1) * sizeof *d->problems);
  d->problems[d->problems_count++] = xstrdup (text);
}

struct tool *
described_tool (const struct described *d, const char *name)
{
  for (size_t i = 0; i < d->tools_count; i++)
    if (strcmp (d->tools[i]->name, name) == 0)
      return d->tools[i];
  return NULL;
}

/* What the elements of "tools" have in common. */
struct described_by {
  const char *plugin;
  const struct schema *schema; /* of definitions */
  const struct json_tape *tape;
  struct arena *arena;
};

/* One element of "tools". */
static void
add_tool (struct described *d, const struct described_by *by, const struct json_node *node,
          uint32_t index)
{
  struct tool *tool = xcalloc (1, sizeof *tool);
  const struct json_node *text = json_member (by->tape, node, "definition");
  struct error err = { 0 };
  size_t len = 0;
  const char *json = json_string (by->tape, text, by->arena, &len);

  tool->refs = 1;
  tool->index = index;
  tool->plugin = xstrdup (by->plugin);
  if (json == NULL)
    error_set (&err, "has no definition");
  else if (read_max_time (by->tape, json_member (by->tape, node, "max_time"), tool, &err)
           && read_definition (tool, by->schema, json, len, &err)) {
    if (described_tool (d, tool->name) != NULL)
      error_set (&err, "tool %s: the plugin has another tool of this name", tool->name);
  }
  if (err.text[0] == '\0') {
    d->tools = xrealloc (d->tools, (d->tools_count + 1) * sizeof (struct tool *));
    d->tools[d->tools_count++] = tool;
    return;
  }
  if (tool->name == NULL)
    error_wrap (&err, "tool #%u: ", index);
  add_problem (d, err.text);
  tool_unref (tool);
}

static bool
read_threads (const struct json_tape *tape, const struct json_node *node,
              enum plugin_threads *threads)
{
  static const char *const names[] = { "serial", "parallel", "evented" };

  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (json_equals (tape, node, names[i])) {
      *threads = (enum plugin_threads) i;
      return true;
    }
  return false;
}

static char *
copy_text (const struct json_tape *tape, const struct json_node *node, struct arena *arena)
{
  const char *text = json_cstring (tape, node, arena);
  return text != NULL ? xstrndup (text, strnlen (text, 512)) : NULL;
}

static void
add_tools (struct described *d, const char *plugin, const struct json_tape *tape,
           const struct json_node *tools, struct arena *arena)
{
  struct schema *schema = compile_schema_of_definitions ();
  const struct described_by by = {
    .plugin = plugin, .schema = schema, .tape = tape, .arena = arena
  };
  uint32_t index = 0;

  for (const struct json_node *n = json_first (tools); n != json_end (tools); n = json_next (n))
    add_tool (d, &by, n, index++);
  schema_free (schema);
}

bool
described_read (struct described *d, const char *plugin, const char *json, size_t len,
                struct error *err)
{
  static const struct json_limits limits = {
    .depth = 8, .nodes = 100000, .members = 64, .number_len = 32
  };
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  const struct json_node *root, *tools;

  if (!json_read (&tape, json, len, &limits, &arena))
    return error_set (err, "its description is not JSON: byte %zu: %s", tape.offset, tape.problem);
  root = json_root (&tape);
  d->name = copy_text (&tape, json_member (&tape, root, "name"), &arena);
  d->version = copy_text (&tape, json_member (&tape, root, "version"), &arena);
  d->description = copy_text (&tape, json_member (&tape, root, "description"), &arena);
  if (d->name == NULL || d->version == NULL)
    return error_set (err, "its description has no name or version");
  if (!read_threads (&tape, json_member (&tape, root, "threads"), &d->threads))
    return error_set (err, "its description has no thread model");
  tools = json_member (&tape, root, "tools");
  if (!json_is (tools, JSON_ARRAY))
    return error_set (err, "its description has no list of tools");
  add_tools (d, plugin, &tape, tools, &arena);
  return true;
}

void
described_free (struct described *d)
{
  for (size_t i = 0; i < d->tools_count; i++)
    tool_unref (d->tools[i]);
  for (size_t i = 0; i < d->problems_count; i++)
    free (d->problems[i]);
  free (d->tools);
  free (d->problems);
  free (d->name);
  free (d->version);
  free (d->description);
  memset (d, 0, sizeof *d);
}
