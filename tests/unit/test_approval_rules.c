/* Which calls need approval: rules, modes, and what can't be judged.  Arguments that are no good
 * are seed 0's T0-8. */
#include "approval/rules.h"
#include "tap.h"

struct asked {
  struct arena arena;
  struct json_tape tape;
  struct approval_asked is;
};

static void
asked_open (struct asked *a, const char *tool, const char *caller, const char *arguments)
{
  *a = (struct asked){ .is = { .tool = tool, .caller = caller, .tape = &a->tape } };
  if (json_read (&a->tape, arguments, strlen (arguments), &json_default_limits, &a->arena))
    a->is.value = json_root (&a->tape);
}

static struct approval_rules *
rules_of (const char *mode, const char *rules)
{
  char *list = rules != NULL ? strdup (rules) : NULL;
  struct approval_words words = { .mode = mode != NULL ? strdup (mode) : NULL, .rules = list };
  struct error err = { 0 };
  struct approval_rules *made = approval_rules_new (&words, &err);

  if (made == NULL)
    printf ("# %s\n", err.text);
  CU_ASSERT_PTR_NOT_NULL (made);
  approval_words_clear (&words);
  return made;
}

static void
rows_are_judged (void)
{
  static const char pay[] =
    "[{\"tools\":[\"pay_*\"],\"arguments\":{\"properties\":{\"amount\":{\"type\":\"number\","
    "\"maximum\":100}}},\"approval\":\"never\"},"
    "{\"tools\":[\"pay_*\"],\"approval\":\"always\",\"reason\":\"Money leaves.\"}]";
  static const char callers[] =
    "[{\"callers\":[\"key:night*\"],\"approval\":\"always\",\"reason\":\"At night.\"}]";
  static const char exempt[] = "[{\"tools\":[\"echo\"],\"approval\":\"never\"}]";
  static const struct {
    const char *what, *mode, *rules;
    bool tool_wants;
    const char *tool, *caller, *arguments, *reason; /* NULL: not required */
  } rows[] = {
    { "nothing is said", NULL, NULL, false, "echo", NULL, "{}", NULL },
    { "never", "never", NULL, false, "echo", NULL, "{}", NULL },
    { "always", "always", NULL, false, "echo", NULL, "{}", "Every call needs approval." },
    { "the tool asks", NULL, NULL, true, "echo", NULL, "{}", "The tool asks for it." },
    { "the tool asks before the mode", "never", NULL, true, "echo", NULL, "{}",
      "The tool asks for it." },
    { "a rule before the tool", NULL, exempt, true, "echo", NULL, "{}", NULL },
    { "a rule before the mode", "always", exempt, false, "echo", NULL, "{}", NULL },
    { "another tool", "always", exempt, false, "echo2", NULL, "{}", "Every call needs approval." },
    { "the first that matches", NULL, pay, false, "pay_out", NULL, "{\"amount\":100}", NULL },
    { "the second, when the first does not", NULL, pay, false, "pay_out", NULL,
      "{\"amount\":100.01}", "Money leaves." },
    { "an amount as text fits no rule of numbers", NULL, pay, false, "pay_out", NULL,
      "{\"amount\":\"1\"}", "Money leaves." },
    { "no rule for the tool", NULL, pay, false, "refund", NULL, "{}", NULL },
    { "the pattern wants the whole name", NULL, pay, false, "repay_out", NULL, "{}", NULL },
    { "a caller", NULL, callers, false, "echo", "key:nightly", "{}", "At night." },
    { "another caller", NULL, callers, false, "echo", "key:day", "{}", NULL },
    { "nobody by name", NULL, callers, false, "echo", NULL, "{}", NULL },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct approval_rules *rules = rules_of (rows[i].mode, rows[i].rules);
    struct approval_need need;
    struct asked a;
    bool good;
    asked_open (&a, rows[i].tool, rows[i].caller, rows[i].arguments);
    a.is.tool_wants = rows[i].tool_wants;
    need = approval_judge (rules, NULL, &a.is);
    good = need.required == (rows[i].reason != NULL)
           && (rows[i].reason == NULL || strcmp (need.reason, rows[i].reason) == 0);
    if (!good)
      printf ("# %s: %d %s\n", rows[i].what, need.required,
              need.reason != NULL ? need.reason : "-");
    CU_ASSERT_TRUE (good);
    approval_rules_unref (rules);
    arena_free (&a.arena);
  }
}

