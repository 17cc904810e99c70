/* Event streams of sessions: numbered, kept, resumed; batches; signs of life. */
#include "front/mcp/batch.h"
#include "mcp_rig.h"
#include "tap.h"

#define CALL(id) MESSAGE (id, "tools/call", "{\"name\":\"later\",\"_meta\":{\"progressToken\":7}}")
#define PROGRESS(event, done)                                                                      \
  "id: " event "\n" EVENT ("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\","           \
                           "\"params\":{\"progressToken\":7,\"progress\":" done "}}")
#define RESULT(id)                                                                                 \
  "{\"jsonrpc\":\"2.0\",\"id\":" id                                                                \
  ",\"result\":{\"content\":[],\"isError\":false,\"_meta\":{" USAGE "}}}"
#define DONE(event, id) "id: " event "\n" EVENT (RESULT (id))
#define CHANGED(event)                                                                             \
  "id: " event "\n" EVENT (                                                                        \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\",\"params\":{}}")
#define NOT_KEPT                                                                                   \
  "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32000,\"message\":\"Last-Event-ID: what followed "    \
  "this event is not kept (any more)\"}}"

static const char *const one_tool[] = { "one", NULL }, *const two_tools[] = { "one", "two", NULL };

static void
get (struct mcp_rig *f, struct fake_answer *a, const char *last)
{
  char more[64] = "";

  if (last != NULL)
    snprintf (more, sizeof more, "last-event-id: %s\n", last);
  rig_send_as (f, a, &fake_anonymous, "GET", rig_in_session (f, more), NULL);
}

/* A GET that is answered at once. */
static void
expect_get (struct mcp_rig *f, const char *last, int status, const char *body)
{
  struct fake_answer a;

  get (f, &a, last);
  CU_ASSERT_EQUAL (a.status, status);
  CU_ASSERT (fake_http_ended (&a));
  rig_check_body (&a, body);
  fake_answer_free (&a);
}

/* ---- resuming ---- */

static void
test_resume (void)
{
  struct mcp_rig f;
  struct fake_answer a, b;

  rig_setup (&f);
  rig_open_session (&f);
  rig_post (&f, &a, rig_in_session (&f, ""), CALL ("8"));
  fake_progress (&f.fake.calls, 0, 1, 0, "");
  fake_progress (&f.fake.calls, 0, 2, 0, "");
  rig_check_body (&a, PRIMED ("1-0") PROGRESS ("1-1", "1") PROGRESS ("1-2", "2"));
  fake_http_lose (&a);
  fake_progress (&f.fake.calls, 0, 3, 0, "");
  get (&f, &b, "1-1"); /* the connection lost the second on its way */
  rig_check_body (&b, PROGRESS ("1-2", "2") PROGRESS ("1-3", "3"));
  CU_ASSERT_FALSE (fake_http_ended (&b));
  fake_done (&f.fake.calls, 0, fake_result ("[]", NULL));
  CU_ASSERT (fake_http_ended (&b));
  rig_check_body (&b, PROGRESS ("1-2", "2") PROGRESS ("1-3", "3") DONE ("1-4", "8"));
  fake_answer_free (&a);
  fake_answer_free (&b);
  /* It has ended, and its end can still be had. */
  expect_get (&f, "1-3", 200, DONE ("1-4", "8"));
  expect_get (&f, "1-4", 200, "");
  rig_teardown (&f);
}

static void
test_resume_what_is_still_connected (void)
{
  struct mcp_rig f;
  struct fake_answer a, b;

  rig_setup (&f);
  rig_open_session (&f);
  rig_post (&f, &a, rig_in_session (&f, ""), CALL ("8"));
  fake_progress (&f.fake.calls, 0, 1, 0, "");
  get (&f, &b, "1-0"); /* the daemon has not noticed yet that the first one is dead */
  CU_ASSERT (fake_http_ended (&a));
  rig_check_body (&b, PROGRESS ("1-1", "1"));
  fake_done (&f.fake.calls, 0, fake_result ("[]", NULL));
  rig_check_body (&b, PROGRESS ("1-1", "1") DONE ("1-2", "8"));
  fake_answer_free (&a);
  fake_answer_free (&b);
  rig_teardown (&f);
}

