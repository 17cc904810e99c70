/* The feature "end_call": items S4-8, U4-19, A4-3 and T4-10 of the system it behaves like. */
#include "common/voice_test.h"

static const char *
built (const char *config)
{
  voice_build ("end_call", config);
  return toolhost_mock_definition (mock, "end_call");
}

static void
tells (const char *args, const char *events)
{
  voice_tells ("end_call", args, events);
}

#define END(interruptible)                                                                         \
  "{\"type\":\"end_call\",\"reason\":\"agent_ended\",\"interruptible\":" interruptible "}\n"
#define SAY(text) "{\"type\":\"agent_send_text\",\"text\":\"" text "\",\"interruptible\":false}\n"

static void
S4_8_a_goodbye_comes_before_the_end (void)
{
  (void) built ("{}");
  tells ("{\"reason\":\"done\",\"message\":\"Goodbye!\"}", SAY ("Goodbye!") END ("true"));
}

static void
T4_10_by_default_it_only_ends (void)
{
  CU_ASSERT (told_part ("definition", "{}", "\"required\": [\"reason\"]", built ("{}")));
  tells ("{\"reason\":\"done\"}", END ("true"));
  tells ("{\"reason\":\"done\",\"message\":\"\"}", END ("true"));
}

static void
T4_10_what_is_configured (void)
{
  static const char config[] =
    "{\"description\":\"End it.\",\"message\":\"Bye \\\"now\\\".\",\"interruptible\":false}";

  CU_ASSERT (told_part ("definition", config, "\"description\":\"End it.\",", built (config)));
  tells ("{\"reason\":\"done\"}", SAY ("Bye \\\"now\\\".") END ("false"));
  tells ("{\"reason\":\"done\",\"message\":\"Later.\"}", SAY ("Later.") END ("false"));
}

/* A second configuration that sets one thing leaves the others as they are by default. */
static void
T4_10_what_is_not_set_is_inherited (void)
{
  (void) built ("{\"description\":\"End it.\"}");
  tells ("{\"reason\":\"done\"}", END ("true"));
  CU_ASSERT (told_part ("definition", "",
                        "\"description\":\"Ends the call:", built ("{\"interruptible\":false}")));
  tells ("{\"reason\":\"done\"}", END ("false"));
}

static void
U4_19_the_reason_is_the_model_s_own_business (void)
{
  toolhost_mock_result *r;

  (void) built ("{}");
  r = toolhost_mock_call (mock, "end_call", "{\"reason\":\"secret-reason\"}");
  CU_ASSERT_PTR_NULL (strstr (r->emitted, "secret-reason"));
  CU_ASSERT_PTR_NULL (strstr (r->log, "secret-reason"));
  toolhost_mock_result_free (r);
}

static void
without_a_session_it_fails (void)
{
  (void) built ("{}");
  voice_needs_a_session ("end_call", "{\"reason\":\"x\"}");
  CU_ASSERT_EQUAL (toolhost_mock_build (mock, "end_call", "{\"mesage\":\"x\"}"), TOOLHOST_FAILED);
  CU_ASSERT (told_part ("error", "", "did you mean \"message\"?", toolhost_mock_error ()));
}

static CU_TestInfo tests[] = {
  { "S4-8 A4-3 a goodbye comes before the end", S4_8_a_goodbye_comes_before_the_end },
  { "T4-10 U4-19 by default it only ends", T4_10_by_default_it_only_ends },
  { "T4-10 what is configured", T4_10_what_is_configured },
  { "T4-10 what is not set is inherited", T4_10_what_is_not_set_is_inherited },
  { "U4-19 the reason is the model's own business", U4_19_the_reason_is_the_model_s_own_business },
  { "without a session it fails", without_a_session_it_fails },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "end_call", voice_start, voice_stop, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };
TAP_MAIN (suites)
