#include <math.h>

#include "base/base64.h"
#include "front/encode.h"
#include "front/mcp/headers.h"
#include "front/mcp/mcp.h"
#include "mcp_rig.h"
#include "tap.h"

/* ---- the ladder of checks ---- */

static const struct rung {
  const char *name;
  const char *headers;
  const char *body;
  int status;
  const char *part; /* of the answer's body */
} ladder[] = {
  { "no content type", BOTH, "{}", 415, "unsupported_media_type" },
  { "text", "content-type: text/plain\n" BOTH, "{}", 415, "unsupported_media_type" },
  { "json with charset", "content-type: application/json; charset=utf-8\n" BOTH, "{", 400,
    "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"Parse error: byte " },
  { "accepts nothing of ours", JSON_TYPE "accept: text/html\n", "{}", 406, "not_acceptable" },
  { "empty body", JSON_TYPE BOTH, NULL, 400, "\"code\":-32700" },
  { "bad utf-8", JSON_TYPE BOTH, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", 400,
    "-32700" },
  { "too deep", JSON_TYPE BOTH, "[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]", 400, "-32700" },
  { "duplicate member", JSON_TYPE BOTH, "{\"id\":1,\"id\":2}", 400, "-32700" },
  { "batch", JSON_TYPE BOTH, "[" MESSAGE ("1", "tools/list", "{" META "}") "]", 400,
    "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":\"Invalid Request: expected one "
    "message, got a batch\"}}" },
  { "no object", JSON_TYPE BOTH, "3", 400, "-32600" },
  { "null id", JSON_TYPE BOTH, "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", 400,
    "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600" },
  { "fractional id", JSON_TYPE BOTH, "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}", 400,
    "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600" },
  { "no jsonrpc", JSON_TYPE BOTH, "{\"id\":7,\"method\":\"ping\"}", 400,
    "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-32600" },
  { "method a number", JSON_TYPE BOTH, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":1}", 400,
    "method: expected a string" },
  { "params an array", JSON_TYPE BOTH,
    "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"x\",\"params\":[]}", 400,
    "params: expected an object" },
  { "modern header, no meta", MODERN ("tools/list"), MESSAGE ("\"a\"", "tools/list", "{}"), 400,
    "\"id\":\"a\",\"error\":{\"code\":-32602,\"message\":\"Invalid params: "
    "_meta[\\\"io.modelcontextprotocol/protocolVersion\\\"]: expected a string\"" },
  { "version a number", MODERN ("tools/list"),
    MESSAGE ("1", "tools/list", "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":1}}"), 400,
    "-32602" },
  { "no capabilities", MODERN ("tools/list"),
    MESSAGE ("1", "tools/list",
             "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}"),
    400, "clientCapabilities\\\"]: expected an object" },
  { "unknown log level", MODERN ("tools/list"),
    MESSAGE ("1", "tools/list",
             "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
             "\"io.modelcontextprotocol/clientCapabilities\":{},"
             "\"io.modelcontextprotocol/logLevel\":\"loud\"}}"),
    400, "logLevel" },
  { "progress token an object", MODERN ("tools/list"),
    MESSAGE ("1", "tools/list",
             "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
             "\"io.modelcontextprotocol/clientCapabilities\":{},\"progressToken\":{}}}"),
    400, "progressToken" },
  { "no version header", JSON_TYPE BOTH "mcp-method: tools/list\n",
    MESSAGE ("1", "tools/list", "{" META "}"), 400,
    "\"id\":1,\"error\":{\"code\":-32020,\"message\":\"Header mismatch: MCP-Protocol-Version is "
    "missing" },
  { "other version in the body", MODERN ("tools/list"),
    MESSAGE ("1", "tools/list",
             "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"v999\","
             "\"io.modelcontextprotocol/clientCapabilities\":{}}}"),
    400, "-32020" },
  { "unknown version in both",
    JSON_TYPE BOTH "mcp-protocol-version: v999\nmcp-method: tools/list\n",
    MESSAGE ("1", "tools/list",
             "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"v999\","
             "\"io.modelcontextprotocol/clientCapabilities\":{}}}"),
    400,
    "\"error\":{\"code\":-32022,\"message\":\"Unsupported protocol version\",\"data\":{"
    "\"supported\":[\"2026-07-28\"],\"requested\":\"v999\"}}}" },
  { "legacy version in a modern envelope",
    JSON_TYPE BOTH "mcp-protocol-version: 2025-11-25\nmcp-method: tools/list\n",
    MESSAGE ("1", "tools/list",
             "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2025-11-25\","
             "\"io.modelcontextprotocol/clientCapabilities\":{}}}"),
    400, "-32022" },
  { "no method header", JSON_TYPE BOTH V, MESSAGE ("1", "tools/list", "{" META "}"), 400,
    "Mcp-Method is missing" },
  { "other method header", MODERN ("tools/call"), MESSAGE ("1", "tools/list", "{" META "}"), 400,
    "Mcp-Method differs from method" },
  { "method header in other case", MODERN ("Tools/List"), MESSAGE ("1", "tools/list", "{" META "}"),
    400, "-32020" },
  { "no name header", MODERN ("tools/call"),
    MESSAGE ("1", "tools/call", "{" META ",\"name\":\"echo\"}"), 400, "Mcp-Name is missing" },
  { "other name header", MODERN ("tools/call") "mcp-name: beta\n",
    MESSAGE ("1", "tools/call", "{" META ",\"name\":\"echo\"}"), 400, "Mcp-Name differs" },
  { "name header in bad base64", MODERN ("tools/call") "mcp-name: =?base64?ZWNoby=?=\n",
    MESSAGE ("1", "tools/call", "{" META ",\"name\":\"echo\"}"), 400, "-32020" },
  { "unknown method", MODERN ("a/b"), MESSAGE ("1", "a/b", "{" META "}"), 404,
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"Method not found: "
    "a/b\"}}" },
  { "initialize with an envelope", MODERN ("initialize"), MESSAGE ("1", "initialize", "{" META "}"),
    404, "-32601" },
  { "ping with an envelope", MODERN ("ping"), MESSAGE ("1", "ping", "{" META "}"), 404, "-32601" },
  { "no tool name", MODERN ("tools/call"), MESSAGE ("1", "tools/call", "{" META "}"), 200,
    "\"code\":-32602,\"message\":\"Invalid params: name: expected a string" },
  { "arguments a string", MODERN ("tools/call") "mcp-name: echo\n",
    MESSAGE ("1", "tools/call", "{" META ",\"name\":\"echo\",\"arguments\":\"{}\"}"), 200,
    "\"code\":-32602,\"message\":\"Invalid params: arguments: expected an object" },
  { "arguments null", MODERN ("tools/call") "mcp-name: echo\n",
    MESSAGE ("1", "tools/call", "{" META ",\"name\":\"echo\",\"arguments\":null}"), 200,
    "\"code\":-32602,\"message\":\"Invalid params: arguments: expected an object" },
  { "arguments a list", MODERN ("tools/call") "mcp-name: echo\n",
    MESSAGE ("1", "tools/call", "{" META ",\"name\":\"echo\",\"arguments\":[]}"), 200,
    "\"code\":-32602,\"message\":\"Invalid params: arguments: expected an object" },
  { "unknown tool", MODERN ("tools/call") "mcp-name: nosuch\n",
    MESSAGE ("1", "tools/call", "{" META ",\"name\":\"nosuch\"}"), 200,
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,\"message\":\"Unknown tool: "
    "nosuch\"}}" },
  { "listen without filter", MODERN ("subscriptions/listen"),
    MESSAGE ("1", "subscriptions/listen", "{" META "}"), 200, "notifications: expected an object" },
  { "listen without streams",
    JSON_TYPE "accept: application/json\n" V "mcp-method: subscriptions/listen\n",
    MESSAGE ("1", "subscriptions/listen", "{" META ",\"notifications\":{}}"), 406,
    "not_acceptable" },
  { "a response", MODERN ("x"), "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", 400, "-32600" },
  { "a notification", MODERN ("notifications/cancelled"),
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{" META "}}", 202, "" },
  { "no session", JSON_TYPE BOTH, MESSAGE ("1", "tools/list", "{}"), 400,
    "\"id\":1,\"error\":{\"code\":-32000,\"message\":\"Mcp-Session-Id is missing" },
  { "unknown session", JSON_TYPE BOTH "mcp-session-id: 0123456789abcdef0123456789abcdef\n",
    MESSAGE ("1", "tools/list", "{}"), 404, "\"id\":1,\"error\":{\"code\":-32001" },
  { "initialize without version", JSON_TYPE BOTH, MESSAGE ("1", "initialize", "{}"), 200,
    "protocolVersion: expected a string" },
};

