/* outbox.h - what is to be told to the outside is sent: letters of the store, to the hooks of their
 * tenants, signed (Standard Webhooks), each at least once and always with the same webhook-id.
 *
 * 2xx: it was sent.  410: its hook wants no more of it.  Whatever else comes, it is sent again,
 * later and later, until it is given up.  What was being sent when a daemon died is sent again by
 * the next one.  Loop thread only. */
#ifndef TOOLHOST_DAEMON_OUTBOX_H
#define TOOLHOST_DAEMON_OUTBOX_H

#include <ev.h>

#include "base/buf.h"
#include "daemon/hooks.h"
#include "service/http/broker.h"
#include "store/store.h"
#include "watch/log.h"

struct outbox;

struct outbox_settings {
  struct ev_loop *loop;
  struct log *log;
  struct store *store;
  struct http_broker *broker;
  /* NULL: the tenant has no such hook (any more). */
  const struct hook *(*find) (void *ctx, const char *tenant, const char *hook);
  int64_t (*now_ms) (void *ctx); /* Unix time */
  double (*random) (void *ctx);  /* from 0 up to 1 */
  void *ctx;
  unsigned open_max, hook_max; /* requests at once: in all, to one hook */
  double timeout;              /* seconds of a request */
  int64_t again_ms;     /* until the second try; then each is half as late again as all before */
  int64_t again_max_ms; /* and at most so late */
  int64_t give_up_ms;   /* after so long */
};
/* 32 and 4 at once, 10 s, 2 s, an hour, a day; the rest is the caller's to set. */
extern const struct outbox_settings outbox_defaults;

struct outbox *outbox_new (const struct outbox_settings *settings);
/* Nothing is sent any more; what was on its way is still there.  Before the store is closed. */
void outbox_close (struct outbox *outbox);
/* After the store is closed; NULL is fine. */
void outbox_free (struct outbox *outbox);
/* There may be something to send. */
void outbox_wake (struct outbox *outbox);

struct outbox_counts {
  uint64_t sent, failed, given_up; /* failed: tries */
};
struct outbox_counts outbox_counts (const struct outbox *outbox);

#endif
