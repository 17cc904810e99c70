#include "front/rest/sessions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_write.h"
#include "front/encode.h"
#include "front/refuse.h"
#include "front/rest/wish.h"
#include "front/traced.h"
#include "session/session.h"

static const double BEAT_SECONDS = 15;

/* Who listens to a session. */
struct session_stream {
  struct subscriber subscriber; /* first: it is handed back */
  struct rest_sessions *all;
  struct session_stream *next, **prev;
  struct http_exchange *x;
};

/* ---- answers ---- */

static void
reply_count (struct http_exchange *x, int status, const char *name, int64_t count)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  jsonw_object (&w);
  jsonw_name_int (&w, name, count);
  jsonw_end (&w);
  http_reply_json (x, status, NULL, &out);
}

void
rest_session_unknown (struct http_exchange *x)
{
  http_reply_error (x, 404, "session_not_found",
                    "There is no session of this id that is yours; it may have ended");
}

/* ---- requests ---- */

static bool
manages (const struct http_exchange *x)
{
  return (http_request (x)->peer->roles & ROLE_MANAGE) != 0;
}

struct session *
rest_session_find (const struct front_env *env, struct http_exchange *x, struct slice id)
{
  const struct front_peer *peer = http_request (x)->peer;
  struct session *session = NULL;

  if (env->sessions != NULL)
    session = session_find (env->sessions, id.data, id.len, peer->tenant,
                            manages (x) ? NULL : peer->principal);
  if (session == NULL)
    rest_session_unknown (x);
  return session;
}

/* The body as JSON; an empty one is an empty object.  False: refused. */
static bool
read_body (const struct rest_sessions *sessions, struct http_exchange *x, struct json_tape *tape)
{
  const struct http_request *request = http_request (x);
  const struct slice body = request->body.len != 0 ? request->body : (struct slice){ "{}", 2 };

  if (request->body.len != 0 && !media_is_json (http_header (x, "content-type")))
    http_reply_error (x, 415, "unsupported_media_type", "Content-Type must be application/json");
  else if (!json_read (tape, body.data, body.len, &sessions->limits, request->arena))
    http_reply_error (x, 400, "bad_json", "the body is not JSON: byte %zu: %s", tape->offset,
                      tape->problem);
  else
    return true;
  return false;
}

/* ---- POST /v1/sessions ---- */

static void
reply_opened (struct http_exchange *x, const struct session *session)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };
  char location[32 + SESSION_ID_LEN];

  session_put (session, true, &w);
  (void) snprintf (location, sizeof location, "Location: /v1/sessions/%s\r\n",
                   session_id (session));
  http_reply_json (x, 201, location, &out);
}

void
rest_session_post (struct rest_sessions *sessions, struct http_exchange *x)
{
  const struct front_peer *peer = http_request (x)->peer;
  struct session_wish wish = { .tenant = peer->tenant,
                               .principal = peer->principal,
                               .may_approve = (peer->roles & ROLE_APPROVE) != 0 };
  struct error err = { 0 };
  struct json_tape tape;
  struct session *session;
  const char *code;

  if (sessions->env->sessions == NULL)
    return http_reply_error (x, 503, "tool_unavailable", "This daemon has no sessions");
  if (!read_body (sessions, x, &tape))
    return;
  wish.tape = &tape;
  if (!session_wish_read (&wish, http_request (x)->arena, &err))
    return front_refuse_at (x, 400, "bad_request", &err);
  session = session_open (sessions->env->sessions, &wish, &code, &err);
  if (session != NULL)
    reply_opened (x, session);
  else if (strcmp (code, "bad_context") == 0) {
    (void) error_wrap (&err, "/context"); /* of which err's pointer is a part */
    front_refuse_at (x, 400, code, &err);
  }
  else
    http_reply_error (x, 429, code, "%s", err.text);
}

/* ---- looking, ending ---- */

void
rest_sessions_get (struct rest_sessions *sessions, struct http_exchange *x)
{
  const struct front_peer *peer = http_request (x)->peer;
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  if (sessions->env->sessions != NULL)
    sessions_put (sessions->env->sessions, peer->tenant, manages (x) ? NULL : peer->principal, &w);
  else
    buf_puts (&out, "{\"sessions\":[]}");
  http_reply_json (x, 200, NULL, &out);
}

