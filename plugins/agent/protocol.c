#include "protocol.h"

#include <string.h>

#include "agent.h"

static const struct protocol *const all[] = { &openai_chat, &openai_responses, &anthropic_messages,
                                              &a2a };

const struct protocol *
protocol_find (const char *name)
{
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (strcmp (all[i]->name, name) == 0)
      return all[i];
  return NULL;
}

/* ---- turns ------------------------------------------------------------------------------ */

void
turn_free (struct turn *turn)
{
  for (size_t i = 0; i < turn->count; i++) {
    text_free (&turn->calls[i].id);
    text_free (&turn->calls[i].name);
    text_free (&turn->calls[i].args);
  }
  text_free (&turn->text);
  text_free (&turn->error);
  text_free (&turn->context);
  text_free (&turn->task);
  text_free (&turn->part);
}

void
turn_fail (struct turn *turn, const char *why, size_t len)
{
  if (turn->state == TURN_DONE || turn->state == TURN_FAILED)
    return;
  turn->state = TURN_FAILED;
  text_add_line (&turn->error, why, len < 500 ? len : 500);
}

void
turn_add_text (struct turn *turn, const char *text, size_t len)
{
  static const char long_[] = "its answer is too long";

  if (len > TURN_TEXT_MAX - turn->text.len)
    turn_fail (turn, long_, sizeof long_ - 1);
  else
    text_add_len (&turn->text, text, len);
}

struct turn_call *
turn_call_at (struct turn *turn, int64_t index)
{
  static const char many[] = "it calls too many tools at once";

  for (size_t i = 0; i < turn->count; i++)
    if (turn->calls[i].index == index)
      return &turn->calls[i];
  if (turn->count == TURN_CALLS_MAX) {
    turn_fail (turn, many, sizeof many - 1);
    return NULL;
  }
  turn->calls[turn->count] = (struct turn_call){ .index = index };
  return &turn->calls[turn->count++];
}

/* ---- what services say ------------------------------------------------------------------ */

const char *
text_of (const struct value *object, const char *name, size_t *len)
{
  const struct value *value = value_get_z (object, name);

  *len = value_is (value, VALUE_STRING) ? value->count : 0;
  return *len != 0 ? value->text : "";
}

void
error_of (struct text *out, const struct value *answer)
{
  const struct value *error = value_get_z (answer, "error");
  size_t len;
  const char *text = text_of (error, "message", &len);

  if (len == 0 && value_is (error, VALUE_STRING)) {
    text = error->text;
    len = error->count;
  }
  if (len == 0)
    text = text_of (answer, "message", &len);
  if (len == 0)
    text = text_of (answer, "detail", &len);
  text_add_line (out, text, len < 500 ? len : 500);
}

static void
take (struct turn *turn, void (*with) (struct turn *turn, const struct value *value),
      const char *data, size_t len)
{
  static const char what[] = "its answer is no JSON object";
  const struct value *value = value_parse (turn->pool, data, len);
  CLEANUP_TEXT struct text why = { 0 };

  if (!value_is (value, VALUE_OBJECT)) {
    turn_fail (turn, what, sizeof what - 1);
    return;
  }
  if (value_get_z (value, "error") != NULL
      && !value_is (value_get_z (value, "error"), VALUE_NULL)) {
    error_of (&why, value);
    if (why.len == 0)
      text_add (&why, "it told an error without a word");
    turn_fail (turn, text_get (&why), why.len);
    return;
  }
  with (turn, value);
}

/* What is said after the end matters to nobody. */
void
turn_take_event (struct turn *turn, const struct protocol *protocol, const char *data, size_t len)
{
  if (turn->state != TURN_RUNS || len == 0)
    return;
  if (len == 6 && memcmp (data, "[DONE]", 6) == 0)
    turn->state = TURN_DONE;
  else
    take (turn, protocol->take_event, data, len);
}

void
turn_take_whole (struct turn *turn, const struct protocol *protocol, const char *data, size_t len)
{
  take (turn, protocol->take_whole, data, len);
}

/* ---- conversations ---------------------------------------------------------------------- */

const struct value *
conversation_add (struct values *pool, const struct value *items, const struct text *json)
{
  const struct value *item = value_parse (pool, text_get (json), json->len);

  return item != NULL ? value_append (pool, items, item) : items;
}

const struct value *
conversation_ask (struct values *pool, const struct value *items, const char *text)
{
  CLEANUP_TEXT struct text json = { 0 };

  json_open (&json, '{');
  json_name_string (&json, "role", "user");
  json_name_string (&json, "content", text);
  json_close (&json, '}');
  return conversation_add (pool, items, &json);
}

const struct value *
conversation_told (struct values *pool, const struct value *items, const struct told_as *as,
                   const struct outcome *outcomes, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    CLEANUP_TEXT struct text json = { 0 };
    json_open (&json, '{');
    json_name_string (&json, as->member, as->type);
    json_name_string (&json, as->id, text_get (&outcomes[i].call->id));
    json_name_string (&json, as->text, text_get (&outcomes[i].text));
    json_close (&json, '}');
    items = conversation_add (pool, items, &json);
  }
  return items;
}

void
write_members (struct text *out, const struct text *object)
{
  CLEANUP_VALUES struct values pool = { 0 };
  const struct value *value = value_parse (&pool, text_get (object), object->len);

  for (size_t i = 0; value_is (value, VALUE_OBJECT) && i < value->count; i++)
    value_write_member (out, value->members[i].name, value->members[i].value);
}

void
write_parameters (struct text *out, const struct question *question, bool stream)
{
  if (question->agent->parameters.len != 0)
    write_members (out, &question->agent->parameters);
  if (stream)
    json_name_bool (out, "stream", true);
}
