#include "schema/repair/edit.h"

#include "base/json_write.h"

/* What the changes may add: an enum's value can be longer than what was sent for it. */
enum { GROWTH_MAX = 1 << 20 };

void
edits_begin (struct edits *edits, const struct json_tape *tape, const struct json_node *root,
             struct arena *arena)
{
  size_t size = root->skip * sizeof *edits->by_node;

  *edits = (struct edits){ .tape = tape, .root = root, .arena = arena };
  edits->by_node = memset (arena_alloc (arena, size), 0, size);
}

struct edit *
edit_of (const struct edits *edits, const struct json_node *node)
{
  return edits->by_node[node - edits->root];
}

static void
add_edit (struct edits *edits, const struct json_node *node, struct edit edit)
{
  struct edit **place = &edits->by_node[node - edits->root];

  if (*place != NULL)
    return;
  *place = arena_alloc (edits->arena, sizeof **place);
  **place = edit;
  edits->count++;
}

void
edit_replace (struct edits *edits, const struct json_node *node, enum repair_rule rule,
              const char *json, size_t len)
{
  add_edit (edits, node, (struct edit){ .rule = rule, .text = json, .len = len });
}

void
edit_replace_string (struct edits *edits, const struct json_node *node, enum repair_rule rule,
                     const char *text, size_t len)
{
  CLEANUP_BUF struct buf quoted = { 0 };

  buf_putc (&quoted, '"');
  json_escape (&quoted, text, len);
  buf_putc (&quoted, '"');
  edit_replace (edits, node, rule, arena_strndup (edits->arena, quoted.data, quoted.len),
                quoted.len);
}

void
edit_drop (struct edits *edits, const struct json_node *object, const struct json_node *name,
           enum repair_rule rule)
{
  bool last = json_next (name + 1) == json_end (object);

  add_edit (edits, name + 1, (struct edit){ .rule = rule, .last = last });
}

/* ---- the mended text ---- */

struct copying {
  const struct edits *edits;
  struct buf *out;
  const char *at; /* what is before it in the old text has been dealt with */
};

static const char *
start_of (const struct json_tape *tape, const struct json_node *node)
{
  size_t len;

  return json_raw (tape, node, &len);
}

static const char *
end_of (const struct json_tape *tape, const struct json_node *node)
{
  size_t len;
  const char *start = json_raw (tape, node, &len);

  return start + len;
}

static void
copy_until (struct copying *c, const char *stop)
{
  buf_append (c->out, c->at, (size_t) (stop - c->at));
}

/* The comma that stood before a member which is the last no more, and the blanks around it. */
static void
trim_comma (struct buf *out)
{
  while (out->len != 0 && strchr (" \t\r\n", out->data[out->len - 1]) != NULL)
    out->len--;
  if (out->len != 0 && out->data[out->len - 1] == ',')
    out->len--;
}

static void
leave_out (struct copying *c, const struct json_node *value, const struct edit *edit)
{
  const struct json_tape *tape = c->edits->tape;
  const struct json_node *name = value - 1;

  copy_until (c, start_of (tape, name));
  if (!edit->last) {
    c->at = start_of (tape, json_next (value));
    return;
  }
  c->at = end_of (tape, value);
  trim_comma (c->out);
}

static void
put_instead (struct copying *c, const struct json_node *node, const struct edit *edit)
{
  copy_until (c, start_of (c->edits->tape, node));
  buf_append (c->out, edit->text, edit->len);
  c->at = end_of (c->edits->tape, node);
}

/* Is this the name of a member that goes? */
static bool
goes_with_value (const struct edits *edits, const struct edit *edit, const struct json_node *node)
{
  const struct edit *next;

  if (edit->rule != REPAIR_NAME)
    return false;
  next = edit_of (edits, node + 1);
  return next != NULL && next->text == NULL;
}

bool
edits_write (const struct edits *edits, struct buf *out)
{
  const struct json_node *root = edits->root;
  struct copying c = { .edits = edits, .out = out, .at = start_of (edits->tape, root) };
  const char *end = end_of (edits->tape, root);
  size_t most = out->len + (size_t) (end - c.at) + GROWTH_MAX;

  for (const struct json_node *n = root; n < json_end (root);) {
    const struct edit *edit = edit_of (edits, n);
    if (edit == NULL || goes_with_value (edits, edit, n)) {
      n++;
      continue;
    }
    if (edit->text == NULL)
      leave_out (&c, n, edit);
    else
      put_instead (&c, n, edit);
    if (out->len > most)
      return false;
    n = json_next (n);
  }
  copy_until (&c, end);
  return out->len <= most;
}
