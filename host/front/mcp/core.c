#include "front/mcp/core.h"

#include <assert.h>
#include <math.h>

#include "base/json_write.h"
#include "call/batch.h"
#include "front/mcp/asks.h"
#include "front/mcp/listen.h"
#include "front/mcp/reply.h"
#include "front/mcp/tasks.h"
#include "front/mcp/trace.h"
#include "front/mcp/upcall.h"

static struct mcp_core *
core_of (struct catalog_watcher *watcher)
{
  return (struct mcp_core *) (void *) ((char *) watcher - offsetof (struct mcp_core, watcher));
}

static void
lists_changed (struct catalog_watcher *watcher, const struct catalog *of, unsigned lists)
{
  mcp_changed (core_of (watcher), of,
               (lists & CATALOG_TOOLS ? MCP_TOOLS : 0U)
                 | (lists & CATALOG_PROMPTS ? MCP_PROMPTS : 0U)
                 | (lists & CATALOG_RESOURCES ? MCP_RESOURCES : 0U));
}

/* Everything is in another toolset now, also what clients see no difference in. */
static void
swapped (struct catalog_watcher *watcher)
{
  mcp_lists_clear (&core_of (watcher)->lists);
}

static void
resource_updated (struct catalog_watcher *watcher, const char *uri, size_t len)
{
  mcp_resource_updated (core_of (watcher), (struct slice){ uri, len });
}

void
mcp_core_init (struct mcp_core *core, const struct front_env *env,
               const struct mcp_carrier *carrier)
{
  struct json_writer w = { .out = &core->server_info };

  *core = (struct mcp_core){ .env = env, .carrier = carrier, .limits = json_default_limits };
  core->limits.depth = env->json_depth;
  mcp_lists_init (&core->lists, env->log);
  jsonw_object (&w);
  jsonw_name_string (&w, "name", "toolhost");
  jsonw_name_string (&w, "version", env->version);
  jsonw_end (&w);
  core->watcher.changed = lists_changed;
  core->watcher.updated = resource_updated;
  core->watcher.swapped = swapped;
  catalog_watch (env->catalog, &core->watcher);
  core->tasks = mcp_tasks_new (core);
}

void
mcp_core_free (struct mcp_core *core)
{
  assert (core->peers == NULL);
  mcp_tasks_free (core->tasks);
  catalog_unwatch (&core->watcher);
  mcp_lists_free (&core->lists);
  buf_free (&core->server_info);
  buf_free (&core->scratch);
}

void
mcp_end_batch (struct mcp_core *core)
{
  struct call_batch *batch = core->batch;

  core->batch = NULL;
  call_batch_end (batch);
}

/* ---- peers ---- */

void
mcp_peer_add (struct mcp_core *core, struct mcp_peer *peer)
{
  peer->next = core->peers;
  peer->prev = &core->peers;
  if (peer->next != NULL)
    peer->next->prev = &peer->next;
  core->peers = peer;
}

void
mcp_peer_remove (struct mcp_core *core, struct mcp_peer *peer, const char *why)
{
  (void) core;
  while (peer->requests != NULL)
    mcp_request_stop (peer->requests, why);
  mcp_uris_free (&peer->uris);
  *peer->prev = peer->next;
  if (peer->next != NULL)
    peer->next->prev = peer->prev;
}

/* ---- requests ---- */

size_t
mcp_request_room (const struct mcp_message *m)
{
  return m->id.len + mcp_progress_token (m).len;
}

static struct slice
copied (struct slice s, char **room)
{
  struct slice copy = { *room, s.len };

  if (s.len == 0)
    return s;
  memcpy (*room, s.data, s.len);
  *room += s.len;
  return copy;
}

/* What its client can do and wants to hear: of a handshake the peer remembers it. */
static void
read_client (struct mcp_request *r, const struct mcp_message *m)
{
  if (r->era == MCP_LEGACY) {
    r->client = r->peer->client;
    r->log_at = r->peer->log_at;
    return;
  }
  r->client = mcp_client_read (&m->tape, m->capabilities);
  r->log_at = mcp_log_level_read (&m->tape, m->log_level);
}

