#include "schema/regex/regex.h"
#include "schema/regex/tree.h"

/* Each time around a repetition, ECMA-262 forgets what the groups in it had matched, and takes no
 * turn that matches nothing; PCRE2 remembers, and takes it.  So a back reference is refused unless
 * the group it names is passed on each turn of the repetitions around it, before the reference. */

struct group {
  uint32_t from; /* where the outermost repetition around it begins; or the group itself */
  uint32_t to;   /* where the group ends */
  bool unsure;   /* a turn may pass it by */
};

struct walk {
  uint32_t place;  /* counts the nodes in the order of the pattern */
  uint32_t around; /* place of the outermost repetition, 0: none */
  bool unsure;
  struct group *groups;
  uint32_t *references; /* places, by pairs with the group */
  uint32_t count;
};

static bool
can_be_empty (const struct regex_node *node)
{
  const struct regex_node *child = node->child;

  switch (node->kind) {
  case REGEX_SET:
    return false;
  case REGEX_SEQUENCE:
    while (child != NULL && can_be_empty (child))
      child = child->next;
    return child == NULL;
  case REGEX_CHOICE:
    while (child != NULL && !can_be_empty (child))
      child = child->next;
    return child != NULL;
  case REGEX_GROUP:
    return can_be_empty (child);
  case REGEX_REPEAT:
    return node->repeat.min == 0 || can_be_empty (child);
  default:
    return true;
  }
}

static void walk_node (struct walk *w, const struct regex_node *node);

static void
walk_children (struct walk *w, const struct regex_node *node)
{
  for (const struct regex_node *child = node->child; child != NULL; child = child->next)
    walk_node (w, child);
}

static void
walk_group (struct walk *w, const struct regex_node *node)
{
  struct group *group = &w->groups[node->group];
  uint32_t place = w->place;

  walk_children (w, node);
  if (node->group != 0)
    *group = (struct group){ .from = w->around != 0 ? w->around : place,
                             .to = w->around != 0 ? w->place : place,
                             .unsure = w->unsure };
}

static void
enter (struct walk *w, const struct regex_node *node)
{
  bool inside = w->around != 0;

  if (node->kind == REGEX_CHOICE || (node->kind == REGEX_REPEAT && node->repeat.min == 0))
    w->unsure |= inside;
  if (node->kind == REGEX_LOOK && node->look.behind)
    w->unsure = true;
  if (node->kind != REGEX_REPEAT || node->repeat.max < 2)
    return;
  w->unsure |= can_be_empty (node->child);
  if (!inside)
    w->around = w->place;
}

static void
walk_node (struct walk *w, const struct regex_node *node)
{
  uint32_t around = w->around;
  bool unsure = w->unsure;

  w->place++;
  if (node->kind == REGEX_REFERENCE) {
    w->references[w->count++] = w->place;
    w->references[w->count++] = node->group;
  }
  enter (w, node);
  if (node->kind == REGEX_GROUP)
    walk_group (w, node);
  else
    walk_children (w, node);
  w->around = around;
  w->unsure = unsure;
}

bool
regex_tree_check_references (const struct regex_tree *tree, struct error *err)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct walk w = { 0 };

  if (tree->references == 0)
    return true;
  w.groups = arena_alloc (&arena, (tree->groups + 1) * sizeof *w.groups);
  w.references = arena_alloc (&arena, tree->references * 2 * sizeof *w.references);
  walk_node (&w, tree->root);
  for (uint32_t i = 0; i < w.count; i += 2) {
    const struct group *group = &w.groups[w.references[i + 1]];
    if (group->unsure || (w.references[i] > group->from && w.references[i] <= group->to))
      return error_set (err, "a back reference to a group that a repetition may pass by is not "
                             "supported in patterns");
  }
  return true;
}