static void
test_ladder (void)
{
  struct mcp_rig f;

  rig_setup (&f);
  for (size_t i = 0; i < sizeof ladder / sizeof ladder[0]; i++) {
    struct fake_answer a;
    rig_post (&f, &a, ladder[i].headers, ladder[i].body);
    if (!fake_http_ended (&a) || a.status != ladder[i].status
        || strstr (fake_http_body (&a), ladder[i].part) == NULL) {
      printf ("# %s: %d %s\n", ladder[i].name, a.status, fake_http_body (&a));
      CU_FAIL ("a rung of the ladder");
    }
    fake_answer_free (&a);
  }
  rig_teardown (&f);
}

static void
test_other_methods (void)
{
  static const char *const methods[] = { "PUT", "OPTIONS", "HEAD" };
  struct mcp_rig f;
  struct fake_answer a;

  rig_setup (&f);
  for (size_t i = 0; i < 3; i++) {
    rig_send_as (&f, &a, &fake_anonymous, methods[i], "", NULL);
    CU_ASSERT_EQUAL (a.status, 405);
    CU_ASSERT_STRING_EQUAL (a.headers, "Allow: POST, GET, DELETE\r\n");
    fake_answer_free (&a);
  }
  rig_send_as (&f, &a, &fake_anonymous, "GET", "accept: text/event-stream\n", NULL);
  CU_ASSERT_EQUAL (a.status, 405);
  CU_ASSERT_STRING_EQUAL (a.headers, "Allow: POST\r\n");
  fake_answer_free (&a);
  rig_teardown (&f);
}

