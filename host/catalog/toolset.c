#include "catalog/toolset.h"

#include <stdlib.h>
#include <string.h>

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
  buf_free (&tool->mcp);
  free (tool->name);
  free (tool->description);
  free (tool->plugin);
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
  return compare_names (x->name, x->name_len, y->name, y->name_len);
}

struct toolset *
toolset_new (struct tool *const *tools, size_t count, uint64_t generation)
{
  struct toolset *set = xcalloc (1, sizeof *set);

  set->refs = 1;
  set->generation = generation;
  set->count = count;
  set->tools = xmalloc (count * sizeof *tools);
  if (count != 0) {
    memcpy (set->tools, tools, count * sizeof *tools);
    qsort (set->tools, count, sizeof *tools, compare_tools);
  }
  return set;
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
  for (size_t i = 0; i < set->count; i++)
    tool_unref (set->tools[i]);
  free (set->tools);
  free (set);
}

size_t
toolset_after (const struct toolset *set, const char *name, size_t len)
{
  size_t low = 0, high = set->count;

  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const struct tool *tool = set->tools[middle];
    if (compare_names (tool->name, tool->name_len, name, len) <= 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

struct tool *
toolset_find (const struct toolset *set, const char *name, size_t len)
{
  size_t after = toolset_after (set, name, len);
  struct tool *tool = after != 0 ? set->tools[after - 1] : NULL;

  return tool != NULL && compare_names (tool->name, tool->name_len, name, len) == 0 ? tool : NULL;
}
