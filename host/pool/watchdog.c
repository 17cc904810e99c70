#include "pool/watchdog.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"

static const double BUSY_SECONDS = 0.05;
static const double RESTING_SECONDS = 1;

static const int64_t NS_PER_MS = 1000000;

/* What is in memory of a worker besides what the plugin uses: programs, libraries, rings. */
#ifdef TOOLHOST_SANITIZED
static const uint64_t OVERHEAD = UINT64_C (1) << 46; /* shadow memory counts, too */
#else
static const uint64_t OVERHEAD = 8 << 20;
#endif

static void
set_pace (struct watchdog *dog, bool fast)
{
  double seconds = fast ? BUSY_SECONDS : RESTING_SECONDS;

  dog->fast = fast;
  ev_timer_stop (dog->loop, &dog->timer);
  ev_timer_set (&dog->timer, seconds, seconds);
  ev_timer_start (dog->loop, &dog->timer);
}

static void
hurry (struct watchdog *dog)
{
  if (!dog->fast)
    set_pace (dog, true);
}

static void
too_much_memory (struct watched *watched)
{
  char words[96];

  (void) snprintf (words, sizeof words, "used %llu MiB of memory, its policy gives it %llu",
                   (unsigned long long) (watched->rss >> 20),
                   (unsigned long long) (watched->limits.memory >> 20));
  watched->over (watched, REASON_OOM, words);
}

static void
too_much_cpu (struct watched *watched)
{
  char words[96];

  (void) snprintf (words, sizeof words,
                   "used more processor time than its calls may, %lld ms since its start",
                   (long long) (watched->cpu_ns / 1000000));
  watched->over (watched, REASON_CPU, words);
}

static void
look_at (struct watched *watched, int64_t now, int64_t passed_ns)
{
  struct process_usage usage;

  if (!process_read (&watched->process, &usage))
    return; /* it has ended, and that is noticed elsewhere */
  watched->rss = usage.rss;
  watched->cpu_ns = usage.cpu_ns;
  if (usage.rss > watched->rss_peak)
    watched->rss_peak = usage.rss;
  if (usage.rss > watched->limits.memory + OVERHEAD) {
    too_much_memory (watched);
    return;
  }
  if (effort_look (&watched->effort, usage.cpu_ns, watched->answered, passed_ns, now))
    watched->effort_changed (watched);
  if (!cpu_credit_take (&watched->cpu, usage.cpu_ns, passed_ns) && watched->limits.cpu
      && watched->serving && watched->cancelled == 0)
    too_much_cpu (watched);
}

static bool
is_busy (const struct watched *watched)
{
  return !watched->serving || watched->running != 0;
}

static void
look (struct ev_loop *loop, ev_timer *timer, int revents)
{
  struct watchdog *dog = timer->data;
  const int64_t now = clock_ns ();
  const int64_t passed_ns = now - dog->looked;
  bool busy = false;

  (void) loop;
  (void) revents;
  dog->looked = now;
  for (struct watched *w = dog->first; w != NULL; w = w->next) {
    busy = busy || is_busy (w);
    look_at (w, now, passed_ns);
  }
  if (busy != dog->fast)
    set_pace (dog, busy);
}

void
watchdog_init (struct watchdog *dog, struct ev_loop *loop, const char *proc)
{
  *dog = (struct watchdog){ .loop = loop, .proc = open (proc, O_PATH | O_DIRECTORY | O_CLOEXEC) };
  ev_timer_init (&dog->timer, look, 0, 0);
  dog->timer.data = dog;
}

void
watchdog_clear (struct watchdog *dog)
{
  ev_timer_stop (dog->loop, &dog->timer);
  fd_cleanup (&dog->proc);
}

bool
watchdog_add (struct watchdog *dog, struct watched *watched, pid_t init,
              const struct watch_limits *limits, bool heavy)
{
  if (watched->dog != NULL || !process_open (&watched->process, dog->proc, init))
    return false;
  watched->dog = dog;
  watched->limits = *limits;
  cpu_credit_init (&watched->cpu);
  effort_init (&watched->effort, heavy, clock_ns ());
  watched->next = dog->first;
  if (dog->first != NULL)
    dog->first->prev = watched;
  if (dog->first == NULL)
    dog->looked = clock_ns ();
  dog->first = watched;
  hurry (dog);
  return true;
}

void
watchdog_remove (struct watched *watched)
{
  struct watchdog *dog = watched->dog;

  if (dog == NULL)
    return;
  if (watched->prev != NULL)
    watched->prev->next = watched->next;
  else
    dog->first = watched->next;
  if (watched->next != NULL)
    watched->next->prev = watched->prev;
  watched->dog = NULL;
  process_close (&watched->process);
  if (dog->first == NULL) {
    ev_timer_stop (dog->loop, &dog->timer);
    dog->fast = false;
  }
}

void
watched_ended (struct watched *watched, uint64_t rss_peak, int64_t cpu_ns)
{
  watched->rss = 0;
  if (rss_peak > watched->rss_peak)
    watched->rss_peak = rss_peak;
  if (cpu_ns > watched->cpu_ns)
    watched->cpu_ns = cpu_ns;
}

void
watched_serves (struct watched *watched, bool serves)
{
  watched->serving = serves;
  if (watched->dog != NULL && !serves)
    hurry (watched->dog);
}

void
watched_begin (struct watched *watched, uint32_t cpu_ms)
{
  watched->running++;
  cpu_credit_begin (&watched->cpu, cpu_ms * NS_PER_MS);
  if (watched->dog != NULL)
    hurry (watched->dog);
}

void
watched_cancel (struct watched *watched)
{
  watched->cancelled++;
}

void
watched_end (struct watched *watched, uint32_t cpu_ms, bool cancelled)
{
  watched->running--;
  watched->answered += !cancelled;
  cpu_credit_end (&watched->cpu, cpu_ms * NS_PER_MS);
  watched->cancelled -= cancelled;
}
