/* call_log.h - the lines about calls: one at the end of each, details where the level wants them.
 * Lines about calls that went well, and about those that were too many, are limited to so many a
 * second, and those left out are counted.
 * Arguments and results never go to the log.  Loop thread only. */
#ifndef TOOLHOST_CALL_CALL_LOG_H
#define TOOLHOST_CALL_CALL_LOG_H

#include "call/running.h"

/* Only where somebody wants every detail: the line at a call's end has the same names. */
void call_log_start (const struct call *call);
/* It waits until people have decided about others of its batch. */
void call_log_held (const struct call *call);
/* Where something was mended: never what stood there. */
void call_log_repairs (const struct call *call, const struct repaired *repaired);
/* What the tool itself says; `level` is TOOLHOST_DEBUG … */
void call_log_text (const struct call *call, int level, const char *text, size_t len);
/* An event of the tool's, as said_event takes it (pool/said.h); false: it is none. */
bool call_log_event (const struct call *call, int level, const char *text, size_t len,
                     size_t name_len);
/* `tool` is the name the caller used; `cause` is for the log alone, or NULL. */
void call_log_end (struct calls *calls, const struct call *call, const char *tool,
                   const struct result *result, const char *cause);

#endif
