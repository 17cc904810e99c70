/* The plugin mcp on the mock host: a server over HTTP whose one stream has the answers to all
 * requests. */

#include "../common/plugin_test.h"
#include "config.h"
#include "message.h"
#include "tool.h"

#define URL "https://mcp.example.com/mcp"

static const char feature[] =
  "{\"servers\":[{\"name\":\"up\",\"url\":\"" URL "\",\"prefix\":\"u_\"}]}";

static const char tools[] =
  "{\"name\":\"echo\",\"title\":\"T\",\"description\":\"Says "
  "it.\",\"inputSchema\":{\"type\":\"object\","
  "\"properties\":{\"region\":{\"type\":\"string\",\"x-mcp-header\":\"Region\"}},\"x\":1},"
  "\"outputSchema\":{\"type\":\"object\"},\"annotations\":{\"readOnlyHint\":true},\"_meta\":{\"a\":"
  "1}},"
  "{\"name\":\"get sum!\",\"inputSchema\":{\"type\":\"object\"}},{\"name\":\"get "
  "sum?\",\"inputSchema\":"
  "{\"type\":\"object\"}},{\"name\":\"\"},7";

/* A stream with an answer to each of the first requests. */
static void
serve (toolhost_mock *mock, const char *call_result)
{
  static const char *const headers[] = { "content-type", "text/event-stream", NULL };
  CLEANUP_TEXT struct text body = { 0 };

  text_add (&body, "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"complete\","
                   "\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{}}}\n\n");
  text_addf (&body, "data: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":[%s]}}\n\n", tools);
  text_add (&body, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":"
                   "{\"progressToken\":3,\"progress\":1,\"total\":2,\"message\":\"half\"}}\n\n");
  for (int id = 3; id < 9; id++)
    text_addf (&body, "data: {\"jsonrpc\":\"2.0\",\"id\":%d,%s}\n\n", id, call_result);
  toolhost_mock_http (mock, "POST", URL, 200, headers, text_get (&body), body.len);
}

static toolhost_mock *
build_with (const char *call_result)
{
  toolhost_mock *mock = toolhost_mock_new (toolhost_plugin_entry, NULL);

  CU_ASSERT_PTR_NOT_NULL_FATAL (mock);
  serve (mock, call_result);
  CU_ASSERT_EQUAL_FATAL (toolhost_mock_build (mock, "mcp", feature), TOOLHOST_OK);
  return mock;
}

static void
definitions_are_theirs (void)
{
  toolhost_mock *mock = build_with ("\"result\":{\"content\":[]}");

  CU_ASSERT_STRING_EQUAL (
    toolhost_mock_definition (mock, "u_echo"),
    "{\"name\":\"u_echo\",\"description\":\"Says it.\",\"inputSchema\":{\"type\":\"object\","
    "\"properties\":{\"region\":{\"type\":\"string\",\"x-mcp-header\":\"Region\"}},\"x\":1},"
    "\"title\":\"T\",\"annotations\":{\"readOnlyHint\":true},\"_meta\":{\"a\":1},\"outputSchema\":"
    "{\"type\":\"object\"}}");
  CU_ASSERT_PTR_NOT_NULL (toolhost_mock_definition (mock, "u_get_sum_"));
  CU_ASSERT_PTR_NOT_NULL (toolhost_mock_definition (mock, "u_get_sum__2"));
  CU_ASSERT_EQUAL (toolhost_mock_max_time (mock, "u_echo"), 60000);
  toolhost_mock_free (mock);
}

static void
calls_go_with_their_headers (void)
{
  toolhost_mock *mock =
    build_with ("\"result\":{\"resultType\":\"complete\",\"content\":[{\"type\":"
                "\"text\",\"text\":\"hi\"}],\"structuredContent\":{\"a\":[1]}}");
  toolhost_mock_result *r = toolhost_mock_call (mock, "u_echo", "{\"region\":\"K\xC3\xB6ln\"}");
  const char *sent = toolhost_mock_http_requests (mock);

  CU_ASSERT_EQUAL (r->status, TOOLHOST_OK);
  CU_ASSERT_STRING_EQUAL (r->text, "hi");
  CU_ASSERT_STRING_EQUAL (r->json, "{\"a\":[1]}");
  CU_ASSERT_TRUE (
    told_part ("request", "echo", "[\"Mcp-Param-Region\",\"=?base64?S8O2bG4=?=\"]", sent));
  CU_ASSERT_TRUE (told_part ("request", "echo", "[\"Mcp-Name\",\"echo\"]", sent));
  CU_ASSERT_TRUE (told_part ("request", "echo", "\"progressToken\":3", sent));
  toolhost_mock_result_free (r);
  toolhost_mock_free (mock);
}

