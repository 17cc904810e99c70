#include "front/mcp/tasks.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#include "base/hash.h"
#include "call/held.h"
#include "front/encode.h"
#include "front/mcp/asks.h"
#include "front/mcp/listen.h"
#include "front/mcp/reply.h"

enum {
  ID_BYTES = 16,
  POLL_MS = 500, /* what clients are told to wait between two looks */
  TICK = 1,      /* seconds */
  RESULT_MAX = 1 << 20,
  SAID_MAX = 256 /* bytes of what a task last said of its progress */
};

enum state { WORKING, INPUT_REQUIRED, COMPLETED, FAILED, CANCELLED };

static const char *const state_names[] = { [WORKING] = "working",
                                           [INPUT_REQUIRED] = "input_required",
                                           [COMPLETED] = "completed",
                                           [FAILED] = "failed",
                                           [CANCELLED] = "cancelled" };

struct task {
  struct mcp_tasks *tasks;
  char id[5 + 2 * ID_BYTES + 1];
  char *principal;
  enum state state;
  double created, updated;
  struct call *call; /* WORKING */
  struct held *held; /* INPUT_REQUIRED */
  struct buf end;    /* COMPLETED: the result, FAILED: the error; JSON */
  char said[SAID_MAX + 1];
  /* until the request that made it is answered */
  struct mcp_request *request;
  const struct call_events *events;
  UT_hash_handle hh;
};

struct mcp_tasks {
  struct mcp_core *core;
  struct task *by_id; /* in the order they were made */
  size_t count;
  ev_timer tick;
};

static double
now (const struct mcp_tasks *tasks)
{
  return ev_now (tasks->core->env->loop);
}

/* ---- the table ---- */

static void
on_tick (struct ev_loop *loop, struct ev_timer *timer, int events)
{
  (void) events;
  mcp_tasks_expire (timer->data, ev_now (loop));
}

struct mcp_tasks *
mcp_tasks_new (struct mcp_core *core)
{
  struct mcp_tasks *tasks = xcalloc (1, sizeof *tasks);

  tasks->core = core;
  ev_timer_init (&tasks->tick, on_tick, TICK, TICK);
  tasks->tick.data = tasks;
  return tasks;
}

static void
forget (struct task *t)
{
  struct mcp_tasks *tasks = t->tasks;
  struct call *call = t->call;

  HASH_DEL (tasks->by_id, t);
  if (--tasks->count == 0)
    ev_timer_stop (tasks->core->env->loop, &tasks->tick);
  t->call = NULL;
  if (call != NULL)
    call_abandon (call);
  held_free (t->held);
  buf_free (&t->end);
  free (t->principal);
  free (t);
}

void
mcp_tasks_free (struct mcp_tasks *tasks)
{
  if (tasks == NULL)
    return;
  while (tasks->by_id != NULL)
    forget (tasks->by_id);
  free (tasks);
}

void
mcp_tasks_expire (struct mcp_tasks *tasks, double when)
{
  for (struct task *t = tasks->by_id, *next; t != NULL; t = next) {
    next = t->hh.next;
    if (when >= t->created + tasks->core->env->task_ttl)
      forget (t);
  }
}

static void
make_id (struct task *t)
{
  unsigned char bytes[ID_BYTES];
  char *at = t->id;

  if (getrandom (bytes, sizeof bytes, 0) != (ssize_t) sizeof bytes)
    abort (); /* never: it waits for the pool at the system's start only */
  at += sprintf (at, "task_");
  for (size_t i = 0; i < sizeof bytes; i++)
    at += sprintf (at, "%02x", bytes[i]);
}

static struct task *
add (struct mcp_request *r)
{
  struct mcp_tasks *tasks = r->core->tasks;
  struct task *t = xcalloc (1, sizeof *t);

  t->tasks = tasks;
  make_id (t);
  t->principal = xstrdup (r->principal != NULL ? r->principal : "");
  t->created = t->updated = now (tasks);
  HASH_ADD_STR (tasks->by_id, id, t);
  if (tasks->count++ == 0)
    ev_timer_again (tasks->core->env->loop, &tasks->tick);
  return t;
}

static struct task *
find (const struct mcp_tasks *tasks, const char *principal, struct slice id)
{
  struct task *t = NULL; /* NULL: of another principal, too */

  if (id.data != NULL)
    HASH_FIND (hh, tasks->by_id, id.data, id.len, t);
  return t != NULL && strcmp (t->principal, principal != NULL ? principal : "") == 0 ? t : NULL;
}

bool
mcp_tasks_has (const struct mcp_tasks *tasks, const char *principal, struct slice id)
{
  return find (tasks, principal, id) != NULL;
}

/* ---- showing ---- */

static void
put_time (struct json_writer *w, const char *name, double when)
{
  time_t seconds = (time_t) when;
  struct tm tm;
  char text[40];

  (void) gmtime_r (&seconds, &tm);
  (void) strftime (text, sizeof text, "%Y-%m-%dT%H:%M:%S", &tm);
  jsonw_name (w, name);
  jsonw_stringf (w, "%s.%03dZ", text, (int) ((when - (double) (int64_t) when) * 1000));
}

