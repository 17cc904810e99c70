#include "tap.h"

#include "base/json_write.h"
#include "data.h"
#include "schema/schema.h"

#define DRAFT_07 "\"$schema\":\"http://json-schema.org/draft-07/schema#\","

static void
read_good (struct json_tape *tape, const char *text, size_t len, struct arena *a)
{
  static const struct json_limits limits = {
    .depth = 1000, .nodes = 1000000, .members = 100000, .number_len = 4096
  };

  if (!json_read (tape, text, len, &limits, a)) {
    printf ("# %.80s: %s at %zu\n", text, tape->problem, tape->offset);
    CU_FAIL_FATAL ("a test's own JSON is bad");
  }
}

static struct schema *
compile (const char *text, struct error *err)
{
  CLEANUP_ARENA struct arena a = { 0 };
  struct json_tape tape;

  read_good (&tape, text, strlen (text), &a);
  return schema_compile (&tape, json_root (&tape), err);
}

static struct schema *
compile_good (const char *text)
{
  struct error err = { 0 };
  struct schema *schema = compile (text, &err);

  if (schema == NULL) {
    printf ("# %s\n", err.text);
    CU_FAIL_FATAL ("a good schema was refused");
  }
  return schema;
}

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
  { "{\"pattern\":\"(a)\\\\1\"}",
    "/pattern: back references and octal escapes are not supported in patterns" },
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
    "/items/$ref: the reference leads out of the schema, which is not supported" },
  { "{\"$ref\":\"other.json#/a\"}",
    "/$ref: the reference leads out of the schema, which is not supported" },
  { "{\"$ref\":\"#\"}", "references in a circle that never goes into the value" },
  { "{\"anyOf\":[{\"$ref\":\"#/$defs/a\"}],\"$defs\":{\"a\":{\"not\":{\"$ref\":\"#\"}}}}",
    "/$defs/a/not: references in a circle that never goes into the value" },
  { "{\"$dynamicRef\":\"#a\"}", "/$dynamicRef: the keyword $dynamicRef is not supported" },
  { "{\"$recursiveRef\":\"#\"}", "/$recursiveRef: the keyword $recursiveRef is not supported" },
  { "{\"allOf\":[{\"unevaluatedProperties\":false}]}",
    "/allOf/0/unevaluatedProperties: the keyword unevaluatedProperties is not supported" },
  { "{\"unevaluatedItems\":false}",
    "/unevaluatedItems: the keyword unevaluatedItems is not supported" },
  { "{\"$vocabulary\":{}}", "/$vocabulary: the keyword $vocabulary is not supported" },
  { "{\"$schema\":\"http://json-schema.org/draft-04/schema#\"}",
    "/$schema: unknown dialect; supported are https://json-schema.org/draft/2020-12/schema, "
    "draft-07 and draft-06" },
  { "{\"$schema\":5}",
    "/$schema: unknown dialect; supported are https://json-schema.org/draft/2020-12/schema, "
    "draft-07 and draft-06" },
  { "{\"items\":{\"$schema\":\"http://json-schema.org/draft-07/schema#\"}}",
    "/items/$schema: one schema of two dialects" },
  { "{\"$id\":\"a#b\"}", "/$id: a fragment in $id is not supported" },
  { "{\"$anchor\":\"\"}", "/$anchor: expected a name" },
  { "{\"items\":{\"$anchor\":\"x\"},\"not\":{\"$anchor\":\"x\"}}",
    "/not/$anchor: this anchor is there twice" },
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
  expect_refused (b.data, "subschemas nested deeper than 32");

  b.len = 0;
  buf_puts (&b, "{\"anyOf\":[{}");
  for (int i = 0; i < 1998; i++)
    buf_puts (&b, ",{}");
  buf_puts (&b, "]}");
  schema_free (compile_good (buf_cstr (&b)));
  b.len -= 2;
  buf_puts (&b, ",{}]}");
  expect_refused (buf_cstr (&b), "more than 2000 subschemas");

  b.len = 0;
  buf_puts (&b, "{\"$ref\":\"#/$defs/d0\",\"$defs\":{");
  for (int i = 0; i < 70; i++)
    buf_printf (&b, "\"d%d\":{\"$ref\":\"#/$defs/d%d\"},", i, i + 1);
  buf_puts (&b, "\"d70\":{}}}");
  expect_refused (buf_cstr (&b), "more than 64 references and combinations in a row");

  b.len = 0;
  buf_puts (&b, "{\"allOf\":[");
  for (int i = 0; i < 400; i++)
    buf_printf (&b, "{\"pattern\":\"(?:a{1,100}b%d){1,90}\"},", i);
  buf_puts (&b, "{}]}");
  expect_refused (buf_cstr (&b), "the patterns of the schema take more than 1024 KiB");
}

