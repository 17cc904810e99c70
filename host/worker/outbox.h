/* outbox.h - frames of all threads on their way up: put into the ring, shown to the daemon when
 * somebody flushes.
 *
 * Any thread.  Putting blocks while the ring is full and the daemon is slow; it never holds what a
 * receiver needs. */
#ifndef TOOLHOST_WORKER_OUTBOX_H
#define TOOLHOST_WORKER_OUTBOX_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/frame.h"
#include "base/ring.h"

struct segments;

struct outbox {
  pthread_mutex_t lock; /* of the ring */
  struct ring_out ring;
  atomic_bool waiting; /* something was put and not flushed; readable without the lock */
};

struct piece_of_frame {
  const void *data;
  size_t len;
};

void outbox_init (struct outbox *box, const struct segments *segments);

static inline bool
outbox_is_empty (const struct outbox *box)
{
  return !atomic_load_explicit (&box->waiting, memory_order_relaxed);
}

/* Add a frame that fits one (at most FRAME_MAX with its head). */
void outbox_put (struct outbox *box, enum frame_kind kind, uint64_t call,
                 const struct piece_of_frame *pieces, size_t count);
void outbox_flush (struct outbox *box);

/* A result with its body of any length: what does not fit one frame goes ahead as RESULT_PARTs. */
void outbox_result (struct outbox *box, uint64_t call, const struct frame_result *result,
                    const struct piece_of_frame *body, size_t count);

/* For a signal handler: show what is there if nobody is just changing it.  No flush comes after
 * it. */
void outbox_rescue (struct outbox *box);

#endif
