#include "tap.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/frame.h"

/* ---- buf ---- */

static void
test_buf_grows (void)
{
  CLEANUP_BUF struct buf b = { 0 };

  for (int i = 0; i < 1000; i++)
    buf_printf (&b, "%d,", i);
  CU_ASSERT_EQUAL (b.len, 3890);
  CU_ASSERT (strncmp (buf_cstr (&b), "0,1,2,3,", 8) == 0);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&b) + b.len - 8, "998,999,");
}

static void
test_buf_prints_long_text (void)
{
  CLEANUP_BUF struct buf b = { 0 };
  char text[1000];

  memset (text, 'x', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  for (size_t len = 120; len < sizeof text; len++) {
    b.len = 0;
    buf_printf (&b, "%.*s|", (int) len, text);
    CU_ASSERT_EQUAL_FATAL (b.len, len + 1);
    CU_ASSERT_EQUAL (b.data[len], '|');
  }
}

static void
test_buf_keeps_zero_bytes (void)
{
  CLEANUP_BUF struct buf b = { 0 };

  buf_append (&b, "a\0b", 3);
  buf_append (&b, NULL, 0);
  buf_putc (&b, 'c');
  CU_ASSERT_EQUAL_FATAL (b.len, 4);
  CU_ASSERT (memcmp (b.data, "a\0bc", 4) == 0);
}

static void
test_buf_consumes (void)
{
  CLEANUP_BUF struct buf b = { 0 };

  buf_consume (&b, 0);
  buf_puts (&b, "hello world");
  buf_consume (&b, 6);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&b), "world");
  buf_consume (&b, 100);
  CU_ASSERT_EQUAL (b.len, 0);
}

static void
test_buf_reset_gives_memory_back (void)
{
  CLEANUP_BUF struct buf b = { 0 };

  buf_puts (&b, "small");
  buf_reset (&b, 4096);
  CU_ASSERT_EQUAL (b.len, 0);
  CU_ASSERT_PTR_NOT_NULL (b.data);
  (void) buf_reserve (&b, 10000);
  buf_reset (&b, 4096);
  CU_ASSERT_PTR_NULL (b.data);
  CU_ASSERT_EQUAL (b.cap, 0);
}

static void
test_copies_of_text (void)
{
  CLEANUP_FREE char *whole = xstrdup ("text");
  CLEANUP_FREE char *part = xstrndup ("text", 2);
  CLEANUP_FREE char *none = xstrndup (NULL, 0);

  CU_ASSERT_STRING_EQUAL (whole, "text");
  CU_ASSERT_STRING_EQUAL (part, "te");
  CU_ASSERT_STRING_EQUAL (none, "");
}

/* ---- arena ---- */

static void
test_arena_aligns_and_keeps (void)
{
  CLEANUP_ARENA struct arena a = { 0 };
  char *pieces[500];

  for (size_t i = 1; i < 500; i++) {
    pieces[i] = arena_alloc (&a, i);
    CU_ASSERT_EQUAL ((uintptr_t) pieces[i] % 16, 0);
    memset (pieces[i], (int) (i % 251), i);
  }
  for (size_t i = 1; i < 500; i++)
    for (size_t j = 0; j < i; j++)
      if ((unsigned char) pieces[i][j] != i % 251)
        CU_FAIL_FATAL ("pieces overlap");
}

static void
test_arena_takes_large_pieces (void)
{
  CLEANUP_ARENA struct arena a = { 0 };
  char *large = arena_alloc (&a, 1 << 20);
  const char *copy = arena_strndup (&a, "abc", 2);

  memset (large, 1, 1 << 20);
  CU_ASSERT_STRING_EQUAL (copy, "ab");
}

static void
test_arena_is_used_again (void)
{
  CLEANUP_ARENA struct arena a = { 0 };
  const char *first = arena_alloc (&a, 100);

  arena_reset (&a);
  CU_ASSERT_PTR_EQUAL (arena_alloc (&a, 100), first);
  (void) arena_alloc (&a, 1 << 20);
  arena_reset (&a);
  CU_ASSERT_PTR_NULL (a.blocks);
  CU_ASSERT_PTR_NOT_NULL (arena_alloc (&a, 1));
}

/* ---- errors ---- */

static void
test_errors_are_set_and_wrapped (void)
{
  struct error err = { 0 };

  CU_ASSERT_FALSE (error_set (&err, "expected %d", 5));
  CU_ASSERT_FALSE (error_wrap (&err, "%s: ", "/limits"));
  CU_ASSERT_STRING_EQUAL (err.text, "/limits: expected 5");
  CU_ASSERT_FALSE (error_set (NULL, "no one looks"));
  CU_ASSERT_FALSE (error_wrap (NULL, "no one looks"));
}