static void
test_nothing_to_resume (void)
{
  static const char *const ids[] = { "1-2", "2-0", "x",    "1", "-",
                                     "1-",  "-1",  "1-0x", " ", "99999999999999999999-0" };
  struct mcp_rig f;
  struct fake_answer a;

  rig_setup (&f);
  rig_open_session (&f);
  rig_post (&f, &a, rig_in_session (&f, ""), CALL ("8"));
  expect_get (&f, "1-0", 400, NOT_KEPT); /* it is no event stream yet */
  fake_progress (&f.fake.calls, 0, 1, 0, "");
  for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
    expect_get (&f, ids[i], 400, NOT_KEPT);
  CU_ASSERT_FALSE (fake_http_ended (&a)); /* none of them did it harm */
  fake_answer_free (&a);
  rig_open_session (&f); /* the events are another session's */
  expect_get (&f, "1-0", 400, NOT_KEPT);
  rig_teardown (&f);
}

static void
test_cancelled_is_not_resumed (void)
{
  struct mcp_rig f;
  struct fake_answer a;

  rig_setup (&f);
  rig_open_session (&f);
  rig_post (&f, &a, rig_in_session (&f, ""), CALL ("8"));
  fake_progress (&f.fake.calls, 0, 1, 0, "");
  rig_expect (&f, rig_in_session (&f, ""),
              "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
              "\"requestId\":8}}",
              202, "");
  CU_ASSERT (fake_http_ended (&a));
  fake_answer_free (&a);
  expect_get (&f, "1-0", 400, NOT_KEPT);
  rig_teardown (&f);
}

static void
test_standalone_resumes (void)
{
  struct mcp_rig f;
  struct fake_answer a;

  rig_setup (&f);
  rig_open_session (&f);
  get (&f, &a, NULL);
  fake_env_tools (&f.fake, one_tool);
  rig_check_body (&a, PRIMED ("0-0") CHANGED ("0-1"));
  fake_http_lose (&a);
  fake_answer_free (&a);
  fake_env_tools (&f.fake, two_tools);
  get (&f, &a, "0-1");
  rig_check_body (&a, CHANGED ("0-2"));
  fake_http_lose (&a);
  fake_answer_free (&a);
  get (&f, &a, NULL); /* it has heard all */
  rig_check_body (&a, PRIMED ("0-2"));
  fake_http_lose (&a);
  fake_answer_free (&a);
  fake_env_tools (&f.fake, one_tool);
  get (&f, &a, NULL); /* one that does not resume is told anew */
  rig_check_body (&a, PRIMED ("0-3") CHANGED ("0-4"));
  fake_http_lose (&a);
  fake_answer_free (&a);
  get (&f, &a, "0-99"); /* nothing of ours: a new stream serves as well */
  rig_check_body (&a, PRIMED ("0-4"));
  fake_answer_free (&a);
  rig_teardown (&f);
}

static void
test_no_priming_for_older_clients (void)
{
  struct mcp_rig f;
  struct fake_answer a;

  rig_setup (&f);
  rig_open_session_of (&f, "2025-06-18");
  rig_post (&f, &a, rig_in_session (&f, ""), CALL ("8"));
  fake_progress (&f.fake.calls, 0, 1, 0, "");
  rig_check_body (&a, PROGRESS ("1-1", "1"));
  fake_answer_free (&a);
  get (&f, &a, NULL);
  rig_check_body (&a, ": keep-alive\n\n");
  fake_answer_free (&a);
  rig_teardown (&f);
}

/* ---- what is kept ---- */

static bool
join (void *ctx, const char *event, size_t len)
{
  buf_append (ctx, event, len);
  return true;
}

static void
check_kept (const struct replay *r, uint64_t stream, uint64_t number, const char *expected)
{
  CLEANUP_BUF struct buf all = { 0 };

  replay_each (r, stream, number, join, &all);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&all), expected);
  CU_ASSERT_EQUAL (replay_count (r, stream, number), strlen (expected));
}

