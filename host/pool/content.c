#include "pool/content.h"

static bool
is_block (const struct json_tape *tape, const struct json_node *block)
{
  static const char *const types[] = { "text", "image", "audio", "resource", "resource_link" };
  const struct json_node *type = json_member (tape, block, "type");

  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (json_equals (tape, type, types[i]))
      return true;
  return false;
}

static bool
is_string (const struct json_tape *tape, const struct json_node *object, const char *member)
{
  return json_is (json_member (tape, object, member), JSON_STRING);
}

/* What stands at a URI. */
static bool
is_contents (const struct json_tape *tape, const struct json_node *item)
{
  return is_string (tape, item, "uri")
         && is_string (tape, item, "text") != is_string (tape, item, "blob");
}

static bool
is_message (const struct json_tape *tape, const struct json_node *item)
{
  const struct json_node *role = json_member (tape, item, "role");

  return (json_equals (tape, role, "user") || json_equals (tape, role, "assistant"))
         && is_block (tape, json_member (tape, item, "content"));
}

/* The catalog looks at what is in it. */
static bool
is_definition (const struct json_tape *tape, const struct json_node *item)
{
  (void) tape;
  return json_is (item, JSON_OBJECT);
}

bool
content_fits (enum frame_content kind, const struct json_tape *tape)
{
  static bool (*const fits[]) (const struct json_tape *tape,
                               const struct json_node *item) = { [FRAME_BLOCKS] = is_block,
                                                                 [FRAME_CONTENTS] = is_contents,
                                                                 [FRAME_MESSAGES] = is_message,
                                                                 [FRAME_LISTED] = is_definition };
  const struct json_node *list = json_root (tape);

  if (kind == FRAME_VALUES || list->type != JSON_ARRAY)
    return false;
  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n))
    if (!fits[kind](tape, n))
      return false;
  return true;
}

bool
content_are_values (const struct json_tape *tape)
{
  const struct json_node *root = json_root (tape);
  const struct json_node *values = json_member (tape, root, "values");
  const struct json_node *more = json_member (tape, root, "hasMore");
  int64_t total;

  if (!json_is (values, JSON_ARRAY) || values->count > FRAME_VALUES_MAX
      || !json_int64 (tape, json_member (tape, root, "total"), &total) || total < values->count
      || (!json_is (more, JSON_TRUE) && !json_is (more, JSON_FALSE)))
    return false;
  for (const struct json_node *n = json_first (values); n != json_end (values); n = json_next (n))
    if (!json_is (n, JSON_STRING))
      return false;
  return true;
}
