/* References: what they name, and the $defs their targets go to. */
#include <stdio.h>
#include <string.h>

#include "catalog/project/walk.h"

static int
hex (char c)
{
  const char *digits = "0123456789abcdef", *at = c != '\0' ? strchr (digits, c | 0x20) : NULL;

  return at != NULL ? (int) (at - digits) : -1;
}

/* The text with its %XX resolved, in the arena. */
static const char *
decoded (struct walk *k, const char *text, size_t len, size_t *out_len)
{
  char *out = arena_alloc (&k->arena, len + 1), *at = out;

  for (size_t i = 0; i < len; i++)
    if (text[i] == '%' && i + 2 < len && hex (text[i + 1]) >= 0 && hex (text[i + 2]) >= 0) {
      *at++ = (char) (hex (text[i + 1]) << 4 | hex (text[i + 2]));
      i += 2;
    }
    else
      *at++ = text[i];
  *at = '\0';
  *out_len = (size_t) (at - out);
  return out;
}

/* Does this object call itself by the name (an anchor), or by the whole URI? */
static bool
is_called (struct walk *k, const struct json_node *node, const char *anchor, size_t anchor_len,
           const char *uri, size_t uri_len)
{
  const struct json_node *id = json_member (k->tape, node, "$id");

  if (uri_len != 0 && json_equals_len (k->tape, id, uri, uri_len))
    return true;
  return anchor_len != 0
         && (json_equals_len (k->tape, json_member (k->tape, node, "$anchor"), anchor, anchor_len)
             || json_equals_len (k->tape, json_member (k->tape, node, "$dynamicAnchor"), anchor,
                                 anchor_len));
}

/* The first object of the schema that is called so.  All nodes are looked at in a row: what is on
 * the tape between two objects are their members. */
static const struct json_node *
find_called (struct walk *k, const char *anchor, size_t anchor_len, const char *uri, size_t uri_len)
{
  for (const struct json_node *n = k->root; n < json_next (k->root) && walk_spend (k, 1); n++)
    if (n->type == JSON_OBJECT && is_called (k, n, anchor, anchor_len, uri, uri_len))
      return n;
  return NULL;
}

const struct json_node *
walk_resolve (struct walk *k, const struct json_node *reference)
{
  size_t len, fragment_len = 0;
  const char *text = json_string (k->tape, reference, &k->arena, &len);
  const char *hash, *fragment = "";
  const struct json_node *base = k->root;

  if (text == NULL)
    return NULL;
  hash = memchr (text, '#', len);
  if (hash != NULL)
    fragment = decoded (k, hash + 1, (size_t) (text + len - hash - 1), &fragment_len);
  size_t uri_len = hash != NULL ? (size_t) (hash - text) : len;
  if (uri_len != 0)
    base = find_called (k, "", 0, text, uri_len);
  if (base == NULL || fragment_len == 0)
    return base;
  if (fragment[0] == '/')
    return json_pointer (k->tape, base, fragment, fragment_len);
  return find_called (k, fragment, fragment_len, "", 0);
}

/* ---- targets ---- */

/* Append the pointer from `from` to `to`, which is below it. */
static void
point_to (struct walk *k, const struct json_node *from, const struct json_node *to)
{
  while (from != to) {
    bool object = from->type == JSON_OBJECT;
    const struct json_node *n = json_first (from);
    char number[24];
    size_t len, index = 0;
    const char *name;

    for (;; n = json_next (n), index++) {
      const struct json_node *value = object ? json_next (n) : n;
      if (to >= value && to < json_next (value))
        break;
      n = value;
    }
    name = object ? json_string (k->tape, n, &k->arena, &len) : number;
    if (!object)
      len = (size_t) snprintf (number, sizeof number, "%zu", index);
    (void) walk_descend (k, name, len);
    from = object ? json_next (n) : n;
  }
}

