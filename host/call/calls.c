#include "call/calls.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"
#include "call/call_trace.h"
#include "call/guarding.h"
#include "call/running.h"

enum { ARGS_KEPT = 64 * 1024, SPARE_MAX = 256 };

struct calls *
calls_new (struct ev_loop *loop, struct log *log, struct metrics *metrics,
           const struct calls_settings *settings)
{
  struct calls *calls = xcalloc (1, sizeof *calls);

  calls->loop = loop;
  calls->log = log;
  calls->metrics = metrics;
  calls->settings = *settings;
  (void) approval_rules_ref (settings->approval_rules);
  calls_make_makers (calls);
  calls->nobody = xcalloc (1, sizeof *calls->nobody);
  HASH_ADD_KEYPTR (hh, calls->by_id, "", 1, calls->nobody); /* no id holds a NUL */
  if (getrandom (&calls->id_seed, sizeof calls->id_seed, GRND_NONBLOCK) < 0)
    calls->id_seed = (uint64_t) clock_ns ();
  return calls;
}

static void
call_free (struct call *call)
{
  buf_free (&call->args);
  buf_free (&call->meta);
  buf_free (&call->repairs);
  buf_free (&call->responses);
  free (call);
}

void
calls_trim (struct calls *calls)
{
  for (struct call *c = calls->spare, *next; c != NULL; c = next) {
    next = c->next_spare;
    call_free (c);
  }
  calls->spare = NULL;
  calls->spare_count = 0;
}

void
calls_free (struct calls *calls)
{
  if (calls == NULL)
    return;
  calls_trim (calls);
  calls_free_batches (calls);
  calls_free_approvals (calls);
  claims_free (calls->claims);
  approval_rules_unref (calls->settings.approval_rules);
  ask_rules_free (calls->ask_rules);
  call_circuits_free (&calls->circuits);
  HASH_DEL (calls->by_id, calls->nobody);
  free (calls->nobody);
  free (calls);
}

const struct ask_rules *
calls_ask_rules (struct calls *calls)
{
  if (calls->ask_rules == NULL)
    calls->ask_rules = ask_rules_new ();
  return calls->ask_rules;
}

void
calls_set_repair (struct calls *calls, enum repair_mode repair)
{
  calls->settings.repair = repair;
}

void
calls_set_approvals (struct calls *calls, struct approval_rules *rules)
{
  struct approval_rules *was = calls->settings.approval_rules;

  calls->settings.approval_rules = approval_rules_ref (rules);
  approval_rules_unref (was);
}

void
calls_drain (struct calls *calls)
{
  calls->draining = true;
  calls_leave_approvals (calls);
  calls_leave_batches (calls);
}

unsigned
calls_running (const struct calls *calls)
{
  return calls->running;
}

bool
calls_are_settled (const struct calls *calls)
{
  return calls->running == 0 && (calls->claims == NULL || claims_count (calls->claims) == 0);
}

void
calls_cancel_all (struct calls *calls)
{
  while (calls->nobody->hh.next != NULL)
    call_cancel (calls->nobody->hh.next);
}

const char *
calls_outcome_name (unsigned outcome)
{
  return outcome < CALL_ERRORS ? call_error_info ((enum call_error) outcome)->code : "unknown";
}

const char *
calls_repair_name (unsigned rule)
{
  return rule < REPAIR_RULES ? repair_rule_name ((enum repair_rule) rule) : "unknown";
}

struct tool_stats *
calls_stats_of (const struct calls *calls, struct tool *tool)
{
  CLEANUP_BUF struct buf name = { 0 };

  if (tool->stats != NULL || calls->metrics == NULL)
    return tool->stats;
  if (tool->offer != OFFER_TOOL) /* no tool's name holds a blank */
    buf_printf (&name, "%s ", offer_word (tool->offer));
  buf_puts (&name, tool->name);
  tool->stats = metrics_tool (calls->metrics, tool->plugin, buf_cstr (&name));
  return tool->stats;
}

/* ---- one call's memory ---- */

struct call *
call_alloc (struct calls *calls)
{
  struct call *call = calls->spare;

  calls->running++;
  if (call == NULL) {
    call = xcalloc (1, sizeof *call);
    call->calls = calls;
    return call;
  }
  calls->spare = call->next_spare;
  calls->spare_count--;
  memset (call, 0, offsetof (struct call, id));
  call->approval[0] = '\0';
  call->calls = calls;
  return call;
}

void
call_unindex (struct call *call)
{
  if (call->indexed)
    HASH_DEL (call->calls->by_id, call);
  call->indexed = false;
}

void
call_waits_no_more (struct call *call)
{
  if (call->waits)
    call->tenancy->quota.waiting--;
  call->waits = false;
}

void
call_release (struct call *call)
{
  struct calls *calls = call->calls;

  call_waits_no_more (call);
  call_trace_drop (call);
  call_leave_batch (call);
  ev_timer_stop (calls->loop, &call->deadline);
  ev_timer_stop (calls->loop, &call->again);
  call_unindex (call);
  call_forget_guards (call);
  if (call->stats != NULL)
    call->stats->running--;
  call->stats = NULL;
  tool_unref (call->tool);
  toolset_unref (call->toolset);
  free (call->caller);
  free (call->uri);
  ask_free (call->ask);
  claim_drop (call->claim);
  calls->running--;
  buf_reset (&call->args, ARGS_KEPT);
  buf_reset (&call->meta, ARGS_KEPT);
  buf_reset (&call->repairs, ARGS_KEPT);
  buf_free (&call->responses);
  if (calls->spare_count >= SPARE_MAX) {
    call_free (call);
    return;
  }
  call->next_spare = calls->spare;
  calls->spare = call;
  calls->spare_count++;
}
