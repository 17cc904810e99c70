#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "front/http/reply.h"
#include "front/http/server.h"

enum {
  ACCEPTS_PER_TURN = 64,
  CROWD_MAX =
    64 /* connections above the limit that are told so with patience; others are cut short */
};
static const double pause_seconds = 0.1; /* without descriptors or memory */

static void
pause_listening (struct http_server *server, int error)
{
  struct ev_loop *loop = server->env->loop;
  struct listener *l;

  if (!server->out_of_files)
    log_event (server->env->log, LOG_WARNING, "http_accept_failed", "error", strerror (error),
               NULL);
  server->out_of_files = true;
  LIST_FOREACH (l, &server->listeners, link)
  ev_io_stop (loop, &l->io);
  ev_timer_stop (loop, &server->retry);
  ev_timer_set (&server->retry, pause_seconds, 0.);
  ev_timer_start (loop, &server->retry);
}

static void
on_retry (struct ev_loop *loop, ev_timer *timer, int events)
{
  struct http_server *server = timer->data;
  struct listener *l;

  (void) events;
  LIST_FOREACH (l, &server->listeners, link)
  ev_io_start (loop, &l->io);
}

/* Say that there are too many, whether it is heard or not, and close. */
static void
turn_away (int fd)
{
  CLEANUP_BUF struct buf answer = { 0 };
  char unread[4096];

  reply_put_refusal (&answer, HTTP_REFUSED_CROWDED, false);
  (void) !recv (fd, unread, sizeof unread, MSG_DONTWAIT);
  (void) !send (fd, answer.data, answer.len, MSG_NOSIGNAL | MSG_DONTWAIT);
  (void) shutdown (fd, SHUT_WR);
  (void) close (fd);
}

/* No descriptors are left: with the one in reserve the caller is told so instead of being left to
 * wait. */
static void
turn_away_with_reserve (struct http_server *server, int listener)
{
  int fd;

  if (server->reserve < 0)
    return;
  (void) close (server->reserve);
  fd = accept4 (listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd >= 0)
    turn_away (fd);
  server->reserve = open ("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void
welcome (struct http_server *server, int fd, bool local)
{
  size_t most = server->limits.connections_max;

  server->out_of_files = false;
  if (server->connections >= most + CROWD_MAX)
    return turn_away (fd);
  if (!local)
    (void) setsockopt (fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof (int));
  conn_open (server, fd, local, server->connections >= most);
}

/* False: no more now. */
static bool
accept_one (struct listener *l)
{
  int fd = accept4 (l->io.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

  if (fd >= 0) {
    welcome (l->server, fd, l->local);
    return true;
  }
  switch (errno) {
  case EAGAIN:
    return false;
  case EMFILE:
  case ENFILE:
    pause_listening (l->server, errno);
    turn_away_with_reserve (l->server, l->io.fd);
    return false;
  case ENOBUFS:
  case ENOMEM:
  case EBADF:
  case EINVAL:
    pause_listening (l->server, errno);
    return false;
  default: /* trouble of that one connection */
    return true;
  }
}

static void
on_connection (struct ev_loop *loop, ev_io *io, int events)
{
  (void) loop;
  (void) events;
  for (int i = 0; i < ACCEPTS_PER_TURN && accept_one (io->data); i++)
    ;
}

void
accept_init (struct http_server *server)
{
  LIST_INIT (&server->listeners);
  server->reserve = open ("/dev/null", O_RDONLY | O_CLOEXEC);
  ev_init (&server->retry, on_retry);
  server->retry.data = server;
}

void
accept_listen (struct http_server *server, int fd)
{
  struct listener *l = xcalloc (1, sizeof *l);
  struct sockaddr_storage address = { 0 };
  socklen_t len = sizeof address;

  (void) getsockname (fd, (struct sockaddr *) &address, &len);
  l->server = server;
  l->local = address.ss_family == AF_UNIX;
  LIST_INSERT_HEAD (&server->listeners, l, link);
  ev_io_init (&l->io, on_connection, fd, EV_READ);
  l->io.data = l;
  ev_io_start (server->env->loop, &l->io);
}

void
accept_stop (struct http_server *server)
{
  struct listener *l;

  while ((l = LIST_FIRST (&server->listeners)) != NULL) {
    LIST_REMOVE (l, link);
    ev_io_stop (server->env->loop, &l->io);
    (void) close (l->io.fd);
    free (l);
  }
  ev_timer_stop (server->env->loop, &server->retry);
  if (server->reserve >= 0)
    (void) close (server->reserve);
  server->reserve = -1;
}
