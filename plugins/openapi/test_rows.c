/* What a plugin for OpenAPI documents elsewhere is asked, row by row: where requests go (T3-18) and
 * what its parser, its runner and its manager take and refuse (T3-19).  The labels are those of
 * docs/seeds.md. */
#include "openapi/test_rig.h"

/* ---- where requests go ---- */

#define SERVER(url) "[{\"url\":\"" url "\"}]"
#define EXAMPLE SERVER ("https://example.com")
#define API SERVER ("https://example.com/api")
#define VERSIONED(value)                                                                           \
  "[{\"url\":\"https://example.com/{version}\",\"variables\":{\"version\":{\"default\":" value     \
  "}}}]"
#define REGION(default_value, choices)                                                             \
  "[{\"url\":\"https://{region}.api.vendor.example/v1\",\"variables\":{\"region\":{\"default\":"   \
  "\"" default_value "\"" choices "}}}]"
#define CHOICES ",\"enum\":[\"us\",\"eu\"]"
#define GIVEN(name, value) "\"server_variables\":{\"" name "\":" value "}"
#define OVER "\"server\":\"https://override.com\""
#define ID "{\"name\":\"id\",\"in\":\"path\",\"required\":true,\"schema\":{\"type\":\"string\"}}"
#define MAYBE                                                                                      \
  "{\"name\":\"optional\",\"in\":\"path\",\"required\":false,\"schema\":{\"type\":\"string\"}}"
#define Q(name, required) "{\"name\":\"" name "\",\"in\":\"query\",\"required\":" required "}"

struct place {
  const char *label, *servers, *path;
  const char *params, *config, *args;
  const char *url; /* asked for; NULL: nothing is */
  const char *why; /* then: what the call says, or the log where the operation is no tool */
};

