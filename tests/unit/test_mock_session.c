/* A tool in a session, under the mock host: what it says to the user, and which rules it can break.
 */
#include <toolhost-mock.h>

#include "base/buf.h"
#include "tap.h"

static const char *
definition (void *self)
{
  (void) self;
  return TOOLHOST_JSON (
    { "name" : "do", "description" : "Does it.", "inputSchema" : { "type" : "object" } });
}

static toolhost_status validated; /* what toolhost_emit said in validate */

static toolhost_status
validate (void *self, toolhost_call *call)
{
  (void) self;
  validated = toolhost_emit (call, "{\"type\":\"say\"}");
  return TOOLHOST_OK;
}

static toolhost_status (*work) (toolhost_call *call); /* of the test */

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  return work (call);
}

static const toolhost_tool tool = { TOOLHOST_TOOL, .definition = definition, .validate = validate,
                                    .execute = execute };

TOOLHOST_PLUGIN (.name = "doer", .version = "1.0", .threads = TOOLHOST_PARALLEL,
                 TOOLHOST_TOOLS (&tool))

static toolhost_mock *mock;

static int
set_up (void)
{
  mock = toolhost_mock_new (toolhost_plugin_entry, NULL);
  return mock == NULL;
}

static int
tear_down (void)
{
  toolhost_mock_free (mock);
  return 0;
}

static toolhost_mock_result *
run (bool in_session, toolhost_status (*what) (toolhost_call *call))
{
  work = what;
  toolhost_mock_set_in_session (mock, in_session);
  return toolhost_mock_call (mock, "do", "{}");
}

/* ---- events ---- */

static toolhost_status
say_twice (toolhost_call *call)
{
  CU_ASSERT_EQUAL (toolhost_emit (call, "{\"type\":\"say\",\n \"text\":\"\\u00e4\"}"), TOOLHOST_OK);
  CU_ASSERT_EQUAL (toolhost_emit (call, "{\"type\":\"end_call\"}"), TOOLHOST_OK);
  return TOOLHOST_OK;
}

static void
test_events (void)
{
  toolhost_mock_result *r = run (true, say_twice);

  CU_ASSERT_EQUAL (r->status, TOOLHOST_OK);
  CU_ASSERT_STRING_EQUAL (r->content, "[]");
  CU_ASSERT_STRING_EQUAL (r->emitted,
                          "{\"type\":\"say\",  \"text\":\"\\u00e4\"}\n{\"type\":\"end_call\"}\n");
  CU_ASSERT_EQUAL (validated, TOOLHOST_BAD_VALUE);
  toolhost_mock_result_free (r);
}

static toolhost_status
say_in_vain (toolhost_call *call)
{
  CU_ASSERT_EQUAL (toolhost_emit (call, "{\"type\":\"say\"}"), TOOLHOST_NOT_GRANTED);
  return TOOLHOST_OK;
}

static void
test_no_session (void)
{
  toolhost_mock_result *r = run (false, say_in_vain);

  CU_ASSERT_STRING_EQUAL (r->emitted, "");
  toolhost_mock_result_free (r);
}

static toolhost_status
say_badly (toolhost_call *call)
{
  static const char *const bad[] = { "",
                                     "{",
                                     "[]",
                                     "\"say\"",
                                     "{}",
                                     "{\"type\":1}",
                                     "{\"type\":\"\"}",
                                     "{\"type\":\"a\",\"type\":\"b\"}",
                                     "{\"type\":\"\xff\"}",
                                     "{\"type\":\"say\"} x" };

  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    CU_ASSERT_EQUAL (toolhost_emit (call, bad[i]), TOOLHOST_BAD_VALUE);
  return TOOLHOST_OK;
}

static void
test_no_events (void)
{
  toolhost_mock_result *r = run (true, say_badly);

  CU_ASSERT_STRING_EQUAL (r->emitted, "");
  toolhost_mock_result_free (r);
}

/* An event of this many bytes. */
static void
make_event (struct buf *event, size_t len)
{
  static const char head[] = "{\"type\":\"say\",\"text\":\"", tail[] = "\"}";

  buf_puts (event, head);
  for (size_t i = sizeof head + sizeof tail - 2; i < len; i++)
    buf_putc (event, 'x');
  buf_puts (event, tail);
  (void) buf_cstr (event);
}

static toolhost_status
say_too_much (toolhost_call *call)
{
  CLEANUP_BUF struct buf largest = { 0 };
  CLEANUP_BUF struct buf larger = { 0 };

  make_event (&largest, TOOLHOST_EMIT_MAX);
  make_event (&larger, TOOLHOST_EMIT_MAX + 1);
  CU_ASSERT_EQUAL (toolhost_emit (call, larger.data), TOOLHOST_BAD_VALUE);
  for (int i = 0; i < TOOLHOST_EMITS_MAX / TOOLHOST_EMIT_MAX; i++)
    CU_ASSERT_EQUAL (toolhost_emit (call, largest.data), TOOLHOST_OK);
  CU_ASSERT_EQUAL (toolhost_emit (call, "{\"type\":\"a\"}"), TOOLHOST_CANCELLED);
  return TOOLHOST_OK;
}

static void
test_bounds (void)
{
  toolhost_mock_result *r = run (true, say_too_much);

  CU_ASSERT_EQUAL (strlen (r->emitted),
                   TOOLHOST_EMITS_MAX + TOOLHOST_EMITS_MAX / TOOLHOST_EMIT_MAX);
  toolhost_mock_result_free (r);
}

static toolhost_status
say_late (toolhost_call *call)
{
  CU_ASSERT_TRUE (toolhost_cancelled (call));
  CU_ASSERT_EQUAL (toolhost_emit (call, "{\"type\":\"say\"}"), TOOLHOST_CANCELLED);
  return TOOLHOST_OK;
}

static void
test_cancelled (void)
{
  toolhost_mock_cancel_after (mock, 1);
  toolhost_mock_result_free (run (true, say_late));
}

static toolhost_status
say_then_ask (toolhost_call *call)
{
  CU_ASSERT_EQUAL (toolhost_emit (call, "{\"type\":\"say\"}"), TOOLHOST_OK);
  CU_ASSERT_EQUAL (toolhost_ask (call, "k", "roots", "{}", NULL, NULL), TOOLHOST_UNASKABLE);
  return TOOLHOST_ASKED;
}

static void
test_asks_too_late (void)
{
  toolhost_mock_result *r = run (true, say_then_ask);

  CU_ASSERT_EQUAL (r->status, TOOLHOST_FAILED);
  CU_ASSERT_STRING_EQUAL (
    r->message, "asked after toolhost_emit: what was said can't be taken back, ask first");
  toolhost_mock_result_free (r);
}

static CU_TestInfo events[] = {
  { "events for the user", test_events },
  { "no session, no user", test_no_session },
  { "what is no event", test_no_events },
  { "how much may be said", test_bounds },
  { "who is cancelled says nothing more", test_cancelled },
  { "who has spoken does not ask", test_asks_too_late },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = {
  { "mock events", set_up, tear_down, NULL, NULL, events },
  CU_SUITE_INFO_NULL,
};

TAP_MAIN (suites)
