/* tap.h - a CUnit program that prints TAP, the Test Anything Protocol.
 *
 *   static CU_SuiteInfo suites[] = { { "buf", NULL, NULL, NULL, NULL, tests }, CU_SUITE_INFO_NULL
 * }; TAP_MAIN (suites)
 *
 * Each test is one point, "ok 3 - buf: grows"; a failed one says as comments which assertions did
 * not hold, and where.  An argument on the command line runs only the tests whose "suite: test"
 * holds it.  A program that takes longer than five minutes is ended by SIGALRM. */
#ifndef TOOLHOST_TESTS_UNIT_TAP_H
#define TOOLHOST_TESTS_UNIT_TAP_H

#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Why the test that runs was skipped; NULL while it was not.  One variable of the program,
 * whichever file of it includes this header. */
__attribute__ ((weak)) const char *tap_skipped;

/* End this test and count it as skipped. */
#define TAP_SKIP(reason)                                                                           \
  do {                                                                                             \
    tap_skipped = (reason);                                                                        \
    return;                                                                                        \
  } while (0)

static inline bool
tap_wanted (const char *suite, const char *test, const char *filter)
{
  char name[512];

  snprintf (name, sizeof name, "%s: %s", suite, test);
  return filter == NULL || strstr (name, filter) != NULL;
}

static inline void
tap_explain (const CU_FailureRecord *failure)
{
  for (; failure != NULL; failure = failure->pNext)
    printf ("# %s:%u: %s\n", failure->strFileName != NULL ? failure->strFileName : "?",
            failure->uiLineNumber, failure->strCondition != NULL ? failure->strCondition : "?");
}

/* Run one test and print its point; true unless it failed. */
static inline bool
tap_run (CU_pSuite suite, CU_pTest test, unsigned number)
{
  tap_skipped = NULL;
  fflush (stdout);
  CU_ErrorCode error = CU_run_test (suite, test);
  const CU_FailureRecord *failures = CU_get_failure_list ();
  bool passed = error == CUE_SUCCESS && failures == NULL;

  tap_explain (failures);
  printf ("%s %u - %s: %s", passed ? "ok" : "not ok", number, suite->pName, test->pName);
  if (passed && tap_skipped != NULL)
    printf (" # SKIP %s", tap_skipped);
  else if (error != CUE_SUCCESS)
    printf ("\n# %s", CU_get_error_msg ());
  putchar ('\n');
  return passed;
}

static inline int
tap_run_all (const char *filter)
{
  unsigned number = 0, failed = 0;

  for (CU_pSuite suite = CU_get_registry ()->pSuite; suite != NULL; suite = suite->pNext)
    for (CU_pTest test = suite->pTest; test != NULL; test = test->pNext)
      if (tap_wanted (suite->pName, test->pName, filter))
        failed += !tap_run (suite, test, ++number);
  printf ("1..%u\n", number);
  return failed == 0 && number > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

static inline int
tap_main (CU_SuiteInfo *suites, const char *filter)
{
  alarm (300);
  if (CU_initialize_registry () != CUE_SUCCESS || CU_register_suites (suites) != CUE_SUCCESS) {
    printf ("Bail out! %s\n", CU_get_error_msg ());
    return EXIT_FAILURE;
  }
  CU_set_error_action (CUEA_IGNORE);

  int status = tap_run_all (filter);

  CU_cleanup_registry ();
  return status;
}

#define TAP_MAIN(suites)                                                                           \
  int main (int argc, char **argv)                                                                 \
  {                                                                                                \
    return tap_main (suites, argc > 1 ? argv[1] : NULL);                                           \
  }

#endif
