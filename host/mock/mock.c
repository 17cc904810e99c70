/* The host of a tool's unit tests: the worker's own loader checks and call object on a port without
 * threads, sockets and real time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/json_tape.h"
#include "base/json_write.h"
#include "mock/inside.h"
#include "worker/tool_call.h"

enum { PATIENCE_S = 10, DEADLINE_MS = 30000, RESULT_MAX = 32 << 20 };

#define NS_PER_MS INT64_C (1000000)

struct secret {
  struct secret *next;
  char *name;
  char *value;
};

struct mock_call {
  struct tool_call call; /* first */
  struct mock_call *next;
  bool ended; /* a retained one: it was completed */
};

static _Thread_local struct error last_error;

const char *
toolhost_mock_error (void)
{
  return last_error.text;
}

/* ---- the port --------------------------------------------------------------------------- */

static int64_t
port_now (void *ctx)
{
  struct toolhost_mock *mock = ctx;
  int64_t now;

  pthread_mutex_lock (&mock->lock);
  now = mock->now;
  pthread_mutex_unlock (&mock->lock);
  return now;
}

static void
port_asked (void *ctx, struct tool_call *call)
{
  struct toolhost_mock *mock = ctx;
  bool enough;

  pthread_mutex_lock (&mock->lock);
  enough = ++mock->questions == mock->cancel_after;
  pthread_mutex_unlock (&mock->lock);
  if (enough)
    tool_call_cancel (call);
}

static void
port_sleep (void *ctx, struct tool_call *call, int64_t until)
{
  struct toolhost_mock *mock = ctx;

  (void) call;
  pthread_mutex_lock (&mock->lock);
  if (until > mock->now)
    mock->now = until;
  pthread_mutex_unlock (&mock->lock);
}

static void
port_progress (void *ctx, struct tool_call *call, double done, double total, const char *text,
               size_t len)
{
  struct toolhost_mock *mock = ctx;

  (void) call;
  pthread_mutex_lock (&mock->lock);
  buf_printf (&mock->log, "progress %g/%g %.*s\n", done, total, (int) len, text);
  pthread_mutex_unlock (&mock->lock);
}

static const char *
level_word (int32_t level)
{
  static const struct {
    int32_t level;
    const char *word;
  } words[] = {
    { TOOLHOST_DEBUG, "debug" },     { TOOLHOST_INFO, "info" },   { TOOLHOST_NOTICE, "notice" },
    { TOOLHOST_WARNING, "warning" }, { TOOLHOST_ERROR, "error" },
  };

  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (words[i].level == level)
      return words[i].word;
  return "log";
}

static void
port_log (void *ctx, struct tool_call *call, int32_t level, const char *text, size_t len)
{
  struct toolhost_mock *mock = ctx;

  (void) call;
  pthread_mutex_lock (&mock->lock);
  buf_printf (&mock->log, "%s %.*s\n", level_word (level), (int) len, text);
  pthread_mutex_unlock (&mock->lock);
}

static void
port_event (void *ctx, struct tool_call *call, int32_t level, const char *name, const char *members,
            size_t len)
{
  struct toolhost_mock *mock = ctx;

  (void) call;
  pthread_mutex_lock (&mock->lock);
  buf_printf (&mock->log, "%s %s %.*s\n", level_word (level), name, (int) len, members);
  pthread_mutex_unlock (&mock->lock);
}

static void
port_emit (void *ctx, struct tool_call *call, const char *json, size_t len)
{
  struct toolhost_mock *mock = ctx;

  (void) call;
  pthread_mutex_lock (&mock->lock);
  for (size_t i = 0; i < len; i++) /* line breaks stand between tokens */
    buf_putc (&mock->emitted, json[i] == '\n' || json[i] == '\r' ? ' ' : json[i]);
  buf_putc (&mock->emitted, '\n');
  pthread_mutex_unlock (&mock->lock);
}

static const void *
port_extension (void *ctx, const char *id)
{
  const struct toolhost_mock *mock = ctx;

  return mock->extension_id != NULL && strcmp (mock->extension_id, id) == 0 ? mock->extension
                                                                            : NULL;
}

static void
port_changed (void *ctx, enum frame_change what, const char *uri)
{
  static const char *const words[] = { [FRAME_CHANGED_TOOLS] = "tools",
                                       [FRAME_CHANGED_RESOURCES] = "resources",
                                       [FRAME_CHANGED_RESOURCE] = "resource ",
                                       [FRAME_CHANGED_PROMPTS] = "prompts",
                                       [FRAME_CHANGED_FEATURE] = "feature " };
  struct toolhost_mock *mock = ctx;

  pthread_mutex_lock (&mock->lock);
  buf_printf (&mock->log, "changed %s%s\n", words[what], uri);
  pthread_mutex_unlock (&mock->lock);
}

