/* server.h - the server's own state.  Between server.c, accept.c and conn.c. */
#ifndef TOOLHOST_FRONT_HTTP_SERVER_H
#define TOOLHOST_FRONT_HTTP_SERVER_H

#include <ev.h>

#include "front/http/conn.h"
#include "front/http/crowd.h"

struct listener {
  ev_io io;
  ev_timer pause; /* active while nothing is accepted, for want of descriptors or memory */
  struct http_server *server;
  bool local; /* a Unix socket */
  bool tls;
  LIST_ENTRY (listener) link;
};

/* Why a connection was not served, or not accepted at all. */
enum turned_away {
  AWAY_FULL,        /* connections_max */
  AWAY_PEER_FULL,   /* connections_per_peer_max */
  AWAY_DESCRIPTORS, /* there were none left */
  AWAY_FAILED,      /* accept failed; the caller, if there is one, waits */
  AWAY_KINDS
};

/* How handshakes of TLS end. */
enum handshake_end {
  HANDSHAKE_DONE,
  HANDSHAKE_FAILED,
  HANDSHAKE_SLOW,  /* not in time */
  HANDSHAKE_PLAIN, /* the peer spoke HTTP without TLS */
  HANDSHAKE_ENDS
};

struct turned_away_count {
  uint64_t total;
  uint64_t logged;     /* of them, told in the last line */
  ev_tstamp logged_at; /* 0: never */
};

/* What is counted of connections. */
struct http_counts {
  size_t connections; /* open, and not only because their peer is yet to close */
  uint64_t accepted, pauses;
  uint64_t away[AWAY_KINDS];
  uint64_t handshakes[HANDSHAKE_ENDS];
};

struct http_server {
  const struct front_env *env;
  struct http_limits limits;
  http_handler handler;
  void *ctx;
  LIST_HEAD (, listener) listeners;
  struct tls_server *tls; /* of those that speak it; that of a thread's server is the core's */
  uint64_t handshakes[HANDSHAKE_ENDS];
  struct turned_away_count handshakes_failed;
  /* accept4(2) for a non-blocking socket; tests put another in its place. */
  int (*accept) (int listener, struct sockaddr_storage *address);
  int reserve; /* a descriptor to give up when there are no others; -1: it could not be had back */
  size_t paused; /* listeners */
  uint64_t accepted, pauses;
  struct turned_away_count away[AWAY_KINDS];
  struct crowd *crowd, own_crowd; /* a server of a thread has that of all */
  struct front_threads *threads;  /* that have the connections; NULL: they are its own */
  uid_t overflow_uid;
  struct exchange_pool pool;
  struct waits waits;
  TAILQ_HEAD (, conn) turns; /* connections to look at at the end of this turn, or in the next */
  size_t turn_count;
  size_t unread_count; /* those of them that are to be read */
  ev_idle turn;        /* active while there are some */
  ev_prepare turn_end;
  size_t connections;
  size_t lingering; /* of them */
  bool draining;
};

/* Of its own connections. */
void http_server_count (const struct http_server *server, struct http_counts *counts);
void http_counts_add (struct http_counts *counts, const struct http_counts *more);
/* Stop accepting and close all connections. */
void http_server_close (struct http_server *server);

/* accept.c */
void accept_init (struct http_server *server);
void accept_listen (struct http_server *server, int fd, bool tls);
/* A handshake has ended so; `why` for the log, or NULL. */
void accept_tls_ended (struct http_server *server, const struct conn *c, enum handshake_end end,
                       const char *why);
/* A descriptor was freed: paused listeners go on. */
void accept_again (struct http_server *server);
/* Close all listening sockets. */
void accept_stop (struct http_server *server);

#endif
