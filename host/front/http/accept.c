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
  LOCAL_RESERVE = 8, /* connections that only users of the Unix socket can have */
  CROWD_MAX = 64     /* connections that hear with patience that there are too many; others are cut
                        short */
};
static const double pause_seconds = 0.1; /* without descriptors or memory */
static const double log_seconds = 1;     /* between lines about the same */

/* ---- what is counted ---- */

/* Count it; log the first and then a line a second at most, which says how many came since. */
static void
note (struct http_server *server, enum turned_away why, const char *peer, const char *error)
{
  static const char *const reasons[] = {
    [AWAY_FULL] = "connections_max",
    [AWAY_PEER_FULL] = "connections_per_peer_max",
    [AWAY_DESCRIPTORS] = "no_descriptors",
    [AWAY_FAILED] = NULL,
  };
  struct turned_away_count *count = &server->away[why];
  ev_tstamp now = ev_now (server->env->loop);

  count->total++;
  if (count->logged != 0 && now >= count->logged_at && now - count->logged_at < log_seconds)
    return;
  log_event (server->env->log, LOG_WARNING,
             why == AWAY_FAILED ? "http_accept_failed" : "http_connections_refused", "reason",
             reasons[why], "error", error, "peer", peer, "count",
             LOG_INT (count->total - count->logged), NULL);
  count->logged = count->total;
  count->logged_at = now;
}

/* Anybody can fail as often as they like: a line a second says how often it was. */
void
accept_tls_ended (struct http_server *server, const struct conn *c, enum handshake_end end,
                  const char *why)
{
  struct turned_away_count *count = &server->handshakes_failed;
  struct sockaddr_storage address = { 0 };
  socklen_t len = sizeof address;
  const ev_tstamp now = ev_now (server->env->loop);
  struct crowd_key key;
  char peer[CROWD_NAME_MAX];

  server->handshakes[end]++;
  if (end == HANDSHAKE_DONE)
    return;
  count->total++;
  if (count->logged != 0 && now >= count->logged_at && now - count->logged_at < log_seconds)
    return;
  (void) getpeername (c->io.fd, (struct sockaddr *) &address, &len);
  key = crowd_key_of (c->io.fd, &address);
  crowd_key_name (&key, peer);
  log_event (server->env->log, LOG_INFO, "tls_handshake_failed", "peer", peer, "why",
             end == HANDSHAKE_PLAIN ? "the peer speaks HTTP without TLS" : why, "count",
             LOG_INT (count->total - count->logged), NULL);
  count->logged = count->total;
  count->logged_at = now;
}

/* ---- pauses ---- */

