/* standing.h - what somebody has approved once and for all: which calls a standing rule
 * { tool_name, arguments?, server_label? } is for.  Who made a rule, whose calls it is for and
 * where it is kept is approvals.h's.
 *
 * A rule without arguments is for every call of its tool, one with {} only for calls without any,
 * every other for calls whose arguments are exactly these (numbers by value, members in any
 * order).  A rule is bound to the definition its tool had: a tool that has changed is asked about
 * again.  Pure functions. */
#ifndef TOOLHOST_APPROVAL_STANDING_H
#define TOOLHOST_APPROVAL_STANDING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "store/store.h"

struct standing_words {
  const char *tool;
  const char *server_label; /* of a tool of another server: which one; NULL: it is this host's */
  const char *digest;       /* of the tool as it was (catalog/digest.h) */
  struct store_bytes arguments; /* JSON object; data NULL: whatever they are */
};

/* A call that is about to be made. */
struct standing_call {
  const char *tool;             /* NULL: it is no call of a tool, and no rule is for it */
  const char *server_label;     /* as above */
  const char *digest;           /* of the tool as it is; NULL: nobody knows */
  struct store_bytes arguments; /* JSON text; empty: none, as {} */
};

/* Is the rule for the call?  What can't be read is no rule, and no call one is for. */
bool standing_covers (const struct standing_words *rule, const struct standing_call *call);

/* The arguments of a call as a rule that is made of it keeps them: canonical
 * (base/json_canonical.h), appended.  False: they are no JSON object, and nothing is to be kept. */
bool standing_arguments (struct store_bytes arguments, struct buf *out);

#endif