static const char looks[] =
  "[{\"tools\":[\"*\"],\"arguments\":{\"properties\":{\"path\":{\"type\":\"string\"}}},"
  "\"approval\":\"never\"}]";

static void
t0_8_callable_approval_fails_closed_for_invalid_arguments (void)
{
  static const char *const bad[] = { "",
                                     "{\"path\":\"a",
                                     "null",
                                     "[]",
                                     "{\"path\":NaN}",
                                     "{\"path\":Infinity}",
                                     "{\"path\":-Infinity}",
                                     "NaN",
                                     "Infinity",
                                     "-Infinity",
                                     "\"path\"",
                                     "{\"path\":\"a\",\"path\":\"b\"}",
                                     "{}" };
  struct approval_rules *rules = rules_of ("never", looks);
  struct asked a;

  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    asked_open (&a, "write", NULL, bad[i]);
    if (!approval_judge (rules, NULL, &a.is).required) {
      printf ("# %s\n", bad[i]);
      CU_FAIL ("it passed");
    }
    arena_free (&a.arena);
  }
  asked_open (&a, "write", NULL, "{\"path\":\"a\"}");
  CU_ASSERT_FALSE (approval_judge (rules, NULL, &a.is).required);
  arena_free (&a.arena);
  approval_rules_unref (rules);
}

/* A list that takes more steps than a check may: neither answer would be safe. */
static void
what_takes_too_many_steps_needs_approval (void)
{
  static const char rule[] =
    "[{\"arguments\":{\"properties\":{\"list\":{\"contains\":{\"enum\":[[[1]],[[2]],[[3]],[[4]]]},"
    "\"items\":{\"anyOf\":[{\"const\":[[0]]},{\"const\":[[1]]},{\"pattern\":\"^(a|aa)+$\"}]}}}},"
    "\"approval\":\"%s\"}]";
  static const char *const words[] = { "never", "always" };
  char text[sizeof rule + 8];
  CLEANUP_BUF struct buf arguments = { 0 };
  struct asked a;

  buf_puts (&arguments, "{\"list\":[");
  for (int i = 0; i < 60000; i++)
    buf_puts (&arguments, i != 0 ? ",[[0]]" : "[[0]]");
  buf_puts (&arguments, "]}");
  for (size_t i = 0; i < 2; i++) {
    struct approval_rules *rules;
    struct approval_need need;
    (void) snprintf (text, sizeof text, rule, words[i]);
    rules = rules_of (NULL, text);
    asked_open (&a, "write", NULL, buf_cstr (&arguments));
    CU_ASSERT_PTR_NOT_NULL (a.is.value);
    need = approval_judge (rules, NULL, &a.is);
    CU_ASSERT_TRUE (need.required);
    CU_ASSERT_STRING_EQUAL (need.reason, "A rule speaks of arguments that can't be judged.");
    approval_rules_unref (rules);
    arena_free (&a.arena);
  }
}

