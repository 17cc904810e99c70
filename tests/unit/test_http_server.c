#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "front/http/http.h"
#include "front/http/peer.h"
#include "front/http/server.h"

#include "tap.h"

#define HOST "Host: localhost\r\n"
#define GET(path) "GET " path " HTTP/1.1\r\n" HOST "\r\n"
#define OK(len, body)                                                                              \
  "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: " len "\r\n\r\n" body

/* ---- a server and its clients on one loop ---- */

enum { PENDING_MAX = 8, BIG = 4 * 1024 * 1024 };

struct bed {
  struct ev_loop *loop;
  struct front_env env;
  struct http_server *server;
  struct sockaddr_storage address;
  socklen_t address_len;
  struct http_exchange *pending[PENDING_MAX]; /* what /later and /stream left open */
  unsigned pending_count;
  unsigned served;
  unsigned gone;
  unsigned loop_turns;
  bool late; /* the safety timer fired */
};

struct client {
  struct bed *bed;
  ev_io io;
  struct buf got;
  bool closed; /* by the server */
  bool reset;
};

static void
on_late (struct ev_loop *loop, ev_timer *timer, int events)
{
  (void) loop;
  (void) events;
  *(bool *) timer->data = true;
}

/* Run the loop until the condition holds; a bug would make it wait, ten seconds at most. */
#define RUN_UNTIL(bed, condition)                                                                  \
  do {                                                                                             \
    ev_timer safety;                                                                               \
    (bed)->late = false;                                                                           \
    ev_timer_init (&safety, on_late, 10., 0.);                                                     \
    safety.data = &(bed)->late;                                                                    \
    ev_timer_start ((bed)->loop, &safety);                                                         \
    while (!(condition) && !(bed)->late) {                                                         \
      (bed)->loop_turns++;                                                                         \
      ev_run ((bed)->loop, EVRUN_ONCE);                                                            \
    }                                                                                              \
    ev_timer_stop ((bed)->loop, &safety);                                                          \
    CU_ASSERT_FALSE ((bed)->late);                                                                 \
  } while (0)

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
  buf_printf (&text, "|%s|%d", http_request (x)->peer->principal, http_request (x)->peer->manager);
  http_reply (x, 200, "text/plain", "X-Extra: yes\r\n", text.data, text.len);
}

