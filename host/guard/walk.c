#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_write.h"
#include "base/utf8.h"
#include "guard/kind.h"

enum { DEPTH_MOST = 128, POINTER_MOST = 200, STEPS_PER_NODE = 2 };

/* What a container is, as far as it decides what in it is text. */
enum place {
  OTHER,
  RESULT,   /* the whole result of a call */
  CONTENT,  /* its "content" */
  PART,     /* one of that */
  MEDIA,    /* a part whose "data" is base64 */
  RESOURCE, /* a part of type "resource" */
  EMBEDDED, /* the "resource" of such */
};

struct walk {
  const struct guard *guard;
  const struct json_tape *tape;
  struct arena arena; /* texts without their escapes */
  struct search search;
  bool for_log; /* whatever is found is redacted */
  bool stopped;
  bool changed; /* `out` is another than what there was */
  unsigned found;
  const struct guard_rule *blocked; /* the rule that says no, and what it says no to */
  struct buf blocked_at;            /* its JSON pointer */
  /* the value again */
  struct buf out;
  size_t copied; /* bytes of the tape's text that are in `out`, or have been replaced there */
  /* steps from the root to where the walk is: a member name, or NULL and an index */
  unsigned depth;
  struct {
    const struct json_node *name;
    unsigned index;
  } path[DEPTH_MOST];
};

static void
walk_free (struct walk *w)
{
  arena_free (&w->arena);
  buf_free (&w->search.spans);
  buf_free (&w->blocked_at);
  buf_free (&w->out);
}

/* ---- what was found ---- */

static int
by_start (const void *a, const void *b)
{
  const struct span *x = a, *y = b;

  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return x->end > y->end ? -1 : x->end < y->end;
}

static bool
is_in_order (const struct span *all, size_t count)
{
  for (size_t i = 1; i < count; i++)
    if (by_start (&all[i - 1], &all[i]) > 0)
      return false;
  return true;
}

/* Put spans in order and make one of those that overlap, which is the first one's; returns how many
 * there are. */
static size_t
settle (struct buf *spans)
{
  struct span *all = (struct span *) (void *) spans->data;
  size_t count = spans->len / sizeof *all, kept = 0;

  if (!is_in_order (all, count))
    qsort (all, count, sizeof *all, by_start);
  for (size_t i = 0; i < count; i++)
    if (kept > 0 && all[i].start < all[kept - 1].end) {
      if (all[i].end > all[kept - 1].end)
        all[kept - 1].end = all[i].end;
    }
    else
      all[kept++] = all[i];
  spans->len = kept * sizeof *all;
  return kept;
}

static const struct guard_rule *
first_block (const struct buf *spans)
{
  const struct span *all = (const struct span *) (const void *) spans->data;

  for (size_t i = 0; i < spans->len / sizeof *all; i++)
    if (all[i].rule->action == ACTION_BLOCK)
      return all[i].rule;
  return NULL;
}

static void
put_pointer (struct walk *w, unsigned depth)
{
  for (unsigned i = 0; i < depth; i++) {
    size_t len;
    if (w->path[i].name == NULL) {
      buf_printf (&w->blocked_at, "/%u", w->path[i].index);
      continue;
    }
    const char *name = json_string (w->tape, w->path[i].name, &w->arena, &len);
    json_pointer_add (&w->blocked_at, name, len);
  }
}

static void
block (struct walk *w, const struct guard_rule *rule, bool in_name)
{
  w->blocked = rule;
  w->stopped = true;
  put_pointer (w, w->depth - (in_name ? 1 : 0));
}

/* The text with what was found replaced. */
static void
put_redacted (const struct search *s, size_t count, struct buf *out)
{
  const struct span *span = (const struct span *) (const void *) s->spans.data;
  size_t at = 0;

  for (size_t i = 0; i < count; i++, span++) {
    buf_append (out, s->text + at, span->start - at);
    buf_puts (out, span->rule->replacement);
    at = span->end;
  }
  buf_append (out, s->text + at, s->len - at);
}

/* A value or a name of the tape is another. */
static void
replace (struct walk *w, const struct json_node *node, size_t count)
{
  CLEANUP_BUF struct buf text = { 0 };
  size_t raw_len;
  const char *raw = json_raw (w->tape, node, &raw_len);
  const size_t start = (size_t) (raw - w->tape->text);

  w->changed = true;
  put_redacted (&w->search, count, &text);
  buf_append (&w->out, w->tape->text + w->copied, start - w->copied);
  buf_putc (&w->out, '"');
  json_escape (&w->out, text.data, text.len);
  buf_putc (&w->out, '"');
  w->copied = start + raw_len;
}

