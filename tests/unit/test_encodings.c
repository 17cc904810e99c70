/* One result in the forms of four systems, to the byte, and back. */
#include "base/json_write.h"
#include "front/encodings.h"
#include "tap.h"

static const char TEXT[] = "[{\"type\":\"text\",\"text\":\"10.5 add 5.5 = 16.0\"}]";
static const char IMAGE[] = "[{\"type\":\"text\",\"text\":\"a cat\"},\n"
                            "{\"type\":\"image\",\"data\":\"AA==\",\"mimeType\":\"image/png\"}]";
#define PROBLEMS_TEXT                                                                              \
  "[{\"instancePath\":\"/a\",\"message\":\"Missing required parameter: "                           \
  "a\"},{\"message\":\"Invalid email format\"}]"
static const char PROBLEMS[] = PROBLEMS_TEXT;
static const char OWN[] =
  "[{\"type\":\"text\",\"text\":\"{\\\"error\\\":\\\"call_transfer_failed\\\","
  "\\\"detail\\\":\\\"No.\\\"}\"}]";

#define AUDIO "[{\"type\":\"audio\",\"data\":\"UklG\",\"mimeType\":\"audio/wav\"}]"

#define SONORE_FAILED(code, message)                                                               \
  "{\"function_call_id\":\"c1\",\"ok\":false,\"error\":\"" code "\",\"output\":\"{\\\"ok\\\":"     \
  "false,\\\"error\\\":\\\"" code "\\\",\\\"tool\\\":\\\"t\\\",\\\"message\\\":\\\"" message       \
  "\\\"}\"}"
#define FRAMEWORK_FAILED(code, message)                                                            \
  "{\"is_error\":true,\"output\":[{\"type\":\"text\",\"text\":\"" message "\"}],"                  \
  "\"error_code\":\"" code "\",\"message\":\"" message "\"}"
#define MCP_FAILED(code, message)                                                                  \
  "{\"content\":[{\"type\":\"text\",\"text\":\"" message "\"}],\"isError\":true,"                  \
  "\"_meta\":{\"toolhost/error\":{\"code\":\"" code "\"}}}"

