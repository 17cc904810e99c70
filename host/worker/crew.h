/* crew.h - the threads of a worker that run calls, and who of them listens to the daemon.
 *
 * Waking is what costs, so whoever is awake does the work.  One thread at a time has the lead: it
 * waits at the control socket, and what comes, by the ring or as a datagram, it queues itself.  A
 * tool thread that has nothing to run takes the lead when nobody has it, so a call usually runs on
 * the thread that its arrival woke.
 *
 * Before a callback the lead goes to an idle tool thread, or to the control thread (serve.h) when
 * there is none.  While calls are quick even that is too much: one thread works off the burst, and
 * sends all results at its end, and nobody leads; the control thread looks every WATCH_MS whether
 * a call among them was slow after all.  So a result waits behind a running callback for no longer
 * than that, and a call for twice as long before another thread is given it.
 *
 * A thread leads only while no call waits: then everything that could concern it comes through the
 * socket, and nobody within the process ever has to wake it.
 *
 * Serial plugins: the next call begins when the last one has ended, also if it was retained. */
#ifndef TOOLHOST_WORKER_CREW_H
#define TOOLHOST_WORKER_CREW_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "worker/control.h"
#include "worker/cpu.h"
#include "worker/host_table.h"
#include "worker/intake.h"
#include "worker/plugin.h"
#include "worker/programs.h"
#include "worker/roster.h"

enum { WATCH_MS = 1 };

struct outbox;
struct segments;
struct crew;

struct tool_thread {
  pthread_t thread;
  struct crew *crew;
  struct tool_thread *next_idle;
  pthread_cond_t wake;
  bool woken;
  bool unborn; /* picked, and still to be started */
  struct crew_call *current;
  struct cpu_meter meter;
};

struct crew {
  struct outbox *outbox;
  struct plugin_host host;
  const struct plugin *plugin;
  const char *const *secrets; /* granted: name, value, …, NULL; from before the plugin opens */
  struct datagram datagram;   /* of who leads */
  struct programs programs;   /* beside this process; its own lock */
  int control_fd;             /* eventfd: something is to be done by the control thread */

  pthread_mutex_t lock; /* of all that follows */
  struct roster roster;
  struct intake intake;
  size_t running;              /* begun and not ended, retained ones too */
  size_t busy;                 /* threads in a callback */
  unsigned slow;               /* callbacks in a row that were not quick */
  bool quick;                  /* the callbacks that ended last took next to no time */
  struct tool_thread *threads; /* threads_max of them; the first threads_count are started */
  size_t threads_count, threads_max;
  struct tool_thread *idle; /* latest first: its cache is warm */
  unsigned waking;          /* woken and not yet there */
  bool led;                 /* somebody waits at the control socket */
  bool lead_wanted;         /* the control thread is to take the lead */
  bool watched;             /* the control thread looks every WATCH_MS */
  bool nagging;             /* a cancelled call still runs */
  bool draining;            /* the daemon said BYE */
  struct cpu_watch cpu;     /* looks of the control thread at processor time */
};

/* Make the table for the plugin ready; no threads yet. */
bool crew_init (struct crew *crew, struct outbox *outbox, const struct segments *segments,
                size_t result_max, struct error *err);
/* One thread; of a parallel plugin up to `threads`, started when there is work for them. */
bool crew_start (struct crew *crew, const struct plugin *plugin, unsigned threads,
                 struct error *err);

/* Any thread, before it waits for what the daemon says: see that somebody listens to it.  Before
 * crew_start that is this thread, for at most `ms`: true, and something may have come. */
bool crew_attend (struct crew *crew, int ms);

/* ---- for the control thread, under the lock unless it says otherwise ---- */

/* Take the lead, if nobody has it and nothing has come meanwhile (that is queued then). */
bool crew_begin_lead (struct crew *crew);
/* Queue what has come, `in` too if it is not NULL, and put the lead down. */
void crew_end_lead (struct crew *crew, struct datagram *in);
/* The thread that should run what waits, or NULL; to be given to crew_wake. */
struct tool_thread *crew_pick (struct crew *crew);
/* Without the lock. */
void crew_wake (struct tool_thread *thread);
/* Somebody must listen: an idle thread to be woken for it, or NULL and lead_wanted is set. */
struct tool_thread *crew_find_leader (struct crew *crew);
/* Signal the threads of cancelled calls that still run; false: there are none any more. */
bool crew_nag (struct crew *crew);

#endif
