/* Webhooks: what is sent of the store's letters, when it is sent again, when it is given up.  The
 * store is the one in memory; requests, clock and chance are the test's. */
#include <ev.h>

#include "daemon/outbox.h"
#include "service/http/fetch.h"
#include "tap.h"

/* ---- requests, played ---- */

struct http_fetch {
  bool open;
  char url[128], id[80], timestamp[32], signature[80], type[40], body[512];
  unsigned redirects;
  bool private_too;
  struct http_events events;
  void *ctx;
};

static struct http_fetch fetches[64];
static unsigned fetches_count;
static bool refuses;

const char *
http_fault_name (enum http_fault fault)
{
  return fault == HTTP_SSRF_BLOCKED ? "ssrf_blocked" : "http_timeout";
}

static void
copy_header (struct http_fetch *fetch, const struct http_header *header)
{
  const struct {
    const char *name;
    char *room;
    size_t size;
  } rows[] = {
    { "webhook-id", fetch->id, sizeof fetch->id },
    { "webhook-timestamp", fetch->timestamp, sizeof fetch->timestamp },
    { "webhook-signature", fetch->signature, sizeof fetch->signature },
    { "Content-Type", fetch->type, sizeof fetch->type },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (strcmp (rows[i].name, header->name) == 0)
      (void) snprintf (rows[i].room, rows[i].size, "%s", header->value);
}

struct http_fetch *
http_fetch_new (struct http_broker *broker, const struct http_ask *ask,
                const struct http_terms *terms, const struct http_events *events, void *ctx,
                enum http_fault *fault, struct error *err)
{
  struct http_fetch *fetch = &fetches[fetches_count];

  (void) broker;
  if (refuses) {
    *fault = HTTP_BUSY;
    (void) error_set (err, "there is no room");
    return NULL;
  }
  fetches_count++;
  *fetch = (struct http_fetch){ .open = true, .events = *events, .ctx = ctx };
  CU_ASSERT_STRING_EQUAL (ask->method, "POST");
  (void) snprintf (fetch->url, sizeof fetch->url, "%s", ask->url);
  (void) snprintf (fetch->body, sizeof fetch->body, "%.*s", (int) ask->body_len,
                   (const char *) ask->body);
  fetch->redirects = ask->redirects;
  fetch->private_too = terms->grants->list[0].private_too;
  for (size_t i = 0; i < ask->headers_count; i++)
    copy_header (fetch, &ask->headers[i]);
  return fetch;
}

void
http_fetch_taken (struct http_fetch *fetch, size_t bytes)
{
  (void) fetch;
  (void) bytes;
}

void
http_fetch_drop (struct http_fetch *fetch)
{
  fetch->open = false;
}

static void
answer (unsigned n, int status)
{
  struct http_fetch *fetch = &fetches[n];

  fetch->open = false;
  fetch->events.head (fetch->ctx, &(struct http_answer){ .status = status });
  fetch->events.end (fetch->ctx, HTTP_OK, "");
}

static void
fail (unsigned n, enum http_fault fault)
{
  fetches[n].open = false;
  fetches[n].events.end (fetches[n].ctx, fault, "it failed");
}

static unsigned
open_fetches (void)
{
  unsigned count = 0;

  for (unsigned i = 0; i < fetches_count; i++)
    count += fetches[i].open;
  return count;
}

/* ---- what each test has ---- */

struct bed {
  struct ev_loop *loop;
  struct store *store;
  struct outbox *outbox;
  struct hook hook;
  bool gone; /* the hook */
  int64_t now_ms;
  unsigned told;
};

static int64_t
now_ms (void *ctx)
{
  return ((struct bed *) ctx)->now_ms;
}

static double
chance (void *ctx)
{
  (void) ctx;
  return 0.5;
}

static const struct hook *
find (void *ctx, const char *tenant, const char *name)
{
  struct bed *bed = ctx;

  return !bed->gone && strcmp (tenant, "acme") == 0 && strcmp (name, "books") == 0 ? &bed->hook
                                                                                   : NULL;
}

static void
make_outbox (struct bed *bed)
{
  struct outbox_settings settings = outbox_defaults;

  settings.loop = bed->loop;
  settings.store = bed->store;
  settings.find = find;
  settings.now_ms = now_ms;
  settings.random = chance;
  settings.ctx = bed;
  bed->outbox = outbox_new (&settings);
}

static void
set_up (struct bed *bed)
{
  struct store_settings settings = store_defaults;

  *bed = (struct bed){ .loop = ev_loop_new (EVFLAG_AUTO), .now_ms = 1000000000 };
  bed->hook = (struct hook){ .name = "books", .url = "https://books.example/in", .events = 15 };
  CU_ASSERT_TRUE (signature_key_read (&bed->hook.key, "a secret"));
  settings.loop = bed->loop;
  settings.now_ms = now_ms;
  settings.ctx = bed;
  bed->store = store_open_memory (&settings);
  make_outbox (bed);
  fetches_count = 0;
  refuses = false;
}

static void
tear_down (struct bed *bed)
{
  outbox_close (bed->outbox);
  store_close (bed->store);
  outbox_free (bed->outbox);
  CU_ASSERT_EQUAL (open_fetches (), 0);
  ev_loop_destroy (bed->loop);
}

static void
on_told (void *ctx, enum store_status status)
{
  CU_ASSERT_EQUAL (status, STORE_OK);
  ((struct bed *) ctx)->told++;
}

/* The loop's turns until all that was asked of the store is done; no timer is that short. */
static void
turn (struct bed *bed)
{
  for (int i = 0; i < 20; i++)
    ev_run (bed->loop, EVRUN_NOWAIT);
}

static void
post_to (struct bed *bed, const char *hook, const char *payload)
{
  const struct store_letter letter = { .tenant = "acme",
                                       .hook = hook,
                                       .payload = { payload, strlen (payload) } };

  store_post (bed->store, &letter, 1, on_told, bed);
  turn (bed);
}

static void
post (struct bed *bed, const char *payload)
{
  post_to (bed, "books", payload);
}

static void
wake (struct bed *bed)
{
  outbox_wake (bed->outbox);
  turn (bed);
}

static uint64_t
letters (const struct bed *bed)
{
  return store_figures (bed->store).letters;
}

/* ---- tests ---- */

static void
test_sent_and_signed (void)
{
  struct bed bed;
  const struct http_fetch *f = &fetches[0];

  set_up (&bed);
  post (&bed, "{\"id\":\"evt_1\",\"type\":\"call.completed\"}");
  wake (&bed);
  CU_ASSERT_EQUAL_FATAL (fetches_count, 1);
  CU_ASSERT_STRING_EQUAL (f->url, "https://books.example/in");
  CU_ASSERT_STRING_EQUAL (f->id, "evt_1");
  CU_ASSERT_STRING_EQUAL (f->timestamp, "1000000");
  CU_ASSERT_STRING_EQUAL (f->type, "application/json");
  CU_ASSERT_EQUAL (f->redirects, 0);
  CU_ASSERT_FALSE (f->private_too);
  CU_ASSERT_EQUAL (
    signature_check (&(struct signed_message){ .id = { f->id, strlen (f->id) },
                                               .timestamp = { f->timestamp, strlen (f->timestamp) },
                                               .signature = { f->signature, strlen (f->signature) },
                                               .body = f->body,
                                               .body_len = strlen (f->body) },
                     &bed.hook.key, 1000000, SIGNATURE_TOLERANCE),
    SIGNATURE_GOOD);
  answer (0, 204);
  turn (&bed);
  CU_ASSERT_EQUAL (letters (&bed), 0);
  CU_ASSERT_EQUAL (outbox_counts (bed.outbox).sent, 1);
  tear_down (&bed);
}

/* Each try is half as late again as all before, with the same id. */
static void
test_later_and_later (void)
{
  struct bed bed;
  int64_t wait;

  set_up (&bed);
  post (&bed, "{\"id\":\"evt_1\"}");
  wake (&bed);
  answer (0, 500);
  turn (&bed);
  bed.now_ms += 1999;
  wake (&bed);
  CU_ASSERT_EQUAL (fetches_count, 1);
  bed.now_ms += 1;
  wake (&bed);
  CU_ASSERT_EQUAL_FATAL (fetches_count, 2);
  CU_ASSERT_STRING_EQUAL (fetches[1].id, "evt_1");
  bed.now_ms += 98000; /* it is 100 s old */
  wait = 50000;
  fail (1, HTTP_TIMEOUT);
  turn (&bed);
  bed.now_ms += wait - 1;
  wake (&bed);
  CU_ASSERT_EQUAL (fetches_count, 2);
  bed.now_ms += 1;
  wake (&bed);
  CU_ASSERT_EQUAL_FATAL (fetches_count, 3);
  answer (2, 200);
  turn (&bed);
  CU_ASSERT_EQUAL (letters (&bed), 0);
  CU_ASSERT_EQUAL (outbox_counts (bed.outbox).failed, 2);
  tear_down (&bed);
}

static void
test_given_up (void)
{
  struct bed bed;

  set_up (&bed);
  post (&bed, "{\"id\":\"evt_1\"}");
  wake (&bed);
  bed.now_ms += outbox_defaults.give_up_ms - outbox_defaults.again_max_ms;
  answer (0, 503);
  turn (&bed);
  CU_ASSERT_EQUAL (letters (&bed), 1); /* once more */
  bed.now_ms += outbox_defaults.again_max_ms;
  wake (&bed);
  answer (1, 503);
  turn (&bed);
  CU_ASSERT_EQUAL (letters (&bed), 0);
  CU_ASSERT_EQUAL (outbox_counts (bed.outbox).given_up, 1);
  tear_down (&bed);
}

static void
test_gone (void)
{
  struct bed bed;

  set_up (&bed);
  post (&bed, "{\"id\":\"evt_1\"}");
  wake (&bed);
  answer (0, 410);
  turn (&bed);
  CU_ASSERT_EQUAL (letters (&bed), 0);
  post_to (&bed, "no such hook", "{\"id\":\"evt_2\"}");
  post (&bed, "nonsense");
  wake (&bed);
  CU_ASSERT_EQUAL (fetches_count, 1);
  CU_ASSERT_EQUAL (letters (&bed), 0);
  CU_ASSERT_EQUAL (outbox_counts (bed.outbox).given_up, 3);
  tear_down (&bed);
}

static void
test_refused_by_the_broker (void)
{
  struct bed bed;

  set_up (&bed);
  refuses = true;
  post (&bed, "{\"id\":\"evt_1\"}");
  wake (&bed);
  CU_ASSERT_EQUAL (letters (&bed), 1);
  CU_ASSERT_EQUAL (outbox_counts (bed.outbox).failed, 1);
  refuses = false;
  bed.now_ms += 2000;
  wake (&bed);
  CU_ASSERT_EQUAL_FATAL (fetches_count, 1);
  answer (0, 200);
  turn (&bed);
  CU_ASSERT_EQUAL (letters (&bed), 0);
  tear_down (&bed);
}

/* Of many letters so many are on their way at once, and all of them arrive. */
static void
test_so_many_at_once (void)
{
  enum { MANY = 10 };
  struct bed bed;
  unsigned next = 0;

  set_up (&bed);
  for (int i = 0; i < MANY; i++)
    post (&bed, "{\"id\":\"evt_1\"}");
  wake (&bed);
  CU_ASSERT_EQUAL (open_fetches (), outbox_defaults.hook_max);
  while (next < fetches_count) {
    CU_ASSERT_TRUE (open_fetches () <= outbox_defaults.hook_max);
    answer (next++, 200);
    turn (&bed);
    bed.now_ms += 5000;
    wake (&bed);
  }
  CU_ASSERT_EQUAL (fetches_count, MANY);
  CU_ASSERT_EQUAL (letters (&bed), 0);
  tear_down (&bed);
}

/* What was being sent when nobody was there any more to hear of it is sent again. */
static void
test_left_behind (void)
{
  struct bed bed;

  set_up (&bed);
  post (&bed, "{\"id\":\"evt_1\"}");
  wake (&bed);
  CU_ASSERT_EQUAL_FATAL (fetches_count, 1);
  outbox_close (bed.outbox);
  outbox_free (bed.outbox);
  make_outbox (&bed);
  wake (&bed);
  CU_ASSERT_EQUAL (fetches_count, 1);
  bed.now_ms += (int64_t) (outbox_defaults.timeout * 2000);
  wake (&bed);
  CU_ASSERT_EQUAL_FATAL (fetches_count, 2);
  CU_ASSERT_STRING_EQUAL (fetches[1].id, "evt_1");
  answer (1, 200);
  turn (&bed);
  CU_ASSERT_EQUAL (letters (&bed), 0);
  tear_down (&bed);
}

static CU_TestInfo tests[] = {
  { "sent and signed", test_sent_and_signed },
  { "later and later", test_later_and_later },
  { "given up", test_given_up },
  { "gone", test_gone },
  { "refused by the broker", test_refused_by_the_broker },
  { "so many at once", test_so_many_at_once },
  { "left behind", test_left_behind },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = {
  { "outbox", NULL, NULL, NULL, NULL, tests },
  CU_SUITE_INFO_NULL,
};

TAP_MAIN (suites)
