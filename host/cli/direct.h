/* direct.h - `call --plugin FILE`: the call in a host of its own in this process, without a daemon.
 */
#ifndef TOOLHOST_CLI_DIRECT_H
#define TOOLHOST_CLI_DIRECT_H

#include <stddef.h>

#include "cli/exits.h"
#include "cli/options.h"

/* Call `name` of the plugin file in the options; `json` is the arguments' object, or NULL. */
enum cli_exit direct_call (const struct options *options, const char *name, const char *json,
                           size_t json_len);

#endif