/* ---- what is said about values ---- */

static void
test_types (void)
{
  expect ("{\"type\":\"integer\"}", "5.0", "");
  expect ("{\"type\":\"integer\"}", "1e3", "");
  expect ("{\"type\":\"integer\"}", "1.5", ": expected integer, got number 1.5");
  expect ("{\"type\":\"integer\"}", "\"5\"",
          ": expected integer, got string \"5\" (send 5 without quotes)");
  expect ("{\"type\":\"boolean\"}", "\"true\"",
          ": expected boolean, got string \"true\" (send true without quotes)");
  expect ("{\"type\":\"boolean\"}", "\"yes\"", ": expected boolean, got string \"yes\"");
  expect ("{\"type\":\"string\"}", "5", ": expected string, got integer 5 (put it in quotes)");
  expect ("{\"type\":[\"string\",\"null\"]}", "[1,2]",
          ": expected string or null, got an array with 2 items");
  expect ("{\"type\":[\"integer\",\"number\"]}", "{}", ": expected number, got an empty object");
  expect ("{\"type\":\"array\"}", "\"a\"",
          ": expected array, got string \"a\" (send an array, if only of one item)");
  expect ("{\"type\":[\"array\",\"object\"]}", "\"{\\\"a\\\":[1]}\"",
          ": expected array or object, got string \"{\"a\":[1]}\" (send the object itself, not as "
          "text)");
  expect ("{\"type\":\"integer\",\"minimum\":1,\"maximum\":9}", "null",
          ": expected integer at least 1 and at most 9, got null");
  expect ("{\"properties\":{\"a\":{\"type\":\"integer\"}}}", "{\"a\":null}",
          "/a: expected integer, got null (leave it out instead)");
  expect ("{\"properties\":{\"a\":{\"type\":\"integer\"}},\"required\":[\"a\"]}", "{\"a\":null}",
          "/a: expected integer, got null");
  expect ("false", "1", ": nothing is allowed here");
}

static void
test_values (void)
{
  expect ("{\"enum\":[\"web\",\"mobile\",5]}", "\"Web\"",
          ": expected one of \"web\", \"mobile\", 5; got string \"Web\" (did you mean \"web\"?)");
  expect ("{\"enum\":[\"in_progress\"]}", "\"in-progress\"",
          ": expected \"in_progress\"; got string \"in-progress\" (did you mean \"in_progress\"?)");
  expect ("{\"type\":\"string\",\"enum\":[\"a\",\"b\"]}", "7",
          ": expected one of \"a\", \"b\"; got integer 7");
  expect ("{\"const\":{\"a\":1}}", "{\"a\":2}",
          ": expected an object with 1 member; got an object with 1 member");
  expect ("{\"const\":\"x\"}", "\"y\"", ": expected \"x\"; got string \"y\"");
  expect ("{\"enum\":[]}", "1", ": expected nothing (the enum is empty); got integer 1");
  expect ("{\"enum\":[1.0,{\"b\":[2],\"a\":1}]}", "{\"a\":1,\"b\":[2e0]}", "");
  expect ("{\"enum\":[\"a\\u0062\"]}", "\"\\u0061b\"", "");
}

static void
test_numbers (void)
{
  const char *range = "{\"minimum\":0.5,\"exclusiveMaximum\":10}";

  expect (range, "0.5", "");
  expect (range, "9.999999999999999999999999", "");
  expect (range, "10", ": expected number at least 0.5 and below 10, got 10");
  expect ("{\"type\":\"integer\",\"multipleOf\":5}", "7",
          ": expected integer a multiple of 5, got 7");
  expect ("{\"maximum\":9007199254740992}", "9007199254740993",
          ": expected number at most 9007199254740992, got 9007199254740993");
  expect ("{\"maximum\":9223372036854775807}", "9223372036854775808",
          ": expected number at most 9223372036854775807, got 9223372036854775808");
  expect ("{\"minimum\":1e400}", "1e401", "");
  expect ("{\"multipleOf\":0.1}", "0.3", "");
  expect ("{\"multipleOf\":0.01}", "1e999999999999", "");
  expect ("{\"multipleOf\":7}", "1e99999999999999999999",
          ": expected number a multiple of 7, got 1e99999999999999999999");
}

