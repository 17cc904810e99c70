/* What a tool asks as AG-UI's interrupts, one for each question: their ids are "ASK:KEY", of the
 * asks that plain HTTP knows (rest/asks.h), so that people can answer them there as well. */
#include <stdlib.h>
#include <time.h>

#include "call/held.h"
#include "front/agui/parts.h"
#include "front/encode.h"

/* ---- from questions to interrupts ---- */

static bool
is_form (const struct json_tape *tape, const struct json_node *params)
{
  return json_member (tape, params, "requestedSchema") != NULL;
}

/* input_required, or "toolhost:" and the last word of the method. */
static void
put_reason (struct json_writer *w, const struct json_tape *tape, const struct json_node *question,
            struct arena *arena)
{
  const struct json_node *params = json_member (tape, question, "params");
  const char *method = json_cstring (tape, json_member (tape, question, "method"), arena);

  if (is_form (tape, params))
    jsonw_name_string (w, "reason", "input_required");
  else {
    jsonw_name (w, "reason");
    jsonw_stringf (w, "toolhost:%s", json_member (tape, params, "url") != NULL ? "url" : method);
  }
}

static void
put_member (struct json_writer *w, const char *name, const struct json_tape *tape,
            const struct json_node *node)
{
  size_t len;
  const char *raw = node != NULL ? json_raw (tape, node, &len) : NULL;

  if (raw != NULL)
    encode_name_raw (w, name, raw, len);
}

static void
put_expiry (struct json_writer *w, const struct agui_run *run)
{
  const struct agui_settings *s = &run->settings;
  time_t at = (time_t) (s->now_ms (s->ctx) / 1000 + (int64_t) s->env->ask_ttl);
  struct tm tm;
  char text[32];

  if (gmtime_r (&at, &tm) != NULL && strftime (text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm) != 0)
    jsonw_name_string (w, "expiresAt", text);
}

static void
put_interrupt (struct agui_run *run, const char *ask, const char *call,
               const struct json_tape *tape, const struct json_node *name, struct arena *arena)
{
  const struct json_node *question = json_next (name);
  const struct json_node *params = json_member (tape, question, "params");
  struct json_writer w = { .out = &run->interrupts };

  if (run->interrupts.len != 0)
    buf_putc (&run->interrupts, ',');
  jsonw_object (&w);
  jsonw_name (&w, "id");
  jsonw_stringf (&w, "%s:%s", ask, json_cstring (tape, name, arena));
  put_reason (&w, tape, question, arena);
  put_member (&w, "message", tape, json_member (tape, params, "message"));
  jsonw_name_string (&w, "toolCallId", call);
  put_member (&w, "responseSchema", tape, json_member (tape, params, "requestedSchema"));
  put_expiry (&w, run);
  if (!is_form (tape, params))
    put_member (&w, "metadata", tape, question);
  jsonw_end (&w);
}

bool
agui_interrupt (struct agui_run *run, const char *call, const struct result *result)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct held *held = held_take (result);
  struct rest_ask *kept;
  struct json_tape tape;

  if (run->dead) {
    held_free (held);
    return true;
  }
  kept = rest_asks_add (run->settings.asks, held, run->principal);
  if (kept == NULL)
    return false;
  const struct ask *ask = held_ask (rest_ask_held (kept));
  if (!json_read (&tape, ask->open.data, ask->open.len, &json_default_limits, &arena))
    return true; /* it asks nothing */
  for (const struct json_node *n = json_first (json_root (&tape));
       n != json_end (json_root (&tape)); n = json_next (json_next (n)))
    put_interrupt (run, rest_ask_id (kept), call, &tape, n, &arena);
  return true;
}

/* ---- from resume entries to answers ---- */

struct resuming {
  struct agui_run *run;
  const struct json_tape *tape;
  struct arena arena;
  struct rest_ask *ask; /* of the entry, … */
  const char *key;      /* … and its question */
};

static bool
refuse (struct resuming *r, const char *id, const char *problem)
{
  CLEANUP_BUF struct buf why = { 0 };

  buf_printf (&why, "Interrupt '%.300s' %s", id != NULL ? id : "", problem);
  agui_stop (r->run, why.data, why.len);
  return false;
}

/* Was it asked in this conversation? */
static bool
same_thread (struct resuming *r, struct held *held)
{
  struct json_tape meta;
  size_t len;
  const char *text = held_meta (held, &len);

  return json_read (&meta, text, len, &json_default_limits, &r->arena)
         && json_equals (&meta, json_member (&meta, json_root (&meta), "thread_id"),
                         r->run->thread != NULL ? r->run->thread : "");
}

static bool
find_ask (struct resuming *r, const struct json_node *entry)
{
  const char *id = json_cstring (r->tape, json_member (r->tape, entry, "interruptId"), &r->arena);
  const char *colon = id != NULL ? strchr (id, ':') : NULL;

  r->ask = colon == NULL ? NULL
                         : rest_asks_find (r->run->settings.asks,
                                           arena_strndup (&r->arena, id, (size_t) (colon - id)),
                                           r->run->principal);
  if (r->ask == NULL || !same_thread (r, rest_ask_held (r->ask)))
    return refuse (r, id, "is not open in this thread");
  r->key = colon + 1;
  return true;
}

