#include "schema_rig.h"

#include "base/json_write.h"

/* What the report says, a line "pointer: message" per problem; "" for a valid value. */
static void
say (struct buf *out, const struct schema *schema, const char *value)
{
  CLEANUP_ARENA struct arena a = { 0 };
  struct schema_report report = { 0 };
  struct json_tape tape;

  out->len = 0;
  read_good (&tape, value, strlen (value), &a);
  if (!schema_validate (schema, &tape, json_root (&tape), &report, &a)) {
    CU_ASSERT (report.count != 0);
    CU_ASSERT_FALSE (schema_validate (schema, &tape, json_root (&tape), NULL, NULL));
  }
  for (size_t i = 0; i < report.count; i++)
    buf_printf (out, "%s%s: %s", i != 0 ? "\n" : "", report.problems[i].pointer,
                report.problems[i].message);
  if (report.more != 0)
    buf_printf (out, "\n+%zu", report.more);
  (void) buf_cstr (out);
}

static void
expect (const char *schema_text, const char *value, const char *expected)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct schema *schema = compile_good (schema_text);

  say (&out, schema, value);
  if (strcmp (out.data, expected) != 0) {
    printf ("# %s\n# says: %s\n# not:  %s\n", value, out.data, expected);
    CU_FAIL ("another report");
  }
  schema_free (schema);
}

/* ---- what is refused when compiled ---- */

static const struct {
  const char *schema;
  const char *error;
} refused[] = {
  { "5", "expected a schema: an object, true or false" },
  { "{\"properties\":{\"a/b\":{\"items\":7}}}",
    "/properties/a~1b/items: expected a schema: an object, true or false" },
  { "{\"type\":\"int\"}",
    "/type: expected null, boolean, integer, number, string, array or object" },
  { "{\"type\":[]}", "/type: expected one or more types" },
  { "{\"type\":[\"string\",1]}",
    "/type/1: expected null, boolean, integer, number, string, array or object" },
  { "{\"enum\":1}", "/enum: expected an array of values" },
  { "{\"minLength\":-1}", "/minLength: expected a non-negative integer" },
  { "{\"maxItems\":1.5}", "/maxItems: expected a non-negative integer" },
  { "{\"minimum\":\"1\"}", "/minimum: expected a number" },
  { "{\"exclusiveMinimum\":true}",
    "/exclusiveMinimum: expected a number (true and false are of draft-04)" },
  { "{\"multipleOf\":0}", "/multipleOf: expected a number above 0" },
  { "{\"multipleOf\":-2}", "/multipleOf: expected a number above 0" },
  { "{\"multipleOf\":1234567890123456789}", "/multipleOf: at most 18 digits are supported" },
  { "{\"pattern\":1}", "/pattern: expected a regular expression" },
  { "{\"properties\":{\"a\":{\"pattern\":\"(\"}}}",
    "/properties/a/pattern: bad pattern: missing closing parenthesis" },
  { "{\"patternProperties\":{\"[\":true}}", "/patternProperties/[: bad pattern: [ without ]" },
  { "{\"items\":[true]}", "/items: expected a schema (an array is of draft-07; since 2020-12 it is "
                          "prefixItems)" },
  { "{\"prefixItems\":[]}", "/prefixItems: expected an array of one or more schemas" },
  { "{\"uniqueItems\":1}", "/uniqueItems: expected true or false" },
  { "{\"properties\":[]}", "/properties: expected an object of schemas" },
  { "{\"required\":\"a\"}", "/required: expected an array of names" },
  { "{\"required\":[1]}", "/required: expected an array of names" },
  { "{\"dependentRequired\":{\"a\":{}}}", "/dependentRequired/a: expected an array of names" },
  { "{\"allOf\":[]}", "/allOf: expected an array of one or more schemas" },
  { "{\"not\":null}", "/not: expected a schema: an object, true or false" },
  { "{\"$ref\":1}", "/$ref: expected a reference" },
  { "{\"$ref\":\"#/$defs/none\"}", "/$ref: the reference leads nowhere" },
  { "{\"$ref\":\"#none\"}", "/$ref: the reference leads nowhere" },
  { "{\"$ref\":\"#/type\",\"type\":\"object\"}",
    "/type: expected a schema: an object, true or false" },
  { "{\"items\":{\"$ref\":\"https://example.com/other.json\"}}",
    "/items/$ref: the reference leads out of the schema, to a document that is not known "
    "(nothing is fetched from the network)" },
  { "{\"$ref\":\"other.json#/a\"}",
    "/$ref: the reference leads out of the schema, to a document that is not known "
    "(nothing is fetched from the network)" },
  { "{\"$ref\":\"#\"}", "references in a circle that never goes into the value" },
  { "{\"anyOf\":[{\"$ref\":\"#/$defs/a\"}],\"$defs\":{\"a\":{\"not\":{\"$ref\":\"#\"}}}}",
    "/$defs/a/not: references in a circle that never goes into the value" },
  { "{\"$dynamicRef\":\"#a\"}", "/$dynamicRef: the reference leads nowhere" },
  { "{\"$dynamicRef\":\"#\"}", "references in a circle that never goes into the value" },
  { "{\"$schema\":5}", "/$schema: expected the URI of a dialect" },
  { "{\"$schema\":\"http://json-schema.org/draft-03/schema#\"}",
    "/$schema: unknown dialect \"http://json-schema.org/draft-03/schema\"; supported are "
    "https://json-schema.org/draft/2020-12/schema, 2019-09, draft-07, draft-06 and draft-04" },
  { "{\"$schema\":\"http:\\t<x>\"}",
    "/$schema: unknown dialect \"http: ‹x›\"; supported are "
    "https://json-schema.org/draft/2020-12/schema, 2019-09, draft-07, draft-06 and draft-04" },
  { "{\"$id\":\"a#b\"}", "/$id: a fragment in $id is not allowed; $anchor names a place" },
  { "{\"format\":1}", "/format: expected the name of a format" },
  { "{\"$schema\":\"http://json-schema.org/draft-04/schema#\",\"exclusiveMinimum\":1}",
    "/exclusiveMinimum: expected true or false (a number is of draft-06 and later)" },
  { "{\"$anchor\":\"\"}", "/$anchor: expected a name" },
  { "{\"items\":{\"$anchor\":\"x\"},\"not\":{\"$anchor\":\"x\"}}",
    "/not: the anchor \"x\" is there twice" },
};

