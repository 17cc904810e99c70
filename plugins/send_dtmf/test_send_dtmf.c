/* The feature "send_dtmf": items S4-11, U4-21 and T4-10 of the system it behaves like. */
#include "common/plugin_test.h"

static toolhost_mock *mock;

static int
start (void)
{
  mock = toolhost_mock_new (toolhost_plugin_entry, NULL);
  if (mock != NULL)
    toolhost_mock_set_in_session (mock, true);
  return mock == NULL || toolhost_mock_build (mock, "send_dtmf", "{}") != TOOLHOST_OK;
}

static int
stop (void)
{
  toolhost_mock_free (mock);
  return 0;
}

static void
T4_10_each_button (void)
{
  for (const char *button = "0123456789*#"; *button != '\0'; button++) {
    char args[32], event[64];
    toolhost_mock_result *r;

    (void) snprintf (args, sizeof args, "{\"button\":\"%c\"}", *button);
    (void) snprintf (event, sizeof event, "{\"type\":\"agent_send_dtmf\",\"button\":\"%c\"}\n",
                     *button);
    r = toolhost_mock_call (mock, "send_dtmf", args);
    CU_ASSERT_EQUAL (r->status, TOOLHOST_OK);
    CU_ASSERT (told ("events", args, event, r->emitted));
    CU_ASSERT_STRING_EQUAL (r->content, "[]");
    toolhost_mock_result_free (r);
  }
}

static void
U4_21_no_other_button (void)
{
  CU_ASSERT (told_part ("definition", "",
                        "\"enum\": [\"0\", \"1\", \"2\", \"3\", \"4\", \"5\", \"6\", \"7\", \"8\", "
                        "\"9\", \"*\", \"#\"]",
                        toolhost_mock_definition (mock, "send_dtmf")));
}

static void
without_a_session_it_fails (void)
{
  toolhost_mock_set_in_session (mock, false);
  CU_ASSERT (fails (mock, "send_dtmf", "{\"button\":\"1\"}", "no_conversation", "no session"));
  toolhost_mock_set_in_session (mock, true);
}

static CU_TestInfo tests[] = {
  { "T4-10 S4-11 each button", T4_10_each_button },
  { "U4-21 no other button", U4_21_no_other_button },
  { "without a session it fails", without_a_session_it_fails },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "send_dtmf", start, stop, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };
TAP_MAIN (suites)