static void
test_replay (void)
{
  struct replay_budget budget = { .max = 1000 };
  struct replay a = { .budget = &budget, .max = 300 }, b = { .budget = &budget, .max = 10000 };
  char large[400] = { 0 };

  replay_keep (&a, 1, 1, false, 10, "a", 1);
  replay_keep (&a, 2, 1, false, 11, "b", 1);
  replay_keep (&a, 1, 2, true, 12, "c", 1);
  check_kept (&a, 1, 0, "ac");
  check_kept (&a, 1, 1, "c");
  check_kept (&a, 2, 0, "b");
  check_kept (&a, 3, 0, "");
  CU_ASSERT_EQUAL (replay_end (&a, 1), 2);
  CU_ASSERT_EQUAL (replay_end (&a, 2), 0);
  replay_keep (&a, 1, 3, false, 13, large, sizeof large); /* never fits: nothing goes for it */
  check_kept (&a, 1, 0, "ac");
  replay_keep (&a, 1, 3, false, 13, large, 150); /* fits when the oldest go */
  CU_ASSERT_EQUAL (replay_count (&a, 1, 0), 2);
  replay_expire (&a, 13);
  check_kept (&a, 2, 0, "");
  CU_ASSERT_EQUAL (replay_count (&a, 1, 0), 1);
  for (uint64_t i = 1; i < 10; i++)
    replay_keep (&b, 1, i, false, 14, large, 100);
  CU_ASSERT (budget.used <= budget.max); /* b makes room among its own only */
  CU_ASSERT_EQUAL (replay_count (&a, 1, 0), 1);
  CU_ASSERT_EQUAL (replay_count (&b, 1, 8), 1);
  replay_free (&a);
  replay_free (&b);
  CU_ASSERT_EQUAL (budget.used, 0);
}

/* ---- signs of life ---- */

static void
test_tick (void)
{
  struct mcp_rig f;
  struct fake_answer a, b, c;

  rig_setup (&f);
  rig_open_session (&f);
  rig_post (&f, &a, rig_in_session (&f, ""), CALL ("8"));
  rig_post (&f, &b, MODERN ("tools/call") "mcp-name: later\n",
            MESSAGE ("9", "tools/call", "{\"name\":\"later\"," META "}"));
  rig_post (&f, &c,
            JSON_TYPE "accept: application/json\n" V "mcp-method: tools/call\n"
                      "mcp-name: later\n",
            MESSAGE ("9", "tools/call", "{\"name\":\"later\"," META "}"));
  mcp_http_tick (f.mcp, 1);
  CU_ASSERT_FALSE (a.streaming); /* it has been there for less than a tick */
  mcp_http_tick (f.mcp, 2);
  rig_check_body (&a, PRIMED ("1-0")); /* from now on it can be resumed */
  CU_ASSERT (b.streaming);
  mcp_http_tick (f.mcp, 3);
  rig_check_body (&a, PRIMED ("1-0") ": keep-alive\n\n");
  rig_check_body (&b, ": keep-alive\n\n");
  CU_ASSERT_FALSE (c.streaming);
  fake_http_lose (&a);
  mcp_http_tick (f.mcp, 4);
  fake_done (&f.fake.calls, 0, fake_result ("[]", NULL));
  expect_get (&f, "1-0", 200, DONE ("1-1", "8"));
  mcp_http_tick (f.mcp, ev_now (f.fake.env.loop) + 301);
  expect_get (&f, "1-0", 400, NOT_KEPT);
  fake_answer_free (&a);
  fake_answer_free (&b);
  fake_answer_free (&c);
  rig_teardown (&f);
}

/* ---- batches ---- */

#define PING(id) MESSAGE (id, "ping", "{}")
#define PONG(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{}}"
#define REFUSED(what)                                                                              \
  "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":\"Invalid Request: " what "\"}}"
#define INITIALIZED_NOW "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"

