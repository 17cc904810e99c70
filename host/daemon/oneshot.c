#include "daemon/oneshot.h"

#include <ev.h>
#include <stdlib.h>

#include "base/json_tape.h"
#include "daemon/config.h"
#include "daemon/host.h"
#include "daemon/paths.h"
#include "daemon/settings.h"

struct oneshot {
  struct ev_loop *loop;
  struct host *host;
  ev_async interrupt;
  /* the call that runs */
  struct call *call;
  const struct call_events *events;
  void *ctx;
  bool done;
};

static void
on_interrupt (struct ev_loop *loop, ev_async *async, int revents)
{
  struct oneshot *oneshot = async->data;

  (void) loop;
  (void) revents;
  if (oneshot->call != NULL && !oneshot->done)
    call_cancel (oneshot->call);
}

static struct host *
make_host (struct ev_loop *loop, const char *plugin_file, struct error *err)
{
  struct host_options options = { .config_dir = -1, .single = plugin_file, .quiet = true };

  options.worker = paths_open_worker (getenv ("TOOLHOST_WORKER"), err);
  if (options.worker < 0)
    return NULL;
  config_init (&options.config);
  settings_free_strings (options.config.listen);
  options.config.listen = NULL;
  free (options.config.socket);
  options.config.socket = NULL;
  free (options.config.state_dir);
  options.config.state_dir = NULL;
  return host_new (loop, &options, err);
}

/* The sentence about why the only plugin has no tools. */
static void
find_problem (struct host *host, struct error *err)
{
  CLEANUP_BUF struct buf text = { 0 };
  CLEANUP_ARENA struct arena arena = { 0 };
  struct json_tape tape;
  const struct json_node *problem = NULL;
  static const char first[] = "/plugins/0/problems/0";

  host_render_plugins (host, &text);
  if (json_read (&tape, text.data, text.len, &json_default_limits, &arena))
    problem = json_pointer (&tape, json_root (&tape), first, sizeof first - 1);
  if (problem != NULL)
    error_set (err, "%s", json_cstring (&tape, problem, &arena));
  else
    error_set (err, "it offers no tools");
}

struct oneshot *
oneshot_open_builder (const char *plugin_file, struct error *err)
{
  struct oneshot *oneshot = xcalloc (1, sizeof *oneshot);

  oneshot->loop = ev_loop_new (EVFLAG_AUTO);
  ev_async_init (&oneshot->interrupt, on_interrupt);
  oneshot->interrupt.data = oneshot;
  ev_async_start (oneshot->loop, &oneshot->interrupt);
  oneshot->host = make_host (oneshot->loop, plugin_file, err);
  if (oneshot->host == NULL) {
    oneshot_close (oneshot);
    return NULL;
  }
  host_start (oneshot->host);
  while (!host_ready (oneshot->host))
    ev_run (oneshot->loop, EVRUN_ONCE);
  return oneshot;
}

struct oneshot *
oneshot_open (const char *plugin_file, struct error *err)
{
  struct oneshot *oneshot = oneshot_open_builder (plugin_file, err);

  if (oneshot != NULL && catalog_toolset (host_catalog (oneshot->host))->all == 0) {
    find_problem (oneshot->host, err);
    oneshot_close (oneshot);
    return NULL;
  }
  return oneshot;
}

static void
on_progress (void *ctx, double done, double total, const char *text, size_t len)
{
  struct oneshot *oneshot = ctx;
  if (oneshot->events->progress != NULL)
    oneshot->events->progress (oneshot->ctx, done, total, text, len);
}

static void
on_log (void *ctx, int level, const char *text, size_t len)
{
  struct oneshot *oneshot = ctx;
  if (oneshot->events->log != NULL)
    oneshot->events->log (oneshot->ctx, level, text, len);
}

static void
on_done (void *ctx, const struct result *result)
{
  struct oneshot *oneshot = ctx;

  oneshot->done = true;
  oneshot->events->done (oneshot->ctx, result);
}

/* In the toolset of the request. */
static void
run_call (struct oneshot *oneshot, struct call_request *request, const struct call_events *events,
          void *ctx)
{
  static const struct call_events through = { .progress = on_progress,
                                              .log = on_log,
                                              .done = on_done };

  oneshot->events = events;
  oneshot->ctx = ctx;
  oneshot->done = false;
  oneshot->call = call_start (host_calls (oneshot->host), request, &through, oneshot);
  while (!oneshot->done)
    ev_run (oneshot->loop, EVRUN_ONCE);
  oneshot->call = NULL;
}

void
oneshot_call (struct oneshot *oneshot, struct call_request *request,
              const struct call_events *events, void *ctx)
{
  request->toolset = oneshot_toolset (oneshot);
  run_call (oneshot, request, events, ctx);
}

bool
oneshot_call_internal (struct oneshot *oneshot, const char *feature, struct call_request *request,
                       const struct call_events *events, void *ctx)
{
  struct tool *tool = host_internal_tool (oneshot->host, feature, request->name);

  if (tool == NULL)
    return false;
  request->toolset = toolset_new (&(struct tool *){ tool_ref (tool) }, 1, 0);
  run_call (oneshot, request, events, ctx);
  toolset_unref (request->toolset);
  return true;
}

void
oneshot_interrupt (struct oneshot *oneshot)
{
  ev_async_send (oneshot->loop, &oneshot->interrupt);
}

struct toolset *
oneshot_toolset (struct oneshot *oneshot)
{
  return catalog_toolset (host_catalog (oneshot->host));
}

void
oneshot_describe (struct oneshot *oneshot, struct buf *out)
{
  host_render_plugins (oneshot->host, out);
}

void
oneshot_close (struct oneshot *oneshot)
{
  if (oneshot == NULL)
    return;
  ev_async_stop (oneshot->loop, &oneshot->interrupt);
  if (oneshot->host != NULL) {
    host_stop (oneshot->host);
    ev_run (oneshot->loop, 0);
    host_free (oneshot->host);
  }
  ev_loop_destroy (oneshot->loop);
  free (oneshot);
}
