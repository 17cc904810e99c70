/* verify.h - does a stream of events follow AG-UI's rules?  A state machine of one stream; what
 * comes in chunks was expanded before (chunks.h).  The sentences are those of AG-UI's own clients.
 *
 *   a stream begins with RUN_STARTED (or RUN_ERROR); there is one run at a time, and others after
 *   it; after RUN_ERROR there is nothing.  What is started under an id is not started under it
 *   again before it has ended, and what goes on or ends was started.  A run finishes under the ids
 *   it began with, when nothing is open. */
#ifndef TOOLHOST_FRONT_AGUI_VERIFY_H
#define TOOLHOST_FRONT_AGUI_VERIFY_H

#include "front/agui/event.h"

struct agui_mark;

/* Zero-initialise, end with agui_verifier_free. */
struct agui_verifier {
  struct agui_mark *marks; /* what is open, in the order it was opened */
  char *thread, *run;      /* ids of the run */
  bool begun, started, finished, failed;
};

/* False: the event breaks a rule, `why` gets the sentence; the state is of no more use. */
bool agui_verify (struct agui_verifier *v, const struct agui_event *e, struct buf *why);
/* The stream is over. */
bool agui_verify_end (const struct agui_verifier *v, struct buf *why);
void agui_verifier_free (struct agui_verifier *v);

#endif
