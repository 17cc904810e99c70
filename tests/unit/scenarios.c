#include "scenarios.h"

#include <stdint.h>

#include "base/memory.h"
#include "data.h"
#include "tap.h"

static const char begin[] = "{\"scenario\": \"";

/* CUnit hands nothing to a test: what all of them play. */
static const struct scenarios *shown;
static char *text;

static void
play_one (void)
{
  char first[512];
  const char *at;

  snprintf (first, sizeof first, "%s%s\"}\n", begin, CU_get_current_test ()->pName);
  at = strstr (text, first);
  CU_ASSERT_PTR_NOT_NULL_FATAL (at);
  shown->play (at + strlen (first));
}

static CU_TestInfo *
make_tests (void)
{
  CU_TestInfo *tests = xcalloc (1, sizeof *tests);
  size_t count = 0;

  for (const char *at = text; (at = strstr (at, begin)) != NULL;) {
    at += sizeof begin - 1;
    tests = xrealloc (tests, (count + 2) * sizeof *tests);
    tests[count++] = (CU_TestInfo){ xstrndup (at, strcspn (at, "\"")), play_one };
    tests[count] = (CU_TestInfo) CU_TEST_INFO_NULL;
  }
  return tests;
}

static void
free_tests (CU_TestInfo *tests)
{
  for (CU_TestInfo *test = tests; test->pName != NULL; test++)
    free ((char *) (uintptr_t) test->pName);
  free (tests);
}

static bool
read_text (void)
{
  const char *source = getenv ("TOOLHOST_SOURCE");
  char folder[4096];
  size_t len;

  snprintf (folder, sizeof folder, "%s/tests/unit", source != NULL ? source : ".");
  text = data_read (folder, shown->file, &len);
  return text != NULL && strstr (text, begin) != NULL;
}

int
scenarios_main (const struct scenarios *scenarios, const char *own, CU_TestInfo *own_tests,
                int argc, char **argv)
{
  CU_TestInfo *tests;
  int status;

  shown = scenarios;
  if (!read_text ()) {
    printf ("Bail out! tests/unit/%s can't be read\n", scenarios->file);
    return EXIT_FAILURE;
  }
  tests = make_tests ();
  status = tap_main ((CU_SuiteInfo[]){ { own, NULL, NULL, NULL, NULL, own_tests },
                                       { scenarios->suite, NULL, NULL, NULL, NULL, tests },
                                       CU_SUITE_INFO_NULL },
                     argc > 1 ? argv[1] : NULL);
  free_tests (tests);
  free (text);
  return status;
}