/* ---- one text ---- */

static bool
look (struct walk *w)
{
  w->search.spans.len = 0;
  if (search_pay (&w->search, w->search.len / 4 * w->guard->cost + STEPS_PER_NODE))
    w->guard->kind->find (w->guard, &w->search);
  if (*w->search.budget < 0)
    w->stopped = true;
  return !w->stopped && w->search.spans.len != 0;
}

/* A member name can't be replaced without the danger of a second one of the same spelling: where
 * one would have to be, the value is blocked. */
static void
visit (struct walk *w, const struct json_node *node, bool is_name)
{
  const struct guard_rule *rule;
  size_t count;

  w->search.is_number = node->type == JSON_NUMBER;
  if (w->search.is_number)
    w->search.text = json_raw (w->tape, node, &w->search.len);
  else
    w->search.text = json_string (w->tape, node, &w->arena, &w->search.len);
  if (!look (w))
    return;
  rule = first_block (&w->search.spans);
  if (rule == NULL && is_name)
    rule = ((const struct span *) (const void *) w->search.spans.data)->rule;
  count = settle (&w->search.spans);
  w->found += (unsigned) count;
  if (rule != NULL && !w->for_log) {
    block (w, rule, is_name);
    return;
  }
  if (search_pay (&w->search, count * STEPS_PER_SPAN + w->search.len / 4))
    replace (w, node, count);
  else
    w->stopped = true;
}

/* ---- all texts ---- */

static void walk (struct walk *w, const struct json_node *node, enum place place, unsigned paths,
                  bool within);

static enum place
place_of_item (enum place place)
{
  return place == CONTENT ? PART : OTHER;
}

/* What a part is, by its type. */
static enum place
place_of_part (const struct walk *w, const struct json_node *part)
{
  const struct json_node *type = json_member (w->tape, part, "type");

  if (json_equals (w->tape, type, "image") || json_equals (w->tape, type, "audio"))
    return MEDIA;
  return json_equals (w->tape, type, "resource") ? RESOURCE : OTHER;
}

static enum place
place_of_member (const struct walk *w, enum place place, const struct json_node *name)
{
  if (place == RESULT && json_equals (w->tape, name, "content"))
    return CONTENT;
  if (place == RESOURCE && json_equals (w->tape, name, "resource"))
    return EMBEDDED;
  return OTHER;
}

/* Base64 is no text. */
static bool
is_binary (const struct walk *w, enum place place, const struct json_node *name)
{
  return (place == MEDIA && json_equals (w->tape, name, "data"))
         || (place == EMBEDDED && json_equals (w->tape, name, "blob"));
}

static unsigned
step_paths (const struct walk *w, unsigned paths, const char *name, size_t len)
{
  return w->guard->at != NULL ? at_step (w->guard->at, paths, w->depth - 1, name, len) : 0;
}

static void
walk_member (struct walk *w, const struct json_node *name, enum place place, unsigned paths,
             bool within)
{
  const char *was = w->search.name;
  const size_t was_len = w->search.name_len;

  w->path[w->depth - 1].name = name;
  w->search.name = "";
  w->search.name_len = 0;
  if (within && (w->guard->names || w->for_log))
    visit (w, name, true);
  w->search.name = json_string (w->tape, name, &w->arena, &w->search.name_len);
  paths = step_paths (w, paths, w->search.name, w->search.name_len);
  if (!is_binary (w, place, name))
    walk (w, json_next (name), place_of_member (w, place, name), paths, within);
  w->search.name = was;
  w->search.name_len = was_len;
}

static void
walk_items (struct walk *w, const struct json_node *array, enum place place, unsigned paths,
            bool within)
{
  unsigned index = 0;

  for (const struct json_node *n = json_first (array); n != json_end (array) && !w->stopped;
       n = json_next (n), index++) {
    char text[12];
    int len = w->guard->at != NULL ? snprintf (text, sizeof text, "%u", index) : 0;
    w->path[w->depth - 1].name = NULL;
    w->path[w->depth - 1].index = index;
    walk (w, n, place_of_item (place), step_paths (w, paths, text, (size_t) len), within);
  }
}

static void
walk_container (struct walk *w, const struct json_node *node, enum place place, unsigned paths,
                bool within)
{
  if (w->depth == DEPTH_MOST) {
    *w->search.budget = -1;
    w->stopped = true;
    return;
  }
  w->depth++;
  if (place == PART)
    place = place_of_part (w, node);
  if (node->type == JSON_ARRAY)
    walk_items (w, node, place, paths, within);
  else
    for (const struct json_node *n = json_first (node); n != json_end (node) && !w->stopped;
         n = json_next (json_next (n)))
      walk_member (w, n, place, paths, within);
  w->depth--;
}

