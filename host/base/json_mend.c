#include "base/json_mend.h"

#include "base/json_mend_work.h"

/* What is decided where a reader could go either way:
 *
 * - True, None and their other spellings are constants; undefined and NaN are null, as in
 *   JSON.stringify.  Infinity is refused: JSON has nothing for it.
 * - +5, .5, 5. are numbers.  What only resembles one (007, 0x1F, 1_000, 2026-01-31) keeps its
 *   characters and becomes a string, as a bare word does that stands alone.
 * - An escape that JSON does not know is a backslash: "\d" is "\\d".
 * - A quote in a string is part of it when nothing follows that may follow a string, and it is an
 *   apostrophe or one of a pair around words.
 * - A bracket that is missing before another one, or before the end of a fence, is put there: the
 *   model went on, so nothing is cut off.
 * - Only when what is cut off may be closed: at the end of the text brackets are closed, and a
 *   string, unless it seems to have swallowed what came after it; a member without its value is
 *   left out; an ellipsis stands for nothing, and only at the end of a container.
 * - Refused, because more than one thing can be meant: an item or value that is missing, colons
 *   that are missing, two values, words that are cut off, duplicate names. */

static const char fence[] = "```";

static bool put_value (struct mending *m);

/* ---- arrays and objects ---- */

static enum outcome
put_name (struct mending *m)
{
  const char *word = m->p;
  size_t len;
  unsigned kind = mend_quote_at (word, m->end, &len);

  if (kind != 0)
    return mend_string (m, kind, len, true);
  len = mend_bare_length (m);
  if (len == 0)
    return FAILED;
  m->p += len;
  mend_in_quotes (m, word, len);
  return WRITTEN;
}

static enum outcome
put_member (struct mending *m)
{
  enum outcome outcome = put_name (m);

  if (outcome != WRITTEN)
    return outcome;
  if (!mend_blanks (m))
    return UNFINISHED;
  if (*m->p != ':')
    return FAILED;
  m->p++;
  buf_putc (m->out, ':');
  if (!mend_blanks (m))
    return UNFINISHED;
  return put_value (m) ? WRITTEN : FAILED;
}

static bool
is_due (const struct mending *m, char bracket)
{
  return memchr (m->open, bracket, m->depth) != NULL;
}

/* Between the items of a container. */
struct place {
  bool is_object;
  uint32_t items;
  bool comma;    /* there was one since the last item */
  bool commas;   /* there was any */
  bool ellipsis; /* nothing may follow it */
};

/* A comma that is not there: only where it is plain that the next item begins. */
static bool
may_miss_comma (const struct mending *m, const struct place *at)
{
  size_t len;

  if (at->items == 0 || at->comma || m->crossed)
    return true;
  return at->is_object ? mend_quote_at (m->p, m->end, &len) != 0 || is_bare (*m->p)
                       : is_one_of (*m->p, "{[");
}

static bool
take_comma (struct mending *m, struct place *at)
{
  if (at->comma || at->items == 0) {
    /* in an array an item could be missing */
    if (!at->is_object)
      return false;
    note (m, COMMA_SURPLUS);
  }
  at->comma = at->commas = true;
  m->p++;
  return true;
}

static bool
put_item (struct mending *m, struct place *at)
{
  size_t mark = m->out->len;
  enum outcome outcome;

  if (at->ellipsis || !may_miss_comma (m, at))
    return false;
  if (at->items != 0 && !at->comma)
    note (m, COMMA_MISSING);
  if (at->items++ != 0)
    buf_putc (m->out, ',');
  at->comma = false;
  if (!at->is_object)
    return put_value (m);
  outcome = put_member (m);
  if (outcome == UNFINISHED) {
    note (m, CUT);
    m->cut_off = true;
    m->out->len = mark;
    m->p = m->end;
  }
  return outcome != FAILED;
}

/* An end, at a bracket or where the text ends.  False: the bracket is a wrong one. */
static bool
take_end (struct mending *m, const struct place *at)
{
  char due = m->open[m->depth - 1];

  if (at->comma && due != ')')
    note (m, COMMA_SURPLUS);
  if (m->p < m->end && *m->p == due) {
    m->p++;
    /* (1) is no tuple, (1,) is */
    return due != ')' || at->items != 1 || at->commas;
  }
  note (m, BRACKET_OPEN);
  m->cut_off |= m->p == m->end;
  return m->p == m->end || starts_with (m, fence) || is_due (m, *m->p);
}

