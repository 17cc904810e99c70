#include "manage/definitions.h"

#include <stdlib.h>
#include <string.h>

/* Seconds until the store is asked again when it could not answer. */
static const double AGAIN = 0.5;

struct waiting {
  int64_t revision;
  void (*done) (void *ctx);
  void *ctx;
  struct waiting *next;
};

struct definitions {
  struct store *store;
  struct ev_loop *loop;
  struct log *log;
  struct definitions_events events;
  struct tenant_definitions *by_tenant;
  int64_t revision; /* up to which all is here */
  bool loaded, asking;
  struct waiting *waiting;
  ev_timer again;
};

const char *
definition_word (enum definition_kind kind)
{
  return kind == DEFINITION_TOOL ? "tool" : "endpoint";
}

/* ---- one definition, one tenant ---- */

static void
definition_free (struct definition *definition)
{
  free (definition->name);
  free (definition->body);
  free (definition->author);
  free (definition);
}

static void
remove_definition (struct tenant_definitions *of, enum definition_kind kind,
                   struct definition *definition)
{
  HASH_DEL (of->by_name[kind], definition);
  of->count[kind]--;
  of->bytes -= definition->body_len;
  definition_free (definition);
}

static void
tenant_free (struct tenant_definitions *of)
{
  struct definition *definition, *next;

  for (int kind = 0; kind < DEFINITION_KINDS; kind++)
    HASH_ITER (hh, of->by_name[kind], definition, next)
    {
      remove_definition (of, (enum definition_kind) kind, definition);
    }
  free (of->tenant);
  free (of);
}

static struct tenant_definitions *
find_tenant (const struct definitions *d, const char *tenant)
{
  struct tenant_definitions *of = NULL;

  if (d != NULL)
    HASH_FIND_STR (d->by_tenant, tenant, of);
  return of;
}

static struct tenant_definitions *
make_tenant (struct definitions *d, const char *tenant)
{
  struct tenant_definitions *of = find_tenant (d, tenant);

  if (of != NULL)
    return of;
  of = xcalloc (1, sizeof *of);
  of->tenant = xstrdup (tenant);
  HASH_ADD_KEYPTR (hh, d->by_tenant, of->tenant, strlen (of->tenant), of);
  return of;
}

/* ---- what the store tells ---- */

static void
put_definition (struct tenant_definitions *of, enum definition_kind kind,
                const struct store_definition *told)
{
  struct definition *definition = xcalloc (1, sizeof *definition);

  definition->name = xstrdup (told->name);
  definition->body = xstrndup (told->body.data, told->body.len);
  definition->body_len = told->body.len;
  definition->revision = told->revision;
  definition->written_ms = told->written_ms;
  definition->created_ms = told->created_ms;
  definition->author = xstrdup (told->author != NULL ? told->author : "");
  HASH_ADD_KEYPTR (hh, of->by_name[kind], definition->name, strlen (definition->name), definition);
  of->count[kind]++;
  of->bytes += definition->body_len;
}

/* False: it is of a kind that is not ours. */
static bool
take_definition (struct definitions *d, const struct store_definition *told)
{
  int kind = 0;
  struct tenant_definitions *of;
  struct definition *was = NULL;

  while (kind < DEFINITION_KINDS
         && strcmp (told->kind, definition_word ((enum definition_kind) kind)) != 0)
    kind++;
  if (kind == DEFINITION_KINDS)
    return false;
  of = make_tenant (d, told->tenant);
  HASH_FIND_STR (of->by_name[kind], told->name, was);
  if (was != NULL)
    remove_definition (of, (enum definition_kind) kind, was);
  if (told->body.data != NULL)
    put_definition (of, (enum definition_kind) kind, told);
  if (told->revision > of->revision)
    of->revision = told->revision;
  return true;
}

/* They come sorted by tenant: each is told once. */
static void
take_all (struct definitions *d, const struct store_definition *told, size_t count)
{
  const char *changed = NULL;

  for (size_t i = 0; i < count; i++) {
    if (changed != NULL && strcmp (changed, told[i].tenant) != 0) {
      d->events.changed (d->events.ctx, changed);
      changed = NULL;
    }
    if (take_definition (d, &told[i]) && d->loaded)
      changed = told[i].tenant;
  }
  if (changed != NULL)
    d->events.changed (d->events.ctx, changed);
}

