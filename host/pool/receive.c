#include "pool/receive.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_tape.h"
#include "base/json_write.h"
#include "pool/answer.h"
#include "pool/building.h"
#include "pool/checking.h"
#include "pool/fleet.h"
#include "pool/program.h"
#include "pool/said.h"
#include "pool/serving.h"

enum { DESCRIPTION_MAX = 32 << 20, MESSAGE_MAX = 64 * 1024 };

static const struct job_end no_memory = { .fate = JOB_NO_MEMORY,
                                          .text = "no memory for its result" };

static void
broken (struct worker *worker, const char *what)
{
  worker_kill (worker, REASON_PROTOCOL, what);
}

/* ---- the worker's own frames ---- */

static char *
copy_string (const struct json_tape *tape, const struct json_node *node, struct arena *arena)
{
  const char *text = json_cstring (tape, node, arena);
  return text != NULL ? xstrndup (text, strnlen (text, 1024)) : NULL;
}

/* The guarantees as the worker tells them, with what the daemon does for them. */
static char *
with_ours (const struct json_tape *tape, const struct json_node *object, bool watched)
{
  struct buf text = { 0 };
  struct json_writer w = { .out = &text };

  jsonw_object (&w);
  for (const struct json_node *n = json_first (object); n != json_end (object);
       n = json_next (json_next (n))) {
    const struct json_node *value = json_next (n);
    size_t name_len, len;
    const char *name = json_raw (tape, n, &name_len), *by = json_raw (tape, value, &len);
    jsonw_name_len (&w, name + 1, name_len - 2);
    if (watched && json_equals (tape, n, "memory-cap") && value->type == JSON_STRING)
      jsonw_stringf (&w, "%.*s%sRSS watchdog", (int) len - 2, by + 1, len > 2 ? ", " : "");
    else
      jsonw_raw (&w, by, len);
  }
  jsonw_end (&w);
  (void) buf_cstr (&text);
  return text.data;
}

static void
take_hello (struct worker *worker, const struct frame *frame)
{
  struct json_tape tape;
  const struct json_node *guarantees;

  arena_reset (&worker->pool->arena);
  if (worker->greeted
      || !json_read (&tape, frame->payload, frame->len, &json_default_limits,
                     &worker->pool->arena)) {
    broken (worker, "sent a HELLO that can't be read");
    return;
  }
  if (!json_equals (&tape, json_member (&tape, json_root (&tape), "build"),
                    worker->pool->settings.build)) {
    broken (worker, "is of another build than the daemon: install both together");
    return;
  }
  worker_is_greeted (worker);
  guarantees = json_member (&tape, json_root (&tape), "guarantees");
  if (json_is (guarantees, JSON_OBJECT))
    worker->guarantees = with_ours (&tape, guarantees, worker->watched.dog != NULL);
}

static void
take_describe (struct worker *worker, const struct frame *frame)
{
  if (!worker->greeted || worker->state != WORKER_STARTING
      || worker->description.len + frame->len > DESCRIPTION_MAX) {
    broken (worker, "sent a description that was not due, or is too long");
    return;
  }
  buf_append (&worker->description, frame->payload, frame->len);
  if (!(frame->head.flags & FRAME_MORE))
    worker_is_described (worker);
}

/* The lines of "backtrace", one under the other. */
static char *
join_lines (const struct json_tape *tape, const struct json_node *list, struct arena *arena)
{
  struct buf lines = { 0 };

  if (!json_is (list, JSON_ARRAY))
    return NULL;
  for (const struct json_node *n = json_first (list); n != json_end (list); n = json_next (n)) {
    const char *line = json_cstring (tape, n, arena);
    if (line != NULL)
      buf_printf (&lines, "%s%s", lines.len != 0 ? "\n" : "", line);
  }
  (void) buf_cstr (&lines);
  return lines.data;
}

/* A plugin that has been described is loaded, whatever its process says. */
static enum reason
claimed_reason (const struct worker *worker, const struct json_tape *tape,
                const struct json_node *reason)
{
  if (worker->state == WORKER_STARTING && json_equals (tape, reason, "load"))
    return REASON_LOAD_FAILED;
  if (worker->state == WORKER_STARTING && json_equals (tape, reason, "sandbox"))
    return REASON_SANDBOX_REFUSED;
  return json_equals (tape, reason, "signal") ? REASON_SIGNAL : REASON_EXIT;
}

