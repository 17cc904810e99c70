#include "call/arguments.h"

#include <string.h>

#include "base/json_mend.h"
#include "base/json_write.h"
#include "call/inside.h"
#include "call/problems.h"
#include "schema/schema.h"

/* ---- what was mended ---- */

static struct repaired *
repairs_of (struct arguments *a)
{
  if (a->repaired == NULL) {
    a->repaired = arena_alloc (&a->arena, sizeof *a->repaired);
    memset (a->repaired, 0, sizeof *a->repaired);
  }
  return a->repaired;
}

/* The whole was mended; `note` lives as long as the arguments. */
static void
note_repair (struct arguments *a, enum repair_rule rule, const char *note)
{
  struct repaired *r = repairs_of (a);

  r->by_rule[rule]++;
  r->list[r->count++] = (struct repair){ .rule = rule, .pointer = "", .note = note };
}

static void
add_repairs (struct arguments *a, const struct repaired *more)
{
  struct repaired *r = repairs_of (a);

  for (size_t i = 0; i < REPAIR_RULES; i++)
    r->by_rule[i] += more->by_rule[i];
  for (size_t i = 0; i < more->count; i++)
    if (r->count < REPAIRS_TOLD)
      r->list[r->count++] = more->list[i];
    else
      r->more++;
  r->more += more->more;
}

void
arguments_repairs_json (const struct arguments *a, struct buf *json)
{
  struct json_writer w = { .out = json };

  if (a->repaired == NULL)
    return;
  jsonw_array (&w);
  for (size_t i = 0; i < a->repaired->count; i++) {
    const struct repair *r = &a->repaired->list[i];
    jsonw_object (&w);
    jsonw_name_string (&w, "rule", repair_rule_name (r->rule));
    jsonw_name_string (&w, "pointer", r->pointer);
    jsonw_name_string (&w, "note", r->note);
    jsonw_end (&w);
  }
  if (a->repaired->more != 0) {
    jsonw_object (&w);
    jsonw_name_string (&w, "rule", "more");
    jsonw_name_string (&w, "pointer", "");
    jsonw_name (&w, "note");
    jsonw_stringf (&w, "and %zu more", a->repaired->more);
    jsonw_end (&w);
  }
  jsonw_end (&w);
}

/* ---- parse ---- */

static bool
read_own (struct arguments *a, const char *text, size_t len, const struct json_limits *limits)
{
  if (!json_read (&a->own, text, len, limits, &a->arena))
    return false;
  a->tape = &a->own;
  a->node = json_root (&a->own);
  return true;
}

/* Text that a model wrote and that is no JSON.  What was cut off may be half of what was meant:
 * only lenient mode calls a tool with it. */
static enum json_mended
mend_text (struct arguments *a, const char *text, size_t len, const struct json_limits *limits,
           enum repair_mode mode)
{
  CLEANUP_BUF struct buf good = { 0 };
  CLEANUP_BUF struct buf what = { 0 };
  enum json_mended mended = json_mend (text, len, mode == REPAIR_LENIENT, limits, &good, &what);

  if (mended != JSON_MENDED)
    return mended;
  if (!read_own (a, arena_strndup (&a->arena, good.data, good.len), good.len, limits))
    return JSON_NOT_MENDED;
  note_repair (a, REPAIR_SYNTAX, arena_strndup (&a->arena, what.data, what.len));
  return JSON_MENDED;
}

static bool
is_blank (const char *text, size_t len)
{
  for (size_t i = 0; i < len; i++)
    if (strchr (" \t\r\n", text[i]) == NULL || text[i] == '\0')
      return false;
  return true;
}

/* { "the tool's text": this }. */
static bool
take_text (struct arguments *a, const struct tool *tool, const char *text, size_t len,
           const struct json_limits *limits)
{
  CLEANUP_BUF struct buf json = { 0 };
  struct json_writer w = { .out = &json };

  if (!utf8_valid (text, len))
    return false;
  jsonw_object (&w);
  jsonw_name (&w, tool->text);
  jsonw_string_len (&w, text, len);
  jsonw_end (&w);
  return read_own (a, arena_strndup (&a->arena, json.data, json.len), json.len, limits);
}

/* Words, and no attempt at JSON that was cut off or is wrong. */
static bool
is_words (const char *text, size_t len)
{
  while (len != 0 && strchr (" \t\r\n", *text) != NULL && *text != '\0') {
    text++;
    len--;
  }
  return len != 0 && strchr ("{[\"", *text) == NULL;
}

static bool
read_text (struct arguments *a, const struct tool *tool, const struct call_request *request,
           const struct json_limits *limits, enum repair_mode mode, struct buf *why)
{
  bool empty = request->args == NULL || is_blank (request->args, request->args_len);
  const char *text = empty ? "{}" : request->args;
  size_t len = empty ? 2 : request->args_len;
  enum json_mended mended = JSON_NOT_MENDED;
  struct json_tape bad;

  if (read_own (a, text, len, limits))
    return true;
  bad = a->own;
  if (tool->text != NULL && is_words (text, len) && take_text (a, tool, text, len, limits))
    return true;
  if (mode != REPAIR_OFF)
    mended = mend_text (a, text, len, limits, mode);
  if (mended == JSON_MENDED)
    return true;
  buf_printf (why, "The arguments are not JSON: byte %zu: %s.", bad.offset, bad.problem);
  if (mended == JSON_CUT_OFF)
    buf_puts (why, " They seem to be cut off, and nothing was executed: send them again, whole.");
  return false;
}

