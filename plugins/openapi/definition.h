/* definition.h - what the tool of an operation says of itself. */
#ifndef TOOLHOST_PLUGINS_OPENAPI_DEFINITION_H
#define TOOLHOST_PLUGINS_OPENAPI_DEFINITION_H

#include "service.h"

/* Make the definition and keep it, unless the service is one that is searched: then it is only seen
 * whether it can be made.  False: `why` says why not.  While building. */
bool definition_make (struct operation *operation, struct text *why);

/* Append the definition: as above, by any thread, once it has been made. */
bool definition_write (const struct operation *operation, struct text *out, struct text *why);

/* The schema of its arguments alone; NULL: `why`. */
const struct value *definition_input (const struct operation *operation, struct values *pool,
                                      struct text *why);

/* Append one line of what it does, at most so many bytes. */
void definition_summary (const struct operation *operation, struct text *out, size_t max);

#endif
