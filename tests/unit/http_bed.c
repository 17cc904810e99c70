#include "http_bed.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/un.h>

#include "front/http/http.h"
#include "tap.h"

void
bed_on_late (struct ev_loop *loop, ev_timer *timer, int events)
{
  (void) loop;
  (void) events;
  *(bool *) timer->data = true;
}

void
bed_on_again (struct ev_loop *loop, ev_timer *timer, int events)
{
  (void) loop;
  (void) timer;
  (void) events;
}

static void
on_gone (void *data)
{
  struct bed *bed = data;
  bed->gone++;
}

static void
hold (struct bed *bed, struct http_exchange *x)
{
  http_set_data (x, bed);
  http_on_gone (x, on_gone);
  bed->pending[bed->pending_count++ % PENDING_MAX] = x;
}

static void
echo (struct http_exchange *x)
{
  const struct http_request *r = http_request (x);
  CLEANUP_BUF struct buf text = { 0 };

  buf_append (&text, r->method.data, r->method.len);
  buf_putc (&text, ' ');
  buf_append (&text, r->path.data, r->path.len);
  buf_putc (&text, '?');
  buf_append (&text, r->query.data, r->query.len);
  buf_putc (&text, ' ');
  buf_append (&text, r->body.data, r->body.len);
  http_reply (x, 200, "text/plain", NULL, text.data, text.len);
}

static void
tell (struct http_exchange *x)
{
  struct slice joined = http_header (x, "x-list"), param = http_query (x, "q");
  CLEANUP_BUF struct buf text = { 0 };

  CU_ASSERT_PTR_NULL (http_header (x, "absent").data);
  CU_ASSERT_PTR_NULL (http_query (x, "absent").data);
  buf_append (&text, joined.data, joined.len);
  buf_putc (&text, '|');
  buf_append (&text, param.data, param.len);
  buf_printf (&text, "|%s|%d", http_request (x)->peer->principal,
              (http_request (x)->peer->roles & ROLE_MANAGE) != 0);
  http_reply (x, 200, "text/plain", "X-Extra: yes\r\n", text.data, text.len);
}

void
put_big (struct buf *out)
{
  for (int i = 0; i < BIG; i++)
    buf_putc (out, (char) ('a' + i % 23));
}

static void
big (struct http_exchange *x)
{
  CLEANUP_BUF struct buf body = { 0 };

  put_big (&body);
  http_reply (x, 200, "text/plain", NULL, body.data, body.len);
}

/* Its memory goes with the answer, unless there is no need. */
static void
taken (struct http_exchange *x, size_t len)
{
  CLEANUP_BUF struct buf body = { 0 };
  bool head = slice_is (http_request (x)->method, "HEAD");

  put_big (&body);
  body.len = len;
  http_reply_take (x, 200, "text/plain", NULL, &body);
  CU_ASSERT_EQUAL (body.data == NULL, len == BIG && !head);
}

static void
stream_now (struct http_exchange *x)
{
  http_stream_begin (x, 200, "text/event-stream", "X-Accel-Buffering: no\r\n");
  CU_ASSERT (http_stream_write (x, "one", 3));
  CU_ASSERT (http_stream_write (x, "", 0));
  CU_ASSERT (http_stream_write (x, "twelve bytes", 12));
  http_stream_end (x);
}

static void
on_bytes (void *data, const char *bytes, size_t len)
{
  struct bed *bed = data;
  buf_append (&bed->heard, bytes, len);
}

static void
upgrade (struct bed *bed, struct http_exchange *x)
{
  if (http_upgrade (x, "Upgrade: bytes\r\n", on_bytes))
    return hold (bed, x);
  http_reply (x, 400, "text/plain", NULL, "early", 5);
}

static void
handle (void *ctx, struct http_exchange *x)
{
  struct bed *bed = ctx;
  struct slice path = http_request (x)->path;

  bed->served++;
  if (slice_is (path, "/later"))
    return hold (bed, x);
  if (slice_is (path, "/upgrade"))
    return upgrade (bed, x);
  if (slice_is (path, "/tell"))
    return tell (x);
  if (slice_is (path, "/big"))
    return big (x);
  if (slice_is (path, "/taken"))
    return taken (x, BIG);
  if (slice_is (path, "/taken-small"))
    return taken (x, 3);
  if (slice_is (path, "/none"))
    return http_reply (x, 204, NULL, NULL, NULL, 0);
  if (slice_is (path, "/accepted"))
    return http_reply (x, 202, NULL, NULL, "ignored", 7);
  if (slice_is (path, "/odd"))
    return http_reply (x, 299, "text/plain", NULL, "odd", 3);
  if (slice_is (path, "/error"))
    return http_reply_error (x, 404, "not_found", "No \"%s\" here", "x");
  if (slice_is (path, "/busy"))
    return http_reply (x, 503, NULL, NULL, NULL, 0);
  if (slice_is (path, "/busy-until"))
    return http_reply (x, 429, NULL, "Retry-After: 7\r\n", NULL, 0);
  if (slice_is (path, "/stream-now"))
    return stream_now (x);
  if (slice_is (path, "/stream")) {
    http_stream_begin (x, 200, "text/event-stream", NULL);
    return hold (bed, x);
  }
  echo (x);
}

