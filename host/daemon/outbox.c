#include "daemon/outbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/clock.h"
#include "base/json_tape.h"
#include "service/http/fetch.h"

enum {
  ANSWER_MAX = 64 * 1024,
  ID_MAX = 64,
  ANSWERED_GONE = 410,
  BUSY_MS = 5000 /* that letters wait whose hook has enough of them */
};

/* After a store that was not available. */
static const double PAUSE_SECONDS = 1;

const struct outbox_settings outbox_defaults = { .open_max = 32,
                                                 .hook_max = 4,
                                                 .timeout = 10,
                                                 .again_ms = 2000,
                                                 .again_max_ms = 3600000,
                                                 .give_up_ms = 24 * 3600000 };

/* A letter on its way. */
struct sending {
  struct outbox *outbox;
  struct sending *next, **prev;
  struct http_fetch *fetch;
  struct http_grants grants;
  char *tenant, *hook;
  char id[ID_MAX + 1];
  int64_t letter, created_ms;
  int status;
};

struct outbox {
  struct outbox_settings settings;
  struct sending *all;
  unsigned count, open; /* open: as the broker counts */
  size_t asked;         /* how many letters the store is asked for; 0: it is not */
  bool again;           /* it is to be asked once more */
  bool closing;
  ev_timer timer;
  struct outbox_counts counts;
};

/* ---- when the store is asked ---- */

static void
wake_in (struct outbox *outbox, double seconds)
{
  struct ev_loop *loop = outbox->settings.loop;

  if (ev_is_active (&outbox->timer) && ev_timer_remaining (loop, &outbox->timer) <= seconds)
    return;
  ev_timer_stop (loop, &outbox->timer);
  ev_timer_set (&outbox->timer, seconds, 0);
  ev_timer_start (loop, &outbox->timer);
}

static void
on_time (struct ev_loop *loop, ev_timer *timer, int revents)
{
  (void) loop;
  (void) revents;
  outbox_wake (timer->data);
}

struct outbox *
outbox_new (const struct outbox_settings *settings)
{
  struct outbox *outbox = xcalloc (1, sizeof *outbox);

  outbox->settings = *settings;
  ev_timer_init (&outbox->timer, on_time, 0, 0);
  outbox->timer.data = outbox;
  return outbox;
}

struct outbox_counts
outbox_counts (const struct outbox *outbox)
{
  return outbox->counts;
}

/* ---- the end of a try ---- */

static void
on_told (void *ctx, enum store_status status)
{
  (void) ctx; /* what could not be written down is sent once more */
  (void) status;
}

static void
forget (struct sending *s)
{
  *s->prev = s->next;
  if (s->next != NULL)
    s->next->prev = s->prev;
  s->outbox->count--;
  http_grants_free (&s->grants);
  free (s->tenant);
  free (s->hook);
  free (s);
}

/* It need not be sent any more. */
static void
give_up (struct sending *s, const char *why)
{
  struct outbox *outbox = s->outbox;

  outbox->counts.given_up++;
  log_event (outbox->settings.log, LOG_ERROR, "outbox_given_up", "tenant", s->tenant, "hook",
             s->hook, "event_id", s->id, "why", why, NULL);
  store_sent (outbox->settings.store, s->letter, on_told, outbox);
}

/* The later the older it is, and not at the same time as others. */
static int64_t
wait_of (const struct outbox *outbox, int64_t age_ms)
{
  const struct outbox_settings *settings = &outbox->settings;
  int64_t wait = age_ms / 2;

  if (wait < settings->again_ms)
    wait = settings->again_ms;
  if (wait > settings->again_max_ms)
    wait = settings->again_max_ms;
  return (int64_t) ((double) wait * (0.75 + settings->random (settings->ctx) / 2));
}

