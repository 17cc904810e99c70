/* The HTTP server with its connections in threads: it answers as without, and whoever of the two
 * sides ends something first, the other one finds nothing freed and forgets nothing.  What they do
 * at once is looked at by ./dev tsan and ./dev asan. */
#include <unistd.h>

#include "front/http/http.h"
#include "http_bed.h"
#include "tap.h"

enum { THREADS = 2, MANY = 24, BACKLOG_MAX = 8 * 1024 * 1024 };

static void
spread (struct bed *bed, const struct http_limits *limits)
{
  bed_open_spread (bed, limits != NULL ? limits : &http_default_limits, bed_listen_tcp (), THREADS);
}

static void
reply (struct http_exchange *x, const char *text)
{
  http_reply (x, 200, "text/plain", NULL, text, strlen (text));
}

/* As RUN_UNTIL, for what no event of this loop tells. */
#define AWAIT(bed, condition)                                                                      \
  do {                                                                                             \
    int tries = 0;                                                                                 \
    while (!(condition) && tries++ < 10000) {                                                      \
      ev_run ((bed)->loop, EVRUN_NOWAIT);                                                          \
      (void) usleep (1000);                                                                        \
    }                                                                                              \
    CU_ASSERT (tries < 10000);                                                                     \
  } while (0)

/* ---- answers ---- */

static void
expect_big (struct client *c)
{
  CLEANUP_BUF struct buf body = { 0 };
  CLEANUP_BUF struct buf answer = { 0 };

  put_big (&body);
  buf_printf (&answer, OK ("%d", ""), BIG);
  buf_append (&answer, body.data, body.len);
  client_expect (c, buf_cstr (&answer));
}

static void
answers (void)
{
  struct bed bed;

  spread (&bed, NULL);
  for (int i = 0; i < MANY; i++) {
    CLEANUP_CLIENT struct client c;
    client_open (&c, &bed);
    client_send (&c, GET ("/a") GET ("/none") "GET /tell?q=%41 HTTP/1.1\r\n" HOST
                                              "X-List: 1\r\nX-List: 2\r\n\r\n");
    client_expect (&c, OK ("8", "GET /a? ") "HTTP/1.1 204 No Content\r\n\r\n"
                                            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
                                            "Content-Length: 18\r\nX-Extra: yes\r\n\r\n"
                                            "1, 2|A|anonymous|0");
  }
  bed_close (&bed);
}

static void
large_answers (void)
{
  struct bed bed;

  bed_open_spread (&bed, &http_default_limits, bed_listen_unix (), THREADS);
  {
    CLEANUP_CLIENT struct client c;
    client_open (&c, &bed);
    client_send (&c, GET ("/big"));
    expect_big (&c);
    client_send (&c, GET ("/taken") GET ("/taken-small"));
    RUN_UNTIL (&bed, c.got.len > BIG);
    c.got.len = 0;
    client_send (&c, GET ("/a"));
    RUN_UNTIL (&bed, client_has (&c, "GET /a? "));
  }
  bed_close (&bed);
}

/* What is wrong with a request is said by the thread alone. */
static void
refused (void)
{
  struct bed bed;

  spread (&bed, NULL);
  {
    CLEANUP_CLIENT struct client a, b;
    client_open (&a, &bed);
    client_send (&a, "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n" GET ("/a"));
    RUN_UNTIL (&bed, client_has (&a, "forbidden_host") && client_has (&a, "GET /a? "));
    client_open (&b, &bed);
    client_send (&b, "GET\r\n\r\n");
    RUN_UNTIL (&bed, b.closed);
    CU_ASSERT (client_has (&b, "HTTP/1.1 400 Bad Request\r\n"));
    CU_ASSERT_EQUAL (bed.served, 1);
  }
  bed_close (&bed);
}

/* ---- leaving ---- */

static void
peer_leaves (void)
{
  struct bed bed;
  struct client c;

  spread (&bed, NULL);
  client_open (&c, &bed);
  client_send (&c, GET ("/later"));
  RUN_UNTIL (&bed, bed.pending_count == 1);
  client_close (&c);
  RUN_UNTIL (&bed, bed.gone == 1);
  AWAIT (&bed, http_server_connections (bed.server) == 0);
  bed_close (&bed);
  CU_ASSERT_EQUAL (bed.gone, 1);
}

