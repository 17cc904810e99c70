/* batch.h - POST /v1/calls: several calls that belong together, from their JSON body to one answer
 * or event stream.  Used by rest.c.  Loop thread only.
 *
 * The answer is { "results": [ … ] } in the order of the calls, each as calls.h and asks.h have it
 * of one call, or sessions.h of one in a session; 200, or 202 where one asks or waits for a person.
 * That a call fails, or is refused, is its own result.
 *
 * With "Accept: text/event-stream": events progress, log and approval with the "index" of their
 * call, result { "index", "result" } for each call as it ends, and last end { "calls" }.
 *
 * Where a call needs approval none begins before that is decided (call/batch.h).  Whoever wants the
 * questions itself (?approval=ask), or does not wait (Prefer: respond-async), is handed the calls
 * that need no approval in the same way. */
#ifndef TOOLHOST_FRONT_REST_BATCH_H
#define TOOLHOST_FRONT_REST_BATCH_H

#include "front/rest/calls.h"

void rest_batch_post (struct rest_calls *calls, struct http_exchange *x);
/* Stops what is running; the callers get an error. */
void rest_batches_free (struct rest_calls *calls);

#endif
