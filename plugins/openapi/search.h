/* search.h - a service with many operations, as three tools: one that finds operations by words,
 * one that says what an operation takes, one that calls it. */
#ifndef TOOLHOST_PLUGINS_OPENAPI_SEARCH_H
#define TOOLHOST_PLUGINS_OPENAPI_SEARCH_H

#include <toolhost.h>

#include "service.h"

/* The words of a service's operations.  Made once, then only read, by any thread. */
struct search_index;

/* In the pool of the service; NULL: there is no memory. */
struct search_index *search_index_new (struct service *service);
/* The best operations for a query, at most `max` of them; how many.  An empty query: the first. */
size_t search_find (const struct search_index *index, const char *query, const char *tag,
                    const struct operation **found, size_t max, size_t *total);

/* Add the three tools. */
toolhost_status search_add_tools (toolhost_build *build, struct service *service);

#endif
