/* The engine's bounds hold against schemas and values made to break them: each case ends, within
 * the steps a validation has, and with a sentence where there is no verdict.  What that comes to in
 * milliseconds, ./dev bench schema --bombs shows. */
#include "tap.h"

#include "bounds.h"

static void
run_cases (bool patterns)
{
  for (size_t i = 0; i < bounds_count; i++) {
    const struct bounds_case *c = &bounds_cases[i];
    if ((c->pattern != NULL) != patterns)
      continue;
    enum bounds_outcome outcome = bounds_run (c, NULL);
    if (outcome != BOUNDS_BROKEN && (c->pattern != NULL || (outcome & c->expected) != 0))
      continue;
    printf ("# %s: %s\n", c->name, bounds_outcome_name (outcome));
    CU_FAIL ("not the expected outcome");
  }
}

static void
test_patterns (void)
{
  run_cases (true);
}

static void
test_bombs (void)
{
  run_cases (false);
}

static CU_TestInfo tests[] = { { "patterns that backtrack, on 100 kB", test_patterns },
                               { "schemas that multiply", test_bombs },
                               CU_TEST_INFO_NULL };

static CU_SuiteInfo suites[] = { { "bounds", NULL, NULL, NULL, NULL, tests }, CU_SUITE_INFO_NULL };

TAP_MAIN (suites)
