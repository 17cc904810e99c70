/* Tools that a tool invokes: calls like any other, for the caller of the outer one, which they do
 * not outlive. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json_write.h"
#include "call/running.h"
#include "pool/unit.h"

/* One of them. */
struct inner {
  struct invoked *all;
  struct call *call; /* while it runs, after call_start has returned */
  bool ended;
  enum frame_served_status status;
  struct buf result;
};

/* Those that one call invokes at once. */
struct invoked {
  struct call *outer;
  struct invoker *invoker;
  struct arena arena; /* of what was asked */
  struct json_tape tape;
  size_t count, open;
  size_t bytes; /* of results */
  bool starting;
  struct inner inner[];
};

static void
invoked_free (struct invoked *all)
{
  for (size_t i = 0; i < all->count; i++)
    buf_free (&all->inner[i].result);
  arena_free (&all->arena);
  free (all);
}

/* ---- who may invoke what ---------------------------------------------------------------- */

void
call_may_invoke (struct call *call, const struct call_request *request)
{
  const struct unit *unit = call->tool->unit;

  if (unit != NULL && unit_policy (unit)->invoke != NULL)
    call->toolset = toolset_ref (request->toolset);
}

/* Does a call of this unit wait for the one that is asked about, or is it that one? */
static bool
is_waited_for (const struct call *outer, const struct unit *unit)
{
  for (; outer != NULL; outer = outer->outer)
    if (outer->tool->unit == unit)
      return true;
  return false;
}

static unsigned
depth_of (const struct call *call)
{
  unsigned depth = 0;

  for (; call->outer != NULL; call = call->outer)
    depth++;
  return depth;
}

/* ---- results ---------------------------------------------------------------------------- */

static void
write_error (struct buf *out, const char *code, const char *message, size_t len)
{
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  jsonw_name_bool (&w, "is_error", true);
  jsonw_name_string (&w, "code", code);
  jsonw_name (&w, "message");
  jsonw_string_len (&w, message, len);
  jsonw_name_raw (&w, "content", "[]", 2);
  jsonw_end (&w);
}

static const char *
kind_of (const struct json_tape *tape, const struct json_node *question)
{
  const struct json_node *method = json_member (tape, question, "method");
  const struct json_node *params = json_member (tape, question, "params");

  if (json_equals (tape, method, "sampling/createMessage"))
    return "sampling";
  if (json_equals (tape, method, "roots/list"))
    return "roots";
  return json_equals (tape, json_member (tape, params, "mode"), "url") ? "url" : "form";
}

/* Without "mode", which is what clients are told of the kind, and no member of toolhost_ask's. */
static void
write_params (struct json_writer *w, const struct json_tape *tape, const struct json_node *params,
              struct arena *arena)
{
  size_t len;

  jsonw_name (w, "params");
  jsonw_object (w);
  for (const struct json_node *n = json_first (params); params != NULL && n != json_end (params);
       n = json_next (json_next (n))) {
    const char *text, *name = json_string (tape, n, arena, &len);
    if (len == 4 && memcmp (name, "mode", 4) == 0)
      continue;
    jsonw_name_len (w, name, len);
    text = json_raw (tape, json_next (n), &len);
    jsonw_raw (w, text, len);
  }
  jsonw_end (w);
}

/* The questions of a call, which are ours, as toolhost_ask has them. */
static void
write_asks (struct json_writer *w, const struct ask *ask)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  const struct json_node *root;
  struct json_tape tape;
  size_t len;

  jsonw_name (w, "asks");
  jsonw_object (w);
  if (json_read (&tape, ask->open.data, ask->open.len, &json_default_limits, &arena)) {
    root = json_root (&tape);
    for (const struct json_node *n = json_first (root); n != json_end (root);
         n = json_next (json_next (n))) {
      const char *key = json_string (&tape, n, &arena, &len);
      jsonw_name_len (w, key, len);
      jsonw_object (w);
      jsonw_name_string (w, "kind", kind_of (&tape, json_next (n)));
      write_params (w, &tape, json_member (&tape, json_next (n), "params"), &arena);
      jsonw_end (w);
    }
  }
  jsonw_end (w);
}

