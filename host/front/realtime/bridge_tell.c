#include "front/realtime/bridge_parts.h"

/* ---- what the service says, and the session judges ---- */

void
heard_invalid (const struct heard *h, const char *why)
{
  log_event (h->bridge->log, LOG_WARNING, "realtime_event_invalid", "call_id", h->bridge->call_id,
             "type", json_cstring (h->tape, heard_member (h, "type"), h->arena), "why", why, NULL);
}

void
heard_by_session (const struct heard *h)
{
  struct error err = { 0 };
  const char *code;
  bool ended;

  if (h->bridge->session != NULL
      && !session_hear (h->bridge->session, NULL, h->tape, h->event, &ended, &code, &err))
    heard_invalid (h, code);
}

/* ---- what the session says ---- */

struct told {
  struct realtime_bridge *bridge;
  const struct json_tape *tape;
  const struct json_node *event;
  struct arena *arena;
};

static const struct json_node *
member (const struct told *t, const char *name)
{
  return json_member (t->tape, t->event, name);
}

/* A0-8: a call that was cancelled before the conversation had it needs no answer. */
static bool
is_unheard_of (const struct told *t, const struct function_call *call)
{
  return !call->completed && json_equals (t->tape, member (t, "error"), "tool_cancelled");
}

/* Calls that others started in the session are no concern of the service's. */
static void
tell_output (const struct told *t)
{
  struct realtime_bridge *b = t->bridge;
  struct function_call *call = function_calls_find (&b->calls, t->tape, member (t, "call_id"));
  CLEANUP_BUF struct buf text = { 0 };
  size_t len;
  const char *output = json_string (t->tape, member (t, "output"), t->arena, &len);

  if (call == NULL || output == NULL)
    return;
  encoding_put_output (&text, b->output, json_cstring (t->tape, member (t, "error"), t->arena),
                       output, len);
  call->answered = true;
  call->running = json_is (member (t, "running"), JSON_TRUE);
  if (!is_unheard_of (t, call))
    sequencer_output (&b->sequencer, call->call_id, text.data, text.len,
                      json_is (member (t, "respond"), JSON_TRUE), call->response_id);
  if (call->closed && !call->running)
    function_calls_drop (&b->calls, call);
}

/* A4-6: a call is answered once; what it gives later is an item of its own. */
static void
tell_result (const struct told *t)
{
  struct realtime_bridge *b = t->bridge;
  struct function_call *call = function_calls_find (&b->calls, t->tape, member (t, "call_id"));
  CLEANUP_BUF struct buf text = { 0 };
  size_t len;
  const char *output = json_string (t->tape, member (t, "output"), t->arena, &len);

  if (call == NULL || output == NULL)
    return;
  buf_printf (&text,
              "The tool %s has finished, which call %s had started in the background. It %s: ",
              call->name, call->call_id, json_is (member (t, "ok"), JSON_TRUE) ? "gave" : "failed");
  buf_append (&text, output, len);
  sequencer_message (&b->sequencer, text.data, text.len,
                     json_is (member (t, "respond"), JSON_TRUE));
  call->running = false;
  if (call->closed)
    function_calls_drop (&b->calls, call);
}

void
realtime_bridge_say (struct realtime_bridge *b, const char *text, size_t len)
{
  CLEANUP_BUF struct buf instructions = { 0 }, out = { 0 };
  struct json_writer w = { .out = &out };

  buf_puts (&instructions, "Say exactly what follows to the user, and nothing else:\n\n");
  buf_append (&instructions, text, len);
  jsonw_object (&w);
  jsonw_name (&w, "instructions");
  jsonw_string_len (&w, instructions.data, instructions.len);
  jsonw_name_string (&w, "tool_choice", "none");
  jsonw_end (&w);
  sequencer_respond (&b->sequencer, out.data, out.len);
  bridge_set_wake (b);
}

/* What the user shall have, in the words of tools. */
enum user_event { USER_SAY, USER_HANGUP, USER_REFER, USER_DTMF };

