#include "expr.h"

#include <string.h>

/* ---- paths ---- */

static bool
is_listed (const char *const *list, const char *text, size_t len)
{
  for (; *list != NULL; list++)
    if (strlen (*list) == len && memcmp (*list, text, len) == 0)
      return true;
  return false;
}

/* An endpoint's name may have dots: the longest one that the path begins with. */
static bool
find_endpoint (const struct scope *scope, const struct place *at, struct path *path)
{
  CLEANUP_TEXT struct text name = { 0 };
  size_t taken = 0;

  for (size_t i = 0; i < path->count; i++) {
    text_addf (&name, "%s%s", i != 0 ? "." : "", path->names[i].text);
    if (is_listed (scope->endpoints, text_get (&name), name.len)) {
      path->endpoint = values_text (scope->pool, text_get (&name), name.len);
      taken = i + 1;
    }
  }
  if (taken == 0)
    return problem_unknown (scope->problems, at, "unknown_endpoint", text_get (&name),
                            scope->endpoints, "there is no endpoint \"%s\"", text_get (&name));
  path->names += taken;
  path->count -= taken;
  return true;
}

bool
expr_check_path (const struct scope *scope, const struct place *at, struct path *path)
{
  if (path->root == ROOT_PARAMS && path->count != 0 && scope->params != NULL
      && !is_listed (scope->params, path->names[0].text, path->names[0].len))
    return problem_unknown (scope->problems, at, "unknown_parameter", path->names[0].text,
                            scope->params, "the tool has no parameter \"%s\"", path->names[0].text);
  if (path->root == ROOT_NOW && path->count != 0)
    return problem (scope->problems, at, "bad_template", NULL,
                    "now is a text: nothing is below it");
  if (path->root == ROOT_WEBHOOK && path->count != 0)
    return find_endpoint (scope, at, path);
  return true;
}

/* ---- compiling texts ---- */

static bool
unknown_root (const struct scope *scope, const struct place *at, const char *text, size_t len)
{
  const size_t first = strcspn (text, ". \t\r\n}");
  const char *word = values_text (scope->pool, text, first < len ? first : len);

  return problem_unknown (scope->problems, at, "bad_template", word, root_names,
                          "a template begins with params, user, workflow, agents, flags, tenant, "
                          "history, now, result, webhook or error, not \"%s\"",
                          word);
}

static bool
read_path (struct path *path, const struct scope *scope, const struct place *at, const char *text,
           size_t len)
{
  const char *why;

  if (path_read (path, scope->pool, text, len, ROOTS, &why))
    return expr_check_path (scope, at, path);
  while (len != 0 && memchr (" \t\r\n", *text, 4) != NULL) {
    text++;
    len--;
  }
  if (strcmp (why, "unknown root") == 0)
    return unknown_root (scope, at, text, len);
  return problem (scope->problems, at, "bad_template",
                  "there are no expressions; items of lists are reached by their number: "
                  "params.dishes.0",
                  "%s", why);
}

/* The template at `text`: the length with its brackets; 0: it is none. */
static size_t
template_at (const char *text, size_t len)
{
  const char *end;

  if (len < 4 || memcmp (text, "{{", 2) != 0)
    return 0;
  end = memmem (text + 2, len - 2, "}}", 2);
  return end != NULL ? (size_t) (end - text) + 2 : 0;
}

/* Up to the next template, or to the end. */
static size_t
plain_length (const char *text, size_t len)
{
  size_t n = 0;

  while (n < len && template_at (text + n, len - n) == 0) {
    const char *next = memchr (text + n + 1, '{', len - n - 1);
    n = next != NULL ? (size_t) (next - text) : len;
  }
  return n;
}

struct splitting {
  struct expr_piece pieces[EXPR_PIECES_MAX];
  size_t count, templates;
  bool good;
};

static void
split (struct splitting *s, const struct scope *scope, const struct place *at, const char *text,
       size_t len)
{
  while (len != 0) {
    struct expr_piece *piece = &s->pieces[s->count];
    size_t n = template_at (text, len);

    if (s->count++ == EXPR_PIECES_MAX) {
      s->good = problem (scope->problems, at, "too_long", NULL, "a text has at most %d templates",
                         EXPR_PIECES_MAX / 2);
      return;
    }
    *piece = (struct expr_piece){ 0 };
    if (n != 0) {
      s->good &= read_path (&piece->path, scope, at, text + 2, n - 4);
      s->templates++;
    }
    else {
      n = plain_length (text, len);
      piece->text = text;
      piece->len = n;
    }
    text += n;
    len -= n;
  }
}

static bool
keep_pieces (struct expr *expr, const struct scope *scope, const struct splitting *s)
{
  expr->count = s->count;
  expr->kind = s->count == 1 ? EXPR_PATH : EXPR_PIECES;
  expr->pieces = values_alloc (scope->pool, s->count * sizeof *s->pieces);
  if (expr->pieces == NULL)
    return false;
  memcpy (expr->pieces, s->pieces, s->count * sizeof *s->pieces);
  return true;
}

/* A bare path becomes a template: "params.x". */
static const struct value *
with_brackets (const struct scope *scope, const struct value *source)
{
  CLEANUP_TEXT struct text text = { 0 };
  struct path path;
  const char *why;

  if (!path_read (&path, scope->pool, source->text, source->count, ROOTS, &why)
      || path.root > ROOT_TENANT || (path.count == 0 && path.root != ROOT_PARAMS))
    return source;
  text_addf (&text, "{{%s}}", path.text);
  return value_string (scope->pool, text_get (&text), text.len);
}

