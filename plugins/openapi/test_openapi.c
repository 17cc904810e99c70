/* The feature "openapi": documents that become tools, and what these ask and tell. */
#include "common/plugin_test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/text.h"

static toolhost_mock *mock;

static int
start (void)
{
  mock = toolhost_mock_new (toolhost_plugin_entry, NULL);
  return mock == NULL;
}

static int
stop (void)
{
  toolhost_mock_free (mock);
  return 0;
}

/* ---- documents ---- */

#define DOCUMENT(version, paths, rest)                                                             \
  "{\"openapi\":\"" version "\",\"info\":{\"title\":\"Pets\",\"version\":\"1\"},"                  \
  "\"servers\":[{\"url\":\"http://pets.example/v1\"}],\"paths\":{" paths "}" rest "}"
#define GET(path, id, rest) "\"" path "\":{\"get\":{\"operationId\":\"" id "\"" rest "}}"
#define QUERY_PARAM(name, rest) "{\"name\":\"" name "\",\"in\":\"query\"" rest "}"

static const char pets[] = DOCUMENT (
  "3.0.3",
  "\"/pets\":{\"get\":{\"operationId\":\"listPets\",\"summary\":\"List pets\",\"tags\":[\"Pet "
  "Shop\"],"
  "\"parameters\":[{\"name\":\"limit\",\"in\":\"query\",\"description\":\"How many.\",\"schema\":"
  "{\"type\":\"integer\",\"minimum\":0,\"exclusiveMinimum\":true}},{\"name\":\"kind\",\"in\":"
  "\"query\",\"required\":true,\"schema\":{\"type\":\"string\",\"enum\":[\"cat\",\"dog\"]}}],"
  "\"responses\":{\"200\":{\"description\":\"x\",\"content\":{\"application/json\":{\"schema\":"
  "{\"type\":\"array\",\"items\":{\"$ref\":\"#/components/schemas/Pet\"}}}}}}},"
  "\"post\":{\"operationId\":\"createPet\",\"description\":\"Make one.\",\"requestBody\":{"
  "\"required\":true,\"content\":{\"application/json\":{\"schema\":{\"$ref\":"
  "\"#/components/schemas/Pet\"}}}},\"responses\":{\"201\":{\"description\":\"x\",\"content\":{"
  "\"application/json\":{\"schema\":{\"$ref\":\"#/components/schemas/Pet\"}}}}}}},"
  "\"/pets/{petId}\":{\"parameters\":[{\"name\":\"petId\",\"in\":\"path\",\"required\":true,"
  "\"schema\":{\"type\":\"string\"}}],\"get\":{\"operationId\":\"getPet\"},\"delete\":{"
  "\"operationId\":\"deletePet\",\"tags\":[\"admin\"]},\"put\":{\"operationId\":\"putPet\","
  "\"deprecated\":true}}",
  ",\"components\":{\"schemas\":{\"Pet\":{\"type\":\"object\",\"required\":[\"id\",\"name\"],"
  "\"properties\":{\"id\":{\"type\":\"integer\",\"readOnly\":true},\"name\":{\"type\":\"string\"},"
  "\"pin\":{\"type\":\"string\",\"writeOnly\":true},\"mother\":{\"$ref\":"
  "\"#/components/schemas/Pet\"},\"note\":{\"type\":\"string\",\"nullable\":true}}}}}");

/* Build a service "pets" of this document and these further members. */
static bool
build (const char *document, const char *more)
{
  CLEANUP_TEXT struct text config = { 0 };

  text_addf (&config, "{\"services\":[{\"name\":\"pets\",\"document\":%s%s%s}]}", document,
             more[0] != '\0' ? "," : "", more);
  return toolhost_mock_build (mock, "openapi", text_get (&config)) == TOOLHOST_OK;
}

static bool
built (const char *document, const char *more)
{
  const bool good = build (document, more);

  if (!good)
    printf ("# not built: %s\n", toolhost_mock_error ());
  return good;
}

static void
answers (const char *method, const char *url, int32_t status, const char *type, const char *body)
{
  const char *const headers[] = { "content-type", type, NULL };

  toolhost_mock_http (mock, method, url, status, headers, body, strlen (body));
}

