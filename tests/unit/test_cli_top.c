/* What `toolhost top` makes of two looks, and a line of the log as people read it. */
#include "cli/log_line.h"
#include "cli/top_view.h"
#include "tap.h"

#include <locale.h>

static int
use_utf8 (void)
{
  return setlocale (LC_CTYPE, "C.UTF-8") == NULL;
}

/* A daemon that is up for so long and has had these calls of "a"; what else it says is fixed. */
static struct top_look
look_at (int uptime_ms, int ended, int failed, int refused, const char *buckets)
{
  struct top_look look = { .body = { 0 } };
  struct error err = { 0 };
  struct buf body = { 0 };

  buf_printf (&body,
              "{\"version\":\"1\",\"uptime_ms\":%d,\"memory_bytes\":10485760,\"memory_max_bytes\":"
              "67108864,\"workers\":2,\"running\":3,\"tools\":25,\"connections\":4,\"sessions\":1,"
              "\"log_dropped\":0,\"bounds_us\":[100,1000,2000000],\"calls\":["
              "{\"plugin\":\"p\",\"tool\":\"a\",\"running\":3,\"ended\":%d,\"failed\":%d,"
              "\"refused\":%d,\"buckets\":%s},"
              "{\"plugin\":\"p\",\"tool\":\"b\\u001b\",\"running\":0,\"ended\":7,\"failed\":0,"
              "\"refused\":0,\"buckets\":[7,0,0,0]}],"
              "\"plugins\":[{\"name\":\"p\",\"state\":\"running\",\"workers\":2,\"running\":3,"
              "\"queued\":1,\"rss_bytes\":2097152,\"cpu_ms\":%d,\"crashes\":1}]}",
              uptime_ms, ended, failed, refused, buckets, uptime_ms / 4);
  CU_ASSERT_TRUE_FATAL (top_look_read (&look, &body, &err));
  buf_free (&body);
  return look;
}

static void
rates_are_of_what_came_since (void)
{
  struct top_look before = look_at (1000, 100, 5, 1, "[100,0,0,0]");
  struct top_look now = look_at (3000, 300, 9, 21, "[200,100,0,0]");
  struct top_view view;

  top_view_make (&view, &before, &now, TOP_BY_RATE);
  CU_ASSERT_EQUAL (view.seconds, 2);
  CU_ASSERT_EQUAL_FATAL (view.tools_count, 2);
  CU_ASSERT_STRING_EQUAL (view.tools[0].tool, "a");
  CU_ASSERT_EQUAL (view.tools[0].rate, 100);
  CU_ASSERT_EQUAL (view.tools[0].failed, 2);
  CU_ASSERT_EQUAL (view.tools[0].refused, 10);
  CU_ASSERT_EQUAL (view.tools[1].rate, 0);
  CU_ASSERT_EQUAL (view.rate, 100);
  CU_ASSERT_EQUAL (view.plugins[0].cpu, 0.25);
  top_view_free (&view);
  top_look_free (&before);
  top_look_free (&now);
}

static void
near (double value, double expected)
{
  CU_ASSERT (value > expected - 0.01 && value < expected + 0.01);
}

/* Of the calls since the look before: what was slow long ago does not count. */
static void
percentiles_are_read_from_buckets (void)
{
  struct top_look before = look_at (1000, 100, 0, 0, "[0,0,0,100]");
  struct top_look now = look_at (2000, 200, 0, 0, "[50,50,0,100]");
  struct top_look later = look_at (3000, 210, 0, 0, "[50,50,0,110]");
  struct top_view view;

  top_view_make (&view, &before, &now, TOP_BY_RATE);
  near (view.tools[0].p50_us, 100);
  near (view.tools[0].p99_us, 100 + 900 * 0.98);
  CU_ASSERT (view.tools[1].p50_us < 0); /* none ended */
  top_view_free (&view);
  top_view_make (&view, &now, &later, TOP_BY_RATE);
  near (view.tools[0].p50_us, 2000000); /* above the last bound: at least that */
  top_view_free (&view);
  top_look_free (&before);
  top_look_free (&now);
  top_look_free (&later);
}

/* A daemon that was started anew has no rates yet; nor has the first look. */
static void
a_daemon_started_anew_is_seen_for_the_first_time (void)
{
  struct top_look before = look_at (5000, 100, 0, 0, "[100,0,0,0]");
  struct top_look now = look_at (10, 1, 0, 0, "[1,0,0,0]");
  CLEANUP_BUF struct buf json = { 0 };
  struct top_view view;

  top_view_make (&view, &before, &now, TOP_BY_RATE);
  CU_ASSERT_EQUAL (view.seconds, 0);
  CU_ASSERT (view.rate < 0 && view.tools[0].rate < 0 && view.plugins[0].cpu < 0);
  top_view_json (&view, &json);
  CU_ASSERT_PTR_NOT_NULL (strstr (buf_cstr (&json), "\"calls_per_second\":null"));
  top_view_free (&view);
  top_look_free (&before);
  top_look_free (&now);
}

