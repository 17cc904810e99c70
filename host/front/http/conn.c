#include "front/http/conn.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "front/http/origin.h"
#include "front/http/reply.h"
#include "front/http/server.h"

enum {
  REQUESTS_PER_TURN = 16,
  CORK_MAX = 64 * 1024,          /* bytes of answers kept back while more requests wait */
  SEND_MAX = 256 * 1024,         /* bytes given to the socket at once: others have their turn */
  SMALL_BODY = 16 * 1024,        /* bytes of a body that finds room always */
  DISCARD_MAX = 16 * 1024 * 1024 /* bytes thrown away before a lingering connection is cut */
};

static struct exchange_pool *
pool_of (const struct conn *c)
{
  return &c->server->pool;
}

static void
wait_for (struct conn *c, enum wait_kind kind)
{
  waits_set (&c->server->waits, &c->wait, kind);
}

static bool
has_unsent (const struct conn *c)
{
  return c->x != NULL && exchange_unsent (c->x) > 0;
}

/* ---- what the loop watches ---- */

static int
wanted_events (const struct conn *c)
{
  int events = has_unsent (c) ? EV_WRITE : 0;

  if (c->state != CONN_ANSWERED && !c->peer_hidden && !c->deaf)
    events |= EV_READ;
  return events;
}

static void
watch_for (struct conn *c, int events)
{
  if (ev_is_active (&c->io) && (c->io.events & (EV_READ | EV_WRITE)) == events)
    return;
  ev_io_stop (c->server->env->loop, &c->io);
  ev_io_set (&c->io, c->io.fd, events);
  if (events != 0)
    ev_io_start (c->server->env->loop, &c->io);
}

/* What TLS has read already, the socket will not tell of. */
static void
tell_pending (struct conn *c)
{
  if (c->tls != NULL && tls_has_pending (c->tls))
    ev_feed_event (c->server->env->loop, &c->io, EV_READ);
}

static void
watch (struct conn *c)
{
  const int events = wanted_events (c);

  watch_for (c, events);
  if ((events & EV_READ) != 0)
    tell_pending (c);
}

void
conn_be_deaf (struct conn *c, bool deaf)
{
  if (c->deaf == deaf)
    return;
  c->deaf = deaf;
  watch (c);
}

void
conn_take_turn (struct conn *c)
{
  struct http_server *server = c->server;

  if (c->has_turn)
    return;
  c->has_turn = true;
  TAILQ_INSERT_TAIL (&server->turns, c, turn);
  server->turn_count++;
  ev_idle_start (server->env->loop, &server->turn);
}

static void
leave_turns (struct conn *c)
{
  if (!c->has_turn)
    return;
  c->has_turn = false;
  c->server->unread_count -= c->unread;
  c->unread = c->unsent = false;
  TAILQ_REMOVE (&c->server->turns, c, turn);
  c->server->turn_count--;
}

/* ---- the end ---- */

static void
release_exchange (struct conn *c)
{
  if (c->x == NULL)
    return;
  exchange_give_back (pool_of (c), c->x);
  c->x = NULL;
}

void
conn_free (struct conn *c)
{
  release_exchange (c);
  free (c);
}

static void
close_socket (struct conn *c)
{
  struct http_server *server = c->server;

  leave_turns (c);
  waits_remove (&server->waits, &c->wait);
  ev_io_stop (server->env->loop, &c->io);
  tls_free (c->tls);
  c->tls = NULL;
  (void) close (c->io.fd);
  server->connections--;
  server->lingering -= c->state == CONN_LINGERING;
  crowd_leave (server->crowd, c->counted);
  crowd_close (server->crowd);
}

static void
close_now (struct conn *c)
{
  struct http_server *server = c->server;

  close_socket (c);
  conn_free (c);
  accept_again (server);
}

/* The core has the exchange: connection and exchange go when it lets go of it. */
static void
leave_to_core (struct conn *c)
{
  close_socket (c);
  c->parted = true;
  handed_gone (c->x);
  accept_again (c->server);
}

void
conn_lose (struct conn *c)
{
  struct http_exchange *x = c->x;
  bool open = c->state == CONN_SERVING || c->state == CONN_STREAMING;

  assert (!c->dispatching);
  if (open && exchange_is_handed (x))
    return leave_to_core (c);
  if (open) {
    c->state = CONN_ANSWERED;
    if (x->gone != NULL)
      x->gone (x->data);
  }
  close_now (c);
}

