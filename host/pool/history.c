#include "pool/history.h"

#include <stdlib.h>

#include "base/buf.h"

struct history *
history_new (void)
{
  struct history *history = xcalloc (1, sizeof *history);

  history->refs = 1;
  return history;
}

struct history *
history_ref (struct history *history)
{
  history->refs++;
  return history;
}

void
history_unref (struct history *history)
{
  if (history != NULL && --history->refs == 0)
    free (history);
}

void
history_add (struct history *history, const struct past *past)
{
  history->ends[past->end.reason]++;
  history->last[history->ended++ % HISTORY_ENDS] = *past;
}

const struct past *
history_past (const struct history *history, unsigned back)
{
  if (back >= HISTORY_ENDS || back >= history->ended)
    return NULL;
  return &history->last[(history->ended - 1 - back) % HISTORY_ENDS];
}

uint64_t
history_crashes (const struct history *history)
{
  uint64_t count = 0;

  for (unsigned r = 0; r < REASONS; r++)
    if (reason_blame (r) == BLAME_PLUGIN || reason_blame (r) == BLAME_FILE)
      count += history->ends[r];
  return count;
}

enum reason
history_most_frequent (const struct history *history)
{
  enum reason most = REASON_NONE;

  for (unsigned r = 0; r < REASONS; r++)
    if (reason_blame (r) != BLAME_NOBODY
        && history->ends[r] > (most != REASON_NONE ? history->ends[most] : 0))
      most = r;
  return most;
}
