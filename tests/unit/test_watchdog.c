/* What processes use, as the kernel says, and when that is too much. */
#include <ev.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pool/watchdog.h"
#include "tap.h"

#define MS 1000000LL

/* ---- credit ---- */

static void
calls_within_their_limit_never_run_out (void)
{
  struct cpu_credit credit;
  int64_t cpu = 0;

  cpu_credit_init (&credit);
  for (int i = 0; i < 1000; i++) { /* two at a time, 200 ms each, all of it used */
    cpu_credit_begin (&credit, 200 * MS);
    cpu_credit_begin (&credit, 200 * MS);
    for (int tick = 0; tick < 4; tick++)
      CU_ASSERT_TRUE (cpu_credit_take (&credit, cpu += 100 * MS, 50 * MS));
    cpu_credit_end (&credit, 200 * MS);
    cpu_credit_end (&credit, 200 * MS);
  }
}

static void
what_calls_leave_over_is_not_saved (void)
{
  struct cpu_credit credit;
  int64_t cpu = 0;
  int ticks = 0;

  cpu_credit_init (&credit);
  for (int i = 0; i < 100000; i++) { /* quick ones, which use next to nothing */
    cpu_credit_begin (&credit, 10000 * MS);
    cpu_credit_end (&credit, 10000 * MS);
  }
  CU_ASSERT_TRUE (cpu_credit_take (&credit, cpu, 50 * MS));
  while (cpu_credit_take (&credit, cpu += 50 * MS, 50 * MS) && ticks < 1000)
    ticks++;
  CU_ASSERT_TRUE (ticks >= 20 && ticks < 30); /* a second, and the fiftieth that is free */
}

static void
a_call_that_goes_on_runs_out (void)
{
  struct cpu_credit credit;
  int64_t cpu = 0;

  cpu_credit_init (&credit);
  cpu_credit_begin (&credit, 200 * MS);
  while (cpu_credit_take (&credit, cpu += 50 * MS, 50 * MS) && cpu < 10000 * MS)
    ;
  CU_ASSERT_TRUE (cpu > 1200 * MS && cpu < 1500 * MS);
}

static void
a_call_without_limit_may_go_on (void)
{
  struct cpu_credit credit;
  int64_t cpu = 0;

  cpu_credit_init (&credit);
  cpu_credit_begin (&credit, 0);
  for (int i = 0; i < 1000; i++)
    CU_ASSERT_TRUE (cpu_credit_take (&credit, cpu += 50 * MS, 50 * MS));
  cpu_credit_end (&credit, 0);
  CU_ASSERT_FALSE (cpu_credit_take (&credit, cpu + 2000 * MS, 50 * MS));
}

/* ---- effort ---- */

static void
who_computes_for_long_is_heavy_for_a_second (void)
{
  struct effort effort;
  int64_t now = 1000000 * MS;

  effort_init (&effort, false, now);
  CU_ASSERT_FALSE (effort_look (&effort, 2 * MS, 0, 50 * MS, now += 50 * MS));
  CU_ASSERT_TRUE (effort_look (&effort, 60 * MS, 1, 50 * MS, now += 50 * MS) && effort.heavy);
  for (int i = 0; i < 19; i++)
    CU_ASSERT_FALSE (effort_look (&effort, 60 * MS, 1, 50 * MS, now += 50 * MS));
  CU_ASSERT_TRUE (effort_look (&effort, 60 * MS, 1, 50 * MS, now += 50 * MS) && !effort.heavy);
}

static void
who_answers_many_calls_is_not_heavy (void)
{
  struct effort effort;
  int64_t cpu = 0, now = 1000000 * MS;

  effort_init (&effort, false, now);
  for (uint64_t answered = 0; answered < 100000; answered += 1000)
    CU_ASSERT_FALSE (
      effort_look (&effort, cpu += 50 * MS, answered + 1000, 50 * MS, now += 50 * MS));
}

static void
who_follows_a_heavy_one_begins_so (void)
{
  struct effort effort;

  effort_init (&effort, true, 0);
  CU_ASSERT_TRUE (effort.heavy);
  CU_ASSERT_FALSE (effort_look (&effort, 0, 0, 50 * MS, 500 * MS));
  CU_ASSERT_TRUE (effort_look (&effort, 0, 0, 500 * MS, 1000 * MS) && !effort.heavy);
}

