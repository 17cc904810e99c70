#include "front/mcp/mcp.h"

#include <stdlib.h>

#include "front/auth/auth.h"
#include "front/encode.h"
#include "front/mcp/listen.h"
#include "front/mcp/mcp_http_parts.h"
#include "front/mcp/reply.h"

enum {
  SESSIONS_MAX = 10000,
  SESSION_IDLE = 1800,             /* seconds */
  REPLAY_SECONDS = 300,            /* that events are kept for a client that comes back */
  REPLAY_BYTES = 64 * 1024 * 1024, /* … of all sessions together */
};

/* ---- shared by the methods of HTTP ---- */

void
mcp_http_refuse (struct mcp_http *mcp, struct http_exchange *x, struct slice id,
                 const struct mcp_fault *fault)
{
  struct buf *out = mcp_scratch (&mcp->core);

  mcp_put_error (out, id, fault);
  http_reply_json (x, fault->status, NULL, out);
}

static bool
check_version (struct http_exchange *x, struct mcp_fault *fault)
{
  const char *const *versions = mcp_http_carrier.versions;
  struct slice header = http_header (x, "mcp-protocol-version");

  if (header.data == NULL)
    return true;
  for (size_t i = 0; versions[i] != NULL; i++)
    if (slice_is (header, versions[i]))
      return true;
  return mcp_fault_set (fault, MCP_BAD_SESSION, 400,
                        "MCP-Protocol-Version: expected one of %s, %s, %s, %s", MCP_MODERN_VERSION,
                        versions[0], versions[1], versions[2]);
}

struct mcp_session *
mcp_http_session (struct mcp_http *mcp, struct http_exchange *x, struct mcp_fault *fault)
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
  if (session == NULL) {
    (void) mcp_fault_set (fault, MCP_SESSION_NOT_FOUND, 404,
                          "Session not found: send initialize again");
    return NULL;
  }
  return check_version (x, fault) ? session : NULL;
}

/* ---- GET and DELETE ---- */

/* NULL: answered. */
static struct mcp_session *
session_of (struct mcp_http *mcp, struct http_exchange *x)
{
  struct mcp_fault fault;
  struct mcp_session *session;

  if (!auth_allows (mcp->core.env->auth, x, ROLE_LIST))
    return NULL;
  if (http_header (x, "mcp-session-id").data == NULL) {
    http_refuse_method (x, "POST");
    return NULL;
  }
  session = mcp_http_session (mcp, x, &fault);
  if (session == NULL)
    mcp_http_refuse (mcp, x, (struct slice){ NULL, 0 }, &fault);
  return session;
}

static void
open_standalone (struct mcp_http *mcp, struct http_exchange *x, struct mcp_session *session)
{
  if (mcp->core.draining)
    return http_reply_error (x, 503, "stopping", "The daemon is stopping");
  if (session->standalone.x != NULL)
    return http_reply_error (x, 409, "stream_open", "The session has an open stream already");
  mcp_stream_connect (&session->standalone, x);
  mcp_tell_missed (&mcp->core, &session->peer);
}

static void
resume_standalone (struct mcp_http *mcp, struct http_exchange *x, struct mcp_session *session,
                   uint64_t number)
{
  struct mcp_stream *stream = &session->standalone;

  if (!stream->begun || !mcp_stream_reaches (stream, number)) {
    mcp_stream_hang_up (stream);
    return open_standalone (mcp, x, session);
  }
  session->peer.missed = 0; /* it is among what is sent again */
  mcp_stream_resume (stream, x, number);
}

static bool
resume (struct http_exchange *x, struct mcp_session *session, uint64_t stream, uint64_t number)
{
  struct mcp_stream *s = session->journal.open;

  while (s != NULL && s->number != stream)
    s = s->next;
  if (s == NULL)
    return mcp_stream_replay (&session->journal, x, stream, number);
  if (!s->begun || !mcp_stream_reaches (s, number))
    return false;
  mcp_stream_resume (s, x, number);
  return true;
}

