/* in_session.h - what a call can do in its session: events for the user, its context and flags, who
 * goes on.  A call that is in none is not granted any of it.
 *
 * The daemon looks at all of it itself and believes nothing of what is checked here: that is for
 * the tool's author.  Of one call; not locked. */
#ifndef TOOLHOST_WORKER_IN_SESSION_H
#define TOOLHOST_WORKER_IN_SESSION_H

#include <toolhost.h>

struct tool_call;

/* As toolhost_emit, toolhost_handoff and their company promise. */
toolhost_status in_session_emit (struct tool_call *call, const char *json, size_t len);
toolhost_status in_session_handoff (struct tool_call *call, const char *json, size_t len);
toolhost_status in_session_get (struct tool_call *call, const char *path, const char **json,
                                size_t *len);
/* `verb` is "set" or "append". */
toolhost_status in_session_write (struct tool_call *call, const char *verb, const char *path,
                                  const char *json, size_t len);
toolhost_status in_session_change (struct tool_call *call, const char *json, size_t len);
toolhost_status in_session_flag (struct tool_call *call, const char *name, bool on);
toolhost_status in_session_flag_get (struct tool_call *call, const char *name, bool *on);

#endif
