#include <math.h>
#include <toolhost.h>

#include "fake_calls.h"
#include "fake_http.h"
#include "front/rest/rest.h"
#include "front/rest/route.h"
#include "tap.h"

#define JSON_TYPE "content-type: application/json\n"
#define STREAM JSON_TYPE "accept: text/event-stream\n"
#define USAGE                                                                                      \
  "\"usage\":{\"daemon\":{\"wall_us\":7,\"queue_us\":0,\"run_us\":0,\"bytes_in\":0,"               \
  "\"bytes_out\":0},\"worker\":{\"cpu_us\":3}}"

struct fixture {
  struct fake_env fake;
  struct rest *rest;
};

static void
setup (struct fixture *f)
{
  *f = (struct fixture){ .rest = NULL };
  fake_env_init (&f->fake);
  f->rest = rest_new (&f->fake.env);
}

static void
teardown (struct fixture *f)
{
  rest_free (f->rest);
  fake_env_free (&f->fake);
}

static void
ask (struct fixture *f, struct fake_answer *a, const char *method, const char *path,
     const char *headers, const char *body)
{
  fake_http_request (a, &fake_anonymous, method, path, headers, body);
  rest_handle (f->rest, a->x);
}

static void
check_body (struct fake_answer *a, const char *expected)
{
  if (strcmp (fake_http_body (a), expected) != 0)
    printf ("# got      %s\n# expected %s\n", fake_http_body (a), expected);
  CU_ASSERT_STRING_EQUAL (fake_http_body (a), expected);
}

#define CALL(tool) "/v1/tools/" tool "/call"

