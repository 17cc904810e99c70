#include "schema/regex/regex.h"
#include "schema/regex/tree.h"

/* The tree in PCRE2's syntax.  Nothing of the pattern's own text is handed on, so that nothing of
 * what only PCRE2 knows can come through. */

enum { COUNT_MAX = 65535 /* PCRE2's, of a repetition */, PIECES_MAX = 16 };

struct translation {
  struct buf *out;
  struct error *err;
  bool captures; /* somebody asks what the groups matched */
};

static bool put_node (struct translation *t, const struct regex_node *node);

static void
put_code_point (struct buf *out, uint32_t c)
{
  buf_printf (out, "\\x{%x}", c);
}

static void
put_range (struct buf *out, uint32_t first, uint32_t last)
{
  put_code_point (out, first);
  if (last == first)
    return;
  buf_putc (out, '-');
  put_code_point (out, last);
}

/* PCRE2 wants to read nothing of surrogates. */
static void
put_gap (struct buf *out, uint32_t first, uint32_t last)
{
  if (first <= SURROGATE_LAST && last >= SURROGATE_FIRST) {
    if (first < SURROGATE_FIRST)
      put_range (out, first, SURROGATE_FIRST - 1);
    first = SURROGATE_LAST + 1;
  }
  if (first <= last)
    put_range (out, first, last);
}

/* What the ranges leave out, up to the last. */
static void
put_gaps (struct buf *out, const struct regex_set *set)
{
  uint32_t first = 0;

  for (uint32_t i = 0; i < set->count; i++) {
    if (set->ranges[i].first > first)
      put_gap (out, first, set->ranges[i].first - 1);
    first = set->ranges[i].last + 1;
  }
}

static void
put_set (struct buf *out, const struct regex_set *set)
{
  const struct regex_property *property = set->properties;

  if (property == NULL && set->count == 0) {
    buf_puts (out, "(?:[])"); /* a quantifier of [] alone is lost on PCRE2 */
    return;
  }
  if (property == NULL && set->count == 1 && set->ranges->first == set->ranges->last) {
    put_code_point (out, set->ranges->first);
    return;
  }
  if (property == NULL && set->count > 0 && set->ranges[set->count - 1].last == CODE_POINT_MAX) {
    buf_puts (out, "[^");
    put_gaps (out, set);
    buf_putc (out, ']');
    return;
  }
  buf_puts (out, set->negated ? "[^" : "[");
  for (uint32_t i = 0; i < set->count; i++)
    put_range (out, set->ranges[i].first, set->ranges[i].last);
  for (; property != NULL; property = property->next)
    buf_puts (out, property->text);
  buf_putc (out, ']');
}

static bool
put_children (struct translation *t, const struct regex_node *node, const char *between)
{
  for (const struct regex_node *child = node->child; child != NULL; child = child->next) {
    if (child != node->child)
      buf_puts (t->out, between);
    if (!put_node (t, child))
      return false;
  }
  return true;
}

static bool
put_group (struct translation *t, const struct regex_node *node, const char *opening)
{
  buf_puts (t->out, opening);
  if (!put_node (t, node->child))
    return false;
  buf_putc (t->out, ')');
  return true;
}

static bool
put_look (struct translation *t, const struct regex_node *node)
{
  static const char *const openings[2][2] = { { "(?=", "(?!" }, { "(?<=", "(?<!" } };

  return put_group (t, node, openings[node->look.behind][node->look.negated]);
}

static bool
put_counted (struct translation *t, const struct regex_node *node, uint32_t min, uint32_t max)
{
  if (!put_node (t, node->child))
    return false;
  if (max == REGEX_NO_MAX)
    buf_printf (t->out, "{%u,}", min);
  else
    buf_printf (t->out, "{%u,%u}", min, max);
  if (node->repeat.lazy)
    buf_putc (t->out, '?');
  return true;
}

/* A repetition beyond what PCRE2 counts to is several, one after the other. */
static bool
put_repeat (struct translation *t, const struct regex_node *node)
{
  uint32_t min = node->repeat.min, max = node->repeat.max;

  for (int pieces = 0; pieces < PIECES_MAX; pieces++) {
    uint32_t least = min < COUNT_MAX ? min : COUNT_MAX;
    uint32_t most = max == REGEX_NO_MAX || max <= COUNT_MAX ? max : COUNT_MAX;
    if (max == REGEX_NO_MAX && min > COUNT_MAX)
      most = COUNT_MAX;
    if (!put_counted (t, node, least, most))
      return false;
    min -= least;
    if (most == max)
      return true;
    if (max != REGEX_NO_MAX)
      max -= most;
  }
  return error_set (t->err, "too costly a pattern: it counts to more than %d",
                    PIECES_MAX * COUNT_MAX);
}

static bool
put_node (struct translation *t, const struct regex_node *node)
{
  switch (node->kind) {
  case REGEX_SET:
    put_set (t->out, &node->set);
    return true;
  case REGEX_SEQUENCE:
    return put_children (t, node, "");
  case REGEX_CHOICE:
    return put_children (t, node, "|");
  case REGEX_GROUP:
    return put_group (t, node, t->captures && node->group != 0 ? "(" : "(?:");
  case REGEX_REPEAT:
    return put_repeat (t, node);
  case REGEX_LOOK:
    return put_look (t, node);
  case REGEX_START:
    buf_putc (t->out, '^');
    return true;
  case REGEX_END:
    buf_putc (t->out, '$');
    return true;
  case REGEX_EDGE:
    buf_puts (t->out, node->inside ? "\\B" : "\\b");
    return true;
  default:
    /* in a group, for a repeated reference to an unset group fails in PCRE2's machine code */
    buf_printf (t->out, "(?:\\g{%u})", node->group);
    return true;
  }
}

bool
regex_tree_translate (const struct regex_tree *tree, struct buf *out, struct error *err)
{
  struct translation t = { .out = out, .err = err, .captures = tree->references > 0 };

  return put_node (&t, tree->root);
}