/* Has the thread closed the connection, whatever the core knows of it? */
static void
await_parted (const struct bed *bed)
{
  for (int tries = 0; http_server_connections (bed->server) != 0 && tries < 10000; tries++)
    (void) usleep (1000);
}

/* The core answers what has been gone for long without its knowing. */
static void
answered_after_leaving (void)
{
  struct bed bed;
  struct client c;

  spread (&bed, NULL);
  for (unsigned i = 0; i < MANY; i++) {
    client_open (&c, &bed);
    client_send (&c, i % 2 == 0 ? GET ("/later") : GET ("/stream"));
    RUN_UNTIL (&bed, bed.pending_count == i + 1);
    client_close (&c);
    await_parted (&bed);
    if (i % 2 == 0)
      reply (bed.pending[i % PENDING_MAX], "late");
    else
      http_stream_end (bed.pending[i % PENDING_MAX]);
  }
  bed_close (&bed);
  CU_ASSERT_EQUAL (bed.gone, 0);
}

/* ---- streams ---- */

static void
stream (void)
{
  struct bed bed;

  spread (&bed, NULL);
  {
    CLEANUP_CLIENT struct client c;
    client_open (&c, &bed);
    client_send (&c, GET ("/stream-now") GET ("/stream"));
    RUN_UNTIL (&bed, client_has (&c, "3\r\none\r\nc\r\ntwelve bytes\r\n0\r\n\r\n"));
    RUN_UNTIL (&bed, bed.pending_count == 1);
    for (char text[] = "0"; text[0] <= '9'; text[0]++) {
      c.got.len = 0;
      CU_ASSERT (http_stream_write (bed.pending[0], text, 1));
      RUN_UNTIL (&bed, c.got.len > 0 && c.got.data[c.got.len - 3] == text[0]);
    }
    AWAIT (&bed, http_stream_backlog (bed.pending[0]) == 0);
    http_stream_end (bed.pending[0]);
    c.got.len = 0;
    client_expect (&c, "0\r\n\r\n");
    client_send (&c, GET ("/a"));
    client_expect (&c, OK ("8", "GET /a? "));
  }
  bed_close (&bed);
}

static void
slow_reader_is_given_up (void)
{
  static char block[64 * 1024];
  struct bed bed;
  struct client c;
  size_t written = 0;

  spread (&bed, NULL);
  client_open (&c, &bed);
  client_send (&c, GET ("/stream"));
  RUN_UNTIL (&bed, bed.pending_count == 1);
  ev_io_stop (bed.loop, &c.io);
  while (http_stream_write (bed.pending[0], block, sizeof block)) {
    written += sizeof block;
    CU_ASSERT (http_stream_backlog (bed.pending[0]) <= BACKLOG_MAX + 2 * sizeof block);
    ev_run (bed.loop, EVRUN_NOWAIT);
    if (written > 8 * BACKLOG_MAX)
      break;
  }
  CU_ASSERT (written >= BACKLOG_MAX && written < 8 * BACKLOG_MAX);
  CU_ASSERT_FALSE (http_stream_write (bed.pending[0], "x", 1));
  RUN_UNTIL (&bed, bed.gone == 1);
  client_close (&c);
  bed_close (&bed);
}

/* ---- after an upgrade ---- */

static void
upgraded (void)
{
  struct bed bed;

  spread (&bed, NULL);
  {
    CLEANUP_CLIENT struct client c;
    client_open (&c, &bed);
    client_send (&c, GET ("/upgrade"));
    client_expect (&c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
                       "Upgrade: bytes\r\n\r\n");
    client_send (&c, "to");
    RUN_UNTIL (&bed, bed.heard.len == 2);
    client_send (&c, "gether");
    RUN_UNTIL (&bed, bed.heard.len == 8);
    CU_ASSERT (memcmp (bed.heard.data, "together", 8) == 0);
    CU_ASSERT (http_stream_write (bed.pending[0], "answer", 6));
    client_expect (&c, "answer");
    http_stream_end (bed.pending[0]);
    RUN_UNTIL (&bed, c.closed);
    CU_ASSERT_EQUAL (bed.gone, 0);
  }
  bed_close (&bed);
}

