/* guarding.h - what guards do with a call: before its tool has it, with what the tool gives, and
 * with how it fails (guards.h has the configuration).
 *
 *   on_invoke ─▶ run ─▶ on_output          on_error: whatever of the three has failed
 *
 * A call that no guard means has none of this: `call->guarding` is NULL, and that is all it costs.
 * For the files of the pipeline.  Loop thread only. */
#ifndef TOOLHOST_CALL_GUARDING_H
#define TOOLHOST_CALL_GUARDING_H

#include "call/call.h"
#include "pool/job.h"

struct tenancy;

/* Which guards mean it: those that its tenant has now. */
void call_find_guards (struct call *call);
void call_forget_guards (struct call *call);

enum guarded {
  GUARDED_PASSES,
  GUARDED_WAITS, /* `passed` comes later, or its end */
  GUARDED_ENDED  /* it was rejected, or failed; it is gone */
};
/* The guards of the input, in order. */
enum guarded call_guard_input (struct call *call, void (*passed) (struct call *call));

/* The same before a person is asked about it: the guards whose file wants that, and those that
 * redact, because what people are asked is written down.  GUARDED_WAITS: `passed` comes later, or
 * `dropped`, when the call has ended; GUARDED_ENDED: `dropped` has come. */
enum guarded call_guard_early (struct call *call, void (*passed) (void *ctx),
                               void (*dropped) (void *ctx), void *ctx);

/* What its tool gives.  True: the guards have it, and call_outcome is told of what they leave. */
bool call_guard_output (struct call *call, const struct job_end *end);

/* It has ended so, everything is counted and logged.  What is told instead takes the place of
 * `result`, in `room`; true: an error function works on it, and call_settle comes later. */
bool call_guard_error (struct call *call, struct result *result, struct buf *room);

/* It ends now: what guards still do is not wanted. */
void call_stop_guards (struct call *call);
/* What is told of it is with an error function: it is told as it is, at once.  False: it is not. */
bool call_settle_error (struct call *call);
/* For its budgets. */
void call_count_end (struct call *call, const struct result *result);

/* ---- texts of a call (guarding_texts.c) ---- */

/* Every text of a call that is written down, or told while it runs, passes here: what guards redact
 * is redacted.  The text as it is, or another one in `room`, which is empty; *len is its length. */
const char *call_redact (const struct call *call, const char *text, size_t *len, struct buf *room);
/* The same of a JSON text, which stays JSON.  NULL: nothing of it may be told. */
const char *call_redact_json (const struct call *call, const char *json, size_t *len,
                              struct buf *room);
/* The same of an event for the user, which keeps its "type". */
const char *call_redact_event (const struct call *call, const char *json, size_t *len,
                               struct buf *room);
/* The same of a text in a buf, also of a call that was refused before it was one: then by its
 * tenant and the tool's name. */
void call_redact_buf (const struct call *call, const char *tool, struct buf *text);
/* Is there a guard that would? */
bool call_may_redact (const struct call *call, const char *tool);

#endif
