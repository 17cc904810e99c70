/* offers.h - one page of resources, templates, prompts or skills, in the order of their names. Loop
 * thread only. */
#ifndef TOOLHOST_FRONT_MCP_OFFERS_H
#define TOOLHOST_FRONT_MCP_OFFERS_H

#include "front/mcp/core.h"

/* Answer with those from the request's cursor on, as this member of the result. */
void mcp_offers_list (struct mcp_request *r, const struct mcp_message *m, enum offer offer,
                      const char *member);

#endif
