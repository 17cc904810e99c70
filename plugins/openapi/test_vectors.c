/* Values as they stand in requests, byte for byte: styles of parameters, paths, servers. */
#include "common/plugin_test.h"

#include "openapi/names.h"
#include "openapi/param.h"
#include "openapi/url.h"

static const struct value *
parse (struct values *pool, const char *json)
{
  const struct value *value = value_parse (pool, json, strlen (json));

  if (value == NULL)
    printf ("# no JSON: %s\n", json);
  return value;
}

/* ---- styles ---- */

struct style_row {
  const char *param; /* as in a document */
  const char *value;
  const char *expected; /* NULL: it is refused */
};

static bool
write_one (struct text *out, const char *param_json, const char *value_json, struct text *why)
{
  CLEANUP_VALUES struct values pool = { 0 };
  struct param param;

  if (!param_read (&param, (struct located){ parse (&pool, param_json), 0 }, &pool, why))
    return false;
  switch (param.in) {
  case IN_PATH:
    return param_path (out, &param, parse (&pool, value_json), why);
  case IN_QUERY:
    return param_query (out, &param, parse (&pool, value_json), why);
  case IN_HEADER:
    return param_header (out, &param, parse (&pool, value_json), why);
  case IN_COOKIE:
    break;
  }
  return param_cookie (out, &param, parse (&pool, value_json), why);
}

static void
check_styles (const struct style_row *rows, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    CLEANUP_TEXT struct text out = { 0 }, why = { 0 };
    const bool good = write_one (&out, rows[i].param, rows[i].value, &why);
    if (rows[i].expected == NULL)
      CU_ASSERT (!good && why.len != 0)
    else
      CU_ASSERT (good && told (rows[i].param, rows[i].value, rows[i].expected, text_get (&out)));
  }
}

#define STYLES(rows) check_styles (rows, sizeof rows / sizeof *rows)
#define LIST "[\"blue\",\"black\",\"brown\"]"
#define OBJECT "{\"R\":100,\"G\":200,\"B\":150}"
#define PARAM(in, style, explode)                                                                  \
  "{\"name\":\"color\",\"in\":\"" in "\",\"style\":\"" style "\",\"explode\":" explode "}"

static void
U3_16_styles_of_paths (void)
{
  static const struct style_row rows[] = {
    { PARAM ("path", "simple", "false"), "\"blue\"", "blue" },
    { PARAM ("path", "simple", "false"), "\"\"", "" },
    { PARAM ("path", "simple", "false"), LIST, "blue,black,brown" },
    { PARAM ("path", "simple", "false"), OBJECT, "R,100,G,200,B,150" },
    { PARAM ("path", "simple", "true"), LIST, "blue,black,brown" },
    { PARAM ("path", "simple", "true"), OBJECT, "R=100,G=200,B=150" },
    { PARAM ("path", "label", "false"), "\"blue\"", ".blue" },
    { PARAM ("path", "label", "false"), "\"\"", "." },
    { PARAM ("path", "label", "false"), LIST, ".blue,black,brown" },
    { PARAM ("path", "label", "true"), LIST, ".blue.black.brown" },
    { PARAM ("path", "label", "false"), OBJECT, ".R,100,G,200,B,150" },
    { PARAM ("path", "label", "true"), OBJECT, ".R=100.G=200.B=150" },
    { PARAM ("path", "matrix", "false"), "\"blue\"", ";color=blue" },
    { PARAM ("path", "matrix", "false"), "\"\"", ";color" },
    { PARAM ("path", "matrix", "false"), LIST, ";color=blue,black,brown" },
    { PARAM ("path", "matrix", "true"), LIST, ";color=blue;color=black;color=brown" },
    { PARAM ("path", "matrix", "false"), OBJECT, ";color=R,100,G,200,B,150" },
    { PARAM ("path", "matrix", "true"), OBJECT, ";R=100;G=200;B=150" },
    { "{\"name\":\"id\",\"in\":\"path\"}", "\"a/b?c#d e,f\"", "a%2Fb%3Fc%23d%20e%2Cf" },
    { "{\"name\":\"id\",\"in\":\"path\"}", "[\"a,b\",\"c\"]", "a%2Cb,c" },
    { "{\"name\":\"id\",\"in\":\"path\"}", "true", "true" },
    { "{\"name\":\"id\",\"in\":\"path\"}", "1.50", "1.50" },
    { "{\"name\":\"id\",\"in\":\"path\"}", "[[1]]", NULL },
    { "{\"name\":\"id\",\"in\":\"path\",\"style\":\"form\"}", "1", NULL },
  };

  STYLES (rows);
}

