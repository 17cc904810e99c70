#include "tap.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/decimal.h"
#include "base/json_tape.h"
#include "base/json_write.h"

static void
test_commas (void)
{
  CLEANUP_BUF struct buf b = { 0 };
  struct json_writer w = { .out = &b };

  jsonw_object (&w);
  jsonw_name (&w, "a");
  jsonw_array (&w);
  jsonw_int (&w, 1);
  jsonw_array (&w);
  jsonw_end (&w);
  jsonw_object (&w);
  jsonw_end (&w);
  jsonw_null (&w);
  jsonw_end (&w);
  jsonw_name_string (&w, "b", "x");
  jsonw_name_string (&w, "none", NULL);
  jsonw_name_int (&w, "c", -5);
  jsonw_name_bool (&w, "d", true);
  jsonw_name_bool (&w, "e", false);
  jsonw_name_raw (&w, "f", "[1]", 3);
  jsonw_name_len (&w, "gh", 1);
  jsonw_uint (&w, UINT64_MAX);
  jsonw_end (&w);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&b),
                          "{\"a\":[1,[],{},null],\"b\":\"x\",\"none\":null,\"c\":-5,\"d\":true,"
                          "\"e\":false,\"f\":[1],\"g\":18446744073709551615}");
  CU_ASSERT_EQUAL (w.depth, 0);
}

static void
test_lists_of_names (void)
{
  CLEANUP_BUF struct buf b = { 0 };
  struct json_writer w = { .out = &b };
  char one[] = "/one", two[] = "/\"two\"", *paths[] = { one, two, NULL };
  static const char *const names[] = { "a", "b", "c", NULL };

  jsonw_object (&w);
  jsonw_name_strings (&w, "paths", paths);
  jsonw_name_strings (&w, "none", NULL);
  jsonw_name_bits (&w, "some", 5, names);
  jsonw_name_bits (&w, "unknown", 8, names);
  jsonw_end (&w);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&b), "{\"paths\":[\"/one\",\"/\\\"two\\\"\"],\"none\":[],"
                                         "\"some\":[\"a\",\"c\"],\"unknown\":[]}");
}

static void
test_one_value_alone (void)
{
  CLEANUP_BUF struct buf b = { 0 };
  struct json_writer w = { .out = &b };

  jsonw_int (&w, INT64_MIN);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&b), "-9223372036854775808");
}

static void
test_nesting (void)
{
  CLEANUP_BUF struct buf b = { 0 };
  CLEANUP_ARENA struct arena a = { 0 };
  struct json_writer w = { .out = &b };
  struct json_tape tape;

  for (int i = 0; i < 63; i++)
    if (i % 2 == 0)
      jsonw_array (&w);
    else {
      jsonw_object (&w);
      jsonw_name (&w, "n");
    }
  jsonw_string (&w, "deep");
  for (int i = 0; i < 63; i++)
    jsonw_end (&w);
  CU_ASSERT (json_read (&tape, b.data, b.len, &json_default_limits, &a));
  CU_ASSERT_EQUAL (tape.count, 63 + 31 + 1);
}

static void
expect_escaped (const char *text, size_t len, const char *expected)
{
  CLEANUP_BUF struct buf b = { 0 };

  json_escape (&b, text, len);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&b), expected);
}

static void
test_escapes (void)
{
  expect_escaped ("plain text", 10, "plain text");
  expect_escaped ("\"\\/", 3, "\\\"\\\\/");
  expect_escaped ("\b\f\n\r\t", 5, "\\b\\f\\n\\r\\t");
  expect_escaped ("\0\x01\x1f\x7f", 4, "\\u0000\\u0001\\u001f\x7f");
  expect_escaped ("grün €😀", strlen ("grün €😀"), "grün €😀");
}