static const struct row {
  const char *method, *path, *headers, *body;
  int status;
  const char *part; /* of the answer's body */
} table[] = {
  { "GET", "/", "", NULL, 200, "{\"method\":\"POST\",\"path\":\"/v1/tools/{name}/call\"," },
  { "GET", "/healthz", "", NULL, 200, "{\"status\":\"ok\"}" },
  { "HEAD", "/healthz", "", NULL, 200, "" },
  { "GET", "/readyz", "", NULL, 200, "{\"status\":\"ready\"}" },
  { "GET", "/metrics", "", NULL, 200, "toolhost_calls_total 1\n" },
  { "GET", "/v1/plugins", "", NULL, 200, "{\"plugins\":[]}" },
  { "GET", "/v1/stats", "", NULL, 200,
    "\"circuits\":[{\"tool\":\"echo\",\"plugin\":\"\",\"tenant\":\"default\",\"state\":\"half_"
    "open\"},{"
    "\"tool\":\"gone\",\"plugin\":\"\",\"tenant\":\"default\",\"state\":\"closed\",\"failures\":1}]"
    "}" },
  { "GET", "/v1/tools", "", NULL, 200, "{\"tools\":[{\"name\":\"alpha\",\"modern\":1}," },
  { "GET", "/v1/tools?format=mcp", "", NULL, 200,
    "\"later\",\"modern\":1}],\"tool_choice\":\"auto\"}" },
  { "GET", "/v1/tools?cost=0&format=openai", "", NULL, 200,
    "{\"tools\":[{\"type\":\"function\",\"name\":\"alpha\",\"strict\":false}," },
  { "GET", "/v1/tools?format=openai-chat", "", NULL, 200,
    "{\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"alpha\",\"strict\":false}}," },
  { "GET", "/v1/tools?format=anthropic&strict=false", "", NULL, 200,
    "{\"name\":\"later\"}],\"tool_choice\":{\"type\":\"auto\"}}" },
  { "GET", "/v1/tools?format=gemini", "", NULL, 200,
    "{\"tools\":[{\"functionDeclarations\":[{\"name\":\"alpha\"}," },
  { "GET", "/v1/tools?format=ag-ui", "", NULL, 200, "{\"tools\":[{\"name\":\"alpha\"}," },
  { "GET", "/v1/tools?format=opnai", "", NULL, 400,
    "{\"error\":{\"code\":\"bad_format\",\"message\":\"format: expected one of mcp, "
    "mcp-2025-11-25, mcp-2025-06-18, mcp-2025-03-26, mcp-2024-11-05, openai, openai-chat, "
    "openai-responses, openai-realtime, "
    "anthropic, gemini, ag-ui\"}}" },
  { "GET", "/v1/tools?format=gemini&strict=true", "", NULL, 400,
    "\"strict: the format has no strict form; expected one of openai, openai-chat, "
    "openai-responses, anthropic\"" },
  { "GET", "/v1/tools?format=openai&strict=1", "", NULL, 400,
    "\"strict: expected true or false\"" },
  /* parameters are those of the description */
  { "GET", "/v1/tools?tols=calc*", "", NULL, 400,
    "{\"error\":{\"code\":\"bad_parameter\",\"message\":\"tols: unknown parameter; did you mean "
    "tools?\"}}" },
  { "GET", "/v1/results/x?a", "", NULL, 400, "a: unknown parameter; known are session_id\"" },
  { "GET", "/healthz?verbose=1", "", NULL, 400,
    "verbose: unknown parameter; this path takes none" },
  { "GET", "/v1/tools?tools=a&tools=b", "", NULL, 400, "tools: stands twice" },
  { "GET", "/v1/tools?tags=a%00b", "", NULL, 400, "tags: expected UTF-8 without U+0000" },
  { "GET", "/v1/tools?tags=%ff", "", NULL, 400, "tags: expected UTF-8 without U+0000" },
  { "GET", "/v1/tools?%74ags=x&&", "", NULL, 200, "{\"tools\":" },
  { "GET", "/v1/tools?cost=yes", "", NULL, 400, "cost: expected one of 0, 1" },
  { "GET", "/v1/tools?disclosure=some", "", NULL, 400, "disclosure: expected one of all, search" },
  { "POST", CALL ("echo") "?preview=yes", "", NULL, 400, "preview: expected true or false" },
  { "POST", "/v1/agui?verify=", "", "x", 400, "verify: expected true or false" },
  /* served by other fronts, or by none */
  { "GET", "/.well-known/oauth-protected-resource", "", NULL, 404, "not configured to serve this" },
  { "GET", "/openapi.json", "", NULL, 200, "{\"openapi\":\"3.1.0\"," },
  { "POST", "/v1/tools", "", NULL, 405, "\"method_not_allowed\"" },
  { "GET", CALL ("echo"), "", NULL, 405, "\"method_not_allowed\"" },
  { "GET", "/v1/tool", "", NULL, 404, "did you mean /v1/tools?" },
  { "GET", "/healthz/", "", NULL, 404, "did you mean /healthz?" },
  { "GET", "/v1/tools//call", "", NULL, 404, "\"not_found\"" },
  { "GET", "/quite/another/thing", "", NULL, 404, "GET / lists those there are" },
  { "POST", "/v1/reload", "", NULL, 403, "\"not_allowed\"" },
  { "DELETE", "/v1/calls/none", "", NULL, 404, "\"call_not_found\"" },
  /* calls */
  { "POST", CALL ("echo"), JSON_TYPE, "{\"arguments\":{\"a\":1},\"call_id\":\"c1\"}", 200,
    "{\"call_id\":\"c1\",\"ok\":true,\"content\":[{\"type\":\"text\",\"text\":\"echo\"},{\"a\":1}]"
    "," USAGE "}" },
  { "POST", CALL ("echo"), "", NULL, 200, "{\"ok\":true,\"content\":" },
  { "POST", CALL ("echo"), JSON_TYPE, "{}", 200, "{\"ok\":true,\"content\":" },
  { "POST", CALL ("echo"), "content-type: text/plain\n", "{}", 415, "unsupported_media_type" },
  { "POST", CALL ("echo"), "", "{}", 415, "unsupported_media_type" },
  { "POST", CALL ("echo"), JSON_TYPE, "{\"arguments\":", 400,
    "{\"error\":{\"code\":\"bad_json\",\"message\":\"the body is not JSON: byte " },
  { "POST", CALL ("echo"), JSON_TYPE, "[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]", 400, "bad_json" },
  { "POST", CALL ("echo"), JSON_TYPE, "[]", 400,
    "{\"error\":{\"code\":\"bad_request\",\"message\":\"expected an object, got "
    "array\",\"path\":\"\"}}" },
  { "POST", CALL ("echo"), JSON_TYPE, "{\"argumets\":{}}", 400,
    "\"/argumets: unknown member; did you mean \\\"arguments\\\"?\",\"path\":\"/argumets\"" },
  { "POST", CALL ("echo"), JSON_TYPE, "{\"x/y~z\":{}}", 400, "\"path\":\"/x~1y~0z\"" },
  { "POST", CALL ("echo"), JSON_TYPE, "{\"call_id\":7}", 400,
    "/call_id: expected a string of 1 to 256 bytes, got number" },
  { "POST", CALL ("echo"), JSON_TYPE, "{\"call_id\":\"\"}", 400, "/call_id: expected" },
  { "POST", CALL ("echo"), JSON_TYPE, "{\"session_id\":\"a\\u0000b\"}", 400,
    "/session_id: expected" },
  { "POST", CALL ("echo"), JSON_TYPE, "{\"metadata\":\"x\"}", 400,
    "/metadata: expected an object, got string" },
  { "POST", CALL ("echo"), JSON_TYPE, "{\"deadline_ms\":0}", 400,
    "/deadline_ms: expected an integer" },
  { "POST", CALL ("echo"), JSON_TYPE, "{\"deadline_ms\":1.5}", 400, "/deadline_ms: expected" },
  { "POST", CALL ("nosuch"), JSON_TYPE, "{}", 404,
    "{\"ok\":false,\"error\":{\"code\":\"tool_not_found\",\"message\":\"There is no tool of this "
    "name.\"}," USAGE "}" },
};