/* Bytes are on their way to the core when it ends. */
static void
ended_among_bytes (void)
{
  struct bed bed;

  spread (&bed, NULL);
  for (unsigned i = 0; i < MANY; i++) {
    CLEANUP_CLIENT struct client c;
    size_t heard;
    client_open (&c, &bed);
    client_send (&c, GET ("/upgrade"));
    RUN_UNTIL (&bed, bed.pending_count == i + 1 && c.got.len > 0);
    bed.heard.len = 0;
    for (int k = 0; k < 100; k++)
      client_send (&c, "more and more");
    RUN_UNTIL (&bed, bed.heard.len > 0);
    heard = bed.heard.len;
    for (int k = 0; k < 10; k++) {
      client_send (&c, "and more");
      (void) usleep (100); /* to the thread, which tells of them before it hears of the end */
    }
    http_stream_end (bed.pending[i % PENDING_MAX]);
    if (i % 2 == 0)
      RUN_UNTIL (&bed, c.closed);
    CU_ASSERT_EQUAL (bed.heard.len, heard);
  }
  AWAIT (&bed, http_server_connections (bed.server) == 0);
  bed_close (&bed);
  CU_ASSERT_EQUAL (bed.gone, 0);
}

/* Until the thread takes no more; returns how much that was. */
static size_t
send_while_taken (int fd, size_t most)
{
  static char block[64 * 1024];
  size_t sent = 0;

  for (int refused_for = 0; sent < most && refused_for < 200;) {
    ssize_t n = send (fd, block, sizeof block, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n > 0) {
      sent += (size_t) n;
      refused_for = 0;
      continue;
    }
    refused_for++;
    (void) usleep (1000);
  }
  return sent;
}

/* The peer sends, and the core does not listen: the thread stops reading, and goes on later. */
static void
bytes_wait (void)
{
  const size_t most = 64 * 1024 * 1024;
  struct bed bed;

  bed_open_spread (&bed, &http_default_limits, bed_listen_unix (), THREADS);
  {
    CLEANUP_CLIENT struct client c;
    size_t sent;
    client_open (&c, &bed);
    client_send (&c, GET ("/upgrade"));
    RUN_UNTIL (&bed, bed.pending_count == 1 && c.got.len > 0);
    sent = send_while_taken (c.io.fd, most);
    CU_ASSERT (sent > 256 * 1024 && sent < most);
    RUN_UNTIL (&bed, bed.heard.len == sent);
    client_send (&c, "and on");
    RUN_UNTIL (&bed, bed.heard.len == sent + 6);
  }
  bed_close (&bed);
}

/* ---- all of them together ---- */

static bool
counts (const struct bed *bed, const char *sample)
{
  CLEANUP_BUF struct buf metrics = { 0 };

  http_server_metrics (bed->server, &metrics);
  return strstr (buf_cstr (&metrics), sample) != NULL;
}

static void
limits_count_over_all (void)
{
  enum { MOST = 6 };
  static const char *const of_threads[] = {
    "\n# TYPE toolhost_http_thread_turn_seconds histogram\n",
    "\ntoolhost_http_thread_turn_seconds_bucket{thread=\"1\",le=\"0.01\"} ",
    "\ntoolhost_http_thread_turn_work_seconds_count{thread=\"0\"} ",
  };
  struct http_limits limits = http_default_limits;
  struct client c[MOST];
  struct bed bed;

  limits.connections_max = MOST;
  spread (&bed, &limits);
  for (int i = 0; i < MOST; i++) {
    client_open (&c[i], &bed);
    client_send (&c[i], GET ("/"));
    client_expect (&c[i], OK ("7", "GET /? "));
  }
  {
    CLEANUP_CLIENT struct client more;
    client_open (&more, &bed);
    client_send (&more, GET ("/"));
    RUN_UNTIL (&bed, more.closed);
    CU_ASSERT (client_has (&more, "too_many_connections"));
  }
  AWAIT (&bed,
         counts (&bed, "\ntoolhost_http_connections 6\n")
           && counts (&bed, "\ntoolhost_http_accepted_total 6\n")
           && counts (&bed,
                      "\ntoolhost_http_connections_refused_total{reason=\"connections_max\"} 1\n"));
  for (unsigned i = 0; i < sizeof of_threads / sizeof *of_threads; i++)
    CU_ASSERT (counts (&bed, of_threads[i]));
  for (int i = 0; i < MOST; i++)
    client_close (&c[i]);
  bed_close (&bed);
}

