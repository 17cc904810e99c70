#include "upstream.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  PAUSE_MS = 500,       /* before a server that was lost is connected to again, … */
  PAUSE_MAX_MS = 30000, /* … twice as long each time, up to this */
  PROBE_MS = 3000,      /* for the answer to a question that an older server may not know */
  PAGES_MAX = 200,
  LOG_MAX = 2000 /* bytes of a line */
};

int64_t
upstream_now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (int64_t) t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- one request ---- */

void
asking_free (struct asking *asking)
{
  values_free (&asking->pool);
}

bool
asking_failed (struct asking *asking, const char *code, const char *fmt, ...)
{
  va_list args;

  asking->code = code;
  asking->result = asking->error = NULL;
  va_start (args, fmt);
  (void) vsnprintf (asking->message, sizeof asking->message, fmt, args);
  va_end (args);
  return false;
}

/* ---- one server ---- */

struct upstream *
upstream_new (const toolhost_host *host, struct server_config *config)
{
  struct upstream *upstream = calloc (1, sizeof *upstream);
  pthread_condattr_t monotonic;

  if (upstream == NULL)
    return NULL;
  upstream->host = host;
  upstream->config = *config;
  *config = (struct server_config){ 0 };
  upstream->era = upstream->config.era;
  upstream->pause_ms = PAUSE_MS;
  atomic_init (&upstream->references, 1);
  atomic_init (&upstream->next_id, 0);
  pthread_mutex_init (&upstream->lock, NULL);
  pthread_condattr_init (&monotonic);
  pthread_condattr_setclock (&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init (&upstream->changed, &monotonic);
  pthread_condattr_destroy (&monotonic);
  if (upstream->config.process != NULL && (upstream->pipe = pipe_new (upstream)) == NULL) {
    upstream_unref (upstream);
    return NULL;
  }
  return upstream;
}

struct upstream *
upstream_ref (struct upstream *upstream)
{
  atomic_fetch_add (&upstream->references, 1);
  return upstream;
}

void
upstream_unref (struct upstream *upstream)
{
  if (atomic_fetch_sub (&upstream->references, 1) != 1)
    return;
  if (upstream->pipe != NULL)
    pipe_free (upstream->pipe);
  server_config_free (&upstream->config);
  pthread_cond_destroy (&upstream->changed);
  pthread_mutex_destroy (&upstream->lock);
  free (upstream);
}

void
upstream_lost (struct upstream *upstream, const char *why)
{
  pthread_mutex_lock (&upstream->lock);
  if (upstream->state == UPSTREAM_READY) {
    upstream->state = UPSTREAM_DOWN;
    upstream->again_at = upstream_now () + upstream->pause_ms;
    upstream->pause_ms =
      2 * upstream->pause_ms < PAUSE_MAX_MS ? 2 * upstream->pause_ms : PAUSE_MAX_MS;
    (void) snprintf (upstream->problem, sizeof upstream->problem, "%s", why);
  }
  pthread_cond_broadcast (&upstream->changed);
  pthread_mutex_unlock (&upstream->lock);
}

void
upstream_set_session (struct upstream *upstream, const char *session)
{
  pthread_mutex_lock (&upstream->lock);
  (void) snprintf (upstream->session, sizeof upstream->session, "%s",
                   session != NULL ? session : "");
  pthread_mutex_unlock (&upstream->lock);
}

/* ---- what it says by itself ---- */

static void
log_said (struct upstream *upstream, const struct message *message)
{
  static const struct {
    const char *name;
    int32_t level;
  } levels[] = {
    { "debug", TOOLHOST_DEBUG },
    { "info", TOOLHOST_INFO },
    { "notice", TOOLHOST_INFO },
    { "warning", TOOLHOST_WARNING },
  };
  const char *said = value_cstring (value_get_z (message->params, "level"));
  const struct value *data = value_get_z (message->params, "data");
  CLEANUP_TEXT struct text line = { 0 }, written = { 0 };
  int32_t level = TOOLHOST_ERROR;

  for (size_t i = 0; said != NULL && i < sizeof levels / sizeof *levels; i++)
    if (strcmp (levels[i].name, said) == 0)
      level = levels[i].level;
  if (value_cstring (data) != NULL)
    text_add (&written, value_cstring (data));
  else if (data != NULL)
    value_write (&written, data);
  text_addf (&line, "%s: ", upstream->config.name);
  text_add_line (&line, text_get (&written), written.len < LOG_MAX ? written.len : LOG_MAX);
  upstream->host->host_log (upstream->host, level, text_get (&line), line.len);
}

void
upstream_heard (struct upstream *upstream, const struct message *message)
{
  if (strcmp (message->method, "notifications/tools/list_changed") == 0)
    (void) toolhost_rebuild (upstream->host, "mcp");
  else if (strcmp (message->method, "notifications/message") == 0)
    log_said (upstream, message);
}

void
upstream_progress (struct asking *asking, const struct message *message)
{
  const struct value *done = value_get_z (message->params, "progress");
  const struct value *total = value_get_z (message->params, "total");
  const char *text = value_cstring (value_get_z (message->params, "message"));

  if (strcmp (message->method, "notifications/progress") != 0)
    upstream_heard (asking->upstream, message);
  else if (asking->progress && value_is (done, VALUE_NUMBER))
    toolhost_progress (asking->call, value_number (done), value_number (total), "%s",
                       text != NULL ? text : "");
}

/* ---- asking ---- */

static bool
exchange (struct asking *asking)
{
  struct upstream *upstream = asking->upstream;
  int64_t id = atomic_fetch_add (&upstream->next_id, 1) + 1;
  CLEANUP_TEXT struct text message = { 0 };

  asking->code = NULL;
  asking->result = asking->error = NULL;
  asking->late = false;
  asking->message[0] = '\0';
  message_request (&message, asking->modern, id, asking->method, asking->params, asking->progress,
                   asking->trace);
  if (!text_ok (&message))
    return asking_failed (asking, "out_of_memory", "There is no memory for the request.");
  return upstream->pipe != NULL ? pipe_ask (upstream->pipe, asking, id, &message)
                                : http_ask (asking, id, &message);
}

static void
tell (struct asking *asking, const char *method)
{
  CLEANUP_TEXT struct text message = { 0 };

  message_notification (&message, method, "");
  if (asking->upstream->pipe != NULL)
    (void) pipe_tell (asking->upstream->pipe, &message);
  else
    (void) http_tell (asking, &message);
}

/* Another request of the same thread, for the same call. */
static struct asking
ask_also (const struct asking *asking, const char *method, const char *params, bool modern)
{
  return (struct asking){ .upstream = asking->upstream,
                          .call = asking->call,
                          .method = method,
                          .params = params,
                          .modern = modern,
                          .until = asking->until };
}

static bool
take_failure (struct asking *asking, const struct asking *other)
{
  asking->code = other->code;
  asking->late = other->late;
  asking->status = other->status;
  (void) snprintf (asking->message, sizeof asking->message, "%s", other->message);
  return false;
}

/* ---- the handshakes ---- */

static bool
knows_modern (const struct value *result)
{
  const struct value *list = value_get_z (result, "supportedVersions");

  for (size_t i = 0; value_is (list, VALUE_ARRAY) && i < list->count; i++) {
    const char *revision = value_cstring (list->items[i]);
    if (revision != NULL && strcmp (revision, MODERN_REVISION) == 0)
      return true;
  }
  return false;
}

/* Does it speak the newest revision?  1: yes; 0: no, an older one is worth a try; -1: it can't be
 * asked at all.  *lost: there was no answer, and a program may have ended over the question. */
static int
discover (struct asking *asking, bool *lost)
{
  struct asking probe = ask_also (asking, "server/discover", "", true);
  int64_t soon = upstream_now () + PROBE_MS;
  int answer;

  if (asking->upstream->pipe != NULL && asking->upstream->era == ERA_AUTO && soon < probe.until)
    probe.until = soon;
  answer = exchange (&probe) ? knows_modern (probe.result) : 0;
  *lost = probe.code != NULL;
  if (*lost) /* a program may not answer at all to what it does not know */
    answer = asking->upstream->pipe != NULL
                 || (probe.status >= 400 && probe.status < 500 && probe.status != 401
                     && probe.status != 403)
               ? 0
               : -1;
  if (answer < 0)
    (void) take_failure (asking, &probe);
  asking_free (&probe);
  return answer;
}

static bool
is_known (const char *revision)
{
  static const char *const known[] = { "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05" };

  for (size_t i = 0; revision != NULL && i < sizeof known / sizeof *known; i++)
    if (strcmp (known[i], revision) == 0)
      return true;
  return false;
}

static bool
initialize (struct asking *asking)
{
  static const char params[] = "\"protocolVersion\":\"" LEGACY_REVISION "\",\"capabilities\":{},"
                               "\"clientInfo\":{\"name\":\"toolhost\",\"version\":\"1\"}";
  struct asking first = ask_also (asking, "initialize", params, false);
  struct upstream *upstream = asking->upstream;
  const char *revision;
  bool good = false;

  upstream_set_session (upstream, NULL);
  upstream->revision[0] = '\0';
  if (exchange (&first)) {
    revision = value_cstring (value_get_z (first.result, "protocolVersion"));
    good = is_known (revision);
    if (good)
      (void) snprintf (upstream->revision, sizeof upstream->revision, "%s", revision);
    else
      (void) asking_failed (asking, "upstream_unavailable",
                            "%s speaks a revision of MCP that is not known here.",
                            upstream->config.name);
  }
  else if (first.error != NULL) {
    const char *text = value_cstring (value_get_z (first.error, "message"));
    (void) asking_failed (asking, "upstream_unavailable", "%s refused the handshake: %.200s",
                          upstream->config.name, text != NULL ? text : "no reason was given");
  }
  else
    (void) take_failure (asking, &first);
  asking_free (&first);
  if (good)
    tell (asking, "notifications/initialized");
  return good;
}

static bool
shake_hands (struct asking *asking)
{
  struct upstream *upstream = asking->upstream;
  bool lost = false;
  int modern = upstream->era == ERA_LEGACY ? 0 : discover (asking, &lost);

  if (modern < 0)
    return false;
  if (modern == 0 && upstream->era == ERA_MODERN)
    return asking->code != NULL
           || asking_failed (asking, "upstream_unavailable", "%s does not speak %s.",
                             upstream->config.name, MODERN_REVISION);
  if (modern > 0) {
    (void) snprintf (upstream->revision, sizeof upstream->revision, "%s", MODERN_REVISION);
    upstream->era = ERA_MODERN;
    return true;
  }
  if (upstream->pipe != NULL && lost && !pipe_open (upstream->pipe, asking))
    return false;
  if (!initialize (asking))
    return false;
  upstream->era = ERA_LEGACY;
  return true;
}

/* ---- being connected ---- */

/* This thread connects; nobody else does. */
static bool
connect_now (struct asking *asking)
{
  struct upstream *upstream = asking->upstream;
  int64_t until = asking->until, soon = upstream_now () + upstream->config.connect_ms;
  bool good;

  if (soon < asking->until)
    asking->until = soon;
  good = (upstream->pipe == NULL || pipe_open (upstream->pipe, asking)) && shake_hands (asking);
  asking->until = until;
  if (!good && upstream->pipe != NULL)
    pipe_close (upstream->pipe);
  return good;
}

static void
set_connected (struct asking *asking, bool good)
{
  struct upstream *upstream = asking->upstream;

  pthread_mutex_lock (&upstream->lock);
  upstream->state = UPSTREAM_READY;
  pthread_mutex_unlock (&upstream->lock);
  if (!good)
    upstream_lost (upstream, asking->message);
  else {
    pthread_mutex_lock (&upstream->lock);
    pthread_cond_broadcast (&upstream->changed);
    pthread_mutex_unlock (&upstream->lock);
  }
}

/* Under the lock: another thread connects. */
static void
wait_for_other (struct upstream *upstream)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  t.tv_nsec += 50 * 1000000;
  t.tv_sec += t.tv_nsec / 1000000000;
  t.tv_nsec %= 1000000000;
  pthread_cond_timedwait (&upstream->changed, &upstream->lock, &t);
}

