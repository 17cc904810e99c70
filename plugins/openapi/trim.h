/* trim.h - the part of a JSON answer that the model is told. */
#ifndef TOOLHOST_PLUGINS_OPENAPI_TRIM_H
#define TOOLHOST_PLUGINS_OPENAPI_TRIM_H

#include "service.h"

/* What is left of an answer; `note` has a sentence for each thing that is not as it came.  NULL: it
 * can't be cut to so few bytes and still be JSON. */
const struct value *trim_answer (const struct trim *trim, const struct value *answer,
                                 struct values *pool, struct text *note);

/* Append what of an answer says that there is more of it: a header Link of rel "next", or members
 * as "next_cursor".  `answer` NULL: it is no JSON; `link` NULL: there is none. */
void trim_say_more (const struct operation *operation, const struct value *answer, const char *link,
                    struct text *note);

#endif
