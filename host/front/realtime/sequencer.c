#include "front/realtime/sequencer.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/json_write.h"

struct sequencer_item {
  struct sequencer_item *next;
  char id[SEQUENCER_ID]; /* of the item, and of the event it is sent with */
  bool sent;
  size_t len;
  char json[];
};

/* A response.create. */
struct sequencer_create {
  struct sequencer_create *next;
  char *of;       /* the response that all who want it belong to; NULL: several, or none */
  unsigned tries; /* in vain */
  size_t len;     /* 0: a plain one, which all share */
  char json[];    /* … else the event, with its id */
};

static const char already_active[] = "conversation_already_has_active_response";

/* ---- memory ---- */

void
sequencer_init (struct sequencer *s, const char *prefix, const struct sequencer_owner *owner,
                double answer_within)
{
  *s = (struct sequencer){ .owner = *owner, .answer_within = answer_within };
  s->creates_end = &s->creates;
  s->items_end = &s->items;
  (void) snprintf (s->prefix, sizeof s->prefix, "%s", prefix);
}

static void
create_free (struct sequencer_create *create)
{
  if (create != NULL)
    free (create->of);
  free (create);
}

static struct sequencer_create *
create_take (struct sequencer *s)
{
  struct sequencer_create *create = s->creates;

  s->creates = create->next;
  if (s->creates == NULL)
    s->creates_end = &s->creates;
  create->next = NULL;
  return create;
}

static void
item_drop (struct sequencer *s, struct sequencer_item **at)
{
  struct sequencer_item *item = *at;

  *at = item->next;
  if (item->next == NULL)
    s->items_end = at;
  s->items_count--;
  s->items_bytes -= item->len;
  free (item);
}

static void
forget_all (struct sequencer *s)
{
  while (s->creates != NULL)
    create_free (create_take (s));
  while (s->items != NULL)
    item_drop (s, &s->items);
  create_free (s->sent);
  s->sent = NULL;
}

void
sequencer_clear (struct sequencer *s)
{
  forget_all (s);
  free (s->active_id);
  free (s->asked);
  s->active_id = s->asked = NULL;
}

static void
make_id (struct sequencer *s, char id[SEQUENCER_ID])
{
  (void) snprintf (id, SEQUENCER_ID, "%s%llu", s->prefix, (unsigned long long) ++s->made);
}

/* ---- sending ---- */

/* Of those that were sent the oldest are given up when there are too many. */
static void
make_room (struct sequencer *s)
{
  for (struct sequencer_item **at = &s->items; *at != NULL;)
    if ((s->items_count > SEQUENCER_KEPT || s->items_bytes > SEQUENCER_BYTES) && (*at)->sent)
      item_drop (s, at);
    else
      at = &(*at)->next;
}

static bool
send_event (struct sequencer *s, const char *json, size_t len)
{
  return s->owner.send (s->owner.ctx, json, len);
}

/* In their order.  False: one could not be sent. */
static bool
send_items (struct sequencer *s)
{
  for (struct sequencer_item *item = s->items; item != NULL; item = item->next) {
    if (item->sent)
      continue;
    if (!send_event (s, item->json, item->len))
      return false;
    item->sent = true;
  }
  make_room (s);
  return true;
}

static bool
send_create (struct sequencer *s, const struct sequencer_create *create)
{
  CLEANUP_BUF struct buf out = { 0 };
  char id[SEQUENCER_ID];

  make_id (s, id);
  buf_printf (&out, "{\"event_id\":\"%s\",", id);
  if (create->len == 0)
    buf_puts (&out, "\"type\":\"response.create\"}");
  else
    buf_append (&out, create->json, create->len);
  if (!send_event (s, out.data, out.len))
    return false;
  free (s->asked);
  s->asked = xstrdup (id);
  return true;
}

/* Whatever may be sent now. */
static void
advance (struct sequencer *s)
{
  if (s->lost || s->closed || !send_items (s) || s->creates == NULL || s->active || s->asking
      || s->speaking || !send_create (s, s->creates))
    return;
  create_free (s->sent);
  s->sent = create_take (s);
  s->asking = true;
  s->answer_by = s->answer_within != 0 ? s->owner.now (s->owner.ctx) + s->answer_within : 0;
}

