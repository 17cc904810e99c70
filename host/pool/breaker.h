/* breaker.h - when a plugin that crashes may be tried again: the back-off between starts, and the
 * circuit breaker that ends in quarantine.
 *
 *   closed     calls run.  After a crash the next start waits: backoff_min, doubling to
 *              backoff_max, a random part of up to half of it left out so that many plugins don't
 *              start in step.  An answered call ends the back-off; a start alone does not.
 *              max_crashes within `window` open the circuit, whatever succeeded in between.
 *   open       quarantine: nothing runs for `quarantine`.
 *   half-open  one call is let through.  An answer closes the circuit; a crash opens it for twice
 * as long, up to quarantine_max; an end that is neither lets the next call through.
 *
 * Times are seconds of one steady clock, given by the caller.  Nothing here sleeps, asks for the
 * time or starts anything. */
#ifndef TOOLHOST_POOL_BREAKER_H
#define TOOLHOST_POOL_BREAKER_H

#include <stdbool.h>

struct breaker_settings {
  double backoff_min, backoff_max;
  unsigned max_crashes; /* at least 1 */
  double window;
  double quarantine, quarantine_max;
};

enum circuit { CIRCUIT_CLOSED, CIRCUIT_OPEN, CIRCUIT_HALF_OPEN };

struct breaker {
  const struct breaker_settings *settings;
  enum circuit circuit;
  double backoff;    /* the last one; 0: none since the last answer */
  double start_at;   /* no start before */
  double quarantine; /* the last one; 0: none since the circuit closed */
  double try_at;     /* while open: no call before */
  bool probing;      /* while half-open: a call has been let through */
  double *crashes;   /* when the last ones were, a ring */
  unsigned crashes_room, crashes_count, crashes_at;
};

/* The settings are borrowed, and may change.  Free with breaker_clear. */
void breaker_init (struct breaker *breaker, const struct breaker_settings *settings);
void breaker_clear (struct breaker *breaker);

/* A call has come.  0: it may go on; it is the one let through if the circuit is half-open.  Else
 * the seconds after which another try is worth while. */
double breaker_admit (struct breaker *breaker, double now);
/* The call that was let through is gone, and nobody knows more than before. */
void breaker_undecided (struct breaker *breaker);

/* Seconds until a process may be started; 0: now.  Negative: not before breaker_admit. */
double breaker_wait (const struct breaker *breaker, double now);

/* A call was answered. */
void breaker_answered (struct breaker *breaker);
/* A process could not be had, or was taken away; `random` is from 0 up to 1. */
void breaker_failed (struct breaker *breaker, double now, double random);
/* A process crashed.  True: that opened the circuit. */
bool breaker_crashed (struct breaker *breaker, double now, double random);
/* Forget all that happened. */
void breaker_release (struct breaker *breaker);

#endif
