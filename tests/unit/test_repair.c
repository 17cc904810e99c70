#include "schema_rig.h"

#include "base/json_write.h"
#include "schema/repair/repair.h"

/* The mended text, then a line "rule pointer: note" per repair; "no" when it was not mended. */
static void
say (struct buf *out, const struct schema *schema, const char *value, enum repair_mode mode)
{
  CLEANUP_ARENA struct arena a = { 0 };
  struct repaired repaired;
  struct json_tape tape;
  const char *raw;
  size_t len;

  read_good (&tape, value, strlen (value), &a);
  CU_ASSERT_FALSE (schema_validate (schema, &tape, json_root (&tape), NULL, NULL));
  if (!schema_repair (schema, &tape, json_root (&tape), mode, &repaired, &a)) {
    buf_puts (out, "no");
    (void) buf_cstr (out);
    return;
  }
  CU_ASSERT (schema_validate (schema, &repaired.tape, json_root (&repaired.tape), NULL, NULL));
  raw = json_raw (&repaired.tape, json_root (&repaired.tape), &len);
  buf_append (out, raw, len);
  for (size_t i = 0; i < repaired.count; i++)
    buf_printf (out, "\n%s %s: %s", repair_rule_name (repaired.list[i].rule),
                repaired.list[i].pointer, repaired.list[i].note);
  if (repaired.more != 0)
    buf_printf (out, "\n+%zu", repaired.more);
  (void) buf_cstr (out);
}

static void
expect (const char *schema_text, enum repair_mode mode, const char *value, const char *expected)
{
  CLEANUP_BUF struct buf out = { 0 };
  struct schema *schema = compile_good (schema_text);

  say (&out, schema, value, mode);
  if (strcmp (out.data, expected) != 0) {
    printf ("# %s\n# %s\n# becomes: %s\n# not:     %s\n", schema_text, value, out.data, expected);
    CU_FAIL ("another repair");
  }
  schema_free (schema);
}

struct row {
  const char *schema;
  enum repair_mode mode;
  const char *value;
  const char *expected;
};

static void
expect_rows (const struct row *rows, size_t count)
{
  for (size_t i = 0; i < count; i++)
    expect (rows[i].schema, rows[i].mode, rows[i].value, rows[i].expected);
}

#define EXPECT_ROWS(rows) expect_rows (rows, sizeof (rows) / sizeof *(rows))
#define SAFE REPAIR_SAFE
#define LENIENT REPAIR_LENIENT

/* An object with one property "a" of this schema. */
#define OBJECT_A(schema) "{\"type\":\"object\",\"properties\":{\"a\":" schema "}}"
#define CLOSED_A(schema)                                                                           \
  "{\"type\":\"object\",\"properties\":{\"a\":" schema "},\"additionalProperties\":false}"

static void
test_names (void)
{
  enum repair_mode mode = REPAIR_OFF;

  CU_ASSERT (repair_mode_find ("safe", 4, &mode));
  CU_ASSERT_EQUAL (mode, REPAIR_SAFE);
  CU_ASSERT (repair_mode_find ("lenient", 7, &mode));
  CU_ASSERT_EQUAL (mode, REPAIR_LENIENT);
  CU_ASSERT (repair_mode_find ("off", 3, &mode));
  CU_ASSERT_EQUAL (mode, REPAIR_OFF);
  CU_ASSERT_FALSE (repair_mode_find ("safer", 5, &mode));
  CU_ASSERT_FALSE (repair_mode_find ("saf", 3, &mode));
  CU_ASSERT_FALSE (repair_mode_find ("", 0, &mode));
  for (int i = 0; i < REPAIR_RULES; i++)
    CU_ASSERT (strlen (repair_rule_name ((enum repair_rule) i)) > 1);
  CU_ASSERT_STRING_EQUAL (repair_rule_name (REPAIR_STRINGIFIED), "stringified");
}

static void
test_off (void)
{
  expect (OBJECT_A ("{\"type\":\"integer\"}"), REPAIR_OFF, "{\"a\":\"4\"}", "no");
}

/* ---- R1 ---- */

static void
test_whole (void)
{
  static const struct row rows[] = {
    { "{\"type\":\"object\"}", SAFE, "null", "{}\nwhole : was null, taken as an empty object" },
    { "{\"type\":\"object\"}", SAFE, "\"{\\\"b\\\":1}\"",
      "{\"b\":1}\nwhole : was text that holds an object, taken as that object" },
    { OBJECT_A ("{\"type\":\"integer\"}"), SAFE, "\" {\\\"a\\\": \\\"1\\\"} \"",
      "{\"a\": 1}\nwhole : was text that holds an object, taken as that object\n"
      "scalar /a: was the text \"1\", taken as the number 1" },
    { "{\"type\":\"object\"}", SAFE, "\"[1]\"", "no" },
    { "{\"type\":\"object\"}", SAFE, "\"{\"", "no" },
    { "{\"type\":\"object\"}", SAFE, "\"\"", "no" },
    { "{\"type\":\"object\"}", SAFE, "\"null\"", "no" },
    { "{\"type\":\"object\"}", SAFE, "\"{\\\"b\\\":1,\\\"b\\\":2}\"", "no" },
    { "{\"type\":\"object\",\"required\":[\"a\"]}", SAFE, "null", "no" },
    { "{\"type\":\"object\"}", SAFE, "[]", "no" },
  };

  EXPECT_ROWS (rows);
}

