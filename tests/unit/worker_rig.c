#include "worker_rig.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MS = 10000 };

/* As whoever started the test: the build may stand in a folder that nobody else may enter. */
static int
open_built (const char *path)
{
  char full[PATH_MAX];
  const char *build = getenv ("TOOLHOST_BUILD");
  uid_t acting = geteuid ();

  snprintf (full, sizeof full, "%s/%s", build != NULL ? build : ".", path);
  if (seteuid (getuid ()) < 0)
    return -1;
  int fd = open (full, O_RDONLY | O_CLOEXEC);
  if (seteuid (acting) < 0)
    abort ();
  return fd;
}

static const char *
or_else (const char *text, const char *otherwise)
{
  return text != NULL ? text : otherwise;
}

static void
on_event (struct channel *channel)
{
  (void) channel;
}

static const struct channel_events events = { .ready = on_event, .writable = on_event };

static bool
say_hello (struct rig *rig, const char *plugin, const struct rig_wish *wish, struct error *err)
{
  CLEANUP_BUF struct buf hello = { 0 };

  buf_printf (&hello,
              "{\"build\":\"%s\",\"plugin\":\"%s\",\"threads\":%u,\"config\":%s,\"result_max\":%zu,"
              "\"sandbox\":{\"require\":%s,\"read\":%s,\"write\":%s,\"memory\":%zu,\"files\":64,"
              "\"tmp\":1048576,\"processes\":64}}",
              or_else (wish->build, TOOLHOST_BUILD_ID), plugin,
              wish->threads != 0 ? wish->threads : 4, or_else (wish->config, "{}"),
              wish->result_max != 0 ? wish->result_max : 1 << 20,
              or_else (wish->require, "[\"no-network\",\"no-foreign-files\",\"no-foreign-signals\","
                                      "\"memory-cap\",\"kill-tree\"]"),
              or_else (wish->read, "[]"), or_else (wish->write, "[]"),
              wish->memory != 0 ? wish->memory : 256 << 20);
  return channel_open (&rig->channel, rig->loop, &events, rig, rig->worker.control, &hello, err);
}

static void
on_started (struct spawned *spawned, const char *why)
{
  struct rig *rig = (struct rig *) ((char *) spawned - offsetof (struct rig, worker));

  rig->why = why != NULL ? xstrdup (why) : NULL;
  ev_break (rig->loop, EVBREAK_ALL);
}

static bool
spawn (struct rig *rig, int program, int file, const char *plugin, const struct rig_wish *wish,
       struct error *err)
{
  struct policy policy;
  const struct spawn_order order = {
    .plugin_fd = file, .name = plugin, .policy = &policy, .started = on_started
  };
  bool ok;

  rig->spawner = spawner_new (
    &(struct spawner_settings){ .loop = rig->loop, .program = program, .uid_count = 1 }, err);
  policy_init (&policy);
  if (wish != NULL && wish->memory != 0)
    policy.memory = (int64_t) wish->memory;
  ok = rig->spawner != NULL && worker_spawn (rig->spawner, &order, &rig->worker, err);
  policy_free (&policy);
  if (!ok)
    return false;
  while (rig->worker.pid == 0 && rig->why == NULL)
    ev_run (rig->loop, EVRUN_ONCE);
  if (rig->why == NULL)
    return true;
  spawned_end (rig->spawner, &rig->worker);
  return error_set (err, "%s", rig->why);
}

bool
rig_start (struct rig *rig, const char *plugin, const struct rig_wish *wish, char *why,
           size_t why_size)
{
  static const struct rig_wish usual;
  char path[256];
  struct error err = { { 0 } };
  CLEANUP_FD int program = open_built ("toolhost-worker");
  CLEANUP_FD int file = -1;

  memset (rig, 0, sizeof *rig);
  snprintf (path, sizeof path, "tests/hostile/.libs/%s.so", plugin);
  file = open_built (path);
  rig->loop = ev_loop_new (EVFLAG_AUTO);
  if (program < 0 || file < 0)
    error_set (&err, "toolhost-worker or %s is not built", path);
  else
    rig->running = spawn (rig, program, file, plugin, wish, &err);
  if (!rig->running) {
    spawner_free (rig->spawner);
    ev_loop_destroy (rig->loop);
    free (rig->why);
    snprintf (why, why_size, "%s", err.text);
    return false;
  }
  rig->room = xmalloc (FRAME_MAX);
  if (say_hello (rig, plugin, wish != NULL ? wish : &usual, &err)) {
    rig->worker.control = -1; /* the channel's */
    return true;
  }
  snprintf (why, why_size, "%s", err.text);
  return false;
}

bool
rig_ready (struct rig *rig, const char *plugin, const struct rig_wish *wish, struct buf *describe)
{
  struct rig_frame frame;
  char why[600];

  if (!rig_start (rig, plugin, wish, why, sizeof why)) {
    printf ("# %s\n", why);
    return false;
  }
  do {
    if (!rig_receive (rig, &frame))
      return false;
    if (frame.head.kind == FRAME_BYE) {
      printf ("# %s\n", frame.payload);
      return false;
    }
    if (frame.head.kind == FRAME_DESCRIBE && describe != NULL)
      buf_append (describe, frame.payload, frame.len);
  } while (frame.head.kind != FRAME_DESCRIBE || (frame.head.flags & FRAME_MORE) != 0);
  return true;
}

void
rig_end (struct rig *rig)
{
  if (!rig->running)
    return;
  spawned_kill (rig->spawner, &rig->worker);
  channel_close (&rig->channel);
  spawned_end (rig->spawner, &rig->worker);
  spawner_free (rig->spawner);
  ev_loop_destroy (rig->loop);
  free (rig->room);
  buf_free (&rig->inbox);
  rig->running = false;
}

