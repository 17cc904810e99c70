#include "front/agui/chunks.h"

#include <stdlib.h>

#include "base/json_write.h"

static const struct kind {
  enum agui_type chunk;
  const char *start, *content, *end; /* types */
  const char *id, *name;             /* members; a name that must be there is a tool's */
  enum agui_type explicit_start;
  const char *no_id, *other_name, *started;
} kinds[] = {
  { AGUI_TEXT_MESSAGE_CHUNK, "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END",
    "messageId", "role", AGUI_TEXT_MESSAGE_START, "First TEXT_MESSAGE_CHUNK must provide messageId",
    "TEXT_MESSAGE_CHUNK role disagrees with its opener",
    "Cannot explicitly start a text message opened by a chunk" },
  { AGUI_TOOL_CALL_CHUNK, "TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "toolCallId",
    "toolCallName", AGUI_TOOL_CALL_START,
    "First TOOL_CALL_CHUNK must provide toolCallId and toolCallName",
    "TOOL_CALL_CHUNK name disagrees with its opener",
    "Cannot explicitly start a tool call opened by a chunk" },
  { AGUI_REASONING_MESSAGE_CHUNK, "REASONING_MESSAGE_START", "REASONING_MESSAGE_CONTENT",
    "REASONING_MESSAGE_END", "messageId", NULL, AGUI_REASONING_MESSAGE_START,
    "First REASONING_MESSAGE_CHUNK must provide messageId", NULL,
    "Cannot explicitly start a reasoning message opened by a chunk" },
};

static const struct kind *
kind_of (enum agui_type chunk)
{
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    if (kinds[i].chunk == chunk)
      return &kinds[i];
  return NULL;
}

static void
forget (struct agui_chunks *c)
{
  free (c->id);
  free (c->name);
  *c = (struct agui_chunks){ .open = AGUI_OTHER };
}

void
agui_chunks_free (struct agui_chunks *c)
{
  forget (c);
}

static bool
fail (struct buf *why, const char *sentence)
{
  buf_puts (why, sentence);
  return false;
}

/* ---- what is made ---- */

static void
copy_member (struct json_writer *w, const struct agui_event *e, const char *name)
{
  const struct json_node *node = agui_member (e, name);
  size_t len;
  const char *raw =
    node != NULL && !json_is (node, JSON_NULL) ? json_raw (e->tape, node, &len) : NULL;

  if (raw != NULL)
    jsonw_name_raw (w, name, raw, len);
}

static void
begin (struct json_writer *w, const char *type, const struct kind *kind, const char *id)
{
  jsonw_object (w);
  jsonw_name_string (w, "type", type);
  jsonw_name_string (w, kind->id, id);
}

/* What any event may have comes along with what is made of it (`of` NULL: the stream's end). */
static bool
hand_on (struct json_writer *w, const struct agui_event *of, const struct agui_sink *sink)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  CLEANUP_BUF struct buf why = { 0 };
  struct json_tape tape;
  struct agui_event made;

  if (of != NULL) {
    copy_member (w, of, "timestamp");
    copy_member (w, of, "rawEvent");
  }
  jsonw_end (w);
  return agui_event_read (&made, &tape, w->out->data, w->out->len, &json_default_limits, &arena,
                          &why)
         && sink->event (sink->ctx, &made);
}

static bool
close_open (struct agui_chunks *c, const struct agui_event *at, const struct agui_sink *sink)
{
  const struct kind *kind = kind_of (c->open);
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  if (kind == NULL)
    return true;
  begin (&w, kind->end, kind, c->id);
  forget (c);
  return hand_on (&w, at, sink);
}

static bool
open_with (struct agui_chunks *c, const struct kind *kind, const struct agui_event *e,
           const struct agui_sink *sink, struct buf *why)
{
  const char *id = agui_text (e, kind->id);
  const char *name = kind->name != NULL ? agui_text (e, kind->name) : NULL;
  const bool call = kind->chunk == AGUI_TOOL_CALL_CHUNK;
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  if (id == NULL || (call && name == NULL))
    return fail (why, kind->no_id);
  if (name == NULL)
    name = kind->chunk == AGUI_TEXT_MESSAGE_CHUNK ? "assistant" : "reasoning";
  *c = (struct agui_chunks){ kind->chunk, xstrdup (id), xstrdup (name) };
  begin (&w, kind->start, kind, id);
  jsonw_name_string (&w, call ? "toolCallName" : "role", name);
  if (call)
    copy_member (&w, e, "parentMessageId");
  copy_member (&w, e, "metadata");
  return hand_on (&w, e, sink);
}

static bool
goes_on (const struct agui_chunks *c, const struct kind *kind, const struct agui_event *e)
{
  const char *id = agui_text (e, kind->id);

  return c->open == kind->chunk && (id == NULL || strcmp (id, c->id) == 0);
}

static bool
agrees (const struct agui_chunks *c, const struct kind *kind, const struct agui_event *e)
{
  const char *name = kind->name != NULL ? agui_text (e, kind->name) : NULL;

  return name == NULL || strcmp (name, c->name) == 0;
}

static bool
expand (struct agui_chunks *c, const struct kind *kind, const struct agui_event *e,
        const struct agui_sink *sink, struct buf *why)
{
  const struct json_node *delta = agui_member (e, "delta");
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  if (!goes_on (c, kind, e)) {
    if (!close_open (c, e, sink) || !open_with (c, kind, e, sink, why))
      return false;
  }
  else if (!agrees (c, kind, e))
    return fail (why, kind->other_name);
  if (!json_is (delta, JSON_STRING) || delta->len == 0)
    return true;
  begin (&w, kind->content, kind, c->id);
  copy_member (&w, e, "delta");
  return hand_on (&w, e, sink);
}

bool
agui_expand (struct agui_chunks *c, const struct agui_event *e, const struct agui_sink *sink,
             struct buf *why)
{
  const struct kind *kind = kind_of (e->type), *open = kind_of (c->open);

  if (kind != NULL)
    return expand (c, kind, e, sink, why);
  if (e->type == AGUI_RAW)
    return sink->event (sink->ctx, e);
  if (open != NULL && e->type == open->explicit_start)
    return fail (why, open->started);
  return close_open (c, e, sink) && sink->event (sink->ctx, e);
}

bool
agui_expand_end (struct agui_chunks *c, const struct agui_sink *sink)
{
  return close_open (c, NULL, sink);
}
