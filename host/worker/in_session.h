/* in_session.h - what a call can do in its session: events for the user.  A call that is in none is
 * not granted any of it.
 *
 * The daemon looks at all of it itself and believes nothing of what is checked here: that is for
 * the tool's author.  Of one call; not locked. */
#ifndef TOOLHOST_WORKER_IN_SESSION_H
#define TOOLHOST_WORKER_IN_SESSION_H

#include <toolhost.h>

struct tool_call;

/* As toolhost_emit promises. */
toolhost_status in_session_emit (struct tool_call *call, const char *json, size_t len);

#endif
