/* feed.h - the events of a session: numbered, kept for a while, and handed to who listens.
 *
 * What is kept is bounded for each session and for all together, the oldest go first.  A subscriber
 * has no queue here: it takes an event at once, or says that it can't and is a subscriber no more;
 * it may come back behind the last event it took.  Owned by a session; loop thread only. */
#ifndef TOOLHOST_SESSION_FEED_H
#define TOOLHOST_SESSION_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct feed_event;

enum subscriber_took {
  SUBSCRIBER_TOOK,
  SUBSCRIBER_REFUSED, /* it can't take this: it is offered what stands in its place, or told no more
                       */
  SUBSCRIBER_LEFT     /* it is going, or gone: it is not touched again for this event */
};

/* The struct is the subscriber's own and stays where it is until feed_leave or `closed`. */
struct subscriber {
  /* JSON on one line. */
  enum subscriber_took (*event) (struct subscriber *subscriber, uint64_t number, const char *json,
                                 size_t len);
  /* The session has ended; it is no subscriber any more. */
  void (*closed) (struct subscriber *subscriber);
  struct subscriber *next, **prev; /* prev NULL: it does not listen */
};

/* Bytes of events that all sessions keep. */
struct feed_budget {
  size_t used, max;
};

/* Zeroed but for budget and max. */
struct feed {
  struct feed_budget *budget;
  size_t used, max; /* bytes */
  uint64_t said;    /* the number of the last event */
  struct feed_event *oldest, *newest;
  struct subscriber *subscribers;
};

enum feed_taken {
  FEED_TAKEN,   /* by all */
  FEED_INSTEAD, /* one took what stands in its place */
  FEED_LOST     /* one took neither */
};
/* `instead` (NULL: nothing) is for those that can't take the event, by the same number. */
enum feed_taken feed_say (struct feed *feed, const char *json, size_t len, const char *instead,
                          size_t instead_len);
/* Is everything behind event `number` there? */
bool feed_reaches (const struct feed *feed, uint64_t number);
/* The first number that feed_reaches takes. */
uint64_t feed_first (const struct feed *feed);
/* Listen from behind event `number`: what is kept is handed over at once.  False: it could not take
 * that, and does not listen. */
bool feed_join (struct feed *feed, struct subscriber *subscriber, uint64_t number);
/* Nothing for one that does not listen. */
void feed_leave (struct subscriber *subscriber);
/* All subscribers are told that it is over; what was kept is freed. */
void feed_close (struct feed *feed);

#endif
