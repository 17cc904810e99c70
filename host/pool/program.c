#include "pool/program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/json_tape.h"
#include "base/json_write.h"
#include "pool/hello.h"
#include "pool/pass.h"
#include "pool/worker.h"

enum {
  PRINTED_PER_EVENT = 64 * 1024,
  STARTS_PER_PERIOD = 16, /* of one worker: each costs the launcher some milliseconds */
  SENTENCE_MAX = 400      /* bytes of what a program that can't begin says of it */
};

/* Seconds. */
static const double START_PERIOD = 10;
/* Until more is read of what is dropped anyway. */
static const double PRINTED_PACE = 0.02;

struct program {
  struct program *next; /* the pool's */
  struct pool *pool;
  struct worker *worker; /* NULL: it is gone */
  uint32_t id;           /* the worker's */
  char *plugin, *name;
  struct spawned proc;
  struct buf hello; /* until there is a process to send it to */
  int to, from;     /* the worker's ends of the pipes, until they are handed over */
  ev_io control, output, gone;
  ev_timer timer, pace; /* until it must run; until more of what it prints is read */
  struct output printed;
  char *claim; /* why it can't begin, as it says itself; or NULL */
  bool runs;   /* the worker was told */
  double born; /* pool_now */
};

/* ---- what the worker is told ---- */

static void
say (struct worker *worker, const struct frame_program_said *said, const char *code,
     const char *text)
{
  struct frame_program_said head = *said;

  head.code_len = (uint32_t) strlen (code);
  worker_put_program (worker, &head, code, text);
}

static void
refuse (struct worker *worker, uint32_t id, const char *code, const char *text)
{
  say (worker, &(struct frame_program_said){ .what = FRAME_PROGRAM_FAILED, .id = id }, code, text);
}

/* The pipes are the worker's from here on. */
static bool
hand_over (struct program *program)
{
  const struct frame_program_said said = { .what = FRAME_PROGRAM_RUNS, .id = program->id };
  const int fds[2] = { program->to, program->from };
  bool sent = worker_send_pipes (program->worker, &said, fds);

  fd_cleanup (&program->to);
  fd_cleanup (&program->from);
  program->to = program->from = -1;
  program->runs = sent;
  if (sent)
    log_event (program->pool->log, LOG_INFO, "program_started", "plugin", program->plugin,
               "program", program->name, "pid", LOG_INT (program->proc.pid), "uid",
               LOG_INT (program->proc.uid), NULL);
  return sent;
}

/* ---- its end ---- */

static void
unlink_program (struct program *program)
{
  struct program **p = &program->pool->programs;

  while (*p != program)
    p = &(*p)->next;
  *p = program->next;
}

static void
program_free (struct program *program)
{
  struct ev_loop *loop = program->pool->loop;

  unlink_program (program);
  ev_io_stop (loop, &program->control);
  ev_io_stop (loop, &program->output);
  ev_io_stop (loop, &program->gone);
  ev_timer_stop (loop, &program->timer);
  ev_timer_stop (loop, &program->pace);
  fd_cleanup (&program->to);
  fd_cleanup (&program->from);
  spawned_end (program->pool->settings.spawner, &program->proc);
  output_free (&program->printed);
  buf_free (&program->hello);
  free (program->claim);
  free (program->plugin);
  free (program->name);
  free (program);
}

static void
kill_program (struct program *program)
{
  spawned_kill (program->pool->settings.spawner, &program->proc);
}

static void
describe_end (const struct program *program, const struct frame_status *status, bool told,
              char *out, size_t size)
{
  if (spawned_used_up_memory (&program->proc))
    (void) snprintf (out, size, "it used more memory than it may");
  else if (!told)
    (void) snprintf (out, size, "it was killed");
  else if (status->code == CLD_EXITED)
    (void) snprintf (out, size, "it exited with status %d", (int) status->status);
  else
    (void) snprintf (out, size, "it was ended by signal %d", (int) status->status);
}