/* ---- R2 ---- */

static void
test_stringified (void)
{
  static const struct row rows[] = {
    { OBJECT_A ("{\"type\":\"array\",\"items\":{\"type\":\"string\"}}"), SAFE,
      "{\"a\":\"[\\\"x\\\"]\"}",
      "{\"a\":[\"x\"]}\nstringified /a: was text that holds an array, taken as that array" },
    { OBJECT_A ("{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}"), SAFE,
      "{\"a\":\"[\\\"1\\\", 2]\"}",
      "{\"a\":[1, 2]}\nstringified /a: was text that holds an array, taken as that array\n"
      "scalar /a/0: was the text \"1\", taken as the number 1" },
    { "{\"type\":\"object\",\"properties\":{\"filters\":{\"type\":\"object\",\"properties\":{"
      "\"minRating\":{\"type\":\"number\"}}}}}",
      SAFE, "{\"filters\":\"{\\\"minRating\\\":\\\"4\\\"}\"}",
      "{\"filters\":{\"minRating\":4}}\n"
      "stringified /filters: was text that holds an object, taken as that object\n"
      "scalar /filters/minRating: was the text \"4\", taken as the number 4" },
    { OBJECT_A ("{\"type\":\"array\",\"items\":{\"type\":\"object\"}}"), SAFE,
      "{\"a\":[{},\"{\\\"b\\\":\\\"\\\\u00e9\\\"}\"]}",
      "{\"a\":[{},{\"b\":\"\\u00e9\"}]}\n"
      "stringified /a/1: was text that holds an object, taken as that object" },
    /* a text inside a text */
    { OBJECT_A (OBJECT_A ("{\"type\":\"array\"}")), SAFE, "{\"a\":\"{\\\"a\\\":\\\"[1]\\\"}\"}",
      "{\"a\":{\"a\":[1]}}\nstringified /a: was text that holds an object, taken as that object\n"
      "stringified /a/a: was text that holds an array, taken as that array" },
    /* the type must match */
    { OBJECT_A ("{\"type\":\"array\"}"), SAFE, "{\"a\":\"{}\"}", "no" },
    { OBJECT_A ("{\"type\":\"object\"}"), SAFE, "{\"a\":\"[]\"}", "no" },
    { OBJECT_A ("{\"type\":\"object\"}"), SAFE, "{\"a\":\"x\"}", "no" },
    { OBJECT_A ("{\"type\":\"object\"}"), LENIENT, "{\"a\":\"{'b':1}\"}", "no" },
    { OBJECT_A ("{\"type\":\"array\",\"items\":{\"type\":\"string\"}}"), SAFE,
      "{\"a\":\"[\\\"x\\\"\"}", "no" },
  };

  EXPECT_ROWS (rows);
}

/* Text that looks like JSON survives wherever text is admitted, whatever else is wrong. */
static void
test_text_survives (void)
{
  static const struct row rows[] = {
    { "{\"properties\":{\"text\":{\"type\":\"string\"},\"n\":{\"type\":\"integer\"}}}", SAFE,
      "{\"text\":\"{\\\"a\\\":1}\",\"n\":\"1\"}",
      "{\"text\":\"{\\\"a\\\":1}\",\"n\":1}\nscalar /n: was the text \"1\", taken as the number "
      "1" },
    { "{\"properties\":{\"text\":{\"type\":[\"object\",\"string\"],\"maxLength\":3}}}", LENIENT,
      "{\"text\":\"{\\\"a\\\":1}\"}", "no" },
    { OBJECT_A ("{\"anyOf\":[{\"type\":\"array\"},{\"type\":\"string\",\"maxLength\":2}]}"),
      LENIENT, "{\"a\":\"[1]\"}", "no" },
    { OBJECT_A ("{\"anyOf\":[{\"type\":\"integer\"},{\"const\":\"none\"}]}"), LENIENT,
      "{\"a\":\"5\"}", "no" },
    { OBJECT_A ("{\"type\":\"integer\",\"minimum\":7}"), LENIENT, "{\"a\":\"5\"}", "no" },
  };

  EXPECT_ROWS (rows);
}

/* ---- R3 ---- */

