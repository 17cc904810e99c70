/* plugin_view.h - what the daemon says of a plugin (an element of GET /v1/plugins), as text for
 * people. */
#ifndef TOOLHOST_CLI_PLUGIN_VIEW_H
#define TOOLHOST_CLI_PLUGIN_VIEW_H

#include "base/buf.h"
#include "cli/said.h"

/* "quarantined, 24 s" */
void plugin_state (const struct said *view, const struct json_node *plugin, struct buf *out);
/* "3, mostly signal" */
void plugin_crashes (const struct said *view, const struct json_node *plugin, struct buf *out);
/* How many of the guarantees are met: "5 of 5"; nothing before the first worker. */
void plugin_sandbox (const struct said *view, const struct json_node *plugin, struct buf *out);
/* A line for each guarantee: what meets it. */
void plugin_guarantees (const struct said *view, const struct json_node *plugin, struct buf *out);
/* Everything. */
void plugin_detail (const struct said *view, const struct json_node *plugin, struct buf *out);

#endif
