/* search.h - tools found by words: BM25 over names, titles, tags and descriptions.
 *
 * An index is built once for a toolset, and only read from then on.  Words are runs of letters and
 * digits, in lower case, cut at '_', '-' and where camelCase does, without an "s" at their end;
 * what is no ASCII counts as letters.  A word of a query also finds longer ones that begin with it,
 * which count less.  The same query on the same toolset gives the same tools in the same order: by
 * score, then by name.  Loop thread only. */
#ifndef TOOLHOST_CATALOG_SEARCH_H
#define TOOLHOST_CATALOG_SEARCH_H

#include "catalog/toolset.h"

struct search;

enum { SEARCH_QUERY_MAX = 1024 /* bytes that are looked at */ };

/* Holds a reference to the set. */
struct search *search_new (struct toolset *set);
void search_free (struct search *search);
const struct toolset *search_toolset (const struct search *search);

/* The best tools for a query, at most `max` of them, that are also in `in` (NULL: no matter).
 * Returns how many; they live as long as the toolset. */
size_t search_find (struct search *search, const char *query, size_t len, const struct toolset *in,
                    const struct tool **found, size_t max);

#endif
