#include "watch/turns.h"

#include <inttypes.h>

#include "watch/metrics.h"

enum { LONG_NS = 3000000 };

static const struct {
  int64_t ns;
  const char *name;
} bounds[TURNS_BUCKETS] = {
  { 100000, "0.0001" }, { 1000000, "0.001" }, { 2000000, "0.002" },
  { 5000000, "0.005" }, { 10000000, "0.01" }, { 20000000, "0.02" },
  { 50000000, "0.05" }, { 100000000, "0.1" }, { 1000000000, "1" },
};

/* What comes first in a turn … */
static void
on_begin (struct ev_loop *loop, ev_check *check, int revents)
{
  struct turns *turns = check->data;

  (void) loop;
  (void) revents;
  turns->began = turns->now ();
}

/* … and what comes last. */
static void
on_end (struct ev_loop *loop, ev_prepare *prepare, int revents)
{
  struct turns *turns = prepare->data;
  int64_t took;
  size_t i = 0;

  (void) loop;
  (void) revents;
  if (turns->began == 0)
    return;
  took = turns->now () - turns->began;
  while (i < TURNS_BUCKETS && took > bounds[i].ns)
    i++;
  turns->buckets[i]++;
  turns->sum += took;
  turns->began = 0;
}

void
turns_init (struct turns *turns, struct ev_loop *loop, int64_t (*now) (void))
{
  *turns = (struct turns){ .loop = loop, .now = now };
  ev_check_init (&turns->begin, on_begin);
  ev_prepare_init (&turns->end, on_end);
  ev_set_priority (&turns->begin, EV_MAXPRI);
  ev_set_priority (&turns->end, EV_MINPRI);
  turns->begin.data = turns->end.data = turns;
  ev_check_start (loop, &turns->begin);
  ev_prepare_start (loop, &turns->end);
  ev_unref (loop);
  ev_unref (loop);
}

void
turns_clear (struct turns *turns)
{
  if (turns->loop == NULL)
    return;
  ev_ref (turns->loop);
  ev_ref (turns->loop);
  ev_check_stop (turns->loop, &turns->begin);
  ev_prepare_stop (turns->loop, &turns->end);
  turns->loop = NULL;
}

bool
turns_is_long (const struct turns *turns)
{
  return turns != NULL && turns->began != 0 && turns->now () - turns->began > LONG_NS;
}

void
turns_metrics (const struct turns *turns, struct buf *out)
{
  uint64_t count = 0;

  metrics_head (out, "toolhost_loop_turn_seconds", "histogram",
                "Time in which the loop did something and served nobody else.");
  for (size_t i = 0; i < TURNS_BUCKETS; i++) {
    count += turns->buckets[i];
    buf_printf (out, "toolhost_loop_turn_seconds_bucket{le=\"%s\"} %" PRIu64 "\n", bounds[i].name,
                count);
  }
  count += turns->buckets[TURNS_BUCKETS];
  buf_printf (out,
              "toolhost_loop_turn_seconds_bucket{le=\"+Inf\"} %" PRIu64 "\n"
              "toolhost_loop_turn_seconds_sum %.6f\n"
              "toolhost_loop_turn_seconds_count %" PRIu64 "\n",
              count, (double) turns->sum / 1e9, count);
}
