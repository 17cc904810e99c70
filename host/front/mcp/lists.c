#include "front/mcp/lists.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "front/mcp/message.h"

/* The format that each revision's tools are written in. */
static const struct {
  const char *revision, *format;
} revisions[MCP_REVISIONS] = {
  { MCP_MODERN_VERSION, "mcp" },      { "2025-11-25", "mcp-2025-11-25" },
  { "2025-06-18", "mcp-2025-06-18" }, { "2025-03-26", "mcp-2025-03-26" },
  { "2024-11-05", "mcp-2024-11-05" },
};

static size_t
index_of (const char *revision)
{
  size_t i = 0;

  while (i < MCP_REVISIONS && strcmp (revisions[i].revision, revision) != 0)
    i++;
  assert (i < MCP_REVISIONS); /* the carriers agree to no other */
  return i;
}

void
mcp_lists_init (struct mcp_lists *lists, struct log *log)
{
  *lists = (struct mcp_lists){ .providers = providers_new (), .log = log };
}

static void
list_clear (struct mcp_list *list)
{
  buf_free (&list->texts);
  free (list->tools);
  *list = (struct mcp_list){ .begun = false };
}

void
mcp_lists_clear (struct mcp_lists *lists)
{
  for (size_t i = 0; i < MCP_REVISIONS; i++)
    for (size_t k = 0; k < MCP_LISTED_SETS; k++)
      list_clear (&lists->lists[i][k]);
}

void
mcp_lists_free (struct mcp_lists *lists)
{
  mcp_lists_clear (lists);
  providers_free (lists->providers);
}

/* ---- writing ---- */

/* Tools of a list while they are written. */
struct writing {
  const struct mcp_lists *lists;
  const struct provider *provider;
  const struct provider_format *format;
  const char *revision;
};

static void
tell_left_out (const struct writing *s, const struct tool *tool, const struct losses *losses)
{
  const struct loss *loss = losses_refusal (losses);

  log_event (s->lists->log, LOG_WARNING, "tool_not_listed", "tool", tool->name, "plugin",
             tool->plugin, "revision", s->revision, "pointer", loss != NULL ? loss->pointer : NULL,
             "why", loss != NULL ? loss->sentence : "the definition is beyond what is read", NULL);
}

static void
write_tool (const struct writing *s, const struct tool *tool, struct buf *out)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct losses losses = { .list = NULL };
  struct json_tape tape;
  size_t start = out->len;

  if (!json_read (&tape, tool->mcp.data, tool->mcp.len, &json_default_limits, &arena)
      || !project_tool (s->provider, s->format, &tape, json_root (&tape), &losses, NULL, out)) {
    out->len = start;
    tell_left_out (s, tool, &losses);
  }
  losses_free (&losses);
}

/* That of the toolset, else the one that was not asked for the longest time. */
static struct mcp_list *
list_of (struct mcp_lists *lists, size_t revision, const struct toolset *set)
{
  struct mcp_list *oldest = &lists->lists[revision][0];

  for (size_t k = 0; k < MCP_LISTED_SETS; k++) {
    struct mcp_list *list = &lists->lists[revision][k];
    if (list->begun && list->generation == set->generation)
      return list;
    if (list->used < oldest->used)
      oldest = list;
  }
  return oldest;
}

/* Forget what was written of another toolset. */
static void
begin_list (struct mcp_list *list, const struct toolset *set)
{
  buf_reset (&list->texts, 0);
  list->tools = xrealloc (list->tools, (set->count + 1) * sizeof *list->tools);
  memset (list->tools, 0, set->count * sizeof *list->tools);
  list->generation = set->generation;
  list->begun = true;
}

static void
write_missing (const struct mcp_lists *lists, struct mcp_list *list, const struct toolset *set,
               size_t revision, size_t from, size_t end)
{
  const char *format = revisions[revision].format;
  struct writing s = { .lists = lists, .revision = revisions[revision].revision };

  s.provider = providers_find (lists->providers, format, strlen (format), false, &s.format);
  assert (s.provider != NULL); /* it is compiled in */
  for (size_t i = from; i < end; i++) {
    struct mcp_list_item *tool = &list->tools[i];
    if (tool->written)
      continue;
    tool->begin = list->texts.len;
    write_tool (&s, set->tools[i], &list->texts);
    tool->len = list->texts.len - tool->begin;
    tool->written = true;
  }
}

void
mcp_lists_put (struct mcp_lists *lists, const struct toolset *set, const char *revision,
               size_t from, size_t end, struct buf *out)
{
  size_t i = index_of (revision), start = out->len;
  struct mcp_list *list = list_of (lists, i, set);

  list->used = ++lists->uses;
  if (!list->begun || list->generation != set->generation)
    begin_list (list, set);
  write_missing (lists, list, set, i, from, end);
  for (const struct mcp_list_item *tool = list->tools + from; tool < list->tools + end; tool++) {
    if (tool->len == 0)
      continue;
    if (out->len != start)
      buf_putc (out, ',');
    buf_append (out, list->texts.data + tool->begin, tool->len);
  }
}