/* `paths`: those of "at" that lead here; `within`: one of them has ended here or above. */
static void
walk (struct walk *w, const struct json_node *node, enum place place, unsigned paths, bool within)
{
  if (w->stopped || !search_pay (&w->search, STEPS_PER_NODE)) {
    w->stopped = true;
    return;
  }
  if (!within && w->guard->at != NULL && at_ends (w->guard->at, paths, w->depth))
    within = true;
  if (node->type == JSON_ARRAY || node->type == JSON_OBJECT) {
    if (within || paths != 0)
      walk_container (w, node, place, paths, within);
  }
  else if (within
           && (node->type == JSON_STRING || (node->type == JSON_NUMBER && w->guard->kind->numbers)))
    visit (w, node, false);
}

static void
walk_from (struct walk *w, const struct json_node *root, enum place place)
{
  const bool everywhere = w->guard->at == NULL || w->for_log;
  size_t len;
  const char *raw = json_raw (w->tape, root, &len);
  const size_t start = (size_t) (raw - w->tape->text);

  w->copied = start;
  w->search.name = "";
  walk (w, root, place, everywhere ? 0 : ~0U, everywhere);
  if (w->changed)
    buf_append (&w->out, w->tape->text + w->copied, start + len - w->copied);
}

/* ---- a case ---- */

/* "The arguments hold an email address (/to), which must not be passed on." */
static void
put_refusal (const struct walk *w, const struct guard_case *one, struct buf *out)
{
  const bool input = one->stage == GUARD_INPUT;
  size_t len = w->blocked_at.len;

  if (w->guard->message != NULL) {
    buf_puts (out, w->guard->message);
    return;
  }
  buf_printf (out, "%s %s", input ? "The arguments hold" : "The result holds", w->blocked->what);
  if (len > POINTER_MOST)
    for (len = POINTER_MOST; len > 0 && (w->blocked_at.data[len] & 0xc0) == 0x80;)
      len--;
  if (input && len != 0) {
    buf_puts (out, " (");
    buf_append (out, w->blocked_at.data, len);
    buf_puts (out, ")");
  }
  buf_puts (out, ", which must not be passed on.");
}

void
walk_check (const struct guard *guard, const struct guard_case *one, int64_t *budget,
            struct guard_says *says)
{
  __attribute__ ((cleanup (walk_free))) struct walk w = { .guard = guard, .tape = one->tape };

  w.search.budget = budget;
  walk_from (&w, one->value, one->stage == GUARD_OUTPUT ? RESULT : OTHER);
  says->found = w.found;
  if (w.blocked != NULL) {
    says->verdict = GUARD_REJECT;
    put_refusal (&w, one, &says->text);
  }
  else if (*budget >= 0 && w.changed) {
    says->verdict = GUARD_REPLACE;
    buf_swap (&says->value, &w.out);
  }
}

/* ---- a text of a log ---- */

/* A text that was cut may end in the middle of a character. */
static void
mend_utf8 (struct buf *text)
{
  CLEANUP_BUF struct buf good = { 0 };
  const char *p = text->data, *end = p + text->len;

  if (utf8_valid (text->data, text->len))
    return;
  while (p < end) {
    size_t len = utf8_sequence (p, end);
    if (len == 0)
      buf_puts (&good, "\xef\xbf\xbd");
    buf_append (&good, p, len);
    p += len != 0 ? len : 1;
  }
  buf_swap (text, &good);
}

static void
redact_plain (struct walk *w, const struct buf *text)
{
  w->search.text = text->data;
  w->search.len = text->len;
  w->search.name = "";
  w->changed = look (w);
  if (w->changed)
    put_redacted (&w->search, settle (&w->search.spans), &w->out);
}

void
walk_redact (const struct guard *guard, struct buf *text)
{
  __attribute__ ((cleanup (walk_free))) struct walk w = { .guard = guard, .for_log = true };
  struct json_limits limits = json_default_limits;
  int64_t budget = GUARD_BUDGET;
  struct json_tape tape;

  if (text->len == 0)
    return;
  limits.any_names = true;
  w.tape = &tape;
  w.search.budget = &budget;
  mend_utf8 (text);
  if (json_read (&tape, text->data, text->len, &limits, &w.arena))
    walk_from (&w, json_root (&tape), OTHER);
  else
    redact_plain (&w, text);
  if (budget < 0) {
    w.out.len = 0;
    w.changed = true;
    buf_puts (&w.out, "\"[redacted: too long to be looked at]\"");
  }
  if (w.changed)
    buf_swap (text, &w.out);
}
