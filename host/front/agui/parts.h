/* parts.h - a run as its files share it: run.c leads it, execute.c runs its calls, interrupts.c is
 * about what they ask, tell.c writes what goes out.  Nobody else includes this. */
#ifndef TOOLHOST_FRONT_AGUI_PARTS_H
#define TOOLHOST_FRONT_AGUI_PARTS_H

#include "base/hash.h"
#include "base/json_write.h"
#include "call/batch.h"
#include "front/agui/chunks.h"
#include "front/agui/lines.h"
#include "front/agui/run.h"
#include "front/agui/verify.h"

/* A call, from its start to its result. */
struct agui_execution {
  struct agui_run *run;
  struct agui_execution *next, **prev; /* while it runs */
  struct call *call;                   /* NULL: it is being started */
  char *name;
  struct buf args;
  UT_hash_handle hh; /* while its arguments are written */
  char id[];
};

struct agui_run {
  struct agui_settings settings;
  char *principal, *tenant;
  char *traceparent, *tracestate; /* NULL: none */
  struct agui_lines lines;
  struct agui_chunks chunks;
  struct agui_verifier verifier;
  struct buf in; /* what has come, … */
  size_t at;     /* … and was taken of it */
  struct agui_execution *open, *running;
  struct call_batch *batch; /* of the calls that have come since it was read last; or NULL */
  char *thread, *id;        /* of the run */
  struct buf last;          /* RUN_FINISHED or RUN_ERROR, which waits for what runs; empty: none */
  struct buf interrupts;    /* of the run: objects with commas between them */
  struct buf fault;         /* why the stream is read no further */
  int64_t message_ms;       /* the last id that was given */
  unsigned busy;            /* calls into it on the stack */
  bool ended, stopped, told, dead;
};

/* ---- run.c ---- */

/* Between these two the run is not freed. */
void agui_enter (struct agui_run *run);
/* Go on with whatever can go on; the run may be gone. */
void agui_leave (struct agui_run *run);
/* Read no further; RUN_ERROR with this sentence follows what runs. */
void agui_stop (struct agui_run *run, const char *why, size_t len);

/* ---- execute.c ---- */

void agui_open (struct agui_run *run, const struct agui_event *start);
void agui_append (struct agui_run *run, const struct agui_event *args);
/* Its arguments are whole. */
void agui_launch (struct agui_run *run, const struct agui_event *end);
/* The same, of a call that comes whole. */
void agui_execute (struct agui_run *run, const char *id, const char *name, const char *args,
                   size_t len);
/* What was held goes on under this id.  The held call is gone. */
void agui_go_on (struct agui_run *run, const char *id, struct held *held);
/* What has come has come: the calls that may begin do.  False: there were none. */
bool agui_end_batch (struct agui_run *run);
/* Give up what runs and what is still written. */
void agui_give_up (struct agui_run *run);

/* ---- interrupts.c ---- */

/* What asks is kept, and becomes interrupts of the run.  False: there is no room for it. */
bool agui_interrupt (struct agui_run *run, const char *call, const struct result *result);
/* What was answered goes on. */
void agui_resume (struct agui_run *run, const struct json_tape *tape,
                  const struct json_node *resume);

/* ---- tell.c ---- */

void agui_say (struct agui_run *run, struct buf *json);
/* An event as it came. */
void agui_say_event (struct agui_run *run, const struct agui_event *e);
/* RUN_FINISHED as it came, or with the run's interrupts. */
void agui_say_finished (struct agui_run *run, const struct agui_event *e);
void agui_say_error (struct agui_run *run, const char *message, size_t len);
void agui_say_result (struct agui_run *run, const char *call, const struct result *result);
/* CUSTOM "tool_execution" { "status", "toolCallId", "toolCallName" }, … */
void agui_say_status (struct agui_run *run, const char *status, const char *call, const char *name);
void agui_say_progress (struct agui_run *run, const struct agui_execution *x, double done,
                        double total, const char *text, size_t len);
/* … with "result", as encodings.h has it, … */
void agui_say_succeeded (struct agui_run *run, const char *call, const char *name,
                         const struct result *result);
/* … with "error"; NULL: why the result failed. */
void agui_say_failed (struct agui_run *run, const char *call, const char *name, const char *error,
                      const struct result *result);

#endif
