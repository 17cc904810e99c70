/* Tools and toolsets, and the definitions they are made of. */
#include <stdlib.h>
#include <string.h>

#include "catalog/catalog.h"
#include "catalog/definition.h"
#include "description.h"
#include "tap.h"

#define GOOD "{\"name\":\"t\",\"description\":\"d\",\"inputSchema\":{\"type\":\"object\"}}"

static void
read_all (struct described *d, const char *const *definitions, int64_t max_time)
{
  CLEANUP_BUF struct buf text = { 0 };
  struct error err = { 0 };

  description_put (&text, definitions, max_time);
  CU_ASSERT_TRUE_FATAL (described_read (d, "p", text.data, text.len, NULL, &err));
}

/* The schema of a kind is compiled once for all that are read with it. */
static void
schemas_are_kept (void)
{
  const char *const good[] = { GOOD, NULL }, *const bad[] = { "{\"name\":\"t\"}", NULL };
  struct definition_schemas kept = { .of = { NULL } };
  CLEANUP_BUF struct buf text = { 0 };
  struct described d = { 0 };
  const struct schema *schema;
  struct error err = { 0 };

  description_put (&text, good, -1);
  CU_ASSERT_TRUE_FATAL (described_read (&d, "p", text.data, text.len, &kept, &err));
  CU_ASSERT_EQUAL (d.tools_count, 1);
  described_free (&d);
  schema = kept.of[0];
  CU_ASSERT_PTR_NOT_NULL (schema);
  CU_ASSERT_PTR_NULL (kept.of[1]);
  text.len = 0;
  description_put (&text, bad, -1);
  CU_ASSERT_TRUE_FATAL (described_read (&d, "q", text.data, text.len, &kept, &err));
  CU_ASSERT_EQUAL (d.tools_count, 0);
  CU_ASSERT_EQUAL (d.problems_count, 1);
  CU_ASSERT_PTR_EQUAL (kept.of[0], schema);
  described_free (&d);
  definition_schemas_clear (&kept);
  CU_ASSERT_PTR_NULL (kept.of[0]);
}

static void
a_good_definition (void)
{
  struct described d = { 0 };
  read_all (
    &d,
    (const char *const[]){
      "{ \"name\": \"t\", \"title\": \"T\", \"description\": \"d\",\n"
      "  \"inputSchema\": { \"type\": \"object\" }, \"outputSchema\": { \"type\": \"array\" },\n"
      "  \"annotations\": { \"idempotentHint\": true }, \"toolhost\": { \"strict\": true } }",
      NULL },
    -1);
  CU_ASSERT_EQUAL_FATAL (d.tools_count, 1);
  const struct tool *t = d.tools[0];
  CU_ASSERT_EQUAL (t->max_time_ms, INT64_MAX);
  CU_ASSERT_TRUE (t->idempotent);
  CU_ASSERT_PTR_NOT_NULL (t->input);
  CU_ASSERT_PTR_NOT_NULL (t->output);
  CU_ASSERT_TRUE (t->strict);
  CU_ASSERT_PTR_NOT_NULL (strstr (buf_cstr ((struct buf *) &t->mcp), "outputSchema"));
  CU_ASSERT_PTR_NULL (strstr (buf_cstr ((struct buf *) &t->mcp), "\"toolhost\""));
  described_free (&d);
}

static void
an_internal_one (void)
{
  struct described d = { 0 };

  read_all (&d,
            (const char *const[]){
              GOOD,
              "{\"name\":\"u\",\"description\":\"d\",\"inputSchema\":{\"type\":\"object\"},"
              "\"toolhost\":{\"internal\":true}}",
              NULL },
            0);
  CU_ASSERT_EQUAL_FATAL (d.tools_count, 2);
  CU_ASSERT_FALSE (d.tools[0]->internal);
  CU_ASSERT_TRUE (d.tools[1]->internal);
  described_free (&d);
}