/* ---- 2026-07-28 ---- */

static void
test_discover (void)
{
  struct mcp_rig f;

  rig_setup (&f);
  f.fake.env.instructions = "Be kind.";
  rig_expect (
    &f, MODERN ("server/discover"), MESSAGE ("1790000000001", "server/discover", "{" META "}"), 200,
    "{\"jsonrpc\":\"2.0\",\"id\":1790000000001,\"result\":{\"resultType\":\"complete\","
    "\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":" FAKE_MODERN_CAPABILITIES ","
    "\"instructions\":\"Be kind.\",\"ttlMs\":60000,\"cacheScope\":\"private\","
    "\"_meta\":{" SERVER_INFO "}}}");
  rig_teardown (&f);
}

#define LIST_END "\"ttlMs\":1000,\"cacheScope\":\"private\",\"_meta\":{" SERVER_INFO "}}}"
#define LIST_BEGIN                                                                                 \
  "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"complete\",\"tools\":["
#define TOOL(name) "{\"name\":\"" name "\",\"modern\":1}"
#define LIST(cursor) MESSAGE ("1", "tools/list", "{" META ",\"cursor\":" cursor "}")

static void
test_pages (void)
{
  static const char *const fewer[] = { "alpha", "gamma", NULL };
  struct mcp_rig f;

  rig_setup (&f);
  rig_expect (&f, MODERN ("tools/list"), MESSAGE ("1", "tools/list", "{" META "}"), 200,
              LIST_BEGIN TOOL ("alpha") "," TOOL ("beta") "],\"nextCursor\":\"YmV0YQ\"," LIST_END);
  rig_expect (&f, MODERN ("tools/list"), LIST ("\"YmV0YQ\""), 200,
              LIST_BEGIN TOOL ("canned") "," TOOL ("echo") "],\"nextCursor\":\"ZWNobw\"," LIST_END);
  rig_expect (&f, MODERN ("tools/list"), LIST ("\"ZWNobw\""), 200,
              LIST_BEGIN TOOL ("later") "]," LIST_END);
  fake_env_tools (&f.fake, fewer); /* the cursor's tool is gone: it goes on behind its place */
  rig_expect (&f, MODERN ("tools/list"), LIST ("\"YmV0YQ\""), 200,
              LIST_BEGIN TOOL ("gamma") "]," LIST_END);
  rig_expect (&f, MODERN ("tools/list"), LIST ("\"enp6\""), 200, LIST_BEGIN "]," LIST_END);
  rig_teardown (&f);
}