static void
test_refused_schemas (void)
{
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    struct error err = { 0 };
    struct schema *schema = compile (refused[i].schema, &err);
    if (schema == NULL && strcmp (err.text, refused[i].error) == 0)
      continue;
    printf ("# %s: %s\n", refused[i].schema, schema != NULL ? "accepted" : err.text);
    CU_FAIL ("not refused as expected");
    schema_free (schema);
  }
}

/* Annotations, keywords of other dialects, and data that looks like a schema. */
static void
test_what_says_nothing_is_ignored (void)
{
  static const char *const schemas[] = {
    "{\"title\":1,\"default\":{\"$ref\":\"x\"},\"examples\":[{\"type\":\"no\"}],\"x-any\":[]}",
    "{\"format\":\"email\",\"contentMediaType\":\"a/b\",\"deprecated\":true}",
    "{\"enum\":[{\"$ref\":\"nowhere\",\"$id\":\"a#b\"}]}",
    "{\"properties\":{\"$ref\":{\"type\":\"string\"},\"enum\":{}}}",
    "{" DRAFT_07 "\"prefixItems\":5,\"dependentRequired\":5,\"$anchor\":5}",
    "{" DRAFT_07 "\"$ref\":\"#/definitions/a\",\"type\":5,\"definitions\":{\"a\":{}}}",
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"additionalItems\":5}",
    "{\"$schema\":\"http://json-schema.org/draft-06/schema#\",\"if\":5}",
    "{\"then\":false,\"else\":false,\"minContains\":9}"
  };

  for (size_t i = 0; i < sizeof schemas / sizeof *schemas; i++)
    schema_free (compile_good (schemas[i]));
}

