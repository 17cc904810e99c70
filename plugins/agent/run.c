#include "run.h"

#include <stdlib.h>
#include <string.h>

#include "service.h"

enum { POLL_MS = 500, POLL_MAX_MS = 5000 };

static const char LIMIT[] = "Function invocation limit reached before a final answer could be "
                            "produced.";

bool
run_fail (struct run *run, const char *what, const char *why)
{
  run->status = toolhost_fail (run->call, "agent_error", "The agent %s %s: %s",
                               text_get (&run->agent->name), what, why);
  return false;
}

static void
begin_turn (struct run *run)
{
  turn_free (&run->turn);
  for (size_t i = 0; i < TURN_CALLS_MAX; i++)
    text_free (&run->outcomes[i].text);
  memset (&run->turn, 0, sizeof run->turn);
  memset (run->outcomes, 0, sizeof run->outcomes);
  memset (run->done, 0, sizeof run->done);
  memset (run->asks, 0, sizeof run->asks);
  run->turn.pool = &run->pool;
}

void
run_end (struct run *run)
{
  begin_turn (run);
  text_free (&run->context);
  text_free (&run->task);
  values_free (&run->pool);
}

static void
keep_ids (struct run *run)
{
  if (run->turn.context.len != 0) {
    text_clear (&run->context);
    text_add (&run->context, text_get (&run->turn.context));
  }
  text_clear (&run->task);
  text_add (&run->task, text_get (&run->turn.task));
}

/* One request. */
static bool
ask (struct run *run, bool poll)
{
  const struct question q = { .agent = run->agent,
                              .items = poll ? &value_no_items : run->items,
                              .tools = run->tools,
                              .no_tools = run->spent,
                              .context = text_get (&run->context),
                              .task = text_get (&run->task) };

  begin_turn (run);
  if (!service_ask (run->call, &q, &run->turn, &run->told)) {
    run->status = TOOLHOST_CANCELLED;
    return false;
  }
  keep_ids (run);
  if (!values_ok (&run->pool) || !text_ok (&run->turn.text))
    return run_fail (run, "failed", "there is no memory for its answer");
  if (run->turn.state == TURN_FAILED)
    return run_fail (run, "failed", text_get (&run->turn.error));
  return true;
}

/* A task that goes on after its answer has ended is asked for, again and again. */
static bool
wait_for_task (struct run *run)
{
  int64_t ms = POLL_MS;

  while (run->turn.state == TURN_RUNS && run->task.len != 0) {
    if (toolhost_sleep (run->call, ms) != TOOLHOST_OK) {
      run->status = TOOLHOST_CANCELLED;
      return false;
    }
    ms = 2 * ms < POLL_MAX_MS ? 2 * ms : POLL_MAX_MS;
    if (!ask (run, true))
      return false;
  }
  return true;
}

/* The agent wants to know something: so does this call. */
static bool
pass_question_on (struct run *run)
{
  static const char schema[] = "{\"type\":\"object\",\"properties\":{\"answer\":{\"type\":"
                               "\"string\"}},\"required\":[\"answer\"]}";
  char key[32];

  (void) snprintf (key, sizeof key, "input.%lld", (long long) run->iterations);
  switch (toolhost_ask_form (run->call, key, schema, "%s", text_get (&run->turn.text))) {
  case TOOLHOST_OPEN:
    if (!run_keep (run))
      return run_fail (run, "asks", "what it has done is too much to be kept until the answer");
    run->status = TOOLHOST_ASKED;
    return false;
  default: /* nobody can be asked: the question is its answer */
    run->turn.state = TURN_DONE;
    return true;
  }
}

/* Does it go on with tools, or is this the answer? */
static bool
step (struct run *run, bool *answered)
{
  if (!ask (run, false) || !wait_for_task (run))
    return false;
  if (run->turn.state == TURN_ASKS && !pass_question_on (run))
    return false;
  *answered = run->turn.count == 0 || run->spent;
  if (*answered) {
    if (run->spent && strspn (text_get (&run->turn.text), " \t\r\n") == run->turn.text.len) {
      text_clear (&run->turn.text);
      text_add (&run->turn.text, LIMIT);
      run->turn.count = 0;
      run->turn.items = NULL;
    }
    return true;
  }
  run->iterations++;
  return run_tools (run);
}

/* U3-9: a limit ends with one request in which no tool may be called. */
static void
count (struct run *run)
{
  const struct agent *agent = run->agent;

  run->spent = run->iterations >= agent->iterations
               || (agent->calls != 0 && run->calls >= agent->calls)
               || (run->errors != 0 && run->errors >= agent->errors);
}

bool
run_on (struct run *run)
{
  bool answered = false;

  if (!run_find_tools (run))
    return false;
  if (run->turn.count != 0 && !run_tools (run)) /* those of the round before */
    return false;
  while (!answered) {
    count (run);
    if (!step (run, &answered))
      return false;
  }
  run->items = run->agent->protocol->said (&run->pool, run->items, &run->turn);
  return true;
}
