/* openapi.h - this daemon's description of its own HTTP interface, OpenAPI 3.1: the table that
 * routes (route.h), joined with what api/ has of each operation.
 *
 * A file of api/ is one tag: { "tag", "operations": { operationId: … }, "parameters"?, "schemas" }.
 * An operation is an Operation Object of OpenAPI without what the table and this file know:
 * summary, tag, parameters of the path, security, and refusals.  Instead of those it has
 *
 *   "errors"  { status: [code, …] }, the refusals of its own, with the schema Error
 *   "runs"    true: it ends as a call may, by all rows of errors.def, with the schema CallError
 *
 * A parameter of the query is checked as its schema says (params.h); what is wrong is refused with
 * its "x-error-code", without one bad_parameter.
 *
 * What every request may be refused with (refusals.def, auth) is added to all.  A status that
 * stands in its "responses" is taken as it stands there.  The codes of a refusal are its
 * "x-error-codes". Pure functions. */
#ifndef TOOLHOST_FRONT_REST_OPENAPI_H
#define TOOLHOST_FRONT_REST_OPENAPI_H

#include "base/buf.h"
#include "front/rest/route.h"

/* Append the description.  `faults` gets a line for each route that nothing describes and each
 * description that has no route; it may be NULL. */
void openapi_put (struct buf *out, const struct route *routes, size_t count, const char *version,
                  struct buf *faults);

#endif
