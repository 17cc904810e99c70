#include "daemon/host_parts.h"

static const double TICK_SECONDS = 60, AGAIN_SECONDS = 0.1, PATIENCE_SECONDS = 10;

enum { LETTER_BESIDE = 64 * 1024 /* bytes of a letter beside its result */ };

static void
on_health (void *ctx, bool well, const char *why)
{
  struct host *host = ctx;

  host->store_unwell = !well;
  if (well)
    log_event (host->log, LOG_NOTICE, "store_well", NULL);
  else
    log_event (host->log, LOG_ERROR, "store_unwell", "why", why, NULL);
}

static void
on_tick (struct ev_loop *loop, ev_timer *timer, int revents)
{
  (void) loop;
  (void) revents;
  store_tick (((struct host *) timer->data)->store);
}

bool
host_open_store (struct host *host, struct error *err)
{
  struct store_settings settings = store_defaults;

  if (host->single != NULL) /* a daemon of one call */
    return true;
  settings.loop = host->loop;
  settings.log = host->log;
  /* An agent's own daemon, on its standard input, may run beside another one of the same folder;
   * nothing that it is asked has a name. */
  settings.folder = host->serve_stdio ? NULL : host->config.state_dir;
  settings.health = on_health;
  settings.ctx = host;
  settings.result_max = (size_t) host->config.store_result_max;
  settings.letter_max = settings.result_max + LETTER_BESIDE;
  settings.result_ttl_ms = host->config.store_ttl_ms;
  if (host->config.store_retention_ms != 0)
    settings.removed_ttl_ms = host->config.store_retention_ms;
  settings.memory_max = (size_t) host->config.store_memory;
  settings.file_max = (uint64_t) host->config.store_disk;
  host->store =
    settings.folder != NULL ? store_open_sqlite (&settings, err) : store_open_memory (&settings);
  if (host->store == NULL)
    return error_wrap (err, "the record of calls can't be opened: ");
  log_event (host->log, LOG_INFO, "store_opened", "engine", store_name (host->store), "calls",
             LOG_INT (store_figures (host->store).calls), "unknown",
             LOG_INT (store_figures (host->store).unknown), NULL);
  ev_timer_init (&host->store_tick, on_tick, 0,
                 TICK_SECONDS); /* first: what is over since the last daemon */
  host->store_tick.data = host;
  ev_timer_start (host->loop, &host->store_tick);
  return true;
}

static void
make_approvals (struct host *host)
{
  struct approvals_settings settings = approvals_defaults;

  if (host->store == NULL)
    return;
  settings.loop = host->loop;
  settings.log = host->log;
  settings.store = host->store;
  settings.approved = calls_begin_approved;
  settings.ctx = host->calls;
  settings.keep_ms = host->config.store_ttl_ms;
  if (settings.keep_ms < host->config.store_retention_ms)
    settings.keep_ms = host->config.store_retention_ms;
  /* What was approved begins while the store would still know that it had. */
  if (settings.ttl_ms > host->config.store_ttl_ms)
    settings.ttl_ms = host->config.store_ttl_ms;
  host->approvals = approvals_new (&settings);
  calls_ask_people (host->calls, host->approvals);
  approvals_load (host->approvals);
}

void
host_keep_calls (struct host *host)
{
  if (host->store != NULL)
    calls_keep (host->calls, &(struct calls_store){ .store = host->store,
                                                    .again = AGAIN_SECONDS,
                                                    .patience = PATIENCE_SECONDS,
                                                    .hooks = &host->hooks });
  make_approvals (host);
}

static void
metric (struct buf *out, const char *name, const char *type, const char *help, double value)
{
  metrics_head (out, name, type, help);
  metrics_sample (out, name, NULL, value);
}

static void
approval_metrics (const struct host *host, struct buf *out)
{
  const struct approvals_figures figures = approvals_figures (host->approvals);

  metric (out, "toolhost_approvals_pending", "gauge", "Calls that wait for a person's approval.",
          (double) figures.pending);
  metrics_head (out, "toolhost_approvals_total", "counter",
                "Calls that waited for approval, by what became of that.");
  for (int state = APPROVAL_APPROVED; state < APPROVAL_STATES; state++) {
    CLEANUP_BUF struct buf label = { 0 };

    buf_printf (&label, "state=\"%s\"", approval_state_name ((enum approval_state) state));
    metrics_sample (out, "toolhost_approvals_total", buf_cstr (&label),
                    (double) figures.ended[state]);
  }
  metric (out, "toolhost_approval_decisions_total", "counter", "Decisions of people.",
          (double) figures.decisions);
  metric (out, "toolhost_approval_decision_seconds_total", "counter",
          "How long these were waited for.", (double) figures.decision_ms / 1000);
}

void
host_store_metrics (const struct host *host, struct buf *out)
{
  struct store_figures figures;

  if (host->store == NULL)
    return;
  figures = store_figures (host->store);
  metric (out, "toolhost_store_up", "gauge", "Does it take what it is given?", !host->store_unwell);
  metric (out, "toolhost_store_calls", "gauge",
          "Calls with an id of their caller's that are known.", (double) figures.calls);
  metric (out, "toolhost_store_calls_running", "gauge", "Of them, what runs.",
          (double) figures.running);
  metric (out, "toolhost_store_calls_unknown", "gauge", "Of them, what ran when a daemon died.",
          (double) figures.unknown);
  metric (out, "toolhost_store_letters", "gauge", "Webhooks that are still to be sent.",
          (double) figures.letters);
  metric (out, "toolhost_store_commits_total", "counter", "Commits of the store.",
          (double) figures.commits);
  metric (out, "toolhost_store_acts_total", "counter", "What was committed with them.",
          (double) figures.acts);
  metric (out, "toolhost_store_failures_total", "counter", "What could not be done.",
          (double) figures.failures);
  metric (out, "toolhost_store_bytes", "gauge", "Size of the store.", (double) figures.bytes);
  metric (out, "toolhost_store_free_bytes", "gauge", "Of them, what is empty in the file.",
          (double) figures.free_bytes);
  metric (out, "toolhost_store_forgotten_total", "counter",
          "Calls, documents, contexts and approvals whose time was over.",
          (double) figures.forgotten);
  metric (out, "toolhost_store_records", "gauge", "Approvals and standing rules that are known.",
          (double) figures.records);
  metric (out, "toolhost_store_commit_max_seconds", "gauge", "The longest commit.",
          (double) figures.commit_us_max / 1e6);
  if (host->approvals != NULL)
    approval_metrics (host, out);
}

void
host_close_store (struct host *host)
{
  if (host->store == NULL)
    return;
  ev_timer_stop (host->loop, &host->store_tick);
  if (host->outbox != NULL)
    outbox_close (host->outbox);
  store_close (host->store);
  approvals_free (host->approvals);
  host->approvals = NULL;
  outbox_free (host->outbox);
  host->outbox = NULL;
  host->store = NULL;
}