static void
test_batch (void)
{
  struct mcp_rig f;
  struct fake_answer a;

  rig_setup (&f);
  rig_open_session_of (&f, "2025-03-26");
  rig_expect (&f, rig_in_session (&f, ""), "[" PING ("1") "," INITIALIZED_NOW "," PING ("2") "]",
              200, "[" PONG ("1") "," PONG ("2") "]");
  rig_expect (&f, rig_in_session (&f, ""), "[" INITIALIZED_NOW "]", 202, "");
  rig_expect (&f, rig_in_session (&f, ""), "[" PING ("1") ",7," INITIALIZE ("2025-03-26") "]", 200,
              "[" PONG ("1") "," REFUSED (
                "expected an object") ",{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":{\"code\":-32600,"
                                      "\"message\":\"Invalid "
                                      "Request: initialize stands in no batch\"}}]");
  rig_post (&f, &a, rig_in_session (&f, ""), "[" PING ("1") "," CALL ("2") "," CALL ("3") "]");
  CU_ASSERT_EQUAL (a.status, 0);
  fake_done (&f.fake.calls, 1, fake_result ("[]", NULL));
  CU_ASSERT_EQUAL (a.status, 0);
  fake_done (&f.fake.calls, 0, fake_result ("[]", NULL));
  rig_check_body (&a, "[" PONG ("1") "," RESULT ("3") "," RESULT ("2") "]");
  fake_answer_free (&a);
  rig_teardown (&f);
}

static void
test_batch_becomes_a_stream (void)
{
  struct mcp_rig f;
  struct fake_answer a;

  rig_setup (&f);
  rig_open_session_of (&f, "2025-03-26");
  rig_post (&f, &a, rig_in_session (&f, ""), "[" PING ("1") "," CALL ("2") "]");
  fake_progress (&f.fake.calls, 0, 1, 0, "");
  fake_done (&f.fake.calls, 0, fake_result ("[]", NULL));
  CU_ASSERT (fake_http_ended (&a));
  rig_check_body (&a, "id: 1-1\n" EVENT (PONG ("1")) PROGRESS ("1-2", "1") DONE ("1-3", "2"));
  fake_answer_free (&a);
  rig_teardown (&f);
}

static void
test_batch_cancelled (void)
{
  struct mcp_rig f;
  struct fake_answer a;

  rig_setup (&f);
  rig_open_session_of (&f, "2025-03-26");
  rig_post (&f, &a, rig_in_session (&f, ""),
            "[" CALL ("2") ",{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
                           "\"params\":{\"requestId\":2}}]");
  CU_ASSERT_EQUAL (f.fake.calls.abandoned, 1);
  CU_ASSERT_EQUAL (a.status, 202);
  fake_answer_free (&a);
  rig_teardown (&f);
}

static void
test_batch_refused (void)
{
  struct mcp_rig f;
  CLEANUP_BUF struct buf many = { 0 };

  rig_setup (&f);
  rig_open_session (&f);
  rig_expect (&f, rig_in_session (&f, ""), "[" PING ("1") "]", 400,
              REFUSED ("expected one message, got a batch"));
  rig_open_session_of (&f, "2025-03-26");
  rig_expect (&f, rig_in_session (&f, ""), "[]", 400, REFUSED ("the batch is empty"));
  rig_expect (&f, rig_in_session (&f, ""),
              "[" PING ("1") "," MESSAGE ("1", "tools/list", "{" META "}") "]", 400,
              REFUSED ("a message of 2026-07-28 stands in no batch"));
  for (int i = 0; i <= MCP_BATCH_MAX; i++)
    buf_puts (&many, i == 0 ? "[1" : ",1");
  buf_putc (&many, ']');
  rig_expect (&f, rig_in_session (&f, ""), buf_cstr (&many), 400,
              REFUSED ("the batch has more than 100 messages"));
  rig_teardown (&f);
}

static CU_TestInfo resuming[] = {
  { "a stream goes on where it was cut off", test_resume },
  { "the newest connection has it", test_resume_what_is_still_connected },
  { "there is nothing to resume", test_nothing_to_resume },
  { "what was cancelled is over", test_cancelled_is_not_resumed },
  { "the stream of GET", test_standalone_resumes },
  { "older clients see no event without data", test_no_priming_for_older_clients },
  { "what is kept is bounded", test_replay },
  { "signs of life", test_tick },
  CU_TEST_INFO_NULL,
};

static CU_TestInfo batches[] = {
  { "one document with all answers", test_batch },
  { "what comes before the answers makes it a stream", test_batch_becomes_a_stream },
  { "nothing is left to answer", test_batch_cancelled },
  { "refused as a whole", test_batch_refused },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = {
  { "mcp streams", NULL, NULL, NULL, NULL, resuming },
  { "mcp batches", NULL, NULL, NULL, NULL, batches },
  CU_SUITE_INFO_NULL,
};

TAP_MAIN (suites)