static void
the_tenant_speaks_before_the_daemon (void)
{
  struct approval_words of_host = { .mode = strdup ("always"),
                                    .by = strdup ("caller"),
                                    .ttl_ms = 5000,
                                    .rules = strdup ("[{\"tools\":[\"pay\"]}]") };
  struct approval_rules *host = approval_rules_new (&of_host, NULL);
  struct approval_rules *silent = rules_of (NULL, NULL);
  struct approval_rules *never = rules_of ("never", NULL);
  struct approval_rules *free_pay =
    rules_of ("rules", "[{\"tools\":[\"pay\"],\"approval\":\"never\"}]");
  struct approval_need need;
  struct asked pay, echo;

  asked_open (&pay, "pay", NULL, "{}");
  asked_open (&echo, "echo", NULL, "{}");
  CU_ASSERT_TRUE (approval_judge (silent, host, &echo.is).required);
  CU_ASSERT_FALSE (approval_judge (never, host, &echo.is).required);
  CU_ASSERT_TRUE (approval_judge (never, host, &pay.is).required);
  CU_ASSERT_FALSE (approval_judge (free_pay, host, &pay.is).required);
  CU_ASSERT_TRUE (approval_judge (free_pay, host, &echo.is).required);
  CU_ASSERT_FALSE (approval_judge (NULL, NULL, &echo.is).required);
  need = approval_judge (silent, host, &pay.is);
  CU_ASSERT_EQUAL (need.ttl_ms, 5000);
  CU_ASSERT_EQUAL (need.by, APPROVAL_BY_CALLER);
  need = approval_judge (silent, NULL, &pay.is);
  CU_ASSERT_EQUAL (need.ttl_ms, APPROVAL_TTL_DEFAULT_MS);
  CU_ASSERT_EQUAL (need.by, APPROVAL_BY_APPROVER);
  approval_words_clear (&of_host);
  approval_rules_unref (host);
  approval_rules_unref (silent);
  approval_rules_unref (never);
  approval_rules_unref (free_pay);
  arena_free (&pay.arena);
  arena_free (&echo.arena);
}

static void
a_schema_that_is_none_is_told_with_its_place (void)
{
  struct approval_words words = {
    .rules = strdup ("[{},{\"arguments\":{\"properties\":{\"a\":{\"type\":\"strnig\"}}}}]")
  };
  struct error err = { 0 };

  CU_ASSERT_PTR_NULL (approval_rules_new (&words, &err));
  CU_ASSERT_PTR_NOT_NULL (strstr (err.text, "/rules/1/arguments/properties/a/type"));
  approval_words_clear (&words);
}

/* What a rule that says never spares a call. */
static void
t3_13_what_is_waived (void)
{
  static const char exempt[] = "[{\"tools\":[\"echo\"],\"approval\":\"never\"}]";
  static const char both[] =
    "[{\"tools\":[\"echo\"],\"approval\":\"never\"},"
    "{\"tools\":[\"*\"],\"approval\":\"always\",\"reason\":\"It is ours.\"}]";
  static const char ours[] = "[{\"approval\":\"always\",\"reason\":\"It is ours.\"}]";
  static const char unread[] = "[{\"tools\":[\"echo\"],\"approval\":\"never\"},"
                               "{\"arguments\":{\"required\":[\"path\"]},\"approval\":\"always\"}]";
  static const struct {
    const char *what, *mode, *tenant, *host;
    bool tool_wants, required, waived;
    const char *reason;
  } rows[] = {
    { "nothing would ask", NULL, NULL, exempt, false, false, false, NULL },
    { "the tool would", NULL, NULL, exempt, true, false, true, "The tool asks for it." },
    { "the mode would", "always", NULL, exempt, false, false, true, "Every call needs approval." },
    { "the next rule would", NULL, NULL, both, false, false, true, "It is ours." },
    { "a rule that can't be judged would", NULL, NULL, unread, false, false, true,
      "A rule speaks of arguments that can't be judged." },
    { "the tenant spares what the host asks for", NULL, exempt, ours, false, false, true,
      "It is ours." },
    { "what comes first is not spared by what comes later", NULL, ours, exempt, false, true, false,
      "It is ours." },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct approval_rules *tenant = rules_of (NULL, rows[i].tenant);
    struct approval_rules *host = rules_of (rows[i].mode, rows[i].host);
    struct approval_need need;
    struct asked a;
    bool good;
    asked_open (&a, "echo", NULL, "{}");
    a.is.tool_wants = rows[i].tool_wants;
    need = approval_judge (tenant, host, &a.is);
    good = need.required == rows[i].required && need.waived == rows[i].waived
           && (need.reason != NULL) == (rows[i].reason != NULL)
           && (need.reason == NULL || strcmp (need.reason, rows[i].reason) == 0);
    if (!good)
      printf ("# %s: %d %d %s\n", rows[i].what, need.required, need.waived,
              need.reason != NULL ? need.reason : "-");
    CU_ASSERT_TRUE (good);
    CU_ASSERT_EQUAL (need.unasked_max, 0);
    approval_rules_unref (tenant);
    approval_rules_unref (host);
    arena_free (&a.arena);
  }
}

