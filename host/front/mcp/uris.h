/* uris.h - a bounded set of URIs: the resources somebody subscribed to. */
#ifndef TOOLHOST_FRONT_MCP_URIS_H
#define TOOLHOST_FRONT_MCP_URIS_H

#include "front/http/http.h"

enum { MCP_URIS_MAX = 1024, MCP_URI_LEN_MAX = 4096 };

/* Zero-initialised. */
struct mcp_uris {
  char **list;
  size_t count;
};

bool mcp_uris_has (const struct mcp_uris *uris, struct slice uri);
/* False: there are too many, or it is too long.  One that is there already is well. */
bool mcp_uris_add (struct mcp_uris *uris, struct slice uri);
void mcp_uris_remove (struct mcp_uris *uris, struct slice uri);
void mcp_uris_free (struct mcp_uris *uris);

#endif
