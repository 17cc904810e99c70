/* main.c - toolhostd: read the command line and the configuration, make the host, run the loop. */
#include <errno.h>
#include <ev.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/json_write.h"
#include "base/large.h"
#include "daemon/config.h"
#include "daemon/host_parts.h"
#include "daemon/options.h"
#include "daemon/paths.h"
#include "daemon/policies.h"
#include "daemon/report.h"

enum { EXIT_START = 1, EXIT_CONFIG = 2, EXIT_LAUNCHER = 3 };
enum { RESERVE = 2 << 20, TRIM_FROM = 1 << 20 }; /* bytes */
#ifdef TOOLHOST_SANITIZED /* it sees no use of a block that is kept and not freed */
enum { KEPT = 0 };
#else
enum { KEPT = 16 << 20 };
#endif

/* Where the configuration is, kept for reloads. */
struct sources {
  struct options options;
  int dir; /* descriptor of the configuration folder, -1: there is none */
};

static bool
open_dir (const struct options *options, int *dir, struct error *err)
{
  CLEANUP_FREE char *standard = config_default_dir ();
  const char *path = options->config_dir != NULL ? options->config_dir : standard;

  *dir = path != NULL ? open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  if (*dir < 0 && options->config_dir != NULL)
    return error_set (err, "configuration folder %s: %s", path, strerror (errno));
  return true;
}

/* The file that was named must be there; the one in the folder need not. */
static bool
read_config (void *ctx, struct config *config, struct error *err)
{
  const struct sources *sources = ctx;
  const char *named = sources->options.config;
  CLEANUP_FD int fd = -1;

  if (named != NULL)
    fd = open (named, O_RDONLY | O_CLOEXEC);
  else if (sources->dir >= 0)
    fd = openat (sources->dir, "toolhostd.json", O_RDONLY | O_CLOEXEC);
  if (fd < 0 && (named != NULL || (sources->dir >= 0 && errno != ENOENT)))
    return error_set (err, "%s: %s", named != NULL ? named : "toolhostd.json", strerror (errno));
  if (fd >= 0 && !config_read (config, fd, err))
    return error_wrap (err, "%s: ", named != NULL ? named : "toolhostd.json");
  return options_apply (&sources->options, config, err);
}

static int
complain (int status, const struct error *err)
{
  (void) fprintf (stderr, "toolhostd: %s\n", err->text);
  return status;
}

/* What there is to say when configuration and policies were read. */
static void
say_good (const struct sources *sources, const struct config *config,
          const struct policies *policies)
{
  CLEANUP_BUF struct buf text = { 0 };
  struct json_writer w = { .out = &text };
  struct policy policy;

  if (sources->options.explain == NULL) {
    (void) printf ("toolhostd: the configuration is good\n");
    return;
  }
  policy_init (&policy);
  policies_get (policies, sources->options.explain, config->require, &policy);
  policy_render (&policy, &w);
  policy_free (&policy);
  (void) printf ("%s\n", buf_cstr (&text));
}

/* The files that callers are known by. */
static bool
check_auth (const struct sources *sources, const struct config *config, struct error *err)
{
  struct auth *auth = auth_new (NULL);
  struct auth_settings settings;
  bool good;

  host_auth_settings (config, sources->dir, &settings);
  good = auth_follow (auth, &settings, err);
  auth_free (auth);
  return good;
}

/* Certificate and key of the listeners that speak TLS. */
static bool
check_tls (const struct config *config, struct error *err)
{
  struct tls_server *tls;
  const bool good = host_read_tls (&config->tls, false, &tls, err);

  tls_server_free (tls);
  return good;
}

static void
nothing_new (void *ctx, const struct tenant_file *file)
{
  (void) ctx;
  (void) file;
}

/* The files of tenants. */
static bool
check_tenants (const struct sources *sources, struct error *err)
{
  const struct tenant_files_events events = { .changed = nothing_new, .refused = nothing_new };
  struct tenant_files files = { 0 };
  bool good = tenant_files_read (&files, sources->dir, &events, NULL, err);

  tenant_files_free (&files);
  return good;
}

