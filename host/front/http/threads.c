#include "front/http/threads.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "front/http/handed.h"
#include "watch/metrics.h"

/* ---- in a thread ---- */

static void
stop (struct front_thread *thread)
{
  thread->stopping = true;
  http_server_close (thread->server);
}

static void
read_mail (struct front_thread *thread, struct mail *mail)
{
  switch (mail->kind) {
  case MAIL_OUTPUT:
    return handed_apply (mail);
  case MAIL_LISTEN:
    return accept_listen (thread->server, mail->fd, (mail->flags & LISTEN_TLS) != 0);
  case MAIL_DRAIN:
    return http_server_drain (thread->server);
  case MAIL_RELIEVE:
    return http_server_relieve (thread->server);
  case MAIL_STOP: /* what is complete is sent, as far as it can be now */
    conn_turns (thread->server);
    return stop (thread);
  default:
    assert (false);
  }
}

/* All that came is looked at before anything is sent: what is for one connection goes together. */
static void
on_thread_knock (struct ev_loop *loop, ev_async *knock, int revents)
{
  struct front_thread *thread = knock->data;
  struct mail *mail;

  (void) loop;
  (void) revents;
  mailbox_take (&thread->inbox, &thread->heard);
  while ((mail = mails_next (&thread->heard)) != NULL)
    read_mail (thread, mail);
  mails_clear (&thread->heard);
  conn_turns (thread->server);
}

static void
report (struct front_thread *thread)
{
  struct http_counts counts;

  http_server_count (thread->server, &counts);
  pthread_mutex_lock (&thread->lock);
  thread->report =
    (struct front_report){ .counts = counts, .all = thread->turns.all, .work = thread->turns.work };
  pthread_mutex_unlock (&thread->lock);
}

static void
on_thread_turn_end (struct ev_loop *loop, ev_prepare *prepare, int revents)
{
  struct front_thread *thread = prepare->data;
  bool ends = thread->stopping && thread->parted == 0;

  (void) revents;
  if (ends)
    (void) mails_add (&thread->said, MAIL_ENDED, NULL);
  report (thread);
  mailbox_post (&thread->outbox, &thread->said);
  if (ends)
    ev_break (loop, EVBREAK_ALL);
}

static void *
run (void *arg)
{
  struct front_thread *thread = arg;

  (void) pthread_setname_np (pthread_self (), "toolhost-http");
  ev_run (thread->loop, 0);
  return NULL;
}

/* ---- on the core ---- */

/* Who is heard when this turn is long already is heard in the next one. */
static bool
hear (struct front_threads *threads, struct front_thread *thread)
{
  struct mail *mail;

  if (thread->news.count == 0)
    mailbox_take (&thread->outbox, &thread->news);
  while ((mail = mails_next (&thread->news)) != NULL) {
    if (mail->kind == MAIL_ENDED)
      thread->ended = true;
    else
      handed_receive (threads->core, mail, threads->stopping);
    if (!threads->stopping && turns_is_long (threads->core->env->turns))
      break;
  }
  if (thread->news.at < thread->news.count)
    return false;
  mails_clear (&thread->news);
  return true;
}

static void
hear_all (struct front_threads *threads)
{
  struct ev_loop *loop = threads->core->env->loop;

  for (unsigned i = 0; i < threads->count; i++) {
    unsigned number = (threads->first + i) % threads->count;
    if (hear (threads, &threads->thread[number]))
      continue;
    threads->first = number;
    return ev_idle_start (loop, &threads->later);
  }
  ev_idle_stop (loop, &threads->later);
}

static void
on_knock (struct ev_loop *loop, ev_async *knock, int revents)
{
  (void) loop;
  (void) revents;
  hear_all (knock->data);
}

static void
on_later (struct ev_loop *loop, ev_idle *idle, int revents)
{
  (void) loop;
  (void) revents;
  hear_all (idle->data);
}

static void
flush (struct front_threads *threads)
{
  for (unsigned i = 0; i < threads->count; i++) {
    handed_collect (&threads->thread[i]);
    mailbox_post (&threads->thread[i].inbox, &threads->thread[i].saying);
  }
}

