/* The HTTP server: requests and their answers, what is refused, and who asks. */
#include "front/http/http.h"
#include "front/http/peer.h"
#include "http_bed.h"
#include "tap.h"

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
  bed_open_with (&bed, &limits, bed_listen_unix ());
  buf_printf (&request, "POST / HTTP/1.1\r\n" HOST "Content-Length: %d\r\n\r\n", BIG);
  for (int i = 0; i < BIG; i++)
    buf_putc (&request, (char) ('a' + i % 23));
  {
    CLEANUP_CLIENT struct client c;
    client_open (&c, &bed);
    client_send_len (&c, request.data, request.len);
    client_send (&c, GET ("/big"));
    RUN_UNTIL (&bed, c.got.len > 2 * BIG && client_has (&c, "\r\n\r\nPOST"));
    CU_ASSERT_EQUAL (memcmp (c.got.data + c.got.len - BIG, request.data + request.len - BIG, BIG),
                     0);
    const char *first = strstr (c.got.data, "\r\n\r\nPOST /? ");
    CU_ASSERT_PTR_NOT_NULL_FATAL (first);
    CU_ASSERT_EQUAL (memcmp (first + 12, request.data + request.len - BIG, BIG), 0);
  }
  bed_close (&bed);
}

/* Answers whose bodies are taken over keep their order. */
static void
taken_bodies (void)
{
  CLEANUP_BUF struct buf expected = { 0 };
  struct bed bed;

  buf_puts (&expected, OK ("3", "abc") OK ("4194304", "") OK ("4194304", ""));
  put_big (&expected);
  buf_puts (&expected, OK ("8", "GET /z? "));
  bed_open_with (&bed, &http_default_limits, bed_listen_unix ());
  {
    CLEANUP_CLIENT struct client c;
    client_open (&c, &bed);
    client_send (&c, GET ("/taken-small") "HEAD /taken HTTP/1.1\r\n" HOST "\r\n" GET ("/taken")
                       GET ("/z"));
    RUN_UNTIL (&bed, c.got.len >= expected.len);
    CU_ASSERT_EQUAL (c.got.len, expected.len);
    CU_ASSERT (memcmp (c.got.data, expected.data, expected.len) == 0);
  }
  bed_close (&bed);
}

