#include "daemon/changes.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum { URIS_MAX = 1024 };
static const double PAUSE = 0.05, LINE_EVERY = 1; /* seconds */

/* A resource by its URI, or a plugin by its name. */
struct updated {
  UT_hash_handle hh;
  size_t len;
  char uri[];
};

struct changes {
  struct ev_loop *loop;
  struct pool *pool;
  struct catalog *catalog;
  struct plugins *plugins;
  struct log *log;
  ev_timer timer;
  unsigned lists;          /* enum CATALOG_… */
  struct updated *updated; /* by URI, in the order they came */
  struct updated *relist;  /* plugins whose resources have changed */
  size_t lost;
  ev_tstamp told; /* when the log was last told of lost ones */
};

static void
forget (struct updated **set)
{
  struct updated *u, *next;

  HASH_ITER (hh, *set, u, next)
  {
    HASH_DEL (*set, u);
    free (u);
  }
}

static void
tell_lost (struct changes *changes)
{
  const ev_tstamp now = ev_now (changes->loop);

  if (changes->lost == 0 || now - changes->told < LINE_EVERY)
    return;
  log_event (changes->log, LOG_WARNING, "resource_updates_lost", "count", LOG_INT (changes->lost),
             NULL);
  changes->lost = 0;
  changes->told = now;
}

/* Tell what there is; when there was something, the next waits for the pause to pass. */
static void
pass_on (struct ev_loop *loop, ev_timer *timer, int revents)
{
  struct changes *changes = timer->data;
  unsigned lists = changes->lists;

  (void) revents;
  if (lists == 0 && changes->updated == NULL) {
    ev_timer_stop (loop, timer);
    return;
  }
  changes->lists = 0;
  if (lists != 0)
    catalog_tell (changes->catalog, lists);
  for (const struct updated *u = changes->updated; u != NULL; u = u->hh.next)
    catalog_updated (changes->catalog, u->uri, u->len);
  forget (&changes->updated);
  for (const struct updated *u = changes->relist; u != NULL; u = u->hh.next)
    plugins_list_again (changes->plugins, u->uri);
  forget (&changes->relist);
  tell_lost (changes);
}

static void
add (struct changes *changes, struct updated **set, const char *text, size_t len)
{
  struct updated *u = NULL;

  HASH_FIND (hh, *set, text, len, u);
  if (u != NULL)
    return;
  if (HASH_COUNT (*set) >= URIS_MAX) {
    changes->lost++;
    return;
  }
  u = xcalloc (1, sizeof *u + len + 1);
  u->len = len;
  memcpy (u->uri, text, len);
  HASH_ADD_KEYPTR (hh, *set, u->uri, u->len, u);
}

static void
on_changed (void *ctx, const char *plugin, enum frame_change what, const char *uri, size_t len)
{
  static const unsigned lists[] = { [FRAME_CHANGED_TOOLS] = CATALOG_TOOLS,
                                    [FRAME_CHANGED_RESOURCES] = CATALOG_RESOURCES,
                                    [FRAME_CHANGED_RESOURCE] = 0,
                                    [FRAME_CHANGED_PROMPTS] = CATALOG_PROMPTS };
  struct changes *changes = ctx;

  changes->lists |= lists[what];
  if (what == FRAME_CHANGED_RESOURCE)
    add (changes, &changes->updated, uri, len);
  if (what == FRAME_CHANGED_RESOURCES)
    add (changes, &changes->relist, plugin, strlen (plugin));
  if (!ev_is_active (&changes->timer)) { /* not from within the worker's frame */
    ev_timer_set (&changes->timer, 0, PAUSE);
    ev_timer_start (changes->loop, &changes->timer);
  }
}

struct changes *
changes_new (struct ev_loop *loop, struct pool *pool, struct catalog *catalog,
             struct plugins *plugins, struct log *log)
{
  struct changes *changes = xcalloc (1, sizeof *changes);

  changes->loop = loop;
  changes->pool = pool;
  changes->catalog = catalog;
  changes->plugins = plugins;
  changes->log = log;
  ev_timer_init (&changes->timer, pass_on, 0, PAUSE);
  changes->timer.data = changes;
  pool->listener = (struct pool_listener){ .changed = on_changed, .ctx = changes };
  return changes;
}

void
changes_free (struct changes *changes)
{
  if (changes == NULL)
    return;
  changes->pool->listener = (struct pool_listener){ .changed = NULL };
  ev_timer_stop (changes->loop, &changes->timer);
  forget (&changes->updated);
  forget (&changes->relist);
  free (changes);
}
