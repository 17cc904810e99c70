/* crew.h - the tool threads, the queue before them, and the calls of a worker from CALL to RESULT.
 *
 * The I/O thread puts calls in and cancels them; tool threads run them.  Waking is what costs, so a
 * burst of calls wakes one thread, and that one wakes the next while there is still work; results
 * gather in the outbox while another thread is on its way that will flush them.
 *
 * While calls are quick even that is too much: one thread works off the burst and sends all results
 * at its end, and the I/O thread looks after WATCH_MS whether a call among them was slow after all.
 * So a result waits behind a running callback for no longer than that. */
#ifndef TOOLHOST_WORKER_CREW_H
#define TOOLHOST_WORKER_CREW_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "worker/host_table.h"
#include "worker/plugin.h"
#include "worker/tool_call.h"

struct outbox;
struct crew;

struct crew_call {
  struct tool_call call;       /* first */
  struct crew_call *next;      /* in the queue, or among the unused */
  struct crew_call *same_hash; /* among the live */
  void *mapped;                /* arguments that came as a memfd */
  size_t mapped_len;
  int64_t nag_until; /* a cancelled one's thread gets signals until then */
  bool queued;
};

enum { CREW_BUCKETS = 256 };

struct tool_thread {
  pthread_t thread;
  struct crew *crew;
  struct tool_thread *next_idle;
  pthread_cond_t wake;
  bool woken;
  bool unborn; /* picked, and still to be started */
  struct crew_call *current;
};

struct crew {
  struct outbox *outbox;
  struct plugin_host host;
  const struct plugin *plugin;
  size_t result_max;

  pthread_mutex_t lock;                    /* of all that follows */
  struct crew_call *first, **last;         /* the queue */
  size_t queued;                           /* calls in it */
  bool quick;                              /* the callbacks that ended last took next to no time */
  struct crew_call *unused, **unused_last; /* oldest first */
  size_t unused_count;
  struct crew_call *live[CREW_BUCKETS]; /* from CALL to RESULT */
  size_t live_count;
  size_t running;              /* begun and not ended, retained ones too */
  struct tool_thread *threads; /* threads_max of them; the first threads_count are started */
  size_t threads_count, threads_max;
  struct tool_thread *idle; /* latest first: its cache is warm */
  unsigned waking;          /* woken and not yet there */
  bool draining;
  int drained_fd; /* eventfd: the last call has ended while draining */
};

/* Make the table for the plugin ready; no threads yet. */
bool crew_init (struct crew *crew, struct outbox *outbox, size_t result_max, struct error *err);
/* One thread; of a parallel plugin up to `threads`, started when there is work for them. */
bool crew_start (struct crew *crew, const struct plugin *plugin, unsigned threads,
                 struct error *err);

/* ---- for the I/O thread ---- */

/* A call to be filled in, then given to crew_add or crew_drop. */
struct crew_call *crew_new (struct crew *crew);
void crew_drop (struct crew *crew, struct crew_call *call);
void crew_add (struct crew *crew, struct crew_call *call);
/* After one or more crew_add.  True: look with crew_watch after WATCH_MS. */
bool crew_kick (struct crew *crew);
enum { WATCH_MS = 1 };
/* Has the burst been worked off?  If not, wake more threads and send what waits; true: look again.
 */
bool crew_watch (struct crew *crew);
void crew_cancel (struct crew *crew, uint64_t id, uint32_t grace_ms);
/* Signal the threads of cancelled calls that still run; false: there are none any more. */
bool crew_nag (struct crew *crew);
/* No more calls will come: drained_fd becomes readable when the last has ended. */
void crew_drain (struct crew *crew);

#endif
