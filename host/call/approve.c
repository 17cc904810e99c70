/* approve.c - calls that wait for a person.
 *
 * A call that needs approval is written into the book (approval/approvals.h) and waits, with
 * nothing but its memory: no worker, no slot, no deadline.  What runs once it is approved is
 * another call, made of what stands in the book: `inner`.  What that tells goes to the one that
 * waits, if it still does; so an approved call runs in the same way whether its caller is there or
 * left with an earlier daemon.  Its claim (claim.h), under the key of its entry, is what has it run
 * once. */
#include <stdlib.h>
#include <string.h>
#include <toolhost.h>

#include "approval/approvals.h"
#include "approval/rules.h"
#include "approval/standing.h"
#include "base/clock.h"
#include "call/approval_form.h"
#include "call/guarding.h"
#include "call/running.h"
#include "call/stored.h"
#include "schema/schema.h"

static const double AGAIN_S = 0.2; /* until what could not be begun is tried again */

struct approving {
  struct approving *next, **prev; /* of all */
  struct calls *calls;
  struct call *waiting;        /* NULL: nobody does (any more) */
  struct call *checked;        /* while guards look at its arguments, before it is asked about */
  struct call *inner;          /* while it runs */
  struct approval *entry;      /* NULL: it is not in the book (yet) */
  struct approval_facts facts; /* until it is: in `arena` */
  char id[APPROVAL_ID_LEN + 1];
  const char *why; /* it is not to be run, for this reason, unless it has been */
  bool looking;    /* the store is asked of it */
  bool decided;    /* it was in the book, and is not to be asked about again */
  struct arena arena;
  ev_timer again;
};

/* ---- one ---- */

static struct approving *
approving_new (struct calls *calls, struct call *waiting)
{
  struct approving *a = xcalloc (1, sizeof *a);

  a->calls = calls;
  a->waiting = waiting;
  a->next = calls->approvings;
  a->prev = &calls->approvings;
  if (a->next != NULL)
    a->next->prev = &a->next;
  calls->approvings = a;
  ev_timer_init (&a->again, NULL, 0, 0);
  a->again.data = a;
  return a;
}

static void
join (struct approving *a, struct call *call)
{
  a->waiting = call;
  call->approving = a;
  call->calls->unapproved++;
  ev_timer_stop (call->calls->loop, &call->deadline);
}

/* Its call does not wait for it any more. */
static struct call *
part (struct approving *a)
{
  struct call *call = a->waiting;

  a->waiting = NULL;
  if (call == NULL)
    return NULL;
  call->approving = NULL;
  call->calls->unapproved--;
  call->started_ns = clock_ns (); /* what people took is no cost of the call */
  return call;
}

static void
approving_free (struct approving *a)
{
  (void) part (a);
  ev_timer_stop (a->calls->loop, &a->again);
  *a->prev = a->next;
  if (a->next != NULL)
    a->next->prev = a->prev;
  arena_free (&a->arena);
  free (a);
}

/* It is over; whoever waits is told this. */
static void
end (struct approving *a, enum call_error error, const char *message, int64_t retry_after_ms)
{
  CLEANUP_FREE char *copy = message != NULL ? xstrdup (message) : NULL;
  struct call *call = part (a);
  struct result result = { .error = error,
                           .message = copy,
                           .message_len = copy != NULL ? strlen (copy) : 0,
                           .retry_after_ms = retry_after_ms };

  approving_free (a);
  if (call != NULL)
    call_finish (call, &result, NULL);
}

/* ---- what the book says ---- */

static void
tell_that_it_waits (struct call *call, const struct approval_facts *facts)
{
  CLEANUP_BUF struct buf text = { 0 };

  buf_printf (&text, "The call waits for a person's approval, as %s.", facts->id);
  if (call->events->log != NULL)
    call->events->log (call->ctx, TOOLHOST_NOTICE, text.data, text.len);
  if (call->job.wants_progress && call->events->progress != NULL)
    call->events->progress (call->ctx, 0, 0, text.data, text.len);
}

/* The caller as the one who decides: where it may, and can be asked, the approval of its call is a
 * question like those of tools (ask.h).  The ask that is held or sealed meanwhile only names the
 * entry of the book; what is run is what stands there. */