static bool
name_is_free (const struct walk *k, const char *name)
{
  for (unsigned i = 1; i < k->targets_count; i++)
    if (strcmp (k->targets[i].name, name) == 0)
      return false;
  return true;
}

/* A name for $defs: the end of the pointer, made of characters every provider takes. */
static const char *
name_target (struct walk *k, const char *pointer)
{
  const char *last = strrchr (pointer, '/');
  CLEANUP_BUF struct buf name = { 0 };
  size_t stem;

  for (const char *c = last != NULL ? last + 1 : pointer; *c != '\0' && name.len < 48; c++)
    buf_putc (&name,
              (*c >= '0' && *c <= '9') || ((*c | 0x20) >= 'a' && (*c | 0x20) <= 'z') ? *c : '_');
  if (name.len == 0)
    buf_puts (&name, "schema");
  stem = name.len;
  for (unsigned i = 2; !name_is_free (k, buf_cstr (&name)); i++) {
    name.len = stem;
    buf_printf (&name, "_%u", i);
  }
  return arena_strndup (&k->arena, name.data, name.len);
}

/* The pointer to a node of the schema, in the arena. */
static const char *
pointer_of (struct walk *k, const struct json_node *node)
{
  struct buf here = k->pointer;
  const char *pointer;

  k->pointer = (struct buf){ .data = NULL };
  buf_append (&k->pointer, here.data, k->base);
  point_to (k, k->root, node);
  pointer = arena_strndup (&k->arena, buf_cstr (&k->pointer), k->pointer.len);
  buf_free (&k->pointer);
  k->pointer = here;
  return pointer;
}

/* Its index; TARGETS_MAX when there are too many. */
static unsigned
target_of (struct walk *k, const struct json_node *node)
{
  struct target *t = &k->targets[k->targets_count];

  for (unsigned i = 0; i < k->targets_count; i++)
    if (k->targets[i].node == node)
      return i;
  if (k->targets_count == TARGETS_MAX)
    return TARGETS_MAX;
  t->node = node;
  t->pointer = pointer_of (k, node);
  t->name = name_target (k, t->pointer);
  return k->targets_count++;
}

/* The reference as one to $defs; false when it leads nowhere. */
static bool
put_target (struct walk *k, const struct json_node *reference)
{
  const struct json_node *node = walk_resolve (k, reference);
  unsigned to;

  if (node == NULL || (to = target_of (k, node)) == TARGETS_MAX)
    return false;
  if (k->p->recursion != RECURSION_OPTIONAL || k->optional == 0)
    k->needs[k->target][to / 64] |= (uint64_t) 1 << to % 64;
  if (to == 0)
    jsonw_string (&k->w, "#");
  else
    jsonw_stringf (&k->w, "#/$defs/%s", k->targets[to].name);
  return true;
}

void
walk_put_reference (struct walk *k, const struct json_node *reference)
{
  jsonw_name (&k->w, "$ref");
  if (put_target (k, reference))
    return;
  jsonw_null (&k->w);
  walk_loss (k, LOSS_REFUSED, "$ref",
             "the reference leads out of the definition, or is one of over %d", TARGETS_MAX);
}

/* Targets that need none of those that are left can be met: take them away until none is left, or
 * only circles and what needs them. */
bool
walk_is_circular (const struct walk *k)
{
  uint64_t left[TARGETS_MAX / 64] = { 0 };
  unsigned count = k->targets_count;

  for (unsigned i = 0; i < count; i++)
    left[i / 64] |= (uint64_t) 1 << i % 64;
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned i = 0; i < k->targets_count; i++) {
      uint64_t needed = 0;
      for (size_t word = 0; word < TARGETS_MAX / 64; word++)
        needed |= k->needs[i][word] & left[word];
      if (needed != 0 || (left[i / 64] >> i % 64 & 1) == 0)
        continue;
      left[i / 64] &= ~((uint64_t) 1 << i % 64);
      changed = true;
      count--;
    }
  }
  return count != 0;
}
