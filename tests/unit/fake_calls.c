#include "fake_calls.h"

#include "call/batch.h"
#include "call/circuits.h"

#include <stdio.h>
#include <stdlib.h>

#include "call/claim.h"

struct call {
  struct calls *calls;
  size_t index;
  char id[64];
  struct call_events events;
  void *ctx;
};

static const struct call_error_info infos[] = {
  [CALL_OK] = { "ok", 200, LOG_INFO, "" },
#define ERROR(name, http, level, text) [CALL_##name] = { #name, http, LOG_##level, text },
#include "call/errors.def"
#undef ERROR
};

const struct call_error_info *
call_error_info (enum call_error error)
{
  return &infos[error];
}

struct result
fake_result (const char *content, const char *structured)
{
  struct result result = { .error = CALL_OK, .message = "", .content = content };

  result.content_len = strlen (content);
  result.structured = structured;
  result.structured_len = structured != NULL ? strlen (structured) : 0;
  result.usage.wall_us = 7;
  result.usage.told_cpu = true;
  result.usage.cpu_us = 3;
  return result;
}

struct result
fake_failure (enum call_error error, const char *code, const char *message)
{
  struct result result = fake_result ("[]", NULL);

  result.error = error;
  result.code = code != NULL ? code : call_error_info (error)->code;
  result.message = message;
  result.message_len = strlen (message);
  return result;
}

static void
remember (char *room, size_t size, const char *text, size_t len)
{
  snprintf (room, size, "%.*s", (int) len, text != NULL ? text : "");
}

static void
remember_request (struct calls *calls, const struct call_request *request)
{
  size_t len = request->args_len;
  const char *args = request->args;

  calls->args_are_text = args != NULL;
  if (request->args_node != NULL)
    args = json_raw (request->tape, request->args_node, &len);
  remember (calls->args, sizeof calls->args, args, len);
  remember (calls->metadata, sizeof calls->metadata, request->metadata, request->metadata_len);
  snprintf (calls->principal, sizeof calls->principal, "%s",
            request->principal != NULL ? request->principal : "");
  snprintf (calls->session, sizeof calls->session, "%s",
            request->session_id != NULL ? request->session_id : "");
  calls->deadline_ms = request->deadline_ms;
  calls->kind = request->kind;
  remember (calls->name, sizeof calls->name, request->name, request->name_len);
  remember (calls->argument, sizeof calls->argument, request->argument, request->argument_len);
  remember (calls->partial, sizeof calls->partial, request->partial, request->partial_len);
}

static struct call *
call_new (struct calls *calls, const struct call_request *request, const struct call_events *events,
          void *ctx)
{
  struct call *call = xcalloc (1, sizeof *call);

  call->calls = calls;
  call->events = *events;
  call->ctx = ctx;
  call->index = calls->started++;
  if (request->call_id != NULL)
    snprintf (call->id, sizeof call->id, "%s", request->call_id);
  else
    snprintf (call->id, sizeof call->id, "call-%zu", call->index);
  calls->running[call->index] = call;
  return call;
}

static bool
is_tool (const struct call_request *request, const char *name)
{
  return request->name_len == strlen (name) && memcmp (request->name, name, request->name_len) == 0;
}

struct call *
call_start (struct calls *calls, const struct call_request *request,
            const struct call_events *events, void *ctx)
{
  char text[512];
  struct result result = calls->canned;

  remember_request (calls, request);
  if (request->kind != CALL_TOOL) {
    result.tool =
      offers_find (&request->toolset->of[OFFER_PROMPT], request->name, request->name_len);
    result.kind = request->kind;
    result.name = request->name;
    result.name_len = request->name_len;
    events->done (ctx, &result);
    return NULL;
  }
  if (is_tool (request, "later"))
    return call_new (calls, request, events, ctx);
  if (toolset_find (request->toolset, request->name, request->name_len) == NULL)
    result = fake_failure (CALL_tool_not_found, NULL, "There is no tool of this name.");
  else if (is_tool (request, "echo")) {
    snprintf (text, sizeof text, "[{\"type\":\"text\",\"text\":\"echo\"},%s]",
              calls->args[0] != '\0' ? calls->args : "{}");
    result = fake_result (text, NULL);
  }
  events->done (ctx, &result);
  return NULL;
}

/* ---- calls that belong together: nobody is asked about any, so they begin as they come ---- */

struct call_batch {
  struct calls *calls;
  unsigned refs;
};