static bool
may_ask_caller (const struct call *call, const struct approval_facts *facts)
{
  return call->asks_approval && call->ask == NULL && (call->askable & FRAME_ASK_FORM) != 0
         && (facts->by_caller || call->may_approve) && facts->state == APPROVAL_PENDING;
}

static void
ask_caller (struct approving *a, const struct approval_facts *facts)
{
  struct approval *entry = a->entry;
  struct ask *ask = approval_form_ask (facts);
  struct call *call = part (a);
  struct result result = { .error = CALL_input_required, .asking = call };

  call->ask = ask;
  a->entry = NULL;
  approving_free (a);
  approval_leave (entry);
  call_finish (call, &result, NULL);
}

static void
on_recorded (void *ctx, struct approval *entry)
{
  struct approving *a = ctx;
  struct call *call = a->waiting;
  const struct approval_facts *facts = approval_facts (entry);

  a->entry = entry;
  if (may_ask_caller (call, facts))
    return ask_caller (a, facts);
  if (call->events->waits == NULL || !call->events->waits (call->ctx, facts)) {
    tell_that_it_waits (call, facts);
    return;
  }
  approval_leave (entry);
  approving_free (a);
  call->events = NULL;
  call_tell (call, NULL);
}

static void
on_not_recorded (void *ctx)
{
  struct approving *a = ctx;

  a->entry = NULL;
  end (a, CALL_tool_unavailable,
       "The call needs a person's approval, and that could not be recorded, so it was not run; try "
       "again in a moment.",
       1000);
}

/* What the caller is told (U0-20). */
static const char *
refusal (const struct approval_facts *facts)
{
  if (facts->state == APPROVAL_WITHDRAWN || facts->text != NULL)
    return facts->text;
  return facts->state == APPROVAL_EXPIRED
           ? "Tool execution was not approved: nobody decided in time."
           : "Tool execution was not approved.";
}

static void
on_refused (void *ctx, const struct approval_facts *facts)
{
  struct approving *a = ctx;

  a->entry = NULL;
  end (a,
       facts->state == APPROVAL_REJECTED  ? CALL_approval_rejected
       : facts->state == APPROVAL_EXPIRED ? CALL_approval_expired
                                          : CALL_tool_cancelled,
       refusal (facts), 0);
}

static const struct approval_waiter waiter = { .recorded = on_recorded,
                                               .not_recorded = on_not_recorded,
                                               .refused = on_refused };

static void
ask (struct approving *a)
{
  struct error err = { 0 };

  a->entry = approvals_ask (a->calls->approvals, &a->facts, &waiter, a, &err);
  if (a->entry == NULL)
    end (a, CALL_tool_overloaded, err.text, 1000);
}

/* ---- whether it is asked about ---- */

static const char *
tenant_of (const struct call *call)
{
  return call->tenant != NULL ? call->tenant : TENANT_DEFAULT;
}

static struct approval_need
judge (const struct call *call)
{
  const struct approval_rules *host = call->calls->settings.approval_rules;
  const struct approval_rules *tenant =
    call->tenancy != NULL ? tenancy_terms (call->tenancy)->approvals : NULL;
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  /* Most calls have no rule, and are not read once more. */
  const bool good =
    approval_looks (tenant, host)
    && json_read (&tape, call->args.data, call->args_len, &json_default_limits, &arena);
  const struct approval_asked asked = { .tool = call->tool->name,
                                        .caller = call->principal,
                                        .tool_wants = call->tool->approval,
                                        .tape = good ? &tape : NULL,
                                        .value = good ? json_root (&tape) : NULL };

  return approval_judge (tenant, host, &asked);
}

/* Somebody has said yes to such calls for good. */
static bool
stands (const struct call *call)
{
  const struct standing_call what = { .tool = call->tool->name,
                                      .digest = call->tool->digest,
                                      .arguments = { call->args.data, call->args_len } };
  const char *rule =
    approvals_standing (call->calls->approvals, tenant_of (call), call->principal, &what);

  if (rule == NULL)
    return false;
  log_event (call->calls->log, LOG_INFO, "approval_standing", "rule", rule, "tool",
             call->tool->name, "call", call->id, "tenant", call->tenant, NULL);
  return true;
}

