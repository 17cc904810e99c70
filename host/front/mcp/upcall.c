#include "front/mcp/upcall.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "front/mcp/reply.h"
#include "front/mcp/trace.h"

struct mcp_upcall {
  struct mcp_request *r;
  mcp_upcall_done *done;
  void *ctx;
  char id[24];       /* raw JSON */
  struct span *span; /* NULL: it is not sampled */
  struct mcp_upcall *next, **prev;
};

static void
unlink_upcall (struct mcp_upcall *u)
{
  *u->prev = u->next;
  if (u->next != NULL)
    u->next->prev = u->prev;
  u->r->upcalls--;
}

static struct slice
id_of (const struct mcp_upcall *u)
{
  return (struct slice){ u->id, strlen (u->id) };
}

struct mcp_upcall *
mcp_upcall_start (struct mcp_request *r, const char *method, struct slice params,
                  mcp_upcall_done *done, void *ctx)
{
  struct mcp_peer *peer = r->peer;
  struct mcp_upcall *u = xcalloc (1, sizeof *u);
  CLEANUP_BUF struct buf traced = { 0 };

  assert (r->era == MCP_LEGACY); /* the others are never asked */
  *u = (struct mcp_upcall){ .r = r, .done = done, .ctx = ctx };
  (void) snprintf (u->id, sizeof u->id, "%" PRIu64, ++peer->upcall_ids);
  u->span = mcp_trace_upcall (r, method, id_of (u));
  mcp_trace_params (u->span, &params, &traced);
  mcp_put_request (mcp_scratch (r->core), id_of (u), method, params);
  if (!r->core->carrier->send (r, &r->core->scratch)) {
    mcp_trace_unanswered (u->span);
    free (u);
    return NULL;
  }
  u->next = peer->upcalls;
  u->prev = &peer->upcalls;
  if (u->next != NULL)
    u->next->prev = &u->next;
  peer->upcalls = u;
  r->upcalls++;
  return u;
}

static void
tell_cancelled (const struct mcp_upcall *u)
{
  struct mcp_core *core = u->r->core;

  mcp_put_cancelled (mcp_scratch (core), id_of (u));
  (void) core->carrier->send (u->r, &core->scratch);
}

void
mcp_upcall_cancel (struct mcp_upcall *upcall)
{
  tell_cancelled (upcall);
  mcp_trace_unanswered (upcall->span);
  unlink_upcall (upcall);
  free (upcall);
}

void
mcp_upcalls_forget (struct mcp_request *r)
{
  /* A `done` may do anything but touch the request: look again from the start. */
  for (struct mcp_upcall *u = r->peer->upcalls; r->upcalls != 0;) {
    if (u->r != r) {
      u = u->next;
      continue;
    }
    unlink_upcall (u);
    mcp_trace_unanswered (u->span);
    u->done (u->ctx, MCP_UPCALL_GONE, NULL, NULL);
    free (u);
    u = r->peer->upcalls;
  }
}

static struct mcp_upcall *
find (const struct mcp_peer *peer, struct slice id)
{
  struct mcp_upcall *u = peer->upcalls;

  while (u != NULL && !slice_is (id, u->id))
    u = u->next;
  return u;
}

void
mcp_upcall_answered (struct mcp_peer *peer, const struct mcp_message *m)
{
  struct mcp_upcall *u = find (peer, m->id);
  const struct json_node *result = json_member (&m->tape, m->root, "result");
  const struct json_node *error = json_member (&m->tape, m->root, "error");

  if (u == NULL)
    return;
  unlink_upcall (u);
  if (json_is (result, JSON_OBJECT) && error == NULL) {
    mcp_trace_answered (u->span);
    u->done (u->ctx, MCP_UPCALL_RESULT, &m->tape, result);
  }
  else {
    mcp_trace_declined (u->span, &m->tape, error);
    u->done (u->ctx, MCP_UPCALL_ERROR, &m->tape, json_is (error, JSON_OBJECT) ? error : NULL);
  }
  free (u);
}
