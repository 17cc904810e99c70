/* The feature "actions" in a session, without one, and as its builder makes tools of it.  What the
 * actions do is in the rows of tests/actions (test_table.c). */
#include <time.h>

#include "common/plugin_test.h"

/* clang-format off */
#define SAVE_MEAL TOOLHOST_JSON ({                                                                 \
  "name": "save_meal", "description": "Log a meal the user consumed",                              \
  "parameters": [                                                                                  \
    { "name": "meal_type", "type": "string", "enum": ["breakfast", "lunch", "dinner"] },           \
    { "name": "dishes", "type": "array", "required": true } ],                                     \
  "actions": [                                                                                     \
    { "type": "validate", "rules": [] },                                                           \
    { "type": "context.set", "data": { "logged_meals[+]": "{{params}}" } },                        \
    { "type": "webhook", "endpoint": "meal.log",                                                   \
      "body": { "user_id": "{{user.id}}", "meal": "{{params}}" } } ],                              \
  "on_success": [{ "type": "respond", "message": "I have logged your {{params.meal_type}}!" }],    \
  "on_failure": [{ "type": "respond", "message": "Sorry, I could not log that meal." }] })
/* clang-format on */
#define ENDPOINTS "\"endpoints\":[{\"name\":\"meal.log\",\"url\":\"https://meals.example/log\"}]"
#define CONFIG(tools) "{" ENDPOINTS ",\"tools\":[" tools "]}"
#define TOOL(name, actions)                                                                        \
  "{\"name\":\"" name "\",\"description\":\"d\",\"actions\":[" actions "]}"
#define LUNCH "{\"meal_type\":\"lunch\",\"dishes\":[\"soup\"]}"
#define SAID(text) "{\"type\":\"agent_send_text\",\"text\":\"" text "\",\"interruptible\":true}\n"

static toolhost_mock *mock;

static int
start (void)
{
  mock = toolhost_mock_new (toolhost_plugin_entry, NULL);
  if (mock != NULL) {
    toolhost_mock_set_in_session (mock, true);
    toolhost_mock_set_context (mock, "user", "{\"id\":\"u1\"}");
  }
  return mock == NULL;
}

static int
stop (void)
{
  toolhost_mock_free (mock);
  return 0;
}

static void
built (const char *config)
{
  CU_ASSERT_EQUAL_FATAL (toolhost_mock_build (mock, "actions", config), TOOLHOST_OK);
}

static void
answers (int32_t status)
{
  toolhost_mock_http (mock, "POST", "https://meals.example/log", status, NULL, "{\"id\":7}", 8);
}

static void
S2_28_save_meal_in_a_session (void)
{
  toolhost_mock_result *r;

  built (CONFIG (SAVE_MEAL));
  answers (200);
  toolhost_mock_set_info (mock, TOOLHOST_CALL_ID, "call 1");
  r = toolhost_mock_call (mock, "save_meal", LUNCH);
  CU_ASSERT_EQUAL (r->status, TOOLHOST_OK);
  CU_ASSERT (told ("result", LUNCH,
                   "{\"ok\":true,\"message\":\"I have logged your lunch!\",\"said\":true,"
                   "\"data\":{}}",
                   r->json));
  CU_ASSERT (told ("emitted", LUNCH, SAID ("I have logged your lunch!"), r->emitted));
  CU_ASSERT (told ("changes", LUNCH, "append workflow.logged_meals " LUNCH "\n", r->changes));
  CU_ASSERT (told_part ("request", LUNCH, "{\"user_id\":\"u1\",\"meal\":" LUNCH "}",
                        toolhost_mock_http_requests (mock)));
  CU_ASSERT (told_part ("request", LUNCH, "[\"Idempotency-Key\",\"call%201-actions[2]\"]",
                        toolhost_mock_http_requests (mock)));
  toolhost_mock_result_free (r);
}

static void
S2_22_A2_15_a_failure_is_one (void)
{
  toolhost_mock_result *r;

  built (CONFIG (SAVE_MEAL));
  answers (500);
  r = toolhost_mock_call (mock, "save_meal", LUNCH);
  CU_ASSERT_EQUAL (r->status, TOOLHOST_FAILED);
  CU_ASSERT_STRING_EQUAL (r->code, "webhook_failed");
  CU_ASSERT_STRING_EQUAL (r->message, "Sorry, I could not log that meal.");
  CU_ASSERT (told ("emitted", LUNCH, SAID ("Sorry, I could not log that meal."), r->emitted));
  CU_ASSERT (told ("changes", LUNCH, "append workflow.logged_meals " LUNCH "\n", r->changes));
  CU_ASSERT (told ("text", LUNCH,
                   "{\"ok\":false,\"error\":\"webhook_failed\",\"message\":\"Sorry, I could not "
                   "log that meal.\",\"said\":true,\"data\":{}}",
                   r->text));
  toolhost_mock_result_free (r);
}

