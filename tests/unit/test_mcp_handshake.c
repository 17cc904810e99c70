/* MCP as it was before 2026-07-28: the handshake, and the sessions that it makes. */
#include "front/mcp/sessions.h"
#include "mcp_rig.h"
#include "tap.h"

/* ---- the handshake ---- */

static void
test_handshake_versions (void)
{
  struct mcp_rig f;

  rig_setup (&f);
  rig_expect (&f, JSON_TYPE BOTH, INITIALIZE ("2025-06-18"), 200, INITIALIZED ("2025-06-18"));
  rig_expect (&f, JSON_TYPE BOTH, INITIALIZE ("2024-11-05"), 200, INITIALIZED ("2025-11-25"));
  rig_expect (&f, JSON_TYPE BOTH, INITIALIZE ("2026-07-28"), 200, INITIALIZED ("2025-11-25"));
  rig_expect (&f, JSON_TYPE BOTH, INITIALIZE ("next"), 200, INITIALIZED ("2025-11-25"));
  rig_teardown (&f);
}

static void
test_session_methods (void)
{
  struct mcp_rig f;
  struct fake_answer a;

  rig_setup (&f);
  rig_open_session (&f);
  rig_expect (&f, rig_in_session (&f, ""), MESSAGE ("5", "ping", "{}"), 200,
              "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{}}");
  rig_expect (&f, rig_in_session (&f, "mcp-protocol-version: 2025-06-18\n"),
              MESSAGE ("5", "tools/list", "{\"cursor\":\"ZWNobw\"}"), 200,
              "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{\"tools\":[{\"name\":\"later\"}]}}");
  rig_expect (
    &f, rig_in_session (&f, ""), MESSAGE ("5", "server/discover", "{}"), 200,
    "{\"jsonrpc\":\"2.0\",\"id\":5,\"error\":{\"code\":-32601,\"message\":\"Method not found: "
    "server/discover\"}}");
  rig_expect (&f, rig_in_session (&f, ""), "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{}}", 202, "");
  rig_post (&f, &a, rig_in_session (&f, "mcp-protocol-version: 2024-11-05\n"),
            MESSAGE ("5", "tools/list", "{}"));
  CU_ASSERT_EQUAL (a.status, 400);
  CU_ASSERT (rig_has (fake_http_body (&a), "MCP-Protocol-Version: expected one of 2026-07-28, "));
  fake_answer_free (&a);
  rig_send_as (&f, &a, &fake_manager, "POST", rig_in_session (&f, ""), MESSAGE ("5", "ping", "{}"));
  CU_ASSERT_EQUAL (a.status, 404); /* a session is its principal's */
  fake_answer_free (&a);
  rig_teardown (&f);
}

#define LEGACY_CALL(id, name) MESSAGE (id, "tools/call", "{\"name\":\"" name "\"}")
#define LEGACY_DONE                                                                                \
  "{\"jsonrpc\":\"2.0\",\"id\":8,\"result\":{\"content\":[],\"isError\":false,\"_meta\":{" USAGE   \
  "}}}"

static void
test_session_calls (void)
{
  struct mcp_rig f;

  rig_setup (&f);
  rig_open_session (&f);
  f.fake.calls.canned = fake_result ("[]", "[1]");
  rig_expect (
    &f, rig_in_session (&f, ""), LEGACY_CALL ("8", "canned"), 200,
    "{\"jsonrpc\":\"2.0\",\"id\":8,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"[1]\"}"
    "],\"isError\":false,\"_meta\":{" USAGE "}}}");
  f.fake.calls.canned = fake_result ("[]", "{\"a\":1}");
  rig_expect (
    &f, rig_in_session (&f, ""), LEGACY_CALL ("8", "canned"), 200,
    "{\"jsonrpc\":\"2.0\",\"id\":8,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"{"
    "\\\"a\\\":1}\"}],\"structuredContent\":{\"a\":1},\"isError\":false,\"_meta\":{" USAGE "}}}");
  rig_expect (
    &f, rig_in_session (&f, ""), LEGACY_CALL ("8", "nosuch"), 200,
    "{\"jsonrpc\":\"2.0\",\"id\":8,\"error\":{\"code\":-32602,\"message\":\"Unknown tool: "
    "nosuch\"}}");
  CU_ASSERT_EQUAL (strncmp (f.fake.calls.session, "mcp-", 4), 0);
  CU_ASSERT_PTR_NULL (strstr (f.session, f.fake.calls.session + 4)); /* the id stays secret */
  rig_teardown (&f);
}

static void
test_session_progress_and_loss (void)
{
  struct mcp_rig f;
  struct fake_answer a, b;

  rig_setup (&f);
  rig_open_session (&f);
  rig_post (
    &f, &a, rig_in_session (&f, ""),
    MESSAGE ("8", "tools/call", "{\"name\":\"later\",\"_meta\":{\"progressToken\":\"p1\"}}"));
  fake_progress (&f.fake.calls, 0, 1, 0, "");
  fake_done (&f.fake.calls, 0, fake_result ("[]", NULL));
  rig_check_body (
    &a, PRIMED ("1-0") "id: 1-1\n" PROGRESSED ("\"progress\":1") "id: 1-2\n" EVENT (LEGACY_DONE));
  fake_answer_free (&a);
  rig_post (&f, &b, rig_in_session (&f, ""), LEGACY_CALL ("9", "later"));
  fake_http_lose (&b); /* the call goes on */
  CU_ASSERT_PTR_NOT_NULL (f.fake.calls.running[1]);
  fake_progress (&f.fake.calls, 1, 1, 0, "");
  fake_done (&f.fake.calls, 1, fake_result ("[]", NULL));
  CU_ASSERT_EQUAL (f.fake.calls.abandoned, 0);
  fake_answer_free (&b);
  rig_teardown (&f);
}

#define CANCELLED(id)                                                                              \
  "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":" id "}}"

