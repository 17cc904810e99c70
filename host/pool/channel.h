/* channel.h - the daemon's end of the line to one worker: a control socket and two rings in shared
 * memory (base/ring.h).  Which frame goes which way is told in base/frame.h.
 *
 * What is put waits until channel_flush, which the pool calls once per turn of the loop, and is
 * then shown to the worker with at most one knock.  Nothing here ever blocks, whatever the worker
 * does: it can't change a descriptor that the daemon writes to, and of the shared memory the daemon
 * uses copies alone.  A datagram is sent when all frames put before it are in the ring, so a CANCEL
 * never overtakes its CALL, nor BYE anything; a CALL that brings a descriptor may overtake, nobody
 * minds.
 *
 * Loop thread only. */
#ifndef TOOLHOST_POOL_CHANNEL_H
#define TOOLHOST_POOL_CHANNEL_H

#include <ev.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/frame.h"
#include "base/ring.h"

struct channel;

/* A frame as it came; the payload is the daemon's copy. */
struct frame {
  struct frame_head head;
  const char *payload;
  size_t len;
  bool by_ring;
};

enum channel_news {
  CHANNEL_OPEN,    /* what there was has been taken; what was too much for one turn comes back */
  CHANNEL_CLOSED,  /* the other end of the socket is */
  CHANNEL_STOPPED, /* by whoever takes the frames */
  CHANNEL_BROKEN   /* channel->problem says what the worker did */
};

struct channel_events {
  /* Something came, or the other end closed: for channel_receive. */
  void (*ready) (struct channel *channel);
  /* The socket takes datagrams again: for channel_flush. */
  void (*writable) (struct channel *channel);
};

struct channel {
  struct ev_loop *loop;
  const struct channel_events *events;
  void *owner;
  int control;
  void *down;     /* RING_SEGMENT bytes each; the worker's mapping of this one is read-only, */
  const void *up; /* and ours of this one */
  struct ring_out out;
  struct ring_in in;
  struct buf tx;      /* frames for the ring */
  struct buf letters; /* frames for the socket */
  bool stuck;         /* the last flush left something */
  bool received;      /* the last channel_receive took something */
  const char *problem;
  ev_io readable, writable;
  ev_timer again; /* there was too much for one turn, or it rests */
  bool rests;     /* the ring is not looked into */
};

/* Make the segments, and send HELLO with them through `control`, which is the channel's from here
 * on.  False: it is closed; err goes on after "its process " (reason.h). */
bool channel_open (struct channel *channel, struct ev_loop *loop,
                   const struct channel_events *events, void *owner, int control,
                   const struct buf *hello, struct error *err);
/* Of a closed one, nothing is received and what was put is lost; closing it again is harmless. */
void channel_close (struct channel *channel);
/* No more events of the socket: its other end is closed. */
void channel_be_deaf (struct channel *channel);

/* Add a frame; the payload comes in up to three pieces. */
void channel_put (struct channel *channel, enum frame_kind kind, uint64_t call, const void *a,
                  size_t a_len, const void *b, size_t b_len, const void *c, size_t c_len);
/* Send a CALL whose arguments are behind `fd`, at once.  False: not now, `writable` comes. */
bool channel_put_large (struct channel *channel, uint64_t call, const struct frame_call *head,
                        const char *meta, int fd);
/* Send a frame with descriptors, at once, before all that waits.  False: it can't be. */
bool channel_send_with_fds (struct channel *channel, enum frame_kind kind, const void *data,
                            size_t len, const int *fds, size_t count);
/* So much waits that no more calls should be put? */
bool channel_is_full (const struct channel *channel);
/* Show and send what was put, as far as there is room; channel->stuck says whether something was
 * left.  False: the worker broke the protocol, channel->problem says how. */
bool channel_flush (struct channel *channel);

/* Take what came, bounded: each frame to `take`, until it says false.  `room` is for FRAME_MAX
 * bytes, where the copies live while take runs. */
enum channel_news channel_receive (struct channel *channel, char *room,
                                   bool (*take) (void *owner, const struct frame *frame));
/* Look into the ring no more for so many seconds; then `ready` comes.  The worker fills it
 * meanwhile, knocks at nobody's door, and waits when it is full. */
void channel_rest (struct channel *channel, double seconds);

#endif