static void
S2_27_the_trace_is_logged_without_values (void)
{
  built (CONFIG (SAVE_MEAL));
  answers (200);
  toolhost_mock_result_free (toolhost_mock_call (mock, "save_meal", LUNCH));
  CU_ASSERT (told_part ("log", LUNCH, "info tool_actions_finished {\"ok\":true,\"actions\":[",
                        toolhost_mock_log (mock)));
  CU_ASSERT (told_part ("log", LUNCH, "\"type\":\"webhook\",\"ok\":true,\"status\":200",
                        toolhost_mock_log (mock)));
  CU_ASSERT_PTR_NULL (strstr (toolhost_mock_log (mock), "soup"));
}

static void
S2_27_who_asks_has_the_trace (void)
{
  built (CONFIG (TOOL ("t", "{\"type\":\"flag.set\",\"flag\":\"vip\"}")));
  toolhost_mock_set_info (mock, TOOLHOST_METADATA, "{\"trace\":true}");
  CU_ASSERT (gives (mock, "t", "{}",
                    "\"trace\":[{\"action\":\"actions[0]\",\"type\":\"flag.set\",\"ok\":true"));
  toolhost_mock_set_info (mock, TOOLHOST_METADATA, "{}");
}

static void
S2_11_S2_13_what_a_session_hears (void)
{
  toolhost_mock_result *r;

  built (
    CONFIG (TOOL ("t", "{\"type\":\"flag.set\",\"flag\":\"vip\"},"
                       "{\"type\":\"context.set\",\"data\":{\"a[+]\":1,\"b\":{},\"agents.x.y\":"
                       "2}},{\"type\":\"flag.set\",\"flag\":\"old\",\"value\":false},"
                       "{\"type\":\"handoff\",\"agent\":\"billing\",\"args\":{\"n\":1}}")));
  r = toolhost_mock_call (mock, "t", "{}");
  CU_ASSERT (
    told ("changes", "{}",
          "flags vip true\nset workflow.b {}\nset agents.x.y 2\nappend workflow.a 1\n"
          "flags old false\nhandoff {\"tool\":\"billing\",\"args\":{\"n\":1},\"anyway\":true}\n",
          r->changes));
  toolhost_mock_result_free (r);
}

static void
A2_5_without_a_session_the_context_is_the_call_s (void)
{
  built (CONFIG (TOOL (
    "t",
    "{\"type\":\"context.set\",\"data\":{\"l[+]\":1}},"
    "{\"type\":\"context.set\",\"data\":{\"l[+]\":2}},"
    "{\"type\":\"webhook\",\"endpoint\":\"meal.log\"},"
    "{\"type\":\"context.get\",\"path\":\"l\"},"
    "{\"type\":\"respond\",\"message\":\"{{user.id}}!\"}") "," TOOL ("h",
                                                                     "{\"type\":\"handoff\","
                                                                     "\"agent\":\"billing\"}")));
  answers (200);
  toolhost_mock_set_in_session (mock, false);
  CU_ASSERT (gives (mock, "t", "{}", "{\"ok\":true,\"message\":\"!\",\"data\":{\"l\":[1,2]}}"));
  CU_ASSERT (gives (mock, "t", "{}", "\"data\":{\"l\":[1,2]}"));
  CU_ASSERT (fails (mock, "h", "{}", "no_conversation", "no session"));
  toolhost_mock_set_in_session (mock, true);
}

static void
S0_69_a_call_that_is_cancelled_stops (void)
{
  built (CONFIG (SAVE_MEAL));
  answers (200);
  toolhost_mock_cancel_after (mock, 2);
  CU_ASSERT (stops (mock, "save_meal", LUNCH, "cancelled", "cancelled"));
  toolhost_mock_cancel_after (mock, 0);
}

static void
S2_2_one_that_is_wrong_harms_no_other (void)
{
  built (CONFIG (TOOL ("a", "{\"type\":\"nonsense\"}") "," TOOL ("b", "")));
  CU_ASSERT_PTR_NULL (toolhost_mock_definition (mock, "a"));
  CU_ASSERT_PTR_NOT_NULL (toolhost_mock_definition (mock, "b"));
  CU_ASSERT (told_part ("log", "",
                        "error actions_tool_refused {\"tool_name\":\"a\",\"problem_count\":1,"
                        "\"problems\":[{\"pointer\":\"/tools/0/actions/0/type\"",
                        toolhost_mock_log (mock)));
}

