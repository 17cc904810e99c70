/* Resources, prompts and completions over MCP: what is asked of the pipeline, and what clients of
 * each era are told. */
#include "fake_calls.h"
#include "fake_http.h"
#include "front/mcp/mcp.h"
#include "tap.h"

#define JSON_TYPE "content-type: application/json\naccept: application/json, text/event-stream\n"
#define META                                                                                       \
  "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                         \
  "\"io.modelcontextprotocol/clientCapabilities\":{}}"
#define SERVER                                                                                     \
  "\"io.modelcontextprotocol/serverInfo\":{\"name\":\"toolhost\",\"version\":\"1.2.3\"}"
#define ONE(name) "{\"name\":\"" name "\",\"modern\":1}"

static struct {
  struct fake_env fake;
  struct mcp_http *mcp;
  char session[64];
  char body[4096]; /* of the last answer */
  int status;
} f;

static void
post (const char *headers, const char *body)
{
  struct fake_answer a;
  const char *id;

  fake_http_request (&a, &fake_anonymous, "POST", "/mcp", headers, body);
  mcp_http_handle (f.mcp, a.x);
  f.status = fake_http_ended (&a) ? a.status : 0;
  snprintf (f.body, sizeof f.body, "%s", fake_http_body (&a));
  id = strstr (a.headers, "Mcp-Session-Id: ");
  if (id != NULL)
    (void) sscanf (id, "Mcp-Session-Id: %63[0-9a-f]", f.session);
  fake_answer_free (&a);
}

/* A request of 2026-07-28; `named` is what Mcp-Name says, or NULL; `params` goes on after _meta. */
static const char *
modern (const char *method, const char *named, const char *params)
{
  char headers[512], body[2048];

  snprintf (headers, sizeof headers,
            JSON_TYPE "mcp-protocol-version: 2026-07-28\nmcp-method: %s\n%s%s%s", method,
            named != NULL ? "mcp-name: " : "", named != NULL ? named : "",
            named != NULL ? "\n" : "");
  snprintf (body, sizeof body,
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{" META "%s}}", method,
            params);
  post (headers, body);
  return f.body;
}

static const char *
legacy (const char *method, const char *params)
{
  char headers[512], body[2048];

  snprintf (headers, sizeof headers,
            JSON_TYPE "mcp-protocol-version: 2025-11-25\nmcp-session-id: %s\n", f.session);
  snprintf (body, sizeof body, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{%s}}",
            method, params);
  post (headers, body);
  return f.body;
}

static int
begin (void)
{
  memset (&f, 0, sizeof f);
  fake_env_init (&f.fake);
  fake_env_offers (&f.fake);
  f.mcp = mcp_http_new (&f.fake.env);
  post (JSON_TYPE,
        "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
        "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":"
        "\"c\",\"version\":\"1\"}}}");
  return f.session[0] == '\0';
}

static int
end (void)
{
  mcp_http_free (f.mcp);
  fake_env_free (&f.fake);
  return 0;
}

static bool
is (const char *got, const char *expected)
{
  if (strcmp (got, expected) == 0)
    return true;
  printf ("# got      %s\n# expected %s\n", got, expected);
  return false;
}

static bool
has (const char *got, const char *part)
{
  if (strstr (got, part) != NULL)
    return true;
  printf ("# no %s in %s\n", part, got);
  return false;
}

/* ---- lists ---- */

