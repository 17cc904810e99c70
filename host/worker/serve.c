#include "worker/serve.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "worker/crew.h"
#include "worker/outbox.h"

enum { NAG_MS = 20, QUIET_TICKS = 4 };

struct control {
  struct crew *crew;
  bool leads;
  int64_t nag_at;        /* when threads of cancelled calls get the next signal */
  uint64_t added, taken; /* what the queue had seen at the last tick */
  unsigned quiet;        /* ticks since something was to be watched */
};

static int64_t
now_ms (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (int64_t) t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- under the lock --------------------------------------------------------------------- */

/* Take the lead, unless somebody else has it.  The thread to wake for what came meanwhile, if any.
 */
static struct tool_thread *
take_lead (struct control *c)
{
  struct crew *crew = c->crew;

  while (!c->leads && !crew->led)
    c->leads = crew_begin_lead (crew);
  crew->lead_wanted = false;
  return crew_pick (crew);
}

/* Put the lead down, and let tool threads go on; the one to wake for that, if any.  While calls are
 * quick, or there are idle threads, one of them will lead. */
static struct tool_thread *
hand_over (struct control *c, struct datagram *in)
{
  struct crew *crew = c->crew;
  struct tool_thread *thread;

  crew_end_lead (crew, in);
  c->leads = false;
  thread = crew_pick (crew);
  if (thread == NULL || (!crew->quick && crew->idle == NULL))
    crew->lead_wanted = true;
  return thread;
}

/* Has a burst been worked off?  If a call was slow after all, find somebody for what waits behind
 * it.  The thread to wake, if any. */
static struct tool_thread *
tick (struct control *c)
{
  struct crew *crew = c->crew;
  struct roster *roster = &crew->roster;
  bool moved = roster->taken != c->taken;
  bool late = roster->taken < c->added;
  struct tool_thread *thread = NULL;

  if (!crew->led)
    intake_ring (&crew->intake);
  if (late || (!moved && crew->busy != 0)) {
    crew->quick = false;
    thread = crew_pick (crew);
    if (thread == NULL)
      thread = crew_find_leader (crew);
  }
  c->quiet = moved || !crew->led ? 0 : c->quiet + 1;
  crew->watched = c->quiet < QUIET_TICKS;
  c->added = roster->added;
  c->taken = roster->taken;
  return thread;
}

/* Signal when it is time.  How long to wait then, as poll wants it. */
static int
nag (struct control *c)
{
  int64_t now = now_ms ();

  if (c->crew->nagging && now >= c->nag_at) {
    c->crew->nagging = crew_nag (c->crew);
    c->nag_at = now + NAG_MS;
  }
  if (c->crew->watched)
    return WATCH_MS;
  return c->crew->nagging ? (int) (c->nag_at - now) : -1;
}

/* The sooner of two waits; -1: for ever. */
static int
sooner (int a, int b)
{
  return a >= 0 && (b < 0 || a < b) ? a : b;
}

/* ---- the loop --------------------------------------------------------------------------- */

/* Wait until the other threads want something, the lead brings something, or it is time.  True:
 * a datagram has been received. */
static bool
wait_for_news (struct control *c, int wait)
{
  struct pollfd fds[2] = { { .fd = c->crew->control_fd, .events = POLLIN },
                           { .fd = FD_CONTROL, .events = POLLIN } };
  eventfd_t count;

  if (poll (fds, c->leads ? 2 : 1, wait) <= 0)
    return false;
  if (fds[0].revents != 0)
    (void) eventfd_read (c->crew->control_fd, &count);
  if (fds[1].revents == 0)
    return false;
  if (!control_receive (&c->crew->datagram))
    _exit (WORKER_EXIT_OK);
  return true;
}

/* Under the lock: what has become of the wait.  The thread to wake, if any. */
static struct tool_thread *
see_to_it (struct control *c, bool received, bool watched)
{
  struct tool_thread *thread = NULL;

  if (received)
    thread = hand_over (c, &c->crew->datagram);
  else if (watched)
    thread = tick (c);
  if (thread == NULL && c->crew->lead_wanted)
    thread = take_lead (c);
  return thread;
}

void
serve (struct crew *crew)
{
  struct control c = { .crew = crew };
  bool done = false, received = false, watched = false;

  while (!done) {
    struct tool_thread *thread;
    struct cpu_overrun overrun;
    int wait;
    pthread_mutex_lock (&crew->lock);
    thread = see_to_it (&c, received, watched);
    done = crew->draining && crew->roster.live_count == 0;
    wait = sooner (nag (&c), cpu_look (crew, now_ms (), &overrun));
    watched = crew->watched;
    pthread_mutex_unlock (&crew->lock);
    crew_wake (thread);
    if (overrun.id != 0)
      cpu_tell (crew, &overrun);
    received = !done && wait_for_news (&c, wait);
    if (watched)
      outbox_flush (crew->outbox);
  }
}
