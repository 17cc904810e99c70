/* origin.h - is this request meant for us, or was a browser tricked into sending it?
 *
 * A page of a foreign site can make a browser on this machine send requests to a loopback port, and
 * by DNS rebinding even read the answers.  What it can't do is choose Host and Origin. */
#ifndef TOOLHOST_FRONT_HTTP_ORIGIN_H
#define TOOLHOST_FRONT_HTTP_ORIGIN_H

#include <stdbool.h>

#include "front/http/http.h"

/* Host (over TCP): localhost, 127.0.0.1, [::1] or one of env->hosts, with any port; an entry of
 * env->hosts that names a port stands for that port alone.  Origin, when there is one: http or
 * https and such a host, or one of env->origins to the letter; never "null".  False: *why is
 * "forbidden_host" or "forbidden_origin". */
bool http_origin_allowed (const struct http_exchange *x, const struct front_env *env,
                          const char **why);
/* A sentence for either. */
const char *http_origin_advice (const char *why);

/* The rules alone.  `hosts`, `origins`: NULL-terminated, or NULL. */
bool http_host_allowed (struct slice host, const char *const *hosts);
bool http_origin_value_allowed (struct slice origin, const char *const *hosts,
                                const char *const *origins);

#endif