static void
test_table (void)
{
  struct fixture f;

  setup (&f);
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    const struct row *row = &table[i];
    struct fake_answer a;
    ask (&f, &a, row->method, row->path, row->headers, row->body);
    if (!fake_http_ended (&a) || a.status != row->status
        || strstr (fake_http_body (&a), row->part) == NULL) {
      printf ("# %s %s %s: %d %s\n", row->method, row->path, row->body != NULL ? row->body : "",
              a.status, fake_http_body (&a));
      CU_FAIL ("a row of the table");
    }
    fake_answer_free (&a);
  }
  teardown (&f);
}

static void
test_allow (void)
{
  struct fixture f;
  struct fake_answer a;

  setup (&f);
  ask (&f, &a, "PUT", "/v1/tools", "", NULL);
  CU_ASSERT_STRING_EQUAL (a.headers, "Allow: GET, HEAD\r\n");
  fake_answer_free (&a);
  ask (&f, &a, "PUT", CALL ("x"), "", NULL);
  CU_ASSERT_STRING_EQUAL (a.headers, "Allow: POST\r\n");
  fake_answer_free (&a);
  ask (&f, &a, "GET", "/metrics", "", NULL);
  CU_ASSERT_STRING_EQUAL (a.type, "text/plain; version=0.0.4; charset=utf-8");
  fake_answer_free (&a);
  teardown (&f);
}

static void
test_not_ready (void)
{
  static const char *const none[] = { NULL };
  struct fixture f;
  struct fake_answer a;

  setup (&f);
  f.fake.not_ready = "describing plugins";
  ask (&f, &a, "GET", "/readyz", "", NULL);
  CU_ASSERT_EQUAL (a.status, 503);
  check_body (&a, "{\"status\":\"not_ready\",\"why\":\"describing plugins\"}");
  fake_answer_free (&a);
  fake_env_tools (&f.fake, none);
  ask (&f, &a, "GET", "/v1/tools", "", NULL);
  check_body (&a, "{\"tools\":[],\"tool_choice\":\"none\"}");
  fake_answer_free (&a);
  teardown (&f);
}

static void
test_reload (void)
{
  struct fixture f;
  struct fake_answer a;

  setup (&f);
  fake_http_request (&a, &fake_manager, "POST", "/v1/reload", "", NULL);
  rest_handle (f.rest, a.x);
  CU_ASSERT_EQUAL (a.status, 200);
  fake_answer_free (&a);
  f.fake.bad_configuration = "toolhostd.json: /listen: expected a string";
  fake_http_request (&a, &fake_manager, "POST", "/v1/reload", "", NULL);
  rest_handle (f.rest, a.x);
  CU_ASSERT_EQUAL (a.status, 422);
  check_body (&a, "{\"error\":{\"code\":\"bad_configuration\",\"message\":\"toolhostd.json: "
                  "/listen: expected a string\"}}");
  CU_ASSERT_EQUAL (f.fake.reloads, 2);
  fake_answer_free (&a);
  teardown (&f);
}

static void
test_release (void)
{
  struct fixture f;
  struct fake_answer a;

  setup (&f);
  ask (&f, &a, "POST", "/v1/plugins/echo/release", "", NULL);
  CU_ASSERT_EQUAL (a.status, 403);
  CU_ASSERT_EQUAL (f.fake.releases, 0);
  fake_answer_free (&a);
  fake_http_request (&a, &fake_manager, "POST", "/v1/plugins/echo/release", "", NULL);
  rest_handle (f.rest, a.x);
  CU_ASSERT_EQUAL (a.status, 200);
  check_body (&a, "{\"status\":\"released\"}");
  fake_answer_free (&a);
  fake_http_request (&a, &fake_manager, "POST", "/v1/plugins/nobody/release", "", NULL);
  rest_handle (f.rest, a.x);
  CU_ASSERT_EQUAL (a.status, 404);
  CU_ASSERT_EQUAL (f.fake.releases, 2);
  fake_answer_free (&a);
  teardown (&f);
}

