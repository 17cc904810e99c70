/* What is too large to be shown: how it is cut, what is kept of it, for whom and for how long. */
#include "call/preview.h"
#include "tap.h"

enum { NOW = 1000, TTL = 60 };

static const struct results_settings settings = {
  .shown = 100, .ttl = TTL, .count_max = 4, .bytes_max = 10000
};

static struct results *
results_of (void)
{
  return results_new (ev_default_loop (0), NULL, &settings);
}

static void
keep (struct results *r, const char *id, size_t len, const char *principal, double now)
{
  struct result_kept kept = { .text = true };
  CLEANUP_BUF struct buf bytes = { 0 };

  memset (buf_reserve (&bytes, len + 1), *id, len);
  snprintf (kept.id, sizeof kept.id, "%032d", 0);
  memcpy (kept.id, id, strlen (id));
  CU_ASSERT_TRUE_FATAL (results_write (r, bytes.data, len, &kept.place));
  results_keep (r, &kept, principal, NULL, now);
}

static const struct result_kept *
find (struct results *r, const char *id, const char *principal, double now)
{
  char whole[RESULT_ID_LEN + 1];

  snprintf (whole, sizeof whole, "%032d", 0);
  memcpy (whole, id, strlen (id));
  return results_find (r, whole, RESULT_ID_LEN, principal, NULL, now);
}

static void
each_has_its_bytes (void)
{
  struct results *r = results_of ();
  CLEANUP_BUF struct buf out = { 0 };

  keep (r, "a", 5000, "u", NOW);
  keep (r, "b", 10, "u", NOW);
  CU_ASSERT_EQUAL (results_bytes (r), 5010);
  results_read (r, &find (r, "a", "u", NOW)->place, 4990, 10, &out);
  results_read (r, &find (r, "b", "u", NOW)->place, 0, 10, &out);
  CU_ASSERT_TRUE (out.len == 20 && memcmp (out.data, "aaaaaaaaaabbbbbbbbbb", 20) == 0);
  results_free (r);
}

static void
only_for_its_caller (void)
{
  struct results *r = results_of ();
  struct result_kept kept = { .text = true };

  keep (r, "a", 10, "u", NOW);
  CU_ASSERT_PTR_NOT_NULL (find (r, "a", "u", NOW));
  CU_ASSERT_PTR_NULL (find (r, "a", "v", NOW));
  CU_ASSERT_PTR_NULL (find (r, "a", NULL, NOW));
  results_make_id (kept.id);
  CU_ASSERT_TRUE (results_write (r, "x", 1, &kept.place));
  results_keep (r, &kept, "u", "s1", NOW);
  CU_ASSERT_PTR_NOT_NULL (results_find (r, kept.id, RESULT_ID_LEN, "u", "s1", NOW));
  CU_ASSERT_PTR_NULL (results_find (r, kept.id, RESULT_ID_LEN, "u", "s2", NOW));
  CU_ASSERT_PTR_NULL (results_find (r, kept.id, RESULT_ID_LEN, "u", NULL, NOW));
  CU_ASSERT_PTR_NULL (results_find (r, kept.id, RESULT_ID_LEN - 1, "u", "s1", NOW));
  results_free (r);
}

static void
its_time_is_over (void)
{
  struct results *r = results_of ();

  keep (r, "a", 10, "u", NOW);
  keep (r, "b", 10, "u", NOW + 5);
  CU_ASSERT_PTR_NOT_NULL (find (r, "a", "u", NOW + TTL - 1));
  CU_ASSERT_PTR_NULL (find (r, "a", "u", NOW + TTL));
  results_expire (r, NOW + TTL - 1);
  CU_ASSERT_EQUAL (results_count (r), 2);
  results_expire (r, NOW + TTL);
  CU_ASSERT_EQUAL (results_count (r), 1);
  results_expire (r, NOW + TTL + 5);
  CU_ASSERT_EQUAL (results_count (r), 0);
  CU_ASSERT_EQUAL (results_bytes (r), 0);
  results_free (r);
}

