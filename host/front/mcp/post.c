#include <stdio.h>
#include <stdlib.h>

#include "call/batch.h"
#include "front/asked.h"
#include "front/auth/auth.h"
#include "front/encode.h"
#include "front/mcp/headers.h"
#include "front/mcp/mcp_http_parts.h"
#include "front/mcp/methods.h"
#include "front/mcp/reply.h"
#include "front/mcp/upcall.h"
#include "front/traced.h"

/* A request that came by POST.  Of 2026-07-28 it is in the exchange's arena, for it ends with the
 * exchange; one of a session outlives a lost connection and is on the heap. */
struct post {
  struct mcp_request r; /* first: the core knows only this */
  struct mcp_stream *stream;
  struct mcp_session *opened; /* by this very request */
  bool on_heap;
};

struct modern_post {
  struct post post;
  struct mcp_stream stream;
};

struct legacy_stream {
  struct mcp_stream stream;
  struct mcp_answers answers;
  struct span *span; /* of a batch that is sampled; else NULL */
};

static struct post *
post_of (struct mcp_request *r)
{
  return (struct post *) r;
}

/* ---- the carrier's functions ---- */

static bool
send_on_stream (struct mcp_request *r, const struct buf *message)
{
  return mcp_stream_say (post_of (r)->stream, message);
}

static bool
tell_session (struct mcp_core *core, struct mcp_peer *peer, const struct buf *message)
{
  struct mcp_session *session =
    (struct mcp_session *) (void *) ((char *) peer - offsetof (struct mcp_session, peer));

  (void) core;
  /* What is said without a connection is kept for one that resumes; another one is told anew. */
  return mcp_stream_say (&session->standalone, message) && session->standalone.x != NULL;
}

static void
answer (struct mcp_request *r, int status, struct buf *message)
{
  struct post *p = post_of (r);
  struct post *heap = p->on_heap ? p : NULL; /* others go with their exchange */
  char header[32 + MCP_SESSION_ID_LEN] = "";

  if (p->opened != NULL)
    (void) snprintf (header, sizeof header, "Mcp-Session-Id: %s\r\n", p->opened->id);
  mcp_stream_answer (p->stream, status, header[0] != '\0' ? header : NULL, message);
  free (heap);
}

static void
silence (struct mcp_request *r)
{
  struct post *p = post_of (r);
  struct post *heap = p->on_heap ? p : NULL;

  mcp_stream_silence (p->stream);
  free (heap);
}

static struct mcp_peer *
connect_session (struct mcp_request *r, const char *version)
{
  static const char primed_since[] = "2025-11-25"; /* older clients can't read such events */
  struct mcp_http *mcp = (struct mcp_http *) r->core;
  struct mcp_session *session =
    mcp_sessions_open (mcp->sessions, r->principal, ev_now (mcp->core.env->loop));

  if (session == NULL)
    return NULL;
  session->tenant = r->tenant != NULL ? xstrdup (r->tenant) : NULL;
  session->peer.tenant = session->tenant;
  post_of (r)->opened = session;
  mcp_peer_add (&mcp->core, &session->peer);
  mcp_journal_init (&session->journal, &mcp->streams);
  session->journal.primes = strcmp (version, primed_since) >= 0;
  mcp_stream_standalone (&session->standalone, &session->journal);
  log_event (mcp->core.env->log, LOG_INFO, "mcp_session_started", "session", session->name,
             "version", version, "principal", r->principal, NULL);
  return &session->peer;
}

static const char *const handshake_versions[] = { "2025-11-25", "2025-06-18", "2025-03-26", NULL };

const struct mcp_carrier mcp_http_carrier = {
  .front = "mcp",
  .versions = handshake_versions,
  .send = send_on_stream,
  .tell = tell_session,
  .answer = answer,
  .silence = silence,
  .connect = connect_session,
};

void
mcp_http_tick_posts (struct mcp_http *mcp)
{
  /* A write may lose its own request, and only it. */
  for (struct mcp_request *r = mcp->stateless.requests, *next; r != NULL; r = next) {
    next = r->next;
    mcp_stream_tick (post_of (r)->stream);
  }
}

/* ---- 2026-07-28 ---- */

static void
accepted (struct http_exchange *x)
{
  http_reply (x, 202, NULL, NULL, NULL, 0);
}

static bool
refuse_batch (struct mcp_fault *fault)
{
  return mcp_fault_set (fault, MCP_INVALID_REQUEST, 400,
                        "Invalid Request: expected one message, got a batch");
}

/* A lost connection cancels. */
static void
gone_modern (void *data)
{
  struct post *p = data;

  mcp_request_drop (&p->r);
}

