#include "daemon/host_parts.h"

bool
host_read_tls (const struct config_tls *settings, bool needed, struct tls_server **tls,
               struct error *err)
{
  const struct tls_settings files = { .certificate_file = settings->certificate_file,
                                      .key_file = settings->key_file,
                                      .client_ca_file = settings->client_ca_file };

  *tls = NULL;
  needed = needed || (settings->listen != NULL && settings->listen[0] != NULL);
  if (files.certificate_file == NULL && files.key_file == NULL && files.client_ca_file == NULL
      && !needed)
    return true;
  if (files.certificate_file == NULL || files.key_file == NULL)
    return error_set (err, "/tls: expected certificate_file and key_file, %s is missing",
                      files.certificate_file == NULL ? "certificate_file" : "key_file");
  *tls = tls_server_new (&files, err);
  return *tls != NULL || error_wrap (err, "/tls: ");
}

static bool
has_listeners (const struct host *host)
{
  for (size_t i = 0; i < host->listeners_count; i++)
    if (host->speaks_tls[i])
      return true;
  return false;
}

bool
host_open_tls (struct host *host, struct error *err)
{
  return host_read_tls (&host->config.tls, has_listeners (host), &host->tls, err);
}

bool
host_follow_tls (struct host *host, const struct config *config, struct error *err)
{
  struct tls_server *tls;

  if (!has_listeners (host))
    return true;
  if (!host_read_tls (&config->tls, true, &tls, err))
    return false;
  http_server_use_tls (host->http, tls);
  log_event (host->log, LOG_INFO, "tls_certificate_read", "file", config->tls.certificate_file,
             NULL);
  return true;
}
