#include "base64.h"
#include "json_scan.h"
#include "near.h"
#include "percent.h"
#include "tap.h"
#include "text.h"
#include "utf8.h"

static void
utf8_knows_what_is_none (void)
{
  static const char *const broken[] = { "\x80",         "\xC0\x80",         "\xE0\x80\x80",
                                        "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF8\x88\x80\x80",
                                        "\xC3",         "\xE2\x82",         "\xF0\x9F\x98",
                                        "a\xFF" };
  uint32_t c;

  for (size_t i = 0; i < sizeof broken / sizeof *broken; i++)
    CU_ASSERT_FALSE (utf8_valid (broken[i], strlen (broken[i])));
  CU_ASSERT_TRUE (utf8_valid ("a\0\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", 11));
  CU_ASSERT_EQUAL (utf8_next ("\xF0\x9F\x98\x80", 4, &c), 4);
  CU_ASSERT_EQUAL (c, 0x1F600);
  CU_ASSERT_EQUAL (utf8_count ("a\xE2\x82\xAC\xFF", 5), 3);
}

static void
utf8_cuts_between_characters (void)
{
  CU_ASSERT_EQUAL (utf8_cut ("\xE2\x82\xAC\xE2\x82\xAC", 6, 6), 6);
  CU_ASSERT_EQUAL (utf8_cut ("\xE2\x82\xAC\xE2\x82\xAC", 6, 5), 3);
  CU_ASSERT_EQUAL (utf8_cut ("\xE2\x82\xAC\xE2\x82\xAC", 6, 2), 0);
  CU_ASSERT_EQUAL (utf8_cut ("abc", 3, 2), 2);
}

static void
text_writes_json (void)
{
  CLEANUP_TEXT struct text t = { 0 };

  json_open (&t, '{');
  json_name_string (&t, "a", "q\" b\\ n\n \x01 \xC3\xA9 \xFF");
  json_name (&t, "list");
  json_open (&t, '[');
  json_int (&t, -7);
  json_bool (&t, true);
  json_open (&t, '{');
  json_close (&t, '}');
  json_string_len (&t, "\0", 1);
  json_close (&t, ']');
  json_close (&t, '}');
  CU_ASSERT_TRUE (text_ok (&t));
  CU_ASSERT_STRING_EQUAL (text_get (&t),
                          "{\"a\":\"q\\\" b\\\\ n\\n \\u0001 \xC3\xA9 \xEF\xBF\xBD\","
                          "\"list\":[-7,true,{},\"\\u0000\"]}");
}

static void
text_grows (void)
{
  CLEANUP_TEXT struct text t = { 0 };

  CU_ASSERT_STRING_EQUAL (text_get (&t), "");
  for (int i = 0; i < 1000; i++)
    text_addf (&t, "%04d", i);
  CU_ASSERT_EQUAL (t.len, 4000);
  CU_ASSERT_EQUAL (strncmp (text_get (&t) + 3996, "0999", 5), 0);
  text_clear (&t);
  CU_ASSERT_STRING_EQUAL (text_get (&t), "");
}

static void
text_makes_lines (void)
{
  CLEANUP_TEXT struct text t = { 0 };

  text_add_line (&t, "a\tb\n\x1B\xFF\xC3\xA9\xC2\x85.", 11);
  CU_ASSERT_STRING_EQUAL (text_get (&t), "a\tb\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xC3\xA9"
                                         "\xEF\xBF\xBD.");
}

static void
base64_goes_both_ways (void)
{
  static const char *const encoded[] = { "",         "Zg==",     "Zm8=",    "Zm9v",
                                         "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy" };

  for (size_t len = 0; len <= 6; len++) {
    CLEANUP_TEXT struct text there = { 0 }, back = { 0 };
    size_t wrong;

    base64_encode (&there, "foobar", len);
    CU_ASSERT_STRING_EQUAL (text_get (&there), encoded[len]);
    CU_ASSERT_TRUE (base64_decode (&back, encoded[len], strlen (encoded[len]), &wrong));
    CU_ASSERT_EQUAL (back.len, len);
    CU_ASSERT_EQUAL (strncmp (text_get (&back), "foobar", len), 0);
  }
}