static void
test_session_cancel (void)
{
  struct mcp_rig f;
  struct fake_answer a, b;

  rig_setup (&f);
  rig_open_session (&f);
  rig_post (&f, &a, rig_in_session (&f, ""), LEGACY_CALL ("\"x\"", "later"));
  rig_expect (&f, rig_in_session (&f, ""), CANCELLED ("\"y\""), 202, "");
  rig_expect (&f, rig_in_session (&f, ""),
              "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}", 202, "");
  CU_ASSERT_EQUAL (f.fake.calls.abandoned, 0);
  rig_expect (&f, rig_in_session (&f, ""), CANCELLED ("\"x\""), 202, "");
  CU_ASSERT_EQUAL (f.fake.calls.abandoned, 1);
  CU_ASSERT (fake_http_ended (&a));
  CU_ASSERT_STRING_EQUAL (a.type, "text/event-stream");
  rig_check_body (&a, "");
  fake_answer_free (&a);
  rig_post (&f, &b, rig_in_session (&f, ""), LEGACY_CALL ("7", "later"));
  rig_open_session (&f); /* another session can't cancel it */
  rig_expect (&f, rig_in_session (&f, ""), CANCELLED ("7"), 202, "");
  CU_ASSERT_EQUAL (f.fake.calls.abandoned, 1);
  fake_answer_free (&b);
  rig_teardown (&f);
}

#define LEGACY_CHANGED                                                                             \
  EVENT ("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\",\"params\":{}}")

static void
test_session_stream (void)
{
  static const char *const one[] = { "one", NULL };
  static const char *const two[] = { "one", "two", NULL };
  struct mcp_rig f;
  struct fake_answer a, b;

  rig_setup (&f);
  rig_open_session (&f);
  fake_env_tools (&f.fake, one); /* nobody listens yet: it is told when somebody does */
  rig_send_as (&f, &a, &fake_anonymous, "GET", rig_in_session (&f, ""), NULL);
  CU_ASSERT (a.streaming);
  rig_check_body (&a, PRIMED ("0-0") "id: 0-1\n" LEGACY_CHANGED);
  rig_send_as (&f, &b, &fake_anonymous, "GET", rig_in_session (&f, ""), NULL);
  CU_ASSERT_EQUAL (b.status, 409);
  fake_answer_free (&b);
  fake_http_lose (&a);
  fake_answer_free (&a);
  rig_send_as (&f, &a, &fake_anonymous, "GET", rig_in_session (&f, ""), NULL);
  fake_env_tools (&f.fake, two);
  rig_check_body (&a, PRIMED ("0-1") "id: 0-2\n" LEGACY_CHANGED);
  rig_send_as (&f, &b, &fake_anonymous, "DELETE", rig_in_session (&f, ""), NULL);
  CU_ASSERT_EQUAL (b.status, 204);
  CU_ASSERT (fake_http_ended (&a));
  fake_answer_free (&a);
  fake_answer_free (&b);
  rig_post (&f, &a, rig_in_session (&f, ""), MESSAGE ("1", "tools/list", "{}"));
  CU_ASSERT_EQUAL (a.status, 404);
  fake_answer_free (&a);
  rig_teardown (&f);
}

