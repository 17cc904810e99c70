/* client.h - one WebSocket to a server (RFC 6455): dialled, upgraded, framed by wslay.  Loop thread
 * only; nothing blocks.
 *
 * It is over when the server closes it, answers no ping, sends what is no WebSocket or too much, or
 * when ten seconds were not enough to open it.  Trying again is its owner's. */
#ifndef TOOLHOST_SERVICE_WS_CLIENT_H
#define TOOLHOST_SERVICE_WS_CLIENT_H

#include <ev.h>

#include "base/error.h"
#include "service/http/transport.h"
#include "service/ws/wire.h"

enum { WS_BACKLOG_MAX = 4 << 20 /* bytes that the server may be behind */ };

/* Seconds. */
struct ws_times {
  double open;  /* until it is open */
  double beat;  /* between pings, and for their answer */
  double close; /* that a close is waited for */
};
extern const struct ws_times ws_default_times; /* 10, 20, 2 */

struct ws_wish {
  const struct url *url;             /* of http and https */
  const struct http_header *headers; /* besides the handshake's own; copied, as is the URL */
  size_t headers_count;
  bool private_too;   /* addresses that are not public, as address_allowed means it */
  size_t message_max; /* bytes of a message that comes */
  struct ws_times times;
};

/* How it ended. */
struct ws_end {
  int status;   /* of the answer to the handshake; 0: it was opened, or there was no answer */
  int code;     /* of the close, who began with it (RFC 6455, 7.4); 1006: there was none */
  bool opened;  /* messages could go both ways */
  bool blocked; /* the address is none to connect to */
  const char *why;
};

struct ws_client_events {
  void (*open) (void *ctx);
  void (*message) (void *ctx, const char *text, size_t len); /* UTF-8 */
  /* Once; the client is gone. */
  void (*closed) (void *ctx, const struct ws_end *end);
};

struct ws_client;

/* Begin.  NULL: there is no way to dial.  No event comes before this returns. */
struct ws_client *ws_client_new (struct ev_loop *loop, const struct dialer *dialer,
                                 const struct ws_wish *wish, const struct ws_client_events *events,
                                 void *ctx);
/* One message of text.  False: it is not open, or the server is too far behind. */
bool ws_client_send (struct ws_client *client, const char *text, size_t len);
/* Say goodbye; `closed` comes when the server has, or does not. */
void ws_client_close (struct ws_client *client, int code, const char *reason);
/* Nobody is interested any more: no more events.  Also from within one.  NULL is fine. */
void ws_client_drop (struct ws_client *client);

#endif
