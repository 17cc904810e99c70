/* worker_parts.h - what the two files of a worker have of each other:
 *
 *   worker.c       its calls, and what is decided about it while it lives
 *   worker_life.c  its process: birth, channel, what it prints, end
 */
#ifndef TOOLHOST_POOL_WORKER_PARTS_H
#define TOOLHOST_POOL_WORKER_PARTS_H

#include "pool/worker.h"

/* ---- worker.c ---- */

/* Its one timer, which means something else in each state. */
void worker_set_timer (struct worker *worker, double seconds);
void worker_on_timer (struct ev_loop *loop, ev_timer *timer, int revents);
/* What the watchdog says of it. */
void worker_on_over (struct watched *watched, enum reason reason, const char *words);
void worker_on_effort_changed (struct watched *watched);

#endif
