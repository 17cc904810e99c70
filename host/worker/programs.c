#include "worker/programs.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "worker/crew.h"
#include "worker/outbox.h"

enum { LOOK_MS = 50 /* how long a wait goes on without looking whether somebody else listens */ };

struct program_record {
  struct program_record *next;
  uint32_t id;
  enum { ASKED, RUNS, FAILED, ENDED } state;
  int fds[2]; /* to it, from it */
  struct frame_program_said end;
  char *code, *text;
};

void
programs_init (struct programs *programs)
{
  pthread_condattr_t monotonic;

  memset (programs, 0, sizeof *programs);
  pthread_mutex_init (&programs->lock, NULL);
  pthread_condattr_init (&monotonic);
  pthread_condattr_setclock (&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init (&programs->news, &monotonic);
  pthread_condattr_destroy (&monotonic);
}

/* ---- records, under the lock ---- */

static struct program_record **
find (struct programs *programs, uint32_t id)
{
  struct program_record **p = &programs->list;

  while (*p != NULL && (*p)->id != id)
    p = &(*p)->next;
  return p;
}

static struct program_record *
add (struct programs *programs)
{
  struct program_record *record = xcalloc (1, sizeof *record);

  *record = (struct program_record){
    .next = programs->list, .id = ++programs->last, .state = ASKED, .fds = { -1, -1 }
  };
  programs->list = record;
  return record;
}

static void
drop (struct programs *programs, uint32_t id)
{
  struct program_record **p = find (programs, id);
  struct program_record *record = *p;

  if (record == NULL)
    return;
  *p = record->next;
  fd_cleanup (&record->fds[0]);
  fd_cleanup (&record->fds[1]);
  free (record->code);
  free (record->text);
  free (record);
}

/* ---- what the daemon says ---- */

static void
take (struct program_record *record, const struct frame_program_said *said, const char *text,
      size_t len, int fds[2])
{
  size_t code = said->code_len < len ? said->code_len : len;

  if (said->what == FRAME_PROGRAM_RUNS && record->state == ASKED) {
    record->state = RUNS;
    record->fds[0] = fds[0];
    record->fds[1] = fds[1];
    fds[0] = fds[1] = -1;
    return;
  }
  record->state = said->what == FRAME_PROGRAM_FAILED ? FAILED : ENDED;
  record->end = *said;
  free (record->code);
  free (record->text);
  record->code = xstrndup (text, code);
  record->text = xstrndup (text + code, len - code);
}

void
programs_deliver (struct programs *programs, const char *payload, size_t len, int fds[2])
{
  struct frame_program_said said;
  struct program_record *record;

  if (len < sizeof said)
    control_protocol_error ("a PROGRAM_SAID is too short");
  memcpy (&said, payload, sizeof said);
  pthread_mutex_lock (&programs->lock);
  record = *find (programs, said.id);
  if (record != NULL)
    take (record, &said, payload + sizeof said, len - sizeof said, fds);
  pthread_cond_broadcast (&programs->news);
  pthread_mutex_unlock (&programs->lock);
  fd_cleanup (&fds[0]);
  fd_cleanup (&fds[1]);
}

/* ---- waiting ---- */

static struct crew *
crew_of (const toolhost_host *host)
{
  return ((const struct plugin_host *) host)->ctx;
}

static struct timespec
in_ms (int64_t ms)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  t.tv_sec += ms / 1000;
  t.tv_nsec += ms % 1000 * 1000000;
  t.tv_sec += t.tv_nsec / 1000000000;
  t.tv_nsec %= 1000000000;
  return t;
}

static bool
is_past (const struct timespec *t)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec > t->tv_sec || (now.tv_sec == t->tv_sec && now.tv_nsec >= t->tv_nsec);
}

/* Under the lock, which is given up meanwhile: until the record is in another state than `state`,
 * at most until then. */
static void
await (struct crew *crew, uint32_t id, int state, const struct timespec *until)
{
  struct programs *programs = &crew->programs;

  for (;;) {
    struct program_record *record = *find (programs, id);
    struct timespec look = in_ms (LOOK_MS);
    bool listened;
    if (record == NULL || (int) record->state != state || is_past (until))
      return;
    pthread_mutex_unlock (&programs->lock);
    listened = crew_attend (crew, LOOK_MS);
    pthread_mutex_lock (&programs->lock);
    record = *find (programs, id);
    if (!listened && record != NULL && (int) record->state == state)
      pthread_cond_timedwait (&programs->news, &programs->lock,
                              look.tv_sec < until->tv_sec
                                  || (look.tv_sec == until->tv_sec && look.tv_nsec < until->tv_nsec)
                                ? &look
                                : until);
  }
}

/* ---- what the plugin asks ---- */

