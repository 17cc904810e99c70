/* Documents that are put together from several places, and merge patches of them. */
#include "base/json_tape.h"
#include "base/json_write.h"
#include "manage/compose.h"
#include "manage/merge_patch.h"
#include "tap.h"

/* ---- merge patches ---- */

static void
read_json (struct json_tape *tape, const char *text, struct arena *arena)
{
  CU_ASSERT_TRUE_FATAL (json_read (tape, text, strlen (text), &json_default_limits, arena));
}

/* The examples of RFC 7396, appendix A, and what the order is. */
static void
test_merge_patch (void)
{
  static const struct {
    const char *target, *patch, *result;
  } rows[] = {
    { "{\"a\":\"b\"}", "{\"a\":\"c\"}", "{\"a\":\"c\"}" },
    { "{\"a\":\"b\"}", "{\"b\":\"c\"}", "{\"a\":\"b\",\"b\":\"c\"}" },
    { "{\"a\":\"b\"}", "{\"a\":null}", "{}" },
    { "{\"a\":\"b\",\"b\":\"c\"}", "{\"a\":null}", "{\"b\":\"c\"}" },
    { "{\"a\":[\"b\"]}", "{\"a\":\"c\"}", "{\"a\":\"c\"}" },
    { "{\"a\":\"c\"}", "{\"a\":[\"b\"]}", "{\"a\":[\"b\"]}" },
    { "{\"a\":{\"b\":\"c\"}}", "{\"a\":{\"b\":\"d\",\"c\":null}}", "{\"a\":{\"b\":\"d\"}}" },
    { "{\"a\":[{\"b\":\"c\"}]}", "{\"a\":[1]}", "{\"a\":[1]}" },
    { "[\"a\",\"b\"]", "[\"c\",\"d\"]", "[\"c\",\"d\"]" },
    { "{\"a\":\"b\"}", "[\"c\"]", "[\"c\"]" },
    { "{\"a\":\"foo\"}", "null", "null" },
    { "{\"a\":\"foo\"}", "\"bar\"", "\"bar\"" },
    { "{\"e\":null}", "{\"a\":1}", "{\"e\":null,\"a\":1}" },
    { "[1,2]", "{\"a\":\"b\",\"c\":null}", "{\"a\":\"b\"}" },
    { "{}", "{\"a\":{\"bb\":{\"ccc\":null}}}", "{\"a\":{\"bb\":{}}}" },
    { "{\"z\":1,\"a\":2,\"m\":3}", "{\"a\":9,\"b\":1}", "{\"z\":1,\"a\":9,\"m\":3,\"b\":1}" },
    { "{\"\\u0061\":1}", "{\"a\":2}", "{\"a\":2}" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    CLEANUP_ARENA struct arena arena = { 0 };
    CLEANUP_BUF struct buf out = { 0 };
    struct json_writer w = { .out = &out };
    struct json_tape target, patch;
    read_json (&target, rows[i].target, &arena);
    read_json (&patch, rows[i].patch, &arena);
    merge_patch ((struct json_place){ &target, json_root (&target) },
                 (struct json_place){ &patch, json_root (&patch) }, &arena, &w);
    CU_ASSERT_STRING_EQUAL (buf_cstr (&out), rows[i].result);
  }
}

/* ---- names ---- */

static void
test_names (void)
{
  static const struct {
    const char *name;
    bool tool, endpoint;
  } rows[] = {
    { "save_meal", true, true },  { "a", true, true },     { "a9_", true, true },
    { "", false, false },         { "9a", false, false },  { "_a", false, false },
    { "Save", false, false },     { "a-b", false, false }, { "meal.log", false, true },
    { ".a", false, false },       { "a.", false, false },  { "a..b", false, false },
    { "\xc3\xa4", false, false }, { "a b", false, false }, { "a/b", false, false },
  };
  char longest[DOCUMENT_NAME_MAX + 1];

  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const size_t len = strlen (rows[i].name);
    CU_ASSERT_EQUAL (document_name (DEFINITION_TOOL, rows[i].name, len), rows[i].tool);
    CU_ASSERT_EQUAL (document_name (DEFINITION_ENDPOINT, rows[i].name, len), rows[i].endpoint);
  }
  memset (longest, 'a', sizeof longest);
  CU_ASSERT_TRUE (document_name (DEFINITION_TOOL, longest, DOCUMENT_NAME_MAX));
  CU_ASSERT_FALSE (document_name (DEFINITION_TOOL, longest, sizeof longest));
}

