/* job.h - a call as the pool sees it: work for one unit.  Part of the caller's own struct; the
 * caller keeps everything it points to until it has ended.  Loop thread only. */
#ifndef TOOLHOST_POOL_JOB_H
#define TOOLHOST_POOL_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/frame.h"
#include "pool/reason.h"

struct buf;
struct call_service;
struct checking;
struct flow;
struct job;
struct json_tape;
struct span; /* watch/trace.h */
struct unit;
struct worker;

enum job_fate {
  JOB_RESULT,      /* the worker answered */
  JOB_CRASHED,     /* its process died under it; text says how */
  JOB_LOST,        /* its process was killed because of another call */
  JOB_UNAVAILABLE, /* the plugin can't be run now; text says why */
  JOB_NO_MEMORY,   /* there was no room for its result */
  JOB_OVERLOADED   /* it lost its place in the queue to a caller with fewer calls */
};

/* How a job ended; lives while `ended` runs. */
struct job_end {
  enum job_fate fate;
  const struct frame_result *result;       /* JOB_RESULT: outcome, lengths, cost */
  const char *code;                        /* result->code_len bytes, checked */
  const char *message;                     /* UTF-8 */
  const char *structured;                  /* JSON, read strictly */
  const struct json_tape *structured_tape; /* onto this; NULL when there is none */
  const char *content;                     /* JSON array as job.content says, read strictly */
  struct buf *room;                        /* empty, of about the size of an answer, and to be taken
                                            * by who makes one; NULL: the result is small */
  void **made;                             /* what job.maker made, and to be taken; NULL: it was not
                                            * asked, the result is small */
  const char *kept;                        /* what an asking tool keeps, result->kept_len bytes */
  const char *text;                        /* the other fates: a sentence for the log */
  enum reason reason;                      /* JOB_CRASHED: why its process ended */
  int64_t retry_after_ms;                  /* JOB_UNAVAILABLE, JOB_OVERLOADED; 0: not known */
  uint64_t rss_peak; /* of its process so far, bytes, as the kernel says; 0: not known */
};

/* What the caller makes of a large result, in the thread that reads it: `make` touches nothing but
 * the result and `ctx`, which outlives that thread; `drop` frees what nobody took. */
struct job_maker {
  void *(*make) (void *ctx, const struct job_end *end);
  void (*drop) (void *made);
  void *ctx;
};

/* Who waits for other tools that a job invokes; part of its own struct. */
struct invoker {
  /* They have ended, all of them: what FRAME_SERVICE_INVOKE is answered with (frame.h).  Possibly
   * before `invoke` returns. */
  void (*answered) (struct invoker *invoker, enum frame_served_status status, const char *json,
                    size_t len);
  /* Set by `invoke`, while something is under way; else NULL: nobody waits any more. */
  void (*leave) (struct invoker *invoker);
  void *invoked;
};

struct job_events {
  void (*started) (struct job *job); /* it was sent to a worker */
  void (*progress) (struct job *job, double done, double total, const char *text, size_t len);
  void (*log) (struct job *job, int level, const char *text, size_t len);
  /* An event of its tool's, as said_event takes it (said.h); false: it is none. */
  bool (*event) (struct job *job, int level, const char *text, size_t len, size_t name_len);
  /* An event for its session's user, read strictly: an object with a type.  Only of a job that is
   * in a session. */
  void (*emitted) (struct job *job, const char *json, size_t len);
  /* What it wants of its session (FRAME_SERVICE_STATE of frame.h), not looked at yet; likewise. The
   * status, with the body of the answer in `out`, and in *cost about how many bytes were handled;
   * 0: no worker of ours wants that. */
  enum frame_served_status (*state) (struct job *job, const char *json, size_t len, struct buf *out,
                                     size_t *cost);
  /* Which tools it may invoke, and that it invokes some (FRAME_SERVICE_TOOLS,
   * FRAME_SERVICE_INVOKE); not looked at yet.  0, false: no worker of ours wants that. */
  enum frame_served_status (*tools) (struct job *job, const char *json, size_t len,
                                     struct buf *out);
  bool (*invoke) (struct job *job, const char *json, size_t len, struct invoker *invoker);
  /* Its worker says that it has used up its processor time: for job_cancel. */
  void (*overran) (struct job *job, uint64_t cpu_ns);
  /* Exactly once, unless the job was cancelled.  The job is the caller's again. */
  void (*ended) (struct job *job, const struct job_end *end);
};

/* What the daemon did for a call besides running it. */
struct job_services {
  uint32_t requests;       /* over HTTP */
  uint64_t sent, received; /* bytes of their bodies */
};

struct job {
  /* the caller's */
  const struct job_events *events;
  uint32_t tool;              /* index in the plugin's description */
  const char *name;           /* of the tool, for its part of the policy; NULL: it has none */
  const char *id;             /* of the call, for the log; NULL: none */
  enum frame_content content; /* what it gives; FRAME_VALUES: it is a completion */
  const char *args;
  size_t args_len;
  uint32_t answers_len; /* of them, at the end, answers of earlier rounds, … */
  uint32_t kept_len;    /* … and after these what the tool kept */
  uint32_t askable;     /* enum frame_ask */
  const char *meta;     /* JSON object, or NULL */
  size_t meta_len;
  int64_t deadline_ns;  /* CLOCK_MONOTONIC; INT64_MAX: none */
  uint32_t cpu_ms;      /* of processor time; 0: as the plugin's policy says */
  size_t result_max;    /* bytes; likewise */
  unsigned *waiting;    /* how many calls of its tool wait; NULL: nobody counts */
  unsigned waiting_max; /* how many may */
  bool wants_progress;
  bool in_session;               /* its events are wanted */
  bool on_error;                 /* of a guard: its error function is wanted */
  struct call_service *phone;    /* of its session, as long-lived as the job; NULL: none */
  const char *tenant;            /* NULL: "default" */
  const char *principal;         /* in the tenant; NULL: nobody in particular */
  const struct job_maker *maker; /* NULL: nothing; lives as long as the pool */
  const struct span *span; /* what is asked of the daemon meanwhile is part of it; NULL: of none */
  /* the pool's */
  struct unit *unit;     /* not NULL while queued or running */
  struct worker *worker; /* while running */
  uint64_t nonce;
  int64_t sent_ns,
    ended_ns; /* CLOCK_MONOTONIC: to its worker, and its worker's answer; 0: not yet */
  struct job_services services; /* so far */
  struct checking *checking;    /* its result has come, and is being read */
  struct flow *flow;            /* while queued: where */
  struct job *prev, *next;      /* in the flow */
};

/* Stop a job: a queued one is taken out, of a running one the worker is told, and condemned after
 * the grace period.  The job is the caller's again when this returns; ended is not called. */
void job_cancel (struct job *job, enum frame_cancel_reason reason);
/* Have its worker tell the tool that the call is cancelled, and nothing else: `ended` comes, with
 * what the tool has given by then, unless it is cancelled before.  False: no tool works on it. */
bool job_interrupt (struct job *job);

#endif
