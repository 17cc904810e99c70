/* Fetches, with a world of the test's own: its names, its servers, its clock.  Above all: no URL
 * of a large corpus, however it is written, redirected or resolved, leads to an address that is not
 * public. */
#include "base/clock.h"
#include "service/http/fetch.h"
#include "tap.h"

enum { NAMES = 16, ROUTES = 16, HOPS = 32 };

/* A name, and what it resolves to: another list each time it is looked up, the last one stays. */
struct name {
  const char *host;
  const char *answers[4]; /* addresses with blanks between */
  unsigned asked;
};

/* What a server says to a target. */
struct route {
  const char *target; /* NULL: to every one */
  int status;
  const char *location, *retry_after, *body;
  enum http_failure failure;
  unsigned times; /* it holds; 0: for ever */
};

static struct world {
  struct ev_loop *loop;
  struct http_broker broker;
  struct http_grants grants;
  struct name names[NAMES];
  struct route routes[ROUTES];
  double now;
  /* what was seen */
  char targets[HOPS][256], headers[HOPS][512];
  unsigned hops, unsafe, open;
  /* what came of it */
  bool ended;
  enum http_fault fault;
  char text[512], body[256], url[512];
  int status;
} w;

/* ---- its names ---- */

struct question {
  ev_timer timer;
  http_resolved *done;
  void *ctx;
  const char *answer;
};

static void
on_answer (struct ev_loop *loop, ev_timer *timer, int revents)
{
  struct question *q = timer->data;
  struct address addresses[RESOLVED_MAX];
  size_t count = 0;

  (void) loop;
  (void) revents;
  for (const char *at = q->answer; at != NULL && *at != '\0';) {
    size_t len = strcspn (at, " ");
    CU_ASSERT_TRUE (address_read (&addresses[count++], at, len));
    at += len + (at[len] == ' ');
  }
  q->done (q->ctx, addresses, count, "no such host");
  free (q);
}

static void *
look_up (void *ctx, const char *host, http_resolved *done, void *done_ctx)
{
  struct question *q = calloc (1, sizeof *q);

  (void) ctx;
  q->done = done;
  q->ctx = done_ctx;
  for (unsigned i = 0; i < NAMES && w.names[i].host != NULL; i++)
    if (strcmp (w.names[i].host, host) == 0) {
      struct name *name = &w.names[i];
      q->answer = name->answers[name->asked];
      name->asked += name->asked + 1 < 4 && name->answers[name->asked + 1] != NULL;
    }
  ev_timer_init (&q->timer, on_answer, 0, 0);
  q->timer.data = q;
  ev_timer_start (w.loop, &q->timer);
  return q;
}

static void
forget (void *question)
{
  struct question *q = question;

  ev_timer_stop (w.loop, &q->timer);
  free (q);
}

/* ---- its servers ---- */

struct hop {
  ev_timer timer;
  const struct http_hop_events *events;
  void *ctx;
  struct route *route;
  bool dropped;
};

static void
play (struct hop *hop)
{
  const struct route *route = hop->route;
  struct http_header headers[2];
  size_t count = 0;

  if (route == NULL || route->failure != HTTP_FINE) {
    hop->events->end (hop->ctx, route != NULL ? route->failure : HTTP_BROKEN, "as the test says");
    return;
  }
  if (route->location != NULL)
    headers[count++] = (struct http_header){ "location", route->location };
  if (route->retry_after != NULL)
    headers[count++] = (struct http_header){ "retry-after", route->retry_after };
  hop->events->head (hop->ctx, route->status, headers, count);
  if (!hop->dropped && route->body != NULL)
    CU_ASSERT_TRUE (hop->events->body (hop->ctx, route->body, strlen (route->body)));
  if (!hop->dropped)
    hop->events->end (hop->ctx, HTTP_FINE, "");
}

