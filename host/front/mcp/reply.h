/* reply.h - the messages the daemon sends to an MCP client, one line of JSON each, appended to a
 * buf. Used by core.c and the carriers.  Loop thread only. */
#ifndef TOOLHOST_FRONT_MCP_REPLY_H
#define TOOLHOST_FRONT_MCP_REPLY_H

#include "front/mcp/core.h"

/* `id` with data NULL is left out. */
void mcp_put_error (struct buf *out, struct slice id, const struct mcp_fault *fault);
/* {} */
void mcp_put_empty (struct buf *out, const struct mcp_request *r);
void mcp_put_discover (struct buf *out, const struct mcp_request *r);
void mcp_put_initialize (struct buf *out, const struct mcp_request *r, const char *version);
/* The tools from index `from`: one page. */
void mcp_put_tools (struct buf *out, const struct mcp_request *r, const struct toolset *set,
                    size_t from);
void mcp_put_result (struct buf *out, const struct mcp_request *r, const struct result *result);

void mcp_put_progress (struct buf *out, const struct mcp_request *r, double done, double total,
                       const char *text, size_t len);
void mcp_put_acknowledged (struct buf *out, const struct mcp_request *r);
/* With a subscription's id, or (data NULL) without. */
void mcp_put_list_changed (struct buf *out, struct slice subscription);
/* The end of a subscription by the daemon: its result on HTTP, notifications/cancelled on stdio. */
void mcp_put_listen_end (struct buf *out, const struct mcp_request *r);
void mcp_put_cancelled (struct buf *out, struct slice id);

/* The name a cursor stands for, decoded into `room` of MCP_CURSOR_ROOM bytes; false: no cursor of
 * ours. */
enum { MCP_CURSOR_NAME_MAX = 128, MCP_CURSOR_ROOM = 160 };
bool mcp_cursor_read (struct slice cursor, char *room, size_t *len);

#endif
