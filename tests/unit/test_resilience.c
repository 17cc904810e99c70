/* Tries and circuits, with the figures of AG-UI's own tests. */
#include "base/resilience.h"
#include "call/circuits.h"
#include "tap.h"

static const struct circuit_rule quick = { .failures = 2, .recovery_ms = 20, .successes = 2 };

static struct circuit_breaker
opened (void)
{
  struct circuit_breaker c = { .state = CIRCUIT_IS_CLOSED };

  CU_ASSERT_FALSE (circuit_failed (&c, &quick, 0));
  CU_ASSERT_EQUAL (c.state, CIRCUIT_IS_CLOSED);
  CU_ASSERT (circuit_failed (&c, &quick, 0));
  CU_ASSERT_EQUAL (c.state, CIRCUIT_IS_OPEN);
  return c;
}

static void
test_opens (void)
{
  struct circuit_breaker c = opened ();

  CU_ASSERT (circuit_is_open (&c, &quick, 0));
  CU_ASSERT_EQUAL (circuit_admit (&c, &quick, 5), 16);
  CU_ASSERT (circuit_is_open (&c, &quick, 20)); /* not yet: strictly more */
  CU_ASSERT_FALSE (circuit_failed (&c, &quick, 20));
}

static void
test_recovers (void)
{
  struct circuit_breaker c = opened ();

  CU_ASSERT_FALSE (circuit_is_open (&c, &quick, 25));
  CU_ASSERT_EQUAL (c.state, CIRCUIT_IS_HALF_OPEN);
  circuit_succeeded (&c, &quick);
  CU_ASSERT_EQUAL (c.state, CIRCUIT_IS_HALF_OPEN);
  circuit_succeeded (&c, &quick);
  CU_ASSERT_EQUAL (c.state, CIRCUIT_IS_CLOSED);
}

static void
test_reopens (void)
{
  struct circuit_breaker c = opened ();

  CU_ASSERT_FALSE (circuit_is_open (&c, &quick, 25));
  circuit_succeeded (&c, &quick);
  CU_ASSERT (circuit_failed (&c, &quick, 30));
  CU_ASSERT_EQUAL (c.state, CIRCUIT_IS_OPEN);
  CU_ASSERT_FALSE (circuit_is_open (&c, &quick, 51));
  circuit_succeeded (&c, &quick); /* what worked before it opened again does not count */
  CU_ASSERT_EQUAL (c.state, CIRCUIT_IS_HALF_OPEN);
}

static void
test_probes (void)
{
  struct circuit_breaker c = opened ();

  CU_ASSERT_EQUAL (circuit_admit (&c, &quick, 25), 0);
  CU_ASSERT_EQUAL (circuit_admit (&c, &quick, 25), 0);
  CU_ASSERT_EQUAL (circuit_admit (&c, &quick, 25), 1000);
  circuit_undecided (&c);
  CU_ASSERT_EQUAL (circuit_admit (&c, &quick, 25), 0);
}

static void
test_counts_in_a_row (void)
{
  struct circuit_breaker c = { .state = CIRCUIT_IS_CLOSED };
  const struct circuit_rule never = { .failures = 0, .recovery_ms = 20, .successes = 2 };

  (void) circuit_failed (&c, &quick, 0);
  circuit_succeeded (&c, &quick);
  CU_ASSERT_FALSE (circuit_failed (&c, &quick, 0));
  for (int i = 0; i < 100; i++)
    CU_ASSERT_FALSE (circuit_failed (&c, &never, 0));
  c = opened ();
  circuit_succeeded (&c, &quick); /* one that was let in before */
  CU_ASSERT_EQUAL (c.state, CIRCUIT_IS_CLOSED);
}

static void
test_kinds (void)
{
  struct retry_rule rule = retry_defaults;

  CU_ASSERT (retry_wanted (&rule, FAILURE_TIMEOUT, 1));
  CU_ASSERT (retry_wanted (&rule, FAILURE_NETWORK, 2));
  CU_ASSERT_FALSE (retry_wanted (&rule, FAILURE_NETWORK, 3));
  CU_ASSERT (retry_wanted (&rule, FAILURE_RESOURCE, 1));
  CU_ASSERT_FALSE (retry_wanted (&rule, FAILURE_UNKNOWN, 1));
  CU_ASSERT_FALSE (retry_wanted (&rule, FAILURE_INPUT, 1));
  CU_ASSERT_FALSE (retry_wanted (&rule, FAILURE_CONFIGURATION, 1));
  CU_ASSERT_FALSE (retry_wanted (&rule, FAILURE_SECURITY, 1));
  CU_ASSERT_FALSE (retry_wanted (&rule, FAILURE_NONE, 1));
  rule.resources = false;
  rule.unknown = true;
  CU_ASSERT_FALSE (retry_wanted (&rule, FAILURE_RESOURCE, 1));
  CU_ASSERT (retry_wanted (&rule, FAILURE_UNKNOWN, 1));
}

