#include "call/call.h"

#include <stdio.h>
#include <string.h>

#include "approval/approvals.h"
#include "audit/audit.h"
#include "base/clock.h"
#include "base/json_write.h"
#include "base/probe.h"
#include "call/arguments.h"
#include "call/call_log.h"
#include "call/call_trace.h"
#include "call/guarding.h"
#include "call/resolve.h"
#include "call/running.h"
#include "pool/unit.h"
#include "watch/turns.h"

/* Seconds that a tool has to stop by itself, so that what it has given is not lost. */
static const double LAST_WORDS = 0.25;

static void
on_deadline (struct ev_loop *loop, ev_timer *timer, int revents)
{
  struct call *call = timer->data;

  (void) loop;
  (void) revents;
  if (call->interrupted)
    return call_cancel (call);
  job_cancel (&call->job, FRAME_CANCEL_DEADLINE);
  call_finish_error (call, CALL_tool_timeout, call->sent_ns == 0 ? "it had not been begun" : NULL);
}

/* ---- the stages before the worker ---- */

static int64_t
time_limit_ms (const struct calls *calls, const struct tool *tool, int64_t wish_ms)
{
  int64_t policy = tool->unit != NULL ? unit_policy (tool->unit)->max_time_ms : 0;
  int64_t limit = tool->max_time_ms != 0 ? tool->max_time_ms : calls->settings.deadline_ms;

  if (policy > 0 && policy < limit)
    limit = policy;
  if (tool->limits.time_ms > 0 && tool->limits.time_ms < limit)
    limit = tool->limits.time_ms;
  if (wish_ms > 0 && wish_ms < limit)
    limit = wish_ms;
  return limit;
}

static void
make_id (struct calls *calls, const char *given, char *room, size_t size)
{
  static const char prefix[] = "call_";
  uint64_t n = calls->id_seed ^ (++calls->ids * 0x9E3779B97F4A7C15U);
  char *at = room + sizeof prefix - 1;

  if (given != NULL && *given != '\0') {
    (void) snprintf (room, size, "%s", given);
    return;
  }
  memcpy (room, prefix, sizeof prefix - 1);
  for (int shift = 60; shift >= 0; shift -= 4)
    *at++ = "0123456789abcdef"[n >> shift & 15];
  *at = '\0';
}

static void
write_meta (struct call *call, const struct call_request *request)
{
  struct json_writer w = { .out = &call->meta };

  jsonw_object (&w);
  jsonw_name_string (&w, "call_id", call->id);
  jsonw_name_string (&w, "tenant", request->tenant != NULL ? request->tenant : "default");
  if (request->session_id != NULL)
    jsonw_name_string (&w, "session_id", request->session_id);
  if (request->phone != NULL)
    jsonw_name_string (&w, "phone_call_id", call_service_call_id (request->phone));
  if (request->thread_id != NULL)
    jsonw_name_string (&w, "thread_id", request->thread_id);
  if (request->run_id != NULL)
    jsonw_name_string (&w, "run_id", request->run_id);
  if (call->trace != NULL)
    call_trace_meta (call, request, &w);
  else if (request->metadata != NULL)
    jsonw_name_raw (&w, "metadata", request->metadata, request->metadata_len);
  if (call->uri != NULL)
    jsonw_name_string (&w, "uri", call->uri);
  if (call->job.content == FRAME_VALUES) {
    jsonw_name (&w, "completing");
    jsonw_string_len (&w, request->argument, request->argument_len);
    jsonw_name (&w, "partial");
    jsonw_string_len (&w, request->partial, request->partial_len);
  }
  jsonw_end (&w);
}

/* A copy at *room, which is moved behind it; NULL of NULL. */
static char *
copy_to (char **room, const char *text, size_t size)
{
  char *copy = *room;

  if (text == NULL)
    return NULL;
  *room += size;
  return memcpy (copy, text, size);
}

static size_t
size_of (const char *text)
{
  return text != NULL ? strlen (text) + 1 : 0;
}

/* Whose it is, in one piece of memory. */
static void
keep_caller (struct call *call, const struct call_request *request)
{
  const size_t tenant = size_of (request->tenant), principal = size_of (request->principal);
  const size_t session_id = size_of (request->session_id);
  char *at =
    tenant + principal + session_id != 0 ? xmalloc (tenant + principal + session_id) : NULL;

  call->caller = at;
  call->tenant = copy_to (&at, request->tenant, tenant);
  call->principal = copy_to (&at, request->principal, principal);
  call->session_id = copy_to (&at, request->session_id, session_id);
}

