/* sse.h - reads a stream of server-sent events as it arrives, in pieces of any size. */
#ifndef TOOLHOST_CLI_SSE_H
#define TOOLHOST_CLI_SSE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum { SSE_NAME_MAX = 64, SSE_EVENT_MAX = 256 * 1024 * 1024 };

/* Zero-initialise, set on_event and ctx, free with sse_free. */
struct sse {
  /* A whole event: its name ("message" when it had none) and its data lines joined by newlines. */
  void (*on_event) (void *ctx, const char *name, const char *data, size_t len);
  void *ctx;
  struct buf line;
  struct buf data;
  char name[SSE_NAME_MAX];
  bool has_data;
};

/* False: an event is larger than SSE_EVENT_MAX bytes. */
bool sse_feed (struct sse *sse, const char *bytes, size_t len);
void sse_free (struct sse *sse);

#endif
