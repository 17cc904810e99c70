/* skills.h - MCP's skills extension: the skills that plugins bring, and what is in their folders.
 * Their files are resources, read as all others are (resources.h).  Loop thread only. */
#ifndef TOOLHOST_FRONT_MCP_SKILLS_H
#define TOOLHOST_FRONT_MCP_SKILLS_H

#include "front/mcp/methods.h"

#define MCP_SKILLS "io.modelcontextprotocol/skills"

mcp_method mcp_skills_list, mcp_skills_get, mcp_directory_read;

#endif
