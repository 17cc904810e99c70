#include "pool/pool.h"

#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#include "base/clock.h"
#include "base/frame.h"
#include "pool/worker.h"

enum { LARGE_RESULT = 256 * 1024 };

void
pool_settings_default (struct pool_settings *settings)
{
  *settings = (struct pool_settings){
    .grace = 0.5,
    .drain = 5,
    .start_timeout = 5,
    .build_timeout = 30,
    .stop_timeout = 5,
    .idle_stop = 60,
    .breaker = { .backoff_min = 0.1,
                 .backoff_max = 30,
                 .max_crashes = 5,
                 .window = 60,
                 .quarantine = 30,
                 .quarantine_max = 600 },
  };
}

/* Before the loop sleeps: at most one knock at each worker that was given something in this turn.
 */
static void
flush_all (struct ev_loop *loop, ev_prepare *watcher, int revents)
{
  struct pool *pool = watcher->data;

  (void) loop;
  (void) revents;
  while (pool->unsent != NULL) {
    struct worker *worker = pool->unsent;
    pool->unsent = worker->next_unsent;
    worker->unsent = false;
    worker_flush (worker);
  }
}

void
pool_init (struct pool *pool, struct ev_loop *loop, struct log *log,
           const struct pool_settings *settings)
{
  *pool =
    (struct pool){ .loop = loop, .log = log, .settings = *settings, .large_result = LARGE_RESULT };
  pool->datagram = xmalloc (FRAME_MAX);
  if (getrandom (&pool->nonce_seed, sizeof pool->nonce_seed, GRND_NONBLOCK)
      != sizeof pool->nonce_seed)
    pool->nonce_seed = (uint64_t) time (NULL);
  watchdog_init (&pool->watchdog, loop, "/proc");
  ev_prepare_init (&pool->flush, flush_all);
  pool->flush.data = pool;
  ev_prepare_start (loop, &pool->flush);
  ev_unref (loop);
}

void
pool_clear (struct pool *pool)
{
  ev_ref (pool->loop);
  ev_prepare_stop (pool->loop, &pool->flush);
  watchdog_clear (&pool->watchdog);
  free (pool->datagram);
  arena_free (&pool->arena);
  tenants_clear (&pool->tenants);
}

double
pool_now (void)
{
  return (double) clock_ns () / 1e9;
}

/* splitmix64 */
double
pool_random (struct pool *pool)
{
  uint64_t z = (pool->dice += 0x9E3779B97F4A7C15U) ^ pool->nonce_seed;

  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9U;
  z = (z ^ z >> 27) * 0x94D049BB133111EBU;
  return (double) ((z ^ z >> 31) >> 11) * 0x1p-53;
}
