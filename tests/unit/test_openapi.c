/* The description of our own HTTP interface is that of the table that routes. */
#include <ctype.h>

#include "base/json_tape.h"
#include "catalog/provider.h"
#include "fake_http.h"
#include "front/rest/openapi.h"
#include "front/rest/params.h"
#include "front/rest/rest.h"
#include "tap.h"

struct fixture {
  struct buf text;
  struct arena arena;
  struct json_tape tape;
};

static void
setup (struct fixture *f)
{
  static const struct json_limits limits = {
    .depth = 64, .nodes = 200000, .members = 10000, .number_len = 512
  };

  *f = (struct fixture){ .text = { 0 } };
  rest_describe ("1.2.3", &f->text);
  CU_ASSERT_TRUE_FATAL (json_read (&f->tape, f->text.data, f->text.len, &limits, &f->arena));
}

static void
teardown (struct fixture *f)
{
  buf_free (&f->text);
  arena_free (&f->arena);
}

static const struct json_node *
at (const struct fixture *f, const char *pointer)
{
  return json_pointer (&f->tape, json_root (&f->tape), pointer, strlen (pointer));
}

static const struct json_node *
operation_of (const struct fixture *f, const struct route *route)
{
  const struct json_node *path = json_member (&f->tape, at (f, "/paths"), route->pattern);
  char method[16] = "";

  for (size_t i = 0; route->method[i] != '\0'; i++)
    method[i] = (char) tolower ((unsigned char) route->method[i]);
  return json_member (&f->tape, path, method);
}

static void
check_faults (const struct route *routes, size_t count, const char *expected)
{
  struct buf out = { 0 }, faults = { 0 };

  openapi_put (&out, routes, count, "1", &faults);
  if (strstr (buf_cstr (&faults), expected) == NULL || (*expected == '\0' && faults.len != 0))
    printf ("# faults:\n# %s\n", buf_cstr (&faults));
  CU_ASSERT_PTR_NOT_NULL (strstr (buf_cstr (&faults), expected));
  CU_ASSERT (*expected != '\0' || faults.len == 0);
  buf_free (&out);
  buf_free (&faults);
}

static void
test_every_route_is_described (void)
{
  size_t count;
  const struct route *routes = rest_routes (&count);

  check_faults (routes, count, "");
}

static void
test_what_lacks_is_told (void)
{
  const struct route made_up[] = { { "PUT", "/v1/made/{up}", "makeUp", "…", NULL, 0 } };
  const struct route twice[] = { { "GET", "/", "getIndex", "…", NULL, 0 },
                                 { "GET", "/a", "getIndex", "…", NULL, 0 } };

  check_faults (made_up, 1, "PUT /v1/made/{up}: no file of api/ describes makeUp\n");
  check_faults (made_up, 1, "listTools: not the operation of exactly one route\n");
  check_faults (twice, 2, "getIndex: not the operation of exactly one route\n");
}

static void
test_every_route_is_in_it (void)
{
  struct fixture f;
  size_t count;
  const struct route *routes = rest_routes (&count);

  setup (&f);
  CU_ASSERT (json_equals (&f.tape, at (&f, "/openapi"), "3.1.0"));
  CU_ASSERT (json_equals (&f.tape, at (&f, "/info/version"), "1.2.3"));
  for (size_t i = 0; i < count; i++) {
    const struct json_node *operation = operation_of (&f, &routes[i]);
    CU_ASSERT (
      json_equals (&f.tape, json_member (&f.tape, operation, "operationId"), routes[i].operation));
    CU_ASSERT (json_is (json_member (&f.tape, json_member (&f.tape, operation, "responses"), "414"),
                        JSON_OBJECT));
  }
  teardown (&f);
}

/* ---- references and parameters ---- */

/* What a node refers to, or itself. */
static const struct json_node *
resolve (struct fixture *f, const struct json_node *node)
{
  const char *ref = json_cstring (&f->tape, json_member (&f->tape, node, "$ref"), &f->arena);

  return ref == NULL ? node : *ref == '#' ? at (f, ref + 1) : NULL;
}

static void
test_references_resolve (void)
{
  struct fixture f;
  size_t found = 0;

  setup (&f);
  for (uint32_t i = 0; i < f.tape.count; i++) {
    const struct json_node *node = &f.tape.nodes[i];
    if (node->type != JSON_OBJECT || json_member (&f.tape, node, "$ref") == NULL)
      continue;
    found++;
    if (resolve (&f, node) == NULL)
      printf ("# %s\n", json_cstring (&f.tape, json_member (&f.tape, node, "$ref"), &f.arena));
    CU_ASSERT_PTR_NOT_NULL (resolve (&f, node));
  }
  CU_ASSERT (found > 100);
  teardown (&f);
}

