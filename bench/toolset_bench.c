/* toolset_bench - what a large toolset costs: listing its first page, searching it, filtering it.
 *
 * toolset_bench [TOOLS] prints a line for each, in microseconds: the first time, the median and the
 * 99th of a hundred of a thousand times. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "catalog/catalog.h"
#include "catalog/filter.h"
#include "catalog/search.h"
#include "front/mcp/lists.h"
#include "front/mcp/message.h"

enum { TIMES = 1000, PAGE = 100, PAGE_BYTES = 1 << 20 };

static const char *const verbs[] = { "get",    "list",  "create", "delete", "update",
                                     "search", "merge", "export", "import", "verify" };
static const char *const things[] = { "invoice", "customer", "ticket",   "message", "calendar",
                                      "file",    "report",   "contract", "payment", "address" };
static const char *const places[] = { "billing", "support", "sales",  "archive",  "warehouse",
                                      "travel",  "legal",   "hiring", "security", "research" };

struct bench {
  struct catalog *catalog;
  struct mcp_lists lists;
  struct buf page;
  size_t turn, seen; /* `seen` keeps the compiler from leaving work out */
};

static struct tool *
tool_of (size_t i)
{
  const char *verb = verbs[i % 10], *thing = things[i / 10 % 10], *place = places[i / 100 % 10];
  struct tool *tool = xcalloc (1, sizeof *tool);
  struct buf name = { 0 }, description = { 0 };

  buf_printf (&name, "%s_%s_%s_%zu", place, verb, thing, i / 1000);
  buf_printf (
    &description,
    "The tool number %zu of department %s: %s one %s, or several of them at once, and say "
    "what was done.",
    i, place, verb, thing);
  tool->refs = 1;
  tool->name = xstrdup (buf_cstr (&name));
  tool->name_len = name.len;
  tool->plugin = xstrdup (place);
  tool->description = xstrdup (buf_cstr (&description));
  buf_printf (
    &tool->mcp,
    "{\"name\":\"%s\",\"description\":\"%s\",\"inputSchema\":{\"type\":\"object\","
    "\"properties\":{\"id\":{\"type\":\"string\",\"description\":\"Which %s.\"},\"limit\":"
    "{\"type\":\"integer\",\"minimum\":1}},\"required\":[\"id\"]}}",
    tool->name, tool->description, thing);
  buf_free (&name);
  buf_free (&description);
  return tool;
}

static void
fill (struct bench *b, size_t count)
{
  struct tool **tools = xcalloc (count, sizeof (struct tool *));

  for (size_t i = 0; i < count; i++)
    tools[i] = tool_of (i);
  b->catalog = catalog_new ();
  catalog_swap (b->catalog, toolset_new (tools, count, 1));
  free (tools);
}

static void
list_page (struct bench *b)
{
  const struct toolset *set = catalog_toolset (b->catalog);

  buf_reset (&b->page, PAGE_BYTES);
  mcp_lists_put (&b->lists, set, MCP_MODERN_VERSION, 0, set->count < PAGE ? set->count : PAGE,
                 &b->page);
  b->seen += b->page.len;
}

static void
search (struct bench *b)
{
  const struct tool *found[10];
  char query[64];
  int len = snprintf (query, sizeof query, "%s a %s in %s", verbs[b->turn % 10],
                      things[b->turn / 10 % 10], places[b->turn / 100 % 10]);

  b->seen += search_find (catalog_search (b->catalog), query, (size_t) len, NULL, found, 10);
}

static void
filter (struct bench *b)
{
  char text[16];
  int len = snprintf (text, sizeof text, "*_%zu", b->turn % 100); /* more than are kept */

  b->seen +=
    catalog_meant (b->catalog, &(struct tool_filter){ .tools = { text, (size_t) len } })->count;
}

static int
compare (const void *a, const void *b)
{
  int64_t x = *(const int64_t *) a, y = *(const int64_t *) b;
  return (x > y) - (x < y);
}

static void
measure (struct bench *b, const char *what, void (*run) (struct bench *b))
{
  static int64_t times[TIMES];
  int64_t first;

  for (b->turn = 0; b->turn < TIMES; b->turn++) {
    int64_t began = clock_ns ();
    run (b);
    times[b->turn] = clock_ns () - began;
  }
  first = times[0];
  qsort (times, TIMES, sizeof *times, compare);
  printf ("%-22s first %8.0f  p50 %8.1f  p99 %8.1f\n", what, (double) first / 1000,
          (double) times[TIMES / 2] / 1000, (double) times[TIMES * 99 / 100] / 1000);
}

int
main (int argc, char **argv)
{
  size_t count = argc > 1 ? strtoul (argv[1], NULL, 10) : 10000;
  struct bench b = { .seen = 0 };

  fill (&b, count);
  mcp_lists_init (&b.lists, NULL);
  printf ("%zu tools, microseconds\n", count);
  measure (&b, "first page of the list", list_page);
  measure (&b, "search", search);
  measure (&b, "filter", filter);
  mcp_lists_free (&b.lists);
  buf_free (&b.page);
  catalog_free (b.catalog);
  return b.seen != 0 ? 0 : 1;
}
