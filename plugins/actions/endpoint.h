/* endpoint.h - named endpoints (S2-10, U2-8): where a webhook goes, and how.
 *
 * Whatever templates of a URL become, it goes to the server and has the path that was written: the
 * server is literal, values are percent-encoded, and one that would be no part of a path ("..",
 * nothing) is refused.  Immutable once read; any thread. */
#ifndef TOOLHOST_PLUGINS_ACTIONS_ENDPOINT_H
#define TOOLHOST_PLUGINS_ACTIONS_ENDPOINT_H

#include "expr.h"

enum {
  URL_MAX = 8192,
  ENDPOINTS_MAX = 500,
  HEADERS_MAX = 32,
  RETRIES_MAX = 5,
  TIMEOUT_MS = 5000, /* A2-16 */
  TIMEOUT_MAX_MS = 60000,
  CODES_MAX = 16
};

enum endpoint_key { KEY_OF_CALL, KEY_NONE, KEY_OWN };

struct endpoint_header {
  const char *name;
  struct expr value;
};

struct endpoint {
  const char *name, *method;
  struct expr url;
  size_t header_count;
  struct endpoint_header *headers;
  int64_t timeout_ms, retries;
  enum endpoint_key key_is;
  struct expr key;
  unsigned classes; /* of statuses that are a success: bit 2 is 2xx … */
  int32_t codes[CODES_MAX];
  size_t code_count;
  const struct value *success; /* as it was written, or NULL */
};

struct endpoints {
  size_t count;
  struct endpoint *list;
  const char *const *names; /* NULL-terminated */
};

/* Read a list of endpoints, which may be NULL: none.  Those that are wrong are left out, with
 * problems told. */
void endpoints_read (struct endpoints *endpoints, const struct value *list, const struct place *at,
                     struct values *pool, struct problems *problems);
const struct endpoint *endpoint_find (const struct endpoints *endpoints, const char *name);
bool endpoint_is_method (const char *text);

/* The URL for a call.  False: *why is a sentence. */
bool endpoint_url (const struct endpoint *endpoint, const struct lookup *lookup, struct text *url,
                   const char **why);
/* The length of "https://host[:port]" at the start of a URL's literal text; 0: that is not there.
 */
size_t endpoint_server_length (const char *text, size_t len);
/* What stands before the first template: of a URL without one all of it. */
const char *endpoint_literal_head (const struct expr *url, size_t *len);
bool endpoint_succeeded (const struct endpoint *endpoint, int32_t status);

#endif
