#include <stdlib.h>

#include "session/parts.h"

/* What the model is told of a call that has ended, and whether it shall go on from there. */
struct end {
  bool ok, respond;
  const char *error;
  struct buf output;
};

/* It had something for the user, or somebody else goes on, and it has nothing for the model. */
static bool
is_silent (const struct work *work, const struct result *result)
{
  return (work->emitted != 0 || work->handed_off) && result->structured == NULL
         && result->content_len <= strlen ("[]") && result->links_len == 0;
}

static void
make_end (const struct work *work, const struct result *result, struct end *end)
{
  const bool ok = result->error == CALL_OK;
  const bool for_user = ok && (work->kind != TOOL_LOOPBACK || is_silent (work, result));

  *end = (struct end){ .ok = ok, .respond = !work->interrupted && !for_user && !work->handed_off };
  if (!ok)
    end->error = result->code;
  if (for_user)
    buf_puts (&end->output, "\"success\"");
  else
    answer_output (&end->output, work->name, result);
}

/* S0-64: whatever becomes of it, the model gets an answer, and the session lives. */
static void
log_fallback (const struct work *work, enum feed_taken taken)
{
  if (taken == FEED_TAKEN)
    return;
  log_event (session_log (work->session), taken == FEED_LOST ? LOG_ERROR : LOG_WARNING,
             taken == FEED_LOST ? "tool_run_and_respond_fallback_output_failed"
                                : "tool_run_and_respond_fallback_output_sent",
             SESSION_LOG (work->session), "function_call_id", work->entry->id, "tool_name",
             work->name, NULL);
}

/* Say the answer to who listens and who waits; `json` holds it then. */
static void
tell_answer (struct work *work, const char *type, const struct end *end, bool running,
             struct buf *json)
{
  struct session_answer answer = { .call_id = work->entry->id, .ok = end->ok, .running = running };
  struct session_answer failed = { .call_id = work->entry->id };
  CLEANUP_BUF struct buf instead = { 0 };

  say_answer_json (json, type, work, &answer, end->error, end->output.data, end->output.len,
                   end->respond);
  say_answer_json (&instead, type, work, &failed, "tool_unavailable", answer_fallback,
                   strlen (answer_fallback), end->respond);
  if (work->session->end_reason == NULL || !work->interrupted) /* S0-67: the end is silent */
    log_fallback (work, say (work->session, json, &instead));
  answer.json = json->data;
  answer.len = json->len;
  work_answer_waiters (work, &answer);
}

void
work_answer_running (struct work *work)
{
  CLEANUP_BUF struct buf json = { 0 };
  struct end end = { .ok = true, .respond = true };

  buf_puts (&end.output, "{\"status\":\"running\"}");
  tell_answer (work, "tool_call_output", &end, true, &json);
  work->background = true;
  buf_free (&end.output);
}

static void
log_end (const struct work *work, const struct end *end)
{
  const struct session *session = work->session;
  const char *id = work->entry->id;

  if (end->error != NULL && strcmp (end->error, "tool_not_found") == 0)
    log_event (session_log (session), LOG_INFO, "tool_not_found", SESSION_LOG (session),
               "function_call_id", id, "tool_name", work->name, "response_id", work->response_id,
               "item_id", work->item_id, NULL);
  log_event (session_log (session),
             end->error != NULL && strcmp (end->error, "tool_execution_failed") == 0 ? LOG_ERROR
                                                                                     : LOG_INFO,
             "tool_executor_execute_finished", SESSION_LOG (session), "function_call_id", id,
             "tool_name", work->name, "ok", end->ok ? "true" : "false", "error", end->error,
             "output_length", LOG_INT (end->output.len), NULL);
}

/* ---- what a call has done to its session ---- */

/* All of it takes effect, or the call has failed after all. */
static void
take_effect (struct work *work, struct result *result, struct error *err)
{
  if (result->error != CALL_OK || state_apply (work, err))
    return;
  log_event (session_log (work->session), LOG_WARNING, "context_write_failed",
             SESSION_LOG (work->session), "function_call_id",
             work->entry != NULL ? work->entry->id : NULL, "tool_name", work->name, "reason",
             err->text, NULL);
  *result = (struct result){ .kind = result->kind,
                             .error = CALL_context_write_denied,
                             .code = call_error_info (CALL_context_write_denied)->code,
                             .message = err->text,
                             .message_len = strlen (err->text),
                             .tool = result->tool,
                             .name = result->name,
                             .name_len = result->name_len,
                             .content = "[]",
                             .content_len = strlen ("[]"),
                             .usage = result->usage };
}

