/* http_keys.h - what a policy file says of HTTP: "permissions": { "http": […] } and "secrets".  For
 * settings.c. */
#ifndef TOOLHOST_DAEMON_HTTP_KEYS_H
#define TOOLHOST_DAEMON_HTTP_KEYS_H

#include <stdbool.h>

#include "base/error.h"
#include "service/http/rules.h"

struct json_object; /* json-c */

/* Patterns, or objects { "url", "methods", "private", "headers", "query" }; takes the place of what
 * was there. */
bool http_keys_grants (struct http_grants *grants, struct json_object *value, struct error *err);

/* { NAME: "/path/of/a/file", … }; the files are read here. */
bool http_keys_secrets (struct secrets *secrets, struct json_object *value, struct error *err);

#endif
