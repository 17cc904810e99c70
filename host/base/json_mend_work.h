/* json_mend_work.h - text that is almost JSON while it is mended: json_mend_text.c copies strings,
 * numbers and words, json_mend.c what holds them.  For these files alone. */
#ifndef TOOLHOST_BASE_JSON_MEND_WORK_H
#define TOOLHOST_BASE_JSON_MEND_WORK_H

#include <string.h>

#include "base/json_mend.h"

/* What was done. */
enum done {
  FENCE,
  PROSE,
  ESCAPED_WHOLE,
  COMMENT,
  COMMA_SURPLUS,
  COMMA_MISSING,
  QUOTES,
  INNER_QUOTE,
  WORD,
  CONSTANT,
  NUMBER,
  TUPLE,
  ELLIPSIS,
  CONTROL,
  ESCAPE,
  STRING_OPEN,
  CUT,
  BRACKET_OPEN,
  BRACKET_SURPLUS,
  DONE_KINDS
};

enum { DEPTH_CAP = 128 };

struct mending {
  const char *p;
  const char *end;
  struct buf *out;
  unsigned done;  /* bits: 1 << enum done */
  bool crossed;   /* a line ended in what was skipped last */
  bool dug_out;   /* of prose: the value must have an end of its own */
  bool cut_off;   /* the text ended within the value, or says that something was left out */
  uint32_t depth; /* of open */
  uint32_t depth_max;
  char open[DEPTH_CAP]; /* the closing brackets that are due */
};

/* What became of a part. */
enum outcome {
  FAILED,
  WRITTEN,
  UNFINISHED /* the text ended before there was anything to keep */
};

static inline void
note (struct mending *m, enum done kind)
{
  m->done |= 1U << kind;
}

static inline bool
starts_with (const struct mending *m, const char *text)
{
  size_t len = strlen (text);

  return (size_t) (m->end - m->p) >= len && memcmp (m->p, text, len) == 0;
}

static inline bool
is_one_of (char c, const char *set)
{
  return c != '\0' && strchr (set, c) != NULL;
}

/* Of numbers, words and names without quotes. */
static inline bool
is_bare (char c)
{
  return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || is_one_of (c, "_$.+-");
}

/* Go over blanks and comments to what comes next; false at the end of the text. */
bool mend_blanks (struct mending *m);

/* The kind of the quote at `p` and its length in bytes; 0: none. */
unsigned mend_quote_at (const char *p, const char *end, size_t *len);
/* A string from its quote on, which is at m->p.  UNFINISHED: a name the text ended in. */
enum outcome mend_string (struct mending *m, unsigned kind, size_t len, bool is_name);

/* The bytes at m->p that can be of a number, a word or a name without quotes. */
size_t mend_bare_length (const struct mending *m);
/* A value without quotes.  False: it can't be one. */
bool mend_bare (struct mending *m);
void mend_in_quotes (struct mending *m, const char *word, size_t len);

#endif