static void
test_bad_cursors (void)
{
  static const char *const bad[] = { "\"\"", "\"YmV0YQ==\"", "\"YmV0YR\"", "\"a\"", "\"!!!!\"",
                                     "3",    "null",         "\"_____w\"" };
  struct mcp_rig f;

  rig_setup (&f);
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    char body[512];
    struct fake_answer a;
    snprintf (body, sizeof body, LIST ("%s"), bad[i]);
    rig_post (&f, &a, MODERN ("tools/list"), body);
    CU_ASSERT_EQUAL (a.status, 200);
    CU_ASSERT (rig_has (fake_http_body (&a), "\"error\":{\"code\":-32602"));
    fake_answer_free (&a);
  }
  rig_teardown (&f);
}

/* Arguments of "echo" that are repeated as headers, by type. */
static void
mirror (struct mcp_rig *f)
{
  static const char *const members[] = { "s", "n", "b" };
  struct tool *tool = toolset_find (catalog_toolset (f->fake.env.catalog), "echo", 4);
  struct mirrored_list *list = &tool->mirrored;

  list->count = 3;
  list->list = xcalloc (list->count, sizeof *list->list);
  for (size_t i = 0; i < list->count; i++) {
    char text[32];
    snprintf (text, sizeof text, "mcp-param-%s", members[i]);
    list->list[i].header = xstrdup (text);
    snprintf (text, sizeof text, "/%s", members[i]);
    list->list[i].pointer = xstrdup (text);
  }
}

static void
test_mirrored_arguments (void)
{
  static const struct {
    const char *arguments, *headers;
    bool good;
  } cases[] = {
    { "{}", "", true },
    { "{\"s\":null}", "", true },
    { "{}", "mcp-param-s: whatever\n", true },
    { "{\"s\":\"x\"}", "", false },
    { "{\"s\":\"x\"}", "mcp-param-s: x\n", true },
    { "{\"s\":\"x\"}", "mcp-param-s: X\n", false },
    { "{\"s\":\"\u00fc\"}", "mcp-param-s: =?base64?w7w=?=\n", true },
    { "{\"s\":\"\u00fc\"}", "mcp-param-s: =?base64?w7w?=\n", false },
    { "{\"s\":\"\u00fc\"}", "mcp-param-s: =?base64?w7!w=?=\n", false },
    { "{\"s\":\"42\"}", "mcp-param-s: 42\n", true },
    { "{\"n\":42}", "mcp-param-n: 42\n", true },
    { "{\"n\":42}", "mcp-param-n: 42.0\n", true },
    { "{\"n\":42.0}", "mcp-param-n: =?base64?NDI=?=\n", true },
    { "{\"n\":42}", "mcp-param-n: 43\n", false },
    { "{\"n\":42}", "mcp-param-n: \"42\"\n", false },
    { "{\"n\":42}", "mcp-param-n: 0x2a\n", false },
    { "{\"b\":true}", "mcp-param-b: true\n", true },
    { "{\"b\":true}", "mcp-param-b: True\n", false },
    { "{\"b\":false}", "mcp-param-b: true\n", false },
  };
  struct mcp_rig f;

  rig_setup (&f);
  mirror (&f);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char headers[256], body[512];
    struct fake_answer a;
    snprintf (headers, sizeof headers, MODERN ("tools/call") "mcp-name: echo\n%s",
              cases[i].headers);
    snprintf (body, sizeof body,
              MESSAGE ("1", "tools/call", "{" META ",\"name\":\"echo\",\"arguments\":%s}"),
              cases[i].arguments);
    rig_post (&f, &a, headers, body);
    CU_ASSERT_EQUAL (a.status, cases[i].good ? 200 : 400);
    CU_ASSERT_EQUAL (strstr (fake_http_body (&a), "-32020") == NULL, cases[i].good);
    fake_answer_free (&a);
  }
  rig_teardown (&f);
}