static bool changed_meanwhile (struct asking *asking);

static bool
be_connected (struct asking *asking)
{
  struct upstream *upstream = asking->upstream;
  bool mine = false, good;
  int64_t left;

  pthread_mutex_lock (&upstream->lock);
  while (upstream->state == UPSTREAM_CONNECTING && upstream_now () < asking->until
         && !toolhost_cancelled (asking->call))
    wait_for_other (upstream);
  good = upstream->state == UPSTREAM_READY;
  left = upstream->again_at - upstream_now ();
  mine = upstream->state == UPSTREAM_DOWN && left <= 0;
  if (mine)
    upstream->state = UPSTREAM_CONNECTING;
  else if (!good)
    (void) asking_failed (asking, "upstream_unavailable", "%s is not there: %s",
                          upstream->config.name,
                          upstream->problem[0] != '\0' ? upstream->problem : "it is connected to");
  pthread_mutex_unlock (&upstream->lock);
  if (!mine)
    return good;
  good = connect_now (asking);
  set_connected (asking, good);
  return good && !changed_meanwhile (asking);
}

/* ---- what it is asked for ---- */

/* A session that the server has forgotten is begun anew, once. */
static bool
begin_again (struct asking *asking)
{
  struct upstream *upstream = asking->upstream;
  bool mine;

  if (upstream->pipe != NULL || upstream->era != ERA_LEGACY || asking->status != 404)
    return false;
  pthread_mutex_lock (&upstream->lock);
  mine = upstream->state == UPSTREAM_READY;
  if (mine)
    upstream->state = UPSTREAM_CONNECTING;
  pthread_mutex_unlock (&upstream->lock);
  if (mine)
    set_connected (asking, connect_now (asking));
  return be_connected (asking);
}

