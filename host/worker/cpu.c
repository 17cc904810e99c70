#include "worker/cpu.h"

#include <time.h>

#include "worker/crew.h"
#include "worker/outbox.h"

#define NS_PER_MS 1000000LL

/* Looks are no nearer to each other: what a call has left may be next to nothing. */
enum { LOOK_MS = 5 };

/* What the call that a thread runs has used; 0: it has not begun, or has no limit. */
static int64_t
used_ns (const struct tool_thread *thread)
{
  const struct crew_call *call = thread->current;
  struct timespec t;
  clockid_t clock;
  int64_t began;

  if (call == NULL || call->cpu_ms == 0)
    return 0;
  began = atomic_load_explicit (&call->call.cpu_began, memory_order_relaxed);
  if (began < 0 || pthread_getcpuclockid (thread->thread, &clock) != 0
      || clock_gettime (clock, &t) < 0)
    return 0;
  return (int64_t) t.tv_sec * 1000 * NS_PER_MS + t.tv_nsec - began;
}

/* A call that has used up its own and was not told yet.  When there is none: what the busiest has
 * left, as far as it is less than the smallest limit. */
static int64_t
look (struct crew *crew, struct cpu_overrun *overrun)
{
  int64_t left_ns = crew->cpu.least_ms * NS_PER_MS;

  for (size_t i = 0; i < crew->threads_count; i++) {
    struct crew_call *call = crew->threads[i].current;
    const int64_t used = used_ns (&crew->threads[i]);
    int64_t left;
    if (used == 0 || call->overran)
      continue;
    left = call->cpu_ms * NS_PER_MS - used;
    if (left <= 0) {
      call->overran = true;
      *overrun = (struct cpu_overrun){ .id = call->call.id, .used_ns = used };
      return 0;
    }
    if (left < left_ns)
      left_ns = left;
  }
  return left_ns;
}

int
cpu_look (struct crew *crew, int64_t now_ms, struct cpu_overrun *overrun)
{
  struct cpu_watch *watch = &crew->cpu;

  overrun->id = 0;
  if (!watch->wanted)
    return -1;
  if (watch->due_ms == 0)
    watch->due_ms = now_ms + watch->least_ms;
  else if (now_ms >= watch->due_ms && crew->roster.live_count == 0) {
    watch->wanted = false;
    return -1;
  }
  else if (now_ms >= watch->due_ms) {
    int64_t wait = look (crew, overrun) / NS_PER_MS;
    watch->due_ms = now_ms + (wait > LOOK_MS ? wait : LOOK_MS);
    return overrun->id != 0 ? 0 : (int) (watch->due_ms - now_ms);
  }
  return (int) (watch->due_ms - now_ms);
}

void
cpu_tell (struct crew *crew, const struct cpu_overrun *overrun)
{
  const struct frame_overrun frame = { .cpu_ns = (uint64_t) overrun->used_ns };

  outbox_put (crew->outbox, FRAME_OVERRUN, overrun->id,
              (struct piece_of_frame[]){ { &frame, sizeof frame } }, 1);
  outbox_flush (crew->outbox);
}
