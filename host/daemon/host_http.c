#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "daemon/host_parts.h"

enum { CASSETTE_MAX = 256 << 20 };

/* ---- files, while there may still be root's rights -------------------------------------- */

static bool
read_cassette (const char *path, struct buf *text, struct error *err)
{
  CLEANUP_FD int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  ssize_t n = fd < 0 ? -1 : 1;

  while (n > 0 && text->len <= CASSETTE_MAX) {
    n = read (fd, buf_reserve (text, 65536), 65536);
    text->len += n > 0 ? (size_t) n : 0;
  }
  if (n < 0)
    return error_set (err, "/http/replay: %s can't be read: %s", path, strerror (errno));
  return text->len <= CASSETTE_MAX || error_set (err, "/http/replay: %s is too large", path);
}

static bool
open_replay (struct host *host, struct error *err)
{
  CLEANUP_BUF struct buf text = { 0 };
  const char *path = host->config.http_replay;

  if (path == NULL)
    return true;
  if (!read_cassette (path, &text, err))
    return false;
  host->cassette = http_cassette_read (host->loop, text.data, text.len, err);
  return host->cassette != NULL || error_wrap (err, "/http/replay: %s: ", path);
}

static bool
open_record (struct host *host, struct error *err)
{
  const char *path = host->config.http_record;

  if (path == NULL)
    return true;
  host->record_fd = open (path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  return host->record_fd >= 0
         || error_set (err, "/http/record: %s can't be written: %s", path, strerror (errno));
}

bool
host_open_http (struct host *host, struct error *err)
{
  if (host->config.http_record != NULL && host->config.http_replay != NULL)
    return error_set (err, "/http: \"record\" and \"replay\" exclude each other");
  return open_replay (host, err) && open_record (host, err);
}

/* ---- the broker ------------------------------------------------------------------------- */

static double
dice (void *ctx)
{
  return pool_random (ctx);
}

void
host_make_http (struct host *host)
{
  struct http_transport transport;
  struct http_resolver resolver;

  host->dns = http_dns_new (host->loop);
  host->curl = http_curl_new (host->loop, host->config.http_ca_file, &host->turns);
  resolver = http_dns_resolver (host->dns);
  transport = http_curl_transport (host->curl);
  if (host->record_fd >= 0)
    host->cassette = http_cassette_new (host->loop, transport);
  if (host->cassette != NULL)
    transport = http_cassette_transport (host->cassette);
  if (host->config.http_replay != NULL)
    resolver = http_cassette_resolver (host->cassette);
  http_broker_init (&host->broker, host->loop, host->log, transport, resolver);
  host->broker.pressure = &host->ceiling.pressure;
  host->broker.random = dice;
  host->broker.random_ctx = &host->pool;
  host->pool.http = &host->broker;
}

void
host_need_http (struct host *host, const struct policy *policy, const char *plugin)
{
  struct error err = { { 0 } };

  if (policy->http.count != 0 && host->config.http_replay == NULL
      && !http_curl_load (host->curl, &err))
    log_event (host->log, LOG_ERROR, "http_failed", "plugin", plugin, "why", err.text, NULL);
}

static void
write_record (struct host *host)
{
  CLEANUP_BUF struct buf text = { 0 };
  size_t at = 0;
  ssize_t n = 0;

  http_cassette_write (host->cassette, &text);
  buf_putc (&text, '\n');
  while (at < text.len && (n = write (host->record_fd, text.data + at, text.len - at)) > 0)
    at += (size_t) n;
  if (n < 0)
    log_event (host->log, LOG_ERROR, "http_record_failed", "why", strerror (errno), NULL);
}

void
host_free_http (struct host *host)
{
  if (host->record_fd >= 0 && host->cassette != NULL)
    write_record (host);
  fd_cleanup (&host->record_fd);
  http_broker_clear (&host->broker);
  http_cassette_free (host->cassette);
  http_curl_free (host->curl);
  http_dns_free (host->dns);
}
