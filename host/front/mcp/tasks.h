/* tasks.h - the extension io.modelcontextprotocol/tasks of 2026-07-28: calls of tools that take
 * their time are answered with a task, which the client asks after, answers and cancels.
 *
 * A bounded table in memory.  A task is its principal's alone, its id can't be guessed, and it is
 * kept for env->task_ttl from its creation; a result that is longer than 1 MiB is not kept.  Loop
 * thread only. */
#ifndef TOOLHOST_FRONT_MCP_TASKS_H
#define TOOLHOST_FRONT_MCP_TASKS_H

#include "front/mcp/methods.h"

struct mcp_tasks;

#define MCP_TASKS "io.modelcontextprotocol/tasks"

struct mcp_tasks *mcp_tasks_new (struct mcp_core *core);
/* Calls that run are given up. */
void mcp_tasks_free (struct mcp_tasks *tasks);

/* How a call is to be answered to this client. */
enum mcp_as { MCP_AS_RESULT, MCP_AS_TASK, MCP_AS_NOTHING /* the client lacks the extension */ };
enum mcp_as mcp_tasks_how (const struct mcp_request *r, const struct call_request *request);

/* Start the call as a task and answer the request with it; a call that ends at once is answered as
 * any other, through `events`. */
void mcp_tasks_start (struct mcp_request *r, const struct call_request *request,
                      const struct call_events *events);
/* The fault of a client that lacks the extension. */
void mcp_tasks_fault (struct mcp_fault *fault);

/* Forget what is over at this time (of ev_now). */
void mcp_tasks_expire (struct mcp_tasks *tasks, double now);

/* For subscriptions: has this principal such a task? */
bool mcp_tasks_has (const struct mcp_tasks *tasks, const char *principal, struct slice id);

mcp_method mcp_tasks_get;
mcp_method mcp_tasks_update;
mcp_method mcp_tasks_cancel;

#endif
