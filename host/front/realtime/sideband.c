#include "front/realtime/sideband.h"

#include <stdlib.h>
#include <strings.h>

#include "base/clock.h"

enum { MESSAGE_MAX = 4 << 20, NORMAL = 1000 };

const struct realtime_settings realtime_defaults = {
  .hangup_after = 15,
  .answer_within = 15,
  .retry = { .tries = 8, .base_ms = 250, .cap_ms = 5000 },
  .times = { .open = 10, .beat = 20, .close = 2 },
};

struct realtime {
  struct realtime_settings settings;
  char *url; /* of http or https */
  struct buf authorization;
  struct realtime_phone phone;
  struct providers *providers;
  struct realtime_call *calls;
  size_t count;
};

struct realtime_call {
  struct realtime *all;
  struct realtime_call *next, **prev;
  char *call_id;
  struct session *session; /* NULL: it has ended */
  struct realtime_bridge *bridge;
  struct ws_client *client; /* NULL: between two tries, or at the end */
  unsigned tries;           /* in vain, since something was heard */
  ev_timer again;           /* the next try; or, without a session, the end */
  ev_timer wake;
};

static void connect_call (struct realtime_call *call);

/* ---- the end of a call ---- */

static void
call_free (struct realtime_call *call)
{
  struct realtime *all = call->all;

  ev_timer_stop (all->settings.loop, &call->again);
  ev_timer_stop (all->settings.loop, &call->wake);
  ws_client_drop (call->client);
  realtime_bridge_free (call->bridge);
  *call->prev = call->next;
  if (call->next != NULL)
    call->next->prev = call->prev;
  all->count--;
  free (call->call_id);
  free (call);
}

static void
start (struct realtime_call *call, ev_timer *timer, double seconds)
{
  ev_timer_stop (call->all->settings.loop, timer);
  ev_timer_set (timer, seconds, 0);
  ev_timer_start (call->all->settings.loop, timer);
}

/* The session goes, and comes back to on_session_ended. */
static void
call_over (struct realtime_call *call, const char *reason)
{
  log_event (call->all->settings.log, LOG_INFO, "realtime_call_ended", "call_id", call->call_id,
             "reason", reason, NULL);
  if (call->session != NULL)
    session_end (call->session, reason);
  else
    call_free (call);
}

static void
on_session_ended (void *ctx)
{
  struct realtime_call *call = ctx;

  call->session = NULL;
  if (call->client != NULL)
    ws_client_close (call->client, NORMAL, "session_ended");
  else
    start (call, &call->again, 0);
}

/* ---- what the bridge wants ---- */

static bool
send_event (void *ctx, const char *json, size_t len)
{
  struct realtime_call *call = ctx;

  return call->client != NULL && ws_client_send (call->client, json, len);
}

static void
act (void *ctx, enum realtime_action action, const char *argument, const char *function_call_id,
     const char *output, size_t len)
{
  static const char *const names[] = { "hangup", "refer", "dtmf", "asks", "approval", "other" };
  struct realtime_call *call = ctx;
  const struct realtime_phone *phone = &call->all->phone;
  const bool asks = action < REALTIME_ASKS, can = phone->act != NULL && call->session != NULL;

  (void) output;
  (void) len;
  log_event (call->all->settings.log, can ? LOG_INFO : LOG_WARNING,
             asks ? "realtime_phone_asked" : "realtime_output_ignored", "call_id", call->call_id,
             "function_call_id", function_call_id, "action", names[action], "phone",
             can ? NULL : "none", NULL);
  if (asks && can)
    phone->act (phone->ctx, call->session, call->call_id, action, argument);
}

static double
now (void *ctx)
{
  (void) ctx;
  return (double) clock_ns () / 1e9;
}

static void
wake (void *ctx, double at)
{
  struct realtime_call *call = ctx;
  const double left = at - now (NULL);

  if (at == 0)
    ev_timer_stop (call->all->settings.loop, &call->wake);
  else
    start (call, &call->wake, left > 0 ? left : 0);
}

