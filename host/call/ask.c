#include "call/ask.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/frame.h"
#include "base/json_write.h"
#include "call/ask_rules.h"

static const struct json_limits limits = {
  .depth = 64, .nodes = 100000, .members = 10000, .number_len = 512
};

/* ---- an ask ---- */

static void
set_empty (struct buf *b)
{
  b->len = 0;
  buf_puts (b, "{}");
}

struct ask *
ask_new (void)
{
  struct ask *ask = xcalloc (1, sizeof *ask);

  set_empty (&ask->open);
  set_empty (&ask->answers);
  return ask;
}

void
ask_free (struct ask *ask)
{
  if (ask == NULL)
    return;
  buf_free (&ask->open);
  buf_free (&ask->answers);
  buf_free (&ask->kept);
  free (ask);
}

/* One of our own texts, which is good JSON. */
static const struct json_node *
read_own (struct json_tape *tape, const struct buf *text, struct arena *arena)
{
  bool good = json_read (tape, text->data, text->len, &limits, arena);

  assert (good);
  (void) good;
  return json_root (tape);
}

static void
replace (struct buf *old, struct buf *by)
{
  struct buf was = *old;

  *old = *by;
  *by = was;
}

static void
write_name (struct json_writer *w, const struct json_tape *tape, const struct json_node *name)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  size_t len;
  const char *text = json_string (tape, name, &arena, &len);

  jsonw_name_len (w, text, len);
}

static void
write_value (struct json_writer *w, const struct json_tape *tape, const struct json_node *value)
{
  size_t len;
  const char *text = json_raw (tape, value, &len);

  jsonw_raw (w, text, len);
}

/* ---- questions ---- */

static bool
is_kind (const struct json_tape *tape, const struct json_node *question, const char *kind)
{
  return json_equals (tape, json_member (tape, question, "kind"), kind);
}

static unsigned
kinds_of (const struct json_tape *tape, const struct json_node *question)
{
  const struct json_node *params = json_member (tape, question, "params");

  if (is_kind (tape, question, "form"))
    return FRAME_ASK_FORM;
  if (is_kind (tape, question, "url"))
    return FRAME_ASK_URL;
  if (is_kind (tape, question, "roots"))
    return FRAME_ASK_ROOTS;
  return FRAME_ASK_SAMPLING
         | (json_member (tape, params, "tools") != NULL ? FRAME_ASK_SAMPLING_TOOLS : 0);
}

static bool
may_ask (const struct json_tape *tape, const struct json_node *question, unsigned kinds,
         struct error *err)
{
  unsigned needed = kinds_of (tape, question);

  if ((needed & ~kinds) != 0)
    return error_set (err, "asks what this caller can't be asked");
  return needed != FRAME_ASK_FORM
         || ask_form_is_usable (tape, json_member (tape, question, "params"), err);
}

static void
write_params (struct json_writer *w, const struct json_tape *tape, const struct json_node *question)
{
  const struct json_node *params = json_member (tape, question, "params");

  if (is_kind (tape, question, "roots"))
    return;
  jsonw_name (w, "params");
  jsonw_object (w);
  if (is_kind (tape, question, "url"))
    jsonw_name_string (w, "mode", "url");
  for (const struct json_node *n = json_first (params); n != json_end (params);
       n = json_next (json_next (n))) {
    write_name (w, tape, n);
    write_value (w, tape, json_next (n));
  }
  jsonw_end (w);
}

static void
write_question (struct json_writer *w, const struct json_tape *tape,
                const struct json_node *question)
{
  unsigned kinds = kinds_of (tape, question);

  jsonw_object (w);
  jsonw_name_string (w, "method",
                     (kinds & FRAME_ASK_SAMPLING) != 0 ? ASK_SAMPLE
                     : kinds == FRAME_ASK_ROOTS        ? ASK_ROOTS
                                                       : ASK_ELICIT);
  write_params (w, tape, question);
  jsonw_end (w);
}

bool
ask_open (struct ask *ask, const struct ask_rules *rules, const struct json_tape *tape,
          const struct json_node *asked, unsigned kinds, struct error *err)
{
  const struct json_node *asks = json_member (tape, asked, "asks");
  CLEANUP_BUF struct buf open = { 0 };
  struct json_writer w = { .out = &open };
  unsigned count = 0;

  if (asked == NULL || !ask_rules_fit_questions (rules, tape, asked, err))
    return false;
  jsonw_object (&w);
  for (const struct json_node *n = json_first (asks); n != json_end (asks);
       n = json_next (json_next (n)), count++) {
    if (!may_ask (tape, json_next (n), kinds, err))
      return false;
    write_name (&w, tape, n);
    write_question (&w, tape, json_next (n));
  }
  jsonw_end (&w);
  replace (&ask->open, &open);
  ask->open_count = count;
  return true;
}