static void
broken_definitions (void)
{
  static const struct {
    const char *definition, *sentence;
  } rows[] = {
    { "{", "tool #0: definition is not JSON" },
    { "[]", "tool #0: definition: expected object" },
    { "{\"description\":\"d\"}", "tool #0: definition at /" },
    { "{\"name\":\"a b\",\"description\":\"d\",\"inputSchema\":{\"type\":\"object\"}}",
      "tool #0: definition at /name: expected" },
    { "{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\"}}",
      "tool t: definition at /description: required string is missing" },
    { "{\"name\":\"t\",\"description\":\"d\"}",
      "tool t: definition at /inputSchema: required object is missing" },
    { "{\"name\":\"t\",\"description\":\"d\",\"inputSchema\":[]}",
      "definition at /inputSchema: expected object" },
    { "{\"name\":\"t\",\"description\":\"d\",\"inputSchema\":{\"type\":\"string\"}}",
      "definition at /inputSchema/type: expected \"object\"" },
    { "{\"name\":\"t\",\"description\":\"d\",\"inputSchema\":{}}",
      "definition at /inputSchema/type: required" },
    { "{\"name\":\"t\",\"description\":\"d\",\"inputSchema\":{\"type\":\"object\",\"properties\":"
      "{\"a\":{\"$ref\":\"https://example.com/x\"}}}}",
      "tool t: /inputSchema/properties/a" },
    { "{\"name\":\"t\",\"description\":\"d\",\"inputSchema\":{\"type\":\"object\"},"
      "\"outputSchema\":{\"minimum\":\"1\"}}",
      "tool t: /outputSchema/minimum" },
    { "{\"name\":\"t\",\"description\":\"turn \\u202e "
      "round\",\"inputSchema\":{\"type\":\"object\"}}",
      "U+202E" },
    { "{\"name\":\"t\",\"description\":\"a\\u0000b\",\"inputSchema\":{\"type\":\"object\"}}",
      "/description: holds the control character U+0000" },
    { "{\"name\":\"t\",\"description\":\"d\",\"annotations\":1,\"inputSchema\":{\"type\":"
      "\"object\"}}",
      "definition at /annotations: expected object" },
    { "{\"name\":\"t\",\"description\":\"d\",\"annotations\":{\"readOnlyHint\":\"yes\"},"
      "\"inputSchema\":{\"type\":\"object\"}}",
      "definition at /annotations/readOnlyHint: expected boolean" },
    { "{\"name\":\"t\",\"description\":\"d\",\"toolhost\":[],\"inputSchema\":{\"type\":"
      "\"object\"}}",
      "definition at /toolhost: expected object" },
    { "{\"name\":\"t\",\"name\":\"u\"}", "duplicate" },
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct described d = { 0 };
    read_all (&d, (const char *const[]){ rows[i].definition, GOOD, NULL }, 0);
    CU_ASSERT_EQUAL (d.tools_count, 1); /* the good one lives */
    CU_ASSERT_EQUAL_FATAL (d.problems_count, 1);
    CU_ASSERT_PTR_NOT_NULL (strstr (d.problems[0], rows[i].sentence));
    if (strstr (d.problems[0], rows[i].sentence) == NULL)
      printf ("# row %zu: %s\n", i, d.problems[0]);
    described_free (&d);
  }
}

static void
two_of_one_name (void)
{
  struct described d = { 0 };

  read_all (&d, (const char *const[]){ GOOD, GOOD, NULL }, 0);
  CU_ASSERT_EQUAL (d.tools_count, 1);
  CU_ASSERT_PTR_NOT_NULL (strstr (d.problems[0], "another tool of this name"));
  described_free (&d);
}

static void
unusable_descriptions (void)
{
  static const char *const texts[] = { "", "{}", "[1]", "{\"name\":\"p\",\"version\":\"1\"}",
                                       "{\"name\":\"p\",\"version\":\"1\",\"threads\":\"many\"}" };

  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct described d = { 0 };
    struct error err = { 0 };
    CU_ASSERT_FALSE (described_read (&d, "p", texts[i], strlen (texts[i]), NULL, &err));
    CU_ASSERT_STRING_NOT_EQUAL (err.text, "");
    described_free (&d);
  }
}

/* ---- toolsets ---- */

static struct tool *
tool_named (const char *name)
{
  struct tool *tool = xcalloc (1, sizeof *tool);

  tool->refs = 1;
  tool->name = xstrdup (name);
  tool->name_len = strlen (name);
  buf_printf (&tool->mcp, "{\"name\":\"%s\"}", name);
  return tool;
}

