/* Arguments that are repeated as headers. */
#include "catalog/mirrored.h"

#include <stdlib.h>

#include "tap.h"

#define OBJECT(properties) "{\"type\":\"object\",\"properties\":{" properties "}}"
#define REGION(more) "\"region\":{\"type\":\"string\"," more "}"
#define AS(name) "\"x-mcp-header\":" name

static bool
read_list (const char *schema, struct mirrored_list *list, struct error *err)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  CU_ASSERT_FATAL (json_read (&tape, schema, strlen (schema), &json_default_limits, &arena));
  return mirrored_read (list, &tape, json_root (&tape), err);
}

static void
test_good (void)
{
  static const struct {
    const char *schema;
    size_t count;
    const char *header, *pointer; /* of the first */
  } cases[] = {
    { "true", 0, "", "" },
    { OBJECT (REGION ("\"title\":\"r\"")), 0, "", "" },
    { OBJECT (REGION (AS ("\"Region\""))), 1, "mcp-param-region", "/region" },
    { OBJECT ("\"a/b~c\":{\"type\":\"integer\"," AS ("\"X\"") "}"), 1, "mcp-param-x", "/a~1b~0c" },
    { OBJECT (
        "\"in\":" OBJECT (REGION (AS ("\"R\""))) ",\"q\":{\"type\":\"boolean\"," AS ("\"q!\"") "}"),
      2, "mcp-param-r", "/in/region" },
    { OBJECT ("\"x-mcp-header\":{\"type\":\"string\"}"), 0, "", "" }, /* an argument's name */
    { OBJECT (REGION ("\"default\":{\"x-mcp-header\":1},\"enum\":[{\"x-mcp-header\":1}]")), 0, "",
      "" },
  };

  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct mirrored_list list = { NULL, 0 };
    struct error err = { 0 };
    CU_ASSERT (read_list (cases[i].schema, &list, &err));
    CU_ASSERT_STRING_EQUAL (err.text, "");
    CU_ASSERT_EQUAL_FATAL (list.count, cases[i].count);
    if (list.count != 0) {
      CU_ASSERT_STRING_EQUAL (list.list[0].header, cases[i].header);
      CU_ASSERT_STRING_EQUAL (list.list[0].pointer, cases[i].pointer);
    }
    mirrored_free (&list);
  }
}

static void
test_refused (void)
{
#define NAME "x-mcp-header: expected a name that can stand in a header"
#define TYPE                                                                                       \
  "x-mcp-header: expected \"type\" beside it to be \"string\", \"integer\" or \"boolean\""
#define PLACE                                                                                      \
  "x-mcp-header: it can't stand here: only at an argument that is reached through \"properties\" " \
  "alone"
  static const struct {
    const char *schema, *sentence;
  } cases[] = {
    { OBJECT (REGION (AS ("\"\""))), "/properties/region: " NAME },
    { OBJECT (REGION (AS ("\"a b\""))), "/properties/region: " NAME },
    { OBJECT (REGION (AS ("\"a\\u0000\""))), "/properties/region: " NAME },
    { OBJECT (REGION (AS ("1"))), "/properties/region: " NAME },
    { OBJECT ("\"n\":{\"type\":\"number\"," AS ("\"N\"") "}"), "/properties/n: " TYPE },
    { OBJECT ("\"n\":{" AS ("\"N\"") "}"), "/properties/n: " TYPE },
    { OBJECT (REGION (AS ("\"A\"")) ",\"b\":{\"type\":\"string\"," AS ("\"a\"") "}"),
      "/properties/b: x-mcp-header: there is another of this name" },
    { "{\"type\":\"string\"," AS ("\"A\"") "}", ": " PLACE },
    { "{\"$defs\":{\"r\":{\"type\":\"string\"," AS ("\"A\"") "}}}", "/$defs/r: " PLACE },
    { OBJECT ("\"l\":{\"items\":{\"type\":\"string\"," AS ("\"A\"") "}}"),
      "/properties/l/items: " PLACE },
    { "{\"allOf\":[" OBJECT (REGION (AS ("\"A\""))) "]}", "/allOf/properties/region: " PLACE },
  };

  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct mirrored_list list = { NULL, 0 };
    struct error err = { 0 };
    CU_ASSERT_FALSE (read_list (cases[i].schema, &list, &err));
    CU_ASSERT_STRING_EQUAL (err.text, cases[i].sentence);
    mirrored_free (&list);
  }
}

static CU_TestInfo all[] = {
  { "found", test_good },
  { "refused, with the reason", test_refused },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = { { "mirrored", NULL, NULL, NULL, NULL, all }, CU_SUITE_INFO_NULL };

TAP_MAIN (suites)
