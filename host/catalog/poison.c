#include "catalog/poison.h"

#include <string.h>

#include "base/invisible.h"
#include "base/json_write.h"

enum { TEXT_MOST = 16384, NAME_MOST = 256, POINTER_MOST = 300 };

/* What the members of an object are: of a schema or the like; of an object of names that the author
 * chose; of plain data. */
enum place { MEMBERS, NAMES, DATA };

struct check {
  const struct json_tape *tape;
  struct arena arena;
  struct buf pointer; /* of what is looked at */
  struct error *err;
};

static void
check_cleanup (struct check *c)
{
  arena_free (&c->arena);
  buf_free (&c->pointer);
}

static enum place
place_below (enum place place, const char *name, size_t len)
{
  static const char *const names[] = { "properties",  "patternProperties", "$defs",
                                       "definitions", "dependentSchemas",  NULL };
  static const char *const data[] = { "enum", "const", "default", "examples", "pattern", NULL };

  if (place != MEMBERS)
    return place == NAMES ? MEMBERS : DATA;
  for (const char *const *n = names; *n != NULL; n++)
    if (strlen (*n) == len && memcmp (*n, name, len) == 0)
      return NAMES;
  for (const char *const *n = data; *n != NULL; n++)
    if (strlen (*n) == len && memcmp (*n, name, len) == 0)
      return DATA;
  return MEMBERS;
}

static bool
refuse (struct check *c, const char *what, unsigned value)
{
  const char *pointer = buf_cstr (&c->pointer);
  CLEANUP_BUF struct buf words = { 0 };

  buf_printf (&words, what, value);
  return error_set (c->err, "%.*s: %s", POINTER_MOST, *pointer != '\0' ? pointer : "/",
                    buf_cstr (&words));
}

/* Emoji are made of characters with such between them. */
static bool
belongs_to_emoji (uint32_t c)
{
  return c == 0x200d || c == 0xfe0e || c == 0xfe0f;
}

static bool
check_text (struct check *c, const char *text, size_t len, enum place place)
{
  for (size_t at = 0, n; at < len; at += n) {
    uint32_t code = utf8_code_point (text + at, &n);
    const bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
    if (!invisible_code_point (code) || belongs_to_emoji (code) || code == '\n' || code == '\t')
      continue;
    if (!control)
      return refuse (c, "holds the invisible or direction-changing character U+%04X", code);
    if (place != DATA)
      return refuse (c, "holds the control character U+%04X", code);
  }
  if (len > TEXT_MOST && place != DATA)
    return refuse (c, "is a text of over %u bytes", TEXT_MOST);
  return true;
}

static bool check_value (struct check *c, const struct json_node *value, enum place place);

static bool
check_object (struct check *c, const struct json_node *object, enum place place)
{
  bool good = true;

  for (const struct json_node *name = json_first (object); good && name != json_end (object);) {
    const struct json_node *value = json_next (name);
    size_t len, was;
    const char *text = json_string (c->tape, name, &c->arena, &len);
    good = check_text (c, text, len, MEMBERS)
           && (len <= NAME_MOST || refuse (c, "has a member name of over %u bytes", NAME_MOST));
    was = json_pointer_add (&c->pointer, text, len);
    good = good && check_value (c, value, place_below (place, text, len));
    c->pointer.len = was;
    name = json_next (value);
  }
  return good;
}

static bool
check_array (struct check *c, const struct json_node *array, enum place place)
{
  unsigned index = 0;

  for (const struct json_node *n = json_first (array); n != json_end (array); n = json_next (n)) {
    size_t was = c->pointer.len;
    buf_printf (&c->pointer, "/%u", index++);
    if (!check_value (c, n, place))
      return false;
    c->pointer.len = was;
  }
  return true;
}

static bool
check_value (struct check *c, const struct json_node *value, enum place place)
{
  size_t len;

  switch (value->type) {
  case JSON_STRING: {
    const char *text = json_string (c->tape, value, &c->arena, &len);
    return check_text (c, text, len, place);
  }
  case JSON_OBJECT:
    return check_object (c, value, place);
  case JSON_ARRAY:
    return check_array (c, value, place);
  default:
    return true;
  }
}

bool
poison_check (const struct json_tape *tape, const struct json_node *definition, struct error *err)
{
  __attribute__ ((cleanup (check_cleanup))) struct check c = { .tape = tape, .err = err };

  return check_value (&c, definition, MEMBERS);
}
