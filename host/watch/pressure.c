#include "watch/pressure.h"

const char *const pressure_names[] = { "none", "high", "full" };

/* Percent of the ceiling at which each level begins and ends. */
static const unsigned begins[] = { 0, 80, 95 };
static const unsigned ends[] = { 0, 75, 90 };
/* … and of what may be taken without another look. */
enum { TAKEN_UNSEEN = 2 };

static bool
at_least (const struct pressure *p, uint64_t bytes, unsigned percent)
{
  return p->max != 0 && bytes >= p->max / 100 * percent;
}

static enum pressure_level
level_for (const struct pressure *p, bool reserve_used)
{
  enum pressure_level level = PRESSURE_NONE;

  if (reserve_used)
    return PRESSURE_FULL;
  for (enum pressure_level l = PRESSURE_HIGH; l <= PRESSURE_FULL; l++)
    if (at_least (p, p->bytes, l <= p->level ? ends[l] : begins[l]))
      level = l;
  return level;
}

static void
set_measured (struct pressure *p, uint64_t bytes)
{
  p->bytes = bytes;
  p->taken = 0;
}

bool
pressure_note (struct pressure *p, uint64_t bytes, bool reserve_used)
{
  enum pressure_level before = p->level;

  set_measured (p, bytes);
  p->level = level_for (p, reserve_used);
  return p->level != before;
}

/* What was taken may be twice as much by now: blocks grow by doubling, and are kept. */
static bool
is_outdated (const struct pressure *p, size_t bytes)
{
  return at_least (p, p->taken, TAKEN_UNSEEN)
         || at_least (p, p->bytes + p->held + bytes, begins[PRESSURE_FULL]);
}

static bool
has_room (struct pressure *p, size_t bytes)
{
  if (p == NULL || p->max == 0)
    return true;
  if (p->measure != NULL && is_outdated (p, bytes))
    set_measured (p, p->measure (p->ctx));
  if (!at_least (p, p->bytes + p->held + bytes, begins[PRESSURE_FULL]))
    return true;
  p->refused++;
  return false;
}

bool
pressure_take (struct pressure *p, size_t bytes)
{
  if (!has_room (p, bytes))
    return false;
  if (p != NULL) {
    p->bytes += bytes;
    p->taken += bytes;
  }
  return true;
}

bool
pressure_hold (struct pressure *p, size_t bytes)
{
  if (!has_room (p, bytes))
    return false;
  if (p != NULL)
    p->held += bytes;
  return true;
}

void
pressure_release (struct pressure *p, size_t bytes)
{
  if (p != NULL)
    p->held -= bytes;
}
