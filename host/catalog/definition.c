#include "catalog/definition.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_tape.h"
#include "base/json_write.h"
#include "catalog/poison.h"
#include "catalog/reading.h"
#include "schema/schema.h"

enum {
  DEFINITION_MAX = 256 * 1024,
  LISTED_MAX = 10000,     /* resources that a template may list */
  LISTED_PROBLEMS_MAX = 8 /* then the rest is not looked at */
};

static const struct json_limits definition_limits = {
  .depth = 48, .nodes = 20000, .members = 2000, .number_len = 64
};

static void
reading_cleanup (struct reading *r)
{
  arena_free (&r->arena);
}

/* ---- one definition ---- */

static struct schema *
compile_schema (const char *text)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct schema *schema = NULL;
  struct json_tape tape;

  if (json_read (&tape, text, strlen (text), &json_default_limits, &arena))
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
render (const struct reading *r, const char *const *members, struct buf *out)
{
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  for (; *members != NULL; members++)
    copy_member (&w, r, *members);
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
read_definition (struct tool *tool, const struct offer_rules *rules, const struct schema *schema,
                 const char *json, size_t len, struct error *err)
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
  if (json_is (r.root, JSON_OBJECT))
    rules->name (&r, tool);
  if (judge (&r, schema, err) && poison_check (&r.tape, r.root, err)
      && rules->read (&r, tool, err)) {
    render (&r, rules->members, &tool->mcp);
    return true;
  }
  if (tool->name != NULL)
    error_wrap (err, "%s %.200s: ", rules->word, tool->name);
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

static struct tool *
find (const struct described *d, enum offer offer, const char *name)
{
  for (size_t i = 0; i < d->tools_count; i++)
    if (d->tools[i]->offer == offer && strcmp (d->tools[i]->name, name) == 0)
      return d->tools[i];
  return NULL;
}

struct tool *
described_tool (const struct described *d, const char *name)
{
  return find (d, OFFER_TOOL, name);
}

/* What the elements of a list have in common. */
struct described_by {
  const char *plugin;
  const struct offer_rules *rules;
  enum offer offer;            /* the first of the rules' kinds */
  const struct schema *schema; /* of definitions */
  struct definition_schemas *schemas;
  const struct json_tape *tape;
  struct arena *arena;
};

/* One element of a list; `number` is its own in the list, `index` among all. */
static void
add_tool (struct described *d, const struct described_by *by, const struct json_node *node,
          uint32_t index, uint32_t number)
{
  struct tool *tool = xcalloc (1, sizeof *tool);
  const struct json_node *text = json_member (by->tape, node, "definition");
  struct error err = { 0 };
  size_t len = 0;
  const char *json = json_string (by->tape, text, by->arena, &len);

  tool->refs = 1;
  tool->index = index;
  tool->offer = by->offer;
  tool->completes = json_is (json_member (by->tape, node, "completes"), JSON_TRUE);
  tool->lists = json_is (json_member (by->tape, node, "lists"), JSON_TRUE);
  tool->checks = json_is (json_member (by->tape, node, "checks"), JSON_TRUE)
                   ? (unsigned) (CHECKS_INPUT | CHECKS_OUTPUT)
                   : 0;
  if (json_is (json_member (by->tape, node, "on_error"), JSON_TRUE))
    tool->checks |= CHECKS_ERRORS;
  tool->plugin = xstrdup (by->plugin);
  if (json == NULL)
    error_set (&err, "has no definition");
  else if (read_max_time (by->tape, json_member (by->tape, node, "max_time"), tool, &err)
           && read_definition (tool, by->rules, by->schema, json, len, &err)) {
    if (find (d, tool->offer, tool->name) != NULL)
      error_set (&err, "%s %.200s: the plugin has another %s of this name", by->rules->word,
                 tool->name, by->rules->word);
  }
  if (err.text[0] == '\0') {
    d->tools = xrealloc (d->tools, (d->tools_count + 1) * sizeof (struct tool *));
    d->tools[d->tools_count++] = tool;
    return;
  }
  if (tool->name == NULL)
    error_wrap (&err, "%s #%u: ", by->rules->word, number);
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

static const struct schema *
schema_at (struct definition_schemas *schemas, size_t list)
{
  if (schemas->of[list] == NULL)
    schemas->of[list] = compile_schema (offer_rules[list].schema);
  return schemas->of[list];
}

void
definition_schemas_clear (struct definition_schemas *schemas)
{
  for (size_t i = 0; i < OFFER_LISTS; i++)
    schema_free (schemas->of[i]);
  *schemas = (struct definition_schemas){ .of = { NULL } };
}

/* The elements of one list, if it is there; they are numbered on from `index`. */
static bool
add_list (struct described *d, struct described_by *by, const struct json_node *root,
          uint32_t *index, struct error *err)
{
  const struct json_node *list = json_member (by->tape, root, by->rules->list);
  uint32_t number = 0;

  if (list == NULL && by->rules->optional)
    return true;
  if (!json_is (list, JSON_ARRAY))
    return error_set (err, "its description has no list of %s", by->rules->list);
  if (list->count == 0)
    return true;
  by->schema = schema_at (by->schemas, (size_t) (by->rules - offer_rules));
  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n))
    add_tool (d, by, n, (*index)++, number++);
  return true;
}