static size_t
count_of_path (struct fixture *f, const struct route *route)
{
  const struct json_node *list = json_member (&f->tape, operation_of (f, route), "parameters");
  size_t count = 0;

  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n)) {
    const struct json_node *parameter = resolve (f, n);
    const char *name =
      json_cstring (&f->tape, json_member (&f->tape, parameter, "name"), &f->arena);
    char segment[64];
    if (!json_equals (&f->tape, json_member (&f->tape, parameter, "in"), "path"))
      continue;
    snprintf (segment, sizeof segment, "{%s}", name);
    CU_ASSERT_PTR_NOT_NULL (strstr (route->pattern, segment));
    CU_ASSERT (json_is (json_member (&f->tape, parameter, "required"), JSON_TRUE));
    count++;
  }
  return count;
}

static void
test_segments_are_parameters (void)
{
  struct fixture f;
  size_t count;
  const struct route *routes = rest_routes (&count);

  setup (&f);
  for (size_t i = 0; i < count; i++) {
    size_t segments = 0;
    for (const char *c = routes[i].pattern; *c != '\0'; c++)
      segments += *c == '{';
    CU_ASSERT_EQUAL (count_of_path (&f, &routes[i]), segments);
  }
  teardown (&f);
}

/* The same path with another name of a segment would be two paths to OpenAPI, and one to us. */
static bool
same_but_for_names (const char *a, const char *b)
{
  while (*a != '\0' && *a == *b) {
    if (*a == '{') {
      a += strcspn (a, "}");
      b += strcspn (b, "}");
    }
    a++;
    b++;
  }
  return *a == *b;
}

static void
test_segments_have_one_name (void)
{
  size_t count;
  const struct route *routes = rest_routes (&count);

  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < i; j++)
      CU_ASSERT (!same_but_for_names (routes[i].pattern, routes[j].pattern)
                 || strcmp (routes[i].pattern, routes[j].pattern) == 0);
}

static void
test_formats_are_those_of_providers (void)
{
  struct providers *providers = providers_new ();
  struct fixture f;
  const struct json_node *list, *node = NULL;

  setup (&f);
  list = at (&f, "/paths/~1v1~1tools/get/parameters");
  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n))
    if (json_equals (&f.tape, json_member (&f.tape, n, "name"), "format"))
      node = json_member (&f.tape, json_member (&f.tape, n, "schema"), "enum");
  CU_ASSERT_TRUE_FATAL (json_is (node, JSON_ARRAY));
  CU_ASSERT_EQUAL (node->count, providers->formats_count);
  for (const struct json_node *n = json_first (node); n != json_end (node); n = json_next (n)) {
    bool known = false;
    for (const char *const *name = providers->formats; *name != NULL; name++)
      known |= json_equals (&f.tape, n, *name);
    CU_ASSERT_TRUE (known);
  }
  teardown (&f);
  providers_free (providers);
}

/* ---- refusals ---- */

static bool
has_code (struct fixture *f, const char *pointer, const char *code)
{
  const struct json_node *list =
    json_member (&f->tape, resolve (f, at (f, pointer)), "x-error-codes");

  if (list != NULL)
    for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n))
      if (json_equals (&f->tape, n, code))
        return true;
  return false;
}

static void
test_refusals (void)
{
  static const char call[] = "/paths/~1v1~1tools~1{name}~1call/post/responses/";
  static const struct {
    const char *status, *code;
    bool is;
  } rows[] = {
    { "400", "bad_encoding", true },        { "400", "tool_args_parse_error", true },
    { "400", "bad_request", true },         { "401", "invalid_token", true },
    { "403", "forbidden_host", true },      { "403", "guardrail_rejected", true },
    { "404", "session_not_found", true },   { "409", "call_id_reused", true },
    { "413", "body_too_large", true },      { "422", "tool_args_invalid", true },
    { "429", "quota_exceeded", true },      { "499", "tool_cancelled", true },
    { "500", "internal_error", true },      { "502", "tool_crashed", true },
    { "503", "memory_short", true },        { "504", "tool_timeout", true },
    { "404", "resource_not_found", true },  { "404", "bad_encoding", false },
    { "403", "webhook_id_missing", false },
  };
  struct fixture f;
  char pointer[128];

  setup (&f);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    snprintf (pointer, sizeof pointer, "%s%s", call, rows[i].status);
    CU_ASSERT_EQUAL (has_code (&f, pointer, rows[i].code), rows[i].is);
  }
  CU_ASSERT_PTR_NULL (at (&f, "/paths/~1healthz/get/responses/401"));
  CU_ASSERT (has_code (&f, "/paths/~1healthz/get/responses/403", "forbidden_host"));
  teardown (&f);
}

