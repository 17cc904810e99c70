/* The rows of the files in tests/actions: documents that are tried or checked, and what comes of
 * it.
 *
 * A row is { "name", "try": arguments of actions_try, "expect" } or { "name", "check": arguments of
 * actions_check, "expect" }; see tests/actions/README.md.  Each is one test. */
#include <CUnit/CUnit.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "actions/internal.h"
#include "common/value.h"
#include "tap.h"

enum { ROWS_MAX = 1000, FILE_MAX = 1 << 20 };

static struct values pool;
static const struct value *rows[ROWS_MAX];
static CU_TestInfo tests[ROWS_MAX + 1];
static size_t count;

/* ---- what is expected ---- */

static bool fits (const struct value *expected, const struct value *got, const char *where);

static bool
differs (const char *where, const struct value *expected, const struct value *got)
{
  CLEANUP_TEXT struct text a = { 0 }, b = { 0 };

  value_write (&a, expected);
  if (got != NULL)
    value_write (&b, got);
  printf ("# at %s\n#   expected: %s\n#   got:      %s\n", where[0] != '\0' ? where : "/",
          text_get (&a), got != NULL ? text_get (&b) : "(nothing)");
  return false;
}

/* { "$absent": true }, { "$has": "part of a text" }, { "$exactly": value } */
static bool
special (const struct value *expected, const struct value *got, const char *where, bool *is)
{
  const struct value *has = value_get_z (expected, "$has");
  const struct value *exactly = value_get_z (expected, "$exactly");

  *is = true;
  if (value_get_z (expected, "$absent") != NULL)
    return got == NULL || differs (where, expected, got);
  if (has != NULL)
    return (value_cstring (got) != NULL && strstr (got->text, has->text) != NULL)
           || differs (where, expected, got);
  if (exactly != NULL)
    return (got != NULL && value_equal (exactly, got)) || differs (where, expected, got);
  *is = false;
  return false;
}

static bool
members_fit (const struct value *expected, const struct value *got, const char *where)
{
  bool good = true;

  for (size_t i = 0; i < expected->count; i++) {
    const struct value_member *member = &expected->members[i];
    CLEANUP_TEXT struct text at = { 0 };
    text_addf (&at, "%s/%s", where, member->name);
    good &= fits (member->value, value_get (got, member->name, member->len), text_get (&at));
  }
  return good;
}

static bool
items_fit (const struct value *expected, const struct value *got, const char *where)
{
  bool good = value_is (got, VALUE_ARRAY) && got->count == expected->count;

  if (!good)
    return differs (where, expected, got);
  for (size_t i = 0; i < expected->count; i++) {
    CLEANUP_TEXT struct text at = { 0 };
    text_addf (&at, "%s/%zu", where, i);
    good &= fits (expected->items[i], got->items[i], text_get (&at));
  }
  return good;
}

/* Objects have at least the members that are expected, lists exactly the items. */
static bool
fits (const struct value *expected, const struct value *got, const char *where)
{
  bool is;
  const bool good = special (expected, got, where, &is);

  if (is)
    return good;
  if (expected->type == VALUE_OBJECT && value_is (got, VALUE_OBJECT))
    return members_fit (expected, got, where);
  if (expected->type == VALUE_ARRAY)
    return items_fit (expected, got, where);
  return (got != NULL && value_equal (expected, got)) || differs (where, expected, got);
}

/* ---- a row ---- */

static const struct value *
row_of (const char *name)
{
  size_t i = 0;

  while (i + 1 < count && strcmp (value_cstring (value_get_z (rows[i], "name")), name) != 0)
    i++;
  return rows[i];
}

