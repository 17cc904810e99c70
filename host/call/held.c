#include "call/held.h"

#include <stdlib.h>
#include <string.h>

#include "approval/approvals.h"
#include "call/running.h"

struct held {
  enum call_kind kind;
  char *name; /* of a read the URI */
  struct buf args;
  struct buf meta; /* what the tool was told of who calls */
  const char *front;
  char *caller; /* the memory of these three */
  const char *tenant, *principal, *session_id;
  char call_id[CALL_ID_MAX + 1];
  int64_t deadline_ms;
  bool wants_progress, preview;
  unsigned askable;
  bool may_approve;
  char *decider; /* NULL: the caller */
  struct call_service *phone;
  struct call_batch *batch; /* NULL: none */
  struct ask *ask;
  struct claim *claim; /* NULL: its caller has not named it */
};

struct held *
held_take (const struct result *result)
{
  struct call *call = result->asking;
  struct held *held = xcalloc (1, sizeof *held);

  held->kind = call->kind;
  held->name = xstrdup (call->uri != NULL ? call->uri : call->tool->name);
  buf_append (&held->args, call->args.data, call->args_len);
  buf_append (&held->meta, call->meta.data, call->meta.len);
  held->front = call->front;
  held->caller = call->caller;
  held->tenant = call->tenant;
  held->principal = call->principal;
  held->session_id = call->session_id;
  call->caller = call->tenant = call->principal = call->session_id = NULL;
  memcpy (held->call_id, call->id, sizeof held->call_id);
  held->deadline_ms = call->deadline_ms;
  held->wants_progress = call->job.wants_progress;
  held->preview = call->job.maker != NULL;
  held->askable = call->askable;
  held->may_approve = call->may_approve;
  held->ask = call->ask;
  call->ask = NULL;
  held->claim = call->claim;
  if (held->claim != NULL)
    claim_move (held->claim, NULL);
  call->claim = NULL;
  return held;
}

struct ask *
held_ask (struct held *held)
{
  return held->ask;
}

const char *
held_call_id (const struct held *held)
{
  return held->call_id;
}

const char *
held_tenant (const struct held *held)
{
  return held->tenant;
}

const char *
held_name (const struct held *held)
{
  return held->name;
}

void
held_phone (struct held *held, struct call_service *phone)
{
  held->phone = phone;
}

void
held_join (struct held *held, struct call_batch *batch)
{
  held->batch = batch;
}

void
held_decided_by (struct held *held, const char *principal, bool may_approve)
{
  free (held->decider);
  held->decider = principal != NULL ? xstrdup (principal) : NULL;
  held->may_approve = may_approve;
}

const char *
held_meta (const struct held *held, size_t *len)
{
  *len = held->meta.len;
  return held->meta.data;
}

void
call_take_meta (struct call_request *request, const char *text, size_t len, struct arena *arena)
{
  struct json_tape meta;
  const struct json_node *root, *metadata;

  if (!json_read (&meta, text, len, &json_default_limits, arena))
    return;
  root = json_root (&meta);
  request->thread_id = json_cstring (&meta, json_member (&meta, root, "thread_id"), arena);
  request->run_id = json_cstring (&meta, json_member (&meta, root, "run_id"), arena);
  metadata = json_member (&meta, root, "metadata");
  if (metadata != NULL)
    request->metadata = json_raw (&meta, metadata, &request->metadata_len);
}

struct call *
held_start (struct held *held, struct calls *calls, struct toolset *toolset,
            const struct call_events *events, void *ctx)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct call *call;
  struct call_request request = { .kind = held->kind,
                                  .toolset = toolset,
                                  .name = held->name,
                                  .name_len = strlen (held->name),
                                  .args = held->args.data,
                                  .args_len = held->args.len,
                                  .front = held->front,
                                  .tenant = held->tenant,
                                  .principal = held->principal,
                                  .call_id = held->call_id,
                                  .session_id = held->session_id,
                                  .deadline_ms = held->deadline_ms,
                                  .wants_progress = held->wants_progress,
                                  .preview = held->preview,
                                  .phone = held->phone,
                                  .batch = held->batch,
                                  .askable = held->askable,
                                  .may_approve = held->may_approve,
                                  .decider = held->decider,
                                  .ask = held->ask,
                                  .claimed_in = held->claim != NULL ? "" : NULL,
                                  .claim = held->claim };

  call_take_meta (&request, held->meta.data, held->meta.len, &arena);
  held->ask = NULL;
  held->claim = NULL;
  call = call_start (calls, &request, events, ctx);
  held_free (held);
  return call;
}

void
held_withdraw (const struct held *held, const struct calls *calls)
{
  const char *tenant = held->tenant != NULL ? held->tenant : TENANT_DEFAULT;
  struct approval *entry = NULL;

  if (calls->approvals != NULL && held->ask->of_approval)
    entry = approvals_find_id (calls->approvals, tenant, held->ask->approval);
  if (entry != NULL && !approval_is_awaited (entry))
    approvals_withdraw (entry);
}

void
held_free (struct held *held)
{
  if (held == NULL)
    return;
  free (held->name);
  free (held->decider);
  buf_free (&held->args);
  buf_free (&held->meta);
  free (held->caller);
  ask_free (held->ask);
  claim_drop (held->claim);
  free (held);
}
