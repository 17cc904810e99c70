/* fleet.h - the worker processes of one unit: how many there are, when one is started, recycled or
 * stopped, and what follows from its end.  Part of unit.c, which has the calls: the fleet knows
 * only how many of them wait.  Loop thread only.
 *
 *   ready   so many processes run even when nobody calls (policy: workers.ready)
 *   max     so many at most, when calls wait that the others have no room for; one that replaces
 *           another may be there beside them for a moment
 *
 * A process that has served as many calls or as long as the policy says is due: its replacement is
 * started, and only when that one is ready the old one gets no more calls and goes. */
#ifndef TOOLHOST_POOL_FLEET_H
#define TOOLHOST_POOL_FLEET_H

#include <ev.h>
#include <stdbool.h>

#include "base/error.h"
#include "pool/breaker.h"
#include "pool/hello.h"
#include "pool/history.h"
#include "pool/policy.h"
#include "pool/pool.h"

struct fleet;
struct worker;

/* What the unit hears; `fleet` is part of it. */
struct fleet_events {
  unsigned (*waiting) (const struct fleet *fleet); /* calls that wait for a worker */
  void (*room) (struct fleet *fleet);              /* a worker can take one more call */
  /* Nothing will run for some time: whoever waits waits in vain. */
  void (*shut) (struct fleet *fleet, const char *why, int64_t retry_after_ms);
  /* fleet_describe is done; json NULL: err says why it came to nothing. */
  void (*described) (struct fleet *fleet, const char *json, size_t len, const struct error *err);
  void (*empty) (struct fleet *fleet); /* the last process is gone; last thing that is called */
};

struct fleet {
  struct pool *pool;
  const struct fleet_events *events;
  struct history *history;
  char *name;
  uint64_t generation;
  int plugin_fd;
  struct policy policy;
  struct build_order order;
  unsigned capacity; /* calls a process takes; 0: not described yet */
  char *description; /* as it is known; NULL: not yet */
  size_t description_len;
  unsigned ready; /* processes that are kept */
  struct worker *workers;
  unsigned http_open; /* requests that are made for it */
  struct breaker breaker;
  ev_timer later; /* when the back-off is over */
  bool describing;
  bool stays;      /* what was started to describe is kept */
  bool broken;     /* its plugin can't be loaded */
  bool lacks;      /* calls wait that none of the processes may take */
  bool superseded; /* another generation has taken over: only to finish */
  bool ending;     /* no new processes */
  char *why;       /* of the last end that somebody is to blame for, or NULL */
  char *guarantees;
};

/* What a fleet is made of; the descriptor is taken over, the rest is copied or referenced. */
struct fleet_needs {
  struct pool *pool;
  const struct fleet_events *events;
  const char *name;
  uint64_t generation;
  int plugin_fd;
  const struct policy *policy;
  const struct build_order *order; /* NULL: none */
  struct history *history;
};

void fleet_init (struct fleet *fleet, const struct fleet_needs *needs);
/* No process may be left. */
void fleet_clear (struct fleet *fleet);

/* Start `warm` processes (at least one), and tell what the plugin says of itself when they are
 * ready.  warm 0: the one is stopped again when nobody calls. */
void fleet_describe (struct fleet *fleet, unsigned warm);
void fleet_expect (struct fleet *fleet, const char *json, size_t len);
void fleet_set_capacity (struct fleet *fleet, unsigned calls);
/* Calls come from here on: keep as many processes as the policy says. */
void fleet_serve (struct fleet *fleet);

/* May a call be taken?  NULL: yes.  Else why not, and when it may be worth another try (0: not
 * known). */
const char *fleet_admit (struct fleet *fleet, int64_t deadline_ns, int64_t *retry_after_ms);
/* Calls wait that did not before: start what they need. */
void fleet_want (struct fleet *fleet);
/* Are there as many processes as there may be? */
bool fleet_is_full (const struct fleet *fleet);
/* One more than that, because calls wait that those there are may not take. */
void fleet_want_one (struct fleet *fleet);
/* A call has gone without an answer. */
void fleet_lost_call (struct fleet *fleet);

/* End quarantine and back-off, and try again what was broken. */
void fleet_release (struct fleet *fleet);
/* Finish what waits and runs; each process goes when it has nothing to do. */
void fleet_supersede (struct fleet *fleet);
/* Stop all processes, and start none. */
void fleet_end (struct fleet *fleet, enum reason reason);

struct fleet_status {
  const char *state;
  int64_t wait_ms; /* until the next start, or the end of the quarantine; 0: none */
  unsigned workers, starting, running;
  unsigned idle, busy, leaving; /* processes: ready and without a call, with one, to be gone */
  uint64_t rss, rss_peak; /* bytes of all together, of the one that had most; as the kernel says */
  int64_t cpu_ns;         /* of all that run; likewise */
};
void fleet_status (const struct fleet *fleet, struct fleet_status *status);
/* A JSON object, of a worker that was described or has ended, else of one that is starting; NULL:
 * none has told yet. */
const char *fleet_guarantees (const struct fleet *fleet);

#endif