static void
put_task (struct json_writer *w, const struct task *t)
{
  jsonw_name_string (w, "taskId", t->id);
  jsonw_name_string (w, "status", state_names[t->state]);
  if (t->said[0] != '\0')
    jsonw_name_string (w, "statusMessage", t->said);
  put_time (w, "createdAt", t->created);
  put_time (w, "lastUpdatedAt", t->updated);
  jsonw_name_int (w, "ttlMs", (int64_t) (t->tasks->core->env->task_ttl * 1000));
  jsonw_name_int (w, "pollIntervalMs", POLL_MS);
}

/* … with how it has ended, or what it asks. */
static void
put_detail (struct json_writer *w, const struct task *t)
{
  put_task (w, t);
  if (t->state == INPUT_REQUIRED) {
    const struct ask *ask = held_ask (t->held);
    encode_name_raw (w, "inputRequests", ask->open.data, ask->open.len);
  }
  if (t->end.len != 0)
    jsonw_name_raw (w, t->state == FAILED ? "error" : "result", t->end.data, t->end.len);
}

static void
notify (struct task *t)
{
  CLEANUP_BUF struct buf members = { 0 };
  struct json_writer w = { .out = &members };

  jsonw_object (&w);
  put_detail (&w, t);
  jsonw_end (&w);
  mcp_task_changed (t->tasks->core, (struct slice){ t->id, strlen (t->id) },
                    (struct slice){ members.data + 1, members.len - 2 });
}

static void
become (struct task *t, enum state state)
{
  t->state = state;
  t->updated = now (t->tasks);
  notify (t);
}

/* ---- the end of a call ---- */

static void
fail (struct task *t, const char *message, size_t len)
{
  struct json_writer w = { .out = &t->end };

  jsonw_object (&w);
  jsonw_name_int (&w, "code", MCP_INTERNAL_ERROR);
  jsonw_name (&w, "message");
  jsonw_string_len (&w, message, len);
  jsonw_end (&w);
  become (t, FAILED);
}

/* A call that did not come to an end of its own: a protocol error, not a result. */
static bool
has_failed (const struct result *result)
{
  static const enum call_error errors[] = { CALL_tool_crashed,       CALL_worker_lost,
                                            CALL_outcome_unknown,    CALL_tool_unavailable,
                                            CALL_tool_overloaded,    CALL_internal_error,
                                            CALL_capability_required };

  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    if (result->error == errors[i])
      return true;
  /* the tool's own word that it is broken */
  return result->error == CALL_tool_execution_failed
         && strcmp (result->code, "internal_error") == 0;
}

static void
complete (struct task *t, const struct result *result)
{
  static const char too_long[] = "The result is longer than a task may keep";
  CLEANUP_BUF struct buf text = { 0 };
  struct json_writer w = { .out = &text };
  const struct mcp_request as = { .core = t->tasks->core, .era = MCP_MODERN };

  jsonw_object (&w);
  jsonw_name_string (&w, "resultType", "complete");
  mcp_put_result_members (&w, &as, result);
  jsonw_end (&w);
  if (text.len > RESULT_MAX) {
    fail (t, too_long, sizeof too_long - 1);
    return;
  }
  buf_append (&t->end, text.data, text.len);
  become (t, COMPLETED);
}

static void
on_progress (void *ctx, double done, double total, const char *text, size_t len)
{
  struct task *t = ctx;

  (void) done;
  (void) total;
  if (len == 0 || memchr (text, '\0', len) != NULL)
    return;
  if (len > SAID_MAX)
    len = SAID_MAX;
  while (!utf8_valid (text, len)) /* a character was cut */
    len--;
  memcpy (t->said, text, len);
  t->said[len] = '\0';
  t->updated = now (t->tasks);
}

/* It has ended before there was a task: the request is answered as if none had been meant. */
static void
answer_at_once (struct task *t, const struct result *result)
{
  struct mcp_request *r = t->request;
  const struct call_events *events = t->events;

  forget (t);
  events->done (r, result);
}

static void
on_done (void *ctx, const struct result *result)
{
  struct task *t = ctx;

  t->call = NULL;
  if (t->request != NULL)
    answer_at_once (t, result);
  else if (result->error == CALL_input_required) {
    t->held = held_take (result);
    become (t, INPUT_REQUIRED);
  }
  else if (result->error == CALL_tool_cancelled)
    become (t, CANCELLED);
  else if (has_failed (result))
    fail (t, result->message, result->message_len);
  else
    complete (t, result);
}

static const struct call_events task_events = { .progress = on_progress, .done = on_done };

/* ---- tools/call ---- */

