#include "front/realtime/bridge.h"

#include <stdlib.h>

#include "catalog/project/project.h"
#include "front/realtime/bridge_parts.h"
#include "watch/redact.h"

/* S0-35, A0-5: what the model is told of a call that nobody takes. */
static const char fallback[] = "{\"ok\":false,\"error\":\"tool_unavailable\","
                               "\"message\":\"Tool execution is unavailable.\"}";

/* ---- events that come in ---- */

static struct function_call *
note_call (const struct heard *h, const struct function_call_said *said)
{
  struct function_call *call = function_calls_note (&h->bridge->calls, h->tape, said);

  if (call == NULL)
    heard_invalid (h, said->call_id != NULL ? "too many function calls, or no call_id of 1 to 256 "
                                              "bytes"
                                            : "it has no call_id");
  return call;
}

/* Whatever happens, the call is answered: the conversation would stand still otherwise. */
static void
answer_unavailable (struct realtime_bridge *b, struct function_call *call, const char *event)
{
  log_event (b->log, LOG_WARNING, event, "call_id", b->call_id, "function_call_id", call->call_id,
             NULL);
  call->answered = true;
  sequencer_output (&b->sequencer, call->call_id, fallback, sizeof fallback - 1, true,
                    call->response_id);
}

static enum session_verdict
hand_over (struct realtime_bridge *b, const struct function_call *call, const char *args,
           size_t len)
{
  const struct session_call wanted = { .call_id = call->call_id,
                                       .name = call->name,
                                       .name_len = strlen (call->name),
                                       .args = args,
                                       .args_len = len,
                                       .response_id = call->response_id,
                                       .item_id = call->item_id,
                                       .more = !call->closed };

  log_event (b->log, LOG_INFO, "ws_tool_invocation_submitting_to_dispatcher", "call_id", b->call_id,
             "function_call_id", call->call_id, "tool_name", call->name, NULL);
  return session_call (b->session, &wanted, NULL);
}

/* It runs, or has run, or is another's: there is nothing to wait for but what could not be sent
 * (U0-20). */
static void
ignored (struct realtime_bridge *b, struct function_call *call, bool again,
         enum session_verdict verdict)
{
  if (!again && verdict != SESSION_PENDING)
    function_calls_drop (&b->calls, call);
  sequencer_retry (&b->sequencer);
}

/* S0-34; what the arguments say is not for the log. */
static void
log_built (struct realtime_bridge *b, const struct function_call *call, const char *args,
           size_t len)
{
  CLEANUP_BUF struct buf redacted = { 0 };

  if (!log_wants (b->log, LOG_INFO))
    return;
  redact_json (args, len, &redacted);
  log_event (b->log, LOG_INFO, "ws_tool_invocation_built", "call_id", b->call_id,
             "function_call_id", call->call_id, "openai_sip_call_id", b->call_id, "tool_name",
             call->name, "response_id", call->response_id, "item_id", call->item_id,
             "arguments_json", buf_cstr (&redacted), NULL);
}

static void
submit (struct realtime_bridge *b, struct function_call *call, const char *args, size_t len)
{
  const bool again = call->submitted;
  enum session_verdict verdict;

  call->submitted = true;
  log_built (b, call, args, len);
  if (b->session == NULL)
    return answer_unavailable (b, call, "ws_tool_dispatcher_missing_fallback_output");
  verdict = hand_over (b, call, args, len);
  if (verdict == SESSION_FULL || verdict == SESSION_ENDING)
    answer_unavailable (b, call, "ws_tool_call_refused_fallback_output");
  else if (verdict != SESSION_TAKEN)
    ignored (b, call, again, verdict);
}

static void
submit_parked (struct realtime_bridge *b, struct function_call *call)
{
  struct buf args = call->args;

  b->calls.bytes -= args.len;
  call->args = (struct buf){ 0 };
  submit (b, call, args.data, args.len);
  buf_free (&args);
}

static bool
is_whole (const char *args, size_t len)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  return len == 0 || json_read (&tape, args, len, &json_default_limits, &arena);
}

