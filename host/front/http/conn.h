/* conn.h - one connection: requests read and served one after the other, answers written, the peer
 * watched.  Between conn.c, reply.c, accept.c and server.c; nobody else includes it.
 *
 *   [HANDSHAKE ->] READING -> SERVING [-> STREAMING] -> ANSWERED -> READING | LINGERING | closed
 *
 * Pipelined requests wait in the exchange's buffer or in the socket until the one before them is
 * answered; at most a few are served per turn of the loop, then others have theirs.
 *
 * A peer that shuts down its sending side while its request is served counts as gone, as one that
 * closed: the two look the same from here, and agents cancel by closing.  Whoever half-closes and
 * waits gets its answer only if that comes at once. */
#ifndef TOOLHOST_FRONT_HTTP_CONN_H
#define TOOLHOST_FRONT_HTTP_CONN_H

#include <ev.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/queue.h>

#include "front/http/exchange.h"
#include "front/http/peer.h"
#include "front/http/tls.h"
#include "front/http/waits.h"

struct crowd_peer;
struct http_server;

enum conn_state {
  CONN_HANDSHAKE, /* of TLS; nothing of HTTP has come */
  CONN_READING,   /* idle (x is NULL), or a request has come in part */
  CONN_SERVING,   /* the handler has the exchange */
  CONN_STREAMING, /* … and has begun to answer */
  CONN_ANSWERED,  /* the answer is complete, perhaps not all of it sent */
  CONN_LINGERING  /* all was said; the peer's last bytes are thrown away until it closes */
};

struct conn {
  ev_io io;
  struct http_server *server;
  struct http_exchange *x; /* NULL while idle or lingering */
  struct tls *tls;         /* NULL: bytes are sent as they are */
  struct wait wait;
  TAILQ_ENTRY (conn) turn;
  enum conn_state state;
  bool has_turn;    /* in the server's list of those to be looked at in the next turn */
  bool unread;      /* there, because what has come is to be read then */
  bool unsent;      /* there, because the socket takes more */
  bool dispatching; /* the handler is being called: what it answers is sent after it returned */
  bool closing;     /* after this answer */
  bool lingers;     /* the peer may still be sending: a plain close would destroy the answer */
  bool lost;        /* given up; the gone callback is yet to be called */
  bool peer_hidden; /* bytes of a next request wait in the socket, and an EOF behind them */
  bool upgraded;    /* what comes from now on are bytes */
  bool deaf;        /* … that are not read: the handler has enough */
  bool parted;      /* closed, but the core has its exchange yet */
  size_t discarded; /* while lingering */
  struct peer peer;
  struct crowd_peer *counted; /* as whose; NULL: it only hears that there are too many */
};

/* Take over an accepted socket, its TLS (or NULL), and what it is counted as; NULL: it only hears
 * that there are too many, without TLS. */
void conn_open (struct http_server *server, int fd, bool local, struct tls *tls,
                struct crowd_peer *counted);
/* Close now; an open exchange hears that its peer is gone. */
void conn_lose (struct conn *c);
/* As recv. */
ssize_t conn_recv (struct conn *c, void *room, size_t len);
/* Nothing of a request has come (since the last answer). */
bool conn_is_idle (const struct conn *c);
/* Its turn in the next turn of the loop. */
void conn_take_turn (struct conn *c);
void conn_expired (struct wait *wait);
/* Those that asked for a turn have it now. */
void conn_turns (struct http_server *server);

static inline struct conn *
conn_of (struct wait *wait)
{
  return (struct conn *) (void *) ((char *) wait - offsetof (struct conn, wait));
}

/* For handed.c: read on or not, after an upgrade. */
void conn_be_deaf (struct conn *c, bool deaf);
/* For handed.c: a parted connection, and its exchange, are not needed any more. */
void conn_free (struct conn *c);
/* For reply.c: the answer is complete in x->out. */
void conn_answered (struct conn *c);
/* For reply.c: send x->out and then `body` as far as the socket takes it; the rest is kept in
 * x->out. False: the connection is broken. */
bool conn_send (struct conn *c, const void *body, size_t len);

#endif
