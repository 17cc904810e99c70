/* resolve.h - what a request is about: a tool by its name, what stands at a URI, a prompt, or who
 * suggests values for an argument.  Pure; for call.c. */
#ifndef TOOLHOST_CALL_RESOLVE_H
#define TOOLHOST_CALL_RESOLVE_H

#include "base/frame.h"
#include "call/call.h"

/* CALL_OK and the tool; of a template its variables are appended as a JSON object.  Else the error,
 * with a sentence appended to `why` where there is one better than the registry's; then the tool
 * may be NULL. */
enum call_error resolve (const struct call_request *request, struct tool **tool,
                         struct buf *variables, struct buf *why);

/* What kind of call it is, for the log: "read", "prompt", "completion"; NULL: of a tool. */
const char *call_kind_word (enum call_kind kind);

/* What its result is. */
enum frame_content call_kind_content (enum call_kind kind);

#endif
