/* What tools/list shows to the clients of each revision. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "front/mcp/lists.h"
#include "tap.h"

#define SCHEMA(properties) "{\"type\":\"object\",\"properties\":{" properties "}}"

static struct tool *
tool_of (const char *name, const char *definition)
{
  struct tool *tool = xcalloc (1, sizeof *tool);

  tool->refs = 1;
  tool->name = xstrdup (name);
  tool->name_len = strlen (name);
  tool->plugin = xstrdup ("p");
  buf_puts (&tool->mcp, definition);
  return tool;
}

static struct toolset *
abc (uint64_t generation)
{
  struct tool *tools[] = { tool_of ("a", "{\"name\":\"a\"}"), tool_of ("b", "{\"name\":\"b\"}"),
                           tool_of ("c", "{\"name\":\"c\"}") };

  return toolset_new (tools, 3, generation);
}

static void
expect (struct mcp_lists *lists, const struct toolset *set, const char *revision, size_t from,
        size_t end, const char *expected)
{
  CLEANUP_BUF struct buf page = { 0 };

  mcp_lists_put (lists, set, revision, from, end, &page);
  if (page.len != strlen (expected)
      || (page.len != 0 && memcmp (page.data, expected, page.len) != 0))
    printf ("# %s: got %.*s\n", revision, (int) page.len, page.data != NULL ? page.data : "");
  CU_ASSERT_EQUAL_FATAL (page.len, strlen (expected));
  CU_ASSERT (page.len == 0 || memcmp (page.data, expected, page.len) == 0);
}

static void
each_revision_has_what_it_knows (void)
{
  static const char definition[] =
    "{\"name\":\"t\",\"title\":\"T\",\"description\":\"d\","
    "\"inputSchema\":" SCHEMA (
      "\"any\":true,\"never\":false") ","
                                      "\"outputSchema\":" SCHEMA (
                                        "\"any\":true") ","
                                                        "\"annotations\":{\"x\":true},\"icons\":[],"
                                                        "\"_meta\":{}}";
#define BEGIN "{\"name\":\"t\","
#define TITLE "\"title\":\"T\","
#define INPUT "\"description\":\"d\",\"inputSchema\":" SCHEMA ("\"any\":{},\"never\":{\"not\":{}}")
#define OUTPUT ",\"outputSchema\":" SCHEMA ("\"any\":{}")
#define ANNOTATIONS ",\"annotations\":{\"x\":true}"
  static const struct {
    const char *revision, *expected;
  } rows[] = {
    { "2026-07-28", definition },
    { "2025-11-25", BEGIN TITLE INPUT OUTPUT ANNOTATIONS ",\"icons\":[],\"_meta\":{}}" },
    { "2025-06-18", BEGIN TITLE INPUT OUTPUT ANNOTATIONS ",\"_meta\":{}}" },
    { "2025-03-26", BEGIN INPUT ANNOTATIONS "}" },
    { "2024-11-05", BEGIN INPUT "}" },
  };
  struct tool *tool = tool_of ("t", definition);
  struct toolset *set = toolset_new (&tool, 1, 1);
  struct mcp_lists lists;

  mcp_lists_init (&lists, NULL);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    expect (&lists, set, rows[i].revision, 0, 1, rows[i].expected);
  mcp_lists_free (&lists);
  toolset_unref (set);
}

static void
pages (void)
{
  struct toolset *set = abc (1), *none = toolset_new (NULL, 0, 2);
  struct mcp_lists lists;

  mcp_lists_init (&lists, NULL);
  expect (&lists, set, "2025-11-25", 0, 3, "{\"name\":\"a\"},{\"name\":\"b\"},{\"name\":\"c\"}");
  expect (&lists, set, "2025-11-25", 0, 2, "{\"name\":\"a\"},{\"name\":\"b\"}");
  expect (&lists, set, "2025-11-25", 2, 3, "{\"name\":\"c\"}");
  expect (&lists, set, "2025-11-25", 3, 3, "");
  expect (&lists, none, "2025-11-25", 0, 0, "");
  mcp_lists_free (&lists);
  toolset_unref (set);
  toolset_unref (none);
}

static void
each_is_written_once_for_a_toolset (void)
{
  struct toolset *set = abc (0), *next = abc (1);
  struct mcp_lists lists;

  mcp_lists_init (&lists, NULL);
  expect (&lists, set, "2026-07-28", 1, 2, "{\"name\":\"b\"}");
  buf_reset (&set->tools[1]->mcp, 0); /* no definition any more: it would be left out */
  expect (&lists, set, "2026-07-28", 0, 2, "{\"name\":\"a\"},{\"name\":\"b\"}");
  toolset_unref (set);
  buf_reset (&next->tools[0]->mcp, 0);
  buf_puts (&next->tools[0]->mcp, "{\"name\":\"n\"}");
  expect (&lists, next, "2026-07-28", 0, 2, "{\"name\":\"n\"},{\"name\":\"b\"}");
  mcp_lists_free (&lists);
  toolset_unref (next);
}

static void
what_nobody_asks_for_is_not_written (void)
{
  struct toolset *set = abc (1);
  struct mcp_lists lists;

  mcp_lists_init (&lists, NULL);
  expect (&lists, set, "2026-07-28", 0, 1, "{\"name\":\"a\"}");
  buf_reset (&set->tools[2]->mcp, 0); /* had it been written, this would come too late */
  expect (&lists, set, "2026-07-28", 0, 3, "{\"name\":\"a\"},{\"name\":\"b\"}");
  mcp_lists_free (&lists);
  toolset_unref (set);
}

static void
what_can_not_be_written_is_left_out (void)
{
  struct toolset *set = abc (1);
  FILE *file = tmpfile ();
  struct log *log = log_new (fileno (file), LOG_INFO);
  struct mcp_lists lists;
  char text[1024];
  ssize_t len;

  buf_reset (&set->tools[1]->mcp, 0);
  mcp_lists_init (&lists, log);
  expect (&lists, set, "2025-06-18", 0, 3, "{\"name\":\"a\"},{\"name\":\"c\"}");
  expect (&lists, set, "2025-06-18", 1, 2, "");
  mcp_lists_free (&lists);
  toolset_unref (set);
  log_free (log);
  len = pread (fileno (file), text, sizeof text - 1, 0);
  text[len > 0 ? len : 0] = '\0';
  CU_ASSERT_PTR_NOT_NULL (strstr (text, "\"event\":\"tool_not_listed\",\"tool\":\"b\","
                                        "\"plugin\":\"p\",\"revision\":\"2025-06-18\""));
  CU_ASSERT_PTR_EQUAL (strchr (text, '\n'), text + strlen (text) - 1); /* told once */
  (void) fclose (file);
}

static CU_TestInfo tests[] = {
  { "each revision has what it knows", each_revision_has_what_it_knows },
  { "a page is a piece of the list", pages },
  { "a tool is written once for a toolset", each_is_written_once_for_a_toolset },
  { "what nobody asks for is not written", what_nobody_asks_for_is_not_written },
  { "what can't be written is left out, and told", what_can_not_be_written_is_left_out },
  CU_TEST_INFO_NULL
};

static CU_SuiteInfo suites[] = { { "mcp_lists", NULL, NULL, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };

TAP_MAIN (suites)