void
sequencer_retry (struct sequencer *s)
{
  advance (s);
}

/* ---- what is to be sent ---- */

static struct sequencer_create *
find_plain (const struct sequencer *s)
{
  struct sequencer_create *create = s->creates;

  while (create != NULL && create->len != 0)
    create = create->next;
  return create;
}

static void
put_create (struct sequencer *s, const char *json, size_t len, const char *of)
{
  struct sequencer_create *create = xcalloc (1, sizeof *create + len);

  create->of = of != NULL ? xstrdup (of) : NULL;
  create->len = len;
  if (len != 0)
    memcpy (create->json, json, len);
  *s->creates_end = create;
  s->creates_end = &create->next;
}

/* One for all of a turn (T0-11). */
static void
want_plain (struct sequencer *s, const char *of)
{
  struct sequencer_create *plain = find_plain (s);

  if (plain == NULL)
    return put_create (s, NULL, 0, of);
  if (plain->of != NULL && (of == NULL || strcmp (plain->of, of) != 0)) {
    free (plain->of);
    plain->of = NULL;
  }
}

static void
begin_item (struct sequencer *s, struct json_writer *w, char id[SEQUENCER_ID], const char *type)
{
  make_id (s, id);
  jsonw_object (w);
  jsonw_name_string (w, "event_id", id);
  jsonw_name_string (w, "type", "conversation.item.create");
  jsonw_name (w, "item");
  jsonw_object (w);
  jsonw_name_string (w, "id", id);
  jsonw_name_string (w, "type", type);
}

static void
end_item (struct sequencer *s, struct json_writer *w, const char *id)
{
  struct sequencer_item *item;

  jsonw_end (w);
  jsonw_end (w);
  item = xcalloc (1, sizeof *item + w->out->len);
  memcpy (item->id, id, strlen (id) + 1);
  item->len = w->out->len;
  memcpy (item->json, w->out->data, item->len);
  *s->items_end = item;
  s->items_end = &item->next;
  s->items_count++;
  s->items_bytes += item->len;
}

void
sequencer_output (struct sequencer *s, const char *call_id, const char *output, size_t len,
                  bool respond, const char *response_id)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };
  char id[SEQUENCER_ID];

  if (s->closed)
    return;
  begin_item (s, &w, id, "function_call_output");
  jsonw_name_string (&w, "call_id", call_id);
  jsonw_name (&w, "output");
  jsonw_string_len (&w, output, len);
  end_item (s, &w, id);
  if (respond)
    want_plain (s, response_id);
  advance (s);
}

void
sequencer_message (struct sequencer *s, const char *text, size_t len, bool respond)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };
  char id[SEQUENCER_ID];

  if (s->closed)
    return;
  begin_item (s, &w, id, "message");
  jsonw_name_string (&w, "role", "system");
  jsonw_name (&w, "content");
  jsonw_array (&w);
  jsonw_object (&w);
  jsonw_name_string (&w, "type", "input_text");
  jsonw_name (&w, "text");
  jsonw_string_len (&w, text, len);
  jsonw_end (&w);
  jsonw_end (&w);
  end_item (s, &w, id);
  if (respond)
    want_plain (s, NULL);
  advance (s);
}

void
sequencer_respond (struct sequencer *s, const char *response, size_t len)
{
  CLEANUP_BUF struct buf out = { 0 };

  if (s->closed)
    return;
  if (response == NULL)
    want_plain (s, NULL);
  else {
    buf_puts (&out, "\"type\":\"response.create\",\"response\":");
    buf_append (&out, response, len);
    buf_putc (&out, '}');
    put_create (s, out.data, out.len, NULL);
  }
  advance (s);
}

/* One that is no part of the conversation disturbs none. */
static bool
is_outside (const struct json_tape *tape, const struct json_node *event)
{
  const struct json_node *response = json_member (tape, event, "response");

  return json_equals (tape, json_member (tape, response, "conversation"), "none");
}