/* S0-33: call_id, name and arguments.  The name may have been said before. */
static void
hear_arguments_done (const struct heard *h)
{
  struct realtime_bridge *b = h->bridge;
  const struct function_call_said said = { .call_id = heard_member (h, "call_id"),
                                           .response_id = heard_member (h, "response_id"),
                                           .item_id = heard_member (h, "item_id"),
                                           .name = heard_member (h, "name") };
  struct function_call *call;
  size_t len;
  const char *args = json_string (h->tape, heard_member (h, "arguments"), h->arena, &len);

  if (args == NULL)
    return heard_invalid (h, "it has no arguments");
  call = note_call (h, &said);
  if (call == NULL)
    return;
  if (call->name == NULL)
    return heard_invalid (h, "it has no name");
  log_event (b->log, LOG_INFO, "ws_tool_call_received", "call_id", b->call_id, "function_call_id",
             call->call_id, "tool_name", call->name, "response_id", call->response_id, "item_id",
             call->item_id, NULL);
  if (call->submitted || call->completed || (!b->item_completed && is_whole (args, len)))
    return submit (b, call, args, len);
  if (!function_calls_keep (&b->calls, call, args, len))
    heard_invalid (h, "too many arguments wait for their items");
}

static void
drop_broken_off (struct realtime_bridge *b, struct function_call *call)
{
  log_event (b->log, LOG_INFO, "ws_tool_call_dropped_incomplete", "call_id", b->call_id,
             "function_call_id", call->call_id, "tool_name", call->name, "response_id",
             call->response_id, NULL);
  function_calls_drop (&b->calls, call);
}

/* Its item has ended, in one way or the other (A0-9). */
static void
settle (const struct heard *h, struct function_call *call, const struct json_node *item)
{
  struct realtime_bridge *b = h->bridge;
  const struct json_node *status = json_member (h->tape, item, "status");
  const bool completed = status == NULL || json_equals (h->tape, status, "completed");
  size_t len;
  const char *args =
    json_string (h->tape, json_member (h->tape, item, "arguments"), h->arena, &len);

  call->completed |= completed;
  if (call->submitted)
    return;
  if (!completed || call->name == NULL)
    return drop_broken_off (b, call);
  if (args == NULL)
    return submit_parked (b, call);
  function_calls_release (&b->calls, call);
  submit (b, call, args, len);
}

static bool
is_function_call (const struct heard *h, const struct json_node *item)
{
  return json_equals (h->tape, json_member (h->tape, item, "type"), "function_call");
}

static struct function_call *
note_item (const struct heard *h, const struct json_node *item, const struct json_node *response_id)
{
  const struct function_call_said said = { .call_id = json_member (h->tape, item, "call_id"),
                                           .response_id = response_id,
                                           .item_id = json_member (h->tape, item, "id"),
                                           .name = json_member (h->tape, item, "name") };

  return note_call (h, &said);
}

static void
hear_item_added (const struct heard *h)
{
  const struct json_node *item = heard_member (h, "item");

  if (is_function_call (h, item))
    (void) note_item (h, item, heard_member (h, "response_id"));
}

static void
hear_item_done (const struct heard *h)
{
  const struct json_node *item = heard_member (h, "item");
  struct function_call *call;

  if (!is_function_call (h, item))
    return;
  call = note_item (h, item, heard_member (h, "response_id"));
  if (call != NULL)
    settle (h, call, item);
}

/* ---- the end of a response ---- */

/* Its items stand in it once more: for those whose own events were lost. */
static void
settle_output (const struct heard *h, const struct json_node *output)
{
  if (!json_is (output, JSON_ARRAY))
    return;
  for (const struct json_node *item = json_first (output); item != json_end (output);
       item = json_next (item)) {
    struct function_call *call =
      function_calls_find (&h->bridge->calls, h->tape, json_member (h->tape, item, "call_id"));
    if (call != NULL)
      settle (h, call, item);
  }
}

