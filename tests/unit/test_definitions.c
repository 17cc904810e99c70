/* What tenants have made, followed as a store in memory has it. */
#include <ev.h>

#include "manage/definitions.h"
#include "tap.h"

struct fixture {
  struct ev_loop *loop;
  struct store *store;
  struct definitions *d;
  unsigned loaded, changed, here, answered;
  char tenants[128]; /* that have changed, with a blank behind each */
  enum store_status status;
  int64_t revision;
};

static void
on_loaded (void *ctx)
{
  ((struct fixture *) ctx)->loaded++;
}

static void
on_changed (void *ctx, const char *tenant)
{
  struct fixture *f = ctx;
  const size_t len = strlen (f->tenants);

  f->changed++;
  (void) snprintf (f->tenants + len, sizeof f->tenants - len, "%s ", tenant);
}

static void
on_here (void *ctx)
{
  ((struct fixture *) ctx)->here++;
}

static void
on_written (void *ctx, enum store_status status, int64_t revision, size_t wrong)
{
  struct fixture *f = ctx;

  (void) wrong;
  f->answered++;
  f->status = status;
  f->revision = revision;
}

/* Until `number` has become this. */
static void
run_until (struct fixture *f, const unsigned *number, unsigned goal)
{
  while (*number < goal)
    ev_run (f->loop, EVRUN_ONCE);
}

static void
follow (struct fixture *f)
{
  const struct definitions_events events = { .loaded = on_loaded, .changed = on_changed, .ctx = f };

  f->d = definitions_new (f->store, f->loop, NULL, &events);
}

static void
setup (struct fixture *f)
{
  struct store_settings settings = store_defaults;

  memset (f, 0, sizeof *f);
  f->loop = ev_loop_new (EVFLAG_AUTO);
  settings.loop = f->loop;
  f->store = store_open_memory (&settings);
  CU_ASSERT_PTR_NOT_NULL_FATAL (f->store);
}

static void
teardown (struct fixture *f)
{
  store_close (f->store);
  definitions_free (f->d);
  ev_loop_destroy (f->loop);
}

/* `body` NULL: it is removed. */
static void
change (struct fixture *f, const char *tenant, const char *kind, const char *name, const char *body)
{
  const struct store_change change = { .tenant = tenant,
                                       .kind = kind,
                                       .name = name,
                                       .body = { body, body != NULL ? strlen (body) : 0 },
                                       .expect = -1,
                                       .author = "key:m" };

  store_change (f->store, &change, 1, on_written, f);
  run_until (f, &f->answered, f->answered + 1);
  CU_ASSERT_EQUAL (f->status, STORE_OK);
}

static void
await (struct fixture *f)
{
  definitions_await (f->d, f->revision, on_here, f);
  CU_ASSERT_EQUAL (f->here, 0);
  run_until (f, &f->here, 1);
  f->here = 0;
}

static void
test_all_that_is_there_is_read (void)
{
  struct fixture f;
  const struct tenant_definitions *of;

  setup (&f);
  change (&f, "acme", "tool", "a", "{\"name\":\"a\"}");
  change (&f, "acme", "endpoint", "e.x", "{}");
  change (&f, "acme", "tool", "gone", "{}");
  change (&f, "acme", "tool", "gone", NULL);
  change (&f, "other", "secret_of_others", "a", "{}");
  follow (&f);
  CU_ASSERT_FALSE (definitions_are_loaded (f.d));
  run_until (&f, &f.loaded, 1);
  CU_ASSERT_EQUAL (f.changed, 0);
  of = definitions_of (f.d, "acme");
  CU_ASSERT_PTR_NOT_NULL_FATAL (of);
  CU_ASSERT_EQUAL (of->count[DEFINITION_TOOL], 1);
  CU_ASSERT_EQUAL (of->count[DEFINITION_ENDPOINT], 1);
  CU_ASSERT_EQUAL (of->bytes, strlen ("{\"name\":\"a\"}") + strlen ("{}"));
  CU_ASSERT_PTR_NULL (definitions_of (f.d, "other"));
  CU_ASSERT_PTR_NULL (definitions_find (f.d, "acme", DEFINITION_TOOL, "gone"));
  CU_ASSERT_STRING_EQUAL (definitions_find (f.d, "acme", DEFINITION_TOOL, "a")->author, "key:m");
  teardown (&f);
}

static void
test_what_is_written_since_is_followed (void)
{
  struct fixture f;
  const struct definition *a;

  setup (&f);
  follow (&f);
  run_until (&f, &f.loaded, 1);
  change (&f, "one", "tool", "a", "{\"v\":1}");
  change (&f, "two", "tool", "a", "{\"v\":2}");
  await (&f);
  CU_ASSERT_STRING_EQUAL (f.tenants, "one two ");
  a = definitions_find (f.d, "one", DEFINITION_TOOL, "a");
  CU_ASSERT_PTR_NOT_NULL_FATAL (a);
  CU_ASSERT_EQUAL (a->revision, f.revision - 1);
  change (&f, "one", "tool", "a", "{\"v\":3}");
  await (&f);
  a = definitions_find (f.d, "one", DEFINITION_TOOL, "a");
  CU_ASSERT_STRING_EQUAL (a->body, "{\"v\":3}");
  CU_ASSERT (a->written_ms >= a->created_ms);
  change (&f, "one", "tool", "a", NULL);
  await (&f);
  CU_ASSERT_PTR_NULL (definitions_find (f.d, "one", DEFINITION_TOOL, "a"));
  CU_ASSERT_EQUAL (definitions_of (f.d, "one")->revision, f.revision);
  CU_ASSERT_EQUAL (definitions_of (f.d, "one")->bytes, 0);
  CU_ASSERT_STRING_EQUAL (f.tenants, "one two one one ");
  CU_ASSERT_EQUAL (f.loaded, 1);
  teardown (&f);
}

/* Whoever waits is told, at the end of the daemon too. */
static void
test_nobody_waits_for_ever (void)
{
  struct fixture f;

  setup (&f);
  follow (&f);
  run_until (&f, &f.loaded, 1);
  definitions_await (f.d, 1000, on_here, &f);
  teardown (&f);
  CU_ASSERT_EQUAL (f.here, 1);
}

static CU_TestInfo tests[] = {
  { "all that is there is read", test_all_that_is_there_is_read },
  { "what is written since is followed", test_what_is_written_since_is_followed },
  { "nobody waits for ever", test_nobody_waits_for_ever },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "definitions", NULL, NULL, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };
TAP_MAIN (suites)
