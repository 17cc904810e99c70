/* list_cost.h - toolhost list --cost: the answer of GET /v1/tools?cost=1 as a table. */
#ifndef TOOLHOST_CLI_LIST_COST_H
#define TOOLHOST_CLI_LIST_COST_H

#include <stdbool.h>

#include "base/buf.h"

/* Append the table and its sums, in lines of `width` columns (0: no limit).  False: the JSON is not
 * such an answer. */
bool list_cost_table (const char *json, size_t len, unsigned width, struct buf *out);

#endif
