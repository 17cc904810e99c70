/* An issuer's keys from where it publishes them, with a network and a clock of the test's own. */
#include "front/auth/jwks_url.h"
#include "tap.h"

#define URL "http://127.0.0.1:8080/jwks"

static struct world {
  struct ev_loop *loop;
  struct http_broker broker;
  double now;
  /* the network */
  unsigned hops;
  const struct http_hop_events *events; /* NULL: nothing is under way */
  void *ctx;
  char target[128], accept[128];
  /* what was taken */
  unsigned taken, refused;
  char set[64];
} w;

static void *
begin (void *ctx, const struct http_hop *hop, const struct http_hop_events *events,
       void *events_ctx)
{
  (void) ctx;
  w.hops++;
  w.events = events;
  w.ctx = events_ctx;
  (void) snprintf (w.target, sizeof w.target, "%s", hop->target);
  (void) snprintf (w.accept, sizeof w.accept, "%s", hop->headers[0].value);
  return &w;
}

static void
resume (void *transfer)
{
  (void) transfer;
}

static void
drop (void *transfer)
{
  (void) transfer;
  w.events = NULL;
}

static double
now (void)
{
  return w.now;
}

/* A set is a text that begins with '{'. */
static bool
take (void *ctx, const char *text, size_t len, struct error *err)
{
  (void) ctx;
  if (len == 0 || *text != '{') {
    w.refused++;
    return error_set (err, "it is none");
  }
  w.taken++;
  (void) snprintf (w.set, sizeof w.set, "%.*s", (int) len, text);
  return true;
}

/* The server's answer to what is under way. */
static void
answer (int status, const char *cache_control, const char *body)
{
  const struct http_hop_events *events = w.events;
  const struct http_header headers[] = { { "cache-control", cache_control } };

  CU_ASSERT_PTR_NOT_NULL_FATAL (events);
  w.events = NULL;
  events->head (w.ctx, status, headers, cache_control != NULL ? 1 : 0);
  (void) events->body (w.ctx, body, strlen (body));
  events->end (w.ctx, HTTP_FINE, "");
}

static struct jwks_url *
open_source (const char *url)
{
  const struct http_transport transport = { .begin = begin, .resume = resume, .drop = drop };
  struct error err = { { 0 } };

  memset (&w, 0, sizeof w);
  w.loop = ev_loop_new (EVFLAG_AUTO);
  w.now = 1000;
  http_broker_init (&w.broker, w.loop, NULL, transport, (struct http_resolver){ .ctx = NULL });
  w.broker.now = now;
  return jwks_url_new (
    &(struct jwks_url_settings){ .broker = &w.broker, .url = url, .refresh = 30, .take = take },
    &err);
}

static void
close_source (struct jwks_url *source)
{
  jwks_url_free (source);
  http_broker_clear (&w.broker);
  ev_loop_destroy (w.loop);
}

/* ---- how long a set is good for ---- */

