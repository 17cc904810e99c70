/* request.h - a call of an operation: its arguments as a request, sent by the host. */
#ifndef TOOLHOST_PLUGINS_OPENAPI_REQUEST_H
#define TOOLHOST_PLUGINS_OPENAPI_REQUEST_H

#include <toolhost.h>

#include "service.h"

/* What is asked of the service; zero at first. */
struct request {
  struct text url, cookie;
  struct payload payload;
  const char **headers; /* in the pool it was made with: name, value, …, NULL */
};

void request_free (struct request *request);
#define CLEANUP_REQUEST __attribute__ ((cleanup (request_free)))

/* Put it together.  False: `why` says what the arguments lack. */
bool request_make (struct request *request, const struct operation *operation,
                   const struct value *arguments, struct values *pool, struct text *why);
/* Put it together, send it, and tell what came of it. */
toolhost_status request_send (toolhost_call *call, const struct operation *operation,
                              const struct value *arguments, struct values *pool);

#endif
