/* ecma.h - a pattern while it is read as ECMA-262 has it.  ecma.c reads what a pattern is made of,
 * ecma_set.c what stands for characters: escapes and brackets.  For these two files alone. */
#ifndef TOOLHOST_SCHEMA_REGEX_ECMA_H
#define TOOLHOST_SCHEMA_REGEX_ECMA_H

#include <string.h>

#include "schema/regex/regex.h"
#include "schema/regex/tree.h"

struct reader {
  const char *p;
  const char *end;
  struct regex_tree *tree;
  struct error *err;
  bool strict;
  int depth;
};

static inline bool
is_digit (char c)
{
  return c >= '0' && c <= '9';
}

static inline bool
is_letter (char c)
{
  return (c | 32) >= 'a' && (c | 32) <= 'z';
}

/* The end of what is put into a set. */
static inline void
reader_close (struct reader *r, struct regex_set *set, bool negated)
{
  if (r->tree->ignores_case)
    regex_set_fold (&r->tree->arena, set);
  regex_set_close (&r->tree->arena, set, negated);
}

/* Does `text` come next?  Then go over it. */
static inline bool
reader_take (struct reader *r, const char *text)
{
  size_t len = strlen (text);

  if ((size_t) (r->end - r->p) < len || memcmp (r->p, text, len) != 0)
    return false;
  r->p += len;
  return true;
}

static inline bool
reader_sees (const struct reader *r, char c)
{
  return r->p < r->end && *r->p == c;
}

static inline bool
reader_bad (struct reader *r, const char *text)
{
  return error_set (r->err, "bad pattern: %s", text);
}

/* ---- ecma_set.c; false: err says why ---- */

bool reader_code_point (struct reader *r, uint32_t *c);
/* An escape that means one character, inside brackets or not; the backslash is read. */
bool reader_character_escape (struct reader *r, bool inside, uint32_t *c);
/* An escape that means a set, which is added; the backslash is read.  *found: it was one. */
bool reader_set_escape (struct reader *r, struct regex_set *set, bool *found);
/* What stands between brackets; the "[" is read. */
bool reader_brackets (struct reader *r, struct regex_set *set);

#endif
