/* params.h - the parameters of a request's query are those that the description names (openapi.h),
 * each at most once, and of the form it says: anything else is refused, so that a slip in a name
 * ("?tols=calc*") does not show everything.
 *
 * The code is bad_parameter, or of what is not of the form of a parameter with "x-error-code" that
 * one.  Loop thread only. */
#ifndef TOOLHOST_FRONT_REST_PARAMS_H
#define TOOLHOST_FRONT_REST_PARAMS_H

#include "front/rest/route.h"

struct params;

/* Of the routes that a document of openapi_put describes.  Nothing of it is kept. */
struct params *params_new (const struct buf *document, const struct route *routes, size_t count);
void params_free (struct params *params);

/* Does the request say what the route number `at` takes?  False: it was answered, by
 * 400. */
bool params_check (const struct params *params, size_t at, struct http_exchange *x);

#endif
