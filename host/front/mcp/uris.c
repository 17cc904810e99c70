#include "front/mcp/uris.h"

#include <stdlib.h>
#include <string.h>

static size_t
find (const struct mcp_uris *uris, struct slice uri)
{
  size_t i = 0;

  while (i < uris->count && !slice_is (uri, uris->list[i]))
    i++;
  return i;
}

bool
mcp_uris_has (const struct mcp_uris *uris, struct slice uri)
{
  return find (uris, uri) < uris->count;
}

bool
mcp_uris_add (struct mcp_uris *uris, struct slice uri)
{
  char *copy;

  if (uri.len > MCP_URI_LEN_MAX || memchr (uri.data, '\0', uri.len) != NULL)
    return false;
  if (mcp_uris_has (uris, uri))
    return true;
  if (uris->count == MCP_URIS_MAX)
    return false;
  copy = xcalloc (1, uri.len + 1);
  memcpy (copy, uri.data, uri.len);
  uris->list = xrealloc (uris->list, (uris->count + 1) * sizeof *uris->list);
  uris->list[uris->count++] = copy;
  return true;
}

void
mcp_uris_remove (struct mcp_uris *uris, struct slice uri)
{
  size_t i = find (uris, uri);

  if (i == uris->count)
    return;
  free (uris->list[i]);
  uris->list[i] = uris->list[--uris->count];
}

void
mcp_uris_free (struct mcp_uris *uris)
{
  for (size_t i = 0; i < uris->count; i++)
    free (uris->list[i]);
  free (uris->list);
  *uris = (struct mcp_uris){ .list = NULL };
}
