/* value.h: JSON as values that never change. */
#include <stdlib.h>
#include <string.h>

#include "common/value.h"
#include "tap.h"

/* From memory of exactly its size, so that reading beyond it is seen. */
static const struct value *
parsed (struct values *pool, const char *text)
{
  const size_t len = strlen (text);
  char *exact = malloc (len + (len == 0));
  const struct value *value;

  if (len != 0)
    memcpy (exact, text, len);
  value = value_parse (pool, exact, len);
  free (exact);
  return value;
}

static bool
writes (const struct value *value, const char *json)
{
  CLEANUP_TEXT struct text out = { 0 };

  value_write (&out, value);
  if (strcmp (text_get (&out), json) != 0)
    printf ("# expected %s, got %s\n", json, text_get (&out));
  return strcmp (text_get (&out), json) == 0;
}

static void
what_is_json_comes_back (void)
{
  static const char *const rows[][2] = {
    { "null", "null" },
    { " true ", "true" },
    { "[false,[ ],{}]", "[false,[],{}]" },
    { "{\"a\" : 1.50e+3 , \"b\":[-0]}", "{\"a\":1.50e+3,\"b\":[-0]}" },
    { "12345678901234567890", "12345678901234567890" },
    { "\"\\u00e9\\ud83d\\ude00\\n\\u0000\"", "\"\xC3\xA9\xF0\x9F\x98\x80\\n\\u0000\"" },
    { "[[[1]],\"x\"]", "[[[1]],\"x\"]" },
  };
  CLEANUP_VALUES struct values pool = { 0 };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const struct value *value = parsed (&pool, rows[i][0]);
    CU_ASSERT_PTR_NOT_NULL_FATAL (value);
    CU_ASSERT (writes (value, rows[i][1]));
  }
}

static void
what_is_none_is_refused (void)
{
  static const char *const rows[] = {
    "",
    " ",
    "nul",
    "tru e",
    "[1,]",
    "[,1]",
    "[1 2]",
    "{",
    "[",
    "{\"a\"}",
    "{\"a\":}",
    "{a:1}",
    "{\"a\":1,}",
    "01",
    "1.",
    ".5",
    "1e",
    "-",
    "+1",
    "0x1",
    "1 2",
    "[1]]",
    "\"abc",
    "\"\\ud800\"",
    "{\"a\":1\"b\":2}",
    "[\"a\":1]",
    "NaN",
    "\"\\x\"",
    "[1,,2]",
    "{,\"a\":1}",
    "\"a\xff\"",
    "{\"\xc3\":1}",           /* no UTF-8 */
    "{\"a\":1,\"a\":2}",      /* twice */
    "{\"a\\u0000b\":1}",      /* a name with U+0000 */
    "{\"a\":1,\"\\u0061\":2}" /* the same name in other letters */
  };
  CLEANUP_VALUES struct values pool = { 0 };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (parsed (&pool, rows[i]) != NULL)
      printf ("# taken: %s\n", rows[i]);
    CU_ASSERT_PTR_NULL (parsed (&pool, rows[i]));
  }
}

static void
depth_is_bounded (void)
{
  CLEANUP_VALUES struct values pool = { 0 };
  char text[2 * VALUE_DEPTH_MAX + 10] = "";
  const struct value *deep;

  memset (text, '[', VALUE_DEPTH_MAX);
  memset (text + VALUE_DEPTH_MAX, ']', VALUE_DEPTH_MAX);
  deep = parsed (&pool, text);
  CU_ASSERT_PTR_NOT_NULL_FATAL (deep);
  CU_ASSERT (value_fits (deep, 1000));
  for (int i = 0; i < 2; i++)
    deep = value_array (&pool, &deep, 1);
  CU_ASSERT_FALSE (value_fits (deep, 1000));
  memset (text, '[', sizeof text - 1);
  CU_ASSERT_PTR_NULL (parsed (&pool, text));
}

