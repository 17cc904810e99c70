#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "call/held.h"
#include "session/parts.h"
#include "watch/redact.h"

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

void
work_answer_waiters (struct work *work, const struct session_answer *answer)
{
  for (struct session_waiter *w; (w = work->waiters) != NULL;) {
    session_unwait (w);
    w->answered (w, answer);
  }
}

/* ---- one work's memory ---- */

struct work *
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

void
work_free (struct work *work)
{
  *work->prev = work->next;
  if (work->next != NULL)
    work->next->prev = work->prev;
  work->session->running--;
  state_free (work->state);
  work_approval_clear (&work->approval);
  call_batch_unref (work->batch);
  cause_leave (work->cause);
  free (work->args);
  free (work->name);
  free (work->response_id);
  free (work->item_id);
  free (work);
}

/* ---- what is heard of a call ---- */

static void
on_done (void *ctx, const struct result *result)
{
  work_done (ctx, result);
}

static void
on_progress (void *ctx, double done, double total, const char *text, size_t len)
{
  struct work *work = ctx;
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  if (work->entry == NULL || work->approval.id != NULL || !isfinite (done))
    return; /* that it waits for a person was said by an event of its own */
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

static enum frame_served_status
on_state (void *ctx, const char *json, size_t len, struct buf *out, size_t *cost)
{
  return state_serve (ctx, json, len, out, cost);
}

static bool
on_waits (void *ctx, const struct approval_facts *facts)
{
  return approval_begin (ctx, facts);
}

static const struct call_events call_events = { .waits = on_waits,
                                                .progress = on_progress,
                                                .parsed = on_parsed,
                                                .done = on_done,
                                                .emitted = on_emitted,
                                                .state = on_state };

/* ---- starting ---- */

/* A turn is a response of the model; what belongs to none is one by itself. */
static void
begin_turn (struct session *session, const char *response_id)
{
  const bool same =
    response_id != NULL && session->turn != NULL && strcmp (response_id, session->turn) == 0;

  if (same)
    return;
  cause_response_forget (session);
  free (session->turn);
  session->turn = copy_or_null (response_id);
  if (session->next_toolset == NULL)
    return;
  toolset_unref (session->toolset);
  session->toolset = session->next_toolset;
  session->next_toolset = NULL;
}

static void
log_scheduled (const struct work *work, const struct session_call *call)
{
  const struct session *session = work->session;
  CLEANUP_BUF struct buf redacted = { 0 };

  if (!log_wants (session_log (session), LOG_INFO))
    return;
  redact_json (call->args, call->args != NULL ? call->args_len : 0, &redacted);
  log_event (session_log (session), LOG_INFO, "tool_invocation_scheduled", SESSION_LOG (session),
             "function_call_id", work->entry->id, "openai_sip_call_id", session->call_id,
             "tool_name", work->name, "response_id", work->response_id, "pending_tool_calls",
             LOG_INT (session->ledger.pending), "active_tool_tasks", LOG_INT (session->running),
             "arguments_json", buf_cstr (&redacted), NULL);
  log_event (session_log (session), LOG_INFO, "tool_executor_execute_started",
             SESSION_LOG (session), "function_call_id", work->entry->id, "openai_sip_call_id",
             session->call_id, "tool_name", work->name, "response_id", work->response_id, "item_id",
             work->item_id, NULL);
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
void
work_put_event (struct buf *out, const char *event, size_t event_len,
                const struct session_call *call)
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

bool
work_start (struct work *work, const struct session_call *call)
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
    .claimed_in = work->entry != NULL && !work->entry->once ? session->id : NULL,
    .metadata = call->metadata,
    .metadata_len = call->metadata_len,
    .deadline_ms = call->deadline_ms,
    .wants_progress = true,
    .phone = session->phone,
    .batch = work->batch,
    .traced = call->traced,
    .span = call->span,
    .preview = true,
    .is_event = work->entry == NULL,
    .askable = work->entry != NULL ? FRAME_ASK_ALL : 0, /* whoever answers can answer anything */
  };
  struct call *started = call_start (session->all->settings.calls, &request, &call_events, work);

  if (started != NULL)
    work->call = started;
  return started != NULL;
}

bool
work_go_on (struct work *work, struct held *held)
{
  struct session *session = work->session;
  struct call *started;

  held_phone (held, session->phone);
  started = held_start (held, session->all->settings.calls, session->toolset, &call_events, work);
  if (started != NULL)
    work->call = started;
  return started != NULL;
}

static bool
goes_to_background (const struct tool *tool, const struct session_call *call)
{
  return tool != NULL
         && (tool->background == BACKGROUND_MUST
             || (tool->background == BACKGROUND_MAY && call->background));
}

void
work_begin (struct work *work, const struct session_call *call)
{
  const struct tool *tool = toolset_find (work->session->toolset, work->name, strlen (work->name));

  if (work_start (work, call) && goes_to_background (tool, call))
    work_answer_running (work); /* the model is told now, and what it gives later */
}

/* ---- what one response wants ---- */

static void
end_gathering (struct session *session)
{
  struct call_batch *batch = session->gathering;

  session->gathering = NULL;
  free (session->gathered);
  session->gathered = NULL;
  call_batch_end (batch);
}

void
session_response_done (struct session *session, const char *response_id)
{
  if (response_id != NULL && session->turn != NULL && strcmp (response_id, session->turn) == 0)
    cause_response_done (session);
  if (response_id != NULL && session->gathered != NULL
      && strcmp (response_id, session->gathered) == 0)
    end_gathering (session);
}