static const struct place places[] = {
  { "T3-18.1 a server with a slash", SERVER ("https://example.com/"), "/test/path", "", "", "{}",
    "https://example.com/test/path", "" },
  { "T3-18.2 a server without one", EXAMPLE, "/test/path", "", "", "{}",
    "https://example.com/test/path", "" },
  { "T3-18.3 a server with a path", SERVER ("https://example.com/base/"), "/test/path", "", "",
    "{}", "https://example.com/base/test/path", "" },
  { "T3-18.4 a slash on both sides", SERVER ("https://example.com/"), "/test/path", "", "", "{}",
    "https://example.com/test/path", "" },
  { "T3-18.5 a path without a slash", SERVER ("https://example.com/base"), "/test/path", "", "",
    "{}", "https://example.com/base/test/path", "" },
  { "T3-18.6 the operator's server", SERVER ("https://example.com/"), "/resource/{id}", ID, OVER,
    "{\"id\":\"123\"}", "https://override.com/resource/123", "" },
  { "T3-18.7 the document's server", SERVER ("https://example.com/"), "/resource/{id}", ID, "",
    "{\"id\":\"123\"}", "https://example.com/resource/123", "" },
  { "T3-18.8 the operator's, with a path", EXAMPLE, "/r", "",
    "\"server\":\"https://override.com:8443/v2/\"", "{}", "https://override.com:8443/v2/r", "" },
  { "T3-18.9 the operator's, as a text", EXAMPLE, "/r", "", OVER, "{}", "https://override.com/r",
    "" },
  { "T3-18.10 without variables", EXAMPLE, "/r", "", "", "{}", "https://example.com/r", "" },
  { "T3-18.11 a variable", VERSIONED ("\"v1\""), "/r", "", GIVEN ("version", "\"v2\""), "{}",
    "https://example.com/v2/r", "" },
  { "T3-18.12 a variable that is a number", VERSIONED ("\"v1\""), "/r", "", GIVEN ("version", "2"),
    "{}", "https://example.com/2/r", "" },
  { "T3-18.13 a variable that is none of the choices", REGION ("us", CHOICES), "/r", "",
    GIVEN ("region", "\"external.example/\""), "{}", NULL,
    "server variable 'region' is not one of the allowed values" },
  { "T3-18.14 one of the choices", REGION ("us", CHOICES), "/r", "", GIVEN ("region", "\"eu\""),
    "{}", "https://eu.api.vendor.example/v1/r", "" },
  { "T3-18.15 a default that is none of the choices", REGION ("external.example/", CHOICES), "/r",
    "", "", "{}", NULL, "server variable 'region' is not one of the allowed values" },
  { "T3-18.16 a variable stays where it is", REGION ("us", ""), "/r", "",
    GIVEN ("region", "\"external.example/\""), "{}",
    "https://external.example%2F.api.vendor.example/v1/r", "" },
  { "T3-18.17 its default", VERSIONED ("\"v1\""), "/r", "", "", "{}", "https://example.com/v1/r",
    "" },
  { "T3-18.18 a default that is a number", VERSIONED ("1"), "/r", "", "", "{}",
    "https://example.com/1/r", "" },
  { "T3-18.19 a default with a slash", VERSIONED ("\"v1/beta\""), "/r", "", "", "{}",
    "https://example.com/v1%2Fbeta/r", "" },
  { "T3-18.20 the operator's server has no variables", VERSIONED ("\"v1\""), "/r", "", OVER, "{}",
    "https://override.com/r", "" },
  { "T3-18.21 of several the first",
    "[{\"url\":\"https://example.com\"},{\"url\":\"https://b.c\"}]", "/r", "", "", "{}",
    "https://example.com/r", "" },
  { "T3-18.22 a value in the path", EXAMPLE, "/resource/{id}", ID, "", "{\"id\":\"123\"}",
    "https://example.com/resource/123", "" },
  { "T3-18.23 a value that is not there", EXAMPLE, "/resource/{id}", ID, "", "{}", NULL,
    "No argument is provided for the `id` required parameter of the operation - `test`." },
  { "T3-18.24 an optional one that is not there", EXAMPLE, "/resource/{id}/{optional}",
    ID "," MAYBE, "", "{\"id\":\"123\"}", "https://example.com/resource/123/%7Boptional%7D", "" },
  { "T3-18.25 what has a meaning in a URL", EXAMPLE, "/resource/{id}", ID, "",
    "{\"id\":\"foo/bar?q=1#frag data\"}",
    "https://example.com/resource/foo%2Fbar%3Fq%3D1%23frag%20data", "" },
  { "T3-18.26 a way out", EXAMPLE, "/resource/{id}", ID, "", "{\"id\":\"../../admin\"}", NULL,
    "dot-segment" },
  { "T3-18.27 what looks encoded", EXAMPLE, "/resource/{id}", ID, "", "{\"id\":\"hello%2Fworld\"}",
    "https://example.com/resource/hello%252Fworld", "" },
  { "T3-18.28 letters beyond ASCII", EXAMPLE, "/resource/{id}", ID, "",
    "{\"id\":\"caf\xC3\xA9 r\xC3\xA9sum\xC3\xA9\"}",
    "https://example.com/resource/caf%C3%A9%20r%C3%A9sum%C3%A9", "" },
  { "T3-18.29 two dots", EXAMPLE, "/resources/../admin", "", "", "{}", NULL, "dot-segment" },
  { "T3-18.29 one dot", EXAMPLE, "/resources/./admin", "", "", "{}", NULL, "dot-segment" },
  { "T3-18.29 encoded", EXAMPLE, "/resources/%2e%2e/admin", "", "", "{}", NULL, "dot-segment" },
  { "T3-18.29 in capitals", EXAMPLE, "/resources/%2E%2E/admin", "", "", "{}", NULL, "dot-segment" },
  { "T3-18.29 one, encoded", EXAMPLE, "/resources/%2e/admin", "", "", "{}", NULL, "dot-segment" },
  { "T3-18.29 with its slash", EXAMPLE, "/resources/%2e%2e%2fadmin", "", "", "{}", NULL,
    "dot-segment" },
  { "T3-18.29 twice encoded", EXAMPLE, "/resources/%252e%252e/admin", "", "", "{}", NULL,
    "dot-segment" },
  { "T3-18.30 dots as a value", EXAMPLE, "/resource/{id}/details", ID, "", "{\"id\":\"..\"}", NULL,
    "dot-segment" },
  { "T3-18.31 what is encoded and no dot", EXAMPLE, "/resources/a%20b/details", "", "", "{}",
    "https://example.com/resources/a%20b/details", "" },
  { "T3-18.32 another host", API, "https://evil.com/admin", "", "", "{}", NULL,
    "does not match the configured server" },
  { "T3-18.32 another port", API, "https://example.com:8443/admin", "", "", "{}", NULL,
    "does not match the configured server" },
  { "T3-18.32 another scheme", API, "http://example.com/admin", "", "", "{}", NULL,
    "does not match the configured server" },
  { "T3-18.32 a user and a password", API, "https://user:pass@example.com/api/admin", "", "", "{}",
    NULL, "does not match the configured server" },
  { "T3-18.32 a user", API, "https://user@example.com/api/data", "", "", "{}", NULL,
    "does not match the configured server" },
  { "T3-18.32 the server as a user", API, "https://example.com@evil.com/admin", "", "", "{}", NULL,
    "does not match the configured server" },
  { "T3-18.33 on its server", API, "/resources/item", "", "", "{}",
    "https://example.com/api/resources/item", "" },
  { "T3-18.34 beside the server's path", API, "https://example.com/other/admin", "", "", "{}", NULL,
    "outside the configured server base path" },
  { "T3-18.35 a value in the query", EXAMPLE, "/resource", Q ("query", "true"), "",
    "{\"query\":\"value\"}", "https://example.com/resource?query=value", "" },
  { "T3-18.36 one that is not there", EXAMPLE, "/resource", Q ("query", "true"), "", "{}", NULL,
    "No argument or value is provided for the `query` required parameter of the operation - "
    "`test`." },
  { "T3-18.37 an optional one that is not there", EXAMPLE, "/resource",
    Q ("required_param", "true") "," Q ("optional_param", "false"), "",
    "{\"required_param\":\"required_value\"}",
    "https://example.com/resource?required_param=required_value", "" },
};