/* What people are shown of the arguments. */
static struct store_bytes
show (const struct call *call, struct arena *arena)
{
  CLEANUP_BUF struct buf redacted = { 0 };
  size_t len;
  const char *shown;
  CLEANUP_ARENA struct arena nodes = { 0 };
  CLEANUP_BUF struct buf text = { 0 };
  struct json_tape tape;

  if (!json_read (&tape, call->args.data, call->args_len, &json_default_limits, &nodes))
    buf_puts (&text, "{}");
  else if (call->tool->input != NULL)
    schema_show (call->tool->input, &tape, json_root (&tape), &text);
  else
    buf_append (&text, call->args.data, call->args_len);
  len = text.len;
  shown = call_redact_json (call, text.data, &len, &redacted);
  if (shown == NULL) {
    shown = "{}";
    len = 2;
  }
  return (struct store_bytes){ arena_strndup (arena, shown, len), len };
}

/* By its caller's name for it, or by that of its entry. */
static struct store_key
key_of (const struct call_request *request, const char *id)
{
  const struct call_name name = { .tenant = request->tenant,
                                  .principal = request->principal,
                                  .session = request->claimed_in,
                                  .id = request->claimed_in != NULL ? request->call_id : id };

  return claim_key (&name);
}

static void
name_it (struct approving *a, const struct call_request *request)
{
  const struct store_key key = key_of (request, a->id);

  memcpy (a->facts.key, key.id, STORE_HASH);
  if (request->claimed_in != NULL)
    claim_what (request, a->facts.what);
  else
    memcpy (a->facts.what, key.id, STORE_HASH);
}

static void
note (struct approving *a, const struct call *call, const struct call_request *request,
      const struct approval_need *need)
{
  a->facts = (struct approval_facts){
    .id = a->id,
    .tenant = tenant_of (call),
    .principal = call->principal,
    .session_id = call->session_id,
    .front = call->front,
    .call_id = request->call_id != NULL && *request->call_id != '\0' ? request->call_id : call->id,
    .named = request->claimed_in != NULL,
    .claimed_in = request->claimed_in,
    .metadata = { call->meta.data, call->meta.len },
    .deadline_ms = request->deadline_ms,
    .tool = call->tool->name,
    .title = "",
    .digest = call->tool->digest,
    .reason = need->reason,
    .by_caller = need->by == APPROVAL_BY_CALLER,
    .expires_ms = need->ttl_ms,
  };
}

/* What is asked later must not look into the request. */
static void
keep_note (struct approving *a, const struct call_request *request)
{
  a->facts.call_id = arena_strndup (&a->arena, a->facts.call_id, strlen (a->facts.call_id));
  if (request->claimed_in != NULL)
    a->facts.claimed_in =
      arena_strndup (&a->arena, request->claimed_in, strlen (request->claimed_in));
  if (a->facts.reason != NULL)
    a->facts.reason = arena_strndup (&a->arena, a->facts.reason, strlen (a->facts.reason));
}

/* ---- one that its caller has named ---- */

static struct approving *
find (struct calls *calls, const struct approval *entry)
{
  for (struct approving *a = calls->approvings; a != NULL; a = a->next)
    if (a->entry == entry)
      return a;
  return NULL;
}

static enum approve
refuse (struct call *call, enum call_error error)
{
  struct result result = { .error = error, .retry_after_ms = 1000 };

  call_finish (call, &result, NULL);
  return APPROVE_ENDED;
}

/* Its caller comes again, and it is in the book. */
static enum approve
meet_again (struct call *call, struct approval *entry, const struct call_request *request)
{
  const struct approval_facts *facts = approval_facts (entry);
  struct approving *a = find (call->calls, entry);
  unsigned char what[STORE_HASH];

  claim_what (request, what);
  if (facts->named && memcmp (what, facts->what, STORE_HASH) != 0)
    return refuse (call, CALL_call_id_reused);
  if (a != NULL && a->waiting != NULL)
    return refuse (call, CALL_call_in_progress);
  if (a != NULL) {
    join (a, call);
    return APPROVE_WAITS;
  }
  a = approving_new (call->calls, NULL);
  join (a, call);
  a->entry = entry;
  approval_join (entry, &waiter, a);
  return APPROVE_WAITS;
}

static void on_known (void *ctx, enum store_status status, const struct store_call *known);

