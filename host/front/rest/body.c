#include "front/rest/body.h"

#include <string.h>

enum { ID_MAX = 256 }; /* bytes of call_id and session_id */

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
} members[] = {
  { "arguments", "anything", take_arguments },
  { "call_id", "a string of 1 to 256 bytes", take_call_id },
  { "session_id", "a string of 1 to 256 bytes", take_session_id },
  { "response_id", "a string of 1 to 256 bytes", take_response_id },
  { "background", "true or false", take_background },
  { "metadata", "an object", take_metadata },
  { "deadline_ms", "an integer above 0", take_deadline },
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
unknown_member (const char *name, struct error *err)
{
  const char *names[MEMBERS + 1] = { NULL };
  const char *near;

  for (size_t i = 0; i < MEMBERS; i++)
    names[i] = members[i].name;
  near = name != NULL ? error_nearest (name, names) : NULL;
  if (near != NULL)
    return error_set (err, "unknown member; did you mean \"%s\"?", near);
  return error_set (err, "unknown member; known are arguments, call_id, session_id, response_id, "
                         "background, metadata and deadline_ms");
}

/* "/name", with the escapes of RFC 6901. */
static const char *
pointer_to (const char *name, size_t len, struct arena *arena)
{
  char *pointer = arena_alloc (arena, 2 * len + 2);
  char *at = pointer;

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
             struct arena *arena, struct error *err)
{
  for (size_t i = 0; i < MEMBERS; i++) {
    if (!json_equals (&body->tape, name, members[i].name))
      continue;
    if (members[i].take (body, value, arena))
      return true;
    return error_set (err, "expected %s, got %s", members[i].expected, type_name (value));
  }
  return unknown_member (json_cstring (&body->tape, name, arena), err);
}

bool
call_body_read (struct call_body *body, struct slice text, const struct json_limits *limits,
                struct arena *arena, const char **pointer, struct error *err)
{
  const struct json_node *root, *name, *value;

  *body = (struct call_body){ .arguments = NULL };
  *pointer = NULL;
  if (text.len == 0)
    return true;
  if (!json_read (&body->tape, text.data, text.len, limits, arena))
    return error_set (err, "the body is not JSON: byte %zu: %s", body->tape.offset,
                      body->tape.problem);
  root = json_root (&body->tape);
  *pointer = "";
  if (!json_is (root, JSON_OBJECT))
    return error_set (err, "expected an object, got %s", type_name (root));
  for (name = json_first (root); name != json_end (root); name = json_next (value)) {
    value = json_next (name);
    if (!take_member (body, name, value, arena, err)) {
      size_t len;
      const char *text_name = json_string (&body->tape, name, arena, &len);
      *pointer = pointer_to (text_name, len, arena);
      return false;
    }
  }
  return true;
}