static void
on_turn_end (struct ev_loop *loop, ev_prepare *prepare, int revents)
{
  struct front_threads *threads = prepare->data;
  const struct front_manage *manage = &threads->core->env->manage;

  (void) loop;
  (void) revents;
  if (manage->connections_room != NULL)
    atomic_store_explicit (&threads->room, manage->connections_room (manage->ctx),
                           memory_order_relaxed);
  flush (threads);
}

/* ---- beginning ---- */

static size_t
connections_room (void *ctx)
{
  return atomic_load_explicit (&((struct front_threads *) ctx)->room, memory_order_relaxed);
}

/* All that a server asks of its surroundings, as a thread may ask it. */
static void
make_env (struct front_thread *thread)
{
  const struct front_env *of = thread->threads->core->env;

  thread->env = (struct front_env){ .loop = thread->loop,
                                    .log = of->log,
                                    .pressure = of->pressure,
                                    .turns = &thread->turns,
                                    .hosts = of->hosts,
                                    .origins = of->origins };
  if (of->manage.connections_room != NULL)
    thread->env.manage =
      (struct front_manage){ .ctx = thread->threads, .connections_room = connections_room };
}

static void
watch_thread (struct front_thread *thread)
{
  struct ev_loop *loop = thread->loop;

  ev_async_init (&thread->knock, on_thread_knock);
  thread->knock.data = thread;
  ev_async_start (loop, &thread->knock);
  ev_prepare_init (&thread->turn_end, on_thread_turn_end);
  ev_set_priority (&thread->turn_end, EV_MINPRI); /* the very last: after the turn was measured */
  thread->turn_end.data = thread;
  ev_prepare_start (loop, &thread->turn_end);
  turns_init (&thread->turns, loop,
              &(struct turns_clock){ .now = clock_ns, .worked = clock_thread_ns });
}

/* Everything but the thread itself. */
static bool
make (struct front_threads *threads, struct front_thread *thread)
{
  struct http_server *core = threads->core;

  thread->threads = threads;
  thread->touched_end = &thread->touched;
  thread->loop = ev_loop_new (EVFLAG_AUTO);
  if (thread->loop == NULL)
    return false;
  make_env (thread);
  thread->server = http_server_new (&thread->env, &core->limits, handed_over, thread);
  thread->server->crowd = core->crowd;
  thread->server->tls = core->tls;
  pthread_mutex_init (&thread->lock, NULL);
  mailbox_init (&thread->inbox, thread->loop, &thread->knock);
  mailbox_init (&thread->outbox, core->env->loop, &threads->knock);
  watch_thread (thread);
  return true;
}

static void
unmake (struct front_thread *thread)
{
  turns_clear (&thread->turns);
  ev_prepare_stop (thread->loop, &thread->turn_end);
  ev_async_stop (thread->loop, &thread->knock);
  thread->server->tls = NULL;
  http_server_free (thread->server);
  ev_loop_destroy (thread->loop);
  mailbox_clear (&thread->inbox);
  mailbox_clear (&thread->outbox);
  mails_free (&thread->said);
  mails_free (&thread->heard);
  mails_free (&thread->saying);
  mails_free (&thread->news);
  pthread_mutex_destroy (&thread->lock);
}

/* Signals are for the loop that knows what they mean. */
static int
start (struct front_thread *thread)
{
  sigset_t all, was;
  int error;

  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &was);
  error = pthread_create (&thread->id, NULL, run, thread);
  pthread_sigmask (SIG_SETMASK, &was, NULL);
  return error;
}

static void
watch_threads (struct front_threads *threads)
{
  struct ev_loop *loop = threads->core->env->loop;

  ev_async_init (&threads->knock, on_knock);
  threads->knock.data = threads;
  ev_async_start (loop, &threads->knock);
  ev_unref (loop); /* connections that wait for something keep no loop alive */
  ev_prepare_init (&threads->turn_end, on_turn_end);
  ev_set_priority (&threads->turn_end, EV_MINPRI); /* whoever ends his turn, too, is heard */
  threads->turn_end.data = threads;
  ev_prepare_start (loop, &threads->turn_end);
  ev_unref (loop);
  ev_idle_init (&threads->later, on_later);
  ev_set_priority (&threads->later, EV_MAXPRI); /* in every turn, however busy */
  threads->later.data = threads;
}

static void
unwatch_threads (struct front_threads *threads)
{
  struct ev_loop *loop = threads->core->env->loop;

  ev_ref (loop);
  ev_async_stop (loop, &threads->knock);
  ev_ref (loop);
  ev_prepare_stop (loop, &threads->turn_end);
  ev_idle_stop (loop, &threads->later);
}