static void
test_strings (void)
{
  expect ("{\"minLength\":2,\"maxLength\":3}", "\"😀😀\"", "");
  expect ("{\"minLength\":2,\"maxLength\":3}", "\"\\ud83d\\ude00\"",
          ": expected 2 to 3 characters, got 1: string \"😀\"");
  expect ("{\"maxLength\":1}", "\"ab\"", ": expected at most 1 character, got 2: string \"ab\"");
  expect ("{\"minLength\":1}", "\"\"", ": expected at least 1 character, got 0: string \"\"");
  expect ("{\"minLength\":1e30}", "\"abc\"",
          ": expected at least 4294967295 characters, got 3: string \"abc\"");
  expect ("{\"pattern\":\"^\\\\d+$\",\"description\":\"Digits only. Ever.\"}", "\"a\"",
          ": expected text that matches the pattern ^\\d+$ (Digits only), got string \"a\"");
  expect ("{\"pattern\":\"^a\\nb$\"}", "\"a\\u000ab\"", "");
}

static void
test_arrays (void)
{
  expect ("{\"minItems\":2,\"maxItems\":2}", "[1]", ": expected exactly 2 items, got 1");
  expect ("{\"items\":{\"type\":\"string\"}}", "[1,\"a\",2]",
          "/0: expected string, got integer 1 (put it in quotes)\n"
          "/2: expected string, got integer 2 (put it in quotes)");
  expect ("{\"items\":{\"type\":\"null\"}}", "[1,2,3,4,5]",
          "/0: expected null, got integer 1\n/1: expected null, got integer 2\n"
          "/2: expected null, got integer 3\n+2");
  expect ("{\"prefixItems\":[true,{\"type\":\"null\"}],\"items\":false}", "[1,2,3]",
          "/1: expected null, got integer 2\n/2: nothing is allowed here");
  expect ("{" DRAFT_07 "\"items\":[true],\"additionalItems\":{\"type\":\"null\"}}", "[1,2]",
          "/1: expected null, got integer 2");
  expect ("{" DRAFT_07 "\"items\":true,\"additionalItems\":false}", "[1,2]", "");
  expect ("{\"contains\":{\"const\":1,\"description\":\"The one.\"},\"maxContains\":2}", "[1,1,1]",
          ": expected 1 to 2 items that fit \"contains\" (The one.), got 3");
  expect ("{\"contains\":{\"const\":1},\"minContains\":0}", "[]", "");
  expect ("{\"uniqueItems\":true}", "[1,{\"a\":1,\"b\":2},\"x\",{\"b\":2.0,\"a\":1}]",
          "/3: equal to item 1; each item may be there only once");
}

static void
test_objects (void)
{
  const char *closed = "{\"properties\":{\"priority\":{\"type\":\"integer\"},\"user_id\":{}},"
                       "\"additionalProperties\":false}";

  expect (closed, "{\"prioritiy\":1}",
          "/prioritiy: unknown property; did you mean \"priority\"? allowed here: priority, "
          "user_id");
  expect (closed, "{\"userId\":1}",
          "/userId: unknown property; did you mean \"user_id\"? allowed here: priority, user_id");
  expect (closed, "{\"zzz\":1}", "/zzz: unknown property; allowed here: priority, user_id");
  expect (closed, "{\"\\u0070riority\":1}", "");
  expect ("{\"additionalProperties\":false}", "{\"a\":1}", "/a: unknown property");
  expect ("{\"properties\":{\"name\":{\"type\":\"string\",\"description\":\"Full name. Long.\"},"
          "\"kind\":{\"enum\":[\"a\",\"b\"]}},\"required\":[\"name\",\"kind\",\"x\"]}",
          "{}",
          "/name: required string is missing (Full name)\n"
          "/kind: required property is missing: one of \"a\", \"b\"\n"
          "/x: required property is missing");
  expect ("{\"patternProperties\":{\"^n\":{\"type\":\"null\"}},\"additionalProperties\":false}",
          "{\"n\":1,\"m\":2}", "/n: expected null, got integer 1\n/m: unknown property");
  expect ("{\"propertyNames\":{\"pattern\":\"^[a-z]+$\"}}", "{\"A\":1}",
          "/A: the name of this property: expected text that matches the pattern ^[a-z]+$, got "
          "string \"A\"");
  expect ("{\"minProperties\":1}", "{}", ": expected at least 1 member, got 0");
  expect ("{\"dependentRequired\":{\"card\":[\"cvc\",\"card\"]}}", "{\"card\":1}",
          "/cvc: required because \"card\" is there, but missing");
  expect ("{\"dependentSchemas\":{\"a\":{\"required\":[\"b\"]}}}", "{\"a\":1}",
          "/b: required property is missing");
  expect ("{" DRAFT_07 "\"dependencies\":{\"a\":[\"b\"],\"c\":{\"required\":[\"d\"]}}}",
          "{\"a\":1,\"c\":1}",
          "/b: required because \"a\" is there, but missing\n/d: required property is missing");
  expect ("{\"properties\":{\"a/b\":{\"properties\":{\"~\":{\"type\":\"null\"}}}}}",
          "{\"a/b\":{\"~\":1}}", "/a~1b/~0: expected null, got integer 1");
}

