#include "front/rest/params.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_tape.h"
#include "front/http/target.h"

enum { PARAMS_MAX = 32, WORDS_MAX = 16, NAME_MAX_BYTES = 64 };

enum kind { PARAM_TEXT, PARAM_WORD, PARAM_BOOLEAN, PARAM_INTEGER };

static const char bad[] = "bad_parameter";

struct param {
  const char *name;
  const char *code; /* of the refusal of what is not of its form */
  enum kind kind;
  int64_t min, max;         /* PARAM_INTEGER: of the value; PARAM_TEXT: of its bytes */
  const char *const *words; /* PARAM_WORD: ended by NULL */
};

struct list {
  struct param *params;
  size_t count;
};

struct params {
  struct arena arena;
  struct list *lists; /* by the number of the route */
};

/* ---- what the document says ---- */

static const struct json_node *
resolve (const struct json_tape *tape, const struct json_node *node, struct arena *arena)
{
  const char *ref = json_cstring (tape, json_member (tape, node, "$ref"), arena);

  return ref == NULL ? node : json_pointer (tape, json_root (tape), ref + 1, strlen (ref + 1));
}

static int64_t
bound (const struct json_tape *tape, const struct json_node *schema, const char *name,
       int64_t without)
{
  int64_t value;

  return json_int64 (tape, json_member (tape, schema, name), &value) ? value : without;
}

static void
read_words (struct param *p, const struct json_tape *tape, const struct json_node *list,
            struct arena *arena)
{
  const char **words = arena_alloc (arena, (list->count + 1) * sizeof *words);
  size_t count = 0;

  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n))
    words[count++] = json_cstring (tape, n, arena);
  words[count] = NULL;
  p->kind = PARAM_WORD;
  p->words = words;
}

static struct param
read_param (const struct json_tape *tape, const struct json_node *node, struct arena *arena)
{
  const struct json_node *schema = resolve (tape, json_member (tape, node, "schema"), arena);
  const struct json_node *type = json_member (tape, schema, "type");
  const struct json_node *words = json_member (tape, schema, "enum");
  struct param p = { .name = json_cstring (tape, json_member (tape, node, "name"), arena) };

  p.code = json_cstring (tape, json_member (tape, node, "x-error-code"), arena);
  if (p.code == NULL)
    p.code = bad;
  if (words != NULL)
    read_words (&p, tape, words, arena);
  else if (json_equals (tape, type, "boolean"))
    p.kind = PARAM_BOOLEAN;
  else if (json_equals (tape, type, "integer")) {
    p.kind = PARAM_INTEGER;
    p.min = bound (tape, schema, "minimum", INT64_MIN);
    p.max = bound (tape, schema, "maximum", INT64_MAX);
  }
  else {
    p.min = bound (tape, schema, "minLength", 0);
    p.max = bound (tape, schema, "maxLength", INT64_MAX);
  }
  return p;
}

static void
read_list (struct list *list, const struct json_tape *tape, const struct json_node *all,
           struct arena *arena)
{
  list->params = arena_alloc (arena, (all->count + 1) * sizeof *list->params);
  for (const struct json_node *n = json_first (all); n != json_end (all); n = json_next (n)) {
    const struct json_node *node = resolve (tape, n, arena);
    if (json_equals (tape, json_member (tape, node, "in"), "query"))
      list->params[list->count++] = read_param (tape, node, arena);
  }
}

static const struct json_node *
operation_of (const struct json_tape *tape, const struct route *route)
{
  const struct json_node *path =
    json_member (tape, json_member (tape, json_root (tape), "paths"), route->pattern);

  if (path == NULL)
    return NULL;
  for (const struct json_node *n = json_first (path); n != json_end (path);
       n = json_next (json_next (n)))
    if (json_equals (tape, json_member (tape, json_next (n), "operationId"), route->operation))
      return json_next (n);
  return NULL;
}

struct params *
params_new (const struct buf *document, const struct route *routes, size_t count)
{
  struct params *params = xcalloc (1, sizeof *params);
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  params->lists = xcalloc (count, sizeof *params->lists);
  if (!json_read (&tape, document->data, document->len, &json_default_limits, &arena))
    abort (); /* we have written it */
  for (size_t i = 0; i < count; i++) {
    const struct json_node *all =
      json_member (&tape, operation_of (&tape, &routes[i]), "parameters");
    if (all != NULL)
      read_list (&params->lists[i], &tape, all, &params->arena);
  }
  return params;
}

void
params_free (struct params *params)
{
  if (params == NULL)
    return;
  arena_free (&params->arena);
  free (params->lists);
  free (params);
}

