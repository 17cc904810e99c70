#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "session/parts.h"

static const struct call_events call_events;

static struct log *
log_of (const struct session *session)
{
  return session->all->settings.log;
}

static char *
copy_or_null (const char *text)
{
  return text != NULL ? xstrdup (text) : NULL;
}

/* ---- waiters ---- */

static void
wait_for (struct work *work, struct session_waiter *waiter)
{
  waiter->next = work->waiters;
  waiter->prev = &work->waiters;
  if (waiter->next != NULL)
    waiter->next->prev = &waiter->next;
  work->waiters = waiter;
}

void
session_unwait (struct session_waiter *waiter)
{
  if (waiter->prev == NULL)
    return;
  *waiter->prev = waiter->next;
  if (waiter->next != NULL)
    waiter->next->prev = waiter->prev;
  waiter->prev = NULL;
}

static void
answer_waiters (struct work *work, const struct session_answer *answer)
{
  for (struct session_waiter *w; (w = work->waiters) != NULL;) {
    session_unwait (w);
    w->answered (w, answer);
  }
}

/* ---- one work's memory ---- */

static struct work *
work_new (struct session *session, struct ledger_entry *entry, const char *name, size_t name_len)
{
  struct work *work = xcalloc (1, sizeof *work);

  work->session = session;
  work->entry = entry;
  work->name = xstrndup (name, name_len);
  work->next = session->works;
  work->prev = &session->works;
  if (work->next != NULL)
    work->next->prev = &work->next;
  session->works = work;
  session->running++;
  return work;
}

static void
work_free (struct work *work)
{
  *work->prev = work->next;
  if (work->next != NULL)
    work->next->prev = work->prev;
  work->session->running--;
  free (work->name);
  free (work->response_id);
  free (work->item_id);
  free (work);
}

/* ---- answers ---- */

/* What the model is told of a call that has ended, and whether it shall go on from there. */
struct end {
  bool ok, respond;
  const char *error;
  struct buf output;
};

/* It had something for the user, and nothing for the model. */
static bool
has_only_emitted (const struct work *work, const struct result *result)
{
  return work->emitted != 0 && result->structured == NULL && result->content_len <= strlen ("[]")
         && result->links_len == 0;
}

static void
make_end (const struct work *work, const struct result *result, struct end *end)
{
  const bool ok = result->error == CALL_OK;
  const bool for_user = ok && (work->kind != TOOL_LOOPBACK || has_only_emitted (work, result));

  *end = (struct end){ .ok = ok, .respond = !work->interrupted && !for_user };
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
  log_event (log_of (work->session), taken == FEED_LOST ? LOG_ERROR : LOG_WARNING,
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
  answer_waiters (work, &answer);
}

static void
say_handed_off (struct work *work)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  say_begin (&w, "agent_handed_off", work->entry->id);
  jsonw_name_string (&w, "agent", work->name);
  say_end (work->session, &w);
}

static void
set_target (struct session *session, const char *name)
{
  free (session->target);
  session->target = xstrdup (name);
  log_event (log_of (session), LOG_INFO, "agent_handed_off", SESSION_LOG (session), "agent", name,
             NULL);
}

static void
log_end (const struct work *work, const struct end *end)
{
  const struct session *session = work->session;
  const char *id = work->entry->id;

  if (end->error != NULL && strcmp (end->error, "tool_not_found") == 0)
    log_event (log_of (session), LOG_INFO, "tool_not_found", SESSION_LOG (session),
               "function_call_id", id, "tool_name", work->name, "response_id", work->response_id,
               "item_id", work->item_id, NULL);
  log_event (log_of (session),
             end->error != NULL && strcmp (end->error, "tool_execution_failed") == 0 ? LOG_ERROR
                                                                                     : LOG_INFO,
             "tool_executor_execute_finished", SESSION_LOG (session), "function_call_id", id,
             "tool_name", work->name, "ok", end->ok ? "true" : "false", "error", end->error,
             "output_length", LOG_INT (end->output.len), NULL);
}

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
  struct end end;

  make_end (work, result, &end);
  log_end (work, &end);
  if (end.ok && work->kind == TOOL_HANDOFF)
    say_handed_off (work);
  if (end.ok && work->kind != TOOL_LOOPBACK)
    say_parts (session, entry->id, result);
  tell_answer (work, work->background ? "tool_call_result" : "tool_call_output", &end, false,
               &json);
  if (end.ok && work->kind == TOOL_HANDOFF)
    set_target (session, work->name);
  ledger_execute (&session->ledger, entry, end.ok, &json);
  if (entry->once)
    ledger_forget (&session->ledger, entry);
  buf_free (&end.output);
  work_free (work);
  go_on (session);
}

