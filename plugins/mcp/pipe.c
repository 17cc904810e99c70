/* A server that is a program: one thread reads what it says, a message a line, and hands each
 * answer to who waits for it. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "../common/line_feed.h"
#include "upstream.h"

enum {
  LOOK_MS = 20,       /* how often a call that waits looks whether it is over */
  WRITE_MS = 10000,   /* a program that does not read what is written is given up then */
  GARBAGE_MAX = 1000, /* lines that are no messages, of one program */
  PENDING_MAX = 1000, /* notifications that wait for a call */
  GIVEN_UP_MAX = 64
};

/* Who waits for an answer. */
struct waiting {
  struct waiting *next;
  int64_t id;
  char *answer; /* its line */
  size_t answer_len;
  struct text said; /* lines that came before it: its progress */
  unsigned said_count;
  bool ended; /* there will be none */
};

/* A request that nobody waits for any more: without an answer by then the program is killed. */
struct given_up {
  int64_t id;
  int64_t at; /* CLOCK_MONOTONIC, ms */
};

struct upstream_pipe {
  struct upstream *upstream;
  pthread_mutex_t opening; /* one thread opens and closes at a time */
  pthread_t reader;
  bool has_reader;
  pthread_mutex_t writing; /* also of process.in */
  pthread_mutex_t lock;    /* of what follows */
  pthread_cond_t news;
  toolhost_process process;
  int wake; /* eventfd: the reader is to look at what was given up */
  bool open;
  struct waiting *waiting;
  struct given_up given_up[GIVEN_UP_MAX];
  size_t given_up_count;
  unsigned garbage;
  char problem[200]; /* why it was closed */
};