static void
test_bytes_that_are_not_utf8 (void)
{
  expect_escaped ("a\xff"
                  "b",
                  3,
                  "a\xef\xbf\xbd"
                  "b");
  /* cut in the middle, overlong, a surrogate, beyond U+10FFFF */
  expect_escaped ("\xe2\x82", 2, "\xef\xbf\xbd\xef\xbf\xbd");
  expect_escaped ("\xc0\xaf", 2, "\xef\xbf\xbd\xef\xbf\xbd");
  expect_escaped ("\xed\xa0\x80", 3, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
  expect_escaped ("\xf4\x90\x80\x80", 4, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

/* Whatever the bytes, the reader takes what the writer wrote. */
static void
test_any_byte_reads_back (void)
{
  CLEANUP_ARENA struct arena a = { 0 };

  for (int first = 0; first < 256; first++)
    for (int second = 0; second < 256; second += 3) {
      CLEANUP_BUF struct buf b = { 0 };
      struct json_writer w = { .out = &b };
      struct json_tape tape;
      char text[2] = { (char) first, (char) second };
      jsonw_string_len (&w, text, 2);
      if (!json_read (&tape, b.data, b.len, &json_default_limits, &a))
        CU_FAIL_FATAL ("the reader refuses what the writer wrote");
      arena_reset (&a);
    }
}

static void
expect_double (double value, const char *expected)
{
  CLEANUP_BUF struct buf b = { 0 };
  struct json_writer w = { .out = &b };

  jsonw_double (&w, value);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&b), expected);
}

static void
test_doubles (void)
{
  expect_double (0.1, "0.1");
  expect_double (1, "1");
  expect_double (-2.5, "-2.5");
  expect_double (0.1 + 0.2, "0.30000000000000004");
  expect_double (1e21, "1e+21");
  expect_double (5e-324, "4.94065645841247e-324");
  expect_double (DBL_MAX, "1.7976931348623157e+308");
  expect_double (NAN, "null");
  expect_double (INFINITY, "null");
  expect_double (-INFINITY, "null");
}

static void
test_doubles_read_back (void)
{
  CLEANUP_ARENA struct arena a = { 0 };
  uint64_t bits = 0x0123456789abcdefU;

  for (int i = 0; i < 20000; i++) {
    CLEANUP_BUF struct buf b = { 0 };
    struct json_writer w = { .out = &b };
    struct json_tape tape;
    double value, again;
    bits = bits * 6364136223846793005U + 1442695040888963407U;
    memcpy (&value, &bits, sizeof value);
    if (!isfinite (value))
      continue;
    jsonw_double (&w, value);
    if (!json_read (&tape, b.data, b.len, &json_default_limits, &a)
        || !json_double (&tape, json_root (&tape), &again)
        || memcmp (&value, &again, sizeof value) != 0)
      CU_FAIL_FATAL ("a double does not read back");
    arena_reset (&a);
  }
}

/* Around every power of ten, where numbers grow by a digit. */
static void
test_decimal (void)
{
  uint64_t power = 1;

  for (int digits = 0; digits < DECIMAL_MAX; digits++, power *= 10)
    for (int off = -1; off <= 1; off++) {
      char text[DECIMAL_MAX + 1], expected[DECIMAL_MAX + 1];
      *decimal_put (text, power + (uint64_t) off) = '\0';
      (void) snprintf (expected, sizeof expected, "%" PRIu64, power + (uint64_t) off);
      CU_ASSERT_STRING_EQUAL (text, expected);
    }
}

static void
expect_base64 (const char *data, const char *expected)
{
  CLEANUP_BUF struct buf b = { 0 };
  struct json_writer w = { .out = &b };

  jsonw_base64 (&w, data, strlen (data));
  CU_ASSERT_STRING_EQUAL (buf_cstr (&b), expected);
}

/* The test vectors of RFC 4648. */
static void
test_base64 (void)
{
  CLEANUP_BUF struct buf b = { 0 };
  struct json_writer w = { .out = &b };

  expect_base64 ("", "\"\"");
  expect_base64 ("f", "\"Zg==\"");
  expect_base64 ("fo", "\"Zm8=\"");
  expect_base64 ("foo", "\"Zm9v\"");
  expect_base64 ("foob", "\"Zm9vYg==\"");
  expect_base64 ("fooba", "\"Zm9vYmE=\"");
  expect_base64 ("foobar", "\"Zm9vYmFy\"");
  expect_base64 ("\xfb\xff\xfe", "\"+//+\"");
  jsonw_array (&w);
  jsonw_base64 (&w, "f", 1);
  jsonw_base64 (&w, "", 0);
  jsonw_end (&w);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&b), "[\"Zg==\",\"\"]");
}

static void
test_formatted_strings (void)
{
  CLEANUP_BUF struct buf b = { 0 };
  struct json_writer w = { .out = &b };
  char text[700];

  memset (text, 'y', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  jsonw_stringf (&w, "%s \"%d\"", "a", 1);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&b), "\"a \\\"1\\\"\"");
  buf_reset (&b, 0);
  jsonw_stringf (&w, "%s", text);
  CU_ASSERT_EQUAL (b.len, sizeof text - 1 + 2);
}

static void
test_pointers (void)
{
  CLEANUP_BUF struct buf b = { 0 };

  CU_ASSERT_EQUAL (json_pointer_add (&b, "a/b", 3), 0);
  CU_ASSERT_EQUAL (json_pointer_add (&b, "~", 1), 5);
  CU_ASSERT_EQUAL (json_pointer_add (&b, "", 0), 8);
  CU_ASSERT_EQUAL (json_pointer_add (&b, "plain", 2), 9);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&b), "/a~1b/~0//pl");
}

static CU_TestInfo tests[] = { { "commas", test_commas },
                               { "lists of names", test_lists_of_names },
                               { "one value alone", test_one_value_alone },
                               { "nesting", test_nesting },
                               { "escapes", test_escapes },
                               { "bytes that are not UTF-8", test_bytes_that_are_not_utf8 },
                               { "any byte reads back", test_any_byte_reads_back },
                               { "doubles", test_doubles },
                               { "doubles read back", test_doubles_read_back },
                               { "numbers of all lengths", test_decimal },
                               { "base64", test_base64 },
                               { "pointers", test_pointers },
                               { "formatted strings", test_formatted_strings },
                               CU_TEST_INFO_NULL };
static CU_SuiteInfo suites[] = { { "json_write", NULL, NULL, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };

TAP_MAIN (suites)