static void
scan_walks (void)
{
  const char *json =
    " { \"a\\u00e9\\ud83d\\ude00\" : [ 1, \"x\\n\", {\"y\":[null]} ] , \"b\":-1.5e3,"
    "\"c\":\"\" } ";
  struct json_scan scan = { json, json + strlen (json) };
  CLEANUP_TEXT struct text name = { 0 }, value = { 0 };

  CU_ASSERT_TRUE (json_scan_enter (&scan, '{'));
  CU_ASSERT_TRUE (json_scan_name (&scan, &name));
  CU_ASSERT_STRING_EQUAL (text_get (&name), "a\xC3\xA9\xF0\x9F\x98\x80");
  CU_ASSERT_TRUE (json_scan_enter (&scan, '['));
  CU_ASSERT_TRUE (json_scan_item (&scan));
  CU_ASSERT_FALSE (json_scan_string (&scan, &value));
  CU_ASSERT_TRUE (json_scan_skip (&scan));
  CU_ASSERT_TRUE (json_scan_item (&scan));
  CU_ASSERT_TRUE (json_scan_string (&scan, &value));
  CU_ASSERT_STRING_EQUAL (text_get (&value), "x\n");
  CU_ASSERT_TRUE (json_scan_item (&scan));
  CU_ASSERT_TRUE (json_scan_skip (&scan));
  CU_ASSERT_FALSE (json_scan_item (&scan));
  CU_ASSERT_TRUE (json_scan_name (&scan, &name));
  CU_ASSERT_STRING_EQUAL (text_get (&name), "b");
  CU_ASSERT_TRUE (json_scan_skip (&scan));
  CU_ASSERT_TRUE (json_scan_name (&scan, &name));
  CU_ASSERT_TRUE (json_scan_string (&scan, &value));
  CU_ASSERT_STRING_EQUAL (text_get (&value), "");
  CU_ASSERT_FALSE (json_scan_name (&scan, &name));
}

/* Every head of a text, in memory of exactly its size: nothing is read beyond it. */
static void
scan_stays_within (void)
{
  const char *json = "{\"a\\u00e9\\ud83d\\ude00\":[1,\"x\\n\",{\"y\":[null]}],\"b\":-1.5e3}";

  for (size_t len = 0; len < strlen (json); len++) {
    char *head = malloc (len + 1);
    struct json_scan scan = { head, head + len };
    CLEANUP_TEXT struct text name = { 0 };
    int members = 0;

    memcpy (head, json, len);
    if (json_scan_enter (&scan, '{'))
      while (members < 3 && json_scan_name (&scan, &name) && json_scan_skip (&scan))
        members++;
    CU_ASSERT_TRUE (members <= 2);
    CU_ASSERT_TRUE (scan.at <= scan.end);
    free (head);
  }
}

static void
near_knows_misspellings (void)
{
  struct near near = { .word = "sqtr" };
  CLEANUP_TEXT struct text said = { 0 };

  CU_ASSERT_EQUAL (near_distance ("kitten", "sitting"), 3);
  CU_ASSERT_EQUAL (near_distance ("ABC", "acb"), 1);
  CU_ASSERT_EQUAL (near_distance ("", "abc"), 3);
  near_say (&near, &said);
  CU_ASSERT_STRING_EQUAL (text_get (&said), "");
  near_offer (&near, "floor");
  near_offer (&near, "sort");
  near_offer (&near, "sqrt");
  near_say (&near, &said);
  CU_ASSERT_STRING_EQUAL (text_get (&said), "; did you mean \"sqrt\" or \"sort\"?");
}

static void
percent_goes_both_ways (void)
{
  static const struct {
    const char *text, *encoded;
    enum percent how;
  } rows[] = {
    { "a b/\xC3\xA9~", "a%20b%2F%C3%A9~", PERCENT_ALL },
    { "a b+%41", "a+b%2B%2541", PERCENT_FORM },
    { "a/b?c=%41#d&e+%", "a/b?c=%41%23d%26e%2B%25", PERCENT_RESERVED },
    { "/a b/%41?#", "/a%20b/%41%3F%23", PERCENT_PATH },
  };
  CLEANUP_TEXT struct text decoded = { 0 };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CLEANUP_TEXT struct text out = { 0 };
    percent_encode (&out, rows[i].text, strlen (rows[i].text), rows[i].how);
    CU_ASSERT_STRING_EQUAL (text_get (&out), rows[i].encoded);
  }
  percent_decode (&decoded, "%41%2f%zz%4", 11);
  CU_ASSERT_STRING_EQUAL (text_get (&decoded), "A/%zz%4");
}

static void
percent_hides_no_dots (void)
{
  static const char *const hidden[] = { ".",           "..",    "/a/../b", "/a/%2e",
                                        "%252e%252E/", "a\\..", "/..;x",   "/%2e%2e%2fa" },
                           *const plain[] = { "",         "/",          "/a",   "/...",
                                              "/a.b/..c", "/%2e%2e%2e", "/a;.." };

  for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
    CU_ASSERT_TRUE (percent_hides_dots (hidden[i], strlen (hidden[i])));
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
    CU_ASSERT_FALSE (percent_hides_dots (plain[i], strlen (plain[i])));
}

static CU_TestInfo tests[] = {
  { "UTF-8 knows what is none", utf8_knows_what_is_none },
  { "UTF-8 is cut between characters", utf8_cuts_between_characters },
  { "text writes JSON", text_writes_json },
  { "text grows", text_grows },
  { "text makes lines of what comes", text_makes_lines },
  { "base64 goes both ways", base64_goes_both_ways },
  { "scan walks through JSON", scan_walks },
  { "scan stays within broken JSON", scan_stays_within },
  { "near knows misspellings", near_knows_misspellings },
  { "percent goes both ways", percent_goes_both_ways },
  { "percent hides no dots", percent_hides_no_dots },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = { { "plugins/common", NULL, NULL, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };

TAP_MAIN (suites)
