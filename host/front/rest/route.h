/* route.h - which handler serves a path: a table of patterns in which each {name} stands for one
 * segment.  Pure functions over the caller's table. */
#ifndef TOOLHOST_FRONT_REST_ROUTE_H
#define TOOLHOST_FRONT_REST_ROUTE_H

#include "front/http/http.h"

struct rest;

enum { ROUTE_SEGMENTS = 2 };

struct route {
  const char *method;
  const char *pattern;   /* at most ROUTE_SEGMENTS {…} */
  const char *operation; /* by this id a file of api/ describes it */
  const char *summary;   /* for the index */
  /* `segment` is what stood at the first {…}, never empty then.  NULL: another front serves it. */
  void (*handle) (struct rest *rest, struct http_exchange *x, struct slice segment);
  unsigned role; /* ROLE_… that it takes */
};

/* Does the path fit the pattern?  What stood at its {…}, in their order. */
bool route_fits (const char *pattern, struct slice path, struct slice segments[ROUTE_SEGMENTS]);

/* The route of a request (HEAD takes GET's); NULL when there is none.  `known` then tells whether
 * another method would have been right. */
const struct route *route_find (const struct route *routes, size_t count, struct slice method,
                                struct slice path, struct slice segments[ROUTE_SEGMENTS],
                                bool *known);

/* Append the methods a path takes: "GET, HEAD, POST". */
void route_allow (const struct route *routes, size_t count, struct slice path, struct buf *out);
/* The pattern nearest to a path that fits none, or NULL. */
const char *route_nearest (const struct route *routes, size_t count, struct slice path);

#endif
