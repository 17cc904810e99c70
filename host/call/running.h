/* running.h - a call while it runs, as the files of the pipeline share it: calls.c keeps the set
 * and the memory, call.c leads a call to its worker, outcome.c takes what the pool says of it,
 * claim.c has the store know of it, approve.c has it wait for a person, batch.c for others,
 * guarding.c has guards look at it, reading.c reads what skills bring, finish.c ends it, call_log.c
 * writes of it.  Nobody else includes this.  Loop thread only. */
#ifndef TOOLHOST_CALL_RUNNING_H
#define TOOLHOST_CALL_RUNNING_H

#include "base/hash.h"
#include "call/calls.h"
#include "call/circuits.h"
#include "call/claim.h"
#include "call/tenancy.h"
#include "pool/job.h"

enum { CALL_ID_MAX = 128 };

struct approving; /* approving.h */
struct batch_member;
struct batches;    /* batching.h */
struct call_trace; /* call_trace.c */
struct guarding;   /* guarding_parts.h */
struct preview;
struct results;

/* For whom results are shortened. */
struct previewing {
  struct results *results;
  bool promised; /* by an outputSchema: what is structured */
};

struct calls {
  struct ev_loop *loop;
  struct log *log;
  struct metrics *metrics;
  struct calls_settings settings;
  struct previewing previewing[2]; /* by whether it is promised */
  struct job_maker makers[2];
  struct ask_rules *ask_rules;
  struct claims *claims;        /* NULL: nothing is claimed */
  struct approvals *approvals;  /* NULL: nobody is asked */
  struct approving *approvings; /* calls that wait for a person, and those that were approved */
  struct batches *batches;      /* calls that belong together; NULL: there were none */
  unsigned unapproved;          /* of the running ones, how many wait for a person */
  struct call *by_id;           /* nobody, and behind it the running calls */
  struct call *nobody;          /* so that the index is not made anew for every single call */
  struct call_circuits circuits;
  struct call *spare; /* call structs to use again */
  unsigned spare_count;
  unsigned running;
  bool draining;
  uint64_t id_seed, ids;
  ev_tstamp second; /* begin of the second whose log lines are counted */
  unsigned lines;
  uint64_t lines_left_out;
};

struct call {
  struct job job; /* first: the pool hands it back */
  struct calls *calls;
  struct tool *tool;
  enum call_kind kind;
  char *uri; /* of a read */
  struct tool_stats *stats;
  const struct call_events *events;
  void *ctx;
  const char *front;
  char *caller; /* the memory of these three, each may be NULL */
  char *tenant, *principal, *session_id;
  bool indexed;
  bool retried;     /* after its process was lost; once, and only when the tool is idempotent */
  bool told;        /* its session has heard of it, which can't be taken back */
  bool waits;       /* counted among those of its tenancy that wait */
  bool admitted;    /* its tool's circuit waits for its end */
  bool hurried;     /* its deadline is its caller's idea */
  bool interrupted; /* its tool has been told to stop, and has until `deadline` */
  unsigned tries;   /* that failed, and were worth another one */
  ev_timer deadline;
  ev_timer again; /* until the next try */
  int64_t started_ns, sent_ns;
  uint64_t front_us;           /* from the begin of the turn that brought it until it was a call */
  size_t args_len;             /* of the arguments alone: answers and kept bytes stand after them */
  struct ask *ask;             /* once it has asked; NULL: not yet */
  unsigned askable;            /* enum frame_ask */
  bool may_approve;            /* its caller has the role … */
  bool asks_approval;          /* … and is asked */
  struct tenancy *tenancy;     /* of its caller; NULL: nobody counts */
  int64_t deadline_ms;         /* the caller's wish */
  struct buf responses;        /* answers that came before their questions; empty: none */
  struct claim *claim;         /* NULL: its caller has not named it */
  struct approving *approving; /* it waits for a person, or its approved self runs; NULL: no */
  struct batch_member *member; /* until it begins; NULL: it belongs to no batch */
  bool must_be_known;          /* it needs approval and has none: won, it does not run */
  struct guarding *guarding;   /* its guards (guarding.h); NULL: it has none */
  bool kept;                   /* it has ended, and is told of when that is durable */
  struct call *outer;          /* the call whose tool invokes this one; NULL: none */
  struct toolset *toolset;     /* whose tools its own may invoke; NULL: none are granted */
  struct call_trace *trace;    /* its spans (call_trace.h); NULL: it is not sampled */
  struct call_reading *reading; /* what a skill brings is being read for it; NULL: no */
  struct call *next_spare;
  UT_hash_handle hh;
  /* What stands from here on is not cleared for the next call; the bufs are emptied. */
  char id[CALL_ID_MAX + 1];
  char approval[40]; /* by which it was approved; "": it needed none */
  struct buf args;
  struct buf meta;
  struct buf repairs; /* of the arguments, as the result tells them; empty: none */
};

/* ---- calls.c ---- */

/* An empty call, counted as running. */
struct call *call_alloc (struct calls *calls);
/* Give back all it holds. */
void call_release (struct call *call);
/* Nobody finds it by its id any more. */
void call_unindex (struct call *call);
/* It waits for a worker no longer, or never did. */
void call_waits_no_more (struct call *call);
/* NULL where nothing is counted. */
struct tool_stats *calls_stats_of (const struct calls *calls, struct tool *tool);

/* ---- trouble.c ---- */