static void
results_are_what_they_are (void)
{
  static const struct {
    const char *answer, *code, *message;
  } rows[] = {
    { "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"no\"},{\"type\":\"text\",\"text\":"
      "\"luck\"}],"
      "\"isError\":true}",
      "upstream_tool_failed", "no\nluck" },
    { "\"result\":{\"content\":[],\"isError\":true}", "upstream_tool_failed", "does not say why" },
    { "\"error\":{\"code\":-32602,\"message\":\"bad\"}", "upstream_error", "up: bad (-32602)" },
    { "\"result\":{\"content\":{}}", "upstream_protocol", "no result" },
    { "\"result\":{\"content\":[{\"type\":\"image\",\"data\":\"?\",\"mimeType\":\"a/b\"}]}",
      "upstream_protocol", "Part 1" },
    { "\"result\":{\"resultType\":\"task\",\"content\":[]}", "upstream_protocol", "kind task" },
    { "\"result\":7", "upstream_lost", "before it was whole" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    toolhost_mock *mock = build_with (rows[i].answer);
    CU_ASSERT_TRUE (fails (mock, "u_echo", "{}", rows[i].code, rows[i].message));
    toolhost_mock_free (mock);
  }
}

static void
questions_go_to_the_caller (void)
{
  toolhost_mock *mock =
    build_with ("\"result\":{\"resultType\":\"input_required\",\"requestState\":\"st\","
                "\"inputRequests\":{\"a b\":{"
                "\"method\":\"elicitation/"
                "create\",\"params\":{\"message\":\"Who?\",\"requestedSchema\":{\"type\":"
                "\"object\",\"properties\":{\"n\":{\"type\":\"string\"}}}}}}}");
  toolhost_mock_result *r = toolhost_mock_call (mock, "u_echo", "{}");

  CU_ASSERT_EQUAL (r->status, TOOLHOST_ASKED);
  CU_ASSERT_TRUE (told_part ("asks", "echo", "\"up1.0\":{\"kind\":\"form\"", r->asks));
  toolhost_mock_result_free (r);
  toolhost_mock_answer (mock, "up1.0", TOOLHOST_ANSWERED, "{\"n\":\"Ada\"}");
  r = toolhost_mock_call (mock, "u_echo", "{}");
  CU_ASSERT_TRUE (
    told_part ("request", "echo",
               "\"inputResponses\":{\"a b\":{\"action\":\"accept\",\"content\":{\"n\":"
               "\"Ada\"}}},\"requestState\":\"st\"",
               toolhost_mock_http_requests (mock)));
  toolhost_mock_result_free (r);
  toolhost_mock_free (mock);
}

static void
a_server_that_is_not_there_costs_its_own_tools (void)
{
  toolhost_mock *mock = toolhost_mock_new (toolhost_plugin_entry, NULL);

  CU_ASSERT_PTR_NOT_NULL_FATAL (mock);
  CU_ASSERT_EQUAL (toolhost_mock_build (mock, "mcp", feature), TOOLHOST_OK);
  CU_ASSERT_TRUE (told_part ("log", "", "upstream_unavailable", toolhost_mock_log (mock)));
  CU_ASSERT_EQUAL (
    toolhost_mock_build (mock, "mcp", "{\"servers\":[{\"name\":\"p\",\"process\":\"p\"}]}"),
    TOOLHOST_OK);
  CU_ASSERT_TRUE (told_part ("log", "", "starts no programs", toolhost_mock_log (mock)));
  toolhost_mock_free (mock);
}

static void
configurations_are_read_strictly (void)
{
  static const struct {
    const char *config, *why;
  } rows[] = {
    { "{}", "/servers: expected a list" },
    { "{\"servers\":[{\"name\":\"a b\",\"url\":\"https://x/\"}]}", "/servers/0/name" },
    { "{\"servers\":[{\"name\":\"a\",\"url\":\"https://x/\",\"timeout\":1.5}]}",
      "/servers/0/timeout" },
    { "{\"servers\":[{\"name\":\"a\",\"url\":\"https://x/\",\"headers\":{\"A\":1}}]}",
      "/servers/0/headers" },
  };
  toolhost_mock *mock = toolhost_mock_new (toolhost_plugin_entry, NULL);

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CU_ASSERT_EQUAL (toolhost_mock_build (mock, "mcp", rows[i].config), TOOLHOST_FAILED);
    CU_ASSERT_TRUE (told_part ("error", rows[i].config, rows[i].why, toolhost_mock_error ()));
  }
  toolhost_mock_free (mock);
}