static void
take_reserve (struct http_server *server)
{
  if (server->reserve < 0)
    server->reserve = open ("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void
pause_listener (struct listener *l)
{
  struct ev_loop *loop = l->server->env->loop;

  ev_io_stop (loop, &l->io);
  ev_timer_set (&l->pause, pause_seconds, 0.);
  ev_timer_start (loop, &l->pause);
  l->server->paused++;
  l->server->pauses++;
}

static void
end_pause (struct listener *l)
{
  struct ev_loop *loop = l->server->env->loop;

  ev_timer_stop (loop, &l->pause);
  l->server->paused--;
  take_reserve (l->server);
  ev_io_start (loop, &l->io);
}

static void
on_pause_over (struct ev_loop *loop, ev_timer *timer, int events)
{
  (void) loop;
  (void) events;
  end_pause (timer->data);
}

void
accept_again (struct http_server *server)
{
  struct listener *l;

  if (server->paused == 0)
    return;
  LIST_FOREACH (l, &server->listeners, link)
  if (ev_is_active (&l->pause))
    end_pause (l);
}

/* ---- refusals ---- */

/* Say that there are too many, whether it is heard or not, and close.  With TLS it would take a
 * handshake to be heard. */
static void
turn_away (const struct listener *l, int fd)
{
  CLEANUP_BUF struct buf answer = { 0 };
  char unread[4096];

  if (l->tls) {
    (void) close (fd);
    return;
  }
  reply_put_refusal (&answer, HTTP_REFUSED_CROWDED, false);
  (void) !recv (fd, unread, sizeof unread, MSG_DONTWAIT);
  (void) !send (fd, answer.data, answer.len, MSG_NOSIGNAL | MSG_DONTWAIT);
  (void) shutdown (fd, SHUT_WR);
  (void) close (fd);
}

/* No descriptors are left: with the one in reserve the caller is told so instead of being left to
 * wait. */
static void
turn_away_with_reserve (struct listener *l)
{
  struct http_server *server = l->server;
  struct sockaddr_storage address = { 0 };
  int fd;

  if (server->reserve < 0)
    return;
  (void) close (server->reserve);
  server->reserve = -1;
  fd = server->accept (l->io.fd, &address);
  if (fd >= 0) {
    note (server, AWAY_DESCRIPTORS, NULL, NULL);
    turn_away (l, fd);
  }
  take_reserve (server);
}

static void
refuse (struct listener *l, int fd, enum crowd_verdict verdict, const struct crowd_key *key)
{
  struct http_server *server = l->server;
  char peer[CROWD_NAME_MAX];

  crowd_key_name (key, peer);
  note (server, verdict == CROWD_FULL ? AWAY_FULL : AWAY_PEER_FULL, peer, NULL);
  if (l->tls || crowd_strangers (server->crowd) >= CROWD_MAX)
    return turn_away (l, fd);
  conn_open (server, fd, l->local, NULL, NULL);
}

/* ---- accepting ---- */

/* The rest of the descriptors is for workers; of those for connections some are for who manages the
 * daemon. */
static bool
takes_too_many (const struct listener *l)
{
  const struct http_server *server = l->server;
  const struct front_manage *manage = &server->env->manage;

  return manage->connections_room != NULL
         && atomic_load_explicit (&server->crowd->connections, memory_order_relaxed)
                + (l->local ? 0 : LOCAL_RESERVE)
              >= manage->connections_room (manage->ctx);
}

static void
turn_away_for_descriptors (struct listener *l, int fd, const struct crowd_key *key)
{
  char peer[CROWD_NAME_MAX];

  crowd_key_name (key, peer);
  note (l->server, AWAY_DESCRIPTORS, peer, NULL);
  turn_away (l, fd);
}

static void
welcome (struct listener *l, int fd, const struct sockaddr_storage *address)
{
  struct http_server *server = l->server;
  struct crowd_key key = crowd_key_of (fd, address);
  struct tls *tls = NULL;
  struct crowd_peer *peer;
  enum crowd_verdict verdict;

  if (takes_too_many (l))
    return turn_away_for_descriptors (l, fd, &key);
  verdict = crowd_enter (server->crowd, &key, &peer);
  if (verdict != CROWD_WELCOME)
    return refuse (l, fd, verdict, &key);
  if (l->tls && (tls = tls_new (server->tls, fd)) == NULL) {
    crowd_leave (server->crowd, peer);
    (void) close (fd);
    return;
  }
  server->accepted++;
  if (!l->local)
    (void) setsockopt (fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof (int));
  conn_open (server, fd, l->local, tls, peer);
}

static void
back_off (struct listener *l, int error)
{
  note (l->server, AWAY_FAILED, NULL, strerror (error));
  if (error == EMFILE || error == ENFILE)
    turn_away_with_reserve (l);
  pause_listener (l);
}

/* False: no more now. */
static bool
accept_one (struct listener *l)
{
  struct sockaddr_storage address = { 0 };
  int fd = l->server->accept (l->io.fd, &address);

  if (fd >= 0) {
    welcome (l, fd, &address);
    return true;
  }
  switch (errno) {
  case EAGAIN:
    return false;
  case EMFILE:
  case ENFILE:
  case ENOBUFS:
  case ENOMEM:
  case EBADF:
  case EINVAL:
    back_off (l, errno);
    return false;
  default: /* trouble of that one connection */
    return true;
  }
}

static void
on_connection (struct ev_loop *loop, ev_io *io, int events)
{
  const struct listener *l = io->data;

  (void) loop;
  (void) events;
  for (int i = 0; i < ACCEPTS_PER_TURN && accept_one (io->data); i++)
    if (turns_is_long (l->server->env->turns))
      return;
}

static int
accept_socket (int listener, struct sockaddr_storage *address)
{
  socklen_t len = sizeof *address;

  return accept4 (listener, (struct sockaddr *) address, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

void
accept_init (struct http_server *server)
{
  LIST_INIT (&server->listeners);
  server->accept = accept_socket;
  server->reserve = -1;
  take_reserve (server);
}

void
accept_listen (struct http_server *server, int fd, bool tls)
{
  struct listener *l = xcalloc (1, sizeof *l);
  struct sockaddr_storage address = { 0 };
  socklen_t len = sizeof address;

  (void) getsockname (fd, (struct sockaddr *) &address, &len);
  l->server = server;
  l->local = address.ss_family == AF_UNIX;
  l->tls = tls;
  LIST_INSERT_HEAD (&server->listeners, l, link);
  ev_io_init (&l->io, on_connection, fd, EV_READ);
  l->io.data = l;
  ev_init (&l->pause, on_pause_over);
  l->pause.data = l;
  ev_io_start (server->env->loop, &l->io);
}

void
accept_stop (struct http_server *server)
{
  struct listener *l;

  while ((l = LIST_FIRST (&server->listeners)) != NULL) {
    LIST_REMOVE (l, link);
    ev_io_stop (server->env->loop, &l->io);
    ev_timer_stop (server->env->loop, &l->pause);
    (void) close (l->io.fd);
    free (l);
  }
  server->paused = 0;
  if (server->reserve >= 0)
    (void) close (server->reserve);
  server->reserve = -1;
}
