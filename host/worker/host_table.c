#include "worker/host_table.h"

#include <stdio.h>
#include <string.h>

#include "worker/args.h"
#include "worker/build.h"
#include "worker/call_service.h"
#include "worker/http.h"
#include "worker/in_session.h"
#include "worker/tool_call.h"
#include "worker/toolset.h"

enum { LONGEST_LINE = 8 * 1024 }; /* bytes of a log line or of a progress text */

static struct tool_call *
own (toolhost_call *call)
{
  return (struct tool_call *) call;
}

static const struct plugin_host *
own_host (const toolhost_host *host)
{
  return (const struct plugin_host *) host;
}

/* ---- host, opening, building ------------------------------------------------------------ */

static toolhost_status
call_http (toolhost_call *call, const toolhost_http_request *request,
           toolhost_http_response *response)
{
  return http_ask (own (call), request, response);
}

static const void *
host_extension (const toolhost_host *host, const char *id)
{
  static const toolhost_http_service http = { .struct_size = sizeof http, .request = call_http };
  const struct plugin_host *ours = own_host (host);

  if (id == NULL)
    return NULL;
  if (strcmp (id, TOOLHOST_HTTP_ID) == 0)
    return &http;
  if (strcmp (id, TOOLHOST_TOOLSET_ID) == 0)
    return &toolset;
  if (strcmp (id, TOOLHOST_CALL_SERVICE_ID) == 0 && ours->call_service)
    return &call_service;
  return ours->port->extension != NULL ? ours->port->extension (ours->ctx, id) : NULL;
}

/* A line for the log, made good UTF-8. */
static void
log_line (const struct plugin_host *host, struct tool_call *call, int32_t level, const char *text,
          size_t len)
{
  CLEANUP_BUF struct buf line = { 0 };

  append_text (&line, text, len, LONGEST_LINE);
  host->port->log (host->ctx, call, level, buf_cstr (&line), line.len);
}

static void
host_log (const toolhost_host *host, int32_t level, const char *text, size_t len)
{
  log_line (own_host (host), NULL, level, text, len);
}

static toolhost_status
host_rebuild (const toolhost_host *host, const char *feature)
{
  const struct plugin_host *ours = own_host (host);
  const size_t len = feature != NULL ? strnlen (feature, FRAME_FEATURE_MAX + 1) : 0;

  if (len == 0 || len > FRAME_FEATURE_MAX || !utf8_valid (feature, len))
    return TOOLHOST_BAD_VALUE;
  ours->port->changed (ours->ctx, FRAME_CHANGED_FEATURE, feature);
  return TOOLHOST_OK;
}

static bool
is_object (const char *text, size_t len)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  return json_read (&tape, text, len, &json_default_limits, &arena)
         && json_is (json_root (&tape), JSON_OBJECT);
}

static toolhost_status
host_event (const toolhost_host *host, toolhost_call *call, int32_t level, const char *name,
            const char *members, size_t len)
{
  const struct plugin_host *ours = own_host (host);

  if (name == NULL || !frame_event_name (name, strnlen (name, FRAME_EVENT_NAME_MAX + 1))
      || members == NULL || len > FRAME_EVENT_MAX || !is_object (members, len))
    return TOOLHOST_BAD_VALUE;
  if (call != NULL && own (call)->id == FRAME_BUILD_CALL)
    call = NULL;
  ours->port->event (ours->ctx, call != NULL ? own (call) : NULL, level, name, members, len);
  return TOOLHOST_OK;
}

/* Tools are added while a builder runs, and at no other time. */
static toolhost_status
host_add_tool (toolhost_build *build, const toolhost_tool *tool, void *self)
{
  struct opening *opening = (struct opening *) build;

  return opening->add != NULL ? opening->add (opening->ctx, tool, self) : TOOLHOST_NOT_GRANTED;
}

static void
host_build_error (toolhost_build *build, const char *pointer, const char *text, size_t len)
{
  struct opening *opening = (struct opening *) build;
  CLEANUP_BUF struct buf said = { 0 };

  if (pointer != NULL && *pointer != '\0') {
    append_text (&said, pointer, strlen (pointer), sizeof opening->said.text / 2);
    buf_puts (&said, ": ");
  }
  append_text (&said, text, len, sizeof opening->said.text / 2);
  error_set (&opening->said, "%s", buf_cstr (&said));
}

static toolhost_status
granted_secret (const struct plugin_host *host, const char *name, const char **value, size_t *len)
{
  const char *text = NULL;

  if (host->port->secret != NULL && name != NULL)
    text = host->port->secret (host->ctx, name);
  if (value != NULL)
    *value = text;
  if (len != NULL)
    *len = text != NULL ? strlen (text) : 0;
  return text != NULL ? TOOLHOST_OK : TOOLHOST_NOT_GRANTED;
}