static void
take_bye (struct worker *worker, const struct frame *frame)
{
  struct arena *arena = &worker->pool->arena;
  const struct json_node *root;
  struct json_tape tape;

  arena_reset (arena);
  if (worker->claimed != REASON_NONE
      || !json_read (&tape, frame->payload, frame->len, &json_default_limits, arena))
    return;
  root = json_root (&tape);
  worker->claimed = claimed_reason (worker, &tape, json_member (&tape, root, "reason"));
  worker->claim = copy_string (&tape, json_member (&tape, root, "message"), arena);
  worker->signal = copy_string (&tape, json_member (&tape, root, "signal"), arena);
  worker->backtrace = join_lines (&tape, json_member (&tape, root, "backtrace"), arena);
}

/* ---- the frames of calls ---- */

static void
take_progress (struct worker *worker, const struct frame *frame, struct job *job)
{
  struct frame_progress progress;

  if (frame->len < sizeof progress
      || !utf8_valid (frame->payload + sizeof progress, frame->len - sizeof progress)) {
    broken (worker, "sent a progress that can't be read");
    return;
  }
  memcpy (&progress, frame->payload, sizeof progress);
  if (job != NULL)
    job->events->progress (job, progress.done, progress.total, frame->payload + sizeof progress,
                           frame->len - sizeof progress);
}

/* One that belongs to no call: of which plugin, and whose tools it makes. */
static void
take_event (struct worker *worker, const struct frame_log *line, const char *text, size_t len,
            struct job *job)
{
  const char *tenant = worker->fleet->order.tenant;
  CLEANUP_BUF struct buf known = { 0 };
  struct json_writer w = { .out = &known };

  if (job != NULL) {
    if (!job->events->event (job, line->level, text, len, line->event_len))
      broken (worker, "sent an event that can't be read");
    return;
  }
  jsonw_object (&w);
  jsonw_name_string (&w, "plugin", worker->name);
  if (tenant != NULL)
    jsonw_name_string (&w, "tenant_id", tenant);
  jsonw_end (&w);
  if (!said_event (worker->repeats ? NULL : worker->pool->log, line->level, text, len,
                   line->event_len, &known))
    broken (worker, "sent an event that can't be read");
}

static void
take_log (struct worker *worker, const struct frame *frame, struct job *job)
{
  struct frame_log line;
  const char *text = frame->payload + sizeof line;
  size_t len = frame->len - sizeof line;

  if (frame->len < sizeof line || !utf8_valid (text, len)) {
    broken (worker, "sent a log line that can't be read");
    return;
  }
  memcpy (&line, frame->payload, sizeof line);
  if (!output_may_log (&worker->printed, ev_now (worker->pool->loop), len))
    return;
  if (line.event_len != 0)
    take_event (worker, &line, text, len, job);
  else if (job != NULL)
    job->events->log (job, line.level, text, len);
  else if (frame->head.call == 0) {
    CLEANUP_FREE char *copy = xstrndup (text, len);
    log_event (worker->pool->log, LOG_INFO, "plugin_log", "plugin", worker->name, "text", copy,
               NULL);
  }
}

/* An object that says what it is. */
static bool
is_event (const char *json, size_t len, struct arena *arena)
{
  struct json_tape tape;
  const struct json_node *type;

  if (!json_read (&tape, json, len, &json_default_limits, arena))
    return false;
  type = json_member (&tape, json_root (&tape), "type");
  return json_is (json_root (&tape), JSON_OBJECT) && json_is (type, JSON_STRING) && type->len != 0;
}

/* Of a call that was cancelled nobody wants to hear, but what it says keeps the rules. */
static void
take_emitted (struct worker *worker, const struct frame *frame, struct slot *slot)
{
  struct job *job = slot->job;

  arena_reset (&worker->pool->arena);
  slot->emitted += frame->len;
  if ((job != NULL && !job->in_session) || frame->len > FRAME_EMIT_MAX
      || slot->emitted > FRAME_EMITS_MAX
      || !is_event (frame->payload, frame->len, &worker->pool->arena)) {
    broken (worker, "sent an event for a user that it may not send");
    return;
  }
  if (job != NULL)
    job->events->emitted (job, frame->payload, frame->len);
}

static bool
names_something (enum frame_change what)
{
  return what == FRAME_CHANGED_RESOURCE || what == FRAME_CHANGED_FEATURE;
}

static void
ask_for_build (const struct worker *worker, const char *feature, size_t len)
{
  const struct pool_rebuilder *rebuilder = &worker->pool->rebuilder;

  if (rebuilder->rebuild != NULL)
    rebuilder->rebuild (rebuilder->ctx, worker->name, worker->fleet->order.tenant, feature, len);
}