static void
port_ended (void *ctx, struct tool_call *call)
{
  struct toolhost_mock *mock = ctx;

  pthread_mutex_lock (&mock->lock);
  ((struct mock_call *) call)->ended = true;
  pthread_cond_broadcast (&mock->ended);
  pthread_mutex_unlock (&mock->lock);
}

static const char *
port_secret (void *ctx, const char *name)
{
  struct toolhost_mock *mock = ctx;

  for (const struct secret *s = mock->secrets; s != NULL; s = s->next)
    if (strcmp (s->name, name) == 0)
      return s->value;
  return NULL;
}

static void
port_service (void *ctx, struct tool_call *call, const struct frame_service *head, const void *data,
              size_t len)
{
  mock_service (ctx, call, head, data, len);
}

/* What was asked for has been answered at once. */
static void
port_await (void *ctx, struct tool_call *call)
{
  (void) ctx;
  (void) call;
}

static const struct call_port port = {
  .now = port_now,
  .asked = port_asked,
  .sleep = port_sleep,
  .progress = port_progress,
  .log = port_log,
  .event = port_event,
  .emit = port_emit,
  .changed = port_changed,
  .ended = port_ended,
  .secret = port_secret,
  .service = port_service,
  .await = port_await,
  .extension = port_extension,
};

/* ---- new, free -------------------------------------------------------------------------- */

static void
init_lock (struct toolhost_mock *mock)
{
  pthread_condattr_t monotonic;

  pthread_mutex_init (&mock->lock, NULL);
  pthread_condattr_init (&monotonic);
  pthread_condattr_setclock (&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init (&mock->ended, &monotonic);
  pthread_condattr_destroy (&monotonic);
}

/* The daemon would refuse it later; here is where a tool's author wants to know. */
static bool
check_definition (const struct plugin *plugin, size_t index, struct error *err)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  const struct plugin_tool *tool = &plugin->tools[index];
  const char *text = tool->definition, *kind = plugin_kind_word (tool->kind);
  struct json_tape tape;

  while (index != 0 && plugin->tools[index - 1].kind == tool->kind)
    index--;
  index = (size_t) (tool - &plugin->tools[index]); /* among those of its kind */
  if (!json_read (&tape, text, strlen (text), &json_default_limits, &arena))
    return error_set (err, "plugin \"%s\", %s %zu: definition is not JSON: byte %zu: %s",
                      plugin->desc.name, kind, index + 1, tape.offset, tape.problem);
  if (!json_is (json_member (&tape, json_root (&tape), "name"), JSON_STRING))
    return error_set (err, "plugin \"%s\", %s %zu: definition: name is missing", plugin->desc.name,
                      kind, index + 1);
  return true;
}

static bool
start (struct toolhost_mock *mock, toolhost_plugin_entry_fn entry, const char *config,
       struct error *err)
{
  if (!plugin_start (&mock->plugin, entry, &mock->host, "mocked", config, strlen (config), err))
    return false;
  for (size_t i = 0; i < mock->plugin.tools_count; i++)
    if (!check_definition (&mock->plugin, i, err))
      return false;
  return true;
}

toolhost_mock *
toolhost_mock_new (toolhost_plugin_entry_fn entry, const char *config)
{
  struct toolhost_mock *mock = xcalloc (1, sizeof *mock);

  last_error.text[0] = '\0';
  mock->deadline_ms = DEADLINE_MS;
  mock->askable = FRAME_ASK_ALL;
  init_lock (mock);
  plugin_host_init (&mock->host, &port, mock);
  if (start (mock, entry, config != NULL ? config : "{}", &last_error))
    return mock;
  toolhost_mock_free (mock);
  return NULL;
}

static void
free_secrets (struct toolhost_mock *mock)
{
  for (struct secret *s = mock->secrets, *next; s != NULL; s = next) {
    next = s->next;
    free (s->name);
    free (s->value);
    free (s);
  }
}

static void
free_call (struct mock_call *call)
{
  tool_call_end (&call->call);
  tool_call_destroy (&call->call);
  free (call);
}

