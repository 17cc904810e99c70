/* A tool that asks, under the mock host: what it is told in each round, and which rules it can
 * break.
 */
#include <toolhost-mock.h>

#include "tap.h"
#include "worker/host_table.h"

static const char *
definition (void *self)
{
  (void) self;
  return TOOLHOST_JSON (
    { "name" : "do", "description" : "Does it.", "inputSchema" : { "type" : "object" } });
}

#define WHO                                                                                        \
  "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}},\"required\":[\"name\"]}"

/* Two questions, one after the other; what the first round knows is kept for the second. */
static toolhost_status
do_rounds (toolhost_call *call)
{
  const char *kept;
  size_t len;

  switch (toolhost_ask_form (call, "who", WHO, "Who is \"%s\"?", "it")) {
  case TOOLHOST_ANSWERED:
    break;
  case TOOLHOST_OPEN:
    toolhost_text (call, "is dropped");
    toolhost_keep (call, "first\0", 6);
    return TOOLHOST_ASKED;
  case TOOLHOST_DECLINED:
    return toolhost_fail (call, "declined", "no");
  case TOOLHOST_DISMISSED:
    return toolhost_fail (call, "dismissed", "no");
  case TOOLHOST_EXPIRED:
    return toolhost_fail (call, "expired", "no");
  default:
    return TOOLHOST_ASKED;
  }
  kept = toolhost_kept (call, &len);
  if (toolhost_ask (call, "where", "roots", "{}", NULL, NULL) == TOOLHOST_OPEN)
    return TOOLHOST_ASKED;
  return toolhost_textf (call, "%s %.*s %zu %s",
                         toolhost_answer_string (call, "who", "name", "nobody"), (int) len,
                         kept != NULL ? kept : "-", len,
                         toolhost_answer_bool (call, "where", "/ok", false) ? "there" : "nowhere");
}

static toolhost_status
do_many (toolhost_call *call)
{
  char key[16];

  for (int i = 0; i < TOOLHOST_ASKS_MAX; i++) {
    snprintf (key, sizeof key, "k%d", i);
    CU_ASSERT_EQUAL (toolhost_ask (call, key, "roots", "{}", NULL, NULL), TOOLHOST_OPEN);
    CU_ASSERT_EQUAL (toolhost_ask (call, key, "roots", "{}", NULL, NULL), TOOLHOST_OPEN);
  }
  if (toolhost_has_arg (call, "more"))
    (void) toolhost_ask (call, "more", "roots", "{}", NULL, NULL);
  return TOOLHOST_ASKED;
}

/* Asks with what stands in its arguments. */
static toolhost_status
do_ask (toolhost_call *call)
{
  return toolhost_ask (call, toolhost_arg_string_or (call, "key", "key"),
                       toolhost_arg_string_or (call, "kind", "form"),
                       toolhost_arg_string_or (call, "params", "{}"), NULL, NULL)
             == TOOLHOST_ANSWERED
           ? TOOLHOST_OK
           : TOOLHOST_ASKED;
}

static const struct {
  const char *what;
  toolhost_status (*run) (toolhost_call *call);
} deeds[] = { { "rounds", do_rounds }, { "many", do_many }, { "ask", do_ask } };

static toolhost_status
execute (void *self, toolhost_call *call)
{
  const char *what = toolhost_arg_string_or (call, "do", "");

  (void) self;
  for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++)
    if (strcmp (deeds[i].what, what) == 0)
      return deeds[i].run (call);
  return TOOLHOST_OK;
}

/* Questions are for execute. */
static toolhost_status
validate (void *self, toolhost_call *call)
{
  (void) self;
  if (toolhost_has_arg (call, "early"))
    CU_ASSERT_EQUAL (toolhost_ask (call, "k", "roots", "{}", NULL, NULL), TOOLHOST_UNASKABLE);
  return TOOLHOST_OK;
}

static const toolhost_tool tool = { TOOLHOST_TOOL, .definition = definition, .validate = validate,
                                    .execute = execute };

TOOLHOST_PLUGIN (.name = "asker", .version = "1.0", TOOLHOST_TOOLS (&tool))

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
call (const char *args)
{
  return toolhost_mock_call (mock, "do", args);
}

static void
test_rounds (void)
{
  toolhost_mock_result *r = call ("{\"do\":\"rounds\"}");

  CU_ASSERT_EQUAL (r->status, TOOLHOST_ASKED);
  CU_ASSERT_STRING_EQUAL (r->text, "");
  CU_ASSERT_STRING_EQUAL (r->asks, "{\"who\":{\"kind\":\"form\",\"params\":{\"message\":\"Who is "
                                   "\\\"it\\\"?\",\"requestedSchema\":" WHO "}}}");
  toolhost_mock_result_free (r);
  toolhost_mock_answer (mock, "who", TOOLHOST_ANSWERED, "{\"name\":\"Ada\"}");
  r = call ("{\"do\":\"rounds\"}");
  CU_ASSERT_EQUAL (r->status, TOOLHOST_ASKED);
  CU_ASSERT_STRING_EQUAL (r->asks, "{\"where\":{\"kind\":\"roots\",\"params\":{}}}");
  toolhost_mock_result_free (r);
  toolhost_mock_answer (mock, "where", TOOLHOST_ANSWERED, "{\"ok\":true}");
  r = call ("{\"do\":\"rounds\"}"); /* what was kept in the first round came through the second */
  CU_ASSERT_EQUAL (r->status, TOOLHOST_OK);
  CU_ASSERT_STRING_EQUAL (r->text, "Ada first 6 there");
  CU_ASSERT_STRING_EQUAL (r->asks, "{}");
  toolhost_mock_result_free (r);
  r = call ("{\"do\":\"rounds\"}"); /* and it does not outlive the call */
  CU_ASSERT_STRING_EQUAL (r->text, "Ada  0 there");
  toolhost_mock_result_free (r);
  toolhost_mock_answer (mock, "where", TOOLHOST_OPEN, NULL);
}