void
rig_send (struct rig *rig, enum frame_kind kind, uint64_t call, const void *a, size_t a_len,
          const char *text)
{
  channel_put (&rig->channel, kind, call, a, a_len, text, text != NULL ? strlen (text) : 0, NULL,
               0);
  (void) channel_flush (&rig->channel);
}

/* Is there something on this descriptor within the patience? */
static bool
comes (int fd)
{
  struct pollfd readable = { .fd = fd, .events = POLLIN };
  return poll (&readable, 1, PATIENCE_MS) == 1;
}

/* What the plugin prints must not stop it. */
static void
drain_output (struct rig *rig)
{
  char rubbish[65536];
  while (read (rig->worker.output, rubbish, sizeof rubbish) > 0)
    ;
}

static bool
keep_frame (void *owner, const struct frame *frame)
{
  struct rig *rig = owner;

  buf_append (&rig->inbox, &frame->head, sizeof frame->head);
  buf_append (&rig->inbox, frame->payload, frame_padded (frame->len));
  return true;
}

/* Wait until the inbox has something to look at. */
static void
fill_inbox (struct rig *rig)
{
  enum channel_news news;

  rig->at = rig->inbox.len = 0;
  do {
    drain_output (rig);
    news = channel_receive (&rig->channel, rig->room, keep_frame);
    (void) channel_flush (&rig->channel); /* there may be room now */
  } while (news == CHANNEL_OPEN && rig->inbox.len == 0 && comes (rig->channel.control));
}

bool
rig_receive (struct rig *rig, struct rig_frame *frame)
{
  const char *payload;
  size_t len;
  long step;

  memset (&frame->head, 0, sizeof frame->head);
  frame->payload = "";
  frame->len = 0;
  if (rig->at == rig->inbox.len)
    fill_inbox (rig);
  step =
    frame_next (rig->inbox.data + rig->at, rig->inbox.len - rig->at, &frame->head, &payload, &len);
  if (step <= 0) {
    rig->at = rig->inbox.len;
    frame->head.kind = 0;
    return false;
  }
  rig->at += (size_t) step;
  memcpy (frame->copy, payload, len);
  frame->copy[len] = '\0';
  frame->payload = frame->copy;
  frame->len = len;
  return true;
}

bool
rig_wait (struct rig *rig, enum frame_kind kind, struct rig_frame *frame)
{
  while (rig_receive (rig, frame))
    if (frame->head.kind == kind)
      return true;
  return false;
}

static int64_t
monotonic (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
}

static const char meta[] = "{\"call_id\":\"c-1\",\"tenant\":\"acme\",\"metadata\":{\"a\":1}}";

void
rig_call (struct rig *rig, uint64_t id, const char *args, int64_t deadline_ms)
{
  struct frame_call call = { .deadline_ns =
                               deadline_ms != 0 ? monotonic () + deadline_ms * 1000000 : INT64_MAX,
                             .args_len = (uint32_t) strlen (args),
                             .meta_len = sizeof meta - 1,
                             .flags = FRAME_CALL_PROGRESS };
  CLEANUP_BUF struct buf text = { 0 };

  buf_puts (&text, args);
  buf_puts (&text, meta);
  rig_send (rig, FRAME_CALL, id, &call, sizeof call, buf_cstr (&text));
}

void
rig_call_memfd (struct rig *rig, uint64_t id, const char *args, size_t len)
{
  struct frame_call call = { .deadline_ns = INT64_MAX,
                             .args_len = (uint32_t) len,
                             .meta_len = sizeof meta - 1 };
  CLEANUP_FD int fd = memfd_create ("args", MFD_CLOEXEC);

  (void) !write (fd, args, len);
  (void) channel_put_large (&rig->channel, id, &call, meta, fd);
}

void
rig_cancel (struct rig *rig, uint64_t id, uint32_t grace_ms)
{
  struct frame_cancel cancel = { .reason = FRAME_CANCEL_CALLER, .grace_ms = grace_ms };
  rig_send (rig, FRAME_CANCEL, id, &cancel, sizeof cancel, NULL);
}

static const char *
cut (struct rig_result *result, size_t *at, uint32_t len)
{
  const char *text = "";

  if (len <= result->body.len - *at)
    text = arena_strndup (&result->texts, result->body.data + *at, len);
  *at += len;
  return text;
}

uint64_t
rig_result (struct rig *rig, struct rig_result *result)
{
  struct rig_frame frame;
  size_t at = 0;

  memset (result, 0, sizeof *result);
  result->code = result->message = result->structured = result->content = "";
  do {
    if (!rig_receive (rig, &frame))
      return 0;
    if (frame.head.kind == FRAME_RESULT_PART)
      buf_append (&result->body, frame.payload, frame.len);
  } while (frame.head.kind != FRAME_RESULT);
  if (frame.len < sizeof result->head)
    return 0;
  memcpy (&result->head, frame.payload, sizeof result->head);
  buf_append (&result->body, frame.payload + sizeof result->head, frame.len - sizeof result->head);
  result->code = cut (result, &at, result->head.code_len);
  result->message = cut (result, &at, result->head.message_len);
  result->structured = cut (result, &at, result->head.structured_len);
  result->content = cut (result, &at, result->head.content_len);
  return at == result->body.len ? frame.head.call : 0;
}

void
rig_result_free (struct rig_result *result)
{
  buf_free (&result->body);
  arena_free (&result->texts);
}

struct frame_status
rig_status (struct rig *rig)
{
  struct frame_status status = { 0 };

  if (!comes (rig->worker.status)
      || read (rig->worker.status, &status, sizeof status) != (ssize_t) sizeof status)
    memset (&status, 0, sizeof status);
  return status;
}