static void
ages (void)
{
  static const struct {
    const char *cache_control;
    int64_t age;
  } rows[] = {
    { NULL, JWKS_AGE_DEFAULT },
    { "", JWKS_AGE_DEFAULT },
    { "public", JWKS_AGE_DEFAULT },
    { "max-age=600", 600 },
    { "public, Max-Age=600, must-revalidate", 600 },
    { "private,max-age=7200", 7200 },
    { "max-age=1", JWKS_AGE_MIN },
    { "max-age=0", JWKS_AGE_MIN },
    { "no-store", JWKS_AGE_MIN },
    { "max-age=99999999999999999999999", JWKS_AGE_MAX },
    { "max-age=-5", JWKS_AGE_DEFAULT },
    { "max-age=", JWKS_AGE_DEFAULT },
    { "s-maxage=7, x-max-age=9", JWKS_AGE_DEFAULT },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    CU_ASSERT_EQUAL (jwks_age (rows[i].cache_control), rows[i].age);
}

/* ---- fetching ---- */

static void
it_is_fetched_at_the_start (void)
{
  struct jwks_url *source = open_source (URL);

  CU_ASSERT_EQUAL (w.hops, 1);
  CU_ASSERT_STRING_EQUAL (w.target, URL);
  CU_ASSERT_PTR_NOT_NULL (strstr (w.accept, "application/jwk-set+json"));
  answer (200, "max-age=600", "{1}");
  CU_ASSERT_EQUAL (w.taken, 1);
  CU_ASSERT_STRING_EQUAL (w.set, "{1}");
  close_source (source);
}

static void
unknown_keys_are_asked_for_now_and_then (void)
{
  struct jwks_url *source = open_source (URL);

  CU_ASSERT (jwks_url_unknown (source)); /* it is on its way */
  CU_ASSERT_EQUAL (w.hops, 1);
  answer (200, NULL, "{1}");
  CU_ASSERT_FALSE (jwks_url_unknown (source)); /* it was fetched a moment ago */
  w.now += 29;
  CU_ASSERT_FALSE (jwks_url_unknown (source));
  w.now += 1;
  CU_ASSERT (jwks_url_unknown (source));
  CU_ASSERT (jwks_url_unknown (source));
  CU_ASSERT_EQUAL (w.hops, 2);
  answer (200, NULL, "{2}");
  CU_ASSERT_STRING_EQUAL (w.set, "{2}");
  CU_ASSERT_FALSE (jwks_url_unknown (source));
  CU_ASSERT_EQUAL (w.hops, 2);
  close_source (source);
}

static void
the_same_set_is_no_news (void)
{
  struct jwks_url *source = open_source (URL);

  answer (200, NULL, "{1}");
  w.now += 30;
  CU_ASSERT (jwks_url_unknown (source));
  answer (200, NULL, "{1}");
  CU_ASSERT_EQUAL (w.taken, 1);
  close_source (source);
}

static void
what_fails_changes_nothing (void)
{
  static const struct {
    int status;
    const char *body;
  } rows[] = { { 404, "{3}" }, { 302, "" }, { 200, "<html>" }, { 200, "" }, { 401, "{3}" } };
  struct jwks_url *source = open_source (URL);

  answer (200, NULL, "{1}");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    w.now += 30;
    CU_ASSERT (jwks_url_unknown (source));
    answer (rows[i].status, NULL, rows[i].body);
    CU_ASSERT_STRING_EQUAL (w.set, "{1}");
    CU_ASSERT_FALSE (jwks_url_unknown (source));
  }
  CU_ASSERT_EQUAL (w.taken, 1);
  CU_ASSERT_EQUAL (w.hops, 6);
  w.now += 30;
  CU_ASSERT (jwks_url_unknown (source));
  answer (200, NULL, "{2}");
  CU_ASSERT_STRING_EQUAL (w.set, "{2}");
  close_source (source);
}

static void
an_answer_of_any_size_is_not_kept (void)
{
  struct jwks_url *source = open_source (URL);
  char *large = calloc (1, 300 * 1024 + 1);

  memset (large, ' ', 300 * 1024);
  large[0] = '{';
  CU_ASSERT_PTR_NOT_NULL_FATAL (w.events);
  w.events->head (w.ctx, 200, NULL, 0);
  for (size_t at = 0; w.events != NULL && at < 300; at += 16)
    (void) w.events->body (w.ctx, large, 16 * 1024);
  CU_ASSERT_EQUAL (w.taken, 0);
  CU_ASSERT_PTR_NULL (w.events); /* it was let go */
  free (large);
  close_source (source);
}

static void
freed_while_it_is_under_way (void)
{
  struct jwks_url *source = open_source (URL);

  CU_ASSERT_PTR_NOT_NULL (w.events);
  close_source (source);
  CU_ASSERT_PTR_NULL (w.events);
  CU_ASSERT_EQUAL (w.broker.open, 0);
}

static CU_TestInfo tests[] = {
  { "how long a set is good for", ages },
  { "it is fetched at the start", it_is_fetched_at_the_start },
  { "unknown keys are asked for now and then", unknown_keys_are_asked_for_now_and_then },
  { "the same set is no news", the_same_set_is_no_news },
  { "what fails changes nothing", what_fails_changes_nothing },
  { "an answer of any size is not kept", an_answer_of_any_size_is_not_kept },
  { "freed while it is under way", freed_while_it_is_under_way },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "jwks_url", NULL, NULL, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };
TAP_MAIN (suites)