bool
upstream_ask (struct asking *asking)
{
  struct upstream *upstream = asking->upstream;

  if (!be_connected (asking))
    return false;
  asking->modern = upstream->era == ERA_MODERN;
  if (!exchange (asking) && !(begin_again (asking) && exchange (asking)))
    return false;
  pthread_mutex_lock (&upstream->lock);
  upstream->pause_ms = PAUSE_MS;
  pthread_mutex_unlock (&upstream->lock);
  return true;
}

static void
write_page (struct text *params, const char *cursor)
{
  if (cursor == NULL)
    return;
  text_add (params, "\"cursor\":");
  json_string (params, cursor);
}

/* One page; false: asking says why. */
static bool
add_page (struct asking *asking, const struct value **all, const char **cursor, char room[1024])
{
  CLEANUP_TEXT struct text params = { 0 };
  struct asking page = ask_also (asking, "tools/list", "", false);
  const struct value *tools, *next;

  write_page (&params, *cursor);
  page.params = text_get (&params);
  page.modern = asking->upstream->era == ERA_MODERN;
  if (!exchange (&page)) {
    if (page.error != NULL)
      (void) asking_failed (asking, "upstream_unavailable",
                            "%s does not list its tools (error %d).", asking->upstream->config.name,
                            message_error_code (page.error));
    else
      (void) take_failure (asking, &page);
    asking_free (&page);
    return false;
  }
  tools = value_get_z (page.result, "tools");
  next = value_get_z (page.result, "nextCursor");
  if (value_is (tools, VALUE_ARRAY)) {
    CLEANUP_TEXT struct text copy = { 0 };
    const struct value *own;
    value_write (&copy, tools);
    own = value_parse (&asking->pool, text_get (&copy), copy.len);
    for (size_t i = 0; own != NULL && i < own->count; i++)
      *all = value_append (&asking->pool, *all, own->items[i]);
  }
  *cursor = NULL;
  if (value_cstring (next) != NULL && strlen (value_cstring (next)) < 1024)
    *cursor = strcpy (room, value_cstring (next));
  asking_free (&page);
  return true;
}

