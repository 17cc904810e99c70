/* real.h - the surroundings of a call: its session and what the host does for it. */
#ifndef TOOLHOST_PLUGINS_ACTIONS_REAL_H
#define TOOLHOST_PLUGINS_ACTIONS_REAL_H

#include <toolhost.h>

#include "surroundings.h"

struct real {
  toolhost_call *call;
  struct values *pool;
  bool in_session;
};

/* As long as `real` and the call live. */
void real_surroundings (struct surroundings *around, struct real *real, toolhost_call *call,
                        struct values *pool);

/* A time as RFC 3339 has it, in UTC. */
const char *time_text (struct values *pool, int64_t seconds);

#endif