/* `count` times `open`, then `inside`, then `count` times `close`. */
static void
nest (struct buf *b, unsigned count, const char *open, const char *inside, const char *close)
{
  b->len = 0;
  for (unsigned i = 0; i < count; i++)
    buf_puts (b, open);
  buf_puts (b, inside);
  for (unsigned i = 0; i < count; i++)
    buf_puts (b, close);
  (void) buf_cstr (b);
}

static void
expect_refused (const char *schema_text, const char *reason)
{
  struct error err = { 0 };
  struct schema *schema = compile (schema_text, &err);

  CU_ASSERT_PTR_NULL (schema);
  if (strstr (err.text, reason) == NULL) {
    printf ("# %s\n", err.text);
    CU_FAIL ("another reason");
  }
  schema_free (schema);
}

static void
test_caps (void)
{
  CLEANUP_BUF struct buf b = { 0 };

  nest (&b, 32, "{\"items\":", "{}", "}");
  schema_free (compile_good (b.data));
  nest (&b, 33, "{\"items\":", "{}", "}");
  expect_refused (b.data, "too deep: subschemas in subschemas more than 32 levels");

  b.len = 0;
  buf_puts (&b, "{\"anyOf\":[{}");
  for (int i = 0; i < 1998; i++)
    buf_puts (&b, ",{}");
  buf_puts (&b, "]}");
  schema_free (compile_good (buf_cstr (&b)));
  b.len -= 2;
  buf_puts (&b, ",{}]}");
  expect_refused (buf_cstr (&b), "too large: more than 2000 subschemas");

  b.len = 0;
  buf_puts (&b, "{\"$ref\":\"#/$defs/d0\",\"$defs\":{");
  for (int i = 0; i < 70; i++)
    buf_printf (&b, "\"d%d\":{\"$ref\":\"#/$defs/d%d\"},", i, i + 1);
  buf_puts (&b, "\"d70\":{}}}");
  expect_refused (buf_cstr (&b), "more than 64 references and combinations in a row");

  /* 2^30 ways through 30 definitions */
  b.len = 0;
  buf_puts (&b, "{\"$ref\":\"#/$defs/d0\",\"$defs\":{");
  for (int i = 0; i < 30; i++)
    buf_printf (&b, "\"d%d\":{\"allOf\":[{\"$ref\":\"#/$defs/d%d\"},{\"$ref\":\"#/$defs/d%d\"}]},",
                i, i + 1, i + 1);
  buf_puts (&b, "\"d30\":{\"type\":\"null\"}}}");
  expect_refused (buf_cstr (&b), "too costly: more than 10000 subschemas would look at one value");

  b.len = 0;
  buf_puts (&b, "{\"allOf\":[");
  for (int i = 0; i < 400; i++)
    buf_printf (&b, "{\"pattern\":\"(?:a{1,100}b%d\\\\1){1,90}(x)\"},", i);
  buf_puts (&b, "{}]}");
  expect_refused (buf_cstr (&b), "the patterns of the schema take more than 1024 KiB");
}

/* The schema may stand anywhere in a document, and the document may go. */
static void
test_schema_within_a_document (void)
{
  static const char text[] = "{\"tools\":[{\"inputSchema\":{\"$ref\":\"#/$defs/a\","
                             "\"$defs\":{\"a\":{\"enum\":[\"x\"]}}}}]}";
  CLEANUP_ARENA struct arena a = { 0 };
  CLEANUP_BUF struct buf out = { 0 };
  char *copy = xstrdup (text);
  struct json_tape tape;
  struct schema *schema;

  read_good (&tape, copy, strlen (copy), &a);
  schema = schema_compile (
    &tape, json_pointer (&tape, json_root (&tape), "/tools/0/inputSchema", 20), NULL, NULL);
  CU_ASSERT_PTR_NOT_NULL_FATAL (schema);
  memset (copy, '!', sizeof text - 1);
  free (copy);
  say (&out, schema, "\"x\"");
  CU_ASSERT_STRING_EQUAL (out.data, "");
  say (&out, schema, "\"y\"");
  CU_ASSERT_STRING_EQUAL (out.data, ": expected \"x\"; got string \"y\"");
  schema_free (schema);
}

/* ---- bounds ---- */