static void
on_hop (struct ev_loop *loop, ev_timer *timer, int revents)
{
  struct hop *hop = timer->data;

  (void) loop;
  (void) revents;
  play (hop);
  free (hop);
}

static struct route *
find_route (const char *target)
{
  for (unsigned i = 0; i < ROUTES; i++) {
    struct route *r = &w.routes[i];
    if ((r->status == 0 && r->failure == HTTP_FINE)
        || (r->target != NULL && strcmp (r->target, target) != 0))
      continue;
    if (r->times == 1)
      r->times = UINT32_MAX; /* used up */
    else if (r->times == UINT32_MAX)
      continue;
    else
      r->times -= r->times != 0;
    return r;
  }
  return NULL;
}

static void *
begin (void *ctx, const struct http_hop *wanted, const struct http_hop_events *events,
       void *events_ctx)
{
  struct hop *hop = calloc (1, sizeof *hop);
  char *headers = w.headers[w.hops];

  (void) ctx;
  for (size_t i = 0; i < wanted->addresses_count; i++)
    w.unsafe += address_kind (&wanted->addresses[i]) != ADDRESS_PUBLIC;
  w.unsafe += wanted->addresses_count == 0;
  snprintf (w.targets[w.hops], sizeof w.targets[0], "%s %s", http_method_name (wanted->method),
            wanted->target);
  headers[0] = '\0';
  for (size_t i = 0; i < wanted->headers_count; i++)
    snprintf (headers + strlen (headers), sizeof w.headers[0] - strlen (headers), "%s: %s\n",
              wanted->headers[i].name, wanted->headers[i].value);
  w.hops += w.hops + 1 < HOPS;
  hop->events = events;
  hop->ctx = events_ctx;
  hop->route = find_route (wanted->target);
  ev_timer_init (&hop->timer, on_hop, 0, 0);
  hop->timer.data = hop;
  ev_timer_start (w.loop, &hop->timer);
  return hop;
}

static void
resume (void *transfer)
{
  (void) transfer;
}

/* From within play it is freed there. */
static void
drop (void *transfer)
{
  struct hop *hop = transfer;

  hop->dropped = true;
  if (ev_is_active (&hop->timer)) {
    ev_timer_stop (w.loop, &hop->timer);
    free (hop);
  }
}

/* ---- a fetch ---- */

static double
world_now (void)
{
  return w.now;
}

static double
no_dice (void *ctx)
{
  (void) ctx;
  return 0;
}

static void
grant (const char *pattern)
{
  struct error err = { { 0 } };

  CU_ASSERT_PTR_NOT_NULL (http_grants_add (&w.grants, pattern, &err));
}

static int
begin_world (void)
{
  const struct http_transport transport = { begin, resume, drop, NULL };
  const struct http_resolver resolver = { look_up, forget, NULL };

  memset (&w, 0, sizeof w);
  w.loop = ev_loop_new (EVFLAG_AUTO);
  http_broker_init (&w.broker, w.loop, NULL, transport, resolver);
  w.broker.retry = (struct http_retry){ .tries = 3, .base_ms = 2, .cap_ms = 4 };
  w.broker.now = world_now;
  w.broker.random = no_dice;
  w.now = 1000;
  return 0;
}

static void
end_world (void)
{
  CU_ASSERT_EQUAL (w.broker.open, 0);
  CU_ASSERT_EQUAL (w.open, 0);
  http_broker_clear (&w.broker);
  http_grants_free (&w.grants);
  ev_loop_destroy (w.loop);
}

static void
on_head (void *ctx, const struct http_answer *answer)
{
  (void) ctx;
  w.status = answer->status;
  snprintf (w.url, sizeof w.url, "%s", answer->url);
}

static void
on_body (void *ctx, const char *data, size_t len)
{
  (void) ctx;
  snprintf (w.body + strlen (w.body), sizeof w.body - strlen (w.body), "%.*s", (int) len, data);
}