static void
test_scalars (void)
{
  static const struct row rows[] = {
    { OBJECT_A ("{\"type\":\"integer\"}"), SAFE, "{\"a\":\"-12\"}",
      "{\"a\":-12}\nscalar /a: was the text \"-12\", taken as the number -12" },
    { OBJECT_A ("{\"type\":\"integer\"}"), SAFE, "{\"a\":\"2.0\"}",
      "{\"a\":2.0}\nscalar /a: was the text \"2.0\", taken as the number 2.0" },
    { OBJECT_A ("{\"type\":\"integer\"}"), SAFE, "{\"a\":\"2.5\"}", "no" },
    { OBJECT_A ("{\"type\":\"number\"}"), SAFE, "{\"a\":\"2.5e-1\"}",
      "{\"a\":2.5e-1}\nscalar /a: was the text \"2.5e-1\", taken as the number 2.5e-1" },
    { OBJECT_A ("{\"type\":\"number\"}"), SAFE, "{\"a\":\"123456789012345678901234567890\"}",
      "{\"a\":123456789012345678901234567890}\nscalar /a: was the text "
      "\"123456789012345678901234567890\", taken as the number 123456789012345678901234567890" },
    { OBJECT_A ("{\"type\":\"boolean\"}"), SAFE, "{\"a\":\"true\"}",
      "{\"a\":true}\nscalar /a: was the text \"true\", taken as true" },
    { OBJECT_A ("{\"type\":[\"boolean\",\"null\"]}"), SAFE, "{\"a\":\"false\"}",
      "{\"a\":false}\nscalar /a: was the text \"false\", taken as false" },
    { OBJECT_A ("{\"enum\":[1,2]}"), SAFE, "{\"a\":\"2\"}",
      "{\"a\":2}\nscalar /a: was the text \"2\", taken as the number 2" },
    { OBJECT_A ("{\"enum\":[1,2]}"), SAFE, "{\"a\":\"3\"}", "no" },
    { OBJECT_A ("{\"enum\":[1,\"2\"]}"), SAFE, "{\"a\":\"1\"}", "no" },
    { OBJECT_A ("{\"type\":\"boolean\"}"), SAFE, "{\"a\":\"True\"}", "no" },
    { OBJECT_A ("{\"type\":\"boolean\"}"), SAFE, "{\"a\":\" true\"}", "no" },
    { OBJECT_A ("{\"type\":\"boolean\"}"), SAFE, "{\"a\":\"1\"}", "no" },
    { OBJECT_A ("{\"type\":\"boolean\"}"), SAFE, "{\"a\":1}", "no" },
    { OBJECT_A ("{\"type\":\"integer\"}"), SAFE, "{\"a\":\"5 \"}", "no" },
    { OBJECT_A ("{\"type\":\"integer\"}"), SAFE, "{\"a\":\"\\n5\"}", "no" },
    { OBJECT_A ("{\"type\":\"integer\"}"), SAFE, "{\"a\":\"05\"}", "no" },
    { OBJECT_A ("{\"type\":\"integer\"}"), SAFE, "{\"a\":\"+5\"}", "no" },
    { OBJECT_A ("{\"type\":\"integer\"}"), SAFE, "{\"a\":\"0x5\"}", "no" },
    { OBJECT_A ("{\"type\":\"integer\"}"), SAFE, "{\"a\":\"1,000\"}", "no" },
    { OBJECT_A ("{\"type\":\"integer\"}"), SAFE, "{\"a\":\"\"}", "no" },
    { OBJECT_A ("{\"type\":\"integer\"}"), SAFE, "{\"a\":true}", "no" },
    { OBJECT_A ("{\"type\":\"string\"}"), SAFE, "{\"a\":5}", "no" },
    { OBJECT_A ("{\"type\":\"string\"}"), LENIENT, "{\"a\":5.10}",
      "{\"a\":\"5.10\"}\nscalar /a: was the number 5.10, taken as the text \"5.10\"" },
    { OBJECT_A ("{\"type\":[\"string\",\"integer\"]}"), LENIENT, "{\"a\":5.5}", "no" },
    { OBJECT_A ("{\"type\":\"string\"}"), LENIENT, "{\"a\":true}", "no" },
  };

  EXPECT_ROWS (rows);
}

/* ---- R4, R5 ---- */

