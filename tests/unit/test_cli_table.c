#include "tap.h"

#include <locale.h>

#include "cli/table.h"

static const struct table_column columns[] = { { .title = "NAME" },
                                               { .title = "N", .right = true },
                                               { .title = "TEXT", .cut = true } };

static int
use_utf8 (void)
{
  return setlocale (LC_CTYPE, "C.UTF-8") == NULL;
}

static void
add_row (struct table *table, const char *name, int number, const char *text)
{
  table_add (table, name, strlen (name));
  table_addf (table, "%d", number);
  table_add (table, text, strlen (text));
}

static void
expect (struct table *table, unsigned width, const char *expected)
{
  CLEANUP_BUF struct buf out = { 0 };

  table_render (table, width, &out);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&out), expected);
  table_free (table);
}

static struct table
new_table (void)
{
  return (struct table){ .columns = columns, .columns_count = 3 };
}

static void
test_aligns (void)
{
  struct table table = new_table ();

  add_row (&table, "a", 5, "one");
  add_row (&table, "longer", 1234, "two");
  expect (&table, 0,
          "NAME       N  TEXT\n"
          "a          5  one\n"
          "longer  1234  two\n");
}

static void
test_cuts (void)
{
  struct table table = new_table ();

  add_row (&table, "abc", 5, "a text that is too long");
  expect (&table, 20,
          "NAME  N  TEXT\n"
          "abc   5  a text tha…\n");
}

static void
test_keeps_least (void)
{
  struct table table = new_table ();

  add_row (&table, "a_very_long_name", 5, "something");
  expect (&table, 10,
          "NAME              N  TEXT\n"
          "a_very_long_name  5  som…\n");
}

static void
test_empty (void)
{
  struct table table = new_table ();

  expect (&table, 80, "NAME  N  TEXT\n");
}

static void
test_wide (void)
{
  struct table table = new_table ();

  add_row (&table, "\xe6\x97\xa5", 1, "x");
  add_row (&table, "u\xcc\x88", 2, "y");
  expect (&table, 0,
          "NAME  N  TEXT\n"
          "\xe6\x97\xa5    1  x\n"
          "u\xcc\x88     2  y\n");
}

static void
test_harmless (void)
{
  struct table table = new_table ();

  add_row (&table, "a\x1b[1m", 1, "two\nlines\tand a tab");
  expect (&table, 0,
          "NAME        N  TEXT\n"
          "a\\u001b[1m  1  two lines and a tab\n");
}

static void
test_cut_text (void)
{
  CLEANUP_BUF struct buf out = { 0 };

  text_cut (&out, "\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5", 9, 4);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&out), "\xe6\x97\xa5…");
  buf_reset (&out, 0);
  text_cut (&out, "abc", 3, 0);
  CU_ASSERT_EQUAL (out.len, 0);
}

static CU_TestInfo tests[] = { { "aligns columns", test_aligns },
                               { "cuts to the width", test_cuts },
                               { "keeps what may not be cut", test_keeps_least },
                               { "has titles without rows", test_empty },
                               { "counts columns, not bytes", test_wide },
                               { "makes cells harmless", test_harmless },
                               { "never cuts through a character", test_cut_text },
                               CU_TEST_INFO_NULL };

static CU_SuiteInfo suites[] = { { "cli table", use_utf8, NULL, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };

TAP_MAIN (suites)
