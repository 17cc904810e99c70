#include "base/offload.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/buf.h"

enum { THREADS_MAX = 8 };

struct offload_job {
  struct offload_work work;
  atomic_bool cancelled;
  struct offload_job *next; /* in the list it stands in */
};

/* Jobs in their order. */
struct line {
  struct offload_job *first, **end;
};

struct offload {
  struct ev_loop *loop;
  ev_async finished_some;
  unsigned jobs; /* submitted, and done not called */
  unsigned threads_max, threads;
  pthread_t thread[THREADS_MAX];
  pthread_mutex_t lock; /* guards what follows */
  pthread_cond_t wake;
  struct line waiting, finished;
  struct offload_job *running[THREADS_MAX];
  unsigned idle; /* threads that wait for work */
  bool ending;
};

/* What a thread begins with. */
struct seat {
  struct offload *offload;
  unsigned number;
};

static void
line_init (struct line *line)
{
  line->first = NULL;
  line->end = &line->first;
}

static void
line_add (struct line *line, struct offload_job *job)
{
  job->next = NULL;
  *line->end = job;
  line->end = &job->next;
}

static struct offload_job *
line_take (struct line *line)
{
  struct offload_job *job = line->first;

  if (job == NULL)
    return NULL;
  line->first = job->next;
  if (line->first == NULL)
    line->end = &line->first;
  return job;
}

bool
offload_cancelled (const struct offload_job *job)
{
  return atomic_load_explicit (&job->cancelled, memory_order_relaxed);
}

void
offload_cancel (struct offload_job *job)
{
  atomic_store_explicit (&job->cancelled, true, memory_order_relaxed);
}

/* ---- in a thread ---- */

static void
run (struct offload_job *job)
{
  if (!offload_cancelled (job))
    job->work.work (job->work.ctx, job);
}

/* The next job; NULL when there will be none.  The lock is held. */
static struct offload_job *
wait_for_job (struct offload *offload)
{
  struct offload_job *job;

  while ((job = line_take (&offload->waiting)) == NULL && !offload->ending) {
    offload->idle++;
    pthread_cond_wait (&offload->wake, &offload->lock);
    offload->idle--;
  }
  return job;
}

static void *
work (void *arg)
{
  struct seat *seat = arg;
  struct offload *offload = seat->offload;
  struct offload_job *job, **running = &offload->running[seat->number];

  free (seat);
  pthread_mutex_lock (&offload->lock);
  while ((job = wait_for_job (offload)) != NULL) {
    *running = job;
    pthread_mutex_unlock (&offload->lock);
    run (job);
    pthread_mutex_lock (&offload->lock);
    *running = NULL;
    line_add (&offload->finished, job);
    ev_async_send (offload->loop, &offload->finished_some);
  }
  pthread_mutex_unlock (&offload->lock);
  return NULL;
}

/* ---- on the loop ---- */

static void
finish (struct offload *offload, struct offload_job *job)
{
  bool cancelled = offload_cancelled (job);

  if (--offload->jobs == 0)
    ev_unref (offload->loop);
  job->work.done (job->work.ctx, cancelled);
  free (job);
}

static void
on_finished (struct ev_loop *loop, ev_async *async, int revents)
{
  struct offload *offload = async->data;
  struct offload_job *job;

  (void) loop;
  (void) revents;
  for (;;) {
    pthread_mutex_lock (&offload->lock);
    job = line_take (&offload->finished);
    pthread_mutex_unlock (&offload->lock);
    if (job == NULL)
      return;
    finish (offload, job);
  }
}

struct offload *
offload_new (struct ev_loop *loop, unsigned threads)
{
  struct offload *offload = xcalloc (1, sizeof *offload);

  offload->loop = loop;
  offload->threads_max = threads < THREADS_MAX ? threads : THREADS_MAX;
  line_init (&offload->waiting);
  line_init (&offload->finished);
  pthread_mutex_init (&offload->lock, NULL);
  pthread_cond_init (&offload->wake, NULL);
  ev_async_init (&offload->finished_some, on_finished);
  offload->finished_some.data = offload;
  ev_async_start (loop, &offload->finished_some);
  ev_unref (loop); /* the jobs keep the loop alive, not the way their end is heard of */
  return offload;
}

/* One more thread; false when there can't be one. */
static bool
start_thread (struct offload *offload)
{
  struct seat *seat = xmalloc (sizeof *seat);
  sigset_t all, was;
  int error;

  *seat = (struct seat){ offload, offload->threads };
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &was);
  error = pthread_create (&offload->thread[offload->threads], NULL, work, seat);
  pthread_sigmask (SIG_SETMASK, &was, NULL);
  if (error != 0) {
    free (seat);
    return false;
  }
  offload->threads++;
  return true;
}

/* Is somebody there to take what waits? */
static bool
have_thread (struct offload *offload, bool all_busy)
{
  if (all_busy && offload->threads < offload->threads_max)
    (void) start_thread (offload);
  return offload->threads != 0;
}

struct offload_job *
offload_submit (struct offload *offload, const struct offload_work *work)
{
  struct offload_job *job = xcalloc (1, sizeof *job);
  bool all_busy, taken;

  job->work = *work;
  if (offload->jobs++ == 0)
    ev_ref (offload->loop);
  pthread_mutex_lock (&offload->lock);
  all_busy = offload->idle == 0 || offload->waiting.first != NULL;
  pthread_mutex_unlock (&offload->lock);
  taken = have_thread (offload, all_busy);
  if (!taken)
    run (job);
  pthread_mutex_lock (&offload->lock);
  line_add (taken ? &offload->waiting : &offload->finished, job);
  pthread_cond_signal (&offload->wake);
  pthread_mutex_unlock (&offload->lock);
  if (!taken)
    ev_async_send (offload->loop, &offload->finished_some);
  return job;
}

static void
cancel_all (struct offload *offload)
{
  for (struct offload_job *job = offload->waiting.first; job != NULL; job = job->next)
    offload_cancel (job);
  for (struct offload_job *job = offload->finished.first; job != NULL; job = job->next)
    offload_cancel (job);
  for (unsigned i = 0; i < offload->threads; i++)
    if (offload->running[i] != NULL)
      offload_cancel (offload->running[i]);
}

void
offload_free (struct offload *offload)
{
  struct offload_job *job;

  if (offload == NULL)
    return;
  pthread_mutex_lock (&offload->lock);
  offload->ending = true;
  cancel_all (offload);
  pthread_cond_broadcast (&offload->wake);
  pthread_mutex_unlock (&offload->lock);
  for (unsigned i = 0; i < offload->threads; i++)
    (void) pthread_join (offload->thread[i], NULL);
  while ((job = line_take (&offload->finished)) != NULL)
    finish (offload, job);
  ev_ref (offload->loop);
  ev_async_stop (offload->loop, &offload->finished_some);
  pthread_cond_destroy (&offload->wake);
  pthread_mutex_destroy (&offload->lock);
  free (offload);
}