void
toolhost_mock_free (toolhost_mock *mock)
{
  if (mock == NULL)
    return;
  plugin_stop (&mock->plugin);
  for (struct mock_call *call = mock->strays, *next; call != NULL; call = next) {
    next = call->next;
    free_call (call);
  }
  free_secrets (mock);
  mock_free_asks (mock);
  mock_free_http (mock);
  mock_free_invoke (mock);
  mock_free_session (mock);
  for (size_t i = 0; i < INFOS; i++)
    free (mock->infos[i]);
  free (mock->extension_id);
  buf_free (&mock->log);
  buf_free (&mock->emitted);
  pthread_cond_destroy (&mock->ended);
  pthread_mutex_destroy (&mock->lock);
  free (mock);
}

/* ---- what the tests set and ask --------------------------------------------------------- */

static const struct info {
  int32_t what;
  const char *member;
  const char *usual;
} infos[INFOS] = {
  { TOOLHOST_CALL_ID, "call_id", "mock-call" }, { TOOLHOST_SESSION_ID, "session_id", "" },
  { TOOLHOST_THREAD_ID, "thread_id", "" },      { TOOLHOST_RUN_ID, "run_id", "" },
  { TOOLHOST_TENANT, "tenant", "default" },     { TOOLHOST_METADATA, "metadata", "{}" },
};

void
toolhost_mock_set_info (toolhost_mock *mock, int32_t what, const char *text)
{
  for (size_t i = 0; i < INFOS; i++)
    if (infos[i].what == what) {
      free (mock->infos[i]);
      mock->infos[i] = text != NULL ? xstrdup (text) : NULL;
    }
}

void
toolhost_mock_set_secret (toolhost_mock *mock, const char *name, const char *value)
{
  struct secret *secret = xcalloc (1, sizeof *secret);

  secret->name = xstrdup (name);
  secret->value = xstrdup (value);
  secret->next = mock->secrets; /* so that the last one of a name counts */
  mock->secrets = secret;
}

void
toolhost_mock_cancel_after (toolhost_mock *mock, unsigned after)
{
  mock->cancel_after = after;
}

void
toolhost_mock_set_in_session (toolhost_mock *mock, bool in_session)
{
  mock->in_session = in_session;
}

void
toolhost_mock_set_deadline (toolhost_mock *mock, int64_t ms)
{
  mock->deadline_ms = ms;
}

void
toolhost_mock_set_extension (toolhost_mock *mock, const char *id, const void *extension)
{
  free (mock->extension_id);
  mock->extension_id = xstrdup (id);
  mock->extension = extension;
}

toolhost_status
toolhost_mock_build (toolhost_mock *mock, const char *feature, const char *config)
{
  static const struct plugin_tool nothing = { .kind = PLUGIN_TOOL };
  struct tool_call call;
  bool good;

  last_error.text[0] = '\0';
  pthread_mutex_lock (&mock->lock);
  mock->log.len = 0;
  pthread_mutex_unlock (&mock->lock);
  tool_call_init (&call);
  tool_call_begin (&call, &mock->host, &nothing, FRAME_BUILD_CALL,
                   mock->now + mock->deadline_ms * NS_PER_MS, RESULT_MAX);
  tool_call_texts (&call, "{}", 2, "{}", 2);
  good =
    plugin_build (&mock->plugin, &mock->host, feature, config, strlen (config), &call, &last_error);
  tool_call_end (&call);
  tool_call_destroy (&call);
  for (size_t i = 0; good && i < mock->plugin.tools_count; i++)
    good = check_definition (&mock->plugin, i, &last_error);
  return good ? TOOLHOST_OK : TOOLHOST_FAILED;
}

const char *
toolhost_mock_log (toolhost_mock *mock)
{
  return buf_cstr (&mock->log);
}

static bool
is_named (const struct plugin_tool *tool, const char *member, const char *name)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  return json_read (&tape, tool->definition, strlen (tool->definition), &json_default_limits,
                    &arena)
         && json_equals (&tape, json_member (&tape, json_root (&tape), member), name);
}

const struct plugin_tool *
mock_find (const struct toolhost_mock *mock, enum plugin_kind kind, const char *member,
           const char *name)
{
  for (size_t i = 0; i < mock->plugin.tools_count; i++)
    if (mock->plugin.tools[i].kind == kind && is_named (&mock->plugin.tools[i], member, name))
      return &mock->plugin.tools[i];
  return NULL;
}

static const struct plugin_tool *
find_tool (const struct toolhost_mock *mock, const char *name)
{
  return mock_find (mock, PLUGIN_TOOL, "name", name);
}

