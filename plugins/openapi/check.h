/* check.h - arguments of operations that are called by another tool's name, which the host can't
 * check: against the keywords that say what a value is made of.  What else a schema says (formats,
 * patterns, dependencies) is the service's to check. */
#ifndef TOOLHOST_PLUGINS_OPENAPI_CHECK_H
#define TOOLHOST_PLUGINS_OPENAPI_CHECK_H

#include "../common/value.h"

enum { CHECK_PROBLEMS_MAX = 10 };

/* Append a line for each problem, "/body/name: expected …", no more than CHECK_PROBLEMS_MAX.  True:
 * there is none.  `root` holds "$defs". */
bool check_value (const struct value *value, const struct value *root, struct text *problems);

#endif