static void
test_security (void)
{
  struct fixture f;

  setup (&f);
  CU_ASSERT_EQUAL (at (&f, "/paths/~1healthz/get/security")->count, 0);
  CU_ASSERT_EQUAL (at (&f, "/paths/~1v1~1tools/get/security")->count, 2); /* a key, or nothing */
  CU_ASSERT_EQUAL (at (&f, "/paths/~1v1~1reload/post/security")->count, 1);
  CU_ASSERT (
    json_equals (&f.tape, at (&f, "/paths/~1v1~1reload/post/security/0/bearer/0"), "manage"));
  teardown (&f);
}

/* ---- parameters of the query ---- */

static const struct route with_params[] = {
  { "GET", "/things", "listThings", "", NULL, 0 },
};
static const char document[] =
  "{\"paths\":{\"/things\":{\"get\":{\"operationId\":\"listThings\",\"parameters\":["
  "{\"name\":\"limit\",\"in\":\"query\",\"schema\":{\"type\":\"integer\",\"minimum\":1,"
  "\"maximum\":500}},"
  "{\"name\":\"offset\",\"in\":\"query\",\"schema\":{\"type\":\"integer\",\"minimum\":0}},"
  "{\"name\":\"call_id\",\"in\":\"query\",\"schema\":{\"type\":\"string\",\"minLength\":1,"
  "\"maxLength\":3}},"
  "{\"$ref\":\"#/shared\"},"
  "{\"name\":\"Accept\",\"in\":\"header\",\"schema\":{}}]}}},"
  "\"shared\":{\"name\":\"format\",\"in\":\"query\",\"x-error-code\":\"bad_format\","
  "\"schema\":{\"enum\":[\"a\"]}}}";

static void
test_parameters_of_the_query (void)
{
  static const struct {
    const char *query, *message; /* NULL: it is taken */
  } rows[] = {
    { "", NULL },
    { "limit=1&offset=0&call_id=abc&format=a", NULL },
    { "format=b", "\"bad_format\",\"message\":\"format: expected one of a\"" },
    { "limit=500&offset=999999999999999999", NULL },
    { "limit=0", "limit: expected a number from 1 to 500" },
    { "limit=501", "limit: expected a number from 1 to 500" },
    { "limit=", "limit: expected a number from 1 to 500" },
    { "limit", "limit: expected a number from 1 to 500" },
    { "limit=1e2", "limit: expected a number from 1 to 500" },
    { "offset=-1", "offset: expected a number from 0 on" },
    { "offset=-", "offset: expected a number from 0 on" },
    { "offset=99999999999999999999", "offset: expected a number from 0 on" },
    { "call_id=", "call_id: expected a text whose bytes are from 1 to 3" },
    { "call_id=abcd", "call_id: expected a text whose bytes are from 1 to 3" },
    { "Accept=x", "Accept: unknown parameter; known are limit, offset, call_id, format" },
    { "limit=1&limit=1", "limit: stands twice" },
  };
  struct buf text = { 0 };
  struct params *params;

  buf_puts (&text, document);
  params = params_new (&text, with_params, 1);
  buf_free (&text);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    struct fake_answer a;
    char path[128];
    bool taken;
    snprintf (path, sizeof path, "/things?%s", rows[i].query);
    fake_http_request (&a, &fake_anonymous, "GET", path, "", NULL);
    taken = params_check (params, 0, a.x);
    CU_ASSERT_EQUAL (taken, rows[i].message == NULL);
    if (!taken && rows[i].message != NULL) {
      if (strstr (fake_http_body (&a), rows[i].message) == NULL)
        printf ("# %s: %s\n", path, fake_http_body (&a));
      CU_ASSERT_EQUAL (a.status, 400);
      CU_ASSERT_PTR_NOT_NULL (strstr (fake_http_body (&a), rows[i].message));
    }
    fake_answer_free (&a);
  }
  params_free (params);
}

static void
test_is_the_same_each_time (void)
{
  struct buf a = { 0 }, b = { 0 };

  rest_describe ("1", &a);
  rest_describe ("1", &b);
  CU_ASSERT_EQUAL (a.len, b.len);
  CU_ASSERT_EQUAL (memcmp (a.data, b.data, a.len), 0);
  buf_free (&a);
  buf_free (&b);
}

static CU_TestInfo tests[] = {
  { "every route is described, every description has its route", test_every_route_is_described },
  { "what lacks is told", test_what_lacks_is_told },
  { "every route is in the document", test_every_route_is_in_it },
  { "references resolve", test_references_resolve },
  { "segments of the path are its parameters", test_segments_are_parameters },
  { "a segment has one name on all paths", test_segments_have_one_name },
  { "the formats are those of the providers", test_formats_are_those_of_providers },
  { "refusals come from the tables that refuse", test_refusals },
  { "who may", test_security },
  { "parameters of the query are those it names", test_parameters_of_the_query },
  { "is the same each time", test_is_the_same_each_time },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = {
  { "openapi", NULL, NULL, NULL, NULL, tests },
  CU_SUITE_INFO_NULL,
};

TAP_MAIN (suites)
