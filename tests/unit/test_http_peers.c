/* The HTTP server and peers that leave, are slow or too many; and its own end. */
#include <fcntl.h>
#include <sys/resource.h>

#include "front/http/http.h"
#include "http_bed.h"
#include "tap.h"

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

  bed_open_with (&bed, &limits, bed_listen_tcp ());
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
  bed_open_with (&bed, &limits, bed_listen_tcp ());
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
  bed_open_with (&bed, &limits, bed_listen_tcp ());
  ev_timer_init (&passed, bed_on_late, 0.1, 0.);
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
  bed_open_with (&bed, &limits, bed_listen_unix ());
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
  bed_open_with (&bed, &limits, bed_listen_tcp ());
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
    turned_away += client_has (&c[i], "too_many_connections");
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

static CU_TestInfo tests[] = {
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
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = {
  { "http_peers", NULL, NULL, NULL, NULL, tests },
  CU_SUITE_INFO_NULL,
};

TAP_MAIN (suites)