static void
tell_end (struct program *program)
{
  struct frame_program_said said = { .what = FRAME_PROGRAM_ENDED, .id = program->id };
  struct frame_status status = { 0 };
  bool told = read (program->proc.status, &status, sizeof status) == (ssize_t) sizeof status;
  char why[128];

  describe_end (program, &status, told, why, sizeof why);
  if (told) {
    said.code = status.code;
    said.status = status.status;
  }
  log_event (program->pool->log, program->runs ? LOG_INFO : LOG_ERROR,
             program->runs ? "program_ended" : "program_start_failed", "plugin", program->plugin,
             "program", program->name, "pid", LOG_INT (program->proc.pid), "why",
             !program->runs && program->claim != NULL ? program->claim : why, NULL);
  if (program->worker == NULL)
    return;
  if (program->runs)
    say (program->worker, &said, "", why);
  else
    refuse (program->worker, program->id, "program_failed",
            program->claim != NULL ? program->claim : why);
}

/* ---- what it prints ---- */

static void
on_output (struct ev_loop *loop, ev_io *io, int revents)
{
  struct program *program = io->data;
  char data[PRINTED_PER_EVENT];
  ssize_t n = read (io->fd, data, sizeof data);

  (void) revents;
  if (n == 0 || (n < 0 && errno != EAGAIN))
    ev_io_stop (loop, io);
  else if (n > 0 && !output_print (&program->printed, ev_now (loop), data, (size_t) n)) {
    ev_io_stop (loop, io);
    ev_timer_start (loop, &program->pace);
  }
}

static void
on_pace (struct ev_loop *loop, ev_timer *timer, int revents)
{
  struct program *program = timer->data;

  (void) revents;
  ev_timer_stop (loop, timer);
  ev_timer_set (timer, PRINTED_PACE, 0);
  ev_io_start (loop, &program->output);
}

/* ---- its start ---- */

static void
take_bye (struct program *program, const char *payload, size_t len)
{
  struct arena *arena = &program->pool->arena;
  struct json_tape tape;
  const char *text;

  arena_reset (arena);
  if (program->claim != NULL || !json_read (&tape, payload, len, &json_default_limits, arena))
    return;
  text = json_cstring (&tape, json_member (&tape, json_root (&tape), "message"), arena);
  program->claim = text != NULL ? xstrndup (text, strnlen (text, SENTENCE_MAX)) : NULL;
}

/* What its first process says: nothing, until the socket is closed because it has become the
 * program; or why it can't.  `over`: the process has ended, and so has what it says, also where the
 * launcher has not closed its copy of the socket yet. */
static void
listen_to (struct program *program, bool over)
{
  struct frame_head head;
  const char *payload;
  size_t payload_len;
  ssize_t n = 0;

  while (program->proc.control >= 0
         && (n = recv (program->proc.control, program->pool->datagram, FRAME_MAX, MSG_DONTWAIT))
              > 0)
    if (frame_next (program->pool->datagram, (size_t) n, &head, &payload, &payload_len) > 0
        && head.kind == FRAME_BYE)
      take_bye (program, payload, payload_len);
  if (program->proc.control < 0 || (!over && n < 0 && (errno == EAGAIN || errno == EINTR)))
    return;
  ev_io_stop (program->pool->loop, &program->control);
  fd_cleanup (&program->proc.control);
  program->proc.control = -1;
  ev_timer_stop (program->pool->loop, &program->timer);
  if (program->worker == NULL || program->claim != NULL || !hand_over (program))
    kill_program (program);
}

static void
on_control (struct ev_loop *loop, ev_io *io, int revents)
{
  (void) loop;
  (void) revents;
  listen_to (io->data, false);
}

static void
on_timer (struct ev_loop *loop, ev_timer *timer, int revents)
{
  struct program *program = timer->data;

  (void) loop;
  (void) revents;
  program->claim = xstrdup ("it did not begin in time");
  kill_program (program);
}

static void
on_gone (struct ev_loop *loop, ev_io *io, int revents)
{
  struct program *program = io->data;

  (void) revents;
  listen_to (program, true);
  if (ev_is_active (&program->output) || ev_is_active (&program->pace))
    on_output (loop, &program->output, EV_READ);
  output_end (&program->printed);
  tell_end (program);
  program_free (program);
}