static void
tell_waiting (struct definitions *d)
{
  struct waiting *all = d->waiting, *w;

  d->waiting = NULL;
  while ((w = all) != NULL) {
    all = w->next;
    if (w->revision > d->revision) {
      w->next = d->waiting;
      d->waiting = w;
      continue;
    }
    w->done (w->ctx);
    free (w);
  }
}

static void follow (struct definitions *d);

static void
on_scanned (void *ctx, enum store_status status, const struct store_definition *told, size_t count,
            int64_t revision)
{
  struct definitions *d = ctx;
  const bool first = !d->loaded;

  d->asking = false;
  if (status != STORE_OK) {
    log_event (d->log, LOG_ERROR, "definitions_unreadable", "why", "the store does not answer",
               NULL);
    ev_timer_set (&d->again, AGAIN, 0);
    ev_timer_start (d->loop, &d->again);
    return;
  }
  take_all (d, told, count);
  d->revision = revision;
  d->loaded = true;
  if (first)
    d->events.loaded (d->events.ctx);
  tell_waiting (d);
  if (d->waiting != NULL)
    follow (d);
}

/* Ask the store what was written since. */
static void
follow (struct definitions *d)
{
  const struct store_scan scan = { .since = d->revision };

  if (d->asking || ev_is_active (&d->again))
    return;
  d->asking = true;
  store_scan (d->store, &scan, on_scanned, d);
}

static void
on_again (struct ev_loop *loop, ev_timer *timer, int revents)
{
  (void) loop;
  (void) revents;
  follow (timer->data);
}

/* ---- for others ---- */

struct definitions *
definitions_new (struct store *store, struct ev_loop *loop, struct log *log,
                 const struct definitions_events *events)
{
  struct definitions *d = xcalloc (1, sizeof *d);

  d->store = store;
  d->loop = loop;
  d->log = log;
  d->events = *events;
  ev_timer_init (&d->again, on_again, 0, 0);
  d->again.data = d;
  follow (d);
  return d;
}

void
definitions_free (struct definitions *d)
{
  struct tenant_definitions *of, *next;
  struct waiting *w;

  if (d == NULL)
    return;
  ev_timer_stop (d->loop, &d->again);
  while ((w = d->waiting) != NULL) {
    d->waiting = w->next;
    w->done (w->ctx);
    free (w);
  }
  HASH_ITER (hh, d->by_tenant, of, next)
  {
    HASH_DEL (d->by_tenant, of);
    tenant_free (of);
  }
  free (d);
}

bool
definitions_are_loaded (const struct definitions *d)
{
  return d->loaded;
}

const struct tenant_definitions *
definitions_of (const struct definitions *d, const char *tenant)
{
  return find_tenant (d, tenant);
}

void
definitions_each_tenant (const struct definitions *d,
                         void (*each) (void *ctx, const struct tenant_definitions *of), void *ctx)
{
  for (const struct tenant_definitions *of = d->by_tenant; of != NULL; of = of->hh.next)
    if (of->count[DEFINITION_TOOL] + of->count[DEFINITION_ENDPOINT] != 0)
      each (ctx, of);
}

const struct definition *
definitions_find (const struct definitions *d, const char *tenant, enum definition_kind kind,
                  const char *name)
{
  const struct tenant_definitions *of = find_tenant (d, tenant);
  struct definition *definition = NULL;

  if (of != NULL)
    HASH_FIND_STR (of->by_name[kind], name, definition);
  return definition;
}

void
definitions_await (struct definitions *d, int64_t revision, void (*done) (void *ctx), void *ctx)
{
  struct waiting *w = xcalloc (1, sizeof *w);

  *w = (struct waiting){ .revision = revision, .done = done, .ctx = ctx, .next = d->waiting };
  d->waiting = w;
  follow (d);
}