static void
test_no_answer (void)
{
  static const struct {
    int32_t is;
    const char *code;
  } rows[] = { { TOOLHOST_DECLINED, "declined" },
               { TOOLHOST_DISMISSED, "dismissed" },
               { TOOLHOST_EXPIRED, "expired" } };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    toolhost_mock_result *r;
    toolhost_mock_answer (mock, "who", rows[i].is, NULL);
    r = call ("{\"do\":\"rounds\"}");
    CU_ASSERT_EQUAL (r->status, TOOLHOST_FAILED);
    CU_ASSERT_STRING_EQUAL (r->code, rows[i].code);
    toolhost_mock_result_free (r);
  }
  toolhost_mock_answer (mock, "who", TOOLHOST_OPEN, NULL);
}

static void
test_unaskable (void)
{
  toolhost_mock_result *r;

  toolhost_mock_set_askable (mock, "url sampling");
  r = call ("{\"do\":\"rounds\"}"); /* that nothing is open is what it says */
  CU_ASSERT_EQUAL (r->status, TOOLHOST_ASKED);
  CU_ASSERT_STRING_EQUAL (r->asks, "{}");
  toolhost_mock_result_free (r);
  r = call ("{\"do\":\"ask\",\"kind\":\"sampling\",\"params\":\"{\\\"tools\\\":[]}\"}");
  CU_ASSERT_EQUAL (r->status, TOOLHOST_ASKED);
  CU_ASSERT_STRING_EQUAL (r->asks, "{}");
  toolhost_mock_result_free (r);
  toolhost_mock_set_askable (mock, "url sampling.tools");
  r = call ("{\"do\":\"ask\",\"kind\":\"sampling\",\"params\":\"{\\\"tools\\\":[]}\"}");
  CU_ASSERT_STRING_EQUAL (r->asks, "{\"key\":{\"kind\":\"sampling\",\"params\":{\"tools\":[]}}}");
  toolhost_mock_result_free (r);
  toolhost_mock_set_askable (mock, "form url sampling.tools roots");
}

static void
expect_broken (const char *args, const char *sentence)
{
  toolhost_mock_result *r = call (args);

  CU_ASSERT_EQUAL (r->status, TOOLHOST_FAILED);
  CU_ASSERT_STRING_EQUAL (r->message, sentence);
  toolhost_mock_result_free (r);
}

static void
test_broken_rules (void)
{
  toolhost_mock_result *r = call ("{\"do\":\"many\"}");

  CU_ASSERT_EQUAL (r->status, TOOLHOST_ASKED);
  toolhost_mock_result_free (r);
  expect_broken ("{\"do\":\"many\",\"more\":1}", "asked too much at once");
  expect_broken ("{\"do\":\"ask\",\"key\":\"\"}", "asked with a key that is none");
  expect_broken ("{\"do\":\"ask\",\"key\":\"a b\"}", "asked with a key that is none");
  expect_broken ("{\"do\":\"ask\",\"kind\":\"mail\"}", "asked with a kind that there is not");
  expect_broken ("{\"do\":\"ask\",\"params\":\"[]\"}",
                 "asked with parameters that are no JSON object");
  expect_broken ("{\"early\":1}", "asked before execute");
}

/* ---- an older host ---------------------------------------------------------------------- */

static void
test_older_table (void)
{
  struct plugin_host host;
  toolhost_call old = { .host = &host.table };
  toolhost_value value;
  size_t len = 1;

  plugin_host_init (&host, NULL, NULL);
  host.table.struct_size = offsetof (toolhost_host, ask_form);
  CU_ASSERT_EQUAL (toolhost_ask_form (&old, "k", "{}", "Who?"), TOOLHOST_UNASKABLE);
  CU_ASSERT_EQUAL (toolhost_answer (&old, "k", "", &value), TOOLHOST_TOO_OLD);
  CU_ASSERT_STRING_EQUAL (toolhost_answer_string (&old, "k", "", "otherwise"), "otherwise");
  CU_ASSERT_EQUAL (toolhost_keep (&old, "x", 1), TOOLHOST_TOO_OLD);
  CU_ASSERT_PTR_NULL (toolhost_kept (&old, &len));
  CU_ASSERT_EQUAL (len, 0);
}

static CU_TestInfo asking[] = {
  { "rounds", test_rounds },
  { "no answer", test_no_answer },
  { "nobody to ask", test_unaskable },
  { "broken rules", test_broken_rules },
  { "an older table", test_older_table },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = {
  { "mock asking", set_up, tear_down, NULL, NULL, asking },
  CU_SUITE_INFO_NULL,
};

TAP_MAIN (suites)