static void
write_result (const struct result *result, struct buf *out)
{
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  jsonw_name_bool (&w, "is_error", result->error != CALL_OK);
  if (result->error != CALL_OK) {
    jsonw_name_string (&w, "code", result->code);
    jsonw_name (&w, "message");
    jsonw_string_len (&w, result->message, result->message_len);
  }
  jsonw_name_raw (&w, "content", result->content, result->content_len);
  if (result->structured != NULL)
    jsonw_name_raw (&w, "structured", result->structured, result->structured_len);
  if (result->problems != NULL)
    jsonw_name_raw (&w, "problems", result->problems, result->problems_len);
  if (result->retry_after_ms > 0)
    jsonw_name_int (&w, "retry_after_ms", result->retry_after_ms);
  if (result->error == CALL_input_required)
    write_asks (&w, result->asking->ask);
  jsonw_end (&w);
}

static enum frame_served_status
status_of (enum call_error error)
{
  switch (error) {
  case CALL_OK:
    return FRAME_SERVED_OK;
  case CALL_tool_not_found:
    return FRAME_SERVED_NOT_FOUND;
  case CALL_tool_args_parse_error:
  case CALL_tool_args_invalid:
    return FRAME_SERVED_BAD_VALUE;
  case CALL_input_required:
    return FRAME_SERVED_ASKED;
  default:
    return FRAME_SERVED_FAILED;
  }
}

/* ---- their end -------------------------------------------------------------------------- */

/* All of them have ended. */
static void
finish (struct invoked *all)
{
  struct invoker *invoker = all->invoker;
  CLEANUP_BUF struct buf out = { 0 };
  struct json_writer w = { .out = &out };

  jsonw_array (&w);
  for (size_t i = 0; i < all->count; i++) {
    jsonw_object (&w);
    jsonw_name_int (&w, "status", all->inner[i].status);
    jsonw_name_raw (&w, "result", all->inner[i].result.data, all->inner[i].result.len);
    jsonw_end (&w);
  }
  jsonw_end (&w);
  invoked_free (all);
  invoker->answered (invoker, FRAME_SERVED_OK, out.data, out.len);
}

static void
end (struct inner *inner, enum frame_served_status status)
{
  struct invoked *all = inner->all;
  static const char large[] = "The result is larger than what a tool may be given of another.";

  if (inner->result.len > FRAME_INVOKE_RESULT_MAX - all->bytes) {
    buf_reset (&inner->result, 0);
    write_error (&inner->result, "invoke_too_large", large, sizeof large - 1);
    status = FRAME_SERVED_FAILED;
  }
  all->bytes += inner->result.len;
  if (all->bytes > FRAME_INVOKE_RESULT_MAX)
    all->bytes = FRAME_INVOKE_RESULT_MAX;
  inner->call = NULL;
  inner->ended = true;
  inner->status = status;
  all->open--;
}

static void
on_done (void *ctx, const struct result *result)
{
  struct inner *inner = ctx;
  struct invoked *all = inner->all;

  write_result (result, &inner->result);
  end (inner, status_of (result->error));
  if (all->open == 0 && !all->starting)
    finish (all);
}

/* The outer call has ended, or is about to: nobody waits for these any more. */
static void
on_leave (struct invoker *invoker)
{
  struct invoked *all = invoker->invoked;

  for (size_t i = 0; i < all->count; i++)
    if (all->inner[i].call != NULL)
      call_abandon (all->inner[i].call);
  invoked_free (all);
}

/* ---- what they say to the session, which is the outer call's ---------------------------- */

static void
on_emitted (void *ctx, const char *json, size_t len)
{
  struct call *outer = ((struct inner *) ctx)->all->outer;

  outer->job.events->emitted (&outer->job, json, len);
}