/* A service whose operation "test" is this one, beside one that is good in any case. */
static bool
build_place (const struct place *p)
{
  CLEANUP_TEXT struct text document = { 0 };

  text_addf (&document,
             "{\"openapi\":\"3.0.3\",\"servers\":%s,\"paths\":{\"%s\":{\"get\":{\"operationId\":"
             "\"test\",\"parameters\":[%s]}},\"/good\":{\"get\":{\"operationId\":\"good\","
             "\"servers\":[{\"url\":\"https://good.example\"}]}}}}",
             p->servers, p->path, p->params);
  return built (text_get (&document), p->config);
}

static bool
goes_there (const struct place *p)
{
  answers ("GET", p->url, 200, "text/plain", "yes");
  return says (mock, "test", p->args, "yes");
}

static void
T3_18_where_requests_go (void)
{
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    const struct place *p = &places[i];
    bool good = build_place (p);
    if (good && p->url != NULL)
      good = goes_there (p);
    else if (good && has_tool ("test"))
      good = fails (mock, "test", p->args, "openapi_error", p->why);
    else if (good)
      good = told_part ("log", p->label, p->why, toolhost_mock_log (mock));
    if (!good)
      printf ("# %s\n", p->label);
    CU_ASSERT (good);
  }
}

/* An operation whose path leads elsewhere is no tool, and searching does not find it either. */
static void
T3_18_38_T3_18_39_what_leads_elsewhere_can_not_be_chosen (void)
{
  static const char *const paths[] = { "/resources/%2e%2e/admin", "/resources/%252e%252e/admin",
                                       "https://evil.com/admin", "//evil.com/admin" };

  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
    const struct place p = { "", EXAMPLE, paths[i], "", "\"group\":\"search\"", "{}", NULL, "" };
    CU_ASSERT_FATAL (build_place (&p));
    CU_ASSERT (
      gives (mock, "pets_search_operations", "{}", "{\"operations\":[{\"operation\":\"good\""));
    CU_ASSERT (fails (mock, "pets_call", "{\"operation\":\"test\",\"arguments\":{}}",
                      "openapi_error", "There is no operation \"test\""));
  }
}

