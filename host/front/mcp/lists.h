/* lists.h - the tools as each revision of MCP lists them: each is written once for a toolset and
 * revision, when it is first asked for, so that a change of ten thousand tools costs whoever lists
 * them next no more than the page it reads.  Of each revision those of the toolsets that were
 * listed last are kept, as tenants take turns.  Used by reply.c.  Loop thread only. */
#ifndef TOOLHOST_FRONT_MCP_LISTS_H
#define TOOLHOST_FRONT_MCP_LISTS_H

#include "catalog/project/project.h"
#include "front/http/http.h"
#include "watch/log.h"

/* Where a tool's text is among those that were written. */
struct mcp_list_item {
  size_t begin, len; /* 0 bytes: it can't be written for the revision */
  bool written;
};

struct mcp_list {
  bool begun;
  uint64_t generation; /* of the toolset it is of */
  uint64_t used;       /* when it was asked for last, by lists->uses */
  struct mcp_list_item *tools;
  struct buf texts;
};

enum { MCP_REVISIONS = 5, MCP_LISTED_SETS = 4 };

struct mcp_lists {
  struct providers *providers;
  struct log *log;
  struct mcp_list lists[MCP_REVISIONS][MCP_LISTED_SETS];
  uint64_t uses;
};

void mcp_lists_init (struct mcp_lists *lists, struct log *log);
void mcp_lists_free (struct mcp_lists *lists);
/* Forget everything that was written. */
void mcp_lists_clear (struct mcp_lists *lists);

/* Append the tools from index `from` to before `end`, with commas between them, as a revision that
 * is served lists them.  One that can't be written for the revision is left out, which the log
 * tells once. */
void mcp_lists_put (struct mcp_lists *lists, const struct toolset *set, const char *revision,
                    size_t from, size_t end, struct buf *out);

#endif
