/* views.h - what callers see that asked for some of the tools only, and the index of all tools by
 * words: each is made once for a toolset, and kept for the next time it is asked for.  Owned by
 * catalog.c.  Loop thread only. */
#ifndef TOOLHOST_CATALOG_VIEWS_H
#define TOOLHOST_CATALOG_VIEWS_H

#include "catalog/filter.h"
#include "catalog/search.h"

enum { VIEWS_MAX = 16 };

struct view {
  struct tool_filter filter; /* into `text` */
  char *text;
  struct toolset *set; /* NULL: this place is free */
  uint64_t used;
};

struct views {
  struct view list[VIEWS_MAX];
  uint64_t uses;
  struct search *search;
};

/* Forget everything: there is another toolset, and nothing may hold on to what it has not. */
void views_clear (struct views *views);

/* What of `whole`, the same as in the last call, is meant; good until the next call. */
struct toolset *views_toolset (struct views *views, struct toolset *whole,
                               const struct tool_filter *filter);
/* Its index; good until views_clear. */
struct search *views_search (struct views *views, struct toolset *whole);

#endif