static void
U3_17_styles_of_queries (void)
{
  static const struct style_row rows[] = {
    { PARAM ("query", "form", "true"), "\"blue\"", "color=blue" },
    { PARAM ("query", "form", "true"), "\"\"", "color=" },
    { PARAM ("query", "form", "true"), LIST, "color=blue&color=black&color=brown" },
    { PARAM ("query", "form", "false"), LIST, "color=blue,black,brown" },
    { PARAM ("query", "form", "true"), OBJECT, "R=100&G=200&B=150" },
    { PARAM ("query", "form", "false"), OBJECT, "color=R,100,G,200,B,150" },
    { PARAM ("query", "form", "true"), "[]", "" },
    { PARAM ("query", "form", "false"), "[]", "" },
    { PARAM ("query", "form", "false"), "[\"a,b\",\"c d\"]", "color=a%2Cb,c+d" },
    { PARAM ("query", "spaceDelimited", "false"), LIST, "color=blue%20black%20brown" },
    { PARAM ("query", "spaceDelimited", "false"), OBJECT, "color=R%20100%20G%20200%20B%20150" },
    { PARAM ("query", "pipeDelimited", "false"), LIST, "color=blue%7Cblack%7Cbrown" },
    { PARAM ("query", "pipeDelimited", "false"), OBJECT, "color=R%7C100%7CG%7C200%7CB%7C150" },
    { PARAM ("query", "pipeDelimited", "true"), LIST, "color=blue&color=black&color=brown" },
    { PARAM ("query", "deepObject", "true"), OBJECT,
      "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150" },
    { PARAM ("query", "deepObject", "true"), "{\"a\":{\"b\":[1,2]},\"c\":null}",
      "color%5Ba%5D%5Bb%5D%5B0%5D=1&color%5Ba%5D%5Bb%5D%5B1%5D=2" },
    { PARAM ("query", "deepObject", "true"), "[\"x\"]", "color%5B0%5D=x" },
    { PARAM ("query", "deepObject", "true"),
      "{\"a\":{\"b\":{\"c\":{\"d\":{\"e\":{\"f\":{\"g\":{\"h\":{\"i\":{\"j\":{\"k\":1}}}}}}}}}}}",
      NULL },
    { "{\"name\":\"q\",\"in\":\"query\"}", "\"a&b=c d/\xC3\xA9~\"", "q=a%26b%3Dc+d%2F%C3%A9~" },
    { "{\"name\":\"filter[x]\",\"in\":\"query\"}", "\"1\"", "filter%5Bx%5D=1" },
    { "{\"name\":\"q\",\"in\":\"query\",\"allowReserved\":true}", "\"/a?b:c,d;e=f%20g#h&i+j k\"",
      "q=/a?b:c,d;e=f%20g%23h%26i%2Bj%20k" },
    { "{\"name\":\"q\",\"in\":\"query\"}", "false", "q=false" },
    { "{\"name\":\"q\",\"in\":\"query\"}", "[{\"a\":1}]", NULL },
    { "{\"name\":\"q\",\"in\":\"query\",\"style\":\"matrix\"}", "1", NULL },
    { "{\"name\":\"q\",\"in\":\"query\",\"style\":\"odd\"}", "1", NULL },
  };

  STYLES (rows);
}

static void
headers_and_cookies (void)
{
  static const struct style_row rows[] = {
    { "{\"name\":\"X-A\",\"in\":\"header\"}", "\"a b, c\"", "a b, c" },
    { "{\"name\":\"X-A\",\"in\":\"header\"}", LIST, "blue,black,brown" },
    { "{\"name\":\"X-A\",\"in\":\"header\"}", OBJECT, "R,100,G,200,B,150" },
    { "{\"name\":\"X-A\",\"in\":\"header\",\"explode\":true}", OBJECT, "R=100,G=200,B=150" },
    { "{\"name\":\"X-A\",\"in\":\"header\"}", "\"a\\r\\nEvil: 1\"", NULL },
    { "{\"name\":\"X-A\",\"in\":\"header\"}", "\"\xC3\xA9\"", NULL },
    { "{\"name\":\"c\",\"in\":\"cookie\"}", "\"a b;c\"", "c=a%20b%3Bc" },
    { "{\"name\":\"c\",\"in\":\"cookie\"}", "[1,2]", "c=1,2" },
  };

  STYLES (rows);
}

