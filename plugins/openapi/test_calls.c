/* Calls of operations: what is asked of services, and what of their answers is told. */
#include "openapi/test_rig.h"

/* ---- calls ---- */

static void
U3_16_U3_17_a_call_is_a_request (void)
{
  CU_ASSERT_FATAL (built (pets, ""));
  answers ("GET", "http://pets.example/v1/pets?limit=2&kind=cat", 200, "application/json",
           "[{\"id\":1,\"name\":\"Tom\"}]");
  CU_ASSERT (gives (mock, "listPets", "{\"limit\":2,\"kind\":\"cat\"}",
                    "{\"result\":[{\"id\":1,\"name\":\"Tom\"}]}"));
  answers ("POST", "http://pets.example/v1/pets", 201, "application/json; charset=utf-8",
           "{\"id\":7,\"name\":\"Rex\"}");
  CU_ASSERT (gives (mock, "createPet", "{\"body\":{\"name\":\"Rex\",\"note\":null}}",
                    "{\"id\":7,\"name\":\"Rex\"}"));
  CU_ASSERT (was_asked ("{\"name\":\"Rex\",\"note\":null}"));
  CU_ASSERT (was_asked ("\"redirects\":0"));
  answers ("GET", "http://pets.example/v1/pets/a%2Fb", 200, "text/plain", "a b");
  CU_ASSERT (says (mock, "getPet", "{\"petId\":\"a/b\"}", "a b"));
  answers ("DELETE", "http://pets.example/v1/pets/7", 204, "text/plain", "");
  CU_ASSERT (
    says (mock, "deletePet", "{\"petId\":7}", "The service answered 204 without content."));
}

static void
U3_17_what_is_missing_has_its_sentence (void)
{
  CU_ASSERT_FATAL (built (pets, ""));
  CU_ASSERT (fails (mock, "listPets", "{}", "openapi_error",
                    "No argument or value is provided for the `kind` required parameter of the "
                    "operation - `listPets`."));
  CU_ASSERT (fails (mock, "getPet", "{}", "openapi_error",
                    "No argument is provided for the `petId` required parameter of the operation - "
                    "`getPet`."));
  CU_ASSERT (fails (mock, "createPet", "{}", "openapi_error",
                    "No payload is provided by the argument 'body'."));
  CU_ASSERT (fails (mock, "getPet", "{\"petId\":\"..\"}", "openapi_error", "dot-segment"));
}

static void
a_required_parameter_with_a_default (void)
{
  CU_ASSERT_FATAL (
    built (DOCUMENT ("3.0.0",
                     GET ("/a", "a",
                          ",\"parameters\":[" QUERY_PARAM (
                            "v", ",\"required\":true,\"schema\":{\"default\":\"2026-01\"}") "]"),
                     ""),
           ""));
  answers ("GET", "http://pets.example/v1/a?v=2026-01", 200, "text/plain", "yes");
  CU_ASSERT (says (mock, "a", "{}", "yes"));
}

static void
T3_19_members_of_a_body_as_arguments (void)
{
  static const char document[] = DOCUMENT (
    "3.1.0",
    "\"/a/{name}\":{\"post\":{\"operationId\":\"a\",\"parameters\":[{\"name\":\"name\",\"in\":"
    "\"path\",\"required\":true}],\"requestBody\":{\"required\":true,\"content\":{"
    "\"application/json\":{\"schema\":{\"type\":\"object\",\"required\":[\"name\",\"id\"],"
    "\"properties\":{\"id\":{\"type\":\"integer\",\"readOnly\":true},\"name\":{\"type\":\"string\"}"
    ","
    "\"prop1\":{\"type\":\"integer\"}}}}}}}}",
    "");

  CU_ASSERT_FATAL (built (document, "\"body\":\"flat\",\"idempotency_keys\":true"));
  CU_ASSERT (told_part ("definition", "a",
                        "\"properties\":{\"name\":{},\"name_body\":{\"type\":\"string\"},\"prop1\":"
                        "{\"type\":\"integer\"}},\"required\":[\"name\",\"name_body\"]",
                        toolhost_mock_definition (mock, "a")));
  answers ("POST", "http://pets.example/v1/a/x", 200, "text/plain", "done");
  CU_ASSERT (says (mock, "a", "{\"name\":\"x\",\"name_body\":\"y\",\"prop1\":3}", "done"));
  CU_ASSERT (was_asked ("{\"name\":\"y\",\"prop1\":3}"));
  CU_ASSERT (was_asked ("idempotency_key"));
  CU_ASSERT (fails (mock, "a", "{\"name\":\"x\"}", "openapi_error",
                    "No argument is found for the 'name' payload property."));
}

