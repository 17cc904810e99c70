/* What is done with each keyword: kept, rewritten, described in words, left out or refused. */
#include <string.h>

#include "catalog/project/walk.h"

/* Is a part of the pattern one that the provider does not take?  Parts that begin with a backslash
 * are escapes and only looked for where one begins. */
static bool
pattern_has (const struct walk *k, const char *pattern, size_t len, const struct json_node *parts)
{
  for (size_t i = 0; i < len; i++) {
    for (const struct json_node *n = json_first (parts); n != json_end (parts); n = json_next (n)) {
      char part[8];
      size_t part_len = 0;
      struct arena none = { 0 };
      const char *text = json_string (&k->p->tape, n, &none, &part_len);
      if (part_len <= sizeof part)
        memcpy (part, text, part_len);
      arena_free (&none);
      if (part_len <= sizeof part && part_len <= len - i
          && memcmp (pattern + i, part, part_len) == 0)
        return true;
    }
    i += pattern[i] == '\\';
  }
  return false;
}

static bool
takes_pattern (const struct walk *k, const struct json_node *value)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  size_t len;
  const char *pattern = json_string (k->tape, value, &arena, &len);

  return k->p->pattern_never == NULL || pattern == NULL
         || !pattern_has (k, pattern, len, k->p->pattern_never);
}

static bool
takes_format (const struct walk *k, const struct json_node *value)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  size_t len;
  const char *format = json_string (k->tape, value, &arena, &len);

  return format != NULL && provider_lists (k->p, k->p->string_formats, format, len);
}

static bool
takes_only (const struct walk *k, const struct keyword *w)
{
  const struct json_node *list = json_member_len (&k->p->tape, k->p->only, w->text, w->len);

  if (list == NULL)
    return true;
  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n))
    if (json_same (&k->p->tape, n, k->tape, w->value))
      return true;
  return false;
}

bool
walk_takes_value (const struct walk *k, const struct json_node *value)
{
  static const struct {
    unsigned types;
    const char *name;
  } names[] = {
    { TYPE_NULL, "null" },     { TYPE_BOOLEAN, "boolean" }, { TYPE_NUMBER, "number" },
    { TYPE_STRING, "string" }, { TYPE_ARRAY, "array" },     { TYPE_OBJECT, "object" },
  };
  unsigned types = walk_value_types (k, value);

  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if ((names[i].types & types) != 0)
      return provider_lists (k->p, k->p->enum_types, names[i].name, strlen (names[i].name));
  return true;
}

/* Null is left out of an enum whose provider does not take it: its type says that it is good. */
static bool
takes_values (const struct walk *k, const struct keyword *w)
{
  if (keyword_is (w, "const"))
    return walk_takes_value (k, w->value);
  if (!json_is (w->value, JSON_ARRAY))
    return false;
  for (const struct json_node *n = json_first (w->value); n != json_end (w->value);
       n = json_next (n))
    if (n->type != JSON_NULL && !walk_takes_value (k, n))
      return false;
  return true;
}

static bool
takes (const struct walk *k, const struct keyword *w)
{
  if (keyword_is (w, "format"))
    return takes_format (k, w->value);
  if (keyword_is (w, "pattern"))
    return takes_pattern (k, w->value);
  if (keyword_is (w, "enum") || keyword_is (w, "const"))
    return takes_values (k, w);
  return takes_only (k, w);
}

/* A union that says nothing but which properties are required. */
static bool
is_of_sets (const struct walk *k, const struct keyword *w)
{
  if (!k->p->unions_alone || (w->fact->group & SHOW_UNIONS) == 0 || !json_is (w->value, JSON_ARRAY))
    return false;
  for (const struct json_node *n = json_first (w->value); n != json_end (w->value);
       n = json_next (n))
    if (!json_is (n, JSON_OBJECT) || n->count != 1 || json_member (k->tape, n, "required") == NULL)
      return false;
  return true;
}

static enum keyword_action
root_action (const struct keyword *w)
{
  return w->fact->group == SHOW_ALL_OF ? KEYWORD_MERGE : KEYWORD_DESCRIBE;
}

enum keyword_action
walk_action (const struct walk *k, const struct view *v, const struct keyword *w)
{
  enum keyword_action action = provider_action (k->p, w->text, w->len);

  if (k->at_root && k->p->root_never != NULL
      && provider_lists (k->p, k->p->root_never, w->text, w->len))
    return root_action (w);
  if (v->types != 0 && w->fact->types != 0 && (w->fact->types & v->types) == 0)
    return KEYWORD_OMIT;
  if (w->fact->below == BELOW_MAP && w->fact->group == SHOW_ANNOTATIONS
      && k->p->references != REFERENCES_KEEP)
    return KEYWORD_OMIT;
  if (action == KEYWORD_DROP && strncmp (w->text, "x-", 2) == 0)
    return KEYWORD_OMIT;
  if (action == KEYWORD_DESCRIBE && keyword_is (w, "default") && w->value->type == JSON_NULL)
    return KEYWORD_OMIT;
  if (is_of_sets (k, w))
    return KEYWORD_DESCRIBE;
  if ((action == KEYWORD_KEEP || action == KEYWORD_ENUM) && !takes (k, w))
    return KEYWORD_DESCRIBE;
  return action;
}
