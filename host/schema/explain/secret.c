#include "schema/explain/secret.h"

#include "base/json_text.h"
#include "base/json_write.h"
#include "schema/explain/guess.h"
#include "schema/explain/line.h"
#include "schema/explain/place.h"

enum { NAME_ROOM = 128, SHOW_DEPTH = 32 };

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

/* ---- the whole, without what is secret ---- */

struct showing {
  const struct words *names;
  const struct json_tape *tape;
  struct json_writer w;
};

static void show (struct showing *s, const struct json_node *value, unsigned depth);

static void
show_members (struct showing *s, const struct json_node *object, unsigned depth)
{
  jsonw_object (&s->w);
  for (const struct json_node *name = json_first (object); name != json_end (object);
       name = json_next (json_next (name))) {
    CLEANUP_ARENA struct arena arena = { 0 };
    size_t len;
    const char *text = json_string (s->tape, name, &arena, &len);

    jsonw_name_len (&s->w, text, len);
    if (is_secret_name (s->names, s->tape, name))
      jsonw_string (&s->w, "<secret>");
    else
      show (s, json_next (name), depth);
  }
  jsonw_end (&s->w);
}

static void
show_items (struct showing *s, const struct json_node *array, unsigned depth)
{
  jsonw_array (&s->w);
  for (const struct json_node *n = json_first (array); n != json_end (array); n = json_next (n))
    show (s, n, depth);
  jsonw_end (&s->w);
}

static void
show (struct showing *s, const struct json_node *value, unsigned depth)
{
  size_t len;
  const char *raw;

  if (value->type >= JSON_ARRAY && depth == 0)
    jsonw_string (&s->w, "<deep>");
  else if (value->type == JSON_OBJECT)
    show_members (s, value, depth - 1);
  else if (value->type == JSON_ARRAY)
    show_items (s, value, depth - 1);
  else if (value->type == JSON_STRING && s->names->count != 0 && has_json (s->tape, value))
    jsonw_string (&s->w, "<secret>");
  else {
    raw = json_raw (s->tape, value, &len);
    jsonw_raw (&s->w, raw, len);
  }
}

void
schema_show (const struct schema *schema, const struct json_tape *tape,
             const struct json_node *value, struct buf *out)
{
  struct showing s = { .names = &schema->secret_names, .tape = tape, .w = { .out = out } };

  if (schema->root->secret)
    jsonw_raw (&s.w, "{\"<secret>\":\"<secret>\"}", 23);
  else
    show (&s, value, SHOW_DEPTH);
}
