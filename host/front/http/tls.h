/* tls.h - TLS of the server's side, on sockets that never block.  For accept.c and conn.c; who
 * configures it makes a tls_server, which threads may share.  The rest is for the thread that has
 * the connection.
 *
 * TLS 1.2 and 1.3 with ephemeral keys and AEAD ciphers, ALPN http/1.1, no compression, no
 * renegotiation, no early data. */
#ifndef TOOLHOST_FRONT_HTTP_TLS_H
#define TOOLHOST_FRONT_HTTP_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "base/error.h"

struct tls_server; /* a certificate, its key, and what is asked of clients */
struct tls;        /* one connection's */

struct tls_settings {
  const char *certificate_file; /* PEM: the server's, then those between it and a root */
  const char *key_file;         /* PEM, not encrypted; nobody but its owner and group reads it */
  const char *client_ca_file;   /* PEM; NULL: clients need no certificate */
};

/* NULL: err says which file is wrong, and why. */
struct tls_server *tls_server_new (const struct tls_settings *settings, struct error *err);
/* Take the place of what it was made of; `other` is gone.  Connections go on as they began. */
void tls_server_become (struct tls_server *server, struct tls_server *other);
/* Connections that were made with it go on. */
void tls_server_free (struct tls_server *server);
/* When its certificate ends, seconds since 1970. */
int64_t tls_server_expires (struct tls_server *server);

/* Of an accepted socket, which stays the caller's; NULL: there is no memory. */
struct tls *tls_new (struct tls_server *server, int fd);
/* Says good-bye as far as the socket takes it. */
void tls_free (struct tls *tls);

enum tls_step {
  TLS_DONE,
  TLS_WANTS_READ,
  TLS_WANTS_WRITE,
  TLS_IS_PLAIN, /* the peer speaks HTTP without TLS */
  TLS_FAILED    /* err says why */
};
enum tls_step tls_handshake (struct tls *tls, struct error *err);

/* As recv and sendmsg with MSG_DONTWAIT: EAGAIN when nothing can be done now.  A connection that
 * broke off is at its end (0), as one that was closed.  tls_send returns 0 for EAGAIN; what it did
 * not take comes again with the next call, at least as much of it. */
ssize_t tls_recv (struct tls *tls, void *room, size_t len);
ssize_t tls_peek (struct tls *tls, void *room, size_t len);
ssize_t tls_send (struct tls *tls, const struct iovec *pieces, size_t count);
/* Has it bytes that the socket does not know of any more? */
bool tls_has_pending (const struct tls *tls);

#endif
