/* toolset.h - the tools that a call may invoke: toolhost.toolset/1, and `invoke` of the host's
 * table, as what the daemon is asked. */
#ifndef TOOLHOST_WORKER_TOOLSET_H
#define TOOLHOST_WORKER_TOOLSET_H

#include <toolhost.h>

extern const toolhost_toolset toolset;

/* One of them; `invoke` of the table. */
toolhost_status toolset_invoke (toolhost_call *call, const char *tool, const char *args, size_t len,
                                const char **result, size_t *result_len);

#endif