static void
sizes_count_what_is_shared_each_time (void)
{
  CLEANUP_VALUES struct values pool = { 0 };
  const struct value *value = value_string_z (&pool, "0123456789");

  CU_ASSERT (value_fits (value, 12));
  CU_ASSERT_FALSE (value_fits (value, 11));
  for (int i = 0; i < 60; i++) { /* 2^60 texts, if anybody wrote them */
    const struct value *const two[] = { value, value };
    value = value_array (&pool, two, 2);
  }
  CU_ASSERT_FALSE (value_fits (value, 65536));
}

static void
changes_make_others (void)
{
  CLEANUP_VALUES struct values pool = { 0 };
  const struct value *old = parsed (&pool, "{\"a\":1,\"b\":[1]}");
  const struct value *one = value_int (&pool, -7);

  CU_ASSERT (writes (value_with (&pool, old, "a", 1, one), "{\"a\":-7,\"b\":[1]}"));
  CU_ASSERT (writes (value_with (&pool, old, "c", 1, one), "{\"a\":1,\"b\":[1],\"c\":-7}"));
  CU_ASSERT (writes (value_without (&pool, old, "a", 1), "{\"b\":[1]}"));
  CU_ASSERT (writes (value_append (&pool, value_get_z (old, "b"), one), "[1,-7]"));
  CU_ASSERT (writes (old, "{\"a\":1,\"b\":[1]}"));
  CU_ASSERT_PTR_NULL (value_get_z (old, "c"));
  CU_ASSERT_PTR_NULL (value_get_z (one, "a"));
  CU_ASSERT_PTR_NULL (value_get_z (NULL, "a"));
}

static void
values_are_equal_as_json_schema_has_it (void)
{
  static const struct {
    const char *a, *b;
    bool equal;
  } rows[] = {
    { "1", "1.0", true },
    { "1e2", "100", true },
    { "0", "-0", true },
    { "0.0", "-0", true },
    { "12345678901234567890", "12345678901234567891", false },
    { "1", "\"1\"", false },
    { "true", "false", false },
    { "null", "false", false },
    { "[1,2]", "[2,1]", false },
    { "[1]", "[1,2]", false },
    { "{\"a\":1,\"b\":{\"c\":[]}}", "{\"b\":{\"c\":[]},\"a\":1.0}", true },
    { "{\"a\":1}", "{\"b\":1}", false },
    { "{\"a\":1}", "{\"a\":1,\"b\":1}", false },
  };
  CLEANUP_VALUES struct values pool = { 0 };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    CU_ASSERT_EQUAL (value_equal (parsed (&pool, rows[i].a), parsed (&pool, rows[i].b)),
                     rows[i].equal);
  CU_ASSERT (value_equal (NULL, &value_null));
}

static void
large_ones_live_beside_small_ones (void)
{
  enum { SIZE = 100000 };
  CLEANUP_VALUES struct values pool = { 0 };
  char *text = calloc (1, SIZE + 1);
  const struct value *kept[50];

  memset (text, 'x', SIZE);
  for (size_t i = 0; i < 50; i++) {
    kept[i] = value_string (&pool, text, i % 2 == 0 ? i : SIZE);
    text[0] = (char) ('a' + i % 20);
  }
  for (size_t i = 1; i < 50; i++) {
    CU_ASSERT_EQUAL (kept[i]->count, i % 2 == 0 ? i : SIZE);
    CU_ASSERT_EQUAL (kept[i]->text[0], (char) ('a' + (i - 1) % 20));
    CU_ASSERT_EQUAL (strlen (kept[i]->text), kept[i]->count);
  }
  CU_ASSERT (values_ok (&pool));
  free (text);
}

static CU_TestInfo tests[] = {
  { "what is JSON comes back", what_is_json_comes_back },
  { "what is none is refused", what_is_none_is_refused },
  { "depth is bounded", depth_is_bounded },
  { "sizes count what is shared each time", sizes_count_what_is_shared_each_time },
  { "changes make others", changes_make_others },
  { "values are equal as JSON Schema has it", values_are_equal_as_json_schema_has_it },
  { "large ones live beside small ones", large_ones_live_beside_small_ones },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "value", NULL, NULL, NULL, NULL, tests }, CU_SUITE_INFO_NULL };
TAP_MAIN (suites)
