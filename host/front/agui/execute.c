#include <stdlib.h>

#include "front/agui/parts.h"

static const struct call_events events;

static struct agui_execution *
new_execution (struct agui_run *run, const char *id, const char *name)
{
  size_t size = strlen (id) + 1;
  struct agui_execution *x = xcalloc (1, sizeof *x + size);

  x->run = run;
  x->name = xstrdup (name);
  memcpy (x->id, id, size);
  return x;
}

static void
free_execution (struct agui_execution *x)
{
  buf_free (&x->args);
  free (x->name);
  free (x);
}

static void
link_execution (struct agui_execution *x)
{
  struct agui_run *run = x->run;

  x->next = run->running;
  x->prev = &run->running;
  if (x->next != NULL)
    x->next->prev = &x->next;
  run->running = x;
}

static void
unlink_execution (struct agui_execution *x)
{
  *x->prev = x->next;
  if (x->next != NULL)
    x->next->prev = x->prev;
}

static struct agui_execution *
find_open (const struct agui_run *run, const char *id)
{
  struct agui_execution *x;

  HASH_FIND_STR (run->open, id, x);
  return x;
}

/* ---- while its arguments are written ---- */

void
agui_open (struct agui_run *run, const struct agui_event *start)
{
  const char *id = agui_text (start, "toolCallId");
  struct agui_execution *x = find_open (run, id);

  if (x != NULL) { /* begun anew, where nobody looks at the rules */
    HASH_DEL (run->open, x);
    free_execution (x);
  }
  x = new_execution (run, id, agui_text (start, "toolCallName"));
  HASH_ADD_STR (run->open, id, x);
  agui_say_status (run, "started", x->id, x->name);
}

void
agui_append (struct agui_run *run, const struct agui_event *args)
{
  struct agui_execution *x = find_open (run, agui_text (args, "toolCallId"));
  size_t len;
  const char *delta = json_string (args->tape, agui_member (args, "delta"), args->arena, &len);

  if (x != NULL)
    buf_append (&x->args, delta, len);
}

/* ---- while it runs ---- */

static void
on_progress (void *ctx, double done, double total, const char *text, size_t len)
{
  const struct agui_execution *x = ctx;
  struct agui_run *run = x->run;

  agui_enter (run);
  agui_say_progress (run, x, done, total, text, len);
  agui_leave (run);
}

static void
tell_result (const struct agui_execution *x, const struct result *result)
{
  agui_say_result (x->run, x->id, result);
  if (result->error == CALL_OK)
    agui_say_succeeded (x->run, x->id, x->name, result);
  else
    agui_say_failed (x->run, x->id, x->name, NULL, result);
}

static void
tell_asks (const struct agui_execution *x, const struct result *result)
{
  static const char none[] = "Too many calls wait for answers; try again later.";
  const struct result full = { .error = CALL_tool_overloaded,
                               .code = call_error_info (CALL_tool_overloaded)->code,
                               .message = none,
                               .message_len = sizeof none - 1,
                               .content = "[]",
                               .content_len = 2 };

  if (agui_interrupt (x->run, x->id, result))
    agui_say_status (x->run, "interrupted", x->id, x->name);
  else
    tell_result (x, &full);
}

static void
on_done (void *ctx, const struct result *result)
{
  struct agui_execution *x = ctx;
  struct agui_run *run = x->run;

  agui_enter (run);
  unlink_execution (x);
  if (result->error == CALL_input_required)
    tell_asks (x, result);
  else
    tell_result (x, result);
  free_execution (x);
  agui_leave (run);
}

static const struct call_events events = { .progress = on_progress, .done = on_done };

static void
put_metadata (const struct agui_execution *x, struct buf *out)
{
  const struct agui_settings *s = &x->run->settings;
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  jsonw_name_int (&w, "startTime", s->now_ms (s->ctx));
  jsonw_name_string (&w, "toolCallId", x->id);
  if (x->run->traceparent != NULL)
    jsonw_name_string (&w, "traceparent", x->run->traceparent);
  if (x->run->tracestate != NULL)
    jsonw_name_string (&w, "tracestate", x->run->tracestate);
  jsonw_end (&w);
}

