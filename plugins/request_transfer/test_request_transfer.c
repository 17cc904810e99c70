/* The feature "refer": items S0-15 to S0-31 and S0-56 to S0-63 of the system it behaves like. */
#include "common/plugin_test.h"

static const char acme[] =
  "{\"enabled\":true,\"require_confirmation\":true,"
  "\"handoff_phrase\":\"Je vous transfère vers {{label}}\",\"destinations\":["
  "{\"destination_id\":\"sales\",\"label\":\"Service Commercial\",\"description_for_model\":"
  "\"For sales inquiries and new customer questions\",\"target_uri\":\"sip:sales@example.com\","
  "\"enabled\":true,\"priority\":10},"
  "{\"destination_id\":\"support\",\"label\":\"Service Technique\",\"description_for_model\":"
  "\"For technical support and troubleshooting\",\"target_uri\":\"+14155552000\","
  "\"enabled\":true,\"priority\":5}]}";

static toolhost_mock *mock;

static int
start (void)
{
  mock = toolhost_mock_new (toolhost_plugin_entry, NULL);
  if (mock != NULL) {
    toolhost_mock_set_info (mock, TOOLHOST_SESSION_ID, "rtc_1");
    toolhost_mock_set_info (mock, TOOLHOST_CALL_ID, "fc_1");
  }
  return mock == NULL;
}

static int
stop (void)
{
  toolhost_mock_free (mock);
  return 0;
}

static const char *
built (const char *config)
{
  CU_ASSERT_EQUAL_FATAL (toolhost_mock_build (mock, "refer", config), TOOLHOST_OK);
  return toolhost_mock_definition (mock, "request_transfer");
}

static bool
logged (const char *line)
{
  return told_part ("the log", "", line, toolhost_mock_log (mock));
}

/* ---- building ---- */

static void
S0_26_to_S0_30_the_definition_is_exact (void)
{
  static const char expected[] =
    "{\"name\":\"request_transfer\",\"description\":\"Utiliser uniquement APRÈS confirmation "
    "explicite de l'appelant. Avant d'appeler l'outil, annoncer: Je vous transfère vers {{label}} "
    "(remplacer {{label}} par le libellé du service choisi).\",\"inputSchema\":{\"type\":"
    "\"object\",\"properties\":{\"destination_id\":{\"type\":\"string\",\"enum\":[\"sales\","
    "\"support\"],\"description\":\"Identifiant du service vers lequel transférer. Valeurs "
    "autorisées: sales, support. Détails: sales: Service Commercial — For sales inquiries and new "
    "customer questions | support: Service Technique — For technical support and "
    "troubleshooting\"},\"reason\":{\"type\":\"string\",\"description\":\"Raison courte du "
    "transfert (optionnel).\"}},\"required\":[\"destination_id\"],\"additionalProperties\":false}}";

  CU_ASSERT (told ("definition", acme, expected, built (acme)));
}

static void
S0_27_S0_29_without_confirmation_and_phrase (void)
{
  static const char config[] = "{\"enabled\":true,\"handoff_phrase\":\"\",\"destinations\":["
                               "{\"destination_id\":\"a\",\"target_uri\":\"+1\"}]}";

  CU_ASSERT (told_part ("definition", config,
                        "\"description\":\"Utiliser lorsque l'appelant demande explicitement un "
                        "transfert.\",",
                        built (config)));
}

static void
S0_21_a_disabled_feature_makes_no_tool (void)
{
  CU_ASSERT_PTR_NULL (built ("{\"enabled\":false,\"destinations\":[{\"destination_id\":\"a\"}]}"));
  CU_ASSERT (told ("log", "", "info tool_builder_refer_disabled {}\n", toolhost_mock_log (mock)));
  CU_ASSERT_PTR_NULL (built ("{}"));
}

static void
S0_22_no_enabled_destination_makes_no_tool (void)
{
  CU_ASSERT_PTR_NULL (built ("{\"enabled\":true,\"destinations\":["
                             "{\"destination_id\":\"a\",\"enabled\":false},"
                             "{\"destination_id\":\"b\",\"enabled\":false}]}"));
  CU_ASSERT (told ("log", "",
                   "info tool_builder_refer_no_enabled_destinations "
                   "{\"configured_destinations\":2}\n",
                   toolhost_mock_log (mock)));
}

