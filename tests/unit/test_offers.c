/* Resources, templates and prompts in the catalog. */
#include <stdlib.h>
#include <string.h>

#include "base/json_write.h"
#include "catalog/catalog.h"
#include "catalog/definition.h"
#include "schema/schema.h"
#include "tap.h"

/* What a worker says of a plugin with one tool and these resources and prompts. */
static void
say_list (struct json_writer *w, const char *list, const char *const *definitions)
{
  jsonw_name (w, list);
  jsonw_array (w);
  for (; *definitions != NULL; definitions++) {
    jsonw_object (w);
    jsonw_name_int (w, "max_time", 0);
    jsonw_name_bool (w, "completes", true);
    jsonw_name_string (w, "definition", *definitions);
    jsonw_end (w);
  }
  jsonw_end (w);
}

static void
read_all (struct described *d, const char *const *resources, const char *const *prompts)
{
  CLEANUP_BUF struct buf text = { 0 };
  struct json_writer w = { .out = &text };
  struct error err = { 0 };

  jsonw_object (&w);
  jsonw_name_string (&w, "name", "p");
  jsonw_name_string (&w, "version", "1");
  jsonw_name_string (&w, "threads", "parallel");
  say_list (
    &w, "tools",
    (const char *const[]){
      "{\"name\":\"t\",\"description\":\"d\",\"inputSchema\":{\"type\":\"object\"}}", NULL });
  say_list (&w, "resources", resources);
  say_list (&w, "prompts", prompts);
  jsonw_end (&w);
  CU_ASSERT_TRUE_FATAL (described_read (d, "p", text.data, text.len, NULL, &err));
}

#define LIST(...) ((const char *const[]){ __VA_ARGS__, NULL })
static const char *const none[] = { NULL };

static void
expect_problem (const char *const *resources, const char *const *prompts, const char *sentence)
{
  struct described d = { 0 };

  read_all (&d, resources, prompts);
  CU_ASSERT_EQUAL (d.tools_count, 1);
  CU_ASSERT_EQUAL_FATAL (d.problems_count, 1);
  if (strcmp (d.problems[0], sentence) != 0)
    printf ("# %s\n", d.problems[0]);
  CU_ASSERT_STRING_EQUAL (d.problems[0], sentence);
  described_free (&d);
}

/* ---- definitions ---- */

static void
a_resource (void)
{
  struct described d = { 0 };

  read_all (&d,
            LIST ("{ \"mimeType\": \"text/plain\", \"uri\": \"a:b\", \"name\": \"n\",\n"
                  "  \"_meta\": { \"k\": 1 }, \"more\": true }"),
            none);
  CU_ASSERT_EQUAL_FATAL (d.tools_count, 2);
  CU_ASSERT_EQUAL (d.tools[1]->offer, OFFER_RESOURCE);
  CU_ASSERT_EQUAL (d.tools[1]->index, 1);
  CU_ASSERT_STRING_EQUAL (d.tools[1]->name, "a:b");
  CU_ASSERT_STRING_EQUAL (
    buf_cstr (&d.tools[1]->mcp),
    "{\"uri\":\"a:b\",\"name\":\"n\",\"mimeType\":\"text/plain\",\"_meta\":{\"k\":1}}");
  CU_ASSERT_PTR_EQUAL (described_tool (&d, "t"), d.tools[0]);
  CU_ASSERT_PTR_NULL (described_tool (&d, "a:b"));
  described_free (&d);
}

static void
a_prompt (void)
{
  struct described d = { 0 };

  read_all (&d, none,
            LIST ("{\"name\":\"t\",\"description\":\"d\",\"arguments\":[{\"name\":\"a\","
                  "\"required\":true},{\"name\":\"b \\\"c\\\"\"}]}"));
  CU_ASSERT_EQUAL_FATAL (d.tools_count, 2);
  CU_ASSERT_EQUAL (d.tools[1]->offer, OFFER_PROMPT);
  CU_ASSERT_TRUE (d.tools[1]->completes);
  CU_ASSERT_PTR_NOT_NULL (d.tools[1]->input);
  described_free (&d);
}

