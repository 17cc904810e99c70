/* Tools by name, tag and plugin, and by words. */
#include "catalog/catalog.h"
#include "catalog/filter.h"
#include "catalog/search.h"
#include "tap.h"

static struct tool *
tool_of (const char *name, const char *title, const char *description, const char *tag,
         const char *plugin)
{
  struct tool *tool = xcalloc (1, sizeof *tool);

  tool->refs = 1;
  tool->name = xstrdup (name);
  tool->name_len = strlen (name);
  tool->plugin = xstrdup (plugin);
  tool->description = xstrdup (description);
  buf_printf (&tool->mcp, "{\"name\":\"%s\",\"title\":\"%s\"}", name, title);
  if (tag != NULL) {
    tool->tags = xcalloc (1, sizeof *tool->tags);
    tool->tags[tool->tags_count++] = xstrdup (tag);
  }
  return tool;
}

static struct toolset *
some_tools (void)
{
  struct tool *tools[] = {
    tool_of ("calculator", "Calculator", "Evaluate an arithmetic expression.", "math",
             "calculator"),
    tool_of ("clock_now", "Clock", "The time now, in any time zone.", "time", "clock"),
    tool_of ("clock_convert", "Convert times", "Convert a time from a zone to another.", "time",
             "clock"),
    tool_of ("file_read", "Read", "Read a file below a granted folder.", NULL, "files"),
    tool_of ("file_list", "List", "List the files of a folder.", NULL, "files"),
    tool_of ("sendMail", "Mail", "Send a message to somebody. Not about time.", NULL, "mail"),
  };

  return toolset_new (tools, sizeof tools / sizeof *tools, 1);
}

static struct filter_list
list (const char *text)
{
  return (struct filter_list){ text, text != NULL ? strlen (text) : 0 };
}

/* The names of what is meant, each with a blank behind it. */
static void
expect_meant (const char *tools, const char *tags, const char *plugins, const char *expected)
{
  struct toolset *set = some_tools ();
  struct tool_filter filter = { list (tools), list (tags), list (plugins) };
  struct toolset *meant = filter_toolset (&filter, set);
  CLEANUP_BUF struct buf names = { 0 };

  for (size_t i = 0; i < meant->count; i++)
    buf_printf (&names, "%s ", meant->tools[i]->name);
  if (strcmp (buf_cstr (&names), expected) != 0)
    printf ("# got %s\n", buf_cstr (&names));
  CU_ASSERT_STRING_EQUAL (buf_cstr (&names), expected);
  toolset_unref (meant);
  toolset_unref (set);
}

static void
by_name_tag_and_plugin (void)
{
  expect_meant (NULL, NULL, NULL,
                "calculator clock_convert clock_now file_list file_read sendMail ");
  expect_meant ("c*", NULL, NULL, "calculator clock_convert clock_now ");
  expect_meant ("*_*", NULL, NULL, "clock_convert clock_now file_list file_read ");
  expect_meant ("*o*k*n*w", NULL, NULL, "clock_now ");
  expect_meant ("calculator, file_*", NULL, NULL, "calculator file_list file_read ");
  expect_meant ("calc", NULL, NULL, "");
  expect_meant ("", NULL, NULL, "");
  expect_meant (",,", NULL, NULL, "");
  expect_meant (NULL, "math,time", NULL, "calculator clock_convert clock_now ");
  expect_meant ("*convert", "math,time", NULL, "clock_convert ");
  expect_meant (NULL, NULL, "f*", "file_list file_read ");
  expect_meant (NULL, "time", "files", "");
}

static void
what_is_no_tool_stays (void)
{
  struct tool *tools[] = { tool_of ("a", "", "", NULL, "p"), tool_of ("x:y", "", "", NULL, "p") };
  struct tool_filter filter = { .tools = list ("none") };
  struct toolset *set, *meant;

  tools[1]->offer = OFFER_RESOURCE;
  set = toolset_new (tools, 2, 7);
  meant = filter_toolset (&filter, set);
  CU_ASSERT_EQUAL (meant->count, 0);
  CU_ASSERT_EQUAL (meant->of[OFFER_RESOURCE].count, 1);
  CU_ASSERT_EQUAL (meant->generation, 7);
  toolset_unref (meant);
  toolset_unref (set);
}