static void
rows_are_sorted (void)
{
  static const struct {
    enum top_sort sort;
    const char *first;
  } rows[] = { { TOP_BY_RATE, "b\033" },
               { TOP_BY_NAME, "a" },
               { TOP_BY_RUNNING, "a" },
               { TOP_BY_FAILED, "b\033" },
               { TOP_BY_P99, "b\033" } };
  struct top_look now = look_at (10, 1, 0, 0, "[1,0,0,0]");
  struct top_view view;

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) { /* without rates: by all calls */
    top_view_make (&view, NULL, &now, rows[i].sort);
    CU_ASSERT_STRING_EQUAL (view.tools[0].tool, rows[i].first);
    top_view_free (&view);
  }
  top_look_free (&now);
}

static void
put_line (void *ctx, enum top_line kind, const char *text, size_t len)
{
  static const char marks[] = { [TOP_HEAD] = 'h', [TOP_TITLES] = 't', [TOP_ROW] = ' ' };

  buf_putc (ctx, marks[kind]);
  buf_append (ctx, text, len);
  buf_putc (ctx, '\n');
}

static size_t
lines_of (struct buf *text)
{
  size_t n = 0;

  for (size_t i = 0; i < text->len; i++)
    n += text->data[i] == '\n';
  return n;
}

static void
lines_are_for_people (void)
{
  struct top_look before = look_at (1000, 100, 5, 1, "[100,0,0,0]");
  struct top_look now = look_at (3000, 300, 9, 21, "[100,200,0,0]");
  CLEANUP_BUF struct buf text = { 0 };
  struct top_view view;

  top_view_make (&view, &before, &now, TOP_BY_RATE);
  top_view_lines (&view, 0, 0, put_line, &text);
  CU_ASSERT_STRING_EQUAL (
    buf_cstr (&text),
    "htoolhostd up 00:00:03, memory 10.0 MiB of 64.0 MiB, tools 25, workers 2, connections 4, "
    "sessions 1\n"
    "hcalls 100/s, failed 2.0/s, refused 10.0/s, running 3\n"
    " \n"
    "tTOOL     PLUGIN  CALLS/S     P50     P99  RUNNING  FAILED/S  REFUSED/S  CALLS\n"
    " a        p           100  550 us  991 us        3       2.0       10.0    300\n"
    " b\\u001b  p             0       -       -        0         0          0      7\n"
    " \n"
    "tPLUGIN  STATE    WORKERS  RUNNING  QUEUED   CPU   MEMORY  CRASHES\n"
    " p       running        2        3       1  25 %  2.0 MiB        1\n");
  text.len = 0;
  top_view_lines (&view, 40, 7, put_line, &text); /* one row of two tools, none of plugins */
  CU_ASSERT_EQUAL (lines_of (&text), 7);
  text.len = 0;
  top_view_lines (&view, 40, 1, put_line, &text);
  CU_ASSERT_EQUAL (lines_of (&text), 6); /* whoever draws leaves out the rest */
  top_view_free (&view);
  top_look_free (&before);
  top_look_free (&now);
}

static void
another_answer_is_refused (void)
{
  static const char *const bad[] = { "", "[]", "{}", "{\"calls\":[],\"plugins\":[]}",
                                     "{\"calls\":[],\"plugins\":{},\"bounds_us\":[]}" };

  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct top_look look = { .body = { 0 } };
    struct error err = { 0 };
    struct buf body = { 0 };
    buf_puts (&body, bad[i]);
    CU_ASSERT_FALSE (top_look_read (&look, &body, &err));
    CU_ASSERT_PTR_NOT_NULL (strstr (err.text, "/v1/top"));
    top_look_free (&look);
    buf_free (&body);
  }
}

/* ---- the log ---- */

static void
shows (const char *json, bool colourful, const char *expected)
{
  CLEANUP_BUF struct buf out = { 0 };

  log_line_show (&out, json, strlen (json), colourful);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&out), expected);
}

static void
a_line_of_the_log_is_shown (void)
{
  shows ("{\"ts\":\"T\",\"level\":\"info\",\"event\":\"e\",\"tool\":\"echo\",\"n\":\"5\","
         "\"why\":\"two words\",\"o\":{\"a\":[1]},\"none\":\"\"}",
         false, "T info    e tool=echo n=5 why=\"two words\" o={\"a\":[1]} none=\"\"\n");
  shows ("{\"level\":\"error\",\"event\":\"e\"}", true, "- \033[31merror  \033[0m e\n");
  shows ("no JSON", false, "no JSON\n");
  shows ("[1]", true, "[1]\n");
}

static void
nothing_in_a_line_acts_on_a_terminal (void)
{
  shows (
    "{\"ts\":\"\\u001b[2J\",\"level\":\"\\u0007\",\"event\":\"e\\nf\",\"a\\u009b\":\"\\u202e\"}",
    false, "\\u001b[2J \\u0007       e f a\\u009b=\\u202e\n");
}

static CU_TestInfo tests[] = {
  { "rates are of what came since", rates_are_of_what_came_since },
  { "percentiles are read from buckets", percentiles_are_read_from_buckets },
  { "a daemon started anew is seen for the first time",
    a_daemon_started_anew_is_seen_for_the_first_time },
  { "rows are sorted", rows_are_sorted },
  { "lines are for people", lines_are_for_people },
  { "another answer is refused", another_answer_is_refused },
  { "a line of the log is shown", a_line_of_the_log_is_shown },
  { "nothing in a line acts on a terminal", nothing_in_a_line_acts_on_a_terminal },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "cli_top", use_utf8, NULL, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };
TAP_MAIN (suites)