/* Was it claimed before? */
static void
look (struct approving *a)
{
  const struct approval_facts *facts = a->entry != NULL ? approval_facts (a->entry) : &a->facts;
  struct store_key key = { .tenant = facts->tenant };

  memcpy (key.id, facts->key, STORE_HASH);
  a->looking = true;
  store_lookup (claims_store (a->calls->claims), &key, on_known, a);
}

static void not_run (struct approving *a, enum store_status status, const struct store_call *known);

static void
on_known (void *ctx, enum store_status status, const struct store_call *known)
{
  struct approving *a = ctx;
  struct call *call = a->waiting;

  a->looking = false;
  if (a->entry != NULL)
    return not_run (a, status, known);
  if (call == NULL)
    return approving_free (a);
  if (status == STORE_NOT_FOUND && a->decided)
    return end (a, CALL_approval_expired,
                "The call was approved and has run; its result is not kept any more.", 0);
  if (status == STORE_NOT_FOUND)
    return ask (a);
  if (status != STORE_OK)
    return on_not_recorded (a);
  call->must_be_known = true;
  call->claim = claim_begin (a->calls->claims, call,
                             &(struct call_request){ .tenant = call->tenant,
                                                     .principal = call->principal,
                                                     .session_id = call->session_id,
                                                     .call_id = a->facts.call_id,
                                                     .front = call->front,
                                                     .approved = &a->facts });
  (void) part (a);
  approving_free (a);
}

/* It is asked about with what the guards have left of its arguments. */
static enum approve
go_and_ask (struct approving *a, struct call *call)
{
  a->checked = NULL;
  a->facts.args = (struct store_bytes){ call->args.data, call->args_len };
  a->facts.shown = show (call, &a->arena);
  join (a, call);
  if (a->facts.claimed_in != NULL) {
    look (a);
    return APPROVE_WAITS;
  }
  ask (a);
  return call->approving == a ? APPROVE_WAITS : APPROVE_ENDED;
}

static void
on_checked (void *ctx)
{
  struct approving *a = ctx;

  (void) go_and_ask (a, a->checked);
}

static void
on_dropped (void *ctx)
{
  approving_free (ctx);
}

static enum approve
start (struct call *call, const struct call_request *request, const struct approval_need *need)
{
  struct approving *a = approving_new (call->calls, NULL);

  approval_make_id (a->id);
  note (a, call, request, need);
  name_it (a, request);
  keep_note (a, request);
  a->checked = call;
  switch (call_guard_early (call, on_checked, on_dropped, a)) {
  case GUARDED_WAITS:
    return APPROVE_WAITS;
  case GUARDED_ENDED:
    return APPROVE_ENDED;
  default:
    return go_and_ask (a, call);
  }
}

/* ---- one whose caller comes back with an answer ---- */

/* The entry is open: wait for it, or for its call that runs. */
static void
wait_for (struct approving *a, struct approval *entry)
{
  struct approving *other = find (a->calls, entry);
  struct call *call;

  if (other == NULL) {
    a->entry = entry;
    approval_join (entry, &waiter, a);
  }
  else if (other->waiting != NULL)
    end (a, CALL_call_in_progress, NULL, 1000);
  else {
    call = part (a);
    approving_free (a);
    join (other, call);
  }
}

/* It was approved, or nobody has said anything yet. */
static void
follow (struct approving *a, const struct approval_facts *facts)
{
  struct approval *entry = approvals_find_key (a->calls->approvals, facts->key);

  if (entry != NULL)
    return wait_for (a, entry);
  a->decided = true; /* and has run: what came of it is known, or was */
  memcpy (a->facts.key, facts->key, STORE_HASH);
  memcpy (a->facts.what, facts->what, STORE_HASH);
  a->facts.tenant = arena_strndup (&a->arena, facts->tenant, strlen (facts->tenant));
  a->facts.call_id = arena_strndup (&a->arena, facts->call_id, strlen (facts->call_id));
  look (a);
}

static void
take_answer (struct approving *a, const struct approval_facts *facts)
{
  switch (facts->state) {
  case APPROVAL_PENDING:
  case APPROVAL_APPROVED:
    return follow (a, facts);
  case APPROVAL_REJECTED:
    return end (a, CALL_approval_rejected, refusal (facts), 0);
  case APPROVAL_WITHDRAWN:
    return end (a, CALL_tool_cancelled, facts->text, 0);
  default:
    return end (a, CALL_approval_expired, refusal (facts), 0);
  }
}