static uint64_t
digest (const struct value *list)
{
  CLEANUP_TEXT struct text written = { 0 };
  uint64_t hash = 14695981039346656037U;

  value_write (&written, list);
  for (size_t i = 0; i < written.len; i++)
    hash = (hash ^ (unsigned char) written.data[i]) * 1099511628211U;
  return hash;
}

static const struct value *
list_pages (struct asking *asking)
{
  const struct value *all = &value_no_items;
  const char *cursor = NULL;
  char room[1024];
  int pages = 0;

  do
    if (!add_page (asking, &all, &cursor, room))
      return NULL;
  while (cursor != NULL && ++pages < PAGES_MAX);
  if (!values_ok (&asking->pool)) {
    (void) asking_failed (asking, "out_of_memory", "There is no memory for its tools.");
    return NULL;
  }
  return all;
}

const struct value *
upstream_list (struct asking *asking)
{
  struct upstream *upstream = asking->upstream;
  const struct value *list;

  if (!be_connected (asking))
    return NULL;
  list = list_pages (asking);
  if (list != NULL) {
    upstream->tools_digest = digest (list);
    upstream->listed = true;
  }
  return list;
}

/* A server that comes back may have other tools: then they are built anew.  True: it can't be asked
 * after all. */
static bool
changed_meanwhile (struct asking *asking)
{
  struct upstream *upstream = asking->upstream;
  struct asking look = ask_also (asking, "tools/list", "", false);
  const struct value *list;

  if (!upstream->listed)
    return false;
  list = list_pages (&look);
  if (list != NULL && digest (list) != upstream->tools_digest)
    (void) toolhost_rebuild (upstream->host, "mcp");
  asking_free (&look);
  return false;
}