static bool
read_text (struct expr *expr, const struct scope *scope, const struct place *at, bool bare)
{
  struct splitting s = { .good = true };

  if (bare)
    expr->source = with_brackets (scope, expr->source);
  if (expr->source->count > EXPR_TEXT_MAX)
    return problem (scope->problems, at, "too_long", NULL, "a text has at most %d bytes",
                    EXPR_TEXT_MAX);
  split (&s, scope, at, expr->source->text, expr->source->count);
  if (!s.good || s.templates == 0)
    return s.good;
  return keep_pieces (expr, scope, &s);
}

/* ---- compiling what holds others ---- */

static const struct value *
source_of (struct expr *expr, const struct scope *scope)
{
  const struct value *whole = expr->source;

  if (whole->type == VALUE_ARRAY) {
    const struct value **items = values_alloc (scope->pool, expr->count * sizeof (void *) + 1);
    for (size_t i = 0; items != NULL && i < expr->count; i++)
      items[i] = expr->parts[i].source;
    return items != NULL ? value_array (scope->pool, items, expr->count) : whole;
  }
  for (size_t i = 0; i < expr->count; i++)
    if (expr->parts[i].source != whole->members[i].value)
      whole = value_with (scope->pool, whole, whole->members[i].name, whole->members[i].len,
                          expr->parts[i].source);
  return whole;
}

static bool
read_parts (struct expr *expr, const struct scope *scope, const struct place *at, bool bare)
{
  const struct value *whole = expr->source;
  const bool list = whole->type == VALUE_ARRAY;
  bool constant = true, good = true;

  expr->parts = values_alloc (scope->pool, whole->count * sizeof *expr->parts + 1);
  if (expr->parts == NULL)
    return false;
  expr->count = whole->count;
  for (size_t i = 0; i < whole->count; i++) {
    const struct place part = { at, list ? NULL : whole->members[i].name, i };
    good &= expr_read (&expr->parts[i], scope, &part,
                       list ? whole->items[i] : whole->members[i].value, bare);
    constant &= expr->parts[i].kind == EXPR_CONSTANT;
  }
  if (!constant) {
    expr->kind = list ? EXPR_ITEMS : EXPR_MEMBERS;
    expr->source = source_of (expr, scope);
  }
  return good;
}

bool
expr_read (struct expr *expr, const struct scope *scope, const struct place *at,
           const struct value *source, bool bare)
{
  *expr = (struct expr){ .kind = EXPR_CONSTANT, .source = source };
  if (source->type == VALUE_STRING)
    return read_text (expr, scope, at, bare);
  if (source->type == VALUE_ARRAY || source->type == VALUE_OBJECT)
    return read_parts (expr, scope, at, bare);
  return true;
}

/* ---- values ---- */

void
expr_embed (struct text *out, const struct value *value)
{
  CLEANUP_TEXT struct text json = { 0 };

  if (value == NULL || value->type == VALUE_NULL)
    return;
  if (value->type == VALUE_STRING) {
    text_add_len (out, value->text, value->count);
    return;
  }
  value_write (&json, value);
  text_add_len (out, text_get (&json), json.len);
}

enum { GROWN_MAX = 1 << 20 /* bytes of a text that was put together */ };

static const struct value *
text_value (const struct expr *expr, const struct lookup *lookup)
{
  CLEANUP_TEXT struct text text = { 0 };
  const struct value *value;

  for (size_t i = 0; i < expr->count; i++) {
    const struct expr_piece *piece = &expr->pieces[i];
    if (piece->text != NULL)
      text_add_len (&text, piece->text, piece->len);
    else if (text.len < GROWN_MAX)
      expr_embed (&text, lookup->find (lookup->ctx, &piece->path));
  }
  value = value_string (lookup->pool, text_get (&text), text.len);
  if (!text_ok (&text))
    lookup->pool->failed = true;
  return value;
}

static const struct value *
items_value (const struct expr *expr, const struct lookup *lookup)
{
  const struct value **items = values_alloc (lookup->pool, expr->count * sizeof (void *) + 1);

  for (size_t i = 0; items != NULL && i < expr->count; i++)
    items[i] = expr_value (&expr->parts[i], lookup);
  return items != NULL ? value_array (lookup->pool, items, expr->count) : &value_null;
}

static const struct value *
members_value (const struct expr *expr, const struct lookup *lookup)
{
  struct value_member *members = values_alloc (lookup->pool, expr->count * sizeof *members + 1);

  for (size_t i = 0; members != NULL && i < expr->count; i++) {
    members[i] = expr->source->members[i];
    members[i].value = expr_value (&expr->parts[i], lookup);
  }
  return members != NULL ? value_object (lookup->pool, members, expr->count) : &value_null;
}

const struct value *
expr_value (const struct expr *expr, const struct lookup *lookup)
{
  const struct value *found;

  switch (expr->kind) {
  case EXPR_PATH:
    found = lookup->find (lookup->ctx, &expr->pieces[0].path);
    return found != NULL ? found : &value_null;
  case EXPR_PIECES:
    return text_value (expr, lookup);
  case EXPR_ITEMS:
    return items_value (expr, lookup);
  case EXPR_MEMBERS:
    return members_value (expr, lookup);
  default:
    return expr->source;
  }
}
