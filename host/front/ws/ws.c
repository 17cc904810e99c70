#include "front/ws/ws.h"

#include <stdio.h>
#include <stdlib.h>
#include <wslay/wslay.h>

#include "base/json_write.h"
#include "front/auth/auth.h"
#include "front/traced.h"
#include "front/ws/as_realtime.h"
#include "front/ws/handshake.h"
#include "session/session.h"

enum { BACKLOG_MAX = 1024 * 1024 /* bytes that a peer may be behind */ };
static const double BEAT_SECONDS = 30;
static const double HANGUP_SECONDS = 15; /* that playing may hold up the end of a call */
static const double ANSWER_SECONDS = 15; /* … for the answer to a response.create */

struct ws_front {
  const struct front_env *env;
  struct json_limits limits;
  struct providers *providers; /* once somebody speaks as Realtime; or NULL */
  struct ws_conn *conns;
  ev_timer beat; /* while there are some: pings */
  ev_timer reap; /* at once: those whose close was sent where they could not go */
};

struct ws_conn {
  struct subscriber subscriber; /* first: it is handed back */
  struct ws_front *front;
  struct ws_conn *next, **prev;
  struct http_exchange *x;
  wslay_event_context_ptr wslay;
  struct session *session;      /* NULL: it has ended */
  struct as_realtime *realtime; /* what it speaks instead of our events; or NULL */
  char *principal;              /* who speaks here */
  bool may_approve;             /* likewise: it has the role */
  bool own;                     /* the session ends with the connection */
  bool closing;                 /* all that is to be said was queued */
  bool alive;                   /* heard of since the last ping */
  bool busy;                    /* wslay is reading: nothing is freed */
  const char *in;               /* what it reads */
  size_t in_len;
};

/* ---- the end of a connection ---- */

static void
leave (struct ws_conn *conn)
{
  struct ws_front *front = conn->front;

  session_unsubscribe (&conn->subscriber);
  as_realtime_free (conn->realtime);
  if (conn->session != NULL && conn->own)
    session_end (conn->session, "disconnected");
  *conn->prev = conn->next;
  if (conn->next != NULL)
    conn->next->prev = conn->prev;
  if (front->conns == NULL) {
    ev_timer_stop (front->env->loop, &front->beat);
    ev_timer_stop (front->env->loop, &front->reap);
  }
  wslay_event_context_free (conn->wslay);
  free (conn->principal);
  free (conn);
}

static void
on_gone (void *data)
{
  leave (data);
}

static void
hang_up (struct ws_conn *conn)
{
  struct http_exchange *x = conn->x;

  http_on_gone (x, NULL);
  leave (conn);
  http_stream_end (x);
}

/* Hand what is queued to the server; hang up when that was the last. */
static void
flush (struct ws_conn *conn)
{
  if (conn->busy || wslay_event_send (conn->wslay) != 0)
    return; /* later; or it is lost, and on_gone comes */
  if (wslay_event_get_close_sent (conn->wslay))
    hang_up (conn);
}

static void
close_with (struct ws_conn *conn, uint16_t code, const char *reason)
{
  if (conn->closing)
    return;
  conn->closing = true;
  (void) wslay_event_queue_close (conn->wslay, code, (const uint8_t *) reason, strlen (reason));
}

/* ---- what goes out ---- */

/* At once: wslay would let a close overtake what waits. */
static bool
put_text (struct ws_conn *conn, const char *text, size_t len)
{
  const struct wslay_event_msg message = { .opcode = WSLAY_TEXT_FRAME,
                                           .msg = (const uint8_t *) text,
                                           .msg_length = len };

  return wslay_event_queue_msg (conn->wslay, &message) == 0 && wslay_event_send (conn->wslay) == 0;
}

static bool
put (struct ws_conn *conn, const struct buf *json)
{
  return put_text (conn, json->data, json->len);
}

/* One that is too far behind is told so, and goes in the next turn: it must not leave from in here.
 * Events are kept, it may come back for them. */
static void
give_up (struct ws_conn *conn)
{
  close_with (conn, WSLAY_CODE_POLICY_VIOLATION, "slow_consumer");
  (void) wslay_event_send (conn->wslay);
  if (!ev_is_active (&conn->front->reap))
    ev_timer_start (conn->front->env->loop, &conn->front->reap);
}

