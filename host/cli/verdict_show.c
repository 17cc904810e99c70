#include "call/problems.h"
#include "cli/input.h"
#include "cli/out.h"
#include "cli/verdict.h"

static const struct {
  const char *name;   /* for programs */
  const char *words;  /* for people */
  const char *colour; /* SGR */
} kinds[VERDICT_KINDS] = {
  [VERDICT_VALID] = { "valid", "valid", "32" },
  [VERDICT_REPAIRED] = { "repaired", "valid once repaired", "33" },
  [VERDICT_INVALID] = { "invalid", "invalid", "31" },
  [VERDICT_NOT_JSON] = { "not_json", "not JSON", "31" },
  [VERDICT_UNREADABLE] = { "unreadable", "can't be read", "31" },
};

const char *
verdict_kind_name (enum verdict_kind kind)
{
  return kinds[kind].name;
}

/* ---- for people ---- */

/* Text from elsewhere. */
static void
put (struct verdict_look look, const char *text, size_t len, struct buf *out)
{
  if (look.terminal)
    text_neutralise (out, text, len);
  else
    buf_append (out, text, len);
}

static void
put_text (struct verdict_look look, const char *text, struct buf *out)
{
  put (look, text, strlen (text), out);
}

static void
put_kind (struct verdict_look look, enum verdict_kind kind, struct buf *out)
{
  if (look.colour)
    buf_printf (out, "\033[%sm%s\033[0m", kinds[kind].colour, kinds[kind].words);
  else
    buf_puts (out, kinds[kind].words);
}

/* "  /pointer: text" */
static void
put_line (struct verdict_look look, const char *pointer, const char *text, struct buf *out)
{
  buf_puts (out, "  ");
  put_text (look, pointer[0] != '\0' ? pointer : "the document", out);
  buf_puts (out, ": ");
  put_text (look, text, out);
  buf_putc (out, '\n');
}

static void
put_more (size_t more, struct buf *out)
{
  if (more > 0)
    buf_printf (out, "  and %zu more\n", more);
}

static void
put_repairs (const struct verdict *v, struct verdict_look look, struct buf *out)
{
  if (v->syntax != NULL)
    put_line (look, "", v->syntax, out);
  for (size_t i = 0; i < v->repaired.count; i++)
    put_line (look, v->repaired.list[i].pointer, v->repaired.list[i].note, out);
  put_more (v->repaired.more, out);
  if (v->kind != VERDICT_REPAIRED)
    return;
  buf_puts (out, "  now ");
  put (look, v->value, v->value_len, out);
  buf_putc (out, '\n');
}

static void
put_problems (const struct schema_report *report, struct verdict_look look, struct buf *out)
{
  for (size_t i = 0; i < report->count; i++)
    put_line (look, report->problems[i].pointer, report->problems[i].message, out);
  put_more (report->more, out);
}

void
verdict_fault_text (const struct caret *place, size_t byte, const char *why,
                    struct verdict_look look, struct buf *out)
{
  buf_printf (out, "line %zu, column %zu (byte %zu): %s\n", place->line, place->column, byte, why);
  if (look.terminal)
    caret_show (place, "  ", out);
}

void
verdict_text (const struct verdict *v, struct verdict_look look, struct buf *out)
{
  put_text (look, input_name (v->document), out);
  if (v->line != 0)
    buf_printf (out, ":%zu", v->line);
  buf_puts (out, ": ");
  put_kind (look, v->kind, out);
  if (v->kind == VERDICT_NOT_JSON) {
    buf_puts (out, ": ");
    verdict_fault_text (&v->place, v->byte, v->fault, look, out);
    return;
  }
  if (v->kind == VERDICT_UNREADABLE)
    buf_printf (out, ": %s", v->fault);
  buf_putc (out, '\n');
  put_repairs (v, look, out);
  if (v->kind == VERDICT_INVALID)
    put_problems (&v->report, look, out);
}

/* ---- for programs ---- */