static void
drained (void)
{
  struct bed bed;

  spread (&bed, NULL);
  {
    CLEANUP_CLIENT struct client idle, busy;
    client_open (&idle, &bed);
    client_open (&busy, &bed);
    client_send (&idle, GET ("/"));
    client_expect (&idle, OK ("7", "GET /? "));
    client_send (&busy, GET ("/later"));
    RUN_UNTIL (&bed, bed.pending_count == 1);
    http_server_drain (bed.server);
    RUN_UNTIL (&bed, idle.closed);
    reply (bed.pending[0], "done");
    client_expect_last (&busy, "HTTP/1.1 200 OK\r\n", "Connection: close\r\n\r\ndone");
    AWAIT (&bed, http_server_connections (bed.server) == 0);
  }
  bed_close (&bed);
  CU_ASSERT_EQUAL (bed.gone, 0);
}

static void
relieved (void)
{
  struct bed bed;

  spread (&bed, NULL);
  {
    CLEANUP_CLIENT struct client idle, busy;
    client_open (&idle, &bed);
    client_open (&busy, &bed);
    client_send (&idle, GET ("/"));
    client_expect (&idle, OK ("7", "GET /? "));
    client_send (&busy, GET ("/later"));
    RUN_UNTIL (&bed, bed.pending_count == 1);
    http_server_relieve (bed.server);
    RUN_UNTIL (&bed, idle.closed);
    reply (bed.pending[0], "done");
    client_expect (&busy, OK ("4", "done"));
  }
  bed_close (&bed);
}

/* Answers of the last turn are sent; what is open hears that it is gone. */
static void
freed (void)
{
  struct client c[6];
  struct bed bed;

  spread (&bed, NULL);
  for (unsigned i = 0; i < 6; i++) {
    client_open (&c[i], &bed);
    client_send (&c[i], i % 3 == 0   ? GET ("/later")
                        : i % 3 == 1 ? GET ("/stream")
                                     : GET ("/upgrade"));
    RUN_UNTIL (&bed, bed.pending_count == i + 1);
  }
  reply (bed.pending[0], "just in time");
  http_server_free (bed.server);
  bed.server = NULL;
  CU_ASSERT_EQUAL (bed.gone, 5);
  RUN_UNTIL (&bed, c[0].closed);
  CU_ASSERT (client_has (&c[0], "just in time"));
  for (unsigned i = 0; i < 6; i++)
    client_close (&c[i]);
  bed_close (&bed);
}

/* ---- at random ---- */

enum { CALLERS = 24, ROUNDS = 2000 };

struct lot; /* all that the core has open */

struct open_one {
  struct lot *lot;
  struct http_exchange *x;
  bool streams;
  struct open_one *next, **prev;
};

struct lot {
  struct bed bed;
  struct open_one *first;
  struct client callers[CALLERS];
  unsigned seed;
};

static unsigned
draw (struct lot *lot, unsigned below)
{
  lot->seed = lot->seed * 1664525 + 1013904223;
  return (lot->seed >> 16) % below;
}

static void
forget (struct open_one *one)
{
  *one->prev = one->next;
  if (one->next != NULL)
    one->next->prev = one->prev;
  free (one);
}

static void
on_one_gone (void *data)
{
  forget (data);
}

static void
end (struct open_one *one)
{
  struct http_exchange *x = one->x;
  bool streams = one->streams;

  forget (one);
  if (streams)
    http_stream_end (x);
  else
    reply (x, "at last");
}