static void
who_has_most_loses_first (void)
{
  struct results *r = results_of ();

  keep (r, "a", 10, "modest", NOW);
  keep (r, "b", 4000, "greedy", NOW);
  keep (r, "c", 4000, "greedy", NOW);
  keep (r, "d", 4000, "greedy", NOW); /* too many bytes */
  CU_ASSERT_PTR_NOT_NULL (find (r, "a", "modest", NOW));
  CU_ASSERT_PTR_NULL (find (r, "b", "greedy", NOW));
  keep (r, "e", 10, "greedy", NOW);
  keep (r, "f", 10, "modest", NOW); /* too many */
  CU_ASSERT_EQUAL (results_count (r), 4);
  CU_ASSERT_PTR_NULL (find (r, "c", "greedy", NOW));
  CU_ASSERT_PTR_NOT_NULL (find (r, "a", "modest", NOW));
  results_free (r);
}

/* ---- previews ---- */

static struct preview *
cut (struct results *r, const char *content, const char *structured, bool promised)
{
  return preview_new (
    r, &(struct preview_of){ .content = content,
                             .content_len = strlen (content),
                             .structured = structured,
                             .structured_len = structured != NULL ? strlen (structured) : 0,
                             .promised = promised });
}

static bool
holds (const struct buf *b, const char *part)
{
  bool found = memmem (b->data, b->len, part, strlen (part)) != NULL;

  if (!found)
    printf ("# no %s in %.*s\n", part, (int) b->len, b->data);
  return found;
}

static void
check_kept (struct results *r, struct preview *p, size_t n, const char *expected)
{
  CLEANUP_BUF struct buf out = { 0 };

  CU_ASSERT_TRUE_FATAL (n < p->count);
  results_read (r, &p->kept[n].place, 0, (size_t) p->kept[n].place.len, &out);
  CU_ASSERT_TRUE (out.len == strlen (expected) && memcmp (out.data, expected, out.len) == 0);
}

#define TEN "0123456789"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN

static void
small_results_stay (void)
{
  struct results *r = results_of ();

  CU_ASSERT_PTR_NULL (cut (r, "[{\"type\":\"text\",\"text\":\"small\"}]", "{}", false));
  CU_ASSERT_PTR_NULL (cut (r, "", NULL, false));
  results_free (r);
}

static void
texts_are_cut (void)
{
  struct results *r = results_of ();
  struct preview *p = cut (
    r, "[{\"type\":\"text\",\"text\":\"" HUNDRED "\\n\"},{\"type\":\"text\",\"text\":\"end\"}]",
    NULL, false);

  CU_ASSERT_PTR_NOT_NULL_FATAL (p);
  CU_ASSERT_EQUAL (p->count, 1);
  check_kept (r, p, 0, HUNDRED "\n");
  CU_ASSERT_TRUE (holds (&p->content, "{\"type\":\"text\",\"text\":\"end\"}]"));
  CU_ASSERT_TRUE (holds (
    &p->content, " of 101 bytes of text. Read the rest as the resource toolhost://results/"));
  CU_ASSERT_TRUE (holds (&p->links, "\"type\":\"resource_link\""));
  CU_ASSERT_TRUE (holds (&p->links, "\"mimeType\":\"text/plain\",\"size\":101}"));
  preview_keep (p, "u", NULL, NOW);
  CU_ASSERT_EQUAL (results_count (r), 1);
  preview_free (p);
  CU_ASSERT_EQUAL (results_count (r), 1);
  results_free (r);
}

static void
bytes_are_decoded (void)
{
  struct results *r = results_of ();
  struct preview *p =
    cut (r, "[{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"" HUNDRED HUNDRED "\"}]",
         NULL, false);

  CU_ASSERT_PTR_NOT_NULL_FATAL (p);
  CU_ASSERT_FALSE (p->kept[0].text);
  CU_ASSERT_EQUAL (p->kept[0].place.len, 150);
  CU_ASSERT_STRING_EQUAL (p->kept[0].mime, "image/png");
  preview_free (p);
  p = cut (r, "[{\"type\":\"audio\",\"mimeType\":\"a\\r\\nb\",\"data\":\"!" HUNDRED "\"}]", NULL,
           false);
  CU_ASSERT_TRUE (p->kept[0].text);
  CU_ASSERT_STRING_EQUAL (p->kept[0].mime, "text/plain");
  check_kept (r, p, 0, "!" HUNDRED);
  preview_free (p);
  p = cut (r,
           "[{\"type\":\"resource\",\"resource\":{\"uri\":\"a:b\",\"mimeType\":\"x\\r\\ny\","
           "\"text\":\"" HUNDRED "\"}}]",
           NULL, false);
  CU_ASSERT_STRING_EQUAL (p->kept[0].mime, "");
  check_kept (r, p, 0, HUNDRED);
  preview_free (p);
  results_free (r);
}