static void
test_combinations (void)
{
  const char *shapes =
    "{\"oneOf\":["
    "{\"title\":\"Circle\",\"properties\":{\"kind\":{\"const\":\"circle\"},"
    "\"r\":{\"type\":\"number\"}},\"required\":[\"kind\",\"r\"]},"
    "{\"title\":\"Box\",\"properties\":{\"kind\":{\"const\":\"box\"},\"w\":{\"type\":\"number\"},"
    "\"h\":{\"type\":\"number\"}},\"required\":[\"kind\",\"w\",\"h\"]}]}";

  expect (shapes, "{\"kind\":\"box\",\"w\":1,\"h\":2}", "");
  expect (shapes, "{\"kind\":\"box\",\"r\":1}",
          "/w: matches none of 2 variants; closest is variant 2 (Box): required number is missing\n"
          "/h: required number is missing");
  expect ("{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}", "5",
          ": expected string or null, got integer 5 (put it in quotes)");
  expect ("{\"anyOf\":[{\"$ref\":\"#/$defs/o\"},{\"type\":\"null\"}],"
          "\"$defs\":{\"o\":{\"type\":\"object\",\"required\":[\"a\"]}}}",
          "{}", "/a: required property is missing");
  expect ("{\"oneOf\":[{\"minimum\":1},{\"minimum\":2},{\"type\":\"string\"}]}", "3",
          ": matches more than one of 3 variants, and must match only one: 1, 2");
  expect ("{\"allOf\":[{\"minimum\":5},{\"maximum\":1}]}", "3",
          ": expected number at least 5, got 3\n: expected number at most 1, got 3");
  expect ("{\"allOf\":[{\"minimum\":5},{\"minimum\":5}]}", "3",
          ": expected number at least 5, got 3");
  expect ("{\"not\":{\"type\":\"string\",\"description\":\"No text.\"}}", "\"a\"",
          ": the schema excludes this with \"not\" (No text.), got string \"a\"");
  expect ("{\"if\":{\"type\":\"string\"},\"then\":{\"minLength\":2},\"else\":{\"minimum\":2}}", "1",
          ": expected number at least 2, got 1");
  expect ("{\"if\":{\"type\":\"string\"},\"then\":{\"minLength\":2}}", "\"a\"",
          ": expected at least 2 characters, got 1: string \"a\"");
}

