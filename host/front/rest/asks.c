#include "front/rest/asks.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#include "base/hash.h"
#include "base/json_write.h"
#include "front/encode.h"
#include "front/rest/session_asks.h"

enum {
  ID_BYTES = 16,
  RESULT_KEPT = 64 * 1024, /* bytes of a result that can be fetched */
  TICK = 1                 /* seconds */
};

enum state { ASK_OPEN, ASK_RUNNING, ASK_DONE };

struct rest_ask {
  struct rest_asks *asks;
  char id[4 + 2 * ID_BYTES + 1];
  enum state state;
  char *principal, *tool, *call_id;
  double expires;
  struct held *held;       /* ASK_OPEN */
  struct call *call;       /* ASK_RUNNING */
  struct http_exchange *x; /* … who answered, if still there */
  struct buf result;       /* ASK_DONE, if it is not too long */
  UT_hash_handle hh;
};

static const char *const state_names[] = {
  [ASK_OPEN] = "open", [ASK_RUNNING] = "running", [ASK_DONE] = "done"
};

/* ---- the table ---- */

static void
on_tick (struct ev_loop *loop, struct ev_timer *timer, int events)
{
  (void) events;
  rest_asks_expire (timer->data, ev_now (loop));
}

void
rest_asks_init (struct rest_asks *asks, const struct front_env *env)
{
  *asks = (struct rest_asks){ .env = env, .limits = json_default_limits };
  asks->limits.depth = env->json_depth;
  ev_timer_init (&asks->tick, on_tick, TICK, TICK);
  asks->tick.data = asks;
}

static void
forget (struct rest_ask *a)
{
  struct rest_asks *asks = a->asks;

  HASH_DEL (asks->by_id, a);
  if (--asks->count == 0)
    ev_timer_stop (asks->env->loop, &asks->tick);
  held_free (a->held);
  buf_free (&a->result);
  free (a->principal);
  free (a->tool);
  free (a->call_id);
  free (a);
}

static void
make_id (struct rest_ask *a)
{
  unsigned char bytes[ID_BYTES];
  char *at = a->id;

  /* never short: libc waits for the pool at start only */
  if (getrandom (bytes, sizeof bytes, 0) != (ssize_t) sizeof bytes)
    abort ();
  at += sprintf (at, "ask_");
  for (size_t i = 0; i < sizeof bytes; i++)
    at += sprintf (at, "%02x", bytes[i]);
}

/* Results that nobody fetched make room. */
static bool
find_room (struct rest_asks *asks)
{
  for (struct rest_ask *a = asks->by_id, *next; a != NULL && asks->count >= asks->env->asks_max;
       a = next) {
    next = a->hh.next;
    if (a->state == ASK_DONE)
      forget (a);
  }
  return asks->count < asks->env->asks_max;
}

struct rest_ask *
rest_asks_add (struct rest_asks *asks, struct held *held, const char *principal)
{
  struct rest_ask *a;

  if (!find_room (asks)) {
    held_free (held);
    return NULL;
  }
  a = xcalloc (1, sizeof *a);
  a->asks = asks;
  make_id (a);
  a->principal = xstrdup (principal);
  a->tool = xstrdup (held_name (held));
  a->call_id = xstrdup (held_call_id (held));
  a->expires = ev_now (asks->env->loop) + asks->env->ask_ttl;
  a->held = held;
  HASH_ADD_STR (asks->by_id, id, a);
  if (asks->count++ == 0)
    ev_timer_again (asks->env->loop, &asks->tick);
  return a;
}

struct rest_ask *
rest_asks_find (struct rest_asks *asks, const char *id, const char *principal)
{
  struct rest_ask *a;

  HASH_FIND_STR (asks->by_id, id, a);
  return a != NULL && a->state == ASK_OPEN && strcmp (a->principal, principal) == 0 ? a : NULL;
}

const char *
rest_ask_id (const struct rest_ask *a)
{
  return a->id;
}

struct held *
rest_ask_held (struct rest_ask *a)
{
  return a->held;
}

struct held *
rest_ask_take (struct rest_ask *a)
{
  struct held *held = a->held;

  a->held = NULL;
  forget (a);
  return held;
}

void
rest_asks_expire (struct rest_asks *asks, double now)
{
  for (struct rest_ask *a = asks->by_id, *next; a != NULL; a = next) {
    next = a->hh.next;
    if (a->state == ASK_RUNNING || now < a->expires)
      continue;
    if (a->state == ASK_OPEN)
      log_event (asks->env->log, LOG_INFO, "ask_expired", "ask", a->id, "tool", a->tool, "call",
                 a->call_id, NULL);
    forget (a);
  }
}

