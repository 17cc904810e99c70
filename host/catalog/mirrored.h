/* mirrored.h - arguments that HTTP clients of MCP repeat as headers, so that what stands between
 * can route by them: properties of an inputSchema with "x-mcp-header".  Read once, when the tool's
 * definition is. */
#ifndef TOOLHOST_CATALOG_MIRRORED_H
#define TOOLHOST_CATALOG_MIRRORED_H

#include "base/error.h"
#include "base/json_tape.h"

struct mirrored {
  char *header;  /* its name in lower case: "mcp-param-region" */
  char *pointer; /* the JSON pointer of the argument */
};

struct mirrored_list {
  struct mirrored *list;
  size_t count;
};

/* Those of an inputSchema (NULL: none), appended to an empty list.  False: err has a sentence that
 * begins with the pointer into the schema.  MCP 2026-07-28 wants each a token, unique whatever its
 * case, at a string, an integer or a boolean that is reached through "properties" alone: clients
 * leave out tools with others. */
bool mirrored_read (struct mirrored_list *list, const struct json_tape *tape,
                    const struct json_node *schema, struct error *err);
void mirrored_free (struct mirrored_list *list);

#endif