static void
test_references (void)
{
  const char *tree = "{\"$ref\":\"#/$defs/node\",\"$defs\":{\"node\":{\"type\":\"object\","
                     "\"properties\":{\"v\":{\"type\":\"integer\"},"
                     "\"next\":{\"$ref\":\"#/$defs/node\"}}}}}";

  expect (tree, "{\"v\":1,\"next\":{\"v\":2,\"next\":{}}}", "");
  expect (tree, "{\"next\":{\"next\":{\"v\":1.5}}}",
          "/next/next/v: expected integer, got number 1.5");
  expect ("{\"$ref\":\"#x\",\"$defs\":{\"a\":{\"$anchor\":\"x\",\"type\":\"null\"}}}", "1",
          ": expected null, got integer 1");
  expect ("{\"$ref\":\"#/$defs/a%25b~1c\",\"$defs\":{\"a%b/c\":{\"type\":\"null\"}}}", "1",
          ": expected null, got integer 1");
  expect ("{\"$id\":\"https://x.org/s\",\"$ref\":\"https://x.org/s#/$defs/a\","
          "\"$defs\":{\"a\":{\"type\":\"null\"}}}",
          "1", ": expected null, got integer 1");
  expect ("{\"$ref\":\"#/components/a\",\"components\":{\"a\":{\"type\":\"null\"}}}", "1",
          ": expected null, got integer 1");
  expect ("{\"$ref\":\"#/$defs/a\",\"minimum\":3,\"$defs\":{\"a\":{}}}", "1",
          ": expected number at least 3, got 1");
  expect ("{" DRAFT_07 "\"$ref\":\"#/definitions/a\",\"minimum\":3,\"definitions\":{\"a\":{}}}",
          "1", "");
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
    &tape, json_pointer (&tape, json_root (&tape), "/tools/0/inputSchema", 20), NULL);
  CU_ASSERT_PTR_NOT_NULL_FATAL (schema);
  memset (copy, '!', sizeof text - 1);
  free (copy);
  say (&out, schema, "\"x\"");
  CU_ASSERT_STRING_EQUAL (out.data, "");
  say (&out, schema, "\"y\"");
  CU_ASSERT_STRING_EQUAL (out.data, ": expected \"x\"; got string \"y\"");
  schema_free (schema);
}

/* ---- what must not be said ---- */

static void
expect_silent (const char *schema_text, const char *value)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct schema *schema = compile_good (schema_text);

  say (&out, schema, value);
  CU_ASSERT (out.len != 0);
  if (strstr (out.data, "hunter2") != NULL) {
    printf ("# %s\n", out.data);
    CU_FAIL ("a secret was told");
  }
  schema_free (schema);
}

static void
test_secrets_are_not_shown (void)
{
  static const struct {
    const char *schema;
    const char *value;
  } cases[] = {
    { "{\"properties\":{\"p\":{\"writeOnly\":true,\"maxLength\":3}}}", "{\"p\":\"hunter2\"}" },
    { "{\"properties\":{\"p\":{\"x-secret\":true,\"pattern\":\"^\\\\d$\"}}}",
      "{\"p\":\"hunter2\"}" },
    { "{\"properties\":{\"p\":{\"format\":\"password\",\"type\":\"integer\"}}}",
      "{\"p\":\"hunter2\"}" },
    { "{\"properties\":{\"p\":{\"format\":\"password\",\"enum\":[\"hunter3\"]}}}",
      "{\"p\":\"hunter2\"}" },
    { "{\"properties\":{\"p\":{\"$ref\":\"#/$defs/s\",\"not\":{}}},"
      "\"$defs\":{\"s\":{\"writeOnly\":true}}}",
      "{\"p\":\"hunter2\"}" },
    { "{\"properties\":{\"p\":{\"items\":{\"writeOnly\":true,\"type\":\"null\"}}}}",
      "{\"p\":[\"hunter2\"]}" },
    { "{\"properties\":{\"p\":{\"writeOnly\":true,"
      "\"properties\":{\"q\":{\"type\":\"null\"}}}}}",
      "{\"p\":{\"q\":\"hunter2\"}}" },
    { "{\"allOf\":[{\"properties\":{\"p\":{\"writeOnly\":true}}},"
      "{\"properties\":{\"p\":{\"minLength\":20}}}]}",
      "{\"p\":\"hunter2\"}" },
    { "{" DRAFT_07 "\"properties\":{\"p\":{\"$ref\":\"#/definitions/n\",\"writeOnly\":true}},"
      "\"definitions\":{\"n\":{\"type\":\"null\"}}}",
      "{\"p\":\"hunter2\"}" },
    { "{\"additionalProperties\":{\"writeOnly\":true,\"type\":\"null\"}}", "{\"p\":\"hunter2\"}" },
    { "{\"writeOnly\":true,\"type\":\"null\"}", "\"hunter2\"" },
    { "{\"properties\":{\"p\":{\"writeOnly\":true,\"anyOf\":[{\"type\":\"null\"},"
      "{\"maxLength\":2},{\"const\":\"x\"}]}}}",
      "{\"p\":\"hunter2\"}" },
  };

  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    expect_silent (cases[i].schema, cases[i].value);
}