static void
close_calls (struct realtime_bridge *b, const char *response_id)
{
  for (struct function_call *call = b->calls.list, *next; call != NULL; call = next) {
    next = call->next;
    if (call->response_id == NULL || strcmp (call->response_id, response_id) != 0)
      continue;
    call->closed = true;
    if (!call->submitted)
      drop_broken_off (b, call);
    else if (call->answered && !call->running)
      function_calls_drop (&b->calls, call);
  }
}

static const char *
response_of (const struct heard *h)
{
  const char *id = json_cstring (h->tape, heard_member (h, "response_id"), h->arena);

  return id != NULL ? id
                    : json_cstring (
                      h->tape, json_member (h->tape, heard_member (h, "response"), "id"), h->arena);
}

static void
hear_cancelled (const struct heard *h)
{
  const char *id = response_of (h);

  if (id != NULL)
    sequencer_cancelled (&h->bridge->sequencer, id);
  heard_by_session (h);
  if (id != NULL)
    close_calls (h->bridge, id);
}

static void
hear_response_done (const struct heard *h)
{
  const struct json_node *response = heard_member (h, "response");
  const char *id = response_of (h);

  settle_output (h, json_member (h->tape, response, "output"));
  if (json_equals (h->tape, json_member (h->tape, response, "status"), "cancelled"))
    return hear_cancelled (h);
  if (h->bridge->session != NULL)
    session_response_done (h->bridge->session, id);
  if (id != NULL)
    close_calls (h->bridge, id);
}

/* ---- what is played ---- */

static void
hear_playing (const struct heard *h)
{
  h->bridge->playing =
    json_equals (h->tape, heard_member (h, "type"), "output_audio_buffer.started");
}

/* ---- which event is whose ---- */

/* An application's, to be passed on to the service among ours. */
static void
hear_client (const struct heard *h)
{
  sequencer_event (&h->bridge->sequencer, h->tape, h->event);
}

static const struct kind {
  const char *type;
  void (*hear) (const struct heard *h);
} kinds[] = {
  { "response.output_item.added", hear_item_added },
  { "response.function_call_arguments.done", hear_arguments_done },
  { "response.output_item.done", hear_item_done },
  { "response.done", hear_response_done },
  { "response.cancelled", hear_cancelled },
  { "output_audio_buffer.started", hear_playing },
  { "output_audio_buffer.stopped", hear_playing },
  { "output_audio_buffer.cleared", hear_playing },
  { "input_audio_buffer.speech_started", heard_by_session },
  { "input_audio_buffer.speech_stopped", heard_by_session },
  { "input_audio_buffer.dtmf_event_received", heard_by_session },
  { "conversation.item.input_audio_transcription.completed", heard_by_session },
  { "answer", heard_by_session },
  { "tool_approval", heard_by_session },
  { "interrupt", heard_by_session },
  { "context", heard_by_session },
  { "end", heard_by_session },
  { "response.create", hear_client },
  { "response.cancel", hear_client },
  { "session.update", hear_client },
  { "conversation.item.create", hear_client },
  { "conversation.item.truncate", hear_client },
  { "conversation.item.delete", hear_client },
  { "output_audio_buffer.clear", hear_client },
};

/* One of the service's; the conversation goes on. */
static void
log_error (const struct heard *h, bool ours)
{
  const struct json_node *error = heard_member (h, "error");
  const char *code = json_cstring (h->tape, json_member (h->tape, error, "code"), h->arena);

  if (!json_equals (h->tape, heard_member (h, "type"), "error"))
    return;
  log_event (h->bridge->log, ours ? LOG_INFO : LOG_WARNING, "realtime_error", "call_id",
             h->bridge->call_id, "code", code, "about",
             ours ? "an event of ours" : "somebody else's event", NULL);
}

static void
hear (const struct heard *h)
{
  const struct json_node *type = heard_member (h, "type");
  bool ours;

  if (!json_is (type, JSON_STRING) || type->len == 0)
    return heard_invalid (h, "it has no type");
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    if (json_equals (h->tape, type, kinds[i].type))
      kinds[i].hear (h);
  ours = sequencer_hear (&h->bridge->sequencer, h->tape, h->event);
  log_error (h, ours);
  bridge_part_if_silent (h->bridge);
  bridge_set_wake (h->bridge);
}

