/* Cassettes: read, played in their order, written as they were. */
#include "base/buf.h"
#include "service/http/cassette.h"
#include "tap.h"

static struct ev_loop *loop;

static int
start (void)
{
  loop = ev_loop_new (EVFLAG_AUTO);
  return loop == NULL;
}

static int
stop (void)
{
  ev_loop_destroy (loop);
  return 0;
}

/* What came of a request; "" while nothing did. */
static struct {
  char said[256];
  bool paused_once, pauses;
  bool ended;
  void *transfer;
} heard;

static void
on_head (void *ctx, int status, const struct http_header *headers, size_t count)
{
  (void) ctx;
  snprintf (heard.said, sizeof heard.said, "%d", status);
  for (size_t i = 0; i < count; i++)
    snprintf (heard.said + strlen (heard.said), sizeof heard.said - strlen (heard.said), " %s=%s",
              headers[i].name, headers[i].value);
}

static bool
on_body (void *ctx, const char *data, size_t len)
{
  (void) ctx;
  if (heard.pauses && !heard.paused_once) {
    heard.paused_once = true;
    return false;
  }
  snprintf (heard.said + strlen (heard.said), sizeof heard.said - strlen (heard.said), " %.*s",
            (int) len, data);
  return true;
}

static void
on_end (void *ctx, enum http_failure failure, const char *text)
{
  (void) ctx;
  heard.ended = true;
  if (failure != HTTP_FINE)
    snprintf (heard.said, sizeof heard.said, "%s", text);
}

static const char *
play (struct http_cassette *cassette, unsigned method, const char *text, const char *body)
{
  static const struct http_hop_events events = { on_head, on_body, on_end };
  struct http_transport transport = http_cassette_transport (cassette);
  CLEANUP_ARENA struct arena arena = { 0 };
  bool pauses = heard.pauses;
  struct url url;

  memset (&heard, 0, sizeof heard);
  heard.pauses = pauses;
  CU_ASSERT_TRUE (url_read (&url, text, strlen (text), &arena, NULL));
  heard.transfer = transport.begin (
    transport.ctx,
    &(struct http_hop){ .method = method, .url = &url, .body = body, .body_len = strlen (body) },
    &events, NULL);
  while (!heard.ended) {
    ev_run (loop, EVRUN_ONCE);
    if (heard.paused_once && !heard.ended)
      transport.resume (heard.transfer);
  }
  return heard.said;
}

#define ASKED(method, url, body)                                                                   \
  "{\"request\":{\"method\":\"" method "\",\"url\":\"" url "\",\"body\":\"" body "\"},"            \
  "\"response\":{\"status\":"

static const char tape[] = "{\"interactions\":[" ASKED (
  "GET", "https://a/x",
  "") "200,\"headers\":[[\"n\",\"v\"]],"
      "\"body\":\"first\"}}," ASKED ("GET", "https://a/x",
                                     "") "201,\"headers\":[],\"body\":\"second\""
                                         "}}," ASKED (
                                           "POST", "https://a/x",
                                           "b") "202,\"headers\":[],\"body_base64\":\"//4=\"}}]}";

static void
test_replay (void)
{
  struct http_cassette *c = http_cassette_read (loop, tape, sizeof tape - 1, NULL);

  CU_ASSERT_PTR_NOT_NULL_FATAL (c);
  CU_ASSERT_STRING_EQUAL (play (c, HTTP_GET, "https://a/x", ""), "200 n=v first");
  heard.pauses = true;
  CU_ASSERT_STRING_EQUAL (play (c, HTTP_GET, "https://a/x", ""), "201 second");
  heard.pauses = false;
  CU_ASSERT_STRING_EQUAL (play (c, HTTP_GET, "https://a/x", ""), "201 second");
  CU_ASSERT_STRING_EQUAL (play (c, HTTP_POST, "https://a/x", "b"), "202 \xff\xfe");
  CU_ASSERT_STRING_EQUAL (play (c, HTTP_POST, "https://a/x", "c"),
                          "the cassette has no answer to POST https://a/x");
  CU_ASSERT_STRING_EQUAL (play (c, HTTP_GET, "https://a/y?z", ""),
                          "the cassette has no answer to GET https://a/y?z");
  http_cassette_free (c);
}

static void
test_written_as_read (void)
{
  struct http_cassette *c = http_cassette_read (loop, tape, sizeof tape - 1, NULL);
  CLEANUP_BUF struct buf out = { 0 };

  CU_ASSERT_PTR_NOT_NULL_FATAL (c);
  http_cassette_write (c, &out);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&out), tape);
  http_cassette_free (c);
}

static void
test_faults (void)
{
  static const char *const texts[] = {
    "",
    "[]",
    "{\"interactions\":{}}",
    "{\"interactions\":[{}]}",
    "{\"interactions\":[{\"request\":{\"method\":\"GET\",\"url\":\"https://a/\"}}]}",
    "{\"interactions\":[{\"request\":{\"url\":\"https://a/\"},\"response\":{\"status\":200}}]}",
    "{\"interactions\":[" ASKED ("GET", "https://a/", "") "99}}]}",
    "{\"interactions\":[" ASKED ("GET", "https://a/", "") "200,\"body_base64\":\"?\"}}]}",
    "{\"interactions\":[" ASKED ("GET", "https://a/", "") "200,\"body\":1}}]}",
    "{\"interactions\":[" ASKED ("GET", "https://a/", "") "200,\"headers\":[[\"a\"]]}}]}",
  };

  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct error err = { { 0 } };
    CU_ASSERT_PTR_NULL (http_cassette_read (loop, texts[i], strlen (texts[i]), &err));
    CU_ASSERT_NOT_EQUAL (err.text[0], '\0');
  }
}

static CU_TestInfo tests[] = {
  { "replay", test_replay },
  { "written as read", test_written_as_read },
  { "faults", test_faults },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "http cassette", start, stop, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };
TAP_MAIN (suites)
