/* lists.h - the tools as each revision of MCP lists them: written once for each toolset and
 * revision, so that a page is a piece of what is there.  Used by reply.c.  Loop thread only. */
#ifndef TOOLHOST_FRONT_MCP_LISTS_H
#define TOOLHOST_FRONT_MCP_LISTS_H

#include "catalog/project/project.h"
#include "front/http/http.h"
#include "watch/log.h"

struct mcp_list {
  bool written;
  uint64_t generation; /* of the toolset it is of */
  struct buf tools;    /* each with a comma before it */
  size_t *begins;      /* of each tool in them, and where the last one ends */
};

enum { MCP_REVISIONS = 5 };

struct mcp_lists {
  struct providers *providers;
  struct log *log;
  struct mcp_list lists[MCP_REVISIONS];
};

void mcp_lists_init (struct mcp_lists *lists, struct log *log);
void mcp_lists_free (struct mcp_lists *lists);

/* The tools from index `from` to before `end`, with commas between them, as a revision that is
 * served lists them; good until the next call.  One that can't be written for the revision is left
 * out, which the log tells once. */
struct slice mcp_lists_page (struct mcp_lists *lists, const struct toolset *set,
                             const char *revision, size_t from, size_t end);

#endif