#define CALL_HEADERS(name) MODERN ("tools/call") "mcp-name: " name "\n"
#define CALL_BODY(name, more)                                                                      \
  MESSAGE ("\"c\"", "tools/call", "{" META ",\"name\":\"" name "\"" more "}")

static void
test_call (void)
{
  struct mcp_rig f;

  rig_setup (&f);
  rig_expect (
    &f, CALL_HEADERS ("echo"), CALL_BODY ("echo", ",\"arguments\":{\"a\":[1,2]}"), 200,
    "{\"jsonrpc\":\"2.0\",\"id\":\"c\",\"result\":{\"resultType\":\"complete\",\"content\":"
    "[{\"type\":\"text\",\"text\":\"echo\"},{\"a\":[1,2]}],\"isError\":false,\"_meta\":"
    "{" SERVER_INFO "," USAGE "}}}");
  CU_ASSERT_STRING_EQUAL (f.fake.calls.principal, "anonymous");
  CU_ASSERT_STRING_EQUAL (f.fake.calls.session, "");
  CU_ASSERT_FALSE (f.fake.calls.args_are_text); /* JSON of the wire is never mended */
  rig_expect (
    &f, CALL_HEADERS ("=?base64?ZWNobw==?="), CALL_BODY ("echo", ""), 200,
    "{\"jsonrpc\":\"2.0\",\"id\":\"c\",\"result\":{\"resultType\":\"complete\",\"content\":"
    "[{\"type\":\"text\",\"text\":\"echo\"},{}],\"isError\":false,\"_meta\":{" SERVER_INFO "," USAGE
    "}}}");
  rig_teardown (&f);
}

static void
expect_canned (struct mcp_rig *f, struct result result, const char *content)
{
  char expected[1024];

  f->fake.calls.canned = result;
  snprintf (expected, sizeof expected,
            "{\"jsonrpc\":\"2.0\",\"id\":\"c\",\"result\":{\"resultType\":\"complete\",%s}}",
            content);
  rig_expect (f, CALL_HEADERS ("canned"), CALL_BODY ("canned", ""), 200, expected);
}