/* The active target has looked at an event; whatever it says is for the user. */
static void
end_routed (struct work *work, const struct result *result)
{
  struct session *session = work->session;
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  session->routing = NULL;
  if (result->error == CALL_OK)
    say_parts (session, NULL, result);
  else if (!work->interrupted) {
    say_begin (&w, "agent_failed", NULL);
    jsonw_name_string (&w, "agent", work->name);
    jsonw_name_string (&w, "error", result->code);
    jsonw_name (&w, "message");
    jsonw_string_len (&w, result->message, result->message_len);
    say_end (session, &w);
  }
  work_free (work);
  go_on (session);
}

static void
on_done (void *ctx, const struct result *result)
{
  struct work *work = ctx;

  if (work->entry != NULL)
    end_call (work, result);
  else
    end_routed (work, result);
}

static void
on_progress (void *ctx, double done, double total, const char *text, size_t len)
{
  struct work *work = ctx;
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  if (work->entry == NULL || !isfinite (done))
    return;
  say_begin (&w, "tool_call_progress", work->entry->id);
  jsonw_name (&w, "done");
  jsonw_double (&w, done);
  if (isfinite (total) && total > 0) {
    jsonw_name (&w, "total");
    jsonw_double (&w, total);
  }
  jsonw_name (&w, "message");
  jsonw_string_len (&w, text, len);
  say_end (work->session, &w);
}

static void
on_emitted (void *ctx, const char *json, size_t len)
{
  struct work *work = ctx;

  work->emitted++;
  say_output (work->session, work->entry != NULL ? work->entry->id : NULL, json, len);
}

static void
on_parsed (void *ctx, const struct json_tape *tape, const struct json_node *args)
{
  phone_log_parsed (ctx, tape, args);
}

static const struct call_events call_events = {
  .progress = on_progress, .parsed = on_parsed, .done = on_done, .emitted = on_emitted
};

/* ---- starting ---- */

/* A turn is a response of the model; what belongs to none is one by itself. */
static void
begin_turn (struct session *session, const char *response_id)
{
  const bool same =
    response_id != NULL && session->turn != NULL && strcmp (response_id, session->turn) == 0;

  if (same)
    return;
  free (session->turn);
  session->turn = copy_or_null (response_id);
  if (session->next_toolset == NULL)
    return;
  toolset_unref (session->toolset);
  session->toolset = session->next_toolset;
  session->next_toolset = NULL;
}

static void
log_scheduled (const struct work *work)
{
  const struct session *session = work->session;

  log_event (log_of (session), LOG_INFO, "tool_invocation_scheduled", SESSION_LOG (session),
             "function_call_id", work->entry->id, "openai_sip_call_id", session->call_id,
             "tool_name", work->name, "response_id", work->response_id, "pending_tool_calls",
             LOG_INT (session->ledger.pending), "active_tool_tasks", LOG_INT (session->running),
             NULL);
  log_event (log_of (session), LOG_INFO, "tool_executor_execute_started", SESSION_LOG (session),
             "function_call_id", work->entry->id, "openai_sip_call_id", session->call_id,
             "tool_name", work->name, "response_id", work->response_id, "item_id", work->item_id,
             NULL);
}

static void
say_started (struct work *work)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  say_begin (&w, "tool_call_started", work->entry->id);
  jsonw_name_string (&w, "name", work->name);
  if (work->response_id != NULL)
    jsonw_name_string (&w, "response_id", work->response_id);
  say_end (work->session, &w);
}

/* The handler of a handoff hears of the event it is called for: at first, that it has taken over.
 */
static void
put_event (struct buf *out, const char *event, size_t event_len, const struct session_call *call)
{
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  jsonw_name_raw (&w, "event", event, event_len);
  if (call != NULL && call->metadata != NULL)
    jsonw_name_raw (&w, "metadata", call->metadata, call->metadata_len);
  jsonw_end (&w);
}

/* Where nobody has said more, the tool is told what of the model's the call belongs to. */
static void
put_origin (struct buf *out, const struct work *work)
{
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  if (work->response_id != NULL)
    jsonw_name_string (&w, "response_id", work->response_id);
  if (work->item_id != NULL)
    jsonw_name_string (&w, "item_id", work->item_id);
  jsonw_end (&w);
}

