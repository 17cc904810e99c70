#include "front/agui/run.h"

#include <stdlib.h>

#include "base/json_write.h"
#include "front/agui/parts.h"
#include "watch/trace.h"

struct agui_run *
agui_run_new (const struct agui_settings *settings)
{
  struct agui_run *run = xcalloc (1, sizeof *run);

  run->settings = *settings;
  run->principal = settings->principal != NULL ? xstrdup (settings->principal) : NULL;
  run->tenant = settings->tenant != NULL ? xstrdup (settings->tenant) : NULL;
  run->traceparent = settings->traceparent != NULL ? xstrdup (settings->traceparent) : NULL;
  run->tracestate = settings->tracestate != NULL ? xstrdup (settings->tracestate) : NULL;
  (void) span_ref (settings->span);
  return run;
}

static void
destroy (struct agui_run *run)
{
  agui_give_up (run);
  agui_chunks_free (&run->chunks);
  agui_verifier_free (&run->verifier);
  buf_free (&run->lines.data);
  buf_free (&run->in);
  buf_free (&run->last);
  buf_free (&run->interrupts);
  buf_free (&run->fault);
  free (run->principal);
  free (run->tenant);
  free (run->traceparent);
  free (run->tracestate);
  span_unref (run->settings.span);
  free (run->thread);
  free (run->id);
  free (run);
}

void
agui_run_free (struct agui_run *run)
{
  if (run == NULL)
    return;
  run->dead = true;
  if (run->busy == 0)
    destroy (run);
}

void
agui_stop (struct agui_run *run, const char *why, size_t len)
{
  if (run->stopped)
    return;
  run->stopped = true;
  span_fail (run->settings.span, "agui_protocol_error", NULL);
  run->last.len = 0;
  buf_append (&run->fault, why, len);
}

/* ---- one event ---- */

static void
take_ids (struct agui_run *run, const struct agui_event *e)
{
  if (run->thread == NULL) { /* a stream may have several, its span is one */
    span_text (run->settings.span, "gen_ai.conversation.id", agui_text (e, "threadId"));
    span_text (run->settings.span, "toolhost.agui.run", agui_text (e, "runId"));
  }
  free (run->thread);
  free (run->id);
  run->thread = xstrdup (agui_text (e, "threadId"));
  run->id = xstrdup (agui_text (e, "runId"));
}

static void
start (struct agui_run *run, const struct agui_event *e)
{
  const struct json_node *input = agui_member (e, "input");

  take_ids (run, e);
  agui_say_event (run, e);
  agui_resume (run, e->tape, json_member (e->tape, input, "resume"));
}

static void
say_last (struct agui_run *run, const struct agui_event *e)
{
  if (e->type == AGUI_RUN_FINISHED)
    agui_say_finished (run, e);
  else
    agui_say_event (run, e);
}

/* It waits for what runs. */
static void
finish (struct agui_run *run, const struct agui_event *e)
{
  size_t len;
  const char *raw = json_raw (e->tape, e->event, &len);

  if (run->running == NULL)
    return say_last (run, e);
  run->last.len = 0;
  buf_append (&run->last, raw, len);
}

static bool
on_event (void *ctx, const struct agui_event *e)
{
  struct agui_run *run = ctx;
  CLEANUP_BUF struct buf why = { 0 };

  if (run->settings.verify && !agui_verify (&run->verifier, e, &why)) {
    agui_stop (run, why.data, why.len);
    return false;
  }
  if (e->type == AGUI_RUN_STARTED)
    start (run, e);
  else if (e->type == AGUI_RUN_FINISHED || e->type == AGUI_RUN_ERROR)
    finish (run, e);
  else
    agui_say_event (run, e);
  if (e->type == AGUI_TOOL_CALL_START)
    agui_open (run, e);
  else if (e->type == AGUI_TOOL_CALL_ARGS)
    agui_append (run, e);
  else if (e->type == AGUI_TOOL_CALL_END)
    agui_launch (run, e);
  return !run->dead && !run->stopped;
}

/* What is no event is passed over, and logged. */
static void
take (struct agui_run *run, const char *text, size_t len)
{
  const struct agui_sink sink = { on_event, run };
  CLEANUP_ARENA struct arena arena = { 0 };
  CLEANUP_BUF struct buf why = { 0 };
  struct json_tape tape;
  struct agui_event e;

  if (!agui_event_read (&e, &tape, text, len, run->settings.limits, &arena, &why)) {
    log_event (run->settings.env->log, LOG_WARNING, "agui_event_malformed", "thread", run->thread,
               "run", run->id, "why", buf_cstr (&why), NULL);
    return;
  }
  if (!agui_expand (&run->chunks, &e, &sink, &why) && why.len != 0)
    agui_stop (run, why.data, why.len);
}

/* ---- the stream ---- */

static bool
is_held_up (const struct agui_run *run)
{
  return run->dead || run->stopped || run->told || run->last.len != 0;
}

static void
read_on (struct agui_run *run)
{
  CLEANUP_BUF struct buf text = { 0 };

  while (!is_held_up (run)
         && agui_lines_next (&run->lines, run->in.data, run->in.len, run->ended, &run->at, &text))
    take (run, text.data, text.len);
  if (run->at == run->in.len && run->busy == 1)
    run->in.len = run->at = 0;
}

