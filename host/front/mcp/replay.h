/* replay.h - the events that a session's streams have sent lately, kept for a client that lost its
 * connection.  Bounded in bytes, for each session and for all of them together; the oldest go
 * first.  Pure but for its memory; the clock is the caller's. */
#ifndef TOOLHOST_FRONT_MCP_REPLAY_H
#define TOOLHOST_FRONT_MCP_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that all sessions keep. */
struct replay_budget {
  size_t used, max;
};

struct replay_event;

/* Zeroed but for budget and max. */
struct replay {
  struct replay_budget *budget;
  size_t used, max; /* bytes */
  struct replay_event *oldest, *newest;
};

void replay_free (struct replay *replay);

/* Events of a stream are numbered from 1 without gaps; `last` says that it ended with this one.
 * One that there is no room for is not kept: then replay_count falls short. */
void replay_keep (struct replay *replay, uint64_t stream, uint64_t number, bool last, double now,
                  const char *event, size_t len);
/* Forget what was kept before that time. */
void replay_expire (struct replay *replay, double before);

/* How many events of the stream behind `number` there are. */
uint64_t replay_count (const struct replay *replay, uint64_t stream, uint64_t number);
/* The number of the event the stream ended with; 0 when that is not kept. */
uint64_t replay_end (const struct replay *replay, uint64_t stream);
/* The events of the stream behind `number`, in their order, until `each` says false. */
void replay_each (const struct replay *replay, uint64_t stream, uint64_t number,
                  bool (*each) (void *ctx, const char *event, size_t len), void *ctx);

#endif
