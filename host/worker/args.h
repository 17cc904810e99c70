/* args.h - how a plugin reads a call's arguments and who called. */
#ifndef TOOLHOST_WORKER_ARGS_H
#define TOOLHOST_WORKER_ARGS_H

#include <stddef.h>
#include <toolhost.h>

#include "base/json_tape.h"

struct tool_call;

/* As toolhost_args, toolhost_arg and toolhost_info promise; what they hand out lives in the call's
 * arena.  On the call's thread. */
const char *args_text (struct tool_call *call, size_t *len);
toolhost_status args_value (struct tool_call *call, const char *where, toolhost_value *value);
/* A value below `root` of a tape, as toolhost_arg finds it; root NULL: there is none. */
toolhost_status args_fill (struct arena *arena, const struct json_tape *tape,
                           const struct json_node *root, const char *where, toolhost_value *value);
const char *args_info (struct tool_call *call, int32_t what, size_t *len);

#endif
