#include "cli/said.h"

#include "cli/answer.h"
#include "cli/out.h"

const struct json_node *
said_list (struct json_tape *tape, struct arena *arena, const struct reply *reply, const char *name)
{
  const struct json_node *list = NULL;

  if (json_read (tape, reply->body.data, reply->body.len, &answer_limits, arena))
    list = json_member (tape, json_root (tape), name);
  if (json_is (list, JSON_ARRAY))
    return list;
  (void) out_error (CLI_UNREACHABLE, "the daemon's answer is not a list of %s", name);
  return NULL;
}

const char *
said_value (const struct said *said, const struct json_node *node, const char *otherwise)
{
  const char *text;
  size_t len;

  if (node == NULL || node->type == JSON_NULL)
    return otherwise;
  if (node->type != JSON_STRING) {
    text = json_raw (said->tape, node, &len);
    return arena_strndup (said->arena, text, len);
  }
  text = json_cstring (said->tape, node, said->arena);
  return text != NULL ? text : otherwise; /* a string with U+0000 */
}

const char *
said_text (const struct said *said, const struct json_node *object, const char *member,
           const char *otherwise)
{
  return said_value (said, json_member (said->tape, object, member), otherwise);
}

int64_t
said_number (const struct said *said, const struct json_node *object, const char *member)
{
  int64_t value = 0;

  (void) json_int64 (said->tape, json_member (said->tape, object, member), &value);
  return value;
}
