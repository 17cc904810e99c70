/* log_line.h - a line of the daemon's log as a person reads it. */
#ifndef TOOLHOST_CLI_LOG_LINE_H
#define TOOLHOST_CLI_LOG_LINE_H

#include <stdbool.h>

#include "base/buf.h"

/* Append "2026-11-22T10:00:00.123Z warning tool_call_failed tool=echo message=\"It failed.\"" and a
 * newline, neutralised: nothing in the line may act on a terminal.  `colourful`: the level in
 * colour.  What is no JSON object is appended as it is. */
void log_line_show (struct buf *out, const char *json, size_t len, bool colourful);

#endif
