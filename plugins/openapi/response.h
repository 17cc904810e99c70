/* response.h - what came of a request, as the result of the call. */
#ifndef TOOLHOST_PLUGINS_OPENAPI_RESPONSE_H
#define TOOLHOST_PLUGINS_OPENAPI_RESPONSE_H

#include <toolhost.h>

#include "service.h"

/* Give the answer of the service, or fail as it says (openapi_error).  `url`: what was asked for.
 */
toolhost_status response_tell (toolhost_call *call, const struct operation *operation,
                               const char *url, const toolhost_http_response *response);

#endif
