#include "tap.h"

#include "cli/sse.h"

static struct buf seen;

static void
on_event (void *ctx, const char *name, const char *data, size_t len)
{
  (void) ctx;
  buf_printf (&seen, "<%s|%.*s>", name, (int) len, data);
}

/* Feed in pieces of `step` bytes. */
static void
expect (const char *stream, size_t step, const char *expected)
{
  struct sse sse = { .on_event = on_event };
  size_t len = strlen (stream);

  buf_reset (&seen, 0);
  for (size_t at = 0; at < len; at += step)
    CU_ASSERT (sse_feed (&sse, stream + at, len - at < step ? len - at : step));
  CU_ASSERT_STRING_EQUAL (buf_cstr (&seen), expected);
  sse_free (&sse);
}

static void
test_events (void)
{
  static const char stream[] = "event: progress\ndata: {\"done\":1}\n\n"
                               ": a comment\n\n"
                               "event: result\r\ndata:{}\r\n\r\n"
                               "data: one\ndata: two\n\n"
                               "event: nothing\n\n"
                               "data\n\n";

  for (size_t step = 1; step < 20; step++)
    expect (stream, step, "<progress|{\"done\":1}><result|{}><message|one\ntwo><message|>");
}

static void
test_unfinished (void)
{
  expect ("event: result\ndata: {}\n", 5, "");
}

static void
test_long_name (void)
{
  CLEANUP_BUF struct buf stream = { 0 };

  buf_puts (&stream, "event: ");
  for (int i = 0; i < 200; i++)
    buf_putc (&stream, 'x');
  buf_puts (&stream, "\ndata: d\n\n");
  struct sse sse = { .on_event = on_event };
  buf_reset (&seen, 0);
  CU_ASSERT (sse_feed (&sse, stream.data, stream.len));
  CU_ASSERT_EQUAL (seen.len, SSE_NAME_MAX - 1 + 4);
  sse_free (&sse);
}

static int
done (void)
{
  buf_free (&seen);
  return 0;
}

static CU_TestInfo tests[] = { { "reads events from any pieces", test_events },
                               { "waits for the end of an event", test_unfinished },
                               { "bounds the name", test_long_name },
                               CU_TEST_INFO_NULL };

static CU_SuiteInfo suites[] = { { "cli sse", NULL, done, NULL, NULL, tests }, CU_SUITE_INFO_NULL };

TAP_MAIN (suites)
