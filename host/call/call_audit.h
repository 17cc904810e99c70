/* call_audit.h - the record that each call leaves in the audit: who called what, and how it ended.
 * For the files of the pipeline.  Loop thread only. */
#ifndef TOOLHOST_CALL_CALL_AUDIT_H
#define TOOLHOST_CALL_CALL_AUDIT_H

#include "call/running.h"

/* What of the arguments stands in a record: nothing, their SHA-256, or their shape (redact.h). */
enum audit_arguments { AUDIT_NONE, AUDIT_DIGEST, AUDIT_SHAPE, AUDIT_WAYS };
/* "none", "digest", "shape"; -1: it is none of them. */
int audit_arguments_of (const char *word);

/* It has ended like this; one that was refused before it was a call has a name, and no tool. */
void call_audit_end (struct calls *calls, const struct call *call, const char *tool,
                     const struct result *result);

#endif