/* An id that a running call has already is not given a second time: the new call gets one of ours.
 * Where it is claimed the store says whether it runs at all. */
static void
index_call (struct calls *calls, struct call *call, const struct call_request *request)
{
  struct call *same = NULL;
  size_t len;
  unsigned hash;

  make_id (calls, request->call_id, call->id, sizeof call->id);
  len = strlen (call->id);
  HASH_VALUE (call->id, len, hash);
  HASH_FIND_BYHASHVALUE (hh, calls->by_id, call->id, len, hash, same);
  if (same != NULL) {
    if (request->approved != NULL) /* its caller has the one that is found by it */
      return;
    if (request->claimed_in == NULL)
      log_event (calls->log, LOG_NOTICE, "tool_call_duplicate_id", "call", call->id, "tool",
                 call->tool->name, NULL);
    make_id (calls, NULL, call->id, sizeof call->id);
    len = strlen (call->id);
    HASH_VALUE (call->id, len, hash);
  }
  HASH_ADD_KEYPTR_BYHASHVALUE (hh, calls->by_id, call->id, len, hash, call);
  call->indexed = true;
}

static void
take_rounds (struct call *call, const struct call_request *request)
{
  size_t len;
  const char *text;

  call->askable = request->askable;
  call->may_approve = request->may_approve;
  call->asks_approval = request->asks_approval;
  call->deadline_ms = request->deadline_ms;
  call->ask = request->ask;
  if (request->approved != NULL || request->ask != NULL)
    (void) snprintf (call->approval, sizeof call->approval, "%s",
                     request->approved != NULL ? request->approved->id : request->ask->approval);
  if (request->responses == NULL)
    return;
  text = json_raw (request->responses_tape, request->responses, &len);
  buf_append (&call->responses, text, len);
}

/* What the daemon itself asks of plugins is on nobody's account. */
static struct tenancy *
tenancy_of (const struct calls *calls, const struct call_request *request)
{
  struct tenancies *tenancies = calls->settings.tenancies;

  return tenancies != NULL && request->kind != CALL_LIST ? tenancies_of (tenancies, request->tenant)
                                                         : NULL;
}

/* Milliseconds from its start on. */
static void
set_deadline (struct call *call, int64_t limit)
{
  if (limit == INT64_MAX || limit >= INT64_MAX / 2000000)
    return;
  call->job.deadline_ns = call->started_ns + limit * 1000000;
  ev_timer_set (&call->deadline, (double) limit / 1000, 0);
  ev_timer_start (call->calls->loop, &call->deadline);
}

static struct call *
make_call (struct calls *calls, struct tool *tool, const struct call_request *request,
           const struct arguments *arguments, int64_t now, const struct call_events *events,
           void *ctx)
{
  struct call *call = call_alloc (calls);
  int64_t limit = time_limit_ms (calls, tool, request->deadline_ms);

  call->tool = tool_ref (tool);
  call->kind = request->kind;
  call->job.content = call_kind_content (request->kind);
  if (request->kind == CALL_READ)
    call->uri = xstrndup (request->name, request->name_len);
  call->events = events;
  call->ctx = ctx;
  call->front = request->front;
  keep_caller (call, request);
  call->stats = calls_stats_of (calls, tool);
  if (call->stats != NULL)
    call->stats->running++;
  call->tenancy = tenancy_of (calls, request);
  call->started_ns = now;
  call->front_us = turns_since (calls->settings.turns, now);
  index_call (calls, call, request);
  buf_append (&call->args, arguments->text, arguments->len);
  call->args_len = arguments->len;
  call->outer = request->outer;
  call->hurried = request->deadline_ms > 0 && limit == request->deadline_ms;
  take_rounds (call, request);
  arguments_repairs_json (arguments, &call->repairs);
  call_trace_begin (call, request);
  write_meta (call, request);
  ev_timer_init (&call->deadline, on_deadline, 0, 0);
  call->deadline.data = call;
  call->job = (struct job){ .events = &call_job_events,
                            .tool = tool->index,
                            .name = tool->name,
                            .id = call->id,
                            .content = call_kind_content (request->kind),
                            .meta = call->meta.data,
                            .meta_len = call->meta.len,
                            .deadline_ns = INT64_MAX,
                            .cpu_ms = tool->limits.cpu_ms,
                            .result_max = tool->limits.result,
                            .waiting = tool->limits.waiting != 0 ? &tool->waiting : NULL,
                            .waiting_max = tool->limits.waiting,
                            .wants_progress = request->wants_progress,
                            .in_session = events->emitted != NULL,
                            .phone = request->phone,
                            .tenant = call->tenant,
                            .principal = call->principal,
                            .maker = call_maker (calls, tool, request),
                            .askable = call->askable };
  call_fill_job (call);
  call_find_guards (call);
  call_may_invoke (call, request);
  set_deadline (call, limit);
  return call;
}