static void
on_end (void *ctx, enum http_fault fault, const char *text)
{
  (void) ctx;
  w.ended = true;
  w.fault = fault;
  snprintf (w.text, sizeof w.text, "%s", text);
}

static enum http_fault
send_request (const struct http_ask *request)
{
  static const struct http_events events = { on_head, on_body, on_end };
  const struct http_terms terms = { .plugin = "test",
                                    .grants = &w.grants,
                                    .response_max = 100,
                                    .deadline_ns = INT64_MAX,
                                    .open = &w.open,
                                    .open_max = 4 };
  struct error err = { { 0 } };
  enum http_fault fault = HTTP_OK;
  struct http_fetch *fetch;

  w.ended = false;
  w.status = 0;
  w.body[0] = '\0';
  w.hops = 0;
  fetch = http_fetch_new (&w.broker, request, &terms, &events, NULL, &fault, &err);
  if (fetch == NULL) {
    snprintf (w.text, sizeof w.text, "%s", err.text);
    return fault;
  }
  while (!w.ended)
    ev_run (w.loop, EVRUN_ONCE);
  return w.fault;
}

static enum http_fault
get (const char *url)
{
  return send_request (&(struct http_ask){ .url = url, .redirects = 5 });
}

/* ---- the corpus ---- */

/* C17: none of these may lead anywhere.  The grants are as wide as they can be. */
static const char *const nowhere[] = {
  /* as they are */
  "http://127.0.0.1/",
  "http://127.0.0.1:80/",
  "http://127.255.255.254/",
  "https://127.0.0.1/",
  "http://10.0.0.1/",
  "http://172.16.0.1/",
  "http://172.31.255.255/",
  "http://192.168.0.1/",
  "http://169.254.169.254/latest/meta-data/",
  "http://100.64.0.1/",
  "http://100.100.100.200/",
  "http://0.0.0.0/",
  "http://0.1.2.3/",
  "http://192.0.0.192/",
  "http://192.0.2.1/",
  "http://198.18.0.1/",
  "http://198.51.100.1/",
  "http://203.0.113.1/",
  "http://224.0.0.1/",
  "http://240.0.0.1/",
  "http://255.255.255.255/",
  "http://192.88.99.1/",
  /* IPv6, and IPv4 in it */
  "http://[::1]/",
  "http://[::]/",
  "http://[fe80::1]/",
  "http://[fc00::1]/",
  "http://[fd00:ec2::254]/",
  "http://[fec0::1]/",
  "http://[ff02::1]/",
  "http://[2001:db8::1]/",
  "http://[::ffff:127.0.0.1]/",
  "http://[::ffff:7f00:1]/",
  "http://[::ffff:a9fe:a9fe]/",
  "http://[::127.0.0.1]/",
  "http://[64:ff9b::7f00:1]/",
  "http://[64:ff9b::169.254.169.254]/",
  "http://[64:ff9b:1::a00:1]/",
  "http://[2002:7f00:1::]/",
  "http://[2002:a9fe:a9fe::1]/",
  "http://[2001::7f00:1]/",
  "http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/",
  "http://[100::1]/",
  "http://[5f00::1]/",
  "http://[3fff::1]/",
  "http://[fe80::1%25eth0]/",
  "http://[fe80::1%1]/",
  "http://[::1%25lo]/",
  /* in other numbers */
  "http://2130706433/",
  "http://0x7f000001/",
  "http://0x7f.0.0.1/",
  "http://0177.0.0.1/",
  "http://017700000001/",
  "http://127.1/",
  "http://127.0.1/",
  "http://0/",
  "http://0x0/",
  "http://3232235521/",
  "http://0xa9fea9fe/",
  "http://2852039166/",
  "http://169.254.43518/",
  "http://127.0.0.1./",
  "http://127.000.000.001/",
  "http://0x7f.1/",
  "http://1.2.3/",
  "http://425.510.425.510/",
  "http://[::ffff:0x7f.1]/",
  /* in disguise */
  "http://public.example@127.0.0.1/",
  "http://public.example:80@127.0.0.1/",
  "http://127.0.0.1@public.example/",
  "http://public.example\\@127.0.0.1/",
  "http://public.example%00@127.0.0.1/",
  "http://127.0.0.1\\.public.example/",
  "http://127.0.0.1%2f@public.example/",
  "http://127%2e0%2e0%2e1/",
  "http://%31%32%37.0.0.1/",
  "http://127.0.0.1\t/",
  "http://127.0.0.1\r\n/",
  "http://\xe2\x91\xa0\xe2\x91\xa1\xe2\x91\xa6.0.0.1/",
  "http://127\xe3\x80\x82"
  "0\xe3\x80\x82"
  "0\xe3\x80\x82"
  "1/",
  "http:127.0.0.1/",
  "http:/127.0.0.1/",
  "http:///127.0.0.1/",
  "http://#@127.0.0.1/",
  "http://?@127.0.0.1/",
  "//127.0.0.1/",
  "file:///etc/passwd",
  "gopher://127.0.0.1:6379/_x",
  "dict://127.0.0.1:11211/",
  "ftp://127.0.0.1/",
  "jar:http://127.0.0.1!/",
  "unix:///run/docker.sock",
  "ldap://127.0.0.1/",
  /* by name: the world below says what they are */
  "http://loopback.example/",
  "http://private.example/",
  "http://metadata.example/",
  "http://mixed.example/",
  "http://mapped.example/",
  "http://nat64.example/",
  "http://sixtofour.example/",
  "http://link6.example/",
  "http://nothing.example/",
  "http://LOOPBACK.example:80/",
  "http://localhost/",
  "http://unknown.example/",
  /* by redirect */
  "http://public.example/to-loopback",
  "http://public.example/to-metadata",
  "http://public.example/to-name",
  "http://public.example/to-decimal",
  "http://public.example/to-v6",
  "http://public.example/to-user",
  "http://public.example/to-file",
  "http://public.example/to-other",
  "http://public.example/to-flip",
  "http://flip.example/again",
};