static const struct row {
  const char *name;
  enum call_error error;
  const char *code, *message, *content, *structured, *problems;
  const char *as[ENCODING_MCP + 1];
} rows[] = {
  { "text",
    CALL_OK,
    NULL,
    NULL,
    TEXT,
    NULL,
    NULL,
    { NULL,
      "{\"function_call_id\":\"c1\",\"ok\":true,\"error\":null,"
      "\"output\":\"{\\\"result\\\":\\\"10.5 add 5.5 = 16.0\\\"}\"}",
      "{\"success\":true,\"message\":\"10.5 add 5.5 = 16.0\"}",
      "{\"is_error\":false,\"output\":[{\"type\":\"text\",\"text\":\"10.5 add 5.5 = 16.0\"}]}",
      "{\"content\":[{\"type\":\"text\",\"text\":\"10.5 add 5.5 = 16.0\"}],\"isError\":false}" } },
  { "structured",
    CALL_OK,
    NULL,
    NULL,
    "[]",
    "{\"temperature\":21}",
    NULL,
    { NULL,
      "{\"function_call_id\":\"c1\",\"ok\":true,\"error\":null,"
      "\"output\":\"{\\\"temperature\\\":21}\"}",
      "{\"success\":true,\"result\":{\"temperature\":21}}",
      "{\"is_error\":false,\"output\":[{\"type\":\"text\",\"text\":\"{\\\"temperature\\\":21}\"}],"
      "\"structured\":{\"temperature\":21}}",
      "{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"temperature\\\":21}\"}],"
      "\"structuredContent\":{\"temperature\":21},\"isError\":false}" } },
  { "both",
    CALL_OK,
    NULL,
    NULL,
    TEXT,
    "16.0",
    NULL,
    { NULL, "{\"function_call_id\":\"c1\",\"ok\":true,\"error\":null,\"output\":\"16.0\"}",
      "{\"success\":true,\"result\":16.0,\"message\":\"10.5 add 5.5 = 16.0\"}",
      "{\"is_error\":false,\"output\":[{\"type\":\"text\",\"text\":\"10.5 add 5.5 = 16.0\"}],"
      "\"structured\":16.0}",
      "{\"content\":[{\"type\":\"text\",\"text\":\"10.5 add 5.5 = 16.0\"}],"
      "\"structuredContent\":16.0,\"isError\":false}" } },
  { "more than text",
    CALL_OK,
    NULL,
    NULL,
    IMAGE,
    NULL,
    NULL,
    { NULL,
      "{\"function_call_id\":\"c1\",\"ok\":true,\"error\":null,\"output\":\"{\\\"result\\\":\\\"a "
      "cat\\\",\\\"content\\\":[{\\\"type\\\":\\\"text\\\",\\\"text\\\":\\\"a cat\\\"},\\n{"
      "\\\"type\\\":\\\"image\\\",\\\"data\\\":\\\"AA==\\\",\\\"mimeType\\\":\\\"image/png\\\"}]}\""
      "}",
      "{\"success\":true,\"result\":[{\"type\":\"text\",\"text\":\"a cat\"}, "
      "{\"type\":\"image\",\"data\":\"AA==\",\"mimeType\":\"image/png\"}],\"message\":\"a cat\"}",
      "{\"is_error\":false,\"output\":[{\"type\":\"text\",\"text\":\"a cat\"}, "
      "{\"type\":\"image\",\"data\":\"AA==\",\"mimeType\":\"image/png\"}]}",
      "{\"content\":[{\"type\":\"text\",\"text\":\"a cat\"}, "
      "{\"type\":\"image\",\"data\":\"AA==\",\"mimeType\":\"image/png\"}],\"isError\":false}" } },
  { "a sound",
    CALL_OK,
    NULL,
    NULL,
    AUDIO,
    NULL,
    NULL,
    { NULL,
      "{\"function_call_id\":\"c1\",\"ok\":true,\"error\":null,\"output\":\"{\\\"result\\\":\\\""
      "\\\",\\\"content\\\":[{\\\"type\\\":\\\"audio\\\",\\\"data\\\":\\\"UklG\\\","
      "\\\"mimeType\\\":\\\"audio/wav\\\"}]}\"}",
      "{\"success\":true,\"result\":" AUDIO "}", "{\"is_error\":false,\"output\":" AUDIO "}",
      "{\"content\":" AUDIO ",\"isError\":false}" } },
  { "nothing",
    CALL_OK,
    NULL,
    NULL,
    "[]",
    NULL,
    NULL,
    { NULL,
      "{\"function_call_id\":\"c1\",\"ok\":true,\"error\":null,\"output\":\"{\\\"result\\\":"
      "\\\"\\\""
      "}\"}",
      "{\"success\":true}", "{\"is_error\":false,\"output\":[]}",
      "{\"content\":[],\"isError\":false}" } },
  { "unknown tool",
    CALL_tool_not_found,
    "tool_not_found",
    "There is no tool of this name.",
    "[]",
    NULL,
    NULL,
    { NULL, SONORE_FAILED ("tool_not_found", "Requested tool is not available."),
      "{\"success\":false,\"message\":\"There is no tool of this name.\"}",
      FRAMEWORK_FAILED ("tool_not_found", "There is no tool of this name."),
      MCP_FAILED ("tool_not_found", "There is no tool of this name.") } },
  { "no JSON",
    CALL_tool_args_parse_error,
    "tool_args_parse_error",
    "expected }",
    "[]",
    NULL,
    NULL,
    { NULL, SONORE_FAILED ("tool_args_parse_error", "Tool arguments could not be parsed."),
      "{\"success\":false,\"message\":\"Invalid JSON arguments: expected }\"}",
      FRAMEWORK_FAILED ("tool_args_parse_error", "expected }"),
      MCP_FAILED ("tool_args_parse_error", "expected }") } },
  { "all that is wrong",
    CALL_tool_args_invalid,
    "tool_args_invalid",
    "two errors",
    "[]",
    NULL,
    PROBLEMS,
    { NULL, SONORE_FAILED ("tool_args_invalid", "two errors"),
      "{\"success\":false,\"message\":\"Validation failed: Missing required parameter: a, Invalid "
      "email format\"}",
      "{\"is_error\":true,\"output\":[{\"type\":\"text\",\"text\":\"two errors\"}],"
      "\"error_code\":\"tool_args_invalid\",\"message\":\"two errors\",\"details\":" PROBLEMS_TEXT
      "}",
      "{\"content\":[{\"type\":\"text\",\"text\":\"two errors\"}],\"isError\":true,\"_meta\":{"
      "\"toolhost/error\":{\"code\":\"tool_args_invalid\"},\"toolhost/validation\":" PROBLEMS_TEXT
      "}}" } },
  { "it failed",
    CALL_tool_execution_failed,
    "tool_execution_failed",
    "Cannot divide by zero",
    "[]",
    NULL,
    NULL,
    { NULL, SONORE_FAILED ("tool_execution_failed", "Tool execution failed."),
      "{\"success\":false,\"message\":\"Cannot divide by zero\"}",
      FRAMEWORK_FAILED ("tool_execution_failed", "Cannot divide by zero"),
      MCP_FAILED ("tool_execution_failed", "Cannot divide by zero") } },
  { "input",
    CALL_tool_execution_failed,
    "invalid_input",
    "no city",
    "[]",
    NULL,
    NULL,
    { NULL, SONORE_FAILED ("invalid_input", "no city"),
      "{\"success\":false,\"message\":\"Invalid input: no city\"}",
      FRAMEWORK_FAILED ("invalid_input", "no city"), MCP_FAILED ("invalid_input", "no city") } },
  { "network",
    CALL_tool_execution_failed,
    "network_error",
    "no route",
    "[]",
    NULL,
    NULL,
    { NULL, SONORE_FAILED ("network_error", "no route"),
      "{\"success\":false,\"message\":\"Network error: no route\"}",
      FRAMEWORK_FAILED ("network_error", "no route"), MCP_FAILED ("network_error", "no route") } },
  { "permission",
    CALL_tool_execution_failed,
    "permission_denied",
    "not you",
    "[]",
    NULL,
    NULL,
    { NULL, SONORE_FAILED ("permission_denied", "not you"),
      "{\"success\":false,\"message\":\"Permission denied: not you\"}",
      FRAMEWORK_FAILED ("permission_denied", "not you"),
      MCP_FAILED ("permission_denied", "not you") } },
  { "exception",
    CALL_tool_timeout,
    "tool_timeout",
    "It took too long.",
    "[]",
    NULL,
    NULL,
    { NULL, SONORE_FAILED ("tool_timeout", "It took too long."),
      "{\"success\":false,\"message\":\"Tool execution failed: It took too long.\"}",
      FRAMEWORK_FAILED ("tool_timeout", "It took too long."),
      MCP_FAILED ("tool_timeout", "It took too long.") } },
  { "its own words",
    CALL_tool_execution_failed,
    "call_transfer_failed",
    "No.",
    OWN,
    NULL,
    NULL,
    { NULL,
      "{\"function_call_id\":\"c1\",\"ok\":false,\"error\":\"call_transfer_failed\",\"output\":\"{"
      "\\\"error\\\":\\\"call_transfer_failed\\\",\\\"detail\\\":\\\"No.\\\"}\"}",
      "{\"success\":false,\"message\":\"No.\"}",
      "{\"is_error\":true,\"output\":[{\"type\":\"text\",\"text\":\"No.\"},{\"type\":\"text\","
      "\"text\":\"{\\\"error\\\":\\\"call_transfer_failed\\\",\\\"detail\\\":\\\"No.\\\"}\"}],"
      "\"error_code\":\"call_transfer_failed\",\"message\":\"No.\"}",
      "{\"content\":[{\"type\":\"text\",\"text\":\"No.\"},{\"type\":\"text\",\"text\":\"{"
      "\\\"error\\\":\\\"call_transfer_failed\\\",\\\"detail\\\":\\\"No.\\\"}\"}],\"isError\":true,"
      "\"_meta\":{\"toolhost/error\":{\"code\":\"call_transfer_failed\"}}}" } },
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static size_t
length (const char *text)
{
  return text != NULL ? strlen (text) : 0;
}

static struct result
make (const struct row *row)
{
  return (struct result){ .error = row->error,
                          .code = row->code,
                          .message = row->message,
                          .message_len = length (row->message),
                          .name = "t",
                          .name_len = 1,
                          .content = row->content,
                          .content_len = length (row->content),
                          .structured = row->structured,
                          .structured_len = length (row->structured),
                          .problems = row->problems,
                          .problems_len = length (row->problems) };
}

static void
check (const char *row, int encoding, const char *got, const char *expected)
{
  if (strcmp (got, expected) != 0)
    printf ("# %s, %d\n# got      %s\n# expected %s\n", row, encoding, got, expected);
  CU_ASSERT_STRING_EQUAL (got, expected);
}

static void
test_put (void)
{
  for (size_t i = 0; i < ROWS; i++)
    for (int e = ENCODING_SONORE; e <= ENCODING_MCP; e++) {
      CLEANUP_BUF struct buf out = { 0 };
      struct result result = make (&rows[i]);
      encoding_put (&out, (enum encoding) e, "c1", &result);
      check (rows[i].name, e, buf_cstr (&out), rows[i].as[e]);
    }
}

/* Read in one form, written in another. */
static void
again (const char *text, enum encoding from, enum encoding to, struct buf *out)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  struct result result;
  struct error err = { 0 };
  const char *id = NULL;

  CU_ASSERT_FATAL (json_read (&tape, text, strlen (text), &json_default_limits, &arena));
  if (!encoding_read (from, &tape, json_root (&tape), &arena, &id, &result, &err)) {
    printf ("# %s: %s\n", text, err.text);
    CU_FAIL_FATAL ("it can't be read");
  }
  if (from == ENCODING_SONORE)
    CU_ASSERT_STRING_EQUAL (id, "c1");
  encoding_put (out, to, "c1", &result);
}

