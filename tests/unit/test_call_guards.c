/* The guards of a file, and the budgets of a tenant. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call/guards.h"
#include "tap.h"

/* ---- configuration ---- */

static void
good (void)
{
  static const char json[] =
    "{\"input\":[{\"guard\":\"pii\",\"kinds\":[\"phone\"],\"tools\":[\"send_*\",\"call\"]},"
    "{\"guard\":\"plugin:mod/"
    "words\",\"config\":{\"a\":1},\"timeout\":\"1s\",\"on_failure\":\"allow\"},"
    "{\"guard\":\"rate\",\"max\":3,\"window\":\"2m\",\"per\":\"session\"},"
    "{\"guard\":\"budget\",\"max_invocations\":5,\"max_exceptions\":2,\"per\":\"principal\"}],"
    "\"output\":[{\"guard\":\"plugin:mod/words\"}],"
    "\"on_error\":[{\"text\":\"{{tool}}\",\"is_error\":false},{\"template\":\"{{tool}}: "
    "{{code}}!\"},"
    "{\"guard\":\"plugin:mod/comfort\",\"timeout\":40}],\"before_approval\":true}";
  struct error err = { 0 };
  struct guards *g = guards_new (json, sizeof json - 1, &err);
  const struct guards_entry *in, *errors;
  CLEANUP_BUF struct buf text = { 0 };

  CU_ASSERT_PTR_NOT_NULL_FATAL (g);
  CU_ASSERT_EQUAL_FATAL (g->count[GUARDED_INPUT], 4);
  in = g->list[GUARDED_INPUT];
  CU_ASSERT_EQUAL (in[0].kind, GUARDS_BUILT_IN);
  CU_ASSERT (guards_entry_means (&in[0], "send_mail") && guards_entry_means (&in[0], "call"));
  CU_ASSERT_FALSE (guards_entry_means (&in[0], "recall"));
  CU_ASSERT_EQUAL (in[1].kind, GUARDS_PLUGIN);
  CU_ASSERT_STRING_EQUAL (in[1].offer, "mod/words");
  CU_ASSERT_STRING_EQUAL (in[1].config, "{\"a\":1}");
  CU_ASSERT (in[1].timeout_ms == 1000 && in[1].lenient && guards_entry_means (&in[1], "any"));
  CU_ASSERT (in[2].budget.max == 3 && in[2].budget.window_ms == 120000
             && in[2].budget.per == BUDGET_PER_SESSION && in[2].ordinal == 0);
  CU_ASSERT (in[3].budget.max_invocations == 5 && in[3].budget.max_exceptions == 2
             && in[3].budget.per == BUDGET_PER_PRINCIPAL && in[3].ordinal == 1);
  CU_ASSERT_EQUAL (g->list[GUARDED_OUTPUT][0].timeout_ms, GUARD_TIMEOUT_MS);
  CU_ASSERT_FALSE (g->list[GUARDED_OUTPUT][0].lenient);
  errors = g->list[GUARDED_ERROR];
  guards_write_text (&errors[0], "t", "c", &text);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&text), "{{tool}}");
  CU_ASSERT (errors[0].is_ok && !errors[1].is_ok);
  text.len = 0;
  guards_write_text (&errors[1], "t", "c", &text);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&text), "t: c!");
  CU_ASSERT_EQUAL (errors[2].timeout_ms, 40);
  CU_ASSERT (g->before_approval);
  guards_unref (guards_ref (g));
  guards_unref (g);
}