/* ---- processes: an "init" of our own with a child that uses something ---- */

struct family {
  pid_t init;
  int up; /* the child says that it has begun */
};

static void
use_memory (void)
{
  size_t size = 64 << 20;
  char *all =
    mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

  for (size_t i = 0; all != MAP_FAILED && i < size; i += 4096)
    ((volatile char *) all)[i] = 1;
}

static void
use_processor (void)
{
  for (volatile unsigned long turns = 0; turns < 1UL << 62; turns++)
    ;
}

static void
use_nothing (void)
{
}

static struct family
family_start (void (*use) (void), bool say_first)
{
  struct family family;
  int pipes[2];
  char text;

  CU_ASSERT_EQUAL_FATAL (pipe (pipes), 0);
  family.init = fork ();
  if (family.init == 0) {
    (void) alarm (120); /* whatever becomes of the test */
    if (fork () == 0) {
      (void) alarm (120);
      if (say_first)
        (void) !write (pipes[1], "", 1);
      use ();
      (void) !write (pipes[1], "", 1);
    }
    for (;;)
      (void) pause ();
  }
  family.up = pipes[0];
  (void) close (pipes[1]);
  CU_ASSERT_EQUAL (read (family.up, &text, 1), 1);
  return family;
}

static pid_t
child_of (const struct family *family)
{
  char path[64];
  FILE *file;
  int pid = 0;

  (void) snprintf (path, sizeof path, "/proc/%d/task/%d/children", family->init, family->init);
  file = fopen (path, "r");
  if (file != NULL) {
    (void) !fscanf (file, "%d", &pid);
    (void) fclose (file);
  }
  return pid;
}

static void
family_end (struct family *family)
{
  pid_t child = child_of (family);

  if (child > 0)
    (void) kill (child, SIGKILL);
  (void) kill (family->init, SIGKILL);
  (void) waitpid (family->init, NULL, 0);
  (void) close (family->up);
}

struct rig {
  struct ev_loop *loop;
  struct watchdog dog;
  struct watched watched;
  enum reason over;
  bool was_heavy;
  char words[128];
};

static void
on_over (struct watched *watched, enum reason reason, const char *words)
{
  struct rig *rig = (struct rig *) ((char *) watched - offsetof (struct rig, watched));

  rig->over = reason;
  (void) snprintf (rig->words, sizeof rig->words, "%s", words);
  ev_break (rig->loop, EVBREAK_ALL);
}

static void
on_patience (struct ev_loop *loop, ev_timer *timer, int revents)
{
  (void) timer;
  (void) revents;
  ev_break (loop, EVBREAK_ALL);
}

static void
on_effort (struct watched *watched)
{
  struct rig *rig = (struct rig *) ((char *) watched - offsetof (struct rig, watched));

  rig->was_heavy |= watched->effort.heavy;
}

/* Watch the child of a family until it has used too much, or for so many seconds. */
static void
watch (struct rig *rig, const struct family *family, const struct watch_limits *limits,
       double patience)
{
  ev_timer timer;

  rig->loop = ev_loop_new (EVFLAG_AUTO);
  watchdog_init (&rig->dog, rig->loop, "/proc");
  rig->watched = (struct watched){ .over = on_over, .effort_changed = on_effort };
  rig->over = REASON_NONE;
  rig->was_heavy = false;
  CU_ASSERT_TRUE_FATAL (watchdog_add (&rig->dog, &rig->watched, family->init, limits, false));
  watched_serves (&rig->watched, true);
  watched_begin (&rig->watched, 20);
  ev_timer_init (&timer, on_patience, patience, 0);
  ev_timer_start (rig->loop, &timer);
  ev_run (rig->loop, 0);
  ev_timer_stop (rig->loop, &timer);
  watched_end (&rig->watched, 20, false);
  watchdog_remove (&rig->watched);
  watchdog_clear (&rig->dog);
  ev_loop_destroy (rig->loop);
}