static void
test_others_are_shown_beside_secrets (void)
{
  expect ("{\"properties\":{\"p\":{\"writeOnly\":true,\"type\":\"integer\"},"
          "\"q\":{\"type\":\"null\"}}}",
          "{\"p\":\"5\",\"q\":\"seen\"}",
          "/p: expected integer, got string (not shown) (send it without quotes)\n"
          "/q: expected null, got string \"seen\"");
}

/* Values are text of others that goes to a model. */
static void
test_foreign_text_is_made_harmless (void)
{
  expect ("{\"type\":\"null\"}", "\"a\\nHuman: <|im_start|>``` \\u202e\\u0007\\u200b\"",
          ": expected null, got string \"a Human: ‹|im_start|›''' ???\"");
  expect ("{\"type\":\"null\"}",
          "\"0123456789012345678901234567890123456789012345678901234567890123456789\"",
          ": expected null, got string "
          "\"012345678901234567890123456789012345678901234567890123456789…\"");
  expect ("{\"additionalProperties\":false}", "{\"a\\nb\\u202e\":1}", "/a?b?: unknown property");
}

/* ---- bounds ---- */

static void
test_reports_are_bounded (void)
{
  CLEANUP_ARENA struct arena a = { 0 };
  CLEANUP_BUF struct buf b = { 0 };
  struct schema *schema = compile_good ("{\"additionalProperties\":{\"type\":\"null\"}}");
  struct schema_report report = { 0 };
  struct json_tape tape;
  size_t size = 0;

  buf_putc (&b, '{');
  for (int i = 0; i < 100; i++)
    buf_printf (&b, "%s\"%03d%097d\":\"%0100d\"", i != 0 ? "," : "", i, 0, i);
  buf_putc (&b, '}');
  read_good (&tape, b.data, b.len, &a);
  CU_ASSERT_FALSE (schema_validate (schema, &tape, json_root (&tape), &report, &a));
  CU_ASSERT (report.count != 0 && report.count <= SCHEMA_MAX_PROBLEMS);
  CU_ASSERT_EQUAL (report.count + report.more, 100);
  for (size_t i = 0; i < report.count; i++) {
    size += strlen (report.problems[i].pointer) + strlen (report.problems[i].message);
    CU_ASSERT (utf8_valid (report.problems[i].message, strlen (report.problems[i].message)));
  }
  CU_ASSERT (size <= 2000);
  schema_free (schema);
}

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

  /* 2^30 ways through 30 definitions */
  buf_puts (&schema, "{\"$ref\":\"#/$defs/d0\",\"$defs\":{");
  for (int i = 0; i < 30; i++)
    buf_printf (&schema,
                "\"d%d\":{\"allOf\":[{\"$ref\":\"#/$defs/d%d\"},{\"$ref\":\"#/$defs/d%d\"}]},", i,
                i + 1, i + 1);
  buf_puts (&schema, "\"d30\":{\"type\":\"null\"}}}");
  expect_too_costly (buf_cstr (&schema), "null");
  /* giving up is no reason for "not" to be content */
  schema.len = 0;
  buf_puts (&schema, "{\"not\":{\"pattern\":\"^(a+)+$\"}}");
  buf_putc (&value, '"');
  for (int i = 0; i < 50000; i++)
    buf_putc (&value, 'a');
  buf_puts (&value, "!\"");
  expect_too_costly (buf_cstr (&schema), buf_cstr (&value));
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
  nest (&expected, 250, "/0", ": expected array, got integer 1", "");
  expect ("{\"type\":\"array\",\"items\":{\"$ref\":\"#\"}}", value.data, expected.data);
  nest (&value, 900, "[", "", "]");
  expect_too_costly ("{\"items\":{\"$ref\":\"#\"}}", value.data);
}

/* ---- the official suite ---- */

struct suite {
  const char *dialect; /* put in where a schema does not say its own; NULL: nothing */
  unsigned checked;
  unsigned skipped;
};

static struct schema *
compile_of_suite (const struct suite *suite, const struct json_tape *tape,
                  const struct json_node *node, struct arena *a)
{
  CLEANUP_BUF struct buf text = { 0 };
  struct json_tape own;
  size_t len;
  const char *raw = json_raw (tape, node, &len);

  if (suite->dialect == NULL || node->type != JSON_OBJECT
      || json_member (tape, node, "$schema") != NULL)
    return schema_compile (tape, node, NULL);
  buf_printf (&text, "{\"$schema\":\"%s\"%s", suite->dialect, node->count != 0 ? "," : "");
  buf_append (&text, raw + 1, len - 1);
  read_good (&own, text.data, text.len, a);
  return schema_compile (&own, json_root (&own), NULL);
}