void
rest_session_get (struct rest_sessions *sessions, struct http_exchange *x, struct slice id)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };
  const struct session *session = rest_session_find (sessions->env, x, id);

  if (session == NULL)
    return;
  session_put (session, true, &w);
  http_reply_json (x, 200, NULL, &out);
}

void
rest_session_delete (struct rest_sessions *sessions, struct http_exchange *x, struct slice id)
{
  struct session *session = rest_session_find (sessions->env, x, id);

  if (session == NULL)
    return;
  session_end (session, "deleted");
  http_reply (x, 204, NULL, NULL, NULL, 0);
}

/* ---- events in ---- */

static int
status_of (const char *code)
{
  static const struct {
    const char *code;
    int status;
  } rows[] = {
    { "bad_event", 400 },          { "context_write_denied", 403 }, { "approval_not_allowed", 403 },
    { "approval_not_found", 404 }, { "ask_not_found", 404 },        { "input_invalid", 422 }
  };

  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    if (strcmp (code, rows[i].code) == 0)
      return rows[i].status;
  return 429;
}

static struct span *
begin_span (const struct rest_sessions *sessions, const struct http_exchange *x,
            const struct session *session, const struct json_tape *tape)
{
  const struct json_node *metadata = json_member (tape, json_root (tape), "metadata");
  struct slice told = { NULL, 0 };
  struct span *span;

  if (json_is (metadata, JSON_OBJECT))
    told.data = json_raw (tape, metadata, &told.len);
  span = traced_begin (sessions->env, x, "/v1/sessions/{id}/events", told);
  span_text (span, "gen_ai.conversation.id", session_name (session));
  return span;
}

void
rest_session_hear (struct rest_sessions *sessions, struct http_exchange *x, struct slice id)
{
  struct session *session = rest_session_find (sessions->env, x, id);
  const struct front_peer *peer = http_request (x)->peer;
  struct session_speaker from = { .principal = peer->principal,
                                  .may_approve = (peer->roles & ROLE_APPROVE) != 0,
                                  .traced = sessions->env->tracer != NULL };
  struct error err = { 0 };
  struct json_tape tape;
  const char *code;
  bool good, ended;

  if (session == NULL || !read_body (sessions, x, &tape))
    return;
  from.span = begin_span (sessions, x, session, &tape);
  good = session_hear (session, &from, &tape, json_root (&tape), &ended, &code, &err);
  traced_end (from.span, !good ? status_of (code) : ended ? 204 : 202);
  if (!good)
    return front_refuse_at (x, status_of (code), code, &err);
  if (ended)
    http_reply (x, 204, NULL, NULL, NULL, 0);
  else
    reply_count (x, 202, "events", (int64_t) session_said (session));
}

void
rest_session_interrupt (struct rest_sessions *sessions, struct http_exchange *x, struct slice id)
{
  struct session *session = rest_session_find (sessions->env, x, id);
  const struct json_node *node;
  const char *response_id;
  struct json_tape tape;
  size_t count;

  if (session == NULL || !read_body (sessions, x, &tape))
    return;
  if (!json_is (json_root (&tape), JSON_OBJECT)) {
    struct error err = { .text = ": expected an object" };
    return front_refuse_at (x, 400, "bad_request", &err);
  }
  node = json_member (&tape, json_root (&tape), "response_id");
  response_id = json_cstring (&tape, node, http_request (x)->arena);
  if (node != NULL && (response_id == NULL || *response_id == '\0')) {
    struct error err = { .text = "/response_id: expected the id of a response" };
    return front_refuse_at (x, 400, "bad_request", &err);
  }
  count = response_id != NULL ? session_interrupt (session, response_id)
                              : session_interrupt_all (session);
  reply_count (x, 200, "cancelled", (int64_t) count);
}

/* ---- events out ---- */

static void
on_beat (struct ev_loop *loop, ev_timer *timer, int revents)
{
  struct rest_sessions *sessions = timer->data;

  (void) loop;
  (void) revents;
  for (struct session_stream *s = sessions->streams, *next; s != NULL; s = next) {
    next = s->next;
    (void) http_stream_write (s->x, ":\n\n", 3);
  }
}