/* ---- what the parser takes and refuses ---- */

#define POST(id, rest) "\"/a\":{\"post\":{\"operationId\":\"" id "\"" rest "}}"
#define JSON_BODY(required, schema)                                                                \
  ",\"requestBody\":{\"required\":" required ",\"content\":{\"application/json\":{" schema "}}}"
#define DEEPER(inner)                                                                              \
  "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"object\",\"properties\":{\"b\":" inner   \
  "}}}}"
#define FLAT "\"body\":\"flat\""
#define TODO                                                                                       \
  "\"schema\":{\"type\":\"object\",\"required\":[\"task\"],\"properties\":{\"task\":{\"type\":"    \
  "\"string\",\"description\":\"task name\"},\"listName\":{\"type\":\"string\",\"description\":"   \
  "\"task group name\"}}}"

static const struct {
  const char *label, *paths, *rest, *config;
  const char *definition; /* a part of that of "a"; NULL: it is no tool */
  const char *log;
} parsed[] = {
  { "T3-19.1 a parameter without its place", GET ("/a", "a", ",\"parameters\":[{\"name\":\"p\"}]"),
    "", "", NULL, "Parameter p is missing 'in' field" },
  { "T3-19.2 a parameter of a query",
    GET ("/a", "a",
         ",\"parameters\":[" QUERY_PARAM (
           "listName", ",\"description\":\"todo list group name description\","
                       "\"required\":true,\"schema\":{\"type\":\"string\"}") "]"),
    "", "",
    "\"properties\":{\"listName\":{\"type\":\"string\",\"description\":\"todo list group name "
    "description\"}},\"required\":[\"listName\"]",
    "" },
  { "T3-19.3 members of a body", POST ("a", JSON_BODY ("true", TODO)), "", FLAT,
    "\"properties\":{\"task\":{\"type\":\"string\",\"description\":\"task name\"},\"listName\":{"
    "\"type\":\"string\",\"description\":\"task group name\"}},\"required\":[\"task\"]",
    "" },
  { "T3-19.4 a body without a schema", POST ("a", JSON_BODY ("true", "")), "", FLAT,
    "\"inputSchema\":{\"type\":\"object\",\"properties\":{", "" },
  { "T3-19.5 a body as deep as may be",
    POST ("a", JSON_BODY ("true", "\"schema\":" DEEPER (DEEPER (DEEPER ("{}"))))), "", FLAT,
    "\"properties\":{\"a\":", "" },
  { "T3-19.5 a body that is deeper",
    POST ("a", JSON_BODY (
                 "true", "\"schema\":" DEEPER (DEEPER (DEEPER (DEEPER (DEEPER (DEEPER ("{}")))))))),
    "", FLAT, NULL, "Max level 10 of traversing payload properties of `a` operation is exceeded." },
  { "T3-19.6 a body of a type that can't be written",
    POST ("a", ",\"requestBody\":{\"content\":{\"application/xml\":{}}}"), "", "", NULL,
    "Neither of the media types of a is supported." },
  { "T3-19.7 a key in a header", GET ("/a", "a", ",\"security\":[{\"s\":[]}]"),
    ",\"components\":{\"securitySchemes\":{\"s\":{\"type\":\"apiKey\",\"in\":\"header\",\"name\":"
    "\"X-Key\"}}}",
    "", NULL, "\"X-Key\":\"${pets_s}\"" },
  { "T3-19.7 OAuth", GET ("/a", "a", ",\"security\":[{\"s\":[]}]"),
    ",\"components\":{\"securitySchemes\":{\"s\":{\"type\":\"oauth2\",\"flows\":{}}}}", "", NULL,
    "Bearer ${pets_s}" },
  { "T3-19.7 none", GET ("/a", "a", ",\"security\":[]"), "", "", "\"name\":\"a\"", "" },
  { "T3-19.8 an operation without its id", "\"/a\":{\"get\":{}}", "", "", NULL,
    "it has no operationId" },
  { "T3-19.9 a reference to a server",
    GET ("/a", "a", ",\"parameters\":[{\"$ref\":\"http://evil.example/p.json\"}]"), "", "", NULL,
    "leads to a server: that is blocked" },
  { "T3-19.10 a reference within the document",
    GET ("/a", "a", ",\"parameters\":[{\"$ref\":\"#/components/parameters/P\"}]"),
    ",\"components\":{\"parameters\":{\"P\":" QUERY_PARAM ("p", "") "}}", "",
    "\"properties\":{\"p\":{}}", "" },
  { "T3-19.11 a reference to a file",
    GET ("/a", "a", ",\"parameters\":[{\"$ref\":\"other.json#/p\"}]"), "", "", NULL,
    "leads out of the document: that is blocked" },
};

