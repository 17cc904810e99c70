/* strict.h - "toolhost": { "strict": … } of a tool: its arguments are all given in every call, none
 * may be left out, so that a provider can hold a model to the schema.  Pure functions. */
#ifndef TOOLHOST_CATALOG_STRICT_H
#define TOOLHOST_CATALOG_STRICT_H

#include <stdbool.h>

#include "base/error.h"
#include "base/json_tape.h"

/* What the definition asks for: false or nothing, true, or "auto". */
enum strict { STRICT_OFF, STRICT_ON, STRICT_AUTO };

enum strict strict_wish (const struct json_tape *tape, const struct json_node *definition);

/* Is no argument of the definition optional, at any depth?  False: err says which one is, with its
 * pointer. */
bool strict_takes_all (const struct json_tape *tape, const struct json_node *definition,
                       struct error *err);
/* The same, and no argument is an object of any members: a schema that "auto" makes strict.  False:
 * err says why it does not. */
bool strict_suits (const struct json_tape *tape, const struct json_node *definition,
                   struct error *err);

#endif
