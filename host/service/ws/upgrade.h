/* upgrade.h - the HTTP part of a WebSocket (RFC 6455, 4.1 and 4.2).  Pure. */
#ifndef TOOLHOST_SERVICE_WS_UPGRADE_H
#define TOOLHOST_SERVICE_WS_UPGRADE_H

#include "base/buf.h"
#include "base/error.h"
#include "service/http/transport.h"

enum { WS_KEY_BYTES = 16, WS_KEY_TEXT = 25, WS_ACCEPT_TEXT = 29, WS_HEAD_MAX = 16 * 1024 };

/* What a server answers this key with: 28 characters and a NUL. */
void ws_accept (const char *key, size_t len, char accept[WS_ACCEPT_TEXT]);

/* A client's request; `key` of 16 random bytes as Base64.  Headers must hold no control characters,
 * and none of those that are the handshake's own. */
void ws_upgrade_write (struct buf *out, const struct url *url, const char *key,
                       const struct http_header *headers, size_t count);

enum ws_upgrade { WS_UPGRADE_MORE, WS_UPGRADE_DONE, WS_UPGRADE_REFUSED };

/* What came of it.  MORE: the head is not whole yet.  DONE: `used` bytes were the head, frames
 * follow.  REFUSED: *status is the answer's (0: it is no HTTP), err says why. */
enum ws_upgrade ws_upgrade_read (const char *bytes, size_t len, const char *accept, size_t *used,
                                 int *status, struct error *err);

#endif
