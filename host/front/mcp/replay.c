#include "front/mcp/replay.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct replay_event {
  struct replay_event *next;
  uint64_t stream, number;
  double at;
  size_t len;
  bool last;
  char text[];
};

static size_t
cost (size_t len)
{
  return sizeof (struct replay_event) + len;
}

static void
drop_oldest (struct replay *replay)
{
  struct replay_event *e = replay->oldest;

  replay->oldest = e->next;
  if (e->next == NULL)
    replay->newest = NULL;
  replay->used -= cost (e->len);
  replay->budget->used -= cost (e->len);
  free (e);
}

void
replay_free (struct replay *replay)
{
  while (replay->oldest != NULL)
    drop_oldest (replay);
}

void
replay_expire (struct replay *replay, double before)
{
  while (replay->oldest != NULL && replay->oldest->at < before)
    drop_oldest (replay);
}

/* A session makes room among its own events only. */
static bool
make_room (struct replay *replay, size_t bytes)
{
  const struct replay_budget *budget = replay->budget;

  if (bytes > replay->max)
    return false;
  while (replay->oldest != NULL
         && (replay->used + bytes > replay->max || budget->used + bytes > budget->max))
    drop_oldest (replay);
  return budget->used + bytes <= budget->max;
}

void
replay_keep (struct replay *replay, uint64_t stream, uint64_t number, bool last, double now,
             const char *event, size_t len)
{
  struct replay_event *e;

  if (!make_room (replay, cost (len)))
    return;
  e = xcalloc (1, cost (len));
  *e = (struct replay_event){ .stream = stream, .number = number, .at = now, .last = last };
  e->len = len;
  memcpy (e->text, event, len);
  *(replay->newest != NULL ? &replay->newest->next : &replay->oldest) = e;
  replay->newest = e;
  replay->used += cost (len);
  replay->budget->used += cost (len);
}

uint64_t
replay_count (const struct replay *replay, uint64_t stream, uint64_t number)
{
  uint64_t count = 0;

  for (const struct replay_event *e = replay->oldest; e != NULL; e = e->next)
    count += e->stream == stream && e->number > number;
  return count;
}

uint64_t
replay_end (const struct replay *replay, uint64_t stream)
{
  for (const struct replay_event *e = replay->oldest; e != NULL; e = e->next)
    if (e->stream == stream && e->last)
      return e->number;
  return 0;
}

void
replay_each (const struct replay *replay, uint64_t stream, uint64_t number,
             bool (*each) (void *ctx, const char *event, size_t len), void *ctx)
{
  for (const struct replay_event *e = replay->oldest; e != NULL; e = e->next)
    if (e->stream == stream && e->number > number && !each (ctx, e->text, e->len))
      return;
}