static void
test_request_parts (void)
{
  struct fixture f;
  struct fake_answer a;

  setup (&f);
  ask (&f, &a, "POST", CALL ("echo"), JSON_TYPE,
       "{\"metadata\":{\"k\":[1]},\"deadline_ms\":250,\"session_id\":\"s\\u0031\","
       "\"arguments\":{\"b\":2}}");
  CU_ASSERT_EQUAL (a.status, 200);
  CU_ASSERT_STRING_EQUAL (f.fake.calls.args, "{\"b\":2}");
  CU_ASSERT_STRING_EQUAL (f.fake.calls.metadata, "{\"k\":[1]}");
  CU_ASSERT_STRING_EQUAL (f.fake.calls.session, "s1");
  CU_ASSERT_STRING_EQUAL (f.fake.calls.principal, "anonymous");
  CU_ASSERT_EQUAL (f.fake.calls.deadline_ms, 250);
  CU_ASSERT_FALSE (f.fake.calls.args_are_text);
  fake_answer_free (&a);
  teardown (&f);
}

/* function.arguments of a provider, handed on as it came: the pipeline reads it. */
static void
test_arguments_as_text (void)
{
  struct fixture f;
  struct fake_answer a;

  setup (&f);
  ask (&f, &a, "POST", CALL ("echo"), JSON_TYPE, "{\"arguments\":\"{\\\"b\\\":2,}\"}");
  CU_ASSERT_STRING_EQUAL (f.fake.calls.args, "{\"b\":2,}");
  CU_ASSERT_TRUE (f.fake.calls.args_are_text);
  fake_answer_free (&a);
  ask (&f, &a, "POST", CALL ("echo"), JSON_TYPE, "{\"arguments\":\"\"}");
  CU_ASSERT_STRING_EQUAL (f.fake.calls.args, "");
  fake_answer_free (&a);
  teardown (&f);
}

static void
expect_canned (struct fixture *f, struct result result, int status, const char *headers,
               const char *body)
{
  struct fake_answer a;

  f->fake.calls.canned = result;
  ask (f, &a, "POST", CALL ("canned"), "", NULL);
  CU_ASSERT_EQUAL (a.status, status);
  CU_ASSERT_STRING_EQUAL (a.headers, headers);
  check_body (&a, body);
  fake_answer_free (&a);
}

static void
test_results (void)
{
  struct fixture f;
  struct result r;

  setup (&f);
  expect_canned (&f, fake_result ("[]", "[1,\n2]"), 200, "",
                 "{\"ok\":true,\"content\":[],\"structured\":[1, 2]," USAGE "}");
  expect_canned (&f, fake_failure (CALL_tool_execution_failed, "no_such_city", "Where?"), 200, "",
                 "{\"ok\":false,\"error\":{\"code\":\"no_such_city\",\"message\":\"Where?\"},"
                 "\"content\":[]," USAGE "}");
  expect_canned (
    &f, fake_failure (CALL_tool_timeout, NULL, ""), 504, "",
    "{\"ok\":false,\"error\":{\"code\":\"tool_timeout\",\"message\":\"The tool did not "
    "finish in time and was stopped.\"}," USAGE "}");
  r = fake_failure (CALL_tool_overloaded, NULL, "Busy.");
  expect_canned (
    &f, r, 429, "Retry-After: 1\r\n",
    "{\"ok\":false,\"error\":{\"code\":\"tool_overloaded\",\"message\":\"Busy.\"}," USAGE "}");
  r = fake_failure (CALL_tool_unavailable, NULL, "Broken.");
  r.retry_after_ms = 1001;
  expect_canned (&f, r, 503, "Retry-After: 2\r\n",
                 "{\"ok\":false,\"error\":{\"code\":\"tool_unavailable\",\"message\":\"Broken.\","
                 "\"retry_after_ms\":1001}," USAGE "}");
  r = fake_failure (CALL_tool_args_invalid, NULL, "No.");
  r.problems = "[{\"instancePath\":\"/a\",\n\"message\":\"m\"}]";
  r.problems_len = strlen (r.problems);
  expect_canned (&f, r, 422, "",
                 "{\"ok\":false,\"error\":{\"code\":\"tool_args_invalid\",\"message\":\"No.\","
                 "\"problems\":[{\"instancePath\":\"/a\", \"message\":\"m\"}]}," USAGE "}");
  r = fake_result ("[]", NULL);
  r.repairs = "[{\"rule\":\"scalar\",\"pointer\":\"/n\",\"note\":\"n\"}]";
  r.repairs_len = strlen (r.repairs);
  expect_canned (&f, r, 200, "",
                 "{\"ok\":true,\"content\":[],\"repairs\":[{\"rule\":\"scalar\",\"pointer\":\"/n\","
                 "\"note\":\"n\"}]," USAGE "}");
  teardown (&f);
}