static void
many_parts_are_one (void)
{
  struct results *r = results_of ();
  CLEANUP_BUF struct buf content = { 0 };
  struct preview *p;

  for (int i = 0; i < 30; i++)
    buf_printf (&content, "%c{\"type\":\"text\",\"text\":\"%d\"}", i == 0 ? '[' : ',', i);
  buf_putc (&content, ']');
  p = cut (r, buf_cstr (&content), NULL, false);
  CU_ASSERT_EQUAL_FATAL (p->count, 1);
  CU_ASSERT_STRING_EQUAL (p->kept[0].mime, "application/json");
  CU_ASSERT_TRUE (holds (&p->content, "\"text\":\"2\""));
  CU_ASSERT_PTR_NULL (memmem (p->content.data, p->content.len, "\"text\":\"9\"", 10));
  preview_free (p);
  results_free (r);
}

static void
what_is_promised_stays (void)
{
  static const char json[] = "{\"x\":\"" HUNDRED "\"}";
  struct results *r = results_of ();
  struct preview *p = cut (r, "[]", json, false);

  CU_ASSERT_TRUE (p->hides_structure);
  check_kept (r, p, 0, json);
  CU_ASSERT_TRUE (holds (&p->content, "bytes of structured result"));
  preview_free (p);
  p = cut (r, "[]", json, true);
  CU_ASSERT_FALSE (p->hides_structure);
  CU_ASSERT_EQUAL (p->count, 1); /* what the model reads is cut all the same */
  preview_free (p);
  results_free (r);
}

static void
what_is_too_large_is_not_kept (void)
{
  struct results *r = results_of ();
  CLEANUP_BUF struct buf content = { 0 };
  struct preview *p;

  buf_puts (&content, "[{\"type\":\"text\",\"text\":\"");
  for (int i = 0; i < 101; i++)
    buf_puts (&content, HUNDRED);
  buf_puts (&content, "\"}]");
  p = cut (r, buf_cstr (&content), NULL, false);
  CU_ASSERT_EQUAL (p->count, 0);
  CU_ASSERT_EQUAL (p->links.len, 0);
  CU_ASSERT_TRUE (holds (&p->content, "first 100 of 10,100 bytes of text. The rest was not kept"));
  preview_free (p);
  results_free (r);
}

static void
texts_are_cut_between_characters (void)
{
  static const char text[] = "a\xc3\xa4\xf0\x9f\x98\x80z";
  static const size_t cuts[] = { 0, 1, 1, 3, 3, 3, 3, 7, 8, 8 };
  char room[PREVIEW_NUMBER];

  for (size_t max = 0; max < sizeof cuts / sizeof *cuts; max++)
    CU_ASSERT_EQUAL (preview_cut (text, 8, max), cuts[max]);
  CU_ASSERT_STRING_EQUAL (preview_number (0, room), "0");
  CU_ASSERT_STRING_EQUAL (preview_number (999, room), "999");
  CU_ASSERT_STRING_EQUAL (preview_number (1000, room), "1,000");
  CU_ASSERT_STRING_EQUAL (preview_number (UINT64_MAX, room), "18,446,744,073,709,551,615");
}

static CU_TestInfo kept[] = { { "each has its bytes", each_has_its_bytes },
                              { "only for its caller", only_for_its_caller },
                              { "its time is over", its_time_is_over },
                              { "who has most loses first", who_has_most_loses_first },
                              CU_TEST_INFO_NULL };
static CU_TestInfo previews[] = {
  { "small results stay", small_results_stay },
  { "texts are cut", texts_are_cut },
  { "bytes are decoded", bytes_are_decoded },
  { "many parts are one", many_parts_are_one },
  { "what is promised stays", what_is_promised_stays },
  { "what is too large is not kept", what_is_too_large_is_not_kept },
  { "texts are cut between characters", texts_are_cut_between_characters },
  CU_TEST_INFO_NULL
};
static CU_SuiteInfo suites[] = { { "results", NULL, NULL, NULL, NULL, kept },
                                 { "previews", NULL, NULL, NULL, NULL, previews },
                                 CU_SUITE_INFO_NULL };
TAP_MAIN (suites)
