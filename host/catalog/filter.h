/* filter.h - which tools of a toolset are meant: by name, tag and plugin.  Pure functions; any
 * thread. */
#ifndef TOOLHOST_CATALOG_FILTER_H
#define TOOLHOST_CATALOG_FILTER_H

#include "catalog/toolset.h"

/* A list with commas between its items, not NUL-terminated; data NULL: everything. */
struct filter_list {
  const char *data;
  size_t len;
};

/* A tool is meant when each list that is there has an item for it.  Items of names and plugins may
 * hold '*', which stands for any characters; case counts. */
struct tool_filter {
  struct filter_list tools, tags, plugins;
};

/* Has the list an item for this text? */
bool filter_has (struct filter_list list, const char *text);
bool filter_is_empty (const struct tool_filter *filter);
bool filter_means (const struct tool_filter *filter, const struct tool *tool);
/* What of a set is meant, with all that is no tool; a set of its own, of the same generation. */
struct toolset *filter_toolset (const struct tool_filter *filter, const struct toolset *set);

#endif