static void
lists (void)
{
  CU_ASSERT (
    is (modern ("prompts/list", NULL, ""),
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"complete\",\"prompts\":[" ONE (
          "ask") "],\"ttlMs\":1000,\"cacheScope\":\"private\",\"_meta\":{" SERVER "}}}"));
  CU_ASSERT (
    is (legacy ("resources/templates/list", ""),
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resourceTemplates\":[" ONE ("a:{b}") "]}}"));
  CU_ASSERT (is (legacy ("resources/list", ""),
                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resources\":[" ONE ("a:1") "," ONE (
                   "a:2") "],\"nextCursor\":\"YToy\"}}"));
  CU_ASSERT (is (legacy ("resources/list", "\"cursor\":\"YToy\""),
                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resources\":[" ONE ("a:3") "]}}"));
  CU_ASSERT (has (legacy ("resources/list", "\"cursor\":\"*\""), "\"code\":-32602"));
  CU_ASSERT (has (legacy ("resources/list", "\"cursor\":7"), "\"code\":-32602"));
}

/* ---- reads ---- */

static void
reads (void)
{
  f.fake.calls.canned = fake_result ("[{\"uri\":\"a:1\",\"text\":\"t\"}]", NULL);
  CU_ASSERT (has (modern ("resources/read", "a:1", ",\"uri\":\"a:1\""),
                  "\"resultType\":\"complete\",\"contents\":[{\"uri\":\"a:1\",\"text\":\"t\"}],"
                  "\"ttlMs\":0,\"cacheScope\":\"private\",\"_meta\":{" SERVER
                  ",\"toolhost/usage\""));
  CU_ASSERT_EQUAL (f.fake.calls.kind, CALL_READ);
  CU_ASSERT_STRING_EQUAL (f.fake.calls.name, "a:1");
  CU_ASSERT (has (legacy ("resources/read", "\"uri\":\"a:1\""),
                  "\"result\":{\"contents\":[{\"uri\":\"a:1\",\"text\":\"t\"}],\"_meta\":{"
                  "\"toolhost/usage\""));
  CU_ASSERT (has (modern ("resources/read", "a:2", ",\"uri\":\"a:1\""), "\"code\":-32020"));
  CU_ASSERT_EQUAL (f.status, 400);
  CU_ASSERT (has (legacy ("resources/read", ""), "\"code\":-32602"));
  CU_ASSERT (has (legacy ("resources/read", "\"uri\":\"\""), "\"code\":-32602"));
}

static void
what_is_not_there (void)
{
  f.fake.calls.canned = fake_failure (CALL_resource_not_found, NULL, "There is no such resource.");
  CU_ASSERT (
    is (modern ("resources/read", "a:9", ",\"uri\":\"a:9\""),
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,\"message\":\"There is no "
        "such resource.\",\"data\":{\"uri\":\"a:9\",\"code\":\"resource_not_found\"}}}"));
  CU_ASSERT_EQUAL (f.status, 200);
  CU_ASSERT (has (legacy ("resources/read", "\"uri\":\"a:9\""), "\"code\":-32002"));
  f.fake.calls.canned = fake_failure (CALL_prompt_not_found, NULL, "There is no prompt.");
  CU_ASSERT (has (legacy ("prompts/get", "\"name\":\"no\""), "\"code\":-32602"));
  f.fake.calls.canned = fake_failure (CALL_tool_overloaded, NULL, "Too many.");
  f.fake.calls.canned.retry_after_ms = 50;
  CU_ASSERT (has (legacy ("prompts/get", "\"name\":\"ask\""),
                  "\"error\":{\"code\":-32603,\"message\":\"Too many.\",\"data\":{\"code\":"
                  "\"tool_overloaded\",\"retryAfterMs\":50}}"));
}

/* ---- prompts and completions ---- */

static void
prompts (void)
{
  f.fake.calls.canned =
    fake_result ("[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"t\"}}]", NULL);
  CU_ASSERT (
    has (modern ("prompts/get", "ask", ",\"name\":\"ask\",\"arguments\":{\"a\":\"b\"}"),
         "\"result\":{\"resultType\":\"complete\",\"description\":\"Asks.\",\"messages\":[{"
         "\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"t\"}}],\"_meta\":{"));
  CU_ASSERT_EQUAL (f.fake.calls.kind, CALL_PROMPT);
  CU_ASSERT_STRING_EQUAL (f.fake.calls.args, "{\"a\":\"b\"}");
  CU_ASSERT (has (legacy ("prompts/get", "\"name\":\"ask\",\"arguments\":[]"), "\"code\":-32602"));
  CU_ASSERT (has (legacy ("prompts/get", ""), "\"code\":-32602"));
}