static void
note_repairs (struct call *call, const struct repaired *repaired)
{
  for (size_t i = 0; call->stats != NULL && i < REPAIR_RULES; i++)
    call->stats->repairs[i] += repaired->by_rule[i];
  call_log_repairs (call, repaired);
}

/* Its tool has failed too often. */
static void
cut_off (struct call *call, int64_t retry_after_ms)
{
  CLEANUP_BUF struct buf text = { 0 };
  struct result result = { .error = CALL_tool_unavailable, .retry_after_ms = retry_after_ms };

  buf_printf (&text, "Tool '%s' is temporarily unavailable due to repeated failures",
              call->tool->name);
  result.message = text.data;
  result.message_len = text.len;
  call_finish (call, &result, "its circuit is open");
}

/* Nothing speaks against it any more.  False: it has ended already. */
static bool
run (struct call *call)
{
  int64_t retry_after_ms = call_admit (call);

  if (retry_after_ms != 0) {
    cut_off (call, retry_after_ms);
    return false;
  }
  call->waits = call->tenancy != NULL;
  if (call->waits)
    call->tenancy->quota.waiting++;
  if (!call_submit (call))
    return false;
  call_log_start (call);
  return true;
}

static void
on_passed (struct call *call)
{
  (void) run (call);
}

/* What comes before its tool: its guards.  False: it has ended already. */
static bool
go_on (struct call *call)
{
  enum guarded guarded =
    call->guarding != NULL ? call_guard_input (call, on_passed) : GUARDED_PASSES;

  if (guarded == GUARDED_PASSES)
    return run (call);
  return guarded == GUARDED_WAITS;
}

static void
on_won (struct call *call)
{
  struct result result = { .error = CALL_tool_unavailable, .retry_after_ms = 1000 };

  if (call->must_be_known) /* it was, a moment ago: nobody has approved it */
    return call_finish (call, &result, "its id was let go of meanwhile");
  (void) go_on (call);
}

static void
on_lost (struct call *call, struct result *result)
{
  call->claim = NULL;
  call_finish (call, result, NULL);
}

void
calls_keep (struct calls *calls, const struct calls_store *store)
{
  static const struct claims_events events = { .won = on_won, .lost = on_lost, .kept = call_kept };

  calls->claims = claims_new (&(struct claims_settings){ .loop = calls->loop,
                                                         .log = calls->log,
                                                         .store = store->store,
                                                         .events = &events,
                                                         .hooks = store->hooks,
                                                         .again = store->again,
                                                         .patience = store->patience });
}

/* Ask the store whether it may run.  False: nobody need be asked. */
static bool
claim (struct call *call, const struct call_request *request)
{
  struct claims *claims = call->calls->claims;

  if (request->claim != NULL) { /* it has won, and asked */
    call->claim = request->claim;
    claim_move (call->claim, call);
    return false;
  }
  if (claims == NULL || request->kind != CALL_TOOL)
    return false;
  call->claim = claim_begin (claims, call, request);
  return true;
}

/* False: it has ended already. */
static bool
begin (struct call *call, const struct call_request *request)
{
  if ((request->claimed_in != NULL || call->approval[0] != '\0') && claim (call, request))
    return true;
  return go_on (call);
}

void
call_begin (struct call *call, const struct call_request *request, bool stood)
{
  if (stood) {
    call->started_ns = clock_ns (); /* what people took is no cost of the call */
    set_deadline (call, time_limit_ms (call->calls, call->tool, call->deadline_ms));
  }
  (void) begin (call, request);
}

/* NULL when it has ended already. */
static struct call *
start_checked (struct calls *calls, struct tool *tool, const struct call_request *request,
               const struct arguments *arguments, int64_t now, const struct call_events *events,
               void *ctx)
{
  struct call *call = make_call (calls, tool, request, arguments, now, events, ctx);

  PROBE4 (call__begin, call->id, tool->name, call->tenant, call->front);
  if (arguments->repaired != NULL)
    note_repairs (call, arguments->repaired);
  if (tool->skill != NULL) {
    call_read (call);
    return call;
  }
  call_join_batch (call, request);
  switch (call_approve (call, request)) {
  case APPROVE_NOT_NEEDED:
    break;
  case APPROVE_WAITS:
    return call;
  case APPROVE_ENDED:
    return NULL;
  }
  if (call_waits_for_batch (call, request))
    return call;
  return begin (call, request) ? call : NULL;
}