static bool
send_hello (struct program *program)
{
  const size_t room = frame_padded (sizeof (struct frame_head) + program->hello.len);
  CLEANUP_BUF struct buf frame = { 0 };
  bool sent;

  frame.len = frame_put (buf_reserve (&frame, room), room, FRAME_HELLO, 0, 0, program->hello.data,
                         program->hello.len, NULL, 0, NULL, 0);
  sent =
    frame.len <= FRAME_MAX && pass_send (program->proc.control, frame.data, frame.len, NULL, 0);
  explicit_bzero (frame.data, frame.len);
  explicit_bzero (program->hello.data, program->hello.len);
  buf_free (&program->hello);
  return sent;
}

static void
on_never_there (struct program *program, const char *why)
{
  log_event (program->pool->log, LOG_ERROR, "program_start_failed", "plugin", program->plugin,
             "program", program->name, "why", why, NULL);
  if (program->worker != NULL)
    refuse (program->worker, program->id, "program_failed", why);
  program_free (program);
}

static void
on_started (struct spawned *proc, const char *why)
{
  struct program *program = (struct program *) ((char *) proc - offsetof (struct program, proc));
  struct ev_loop *loop = program->pool->loop;

  if (why != NULL) {
    on_never_there (program, why);
    return;
  }
  ev_io_set (&program->gone, proc->pidfd, EV_READ);
  ev_io_start (loop, &program->gone);
  if (proc->doomed)
    return;
  if (!send_hello (program)) {
    program->claim = xstrdup ("it could not be told what to run");
    kill_program (program);
    return;
  }
  ev_io_start (loop, &program->control);
}

static void
watch (struct program *program)
{
  struct ev_loop *loop = program->pool->loop;

  ev_io_init (&program->output, on_output, program->proc.output, EV_READ);
  ev_io_init (&program->control, on_control, program->proc.control, EV_READ);
  ev_init (&program->gone, on_gone);
  ev_timer_init (&program->timer, on_timer, program->pool->settings.start_timeout, 0);
  ev_timer_init (&program->pace, on_pace, PRINTED_PACE, 0);
  program->output.data = program->control.data = program->gone.data = program->timer.data =
    program->pace.data = program;
  ev_io_start (loop, &program->output);
  ev_timer_start (loop, &program->timer);
}

/* What its sandbox is made of: a policy's, as far as that goes. */
static struct policy
sandbox_of (const struct granted_program *granted, const struct policy *policy)
{
  return (struct policy){ .read = granted->read,
                          .write = granted->write,
                          .memory = granted->memory,
                          .address_space = granted->address_space,
                          .files = granted->files,
                          .tmp = granted->tmp,
                          .processes = granted->processes,
                          .require = policy->require,
                          .jit = granted->jit };
}

/* Both pipes; the program's ends are the caller's to close. */
static bool
make_pipes (struct program *program, int *in, int *out)
{
  int to[2], from[2];

  if (pipe2 (to, O_CLOEXEC) < 0)
    return false;
  program->to = to[1];
  *in = to[0];
  if (pipe2 (from, O_CLOEXEC) < 0)
    return false;
  program->from = from[0];
  *out = from[1];
  return true;
}

static bool
spawn (struct program *program, const struct granted_program *granted, struct error *err)
{
  const struct policy sandbox = sandbox_of (granted, program->worker->policy);
  struct spawner *spawner = program->pool->settings.spawner;
  CLEANUP_FD int in = -1;
  CLEANUP_FD int out = -1;

  if (!spawner_means (spawner)->namespaces)
    return error_set (err, "programs beside a worker (permissions.processes) take namespaces of "
                           "their own, which this system refuses");
  if (!hello_write_program (&program->hello, program->pool->settings.build, granted, &sandbox,
                            &program->worker->policy->secrets, spawner_means (spawner)->cgroup == 2,
                            err))
    return false;
  if (!make_pipes (program, &in, &out))
    return error_set (err, "cannot make its pipes: %s", strerror (errno));
  return worker_spawn (spawner,
                       &(struct spawn_order){ .plugin_fd = -1,
                                              .in = in,
                                              .out = out,
                                              .name = program->name,
                                              .policy = &sandbox,
                                              .started = on_started },
                       &program->proc, err);
}

static void
discard (struct program *program)
{
  fd_cleanup (&program->to);
  fd_cleanup (&program->from);
  explicit_bzero (program->hello.data, program->hello.len);
  buf_free (&program->hello);
  free (program->plugin);
  free (program->name);
  free (program);
}

