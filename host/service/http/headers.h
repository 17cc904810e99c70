/* headers.h - which header fields a tool, or the operator for it, may send.  Pure functions. */
#ifndef TOOLHOST_SERVICE_HTTP_HEADERS_H
#define TOOLHOST_SERVICE_HTTP_HEADERS_H

#include <stdbool.h>
#include <stddef.h>

struct http_header;

/* A token (RFC 9110, 5.1), and none that frames the message, belongs to the connection or names the
 * server: those are the daemon's alone. */
bool http_header_allowed (const char *name, size_t len);
/* No line break, no other control character but the tab, nothing beyond ASCII. */
bool http_header_value_ok (const char *value, size_t len);
/* One that says who asks: not passed on to another server by a redirect. */
bool http_header_is_credential (const char *name);

/* The value of the first of that name, in whatever case; NULL: there is none. */
const char *http_header_find (const struct http_header *headers, size_t count, const char *name);

#endif
