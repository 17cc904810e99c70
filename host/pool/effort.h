/* effort.h - does a process compute for long?  Such a one is calmed: it runs when the daemon and
 * the other workers have nothing to do, so that short calls stay quick beside it.
 *
 * It is one when it used more than a twentieth of a processor since the last look, and more than a
 * few milliseconds for each call it answered: one that is busy because it answers many calls is
 * none. It stays one for a second.  Pure. */
#ifndef TOOLHOST_POOL_EFFORT_H
#define TOOLHOST_POOL_EFFORT_H

#include <stdbool.h>
#include <stdint.h>

struct effort {
  int64_t seen_ns;   /* processor time, as of the last look */
  uint64_t answered; /* calls, likewise */
  int64_t heavy_ns;  /* when it was last found to be heavy */
  bool heavy;
};

/* A process begins; `heavy`: the last one of its plugin was. */
void effort_init (struct effort *effort, bool heavy, int64_t now_ns);

/* So much processor time and so many answers since its start; `passed_ns` since the last look.
 * True: `heavy` has changed. */
bool effort_look (struct effort *effort, int64_t cpu_ns, uint64_t answered, int64_t passed_ns,
                  int64_t now_ns);

#endif