void
mcp_request_begin (struct mcp_request *r, struct mcp_core *core, struct mcp_peer *peer,
                   enum mcp_era era, const struct mcp_message *m, char *room)
{
  r->core = core;
  r->peer = peer;
  r->era = era;
  if (r->set == NULL) { /* its carrier has no way to ask for some */
    r->set = catalog_meant (front_catalog (core->env, r->tenant), &core->env->asked.filter);
    r->search = core->env->asked.search;
  }
  r->progress = -INFINITY;
  r->id = m->id;
  r->token = mcp_progress_token (m);
  if (room != NULL) {
    r->id = copied (r->id, &room);
    r->token = copied (r->token, &room);
  }
  read_client (r, m);
  r->next = peer->requests;
  r->prev = &peer->requests;
  if (r->next != NULL)
    r->next->prev = &r->next;
  peer->requests = r;
}

void
mcp_request_mute (struct mcp_request *r)
{
  r->token.len = 0;
  r->log_at = MCP_LOG_NONE;
  if (r->era == MCP_LEGACY) /* the others are asked by the answer */
    r->client = 0;
}

static void
unlink_request (struct mcp_request *r)
{
  *r->prev = r->next;
  if (r->next != NULL)
    r->next->prev = r->prev;
  if (r->listening)
    r->peer->listening--;
  span_end (r->span, 0);
  r->span = NULL;
  mcp_uris_free (&r->uris);
  mcp_uris_free (&r->task_ids);
  mcp_asks_forget (r);
  if (r->upcalls != 0)
    mcp_upcalls_forget (r);
}

void
mcp_request_drop (struct mcp_request *r)
{
  struct call *call = r->call;

  r->call = NULL;
  unlink_request (r);
  if (call != NULL)
    call_abandon (call);
}

void
mcp_request_cancel (struct mcp_request *r)
{
  mcp_request_drop (r);
  r->core->carrier->silence (r);
}

void
mcp_request_stop (struct mcp_request *r, const char *why)
{
  struct call *call = r->call;
  struct mcp_fault fault;

  if (r->listening)
    return mcp_listen_stop (r);
  r->call = NULL;
  if (call != NULL)
    call_abandon (call);
  (void) mcp_fault_set (&fault, MCP_INTERNAL_ERROR, 503, "%s", why);
  mcp_refuse (r, &fault);
}

/* ---- answers ---- */

struct buf *
mcp_scratch (struct mcp_core *core)
{
  buf_reset (&core->scratch, MCP_SCRATCH_KEEP);
  return &core->scratch;
}

struct buf *
mcp_scratch_for (struct mcp_core *core, struct buf *room)
{
  if (room == NULL)
    return mcp_scratch (core);
  buf_swap (&core->scratch, room);
  return &core->scratch;
}

void
mcp_answer (struct mcp_request *r, int status)
{
  struct mcp_core *core = r->core;

  unlink_request (r);
  core->carrier->answer (r, status, &core->scratch);
  buf_reset (&core->scratch, MCP_SCRATCH_KEEP);
}

void
mcp_refuse (struct mcp_request *r, const struct mcp_fault *fault)
{
  /* Clients of the handshake take 404 for "the session is gone": their errors travel on 200. */
  int status = r->era == MCP_MODERN || fault->status >= 500 ? fault->status : 200;

  mcp_trace_refused (r, fault);
  mcp_put_error (mcp_scratch (r->core), r->id, fault);
  mcp_answer (r, status);
}

void
mcp_refuse_params (struct mcp_request *r, const char *what)
{
  struct mcp_fault fault;

  (void) mcp_fault_set (&fault, MCP_INVALID_PARAMS, 200, "Invalid params: %s", what);
  mcp_refuse (r, &fault);
}
