#include "cli/verdicts.h"

#include "base/json_write.h"
#include "cli/input.h"
#include "cli/out.h"

/* What harms a terminal is an escape there, which JSON has too. */
static void
print (const struct verdicts *v, const struct buf *json)
{
  CLEANUP_BUF struct buf safe = { 0 };

  if (v->look.terminal) {
    text_neutralise (&safe, json->data, json->len);
    json = &safe;
  }
  out_plain (json->data, json->len);
}

static size_t
valid (const struct verdicts *v)
{
  return v->counts[VERDICT_VALID] + v->counts[VERDICT_REPAIRED];
}

static size_t
total (const struct verdicts *v)
{
  return valid (v) + v->counts[VERDICT_INVALID] + v->counts[VERDICT_NOT_JSON]
         + v->counts[VERDICT_UNREADABLE];
}

/* ---- one after the other ---- */

/* What stands in each object about the schema. */
static void
put_schema (const struct verdicts *v, struct json_writer *w)
{
  jsonw_object (w);
  jsonw_name_string (w, "schema", v->schema);
  jsonw_name_bool (w, "compiled", true);
  if (v->description != NULL)
    jsonw_name_string (w, "description", v->description);
}

/* Of the one object the begin: its list is filled as the verdicts come. */
void
verdicts_begin (const struct verdicts *v)
{
  CLEANUP_BUF struct buf text = { 0 };
  struct json_writer w = { .out = &text };

  if (v->form == VERDICTS_JSON) {
    put_schema (v, &w);
    buf_puts (&text, ",\"documents\":[");
  }
  else if (v->form == VERDICTS_TEXT && v->description != NULL)
    buf_puts (&text, v->description);
  print (v, &text);
}

bool
verdicts_add (struct verdicts *v, const struct verdict *verdict)
{
  CLEANUP_BUF struct buf text = { 0 };

  v->counts[verdict->kind]++;
  if (v->quiet && verdict->kind == VERDICT_VALID)
    return true;
  if (v->form == VERDICTS_TEXT) {
    verdict_text (verdict, v->look, &text);
    out_plain (text.data, text.len);
    return ferror (stdout) == 0;
  }
  if (v->form == VERDICTS_JSON && v->printed++ > 0)
    buf_putc (&text, ',');
  if (v->form == VERDICTS_BASIC)
    verdict_basic (verdict, &text);
  else
    verdict_json (verdict, &text);
  if (v->form != VERDICTS_JSON)
    buf_putc (&text, '\n');
  print (v, &text);
  return ferror (stdout) == 0;
}

/* ---- the end ---- */

static void
end_object (const struct verdicts *v, struct buf *text)
{
  struct json_writer w = { .out = text };

  buf_puts (text, "],\"counts\":");
  jsonw_object (&w);
  for (unsigned kind = 0; kind < VERDICT_KINDS; kind++)
    jsonw_name_int (&w, verdict_kind_name (kind), (int64_t) v->counts[kind]);
  jsonw_end (&w);
  buf_puts (text, "}\n");
}

/* When there was no document: that the schema is one. */
static void
end_without (const struct verdicts *v, struct buf *text)
{
  struct json_writer w = { .out = text };

  if (v->quiet)
    return;
  if (v->form == VERDICTS_TEXT) {
    if (v->description == NULL)
      buf_printf (text, "%s: a good schema\n", input_name (v->schema));
    return;
  }
  if (v->form == VERDICTS_NDJSON)
    put_schema (v, &w);
  else {
    jsonw_object (&w);
    jsonw_name_bool (&w, "valid", true);
  }
  jsonw_end (&w);
  buf_putc (text, '\n');
}

enum cli_exit
verdicts_end (const struct verdicts *v)
{
  CLEANUP_BUF struct buf text = { 0 };

  if (v->form == VERDICTS_JSON)
    end_object (v, &text);
  else if (total (v) == 0)
    end_without (v, &text);
  else if (v->form == VERDICTS_TEXT && total (v) > 1 && !v->quiet)
    buf_printf (&text, "%zu documents: %zu valid, %zu not\n", total (v), valid (v),
                total (v) - valid (v));
  print (v, &text);
  if (v->counts[VERDICT_NOT_JSON] + v->counts[VERDICT_UNREADABLE] > 0)
    return CLI_BAD_DOCUMENT;
  return v->counts[VERDICT_INVALID] > 0 ? CLI_FAILED : CLI_OK;
}

/* ---- no schema ---- */

static void
refuse_json (const struct verdicts *v, const struct schema_fault *fault)
{
  CLEANUP_BUF struct buf text = { 0 };
  struct json_writer w = { .out = &text };

  jsonw_object (&w);
  jsonw_name_string (&w, "schema", v->schema);
  jsonw_name_bool (&w, "compiled", false);
  jsonw_name (&w, "error");
  jsonw_object (&w);
  jsonw_name_string (
    &w, "reason", fault->kind == VERDICT_INVALID ? "bad_schema" : verdict_kind_name (fault->kind));
  jsonw_name_string (&w, "message", fault->message);
  if (fault->pointer != NULL) {
    jsonw_name (&w, "pointer");
    jsonw_string_len (&w, fault->pointer, fault->pointer_len);
  }
  if (fault->kind == VERDICT_NOT_JSON)
    verdict_place_json (&w, &fault->place, fault->byte);
  jsonw_end (&w);
  jsonw_end (&w);
  buf_putc (&text, '\n');
  print (v, &text);
}

static void
refuse_text (const struct verdicts *v, const struct schema_fault *fault)
{
  struct verdict_look look = { .terminal = out_is_terminal (stderr) };
  CLEANUP_BUF struct buf text = { 0 };

  if (fault->kind != VERDICT_NOT_JSON)
    buf_puts (&text, fault->message);
  else {
    buf_puts (&text, "not JSON: ");
    verdict_fault_text (&fault->place, fault->byte, fault->message, look, &text);
  }
  (void) out_error (CLI_BAD_SCHEMA, "%s: %s", input_name (v->schema), buf_cstr (&text));
}

enum cli_exit
verdicts_refuse (const struct verdicts *v, const struct schema_fault *fault)
{
  if (v->form == VERDICTS_JSON || v->form == VERDICTS_NDJSON)
    refuse_json (v, fault);
  else
    refuse_text (v, fault);
  return CLI_BAD_SCHEMA;
}
