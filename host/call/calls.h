/* calls.h - what the daemon needs to make the pipeline: its parts and its settings.  Fronts use
 * call.h alone.  Loop thread only. */
#ifndef TOOLHOST_CALL_CALLS_H
#define TOOLHOST_CALL_CALLS_H

#include <ev.h>

#include "call/call.h"
#include "schema/repair/repair.h"
#include "watch/log.h"
#include "watch/metrics.h"
#include "watch/pressure.h"

struct approval_rules; /* approval/rules.h */
struct approvals;      /* approval/approvals.h */
struct audit;          /* audit/audit.h */
struct claims_hooks;   /* claim.h */
struct offload;        /* base/offload.h */
struct results;        /* results.h */
struct store;          /* store/store.h */
struct tracer;         /* watch/trace.h */
struct turns;          /* watch/turns.h */
struct tenancies;      /* tenancy.h */

struct calls_settings {
  const struct pressure *pressure; /* of memory; NULL: there is no ceiling */
  int64_t deadline_ms;             /* of a tool that names none */
  unsigned running_max;            /* calls at the same time, all tools together */
  unsigned json_depth;             /* of arguments that come as text */
  unsigned
    log_per_second; /* lines about calls that went well or were too many; others are counted */
  struct results *results; /* where what is not shown is kept; NULL: everything is shown */
  struct offload *readers; /* read what skills bring */
  enum repair_mode repair; /* of tools and tenants that have no setting of their own */
  struct audit *audit;     /* hears of every call; NULL: nobody does */
  int audit_arguments;     /* enum audit_arguments (call_audit.h) */
  bool audit_required;     /* while it is not well, nothing is run */
  struct approval_rules *approval_rules; /* of all tenants (approval/rules.h); NULL: none */
  struct tracer *tracer;                 /* NULL: nothing is traced */
  const struct turns *turns;             /* of the loop; NULL: nobody knows when a request came */
  struct tenancies *tenancies;           /* on whose terms calls are taken; NULL: all on the same */
};

struct calls *calls_new (struct ev_loop *loop, struct log *log, struct metrics *metrics,
                         const struct calls_settings *settings);
/* Calls that their callers have named are claimed from now on (claim.h); once. */
struct calls_store {
  struct store *store;
  double again;                     /* seconds until it is asked again, if it was not available */
  double patience;                  /* seconds that a caller waits for its result to be kept */
  const struct claims_hooks *hooks; /* claim.h; what it has to be there for as long; or NULL */
};
void calls_keep (struct calls *calls, const struct calls_store *store);
/* No call must be running, and the store is closed. */
void calls_free (struct calls *calls);

/* Calls that need approval wait for it in this book from now on; after calls_keep, once.  The book
 * is made with calls_begin_approved as its settings' `approved`, and `calls` as its ctx. */
void calls_ask_people (struct calls *calls, struct approvals *book);
struct approval;
void calls_begin_approved (void *calls, struct approval *approval);

/* From the next call on. */
void calls_set_repair (struct calls *calls, enum repair_mode repair);
void calls_set_approvals (struct calls *calls, struct approval_rules *rules);

/* Refuse new calls from now on with tool_overloaded: the daemon is draining. */
void calls_drain (struct calls *calls);
/* Give back what is kept for the next calls. */
void calls_trim (struct calls *calls);
unsigned calls_running (const struct calls *calls);
/* None runs, and the store has heard of all that have. */
bool calls_are_settled (const struct calls *calls);
/* Cancel everything that still runs (done is called for each). */
void calls_cancel_all (struct calls *calls);

/* Label of an outcome in the metrics. */
const char *calls_outcome_name (unsigned outcome);
/* Label of a rule of repair. */
const char *calls_repair_name (unsigned rule);

#endif