/* ---- answers ---- */

static void
write_reply (struct json_writer *w, const struct json_tape *tape, const struct ask_reply *reply)
{
  jsonw_object (w);
  jsonw_name_string (w, "is", reply->is);
  if (strcmp (reply->is, "answered") == 0) {
    jsonw_name (w, "value");
    if (reply->value != NULL)
      write_value (w, tape, reply->value);
    else
      jsonw_raw (w, "{}", 2);
  }
  jsonw_end (w);
}

/* An ask while answers are put into it: what stays open, and what is answered. */
struct change {
  struct ask *ask;
  struct arena arena;
  struct json_tape questions;
  const struct json_node *open;
  struct buf open_text, answers_text;
  struct json_writer open_left, answers;
  unsigned left;
};

static void
change_begin (struct change *c, struct ask *ask)
{
  struct json_tape answered;
  const struct json_node *old;

  *c = (struct change){ .ask = ask };
  c->open_left.out = &c->open_text;
  c->answers.out = &c->answers_text;
  c->open = read_own (&c->questions, &ask->open, &c->arena);
  old = read_own (&answered, &ask->answers, &c->arena);
  jsonw_object (&c->open_left);
  jsonw_object (&c->answers);
  for (const struct json_node *n = json_first (old); n != json_end (old);
       n = json_next (json_next (n))) {
    write_name (&c->answers, &answered, n);
    write_value (&c->answers, &answered, json_next (n));
  }
}

static void
change_keep (struct change *c, const struct json_node *name)
{
  write_name (&c->open_left, &c->questions, name);
  write_value (&c->open_left, &c->questions, json_next (name));
  c->left++;
}

static void
change_answer (struct change *c, const struct json_node *name, const struct json_tape *tape,
               const struct ask_reply *reply)
{
  write_name (&c->answers, &c->questions, name);
  write_reply (&c->answers, tape, reply);
}

static void
change_apply (struct change *c)
{
  jsonw_end (&c->open_left);
  jsonw_end (&c->answers);
  replace (&c->ask->open, &c->open_text);
  replace (&c->ask->answers, &c->answers_text);
  c->ask->open_count = c->left;
}

static void
change_cleanup (struct change *c)
{
  buf_free (&c->open_text);
  buf_free (&c->answers_text);
  arena_free (&c->arena);
}
#define CLEANUP_CHANGE __attribute__ ((cleanup (change_cleanup)))

/* Where answers are: in an object by their keys, or the one of a key. */
struct answers {
  const struct json_tape *tape;
  const struct json_node *all; /* NULL: … */
  const char *key;
  const struct json_node *one;
};

static const struct json_node *
answer_in (const struct answers *answers, const char *key)
{
  if (answers->all != NULL)
    return json_member (answers->tape, answers->all, key);
  return strcmp (answers->key, key) == 0 ? answers->one : NULL;
}

static bool
take_answers (struct ask *ask, const struct ask_rules *rules, const struct answers *answers,
              size_t *taken, struct error *err)
{
  CLEANUP_CHANGE struct change c;

  *taken = 0;
  change_begin (&c, ask);
  for (const struct json_node *n = json_first (c.open); n != json_end (c.open);
       n = json_next (json_next (n))) {
    const char *key = json_cstring (&c.questions, n, &c.arena);
    const struct json_node *response = answer_in (answers, key);
    struct ask_reply reply;
    if (response == NULL) {
      change_keep (&c, n);
      continue;
    }
    if (!ask_check_answer (rules, &c.questions, json_next (n), answers->tape, response, key, &reply,
                           err))
      return false;
    change_answer (&c, n, answers->tape, &reply);
    ++*taken;
  }
  if (c.answers_text.len > ASK_ANSWERS_MAX)
    return error_set (err, "the answers are longer than %d bytes", ASK_ANSWERS_MAX);
  change_apply (&c);
  return true;
}

bool
ask_answer (struct ask *ask, const struct ask_rules *rules, const struct json_tape *tape,
            const struct json_node *responses, size_t *taken, struct error *err)
{
  const struct answers answers = { .tape = tape, .all = responses };
  size_t count;

  return take_answers (ask, rules, &answers, taken != NULL ? taken : &count, err);
}

bool
ask_answer_one (struct ask *ask, const struct ask_rules *rules, const char *key,
                const struct json_tape *tape, const struct json_node *response, struct error *err)
{
  const struct answers answers = { .tape = tape, .key = key, .one = response };
  size_t count;

  return take_answers (ask, rules, &answers, &count, err);
}

