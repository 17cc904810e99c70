#include "front/realtime/attach.h"

#include <stdio.h>

#include "front/auth/auth.h"
#include "front/encode.h"
#include "front/refuse.h"

/* What the body wants. */
struct attendance {
  const char *call_id;
  const char *tenant; /* NULL: the caller's */
};

static bool
take_text (const char **text, const struct json_tape *tape, const struct json_node *value,
           struct arena *arena)
{
  *text = json_cstring (tape, value, arena);
  return *text != NULL && **text != '\0' && strlen (*text) <= REALTIME_CALL_ID_MAX;
}

static bool
take_member (struct attendance *wanted, const struct json_tape *tape, const struct json_node *name,
             struct arena *arena, struct error *err)
{
  const struct json_node *value = json_next (name);

  if (json_equals (tape, name, "call_id"))
    return take_text (&wanted->call_id, tape, value, arena)
           || error_set (err, "/call_id: expected a string of 1 to 256 bytes");
  if (json_equals (tape, name, "tenant"))
    return take_text (&wanted->tenant, tape, value, arena)
           || error_set (err, "/tenant: expected a string of 1 to 256 bytes");
  return error_set (err, ": unknown member; known are call_id and tenant");
}

static bool
take_members (struct attendance *wanted, const struct json_tape *tape, struct arena *arena,
              struct error *err)
{
  const struct json_node *root = json_root (tape);

  if (!json_is (root, JSON_OBJECT))
    return error_set (err, ": expected an object");
  for (const struct json_node *name = json_first (root); name != json_end (root);
       name = json_next (json_next (name)))
    if (!take_member (wanted, tape, name, arena, err))
      return false;
  return wanted->call_id != NULL || error_set (err, ": expected a call_id");
}

/* False: refused. */
static bool
read_body (const struct front_env *env, struct http_exchange *x, struct attendance *wanted)
{
  const struct http_request *request = http_request (x);
  struct json_limits limits = json_default_limits;
  struct json_tape tape;
  struct error err = { 0 };

  *wanted = (struct attendance){ .call_id = NULL };
  limits.depth = env->json_depth;
  if (!media_is_json (http_header (x, "content-type")))
    http_reply_error (x, 415, "unsupported_media_type", "Content-Type must be application/json");
  else if (!json_read (&tape, request->body.data, request->body.len, &limits, request->arena))
    http_reply_error (x, 400, "bad_json", "the body is not JSON: byte %zu: %s", tape.offset,
                      tape.problem);
  else if (!take_members (wanted, &tape, request->arena, &err))
    front_refuse_at (x, 400, "bad_request", &err);
  else
    return true;
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
  http_reply_json (x, 201, location, &out);
}

static struct session *
open_session (const struct front_env *env, struct http_exchange *x, const struct attendance *wanted)
{
  const struct front_peer *peer = http_request (x)->peer;
  const struct session_wish wish = { .tenant =
                                       wanted->tenant != NULL ? wanted->tenant : peer->tenant,
                                     .principal = peer->principal,
                                     .call_id = wanted->call_id };
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
  struct attendance wanted;
  struct session *session;

  if (!auth_allows (env->auth, x, ROLE_MANAGE))
    return;
  if (!slice_is (http_request (x)->method, "POST"))
    return http_refuse_method (x, "POST");
  if (realtime == NULL || env->sessions == NULL)
    return http_reply_error (x, 404, "not_found",
                             "This daemon attends no calls: toolhostd.json has no realtime");
  if (!read_body (env, x, &wanted))
    return;
  if (realtime_find (realtime, wanted.call_id) != NULL)
    return http_reply_error (x, 409, "call_attended", "The call is attended already");
  session = open_session (env, x, &wanted);
  if (session == NULL)
    return;
  if (events != NULL && events->opened != NULL)
    events->opened (events->ctx, session, wanted.call_id);
  if (realtime_attach (realtime, session, wanted.call_id, NULL, &err) != NULL)
    return reply_attached (x, session);
  session_end (session, "realtime_refused");
  http_reply_error (x, 500, "internal_error", "%s", err.text);
}
