/* server.h - the server's own state.  Between server.c, accept.c and conn.c. */
#ifndef TOOLHOST_FRONT_HTTP_SERVER_H
#define TOOLHOST_FRONT_HTTP_SERVER_H

#include <ev.h>

#include "front/http/conn.h"

struct listener {
  ev_io io;
  struct http_server *server;
  bool local; /* a Unix socket */
  LIST_ENTRY (listener) link;
};

struct http_server {
  const struct front_env *env;
  struct http_limits limits;
  http_handler handler;
  void *ctx;
  LIST_HEAD (, listener) listeners;
  int reserve;       /* a descriptor to give up when there are no others */
  bool out_of_files; /* and the log has it */
  ev_timer retry;    /* listening pauses until then */
  uid_t overflow_uid;
  struct exchange_pool pool;
  struct waits waits;
  TAILQ_HEAD (, conn) turns; /* connections to look at in the next turn of the loop */
  size_t turn_count;
  ev_idle turn; /* active while there are some */
  size_t connections;
  size_t lingering; /* of them */
  bool draining;
};

/* accept.c */
void accept_init (struct http_server *server);
void accept_listen (struct http_server *server, int fd);
/* Close all listening sockets. */
void accept_stop (struct http_server *server);

#endif
