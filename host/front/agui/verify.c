#include "front/agui/verify.h"

#include <stdlib.h>

#include "base/hash.h"

enum kind { MESSAGE, ROLE, CALL, STEP, THINKING, THOUGHT, SPAN, REASON };
enum action { OPEN, TOUCH, CLOSE };

/* Key and kind together are unique. */
struct agui_mark {
  enum kind kind;
  char *value; /* of a ROLE: it */
  UT_hash_handle hh;
  char key[]; /* a letter for the kind, and the id */
};

/* Sentences that several types share; '@' stands for the id. */
#define OPENED(type, a, end)                                                                       \
  "Cannot send '" type "' event: " a " is already in progress. Complete it with '" end "' first."
#define NONE_OPEN(type, what) "Cannot send '" type "' event: No active " what ". "
#define START_ONE(what, start) "Start a " what " with '" start "' first."
#define SEND_FIRST(start) "A '" start "' event must be sent first."

/* What each type does, and the sentence when it can't. */
static const struct rule {
  enum agui_type type;
  enum action action;
  enum kind kind;
  const char *id; /* the member; NULL: there is but one */
  const char *fault;
} rules[] = {
  { AGUI_TEXT_MESSAGE_START, OPEN, MESSAGE, "messageId",
    OPENED ("TEXT_MESSAGE_START", "A text message with ID '@'", "TEXT_MESSAGE_END") },
  { AGUI_TEXT_MESSAGE_CONTENT, TOUCH, MESSAGE, "messageId",
    NONE_OPEN ("TEXT_MESSAGE_CONTENT", "text message found with ID '@'")
      START_ONE ("text message", "TEXT_MESSAGE_START") },
  { AGUI_TEXT_MESSAGE_END, CLOSE, MESSAGE, "messageId",
    NONE_OPEN ("TEXT_MESSAGE_END", "text message found with ID '@'")
      SEND_FIRST ("TEXT_MESSAGE_START") },
  { AGUI_TOOL_CALL_START, OPEN, CALL, "toolCallId",
    OPENED ("TOOL_CALL_START", "A tool call with ID '@'", "TOOL_CALL_END") },
  { AGUI_TOOL_CALL_ARGS, TOUCH, CALL, "toolCallId",
    NONE_OPEN ("TOOL_CALL_ARGS", "tool call found with ID '@'")
      START_ONE ("tool call", "TOOL_CALL_START") },
  { AGUI_TOOL_CALL_END, CLOSE, CALL, "toolCallId",
    NONE_OPEN ("TOOL_CALL_END", "tool call found with ID '@'") SEND_FIRST ("TOOL_CALL_START") },
  { AGUI_STEP_STARTED, OPEN, STEP, "stepName", "Step \"@\" is already active for 'STEP_STARTED'" },
  { AGUI_STEP_FINISHED, CLOSE, STEP, "stepName",
    "Cannot send 'STEP_FINISHED' for step \"@\" that was not started" },
  { AGUI_THINKING_START, OPEN, THINKING, NULL,
    OPENED ("THINKING_START", "A thinking step", "THINKING_END") },
  { AGUI_THINKING_END, CLOSE, THINKING, NULL,
    NONE_OPEN ("THINKING_END", "thinking step found") SEND_FIRST ("THINKING_START") },
  { AGUI_THINKING_TEXT_MESSAGE_START, TOUCH, THINKING, NULL,
    NONE_OPEN ("THINKING_TEXT_MESSAGE_START", "thinking step found")
      SEND_FIRST ("THINKING_START") },
  { AGUI_THINKING_TEXT_MESSAGE_START, OPEN, THOUGHT, NULL,
    OPENED ("THINKING_TEXT_MESSAGE_START", "A thinking text message",
            "THINKING_TEXT_MESSAGE_END") },
  { AGUI_THINKING_TEXT_MESSAGE_CONTENT, TOUCH, THOUGHT, NULL,
    NONE_OPEN ("THINKING_TEXT_MESSAGE_CONTENT", "thinking text message found")
      START_ONE ("thinking text message", "THINKING_TEXT_MESSAGE_START") },
  { AGUI_THINKING_TEXT_MESSAGE_END, CLOSE, THOUGHT, NULL,
    NONE_OPEN ("THINKING_TEXT_MESSAGE_END", "thinking text message found")
      SEND_FIRST ("THINKING_TEXT_MESSAGE_START") },
  { AGUI_REASONING_START, OPEN, SPAN, "messageId", "Reasoning span '@' is already active" },
  { AGUI_REASONING_END, CLOSE, SPAN, "messageId", "Reasoning span '@' was not started" },
  { AGUI_REASONING_MESSAGE_START, OPEN, REASON, "messageId",
    "Reasoning message '@' is already active" },
  { AGUI_REASONING_MESSAGE_CONTENT, TOUCH, REASON, "messageId",
    "Reasoning message '@' was not started" },
  { AGUI_REASONING_MESSAGE_END, CLOSE, REASON, "messageId",
    "Reasoning message '@' was not started" },
};
enum { RULES = sizeof rules / sizeof rules[0] };

