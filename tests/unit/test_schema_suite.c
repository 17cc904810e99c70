/* The official suites of JSON Schema, with the documents their references lead to. */
#include "tap.h"

#include <dirent.h>
#include <limits.h>
#include <sys/stat.h>

#include "data.h"
#include "schema/schema.h"

#define ARCHIVE "json-schema-test-suite.tar.gz"

struct suite {
  struct schema_options options;
  unsigned cases;
  unsigned wrong;
};

static bool
ends_with (const char *text, const char *end)
{
  size_t len = strlen (text), end_len = strlen (end);

  return len >= end_len && strcmp (text + len - end_len, end) == 0;
}

/* ---- remotes ---- */

/* What is at remotes/X is meant to be at http://localhost:1234/X. */
static void
add_remotes (struct schema_registry *registry, const char *dir, const char *uri)
{
  DIR *d = opendir (dir);

  CU_ASSERT_PTR_NOT_NULL_FATAL (d);
  for (struct dirent *e; (e = readdir (d)) != NULL;) {
    char path[PATH_MAX], at[PATH_MAX];
    struct error err = { 0 };
    struct stat st;
    size_t len;
    if (e->d_name[0] == '.')
      continue;
    (void) snprintf (path, sizeof path, "%s/%s", dir, e->d_name);
    (void) snprintf (at, sizeof at, "%s/%s", uri, e->d_name);
    if (stat (path, &st) == 0 && S_ISDIR (st.st_mode))
      add_remotes (registry, path, at);
    else if (ends_with (path, ".json")) {
      CLEANUP_FREE char *text = data_read (dir, e->d_name, &len);
      CU_ASSERT_TRUE (schema_registry_add (registry, at, text, len, &err));
    }
  }
  (void) closedir (d);
}

/* ---- running ---- */

static void
report_wrong (struct suite *suite, const char *file, const struct json_tape *tape,
              const struct json_node *group, const struct json_node *test, const char *what)
{
  CLEANUP_ARENA struct arena a = { 0 };

  suite->wrong++;
  printf (
    "# %s: %s: %s: %s\n", file, json_cstring (tape, json_member (tape, group, "description"), &a),
    test != NULL ? json_cstring (tape, json_member (tape, test, "description"), &a) : "", what);
}

static void
run_group (struct suite *suite, const char *file, const struct json_tape *tape,
           const struct json_node *group)
{
  const struct json_node *tests = json_member (tape, group, "tests");
  struct error err = { 0 };
  struct schema *schema =
    schema_compile (tape, json_member (tape, group, "schema"), &suite->options, &err);

  suite->cases += tests->count;
  if (schema == NULL) {
    report_wrong (suite, file, tape, group, NULL, err.text);
    return;
  }
  for (const struct json_node *n = json_first (tests); n != json_end (tests); n = json_next (n)) {
    CLEANUP_ARENA struct arena a = { 0 };
    struct schema_report report = { 0 };
    bool valid = json_is (json_member (tape, n, "valid"), JSON_TRUE);
    if (schema_validate (schema, tape, json_member (tape, n, "data"), &report, &a) != valid)
      report_wrong (suite, file, tape, group, n, valid ? "refused" : "accepted");
    if (!valid && report.count == 0)
      report_wrong (suite, file, tape, group, n, "refused without a reason");
  }
  schema_free (schema);
}

static void
run_file (struct suite *suite, const char *dir, const char *name)
{
  static const struct json_limits limits = {
    .depth = 1000, .nodes = 1000000, .members = 100000, .number_len = 4096
  };
  CLEANUP_ARENA struct arena a = { 0 };
  struct json_tape tape;
  size_t len = 0;
  CLEANUP_FREE char *text = data_read (dir, name, &len);

  CU_ASSERT_PTR_NOT_NULL_FATAL (text);
  CU_ASSERT_TRUE_FATAL (json_read (&tape, text, len, &limits, &a));
  for (const struct json_node *g = json_first (json_root (&tape));
       g != json_end (json_root (&tape)); g = json_next (g))
    run_group (suite, name, &tape, g);
}

/* Every file of a directory but one, not what is below it. */
static void
run_directory (struct suite *suite, const char *dir, const char *skipped)
{
  DIR *d = opendir (dir);

  if (d == NULL)
    return;
  for (struct dirent *e; (e = readdir (d)) != NULL;)
    if (ends_with (e->d_name, ".json") && strcmp (e->d_name, skipped) != 0)
      run_file (suite, dir, e->d_name);
  (void) closedir (d);
}

/* All that is required, then what is optional.  "format" is asserted where the suite is about
 * formats; "contentEncoding" and "contentMediaType" are annotations here, also before 2019-09. */
static void
run_draft (const char *draft, enum schema_dialect dialect, unsigned required)
{
  struct suite suite = { .options = { .dialect = dialect, .annotate_formats = true } };
  struct schema_registry *registry;
  char below[64];
  const char *why;
  const char *remotes = data_path (ARCHIVE, "remotes", &why);

  if (*remotes == '\0')
    TAP_SKIP (why);
  registry = schema_registry_new ();
  add_remotes (registry, remotes, "http://localhost:1234");
  suite.options.registry = registry;
  (void) snprintf (below, sizeof below, "tests/%s", draft);

  run_directory (&suite, data_path (ARCHIVE, below, &why), "");
  CU_ASSERT_EQUAL (suite.cases, required);
  (void) snprintf (below, sizeof below, "tests/%s/optional", draft);
  run_directory (&suite, data_path (ARCHIVE, below, &why), "content.json");
  suite.options.annotate_formats = false;
  (void) snprintf (below, sizeof below, "tests/%s/optional/format", draft);
  run_directory (&suite, data_path (ARCHIVE, below, &why), "");
  printf ("# %s: %u cases, %u wrong\n", draft, suite.cases, suite.wrong);
  CU_ASSERT_EQUAL (suite.wrong, 0);
  schema_registry_free (registry);
}

static void
test_2020_12 (void)
{
  run_draft ("draft2020-12", SCHEMA_2020_12, 1299);
}

static void
test_draft_07 (void)
{
  run_draft ("draft7", SCHEMA_DRAFT_07, 927);
}

static CU_TestInfo drafts[] = { { "2020-12", test_2020_12 },
                                { "draft-07", test_draft_07 },
                                CU_TEST_INFO_NULL };
static CU_SuiteInfo suites[] = { { "official suite", NULL, NULL, NULL, NULL, drafts },
                                 CU_SUITE_INFO_NULL };

TAP_MAIN (suites)