static void
get (struct mcp_http *mcp, struct http_exchange *x)
{
  struct mcp_session *session = session_of (mcp, x);
  struct mcp_fault fault;
  struct slice last;
  uint64_t stream, number;

  if (session == NULL)
    return;
  last = http_header (x, "last-event-id");
  if (!media_accepted (http_header (x, "accept"), SSE_TYPE))
    return http_reply_error (x, 406, "not_acceptable", "Accept must name %s", SSE_TYPE);
  if (last.data == NULL)
    return open_standalone (mcp, x, session);
  if (mcp_event_id_read (last, &stream, &number)) {
    if (stream == 0)
      return resume_standalone (mcp, x, session, number);
    if (resume (x, session, stream, number))
      return;
  }
  (void) mcp_fault_set (&fault, MCP_BAD_SESSION, 400,
                        "Last-Event-ID: what followed this event is not kept (any more)");
  mcp_http_refuse (mcp, x, (struct slice){ NULL, 0 }, &fault);
}

static void delete (struct mcp_http *mcp, struct http_exchange *x)
{
  struct mcp_session *session = session_of (mcp, x);

  if (session == NULL)
    return;
  mcp_sessions_close (mcp->sessions, session);
  http_reply (x, 204, NULL, NULL, NULL, 0);
}

/* ---- all together ---- */

static void
session_ending (void *ctx, struct mcp_session *session)
{
  struct mcp_http *mcp = ctx;

  mcp_peer_remove (&mcp->core, &session->peer, "The session has ended");
  mcp_stream_hang_up (&session->standalone);
  mcp_journal_free (&session->journal);
  log_event (mcp->core.env->log, LOG_INFO, "mcp_session_ended", "session", session->name, NULL);
}

static void
tick_session (struct mcp_session *session, double now)
{
  for (struct mcp_stream *s = session->journal.open; s != NULL; s = s->next)
    mcp_stream_tick (s);
  mcp_stream_tick (&session->standalone);
  replay_expire (&session->journal.replay, now - REPLAY_SECONDS);
}

void
mcp_http_tick (struct mcp_http *mcp, double now)
{
  mcp_http_tick_posts (mcp);
  for (struct mcp_session *s = mcp_sessions_first (mcp->sessions); s != NULL; s = s->older)
    tick_session (s, now);
  mcp_sessions_expire (mcp->sessions, now);
}

static void
on_tick (struct ev_loop *loop, struct ev_timer *timer, int events)
{
  (void) events;
  mcp_http_tick (timer->data, ev_now (loop));
}

struct mcp_http *
mcp_http_new (const struct front_env *env)
{
  struct mcp_http *mcp = xcalloc (1, sizeof *mcp);

  mcp_core_init (&mcp->core, env, &mcp_http_carrier);
  mcp_peer_add (&mcp->core, &mcp->stateless);
  mcp->sessions = mcp_sessions_new (SESSIONS_MAX, SESSION_IDLE, session_ending, mcp);
  mcp->streams = (struct mcp_streams){ .loop = env->loop, .budget = { .max = REPLAY_BYTES } };
  ev_timer_init (&mcp->tick, on_tick, MCP_TICK, MCP_TICK);
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
  } methods[] = { { "POST", mcp_http_post }, { "GET", get }, { "DELETE", delete } };

  for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
    if (slice_is (http_request (x)->method, methods[i].method))
      return methods[i].run (mcp, x);
  http_refuse_method (x, "POST, GET, DELETE");
}

void
mcp_http_drain (struct mcp_http *mcp)
{
  mcp->core.draining = true;
  mcp_listen_stop_all (&mcp->stateless);
  for (struct mcp_session *s = mcp_sessions_first (mcp->sessions); s != NULL; s = s->older)
    mcp_stream_hang_up (&s->standalone);
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
  buf_free (&mcp->streams.event);
  free (mcp);
}
