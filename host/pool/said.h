/* said.h - events that plugins write into the log: their members behind those that the daemon knows
 * better.  Pure but for the log. */
#ifndef TOOLHOST_POOL_SAID_H
#define TOOLHOST_POOL_SAID_H

#include "base/json_write.h"
#include "watch/log.h"

/* Levels of plugins as the log's. */
enum log_level said_level (int level);

/* Log the event: first `known` (an object), then those of the plugin's object
 * whose names are not the daemon's to set.  `text` is `name_len` bytes of its name
 * and a JSON object.  False: it is neither. */
bool said_event (struct log *log, int level, const char *text, size_t len, size_t name_len,
                 const struct buf *known);

#endif