static void
on_got (void *ctx, enum store_status status, const struct approval_facts *facts)
{
  struct approving *a = ctx;

  a->looking = false;
  if (a->waiting == NULL)
    approving_free (a);
  else if (status == STORE_OK)
    take_answer (a, facts);
  else if (status == STORE_NOT_FOUND)
    end (a, CALL_approval_expired, NULL, 0);
  else
    end (a, CALL_tool_unavailable, "The decision could not be read; try again.", 1000);
}

/* How does it stand, whoever may decide? */
static void
ask_book (struct approving *a)
{
  a->looking = true;
  approvals_get (a->calls->approvals, a->facts.tenant, a->id, on_got, a);
}

static void
on_said (void *ctx, enum decision_verdict verdict, const struct approval_facts *facts)
{
  struct approving *a = ctx;

  a->looking = false;
  if (a->waiting == NULL)
    approving_free (a);
  else if (verdict == DECISION_UNAVAILABLE)
    end (a, CALL_tool_unavailable, "The decision could not be recorded; try again.", 1000);
  else if (facts != NULL)
    take_answer (a, facts);
  else
    ask_book (a);
}

static enum approve
resume (struct call *call, const struct call_request *request)
{
  struct approving *a = approving_new (call->calls, NULL);
  struct approval_decision decision;

  memcpy (a->id, request->ask->approval, sizeof a->id - 1); /* ours, of this length */
  a->facts.tenant = tenant_of (call);
  a->facts.named = true; /* whose caller leaves goes on without it */
  join (a, call);
  switch (approval_form_read (request->ask, &decision, &a->arena)) {
  case APPROVAL_SAID:
    decision.tenant = a->facts.tenant;
    decision.principal = request->decider != NULL ? request->decider : call->principal;
    decision.may_approve = request->may_approve;
    a->looking = true;
    approvals_decide (call->calls->approvals, &decision, on_said, a);
    return APPROVE_WAITS;
  case APPROVAL_SAID_LATER:
    ask_book (a);
    return APPROVE_WAITS;
  default:
    end (a, CALL_input_invalid, "approval: expected yes or no", 0);
    return APPROVE_ENDED;
  }
}

enum approve
call_approve (struct call *call, const struct call_request *request)
{
  struct calls *calls = call->calls;
  struct approval *entry = NULL;
  struct approval_need need;

  if (calls->approvals != NULL && request->ask != NULL && request->ask->of_approval)
    return resume (call, request);
  if (calls->approvals == NULL || call->kind != CALL_TOOL || request->is_event
      || request->approved != NULL || request->ask != NULL || request->claim != NULL)
    return APPROVE_NOT_NEEDED;
  if (request->claimed_in != NULL)
    entry = approvals_find_key (calls->approvals, key_of (request, NULL).id);
  if (entry != NULL)
    return meet_again (call, entry, request);
  need = judge (call);
  return need.required && !stands (call) ? start (call, request, &need) : APPROVE_NOT_NEEDED;
}

/* ---- the call that runs ---- */

static void
on_progress (void *ctx, double done, double total, const char *text, size_t len)
{
  const struct call *call = ((struct approving *) ctx)->waiting;

  if (call != NULL && call->events != NULL && call->events->progress != NULL)
    call->events->progress (call->ctx, done, total, text, len);
}

static void
on_log (void *ctx, int level, const char *text, size_t len)
{
  const struct call *call = ((struct approving *) ctx)->waiting;

  if (call != NULL && call->events != NULL && call->events->log != NULL)
    call->events->log (call->ctx, level, text, len);
}

static void
on_emitted (void *ctx, const char *json, size_t len)
{
  const struct call *call = ((struct approving *) ctx)->waiting;

  if (call != NULL && call->events != NULL && call->events->emitted != NULL)
    call->events->emitted (call->ctx, json, len);
}

static enum frame_served_status
on_state (void *ctx, const char *json, size_t len, struct buf *out, size_t *cost)
{
  const struct call *call = ((struct approving *) ctx)->waiting;

  if (call == NULL || call->events == NULL || call->events->state == NULL)
    return FRAME_SERVED_FAILED;
  return call->events->state (call->ctx, json, len, out, cost);
}