/* ---- marks ---- */

static char *
make_key (enum kind kind, const char *id, struct buf *room)
{
  buf_putc (room, (char) ('a' + kind));
  buf_puts (room, id);
  (void) buf_cstr (room);
  return room->data;
}

static struct agui_mark *
find (const struct agui_verifier *v, enum kind kind, const char *id)
{
  CLEANUP_BUF struct buf key = { 0 };
  struct agui_mark *mark;

  HASH_FIND_STR (v->marks, make_key (kind, id, &key), mark);
  return mark;
}

static struct agui_mark *
add (struct agui_verifier *v, enum kind kind, const char *id)
{
  size_t size = strlen (id) + 2;
  struct agui_mark *mark = xcalloc (1, sizeof *mark + size);

  mark->kind = kind;
  mark->key[0] = (char) ('a' + kind);
  memcpy (mark->key + 1, id, size - 1);
  HASH_ADD_STR (v->marks, key, mark);
  return mark;
}

static void
drop (struct agui_verifier *v, struct agui_mark *mark)
{
  HASH_DEL (v->marks, mark);
  free (mark->value);
  free (mark);
}

static void
clear (struct agui_verifier *v)
{
  while (v->marks != NULL)
    drop (v, v->marks);
}

void
agui_verifier_free (struct agui_verifier *v)
{
  clear (v);
  free (v->thread);
  free (v->run);
  *v = (struct agui_verifier){ .marks = NULL };
}

/* ---- rules ---- */

static bool
fail (struct buf *why, const char *sentence, const char *id)
{
  for (; *sentence != '\0'; sentence++)
    if (*sentence == '@')
      buf_puts (why, id);
    else
      buf_putc (why, *sentence);
  return false;
}

static bool
apply (struct agui_verifier *v, const struct rule *rule, const char *id, struct buf *why)
{
  struct agui_mark *mark = find (v, rule->kind, id);

  if ((mark == NULL) == (rule->action != OPEN))
    return fail (why, rule->fault, id);
  if (rule->action == OPEN)
    (void) add (v, rule->kind, id);
  else if (rule->action == CLOSE)
    drop (v, mark);
  return true;
}

/* A message that is taken up again is still its author's. */
static bool
keep_role (struct agui_verifier *v, const struct agui_event *e, struct buf *why)
{
  const char *id = agui_text (e, "messageId"), *role = agui_text (e, "role");
  struct agui_mark *mark = find (v, ROLE, id);

  role = role != NULL ? role : "assistant";
  if (mark != NULL && strcmp (mark->value, role) != 0)
    return fail (why, "Cannot reopen text message '@' with a different role", id);
  if (mark == NULL)
    add (v, ROLE, id)->value = xstrdup (role);
  return true;
}

/* "what: a, b" of those of a kind that are open. */
static bool
none_open (const struct agui_verifier *v, enum kind kind, const char *what, struct buf *why)
{
  bool none = true;

  for (const struct agui_mark *mark = v->marks; mark != NULL; mark = mark->hh.next)
    if (mark->kind == kind) {
      buf_puts (why, none ? "Cannot send 'RUN_FINISHED' while " : ", ");
      if (none)
        buf_printf (why, "%s are still active: ", what);
      buf_puts (why, mark->key + 1);
      none = false;
    }
  return none;
}

