/* The feature "openapi": documents that become tools, and what is left out of them. */
#include <sys/stat.h>
#include <unistd.h>

#include "openapi/test_rig.h"

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
path_items_and_bodies_by_reference (void)
{
  CU_ASSERT_FATAL (built (
    DOCUMENT (
      "3.1.0", "\"/a\":{\"$ref\":\"#/components/pathItems/A\"}",
      ",\"components\":{\"pathItems\":{\"A\":{\"post\":{\"operationId\":\"a\",\"requestBody\":"
      "{\"$ref\":\"#/components/requestBodies/B\"}}}},\"requestBodies\":{\"B\":{\"content\":"
      "{\"application/json\":{\"schema\":{\"type\":\"array\"}}}}}}"),
    ""));
  CU_ASSERT (told_part ("definition", "a", "\"properties\":{\"body\":{\"type\":\"array\"}}",
                        toolhost_mock_definition (mock, "a")));
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
a_service_that_fails_harms_no_other (void)
{
  static const char config[] = "{\"services\":[{\"name\":\"bad\",\"document\":{}%s},"
                               "{\"name\":\"good\",\"document\":%s}]}";
  CLEANUP_TEXT struct text lenient = { 0 }, strict = { 0 };

  text_addf (&lenient, config, "", pets);
  text_addf (&strict, config, ",\"strict\":true", pets);
  CU_ASSERT_EQUAL (toolhost_mock_build (mock, "openapi", text_get (&lenient)), TOOLHOST_OK);
  CU_ASSERT (has_tool ("listPets"));
  CU_ASSERT (told_part ("log", "bad",
                        "openapi_service_failed {\"service\":\"bad\",\"why\":\"expected an",
                        toolhost_mock_log (mock)));
  CU_ASSERT_EQUAL (toolhost_mock_build (mock, "openapi", text_get (&strict)), TOOLHOST_FAILED);
  CU_ASSERT (told_part ("error", "bad", "/services/0/document: expected an OpenAPI document",
                        toolhost_mock_error ()));
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
T3_19_12_U3_18_references_to_files_are_opted_in (void)
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

static CU_TestInfo tests[] = {
  { "S3-14 an operation is a tool", S3_14_an_operation_is_a_tool },
  { "schemas are rewritten", schemas_are_rewritten },
  { "names and descriptions of the operator", names_and_descriptions_of_the_operator },
  { "which operations are wanted", which_operations_are_wanted },
  { "T3-19 U3-15 operations that are left out", T3_19_U3_15_operations_that_are_left_out },
  { "path items and bodies by reference", path_items_and_bodies_by_reference },
  { "documents that are none", documents_that_are_none },
  { "a service that fails harms no other", a_service_that_fails_harms_no_other },
  { "each slip has its pointer", each_slip_has_its_pointer },
  { "more operations than tools", more_operations_than_tools },
  { "credentials are the operator's", credentials_are_the_operators },
  { "one way of several will do", one_way_of_several_will_do },
  { "a key is no argument", a_key_is_no_argument },
  { "T3-19.12 U3-18 references to files are opted in",
    T3_19_12_U3_18_references_to_files_are_opted_in },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "openapi", start, stop, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };
TAP_MAIN (suites)
