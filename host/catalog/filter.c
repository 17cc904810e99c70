#include "catalog/filter.h"

#include <stdlib.h>
#include <string.h>

#include "base/glob.h"

/* The next item, without blanks around it; *list goes on behind it. */
static struct filter_list
next_item (struct filter_list *list)
{
  const char *comma = memchr (list->data, ',', list->len);
  struct filter_list item = { list->data,
                              comma != NULL ? (size_t) (comma - list->data) : list->len };

  list->data += item.len + (comma != NULL);
  list->len -= item.len + (comma != NULL);
  while (item.len != 0 && item.data[0] == ' ')
    item = (struct filter_list){ item.data + 1, item.len - 1 };
  while (item.len != 0 && item.data[item.len - 1] == ' ')
    item.len--;
  return item;
}

static bool
one_fits (struct filter_list list, const char *text)
{
  if (list.data == NULL)
    return true;
  while (list.len != 0) {
    struct filter_list item = next_item (&list);
    if (item.len != 0 && glob_fits (item.data, item.len, text))
      return true;
  }
  return false;
}

static bool
has_tag (struct filter_list list, const struct tool *tool)
{
  if (list.data == NULL)
    return true;
  for (size_t i = 0; i < tool->tags_count; i++)
    if (one_fits (list, tool->tags[i]))
      return true;
  return false;
}

bool
filter_has (struct filter_list list, const char *text)
{
  return one_fits (list, text);
}

bool
filter_is_empty (const struct tool_filter *filter)
{
  return filter->tools.data == NULL && filter->tags.data == NULL && filter->plugins.data == NULL;
}

bool
filter_means (const struct tool_filter *filter, const struct tool *tool)
{
  return one_fits (filter->tools, tool->name) && one_fits (filter->plugins, tool->plugin)
         && has_tag (filter->tags, tool);
}

struct toolset *
filter_toolset (const struct tool_filter *filter, const struct toolset *set)
{
  struct tool **meant = xmalloc ((set->all + 1) * sizeof (struct tool *));
  struct toolset *filtered;
  size_t count = 0;

  for (size_t i = 0; i < set->all; i++)
    if (set->tools[i]->offer != OFFER_TOOL || filter_means (filter, set->tools[i]))
      meant[count++] = tool_ref (set->tools[i]);
  filtered = toolset_new (meant, count, set->generation);
  (void) toolset_choose (filtered, set->choice);
  free (meant);
  return filtered;
}
