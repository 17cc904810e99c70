/* The feature "send_dtmf": items S4-11, U4-21 and T4-10 of the system it behaves like. */
#include "common/voice_test.h"

static void
T4_10_each_button (void)
{
  voice_build ("send_dtmf", "{}");
  for (const char *button = "0123456789*#"; *button != '\0'; button++) {
    char args[32], event[64];

    (void) snprintf (args, sizeof args, "{\"button\":\"%c\"}", *button);
    (void) snprintf (event, sizeof event, "{\"type\":\"agent_send_dtmf\",\"button\":\"%c\"}\n",
                     *button);
    voice_tells ("send_dtmf", args, event);
  }
}

static void
U4_21_no_other_button (void)
{
  voice_build ("send_dtmf", "{}");
  CU_ASSERT (told_part ("definition", "",
                        "\"enum\": [\"0\", \"1\", \"2\", \"3\", \"4\", \"5\", \"6\", \"7\", \"8\", "
                        "\"9\", \"*\", \"#\"]",
                        toolhost_mock_definition (mock, "send_dtmf")));
}

static void
without_a_session_it_fails (void)
{
  voice_build ("send_dtmf", "{}");
  voice_needs_a_session ("send_dtmf", "{\"button\":\"1\"}");
}

static CU_TestInfo tests[] = {
  { "T4-10 S4-11 each button", T4_10_each_button },
  { "U4-21 no other button", U4_21_no_other_button },
  { "without a session it fails", without_a_session_it_fails },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "send_dtmf", voice_start, voice_stop, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };
TAP_MAIN (suites)