static void
people_the_world (void)
{
  static const struct name names[] = {
    { "public.example", { "93.184.216.34 2606:2800:220:1::1" }, 0 },
    { "loopback.example", { "127.0.0.1" }, 0 },
    { "localhost", { "::1 127.0.0.1" }, 0 },
    { "private.example", { "192.168.1.1" }, 0 },
    { "metadata.example", { "169.254.169.254" }, 0 },
    { "mixed.example", { "93.184.216.34 10.0.0.1" }, 0 },
    { "mapped.example", { "::ffff:127.0.0.1" }, 0 },
    { "nat64.example", { "64:ff9b::7f00:1" }, 0 },
    { "sixtofour.example", { "2002:7f00:1::" }, 0 },
    { "link6.example", { "fe80::1" }, 0 },
    { "nothing.example", { "" }, 0 },
    { "flip.example", { "93.184.216.34", "127.0.0.1" }, 0 },
    { "other.example", { "93.184.216.34", "10.1.1.1" }, 0 },
  };
  static const struct route routes[] = {
    { "http://public.example/to-loopback", 302, "http://127.0.0.1/x", NULL, NULL, HTTP_FINE, 0 },
    { "http://public.example/to-metadata", 301, "//169.254.169.254/", NULL, NULL, HTTP_FINE, 0 },
    { "http://public.example/to-name", 307, "http://private.example/", NULL, NULL, HTTP_FINE, 0 },
    { "http://public.example/to-decimal", 302, "http://2130706433/", NULL, NULL, HTTP_FINE, 0 },
    { "http://public.example/to-v6", 303, "http://[::ffff:127.0.0.1]/", NULL, NULL, HTTP_FINE, 0 },
    { "http://public.example/to-user", 302, "http://public.example@127.0.0.1/", NULL, NULL,
      HTTP_FINE, 0 },
    { "http://public.example/to-file", 302, "file:///etc/passwd", NULL, NULL, HTTP_FINE, 0 },
    { "http://public.example/to-other", 302, "http://public.example:8080/", NULL, NULL, HTTP_FINE,
      0 },
    { "http://public.example/to-flip", 302, "http://flip.example/once", NULL, NULL, HTTP_FINE, 0 },
    { "http://flip.example/once", 302, "/twice", NULL, NULL, HTTP_FINE, 0 },
    { "http://flip.example/again", 503, NULL, NULL, NULL, HTTP_FINE, 0 },
    { NULL, 200, NULL, NULL, "reached", HTTP_FINE, 0 },
  };

  memcpy (w.names, names, sizeof names);
  memcpy (w.routes, routes, sizeof routes);
}