struct call_batch *
call_batch_new (struct calls *calls, enum batch_kind kind)
{
  struct call_batch *batch = xcalloc (1, sizeof *batch);

  (void) kind;
  calls->batches++;
  batch->calls = calls;
  batch->refs = 1;
  return batch;
}

struct call_batch *
call_batch_ref (struct call_batch *batch)
{
  batch->refs++;
  return batch;
}

void
call_batch_unref (struct call_batch *batch)
{
  if (batch != NULL && --batch->refs == 0)
    free (batch);
}

void
call_batch_close (struct call_batch *batch)
{
  batch->calls->closed++;
}

void
call_batch_end (struct call_batch *batch)
{
  if (batch != NULL)
    batch->calls->closed++;
  call_batch_unref (batch);
}

bool
calls_may_ask (const struct calls *calls, const char *tenant, const struct toolset *set)
{
  (void) tenant;
  (void) set;
  return calls->may_ask;
}

bool
call_batch_waits (const struct call_batch *batch)
{
  (void) batch;
  return false;
}

static void
call_end (struct call *call)
{
  call->calls->running[call->index] = NULL;
  free (call);
}

void
fake_done (struct calls *calls, size_t n, struct result result)
{
  struct call *call = calls->running[n];

  call->events.done (call->ctx, &result);
  call_end (call);
}

void
fake_progress (struct calls *calls, size_t n, double done, double total, const char *text)
{
  struct call *call = calls->running[n];

  call->events.progress (call->ctx, done, total, text, strlen (text));
}

enum frame_served_status
fake_state (struct calls *calls, size_t n, const char *json, struct buf *out)
{
  struct call *call = calls->running[n];
  size_t cost = 0;

  return call->events.state (call->ctx, json, strlen (json), out, &cost);
}

bool
call_waits (const struct call *call)
{
  (void) call;
  return false;
}

const char *
call_arguments (const struct call *call, size_t *len)
{
  *len = strlen (call->calls->args); /* of the last one: it is this */
  return call->calls->args;
}

void
fake_emit (struct calls *calls, size_t n, const char *json)
{
  struct call *call = calls->running[n];

  call->events.emitted (call->ctx, json, strlen (json));
}

void
fake_log (struct calls *calls, size_t n, int level, const char *text)
{
  struct call *call = calls->running[n];

  if (call->events.log != NULL)
    call->events.log (call->ctx, level, text, strlen (text));
}

size_t
fake_index (const struct calls *calls, const char *id)
{
  for (size_t i = 0; i < calls->started; i++)
    if (calls->running[i] != NULL && strcmp (calls->running[i]->id, id) == 0)
      return i;
  return SIZE_MAX;
}

void
call_cancel (struct call *call)
{
  struct calls *calls = call->calls;

  calls->cancelled++;
  fake_done (calls, call->index, fake_failure (CALL_tool_cancelled, NULL, "Cancelled."));
}

void
call_interrupt (struct call *call)
{
  if (!call->calls->stops_late)
    call_cancel (call);
}

void
call_abandon (struct call *call)
{
  call->calls->abandoned++;
  call_end (call);
}

const char *
call_id (const struct call *call)
{
  return call->id;
}

/* Those of a tool that is there, and of one that was exchanged since. */
void
calls_see_circuits (struct calls *calls, const char *tenant,
                    void (*see) (void *ctx, const struct circuit_view *view), void *ctx)
{
  static const struct circuit_view views[] = {
    { "echo", "", "", "acme", CIRCUIT_IS_OPEN, 0, 1200 },
    { "echo", "", "", "default", CIRCUIT_IS_HALF_OPEN, 0, 0 },
    { "echo", "", "older", "default", CIRCUIT_IS_OPEN, 0, 1 },
    { "gone", "", "", "default", CIRCUIT_IS_CLOSED, 1, 0 },
  };

  (void) calls;
  for (size_t i = 0; i < sizeof views / sizeof *views; i++)
    if (tenant == NULL || strcmp (tenant, views[i].tenant) == 0)
      see (ctx, &views[i]);
}

struct call *
call_find (struct calls *calls, const char *id, const char *principal)
{
  for (size_t i = 0; i < calls->started; i++)
    if (calls->running[i] != NULL && strcmp (calls->running[i]->id, id) == 0
        && (principal == NULL || strcmp (principal, calls->principal) == 0))
      return calls->running[i];
  return NULL;
}

