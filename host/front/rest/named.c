#include "front/rest/named.h"

#include <stdlib.h>
#include <time.h>

#include "base/json_write.h"
#include "call/named.h"
#include "front/encode.h"

/* An exchange that waits for the store. */
struct wait {
  struct http_exchange *x; /* NULL: its peer has left */
  const struct front_env *env;
  char *id; /* of the call */
};

static void
on_gone (void *data)
{
  ((struct wait *) data)->x = NULL;
}

static struct wait *
wait_new (const struct front_env *env, struct http_exchange *x, const char *id)
{
  struct wait *wait = xcalloc (1, sizeof *wait);

  *wait = (struct wait){ .x = x, .env = env, .id = xstrdup (id) };
  http_set_data (x, wait);
  http_on_gone (x, on_gone);
  return wait;
}

/* What waited is over; the exchange, which can be answered, or NULL. */
static struct http_exchange *
wait_end (struct wait *wait)
{
  struct http_exchange *x = wait->x;

  if (x != NULL)
    http_on_gone (x, NULL);
  return x;
}

static void
wait_free (struct wait *wait)
{
  free (wait->id);
  free (wait);
}

/* Of whom an exchange speaks; false: the id can't be one, and that was answered. */
static bool
read_name (struct http_exchange *x, struct slice id, struct call_name *name)
{
  const struct http_request *request = http_request (x);
  const struct slice session = http_query (x, "session_id");

  if (memchr (id.data, '\0', id.len) != NULL
      || (session.data != NULL && memchr (session.data, '\0', session.len) != NULL)) {
    http_reply_error (x, 404, "call_not_found", "There is no call of such an id");
    return false;
  }
  *name = (struct call_name){ .tenant = request->peer->tenant,
                              .principal = request->peer->principal,
                              .id = arena_strndup (request->arena, id.data, id.len) };
  if (session.data != NULL)
    name->session = arena_strndup (request->arena, session.data, session.len);
  return true;
}

static void
reply_unavailable (struct http_exchange *x)
{
  static const char body[] =
    "{\"error\":{\"code\":\"tool_unavailable\",\"message\":\"The record of "
    "calls can't be read now; try again in a moment\"}}";

  http_reply (x, 503, "application/json", "Retry-After: 1\r\n", body, sizeof body - 1);
}

static const char *
whose (const struct http_exchange *x)
{
  const struct front_peer *peer = http_request (x)->peer;

  return (peer->roles & ROLE_MANAGE) != 0 ? NULL : peer->principal;
}

/* ---- GET ---- */

static void
put_time (struct json_writer *w, const char *name, int64_t ms)
{
  time_t seconds = (time_t) (ms / 1000);
  struct tm tm;
  char text[40];

  if (ms == 0)
    return;
  (void) gmtime_r (&seconds, &tm);
  (void) strftime (text, sizeof text, "%Y-%m-%dT%H:%M:%S", &tm);
  jsonw_name (w, name);
  jsonw_stringf (w, "%s.%03dZ", text, (int) (ms % 1000));
}

static void
reply_known (struct http_exchange *x, const char *id, const struct call_known *known)
{
  static const char *const words[] = { [STORE_RUNNING] = "running",
                                       [STORE_ENDED] = "ended",
                                       [STORE_CANCELLED] = "cancelled",
                                       [STORE_UNKNOWN] = "unknown" };
  CLEANUP_BUF struct buf out = { 0 }, result = { 0 };
  struct json_writer w = { .out = &out };

  jsonw_object (&w);
  jsonw_name_string (&w, "call_id", id);
  jsonw_name_string (&w, "status", words[known->state]);
  if (known->tool != NULL && known->tool[0] != '\0')
    jsonw_name_string (&w, "tool", known->tool);
  put_time (&w, "created", known->created_ms);
  put_time (&w, "ended", known->ended_ms);
  if (known->result != NULL) {
    encode_result (&result, id, known->result);
    jsonw_name_raw (&w, "result", result.data, result.len);
  }
  jsonw_end (&w);
  http_reply_json (x, 200, NULL, &out);
}

/* One whose caller has not named it, or that nothing is kept of, is known while it runs. */
static void
reply_unnamed (const struct front_env *env, struct http_exchange *x, const char *id)
{
  const struct call_known known = { .state = STORE_RUNNING };

  if (call_find (env->calls, id, whose (x)) != NULL)
    reply_known (x, id, &known);
  else
    http_reply_error (x, 404, "call_not_found",
                      "Nothing is known of a call of this id that is yours");
}

static void
on_known (void *ctx, enum store_status status, const struct call_known *known)
{
  struct wait *wait = ctx;
  struct http_exchange *x = wait_end (wait);

  if (x != NULL && status == STORE_OK)
    reply_known (x, wait->id, known);
  else if (x != NULL && status == STORE_NOT_FOUND)
    reply_unnamed (wait->env, x, wait->id);
  else if (x != NULL)
    reply_unavailable (x);
  wait_free (wait);
}

void
rest_named_get (const struct front_env *env, struct http_exchange *x, struct slice id)
{
  struct call_name name;
  struct wait *wait;

  if (!read_name (x, id, &name))
    return;
  wait = wait_new (env, x, name.id);
  if (calls_look (env->calls, &name, on_known, wait))
    return;
  (void) wait_end (wait);
  wait_free (wait);
  reply_unnamed (env, x, name.id);
}

/* ---- DELETE ---- */

static void
reply_forbidden (struct http_exchange *x, const char *id)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  jsonw_object (&w);
  jsonw_name_string (&w, "call_id", id);
  jsonw_name_string (&w, "status", "cancelled");
  jsonw_end (&w);
  http_reply_json (x, 202, NULL, &out);
}

static void
on_forbidden (void *ctx, enum store_status status)
{
  struct wait *wait = ctx;
  struct http_exchange *x = wait_end (wait);

  if (x != NULL && status == STORE_OK)
    reply_forbidden (x, wait->id);
  else if (x != NULL && status == STORE_CONFLICT)
    http_reply_error (x, 409, "call_ended", "The call of this id is over; GET has what came of it");
  else if (x != NULL)
    reply_unavailable (x);
  wait_free (wait);
}

void
rest_named_delete (const struct front_env *env, struct http_exchange *x, struct slice id)
{
  struct call_name name;
  struct call *call;
  struct wait *wait;

  if (!read_name (x, id, &name))
    return;
  call = calls_find_named (env->calls, &name);
  if (call == NULL)
    call = call_find (env->calls, name.id, whose (x));
  if (call != NULL) {
    call_cancel (call);
    http_reply (x, 204, NULL, NULL, NULL, 0);
    return;
  }
  wait = wait_new (env, x, name.id);
  if (!slice_is (http_query (x, "running"), "true")
      && calls_forbid (env->calls, &name, on_forbidden, wait))
    return;
  (void) wait_end (wait);
  wait_free (wait);
  http_reply_error (x, 404, "call_not_found",
                    "There is no running call of this id that you may cancel");
}
