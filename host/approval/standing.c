#include "approval/standing.h"

#include <string.h>

#include "base/json_canonical.h"
#include "base/json_tape.h"

static bool
same_text (const char *a, const char *b)
{
  return a != NULL && b != NULL ? strcmp (a, b) == 0 : a == b;
}

/* False: they are no object. */
static bool
read_arguments (struct store_bytes arguments, struct json_tape *tape, struct arena *arena)
{
  const bool none = arguments.len == 0;

  return json_read (tape, none ? "{}" : arguments.data, none ? 2 : arguments.len,
                    &json_default_limits, arena)
         && json_root (tape)->type == JSON_OBJECT;
}

bool
standing_covers (const struct standing_words *rule, const struct standing_call *call)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape approved, asked;

  if (rule->tool == NULL || rule->digest == NULL || !same_text (rule->tool, call->tool)
      || !same_text (rule->server_label, call->server_label)
      || !same_text (rule->digest, call->digest)
      || !read_arguments (call->arguments, &asked, &arena))
    return false;
  return rule->arguments.data == NULL
         || (read_arguments (rule->arguments, &approved, &arena)
             && json_same (&approved, json_root (&approved), &asked, json_root (&asked)));
}

bool
standing_arguments (struct store_bytes arguments, struct buf *out)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  if (!read_arguments (arguments, &tape, &arena))
    return false;
  json_canonical (&tape, json_root (&tape), out);
  return true;
}