static void
headers_cookies_and_names_that_clash (void)
{
  CU_ASSERT_FATAL (built (
    DOCUMENT ("3.0.0",
              GET ("/a", "a",
                   ",\"parameters\":[{\"name\":\"X-Id\",\"in\":\"header\"},{\"name\":\"id\",\"in\":"
                   "\"cookie\"}," QUERY_PARAM ("id", "") "," QUERY_PARAM (
                     "filter[x]", "") ",{\"name\":\"Authorization\",\"in\":\"header\"},{\"name\":"
                                      "\"x-api-key\",\"in\":\"header\"}]"),
              ""),
    ""));
  CU_ASSERT (told_part ("definition", "a",
                        "\"properties\":{\"X-Id\":{},\"id\":{},\"id_query\":{},\"filter_x\":{}}",
                        toolhost_mock_definition (mock, "a")));
  answers ("GET", "http://pets.example/v1/a?id=3&filter%5Bx%5D=4", 200, "text/plain", "yes");
  CU_ASSERT (says (mock, "a", "{\"X-Id\":1,\"id\":2,\"id_query\":3,\"filter_x\":4}", "yes"));
  CU_ASSERT (was_asked ("[\"X-Id\",\"1\"]"));
  CU_ASSERT (was_asked ("[\"Cookie\",\"id=2\"]"));
}

/* ---- answers ---- */

static void
U3_18_answers_that_are_none (void)
{
  static const char url[] = "http://pets.example/v1/pets/1";
  static const char *const moved[] = { "location", "http://other.example/", NULL };
  static const struct {
    int32_t status;
    const char *type, *body, *message;
  } rows[] = {
    { 404, "application/problem+json", "{\"title\":\"Not found\",\"detail\":\"No pet 1.\"}",
      "The service answered 404: Not found: No pet 1." },
    { 400, "application/json", "{\"error\":{\"code\":7,\"message\":\"bad id\"}}",
      "The service answered 400: bad id" },
    { 422, "application/json", "{\"errors\":[{\"reason\":\"too old\"}]}",
      "The service answered 422: too old" },
    { 500, "text/html", "<h1>Oh\nno</h1>", "The service answered 500: <h1>Oh\xEF\xBF\xBDno</h1>" },
    { 503, "text/plain", "", "The service answered 503." },
  };

  CU_ASSERT_FATAL (built (pets, ""));
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    answers ("GET", url, rows[i].status, rows[i].type, rows[i].body);
    CU_ASSERT (fails (mock, "getPet", "{\"petId\":1}", "openapi_error", rows[i].message));
  }
  toolhost_mock_http (mock, "GET", url, 302, moved, "", 0);
  CU_ASSERT (fails (mock, "getPet", "{\"petId\":1}", "openapi_error",
                    "302: redirects are not followed; it leads to http://other.example/"));
  CU_ASSERT (
    fails (mock, "getPet", "{\"petId\":2}", "http_not_granted", "no answer for this request"));
  answers ("GET", "http://pets.example/v1/pets?kind=cat", 200, "text/html", "<p>");
  CU_ASSERT (fails (mock, "listPets", "{\"kind\":\"cat\"}", "openapi_error",
                    "without the JSON that its description promises"));
}

