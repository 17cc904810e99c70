/* JSON text as values, read strictly: what value_parse says. */
#include <stdlib.h>
#include <string.h>

#include "json_scan.h"
#include "utf8.h"
#include "value.h"

static const struct value *parse (struct values *pool, struct json_scan *scan, unsigned depth);

static size_t
span_digits (const char *text, size_t len)
{
  size_t n = 0;

  while (n < len && text[n] >= '0' && text[n] <= '9')
    n++;
  return n;
}

/* RFC 8259, section 6. */
static bool
is_number (const char *text, size_t len)
{
  size_t at = len != 0 && text[0] == '-', n = span_digits (text + at, len - at);

  if (n == 0 || (n > 1 && text[at] == '0'))
    return false;
  at += n;
  if (at < len && text[at] == '.') {
    n = span_digits (text + at + 1, len - at - 1);
    if (n == 0)
      return false;
    at += n + 1;
  }
  if (at < len && (text[at] == 'e' || text[at] == 'E')) {
    at++;
    at += at < len && (text[at] == '+' || text[at] == '-');
    n = span_digits (text + at, len - at);
    if (n == 0)
      return false;
    at += n;
  }
  return at == len;
}

enum { NUMBER_MAX = 400 /* bytes */ };

/* A number or a word. */
static const struct value *
parse_plain (struct values *pool, struct json_scan *scan)
{
  const char *from = scan->at;
  size_t len = 0;

  while (from + len < scan->end && memchr ("{}[],:\" \t\r\n", from[len], 11) == NULL)
    len++;
  scan->at += len;
  if (len == 4 && memcmp (from, "null", 4) == 0)
    return &value_null;
  if (len == 4 && memcmp (from, "true", 4) == 0)
    return &value_true;
  if (len == 5 && memcmp (from, "false", 5) == 0)
    return &value_false;
  return len <= NUMBER_MAX && is_number (from, len) ? value_number_text (pool, from, len) : NULL;
}

/* Before a further item or member there is a comma, and behind one there is one. */
static bool
next_comes (struct json_scan *scan, size_t count, char close)
{
  char c = json_scan_peek (scan);

  if (c == close || (c == ',') != (count != 0))
    return false;
  scan->at += c == ',';
  return json_scan_peek (scan) != close;
}

struct growing {
  void *data;
  size_t count, room;
};

static bool
grow (struct growing *list, size_t item)
{
  size_t room = list->room != 0 ? 2 * list->room : 8;
  void *data;

  if (list->count < list->room)
    return true;
  data = realloc (list->data, room * item);
  if (data == NULL)
    return false;
  list->data = data;
  list->room = room;
  return true;
}

static const struct value *
parse_array (struct values *pool, struct json_scan *scan, unsigned depth)
{
  struct growing list = { 0 };
  const struct value *item = &value_null, *array = NULL;

  scan->at++;
  while (item != NULL && next_comes (scan, list.count, ']')) {
    item = grow (&list, sizeof item) ? parse (pool, scan, depth + 1) : NULL;
    if (item != NULL)
      ((const struct value **) list.data)[list.count++] = item;
  }
  if (item != NULL && json_scan_peek (scan) == ']' && scan->at[-1] != ',') {
    scan->at++;
    array = value_array (pool, list.data, list.count);
  }
  free (list.data);
  return array;
}

static int
by_name (const void *a, const void *b)
{
  return strcmp ((*(const struct value_member *const *) a)->name,
                 (*(const struct value_member *const *) b)->name);
}

/* No name twice, none with U+0000 or that is no UTF-8. */
static bool
names_differ (const struct value_member *members, size_t count)
{
  const struct value_member **sorted = count != 0 ? calloc (count, sizeof (void *)) : NULL;
  bool differ = sorted != NULL || count == 0;

  for (size_t i = 0; differ && i < count; i++) {
    sorted[i] = &members[i];
    differ =
      strlen (members[i].name) == members[i].len && utf8_valid (members[i].name, members[i].len);
  }
  if (differ && count > 1)
    qsort (sorted, count, sizeof *sorted, by_name);
  for (size_t i = 1; differ && i < count; i++)
    differ = strcmp (sorted[i - 1]->name, sorted[i]->name) != 0;
  free (sorted);
  return differ;
}

static bool
parse_member (struct values *pool, struct json_scan *scan, unsigned depth,
              struct value_member *member)
{
  CLEANUP_TEXT struct text name = { 0 };

  if (!json_scan_string (scan, &name) || json_scan_peek (scan) != ':')
    return false;
  scan->at++;
  *member = (struct value_member){ .name = values_text (pool, text_get (&name), name.len),
                                   .len = name.len,
                                   .value = parse (pool, scan, depth + 1) };
  return member->value != NULL;
}

static const struct value *
parse_object (struct values *pool, struct json_scan *scan, unsigned depth)
{
  struct growing list = { 0 };
  const struct value *object = NULL;
  bool good = true;

  scan->at++;
  while (good && next_comes (scan, list.count, '}')) {
    good = grow (&list, sizeof (struct value_member))
           && parse_member (pool, scan, depth, (struct value_member *) list.data + list.count);
    list.count += good;
  }
  if (good && json_scan_peek (scan) == '}' && scan->at[-1] != ','
      && names_differ (list.data, list.count)) {
    scan->at++;
    object = value_object (pool, list.data, list.count);
  }
  free (list.data);
  return object;
}

static const struct value *
parse_string (struct values *pool, struct json_scan *scan)
{
  CLEANUP_TEXT struct text text = { 0 };

  if (!json_scan_string (scan, &text) || !utf8_valid (text_get (&text), text.len))
    return NULL;
  return value_string (pool, text_get (&text), text.len);
}

static const struct value *
parse (struct values *pool, struct json_scan *scan, unsigned depth)
{
  if (depth > VALUE_DEPTH_MAX || pool->failed)
    return NULL;
  switch (json_scan_peek (scan)) {
  case '{':
    return parse_object (pool, scan, depth);
  case '[':
    return parse_array (pool, scan, depth);
  case '"':
    return parse_string (pool, scan);
  default:
    return parse_plain (pool, scan);
  }
}

const struct value *
value_parse (struct values *pool, const char *text, size_t len)
{
  struct json_scan scan = { text, text + len };
  const struct value *value = parse (pool, &scan, 0);

  (void) json_scan_peek (&scan);
  return scan.at == scan.end && !pool->failed ? value : NULL;
}
