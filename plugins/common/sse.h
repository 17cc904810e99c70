/* sse.h - server-sent events (the event stream format of HTML) out of bytes that come in pieces.
 *
 *   struct sse sse = { .lines.max = 1 << 20 };
 *   sse_feed (&sse, data, len, take, ctx);     for each piece
 *   sse_free (&sse);
 *
 * An event without data is given too, with "" as its data: it may have an id. */
#ifndef TOOLHOST_PLUGINS_COMMON_SSE_H
#define TOOLHOST_PLUGINS_COMMON_SSE_H

#include <stdint.h>

#include "line_feed.h"

struct sse_event {
  const char *type; /* "message" when it says nothing else */
  const char *data; /* len bytes and a NUL */
  size_t len;
};

struct sse {
  struct line_feed lines;     /* its max is that of an event's data too */
  struct text type, data, id; /* id: of the last event that had one */
  int64_t retry_ms;           /* how long to wait before connecting again; 0: it was not said */
  bool any;                   /* the event that comes has a field */
  bool has_data;
  bool begun;
};

/* Each whole event goes to `take`, until that says false.  False: it did, or an event is longer
 * than it may be (lines.too_long), or there is no memory. */
bool sse_feed (struct sse *sse, const char *data, size_t len,
               bool (*take) (void *ctx, const struct sse_event *event), void *ctx);
void sse_free (struct sse *sse);

#endif