static void
json_repair (struct json_writer *w, enum repair_rule rule, const char *pointer, const char *note)
{
  jsonw_object (w);
  jsonw_name_string (w, "rule", repair_rule_name (rule));
  jsonw_name_string (w, "pointer", pointer);
  jsonw_name_string (w, "note", note);
  jsonw_end (w);
}

static void
json_repairs (struct json_writer *w, const struct verdict *v)
{
  jsonw_name (w, "repairs");
  jsonw_array (w);
  if (v->syntax != NULL)
    json_repair (w, REPAIR_SYNTAX, "", v->syntax);
  for (size_t i = 0; i < v->repaired.count; i++)
    json_repair (w, v->repaired.list[i].rule, v->repaired.list[i].pointer,
                 v->repaired.list[i].note);
  jsonw_end (w);
  jsonw_name_int (w, "more_repairs", (int64_t) v->repaired.more);
}

static void
json_problems (struct json_writer *w, const struct schema_report *report)
{
  CLEANUP_BUF struct buf list = { 0 };

  problems_json (report, &list);
  jsonw_name_raw (w, "problems", list.data, list.len);
  jsonw_name_int (w, "more", (int64_t) report->more);
}

void
verdict_place_json (struct json_writer *w, const struct caret *place, size_t byte)
{
  jsonw_name_int (w, "line", (int64_t) place->line);
  jsonw_name_int (w, "column", (int64_t) place->column);
  jsonw_name_int (w, "byte", (int64_t) byte);
}

static void
json_fault (struct json_writer *w, const struct verdict *v)
{
  jsonw_name (w, "error");
  jsonw_object (w);
  jsonw_name_string (w, "reason", kinds[v->kind].name);
  jsonw_name_string (w, "message", v->fault);
  if (v->kind == VERDICT_NOT_JSON)
    verdict_place_json (w, &v->place, v->byte);
  jsonw_end (w);
}

void
verdict_json (const struct verdict *v, struct buf *out)
{
  static const struct schema_report none = { .count = 0 };
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  jsonw_name_string (&w, "document", v->document);
  if (v->line != 0)
    jsonw_name_int (&w, "line", (int64_t) v->line);
  jsonw_name_bool (&w, "valid", v->kind == VERDICT_VALID || v->kind == VERDICT_REPAIRED);
  if (v->kind == VERDICT_NOT_JSON || v->kind == VERDICT_UNREADABLE)
    json_fault (&w, v);
  json_problems (&w, v->kind == VERDICT_INVALID ? &v->report : &none);
  if (v->kind == VERDICT_REPAIRED || v->syntax != NULL)
    json_repairs (&w, v);
  if (v->kind == VERDICT_REPAIRED)
    jsonw_name_raw (&w, "value", v->value, v->value_len);
  jsonw_end (&w);
}

static void
basic_error (struct json_writer *w, const char *instance, const char *keyword, const char *error)
{
  jsonw_object (w);
  jsonw_name_string (w, "instanceLocation", instance);
  jsonw_name_string (w, "keywordLocation", keyword != NULL ? keyword : "");
  jsonw_name_string (w, "error", error);
  jsonw_end (w);
}

void
verdict_basic (const struct verdict *v, struct buf *out)
{
  struct json_writer w = { .out = out };
  bool valid = v->kind == VERDICT_VALID || v->kind == VERDICT_REPAIRED;

  jsonw_object (&w);
  jsonw_name_bool (&w, "valid", valid);
  if (!valid) {
    jsonw_name (&w, "errors");
    jsonw_array (&w);
    if (v->kind != VERDICT_INVALID)
      basic_error (&w, "", NULL, v->fault);
    for (size_t i = 0; v->kind == VERDICT_INVALID && i < v->report.count; i++)
      basic_error (&w, v->report.problems[i].pointer, v->report.problems[i].schema_pointer,
                   v->report.problems[i].message);
    jsonw_end (&w);
  }
  jsonw_end (&w);
}
