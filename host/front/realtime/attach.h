/* attach.h - POST /v1/realtime/calls: attend a call of OpenAI's Realtime service that somebody else
 * has accepted.  { "call_id", "tenant"? }, role manage: the key that is used is the operator's.
 * Loop thread only. */
#ifndef TOOLHOST_FRONT_REALTIME_ATTACH_H
#define TOOLHOST_FRONT_REALTIME_ATTACH_H

#include "front/front.h"
#include "front/http/http.h"
#include "front/realtime/sideband.h"

#define REALTIME_CALLS_PATH "/v1/realtime/calls"

struct realtime_attach_events {
  void *ctx;
  /* A call has its session, and will be attended: what else it needs; may be NULL. */
  void (*opened) (void *ctx, struct session *session, const char *call_id);
};

/* `realtime` NULL: this daemon has none. */
void realtime_attach_handle (struct realtime *realtime, const struct front_env *env,
                             const struct realtime_attach_events *events, struct http_exchange *x);

#endif
