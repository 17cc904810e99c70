/* Bodies of requests, byte for byte; and YAML as the values that documents are made of. */
#include "common/plugin_test.h"

#include "openapi/body.h"
#include "openapi/yaml.h"

static const struct value *
parse (struct values *pool, const char *json)
{
  const struct value *value = value_parse (pool, json, strlen (json));

  if (value == NULL)
    printf ("# no JSON: %s\n", json);
  return value;
}

/* ---- bodies ---- */

static bool
body_of (struct payload *payload, const char *request_body, const char *arguments, struct text *why)
{
  CLEANUP_VALUES struct values pool = { 0 };
  struct document document = { .pool = &pool, .files_count = 1 };
  struct body body = { 0 };

  return body_read (&body, &document, (struct located){ parse (&pool, request_body), 0 }, &pool,
                    "op", why)
         && body_write (payload, &body, &document, parse (&pool, arguments), &pool, why);
}

#define CONTENT(type, rest) "{\"required\":true,\"content\":{\"" type "\":{" rest "}}}"
#define FORM "application/x-www-form-urlencoded"

static void
bodies (void)
{
  static const struct {
    const char *body, *arguments, *type, *bytes;
  } rows[] = {
    { CONTENT ("application/json", ""), "{\"body\":{\"a\":[1,2.50,null,\"x\"]}}",
      "application/json", "{\"a\":[1,2.50,null,\"x\"]}" },
    { CONTENT ("application/vnd.api+json; v=1", ""), "{\"body\":[]}",
      "application/vnd.api+json; v=1", "[]" },
    { CONTENT ("text/plain", ""), "{\"body\":\"a\\nb\"}", "text/plain", "a\nb" },
    { CONTENT (FORM, ""),
      "{\"body\":{\"a\":\"x y\",\"b\":[1,2],\"c\":{\"d\":1},\"e\":null,\"f\":true}}", FORM,
      "a=x+y&b=1&b=2&c=%7B%22d%22%3A1%7D&f=true" },
    { CONTENT (FORM, "\"encoding\":{\"c\":{\"style\":\"deepObject\",\"explode\":true},"
                     "\"b\":{\"explode\":false}}"),
      "{\"body\":{\"b\":[1,2],\"c\":{\"d\":{\"e\":1},\"f\":[7]}}}", FORM,
      "b=1,2&c%5Bd%5D%5Be%5D=1&c%5Bf%5D%5B0%5D=7" },
    { "{\"content\":{\"text/plain\":{},\"application/json\":{}}}", "{\"body\":1}",
      "application/json", "1" },
    { "{\"content\":{\"application/json\":{}}}", "{}", "", "" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CLEANUP_PAYLOAD struct payload payload = { .bytes = { 0 } };
    CLEANUP_TEXT struct text why = { 0 };
    CU_ASSERT (body_of (&payload, rows[i].body, rows[i].arguments, &why));
    CU_ASSERT (told ("type", rows[i].arguments, rows[i].type, text_get (&payload.type)));
    CU_ASSERT (told ("bytes", rows[i].arguments, rows[i].bytes, text_get (&payload.bytes)));
  }
}

static void
multipart_forms (void)
{
  static const char schema[] =
    CONTENT ("multipart/form-data",
             "\"schema\":{\"type\":\"object\",\"properties\":{\"file\":{\"type\":\"string\","
             "\"format\":\"binary\"},\"files\":{\"type\":\"array\",\"items\":{\"type\":\"string\","
             "\"format\":\"binary\"}}}},\"encoding\":{\"meta\":{\"contentType\":"
             "\"application/vnd.x+json\"}}");
  static const char expected[] =
    "--toolhost-form-1\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\n"
    "toolhost-form-0\r\n"
    "--toolhost-form-1\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a%22b.txt\"\r\n"
    "Content-Type: text/plain\r\n\r\nhello\r\n"
    "--toolhost-form-1\r\nContent-Disposition: form-data; name=\"files\"; filename=\"files\"\r\n"
    "Content-Type: application/octet-stream\r\n\r\n1\r\n"
    "--toolhost-form-1\r\nContent-Disposition: form-data; name=\"tags\"\r\n\r\nx\r\n"
    "--toolhost-form-1\r\nContent-Disposition: form-data; name=\"tags\"\r\n\r\n2\r\n"
    "--toolhost-form-1\r\nContent-Disposition: form-data; name=\"meta\"\r\n"
    "Content-Type: application/vnd.x+json\r\n\r\n{\"a\":1}\r\n"
    "--toolhost-form-1--\r\n";
  CLEANUP_PAYLOAD struct payload payload = { .bytes = { 0 } };
  CLEANUP_TEXT struct text why = { 0 };

  CU_ASSERT (
    body_of (&payload, schema,
             "{\"body\":{\"title\":\"toolhost-form-0\",\"file\":{\"name\":\"a\\\"b.txt\","
             "\"type\":\"text/plain\",\"data\":\"aGVsbG8=\"},\"files\":[{\"data\":\"MQ==\"}],"
             "\"tags\":[\"x\",2],\"none\":null,\"meta\":{\"a\":1}}}",
             &why));
  CU_ASSERT (told ("type", "form", "multipart/form-data; boundary=toolhost-form-1",
                   text_get (&payload.type)));
  CU_ASSERT (told ("bytes", "form", expected, text_get (&payload.bytes)));
}

static void
T3_19_bodies_that_are_none (void)
{
  static const struct {
    const char *body, *arguments, *why;
  } rows[] = {
    { CONTENT ("application/xml", ""), "{}", "Neither of the media types of op is supported." },
    { CONTENT ("application/json", ""), "{}", "No payload is provided by the argument 'body'." },
    { CONTENT ("text/plain", ""), "{\"body\":{}}", "the body has to be a text" },
    { CONTENT (FORM, ""), "{\"body\":[]}", "the body has to be an object" },
    { CONTENT ("multipart/form-data",
               "\"schema\":{\"properties\":{\"f\":{\"format\":\"binary\"}}}"),
      "{\"body\":{\"f\":{\"data\":\"?\"}}}", "the file f needs \"data\", its bytes in base64" },
    { CONTENT ("multipart/form-data",
               "\"schema\":{\"properties\":{\"f\":{\"format\":\"binary\"}}}"),
      "{\"body\":{\"f\":{\"data\":\"\",\"type\":\"a/b\\r\\nX: y\"}}}",
      "the type of the file f is no media type" },
    { CONTENT (FORM, "\"encoding\":{\"a\":{\"style\":\"odd\"}}"), "{\"body\":{\"a\":1}}",
      "the field a has the unknown style odd" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CLEANUP_PAYLOAD struct payload payload = { .bytes = { 0 } };
    CLEANUP_TEXT struct text why = { 0 };
    CU_ASSERT (!body_of (&payload, rows[i].body, rows[i].arguments, &why));
    CU_ASSERT (told ("reason", rows[i].body, rows[i].why, text_get (&why)));
  }
}

/* An object within itself so many times. */
static void
nest (struct text *out, unsigned levels)
{
  text_add (out, "{\"required\":true,\"content\":{\"" FORM "\":{\"schema\":");
  for (unsigned i = 0; i < levels; i++)
    text_add (out, "{\"type\":\"object\",\"properties\":{\"a\":");
  text_add (out, "{\"type\":\"string\"}");
  for (unsigned i = 0; i < levels; i++)
    text_add (out, "}}");
  text_add (out, "}}}");
}

static void
T3_19_U3_15_ten_levels_of_a_form (void)
{
  CLEANUP_PAYLOAD struct payload payload = { .bytes = { 0 } };
  CLEANUP_TEXT struct text ten = { 0 }, eleven = { 0 }, why = { 0 };

  nest (&ten, 10);
  nest (&eleven, 11);
  CU_ASSERT (body_of (&payload, text_get (&ten), "{\"body\":{}}", &why));
  CU_ASSERT (!body_of (&payload, text_get (&eleven), "{\"body\":{}}", &why));
  CU_ASSERT (told ("reason", "eleven",
                   "Max level 10 of traversing payload properties of `op` operation is exceeded.",
                   text_get (&why)));
}

/* ---- YAML ---- */

static void
yaml_as_json (void)
{
  static const struct {
    const char *yaml, *expected; /* NULL: it is refused, … */
    const char *why;             /* … for this */
  } rows[] = {
    { "a: 1\nb: [x, 'y', \"z\"]\nc:\n  - d: null\n",
      "{\"a\":1,\"b\":[\"x\",\"y\",\"z\"],\"c\":[{\"d\":null}]}", "" },
    { "200: {a: yes, b: on, c: 2001-01-01, d: true, e: ~}",
      "{\"200\":{\"a\":\"yes\",\"b\":\"on\",\"c\":\"2001-01-01\",\"d\":true,\"e\":null}}", "" },
    { "a: 1.50\nb: -3\nc: 1e3\nd: 0x1F\ne: .5\nf: 012\n",
      "{\"a\":1.50,\"b\":-3,\"c\":1e3,\"d\":\"0x1F\",\"e\":\".5\",\"f\":\"012\"}", "" },
    { "a: &x {b: 1}\nc: *x\n", "{\"a\":{\"b\":1},\"c\":{\"b\":1}}", "" },
    { "a: |\n  one\n  two\n", "{\"a\":\"one\\ntwo\\n\"}", "" },
    { "{\"a\": \"\\u00e9\"}", "{\"a\":\"\xC3\xA9\"}", "" },
    { "a: 1\na: 2\n", NULL, "line 1: the key \"a\" stands twice" },
    { "a: !foo 1\n", NULL, "line 1: tags are not taken" },
    { "<<: {a: 1}\n", NULL, "line 1: merge keys are not taken" },
    { "a: *nope\n", NULL, "line 1: there is no such anchor above" },
    { "a: [1\nb: 2\n", NULL, "line 2: " },
    { "a: 1\n---\nb: 2\n", NULL, "line 2: expected one document" },
    { "? [a]\n: 1\n", NULL, "line 1: a key has to be a text" },
    { "", NULL, "expected one document" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CLEANUP_VALUES struct values pool = { 0 };
    CLEANUP_TEXT struct text out = { 0 }, why = { 0 };
    const struct value *value = yaml_read (&pool, rows[i].yaml, strlen (rows[i].yaml), &why);
    CU_ASSERT_EQUAL (value != NULL, rows[i].expected != NULL);
    if (value != NULL)
      value_write (&out, value);
    if (rows[i].expected != NULL)
      CU_ASSERT (told ("value", rows[i].yaml, rows[i].expected, text_get (&out)));
    CU_ASSERT (told_part ("reason", rows[i].yaml, rows[i].why, text_get (&why)));
  }
}

/* Aliases of aliases, each ten times what the one before is. */
static void
yaml_that_grows (void)
{
  CLEANUP_VALUES struct values pool = { 0 };
  CLEANUP_TEXT struct text text = { 0 }, why = { 0 };

  text_add (&text, "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
  for (int i = 1; i < 10; i++)
    text_addf (&text, "a%d: &a%d [*a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d]\n", i,
               i, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
  CU_ASSERT_PTR_NULL (yaml_read (&pool, text_get (&text), text.len, &why));
  CU_ASSERT (told_part ("reason", "aliases", "its aliases come to too much", text_get (&why)));
}

/* Each is nested in the next one. */
static void
yaml_that_is_deep (void)
{
  CLEANUP_VALUES struct values pool = { 0 };
  CLEANUP_TEXT struct text text = { 0 }, why = { 0 };

  text_add (&text, "a0: &a0 [[[[[[[[[[x]]]]]]]]]]\n");
  for (int i = 1; i < 200; i++)
    text_addf (&text, "a%d: &a%d [[[[[[[[[[*a%d]]]]]]]]]]\n", i, i, i - 1);
  CU_ASSERT_PTR_NULL (yaml_read (&pool, text_get (&text), text.len, &why));
  CU_ASSERT (
    told_part ("reason", "aliases", "line 10: its aliases come to too much", text_get (&why)));
}

static CU_TestInfo tests[] = {
  { "bodies", bodies },
  { "multipart forms", multipart_forms },
  { "T3-19 bodies that are none", T3_19_bodies_that_are_none },
  { "T3-19 U3-15 ten levels of a form", T3_19_U3_15_ten_levels_of_a_form },
  { "YAML as JSON", yaml_as_json },
  { "YAML that grows", yaml_that_grows },
  { "YAML that is deep", yaml_that_is_deep },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "bodies", NULL, NULL, NULL, NULL, tests }, CU_SUITE_INFO_NULL };
TAP_MAIN (suites)
