/* poison.h - texts of a definition that say something else to a model than to the person who
 * approves it: every string of it is looked at, member names as well, however deep.  Refused are
 * characters that are not seen or that turn text around, anywhere; control characters, but for
 * those in values that are data (enum, const, default, examples, pattern); and texts too long to be
 * read. Pure. */
#ifndef TOOLHOST_CATALOG_POISON_H
#define TOOLHOST_CATALOG_POISON_H

#include "base/error.h"
#include "base/json_tape.h"

/* False: err says where the first one is, and what. */
bool poison_check (const struct json_tape *tape, const struct json_node *definition,
                   struct error *err);

#endif