static void
try_again (struct sending *s, const char *why)
{
  struct outbox *outbox = s->outbox;
  const int64_t now = outbox->settings.now_ms (outbox->settings.ctx);
  const int64_t age = now - s->created_ms, wait = wait_of (outbox, age);

  if (age + wait > outbox->settings.give_up_ms) {
    give_up (s, why);
    return;
  }
  outbox->counts.failed++;
  log_event (outbox->settings.log, LOG_WARNING, "outbox_failed", "tenant", s->tenant, "hook",
             s->hook, "event_id", s->id, "why", why, "again_ms", LOG_INT (wait), NULL);
  store_retry (outbox->settings.store, s->letter, now + wait, on_told, outbox);
  wake_in (outbox, (double) wait / 1000);
}

static void
on_head (void *ctx, const struct http_answer *answer)
{
  ((struct sending *) ctx)->status = answer->status;
}

/* What it says is nothing that we would read. */
static void
on_body (void *ctx, const char *data, size_t len)
{
  (void) data;
  http_fetch_taken (((struct sending *) ctx)->fetch, len);
}

static void
on_end (void *ctx, enum http_fault fault, const char *text)
{
  struct sending *s = ctx;
  struct outbox *outbox = s->outbox;
  char why[256];

  if (fault != HTTP_OK)
    (void) snprintf (why, sizeof why, "%s: %s", http_fault_name (fault), text);
  else
    (void) snprintf (why, sizeof why, "it was answered with status %d", s->status);
  if (fault == HTTP_OK && s->status >= 200 && s->status < 300) {
    outbox->counts.sent++;
    log_event (outbox->settings.log, LOG_DEBUG, "outbox_sent", "tenant", s->tenant, "hook", s->hook,
               "event_id", s->id, NULL);
    store_sent (outbox->settings.store, s->letter, on_told, outbox);
  }
  else if (fault == HTTP_OK && s->status == ANSWERED_GONE)
    give_up (s, why);
  else
    try_again (s, why);
  forget (s);
  outbox_wake (outbox);
}

static const struct http_events events = { .head = on_head, .body = on_body, .end = on_end };

/* ---- sending ---- */

static struct sending *
sending_new (struct outbox *outbox, const struct store_due *due)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  struct sending *s = xcalloc (1, sizeof *s);
  struct json_tape tape;
  const char *id = NULL;

  s->outbox = outbox;
  s->tenant = xstrdup (due->tenant);
  s->hook = xstrdup (due->hook);
  s->letter = due->id;
  s->created_ms = due->created_ms;
  if (json_read (&tape, due->payload.data, due->payload.len, &json_default_limits, &arena))
    id = json_cstring (&tape, json_member (&tape, json_root (&tape), "id"), &arena);
  if (id != NULL)
    (void) snprintf (s->id, sizeof s->id, "%s", id);
  s->next = outbox->all;
  s->prev = &outbox->all;
  if (s->next != NULL)
    s->next->prev = &s->next;
  outbox->all = s;
  outbox->count++;
  return s;
}

static bool
grant (struct sending *s, const struct hook *hook, struct error *err)
{
  struct http_grant *grant = http_grants_add (&s->grants, hook->url, err);

  if (grant == NULL)
    return false;
  grant->methods = HTTP_POST;
  grant->private_too = hook->private_too;
  return true;
}

