/* json_text.h - the bytes a JSON string stands for, one at a time and without a copy.  For the code
 * in base/ that compares and hashes strings which may have escapes; the text has passed json_read.
 */
#ifndef TOOLHOST_BASE_JSON_TEXT_H
#define TOOLHOST_BASE_JSON_TEXT_H

#include "base/json_tape.h"

struct json_cursor {
  const char *p;
  const char *end;
  unsigned char pending[4]; /* the UTF-8 form of an escape */
  unsigned pending_len;
  unsigned pending_at;
};

static inline struct json_cursor
json_cursor (const struct json_tape *tape, const struct json_node *string)
{
  const char *start = tape->text + string->start;
  return (struct json_cursor){ .p = start, .end = start + string->len };
}

/* Resolve the escape at `*p` (a backslash), which moves behind it; returns the bytes put at `out`.
 */
unsigned json_unescape (const char **p, unsigned char out[4]);

/* The next byte, -1 at the end. */
static inline int
json_cursor_next (struct json_cursor *c)
{
  if (c->pending_at < c->pending_len)
    return c->pending[c->pending_at++];
  if (c->p == c->end)
    return -1;
  if (*c->p != '\\')
    return (unsigned char) *c->p++;
  c->pending_len = json_unescape (&c->p, c->pending);
  c->pending_at = 1;
  return c->pending[0];
}

/* Do two string nodes stand for the same text? */
bool json_text_same (const struct json_tape *a, const struct json_node *x,
                     const struct json_tape *b, const struct json_node *y);

#endif
