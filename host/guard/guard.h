/* guard.h - the built-in guards: what looks at the arguments of a call before its tool has them, or
 * at its result before a model has it, and says whether it may pass.
 *
 * A guard is compiled once from its configuration (guards.schema.json describes each) and is then
 * immutable: it may be used in any thread.  No guard reads files, speaks to a network or keeps
 * state. Which guards stand where, and in what order, is not known here.
 *
 * All texts of a value are looked at, however deep they stand; numbers too where a guard looks for
 * numbers, and member names where its configuration says `"names": true`.  The data of image and
 * audio parts of a result is passed over.
 *
 * What it costs: each built-in guard goes over a text once, in 1 to 8 ns for each byte, plus what
 * is written again when something is redacted.  The work of one check is counted in steps of about
 * that size and is bounded by the case's budget; whoever passes more than guard_steps says it takes
 * should have a thread do it.  Over budget the verdict is GUARD_FAIL: what has not been looked at
 * does not pass. */
#ifndef TOOLHOST_GUARD_GUARD_H
#define TOOLHOST_GUARD_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json_tape.h"

enum guard_stage { GUARD_INPUT, GUARD_OUTPUT };

enum guard_verdict {
  GUARD_ALLOW,
  GUARD_REPLACE, /* the value goes on as guard_says.value has it */
  GUARD_REJECT,  /* it does not go on; guard_says.text is for the model */
  GUARD_FAIL     /* the guard could not do its work; guard_says.text is for the log */
};

/* Compiled. */
struct guard;

/* The published schema of guards' configuration, as text: its "$defs/guard" is one guard. */
extern const char guards_schema_json[];

/* Names of the built-in guards, ended by NULL. */
extern const char *const guard_names[];

/* Compile { "guard": "pii", ... }, a node of a tape that need not outlive the call.  Members that
 * say where a guard stands (guard_places) are not looked at.  NULL: err begins with the JSON
 * pointer, from `config`, of what is wrong. */
struct guard *guard_new (const struct json_tape *tape, const struct json_node *config,
                         struct error *err);
void guard_free (struct guard *guard);
/* "pii" */
const char *guard_name (const struct guard *guard);

/* Members of a guard's configuration that whoever runs guards reads; ended by NULL. */
extern const char *const guard_places[];

/* About 10 ms of work. */
enum { GUARD_BUDGET = 4 * 1024 * 1024 };

struct guard_case {
  enum guard_stage stage;
  const char *tool;             /* its name, for texts; NULL when there is none */
  const struct json_tape *tape; /* has passed json_read */
  /* the arguments, or a result: { "content": [...], "structured": ..., "message": ... } */
  const struct json_node *value;
  int64_t budget; /* steps; 0: GUARD_BUDGET */
};

/* Zero-initialised by the caller, who frees the two. */
struct guard_says {
  enum guard_verdict verdict;
  struct buf text;  /* no NUL at its end; never quotes what was found */
  struct buf value; /* of GUARD_REPLACE: the whole value again, as JSON; what was not changed stands
                       there to the byte */
  unsigned found;   /* what the guard looks for, how often; of a rejection 1 at least */
};

void guard_check (const struct guard *guard, const struct guard_case *one, struct guard_says *says);

/* About the steps that a value of `len` bytes takes at most, if it was not made to be slow; compare
 * with GUARD_BUDGET, and give a thread's check so many. */
int64_t guard_steps (const struct guard *guard, size_t len);

/* Does it have something to redact, so that logs should be redacted by it as well? */
bool guard_redacts (const struct guard *guard);
/* Redact a text of a log: JSON stays JSON, and any other text is taken as it is.  What a check
 * would reject is redacted here too.  A text too long to be looked at is redacted as a whole. */
void guard_redact (const struct guard *guard, struct buf *text);

#endif