static void
test_a_valid_value_allocates_nothing (void)
{
  static const char text[] =
    "{\"type\":\"object\",\"properties\":{\"s\":{\"type\":\"string\",\"minLength\":1,"
    "\"pattern\":\"^[a-z\\\\n]+$\"},\"e\":{\"enum\":[\"a\",\"b\",1]},\"n\":{\"type\":\"integer\","
    "\"multipleOf\":3},\"l\":{\"uniqueItems\":true,\"items\":{\"type\":\"number\"},"
    "\"contains\":{\"const\":2}},\"o\":{\"oneOf\":[{\"type\":\"null\"},{\"$ref\":\"#\"}]}},"
    "\"patternProperties\":{\"^x-\":true},\"additionalProperties\":false,\"required\":[\"s\"]}";
  static const char value[] =
    "{\"s\":\"ab\\n\",\"e\":1.0,\"n\":9,\"l\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14],"
    "\"x-y\":0,\"o\":{\"s\":\"x\",\"o\":null}}";
  CLEANUP_ARENA struct arena a = { 0 };
  struct arena untouched = { 0 };
  struct schema_report report = { 0 };
  struct schema *schema = compile_good (text);
  struct json_tape tape;

  read_good (&tape, value, strlen (value), &a);
  CU_ASSERT (schema_validate (schema, &tape, json_root (&tape), &report, &untouched));
  CU_ASSERT_PTR_NULL (untouched.blocks);
  CU_ASSERT_EQUAL (report.count, 0);
  schema_free (schema);
}

static void
expect_too_costly (const char *schema_text, const char *value)
{
  expect (schema_text, value,
          ": too costly to check against the schema; send less, or a simpler value");
}

static void
test_cost_is_bounded (void)
{
  CLEANUP_BUF struct buf schema = { 0 };
  CLEANUP_BUF struct buf value = { 0 };

  /* 2^30 ways through 30 definitions, one level of the value for each */
  buf_puts (&schema, "{\"$ref\":\"#/$defs/d0\",\"$defs\":{");
  for (int i = 0; i < 30; i++)
    buf_printf (&schema,
                "\"d%d\":{\"allOf\":[{\"items\":{\"$ref\":\"#/$defs/d%d\"}},"
                "{\"items\":{\"$ref\":\"#/$defs/d%d\"}}]},",
                i, i + 1, i + 1);
  buf_puts (&schema, "\"d30\":{\"type\":\"null\"}}}");
  nest (&value, 30, "[", "null", "]");
  expect_too_costly (buf_cstr (&schema), buf_cstr (&value));
  /* giving up is no reason for "not" to be content */
  schema.len = value.len = 0;
  buf_puts (&schema, "{\"not\":{\"pattern\":\"^(a+)+\\\\1b!$\"}}");
  buf_putc (&value, '"');
  for (int i = 0; i < 50000; i++)
    buf_putc (&value, 'a');
  buf_puts (&value, "!\"");
  expect (buf_cstr (&schema), buf_cstr (&value),
          ": pattern too costly to check against the schema; send shorter text");
}

/* Labels of other scripts cost more than other text. */
static void
test_host_names_of_other_scripts (void)
{
  CLEANUP_BUF struct buf value = { 0 };

  buf_putc (&value, '[');
  for (int i = 0; i < 2000; i++)
    buf_printf (&value, "%s\"xn--ihqwcrb4cv8a8dqg056pqjye.example\"", i != 0 ? "," : "");
  buf_putc (&value, ']');
  expect_too_costly ("{\"items\":{\"format\":\"hostname\"}}", buf_cstr (&value));
}

static void
test_large_values_are_affordable (void)
{
  CLEANUP_BUF struct buf value = { 0 };

  buf_putc (&value, '[');
  for (int i = 0; i < 20000; i++)
    buf_printf (&value, "%s{\"id\":%d,\"name\":\"item %d\",\"tags\":[\"a\",\"b\"]}",
                i != 0 ? "," : "", i, i);
  buf_putc (&value, ']');
  expect ("{\"type\":\"array\",\"uniqueItems\":true,\"items\":{\"type\":\"object\",\"properties\":{"
          "\"id\":{\"type\":\"integer\",\"minimum\":0},\"name\":{\"type\":\"string\","
          "\"maxLength\":20},\"tags\":{\"type\":\"array\",\"items\":{\"enum\":[\"a\",\"b\"]}}},"
          "\"required\":[\"id\",\"name\"],\"additionalProperties\":false}}",
          buf_cstr (&value), "");
}

