#include "common/plugin_test.h"

static toolhost_mock *mock;

static int
start (void)
{
  mock = toolhost_mock_new (toolhost_plugin_entry, NULL);
  if (mock == NULL)
    printf ("# %s\n", toolhost_mock_error ());
  return mock == NULL;
}

static int
stop (void)
{
  toolhost_mock_free (mock);
  return 0;
}

/* What it gave holds each of these. */
static void
holds (toolhost_mock_result *r, const char *const *parts)
{
  CU_ASSERT_EQUAL (r->status, TOOLHOST_OK);
  for (; *parts != NULL; parts++)
    CU_ASSERT_TRUE (told_part ("content", "", *parts, r->content));
  toolhost_mock_result_free (r);
}
#define HOLDS(result, ...) holds (result, (const char *const[]){ __VA_ARGS__, NULL })

static void
results (void)
{
  CU_ASSERT_TRUE (
    says (mock, "test_simple_text", "{}", "This is a simple text response for testing."));
  CU_ASSERT_TRUE (says (mock, "greet", "{\"name\":\"Ada\"}", "Hello, Ada!"));
  CU_ASSERT_TRUE (fails (mock, "test_error_handling", "{}", "", "intentionally"));
  HOLDS (toolhost_mock_call (mock, "test_image_content", NULL), "\"image/png\"",
         "\"data\":\"iVBOR");
  HOLDS (toolhost_mock_call (mock, "test_audio_content", NULL), "\"audio/wav\"", "\"data\":\"UklG");
  HOLDS (toolhost_mock_call (mock, "test_embedded_resource", NULL), "\"uri\":\"test://embedded-r");
  HOLDS (toolhost_mock_call (mock, "test_multiple_content_types", NULL), "\"type\":\"text\"",
         "\"type\":\"image\"", "\"type\":\"resource\"");
  CU_ASSERT_TRUE (says (mock, "test_header_parameter", "{\"region\":\"eu\"}", "The region is eu."));
}

/* The call's log is this. */
static void
logs (const char *tool, const char *log)
{
  toolhost_mock_result *r = toolhost_mock_call (mock, tool, NULL);

  CU_ASSERT_EQUAL (r->status, TOOLHOST_OK);
  CU_ASSERT_TRUE (told ("log", tool, log, r->log));
  toolhost_mock_result_free (r);
}

static void
while_running (void)
{
  logs ("test_tool_with_progress", "progress 0/100 Completed step 0 of 100\n"
                                   "progress 50/100 Completed step 50 of 100\n"
                                   "progress 100/100 Completed step 100 of 100\n");
  logs ("test_tool_with_logging", "info Tool execution started\ninfo Tool processing data\n"
                                  "info Tool execution completed\n");
  logs ("test_reconnection", "");
  logs ("test_trigger_tool_change", "changed tools\n");
  logs ("test_trigger_prompt_change", "changed prompts\n");
  logs ("test_trigger_resource_change",
        "changed resources\nchanged resource test://watched-resource\n");
}

static void
resources (void)
{
  toolhost_mock_result *r;

  HOLDS (toolhost_mock_read (mock, "test://static-text"), "\"uri\":\"test://static-text\"",
         "\"mimeType\":\"text/plain\"", "\"text\":\"This is");
  HOLDS (toolhost_mock_read (mock, "test://static-binary"), "\"blob\":\"iVBOR");
  HOLDS (toolhost_mock_read (mock, "test://watched-resource"), "Watched");
  HOLDS (toolhost_mock_read (mock, "test://template/123/data"), "Data for ID: 123");
  r = toolhost_mock_read (mock, "test://template/0/data");
  CU_ASSERT_STRING_EQUAL (r->code, "resource_not_found");
  toolhost_mock_result_free (r);
  r = toolhost_mock_read (mock, "test://template/%22/data");
  CU_ASSERT_STRING_EQUAL (r->code, "resource_not_found");
  toolhost_mock_result_free (r);
}

static void
prompts (void)
{
  HOLDS (toolhost_mock_prompt (mock, "test_simple_prompt", NULL), "\"role\":\"user\"", "simple");
  HOLDS (toolhost_mock_prompt (mock, "test_prompt_with_arguments",
                               "{\"arg1\":\"one\",\"arg2\":\"two\"}"),
         "arg1='one', arg2='two'");
  HOLDS (toolhost_mock_prompt (mock, "test_prompt_with_embedded_resource",
                               "{\"resourceUri\":\"test://r\"}"),
         "\"type\":\"resource\"", "\"uri\":\"test://r\"");
  HOLDS (toolhost_mock_prompt (mock, "test_prompt_with_image", NULL), "\"type\":\"image\"");
}

static void
completions (void)
{
  toolhost_mock_result *r =
    toolhost_mock_complete (mock, "test_prompt_with_arguments", "arg1", "par", NULL);

  CU_ASSERT_STRING_EQUAL (
    r->json, "{\"values\":[\"paris\",\"park\",\"party\"],\"total\":3,\"hasMore\":false}");
  toolhost_mock_result_free (r);
  r = toolhost_mock_complete (mock, "test://template/{id}/data", "id", "12", NULL);
  CU_ASSERT_STRING_EQUAL (r->json, "{\"values\":[\"12\",\"123\"],\"total\":2,\"hasMore\":false}");
  toolhost_mock_result_free (r);
}

static CU_TestInfo tests[] = {
  { "what results hold", results }, { "what is said while running", while_running },
  { "resources", resources },       { "prompts", prompts },
  { "completions", completions },   CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "conformance", start, stop, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };
TAP_MAIN (suites)
