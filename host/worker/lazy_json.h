/* lazy_json.h - a JSON object that is read when it is first looked at: most calls never look at
 * all they are given.  Of one call; not locked. */
#ifndef TOOLHOST_WORKER_LAZY_JSON_H
#define TOOLHOST_WORKER_LAZY_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json_tape.h"

struct lazy_json {
  const char *text; /* the owner's */
  size_t len;
  bool tried;
  bool usable;
  struct json_tape tape;
};

/* NULL: it is empty, or no object. */
const struct json_tape *lazy_json_read (struct lazy_json *lazy, struct arena *arena);

#endif
