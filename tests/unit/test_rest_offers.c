/* Resources and prompts over plain HTTP. */
#include "fake_calls.h"
#include "fake_http.h"
#include "front/rest/rest.h"
#include "tap.h"

#define JSON_TYPE "content-type: application/json\n"
#define USAGE                                                                                      \
  "\"usage\":{\"daemon\":{\"wall_us\":7,\"queue_us\":0,\"run_us\":0,\"bytes_in\":0,"               \
  "\"bytes_out\":0},\"worker\":{\"cpu_us\":3}}"
#define ONE(name) "{\"name\":\"" name "\",\"modern\":1}"

static struct {
  struct fake_env fake;
  struct rest *rest;
} f;

static int
begin (void)
{
  fake_env_init (&f.fake);
  fake_env_offers (&f.fake);
  f.rest = rest_new (&f.fake.env);
  return 0;
}

static int
end (void)
{
  rest_free (f.rest);
  fake_env_free (&f.fake);
  return 0;
}

static void
expect (const char *method, const char *path, const char *body, int status, const char *answer)
{
  struct fake_answer a;

  fake_http_request (&a, &fake_anonymous, method, path, body != NULL ? JSON_TYPE : "", body);
  rest_handle (f.rest, a.x);
  CU_ASSERT (fake_http_ended (&a));
  CU_ASSERT_EQUAL (a.status, status);
  if (strcmp (fake_http_body (&a), answer) != 0)
    printf ("# got      %s\n# expected %s\n", fake_http_body (&a), answer);
  CU_ASSERT_STRING_EQUAL (fake_http_body (&a), answer);
  fake_answer_free (&a);
}

static void
lists (void)
{
  expect ("GET", "/v1/resources", NULL, 200,
          "{\"resources\":[" ONE ("a:1") "," ONE ("a:2") "," ONE ("a:3") "],\"templates\":[" ONE (
            "a:{b}") "]}");
  expect ("GET", "/v1/prompts", NULL, 200, "{\"prompts\":[" ONE ("ask") "]}");
}

static void
reads (void)
{
  f.fake.calls.canned = fake_result ("[{\"uri\":\"a:b-c\",\"text\":\"t\"}]", NULL);
  expect ("GET", "/v1/resources/read?uri=a:b-c", NULL, 200,
          "{\"ok\":true,\"contents\":[{\"uri\":\"a:b-c\",\"text\":\"t\"}]," USAGE "}");
  CU_ASSERT_EQUAL (f.fake.calls.kind, CALL_READ);
  CU_ASSERT_STRING_EQUAL (f.fake.calls.name, "a:b-c");
  f.fake.calls.canned = fake_failure (CALL_resource_not_found, NULL, "There is none.");
  expect ("GET", "/v1/resources/read?uri=a:9", NULL, 404,
          "{\"ok\":false,\"error\":{\"code\":\"resource_not_found\",\"message\":\"There is "
          "none.\"}," USAGE "}");
  expect ("GET", "/v1/resources/read", NULL, 400,
          "{\"error\":{\"code\":\"bad_request\",\"message\":\"The parameter uri is missing: "
          "?uri=…\"}}");
}

static void
prompts (void)
{
  f.fake.calls.canned = fake_result ("[{\"role\":\"user\"}]", NULL);
  expect ("POST", "/v1/prompts/ask", "{\"call_id\":\"c\",\"arguments\":{\"a\":\"b\"}}", 200,
          "{\"call_id\":\"c\",\"ok\":true,\"description\":\"Asks.\",\"messages\":[{\"role\":"
          "\"user\"}]," USAGE "}");
  CU_ASSERT_EQUAL (f.fake.calls.kind, CALL_PROMPT);
  CU_ASSERT_STRING_EQUAL (f.fake.calls.args, "{\"a\":\"b\"}");
}

static CU_TestInfo tests[] = {
  { "lists", lists },
  { "reads", reads },
  { "prompts", prompts },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "rest offers", begin, end, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };
TAP_MAIN (suites)