static void
test_round_trip (void)
{
  for (size_t i = 0; i < ROWS; i++)
    for (int e = ENCODING_SONORE; e <= ENCODING_MCP; e++) {
      CLEANUP_BUF struct buf out = { 0 };
      again (rows[i].as[e], (enum encoding) e, (enum encoding) e, &out);
      check (rows[i].name, e, buf_cstr (&out), rows[i].as[e]);
    }
}

/* These two say the same: blocks, codes, what is structured. */
static void
test_there_and_back (void)
{
  for (size_t i = 0; i < ROWS; i++) {
    CLEANUP_BUF struct buf framework = { 0 };
    CLEANUP_BUF struct buf mcp = { 0 };
    again (rows[i].as[ENCODING_MCP], ENCODING_MCP, ENCODING_AGENT_FRAMEWORK, &framework);
    check (rows[i].name, 0, buf_cstr (&framework), rows[i].as[ENCODING_AGENT_FRAMEWORK]);
    again (buf_cstr (&framework), ENCODING_AGENT_FRAMEWORK, ENCODING_MCP, &mcp);
    check (rows[i].name, 0, buf_cstr (&mcp), rows[i].as[ENCODING_MCP]);
  }
}

/* The framework's own content for what went wrong: a block of the output. */
static void
test_error_block (void)
{
  static const char theirs[] =
    "{\"is_error\":true,\"output\":[{\"type\":\"error\",\"error_code\":\"tool_args_invalid\","
    "\"message\":\"two errors\",\"details\":" PROBLEMS_TEXT "}]}";
  static const char ours[] =
    "{\"is_error\":true,\"output\":[{\"type\":\"text\",\"text\":\"two errors\"}],"
    "\"error_code\":\"tool_args_invalid\",\"message\":\"two errors\",\"details\":" PROBLEMS_TEXT
    "}";
  CLEANUP_BUF struct buf out = { 0 };

  again (theirs, ENCODING_AGENT_FRAMEWORK, ENCODING_AGENT_FRAMEWORK, &out);
  check ("error block", ENCODING_AGENT_FRAMEWORK, buf_cstr (&out), ours);
}

