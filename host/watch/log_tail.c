#include "watch/log_tail.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* What stands before a line in the ring. */
struct mark {
  uint64_t number;
  uint32_t len;
  uint32_t level;
};

struct log_tail {
  pthread_mutex_t lock; /* guards what follows */
  uint64_t last;        /* the number of the last line, kept or not */
  size_t room;          /* of the ring, bytes */
  uint64_t begin, end;  /* of what is kept: bytes since the start, of which the ring has the last */
  void (*wake) (void *ctx);
  void *ctx;
  char ring[];
};

struct log_tail *
log_tail_new (size_t bytes)
{
  struct log_tail *tail = xcalloc (1, sizeof *tail + bytes);

  tail->room = bytes;
  pthread_mutex_init (&tail->lock, NULL);
  return tail;
}

void
log_tail_free (struct log_tail *tail)
{
  if (tail == NULL)
    return;
  pthread_mutex_destroy (&tail->lock);
  free (tail);
}

/* `len` bytes at a place of the ring, which may go over its edge. */
static void
put (struct log_tail *tail, uint64_t at, const void *bytes, size_t len)
{
  const size_t place = (size_t) (at % tail->room);
  const size_t first = len < tail->room - place ? len : tail->room - place;

  memcpy (tail->ring + place, bytes, first);
  memcpy (tail->ring, (const char *) bytes + first, len - first);
}

static void
get (const struct log_tail *tail, uint64_t at, void *bytes, size_t len)
{
  const size_t place = (size_t) (at % tail->room);
  const size_t first = len < tail->room - place ? len : tail->room - place;

  memcpy (bytes, tail->ring + place, first);
  memcpy ((char *) bytes + first, tail->ring, len - first);
}

static struct mark
mark_at (const struct log_tail *tail, uint64_t at)
{
  struct mark mark;

  get (tail, at, &mark, sizeof mark);
  return mark;
}

/* The oldest lines go until there is room for so many bytes. */
static void
make_room (struct log_tail *tail, size_t bytes)
{
  while (tail->end + bytes - tail->begin > tail->room)
    tail->begin += sizeof (struct mark) + mark_at (tail, tail->begin).len;
}

void
log_tail_add (struct log_tail *tail, unsigned level, const char *line, size_t len)
{
  struct mark mark = { .len = (uint32_t) len, .level = level };

  pthread_mutex_lock (&tail->lock);
  mark.number = ++tail->last;
  if (len <= tail->room / 4) {
    make_room (tail, sizeof mark + len);
    put (tail, tail->end, &mark, sizeof mark);
    put (tail, tail->end + sizeof mark, line, len);
    tail->end += sizeof mark + len;
  }
  if (tail->wake != NULL)
    tail->wake (tail->ctx);
  pthread_mutex_unlock (&tail->lock);
}

void
log_tail_wake (struct log_tail *tail, void (*wake) (void *ctx), void *ctx)
{
  pthread_mutex_lock (&tail->lock);
  tail->wake = wake;
  tail->ctx = ctx;
  pthread_mutex_unlock (&tail->lock);
}

void
log_tail_at_begin (struct log_tail *tail, struct log_reader *reader)
{
  pthread_mutex_lock (&tail->lock);
  reader->at = tail->begin;
  reader->next = tail->begin < tail->end ? mark_at (tail, tail->begin).number : tail->last + 1;
  reader->missed = 0;
  pthread_mutex_unlock (&tail->lock);
}

bool
log_tail_read (struct log_tail *tail, struct log_reader *reader, unsigned *level, struct buf *text)
{
  struct mark mark;
  bool there;

  text->len = 0;
  pthread_mutex_lock (&tail->lock);
  if (reader->at < tail->begin)
    reader->at = tail->begin;
  there = reader->at < tail->end;
  if (there) {
    mark = mark_at (tail, reader->at);
    get (tail, reader->at + sizeof mark, buf_reserve (text, mark.len + 1), mark.len);
    text->len = mark.len;
    reader->at += sizeof mark + mark.len;
    reader->missed += mark.number - reader->next;
    reader->next = mark.number + 1;
    *level = mark.level;
  }
  pthread_mutex_unlock (&tail->lock);
  return there;
}
