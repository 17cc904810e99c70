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

/* ---- the context, and who goes on ---- */

static toolhost_status wanted; /* how the next call ends */

static toolhost_status
use_context (toolhost_call *call)
{
  const char *json;
  size_t len;
  bool set = false;

  CU_ASSERT_EQUAL (toolhost_context_get (call, "user.name", &json, &len), TOOLHOST_OK);
  CU_ASSERT_STRING_EQUAL (json, "\"Ann\"");
  CU_ASSERT_EQUAL (len, 5);
  CU_ASSERT_EQUAL (toolhost_context_get (call, "workflow.step", &json, &len), TOOLHOST_NOT_FOUND);
  CU_ASSERT_PTR_NULL (json);
  CU_ASSERT_EQUAL (toolhost_context_set (call, "workflow.step", " 2"), TOOLHOST_OK);
  CU_ASSERT_EQUAL (toolhost_context_get (call, "workflow.step", &json, NULL), TOOLHOST_OK);
  CU_ASSERT_STRING_EQUAL (json, "2");
  CU_ASSERT_EQUAL (toolhost_context_append (call, "history", "{\"a\":1}"), TOOLHOST_OK);
  CU_ASSERT_EQUAL (toolhost_context_append (call, "history", "2"), TOOLHOST_OK);
  CU_ASSERT_EQUAL (toolhost_context_get (call, "history", &json, NULL), TOOLHOST_OK);
  CU_ASSERT_STRING_EQUAL (json, "[{\"a\":1},2]");
  CU_ASSERT_EQUAL (toolhost_flag_get (call, "vip", &set), TOOLHOST_OK);
  CU_ASSERT_TRUE (set);
  CU_ASSERT_EQUAL (toolhost_flag_clear (call, "vip"), TOOLHOST_OK);
  CU_ASSERT_EQUAL (toolhost_flag_get (call, "vip", &set), TOOLHOST_OK);
  CU_ASSERT_FALSE (set);
  CU_ASSERT_EQUAL (toolhost_flag_set (call, "a.b"), TOOLHOST_OK);
  CU_ASSERT_EQUAL (toolhost_handoff (call, "{\"tool\":\"sales\"}"), TOOLHOST_OK);
  return wanted;
}

static toolhost_status
find_it_changed (toolhost_call *call)
{
  const char *json;

  CU_ASSERT_EQUAL (toolhost_context_get (call, "workflow.step", &json, NULL), TOOLHOST_OK);
  CU_ASSERT_STRING_EQUAL (json, "2");
  return TOOLHOST_OK;
}

static void
test_context (void)
{
  toolhost_mock_result *r;

  toolhost_mock_set_context (mock, "user.name", "\"Ann\"");
  toolhost_mock_set_context (mock, "flags.vip", "true");
  wanted = TOOLHOST_FAILED;
  r = run (true, use_context);
  CU_ASSERT_STRING_EQUAL (r->changes, "");
  toolhost_mock_result_free (r);
  wanted = TOOLHOST_OK;
  r = run (true, use_context); /* it finds everything as it was */
  CU_ASSERT_STRING_EQUAL (r->changes, "set workflow.step 2\nappend history {\"a\":1}\n"
                                      "append history 2\nflags vip false\nflags a.b true\n"
                                      "handoff {\"tool\":\"sales\"}\n");
  toolhost_mock_result_free (r);
  toolhost_mock_result_free (run (true, find_it_changed));
}

static toolhost_status
write_badly (toolhost_call *call)
{
  static const char *const denied[] = { "user.name", "tenant.x", "flags.vip",
                                        "workflow",  "agents",   "history" };
  static const char *const bad[] = { "", ".", "workflow.", ".x", "workflow..x" };
  CLEANUP_BUF struct buf large = { 0 };

  make_event (&large, 48 * 1024);
  for (size_t i = 0; i < sizeof denied / sizeof *denied; i++)
    CU_ASSERT_EQUAL (toolhost_context_set (call, denied[i], "1"), TOOLHOST_NOT_GRANTED);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    CU_ASSERT_EQUAL (toolhost_context_set (call, bad[i], "1"), TOOLHOST_BAD_VALUE);
  CU_ASSERT_EQUAL (toolhost_context_set (call, "workflow.x", "{"), TOOLHOST_BAD_VALUE);
  CU_ASSERT_EQUAL (toolhost_context_set (call, "workflow.x", ""), TOOLHOST_BAD_VALUE);
  CU_ASSERT_EQUAL (toolhost_context_set (call, "workflow.\xff", "1"), TOOLHOST_BAD_VALUE);
  CU_ASSERT_EQUAL (toolhost_context_set (call, "workflow.x", large.data), TOOLHOST_BAD_VALUE);
  CU_ASSERT_EQUAL (toolhost_context_set (call, "workflow.x", "1"), TOOLHOST_OK);
  CU_ASSERT_EQUAL (toolhost_context_set (call, "workflow.\"\\", "1"), TOOLHOST_OK);
  CU_ASSERT_EQUAL (toolhost_context_append (call, "workflow.x", "1"), TOOLHOST_BAD_VALUE);
  CU_ASSERT_EQUAL (toolhost_flag_set (call, ""), TOOLHOST_BAD_VALUE);
  CU_ASSERT_EQUAL (toolhost_handoff (call, "[]"), TOOLHOST_BAD_VALUE);
  CU_ASSERT_EQUAL (toolhost_handoff (call, "{\"tool\":1}"), TOOLHOST_BAD_VALUE);
  CU_ASSERT_EQUAL (toolhost_handoff (call, "{\"to\":\"x\"}"), TOOLHOST_BAD_VALUE);
  return TOOLHOST_OK;
}

