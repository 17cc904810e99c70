/* calls.h - POST /v1/tools/{name}/call, POST /v1/prompts/{name} and GET /v1/resources/read: one
 * call from its JSON body to its JSON answer or event stream.  Used by rest.c.  Loop thread only.
 *
 * A call whose tool ran is 200: { "call_id", "ok": true, "content", "structured"?, "usage" }, or
 * with "ok": false and "error" when the tool itself says that it failed.  Any other failure has the
 * HTTP status of its code in call/errors.def and no content.  call_id is missing when the caller
 * gave none and the call was refused before it got one.  One that asks is told of in asks.h.
 * A call whose call_id was its caller's runs once: the same again is answered with what the first
 * gave, "replayed": true (named.h has what is known of it later).
 *
 * With "Accept: text/event-stream" a call that was not refused at once is answered by a stream of
 * events: progress { "done", "total"?, "message"? }, log { "level", "message" }, and last result,
 * whose data is the body above.
 *
 * A call that needs a person's approval waits for that; with "Prefer: respond-async" it is answered
 * at once by 202 { "call_id", "ok": false, "status": "approval_required", "approval": {…} }, and
 * with a stream that is its event approval. */
#ifndef TOOLHOST_FRONT_REST_CALLS_H
#define TOOLHOST_FRONT_REST_CALLS_H

#include "front/front.h"
#include "front/http/http.h"
#include "front/rest/asks.h"

struct rest_batch;
struct rest_call;

/* The calls of this front that are running. */
struct rest_calls {
  const struct front_env *env;
  struct rest_asks *asks; /* where those go that ask */
  struct json_limits limits;
  struct rest_call *running;
  struct rest_batch *batches; /* batch.h */
  struct buf scratch;         /* the answer being built */
};

void rest_calls_init (struct rest_calls *calls, const struct front_env *env,
                      struct rest_asks *asks);
/* Stops what is running; the callers get an error. */
void rest_calls_free (struct rest_calls *calls);

/* A call of this kind of what is named so, with what the body says. */
void rest_call_post (struct rest_calls *calls, struct http_exchange *x, enum call_kind kind,
                     struct slice name);
/* A read, which has no body. */
void rest_call_read (struct rest_calls *calls, struct http_exchange *x, struct slice uri);

#endif
