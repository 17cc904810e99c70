/* The result of a call as it grows. */
#include "tap.h"
#include "worker/parts.h"

static toolhost_status
add (struct parts *parts, int32_t kind, const char *data, const char *mime, const char *uri)
{
  toolhost_part part = { .struct_size = sizeof part,
                         .kind = kind,
                         .data = data,
                         .len = data != NULL ? strlen (data) : 0,
                         .mime_type = mime,
                         .uri = uri };
  return parts_add (parts, &part);
}

static const char *
finished (struct parts *parts)
{
  parts_finish (parts);
  return buf_cstr (&parts->content);
}

static void
done (struct parts *parts)
{
  parts_end (parts);
  buf_free (&parts->content);
  buf_free (&parts->structured);
  buf_free (&parts->code);
  buf_free (&parts->message);
  buf_free (&parts->why);
  buf_free (&parts->problems);
}

static void
test_text_parts_keep_their_order (void)
{
  struct parts parts = { 0 };

  parts_begin (&parts, 1000, FRAME_BLOCKS);
  CU_ASSERT_EQUAL (add (&parts, TOOLHOST_PART_TEXT, "one \"quoted\"", NULL, NULL), TOOLHOST_OK);
  CU_ASSERT_EQUAL (add (&parts, TOOLHOST_PART_TEXT, NULL, NULL, NULL), TOOLHOST_OK);
  CU_ASSERT_STRING_EQUAL (
    finished (&parts),
    "[{\"type\":\"text\",\"text\":\"one \\\"quoted\\\"\"},{\"type\":\"text\",\"text\":\"\"}]");
  done (&parts);
}

static void
test_what_a_kind_needs (void)
{
  struct parts parts = { 0 };
  toolhost_part link = { .struct_size = sizeof link, .kind = TOOLHOST_PART_LINK, .uri = "a:b" };

  parts_begin (&parts, 1000, FRAME_BLOCKS);
  CU_ASSERT_EQUAL (add (&parts, TOOLHOST_PART_IMAGE, "x", NULL, NULL), TOOLHOST_BAD_VALUE);
  CU_ASSERT_EQUAL (add (&parts, TOOLHOST_PART_AUDIO, "x", "", NULL), TOOLHOST_BAD_VALUE);
  CU_ASSERT_EQUAL (add (&parts, TOOLHOST_PART_RESOURCE, "x", NULL, NULL), TOOLHOST_BAD_VALUE);
  CU_ASSERT_EQUAL (add (&parts, TOOLHOST_PART_BLOB, "x", NULL, NULL), TOOLHOST_BAD_VALUE);
  CU_ASSERT_EQUAL (parts_add (&parts, &link), TOOLHOST_BAD_VALUE);
  CU_ASSERT_EQUAL (add (&parts, 4711, "x", NULL, NULL), TOOLHOST_BAD_VALUE);
  CU_ASSERT_EQUAL (add (&parts, TOOLHOST_PART_JSON, "{", NULL, NULL), TOOLHOST_BAD_VALUE);
  CU_ASSERT_EQUAL (add (&parts, TOOLHOST_PART_JSON, NULL, NULL, NULL), TOOLHOST_BAD_VALUE);
  CU_ASSERT_EQUAL (parts_add (&parts, NULL), TOOLHOST_BAD_VALUE);
  CU_ASSERT_STRING_EQUAL (finished (&parts), "");
  done (&parts);
}

static void
test_what_is_not_utf8_is_refused (void)
{
  struct parts parts = { 0 };

  parts_begin (&parts, 1000, FRAME_BLOCKS);
  CU_ASSERT_EQUAL (add (&parts, TOOLHOST_PART_TEXT, "\xC0\x80", NULL, NULL), TOOLHOST_BAD_VALUE);
  CU_ASSERT_EQUAL (add (&parts, TOOLHOST_PART_RESOURCE, "ok", NULL, "\xFF"), TOOLHOST_BAD_VALUE);
  CU_ASSERT_EQUAL (add (&parts, TOOLHOST_PART_BLOB, "\xFF", NULL, "a:b"), TOOLHOST_OK);
  CU_ASSERT_STRING_EQUAL (
    finished (&parts),
    "[{\"type\":\"resource\",\"resource\":{\"uri\":\"a:b\",\"blob\":\"/w==\"}}]");
  done (&parts);
}

static void
test_json_takes_one_line (void)
{
  struct parts parts = { 0 };

  parts_begin (&parts, 1000, FRAME_BLOCKS);
  CU_ASSERT_EQUAL (add (&parts, TOOLHOST_PART_JSON, "[0]", NULL, NULL), TOOLHOST_OK);
  CU_ASSERT_EQUAL (
    add (&parts, TOOLHOST_PART_JSON, "{\n \"a b\" : \"\\\" \\\\\",\t\"c\":[ 1 ]\r\n}", NULL, NULL),
    TOOLHOST_OK);
  parts_finish (&parts);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&parts.structured), "{\"a b\":\"\\\" \\\\\",\"c\":[1]}");
  CU_ASSERT_STRING_EQUAL (buf_cstr (&parts.content),
                          "[{\"type\":\"text\",\"text\":\"{\\\"a b\\\":\\\"\\\\\\\" "
                          "\\\\\\\\\\\",\\\"c\\\":[1]}\"}]");
  done (&parts);
}