int
bed_listen_tcp (void)
{
  struct sockaddr_in any = { .sin_family = AF_INET, .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };
  int fd = socket (AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

  CU_ASSERT_FATAL (bind (fd, (struct sockaddr *) &any, sizeof any) == 0 && listen (fd, 64) == 0);
  return fd;
}

int
bed_listen_unix (void)
{
  struct sockaddr_un any = { .sun_family = AF_UNIX };
  int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

  CU_ASSERT_FATAL (bind (fd, (struct sockaddr *) &any, sizeof any.sun_family) == 0
                   && listen (fd, 64) == 0);
  return fd;
}

void
bed_open_by (struct bed *bed, const struct http_limits *limits, int listener, unsigned threads,
             http_handler handler, void *ctx)
{
  struct error err = { 0 };

  memset (bed, 0, sizeof *bed);
  bed->loop = ev_loop_new (EVFLAG_AUTO);
  bed->env.loop = bed->loop;
  bed->address_len = sizeof bed->address;
  (void) getsockname (listener, (struct sockaddr *) &bed->address, &bed->address_len);
  bed->server = http_server_new (&bed->env, limits, handler, ctx);
  CU_ASSERT_FATAL (threads == 0 || http_server_spread (bed->server, threads, &err));
  http_server_listen (bed->server, listener);
}

void
bed_open_spread (struct bed *bed, const struct http_limits *limits, int listener, unsigned threads)
{
  bed_open_by (bed, limits, listener, threads, handle, bed);
}

void
bed_open_with (struct bed *bed, const struct http_limits *limits, int listener)
{
  bed_open_spread (bed, limits, listener, 0);
}

void
bed_open (struct bed *bed)
{
  bed_open_with (bed, &http_default_limits, bed_listen_tcp ());
}

void
bed_open_bulk (struct bed *bed)
{
  bed_open_with (bed, &http_default_limits, bed_listen_unix ());
}

void
bed_close (struct bed *bed)
{
  http_server_free (bed->server);
  buf_free (&bed->heard);
  ev_loop_destroy (bed->loop);
}

static void
on_client (struct ev_loop *loop, ev_io *io, int events)
{
  struct client *c = io->data;
  ssize_t n = recv (io->fd, buf_reserve (&c->got, 64 * 1024), 64 * 1024, MSG_DONTWAIT);

  (void) events;
  if (n > 0) {
    c->got.len += (size_t) n;
    return;
  }
  if (n < 0 && errno == EAGAIN)
    return;
  c->closed = true;
  c->reset = n < 0;
  ev_io_stop (loop, io);
}

void
client_with (struct client *c, struct bed *bed, int fd)
{
  memset (c, 0, sizeof *c);
  c->bed = bed;
  CU_ASSERT_FATAL (connect (fd, (struct sockaddr *) &bed->address, bed->address_len) == 0);
  (void) fcntl (fd, F_SETFL, O_NONBLOCK);
  ev_io_init (&c->io, on_client, fd, EV_READ);
  c->io.data = c;
  ev_io_start (bed->loop, &c->io);
}

int
client_socket (const struct bed *bed)
{
  return socket (bed->address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

void
client_open (struct client *c, struct bed *bed)
{
  client_with (c, bed, client_socket (bed));
}

void
client_close (struct client *c)
{
  ev_io_stop (c->bed->loop, &c->io);
  (void) close (c->io.fd);
  buf_free (&c->got);
}

void
client_send_len (struct client *c, const char *data, size_t len)
{
  while (len > 0) {
    ssize_t n = send (c->io.fd, data, len, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno != EAGAIN)
      return;
    if (n < 0)
      ev_run (c->bed->loop, EVRUN_NOWAIT);
    else {
      data += n;
      len -= (size_t) n;
    }
  }
}

void
client_send (struct client *c, const char *text)
{
  client_send_len (c, text, strlen (text));
}

bool
client_has (struct client *c, const char *text)
{
  return strstr (buf_cstr (&c->got), text) != NULL;
}

void
client_expect (struct client *c, const char *text)
{
  size_t len = strlen (text);

  RUN_UNTIL (c->bed, c->got.len >= len || c->closed);
  if (strcmp (buf_cstr (&c->got), text) != 0) {
    printf ("# expected: %s\n# got: %s\n", text, buf_cstr (&c->got));
    CU_FAIL ("another answer");
  }
  c->got.len = 0;
}

void
client_expect_last (struct client *c, const char *start, const char *end)
{
  size_t start_len = strlen (start), end_len = strlen (end);

  RUN_UNTIL (c->bed, c->closed);
  CU_ASSERT_FALSE (c->reset);
  const char *got = buf_cstr (&c->got);
  if (strncmp (got, start, start_len) != 0 || c->got.len < end_len
      || strcmp (got + c->got.len - end_len, end) != 0) {
    printf ("# expected: %s…%s\n# got: %s\n", start, end, got);
    CU_FAIL ("another answer");
  }
  const char *head_end = strstr (got, "\r\n\r\n");
  CU_ASSERT (head_end != NULL && strstr (head_end, "HTTP/1.1 2") == NULL);
}