/* { KEY: { "action", "content"? } }, or what else answers the question. */
static void
put_answer (struct resuming *r, const struct json_node *entry, bool form, bool page,
            struct buf *out)
{
  const struct json_node *payload = json_member (r->tape, entry, "payload");
  const bool cancelled = json_equals (r->tape, json_member (r->tape, entry, "status"), "cancelled");
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  jsonw_name_len (&w, r->key, strlen (r->key));
  if (form || page) {
    jsonw_object (&w);
    jsonw_name_string (&w, "action", cancelled ? "cancel" : "accept");
    if (form && !cancelled)
      put_member (&w, "content", r->tape, payload);
    jsonw_end (&w);
  }
  else if (payload != NULL) {
    size_t len;
    const char *raw = json_raw (r->tape, payload, &len);
    jsonw_raw (&w, raw, len);
  }
  else
    jsonw_null (&w);
  jsonw_end (&w);
}

static bool
answer (struct resuming *r, const struct json_node *entry)
{
  struct ask *ask = held_ask (rest_ask_held (r->ask));
  const struct ask_rules *rules = calls_ask_rules (r->run->settings.env->calls);
  CLEANUP_BUF struct buf text = { 0 };
  struct json_tape questions, tape;
  struct error err = { 0 };

  if (!json_read (&questions, ask->open.data, ask->open.len, &json_default_limits, &r->arena))
    return refuse (r, r->key, "is not open");
  const struct json_node *question = json_member (&questions, json_root (&questions), r->key);
  const struct json_node *params = json_member (&questions, question, "params");
  const bool form = is_form (&questions, params);
  const bool page = json_member (&questions, params, "url") != NULL;
  if (question == NULL)
    return refuse (r, r->key, "is not open in this thread");
  if (!form && !page && json_member (r->tape, entry, "payload") == NULL) {
    ask_settle (ask, r->key, "declined");
    return true;
  }
  put_answer (r, entry, form, page, &text);
  if (!json_read (&tape, text.data, text.len, &json_default_limits, &r->arena)
      || !ask_answer (ask, rules, &tape, json_root (&tape), NULL, &err)) {
    agui_stop (r->run, err.text, strlen (err.text));
    return false;
  }
  return true;
}

static bool
has_status (struct resuming *r, const struct json_node *entry)
{
  const struct json_node *status = json_member (r->tape, entry, "status");

  return json_equals (r->tape, status, "resolved") || json_equals (r->tape, status, "cancelled")
         || refuse (r, "", "has a status that is neither resolved nor cancelled");
}

/* The id that the model gave the call. */
static const char *
call_of (struct resuming *r, struct held *held)
{
  struct json_tape meta;
  size_t len;
  const char *text = held_meta (held, &len), *id = NULL;

  if (json_read (&meta, text, len, &json_default_limits, &r->arena))
    id = json_cstring (
      &meta, json_member (&meta, json_member (&meta, json_root (&meta), "metadata"), "toolCallId"),
      &r->arena);
  return id != NULL ? id : held_call_id (held);
}

/* All answers first, then all calls: what is wrong starts none. */
static bool
take_all (struct resuming *r, const struct json_node *resume)
{
  for (const struct json_node *n = json_first (resume); n != json_end (resume); n = json_next (n))
    if (!has_status (r, n) || !find_ask (r, n) || !answer (r, n))
      return false;
  for (const struct json_node *n = json_first (resume); n != json_end (resume); n = json_next (n))
    if (find_ask (r, n) && held_ask (rest_ask_held (r->ask))->open_count != 0)
      return refuse (r, rest_ask_id (r->ask), "has questions left: answer all of them at once");
  return true;
}

static void
go_on (struct resuming *r, const struct json_node *entry)
{
  const char *id = json_cstring (r->tape, json_member (r->tape, entry, "interruptId"), &r->arena);
  const char *colon = strchr (id, ':');
  struct rest_ask *ask = rest_asks_find (
    r->run->settings.asks, arena_strndup (&r->arena, id, (size_t) (colon - id)), r->run->principal);

  if (ask == NULL)
    return; /* it went on with another entry */
  struct held *held = rest_ask_take (ask);
  agui_go_on (r->run, call_of (r, held), held);
}

void
agui_resume (struct agui_run *run, const struct json_tape *tape, const struct json_node *resume)
{
  struct resuming r = { .run = run, .tape = tape };

  if (json_is (resume, JSON_ARRAY) && run->settings.asks != NULL && take_all (&r, resume))
    for (const struct json_node *n = json_first (resume); n != json_end (resume) && !run->dead;
         n = json_next (n))
      go_on (&r, n);
  arena_free (&r.arena);
}
