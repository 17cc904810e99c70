#include "common/plugin_test.h"

static toolhost_mock *mock;

static int
start (void)
{
  mock = toolhost_mock_new (toolhost_plugin_entry, NULL);
  return mock == NULL;
}

static int
stop (void)
{
  toolhost_mock_free (mock);
  return 0;
}

static void
gives_back (void)
{
  CU_ASSERT_TRUE (says (mock, "echo", "{\"text\":\"hi\"}", "hi"));
  CU_ASSERT_TRUE (says (mock, "echo", "{\"text\":\"\"}", ""));
  CU_ASSERT_TRUE (
    says (mock, "echo", "{\"text\":\"\\u00e9 \\ud83d\\ude00\\n\"}", "\xC3\xA9 \xF0\x9F\x98\x80\n"));
}

static void
keeps_nul (void)
{
  toolhost_mock_result *r = toolhost_mock_call (mock, "echo", "{\"text\":\"a\\u0000b\"}");

  CU_ASSERT_EQUAL (r->status, TOOLHOST_OK);
  CU_ASSERT_PTR_NOT_NULL (strstr (r->content, "a\\u0000b"));
  toolhost_mock_result_free (r);
}

static void
definition (void)
{
  CU_ASSERT_TRUE (definition_fits (mock, "echo"));
  CU_ASSERT_EQUAL (toolhost_mock_max_time (mock, "echo"), 10000);
}

static CU_TestInfo tests[] = {
  { "gives back what it gets", gives_back },
  { "keeps U+0000", keeps_nul },
  { "has a definition", definition },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = { { "echo", start, stop, NULL, NULL, tests }, CU_SUITE_INFO_NULL };

TAP_MAIN (suites)