/* Nothing is kept of calls. */
bool
calls_look (struct calls *calls, const struct call_name *name, call_known_cb cb, void *ctx)
{
  (void) calls;
  (void) name;
  (void) cb;
  (void) ctx;
  return false;
}

bool
calls_look_key (struct calls *calls, const char *tenant, const unsigned char id[STORE_HASH],
                call_known_cb cb, void *ctx)
{
  (void) calls;
  (void) tenant;
  (void) id;
  (void) cb;
  (void) ctx;
  return false;
}

struct call *
calls_find_named (struct calls *calls, const struct call_name *name)
{
  (void) calls;
  (void) name;
  return NULL;
}

bool
calls_forbid (struct calls *calls, const struct call_name *name, store_cb cb, void *ctx)
{
  (void) calls;
  (void) name;
  (void) cb;
  (void) ctx;
  return false;
}

/* ---- the environment ---- */

static bool
is_ready (void *ctx, const char **why_not)
{
  const struct fake_env *fake = ctx;

  *why_not = fake->not_ready;
  return fake->not_ready == NULL;
}

static void
put_metrics (void *ctx, bool openmetrics, struct buf *out)
{
  (void) ctx;
  (void) openmetrics;
  buf_puts (out, "toolhost_calls_total 1\n");
}

static void
put_plugins (void *ctx, struct buf *out)
{
  (void) ctx;
  buf_puts (out, "{\"plugins\":[]}");
}

static bool
release (void *ctx, const char *name)
{
  struct fake_env *fake = ctx;

  fake->releases++;
  return strcmp (name, "echo") == 0;
}

static bool
reload (void *ctx, struct error *err)
{
  struct fake_env *fake = ctx;

  fake->reloads++;
  return fake->bad_configuration == NULL || error_set (err, "%s", fake->bad_configuration);
}

static struct tool *
tool_new (const char *name)
{
  struct tool *tool = xcalloc (1, sizeof *tool);

  tool->refs = 1;
  tool->name = xstrdup (name);
  tool->name_len = strlen (name);
  buf_printf (&tool->mcp, "{\"name\":\"%s\",\"modern\":1}", name);
  return tool;
}

void
fake_env_offers (struct fake_env *fake)
{
  static const struct {
    enum offer offer;
    const char *name;
  } rows[] = { { OFFER_RESOURCE, "a:2" },   { OFFER_RESOURCE, "a:1" }, { OFFER_RESOURCE, "a:3" },
               { OFFER_TEMPLATE, "a:{b}" }, { OFFER_PROMPT, "ask" },   { OFFER_TOOL, "echo" } };
  enum { ROWS = sizeof rows / sizeof rows[0] };
  struct tool *tools[ROWS];

  for (size_t i = 0; i < ROWS; i++) {
    tools[i] = tool_new (rows[i].name);
    tools[i]->offer = rows[i].offer;
    tools[i]->description = xstrdup ("Asks.");
  }
  catalog_swap (fake->env.catalog,
                toolset_new (tools, ROWS, catalog_toolset (fake->env.catalog)->generation + 1));
}

void
fake_env_tools (struct fake_env *fake, const char *const *names)
{
  struct tool *tools[16];
  size_t count = 0;

  for (; names[count] != NULL; count++)
    tools[count] = tool_new (names[count]);
  catalog_swap (fake->env.catalog,
                toolset_new (tools, count, catalog_toolset (fake->env.catalog)->generation + 1));
}

void
fake_env_init (struct fake_env *fake)
{
  static const char *const names[] = { "alpha", "beta", "canned", "echo", "later", NULL };

  *fake = (struct fake_env){ .not_ready = NULL };
  fake->env = (struct front_env){
    .loop = ev_loop_new (EVFLAG_AUTO),
    .calls = &fake->calls,
    .catalog = catalog_new (),
    .version = "1.2.3",
    .body_max = 4096,
    .json_depth = 16,
    .page_size = 2,
    .manage = { .ctx = fake,
                .ready = is_ready,
                .metrics = put_metrics,
                .plugins = put_plugins,
                .release = release,
                .reload = reload },
  };
  fake_env_tools (fake, names);
}

void
fake_env_free (struct fake_env *fake)
{
  for (size_t i = 0; i < fake->calls.started; i++)
    if (fake->calls.running[i] != NULL)
      call_end (fake->calls.running[i]);
  catalog_free (fake->env.catalog);
  ev_loop_destroy (fake->env.loop);
}