static void
on_wake (struct ev_loop *loop, ev_timer *timer, int revents)
{
  (void) loop;
  (void) revents;
  realtime_bridge_tick (((struct realtime_call *) timer->data)->bridge);
}

/* ---- the connection ---- */

static void
on_open (void *ctx)
{
  struct realtime_call *call = ctx;

  log_event (call->all->settings.log, LOG_INFO, "realtime_connected", "call_id", call->call_id,
             "tries", LOG_INT (call->tries + 1), NULL);
  realtime_bridge_connected (call->bridge);
}

static void
on_message (void *ctx, const char *text, size_t len)
{
  struct realtime_call *call = ctx;

  call->tries = 0;
  realtime_bridge_hear (call->bridge, text, len);
}

/* It would be in vain to try again. */
static bool
is_final (const struct ws_end *end)
{
  return end->blocked || (end->opened && end->code == NORMAL)
         || (end->status >= 400 && end->status < 500 && end->status != 408 && end->status != 425
             && end->status != 429);
}

static void
try_again (struct realtime_call *call)
{
  const struct realtime_settings *settings = &call->all->settings;
  int64_t ms;

  if (++call->tries >= settings->retry.tries)
    return call_over (call, "realtime_unreachable");
  ms =
    http_retry_wait (&settings->retry, call->tries + 1, settings->random (settings->random_ctx), 0);
  start (call, &call->again, (double) ms / 1000);
}

static void
on_closed (void *ctx, const struct ws_end *end)
{
  struct realtime_call *call = ctx;
  const bool normal = end->opened && end->code == NORMAL;

  call->client = NULL;
  realtime_bridge_lost (call->bridge);
  log_event (call->all->settings.log, normal || call->session == NULL ? LOG_INFO : LOG_WARNING,
             "realtime_disconnected", "call_id", call->call_id, "code", LOG_INT (end->code),
             "status", LOG_INT (end->status), "why", end->why, NULL);
  if (call->session == NULL)
    call_free (call);
  else if (is_final (end))
    call_over (call, normal || end->status == 404 ? "call_ended" : "realtime_refused");
  else
    try_again (call);
}

static void
on_again (struct ev_loop *loop, ev_timer *timer, int revents)
{
  struct realtime_call *call = timer->data;

  (void) loop;
  (void) revents;
  if (call->session == NULL)
    call_free (call);
  else
    connect_call (call);
}

/* Everything but what needs no escape. */
static void
put_escaped (struct buf *out, const char *text)
{
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";

  for (; *text != '\0'; text++)
    if (strchr (plain, *text) != NULL)
      buf_putc (out, *text);
    else
      buf_printf (out, "%%%02X", (unsigned) (unsigned char) *text);
}

static void
connect_call (struct realtime_call *call)
{
  static const struct ws_client_events events = { .open = on_open,
                                                  .message = on_message,
                                                  .closed = on_closed };
  struct realtime *all = call->all;
  const struct http_header headers[] = { { "User-Agent", "toolhost" },
                                         { "Authorization", buf_cstr (&all->authorization) } };
  CLEANUP_ARENA struct arena arena = { 0 };
  CLEANUP_BUF struct buf text = { 0 };
  struct url url;
  const struct ws_wish wish = { .url = &url,
                                .headers = headers,
                                .headers_count = 2,
                                .private_too = all->settings.private_too,
                                .message_max = MESSAGE_MAX,
                                .times = all->settings.times };

  buf_printf (&text, "%s?call_id=", all->url);
  put_escaped (&text, call->call_id);
  if (url_read (&url, text.data, text.len, &arena, NULL))
    call->client = ws_client_new (all->settings.loop, &all->settings.dialer, &wish, &events, call);
  if (call->client == NULL)
    try_again (call);
}

/* ---- all of them ---- */

/* wss is https to those who connect.  The call is named by us, and excludes a model (T0-15). */
static bool
read_url (struct realtime *all, const char *text, struct error *err)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  CLEANUP_BUF struct buf url = { 0 };
  const bool ws = strncasecmp (text, "ws:", 3) == 0 || strncasecmp (text, "wss:", 4) == 0;
  struct url read;

  buf_printf (&url, ws ? "http%s" : "%s", ws ? text + 2 : text);
  if (!url_read (&read, url.data, url.len, &arena, err))
    return error_wrap (err, "the URL ");
  if (read.query != NULL)
    return error_set (err, "the URL has a query; the call is named by toolhost, which excludes a "
                           "model");
  while (url.len > 0 && url.data[url.len - 1] == '/')
    url.len--;
  all->url = xstrdup (buf_cstr (&url));
  return true;
}