/* Who goes on with the conversation is for the outer one to say. */
static enum frame_served_status
on_state (void *ctx, const char *json, size_t len, struct buf *out, size_t *cost)
{
  struct call *outer = ((struct inner *) ctx)->all->outer;
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  if (json_read (&tape, json, len, &json_default_limits, &arena)
      && json_member (&tape, json_root (&tape), "handoff") != NULL)
    return FRAME_SERVED_NOT_GRANTED;
  return outer->job.events->state (&outer->job, json, len, out, cost);
}

static const struct call_events events = { .done = on_done };
static const struct call_events session_events = { .done = on_done,
                                                   .emitted = on_emitted,
                                                   .state = on_state };

/* ---- their start ------------------------------------------------------------------------ */

/* What the caller of the outer call has said of itself. */
static void
take_meta (const struct call *outer, struct call_request *request, struct arena *arena)
{
  const struct json_node *root, *metadata;
  struct json_tape tape;

  if (!json_read (&tape, outer->meta.data, outer->meta.len, &json_default_limits, arena))
    return;
  root = json_root (&tape);
  request->thread_id = json_cstring (&tape, json_member (&tape, root, "thread_id"), arena);
  request->run_id = json_cstring (&tape, json_member (&tape, root, "run_id"), arena);
  metadata = json_member (&tape, root, "metadata");
  if (metadata != NULL)
    request->metadata = json_raw (&tape, metadata, &request->metadata_len);
}

/* Milliseconds the outer call has left, one at least; 0: it has no deadline. */
static int64_t
left_of (const struct call *outer)
{
  int64_t left;

  if (outer->job.deadline_ns == INT64_MAX)
    return 0;
  left = (outer->job.deadline_ns - clock_ns ()) / 1000000;
  return left > 0 ? left : 1;
}

/* NULL: nothing speaks against it. */
static const char *
refusal (const struct call *outer, const char *name, size_t len, const char **why)
{
  const struct tool *tool = NULL;

  if (outer->toolset == NULL || !policy_invokes (unit_policy (outer->tool->unit), name)) {
    *why = "The operator has not granted this tool that one (permissions.invoke).";
    return "invoke_not_granted";
  }
  if (depth_of (outer) + 1 > FRAME_INVOKE_DEPTH_MAX) {
    *why = "Too many tools wait for one another.";
    return "invoke_too_deep";
  }
  tool = toolset_find (outer->toolset, name, len);
  if (tool != NULL && tool->unit != NULL && is_waited_for (outer, tool->unit)) {
    *why = "Its process runs a call that waits for this one.";
    return "invoke_cycle";
  }
  return NULL;
}

static void
start (struct inner *inner, const struct json_node *asked)
{
  struct invoked *all = inner->all;
  struct call *outer = all->outer, *call;
  CLEANUP_ARENA struct arena arena = { 0 };
  const struct json_node *answers = json_member (&all->tape, asked, "answers");
  struct call_request request = { .kind = CALL_TOOL,
                                  .toolset = outer->toolset,
                                  .front = outer->front,
                                  .tenant = outer->tenant,
                                  .principal = outer->principal,
                                  .session_id = outer->session_id,
                                  .deadline_ms = left_of (outer),
                                  .phone = outer->job.phone,
                                  .askable = outer->askable,
                                  .outer = outer,
                                  .responses_tape = answers != NULL ? &all->tape : NULL,
                                  .responses = answers };
  const char *why, *code;

  request.name = json_cstring (&all->tape, json_member (&all->tape, asked, "tool"), &arena);
  request.name_len = strlen (request.name);
  request.args =
    json_string (&all->tape, json_member (&all->tape, asked, "args"), &arena, &request.args_len);
  code = refusal (outer, request.name, request.name_len, &why);
  if (code != NULL) {
    write_error (&inner->result, code, why, strlen (why));
    end (inner,
         strcmp (code, "invoke_not_granted") == 0 ? FRAME_SERVED_NOT_GRANTED : FRAME_SERVED_FAILED);
    return;
  }
  take_meta (outer, &request, &arena);
  call =
    call_start (outer->calls, &request, outer->job.in_session ? &session_events : &events, inner);
  if (!inner->ended)
    inner->call = call;
}

