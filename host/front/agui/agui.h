/* agui.h - POST /v1/agui: a stream of AG-UI's events, or a RunAgentInput, whose tools are run
 * (run.h); the answer is a stream of events as they happen, server-sent, or JSON, one a line, as
 * Accept has it.  Used by rest.c.  Loop thread only. */
#ifndef TOOLHOST_FRONT_AGUI_AGUI_H
#define TOOLHOST_FRONT_AGUI_AGUI_H

#include "front/front.h"
#include "front/http/http.h"
#include "front/rest/asks.h"

struct agui_stream;

struct agui_front {
  const struct front_env *env;
  struct rest_asks *asks;
  struct json_limits limits;
  struct agui_stream *streams;
};

void agui_init (struct agui_front *front, const struct front_env *env, struct rest_asks *asks);
/* The daemon is stopping: what runs is given up, streams end. */
void agui_drain (struct agui_front *front);
void agui_post (struct agui_front *front, struct http_exchange *x);

#endif
