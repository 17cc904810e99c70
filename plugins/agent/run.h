/* run.h - an agent at work: ask the model, run the tools it calls, tell it what came of them, and
 * so on until it answers or a limit is reached. */
#ifndef TOOLHOST_PLUGINS_AGENT_RUN_H
#define TOOLHOST_PLUGINS_AGENT_RUN_H

#include <toolhost.h>

#include "agent.h"
#include "protocol.h"

/* One call of an agent.  Everything in it is the pool's or ends with run_end. */
struct run {
  const struct agent *agent;
  toolhost_call *call;
  struct values pool;
  const struct value *items; /* the conversation */
  const struct value *tools; /* that the model is shown; NULL: none */
  struct text context, task; /* a2a */
  int64_t iterations, calls, errors;
  bool spent; /* it may call no more tools */
  struct turn turn;
  struct outcome outcomes[TURN_CALLS_MAX];
  bool done[TURN_CALLS_MAX];
  const struct value *asks[TURN_CALLS_MAX]; /* { key: kind } of calls that asked so far */
  double told;
  toolhost_status status; /* how the call ends, once run_on says false */
};

/* Go on until there is an answer, in run->turn.text.  False: the call ends with run->status, and
 * has been told why. */
bool run_on (struct run *run);
void run_end (struct run *run);

/* The call fails with agent_error; false. */
bool run_fail (struct run *run, const char *what, const char *why);

/* ---- tools.c ---- */

/* Which tools the model is shown. */
bool run_find_tools (struct run *run);
/* Run what the turn calls; false: the call ends, or asks. */
bool run_tools (struct run *run);

/* ---- keep.c ---- */

/* What a call that asks goes on with, in its next round; false: it is too much, or there was none.
 */
bool run_keep (struct run *run);
bool run_resume (struct run *run);

#endif
