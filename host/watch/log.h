/* log.h - one JSON object a line, written by a thread of its own: logging never blocks the loop,
 * once it serves.
 *
 *   log_event (log, LOG_INFO, "tool_call_started", "tool", name, "call", id, NULL);
 *
 * Any thread.  When the sink is slow, lines are dropped and counted, notices and what is worse
 * last; the next line that gets through says how many ("log_dropped"). */
#ifndef TOOLHOST_WATCH_LOG_H
#define TOOLHOST_WATCH_LOG_H

#include <stddef.h>
#include <stdint.h>

struct log;
struct log_tail; /* watch/log_tail.h */

enum log_level { LOG_DEBUG, LOG_INFO, LOG_NOTICE, LOG_WARNING, LOG_ERROR };

/* Write to fd (borrowed) what is at least of this level.  `log` may be NULL everywhere: no log. */
struct log *log_new (int fd, enum log_level least);
/* Writes what is queued (bounded: a blocked sink is given up after one second) and frees. */
void log_free (struct log *log);

/* From now on a line waits while there is no room for it, all lines together so long at most: for
 * a start, which has much to say at once and nobody to serve yet.  0: no longer. */
void log_be_patient (struct log *log, unsigned ms);

/* Somebody else hears of events, whatever their level: `wants` says of which by name, `take` gets
 * their members as a JSON object.  Set once, before threads log; NULL: nobody. */
struct log_listener {
  int (*wants) (const char *event);
  void (*take) (void *ctx, const char *event, const char *object, size_t len);
  void *ctx;
};
void log_listen (struct log *log, const struct log_listener *listener);

/* The last lines it wrote or would have written, for those who look on; NULL of no log. */
struct log_tail *log_last_lines (struct log *log);

/* Is a line of this level wanted?  For callers that would have to compute something for it. */
int log_wants (const struct log *log, enum log_level level);

/* An event with members: pairs of name and C string, ended with NULL.  A pair whose value is NULL
 * is left out.  Values are cut at 2 KiB. */
void log_event (struct log *log, enum log_level level, const char *event, ...)
  __attribute__ ((sentinel));

/* An event with the members of a JSON object, on one line; its values are not cut. */
void log_object (struct log *log, enum log_level level, const char *event, const char *object,
                 size_t len);

/* A member value that is a number or text built on the fly: lives until the end of the full
 * expression's statement block; up to 4,096 bytes. */
#define LOG_INT(value) log_int ((char[24]){ 0 }, (int64_t) (value))
const char *log_int (char *room, int64_t value);

/* Lines dropped so far. */
uint64_t log_dropped (const struct log *log);

const char *log_level_name (enum log_level level);
/* -1 for an unknown name. */
int log_level_from_name (const char *name);

#endif
