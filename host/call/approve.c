/* approve.c - calls that wait for a person.
 *
 * A call that needs approval is written into the book (approval/approvals.h) and waits, with
 * nothing but its memory: no worker, no slot, no deadline.  What runs once it is approved is
 * another call, made of what stands in the book: `inner`.  What that tells goes to the one that
 * waits, if it still does; so an approved call runs in the same way whether its caller is there or
 * left with an earlier daemon.  Its claim (claim.h), under the key of its entry, is what has it run
 * once.  Here is whether a call is asked about, and what is written of it (approving.h names the
 * files that do the rest). */
#include <stdlib.h>
#include <string.h>
#include <toolhost.h>

#include "approval/rules.h"
#include "approval/standing.h"
#include "call/approving.h"
#include "call/guarding.h"
#include "schema/schema.h"

/* ---- whether it is asked about ---- */

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
    approvals_standing (call->calls->approvals, approving_tenant (call), call->principal, &what);

  if (rule == NULL)
    return false;
  log_event (call->calls->log, LOG_INFO, "approval_standing", "rule", rule, "tool",
             call->tool->name, "call", call->id, "tenant", call->tenant, NULL);
  return true;
}

/* How many calls in a row may go by themselves; 0: any number. */
static int64_t
unasked_max (const struct call *call, const struct approval_need *need)
{
  if (need->unasked_max != 0)
    return need->unasked_max;
  return call->events->emitted != NULL ? APPROVAL_UNASKED_MAX : 0;
}

/* It goes by itself, by a rule; but not for ever, and then `why` has the reason of the rules, too.
 */
static bool
goes_unasked (const struct call *call, const struct approval_need *need, struct buf *why)
{
  const struct approval_run run = { approving_tenant (call), call->principal, call->session_id };
  const int64_t max = unasked_max (call, need);

  if (!need->waived && !stands (call))
    return false;
  if (max == 0 || approvals_unasked (call->calls->approvals, &run, max))
    return true;
  log_event (call->calls->log, LOG_NOTICE, "approval_unasked_max", "tool", call->tool->name, "call",
             call->id, "tenant", call->tenant, "session", call->session_id, NULL);
  buf_printf (why, "%s  (%lld calls before it have gone without asking.)", need->reason,
              (long long) max);
  return false;
}

/* ---- what is written into the book ---- */

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
    .tenant = approving_tenant (call),
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
    .rules_seen = approvals_rules_made (call->calls->approvals),
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

/* ---- it is asked about ---- */

/* It is asked about with what the guards have left of its arguments. */
static enum approve
go_and_ask (struct approving *a, struct call *call)
{
  a->checked = NULL;
  a->facts.args = (struct store_bytes){ call->args.data, call->args_len };
  a->facts.shown = show (call, &a->arena);
  approving_join (a, call);
  if (a->facts.claimed_in != NULL) {
    approving_look (a);
    return APPROVE_WAITS;
  }
  approving_ask (a);
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

enum approve
call_approve_beside (struct call *call, const struct call_request *request)
{
  static const struct approval_need need = {
    .required = true,
    .reason = "Another call that was asked for together with it needs approval.",
    .by = APPROVAL_BY_CALLER,
  };

  return start (call, request, &need);
}

enum approve
call_approve (struct call *call, const struct call_request *request)
{
  struct calls *calls = call->calls;
  struct approval *entry = NULL;
  struct approval_need need;
  CLEANUP_BUF struct buf why = { 0 };

  if (calls->approvals != NULL && request->ask != NULL && request->ask->of_approval)
    return approving_resume (call, request);
  if (calls->approvals == NULL || call->kind != CALL_TOOL || request->is_event
      || request->approved != NULL || request->ask != NULL || request->claim != NULL)
    return APPROVE_NOT_NEEDED;
  if (request->claimed_in != NULL)
    entry = approvals_find_key (calls->approvals, key_of (request, NULL).id);
  if (entry != NULL)
    return approving_meet_again (call, entry, request);
  need = judge (call);
  if ((!need.required && !need.waived) || goes_unasked (call, &need, &why))
    return APPROVE_NOT_NEEDED;
  if (why.len != 0)
    need.reason = why.data;
  return start (call, request, &need);
}

bool
calls_may_ask (const struct calls *calls, const char *tenant, const struct toolset *set)
{
  const struct approval_rules *host = calls->settings.approval_rules;
  const struct tenancy *tenancy =
    calls->settings.tenancies != NULL ? tenancies_of (calls->settings.tenancies, tenant) : NULL;
  const struct approval_rules *own = tenancy != NULL ? tenancy_terms (tenancy)->approvals : NULL;

  for (size_t i = 0; calls->approvals != NULL && i < set->count; i++)
    if (approval_may_need (own, host, set->tools[i]->name, set->tools[i]->approval))
      return true;
  return false;
}

void
calls_ask_people (struct calls *calls, struct approvals *book)
{
  calls->approvals = book;
  calls_watch_batches (calls);
}