/* ---- showing ---- */

static void
encode_ask (struct json_writer *w, const struct rest_ask *a)
{
  jsonw_object (w);
  jsonw_name_string (w, "id", a->id);
  jsonw_name_string (w, "state", state_names[a->state]);
  jsonw_name_string (w, "tool", a->tool);
  jsonw_name_string (w, "call_id", a->call_id);
  jsonw_name_string (w, "principal", a->principal);
  jsonw_name_int (w, "expires_in_ms",
                  (int64_t) ((a->expires - ev_now (a->asks->env->loop)) * 1000));
  if (a->held != NULL) {
    const struct ask *ask = held_ask (a->held);
    encode_name_raw (w, "requests", ask->open.data, ask->open.len);
  }
  if (a->result.len != 0)
    encode_name_raw (w, "result", a->result.data, a->result.len);
  jsonw_end (w);
}

void
rest_ask_answer (struct buf *out, const struct rest_ask *a, const struct usage *usage)
{
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  jsonw_name_string (&w, "call_id", a->call_id);
  jsonw_name_bool (&w, "ok", false);
  jsonw_name_string (&w, "status", "input_required");
  jsonw_name (&w, "ask");
  encode_ask (&w, a);
  encode_usage (&w, "usage", usage, ENCODE_HTTP);
  jsonw_end (&w);
}

static void
reply_ask (struct http_exchange *x, const struct rest_ask *a)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  encode_ask (&w, a);
  http_reply_json (x, 200, NULL, &out);
}

static bool
may_see (const struct http_exchange *x, const struct rest_ask *a)
{
  const struct front_peer *peer = http_request (x)->peer;

  return (peer->roles & ROLE_APPROVE) != 0 || strcmp (peer->principal, a->principal) == 0;
}

/* NULL: refused. */
static struct rest_ask *
find (struct rest_asks *asks, struct http_exchange *x, struct slice id)
{
  struct rest_ask *a = NULL;

  HASH_FIND (hh, asks->by_id, id.data, id.len, a);
  if (a != NULL && may_see (x, a))
    return a;
  http_reply_error (x, 404, "ask_not_found",
                    "There is no question of this id that you may answer; it may have expired");
  return NULL;
}

void
rest_asks_list (struct rest_asks *asks, struct http_exchange *x)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  jsonw_object (&w);
  jsonw_name (&w, "asks");
  jsonw_array (&w);
  for (const struct rest_ask *a = asks->by_id; a != NULL; a = a->hh.next)
    if (may_see (x, a) && a->state != ASK_DONE)
      encode_ask (&w, a);
  session_asks_put (asks->env, x, &w);
  jsonw_end (&w);
  jsonw_end (&w);
  http_reply_json (x, 200, NULL, &out);
}

void
rest_ask_get (struct rest_asks *asks, struct http_exchange *x, struct slice id)
{
  const struct rest_ask *a;

  if (session_ask_is (id))
    return session_ask_get (asks->env, x, id);
  a = find (asks, x, id);
  if (a != NULL)
    reply_ask (x, a);
}

/* ---- answering ---- */

static void
on_gone (void *data)
{
  struct rest_ask *a = data;
  a->x = NULL; /* the call goes on: its caller may fetch the result */
}

static void
reply_result (struct rest_ask *a, int status, const struct buf *body)
{
  struct http_exchange *x = a->x;

  a->x = NULL;
  if (x == NULL)
    return;
  http_on_gone (x, NULL);
  http_reply_json (x, status, NULL, body);
}

static void
asks_again (struct rest_ask *a, const struct result *result)
{
  CLEANUP_BUF struct buf body = { 0 };

  a->state = ASK_OPEN;
  a->held = held_take (result);
  a->expires = ev_now (a->asks->env->loop) + a->asks->env->ask_ttl;
  rest_ask_answer (&body, a, &result->usage);
  reply_result (a, 202, &body);
}

static void
on_done (void *ctx, const struct result *result)
{
  struct rest_ask *a = ctx;
  CLEANUP_BUF struct buf body = { 0 };

  a->call = NULL;
  if (result->error == CALL_input_required) {
    asks_again (a, result);
    return;
  }
  a->state = ASK_DONE;
  a->expires = ev_now (a->asks->env->loop) + a->asks->env->ask_ttl;
  encode_result (&body, a->call_id, result);
  if (body.len <= RESULT_KEPT)
    buf_append (&a->result, body.data, body.len);
  reply_result (a, encode_has_ended (result) ? 200 : call_error_info (result->error)->http, &body);
}