static void
order (struct crew *crew, enum frame_program_what what, uint32_t id, const char *name)
{
  const struct frame_program head = { .what = what, .id = id };

  outbox_put (crew->outbox, FRAME_PROGRAM, 0,
              (struct piece_of_frame[]){ { &head, sizeof head }, { name, strlen (name) } }, 2);
  outbox_flush (crew->outbox);
}

static void
say_failed (toolhost_process *process, const char *code, const char *text)
{
  (void) snprintf (process->code, sizeof process->code, "%s", code);
  (void) snprintf (process->message, sizeof process->message, "%s", text);
}

/* Under the lock: what the record says. */
static toolhost_status
give (struct programs *programs, struct program_record *record, toolhost_process *process)
{
  toolhost_status status = TOOLHOST_FAILED;

  if (record->fds[0] >= 0) {
    process->id = record->id;
    process->in = record->fds[0];
    process->out = record->fds[1];
    record->fds[0] = record->fds[1] = -1;
    return TOOLHOST_OK;
  }
  if (record->state == ASKED)
    say_failed (process, "program_failed", "It did not begin in time.");
  else
    say_failed (process, record->code != NULL ? record->code : "program_failed",
                record->text != NULL ? record->text : "");
  if (strcmp (process->code, "program_not_granted") == 0)
    status = TOOLHOST_NOT_GRANTED;
  drop (programs, record->id);
  return status;
}

static toolhost_status
service_start (const toolhost_host *host, const char *name, toolhost_process *process)
{
  struct crew *crew = crew_of (host);
  struct programs *programs = &crew->programs;
  const struct timespec until = in_ms (TOOLHOST_PROCESS_START_MS);
  toolhost_status status;
  uint32_t id;

  process->id = 0;
  process->in = process->out = -1;
  if (name == NULL || name[0] == '\0' || strlen (name) > 64
      || strspn (name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
           != strlen (name)) {
    say_failed (process, "program_not_granted", "The name is not one that a program can have.");
    return TOOLHOST_BAD_VALUE;
  }
  pthread_mutex_lock (&programs->lock);
  id = add (programs)->id;
  pthread_mutex_unlock (&programs->lock);
  order (crew, FRAME_PROGRAM_START, id, name);
  pthread_mutex_lock (&programs->lock);
  await (crew, id, ASKED, &until);
  status = give (programs, *find (programs, id), process);
  pthread_mutex_unlock (&programs->lock);
  if (status != TOOLHOST_OK)
    order (crew, FRAME_PROGRAM_KILL, id, "");
  return status;
}

static toolhost_status
service_kill (const toolhost_host *host, const toolhost_process *process)
{
  if (process->id == 0)
    return TOOLHOST_NOT_FOUND;
  order (crew_of (host), FRAME_PROGRAM_KILL, process->id, "");
  return TOOLHOST_OK;
}

static void
fill_end (const struct program_record *record, toolhost_process_end *end)
{
  end->how = record->end.code == CLD_EXITED ? TOOLHOST_PROCESS_EXITED : TOOLHOST_PROCESS_KILLED;
  end->status = record->end.status;
  (void) snprintf (end->message, sizeof end->message, "%s",
                   record->text != NULL ? record->text : "");
}

static toolhost_status
service_await (const toolhost_host *host, const toolhost_process *process, int64_t ms,
               toolhost_process_end *end)
{
  struct crew *crew = crew_of (host);
  struct programs *programs = &crew->programs;
  const struct timespec until = in_ms (ms < 0 ? 0 : ms > 86400000 ? 86400000 : ms);
  struct program_record *record;
  toolhost_status status = TOOLHOST_NOT_FOUND;

  pthread_mutex_lock (&programs->lock);
  if (process->id != 0 && *find (programs, process->id) != NULL) {
    await (crew, process->id, RUNS, &until);
    record = *find (programs, process->id);
    status = record == NULL          ? TOOLHOST_NOT_FOUND
             : record->state == RUNS ? TOOLHOST_LATER
                                     : TOOLHOST_OK;
    if (status == TOOLHOST_OK)
      fill_end (record, end);
  }
  pthread_mutex_unlock (&programs->lock);
  return status;
}

static void
service_release (const toolhost_host *host, toolhost_process *process)
{
  struct crew *crew = crew_of (host);

  fd_cleanup (&process->in);
  fd_cleanup (&process->out);
  process->in = process->out = -1;
  if (process->id == 0)
    return;
  order (crew, FRAME_PROGRAM_KILL, process->id, "");
  pthread_mutex_lock (&crew->programs.lock);
  drop (&crew->programs, process->id);
  pthread_mutex_unlock (&crew->programs.lock);
  process->id = 0;
}

const toolhost_process_service programs_service = { .struct_size = sizeof programs_service,
                                                    .start = service_start,
                                                    .kill = service_kill,
                                                    .wait = service_await,
                                                    .release = service_release };