static void
bad (void)
{
  static const struct {
    const char *json, *says;
  } rows[] = {
    { "[]", "expected an object" },
    { "{\"input\":{}}", "/input: expected a list of at most 64" },
    { "{\"onerror\":[]}", "/onerror: unknown key; did you mean \"on_error\"?" },
    { "{\"before_approval\":1}", "/before_approval: expected true or false, got 1" },
    { "{\"input\":[1]}", "/input/0: expected an object" },
    { "{\"input\":[{}]}", "/input/0/guard: required: which guard, as a string" },
    { "{\"input\":[{\"guard\":\"rat\",\"max\":1}]}",
      "/input/0/guard: there is no guard \"rat\"; did you mean \"rate\"?" },
    { "{\"input\":[{\"guard\":\"pii\",\"tools\":[]}]}",
      "/input/0/tools: expected a list of names" },
    { "{\"input\":[{\"guard\":\"pii\",\"tools\":[\"a,b\"]}]}", "/input/0/tools: expected names" },
    { "{\"input\":[{\"guard\":\"pii\",\"kind\":[]}]}", "/input/0/kind: " },
    { "{\"input\":[{\"guard\":\"plugin:x\"}]}",
      "/input/0/guard: expected \"plugin:PLUGIN/GUARD\"" },
    { "{\"input\":[{\"guard\":\"plugin:x/y\",\"timout\":1}]}",
      "/input/0/timout: unknown key; did you mean \"timeout\"?" },
    { "{\"input\":[{\"guard\":\"plugin:x/y\",\"timeout\":\"61s\"}]}",
      "/input/0/timeout: expected a duration" },
    { "{\"input\":[{\"guard\":\"plugin:x/y\",\"timeout\":0}]}",
      "/input/0/timeout: expected a duration" },
    { "{\"input\":[{\"guard\":\"plugin:x/y\",\"timeout\":\"1y\"}]}",
      "/input/0/timeout: expected a duration" },
    { "{\"input\":[{\"guard\":\"plugin:x/y\",\"on_failure\":\"pass\"}]}",
      "/input/0/on_failure: expected \"reject\" or \"allow\", got \"pass\"" },
    { "{\"input\":[{\"guard\":\"plugin:x/y\",\"config\":[]}]}",
      "/input/0/config: expected an object" },
    { "{\"input\":[{\"guard\":\"rate\"}]}", "/input/0/max: required" },
    { "{\"input\":[{\"guard\":\"rate\",\"max\":0}]}",
      "/input/0/max: expected a whole number from 1" },
    { "{\"input\":[{\"guard\":\"rate\",\"max\":1,\"per\":\"day\"}]}",
      "/input/0/per: expected \"tenant\", \"session\" or \"principal\"" },
    { "{\"input\":[{\"guard\":\"budget\"}]}",
      "/input/0: expected max_invocations or max_exceptions" },
    { "{\"input\":[{\"guard\":\"budget\",\"max_invocations\":0}]}",
      "/input/0/max_invocations: expected a whole number from 1" },
    { "{\"input\":[{\"guard\":\"budget\",\"max_exceptions\":1.5}]}",
      "/input/0/max_exceptions: expected a whole number from 1" },
    { "{\"output\":[{\"guard\":\"budget\",\"max_exceptions\":1}]}",
      "/output/0/guard: \"budget\" counts calls before they run" },
    { "{\"on_error\":[{}]}", "/on_error/0: expected one of text, template and guard" },
    { "{\"on_error\":[{\"text\":\"a\",\"template\":\"b\"}]}", "/on_error/0: expected one of" },
    { "{\"on_error\":[{\"text\":\"\"}]}", "/on_error/0/text: expected a text" },
    { "{\"on_error\":[{\"template\":\"{{name}}\"}]}",
      "/on_error/0/template: expected {{tool}} or {{code}}, got" },
    { "{\"on_error\":[{\"guard\":\"pii\"}]}", "/on_error/0/guard: there is no guard \"pii\"" },
    { "{\"on_error\":[{\"text\":\"a\",\"is_error\":0}]}",
      "/on_error/0/is_error: expected true or false" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct error err = { 0 };
    struct guards *g = guards_new (rows[i].json, strlen (rows[i].json), &err);
    CU_ASSERT_PTR_NULL (g);
    CU_ASSERT_NSTRING_EQUAL (err.text, rows[i].says, strlen (rows[i].says));
    if (strncmp (err.text, rows[i].says, strlen (rows[i].says)) != 0)
      printf ("# %s: %s\n", rows[i].json, err.text);
    guards_unref (g);
  }
}

/* ---- budgets ---- */

static const struct budget_rule twice = { .max_invocations = 2 };
static const struct budget_rule patient = { .max_exceptions = 2 };

static void
invocations (void)
{
  struct budgets *b = NULL;
  CLEANUP_BUF struct buf text = { 0 };
  int64_t wait = 0;

  CU_ASSERT_EQUAL (budgets_take (&b, &twice, "t", 0, &wait), BUDGET_LEFT);
  CU_ASSERT_EQUAL (budgets_take (&b, &twice, "t", 0, &wait), BUDGET_LEFT);
  CU_ASSERT_EQUAL (budgets_take (&b, &twice, "t", 0, &wait), BUDGET_INVOCATIONS);
  CU_ASSERT_EQUAL (budgets_take (&b, &twice, "other", 0, &wait), BUDGET_LEFT);
  budgets_ended (b, "t", false); /* success gives nothing back */
  CU_ASSERT_EQUAL (budgets_take (&b, &twice, "t", 0, &wait), BUDGET_INVOCATIONS);
  budgets_give_back (b, "t"); /* what was not run is */
  CU_ASSERT_EQUAL (budgets_take (&b, &twice, "t", 0, &wait), BUDGET_LEFT);
  budgets_write_refusal (BUDGET_INVOCATIONS, &twice, "echo", &text);
  CU_ASSERT_STRING_EQUAL (
    buf_cstr (&text),
    "Function 'echo' has reached its maximum invocation limit, you can no longer use this tool.");
  budgets_free (b);
}

static void
exceptions (void)
{
  struct budgets *b = NULL;
  CLEANUP_BUF struct buf text = { 0 };
  int64_t wait = 0;

  for (int i = 0; i < 2; i++) {
    CU_ASSERT_EQUAL (budgets_take (&b, &patient, "t", 0, &wait), BUDGET_LEFT);
    budgets_ended (b, "t", i == 0);
  }
  for (int i = 0; i < 2; i++) { /* a success has begun them anew */
    CU_ASSERT_EQUAL (budgets_take (&b, &patient, "t", 0, &wait), BUDGET_LEFT);
    budgets_ended (b, "t", true);
  }
  CU_ASSERT_EQUAL (budgets_take (&b, &patient, "t", 0, &wait), BUDGET_EXCEPTIONS);
  budgets_write_refusal (BUDGET_EXCEPTIONS, &patient, "echo", &text);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&text),
                          "Function 'echo' has reached its maximum exception limit, you tried to "
                          "use this tool too many times and it kept failing.");
  budgets_free (b);
}

