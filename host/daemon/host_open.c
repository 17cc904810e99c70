#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/host_parts.h"
#include "daemon/listen.h"
#include "daemon/paths.h"
#include "daemon/settings.h"

enum { TABLE = 16384, LOG_PATIENCE_MS = 2000 /* of a start whose log takes too little */ };

/* While there is one thread, the kernel's table of descriptors grows at once; later each time it
 * doubles, whoever opens the one that did not fit waits for all processors, 5 to 20 ms. */
static void
make_room_for_descriptors (size_t limit)
{
  int fd = fcntl (STDERR_FILENO, F_DUPFD_CLOEXEC, (int) (limit < TABLE ? limit : TABLE) - 1);

  if (fd >= 0)
    (void) close (fd);
}

/* Returns how many there may be. */
static size_t
raise_descriptor_limit (void)
{
  struct rlimit limit = { 1024, 1024 };

  if (getrlimit (RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    (void) setrlimit (RLIMIT_NOFILE, &limit);
    (void) getrlimit (RLIMIT_NOFILE, &limit);
  }
  return (size_t) limit.rlim_cur;
}

/* Without it no worker can be started, and none of its uids killed: what runs may end, and a
 * service manager starts us anew. */
static void
on_launcher_lost (void *ctx)
{
  struct host *host = ctx;

  log_event (host->log, LOG_ERROR, "launcher_lost", "pid",
             LOG_INT (spawner_launcher (host->spawner)), "why",
             "the process that starts workers is gone; the daemon ends", NULL);
  host->failed = true;
  if (host->calls != NULL) /* else it has not begun, and will not: no worker tells of its sandbox */
    host_stop (host);
}

/* Before anything is bound: what it inherits is as little as there is.  What it finds out about
 * this system is waited for at the end. */
static bool
start_spawner (struct host *host, struct error *err)
{
  const struct spawner_settings settings = { .loop = host->loop,
                                             .program = host->worker,
                                             .user = host->identity.uid,
                                             .group = host->identity.gid,
                                             .uid_first = (uid_t) host->config.worker_uid_first,
                                             .uid_count = (unsigned) host->config.worker_uid_count,
                                             .lost = on_launcher_lost,
                                             .ctx = host };

  if (host->identity.uid - settings.uid_first < settings.uid_count)
    return error_set (err, "worker_uids: %u to %u holds the uid %u of user %s, whom the daemon is",
                      settings.uid_first, settings.uid_first + settings.uid_count - 1,
                      host->identity.uid, host->identity.name);
  host->spawner = spawner_begin (&settings, err);
  return host->spawner != NULL;
}

static int
open_log_file (const struct host *host)
{
  return open (host->config.log_file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0640);
}

void
host_reopen_log (struct host *host)
{
  CLEANUP_FD int fd = -1;

  if (host->config.log_file == NULL)
    return;
  fd = open_log_file (host);
  /* Whoever is writing just now ends in the file that was there. */
  if (fd >= 0 && dup3 (fd, host->log_fd, O_CLOEXEC) >= 0)
    log_event (host->log, LOG_INFO, "log_reopened", "file", host->config.log_file, NULL);
  else
    log_event (host->log, LOG_ERROR, "log_not_reopened", "file", host->config.log_file, "why",
               strerror (errno), NULL);
}

static bool
open_log (struct host *host, bool quiet, struct error *err)
{
  host->log_fd = STDERR_FILENO;
  if (host->config.log_file != NULL) {
    host->log_fd = open_log_file (host);
    if (host->log_fd < 0)
      return error_set (err, "log file %s: %s", host->config.log_file, strerror (errno));
  }
  if (!quiet)
    host->log =
      log_new (host->log_fd, (enum log_level) log_level_from_name (host->config.log_level));
  log_be_patient (host->log, LOG_PATIENCE_MS);
  return true;
}

/* The state folder is made and given to the user the daemon becomes. */
static bool
open_state (struct host *host, struct error *err)
{
  const char *path = host->config.state_dir;

  host->state_dir = -1;
  if (path == NULL)
    return true;
  if (mkdir (path, 0700) == 0 && geteuid () == 0)
    (void) !chown (path, host->identity.uid, host->identity.gid);
  host->state_dir = open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (host->state_dir < 0)
    return error_set (err, "state folder %s: %s", path, strerror (errno));
  return true;
}

static void
add_listener (struct host *host, int fd, const char *name, bool tls)
{
  if (!listen_is_local (fd))
    host_exposed (host, name);
  host->speaks_tls[host->listeners_count] = tls;
  (void) snprintf (host->bound[host->listeners_count], sizeof *host->bound, "%s", name);
  host->listeners[host->listeners_count++] = fd;
}

/* The listener that was added last, once for each thread. */
static bool
multiply_listener (struct host *host, struct error *err)
{
  size_t last = host->listeners_count - 1, more = (size_t) host->config.threads - 1;
  int *fds = xcalloc (more + 1, sizeof *fds);

  memset (fds, -1, (more + 1) * sizeof *fds);
  host->beside[last] = fds;
  for (size_t i = 0; i < more; i++)
    if ((fds[i] = listen_beside (host->listeners[last], err)) < 0)
      return error_wrap (err, "%s: ", host->bound[last]);
  return true;
}

/* What a service manager has opened is served instead of what the configuration names. */
static bool
take_inherited (struct host *host, struct error *err)
{
  int count = listen_inherited (host->listeners, host->bound, host->speaks_tls, LISTENERS_MAX,
                                auth_is_possible (host->auth), err);

  host->listeners_count = count > 0 ? (size_t) count : 0;
  for (int i = 0; i < count; i++)
    if (!listen_is_local (host->listeners[i]))
      host_exposed (host, host->bound[i]);
  host->inherited = count > 0;
  return count >= 0;
}

static bool
bind_addresses (struct host *host, char **addresses, bool tls, struct error *err)
{
  for (char **address = addresses; address != NULL && *address != NULL; address++) {
    char bound[80];
    int fd;
    if (host->listeners_count == LISTENERS_MAX - 1)
      return error_set (err, "more than %d addresses to listen on", LISTENERS_MAX - 1);
    fd = listen_tcp (*address, auth_is_possible (host->auth), host->config.threads > 1, bound, err);
    if (fd < 0)
      return false;
    add_listener (host, fd, bound, tls);
    if (host->config.threads > 1 && !multiply_listener (host, err))
      return false;
  }
  return true;
}

static bool
bind_all (struct host *host, struct error *err)
{
  uid_t owner = geteuid () == 0 ? host->identity.uid : geteuid ();
  gid_t group = geteuid () == 0 ? host->identity.gid : getegid ();

  if (!take_inherited (host, err))
    return false;
  if (host->inherited)
    return true;
  if (!bind_addresses (host, host->config.listen, false, err)
      || !bind_addresses (host, host->config.tls.listen, true, err))
    return false;
  if (host->config.socket != NULL) {
    int fd = listen_unix (host->config.socket, owner, group, err);
    if (fd < 0)
      return false;
    add_listener (host, fd, host->config.socket, false);
  }
  return true;
}

/* ---- where plugins are looked for ---- */

static void
on_found (void *ctx, const char *name, const char *path, const struct source *source)
{
  plugins_found (((struct host *) ctx)->plugins, name, path, source);
}

static void
on_gone (void *ctx, const char *name)
{
  plugins_gone (((struct host *) ctx)->plugins, name);
}

static void
on_refused (void *ctx, const char *name, const char *path, const char *why)
{
  plugins_refused (((struct host *) ctx)->plugins, name, path, why);
}

static void
on_scanned (void *ctx)
{
  plugins_scanned (((struct host *) ctx)->plugins);
}

static const struct discovery_events discovery_events = {
  .found = on_found, .gone = on_gone, .refused = on_refused, .scanned = on_scanned
};

static bool
add_plugin_dirs (struct host *host, bool standard, struct error *err)
{
  char **dirs;
  bool ok = true;

  for (char **dir = host->config.plugin_dirs; ok && dir != NULL && *dir != NULL; dir++)
    ok = discovery_add (host->discovery, *dir, true, err);
  if (!ok || !standard)
    return ok;
  dirs = paths_plugin_dirs ();
  for (char **dir = dirs; *dir != NULL; dir++)
    (void) discovery_add (host->discovery, *dir, false, NULL);
  settings_free_strings (dirs);
  return true;
}

/* ---- all of it ---- */

static bool
open_seal (struct host *host, struct error *err)
{
  const char *path = host->config.ask_key_file;

  host->seal = seal_keys_new (host->config.ask_ttl_ms / 1000);
  return path == NULL || seal_keys_read (host->seal, path, err)
         || error_wrap (err, "asks.key_file: ");
}

bool
host_open (struct host *host, const struct host_options *options, struct error *err)
{
  if (!identity_find (host->config.user, strcmp (host->config.user, "toolhost") != 0,
                      &host->identity, err))
    return false;
  host->descriptors = raise_descriptor_limit ();
  make_room_for_descriptors (host->descriptors);
  if (!start_spawner (host, err))
    return false;
  host->discovery = discovery_new (host->loop, &discovery_events, host);
  if (!open_log (host, options->quiet, err) || !open_state (host, err)
      || !host_open_auth (host, err) || !host_open_http (host, err)
      || !host_read_audit_key (host, err) || !host_open_realtime (host, err)
      || !host_open_phone (host, err) || !host_open_trace (host, err) || !bind_all (host, err)
      || !host_open_tls (host, err) || !add_plugin_dirs (host, options->standard_dirs, err))
    return false;
  host->policies = policies_read (host->config_dir, err);
  return host->policies != NULL && host_open_tenants (host, err) && host_open_tools (host, err)
         && open_seal (host, err) && spawner_await (host->spawner, err)
         && identity_become (&host->identity, err);
}