/* ---- what a worker asks ----------------------------------------------------------------- */

static bool
is_invocation (const struct json_tape *tape, const struct json_node *node, struct arena *arena)
{
  const struct json_node *answers = json_member (tape, node, "answers");

  return json_is (node, JSON_OBJECT)
         && json_cstring (tape, json_member (tape, node, "tool"), arena) != NULL
         && json_is (json_member (tape, node, "args"), JSON_STRING)
         && (answers == NULL || json_is (answers, JSON_OBJECT));
}

static bool
are_invocations (const struct json_tape *tape, struct arena *arena)
{
  const struct json_node *root = json_root (tape);

  if (!json_is (root, JSON_ARRAY) || root->count == 0 || root->count > FRAME_INVOKES_MAX)
    return false;
  for (const struct json_node *n = json_first (root); n != json_end (root); n = json_next (n))
    if (!is_invocation (tape, n, arena))
      return false;
  return true;
}

bool
call_invoke (struct job *job, const char *json, size_t len, struct invoker *invoker)
{
  struct invoked *all = xcalloc (1, sizeof *all + FRAME_INVOKES_MAX * sizeof *all->inner);
  const char *text = arena_strndup (&all->arena, json, len);
  const struct json_node *n;

  if (!json_read (&all->tape, text, len, &json_default_limits, &all->arena)
      || !are_invocations (&all->tape, &all->arena)) {
    invoked_free (all);
    return false;
  }
  all->outer = (struct call *) job;
  all->invoker = invoker;
  all->count = all->open = json_root (&all->tape)->count;
  all->starting = true;
  invoker->invoked = all;
  invoker->leave = on_leave;
  n = json_first (json_root (&all->tape));
  for (size_t i = 0; i < all->count; i++, n = json_next (n)) {
    all->inner[i].all = all;
    start (&all->inner[i], n);
  }
  all->starting = false;
  if (all->open == 0)
    finish (all);
  return true;
}

/* Is it among those that are asked for (none: all)? */
static bool
is_wanted (const struct json_tape *tape, const char *name, size_t len)
{
  const struct json_node *root = json_root (tape);
  CLEANUP_ARENA struct arena arena = { 0 };

  if (root->count == 0)
    return true;
  for (const struct json_node *n = json_first (root); n != json_end (root); n = json_next (n)) {
    const char *pattern = json_cstring (tape, n, &arena);
    if (pattern != NULL && policy_like (pattern, name, len))
      return true;
  }
  return false;
}

enum frame_served_status
call_list_tools (struct job *job, const char *json, size_t len, struct buf *out)
{
  const struct call *call = (const struct call *) job;
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_writer w = { .out = out };
  struct json_tape tape;

  if (!json_read (&tape, json, len, &json_default_limits, &arena)
      || !json_is (json_root (&tape), JSON_ARRAY))
    return 0;
  jsonw_array (&w);
  for (size_t i = 0; call->toolset != NULL && i < call->toolset->count; i++) {
    const struct tool *tool = call->toolset->tools[i];
    if (!policy_invokes (unit_policy (call->tool->unit), tool->name)
        || !is_wanted (&tape, tool->name, tool->name_len)
        || (tool->unit != NULL && is_waited_for (call, tool->unit)))
      continue;
    if (out->len + tool->mcp.len > FRAME_INVOKE_RESULT_MAX) {
      buf_reset (out, 0);
      return FRAME_SERVED_FAILED;
    }
    jsonw_raw (&w, tool->mcp.data, tool->mcp.len);
  }
  jsonw_end (&w);
  return FRAME_SERVED_OK;
}
