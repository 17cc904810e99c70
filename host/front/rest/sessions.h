/* sessions.h - conversations over plain HTTP: /v1/sessions and what is below it, and calls that
 * name a session.  Used by rest.c and calls.c.  Loop thread only.
 *
 * A session is its principal's and tenant's; who manages may see, interrupt and end any.  Its
 * events are an event stream whose ids are their numbers: Last-Event-ID (or ?after=) goes on behind
 * one, without it the stream begins with the first that is kept.
 *
 * A call that names a session is the session's: it goes on when its caller leaves, and the same
 * again gets the same answer, the event tool_call_output as JSON. */
#ifndef TOOLHOST_FRONT_REST_SESSIONS_H
#define TOOLHOST_FRONT_REST_SESSIONS_H

#include "front/encodings.h"
#include "front/front.h"
#include "front/http/http.h"
#include "front/rest/body.h"

struct session;
struct session_answer;
struct session_call;
struct session_stream;

struct rest_sessions {
  const struct front_env *env;
  struct json_limits limits;
  struct session_stream *streams;
  ev_timer beat; /* while there are streams: a sign of life */
};

void rest_sessions_init (struct rest_sessions *sessions, const struct front_env *env);
/* End the streams; the sessions go on. */
void rest_sessions_drain (struct rest_sessions *sessions);

void rest_session_post (struct rest_sessions *sessions, struct http_exchange *x);
void rest_sessions_get (struct rest_sessions *sessions, struct http_exchange *x);
void rest_session_get (struct rest_sessions *sessions, struct http_exchange *x, struct slice id);
void rest_session_delete (struct rest_sessions *sessions, struct http_exchange *x, struct slice id);
void rest_session_events (struct rest_sessions *sessions, struct http_exchange *x, struct slice id);
void rest_session_hear (struct rest_sessions *sessions, struct http_exchange *x, struct slice id);
void rest_session_interrupt (struct rest_sessions *sessions, struct http_exchange *x,
                             struct slice id);

/* The session of this id, if the peer may have it.  NULL: it was answered. */
struct session *rest_session_find (const struct front_env *env, struct http_exchange *x,
                                   struct slice id);
/* Answer that there is none. */
void rest_session_unknown (struct http_exchange *x);

/* ---- session_call.c ---- */

/* Does the body name a session of ours?  Other ids are labels that tools are told. */
bool rest_is_session (const struct front_env *env, const struct call_body *body);
/* What a caller is told of a call of such a session. */
#define REST_SESSION_REUSED                                                                        \
  "The session knows this call_id with another tool or other arguments; take a new one"
#define REST_SESSION_FULL "The session takes no more calls; open another"
/* The call that a body means, `name` with it. */
struct session_call rest_session_call_of (const struct call_body *body, struct arena *arena);
/* An answer that is there, in this encoding; ENCODING_OWN: the event tool_call_output. */
void rest_session_answer (struct buf *out, enum encoding encoding,
                          const struct session_answer *answer);
/* Such a call, which the exchange waits for; its answer in this encoding, ENCODING_OWN: the event
 * tool_call_output. */
void rest_session_call (const struct front_env *env, struct http_exchange *x, struct slice tool,
                        const struct call_body *body, enum encoding encoding);

#endif
