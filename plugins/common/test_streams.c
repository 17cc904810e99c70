/* Lines and server-sent events, in pieces of every size. */
#include <stdio.h>
#include <string.h>

#include "sse.h"
#include "tap.h"

static bool
note_line (void *ctx, const char *line, size_t len)
{
  struct text *seen = ctx;

  text_addf (seen, "<%.*s>", (int) len, line);
  return len != 4 || memcmp (line, "stop", 4) != 0;
}

static bool
note_event (void *ctx, const struct sse_event *event)
{
  struct text *seen = ctx;

  text_addf (seen, "<%s:%s>", event->type, event->data);
  return strcmp (event->data, "stop") != 0;
}

static void
lines_come_in_pieces (void)
{
  static const char all[] = "one\r\ntwo\n\nthree\nrest";

  for (size_t size = 1; size <= sizeof all; size++) {
    CLEANUP_TEXT struct text seen = { 0 };
    struct line_feed lines = { .max = 8 };
    for (size_t at = 0; at < sizeof all - 1; at += size) {
      size_t part = sizeof all - 1 - at < size ? sizeof all - 1 - at : size;
      CU_ASSERT_TRUE (line_feed (&lines, all + at, part, note_line, &seen));
    }
    CU_ASSERT_STRING_EQUAL (text_get (&seen), "<one><two><><three>");
    CU_ASSERT_STRING_EQUAL (text_get (&lines.rest), "rest");
    line_feed_free (&lines);
  }
}

static void
lines_end_early (void)
{
  CLEANUP_TEXT struct text seen = { 0 };
  struct line_feed lines = { .max = 8 };

  CU_ASSERT_FALSE (line_feed (&lines, "a\nstop\nb\n", 9, note_line, &seen));
  CU_ASSERT_STRING_EQUAL (text_get (&seen), "<a><stop>");
  CU_ASSERT_FALSE (lines.too_long);
  CU_ASSERT_FALSE (line_feed (&lines, "123456789\n", 10, note_line, &seen));
  CU_ASSERT_TRUE (lines.too_long);
  line_feed_free (&lines);
  lines = (struct line_feed){ .max = 8 };
  CU_ASSERT_TRUE (line_feed (&lines, "12345", 5, note_line, &seen));
  CU_ASSERT_FALSE (line_feed (&lines, "6789", 4, note_line, &seen));
  CU_ASSERT_TRUE (lines.too_long);
  line_feed_free (&lines);
}

static void
events_come_in_pieces (void)
{
  static const char all[] = "\357\273\277: hello\r\nid: 7\r\nretry: 250\r\ndata:\r\n\r\n"
                            "event: note\ndata: {\"a\":1,\ndata:  2}\n\n\n"
                            "data\n\nid\nunknown: x\ndata: last\n\ndata: never ended\n";

  for (size_t size = 1; size <= sizeof all; size++) {
    CLEANUP_TEXT struct text seen = { 0 };
    struct sse sse = { .lines.max = 64 };
    for (size_t at = 0; at < sizeof all - 1; at += size) {
      size_t part = sizeof all - 1 - at < size ? sizeof all - 1 - at : size;
      CU_ASSERT_TRUE (sse_feed (&sse, all + at, part, note_event, &seen));
    }
    CU_ASSERT_STRING_EQUAL (text_get (&seen),
                            "<message:><note:{\"a\":1,\n 2}><message:><message:last>");
    CU_ASSERT_EQUAL (sse.retry_ms, 250);
    CU_ASSERT_STRING_EQUAL (text_get (&sse.id), "");
    sse_free (&sse);
  }
}

static void
events_end_early (void)
{
  CLEANUP_TEXT struct text seen = { 0 };
  struct sse sse = { .lines.max = 16 };

  CU_ASSERT_FALSE (sse_feed (&sse, "data: stop\n\ndata: b\n\n", 21, note_event, &seen));
  CU_ASSERT_STRING_EQUAL (text_get (&seen), "<message:stop>");
  CU_ASSERT_FALSE (sse.lines.too_long);
  sse_free (&sse);
  sse = (struct sse){ .lines.max = 16 };
  CU_ASSERT_FALSE (
    sse_feed (&sse, "data: 1234567\ndata: 1234567\ndata: 123\n", 38, note_event, &seen));
  CU_ASSERT_TRUE (sse.lines.too_long);
  sse_free (&sse);
}

static CU_TestInfo tests[] = {
  { "lines come in pieces", lines_come_in_pieces },
  { "lines end early", lines_end_early },
  { "events come in pieces", events_come_in_pieces },
  { "events end early", events_end_early },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = { { "streams", NULL, NULL, NULL, NULL, tests }, CU_SUITE_INFO_NULL };

TAP_MAIN (suites)