static void
a_catalog_keeps_its_views (void)
{
  struct catalog *catalog = catalog_new ();
  struct tool_filter filter = { .tools = list ("file*") };
  struct toolset *meant;
  struct search *search;

  catalog_swap (catalog, some_tools ());
  meant = catalog_meant (catalog, &filter);
  CU_ASSERT_EQUAL (meant->count, 2);
  CU_ASSERT_PTR_EQUAL (catalog_meant (catalog, &filter), meant);
  CU_ASSERT_PTR_EQUAL (catalog_meant (catalog, &(struct tool_filter){ .tools = { NULL, 0 } }),
                       catalog_toolset (catalog));
  search = catalog_search (catalog);
  CU_ASSERT_PTR_EQUAL (catalog_search (catalog), search);
  for (int i = 0; i < 100; i++) {
    char name[16];
    snprintf (name, sizeof name, "x%d", i);
    CU_ASSERT_EQUAL (catalog_meant (catalog, &(struct tool_filter){ .tools = list (name) })->count,
                     0);
  }
  CU_ASSERT_EQUAL (catalog_meant (catalog, &filter)->count, 2);
  catalog_swap (catalog, toolset_new (NULL, 0, 2));
  CU_ASSERT_EQUAL (catalog_meant (catalog, &filter)->count, 0);
  CU_ASSERT_PTR_EQUAL (search_toolset (catalog_search (catalog)), catalog_toolset (catalog));
  catalog_free (catalog);
}

/* ---- words ---- */

static void
expect_found (struct search *s, const char *query, const char *expected)
{
  const struct tool *found[4];
  CLEANUP_BUF struct buf names = { 0 };
  size_t count = search_find (s, query, strlen (query), NULL, found, 4);

  for (size_t i = 0; i < count; i++)
    buf_printf (&names, "%s ", found[i]->name);
  if (strcmp (buf_cstr (&names), expected) != 0)
    printf ("# %s: got %s\n", query, buf_cstr (&names));
  CU_ASSERT_STRING_EQUAL (buf_cstr (&names), expected);
}

static void
the_best_come_first (void)
{
  struct toolset *set = some_tools ();
  struct search *s = search_new (set);

  expect_found (s, "clock_now", "clock_now clock_convert ");
  expect_found (s, "arithmetic", "calculator ");
  expect_found (s, "MATH", "calculator ");
  expect_found (s, "calc", "calculator "); /* begins so */
  expect_found (s, "mail", "sendMail ");   /* camelCase */
  expect_found (s, "folder", "file_list file_read ");
  expect_found (s, "reads files", "file_read file_list "); /* both words, both numbers */
  expect_found (s, "zone convert", "clock_convert clock_now ");
  expect_found (s, "time", "clock_convert clock_now sendMail ");
  search_free (s);
  toolset_unref (set);
}

/* So many words that the table of them grows often. */
static void
each_of_many_is_found (void)
{
  enum { MANY = 3000 };
  struct tool **tools = xcalloc (MANY, sizeof (struct tool *));
  struct toolset *set;
  struct search *s;
  char name[32];

  for (size_t i = 0; i < MANY; i++) {
    snprintf (name, sizeof name, "word%zux same", i);
    tools[i] = tool_of (name, "", "same same", NULL, "p");
  }
  set = toolset_new (tools, MANY, 1);
  s = search_new (set);
  for (size_t i = 0; i < MANY; i++) {
    const struct tool *found[2];
    snprintf (name, sizeof name, "word%zux", i);
    CU_ASSERT_EQUAL_FATAL (search_find (s, name, strlen (name), NULL, found, 2), 1);
    CU_ASSERT_NSTRING_EQUAL (found[0]->name, name, strlen (name));
  }
  search_free (s);
  toolset_unref (set);
  free (tools);
}

static void
limits (void)
{
  struct toolset *set = some_tools ();
  struct search *s = search_new (set);
  struct toolset *none = toolset_new (NULL, 0, 1);
  const struct tool *found[1];
  char *long_query = xmalloc (100000);

  memset (long_query, 'x', 100000);
  CU_ASSERT_EQUAL (search_find (s, "clock", 5, NULL, found, 1), 1);
  CU_ASSERT_EQUAL (search_find (s, "clock", 5, none, found, 1), 0);
  CU_ASSERT_EQUAL (search_find (s, "", 0, NULL, found, 1), 0);
  CU_ASSERT_EQUAL (search_find (s, "?! -", 4, NULL, found, 1), 0);
  CU_ASSERT_EQUAL (search_find (s, long_query, 100000, NULL, found, 1), 0);
  free (long_query);
  search_free (s);
  s = search_new (none);
  CU_ASSERT_EQUAL (search_find (s, "clock", 5, NULL, found, 1), 0);
  search_free (s);
  toolset_unref (none);
  toolset_unref (set);
}

static CU_TestInfo filters[] = { { "by name, tag and plugin", by_name_tag_and_plugin },
                                 { "what is no tool stays", what_is_no_tool_stays },
                                 { "a catalog keeps its views", a_catalog_keeps_its_views },
                                 CU_TEST_INFO_NULL };
static CU_TestInfo words[] = { { "the best come first", the_best_come_first },
                               { "each of many is found", each_of_many_is_found },
                               { "limits", limits },
                               CU_TEST_INFO_NULL };
static CU_SuiteInfo suites[] = { { "filter", NULL, NULL, NULL, NULL, filters },
                                 { "search", NULL, NULL, NULL, NULL, words },
                                 CU_SUITE_INFO_NULL };
TAP_MAIN (suites)
