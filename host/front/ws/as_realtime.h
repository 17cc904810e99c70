/* as_realtime.h - GET /v1/session?format=realtime: a connection whose peer is an application with a
 * Realtime conversation of its own.  It forwards what its service says, and sends to its service
 * what it gets here, but for messages whose type begins with "toolhost.": those are for itself.
 * Used by ws.c; loop thread only. */
#ifndef TOOLHOST_FRONT_WS_AS_REALTIME_H
#define TOOLHOST_FRONT_WS_AS_REALTIME_H

#include <ev.h>

#include "front/realtime/bridge.h"

struct as_realtime;

struct as_realtime_peer {
  bool (*put) (void *ctx, const char *json, size_t len);
  void (*session_ended) (void *ctx);
  void *ctx;
};

/* Tells the peer the tools at once. */
struct as_realtime *as_realtime_new (struct ev_loop *loop, const struct realtime_wish *wish,
                                     const struct as_realtime_peer *peer);
void as_realtime_hear (struct as_realtime *as, const char *text, size_t len);
/* Not from within its peer's functions. */
void as_realtime_free (struct as_realtime *as);

#endif