static const struct {
  const char *type, *argument;
  enum user_event event;
} user_events[] = {
  { "text", "text", USER_SAY },
  { "say", "text", USER_SAY },
  { "agent_send_text", "text", USER_SAY },
  { "end_call", "reason", USER_HANGUP },
  { "transfer_call", "target_phone_number", USER_REFER },
  { "agent_transfer_call", "target_phone_number", USER_REFER },
  { "agent_transfer_call", "target_sip_uri", USER_REFER },
  { "send_dtmf", "button", USER_DTMF },
  { "agent_send_dtmf", "button", USER_DTMF },
};

static void
act (const struct told *t, enum realtime_action action, const char *argument)
{
  const char *call_id = json_cstring (t->tape, member (t, "call_id"), t->arena);
  struct realtime_bridge *b = t->bridge;
  size_t len;
  const char *output = json_raw (t->tape, member (t, "output"), &len);

  if (action == REALTIME_HANGUP || action == REALTIME_REFER)
    bridge_part (b, action, argument, call_id, output, len);
  else
    b->owner.act (b->owner.ctx, action, argument, call_id, output, len);
}

static void
tell_user (const struct told *t)
{
  static const enum realtime_action actions[] = {
    [USER_HANGUP] = REALTIME_HANGUP, [USER_REFER] = REALTIME_REFER, [USER_DTMF] = REALTIME_DTMF
  };
  const struct json_node *output = member (t, "output");
  const struct json_node *type = json_member (t->tape, output, "type");

  for (size_t i = 0; i < sizeof user_events / sizeof user_events[0]; i++) {
    const enum user_event event = user_events[i].event;
    const struct json_node *node = json_member (t->tape, output, user_events[i].argument);
    const char *argument = json_cstring (t->tape, node, t->arena);
    if (!json_equals (t->tape, type, user_events[i].type))
      continue;
    if (argument == NULL && event == USER_HANGUP)
      argument = "agent_ended";
    if (argument == NULL)
      continue;
    if (event == USER_SAY)
      return realtime_bridge_say (t->bridge, argument, strlen (argument));
    return act (t, actions[event], argument);
  }
  act (t, REALTIME_OTHER, NULL);
}

/* The service has no way to answer; who attends the call may have one. */
static void
tell_asks (const struct told *t)
{
  struct realtime_bridge *b = t->bridge;
  size_t len;
  const char *requests = json_raw (t->tape, member (t, "requests"), &len);

  b->owner.act (b->owner.ctx, REALTIME_ASKS, NULL,
                json_cstring (t->tape, member (t, "call_id"), t->arena), requests, len);
}

/* The model is told nothing until it is decided, and so says nothing of it. */
static void
tell_approval (const struct told *t)
{
  struct realtime_bridge *b = t->bridge;
  size_t len;
  const char *event = json_raw (t->tape, t->event, &len);

  b->owner.act (b->owner.ctx, REALTIME_APPROVAL, NULL,
                json_cstring (t->tape, member (t, "call_id"), t->arena), event, len);
}

static void
tell_tools (const struct told *t)
{
  bridge_tell_tools (t->bridge);
}

static const struct {
  const char *type;
  void (*tell) (const struct told *t);
} kinds[] = {
  { "tool_call_output", tell_output },
  { "tool_call_result", tell_result },
  { "tool_call_asks", tell_asks },
  { "output", tell_user },
  { "tool_approval_required", tell_approval },
  { "toolset_changed", tell_tools },
};

static enum subscriber_took
on_event (struct subscriber *subscriber, uint64_t number, const char *json, size_t len)
{
  struct realtime_bridge *bridge = (struct realtime_bridge *) subscriber;
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  struct told t = { .bridge = bridge, .tape = &tape, .arena = &arena };

  (void) number;
  if (!json_read (&tape, json, len, &json_default_limits, &arena))
    return SUBSCRIBER_REFUSED;
  t.event = json_root (&tape);
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    if (json_equals (&tape, member (&t, "type"), kinds[i].type))
      kinds[i].tell (&t);
  bridge_set_wake (bridge);
  return SUBSCRIBER_TOOK;
}

static void
on_closed (struct subscriber *subscriber)
{
  struct realtime_bridge *bridge = (struct realtime_bridge *) subscriber;

  bridge->session = NULL;
  bridge->owner.session_ended (bridge->owner.ctx);
}

void
bridge_listen (struct realtime_bridge *b)
{
  b->subscriber = (struct subscriber){ .event = on_event, .closed = on_closed };
  (void) session_subscribe (b->session, &b->subscriber, session_said (b->session));
}
