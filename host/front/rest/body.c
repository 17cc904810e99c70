#include "front/rest/body.h"

#include <string.h>

enum { ID_MAX = 256 }; /* bytes of call_id and session_id */

/* What a body is of. */
enum { OF_CALL = 1, OF_BATCH = 2, OF_ITEM = 4 };

static bool
take_arguments (struct call_body *body, const struct json_node *value, struct arena *arena)
{
  (void) arena;
  body->arguments = value;
  return true; /* what is no object is the pipeline's to refuse: tool_args_parse_error */
}

static bool
take_id (const char **id, const struct json_tape *tape, const struct json_node *value,
         struct arena *arena)
{
  size_t len;

  *id = json_cstring (tape, value, arena);
  len = *id != NULL ? strlen (*id) : 0;
  return len != 0 && len <= ID_MAX;
}

static bool
take_name (struct call_body *body, const struct json_node *value, struct arena *arena)
{
  body->name.data = json_string (&body->tape, value, arena, &body->name.len);
  return body->name.data != NULL && body->name.len != 0;
}

/* batch_body_read looks at them. */
static bool
take_calls (struct call_body *body, const struct json_node *value, struct arena *arena)
{
  (void) body;
  (void) arena;
  return json_is (value, JSON_ARRAY);
}

static bool
take_call_id (struct call_body *body, const struct json_node *value, struct arena *arena)
{
  return take_id (&body->call_id, &body->tape, value, arena);
}

static bool
take_session_id (struct call_body *body, const struct json_node *value, struct arena *arena)
{
  return take_id (&body->session_id, &body->tape, value, arena);
}

static bool
take_response_id (struct call_body *body, const struct json_node *value, struct arena *arena)
{
  return take_id (&body->response_id, &body->tape, value, arena);
}

static bool
take_background (struct call_body *body, const struct json_node *value, struct arena *arena)
{
  (void) arena;
  body->background = json_is (value, JSON_TRUE);
  return body->background || json_is (value, JSON_FALSE);
}

static bool
take_metadata (struct call_body *body, const struct json_node *value, struct arena *arena)
{
  (void) arena;
  body->metadata.data = json_raw (&body->tape, value, &body->metadata.len);
  return json_is (value, JSON_OBJECT);
}

static bool
take_deadline (struct call_body *body, const struct json_node *value, struct arena *arena)
{
  (void) arena;
  return json_int64 (&body->tape, value, &body->deadline_ms) && body->deadline_ms > 0;
}

static const struct member {
  const char *name;
  const char *expected;
  bool (*take) (struct call_body *body, const struct json_node *value, struct arena *arena);
  unsigned of; /* OF_… */
} members[] = {
  { "calls", "a list of calls", take_calls, OF_BATCH },
  { "name", "the name of a tool", take_name, OF_ITEM },
  { "arguments", "anything", take_arguments, OF_CALL | OF_ITEM },
  { "call_id", "a string of 1 to 256 bytes", take_call_id, OF_CALL | OF_ITEM },
  { "session_id", "a string of 1 to 256 bytes", take_session_id, OF_CALL | OF_BATCH },
  { "response_id", "a string of 1 to 256 bytes", take_response_id, OF_CALL | OF_BATCH },
  { "background", "true or false", take_background, OF_CALL | OF_ITEM },
  { "metadata", "an object", take_metadata, OF_CALL | OF_BATCH | OF_ITEM },
  { "deadline_ms", "an integer above 0", take_deadline, OF_CALL | OF_BATCH | OF_ITEM },
};
enum { MEMBERS = sizeof members / sizeof members[0] };

static const char *
type_name (const struct json_node *value)
{
  static const char *const names[] = {
    [JSON_NULL] = "null",     [JSON_FALSE] = "false",   [JSON_TRUE] = "true",
    [JSON_NUMBER] = "number", [JSON_STRING] = "string", [JSON_ARRAY] = "array",
    [JSON_OBJECT] = "object",
  };

  return names[value->type];
}

static bool
unknown_member (const char *name, unsigned of, struct error *err)
{
  const char *names[MEMBERS + 1] = { NULL };
  CLEANUP_BUF struct buf known = { 0 };
  const char *near;
  size_t count = 0;

  for (size_t i = 0; i < MEMBERS; i++)
    if ((members[i].of & of) != 0)
      names[count++] = members[i].name;
  near = name != NULL ? error_nearest (name, names) : NULL;
  if (near != NULL)
    return error_set (err, "unknown member; did you mean \"%s\"?", near);
  for (size_t i = 0; i < count; i++)
    buf_printf (&known, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " and ", names[i]);
  return error_set (err, "unknown member; known are %s", buf_cstr (&known));
}

