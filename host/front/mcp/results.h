/* results.h - resources/read of what was too large to be shown: toolhost://results/ID gives the
 * first page, ?offset=BYTES&limit=BYTES others.  Loop thread only. */
#ifndef TOOLHOST_FRONT_MCP_RESULTS_H
#define TOOLHOST_FRONT_MCP_RESULTS_H

#include "front/mcp/core.h"

/* Is the URI of such a result? */
bool mcp_results_is (struct slice uri);
/* Answer with a page: a text without the character that would be cut, else bytes as a blob.  Its
 * _meta says where it stands ("toolhost/offset", "toolhost/size") and, while there is more, what to
 * read next ("toolhost/next").  The request is gone when this returns. */
void mcp_results_read (struct mcp_request *r, struct slice uri);

#endif