/* With a mock of its own, which was asked for nothing yet. */
static bool
built_beside_good (const char *paths, const char *rest, const char *config)
{
  CLEANUP_TEXT struct text document = { 0 };

  text_addf (&document,
             "{\"openapi\":\"3.0.0\",\"servers\":[{\"url\":\"http://a.example\"}],\"paths\":{" GET (
               "/good", "good", "") ",%s}%s}",
             paths, rest);
  (void) stop ();
  return start () == 0 && built (text_get (&document), config);
}

static void
T3_19_what_the_parser_takes_and_refuses (void)
{
  for (size_t i = 0; i < sizeof parsed / sizeof *parsed; i++) {
    const char *label = parsed[i].label;
    CU_ASSERT (built_beside_good (parsed[i].paths, parsed[i].rest, parsed[i].config));
    CU_ASSERT_EQUAL (has_tool ("a"), parsed[i].definition != NULL);
    if (has_tool ("a") && parsed[i].definition != NULL)
      CU_ASSERT (
        told_part (label, "a", parsed[i].definition, toolhost_mock_definition (mock, "a")));
    CU_ASSERT (told_part (label, "log", parsed[i].log, toolhost_mock_log (mock)));
  }
}

/* ---- what the runner sends ---- */

#define NESTED                                                                                     \
  "\"schema\":{\"type\":\"object\",\"required\":[\"outer\"],\"properties\":{\"outer\":{\"type\":"  \
  "\"object\",\"required\":[\"inner\"],\"properties\":{\"inner\":{\"type\":\"string\"},\"more\":"  \
  "{\"type\":\"object\",\"properties\":{\"deep\":{\"type\":\"integer\"}}}}}}}"
#define TWO                                                                                        \
  "\"schema\":{\"type\":\"object\",\"required\":[\"prop1\"],\"properties\":{\"prop1\":{\"type\":"  \
  "\"string\"},\"prop2\":{\"type\":\"string\"}}}"