/* The last answer was sent. */
static void
leave (struct conn *c)
{
  if (!c->lingers)
    return close_now (c);
  tls_free (c->tls); /* what is thrown away need not be read */
  c->tls = NULL;
  if (shutdown (c->io.fd, SHUT_WR) < 0)
    return close_now (c);
  release_exchange (c);
  c->state = CONN_LINGERING;
  c->peer_hidden = false;
  c->server->lingering++;
  wait_for (c, WAIT_LINGER);
  watch (c);
}

static void
discard (struct conn *c)
{
  char bytes[16 * 1024];
  ssize_t n = recv (c->io.fd, bytes, sizeof bytes, MSG_DONTWAIT);

  if (n < 0 && (errno == EAGAIN || errno == EINTR))
    return;
  if (n > 0)
    c->discarded += (size_t) n;
  if (n <= 0 || c->discarded > DISCARD_MAX)
    close_now (c);
}

/* ---- output ---- */

/* Forget what was sent: all of it, or a large part. */
static void
trim_output (struct http_exchange *x)
{
  if (x->sent == x->out.len) {
    buf_reset (&x->out, CORK_MAX);
    x->sent = 0;
  }
  else if (x->sent > x->out.len / 2 && x->sent > CORK_MAX) {
    buf_consume (&x->out, x->sent);
    x->sent = 0;
  }
  if (x->body.len != 0 && x->body_sent == x->body.len) {
    buf_free (&x->body);
    x->body_sent = 0;
  }
}

/* Leave out what is beyond SEND_MAX. */
static void
limit_pieces (struct iovec *pieces, size_t count)
{
  size_t room = SEND_MAX;

  for (size_t i = 0; i < count; i++) {
    pieces[i].iov_len = pieces[i].iov_len < room ? pieces[i].iov_len : room;
    room -= pieces[i].iov_len;
  }
}

