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

void
mcp_lists_free (struct mcp_lists *lists)
{
  for (size_t i = 0; i < MCP_REVISIONS; i++) {
    buf_free (&lists->lists[i].tools);
    free (lists->lists[i].begins);
  }
  providers_free (lists->providers);
}

/* ---- writing one ---- */

/* A list while it is written. */
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

  buf_putc (out, ',');
  if (!json_read (&tape, tool->mcp.data, tool->mcp.len, &json_default_limits, &arena)
      || !project_tool (s->provider, s->format, &tape, json_root (&tape), &losses, NULL, out)) {
    out->len = start;
    tell_left_out (s, tool, &losses);
  }
  losses_free (&losses);
}

static void
write_list (const struct mcp_lists *lists, struct mcp_list *list, const struct toolset *set,
            size_t revision)
{
  const char *format = revisions[revision].format;
  struct writing s = { .lists = lists, .revision = revisions[revision].revision };

  s.provider = providers_find (lists->providers, format, strlen (format), false, &s.format);
  assert (s.provider != NULL); /* it is compiled in */
  buf_reset (&list->tools, 0);
  list->begins = xrealloc (list->begins, (set->count + 1) * sizeof *list->begins);
  for (size_t i = 0; i < set->count; i++) {
    list->begins[i] = list->tools.len;
    write_tool (&s, set->tools[i], &list->tools);
  }
  list->begins[set->count] = list->tools.len;
  list->generation = set->generation;
  list->written = true;
}

struct slice
mcp_lists_page (struct mcp_lists *lists, const struct toolset *set, const char *revision,
                size_t from, size_t end)
{
  size_t i = index_of (revision);
  struct mcp_list *list = &lists->lists[i];
  struct slice page = { NULL, 0 };

  if (!list->written || list->generation != set->generation)
    write_list (lists, list, set, i);
  if (list->begins[from] == list->begins[end])
    return page;
  page.data = list->tools.data + list->begins[from] + 1;
  page.len = list->begins[end] - list->begins[from] - 1;
  return page;
}