static const struct {
  const char *label, *paths, *config, *args;
  const char *sent; /* a part of the request; NULL: it fails, with this sentence: */
  const char *why;
} sent[] = {
  { "T3-19.17 a URL and its query", GET ("/a", "a", ",\"parameters\":[" QUERY_PARAM ("x", "") "]"),
    "", "{\"x\":1}", "http://a.example/a?x=1", "" },
  { "T3-19.18 the URL of an operation", GET ("/a", "a", ""), "", "{}", "\"http://a.example/a\"",
    "" },
  { "T3-19.19 members become the body", POST ("a", JSON_BODY ("true", TWO)), FLAT,
    "{\"prop1\":\"value1\",\"prop2\":\"value2\"}", "{\"prop1\":\"value1\",\"prop2\":\"value2\"}",
    "" },
  { "T3-19.20 without a schema the body is one argument", POST ("a", JSON_BODY ("true", "")), FLAT,
    "{\"body\":{\"any\":1}}", "{\"any\":1}", "" },
  { "T3-19.21 a whole body", POST ("a", JSON_BODY ("true", TWO)), "",
    "{\"body\":{\"key\":\"value\"}}", "{\"key\":\"value\"}", "" },
  { "T3-19.22 a body that is not there", POST ("a", JSON_BODY ("true", TWO)), "", "{}", NULL,
    "No payload is provided by the argument 'body'." },
  { "T3-19.23 what is optional may be missing", POST ("a", JSON_BODY ("true", TWO)), FLAT,
    "{\"prop1\":\"value1\"}", "{\"prop1\":\"value1\"}", "" },
  { "T3-19.24 a required member that is not there", POST ("a", JSON_BODY ("true", TWO)), FLAT,
    "{\"prop2\":\"x\"}", NULL, "No argument is found for the 'prop1' payload property." },
  { "T3-19.25 members of members", POST ("a", JSON_BODY ("true", NESTED)), FLAT,
    "{\"outer\":{\"inner\":\"x\",\"more\":{\"deep\":3}}}",
    "{\"outer\":{\"inner\":\"x\",\"more\":{\"deep\":3}}}", "" },
  { "T3-19.27 an operation without a body", POST ("a", ""), "", "{}", "\"method\":\"POST\"", "" },
  { "T3-19.28 a member has its own name", POST ("a", JSON_BODY ("true", TWO)), FLAT,
    "{\"prop1\":\"x\"}", "{\"prop1\":\"x\"}", "" },
  { "T3-19.29 or one that says where it is",
    POST ("a", ",\"parameters\":[" QUERY_PARAM ("prop1", "") "]" JSON_BODY ("true", TWO)), FLAT,
    "{\"prop1\":\"q\",\"prop1_body\":\"b\"}", "{\"prop1\":\"b\"}", "" },
  { "T3-19.30 a body and its type", POST ("a", JSON_BODY ("true", TWO)), "",
    "{\"body\":{\"prop1\":\"value1\"}}", "[\"Content-Type\",\"application/json\"]", "" },
  { "T3-19.33 what is accepted", GET ("/a", "a", ""), "", "{}",
    "[\"Accept\",\"application/json, */*;q=0.8\"]", "" },
};

static void
T3_19_what_the_runner_sends (void)
{
  for (size_t i = 0; i < sizeof sent / sizeof *sent; i++) {
    const char *label = sent[i].label, *args = sent[i].args;
    const char *method = strstr (sent[i].paths, "\"post\"") != NULL ? "POST" : "GET";
    CU_ASSERT (built_beside_good (sent[i].paths, "", sent[i].config));
    answers (method, "http://a.example/a", 200, "text/plain", "response text");
    answers (method, "http://a.example/a?x=1", 200, "text/plain", "response text");
    answers (method, "http://a.example/a?prop1=q", 200, "text/plain", "response text");
    if (sent[i].sent == NULL) {
      CU_ASSERT (fails (mock, "a", args, "openapi_error", sent[i].why));
      CU_ASSERT (told (label, args, "", toolhost_mock_http_requests (mock)));
      continue;
    }
    CU_ASSERT (says (mock, "a", args, "response text"));
    CU_ASSERT (told_part (label, args, sent[i].sent, toolhost_mock_http_requests (mock)));
  }
}