static void
test_results (void)
{
  struct mcp_rig f;
  struct result r;

  rig_setup (&f);
  expect_canned (&f, fake_result ("[]", NULL),
                 "\"content\":[],\"isError\":false,\"_meta\":{" SERVER_INFO "," USAGE "}");
  expect_canned (&f, fake_result ("[ ]", " [1,\n\"\\n\"]"),
                 "\"content\":[{\"type\":\"text\",\"text\":\" [1,\\n\\\"\\\\n\\\"]\"}],"
                 "\"structuredContent\": [1, \"\\n\"],\"isError\":false,\"_meta\":{" SERVER_INFO
                 "," USAGE "}");
  expect_canned (
    &f, fake_result ("[\r\n{\"type\":\"text\",\r\n\"text\":\"x\"}\n]", "{\"a\":1}"),
    "\"content\":[{\"type\":\"text\",  \"text\":\"x\"}],\"structuredContent\":{\"a\":1},"
    "\"isError\":false,\"_meta\":{" SERVER_INFO "," USAGE "}");
  r = fake_failure (CALL_tool_execution_failed, "no_such_city", "There is no \"Atlantis\".");
  r.content = "[{\"type\":\"text\",\"text\":\"half\"}]";
  r.content_len = strlen (r.content);
  expect_canned (&f, r,
                 "\"content\":[{\"type\":\"text\",\"text\":\"There is no \\\"Atlantis\\\".\"},"
                 "{\"type\":\"text\",\"text\":\"half\"}],\"isError\":true,\"_meta\":{" SERVER_INFO
                 "," USAGE ",\"toolhost/error\":{\"code\":\"no_such_city\"}}");
  r = fake_failure (CALL_tool_args_invalid, NULL, "");
  r.problems = "[{\"instancePath\":\"/a\",\n\"message\":\"m\"}]";
  r.problems_len = strlen (r.problems);
  r.retry_after_ms = 20;
  expect_canned (&f, r,
                 "\"content\":[{\"type\":\"text\",\"text\":\"The arguments do not fit the tool's "
                 "schema.\"}],\"isError\":true,\"_meta\":{" SERVER_INFO "," USAGE
                 ",\"toolhost/error\":{\"code\":\"tool_args_invalid\",\"retryAfterMs\":20},"
                 "\"toolhost/validation\":[{\"instancePath\":\"/a\", \"message\":\"m\"}]}");
  r = fake_result ("[]", NULL);
  r.repairs = "[{\"rule\":\"scalar\",\"pointer\":\"/n\",\"note\":\"n\"}]";
  r.repairs_len = strlen (r.repairs);
  expect_canned (&f, r, /* only there: the result is the tool's */
                 "\"content\":[],\"isError\":false,\"_meta\":{" SERVER_INFO "," USAGE
                 ",\"toolhost/repair\":[{\"rule\":\"scalar\",\"pointer\":\"/n\",\"note\":\"n\"}]}");
  rig_teardown (&f);
}

#define WITH_TOKEN                                                                                 \
  MESSAGE ("1", "tools/call",                                                                      \
           "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","               \
           "\"io.modelcontextprotocol/clientCapabilities\":{},\"progressToken\":\"p1\"},"          \
           "\"name\":\"later\"}")
#define DONE_MODERN                                                                                \
  "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"complete\",\"content\":[],"          \
  "\"isError\":false,\"_meta\":{" SERVER_INFO "," USAGE "}}}"

static void
test_progress (void)
{
  struct mcp_rig f;
  struct fake_answer a;

  rig_setup (&f);
  rig_post (&f, &a, CALL_HEADERS ("later"), WITH_TOKEN);
  CU_ASSERT_EQUAL (a.status, 0);
  fake_progress (&f.fake.calls, 0, 0, 100, "");
  CU_ASSERT_EQUAL (a.status, 200);
  CU_ASSERT_STRING_EQUAL (a.type, "text/event-stream");
  CU_ASSERT_STRING_EQUAL (a.headers, "Cache-Control: no-cache\r\nX-Accel-Buffering: no\r\n");
  fake_progress (&f.fake.calls, 0, 50, 0, "half\n");
  fake_progress (&f.fake.calls, 0, 50, 0, "again");
  fake_progress (&f.fake.calls, 0, NAN, 0, "never");
  fake_progress (&f.fake.calls, 0, 100, 100, "");
  fake_done (&f.fake.calls, 0, fake_result ("[]", NULL));
  CU_ASSERT (fake_http_ended (&a));
  rig_check_body (&a, PROGRESSED ("\"progress\":0,\"total\":100")
                        PROGRESSED ("\"progress\":50,\"message\":\"half\\n\"")
                          PROGRESSED ("\"progress\":100,\"total\":100") EVENT (DONE_MODERN));
  fake_answer_free (&a);
  rig_teardown (&f);
}

/* Without a token, or where the client takes no stream, the answer stays plain JSON. */
static void
test_no_progress (void)
{
  static const struct {
    const char *headers;
    const char *body;
  } cases[] = {
    { CALL_HEADERS ("later"), MESSAGE ("1", "tools/call", "{" META ",\"name\":\"later\"}") },
    { JSON_TYPE "accept: application/json\n" V "mcp-method: tools/call\nmcp-name: later\n",
      WITH_TOKEN },
  };
  struct mcp_rig f;

  rig_setup (&f);
  for (size_t i = 0; i < 2; i++) {
    struct fake_answer a;
    rig_post (&f, &a, cases[i].headers, cases[i].body);
    fake_progress (&f.fake.calls, i, 1, 2, "x");
    fake_done (&f.fake.calls, i, fake_result ("[]", NULL));
    CU_ASSERT (fake_http_ended (&a));
    CU_ASSERT_STRING_EQUAL (a.type, "application/json");
    rig_check_body (&a, DONE_MODERN);
    fake_answer_free (&a);
  }
  rig_teardown (&f);
}

