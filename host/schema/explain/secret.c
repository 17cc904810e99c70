#include "schema/explain/secret.h"

#include "base/json_text.h"
#include "schema/explain/guess.h"
#include "schema/explain/line.h"
#include "schema/explain/place.h"

enum { NAME_ROOM = 128 };

/* A secret sent under a misspelt name is one all the same. */
static bool
is_secret_name (const struct words *names, const struct json_tape *tape,
                const struct json_node *name)
{
  struct json_cursor cursor = json_cursor (tape, name);
  char text[NAME_ROOM];
  struct guess guess;
  size_t len = 0;

  if (words_find (names, tape, name) != WORDS_NONE)
    return true;
  for (int c; len < sizeof text && (c = json_cursor_next (&cursor)) >= 0; len++)
    text[len] = (char) c;
  guess_begin (&guess, text, len);
  for (uint32_t i = 0; i < names->count && guess.found == NULL; i++)
    guess_offer (&guess, names->list[i].text, names->list[i].len);
  return guess.found != NULL;
}

/* In the part of a text that would be shown. */
static bool
has_json (const struct json_tape *tape, const struct json_node *string)
{
  struct json_cursor cursor = json_cursor (tape, string);

  for (int c, i = 0; i < LINE_PIECE && (c = json_cursor_next (&cursor)) >= 0; i++)
    if (c == '{')
      return true;
  return false;
}

bool
value_is_secret (const struct schema *schema, const struct json_tape *tape,
                 const struct json_node *root, const struct json_node *target)
{
  const struct words *names = &schema->secret_names;
  const struct json_node *name;
  uint32_t index;

  if (schema->root->secret)
    return true;
  if (names->count == 0)
    return false;
  if (target->type == JSON_STRING && has_json (tape, target))
    return true;
  while (root != target) {
    root = place_step (root, target, &name, &index);
    if (name == NULL)
      continue;
    if (place_is_name (root, target))
      return false;
    if (is_secret_name (names, tape, name))
      return true;
  }
  return false;
}