static void
post_modern_request (struct mcp_http *mcp, struct http_exchange *x, const struct mcp_message *m)
{
  struct modern_post *p = arena_alloc (m->arena, sizeof *p);

  *p = (struct modern_post){ .post.stream = &p->stream };
  p->post.r.principal = http_request (x)->peer->principal;
  p->post.r.roles = http_request (x)->peer->roles;
  p->post.r.set = mcp->set;
  p->post.r.search = mcp->search;
  p->post.r.tenant = http_request (x)->peer->tenant;
  p->post.r.is_local = http_request (x)->peer->local;
  p->post.r.ambient = mcp->ambient;
  p->post.r.came_ns = mcp->came_ns;
  p->stream.due = 1;
  mcp_stream_open (&p->stream, &mcp->streams, NULL, x);
  http_set_data (x, &p->post);
  http_on_gone (x, gone_modern);
  mcp_request_begin (&p->post.r, &mcp->core, &mcp->stateless, MCP_MODERN, m, NULL);
  if (!p->stream.takes_events)
    mcp_request_mute (&p->post.r);
  mcp_dispatch (&p->post.r, m);
}

static void
post_modern (struct mcp_http *mcp, struct http_exchange *x, const struct mcp_message *m)
{
  struct mcp_fault fault;
  bool good;

  if (m->kind == MCP_NOTIFICATION)
    return accepted (x);
  if (m->kind == MCP_RESPONSE)
    good = mcp_fault_set (&fault, MCP_INVALID_REQUEST, 400,
                          "Invalid Request: a client of %s sends no responses", MCP_MODERN_VERSION);
  else if (m->kind == MCP_BATCH)
    good = refuse_batch (&fault);
  else
    good = mcp_check_modern (x, m, front_toolset (mcp->core.env, http_request (x)->peer->tenant),
                             &fault);
  if (!good)
    return mcp_http_refuse (mcp, x, m->id, &fault);
  if (slice_is (m->method, "subscriptions/listen")
      && !media_accepted (http_header (x, "accept"), SSE_TYPE))
    return http_reply_error (x, 406, "not_acceptable", "Accept must name %s", SSE_TYPE);
  post_modern_request (mcp, x, m);
}

/* ---- sessions: a lost connection cancels nothing, only notifications/cancelled does ---- */

static void
complete_legacy (struct mcp_stream *stream)
{
  struct legacy_stream *s = (struct legacy_stream *) stream;

  mcp_answers_free (&s->answers);
  traced_end (s->span, 200);
  free (s);
}

static struct legacy_stream *
open_stream (struct mcp_http *mcp, struct http_exchange *x, struct mcp_session *session,
             unsigned due)
{
  struct legacy_stream *s = xcalloc (1, sizeof *s);

  s->stream.due = due;
  s->stream.complete = complete_legacy;
  mcp_stream_open (&s->stream, &mcp->streams, session != NULL ? &session->journal : NULL, x);
  return s;
}

static void
serve (struct mcp_http *mcp, struct mcp_session *session, struct mcp_stream *stream,
       const struct front_peer *peer, const struct mcp_message *m)
{
  struct post *p = xcalloc (1, sizeof *p + mcp_request_room (m));

  p->on_heap = true;
  p->stream = stream;
  p->r.set = mcp->set;
  p->r.search = mcp->search;
  /* A session is found only by its own principal; what it keeps lives longer. */
  p->r.principal = session != NULL ? session->principal : peer->principal;
  p->r.roles = peer->roles;
  p->r.tenant = session != NULL ? session->tenant : peer->tenant;
  p->r.is_local = peer->local;
  p->r.ambient = mcp->ambient;
  p->r.came_ns = mcp->came_ns;
  p->r.session = session != NULL ? session->name : NULL;
  mcp_request_begin (&p->r, &mcp->core, session != NULL ? &session->peer : &mcp->stateless,
                     MCP_LEGACY, m, (char *) (p + 1));
  if (!stream->takes_events)
    mcp_request_mute (&p->r);
  mcp_dispatch (&p->r, m);
}

static void
take_other (struct mcp_http *mcp, struct mcp_session *session, const struct mcp_message *m)
{
  if (m->kind == MCP_NOTIFICATION)
    mcp_notified (&mcp->core, &session->peer, m);
  else
    mcp_upcall_answered (&session->peer, m);
}

static void
take_item (struct mcp_http *mcp, struct mcp_session *session, struct mcp_stream *stream,
           const struct front_peer *peer, const struct mcp_message *m,
           const struct mcp_fault *fault)
{
  if (fault->text[0] != '\0') {
    mcp_put_error (mcp_scratch (&mcp->core), m->id, fault);
    mcp_stream_answer (stream, 200, NULL, &mcp->core.scratch);
  }
  else if (m->kind == MCP_REQUEST)
    serve (mcp, session, stream, peer, m);
  else
    take_other (mcp, session, m);
}

static struct span *
begin_span (const struct mcp_http *mcp, const struct http_exchange *x,
            const struct mcp_message *batch)
{
  struct span *span = traced_begin (mcp->core.env, x, "/mcp", (struct slice){ NULL, 0 });

  span_int (span, "toolhost.batch.size", batch->root->count);
  return span;
}

