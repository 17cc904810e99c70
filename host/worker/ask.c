#include "worker/ask.h"

#include <string.h>

#include "worker/args.h"
#include "worker/tool_call.h"

_Static_assert((int) FRAME_ASKS_MAX == (int) TOOLHOST_ASKS_MAX
                 && (int) FRAME_ASK_KEY_MAX == (int) TOOLHOST_ASK_KEY_MAX
                 && (int) FRAME_ASK_BYTES_MAX == (int) TOOLHOST_ASK_BYTES_MAX
                 && (int) FRAME_KEPT_MAX == (int) TOOLHOST_KEEP_MAX,
               "the bounds that plugins are told are those of the frames");

void
asking_begin (struct asking *asking)
{
  asking->kinds = asking->count = asking->needs = 0;
  asking->answers = (struct lazy_json){ 0 };
  asking->kept = NULL;
  asking->kept_len = 0;
  asking->open.len = 0;
  asking->asks = (struct json_writer){ .out = &asking->open };
}

void
asking_end (struct asking *asking)
{
  buf_reset (&asking->open, 0);
}

void
asking_free (struct asking *asking)
{
  buf_free (&asking->open);
}

bool
asking_has_asked (const struct asking *asking)
{
  return asking->count != 0 || asking->needs != 0;
}

static void
open_asks (struct asking *asking)
{
  if (asking->asks.depth != 0)
    return;
  jsonw_object (&asking->asks);
  jsonw_name (&asking->asks, "asks");
  jsonw_object (&asking->asks);
}

void
asking_finish (struct asking *asking)
{
  open_asks (asking);
  jsonw_end (&asking->asks);
  jsonw_name_int (&asking->asks, "needs", (int64_t) asking->needs);
  jsonw_end (&asking->asks);
}

/* ---- what a tool may do wrong ----------------------------------------------------------- */

static int32_t
broken (struct tool_call *call, const char *rule)
{
  call->broken = rule;
  return TOOLHOST_UNASKABLE;
}

static bool
is_key (const char *key)
{
  size_t len = strspn (key, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-");
  return len != 0 && len <= FRAME_ASK_KEY_MAX && key[len] == '\0';
}

static unsigned
kind_of (const char *kind)
{
  static const struct {
    const char *name;
    unsigned bit;
  } kinds[] = { { "form", FRAME_ASK_FORM },
                { "url", FRAME_ASK_URL },
                { "sampling", FRAME_ASK_SAMPLING },
                { "roots", FRAME_ASK_ROOTS } };

  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp (kinds[i].name, kind) == 0)
      return kinds[i].bit;
  return 0;
}

/* ---- answers ---------------------------------------------------------------------------- */

static const struct json_node *
answer_to (struct tool_call *call, const char *key, const struct json_tape **tape)
{
  *tape = lazy_json_read (&call->asking.answers, &call->arena);
  return *tape != NULL ? json_member (*tape, json_root (*tape), key) : NULL;
}

static int32_t
told (const struct json_tape *tape, const struct json_node *answer)
{
  static const struct {
    const char *is;
    int32_t answer;
  } words[] = { { "answered", TOOLHOST_ANSWERED },
                { "declined", TOOLHOST_DECLINED },
                { "dismissed", TOOLHOST_DISMISSED } };
  const struct json_node *is = json_member (tape, answer, "is");

  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (json_equals (tape, is, words[i].is))
      return words[i].answer;
  return TOOLHOST_EXPIRED;
}

static int32_t
give (const struct json_tape *tape, const struct json_node *found, const char **answer,
      size_t *answer_len)
{
  int32_t what = told (tape, found);
  const struct json_node *value = json_member (tape, found, "value");
  size_t len = 0;
  const char *text = NULL;

  if (what == TOOLHOST_ANSWERED && value != NULL)
    text = json_raw (tape, value, &len);
  if (answer != NULL)
    *answer = text;
  if (answer_len != NULL)
    *answer_len = len;
  return what;
}

toolhost_status
ask_answer (struct tool_call *call, const char *key, const char *where, toolhost_value *value)
{
  const struct json_tape *tape;
  const struct json_node *found = key != NULL ? answer_to (call, key, &tape) : NULL;

  if (found == NULL || told (tape, found) != TOOLHOST_ANSWERED)
    return args_fill (&call->arena, NULL, NULL, NULL, value);
  return args_fill (&call->arena, tape, json_member (tape, found, "value"), where, value);
}

/* ---- questions -------------------------------------------------------------------------- */