/* Ask the broker; false: err says why it won't. */
static bool
post (struct sending *s, const struct hook *hook, struct store_bytes payload, struct error *err)
{
  struct outbox *outbox = s->outbox;
  CLEANUP_BUF struct buf signature = { 0 };
  enum http_fault fault;
  char timestamp[24];
  struct http_header headers[] = { { "Content-Type", "application/json" },
                                   { "webhook-id", s->id },
                                   { "webhook-timestamp", timestamp },
                                   { "webhook-signature", NULL } };
  const struct http_ask ask = { .method = "POST",
                                .url = hook->url,
                                .headers = headers,
                                .headers_count = sizeof headers / sizeof *headers,
                                .body = payload.data,
                                .body_len = payload.len,
                                .has_body = true };
  const struct http_terms terms = { .plugin = "outbox",
                                    .tool = s->hook,
                                    .call = s->id,
                                    .grants = &s->grants,
                                    .response_max = ANSWER_MAX,
                                    .deadline_ns =
                                      clock_ns () + (int64_t) (outbox->settings.timeout * 1e9),
                                    .open = &outbox->open,
                                    .open_max = outbox->settings.open_max };

  (void) snprintf (timestamp, sizeof timestamp, "%lld",
                   (long long) (outbox->settings.now_ms (outbox->settings.ctx) / 1000));
  signature_make (&(struct signed_message){ .id = { s->id, strlen (s->id) },
                                            .timestamp = { timestamp, strlen (timestamp) },
                                            .body = payload.data,
                                            .body_len = payload.len },
                  &hook->key, &signature);
  headers[3].value = buf_cstr (&signature);
  s->fetch = http_fetch_new (outbox->settings.broker, &ask, &terms, &events, s, &fault, err);
  return s->fetch != NULL || error_wrap (err, "%s: ", http_fault_name (fault));
}

static unsigned
busy_with (const struct outbox *outbox, const struct store_due *due)
{
  unsigned count = 0;

  for (const struct sending *s = outbox->all; s != NULL; s = s->next)
    count += strcmp (s->hook, due->hook) == 0 && strcmp (s->tenant, due->tenant) == 0;
  return count;
}

static void
take (struct outbox *outbox, const struct store_due *due)
{
  const struct outbox_settings *settings = &outbox->settings;
  const struct hook *hook = settings->find (settings->ctx, due->tenant, due->hook);
  struct error err = { 0 };
  struct sending *s;

  if (hook != NULL && busy_with (outbox, due) >= settings->hook_max) {
    store_retry (settings->store, due->id, settings->now_ms (settings->ctx) + BUSY_MS, on_told,
                 outbox);
    return;
  }
  s = sending_new (outbox, due);
  if (hook != NULL && s->id[0] != '\0' && grant (s, hook, &err)
      && post (s, hook, due->payload, &err))
    return;
  if (hook == NULL)
    give_up (s, "its tenant has no such hook any more");
  else if (s->id[0] == '\0')
    give_up (s, "it can't be read");
  else
    try_again (s, err.text);
  forget (s);
}

static void
on_due (void *ctx, enum store_status status, const struct store_due *due, size_t count,
        int64_t next_ms)
{
  struct outbox *outbox = ctx;
  int64_t wait;

  outbox->again |= count == outbox->asked; /* there may be more */
  outbox->asked = 0;
  if (outbox->closing)
    return;
  for (size_t i = 0; i < count; i++)
    take (outbox, &due[i]);
  if (status != STORE_OK)
    wake_in (outbox, PAUSE_SECONDS);
  else if (next_ms != 0) {
    wait = next_ms - outbox->settings.now_ms (outbox->settings.ctx);
    wake_in (outbox, wait > 0 ? (double) wait / 1000 : 0.01);
  }
  if (outbox->again)
    outbox_wake (outbox);
}

void
outbox_wake (struct outbox *outbox)
{
  const struct outbox_settings *settings = &outbox->settings;
  const size_t room = settings->open_max > outbox->count ? settings->open_max - outbox->count : 0;

  outbox->again = outbox->asked != 0;
  if (outbox->asked != 0 || room == 0 || outbox->closing)
    return; /* whoever ends wakes it */
  outbox->asked = room;
  /* Twice a request's time: who has it for longer has died. */
  store_take (settings->store, room, (int64_t) (settings->timeout * 2000), on_due, outbox);
}

void
outbox_close (struct outbox *outbox)
{
  outbox->closing = true;
  ev_timer_stop (outbox->settings.loop, &outbox->timer);
  while (outbox->all != NULL) {
    http_fetch_drop (outbox->all->fetch);
    forget (outbox->all);
  }
}

void
outbox_free (struct outbox *outbox)
{
  free (outbox);
}
