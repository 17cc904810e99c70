#include "front/mcp/mcp.h"

#include <stdio.h>
#include <stdlib.h>

#include "front/encode.h"
#include "front/mcp/headers.h"
#include "front/mcp/listen.h"
#include "front/mcp/methods.h"
#include "front/mcp/reply.h"
#include "front/mcp/sessions.h"
#include "front/mcp/upcall.h"

enum {
  SESSIONS_MAX = 10000,
  SESSION_IDLE = 1800, /* seconds */
  TICK = 15            /* seconds between signs of life on quiet streams */
};

struct mcp_http {
  struct mcp_core core;      /* first: the carrier's functions know only this */
  struct mcp_peer stateless; /* all clients of 2026-07-28, and handshakes while they are made */
  struct mcp_sessions *sessions;
  struct ev_timer tick;
  struct buf event; /* scratch of an event being framed */
};

/* A request that came by POST.  In the exchange's arena when it ends with the exchange; one of a
 * session outlives a lost connection and is on the heap. */
struct post {
  struct mcp_request r; /* first: the core knows only this */
  struct mcp_http *mcp;
  struct http_exchange *x;     /* NULL: the connection was lost */
  struct mcp_session *session; /* made by this very request */
  bool takes_stream;           /* the client accepts an event stream */
  bool streaming;              /* it has begun */
  bool on_heap;
};

static struct post *
post_of (struct mcp_request *r)
{
  return (struct post *) r;
}

/* ---- event streams ---- */

/* False: the connection is given up. */
static bool
write_event (struct mcp_http *mcp, struct http_exchange *x, const struct buf *message)
{
  buf_reset (&mcp->event, 64 * 1024);
  sse_event (&mcp->event, "message", message->data, message->len);
  return http_stream_write (x, mcp->event.data, mcp->event.len);
}

static void
begin_stream (struct http_exchange *x)
{
  http_stream_begin (x, 200, SSE_TYPE, SSE_HEADERS);
}

static void
keep_alive (struct http_exchange *x)
{
  static const char comment[] = ": keep-alive\n\n";

  (void) http_stream_write (x, comment, sizeof comment - 1);
}

/* ---- the carrier's functions ---- */

static bool
send_on_post (struct mcp_request *r, const struct buf *message)
{
  struct post *p = post_of (r);

  if (p->x == NULL || !p->takes_stream)
    return false;
  if (!p->streaming) {
    p->streaming = true;
    begin_stream (p->x);
  }
  return write_event (p->mcp, p->x, message);
}

static struct mcp_session *
session_of_peer (struct mcp_peer *peer)
{
  return (struct mcp_session *) (void *) ((char *) peer - offsetof (struct mcp_session, peer));
}

static bool
tell_on_get (struct mcp_core *core, struct mcp_peer *peer, const struct buf *message)
{
  struct mcp_session *session = session_of_peer (peer);

  return session->stream != NULL
         && write_event ((struct mcp_http *) core, session->stream, message);
}

static void
reply (struct post *p, int status, struct buf *message)
{
  char header[32 + MCP_SESSION_ID_LEN] = "";

  if (p->session != NULL)
    (void) snprintf (header, sizeof header, "Mcp-Session-Id: %s\r\n", p->session->id);
  http_reply_take (p->x, status, "application/json", header[0] != '\0' ? header : NULL, message);
}

static void
finish (struct post *p, int status, struct buf *message)
{
  struct http_exchange *x = p->x;

  http_on_gone (x, NULL);
  if (!p->streaming)
    reply (p, status, message);
  else if (write_event (p->mcp, x, message))
    http_stream_end (x);
}

static void
answer (struct mcp_request *r, int status, struct buf *message)
{
  struct post *p = post_of (r);
  struct post *heap = p->on_heap ? p : NULL; /* others go with their exchange */

  if (p->x != NULL)
    finish (p, status, message);
  free (heap);
}

