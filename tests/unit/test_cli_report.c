#include "tap.h"

#include "cli/report.h"

static void
fill (struct report *report)
{
  *report = (struct report){ .file = "./a.so", .name = xstrdup ("a"), .version = xstrdup ("1.0") };
  report->wishes = xstrdup ("{\"read\":[\"/x\"]}");
  report->suggests = xstrdup ("{\"limits\":{}}");
  report_finding (report, LINT_ERROR, "tool b was left out");
  struct tool_report *tool = report_tool (report, "a", 12);
  tool_report_finding (tool, LINT_WARNING, "/name", "odd");
  tool_report_example (tool, "{\"n\":1}", 7, true, "one", 3);
  tool_report_example (tool, "{}", 2, false, "tool_args_invalid: no", 21);
}

static void
test_counts (void)
{
  struct report report;

  fill (&report);
  CU_ASSERT_EQUAL (report_count (&report, LINT_ERROR), 2);
  CU_ASSERT_EQUAL (report_count (&report, LINT_WARNING), 1);
  CU_ASSERT_EQUAL (report_count (&report, LINT_NOTE), 0);
  report_free (&report);
}

static void
test_text (void)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct report report;

  fill (&report);
  report_text (&report, &out);
  CU_ASSERT_STRING_EQUAL (
    buf_cstr (&out),
    "./a.so: plugin a 1.0, loaded in the sandbox\n"
    "  error: tool b was left out\n"
    "  would like the permissions {\"read\":[\"/x\"]} (its policy file grants them)\n"
    "  suggests the policy {\"limits\":{}} (its policy file decides)\n"
    "  a, about 12 tokens\n"
    "    warning /name: odd\n"
    "    example {\"n\":1} answered: one\n"
    "    example {} failed: tool_args_invalid: no\n"
    "2 errors, 1 warning, 0 notes\n");
  report_free (&report);
}

static void
test_json (void)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct report report;

  fill (&report);
  report_json (&report, &out);
  CU_ASSERT_STRING_EQUAL (
    buf_cstr (&out),
    "{\"file\":\"./a.so\",\"loaded\":true,\"plugin\":\"a\",\"version\":\"1.0\","
    "\"permissions\":{\"read\":[\"/x\"]},\"suggested_policy\":{\"limits\":{}},"
    "\"findings\":[{\"level\":\"error\",\"pointer\":\"\",\"message\":\"tool b was left out\"}],"
    "\"tools\":[{\"name\":\"a\",\"tokens\":12,"
    "\"findings\":[{\"level\":\"warning\",\"pointer\":\"/name\",\"message\":\"odd\"}],"
    "\"examples\":[{\"arguments\":{\"n\":1},\"ok\":true,\"text\":\"one\"},"
    "{\"arguments\":{},\"ok\":false,\"text\":\"tool_args_invalid: no\"}]}],"
    "\"errors\":2,\"warnings\":1,\"notes\":0}");
  report_free (&report);
}

static void
test_not_loaded (void)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct report report = { .file = "x.so" };

  report_finding (&report, LINT_ERROR, "no entry");
  report_text (&report, &out);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&out), "x.so: can't be loaded\n  error: no entry\n"
                                           "1 error, 0 warnings, 0 notes\n");
  report_free (&report);
}

static CU_TestInfo tests[] = { { "counts failed examples as errors", test_counts },
                               { "is readable as text", test_text },
                               { "is complete as JSON", test_json },
                               { "says that nothing was loaded", test_not_loaded },
                               CU_TEST_INFO_NULL };

static CU_SuiteInfo suites[] = { { "cli report", NULL, NULL, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };

TAP_MAIN (suites)