static void
patterns_choose_tools (void)
{
  char *patterns[] = { (char *) "echo", (char *) "get-*", (char *) "?x*z", NULL };
  const struct server_config some = { .tools = patterns }, all = { .tools = NULL };

  CU_ASSERT_TRUE (config_wants (&some, "echo"));
  CU_ASSERT_TRUE (config_wants (&some, "get-"));
  CU_ASSERT_TRUE (config_wants (&some, "get-sum"));
  CU_ASSERT_TRUE (config_wants (&some, "axyzz"));
  CU_ASSERT_FALSE (config_wants (&some, "axyz1"));
  CU_ASSERT_FALSE (config_wants (&some, "echo1"));
  CU_ASSERT_FALSE (config_wants (&some, "ec"));
  CU_ASSERT_TRUE (config_wants (&all, "anything"));
}

static void
names_become_ours (void)
{
  char name[65];

  tool_name (name, "p_", "a.b/c d-e");
  CU_ASSERT_STRING_EQUAL (name, "p_a_b_c_d-e");
  tool_name (name, "", "0123456789012345678901234567890123456789012345678901234567890123456789");
  CU_ASSERT_EQUAL (strlen (name), 64);
}

static void
messages_are_told_apart (void)
{
  static const struct {
    const char *text;
    enum message_kind kind;
    int64_t id;
  } rows[] = {
    { "{\"id\":7,\"result\":{}}", MESSAGE_RESULT, 7 },
    { "{\"id\":7,\"error\":{\"code\":1}}", MESSAGE_ERROR, 7 },
    { "{\"error\":{\"code\":1}}", MESSAGE_ERROR, -1 },
    { "{\"id\":\"x\",\"result\":{}}", MESSAGE_RESULT, -1 },
    { "{\"id\":1.5,\"result\":{}}", MESSAGE_RESULT, -1 },
    { "{\"id\":1,\"method\":\"ping\"}", MESSAGE_REQUEST, 1 },
    { "{\"method\":\"n\"}", MESSAGE_NOTIFICATION, -1 },
    { "{\"id\":1,\"result\":[]}", MESSAGE_NONE, 1 },
    { "[]", MESSAGE_NONE, -1 },
    { "{", MESSAGE_NONE, -1 },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CLEANUP_VALUES struct values pool = { 0 };
    struct message message;
    message_read (&message, &pool, rows[i].text, strlen (rows[i].text));
    CU_ASSERT_EQUAL (message.kind, rows[i].kind);
    CU_ASSERT_EQUAL (message.id, rows[i].id);
  }
}

static CU_TestInfo tests[] = {
  { "definitions are theirs", definitions_are_theirs },
  { "calls go with their headers", calls_go_with_their_headers },
  { "results are what they are", results_are_what_they_are },
  { "questions go to the caller", questions_go_to_the_caller },
  { "a server that is not there costs its own tools",
    a_server_that_is_not_there_costs_its_own_tools },
  { "configurations are read strictly", configurations_are_read_strictly },
  { "patterns choose tools", patterns_choose_tools },
  { "names become ours", names_become_ours },
  { "messages are told apart", messages_are_told_apart },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = { { "mcp", NULL, NULL, NULL, NULL, tests }, CU_SUITE_INFO_NULL };

TAP_MAIN (suites)
