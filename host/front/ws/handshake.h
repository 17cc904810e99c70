/* handshake.h - the HTTP part of a WebSocket (RFC 6455, 4.2).  Pure. */
#ifndef TOOLHOST_FRONT_WS_HANDSHAKE_H
#define TOOLHOST_FRONT_WS_HANDSHAKE_H

#include "front/http/http.h"

enum { WS_HEADERS_MAX = 128 };

/* The header lines of the answer that accepts it.  False: answered with what is wrong. */
bool ws_handshake (struct http_exchange *x, char headers[WS_HEADERS_MAX]);

#endif