/* The items up to the bracket that is due, which is taken. */
static bool
put_items (struct mending *m, struct place *at)
{
  static const char dots[] = "…";

  while (mend_blanks (m) && !is_one_of (*m->p, "}])") && !starts_with (m, fence)) {
    bool good = true;
    if (*m->p == ',')
      good = take_comma (m, at);
    else if (starts_with (m, "...") || starts_with (m, dots)) {
      m->p += 3; /* bytes of either */
      note (m, ELLIPSIS);
      m->cut_off = true;
      at->ellipsis = true;
      at->comma = false;
    }
    else
      good = put_item (m, at);
    if (!good)
      return false;
  }
  return take_end (m, at);
}

/* m->p is at an opening bracket. */
static bool
put_container (struct mending *m)
{
  struct place at = { .is_object = *m->p == '{' };

  if (m->depth == m->depth_max)
    return false;
  if (*m->p == '(')
    note (m, TUPLE);
  m->open[m->depth++] = *m->p == '{' ? '}' : *m->p == '[' ? ']' : ')';
  m->p++;
  buf_putc (m->out, at.is_object ? '{' : '[');
  if (!put_items (m, &at))
    return false;
  m->depth--;
  buf_putc (m->out, at.is_object ? '}' : ']');
  return true;
}

/* m->p is at no blank. */
static bool
put_value (struct mending *m)
{
  size_t len;
  unsigned kind = mend_quote_at (m->p, m->end, &len);

  if (kind != 0)
    return mend_string (m, kind, len, false) == WRITTEN;
  return is_one_of (*m->p, "{[(") ? put_container (m) : mend_bare (m);
}

/* ---- what is around the value ---- */

static void
skip_fence (struct mending *m)
{
  note (m, FENCE);
  m->p += strlen (fence);
  while (m->p < m->end && (is_bare (*m->p)))
    m->p++;
}

/* Could JSON begin with this bracket, in the midst of prose? */
static bool
is_bracket_of_value (const char *p, const char *end)
{
  const char *next = p + 1;

  while (next < end && is_one_of (*next, " \t\r\n"))
    next++;
  return *p == '{' || (*p == '[' && next < end && is_one_of (*next, "{[\""));
}

/* Go from prose to the fence in it, or to the first bracket.  True also when there is neither: it
 * may be no prose. */
static bool
skip_prose (struct mending *m)
{
  const char *p = memmem (m->p, (size_t) (m->end - m->p), fence, strlen (fence));

  if (p == NULL) {
    for (p = m->p; p < m->end && !is_one_of (*p, "{}[]"); p++)
      continue;
    if (p == m->end)
      return true;
    if (!is_bracket_of_value (p, m->end))
      return false;
    m->dug_out = true;
  }
  note (m, PROSE);
  m->p = p;
  return true;
}

/* Go to the value: behind a fence, or behind prose, or here.  False: there is none. */
static bool
find_value (struct mending *m)
{
  size_t len;

  if (!mend_blanks (m))
    return false;
  if (!starts_with (m, fence)) {
    if (is_one_of (*m->p, "{[(") || mend_quote_at (m->p, m->end, &len) != 0)
      return true;
    if (!skip_prose (m))
      return false;
  }
  if (starts_with (m, fence))
    skip_fence (m);
  return mend_blanks (m);
}

/* Brackets and commas too many, right behind the value. */
static bool
skip_surplus (struct mending *m)
{
  bool any = false;

  while (mend_blanks (m) && is_one_of (*m->p, "}]),;")) {
    note (m, *m->p == ',' || *m->p == ';' ? COMMA_SURPLUS : BRACKET_SURPLUS);
    any = true;
    m->p++;
  }
  return any;
}

/* May what follows the value be left out?  Not if it could be more of it, or another. */
static bool
skip_rest (struct mending *m, bool is_container)
{
  bool surplus = skip_surplus (m);

  if (m->p < m->end && starts_with (m, fence)) {
    note (m, FENCE);
    m->p += strlen (fence);
    (void) mend_blanks (m);
  }
  else if (m->p < m->end && (surplus || !is_container))
    return false;
  if (m->p < m->end)
    note (m, PROSE);
  for (const char *p = m->p; p < m->end; p++)
    if (is_one_of (*p, "{}[]"))
      return false;
  return true;
}

