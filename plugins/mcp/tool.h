/* tool.h - a tool of a server as one of ours: its definition, its calls, its results. */
#ifndef TOOLHOST_PLUGINS_MCP_TOOL_H
#define TOOLHOST_PLUGINS_MCP_TOOL_H

#include "upstream.h"

struct upstream_tool {
  struct upstream *upstream; /* a reference */
  char *name;                /* as the server has it */
  char *definition;
  struct param_header { /* arguments that go along as headers, over HTTP (x-mcp-header) */
    char *argument, *header;
  } * headers;
  size_t headers_count;
};

/* The one that a server lists, under the name given.  NULL: there is no memory. */
struct upstream_tool *tool_new (struct upstream *upstream, const struct value *listed,
                                const char *name);
void tool_free (void *self);

/* A name of ours for one of theirs, in `room` of 65 bytes. */
void tool_name (char *room, const char *prefix, const char *theirs);

/* What is added by the builder, and released by tool_free. */
extern const toolhost_tool tool_callbacks;

/* result.c: what the server has answered becomes the call's result. */
toolhost_status result_take (toolhost_call *call, const struct asking *asking);

/* questions.c: the server wants to know more (input_required of 2026-07-28). */
bool questions_are_asked (const struct value *result);
toolhost_status questions_ask (toolhost_call *call, const struct value *result);
/* The answers to what the last round asked, as members of the request; false: the call is to end
 * with *status. */
bool questions_answer (toolhost_call *call, struct text *params, toolhost_status *status);

#endif
