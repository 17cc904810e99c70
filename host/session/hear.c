#include <stdlib.h>

#include "session/parts.h"

enum { ID_MAX = 256 /* bytes */ };

struct heard {
  struct session *session;
  const struct session_speaker *from;
  const struct json_tape *tape;
  const struct json_node *event;
  struct arena *arena;
  const char **code;
  struct error *err;
  bool *ended;
};

static bool
refuse (const struct heard *h, const char *code, const char *pointer, const char *what)
{
  *h->code = code;
  return error_set (h->err, "%s: %s", pointer, what);
}

/* A member that is an id; false: it is none.  *id stays NULL where it is absent or null. */
static bool
read_id (const struct heard *h, const char *name, const char *pointer, const char **id)
{
  const struct json_node *node = json_member (h->tape, h->event, name);

  *id = NULL;
  if (node == NULL || json_is (node, JSON_NULL))
    return true;
  *id = json_cstring (h->tape, node, h->arena);
  if (*id != NULL && **id != '\0' && strlen (*id) <= ID_MAX)
    return true;
  return refuse (h, "bad_event", pointer, "expected a string of 1 to 256 bytes");
}

/* As a string that holds JSON, which models' services send, or as an object. */
static void
read_arguments (const struct heard *h, struct session_call *call)
{
  const struct json_node *node = json_member (h->tape, h->event, "arguments");

  if (node == NULL)
    return;
  if (json_is (node, JSON_STRING))
    call->args = json_string (h->tape, node, h->arena, &call->args_len);
  else
    call->args = json_raw (h->tape, node, &call->args_len);
}

static bool
read_deadline (const struct heard *h, struct session_call *call)
{
  const struct json_node *node = json_member (h->tape, h->event, "deadline_ms");

  if (node == NULL || (json_int64 (h->tape, node, &call->deadline_ms) && call->deadline_ms > 0))
    return true;
  return refuse (h, "bad_event", "/deadline_ms", "expected an integer above 0");
}

static bool
read_metadata (const struct heard *h, struct session_call *call)
{
  const struct json_node *node = json_member (h->tape, h->event, "metadata");

  if (node == NULL)
    return true;
  if (!json_is (node, JSON_OBJECT))
    return refuse (h, "bad_event", "/metadata", "expected an object");
  call->metadata = json_raw (h->tape, node, &call->metadata_len);
  return true;
}

static bool
take_call (const struct heard *h, bool more)
{
  const struct json_node *background = json_member (h->tape, h->event, "background");
  struct session_call call = {
    .more = more,
    .traced = h->from->traced,
    .span = h->from->span,
  };

  call.name =
    json_string (h->tape, json_member (h->tape, h->event, "name"), h->arena, &call.name_len);
  if (!read_id (h, "call_id", "/call_id", &call.call_id)
      || !read_id (h, "response_id", "/response_id", &call.response_id)
      || !read_id (h, "item_id", "/item_id", &call.item_id) || !read_deadline (h, &call)
      || !read_metadata (h, &call))
    return false;
  if (call.call_id == NULL)
    return refuse (h, "bad_event", "/call_id", "expected a string of 1 to 256 bytes");
  if (call.name == NULL || call.name_len == 0)
    return refuse (h, "bad_event", "/name", "expected the name of a tool");
  read_arguments (h, &call);
  call.background = json_is (background, JSON_TRUE);
  if (session_call (h->session, &call, NULL) == SESSION_FULL)
    return refuse (h, "session_full", "/call_id", "the session takes no more calls");
  return true;
}

static bool
hear_call (const struct heard *h)
{
  return take_call (h, false);
}

/* Of a service that says response.done when there are no more. */
static bool
hear_call_of_response (const struct heard *h)
{
  return take_call (h, true);
}

static bool
hear_interrupt (const struct heard *h)
{
  const char *response_id;

  if (!read_id (h, "response_id", "/response_id", &response_id))
    return false;
  if (response_id == NULL)
    (void) session_interrupt_all (h->session);
  else
    (void) session_interrupt (h->session, response_id);
  return true;
}

/* A service says which response it means in one of two ways (A0-10). */
static const char *
response_of (const struct heard *h, const struct json_node *response)
{
  const char *id = json_cstring (h->tape, json_member (h->tape, h->event, "response_id"), h->arena);

  return id != NULL ? id : json_cstring (h->tape, json_member (h->tape, response, "id"), h->arena);
}

static bool
hear_response_cancelled (const struct heard *h)
{
  const struct json_node *response = json_member (h->tape, h->event, "response");

  (void) session_interrupt (h->session, response_of (h, response));
  session_response_done (h->session, response_of (h, response));
  return true;
}