static bool
mend_text (struct mending *m)
{
  bool is_container;

  if (!find_value (m))
    return false;
  is_container = is_one_of (*m->p, "{[(");
  if (!put_value (m) || (m->dug_out && (m->done & 1U << BRACKET_OPEN) != 0))
    return false;
  return skip_rest (m, is_container);
}

/* ---- the whole ---- */

static bool
reads (const char *text, size_t len, const struct json_limits *limits, enum json_fault *fault)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  bool good = json_read (&tape, text, len, limits, &arena);

  *fault = good ? JSON_OK : tape.fault;
  return good;
}

/* Is the text that of a JSON string without its quotes: {\"a\":1}? */
static bool
is_escaped_whole (struct mending m)
{
  if (!mend_blanks (&m) || !is_one_of (*m.p, "{["))
    return false;
  m.p++;
  (void) mend_blanks (&m);
  return starts_with (&m, "\\\"") || starts_with (&m, "\\n");
}

/* False: it is not one after all. */
static bool
unescape_whole (struct mending *m, struct buf *plain)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  CLEANUP_BUF struct buf quoted = { 0 };
  struct json_tape tape;
  const char *text;
  size_t len;

  buf_putc (&quoted, '"');
  for (; m->p < m->end; m->p++)
    if (!is_one_of (*m->p, "\r\n"))
      buf_putc (&quoted, *m->p);
  buf_putc (&quoted, '"');
  if (!json_read (&tape, quoted.data, quoted.len, &json_default_limits, &arena))
    return false;
  text = json_string (&tape, json_root (&tape), &arena, &len);
  buf_append (plain, text, len);
  m->p = plain->data;
  m->end = plain->data + plain->len;
  note (m, ESCAPED_WHOLE);
  return true;
}

static void
tell (unsigned done, struct buf *what)
{
  static const char *const phrases[DONE_KINDS] = {
    [FENCE] = "code fence removed",
    [PROSE] = "text around the value removed",
    [ESCAPED_WHOLE] = "escapes around the whole resolved",
    [COMMENT] = "comment removed",
    [COMMA_SURPLUS] = "surplus comma removed",
    [COMMA_MISSING] = "missing comma added",
    [QUOTES] = "other quotes replaced",
    [INNER_QUOTE] = "quote in a string escaped",
    [WORD] = "word put in quotes",
    [CONSTANT] = "constant of another language replaced",
    [NUMBER] = "number spelt as JSON has it",
    [TUPLE] = "tuple made an array",
    [ELLIPSIS] = "ellipsis removed",
    [CONTROL] = "control character escaped",
    [ESCAPE] = "unknown escape replaced",
    [STRING_OPEN] = "string closed",
    [CUT] = "member without value left out",
    [BRACKET_OPEN] = "bracket closed",
    [BRACKET_SURPLUS] = "surplus bracket removed",
  };
  const char *before = "";

  for (unsigned i = 0; i < DONE_KINDS; i++)
    if ((done >> i & 1) != 0) {
      buf_puts (what, before);
      buf_puts (what, phrases[i]);
      before = ", ";
    }
}

static bool
mend (struct mending *m, const struct json_limits *limits)
{
  CLEANUP_BUF struct buf plain = { 0 };
  size_t start = m->out->len;
  enum json_fault fault;

  if (is_escaped_whole (*m) && !unescape_whole (m, &plain))
    return false;
  if (mend_text (m))
    return reads (m->out->data + start, m->out->len - start, limits, &fault);
  m->cut_off |= m->p == m->end && m->depth != 0;
  return false;
}

enum json_mended
json_mend (const char *text, size_t len, bool close_cut_off, const struct json_limits *limits,
           struct buf *out, struct buf *what)
{
  struct mending m = { .p = text, .end = text + len, .out = out };
  size_t start = out->len;
  enum json_fault fault;

  if (reads (text, len, limits, &fault)) {
    buf_append (out, text, len);
    return JSON_MENDED;
  }
  if (fault != JSON_SYNTAX)
    return JSON_NOT_MENDED;
  m.depth_max = limits->depth < DEPTH_CAP ? limits->depth : DEPTH_CAP;
  if (!mend (&m, limits) || (m.cut_off && !close_cut_off)) {
    out->len = start;
    return m.cut_off ? JSON_CUT_OFF : JSON_NOT_MENDED;
  }
  if (what != NULL)
    tell (m.done, what);
  return JSON_MENDED;
}
