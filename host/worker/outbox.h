/* outbox.h - the worker's end of the control socket, upwards: frames of all threads, collected in
 * one datagram until somebody flushes it.
 *
 * Any thread.  Sending blocks while the daemon is slow; it never holds what a receiver needs.  When
 * the daemon is gone, so is this process. */
#ifndef TOOLHOST_WORKER_OUTBOX_H
#define TOOLHOST_WORKER_OUTBOX_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/frame.h"

enum { FD_CONTROL = 3, FD_STATUS = 4, FD_PLUGIN = 5, FD_GRANTS = 16 };

struct outbox {
  pthread_mutex_t sending; /* what leaves keeps its order; taken before `filling` */
  pthread_mutex_t filling;
  char *fill;  /* FRAME_MAX bytes each */
  char *spare; /* of whoever is sending */
  size_t len;
  atomic_size_t waiting; /* len, readable without the lock */
};

struct piece_of_frame {
  const void *data;
  size_t len;
};

void outbox_init (struct outbox *box);

static inline bool
outbox_is_empty (const struct outbox *box)
{
  return atomic_load_explicit (&box->waiting, memory_order_relaxed) == 0;
}

/* Add a frame that fits one (at most FRAME_MAX with its head). */
void outbox_put (struct outbox *box, enum frame_kind kind, uint16_t flags, uint64_t call,
                 const struct piece_of_frame *pieces, size_t count);
void outbox_flush (struct outbox *box);

/* A text of any length as frames with FRAME_MORE; flushed. */
void outbox_text (struct outbox *box, enum frame_kind kind, const char *text, size_t len);
/* A result with its body of any length: what does not fit one frame goes ahead as RESULT_PARTs. */
void outbox_result (struct outbox *box, uint64_t call, const struct frame_result *result,
                    const struct piece_of_frame *body, size_t count);

/* For a signal handler: send what is there if nobody is just changing it. */
void outbox_rescue (struct outbox *box);
/* A datagram of one frame, past the outbox; from a signal handler, or before there is any. */
void control_send (enum frame_kind kind, const char *text, size_t len);
/* BYE with a reason and a message. */
void control_bye (const char *reason, const char *message);

#endif