static void
what_of_an_answer_is_told (void)
{
  static const char url[] = "http://pets.example/v1/pets/1";
  static const struct {
    const char *config, *body, *expected;
  } rows[] = {
    { "\"response\":{\"pointer\":\"/data/items\"}", "{\"data\":{\"items\":[1,2]}}",
      "{\"result\":[1,2]}" },
    { "\"response\":{\"pointer\":\"/a/1\"}", "{\"a\":[1,{\"b\":2}]}", "{\"b\":2}" },
    { "\"response\":{\"fields\":[\"id\",\"name\"]}", "{\"id\":1,\"x\":2,\"name\":\"n\"}",
      "{\"id\":1,\"name\":\"n\"}" },
    { "\"response\":{\"pointer\":\"/items\",\"fields\":[\"id\"]}",
      "{\"items\":[{\"id\":1,\"x\":1},{\"id\":2}]}", "{\"result\":[{\"id\":1},{\"id\":2}]}" },
    { "\"response\":{\"max_bytes\":20}", "[1,2,3,4,5,6,7,8,9,10,11,12,13,14]",
      "{\"result\":[1,2,3" },
    { "\"response\":{\"fields\":[\"id\"]},\"operations\":{\"getPet\":{\"response\":{\"fields\":["
      "\"x\"]}}}",
      "{\"id\":1,\"x\":2}", "{\"x\":2}" },
    { "", "7", "{\"result\":7}" },
    { "", "null", "{\"result\":null}" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CU_ASSERT (built (pets, rows[i].config));
    answers ("GET", url, 200, "application/json", rows[i].body);
    CU_ASSERT (gives (mock, "getPet", "{\"petId\":1}", rows[i].expected));
  }
}

/* The text that follows the JSON. */
static void
what_was_not_told_is_said (void)
{
  static const char url[] = "http://pets.example/v1/pets?kind=cat&limit=2";
  static const char *const linked[] = {
    "content-type", "application/json", "link",
    "<http://pets.example/v1/pets?kind=cat&limit=9>; rel=\"prev\", "
    "<http://pets.example/v1/pets?kind=a+b%2Bc&limit=4&x=y>; rel=\"next\"",
    NULL
  };
  static const struct {
    const char *body, *note;
  } rows[] = {
    { "{\"data\":[],\"next_cursor\":\"abc\"}", "There is more: next_cursor is abc." },
    { "{\"meta\":{\"next_page\":3}}", "There is more: next_page is 3." },
    { "{\"has_more\":true,\"next\":null}", "There is more: has_more is true." },
  };
  toolhost_mock_result *r;

  CU_ASSERT_FATAL (built (pets, "\"output_schema\":false,\"response\":{\"max_bytes\":60}"));
  toolhost_mock_http (mock, "GET", "http://pets.example/v1/pets?limit=2&kind=cat", 200, linked,
                      "[]", 2);
  r = toolhost_mock_call (mock, "listPets", "{\"kind\":\"cat\",\"limit\":2}");
  CU_ASSERT (told_part ("text", url, "{\"result\":[]}", r->text));
  CU_ASSERT (
    told_part ("text", url, "There is more: call it again with kind = a b+c, limit = 4.", r->text));
  toolhost_mock_result_free (r);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    answers ("GET", "http://pets.example/v1/pets/1", 200, "application/json", rows[i].body);
    r = toolhost_mock_call (mock, "getPet", "{\"petId\":1}");
    CU_ASSERT (told_part ("text", rows[i].body, rows[i].note, r->text));
    toolhost_mock_result_free (r);
  }
  answers ("GET", "http://pets.example/v1/pets/1", 200, "application/json",
           "{\"items\":[1111111111,2222222222,3333333333,4444444444,5555555555,6666666666]}");
  r = toolhost_mock_call (mock, "getPet", "{\"petId\":1}");
  CU_ASSERT (told_part ("text", "items", "Of 6 items in items the first ", r->text));
  toolhost_mock_result_free (r);
  answers ("GET", "http://pets.example/v1/pets/1", 200, "text/plain",
           "0123456789012345678901234567890123456789012345678901234567890123456789");
  r = toolhost_mock_call (mock, "getPet", "{\"petId\":1}");
  CU_ASSERT (told_part ("text", "text", "Of its 70 bytes the first 60 are told.", r->text));
  toolhost_mock_result_free (r);
}

static void
answers_that_are_no_text (void)
{
  static const struct {
    const char *type, *body, *content;
  } rows[] = {
    { "image/png", "\x89PNG", "\"type\":\"image\"" },
    { "audio/wav", "RIFF", "\"type\":\"audio\"" },
    { "application/octet-stream", "\xFF\xFE", "\"type\":\"resource\"" },
  };

  CU_ASSERT_FATAL (built (pets, ""));
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    toolhost_mock_result *r;
    answers ("GET", "http://pets.example/v1/pets/1", 200, rows[i].type, rows[i].body);
    r = toolhost_mock_call (mock, "getPet", "{\"petId\":1}");
    CU_ASSERT (told_part ("content", rows[i].type, rows[i].content, r->content));
    CU_ASSERT (told_part ("content", rows[i].type, rows[i].type, r->content));
    toolhost_mock_result_free (r);
  }
}

/* ---- search ---- */

