#include "trim.h"

#include <string.h>
#include <strings.h>

#include "../common/percent.h"

/* ---- a part ---- */

static const struct value *
point (const struct value *value, const char *pointer)
{
  while (value != NULL && *pointer == '/') {
    const size_t len = strcspn (++pointer, "/");
    size_t index = 0, digits = 0;
    if (value->type == VALUE_OBJECT)
      value = value_get (value, pointer, len);
    else if (value->type == VALUE_ARRAY) {
      for (; digits < len && digits < 9 && pointer[digits] >= '0' && pointer[digits] <= '9';
           digits++)
        index = index * 10 + (size_t) (pointer[digits] - '0');
      value = digits == len && len != 0 && index < value->count ? value->items[index] : NULL;
    }
    else
      value = NULL;
    pointer += len;
  }
  return value;
}

/* ---- members ---- */

static const struct value *
keep_fields (const struct value *object, const struct value *fields, struct values *pool)
{
  const struct value *kept = &value_no_members;

  if (object->type != VALUE_OBJECT)
    return object;
  for (size_t i = 0; i < fields->count; i++) {
    const struct value *member =
      value_get (object, fields->items[i]->text, fields->items[i]->count);
    if (member != NULL)
      kept = value_with (pool, kept, fields->items[i]->text, fields->items[i]->count, member);
  }
  return kept;
}

static const struct value *
keep_everywhere (const struct value *value, const struct value *fields, struct values *pool)
{
  const struct value **items;

  if (value->type != VALUE_ARRAY)
    return keep_fields (value, fields, pool);
  items = values_alloc (pool, value->count * sizeof *items + 1);
  for (size_t i = 0; items != NULL && i < value->count; i++)
    items[i] = keep_fields (value->items[i], fields, pool);
  return items != NULL ? value_array (pool, items, value->count) : value;
}

/* ---- bytes ---- */

static const struct value *
first_items (const struct value *list, size_t count, struct values *pool)
{
  return value_array (pool, list->items, count);
}

/* The list that is cut: the value itself, or its longest one. */
static const struct value_member *
longest_list (const struct value *object)
{
  const struct value_member *found = NULL;

  for (size_t i = 0; object->type == VALUE_OBJECT && i < object->count; i++)
    if (object->members[i].value->type == VALUE_ARRAY
        && (found == NULL || object->members[i].value->count > found->value->count))
      found = &object->members[i];
  return found;
}

static const struct value *
with_items (const struct value *value, const struct value_member *member, size_t count,
            struct values *pool)
{
  if (member == NULL)
    return first_items (value, count, pool);
  return value_with (pool, value, member->name, member->len,
                     first_items (member->value, count, pool));
}

/* As many of the first items as fit. */
static const struct value *
cut (const struct value *value, size_t max, struct values *pool, struct text *note)
{
  const struct value_member *member = longest_list (value);
  const struct value *list = member != NULL ? member->value : value;
  size_t least = 0, most;

  if (value_fits (value, max))
    return value;
  if (list->type != VALUE_ARRAY || !value_fits (with_items (value, member, 0, pool), max))
    return NULL;
  for (most = list->count; most - least > 1;) {
    const size_t middle = least + (most - least) / 2;
    if (value_fits (with_items (value, member, middle, pool), max))
      least = middle;
    else
      most = middle;
  }
  text_addf (note, "Of %zu items%s%s the first %zu are told: an answer has at most %zu bytes.\n",
             list->count, member != NULL ? " in " : "", member != NULL ? member->name : "", least,
             max);
  return with_items (value, member, least, pool);
}

const struct value *
trim_answer (const struct trim *trim, const struct value *answer, struct values *pool,
             struct text *note)
{
  const struct value *part = trim->pointer != NULL ? point (answer, trim->pointer) : answer;

  if (part == NULL) {
    text_addf (note, "The answer has no %s; it is told whole.\n", trim->pointer);
    part = answer;
  }
  if (trim->fields != NULL)
    part = keep_everywhere (part, trim->fields, pool);
  return cut (part, trim->max_bytes, pool, note);
}

/* ---- is there more? ---- */