static void
completions (void)
{
  static const char values[] = "{\"values\":[\"x\"],\"total\":1,\"hasMore\":false}";

  f.fake.calls.canned = fake_result ("[]", values);
  CU_ASSERT (
    has (modern ("completion/complete", NULL,
                 ",\"ref\":{\"type\":\"ref/prompt\",\"name\":\"ask\"},\"argument\":{\"name\":"
                 "\"a\",\"value\":\"x\"},\"context\":{\"arguments\":{\"c\":\"d\"}}"),
         "\"completion\":{\"values\":[\"x\"],\"total\":1,\"hasMore\":false},\"_meta\":{"));
  CU_ASSERT_EQUAL (f.fake.calls.kind, CALL_COMPLETE_PROMPT);
  CU_ASSERT_STRING_EQUAL (f.fake.calls.name, "ask");
  CU_ASSERT_STRING_EQUAL (f.fake.calls.argument, "a");
  CU_ASSERT_STRING_EQUAL (f.fake.calls.partial, "x");
  CU_ASSERT_STRING_EQUAL (f.fake.calls.args, "{\"c\":\"d\"}");
  CU_ASSERT (has (legacy ("completion/complete",
                          "\"ref\":{\"type\":\"ref/resource\",\"uri\":\"a:{b}\"},\"argument\":{"
                          "\"name\":\"b\",\"value\":\"\"}"),
                  "\"result\":{\"completion\":{"));
  CU_ASSERT_EQUAL (f.fake.calls.kind, CALL_COMPLETE_RESOURCE);
  CU_ASSERT_STRING_EQUAL (f.fake.calls.name, "a:{b}");
}

static void
bad_completions (void)
{
  static const char *const params[] = {
    "",
    "\"ref\":{\"type\":\"ref/other\",\"uri\":\"a\"},\"argument\":{\"name\":\"b\",\"value\":\"\"}",
    "\"ref\":{\"type\":\"ref/prompt\",\"uri\":\"a\"},\"argument\":{\"name\":\"b\",\"value\":\"\"}",
    "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"a\"},\"argument\":{\"name\":\"b\"}",
    "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"a\"},\"argument\":{\"name\":\"b\",\"value\":1}",
    "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"a\"},\"argument\":{\"name\":\"b\",\"value\":\"\"},"
    "\"context\":{\"arguments\":1}",
  };

  for (size_t i = 0; i < sizeof params / sizeof *params; i++)
    CU_ASSERT (has (legacy ("completion/complete", params[i]), "\"code\":-32602"));
}

/* ---- subscriptions of the handshake ---- */

static void
subscriptions (void)
{
  CU_ASSERT (is (legacy ("resources/subscribe", "\"uri\":\"a:1\""),
                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"));
  CU_ASSERT (is (legacy ("resources/unsubscribe", "\"uri\":\"a:1\""),
                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"));
  CU_ASSERT (has (legacy ("resources/subscribe", ""), "\"code\":-32602"));
  CU_ASSERT (has (modern ("resources/subscribe", NULL, ",\"uri\":\"a:1\""), "\"code\":-32601"));
  CU_ASSERT_EQUAL (f.status, 404);
}

static CU_TestInfo tests[] = {
  { "lists, and their pages", lists },
  { "reads", reads },
  { "what is not there, by era", what_is_not_there },
  { "prompts", prompts },
  { "completions", completions },
  { "completions of nothing that can be completed", bad_completions },
  { "subscriptions of the handshake", subscriptions },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "mcp offers", begin, end, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };
TAP_MAIN (suites)
