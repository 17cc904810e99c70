/* results.h - GET /v1/results/{id}: what was too large to be shown, whole or a Range of it, for the
 * principal whose call it was of; of a call in a session with session_id=….  Used by rest.c.  Loop
 * thread only. */
#ifndef TOOLHOST_FRONT_REST_RESULTS_H
#define TOOLHOST_FRONT_REST_RESULTS_H

#include "front/front.h"
#include "front/http/http.h"

void rest_result_get (const struct front_env *env, struct http_exchange *x, struct slice id);

#endif