static enum repair_mode
repair_of (const struct calls *calls, const struct tool *tool, const struct call_request *request)
{
  const struct tenancy *tenancy = tenancy_of (calls, request);
  int of_tenant = tenancy != NULL ? tenancy_terms (tenancy)->repair : -1;

  if (tool->repair_set)
    return tool->repair;
  return of_tenant >= 0 ? (enum repair_mode) of_tenant : calls->settings.repair;
}

/* What is wrong with the arguments, CALL_OK when nothing is (any more).  Those of a completion are
 * still being written. */
static enum call_error
check_arguments (struct calls *calls, const struct tool *tool, const struct call_request *request,
                 struct arguments *arguments, const struct call_events *events, void *ctx,
                 struct buf *problems, struct buf *text)
{
  enum repair_mode repair = repair_of (calls, tool, request);

  if (!arguments_parse (arguments, tool, request, calls->settings.json_depth, repair, text))
    return CALL_tool_args_parse_error;
  if (events->parsed != NULL)
    events->parsed (ctx, arguments->tape, arguments->node);
  if (call_kind_content (request->kind) != FRAME_VALUES
      && !arguments_check (arguments, tool, repair, problems, text))
    return CALL_tool_args_invalid;
  return CALL_OK;
}

/* Who suggests nothing need not be asked. */
static bool
suggests_nothing (const struct call_request *request, const struct tool *tool)
{
  return call_kind_content (request->kind) == FRAME_VALUES && !tool->completes;
}

static void
answer_no_values (struct calls *calls, struct tool *tool, const struct call_request *request,
                  const struct call_events *events, void *ctx)
{
  static const char values[] = "{\"values\":[],\"total\":0,\"hasMore\":false}";
  struct result result = { .structured = values, .structured_len = sizeof values - 1 };

  call_refuse (calls, tool, request, events, ctx, &result);
}

/* The arguments of a read are what its URI says. */
static void
take_variables (struct call_request *request, const struct buf *variables)
{
  if (request->kind != CALL_READ)
    return;
  request->tape = NULL;
  request->args_node = NULL;
  request->args = variables->len != 0 ? variables->data : NULL;
  request->args_len = variables->len;
}

/* What can't be told of is not done. */
static bool
is_untold (const struct calls *calls, struct result *result, struct buf *text)
{
  if (!calls->settings.audit_required || audit_is_well (calls->settings.audit))
    return false;
  result->error = CALL_tool_unavailable;
  result->retry_after_ms = 1000;
  buf_puts (text, "The host can't write its audit now, and runs nothing without it.");
  return true;
}

/* The daemon as a whole takes no more. */
static bool
is_overloaded (const struct calls *calls, const struct call_request *request, struct result *result,
               struct buf *text)
{
  const bool full = pressure_is (calls->settings.pressure, PRESSURE_FULL);
  const unsigned running = calls->running - calls->unapproved;

  /* what was taken before the end began has the tools it needs */
  if ((!calls->draining || request->outer != NULL) && running < calls->settings.running_max
      && !full)
    return false;
  text->len = 0;
  result->error = CALL_tool_overloaded;
  result->retry_after_ms = 1000;
  if (full && !calls->draining && running < calls->settings.running_max)
    buf_puts (text, "The host is short of memory; try again later.");
  return true;
}

/* Its tenant has brought as many as it may.  What goes on with a call that was taken is no other
 * one. */
static bool
is_beyond_quota (const struct calls *calls, const struct call_request *request, int64_t now,
                 struct result *result, struct buf *text)
{
  struct tenancy *tenancy = tenancy_of (calls, request);
  CLEANUP_BUF struct buf why = { 0 };

  if (tenancy == NULL || request->ask != NULL || request->approved != NULL
      || quota_take (&tenancy->quota, &tenancy_terms (tenancy)->quota, now, &result->retry_after_ms,
                     &why))
    return false;
  result->error = CALL_quota_exceeded;
  buf_swap (text, &why);
  return true;
}

