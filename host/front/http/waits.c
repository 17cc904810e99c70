#include "front/http/waits.h"

#include <time.h>

enum { NS_PER_MS = 1000000 };

int64_t
waits_now (void)
{
  struct timespec now;

  (void) clock_gettime (CLOCK_MONOTONIC_COARSE, &now);
  return (int64_t) now.tv_sec * 1000 * NS_PER_MS + now.tv_nsec;
}

static void
set_timer (struct waits *ws, int64_t at, int64_t now)
{
  int64_t after = at > now + NS_PER_MS ? at - now : NS_PER_MS;

  ev_timer_stop (ws->loop, &ws->timer);
  ev_timer_set (&ws->timer, (double) after / 1e9, 0.);
  ev_timer_start (ws->loop, &ws->timer);
  ws->timer_at = at;
}

static void
on_timer (struct ev_loop *loop, ev_timer *timer, int events)
{
  struct waits *ws = timer->data;
  int64_t now = waits_now (), next = INT64_MAX;

  (void) loop;
  (void) events;
  for (int kind = WAIT_HEAD; kind < WAIT_KINDS; kind++) {
    struct wait *first;
    while ((first = TAILQ_FIRST (&ws->queues[kind])) != NULL && first->deadline <= now)
      ws->expired (first);
  }
  for (int kind = WAIT_HEAD; kind < WAIT_KINDS; kind++) {
    struct wait *first = TAILQ_FIRST (&ws->queues[kind]);
    if (first != NULL && first->deadline < next)
      next = first->deadline;
  }
  if (next != INT64_MAX)
    set_timer (ws, next, now);
}

void
waits_init (struct waits *ws, struct ev_loop *loop, const double seconds[WAIT_KINDS],
            void (*expired) (struct wait *wait))
{
  ws->loop = loop;
  ws->expired = expired;
  for (int kind = 0; kind < WAIT_KINDS; kind++) {
    TAILQ_INIT (&ws->queues[kind]);
    ws->lasts[kind] = (int64_t) (seconds[kind] * 1e9);
  }
  ev_init (&ws->timer, on_timer);
  ev_set_priority (&ws->timer, EV_MINPRI); /* what has come is read before its time is up */
  ws->timer.data = ws;
}

void
waits_add (struct waits *ws, struct wait *wait, enum wait_kind kind)
{
  wait->kind = kind;
  TAILQ_INSERT_TAIL (&ws->queues[kind], wait, link);
  if (kind == WAIT_NONE)
    return;

  int64_t now = waits_now ();
  wait->deadline = now + ws->lasts[kind];
  if (!ev_is_active (&ws->timer) || wait->deadline < ws->timer_at)
    set_timer (ws, wait->deadline, now);
}

void
waits_remove (struct waits *ws, struct wait *wait)
{
  TAILQ_REMOVE (&ws->queues[wait->kind], wait, link);
}

void
waits_set (struct waits *ws, struct wait *wait, enum wait_kind kind)
{
  if (kind == WAIT_NONE && wait->kind == WAIT_NONE)
    return;
  waits_remove (ws, wait);
  waits_add (ws, wait, kind);
}

void
waits_stop (struct waits *ws)
{
  ev_timer_stop (ws->loop, &ws->timer);
}
