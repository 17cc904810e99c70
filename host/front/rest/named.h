/* named.h - GET and DELETE /v1/calls/{id}: what is known of a call by its id, and that it shall not
 * run, or not go on.  Used by rest.c.  Loop thread only.
 *
 * With ?session_id= the id is one of that session's.  GET answers { "call_id", "status", "tool"?,
 * "created"?, "ended"?, "result"? }: running, ended (with its result as POST had it), cancelled or
 * unknown (it ran when a daemon died).  DELETE answers 204 when a running call was cancelled, and
 * 202 when it has not come: then it is refused when it comes (with ?running=true it is 404). */
#ifndef TOOLHOST_FRONT_REST_NAMED_H
#define TOOLHOST_FRONT_REST_NAMED_H

#include "front/front.h"
#include "front/http/http.h"

void rest_named_get (const struct front_env *env, struct http_exchange *x, struct slice id);
void rest_named_delete (const struct front_env *env, struct http_exchange *x, struct slice id);

#endif
