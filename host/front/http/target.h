/* target.h - the request target: checked, split, decoded; and parameters out of a query.  Pure. */
#ifndef TOOLHOST_FRONT_HTTP_TARGET_H
#define TOOLHOST_FRONT_HTTP_TARGET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "front/http/parse.h"

/* Check a target and decode its path in place ("%2F" becomes "/": routes are compared decoded). The
 * path is the first *path_len bytes, the query begins at *query_at and goes to the end as it came
 * (*query_at is `len` without one).  False: `why`. */
bool http_target_split (char *target, size_t len, size_t *path_len, size_t *query_at,
                        enum http_refused *why);

/* The first parameter of that name in a query that passed http_target_split, decoded into the arena
 * as forms are ("+" is a blank); data NULL when there is none. */
struct slice http_query_param (struct slice query, const char *name, struct arena *arena);
/* The next parameter from *at (0 at first) on, both parts decoded likewise; without "=" its value
 * is empty.  False: there is none. */
bool http_query_next (struct slice query, size_t *at, struct slice *name, struct slice *value,
                      struct arena *arena);

#endif
