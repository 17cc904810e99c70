#include "worker/tool_call.h"

#include <string.h>
#include <time.h>

#include "worker/args.h"
#include "worker/host_table.h"

void
tool_call_init (struct tool_call *call)
{
  pthread_condattr_t monotonic;

  memset (call, 0, sizeof *call);
  pthread_mutex_init (&call->lock, NULL);
  pthread_condattr_init (&monotonic);
  pthread_condattr_setclock (&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init (&call->woken, &monotonic);
  pthread_condattr_destroy (&monotonic);
}

void
tool_call_destroy (struct tool_call *call)
{
  service_free (&call->service); /* part of it is in the arena */
  arena_free (&call->arena);
  buf_free (&call->parts.content);
  buf_free (&call->parts.structured);
  buf_free (&call->parts.code);
  buf_free (&call->parts.message);
  buf_free (&call->parts.why);
  buf_free (&call->parts.problems);
  asking_free (&call->asking);
  pthread_cond_destroy (&call->woken);
  pthread_mutex_destroy (&call->lock);
}

static const enum frame_content shapes[] = { [PLUGIN_TOOL] = FRAME_BLOCKS,
                                             [PLUGIN_READABLE] = FRAME_CONTENTS,
                                             [PLUGIN_PROMPT] = FRAME_MESSAGES,
                                             [PLUGIN_GUARD] = FRAME_BLOCKS };

void
tool_call_begin (struct tool_call *call, const struct plugin_host *host,
                 const struct plugin_tool *tool, uint64_t id, int64_t deadline, size_t result_max)
{
  call->pub.host = &host->table;
  call->host = host;
  call->tool = tool;
  call->id = id;
  call->deadline = deadline;
  call->wants_progress = false;
  call->wanted = 0;
  call->progressed = -1;
  call->in_session = false;
  call->emitted = 0;
  call->committed = false;
  call->args = (struct lazy_json){ .text = "{}", .len = 2 };
  call->meta = (struct lazy_json){ 0 };
  parts_begin (&call->parts, result_max, shapes[tool->kind]);
  asking_begin (&call->asking);
  call->service.number = 0;
  atomic_store_explicit (&call->cancelled, false, memory_order_relaxed);
  call->stage = STAGE_BEGUN;
  call->outcome = FRAME_OUTCOME_FAILED;
  call->wall_started = 0;
  call->wall_ns = call->cpu_ns = 0;
  atomic_store_explicit (&call->cpu_began, -1, memory_order_relaxed);
  call->retained = call->returned = call->completed = call->stray = false;
  call->broken = NULL;
}

void
tool_call_wants (struct tool_call *call, unsigned flags)
{
  call->in_session = (flags & FRAME_CALL_SESSION) != 0;
  call->wanted = flags & (FRAME_CALL_COMPLETE | FRAME_CALL_LIST | FRAME_CALL_ON_ERROR);
  if ((call->wanted & (FRAME_CALL_COMPLETE | FRAME_CALL_LIST)) != 0)
    parts_begin (&call->parts, call->parts.limit,
                 call->wanted & FRAME_CALL_COMPLETE ? FRAME_VALUES : FRAME_LISTED);
}

void
tool_call_texts (struct tool_call *call, const char *args, size_t args_len, const char *meta,
                 size_t meta_len)
{
  if (args_len != 0) {
    call->args.text = args;
    call->args.len = args_len;
  }
  call->meta.text = meta;
  call->meta.len = meta_len;
}

void
tool_call_rounds (struct tool_call *call, unsigned kinds, const char *answers, size_t answers_len,
                  const char *kept, size_t kept_len)
{
  call->asking.kinds = kinds;
  call->asking.answers = (struct lazy_json){ .text = answers, .len = answers_len };
  call->asking.kept = kept;
  call->asking.kept_len = kept_len;
}

void
tool_call_end (struct tool_call *call)
{
  service_free (&call->service); /* part of it is in the arena */
  arena_reset (&call->arena);
  asking_end (&call->asking);
  parts_end (&call->parts);
}

static int64_t
now (const struct tool_call *call)
{
  return call->host->port->now (call->host->ctx);
}

static bool
is_over_at (const struct tool_call *call, int64_t when)
{
  return atomic_load_explicit (&call->cancelled, memory_order_relaxed) || when >= call->deadline;
}

bool
tool_call_is_over (const struct tool_call *call)
{
  return is_over_at (call, call->deadline != INT64_MAX ? now (call) : 0);
}

void
tool_call_cancel (struct tool_call *call)
{
  atomic_store (&call->cancelled, true);
  pthread_mutex_lock (&call->lock);
  pthread_cond_broadcast (&call->woken);
  pthread_mutex_unlock (&call->lock);
}

/* ---- clocks ----------------------------------------------------------------------------- */

/* Nanoseconds: what takes less is measured by the wall clock alone; how old the last reading may be
 * that a longer call is measured against. */
enum { NEXT_TO_NOTHING = 20000, READING_LASTS = 1000000 };

static void
meter_read (struct cpu_meter *meter, int64_t wall)
{
  struct timespec t;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  meter->cpu = (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
  meter->wall = wall;
}

static void
start_clocks (struct tool_call *call, struct cpu_meter *meter)
{
  call->meter = meter;
  call->wall_started = now (call);
  if (!meter->quick || call->wall_started - meter->wall > READING_LASTS)
    meter_read (meter, call->wall_started);
  atomic_store_explicit (&call->cpu_began, meter->cpu, memory_order_relaxed);
}

static void
stop_clocks (struct tool_call *call)
{
  struct cpu_meter *meter = call->meter;
  int64_t stopped = now (call), before = meter->cpu;

  call->wall_ns = call->cpu_ns = stopped - call->wall_started;
  meter->quick = call->wall_ns < NEXT_TO_NOTHING;
  if (meter->quick)
    return;
  meter_read (meter, stopped);
  if (meter->cpu - before < call->cpu_ns)
    call->cpu_ns = meter->cpu - before;
}

/* ---- the stages ------------------------------------------------------------------------- */

/* A call that is over before it has begun to work: what the tool is not asked any more. */
static void
end_as_over (struct tool_call *call)
{
  bool cancelled = atomic_load (&call->cancelled);
  static const char caller[] = "the call was cancelled";
  static const char late[] = "the deadline passed before the tool ran";

  call->outcome = FRAME_OUTCOME_FAILED;
  if (cancelled)
    parts_fail (&call->parts, "tool_cancelled", caller, sizeof caller - 1);
  else
    parts_fail (&call->parts, "tool_timeout", late, sizeof late - 1);
}

void
tool_call_refuse (struct tool_call *call)
{
  end_as_over (call);
}

static bool
stage_allowed (struct tool_call *call)
{
  call->stage = STAGE_ALLOWED;
  if (call->tool->vtable.can_execute (call->tool->self, &call->pub))
    return true;
  call->outcome = FRAME_OUTCOME_NOT_ALLOWED;
  return false;
}

static bool
stage_validate (struct tool_call *call)
{
  toolhost_status status;

  call->stage = STAGE_VALIDATE;
  status = call->tool->vtable.validate (call->tool->self, &call->pub);
  if (status == TOOLHOST_OK && call->parts.problems.len == 0)
    return true;
  call->outcome = FRAME_OUTCOME_INVALID;
  return false;
}

/* A resource that is not there is no fault of its plugin. */
static void
end_as_not_found (struct tool_call *call)
{
  static const char text[] = "There is no such resource.";

  call->outcome = FRAME_OUTCOME_FAILED;
  parts_fail (&call->parts, "resource_not_found", text, sizeof text - 1);
}

/* What execute's last word comes to; `broken` is set where it keeps no rule. */
static void
judge (struct tool_call *call, toolhost_status status)
{
  switch (status) {
  case TOOLHOST_OK:
    call->outcome = FRAME_OUTCOME_OK;
    if (call->parts.shape == FRAME_CONTENTS && call->parts.content.len == 0)
      call->broken = "returned TOOLHOST_OK from read without any contents";
    break;
  case TOOLHOST_NOT_FOUND:
    if (call->parts.shape == FRAME_CONTENTS)
      end_as_not_found (call);
    else
      call->broken = "returned TOOLHOST_NOT_FOUND, which is for read alone";
    break;
  case TOOLHOST_FAILED:
    call->outcome = FRAME_OUTCOME_FAILED;
    break;
  case TOOLHOST_ASKED:
    if (asking_has_asked (&call->asking))
      call->outcome = FRAME_OUTCOME_ASKED;
    else
      call->broken = "returned TOOLHOST_ASKED without having asked anybody";
    break;
  case TOOLHOST_CANCELLED: /* what a function of the host answered, handed on */
    if (tool_call_is_over (call))
      end_as_over (call);
    else
      call->broken = "returned TOOLHOST_CANCELLED from a call that is not";
    break;
  case TOOLHOST_LATER:
    call->broken = "returned TOOLHOST_LATER without toolhost_retain";
    break;
  default:
    call->broken = "ended with a status that is none of toolhost_status";
    break;
  }
}

/* execute has returned: has the call ended?  A retained one may have been completed meanwhile. */
static bool
after_execute (struct tool_call *call, toolhost_status status)
{
  bool ended = true;

  pthread_mutex_lock (&call->lock);
  stop_clocks (call);
  call->returned = true;
  if (status == TOOLHOST_LATER && call->retained) {
    ended = call->completed;
    if (ended && call->broken == NULL)
      judge (call, call->final);
  }
  else if (call->retained && !call->completed) {
    call->stray = true;
    call->broken = "kept the call with toolhost_retain, then did not return TOOLHOST_LATER";
  }
  else if (call->broken == NULL)
    judge (call, status);
  if (call->broken != NULL)
    call->outcome = FRAME_OUTCOME_BROKEN;
  pthread_mutex_unlock (&call->lock);
  return ended;
}

/* Does anybody want it at this time?  If not, that is its outcome. */
static bool
is_wanted (struct tool_call *call, int64_t when)
{
  if (!is_over_at (call, when))
    return true;
  end_as_over (call);
  return false;
}

/* The questions before the work; false: the answer is the outcome. */
static bool
may_execute (struct tool_call *call)
{
  const toolhost_tool *tool = &call->tool->vtable;

  if (!is_wanted (call, call->wall_started))
    return false;
  if (tool->can_execute != NULL && !(stage_allowed (call) && is_wanted (call, now (call))))
    return false;
  return tool->validate == NULL || (stage_validate (call) && is_wanted (call, now (call)));
}

static toolhost_status
do_wanted (struct tool_call *call)
{
  const struct plugin_tool *tool = call->tool;

  toolhost_status (*work) (void *self, toolhost_call *call) = tool->vtable.execute;

  if ((call->wanted & FRAME_CALL_ON_ERROR) != 0)
    work = tool->on_error;
  else if (call->wanted != 0)
    work = call->wanted & FRAME_CALL_COMPLETE ? tool->complete : tool->list;
  return work != NULL ? work (tool->self, &call->pub) : TOOLHOST_OK;
}

bool
tool_call_run (struct tool_call *call, struct cpu_meter *meter)
{
  if (call->parts.shape == FRAME_CONTENTS)
    call->parts.uri = args_info (call, TOOLHOST_URI, NULL);
  start_clocks (call, meter);
  if (!may_execute (call)) {
    stop_clocks (call);
    return true;
  }
  call->stage = STAGE_EXECUTE;
  return after_execute (call, do_wanted (call));
}

/* ---- retained calls --------------------------------------------------------------------- */

toolhost_status
tool_call_retain (struct tool_call *call)
{
  toolhost_status status = TOOLHOST_BAD_VALUE;

  pthread_mutex_lock (&call->lock);
  if (call->stage == STAGE_EXECUTE && !call->returned) {
    call->retained = true;
    status = TOOLHOST_OK;
  }
  pthread_mutex_unlock (&call->lock);
  return status;
}

/* Under the lock.  Takes note of the first completion only. */
static toolhost_status
take_completion (struct tool_call *call, toolhost_status status)
{
  if (!call->retained) {
    call->broken = "called toolhost_complete without toolhost_retain";
    return TOOLHOST_BAD_VALUE;
  }
  if (call->completed) {
    call->broken = "called toolhost_complete twice for one call";
    return TOOLHOST_BAD_VALUE;
  }
  call->completed = true;
  call->final = status;
  return TOOLHOST_OK;
}

toolhost_status
tool_call_complete (struct tool_call *call, toolhost_status status)
{
  toolhost_status taken;
  bool last;

  pthread_mutex_lock (&call->lock);
  taken = take_completion (call, status);
  last = taken == TOOLHOST_OK && call->returned && !call->stray;
  if (last) {
    call->wall_ns = now (call) - call->wall_started;
    if (call->broken == NULL)
      judge (call, status == TOOLHOST_LATER ? INT32_MAX : status);
    if (call->broken != NULL)
      call->outcome = FRAME_OUTCOME_BROKEN;
  }
  pthread_mutex_unlock (&call->lock);
  if (last)
    call->host->port->ended (call->host->ctx, call);
  return taken;
}

/* ---- the answer ------------------------------------------------------------------------- */

static struct span
span_of (const struct buf *b)
{
  return (struct span){ b->len != 0 ? b->data : "", b->len };
}

static struct span
span_text (const char *text)
{
  return (struct span){ text, strlen (text) };
}

void
tool_call_answer (struct tool_call *call, struct call_answer *answer)
{
  struct parts *parts = &call->parts;

  parts_finish (parts);
  memset (answer, 0, sizeof *answer);
  answer->outcome = call->outcome;
  answer->code = answer->message = answer->structured = answer->content = answer->kept =
    span_text ("");
  switch (call->outcome) {
  case FRAME_OUTCOME_NOT_ALLOWED:
    answer->message = span_of (&parts->why);
    return;
  case FRAME_OUTCOME_INVALID:
    answer->message = span_of (&parts->message);
    answer->structured = parts->problems.len != 0 ? span_of (&parts->problems) : span_text ("[]");
    return;
  case FRAME_OUTCOME_BROKEN:
    answer->message = span_text (call->broken);
    return;
  case FRAME_OUTCOME_ASKED:
    asking_finish (&call->asking);
    answer->structured = span_of (&call->asking.open);
    answer->kept = (struct span){ call->asking.kept, call->asking.kept_len };
    return;
  case FRAME_OUTCOME_FAILED:
    answer->code = span_of (&parts->code);
    answer->message = span_of (&parts->message);
    break;
  case FRAME_OUTCOME_OK:
    break;
  }
  answer->structured = span_of (&parts->structured);
  answer->content = span_of (&parts->content);
}