/* Who hears of it bounds how often it is passed on. */
static void
take_changed (struct worker *worker, const struct frame *frame)
{
  const struct pool_listener *listener = &worker->pool->listener;
  struct frame_changed changed;
  const char *uri = frame->payload + sizeof changed;
  size_t len = frame->len - sizeof changed;

  if (frame->len >= sizeof changed)
    memcpy (&changed, frame->payload, sizeof changed);
  if (frame->len < sizeof changed || frame->head.call != 0 || changed.what < FRAME_CHANGED_TOOLS
      || changed.what > FRAME_CHANGED_FEATURE
      || (len != 0) != names_something ((enum frame_change) changed.what)
      || len > (changed.what == FRAME_CHANGED_FEATURE ? FRAME_FEATURE_MAX : FRAME_URI_MAX)
      || !utf8_valid (uri, len)) {
    broken (worker, "sent a change that can't be read");
    return;
  }
  if (changed.what == FRAME_CHANGED_FEATURE) {
    ask_for_build (worker, uri, len);
    return;
  }
  if (listener->changed != NULL)
    listener->changed (listener->ctx, worker->name, (enum frame_change) changed.what, uri, len);
}

/* There is no room for the result of a call: it is given up, whatever else comes of it. */
static void
drop_result (struct slot *slot)
{
  struct job *job = slot->job;

  job_cancel (job, FRAME_CANCEL_CALLER);
  buf_reset (&slot->body, 0);
  job->events->ended (job, &no_memory);
}

static void
take_overrun (struct worker *worker, const struct frame *frame, struct job *job)
{
  struct frame_overrun overrun;

  if (frame->len != sizeof overrun) {
    broken (worker, "sent an overrun that can't be read");
    return;
  }
  memcpy (&overrun, frame->payload, sizeof overrun);
  if (job != NULL && job->cpu_ms != 0)
    job->events->overran (job, overrun.cpu_ns);
}

static void
take_part (struct worker *worker, const struct frame *frame, struct slot *slot)
{
  if (slot->body.len + frame->len > slot->result_max + MESSAGE_MAX) {
    broken (worker, "sent a result over its limit");
    return;
  }
  if (slot->job == NULL)
    return;
  if (pressure_take (worker->pool->pressure, frame->len))
    buf_append (&slot->body, frame->payload, frame->len);
  else
    drop_result (slot);
}

/* What a worker counts as the result, with what it may add at its end: brackets, or of problems of
 * the arguments the last one.  Questions are no part of the result, and have bounds of their own.
 */
static bool
size_ok (const struct frame_result *head, size_t result_max)
{
  size_t more = head->outcome == FRAME_OUTCOME_INVALID ? MESSAGE_MAX : 16;

  if (head->outcome == FRAME_OUTCOME_ASKED)
    return head->structured_len <= FRAME_ASK_BYTES_MAX + 64 && head->content_len == 0
           && head->kept_len <= FRAME_KEPT_MAX;
  if (head->kept_len != 0)
    return false;
  return (uint64_t) head->structured_len + head->content_len <= result_max + more;
}

/* To check and to pass on a large result takes its size several times more: nodes, the answer, what
 * the caller has not taken of it. */
static bool
has_room_for (const struct worker *worker, size_t len, size_t *held)
{
  struct pool *pool = worker->pool;

  *held = len > pool->large_result && pool->offload != NULL ? 3 * len : 0;
  if (*held != 0)
    return pressure_hold (pool->pressure, *held);
  return len <= pool->large_result || pressure_take (pool->pressure, 3 * len);
}

static void
take_result (struct worker *worker, const struct frame *frame, struct slot *slot)
{
  struct frame_result head;
  struct job_end end = { .fate = JOB_RESULT,
                         .result = &head,
                         .rss_peak = worker->watched.rss_peak };
  bool has_room;
  CLEANUP_BUF struct buf whole = slot->body;
  struct json_tape tape;
  const char *body = frame->payload + sizeof head;
  size_t len = frame->len - sizeof head, held = 0;
  struct job *job;

  serving_end (slot);
  memset (&slot->body, 0, sizeof slot->body);
  if (frame->len < sizeof head) {
    broken (worker, "sent a result that can't be read");
    return;
  }
  memcpy (&head, frame->payload, sizeof head);
  if (!size_ok (&head, slot->result_max)) {
    broken (worker, "sent a result over its limit");
    return;
  }
  if (whole.len != 0) {
    buf_append (&whole, body, len);
    body = whole.data;
    len = whole.len;
  }
  arena_reset (&worker->pool->arena);
  has_room = slot->job == NULL || has_room_for (worker, len, &held);
  if (has_room && held != 0) {
    checking_begin (slot, &head, &whole, held);
    return;
  }
  if (slot->job != NULL && has_room
      && !answer_read (slot->job->content, body, len, &worker->pool->arena, &tape, &end)) {
    broken (worker, "sent a result that is not what it must be");
    return;
  }
  job = worker_free_slot (worker, slot);
  if (job != NULL) {
    job->unit = NULL;
    job->events->ended (job, has_room ? &end : &no_memory);
  }
  if (len > worker->pool->large_result)
    arena_reset (&worker->pool->arena);
  worker_slot_was_freed (worker);
}