/* Hand it to its unit.  False: the unit refused it, and it has ended. */
bool call_submit (struct call *call);
enum failure call_failure_of (enum call_error error, const char *code);
/* 0: its tool's circuit lets it through, else the milliseconds until it may. */
int64_t call_admit (struct call *call);
/* Its end, for the circuit. */
void call_report (struct call *call, const struct result *result);
/* Its tool failed.  True: it is tried again, after a while. */
bool call_try_again (struct call *call, enum call_error error, const char *code);

/* ---- call.c ---- */

/* It may begin, of this request.  `stood`: its clock did not run while it waited. */
void call_begin (struct call *call, const struct call_request *request, bool stood);

/* ---- outcome.c ---- */

/* What the pool reports of a call's job. */
extern const struct job_events call_job_events;
/* How its job has ended, when its guards have seen that. */
void call_outcome (struct call *call, const struct job_end *end);
struct usage call_usage_of (const struct job_end *end);

/* ---- invoke.c ---- */

/* What it takes to have other tools invoked by this one, where its plugin may. */
void call_may_invoke (struct call *call, const struct call_request *request);
/* As job_events have it. */
enum frame_served_status call_list_tools (struct job *job, const char *json, size_t len,
                                          struct buf *out);
bool call_invoke (struct job *job, const char *json, size_t len, struct invoker *invoker);

/* ---- reading.c ---- */

/* Read what its URI names of its skill; it ends with that. */
void call_read (struct call *call);
/* It ends now; what is being read for it is not wanted. */
void call_forget_reading (struct call *call);

/* ---- held.c ---- */

/* Take what a tool was told of who calls into a request; lives as long as the text and the arena.
 */
void call_take_meta (struct call_request *request, const char *meta, size_t len,
                     struct arena *arena);

/* ---- rounds.c ---- */

/* Put what the rounds before have brought behind the arguments. */
void call_fill_job (struct call *call);
/* Its tool has asked. */
void call_asked (struct call *call, const struct job_end *end, struct usage usage);

/* ---- approve.c and what stands with it in approving.h ---- */

enum approve { APPROVE_NOT_NEEDED, APPROVE_WAITS, APPROVE_ENDED };
struct arguments;
/* Does it need a person's approval?  If so it waits for that, and holds nothing else. */
enum approve call_approve (struct call *call, const struct call_request *request);
/* Its caller has lost interest (`call->events` NULL: and is gone), or has it stopped.  False: it is
 * not one that waits. */
bool call_unapprove (struct call *call, bool interrupt);
/* It needs approval because another call of its batch does: its caller decides. */
enum approve call_approve_beside (struct call *call, const struct call_request *request);
/* Nothing of it runs yet. */
bool approving_waits (const struct approving *approving);
/* The daemon stops: who waits for a person is told so, and what was asked stays asked. */
void calls_leave_approvals (struct calls *calls);
void calls_free_approvals (struct calls *calls);

/* ---- batch.c ---- */

/* From here on it is one of its request's batch, if that has one. */
void call_join_batch (struct call *call, const struct call_request *request);
/* It needs no approval.  True: it waits for others of its batch, and begins with them. */
bool call_waits_for_batch (struct call *call, const struct call_request *request);
/* It waits in the book, as this. */
void call_name_in_batch (struct call *call, const struct approval_facts *facts);
/* It is handed back to its caller, undecided, and ends. */
void call_hand_over_in_batch (struct call *call);
/* It ends, or what it waits for has begun before. */
void call_leave_batch (struct call *call);
/* It waits until people have decided about others. */
bool call_stands_still (const struct call *call);
/* It was approved.  True: it begins with its batch, and not yet. */
bool calls_batch_keeps (struct calls *calls, const struct approval_facts *facts);
/* There is a book. */
void calls_watch_batches (struct calls *calls);
/* The daemon stops: what waits for others is told so. */
void calls_leave_batches (struct calls *calls);
void calls_free_batches (struct calls *calls);

/* ---- shorten.c ---- */

void calls_make_makers (struct calls *calls);
/* What is made of large results of this call; NULL: they go to the caller whole. */
const struct job_maker *call_maker (const struct calls *calls, const struct tool *tool,
                                    const struct call_request *request);
/* What the model is shown of a result that is too large, the caller's to free; NULL: all of it. */
struct preview *call_preview (struct call *call, const struct job_end *end);
/* Show that (NULL: nothing happens) in the place of the result, and keep the rest. */
void call_shorten (struct call *call, struct preview *preview, struct result *result);
/* A message that is too long is cut; it is in `text` then. */
void call_shorten_message (const struct call *call, struct buf *text, struct result *result);

/* ---- finish.c ---- */

/* Tell the front, count, log, forget.  `cause` is for the log, and for the model of a tenant that
 * gets detailed errors where nothing else is said; or NULL. */
void call_finish (struct call *call, struct result *result, const char *cause);
void call_finish_error (struct call *call, enum call_error error, const char *cause);
/* The last of it: this is what its caller is told, once it is durable where that is due. */
void call_settle (struct call *call, struct result *result);
/* Its end is durable: this is what its caller is told.  Its claim is gone. */
void call_kept (struct call *call, const struct result *result);
/* Tell its caller, and forget it: neither counted nor logged. */
void call_tell (struct call *call, const struct result *result);
/* Refuse what never became a call.  `tool` is NULL when there is none of that name. */
void call_refuse (struct calls *calls, struct tool *tool, const struct call_request *request,
                  const struct call_events *events, void *ctx, struct result *result);

#endif
