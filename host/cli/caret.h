/* caret.h - where in a text something is wrong: line and column, and a picture of it for a
 * terminal.  Pure. */
#ifndef TOOLHOST_CLI_CARET_H
#define TOOLHOST_CLI_CARET_H

#include <stddef.h>

#include "base/buf.h"

struct caret {
  size_t line;      /* from 1 */
  size_t column;    /* in characters, from 1 */
  const char *text; /* the line, without its end */
  size_t len;
  size_t at; /* byte in it */
};

/* `offset` is at most `len`. */
struct caret caret_find (const char *text, size_t len, size_t offset);

/* Append the line, or what of it is near, and a second one with a caret below the place.  Tabs
 * become blanks, what would harm a terminal an escape. */
void caret_show (const struct caret *caret, const char *indent, struct buf *out);

#endif
