#include "watch/turns.h"

#include <inttypes.h>

#include "watch/metrics.h"

enum {
  LONG_NS = 3000000,
  SAMPLE_NS = 1000000 /* processor time is asked for this often: it takes a system call */
};

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
  turns->began = turns->clock.now ();
  if (turns->began - turns->worked_at < SAMPLE_NS)
    return;
  turns->worked = turns->clock.worked ();
  turns->worked_at = turns->began;
}

static void
add (struct turns_taken *taken, int64_t ns)
{
  size_t i = 0;

  while (i < TURNS_BUCKETS && ns > bounds[i].ns)
    i++;
  taken->buckets[i]++;
  taken->sum += ns;
}

/* How much of a turn the loop worked; of a short one, all. */
static int64_t
work_of (const struct turns *turns, int64_t took)
{
  int64_t worked = took > LONG_NS ? turns->clock.worked () - turns->worked : took;

  return worked < took ? worked : took;
}

/* … and what comes last. */
static void
on_end (struct ev_loop *loop, ev_prepare *prepare, int revents)
{
  struct turns *turns = prepare->data;
  int64_t took;

  (void) loop;
  (void) revents;
  if (turns->began == 0)
    return;
  took = turns->clock.now () - turns->began;
  add (&turns->all, took);
  add (&turns->work, work_of (turns, took));
  turns->began = 0;
}

void
turns_init (struct turns *turns, struct ev_loop *loop, const struct turns_clock *clock)
{
  *turns = (struct turns){ .loop = loop, .clock = *clock };
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
  return turns != NULL && turns->began != 0 && turns->clock.now () - turns->began > LONG_NS;
}

uint64_t
turns_since (const struct turns *turns, int64_t now)
{
  return turns != NULL && turns->began != 0 && now > turns->began
           ? (uint64_t) (now - turns->began) / 1000
           : 0;
}

void
turns_put (struct buf *out, const char *name, const char *label, const struct turns_taken *taken)
{
  const char *comma = *label != '\0' ? "," : "", *open = *label != '\0' ? "{" : "",
             *close = *label != '\0' ? "}" : "";
  uint64_t count = 0;

  for (size_t i = 0; i < TURNS_BUCKETS; i++) {
    count += taken->buckets[i];
    buf_printf (out, "%s_bucket{%s%sle=\"%s\"} %" PRIu64 "\n", name, label, comma, bounds[i].name,
                count);
  }
  count += taken->buckets[TURNS_BUCKETS];
  buf_printf (out, "%s_bucket{%s%sle=\"+Inf\"} %" PRIu64 "\n", name, label, comma, count);
  buf_printf (out, "%s_sum%s%s%s %.6f\n", name, open, label, close, (double) taken->sum / 1e9);
  buf_printf (out, "%s_count%s%s%s %" PRIu64 "\n", name, open, label, close, count);
}

static void
put (struct buf *out, const char *name, const char *help, const struct turns_taken *taken)
{
  metrics_head (out, name, "histogram", help);
  turns_put (out, name, "", taken);
}

void
turns_metrics (const struct turns *turns, struct buf *out)
{
  put (out, "toolhost_loop_turn_seconds",
       "Time in which the loop did something and served nobody else.", &turns->all);
  put (out, "toolhost_loop_turn_work_seconds",
       "Of that, of turns longer than 3 ms only the time in which a processor worked for the loop.",
       &turns->work);
}