struct upstream_pipe *
pipe_new (struct upstream *upstream)
{
  struct upstream_pipe *pipe = calloc (1, sizeof *pipe);
  pthread_condattr_t monotonic;

  if (pipe == NULL)
    return NULL;
  pipe->upstream = upstream;
  pipe->process.in = pipe->process.out = -1;
  pipe->wake = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
  pthread_mutex_init (&pipe->opening, NULL);
  pthread_mutex_init (&pipe->writing, NULL);
  pthread_mutex_init (&pipe->lock, NULL);
  pthread_condattr_init (&monotonic);
  pthread_condattr_setclock (&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init (&pipe->news, &monotonic);
  pthread_condattr_destroy (&monotonic);
  return pipe;
}

static struct timespec
at_ms (int64_t ms)
{
  return (struct timespec){ .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };
}

/* ---- writing ---- */

/* Under `writing`.  A line that is written in part makes the pipe useless. */
static bool
write_all (struct upstream_pipe *pipe, const char *data, size_t len)
{
  int64_t until = upstream_now () + WRITE_MS;

  while (len != 0) {
    struct pollfd writable = { .fd = pipe->process.in, .events = POLLOUT };
    ssize_t n = pipe->process.in >= 0 ? write (pipe->process.in, data, len) : -1;
    if (n > 0) {
      data += n;
      len -= (size_t) n;
    }
    else if (n < 0 && pipe->process.in >= 0 && (errno == EAGAIN || errno == EINTR)
             && upstream_now () < until)
      (void) poll (&writable, 1, 100);
    else
      return false;
  }
  return true;
}

static void
kill_program (struct upstream_pipe *pipe, const char *why)
{
  pthread_mutex_lock (&pipe->lock);
  if (pipe->problem[0] == '\0')
    (void) snprintf (pipe->problem, sizeof pipe->problem, "%s", why);
  (void) toolhost_process_kill (pipe->upstream->host, &pipe->process);
  pthread_mutex_unlock (&pipe->lock);
}

bool
pipe_tell (struct upstream_pipe *pipe, const struct text *message)
{
  CLEANUP_TEXT struct text line = { 0 };
  bool good;

  text_add_len (&line, text_get (message), message->len);
  text_add (&line, "\n");
  if (!text_ok (&line))
    return false;
  pthread_mutex_lock (&pipe->writing);
  good = write_all (pipe, text_get (&line), line.len);
  pthread_mutex_unlock (&pipe->writing);
  if (!good)
    kill_program (pipe, "it does not read what it is sent");
  return good;
}

/* ---- reading ---- */

static struct waiting *
find (struct upstream_pipe *pipe, int64_t id)
{
  struct waiting *waiting = pipe->waiting;

  while (waiting != NULL && waiting->id != id)
    waiting = waiting->next;
  return waiting;
}

/* An answer that nobody waits for is late, or a lie. */
static void
take_answer (struct upstream_pipe *pipe, int64_t id, const char *line, size_t len)
{
  struct waiting *waiting;

  pthread_mutex_lock (&pipe->lock);
  waiting = find (pipe, id);
  if (waiting != NULL && waiting->answer == NULL && (waiting->answer = malloc (len + 1)) != NULL) {
    memcpy (waiting->answer, line, len);
    waiting->answer_len = len;
    pthread_cond_broadcast (&pipe->news);
  }
  for (size_t i = 0; i < pipe->given_up_count; i++)
    if (pipe->given_up[i].id == id)
      pipe->given_up[i] = pipe->given_up[--pipe->given_up_count];
  pthread_mutex_unlock (&pipe->lock);
}

static void
take_progress (struct upstream_pipe *pipe, const struct message *message, const char *line,
               size_t len)
{
  const struct value *token = value_get_z (message->params, "progressToken");
  struct waiting *waiting;

  if (!value_is (token, VALUE_NUMBER))
    return;
  pthread_mutex_lock (&pipe->lock);
  waiting = find (pipe, (int64_t) value_number (token));
  if (waiting != NULL && waiting->said_count < PENDING_MAX) {
    text_add_len (&waiting->said, line, len);
    text_add (&waiting->said, "\n");
    waiting->said_count++;
    pthread_cond_broadcast (&pipe->news);
  }
  pthread_mutex_unlock (&pipe->lock);
}

/* What it asks of us: whether we are there.  Anything else it was told that we can't. */
static void
answer_request (struct upstream_pipe *pipe, const struct message *message)
{
  CLEANUP_TEXT struct text answer = { 0 };

  if (strcmp (message->method, "ping") == 0)
    message_answer (&answer, message->their_id, 0, NULL);
  else
    message_answer (&answer, message->their_id, -32601, "Method not found");
  (void) pipe_tell (pipe, &answer);
}

static bool
on_line (void *ctx, const char *line, size_t len)
{
  struct upstream_pipe *pipe = ctx;
  CLEANUP_VALUES struct values pool = { 0 };
  struct message message;

  if (len == 0)
    return true;
  message_read (&message, &pool, line, len);
  switch (message.kind) {
  case MESSAGE_RESULT:
  case MESSAGE_ERROR:
    take_answer (pipe, message.id, line, len);
    return true;
  case MESSAGE_REQUEST:
    answer_request (pipe, &message);
    return true;
  case MESSAGE_NOTIFICATION:
    if (strcmp (message.method, "notifications/progress") == 0)
      take_progress (pipe, &message, line, len);
    else
      upstream_heard (pipe->upstream, &message);
    return true;
  case MESSAGE_NONE:
    break;
  }
  return ++pipe->garbage < GARBAGE_MAX;
}

/* Milliseconds until the first of those that were given up is due; -1: there is none; 0: it is. */
static int
next_due (struct upstream_pipe *pipe)
{
  int64_t now = upstream_now (), first = -1;

  pthread_mutex_lock (&pipe->lock);
  for (size_t i = 0; i < pipe->given_up_count; i++) {
    int64_t left = pipe->given_up[i].at > now ? pipe->given_up[i].at - now : 0;
    first = first < 0 || left < first ? left : first;
  }
  pthread_mutex_unlock (&pipe->lock);
  return first > 1000 ? 1000 : (int) first;
}

static void
fail_all (struct upstream_pipe *pipe)
{
  pthread_mutex_lock (&pipe->lock);
  pipe->open = false;
  pipe->given_up_count = 0;
  for (struct waiting *w = pipe->waiting; w != NULL; w = w->next)
    w->ended = true;
  pthread_cond_broadcast (&pipe->news);
  pthread_mutex_unlock (&pipe->lock);
}

static void
explain_end (struct upstream_pipe *pipe)
{
  toolhost_process_end end;
  char why[200];

  if (pipe->problem[0] == '\0'
      && toolhost_process_wait (pipe->upstream->host, &pipe->process, 1000, &end) == TOOLHOST_OK)
    (void) snprintf (why, sizeof why, "%s", end.message);
  else
    (void) snprintf (why, sizeof why, "%s",
                     pipe->problem[0] != '\0' ? pipe->problem : "it has closed its output");
  pthread_mutex_lock (&pipe->lock);
  memcpy (pipe->problem, why, sizeof why);
  pthread_mutex_unlock (&pipe->lock);
}

static void
read_until_end (struct upstream_pipe *pipe)
{
  struct line_feed lines = { .max = (size_t) pipe->upstream->config.message_max };
  struct pollfd fds[] = { { .fd = pipe->process.out, .events = POLLIN },
                          { .fd = pipe->wake, .events = POLLIN } };
  static _Thread_local char data[64 * 1024];
  ssize_t n = 1;

  while (n > 0) {
    int due = next_due (pipe);
    eventfd_t count;
    if (due == 0) {
      kill_program (pipe, "a call that was given up did not end");
      break;
    }
    if (poll (fds, 2, due) < 0 && errno != EINTR)
      break;
    (void) eventfd_read (pipe->wake, &count);
    if (fds[0].revents == 0)
      continue;
    n = read (pipe->process.out, data, sizeof data);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
      n = 1;
    else if (n > 0 && !line_feed (&lines, data, (size_t) n, on_line, pipe)) {
      kill_program (pipe, lines.too_long ? "it said a message that is too long"
                                         : "it says what are no messages");
      break;
    }
  }
  line_feed_free (&lines);
}

static void *
reader_main (void *arg)
{
  struct upstream_pipe *pipe = arg;

  read_until_end (pipe);
  explain_end (pipe);
  fail_all (pipe);
  upstream_lost (pipe->upstream, pipe->problem);
  pthread_mutex_lock (&pipe->writing);
  pthread_mutex_lock (&pipe->lock);
  toolhost_process_release (pipe->upstream->host, &pipe->process);
  pthread_mutex_unlock (&pipe->lock);
  pthread_mutex_unlock (&pipe->writing);
  return NULL;
}

/* ---- opening and closing ---- */

static void
close_it (struct upstream_pipe *pipe)
{
  if (!pipe->has_reader)
    return;
  kill_program (pipe, "it was ended");
  (void) eventfd_write (pipe->wake, 1);
  pthread_join (pipe->reader, NULL);
  pipe->has_reader = false;
}

static bool
open_it (struct upstream_pipe *pipe, struct asking *asking)
{
  struct upstream *upstream = pipe->upstream;
  toolhost_process process;
  pthread_attr_t attr;
  sigset_t all, before;
  bool good;

  if (toolhost_process_start (upstream->host, upstream->config.process, &process) != TOOLHOST_OK)
    return asking_failed (asking, "upstream_unavailable", "%s can't be started: %s",
                          upstream->config.name, process.message);
  (void) fcntl (process.in, F_SETFL, O_NONBLOCK);
  (void) fcntl (process.out, F_SETFL, O_NONBLOCK);
  pthread_mutex_lock (&pipe->lock);
  pipe->process = process;
  pipe->open = true;
  pipe->garbage = 0;
  pipe->problem[0] = '\0';
  pthread_mutex_unlock (&pipe->lock);
  pthread_attr_init (&attr);
  pthread_attr_setstacksize (&attr, 256 * 1024);
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  good = pthread_create (&pipe->reader, &attr, reader_main, pipe) == 0;
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  pthread_attr_destroy (&attr);
  pipe->has_reader = good;
  if (good)
    return true;
  toolhost_process_release (upstream->host, &pipe->process);
  return asking_failed (asking, "upstream_unavailable", "There is no thread for %s.",
                        upstream->config.name);
}

bool
pipe_open (struct upstream_pipe *pipe, struct asking *asking)
{
  bool good;

  pthread_mutex_lock (&pipe->opening);
  close_it (pipe);
  good = open_it (pipe, asking);
  pthread_mutex_unlock (&pipe->opening);
  return good;
}

void
pipe_close (struct upstream_pipe *pipe)
{
  pthread_mutex_lock (&pipe->opening);
  close_it (pipe);
  pthread_mutex_unlock (&pipe->opening);
}

void
pipe_free (struct upstream_pipe *pipe)
{
  pipe_close (pipe);
  if (pipe->wake >= 0)
    (void) close (pipe->wake);
  pthread_cond_destroy (&pipe->news);
  pthread_mutex_destroy (&pipe->lock);
  pthread_mutex_destroy (&pipe->writing);
  pthread_mutex_destroy (&pipe->opening);
  free (pipe);
}

/* ---- asking ---- */

static bool
add_waiting (struct upstream_pipe *pipe, struct waiting *waiting)
{
  bool open;

  pthread_mutex_lock (&pipe->lock);
  open = pipe->open;
  waiting->next = pipe->waiting;
  if (open)
    pipe->waiting = waiting;
  pthread_mutex_unlock (&pipe->lock);
  return open;
}

static void
remove_waiting (struct upstream_pipe *pipe, struct waiting *waiting)
{
  struct waiting **p = &pipe->waiting;

  pthread_mutex_lock (&pipe->lock);
  while (*p != NULL && *p != waiting)
    p = &(*p)->next;
  if (*p == waiting)
    *p = waiting->next;
  pthread_mutex_unlock (&pipe->lock);
}

/* What was said meanwhile, on the call's own thread. */
static void
pass_on (struct asking *asking, const struct text *said)
{
  const char *at = text_get (said), *end = at + said->len;

  while (at < end) {
    CLEANUP_VALUES struct values pool = { 0 };
    const char *stop = memchr (at, '\n', (size_t) (end - at));
    struct message message;
    message_read (&message, &pool, at, (size_t) (stop - at));
    if (message.kind == MESSAGE_NOTIFICATION)
      upstream_progress (asking, &message);
    at = stop + 1;
  }
}

/* Nobody waits for it any more.  A server that was told so, and does not answer, may be hanging:
 * after a deadline it gets no more than its grace. */
static void
give_up (struct upstream_pipe *pipe, struct asking *asking, int64_t id)
{
  CLEANUP_TEXT struct text params = { 0 }, message = { 0 };

  text_addf (&params, "\"requestId\":%lld,\"reason\":\"%s\"", (long long) id,
             asking->late ? "the time is up" : "the caller has cancelled it");
  message_notification (&message, "notifications/cancelled", text_get (&params));
  if (strcmp (asking->method, "initialize") != 0)
    (void) pipe_tell (pipe, &message);
  if (!asking->late || strcmp (asking->method, "tools/call") != 0)
    return;
  pthread_mutex_lock (&pipe->lock);
  if (pipe->given_up_count < GIVEN_UP_MAX)
    pipe->given_up[pipe->given_up_count++] =
      (struct given_up){ id, upstream_now () + pipe->upstream->config.grace_ms };
  pthread_mutex_unlock (&pipe->lock);
  (void) eventfd_write (pipe->wake, 1);
}

/* Until there is an answer, or there will be none.  False: it was given up. */
static bool
await (struct upstream_pipe *pipe, struct asking *asking, struct waiting *waiting)
{
  bool over = false;

  pthread_mutex_lock (&pipe->lock);
  while (waiting->answer == NULL && !waiting->ended && !over) {
    struct timespec look = at_ms (upstream_now () + LOOK_MS);
    struct text said;
    pthread_cond_timedwait (&pipe->news, &pipe->lock, &look);
    said = waiting->said;
    waiting->said = (struct text){ 0 };
    waiting->said_count = 0;
    pthread_mutex_unlock (&pipe->lock);
    pass_on (asking, &said);
    text_free (&said);
    asking->late = upstream_now () >= asking->until;
    over = asking->late || toolhost_cancelled (asking->call);
    pthread_mutex_lock (&pipe->lock);
  }
  pthread_mutex_unlock (&pipe->lock);
  return waiting->answer != NULL || waiting->ended;
}

static bool
read_answer (struct asking *asking, const struct waiting *waiting)
{
  struct message message;

  message_read (&message, &asking->pool, waiting->answer, waiting->answer_len);
  if (!values_ok (&asking->pool))
    return asking_failed (asking, "out_of_memory", "There is no memory for the answer.");
  asking->result = message.kind == MESSAGE_RESULT ? message.result : NULL;
  asking->error = message.kind == MESSAGE_ERROR ? message.error : NULL;
  return asking->result != NULL;
}

static bool
say_ended (struct upstream_pipe *pipe, struct asking *asking)
{
  char why[200];

  pthread_mutex_lock (&pipe->lock);
  (void) snprintf (why, sizeof why, "%s", pipe->problem);
  pthread_mutex_unlock (&pipe->lock);
  return asking_failed (asking, "upstream_lost", "%s ended before it answered: %s",
                        pipe->upstream->config.name, why[0] != '\0' ? why : "it is not running");
}

bool
pipe_ask (struct upstream_pipe *pipe, struct asking *asking, int64_t id, const struct text *message)
{
  struct waiting waiting = { .id = id };
  bool good = false;

  if (!add_waiting (pipe, &waiting)) {
    (void) say_ended (pipe, asking);
    upstream_lost (pipe->upstream, asking->message);
    return false;
  }
  if (!pipe_tell (pipe, message))
    waiting.ended = true;
  if (!await (pipe, asking, &waiting)) {
    give_up (pipe, asking, id);
    (void) asking_failed (asking, asking->late ? "upstream_timeout" : "upstream_cancelled",
                          asking->late ? "%s did not answer in time." : "%s was told to stop.",
                          pipe->upstream->config.name);
  }
  remove_waiting (pipe, &waiting);
  if (waiting.answer != NULL)
    good = read_answer (asking, &waiting);
  else if (waiting.ended && asking->code == NULL)
    (void) say_ended (pipe, asking);
  pass_on (asking, &waiting.said);
  text_free (&waiting.said);
  free (waiting.answer);
  return good;
}
