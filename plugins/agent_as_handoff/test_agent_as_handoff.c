/* The feature "agent_as_handoff": items S4-12 and U4-18 of the system it behaves like. */
#include "common/voice_test.h"

#define ONE(members) "{\"agents\":[{\"agent\":\"Billing\"" members "}]}"
#define SAY(text, interruptible)                                                                   \
  "{\"type\":\"agent_send_text\",\"text\":\"" text "\",\"interruptible\":" interruptible "}\n"

static void
built (const char *config)
{
  voice_build ("agent_as_handoff", config);
}

static void
hands_over (const char *tool, const char *events, const char *changes)
{
  toolhost_mock_result *r = toolhost_mock_call (mock, tool, "{}");

  CU_ASSERT_EQUAL (r->status, TOOLHOST_OK);
  CU_ASSERT (told ("events", tool, events, r->emitted));
  CU_ASSERT (told ("changes", tool, changes, r->changes));
  CU_ASSERT_STRING_EQUAL (r->content, "[]");
  toolhost_mock_result_free (r);
}

static void
S4_12_message_introduction_routing (void)
{
  built (ONE (",\"handoff_message\":\"One moment.\",\"introduction\":\"Billing here.\","
              "\"args\":{\"who\": [1]},\"update_call\":{\"voice_id\":\"v\",\"language\":\"fr\"}"));
  hands_over ("transfer_to_billing",
              SAY ("One moment.", "true") "{\"type\":\"update_call\",\"voice_id\":\"v\","
                                          "\"language\":\"fr\"}\n" SAY ("Billing here.", "true"),
              "handoff {\"tool\":\"Billing\",\"args\":{\"who\": [1]}}\n");
}

static void
U4_18_by_default (void)
{
  const char *definition;

  built (ONE (""));
  definition = toolhost_mock_definition (mock, "transfer_to_billing");
  CU_ASSERT (told (
    "definition", "",
    "{\"name\":\"transfer_to_billing\",\"description\":\"Transfer the conversation to another "
    "agent.\",\"inputSchema\":{\"type\":\"object\",\"properties\":{},\"additionalProperties\":"
    "false},\"toolhost\":{\"kind\":\"passthrough\"}}",
    definition));
  hands_over ("transfer_to_billing", "", "handoff {\"tool\":\"Billing\",\"args\":{}}\n");
}

static void
U4_18_what_is_configured (void)
{
  built ("{\"agents\":[{\"agent\":\"a\",\"name\":\"to_a\",\"description\":\"About a.\","
         "\"handoff_message\":\"Hold on.\",\"interruptible\":false},{\"agent\":\"b\"}]}");
  CU_ASSERT (told_part ("definition", "", "\"description\":\"About a.\"",
                        toolhost_mock_definition (mock, "to_a")));
  hands_over ("to_a", SAY ("Hold on.", "false"), "handoff {\"tool\":\"a\",\"args\":{}}\n");
  hands_over ("transfer_to_b", "", "handoff {\"tool\":\"b\",\"args\":{}}\n");
}

static void
no_agent_no_tool (void)
{
  built ("{\"agents\":[]}");
  CU_ASSERT_PTR_NULL (toolhost_mock_definition (mock, "transfer_to_billing"));
  built ("{}");
}

static void
each_slip_has_its_pointer (void)
{
  static const struct {
    const char *config, *said;
  } rows[] = {
    { "{\"agents\":{}}", "/agents: expected a list of agents" },
    { "{\"agents\":[{\"agent\":\"a\"},{}]}", "/agents/1/agent: expected the name of a tool" },
    { ONE (",\"name\":\"to billing\""), "/agents/0/name: expected the name of a tool" },
    { ONE (",\"args\":[]"), "/agents/0/args: expected an object" },
    { ONE (",\"update_call\":{\"voice\":\"v\"}"), "/agents/0/update_call/voice: there is no such" },
    { ONE (",\"message\":\"x\""), "/agents/0/message: there is no such member" },
    { "{\"agents\":[{\"agent\":\"a123456789b123456789c123456789d123456789e123456789f123456\"}]}",
      "/agents/0/name: expected the name of a tool" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CU_ASSERT_EQUAL (toolhost_mock_build (mock, "agent_as_handoff", rows[i].config),
                     TOOLHOST_FAILED);
    CU_ASSERT (told_part ("error", rows[i].config, rows[i].said, toolhost_mock_error ()));
  }
}

static void
without_a_session_it_fails (void)
{
  built (ONE (",\"handoff_message\":\"x\""));
  voice_needs_a_session ("transfer_to_billing", "{}");
}

static CU_TestInfo tests[] = {
  { "S4-12 message, introduction, routing", S4_12_message_introduction_routing },
  { "U4-18 by default", U4_18_by_default },
  { "U4-18 what is configured", U4_18_what_is_configured },
  { "no agent, no tool", no_agent_no_tool },
  { "each slip has its pointer", each_slip_has_its_pointer },
  { "without a session it fails", without_a_session_it_fails },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "agent_as_handoff", voice_start, voice_stop, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };
TAP_MAIN (suites)
