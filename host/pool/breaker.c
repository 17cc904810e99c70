#include "pool/breaker.h"

#include <stdlib.h>

#include "base/buf.h"

/* While another call is being tried; nobody knows how long that takes. */
static const double PROBE_SECONDS = 1;

void
breaker_init (struct breaker *breaker, const struct breaker_settings *settings)
{
  *breaker = (struct breaker){ .settings = settings };
}

void
breaker_clear (struct breaker *breaker)
{
  free (breaker->crashes);
  breaker->crashes = NULL;
}

static double
doubled (double last, double first, double most)
{
  double next = last == 0 ? first : 2 * last;
  return next < most ? next : most;
}

/* ---- what may be done ---- */

double
breaker_admit (struct breaker *breaker, double now)
{
  if (breaker->circuit == CIRCUIT_CLOSED)
    return 0;
  if (breaker->circuit == CIRCUIT_OPEN && now < breaker->try_at)
    return breaker->try_at - now;
  if (breaker->circuit == CIRCUIT_HALF_OPEN && breaker->probing)
    return PROBE_SECONDS;
  breaker->circuit = CIRCUIT_HALF_OPEN;
  breaker->probing = true;
  return 0;
}

void
breaker_undecided (struct breaker *breaker)
{
  breaker->probing = false;
}

double
breaker_wait (const struct breaker *breaker, double now)
{
  if (breaker->circuit == CIRCUIT_OPEN
      || (breaker->circuit == CIRCUIT_HALF_OPEN && !breaker->probing))
    return -1;
  return breaker->start_at > now ? breaker->start_at - now : 0;
}

/* ---- what happened ---- */

static void
forget_crashes (struct breaker *breaker)
{
  breaker->crashes_count = breaker->crashes_at = 0;
}

/* Room for as many as the settings say now. */
static void
make_room (struct breaker *breaker)
{
  const unsigned max = breaker->settings->max_crashes;

  if (breaker->crashes_room == max)
    return;
  breaker->crashes = xrealloc (breaker->crashes, max * sizeof *breaker->crashes);
  breaker->crashes_room = max;
  forget_crashes (breaker);
}

/* Are these max_crashes within the window? */
static bool
count_crash (struct breaker *breaker, double now)
{
  const unsigned max = breaker->settings->max_crashes;

  make_room (breaker);
  breaker->crashes[breaker->crashes_at] = now;
  breaker->crashes_at = (breaker->crashes_at + 1) % max;
  if (breaker->crashes_count < max)
    breaker->crashes_count++;
  return breaker->crashes_count == max
         && now - breaker->crashes[breaker->crashes_at] <= breaker->settings->window;
}

static void
open_circuit (struct breaker *breaker, double now)
{
  const struct breaker_settings *s = breaker->settings;

  breaker->circuit = CIRCUIT_OPEN;
  breaker->quarantine = doubled (breaker->quarantine, s->quarantine, s->quarantine_max);
  breaker->try_at = now + breaker->quarantine;
  breaker->probing = false;
  breaker->backoff = breaker->start_at = 0; /* the quarantine is wait enough */
  forget_crashes (breaker);
}

void
breaker_answered (struct breaker *breaker)
{
  if (breaker->circuit == CIRCUIT_OPEN)
    return; /* of a process that is on its way out */
  breaker->backoff = breaker->start_at = 0;
  if (breaker->circuit == CIRCUIT_HALF_OPEN)
    breaker_release (breaker);
}

void
breaker_failed (struct breaker *breaker, double now, double random)
{
  const struct breaker_settings *s = breaker->settings;

  breaker->backoff = doubled (breaker->backoff, s->backoff_min, s->backoff_max);
  breaker->start_at = now + breaker->backoff * (1 - random / 2);
}

bool
breaker_crashed (struct breaker *breaker, double now, double random)
{
  if (breaker->circuit == CIRCUIT_OPEN)
    return false;
  if (breaker->circuit == CIRCUIT_HALF_OPEN || count_crash (breaker, now)) {
    open_circuit (breaker, now);
    return true;
  }
  breaker_failed (breaker, now, random);
  return false;
}

void
breaker_release (struct breaker *breaker)
{
  breaker->circuit = CIRCUIT_CLOSED;
  breaker->backoff = breaker->start_at = 0;
  breaker->quarantine = breaker->try_at = 0;
  breaker->probing = false;
  forget_crashes (breaker);
}
