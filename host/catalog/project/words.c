/* What a keyword says, in words: for the description of a schema whose reader does not take the
 * keyword. */
#include <string.h>

#include "catalog/project/walk.h"

enum { RAW_MAX = 300 }; /* bytes of a value that is worth repeating */

/* ---- bounds: two keywords that make one phrase ---- */

static const struct bound {
  const char *least, *most;
  const char *least_words, *most_words;
  const char *one, *many; /* what is counted; "" for the value itself */
} bounds[] = {
  { "minLength", "maxLength", "at least ", "at most ", " character", " characters" },
  { "minItems", "maxItems", "at least ", "at most ", " item", " items" },
  { "minProperties", "maxProperties", "at least ", "at most ", " property", " properties" },
  { "minContains", "maxContains", "at least ", "at most ", " such item", " such items" },
  { "minimum", "maximum", "at least ", "at most ", "", "" },
  { "exclusiveMinimum", "exclusiveMaximum", "more than ", "less than ", "", "" },
};

static void
separate (struct buf *out)
{
  if (out->len != 0)
    buf_puts (out, ", ");
}

static void
put_raw (const struct walk *k, const struct json_node *value, struct buf *out)
{
  size_t len;
  const char *raw = json_raw (k->tape, value, &len);

  buf_append (out, raw, len);
}

/* Is the keyword one of those that go to the description? */
static bool
is_described (const struct walk *k, const struct view *v, const char *keyword)
{
  struct keyword w = { .text = keyword,
                       .len = strlen (keyword),
                       .value = view_member (k, v, keyword),
                       .fact = keyword_fact (keyword, strlen (keyword)) };

  return w.value != NULL && walk_action (k, v, &w) == KEYWORD_DESCRIBE;
}

/* "at least 1, at most 200 characters": what is counted stands after the last figure. */
static void
put_bound (const struct walk *k, const struct bound *b, const struct json_node *value, bool least,
           bool more, struct buf *out)
{
  int64_t number;

  separate (out);
  buf_puts (out, least ? b->least_words : b->most_words);
  put_raw (k, value, out);
  if (!more)
    buf_puts (out, json_int64 (k->tape, value, &number) && number == 1 ? b->one : b->many);
}

static bool
add_bound (struct walk *k, const struct view *v, const struct keyword *w, struct buf *out)
{
  for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
    const struct bound *b = &bounds[i];
    bool least = strcmp (w->text, b->least) == 0;
    bool pair = is_described (k, v, b->least) && is_described (k, v, b->most);
    if (!least && strcmp (w->text, b->most) != 0)
      continue;
    if (least || !pair)
      put_bound (k, b, w->value, least, pair, out);
    if (least && pair)
      put_bound (k, b, view_member (k, v, b->most), false, false, out);
    return true;
  }
  return false;
}

/* ---- the others ---- */

static const struct {
  const char *keyword;
  const char *words; /* the value follows */
} phrases[] = {
  { "multipleOf", "a multiple of " },
  { "pattern", "matching the regular expression " },
  { "format", "in the format " },
  { "default", "default " },
  { "const", "always " },
};

static bool
add_phrase (struct walk *k, const struct keyword *w, struct buf *out)
{
  for (size_t i = 0; i < sizeof phrases / sizeof phrases[0]; i++)
    if (strcmp (w->text, phrases[i].keyword) == 0) {
      separate (out);
      buf_puts (out, phrases[i].words);
      put_raw (k, w->value, out);
      return true;
    }
  return false;
}

static bool
add_list (struct walk *k, const struct keyword *w, struct buf *out)
{
  const char *words = strcmp (w->text, "enum") == 0       ? "one of "
                      : strcmp (w->text, "examples") == 0 ? "for example "
                                                          : NULL;

  if (words == NULL || !json_is (w->value, JSON_ARRAY) || w->value->count == 0)
    return false;
  separate (out);
  buf_puts (out, words);
  for (const struct json_node *n = json_first (w->value); n != json_end (w->value);
       n = json_next (n)) {
    if (n != json_first (w->value))
      buf_puts (out, ", ");
    put_raw (k, n, out);
  }
  return true;
}

static bool
add_unique (const struct keyword *w, struct buf *out)
{
  if (strcmp (w->text, "uniqueItems") != 0)
    return false;
  if (json_is (w->value, JSON_TRUE)) {
    separate (out);
    buf_puts (out, "no two items alike");
  }
  return true;
}

/* ---- unions of sets of required properties ---- */

/* "(a, b)": the names of one set. */
static void
put_set (struct walk *k, const struct json_node *required, struct buf *out)
{
  buf_putc (out, '(');
  for (const struct json_node *n = json_first (required); n != json_end (required);
       n = json_next (n)) {
    size_t len;
    const char *name = json_string (k->tape, n, &k->arena, &len);
    if (n != json_first (required))
      buf_puts (out, ", ");
    buf_append (out, name, name != NULL ? len : 0);
  }
  buf_putc (out, ')');
}

static bool
add_sets (struct walk *k, const struct keyword *w, struct buf *out)
{
  bool unions = (w->fact->group & SHOW_UNIONS) != 0 && json_is (w->value, JSON_ARRAY);

  for (const struct json_node *n = unions ? json_first (w->value) : NULL;
       n != NULL && n != json_end (w->value); n = json_next (n))
    unions = unions && json_is (json_member (k->tape, n, "required"), JSON_ARRAY) && n->count == 1;
  if (!unions)
    return false;
  separate (out);
  buf_puts (out, w->fact->group == SHOW_ONE_OF ? "with exactly one of these sets of properties: "
                                               : "with at least one of these sets of properties: ");
  for (const struct json_node *n = json_first (w->value); n != json_end (w->value);
       n = json_next (n)) {
    buf_puts (out, n != json_first (w->value) ? " or " : "");
    put_set (k, json_member (k->tape, n, "required"), out);
  }
  return true;
}

bool
walk_words (struct walk *k, const struct view *v, const struct keyword *w, struct buf *out)
{
  size_t len;
  const char *raw = json_raw (k->tape, w->value, &len);

  if (len > RAW_MAX)
    return false;
  if (add_bound (k, v, w, out) || add_phrase (k, w, out) || add_list (k, w, out)
      || add_unique (w, out) || add_sets (k, w, out))
    return true;
  if (memmem (raw, len, "\"$ref\"", 6) != NULL)
    return false;
  separate (out);
  buf_printf (out, "as JSON Schema {\"%s\":%.*s}", w->text, (int) len, raw);
  return true;
}
