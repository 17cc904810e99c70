/* rules.h - which calls need a person's approval: the key "approvals" of toolhostd.json and of a
 * tenant's file, compiled.  Immutable and counted; pure functions of their arguments.
 *
 * Of the tenant's rules and then the daemon's, the first that matches decides.  Where none does, a
 * tool whose definition asks for approvals has them; then the tenant's mode, then the daemon's.
 * Whatever a rule would have to look at and can't be judged needs approval: an argument that is
 * not there, a schema that takes too many steps, arguments that could not be read. */
#ifndef TOOLHOST_APPROVAL_RULES_H
#define TOOLHOST_APPROVAL_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json_tape.h"

enum { APPROVAL_RULES_MAX = 256, APPROVAL_TTL_DEFAULT_MS = 600000, APPROVAL_UNASKED_MAX = 40 };

/* Who may decide. */
enum approval_by {
  APPROVAL_BY_APPROVER, /* who has the role "approve" */
  APPROVAL_BY_CALLER    /* the caller of the call, too */
};

/* The key as it is written; texts are the reader's, NULL where they are not there. */
struct approval_words {
  char *mode;          /* "never", "always", "rules" */
  char *by;            /* "approver", "caller" */
  int64_t ttl_ms;      /* 0: not said */
  char *rules;         /* a JSON array */
  int64_t unasked_max; /* 0: not said */
};
void approval_words_clear (struct approval_words *words);

struct approval_rules;

/* What fits the schema of the key is good but for the schemas in it.  NULL: err has the place
 * below the key and what is wrong ("/rules/0/arguments/type: …"). */
struct approval_rules *approval_rules_new (const struct approval_words *words, struct error *err);
/* NULL is fine with both. */
struct approval_rules *approval_rules_ref (struct approval_rules *rules);
void approval_rules_unref (struct approval_rules *rules);

/* A call that is about to be made. */
struct approval_asked {
  const char *tool;
  const char *caller;            /* its principal; NULL: nobody that is known by a name */
  bool tool_wants;               /* its definition asks for approvals */
  const struct json_tape *tape;  /* its arguments … */
  const struct json_node *value; /* … NULL: they could not be read */
};

struct approval_need {
  bool required;
  bool waived;        /* it would be, were it not for a rule that says never; not required then */
  const char *reason; /* why, for whoever decides; the rules' or static; NULL where neither is */
  int64_t ttl_ms;     /* how long it may wait for a decision */
  enum approval_by by;
  int64_t unasked_max; /* how many calls in a row may go by themselves; 0: that is not said */
};

/* Is it worth looking at the arguments of a call?  False: there are no rules to look at them. */
bool approval_looks (const struct approval_rules *tenant, const struct approval_rules *host);

/* May a call of this tool need approval, by some caller, with some arguments?  False: none ever
 * does.  A rule that says never is no promise: what it waives is asked about now and then. */
bool approval_may_need (const struct approval_rules *tenant, const struct approval_rules *host,
                        const char *tool, bool tool_wants);

/* Either may be NULL: nothing is said there. */
struct approval_need approval_judge (const struct approval_rules *tenant,
                                     const struct approval_rules *host,
                                     const struct approval_asked *asked);

#endif