/* ---- what a request says ---- */

static bool
refuse (struct http_exchange *x, const char *code, const char *name, const char *what)
{
  http_reply_error (x, 400, code, "%.80s: %s", name, what);
  return false;
}

static bool
refuse_unknown (const struct list *list, struct http_exchange *x, const char *name)
{
  const char *names[PARAMS_MAX + 1] = { NULL }, *near;
  CLEANUP_BUF struct buf what = { 0 };

  for (size_t i = 0; i < list->count && i < PARAMS_MAX; i++)
    names[i] = list->params[i].name;
  near = strlen (name) < NAME_MAX_BYTES ? error_nearest (name, names) : NULL;
  buf_puts (&what, "unknown parameter; ");
  if (near != NULL)
    buf_printf (&what, "did you mean %s?", near);
  else
    buf_puts (&what, list->count == 0 ? "this path takes none" : "known are ");
  for (size_t i = 0; near == NULL && i < list->count; i++)
    buf_printf (&what, "%s%s", i == 0 ? "" : ", ", list->params[i].name);
  return refuse (x, bad, name, buf_cstr (&what));
}

static bool
refuse_word (const struct param *p, struct http_exchange *x)
{
  CLEANUP_BUF struct buf what = { 0 };

  buf_puts (&what, "expected one of ");
  for (const char *const *word = p->words; *word != NULL; word++)
    buf_printf (&what, "%s%s", word == p->words ? "" : ", ", *word);
  return refuse (x, p->code, p->name, buf_cstr (&what));
}

static bool
refuse_bounds (const struct param *p, struct http_exchange *x, const char *of)
{
  CLEANUP_BUF struct buf what = { 0 };

  buf_printf (&what, "expected %s", of);
  if (p->max == INT64_MAX)
    buf_printf (&what, " from %lld on", (long long) p->min);
  else
    buf_printf (&what, " from %lld to %lld", (long long) p->min, (long long) p->max);
  return refuse (x, p->code, p->name, buf_cstr (&what));
}

/* Decimal, of up to 18 digits. */
static bool
read_integer (struct slice text, int64_t *value)
{
  size_t at = text.len != 0 && text.data[0] == '-';

  *value = 0;
  if (at == text.len || text.len - at > 18)
    return false;
  for (size_t i = at; i < text.len; i++) {
    if (text.data[i] < '0' || text.data[i] > '9')
      return false;
    *value = *value * 10 + (text.data[i] - '0');
  }
  if (at != 0)
    *value = -*value;
  return true;
}

static bool
is_word (const struct param *p, struct slice value)
{
  for (const char *const *word = p->words; *word != NULL; word++)
    if (slice_is (value, *word))
      return true;
  return false;
}

static bool
check_value (const struct param *p, struct http_exchange *x, struct slice value)
{
  int64_t number;

  if (!utf8_valid (value.data, value.len) || memchr (value.data, '\0', value.len) != NULL)
    return refuse (x, p->code, p->name, "expected UTF-8 without U+0000");
  switch (p->kind) {
  case PARAM_WORD:
    return is_word (p, value) || refuse_word (p, x);
  case PARAM_BOOLEAN:
    return slice_is (value, "true") || slice_is (value, "false")
           || refuse (x, p->code, p->name, "expected true or false");
  case PARAM_INTEGER:
    return (read_integer (value, &number) && number >= p->min && number <= p->max)
           || refuse_bounds (p, x, "a number");
  case PARAM_TEXT:
    break;
  }
  return ((int64_t) value.len >= p->min && (int64_t) value.len <= p->max)
         || refuse_bounds (p, x, "a text whose bytes are");
}

static size_t
find (const struct list *list, struct slice name)
{
  size_t i = 0;

  while (i < list->count && !slice_is (name, list->params[i].name))
    i++;
  return i;
}

bool
params_check (const struct params *params, size_t at, struct http_exchange *x)
{
  const struct http_request *request = http_request (x);
  const struct list *list = &params->lists[at];
  struct slice name, value;
  uint32_t seen = 0;

  for (size_t next = 0; http_query_next (request->query, &next, &name, &value, request->arena);) {
    const size_t i = find (list, name);
    if (i == list->count)
      return refuse_unknown (list, x, arena_strndup (request->arena, name.data, name.len));
    if ((seen & 1U << i) != 0)
      return refuse (x, bad, list->params[i].name, "stands twice");
    seen |= 1U << i;
    if (!check_value (&list->params[i], x, value))
      return false;
  }
  return true;
}