static void
test_session_delete_stops_calls (void)
{
  struct mcp_rig f;
  struct fake_answer a, b;

  rig_setup (&f);
  rig_open_session (&f);
  rig_post (&f, &a, rig_in_session (&f, ""), LEGACY_CALL ("1", "later"));
  rig_send_as (&f, &b, &fake_anonymous, "DELETE", rig_in_session (&f, ""), NULL);
  CU_ASSERT_EQUAL (b.status, 204);
  CU_ASSERT_EQUAL (f.fake.calls.abandoned, 1);
  CU_ASSERT (fake_http_ended (&a));
  rig_check_body (&a, "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32603,\"message\":\"The "
                      "session has ended\"}}");
  fake_answer_free (&a);
  fake_answer_free (&b);
  rig_teardown (&f);
}

/* ---- the table of sessions ---- */

static void
count_end (void *ctx, struct mcp_session *session)
{
  (void) session;
  ++*(size_t *) ctx;
}

static struct slice
id_of (const struct mcp_session *session)
{
  return (struct slice){ session->id, strlen (session->id) };
}

static void
test_sessions_expire (void)
{
  size_t ended = 0;
  struct mcp_sessions *table = mcp_sessions_new (10, 100, count_end, &ended);
  struct mcp_session *a = mcp_sessions_open (table, "p", 1000);
  struct mcp_session *b = mcp_sessions_open (table, "p", 1000);
  struct mcp_session *c = mcp_sessions_open (table, "p", 1000);

  CU_ASSERT_STRING_NOT_EQUAL (a->id, b->id);
  CU_ASSERT_PTR_EQUAL (mcp_sessions_find (table, id_of (a), "p", 1050), a);
  CU_ASSERT_PTR_NULL (mcp_sessions_find (table, id_of (a), "q", 1050));
  c->standalone.x = (struct http_exchange *) (void *) &ended;
  mcp_sessions_expire (table, 1099);
  CU_ASSERT_EQUAL (mcp_sessions_count (table), 3);
  mcp_sessions_expire (table, 1100); /* b was idle, c is not while it has a stream */
  CU_ASSERT_EQUAL (mcp_sessions_count (table), 2);
  CU_ASSERT_EQUAL (ended, 1);
  mcp_sessions_expire (table, 1150);
  CU_ASSERT_EQUAL (mcp_sessions_count (table), 1);
  CU_ASSERT_PTR_EQUAL (mcp_sessions_first (table), c);
  mcp_sessions_free (table);
  CU_ASSERT_EQUAL (ended, 3);
}

static void
test_sessions_full (void)
{
  size_t ended = 0;
  struct mcp_sessions *table = mcp_sessions_new (2, 1000, count_end, &ended);
  struct mcp_session *a = mcp_sessions_open (table, "p", 0);

  CU_ASSERT_PTR_NOT_NULL (mcp_sessions_open (table, "p", 0));
  CU_ASSERT_PTR_NULL (mcp_sessions_open (table, "p", 59));
  CU_ASSERT_PTR_NOT_NULL (mcp_sessions_find (table, id_of (a), "p", 59));
  CU_ASSERT_PTR_NOT_NULL (mcp_sessions_open (table, "p", 61)); /* in place of the idle one */
  CU_ASSERT_EQUAL (mcp_sessions_count (table), 2);
  CU_ASSERT_PTR_NOT_NULL (mcp_sessions_find (table, id_of (a), "p", 61));
  CU_ASSERT_EQUAL (ended, 1);
  mcp_sessions_free (table);
}

static void
test_session_bad_ids (void)
{
  static const char *const bad[] = { "", "x", "-1", "0123456789abcdef0123456789abcdef",
                                     "0123456789ABCDEF0123456789abcdef0" };
  size_t ended = 0;
  struct mcp_sessions *table = mcp_sessions_new (2, 1000, count_end, &ended);

  (void) mcp_sessions_open (table, "p", 0);
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    CU_ASSERT_PTR_NULL (
      mcp_sessions_find (table, (struct slice){ bad[i], strlen (bad[i]) }, "p", 0));
  CU_ASSERT_PTR_NULL (mcp_sessions_find (table, (struct slice){ NULL, 0 }, "p", 0));
  mcp_sessions_free (table);
}

static CU_TestInfo handshake[] = {
  { "versions", test_handshake_versions },
  { "methods of a session", test_session_methods },
  { "calls of a session", test_session_calls },
  { "progress, and a lost connection does not cancel", test_session_progress_and_loss },
  { "notifications/cancelled", test_session_cancel },
  { "the GET stream", test_session_stream },
  { "DELETE stops calls", test_session_delete_stops_calls },
  { "sessions expire", test_sessions_expire },
  { "a full table", test_sessions_full },
  { "ids that are none", test_session_bad_ids },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = {
  { "mcp handshake", NULL, NULL, NULL, NULL, handshake },
  CU_SUITE_INFO_NULL,
};

TAP_MAIN (suites)
