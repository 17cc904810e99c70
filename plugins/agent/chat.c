/* openai-chat: POST …/v1/chat/completions, as many services have it. */
#include <string.h>

#include "agent.h"
#include "protocol.h"

static void
write_tools (struct text *out, const struct value *tools)
{
  json_name (out, "tools");
  json_open (out, '[');
  for (size_t i = 0; i < tools->count; i++) {
    const struct value *tool = tools->items[i];
    json_open (out, '{');
    json_name_string (out, "type", "function");
    json_name (out, "function");
    json_open (out, '{');
    value_write_member (out, "name", value_get_z (tool, "name"));
    value_write_member (out, "description", value_get_z (tool, "description"));
    value_write_member (out, "parameters", value_get_z (tool, "inputSchema"));
    json_close (out, '}');
    json_close (out, '}');
  }
  json_close (out, ']');
}

static void
write_format (struct text *out, const struct agent *agent)
{
  if (agent->schema.len == 0)
    return;
  json_name (out, "response_format");
  json_open (out, '{');
  json_name_string (out, "type", "json_schema");
  json_name (out, "json_schema");
  json_open (out, '{');
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
  json_name (out, "messages");
  json_open (out, '[');
  if (q->agent->instructions.len != 0) {
    json_open (out, '{');
    json_name_string (out, "role", "system");
    json_name_string (out, "content", text_get (&q->agent->instructions));
    json_close (out, '}');
  }
  for (size_t i = 0; i < q->items->count; i++) {
    CLEANUP_TEXT struct text item = { 0 };
    value_write (&item, q->items->items[i]);
    json_raw (out, text_get (&item));
  }
  json_close (out, ']');
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

/* A text, or parts of which some are. */
static void
take_content (struct turn *turn, const struct value *content)
{
  size_t len;

  if (value_is (content, VALUE_STRING))
    turn_add_text (turn, content->text, content->count);
  for (size_t i = 0; value_is (content, VALUE_ARRAY) && i < content->count; i++) {
    const char *text = text_of (content->items[i], "text", &len);
    turn_add_text (turn, text, len);
  }
}

static void
take_calls (struct turn *turn, const struct value *calls)
{
  for (size_t i = 0; value_is (calls, VALUE_ARRAY) && i < calls->count; i++) {
    const struct value *call = calls->items[i], *function = value_get_z (call, "function");
    const struct value *index = value_get_z (call, "index");
    struct turn_call *at = turn_call_at (
      turn, value_is (index, VALUE_NUMBER) ? (int64_t) value_number (index) : (int64_t) i);
    size_t len;
    const char *text;
    if (at == NULL)
      return;
    text = text_of (call, "id", &len);
    if (at->id.len == 0)
      text_add_len (&at->id, text, len);
    text = text_of (function, "name", &len);
    text_add_len (&at->name, text, len);
    text = text_of (function, "arguments", &len);
    text_add_len (&at->args, text, len);
  }
}

static const struct value *
first_choice (const struct value *answer)
{
  const struct value *choices = value_get_z (answer, "choices");

  return value_is (choices, VALUE_ARRAY) && choices->count != 0 ? choices->items[0] : NULL;
}

static void
take_message (struct turn *turn, const struct value *message)
{
  take_content (turn, value_get_z (message, "content"));
  take_calls (turn, value_get_z (message, "tool_calls"));
}

static void
take_event (struct turn *turn, const struct value *event)
{
  const struct value *choice = first_choice (event);

  take_message (turn, value_get_z (choice, "delta"));
  if (value_is (value_get_z (choice, "finish_reason"), VALUE_STRING) && turn->state == TURN_RUNS)
    turn->state = TURN_DONE;
}

static void
take_whole (struct turn *turn, const struct value *answer)
{
  static const char none[] = "its answer has no choices";
  const struct value *choice = first_choice (answer);

  take_message (turn, value_get_z (choice, "message"));
  if (choice == NULL)
    turn_fail (turn, none, sizeof none - 1);
  else if (turn->state == TURN_RUNS)
    turn->state = TURN_DONE;
}

/* ---- the conversation ------------------------------------------------------------------- */

static const struct value *
said (struct values *pool, const struct value *items, const struct turn *turn)
{
  CLEANUP_TEXT struct text json = { 0 };

  json_open (&json, '{');
  json_name_string (&json, "role", "assistant");
  json_name_string (&json, "content", text_get (&turn->text));
  if (turn->count != 0) {
    json_name (&json, "tool_calls");
    json_open (&json, '[');
    for (size_t i = 0; i < turn->count; i++) {
      json_open (&json, '{');
      json_name_string (&json, "id", text_get (&turn->calls[i].id));
      json_name_string (&json, "type", "function");
      json_name (&json, "function");
      json_open (&json, '{');
      json_name_string (&json, "name", text_get (&turn->calls[i].name));
      json_name_string (&json, "arguments", text_get (&turn->calls[i].args));
      json_close (&json, '}');
      json_close (&json, '}');
    }
    json_close (&json, ']');
  }
  json_close (&json, '}');
  return conversation_add (pool, items, &json);
}

static const struct value *
told (struct values *pool, const struct value *items, const struct outcome *outcomes, size_t count)
{
  static const struct told_as as = { "role", "tool", "tool_call_id", "content" };

  return conversation_told (pool, items, &as, outcomes, count);
}

const struct protocol openai_chat = { .name = "openai-chat",
                                      .wants_model = true,
                                      .write = write,
                                      .take_event = take_event,
                                      .take_whole = take_whole,
                                      .said = said,
                                      .told = told };
