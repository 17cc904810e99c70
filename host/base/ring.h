/* ring.h - bytes of frames in shared memory, one writer, one reader, two processes that need not
 * trust each other.
 *
 * Each of the two has a segment that it alone writes: the data it sends, how much of it there is,
 * how much it has taken of what the other sent, and two bells, by which it asks to be told of news.
 * Whatever is read of the other's segment is a hint from an enemy: every index is read once,
 * checked against the size and against what was known before, and data are copied out before
 * anybody looks at them.  A wrong index is told as RING_BROKEN; a wrong bell costs a wake-up, or
 * the one that lied its own.
 *
 * A bell is a ticket number.  Who wants to be woken puts a new one up, looks once more, and sleeps;
 * the other, having moved its index, knocks once for each ticket it sees.  How one knocks and
 * sleeps is the owner's business (pool/channel.c, worker/channel.c).
 *
 * Nothing here blocks, allocates or calls the system.  struct ring_out and struct ring_in belong to
 * one thread at a time each, and the two may be different threads. */
#ifndef TOOLHOST_BASE_RING_H
#define TOOLHOST_BASE_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  RING_HEAD = 4096,        /* of a segment: its struct ring_side, alone on its page */
  RING_SIZE = 1024 * 1024, /* of its data; a power of two, many times FRAME_MAX */
  RING_SEGMENT = RING_HEAD + RING_SIZE,
  RING_UNIT = 8,   /* what is put in, and every index, is a multiple of it */
  RING_BROKEN = -1 /* the other side's index is none that can be */
};

/* The head of a segment, each word on a cache line of its own.  Indices count bytes and wrap. */
struct ring_side {
  _Alignas(64) _Atomic uint32_t produced; /* put into this segment */
  _Atomic uint32_t origin;                /* the index whose byte is the first of the data */
  _Alignas(64) _Atomic uint32_t consumed; /* taken from the other's segment */
  _Alignas(64) _Atomic uint32_t bell;     /* "knock when you have produced"; 0: I am awake */
  _Alignas(64) _Atomic uint32_t room;     /* "knock when you have consumed"; 0: I have enough */
};

/* The sending half. */
struct ring_out {
  struct ring_side *own;
  const struct ring_side *peer;
  char *data;
  uint32_t at;       /* put in, published or not */
  uint32_t origin;   /* where the ring was empty last: from there it is filled from its start */
  uint32_t consumed; /* by the peer, as last seen and found possible */
  uint32_t knocked;  /* the last ticket that was knocked for */
  uint32_t ticket;   /* the last one put up */
};

/* The receiving half. */
struct ring_in {
  struct ring_side *own;
  const struct ring_side *peer;
  const char *data;
  uint32_t at; /* taken out */
  uint32_t knocked, ticket;
};

/* `own` and `peer` are RING_SEGMENT bytes each, page-aligned; own is all zero. */
void ring_out_init (struct ring_out *out, void *own, const void *peer);
void ring_in_init (struct ring_in *in, void *own, const void *peer);

/* Bytes that can be put in now, or RING_BROKEN. */
long ring_room (struct ring_out *out);
/* Put bytes in, for which there is room; unseen until they are published. */
void ring_put (struct ring_out *out, const void *data, size_t len);
/* Is something put in and not yet published? */
bool ring_unpublished (const struct ring_out *out);
/* Show what was put in.  True: the peer wants a knock. */
bool ring_publish (struct ring_out *out);
/* Ask for a knock when the peer has consumed; then ring_room must be asked once more. */
void ring_want_room (struct ring_out *out);
void ring_has_room (struct ring_out *out);

/* Copy what has come into `room`, at most `most` bytes, a multiple of RING_UNIT.  Returns how many,
 * or RING_BROKEN.  They are still in the ring until they are taken. */
long ring_peek (const struct ring_in *in, char *room, size_t most);
/* The first `len` bytes are done with.  True: the peer wants a knock. */
bool ring_take (struct ring_in *in, size_t len);
/* Has something come?  A wrong index counts, it will be told by ring_peek. */
bool ring_has_news (const struct ring_in *in);
/* Ask for a knock; true: nothing had come before, so there will be one. */
bool ring_listen (struct ring_in *in);
void ring_awake (struct ring_in *in);

#endif
