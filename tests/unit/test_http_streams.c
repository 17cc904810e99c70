/* The HTTP server: many requests on one connection, and answers that are streams. */
#include "front/http/http.h"
#include "http_bed.h"
#include "tap.h"

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

/* A clock by which every look at it takes two milliseconds. */
static int64_t
slow_clock (void)
{
  static int64_t now;

  return now += 2000000;
}

/* Every turn of its loop is long by this clock, from the first look at it on. */
static void
make_slow (struct bed *bed, struct turns *turns)
{
  static const struct turns_clock clock = { slow_clock, slow_clock };

  turns_init (turns, bed->loop, &clock);
  bed->env.turns = turns;
}

/* Who sends many has fewer of them answered in a turn where they take long. */
static void
pipelined_and_slow (void)
{
  enum { REQUESTS = 60 };
  struct turns turns;
  struct bed bed;
  unsigned most = 0;

  bed_open (&bed);
  make_slow (&bed, &turns);
  {
    CLEANUP_CLIENT struct client c;
    client_open (&c, &bed);
    for (int i = 0; i < REQUESTS; i++)
      client_send (&c, GET ("/"));
    while (bed.served < REQUESTS && !bed.late) {
      unsigned before = bed.served, turn = bed.loop_turns;

      RUN_UNTIL (&bed, bed.loop_turns > turn);
      most = bed.served - before > most ? bed.served - before : most;
    }
    CU_ASSERT_EQUAL (bed.served, REQUESTS);
    CU_ASSERT (most > 0 && most <= 4);
  }
  turns_clear (&turns);
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

static size_t
kept_for_the_next_turn (const struct http_server *server)
{
  const struct conn *c;
  size_t count = 0;

  TAILQ_FOREACH (c, &server->turns, turn)
  count += c->unsent;
  return count;
}

/* Much that is sent to many in a turn that is long already waits for the next, and none is
 * forgotten. */
static void
much_to_many (void)
{
  enum { CLIENTS = 8 };
  const size_t whole = sizeof OK ("4194304", "") - 1 + BIG;
  struct client clients[CLIENTS];
  struct turns turns;
  struct bed bed;
  size_t most = 0;

  bed_open_bulk (&bed);
  make_slow (&bed, &turns);
  for (size_t i = 0; i < CLIENTS; i++) {
    client_open (&clients[i], &bed);
    client_send (&clients[i], GET ("/big"));
  }
  for (size_t i = 0; i < CLIENTS; i++)
    while (clients[i].got.len < whole && !bed.late) {
      size_t now = kept_for_the_next_turn (bed.server), before = bed.loop_turns;

      most = now > most ? now : most;
      RUN_UNTIL (&bed, bed.loop_turns > before);
    }
  CU_ASSERT (most > 1);
  for (size_t i = 0; i < CLIENTS; i++) {
    CU_ASSERT_EQUAL (clients[i].got.len, whole);
    client_close (&clients[i]);
  }
  turns_clear (&turns);
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

static CU_TestInfo tests[] = {
  { "pipelined", pipelined },
  { "fair", fair },
  { "pipelined where each takes long", pipelined_and_slow },
  { "pipelined behind an open exchange", pipelined_behind_later },
  { "sent behind an open exchange", sent_behind_later },
  { "pipelined to a slow reader", pipelined_to_slow_reader },
  { "much to many at the same time", much_to_many },
  { "stream", stream },
  { "stream to HTTP/1.0", stream_to_old_version },
  { "stream backlog", stream_backlog },
  { "stream backlog, ended", stream_backlog_ended },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = {
  { "http_streams", NULL, NULL, NULL, NULL, tests },
  CU_SUITE_INFO_NULL,
};

TAP_MAIN (suites)
