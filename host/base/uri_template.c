#include "base/uri_template.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_tape.h"
#include "base/json_write.h"

enum {
  PARTS_MAX = 32,
  VARIABLES_MAX = 32,
  STEPS_MAX = 50000 /* of one match: tries of where an expression might end */
};

struct text {
  const char *at;
  size_t len;
};

/* How the expressions of an operator look (RFC 6570, appendix A). */
static const struct operator
{
  char sign;         /* '\0': none */
  char first;        /* what its expansion begins with; '\0': nothing */
  char between;      /* its values */
  bool named;        /* name=value */
  const char *never; /* characters that can't stand in it */
}
operators[] = {
  { '\0', '\0', ',', false, "/?#" }, { '+', '\0', ',', false, "" },  { '#', '#', ',', false, "" },
  { '.', '.', '.', false, "/?#" },   { '/', '/', '/', false, "?#" }, { ';', ';', ';', true, "/?#" },
  { '?', '?', '&', true, "#" },      { '&', '&', '&', true, "#" },
};

/* A piece of literal text (operator NULL), or an expression. */
struct part {
  const struct operator* operator;
  struct text literal;
  size_t first, count; /* its variables */
  bool explodes;
};

struct uri_template {
  char *text;
  struct part parts[PARTS_MAX];
  size_t count;
  struct text variables[VARIABLES_MAX];
  size_t variables_count;
};

/* ---- reading a template ---- */