/* `base`, and "/name" with the escapes of RFC 6901. */
static const char *
pointer_to (const char *base, const char *name, size_t len, struct arena *arena)
{
  const size_t base_len = strlen (base);
  char *pointer = arena_alloc (arena, base_len + 2 * len + 2);
  char *at = pointer + base_len;

  memcpy (pointer, base, base_len);
  *at++ = '/';
  for (size_t i = 0; i < len; i++) {
    if (name[i] == '~' || name[i] == '/')
      *at++ = '~';
    *at++ = name[i] == '~' ? '0' : name[i] == '/' ? '1' : name[i];
  }
  *at = '\0';
  return pointer;
}

static bool
take_member (struct call_body *body, const struct json_node *name, const struct json_node *value,
             unsigned of, struct arena *arena, struct error *err)
{
  for (size_t i = 0; i < MEMBERS; i++) {
    if ((members[i].of & of) == 0 || !json_equals (&body->tape, name, members[i].name))
      continue;
    if (members[i].take (body, value, arena))
      return true;
    return error_set (err, "expected %s, got %s", members[i].expected, type_name (value));
  }
  return unknown_member (json_cstring (&body->tape, name, arena), of, err);
}

/* The members of an object, which stands at `*pointer`; it is moved to what is wrong. */
static bool
take_members (struct call_body *body, const struct json_node *object, unsigned of,
              struct arena *arena, const char **pointer, struct error *err)
{
  const struct json_node *name, *value;

  if (!json_is (object, JSON_OBJECT))
    return error_set (err, "expected an object, got %s", type_name (object));
  for (name = json_first (object); name != json_end (object); name = json_next (value)) {
    value = json_next (name);
    if (!take_member (body, name, value, of, arena, err)) {
      size_t len;
      const char *text_name = json_string (&body->tape, name, arena, &len);
      *pointer = pointer_to (*pointer, text_name, len, arena);
      return false;
    }
  }
  return true;
}

static bool
read_text (struct json_tape *tape, struct slice text, const struct json_limits *limits,
           struct arena *arena, struct error *err)
{
  return json_read (tape, text.data, text.len, limits, arena)
         || error_set (err, "the body is not JSON: byte %zu: %s", tape->offset, tape->problem);
}

bool
call_body_read (struct call_body *body, struct slice text, const struct json_limits *limits,
                struct arena *arena, const char **pointer, struct error *err)
{
  *body = (struct call_body){ .arguments = NULL };
  *pointer = NULL;
  if (text.len == 0)
    return true;
  if (!read_text (&body->tape, text, limits, arena, err))
    return false;
  *pointer = "";
  return take_members (body, json_root (&body->tape), OF_CALL, arena, pointer, err);
}

/* ---- several ---- */

static const char *
pointer_of (size_t index, const char *name, struct arena *arena)
{
  CLEANUP_BUF struct buf pointer = { 0 };

  buf_printf (&pointer, "/calls/%zu%s", index, name);
  return arena_strndup (arena, pointer.data, pointer.len);
}

/* What stands for all, and then its own. */
static bool
read_item (struct batch_body *batch, const struct call_body *all, const struct json_node *item,
           struct arena *arena, const char **pointer, struct error *err)
{
  struct call_body *call = &batch->calls[batch->count];

  *call = *all;
  *pointer = pointer_of (batch->count, "", arena);
  if (!take_members (call, item, OF_ITEM, arena, pointer, err))
    return false;
  *pointer = pointer_of (batch->count, "/name", arena);
  if (call->name.data == NULL)
    return error_set (err, "expected the name of a tool");
  *pointer = pointer_of (batch->count, "/call_id", arena);
  for (size_t i = 0; call->call_id != NULL && i < batch->count; i++)
    if (batch->calls[i].call_id != NULL && strcmp (batch->calls[i].call_id, call->call_id) == 0)
      return error_set (err, "/calls/%zu has this id as well", i);
  batch->count++;
  return true;
}

bool
batch_body_read (struct batch_body *batch, struct slice text, const struct json_limits *limits,
                 size_t max, struct arena *arena, const char **pointer, struct error *err)
{
  struct call_body all = { .arguments = NULL };
  const struct json_node *calls;

  *batch = (struct batch_body){ .count = 0 };
  *pointer = NULL;
  if (!read_text (&all.tape, text, limits, arena, err))
    return false;
  *pointer = "";
  if (!take_members (&all, json_root (&all.tape), OF_BATCH, arena, pointer, err))
    return false;
  *pointer = "/calls";
  calls = json_member (&all.tape, json_root (&all.tape), "calls");
  if (calls == NULL || calls->count == 0)
    return error_set (err, "expected at least one call");
  if (calls->count > max)
    return error_set (err, "expected at most %zu calls, got %u", max, (unsigned) calls->count);
  batch->calls = arena_alloc (arena, calls->count * sizeof *batch->calls);
  for (const struct json_node *n = json_first (calls); n != json_end (calls); n = json_next (n))
    if (!read_item (batch, &all, n, arena, pointer, err))
      return false;
  return true;
}