static void
t3_13_whose_cap_it_is (void)
{
  static const int64_t rows[][3] = { { 0, 0, 0 }, { 0, 7, 7 }, { 3, 7, 3 }, { 3, 0, 3 } };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct error err;
    const struct approval_words words[] = { { .unasked_max = rows[i][0] },
                                            { .unasked_max = rows[i][1] } };
    struct approval_rules *tenant = approval_rules_new (&words[0], &err);
    struct approval_rules *host = approval_rules_new (&words[1], &err);
    const struct approval_asked asked = { .tool = "echo" };

    CU_ASSERT_EQUAL (approval_judge (tenant, host, &asked).unasked_max, rows[i][2]);
    approval_rules_unref (tenant);
    approval_rules_unref (host);
  }
}

static void
u3_7_which_tools_may_ask (void)
{
  static const char small[] =
    "[{\"tools\":[\"pay\"],\"arguments\":{\"required\":[\"amount\"]},\"approval\":\"never\"}]";
  static const char night[] = "[{\"callers\":[\"key:night*\"],\"approval\":\"always\"}]";
  static const char free_[] = "[{\"tools\":[\"ech*\"],\"approval\":\"never\"}]";
  static const struct {
    const char *mode, *rules, *tool;
    bool wants, may;
  } rows[] = {
    { NULL, NULL, "echo", false, false },    { "never", NULL, "echo", false, false },
    { "always", NULL, "echo", false, true }, { NULL, NULL, "echo", true, true },
    { NULL, small, "pay", false, true }, /* what can't be judged is asked about */
    { NULL, small, "echo", false, false },   { NULL, night, "echo", false, true },
    { NULL, free_, "echo", false, false },   { "always", free_, "echo", false, true },
    { NULL, free_, "echo", true, true }, /* what a rule waives is asked about after so many */
  };

  CU_ASSERT_FALSE (approval_may_need (NULL, NULL, "echo", false));
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct approval_rules *rules = rules_of (rows[i].mode, rows[i].rules);
    const bool as_host = approval_may_need (NULL, rules, rows[i].tool, rows[i].wants);
    const bool as_tenant = approval_may_need (rules, NULL, rows[i].tool, rows[i].wants);

    if (as_host != rows[i].may || as_tenant != rows[i].may) {
      printf ("# row %zu\n", i);
      CU_FAIL ("which tools may ask");
    }
    approval_rules_unref (rules);
  }
}

static CU_TestInfo tests[] = {
  { "rows are judged", rows_are_judged },
  { "T0-8: callable approval fails closed for invalid arguments",
    t0_8_callable_approval_fails_closed_for_invalid_arguments },
  { "what takes too many steps needs approval", what_takes_too_many_steps_needs_approval },
  { "the tenant speaks before the daemon", the_tenant_speaks_before_the_daemon },
  { "a schema that is none is told with its place", a_schema_that_is_none_is_told_with_its_place },
  { "T3-13: what a rule that says never spares a call", t3_13_what_is_waived },
  { "T3-13: the cap is the tenant's, or the daemon's", t3_13_whose_cap_it_is },
  { "U3-7 which tools may ask", u3_7_which_tools_may_ask },
  CU_TEST_INFO_NULL
};
static CU_SuiteInfo suites[] = { { "approval rules", NULL, NULL, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };
TAP_MAIN (suites)