static void
test_delays (void)
{
  static const struct {
    enum retry_growth growth;
    int64_t base, max;
    unsigned tried;
    double random;
    int64_t delay;
  } rows[] = {
    { RETRY_FIXED, 100, 30000, 1, 0, 100 },       { RETRY_FIXED, 100, 30000, 3, 0.9, 100 },
    { RETRY_LINEAR, 100, 30000, 3, 0, 300 },      { RETRY_LINEAR, 100, 250, 3, 0, 250 },
    { RETRY_EXPONENTIAL, 50, 120, 1, 0, 50 },     { RETRY_EXPONENTIAL, 50, 120, 2, 0, 100 },
    { RETRY_EXPONENTIAL, 50, 120, 3, 0, 120 },    { RETRY_EXPONENTIAL, 1000, 30000, 60, 0, 30000 },
    { RETRY_JITTER, 1000, 30000, 1, 0, 1000 },    { RETRY_JITTER, 1000, 30000, 1, 0.5, 1050 },
    { RETRY_JITTER, 1000, 30000, 2, 0.99, 2198 }, { RETRY_JITTER, 1000, 30000, 9, 0.99, 30000 },
  };

  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const struct retry_rule rule = {
      .tries = 9, .base_ms = rows[i].base, .max_ms = rows[i].max, .growth = rows[i].growth
    };
    CU_ASSERT_EQUAL (retry_delay (&rule, rows[i].tried, rows[i].random), rows[i].delay);
  }
}

static void
test_tenants (void)
{
  struct call_circuits all = { .table = NULL };
  struct tool tool = { .name = (char *) "t", .plugin = (char *) "p" };

  for (int i = 0; i < 4; i++)
    CU_ASSERT_FALSE (call_circuits_report (&all, &tool, "a", CIRCUIT_BROKE, i));
  CU_ASSERT_EQUAL (call_circuits_admit (&all, &tool, "a", 4), 0);
  CU_ASSERT (call_circuits_report (&all, &tool, "a", CIRCUIT_BROKE, 4));
  CU_ASSERT_EQUAL (call_circuits_admit (&all, &tool, "a", 5), 60000);
  CU_ASSERT_EQUAL (call_circuits_admit (&all, &tool, "b", 5), 0);
  CU_ASSERT_EQUAL (call_circuits_admit (&all, &tool, NULL, 5), 0);
  strcpy (tool.digest, "another");
  CU_ASSERT_EQUAL (call_circuits_admit (&all, &tool, "a", 5), 0);
  call_circuits_free (&all);
}

static void
see (void *ctx, const struct circuit_view *v)
{
  static const char *const states[] = { "closed", "open", "half-open" };

  buf_printf (ctx, "%s %s %s %s %d %d\n", v->plugin, v->tool, v->tenant, states[v->state],
              (int) v->failures, (int) v->retry_after_ms);
}

static void
test_shown (void)
{
  struct call_circuits all = { .table = NULL };
  struct tool tool = { .name = (char *) "t", .plugin = (char *) "p" };
  struct tool bare = { .name = (char *) "u" };
  CLEANUP_BUF struct buf out = { 0 };

  for (int i = 0; i < 5; i++)
    (void) call_circuits_report (&all, &tool, "a", CIRCUIT_BROKE, 0);
  (void) call_circuits_report (&all, &bare, NULL, CIRCUIT_BROKE, 0);
  call_circuits_see (&all, NULL, 1000, see, &out);
  call_circuits_see (&all, "default", 1000, see, &out);
  call_circuits_see (&all, "nobody", 1000, see, &out);
  call_circuits_see (&all, "a", 60001, see, &out);
  CU_ASSERT_STRING_EQUAL (buf_cstr (&out), "p t a open 0 59001\n u default closed 1 0\n"
                                           " u default closed 1 0\np t a half-open 0 0\n");
  call_circuits_free (&all);
}

/* What is closed and saw no failure is forgotten, and there is a bound. */
static void
test_kept (void)
{
  struct call_circuits all = { .table = NULL };
  struct tool tool = { .name = (char *) "t", .plugin = (char *) "p" };
  char tenant[16];

  CU_ASSERT_FALSE (call_circuits_report (&all, &tool, NULL, CIRCUIT_WORKED, 0));
  (void) call_circuits_report (&all, &tool, NULL, CIRCUIT_BROKE, 0);
  CU_ASSERT_EQUAL (all.count, 1);
  (void) call_circuits_report (&all, &tool, "default", CIRCUIT_WORKED, 0);
  CU_ASSERT_EQUAL (all.count, 0);
  for (int i = 0; i < CALL_CIRCUITS_MAX + 10; i++) {
    snprintf (tenant, sizeof tenant, "t%d", i);
    (void) call_circuits_report (&all, &tool, tenant, CIRCUIT_BROKE, 0);
  }
  CU_ASSERT_EQUAL (all.count, CALL_CIRCUITS_MAX);
  tool.circuit_set = true; /* never opens */
  (void) call_circuits_report (&all, &tool, "other", CIRCUIT_BROKE, 0);
  CU_ASSERT_EQUAL (all.count, CALL_CIRCUITS_MAX);
  call_circuits_free (&all);
}

static CU_TestInfo tests[] = {
  { "A1-6 a tenant's failures are its own", test_tenants },
  { "U1-12 circuits are shown", test_shown },
  { "A1-6 few circuits are kept", test_kept },
  { "U1-12 T1-3 it opens after as many failures", test_opens },
  { "U1-12 T1-4 it is tried after its time, and closes", test_recovers },
  { "U1-12 T1-5 A1-8 a failure opens it again, and nothing counts", test_reopens },
  { "A1-8 half open lets few through", test_probes },
  { "U1-12 T1-8 failures in a row count", test_counts_in_a_row },
  { "U1-8 T1-6 which failures are worth another try", test_kinds },
  { "U1-9 T1-6 T1-7 how long between tries", test_delays },
  CU_TEST_INFO_NULL,
};
static CU_SuiteInfo suites[] = { { "resilience", NULL, NULL, NULL, NULL, tests },
                                 CU_SUITE_INFO_NULL };
TAP_MAIN (suites)