static void
say_guards (struct described *d, const char *definition, bool checks, bool on_error)
{
  CLEANUP_BUF struct buf text = { 0 };
  struct json_writer w = { .out = &text };
  struct error err = { 0 };

  jsonw_object (&w);
  jsonw_name_string (&w, "name", "p");
  jsonw_name_string (&w, "version", "1");
  jsonw_name_string (&w, "threads", "parallel");
  say_list (&w, "tools", none);
  jsonw_name (&w, "guards");
  jsonw_array (&w);
  jsonw_object (&w);
  jsonw_name_bool (&w, "checks", checks);
  jsonw_name_bool (&w, "on_error", on_error);
  jsonw_name_string (&w, "definition", definition);
  jsonw_end (&w);
  jsonw_end (&w);
  jsonw_end (&w);
  CU_ASSERT_TRUE_FATAL (described_read (d, "file", text.data, text.len, NULL, &err));
}

/* It is known by its plugin's name, as the host knows it, and its own. */
static void
a_guard (void)
{
  struct described d = { 0 };

  say_guards (&d, "{\"name\":\"g\",\"description\":\"d\",\"configSchema\":{\"type\":\"object\"}}",
              true, false);
  CU_ASSERT_EQUAL_FATAL (d.tools_count, 1);
  CU_ASSERT_EQUAL (d.tools[0]->offer, OFFER_GUARD);
  CU_ASSERT_STRING_EQUAL (d.tools[0]->name, "file/g");
  CU_ASSERT_EQUAL (d.tools[0]->checks, CHECKS_INPUT | CHECKS_OUTPUT);
  CU_ASSERT_PTR_NOT_NULL (d.tools[0]->input);
  CU_ASSERT_STRING_EQUAL (offer_word (d.tools[0]->offer), "guard");
  described_free (&d);
  say_guards (&d, "{\"name\":\"g\",\"description\":\"d\",\"stages\":[\"output\"]}", true, true);
  CU_ASSERT_EQUAL_FATAL (d.tools_count, 1);
  CU_ASSERT_EQUAL (d.tools[0]->checks, CHECKS_OUTPUT | CHECKS_ERRORS);
  described_free (&d);
}

static void
faults_of_guards (void)
{
  static const struct {
    const char *definition, *sentence;
  } rows[] = {
    { "{\"name\":\"g\"}", "guard file/g: definition at /description: required string is missing" },
    { "{\"name\":\"a b\",\"description\":\"d\"}",
      "guard file/a b: definition at /name: expected text that matches the pattern "
      "^[A-Za-z0-9_-]{1,64}$ (How configurations name it, after its plugin: 1 to 64 of A-Z a-z "
      "0-9 _ -), got string \"a b\"" },
    { "{\"name\":\"g\",\"description\":\"d\",\"stages\":[\"error\"]}",
      "guard file/g: definition at /stages/0: expected one of \"input\", \"output\"; got string "
      "\"error\"" },
  };
  struct described d = { 0 };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    say_guards (&d, rows[i].definition, true, false);
    CU_ASSERT_EQUAL (d.tools_count, 0);
    CU_ASSERT_EQUAL_FATAL (d.problems_count, 1);
    CU_ASSERT_STRING_EQUAL (d.problems[0], rows[i].sentence);
    if (strcmp (d.problems[0], rows[i].sentence) != 0)
      printf ("# %s\n", d.problems[0]);
    described_free (&d);
  }
}

static void
faults_of_resources (void)
{
  expect_problem (LIST ("{\"uri\":\"a:b\"}"), none,
                  "resource a:b: definition at /name: required string is missing");
  expect_problem (LIST ("{\"name\":\"n\"}"), none,
                  "resource #0: definition: expected uri or uriTemplate, got neither");
  expect_problem (LIST ("{\"name\":\"n\",\"uri\":\"a:b\",\"uriTemplate\":\"a:{b}\"}"), none,
                  "resource a:{b}: definition: expected uri or uriTemplate, got both");
  expect_problem (
    LIST ("{\"name\":\"n\",\"uriTemplate\":\"a:{b:3}\"}"), none,
    "resource a:{b:3}: definition at /uriTemplate: \"b:3\" is no variable that can be "
    "found in a URI");
  expect_problem (LIST ("[]"), none,
                  "resource #0: definition: expected object, got an empty array");
}