static enum subscriber_took
on_event (struct subscriber *subscriber, uint64_t number, const char *json, size_t len)
{
  struct ws_conn *conn = (struct ws_conn *) subscriber;
  CLEANUP_BUF struct buf out = { 0 };

  if (conn->closing)
    return SUBSCRIBER_LEFT;
  buf_printf (&out, "{\"number\":%llu,", (unsigned long long) number);
  buf_append (&out, json + 1, len - 1);
  if (!put (conn, &out))
    return SUBSCRIBER_LEFT;
  if (http_stream_backlog (conn->x) > BACKLOG_MAX)
    give_up (conn);
  return SUBSCRIBER_TOOK;
}

/* The session is gone.  Who speaks as Realtime goes in the next turn: its bridge is on the stack.
 */
static void
say_ended (struct ws_conn *conn)
{
  conn->session = NULL;
  close_with (conn, WSLAY_CODE_NORMAL_CLOSURE, "session_ended");
  if (conn->realtime == NULL)
    return flush (conn);
  (void) wslay_event_send (conn->wslay);
  ev_timer_start (conn->front->env->loop, &conn->front->reap);
}

static void
on_closed (struct subscriber *subscriber)
{
  say_ended ((struct ws_conn *) subscriber);
}

static void
say_error (struct ws_conn *conn, const char *code, const char *path, const char *message)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  jsonw_object (&w);
  jsonw_name_string (&w, "type", "error");
  jsonw_name_string (&w, "code", code);
  jsonw_name_string (&w, "message", message);
  if (path != NULL)
    jsonw_name_string (&w, "path", path);
  jsonw_end (&w);
  (void) put (conn, &out);
}

static void
say_session (struct ws_conn *conn)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  jsonw_object (&w);
  jsonw_name_string (&w, "type", "session");
  jsonw_name (&w, "session");
  session_put (conn->session, true, &w);
  jsonw_end (&w);
  (void) put (conn, &out);
}

/* ---- what comes in ---- */

static void
hear (struct ws_conn *conn, const char *text, size_t len)
{
  const struct session_speaker from = { .principal = conn->principal,
                                        .may_approve = conn->may_approve };
  CLEANUP_ARENA struct arena arena = { 0 };
  struct error err = { 0 };
  struct json_tape tape;
  const char *code;
  bool ended;

  if (!json_read (&tape, text, len, &conn->front->limits, &arena)) {
    (void) error_set (&err, "the message is not JSON: byte %zu: %s", tape.offset, tape.problem);
    return say_error (conn, "bad_json", NULL, err.text);
  }
  if (!session_hear (conn->session, &from, &tape, json_root (&tape), &ended, &code, &err)) {
    const size_t pointer = strcspn (err.text, ":");
    const char *path = arena_strndup (&arena, err.text, pointer);
    say_error (conn, code, path, pointer == 0 ? err.text + 2 : err.text);
  }
}

static void
on_message (wslay_event_context_ptr wslay, const struct wslay_event_on_msg_recv_arg *arg,
            void *user_data)
{
  struct ws_conn *conn = user_data;
  const char *text;

  (void) wslay;
  conn->alive = true;
  if (wslay_is_ctrl_frame (arg->opcode) || conn->closing)
    return;
  if (arg->opcode != WSLAY_TEXT_FRAME)
    return close_with (conn, WSLAY_CODE_UNSUPPORTED_DATA, "text alone is understood");
  text = arg->msg_length != 0 ? (const char *) arg->msg : ""; /* wslay has NULL for nothing */
  if (conn->realtime != NULL)
    return as_realtime_hear (conn->realtime, text, arg->msg_length);
  hear (conn, text, arg->msg_length);
}

static ssize_t
on_read (wslay_event_context_ptr wslay, uint8_t *room, size_t size, int flags, void *user_data)
{
  struct ws_conn *conn = user_data;
  const size_t len = conn->in_len < size ? conn->in_len : size;

  (void) flags;
  if (len == 0) {
    wslay_event_set_error (wslay, WSLAY_ERR_WOULDBLOCK);
    return -1;
  }
  memcpy (room, conn->in, len);
  conn->in += len;
  conn->in_len -= len;
  return (ssize_t) len;
}

static ssize_t
on_write (wslay_event_context_ptr wslay, const uint8_t *data, size_t len, int flags,
          void *user_data)
{
  struct ws_conn *conn = user_data;

  (void) flags;
  if (http_stream_write (conn->x, data, len))
    return (ssize_t) len;
  wslay_event_set_error (wslay, WSLAY_ERR_CALLBACK_FAILURE);
  return -1;
}