/* Its members but event_id: each is sent with one of ours, or refusals could not be told apart. */
static void
put_members (struct buf *out, const struct json_tape *tape, const struct json_node *event)
{
  size_t len;

  for (const struct json_node *name = json_first (event); name != json_end (event);
       name = json_next (json_next (name))) {
    const char *raw = json_raw (tape, name, &len);
    if (json_equals (tape, name, "event_id"))
      continue;
    if (out->len != 0)
      buf_putc (out, ',');
    buf_append (out, raw, len);
    buf_putc (out, ':');
    raw = json_raw (tape, json_next (name), &len);
    buf_append (out, raw, len);
  }
  buf_putc (out, '}');
}

void
sequencer_event (struct sequencer *s, const struct json_tape *tape, const struct json_node *event)
{
  CLEANUP_BUF struct buf out = { 0 };
  size_t len;
  const char *json = json_raw (tape, event, &len);

  if (s->closed)
    return;
  if (!json_equals (tape, json_member (tape, event, "type"), "response.create")
      || is_outside (tape, event)) {
    (void) send_event (s, json, len);
    return;
  }
  put_members (&out, tape, event);
  put_create (s, out.data, out.len, NULL);
  advance (s);
}

/* ---- what the service says ---- */

static void
arrived (struct sequencer *s, const struct json_tape *tape, const struct json_node *id)
{
  struct sequencer_item **at = &s->items;

  while (*at != NULL && !json_equals (tape, id, (*at)->id))
    at = &(*at)->next;
  if (*at != NULL)
    item_drop (s, at);
}

static bool
hear_item (struct sequencer *s, const struct json_tape *tape, const struct json_node *event)
{
  arrived (s, tape, json_member (tape, json_member (tape, event, "item"), "id"));
  return false;
}

static bool
hear_created (struct sequencer *s, const struct json_tape *tape, const struct json_node *event)
{
  const struct json_node *response = json_member (tape, event, "response");
  CLEANUP_ARENA struct arena arena = { 0 };
  const char *id = json_cstring (tape, json_member (tape, response, "id"), &arena);

  if (json_is (json_member (tape, response, "conversation_id"), JSON_NULL))
    return false;
  s->active = true;
  s->asking = s->speaking = false;
  free (s->active_id);
  s->active_id = id != NULL ? xstrdup (id) : NULL;
  return false;
}

static bool
hear_done (struct sequencer *s, const struct json_tape *tape, const struct json_node *event)
{
  const struct json_node *id = json_member (tape, json_member (tape, event, "response"), "id");

  if (!s->active || (s->active_id != NULL && id != NULL && !json_equals (tape, id, s->active_id)))
    return false;
  s->active = false;
  advance (s);
  return false;
}

/* What was sent last is the next one again; a plain one joins another. */
static void
put_back (struct sequencer *s)
{
  struct sequencer_create *sent = s->sent;
  struct sequencer_create *plain = find_plain (s);

  s->sent = NULL;
  if (sent != NULL && sent->len == 0 && plain != NULL)
    plain->tries = sent->tries;
  if (sent == NULL || (sent->len == 0 && plain != NULL))
    return create_free (sent);
  sent->next = s->creates;
  s->creates = sent;
  if (sent->next == NULL)
    s->creates_end = &sent->next;
}

static void
give_up (struct sequencer *s)
{
  create_free (s->sent);
  s->sent = NULL;
}

/* Another response was faster: ours is asked for again when that one is done.  Not one that was
 * asked for before, in vain: by then the service had all outputs, so that the other one goes on
 * from them, or is the one that was asked for first. */
static void
was_overtaken (struct sequencer *s)
{
  s->active = true;
  if (s->sent != NULL && s->sent->len == 0 && s->sent->tries != 0)
    give_up (s);
  else
    put_back (s);
}

