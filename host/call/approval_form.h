/* approval_form.h - the question whether a call may run, as a form for whoever calls: what it says,
 * and what the answer decides.  For the files of the pipeline and for sessions.  Pure functions. */
#ifndef TOOLHOST_CALL_APPROVAL_FORM_H
#define TOOLHOST_CALL_APPROVAL_FORM_H

#include "approval/approvals.h"
#include "call/ask.h"

/* The key of the question. */
#define APPROVAL_FORM_KEY "approval"

/* The question of an entry that waits, as the only one of an ask. */
struct ask *approval_form_ask (const struct approval_facts *facts);

enum approval_said {
  APPROVAL_SAID,       /* yes or no */
  APPROVAL_SAID_LATER, /* nothing: somebody else may still decide */
  APPROVAL_SAID_OTHER  /* it is no answer to this question */
};
/* What was answered: approve, text and remember of the decision are set; the text lives in the
 * arena.  Who dismisses the form or declines to answer has said no. */
enum approval_said approval_form_read (const struct ask *ask, struct approval_decision *decision,
                                       struct arena *arena);
/* The same of an object { "approve", "text"?, "remember"? }.  False: err begins with a pointer. */
bool approval_form_decide (const struct json_tape *tape, const struct json_node *object,
                           struct approval_decision *decision, struct arena *arena,
                           struct error *err);

#endif
