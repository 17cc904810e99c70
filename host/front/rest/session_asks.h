/* session_asks.h - calls of sessions that wait for answers, below /v1/asks as well: their ids are
 * SESSION:CALL_ID, with the session's name.  Their results go to their conversations.  Used by
 * asks.c; loop thread only. */
#ifndef TOOLHOST_FRONT_REST_SESSION_ASKS_H
#define TOOLHOST_FRONT_REST_SESSION_ASKS_H

#include "base/json_write.h"
#include "front/front.h"
#include "front/http/http.h"

/* Is it an id of one of these? */
bool session_ask_is (struct slice id);

/* Append those that this caller may answer: its own, and with the role approve all. */
void session_asks_put (const struct front_env *env, const struct http_exchange *x,
                       struct json_writer *w);

void session_ask_get (const struct front_env *env, struct http_exchange *x, struct slice id);
/* `responses` NULL: no to all. */
void session_ask_post (const struct front_env *env, struct http_exchange *x, struct slice id,
                       const struct json_tape *tape, const struct json_node *responses);
void session_ask_delete (const struct front_env *env, struct http_exchange *x, struct slice id);

#endif
