/* refusals.h - with which status and code a request may be refused, for the description: from the
 * tables that refuse (refusals.def, errors.def) and what is checked of every request.  Pure
 * functions. */
#ifndef TOOLHOST_FRONT_REST_REFUSALS_H
#define TOOLHOST_FRONT_REST_REFUSALS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json_write.h"

enum { REFUSAL_FIRST = 400, REFUSAL_END = 600, REFUSAL_CODES_MAX = 48 };

/* Each code once; borrowed. */
struct refusal_codes {
  const char *list[REFUSAL_CODES_MAX];
  size_t count;
};

/* Set the statuses that any request may be refused with, or any call. */
void refusal_statuses (bool refused[REFUSAL_END]);

void refusal_add (struct refusal_codes *codes, const char *code);
/* What any request may be answered this status with; `known`: its caller has to be known. */
void refusal_common (struct refusal_codes *codes, int status, bool known);
/* … one that runs a call, besides. */
void refusal_of_calls (struct refusal_codes *codes, int status);
/* A Response Object. */
void refusal_put (struct json_writer *w, int status, const struct refusal_codes *codes, bool runs,
                  bool known);

#endif
