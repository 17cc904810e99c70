/* Starts as many threads as it can, and tells how many that were. */
#include "hostile.h"

#include <pthread.h>

enum { TRIES = 5000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Waits until the bomb has gone off. */
static void *
wait (void *unused)
{
  (void) unused;
  pthread_mutex_lock (&lock);
  pthread_mutex_unlock (&lock);
  return NULL;
}

static toolhost_status
execute (void *self, toolhost_call *call)
{
  (void) self;
  static pthread_t threads[TRIES];
  pthread_attr_t small;
  int count = 0;

  pthread_attr_init (&small);
  pthread_attr_setstacksize (&small, 64 * 1024);
  pthread_mutex_lock (&lock);
  while (count < TRIES && pthread_create (&threads[count], &small, wait, NULL) == 0)
    count++;
  pthread_mutex_unlock (&lock);
  for (int i = 0; i < count; i++)
    pthread_join (threads[i], NULL);
  pthread_attr_destroy (&small);
  return toolhost_textf (call, "%d", count);
}

HOSTILE ("thread_bomb", TOOLHOST_SERIAL, "Starts threads without end.", HOSTILE_NO_ARGUMENTS)
