/* draft.h - what a call has written into the context of its session and is not applied yet: it
 * alone reads it, and all of it takes effect when the call succeeds, or nothing.  Owned by a call;
 * no threads. */
#ifndef TOOLHOST_SESSION_DRAFT_H
#define TOOLHOST_SESSION_DRAFT_H

#include "session/context.h"

enum { DRAFT_CHANGES_MAX = 1000 };

/* Zeroed. */
struct draft {
  struct json_object *document; /* the context with what was written; NULL: nothing was */
  unsigned version;             /* of the context this was made of */
  unsigned count;               /* changes that were tried */
  struct buf changes;           /* those that were made, a list of JSON that is still open */
};

enum draft_wrote {
  DRAFT_WRITTEN,
  DRAFT_DENIED, /* this can't be written */
  DRAFT_BAD,    /* it is no change, or does not fit what stands there */
  DRAFT_FULL    /* the call has written as much as it may */
};

/* Take a change of one write, as context_change does. */
enum draft_wrote draft_write (struct draft *draft, const struct context *context,
                              const struct json_tape *tape, const struct json_node *change);
/* Take a change of any number of writes: all of it takes effect, and what was written before with
 * it, or nothing of it. */
enum draft_wrote draft_commit (struct draft *draft, struct context *context,
                               const struct json_tape *tape, const struct json_node *change);
/* The value at a path as JSON, as the call sees it; false: there is none. */
bool draft_read (struct draft *draft, const struct context *context, const char *path,
                 struct buf *out);
bool draft_flag (struct draft *draft, const struct context *context, const char *name);
/* Everything takes effect.  False: it does not go together with what others have written meanwhile,
 * or is too large; err says why, and nothing has changed. */
bool draft_apply (struct draft *draft, struct context *context, struct error *err);
void draft_free (struct draft *draft);

#endif
