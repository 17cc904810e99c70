/* asks.h - calls over plain HTTP that wait for answers: a bounded table, and the paths below
 * /v1/asks.  Used by rest.c and calls.c.  Loop thread only.
 *
 * A call that asks is answered with 202 { "call_id", "ok": false, "status": "input_required",
 * "ask": { "id", "requests", … } } and stands in the table from then on, for its caller and for
 * managers, until its time is over.  Who answers all its questions gets the result; it can also be
 * fetched, while the table has room for it. */
#ifndef TOOLHOST_FRONT_REST_ASKS_H
#define TOOLHOST_FRONT_REST_ASKS_H

#include "call/held.h"
#include "front/front.h"
#include "front/http/http.h"

struct rest_ask;

struct rest_asks {
  const struct front_env *env;
  struct json_limits limits;
  struct rest_ask *by_id; /* in the order they were made */
  size_t count;
  ev_timer tick; /* looks for those whose time is over */
};

void rest_asks_init (struct rest_asks *asks, const struct front_env *env);
/* Calls that run are given up; whoever waits for one gets an error. */
void rest_asks_free (struct rest_asks *asks);

/* Take in a call that asks, of this principal.  NULL: there is no room, the call is gone. */
struct rest_ask *rest_asks_add (struct rest_asks *asks, struct held *held, const char *principal);
/* The open one of this id if it is this principal's, or NULL; what it asks is rest_ask_held's. */
struct rest_ask *rest_asks_find (struct rest_asks *asks, const char *id, const char *principal);
const char *rest_ask_id (const struct rest_ask *ask);
struct held *rest_ask_held (struct rest_ask *ask);
/* Take it out of the table: the held call is the caller's. */
struct held *rest_ask_take (struct rest_ask *ask);

/* The answer of a call that asks. */
void rest_ask_answer (struct buf *out, const struct rest_ask *ask, const struct usage *usage);

/* Forget what is over at this time (of ev_now). */
void rest_asks_expire (struct rest_asks *asks, double now);

void rest_asks_list (struct rest_asks *asks, struct http_exchange *x);
void rest_ask_get (struct rest_asks *asks, struct http_exchange *x, struct slice id);
void rest_ask_post (struct rest_asks *asks, struct http_exchange *x, struct slice id);
void rest_ask_delete (struct rest_asks *asks, struct http_exchange *x, struct slice id);

#endif
