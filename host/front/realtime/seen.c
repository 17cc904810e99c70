#include "front/realtime/seen.h"

#include <stdlib.h>

#include "base/buf.h"

static void
forget (struct seen *seen, struct seen_id *id)
{
  HASH_DEL (seen->ids, id);
  free (id);
}

static size_t
known (size_t len)
{
  return len < SEEN_ID_MAX ? len : SEEN_ID_MAX;
}

bool
seen_has (struct seen *seen, const char *id, size_t len, double now)
{
  struct seen_id *found = NULL;

  while (seen->ids != NULL && now - seen->ids->at >= seen->window)
    forget (seen, seen->ids);
  HASH_FIND (hh, seen->ids, id, known (len), found);
  return found != NULL;
}

void
seen_add (struct seen *seen, const char *id, size_t len, double now)
{
  struct seen_id *new = xcalloc (1, sizeof *new + known (len) + 1);

  if (HASH_COUNT (seen->ids) >= seen->max)
    forget (seen, seen->ids);
  new->at = now;
  memcpy (new->id, id, known (len));
  HASH_ADD (hh, seen->ids, id, known (len), new);
}

void
seen_free (struct seen *seen)
{
  while (seen->ids != NULL)
    forget (seen, seen->ids);
}
