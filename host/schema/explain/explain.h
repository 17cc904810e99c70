/* explain.h - why a value does not fit: found by a second walk, after check_rule said no. */
#ifndef TOOLHOST_SCHEMA_EXPLAIN_EXPLAIN_H
#define TOOLHOST_SCHEMA_EXPLAIN_EXPLAIN_H

#include "schema/check.h"
#include "schema/schema.h"

/* Fill the report with what is wrong with `value`, which is the whole; its texts go into `arena`.
 * `k` has just refused the value; its budget is renewed. */
void explain (struct checker *k, const struct json_node *value, struct schema_report *report,
              struct arena *arena);

#endif
