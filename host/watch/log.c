#include "watch/log.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json_write.h"
#include "watch/log_tail.h"

enum {
  QUEUE_MAX = 1024 * 1024,
  QUEUE_RESERVE = 64 * 1024, /* beside it, for notices and what is worse */
  VALUE_MAX = 2048,
  TAIL_BYTES = 256 * 1024
};

struct log {
  int fd;
  enum log_level least;
  struct log_listener listener;
  struct log_tail *tail;
  pthread_mutex_t lock; /* guards what follows */
  pthread_t thread;
  bool has_thread;
  pthread_cond_t wake;
  pthread_cond_t taken; /* the thread has taken the queue */
  struct buf queue;     /* whole lines that wait for the thread */
  int64_t patience_ns;  /* how long is still waited for room */
  uint64_t dropped;
  uint64_t dropped_untold;
  bool ending;
};

static const char *const level_names[] = { "debug", "info", "notice", "warning", "error" };

const char *
log_level_name (enum log_level level)
{
  return level_names[level];
}

int
log_level_from_name (const char *name)
{
  for (int i = 0; i < (int) (sizeof level_names / sizeof *level_names); i++)
    if (strcmp (name, level_names[i]) == 0)
      return i;
  return -1;
}

const char *
log_int (char *room, int64_t value)
{
  (void) snprintf (room, 24, "%" PRId64, value);
  return room;
}

/* Write a batch; after `ending` a sink that takes nothing for a second is given up. */
static void
write_all (struct log *log, const char *data, size_t len)
{
  while (len > 0) {
    ssize_t n = write (log->fd, data, len);
    if (n > 0) {
      data += n;
      len -= (size_t) n;
      continue;
    }
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0 && errno != EAGAIN)
      return;
    struct pollfd p = { .fd = log->fd, .events = POLLOUT };
    if (poll (&p, 1, 1000) == 0 && __atomic_load_n (&log->ending, __ATOMIC_RELAXED))
      return;
  }
}

static void *
writer (void *arg)
{
  struct log *log = arg;
  struct buf batch = { 0 };

  pthread_mutex_lock (&log->lock);
  for (;;) {
    while (log->queue.len == 0 && !log->ending)
      pthread_cond_wait (&log->wake, &log->lock);
    if (log->queue.len == 0)
      break;
    struct buf taken = log->queue;
    log->queue = batch;
    log->queue.len = 0;
    pthread_cond_broadcast (&log->taken);
    pthread_mutex_unlock (&log->lock);
    write_all (log, taken.data, taken.len);
    batch = taken;
    buf_reset (&batch, QUEUE_MAX / 16);
    pthread_mutex_lock (&log->lock);
  }
  pthread_mutex_unlock (&log->lock);
  buf_free (&batch);
  return NULL;
}

/* With the first line, so that a process which changes its ids before it has said anything does so
 * without a thread that has to change them, too. */
static void
need_thread (struct log *log)
{
  sigset_t all, was;

  if (log->has_thread)
    return;
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &was);
  log->has_thread = pthread_create (&log->thread, NULL, writer, log) == 0;
  pthread_sigmask (SIG_SETMASK, &was, NULL);
}

struct log *
log_new (int fd, enum log_level least)
{
  struct log *log = xcalloc (1, sizeof *log);
  pthread_condattr_t attributes;

  log->fd = fd;
  log->least = least;
  pthread_mutex_init (&log->lock, NULL);
  pthread_condattr_init (&attributes);
  pthread_condattr_setclock (&attributes, CLOCK_MONOTONIC);
  pthread_cond_init (&log->wake, &attributes);
  pthread_cond_init (&log->taken, &attributes);
  pthread_condattr_destroy (&attributes);
  log->tail = log_tail_new (TAIL_BYTES);
  return log;
}

void
log_free (struct log *log)
{
  if (log == NULL)
    return;
  pthread_mutex_lock (&log->lock);
  __atomic_store_n (&log->ending, true, __ATOMIC_RELAXED);
  pthread_cond_signal (&log->wake);
  pthread_mutex_unlock (&log->lock);
  if (log->has_thread)
    pthread_join (log->thread, NULL);
  else
    write_all (log, log->queue.data, log->queue.len);
  pthread_mutex_destroy (&log->lock);
  pthread_cond_destroy (&log->wake);
  pthread_cond_destroy (&log->taken);
  buf_free (&log->queue);
  log_tail_free (log->tail);
  free (log);
}

struct log_tail *
log_last_lines (struct log *log)
{
  return log != NULL ? log->tail : NULL;
}

void
log_listen (struct log *log, const struct log_listener *listener)
{
  if (log != NULL)
    log->listener = listener != NULL ? *listener : (struct log_listener){ 0 };
}

