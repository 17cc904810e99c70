#include "manage/manage.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_write.h"
#include "manage/manage_parts.h"

static const char TRY[] = "actions_try";

struct waiting {
  struct manage *manage;
  char *tenant;
  int64_t revision;
  void (*done) (void *ctx);
  void *ctx;
  ev_timer late;
  struct waiting *next;
};

void
manage_history (struct manage *manage, const char *tenant, enum definition_kind kind,
                const char *name, size_t limit, store_scan_cb cb, void *ctx)
{
  const struct store_scan scan = {
    .tenant = tenant, .kind = definition_word (kind), .name = name, .history = true, .limit = limit
  };

  store_scan (manage->needs.store, &scan, cb, ctx);
}

/* ---- trying ---- */

bool
manage_try (struct manage *manage, const char *tenant, const char *name,
            const struct json_tape *body, void (*done) (void *ctx, const struct result *),
            void *ctx)
{
  static const char *const members[] = { "arguments", "context", "webhooks", "now" };
  const struct manage_needs *needs = &manage->needs;
  const struct json_node *given = json_member (body, json_root (body), "tool");
  CLEANUP_BUF struct buf text = { 0 };
  CLEANUP_BUF struct buf endpoints = { 0 };
  struct composed c = { .count = 0 };
  struct json_writer w = { .out = &text };
  const struct piece *piece = NULL;
  const char *raw;
  size_t len;

  needs->compose (needs->ctx, tenant, &c);
  compose_put_endpoints (&c, NULL, &endpoints);
  HASH_FIND_STR (c.by_name[DEFINITION_TOOL], name, piece);
  if (given == NULL && piece == NULL) {
    composed_free (&c);
    return false;
  }
  jsonw_object (&w);
  if (given != NULL) {
    raw = json_raw (body, given, &len);
    jsonw_name_raw (&w, "tool", raw, len);
  }
  else
    jsonw_name_raw (&w, "tool", piece->body, piece->len);
  jsonw_name_raw (&w, "endpoints", endpoints.data, endpoints.len);
  for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
    const struct json_node *node = json_member (body, json_root (body), members[i]);
    if (node == NULL)
      continue;
    raw = json_raw (body, node, &len);
    jsonw_name_raw (&w, members[i], raw, len);
  }
  jsonw_end (&w);
  composed_free (&c);
  sandboxed_call (&needs->sandboxed, tenant, TRY, &text, done, ctx);
  return true;
}

/* ---- waiting until it is served ---- */

static void
waiting_free (struct waiting *w)
{
  ev_timer_stop (w->manage->needs.loop, &w->late);
  free (w->tenant);
  free (w);
}

static void
waiting_end (struct waiting *w)
{
  struct waiting **at = &w->manage->waiting;

  while (*at != w)
    at = &(*at)->next;
  *at = w->next;
  w->done (w->ctx);
  waiting_free (w);
}

static void
on_late (struct ev_loop *loop, ev_timer *timer, int revents)
{
  (void) loop;
  (void) revents;
  waiting_end (timer->data);
}

void
manage_await_served (struct manage *manage, const char *tenant, int64_t revision, double seconds,
                     void (*done) (void *ctx), void *ctx)
{
  struct waiting *w = xcalloc (1, sizeof *w);

  *w = (struct waiting){ .manage = manage,
                         .tenant = xstrdup (tenant),
                         .revision = revision,
                         .done = done,
                         .ctx = ctx,
                         .next = manage->waiting };
  manage->waiting = w;
  ev_timer_init (&w->late, on_late, seconds, 0);
  w->late.data = w;
  ev_timer_start (manage->needs.loop, &w->late);
}

void
manage_look (struct manage *manage)
{
  for (struct waiting *w = manage->waiting, *next; w != NULL; w = next) {
    next = w->next;
    if (manage_served (manage, w->tenant) >= w->revision)
      waiting_end (w);
  }
}

/* ---- making it ---- */

struct manage *
manage_new (const struct manage_needs *needs)
{
  struct manage *manage = xcalloc (1, sizeof *manage);

  manage->needs = *needs;
  return manage;
}

void
manage_free (struct manage *manage)
{
  struct waiting *w;

  if (manage == NULL)
    return;
  while ((w = manage->waiting) != NULL)
    waiting_end (w);
  free (manage);
}

const struct definitions *
manage_definitions (const struct manage *manage)
{
  return manage->needs.definitions;
}

int64_t
manage_served (const struct manage *manage, const char *tenant)
{
  return manage->needs.served (manage->needs.ctx, tenant);
}
