/* security.h - which credentials an operation needs, and what the operator has to write so that the
 * daemon adds them to its requests.  They never pass through this plugin. */
#ifndef TOOLHOST_PLUGINS_OPENAPI_SECURITY_H
#define TOOLHOST_PLUGINS_OPENAPI_SECURITY_H

#include "service.h"

/* The first scheme that the operation needs and the configuration does not name; NULL: there is a
 * way without any that is missing. */
const char *security_missing (const struct service *service, const struct value *operation);
/* Is this parameter how a scheme's key travels?  Then it is no argument of the tool. */
bool security_is_credential (struct service *service, const struct param *param);
/* Append, as JSON, what the plugin's policy needs so that requests to this server carry what the
 * scheme asks for: { "permissions": …, "secrets": … }.  False: no policy can (mutual TLS, or there
 * is no such scheme). */
bool security_policy (struct service *service, const char *scheme, const char *server,
                      struct text *out);

#endif
