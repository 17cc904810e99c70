/* plugin_view.h - what the daemon says of a plugin (an element of GET /v1/plugins), as text for
 * people. */
#ifndef TOOLHOST_CLI_PLUGIN_VIEW_H
#define TOOLHOST_CLI_PLUGIN_VIEW_H

#include "base/buf.h"
#include "base/json_tape.h"

/* The plugins of one answer, while it is shown. */
struct plugin_view {
  const struct json_tape *tape;
  struct arena *arena;
};

/* A member's text if it is a string, its JSON if it is anything else, "" if it is not there. */
const char *plugin_text (const struct plugin_view *view, const struct json_node *object,
                         const char *member);
/* A member that is a number; 0 if there is none. */
int64_t plugin_number (const struct plugin_view *view, const struct json_node *object,
                       const char *member);

/* "quarantined, 24 s" */
void plugin_state (const struct plugin_view *view, const struct json_node *plugin, struct buf *out);
/* "3, mostly signal" */
void plugin_crashes (const struct plugin_view *view, const struct json_node *plugin,
                     struct buf *out);
/* How many of the guarantees are met: "5 of 5"; nothing before the first worker. */
void plugin_sandbox (const struct plugin_view *view, const struct json_node *plugin,
                     struct buf *out);
/* A line for each guarantee: what meets it. */
void plugin_guarantees (const struct plugin_view *view, const struct json_node *plugin,
                        struct buf *out);
/* Everything. */
void plugin_detail (const struct plugin_view *view, const struct json_node *plugin,
                    struct buf *out);

#endif
