#include "call/arguments.h"

#include "base/json_write.h"
#include "schema/schema.h"

bool
arguments_parse (struct arguments *a, const struct call_request *request, unsigned depth,
                 struct buf *why)
{
  struct json_limits limits = json_default_limits;

  limits.depth = depth;
  a->tape = request->tape;
  a->node = request->args_node;
  if (a->node == NULL) {
    bool empty = request->args == NULL || request->args_len == 0;
    a->text = empty ? "{}" : request->args;
    a->len = empty ? 2 : request->args_len;
    if (!json_read (&a->own, a->text, a->len, &limits, &a->arena)) {
      buf_printf (why, "The arguments are not JSON: byte %zu: %s.", a->own.offset, a->own.problem);
      return false;
    }
    a->tape = &a->own;
    a->node = json_root (&a->own);
  }
  if (a->node->type != JSON_OBJECT) {
    buf_puts (why, "The arguments must be a JSON object.");
    return false;
  }
  a->text = json_raw (a->tape, a->node, &a->len);
  return true;
}

static void
write_problems (const struct schema_report *report, struct buf *json, struct buf *text)
{
  struct json_writer w = { .out = json };

  buf_puts (text, "The arguments do not fit the tool's schema:");
  jsonw_array (&w);
  for (size_t i = 0; i < report->count; i++) {
    const struct schema_problem *p = &report->problems[i];
    jsonw_object (&w);
    jsonw_name_string (&w, "pointer", p->pointer);
    jsonw_name_string (&w, "message", p->message);
    jsonw_end (&w);
    buf_printf (text, "\n%s: %s", *p->pointer != '\0' ? p->pointer : "/", p->message);
  }
  jsonw_end (&w);
  if (report->more != 0)
    buf_printf (text, "\nand %zu more", report->more);
}

bool
arguments_check (const struct arguments *a, const struct tool *tool, struct buf *json,
                 struct buf *text)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct schema_report report = { 0 };

  if (tool->input == NULL || schema_validate (tool->input, a->tape, a->node, &report, &arena))
    return true;
  write_problems (&report, json, text);
  return false;
}

void
arguments_free (struct arguments *a)
{
  arena_free (&a->arena);
}

void
arguments_problems_text (const char *json, size_t len, struct buf *text)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  const struct json_node *list;

  buf_puts (text, "The arguments do not fit:");
  if (!json_read (&tape, json, len, &json_default_limits, &arena))
    return;
  list = json_root (&tape);
  if (list->type != JSON_ARRAY)
    return;
  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n)) {
    size_t pointer_len = 0, message_len = 0;
    const char *pointer =
      json_string (&tape, json_member (&tape, n, "pointer"), &arena, &pointer_len);
    const char *message =
      json_string (&tape, json_member (&tape, n, "message"), &arena, &message_len);
    buf_printf (text, "\n%.*s: %.*s", pointer_len != 0 ? (int) pointer_len : 1,
                pointer_len != 0 ? pointer : "/", (int) message_len,
                message != NULL ? message : "");
  }
}