static void
a_service_that_is_searched (void)
{
  CU_ASSERT_FATAL (built (pets, "\"group\":\"search\",\"tools_max\":1"));
  CU_ASSERT (!has_tool ("listPets") && has_tool ("pets_search_operations")
             && has_tool ("pets_describe_operation") && has_tool ("pets_call"));
  CU_ASSERT (
    gives (mock, "pets_search_operations", "{\"query\":\"list all the pets\",\"limit\":1}",
           "{\"operations\":[{\"operation\":\"listPets\",\"method\":\"GET\",\"path\":\"/pets\","
           "\"summary\":\"List pets\"}],\"total\":4}"));
  CU_ASSERT (gives (mock, "pets_search_operations", "{\"query\":\"pet\",\"tag\":\"admin\"}",
                    "{\"operations\":[{\"operation\":\"deletePet\""));
  CU_ASSERT (gives (mock, "pets_search_operations", "{\"query\":\"weather\"}",
                    "{\"operations\":[],\"total\":0}"));
  CU_ASSERT (gives (mock, "pets_search_operations", "{}", "\"total\":4}"));
  CU_ASSERT (gives (mock, "pets_describe_operation", "{\"operation\":\"getPet\"}",
                    "{\"operation\":\"getPet\",\"method\":\"GET\",\"path\":\"/pets/{petId}\","
                    "\"definition\":{\"name\":\"getPet\""));
  CU_ASSERT (fails (mock, "pets_describe_operation", "{\"operation\":\"getPets\"}", "openapi_error",
                    "There is no operation \"getPets\"; did you mean \"getPet\""));
}

static void
T3_19_26_a_call_of_what_was_found (void)
{
  static const struct {
    const char *arguments, *why;
  } rows[] = {
    { "{\"operation\":\"listPets\",\"arguments\":{}}", "/: it lacks kind" },
    { "{\"operation\":\"listPets\",\"arguments\":{\"kind\":\"cow\"}}",
      "/kind: expected one of [\"cat\",\"dog\"]" },
    { "{\"operation\":\"listPets\",\"arguments\":{\"kind\":\"cat\",\"limit\":\"x\"}}",
      "/limit: expected the type \"integer\"" },
    { "{\"operation\":\"listPets\",\"arguments\":{\"kind\":\"cat\",\"x\":1}}",
      "/: there is no member x" },
    { "{\"operation\":\"createPet\",\"arguments\":{\"body\":{\"name\":1}}}",
      "/body/name: expected the type \"string\"" },
    { "{\"operation\":\"createPet\",\"arguments\":{\"body\":{\"name\":\"a\",\"mother\":{\"name\":"
      "\"b\","
      "\"mother\":{}}}}}",
      "/body/mother/mother: it lacks name" },
  };

  CU_ASSERT_FATAL (built (pets, "\"group\":\"search\""));
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    CU_ASSERT (fails (mock, "pets_call", rows[i].arguments, "tool_args_invalid", rows[i].why));
  answers ("GET", "http://pets.example/v1/pets?kind=dog", 200, "application/json", "[]");
  CU_ASSERT (gives (mock, "pets_call",
                    "{\"operation\":\"listPets\",\"arguments\":{\"kind\":\"dog\"}}",
                    "{\"result\":[]}"));
  answers ("POST", "http://pets.example/v1/pets", 201, "application/json", "{\"id\":1}");
  CU_ASSERT (
    gives (mock, "pets_call",
           "{\"operation\":\"createPet\",\"arguments\":{\"body\":{\"name\":\"a\",\"note\":null}}}",
           "{\"id\":1}"));
}

static CU_TestInfo tests[] = {
  { "U3-16 U3-17 a call is a request", U3_16_U3_17_a_call_is_a_request },
  { "U3-17 what is missing has its sentence", U3_17_what_is_missing_has_its_sentence },
  { "a required parameter with a default", a_required_parameter_with_a_default },
  { "T3-19 members of a body as arguments", T3_19_members_of_a_body_as_arguments },
  { "headers, cookies, and names that clash", headers_cookies_and_names_that_clash },
  { "U3-18 answers that are none", U3_18_answers_that_are_none },
  { "what of an answer is told", what_of_an_answer_is_told },
  { "what was not told is said", what_was_not_told_is_said },
  { "answers that are no text", answers_that_are_no_text },
  { "a service that is searched", a_service_that_is_searched },
  { "T3-19.26 a call of what was found", T3_19_26_a_call_of_what_was_found },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "openapi calls", start, stop, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };
TAP_MAIN (suites)
