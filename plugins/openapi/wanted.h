/* wanted.h - which operations of a document its configuration asks for.  Pure. */
#ifndef TOOLHOST_PLUGINS_OPENAPI_WANTED_H
#define TOOLHOST_PLUGINS_OPENAPI_WANTED_H

#include "service.h"

/* By tags, methods, paths and ids, whether it is deprecated, and "exclude" after "include".  Of the
 * operation its source, method and path are looked at; `id`: its operationId, "" when it has none.
 */
bool wanted_is (const struct service *service, const struct operation *operation, const char *id);

#endif
