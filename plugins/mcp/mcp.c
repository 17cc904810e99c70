/* mcp - the tools of other MCP servers as ours, built for each tenant from its feature "mcp". */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <toolhost.h>

#include "tool.h"

enum { TOOLS_MAX = 2000 /* of one server */ };

/* ---- trying again ---- */

/* A server that was not there while its tools were to be built: later all is built anew. */
static struct retry {
  pthread_mutex_t lock;
  pthread_cond_t news;
  pthread_t thread;
  const toolhost_host *host;
  int64_t at; /* CLOCK_MONOTONIC, ms; 0: nothing is to be tried */
  bool runs, stop;
} retry = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void *
retry_main (void *arg)
{
  (void) arg;
  pthread_mutex_lock (&retry.lock);
  while (!retry.stop && upstream_now () < retry.at) {
    struct timespec until = { .tv_sec = retry.at / 1000, .tv_nsec = retry.at % 1000 * 1000000 };
    pthread_cond_timedwait (&retry.news, &retry.lock, &until);
  }
  if (!retry.stop)
    (void) toolhost_rebuild (retry.host, "mcp");
  pthread_mutex_unlock (&retry.lock);
  return NULL;
}

static void
retry_later (const toolhost_host *host, int64_t ms)
{
  pthread_condattr_t monotonic;
  int64_t at = upstream_now () + ms;
  sigset_t all, before;

  pthread_mutex_lock (&retry.lock);
  if (!retry.runs || at < retry.at)
    retry.at = at;
  retry.host = host;
  if (!retry.runs) {
    pthread_condattr_init (&monotonic);
    pthread_condattr_setclock (&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init (&retry.news, &monotonic);
    pthread_condattr_destroy (&monotonic);
    retry.stop = false;
    sigfillset (&all);
    pthread_sigmask (SIG_SETMASK, &all, &before);
    retry.runs = pthread_create (&retry.thread, NULL, retry_main, NULL) == 0;
    pthread_sigmask (SIG_SETMASK, &before, NULL);
  }
  else
    pthread_cond_signal (&retry.news);
  pthread_mutex_unlock (&retry.lock);
}

static void
close_retry (void *self)
{
  (void) self;
  pthread_mutex_lock (&retry.lock);
  retry.stop = true;
  if (retry.runs)
    pthread_cond_signal (&retry.news);
  pthread_mutex_unlock (&retry.lock);
  if (retry.runs)
    pthread_join (retry.thread, NULL);
  retry.runs = false;
}

/* ---- building ---- */

struct names {
  char (*list)[65];
  size_t count;
};

static bool
is_taken (const struct names *names, const char *name)
{
  for (size_t i = 0; i < names->count; i++)
    if (strcmp (names->list[i], name) == 0)
      return true;
  return false;
}

/* Two of theirs may come to one of ours: the later one gets a number. */
static bool
name_it (struct names *names, const char *prefix, const char *theirs, char name[65])
{
  void *longer = realloc (names->list, (names->count + 1) * sizeof *names->list);
  char first[65];

  if (longer == NULL)
    return false;
  names->list = longer;
  tool_name (first, prefix, theirs);
  strcpy (name, first);
  for (unsigned number = 2; is_taken (names, name); number++)
    (void) snprintf (name, 65, "%.58s_%u", first, number);
  strcpy (names->list[names->count++], name);
  return name[0] != '\0';
}

static void
add_tools (toolhost_build *build, struct upstream *upstream, const struct value *list,
           struct names *names)
{
  for (size_t i = 0; i < list->count && i < TOOLS_MAX; i++) {
    const char *theirs = value_cstring (value_get_z (list->items[i], "name"));
    struct upstream_tool *tool;
    char name[65];
    if (theirs == NULL || theirs[0] == '\0' || !config_wants (&upstream->config, theirs)
        || !name_it (names, upstream->config.prefix, theirs, name))
      continue;
    tool = tool_new (upstream, list->items[i], name);
    if (tool != NULL && toolhost_add_tool (build, &tool_callbacks, tool) != TOOLHOST_OK)
      tool_free (tool);
  }
}

static void
say_absent (toolhost_call *call, const struct asking *asking)
{
  CLEANUP_TEXT struct text members = { 0 };

  json_open (&members, '{');
  json_name_string (&members, "server", asking->upstream->config.name);
  json_name_string (&members, "why", asking->message);
  json_close (&members, '}');
  (void) toolhost_event (call, TOOLHOST_WARNING, "upstream_unavailable", text_get (&members));
}

/* A server that is not there costs no other its tools. */
static void
build_server (toolhost_build *build, toolhost_call *call, struct server_config *config,
              struct names *names, int64_t *retry_ms)
{
  int64_t connect_ms = config->connect_ms;
  struct upstream *upstream = upstream_new (build->host, config);
  struct asking asking = { .upstream = upstream, .call = call };
  int64_t left = toolhost_time_left (call);
  const struct value *list;

  if (upstream == NULL)
    return;
  asking.until = upstream_now () + (left < connect_ms ? left : connect_ms);
  list = upstream_list (&asking);
  if (list != NULL)
    add_tools (build, upstream, list, names);
  else {
    say_absent (call, &asking);
    *retry_ms = upstream->config.retry_ms < *retry_ms ? upstream->config.retry_ms : *retry_ms;
  }
  asking_free (&asking);
  upstream_unref (upstream);
}

static toolhost_status
build (toolhost_build *build, const char *text, size_t len)
{
  toolhost_call *call = toolhost_build_call (build);
  struct config config = { .count = 0 };
  struct names names = { .count = 0 };
  int64_t retry_ms = INT64_MAX;
  bool good = config_read (&config, build, text, len);

  if (good && call == NULL)
    good = toolhost_build_error (build, "", "this host is too old: a builder can't ask anybody")
           == TOOLHOST_OK;
  for (size_t i = 0; good && i < config.count; i++)
    build_server (build, call, &config.servers[i], &names, &retry_ms);
  if (retry_ms != INT64_MAX)
    retry_later (build->host, retry_ms);
  for (size_t i = 0; i < config.count; i++)
    server_config_free (&config.servers[i]);
  free (names.list);
  return good ? TOOLHOST_OK : TOOLHOST_FAILED;
}

static const toolhost_builder builder = { TOOLHOST_BUILDER, .feature = "mcp", .build = build,
                                          .release = tool_free };

TOOLHOST_PLUGIN (.name = "mcp", .version = "1.0", .description = "The tools of other MCP servers.",
                 .threads = TOOLHOST_PARALLEL, .close = close_retry, TOOLHOST_BUILDERS (&builder))
