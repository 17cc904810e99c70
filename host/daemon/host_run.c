#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/host_parts.h"

/* ---- what ends it ---- */

static void
on_hup (struct ev_loop *loop, ev_signal *signal, int revents)
{
  struct host *host = signal->data;
  struct error err = { 0 };

  (void) loop;
  (void) revents;
  host_reopen_log (host);
  (void) host_reload (host, &err);
}

static void
on_usr1 (struct ev_loop *loop, ev_signal *signal, int revents)
{
  (void) loop;
  (void) revents;
  host_reopen_log (signal->data);
}

static void
on_stop_signal (struct ev_loop *loop, ev_signal *signal, int revents)
{
  (void) loop;
  (void) revents;
  host_stop (signal->data);
}

static void
watch_signal (struct host *host, ev_signal *watcher, int number,
              void (*act) (struct ev_loop *, ev_signal *, int))
{
  ev_signal_init (watcher, act, number);
  watcher->data = host;
  ev_signal_start (host->loop, watcher);
  ev_unref (host->loop);
}

static void
stop_signal (struct host *host, ev_signal *watcher)
{
  if (!ev_is_active (watcher))
    return;
  ev_ref (host->loop);
  ev_signal_stop (host->loop, watcher);
}

void
host_unwatch (struct host *host)
{
  stop_signal (host, &host->hup);
  stop_signal (host, &host->usr1);
  stop_signal (host, &host->term);
  stop_signal (host, &host->interrupt);
}

/* ---- starting ---- */

/* One file or folder, by its path, as if it had been found. */
static void
find_single (struct host *host)
{
  const char *slash = strrchr (host->single, '/');
  CLEANUP_FREE char *name = xstrdup (slash != NULL ? slash + 1 : host->single);
  char *dot = strrchr (name, '.');
  struct source source = { .fd = host->single_fd };
  struct error err = { 0 };

  host->single_fd = -1;
  if (dot != NULL && dot != name)
    *dot = '\0';
  if (source.fd >= 0 && discovery_look (name, &source, &err))
    plugins_found (host->plugins, name, host->single, &source);
  else {
    plugins_refused (host->plugins, name, host->single,
                     source.fd < 0 ? strerror (host->single_errno) : err.text);
    fd_cleanup (&source.fd);
  }
  plugins_scanned (host->plugins);
}

void
host_start (struct host *host)
{
  (void) signal (SIGPIPE, SIG_IGN);
  (void) signal (SIGXFSZ, SIG_IGN); /* a file that may not grow is an error of its writer */
  if (host->single != NULL) {
    find_single (host);
    return;
  }
  watch_signal (host, &host->hup, SIGHUP, on_hup);
  watch_signal (host, &host->usr1, SIGUSR1, on_usr1);
  watch_signal (host, &host->term, SIGTERM, on_stop_signal);
  watch_signal (host, &host->interrupt, SIGINT, on_stop_signal);
  host_listen (host);
  sandbox_log (&host->sandbox, host->log);
  log_event (host->log, LOG_INFO, "started", "version", TOOLHOST_VERSION, "build",
             TOOLHOST_BUILD_ID, "user", host->identity.name, "pid", LOG_INT (getpid ()), NULL);
  host_await_stdio (host);
  host_watch_tenants (host);
  host_watch_tools (host);
  discovery_start (host->discovery);
}

/* ---- stopping ---- */

static void
shut_down_pool (struct host *host)
{
  calls_cancel_all (host->calls);
  plugins_shutdown (host->plugins);
  toolsets_shutdown (host->toolsets);
  host->stop_by = 0;
  trace_export_flush (host->trace);
}

/* While stopping: calls first, then workers, then the loop. */
static void
on_drain (struct ev_loop *loop, ev_timer *timer, int revents)
{
  struct host *host = timer->data;

  (void) revents;
  if (host->stop_by != 0 && (calls_are_settled (host->calls) || ev_now (loop) >= host->stop_by))
    shut_down_pool (host);
  if (host->stop_by == 0
      && ((host->pool.workers == 0 && host->pool.programs == NULL && calls_are_settled (host->calls)
           && trace_export_is_idle (host->trace))
          || ev_now (loop) >= host->kill_by))
    ev_break (loop, EVBREAK_ALL);
}

void
host_stop (struct host *host)
{
  if (host->stopping)
    return;
  host->stopping = true;
  notify_stopping (host->notify);
  log_event (host->log, LOG_INFO, "stopping", "calls", LOG_INT (calls_running (host->calls)), NULL);
  calls_drain (host->calls);
  if (host->http != NULL) {
    http_server_drain (host->http);
    mcp_http_drain (host->mcp);
    rest_drain (host->rest);
    ws_front_drain (host->ws);
  }
  host->stop_by = ev_now (host->loop) + (double) host->config.drain_ms / 1000;
  host->kill_by = host->stop_by + 2;
  ev_timer_init (&host->drain, on_drain, 0, 0.02);
  host->drain.data = host;
  ev_timer_start (host->loop, &host->drain);
}
