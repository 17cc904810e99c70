/* Calls over plain HTTP that wait for answers: whose they are, how long they wait, and what becomes
 * of those who wait for them. */
#include <ev.h>
#include <stdlib.h>

#include "call/calls.h"
#include "fake_http.h"
#include "front/rest/asks.h"
#include "played_unit.h"
#include "tap.h"

#define JSON_TYPE "content-type: application/json\n"
#define ROOTS "{\"asks\":{\"r\":{\"kind\":\"roots\",\"params\":{}}},\"needs\":0}"

static const struct front_peer mine = { .roles = ROLES_LOCAL, .principal = "uid:7" };
static const struct front_peer others = { .roles = ROLES_LOCAL, .principal = "uid:8" };

struct fixture {
  struct front_env env;
  struct unit unit;
  struct toolset *set;
  struct rest_asks asks;
  struct rest_ask *ask; /* the last */
};

static void
on_done (void *ctx, const struct result *result)
{
  struct fixture *f = ctx;

  CU_ASSERT_EQUAL (result->error, CALL_input_required);
  f->ask = rest_asks_add (&f->asks, held_take (result), mine.principal);
}

/* A call that asks, and is put into the table. */
static void
make_ask (struct fixture *f)
{
  static const struct call_events events = { .done = on_done };

  (void) call_start (f->env.calls,
                     &(struct call_request){ .toolset = f->set,
                                             .name = "t",
                                             .name_len = 1,
                                             .principal = mine.principal,
                                             .call_id = "c1",
                                             .askable = FRAME_ASK_ALL },
                     &events, f);
  unit_asks (&f->unit, ROOTS, "");
}

static void
setup (struct fixture *f)
{
  const struct calls_settings settings = {
    .deadline_ms = 30000, .running_max = 4, .json_depth = 8, .log_per_second = 1
  };

  memset (f, 0, sizeof *f);
  f->env.loop = ev_loop_new (EVFLAG_AUTO);
  f->env.calls = calls_new (f->env.loop, NULL, NULL, &settings);
  f->env.json_depth = 64;
  f->env.asks_max = 2;
  f->env.ask_ttl = 60;
  f->env.catalog = catalog_new ();
  f->set = unit_toolset (&f->unit);
  catalog_swap (f->env.catalog, toolset_ref (f->set));
  rest_asks_init (&f->asks, &f->env);
  make_ask (f);
}

static void
teardown (struct fixture *f)
{
  rest_asks_free (&f->asks);
  CU_ASSERT_EQUAL (calls_running (f->env.calls), 0);
  calls_free (f->env.calls);
  toolset_unref (f->set);
  catalog_free (f->env.catalog);
  ev_loop_destroy (f->env.loop);
}

typedef void handler (struct rest_asks *asks, struct http_exchange *x, struct slice id);

/* The id of the ask, as its list tells it. */
static struct slice
id_of (struct fixture *f, char room[64])
{
  struct fake_answer a = { 0 };
  const char *at;

  fake_http_request (&a, &mine, "GET", "/v1/asks", "", NULL);
  rest_asks_list (&f->asks, a.x);
  at = strstr (fake_http_body (&a), "\"id\":\"");
  CU_ASSERT_PTR_NOT_NULL_FATAL (at);
  snprintf (room, 64, "%.*s", (int) strcspn (at + 6, "\""), at + 6);
  fake_answer_free (&a);
  return (struct slice){ room, strlen (room) };
}

static void
expect (struct fixture *f, handler *handle, const struct front_peer *peer, struct slice id,
        const char *body, int status, const char *part)
{
  struct fake_answer a = { 0 };

  fake_http_request (&a, peer, "POST", "/v1/asks/x", JSON_TYPE, body);
  handle (&f->asks, a.x, id);
  CU_ASSERT_EQUAL (a.status, status);
  CU_ASSERT_PTR_NOT_NULL (strstr (fake_http_body (&a), part));
  fake_answer_free (&a);
}