/* Calls that come together belong together: where one needs approval none begins before that, and
 * whoever decides about it here does so about all. */
static struct call_batch *
batch_of (struct agui_run *run)
{
  const struct agui_settings *s = &run->settings;

  if (run->batch == NULL)
    run->batch = call_batch_new (s->env->calls, s->asks != NULL ? BATCH_SURFACES : BATCH_HOLDS);
  return run->batch;
}

bool
agui_end_batch (struct agui_run *run)
{
  struct call_batch *batch = run->batch;

  run->batch = NULL;
  call_batch_end (batch);
  return batch != NULL;
}

/* The execution is the run's, or gone when this returns. */
static void
start (struct agui_execution *x)
{
  struct agui_run *run = x->run;
  const struct agui_settings *s = &run->settings;
  struct toolset *tools = run->dead ? NULL : s->toolset (s->ctx);
  CLEANUP_BUF struct buf metadata = { 0 };
  struct call *call;

  if (tools == NULL || toolset_find (tools, x->name, strlen (x->name)) == NULL) {
    agui_say_failed (run, x->id, x->name, "Tool not found (server-handled)", NULL);
    free_execution (x);
    return;
  }
  agui_say_status (run, "executing", x->id, x->name);
  if (run->dead) { /* nobody listens any more */
    free_execution (x);
    return;
  }
  put_metadata (x, &metadata);
  link_execution (x);
  call = call_start (s->env->calls,
                     &(struct call_request){ .kind = CALL_TOOL,
                                             .toolset = tools,
                                             .name = x->name,
                                             .name_len = strlen (x->name),
                                             .args = x->args.len != 0 ? x->args.data : NULL,
                                             .args_len = x->args.len,
                                             .front = "agui",
                                             .principal = run->principal,
                                             .tenant = run->tenant,
                                             .asks_approval = true,
                                             .may_approve = s->may_approve,
                                             .call_id = x->id,
                                             .session_id = run->thread,
                                             .thread_id = run->thread,
                                             .run_id = run->id,
                                             .metadata = metadata.data,
                                             .metadata_len = metadata.len,
                                             .traced = s->traced,
                                             .span = s->span,
                                             .wants_progress = true,
                                             .batch = batch_of (run),
                                             .askable = s->asks != NULL ? FRAME_ASK_ALL : 0 },
                     &events, x);
  if (call != NULL) /* else it has ended, and is gone */
    x->call = call;
}

void
agui_launch (struct agui_run *run, const struct agui_event *end)
{
  struct agui_execution *x = find_open (run, agui_text (end, "toolCallId"));

  if (x == NULL)
    return;
  HASH_DEL (run->open, x);
  start (x);
}

void
agui_execute (struct agui_run *run, const char *id, const char *name, const char *args, size_t len)
{
  struct agui_execution *x = new_execution (run, id, name);

  buf_append (&x->args, args, len);
  start (x);
}

void
agui_go_on (struct agui_run *run, const char *id, struct held *held)
{
  struct agui_execution *x = new_execution (run, id, held_name (held));
  const struct agui_settings *s = &run->settings;
  struct call *call;

  agui_say_status (run, "executing", x->id, x->name);
  if (run->dead) {
    held_free (held);
    free_execution (x);
    return;
  }
  link_execution (x);
  held_join (held, batch_of (run));
  call = held_start (held, s->env->calls, s->toolset (s->ctx), &events, x);
  if (call != NULL)
    x->call = call;
}

void
agui_give_up (struct agui_run *run)
{
  for (struct agui_execution *x; (x = run->running) != NULL;) {
    unlink_execution (x);
    if (x->call != NULL)
      call_abandon (x->call);
    free_execution (x);
  }
  (void) agui_end_batch (run);
  for (struct agui_execution *x; (x = run->open) != NULL;) {
    HASH_DEL (run->open, x);
    free_execution (x);
  }
}