static bool
has_tool (const char *name)
{
  return toolhost_mock_definition (mock, name) != NULL;
}

static bool
was_asked (const char *part)
{
  return told_part ("requests", "", part, toolhost_mock_http_requests (mock));
}

/* ---- definitions ---- */

static void
S3_14_an_operation_is_a_tool (void)
{
  CU_ASSERT_FATAL (built (pets, ""));
  CU_ASSERT (told (
    "definition", "listPets",
    "{\"name\":\"listPets\",\"title\":\"List pets\",\"description\":\"List pets\",\"inputSchema\":{"
    "\"type\":\"object\",\"properties\":{\"limit\":{\"type\":\"integer\",\"exclusiveMinimum\":0,"
    "\"description\":\"How many.\"},\"kind\":{\"type\":\"string\",\"enum\":[\"cat\",\"dog\"]}},"
    "\"required\":[\"kind\"],\"additionalProperties\":false},\"outputSchema\":{\"properties\":{"
    "\"result\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/Pet\"}}},\"required\":["
    "\"result\"],\"type\":\"object\",\"$defs\":{\"Pet\":{\"type\":\"object\",\"properties\":{"
    "\"id\":{\"type\":\"integer\"},\"name\":{\"type\":\"string\"},\"mother\":{\"$ref\":"
    "\"#/$defs/Pet\"},\"note\":{\"type\":[\"string\",\"null\"]}},\"required\":[\"id\",\"name\"]}}},"
    "\"annotations\":{\"readOnlyHint\":true,\"destructiveHint\":false,\"idempotentHint\":true,"
    "\"openWorldHint\":true},\"toolhost\":{\"idempotent\":true,\"tags\":[\"pets\",\"pet-shop\"]}}",
    toolhost_mock_definition (mock, "listPets")));
  CU_ASSERT (told (
    "definition", "createPet",
    "{\"name\":\"createPet\",\"description\":\"Make one.\",\"inputSchema\":{\"type\":\"object\","
    "\"properties\":{\"body\":{\"$ref\":\"#/$defs/Pet\"}},\"required\":[\"body\"],"
    "\"additionalProperties\":false,\"$defs\":{\"Pet\":{\"type\":\"object\",\"properties\":{"
    "\"name\":{\"type\":\"string\"},\"pin\":{\"type\":\"string\"},\"mother\":{\"$ref\":"
    "\"#/$defs/Pet\"},\"note\":{\"type\":[\"string\",\"null\"]}},\"required\":[\"name\"]}}},"
    "\"outputSchema\":{\"$ref\":\"#/$defs/Pet\",\"type\":\"object\",\"$defs\":{\"Pet\":{\"type\":"
    "\"object\",\"properties\":{\"id\":{\"type\":\"integer\"},\"name\":{\"type\":\"string\"},"
    "\"mother\":{\"$ref\":\"#/$defs/"
    "Pet\"},\"note\":{\"type\":[\"string\",\"null\"]}},\"required\":["
    "\"id\",\"name\"]}}},\"annotations\":{\"readOnlyHint\":false,\"idempotentHint\":false,"
    "\"openWorldHint\":true},\"toolhost\":{\"tags\":[\"pets\"]}}",
    toolhost_mock_definition (mock, "createPet")));
  CU_ASSERT (told_part ("definition", "deletePet",
                        "\"annotations\":{\"readOnlyHint\":false,\"destructiveHint\":true,"
                        "\"idempotentHint\":true,\"openWorldHint\":true}",
                        toolhost_mock_definition (mock, "deletePet")));
  CU_ASSERT (!has_tool ("putPet")); /* it is deprecated */
  CU_ASSERT_EQUAL (toolhost_mock_max_time (mock, "getPet"), 30000);
}

