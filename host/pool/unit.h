/* unit.h - one generation of one plugin: its file, its policy, the calls that wait for it, and the
 * fleet of workers that run them.  Loop thread only.
 *
 * References: tools hold one each, whoever made the unit holds one.  When the last goes, workers
 * are stopped and the unit frees itself after the last has ended. */
#ifndef TOOLHOST_POOL_UNIT_H
#define TOOLHOST_POOL_UNIT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"
#include "pool/hello.h"
#include "pool/history.h"
#include "pool/job.h"
#include "pool/policy.h"
#include "pool/pool.h"

struct unit;

/* What became of unit_describe. */
struct unit_describer {
  /* `json` is what the plugin says of itself (frame.h, DESCRIBE); NULL: err says why there is none.
   */
  void (*described) (void *ctx, const char *json, size_t len, const struct error *err);
  void *ctx;
  /* So many processes are to be ready by then, and stay.  0: one is enough, and it is stopped again
   * when nobody calls. */
  unsigned warm;
};

/* The plugin's file is a descriptor and is taken over; the policy is copied; the history is shared
 * with the plugin's other generations (NULL: there are none). */
struct unit *unit_new (struct pool *pool, const char *name, int plugin_fd,
                       const struct policy *policy, struct history *history);
/* Of the same file and policy another one, whose tools a builder of the plugin makes for a tenant;
 * the order is copied.  It has a history of its own. */
struct unit *unit_new_built (const struct unit *of, const struct build_order *order);
struct unit *unit_ref (struct unit *unit);
void unit_unref (struct unit *unit);
/* Forget who was to be told of the description (whoever asked is going away). */
void unit_forget_describer (struct unit *unit);

/* Start workers to ask the plugin what it offers. */
void unit_describe (struct unit *unit, const struct unit_describer *describer);

/* What it is known to say of itself: a worker that says anything else has loaded another file (one
 * that was written over instead of replaced) and is not used. */
void unit_set_description (struct unit *unit, const char *json, size_t len);

/* How many calls one process takes at the same time: 1, the policy's threads, or many. */
void unit_set_capacity (struct unit *unit, unsigned calls);

/* Calls come from here on: as many workers as the policy wants are kept ready. */
void unit_serve (struct unit *unit);

enum unit_refusal { UNIT_TAKEN, UNIT_QUEUE_FULL, UNIT_UNAVAILABLE };
struct unit_answer {
  enum unit_refusal refusal;
  const char *why;        /* for the log, when refused */
  int64_t retry_after_ms; /* 0: not known */
};

/* Queue a job, or send it at once.  Refused: the job is still the caller's. */
struct unit_answer unit_submit (struct unit *unit, struct job *job);

/* End quarantine and back-off, and try again what could not be loaded. */
void unit_release (struct unit *unit);

/* Another generation has taken over: what waits and runs is finished, and each worker goes when it
 * has nothing to do. */
void unit_supersede (struct unit *unit);

/* Stop all workers; kills those that don't.  For the end of the daemon. */
void unit_shutdown (struct unit *unit);

/* Of one whose tools are built: whose they are; else NULL. */
const char *unit_tenant (const struct unit *unit);
/* It could not be described: would another try perhaps end otherwise? */
bool unit_may_pass (const struct unit *unit);
const struct policy *unit_policy (const struct unit *unit);

/* For people and for metrics; texts are the unit's, good until it is touched. */
struct unit_status {
  /* "idle", "starting", "running", "backing_off", "quarantined", "half_open", "draining", "broken"
   */
  const char *state;
  const char *why; /* of the last end that somebody is to blame for, or NULL */
  int64_t wait_ms; /* what is left of back-off or quarantine; 0: none */
  uint64_t generation;
  unsigned workers, starting, running, queued;
  unsigned idle, busy, leaving; /* processes: ready and without a call, with one, to be gone */
  uint64_t rss; /* bytes of its processes together, as the kernel says; 0: not seen */
  /* of those that have ended, too; likewise */
  uint64_t rss_peak; /* bytes of the one that had most */
  int64_t cpu_ns;
  const char *guarantees; /* JSON object, or NULL before the first worker */
};
void unit_status (const struct unit *unit, struct unit_status *status);

#endif