static void
start (struct worker *worker, uint32_t id, const struct granted_program *granted)
{
  struct program *program = xcalloc (1, sizeof *program);
  struct error err = { { 0 } };

  program->pool = worker->pool;
  program->worker = worker;
  program->id = id;
  program->to = program->from = -1;
  program->plugin = xstrdup (worker->name);
  program->name = xstrdup (granted->name);
  program->born = pool_now ();
  if (!spawn (program, granted, &err)) {
    log_event (worker->pool->log, LOG_ERROR, "program_start_failed", "plugin", worker->name,
               "program", granted->name, "why", err.text, NULL);
    refuse (worker, id, "program_failed", err.text);
    discard (program);
    return;
  }
  output_init (&program->printed, program->pool->log, program->plugin);
  program->printed.program = program->name;
  program->next = program->pool->programs;
  program->pool->programs = program;
  watch (program);
}

/* ---- orders ---- */

static struct program *
find (const struct worker *worker, uint32_t id)
{
  struct program *program = worker->pool->programs;

  while (program != NULL && (program->worker != worker || program->id != id))
    program = program->next;
  return program;
}

static unsigned
count_of_worker (const struct worker *worker)
{
  unsigned count = 0;

  for (const struct program *p = worker->pool->programs; p != NULL; p = p->next)
    count += p->worker == worker;
  return count;
}

static bool
too_often (struct worker *worker)
{
  double now = pool_now ();

  if (now - worker->program_since >= START_PERIOD) {
    worker->program_since = now;
    worker->program_starts = 0;
  }
  return ++worker->program_starts > STARTS_PER_PERIOD;
}

static void
on_start (struct worker *worker, uint32_t id, const char *name, size_t len)
{
  const struct granted_program *granted = granted_find (&worker->policy->programs, name, len);

  if (granted == NULL)
    refuse (worker, id, "program_not_granted",
            "The operator has granted no program of this name (permissions.processes).");
  else if (count_of_worker (worker) >= FRAME_PROGRAMS_MAX
           || programs_count (worker->pool, worker->name, granted->name)
                >= (unsigned) granted->at_once)
    refuse (worker, id, "program_limit",
            "As many of this program run as may at once (its at_once).");
  else if (too_often (worker))
    refuse (worker, id, "program_limit", "Programs are started too often.");
  else
    start (worker, id, granted);
}

bool
program_take (struct worker *worker, const char *payload, size_t len)
{
  struct frame_program head;
  struct program *program;

  if (len < sizeof head)
    return false;
  memcpy (&head, payload, sizeof head);
  payload += sizeof head;
  len -= sizeof head;
  program = find (worker, head.id);
  if (head.what == FRAME_PROGRAM_KILL) {
    if (program != NULL)
      kill_program (program);
    return true;
  }
  if (head.what != FRAME_PROGRAM_START || head.id == 0 || program != NULL
      || !granted_name_ok (payload, len))
    return false;
  on_start (worker, head.id, payload, len);
  return true;
}

void
programs_abandon (struct worker *worker)
{
  for (struct program *p = worker->pool->programs; p != NULL; p = p->next)
    if (p->worker == worker) {
      p->worker = NULL;
      kill_program (p);
    }
}

/* ---- for people ---- */

unsigned
programs_count (const struct pool *pool, const char *plugin, const char *name)
{
  unsigned count = 0;

  for (const struct program *p = pool->programs; p != NULL; p = p->next)
    count += !p->proc.doomed && (plugin == NULL || strcmp (p->plugin, plugin) == 0)
             && (name == NULL || strcmp (p->name, name) == 0);
  return count;
}

void
programs_show (const struct pool *pool, const char *plugin, struct json_writer *w)
{
  jsonw_array (w);
  for (const struct program *p = pool->programs; p != NULL; p = p->next) {
    if (strcmp (p->plugin, plugin) != 0)
      continue;
    jsonw_object (w);
    jsonw_name_string (w, "name", p->name);
    jsonw_name_int (w, "pid", p->proc.pid);
    jsonw_name_int (w, "worker", p->worker != NULL ? p->worker->proc.pid : 0);
    jsonw_name_string (w, "state", p->proc.doomed ? "ending" : p->runs ? "running" : "starting");
    jsonw_name_int (w, "since_s", (int64_t) (pool_now () - p->born));
    jsonw_end (w);
  }
  jsonw_end (w);
}