/* Our response.create was refused. */
static void
refused (struct sequencer *s, const struct json_tape *tape, const struct json_node *code)
{
  const bool was_asking = s->asking;

  s->asking = false;
  if (json_equals (tape, code, already_active)) {
    if (was_asking && !s->active) {
      free (s->active_id);
      s->active_id = NULL;
    }
    return was_overtaken (s);
  }
  if (!was_asking)
    return;
  give_up (s);
  advance (s);
}

static bool
answers_item (struct sequencer *s, const struct json_tape *tape, const struct json_node *id)
{
  const size_t count = s->items_count;

  arrived (s, tape, id);
  return s->items_count != count;
}

/* One without an event_id is about ours only when its code says so (T0-12). */
static bool
hear_error (struct sequencer *s, const struct json_tape *tape, const struct json_node *event)
{
  const struct json_node *error = json_member (tape, event, "error");
  const struct json_node *id = json_member (tape, error, "event_id");
  const struct json_node *code = json_member (tape, error, "code");
  const bool ours = json_is (id, JSON_STRING)
                      ? s->asked != NULL && json_equals (tape, id, s->asked)
                      : s->asking && json_equals (tape, code, already_active);

  if (ours)
    refused (s, tape, code);
  return ours || answers_item (s, tape, id);
}

static bool
hear_speech (struct sequencer *s, const struct json_tape *tape, const struct json_node *event)
{
  s->speaking =
    json_equals (tape, json_member (tape, event, "type"), "input_audio_buffer.speech_started");
  advance (s);
  return false;
}

static const struct kind {
  const char *type;
  bool (*hear) (struct sequencer *s, const struct json_tape *tape, const struct json_node *event);
} kinds[] = {
  { "conversation.item.created", hear_item },
  { "conversation.item.added", hear_item },
  { "conversation.item.done", hear_item },
  { "response.created", hear_created },
  { "response.done", hear_done },
  { "error", hear_error },
  { "input_audio_buffer.speech_started", hear_speech },
  { "input_audio_buffer.speech_stopped", hear_speech },
  { "input_audio_buffer.cleared", hear_speech },
  { "input_audio_buffer.timeout_triggered", hear_speech },
};

bool
sequencer_hear (struct sequencer *s, const struct json_tape *tape, const struct json_node *event)
{
  const struct json_node *type = json_member (tape, event, "type");

  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    if (json_equals (tape, type, kinds[i].type))
      return kinds[i].hear (s, tape, event);
  return false;
}

void
sequencer_cancelled (struct sequencer *s, const char *response_id)
{
  struct sequencer_create **at = &s->creates;

  while (*at != NULL && ((*at)->of == NULL || strcmp ((*at)->of, response_id) != 0))
    at = &(*at)->next;
  if (*at == NULL)
    return;
  struct sequencer_create *create = *at;
  *at = create->next;
  if (create->next == NULL)
    s->creates_end = at;
  create_free (create);
}

/* ---- what it does not say ---- */

double
sequencer_due (const struct sequencer *s)
{
  return s->asking ? s->answer_by : 0;
}

unsigned
sequencer_tick (struct sequencer *s, char event_id[SEQUENCER_ID])
{
  const double due = sequencer_due (s);
  unsigned tries;

  if (due == 0 || s->owner.now (s->owner.ctx) < due)
    return 0;
  (void) snprintf (event_id, SEQUENCER_ID, "%s", s->asked);
  s->asking = false;
  tries = ++s->sent->tries;
  if (tries == SEQUENCER_TRIES)
    give_up (s);
  else
    put_back (s);
  advance (s);
  return tries;
}

/* ---- connections ---- */

void
sequencer_lost (struct sequencer *s)
{
  s->lost = true;
  for (struct sequencer_item *item = s->items; item != NULL; item = item->next)
    item->sent = false;
  if (s->asking) /* nobody knows what came of it */
    put_back (s);
  s->active = s->asking = s->speaking = false;
}

void
sequencer_back (struct sequencer *s)
{
  s->lost = false;
  advance (s);
}

void
sequencer_close (struct sequencer *s)
{
  s->closed = true;
  s->asking = false;
  forget_all (s);
}

bool
sequencer_idle (const struct sequencer *s)
{
  return !s->active && !s->asking && s->creates == NULL;
}