/* An event stream without events says least to a client that has forgotten the request. */
static void
finish_silently (struct post *p)
{
  struct http_exchange *x = p->x;

  http_on_gone (x, NULL);
  if (!p->streaming && !p->takes_stream) {
    http_reply (x, 202, NULL, NULL, NULL, 0);
    return;
  }
  if (!p->streaming)
    begin_stream (x);
  http_stream_end (x);
}

static void
silence (struct mcp_request *r)
{
  struct post *p = post_of (r);
  struct post *heap = p->on_heap ? p : NULL;

  if (p->x != NULL)
    finish_silently (p);
  free (heap);
}

static struct mcp_peer *
connect_session (struct mcp_request *r, const char *version)
{
  struct post *p = post_of (r);
  struct mcp_http *mcp = p->mcp;

  p->session = mcp_sessions_open (mcp->sessions, r->principal, ev_now (mcp->core.env->loop));
  if (p->session == NULL)
    return NULL;
  mcp_peer_add (&mcp->core, &p->session->peer);
  log_event (mcp->core.env->log, LOG_INFO, "mcp_session_started", "session", p->session->name,
             "version", version, "principal", r->principal, NULL);
  return &p->session->peer;
}

static const char *const handshake_versions[] = { "2025-11-25", "2025-06-18", NULL };

static const struct mcp_carrier carrier = {
  .front = "mcp",
  .versions = handshake_versions,
  .send = send_on_post,
  .tell = tell_on_get,
  .answer = answer,
  .silence = silence,
  .connect = connect_session,
};

/* ---- POST ---- */

static void
refuse (struct mcp_http *mcp, struct http_exchange *x, struct slice id,
        const struct mcp_fault *fault)
{
  struct buf *out = &mcp->core.scratch;

  buf_reset (out, 64 * 1024);
  mcp_put_error (out, id, fault);
  http_reply (x, fault->status, "application/json", NULL, out->data, out->len);
}

static void
accepted (struct http_exchange *x)
{
  http_reply (x, 202, NULL, NULL, NULL, 0);
}

static void
post_begin (struct post *p, struct mcp_http *mcp, struct http_exchange *x)
{
  p->mcp = mcp;
  p->x = x;
  p->r.principal = http_request (x)->peer->principal;
  p->takes_stream = media_accepted (http_header (x, "accept"), SSE_TYPE);
  http_set_data (x, p);
}

static void
post_dispatch (struct post *p, const struct mcp_message *m)
{
  if (!p->takes_stream)
    mcp_request_mute (&p->r);
  mcp_dispatch (&p->r, m);
}

/* Of 2026-07-28: a lost connection cancels. */
static void
gone_modern (void *data)
{
  struct post *p = data;

  mcp_request_drop (&p->r);
}

static void
post_modern (struct mcp_http *mcp, struct http_exchange *x, const struct mcp_message *m)
{
  struct mcp_fault fault;
  struct post *p;

  if (m->kind == MCP_NOTIFICATION)
    return accepted (x);
  if (m->kind == MCP_RESPONSE) {
    (void) mcp_fault_set (&fault, MCP_INVALID_REQUEST, 400,
                          "Invalid Request: a client of %s sends no responses", MCP_MODERN_VERSION);
    return refuse (mcp, x, m->id, &fault);
  }
  if (!mcp_check_modern (x, m, &fault))
    return refuse (mcp, x, m->id, &fault);
  p = arena_alloc (m->arena, sizeof *p);
  *p = (struct post){ .on_heap = false };
  post_begin (p, mcp, x);
  if (!p->takes_stream && slice_is (m->method, "subscriptions/listen"))
    return http_reply_error (x, 406, "not_acceptable", "Accept must name %s", SSE_TYPE);
  http_on_gone (x, gone_modern);
  mcp_request_begin (&p->r, &mcp->core, &mcp->stateless, MCP_MODERN, m, NULL);
  post_dispatch (p, m);
}