static void
test_long_errors_are_cut (void)
{
  struct error err = { 0 };
  char text[600];

  memset (text, 'x', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  error_set (&err, "%s", text);
  CU_ASSERT_EQUAL (strlen (err.text), sizeof err.text - 1);
  error_wrap (&err, "front: ");
  CU_ASSERT_EQUAL (strlen (err.text), sizeof err.text - 1);
  CU_ASSERT (strncmp (err.text, "front: xxx", 10) == 0);
  error_wrap (&err, "%s", text);
  CU_ASSERT_EQUAL (strlen (err.text), sizeof err.text - 1);
}

static void
test_nearest_word (void)
{
  static const char *const words[] = { "priority", "channel", "status", "unit", NULL };
  static const char *const none[] = { NULL };

  CU_ASSERT_STRING_EQUAL (error_nearest ("prioritiy", words), "priority");
  CU_ASSERT_STRING_EQUAL (error_nearest ("chanel", words), "channel");
  CU_ASSERT_STRING_EQUAL (error_nearest ("units", words), "unit");
  CU_ASSERT_STRING_EQUAL (error_nearest ("uint", words), "unit"); /* changed places */
  CU_ASSERT_STRING_EQUAL (error_nearest ("status", words), "status");
  /* more than a third of the word would have to change */
  CU_ASSERT_PTR_NULL (error_nearest ("flannels", words));
  CU_ASSERT_PTR_NULL (error_nearest ("ux", words));
  CU_ASSERT_PTR_NULL (error_nearest ("uxxt", words));
  CU_ASSERT_PTR_NULL (error_nearest ("", words));
  CU_ASSERT_PTR_NULL (error_nearest ("anything", none));
}

static void
test_nearest_word_of_long_ones (void)
{
  char word[200], candidate[200];
  const char *candidates[] = { candidate, NULL };

  memset (word, 'a', sizeof word);
  memset (candidate, 'a', sizeof candidate);
  word[63] = candidate[63] = '\0';
  candidate[5] = 'b';
  CU_ASSERT_PTR_EQUAL (error_nearest (word, candidates), candidate);
  word[63] = 'a';
  word[199] = candidate[199] = '\0';
  CU_ASSERT_PTR_NULL (error_nearest (word, candidates));
}

/* ---- frames ---- */

static void
test_frames_there_and_back (void)
{
  _Alignas(8) char datagram[256];
  struct frame_head head;
  const char *payload;
  size_t len, used;
  long n;

  memset (datagram, 0xff, sizeof datagram);
  used =
    frame_put (datagram, sizeof datagram, FRAME_CALL, FRAME_MORE, 77, "ab", 2, "c", 1, "def", 3);
  CU_ASSERT_EQUAL_FATAL (used, frame_padded (sizeof head + 6));
  used +=
    frame_put (datagram + used, sizeof datagram - used, FRAME_BYE, 0, 0, NULL, 0, NULL, 0, NULL, 0);
  n = frame_next (datagram, used, &head, &payload, &len);
  CU_ASSERT_FATAL (n > 0);
  CU_ASSERT (head.kind == FRAME_CALL && head.flags == FRAME_MORE && head.call == 77);
  CU_ASSERT (len == 6 && memcmp (payload, "abcdef\0\0", 8) == 0);
  CU_ASSERT_EQUAL (frame_next (datagram + n, used - (size_t) n, &head, &payload, &len),
                   sizeof head);
  CU_ASSERT (head.kind == FRAME_BYE && len == 0);
  CU_ASSERT_EQUAL (frame_next (datagram + used, 0, &head, &payload, &len), 0);
}

static void
test_frames_that_do_not_fit (void)
{
  char room[32];

  CU_ASSERT_EQUAL (
    frame_put (room, sizeof room, FRAME_LOG, 0, 0, "12345678901234567", 17, NULL, 0, NULL, 0), 0);
  CU_ASSERT_EQUAL (
    frame_put (room, sizeof room, FRAME_LOG, 0, 0, "1234567890123456", 16, NULL, 0, NULL, 0), 32);
}

static void
test_bad_frames_are_seen (void)
{
  _Alignas(8) char datagram[64] = { 0 };
  struct frame_head head;
  struct frame_head out;
  const char *payload;
  size_t len;
  static const struct {
    uint32_t size;
    uint16_t kind;
    size_t left;
  } bad[] = { { 15, FRAME_LOG, 64 },
              { 0, FRAME_LOG, 64 },
              { 65, FRAME_LOG, 64 },
              { UINT32_MAX, FRAME_LOG, 64 },
              { FRAME_MAX + 1, FRAME_LOG, 64 },
              { 16, 0, 64 },
              { 16, FRAME_KINDS, 64 },
              { 16, FRAME_LOG, 15 },
              { 17, FRAME_LOG, 17 } };

  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    head = (struct frame_head){ .size = bad[i].size, .kind = bad[i].kind };
    memcpy (datagram, &head, sizeof head);
    CU_ASSERT_EQUAL (frame_next (datagram, bad[i].left, &out, &payload, &len), -1);
  }
}

static CU_TestInfo buf_tests[] = { { "grows", test_buf_grows },
                                   { "prints long text", test_buf_prints_long_text },
                                   { "keeps zero bytes", test_buf_keeps_zero_bytes },
                                   { "consumes", test_buf_consumes },
                                   { "reset gives memory back", test_buf_reset_gives_memory_back },
                                   { "copies of text", test_copies_of_text },
                                   CU_TEST_INFO_NULL };
static CU_TestInfo arena_tests[] = { { "aligns and keeps", test_arena_aligns_and_keeps },
                                     { "takes large pieces", test_arena_takes_large_pieces },
                                     { "is used again", test_arena_is_used_again },
                                     CU_TEST_INFO_NULL };
static CU_TestInfo error_tests[] = { { "set and wrapped", test_errors_are_set_and_wrapped },
                                     { "long ones are cut", test_long_errors_are_cut },
                                     { "nearest word", test_nearest_word },
                                     { "nearest of long words", test_nearest_word_of_long_ones },
                                     CU_TEST_INFO_NULL };
static CU_TestInfo frame_tests[] = { { "there and back", test_frames_there_and_back },
                                     { "no room", test_frames_that_do_not_fit },
                                     { "bad ones are seen", test_bad_frames_are_seen },
                                     CU_TEST_INFO_NULL };
static CU_SuiteInfo suites[] = { { "buf", NULL, NULL, NULL, NULL, buf_tests },
                                 { "arena", NULL, NULL, NULL, NULL, arena_tests },
                                 { "error", NULL, NULL, NULL, NULL, error_tests },
                                 { "frame", NULL, NULL, NULL, NULL, frame_tests },
                                 CU_SUITE_INFO_NULL };

TAP_MAIN (suites)
