#include "service/http/dial.h"

#include <stdlib.h>
#include <string.h>

#include "service/http/curl_parts.h"

/* Bytes that are handed to libcurl at once: TLS wants the same ones again until it has taken them;
 * and bytes that are read in one turn of the loop. */
enum { PIECE = 16 * 1024, TURN = 256 * 1024 };

struct wire {
  struct http_dialler *dialler;
  const struct wire_events *events;
  void *ctx;
  struct arena arena;
  struct url url;
  bool private_too;
  void *question; /* while the name is looked up */
  struct transfer *transfer;
  ev_io io; /* once it is connected */
  size_t turn;
  size_t piece_len, piece_sent;
  char piece[PIECE];
};

static void
wire_free (struct wire *w)
{
  ev_io_stop (w->dialler->loop, &w->io);
  if (w->question != NULL)
    w->dialler->resolver.forget (w->question);
  if (w->transfer != NULL)
    transfer_drop (w->transfer);
  arena_free (&w->arena);
  free (w);
}

static void
fail (struct wire *w, bool blocked, const char *why)
{
  const struct wire_events *events = w->events;
  void *ctx = w->ctx;

  wire_free (w);
  events->failed (ctx, blocked, why);
}

/* ---- bytes ---- */

static void
watch (struct wire *w, int what)
{
  if ((w->io.events & (EV_READ | EV_WRITE)) == what && ev_is_active (&w->io))
    return;
  ev_io_stop (w->dialler->loop, &w->io);
  ev_io_set (&w->io, w->io.fd, what);
  ev_io_start (w->dialler->loop, &w->io);
}

/* False: it broke off. */
static bool
send_piece (struct wire *w)
{
  const struct curl_library *lib = &w->transfer->curl->lib;
  CURLcode code = CURLE_OK;
  size_t n;

  while (code == CURLE_OK && w->piece_sent < w->piece_len) {
    n = 0;
    code = lib->easy_send (w->transfer->easy, w->piece + w->piece_sent,
                           w->piece_len - w->piece_sent, &n);
    w->piece_sent += n;
  }
  if (w->piece_sent == w->piece_len)
    w->piece_sent = w->piece_len = 0;
  watch (w, w->piece_len != 0 ? EV_READ | EV_WRITE : EV_READ);
  return code == CURLE_OK || code == CURLE_AGAIN;
}

static ssize_t
write_bytes (void *wire, const void *data, size_t len)
{
  struct wire *w = wire;

  if (!send_piece (w))
    return -1;
  if (w->piece_len != 0 || len == 0)
    return 0;
  w->piece_len = len < PIECE ? len : PIECE;
  len = w->piece_len;
  memcpy (w->piece, data, len);
  return send_piece (w) ? (ssize_t) len : -1;
}

static ssize_t
read_bytes (void *wire, void *room, size_t size)
{
  struct wire *w = wire;
  size_t n = 0;
  CURLcode code;

  if (w->turn >= TURN) { /* others want to be served, too; what TLS has read shows on no socket */
    ev_feed_event (w->dialler->loop, &w->io, EV_READ);
    return 0;
  }
  code = w->transfer->curl->lib.easy_recv (w->transfer->easy, room, size, &n);
  if (code == CURLE_AGAIN)
    return 0;
  w->turn += n;
  return code == CURLE_OK && n != 0 ? (ssize_t) n : -1;
}

static void
on_io (struct ev_loop *loop, ev_io *io, int revents)
{
  struct wire *w = io->data;

  (void) loop;
  (void) revents;
  w->turn = 0;
  w->events->ready (w->ctx);
}

/* ---- connecting ---- */

static void
on_connected (void *ctx)
{
  struct wire *w = ctx;
  curl_socket_t fd = CURL_SOCKET_BAD;

  (void) w->transfer->curl->lib.easy_getinfo (w->transfer->easy, CURLINFO_ACTIVESOCKET, &fd);
  if (fd == CURL_SOCKET_BAD)
    return fail (w, false, "the connection broke off");
  ev_io_init (&w->io, on_io, fd, EV_READ);
  w->io.data = w;
  ev_io_start (w->dialler->loop, &w->io);
  w->events->open (w->ctx);
}

static void
on_head (void *ctx, int status, const struct http_header *headers, size_t count)
{
  (void) ctx;
  (void) status;
  (void) headers;
  (void) count;
}

static bool
on_body (void *ctx, const char *data, size_t len)
{
  (void) ctx;
  (void) data;
  (void) len;
  return true;
}

static void
on_end (void *ctx, enum http_failure failure, const char *text)
{
  struct wire *w = ctx;

  w->transfer = NULL;
  fail (w, failure == HTTP_BLOCKED, text);
}

/* False: libcurl can't be had. */
static bool
connect_to (struct wire *w, const struct address *addresses, size_t count)
{
  static const struct http_hop_events events = { .head = on_head, .body = on_body, .end = on_end };
  CLEANUP_BUF struct buf origin = { 0 };
  struct http_hop hop = {
    .url = &w->url, .addresses = addresses, .addresses_count = count, .private_too = w->private_too
  };
  struct transfer *t;

  url_write_origin (&w->url, &origin);
  hop.target = buf_cstr (&origin);
  t = w->transfer = transfer_new (w->dialler->curl, &hop, &events, w);
  if (t == NULL)
    return false;
  t->connected = on_connected;
  (void) t->curl->lib.easy_setopt (t->easy, CURLOPT_HTTP_VERSION, (long) CURL_HTTP_VERSION_1_1);
  (void) t->curl->lib.easy_setopt (t->easy, CURLOPT_CONNECT_ONLY, 1L);
  (void) t->curl->lib.easy_setopt (t->easy, CURLOPT_FRESH_CONNECT, 1L);
  transfer_begin (t);
  return true;
}

static void
on_resolved (void *ctx, const struct address *addresses, size_t count, const char *why)
{
  struct wire *w = ctx;
  struct address allowed[RESOLVED_MAX];
  size_t n = 0;

  w->question = NULL;
  for (size_t i = 0; i < count; i++)
    if (address_allowed (&addresses[i], w->private_too))
      allowed[n++] = addresses[i];
  if (count == 0)
    fail (w, false, why);
  else if (n != count) /* one that is not public taints the name, as for requests */
    fail (w, true, "the name leads to an address that is not public");
  else if (!connect_to (w, allowed, n))
    fail (w, false, "libcurl can't be had");
}

static void *
dial (void *ctx, const struct url *url, bool private_too, const struct wire_events *events,
      void *events_ctx)
{
  struct http_dialler *dialler = ctx;
  struct wire *w;

  if (!http_curl_load (dialler->curl, NULL))
    return NULL;
  w = xcalloc (1, sizeof *w);
  w->dialler = dialler;
  w->events = events;
  w->ctx = events_ctx;
  w->private_too = private_too;
  w->url = *url;
  w->url.path = arena_strndup (&w->arena, "/", 1);
  w->url.path_len = 1;
  w->url.query = NULL;
  ev_init (&w->io, on_io);
  if (!url->literal)
    w->question = dialler->resolver.look_up (dialler->resolver.ctx, w->url.host, on_resolved, w);
  else
    (void) connect_to (w, NULL, 0); /* its socket is checked as it is opened */
  return w;
}

static void
drop (void *wire)
{
  wire_free (wire);
}

struct dialer
http_dialler_dialer (struct http_dialler *dialler)
{
  return (struct dialer){
    .dial = dial, .read = read_bytes, .write = write_bytes, .drop = drop, .ctx = dialler
  };
}