static void
run_group (struct suite *suite, const char *file, const struct json_tape *tape,
           const struct json_node *group, struct arena *a)
{
  const struct json_node *cases = json_member (tape, group, "tests");
  struct schema *schema = compile_of_suite (suite, tape, json_member (tape, group, "schema"), a);

  if (schema == NULL) {
    suite->skipped += cases->count;
    return;
  }
  for (const struct json_node *n = json_first (cases); n != json_end (cases); n = json_next (n)) {
    struct schema_report report = { 0 };
    bool valid = json_is (json_member (tape, n, "valid"), JSON_TRUE);
    suite->checked++;
    if (schema_validate (schema, tape, json_member (tape, n, "data"), &report, a) == valid)
      continue;
    printf ("# %s: %s: %s\n", file,
            json_cstring (tape, json_member (tape, group, "description"), a),
            json_cstring (tape, json_member (tape, n, "description"), a));
    CU_FAIL ("wrong verdict");
  }
  schema_free (schema);
}

/* Files of the suite and how many of their cases must be checked: the rest is of schemas that are
 * refused for a keyword or a reference that is not supported. */
struct suite_file {
  const char *name;
  unsigned checked;
};

static void
run_suite (const char *inside, const char *dialect, const struct suite_file *files, size_t count)
{
  const char *why;
  const char *dir = data_path ("json-schema-test-suite.tar.gz", inside, &why);

  if (*dir == '\0')
    TAP_SKIP (why);
  for (size_t i = 0; i < count; i++) {
    CLEANUP_ARENA struct arena a = { 0 };
    struct suite suite = { .dialect = dialect };
    struct json_tape tape;
    size_t len = 0;
    CLEANUP_FREE char *text = data_read (dir, files[i].name, &len);
    CU_ASSERT_PTR_NOT_NULL_FATAL (text);
    read_good (&tape, text, len, &a);
    for (const struct json_node *g = json_first (json_root (&tape));
         g != json_end (json_root (&tape)); g = json_next (g))
      run_group (&suite, files[i].name, &tape, g, &a);
    if (suite.checked < files[i].checked) {
      printf ("# %s: %u checked, %u skipped\n", files[i].name, suite.checked, suite.skipped);
      CU_FAIL ("fewer cases than before");
    }
  }
}

static const struct suite_file files_2020[] = {
  { "additionalProperties.json", 21 },
  { "allOf.json", 30 },
  { "anchor.json", 4 },
  { "anyOf.json", 18 },
  { "boolean_schema.json", 18 },
  { "const.json", 54 },
  { "contains.json", 21 },
  { "content.json", 18 },
  { "default.json", 7 },
  { "defs.json", 0 },
  { "dependentRequired.json", 20 },
  { "dependentSchemas.json", 20 },
  { "dynamicRef.json", 2 },
  { "enum.json", 51 },
  { "exclusiveMaximum.json", 4 },
  { "exclusiveMinimum.json", 4 },
  { "format.json", 133 },
  { "if-then-else.json", 30 },
  { "infinite-loop-detection.json", 2 },
  { "items.json", 29 },
  { "maxContains.json", 14 },
  { "maxItems.json", 6 },
  { "maxLength.json", 7 },
  { "maxProperties.json", 10 },
  { "maximum.json", 8 },
  { "minContains.json", 28 },
  { "minItems.json", 6 },
  { "minLength.json", 7 },
  { "minProperties.json", 10 },
  { "minimum.json", 11 },
  { "multipleOf.json", 11 },
  { "not.json", 38 },
  { "oneOf.json", 27 },
  { "pattern.json", 12 },
  { "patternProperties.json", 25 },
  { "prefixItems.json", 11 },
  { "properties.json", 28 },
  { "propertyNames.json", 22 },
  { "ref.json", 60 },
  { "refRemote.json", 0 },
  { "required.json", 18 },
  { "type.json", 80 },
  { "unevaluatedItems.json", 0 },
  { "unevaluatedProperties.json", 0 },
  { "uniqueItems.json", 69 },
  { "vocabulary.json", 0 },
  { "optional/ecmascript-regex.json", 74 },
  { "optional/bignum.json", 9 },
  { "optional/non-bmp-regex.json", 12 },
  { "optional/float-overflow.json", 1 },
  { "optional/unknownKeyword.json", 3 },
  { "optional/refOfUnknownKeyword.json", 10 },
  { "optional/id.json", 3 },
  { "optional/anchor.json", 4 },
  { "optional/no-schema.json", 3 },
  { "optional/dependencies-compatibility.json", 36 },
  { "optional/dynamicRef.json", 0 },
  { "optional/cross-draft.json", 0 },
};