/* As send, but a socket that takes nothing just now took 0. */
static ssize_t
send_pieces (const struct conn *c, struct iovec *pieces, size_t count)
{
  struct msghdr message = { .msg_iov = pieces, .msg_iovlen = count };
  const int fd = c->io.fd;
  ssize_t n;

  if (c->tls != NULL)
    return tls_send (c->tls, pieces, count);
  do
    n = count == 1 ? send (fd, pieces->iov_base, pieces->iov_len, MSG_NOSIGNAL | MSG_DONTWAIT)
                   : sendmsg (fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  while (n < 0 && errno == EINTR);
  return n < 0 && errno == EAGAIN ? 0 : n;
}

/* So much of the first `len` bytes, and no more of them. */
static size_t
part (size_t *of, size_t len)
{
  size_t n = *of < len ? *of : len;

  *of -= n;
  return n;
}

bool
conn_send (struct conn *c, const void *body, size_t len)
{
  struct http_exchange *x = c->x;
  size_t head = x->out.len - x->sent, kept = x->body.len - x->body_sent, count = 0, taken;
  struct iovec pieces[3];
  ssize_t n;

  if (head != 0)
    pieces[count++] = (struct iovec){ x->out.data + x->sent, head };
  if (kept != 0)
    pieces[count++] = (struct iovec){ x->body.data + x->body_sent, kept };
  if (len != 0)
    pieces[count++] = (struct iovec){ (void *) (uintptr_t) body, len };
  if (count == 0)
    return true;
  limit_pieces (pieces, count);
  n = send_pieces (c, pieces, count);
  if (n < 0)
    return false;
  taken = (size_t) n;
  x->sent += part (&taken, head);
  x->body_sent += part (&taken, kept);
  trim_output (x);
  if (taken < len)
    buf_append (&x->out, (const char *) body + taken, len - taken);
  if (exchange_is_handed (x))
    handed_sent (x);
  return true;
}

/* Send what there is of a complete answer.  True when all is with the kernel; else the rest is
 * waited for, or the connection is gone. */
static bool
deliver (struct conn *c)
{
  if (c->lost || !conn_send (c, NULL, 0)) {
    close_now (c);
    return false;
  }
  if (!has_unsent (c))
    return true;
  wait_for (c, WAIT_WRITE);
  watch (c);
  return false;
}

/* Send what there is while the exchange goes on. */
static void
send_on (struct conn *c, enum wait_kind then)
{
  if (c->lost || !conn_send (c, NULL, 0))
    return conn_lose (c);
  wait_for (c, has_unsent (c) ? WAIT_WRITE : then);
  watch (c);
}

static enum wait_kind
serving_wait (const struct conn *c)
{
  return c->peer_hidden ? WAIT_PEER : WAIT_NONE;
}

/* ---- from one request to the next ---- */

static void
rest_idle (struct conn *c)
{
  release_exchange (c);
  wait_for (c, WAIT_IDLE);
  watch (c);
}

/* After an answer.  True: the next request's bytes are here; else the connection waits, or is gone.
 * Answers to pipelined requests are sent together, unless they are many. */
static bool
next_request (struct conn *c)
{
  struct http_exchange *x = c->x;
  bool more = !c->closing && exchange_rest (x) > 0;

  if ((c->lost || !more || exchange_unsent (x) > CORK_MAX || x->body.len != 0) && !deliver (c))
    return false;
  if (c->closing) {
    c->lingers |= c->peer_hidden || exchange_rest (x) > 0;
    leave (c);
    return false;
  }
  c->peer_hidden = false;
  c->state = CONN_READING;
  exchange_next (x);
  if (!more)
    rest_idle (c);
  return more;
}

/* Answers are sent one after the other when all that came in this turn has been worked off: on a
 * processor shared with its callers, each that is sent in between would cost two switches. */
void
conn_answered (struct conn *c)
{
  c->state = CONN_ANSWERED;
  if (c->dispatching)
    leave_turns (c);
  else
    conn_take_turn (c);
}

static void
refuse (struct conn *c, enum http_refused why)
{
  reply_put_refusal (&c->x->out, why, exchange_is_head (c->x));
  c->state = CONN_ANSWERED;
  c->closing = c->lingers = true;
  (void) next_request (c);
}

static void
dispatch (struct conn *c)
{
  struct http_server *server = c->server;
  const char *why;

  exchange_begin (c->x, &c->peer.is);
  c->state = CONN_SERVING;
  c->dispatching = true;
  if (http_origin_allowed (c->x, server->env, &why))
    server->handler (server->ctx, c->x);
  else
    http_reply_error (c->x, 403, why, "%s", http_origin_advice (why));
  c->dispatching = false;
}

/* ---- reading ---- */

/* Near the ceiling of memory only small requests are read on. */
static bool
has_room_for_body (const struct conn *c)
{
  return exchange_body_size (c->x) <= SMALL_BODY
         || !pressure_is (c->server->env->pressure, PRESSURE_HIGH);
}

/* Of a body that comes piece by piece: is there room for this one? */
static bool
takes_room (const struct conn *c, size_t piece)
{
  return c->x->body_since == 0 || exchange_body_size (c->x) <= SMALL_BODY
         || pressure_take (c->server->env->pressure, piece);
}

static void
await_body (struct conn *c)
{
  struct http_exchange *x = c->x;

  if (!has_room_for_body (c))
    return refuse (c, HTTP_REFUSED_MEMORY);
  if (x->body_since == 0) {
    x->body_since = waits_now ();
    if (x->parser.wants_continue)
      buf_puts (&x->out, "HTTP/1.1 100 Continue\r\n\r\n");
  }
  else if (exchange_drips (x, waits_now ()))
    return refuse (c, HTTP_REFUSED_SLOW);
  wait_for (c, WAIT_BODY);
  if (!conn_send (c, NULL, 0))
    return close_now (c);
  watch (c);
}

/* A head must be whole in time, counted from its first byte. */
static void
await_head (struct conn *c)
{
  if (c->wait.kind != WAIT_HEAD)
    wait_for (c, WAIT_HEAD);
  if (!conn_send (c, NULL, 0))
    return close_now (c);
  watch (c);
}

/* Of requests that wait, so many as a turn of the loop has room for: answers may be large. */
static void
serve_requests (struct conn *c)
{
  unsigned served = 0;

  do {
    switch (exchange_parse (c->x)) {
    case HTTP_MORE:
      return http_in_body (&c->x->parser) ? await_body (c) : await_head (c);
    case HTTP_REFUSED:
      return refuse (c, c->x->parser.refused);
    case HTTP_READY:
      break;
    }
    dispatch (c);
    if (c->state != CONN_ANSWERED)
      return send_on (c, WAIT_NONE);
    if (!next_request (c))
      return;
  } while (++served < REQUESTS_PER_TURN && !turns_is_long (c->server->env->turns));
  conn_take_turn (c);
}

/* This turn of the loop has been long enough; who came first is read first in the next one. */
static void
put_off_reading (struct conn *c)
{
  conn_take_turn (c);
  c->unread = true;
  c->server->unread_count++;
}

static void
put_off_writing (struct conn *c)
{
  conn_take_turn (c);
  c->unsent = true;
}

ssize_t
conn_recv (struct conn *c, void *room, size_t len)
{
  return c->tls != NULL ? tls_recv (c->tls, room, len) : recv (c->io.fd, room, len, MSG_DONTWAIT);
}

static void
read_request (struct conn *c)
{
  ssize_t n;

  if (c->x == NULL)
    c->x = exchange_take (pool_of (c), c);
  n = exchange_receive (c->x, c);
  if (n > 0 && !takes_room (c, (size_t) n))
    return refuse (c, HTTP_REFUSED_MEMORY);
  if (n > 0)
    return serve_requests (c);
  if (n == 0 || (errno != EAGAIN && errno != EINTR))
    return close_now (c);
  if (c->x->in.len == 0)
    release_exchange (c);
}

/* While a request is served: has the peer left?  Its next requests stay in the socket; they hide an
 * EOF behind them, which is then asked for from time to time. */
static void
watch_peer (struct conn *c)
{
  char byte;
  ssize_t n = c->tls != NULL ? tls_peek (c->tls, &byte, 1)
                             : recv (c->io.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);

  if (n < 0 && (errno == EAGAIN || errno == EINTR))
    return;
  if (n <= 0)
    return conn_lose (c);
  c->peer_hidden = true;
  if (!has_unsent (c))
    wait_for (c, WAIT_PEER);
  watch (c);
}

/* What came after an upgrade.  The handler may have ended it then, or lost it. */
static void
read_bytes (struct conn *c)
{
  char bytes[16 * 1024];
  ssize_t n = conn_recv (c, bytes, sizeof bytes);

  if (n < 0 && (errno == EAGAIN || errno == EINTR))
    return;
  if (n <= 0)
    return conn_lose (c);
  tell_pending (c);
  if (exchange_is_handed (c->x))
    return handed_bytes (c->x, bytes, (size_t) n);
  c->x->bytes (c->x->data, bytes, (size_t) n);
}

static void
ask_for_peer (struct conn *c)
{
  struct pollfd p = { .fd = c->io.fd, .events = POLLRDHUP };

  if (poll (&p, 1, 0) > 0)
    return conn_lose (c);
  wait_for (c, WAIT_PEER);
}

/* ---- TLS ---- */

/* Who speaks HTTP without TLS is told so, and understands it. */
static void
refuse_plain (struct conn *c)
{
  tls_free (c->tls);
  c->tls = NULL;
  c->x = exchange_take (pool_of (c), c);
  refuse (c, HTTP_REFUSED_PLAIN);
}

static void
shake_hands (struct conn *c)
{
  struct error err = { 0 };

  switch (tls_handshake (c->tls, &err)) {
  case TLS_WANTS_READ:
    return watch_for (c, EV_READ);
  case TLS_WANTS_WRITE:
    return watch_for (c, EV_WRITE);
  case TLS_DONE:
    accept_tls_ended (c->server, c, HANDSHAKE_DONE, NULL);
    c->state = CONN_READING;
    wait_for (c, WAIT_HEAD);
    return watch (c);
  case TLS_IS_PLAIN:
    accept_tls_ended (c->server, c, HANDSHAKE_PLAIN, NULL);
    return refuse_plain (c);
  case TLS_FAILED:
    accept_tls_ended (c->server, c, HANDSHAKE_FAILED, err.text);
    return close_now (c);
  }
}

/* ---- events ---- */

static void
go_on (struct conn *c)
{
  if (!next_request (c))
    return;
  wait_for (c, WAIT_NONE);
  conn_take_turn (c);
}

static void
write_on (struct conn *c)
{
  switch (c->state) {
  case CONN_HANDSHAKE:
    return shake_hands (c);
  case CONN_READING:
    if (!conn_send (c, NULL, 0))
      return close_now (c);
    return watch (c);
  case CONN_SERVING:
  case CONN_STREAMING:
    return send_on (c, serving_wait (c));
  case CONN_ANSWERED:
    return go_on (c);
  case CONN_LINGERING:
    return;
  }
}

/* Many that take in much at the same time would make a turn long. */
static void
on_writable (struct conn *c)
{
  if (c->unsent)
    return;
  if (turns_is_long (c->server->env->turns))
    return put_off_writing (c);
  write_on (c);
}

static void
on_readable (struct conn *c)
{
  switch (c->state) {
  case CONN_HANDSHAKE: /* a signature takes long: others have their turns between them */
    if (c->has_turn)
      return;
    if (turns_is_long (c->server->env->turns))
      return put_off_reading (c);
    return shake_hands (c);
  case CONN_READING:
    if (c->has_turn) /* what is here goes first */
      return;
    if (c->server->unread_count != 0 || turns_is_long (c->server->env->turns))
      return put_off_reading (c);
    return read_request (c);
  case CONN_STREAMING:
    if (c->deaf) /* TLS tells of what it has read, wanted or not */
      return;
    if (c->upgraded)
      return read_bytes (c);
    return watch_peer (c);
  case CONN_SERVING:
    return watch_peer (c);
  case CONN_LINGERING:
    return discard (c);
  case CONN_ANSWERED:
    return;
  }
}

/* Either may end the connection, so one of them at a time: the loop tells the other again. */
static void
on_ready (struct ev_loop *loop, ev_io *io, int events)
{
  (void) loop;
  if ((events & EV_WRITE) != 0)
    return on_writable (io->data);
  on_readable (io->data);
}

static void
have_turn (struct conn *c)
{
  bool unread = c->unread, unsent = c->unsent;

  leave_turns (c);
  if (unsent)
    return write_on (c);
  if (c->state == CONN_HANDSHAKE)
    return shake_hands (c);
  if (c->state == CONN_READING)
    return unread ? read_request (c) : serve_requests (c);
  if (c->state == CONN_ANSWERED)
    return go_on (c);
  if (c->lost)
    return conn_lose (c);
  if (c->wait.kind != WAIT_WRITE)
    send_on (c, serving_wait (c));
}

/* The server's turn of the loop for those that asked for one.  Who asks again has it next time, as
 * have those for which this one got too long. */
void
conn_turns (struct http_server *server)
{
  for (size_t n = server->turn_count; n > 0 && !TAILQ_EMPTY (&server->turns); n--) {
    have_turn (TAILQ_FIRST (&server->turns));
    if (turns_is_long (server->env->turns))
      return;
  }
}

void
conn_expired (struct wait *wait)
{
  struct conn *c = conn_of (wait);

  if (c->state == CONN_HANDSHAKE) {
    accept_tls_ended (c->server, c, HANDSHAKE_SLOW, "it did not end in time");
    return close_now (c);
  }
  switch (wait->kind) {
  case WAIT_HEAD:
  case WAIT_BODY:
    return conn_is_idle (c) ? close_now (c) : refuse (c, HTTP_REFUSED_SLOW);
  case WAIT_PEER:
    return ask_for_peer (c);
  default:
    return conn_lose (c);
  }
}

bool
conn_is_idle (const struct conn *c)
{
  return (c->state == CONN_READING && c->x == NULL) || c->state == CONN_HANDSHAKE;
}

void
conn_open (struct http_server *server, int fd, bool local, struct tls *tls,
           struct crowd_peer *counted)
{
  struct conn *c = xcalloc (1, sizeof *c);

  c->server = server;
  c->state = tls != NULL ? CONN_HANDSHAKE : CONN_READING;
  c->tls = tls;
  c->counted = counted;
  server->connections++;
  crowd_open (server->crowd);
  peer_identify (&c->peer, fd, local, server->overflow_uid);
  ev_io_init (&c->io, on_ready, fd, EV_READ);
  c->io.data = c;
  waits_add (&server->waits, &c->wait, WAIT_HEAD);
  if (counted != NULL)
    return ev_io_start (server->env->loop, &c->io);
  c->x = exchange_take (pool_of (c), c);
  refuse (c, HTTP_REFUSED_CROWDED);
}
