#include "guard/reading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct json_node *
reading_member (const struct reading *r, const char *name)
{
  return json_member (r->tape, r->config, name);
}

bool
reading_bool (struct reading *r, const char *name, bool *value)
{
  const struct json_node *node = reading_member (r, name);

  if (node == NULL)
    return true;
  if (node->type != JSON_TRUE && node->type != JSON_FALSE)
    return error_set (r->err, "/%s: expected true or false", name);
  *value = node->type == JSON_TRUE;
  return true;
}

bool
reading_size (struct reading *r, const char *name, uint64_t most, uint64_t *value)
{
  const struct json_node *node = reading_member (r, name);
  int64_t number;

  if (node == NULL)
    return true;
  if (!json_is (node, JSON_NUMBER) || !json_int64 (r->tape, node, &number) || number < 1
      || (uint64_t) number > most)
    return error_set (r->err, "/%s: expected a number from 1 to %llu", name,
                      (unsigned long long) most);
  *value = (uint64_t) number;
  return true;
}

bool
reading_text (struct reading *r, const char *name, size_t most, char **text)
{
  const struct json_node *node = reading_member (r, name);
  const char *found = json_cstring (r->tape, node, &r->arena);

  if (node == NULL)
    return true;
  if (found == NULL || *found == '\0' || strlen (found) > most)
    return error_set (r->err, "/%s: expected a text of 1 to %zu bytes", name, most);
  free (*text);
  *text = xstrdup (found);
  return true;
}

/* "a", "b" or "c" */
static void
list_words (const char *const *words, struct buf *out)
{
  for (size_t i = 0; words[i] != NULL; i++) {
    if (i != 0)
      buf_puts (out, words[i + 1] == NULL ? " or " : ", ");
    buf_printf (out, "\"%s\"", words[i]);
  }
}

bool
reading_word_at (struct reading *r, const struct json_node *node, const char *pointer,
                 const char *const *words, unsigned *place)
{
  const char *text = json_cstring (r->tape, node, &r->arena);
  const char *near = text != NULL ? error_nearest (text, words) : NULL;
  CLEANUP_BUF struct buf list = { 0 };

  for (unsigned i = 0; words[i] != NULL; i++)
    if (text != NULL && strcmp (words[i], text) == 0) {
      *place = i;
      return true;
    }
  list_words (words, &list);
  if (near != NULL)
    return error_set (r->err, "%s: expected %s, got \"%.40s\"; did you mean \"%s\"?", pointer,
                      buf_cstr (&list), text, near);
  return error_set (r->err, "%s: expected %s", pointer, buf_cstr (&list));
}

bool
reading_word (struct reading *r, const char *name, const char *const *words, unsigned *place)
{
  const struct json_node *node = reading_member (r, name);
  CLEANUP_BUF struct buf pointer = { 0 };

  if (node == NULL)
    return true;
  buf_printf (&pointer, "/%s", name);
  return reading_word_at (r, node, buf_cstr (&pointer), words, place);
}

bool
reading_kinds (struct reading *r, const char *const *words, const char *example, bool *wanted)
{
  const struct json_node *list = reading_member (r, "kinds");
  unsigned index = 0, kind = 0;

  for (unsigned i = 0; list == NULL && words[i] != NULL; i++)
    wanted[i] = true;
  if (list == NULL)
    return true;
  if (!json_is (list, JSON_ARRAY) || list->count == 0)
    return error_set (r->err, "/kinds: expected a list like [%s]", example);
  for (const struct json_node *n = json_first (list); n != json_end (list);
       n = json_next (n), index++) {
    char pointer[32];
    snprintf (pointer, sizeof pointer, "/kinds/%u", index);
    if (!reading_word_at (r, n, pointer, words, &kind))
      return false;
    wanted[kind] = true;
  }
  return true;
}

static bool
is_among (const char *name, const char *const *list)
{
  for (; list != NULL && *list != NULL; list++)
    if (strcmp (name, *list) == 0)
      return true;
  return false;
}

static bool
unknown (struct reading *r, const char *pointer, const char *name, const char *near)
{
  if (near != NULL)
    return error_set (r->err, "%s/%.60s: not a member that is known; did you mean \"%s\"?", pointer,
                      name, near);
  return error_set (r->err, "%s/%.60s: not a member that is known", pointer, name);
}

bool
reading_known (struct reading *r, const struct json_node *object, const char *pointer,
               const char *const *known, const char *const *more)
{
  for (const struct json_node *n = json_first (object); n != json_end (object);
       n = json_next (json_next (n))) {
    const char *name = json_cstring (r->tape, n, &r->arena);
    const char *near = NULL;
    if (name == NULL || is_among (name, known) || is_among (name, more)) {
      if (name != NULL)
        continue;
      return unknown (r, pointer, "", NULL);
    }
    near = error_nearest (name, known);
    if (near == NULL && more != NULL)
      near = error_nearest (name, more);
    return unknown (r, pointer, name, near);
  }
  return true;
}

bool
reading_rule (struct reading *r, const char *what, const char *standard, struct guard_rule *rule)
{
  static const char *const actions[] = { "block", "redact", NULL };
  unsigned action = ACTION_BLOCK;

  rule->what = what;
  rule->replacement = xstrdup (standard);
  if (!reading_word (r, "action", actions, &action)
      || !reading_text (r, "replacement", REPLACEMENT_MOST, &rule->replacement))
    return false;
  rule->action = (enum guard_action) action;
  return true;
}