static void
test_equal_items_among_many (void)
{
  CLEANUP_BUF struct buf value = { 0 };

  buf_putc (&value, '[');
  for (int i = 0; i < 5000; i++)
    buf_printf (&value, "{\"a\":%d,\"b\":\"%d\"},", i, i);
  buf_puts (&value, "{\"b\":\"4321\",\"a\":4.321e3}]");
  expect ("{\"uniqueItems\":true}", buf_cstr (&value),
          "/5000: equal to item 4321; each item may be there only once");
}

/* A schema that goes ever deeper into a value is followed as far as values go. */
static void
test_deep_values (void)
{
  CLEANUP_BUF struct buf value = { 0 };
  CLEANUP_BUF struct buf expected = { 0 };

  nest (&value, 250, "[", "", "]");
  expect ("{\"items\":{\"$ref\":\"#\"}}", value.data, "");
  nest (&value, 250, "[", "1", "]");
  nest (&expected, 250, "/0",
        ": expected array, got integer 1 (send an array, if only of one item)", "");
  expect ("{\"type\":\"array\",\"items\":{\"$ref\":\"#\"}}", value.data, expected.data);
  nest (&value, 900, "[", "", "]");
  expect_too_costly ("{\"items\":{\"$ref\":\"#\"}}", value.data);
}

static CU_TestInfo compiling[] = { { "refused schemas", test_refused_schemas },
                                   { "what says nothing is ignored",
                                     test_what_says_nothing_is_ignored },
                                   { "caps", test_caps },
                                   { "a schema within a document", test_schema_within_a_document },
                                   CU_TEST_INFO_NULL };
/* ---- dialects other than those the suites here cover ---- */

#define DRAFT_04 "\"$schema\":\"http://json-schema.org/draft-04/schema#\","
#define DRAFT_06 "\"$schema\":\"http://json-schema.org/draft-06/schema#\","
#define DRAFT_2019 "\"$schema\":\"https://json-schema.org/draft/2019-09/schema\","

static const struct {
  const char *schema;
  const char *value;
  bool valid;
} of_dialects[] = {
  { "{" DRAFT_04 "\"minimum\":3,\"exclusiveMinimum\":true}", "3", false },
  { "{" DRAFT_04 "\"minimum\":3,\"exclusiveMinimum\":false}", "3", true },
  { "{" DRAFT_04 "\"type\":\"integer\"}", "1.0", false },
  { "{" DRAFT_04 "\"const\":1}", "2", true },
  { "{" DRAFT_04
    "\"id\":\"http://a.example/\",\"$ref\":\"#/definitions/n\",\"definitions\":{\"n\":{"
    "\"id\":\"#n\",\"type\":\"null\"}}}",
    "1", false },
  { "{" DRAFT_04 "\"$ref\":\"http://json-schema.org/draft-04/schema#\"}", "{\"minLength\":-1}",
    false },
  { "{" DRAFT_06 "\"type\":\"integer\"}", "1.0", true },
  { "{" DRAFT_06 "\"if\":true,\"then\":false}", "1", true },
  { "{" DRAFT_06 "\"contains\":{\"const\":1}}", "[2]", false },
  { "{" DRAFT_06 "\"$ref\":\"#/definitions/n\",\"type\":\"object\",\"definitions\":{\"n\":{}}}",
    "1", true },
  { "{" DRAFT_2019 "\"$recursiveAnchor\":true,\"properties\":{\"a\":{\"$recursiveRef\":\"#\"}},"
    "\"additionalProperties\":false}",
    "{\"a\":{\"b\":1}}", false },
  { "{" DRAFT_2019 "\"items\":[{\"type\":\"null\"}],\"unevaluatedItems\":false}", "[null,1]",
    false },
  { "{" DRAFT_2019 "\"contains\":{\"const\":1},\"unevaluatedItems\":false}", "[1]", false },
  { "{" DRAFT_2019 "\"$ref\":\"#/$defs/n\",\"type\":\"object\",\"$defs\":{\"n\":{}}}", "1", false },
  { "{" DRAFT_2019 "\"$ref\":\"https://json-schema.org/draft/2019-09/schema\"}", "{\"type\":1}",
    false },
  { "{" DRAFT_2019 "\"$ref\":\"https://json-schema.org/draft/2019-09/schema\"}",
    "{\"allOf\":[{\"minLength\":2}]}", true },
};

