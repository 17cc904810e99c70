/* What of a worker is taken for a result. */
#include "pool/content.h"
#include "tap.h"

static bool
fits (enum frame_content kind, const char *json)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  CU_ASSERT_FATAL (json_read (&tape, json, strlen (json), &json_default_limits, &arena));
  return kind == FRAME_VALUES ? content_are_values (&tape) : content_fits (kind, &tape);
}

static void
test_blocks (void)
{
  CU_ASSERT (fits (FRAME_BLOCKS, "[{\"type\":\"text\"},{\"type\":\"audio\"}]"));
  CU_ASSERT_FALSE (fits (FRAME_BLOCKS, "[{\"type\":\"video\"}]"));
  CU_ASSERT_FALSE (fits (FRAME_BLOCKS, "{}"));
}

static void
test_contents (void)
{
  CU_ASSERT (fits (FRAME_CONTENTS, "[{\"uri\":\"a:b\",\"text\":\"\"}]"));
  CU_ASSERT (fits (FRAME_CONTENTS, "[{\"uri\":\"a:b\",\"blob\":\"\"}]"));
  CU_ASSERT_FALSE (fits (FRAME_CONTENTS, "[{\"uri\":\"a:b\",\"blob\":\"\",\"text\":\"\"}]"));
  CU_ASSERT_FALSE (fits (FRAME_CONTENTS, "[{\"uri\":\"a:b\"}]"));
  CU_ASSERT_FALSE (fits (FRAME_CONTENTS, "[{\"type\":\"text\",\"text\":\"\"}]"));
  CU_ASSERT_FALSE (fits (FRAME_CONTENTS, "[1]"));
}

static void
test_messages (void)
{
  CU_ASSERT (
    fits (FRAME_MESSAGES, "[{\"role\":\"assistant\",\"content\":{\"type\":\"resource_link\"}}]"));
  CU_ASSERT_FALSE (
    fits (FRAME_MESSAGES, "[{\"role\":\"system\",\"content\":{\"type\":\"text\"}}]"));
  CU_ASSERT_FALSE (fits (FRAME_MESSAGES, "[{\"role\":\"user\"}]"));
}

static void
test_values (void)
{
  CU_ASSERT (fits (FRAME_VALUES, "{\"values\":[\"a\"],\"total\":2,\"hasMore\":true}"));
  CU_ASSERT_FALSE (fits (FRAME_VALUES, "{\"values\":[\"a\"],\"total\":0,\"hasMore\":false}"));
  CU_ASSERT_FALSE (fits (FRAME_VALUES, "{\"values\":[1],\"total\":1,\"hasMore\":false}"));
  CU_ASSERT_FALSE (fits (FRAME_VALUES, "{\"values\":[],\"total\":0}"));
  CU_ASSERT_FALSE (fits (FRAME_VALUES, "[]"));
}

static CU_TestInfo tests[] = {
  { "of a tool: content blocks", test_blocks },
  { "of a read: what stands at URIs", test_contents },
  { "of a prompt: messages", test_messages },
  { "of a completion: values", test_values },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "content", NULL, NULL, NULL, NULL, tests }, CU_SUITE_INFO_NULL };
TAP_MAIN (suites)