/* Of a session: the call goes on, and only notifications/cancelled ends it. */
static void
gone_legacy (void *data)
{
  struct post *p = data;

  p->x = NULL;
}

static void
post_legacy_request (struct mcp_http *mcp, struct http_exchange *x, const struct mcp_message *m,
                     struct mcp_session *session)
{
  struct post *p = xcalloc (1, sizeof *p + mcp_request_room (m));

  p->on_heap = true;
  post_begin (p, mcp, x);
  p->r.session = session != NULL ? session->name : NULL;
  http_on_gone (x, gone_legacy);
  mcp_request_begin (&p->r, &mcp->core, session != NULL ? &session->peer : &mcp->stateless,
                     MCP_LEGACY, m, (char *) (p + 1));
  post_dispatch (p, m);
}

static bool
check_legacy_version (struct http_exchange *x, struct mcp_fault *fault)
{
  struct slice header = http_header (x, "mcp-protocol-version");

  if (header.data == NULL)
    return true;
  for (size_t i = 0; handshake_versions[i] != NULL; i++)
    if (slice_is (header, handshake_versions[i]))
      return true;
  return mcp_fault_set (fault, MCP_BAD_SESSION, 400,
                        "MCP-Protocol-Version: expected one of %s, %s, %s", MCP_MODERN_VERSION,
                        handshake_versions[0], handshake_versions[1]);
}

static struct mcp_session *
find_session (struct mcp_http *mcp, struct http_exchange *x, struct mcp_fault *fault)
{
  struct slice id = http_header (x, "mcp-session-id");
  struct mcp_session *session;

  if (id.data == NULL) {
    (void) mcp_fault_set (fault, MCP_BAD_SESSION, 400,
                          "Mcp-Session-Id is missing: send initialize first, or put " MCP_META
                          "protocolVersion into params._meta");
    return NULL;
  }
  session = mcp_sessions_find (mcp->sessions, id, http_request (x)->peer->principal,
                               ev_now (mcp->core.env->loop));
  if (session == NULL)
    (void) mcp_fault_set (fault, MCP_SESSION_NOT_FOUND, 404,
                          "Session not found: send initialize again");
  return session;
}

static void
post_legacy (struct mcp_http *mcp, struct http_exchange *x, const struct mcp_message *m)
{
  struct mcp_fault fault;
  struct mcp_session *session;

  if (m->kind == MCP_REQUEST && slice_is (m->method, "initialize"))
    return post_legacy_request (mcp, x, m, NULL);
  session = find_session (mcp, x, &fault);
  if (session == NULL || !check_legacy_version (x, &fault))
    return refuse (mcp, x, m->id, &fault);
  if (m->kind == MCP_REQUEST)
    return post_legacy_request (mcp, x, m, session);
  if (m->kind == MCP_NOTIFICATION)
    mcp_notified (&mcp->core, &session->peer, m);
  else
    mcp_upcall_answered (&session->peer, m);
  accepted (x);
}

static void
post (struct mcp_http *mcp, struct http_exchange *x)
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
    return refuse (mcp, x, m.id, &fault);
  if (m.version != NULL || slice_is (http_header (x, "mcp-protocol-version"), MCP_MODERN_VERSION))
    post_modern (mcp, x, &m);
  else
    post_legacy (mcp, x, &m);
}

/* ---- GET and DELETE: sessions ---- */

/* False: answered. */
static bool
session_of (struct mcp_http *mcp, struct http_exchange *x, struct mcp_session **session)
{
  struct mcp_fault fault;

  if (http_header (x, "mcp-session-id").data == NULL) {
    http_reply (x, 405, NULL, "Allow: POST\r\n", NULL, 0);
    return false;
  }
  *session = find_session (mcp, x, &fault);
  if (*session == NULL || !check_legacy_version (x, &fault)) {
    refuse (mcp, x, (struct slice){ NULL, 0 }, &fault);
    return false;
  }
  return true;
}

