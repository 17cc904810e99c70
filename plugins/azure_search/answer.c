/* Answers of the service. */
#include <string.h>

#include "index.h"

/* A text, or a number, of a member that is one. */
static void
copy (struct text *out, const char *name, const struct value *value, enum value_type type)
{
  if (value_is (value, type))
    value_write_member (out, name, value);
}

static void
write_answers (const struct value *list, struct text *out)
{
  if (!value_is (list, VALUE_ARRAY))
    return;
  json_name (out, "answers");
  json_open (out, '[');
  for (size_t i = 0; i < list->count; i++) {
    if (!value_is (value_get_z (list->items[i], "text"), VALUE_STRING))
      continue;
    json_open (out, '{');
    copy (out, "text", value_get_z (list->items[i], "text"), VALUE_STRING);
    copy (out, "score", value_get_z (list->items[i], "score"), VALUE_NUMBER);
    json_close (out, '}');
  }
  json_close (out, ']');
}

static void
write_captions (const struct value *list, struct text *out)
{
  if (!value_is (list, VALUE_ARRAY))
    return;
  json_name (out, "captions");
  json_open (out, '[');
  for (size_t i = 0; i < list->count; i++)
    if (value_is (value_get_z (list->items[i], "text"), VALUE_STRING))
      value_write (out, value_get_z (list->items[i], "text"));
  json_close (out, ']');
}

/* Without what the service says about it. */
static void
write_result (const struct value *found, struct text *out)
{
  json_open (out, '{');
  copy (out, "score", value_get_z (found, "@search.score"), VALUE_NUMBER);
  copy (out, "reranker_score", value_get_z (found, "@search.rerankerScore"), VALUE_NUMBER);
  write_captions (value_get_z (found, "@search.captions"), out);
  json_name (out, "document");
  json_open (out, '{');
  for (size_t i = 0; i < found->count; i++)
    if (found->members[i].name[0] != '@')
      value_write_member (out, found->members[i].name, found->members[i].value);
  json_close (out, '}');
  json_close (out, '}');
}

bool
answer_read (struct values *pool, const char *body, size_t len, const struct question *question,
             struct text *json)
{
  const struct value *answer = value_parse (pool, body, len);
  const struct value *list = value_get_z (answer, "value");
  const struct value *count = value_get_z (answer, "@odata.count");

  if (!value_is (list, VALUE_ARRAY))
    return false;
  json_open (json, '{');
  copy (json, "count", count, VALUE_NUMBER);
  write_answers (value_get_z (answer, "@search.answers"), json);
  json_name (json, "results");
  json_open (json, '[');
  for (size_t i = 0; i < list->count; i++)
    if (value_is (list->items[i], VALUE_OBJECT))
      write_result (list->items[i], json);
  json_close (json, ']');
  if (value_get_z (answer, "@odata.nextLink") != NULL
      || (count != NULL && value_number (count) > (double) question->skip + (double) list->count
          && list->count != 0))
    json_name_int (json, "next_skip", question->skip + (int64_t) list->count);
  json_close (json, '}');
  return true;
}

void
refusal_read (const char *body, size_t len, struct text *why)
{
  enum { MESSAGE_MAX = 300 };
  CLEANUP_VALUES struct values pool = { 0 };
  const struct value *error = value_get_z (value_parse (&pool, body, len), "error");
  const struct value *code = value_get_z (error, "code"), *message = value_get_z (error, "message");

  if (value_is (code, VALUE_STRING) && code->count != 0) {
    text_add (why, ", ");
    text_add_line (why, code->text, code->count < MESSAGE_MAX ? code->count : MESSAGE_MAX);
  }
  if (value_is (message, VALUE_STRING) && message->count != 0) {
    text_add (why, ": ");
    text_add_line (why, message->text, message->count < MESSAGE_MAX ? message->count : MESSAGE_MAX);
  }
}
