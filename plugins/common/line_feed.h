/* line_feed.h - lines out of bytes that come in pieces of any size.
 *
 *   struct line_feed lines = { .max = 1 << 20 };
 *   while ((n = read (fd, data, sizeof data)) > 0)
 *     if (!line_feed (&lines, data, n, take, ctx))
 *       …
 *   line_feed_free (&lines);
 *
 * A line ends with LF or CR LF, which are not part of it. */
#ifndef TOOLHOST_PLUGINS_COMMON_LINE_FEED_H
#define TOOLHOST_PLUGINS_COMMON_LINE_FEED_H

#include <stdbool.h>
#include <stddef.h>

#include "text.h"

struct line_feed {
  size_t max;       /* bytes of a line; set by the owner */
  bool too_long;    /* found: why line_feed said false */
  struct text rest; /* of a line that has not ended */
};

/* Each whole line goes to `take`, until that says false.  False: it did, or a line is longer than
 * it may be, or there is no memory; nothing more is to be fed then. */
bool line_feed (struct line_feed *lines, const char *data, size_t len,
                bool (*take) (void *ctx, const char *line, size_t len), void *ctx);
void line_feed_free (struct line_feed *lines);

#endif
