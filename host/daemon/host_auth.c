#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/host_parts.h"
#include "daemon/settings.h"

/* Seconds between looks at a file where the kernel does not tell that it changed. */
static const double LOOK = 2;

/* ---- from the configuration ---- */

void
host_auth_settings (const struct config *config, int dir, struct auth_settings *settings)
{
  const struct config_auth *auth = &config->auth;
  bool found = auth->keys_file != NULL && (dir >= 0 || auth->keys_file[0] == '/');

  *settings = (struct auth_settings){
    .has_oauth = auth->resource != NULL || auth->issuer != NULL || auth->jwks_file != NULL
                 || auth->jwks_url != NULL,
    .oauth = { .resource = auth->resource,
               .issuer = auth->issuer,
               .servers = (const char *const *) auth->servers,
               .audiences = (const char *const *) auth->audiences,
               .jwks_file = auth->jwks_file,
               .jwks_url = auth->jwks_url,
               .scopes = auth->scopes,
               .tenant_claim = auth->tenant_claim,
               .leeway = auth->leeway_ms / 1000 },
    .keys_dir = dir,
    .keys_file = found ? auth->keys_file : NULL,
    .required = auth->required,
  };
}

static bool
follow (struct host *host, const struct config *config, struct error *err)
{
  struct auth_settings settings;

  host_auth_settings (config, host->config_dir, &settings);
  return auth_follow (host->auth, &settings, err);
}

bool
host_open_auth (struct host *host, struct error *err)
{
  host->auth = auth_new (host->log);
  return follow (host, &host->config, err);
}

/* ---- names we are called by ---- */

static void
add_name (struct host *host, const char *name, size_t len)
{
  char **names = host->config.allowed_hosts;
  size_t count = 0;

  while (names != NULL && names[count] != NULL)
    count++;
  names = xrealloc (names, (count + 2) * sizeof *names);
  names[count] = xstrndup (name, len);
  names[count + 1] = NULL;
  host->config.allowed_hosts = names;
}

void
host_exposed (struct host *host, const char *bound)
{
  static const char *const everywhere[] = { "0.0.0.0:", "[::]:" };

  auth_expose (host->auth);
  for (size_t i = 0; i < sizeof everywhere / sizeof *everywhere; i++)
    if (strncmp (bound, everywhere[i], strlen (everywhere[i])) == 0)
      return;
  add_name (host, bound, strlen (bound));
}

/* The host of our resource, with any port. */
static void
add_resource (struct host *host)
{
  const char *resource = host->config.auth.resource;
  const char *name = resource != NULL ? strstr (resource, "://") : NULL;

  if (name == NULL)
    return;
  name += 3;
  add_name (host, name, name[0] == '[' ? strcspn (name, "]") + 1 : strcspn (name, ":/?"));
}

/* ---- files that change ---- */

static void
on_changed (struct ev_loop *loop, ev_stat *watcher, int revents)
{
  struct host *host = watcher->data;
  struct error err = { 0 };

  (void) loop;
  (void) revents;
  if (follow (host, &host->config, &err))
    log_event (host->log, LOG_INFO, "auth_reloaded", "file", watcher->path, NULL);
  else
    log_event (host->log, LOG_ERROR, "auth_reload_failed", "why", err.text, NULL);
}

static void
stop_watching (struct host *host, ev_stat *watcher)
{
  if (!ev_is_active (watcher))
    return;
  ev_ref (host->loop);
  ev_stat_stop (host->loop, watcher);
}

static void
watch_file (struct host *host, ev_stat *watcher, const char *path)
{
  stop_watching (host, watcher);
  if (path == NULL)
    return;
  ev_stat_init (watcher, on_changed, path, LOOK);
  watcher->data = host;
  ev_stat_start (host->loop, watcher);
  ev_unref (host->loop);
}

/* The absolute path of the file of keys, or NULL. */
static char *
keys_path (const struct host *host)
{
  const char *file = host->config.auth.keys_file;
  char link[64], dir[4096];
  struct buf path = { 0 };
  ssize_t len;

  if (file == NULL || file[0] == '/')
    return file != NULL ? xstrdup (file) : NULL;
  (void) snprintf (link, sizeof link, "/proc/self/fd/%d", host->config_dir);
  len = host->config_dir >= 0 ? readlink (link, dir, sizeof dir) : -1;
  if (len <= 0 || len == (ssize_t) sizeof dir)
    return NULL;
  buf_printf (&path, "%.*s/%s", (int) len, dir, file);
  (void) buf_cstr (&path);
  return path.data;
}

static void
watch_files (struct host *host)
{
  /* The folder is found by what root can see of this process: once. */
  if (host->keys_path == NULL)
    host->keys_path = keys_path (host);
  watch_file (host, &host->keys_changed, host->keys_path);
  watch_file (host, &host->jwks_changed, host->config.auth.jwks_file);
}

/* ---- keys that are fetched ---- */

static bool
on_keys (void *ctx, const char *text, size_t len, struct error *err)
{
  return auth_take_keys (((struct host *) ctx)->auth, text, len, err);
}

static bool
on_unknown (void *ctx)
{
  struct host *host = ctx;

  return host->jwks_url != NULL && jwks_url_unknown (host->jwks_url);
}

/* From the beginning, also after a reload: whoever asks for one may want just that. */
static void
fetch_keys (struct host *host)
{
  const struct jwks_url_settings settings = { .broker = &host->broker,
                                              .url = host->config.auth.jwks_url,
                                              .refresh = host->config.auth.jwks_refresh_ms / 1000,
                                              .take = on_keys,
                                              .ctx = host };
  struct error err = { { 0 } };

  host_stop_fetching_keys (host);
  if (settings.url == NULL)
    return;
  host->jwks_url = jwks_url_new (&settings, &err);
  if (host->jwks_url == NULL)
    log_event (host->log, LOG_ERROR, "jwks_failed", "url", settings.url, "why", err.text, NULL);
}

void
host_stop_fetching_keys (struct host *host)
{
  jwks_url_free (host->jwks_url);
  host->jwks_url = NULL;
}

void
host_watch_auth (struct host *host)
{
  add_resource (host);
  watch_files (host);
  auth_set_unknown (host->auth, on_unknown, host);
  fetch_keys (host);
}

void
host_unwatch_auth (struct host *host)
{
  stop_watching (host, &host->keys_changed);
  stop_watching (host, &host->jwks_changed);
  auth_free (host->auth);
  free (host->keys_path);
}

bool
host_follow_auth (struct host *host, struct config *config, struct error *err)
{
  struct config_auth was = host->config.auth;
  const char *before = was.keys_file != NULL ? was.keys_file : "";
  const char *now = config->auth.keys_file != NULL ? config->auth.keys_file : "";

  if (!follow (host, config, err))
    return false;
  if (strcmp (before, now) != 0) {
    free (host->keys_path);
    host->keys_path = NULL;
  }
  host->config.auth = config->auth;
  config->auth = was;
  watch_files (host);
  fetch_keys (host);
  return true;
}
