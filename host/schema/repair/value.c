#include <string.h>

#include "base/json_text.h"
#include "schema/repair/work.h"

enum {
  TEXT_MAX = 1 << 20, /* of a string that is looked into, bytes */
  BYTES_PER_STEP = 16,
  READ_STEPS = 50, /* besides those for the bytes */
  TRIAL_STEPS = 500
};

/* ---- words ---- */

bool
is_word_for_nothing (const struct mender *m, const struct json_node *value)
{
  return json_equals (m->k->tape, value, "null") || json_equals (m->k->tape, value, "None");
}

/* The next byte that counts when case, blanks, '-' and '_' do not; -1 at the end. */
static int
next_folded (struct json_cursor *cursor)
{
  int c;

  do
    c = json_cursor_next (cursor);
  while (c == ' ' || c == '\t' || c == '-' || c == '_');
  return c >= 'A' && c <= 'Z' ? c | 32 : c;
}

static int
next_of_word (const char **p, const char *end)
{
  while (*p < end && (**p == ' ' || **p == '\t' || **p == '-' || **p == '_'))
    ++*p;
  if (*p == end)
    return -1;
  return **p >= 'A' && **p <= 'Z' ? *(*p)++ | 32 : (unsigned char) *(*p)++;
}

bool
same_folded (const struct json_tape *tape, const struct json_node *string, const struct word *word)
{
  struct json_cursor cursor = json_cursor (tape, string);
  const char *p = word->text;
  const char *end = p + word->len;

  for (bool first = true;; first = false) {
    int c = next_folded (&cursor);
    if (c != next_of_word (&p, end))
      return false;
    if (c < 0)
      return !first;
  }
}

/* The one string of an enum that is the same but for case and the like; NULL: none, or several. */
static const struct word *
folded_word (struct mender *m, const struct values *values, const struct json_node *string)
{
  const struct word *found = NULL;
  int64_t steps = 1 + string->len / BYTES_PER_STEP;

  if (string->type != JSON_STRING || !spend (m->k, steps * values->strings.count))
    return NULL;
  for (uint32_t i = 0; i < values->strings.count; i++)
    if (same_folded (m->k->tape, string, &values->strings.list[i])) {
      if (found != NULL)
        return NULL;
      found = &values->strings.list[i];
    }
  return found;
}

bool
near_values (struct mender *m, const struct values *values, const struct json_node *value)
{
  return values == NULL || check_values (m->k, values, value)
         || folded_word (m, values, value) != NULL;
}

void
mend_case (struct mender *m, const struct values *values, const struct json_node *value)
{
  const struct word *word;

  if (values == NULL || check_values (m->k, values, value))
    return;
  word = folded_word (m, values, value);
  if (word != NULL)
    edit_replace_string (&m->edits, value, REPAIR_CASE, word->text, word->len);
}

/* ---- one item instead of an array ---- */

/* Text that was meant to be an array already, or to be nothing. */
static bool
is_no_item (const struct mender *m, const struct json_node *value)
{
  struct json_cursor cursor;
  int c;

  if (value->type != JSON_STRING)
    return false;
  if (value->len == 0 || is_word_for_nothing (m, value))
    return true;
  cursor = json_cursor (m->k->tape, value);
  do
    c = json_cursor_next (&cursor);
  while (c == ' ' || c == '\t' || c == '\n' || c == '\r');
  return c < 0 || c == '[' || c == '{';
}

static void
mend_item (struct mender *m, const struct rule *rule, uint16_t types, const struct json_node *value)
{
  const char *raw;
  char *array;
  size_t len;

  if (m->trial || (types & TYPE_ARRAY) == 0 || is_no_item (m, value))
    return;
  raw = json_raw (m->k->tape, value, &len);
  if (len > TEXT_MAX || !spend (m->k, (int64_t) (TRIAL_STEPS + len / BYTES_PER_STEP)))
    return;
  array = arena_alloc (m->arena, len + 2);
  array[0] = '[';
  memcpy (array + 1, raw, len);
  array[len + 1] = ']';
  if (mend_try (m, rule, array, len + 2))
    edit_replace (&m->edits, value, REPAIR_WRAP, array, len + 2);
}

/* ---- values sent as text ---- */

/* Could JSON begin so that is worth reading: no string, no null? */
static bool
may_hold_value (const char *text, size_t len)
{
  size_t blanks = 0;

  while (blanks < len && strchr (" \t\r\n", text[blanks]) != NULL)
    blanks++;
  return blanks < len && text[blanks] != '\0' && strchr ("{[-0123456789tf", text[blanks]) != NULL;
}

/* The type of what the text holds, when a value of it is admitted; 0 otherwise. */
static unsigned
type_in_text (uint16_t types, const char *text, size_t len)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  const struct json_node *inner;
  struct json_tape tape;

  if (!json_read (&tape, text, len, &json_default_limits, &arena))
    return 0;
  inner = json_root (&tape);
  if (!check_type (&tape, types, inner))
    return 0;
  if (inner->type == JSON_ARRAY || inner->type == JSON_OBJECT)
    return inner->type;
  /* a number with blanks around it is no number exactly */
  return inner->len == len ? inner->type : 0;
}

static bool
mend_text (struct mender *m, uint16_t types, const struct json_node *value)
{
  enum repair_rule rule = REPAIR_SCALAR;
  const char *text;
  unsigned type;
  size_t len;

  if (value->len > TEXT_MAX || !spend (m->k, 1 + value->len / BYTES_PER_STEP))
    return false;
  text = json_string (m->k->tape, value, m->arena, &len);
  if (!may_hold_value (text, len) || !spend (m->k, READ_STEPS))
    return false;
  type = type_in_text (types, text, len);
  if (type == 0)
    return false;
  if (type == JSON_ARRAY || type == JSON_OBJECT)
    rule = type == JSON_OBJECT && value == m->root ? REPAIR_WHOLE : REPAIR_STRINGIFIED;
  edit_replace (&m->edits, value, rule, text, len);
  return true;
}

static bool
mend_number (struct mender *m, uint16_t types, const struct json_node *value)
{
  const char *raw;
  size_t len;

  if (m->mode != REPAIR_LENIENT || (types & TYPE_STRING) == 0
      || (types & (TYPE_NUMBER | TYPE_INTEGER)) != 0)
    return false;
  raw = json_raw (m->k->tape, value, &len);
  edit_replace_string (&m->edits, value, REPAIR_SCALAR, raw, len);
  return true;
}

/* ---- a value of another type ---- */

void
mend_type (struct mender *m, const struct rule *rule, uint16_t types, const struct json_node *value)
{
  bool done = false;

  switch (value->type) {
  case JSON_NULL:
    if (value == m->root && (types & TYPE_OBJECT) != 0)
      edit_replace (&m->edits, value, REPAIR_WHOLE, "{}", 2);
    return;
  case JSON_STRING:
    done = mend_text (m, types, value);
    break;
  case JSON_NUMBER:
    done = mend_number (m, types, value);
    break;
  case JSON_TRUE:
  case JSON_FALSE:
    break;
  default:
    return;
  }
  if (!done)
    mend_item (m, rule, types, value);
}
