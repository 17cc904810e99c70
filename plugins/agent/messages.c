/* anthropic-messages: POST …/v1/messages. */
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
    value_write_member (out, "name", value_get_z (tools->items[i], "name"));
    value_write_member (out, "description", value_get_z (tools->items[i], "description"));
    value_write_member (out, "input_schema", value_get_z (tools->items[i], "inputSchema"));
    json_close (out, '}');
  }
  json_close (out, ']');
}

static bool
says_how_much (const struct text *parameters)
{
  CLEANUP_VALUES struct values pool = { 0 };
  const struct value *value = value_parse (&pool, text_get (parameters), parameters->len);

  return value_get_z (value, "max_tokens") != NULL;
}

static void
write (struct text *out, const struct question *q)
{
  json_open (out, '{');
  json_name_string (out, "model", text_get (&q->agent->model));
  if (!says_how_much (&q->agent->parameters))
    json_name_int (out, "max_tokens", 4096);
  if (q->agent->instructions.len != 0)
    json_name_string (out, "system", text_get (&q->agent->instructions));
  value_write_member (out, "messages", q->items);
  if (q->tools != NULL && q->tools->count != 0) {
    write_tools (out, q->tools);
    if (q->no_tools) {
      json_name (out, "tool_choice");
      json_raw (out, "{\"type\":\"none\"}");
    }
  }
  write_parameters (out, q, q->agent->stream);
  json_close (out, '}');
}

/* ---- answers ---------------------------------------------------------------------------- */

static bool
is (const struct value *object, const char *type)
{
  size_t len;
  const char *text = text_of (object, "type", &len);

  return strlen (type) == len && memcmp (type, text, len) == 0;
}

static void
begin_call (struct turn *turn, const struct value *block, int64_t index)
{
  struct turn_call *call = turn_call_at (turn, index);
  size_t len;
  const char *text;

  if (call == NULL)
    return;
  text = text_of (block, "id", &len);
  text_add_len (&call->id, text, len);
  text = text_of (block, "name", &len);
  text_add_len (&call->name, text, len);
}

static void
take_delta (struct turn *turn, const struct value *delta, int64_t index)
{
  struct turn_call *call;
  size_t len;
  const char *text;

  if (is (delta, "text_delta")) {
    text = text_of (delta, "text", &len);
    turn_add_text (turn, text, len);
  }
  else if (is (delta, "input_json_delta")) {
    call = turn_call_at (turn, index);
    text = text_of (delta, "partial_json", &len);
    if (call != NULL)
      text_add_len (&call->args, text, len);
  }
}

static void
take_event (struct turn *turn, const struct value *event)
{
  const struct value *block = value_get_z (event, "content_block");
  const int64_t index = (int64_t) value_number (value_get_z (event, "index"));
  size_t len;
  const char *text;

  if (is (event, "content_block_start") && is (block, "tool_use"))
    begin_call (turn, block, index);
  else if (is (event, "content_block_start")) {
    text = text_of (block, "text", &len);
    turn_add_text (turn, text, len);
  }
  else if (is (event, "content_block_delta"))
    take_delta (turn, value_get_z (event, "delta"), index);
  else if (is (event, "message_stop") && turn->state == TURN_RUNS)
    turn->state = TURN_DONE;
}

static void
take_block (struct turn *turn, const struct value *block, size_t index)
{
  struct turn_call *call;
  size_t len;
  const char *text;

  if (is (block, "text")) {
    text = text_of (block, "text", &len);
    turn_add_text (turn, text, len);
  }
  if (!is (block, "tool_use"))
    return;
  begin_call (turn, block, (int64_t) index);
  call = turn_call_at (turn, (int64_t) index);
  if (call != NULL && value_get_z (block, "input") != NULL)
    value_write (&call->args, value_get_z (block, "input"));
}

static void
take_whole (struct turn *turn, const struct value *answer)
{
  static const char none[] = "its answer has no content";
  const struct value *content = value_get_z (answer, "content");

  if (!value_is (content, VALUE_ARRAY)) {
    turn_fail (turn, none, sizeof none - 1);
    return;
  }
  for (size_t i = 0; i < content->count; i++)
    take_block (turn, content->items[i], i);
  if (turn->state == TURN_RUNS)
    turn->state = TURN_DONE;
}

/* ---- the conversation ------------------------------------------------------------------- */

/* The arguments as an object: what is none stands in one, as a service takes nothing else. */
static void
write_input (struct text *out, const struct text *args)
{
  CLEANUP_VALUES struct values pool = { 0 };
  const struct value *value = value_parse (&pool, text_get (args), args->len);

  json_name (out, "input");
  if (value_is (value, VALUE_OBJECT)) {
    CLEANUP_TEXT struct text json = { 0 };
    value_write (&json, value);
    json_raw (out, text_get (&json));
    return;
  }
  json_open (out, '{');
  if (args->len != 0)
    json_name_string (out, "raw", text_get (args));
  json_close (out, '}');
}

static const struct value *
said (struct values *pool, const struct value *items, const struct turn *turn)
{
  CLEANUP_TEXT struct text json = { 0 };

  if (turn->text.len == 0 && turn->count == 0)
    return items;
  json_open (&json, '{');
  json_name_string (&json, "role", "assistant");
  json_name (&json, "content");
  json_open (&json, '[');
  if (turn->text.len != 0) {
    json_open (&json, '{');
    json_name_string (&json, "type", "text");
    json_name_string (&json, "text", text_get (&turn->text));
    json_close (&json, '}');
  }
  for (size_t i = 0; i < turn->count; i++) {
    json_open (&json, '{');
    json_name_string (&json, "type", "tool_use");
    json_name_string (&json, "id", text_get (&turn->calls[i].id));
    json_name_string (&json, "name", text_get (&turn->calls[i].name));
    write_input (&json, &turn->calls[i].args);
    json_close (&json, '}');
  }
  json_close (&json, ']');
  json_close (&json, '}');
  return conversation_add (pool, items, &json);
}

static const struct value *
told (struct values *pool, const struct value *items, const struct outcome *outcomes, size_t count)
{
  CLEANUP_TEXT struct text json = { 0 };

  json_open (&json, '{');
  json_name_string (&json, "role", "user");
  json_name (&json, "content");
  json_open (&json, '[');
  for (size_t i = 0; i < count; i++) {
    json_open (&json, '{');
    json_name_string (&json, "type", "tool_result");
    json_name_string (&json, "tool_use_id", text_get (&outcomes[i].call->id));
    json_name_string (&json, "content", text_get (&outcomes[i].text));
    if (outcomes[i].is_error)
      json_name_bool (&json, "is_error", true);
    json_close (&json, '}');
  }
  json_close (&json, ']');
  json_close (&json, '}');
  return conversation_add (pool, items, &json);
}

static const char *const version[] = { "anthropic-version", "2023-06-01", NULL };

const struct protocol anthropic_messages = { .name = "anthropic-messages",
                                             .wants_model = true,
                                             .headers = version,
                                             .write = write,
                                             .take_event = take_event,
                                             .take_whole = take_whole,
                                             .said = said,
                                             .told = told };
