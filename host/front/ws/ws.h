/* ws.h - GET /v1/session: a whole conversation over one WebSocket.  Each text message is an event,
 * in and out, as over plain HTTP (docs/sessions.md); those that go out have their "number" first.
 * The frames are wslay's, the connection is the HTTP server's.  Loop thread only.
 *
 * Without ?session_id= a session is opened that ends with the connection (unless ?keep=true); with
 * it the connection joins one, behind event ?after=.  Closed with 1000 when the session has ended,
 * 1001 when the daemon stops, 1003 for bytes, 1009 for a message above the daemon's body_max, 1008
 * (slow_consumer) for who is a megabyte behind. */
#ifndef TOOLHOST_FRONT_WS_WS_H
#define TOOLHOST_FRONT_WS_WS_H

#include "front/front.h"
#include "front/http/http.h"

#define WS_PATH "/v1/session"

struct ws_front;

struct ws_front *ws_front_new (const struct front_env *env);
/* A request for WS_PATH. */
void ws_front_handle (struct ws_front *front, struct http_exchange *x);
/* The daemon is stopping: all connections are closed. */
void ws_front_drain (struct ws_front *front);
void ws_front_free (struct ws_front *front);

#endif