static bool
no_reasoning (const struct agui_verifier *v, struct buf *why)
{
  for (const struct agui_mark *mark = v->marks; mark != NULL; mark = mark->hh.next)
    if (mark->kind == SPAN || mark->kind == REASON)
      return fail (why, "Cannot send RUN_FINISHED while reasoning is still active", "");
  return true;
}

static bool
unique_interrupts (const struct agui_event *e, struct buf *why)
{
  const struct json_node *outcome = agui_member (e, "outcome");
  const struct json_node *list = json_member (e->tape, outcome, "interrupts");
  const struct json_node *n, *other;

  if (!json_is (list, JSON_ARRAY))
    return true;
  for (n = json_first (list); n != json_end (list); n = json_next (n))
    for (other = json_first (list); other != n; other = json_next (other)) {
      const struct json_node *id = json_member (e->tape, n, "id");
      const struct json_node *same = json_member (e->tape, other, "id");
      if (id != NULL && same != NULL && json_same (e->tape, id, e->tape, same))
        return fail (why, "Interrupt identifiers must be unique", "");
    }
  return true;
}

static bool
finish (struct agui_verifier *v, const struct agui_event *e, struct buf *why)
{
  if (strcmp (agui_text (e, "threadId"), v->thread != NULL ? v->thread : "") != 0
      || strcmp (agui_text (e, "runId"), v->run != NULL ? v->run : "") != 0)
    return fail (why, "RUN_FINISHED identifiers must match RUN_STARTED", "");
  v->finished = true;
  return none_open (v, STEP, "steps", why) && none_open (v, MESSAGE, "text messages", why)
         && none_open (v, CALL, "tool calls", why) && no_reasoning (v, why)
         && unique_interrupts (e, why);
}

static void
start (struct agui_verifier *v, const struct agui_event *e)
{
  clear (v);
  free (v->thread);
  free (v->run);
  v->thread = xstrdup (agui_text (e, "threadId"));
  v->run = xstrdup (agui_text (e, "runId"));
  v->started = true;
  v->finished = false;
}

/* May anything come now? */
static bool
may_come (const struct agui_verifier *v, const struct agui_event *e, struct buf *why)
{
  if (v->failed)
    return fail (why,
                 "Cannot send event type '@': The run has already errored with 'RUN_ERROR'. No "
                 "further events can be sent.",
                 e->name);
  if (v->finished && e->type != AGUI_RUN_ERROR && e->type != AGUI_RUN_STARTED)
    return fail (why,
                 "Cannot send event type '@': The run has already finished with 'RUN_FINISHED'. "
                 "Start a new run with 'RUN_STARTED'.",
                 e->name);
  if (!v->begun && e->type != AGUI_RUN_STARTED && e->type != AGUI_RUN_ERROR)
    return fail (why, "First event must be 'RUN_STARTED'", "");
  if (e->type == AGUI_RUN_STARTED && v->started && !v->finished)
    return fail (why,
                 "Cannot send 'RUN_STARTED' while a run is still active. The previous run must be "
                 "finished with 'RUN_FINISHED' before starting a new run.",
                 "");
  return true;
}

bool
agui_verify (struct agui_verifier *v, const struct agui_event *e, struct buf *why)
{
  if (!may_come (v, e, why))
    return false;
  v->begun = true;
  for (size_t i = 0; i < RULES; i++)
    if (rules[i].type == e->type
        && !apply (v, &rules[i], rules[i].id != NULL ? agui_text (e, rules[i].id) : "", why))
      return false;
  if (e->type == AGUI_RUN_STARTED)
    start (v, e);
  if (e->type == AGUI_RUN_ERROR)
    v->failed = true;
  return (e->type != AGUI_TEXT_MESSAGE_START || keep_role (v, e, why))
         && (e->type != AGUI_RUN_FINISHED || finish (v, e, why));
}

bool
agui_verify_end (const struct agui_verifier *v, struct buf *why)
{
  if (v->started && !v->finished && !v->failed)
    return fail (why, "Event stream ended before RUN_FINISHED or RUN_ERROR", "");
  return true;
}