void
realtime_bridge_hear (struct realtime_bridge *b, const char *text, size_t len)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  struct heard h = { .bridge = b, .tape = &tape, .arena = &arena };

  if (!json_read (&tape, text, len, &json_default_limits, &arena)) {
    log_event (b->log, LOG_WARNING, "realtime_event_malformed", "call_id", b->call_id, "byte",
               LOG_INT (tape.offset), "why", tape.problem, NULL);
    return;
  }
  h.event = json_root (&tape);
  hear (&h);
}

/* ---- the tools ---- */

/* "session": { "type", "tools", "tool_choice" }: what is not there stays as it is (U0-17). */
static void
put_update (struct buf *out, const struct json_tape *tape)
{
  static const char *const names[] = { "tools", "tool_choice" };
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  jsonw_name_string (&w, "type", "session.update");
  jsonw_name (&w, "session");
  jsonw_object (&w);
  jsonw_name_string (&w, "type", "realtime");
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    const struct json_node *node = json_member (tape, json_root (tape), names[i]);
    size_t len;
    const char *raw = node != NULL ? json_raw (tape, node, &len) : NULL;
    if (raw != NULL)
      jsonw_name_raw (&w, names[i], raw, len);
  }
  jsonw_end (&w);
  jsonw_end (&w);
}

void
bridge_tell_tools (struct realtime_bridge *b)
{
  static const char format[] = "openai-realtime";
  CLEANUP_ARENA struct arena arena = { 0 };
  CLEANUP_BUF struct buf tools = { 0 }, out = { 0 };
  struct toolset *set = b->session != NULL ? session_toolset (b->session) : NULL;
  struct json_tape tape;

  if (set == NULL || set == b->told || b->sequencer.lost)
    return;
  if (!project_toolset (b->providers, format, sizeof format - 1, false, set, &tools)
      || !json_read (&tape, tools.data, tools.len, &json_default_limits, &arena))
    return;
  put_update (&out, &tape);
  if (!b->owner.send (b->owner.ctx, out.data, out.len))
    return;
  if (b->told != NULL)
    toolset_unref (b->told);
  b->told = toolset_ref (set);
}

void
realtime_bridge_connected (struct realtime_bridge *b)
{
  b->sequencer.lost = false;
  bridge_tell_tools (b);
  sequencer_back (&b->sequencer);
  bridge_set_wake (b);
}

void
realtime_bridge_lost (struct realtime_bridge *b)
{
  b->playing = false;
  sequencer_lost (&b->sequencer);
  bridge_set_wake (b);
}

/* ---- beginning and end ---- */

struct realtime_bridge *
realtime_bridge_new (const struct realtime_wish *wish, const struct realtime_owner *owner)
{
  struct realtime_bridge *b = xcalloc (1, sizeof *b);
  CLEANUP_BUF struct buf prefix = { 0 };

  b->owner = *owner;
  b->session = wish->session;
  b->log = wish->log;
  b->providers = wish->providers;
  b->call_id = xstrdup (wish->call_id);
  b->told = wish->told != NULL ? toolset_ref (wish->told) : NULL;
  b->item_completed = wish->item_completed;
  b->output = wish->output;
  b->hangup_after = wish->hangup_after;
  buf_printf (&prefix, "th_%.8s_", session_name (wish->session) + strlen ("ses-"));
  sequencer_init (
    &b->sequencer, buf_cstr (&prefix),
    &(struct sequencer_owner){ .send = owner->send, .now = owner->now, .ctx = owner->ctx },
    wish->answer_within);
  sequencer_lost (&b->sequencer); /* until there is a connection */
  bridge_listen (b);
  return b;
}

void
realtime_bridge_free (struct realtime_bridge *b)
{
  if (b == NULL)
    return;
  if (b->session != NULL)
    session_unsubscribe (&b->subscriber);
  sequencer_close (&b->sequencer);
  sequencer_clear (&b->sequencer);
  function_calls_clear (&b->calls);
  if (b->told != NULL)
    toolset_unref (b->told);
  parting_free (b->parting);
  free (b->call_id);
  free (b);
}
