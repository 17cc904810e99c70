#include "front/rest/session_asks.h"

#include "front/encode.h"
#include "session/session.h"

static const char begins[] = "ses-";

bool
session_ask_is (struct slice id)
{
  return id.len > SESSION_NAME_LEN && memcmp (id.data, begins, sizeof begins - 1) == 0
         && id.data[SESSION_NAME_LEN] == ':';
}

/* ---- showing ---- */

static bool
may_see (const struct http_exchange *x, const struct session_ask *ask)
{
  const struct front_peer *peer = http_request (x)->peer;
  const char *tenant = peer->tenant != NULL ? peer->tenant : "default";

  return (peer->roles & ROLE_APPROVE) != 0
         || (strcmp (peer->principal, ask->principal) == 0 && strcmp (tenant, ask->tenant) == 0);
}

/* `answered`: it has been, and its call runs on. */
static void
put_ask (struct json_writer *w, const struct session_ask *ask, bool answered)
{
  jsonw_object (w);
  jsonw_name (w, "id");
  jsonw_stringf (w, "%s:%s", ask->session, ask->call_id);
  jsonw_name_string (w, "state", answered ? "running" : "open");
  jsonw_name_string (w, "tool", ask->tool);
  jsonw_name_string (w, "call_id", ask->call_id);
  jsonw_name_string (w, "session", ask->session);
  jsonw_name_string (w, "principal", ask->principal);
  jsonw_name_int (w, "expires_in_ms", (int64_t) (ask->expires_in * 1000));
  if (!answered)
    encode_name_raw (w, "requests", ask->requests, ask->requests_len);
  jsonw_end (w);
}

struct listing {
  const struct http_exchange *x;
  struct json_writer *w;
  const char *session, *call_id; /* only this one; NULL: all */
  bool answered, found;
};

static void
see (void *ctx, const struct session_ask *ask)
{
  struct listing *l = ctx;

  if (!may_see (l->x, ask))
    return;
  if (l->call_id != NULL
      && (strcmp (l->session, ask->session) != 0 || strcmp (l->call_id, ask->call_id) != 0))
    return;
  l->found = true;
  put_ask (l->w, ask, l->answered);
}

void
session_asks_put (const struct front_env *env, const struct http_exchange *x, struct json_writer *w)
{
  struct listing l = { .x = x, .w = w };

  if (env->sessions != NULL)
    sessions_see_asks (env->sessions, see, &l);
}

/* One that this caller may answer, as JSON; and its call's id. */
static bool
put_one (const struct front_env *env, struct http_exchange *x, struct slice id, bool answered,
         struct buf *out, const char **call_id)
{
  struct arena *arena = http_request (x)->arena;
  struct json_writer w = { .out = out };
  struct listing l = { .x = x, .w = &w, .answered = answered };

  l.session = arena_strndup (arena, id.data, SESSION_NAME_LEN);
  l.call_id = arena_strndup (arena, id.data + SESSION_NAME_LEN + 1, id.len - SESSION_NAME_LEN - 1);
  *call_id = l.call_id;
  if (env->sessions != NULL)
    sessions_see_asks (env->sessions, see, &l);
  return l.found;
}

static void
reply_none (struct http_exchange *x)
{
  http_reply_error (x, 404, "ask_not_found",
                    "There is no question of this id that you may answer; it may have expired");
}

void
session_ask_get (const struct front_env *env, struct http_exchange *x, struct slice id)
{
  CLEANUP_BUF struct buf out = { 0 };
  const char *call_id;

  if (put_one (env, x, id, false, &out, &call_id))
    http_reply_json (x, 200, NULL, &out);
  else
    reply_none (x);
}

/* ---- answering ---- */

/* NULL: there is none that this caller may answer, and it was told.  `out`: what is told of it once
 * it is answered. */
static struct session *
find (const struct front_env *env, struct http_exchange *x, struct slice id, struct buf *out,
      const char **call_id)
{
  struct session *session = NULL;

  if (put_one (env, x, id, true, out, call_id))
    session = session_find (env->sessions, id.data, SESSION_NAME_LEN, NULL, NULL);
  if (session == NULL)
    reply_none (x);
  return session;
}

void
session_ask_post (const struct front_env *env, struct http_exchange *x, struct slice id,
                  const struct json_tape *tape, const struct json_node *responses)
{
  CLEANUP_BUF struct buf answered = { 0 }, left = { 0 };
  struct error err = { 0 };
  const char *code, *call_id;
  struct session *session = find (env, x, id, &answered, &call_id);
  const struct buf *out = &answered;

  if (session == NULL)
    return;
  if (!session_answer_ask (session, call_id, tape, responses, &code, &err))
    return http_reply_error (x, 422, code, "%s", err.text);
  if (put_one (env, x, id, false, &left, &call_id)) /* not all of them, or it asks again already */
    out = &left;
  http_reply_json (x, 200, NULL, out);
}

void
session_ask_delete (const struct front_env *env, struct http_exchange *x, struct slice id)
{
  CLEANUP_BUF struct buf out = { 0 };
  const char *call_id;
  struct session *session = find (env, x, id, &out, &call_id);

  if (session == NULL)
    return;
  (void) session_drop_ask (session, call_id);
  http_reply (x, 204, NULL, NULL, NULL, 0);
}