static void
test_c17_corpus (void)
{
  size_t count = sizeof nowhere / sizeof *nowhere;

  begin_world ();
  people_the_world ();
  grant ("http://*/*");
  grant ("https://*/*");
  for (size_t i = 0; i < count; i++) {
    enum http_fault fault = get (nowhere[i]);
    if (fault == HTTP_OK || w.unsafe != 0 || w.status != 0)
      printf ("# %s: %s, status %d\n", nowhere[i], http_fault_name (fault), w.status);
    CU_ASSERT_NOT_EQUAL (fault, HTTP_OK);
    CU_ASSERT_EQUAL (w.unsafe, 0);
    CU_ASSERT_EQUAL (w.status, 0);
    circuits_clear (&w.broker.circuits);
  }
  printf ("# %zu URLs, none reached an address that is not public\n", count);
  CU_ASSERT_TRUE (count >= 60);
  CU_ASSERT_EQUAL (get ("http://public.example/"), HTTP_OK);
  CU_ASSERT_STRING_EQUAL (w.body, "reached");
  CU_ASSERT_EQUAL (get ("http://93.184.216.34/"), HTTP_OK);
  CU_ASSERT_EQUAL (get ("https://[2606:4700:4700::1111]/"), HTTP_OK);
  end_world ();
}

/* A name is looked up before each try, and checked each time. */
static void
test_flip_between_tries (void)
{
  begin_world ();
  people_the_world ();
  grant ("http://*/*");
  CU_ASSERT_EQUAL (get ("http://flip.example/again"), HTTP_SSRF_BLOCKED);
  CU_ASSERT_EQUAL (w.hops, 1);
  CU_ASSERT_STRING_EQUAL (w.text, "flip.example has an address that is not public (loopback)");
  end_world ();
}

/* An operator's word opens one host, for what is his own; not for what is nobody's. */
static void
test_private_by_word (void)
{
  begin_world ();
  people_the_world ();
  grant ("http://private.example/*");
  grant ("http://metadata.example/*");
  w.grants.list[0].private_too = w.grants.list[1].private_too = true;
  CU_ASSERT_EQUAL (get ("http://private.example/"), HTTP_OK);
  CU_ASSERT_EQUAL (get ("http://metadata.example/"), HTTP_SSRF_BLOCKED);
  CU_ASSERT_EQUAL (get ("http://loopback.example/"), HTTP_NOT_GRANTED);
  end_world ();
}

/* ---- retries, circuits ---- */

static void
set_routes (const struct route *routes, size_t count)
{
  memset (w.routes, 0, sizeof w.routes);
  memcpy (w.routes, routes, count * sizeof *routes);
}