static void
post_batch (struct mcp_http *mcp, struct http_exchange *x, struct mcp_session *session,
            const struct mcp_message *batch)
{
  struct mcp_batch_walk walk = mcp_batch_walk (batch);
  struct legacy_stream *s;
  struct trace_parent within;
  struct mcp_message m;
  struct mcp_fault fault;

  /* One more is due until all items have been taken: they are gone with the last answer. */
  s = open_stream (mcp, x, session, mcp_batch_due (batch) + 1);
  s->stream.batch = &s->answers;
  s->span = begin_span (mcp, x, batch);
  within = span_context (s->span);
  mcp->ambient = &within;
  mcp->core.batch = call_batch_new (mcp->core.env->calls, BATCH_HOLDS);
  while (mcp_batch_next (&walk, &m, &fault))
    take_item (mcp, session, &s->stream, http_request (x)->peer, &m, &fault);
  mcp->ambient = NULL;
  mcp_end_batch (&mcp->core);
  mcp_stream_silence (&s->stream);
}

static void
post_legacy (struct mcp_http *mcp, struct http_exchange *x, const struct mcp_message *m)
{
  struct mcp_fault fault;
  struct mcp_session *session;

  if (m->kind == MCP_REQUEST && slice_is (m->method, "initialize"))
    return serve (mcp, NULL, &open_stream (mcp, x, NULL, 1)->stream, http_request (x)->peer, m);
  session = mcp_http_session (mcp, x, &fault);
  if (session == NULL
      || (m->kind == MCP_BATCH && !mcp_batch_check (m, session->peer.version, &fault)))
    return mcp_http_refuse (mcp, x, m->id, &fault);
  if (m->kind == MCP_REQUEST)
    return serve (mcp, session, &open_stream (mcp, x, session, 1)->stream, http_request (x)->peer,
                  m);
  if (m->kind == MCP_BATCH)
    return post_batch (mcp, x, session, m);
  take_other (mcp, session, m);
  accepted (x);
}

/* What the headers say of a trace, and when they came: where somebody wants to know. */
static void
read_trace (struct mcp_http *mcp, const struct http_exchange *x)
{
  struct trace_parent parent, *kept;

  mcp->ambient = NULL;
  if (mcp->core.env->tracer == NULL)
    return;
  mcp->came_ns = http_came_ns (x);
  if (!traced_parent (x, &parent))
    return;
  kept = arena_alloc (http_request (x)->arena, sizeof *kept);
  *kept = parent;
  mcp->ambient = kept;
}

static bool
read_asked (struct mcp_http *mcp, const struct http_exchange *x, struct mcp_fault *fault)
{
  struct asked asked;

  if (!asked_read (mcp->core.env, x, &asked))
    return mcp_fault_set (fault, MCP_INVALID_REQUEST, 400, "disclosure: expected all or search");
  mcp->set =
    catalog_meant (front_catalog (mcp->core.env, http_request (x)->peer->tenant), &asked.filter);
  mcp->search = asked.search;
  read_trace (mcp, x);
  return true;
}

/* ---- both ---- */

static unsigned
role_of (const struct mcp_message *m)
{
  return m->kind == MCP_REQUEST    ? mcp_method_role (m->method)
         : m->kind == MCP_RESPONSE ? ROLE_CALL
                                   : ROLE_LIST;
}

/* All that a message takes, a batch with all that is in it. */
static unsigned
roles_of (const struct mcp_message *m)
{
  struct mcp_batch_walk walk;
  struct mcp_message item;
  struct mcp_fault fault;
  unsigned roles = role_of (m);

  if (m->kind != MCP_BATCH)
    return roles;
  walk = mcp_batch_walk (m);
  while (mcp_batch_next (&walk, &item, &fault))
    if (fault.text[0] == '\0')
      roles |= role_of (&item);
  return roles;
}

void
mcp_http_post (struct mcp_http *mcp, struct http_exchange *x)
{
  const struct http_request *request = http_request (x);
  struct slice accept = http_header (x, "accept");
  struct mcp_message m;
  struct mcp_fault fault;

  if (!media_is_json (http_header (x, "content-type")))
    return http_reply_error (x, 415, "unsupported_media_type",
                             "Content-Type must be application/json");
  if (!media_accepted (accept, "application/json") && !media_accepted (accept, SSE_TYPE))
    return http_reply_error (x, 406, "not_acceptable", "Accept must name application/json or %s",
                             SSE_TYPE);
  if (!mcp_message_read (&m, request->body.data, request->body.len, &mcp->core.limits,
                         request->arena, &fault))
    return mcp_http_refuse (mcp, x, m.id, &fault);
  if (!auth_allows (mcp->core.env->auth, x, roles_of (&m)))
    return;
  if (!read_asked (mcp, x, &fault))
    return mcp_http_refuse (mcp, x, m.id, &fault);
  if (m.version != NULL || slice_is (http_header (x, "mcp-protocol-version"), MCP_MODERN_VERSION)
      || (m.kind == MCP_BATCH && http_header (x, "mcp-session-id").data == NULL))
    post_modern (mcp, x, &m);
  else
    post_legacy (mcp, x, &m);
}
