/* What a tool gives, as one value for its guards, and what they leave of it as the end of its job.
 */
#include <string.h>

#include "base/json_write.h"
#include "call/guarding_parts.h"
#include "pool/content.h"

/* ---- taking apart ---- */

void
output_write (const struct job_end *end, struct buf *out)
{
  const struct frame_result *head = end->result;
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  if (head->content_len != 0)
    jsonw_name_raw (&w, "content", end->content, head->content_len);
  else
    jsonw_name_raw (&w, "content", "[]", 2);
  if (head->structured_len != 0)
    jsonw_name_raw (&w, "structured", end->structured, head->structured_len);
  jsonw_end (&w);
}

void
output_keep (struct guarding *g)
{
  if (g->was == NULL)
    return;
  g->head = *g->was->result;
  g->head.code_len = g->head.message_len = g->head.kept_len = 0;
  g->rss_peak = g->was->rss_peak;
  buf_reset (&g->room, 0);
  if (g->was->room != NULL)
    buf_swap (&g->room, g->was->room);
  g->maker = g->call->job.maker;
  g->was = NULL;
}

/* ---- putting together ---- */

static bool
fail (struct guarding *g, const char *why)
{
  g->says.verdict = GUARD_FAIL;
  g->says.text.len = 0;
  buf_puts (&g->says.text, why);
  return false;
}

/* The members of the value as an end has them. */
static bool
take_members (struct guarding *g)
{
  const struct json_node *root = json_root (&g->tape);
  const struct json_node *content = json_member (&g->tape, root, "content");
  const struct json_node *structured = json_member (&g->tape, root, "structured");
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape blocks;
  size_t len = 0;

  if (content == NULL)
    return false;
  g->left.content = json_raw (&g->tape, content, &len);
  g->head.content_len = (uint32_t) len;
  if (g->changed
      && (!json_read (&blocks, g->left.content, len, &guarding_limits, &arena)
          || !content_fits (FRAME_BLOCKS, &blocks)))
    return false;
  g->head.structured_len = 0;
  g->left.structured = NULL;
  g->left.structured_tape = NULL;
  if (structured == NULL)
    return true;
  g->left.structured = json_raw (&g->tape, structured, &len);
  g->head.structured_len = (uint32_t) len;
  g->left.structured_tape = &g->structured_tape;
  return json_read (&g->structured_tape, g->left.structured, len, &guarding_limits, &g->arena);
}

bool
output_prepare (struct guarding *g)
{
  g->left = (struct job_end){ .fate = JOB_RESULT,
                              .result = &g->head,
                              .code = "",
                              .message = "",
                              .kept = "",
                              .rss_peak = g->rss_peak };
  if (!guarding_read (g) || !take_members (g))
    return fail (g, "what the guards have left is no result");
  g->is_prepared = true;
  if (g->maker == NULL || g->value.len < GUARDED_LARGE)
    return true;
  g->made = g->maker->make (g->maker->ctx, &g->left);
  return true;
}

enum guarded
output_hand_on (struct guarding *g)
{
  struct job_end end;
  void *made;

  if (!g->changed && g->was != NULL) { /* as it came */
    call_outcome (g->call, g->was);
    return GUARDED_ENDED;
  }
  output_keep (g);
  if (!g->is_prepared && !output_prepare (g))
    return guarding_fail (g, "what the guards have left is no result");
  end = g->left;
  if (g->room.cap != 0)
    end.room = &g->room;
  made = g->made;
  g->made = NULL;
  if (g->maker != NULL && g->value.len >= GUARDED_LARGE)
    end.made = &made;
  call_outcome (g->call, &end); /* and with it the guarding is gone */
  return GUARDED_ENDED;
}

/* ---- the words of what failed, or asks ---- */