static toolhost_status
host_build_secret (toolhost_build *build, const char *name, const char **value, size_t *len)
{
  return granted_secret (own_host (build->host), name, value, len);
}

static toolhost_call *
host_build_call (toolhost_build *build)
{
  struct opening *opening = (struct opening *) build;

  return opening->call != NULL ? &opening->call->pub : NULL;
}

/* ---- arguments, who, result ------------------------------------------------------------- */

static const char *
call_args (toolhost_call *call, size_t *len)
{
  return args_text (own (call), len);
}

static toolhost_status
call_arg (toolhost_call *call, const char *where, toolhost_value *value)
{
  return args_value (own (call), where, value);
}

static const char *
call_info (toolhost_call *call, int32_t what, size_t *len)
{
  return args_info (own (call), what, len);
}

static toolhost_status
call_part (toolhost_call *call, const toolhost_part *part)
{
  return parts_add (&own (call)->parts, part);
}

static void
call_fail (toolhost_call *call, const char *code, const char *text, size_t len)
{
  parts_fail (&own (call)->parts, code, text, len);
}

static void
call_invalid (toolhost_call *call, const char *pointer, const char *text, size_t len)
{
  parts_invalid (&own (call)->parts, pointer, text, len);
}

static void
call_why (toolhost_call *call, const char *text, size_t len)
{
  parts_why (&own (call)->parts, text, len);
}

/* ---- while running ---------------------------------------------------------------------- */

static toolhost_status
call_retain (toolhost_call *call)
{
  return tool_call_retain (own (call));
}

static toolhost_status
call_complete (toolhost_call *call, toolhost_status status)
{
  return tool_call_complete (own (call), status);
}

/* Only what grows is told; NaN does not. */
static void
call_progress (toolhost_call *pub, double done, double total, const char *text, size_t len)
{
  struct tool_call *call = own (pub);
  CLEANUP_BUF struct buf said = { 0 };

  if (!call->wants_progress || !(done > call->progressed))
    return;
  call->progressed = done;
  append_text (&said, text, len, LONGEST_LINE);
  call->host->port->progress (call->host->ctx, call, done, total > 0 ? total : 0, buf_cstr (&said),
                              said.len);
}

static void
call_log (toolhost_call *call, int32_t level, const char *text, size_t len)
{
  log_line (own (call)->host, own (call)->id != FRAME_BUILD_CALL ? own (call) : NULL, level, text,
            len);
}

static void
asked (struct tool_call *call)
{
  if (call->host->port->asked != NULL)
    call->host->port->asked (call->host->ctx, call);
}

static bool
call_cancelled (toolhost_call *call)
{
  asked (own (call));
  return tool_call_is_over (own (call));
}

enum { NS_PER_MS = 1000000 };

static int64_t
call_time_left (toolhost_call *pub)
{
  struct tool_call *call = own (pub);
  int64_t left;

  asked (call);
  if (call->deadline == INT64_MAX)
    return INT64_MAX;
  left = call->deadline - call->host->port->now (call->host->ctx);
  return left > 0 ? left / NS_PER_MS : 0;
}

/* The end of a sleep of `ms` from `now`, and no later than the deadline. */
static int64_t
sleep_until (const struct tool_call *call, int64_t now, int64_t ms)
{
  int64_t until = ms < (INT64_MAX - now) / NS_PER_MS ? now + ms * NS_PER_MS : INT64_MAX;
  return until < call->deadline ? until : call->deadline;
}

static toolhost_status
call_sleep (toolhost_call *pub, int64_t ms)
{
  struct tool_call *call = own (pub);
  const struct call_port *port = call->host->port;

  asked (call);
  if (ms > 0 && !tool_call_is_over (call))
    port->sleep (call->host->ctx, call, sleep_until (call, port->now (call->host->ctx), ms));
  return tool_call_is_over (call) ? TOOLHOST_CANCELLED : TOOLHOST_OK;
}

/* ---- prompts, completions, changes ------------------------------------------------------ */

static toolhost_status
call_role (toolhost_call *call, int32_t role)
{
  return parts_role (&own (call)->parts, role);
}

static toolhost_status
call_suggest (toolhost_call *call, const char *value, size_t len)
{
  return parts_suggest (&own (call)->parts, value, len);
}

static toolhost_status
call_list (toolhost_call *call, const char *json, size_t len)
{
  return parts_list (&own (call)->parts, json, len);
}

static bool
is_uri (const char *uri)
{
  size_t len = uri != NULL ? strnlen (uri, FRAME_URI_MAX + 1) : 0;

  return len != 0 && len <= FRAME_URI_MAX && utf8_valid (uri, len);
}

