/* run.h - a program running: its actions one after the other (S2-20 to S2-24), and the trace of
 * what they did (S2-27).  One thread for each run. */
#ifndef TOOLHOST_PLUGINS_ACTIONS_RUN_H
#define TOOLHOST_PLUGINS_ACTIONS_RUN_H

#include "surroundings.h"

/* How an action went. */
struct result {
  bool ok;
  const char *code, *message; /* of a failure */
  const char *reason;         /* of a webhook that got no answer: why; or NULL */
  int32_t status;             /* of a webhook; 0: none */
  unsigned attempts;          /* likewise */
  const struct value *errors; /* of validate; or NULL */
};

struct entry {
  const struct action *action;
  struct result result;
  int64_t ms;
  const struct value *missing; /* paths at which nothing was, a list */
  const char *branch;          /* of a conditional; or NULL */
  bool continued;              /* it failed, and the list went on */
};

struct run {
  const struct program *program;
  const struct surroundings *around;
  struct values *pool;
  bool strict; /* what is missing fails an action (A2-2) */

  const struct value *roots[ROOTS]; /* NULL: not looked up yet */
  const struct value *data;         /* what context.get found (A2-9) */
  struct text message;              /* all that was said */
  struct entry *entries;
  size_t entry_count;
  const struct value *missing; /* of the action that runs */
  const struct entry *failed;  /* what ended the list; or NULL */
  bool said;                   /* to a user */
  bool stop;                   /* a handoff ended the list (A2-19) */
  bool ok;
};

/* Run it with these arguments, an object.  `run` is zero but for program, around, pool and strict;
 * free it with run_free. */
void run_program (struct run *run, const struct value *arguments);
void run_free (struct run *run);
/* The value at a root, looked up when it was not yet. */
const struct value *run_root (struct run *run, enum root root);
/* For templates: what is missing is noted. */
struct lookup run_lookup (struct run *run);

/* The actions of a list that are done; the rest of them is in run_*.c.  Each gives its result. */
struct result run_set (struct run *run, const struct action *action);
struct result run_get (struct run *run, const struct action *action);
struct result run_flag (struct run *run, const struct action *action);
struct result run_webhook (struct run *run, const struct action *action);
struct result run_respond (struct run *run, const struct action *action);
struct result run_handoff (struct run *run, const struct action *action);
struct result run_validate (struct run *run, const struct action *action);

struct result run_done (void);
/* A failure; the message is formatted into the pool. */
struct result run_failed (struct run *run, const char *code, const char *fmt, ...)
  __attribute__ ((format (printf, 3, 4)));
/* Did templates of this action miss something, where that is a failure? */
bool run_missed (const struct run *run);
struct result run_missed_result (struct run *run);

/* The result for the model (A2-17), and the trace, without values. */
void run_write_output (const struct run *run, bool trace, struct text *out);
void run_write_trace (const struct run *run, struct text *out);
/* Why it failed. */
const char *run_code (const struct run *run);
const char *run_message (const struct run *run);

#endif