static void
test_row (void)
{
  const struct value *row = row_of (CU_get_current_test ()->pName);
  const struct value *checked = value_get_z (row, "check"), *tried = value_get_z (row, "try");
  CLEANUP_TEXT struct text args = { 0 }, out = { 0 };
  const char *why = "";
  bool good;

  value_write (&args, checked != NULL ? checked : tried);
  good = checked != NULL ? check_documents (text_get (&args), args.len, &out, &why)
                         : try_document (text_get (&args), args.len, &out, &why);
  if (!good)
    printf ("# %s\n", why);
  CU_ASSERT_FATAL (good);
  CU_ASSERT (fits (value_get_z (row, "expect"), value_parse (&pool, out.data, out.len), ""));
}

/* What a checked document comes to is good, and comes to itself. */
static void
canonical_documents_stay (void)
{
  size_t documents = 0;

  for (size_t i = 0; i < count; i++) {
    const struct value *tried = value_get_z (rows[i], "try");
    const struct value *tool = value_get_z (tried, "tool"), *first, *second;
    const struct value *args =
      value_with (&pool, &value_no_members, "endpoints", 9,
                  value_get_z (tried, "endpoints") != NULL ? value_get_z (tried, "endpoints")
                                                           : &value_no_items);
    for (int round = 0; tool != NULL && round < 2; round++) {
      CLEANUP_TEXT struct text json = { 0 }, out = { 0 };
      const char *why;
      value_write (&json, value_with (&pool, args, "tools", 5, value_array (&pool, &tool, 1)));
      CU_ASSERT_FATAL (check_documents (text_get (&json), json.len, &out, &why));
      second = value_parse (&pool, out.data, out.len);
      if (round == 0 && !value_equal (value_get_z (second, "ok"), &value_true))
        break;
      first = tool;
      tool = value_get_z (second, "tools")->items[0];
      if (round == 1 && !(value_equal (first, tool) || differs ("tools", first, tool)))
        CU_FAIL ("a canonical document changes");
      documents += (size_t) round;
    }
  }
  CU_ASSERT (documents > 50);
}

/* ---- reading them ---- */

static void
read_rows (const char *path)
{
  char *text = malloc (FILE_MAX);
  FILE *file = fopen (path, "re");
  const size_t len = file != NULL && text != NULL ? fread (text, 1, FILE_MAX, file) : 0;
  const struct value *list = value_parse (&pool, text, len);

  if (!value_is (list, VALUE_ARRAY)) {
    printf ("Bail out! %s is no list of rows\n", path);
    exit (EXIT_FAILURE);
  }
  for (size_t i = 0; i < list->count && count < ROWS_MAX; i++) {
    rows[count] = list->items[i];
    tests[count++] =
      (CU_TestInfo){ value_cstring (value_get_z (list->items[i], "name")), test_row };
  }
  if (file != NULL)
    (void) fclose (file);
  free (text);
}

static int
is_table (const struct dirent *entry)
{
  const size_t len = strlen (entry->d_name);

  return len > 5 && strcmp (entry->d_name + len - 5, ".json") == 0;
}

static bool
read_tables (void)
{
  const char *source = getenv ("TOOLHOST_SOURCE");
  struct dirent **names = NULL;
  char folder[2000], path[4096];
  int found;

  (void) snprintf (folder, sizeof folder, "%s/tests/actions", source != NULL ? source : ".");
  found = scandir (folder, &names, is_table, alphasort);
  for (int i = 0; i < found; i++) {
    (void) snprintf (path, sizeof path, "%s/%s", folder, names[i]->d_name);
    read_rows (path);
    free (names[i]);
  }
  free (names);
  return count != 0;
}

static CU_TestInfo about_all[] = {
  { "A2-1 canonical documents stay as they are", canonical_documents_stay },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = {
  { "actions", NULL, NULL, NULL, NULL, tests },
  { "rows", NULL, NULL, NULL, NULL, about_all },
  CU_SUITE_INFO_NULL,
};

int
main (int argc, char **argv)
{
  int status;

  if (!read_tables ()) {
    printf ("Bail out! tests/actions has no rows\n");
    return EXIT_FAILURE;
  }
  status = tap_main (suites, argc > 1 ? argv[1] : NULL);
  values_free (&pool);
  return status;
}
