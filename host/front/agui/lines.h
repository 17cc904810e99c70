/* lines.h - the events in a stream of bytes: server-sent events, or JSON, one a line.  Which of
 * them it is shows in each line.  Pure. */
#ifndef TOOLHOST_FRONT_AGUI_LINES_H
#define TOOLHOST_FRONT_AGUI_LINES_H

#include <stdbool.h>

#include "base/buf.h"

/* Zero-initialise; `data` is freed with buf_free. */
struct agui_lines {
  struct buf data; /* of the server-sent event that is being read */
};

/* Take the next event's text from `in`, up to `len` bytes, of which *at were taken; `end`: no more
 * will come.  False: there is none.  The text is good until the next call. */
bool agui_lines_next (struct agui_lines *lines, const char *in, size_t len, bool end, size_t *at,
                      struct buf *text);

#endif