static void
test_later (void)
{
  struct fixture f;
  struct fake_answer a;

  setup (&f);
  ask (&f, &a, "POST", CALL ("later"), JSON_TYPE, "{}");
  fake_progress (&f.fake.calls, 0, 1, 2, "never told");
  fake_log (&f.fake.calls, 0, TOOLHOST_ERROR, "nor this");
  CU_ASSERT_EQUAL (a.status, 0);
  fake_done (&f.fake.calls, 0, fake_result ("[]", NULL));
  CU_ASSERT_EQUAL (a.status, 200);
  check_body (&a, "{\"call_id\":\"call-0\",\"ok\":true,\"content\":[]," USAGE "}");
  fake_answer_free (&a);
  teardown (&f);
}

#define EVENT(name, json) "event: " name "\ndata: " json "\n\n"

static void
test_events (void)
{
  struct fixture f;
  struct fake_answer a;

  setup (&f);
  ask (&f, &a, "POST", CALL ("later"), STREAM, "{\"call_id\":\"x\"}");
  CU_ASSERT (a.streaming);
  CU_ASSERT_STRING_EQUAL (a.type, "text/event-stream");
  fake_progress (&f.fake.calls, 0, 1, 4, "a\nb");
  fake_progress (&f.fake.calls, 0, INFINITY, 4, "");
  fake_progress (&f.fake.calls, 0, 2, 0, "");
  fake_log (&f.fake.calls, 0, TOOLHOST_WARNING, "hm");
  fake_log (&f.fake.calls, 0, TOOLHOST_DEBUG, "");
  fake_done (&f.fake.calls, 0, fake_failure (CALL_tool_crashed, NULL, "Boom."));
  CU_ASSERT (fake_http_ended (&a));
  check_body (&a, EVENT ("progress", "{\"done\":1,\"total\":4,\"message\":\"a\\nb\"}")
                    EVENT ("progress", "{\"done\":2}")
                      EVENT ("log", "{\"level\":\"warning\",\"message\":\"hm\"}")
                        EVENT ("log", "{\"level\":\"debug\",\"message\":\"\"}")
                          EVENT ("result", "{\"call_id\":\"x\",\"ok\":false,\"error\":{\"code\":"
                                           "\"tool_crashed\",\"message\":\"Boom.\"}," USAGE "}"));
  fake_answer_free (&a);
  ask (&f, &a, "POST", CALL ("nosuch"), STREAM, "{}"); /* what fails at once has its status */
  CU_ASSERT_EQUAL (a.status, 404);
  CU_ASSERT_STRING_EQUAL (a.type, "application/json");
  fake_answer_free (&a);
  teardown (&f);
}

static void
test_lost (void)
{
  struct fixture f;
  struct fake_answer a, b;

  setup (&f);
  ask (&f, &a, "POST", CALL ("later"), JSON_TYPE, "{}");
  ask (&f, &b, "POST", CALL ("later"), STREAM, "{}");
  fake_http_lose (&a);
  CU_ASSERT_EQUAL (f.fake.calls.abandoned, 1);
  fake_http_choke (&b);
  fake_progress (&f.fake.calls, 1, 1, 2, "");
  CU_ASSERT_EQUAL (f.fake.calls.abandoned, 2);
  fake_answer_free (&a);
  fake_answer_free (&b);
  teardown (&f);
}

static void
cancel_as (struct fixture *f, const struct front_peer *peer, int status)
{
  struct fake_answer answer;

  fake_http_request (&answer, peer, "DELETE", "/v1/calls/mine", "", NULL);
  rest_handle (f->rest, answer.x);
  CU_ASSERT_EQUAL (answer.status, status);
  fake_answer_free (&answer);
}