static void
T3_19_parameters_that_are_none (void)
{
  static const struct {
    const char *param, *why;
  } rows[] = {
    { "{\"name\":\"param1\",\"schema\":{\"type\":\"string\"}}",
      "Parameter param1 is missing 'in' field" },
    { "{\"in\":\"query\"}", "a parameter has no name" },
    { "{\"name\":\"a\",\"in\":\"body\"}",
      "the parameter a is in body, which is no place of parameters" },
    { "{\"name\":\"a\",\"in\":\"query\",\"content\":{\"application/json\":{}}}",
      "the parameter a has \"content\", which is not supported" },
    { "{\"name\":\"a\",\"in\":\"header\",\"style\":\"form\"}",
      "the parameter a has the style form, which is none of header parameters" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CLEANUP_TEXT struct text out = { 0 }, why = { 0 };
    CU_ASSERT (!write_one (&out, rows[i].param, "1", &why));
    CU_ASSERT (told ("reason", rows[i].param, rows[i].why, text_get (&why)));
  }
}

/* ---- paths ---- */

static bool
path_of (struct text *out, const char *path, const char *arguments, bool required, struct text *why)
{
  CLEANUP_VALUES struct values pool = { 0 };
  const struct param params[] = {
    { .name = "id", .argument = "id", .in = IN_PATH, .required = required },
    { .name = "optional", .argument = "optional", .in = IN_PATH },
  };

  return url_path (out, path, params, 2, parse (&pool, arguments), "test", why);
}

static void
T3_18_U3_16_values_in_paths (void)
{
  static const struct {
    const char *path, *arguments, *expected;
  } rows[] = {
    { "/resource/{id}", "{\"id\":\"123\"}", "/resource/123" },
    { "/resource/{id}/{optional}", "{\"id\":\"123\"}", "/resource/123/{optional}" },
    { "/resource/{id}", "{\"id\":\"foo/bar?q=1#frag data\"}",
      "/resource/foo%2Fbar%3Fq%3D1%23frag%20data" },
    { "/resource/{id}", "{\"id\":\"hello%2Fworld\"}", "/resource/hello%252Fworld" },
    { "/resource/{id}", "{\"id\":\"caf\xC3\xA9 r\xC3\xA9sum\xC3\xA9\"}",
      "/resource/caf%C3%A9%20r%C3%A9sum%C3%A9" },
    { "/resource/{id}", "{\"id\":\"...\"}", "/resource/..." },
    { "/resource/{id}", "{\"id\":\"a..b\"}", "/resource/a..b" },
    { "/resources/a%20b/details", "{}", "/resources/a%20b/details" },
    { "/files/{id}:copy", "{\"id\":\"x\"}", "/files/x:copy" },
    { "/{id}.json", "{\"id\":\"x\"}", "/x.json" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CLEANUP_TEXT struct text out = { 0 }, why = { 0 };
    CU_ASSERT (path_of (&out, rows[i].path, rows[i].arguments, true, &why));
    CU_ASSERT (told (rows[i].path, rows[i].arguments, rows[i].expected, text_get (&out)));
  }
}

static void
T3_18_dot_segments_are_refused (void)
{
  static const struct {
    const char *path, *arguments;
  } rows[] = {
    { "/resources/../admin", "{}" },
    { "/resources/./admin", "{}" },
    { "/resources/%2e%2e/admin", "{}" },
    { "/resources/%2E%2E/admin", "{}" },
    { "/resources/%2e/admin", "{}" },
    { "/resources/%2e%2e%2fadmin", "{}" },
    { "/resources/%252e%252e/admin", "{}" },
    { "/resource/{id}", "{\"id\":\"../../admin\"}" },
    { "/resource/{id}/details", "{\"id\":\"..\"}" },
    { "/resource/{id}/details", "{\"id\":\".\"}" },
    { "/resource/{id}/details", "{\"id\":\"%2e%2e\"}" },
    { "/resource/{id}/details", "{\"id\":\"%25252e%25252E\"}" },
    { "/resource/{id}", "{\"id\":\"..\\\\admin\"}" },
    { "/resource/{id}", "{\"id\":\"..;x/admin\"}" },
    { "/resource/.{id}", "{\"id\":\".\"}" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CLEANUP_TEXT struct text out = { 0 }, why = { 0 };
    CU_ASSERT (!path_of (&out, rows[i].path, rows[i].arguments, true, &why));
    CU_ASSERT (told_part ("reason", rows[i].path, "dot-segment", text_get (&why)));
  }
}

static void
U3_17_a_path_without_its_argument (void)
{
  CLEANUP_TEXT struct text out = { 0 }, why = { 0 }, more = { 0 }, empty = { 0 }, last = { 0 };

  CU_ASSERT (!path_of (&out, "/resource/{id}", "{}", true, &why));
  CU_ASSERT (told ("reason", "{}",
                   "No argument is provided for the `id` required parameter of the operation - "
                   "`test`.",
                   text_get (&why)));
  CU_ASSERT (!path_of (&more, "/resource/{id}", "{\"id\":\"\"}", true, &empty));
  CU_ASSERT (told ("reason", "empty",
                   "The path of the operation - `test` needs a value for {id} that is not empty.",
                   text_get (&empty)));
  CU_ASSERT (path_of (&last, "/resource/{id}.json", "{\"id\":\"\"}", true, &empty));
  CU_ASSERT (!path_of (&more, "/resource/{id}", "{\"id\":null}", true, &why));
  text_clear (&out);
  CU_ASSERT (path_of (&out, "/resource/{id}", "{\"id\":null}", false, &why));
  CU_ASSERT (told ("path", "null", "/resource/{id}", text_get (&out)));
}

static void
T3_18_paths_stay_on_their_server (void)
{
  static const struct {
    const char *server, *path, *expected, *why;
  } rows[] = {
    { "https://example.com/api", "/resources/item", "https://example.com/api/resources/item", "" },
    { "https://example.com", "/x", "https://example.com/x", "" },
    { "https://example.com/api", "@evil.com/x", "https://example.com/api/@evil.com/x", "" },
    { "https://example.com/api", "/a/{b}", "https://example.com/api/a/%7Bb%7D", "" },
    { "https://example.com/api", "https://example.com/api/x", "https://example.com/api/x", "" },
    { "https://example.com/api", "https://evil.com/admin", NULL,
      "does not match the configured server" },
    { "https://example.com/api", "https://example.com:8443/admin", NULL,
      "does not match the configured server" },
    { "https://example.com/api", "http://example.com/admin", NULL,
      "does not match the configured server" },
    { "https://example.com/api", "https://user:pass@example.com/api/admin", NULL,
      "does not match the configured server" },
    { "https://example.com/api", "https://user@example.com/api/data", NULL,
      "does not match the configured server" },
    { "https://example.com/api", "https://example.com@evil.com/admin", NULL,
      "does not match the configured server" },
    { "https://example.com/api", "//evil.com/admin", NULL, "does not match the configured server" },
    { "https://example.com/api", "/\\evil.com/admin", NULL,
      "does not match the configured server" },
    { "https://example.com/api", "javascript:alert(1)", NULL,
      "does not match the configured server" },
    { "https://example.com/api", "https://example.com/other/admin", NULL,
      "outside the configured server base path" },
    { "https://example.com/api", "https://example.com/apiary", NULL,
      "outside the configured server base path" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CLEANUP_TEXT struct text out = { 0 }, why = { 0 };
    CU_ASSERT_EQUAL (url_join (&out, rows[i].server, rows[i].path, &why), rows[i].expected != NULL);
    if (rows[i].expected != NULL)
      CU_ASSERT (told ("url", rows[i].path, rows[i].expected, text_get (&out)));
    CU_ASSERT (told_part ("reason", rows[i].path, rows[i].why, text_get (&why)));
  }
}

/* ---- servers ---- */

static void
T3_18_U3_16_servers (void)
{
  static const char region[] = "{\"url\":\"https://{region}.api.vendor.example/v1\",\"variables\":"
                               "{\"region\":{\"default\":\"us\",\"enum\":[\"us\",\"eu\"]}}}",
                    bad[] =
                      "{\"url\":\"https://{region}.api.vendor.example/v1\",\"variables\":"
                      "{\"region\":{\"default\":\"external.example/\",\"enum\":[\"us\",\"eu\"]}}}",
                    open[] = "{\"url\":\"https://{region}.api.vendor.example/v1\",\"variables\":"
                             "{\"region\":{\"default\":\"us\"}}}",
                    version[] = "{\"url\":\"https://example.com/{version}\",\"variables\":"
                                "{\"version\":{\"default\":\"v1\"}}}";
  static const struct {
    const char *server, *values, *expected; /* NULL: "… is not one of the allowed values" */
  } rows[] = {
    { "{\"url\":\"https://example.com\"}", "{}", "https://example.com" },
    { "{\"url\":\"https://example.com/\"}", "{}", "https://example.com" },
    { version, "{\"version\":\"v2\"}", "https://example.com/v2" },
    { version, "{\"version\":2}", "https://example.com/2" },
    { version, "{}", "https://example.com/v1" },
    { "{\"url\":\"https://example.com/{version}\",\"variables\":{\"version\":{\"default\":1}}}",
      "{}", "https://example.com/1" },
    { "{\"url\":\"https://example.com/{version}\",\"variables\":{\"version\":{\"default\":\"v1/"
      "beta\"}}}",
      "{}", "https://example.com/v1%2Fbeta" },
    { region, "{\"region\":\"eu\"}", "https://eu.api.vendor.example/v1" },
    { region, "{\"region\":\"external.example/\"}", NULL },
    { bad, "{}", NULL },
    { open, "{\"region\":\"external.example/\"}",
      "https://external.example%2F.api.vendor.example/v1" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CLEANUP_VALUES struct values pool = { 0 };
    CLEANUP_TEXT struct text out = { 0 }, why = { 0 };
    const bool good =
      url_server (&out, parse (&pool, rows[i].server), parse (&pool, rows[i].values), &why);
    CU_ASSERT_EQUAL (good, rows[i].expected != NULL);
    if (good)
      CU_ASSERT (told ("url", rows[i].values, rows[i].expected, text_get (&out)))
    else
      CU_ASSERT (told ("reason", rows[i].values,
                       "server variable 'region' is not one of the allowed values",
                       text_get (&why)));
  }
}

/* ---- names ---- */

static void
U3_15_names (void)
{
  static const struct {
    const char *prefix, *id, *name;
  } rows[] = {
    { "", "listPets", "listPets" },
    { "p_", "pets/list.all", "p_pets_list_all" },
    { "", "caf\xC3\xA9", "caf__" },
    { "", "a-b_c9", "a-b_c9" },
    { "", "0123456789012345678901234567890123456789012345678901234567890123456789",
      "0123456789012345678901234567890123456789012345678901234_1ff4c1b1" },
  };
  CLEANUP_TEXT struct text derived = { 0 };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CLEANUP_TEXT struct text out = { 0 };
    names_tool (&out, rows[i].prefix, rows[i].id);
    if (strlen (rows[i].id) <= 64)
      CU_ASSERT (told ("name", rows[i].id, rows[i].name, text_get (&out)))
    else
      CU_ASSERT (out.len == 64 && strncmp (out.data, rows[i].name, 56) == 0);
  }
  names_derive (&derived, "GET", "/repos/{owner}/{repo}/issues/{issue_number}");
  CU_ASSERT (
    told ("name", "path", "get_repos_owner_repo_issues_issue_number", text_get (&derived)));
}

static CU_TestInfo tests[] = {
  { "U3-16 styles of paths", U3_16_styles_of_paths },
  { "U3-17 styles of queries", U3_17_styles_of_queries },
  { "headers and cookies", headers_and_cookies },
  { "T3-19 parameters that are none", T3_19_parameters_that_are_none },
  { "T3-18 U3-16 values in paths", T3_18_U3_16_values_in_paths },
  { "T3-18 dot segments are refused", T3_18_dot_segments_are_refused },
  { "U3-17 a path without its argument", U3_17_a_path_without_its_argument },
  { "T3-18 paths stay on their server", T3_18_paths_stay_on_their_server },
  { "T3-18 U3-16 servers", T3_18_U3_16_servers },
  { "U3-15 names", U3_15_names },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "vectors", NULL, NULL, NULL, NULL, tests }, CU_SUITE_INFO_NULL };
TAP_MAIN (suites)