static void
run (struct rest_ask *a, struct http_exchange *x)
{
  static const struct call_events events = { .done = on_done };
  const struct front_env *env = a->asks->env;
  struct held *held = a->held;
  struct call *call;

  held_decided_by (held, http_request (x)->peer->principal,
                   (http_request (x)->peer->roles & ROLE_APPROVE) != 0);
  a->state = ASK_RUNNING;
  a->held = NULL;
  a->x = x;
  http_set_data (x, a);
  http_on_gone (x, on_gone);
  call = held_start (held, env->calls, front_toolset (env, held_tenant (held)), &events, a);
  if (call != NULL)
    a->call = call;
}

/* The answers of the body, NULL: it declines; false: refused. */
static bool
read_answers (const struct rest_asks *asks, struct http_exchange *x, struct json_tape *tape,
              const struct json_node **responses)
{
  const struct http_request *request = http_request (x);
  const struct json_node *decline;

  if (!json_read (tape, request->body.data, request->body.len, &asks->limits, request->arena)) {
    http_reply_error (x, 400, "bad_json", "byte %zu: %s", tape->offset, tape->problem);
    return false;
  }
  *responses = json_member (tape, json_root (tape), "responses");
  decline = json_member (tape, json_root (tape), "decline");
  if ((json_is (decline, JSON_TRUE) && *responses == NULL) || json_is (*responses, JSON_OBJECT))
    return true;
  http_reply_error (x, 400, "bad_request",
                    "expected {\"responses\": {KEY: ANSWER, …}} or {\"decline\": true}");
  return false;
}

/* False: refused. */
static bool
take_answers (struct rest_asks *asks, struct rest_ask *a, struct http_exchange *x)
{
  const struct ask_rules *rules = calls_ask_rules (asks->env->calls);
  const struct json_node *responses;
  struct error err = { 0 };
  struct json_tape tape;

  if (!read_answers (asks, x, &tape, &responses))
    return false;
  if (responses == NULL) {
    ask_settle (held_ask (a->held), NULL, "declined");
    return true;
  }
  if (ask_answer (held_ask (a->held), rules, &tape, responses, NULL, &err))
    return true;
  http_reply_error (x, 422, "input_invalid", "%s", err.text);
  return false;
}

static void
answer_in_session (const struct rest_asks *asks, struct http_exchange *x, struct slice id)
{
  const struct json_node *responses;
  struct json_tape tape;

  if (read_answers (asks, x, &tape, &responses))
    session_ask_post (asks->env, x, id, &tape, responses);
}

void
rest_ask_post (struct rest_asks *asks, struct http_exchange *x, struct slice id)
{
  struct rest_ask *a;

  if (!media_is_json (http_header (x, "content-type"))) {
    http_reply_error (x, 415, "unsupported_media_type", "Content-Type must be application/json");
    return;
  }
  if (session_ask_is (id))
    return answer_in_session (asks, x, id);
  a = find (asks, x, id);
  if (a == NULL)
    return;
  if (a->state != ASK_OPEN)
    http_reply_error (x, 409, "ask_answered", "It was answered already");
  else if (take_answers (asks, a, x)) {
    if (held_ask (a->held)->open_count == 0)
      run (a, x);
    else
      reply_ask (x, a);
  }
}

/* Give up a call that runs; whoever waits for it hears `why`. */
static void
give_up (struct rest_ask *a, int status, const char *code, const char *why)
{
  struct http_exchange *x = a->x;

  if (a->call != NULL)
    call_abandon (a->call);
  if (x != NULL) {
    http_on_gone (x, NULL);
    http_reply_error (x, status, code, "%s", why);
  }
}

void
rest_ask_delete (struct rest_asks *asks, struct http_exchange *x, struct slice id)
{
  struct rest_ask *a;

  if (session_ask_is (id))
    return session_ask_delete (asks->env, x, id);
  a = find (asks, x, id);
  if (a == NULL)
    return;
  give_up (a, 499, "tool_cancelled", "The call was cancelled");
  if (a->held != NULL)
    held_withdraw (a->held, asks->env->calls);
  forget (a);
  http_reply (x, 204, NULL, NULL, NULL, 0);
}

void
rest_asks_free (struct rest_asks *asks)
{
  while (asks->by_id != NULL) {
    give_up (asks->by_id, 503, "tool_unavailable", "The daemon is stopping");
    forget (asks->by_id);
  }
}
