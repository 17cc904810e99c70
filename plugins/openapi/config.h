/* config.h - the feature "openapi" of a tenant: { "services": [ … ] }, read. */
#ifndef TOOLHOST_PLUGINS_OPENAPI_CONFIG_H
#define TOOLHOST_PLUGINS_OPENAPI_CONFIG_H

#include <toolhost.h>

#include "service.h"

enum {
  CONFIG_SERVICES_MAX = 64,
  CONFIG_TOOLS_MAX = 128, /* of a service, unless it says otherwise */
  CONFIG_TIMEOUT_MS = 30000,
  CONFIG_ANSWER_MAX = 256 * 1024 /* bytes */
};

/* The list of services; NULL: toolhost_build_error was told what is wrong and where. */
const struct value *config_services (toolhost_build *build, struct values *pool, const char *config,
                                     size_t len);
/* One of them, of this index.  `from` has to live as long as the service.  False: as above. */
bool config_service (toolhost_build *build, struct service *service, const struct value *from,
                     size_t index);
/* What an override says of an operation, which has been checked: its trim goes on from the
 * service's. */
struct trim config_trim (const struct value *response, struct trim otherwise);

#endif