struct front_threads *
threads_new (struct http_server *core, unsigned count, struct error *err)
{
  struct front_threads *threads = xcalloc (1, sizeof *threads + count * sizeof *threads->thread);
  int error = 0;

  assert (count <= FRONT_THREADS_MAX);
  threads->core = core;
  atomic_init (&threads->room, SIZE_MAX);
  watch_threads (threads);
  while (error == 0 && threads->count < count) {
    struct front_thread *thread = &threads->thread[threads->count];
    if (!make (threads, thread))
      error = ENOMEM;
    else if ((error = start (thread)) != 0)
      unmake (thread);
    else
      threads->count++;
  }
  if (error == 0)
    return threads;
  error_set (err, "%u threads for connections can't be started: %s", count, strerror (error));
  threads_free (threads);
  return NULL;
}

/* ---- what is asked of all of them ---- */

static struct mail *
say (struct front_thread *thread, enum mail_kind kind, int fd)
{
  struct mail *mail;

  handed_collect (thread); /* what was answered before goes first */
  mail = mails_add (&thread->saying, kind, NULL);
  mail->fd = fd;
  return mail;
}

void
threads_listen (struct front_threads *threads, const int *fds, size_t count, bool tls)
{
  assert (count == 1 || count == threads->count);
  for (unsigned i = 0; i < threads->count; i++) {
    int fd = i < count ? fds[i] : fcntl (fds[0], F_DUPFD_CLOEXEC, 0);
    if (fd >= 0)
      say (&threads->thread[i], MAIL_LISTEN, fd)->flags = tls ? LISTEN_TLS : 0;
  }
  flush (threads);
}

void
threads_tell (struct front_threads *threads, enum mail_kind kind)
{
  for (unsigned i = 0; i < threads->count; i++)
    (void) say (&threads->thread[i], kind, -1);
  flush (threads);
}

static struct front_report
report_of (struct front_thread *thread)
{
  struct front_report report;

  pthread_mutex_lock (&thread->lock);
  report = thread->report;
  pthread_mutex_unlock (&thread->lock);
  return report;
}

void
threads_count (struct front_threads *threads, struct http_counts *counts)
{
  for (unsigned i = 0; i < threads->count; i++) {
    struct front_report report = report_of (&threads->thread[i]);
    http_counts_add (counts, &report.counts);
  }
}

void
threads_metrics (struct front_threads *threads, struct buf *out)
{
  struct front_report reports[FRONT_THREADS_MAX];
  char label[32];

  for (unsigned i = 0; i < threads->count; i++)
    reports[i] = report_of (&threads->thread[i]);
  metrics_head (out, "toolhost_http_thread_turn_seconds", "histogram",
                "Time in which a thread for connections did something, by thread.");
  for (unsigned i = 0; i < threads->count; i++) {
    (void) snprintf (label, sizeof label, "thread=\"%u\"", i);
    turns_put (out, "toolhost_http_thread_turn_seconds", label, &reports[i].all);
  }
  metrics_head (
    out, "toolhost_http_thread_turn_work_seconds", "histogram",
    "Of that, of turns longer than 3 ms only the time in which a processor worked for it.");
  for (unsigned i = 0; i < threads->count; i++) {
    (void) snprintf (label, sizeof label, "thread=\"%u\"", i);
    turns_put (out, "toolhost_http_thread_turn_work_seconds", label, &reports[i].work);
  }
}

/* ---- the end ---- */

/* Callbacks of one thread's exchanges may have something to say to those of others. */
static void
await (struct front_threads *threads, struct front_thread *thread)
{
  while (!thread->ended) {
    flush (threads);
    if (thread->news.count == 0)
      mailbox_await (&thread->outbox, &thread->news);
    (void) hear (threads, thread);
  }
  (void) pthread_join (thread->id, NULL);
}

void
threads_free (struct front_threads *threads)
{
  if (threads == NULL)
    return;
  threads->stopping = true;
  threads_tell (threads, MAIL_STOP);
  for (unsigned i = 0; i < threads->count; i++)
    await (threads, &threads->thread[i]);
  unwatch_threads (threads);
  for (unsigned i = 0; i < threads->count; i++)
    unmake (&threads->thread[i]);
  free (threads);
}