static const struct {
  enum output_form form;
  const char *error, *sonore, *told;
} outputs[] = {
  { OUTPUT_SONORE, NULL, "{\"result\":\"21 C\"}", "{\"result\":\"21 C\"}" },
  { OUTPUT_BLOCKS, NULL, "{\"result\":\"21 C\"}",
    "{\"is_error\":false,\"output\":[{\"type\":\"text\",\"text\":\"21 C\"}]}" },
  { OUTPUT_TEXT, NULL, "{\"result\":\"21 C\\n\"}", "21 C\n" },
  { OUTPUT_TEXT, NULL, "\"success\"", "success" },
  { OUTPUT_TEXT, NULL, "{\"n\":7}",
    "{\"is_error\":false,\"output\":[{\"type\":\"text\",\"text\":\"{\\\"n\\\":7}\"}],"
    "\"structured\":{\"n\":7}}" },
  { OUTPUT_TEXT, NULL,
    "{\"result\":\"a\",\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"image\","
    "\"data\":\"AA==\",\"mimeType\":\"image/png\"}]}",
    "{\"is_error\":false,\"output\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"image\","
    "\"data\":\"AA==\",\"mimeType\":\"image/png\"}]}" },
  { OUTPUT_TEXT, "tool_timeout",
    "{\"ok\":false,\"error\":\"tool_timeout\",\"tool\":\"t\",\"message\":\"It took too long.\"}",
    FRAMEWORK_FAILED ("tool_timeout", "It took too long.") },
  /* what is no JSON is told as it is */
  { OUTPUT_BLOCKS, NULL, "{", "{" },
};

static void
test_outputs (void)
{
  for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++) {
    CLEANUP_BUF struct buf out = { 0 };
    encoding_put_output (&out, outputs[i].form, outputs[i].error, outputs[i].sonore,
                         strlen (outputs[i].sonore));
    check (outputs[i].sonore, (int) outputs[i].form, buf_cstr (&out), outputs[i].told);
  }
}

