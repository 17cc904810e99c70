#include "tap.h"

#include "cli/answer.h"

static void
expect (const char *content, const char *structured, const char *expected)
{
  CLEANUP_BUF struct buf out = { 0 };

  CU_ASSERT (answer_text (content, content != NULL ? strlen (content) : 0, structured,
                          structured != NULL ? strlen (structured) : 0, &out));
  CU_ASSERT_STRING_EQUAL (buf_cstr (&out), expected);
}

static void
test_text (void)
{
  expect ("[]", NULL, "");
  expect ("[{\"type\":\"text\",\"text\":\"a\\nb\"}]", NULL, "a\nb");
  expect ("[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\",\"text\":\"b\\n\"},"
          "{\"type\":\"text\",\"text\":\"c\"}]",
          NULL, "a\nb\nc");
}

static void
test_structured (void)
{
  expect ("[]", "{\"a\":1}", "{\"a\":1}");
  expect (NULL, "[1]", "[1]");
  expect ("[{\"type\":\"text\",\"text\":\"t\"}]", "{\"a\":1}", "t");
}

static void
test_others (void)
{
  expect ("[{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"AAAA\"}]", NULL,
          "[image image/png, 3 bytes]");
  expect ("[{\"type\":\"resource_link\",\"uri\":\"file:///a\",\"name\":\"a\"}]", NULL,
          "[resource_link file:///a]");
  expect ("[{\"type\":\"resource\",\"resource\":{\"uri\":\"x:y\",\"text\":\"inside\"}}]", NULL,
          "inside");
  expect ("[{\"type\":\"resource\",\"resource\":{\"uri\":\"x:y\",\"mimeType\":\"a/b\","
          "\"blob\":\"AA==\"}}]",
          NULL, "[resource x:y a/b, 1 bytes]");
  expect ("[3]", NULL, "[content]");
}

static void
test_contents_and_messages (void)
{
  expect ("[{\"uri\":\"a:b\",\"text\":\"t\"}]", NULL, "t");
  expect ("[{\"uri\":\"a:b\",\"mimeType\":\"a/b\",\"blob\":\"AA==\"}]", NULL,
          "[content a:b a/b, 1 bytes]");
  expect ("[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"t\"}},{\"role\":"
          "\"assistant\",\"content\":{\"type\":\"image\",\"mimeType\":\"a/b\",\"data\":\"AAAA\"}}]",
          NULL, "user: t\nassistant: [image a/b, 3 bytes]");
}

static void
test_bad (void)
{
  CLEANUP_BUF struct buf out = { 0 };

  CU_ASSERT_FALSE (answer_text ("[", 1, NULL, 0, &out));
}

static void
test_repairs (void)
{
  static const char json[] =
    "[{\"rule\":\"syntax\",\"pointer\":\"\",\"note\":\"trailing comma removed\"},"
    "{\"rule\":\"scalar\",\"pointer\":\"/n\",\"note\":\"was \\\"5\\\"\"}]";
  CLEANUP_BUF struct buf out = { 0 };
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  CU_ASSERT (json_read (&tape, json, strlen (json), &answer_limits, &arena));
  answer_repairs (&tape, NULL, &out);
  CU_ASSERT_EQUAL (out.len, 0);
  answer_repairs (&tape, json_root (&tape), &out);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&out), "mended the arguments (syntax): trailing comma removed\n"
                                           "mended /n (scalar): was \"5\"\n");
}

static CU_TestInfo tests[] = { { "joins texts", test_text },
                               { "falls back to the structured result", test_structured },
                               { "says what else there is", test_others },
                               { "what stands at URIs, and messages", test_contents_and_messages },
                               { "refuses what is no JSON", test_bad },
                               { "says what was mended", test_repairs },
                               CU_TEST_INFO_NULL };

static CU_SuiteInfo suites[] = { { "cli answer", NULL, NULL, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };

TAP_MAIN (suites)
