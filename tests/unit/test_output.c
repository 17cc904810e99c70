/* What a plugin says for the log: whole lines, so many bytes of them in a second. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pool/output.h"
#include "tap.h"

struct fixture {
  FILE *file;
  struct log *log;
  struct output output;
  char text[256 * 1024];
};

static void
begin (struct fixture *f)
{
  f->file = tmpfile ();
  CU_ASSERT_PTR_NOT_NULL_FATAL (f->file);
  f->log = log_new (fileno (f->file), LOG_INFO);
  output_init (&f->output, f->log, "loud");
}

/* Nothing more will come: read what was logged. */
static void
finish (struct fixture *f)
{
  ssize_t len;

  output_end (&f->output);
  output_free (&f->output);
  log_free (f->log);
  len = pread (fileno (f->file), f->text, sizeof f->text - 1, 0);
  f->text[len > 0 ? len : 0] = '\0';
  (void) fclose (f->file);
}

static unsigned
logged (const struct fixture *f, const char *words)
{
  unsigned count = 0;

  for (const char *at = f->text; (at = strstr (at, words)) != NULL; at++)
    count++;
  return count;
}

static void
print (struct fixture *f, double now, const char *text)
{
  CU_ASSERT (output_print (&f->output, now, text, strlen (text)));
}

static void
test_lines (void)
{
  struct fixture f;

  begin (&f);
  print (&f, 1, "one\ntw");
  print (&f, 1, "o\n\n\n");
  CU_ASSERT (output_print (&f.output, 1, "a\0b\n", 4));
  print (&f, 1, "not ended");
  finish (&f);
  CU_ASSERT_EQUAL (logged (&f, "\"text\":\"one\""), 1);
  CU_ASSERT_EQUAL (logged (&f, "\"text\":\"two\""), 1);
  CU_ASSERT_EQUAL (logged (&f, "\"text\":\"a b\""), 1);
  CU_ASSERT_EQUAL (logged (&f, "\"text\":\"not ended\""), 1);
  CU_ASSERT_EQUAL (logged (&f, "plugin_output"), 4);
}

static void
test_a_long_line_comes_in_pieces (void)
{
  char text[2 * OUTPUT_LINE_MAX + 11];
  struct fixture f;

  memset (text, 'x', sizeof text);
  text[sizeof text - 1] = '\n';
  begin (&f);
  CU_ASSERT (output_print (&f.output, 1, text, sizeof text));
  finish (&f);
  CU_ASSERT_EQUAL (logged (&f, "plugin_output"), 3);
  CU_ASSERT_EQUAL (logged (&f, "\"xxxxxxxxxx\""), 1);
}

static void
test_a_second_has_a_bound (void)
{
  enum { LINES = OUTPUT_PER_SECOND / OUTPUT_LINE_COST };
  struct fixture f;
  bool told = true;

  begin (&f);
  for (int i = 0; i < LINES; i++)
    told = output_print (&f.output, 1.5, "x\n", 2);
  CU_ASSERT (!told);
  print (&f, 2.6, "again\n");
  finish (&f);
  CU_ASSERT (logged (&f, "\"text\":\"x\"") < LINES);
  CU_ASSERT (logged (&f, "\"text\":\"x\"") > LINES / 2);
  CU_ASSERT_EQUAL (logged (&f, "plugin_output_dropped"), 1);
  CU_ASSERT_EQUAL (logged (&f, "\"text\":\"again\""), 1);
}

static void
test_lines_of_the_log_are_counted_too (void)
{
  struct fixture f;

  begin (&f);
  CU_ASSERT (output_may_log (&f.output, 1, OUTPUT_PER_SECOND / 2));
  CU_ASSERT (!output_may_log (&f.output, 1, OUTPUT_PER_SECOND / 2));
  CU_ASSERT (output_may_log (&f.output, 1, 10));
  finish (&f);
  CU_ASSERT_EQUAL (logged (&f, "\"bytes\":\"32768\""), 1);
}

static CU_TestInfo tests[] = {
  { "lines", test_lines },
  { "a long line comes in pieces", test_a_long_line_comes_in_pieces },
  { "a second has a bound", test_a_second_has_a_bound },
  { "lines of the log are counted too", test_lines_of_the_log_are_counted_too },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = {
  { "output", NULL, NULL, NULL, NULL, tests },
  CU_SUITE_INFO_NULL,
};

TAP_MAIN (suites)
