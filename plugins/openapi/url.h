/* url.h - the URL of a request: its server with variables filled in, its path with parameters, and
 * that the one stays within the other.  Pure. */
#ifndef TOOLHOST_PLUGINS_OPENAPI_URL_H
#define TOOLHOST_PLUGINS_OPENAPI_URL_H

#include "param.h"

/* Append the URL of a server object, without a slash at its end: its variables have the values of
 * `values` (an object; NULL: none), or their defaults.  False: `why`. */
bool url_server (struct text *out, const struct value *server, const struct value *values,
                 struct text *why);
/* Is it http:// or https:// with a host, and no query and fragment? */
bool url_is_absolute (const char *url);

/* Append the path of a template with the values of its parameters.  Values are by the names of
 * arguments; one that is missing leaves its place as it stands.  False: `why`. */
bool url_path (struct text *out, const char *path_template, const struct param *params,
               size_t count, const struct value *arguments, const char *operation,
               struct text *why);
/* Append server and path.  A path that is a URL itself has to be within the server's. */
bool url_join (struct text *out, const char *server, const char *path, struct text *why);
/* Append a path as a URL may hold it: what is left of a template ("{id}") is encoded. */
void url_tidy (struct text *out, const char *path);

#endif
