/* Work off the loop: its order, its end on the loop's thread, cancelling it. */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>

#include "base/offload.h"
#include "tap.h"

/* One job, and what became of it. */
struct task {
  sem_t *begun, *go; /* posted when work begins; waited for before it ends; or NULL */
  pthread_t worked_by, done_by;
  sigset_t blocked;
  atomic_int works;
  int dones;
  bool cancelled, saw_cancelled;
  bool until_cancelled; /* work ends only then */
};

static void
work (void *ctx, const struct offload_job *job)
{
  struct task *task = ctx;

  atomic_fetch_add (&task->works, 1);
  task->worked_by = pthread_self ();
  pthread_sigmask (SIG_BLOCK, NULL, &task->blocked);
  if (task->begun != NULL)
    sem_post (task->begun);
  if (task->go != NULL)
    sem_wait (task->go);
  while (task->until_cancelled && !offload_cancelled (job))
    usleep (100);
  task->saw_cancelled = offload_cancelled (job);
}

static void
done (void *ctx, bool cancelled)
{
  struct task *task = ctx;

  task->dones++;
  task->done_by = pthread_self ();
  task->cancelled = cancelled;
}

static struct offload_job *
submit (struct offload *offload, struct task *task)
{
  return offload_submit (offload,
                         &(struct offload_work){ .work = work, .done = done, .ctx = task });
}

static void
work_is_done_in_a_thread_and_ends_on_the_loop (void)
{
  struct ev_loop *loop = ev_loop_new (EVFLAG_AUTO);
  struct offload *offload = offload_new (loop, 2);
  struct task task = { 0 };

  submit (offload, &task);
  CU_ASSERT_EQUAL (task.dones, 0); /* never from within submit */
  ev_run (loop, 0);                /* the job keeps it alive, and nothing else does */
  CU_ASSERT_EQUAL (task.works, 1);
  CU_ASSERT_EQUAL (task.dones, 1);
  CU_ASSERT_FALSE (task.cancelled);
  CU_ASSERT_FALSE (pthread_equal (task.worked_by, pthread_self ()));
  CU_ASSERT_TRUE (pthread_equal (task.done_by, pthread_self ()));
  CU_ASSERT_EQUAL (sigismember (&task.blocked, SIGTERM), 1);
  offload_free (offload);
  ev_loop_destroy (loop);
}

static void
a_loop_without_jobs_ends (void)
{
  struct ev_loop *loop = ev_loop_new (EVFLAG_AUTO);
  struct offload *offload = offload_new (loop, 1);

  ev_run (loop, 0);
  offload_free (offload);
  ev_loop_destroy (loop);
}

static void
long_work_holds_nobody_up (void)
{
  struct ev_loop *loop = ev_loop_new (EVFLAG_AUTO);
  struct offload *offload = offload_new (loop, 2);
  sem_t begun, go;
  struct task slow = { .begun = &begun, .go = &go }, quick[20] = { { 0 } };
  int ended = 0;

  sem_init (&begun, 0, 0);
  sem_init (&go, 0, 0);
  submit (offload, &slow);
  sem_wait (&begun);
  for (int i = 0; i < 20; i++)
    submit (offload, &quick[i]);
  while (ended < 20) {
    ev_run (loop, EVRUN_ONCE);
    ended = 0;
    for (int i = 0; i < 20; i++)
      ended += quick[i].dones;
  }
  CU_ASSERT_EQUAL (slow.dones, 0);
  sem_post (&go);
  ev_run (loop, 0);
  CU_ASSERT_EQUAL (slow.dones, 1);
  offload_free (offload);
  ev_loop_destroy (loop);
}

static void
what_has_not_begun_when_cancelled_never_does (void)
{
  struct ev_loop *loop = ev_loop_new (EVFLAG_AUTO);
  struct offload *offload = offload_new (loop, 1);
  sem_t begun, go;
  struct task first = { .begun = &begun, .go = &go }, second = { 0 };

  sem_init (&begun, 0, 0);
  sem_init (&go, 0, 0);
  submit (offload, &first);
  sem_wait (&begun);
  offload_cancel (submit (offload, &second));
  sem_post (&go);
  ev_run (loop, 0);
  CU_ASSERT_EQUAL (first.dones, 1);
  CU_ASSERT_FALSE (first.cancelled);
  CU_ASSERT_EQUAL (second.works, 0);
  CU_ASSERT_EQUAL (second.dones, 1);
  CU_ASSERT_TRUE (second.cancelled);
  offload_free (offload);
  ev_loop_destroy (loop);
}

static void
running_work_sees_that_it_was_cancelled (void)
{
  struct ev_loop *loop = ev_loop_new (EVFLAG_AUTO);
  struct offload *offload = offload_new (loop, 1);
  sem_t begun;
  struct task task = { .begun = &begun, .until_cancelled = true };
  struct offload_job *job;

  sem_init (&begun, 0, 0);
  job = submit (offload, &task);
  sem_wait (&begun);
  offload_cancel (job);
  ev_run (loop, 0);
  CU_ASSERT_TRUE (task.saw_cancelled);
  CU_ASSERT_TRUE (task.cancelled);
  CU_ASSERT_EQUAL (task.dones, 1);
  offload_free (offload);
  ev_loop_destroy (loop);
}

static void
the_end_waits_for_work_and_calls_done_of_all (void)
{
  struct ev_loop *loop = ev_loop_new (EVFLAG_AUTO);
  struct offload *offload = offload_new (loop, 2);
  sem_t begun;
  struct task tasks[50] = { { 0 } };

  sem_init (&begun, 0, 0);
  tasks[0].begun = &begun;
  tasks[0].until_cancelled = true;
  for (int i = 0; i < 50; i++)
    submit (offload, &tasks[i]);
  sem_wait (&begun);
  offload_free (offload);
  CU_ASSERT_TRUE (tasks[0].saw_cancelled);
  for (int i = 0; i < 50; i++)
    CU_ASSERT_EQUAL (tasks[i].dones, 1);
  ev_loop_destroy (loop);
}

static void
without_threads_the_loop_works (void)
{
  struct ev_loop *loop = ev_loop_new (EVFLAG_AUTO);
  struct offload *offload = offload_new (loop, 0);
  struct task task = { 0 };

  submit (offload, &task);
  CU_ASSERT_EQUAL (task.dones, 0);
  ev_run (loop, 0);
  CU_ASSERT_EQUAL (task.works, 1);
  CU_ASSERT_EQUAL (task.dones, 1);
  offload_free (offload);
  ev_loop_destroy (loop);
}

static CU_TestInfo tests[] = {
  { "work is done in a thread and ends on the loop",
    work_is_done_in_a_thread_and_ends_on_the_loop },
  { "a loop without jobs ends", a_loop_without_jobs_ends },
  { "long work holds nobody up", long_work_holds_nobody_up },
  { "what has not begun when cancelled never does", what_has_not_begun_when_cancelled_never_does },
  { "running work sees that it was cancelled", running_work_sees_that_it_was_cancelled },
  { "the end waits for work and calls done of all", the_end_waits_for_work_and_calls_done_of_all },
  { "without threads the loop works", without_threads_the_loop_works },
  CU_TEST_INFO_NULL
};

static CU_SuiteInfo suites[] = { { "offload", NULL, NULL, NULL, NULL, tests }, CU_SUITE_INFO_NULL };

TAP_MAIN (suites)
