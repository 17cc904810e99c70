/* scenarios.h - a file of scenarios, each of which is a test.  A scenario is JSON, one object a
 * line: first {"scenario": "NAME"}, whose name is the test's, then its lines, up to an empty one.
 */
#ifndef TOOLHOST_TESTS_UNIT_SCENARIOS_H
#define TOOLHOST_TESTS_UNIT_SCENARIOS_H

#include <CUnit/CUnit.h>

struct scenarios {
  const char *file;  /* in tests/unit */
  const char *suite; /* what their tests are called together */
  /* One of them, from its second line on; what follows it in the file follows here, too. */
  void (*play) (const char *lines);
};

/* The main of a test program: `own` tests, a suite of that name, then those of the file. */
int scenarios_main (const struct scenarios *scenarios, const char *own, CU_TestInfo *own_tests,
                    int argc, char **argv);

#endif