/* The peer leaves before the body is through. */
static void
taken_bodies_lost (void)
{
  struct bed bed;

  bed_open (&bed);
  {
    struct client c;
    client_open (&c, &bed);
    client_send (&c, GET ("/taken"));
    RUN_UNTIL (&bed, c.got.len > 0);
    client_close (&c);
    RUN_UNTIL (&bed, http_server_connections (bed.server) == 0);
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
    RUN_UNTIL (&bed, client_has (&c, "}}"));
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

/* Where there is no memory for more, small bodies are read as ever, also those that come behind
 * their head; with and without the level that says so, which is told some time later. */
static void
short_of_memory (void)
{
  struct pressure full = { .max = 1000, .bytes = 960 };
  struct bed bed;

  bed_open (&bed);
  bed.env.pressure = &full;
  for (int told = 0; told < 2; told++) {
    CLEANUP_CLIENT struct client small, large;
    client_open (&small, &bed);
    client_send (&small, "POST / HTTP/1.1\r\n" HOST "Expect: 100-continue\r\n"
                         "Content-Length: 3\r\n\r\n");
    RUN_UNTIL (&bed, client_has (&small, "100 Continue"));
    client_send (&small, "abc");
    RUN_UNTIL (&bed, client_has (&small, "POST /? abc"));
    client_open (&large, &bed);
    client_send (&large, "POST / HTTP/1.1\r\n" HOST "Expect: 100-continue\r\n"
                         "Content-Length: 20000\r\n\r\n");
    if (!told) {
      client_expect (&large, "HTTP/1.1 100 Continue\r\n\r\n");
      client_send (&large, "abc");
    }
    RUN_UNTIL (&bed, large.closed);
    CU_ASSERT (client_has (&large, "HTTP/1.1 503 Service Unavailable\r\n"));
    CU_ASSERT (client_has (&large, "memory_short"));
    CU_ASSERT (pressure_note (&full, 960, false) == !told);
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
      RUN_UNTIL (&bed, client_has (&c, "}}"));
      CU_ASSERT (client_has (&c, "HTTP/1.1 403 Forbidden\r\n"));
      CU_ASSERT (client_has (&c, rows[i].code));
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

/* ---- who is there ---- */

static void
unix_socket (void)
{
  struct bed bed;
  bed_open_with (&bed, &http_default_limits, bed_listen_unix ());
  {
    CLEANUP_CLIENT struct client c;
    CLEANUP_BUF struct buf expected = { 0 };

    client_open (&c, &bed);
    client_send (&c, "GET /tell HTTP/1.1\r\nHost: anything.example\r\n\r\n");
    RUN_UNTIL (&bed, client_has (&c, "\r\n\r\n"));
    if (geteuid () != peer_overflow_uid ()) {
      buf_printf (&expected, "\r\n\r\n||uid:%u|1", geteuid ());
      CU_ASSERT (client_has (&c, buf_cstr (&expected)));
    }
    c.got.len = 0;
    client_send (&c, "GET / HTTP/1.1\r\nHost: x\r\nOrigin: https://evil.com\r\n\r\n");
    RUN_UNTIL (&bed, client_has (&c, "}}"));
    CU_ASSERT (client_has (&c, "forbidden_origin"));
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
    CU_ASSERT_EQUAL ((peer.is.roles & ROLE_MANAGE) != 0, rows[i].manager);
    CU_ASSERT_STRING_EQUAL (peer.is.principal, rows[i].principal);
  }
}

/* ---- when answers are sent ---- */

struct last_look {
  ev_prepare before_sleep;
  int fd;
  bool answered;
};

static void
on_last_look (struct ev_loop *loop, ev_prepare *prepare, int events)
{
  struct last_look *look = prepare->data;
  char byte;

  (void) loop;
  (void) events;
  look->answered = recv (look->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 1;
}

/* A loop that first looks whether anything else has come asks the kernel once more per answer. */
static void
sent_before_sleep (void)
{
  struct last_look look = { .answered = false };
  struct bed bed;

  bed_open_with (&bed, &http_default_limits, bed_listen_unix ());
  {
    CLEANUP_CLIENT struct client c;
    client_open (&c, &bed);
    client_send (&c, GET ("/later"));
    RUN_UNTIL (&bed, bed.pending_count == 1);
    ev_prepare_init (&look.before_sleep, on_last_look);
    ev_set_priority (&look.before_sleep, EV_MINPRI);
    look.before_sleep.data = &look;
    look.fd = c.io.fd;
    ev_prepare_start (bed.loop, &look.before_sleep);
    http_reply (bed.pending[0], 200, "text/plain", NULL, "now", 3);
    ev_run (bed.loop, EVRUN_NOWAIT);
    CU_ASSERT_TRUE (look.answered);
    ev_prepare_stop (bed.loop, &look.before_sleep);
    client_expect (&c, OK ("3", "now"));
  }
  bed_close (&bed);
}

static CU_TestInfo tests[] = {
  { "keep-alive", keep_alive },
  { "HTTP/1.0", old_version },
  { "kinds of answers", kinds_of_answers },
  { "HEAD", head_method },
  { "chunked request", chunked_request },
  { "dripping request", dripping },
  { "large bodies", large_bodies },
  { "taken bodies", taken_bodies },
  { "taken bodies, lost", taken_bodies_lost },
  { "refused", refused },
  { "nothing after a refusal", nothing_after_refusal },
  { "long head", long_head },
  { "refused while sending", refused_while_sending },
  { "short of memory", short_of_memory },
  { "foreign host and origin", foreign },
  { "Expect", expect_continue },
  { "Unix socket", unix_socket },
  { "peers", peers },
  { "sent before the loop sleeps", sent_before_sleep },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = {
  { "http_server", NULL, NULL, NULL, NULL, tests },
  CU_SUITE_INFO_NULL,
};

TAP_MAIN (suites)