static bool
is_name (const char *text, size_t len)
{
  static const char chars[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.%";

  for (size_t i = 0; i < len; i++)
    if (text[i] == '\0' || strchr (chars, text[i]) == NULL)
      return false;
  return len != 0;
}

static bool
add_variable (struct uri_template *t, struct part *part, struct text name, struct error *err)
{
  if (name.len != 0 && name.at[name.len - 1] == '*') {
    name.len--;
    part->explodes = true;
  }
  if (!is_name (name.at, name.len))
    return error_set (err, "\"%.*s\" is no variable that can be found in a URI", (int) name.len,
                      name.at);
  if (uri_template_has (t, name.at, name.len))
    return error_set (err, "the variable %.*s stands in it twice", (int) name.len, name.at);
  if (t->variables_count == VARIABLES_MAX)
    return error_set (err, "it has more than %d variables", VARIABLES_MAX);
  t->variables[t->variables_count++] = name;
  part->count++;
  return true;
}

static const struct operator* operator_of (char sign)
{
  for (size_t i = 1; i < sizeof operators / sizeof *operators; i++)
    if (operators[i].sign == sign)
      return &operators[i];
  return &operators[0];
}

/* What stands between braces. */
static bool
read_expression (struct uri_template *t, struct part *part, struct text inside, struct error *err)
{
  part->operator= operator_of (inside.len != 0 ? inside.at[0] : '\0');
  part->first = t->variables_count;
  if (part->operator->sign != '\0')
    inside = (struct text){ inside.at + 1, inside.len - 1 };
  for (;;) {
    const char *comma = inside.len != 0 ? memchr (inside.at, ',', inside.len) : NULL;
    struct text name = { inside.at, comma != NULL ? (size_t) (comma - inside.at) : inside.len };
    if (!add_variable (t, part, name, err))
      return false;
    if (comma == NULL)
      break;
    inside = (struct text){ comma + 1, inside.len - name.len - 1 };
  }
  return !part->explodes || part->count == 1
         || error_set (err, "\"*\" stands only at the one variable of its expression");
}

static bool
read_parts (struct uri_template *t, size_t len, struct error *err)
{
  const char *at = t->text, *end = t->text + len;

  while (at < end) {
    struct part *part = &t->parts[t->count];
    const char *open = memchr (at, '{', (size_t) (end - at)), *close;
    if (t->count++ == PARTS_MAX)
      return error_set (err, "it has more than %d parts", PARTS_MAX);
    if (open != at) {
      part->literal = (struct text){ at, (size_t) ((open != NULL ? open : end) - at) };
      at += part->literal.len;
      continue;
    }
    close = memchr (at, '}', (size_t) (end - at));
    if (close == NULL)
      return error_set (err, "a brace is not closed");
    if (!read_expression (t, part, (struct text){ at + 1, (size_t) (close - at) - 1 }, err))
      return false;
    at = close + 1;
  }
  return true;
}

struct uri_template *
uri_template_new (const char *text, size_t len, struct error *err)
{
  struct uri_template *t;

  if (len == 0 || len > URI_MAX) {
    error_set (err, "a template has 1 to %d bytes", URI_MAX);
    return NULL;
  }
  t = xcalloc (1, sizeof *t);
  t->text = xstrndup (text, len);
  if (read_parts (t, len, err))
    return t;
  uri_template_free (t);
  return NULL;
}

void
uri_template_free (struct uri_template *t)
{
  if (t == NULL)
    return;
  free (t->text);
  free (t);
}

size_t
uri_template_literal (const struct uri_template *t)
{
  size_t sum = 0;

  for (size_t i = 0; i < t->count; i++)
    sum += t->parts[i].literal.len;
  return sum;
}

static bool
same (struct text a, struct text b)
{
  return a.len == b.len && memcmp (a.at, b.at, a.len) == 0;
}

bool
uri_template_has (const struct uri_template *t, const char *name, size_t len)
{
  for (size_t i = 0; i < t->variables_count; i++)
    if (same (t->variables[i], (struct text){ name, len }))
      return true;
  return false;
}

/* ---- the values in an expansion ---- */

/* Cut off what stands before the mark. */
static struct text
cut (struct text *rest, char mark)
{
  const char *at = rest->len != 0 ? memchr (rest->at, mark, rest->len) : NULL;
  struct text piece = *rest;

  if (at == NULL) {
    *rest = (struct text){ NULL, 0 };
    return piece;
  }
  piece.len = (size_t) (at - piece.at);
  *rest = (struct text){ at + 1, rest->len - piece.len - 1 };
  return piece;
}

/* Which of the expression's variables a named value is of; count: of none. */
static size_t
named_variable (const struct uri_template *t, const struct part *part, struct text name)
{
  size_t i = 0;

  while (i < part->count && !same (t->variables[part->first + i], name))
    i++;
  return i;
}

/* Share out what stands in an expression's place.  False: that can't have been made of it. */
static bool
share_out (const struct uri_template *t, const struct part *part, struct text span,
           struct text *values)
{
  const struct operator* op = part->operator;
  struct text rest = span;

  for (size_t i = 0; i < part->count; i++)
    values[part->first + i] = (struct text){ NULL, 0 };
  if (op->first != '\0' && span.len == 0)
    return true;
  if (op->first != '\0')
    rest = (struct text){ span.at + 1, span.len - 1 };
  else if (span.len == 0)
    return false;
  for (size_t n = 0; rest.at != NULL; n++) {
    bool whole = !op->named && (part->explodes || (part->count == 1 && op->between == ','));
    struct text piece = whole ? rest : cut (&rest, op->between);
    size_t which = op->named ? named_variable (t, part, cut (&piece, '=')) : n;
    if (which >= part->count || values[part->first + which].at != NULL)
      return false;
    values[part->first + which] = piece.at != NULL ? piece : (struct text){ "", 0 };
    if (whole)
      break;
  }
  return true;
}

/* ---- matching ---- */

struct matching {
  const struct uri_template *t;
  struct text uri;
  struct text values[VARIABLES_MAX];
  unsigned steps;
};

static bool match_from (struct matching *m, size_t part, size_t at);

/* How far an expression could go at most. */
static size_t
reach (const struct matching *m, const struct operator* op, size_t at)
{
  size_t end = at;

  if (op->first != '\0' && (at == m->uri.len || m->uri.at[at] != op->first))
    return at;
  if (op->first != '\0')
    end++;
  while (end < m->uri.len && m->uri.at[end] != '\0' && strchr (op->never, m->uri.at[end]) == NULL)
    end++;
  return end;
}

static bool
match_expression (struct matching *m, size_t index, size_t at)
{
  const struct part *part = &m->t->parts[index];

  for (size_t end = reach (m, part->operator, at) + 1; end-- > at;) {
    struct text span = { m->uri.at + at, end - at };
    if (++m->steps > STEPS_MAX)
      return false;
    if (share_out (m->t, part, span, m->values) && match_from (m, index + 1, end))
      return true;
  }
  return false;
}

static bool
match_from (struct matching *m, size_t index, size_t at)
{
  const struct part *part = &m->t->parts[index];

  if (index == m->t->count)
    return at == m->uri.len;
  if (part->operator!= NULL)
    return match_expression (m, index, at);
  return part->literal.len <= m->uri.len - at
         && memcmp (m->uri.at + at, part->literal.at, part->literal.len) == 0
         && match_from (m, index + 1, at + part->literal.len);
}

/* ---- what is found ---- */

static int
hex (char c)
{
  if (c >= '0' && c <= '9')
    return c - '0';
  c = (char) (c | 0x20);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void
decode (struct text value, struct buf *out)
{
  for (size_t i = 0; i < value.len; i++) {
    bool encoded = value.at[i] == '%' && value.len - i > 2 && hex (value.at[i + 1]) >= 0
                   && hex (value.at[i + 2]) >= 0;
    buf_putc (out,
              encoded ? (char) (hex (value.at[i + 1]) * 16 + hex (value.at[i + 2])) : value.at[i]);
    if (encoded)
      i += 2;
  }
}

static void
put_variables (const struct matching *m, struct buf *out)
{
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  for (size_t i = 0; i < m->t->variables_count; i++) {
    CLEANUP_BUF struct buf plain = { 0 };
    struct text value = m->values[i];
    if (value.at == NULL)
      continue;
    decode (value, &plain);
    if (plain.len != 0 && utf8_valid (plain.data, plain.len))
      value = (struct text){ plain.data, plain.len };
    jsonw_name_len (&w, m->t->variables[i].at, m->t->variables[i].len);
    jsonw_string_len (&w, value.at, value.len);
  }
  jsonw_end (&w);
}

bool
uri_template_match (const struct uri_template *t, const char *uri, size_t len,
                    struct buf *variables)
{
  struct matching m = { .t = t, .uri = { uri, len } };

  if (len > URI_MAX || !match_from (&m, 0, 0))
    return false;
  put_variables (&m, variables);
  return true;
}
