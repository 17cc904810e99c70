#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "daemon/host_parts.h"

static const double REQUEST_SECONDS = 15;

struct phone {
  struct openai *openai;
  struct signature_key key; /* empty: no calls come in */
  struct providers *providers;
  struct reception *reception;
  struct incoming *incoming; /* NULL: likewise */
};

/* ---- while there may still be root's rights ---- */

static bool
read_secret (struct host *host, struct signature_key *key, struct error *err)
{
  const char *path = host->config.realtime_webhook_secret_file;
  struct secrets secrets = { 0 };
  bool good = true;

  if (path == NULL)
    return true;
  if (host->realtime == NULL)
    return error_set (err, "/realtime/webhook_secret_file: calls that come in need a key_file");
  good = secrets_add (&secrets, "webhook", path, err)
         && (signature_key_read (key, secrets_find (&secrets, "webhook", strlen ("webhook")))
             || error_set (err, "%s: expected a secret of a webhook, like \"whsec_…\"", path));
  secrets_free (&secrets);
  return good || error_wrap (err, "/realtime/webhook_secret_file: ");
}

/* The same address for REST, whatever the scheme that it was written with. */
static void
write_url (const char *url, struct buf *out)
{
  if (strncmp (url, "ws", 2) == 0)
    buf_printf (out, "http%s", url + 2);
  else
    buf_puts (out, url);
  while (out->len != 0 && out->data[out->len - 1] == '/')
    out->len--;
  (void) buf_cstr (out);
}

bool
host_open_phone (struct host *host, struct error *err)
{
  CLEANUP_BUF struct buf url = { 0 };
  struct openai_settings settings = { .broker = &host->broker,
                                      .secrets = &host->realtime_secrets,
                                      .private_too = host->config.realtime_private,
                                      .timeout = REQUEST_SECONDS };
  struct signature_key key = { .len = 0 };

  if (!read_secret (host, &key, err))
    return false;
  if (host->realtime == NULL)
    return true;
  write_url (host->config.realtime_url, &url);
  settings.url = url.data;
  host->phone = xcalloc (1, sizeof *host->phone);
  host->phone->key = key;
  host->phone->openai = openai_new (&settings, err);
  return host->phone->openai != NULL || error_wrap (err, "/realtime/url: ");
}

/* ---- what a reception asks of the daemon ---- */

static bool
find_called (void *ctx, const char *number, struct called *called)
{
  const struct host *host = ctx;
  const struct tenant_file *file = tenant_files_called (&host->tenants, number);

  if (file == NULL)
    return false;
  *called = (struct called){
    .tenant = file->name,
    .session = file->settings.realtime,
    .calls_max =
      (size_t) (file->settings.phone_calls_max != 0 ? file->settings.phone_calls_max
                                                    : host->config.realtime_tenant_calls_max),
  };
  return true;
}

static bool
attend (void *ctx, struct session *session, const char *call_id, struct toolset *told,
        struct error *err)
{
  struct host *host = ctx;

  return host->realtime != NULL
         && realtime_attach (host->realtime, session, call_id, told, err) != NULL;
}

static bool
is_open (void *ctx)
{
  return !((struct host *) ctx)->stopping;
}

static bool
say (void *ctx, const char *call_id, const char *text, size_t len)
{
  struct host *host = ctx;

  return host->realtime != NULL && realtime_say (host->realtime, call_id, text, len);
}

static struct openai_voice
voice_of (struct host *host)
{
  return (struct openai_voice){ .say = say, .ctx = host };
}

/* ---- what a tool's events ask of a call ---- */

/* Nobody waits for what comes of it, but the log hears why it can't be done. */
struct acted {
  struct phone_asker asker; /* first: it is handed back */
  struct log *log;
  const char *action;
  char call_id[];
};

static void
on_acted (struct phone_asker *asker, const char *why)
{
  struct acted *acted = (struct acted *) asker;

  if (why != NULL)
    log_event (acted->log, LOG_WARNING, "realtime_phone_failed", "call_id", acted->call_id,
               "action", acted->action, "why", why, NULL);
  free (acted);
}