static void
test_output_names (void)
{
  enum output_form form = OUTPUT_TEXT;

  CU_ASSERT_TRUE (output_form_find (NULL, &form) && form == OUTPUT_SONORE);
  CU_ASSERT_TRUE (output_form_find ("blocks", &form) && form == OUTPUT_BLOCKS);
  CU_ASSERT_TRUE (output_form_find ("text", &form) && form == OUTPUT_TEXT);
  CU_ASSERT_FALSE (output_form_find ("texts", &form));
}

static void
test_refused (void)
{
  static const struct {
    enum encoding encoding;
    const char *text, *why;
  } bad[] = {
    { ENCODING_SONORE, "[]", "expected an object" },
    { ENCODING_SONORE, "{\"output\":\"1\"}", "/ok: expected true or false" },
    { ENCODING_SONORE, "{\"ok\":true,\"output\":1}", "/output: expected a string that holds JSON" },
    { ENCODING_SONORE, "{\"ok\":true,\"output\":\"{\"}",
      "/output: expected a string that holds JSON" },
    { ENCODING_AGUI, "{\"success\":1}", "/success: expected true or false" },
    { ENCODING_AGUI, "{\"success\":true,\"message\":1}", "/message: expected a string" },
    { ENCODING_AGENT_FRAMEWORK, "{\"output\":[]}", "/is_error: expected true or false" },
    { ENCODING_AGENT_FRAMEWORK, "{\"is_error\":false,\"output\":[1]}",
      "/output: expected an array of content blocks" },
    { ENCODING_MCP, "{\"isError\":false}", "/content: expected an array of content blocks" },
    { ENCODING_MCP, "{\"content\":[],\"isError\":\"no\"}", "/isError: expected true or false" },
  };

  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    CLEANUP_ARENA struct arena arena = { 0 };
    struct json_tape tape;
    struct result result;
    struct error err = { 0 };
    const char *id;
    CU_ASSERT_FATAL (
      json_read (&tape, bad[i].text, strlen (bad[i].text), &json_default_limits, &arena));
    CU_ASSERT_FALSE (
      encoding_read (bad[i].encoding, &tape, json_root (&tape), &arena, &id, &result, &err));
    check (bad[i].text, (int) bad[i].encoding, err.text, bad[i].why);
  }
}

static void
test_names (void)
{
  enum encoding encoding = ENCODING_OWN;
  struct error err = { 0 };

  CU_ASSERT (encoding_find (NULL, 0, &encoding, &err));
  CU_ASSERT_EQUAL (encoding, ENCODING_OWN);
  CU_ASSERT (encoding_find ("agent-framework", 15, &encoding, &err));
  CU_ASSERT_EQUAL (encoding, ENCODING_AGENT_FRAMEWORK);
  CU_ASSERT_FALSE (encoding_find ("agent", 5, &encoding, &err));
  CU_ASSERT_STRING_EQUAL (err.text, "encoding: expected one of sonore, agui, agent-framework, mcp");
}

/* U1-15 */
static void
test_content (void)
{
  static const struct {
    const char *name, *content;
  } expected[] = {
    { "text", "10.5 add 5.5 = 16.0" },
    { "structured", "{\"temperature\":21}" },
    { "both", "16.0" },
    { "nothing", "true" },
    { "exception", "Error: Tool execution failed - It took too long." },
    { "it failed", "Cannot divide by zero" },
    { "all that is wrong",
      "Validation failed: Missing required parameter: a, Invalid email format" },
  };

  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
    for (size_t k = 0; k < ROWS; k++)
      if (strcmp (rows[k].name, expected[i].name) == 0) {
        CLEANUP_BUF struct buf out = { 0 };
        struct result result = make (&rows[k]);
        encoding_agui_content (&out, &result);
        check (rows[k].name, 0, buf_cstr (&out), expected[i].content);
      }
}

static CU_TestInfo tests[] = {
  { "S0-47 S0-49 S0-53 S1-5 S1-9 S1-12 S3-2 each result in each form", test_put },
  { "S3-2 an error among the blocks", test_error_block },
  { "A3-10 blocks, or a lone text as it is", test_outputs },
  { "A3-10 names of what a model is told", test_output_names },
  { "S0-55 X8 what was read is written again as it was", test_round_trip },
  { "X8 agent-framework and MCP say the same", test_there_and_back },
  { "X8 what has not the form is refused with its place", test_refused },
  { "X8 names of the forms", test_names },
  { "U1-15 what a model is told of a result", test_content },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "encodings", NULL, NULL, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };
TAP_MAIN (suites)