static void
test_retries (void)
{
  static const struct route flaky[] = { { NULL, 503, NULL, "0", NULL, HTTP_FINE, 1 },
                                        { NULL, 0, NULL, NULL, NULL, HTTP_CONNECT, 1 },
                                        { NULL, 200, NULL, NULL, "ok", HTTP_FINE, 0 } };
  static const struct route late[] = { { NULL, 200, NULL, NULL, "0123456789", HTTP_FINE, 0 } };
  const char *url = "http://93.184.216.34/";

  begin_world ();
  grant ("http://*/*");
  set_routes (flaky, 3);
  CU_ASSERT_EQUAL (get (url), HTTP_OK);
  CU_ASSERT_EQUAL (w.hops, 3);
  set_routes (flaky, 3);
  CU_ASSERT_EQUAL (send_request (&(struct http_ask){ .url = url, .method = "POST" }), HTTP_OK);
  CU_ASSERT_EQUAL (w.status, 503);
  CU_ASSERT_EQUAL (w.hops, 1);
  set_routes (flaky, 3);
  CU_ASSERT_EQUAL (
    send_request (&(struct http_ask){ .url = url, .method = "POST", .idempotency_key = "k" }),
    HTTP_OK);
  CU_ASSERT_EQUAL (w.status, 200);
  CU_ASSERT_EQUAL (w.hops, 3);
  CU_ASSERT_PTR_NOT_NULL (strstr (w.headers[2], "Idempotency-Key: k\n"));
  set_routes (late, 1);
  CU_ASSERT_EQUAL (send_request (&(struct http_ask){ .url = url, .response_max = 9 }),
                   HTTP_TOO_LARGE);
  end_world ();
}

static void
test_circuit (void)
{
  static const struct route down[] = { { NULL, 0, NULL, NULL, NULL, HTTP_CONNECT, 0 } };
  static const struct route up[] = { { NULL, 200, NULL, NULL, "ok", HTTP_FINE, 0 } };
  const struct http_ask post = { .url = "http://93.184.216.34/", .method = "POST" };

  begin_world ();
  grant ("http://*/*");
  set_routes (down, 1);
  for (int i = 0; i < CIRCUIT_FAILURES; i++)
    CU_ASSERT_EQUAL (send_request (&post), HTTP_NO_CONNECTION);
  CU_ASSERT_EQUAL (send_request (&post), HTTP_CIRCUIT_OPEN);
  CU_ASSERT_EQUAL (w.hops, 0);
  CU_ASSERT_EQUAL (get ("http://8.8.8.8/"), HTTP_NO_CONNECTION); /* another server */
  w.now += 5.1;
  CU_ASSERT_EQUAL (send_request (&post), HTTP_NO_CONNECTION); /* one is let through */
  CU_ASSERT_EQUAL (send_request (&post), HTTP_CIRCUIT_OPEN);
  w.now += 9;
  CU_ASSERT_EQUAL (send_request (&post), HTTP_CIRCUIT_OPEN); /* twice as long */
  w.now += 1.1;
  set_routes (up, 1);
  CU_ASSERT_EQUAL (send_request (&post), HTTP_OK);
  CU_ASSERT_EQUAL (send_request (&post), HTTP_OK);
  CU_ASSERT_EQUAL (w.broker.counts.circuits_opened, 2);
  end_world ();
}

static void
test_waits (void)
{
  const struct http_retry retry = { .tries = 9, .base_ms = 200, .cap_ms = 5000 };

  CU_ASSERT_EQUAL (http_retry_wait (&retry, 2, 0, 0), 100);
  CU_ASSERT_EQUAL (http_retry_wait (&retry, 2, 0.999, 0), 199);
  CU_ASSERT_EQUAL (http_retry_wait (&retry, 3, 0, 0), 200);
  CU_ASSERT_EQUAL (http_retry_wait (&retry, 4, 0.5, 0), 600);
  CU_ASSERT_EQUAL (http_retry_wait (&retry, 40, 0, 0), 2500);
  CU_ASSERT_EQUAL (http_retry_wait (&retry, 2, 0, 3000), 3000);
  CU_ASSERT_EQUAL (http_retry_after ("3"), 3000);
  CU_ASSERT_EQUAL (http_retry_after ("Fri, 31 Dec 1999 23:59:59 GMT"), 0);
  CU_ASSERT_EQUAL (http_retry_after ("99999999999"), 0);
  CU_ASSERT_EQUAL (http_retry_after (NULL), 0);
  CU_ASSERT_TRUE (http_retry_status (503));
  CU_ASSERT_FALSE (http_retry_status (500));
}