static void again (struct approving *a);

/* It had not begun, and may still. */
static bool
may_come_again (const struct approving *a, const struct result *result)
{
  if ((a->inner != NULL && a->inner->sent_ns != 0) || result->replayed)
    return false;
  return result->error == CALL_tool_overloaded || result->error == CALL_tool_unavailable
         || (a->calls->draining && result->error == CALL_tool_cancelled);
}

static void
on_done (void *ctx, const struct result *result)
{
  struct approving *a = ctx;
  const bool comes_again = may_come_again (a, result);
  struct call *call;

  a->inner = NULL;
  if (comes_again && !a->calls->draining)
    return again (a);
  if (comes_again)
    approval_leave (a->entry); /* the next daemon begins it */
  else
    approvals_end (a->entry, result->error == CALL_OK ? "ok" : result->code);
  call = part (a);
  approving_free (a);
  if (call != NULL)
    call_tell (call, result);
}

static const struct call_events inner_events = { .progress = on_progress,
                                                 .log = on_log,
                                                 .done = on_done };
static const struct call_events inner_events_in_session = {
  .progress = on_progress, .log = on_log, .done = on_done, .emitted = on_emitted, .state = on_state
};

static bool
is_in_session (const struct call *waiting)
{
  return waiting != NULL && waiting->events != NULL && waiting->events->emitted != NULL;
}

/* What only a caller that is there has. */
static void
take_from (struct call_request *request, const struct call *waiting, struct json_tape *responses,
           struct arena *arena)
{
  if (waiting == NULL)
    return;
  request->wants_progress = waiting->job.wants_progress;
  request->preview = waiting->job.maker != NULL;
  request->askable = waiting->askable;
  request->phone = waiting->job.phone;
  if (waiting->responses.len != 0
      && json_read (responses, waiting->responses.data, waiting->responses.len,
                    &json_default_limits, arena)) {
    request->responses_tape = responses;
    request->responses = json_root (responses);
  }
}

/* It is what stands in the book and nothing else. */
static void
run (struct approving *a, struct toolset *toolset)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  const struct approval_facts *facts = approval_facts (a->entry);
  struct json_tape responses;
  struct call *inner;
  struct call_request request = { .kind = CALL_TOOL,
                                  .toolset = toolset,
                                  .name = facts->tool,
                                  .name_len = strlen (facts->tool),
                                  .args = facts->args.data,
                                  .args_len = facts->args.len,
                                  .front = facts->front,
                                  .tenant = facts->tenant,
                                  .principal = facts->principal,
                                  .call_id = facts->call_id,
                                  .session_id = facts->session_id,
                                  .claimed_in = facts->claimed_in != NULL ? facts->claimed_in : "",
                                  .deadline_ms = facts->deadline_ms,
                                  .approved = facts };

  if (facts->metadata.data != NULL)
    call_take_meta (&request, facts->metadata.data, facts->metadata.len, &arena);
  take_from (&request, a->waiting, &responses, &arena);
  inner = call_start (a->calls, &request,
                      is_in_session (a->waiting) ? &inner_events_in_session : &inner_events, a);
  if (inner != NULL)
    a->inner = inner;
}

/* ---- when it is approved ---- */

/* It is not to run: but if a daemon before this one has run it, that is what is told. */
static void
not_run (struct approving *a, enum store_status status, const struct store_call *known)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct result result = { 0 };
  struct call *call;

  if (status == STORE_NOT_FOUND) {
    approval_leave (a->entry);
    approvals_refuse (a->entry, a->why);
    a->entry = NULL;
    return end (a, CALL_approval_expired, a->why, 0);
  }
  if (status != STORE_OK)
    return again (a);
  (void) claim_known (known->state, known, &arena, &result);
  if (result.code == NULL && result.error != CALL_OK)
    result.code = call_error_info (result.error)->code;
  approvals_end (a->entry, result.error == CALL_OK ? "ok" : result.code);
  a->entry = NULL;
  call = part (a);
  approving_free (a);
  if (call != NULL)
    call_finish (call, &result, NULL);
}

static void
refuse_to_run (struct approving *a, const char *why)
{
  a->why = why;
  look (a);
}

