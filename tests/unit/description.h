/* description.h - what a worker says of a plugin "p" whose tools have these definitions. */
#ifndef TOOLHOST_TESTS_UNIT_DESCRIPTION_H
#define TOOLHOST_TESTS_UNIT_DESCRIPTION_H

#include <stdint.h>

#include "base/buf.h"

/* `definitions` ends with NULL; `max_time` is that of each tool, in milliseconds. */
void description_put (struct buf *out, const char *const *definitions, int64_t max_time);

#endif
