#include "base/large.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

/* Stands in the block itself. */
struct kept {
  struct kept *older;
  size_t size;
  bool aged; /* nobody has taken it for a while */
};

/* The process's, as the heap is. */
static struct {
  pthread_mutex_t lock;
  struct kept *newest;
  size_t bytes, max;
} large = { .lock = PTHREAD_MUTEX_INITIALIZER };

void
large_keep (size_t bytes)
{
  large.max = bytes;
}

static bool
fits (const struct kept *kept, size_t least)
{
  return kept->size >= least && kept->size / 2 <= least;
}

static struct kept *
unlink_at (struct kept **at)
{
  struct kept *kept = *at;

  *at = kept->older;
  large.bytes -= kept->size;
  return kept;
}

void *
large_take (size_t least, size_t *size)
{
  struct kept *found = NULL;

  if (least < LARGE_BLOCK || least > LARGE_MOST)
    return NULL;
  pthread_mutex_lock (&large.lock);
  for (struct kept **at = &large.newest; *at != NULL && found == NULL;)
    if (fits (*at, least))
      found = unlink_at (at);
    else
      at = &(*at)->older;
  pthread_mutex_unlock (&large.lock);
  if (found != NULL)
    *size = found->size;
  return found;
}

/* False: there is no room for it. */
static bool
keep (struct kept *block, size_t size)
{
  bool room;

  pthread_mutex_lock (&large.lock);
  room = large.max - large.bytes >= size;
  if (room) {
    *block = (struct kept){ .older = large.newest, .size = size };
    large.newest = block;
    large.bytes += size;
  }
  pthread_mutex_unlock (&large.lock);
  return room;
}

void
large_give (void *block, size_t size)
{
  if (size < LARGE_BLOCK || size > LARGE_MOST || block == NULL || !keep (block, size))
    free (block);
}

static void
free_all (struct kept *kept)
{
  for (struct kept *older; kept != NULL; kept = older) {
    older = kept->older;
    free (kept);
  }
}

/* The others are as old from now on. */
static struct kept *
take_aged (void)
{
  struct kept *gone = NULL;

  for (struct kept **at = &large.newest; *at != NULL;)
    if ((*at)->aged) {
      struct kept *kept = unlink_at (at);
      kept->older = gone;
      gone = kept;
    }
    else {
      (*at)->aged = true;
      at = &(*at)->older;
    }
  return gone;
}

void
large_age (void)
{
  struct kept *gone;

  pthread_mutex_lock (&large.lock);
  gone = take_aged ();
  pthread_mutex_unlock (&large.lock);
  free_all (gone);
}

void
large_drop (void)
{
  struct kept *all;

  pthread_mutex_lock (&large.lock);
  all = large.newest;
  large.newest = NULL;
  large.bytes = 0;
  pthread_mutex_unlock (&large.lock);
  free_all (all);
}