static void
ignore_tools (void *ctx, const struct tool_file *file)
{
  (void) ctx;
  (void) file;
}

/* The files of declarative tools, as JSON: what they mean is judged when they are built. */
static bool
check_tools (const struct sources *sources, struct error *err)
{
  struct tool_files files = { .by_name = NULL };
  struct error first = { { 0 } };

  (void) tool_files_read (&files, sources->dir, ignore_tools, NULL, &first);
  tool_files_free (&files);
  if (first.text[0] != '\0')
    *err = first;
  return first.text[0] == '\0';
}

static int
check (struct sources *sources)
{
  struct error err = { 0 };
  struct config config;
  struct policies *policies = NULL;
  bool ok;

  config_init (&config);
  ok = read_config (sources, &config, &err) && check_auth (sources, &config, &err)
       && check_tls (&config, &err) && check_tenants (sources, &err) && check_tools (sources, &err)
       && (policies = policies_read (sources->dir, &err)) != NULL;
  if (ok)
    say_good (sources, &config, policies);
  config_free (&config);
  policies_free (policies);
  return ok ? EXIT_SUCCESS : complain (EXIT_CONFIG, &err);
}

/* Large blocks go back to the system when they are freed, which is soon after their use, and there
 * is a little for the worst case. */
static struct ev_loop *
make_loop (void)
{
  (void) mallopt (M_MMAP_THRESHOLD, LARGE_BLOCK);
  (void) mallopt (M_TRIM_THRESHOLD, TRIM_FROM);
  memory_keep (RESERVE);
  large_keep (KEPT);
  ev_set_allocator (memory_realloc);
  return ev_default_loop (EVFLAG_AUTO);
}

static int
serve (struct sources *sources)
{
  struct ev_loop *loop = make_loop ();
  struct host_options options = { .stdio = sources->options.stdio,
                                  .standard_dirs = !sources->options.no_standard_dirs,
                                  .reconfigure = read_config,
                                  .reconfigure_ctx = sources };
  struct error err = { 0 };
  struct host *host;
  bool failed;

  config_init (&options.config);
  if (!read_config (sources, &options.config, &err)) {
    config_free (&options.config);
    return complain (EXIT_CONFIG, &err);
  }
  options.worker = paths_open_worker (sources->options.worker, &err);
  if (options.worker < 0) {
    config_free (&options.config);
    return complain (EXIT_START, &err);
  }
  options.config_dir = sources->dir >= 0 ? fcntl (sources->dir, F_DUPFD_CLOEXEC, 3) : -1;
  host = host_new (loop, &options, &err);
  if (host == NULL)
    return complain (EXIT_START, &err);
  host_start (host);
  ev_run (loop, 0);
  failed = host_failed (host);
  host_free (host);
  return failed ? EXIT_LAUNCHER : EXIT_SUCCESS;
}

static int
report (struct sources *sources)
{
  struct error err = { 0 };
  CLEANUP_FD int worker = -1;
  struct config config;
  bool ok;

  config_init (&config);
  ok = read_config (sources, &config, &err)
       && (worker = paths_open_worker (sources->options.worker, &err)) >= 0
       && sandbox_report (&config, worker, sources->options.json, stdout, &err);
  config_free (&config);
  return ok ? EXIT_SUCCESS : complain (EXIT_START, &err);
}

static void
sources_cleanup (struct sources *sources)
{
  fd_cleanup (&sources->dir);
  free (sources->options.plugin_dirs);
  free (sources->options.listen);
}

int
main (int argc, char **argv)
{
  __attribute__ ((cleanup (sources_cleanup))) struct sources sources = { .dir = -1 };
  struct error err = { 0 };
  enum options_action action = options_read (argc, argv, &sources.options);

  if (action == OPTIONS_DONE)
    return EXIT_SUCCESS;
  if (action == OPTIONS_BAD)
    return EXIT_CONFIG;
  if (!open_dir (&sources.options, &sources.dir, &err))
    return complain (EXIT_CONFIG, &err);
  if (action == OPTIONS_REPORT)
    return report (&sources);
  return action == OPTIONS_SERVE ? serve (&sources) : check (&sources);
}