void
ask_settle (struct ask *ask, const char *key, const char *is)
{
  CLEANUP_CHANGE struct change c;
  const struct ask_reply reply = { .is = is };

  change_begin (&c, ask);
  for (const struct json_node *n = json_first (c.open); n != json_end (c.open);
       n = json_next (json_next (n)))
    if (key == NULL || json_equals (&c.questions, n, key))
      change_answer (&c, n, NULL, &reply);
    else
      change_keep (&c, n);
  change_apply (&c);
}

/* ---- packed ---- */

struct packed {
  char approval[40];
  uint32_t rounds, open_count, of_approval;
  uint32_t open_len, answers_len;
};

/* Of a question, what its answer is checked by. */
static void
write_essence (struct json_writer *w, const struct json_tape *tape,
               const struct json_node *question)
{
  const struct json_node *form =
    json_member (tape, json_member (tape, question, "params"), "requestedSchema");

  jsonw_object (w);
  jsonw_name (w, "method");
  write_value (w, tape, json_member (tape, question, "method"));
  if (form != NULL) {
    jsonw_name (w, "params");
    jsonw_object (w);
    jsonw_name (w, "requestedSchema");
    write_value (w, tape, form);
    jsonw_end (w);
  }
  jsonw_end (w);
}

void
ask_pack (const struct ask *ask, struct buf *out)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  CLEANUP_BUF struct buf open = { 0 };
  struct json_writer w = { .out = &open };
  struct packed head = { .rounds = ask->rounds, .open_count = ask->open_count };
  struct json_tape tape;
  const struct json_node *root = read_own (&tape, &ask->open, &arena);

  jsonw_object (&w);
  for (const struct json_node *n = json_first (root); n != json_end (root);
       n = json_next (json_next (n))) {
    write_name (&w, &tape, n);
    write_essence (&w, &tape, json_next (n));
  }
  jsonw_end (&w);
  memcpy (head.approval, ask->approval, sizeof head.approval);
  head.of_approval = ask->of_approval;
  head.open_len = (uint32_t) open.len;
  head.answers_len = (uint32_t) ask->answers.len;
  buf_append (out, &head, sizeof head);
  buf_append (out, open.data, open.len);
  buf_append (out, ask->answers.data, ask->answers.len);
  buf_append (out, ask->kept.data, ask->kept.len);
}

static bool
is_object (const struct buf *text)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  return json_read (&tape, text->data, text->len, &limits, &arena)
         && json_is (json_root (&tape), JSON_OBJECT);
}

struct ask *
ask_unpack (const char *packed, size_t len)
{
  struct packed head;
  struct ask *ask;

  if (len < sizeof head)
    return NULL;
  memcpy (&head, packed, sizeof head);
  packed += sizeof head;
  len -= sizeof head;
  if ((uint64_t) head.open_len + head.answers_len > len)
    return NULL;
  ask = xcalloc (1, sizeof *ask);
  memcpy (ask->approval, head.approval, sizeof ask->approval);
  ask->approval[sizeof ask->approval - 1] = '\0';
  ask->of_approval = head.of_approval != 0;
  ask->rounds = head.rounds;
  ask->open_count = head.open_count;
  buf_append (&ask->open, packed, head.open_len);
  buf_append (&ask->answers, packed + head.open_len, head.answers_len);
  buf_append (&ask->kept, packed + head.open_len + head.answers_len,
              len - head.open_len - head.answers_len);
  if (is_object (&ask->open) && is_object (&ask->answers))
    return ask;
  ask_free (ask);
  return NULL;
}

/* ---- capabilities ---- */

/* A capability with what it must hold besides. */
static void
write_capability (struct json_writer *w, const char *name, const char *inner)
{
  jsonw_name (w, name);
  jsonw_object (w);
  if (inner != NULL) {
    jsonw_name (w, inner);
    jsonw_object (w);
    jsonw_end (w);
  }
  jsonw_end (w);
}

void
ask_capabilities (unsigned kinds, struct buf *out)
{
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  if ((kinds & (FRAME_ASK_FORM | FRAME_ASK_URL)) != 0)
    write_capability (&w, "elicitation", (kinds & FRAME_ASK_URL) != 0 ? "url" : NULL);
  if ((kinds & (FRAME_ASK_SAMPLING | FRAME_ASK_SAMPLING_TOOLS)) != 0)
    write_capability (&w, "sampling", (kinds & FRAME_ASK_SAMPLING_TOOLS) != 0 ? "tools" : NULL);
  if ((kinds & FRAME_ASK_ROOTS) != 0)
    write_capability (&w, "roots", NULL);
  jsonw_end (&w);
}