/* Who goes on after this call, if it is another than before. */
struct handoff {
  bool due;
  char *target, *args; /* NULL: the application's own agent */
};

static void
find_handoff (struct work *work, const struct result *result, struct handoff *handoff)
{
  *handoff = (struct handoff){ .due = false };
  handoff->due = state_hands_off (work, result, &handoff->target, &handoff->args);
  if (!handoff->due && result->error == CALL_OK && work->kind == TOOL_HANDOFF) {
    *handoff = (struct handoff){ .due = true, .target = xstrdup (work->name), .args = work->args };
    work->args = NULL;
  }
  work->handed_off = handoff->due;
}

static void
say_handed_off (struct work *work, const struct handoff *handoff)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  if (!handoff->due)
    return;
  say_begin (&w, "agent_handed_off", work->entry != NULL ? work->entry->id : NULL);
  jsonw_name (&w, "agent");
  jsonw_string (&w, handoff->target);
  say_end (work->session, &w);
}

static void
finish_handoff (struct work *work, struct handoff *handoff)
{
  const bool other = handoff->target != NULL && strcmp (handoff->target, work->name) != 0;

  if (!handoff->due)
    return;
  route_to (work->session, handoff->target, handoff->args);
  if (other) /* this one has heard of it by being called */
    route_introduce (work->session, work);
}

/* ---- the end ---- */

/* A call that is nobody's has ended: the session goes on, or ends with its last one. */
static void
go_on (struct session *session)
{
  if (session->end_reason != NULL && session->works == NULL && !session->cancelling)
    session_has_ended (session);
  else if (session->end_reason == NULL)
    work_route (session);
}

static void
end_call (struct work *work, const struct result *result)
{
  struct session *session = work->session;
  struct ledger_entry *entry = work->entry;
  CLEANUP_BUF struct buf json = { 0 };
  struct handoff handoff;
  struct end end;

  find_handoff (work, result, &handoff);
  make_end (work, result, &end);
  log_end (work, &end);
  say_handed_off (work, &handoff);
  if (end.ok && work->kind != TOOL_LOOPBACK)
    say_parts (session, entry->id, result);
  tell_answer (work, work->background ? "tool_call_result" : "tool_call_output", &end, false,
               &json);
  finish_handoff (work, &handoff);
  ledger_execute (&session->ledger, entry, end.ok, &json);
  if (entry->once)
    ledger_forget (&session->ledger, entry);
  buf_free (&end.output);
  work_free (work);
  go_on (session);
}

static void
say_failed (const struct work *work, const struct result *result)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  say_begin (&w, "agent_failed", NULL);
  jsonw_name_string (&w, "agent", work->name);
  jsonw_name_string (&w, "error", result->code);
  jsonw_name (&w, "message");
  jsonw_string_len (&w, result->message, result->message_len);
  say_end (work->session, &w);
}

/* The active target has looked at an event; whatever it says is for the user. */
static void
end_routed (struct work *work, const struct result *result)
{
  struct session *session = work->session;
  struct handoff handoff = { .due = false };

  session->routing = NULL;
  handoff.due = state_hands_off (work, result, &handoff.target, &handoff.args);
  say_handed_off (work, &handoff);
  if (result->error == CALL_OK)
    say_parts (session, NULL, result);
  else if (!work->interrupted)
    say_failed (work, result);
  finish_handoff (work, &handoff);
  work_free (work);
  go_on (session);
}

void
work_done (struct work *work, const struct result *given)
{
  struct result result = *given;
  struct error err;

  work->call = NULL; /* who hears of its end can't cancel it any more */
  approval_end (work);
  if (given->error == CALL_input_required) {
    state_free (work->state);
    work->state = NULL;
    return asking_begin (work, given);
  }
  take_effect (work, &result, &err);
  if (work->entry != NULL)
    end_call (work, &result);
  else
    end_routed (work, &result);
}
