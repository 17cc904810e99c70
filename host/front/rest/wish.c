#include "front/rest/wish.h"

#include <string.h>

enum { CALL_ID_MAX_BYTES = 256 };

static bool
take_call_id (struct session_wish *wish, const struct json_tape *tape,
              const struct json_node *value, struct arena *arena, struct error *err)
{
  wish->call_id = json_cstring (tape, value, arena);
  return (wish->call_id != NULL && *wish->call_id != '\0'
          && strlen (wish->call_id) <= CALL_ID_MAX_BYTES)
         || error_set (err, "/call_id: expected a string of 1 to 256 bytes");
}

static bool
take_ttl (struct session_wish *wish, const struct json_tape *tape, const struct json_node *value,
          struct arena *arena, struct error *err)
{
  int64_t ms;

  (void) arena;
  if (!json_int64 (tape, value, &ms) || ms <= 0)
    return error_set (err, "/ttl_ms: expected an integer above 0");
  wish->ttl = (double) ms / 1000;
  return true;
}

static bool
take_context (struct session_wish *wish, const struct json_tape *tape,
              const struct json_node *value, struct arena *arena, struct error *err)
{
  const struct json_node *name;

  if (!json_is (value, JSON_OBJECT))
    return error_set (err, "/context: expected an object");
  for (name = json_first (value); name != json_end (value); name = json_next (json_next (name))) {
    if (json_equals (tape, name, "user"))
      wish->user = json_next (name);
    else if (json_equals (tape, name, "tenant"))
      wish->data = json_next (name);
    else
      return error_set (err, "/context/%s: at its start a context has user and tenant",
                        json_cstring (tape, name, arena));
  }
  return true;
}

static const struct member {
  const char *name;
  bool (*take) (struct session_wish *wish, const struct json_tape *tape,
                const struct json_node *value, struct arena *arena, struct error *err);
} members[] = {
  { "call_id", take_call_id },
  { "ttl_ms", take_ttl },
  { "context", take_context },
};
enum { MEMBERS = sizeof members / sizeof members[0] };

static bool
take_member (struct session_wish *wish, const struct json_node *name, struct arena *arena,
             struct error *err)
{
  const char *names[MEMBERS + 1] = { NULL };
  const char *text = json_cstring (wish->tape, name, arena), *near;

  for (size_t i = 0; i < MEMBERS; i++) {
    names[i] = members[i].name;
    if (json_equals (wish->tape, name, names[i]))
      return members[i].take (wish, wish->tape, json_next (name), arena, err);
  }
  near = text != NULL ? error_nearest (text, names) : NULL;
  if (near != NULL)
    return error_set (err, "/%s: unknown member; did you mean \"%s\"?", text, near);
  return error_set (err, "/%s: unknown member; known are call_id, ttl_ms and context",
                    text != NULL ? text : "");
}

bool
session_wish_read (struct session_wish *wish, struct arena *arena, struct error *err)
{
  const struct json_node *root = json_root (wish->tape);

  if (!json_is (root, JSON_OBJECT))
    return error_set (err, ": expected an object");
  for (const struct json_node *name = json_first (root); name != json_end (root);
       name = json_next (json_next (name)))
    if (!take_member (wish, name, arena, err))
      return false;
  return true;
}