/* Is this question among the open ones?  They are few, and our own JSON: keys need no escapes. */
static bool
is_open (const struct asking *asking, const char *key)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  CLEANUP_BUF struct buf text = { 0 };
  struct json_tape tape;

  if (asking->count == 0)
    return false;
  buf_append (&text, asking->open.data, asking->open.len);
  buf_puts (&text, "}}");
  return json_read (&tape, text.data, text.len, &json_default_limits, &arena)
         && json_member (&tape, json_member (&tape, json_root (&tape), "asks"), key) != NULL;
}

/* The kinds a question needs; false: its parameters are no object. */
static bool
needed_kinds (const char *params, size_t len, unsigned kind, unsigned *needed)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  if (params == NULL || !json_read (&tape, params, len, &json_default_limits, &arena)
      || !json_is (json_root (&tape), JSON_OBJECT))
    return false;
  *needed = kind;
  if (kind == FRAME_ASK_SAMPLING && json_member (&tape, json_root (&tape), "tools") != NULL)
    *needed |= FRAME_ASK_SAMPLING_TOOLS;
  return true;
}

static void
add (struct asking *asking, const char *key, const char *kind, const char *params, size_t len)
{
  struct json_writer *w = &asking->asks;

  open_asks (asking);
  jsonw_name (w, key);
  jsonw_object (w);
  jsonw_name_string (w, "kind", kind);
  jsonw_name_raw (w, "params", params, len);
  jsonw_end (w);
  asking->count++;
}

static int32_t
open_question (struct tool_call *call, const char *key, const char *kind, const char *params,
               size_t len)
{
  struct asking *asking = &call->asking;
  unsigned needed = kind_of (kind);

  if (needed == 0 || call->stage != STAGE_EXECUTE)
    return broken (call,
                   needed == 0 ? "asked with a kind that there is not" : "asked before execute");
  if (call->emitted != 0) /* it would be said again in the next round */
    return broken (call, "asked after toolhost_emit: what was said can't be taken back, ask first");
  if (call->committed)
    return broken (call, "asked after toolhost_context_change: it can't be taken back, ask first");
  if (!needed_kinds (params, len, needed, &needed))
    return broken (call, "asked with parameters that are no JSON object");
  if ((asking->kinds & needed) != needed) {
    asking->needs |= needed & ~asking->kinds;
    return TOOLHOST_UNASKABLE;
  }
  if (is_open (asking, key))
    return TOOLHOST_OPEN;
  if (asking->count == FRAME_ASKS_MAX
      || asking->open.len + len + FRAME_ASK_KEY_MAX + 64 > FRAME_ASK_BYTES_MAX)
    return broken (call, "asked too much at once");
  add (asking, key, kind, params, len);
  return TOOLHOST_OPEN;
}

int32_t
ask (struct tool_call *call, const char *key, const char *kind, const char *params, size_t len,
     const char **answer, size_t *answer_len)
{
  const struct json_tape *tape;
  const struct json_node *found;

  if (answer != NULL)
    *answer = NULL;
  if (answer_len != NULL)
    *answer_len = 0;
  if (key == NULL || kind == NULL || !is_key (key))
    return broken (call, "asked with a key that is none");
  found = answer_to (call, key, &tape);
  if (found != NULL)
    return give (tape, found, answer, answer_len);
  return open_question (call, key, kind, params, len);
}

int32_t
ask_form (struct tool_call *call, const char *key, const char *message, size_t message_len,
          const char *schema, size_t schema_len)
{
  CLEANUP_BUF struct buf params = { 0 };
  struct json_writer w = { .out = &params };

  if (schema == NULL || message == NULL)
    return broken (call, "asked with parameters that are no JSON object");
  jsonw_object (&w);
  jsonw_name (&w, "message");
  jsonw_string_len (&w, message, message_len);
  jsonw_name_raw (&w, "requestedSchema", schema, schema_len);
  jsonw_end (&w);
  return ask (call, key, "form", params.data, params.len, NULL, NULL);
}

/* ---- state ------------------------------------------------------------------------------ */

toolhost_status
ask_keep (struct tool_call *call, const void *data, size_t len)
{
  if (len > FRAME_KEPT_MAX || (data == NULL && len != 0))
    return TOOLHOST_BAD_VALUE;
  call->asking.kept = arena_strndup (&call->arena, len != 0 ? (const char *) data : "", len);
  call->asking.kept_len = len;
  return TOOLHOST_OK;
}

const void *
ask_kept (const struct tool_call *call, size_t *len)
{
  const struct asking *asking = &call->asking;

  if (len != NULL)
    *len = asking->kept_len;
  return asking->kept_len != 0 ? asking->kept : NULL;
}