static void
test_suite_2020 (void)
{
  run_suite ("tests/draft2020-12", NULL, files_2020, sizeof files_2020 / sizeof *files_2020);
}

static const struct suite_file files_07[] = {
  { "additionalItems.json", 19 },
  { "additionalProperties.json", 16 },
  { "allOf.json", 30 },
  { "anyOf.json", 18 },
  { "boolean_schema.json", 18 },
  { "const.json", 54 },
  { "contains.json", 21 },
  { "default.json", 7 },
  { "definitions.json", 0 },
  { "dependencies.json", 36 },
  { "enum.json", 45 },
  { "exclusiveMaximum.json", 4 },
  { "exclusiveMinimum.json", 4 },
  { "format.json", 102 },
  { "if-then-else.json", 30 },
  { "infinite-loop-detection.json", 2 },
  { "items.json", 28 },
  { "maxItems.json", 6 },
  { "maxLength.json", 7 },
  { "maxProperties.json", 10 },
  { "maximum.json", 8 },
  { "minItems.json", 6 },
  { "minLength.json", 7 },
  { "minProperties.json", 10 },
  { "minimum.json", 11 },
  { "multipleOf.json", 11 },
  { "not.json", 38 },
  { "oneOf.json", 27 },
  { "pattern.json", 9 },
  { "patternProperties.json", 23 },
  { "properties.json", 28 },
  { "propertyNames.json", 22 },
  { "ref.json", 60 },
  { "refRemote.json", 0 },
  { "required.json", 18 },
  { "type.json", 80 },
  { "uniqueItems.json", 69 },
  { "optional/ecmascript-regex.json", 74 },
  { "optional/bignum.json", 9 },
  { "optional/non-bmp-regex.json", 12 },
  { "optional/float-overflow.json", 1 },
  { "optional/unknownKeyword.json", 3 },
  { "optional/id.json", 7 },
  { "optional/cross-draft.json", 0 },
};

static void
test_suite_07 (void)
{
  run_suite ("tests/draft7", "http://json-schema.org/draft-07/schema#", files_07,
             sizeof files_07 / sizeof *files_07);
}

static CU_TestInfo compiling[] = { { "refused schemas", test_refused_schemas },
                                   { "what says nothing is ignored",
                                     test_what_says_nothing_is_ignored },
                                   { "caps", test_caps },
                                   { "a schema within a document", test_schema_within_a_document },
                                   CU_TEST_INFO_NULL };
static CU_TestInfo saying[] = {
  { "types", test_types },
  { "values", test_values },
  { "numbers", test_numbers },
  { "strings", test_strings },
  { "arrays", test_arrays },
  { "objects", test_objects },
  { "combinations", test_combinations },
  { "references", test_references },
  { "secrets are not shown", test_secrets_are_not_shown },
  { "others are shown beside secrets", test_others_are_shown_beside_secrets },
  { "foreign text is made harmless", test_foreign_text_is_made_harmless },
  CU_TEST_INFO_NULL
};
static CU_TestInfo bounds[] = { { "reports are bounded", test_reports_are_bounded },
                                { "a valid value allocates nothing",
                                  test_a_valid_value_allocates_nothing },
                                { "cost is bounded", test_cost_is_bounded },
                                { "large values are affordable", test_large_values_are_affordable },
                                { "equal items among many", test_equal_items_among_many },
                                { "deep values", test_deep_values },
                                CU_TEST_INFO_NULL };
static CU_TestInfo official[] = { { "2020-12", test_suite_2020 },
                                  { "draft-07", test_suite_07 },
                                  CU_TEST_INFO_NULL };
static CU_SuiteInfo suites[] = { { "compiling", NULL, NULL, NULL, NULL, compiling },
                                 { "saying what is wrong", NULL, NULL, NULL, NULL, saying },
                                 { "bounds", NULL, NULL, NULL, NULL, bounds },
                                 { "official suite", NULL, NULL, NULL, NULL, official },
                                 CU_SUITE_INFO_NULL };

TAP_MAIN (suites)