/* ---- decoding ---- */

static void
take_call_frame (struct worker *worker, const struct frame *frame)
{
  struct slot *slot = worker_slot (worker, frame->head.call);

  if (frame->head.kind == FRAME_LOG && frame->head.call == 0) {
    take_log (worker, frame, NULL);
    return;
  }
  if (frame->head.kind == FRAME_CHANGED) {
    take_changed (worker, frame);
    return;
  }
  if (frame->head.kind == FRAME_PROGRAM) {
    if (!program_take (worker, frame->payload, frame->len))
      broken (worker, "asked for a program in a way that can't be read");
    return;
  }
  if (frame->head.call == FRAME_BUILD_CALL && frame->head.kind == FRAME_SERVICE) {
    if (!building_take (worker, frame->payload, frame->len))
      broken (worker, "asked for a service of a build in a way that can't be read");
    return;
  }
  if (slot == NULL) {
    broken (worker, "spoke of a call it does not run");
    return;
  }
  switch (frame->head.kind) {
  case FRAME_PROGRESS:
    take_progress (worker, frame, slot->job);
    break;
  case FRAME_LOG:
    take_log (worker, frame, slot->job);
    break;
  case FRAME_EVENT:
    take_emitted (worker, frame, slot);
    break;
  case FRAME_OVERRUN:
    take_overrun (worker, frame, slot->job);
    break;
  case FRAME_RESULT_PART:
    take_part (worker, frame, slot);
    break;
  case FRAME_SERVICE:
    if (!serving_take (slot, frame->payload, frame->len))
      broken (worker, "asked for a service in a way that can't be read");
    break;
  default:
    take_result (worker, frame, slot);
    break;
  }
}

static void
take_own_frame (struct worker *worker, const struct frame *frame)
{
  switch (frame->head.kind) {
  case FRAME_HELLO:
    take_hello (worker, frame);
    break;
  case FRAME_DESCRIBE:
    take_describe (worker, frame);
    break;
  case FRAME_BYE:
    take_bye (worker, frame);
    break;
  default:
    broken (worker, "sent a frame that is not a worker's to send");
    break;
  }
}

static unsigned
cost_of (const struct frame *frame)
{
  switch (frame->head.kind) {
  case FRAME_RESULT:
    return 0;
  case FRAME_RESULT_PART:
  case FRAME_LOG:
    return CHATTER_LOG;
  default:
    return CHATTER_PROGRESS;
  }
}

/* False: it says so much that the others come first. */
static bool
may_go_on (struct worker *worker, const struct frame *frame)
{
  double rest;

  if (worker->dead || !frame->by_ring)
    return true;
  rest = chatter_spend (&worker->chatter, ev_now (worker->pool->loop), cost_of (frame));
  if (rest > 0) {
    channel_rest (&worker->channel, rest);
    worker->pool->rests++;
  }
  return rest <= 0;
}

/* False: no more for now, or the worker was killed, and what else it says does not matter. */
static bool
take_frame (void *owner, const struct frame *frame)
{
  struct worker *worker = owner;

  if (worker->state == WORKER_KILLED)
    return false;
  if (frame->by_ring != frame_by_ring ((enum frame_kind) frame->head.kind, 0))
    broken (worker, "sent a frame by the wrong way");
  else if (frame->head.kind == FRAME_CALL || !frame->by_ring)
    take_own_frame (worker, frame);
  else
    take_call_frame (worker, frame);
  return worker->state != WORKER_KILLED && may_go_on (worker, frame);
}

bool
worker_receive (struct worker *worker)
{
  enum channel_news news = channel_receive (&worker->channel, worker->pool->datagram, take_frame);

  if (news == CHANNEL_BROKEN)
    broken (worker, worker->channel.problem);
  /* what it said before its description stands in the ring, which is read after that */
  if (worker->described && news == CHANNEL_OPEN)
    worker->repeats = false;
  return news != CHANNEL_CLOSED;
}
