#include "worker/building.h"

#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "worker/crew.h"

#define NS_PER_MS INT64_C (1000000)

enum { RESULT_MAX = 1 << 20 /* what it gives as a result is thrown away */ };

struct tool_call *
building_begin (struct crew *crew, int64_t ms)
{
  static const struct plugin_tool nothing = { .kind = PLUGIN_TOOL };
  struct tool_call *call = xcalloc (1, sizeof *call);
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  tool_call_init (call);
  tool_call_begin (call, &crew->host, &nothing, FRAME_BUILD_CALL,
                   (int64_t) now.tv_sec * 1000 * NS_PER_MS + now.tv_nsec + ms * NS_PER_MS,
                   RESULT_MAX);
  tool_call_texts (call, "{}", 2, "{}", 2);
  pthread_mutex_lock (&crew->lock);
  crew->intake.building = call;
  pthread_mutex_unlock (&crew->lock);
  return call;
}

void
building_end (struct crew *crew)
{
  struct tool_call *call = crew->intake.building;

  pthread_mutex_lock (&crew->lock);
  crew->intake.building = NULL;
  pthread_mutex_unlock (&crew->lock);
  tool_call_end (call);
  tool_call_destroy (call);
  free (call);
}

/* Under the lock: the lead; false: another thread has it, or something was in the ring already. */
static bool
take_lead (struct crew *crew, bool *led_by_other)
{
  *led_by_other = crew->led;
  return crew_begin_lead (crew);
}

bool
building_listen (struct crew *crew, int ms)
{
  struct pollfd control = { .fd = FD_CONTROL, .events = POLLIN };
  bool other, leads, came;

  pthread_mutex_lock (&crew->lock);
  leads = take_lead (crew, &other);
  pthread_mutex_unlock (&crew->lock);
  if (!leads)
    return !other;
  came = poll (&control, 1, ms) > 0;
  if (came && !control_receive (&crew->datagram))
    _exit (WORKER_EXIT_OK);
  pthread_mutex_lock (&crew->lock);
  crew_end_lead (crew, came ? &crew->datagram : NULL);
  pthread_mutex_unlock (&crew->lock);
  return true;
}