/* No body where none is given. */
static void
T3_19_27_T3_19_31_T3_19_32_no_body (void)
{
  static const struct {
    const char *label, *paths, *args;
  } rows[] = {
    { "T3-19.27", POST ("a", ""), "{}" },
    { "T3-19.31", POST ("a", JSON_BODY ("false", TWO)), "{}" },
    { "T3-19.32", GET ("/a", "a", ""), "{}" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const char *method = i < 2 ? "POST" : "GET";
    CU_ASSERT (built_beside_good (rows[i].paths, "", ""));
    answers (method, "http://a.example/a", 200, "text/plain", "yes");
    CU_ASSERT (says (mock, "a", rows[i].args, "yes"));
    CU_ASSERT (was_asked ("\"body\":false"));
    CU_ASSERT_PTR_NULL (strstr (toolhost_mock_http_requests (mock), "Content-Type"));
  }
}

/* Without a description of its answers an operation gives what it gets, of any type. */
static void
T3_19_34_T3_19_35_T3_19_38_an_answer_is_the_result (void)
{
  CU_ASSERT_FATAL (built_beside_good (GET ("/a", "a", ""), "", ""));
  answers ("GET", "http://a.example/a", 200, "text/plain", "response text");
  CU_ASSERT (says (mock, "a", "{}", "response text"));
  answers ("GET", "http://a.example/a", 200, "application/json", "{\"x\":1}");
  CU_ASSERT (gives (mock, "a", "{}", "{\"x\":1}"));
}

/* ---- what the manager is asked ---- */

static void
T3_19_39_T3_19_40_what_fails_is_told (void)
{
  CU_ASSERT_FATAL (built_beside_good (
    GET ("/a", "a", ",\"parameters\":[" QUERY_PARAM ("param1", ",\"required\":true") "]"), "", ""));
  CU_ASSERT (fails (mock, "a", "{}", "openapi_error",
                    "No argument or value is provided for the `param1` required parameter of the "
                    "operation - `a`."));
  CU_ASSERT (fails (mock, "a", "{\"param1\":1}", "http_not_granted", "")); /* no answer is there */
}

/* A name that arguments can't have is another one for the model, and itself for the service. */
static void
T3_19_41_another_name (void)
{
  CU_ASSERT_FATAL (built_beside_good (
    GET ("/a", "a", ",\"parameters\":[" QUERY_PARAM ("param[1]", "") "]"), "", ""));
  CU_ASSERT (told_part ("definition", "a", "\"properties\":{\"param_1\":{}}",
                        toolhost_mock_definition (mock, "a")));
  answers ("GET", "http://a.example/a?param%5B1%5D=value1", 200, "text/plain", "yes");
  CU_ASSERT (says (mock, "a", "{\"param_1\":\"value1\"}", "yes"));
}

static void
T3_19_42_a_document_that_is_none (void)
{
  CU_ASSERT (!build ("\"openapi: [\"", ""));
  CU_ASSERT (told_part ("error", "", "/services/0/document: line ", toolhost_mock_error ()));
}

static void
T3_19_43_time (void)
{
  CU_ASSERT_FATAL (built (pets, "\"timeout\":7000"));
  answers ("GET", "http://pets.example/v1/pets/1", 200, "text/plain", "yes");
  CU_ASSERT (says (mock, "getPet", "{\"petId\":1}", "yes"));
  CU_ASSERT_EQUAL (toolhost_mock_max_time (mock, "getPet"), 7000);
}

static CU_TestInfo tests[] = {
  { "T3-18 where requests go", T3_18_where_requests_go },
  { "T3-18.38 T3-18.39 what leads elsewhere can't be chosen",
    T3_18_38_T3_18_39_what_leads_elsewhere_can_not_be_chosen },
  { "T3-19 what the parser takes and refuses", T3_19_what_the_parser_takes_and_refuses },
  { "T3-19 what the runner sends", T3_19_what_the_runner_sends },
  { "T3-19.27 T3-19.31 T3-19.32 no body", T3_19_27_T3_19_31_T3_19_32_no_body },
  { "T3-19.34 T3-19.35 T3-19.38 an answer is the result",
    T3_19_34_T3_19_35_T3_19_38_an_answer_is_the_result },
  { "T3-19.39 T3-19.40 what fails is told", T3_19_39_T3_19_40_what_fails_is_told },
  { "T3-19.41 another name", T3_19_41_another_name },
  { "T3-19.42 a document that is none", T3_19_42_a_document_that_is_none },
  { "T3-19.43 time", T3_19_43_time },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "openapi rows", start, stop, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };
TAP_MAIN (suites)