static bool
add_lists (struct described *d, const char *plugin, const struct json_tape *tape,
           struct definition_schemas *schemas, struct arena *arena, struct error *err)
{
  static const enum offer offers[OFFER_LISTS] = { OFFER_TOOL, OFFER_RESOURCE, OFFER_PROMPT,
                                                  OFFER_GUARD };
  struct described_by by = { .plugin = plugin, .tape = tape, .schemas = schemas, .arena = arena };
  uint32_t index = 0;

  for (size_t i = 0; i < OFFER_LISTS; i++) {
    by.rules = &offer_rules[i];
    by.offer = offers[i];
    if (!add_list (d, &by, json_root (tape), &index, err))
      return false;
  }
  return true;
}

static void
read_builders (struct described *d, const struct json_tape *tape, const struct json_node *list,
               struct arena *arena)
{
  if (!json_is (list, JSON_ARRAY))
    return;
  d->builders = xcalloc (list->count, sizeof *d->builders);
  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n)) {
    char *feature = copy_text (tape, n, arena);
    if (feature != NULL)
      d->builders[d->builders_count++] = feature;
  }
}

bool
described_read (struct described *d, const char *plugin, const char *json, size_t len,
                struct definition_schemas *kept, struct error *err)
{
  static const struct json_limits limits = {
    .depth = 8, .nodes = 100000, .members = 64, .number_len = 32
  };
  __attribute__ ((cleanup (definition_schemas_clear))) struct definition_schemas own = { 0 };
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  const struct json_node *root;

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
  read_builders (d, &tape, json_member (&tape, root, "builders"), &arena);
  return add_lists (d, plugin, &tape, kept != NULL ? kept : &own, &arena, err);
}

/* ---- what a template lists ---- */

/* Is the definition that of a resource which the template can read? */
static bool
read_listed (const struct described *d, struct tool *tool, const struct tool *template,
             const struct schema *schema, const char *json, size_t len, struct error *err)
{
  CLEANUP_BUF struct buf variables = { 0 };

  if (!read_definition (tool, &offer_rules[1], schema, json, len, err))
    return false;
  if (tool->offer != OFFER_RESOURCE
      || !uri_template_match (template->uri_template, tool->name, tool->name_len, &variables))
    return error_set (err, "resource %.200s: the template %.200s listed it and does not match it",
                      tool->name, template->name);
  return find (d, OFFER_RESOURCE, tool->name) == NULL
         || error_set (err, "resource %.200s: it was listed twice", tool->name);
}

static void
add_listed (struct described *d, struct tool *template, const struct schema *schema,
            const char *json, size_t len)
{
  struct tool *tool = xcalloc (1, sizeof *tool);
  struct error err = { 0 };

  tool->refs = 1;
  tool->index = template->index;
  tool->plugin = xstrdup (template->plugin);
  tool->max_time_ms = template->max_time_ms;
  tool->listed_by = tool_ref (template);
  if (read_listed (d, tool, template, schema, json, len, &err)) {
    d->tools = xrealloc (d->tools, (d->tools_count + 1) * sizeof (struct tool *));
    d->tools[d->tools_count++] = tool;
    return;
  }
  add_problem (d, err.text);
  tool_unref (tool);
}

void
described_list (struct described *d, struct tool *template, const char *json, size_t len)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct schema *schema = compile_schema (offer_rules[1].schema);
  const struct json_node *list;
  struct json_tape tape;

  if (json_read (&tape, json, len, &json_default_limits, &arena)
      && json_is (list = json_root (&tape), JSON_ARRAY))
    for (const struct json_node *n = json_first (list);
         n != json_end (list) && d->problems_count < LISTED_PROBLEMS_MAX
         && d->tools_count < LISTED_MAX;
         n = json_next (n)) {
      size_t raw_len;
      const char *raw = json_raw (&tape, n, &raw_len);
      add_listed (d, template, schema, raw, raw_len);
    }
  schema_free (schema);
}

void
described_free (struct described *d)
{
  for (size_t i = 0; i < d->tools_count; i++)
    tool_unref (d->tools[i]);
  for (size_t i = 0; i < d->problems_count; i++)
    free (d->problems[i]);
  for (size_t i = 0; i < d->builders_count; i++)
    free (d->builders[i]);
  free (d->builders);
  free (d->tools);
  free (d->problems);
  free (d->name);
  free (d->version);
  free (d->description);
  memset (d, 0, sizeof *d);
}
