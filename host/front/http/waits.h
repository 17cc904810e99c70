/* waits.h - timeouts of many connections, cheaply: one queue per kind of wait.
 *
 * All waits of a kind last equally long, so each queue is in the order of its deadlines: setting
 * and ending one costs a few pointers, and one timer of the loop, moved only when something is due
 * earlier, serves them all.  Deadlines are on the monotonic clock, a few milliseconds coarse.
 * Every connection is in exactly one queue: together they are the list of connections. */
#ifndef TOOLHOST_FRONT_HTTP_WAITS_H
#define TOOLHOST_FRONT_HTTP_WAITS_H

#include <ev.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

enum wait_kind {
  WAIT_NONE,   /* for the handler: no limit here, calls have deadlines of their own */
  WAIT_HEAD,   /* for a whole head */
  WAIT_BODY,   /* for more of a body */
  WAIT_IDLE,   /* for the next request */
  WAIT_WRITE,  /* for the peer to take more of an answer */
  WAIT_PEER,   /* to ask again whether the peer is there, while its pipelined bytes hide its leaving
                */
  WAIT_LINGER, /* for the peer to close, after the last answer */
  WAIT_KINDS
};

struct wait {
  TAILQ_ENTRY (wait) link;
  int64_t deadline;
  enum wait_kind kind;
};

struct waits {
  struct ev_loop *loop;
  TAILQ_HEAD (wait_queue, wait) queues[WAIT_KINDS];
  int64_t lasts[WAIT_KINDS]; /* ns */
  void (*expired) (struct wait *wait);
  ev_timer timer;
  int64_t timer_at;
};

/* The clock of deadlines: ns, as fresh as the last tick. */
int64_t waits_now (void);

/* `seconds` by kind; that of WAIT_NONE means nothing.  `expired` must set or remove its wait. */
void waits_init (struct waits *ws, struct ev_loop *loop, const double seconds[WAIT_KINDS],
                 void (*expired) (struct wait *wait));
void waits_add (struct waits *ws, struct wait *wait, enum wait_kind kind);
/* From now on wait for this; again for the same: its time begins anew. */
void waits_set (struct waits *ws, struct wait *wait, enum wait_kind kind);
void waits_remove (struct waits *ws, struct wait *wait);
void waits_stop (struct waits *ws);

#endif
