/* Guards that count: how often a tool runs, and fails. */
#include "base/clock.h"
#include "call/guarding_parts.h"
#include "call/tenancy.h"

static void
write_key (const struct guarding *g, const struct planned *p, struct buf *key)
{
  const struct call *call = g->call;
  const enum budget_per per = p->entry->budget.per;
  const char *who = per == BUDGET_PER_SESSION     ? call->session_id
                    : per == BUDGET_PER_PRINCIPAL ? call->principal
                                                  : NULL;

  buf_printf (key, "%c%u %u %s %s", p->of_host ? 'h' : 't', p->entry->ordinal, (unsigned) per,
              g->tool, who != NULL ? who : "");
}

enum guarded
budget_take (struct guarding *g, struct planned *p)
{
  static const enum call_error errors[] = { [BUDGET_INVOCATIONS] = CALL_max_invocations_reached,
                                            [BUDGET_EXCEPTIONS] = CALL_max_exceptions_reached,
                                            [BUDGET_RATE] = CALL_quota_exceeded };
  CLEANUP_BUF struct buf key = { 0 }, text = { 0 };
  struct result result = { .error = CALL_OK };
  enum budget_verdict verdict;

  p->us = 0;
  p->verdict = VERDICT_ALLOW;
  if (g->again || g->early)
    return GUARDED_PASSES;
  write_key (g, p, &key);
  verdict = budgets_take (&g->call->tenancy->budgets, &p->entry->budget, buf_cstr (&key),
                          clock_ns () / 1000000, &result.retry_after_ms);
  p->taken = verdict == BUDGET_LEFT;
  if (!p->taken)
    p->verdict = VERDICT_REJECT;
  guarding_count (g, p);
  if (p->taken)
    return GUARDED_PASSES;
  budgets_write_refusal (verdict, &p->entry->budget, g->tool, &text);
  result.error = errors[verdict];
  result.message = text.data;
  result.message_len = text.len;
  call_finish (g->call, &result, NULL);
  return GUARDED_ENDED;
}

/* Has its tool failed, so that it is an error function's matter, and counts as a failure? */
bool
guarding_is_failure (const struct result *result)
{
  switch (result->error) {
  case CALL_tool_execution_failed:
  case CALL_tool_output_invalid:
  case CALL_tool_timeout:
  case CALL_tool_crashed:
  case CALL_worker_lost:
  case CALL_guardrail_failed:
  case CALL_webhook_failed:
  case CALL_template_error:
  case CALL_openapi_error:
  case CALL_ffi_error:
  case CALL_agent_error:
  case CALL_internal_error:
    return !result->replayed;
  default:
    return false;
  }
}

void
call_count_end (struct call *call, const struct result *result)
{
  struct guarding *g = call->guarding;

  for (size_t i = 0; g != NULL && i < g->begins[GUARDED_OUTPUT]; i++) {
    struct planned *p = &g->plan[i];
    CLEANUP_BUF struct buf key = { 0 };
    if (p->entry->kind != GUARDS_BUDGET)
      continue;
    write_key (g, p, &key);
    if (p->taken && call->sent_ns == 0)
      budgets_give_back (call->tenancy->budgets, buf_cstr (&key));
    else if (call->sent_ns != 0 && (result->error == CALL_OK || guarding_is_failure (result)))
      budgets_ended (call->tenancy->budgets, buf_cstr (&key), guarding_is_failure (result));
    p->taken = false;
  }
}
