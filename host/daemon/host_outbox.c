#include <time.h>

#include "call/claim.h"
#include "daemon/host_parts.h"

enum { LETTERS_MAX = 100000 };

static int64_t
now_ms (void *ctx)
{
  struct timespec now;

  (void) ctx;
  (void) clock_gettime (CLOCK_REALTIME, &now);
  return (int64_t) now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static double
dice (void *ctx)
{
  return pool_random (&((struct host *) ctx)->pool);
}

/* Of a tenant without a file those of "default". */
static const struct hooks *
hooks_of (const struct host *host, const char *tenant)
{
  const struct tenant_file *file = tenant_files_find (&host->tenants, tenant);

  if (file == NULL)
    file = tenant_files_find (&host->tenants, TENANT_DEFAULT);
  return file != NULL ? &file->settings.hooks : NULL;
}

/* Once for each time that it fills up. */
static bool
is_full (struct host *host)
{
  const bool full = store_figures (host->store).letters >= LETTERS_MAX;

  if (full && !host->outbox_full)
    log_event (host->log, LOG_ERROR, "outbox_full", "letters", LOG_INT (LETTERS_MAX), "why",
               "what ends now is not told to webhooks", NULL);
  host->outbox_full = full;
  return full;
}

static size_t
wanting (void *ctx, const char *tenant, enum call_event event, const char **names, size_t max)
{
  struct host *host = ctx;
  const struct hooks *hooks = hooks_of (host, tenant);
  size_t count = 0;

  if (hooks == NULL || hooks->count == 0 || is_full (host))
    return 0;
  for (size_t i = 0; i < hooks->count && count < max; i++)
    if ((hooks->list[i].events & event) != 0)
      names[count++] = hooks->list[i].name;
  return count;
}

static void
on_posted (void *ctx)
{
  outbox_wake (((struct host *) ctx)->outbox);
}

static const struct hook *
find (void *ctx, const char *tenant, const char *name)
{
  struct host *host = ctx;
  const struct hooks *hooks = hooks_of (host, tenant);
  struct error err = { 0 };

  if (host->config.http_replay == NULL && !http_curl_load (host->curl, &err))
    log_event (host->log, LOG_ERROR, "http_failed", "why", err.text, NULL);
  return hooks != NULL ? hooks_find (hooks, name) : NULL;
}

void
host_make_outbox (struct host *host)
{
  struct outbox_settings settings = outbox_defaults;

  if (host->store == NULL)
    return;
  settings.loop = host->loop;
  settings.log = host->log;
  settings.store = host->store;
  settings.broker = &host->broker;
  settings.find = find;
  settings.now_ms = now_ms;
  settings.random = dice;
  settings.ctx = host;
  host->outbox = outbox_new (&settings);
  host->hooks =
    (struct claims_hooks){ .wanting = wanting, .posted = on_posted, .now_ms = now_ms, .ctx = host };
  outbox_wake (host->outbox); /* what an earlier daemon has left */
}

void
host_outbox_metrics (const struct host *host, struct buf *out)
{
  struct outbox_counts counts;

  if (host->outbox == NULL)
    return;
  counts = outbox_counts (host->outbox);
  metrics_head (out, "toolhost_outbox_total", "counter",
                "Webhooks that were sent, tries that failed, webhooks that were given up.");
  metrics_sample (out, "toolhost_outbox_total", "outcome=\"sent\"", (double) counts.sent);
  metrics_sample (out, "toolhost_outbox_total", "outcome=\"failed\"", (double) counts.failed);
  metrics_sample (out, "toolhost_outbox_total", "outcome=\"given_up\"", (double) counts.given_up);
}
