/* openai-responses: POST …/v1/responses.  What the model says goes on as the items it came in. */
#include <string.h>

#include "agent.h"
#include "protocol.h"

static void
write_tools (struct text *out, const struct value *tools)
{
  json_name (out, "tools");
  json_open (out, '[');
  for (size_t i = 0; i < tools->count; i++) {
    json_open (out, '{');
    json_name_string (out, "type", "function");
    value_write_member (out, "name", value_get_z (tools->items[i], "name"));
    value_write_member (out, "description", value_get_z (tools->items[i], "description"));
    value_write_member (out, "parameters", value_get_z (tools->items[i], "inputSchema"));
    json_name_bool (out, "strict", false);
    json_close (out, '}');
  }
  json_close (out, ']');
}

static void
write_format (struct text *out, const struct agent *agent)
{
  if (agent->schema.len == 0)
    return;
  json_name (out, "text");
  json_open (out, '{');
  json_name (out, "format");
  json_open (out, '{');
  json_name_string (out, "type", "json_schema");
  json_name_string (out, "name", "answer");
  json_name (out, "schema");
  json_raw (out, text_get (&agent->schema));
  json_close (out, '}');
  json_close (out, '}');
}

static void
write (struct text *out, const struct question *q)
{
  json_open (out, '{');
  json_name_string (out, "model", text_get (&q->agent->model));
  if (q->agent->instructions.len != 0)
    json_name_string (out, "instructions", text_get (&q->agent->instructions));
  value_write_member (out, "input", q->items);
  if (q->tools != NULL && q->tools->count != 0) {
    write_tools (out, q->tools);
    if (q->no_tools)
      json_name_string (out, "tool_choice", "none");
  }
  write_format (out, q->agent);
  write_parameters (out, q, q->agent->stream);
  json_close (out, '}');
}

/* ---- answers ---------------------------------------------------------------------------- */

static bool
has_type (const struct value *object, const char *type)
{
  size_t len;
  const char *text = text_of (object, "type", &len);

  return strlen (type) == len && memcmp (type, text, len) == 0;
}

static void
take_text (struct turn *turn, const struct value *item)
{
  const struct value *content = value_get_z (item, "content");
  size_t len;

  for (size_t i = 0; value_is (content, VALUE_ARRAY) && i < content->count; i++)
    if (has_type (content->items[i], "output_text")) {
      const char *text = text_of (content->items[i], "text", &len);
      turn_add_text (turn, text, len);
    }
}

/* A whole item; its text has come already, or has not. */
static void
take_item (struct turn *turn, const struct value *item, bool with_text)
{
  struct turn_call *call;
  const char *text;
  size_t len;

  if (!value_is (item, VALUE_OBJECT))
    return;
  turn->items =
    value_append (turn->pool, turn->items != NULL ? turn->items : &value_no_items, item);
  if (with_text && has_type (item, "message"))
    take_text (turn, item);
  if (!has_type (item, "function_call"))
    return;
  call = turn_call_at (turn, (int64_t) turn->count);
  if (call == NULL)
    return;
  text = text_of (item, "call_id", &len);
  text_add_len (&call->id, text, len);
  text = text_of (item, "name", &len);
  text_add_len (&call->name, text, len);
  text = text_of (item, "arguments", &len);
  text_add_len (&call->args, text, len);
}

static void
take_response (struct turn *turn, const struct value *response)
{
  const struct value *output = value_get_z (response, "output");
  const bool with_text = turn->text.len == 0;
  CLEANUP_TEXT struct text why = { 0 };
  size_t len;
  const char *status = text_of (response, "status", &len);

  if (len == 6 && memcmp (status, "failed", 6) == 0) {
    error_of (&why, response);
    turn_fail (turn, why.len != 0 ? text_get (&why) : "it failed",
               why.len != 0 ? why.len : strlen ("it failed"));
    return;
  }
  if (turn->items == NULL && value_is (output, VALUE_ARRAY)) /* else they came one by one */
    for (size_t i = 0; i < output->count; i++)
      take_item (turn, output->items[i], with_text);
  if (turn->state == TURN_RUNS)
    turn->state = TURN_DONE;
}

static void
take_whole (struct turn *turn, const struct value *answer)
{
  static const char none[] = "its answer has no output";
  const struct value *output = value_get_z (answer, "output");

  if (!value_is (output, VALUE_ARRAY) && value_get_z (answer, "status") == NULL) {
    turn_fail (turn, none, sizeof none - 1);
    return;
  }
  take_response (turn, answer);
}

static void
take_event (struct turn *turn, const struct value *event)
{
  const struct value *response = value_get_z (event, "response");
  CLEANUP_TEXT struct text why = { 0 };
  size_t len;
  const char *text;

  if (has_type (event, "response.output_text.delta")) {
    text = text_of (event, "delta", &len);
    turn_add_text (turn, text, len);
  }
  else if (has_type (event, "response.output_item.done"))
    take_item (turn, value_get_z (event, "item"), turn->text.len == 0);
  else if (has_type (event, "response.completed") || has_type (event, "response.incomplete"))
    take_response (turn, response);
  else if (has_type (event, "response.failed") || has_type (event, "error")) {
    error_of (&why, response != NULL ? response : event);
    if (why.len == 0)
      text_add (&why, "it failed");
    turn_fail (turn, text_get (&why), why.len);
  }
}

/* ---- the conversation ------------------------------------------------------------------- */

static const struct value *
said (struct values *pool, const struct value *items, const struct turn *turn)
{
  for (size_t i = 0; turn->items != NULL && i < turn->items->count; i++)
    items = value_append (pool, items, turn->items->items[i]);
  return items;
}

static const struct value *
told (struct values *pool, const struct value *items, const struct outcome *outcomes, size_t count)
{
  static const struct told_as as = { "type", "function_call_output", "call_id", "output" };

  return conversation_told (pool, items, &as, outcomes, count);
}

const struct protocol openai_responses = { .name = "openai-responses",
                                           .wants_model = true,
                                           .write = write,
                                           .take_event = take_event,
                                           .take_whole = take_whole,
                                           .said = said,
                                           .told = told };