static void
begin (struct approving *a)
{
  struct calls *calls = a->calls;
  const struct approval_facts *facts = approval_facts (a->entry);
  struct toolset *toolset =
    catalog_toolset (tenancy_catalog (tenancies_of (calls->settings.tenancies, facts->tenant)));
  const struct tool *tool = toolset_find (toolset, facts->tool, strlen (facts->tool));

  if (calls->draining) /* the next daemon does */
    return;
  if (approvals_now (calls->approvals) >= facts->expires_ms)
    refuse_to_run (a, "The call was approved, but could not be begun in time.");
  else if (tool == NULL || (tool->digest[0] == '\0' && facts->digest[0] != '\0'))
    again (a); /* its plugin is not there yet */
  else if (strcmp (tool->digest, facts->digest) != 0)
    refuse_to_run (a, "The tool is not what it was when the call was asked about; call it again.");
  else
    run (a, toolset);
}

static void
on_again (struct ev_loop *loop, ev_timer *timer, int revents)
{
  (void) loop;
  (void) revents;
  begin (timer->data);
}

static void
again (struct approving *a)
{
  ev_timer_init (&a->again, on_again, AGAIN_S, 0);
  a->again.data = a;
  ev_timer_start (a->calls->loop, &a->again);
}

void
calls_begin_approved (void *ctx, struct approval *entry)
{
  struct calls *calls = ctx;
  struct approving *a = find (calls, entry);

  if (a == NULL) {
    a = approving_new (calls, NULL);
    a->entry = entry;
  }
  begin (a);
}

bool
approving_waits (const struct approving *a)
{
  return a->inner == NULL;
}

void
calls_ask_people (struct calls *calls, struct approvals *book)
{
  calls->approvals = book;
}

/* ---- when its caller has lost interest ---- */

static bool
is_named (const struct approving *a)
{
  return a->entry != NULL ? approval_facts (a->entry)->named : a->facts.named;
}

/* It goes on without its caller. */
static void
leave (struct approving *a)
{
  (void) part (a);
  if (a->entry == NULL && a->looking) /* it is in nobody's book, and goes with the answer */
    return;
  if (a->entry != NULL)
    approval_leave (a->entry);
  if (a->entry == NULL || approval_facts (a->entry)->state == APPROVAL_PENDING)
    approving_free (a);
}

static void
withdraw (struct approving *a)
{
  (void) part (a);
  if (a->entry == NULL)
    ; /* not in the book */
  else if (approval_facts (a->entry)->state == APPROVAL_PENDING)
    approvals_withdraw (a->entry);
  else
    approvals_end (a->entry, call_error_info (CALL_tool_cancelled)->code);
  a->entry = NULL;
  if (!a->looking)
    approving_free (a);
}

bool
call_unapprove (struct call *call, bool interrupt)
{
  struct approving *a = call->approving;
  const bool gone = call->events == NULL;

  if (a == NULL)
    return false;
  if (a->inner != NULL && !(gone && is_named (a) && !call->calls->draining)) {
    if (interrupt) /* the call ends with it */
      call_interrupt (a->inner);
    else
      call_cancel (a->inner);
    return true;
  }
  if (call->calls->draining || (gone && is_named (a)))
    leave (a);
  else
    withdraw (a);
  call_finish_error (call, CALL_tool_cancelled, NULL);
  return true;
}

/* ---- when the daemon stops ---- */

static struct approving *
find_idle (const struct calls *calls)
{
  for (struct approving *a = calls->approvings; a != NULL; a = a->next)
    if (a->waiting != NULL && a->inner == NULL)
      return a;
  return NULL;
}

void
calls_leave_approvals (struct calls *calls)
{
  static const char message[] =
    "The host is stopping.  The call still waits for a person's approval; it is run once, by the "
    "next daemon, when that is given.";

  for (struct approving *a; (a = find_idle (calls)) != NULL;) {
    struct call *call = a->waiting;
    struct result result = { .error = CALL_tool_unavailable,
                             .message = message,
                             .message_len = sizeof message - 1,
                             .retry_after_ms = 1000 };

    leave (a);
    call_finish (call, &result, NULL);
  }
}

void
calls_free_approvals (struct calls *calls)
{
  while (calls->approvings != NULL)
    approving_free (calls->approvings);
}