static void
test_dialects (void)
{
  for (size_t i = 0; i < sizeof of_dialects / sizeof *of_dialects; i++) {
    CLEANUP_ARENA struct arena a = { 0 };
    struct schema *schema = compile_good (of_dialects[i].schema);
    struct json_tape tape;
    read_good (&tape, of_dialects[i].value, strlen (of_dialects[i].value), &a);
    if (schema_validate (schema, &tape, json_root (&tape), NULL, NULL) != of_dialects[i].valid) {
      printf ("# %s for %s\n", of_dialects[i].schema, of_dialects[i].value);
      CU_FAIL ("wrong verdict");
    }
    schema_free (schema);
  }
}

/* Documents of the registry are found by their URI, also from one another; others are refused. */
static void
test_registry (void)
{
  static const char list[] = "{\"items\":{\"$ref\":\"name.json#/$defs/name\"}}";
  static const char name[] = "{\"$defs\":{\"name\":{\"type\":\"string\"}}}";
  struct schema_registry *registry = schema_registry_new ();
  struct schema_options options = { .registry = registry };
  CLEANUP_ARENA struct arena a = { 0 };
  struct json_tape schema_tape, tape;
  struct error err = { 0 };
  struct schema *schema;
  const char *text = "{\"$ref\":\"http://a.example/list.json\"}";

  CU_ASSERT_TRUE (
    schema_registry_add (registry, "http://a.example/list.json", list, strlen (list), &err));
  read_good (&schema_tape, text, strlen (text), &a);
  CU_ASSERT_PTR_NULL (schema_compile (&schema_tape, json_root (&schema_tape), &options, &err));
  CU_ASSERT_PTR_NOT_NULL (strstr (err.text, "http://a.example/list.json/items/$ref: "));
  err = (struct error){ 0 };
  CU_ASSERT_TRUE (
    schema_registry_add (registry, "http://a.example/name.json", name, strlen (name), &err));
  CU_ASSERT_FALSE (
    schema_registry_add (registry, "http://a.example/name.json", name, strlen (name), &err));
  CU_ASSERT_FALSE (schema_registry_add (registry, "http://b.example/", "{,}", 3, &err));
  schema = schema_compile (&schema_tape, json_root (&schema_tape), &options, &err);
  CU_ASSERT_PTR_NOT_NULL_FATAL (schema);
  schema_registry_free (registry);
  read_good (&tape, "[\"a\"]", 5, &a);
  CU_ASSERT_TRUE (schema_validate (schema, &tape, json_root (&tape), NULL, NULL));
  read_good (&tape, "[1]", 3, &a);
  CU_ASSERT_FALSE (schema_validate (schema, &tape, json_root (&tape), NULL, NULL));
  schema_free (schema);
}

static CU_TestInfo bounds[] = { { "a valid value allocates nothing",
                                  test_a_valid_value_allocates_nothing },
                                { "cost is bounded", test_cost_is_bounded },
                                { "host names of other scripts", test_host_names_of_other_scripts },
                                { "large values are affordable", test_large_values_are_affordable },
                                { "equal items among many", test_equal_items_among_many },
                                { "deep values", test_deep_values },
                                CU_TEST_INFO_NULL };
static CU_TestInfo dialects[] = { { "drafts", test_dialects },
                                  { "registry", test_registry },
                                  CU_TEST_INFO_NULL };
static CU_SuiteInfo suites[] = { { "dialects", NULL, NULL, NULL, NULL, dialects },
                                 { "compiling", NULL, NULL, NULL, NULL, compiling },
                                 { "bounds", NULL, NULL, NULL, NULL, bounds },
                                 CU_SUITE_INFO_NULL };

TAP_MAIN (suites)
