/* wire.h - bytes to and from one server, as the WebSocket client wants them: connected, with TLS
 * where the URL says so, and never blocking.  http/dial.c is one over the network; tests play
 * theirs.  Loop thread only. */
#ifndef TOOLHOST_SERVICE_WS_WIRE_H
#define TOOLHOST_SERVICE_WS_WIRE_H

#include <stdbool.h>
#include <sys/types.h>

struct url;

struct wire_events {
  void (*open) (void *ctx);
  /* There may be something to read, or room to write again. */
  void (*ready) (void *ctx);
  /* There is no connection; the wire is gone.  `blocked`: the address is none to connect to. */
  void (*failed) (void *ctx, bool blocked, const char *why);
};

struct dialer {
  /* Never calls an event before it returns; the URL may go then.  NULL: there is no way to dial. */
  void *(*dial) (void *ctx, const struct url *url, bool private_too,
                 const struct wire_events *events, void *events_ctx);
  /* How many bytes came; 0: none now, -1: the other side has ended it. */
  ssize_t (*read) (void *wire, void *room, size_t size);
  /* How many were taken; 0: none now, -1: as above. */
  ssize_t (*write) (void *wire, const void *data, size_t len);
  /* No more events; also from within one. */
  void (*drop) (void *wire);
  void *ctx;
};

#endif