static struct toolset *
set_of (const char *const *names)
{
  struct tool *tools[8];
  size_t count = 0;

  for (; *names != NULL; names++)
    tools[count++] = tool_named (*names);
  return toolset_new (tools, count, 1);
}

static void
sorted_and_found (void)
{
  struct toolset *set = set_of ((const char *const[]){ "b", "ab", "a", "c", NULL });

  CU_ASSERT_STRING_EQUAL (set->tools[0]->name, "a");
  CU_ASSERT_STRING_EQUAL (set->tools[1]->name, "ab");
  CU_ASSERT_PTR_EQUAL (toolset_find (set, "c", 1), set->tools[3]);
  CU_ASSERT_PTR_NULL (toolset_find (set, "abc", 3));
  CU_ASSERT_PTR_NULL (toolset_find (set, "", 0));
  CU_ASSERT_PTR_NULL (toolset_find (set, "ab", 1 + 2)); /* a NUL in the name */
  toolset_unref (set);
}

static void
pages_go_on_after_a_name_that_is_gone (void)
{
  struct toolset *set = set_of ((const char *const[]){ "a", "c", NULL });

  CU_ASSERT_EQUAL (toolset_after (set, "b", 1), 1);
  CU_ASSERT_EQUAL (toolset_after (set, "z", 1), 2);
  toolset_unref (set);
}

struct counter {
  struct catalog_watcher watcher;
  int changes;
};

static void
count_change (struct catalog_watcher *watcher, const struct catalog *of, unsigned lists)
{
  (void) of;
  CU_ASSERT_EQUAL (lists, CATALOG_TOOLS);
  ((struct counter *) watcher)->changes++;
}

static void
watchers_hear_only_of_changes (void)
{
  struct catalog *catalog = catalog_new ();
  struct counter counter = { .watcher = { .changed = count_change } };

  catalog_watch (catalog, &counter.watcher);
  catalog_swap (catalog, set_of ((const char *const[]){ "a", NULL }));
  CU_ASSERT_EQUAL (counter.changes, 1);
  catalog_swap (catalog, set_of ((const char *const[]){ "a", NULL }));
  CU_ASSERT_EQUAL (counter.changes, 1);
  catalog_unwatch (&counter.watcher);
  catalog_swap (catalog, set_of ((const char *const[]){ "b", NULL }));
  CU_ASSERT_EQUAL (counter.changes, 1);
  catalog_free (catalog);
}

static void
a_kept_toolset_outlives_a_swap (void)
{
  struct catalog *catalog = catalog_new ();
  struct toolset *kept;

  catalog_swap (catalog, set_of ((const char *const[]){ "a", NULL }));
  kept = toolset_ref (catalog_toolset (catalog));
  catalog_swap (catalog, set_of ((const char *const[]){ NULL }));
  CU_ASSERT_PTR_NOT_NULL (toolset_find (kept, "a", 1));
  CU_ASSERT_PTR_NULL (toolset_find (catalog_toolset (catalog), "a", 1));
  toolset_unref (kept);
  catalog_free (catalog);
}

static CU_TestInfo definitions[] = { { "schemas are kept", schemas_are_kept },
                                     { "a good one", a_good_definition },
                                     { "an internal one", an_internal_one },
                                     { "broken ones harm nobody", broken_definitions },
                                     { "two of one name", two_of_one_name },
                                     { "descriptions that can't be used", unusable_descriptions },
                                     CU_TEST_INFO_NULL };
static CU_TestInfo toolsets[] = {
  { "sorted and found", sorted_and_found },
  { "pages after a name that is gone", pages_go_on_after_a_name_that_is_gone },
  { "watchers hear only of changes", watchers_hear_only_of_changes },
  { "a kept one outlives a swap", a_kept_toolset_outlives_a_swap },
  CU_TEST_INFO_NULL
};
static CU_SuiteInfo suites[] = { { "definition", NULL, NULL, NULL, NULL, definitions },
                                 { "toolset", NULL, NULL, NULL, NULL, toolsets },
                                 CU_SUITE_INFO_NULL };
TAP_MAIN (suites)
