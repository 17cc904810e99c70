#include "tap.h"

#include "cli/out.h"

#define NEUTRAL(in, expected) neutral (in, sizeof (in) - 1, expected)

static void
neutral (const char *in, size_t len, const char *expected)
{
  CLEANUP_BUF struct buf out = { 0 };

  text_neutralise (&out, in, len);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&out), expected);
}

static void
test_plain (void)
{
  NEUTRAL ("", "");
  NEUTRAL ("a line\n\tand a tab", "a line\n\tand a tab");
  NEUTRAL ("gr\xc3\xbc\xc3\x9f \xe6\x97\xa5 \xf0\x9f\x98\x80",
           "gr\xc3\xbc\xc3\x9f \xe6\x97\xa5 \xf0\x9f\x98\x80");
}

static void
test_controls (void)
{
  NEUTRAL ("\x1b[2J", "\\u001b[2J");
  NEUTRAL ("a\0b", "a\\u0000b");
  NEUTRAL ("x\ry\x7f", "x\\u000dy\\u007f");
  NEUTRAL ("\xc2\x9b"
           "31m",
           "\\u009b31m");
}

static void
test_hidden (void)
{
  NEUTRAL ("a\xe2\x80\xae"
           "b",
           "a\\u202eb");
  NEUTRAL ("\xe2\x81\xa6x\xe2\x81\xa9", "\\u2066x\\u2069");
  NEUTRAL ("\xf3\xa0\x81\x81", "\\udb40\\udc41");
}

static void
test_not_utf8 (void)
{
  NEUTRAL ("a\xff"
           "b",
           "a\xef\xbf\xbd"
           "b");
  NEUTRAL ("\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd");
  NEUTRAL ("\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
  NEUTRAL ("cut \xe6\x97", "cut \xef\xbf\xbd\xef\xbf\xbd");
}

static void
test_decode (void)
{
  unsigned long c;

  CU_ASSERT_EQUAL (text_decode ("\xf0\x9f\x98\x80", 4, &c), 4);
  CU_ASSERT_EQUAL (c, 0x1f600);
  CU_ASSERT_EQUAL (text_decode ("\xf0\x9f\x98\x80", 3, &c), 1);
  CU_ASSERT_EQUAL (c, 0xfffd);
}

static void
test_exits (void)
{
  CU_ASSERT_EQUAL (exit_for_error ("tool_timeout", 200), CLI_TIMED_OUT);
  CU_ASSERT_EQUAL (exit_for_error ("tool_not_found", 404), CLI_NOT_FOUND);
  CU_ASSERT_EQUAL (exit_for_error ("tool_args_invalid", 0), CLI_REFUSED);
  CU_ASSERT_EQUAL (exit_for_error ("worker_lost", 502), CLI_CRASHED);
  CU_ASSERT_EQUAL (exit_for_error ("a_tools_own", 502), CLI_FAILED);
  CU_ASSERT_EQUAL (exit_for_error ("something", 403), CLI_NOT_ALLOWED);
  CU_ASSERT_EQUAL (exit_for_error (NULL, 503), CLI_UNAVAILABLE);
  CU_ASSERT_EQUAL (exit_for_error (NULL, 500), CLI_FAILED);
}

static CU_TestInfo tests[] = { { "leaves text alone", test_plain },
                               { "shows control characters", test_controls },
                               { "shows what hides or turns text", test_hidden },
                               { "replaces what is not UTF-8", test_not_utf8 },
                               { "decodes within bounds", test_decode },
                               { "leads each error to its exit status", test_exits },
                               CU_TEST_INFO_NULL };

static CU_SuiteInfo suites[] = { { "cli out", NULL, NULL, NULL, NULL, tests }, CU_SUITE_INFO_NULL };

TAP_MAIN (suites)