struct realtime *
realtime_new (const struct realtime_settings *settings, struct error *err)
{
  struct realtime *all = xcalloc (1, sizeof *all);

  all->settings = *settings;
  if (!read_url (all, settings->url, err)) {
    free (all);
    return NULL;
  }
  buf_printf (&all->authorization, "Bearer %s", settings->key);
  all->providers = providers_new ();
  return all;
}

void
realtime_free (struct realtime *all)
{
  if (all == NULL)
    return;
  while (all->calls != NULL) {
    if (all->calls->client != NULL)
      ws_client_close (all->calls->client, 1001, "the daemon is stopping");
    call_free (all->calls);
  }
  providers_free (all->providers);
  explicit_bzero (all->authorization.data, all->authorization.len);
  buf_free (&all->authorization);
  free (all->url);
  free (all);
}

void
realtime_set_phone (struct realtime *all, const struct realtime_phone *phone)
{
  all->phone = *phone;
}

size_t
realtime_count (const struct realtime *all)
{
  return all->count;
}

struct realtime_call *
realtime_find (const struct realtime *all, const char *call_id)
{
  struct realtime_call *call = all->calls;

  while (call != NULL && strcmp (call->call_id, call_id) != 0)
    call = call->next;
  return call;
}

static struct realtime_bridge *
bridge_new (struct realtime_call *call, struct toolset *told)
{
  const struct realtime_settings *settings = &call->all->settings;
  const struct realtime_owner owner = { .send = send_event,
                                        .act = act,
                                        .session_ended = on_session_ended,
                                        .now = now,
                                        .wake = wake,
                                        .ctx = call };
  const struct realtime_wish wish = { .session = call->session,
                                      .log = settings->log,
                                      .call_id = call->call_id,
                                      .providers = call->all->providers,
                                      .told = told,
                                      .item_completed = settings->item_completed,
                                      .output = settings->output,
                                      .hangup_after = settings->hangup_after,
                                      .answer_within = settings->answer_within };

  return realtime_bridge_new (&wish, &owner);
}

struct realtime_call *
realtime_attach (struct realtime *all, struct session *session, const char *call_id,
                 struct toolset *told, struct error *err)
{
  struct realtime_call *call;

  if (*call_id == '\0' || strlen (call_id) > REALTIME_CALL_ID_MAX) {
    (void) error_set (err, "expected a call's id of 1 to %d bytes", REALTIME_CALL_ID_MAX);
    return NULL;
  }
  if (realtime_find (all, call_id) != NULL) {
    (void) error_set (err, "the call is attended already");
    return NULL;
  }
  call = xcalloc (1, sizeof *call);
  *call = (struct realtime_call){ .all = all, .next = all->calls, .prev = &all->calls };
  if (call->next != NULL)
    call->next->prev = &call->next;
  all->calls = call;
  all->count++;
  call->call_id = xstrdup (call_id);
  call->session = session;
  ev_timer_init (&call->again, on_again, 0, 0);
  ev_timer_init (&call->wake, on_wake, 0, 0);
  call->again.data = call->wake.data = call;
  call->bridge = bridge_new (call, told);
  connect_call (call);
  return call;
}

bool
realtime_say (struct realtime *all, const char *call_id, const char *text, size_t len)
{
  const struct realtime_call *call = realtime_find (all, call_id);

  if (call == NULL)
    return false;
  realtime_bridge_say (call->bridge, text, len);
  return true;
}

bool
realtime_hang_up (struct realtime *all, const char *call_id, const char *reason)
{
  const struct realtime_call *call = realtime_find (all, call_id);

  if (call == NULL)
    return false;
  realtime_bridge_hang_up (call->bridge, reason);
  return true;
}
