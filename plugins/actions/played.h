/* played.h - surroundings that are played, for trying a tool: a context that was given, answers of
 * servers that were written beforehand, and a record of what would have been done. */
#ifndef TOOLHOST_PLUGINS_ACTIONS_PLAYED_H
#define TOOLHOST_PLUGINS_ACTIONS_PLAYED_H

#include "surroundings.h"

struct played {
  struct values *pool;
  const struct value *context; /* an object of roots */
  /* answers by the name of an endpoint: one for all requests, or a list of one for each */
  const struct value *webhooks;
  const struct value *asked; /* how many requests each endpoint had */
  const char *now;
  int64_t waited_ms;
  bool nobody; /* the call is in no session */
  /* what was done */
  const struct value *events, *requests, *handoff; /* handoff: NULL: none */
};

/* `played` has its pool, context, webhooks and now. */
void played_surroundings (struct surroundings *around, struct played *played);

#endif