static void
test_null (void)
{
  static const struct row rows[] = {
    { OBJECT_A ("{\"type\":\"string\"}"), SAFE, "{\"a\":null}",
      "{}\nnull /a: was null, and is optional: left out" },
    { OBJECT_A ("{\"type\":\"string\"}"), SAFE, "{ \"b\" : 1 , \"a\" : null }",
      "{ \"b\" : 1  }\nnull /a: was null, and is optional: left out" },
    { OBJECT_A ("{\"type\":\"string\"}"), SAFE, "{ \"a\" : null , \"b\" : 1 }",
      "{ \"b\" : 1 }\nnull /a: was null, and is optional: left out" },
    { "{\"additionalProperties\":{\"type\":\"string\"}}", SAFE,
      "{\"a\":null,\"b\":null,\"c\":\"x\",\"d\":null,\"e\":null}",
      "{\"c\":\"x\"}\nnull /a: was null, and is optional: left out\n"
      "null /b: was null, and is optional: left out\n"
      "null /d: was null, and is optional: left out\n"
      "null /e: was null, and is optional: left out" },
    { "{\"patternProperties\":{\"^x\":{\"enum\":[1]}}}", SAFE, "{\"x1\":null}",
      "{}\nnull /x1: was null, and is optional: left out" },
    { OBJECT_A ("{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"integer\"}]}"), SAFE, "{\"a\":null}",
      "{}\nnull /a: was null, and is optional: left out" },
    { "{\"properties\":{\"a\":{\"type\":\"string\"}},\"required\":[\"a\"]}", SAFE, "{\"a\":null}",
      "no" },
    { "{\"allOf\":[{\"properties\":{\"a\":{\"type\":\"string\"}}}],\"required\":[\"a\"]}", SAFE,
      "{\"a\":null}", "no" },
    /* an item is no member */
    { OBJECT_A ("{\"type\":\"array\",\"items\":{\"type\":\"string\"}}"), SAFE, "{\"a\":[null]}",
      "no" },
  };

  EXPECT_ROWS (rows);
}

static void
test_words_for_nothing (void)
{
  static const struct row rows[] = {
    { OBJECT_A ("{\"type\":\"integer\"}"), LENIENT, "{\"a\":\"null\"}",
      "{}\nnothing /a: was a word for nothing, and is optional: left out" },
    { OBJECT_A ("{\"type\":\"array\",\"items\":{\"type\":\"string\"}}"), LENIENT,
      "{\"a\":\"None\"}", "{}\nnothing /a: was a word for nothing, and is optional: left out" },
    { OBJECT_A ("{\"type\":\"integer\"}"), SAFE, "{\"a\":\"null\"}", "no" },
    { OBJECT_A ("{\"type\":\"array\",\"items\":{\"type\":\"string\"}}"), SAFE, "{\"a\":\"None\"}",
      "no" },
    { OBJECT_A ("{\"type\":\"integer\"}"), LENIENT, "{\"a\":\"\"}", "no" },
    { OBJECT_A ("{\"type\":\"integer\"}"), LENIENT, "{\"a\":\"none\"}", "no" },
    { OBJECT_A ("{\"enum\":[\"x\"]}"), LENIENT, "{\"a\":\"null\"}", "no" },
    { "{\"properties\":{\"a\":{\"type\":\"integer\"}},\"required\":[\"a\"]}", LENIENT,
      "{\"a\":\"null\"}", "no" },
  };

  EXPECT_ROWS (rows);
}

/* ---- R6 ---- */

static void
test_wrap (void)
{
  static const struct row rows[] = {
    { OBJECT_A ("{\"type\":\"array\",\"items\":{\"type\":\"string\"}}"), SAFE, "{\"a\":\"x\"}",
      "{\"a\":[\"x\"]}\nwrap /a: was one value, taken as an array of it" },
    { OBJECT_A ("{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}"), SAFE, "{\"a\":\"7\"}",
      "{\"a\":[7]}\nwrap /a: was one value, taken as an array of it\n"
      "scalar /a/0: was the text \"7\", taken as the number 7" },
    { OBJECT_A ("{\"type\":\"array\",\"items\":{\"enum\":[\"web\",\"app\"]}}"), SAFE,
      "{\"a\":\"Web\"}",
      "{\"a\":[\"web\"]}\nwrap /a: was one value, taken as an array of it\n"
      "case /a/0: was \"Web\", taken as \"web\"" },
    { OBJECT_A ("{\"type\":\"array\",\"items\":{\"type\":\"boolean\"}}"), SAFE, "{\"a\":true}",
      "{\"a\":[true]}\nwrap /a: was one value, taken as an array of it" },
    { OBJECT_A ("{\"anyOf\":[{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
                "{\"type\":\"null\"}]}"),
      SAFE, "{\"a\":\"x\"}", "{\"a\":[\"x\"]}\nwrap /a: was one value, taken as an array of it" },
    { OBJECT_A ("{\"type\":[\"array\",\"integer\"],\"items\":{\"type\":\"integer\"}}"), SAFE,
      "{\"a\":\"7\"}", "{\"a\":7}\nscalar /a: was the text \"7\", taken as the number 7" },
    { OBJECT_A ("{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}"), SAFE, "{\"a\":\"x\"}",
      "no" },
    { OBJECT_A ("{\"type\":\"array\",\"minItems\":2}"), SAFE, "{\"a\":\"x\"}", "no" },
    { "{\"properties\":{\"a\":{\"type\":\"array\"}},\"required\":[\"a\"]}", SAFE, "{\"a\":null}",
      "no" },
    { OBJECT_A ("{\"type\":\"array\"}"), SAFE, "{\"a\":{}}", "no" },
    /* not an array in an array, and nothing that was to be an array, or nothing */
    { OBJECT_A ("{\"type\":\"array\",\"items\":{\"type\":\"array\",\"items\":{\"type\":"
                "\"string\"}}}"),
      SAFE, "{\"a\":\"x\"}", "no" },
    { OBJECT_A ("{\"type\":\"array\"}"), SAFE, "{\"a\":\" [x]\"}", "no" },
    { OBJECT_A ("{\"type\":\"array\"}"), SAFE, "{\"a\":\"\"}", "no" },
    { OBJECT_A ("{\"type\":\"array\"}"), SAFE, "{\"a\":\"  \"}", "no" },
  };

  EXPECT_ROWS (rows);
}

