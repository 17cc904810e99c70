#include "path.h"

#include <stdlib.h>
#include <string.h>

const char *const root_names[ROOTS + 1] = {
  [ROOT_PARAMS] = "params", [ROOT_USER] = "user",       [ROOT_WORKFLOW] = "workflow",
  [ROOT_AGENTS] = "agents", [ROOT_FLAGS] = "flags",     [ROOT_TENANT] = "tenant",
  [ROOT_NOW] = "now",       [ROOT_HISTORY] = "history", [ROOT_RESULT] = "result",
  [ROOT_ERROR] = "error",   [ROOT_WEBHOOK] = "webhook",
};

bool
path_is_name (const char *text, size_t len, size_t max)
{
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";

  for (size_t i = 0; i < len; i++)
    if (memchr (plain, text[i], sizeof plain - 1) == NULL)
      return false;
  return len != 0 && len <= max;
}

static enum root
root_of (const char *text, size_t len)
{
  for (int i = 0; i < ROOTS; i++)
    if (strlen (root_names[i]) == len && memcmp (root_names[i], text, len) == 0)
      return (enum root) i;
  return ROOTS;
}

/* Names are made of what is no blank, control character, bracket or quote. */
static bool
is_good_name (const char *text, size_t len)
{
  for (size_t i = 0; i < len; i++)
    if ((unsigned char) text[i] <= ' ' || memchr ("{}[]()<>\"'`|+*/\\,;:=!?&%$#@^~", text[i], 30))
      return false;
  return len != 0 && len <= PATH_NAME_MAX;
}

static size_t
first_name (const char *text, size_t len)
{
  const char *dot = memchr (text, '.', len);

  return dot != NULL ? (size_t) (dot - text) : len;
}

static void
trim (const char **text, size_t *len)
{
  while (*len != 0 && memchr (" \t\r\n", **text, 4) != NULL) {
    ++*text;
    --*len;
  }
  while (*len != 0 && memchr (" \t\r\n", (*text)[*len - 1], 4) != NULL)
    --*len;
}

static bool
read_names (struct path *path, struct values *pool, const char *text, size_t len, const char **why)
{
  struct path_name names[PATH_NAMES_MAX];
  bool more = len != 0;

  while (more) {
    const size_t name = first_name (text, len);
    if (path->count == PATH_NAMES_MAX) {
      *why = "a path has at most 16 names";
      return false;
    }
    if (!is_good_name (text, name)) {
      *why = "expected a path, names with dots between them";
      return false;
    }
    names[path->count++] = (struct path_name){ values_text (pool, text, name), name };
    more = name < len;
    text += name + more;
    len -= name + more;
  }
  path->names = values_alloc (pool, path->count * sizeof *names);
  if (path->names != NULL && path->count != 0)
    memcpy (path->names, names, path->count * sizeof *names);
  return path->names != NULL;
}

static const char *
whole_text (struct values *pool, const char *text, size_t len, const char *root)
{
  CLEANUP_TEXT struct text whole = { 0 };

  if (root != NULL)
    text_addf (&whole, "%s.", root);
  text_add_len (&whole, text, len);
  return values_text (pool, text_get (&whole), whole.len);
}

bool
path_read (struct path *path, struct values *pool, const char *text, size_t len,
           enum root otherwise, const char **why)
{
  size_t first;
  bool rooted;

  *path = (struct path){ .root = ROOTS };
  *why = "expected a path, names with dots between them";
  trim (&text, &len);
  if (len == 0 || len > PATH_MAX_LEN)
    return false;
  first = first_name (text, len);
  path->root = root_of (text, first);
  rooted = path->root != ROOTS;
  if (!rooted && otherwise == ROOTS)
    *why = "unknown root";
  if (!rooted)
    path->root = otherwise;
  if (path->root == ROOTS)
    return false;
  path->text = whole_text (pool, text, len, rooted ? NULL : root_names[otherwise]);
  if (rooted && first == len)
    return true;
  if (rooted && first + 1 == len)
    return false; /* "params." */
  return read_names (path, pool, text + (rooted ? first + 1 : 0), len - (rooted ? first + 1 : 0),
                     why);
}

static const struct value *
item_at (const struct value *array, const struct path_name *name)
{
  char *end;
  unsigned long index = strtoul (name->text, &end, 10);

  if (*end != '\0' || name->text[0] < '0' || name->text[0] > '9' || index >= array->count)
    return NULL;
  return array->items[index];
}

const struct value *
path_follow (const struct path *path, const struct value *at)
{
  for (size_t i = 0; at != NULL && i < path->count; i++)
    at = value_is (at, VALUE_ARRAY) ? item_at (at, &path->names[i])
                                    : value_get (at, path->names[i].text, path->names[i].len);
  return at;
}