static void
S0_23_highest_priority_first_and_ties_as_configured (void)
{
  static const char config[] = "{\"enabled\":true,\"destinations\":["
                               "{\"destination_id\":\"a\",\"priority\":1},"
                               "{\"destination_id\":\"b\",\"priority\":5},"
                               "{\"destination_id\":\"off\",\"priority\":9,\"enabled\":false},"
                               "{\"destination_id\":\"c\",\"priority\":5},"
                               "{\"destination_id\":\"d\",\"priority\":-3},"
                               "{\"destination_id\":\"e\",\"priority\":1}]}";

  CU_ASSERT (
    told_part ("definition", config, "\"enum\":[\"b\",\"c\",\"a\",\"e\",\"d\"]", built (config)));
  CU_ASSERT (logged ("info tool_builder_refer_destinations_selected "
                     "{\"destination_ids\":[\"b\",\"c\",\"a\",\"e\",\"d\"]}\n"));
}

static void
S0_24_S0_25_labels_and_descriptions (void)
{
  static const struct {
    const char *destination, *hint;
  } rows[] = {
    { "\"label\":\"  L  \",\"description_for_model\":\" d \"", "a: L — d" },
    { "\"label\":\"L\"", "a: L" },
    { "\"label\":\"\",\"description_for_model\":\"d\"", "a: a — d" },
    { "\"label\":null,\"description_for_model\":null", "a: a" },
    { "\"label\":\"   \",\"description_for_model\":\"d\"", "a: d" },
    { "\"label\":\"— L —\",\"description_for_model\":\"— \"", "a: L" },
    { "\"label\":\"\\u00a0\\u3000L\\u2003\"", "a: L" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char config[300], expected[100];
    (void) snprintf (config, sizeof config,
                     "{\"enabled\":true,\"destinations\":[{\"destination_id\":\"a\",%s}]}",
                     rows[i].destination);
    (void) snprintf (expected, sizeof expected, "Détails: %s\"", rows[i].hint);
    CU_ASSERT (told_part ("definition", config, expected, built (config)));
  }
}

static void
S0_31_what_was_built_is_logged_in_order (void)
{
  const char *selected, *parameters, *definition;

  (void) built (acme);
  CU_ASSERT (logged ("info tool_builder_refer_parameters_built {\"enum_destination_ids\":"
                     "[\"sales\",\"support\"],\"required\":[\"destination_id\"]}\n"));
  CU_ASSERT (logged ("info tool_builder_refer_tool_definition_built {\"tool_name\":"
                     "\"request_transfer\",\"enabled_destination_ids\":[\"sales\",\"support\"],"
                     "\"parameters\":{\"type\":\"object\","));
  selected = strstr (toolhost_mock_log (mock), "destinations_selected");
  parameters = strstr (toolhost_mock_log (mock), "parameters_built");
  definition = strstr (toolhost_mock_log (mock), "definition_built");
  CU_ASSERT (selected != NULL && selected < parameters && parameters < definition);
}

static void
each_slip_has_its_pointer (void)
{
  static const struct {
    const char *config, *said;
  } rows[] = {
    { "{\"enabled\":1}", "/enabled: expected true or false" },
    { "{\"enable\":true}", "/enable: there is no such member; did you mean \"enabled\"?" },
    { "{\"handoff_phrase\":3}", "/handoff_phrase: expected a text" },
    { "{\"destinations\":{}}", "/destinations: expected a list of destinations" },
    { "{\"destinations\":[{\"destination_id\":\"a\"},3]}", "/destinations/1: expected an object" },
    { "{\"destinations\":[{\"destination_id\":\"a\",\"priority\":1.5}]}",
      "/destinations/0/priority: expected a whole number" },
    { "{\"destinations\":[{\"destination_id\":\"a\",\"prio\":1}]}",
      "/destinations/0/prio: there is no such member" },
    { "{\"destinations\":[{\"label\":\"x\"}]}",
      "/destinations/0/destination_id: expected a text that is not empty" },
    { "{\"destinations\":[{\"destination_id\":\"a\"},{\"destination_id\":\"a\"}]}",
      "/destinations/1/destination_id: expected an id that no other destination has" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CU_ASSERT_EQUAL (toolhost_mock_build (mock, "refer", rows[i].config), TOOLHOST_FAILED);
    CU_ASSERT (told_part ("error", rows[i].config, rows[i].said, toolhost_mock_error ()));
  }
}

/* ---- calling ---- */

static struct {
  unsigned calls;
  char target[64], key[128];
  const char *why; /* NULL: it works */
} referred;

static toolhost_status
on_refer (toolhost_call *call, const char *target, const char *key, const char **why)
{
  (void) call;
  referred.calls++;
  (void) snprintf (referred.target, sizeof referred.target, "%s", target);
  (void) snprintf (referred.key, sizeof referred.key, "%s", key);
  *why = referred.why;
  return referred.why == NULL ? TOOLHOST_OK : TOOLHOST_FAILED;
}

static const toolhost_call_service service = { .struct_size = sizeof service, .refer = on_refer };

static toolhost_mock_result *
transfer (const char *args, const char *why, const toolhost_call_service *by)
{
  memset (&referred, 0, sizeof referred);
  referred.why = why;
  toolhost_mock_set_extension (mock, TOOLHOST_CALL_SERVICE_ID, by);
  return toolhost_mock_call (mock, "request_transfer", args);
}

static void
expect_refused (const char *args, const char *code, const char *output)
{
  toolhost_mock_result *r = transfer (args, NULL, &service);

  CU_ASSERT_EQUAL (r->status, TOOLHOST_FAILED);
  CU_ASSERT_STRING_EQUAL (r->code, code);
  CU_ASSERT (told ("output", args, output, r->text));
  CU_ASSERT_EQUAL (referred.calls, 0);
  toolhost_mock_result_free (r);
}

static void
S0_60_S0_61_S0_63_a_transfer_that_works (void)
{
  static const char args[] = "{\"reason\":\"devis\",\"destination_id\":\"support\"}";
  toolhost_mock_result *r;

  (void) built (acme);
  toolhost_mock_set_info (mock, TOOLHOST_METADATA, "{\"item_id\":\"i\",\"response_id\":\"r\"}");
  r = transfer (args, NULL, &service);
  toolhost_mock_set_info (mock, TOOLHOST_METADATA, NULL);
  CU_ASSERT_EQUAL (r->status, TOOLHOST_OK);
  CU_ASSERT (told ("output", args,
                   "{\"message\":\"call_transfer_requested\",\"target_uri\":\"+14155552000\","
                   "\"reason\":\"devis\"}",
                   r->json));
  CU_ASSERT_EQUAL (referred.calls, 1);
  CU_ASSERT_STRING_EQUAL (referred.target, "+14155552000");
  CU_ASSERT_STRING_EQUAL (referred.key, "rtc_1-transfer-+14155552000");
  CU_ASSERT (told (
    "log", args,
    "info request_transfer_started {\"function_call_id\":\"fc_1\",\"openai_sip_call_id\":\"rtc_1\","
    "\"response_id\":\"r\",\"item_id\":\"i\",\"argument_keys\":[\"destination_id\",\"reason\"]}\n"
    "info request_transfer_destination_resolution_started {\"destination_id\":\"support\"}\n"
    "info request_transfer_destination_resolved {\"destination_id\":\"support\",\"target_uri\":"
    "\"+14155552000\"}\n"
    "info request_transfer_destination_resolution_finished {\"function_call_id\":\"fc_1\","
    "\"destination_id\":\"support\",\"resolution_type\":\"str\"}\n"
    "info request_transfer_refer_call_started {\"function_call_id\":\"fc_1\","
    "\"openai_sip_call_id\":\"rtc_1\",\"target_uri\":\"+14155552000\",\"destination_id\":"
    "\"support\",\"reason\":\"devis\",\"idempotency_key\":\"rtc_1-transfer-+14155552000\"}\n"
    "info request_transfer_refer_call_succeeded {\"function_call_id\":\"fc_1\","
    "\"openai_sip_call_id\":\"rtc_1\",\"target_uri\":\"+14155552000\",\"destination_id\":"
    "\"support\"}\n",
    r->log));
  toolhost_mock_result_free (r);
}

static void
S0_57_reason_is_empty_when_it_is_absent (void)
{
  toolhost_mock_result *r;

  (void) built (acme);
  r = transfer ("{\"destination_id\":\"sales\"}", NULL, &service);
  CU_ASSERT (told_part ("output", "", "\"reason\":\"\"", r->json));
  toolhost_mock_result_free (r);
}

static void
S0_62_a_service_that_fails (void)
{
  toolhost_mock_result *r;

  (void) built (acme);
  r = transfer ("{\"destination_id\":\"sales\"}", "603 Decline", &service);
  CU_ASSERT_EQUAL (r->status, TOOLHOST_FAILED);
  CU_ASSERT_STRING_EQUAL (r->code, "call_transfer_failed");
  CU_ASSERT (told ("output", "",
                   "{\"error\":\"call_transfer_failed\",\"detail\":\"Failed to transfer the call. "
                   "Please handle the call without transfer.\"}",
                   r->text));
  CU_ASSERT (told_part ("log", "",
                        "info tool_execution_error {\"function_call_id\":\"fc_1\","
                        "\"openai_sip_call_id\":\"rtc_1\",\"target_uri\":\"sip:sales@example.com\","
                        "\"tool_name\":\"request_transfer\",\"error\":\"603 Decline\"}\n",
                        r->log));
  toolhost_mock_result_free (r);
}

static void
without_a_service_nothing_is_pretended (void)
{
  toolhost_mock_result *r;

  (void) built (acme);
  r = transfer ("{\"destination_id\":\"sales\"}", NULL, NULL);
  CU_ASSERT_EQUAL (r->status, TOOLHOST_FAILED);
  CU_ASSERT_STRING_EQUAL (r->code, "call_service_unavailable");
  CU_ASSERT (told ("message", "",
                   "This host has no call service (toolhost.call_service/1) for this tool, so "
                   "nothing was transferred.",
                   r->message));
  CU_ASSERT_PTR_NULL (strstr (r->log, "refer_call_started"));
  toolhost_mock_result_free (r);
}

static void
S0_57_S0_58_S0_59_destinations_that_are_none (void)
{
  static const char config[] =
    "{\"enabled\":true,\"destinations\":[{\"destination_id\":\"a\",\"target_uri\":\"\"},"
    "{\"destination_id\":\"b\",\"target_uri\":\"+2\",\"enabled\":false}]}";
  toolhost_mock_result *r;

  (void) built (config);
  expect_refused ("{\"destination_id\":3}", "invalid_destination_id",
                  "{\"error\":\"invalid_destination_id\",\"detail\":\"destination_id must be a "
                  "text.\"}");
  expect_refused ("{\"destination_id\":\"a\"}", "destination_unavailable",
                  "{\"error\":\"destination_unavailable\",\"detail\":\"The destination can't be "
                  "reached.\"}");
  expect_refused ("{\"destination_id\":\"z\"}", "destination_not_found",
                  "{\"error\":\"destination_not_found\",\"detail\":\"There is no such destination. "
                  "Use one of the valid destination ids.\",\"valid_destination_ids\":[\"a\","
                  "\"b\"]}");
  CU_ASSERT (logged ("info request_transfer_destination_not_found {\"destination_id\":\"z\","
                     "\"valid_destination_ids\":[\"a\",\"b\"]}\n"));
  CU_ASSERT (logged ("\"resolution_type\":\"list\"}"));
  r = transfer ("{\"destination_id\":\"b\"}", NULL, &service); /* one that is not offered */
  CU_ASSERT_EQUAL (r->status, TOOLHOST_OK);
  CU_ASSERT_STRING_EQUAL (referred.target, "+2");
  toolhost_mock_result_free (r);
}

static CU_TestInfo tests[] = {
  { "S0-26 S0-27 S0-28 S0-29 S0-30 the definition is exact",
    S0_26_to_S0_30_the_definition_is_exact },
  { "S0-16 S0-17 S0-18 S0-27 S0-28 S0-29 without confirmation and phrase",
    S0_27_S0_29_without_confirmation_and_phrase },
  { "S0-21 a disabled feature makes no tool", S0_21_a_disabled_feature_makes_no_tool },
  { "S0-22 no enabled destination makes no tool", S0_22_no_enabled_destination_makes_no_tool },
  { "S0-23 highest priority first, and ties as configured",
    S0_23_highest_priority_first_and_ties_as_configured },
  { "S0-24 S0-25 labels and descriptions", S0_24_S0_25_labels_and_descriptions },
  { "S0-31 what was built is logged in order", S0_31_what_was_built_is_logged_in_order },
  { "S0-19 each slip has its pointer", each_slip_has_its_pointer },
  { "S0-56 S0-60 S0-61 S0-63 a transfer that works", S0_60_S0_61_S0_63_a_transfer_that_works },
  { "S0-57 reason is empty when it is absent", S0_57_reason_is_empty_when_it_is_absent },
  { "S0-62 a service that fails", S0_62_a_service_that_fails },
  { "without a service nothing is pretended", without_a_service_nothing_is_pretended },
  { "S0-57 S0-58 S0-59 destinations that are none", S0_57_S0_58_S0_59_destinations_that_are_none },
  CU_TEST_INFO_NULL
};

static CU_SuiteInfo suites[] = { { "request_transfer", start, stop, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };

TAP_MAIN (suites)