static void
on_bytes (void *data, const char *bytes, size_t len)
{
  struct ws_conn *conn = data;

  conn->in = bytes;
  conn->in_len = len;
  conn->busy = true;
  if (wslay_event_recv (conn->wslay) != 0)
    close_with (conn, WSLAY_CODE_INTERNAL_SERVER_ERROR, "");
  conn->busy = false;
  flush (conn);
}

/* ---- beginning ---- */

/* One that goes may take others with it, who had joined its session: each search begins anew. */
static struct ws_conn *
find_lost (const struct ws_front *front, bool silent)
{
  struct ws_conn *conn = front->conns;

  while (conn != NULL && !wslay_event_get_close_sent (conn->wslay) && (conn->alive || !silent))
    conn = conn->next;
  return conn;
}

static void
hang_up_lost (struct ws_front *front, bool silent)
{
  struct ws_conn *conn;

  while ((conn = find_lost (front, silent)) != NULL)
    hang_up (conn);
}

static void
on_reap (struct ev_loop *loop, ev_timer *timer, int revents)
{
  (void) loop;
  (void) revents;
  hang_up_lost (timer->data, false);
}

static void
on_beat (struct ev_loop *loop, ev_timer *timer, int revents)
{
  static const struct wslay_event_msg ping = { .opcode = WSLAY_PING };
  struct ws_front *front = timer->data;

  (void) loop;
  (void) revents;
  hang_up_lost (front, true);
  for (struct ws_conn *conn = front->conns; conn != NULL; conn = conn->next) {
    conn->alive = false;
    (void) wslay_event_queue_msg (conn->wslay, &ping);
    (void) wslay_event_send (conn->wslay);
  }
}

struct ws_front *
ws_front_new (const struct front_env *env)
{
  struct ws_front *front = xcalloc (1, sizeof *front);

  front->env = env;
  front->limits = json_default_limits;
  front->limits.depth = env->json_depth;
  ev_timer_init (&front->beat, on_beat, BEAT_SECONDS, BEAT_SECONDS);
  front->beat.data = front;
  ev_timer_init (&front->reap, on_reap, 0, 0);
  front->reap.data = front;
  return front;
}

static struct ws_conn *
conn_new (struct ws_front *front, struct http_exchange *x, struct session *session)
{
  static const struct wslay_event_callbacks callbacks = { .recv_callback = on_read,
                                                          .send_callback = on_write,
                                                          .on_msg_recv_callback = on_message };
  const struct front_peer *peer = http_request (x)->peer;
  struct ws_conn *conn = xcalloc (1, sizeof *conn);

  *conn = (struct ws_conn){ .subscriber = { .event = on_event, .closed = on_closed },
                            .front = front,
                            .next = front->conns,
                            .prev = &front->conns,
                            .x = x,
                            .session = session,
                            .may_approve = (peer->roles & ROLE_APPROVE) != 0,
                            .alive = true };
  if (peer->principal != NULL)
    conn->principal = xstrdup (peer->principal);
  if (wslay_event_context_server_init (&conn->wslay, &callbacks, conn) != 0)
    abort (); /* there is always some memory, see base/memory.h */
  wslay_event_config_set_max_recv_msg_length (conn->wslay, front->env->body_max);
  if (conn->next != NULL)
    conn->next->prev = &conn->next;
  else
    ev_timer_again (front->env->loop, &front->beat);
  front->conns = conn;
  return conn;
}

/* ---- in the words of Realtime ---- */

static bool
put_event (void *ctx, const char *json, size_t len)
{
  struct ws_conn *conn = ctx;

  if (conn->closing || !put_text (conn, json, len))
    return false;
  if (http_stream_backlog (conn->x) > BACKLOG_MAX)
    give_up (conn);
  return true;
}

static void
on_session_ended (void *ctx)
{
  say_ended (ctx);
}

static void
begin_realtime (struct ws_conn *conn)
{
  struct ws_front *front = conn->front;
  const struct realtime_wish wish = {
    .session = conn->session,
    .log = front->env->log,
    .call_id = session_name (conn->session),
    .providers = front->providers,
    .item_completed = slice_is (http_query (conn->x, "dispatch_on"), "item_completed"),
    .hangup_after = HANGUP_SECONDS,
    .answer_within = ANSWER_SECONDS,
  };

  conn->realtime = as_realtime_new (
    front->env->loop, &wish, &(struct as_realtime_peer){ put_event, on_session_ended, conn });
}

/* What it speaks; false: refused. */
static bool
read_format (struct ws_front *front, struct http_exchange *x, bool *realtime)
{
  const struct slice format = http_query (x, "format");

  *realtime = format.data != NULL && slice_is (format, "realtime");
  if (format.data != NULL && !*realtime && !slice_is (format, "toolhost")) {
    http_reply_error (x, 400, "bad_request", "format: expected toolhost or realtime");
    return false;
  }
  if (*realtime && front->providers == NULL)
    front->providers = providers_new ();
  return true;
}

