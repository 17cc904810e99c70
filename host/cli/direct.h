/* direct.h - `call --plugin FILE`: the call in a host of its own in this process, without a daemon.
 */
#ifndef TOOLHOST_CLI_DIRECT_H
#define TOOLHOST_CLI_DIRECT_H

#include "base/buf.h"
#include "call/call.h"
#include "cli/exits.h"
#include "cli/options.h"

/* Call `name` of the plugin file in the options; `json` is the arguments' object, or NULL. */
enum cli_exit direct_call (const struct options *options, const char *name, const char *json,
                           size_t json_len);

/* The result as the daemon's HTTP interface gives it: what answer.h reads. */
void result_encode (const struct result *result, struct buf *out);

#endif