static void
test_json_beside_text_is_not_told_twice (void)
{
  struct parts parts = { 0 };

  parts_begin (&parts, 1000, FRAME_BLOCKS);
  add (&parts, TOOLHOST_PART_JSON, "42", NULL, NULL);
  add (&parts, TOOLHOST_PART_TEXT, "the answer", NULL, NULL);
  CU_ASSERT_STRING_EQUAL (finished (&parts), "[{\"type\":\"text\",\"text\":\"the answer\"}]");
  done (&parts);
}

static void
test_annotations (void)
{
  struct parts parts = { 0 };
  toolhost_part part = { .struct_size = sizeof part,
                         .kind = TOOLHOST_PART_TEXT,
                         .data = "x",
                         .len = 1,
                         .annotations = "{ \"priority\": 1 }" };

  parts_begin (&parts, 1000, FRAME_BLOCKS);
  CU_ASSERT_EQUAL (parts_add (&parts, &part), TOOLHOST_OK);
  part.annotations = "[]";
  CU_ASSERT_EQUAL (parts_add (&parts, &part), TOOLHOST_BAD_VALUE);
  part.struct_size = offsetof (toolhost_part, annotations); /* of an older header */
  CU_ASSERT_EQUAL (parts_add (&parts, &part), TOOLHOST_OK);
  CU_ASSERT_STRING_EQUAL (
    finished (&parts),
    "[{\"type\":\"text\",\"text\":\"x\",\"annotations\":{\"priority\":1}},{\"type\":\"text\","
    "\"text\":\"x\"}]");
  done (&parts);
}

static void
test_limit (void)
{
  struct parts parts = { 0 };

  parts_begin (&parts, 64, FRAME_BLOCKS);
  CU_ASSERT_EQUAL (add (&parts, TOOLHOST_PART_TEXT, "fits", NULL, NULL), TOOLHOST_OK);
  CU_ASSERT_EQUAL (add (&parts, TOOLHOST_PART_TEXT, "does not fit, by far not", NULL, NULL),
                   TOOLHOST_CANCELLED);
  CU_ASSERT_EQUAL (
    add (&parts, TOOLHOST_PART_JSON, "\"neither does this: it is far too long\"", NULL, NULL),
    TOOLHOST_CANCELLED);
  CU_ASSERT_STRING_EQUAL (finished (&parts), "[{\"type\":\"text\",\"text\":\"fits\"}]");
  done (&parts);
}

static void
test_reasons (void)
{
  struct parts parts = { 0 };

  parts_begin (&parts, 1000, FRAME_BLOCKS);
  parts_fail (&parts, "Bad Code", "caf\xE9", 4);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&parts.code), "");
  CU_ASSERT_STRING_EQUAL (buf_cstr (&parts.message), "caf\xEF\xBF\xBD");
  parts_fail (&parts, "no_money", NULL, 0);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&parts.code), "no_money");
  CU_ASSERT_STRING_EQUAL (buf_cstr (&parts.message), "");
  parts_invalid (&parts, "/a", "wrong", 5);
  parts_invalid (&parts, NULL, NULL, 0);
  parts_finish (&parts);
  CU_ASSERT_STRING_EQUAL (
    buf_cstr (&parts.problems),
    "[{\"pointer\":\"/a\",\"message\":\"wrong\"},{\"pointer\":\"\",\"message\":\"\"}]");
  done (&parts);
}

static void
test_cutting_keeps_characters_whole (void)
{
  struct buf out = { 0 };

  CU_ASSERT_EQUAL (utf8_head ("a\xC3\xA9", 3, 2), 1);
  CU_ASSERT_EQUAL (utf8_head ("a\xC3\xA9", 3, 3), 3);
  append_text (&out, "a\xC3\xA9z", 4, 3);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&out), "a\xC3\xA9");
  buf_free (&out);
}

static CU_TestInfo tests[] = {
  { "text parts keep their order", test_text_parts_keep_their_order },
  { "what a kind needs", test_what_a_kind_needs },
  { "what is not UTF-8 is refused", test_what_is_not_utf8_is_refused },
  { "JSON takes one line", test_json_takes_one_line },
  { "JSON beside text", test_json_beside_text_is_not_told_twice },
  { "annotations", test_annotations },
  { "the limit", test_limit },
  { "reasons", test_reasons },
  { "cutting keeps characters whole", test_cutting_keeps_characters_whole },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = { { "worker parts", NULL, NULL, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };

TAP_MAIN (suites)
