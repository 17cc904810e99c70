/* A plugin of two files under the mock host, linked as a tool's author would link a test. */
#include <toolhost-mock.h>

#include "tap.h"

static void
expect_text (const char *tool, const char *args, const char *text)
{
  toolhost_mock *mock = toolhost_mock_new (toolhost_plugin_entry, NULL);
  toolhost_mock_result *r;

  CU_ASSERT_PTR_NOT_NULL_FATAL (mock);
  r = toolhost_mock_call (mock, tool, args);
  CU_ASSERT_EQUAL (r->status, TOOLHOST_OK);
  CU_ASSERT_STRING_EQUAL (r->text, text);
  toolhost_mock_result_free (r);
  toolhost_mock_free (mock);
}

static void
test_first_file (void)
{
  expect_text ("length", "{\"text\":\"four\"}", "4");
}

static void
test_second_file (void)
{
  expect_text ("upper", "{\"text\":\"four\"}", "FOUR");
}

static CU_TestInfo tests[] = {
  { "the tool of the first file", test_first_file },
  { "the tool of the second file", test_second_file },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = { { "two files", NULL, NULL, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };

TAP_MAIN (suites)