/* A schema as a query parameter of 3.0 or 3.1, and what stands for it in the inputSchema. */
static void
schemas_are_rewritten (void)
{
  static const struct {
    const char *version, *schema, *expected;
  } rows[] = {
    { "3.0.0", "{\"type\":\"integer\",\"minimum\":1,\"exclusiveMinimum\":false}",
      "{\"type\":\"integer\",\"minimum\":1}" },
    { "3.0.0", "{\"type\":\"number\",\"maximum\":1.5,\"exclusiveMaximum\":true}",
      "{\"type\":\"number\",\"exclusiveMaximum\":1.5}" },
    { "3.0.0", "{\"type\":\"string\",\"nullable\":true,\"enum\":[\"a\"]}",
      "{\"type\":[\"string\",\"null\"],\"enum\":[\"a\",null]}" },
    { "3.0.0", "{\"nullable\":true,\"allOf\":[{\"type\":\"string\"}]}",
      "{\"anyOf\":[{\"allOf\":[{\"type\":\"string\"}]},{\"type\":\"null\"}]}" },
    { "3.0.0", "{\"type\":\"string\",\"example\":\"x\",\"xml\":{},\"x-a\":1,\"externalDocs\":{}}",
      "{\"type\":\"string\",\"examples\":[\"x\"]}" },
    { "3.0.0",
      "{\"type\":\"object\",\"properties\":{\"a\":{\"readOnly\":true},\"b\":{}},\"required\":"
      "[\"a\",\"b\"]}",
      "{\"type\":\"object\",\"properties\":{\"b\":{}},\"required\":[\"b\"]}" },
    { "3.0.0", "{\"allOf\":[{\"required\":[\"a\"]},{\"properties\":{\"a\":{\"readOnly\":true}}}]}",
      "{\"allOf\":[{},{\"properties\":{}}]}" },
    { "3.0.0",
      "{\"type\":\"array\",\"items\":{\"oneOf\":[{\"type\":\"string\"},{\"not\":{\"type\":"
      "\"integer\"}}],\"discriminator\":{\"propertyName\":\"x\"}}}",
      "{\"type\":\"array\",\"items\":{\"oneOf\":[{\"type\":\"string\"},{\"not\":{\"type\":"
      "\"integer\"}}]}}" },
    { "3.0.0", "{\"const\":1,\"type\":\"integer\"}", "{\"type\":\"integer\"}" },
    { "3.0.0", "{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}}",
      "{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}}" },
    { "3.1.0", "{\"type\":[\"integer\",\"null\"],\"exclusiveMinimum\":3}",
      "{\"type\":[\"integer\",\"null\"],\"exclusiveMinimum\":3}" },
    { "3.1.0", "{\"const\":1,\"examples\":[1],\"nullable\":true}",
      "{\"const\":1,\"examples\":[1]}" },
    { "3.1.0", "{\"prefixItems\":[{\"type\":\"string\"}],\"unevaluatedItems\":false,\"if\":true}",
      "{\"if\":true,\"unevaluatedItems\":false,\"prefixItems\":[{\"type\":\"string\"}]}" },
    { "3.1.0", "{\"$ref\":\"#/components/schemas/A\",\"description\":\"here\"}",
      "{\"$ref\":\"#/$defs/A\",\"description\":\"here\"}" },
    { "3.0.0", "{\"$ref\":\"#/components/schemas/A\",\"description\":\"here\"}",
      "{\"$ref\":\"#/$defs/A\"}" },
    { "3.1.0", "true", "true" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CLEANUP_TEXT struct text document = { 0 }, expected = { 0 };
    text_addf (
      &document,
      "{\"openapi\":\"%s\",\"servers\":[{\"url\":\"http://a.example\"}],\"paths\":{\"/a\":{"
      "\"get\":{\"operationId\":\"a\",\"parameters\":[{\"name\":\"p\",\"in\":\"query\","
      "\"schema\":%s}]}}},\"components\":{\"schemas\":{\"A\":{\"type\":\"string\"}}}}",
      rows[i].version, rows[i].schema);
    text_addf (&expected, "\"properties\":{\"p\":%s},\"additional", rows[i].expected);
    CU_ASSERT (built (text_get (&document), ""));
    CU_ASSERT (told_part ("definition", rows[i].schema, text_get (&expected),
                          toolhost_mock_definition (mock, "a")));
  }
}

static void
names_and_descriptions_of_the_operator (void)
{
  CU_ASSERT (built (pets, "\"prefix\":\"p_\",\"operations\":{\"listPets\":{\"name\":\"all\","
                          "\"description\":\"All of them.\",\"timeout\":1500}}"));
  CU_ASSERT (told_part ("definition", "p_all", "\"description\":\"All of them.\"",
                        toolhost_mock_definition (mock, "p_all")));
  CU_ASSERT_EQUAL (toolhost_mock_max_time (mock, "p_all"), 1500);
  CU_ASSERT (has_tool ("p_getPet"));
  CU_ASSERT (built (pets, "\"names\":\"derive\",\"deprecated\":true"));
  CU_ASSERT (has_tool ("get_pets") && has_tool ("post_pets") && has_tool ("put_pets_petId"));
}

static void
which_operations_are_wanted (void)
{
  static const struct {
    const char *config, *there, *absent;
  } rows[] = {
    { "\"include\":{\"tags\":[\"admin\"]}", "deletePet", "listPets" },
    { "\"include\":{\"tags\":[\"Pet*\"]}", "listPets", "deletePet" },
    { "\"include\":{\"methods\":[\"get\"]}", "getPet", "createPet" },
    { "\"include\":{\"operations\":[\"*Pet\"]}", "createPet", "listPets" },
    { "\"include\":{\"paths\":[\"/pets/*\"]}", "getPet", "listPets" },
    { "\"exclude\":{\"methods\":[\"DELETE\",\"POST\"]}", "getPet", "deletePet" },
    { "\"exclude\":{\"tags\":[\"admin\"]}", "getPet", "deletePet" },
    { "\"include\":{\"methods\":[\"GET\"]},\"exclude\":{\"paths\":[\"/pets\"]}", "getPet",
      "listPets" },
    { "\"deprecated\":true", "putPet", "nothing" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CU_ASSERT (built (pets, rows[i].config));
    CU_ASSERT (has_tool (rows[i].there));
    CU_ASSERT (!has_tool (rows[i].absent));
  }
}

/* ---- what is left out ---- */

static void
T3_19_U3_15_operations_that_are_left_out (void)
{
  static const struct {
    const char *paths, *rest, *why;
  } rows[] = {
    { "\"/a\":{\"get\":{}}", "", "it has no operationId" },
    { GET ("/a", "good", ""), "", "its operationId good is that of an earlier operation" },
    { GET ("/a", "a", ",\"parameters\":[{\"name\":\"p\"}]"), "",
      "Parameter p is missing 'in' field" },
    { GET ("/a", "a", ",\"parameters\":[" QUERY_PARAM ("p", ",\"content\":{}") "]"), "",
      "the parameter p has \\\"content\\\", which is not supported" },
    { GET ("/a/{b}", "a", ""), "", "its path has the place {b} without a parameter" },
    { GET ("/a/%2e%2e/b", "a", ""), "", "its path holds a dot-segment" },
    { GET ("/a?b=c", "a", ""), "", "its path holds a query or a fragment" },
    { GET ("//evil.example/x", "a", ""), "", "does not match the configured server" },
    { GET ("/a", "a", ",\"requestBody\":{\"content\":{\"application/xml\":{}}}"), "",
      "Neither of the media types of a is supported." },
    { GET ("/a", "a", ",\"parameters\":[{\"$ref\":\"#/nowhere\"}]"), "",
      "the reference #/nowhere leads to nothing" },
    { GET ("/a", "a", ",\"parameters\":[{\"$ref\":\"#/x-a\"}]"), ",\"x-a\":{\"$ref\":\"#/x-a\"}",
      "leads in a circle" },
    { GET ("/a", "a", ",\"parameters\":[{\"$ref\":\"http://evil.example/p.json\"}]"), "",
      "leads to a server: that is blocked" },
    { GET ("/a", "a", ",\"parameters\":[{\"$ref\":\"other.json#/p\"}]"), "",
      "leads out of the document: that is blocked" },
    { GET ("/a", "a",
           ",\"parameters\":[" QUERY_PARAM ("p", ",\"schema\":{\"$ref\":\"x.json\"}") "]"),
      "", "leads out of the document: that is blocked" },
    { GET ("/a", "a", ",\"parameters\":[" QUERY_PARAM ("p", ",\"schema\":7") "]"), "",
      "a schema is no object" },
    { GET ("/a", "a", ",\"servers\":[{\"url\":\"/relative\"}]"), "",
      "does not say at which http or https server it is" },
    { GET ("/a", "a", ",\"servers\":[{\"url\":\"http://{x}.example\"}]"), "",
      "server variable 'x' has no value" },
    { GET ("/a", "a", ",\"security\":[{\"key\":[]}]"), "", "it needs the credentials \\\"key\\\"" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CLEANUP_TEXT struct text document = { 0 };
    text_addf (
      &document,
      "{\"openapi\":\"3.0.0\",\"servers\":[{\"url\":\"http://a.example\"}],\"paths\":{" GET (
        "/good", "good", "") ",%s}%s}",
      rows[i].paths, rows[i].rest);
    CU_ASSERT (built (text_get (&document), ""));
    CU_ASSERT (has_tool ("good") && !has_tool ("a"));
    CU_ASSERT (told_part ("log", rows[i].paths, rows[i].why, toolhost_mock_log (mock)));
    CU_ASSERT (
      told_part ("log", rows[i].paths, "openapi_operation_left_out", toolhost_mock_log (mock)));
    CU_ASSERT (!build (text_get (&document), "\"strict\":true"));
  }
}

static void
documents_that_are_none (void)
{
  static const struct {
    const char *document, *why;
  } rows[] = {
    { "{\"swagger\":\"2.0\"}", "/services/0/document: it is of Swagger 2.0" },
    { "{\"openapi\":\"4.0.0\"}", "/services/0/document: expected an OpenAPI document" },
    { "{}", "/services/0/document: expected an OpenAPI document" },
    { "{\"openapi\":\"3.0.0\",\"paths\":{}}",
      "/services/0/document: none of its operations can be a tool" },
    { "\"a: [\"", "/services/0/document: line 2: did not find" },
    { "7", "/services/0/document: expected an object, or a text in JSON or YAML" },
    { "{\"openapi\":\"3.0.0\",\"paths\":{" GET ("/a", "a", "") "}}",
      "none of its operations can be a tool: GET /a: the document does not say" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CU_ASSERT (!build (rows[i].document, ""));
    CU_ASSERT (told_part ("error", rows[i].document, rows[i].why, toolhost_mock_error ()));
  }
}

static void
each_slip_has_its_pointer (void)
{
  static const struct {
    const char *config, *said;
  } rows[] = {
    { "{\"service\":[]}", "/service: there is no such member; did you mean \"services\"?" },
    { "{}", "/services: expected a list of at most 64 services" },
    { "{\"services\":[{}]}", "/services/0/name: expected a name for the service" },
    { "{\"services\":[7]}", "/services/0: expected an object" },
    { "{\"services\":[{\"name\":\"A\"}]}", "/services/0/name: expected 1 to 32 of a-z" },
    { "{\"services\":[{\"name\":\"a\"}]}",
      "/services/0: expected either \"document\" or \"file\"" },
    { "{\"services\":[{\"name\":\"a\",\"file\":\"x.json\"}]}",
      "/services/0/file: expected the path of a file" },
    { "{\"services\":[{\"name\":\"a\",\"file\":\"/nowhere/x.json\"}]}",
      "/services/0/file: No such file or directory (the policy has to grant it: "
      "permissions.read)" },
    { "{\"services\":[{\"name\":\"a\",\"document\":{},\"external_refs\":true}]}",
      "/services/0/external_refs: expected none where the document is inline" },
    { "{\"services\":[{\"name\":\"a\",\"server\":\"ftp://x\"}]}",
      "/services/0/server: expected a URL" },
    { "{\"services\":[{\"name\":\"a\",\"server\":\"https://u@x/\"}]}",
      "/services/0/server: expected a URL" },
    { "{\"services\":[{\"name\":\"a\",\"server_variables\":[]}]}",
      "/services/0/server_variables: expected an object" },
    { "{\"services\":[{\"name\":\"a\",\"names\":\"x\"}]}",
      "/services/0/names: expected \"operationId\" or \"derive\"" },
    { "{\"services\":[{\"name\":\"a\",\"prefix\":\"x y\"}]}",
      "/services/0/prefix: expected at most 32" },
    { "{\"services\":[{\"name\":\"a\",\"strict\":1}]}",
      "/services/0/strict: expected true or false" },
    { "{\"services\":[{\"name\":\"a\",\"include\":{\"tag\":[]}}]}",
      "/services/0/include/tag: there is no such member; did you mean \"tags\"?" },
    { "{\"services\":[{\"name\":\"a\",\"exclude\":{\"paths\":[1]}}]}",
      "/services/0/exclude/paths: expected a list of texts" },
    { "{\"services\":[{\"name\":\"a\",\"group\":\"x\"}]}",
      "/services/0/group: expected \"tools\" or \"search\"" },
    { "{\"services\":[{\"name\":\"a\",\"body\":\"x\"}]}",
      "/services/0/body: expected \"nested\" or \"flat\"" },
    { "{\"services\":[{\"name\":\"a\",\"credentials\":\"x\"}]}",
      "/services/0/credentials: expected a list of texts" },
    { "{\"services\":[{\"name\":\"a\",\"idempotency_keys\":0}]}",
      "/services/0/idempotency_keys: expected true" },
    { "{\"services\":[{\"name\":\"a\",\"output_schema\":0}]}",
      "/services/0/output_schema: expected true" },
    { "{\"services\":[{\"name\":\"a\",\"deprecated\":0}]}",
      "/services/0/deprecated: expected true" },
    { "{\"services\":[{\"name\":\"a\",\"timeout\":0}]}",
      "/services/0/timeout: expected a whole number from 1 to 3600000" },
    { "{\"services\":[{\"name\":\"a\",\"tools_max\":1.5}]}",
      "/services/0/tools_max: expected a whole number from 1 to 10000" },
    { "{\"services\":[{\"name\":\"a\",\"response\":{\"pointer\":\"x\"}}]}",
      "/services/0/response/pointer: expected a JSON pointer" },
    { "{\"services\":[{\"name\":\"a\",\"response\":{\"fields\":{}}}]}",
      "/services/0/response/fields: expected a list of texts" },
    { "{\"services\":[{\"name\":\"a\",\"response\":{\"max_bytes\":-1}}]}",
      "/services/0/response/max_bytes: expected a whole number" },
    { "{\"services\":[{\"name\":\"a\",\"operations\":{\"x\":{\"timeout\":\"1s\"}}}]}",
      "/services/0/operations/x/timeout: expected a whole number" },
    { "{\"services\":[{\"name\":\"a\",\"operations\":{\"x\":{\"names\":1}}}]}",
      "/services/0/operations/x/names: there is no such member; did you mean \"name\"?" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CU_ASSERT_EQUAL (toolhost_mock_build (mock, "openapi", rows[i].config), TOOLHOST_FAILED);
    CU_ASSERT (told_part ("error", rows[i].config, rows[i].said, toolhost_mock_error ()));
  }
}

static void
more_operations_than_tools (void)
{
  CU_ASSERT (!build (pets, "\"tools_max\":2"));
  CU_ASSERT (told_part ("error", "tools_max",
                        "/services/0/tools_max: it has 4 operations, tools_max is 2",
                        toolhost_mock_error ()));
  CU_ASSERT (built (pets, "\"tools_max\":4"));
}

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
                     "filter[x]", "") ",{\"name\":\"Authorization\",\"in\":\"header\"}]"),
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
    "<http://pets.example/v1/pets?kind=cat&limit=4&x=y>; rel=\"next\"",
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
    told_part ("text", url, "There is more: call it again with kind = cat, limit = 4.", r->text));
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

/* ---- credentials ---- */

#define SECURED(schemes, security)                                                                 \
  DOCUMENT (                                                                                       \
    "3.0.0",                                                                                       \
    GET ("/a", "a", ",\"security\":" security) "," GET ("/open", "open", ",\"security\":[]"),      \
    ",\"components\":{\"securitySchemes\":{" schemes "}}")

static void
credentials_are_the_operators (void)
{
  static const struct {
    const char *schemes, *policy;
  } rows[] = {
    { "\"s\":{\"type\":\"apiKey\",\"in\":\"header\",\"name\":\"X-Key\"}",
      "{\"permissions\":{\"http\":[{\"url\":\"http://pets.example/v1/*\",\"headers\":{\"X-Key\":"
      "\"${pets_s}\"}}]},\"secrets\":{\"pets_s\":\"/etc/toolhost/secrets/pets_s\"}}" },
    { "\"s\":{\"type\":\"apiKey\",\"in\":\"query\",\"name\":\"key\"}",
      "\"query\":{\"key\":\"${pets_s}\"}" },
    { "\"s\":{\"type\":\"apiKey\",\"in\":\"cookie\",\"name\":\"sid\"}",
      "\"headers\":{\"Cookie\":\"sid=${pets_s}\"}" },
    { "\"s\":{\"type\":\"http\",\"scheme\":\"Bearer\"}",
      "\"headers\":{\"Authorization\":\"Bearer ${pets_s}\"}" },
    { "\"s\":{\"type\":\"http\",\"scheme\":\"basic\"}",
      "\"headers\":{\"Authorization\":\"Basic ${pets_s}\"}" },
    { "\"s\":{\"type\":\"oauth2\",\"flows\":{}}",
      "\"headers\":{\"Authorization\":\"Bearer ${pets_s}\"}" },
    { "\"s\":{\"type\":\"openIdConnect\"}",
      "\"headers\":{\"Authorization\":\"Bearer ${pets_s}\"}" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CLEANUP_TEXT struct text document = { 0 };
    text_addf (&document, SECURED ("%s", "[{\"s\":[]}]"), rows[i].schemes);
    CU_ASSERT (built (text_get (&document), ""));
    CU_ASSERT (has_tool ("open") && !has_tool ("a"));
    CU_ASSERT (
      told_part ("log", rows[i].schemes, "openapi_credentials_missing", toolhost_mock_log (mock)));
    CU_ASSERT (told_part ("log", rows[i].schemes, rows[i].policy, toolhost_mock_log (mock)));
    CU_ASSERT (built (text_get (&document), "\"credentials\":[\"s\"]"));
    CU_ASSERT (has_tool ("a"));
  }
}

static void
one_way_of_several_will_do (void)
{
  static const char schemes[] = SECURED ("\"x\":{\"type\":\"mutualTLS\"},\"y\":{\"type\":\"http\","
                                         "\"scheme\":\"bearer\"}",
                                         "[{\"x\":[],\"y\":[]},{\"y\":[]}]"),
                    optional[] = SECURED ("\"x\":{\"type\":\"mutualTLS\"}", "[{\"x\":[]},{}]"),
                    no_policy[] = SECURED ("\"x\":{\"type\":\"mutualTLS\"}", "[{\"x\":[]}]");

  CU_ASSERT (built (schemes, "\"credentials\":[\"y\"]") && has_tool ("a"));
  CU_ASSERT (built (schemes, "\"credentials\":[\"x\"]") && !has_tool ("a"));
  CU_ASSERT (built (optional, "") && has_tool ("a"));
  CU_ASSERT (built (no_policy, "") && !has_tool ("a"));
  CU_ASSERT (strstr (toolhost_mock_log (mock), "permissions") == NULL);
}

static void
a_key_is_no_argument (void)
{
  static const char document[] = DOCUMENT (
    "3.0.0",
    GET (
      "/a", "a",
      ",\"parameters\":[" QUERY_PARAM ("key", ",\"required\":true") "," QUERY_PARAM ("q", "") "]"),
    ",\"components\":{\"securitySchemes\":{\"s\":{\"type\":\"apiKey\",\"in\":\"query\",\"name\":"
    "\"key\"}}},\"security\":[{\"s\":[]}]");

  CU_ASSERT (built (document, "\"credentials\":[\"s\"]"));
  CU_ASSERT (told_part ("definition", "a", "\"properties\":{\"q\":{}},",
                        toolhost_mock_definition (mock, "a")));
}

/* ---- files ---- */

static void
put_file (const char *folder, const char *name, const char *text)
{
  CLEANUP_TEXT struct text path = { 0 };
  FILE *file;

  text_addf (&path, "%s/%s", folder, name);
  file = fopen (text_get (&path), "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL (file);
  fputs (text, file);
  fclose (file);
}

static bool
build_file (const char *folder, const char *more)
{
  CLEANUP_TEXT struct text config = { 0 };

  text_addf (&config, "{\"services\":[{\"name\":\"pets\",\"file\":\"%s/a.yaml\"%s}]}", folder,
             more);
  return toolhost_mock_build (mock, "openapi", text_get (&config)) == TOOLHOST_OK;
}

static void
T3_19_U3_18_references_to_files_are_opted_in (void)
{
  char folder[] = "/tmp/test_openapi.XXXXXX";
  CLEANUP_TEXT struct text sub = { 0 }, command = { 0 };

  CU_ASSERT_PTR_NOT_NULL_FATAL (mkdtemp (folder));
  text_addf (&sub, "%s/sub", folder);
  CU_ASSERT_EQUAL (mkdir (text_get (&sub), 0700), 0);
  put_file (folder, "a.yaml",
            "openapi: 3.0.3\nservers: [{url: 'http://a.example'}]\npaths:\n"
            "  /a: {get: {operationId: a, parameters: [{$ref: 'sub/b.json#/params/p'}]}}\n"
            "  /b: {get: {operationId: b, parameters: [{$ref: '../b.json#/params/p'}]}}\n"
            "  /c: {get: {operationId: c, parameters: [{$ref: 'http://a.example/b.json'}]}}\n"
            "  /d: {get: {operationId: d}}\n");
  put_file (
    text_get (&sub), "b.json",
    "{\"params\":{\"p\":{\"name\":\"p\",\"in\":\"query\",\"schema\":{\"$ref\":\"c.json\"}}}}");
  put_file (text_get (&sub), "c.json", "{\"type\":\"string\",\"description\":\"from c\"}");
  CU_ASSERT (build_file (folder, ""));
  CU_ASSERT (!has_tool ("a") && has_tool ("d"));
  CU_ASSERT (build_file (folder, ",\"external_refs\":true"));
  CU_ASSERT (has_tool ("a") && !has_tool ("b") && !has_tool ("c") && has_tool ("d"));
  CU_ASSERT (told_part ("definition", "a",
                        "\"c.json\":{\"type\":\"string\",\"description\":\"from c\"}",
                        toolhost_mock_definition (mock, "a")));
  CU_ASSERT (
    told_part ("log", "b", "leads out of the document's folder", toolhost_mock_log (mock)));
  CU_ASSERT (
    told_part ("log", "c", "leads to a server: that is blocked", toolhost_mock_log (mock)));
  text_addf (&command, "rm -r '%s'", folder);
  CU_ASSERT_EQUAL (system (text_get (&command)), 0);
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
a_call_of_what_was_found (void)
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
  { "S3-14 an operation is a tool", S3_14_an_operation_is_a_tool },
  { "schemas are rewritten", schemas_are_rewritten },
  { "names and descriptions of the operator", names_and_descriptions_of_the_operator },
  { "which operations are wanted", which_operations_are_wanted },
  { "T3-19 U3-15 operations that are left out", T3_19_U3_15_operations_that_are_left_out },
  { "documents that are none", documents_that_are_none },
  { "each slip has its pointer", each_slip_has_its_pointer },
  { "more operations than tools", more_operations_than_tools },
  { "U3-16 U3-17 a call is a request", U3_16_U3_17_a_call_is_a_request },
  { "U3-17 what is missing has its sentence", U3_17_what_is_missing_has_its_sentence },
  { "a required parameter with a default", a_required_parameter_with_a_default },
  { "T3-19 members of a body as arguments", T3_19_members_of_a_body_as_arguments },
  { "headers, cookies, and names that clash", headers_cookies_and_names_that_clash },
  { "U3-18 answers that are none", U3_18_answers_that_are_none },
  { "what of an answer is told", what_of_an_answer_is_told },
  { "what was not told is said", what_was_not_told_is_said },
  { "answers that are no text", answers_that_are_no_text },
  { "credentials are the operator's", credentials_are_the_operators },
  { "one way of several will do", one_way_of_several_will_do },
  { "a key is no argument", a_key_is_no_argument },
  { "T3-19 U3-18 references to files are opted in", T3_19_U3_18_references_to_files_are_opted_in },
  { "a service that is searched", a_service_that_is_searched },
  { "a call of what was found", a_call_of_what_was_found },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "openapi", start, stop, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };
TAP_MAIN (suites)
