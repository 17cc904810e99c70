/* What plugins say has changed, on its way to those who watch. */
#include <ev.h>
#include <stdio.h>

#include "daemon/changes.h"
#include "tap.h"

/* ---- the plugins, played ---- */

static char asked_again[64];

void
plugins_list_again (struct plugins *plugins, const char *name)
{
  (void) plugins;
  snprintf (asked_again + strlen (asked_again), sizeof asked_again - strlen (asked_again), "%s ",
            name);
}

/* ---- who watches ---- */

static struct {
  struct ev_loop *loop;
  struct pool pool;
  struct catalog *catalog;
  struct changes *changes;
  struct catalog_watcher watcher;
  unsigned lists, told; /* of the last telling; how often */
  unsigned updates;
  char uri[64]; /* the last */
} f;

static void
on_changed (struct catalog_watcher *watcher, const struct catalog *of, unsigned lists)
{
  (void) of;
  (void) watcher;
  f.lists = lists;
  f.told++;
}

static void
on_updated (struct catalog_watcher *watcher, const char *uri, size_t len)
{
  (void) watcher;
  f.updates++;
  snprintf (f.uri, sizeof f.uri, "%.*s", (int) len, uri);
}

static void
setup (void)
{
  memset (&f, 0, sizeof f);
  asked_again[0] = '\0';
  f.loop = ev_loop_new (EVFLAG_AUTO);
  f.catalog = catalog_new ();
  f.watcher.changed = on_changed;
  f.watcher.updated = on_updated;
  catalog_watch (f.catalog, &f.watcher);
  f.changes = changes_new (f.loop, &f.pool, f.catalog, NULL, NULL);
}

static void
teardown (void)
{
  changes_free (f.changes);
  CU_ASSERT_PTR_NULL (f.pool.listener.changed);
  catalog_free (f.catalog);
  ev_loop_destroy (f.loop);
}

static void
say (enum frame_change what, const char *uri)
{
  f.pool.listener.changed (f.pool.listener.ctx, "p", what, uri, strlen (uri));
}

/* ---- the tests ---- */

static void
nothing_is_told_at_once_and_all_together (void)
{
  setup ();
  for (int i = 0; i < 3; i++) {
    say (FRAME_CHANGED_TOOLS, "");
    say (FRAME_CHANGED_PROMPTS, "");
    say (FRAME_CHANGED_RESOURCE, "a:b");
  }
  CU_ASSERT_EQUAL (f.told, 0);
  ev_run (f.loop, EVRUN_ONCE);
  CU_ASSERT_EQUAL (f.told, 1);
  CU_ASSERT_EQUAL (f.lists, CATALOG_TOOLS | CATALOG_PROMPTS);
  CU_ASSERT_EQUAL (f.updates, 1);
  CU_ASSERT_STRING_EQUAL (f.uri, "a:b");
  teardown ();
}

/* What comes meanwhile waits for the pause to pass; when there is nothing more, the loop is free.
 */
static void
the_next_waits (void)
{
  ev_tstamp began;

  setup ();
  say (FRAME_CHANGED_PROMPTS, "");
  ev_run (f.loop, EVRUN_ONCE);
  began = ev_now (f.loop);
  say (FRAME_CHANGED_TOOLS, "");
  ev_run (f.loop, EVRUN_ONCE);
  CU_ASSERT_EQUAL (f.told, 2);
  CU_ASSERT (ev_now (f.loop) - began > 0.04);
  ev_run (f.loop, 0); /* ends by itself */
  CU_ASSERT_EQUAL (f.told, 2);
  teardown ();
}

static void
templates_are_asked_again (void)
{
  setup ();
  say (FRAME_CHANGED_RESOURCES, "");
  say (FRAME_CHANGED_RESOURCES, "");
  f.pool.listener.changed (f.pool.listener.ctx, "q", FRAME_CHANGED_RESOURCES, "", 0);
  ev_run (f.loop, EVRUN_ONCE);
  CU_ASSERT_EQUAL (f.lists, CATALOG_RESOURCES);
  CU_ASSERT_STRING_EQUAL (asked_again, "p q ");
  teardown ();
}

static void
too_many_are_not_kept (void)
{
  char uri[32];

  setup ();
  for (int i = 0; i < 3000; i++) {
    snprintf (uri, sizeof uri, "a:%d", i);
    say (FRAME_CHANGED_RESOURCE, uri);
  }
  ev_run (f.loop, EVRUN_ONCE);
  CU_ASSERT_EQUAL (f.updates, 1024);
  CU_ASSERT_STRING_EQUAL (f.uri, "a:1023");
  teardown ();
}

static CU_TestInfo tests[] = {
  { "nothing is told at once, and all together", nothing_is_told_at_once_and_all_together },
  { "the next waits", the_next_waits },
  { "templates are asked again", templates_are_asked_again },
  { "too many are not kept", too_many_are_not_kept },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "changes", NULL, NULL, NULL, NULL, tests }, CU_SUITE_INFO_NULL };
TAP_MAIN (suites)