static void
test_lost_cancels (void)
{
  struct mcp_rig f;
  struct fake_answer a, b;

  rig_setup (&f);
  rig_post (&f, &a, CALL_HEADERS ("later"), WITH_TOKEN);
  rig_post (&f, &b, CALL_HEADERS ("later"), WITH_TOKEN);
  fake_http_lose (&a);
  CU_ASSERT_EQUAL (f.fake.calls.abandoned, 1);
  CU_ASSERT_PTR_NULL (f.fake.calls.running[0]);
  CU_ASSERT_PTR_NOT_NULL (f.fake.calls.running[1]);
  fake_progress (&f.fake.calls, 1, 1, 2, "");
  fake_http_choke (&b);
  mcp_http_free (f.mcp); /* ends the other while its client does not read */
  f.mcp = NULL;
  CU_ASSERT_EQUAL (f.fake.calls.abandoned, 2);
  fake_answer_free (&a);
  fake_answer_free (&b);
  rig_teardown (&f);
}

#define LISTEN(id, filter)                                                                         \
  MESSAGE (id, "subscriptions/listen", "{" META ",\"notifications\":" filter "}")
#define ACK(id, filter)                                                                            \
  EVENT (                                                                                          \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\",\"params\":"     \
    "{\"notifications\":" filter ",\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":" id      \
    "}}}")
#define CHANGED(id)                                                                                \
  EVENT ("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\",\"params\":{"       \
         "\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":" id "}}}")
#define CLOSED(id)                                                                                 \
  EVENT ("{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{\"resultType\":\"complete\",\"_meta\":{"  \
         "\"io.modelcontextprotocol/subscriptionId\":" id "}}}")

static void
test_listen (void)
{
  static const char *const one[] = { "one", NULL };
  static const char *const two[] = { "one", "two", NULL };
  struct mcp_rig f;
  struct fake_answer a, b, c, d;

  rig_setup (&f);
  rig_post (&f, &a, MODERN ("subscriptions/listen"),
            LISTEN ("\"L1\"", "{\"toolsListChanged\":true,\"promptsListChanged\":true}"));
  rig_post (&f, &b, MODERN ("subscriptions/listen"), LISTEN ("2", "{\"promptsListChanged\":true}"));
  rig_post (&f, &c, MODERN ("subscriptions/listen"), LISTEN ("3", "{\"toolsListChanged\":true}"));
  rig_post (&f, &d, MODERN ("subscriptions/listen"), LISTEN ("4", "{\"toolsListChanged\":true}"));
  fake_env_tools (&f.fake, one);
  fake_http_lose (&c);
  fake_http_choke (&d);
  fake_env_tools (&f.fake, two);
  CU_ASSERT (d.lost);
  mcp_http_free (f.mcp);
  f.mcp = NULL;
  CU_ASSERT (fake_http_ended (&a) && fake_http_ended (&b));
  rig_check_body (&a, ACK ("\"L1\"", "{\"toolsListChanged\":true,\"promptsListChanged\":true}")
                        CHANGED ("\"L1\"") CHANGED ("\"L1\"") CLOSED ("\"L1\""));
  rig_check_body (&b, ACK ("2", "{\"promptsListChanged\":true}") CLOSED ("2"));
  rig_check_body (&c, ACK ("3", "{\"toolsListChanged\":true}") CHANGED ("3"));
  fake_answer_free (&a);
  fake_answer_free (&b);
  fake_answer_free (&c);
  fake_answer_free (&d);
  rig_teardown (&f);
}

/* ---- small parts ---- */