/* What waited for the last of the calls. */
static void
let_go (struct agui_run *run)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  CLEANUP_BUF struct buf why = { 0 };
  CLEANUP_BUF struct buf text = { 0 };
  struct json_tape tape;
  struct agui_event e;

  buf_swap (&text, &run->last);
  if (agui_event_read (&e, &tape, text.data, text.len, run->settings.limits, &arena, &why))
    say_last (run, &e);
}

/* The stream is at its end: so are sequences of chunks, and the run had better be. */
static void
close_stream (struct agui_run *run)
{
  const struct agui_sink sink = { on_event, run };
  CLEANUP_BUF struct buf why = { 0 };

  (void) agui_expand_end (&run->chunks, &sink);
  if (run->settings.verify && !run->stopped && !agui_verify_end (&run->verifier, &why))
    agui_stop (run, why.data, why.len);
}

static void
conclude (struct agui_run *run)
{
  run->told = true;
  if (run->fault.len != 0) {
    log_event (run->settings.env->log, LOG_NOTICE, "agui_protocol_error", "thread", run->thread,
               "run", run->id, "why", buf_cstr (&run->fault), NULL);
    if (!run->verifier.failed)
      agui_say_error (run, run->fault.data, run->fault.len);
  }
  if (!run->dead)
    run->settings.over (run->settings.ctx);
}

void
agui_enter (struct agui_run *run)
{
  run->busy++;
}

void
agui_leave (struct agui_run *run)
{
  if (run->busy == 1) { /* outermost: nobody else is at it */
    do {
      if (run->last.len != 0 && run->running == NULL && !run->dead)
        let_go (run);
      read_on (run);
    } while (agui_end_batch (run));
    if (run->ended && !is_held_up (run))
      close_stream (run);
    if ((run->ended || run->stopped) && run->last.len == 0 && run->running == NULL && !run->told
        && !run->dead)
      conclude (run);
  }
  if (--run->busy == 0 && run->dead)
    destroy (run);
}

void
agui_run_feed (struct agui_run *run, const char *bytes, size_t len, bool end)
{
  agui_enter (run);
  if (!run->stopped)
    buf_append (&run->in, bytes, len);
  run->ended = end;
  agui_leave (run);
}

/* ---- a run of its own ---- */

static bool
is_answered (const struct json_tape *tape, const struct json_node *messages,
             const struct json_node *id)
{
  for (const struct json_node *n = json_first (messages); n != json_end (messages);
       n = json_next (n)) {
    const struct json_node *of = json_member (tape, n, "toolCallId");
    if (of != NULL && json_same (tape, of, tape, id))
      return true;
  }
  return false;
}

/* Arguments are a string that holds JSON, or the object itself. */
static void
run_call (struct agui_run *run, const struct json_tape *tape, const struct json_node *call)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  const struct json_node *function = json_member (tape, call, "function");
  const struct json_node *args = json_member (tape, function, "arguments");
  const char *id = json_cstring (tape, json_member (tape, call, "id"), &arena);
  const char *name = json_cstring (tape, json_member (tape, function, "name"), &arena);
  const char *text = NULL;
  size_t len = 0;

  if (json_is (args, JSON_STRING))
    text = json_string (tape, args, &arena, &len);
  else if (args != NULL)
    text = json_raw (tape, args, &len);
  if (id != NULL && name != NULL)
    agui_execute (run, id, name, text, len);
}

static void
run_messages (struct agui_run *run, const struct json_tape *tape, const struct json_node *messages)
{
  for (const struct json_node *n = json_first (messages); n != json_end (messages);
       n = json_next (n)) {
    const struct json_node *calls = json_member (tape, n, "toolCalls");
    if (!json_is (calls, JSON_ARRAY))
      continue;
    for (const struct json_node *c = json_first (calls); c != json_end (calls); c = json_next (c)) {
      const struct json_node *id = json_member (tape, c, "id");
      if (id != NULL && !is_answered (tape, messages, id))
        run_call (run, tape, c);
    }
  }
}

static void
feed_own (struct agui_run *run, const char *type, const struct json_tape *tape,
          const struct json_node *input)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  jsonw_object (&w);
  jsonw_name_string (&w, "type", type);
  jsonw_name_string (&w, "threadId",
                     json_cstring (tape, json_member (tape, input, "threadId"), &arena));
  jsonw_name_string (&w, "runId", json_cstring (tape, json_member (tape, input, "runId"), &arena));
  jsonw_end (&w);
  take (run, out.data, out.len);
}

void
agui_run_input (struct agui_run *run, const struct json_tape *tape, const struct json_node *input)
{
  const struct json_node *messages = json_member (tape, input, "messages");
  const struct json_node *resume = json_member (tape, input, "resume");

  agui_enter (run);
  feed_own (run, "RUN_STARTED", tape, input);
  agui_resume (run, tape, resume);
  if (resume == NULL || json_is (resume, JSON_NULL))
    run_messages (run, tape, messages);
  if (!run->stopped)
    feed_own (run, "RUN_FINISHED", tape, input);
  run->ended = true;
  agui_leave (run);
}