static void
big (struct http_exchange *x)
{
  CLEANUP_FREE char *body = xmalloc (BIG);

  for (int i = 0; i < BIG; i++)
    body[i] = (char) ('a' + i % 23);
  http_reply (x, 200, "text/plain", NULL, body, BIG);
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
handle (void *ctx, struct http_exchange *x)
{
  struct bed *bed = ctx;
  struct slice path = http_request (x)->path;

  bed->served++;
  if (slice_is (path, "/later"))
    return hold (bed, x);
  if (slice_is (path, "/tell"))
    return tell (x);
  if (slice_is (path, "/big"))
    return big (x);
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

static int
listen_tcp (void)
{
  struct sockaddr_in any = { .sin_family = AF_INET, .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };
  int fd = socket (AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

  CU_ASSERT_FATAL (bind (fd, (struct sockaddr *) &any, sizeof any) == 0 && listen (fd, 64) == 0);
  return fd;
}

/* In the abstract namespace, under a name the kernel chooses. */
static int
listen_unix (void)
{
  struct sockaddr_un any = { .sun_family = AF_UNIX };
  int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

  CU_ASSERT_FATAL (bind (fd, (struct sockaddr *) &any, sizeof any.sun_family) == 0
                   && listen (fd, 64) == 0);
  return fd;
}

static void
bed_open_with (struct bed *bed, const struct http_limits *limits, int listener)
{
  memset (bed, 0, sizeof *bed);
  bed->loop = ev_loop_new (EVFLAG_AUTO);
  bed->env.loop = bed->loop;
  bed->address_len = sizeof bed->address;
  (void) getsockname (listener, (struct sockaddr *) &bed->address, &bed->address_len);
  bed->server = http_server_new (&bed->env, limits, handle, bed);
  http_server_listen (bed->server, listener);
}

static void
bed_open (struct bed *bed)
{
  bed_open_with (bed, &http_default_limits, listen_tcp ());
}

/* For megabytes: on a busy machine TCP loses packets even on loopback, and waits for them. */
static void
bed_open_bulk (struct bed *bed)
{
  bed_open_with (bed, &http_default_limits, listen_unix ());
}

static void
bed_close (struct bed *bed)
{
  http_server_free (bed->server);
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

static void
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

static int
client_socket (const struct bed *bed)
{
  return socket (bed->address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

static void
client_open (struct client *c, struct bed *bed)
{
  client_with (c, bed, client_socket (bed));
}

static void
client_close (struct client *c)
{
  ev_io_stop (c->bed->loop, &c->io);
  (void) close (c->io.fd);
  buf_free (&c->got);
}
#define CLEANUP_CLIENT __attribute__ ((cleanup (client_close)))

static void
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

static void
client_send (struct client *c, const char *text)
{
  client_send_len (c, text, strlen (text));
}

static bool
has (struct client *c, const char *text)
{
  return strstr (buf_cstr (&c->got), text) != NULL;
}

/* Wait for exactly this and nothing else; forget it. */
static void
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

/* Wait for the server to close, and for this before it. */
static void
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

#define REFUSED(status, code, message)                                                             \
  "HTTP/1.1 " status "\r\nContent-Type: application/json\r\n",                                     \
    "Connection: close\r\n\r\n{\"error\":{\"code\":\"" code "\",\"message\":\"" message "\"}}"

/* ---- requests and answers ---- */

static void
keep_alive (void)
{
  struct bed bed;
  bed_open (&bed);
  {
    CLEANUP_CLIENT struct client c;
    client_open (&c, &bed);
    client_send (&c, GET ("/a?b"));
    client_expect (&c, OK ("9", "GET /a?b "));
    client_send (&c, "POST /p HTTP/1.1\r\n" HOST "Content-Length: 4\r\n\r\nbody");
    client_expect (&c, OK ("13", "POST /p? body"));
    CU_ASSERT_EQUAL (http_server_connections (bed.server), 1);
    client_send (&c, "GET / HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n");
    client_expect_last (&c,
                        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 7\r\n"
                        "Connection: close\r\n\r\n",
                        "GET /? ");
    CU_ASSERT_EQUAL (http_server_connections (bed.server), 0);
  }
  bed_close (&bed);
}

static void
old_version (void)
{
  struct bed bed;
  bed_open (&bed);
  {
    CLEANUP_CLIENT struct client c;
    client_open (&c, &bed);
    client_send (&c, "GET / HTTP/1.0\r\n" HOST "Connection: keep-alive\r\n\r\n");
    client_expect (&c, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 7\r\n"
                       "Connection: keep-alive\r\n\r\nGET /? ");
    client_send (&c, "GET / HTTP/1.0\r\n" HOST "\r\n");
    client_expect_last (&c, "HTTP/1.1 200 OK\r\n", "Connection: close\r\n\r\nGET /? ");
  }
  bed_close (&bed);
}

static void
kinds_of_answers (void)
{
  static const struct {
    const char *path, *answer;
  } rows[] = {
    { "/none", "HTTP/1.1 204 No Content\r\n\r\n" },
    { "/accepted", "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n" },
    { "/odd", "HTTP/1.1 299 \r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\nodd" },
    { "/error", "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nContent-Length: 56"
                "\r\n\r\n{\"error\":{\"code\":\"not_found\",\"message\":\"No \\\"x\\\" here\"}}" },
    { "/busy", "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nRetry-After: 1\r\n\r\n" },
    { "/busy-until",
      "HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\nRetry-After: 7\r\n\r\n" },
    { "/tell?q=a%20b", "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 27\r\n"
                       "X-Extra: yes\r\n\r\none, two, 3|a b|anonymous|0" },
  };
  struct bed bed;
  bed_open (&bed);
  {
    CLEANUP_CLIENT struct client c;
    client_open (&c, &bed);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
      CLEANUP_BUF struct buf request = { 0 };
      buf_printf (&request,
                  "GET %s HTTP/1.1\r\n" HOST "X-List: one\r\nx-LIST: two\r\nX-List: 3\r\n\r\n",
                  rows[i].path);
      client_send_len (&c, request.data, request.len);
      client_expect (&c, rows[i].answer);
    }
  }
  bed_close (&bed);
}

static void
head_method (void)
{
  struct bed bed;
  bed_open (&bed);
  {
    CLEANUP_CLIENT struct client c;
    client_open (&c, &bed);
    client_send (&c, "HEAD /x HTTP/1.1\r\n" HOST "\r\n" GET ("/y"));
    client_expect (&c, OK ("9", "") OK ("8", "GET /y? "));
    client_send (&c, "HEAD /stream-now HTTP/1.1\r\n" HOST "\r\n" GET ("/z"));
    client_expect (
      &c, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
          "Transfer-Encoding: chunked\r\nX-Accel-Buffering: no\r\n\r\n" OK ("8", "GET /z? "));
    client_send (&c, "HEAD /big HTTP/1.1\r\n" HOST "\r\n");
    client_expect (&c, OK ("4194304", ""));
    client_send (&c, "HEAD / HTTP/1.1\r\n\r\n");
    client_expect_last (&c, "HTTP/1.1 400 Bad Request\r\n", "Connection: close\r\n\r\n");
  }
  bed_close (&bed);
}

static void
chunked_request (void)
{
  struct bed bed;
  bed_open (&bed);
  {
    CLEANUP_CLIENT struct client c;
    client_open (&c, &bed);
    client_send (&c, "POST /c HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"
                     "3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n" GET ("/n"));
    client_expect (&c, OK ("22", "POST /c? abc0123456789") OK ("8", "GET /n? "));
  }
  bed_close (&bed);
}

/* Byte by byte, with the loop's turn after each. */
static void
dripping (void)
{
  static const char request[] = "POST /c HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"
                                "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
  struct bed bed;
  bed_open (&bed);
  {
    CLEANUP_CLIENT struct client c;
    client_open (&c, &bed);
    for (size_t i = 0; i < sizeof request - 1; i++) {
      client_send_len (&c, request + i, 1);
      ev_run (bed.loop, EVRUN_NOWAIT);
    }
    client_expect (&c, OK ("14", "POST /c? abcde"));
  }
  bed_close (&bed);
}

static void
large_bodies (void)
{
  struct http_limits limits = http_default_limits;
  CLEANUP_BUF struct buf request = { 0 };
  struct bed bed;

  limits.body_max = BIG;
  bed_open_with (&bed, &limits, listen_unix ());
  buf_printf (&request, "POST / HTTP/1.1\r\n" HOST "Content-Length: %d\r\n\r\n", BIG);
  for (int i = 0; i < BIG; i++)
    buf_putc (&request, (char) ('a' + i % 23));
  {
    CLEANUP_CLIENT struct client c;
    client_open (&c, &bed);
    client_send_len (&c, request.data, request.len);
    client_send (&c, GET ("/big"));
    RUN_UNTIL (&bed, c.got.len > 2 * BIG && has (&c, "\r\n\r\nPOST"));
    CU_ASSERT_EQUAL (memcmp (c.got.data + c.got.len - BIG, request.data + request.len - BIG, BIG),
                     0);
    const char *first = strstr (c.got.data, "\r\n\r\nPOST /? ");
    CU_ASSERT_PTR_NOT_NULL_FATAL (first);
    CU_ASSERT_EQUAL (memcmp (first + 12, request.data + request.len - BIG, BIG), 0);
  }
  bed_close (&bed);
}

/* ---- pipelining ---- */

static void
pipelined (void)
{
  CLEANUP_BUF struct buf requests = { 0 };
  CLEANUP_BUF struct buf answers = { 0 };
  struct bed bed;

  bed_open (&bed);
  for (int i = 100; i < 300; i++) {
    buf_printf (&requests, GET ("/%d"), i);
    buf_printf (&answers, OK ("10", "GET /%d? "), i);
  }
  {
    CLEANUP_CLIENT struct client c;
    client_open (&c, &bed);
    client_send_len (&c, requests.data, requests.len);
    client_expect (&c, buf_cstr (&answers));
  }
  bed_close (&bed);
}

/* Others have their turn between the requests of one who sends many. */
static void
fair (void)
{
  CLEANUP_BUF struct buf requests = { 0 };
  struct bed bed;

  bed_open (&bed);
  for (int i = 0; i < 500; i++)
    buf_puts (&requests, GET ("/"));
  {
    CLEANUP_CLIENT struct client greedy, modest;
    client_open (&greedy, &bed);
    client_open (&modest, &bed);
    client_send (&modest, GET ("/"));
    client_expect (&modest, OK ("7", "GET /? "));
    client_send_len (&greedy, requests.data, requests.len);
    RUN_UNTIL (&bed, bed.served > 1);
    CU_ASSERT (bed.served <= 1 + 16);
    client_send (&modest, GET ("/"));
    client_expect (&modest, OK ("7", "GET /? "));
    CU_ASSERT (bed.served < 500);
    RUN_UNTIL (&bed, bed.served == 502);
  }
  bed_close (&bed);
}

static void
pipelined_behind_later (void)
{
  struct bed bed;
  bed_open (&bed);
  {
    CLEANUP_CLIENT struct client c;
    client_open (&c, &bed);
    client_send (&c, GET ("/1") GET ("/later") GET ("/2") GET ("/later") GET ("/3"));
    client_expect (&c, OK ("8", "GET /1? "));
    CU_ASSERT_EQUAL (bed.served, 2);
    http_reply (bed.pending[0], 200, "text/plain", NULL, "first", 5);
    RUN_UNTIL (&bed, bed.pending_count == 2);
    client_expect (&c, OK ("5", "first") OK ("8", "GET /2? "));
    CU_ASSERT_EQUAL (bed.served, 4);
    http_reply (bed.pending[1], 200, "text/plain", NULL, "second", 6);
    client_expect (&c, OK ("6", "second") OK ("8", "GET /3? "));
    CU_ASSERT_EQUAL (bed.gone, 0);
  }
  bed_close (&bed);
}

/* The next request waits in the socket, unread, until the answer. */
static void
sent_behind_later (void)
{
  struct bed bed;
  bed_open (&bed);
  {
    CLEANUP_CLIENT struct client c;
    client_open (&c, &bed);
    client_send (&c, GET ("/later"));
    RUN_UNTIL (&bed, bed.pending_count == 1);
    client_send (&c, GET ("/1"));
    for (int i = 0; i < 5; i++)
      ev_run (bed.loop, EVRUN_NOWAIT);
    CU_ASSERT_EQUAL (bed.served, 1);
    http_reply (bed.pending[0], 200, "text/plain", NULL, "first", 5);
    client_expect (&c, OK ("5", "first") OK ("8", "GET /1? "));
  }
  bed_close (&bed);
}

/* Many answers to one who does not read yet: kept, in order, and no request is lost. */
static void
pipelined_to_slow_reader (void)
{
  enum { TIMES = 6 };
  struct bed bed;
  size_t head = sizeof OK ("4194304", "") - 1;

  bed_open_bulk (&bed);
  {
    CLEANUP_CLIENT struct client c;
    client_open (&c, &bed);
    ev_io_stop (bed.loop, &c.io);
    for (int i = 0; i < TIMES; i++)
      client_send (&c, GET ("/big"));
    RUN_UNTIL (&bed, bed.served >= 1);
    for (int i = 0; i < 20; i++)
      ev_run (bed.loop, EVRUN_NOWAIT);
    CU_ASSERT (bed.served < TIMES);
    ev_io_start (bed.loop, &c.io);
    RUN_UNTIL (&bed, c.got.len == TIMES * (BIG + head));
    CU_ASSERT_EQUAL (bed.served, TIMES);
    for (int i = 0; i < TIMES && c.got.len == TIMES * (BIG + head); i++) {
      const char *at = c.got.data + (size_t) i * (BIG + head);
      CU_ASSERT_EQUAL (memcmp (at, OK ("4194304", ""), head), 0);
      CU_ASSERT_EQUAL (at[head], 'a');
      CU_ASSERT_EQUAL (at[head + BIG - 1], 'a' + (BIG - 1) % 23);
    }
  }
  bed_close (&bed);
}

/* ---- refusals ---- */

static void
refused (void)
{
  static const struct {
    const char *request, *start, *end;
  } rows[] = {
    { "GET / HTTP/1.1\r\n\r\n",
      REFUSED ("400 Bad Request", "bad_request", "An HTTP/1.1 request needs a Host header") },
    { "POST / HTTP/1.1\r\n" HOST "Content-Length: 1048577\r\n\r\n",
      REFUSED ("413 Content Too Large", "body_too_large", "The body of the request is too large") },
    { "POST / HTTP/1.1\r\n" HOST "Expect: 100-continue\r\nContent-Length: 1048577\r\n\r\n",
      REFUSED ("413 Content Too Large", "body_too_large", "The body of the request is too large") },
    { "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: gzip\r\n\r\n",
      REFUSED ("501 Not Implemented", "not_implemented",
               "The only transfer coding understood is \\\"chunked\\\"") },
    { "GET / HTTP/3.0\r\n" HOST "\r\n",
      REFUSED ("505 HTTP Version Not Supported", "http_version_not_supported",
               "Only HTTP/1.1 and HTTP/1.0 are spoken here") },
    { "POST / HTTP/1.1\r\n" HOST "Expect: x\r\n\r\n",
      REFUSED ("417 Expectation Failed", "expectation_failed",
               "Expect is not \\\"100-continue\\\"") },
    { "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n1;x\r\n",
      REFUSED ("400 Bad Request", "bad_request", "Chunk extensions are refused") },
  };
  struct bed bed;
  bed_open (&bed);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CLEANUP_CLIENT struct client c;
    client_open (&c, &bed);
    client_send (&c, rows[i].request);
    client_expect_last (&c, rows[i].start, rows[i].end);
  }
  CU_ASSERT_EQUAL (bed.served, 0);
  bed_close (&bed);
}

/* What is behind a refused request is never answered, however it arrives. */
static void
nothing_after_refusal (void)
{
  static const char smuggled[] =
    "POST / HTTP/1.1\r\n" HOST "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n"
    "0\r\n\r\n" GET ("/smuggled");
  struct bed bed;
  bed_open (&bed);
  {
    CLEANUP_CLIENT struct client c;
    client_open (&c, &bed);
    client_send (&c, GET ("/1"));
    client_expect (&c, OK ("8", "GET /1? "));
    client_send (&c, smuggled);
    RUN_UNTIL (&bed, has (&c, "}}"));
    client_send (&c, GET ("/2"));
    client_expect_last (&c, REFUSED ("400 Bad Request", "bad_request",
                                     "Content-Length and Transfer-Encoding came in the same "
                                     "request"));
    CU_ASSERT_EQUAL (bed.served, 1);
  }
  bed_close (&bed);
}

static void
long_head (void)
{
  CLEANUP_BUF struct buf line = { 0 };
  struct bed bed;

  bed_open (&bed);
  for (int i = 0; i < 9000; i++)
    buf_putc (&line, 'x');
  {
    CLEANUP_CLIENT struct client c;
    client_open (&c, &bed);
    client_send (&c, "GET / HTTP/1.1\r\nA: ");
    client_send_len (&c, line.data, line.len);
    client_expect_last (&c, REFUSED ("431 Request Header Fields Too Large", "headers_too_large",
                                     "A header line is too long"));
  }
  {
    CLEANUP_CLIENT struct client c;
    client_open (&c, &bed);
    client_send (&c, "GET /");
    client_send_len (&c, line.data, line.len);
    client_expect_last (
      &c, REFUSED ("414 URI Too Long", "uri_too_long", "The request line is too long"));
  }
  bed_close (&bed);
}

/* One who sends all of a large body before reading still gets the answer. */
static void
refused_while_sending (void)
{
  CLEANUP_BUF struct buf body = { 0 };
  struct bed bed;

  bed_open (&bed);
  for (int i = 0; i < 2097152; i++)
    buf_putc (&body, 'x');
  {
    CLEANUP_CLIENT struct client c;
    client_open (&c, &bed);
    ev_io_stop (bed.loop, &c.io);
    client_send (&c, "POST / HTTP/1.1\r\n" HOST "Content-Length: 2097152\r\n\r\n");
    client_send_len (&c, body.data, body.len);
    (void) shutdown (c.io.fd, SHUT_WR);
    ev_io_start (bed.loop, &c.io);
    client_expect_last (&c, REFUSED ("413 Content Too Large", "body_too_large",
                                     "The body of the request is too large"));
  }
  bed_close (&bed);
}

static void
foreign (void)
{
  static const struct {
    const char *request, *code;
  } rows[] = {
    { "GET / HTTP/1.1\r\nHost: evil.com\r\n\r\n", "forbidden_host" },
    { "GET / HTTP/1.1\r\nHost: localhost@evil.com\r\n\r\n", "forbidden_host" },
    { "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "forbidden_host" },
    { "GET / HTTP/1.1\r\n" HOST "Origin: null\r\n\r\n", "forbidden_origin" },
    { "GET / HTTP/1.1\r\n" HOST "Origin: https://evil.com\r\n\r\n", "forbidden_origin" },
  };
  struct bed bed;
  bed_open (&bed);
  {
    CLEANUP_CLIENT struct client c;
    client_open (&c, &bed);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
      client_send (&c, rows[i].request);
      RUN_UNTIL (&bed, has (&c, "}}"));
      CU_ASSERT (has (&c, "HTTP/1.1 403 Forbidden\r\n"));
      CU_ASSERT (has (&c, rows[i].code));
      c.got.len = 0;
    }
    CU_ASSERT_EQUAL (bed.served, 0);
    client_send (&c, "GET / HTTP/1.1\r\nHost: 127.0.0.1:99\r\nOrigin: http://localhost:1\r\n\r\n");
    client_expect (&c, OK ("7", "GET /? "));
  }
  bed_close (&bed);
}

/* ---- Expect ---- */

static void
expect_continue (void)
{
  struct bed bed;
  bed_open (&bed);
  {
    CLEANUP_CLIENT struct client c;
    client_open (&c, &bed);
    client_send (&c, "POST / HTTP/1.1\r\n" HOST "Expect: 100-continue\r\n"
                     "Content-Length: 3\r\n\r\n");
    client_expect (&c, "HTTP/1.1 100 Continue\r\n\r\n");
    client_send (&c, "ab");
    for (int i = 0; i < 3; i++)
      ev_run (bed.loop, EVRUN_NOWAIT);
    client_send (&c, "c");
    client_expect (&c, OK ("11", "POST /? abc"));
    /* the body came along: nobody waits for the word */
    client_send (&c, GET ("/1") "POST / HTTP/1.1\r\n" HOST "Expect: 100-continue\r\n"
                                "Transfer-Encoding: chunked\r\n\r\n1");
    client_expect (&c, OK ("8", "GET /1? "));
    client_send (&c, "\r\nx\r\n0\r\n\r\n");
    client_expect (&c, OK ("9", "POST /? x"));
    client_send (&c, GET ("/1") "POST / HTTP/1.1\r\n" HOST "Expect: 100-continue\r\n"
                                "Transfer-Encoding: chunked\r\n\r\n");
    client_expect (&c, OK ("8", "GET /1? ") "HTTP/1.1 100 Continue\r\n\r\n");
  }
  bed_close (&bed);
}

/* ---- streams ---- */

static void
stream (void)
{
  struct bed bed;
  bed_open (&bed);
  {
    CLEANUP_CLIENT struct client c;
    client_open (&c, &bed);
    client_send (&c, GET ("/stream-now") GET ("/1"));
    client_expect (&c, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                       "Transfer-Encoding: chunked\r\nX-Accel-Buffering: no\r\n\r\n"
                       "3\r\none\r\nc\r\ntwelve bytes\r\n0\r\n\r\n" OK ("8", "GET /1? "));
    client_send (&c, GET ("/stream"));
    client_expect (&c, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                       "Transfer-Encoding: chunked\r\n\r\n");
    CU_ASSERT (http_stream_write (bed.pending[0], "a", 1));
    CU_ASSERT (http_stream_write (bed.pending[0], "bc", 2));
    client_expect (&c, "1\r\na\r\n2\r\nbc\r\n");
    CU_ASSERT (http_stream_write (bed.pending[0], "d", 1));
    http_stream_end (bed.pending[0]);
    client_expect (&c, "1\r\nd\r\n0\r\n\r\n");
    client_send (&c, GET ("/2"));
    client_expect (&c, OK ("8", "GET /2? "));
    CU_ASSERT_EQUAL (bed.gone, 0);
  }
  bed_close (&bed);
}

static void
stream_to_old_version (void)
{
  struct bed bed;
  bed_open (&bed);
  {
    CLEANUP_CLIENT struct client c;
    client_open (&c, &bed);
    client_send (&c, "GET /stream-now HTTP/1.0\r\n" HOST "Connection: keep-alive\r\n\r\n");
    client_expect_last (&c,
                        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                        "Connection: close\r\nX-Accel-Buffering: no\r\n\r\n",
                        "\r\n\r\nonetwelve bytes");
  }
  bed_close (&bed);
}

/* A peer that does not read is given up at 8 MiB, and its handler hears of it once, later. */
static void
stream_backlog (void)
{
  CLEANUP_FREE char *piece = xcalloc (1, 64 * 1024);
  struct bed bed;
  unsigned written = 0;

  bed_open_bulk (&bed);
  {
    CLEANUP_CLIENT struct client c;
    client_open (&c, &bed);
    ev_io_stop (bed.loop, &c.io);
    client_send (&c, GET ("/stream"));
    RUN_UNTIL (&bed, bed.pending_count == 1);
    while (written < 1024 && http_stream_write (bed.pending[0], piece, 64 * 1024))
      written++;
    CU_ASSERT (written >= 127 && written < 1024);
    CU_ASSERT_EQUAL (bed.gone, 0);
    CU_ASSERT_FALSE (http_stream_write (bed.pending[0], piece, 1));
    RUN_UNTIL (&bed, bed.gone == 1);
    CU_ASSERT_EQUAL (http_server_connections (bed.server), 0);
  }
  bed_close (&bed);
  CU_ASSERT_EQUAL (bed.gone, 1);
}

/* … or its handler ends the stream first. */
static void
stream_backlog_ended (void)
{
  CLEANUP_FREE char *piece = xcalloc (1, BIG);
  struct bed bed;

  bed_open_bulk (&bed);
  {
    CLEANUP_CLIENT struct client c;
    client_open (&c, &bed);
    ev_io_stop (bed.loop, &c.io);
    client_send (&c, GET ("/stream"));
    RUN_UNTIL (&bed, bed.pending_count == 1);
    for (int i = 0; i < 16 && http_stream_write (bed.pending[0], piece, BIG); i++)
      ;
    http_stream_end (bed.pending[0]);
    RUN_UNTIL (&bed, http_server_connections (bed.server) == 0);
  }
  bed_close (&bed);
  CU_ASSERT_EQUAL (bed.gone, 0);
}

/* ---- the peer leaves ---- */

static void
peer_closes (void)
{
  static const char *const requests[] = { GET ("/later"), GET ("/stream") };
  struct bed bed;

  bed_open (&bed);
  for (unsigned i = 0; i < 2; i++) {
    struct client c;
    client_open (&c, &bed);
    client_send (&c, requests[i]);
    RUN_UNTIL (&bed, bed.pending_count == i + 1);
    client_close (&c);
    RUN_UNTIL (&bed, bed.gone == i + 1);
    CU_ASSERT_EQUAL (http_server_connections (bed.server), 0);
  }
  bed_close (&bed);
  CU_ASSERT_EQUAL (bed.gone, 2);
}

static void
peer_half_closes (void)
{
  struct bed bed;
  bed_open (&bed);
  {
    CLEANUP_CLIENT struct client c;
    client_open (&c, &bed);
    client_send (&c, GET ("/1") GET ("/2"));
    (void) shutdown (c.io.fd, SHUT_WR);
    RUN_UNTIL (&bed, c.closed);
    client_expect (&c, OK ("8", "GET /1? ") OK ("8", "GET /2? "));
  }
  {
    CLEANUP_CLIENT struct client c;
    client_open (&c, &bed);
    client_send (&c, GET ("/later"));
    (void) shutdown (c.io.fd, SHUT_WR);
    RUN_UNTIL (&bed, bed.gone == 1 && c.closed);
  }
  bed_close (&bed);
}

/* Bytes of a next request hide the end behind them. */
static void
peer_closes_hidden (void)
{
  struct bed bed;
  struct client c;

  bed_open (&bed);
  client_open (&c, &bed);
  client_send (&c, GET ("/later"));
  RUN_UNTIL (&bed, bed.pending_count == 1);
  client_send (&c, GET ("/1"));
  for (int i = 0; i < 5; i++)
    ev_run (bed.loop, EVRUN_NOWAIT);
  client_close (&c);
  RUN_UNTIL (&bed, bed.gone == 1);
  CU_ASSERT_EQUAL (bed.served, 1);
  CU_ASSERT_EQUAL (http_server_connections (bed.server), 0);
  bed_close (&bed);
}

static void
peer_closes_without_callback (void)
{
  struct bed bed;
  struct client c;

  bed_open (&bed);
  client_open (&c, &bed);
  client_send (&c, GET ("/later"));
  RUN_UNTIL (&bed, bed.pending_count == 1);
  http_on_gone (bed.pending[0], NULL);
  CU_ASSERT_PTR_EQUAL (http_data (bed.pending[0]), &bed);
  client_close (&c);
  RUN_UNTIL (&bed, http_server_connections (bed.server) == 0);
  CU_ASSERT_EQUAL (bed.gone, 0);
  bed_close (&bed);
}

static void
peer_closes_in_request (void)
{
  static const char *const parts[] = { "", "GET / HT",
                                       "POST / HTTP/1.1\r\n" HOST "Content-Length: 9\r\n\r\nabc" };
  struct bed bed;

  bed_open (&bed);
  for (size_t i = 0; i < 3; i++) {
    struct client c;
    client_open (&c, &bed);
    client_send (&c, parts[i]);
    RUN_UNTIL (&bed, http_server_connections (bed.server) == 1);
    client_close (&c);
    RUN_UNTIL (&bed, http_server_connections (bed.server) == 0);
  }
  CU_ASSERT_EQUAL (bed.served, 0);
  bed_close (&bed);
}

/* ---- timeouts ---- */

static struct http_limits
impatient (void)
{
  struct http_limits limits = http_default_limits;

  limits.head_timeout = limits.body_timeout = 0.02;
  return limits;
}

static void
slow_requests (void)
{
  static const char *const parts[] = { "G", "GET / HTTP/1.1\r\n" HOST,
                                       "POST / HTTP/1.1\r\n" HOST "Content-Length: 3\r\n\r\nab",
                                       "POST / HTTP/1.1\r\n" HOST
                                       "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n" };
  struct http_limits limits = impatient ();
  struct bed bed;

  bed_open_with (&bed, &limits, listen_tcp ());
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    CLEANUP_CLIENT struct client c;
    client_open (&c, &bed);
    client_send (&c, parts[i]);
    client_expect_last (
      &c, REFUSED ("408 Request Timeout", "request_timeout", "The request did not come in time"));
  }
  CU_ASSERT_EQUAL (bed.served, 0);
  bed_close (&bed);
}

static void
dripping_bodies (void)
{
  static const struct {
    double after; /* seconds */
    size_t received;
    bool drips;
  } rows[] = {
    { 0, 0, false },    { 5.9, 0, false },        { 6, 1023, true },
    { 6, 1024, false }, { 15, 10 * 1024, false }, { 15, 10 * 1024 - 1, true },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct http_exchange x = { .body_since = 77, .body_received = rows[i].received };
    CU_ASSERT_EQUAL (exchange_drips (&x, 77 + (int64_t) (rows[i].after * 1e9)), rows[i].drips);
  }
}

/* One who sent nothing is told nothing. */
static void
silent_connections (void)
{
  struct http_limits limits = impatient ();
  struct bed bed;

  limits.idle_timeout = 0.02;
  bed_open_with (&bed, &limits, listen_tcp ());
  {
    CLEANUP_CLIENT struct client fresh, idle;
    client_open (&fresh, &bed);
    RUN_UNTIL (&bed, fresh.closed);
    CU_ASSERT_EQUAL (fresh.got.len, 0);
    client_open (&idle, &bed);
    client_send (&idle, GET ("/"));
    client_expect (&idle, OK ("7", "GET /? "));
    RUN_UNTIL (&bed, idle.closed);
    CU_ASSERT_EQUAL (idle.got.len, 0);
  }
  CU_ASSERT_EQUAL (http_server_connections (bed.server), 0);
  bed_close (&bed);
}

/* Handlers may take their time. */
static void
slow_handler (void)
{
  struct http_limits limits = impatient ();
  struct bed bed;
  ev_timer passed;
  bool over = false;

  limits.idle_timeout = limits.write_timeout = 0.01;
  bed_open_with (&bed, &limits, listen_tcp ());
  ev_timer_init (&passed, on_late, 0.1, 0.);
  passed.data = &over;
  {
    CLEANUP_CLIENT struct client c;
    client_open (&c, &bed);
    client_send (&c, GET ("/later"));
    RUN_UNTIL (&bed, bed.pending_count == 1);
    ev_timer_start (bed.loop, &passed);
    RUN_UNTIL (&bed, over);
    CU_ASSERT_EQUAL (bed.gone, 0);
    http_reply (bed.pending[0], 200, "text/plain", NULL, "late", 4);
    client_expect (&c, OK ("4", "late"));
  }
  bed_close (&bed);
}

static void
slow_readers (void)
{
  struct http_limits limits = http_default_limits;
  CLEANUP_FREE char *piece = xcalloc (1, BIG);
  struct bed bed;

  limits.write_timeout = 0.02;
  bed_open_with (&bed, &limits, listen_unix ());
  {
    CLEANUP_CLIENT struct client whole, streaming;
    client_open (&whole, &bed);
    ev_io_stop (bed.loop, &whole.io);
    client_send (&whole, GET ("/later"));
    RUN_UNTIL (&bed, bed.pending_count == 1);
    http_reply (bed.pending[0], 200, "text/plain", NULL, piece, BIG);
    RUN_UNTIL (&bed, http_server_connections (bed.server) == 0);
    client_open (&streaming, &bed);
    ev_io_stop (bed.loop, &streaming.io);
    client_send (&streaming, GET ("/stream"));
    RUN_UNTIL (&bed, bed.pending_count == 2);
    for (int i = 0; i < 2; i++)
      CU_ASSERT (http_stream_write (bed.pending[1], piece, BIG - 100));
    RUN_UNTIL (&bed, bed.gone == 1);
  }
  RUN_UNTIL (&bed, http_server_connections (bed.server) == 0);
  bed_close (&bed);
  CU_ASSERT_EQUAL (bed.gone, 1);
}

/* ---- too many ---- */

static void
too_many_connections (void)
{
  struct http_limits limits = http_default_limits;
  struct bed bed;

  limits.connections_max = 2;
  bed_open_with (&bed, &limits, listen_tcp ());
  {
    CLEANUP_CLIENT struct client b, third, fourth;
    struct client a;
    client_open (&a, &bed);
    client_open (&b, &bed);
    client_send (&a, GET ("/"));
    client_expect (&a, OK ("7", "GET /? "));
    client_send (&b, GET ("/"));
    client_expect (&b, OK ("7", "GET /? "));
    client_open (&third, &bed);
    client_send (&third, GET ("/"));
    client_expect_last (&third, "HTTP/1.1 503 Service Unavailable\r\n",
                        "Connection: close\r\nRetry-After: 1\r\n\r\n"
                        "{\"error\":{\"code\":\"too_many_connections\",\"message\":"
                        "\"There are too many connections; try again later\"}}");
    CU_ASSERT_EQUAL (http_server_connections (bed.server), 2);
    client_close (&a);
    (void) shutdown (third.io.fd, SHUT_WR);
    RUN_UNTIL (&bed, bed.server->connections == 1);
    client_open (&fourth, &bed);
    client_send (&fourth, GET ("/"));
    client_expect (&fourth, OK ("7", "GET /? "));
  }
  bed_close (&bed);
}

static int
lowest_free_fd (void)
{
  int fd = open ("/dev/null", O_RDONLY);

  (void) close (fd);
  return fd;
}

static void
no_descriptors (void)
{
  enum { CALLERS = 4 };
  struct rlimit before, none;
  struct client c[CALLERS];
  struct bed bed;
  unsigned turned_away = 0;
  int fds[CALLERS];

  CU_ASSERT_FATAL (getrlimit (RLIMIT_NOFILE, &before) == 0);
  bed_open (&bed);
  for (int i = 0; i < CALLERS; i++)
    fds[i] = client_socket (&bed);
  for (int i = 0; i < CALLERS; i++)
    client_with (&c[i], &bed, fds[i]);
  ev_io_stop (bed.loop, &c[0].io);
  none = before;
  none.rlim_cur = (rlim_t) lowest_free_fd ();
  CU_ASSERT_FATAL (setrlimit (RLIMIT_NOFILE, &none) == 0);
  bed.loop_turns = 0;
  RUN_UNTIL (&bed, c[1].closed);
  for (int i = 1; i < CALLERS; i++)
    turned_away += has (&c[i], "too_many_connections");
  CU_ASSERT_EQUAL (turned_away, 1);
  CU_ASSERT_EQUAL (http_server_connections (bed.server), 0);
  CU_ASSERT (bed.loop_turns < 50);

  (void) setrlimit (RLIMIT_NOFILE, &before);
  client_send (&c[CALLERS - 1], GET ("/"));
  client_expect (&c[CALLERS - 1], OK ("7", "GET /? "));
  for (int i = 0; i < CALLERS; i++)
    client_close (&c[i]);
  bed_close (&bed);
}

/* ---- drain and free ---- */

static void
drain (void)
{
  struct bed bed;
  bed_open (&bed);
  {
    CLEANUP_CLIENT struct client idle, busy, partial;
    int late = client_socket (&bed);

    client_open (&idle, &bed);
    client_open (&busy, &bed);
    client_open (&partial, &bed);
    client_send (&busy, GET ("/later") GET ("/never"));
    client_send (&partial, "GET /partial HTTP/1.1\r\n");
    client_send (&idle, GET ("/"));
    client_expect (&idle, OK ("7", "GET /? "));
    RUN_UNTIL (&bed, bed.pending_count == 1 && http_server_connections (bed.server) == 3);
    for (int i = 0; i < 3; i++)
      ev_run (bed.loop, EVRUN_NOWAIT);

    http_server_drain (bed.server);
    RUN_UNTIL (&bed, idle.closed);
    CU_ASSERT_EQUAL (idle.got.len, 0);
    CU_ASSERT (connect (late, (struct sockaddr *) &bed.address, bed.address_len) < 0);
    (void) close (late);
    CU_ASSERT_EQUAL (http_server_connections (bed.server), 2);

    http_reply (bed.pending[0], 200, "text/plain", NULL, "done", 4);
    client_expect_last (&busy, "HTTP/1.1 200 OK\r\n", "Connection: close\r\n\r\ndone");
    client_send (&partial, HOST "\r\n");
    client_expect_last (&partial, "HTTP/1.1 200 OK\r\n", "Connection: close\r\n\r\nGET /partial? ");
    CU_ASSERT_EQUAL (http_server_connections (bed.server), 0);
    CU_ASSERT_EQUAL (bed.gone, 0);
  }
  bed_close (&bed);
}

static void
freed_while_serving (void)
{
  struct bed bed;
  struct client c[3];

  bed_open (&bed);
  for (int i = 0; i < 3; i++) {
    client_open (&c[i], &bed);
    client_send (&c[i], i == 2 ? GET ("/stream") : GET ("/later"));
  }
  RUN_UNTIL (&bed, bed.pending_count == 3);
  http_server_free (bed.server);
  CU_ASSERT_EQUAL (bed.gone, 3);
  bed.server = NULL;
  for (int i = 0; i < 3; i++)
    RUN_UNTIL (&bed, c[i].closed);
  for (int i = 0; i < 3; i++)
    client_close (&c[i]);
  ev_loop_destroy (bed.loop);
}

/* ---- who is there ---- */

static void
unix_socket (void)
{
  struct bed bed;
  bed_open_with (&bed, &http_default_limits, listen_unix ());
  {
    CLEANUP_CLIENT struct client c;
    CLEANUP_BUF struct buf expected = { 0 };

    client_open (&c, &bed);
    client_send (&c, "GET /tell HTTP/1.1\r\nHost: anything.example\r\n\r\n");
    RUN_UNTIL (&bed, has (&c, "\r\n\r\n"));
    if (geteuid () != peer_overflow_uid ()) {
      buf_printf (&expected, "\r\n\r\n||uid:%u|1", geteuid ());
      CU_ASSERT (has (&c, buf_cstr (&expected)));
    }
    c.got.len = 0;
    client_send (&c, "GET / HTTP/1.1\r\nHost: x\r\nOrigin: https://evil.com\r\n\r\n");
    RUN_UNTIL (&bed, has (&c, "}}"));
    CU_ASSERT (has (&c, "forbidden_origin"));
  }
  bed_close (&bed);
}

static void
peers (void)
{
  static const struct {
    uid_t uid, own;
    bool manager;
    const char *principal;
  } rows[] = {
    { 0, 1000, true, "uid:0" },
    { 1000, 1000, true, "uid:1000" },
    { 1001, 1000, false, "uid:1001" },
    { 1000, 0, false, "uid:1000" },
    { 65534, 1000, false, "anonymous" },
    { 65534, 65534, false, "anonymous" },
    { (uid_t) -1, (uid_t) -1, false, "anonymous" },
    { 4294967294u, 1000, false, "uid:4294967294" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct peer peer;
    peer_local (&peer, rows[i].uid, 5, 7, 65534, rows[i].own);
    CU_ASSERT (peer.is.local);
    CU_ASSERT_EQUAL (peer.is.uid, rows[i].uid);
    CU_ASSERT_EQUAL (peer.is.gid, 5);
    CU_ASSERT_EQUAL (peer.is.pid, 7);
    CU_ASSERT_EQUAL (peer.is.manager, rows[i].manager);
    CU_ASSERT_STRING_EQUAL (peer.is.principal, rows[i].principal);
  }
}

static CU_TestInfo tests[] = {
  { "keep-alive", keep_alive },
  { "HTTP/1.0", old_version },
  { "kinds of answers", kinds_of_answers },
  { "HEAD", head_method },
  { "chunked request", chunked_request },
  { "dripping request", dripping },
  { "large bodies", large_bodies },
  { "pipelined", pipelined },
  { "fair", fair },
  { "pipelined behind an open exchange", pipelined_behind_later },
  { "sent behind an open exchange", sent_behind_later },
  { "pipelined to a slow reader", pipelined_to_slow_reader },
  { "refused", refused },
  { "nothing after a refusal", nothing_after_refusal },
  { "long head", long_head },
  { "refused while sending", refused_while_sending },
  { "foreign host and origin", foreign },
  { "Expect", expect_continue },
  { "stream", stream },
  { "stream to HTTP/1.0", stream_to_old_version },
  { "stream backlog", stream_backlog },
  { "stream backlog, ended", stream_backlog_ended },
  { "peer closes", peer_closes },
  { "peer half-closes", peer_half_closes },
  { "peer closes, hidden", peer_closes_hidden },
  { "peer closes, no callback", peer_closes_without_callback },
  { "peer closes in a request", peer_closes_in_request },
  { "slow requests", slow_requests },
  { "dripping bodies", dripping_bodies },
  { "silent connections", silent_connections },
  { "slow handler", slow_handler },
  { "slow readers", slow_readers },
  { "too many connections", too_many_connections },
  { "no descriptors", no_descriptors },
  { "drain", drain },
  { "freed while serving", freed_while_serving },
  { "Unix socket", unix_socket },
  { "peers", peers },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = {
  { "http_server", NULL, NULL, NULL, NULL, tests },
  CU_SUITE_INFO_NULL,
};

TAP_MAIN (suites)
