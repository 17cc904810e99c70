#include "catalog/toolset.h"

#include <stdlib.h>
#include <string.h>

#include "catalog/skill.h"
#include "schema/schema.h"

struct tool *
tool_ref (struct tool *tool)
{
  tool->refs++;
  return tool;
}

void
tool_unref (struct tool *tool)
{
  if (tool == NULL || --tool->refs != 0)
    return;
  if (tool->unit != NULL)
    tool->unit_unref (tool->unit);
  schema_free (tool->input);
  schema_free (tool->output);
  uri_template_free (tool->uri_template);
  tool_unref (tool->listed_by);
  if (tool->skill != NULL)
    skills_unref (tool->skill->all);
  mirrored_free (&tool->mirrored);
  buf_free (&tool->mcp);
  free (tool->name);
  free (tool->description);
  free (tool->plugin);
  for (size_t i = 0; i < tool->tags_count; i++)
    free (tool->tags[i]);
  free (tool->tags);
  free (tool->text);
  free (tool->permissions);
  free (tool);
}

/* Bytewise, a shorter name before a longer one that begins with it. */
static int
compare_names (const char *a, size_t a_len, const char *b, size_t b_len)
{
  int c = memcmp (a, b, a_len < b_len ? a_len : b_len);
  return c != 0 ? c : (a_len > b_len) - (a_len < b_len);
}

static int
compare_tools (const void *a, const void *b)
{
  const struct tool *x = *(struct tool *const *) a, *y = *(struct tool *const *) b;

  if (x->offer != y->offer)
    return x->offer < y->offer ? -1 : 1;
  return compare_names (x->name, x->name_len, y->name, y->name_len);
}

const char *
offer_word (enum offer offer)
{
  static const char *const words[OFFERS] = {
    [OFFER_TOOL] = "tool",     [OFFER_RESOURCE] = "resource", [OFFER_TEMPLATE] = "template",
    [OFFER_PROMPT] = "prompt", [OFFER_SKILL] = "skill",       [OFFER_GUARD] = "guard"
  };
  return words[offer];
}

/* Where those of each kind begin and end in what is sorted. */
static void
divide (struct toolset *set)
{
  struct tool **at = set->tools, **end = set->tools + set->all;

  for (size_t kind = 0; kind < OFFERS; kind++) {
    struct offers *offers = &set->of[kind];
    offers->list = at;
    while (at != end && (*at)->offer == (enum offer) kind)
      at++;
    offers->count = (size_t) (at - offers->list);
  }
  set->count = set->of[OFFER_TOOL].count;
}

static bool
are_sorted (struct tool *const *tools, size_t count)
{
  for (size_t i = 1; i < count; i++)
    if (compare_tools (&tools[i - 1], &tools[i]) > 0)
      return false;
  return true;
}

struct toolset *
toolset_new (struct tool *const *tools, size_t count, uint64_t generation)
{
  struct toolset *set = xcalloc (1, sizeof *set);

  set->refs = 1;
  set->generation = generation;
  set->all = count;
  set->tools = xmalloc (count * sizeof *tools);
  if (count != 0) {
    memcpy (set->tools, tools, count * sizeof *tools);
    if (!are_sorted (tools, count))
      qsort (set->tools, count, sizeof *tools, compare_tools);
  }
  divide (set);
  return set;
}

bool
toolset_choose (struct toolset *set, const char *choice)
{
  const bool plain = choice == NULL || strcmp (choice, "auto") == 0;
  const bool known = plain || strcmp (choice, "none") == 0 || strcmp (choice, "required") == 0
                     || toolset_find (set, choice, strlen (choice)) != NULL;

  free (set->choice);
  set->choice = plain || !known ? NULL : xstrdup (choice);
  return known;
}

const char *
toolset_choice (const struct toolset *set)
{
  if (set->count == 0)
    return "none";
  return set->choice != NULL ? set->choice : "auto";
}

struct toolset *
toolset_ref (struct toolset *set)
{
  set->refs++;
  return set;
}

void
toolset_unref (struct toolset *set)
{
  if (set == NULL || --set->refs != 0)
    return;
  for (size_t i = 0; i < set->all; i++)
    tool_unref (set->tools[i]);
  free (set->tools);
  free (set->choice);
  free (set);
}

size_t
offers_after (const struct offers *offers, const char *name, size_t len)
{
  size_t low = 0, high = offers->count;

  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const struct tool *tool = offers->list[middle];
    if (compare_names (tool->name, tool->name_len, name, len) <= 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

struct tool *
offers_find (const struct offers *offers, const char *name, size_t len)
{
  size_t after = offers_after (offers, name, len);
  struct tool *tool = after != 0 ? offers->list[after - 1] : NULL;

  return tool != NULL && compare_names (tool->name, tool->name_len, name, len) == 0 ? tool : NULL;
}

size_t
toolset_after (const struct toolset *set, const char *name, size_t len)
{
  return offers_after (&set->of[OFFER_TOOL], name, len);
}

struct tool *
toolset_find (const struct toolset *set, const char *name, size_t len)
{
  return offers_find (&set->of[OFFER_TOOL], name, len);
}

struct tool *
toolset_resource (const struct toolset *set, const char *uri, size_t len, struct buf *variables)
{
  const struct offers *templates = &set->of[OFFER_TEMPLATE];
  struct tool *best = skill_at (set, uri, len);
  size_t most = 0, start = variables->len;

  if (best != NULL && skill_file (best->skill, uri, len) != NULL)
    return best;
  best = offers_find (&set->of[OFFER_RESOURCE], uri, len);
  if (best != NULL && best->listed_by != NULL)
    (void) uri_template_match (best->listed_by->uri_template, uri, len, variables);
  if (best != NULL)
    return best;
  for (size_t i = 0; i < templates->count; i++) {
    CLEANUP_BUF struct buf found = { 0 };
    struct tool *tool = templates->list[i];
    size_t literal = uri_template_literal (tool->uri_template);
    if ((best != NULL && literal <= most)
        || !uri_template_match (tool->uri_template, uri, len, &found))
      continue;
    best = tool;
    most = literal;
    variables->len = start;
    buf_append (variables, found.data, found.len);
  }
  return best;
}