/* Hand it to the pipeline; the work may be gone when this returns NULL. */
static struct call *
start (struct work *work, const struct session_call *call)
{
  struct session *session = work->session;
  struct call_request request = {
    .toolset = session->toolset,
    .name = call->name,
    .name_len = call->name_len,
    .args = call->args,
    .args_len = call->args_len,
    .front = "session",
    .tenant = session->tenant,
    .principal = session->principal,
    .call_id = call->call_id,
    .session_id = session->name,
    .metadata = call->metadata,
    .metadata_len = call->metadata_len,
    .deadline_ms = call->deadline_ms,
    .wants_progress = true,
    .phone = session->phone,
    .preview = true,
  };

  return call_start (session->all->settings.calls, &request, &call_events, work);
}

static void
keep_args (struct session *session, const struct session_call *call)
{
  free (session->target_args);
  session->target_args = call->args != NULL ? xstrndup (call->args, call->args_len) : NULL;
}

/* It goes on by itself: the model is answered now, and told later. */
static void
answer_running (struct work *work)
{
  CLEANUP_BUF struct buf json = { 0 };
  struct end end = { .ok = true, .respond = true };

  buf_puts (&end.output, "{\"status\":\"running\"}");
  tell_answer (work, "tool_call_output", &end, true, &json);
  work->background = true;
  buf_free (&end.output);
}

static bool
goes_to_background (const struct tool *tool, const struct session_call *call)
{
  return tool != NULL
         && (tool->background == BACKGROUND_MUST
             || (tool->background == BACKGROUND_MAY && call->background));
}

static void
take_call (struct session *session, struct ledger_entry *entry, const struct session_call *call,
           struct session_waiter *waiter)
{
  static const char handed_off[] = "{\"type\":\"agent_handed_off\"}";
  struct session_call given = *call;
  CLEANUP_BUF struct buf event = { 0 }, origin = { 0 };
  const struct tool *tool;
  struct work *work;
  struct call *started;

  begin_turn (session, call->response_id);
  tool = toolset_find (session->toolset, call->name, call->name_len);
  work = work_new (session, entry, call->name, call->name_len);
  work->response_id = copy_or_null (call->response_id);
  work->item_id = copy_or_null (call->item_id);
  work->kind = tool != NULL ? tool->kind : TOOL_LOOPBACK;
  entry->work = work;
  if (waiter != NULL)
    wait_for (work, waiter);
  if (work->kind == TOOL_HANDOFF) {
    put_event (&event, handed_off, sizeof handed_off - 1, call);
    given.metadata = event.data;
    given.metadata_len = event.len;
    keep_args (session, call);
  }
  else if (call->metadata == NULL) {
    put_origin (&origin, work);
    given.metadata = origin.data;
    given.metadata_len = origin.len;
  }
  log_scheduled (work);
  say_started (work);
  started = start (work, &given);
  if (started == NULL)
    return; /* it has ended */
  work->call = started;
  if (goes_to_background (tool, call))
    answer_running (work);
}

static void
log_ignored (const struct session *session, const struct session_call *call,
             enum ledger_verdict verdict)
{
  static const char *const events[] = {
    [LEDGER_PENDING] = "tool_invocation_ignored_already_pending",
    [LEDGER_EXECUTED] = "tool_invocation_ignored_already_executed",
    [LEDGER_OTHER] = "tool_invocation_ignored_other_call",
    [LEDGER_FULL] = "tool_invocation_ignored_too_many",
  };
  CLEANUP_FREE char *name = xstrndup (call->name, call->name_len);

  log_event (log_of (session), verdict >= LEDGER_OTHER ? LOG_ERROR : LOG_INFO, events[verdict],
             SESSION_LOG (session), "function_call_id", call->call_id, "tool_name", name,
             "response_id", call->response_id, NULL);
}

/* Who asks again waits for the answer of the first, or has it. */
static void
answer_again (struct ledger_entry *entry, struct session_waiter *waiter)
{
  struct session_answer answer = { .call_id = entry->id, .ok = entry->ok };

  if (waiter == NULL)
    return;
  if (!entry->executed && !entry->work->background)
    return wait_for (entry->work, waiter);
  answer.running = !entry->executed;
  answer.ok |= answer.running;
  answer.json = entry->answer.len != 0 ? entry->answer.data : NULL;
  answer.len = entry->answer.len;
  waiter->answered (waiter, &answer);
}