struct call *
call_start (struct calls *calls, const struct call_request *given, const struct call_events *events,
            void *ctx)
{
  __attribute__ ((cleanup (arguments_free))) struct arguments arguments = { 0 };
  CLEANUP_BUF struct buf text = { 0 };
  CLEANUP_BUF struct buf problems = { 0 };
  CLEANUP_BUF struct buf variables = { 0 };
  const int64_t now = clock_ns ();
  struct call_request copy = *given;
  const struct call_request *request = &copy;
  struct tool *tool = NULL;
  enum call_error resolved = resolve (request, &tool, &variables, &text);
  struct result result = { 0 };

  if (is_untold (calls, &result, &text) || is_overloaded (calls, request, &result, &text)
      || is_beyond_quota (calls, request, now, &result, &text))
    ;
  else if (resolved != CALL_OK)
    result.error = resolved;
  else if (suggests_nothing (request, tool)) {
    answer_no_values (calls, tool, request, events, ctx);
    return NULL;
  }
  else {
    take_variables (&copy, &variables);
    result.error =
      check_arguments (calls, tool, request, &arguments, events, ctx, &problems, &text);
  }
  if (result.error == CALL_OK)
    return start_checked (calls, tool, request, &arguments, now, events, ctx);
  if (text.len != 0) {
    result.message = text.data;
    result.message_len = text.len;
  }
  if (problems.len != 0) {
    result.problems = problems.data;
    result.problems_len = problems.len;
  }
  call_refuse (calls, tool, request, events, ctx, &result);
  ask_free (request->ask);
  claim_drop (request->claim);
  return NULL;
}

/* ---- what fronts do to a running call ---- */

/* What was begun, or is not to be, has ended as cancelled; what nobody was there to wait for may
 * come again. */
static void
cancel_claim (struct call *call, struct claim *claim)
{
  const struct call_error_info *info = call_error_info (CALL_tool_cancelled);
  const struct result result = { .error = CALL_tool_cancelled,
                                 .code = info->code,
                                 .message = info->text,
                                 .message_len = strlen (info->text),
                                 .content = "[]",
                                 .content_len = 2 };

  if (call->kept) /* by what it was: only its caller hears of a cancel */
    claim_leave (claim);
  else if (call->sent_ns == 0 && (call->events == NULL || call->calls->draining))
    claim_drop (claim);
  else
    claim_cancel (claim, &result);
}

void
call_cancel (struct call *call)
{
  struct claim *claim = call->claim;
  const struct result result = { .error = CALL_tool_cancelled };

  if (call_unapprove (call, false) || call_settle_error (call)) /* the latter had ended before */
    return;
  call->claim = NULL; /* nobody who cancels waits for the store */
  if (claim != NULL)
    cancel_claim (call, claim);
  if (call->kept) {
    call_kept (call, &result);
    return;
  }
  job_cancel (&call->job, FRAME_CANCEL_CALLER);
  call_finish_error (call, CALL_tool_cancelled, NULL);
}

void
call_interrupt (struct call *call)
{
  struct ev_loop *loop = call->calls->loop;

  if (call->interrupted || call_unapprove (call, true))
    return;
  if (!job_interrupt (&call->job))
    return call_cancel (call);
  call->interrupted = true;
  if (ev_is_active (&call->deadline) && ev_timer_remaining (loop, &call->deadline) < LAST_WORDS)
    return;
  ev_timer_stop (loop, &call->deadline);
  ev_timer_set (&call->deadline, LAST_WORDS, 0);
  ev_timer_start (loop, &call->deadline);
}

void
call_abandon (struct call *call)
{
  call->events = NULL;
  call_cancel (call);
}

const char *
call_id (const struct call *call)
{
  return call->id;
}

bool
call_waits (const struct call *call)
{
  return call_stands_still (call) || (call->approving != NULL && approving_waits (call->approving));
}

const char *
call_arguments (const struct call *call, size_t *len)
{
  *len = call->args_len;
  return call->args.data;
}

struct call *
call_find (struct calls *calls, const char *id, const char *principal)
{
  struct call *call = NULL;

  HASH_FIND_STR (calls->by_id, id, call);
  if (call != NULL && call->principal != NULL && principal != NULL
      && strcmp (call->principal, principal) != 0)
    return NULL;
  return call;
}

void
calls_see_circuits (struct calls *calls, const char *tenant,
                    void (*see) (void *ctx, const struct circuit_view *view), void *ctx)
{
  call_circuits_see (&calls->circuits, tenant, clock_ns () / 1000000, see, ctx);
}