static bool
hear_response_done (const struct heard *h)
{
  const struct json_node *response = json_member (h->tape, h->event, "response");

  const char *id = response_of (h, response);

  if (json_equals (h->tape, json_member (h->tape, response, "status"), "cancelled"))
    (void) session_interrupt (h->session, id);
  session_response_done (h->session, id);
  return true;
}

static bool
hear_context (const struct heard *h)
{
  struct session *session = h->session;
  bool denied;

  if (context_change (&session->context, h->tape, h->event, &denied, h->err))
    return true;
  *h->code = denied ? "context_write_denied" : "bad_event";
  return false;
}

/* To a call that asks: { "responses": { key: answer } }, or { "decline": true }. */
static bool
hear_answer (const struct heard *h)
{
  const struct json_node *responses = json_member (h->tape, h->event, "responses");
  const struct json_node *decline = json_member (h->tape, h->event, "decline");
  const char *call_id;

  if (!read_id (h, "call_id", "/call_id", &call_id))
    return false;
  if (call_id == NULL)
    return refuse (h, "bad_event", "/call_id", "expected a string of 1 to 256 bytes");
  if (responses != NULL ? !json_is (responses, JSON_OBJECT) : !json_is (decline, JSON_TRUE))
    return refuse (h, "bad_event", "/responses",
                   "expected an object of answers, or \"decline\": true instead");
  return session_answer_ask (h->session, call_id, h->tape, responses, h->code, h->err);
}

static bool
hear_approval (const struct heard *h)
{
  return session_approve (h->session, h->from, h->tape, h->event, h->code, h->err);
}

static bool
hear_end (const struct heard *h)
{
  const char *reason = json_cstring (h->tape, json_member (h->tape, h->event, "reason"), h->arena);

  *h->ended = true;
  session_end (h->session, reason != NULL && strlen (reason) <= ID_MAX ? reason : "ended");
  return true;
}

/* Everything else goes to who has taken over; without one the application's own agent has it. */
static bool
hear_input (const struct heard *h)
{
  const struct trace_parent parent =
    trace_parent_of (h->tape, json_member (h->tape, h->event, "metadata"), h->arena);
  size_t len;
  const char *json = json_raw (h->tape, h->event, &len);

  return route_event (h->session, h->from, &parent, json, len)
         || refuse (h, "session_busy", "", "too many events wait for the active agent");
}

/* Whoever speaks interrupts. */
static bool
hear_turn (const struct heard *h)
{
  work_hear_turn (h->session);
  turns_begin (h->session);
  return hear_input (h);
}

static bool
hear_turn_end (const struct heard *h)
{
  turns_end (h->session);
  return hear_input (h);
}

static bool
hear_call_started (const struct heard *h)
{
  turns_reset (h->session);
  return hear_input (h);
}

static const struct kind {
  const char *type;
  bool (*hear) (const struct heard *h);
} kinds[] = {
  { "tool_call", hear_call },
  { "response.function_call_arguments.done", hear_call_of_response },
  { "interrupt", hear_interrupt },
  { "response.cancelled", hear_response_cancelled },
  { "response.done", hear_response_done },
  { "input_audio_buffer.speech_started", hear_turn },
  { "user_turn_started", hear_turn },
  { "input_audio_buffer.speech_stopped", hear_turn_end },
  { "user_turn_ended", hear_turn_end },
  { "call_started", hear_call_started },
  { "context", hear_context },
  { "answer", hear_answer },
  { "tool_approval", hear_approval },
  { "end", hear_end },
};

static bool
hear (const struct heard *h)
{
  const struct json_node *type = json_member (h->tape, h->event, "type");

  if (!json_is (h->event, JSON_OBJECT))
    return refuse (h, "bad_event", "", "expected an object");
  if (!json_is (type, JSON_STRING) || type->len == 0)
    return refuse (h, "bad_event", "/type", "expected what kind of event it is");
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    if (json_equals (h->tape, type, kinds[i].type))
      return kinds[i].hear (h);
  return hear_input (h);
}

bool
session_hear (struct session *session, const struct session_speaker *from,
              const struct json_tape *tape, const struct json_node *event, bool *ended,
              const char **code, struct error *err)
{
  const struct session_speaker opener = { .principal = session->principal,
                                          .may_approve = session->may_approve };
  CLEANUP_ARENA struct arena arena = { 0 };
  const struct heard h = { .session = session,
                           .from = from != NULL ? from : &opener,
                           .tape = tape,
                           .event = event,
                           .arena = &arena,
                           .code = code,
                           .err = err,
                           .ended = ended };

  *ended = false;
  return hear (&h);
}

bool
session_subscribe (struct session *session, struct subscriber *subscriber, uint64_t after)
{
  subscriber->prev = NULL;
  return feed_reaches (&session->feed, after) && feed_join (&session->feed, subscriber, after);
}

void
session_unsubscribe (struct subscriber *subscriber)
{
  feed_leave (subscriber);
}
