/* log_tail.h - the last lines of a log, in memory, for those who look at it while it is written.
 *
 * Lines have numbers, from 1 on.  They are kept in a ring of fixed size, so whoever reads too
 * slowly misses lines, and is told how many; it costs the others nothing.  Any thread may add; the
 * rest is for the loop's thread. */
#ifndef TOOLHOST_WATCH_LOG_TAIL_H
#define TOOLHOST_WATCH_LOG_TAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct log_tail;

/* Room for so many bytes of lines. */
struct log_tail *log_tail_new (size_t bytes);
void log_tail_free (struct log_tail *tail);

/* A line without its newline; `level` is its log_level.  One that is larger than a quarter of the
 * room is left out, and missed by all. */
void log_tail_add (struct log_tail *tail, unsigned level, const char *line, size_t len);

/* `wake` is called, in the thread that adds, after each line while it is set (NULL: no more; it is
 * not under way any more when this returns).  It must not log. */
void log_tail_wake (struct log_tail *tail, void (*wake) (void *ctx), void *ctx);

/* Where somebody reads. */
struct log_reader {
  uint64_t at;     /* in the ring; log_tail.c's */
  uint64_t next;   /* the number of the line that is read next */
  uint64_t missed; /* lines that were gone before they were read; set back by who tells */
};

/* Read from the oldest line that is kept. */
void log_tail_at_begin (struct log_tail *tail, struct log_reader *reader);
/* Copy the next line that is there into `text`, in the place of what was in it.  False: there is
 * none yet. */
bool log_tail_read (struct log_tail *tail, struct log_reader *reader, unsigned *level,
                    struct buf *text);

#endif