static toolhost_status
host_changed (const toolhost_host *host, int32_t what, const char *uri)
{
  static const struct {
    int32_t what;
    enum frame_change change;
  } changes[] = {
    { TOOLHOST_TOOLS_CHANGED, FRAME_CHANGED_TOOLS },
    { TOOLHOST_RESOURCES_CHANGED, FRAME_CHANGED_RESOURCES },
    { TOOLHOST_RESOURCE_UPDATED, FRAME_CHANGED_RESOURCE },
    { TOOLHOST_PROMPTS_CHANGED, FRAME_CHANGED_PROMPTS },
  };
  const struct plugin_host *ours = own_host (host);

  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    if (changes[i].what != what)
      continue;
    if (what == TOOLHOST_RESOURCE_UPDATED && !is_uri (uri))
      return TOOLHOST_BAD_VALUE;
    ours->port->changed (ours->ctx, changes[i].change,
                         what == TOOLHOST_RESOURCE_UPDATED ? uri : "");
    return TOOLHOST_OK;
  }
  return TOOLHOST_BAD_VALUE;
}

/* ---- the session ------------------------------------------------------------------------ */

static toolhost_status
call_emit (toolhost_call *call, const char *json, size_t len)
{
  return in_session_emit (own (call), json, len);
}

static toolhost_status
call_handoff (toolhost_call *call, const char *json, size_t len)
{
  return in_session_handoff (own (call), json, len);
}

static toolhost_status
call_context_get (toolhost_call *call, const char *path, const char **json, size_t *len)
{
  return in_session_get (own (call), path, json, len);
}

static toolhost_status
call_context_set (toolhost_call *call, const char *path, const char *json, size_t len)
{
  return in_session_write (own (call), "set", path, json, len);
}

static toolhost_status
call_context_append (toolhost_call *call, const char *path, const char *json, size_t len)
{
  return in_session_write (own (call), "append", path, json, len);
}

static toolhost_status
call_context_change (toolhost_call *call, const char *json, size_t len)
{
  return in_session_change (own (call), json, len);
}

static toolhost_status
call_flag_set (toolhost_call *call, const char *name)
{
  return in_session_flag (own (call), name, true);
}

static toolhost_status
call_flag_clear (toolhost_call *call, const char *name)
{
  return in_session_flag (own (call), name, false);
}

static toolhost_status
call_flag_get (toolhost_call *call, const char *name, bool *set)
{
  return in_session_flag_get (own (call), name, set);
}

/* ---- services --------------------------------------------------------------------------- */

static toolhost_status
call_secret (toolhost_call *call, const char *name, const char **value, size_t *len)
{
  return granted_secret (own (call)->host, name, value, len);
}

/* ---- asking ----------------------------------------------------------------------------- */

static int32_t
call_ask (toolhost_call *call, const char *key, const char *kind, const char *params, size_t len,
          const char **answer, size_t *answer_len)
{
  return ask (own (call), key, kind, params, len, answer, answer_len);
}

static int32_t
call_ask_form (toolhost_call *call, const char *key, const char *message, size_t message_len,
               const char *schema, size_t schema_len)
{
  return ask_form (own (call), key, message, message_len, schema, schema_len);
}

static toolhost_status
call_answer (toolhost_call *call, const char *key, const char *where, toolhost_value *value)
{
  return ask_answer (own (call), key, where, value);
}

static toolhost_status
call_keep (toolhost_call *call, const void *data, size_t len)
{
  return ask_keep (own (call), data, len);
}

static const void *
call_kept (toolhost_call *call, size_t *len)
{
  return ask_kept (own (call), len);
}

static const toolhost_host table = {
  .struct_size = sizeof table,
  .abi = TOOLHOST_ABI,
  .version = PACKAGE_VERSION,
  .extension = host_extension,
  .host_log = host_log,
  .rebuild = host_rebuild,
  .add_tool = host_add_tool,
  .build_error = host_build_error,
  .build_secret = host_build_secret,
  .args = call_args,
  .arg = call_arg,
  .info = call_info,
  .part = call_part,
  .fail = call_fail,
  .invalid = call_invalid,
  .why = call_why,
  .retain = call_retain,
  .complete = call_complete,
  .progress = call_progress,
  .log = call_log,
  .cancelled = call_cancelled,
  .time_left = call_time_left,
  .sleep = call_sleep,
  .emit = call_emit,
  .handoff = call_handoff,
  .context_get = call_context_get,
  .context_set = call_context_set,
  .context_append = call_context_append,
  .flag_set = call_flag_set,
  .flag_clear = call_flag_clear,
  .flag_get = call_flag_get,
  .secret = call_secret,
  .invoke = toolset_invoke,
  .ask = call_ask,
  .role = call_role,
  .suggest = call_suggest,
  .changed = host_changed,
  .ask_form = call_ask_form,
  .answer = call_answer,
  .keep = call_keep,
  .kept = call_kept,
  .list = call_list,
  .event = host_event,
  .context_change = call_context_change,
  .build_call = host_build_call,
};

void
plugin_host_init (struct plugin_host *host, const struct call_port *port, void *ctx)
{
  host->table = table;
  host->port = port;
  host->ctx = ctx;
  host->call_service = false;
}