/* ---- R7 ---- */

static void
test_case (void)
{
  static const struct row rows[] = {
    { OBJECT_A ("{\"enum\":[\"in_progress\",\"done\"]}"), SAFE, "{\"a\":\"In Progress\"}",
      "{\"a\":\"in_progress\"}\ncase /a: was \"In Progress\", taken as \"in_progress\"" },
    { OBJECT_A ("{\"const\":\"A b\\\"\"}"), SAFE, "{\"a\":\"a-B\\\"\"}",
      "{\"a\":\"A b\\\"\"}\ncase /a: was \"a-B\"\", taken as \"A b\"\"" },
    { OBJECT_A ("{\"anyOf\":[{\"const\":\"red\"},{\"const\":\"blue\"}]}"), SAFE, "{\"a\":\"RED\"}",
      "{\"a\":\"red\"}\ncase /a: was \"RED\", taken as \"red\"" },
    { OBJECT_A ("{\"enum\":[\"ab\",\"a-b\"]}"), SAFE, "{\"a\":\"AB\"}", "no" },
    { OBJECT_A ("{\"enum\":[\"abc\"]}"), SAFE, "{\"a\":\"abd\"}", "no" },
    { OBJECT_A ("{\"enum\":[\"abc\"]}"), SAFE, "{\"a\":\"abcd\"}", "no" },
    { OBJECT_A ("{\"enum\":[\"-\"]}"), SAFE, "{\"a\":\"_\"}", "no" },
    { OBJECT_A ("{\"enum\":[\"\"]}"), SAFE, "{\"a\":\" \"}", "no" },
    /* ASCII only */
    { OBJECT_A ("{\"enum\":[\"\u00e4\"]}"), SAFE, "{\"a\":\"\u00c4\"}", "no" },
    { OBJECT_A ("{\"enum\":[\"@\"]}"), SAFE, "{\"a\":\"`\"}", "no" },
  };

  EXPECT_ROWS (rows);
}

/* ---- R8, R9 ---- */

static void
test_rename (void)
{
  static const struct row rows[] = {
    { "{\"properties\":{\"user_id\":{\"type\":\"integer\"},\"name\":{}},\"required\":[\"user_id\"],"
      "\"additionalProperties\":false}",
      LENIENT, "{\"userId\":\"5\"}",
      "{\"user_id\":5}\nname /userId: was named \"userId\", taken as \"user_id\"\n"
      "scalar /user_id: was the text \"5\", taken as the number 5" },
    { "{\"properties\":{\"priority\":{},\"x\":{}},\"additionalProperties\":false}", LENIENT,
      "{\"x\":1,\"prioritiy\":2}",
      "{\"x\":1,\"priority\":2}\nname /prioritiy: was named \"prioritiy\", taken as \"priority\"" },
    { "{\"properties\":{\"user_id\":{}},\"additionalProperties\":false}", SAFE, "{\"userId\":5}",
      "no" },
    /* the target is there: only a name too many */
    { "{\"properties\":{\"user_id\":{}},\"additionalProperties\":false}", LENIENT,
      "{\"user_id\":1,\"userId\":5}",
      "{\"user_id\":1}\nextra /userId: is not known here: left out" },
    /* two could be meant, or two mean the same */
    { "{\"properties\":{\"from_a\":{},\"from_b\":{}},\"additionalProperties\":false}", LENIENT,
      "{\"from_c\":1}", "no" },
    { "{\"properties\":{\"name\":{},\"names\":{}},\"additionalProperties\":false}", LENIENT,
      "{\"Name\":1}", "{\"name\":1}\nname /Name: was named \"Name\", taken as \"name\"" },
    { "{\"properties\":{\"user_id\":{}},\"additionalProperties\":false}", LENIENT,
      "{\"userId\":5,\"user-id\":6}", "no" },
    { "{\"properties\":{\"user_id\":{\"type\":\"integer\"}},\"unevaluatedProperties\":false}",
      LENIENT, "{\"userId\":5}",
      "{\"user_id\":5}\nname /userId: was named \"userId\", taken as \"user_id\"" },
    /* open objects may have any name */
    { "{\"properties\":{\"user_id\":{}},\"required\":[\"user_id\"]}", LENIENT, "{\"userId\":5}",
      "no" },
  };

  EXPECT_ROWS (rows);
}

