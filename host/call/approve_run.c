/* approve_run.c - the call that runs once a person has approved it: what stands in the book, and
 * nothing else.  What it tells goes to the one that waits, if it still does. */
#include <string.h>
#include <toolhost.h>

#include "approval/approvals.h"
#include "call/approving.h"
#include "call/call_trace.h"

static const double AGAIN_S = 0.2; /* until what could not be begun is tried again */

/* ---- what it tells ---- */

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
    return approving_again (a);
  if (comes_again)
    approval_leave (a->entry); /* the next daemon begins it */
  else
    approvals_end (a->entry, result->error == CALL_OK ? "ok" : result->code);
  call = approving_part (a);
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

/* ---- it is made ---- */

/* What only a caller that is there has. */
static void
take_from (struct call_request *request, const struct call *waiting, bool named,
           struct json_tape *responses, struct arena *arena)
{
  if (waiting == NULL)
    return;
  request->wants_progress = waiting->job.wants_progress;
  request->preview = waiting->job.maker != NULL;
  request->askable = waiting->askable;
  request->phone = waiting->job.phone;
  if (!named) /* one that is named may go on when it, and who has invoked it, are gone */
    request->outer = waiting->outer;
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
  take_from (&request, a->waiting, facts->named, &responses, &arena);
  if (a->waiting != NULL)
    call_trace_decided (a->waiting, "approved");
  inner = call_start (a->calls, &request,
                      is_in_session (a->waiting) ? &inner_events_in_session : &inner_events, a);
  if (inner != NULL)
    a->inner = inner;
}

/* ---- when it is approved ---- */

static void
refuse_to_run (struct approving *a, const char *why)
{
  a->why = why;
  approving_look (a);
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
    approving_again (a); /* its plugin is not there yet */
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

void
approving_again (struct approving *a)
{
  ev_timer_init (&a->again, on_again, AGAIN_S, 0);
  a->again.data = a;
  ev_timer_start (a->calls->loop, &a->again);
}

void
calls_begin_approved (void *ctx, struct approval *entry)
{
  struct calls *calls = ctx;
  struct approving *a = approving_find (calls, entry);

  if (calls_batch_keeps (calls, approval_facts (entry)))
    return;
  if (a == NULL) {
    a = approving_new (calls, NULL);
    a->entry = entry;
  }
  begin (a);
}