static void
test_bad_writes (void)
{
  toolhost_mock_result *r = run (true, write_badly);

  CU_ASSERT_EQUAL (r->status, TOOLHOST_OK);
  CU_ASSERT_STRING_EQUAL (r->changes, "set workflow.x 1\nset workflow.\"\\ 1\n");
  toolhost_mock_result_free (r);
}

static toolhost_status
change_it (toolhost_call *call)
{
  static const char *const wrong[] = { "", "[]", "{\"set\":{\"workflow.y\":1,\"user.name\":2}}",
                                       "{\"set\":{\"workflow.y\":1},\"append\":{\"workflow.y\":2}}",
                                       "{\"flags\":{\"\":true}}" };
  const char *json;

  CU_ASSERT_EQUAL (toolhost_context_set (call, "workflow.before", "1"), TOOLHOST_OK);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    CU_ASSERT_NOT_EQUAL (toolhost_context_change (call, wrong[i]), TOOLHOST_OK);
  CU_ASSERT_EQUAL (toolhost_context_get (call, "workflow.y", &json, NULL), TOOLHOST_NOT_FOUND);
  CU_ASSERT_EQUAL (toolhost_context_change (call, "{\"flags\":{\"vip\":false,\"new\":true},"
                                                  "\"set\":{\"workflow.y\":[1]},"
                                                  "\"append\":{\"workflow.y\":2}}"),
                   TOOLHOST_OK);
  CU_ASSERT_EQUAL (toolhost_context_get (call, "workflow.y", &json, NULL), TOOLHOST_OK);
  CU_ASSERT_STRING_EQUAL (json, "[1,2]");
  CU_ASSERT_EQUAL (toolhost_context_set (call, "workflow.after", "1"), TOOLHOST_OK);
  return wanted;
}

static toolhost_status
find_what_stayed (toolhost_call *call)
{
  const char *json;

  CU_ASSERT_EQUAL (toolhost_context_get (call, "workflow.y", &json, NULL), TOOLHOST_OK);
  CU_ASSERT_EQUAL (toolhost_context_get (call, "workflow.before", &json, NULL), TOOLHOST_OK);
  CU_ASSERT_EQUAL (toolhost_context_get (call, "workflow.after", &json, NULL), TOOLHOST_NOT_FOUND);
  return TOOLHOST_OK;
}

static void
test_change (void)
{
  toolhost_mock_result *r;

  wanted = TOOLHOST_FAILED;
  r = run (true, change_it);
  CU_ASSERT_EQUAL (r->status, TOOLHOST_FAILED);
  CU_ASSERT_STRING_EQUAL (r->changes, "set workflow.before 1\nset workflow.y [1]\n"
                                      "append workflow.y 2\nflags vip false\nflags new true\n");
  toolhost_mock_result_free (r);
  toolhost_mock_result_free (run (true, find_what_stayed));
}

static toolhost_status
change_and_ask (toolhost_call *call)
{
  CU_ASSERT_EQUAL (toolhost_context_change (call, "{\"set\":{\"workflow.x\":1}}"), TOOLHOST_OK);
  (void) toolhost_ask (call, "k", "form", "{}", NULL, NULL);
  return TOOLHOST_ASKED;
}

static void
test_change_and_ask (void)
{
  toolhost_mock_result *r = run (true, change_and_ask);

  CU_ASSERT_EQUAL (r->status, TOOLHOST_FAILED);
  CU_ASSERT_PTR_NOT_NULL (strstr (r->message, "toolhost_context_change"));
  toolhost_mock_result_free (r);
}

static CU_TestInfo context[] = {
  { "what it reads and writes", test_context },
  { "what can't be written", test_bad_writes },
  { "A2-8 A2-15 a change is whole, and stays", test_change },
  { "who has changed the context for good does not ask", test_change_and_ask },
  CU_TEST_INFO_NULL,
};

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
  { "mock context", set_up, tear_down, NULL, NULL, context },
  CU_SUITE_INFO_NULL,
};

TAP_MAIN (suites)
