#include "worker/args.h"

#include <string.h>

#include "worker/tool_call.h"

const char *
args_text (struct tool_call *call, size_t *len)
{
  if (len != NULL)
    *len = call->args.len;
  return call->args.text;
}

/* A member's name, or a pointer, which begins with '/' or is empty. */
static const struct json_node *
find (const struct json_tape *tape, const struct json_node *root, const char *where)
{
  if (where[0] == '/' || where[0] == '\0')
    return json_pointer (tape, root, where, strlen (where));
  return json_member (tape, root, where);
}

static toolhost_status
fill_number (const struct json_tape *tape, const struct json_node *node, toolhost_value *value)
{
  if (json_int64 (tape, node, &value->integer)) {
    value->type = TOOLHOST_INT;
    value->number = (double) value->integer;
    return TOOLHOST_OK;
  }
  value->type = TOOLHOST_DOUBLE;
  return json_double (tape, node, &value->number) ? TOOLHOST_OK : TOOLHOST_WRONG_TYPE;
}

static toolhost_status
fill_string (const struct json_tape *tape, const struct json_node *node, struct arena *arena,
             toolhost_value *value)
{
  const char *text = json_string (tape, node, arena, &value->string_len);

  value->type = TOOLHOST_STRING;
  value->string = arena_strndup (arena, text, value->string_len);
  return TOOLHOST_OK;
}

static toolhost_status
fill (const struct json_tape *tape, const struct json_node *node, struct arena *arena,
      toolhost_value *value)
{
  static const int32_t types[] = {
    [JSON_NULL] = TOOLHOST_NULL,     [JSON_FALSE] = TOOLHOST_BOOL,    [JSON_TRUE] = TOOLHOST_BOOL,
    [JSON_NUMBER] = TOOLHOST_DOUBLE, [JSON_STRING] = TOOLHOST_STRING, [JSON_ARRAY] = TOOLHOST_ARRAY,
    [JSON_OBJECT] = TOOLHOST_OBJECT,
  };

  value->json = json_raw (tape, node, &value->json_len);
  if (json_is (node, JSON_NUMBER))
    return fill_number (tape, node, value);
  if (json_is (node, JSON_STRING))
    return fill_string (tape, node, arena, value);
  value->type = types[node->type];
  value->integer = json_is (node, JSON_TRUE);
  return TOOLHOST_OK;
}

toolhost_status
args_fill (struct arena *arena, const struct json_tape *tape, const struct json_node *root,
           const char *where, toolhost_value *value)
{
  const struct json_node *node = root != NULL && where != NULL ? find (tape, root, where) : NULL;
  toolhost_value full = { 0 };
  toolhost_status status;
  size_t size;

  if (value == NULL || value->struct_size < offsetof (toolhost_value, integer))
    return TOOLHOST_BAD_VALUE;
  size = value->struct_size < sizeof full ? value->struct_size : sizeof full;
  status = node != NULL ? fill (tape, node, arena, &full) : TOOLHOST_NOT_FOUND;
  full.struct_size = value->struct_size;
  memcpy (value, &full, size);
  return status;
}

toolhost_status
args_value (struct tool_call *call, const char *where, toolhost_value *value)
{
  const struct json_tape *tape = lazy_json_read (&call->args, &call->arena);

  return args_fill (&call->arena, tape, tape != NULL ? json_root (tape) : NULL, where, value);
}

static const struct {
  int32_t what;
  const char *member;
} infos[] = {
  { TOOLHOST_CALL_ID, "call_id" },
  { TOOLHOST_SESSION_ID, "session_id" },
  { TOOLHOST_THREAD_ID, "thread_id" },
  { TOOLHOST_RUN_ID, "run_id" },
  { TOOLHOST_TENANT, "tenant" },
  { TOOLHOST_METADATA, "metadata" },
  { TOOLHOST_URI, "uri" },
  { TOOLHOST_COMPLETING, "completing" },
  { TOOLHOST_PARTIAL, "partial" },
};

/* A string's text, an object's JSON; as a C string in the arena. */
static const char *
info_text (struct tool_call *call, const struct json_tape *tape, const struct json_node *node,
           size_t *len)
{
  const char *text = json_is (node, JSON_STRING) ? json_string (tape, node, &call->arena, len)
                                                 : json_raw (tape, node, len);
  return arena_strndup (&call->arena, text, *len);
}

const char *
args_info (struct tool_call *call, int32_t what, size_t *len)
{
  const struct json_tape *tape = lazy_json_read (&call->meta, &call->arena);
  const char *text = what == TOOLHOST_METADATA ? "{}" : "";
  size_t own;

  if (len == NULL)
    len = &own;
  *len = strlen (text);
  for (size_t i = 0; tape != NULL && i < sizeof infos / sizeof *infos; i++) {
    const struct json_node *node;
    if (infos[i].what != what)
      continue;
    node = json_member (tape, json_root (tape), infos[i].member);
    if (node != NULL && !json_is (node, JSON_NULL))
      text = info_text (call, tape, node, len);
  }
  return text;
}