static void
faults_of_prompts (void)
{
  expect_problem (none, LIST ("{\"name\":\"n\"}"),
                  "prompt n: definition at /description: required string is missing");
  expect_problem (none,
                  LIST ("{\"name\":\"n\",\"description\":\"d\",\"arguments\":[{\"name\":\"a\"},"
                        "{\"name\":\"a\"}]}"),
                  "prompt n: definition at /arguments: two arguments have the same name");
}

/* What is broken is left out, and what comes after it keeps its number. */
static void
the_rest_keeps_its_numbers (void)
{
  struct described d = { 0 };

  read_all (&d, LIST ("{}", "{\"name\":\"n\",\"uri\":\"a:b\"}"),
            LIST ("{\"name\":\"q\",\"description\":\"d\"}"));
  CU_ASSERT_EQUAL_FATAL (d.tools_count, 3);
  CU_ASSERT_EQUAL (d.tools[1]->index, 2);
  CU_ASSERT_EQUAL (d.tools[2]->index, 3);
  described_free (&d);
}

/* What a template lists: resources that it matches, with its calls. */
static void
a_list (void)
{
  struct described d = { 0 }, listed = { 0 };
  static const char list[] = "[{\"uri\":\"b:1\",\"name\":\"n\"},{\"uri\":\"c:1\",\"name\":\"n\"},"
                             "{\"uri\":\"b:1\",\"name\":\"m\"},{\"uriTemplate\":\"b:{y}\",\"name\":"
                             "\"n\"},{\"uri\":\"b:2\",\"name\":\"n\"}]";
  CLEANUP_BUF struct buf variables = { 0 };
  struct toolset *set;

  read_all (&d, LIST ("{\"name\":\"n\",\"uriTemplate\":\"b:{x}\"}"), none);
  CU_ASSERT_EQUAL_FATAL (d.tools_count, 2);
  described_list (&listed, d.tools[1], list, sizeof list - 1);
  CU_ASSERT_EQUAL_FATAL (listed.tools_count, 2);
  CU_ASSERT_STRING_EQUAL (listed.tools[1]->name, "b:2");
  CU_ASSERT_EQUAL (listed.tools[1]->index, d.tools[1]->index);
  CU_ASSERT_EQUAL_FATAL (listed.problems_count, 3);
  CU_ASSERT_STRING_EQUAL (listed.problems[0],
                          "resource c:1: the template b:{x} listed it and does not match it");
  CU_ASSERT_STRING_EQUAL (listed.problems[1], "resource b:1: it was listed twice");
  set = toolset_new ((struct tool *[]){ tool_ref (listed.tools[0]) }, 1, 1);
  described_free (&listed);
  described_free (&d);
  CU_ASSERT_PTR_NOT_NULL (toolset_resource (set, "b:1", 3, &variables));
  CU_ASSERT_STRING_EQUAL (buf_cstr (&variables), "{\"x\":\"1\"}");
  toolset_unref (set);
}

/* ---- sets ---- */

static struct toolset *
set_of (const char *const *resources, const char *const *prompts)
{
  struct described d = { 0 };
  struct toolset *set;

  read_all (&d, resources, prompts);
  for (size_t i = 0; i < d.tools_count; i++)
    tool_ref (d.tools[i]);
  set = toolset_new (d.tools, d.tools_count, 1);
  described_free (&d);
  return set;
}

static void
a_set_has_its_kinds_apart (void)
{
  struct toolset *set =
    set_of (LIST ("{\"name\":\"n\",\"uri\":\"b:2\"}", "{\"name\":\"n\",\"uriTemplate\":\"b:{x}\"}",
                  "{\"name\":\"n\",\"uri\":\"b:1\"}"),
            LIST ("{\"name\":\"t\",\"description\":\"d\"}"));

  CU_ASSERT_EQUAL (set->count, 1);
  CU_ASSERT_EQUAL (set->all, 5);
  CU_ASSERT_EQUAL_FATAL (set->of[OFFER_RESOURCE].count, 2);
  CU_ASSERT_STRING_EQUAL (set->of[OFFER_RESOURCE].list[0]->name, "b:1");
  CU_ASSERT_EQUAL (set->of[OFFER_TEMPLATE].count, 1);
  CU_ASSERT_EQUAL (set->of[OFFER_PROMPT].count, 1);
  CU_ASSERT_EQUAL (toolset_find (set, "t", 1)->offer, OFFER_TOOL);
  CU_ASSERT_EQUAL (offers_find (&set->of[OFFER_PROMPT], "t", 1)->offer, OFFER_PROMPT);
  CU_ASSERT_EQUAL (offers_after (&set->of[OFFER_RESOURCE], "b:1", 3), 1);
  toolset_unref (set);
}

