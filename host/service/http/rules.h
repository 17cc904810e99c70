/* rules.h - what the operator grants one plugin in the way of HTTP: patterns with methods, whether
 * addresses that are not public count, and what is added to requests that fall under them. */
#ifndef TOOLHOST_SERVICE_HTTP_RULES_H
#define TOOLHOST_SERVICE_HTTP_RULES_H

#include "service/http/grant.h"
#include "service/secrets/secrets.h"

struct json_writer;

/* A header or a parameter of the query that the tool knows nothing of. */
struct http_extra {
  bool query;
  char *name;
  char *text;  /* as it was written, "Bearer ${key}" */
  char *value; /* with the secrets in it: never shown */
};

struct http_grant {
  struct http_pattern pattern;
  unsigned methods; /* enum http_method */
  bool private_too; /* addresses that are the operator's own, as address_allowed means it */
  struct http_extra *extras;
  size_t extras_count;
};

/* Zero at first. */
struct http_grants {
  struct http_grant *list;
  size_t count;
};

/* Add one that grants every method and public addresses only; good until the next one is added.
 * NULL: err says why. */
struct http_grant *http_grants_add (struct http_grants *grants, const char *pattern,
                                    struct error *err);
/* False: err says what is wrong with the name, with the text. */
bool http_grant_add_extra (struct http_grant *grant, bool query, const char *name, const char *text,
                           struct error *err);
/* Put the secrets in.  False: err names the one that there is not. */
bool http_grants_fill (struct http_grants *grants, const struct secrets *secrets,
                       struct error *err);

void http_grants_free (struct http_grants *grants);
struct http_grants http_grants_copy (const struct http_grants *grants);
bool http_grants_same (const struct http_grants *a, const struct http_grants *b);
/* A list, of the shape it was written in; without a value. */
void http_grants_render (const struct http_grants *grants, struct json_writer *w);

/* The closest grant for a request; NULL: there is none, and *method_only says whether it is for the
 * method alone. */
const struct http_grant *http_grants_find (const struct http_grants *grants, const struct url *url,
                                           unsigned method, bool *method_only);

/* Patterns that narrow what is granted, for one tool; NULL-terminated texts. */
bool http_narrowing_ok (const struct http_grants *grants, char *const *patterns, struct error *err);
/* Does a URL fall under one of them?  Of none (NULL) always. */
bool http_narrowing_matches (char *const *patterns, const struct url *url);

#endif