void
rest_sessions_init (struct rest_sessions *sessions, const struct front_env *env)
{
  *sessions = (struct rest_sessions){ .env = env, .limits = json_default_limits };
  sessions->limits.depth = env->json_depth;
  ev_timer_init (&sessions->beat, on_beat, BEAT_SECONDS, BEAT_SECONDS);
  sessions->beat.data = sessions;
}

static void
stream_unlink (struct session_stream *stream)
{
  struct rest_sessions *all = stream->all;

  session_unsubscribe (&stream->subscriber);
  *stream->prev = stream->next;
  if (stream->next != NULL)
    stream->next->prev = stream->prev;
  if (all->streams == NULL)
    ev_timer_stop (all->env->loop, &all->beat);
}

static enum subscriber_took
on_event (struct subscriber *subscriber, uint64_t number, const char *json, size_t len)
{
  struct session_stream *stream = (struct session_stream *) subscriber;
  CLEANUP_BUF struct buf out = { 0 };

  buf_printf (&out, "id: %llu\ndata: ", (unsigned long long) number);
  buf_append (&out, json, len);
  buf_puts (&out, "\n\n");
  return http_stream_write (stream->x, out.data, out.len) ? SUBSCRIBER_TOOK : SUBSCRIBER_LEFT;
}

static void
end_stream (struct session_stream *stream)
{
  struct http_exchange *x = stream->x;

  stream_unlink (stream);
  http_on_gone (x, NULL);
  http_stream_end (x);
}

static void
on_closed (struct subscriber *subscriber)
{
  end_stream ((struct session_stream *) subscriber);
}

static void
on_gone (void *data)
{
  stream_unlink (data);
}

void
rest_sessions_drain (struct rest_sessions *sessions)
{
  while (sessions->streams != NULL)
    end_stream (sessions->streams);
}

/* False: it is no number. */
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

/* Where the stream goes on; false: refused. */
static bool
read_after (struct http_exchange *x, bool *given, uint64_t *after)
{
  struct slice text = http_header (x, "last-event-id");

  if (text.data == NULL)
    text = http_query (x, "after");
  *given = text.data != NULL;
  *after = 0;
  if (!*given || read_number (text, after))
    return true;
  http_reply_error (x, 400, "bad_request", "Last-Event-ID: expected the number of an event");
  return false;
}

/* All links are made before the first event is written: writing may lose the peer. */
static void
stream_begin (struct rest_sessions *sessions, struct http_exchange *x, struct session *session,
              uint64_t after)
{
  struct session_stream *stream = arena_alloc (http_request (x)->arena, sizeof *stream);

  *stream = (struct session_stream){ .subscriber = { .event = on_event, .closed = on_closed },
                                     .all = sessions,
                                     .next = sessions->streams,
                                     .prev = &sessions->streams,
                                     .x = x };
  if (stream->next != NULL)
    stream->next->prev = &stream->next;
  else
    ev_timer_again (sessions->env->loop, &sessions->beat);
  sessions->streams = stream;
  http_set_data (x, stream);
  http_on_gone (x, on_gone);
  http_stream_begin (x, 200, SSE_TYPE, SSE_HEADERS);
  (void) session_subscribe (session, &stream->subscriber, after);
}

void
rest_session_events (struct rest_sessions *sessions, struct http_exchange *x, struct slice id)
{
  struct session *session = rest_session_find (sessions->env, x, id);
  uint64_t after, first;
  bool given;

  if (session == NULL || !read_after (x, &given, &after))
    return;
  first = session_first (session);
  if (!given)
    after = first;
  if (after > session_said (session))
    return http_reply_error (
      x, 400, "bad_request", "Last-Event-ID: there is no event %llu yet, the last one is %llu",
      (unsigned long long) after, (unsigned long long) session_said (session));
  if (after < first)
    return http_reply_error (x, 410, "events_gone",
                             "The events up to %llu are not kept any more; look at the session, "
                             "and go on behind that one",
                             (unsigned long long) first);
  stream_begin (sessions, x, session, after);
}