static void
memory_is_seen (void)
{
  struct family family = family_start (use_memory, false);
  struct rig rig;

#ifndef TOOLHOST_SANITIZED
  watch (&rig, &family, &(struct watch_limits){ .memory = 32 << 20 }, 10);
  CU_ASSERT_EQUAL (rig.over, REASON_OOM);
  CU_ASSERT_PTR_NOT_NULL (strstr (rig.words, "its policy gives it 32"));
  CU_ASSERT_TRUE (rig.watched.rss_peak >= 64 << 20);
#endif
  watch (&rig, &family, &(struct watch_limits){ .memory = 128 << 20 }, 0.2);
  CU_ASSERT_EQUAL (rig.over, REASON_NONE);
  CU_ASSERT_TRUE (rig.watched.rss >= 64 << 20);
  family_end (&family);
}

static void
processor_time_is_seen (void)
{
  struct family family = family_start (use_processor, true);
  struct rig rig;

  watch (&rig, &family, &(struct watch_limits){ .memory = 1 << 30, .cpu = true }, 60);
  CU_ASSERT_EQUAL (rig.over, REASON_CPU);
  CU_ASSERT_PTR_NOT_NULL (strstr (rig.words, "more processor time"));
  CU_ASSERT_TRUE (rig.was_heavy);
  family_end (&family);
}

static void
sleep_costs_nothing (void)
{
  struct family family = family_start (use_nothing, false);
  struct rig rig;

  watch (&rig, &family, &(struct watch_limits){ .memory = 1 << 30, .cpu = true }, 0.3);
  CU_ASSERT_EQUAL (rig.over, REASON_NONE);
  CU_ASSERT_TRUE (rig.watched.cpu_ns < 1000 * MS);
  CU_ASSERT_FALSE (rig.was_heavy);
  family_end (&family);
}

static void
a_number_that_is_used_again_is_never_read (void)
{
  struct family family = family_start (use_nothing, false);
  int proc = open ("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
  struct process_usage usage;
  struct process process;

  CU_ASSERT_TRUE_FATAL (process_open (&process, proc, family.init));
  CU_ASSERT_TRUE (process_read (&process, &usage));
  CU_ASSERT_TRUE (usage.rss > 0);
  family_end (&family);
  /* it is init's of this system to collect: then its file says nothing more */
  for (int i = 0; i < 10000 && process_read (&process, &usage); i++)
    (void) usleep (1000);
  CU_ASSERT_FALSE (process_read (&process, &usage));
  process_close (&process);
  (void) close (proc);
}

static void
a_proc_that_says_nothing (void)
{
  struct family family = family_start (use_nothing, false);
  struct watched watched = { .over = on_over };
  struct watchdog dog;
  struct ev_loop *loop = ev_loop_new (EVFLAG_AUTO);

  watchdog_init (&dog, loop, "/nonexistent");
  CU_ASSERT_FALSE (
    watchdog_add (&dog, &watched, family.init, &(struct watch_limits){ .memory = 1 }, false));
  watched_begin (&watched, 20);
  watched_cancel (&watched);
  watched_end (&watched, 20, true);
  watchdog_remove (&watched);
  watchdog_clear (&dog);
  watchdog_init (&dog, loop, "/proc");
  family_end (&family);
  CU_ASSERT_FALSE (
    watchdog_add (&dog, &watched, family.init, &(struct watch_limits){ .memory = 1 }, false));
  watchdog_clear (&dog);
  ev_loop_destroy (loop);
}

static CU_TestInfo credit_tests[] = {
  { "calls within their limit never run out", calls_within_their_limit_never_run_out },
  { "what calls leave over is not saved", what_calls_leave_over_is_not_saved },
  { "a call that goes on runs out", a_call_that_goes_on_runs_out },
  { "a call without limit may go on", a_call_without_limit_may_go_on },
  { "who computes for long is heavy for a second", who_computes_for_long_is_heavy_for_a_second },
  { "who answers many calls is not heavy", who_answers_many_calls_is_not_heavy },
  { "who follows a heavy one begins so", who_follows_a_heavy_one_begins_so },
  CU_TEST_INFO_NULL,
};
static CU_TestInfo process_tests[] = {
  { "memory is seen", memory_is_seen },
  { "processor time is seen", processor_time_is_seen },
  { "sleep costs nothing", sleep_costs_nothing },
  { "a number that is used again is never read", a_number_that_is_used_again_is_never_read },
  { "a /proc that says nothing", a_proc_that_says_nothing },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = {
  { .pName = "credit", .pTests = credit_tests },
  { .pName = "processes", .pTests = process_tests },
  CU_SUITE_INFO_NULL,
};

TAP_MAIN (suites)
