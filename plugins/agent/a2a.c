/* a2a: an agent that is reached by JSON-RPC, revision 0.3 of the protocol: message/send,
 * message/stream, tasks/get. */
#include <string.h>

#include "agent.h"
#include "protocol.h"

static void
write_message (struct text *out, const struct question *q)
{
  const struct value *last = q->items->count != 0 ? q->items->items[q->items->count - 1] : NULL;
  size_t len;
  const char *text = text_of (last, "content", &len);

  json_name (out, "message");
  json_open (out, '{');
  json_name_string (out, "kind", "message");
  json_name_string (out, "role", "user");
  value_write_member (out, "messageId", value_get_z (last, "id"));
  json_name (out, "parts");
  json_open (out, '[');
  json_open (out, '{');
  json_name_string (out, "kind", "text");
  json_name (out, "text");
  json_string_len (out, text, len);
  json_close (out, '}');
  json_close (out, ']');
  if (*q->context != '\0')
    json_name_string (out, "contextId", q->context);
  if (*q->task != '\0')
    json_name_string (out, "taskId", q->task);
  json_close (out, '}');
}

/* Without a message it is asked how far the task is. */
static void
write (struct text *out, const struct question *q)
{
  const bool poll = q->items->count == 0;

  json_open (out, '{');
  json_name_string (out, "jsonrpc", "2.0");
  json_name_int (out, "id", 1);
  json_name_string (out, "method",
                    poll               ? "tasks/get"
                    : q->agent->stream ? "message/stream"
                                       : "message/send");
  json_name (out, "params");
  json_open (out, '{');
  if (poll)
    json_name_string (out, "id", q->task);
  else {
    write_message (out, q);
    json_name (out, "configuration");
    json_raw (out, "{\"blocking\":true,\"acceptedOutputModes\":[\"text/plain\",\"application/"
                   "json\"]}");
  }
  write_parameters (out, q, false);
  json_close (out, '}');
  json_close (out, '}');
}

/* ---- answers ---------------------------------------------------------------------------- */

static bool
is (const struct value *object, const char *name, const char *word)
{
  size_t len;
  const char *text = text_of (object, name, &len);

  return strlen (word) == len && memcmp (word, text, len) == 0;
}

/* Texts as they are, data as JSON; files are not told of. */
static void
add_parts (struct turn *turn, const struct value *parts)
{
  for (size_t i = 0; value_is (parts, VALUE_ARRAY) && i < parts->count; i++) {
    const struct value *part = parts->items[i], *data = value_get_z (part, "data");
    CLEANUP_TEXT struct text json = { 0 };
    size_t len;
    const char *text = text_of (part, "text", &len);
    if (is (part, "kind", "data") && data != NULL) {
      value_write (&json, data);
      text = text_get (&json);
      len = json.len;
    }
    turn_add_text (turn, text, len);
  }
}

static void
keep (struct text *at, const struct value *object, const char *name)
{
  size_t len;
  const char *text = text_of (object, name, &len);

  if (len == 0 || len > 512)
    return;
  text_clear (at);
  text_add_len (at, text, len);
}

/* What the agent says of its state: the text of a failure, a question, or of what it answered
 * without an artifact. */
static void
take_status (struct turn *turn, const struct value *status, bool last)
{
  static const char *const bad[] = { "failed", "canceled", "rejected", "auth-required" };
  const struct value *parts = value_get_z (value_get_z (status, "message"), "parts");
  CLEANUP_TEXT struct text why = { 0 };

  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    if (is (status, "state", bad[i])) {
      text_addf (&why, "its task is %s: ", bad[i]);
      text_clear (&turn->text);
      add_parts (turn, parts);
      text_add_len (&why, text_get (&turn->text), turn->text.len);
      turn_fail (turn, text_get (&why), why.len);
      return;
    }
  if (is (status, "state", "input-required")) {
    text_clear (&turn->text);
    add_parts (turn, parts);
    turn->state = turn->state == TURN_RUNS ? TURN_ASKS : turn->state;
  }
  else if (is (status, "state", "completed")) {
    if (turn->text.len == 0)
      add_parts (turn, parts);
    turn->state = turn->state == TURN_RUNS ? TURN_DONE : turn->state;
  }
  else if (last && turn->state == TURN_RUNS && turn->text.len != 0)
    turn->state = TURN_DONE;
}

static void
take_task (struct turn *turn, const struct value *task)
{
  const struct value *artifacts = value_get_z (task, "artifacts");

  keep (&turn->task, task, "id");
  keep (&turn->context, task, "contextId");
  if (value_is (artifacts, VALUE_ARRAY) && artifacts->count != 0)
    text_clear (&turn->text);
  for (size_t i = 0; value_is (artifacts, VALUE_ARRAY) && i < artifacts->count; i++) {
    if (turn->text.len != 0)
      turn_add_text (turn, "\n", 1);
    add_parts (turn, value_get_z (artifacts->items[i], "parts"));
  }
  take_status (turn, value_get_z (task, "status"), false);
}

/* Pieces of one artifact follow one another; another one begins on a line of its own. */
static void
take_artifact (struct turn *turn, const struct value *event)
{
  const struct value *artifact = value_get_z (event, "artifact");
  size_t len;
  const char *id = text_of (artifact, "artifactId", &len);
  const bool same = turn->part.len == len && memcmp (text_get (&turn->part), id, len) == 0;

  if (!same && turn->text.len != 0)
    turn_add_text (turn, "\n", 1);
  keep (&turn->part, artifact, "artifactId");
  add_parts (turn, value_get_z (artifact, "parts"));
}

static void
take_event (struct turn *turn, const struct value *event)
{
  static const char none[] = "its answer has no result";
  const struct value *result = value_get_z (event, "result");

  if (!value_is (result, VALUE_OBJECT)) {
    turn_fail (turn, none, sizeof none - 1);
    return;
  }
  if (is (result, "kind", "message")) {
    keep (&turn->context, result, "contextId");
    add_parts (turn, value_get_z (result, "parts"));
    turn->state = turn->state == TURN_RUNS ? TURN_DONE : turn->state;
  }
  else if (is (result, "kind", "status-update")) {
    keep (&turn->task, result, "taskId");
    keep (&turn->context, result, "contextId");
    take_status (turn, value_get_z (result, "status"),
                 value_is (value_get_z (result, "final"), VALUE_TRUE));
  }
  else if (is (result, "kind", "artifact-update"))
    take_artifact (turn, result);
  else
    take_task (turn, result);
}

/* ---- the conversation: the agent keeps it itself ---------------------------------------- */

static const struct value *
said (struct values *pool, const struct value *items, const struct turn *turn)
{
  (void) pool;
  (void) turn;
  return items;
}

static const struct value *
told (struct values *pool, const struct value *items, const struct outcome *outcomes, size_t count)
{
  (void) pool;
  (void) outcomes;
  (void) count;
  return items;
}

const struct protocol a2a = { .name = "a2a",
                              .wants_model = false,
                              .write = write,
                              .take_event = take_event,
                              .take_whole = take_event,
                              .said = said,
                              .told = told };
