/* The feature "transfer_call": items S4-9, U4-20, A4-10 and T4-9 of the system it behaves like. */
#include "common/voice_test.h"

#include "number.h"

#define GOES(number, interruptible)                                                                \
  "{\"type\":\"agent_transfer_call\",\"target_phone_number\":\"" number                            \
  "\",\"interruptible\":" interruptible "}\n"
#define SAYS(text, interruptible)                                                                  \
  "{\"type\":\"agent_send_text\",\"text\":\"" text "\",\"interruptible\":" interruptible "}\n"
#define INVALID SAYS ("I'm sorry, that phone number appears to be invalid.", "true")
#define NOT_UNDERSTOOD SAYS ("I'm sorry, I couldn't understand that phone number format.", "true")

static const char *
built (const char *config)
{
  voice_build ("transfer_call", config);
  return toolhost_mock_definition (mock, "transfer_call");
}

static void
tells (const char *args, const char *events)
{
  voice_tells ("transfer_call", args, events);
}

static void
T4_9_numbers (void)
{
  static const struct {
    const char *number, *events;
  } rows[] = {
    { "+14155551234", GOES ("+14155551234", "true") },
    { "+1415555123", INVALID },
    { "not-a-phone-number", NOT_UNDERSTOOD },
    { "123", NOT_UNDERSTOOD },
    { "+442071234567", GOES ("+442071234567", "true") },
    { "+1 415 555 1234", GOES ("+14155551234", "true") },
    { "+1-415-555-1234", GOES ("+14155551234", "true") },
    { "+1 (415) 555-1234", GOES ("+14155551234", "true") },
    { "+44 20 7123 4567", GOES ("+442071234567", "true") },
  };

  (void) built ("{}");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char args[100];
    (void) snprintf (args, sizeof args, "{\"target_phone_number\":\"%s\"}", rows[i].number);
    tells (args, rows[i].events);
  }
}

static void
A4_10_rules_of_numbers (void)
{
  static const struct {
    const char *text;
    bool nanp;
    enum number is;
    const char *e164;
  } rows[] = {
    { "+1.415.555.1234", true, NUMBER_GOOD, "+14155551234" },
    { " +49 30 123456", true, NUMBER_GOOD, "+4930123456" },
    { "+12345678", false, NUMBER_GOOD, "+12345678" },
    { "+12345678", true, NUMBER_INVALID, NULL },
    { "+141555512345", true, NUMBER_INVALID, NULL },
    { "+11155551234", true, NUMBER_INVALID, NULL },
    { "+14151551234", true, NUMBER_INVALID, NULL },
    { "+4420712", true, NUMBER_INVALID, NULL },
    { "+123456789012345", false, NUMBER_GOOD, "+123456789012345" },
    { "+1234567890123456", false, NUMBER_INVALID, NULL },
    { "+12345678901234567890123456789012345", false, NUMBER_INVALID, NULL },
    { "+04155551234", true, NUMBER_NOT_UNDERSTOOD, NULL },
    { "4155551234", true, NUMBER_NOT_UNDERSTOOD, NULL },
    { "0014155551234", true, NUMBER_NOT_UNDERSTOOD, NULL },
    { "+1 415 555 1234 ext. 5", true, NUMBER_NOT_UNDERSTOOD, NULL },
    { "++14155551234", true, NUMBER_NOT_UNDERSTOOD, NULL },
    { "+1;415", true, NUMBER_NOT_UNDERSTOOD, NULL },
    { "+", true, NUMBER_NOT_UNDERSTOOD, NULL },
    { "+ ()", true, NUMBER_NOT_UNDERSTOOD, NULL },
    { "", true, NUMBER_NOT_UNDERSTOOD, NULL },
    { "+\xD9\xA1\xD9\xA2", true, NUMBER_NOT_UNDERSTOOD, NULL },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char e164[NUMBER_SIZE] = "";
    enum number is = number_read (rows[i].text, rows[i].nanp, e164);

    if (is != rows[i].is)
      printf ("# \"%s\" is %d\n", rows[i].text, (int) is);
    CU_ASSERT_EQUAL (is, rows[i].is);
    if (rows[i].e164 != NULL)
      CU_ASSERT (told ("number", rows[i].text, rows[i].e164, e164));
  }
}

static void
T4_9_the_message_comes_first (void)
{
  (void) built ("{\"message\":\"One moment.\",\"interruptible\":false}");
  tells ("{\"target_phone_number\":\"+14155551234\"}",
         SAYS ("One moment.", "false") GOES ("+14155551234", "false"));
  tells ("{\"target_phone_number\":\"123\"}", NOT_UNDERSTOOD);
}

static void
T4_9_a_pinned_number_is_hidden (void)
{
  static const char config[] = "{\"target_phone_number\":\"+1 (415) 555-1234\",\"message\":\"Hi\"}";
  const char *definition = built (config);

  CU_ASSERT_PTR_NULL (strstr (definition, "target_phone_number"));
  CU_ASSERT_PTR_NULL (strstr (definition, "415"));
  CU_ASSERT (told_part ("definition", config, "\"properties\":{},\"additionalProperties\":false",
                        definition));
  tells ("{}", SAYS ("Hi", "true") GOES ("+14155551234", "true"));
  tells ("{\"target_phone_number\":\"+442071234567\"}",
         SAYS ("Hi", "true") GOES ("+14155551234", "true"));
}

static void
T4_9_a_pinned_number_is_checked_at_once (void)
{
  static const struct {
    const char *config, *said;
  } rows[] = {
    { "{\"target_phone_number\":\"+1415555123\"}",
      "/target_phone_number: expected ten digits after +1" },
    { "{\"target_phone_number\":\"sales\"}",
      "/target_phone_number: expected a telephone number in E.164, as +14155551234" },
    { "{\"target_phone_number\":\"\"}", "/target_phone_number: expected a telephone number" },
    { "{\"target_phone_number\":null}", "/target_phone_number: expected a telephone number" },
    { "{\"target_number\":\"+14155551234\"}", "/target_number: there is no such member" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CU_ASSERT_EQUAL (toolhost_mock_build (mock, "transfer_call", rows[i].config), TOOLHOST_FAILED);
    CU_ASSERT (told_part ("error", rows[i].config, rows[i].said, toolhost_mock_error ()));
  }
  (void) built ("{\"target_phone_number\":\"+1415555123\",\"nanp\":false}");
  tells ("{}", GOES ("+1415555123", "true"));
}

static void
without_a_session_it_fails (void)
{
  (void) built ("{}");
  voice_needs_a_session ("transfer_call", "{\"target_phone_number\":\"+14155551234\"}");
}

static CU_TestInfo tests[] = {
  { "T4-9 S4-9 numbers", T4_9_numbers },
  { "A4-10 rules of numbers", A4_10_rules_of_numbers },
  { "T4-9 U4-20 the message comes first", T4_9_the_message_comes_first },
  { "T4-9 U4-20 a pinned number is hidden from the model", T4_9_a_pinned_number_is_hidden },
  { "T4-9 U4-20 a pinned number is checked at once", T4_9_a_pinned_number_is_checked_at_once },
  { "without a session it fails", without_a_session_it_fails },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "transfer_call", voice_start, voice_stop, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };
TAP_MAIN (suites)
