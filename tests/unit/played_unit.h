/* played_unit.h - a unit of the pool that the test plays: one call at a time, which ends as the
 * test says. */
#ifndef TOOLHOST_TESTS_PLAYED_UNIT_H
#define TOOLHOST_TESTS_PLAYED_UNIT_H

#include "catalog/toolset.h"
#include "pool/unit.h"

struct unit {
  struct policy policy;
  struct job *job; /* taken and not ended */
  unsigned submitted;
  struct unit_answer answer;
  bool full; /* who comes waits, and is not begun */
};

/* A toolset of one tool "t" of this unit, which takes any object. */
struct toolset *unit_toolset (struct unit *unit);

/* The call asks: `asked` as a worker tells it, and what its tool keeps. */
void unit_asks (struct unit *unit, const char *asked, const char *kept);
/* The call has worked, without a content. */
void unit_works (struct unit *unit);
/* … with this content and this structured result ("": none). */
void unit_gives (struct unit *unit, const char *content, const char *structured);
/* The process that ran it has died. */
void unit_crashes (struct unit *unit);
/* Was the call that runs given these arguments, answers and bytes that its tool kept? */
bool unit_was_told (const struct unit *unit, const char *args, const char *answers,
                    const char *kept);

#endif