const char *
toolhost_mock_definition (toolhost_mock *mock, const char *name)
{
  const struct plugin_tool *tool = find_tool (mock, name);
  return tool != NULL ? tool->definition : NULL;
}

int64_t
toolhost_mock_max_time (toolhost_mock *mock, const char *name)
{
  const struct plugin_tool *tool = find_tool (mock, name);
  return tool != NULL ? tool->max_time : 0;
}

/* ---- a result --------------------------------------------------------------------------- */

struct own_result *
mock_result (toolhost_status status, const char *message)
{
  struct own_result *own = xcalloc (1, sizeof *own);

  own->pub =
    (toolhost_mock_result){ .status = status,
                            .text = "",
                            .content = "[]",
                            .code = "",
                            .message = arena_strndup (&own->texts, message, strlen (message)),
                            .problems = "[]",
                            .log = "",
                            .asks = "{}",
                            .emitted = "",
                            .changes = "" };
  return own;
}

static const char *
keep (struct own_result *own, struct span span, const char *otherwise)
{
  return span.len != 0 ? arena_strndup (&own->texts, span.text, span.len) : otherwise;
}

/* The text of a content block or a message, or what stands at a URI; NULL: none. */
static const struct json_node *
text_of (const struct json_tape *tape, const struct json_node *part)
{
  const struct json_node *block = json_member (tape, part, "content");

  if (block == NULL)
    block = part;
  return json_member (tape, block, "text");
}

/* All texts of what a call gave, one after the other. */
static const char *
all_texts (struct own_result *own, struct span content)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  CLEANUP_BUF struct buf texts = { 0 };
  struct json_tape tape;

  if (!json_read (&tape, content.text, content.len, &json_default_limits, &arena))
    return "";
  for (const struct json_node *root = json_root (&tape), *n = json_first (root);
       n != json_end (root); n = json_next (n)) {
    size_t len;
    const char *text = json_string (&tape, text_of (&tape, n), &arena, &len);
    if (text != NULL)
      buf_append (&texts, text, len);
  }
  return arena_strndup (&own->texts, buf_cstr (&texts), texts.len);
}

static toolhost_status
status_of (enum frame_outcome outcome)
{
  switch (outcome) {
  case FRAME_OUTCOME_OK:
    return TOOLHOST_OK;
  case FRAME_OUTCOME_NOT_ALLOWED:
    return TOOLHOST_NOT_GRANTED;
  case FRAME_OUTCOME_INVALID:
    return TOOLHOST_BAD_VALUE;
  case FRAME_OUTCOME_ASKED:
    return TOOLHOST_ASKED;
  case FRAME_OUTCOME_FAILED:
  case FRAME_OUTCOME_BROKEN:
    break;
  }
  return TOOLHOST_FAILED;
}

/* What an ended call comes to. */
static struct own_result *
result_of (struct tool_call *call)
{
  bool has_text = call->parts.has_text;
  bool over = tool_call_is_over (call);
  struct own_result *own = mock_result (TOOLHOST_OK, "");
  struct call_answer answer;

  tool_call_answer (call, &answer);
  own->pub.status = over ? TOOLHOST_CANCELLED : status_of (answer.outcome);
  own->pub.code = keep (own, answer.code, "");
  own->pub.message = keep (own, answer.message, "");
  own->pub.content = keep (own, answer.content, "[]");
  if (answer.outcome == FRAME_OUTCOME_INVALID)
    own->pub.problems = keep (own, answer.structured, "[]");
  else if (answer.outcome == FRAME_OUTCOME_ASKED)
    own->pub.asks = mock_asks (own, answer.structured);
  else
    own->pub.json = keep (own, answer.structured, NULL);
  if (has_text || call->parts.shape == FRAME_CONTENTS)
    own->pub.text = all_texts (own, answer.content);
  return own;
}

void
toolhost_mock_result_free (toolhost_mock_result *result)
{
  struct own_result *own = (struct own_result *) result;

  if (own == NULL)
    return;
  arena_free (&own->texts);
  free (own);
}

/* ---- a call ----------------------------------------------------------------------------- */

bool
mock_is_object (const char *text)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;

  return json_read (&tape, text, strlen (text), &json_default_limits, &arena)
         && json_is (json_root (&tape), JSON_OBJECT);
}