/* A string that holds the object, or, of a tool with a text of its own, that text. */
static void
take_string (struct arguments *a, const struct tool *tool, const struct json_limits *limits,
             bool mends)
{
  size_t len;
  const char *text = json_string (a->tape, a->node, &a->arena, &len);

  if (mends && is_blank (text, len) && read_own (a, "{}", 2, limits))
    note_repair (a, REPAIR_WHOLE, "the arguments were an empty string, taken as {}");
  else if (mends && read_own (a, text, len, limits)
           && (tool->text == NULL || a->node->type == JSON_OBJECT))
    note_repair (a, REPAIR_WHOLE, "the arguments were an object written as a string");
  else if (tool->text != NULL && is_words (text, len))
    (void) take_text (a, tool, text, len, limits);
}

/* What came in the place of an object: null, or a string. */
static void
take_whole (struct arguments *a, const struct tool *tool, const struct json_limits *limits,
            enum repair_mode mode)
{
  const bool mends = mode != REPAIR_OFF;

  if (mends && a->node->type == JSON_NULL && read_own (a, "{}", 2, limits))
    note_repair (a, REPAIR_WHOLE, "the arguments were null, taken as {}");
  else if (a->node->type == JSON_STRING)
    take_string (a, tool, limits, mends);
}

bool
arguments_parse (struct arguments *a, const struct tool *tool, const struct call_request *request,
                 unsigned depth, enum repair_mode mode, struct buf *why)
{
  struct json_limits limits = json_default_limits;

  limits.depth = depth;
  a->tape = request->tape;
  a->node = request->args_node;
  if (a->node == NULL && !read_text (a, tool, request, &limits, mode, why))
    return false;
  take_whole (a, tool, &limits, mode);
  if (a->node->type != JSON_OBJECT) {
    buf_puts (why, "The arguments must be a JSON object.");
    return false;
  }
  a->text = json_raw (a->tape, a->node, &a->len);
  return true;
}

/* ---- check ---- */

static bool
mend (struct arguments *a, const struct schema *schema, enum repair_mode mode)
{
  struct repaired mended = { .count = 0 };

  if (mode == REPAIR_OFF || !schema_repair (schema, a->tape, a->node, mode, &mended, &a->arena)
      || !schema_validate (schema, &mended.tape, json_root (&mended.tape), NULL, &a->arena))
    return false;
  add_repairs (a, &mended);
  a->own = mended.tape;
  a->tape = &a->own;
  a->node = json_root (&a->own);
  a->text = json_raw (a->tape, a->node, &a->len);
  return true;
}

/* The only member is a text, under another name than the tool's: as if it had that one. */
static bool
take_only (struct arguments *a, const struct tool *tool)
{
  const struct json_node *first = json_first (a->node), *node = a->node;
  const struct json_tape *tape = a->tape;
  const struct json_tape own = a->own;
  const char *text;
  size_t len;

  if (tool->text == NULL || node->count != 1 || json_next (first)->type != JSON_STRING
      || json_member (tape, node, tool->text) != NULL)
    return false;
  text = json_string (tape, json_next (first), &a->arena, &len);
  if (take_text (a, tool, text, len, &json_default_limits)
      && schema_validate (tool->input, a->tape, a->node, NULL, &a->arena)) {
    a->text = json_raw (a->tape, a->node, &a->len);
    return true;
  }
  a->own = own;
  a->tape = tape;
  a->node = node;
  return false;
}

static void
refuse (const struct tool *tool, const struct schema_report *report, struct buf *json,
        struct buf *text)
{
  size_t count = problems_count (report);

  buf_printf (text, "%s: %zu argument error%s; nothing was executed. Correct %s and call again.",
              tool->name, count, count == 1 ? "" : "s", count == 1 ? "it" : "them");
  problems_text (report, "arguments", text);
  problems_json (report, json);
}

static void
tell_problems (struct arguments *a, const struct tool *tool, struct buf *json, struct buf *text)
{
  struct schema_report report = { .count = 0 };

  (void) schema_validate (tool->input, a->tape, a->node, &report, &a->arena);
  inside_report (tool->input, a->tape, a->node, &report, &a->arena);
  refuse (tool, &report, json, text);
}

bool
arguments_check (struct arguments *a, const struct tool *tool, enum repair_mode mode,
                 struct buf *json, struct buf *text)
{
  if (tool->input == NULL || schema_validate (tool->input, a->tape, a->node, NULL, &a->arena)
      || take_only (a, tool) || mend (a, tool->input, mode))
    return true;
  tell_problems (a, tool, json, text);
  return false;
}

void
arguments_refused (const struct tool *tool, const char *found, size_t len, struct buf *json,
                   struct buf *text)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct schema_report report = { .count = 0 };

  problems_read (&report, found, len, &arena);
  refuse (tool, &report, json, text);
}

void
arguments_free (struct arguments *a)
{
  arena_free (&a->arena);
}
