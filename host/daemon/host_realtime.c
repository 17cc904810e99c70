#include <string.h>

#include "daemon/host_parts.h"

/* ---- while there may still be root's rights ---- */

static double
dice (void *ctx)
{
  return pool_random (ctx);
}

bool
host_open_realtime (struct host *host, struct error *err)
{
  const struct config *config = &host->config;
  struct realtime_settings settings = realtime_defaults;

  if (config->realtime_key_file == NULL)
    return true;
  if (!secrets_add (&host->realtime_secrets, "key", config->realtime_key_file, err))
    return error_wrap (err, "/realtime/key_file: ");
  settings.loop = host->loop;
  settings.log = host->log;
  settings.dialer = http_dialler_dialer (&host->dialler);
  settings.url = config->realtime_url;
  settings.key = secrets_find (&host->realtime_secrets, "key", strlen ("key"));
  settings.private_too = config->realtime_private;
  settings.item_completed = config->realtime_dispatch_on != NULL
                            && strcmp (config->realtime_dispatch_on, "item_completed") == 0;
  if (!output_form_find (config->realtime_output, &settings.output))
    settings.output = OUTPUT_SONORE; /* the schema let no other word pass */
  settings.hangup_after = (double) config->realtime_hangup_ms / 1000;
  settings.answer_within = (double) config->realtime_response_ms / 1000;
  settings.random = dice;
  settings.random_ctx = &host->pool;
  host->realtime = realtime_new (&settings, err);
  return host->realtime != NULL || error_wrap (err, "/realtime/url: ");
}

/* ---- afterwards ---- */

void
host_make_realtime (struct host *host)
{
  struct error err = { 0 };

  if (host->realtime == NULL)
    return;
  host->dialler = (struct http_dialler){ .loop = host->loop,
                                         .curl = http_curl_new (
                                           host->loop, host->config.http_ca_file, &host->turns),
                                         .resolver = http_dns_resolver (host->dns) };
  if (!http_curl_load (host->dialler.curl, &err))
    log_event (host->log, LOG_ERROR, "http_failed", "why", err.text, NULL);
}

void
host_drop_realtime (struct host *host)
{
  realtime_free (host->realtime);
  host->realtime = NULL;
}

void
host_free_realtime (struct host *host)
{
  host_drop_realtime (host);
  http_curl_free (host->dialler.curl);
  secrets_free (&host->realtime_secrets);
}
