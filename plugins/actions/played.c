#include "played.h"

#include <string.h>

static const struct value *
load (void *ctx, enum root root, struct values *pool)
{
  const struct played *p = ctx;
  const struct value *value = value_get_z (p->context, root_names[root]);

  (void) pool;
  if (root == ROOT_HISTORY)
    return value_is (value, VALUE_ARRAY) ? value : &value_no_items;
  return value_is (value, VALUE_OBJECT) ? value : &value_no_members;
}

static enum done
write_change (void *ctx, const struct change *change)
{
  (void) ctx;
  (void) change;
  return DONE; /* the run knows what it has written */
}

static const struct value *
with (const struct played *p, const struct value *object, const char *name,
      const struct value *value)
{
  return value_with (p->pool, object, name, strlen (name), value);
}

static enum done
say (void *ctx, const char *text, size_t len)
{
  struct played *p = ctx;
  const struct value *event = &value_no_members;

  if (p->nobody)
    return DONE_NOBODY;
  event = with (p, event, "type", value_string_z (p->pool, "agent_send_text"));
  event = with (p, event, "text", value_string (p->pool, text, len));
  event = with (p, event, "interruptible", &value_true);
  p->events = value_append (p->pool, p->events, event);
  return DONE;
}

static enum done
hand_off (void *ctx, const char *agent, const struct value *args)
{
  struct played *p = ctx;

  if (p->nobody)
    return DONE_NOBODY;
  p->handoff =
    with (p, with (p, &value_no_members, "agent", value_string_z (p->pool, agent)), "args", args);
  return DONE;
}

/* ---- servers ---- */

static void
record (struct played *p, const struct webhook_request *request)
{
  const struct value *r = &value_no_members;

  r = with (p, r, "endpoint", value_string_z (p->pool, request->endpoint->name));
  r = with (p, r, "method", value_string_z (p->pool, request->method));
  r = with (p, r, "url", value_string_z (p->pool, request->url));
  r = with (p, r, "headers", request->headers);
  if (request->body != NULL)
    r = with (p, r, "body", request->body);
  p->requests = value_append (p->pool, p->requests, r);
}

/* The answer to this request; of a list that is at its end the last one.  NULL: none was written.
 */
static const struct value *
scripted (struct played *p, const char *endpoint)
{
  const struct value *script = value_get_z (p->webhooks, endpoint);
  const size_t nth = (size_t) value_number (value_get_z (p->asked, endpoint));

  p->asked = with (p, p->asked, endpoint, value_int (p->pool, (int64_t) nth + 1));
  if (!value_is (script, VALUE_ARRAY))
    return script;
  if (script->count == 0)
    return NULL;
  return script->items[nth < script->count ? nth : script->count - 1];
}

static void
answer_error (struct webhook_answer *answer, const char *error)
{
  static const struct {
    const char *word, *code, *message;
    bool again;
  } known[] = {
    { "timeout", "http_timeout", "The server did not answer in time.", true },
    { "no_connection", "http_no_connection", "No connection came about.", true },
    { "not_granted", "http_not_granted", "The operator has not granted this URL.", false },
  };

  answer->code = error;
  answer->message = "The request failed.";
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp (known[i].word, error) == 0 || strcmp (known[i].code, error) == 0) {
      answer->code = known[i].code;
      answer->message = known[i].message;
      answer->again = known[i].again;
    }
}

/* A status that there is; 0: it is none. */
static int32_t
status_of (const struct value *status)
{
  const double number = status != NULL ? value_number (status) : 200;

  return number >= 100 && number < 600 ? (int32_t) number : 0;
}

static void
ask (void *ctx, const struct webhook_request *request, struct webhook_answer *answer,
     struct values *pool)
{
  struct played *p = ctx;
  const struct value *script = scripted (p, request->endpoint->name), *body;
  const char *error = value_cstring (value_get_z (script, "error"));

  (void) pool;
  record (p, request);
  answer->code = "not_scripted";
  answer->message =
    "No answer was written for this endpoint: nothing is sent while a tool is tried.";
  if (!value_is (script, VALUE_OBJECT))
    return;
  if (error != NULL) {
    answer_error (answer, error);
    return;
  }
  answer->status = status_of (value_get_z (script, "status"));
  if (answer->status == 0) {
    answer->code = "bad_script";
    answer->message = "The answer that was written has no status from 100 to 599.";
    return;
  }
  body = value_get_z (script, "body");
  answer->body = body != NULL ? body : &value_null;
}

/* ---- time, which does not pass ---- */

static bool
pause_for (void *ctx, int64_t ms)
{
  ((struct played *) ctx)->waited_ms += ms;
  return true;
}

static bool
cancelled (void *ctx)
{
  (void) ctx;
  return false;
}

static const char *
now (void *ctx, struct values *pool)
{
  (void) pool;
  return ((struct played *) ctx)->now;
}

static int64_t
clock_ms (void *ctx)
{
  return ((struct played *) ctx)->waited_ms;
}

void
played_surroundings (struct surroundings *around, struct played *played)
{
  played->asked = &value_no_members;
  played->events = played->requests = &value_no_items;
  *around = (struct surroundings){ .ctx = played,
                                   .load = load,
                                   .write = write_change,
                                   .say = say,
                                   .hand_off = hand_off,
                                   .ask = ask,
                                   .wait = pause_for,
                                   .cancelled = cancelled,
                                   .now = now,
                                   .clock = clock_ms,
                                   .key = "try" };
}