static void
test_cancel (void)
{
  static const struct front_peer somebody_else = { .uid = (uid_t) -1,
                                                   .roles = ROLES_LOCAL,
                                                   .principal = "uid:7" };
  struct fixture f;
  struct fake_answer a;

  setup (&f);
  ask (&f, &a, "POST", CALL ("later"), JSON_TYPE, "{\"call_id\":\"mine\"}");
  cancel_as (&f, &somebody_else, 404);
  cancel_as (&f, &fake_manager, 204); /* a manager may cancel anybody's */
  CU_ASSERT_EQUAL (f.fake.calls.cancelled, 1);
  CU_ASSERT_EQUAL (a.status, 499);
  check_body (&a, "{\"call_id\":\"mine\",\"ok\":false,\"error\":{\"code\":\"tool_cancelled\","
                  "\"message\":\"Cancelled.\"}," USAGE "}");
  fake_answer_free (&a);
  ask (&f, &a, "POST", CALL ("later"), JSON_TYPE, "{\"call_id\":\"mine\"}");
  cancel_as (&f, &fake_anonymous, 204); /* its own */
  fake_answer_free (&a);
  teardown (&f);
}

static void
test_stopping (void)
{
  struct fixture f;
  struct fake_answer a, b;

  setup (&f);
  ask (&f, &a, "POST", CALL ("later"), JSON_TYPE, "{}");
  ask (&f, &b, "POST", CALL ("later"), STREAM, "{}");
  rest_free (f.rest);
  f.rest = NULL;
  CU_ASSERT_EQUAL (f.fake.calls.abandoned, 2);
  CU_ASSERT_EQUAL (a.status, 503);
  CU_ASSERT (fake_http_ended (&b));
  fake_answer_free (&a);
  fake_answer_free (&b);
  teardown (&f);
}

static void
test_route_fits (void)
{
  static const struct {
    const char *pattern, *path, *segment; /* NULL: does not fit */
    const char *second;
  } cases[] = {
    { "/", "/", "", NULL },
    { "/a", "/a", "", NULL },
    { "/a", "/ab", NULL, NULL },
    { "/ab", "/a", NULL, NULL },
    { "/a/{x}", "/a/b", "b", NULL },
    { "/a/{x}", "/a/", NULL, NULL },
    { "/a/{x}", "/a", NULL, NULL },
    { "/a/{x}", "/a/b/", NULL, NULL },
    { "/a/{x}/c", "/a/b/c", "b", NULL },
    { "/a/{x}/c", "/a/b/d", NULL, NULL },
    { "/a/{x}/c", "/a/b", NULL, NULL },
    { "/a/{x}/c/{y}", "/a/b/c/d", "b", "d" },
    { "/a/{x}/c/{y}/e", "/a/b/c/d/e", "b", "d" },
    { "/a/{x}/c/{y}", "/a/b/c/", NULL, NULL },
    { "/a/{x}/c/{y}", "/a/b/c/d/e", NULL, NULL },
    { "/", "", NULL, NULL },
  };

  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct slice segments[ROUTE_SEGMENTS];
    bool fits = route_fits (cases[i].pattern,
                            (struct slice){ cases[i].path, strlen (cases[i].path) }, segments);
    CU_ASSERT_EQUAL (fits, cases[i].segment != NULL);
    if (fits && cases[i].segment[0] != '\0')
      CU_ASSERT (slice_is (segments[0], cases[i].segment));
    if (fits)
      CU_ASSERT (cases[i].second != NULL ? slice_is (segments[1], cases[i].second)
                                         : segments[1].data == NULL);
  }
}

static CU_TestInfo tests[] = {
  { "every path and refusal", test_table },
  { "405 says what is allowed", test_allow },
  { "not ready, no tools", test_not_ready },
  { "reload is the manager's", test_reload },
  { "release of a plugin", test_release },
  { "all parts of a call arrive", test_request_parts },
  { "arguments as text", test_arguments_as_text },
  { "results of all kinds", test_results },
  { "a call that takes a while", test_later },
  { "an event stream", test_events },
  { "a lost connection cancels", test_lost },
  { "cancel by id", test_cancel },
  { "stopping answers what runs", test_stopping },
  { "patterns", test_route_fits },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = {
  { "rest", NULL, NULL, NULL, NULL, tests },
  CU_SUITE_INFO_NULL,
};

TAP_MAIN (suites)
