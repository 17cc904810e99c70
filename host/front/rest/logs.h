/* logs.h - GET /v1/logs: the last lines of the daemon's log, and with follow=true those that come,
 * as an event stream.  Used by rest.c.  Loop thread only.
 *
 * Lines are read from the ring that the log keeps in memory (watch/log_tail.h): who follows has a
 * place in it and no queue.  Who reads more slowly than is logged misses lines, and is told how
 * many by an event "missed". */
#ifndef TOOLHOST_FRONT_REST_LOGS_H
#define TOOLHOST_FRONT_REST_LOGS_H

#include "front/front.h"
#include "front/http/http.h"

enum { LOG_FOLLOWERS_MAX = 16 };

struct log_follower;

struct rest_logs {
  const struct front_env *env;
  struct log_follower *followers;
  unsigned count;
  ev_async added; /* a line was logged, by any thread */
  ev_timer again; /* while there are followers: for those that have a backlog, and a sign of life */
};

void rest_logs_init (struct rest_logs *logs, const struct front_env *env);
/* End all streams. */
void rest_logs_drain (struct rest_logs *logs);

void rest_logs_get (struct rest_logs *logs, struct http_exchange *x);

#endif