static void
test_extra (void)
{
  static const struct row rows[] = {
    { CLOSED_A ("{}"), LENIENT, "{\"zzz\":[1,{\"b\":2}],\"a\":1}",
      "{\"a\":1}\nextra /zzz: is not known here: left out" },
    { CLOSED_A ("{}"), LENIENT, "{\"a\":1,\"xxx\":1,\"yyy\":{}}",
      "{\"a\":1}\nextra /xxx: is not known here: left out\n"
      "extra /yyy: is not known here: left out" },
    { CLOSED_A ("{}"), SAFE, "{\"a\":1,\"xxx\":1}", "no" },
    { "{\"allOf\":[{\"properties\":{\"b\":{}}}],\"properties\":{\"a\":{}},"
      "\"unevaluatedProperties\":false}",
      LENIENT, "{\"b\":1,\"xxx\":1,\"a\":1}",
      "{\"b\":1,\"a\":1}\nextra /xxx: is not known here: left out" },
    /* known by a branch that does not apply */
    { "{\"anyOf\":[{\"properties\":{\"kind\":{\"const\":1},\"b\":{}}},{\"properties\":{\"kind\":{"
      "\"const\":2}}}],\"unevaluatedProperties\":false}",
      LENIENT, "{\"kind\":2,\"b\":1}", "no" },
    { "{\"patternProperties\":{\"^x\":{}},\"additionalProperties\":false}", LENIENT,
      "{\"x1\":1,\"quux\":1}", "{\"x1\":1}\nextra /quux: is not known here: left out" },
  };

  EXPECT_ROWS (rows);
}

/* ---- which branch ---- */

#define CARD                                                                                       \
  "{\"type\":\"object\",\"properties\":{\"method\":{\"const\":\"card\"},\"n\":{\"type\":"          \
  "\"integer\"}},\"required\":[\"method\"]}"
#define CASH                                                                                       \
  "{\"type\":\"object\",\"properties\":{\"method\":{\"const\":\"cash\"},\"n\":{\"type\":"          \
  "\"boolean\"}},\"required\":[\"method\"]}"

