/* A tool that calls others, under the mock host: what it is told of them, what it may ask for. */
#include <toolhost-mock.h>

#include "tap.h"

static const char *
definition (void *self)
{
  (void) self;
  return TOOLHOST_JSON (
    { "name" : "do", "description" : "Does it.", "inputSchema" : { "type" : "object" } });
}

static toolhost_status (*work) (toolhost_call *call); /* of the test */

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  return work (call);
}

static const toolhost_tool tool = { TOOLHOST_TOOL, .definition = definition, .execute = execute };

TOOLHOST_PLUGIN (.name = "doer", .version = "1.0", .threads = TOOLHOST_PARALLEL,
                 TOOLHOST_TOOLS (&tool))

#define ADD "{\"name\":\"add\",\"description\":\"Adds.\",\"inputSchema\":{\"type\":\"object\"}}"
#define ASK "{\"name\":\"ask\",\"description\":\"Asks.\",\"inputSchema\":{\"type\":\"object\"}}"
#define SUM "{\"is_error\":false,\"content\":[],\"structured\":3}"

static toolhost_mock *mock;

static int
set_up (void)
{
  mock = toolhost_mock_new (toolhost_plugin_entry, NULL);
  if (mock == NULL)
    return 1;
  toolhost_mock_invocable (mock, ASK, TOOLHOST_ASKED, "{\"is_error\":true,\"asks\":{}}");
  toolhost_mock_invocable (mock, ADD, TOOLHOST_FAILED, "{}");
  toolhost_mock_invocable (mock, ADD, TOOLHOST_OK, SUM); /* the latest counts */
  return 0;
}

static int
tear_down (void)
{
  toolhost_mock_free (mock);
  return 0;
}

static void
run (toolhost_status (*what) (toolhost_call *call))
{
  toolhost_mock_result *r;

  work = what;
  r = toolhost_mock_call (mock, "do", "{}");
  CU_ASSERT_EQUAL (r->status, TOOLHOST_OK);
  toolhost_mock_result_free (r);
}

static toolhost_status
invoke_each (toolhost_call *call)
{
  const char *json = "x";
  size_t len = 1;

  CU_ASSERT_EQUAL (toolhost_invoke (call, "add", "{\"a\":1}", &json, &len), TOOLHOST_OK);
  CU_ASSERT_STRING_EQUAL (json, SUM);
  CU_ASSERT_EQUAL (len, strlen (SUM));
  CU_ASSERT_EQUAL (toolhost_invoke (call, "none", "{}", &json, NULL), TOOLHOST_NOT_GRANTED);
  CU_ASSERT_PTR_NOT_NULL (strstr (json, "invoke_not_granted"));
  CU_ASSERT_EQUAL (toolhost_invoke (call, "ask", "{}", NULL, NULL), TOOLHOST_ASKED);
  CU_ASSERT_EQUAL (toolhost_invoke (call, "", "{}", &json, &len), TOOLHOST_BAD_VALUE);
  CU_ASSERT_PTR_NULL (json);
  return TOOLHOST_OK;
}

static void
test_one (void)
{
  run (invoke_each);
  CU_ASSERT_STRING_EQUAL (toolhost_mock_invocations (mock), "add {\"a\":1}\nnone {}\nask {}\n");
}

static toolhost_status
invoke_many (toolhost_call *call)
{
  toolhost_invocation all[17], *list[17];

  for (size_t i = 0; i < 17; i++) {
    all[i] =
      (toolhost_invocation){ TOOLHOST_INVOCATION, .tool = "add", .args = "{}", .args_len = 2 };
    list[i] = &all[i];
  }
  all[1].tool = "ask";
  all[1].answers = "{\"k\":{\"action\":\"decline\"}}";
  CU_ASSERT_EQUAL (toolhost_invoke_all (call, list, 2), TOOLHOST_OK);
  CU_ASSERT_EQUAL (all[0].status, TOOLHOST_OK);
  CU_ASSERT_STRING_EQUAL (all[0].result, SUM);
  CU_ASSERT_EQUAL (all[1].status, TOOLHOST_ASKED);
  CU_ASSERT_EQUAL (toolhost_invoke_all (call, list, 0), TOOLHOST_BAD_VALUE);
  CU_ASSERT_EQUAL (toolhost_invoke_all (call, list, 17), TOOLHOST_BAD_VALUE);
  all[1].answers = "[]";
  CU_ASSERT_EQUAL (toolhost_invoke_all (call, list, 2), TOOLHOST_BAD_VALUE);
  all[1].answers = NULL;
  all[1].struct_size = 16; /* of a header that never was */
  CU_ASSERT_EQUAL (toolhost_invoke_all (call, list, 2), TOOLHOST_BAD_VALUE);
  all[1].struct_size = sizeof all[1];
  all[0].args_len = TOOLHOST_INVOKE_BYTES_MAX + 1; /* refused before it is read */
  CU_ASSERT_EQUAL (toolhost_invoke_all (call, list, 2), TOOLHOST_BAD_VALUE);
  return TOOLHOST_OK;
}

static void
test_several (void)
{
  run (invoke_many);
  CU_ASSERT_STRING_EQUAL (toolhost_mock_invocations (mock),
                          "add {}\nask {} {\"k\":{\"action\":\"decline\"}}\n");
}

static toolhost_status
list_them (toolhost_call *call)
{
  static const char *const some[] = { "a*", "x", NULL }, *const one[] = { "ask", NULL };
  const char *json;
  size_t len;

  CU_ASSERT_EQUAL (toolhost_tools (call, NULL, &json, &len), TOOLHOST_OK);
  CU_ASSERT_STRING_EQUAL (json, "[" ADD "," ASK "]");
  CU_ASSERT_EQUAL (len, strlen (json));
  CU_ASSERT_EQUAL (toolhost_tools (call, some, &json, &len), TOOLHOST_OK);
  CU_ASSERT_STRING_EQUAL (json, "[" ADD "," ASK "]");
  CU_ASSERT_EQUAL (toolhost_tools (call, one, &json, &len), TOOLHOST_OK);
  CU_ASSERT_STRING_EQUAL (json, "[" ASK "]");
  return TOOLHOST_OK;
}

static void
test_definitions (void)
{
  run (list_them);
}

static toolhost_status
invoke_large (toolhost_call *call)
{
  size_t len = 3 << 20;
  char *text = malloc (len + 1);
  const char *json;

  CU_ASSERT_PTR_NOT_NULL_FATAL (text);
  memset (text, '"', len); /* each becomes two */
  text[len] = '\0';
  CU_ASSERT_EQUAL (toolhost_invoke (call, "add", text, &json, NULL), TOOLHOST_OK);
  CU_ASSERT_STRING_EQUAL (json, SUM);
  free (text);
  return TOOLHOST_OK;
}

static void
test_in_many_frames (void)
{
  run (invoke_large);
  CU_ASSERT_EQUAL (strlen (toolhost_mock_invocations (mock)), 4 + (3 << 20) + 1);
}

static CU_TestInfo tests[] = {
  { "one tool is called, and errors are told with JSON", test_one },
  { "several at once, and what is no invocation", test_several },
  { "the definitions, all and picked", test_definitions },
  { "arguments that take many frames", test_in_many_frames },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = {
  { "mock invoke", set_up, tear_down, NULL, NULL, tests },
  CU_SUITE_INFO_NULL,
};

TAP_MAIN (suites)