/* ---- what the operator adds ---- */

static void
test_extras (void)
{
  static const struct route routes[] = {
    { "https://a.example/x?q=1&key=s%26%20", 302, "https://b.example/y", NULL, NULL, HTTP_FINE, 0 },
    { NULL, 200, NULL, NULL, "ok", HTTP_FINE, 0 },
  };
  const struct http_header own[] = { { "authorization", "mine" }, { "X-Other", "1" } };
  struct secret secret = { (char *) "k", (char *) "/k", (char *) "s& " };
  const struct secrets secrets = { &secret, 1 };
  struct error err = { { 0 } };

  begin_world ();
  set_routes (routes, 2);
  w.names[0] = (struct name){ "a.example", { "8.8.8.8" }, 0 };
  w.names[1] = (struct name){ "b.example", { "8.8.4.4" }, 0 };
  grant ("https://a.example/*");
  grant ("https://b.example/*");
  CU_ASSERT_TRUE (
    http_grant_add_extra (&w.grants.list[0], false, "Authorization", "Bearer ${k}", &err));
  CU_ASSERT_TRUE (http_grant_add_extra (&w.grants.list[0], true, "key", "${k}", &err));
  CU_ASSERT_TRUE (http_grants_fill (&w.grants, &secrets, &err));
  CU_ASSERT_EQUAL (
    send_request (&(struct http_ask){
      .url = "https://a.example/x?q=1", .headers = own, .headers_count = 2, .redirects = 5 }),
    HTTP_OK);
  CU_ASSERT_EQUAL (w.hops, 2);
  CU_ASSERT_STRING_EQUAL (w.targets[0], "GET https://a.example/x?q=1&key=s%26%20");
  CU_ASSERT_PTR_NOT_NULL (strstr (w.headers[0], "Authorization: Bearer s& \n"));
  CU_ASSERT_PTR_NULL (strstr (w.headers[0], "mine"));
  CU_ASSERT_STRING_EQUAL (w.targets[1], "GET https://b.example/y");
  CU_ASSERT_PTR_NULL (strstr (w.headers[1], "uthorization"));
  CU_ASSERT_PTR_NOT_NULL (strstr (w.headers[1], "X-Other: 1\n"));
  CU_ASSERT_STRING_EQUAL (w.url, "https://b.example/y");
  end_world ();
}

static void
test_closest_grant (void)
{
  bool method_only;
  struct url url;
  CLEANUP_ARENA struct arena arena = { 0 };

  begin_world ();
  grant ("https://*/*");
  grant ("https://a.example/*");
  grant ("https://a.example/v1/*");
  w.grants.list[2].methods = HTTP_GET;
  CU_ASSERT_TRUE (url_read (&url, "https://a.example/v1/x", 22, &arena, NULL));
  CU_ASSERT_PTR_EQUAL (http_grants_find (&w.grants, &url, HTTP_GET, &method_only),
                       &w.grants.list[2]);
  CU_ASSERT_PTR_EQUAL (http_grants_find (&w.grants, &url, HTTP_PUT, &method_only),
                       &w.grants.list[1]);
  end_world ();
}

static CU_TestInfo tests[] = {
  { "C17 corpus", test_c17_corpus },
  { "a name that flips between tries", test_flip_between_tries },
  { "private by word", test_private_by_word },
  { "retries", test_retries },
  { "circuit", test_circuit },
  { "waits", test_waits },
  { "extras", test_extras },
  { "the closest grant", test_closest_grant },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "http fetch", NULL, NULL, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };
TAP_MAIN (suites)