/* What has come is written back, or ends it. */
static void
on_some_bytes (void *data, const char *bytes, size_t len)
{
  struct open_one *one = data;

  if (draw (one->lot, 8) == 0)
    end (one);
  else
    (void) http_stream_write (one->x, bytes, len);
}

static void
keep (struct lot *lot, struct http_exchange *x, bool streams)
{
  struct open_one *one = malloc (sizeof *one);

  *one = (struct open_one){ lot, x, streams, lot->first, &lot->first };
  if (lot->first != NULL)
    lot->first->prev = &one->next;
  lot->first = one;
  http_set_data (x, one);
  http_on_gone (x, on_one_gone);
}

static void
handle_somehow (void *ctx, struct http_exchange *x)
{
  struct lot *lot = ctx;

  if (slice_is (http_request (x)->path, "/now"))
    return reply (x, "at once");
  if (slice_is (http_request (x)->path, "/upgrade") && http_upgrade (x, NULL, on_some_bytes))
    return keep (lot, x, true);
  if (slice_is (http_request (x)->path, "/stream")) {
    http_stream_begin (x, 200, "text/plain", NULL);
    return keep (lot, x, true);
  }
  keep (lot, x, false);
}

static void
go_on (struct lot *lot)
{
  struct open_one *one = lot->first;

  for (unsigned n = draw (lot, 4); n > 0 && one != NULL; n--)
    one = one->next;
  if (one == NULL)
    return;
  if (!one->streams || draw (lot, 4) == 0)
    return end (one);
  (void) http_stream_write (one->x, "some bytes", 10);
}

static void
come_or_go (struct lot *lot, bool may_come)
{
  static const char *const wishes[] = {
    GET ("/now"),
    GET ("/now") GET ("/now") GET ("/now"),
    GET ("/later"),
    GET ("/now") GET ("/stream") GET ("/now"),
    GET ("/stream"),
    GET ("/upgrade"),
    "bytes, or nonsense\r\n\r\n",
    "POST /now HTTP/1.1\r\n" HOST "Content-Length: 9\r\n\r\nhalf",
  };
  struct client *c = &lot->callers[draw (lot, CALLERS)];

  if (c->bed == NULL && !may_come)
    return;
  if (c->bed == NULL)
    client_open (c, &lot->bed);
  else if (draw (lot, 3) == 0) {
    client_close (c);
    c->bed = NULL;
    return;
  }
  client_send (c, wishes[draw (lot, sizeof wishes / sizeof *wishes)]);
}

static void
at_random (void)
{
  struct lot lot = { .seed = 4711 };

  bed_open_by (&lot.bed, &http_default_limits, bed_listen_tcp (), THREADS, handle_somehow, &lot);
  for (int round = 0; round < ROUNDS; round++) {
    come_or_go (&lot, true);
    ev_run (lot.bed.loop, EVRUN_NOWAIT);
    go_on (&lot);
  }
  http_server_drain (lot.bed.server);
  for (int round = 0; round < ROUNDS / 10; round++) {
    come_or_go (&lot, false);
    ev_run (lot.bed.loop, EVRUN_NOWAIT);
    go_on (&lot);
  }
  http_server_free (lot.bed.server);
  lot.bed.server = NULL;
  CU_ASSERT_PTR_NULL (lot.first);
  for (int i = 0; i < CALLERS; i++)
    if (lot.callers[i].bed != NULL)
      client_close (&lot.callers[i]);
  bed_close (&lot.bed);
}

static CU_TestInfo tests[] = {
  { "answers", answers },
  { "large answers", large_answers },
  { "refused", refused },
  { "the peer leaves", peer_leaves },
  { "answered after the peer has left", answered_after_leaving },
  { "a stream", stream },
  { "a slow reader is given up", slow_reader_is_given_up },
  { "upgraded", upgraded },
  { "ended among bytes", ended_among_bytes },
  { "bytes wait until they are read", bytes_wait },
  { "limits count over all threads", limits_count_over_all },
  { "drained", drained },
  { "relieved", relieved },
  { "freed", freed },
  { "all at random", at_random },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = { { "http threads", NULL, NULL, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };

TAP_MAIN (suites)