static void
test_whose (void)
{
  struct fixture f;
  char room[64];
  struct slice id;

  setup (&f);
  id = id_of (&f, room);
  expect (&f, rest_ask_get, &others, id, NULL, 404, "ask_not_found");
  expect (&f, rest_ask_post, &others, id, "{\"decline\":true}", 404, "ask_not_found");
  expect (&f, rest_ask_delete, &others, id, NULL, 404, "ask_not_found");
  expect (&f, rest_ask_get, &mine, id, NULL, 200, "\"roots/list\"");
  expect (&f, rest_ask_get, &fake_manager, id, NULL, 200, "\"principal\":\"uid:7\"");
  expect (&f, rest_ask_delete, &mine, id, NULL, 204, "");
  expect (&f, rest_ask_get, &mine, id, NULL, 404, "ask_not_found");
  teardown (&f);
}

static void
test_time (void)
{
  struct fixture f;
  char room[64];
  struct slice id;
  double now;

  setup (&f);
  now = ev_now (f.env.loop);
  id = id_of (&f, room);
  rest_asks_expire (&f.asks, now + 59);
  expect (&f, rest_ask_get, &mine, id, NULL, 200, "\"state\":\"open\"");
  rest_asks_expire (&f.asks, now + 61);
  expect (&f, rest_ask_get, &mine, id, NULL, 404, "ask_not_found");
  CU_ASSERT_EQUAL (f.asks.count, 0);
  teardown (&f);
}

/* What runs has its own deadline; its result is kept from when it is there. */
static void
test_running_does_not_expire (void)
{
  struct fixture f;
  struct fake_answer a = { 0 };
  char room[64];
  struct slice id;
  double now;

  setup (&f);
  now = ev_now (f.env.loop);
  id = id_of (&f, room);
  fake_http_request (&a, &mine, "POST", "/v1/asks/x", JSON_TYPE, "{\"decline\":true}");
  rest_ask_post (&f.asks, a.x, id);
  CU_ASSERT_TRUE (unit_was_told (&f.unit, "{}", "{\"r\":{\"is\":\"declined\"}}", ""));
  rest_asks_expire (&f.asks, now + 61);
  expect (&f, rest_ask_post, &mine, id, "{\"decline\":true}", 409, "ask_answered");
  fake_http_lose (&a); /* who answered does not wait */
  unit_works (&f.unit);
  expect (&f, rest_ask_get, &mine, id, NULL, 200, "\"result\":{\"call_id\":\"c1\",\"ok\":true");
  rest_asks_expire (&f.asks, now + 121);
  expect (&f, rest_ask_get, &mine, id, NULL, 404, "ask_not_found");
  fake_answer_free (&a);
  teardown (&f);
}

static void
test_given_up (void)
{
  struct fixture f;
  struct fake_answer a = { 0 }, b = { 0 };
  char room[64];
  struct slice id;

  setup (&f);
  id = id_of (&f, room);
  fake_http_request (&a, &mine, "POST", "/v1/asks/x", JSON_TYPE, "{\"decline\":true}");
  rest_ask_post (&f.asks, a.x, id);
  expect (&f, rest_ask_delete, &mine, id, NULL, 204, "");
  CU_ASSERT_EQUAL (a.status, 499);
  CU_ASSERT_PTR_NULL (f.unit.job);
  make_ask (&f);
  id = id_of (&f, room);
  fake_http_request (&b, &mine, "POST", "/v1/asks/x", JSON_TYPE, "{\"decline\":true}");
  rest_ask_post (&f.asks, b.x, id);
  teardown (&f); /* the daemon stops */
  CU_ASSERT_EQUAL (b.status, 503);
  fake_answer_free (&a);
  fake_answer_free (&b);
}

static void
test_room (void)
{
  struct fixture f;

  setup (&f);
  make_ask (&f);
  CU_ASSERT_PTR_NOT_NULL (f.ask);
  make_ask (&f);
  CU_ASSERT_PTR_NULL (f.ask);
  CU_ASSERT_EQUAL (f.asks.count, 2);
  teardown (&f);
}

static CU_TestInfo tests[] = {
  { "whose they are", test_whose },
  { "time", test_time },
  { "what runs does not expire", test_running_does_not_expire },
  { "given up", test_given_up },
  { "room", test_room },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = {
  { "asks", NULL, NULL, NULL, NULL, tests },
  CU_SUITE_INFO_NULL,
};

TAP_MAIN (suites)