static void
test_branches (void)
{
  static const struct row rows[] = {
    /* by the member that tells */
    { "{\"oneOf\":[" CARD "," CASH "]}", SAFE, "{\"method\":\"card\",\"n\":\"3\"}",
      "{\"method\":\"card\",\"n\":3}\nscalar /n: was the text \"3\", taken as the number 3" },
    { "{\"oneOf\":[" CARD "," CASH "]}", SAFE, "{\"method\":\"Cash\",\"n\":\"true\"}",
      "{\"method\":\"cash\",\"n\":true}\ncase /method: was \"Cash\", taken as \"cash\"\n"
      "scalar /n: was the text \"true\", taken as true" },
    { "{\"oneOf\":[" CARD "," CASH "]}", SAFE, "{\"method\":\"coin\",\"n\":\"3\"}", "no" },
    { "{\"oneOf\":[" CARD "," CASH "]}", SAFE, "{\"n\":\"3\"}", "no" },
    { "{\"oneOf\":[" CARD "," CASH "]}", SAFE, "{\"method\":\"CARD\",\"n\":null}",
      "{\"method\":\"card\"}\ncase /method: was \"CARD\", taken as \"card\"\n"
      "null /n: was null, and is optional: left out" },
    { OBJECT_A ("{\"anyOf\":[" OBJECT_A ("{\"enum\":[\"x\"]}") ",{\"type\":\"null\"}]}"), SAFE,
      "{\"a\":{\"a\":null}}", "{\"a\":{}}\nnull /a/a: was null, and is optional: left out" },
    /* by the type */
    { OBJECT_A ("{\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"null\"}]}"), SAFE, "{\"a\":\"5\"}",
      "{\"a\":5}\nscalar /a: was the text \"5\", taken as the number 5" },
    { OBJECT_A ("{\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"boolean\"}]}"), SAFE,
      "{\"a\":\"true\"}", "{\"a\":true}\nscalar /a: was the text \"true\", taken as true" },
    { OBJECT_A ("{\"oneOf\":[{\"type\":\"object\",\"properties\":{\"b\":{\"type\":\"integer\"}}},"
                "{\"type\":\"null\"}]}"),
      SAFE, "{\"a\":{\"b\":\"5\"}}",
      "{\"a\":{\"b\":5}}\nscalar /a/b: was the text \"5\", taken as the number 5" },
    /* by what must be there */
    { "{\"anyOf\":[{\"properties\":{\"b\":{\"type\":\"integer\"}},\"required\":[\"b\"]},"
      "{\"properties\":{\"c\":{\"type\":\"integer\"}},\"required\":[\"c\"]}]}",
      SAFE, "{\"c\":\"5\"}", "{\"c\":5}\nscalar /c: was the text \"5\", taken as the number 5" },
    /* more than one could be meant */
    { "{\"anyOf\":[{\"properties\":{\"b\":{\"type\":\"integer\"}}},"
      "{\"properties\":{\"b\":{\"type\":\"boolean\"}}}]}",
      SAFE, "{\"b\":\"5\"}", "no" },
    { OBJECT_A ("{\"oneOf\":[{\"type\":\"integer\"},{\"type\":\"number\"}]}"), SAFE,
      "{\"a\":\"5\"}", "no" },
    /* through references and what all must fit */
    { "{\"$defs\":{\"n\":{\"type\":\"integer\"}},\"properties\":{\"a\":{\"$ref\":\"#/$defs/n\"}}}",
      SAFE, "{\"a\":\"5\"}", "{\"a\":5}\nscalar /a: was the text \"5\", taken as the number 5" },
    { OBJECT_A ("{\"allOf\":[{\"type\":[\"integer\",\"string\"]},{\"type\":\"integer\"}]}"), SAFE,
      "{\"a\":\"5\"}", "{\"a\":5}\nscalar /a: was the text \"5\", taken as the number 5" },
    { "{\"if\":{\"properties\":{\"k\":{\"const\":1}}},\"then\":{\"properties\":{\"a\":{\"type\":"
      "\"integer\"}}},\"else\":{\"properties\":{\"a\":{\"type\":\"boolean\"}}}}",
      SAFE, "{\"k\":2,\"a\":\"true\"}",
      "{\"k\":2,\"a\":true}\nscalar /a: was the text \"true\", taken as true" },
    { "{\"dependentSchemas\":{\"k\":{\"properties\":{\"a\":{\"type\":\"integer\"}}}}}", SAFE,
      "{\"k\":2,\"a\":\"1\"}",
      "{\"k\":2,\"a\":1}\nscalar /a: was the text \"1\", taken as the number 1" },
    /* a schema that looks into itself */
    { "{\"type\":\"object\",\"properties\":{\"v\":{\"type\":\"integer\"},\"kids\":{\"type\":"
      "\"array\",\"items\":{\"$ref\":\"#\"}}}}",
      SAFE, "{\"kids\":[{\"kids\":\"[{\\\"v\\\":\\\"1\\\"}]\"}]}",
      "{\"kids\":[{\"kids\":[{\"v\":1}]}]}\n"
      "stringified /kids/0/kids: was text that holds an array, taken as that array\n"
      "scalar /kids/0/kids/0/v: was the text \"1\", taken as the number 1" },
  };

  EXPECT_ROWS (rows);
}

/* ---- the whole ---- */

static void
test_all_or_nothing (void)
{
  expect ("{\"properties\":{\"a\":{\"type\":\"integer\"},\"b\":{\"type\":\"integer\"}}}", SAFE,
          "{\"a\":\"1\",\"b\":\"x\"}", "no");
  expect ("{\"properties\":{\"a\":{\"type\":\"integer\"}},\"required\":[\"b\"]}", SAFE,
          "{\"a\":\"1\"}", "no");
}

static void
test_secrets (void)
{
  static const struct row rows[] = {
    { OBJECT_A ("{\"type\":\"integer\",\"writeOnly\":true}"), SAFE, "{\"a\":\"1234\"}",
      "{\"a\":1234}\nscalar /a: was mended (not shown)" },
    { OBJECT_A ("{\"enum\":[\"topsecret\"],\"x-secret\":true}"), SAFE, "{\"a\":\"TopSecret\"}",
      "{\"a\":\"topsecret\"}\ncase /a: was mended (not shown)" },
    { OBJECT_A ("{\"type\":\"array\",\"items\":{\"type\":\"integer\",\"writeOnly\":true}}"), SAFE,
      "{\"a\":\"1234\"}",
      "{\"a\":[1234]}\nwrap /a: was one value, taken as an array of it\n"
      "scalar /a/0: was mended (not shown)" },
    /* under a name that is going to be the secret one */
    { "{\"allOf\":[{\"additionalProperties\":{\"type\":\"integer\"}}],\"properties\":{\"the_pin\":{"
      "\"writeOnly\":true}},\"additionalProperties\":false}",
      LENIENT, "{\"thePin\":\"1234\"}",
      "{\"the_pin\":1234}\nname /thePin: was named \"thePin\", taken as \"the_pin\"\n"
      "scalar /thePin: was mended (not shown)" },
  };

  EXPECT_ROWS (rows);
}

