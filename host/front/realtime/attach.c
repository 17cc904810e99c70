#include "front/realtime/attach.h"

#include <stdio.h>

#include "front/auth/auth.h"
#include "front/encode.h"

static const char *
read_text (struct http_exchange *x, const struct json_tape *tape, const char *name)
{
  return json_cstring (tape, json_member (tape, json_root (tape), name), http_request (x)->arena);
}

/* False: refused. */
static bool
read_body (const struct front_env *env, struct http_exchange *x, struct json_tape *tape)
{
  const struct http_request *request = http_request (x);
  struct json_limits limits = json_default_limits;

  limits.depth = env->json_depth;
  if (json_read (tape, request->body.data, request->body.len, &limits, request->arena)
      && json_is (json_root (tape), JSON_OBJECT))
    return true;
  http_reply_error (x, 400, "bad_request", "The body is no JSON object");
  return false;
}

static void
reply_attached (struct http_exchange *x, const struct session *session)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };
  char location[32 + SESSION_ID_LEN];

  session_put (session, true, &w);
  (void) snprintf (location, sizeof location, "Location: /v1/sessions/%s\r\n",
                   session_id (session));
  http_reply (x, 201, "application/json", location, out.data, out.len);
}

static struct session *
open_session (const struct front_env *env, struct http_exchange *x, const struct json_tape *tape,
              const char *call_id)
{
  const struct front_peer *peer = http_request (x)->peer;
  const char *tenant = read_text (x, tape, "tenant");
  const struct session_wish wish = { .tenant = tenant != NULL ? tenant : peer->tenant,
                                     .principal = peer->principal,
                                     .call_id = call_id };
  struct error err = { 0 };
  const char *code;
  struct session *session = session_open (env->sessions, &wish, &code, &err);

  if (session == NULL)
    http_reply_error (x, 429, code, "%s", err.text);
  return session;
}

void
realtime_attach_handle (struct realtime *realtime, const struct front_env *env,
                        const struct realtime_attach_events *events, struct http_exchange *x)
{
  struct error err = { 0 };
  struct json_tape tape;
  struct session *session;
  const char *call_id;

  if (!auth_allows (env->auth, x, ROLE_MANAGE))
    return;
  if (!slice_is (http_request (x)->method, "POST"))
    return http_reply_error (x, 405, "method_not_allowed", "The path does not take this method");
  if (realtime == NULL || env->sessions == NULL)
    return http_reply_error (x, 503, "tool_unavailable",
                             "This daemon attends no calls: toolhostd.json has no realtime");
  if (!read_body (env, x, &tape))
    return;
  call_id = read_text (x, &tape, "call_id");
  if (call_id == NULL || *call_id == '\0' || strlen (call_id) > REALTIME_CALL_ID_MAX)
    return http_reply_error (x, 400, "bad_request", "call_id: expected a call's id");
  if (realtime_find (realtime, call_id) != NULL)
    return http_reply_error (x, 409, "call_attended", "The call is attended already");
  session = open_session (env, x, &tape, call_id);
  if (session == NULL)
    return;
  if (events != NULL && events->opened != NULL)
    events->opened (events->ctx, session, call_id);
  if (realtime_attach (realtime, session, call_id, NULL, &err) != NULL)
    return reply_attached (x, session);
  session_end (session, "realtime_refused");
  http_reply_error (x, 500, "internal_error", "%s", err.text);
}
