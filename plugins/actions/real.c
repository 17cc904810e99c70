#include "real.h"

#include <string.h>
#include <time.h>

#include "../common/utf8.h"

enum { ANSWER_MAX = 1 << 18 /* bytes of a webhook's answer */ };

static toolhost_call *
call_of (void *ctx)
{
  return ((struct real *) ctx)->call;
}

static enum done
done_of (toolhost_status status)
{
  switch (status) {
  case TOOLHOST_OK:
    return DONE;
  case TOOLHOST_NOT_GRANTED:
    return DONE_DENIED;
  case TOOLHOST_NOT_FOUND:
    return DONE_NOT_FOUND;
  case TOOLHOST_CANCELLED:
    return DONE_CANCELLED;
  default:
    return DONE_FAILED;
  }
}

/* ---- the session ---- */

/* Without a session there is nothing, and what is written lasts as long as the call. */
static const struct value *
load (void *ctx, enum root root, struct values *pool)
{
  const struct value *value = NULL;
  const char *json;
  size_t len;

  if (toolhost_context_get (call_of (ctx), root_names[root], &json, &len) == TOOLHOST_OK)
    value = value_parse (pool, json, len);
  if (value != NULL)
    return value;
  return root == ROOT_HISTORY ? &value_no_items : &value_no_members;
}

static bool
in_session (toolhost_call *call)
{
  bool set;

  return toolhost_flag_get (call, "", &set) != TOOLHOST_NOT_GRANTED;
}

static void
add_part (struct text *json, const char *name, const struct value *part)
{
  json_name (json, name);
  value_write (json, part);
}

/* A2-15: it holds from now on, whatever becomes of the call. */
static enum done
write_change (void *ctx, const struct change *change)
{
  CLEANUP_TEXT struct text json = { 0 };

  if (!((struct real *) ctx)->in_session)
    return DONE;
  json_open (&json, '{');
  add_part (&json, "set", change->set);
  add_part (&json, "append", change->append);
  add_part (&json, "flags", change->flags);
  json_close (&json, '}');
  return text_ok (&json) ? done_of (toolhost_context_change (call_of (ctx), text_get (&json)))
                         : DONE_FAILED;
}

/* ---- the user, other agents ---- */

static enum done
say (void *ctx, const char *text, size_t len)
{
  CLEANUP_TEXT struct text event = { 0 };
  toolhost_status status;

  json_open (&event, '{');
  json_name_string (&event, "type", "agent_send_text");
  json_name (&event, "text");
  json_string_len (&event, text, len);
  json_name_bool (&event, "interruptible", true);
  json_close (&event, '}');
  if (!text_ok (&event))
    return DONE_FAILED;
  status = toolhost_emit (call_of (ctx), text_get (&event));
  return status == TOOLHOST_NOT_GRANTED ? DONE_NOBODY : done_of (status);
}

static enum done
hand_off (void *ctx, const char *agent, const struct value *args)
{
  CLEANUP_TEXT struct text target = { 0 };
  toolhost_status status;

  json_open (&target, '{');
  json_name_string (&target, "tool", agent);
  json_name (&target, "args");
  value_write (&target, args);
  json_name_bool (&target, "anyway", true); /* also from on_failure */
  json_close (&target, '}');
  if (!text_ok (&target))
    return DONE_FAILED;
  status = toolhost_handoff (call_of (ctx), text_get (&target));
  return status == TOOLHOST_NOT_GRANTED ? DONE_NOBODY : done_of (status);
}

/* ---- servers ---- */

static const char *const *
header_list (const struct value *headers, struct values *pool)
{
  const char **list = values_alloc (pool, (2 * headers->count + 1) * sizeof *list);

  for (size_t i = 0; list != NULL && i < headers->count; i++) {
    list[2 * i] = headers->members[i].name;
    list[2 * i + 1] = headers->members[i].value->text;
  }
  return list;
}

/* JSON, or a text; what is neither is null. */
static const struct value *
body_of (const toolhost_http_response *response, struct values *pool)
{
  const struct value *value;

  if (response->body_len == 0)
    return &value_null;
  value = value_parse (pool, response->body, response->body_len);
  if (value != NULL)
    return value;
  return utf8_valid (response->body, response->body_len)
           ? value_string (pool, response->body, response->body_len)
           : &value_null;
}

static void
ask (void *ctx, const struct webhook_request *request, struct webhook_answer *answer,
     struct values *pool)
{
  CLEANUP_TEXT struct text body = { 0 };
  toolhost_http_response response;
  toolhost_status status;
  toolhost_http_request http = { TOOLHOST_HTTP_REQUEST,
                                 .redirects = TOOLHOST_HTTP_NO_REDIRECTS,
                                 .method = request->method,
                                 .url = request->url,
                                 .headers = header_list (request->headers, pool),
                                 .timeout_ms = request->endpoint->timeout_ms,
                                 .response_max = ANSWER_MAX };

  if (request->body != NULL) {
    value_write (&body, request->body);
    http.json = text_get (&body);
  }
  status = toolhost_http (call_of (ctx), &http, &response);
  answer->status = status == TOOLHOST_OK ? response.status : 0;
  answer->code = values_text (pool, response.code, strlen (response.code));
  answer->message = values_text (pool, response.message, strlen (response.message));
  answer->again = status == TOOLHOST_FAILED;
  if (status == TOOLHOST_OK)
    answer->body = body_of (&response, pool);
}

/* ---- time ---- */

static bool
pause_for (void *ctx, int64_t ms)
{
  return toolhost_sleep (call_of (ctx), ms) == TOOLHOST_OK;
}

static bool
cancelled (void *ctx)
{
  return toolhost_cancelled (call_of (ctx));
}

const char *
time_text (struct values *pool, int64_t seconds)
{
  char text[40];
  struct tm tm;
  time_t t = (time_t) seconds;

  if (gmtime_r (&t, &tm) == NULL)
    return "";
  return values_text (pool, text, strftime (text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm));
}

static const char *
now (void *ctx, struct values *pool)
{
  (void) ctx;
  return time_text (pool, time (NULL));
}

static int64_t
clock_ms (void *ctx)
{
  struct timespec now;

  (void) ctx;
  (void) clock_gettime (CLOCK_MONOTONIC, &now);
  return (int64_t) now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- all of it ---- */

static void
add_plain (struct text *out, const char *text)
{
  for (; *text != '\0' && out->len < 150; text++)
    if ((*text >= '0' && *text <= '9') || (*text >= 'A' && *text <= 'Z')
        || (*text >= 'a' && *text <= 'z') || strchr ("_-.", *text) != NULL)
      text_add_len (out, text, 1);
    else
      text_addf (out, "%%%02X", (unsigned char) *text);
}

static const char *
key_of (toolhost_call *call, struct values *pool)
{
  CLEANUP_TEXT struct text key = { 0 };

  add_plain (&key, toolhost_session_id (call));
  if (key.len != 0)
    text_add (&key, ".");
  add_plain (&key, toolhost_call_id (call));
  return values_text (pool, text_get (&key), key.len);
}

void
real_surroundings (struct surroundings *around, struct real *real, toolhost_call *call,
                   struct values *pool)
{
  *real = (struct real){ call, pool, in_session (call) };
  *around = (struct surroundings){ .ctx = real,
                                   .shared = real->in_session,
                                   .load = load,
                                   .write = write_change,
                                   .say = say,
                                   .hand_off = hand_off,
                                   .ask = ask,
                                   .wait = pause_for,
                                   .cancelled = cancelled,
                                   .now = now,
                                   .clock = clock_ms,
                                   .key = key_of (call, pool) };
}