static void
test_base64 (void)
{
  static const char *const bytes[] = {
    "", "f", "fo", "foo", "foob", "fooba", "foobar", "\xff\xfe?"
  };
  static const char *const bad[] = { "SGVsbG8", "SGVs!!!bG8=", "SGVsbG8==", "SGVsbG9=",
                                     "A",       "====",        "Zg==Zg==",  "SGVs\nbG8=" };
  char out[64];
  size_t len;

  for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; i++)
    for (int kind = BASE64_PADDED; kind <= BASE64_URL; kind++) {
      CLEANUP_BUF struct buf text = { 0 };
      base64_encode ((enum base64_kind) kind, bytes[i], strlen (bytes[i]), &text);
      CU_ASSERT (base64_decode ((enum base64_kind) kind, buf_cstr (&text), text.len, out, &len));
      CU_ASSERT_EQUAL (len, strlen (bytes[i]));
      CU_ASSERT_EQUAL (memcmp (out, bytes[i], len), 0);
    }
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    CU_ASSERT_FALSE (base64_decode (BASE64_PADDED, bad[i], strlen (bad[i]), out, &len));
}

static void
test_header_values (void)
{
  static const struct {
    const char *header, *text;
    bool equal;
  } cases[] = {
    { "plain", "plain", true },
    { "plain", "Plain", false },
    { "", "", true },
    { "=?base64?SGVsbG8=?=", "Hello", true },
    { "=?base64?SGVsbG8?=", "Hello", false },
    { "=?base64?SGVs!!!bG8=?=", "Hello", false },
    { "=?BASE64?SGVsbG8=?=", "Hello", false },
    { "=?base64?SGVsbG8=", "=?base64?SGVsbG8=", true },
    { "SGVsbG8=?=", "SGVsbG8=?=", true },
    { "=?base64?"
      "?=",
      "", true },
    { "=?base64?=", "=?base64?=", true },
  };
  CLEANUP_ARENA struct arena arena = { 0 };

  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    CU_ASSERT_EQUAL (mcp_header_equals ((struct slice){ cases[i].header, strlen (cases[i].header) },
                                        (struct slice){ cases[i].text, strlen (cases[i].text) },
                                        &arena),
                     cases[i].equal);
}

static bool
accepts (const char *accept, const char *type)
{
  return media_accepted ((struct slice){ accept, strlen (accept) }, type);
}

static void
test_media (void)
{
  CU_ASSERT (accepts ("", "text/event-stream"));
  CU_ASSERT (accepts ("*/*", "text/event-stream"));
  CU_ASSERT (accepts ("text/html, Text/*;q=0.5", "text/event-stream"));
  CU_ASSERT (accepts ("application/json ; q=1 ,text/event-stream", "application/json"));
  CU_ASSERT_FALSE (accepts ("application/*", "text/event-stream"));
  CU_ASSERT_FALSE (accepts ("application/jsonx", "application/json"));
  CU_ASSERT_FALSE (accepts (",,;", "application/json"));
}

static CU_TestInfo wire[] = {
  { "every check has its status and code", test_ladder },
  { "other HTTP methods", test_other_methods },
  { "server/discover", test_discover },
  { "tools/list goes by pages", test_pages },
  { "bad cursors", test_bad_cursors },
  { "tools/call", test_call },
  { "arguments that are repeated as headers", test_mirrored_arguments },
  { "results of all kinds", test_results },
  { "progress makes a stream", test_progress },
  { "no progress where none is wanted", test_no_progress },
  { "a lost connection cancels", test_lost_cancels },
  { "subscriptions/listen", test_listen },
  CU_TEST_INFO_NULL,
};

static CU_TestInfo parts[] = {
  { "base64 is strict", test_base64 },
  { "values of headers", test_header_values },
  { "media types", test_media },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = {
  { "mcp 2026-07-28", NULL, NULL, NULL, NULL, wire },
  { "mcp parts", NULL, NULL, NULL, NULL, parts },
  CU_SUITE_INFO_NULL,
};

TAP_MAIN (suites)