enum session_verdict
session_call (struct session *session, const struct session_call *call,
              struct session_waiter *waiter)
{
  static const enum session_verdict verdicts[] = { [LEDGER_NEW] = SESSION_TAKEN,
                                                   [LEDGER_PENDING] = SESSION_PENDING,
                                                   [LEDGER_EXECUTED] = SESSION_EXECUTED,
                                                   [LEDGER_OTHER] = SESSION_OTHER,
                                                   [LEDGER_FULL] = SESSION_FULL };
  struct session_call named = *call;
  struct ledger_entry *entry;
  enum ledger_verdict verdict;
  char made[SESSION_NAME_LEN + 24];

  if (waiter != NULL)
    waiter->prev = NULL;
  if (session->end_reason != NULL)
    return SESSION_ENDING;
  if (named.call_id == NULL) { /* nobody else can guess it */
    (void) snprintf (made, sizeof made, "%s.%llu", session->name,
                     (unsigned long long) ++session->made);
    named.call_id = made;
  }
  verdict = ledger_reserve (&session->ledger, named.call_id, named.name, named.name_len,
                            named.args != NULL ? named.args : "", named.args_len, &entry);
  if (verdict == LEDGER_NEW) {
    entry->once = call->call_id == NULL;
    take_call (session, entry, &named, waiter);
    return SESSION_TAKEN;
  }
  log_ignored (session, &named, verdict);
  if (verdict == LEDGER_PENDING || verdict == LEDGER_EXECUTED)
    answer_again (entry, waiter);
  return verdicts[verdict];
}

/* ---- stopping ---- */

static void
cancel (struct work *work)
{
  work->interrupted = true;
  call_cancel (work->call);
}

size_t
work_cancel (struct session *session, bool all)
{
  size_t count = 0;

  session->cancelling = true;
  for (struct work *work = session->works, *next; work != NULL; work = next) {
    next = work->next;
    if (work->call == NULL || (work->background && !all))
      continue;
    cancel (work);
    count++;
  }
  session->cancelling = false;
  return count;
}

static bool
is_of (const struct work *work, const char *response_id)
{
  return work->call != NULL && !work->background && work->response_id != NULL
         && strcmp (work->response_id, response_id) == 0;
}

size_t
session_interrupt (struct session *session, const char *response_id)
{
  size_t count = 0;

  if (response_id == NULL || *response_id == '\0') {
    log_event (log_of (session), LOG_INFO, "tool_cancel_for_response_skipped_missing_response_id",
               SESSION_LOG (session), NULL);
    return 0;
  }
  for (struct work *work = session->works, *next; work != NULL; work = next) {
    next = work->next;
    if (!is_of (work, response_id))
      continue;
    log_event (log_of (session), LOG_INFO, "tool_cancelled_for_response", SESSION_LOG (session),
               "response_id", response_id, "function_call_id", work->entry->id, "tool_name",
               work->name, NULL);
    cancel (work);
    count++;
  }
  log_event (log_of (session), LOG_INFO, "tool_cancel_for_response_finished", SESSION_LOG (session),
             "response_id", response_id, "cancelled_count", LOG_INT (count), NULL);
  return count;
}

size_t
session_interrupt_all (struct session *session)
{
  const size_t count = work_cancel (session, false);

  log_event (log_of (session), LOG_INFO, "tool_cancel_for_interrupt_finished",
             SESSION_LOG (session), "cancelled_count", LOG_INT (count), NULL);
  return count;
}

/* ---- the active target ---- */

static void
route (struct session *session, const struct routed *event)
{
  CLEANUP_BUF struct buf metadata = { 0 };
  struct session_call call = { .name = session->target, .name_len = strlen (session->target) };
  struct work *work = work_new (session, NULL, session->target, call.name_len);
  struct call *started;

  put_event (&metadata, event->json, event->len, NULL);
  call.metadata = metadata.data;
  call.metadata_len = metadata.len;
  call.args = session->target_args;
  call.args_len = session->target_args != NULL ? strlen (session->target_args) : 0;
  session->routing = work;
  started = start (work, &call);
  if (started != NULL)
    work->call = started;
}

void
work_route (struct session *session)
{
  struct routed *event;

  if (session->routing != NULL || (event = session->routed) == NULL)
    return;
  session->routed = event->next;
  if (session->routed == NULL)
    session->routed_end = &session->routed;
  session->routed_count--;
  route (session, event);
  free (event);
}