/* Which answers, and with what. */
static const char *
answers (const struct toolset *set, const char *uri)
{
  static char text[256];
  CLEANUP_BUF struct buf variables = { 0 };
  const struct tool *tool = toolset_resource (set, uri, strlen (uri), &variables);

  snprintf (text, sizeof text, "%s %s", tool != NULL ? tool->name : "-", buf_cstr (&variables));
  return text;
}

static void
a_uri_finds_the_closest (void)
{
  struct toolset *set =
    set_of (LIST ("{\"name\":\"n\",\"uri\":\"b:1\"}", "{\"name\":\"n\",\"uriTemplate\":\"b:{x}\"}",
                  "{\"name\":\"n\",\"uriTemplate\":\"b:long-{y}\"}",
                  "{\"name\":\"n\",\"uriTemplate\":\"b:{z}/\"}"),
            none);

  CU_ASSERT_STRING_EQUAL (answers (set, "b:1"), "b:1 ");
  CU_ASSERT_STRING_EQUAL (answers (set, "b:2"), "b:{x} {\"x\":\"2\"}");
  CU_ASSERT_STRING_EQUAL (answers (set, "b:long-2"), "b:long-{y} {\"y\":\"2\"}");
  CU_ASSERT_STRING_EQUAL (answers (set, "b:2/"), "b:{z}/ {\"z\":\"2\"}");
  CU_ASSERT_STRING_EQUAL (answers (set, "c:1"), "- ");
  toolset_unref (set);
}

struct counter {
  struct catalog_watcher watcher; /* first */
  unsigned lists;
  char uri[32];
};

static void
on_changed (struct catalog_watcher *watcher, const struct catalog *of, unsigned lists)
{
  (void) of;
  ((struct counter *) watcher)->lists = lists;
}

static void
on_updated (struct catalog_watcher *watcher, const char *uri, size_t len)
{
  snprintf (((struct counter *) watcher)->uri, sizeof ((struct counter *) watcher)->uri, "%.*s",
            (int) len, uri);
}

static void
watchers_hear_which_lists (void)
{
  struct catalog *catalog = catalog_new ();
  struct counter counter = { .watcher = { .changed = on_changed, .updated = on_updated } };

  catalog_watch (catalog, &counter.watcher);
  catalog_swap (catalog, set_of (LIST ("{\"name\":\"n\",\"uriTemplate\":\"b:{x}\"}"), none));
  CU_ASSERT_EQUAL (counter.lists, CATALOG_TOOLS | CATALOG_RESOURCES);
  catalog_swap (catalog, set_of (none, LIST ("{\"name\":\"q\",\"description\":\"d\"}")));
  CU_ASSERT_EQUAL (counter.lists, CATALOG_RESOURCES | CATALOG_PROMPTS);
  catalog_tell (catalog, CATALOG_PROMPTS);
  CU_ASSERT_EQUAL (counter.lists, CATALOG_PROMPTS);
  catalog_updated (catalog, "b:1xx", 3);
  CU_ASSERT_STRING_EQUAL (counter.uri, "b:1");
  catalog_free (catalog);
}

static CU_TestInfo tests[] = {
  { "a resource", a_resource },
  { "a prompt", a_prompt },
  { "a guard", a_guard },
  { "each fault of a guard has its sentence", faults_of_guards },
  { "each fault of a resource has its sentence", faults_of_resources },
  { "each fault of a prompt has its sentence", faults_of_prompts },
  { "what comes after a broken one keeps its number", the_rest_keeps_its_numbers },
  { "what a template lists", a_list },
  { "a set has its kinds apart", a_set_has_its_kinds_apart },
  { "a URI finds the closest", a_uri_finds_the_closest },
  { "watchers hear which lists have changed", watchers_hear_which_lists },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "offers", NULL, NULL, NULL, NULL, tests }, CU_SUITE_INFO_NULL };
TAP_MAIN (suites)