static void
test_foreign_text_is_harmless (void)
{
  expect (OBJECT_A ("{\"enum\":[\"<|a|>\"]}"), SAFE, "{\"a\":\"<|A\\n|>\"}", "no");
  expect (OBJECT_A ("{\"enum\":[\"<|a|>\\u202e\"]}"), SAFE, "{\"a\":\"<| A |>\\u202e\"}",
          "{\"a\":\"<|a|>\u202e\"}\ncase /a: was \"‹| A |›?\", taken as \"‹|a|›?\"");
  expect ("{\"properties\":{\"aaaaaa\":{}},\"additionalProperties\":false}", LENIENT,
          "{\"<zz>\\n\":1}", "{}\nextra /‹zz›?: is not known here: left out");
}

static void
test_many (void)
{
  CLEANUP_BUF struct buf value = { 0 };
  CLEANUP_BUF struct buf out = { 0 };
  struct schema *schema = compile_good ("{\"items\":{\"type\":\"integer\"}}");

  buf_puts (&value, "[0");
  for (int i = 0; i < 5000; i++)
    buf_puts (&value, ",\"1\"");
  buf_putc (&value, ']');
  say (&out, schema, buf_cstr (&value), SAFE);
  CU_ASSERT (strncmp (out.data, "[0,1,1,1,", 9) == 0);
  CU_ASSERT_PTR_NOT_NULL (strstr (out.data, "\n+4984"));
  schema_free (schema);
}

/* Depth is bounded by the reader, and what is too costly to mend is not mended. */
static void
test_bounds (void)
{
  CLEANUP_BUF struct buf value = { 0 };
  CLEANUP_BUF struct buf out = { 0 };
  struct schema *schema =
    compile_good ("{\"type\":[\"array\",\"integer\"],\"items\":{\"$ref\":\"#\"}}");

  for (int i = 0; i < 900; i++)
    buf_putc (&value, '[');
  buf_puts (&value, "\"1\"");
  for (int i = 0; i < 900; i++)
    buf_putc (&value, ']');
  say (&out, schema, buf_cstr (&value), SAFE);
  CU_ASSERT_STRING_EQUAL (out.data, "no");
  value.len = out.len = 0;
  for (int i = 0; i < 60; i++)
    buf_putc (&value, '[');
  buf_puts (&value, "\"1\"");
  for (int i = 0; i < 60; i++)
    buf_putc (&value, ']');
  say (&out, schema, buf_cstr (&value), SAFE);
  CU_ASSERT (strncmp (out.data, "[[[", 3) == 0);
  schema_free (schema);
}

/* Many names that differ a little from many: the price is part of the budget. */
static void
test_costly_names (void)
{
  CLEANUP_BUF struct buf schema_text = { 0 };
  CLEANUP_BUF struct buf value = { 0 };
  CLEANUP_BUF struct buf out = { 0 };
  struct schema *schema;

  buf_puts (&schema_text, "{\"additionalProperties\":false,\"properties\":{\"x\":{}");
  buf_puts (&value, "{\"x\":1");
  for (int i = 0; i < 500; i++) {
    buf_printf (&schema_text, ",\"a-quite-long-name-of-a-property-%d\":{}", i);
    buf_printf (&value, ",\"another-quite-long-name-of-a-property-%d\":1", i);
  }
  buf_puts (&schema_text, "}}");
  buf_putc (&value, '}');
  schema = compile_good (buf_cstr (&schema_text));
  say (&out, schema, buf_cstr (&value), LENIENT);
  CU_ASSERT_STRING_EQUAL (out.data, "no");
  schema_free (schema);
}

static CU_TestInfo tests[] = { { "names of modes and rules", test_names },
                               { "off mends nothing", test_off },
                               { "the whole as text or null", test_whole },
                               { "arrays and objects as text", test_stringified },
                               { "text that looks like JSON survives", test_text_survives },
                               { "numbers and booleans as text", test_scalars },
                               { "null for an optional member", test_null },
                               { "words for nothing", test_words_for_nothing },
                               { "one item instead of an array", test_wrap },
                               { "values of an enum but for case", test_case },
                               { "misspelt names", test_rename },
                               { "unknown members", test_extra },
                               { "only the branch that was meant", test_branches },
                               { "all or nothing", test_all_or_nothing },
                               { "secrets are not told", test_secrets },
                               { "foreign text is harmless", test_foreign_text_is_harmless },
                               { "more repairs than are told", test_many },
                               { "depth is bounded", test_bounds },
                               { "cost is bounded", test_costly_names },
                               CU_TEST_INFO_NULL };

static CU_SuiteInfo suites[] = { { "repair", NULL, NULL, NULL, NULL, tests }, CU_SUITE_INFO_NULL };
TAP_MAIN (suites)
