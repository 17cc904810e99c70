/* operations.h - the operations of a document that become tools: those that are wanted, each with a
 * name of its own, its server, parameters and body.  What can't be one is left out and told. */
#ifndef TOOLHOST_PLUGINS_OPENAPI_OPERATIONS_H
#define TOOLHOST_PLUGINS_OPENAPI_OPERATIONS_H

#include "service.h"

/* Who is told of an operation that is left out: why, and the scheme whose credentials the operator
 * has not configured (NULL: another reason) for this server. */
struct left_out {
  void (*tell) (void *ctx, const char *method, const char *path, const char *why,
                const char *scheme, const char *server);
  void *ctx;
};

/* Read the document's operations into the service.  False: there is no memory, or one was left out
 * of a strict service; `why` says it. */
bool operations_read (struct service *service, const struct left_out *left_out, struct text *why);

#endif
