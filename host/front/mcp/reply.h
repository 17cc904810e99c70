/* reply.h - the messages the daemon sends to an MCP client, one line of JSON each, appended to a
 * buf. Used by core.c and the carriers.  Loop thread only. */
#ifndef TOOLHOST_FRONT_MCP_REPLY_H
#define TOOLHOST_FRONT_MCP_REPLY_H

#include "base/json_write.h"
#include "front/mcp/core.h"

/* Frames for the messages of a method: a result or a notification is begun, its members are
 * written, then it is ended. */
void mcp_begin_result (struct json_writer *w, const struct mcp_request *r);
/* … of another type than "complete". */
void mcp_begin_result_of (struct json_writer *w, const struct mcp_request *r, const char *type);
void mcp_begin_notification (struct json_writer *w, const char *method);
/* Of a notification, or of a result that has its _meta. */
void mcp_end (struct json_writer *w);
/* Of a result: with the _meta that its era asks for. */
void mcp_end_result (struct json_writer *w, const struct mcp_request *r);
/* How long a client of 2026-07-28 may keep the result; others get nothing. */
void mcp_put_cache_hints (struct json_writer *w, const struct mcp_request *r, int ttl_ms);
/* The _meta of what a subscription hears; `id` with data NULL: nothing. */
void mcp_put_subscription (struct json_writer *w, struct slice id);

/* `id` with data NULL is left out. */
void mcp_put_error (struct buf *out, struct slice id, const struct mcp_fault *fault);
/* {} */
void mcp_put_empty (struct buf *out, const struct mcp_request *r);
void mcp_put_discover (struct buf *out, const struct mcp_request *r);
void mcp_put_initialize (struct buf *out, const struct mcp_request *r, const char *version);
/* nextCursor: the name of a page's last one, when it is not the list's last one. */
void mcp_put_cursor (struct json_writer *w, const char *name, size_t len);
/* The tools from index `from`: one page. */
void mcp_put_tools (struct buf *out, const struct mcp_request *r, const struct toolset *set,
                    size_t from);
/* A list that is whole: the tools with commas between them. */
void mcp_put_tool_list (struct buf *out, const struct mcp_request *r, struct slice tools);
/* One tool, that there is, as tools/list shows it. */
void mcp_put_definition (struct buf *out, const struct mcp_request *r, const char *name,
                         size_t len);
/* The _meta of the result of a call: what it cost, why it failed. */
void mcp_put_call_meta (struct json_writer *w, const struct mcp_request *r,
                        const struct result *result);
/* The members of a tool's result, and the whole message. */
void mcp_put_result_members (struct json_writer *w, const struct mcp_request *r,
                             const struct result *result);
void mcp_put_result (struct buf *out, const struct mcp_request *r, const struct result *result);

void mcp_put_progress (struct buf *out, const struct mcp_request *r, double done, double total,
                       const char *text, size_t len);
void mcp_put_log (struct buf *out, const struct mcp_request *r, enum mcp_log_level level,
                  const char *text, size_t len);
/* A request of ours; `params` with data NULL are left out. */
void mcp_put_request (struct buf *out, struct slice id, const char *method, struct slice params);
void mcp_put_cancelled (struct buf *out, struct slice id);

/* The name a cursor stands for, decoded into `room` of MCP_CURSOR_ROOM bytes; false: no cursor of
 * ours. */
enum { MCP_CURSOR_NAME_MAX = URI_MAX, MCP_CURSOR_ROOM = URI_MAX + 64 };
bool mcp_cursor_read (struct slice cursor, char *room, size_t *len);

#endif