/* ---- whose session ---- */

/* A number of up to 18 digits; false: it is none. */
static bool
read_number (struct slice text, uint64_t *number)
{
  *number = 0;
  for (size_t i = 0; i < text.len; i++) {
    if (text.data[i] < '0' || text.data[i] > '9' || i == 18)
      return false;
    *number = *number * 10 + (uint64_t) (text.data[i] - '0');
  }
  return text.len != 0;
}

/* A session that is there, behind an event that is kept.  NULL: refused. */
static struct session *
join (const struct ws_front *front, struct http_exchange *x, struct slice id, uint64_t *after)
{
  const struct front_peer *peer = http_request (x)->peer;
  const bool manages = (peer->roles & ROLE_MANAGE) != 0;
  const struct slice text = http_query (x, "after");
  struct session *session = session_find (front->env->sessions, id.data, id.len, peer->tenant,
                                          manages ? NULL : peer->principal);

  if (session == NULL) {
    http_reply_error (x, 404, "session_not_found",
                      "There is no session of this id that is yours; it may have ended");
    return NULL;
  }
  *after = session_first (session);
  if (text.data == NULL)
    return session;
  if (!read_number (text, after) || *after > session_said (session))
    http_reply_error (x, 400, "bad_request", "after: expected the number of an event");
  else if (*after < session_first (session))
    http_reply_error (x, 410, "events_gone", "The events up to %llu are not kept any more",
                      (unsigned long long) session_first (session));
  else
    return session;
  return NULL;
}

static struct session *
open_own (const struct ws_front *front, struct http_exchange *x)
{
  const struct http_request *request = http_request (x);
  const struct slice call_id = http_query (x, "call_id");
  struct session_wish wish = { .tenant = request->peer->tenant,
                               .principal = request->peer->principal,
                               .may_approve = (request->peer->roles & ROLE_APPROVE) != 0 };
  struct session *session;
  struct error err = { 0 };
  const char *code;

  if (call_id.data != NULL && call_id.len != 0 && call_id.len <= 256)
    wish.call_id = arena_strndup (request->arena, call_id.data, call_id.len);
  session = session_open (front->env->sessions, &wish, &code, &err);
  if (session == NULL)
    http_reply_error (x, 429, code, "%s", err.text);
  return session;
}

/* What the request for the connection says of a trace. */
static void
follow_trace (const struct http_exchange *x, struct session *session)
{
  struct trace_parent parent;

  if (traced_parent (x, &parent))
    session_set_trace (session, &parent);
}

void
ws_front_handle (struct ws_front *front, struct http_exchange *x)
{
  const struct slice id = http_query (x, "session_id");
  char headers[WS_HEADERS_MAX];
  struct session *session;
  struct ws_conn *conn;
  uint64_t after = 0;
  bool realtime;

  if (!auth_allows (front->env->auth, x, ROLE_CALL))
    return;
  if (!slice_is (http_request (x)->method, "GET"))
    return http_refuse_method (x, "GET");
  if (!read_format (front, x, &realtime) || !ws_handshake (x, headers))
    return;
  session = id.data != NULL ? join (front, x, id, &after) : open_own (front, x);
  if (session == NULL)
    return;
  if (!http_upgrade (x, headers, on_bytes)) {
    if (id.data == NULL)
      session_end (session, "disconnected");
    return http_reply_error (x, 400, "bad_request",
                             "Nothing may follow the handshake before it was answered");
  }
  follow_trace (x, session);
  conn = conn_new (front, x, session);
  conn->own = id.data == NULL && !slice_is (http_query (x, "keep"), "true");
  http_set_data (x, conn);
  http_on_gone (x, on_gone);
  if (realtime)
    return begin_realtime (conn);
  say_session (conn);
  (void) session_subscribe (session, &conn->subscriber, after);
}

void
ws_front_drain (struct ws_front *front)
{
  while (front->conns != NULL) {
    struct ws_conn *conn = front->conns;

    close_with (conn, WSLAY_CODE_GOING_AWAY, "the daemon is stopping");
    (void) wslay_event_send (conn->wslay);
    hang_up (conn);
  }
}

void
ws_front_free (struct ws_front *front)
{
  if (front == NULL)
    return;
  ws_front_drain (front);
  providers_free (front->providers);
  free (front);
}