static void
rate (void)
{
  struct budget_rule rule = { .max = 2, .window_ms = 1000 };
  struct budgets *b = NULL;
  int64_t wait = 0;

  CU_ASSERT_EQUAL (budgets_take (&b, &rule, "t", 100, &wait), BUDGET_LEFT);
  CU_ASSERT_EQUAL (budgets_take (&b, &rule, "t", 300, &wait), BUDGET_LEFT);
  CU_ASSERT_EQUAL (budgets_take (&b, &rule, "t", 400, &wait), BUDGET_RATE);
  CU_ASSERT_EQUAL (wait, 700);
  CU_ASSERT_EQUAL (budgets_take (&b, &rule, "t", 1099, &wait), BUDGET_RATE);
  CU_ASSERT_EQUAL (budgets_take (&b, &rule, "t", 1100, &wait), BUDGET_LEFT);
  rule.max = 3; /* another configuration: the newest are remembered */
  CU_ASSERT_EQUAL (budgets_take (&b, &rule, "t", 1100, &wait), BUDGET_LEFT);
  CU_ASSERT_EQUAL (budgets_take (&b, &rule, "t", 1100, &wait), BUDGET_RATE);
  budgets_free (b);
}

static void
many (void)
{
  struct budgets *b = NULL;
  int64_t wait = 0;
  char key[16];

  CU_ASSERT_EQUAL (budgets_take (&b, &twice, "kept", 0, &wait), BUDGET_LEFT);
  for (int i = 0; i < BUDGETS_MAX + 10; i++) {
    (void) snprintf (key, sizeof key, "%d", i);
    CU_ASSERT_EQUAL (budgets_take (&b, &twice, key, 0, &wait), BUDGET_LEFT);
    if (i == BUDGETS_MAX / 2)
      CU_ASSERT_EQUAL (budgets_take (&b, &twice, "kept", 0, &wait), BUDGET_LEFT);
  }
  CU_ASSERT_EQUAL (budgets_count (b), BUDGETS_MAX);
  CU_ASSERT_EQUAL (budgets_take (&b, &twice, "kept", 0, &wait), BUDGET_INVOCATIONS);
  budgets_free (b);
}

static CU_TestInfo configuration[] = {
  { "every kind of guard is read", good },
  { "each fault has its pointer and says what is expected", bad },
  CU_TEST_INFO_NULL,
};
static CU_TestInfo budgets[] = {
  { "U3-1: max_invocations counts what has run, ever", invocations },
  { "U3-1, U3-9: max_exceptions counts failures in a row", exceptions },
  { "a rate holds in any window", rate },
  { "they are bounded, and what is used stays", many },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "guards of a file", NULL, NULL, NULL, NULL, configuration },
                                 { "budgets", NULL, NULL, NULL, NULL, budgets },
                                 CU_SUITE_INFO_NULL };
TAP_MAIN (suites)