/* What the built-in guards leave of a value; false: nothing. */
static bool
let_pass (struct guarding *g, struct buf *value)
{
  for (size_t i = g->begins[GUARDED_OUTPUT]; i < g->begins[GUARDED_ERROR]; i++) {
    const struct guards_entry *entry = g->plan[i].entry;
    CLEANUP_ARENA struct arena arena = { 0 };
    struct guard_says says = { .verdict = GUARD_ALLOW };
    struct json_tape tape;
    bool passes;
    if (entry->kind != GUARDS_BUILT_IN)
      continue;
    if (!json_read (&tape, value->data, value->len, &guarding_limits, &arena))
      return false;
    guard_check (
      entry->guard,
      &(struct guard_case){
        .stage = GUARD_OUTPUT, .tool = g->tool, .tape = &tape, .value = json_root (&tape) },
      &says);
    if (says.verdict == GUARD_REPLACE)
      buf_swap (value, &says.value);
    passes = says.verdict == GUARD_ALLOW || says.verdict == GUARD_REPLACE;
    buf_free (&says.text);
    buf_free (&says.value);
    if (!passes)
      return false;
  }
  return true;
}

/* A guard of a plugin is asked for verdicts alone. */
static bool
has_plugin (const struct guarding *g)
{
  for (size_t i = g->begins[GUARDED_OUTPUT]; i < g->begins[GUARDED_ERROR]; i++)
    if (g->plan[i].entry->kind == GUARDS_PLUGIN)
      return true;
  return false;
}

static void
write_words (const struct job_end *end, struct buf *out)
{
  const struct frame_result *head = end->result;
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  jsonw_name_raw (&w, "content", head->content_len != 0 ? end->content : "[]",
                  head->content_len != 0 ? head->content_len : 2);
  if (head->structured_len != 0)
    jsonw_name_raw (&w, "structured", end->structured, head->structured_len);
  jsonw_name (&w, "message");
  jsonw_string_len (&w, end->message, head->message_len);
  jsonw_name (&w, "code");
  jsonw_string_len (&w, end->code, head->code_len);
  jsonw_end (&w);
}

/* A code of the tool's own says what kind of failure it was, and holds no numbers of people. */
static bool
is_plain_code (const char *code, size_t len)
{
  enum { DIGITS_MAX = 4 };
  size_t digits = 0;

  for (size_t i = 0; i < len; i++)
    digits += code[i] >= '0' && code[i] <= '9';
  return digits <= DIGITS_MAX;
}

/* What is left of the words takes the place of those that were there. */
static bool
take_words (struct guarding *g, const struct job_end *was)
{
  const struct json_node *root;
  size_t len = 0;
  const char *code;

  if (!guarding_read (g) || !take_members (g))
    return false;
  root = json_root (&g->tape);
  g->left.message =
    json_string (&g->tape, json_member (&g->tape, root, "message"), &g->arena, &len);
  g->head.message_len = g->left.message != NULL ? (uint32_t) len : 0;
  code = json_string (&g->tape, json_member (&g->tape, root, "code"), &g->arena, &len);
  g->left.code = was->code; /* the same, or none */
  g->head.code_len = 0;
  if (code != NULL && len == was->result->code_len && memcmp (code, was->code, len) == 0
      && is_plain_code (code, len))
    g->head.code_len = (uint32_t) len;
  return true;
}

void
output_hand_on_words (struct guarding *g)
{
  const struct job_end *was = g->was;
  const bool asks = was->result->outcome == FRAME_OUTCOME_ASKED;
  bool passes = asks || !has_plugin (g);

  g->value.len = 0;
  write_words (was, &g->value);
  g->changed = true;
  g->head = *was->result;
  g->rss_peak = was->rss_peak;
  g->left = *was;
  g->left.result = &g->head;
  passes = passes && let_pass (g, &g->value) && take_words (g, was);
  if (!passes && asks) {
    (void) guarding_reject (g, NULL, 0, "a guard let its questions not pass");
    return;
  }
  if (!passes) {
    g->head.content_len = g->head.structured_len = g->head.message_len = 0;
    g->left.structured_tape = NULL;
    g->left.message = "";
  }
  struct job_end end = g->left;
  call_outcome (g->call, &end);
}
