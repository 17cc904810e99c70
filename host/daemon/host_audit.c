#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/host_parts.h"

enum { WAITING_MAX = 8 << 20 /* bytes of records that may wait for the disk */ };

/* Beside calls: what the log tells of that somebody decided or changed.  In order of their names.
 */
static const char *const recorded[] = {
  "approval_decided",
  "approval_expired",
  "approval_requested",
  "approval_withdrawn",
  "auth_reload_failed",
  "auth_reloaded",
  "definition_changed",
  "guard_failed",
  "guard_rejected",
  "http_circuit_open",
  "plugin_quarantined",
  "plugin_refused",
  "plugin_released",
  "plugin_removed",
  "process_started",
  "reload_failed",
  "reloaded",
  "session_ended",
  "session_started",
  "standing_rule_made",
  "standing_rule_removed",
  "started",
  "stopped",
  "stopping",
  "store_unwell",
  "store_well",
  "tenant_gone",
  "tenant_loaded",
  "tenant_refused",
  "tool_accepted",
  "tool_pending_review",
  "tool_refused",
};

static int
wants (const char *event)
{
  size_t low = 0, high = sizeof recorded / sizeof *recorded;

  while (low < high) {
    const size_t middle = (low + high) / 2;
    const int order = strcmp (event, recorded[middle]);
    if (order == 0)
      return 1;
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return 0;
}

static void
take (void *ctx, const char *event, const char *object, size_t len)
{
  audit_add (ctx, event, object, len);
}

/* ---- while there may still be root's rights ---- */

bool
host_read_audit_key (struct host *host, struct error *err)
{
  const char *path = host->config.audit_key_file;
  char text[AUDIT_KEY_MAX + 64];
  ssize_t got;
  bool good;
  int fd;

  if (path == NULL)
    return true;
  fd = open (path, O_RDONLY | O_CLOEXEC);
  got = fd >= 0 ? read (fd, text, sizeof text) : -1;
  good = got >= 0 ? audit_key_read (&host->audit_key, text, (size_t) got, err)
                  : error_set (err, "%s", strerror (errno));
  if (fd >= 0)
    (void) close (fd);
  explicit_bzero (text, sizeof text);
  return good || error_wrap (err, "/audit/key_file: ");
}

/* ---- afterwards ---- */

static int
open_folder (int state_dir, struct error *err)
{
  int fd = -1;

  if (mkdirat (state_dir, "audit", 0700) == 0 || errno == EEXIST)
    fd = openat (state_dir, "audit", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0)
    error_set (err, "the folder audit in the state folder: %s", strerror (errno));
  return fd;
}

bool
host_open_audit (struct host *host, struct error *err)
{
  struct audit_settings settings = { .segment_max = (size_t) host->config.audit_segment,
                                     .keep_ms = host->config.audit_keep_ms,
                                     .disk_max = (uint64_t) host->config.audit_disk,
                                     .waiting_max = WAITING_MAX,
                                     .key = host->audit_key,
                                     .log = host->log };

  /* as for the store: one daemon writes it */
  if (!host->config.audit_enabled || host->state_dir < 0 || host->single != NULL
      || host->serve_stdio)
    return !host->config.audit_required
           || error_set (err, "/audit/required: there is no audit here, it takes a state_dir");
  settings.folder = open_folder (host->state_dir, err);
  if (settings.folder < 0)
    return false;
  host->audit = audit_open (&settings, err);
  (void) close (settings.folder);
  explicit_bzero (&settings.key, sizeof settings.key);
  if (host->audit == NULL)
    return error_wrap (err, "the audit can't be gone on with: ");
  log_listen (host->log,
              &(struct log_listener){ .wants = wants, .take = take, .ctx = host->audit });
  return true;
}

void
host_close_audit (struct host *host)
{
  log_listen (host->log, NULL);
  audit_close (host->audit);
  host->audit = NULL;
  explicit_bzero (&host->audit_key, sizeof host->audit_key);
}

static void
metric (struct buf *out, const char *name, const char *type, const char *help, double value)
{
  metrics_head (out, name, type, help);
  metrics_sample (out, name, NULL, value);
}

void
host_audit_metrics (const struct host *host, struct buf *out)
{
  struct audit_figures figures;

  if (host->audit == NULL)
    return;
  figures = audit_figures (host->audit);
  metric (out, "toolhost_audit_up", "gauge", "Are records written?", figures.well);
  metric (out, "toolhost_audit_records_total", "counter", "Records of the audit.",
          (double) figures.records);
  metric (out, "toolhost_audit_written_total", "counter", "Of them, those that stand in files.",
          (double) figures.written);
  metric (out, "toolhost_audit_lost_total", "counter",
          "Of them, those for which there was no room.", (double) figures.lost);
  metric (out, "toolhost_audit_failures_total", "counter", "Writes that failed.",
          (double) figures.failures);
  metric (out, "toolhost_audit_bytes_total", "counter", "Bytes written.", (double) figures.bytes);
  metric (out, "toolhost_audit_segments", "gauge", "Files of the audit.",
          (double) figures.segments);
  metric (out, "toolhost_audit_disk_bytes", "gauge", "Bytes of all of them.",
          (double) figures.disk);
  metric (out, "toolhost_audit_segments_removed_total", "counter",
          "Files that were removed for their age or size.", (double) figures.removed);
}