static void
U2_8_an_endpoint_that_is_wrong_is_told (void)
{
  built ("{\"endpoints\":[{\"name\":\"a\"}],\"tools\":[" TOOL ("b", "") "]}");
  CU_ASSERT_PTR_NOT_NULL (toolhost_mock_definition (mock, "b"));
  CU_ASSERT (
    told_part ("log", "", "error actions_configuration_refused {", toolhost_mock_log (mock)));
}

static void
S2_1_a_new_build_has_the_new_tool (void)
{
  built (CONFIG (TOOL ("t", "{\"type\":\"respond\",\"message\":\"one\"}")));
  CU_ASSERT (gives (mock, "t", "{}", "\"message\":\"one\""));
  built (CONFIG (TOOL ("t", "{\"type\":\"respond\",\"message\":\"two\"}")));
  CU_ASSERT (gives (mock, "t", "{}", "\"message\":\"two\""));
}

/* Building is linear: a thousand tools. */
static void
S2_1_a_thousand_tools (void)
{
  enum { COUNT = 1000, SIZE = 1 << 20 };
  char *config = malloc (SIZE);
  struct timespec began, ended;
  size_t len = (size_t) snprintf (config, SIZE, "{" ENDPOINTS ",\"tools\":[");

  for (int i = 0; i < COUNT; i++) {
    len += (size_t) snprintf (config + len, SIZE - len, "%s", i != 0 ? "," : "");
    len += (size_t) snprintf (config + len, SIZE - len,
                              "{\"name\":\"save_%d\","
                              "%s",
                              i, strchr (SAVE_MEAL, ',') + 1);
  }
  (void) snprintf (config + len, SIZE - len, "]}");
  (void) clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &began);
  built (config);
  (void) clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &ended);
  printf ("# %d tools were built in %.1f ms\n", COUNT,
          (double) (ended.tv_sec - began.tv_sec) * 1e3
            + (double) (ended.tv_nsec - began.tv_nsec) / 1e6);
  CU_ASSERT_PTR_NOT_NULL (toolhost_mock_definition (mock, "save_999"));
  free (config);
}

static void
the_daemon_s_own_tools (void)
{
  toolhost_mock *own = toolhost_mock_new (toolhost_plugin_entry, NULL);

  CU_ASSERT_FATAL (own != NULL);
  CU_ASSERT (definition_fits (own, "actions_check"));
  CU_ASSERT (definition_fits (own, "actions_try"));
  CU_ASSERT (gives (own, "actions_check", CONFIG (SAVE_MEAL), "{\"ok\":true,\"problems\":[]"));
  CU_ASSERT (gives (own, "actions_try", "{\"tool\":" TOOL ("t", "") "}", "{\"ok\":true"));
  CU_ASSERT (told_part ("definition", "", "\"toolhost\": { \"internal\": true }",
                        toolhost_mock_definition (own, "actions_try")));
  toolhost_mock_free (own);
}

static CU_TestInfo tests[] = {
  { "S2-28 S2-10 save_meal in a session", S2_28_save_meal_in_a_session },
  { "S2-22 A2-15 a failure is one, and what was written stays", S2_22_A2_15_a_failure_is_one },
  { "S2-27 the trace is logged, without values", S2_27_the_trace_is_logged_without_values },
  { "S2-27 who asks for the trace has it", S2_27_who_asks_has_the_trace },
  { "S2-11 S2-13 what a session hears of", S2_11_S2_13_what_a_session_hears },
  { "A2-5 without a session the context is the call's",
    A2_5_without_a_session_the_context_is_the_call_s },
  { "S0-69 a call that is cancelled stops", S0_69_a_call_that_is_cancelled_stops },
  { "S2-2 one that is wrong harms no other", S2_2_one_that_is_wrong_harms_no_other },
  { "U2-8 an endpoint that is wrong is told", U2_8_an_endpoint_that_is_wrong_is_told },
  { "S2-1 a new build has the new tool", S2_1_a_new_build_has_the_new_tool },
  { "S2-1 a thousand tools", S2_1_a_thousand_tools },
  { "the daemon's own tools", the_daemon_s_own_tools },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "actions", start, stop, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };
TAP_MAIN (suites)