static void
write_meta (const struct toolhost_mock *mock, const struct mock_request *request, struct buf *out)
{
  struct json_writer w = { .out = out };

  jsonw_object (&w);
  for (size_t i = 0; i < INFOS; i++) {
    const char *text = mock->infos[i] != NULL ? mock->infos[i] : infos[i].usual;
    if (infos[i].what != TOOLHOST_METADATA)
      jsonw_name_string (&w, infos[i].member, text);
    else if (mock_is_object (text))
      jsonw_name_raw (&w, infos[i].member, text, strlen (text));
  }
  if (request->uri != NULL)
    jsonw_name_string (&w, "uri", request->uri);
  if (request->completing != NULL) {
    jsonw_name_string (&w, "completing", request->completing);
    jsonw_name_string (&w, "partial", request->partial);
  }
  jsonw_end (&w);
}

static struct mock_call *
begin (struct toolhost_mock *mock, const struct mock_request *request)
{
  const char *args = request->args;
  CLEANUP_BUF struct buf meta = { 0 };
  struct mock_call *call = xcalloc (1, sizeof *call);
  struct arena *arena = &call->call.arena;

  write_meta (mock, request, &meta);
  tool_call_init (&call->call);
  tool_call_begin (&call->call, &mock->host, request->tool, 1,
                   port_now (mock) + mock->deadline_ms * NS_PER_MS, RESULT_MAX);
  tool_call_wants (&call->call, request->flags | (mock->in_session ? FRAME_CALL_SESSION : 0U));
  tool_call_texts (&call->call, arena_strndup (arena, args, strlen (args)), strlen (args),
                   arena_strndup (arena, meta.data, meta.len), meta.len);
  mock_begin_round (mock, &call->call);
  call->call.wants_progress = true;
  return call;
}

/* Wait for one of the plugin's threads to complete the call; false: none did. */
static bool
wait_for_end (struct toolhost_mock *mock, const struct mock_call *call)
{
  struct timespec until;
  int error = 0;
  bool ended;

  clock_gettime (CLOCK_MONOTONIC, &until);
  until.tv_sec += PATIENCE_S;
  pthread_mutex_lock (&mock->lock);
  while (!call->ended && error == 0)
    error = pthread_cond_timedwait (&mock->ended, &mock->lock, &until);
  ended = call->ended;
  pthread_mutex_unlock (&mock->lock);
  return ended;
}

static struct own_result *
run (struct toolhost_mock *mock, const struct mock_request *request)
{
  struct mock_call *call = begin (mock, request);
  struct cpu_meter meter = { 0 };
  struct own_result *own;

  if (!tool_call_run (&call->call, &meter) && !wait_for_end (mock, call)) {
    call->next = mock->strays;
    mock->strays = call;
    return mock_result (TOOLHOST_FAILED, "kept the call and did not complete it within 10 seconds");
  }
  own = result_of (&call->call);
  mock_end_round (mock, &call->call);
  if (call->call.stray) {
    call->next = mock->strays;
    mock->strays = call;
  }
  else
    free_call (call);
  return own;
}

toolhost_mock_result *
mock_run (toolhost_mock *mock, struct mock_request *request)
{
  struct own_result *own;

  if (request->args == NULL || *request->args == '\0')
    request->args = "{}";
  pthread_mutex_lock (&mock->lock);
  mock->questions = 0;
  mock->log.len = mock->emitted.len = mock->changes.len = mock->committed = 0;
  pthread_mutex_unlock (&mock->lock);
  if (request->tool == NULL)
    own = mock_result (TOOLHOST_NOT_FOUND, request->absent);
  else if (!mock_is_object (request->args))
    own = mock_result (TOOLHOST_BAD_VALUE, "the arguments are no JSON object");
  else
    own = run (mock, request);
  mock->cancel_after = 0;
  mock_settle_session (mock, own->pub.status == TOOLHOST_OK);
  own->pub.changes = arena_strndup (&own->texts, buf_cstr (&mock->changes), mock->changes.len);
  pthread_mutex_lock (&mock->lock);
  own->pub.log = arena_strndup (&own->texts, buf_cstr (&mock->log), mock->log.len);
  own->pub.emitted = arena_strndup (&own->texts, buf_cstr (&mock->emitted), mock->emitted.len);
  pthread_mutex_unlock (&mock->lock);
  return &own->pub;
}

toolhost_mock_result *
toolhost_mock_call (toolhost_mock *mock, const char *name, const char *args)
{
  return mock_run (mock, &(struct mock_request){ .tool = find_tool (mock, name),
                                                 .absent = "the plugin offers no tool of this name",
                                                 .args = args });
}