static void
gone_stream (void *data)
{
  struct mcp_session *session = data;

  session->stream = NULL;
}

static void
get (struct mcp_http *mcp, struct http_exchange *x)
{
  struct mcp_session *session;

  if (!session_of (mcp, x, &session))
    return;
  if (!media_accepted (http_header (x, "accept"), SSE_TYPE))
    return http_reply_error (x, 406, "not_acceptable", "Accept must name %s", SSE_TYPE);
  if (session->stream != NULL)
    return http_reply_error (x, 409, "stream_open", "The session has an open stream already");
  session->stream = x;
  http_set_data (x, session);
  http_on_gone (x, gone_stream);
  begin_stream (x);
  if (session->peer.missed != 0)
    mcp_tell_missed (&mcp->core, &session->peer);
  else
    keep_alive (x);
}

static void delete (struct mcp_http *mcp, struct http_exchange *x)
{
  struct mcp_session *session;

  if (!session_of (mcp, x, &session))
    return;
  mcp_sessions_close (mcp->sessions, session);
  http_reply (x, 204, NULL, NULL, NULL, 0);
}

static void
session_ending (void *ctx, struct mcp_session *session)
{
  struct mcp_http *mcp = ctx;

  mcp_peer_remove (&mcp->core, &session->peer, "The session has ended");
  if (session->stream != NULL) {
    http_on_gone (session->stream, NULL);
    http_stream_end (session->stream);
  }
  log_event (mcp->core.env->log, LOG_INFO, "mcp_session_ended", "session", session->name, NULL);
}

/* ---- all together ---- */

static void
keep_requests_alive (struct mcp_peer *peer)
{
  /* A write may lose its own request, and only it. */
  for (struct mcp_request *r = peer->requests, *next; r != NULL; r = next) {
    struct post *p = post_of (r);
    next = r->next;
    if (p->streaming && p->x != NULL)
      keep_alive (p->x);
  }
}

static void
tick (struct ev_loop *loop, struct ev_timer *timer, int events)
{
  struct mcp_http *mcp = timer->data;

  (void) events;
  keep_requests_alive (&mcp->stateless);
  for (struct mcp_session *s = mcp_sessions_first (mcp->sessions); s != NULL; s = s->older) {
    keep_requests_alive (&s->peer);
    if (s->stream != NULL)
      keep_alive (s->stream);
  }
  mcp_sessions_expire (mcp->sessions, ev_now (loop));
}

struct mcp_http *
mcp_http_new (const struct front_env *env)
{
  struct mcp_http *mcp = xcalloc (1, sizeof *mcp);

  mcp_core_init (&mcp->core, env, &carrier);
  mcp->sessions = mcp_sessions_new (SESSIONS_MAX, SESSION_IDLE, session_ending, mcp);
  mcp_peer_add (&mcp->core, &mcp->stateless);
  ev_timer_init (&mcp->tick, tick, TICK, TICK);
  mcp->tick.data = mcp;
  ev_timer_start (env->loop, &mcp->tick);
  return mcp;
}

void
mcp_http_handle (struct mcp_http *mcp, struct http_exchange *x)
{
  static const struct {
    const char *method;
    void (*run) (struct mcp_http *mcp, struct http_exchange *x);
  } methods[] = { { "POST", post }, { "GET", get }, { "DELETE", delete } };

  for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
    if (slice_is (http_request (x)->method, methods[i].method))
      return methods[i].run (mcp, x);
  http_reply (x, 405, NULL, "Allow: POST, GET, DELETE\r\n", NULL, 0);
}

void
mcp_http_free (struct mcp_http *mcp)
{
  if (mcp == NULL)
    return;
  ev_timer_stop (mcp->core.env->loop, &mcp->tick);
  mcp_sessions_free (mcp->sessions);
  mcp_peer_remove (&mcp->core, &mcp->stateless, "The daemon is stopping");
  mcp_core_free (&mcp->core);
  buf_free (&mcp->event);
  free (mcp);
}
