#include <string.h>

#include "base/frame.h"
#include "call/ask.h"
#include "call/running.h"
#include "pool/unit.h"

void
call_fill_job (struct call *call)
{
  const struct ask *ask = call->ask;

  call->args.len = call->args_len;
  call->job.answers_len = call->job.kept_len = 0;
  if (ask != NULL) {
    buf_append (&call->args, ask->answers.data, ask->answers.len);
    buf_append (&call->args, ask->kept.data, ask->kept.len);
    call->job.answers_len = (uint32_t) ask->answers.len;
    call->job.kept_len = (uint32_t) ask->kept.len;
  }
  call->job.args = call->args.data;
  call->job.args_len = call->args.len;
}

/* Take the questions; false: err says what is wrong with them. */
static bool
take_questions (struct call *call, const struct job_end *end, struct error *err)
{
  const struct json_node *asked =
    end->structured_tape != NULL ? json_root (end->structured_tape) : NULL;

  if (call->ask == NULL)
    call->ask = ask_new ();
  memcpy (call->ask->approval, call->approval, sizeof call->ask->approval);
  if (++call->ask->rounds > ASK_ROUNDS_MAX)
    return error_set (err, "asks more than %d times", ASK_ROUNDS_MAX);
  if (!ask_open (call->ask, calls_ask_rules (call->calls), end->structured_tape, asked,
                 call->askable, err))
    return false;
  call->ask->kept.len = 0;
  buf_append (&call->ask->kept, end->kept, end->result->kept_len);
  return true;
}

/* Answers that came along with the call: enough for it to go on?  False: err, when set, says that
 * one of them is not what its question wants. */
static bool
answer_at_once (struct call *call, struct error *err)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  size_t taken = 0;

  return call->responses.len != 0
         && json_read (&tape, call->responses.data, call->responses.len, &json_default_limits,
                       &arena)
         && ask_answer (call->ask, calls_ask_rules (call->calls), &tape, json_root (&tape), &taken,
                        err)
         && taken != 0 && call->ask->open_count == 0;
}

static void
run_again (struct call *call, struct usage usage)
{
  struct unit_answer answer;
  struct result result = { .usage = usage };

  call_fill_job (call);
  answer = unit_submit (call->tool->unit, &call->job);
  if (answer.refusal == UNIT_TAKEN)
    return;
  result.error = answer.refusal == UNIT_QUEUE_FULL ? CALL_tool_overloaded : CALL_tool_unavailable;
  result.retry_after_ms = answer.retry_after_ms;
  call_finish (call, &result, answer.why);
}

struct ask *
result_take_ask (const struct result *result)
{
  struct ask *ask = result->asking->ask;

  result->asking->ask = NULL;
  return ask;
}

static unsigned
needs_of (const struct job_end *end)
{
  const struct json_tape *tape = end->structured_tape;
  int64_t needs = 0;

  (void) json_int64 (tape, json_member (tape, json_root (tape), "needs"), &needs);
  return (unsigned) needs;
}

void
call_asked (struct call *call, const struct job_end *end, struct usage usage)
{
  struct result result = { .usage = usage };
  struct error err = { 0 };

  if (!take_questions (call, end, &err)) {
    result.error = CALL_tool_execution_failed;
    call_finish (call, &result, err.text);
    return;
  }
  if (call->ask->open_count == 0) {
    result.error = CALL_capability_required;
    result.needs = needs_of (end);
    call_finish (call, &result, NULL);
    return;
  }
  if (answer_at_once (call, &err)) {
    run_again (call, usage);
    return;
  }
  if (err.text[0] != '\0') {
    result.error = CALL_input_invalid;
    result.message = err.text;
    result.message_len = strlen (err.text);
  }
  else {
    result.error = CALL_input_required;
    result.asking = call;
  }
  call_finish (call, &result, NULL);
}