/* The URL of the link that is called "next" (RFC 8288). */
static const char *
find_next (const char *link, size_t *len)
{
  for (const char *at = strchr (link, '<'); at != NULL; at = strchr (at, '<')) {
    const char *end = strchr (at, '>'), *stop;
    if (end == NULL)
      return NULL;
    stop = strchr (end, '<');
    for (const char *rel = strstr (end, "rel="); rel != NULL && (stop == NULL || rel < stop);
         rel = strstr (rel + 4, "rel="))
      if (strncasecmp (rel + 4, "\"next\"", 6) == 0 || strncasecmp (rel + 4, "next", 4) == 0) {
        *len = (size_t) (end - at) - 1;
        return at + 1;
      }
    at = end;
  }
  return NULL;
}

static const struct param *
find_query (const struct operation *op, const char *name)
{
  for (size_t i = 0; i < op->params_count; i++)
    if (op->params[i].in == IN_QUERY && strcmp (op->params[i].name, name) == 0)
      return &op->params[i];
  return NULL;
}

/* As queries are read: '+' is a blank. */
static void
decode_query (struct text *out, const char *text, size_t len)
{
  for (size_t from = 0, i = 0; i <= len; i++)
    if (i == len || text[i] == '+') {
      percent_decode (out, text + from, i - from);
      text_add (out, i < len ? " " : "");
      from = i + 1;
    }
}

/* One "name=value" of the link, if it is an argument. */
static bool
add_argument (const struct operation *op, const char *pair, size_t len, bool first,
              struct text *note)
{
  CLEANUP_TEXT struct text name = { 0 }, value = { 0 };
  const char *equals = memchr (pair, '=', len);
  const struct param *param;

  if (equals == NULL)
    return false;
  decode_query (&name, pair, (size_t) (equals - pair));
  decode_query (&value, equals + 1, len - (size_t) (equals - pair) - 1);
  param = find_query (op, text_get (&name));
  if (param == NULL)
    return false;
  text_addf (note, "%s%s = ", first ? "" : ", ", param->argument);
  text_add_line (note, text_get (&value), value.len);
  return true;
}

static void
say_link (const struct operation *op, const char *url, size_t len, struct text *note)
{
  const char *end = url + len, *mark = memchr (url, '?', len);
  bool any = false;

  text_add (note, "There is more: call it again with ");
  for (const char *at = mark != NULL ? mark + 1 : end; at < end;) {
    const char *next = memchr (at, '&', (size_t) (end - at));
    next = next != NULL ? next : end;
    any = add_argument (op, at, (size_t) (next - at), !any, note) || any;
    at = next + 1;
  }
  if (!any)
    text_add_line (note, url, len);
  text_add (note, ".\n");
}

static bool
is_next (const char *name)
{
  static const char *const names[] = {
    "next",        "next_page",       "nextPage",   "next_page_token", "nextPageToken",
    "next_cursor", "nextCursor",      "next_token", "nextToken",       "next_url",
    "nextLink",    "@odata.nextLink", "end_cursor", "endCursor",       "continuation"
  };

  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp (names[i], name) == 0)
      return true;
  return false;
}

static bool
is_within (const char *name)
{
  static const char *const names[] = { "meta",   "pagination",        "paging",  "page", "links",
                                       "_links", "response_metadata", "pageInfo" };

  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp (names[i], name) == 0)
      return true;
  return false;
}

/* Members that name the next page, here and in what answers keep such members in. */
static void
say_members (const struct value *object, unsigned depth, struct text *note)
{
  for (size_t i = 0; value_is (object, VALUE_OBJECT) && i < object->count; i++) {
    const char *name = object->members[i].name;
    const struct value *value = object->members[i].value;
    if (is_next (name)
        && ((value->type == VALUE_STRING && value->count != 0) || value->type == VALUE_NUMBER)) {
      text_addf (note, "There is more: %s is ", name);
      text_add_line (note, value->text, value->count);
      text_add (note, ".\n");
    }
    else if (strcmp (name, "has_more") == 0 && value->type == VALUE_TRUE)
      text_add (note, "There is more: has_more is true.\n");
    else if (depth == 0 && is_within (name))
      say_members (value, depth + 1, note);
  }
}

void
trim_say_more (const struct operation *op, const struct value *answer, const char *link,
               struct text *note)
{
  size_t len = 0;
  const char *next = link != NULL ? find_next (link, &len) : NULL;

  if (next != NULL)
    say_link (op, next, len, note);
  say_members (answer, 0, note);
}
