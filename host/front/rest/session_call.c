/* Calls in a session, which their callers wait for. */
#include <string.h>

#include "base/json_write.h"
#include "front/rest/sessions.h"
#include "front/traced.h"
#include "session/session.h"

/* In the exchange's arena. */
struct session_wait {
  struct session_waiter waiter; /* first: it is handed back */
  struct http_exchange *x;
  struct span *span; /* of the request; NULL: it is not sampled */
  enum encoding encoding;
};

static void
put_member (struct json_writer *w, const char *name, const struct json_tape *tape,
            const char *member)
{
  const struct json_node *node = json_member (tape, json_root (tape), member);
  size_t len;
  const char *raw = node != NULL ? json_raw (tape, node, &len) : NULL;

  if (raw != NULL)
    jsonw_name_raw (w, name, raw, len);
}

/* The event tool_call_output is Sonore's result with more beside it; the others are made of that.
 */
static void
encode_answer (struct buf *out, enum encoding encoding, const struct session_answer *answer)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  CLEANUP_BUF struct buf sonore = { 0 };
  struct json_writer w = { .out = &sonore };
  struct json_tape tape;
  struct result result;
  const char *id;

  (void) json_read (&tape, answer->json, answer->len, &json_default_limits, &arena);
  jsonw_object (&w);
  jsonw_name_string (&w, "function_call_id", answer->call_id);
  jsonw_name_bool (&w, "ok", answer->ok);
  put_member (&w, "error", &tape, "error");
  put_member (&w, "output", &tape, "output");
  jsonw_end (&w);
  (void) json_read (&tape, sonore.data, sonore.len, &json_default_limits, &arena);
  if (encoding_read (ENCODING_SONORE, &tape, json_root (&tape), &arena, &id, &result, NULL))
    encoding_put (out, encoding, answer->call_id, &result);
  else
    buf_swap (out, &sonore);
}

void
rest_session_answer (struct buf *out, enum encoding encoding, const struct session_answer *answer)
{
  if (encoding != ENCODING_OWN)
    encode_answer (out, encoding, answer);
  else
    buf_append (out, answer->json, answer->len);
}

static void
refuse (const struct session_wait *wait, int status, const char *code, const char *why)
{
  http_on_gone (wait->x, NULL);
  traced_end (wait->span, status);
  http_reply_error (wait->x, status, code, "%s", why);
}

static void
on_answered (struct session_waiter *waiter, const struct session_answer *answer)
{
  const struct session_wait *wait = (const struct session_wait *) waiter;
  struct http_exchange *x = wait->x;
  CLEANUP_BUF struct buf out = { 0 };

  if (answer->json == NULL)
    return refuse (wait, 410, "answer_gone",
                   "The call has run; its answer is not kept any more, and it is not run again");
  http_on_gone (x, NULL);
  rest_session_answer (&out, wait->encoding, answer);
  traced_end (wait->span, answer->running ? 202 : 200);
  http_reply_json (x, answer->running ? 202 : 200, NULL, &out);
}

/* The call goes on: it is the session's. */
static void
on_waiter_gone (void *data)
{
  struct session_wait *wait = data;

  session_unwait (&wait->waiter);
  traced_end (wait->span, 0);
}

bool
rest_is_session (const struct front_env *env, const struct call_body *body)
{
  return env->sessions != NULL && body->session_id != NULL
         && strlen (body->session_id) == SESSION_ID_LEN
         && strncmp (body->session_id, "ses_", 4) == 0;
}

static void
take_arguments (struct session_call *call, const struct call_body *body, struct arena *arena)
{
  if (body->arguments == NULL)
    return;
  if (json_is (body->arguments, JSON_STRING))
    call->args = json_string (&body->tape, body->arguments, arena, &call->args_len);
  else
    call->args = json_raw (&body->tape, body->arguments, &call->args_len);
}

struct session_call
rest_session_call_of (const struct call_body *body, struct arena *arena)
{
  struct session_call call = { .call_id = body->call_id,
                               .name = body->name.data,
                               .name_len = body->name.len,
                               .response_id = body->response_id,
                               .metadata = body->metadata.data,
                               .metadata_len = body->metadata.len,
                               .deadline_ms = body->deadline_ms,
                               .background = body->background };

  take_arguments (&call, body, arena);
  return call;
}

void
rest_session_call (const struct front_env *env, struct http_exchange *x, struct slice tool,
                   const struct call_body *body, enum encoding encoding)
{
  struct session *session =
    rest_session_find (env, x, (struct slice){ body->session_id, strlen (body->session_id) });
  struct session_wait *wait = arena_alloc (http_request (x)->arena, sizeof *wait);
  const struct slice metadata = traced_metadata (x, body->metadata);
  struct session_call call = rest_session_call_of (body, http_request (x)->arena);

  if (session == NULL)
    return;
  call.name = tool.data;
  call.name_len = tool.len;
  call.metadata = metadata.data;
  call.metadata_len = metadata.len;
  *wait = (struct session_wait){
    .waiter = { .answered = on_answered },
    .x = x,
    .span = traced_begin (env, x, "/v1/tools/{name}/call", body->metadata),
    .encoding = encoding,
  };
  call.traced = env->tracer != NULL;
  call.span = wait->span;
  http_set_data (x, wait);
  http_on_gone (x, on_waiter_gone);
  switch (session_call (session, &call, &wait->waiter)) {
  case SESSION_TAKEN:
  case SESSION_PENDING:
  case SESSION_EXECUTED:
    return; /* answered, or it will be */
  case SESSION_OTHER:
    return refuse (wait, 409, "call_id_reused", REST_SESSION_REUSED);
  case SESSION_FULL:
    return refuse (wait, 429, "max_invocations_reached", REST_SESSION_FULL);
  case SESSION_ENDING:
    http_on_gone (x, NULL);
    traced_end (wait->span, 404);
    return rest_session_unknown (x);
  }
}