/* ---- putting together ---- */

struct replaced {
  unsigned count;
  char last[64], from[16], by[16];
};

static void
on_replaced (void *ctx, enum definition_kind kind, const struct piece *was, const char *from)
{
  struct replaced *r = ctx;

  (void) kind;
  r->count++;
  (void) snprintf (r->last, sizeof r->last, "%s", was->name);
  (void) snprintf (r->from, sizeof r->from, "%s", was->from);
  (void) snprintf (r->by, sizeof r->by, "%s", from);
}

static bool
add (struct composed *c, const char *text, const char *from, struct error *err)
{
  return compose_add_text (c, text, strlen (text), from, err);
}

static void
test_the_later_place_counts (void)
{
  struct replaced replaced = { 0 };
  struct composed c = { .replaced = on_replaced, .ctx = &replaced };
  CLEANUP_BUF struct buf out = { 0 };
  struct error err = { { 0 } };

  CU_ASSERT_TRUE (add (&c, "{ \"name\": \"b\", \"v\": 1 }", "files", &err));
  CU_ASSERT_TRUE (add (&c, "[{\"name\":\"a\",\"v\":1}]", "files", &err));
  CU_ASSERT_TRUE (add (&c,
                       "{\"tools\":[{\"name\":\"b\",\"v\":2}],\"endpoints\":[{\"name\":\"e.x\"}],"
                       "\"strict_templates\":true}",
                       "tenant", &err));
  CU_ASSERT_EQUAL (c.count, 3);
  CU_ASSERT_EQUAL (replaced.count, 1);
  CU_ASSERT_STRING_EQUAL (replaced.last, "b");
  CU_ASSERT_STRING_EQUAL (replaced.from, "files");
  CU_ASSERT_STRING_EQUAL (replaced.by, "tenant");
  compose_put (&c, &out);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&out),
                          "{\"tools\":[{\"name\":\"a\",\"v\":1},{\"name\":\"b\",\"v\":2}],"
                          "\"endpoints\":[{\"name\":\"e.x\"}],\"strict_templates\":true}");
  buf_reset (&out, 0);
  compose_put_endpoints (&c, "e.x", &out);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&out), "[]");
  composed_free (&c);
}

static void
test_what_is_wrong_is_told_with_its_place (void)
{
  static const struct {
    const char *text, *why;
  } rows[] = {
    { "{", "byte 1: " },
    { "7", "expected an object" },
    { "{\"name\":\"A\"}", "/name: expected 1 to 64" },
    { "{\"name\":7}", "/name: expected 1 to 64" },
    { "[{\"name\":\"a\"},{\"name\":\"a.b\"}]", "/1/name: expected" },
    { "[7]", "/0: expected an object, the document of a tool" },
    { "{\"tools\":{}}", "/tools: expected an array" },
    { "{\"tools\":[],\"endpoints\":[{\"name\":\"a.\"}]}", "/endpoints/0/name: expected" },
    { "{\"tols\":[]}", "/tols: expected \"tools\"" },
    { "{\"strict_templates\":1}", "/strict_templates: expected true or false" },
    { "{\"name\":\"a\",\"name\":\"a\"}", "byte" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    struct composed c = { .count = 0 };
    struct error err = { { 0 } };
    CU_ASSERT_FALSE (add (&c, rows[i].text, "files", &err));
    if (strncmp (err.text, rows[i].why, strlen (rows[i].why)) != 0)
      printf ("# %s: %s\n", rows[i].text, err.text);
    CU_ASSERT_EQUAL (strncmp (err.text, rows[i].why, strlen (rows[i].why)), 0);
    composed_free (&c);
  }
}

static CU_TestInfo tests[] = {
  { "merge patches", test_merge_patch },
  { "names", test_names },
  { "the later place counts", test_the_later_place_counts },
  { "what is wrong is told with its place", test_what_is_wrong_is_told_with_its_place },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "manage", NULL, NULL, NULL, NULL, tests }, CU_SUITE_INFO_NULL };
TAP_MAIN (suites)
