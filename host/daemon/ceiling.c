#include "daemon/ceiling.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <unistd.h>

#include "base/large.h"
#include "watch/metrics.h"

/* Seconds between measurements: when there is room, and when it gets less. */
static const double seldom = 1, often = 0.1;

/* Resident bytes of this process. */
static uint64_t
measure (void *ctx)
{
  const struct ceiling *ceiling = ctx;
  char text[128];
  ssize_t n = pread (ceiling->statm, text, sizeof text - 1, 0);
  unsigned long long all = 0, resident = 0;

  if (n <= 0)
    return 0;
  text[n] = '\0';
  (void) sscanf (text, "%llu %llu", &all, &resident);
  return resident * ceiling->page;
}

static void
log_level_change (const struct ceiling *ceiling, enum pressure_level before)
{
  const struct pressure *p = &ceiling->pressure;

  log_event (ceiling->log, p->level > before ? LOG_WARNING : LOG_NOTICE, "memory_pressure", "level",
             pressure_names[p->level], "before", pressure_names[before], "bytes",
             LOG_INT (p->bytes), "memory_max", LOG_INT (p->max), NULL);
}

/* Once a second, however often is measured. */
static void
age_large_blocks (struct ceiling *ceiling)
{
  ev_tstamp now = ev_now (ceiling->loop);

  if (now - ceiling->aged < seldom)
    return;
  ceiling->aged = now;
  large_age ();
}

/* malloc_trim walks all there is, which takes longer than a turn of the loop may: only where the
 * room is needed, and once a second.  An allocation that was refused says nothing of that. */
static void
give_back (struct ceiling *ceiling)
{
  ev_tstamp now = ev_now (ceiling->loop);

  ceiling->relieve (ceiling->ctx);
  large_drop ();
  if (ceiling->pressure.level == PRESSURE_NONE || now - ceiling->trimmed < seldom)
    return;
  ceiling->trimmed = now;
  (void) malloc_trim (0);
}

static void
look (struct ceiling *ceiling)
{
  struct pressure *p = &ceiling->pressure;
  enum pressure_level before = p->level;
  bool was_short = memory_is_short ();

  age_large_blocks (ceiling);
  if (was_short)
    log_event (ceiling->log, LOG_ERROR, "memory_reserve_used", "refilled",
               memory_refill () ? "yes" : "no", NULL);
  if (p->level != PRESSURE_NONE || was_short)
    give_back (ceiling);
  if (pressure_note (p, measure (ceiling), memory_is_short ()))
    log_level_change (ceiling, before);
}

static void
on_timer (struct ev_loop *loop, ev_timer *timer, int revents)
{
  struct ceiling *ceiling = timer->data;
  const struct pressure *p = &ceiling->pressure;

  (void) revents;
  look (ceiling);
  timer->repeat = p->bytes < p->max / 2 && p->level == PRESSURE_NONE ? seldom : often;
  ev_timer_again (loop, timer);
}

/* Before the loop sleeps: the next allocation may need the reserve.  Where it can't be had back the
 * timer goes on trying. */
static void
on_prepare (struct ev_loop *loop, ev_prepare *prepare, int revents)
{
  struct ceiling *ceiling = prepare->data;

  (void) loop;
  (void) revents;
  if (memory_is_short () && ceiling->pressure.level != PRESSURE_FULL)
    on_timer (ceiling->loop, &ceiling->timer, 0);
}

void
ceiling_init (struct ceiling *ceiling, struct ev_loop *loop, struct log *log, uint64_t max,
              void (*relieve) (void *ctx), void *ctx)
{
  *ceiling = (struct ceiling){ .loop = loop,
                               .log = log,
                               .pressure = { .max = max, .measure = measure, .ctx = ceiling },
                               .statm = open ("/proc/self/statm", O_RDONLY | O_CLOEXEC),
                               .page = (uint64_t) sysconf (_SC_PAGESIZE),
                               .relieve = relieve,
                               .ctx = ctx };
  if (ceiling->statm < 0)
    ceiling->pressure.max = 0;
  ceiling->pressure.bytes = measure (ceiling);
  ev_timer_init (&ceiling->timer, on_timer, often, often);
  ceiling->timer.data = ceiling;
  ev_prepare_init (&ceiling->reserve, on_prepare);
  ceiling->reserve.data = ceiling;
  ev_timer_start (loop, &ceiling->timer);
  ev_prepare_start (loop, &ceiling->reserve);
  ev_unref (loop);
  ev_unref (loop);
}

void
ceiling_set_max (struct ceiling *ceiling, uint64_t max)
{
  if (ceiling->statm >= 0)
    ceiling->pressure.max = max;
}

void
ceiling_metrics (const struct ceiling *ceiling, struct buf *out)
{
  const struct pressure *p = &ceiling->pressure;

  metrics_head (out, "toolhost_memory_bytes", "gauge", "Resident memory of the daemon.");
  metrics_sample (out, "toolhost_memory_bytes", NULL,
                  (double) (ceiling->statm >= 0 ? measure ((void *) (uintptr_t) ceiling) : 0));
  metrics_head (out, "toolhost_memory_max_bytes", "gauge", "What it must not exceed.");
  metrics_sample (out, "toolhost_memory_max_bytes", NULL, (double) p->max);
  metrics_head (out, "toolhost_memory_shedding", "gauge",
                "What is refused for want of memory: 0 nothing, 1 large requests, 2 all calls.");
  metrics_sample (out, "toolhost_memory_shedding", NULL, (double) p->level);
  metrics_head (out, "toolhost_memory_refused_total", "counter",
                "Request bodies and results that found no room.");
  metrics_sample (out, "toolhost_memory_refused_total", NULL, (double) p->refused);
}

void
ceiling_clear (struct ceiling *ceiling)
{
  if (ceiling->loop == NULL)
    return;
  ev_ref (ceiling->loop);
  ev_ref (ceiling->loop);
  ev_prepare_stop (ceiling->loop, &ceiling->reserve);
  ev_timer_stop (ceiling->loop, &ceiling->timer);
  if (ceiling->statm >= 0)
    (void) close (ceiling->statm);
}