int
log_wants (const struct log *log, enum log_level level)
{
  return log != NULL && level >= log->least;
}

void
log_be_patient (struct log *log, unsigned ms)
{
  if (log == NULL)
    return;
  pthread_mutex_lock (&log->lock);
  log->patience_ns = (int64_t) ms * 1000000;
  pthread_mutex_unlock (&log->lock);
}

uint64_t
log_dropped (const struct log *log)
{
  return log != NULL ? __atomic_load_n (&log->dropped, __ATOMIC_RELAXED) : 0;
}

static void
begin_line (struct json_writer *w, enum log_level level, const char *event)
{
  char ts[40];
  struct timespec now;
  struct tm tm;
  size_t n;

  clock_gettime (CLOCK_REALTIME, &now);
  gmtime_r (&now.tv_sec, &tm);
  n = strftime (ts, sizeof ts, "%Y-%m-%dT%H:%M:%S", &tm);
  (void) snprintf (ts + n, sizeof ts - n, ".%03ldZ", now.tv_nsec / 1000000);
  jsonw_object (w);
  jsonw_name_string (w, "ts", ts);
  jsonw_name_string (w, "level", level_names[level]);
  jsonw_name_string (w, "event", event);
}

static bool
has_room (const struct log *log, enum log_level level, size_t len)
{
  return log->queue.len + len <= QUEUE_MAX + (level >= LOG_NOTICE ? QUEUE_RESERVE : 0);
}

/* Once, for the thread to take the queue. */
static void
wait_for_room (struct log *log)
{
  int64_t began = clock_ns (), until = began + log->patience_ns;
  struct timespec at = { until / 1000000000, until % 1000000000 };

  (void) pthread_cond_timedwait (&log->taken, &log->lock, &at);
  log->patience_ns -= clock_ns () - began;
}

static void
enqueue (struct log *log, enum log_level level, const struct buf *line)
{
  pthread_mutex_lock (&log->lock);
  need_thread (log);
  while (!has_room (log, level, line->len) && log->patience_ns > 0)
    wait_for_room (log);
  if (!has_room (log, level, line->len)) {
    __atomic_add_fetch (&log->dropped, 1, __ATOMIC_RELAXED);
    log->dropped_untold++;
  }
  else {
    bool was_empty = log->queue.len == 0;
    if (log->dropped_untold != 0) {
      buf_printf (&log->queue,
                  "{\"level\":\"warning\",\"event\":\"log_dropped\",\"lines\":%" PRIu64 "}\n",
                  log->dropped_untold);
      log->dropped_untold = 0;
    }
    buf_append (&log->queue, line->data, line->len);
    if (was_empty)
      pthread_cond_signal (&log->wake);
  }
  pthread_mutex_unlock (&log->lock);
}

/* Does anybody want it?  *heard: the listener does. */
static bool
is_wanted (const struct log *log, enum log_level level, const char *event, bool *heard)
{
  *heard = log != NULL && log->listener.wants != NULL && log->listener.wants (event);
  return *heard || log_wants (log, level);
}

/* `members` are a JSON object. */
static void
tell (struct log *log, enum log_level level, const char *event, const char *members, size_t len,
      bool heard)
{
  CLEANUP_BUF struct buf line = { 0 };
  struct json_writer w = { .out = &line };

  if (heard)
    log->listener.take (log->listener.ctx, event, members, len);
  if (!log_wants (log, level))
    return;
  begin_line (&w, level, event);
  if (len > 2) /* what is between its braces */
    jsonw_raw (&w, members + 1, len - 2);
  jsonw_end (&w);
  log_tail_add (log->tail, level, line.data, line.len);
  buf_putc (&line, '\n');
  enqueue (log, level, &line);
}

void
log_object (struct log *log, enum log_level level, const char *event, const char *object,
            size_t len)
{
  bool heard;

  if (is_wanted (log, level, event, &heard))
    tell (log, level, event, object, len, heard);
}

void
log_event (struct log *log, enum log_level level, const char *event, ...)
{
  CLEANUP_BUF struct buf members = { 0 };
  struct json_writer w = { .out = &members };
  const char *name;
  bool heard;
  va_list args;

  if (!is_wanted (log, level, event, &heard))
    return;
  jsonw_object (&w);
  va_start (args, event);
  while ((name = va_arg (args, const char *)) != NULL) {
    const char *value = va_arg (args, const char *);
    if (value == NULL)
      continue;
    jsonw_name (&w, name);
    jsonw_string_len (&w, value, strnlen (value, VALUE_MAX));
  }
  va_end (args);
  jsonw_end (&w);
  tell (log, level, event, members.data, members.len, heard);
}