static struct call_batch *
find_batch (const struct session *session, const char *response_id)
{
  for (const struct work *work = session->works; work != NULL; work = work->next)
    if (work->batch != NULL && work->response_id != NULL
        && strcmp (work->response_id, response_id) == 0)
      return work->batch;
  return NULL;
}

/* Calls of a response come one by one, and the first may be told to wait by the last: where that
 * can be, none begins before the response is done.  Nobody else waits.  The caller's reference. */
static struct call_batch *
batch_of (struct session *session, const struct session_call *call)
{
  const struct sessions_settings *settings = &session->all->settings;
  struct call_batch *batch = call->batch;

  if (batch == NULL && call->response_id != NULL)
    batch = find_batch (session, call->response_id);
  if (batch != NULL)
    return call_batch_ref (batch);
  if (call->response_id == NULL || settings->approvals == NULL)
    return NULL;
  end_gathering (session); /* of another response: the model has gone on */
  batch = call_batch_new (settings->calls, BATCH_HOLDS);
  if (call->more && calls_may_ask (settings->calls, session->tenant, session->toolset)) {
    session->gathering = call_batch_ref (batch);
    session->gathered = xstrdup (call->response_id);
  }
  else
    call_batch_close (batch);
  return batch;
}

static void
take_call (struct session *session, struct ledger_entry *entry, const struct session_call *call,
           struct session_waiter *waiter)
{
  static const char handed_off[] = "{\"type\":\"agent_handed_off\"}";
  struct session_call given = *call;
  CLEANUP_BUF struct buf event = { 0 }, origin = { 0 };
  const struct tool *tool;
  struct call_batch *batch;
  struct work *work;

  begin_turn (session, call->response_id);
  batch = batch_of (session, call);
  tool = toolset_find (session->toolset, call->name, call->name_len);
  work = work_new (session, entry, call->name, call->name_len);
  work->batch = batch;
  work->cause = cause_of_call (session, call);
  if (work->cause != NULL) {
    given.traced = true;
    given.span = cause_span (work->cause);
  }
  work->response_id = copy_or_null (call->response_id);
  work->item_id = copy_or_null (call->item_id);
  work->kind = tool != NULL ? tool->kind : TOOL_LOOPBACK;
  entry->work = work;
  if (waiter != NULL)
    wait_for (work, waiter);
  if (work->kind == TOOL_HANDOFF) {
    work_put_event (&event, handed_off, sizeof handed_off - 1, call);
    given.metadata = event.data;
    given.metadata_len = event.len;
    work->args = call->args != NULL ? xstrndup (call->args, call->args_len) : NULL;
  }
  else if (call->metadata == NULL) {
    put_origin (&origin, work);
    given.metadata = origin.data;
    given.metadata_len = origin.len;
  }
  log_scheduled (work, call);
  say_started (work);
  work_begin (work, &given);
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

  log_event (session_log (session), verdict >= LEDGER_OTHER ? LOG_ERROR : LOG_INFO, events[verdict],
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

/* What is for the model of what a tool has given by then is kept (S4-13). */
static void
cancel (struct work *work, enum work_whose whose)
{
  work->interrupted = true;
  if (work->held != NULL)
    asking_cancel (work);
  else if (whose != WORK_ALL && work->kind == TOOL_LOOPBACK && work->entry != NULL)
    call_interrupt (work->call);
  else
    call_cancel (work->call);
}

static bool
is_meant (const struct work *work, enum work_whose whose)
{
  const bool waits = work->held != NULL || (work->call != NULL && call_waits (work->call));

  if (waits ? whose == WORK_RUNNING : work->call == NULL)
    return false;
  if (work->interrupted && whose != WORK_ALL)
    return false;
  return !work->background || whose == WORK_ALL;
}

size_t
work_cancel (struct session *session, enum work_whose whose)
{
  size_t count = 0;

  session->cancelling = true;
  for (struct work *work = session->works, *next; work != NULL; work = next) {
    next = work->next;
    if (!is_meant (work, whose))
      continue;
    cancel (work, whose);
    count++;
  }
  session->cancelling = false;
  return count;
}

static bool
is_of (const struct work *work, const char *response_id)
{
  return is_meant (work, WORK_ASKING) && work->response_id != NULL
         && strcmp (work->response_id, response_id) == 0;
}

size_t
session_interrupt (struct session *session, const char *response_id)
{
  size_t count = 0;

  if (response_id == NULL || *response_id == '\0') {
    log_event (session_log (session), LOG_INFO,
               "tool_cancel_for_response_skipped_missing_response_id", SESSION_LOG (session), NULL);
    return 0;
  }
  session->cancelling = true;
  for (struct work *work = session->works, *next; work != NULL; work = next) {
    next = work->next;
    if (!is_of (work, response_id))
      continue;
    log_event (session_log (session), LOG_INFO, "tool_cancelled_for_response",
               SESSION_LOG (session), "response_id", response_id, "function_call_id",
               work->entry->id, "tool_name", work->name, NULL);
    cancel (work, WORK_ASKING);
    count++;
  }
  session->cancelling = false;
  log_event (session_log (session), LOG_INFO, "tool_cancel_for_response_finished",
             SESSION_LOG (session), "response_id", response_id, "cancelled_count", LOG_INT (count),
             NULL);
  return count;
}

static size_t
interrupt (struct session *session, enum work_whose whose)
{
  const size_t count = work_cancel (session, whose);

  log_event (session_log (session), LOG_INFO, "tool_cancel_for_interrupt_finished",
             SESSION_LOG (session), "cancelled_count", LOG_INT (count), NULL);
  return count;
}

size_t
session_interrupt_all (struct session *session)
{
  return interrupt (session, WORK_ASKING);
}

void
work_hear_turn (struct session *session)
{
  (void) interrupt (session, WORK_RUNNING);
}
