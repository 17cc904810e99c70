/* run.h - the tools of a stream of AG-UI's events: what comes in goes out again, unchanged and
 * first; calls run as soon as they are whole, several at once; what became of them goes out as
 * TOOL_CALL_RESULT, and what happens to them as CUSTOM "tool_execution".  RUN_FINISHED and
 * RUN_ERROR wait for what runs.  A tool that is not there is somebody else's: its call is passed
 * on, and no more.
 *
 * A tool that asks makes the run's outcome an interrupt; the resume entries of a later RUN_STARTED
 * answer it (interrupts.h).
 *
 * Calls go straight to the pipeline, not through a session: a run ends with its stream, its ids are
 * its own, and its tools may ask.  Loop thread only. */
#ifndef TOOLHOST_FRONT_AGUI_RUN_H
#define TOOLHOST_FRONT_AGUI_RUN_H

#include "base/json_tape.h"
#include "front/front.h"
#include "front/rest/asks.h"

struct agui_run;

struct agui_settings {
  const struct front_env *env;
  struct rest_asks *asks;               /* where those go that ask; NULL: they can't */
  const char *principal, *tenant;       /* copied */
  const char *traceparent, *tracestate; /* of its request, copied; NULL: none */
  bool traced;                          /* its calls are part of this span, or not traced … */
  struct span *span;                    /* … (NULL); referred to */
  bool may_approve;                     /* it has the role */
  const struct json_limits *limits;     /* of an event */
  bool verify;                          /* refuse what breaks the protocol's rules */
  /* What the caller is served now, borrowed. */
  struct toolset *(*toolset) (void *ctx);
  int64_t (*now_ms) (void *ctx); /* of the wall clock */
  /* An event, on one line.  The run may be freed in it. */
  void (*say) (void *ctx, const char *json, size_t len);
  /* All was said; the run may be freed in it. */
  void (*over) (void *ctx);
  void *ctx;
};

struct agui_run *agui_run_new (const struct agui_settings *settings);
/* What runs is given up; nothing is said any more. */
void agui_run_free (struct agui_run *run);

/* Bytes of the stream: server-sent events, or JSON, one a line.  `end`: there will be no more, and
 * `over` comes, possibly before this returns. */
void agui_run_feed (struct agui_run *run, const char *bytes, size_t len, bool end);

/* A whole run of its own, from a RunAgentInput: the calls of its messages that have no answer among
 * them, and what its resume entries answer. */
void agui_run_input (struct agui_run *run, const struct json_tape *tape,
                     const struct json_node *input);

#endif
