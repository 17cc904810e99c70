/* tool_call.h - one call while a plugin works on it: arguments, answers to what the plugin asks of
 * the host, the result as it grows, and how it ends.
 *
 * Knows nothing of sockets and threads' queues: whoever runs calls (the worker, the mock host)
 * gives a port.  Between tool_call_begin and tool_call_run nobody but the owner touches it; while
 * it runs the plugin uses it from one thread at a time, and tool_call_cancel may come from any. */
#ifndef TOOLHOST_WORKER_TOOL_CALL_H
#define TOOLHOST_WORKER_TOOL_CALL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <toolhost.h>

#include "base/buf.h"
#include "base/frame.h"
#include "base/json_tape.h"
#include "worker/ask.h"
#include "worker/parts.h"
#include "worker/plugin.h"
#include "worker/service.h"

struct tool_call;

/* Where calls run.  `ctx` is the owner's.  progress, log and ended may come from any thread. */
struct call_port {
  int64_t (*now) (void *ctx); /* nanoseconds of the clock that deadlines are told in */
  /* The plugin asks whether to go on (cancelled, time_left, sleep).  NULL: nobody wants to know. */
  void (*asked) (void *ctx, struct tool_call *call);
  /* Wait until the clock says `until` or the call is cancelled; both may be long past. */
  void (*sleep) (void *ctx, struct tool_call *call, int64_t until);
  /* `text` is UTF-8. */
  void (*progress) (void *ctx, struct tool_call *call, double done, double total, const char *text,
                    size_t len);
  void (*log) (void *ctx, struct tool_call *call, int32_t level, const char *text, size_t len);
  /* An event with a JSON object; `call` NULL: it belongs to none. */
  void (*event) (void *ctx, struct tool_call *call, int32_t level, const char *name,
                 const char *members, size_t len);
  /* An event for the user of the call's session: a JSON object. */
  void (*emit) (void *ctx, struct tool_call *call, const char *json, size_t len);
  /* A call that tool_call_run had left open has ended: deliver its result. */
  void (*ended) (void *ctx, struct tool_call *call);
  /* The plugin says that something has changed; `uri` is "" where there is none.  Any thread. */
  void (*changed) (void *ctx, enum frame_change what, const char *uri);
  /* A granted secret, as long-lived as the port; NULL: not granted.  NULL: none are. */
  const char *(*secret) (void *ctx, const char *name);
  /* Ask the daemon for something; what comes of it is given to service_deliver. */
  void (*service) (void *ctx, struct tool_call *call, const struct frame_service *head,
                   const void *data, size_t len);
  /* Wait until something has been delivered, or the call is over. */
  void (*await) (void *ctx, struct tool_call *call);
  /* What the host offers beyond the table; NULL: nothing. */
  const void *(*extension) (void *ctx, const char *id);
};

enum call_stage { STAGE_BEGUN, STAGE_ALLOWED, STAGE_VALIDATE, STAGE_EXECUTE };

/* The processor clock of a thread that runs calls; zero at first.  Reading it is a system call, so
 * it is read seldom: the cost of a call that takes next to no time is its time on the wall, and the
 * first longer one after such calls may be told up to a millisecond too much, never more than its
 * time on the wall. */
struct cpu_meter {
  int64_t cpu;  /* nanoseconds, when it was last read */
  int64_t wall; /* when that was, by the port's clock */
  bool quick;   /* the last call took next to no time */
};

struct tool_call {
  toolhost_call pub; /* first: all that a plugin sees */
  const struct plugin_host *host;
  const struct plugin_tool *tool;

  uint64_t id;
  int64_t deadline; /* of the port's clock; INT64_MAX: none */
  bool wants_progress;
  unsigned wanted;   /* FRAME_CALL_COMPLETE, _LIST or _ON_ERROR; 0: the work */
  double progressed; /* the last progress told */
  bool in_session;   /* it is a session's, which takes its events */
  size_t emitted;    /* bytes of them */
  bool committed;    /* it has changed its session for good */

  struct arena arena; /* lives until the call has ended */
  struct lazy_json args;
  struct lazy_json meta; /* as of struct frame_call */
  struct parts parts;
  struct asking asking;
  struct service service;

  atomic_bool cancelled;
  enum call_stage stage;
  enum frame_outcome outcome; /* when ended */
  struct cpu_meter *meter;    /* of the thread it runs on */
  int64_t wall_started;       /* of the port's clock */
  _Atomic int64_t cpu_began;  /* the meter at its start; -1: it has not begun */
  int64_t wall_ns, cpu_ns; /* of the callbacks; of a retained call wall_ns until its completion */

  pthread_mutex_t lock; /* of what follows */
  pthread_cond_t woken; /* CLOCK_MONOTONIC */
  bool retained, returned, completed;
  bool stray;            /* retained, and execute did not say LATER: the plugin may still hold it */
  toolhost_status final; /* when completed */
  const char *broken;    /* a static sentence: which rule the tool broke */
};

/* A call may be begun and ended any number of times between init and destroy. */
void tool_call_init (struct tool_call *call);
void tool_call_destroy (struct tool_call *call);

/* `args` and `meta` must live until the call ends (its arena is a good place). */
void tool_call_begin (struct tool_call *call, const struct plugin_host *host,
                      const struct plugin_tool *tool, uint64_t id, int64_t deadline,
                      size_t result_max);
/* After tool_call_begin: what FRAME_CALL_… say of it: that it is about values for an argument,
 * about which resources there are, or for the error function of a guard; that it is in a session.
 */
void tool_call_wants (struct tool_call *call, unsigned flags);
void tool_call_texts (struct tool_call *call, const char *args, size_t args_len, const char *meta,
                      size_t meta_len);

/* What may be asked, and what was answered and kept in the rounds before (likewise). */
void tool_call_rounds (struct tool_call *call, unsigned kinds, const char *answers,
                       size_t answers_len, const char *kept, size_t kept_len);

/* can_execute, validate, execute (or complete, or list), on the thread of this meter.  True: it has
 * ended. False: it was retained; the port's `ended` will come, possibly before this returns, so the
 * call must not be looked at any more. */
bool tool_call_run (struct tool_call *call, struct cpu_meter *meter);

/* Any thread. */
void tool_call_cancel (struct tool_call *call);

/* End a call that never ran. */
void tool_call_refuse (struct tool_call *call);

/* Has the caller lost interest, or is the deadline past? */
bool tool_call_is_over (const struct tool_call *call);

/* What there is to tell when the call has ended; the texts live until tool_call_end. */
struct call_answer {
  enum frame_outcome outcome;
  struct span {
    const char *text;
    size_t len;
  } code, message, structured, content, kept;
};
void tool_call_answer (struct tool_call *call, struct call_answer *answer);

/* Give back what the call holds. */
void tool_call_end (struct tool_call *call);

/* For the host's table (host_table.c). */
toolhost_status tool_call_retain (struct tool_call *call);
toolhost_status tool_call_complete (struct tool_call *call, toolhost_status status);

#endif