static struct phone_asker *
acted_new (const struct host *host, const char *call_id, enum phone_act act)
{
  const size_t len = strlen (call_id);
  struct acted *acted = xcalloc (1, sizeof *acted + len + 1);

  acted->asker.answered = on_acted;
  acted->log = host->log;
  acted->action = phone_act_names[act];
  memcpy (acted->call_id, call_id, len);
  return &acted->asker;
}

/* What is said twice is done once: tones alone may be meant twice. */
static void
write_key (const char *call_id, enum phone_act act, const char *text, struct buf *out)
{
  if (act == PHONE_REFER)
    buf_printf (out, "%s-transfer-%s", call_id, text);
  else if (act == PHONE_HANGUP)
    buf_printf (out, "%s-hangup", call_id);
}

static void
act (void *ctx, struct session *session, const char *call_id, enum realtime_action action,
     const char *argument)
{
  static const enum phone_act acts[] = {
    [REALTIME_HANGUP] = PHONE_HANGUP, [REALTIME_REFER] = PHONE_REFER, [REALTIME_DTMF] = PHONE_DTMF
  };
  struct call_service *service = session_call_service (session);
  const char *text = argument != NULL ? argument : "";
  CLEANUP_BUF struct buf key = { 0 };

  if (service == NULL || action >= sizeof acts / sizeof *acts)
    return;
  write_key (call_id, acts[action], text, &key);
  call_service_ask (service, acts[action], text, key.len != 0 ? buf_cstr (&key) : NULL,
                    acted_new (ctx, call_id, acts[action]));
}

/* ---- it is made, and goes ---- */

static int64_t
seconds (void *ctx)
{
  (void) ctx;
  return (int64_t) time (NULL);
}

static double
now (void *ctx)
{
  (void) ctx;
  return (double) clock_ns () / 1e9;
}

static void
make_incoming (struct host *host)
{
  struct phone *phone = host->phone;

  phone->providers = providers_new ();
  phone->reception = reception_new (
    &(struct reception_settings){ .log = host->log,
                                  .sessions = host->sessions,
                                  .openai = phone->openai,
                                  .voice = voice_of (host),
                                  .providers = phone->providers,
                                  .session = host->config.realtime_session,
                                  .calls_max = (size_t) host->config.realtime_calls_max,
                                  .find = find_called,
                                  .attend = attend,
                                  .open = is_open,
                                  .ctx = host });
  phone->incoming = incoming_new (&(struct incoming_settings){ .log = host->log,
                                                               .reception = phone->reception,
                                                               .key = phone->key,
                                                               .tolerance = SIGNATURE_TOLERANCE,
                                                               .time = seconds,
                                                               .now = now });
}

void
host_make_phone (struct host *host)
{
  struct error err = { { 0 } };

  if (host->phone == NULL)
    return;
  realtime_set_phone (host->realtime, &(struct realtime_phone){ .act = act, .ctx = host });
  if (!http_curl_load (host->curl, &err))
    log_event (host->log, LOG_ERROR, "http_failed", "why", err.text, NULL);
  if (host->phone->key.len != 0)
    make_incoming (host);
}

void
host_drop_phone (struct host *host)
{
  struct phone *phone = host->phone;

  if (phone == NULL)
    return;
  incoming_free (phone->incoming);
  phone->incoming = NULL;
  reception_free (phone->reception);
  phone->reception = NULL;
}

void
host_free_phone (struct host *host)
{
  struct phone *phone = host->phone;

  if (phone == NULL)
    return;
  host_drop_phone (host);
  if (phone->providers != NULL)
    providers_free (phone->providers);
  openai_free (phone->openai);
  free (phone);
  host->phone = NULL;
}

/* ---- requests ---- */

void
host_phone_incoming (struct host *host, struct http_exchange *x)
{
  incoming_handle (host->phone != NULL ? host->phone->incoming : NULL, x);
}

static void
on_opened (void *ctx, struct session *session, const char *call_id)
{
  struct host *host = ctx;

  session_set_call_service (session,
                            call_service_openai (host->phone->openai, voice_of (host), call_id));
}

void
host_phone_attach (struct host *host, struct http_exchange *x)
{
  const struct realtime_attach_events events = { .ctx = host, .opened = on_opened };

  realtime_attach_handle (host->realtime, &host->env, &events, x);
}