enum mcp_as
mcp_tasks_how (const struct mcp_request *r, const struct call_request *request)
{
  const struct tool *tool = request->kind == CALL_TOOL && r->era == MCP_MODERN
                              ? toolset_find (request->toolset, request->name, request->name_len)
                              : NULL;
  bool can = (r->client & MCP_CLIENT_TASKS) != 0;
  bool room = r->core->tasks->count < r->core->env->tasks_max;

  if (tool == NULL || tool->background == BACKGROUND_NO)
    return MCP_AS_RESULT;
  if (tool->background == BACKGROUND_MUST && !can)
    return MCP_AS_NOTHING;
  if (tool->background == BACKGROUND_ANSWERED && request->ask == NULL)
    return MCP_AS_RESULT;
  return can && (room || tool->background == BACKGROUND_MUST) ? MCP_AS_TASK : MCP_AS_RESULT;
}

static void
answer_created (struct mcp_request *r, const struct task *t)
{
  struct json_writer w = { .out = mcp_scratch (r->core) };

  mcp_begin_result_of (&w, r, "task");
  put_task (&w, t);
  mcp_end_result (&w, r);
  mcp_answer (r, 200);
}

void
mcp_tasks_start (struct mcp_request *r, const struct call_request *request,
                 const struct call_events *events)
{
  struct mcp_fault fault;
  struct call_request as_task = *request;
  struct task *t;
  struct call *call;

  if (r->core->tasks->count >= r->core->env->tasks_max) {
    ask_free (request->ask);
    (void) mcp_fault_set (&fault, MCP_INTERNAL_ERROR, 503, "Too many tasks; try again later");
    mcp_refuse (r, &fault);
    return;
  }
  t = add (r);
  t->request = r;
  t->events = events;
  as_task.wants_progress = true;
  call = call_start (r->core->env->calls, &as_task, &task_events, t);
  if (call == NULL)
    return; /* answered, and the task is gone */
  t->call = call;
  t->request = NULL;
  answer_created (r, t);
}

/* ---- the extension's methods ---- */

void
mcp_tasks_fault (struct mcp_fault *fault)
{
  static const char data[] = "{\"requiredCapabilities\":{\"extensions\":{\"" MCP_TASKS "\":{}}}}";

  (void) mcp_fault_set (fault, MCP_MISSING_CAPABILITY, 400, "Missing required client capability");
  fault->data = (struct slice){ data, sizeof data - 1 };
}

/* The task a request names; NULL: refused. */
static struct task *
named (struct mcp_request *r, const struct mcp_message *m)
{
  struct mcp_fault fault;
  struct task *t;

  if ((r->client & MCP_CLIENT_TASKS) == 0) {
    mcp_tasks_fault (&fault);
    mcp_refuse (r, &fault);
    return NULL;
  }
  t = find (r->core->tasks, r->principal, mcp_param_text (m, "taskId"));
  if (t == NULL)
    mcp_refuse_params (r, "taskId: there is no such task of yours; it may have expired");
  return t;
}

static void
acknowledge (struct mcp_request *r)
{
  mcp_put_empty (mcp_scratch (r->core), r);
  mcp_answer (r, 200);
}

void
mcp_tasks_get (struct mcp_request *r, const struct mcp_message *m)
{
  const struct task *t = named (r, m);
  struct json_writer w = { .out = NULL };

  if (t == NULL)
    return;
  w.out = mcp_scratch (r->core);
  mcp_begin_result (&w, r);
  put_detail (&w, t);
  mcp_end_result (&w, r);
  mcp_answer (r, 200);
}

static void
go_on (struct task *t)
{
  const struct front_env *env = t->tasks->core->env;
  struct held *held = t->held;
  struct call *call;

  t->held = NULL;
  become (t, WORKING);
  call = held_start (held, env->calls, front_toolset (env, held_tenant (held)), &task_events, t);
  if (call != NULL)
    t->call = call;
}

void
mcp_tasks_update (struct mcp_request *r, const struct mcp_message *m)
{
  const struct json_node *responses = m->responses;
  struct task *t = named (r, m);
  CLEANUP_BUF struct buf text = { 0 };
  struct error err = { 0 };
  size_t taken = 0;

  if (t == NULL)
    return;
  if (!json_is (responses, JSON_OBJECT))
    return mcp_refuse_params (r, "inputResponses: expected an object");
  if (t->state == INPUT_REQUIRED
      && !ask_answer (held_ask (t->held), calls_ask_rules (r->core->env->calls), &m->tape,
                      responses, &taken, &err)) {
    buf_printf (&text, "inputResponses: %s", err.text);
    return mcp_refuse_params (r, buf_cstr (&text));
  }
  acknowledge (r);
  if (taken != 0 && held_ask (t->held)->open_count == 0)
    go_on (t);
  else if (taken != 0)
    become (t, INPUT_REQUIRED);
}

void
mcp_tasks_cancel (struct mcp_request *r, const struct mcp_message *m)
{
  struct task *t = named (r, m);

  if (t == NULL)
    return;
  acknowledge (r);
  if (t->state == WORKING)
    call_cancel (t->call); /* its end comes at once */
  else if (t->state == INPUT_REQUIRED) {
    held_free (t->held);
    t->held = NULL;
    become (t, CANCELLED);
  }
}
