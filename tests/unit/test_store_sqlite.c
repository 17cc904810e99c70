/* What only a store in a file can do: outlive the daemon, be damaged, be full, be copied. */
#include "store_file.h"

#include <sqlite3.h>

struct rig bed;

static void
open_bed (void)
{
  rig_open (&bed, RIG_SQLITE);
}

static void
close_bed (void)
{
  rig_close (&bed);
}

const char *
path_of (const char *name)
{
  static char path[256];

  snprintf (path, sizeof path, "%s/%s", bed.place.path, name);
  return path;
}

void
by_hand (const char *name, const char *text)
{
  sqlite3 *db;

  CU_ASSERT_EQUAL (sqlite3_open (path_of (name), &db), SQLITE_OK);
  if (sqlite3_exec (db, text, NULL, NULL, NULL) != SQLITE_OK) {
    printf ("# %s\n", sqlite3_errmsg (db));
    CU_FAIL ("by hand");
  }
  sqlite3_close (db);
}

int64_t
number_in (const char *name, const char *text)
{
  sqlite3 *db;
  sqlite3_stmt *statement;
  int64_t number = -1;

  CU_ASSERT_EQUAL (sqlite3_open (path_of (name), &db), SQLITE_OK);
  CU_ASSERT_EQUAL (sqlite3_prepare_v2 (db, text, -1, &statement, NULL), SQLITE_OK);
  if (sqlite3_step (statement) == SQLITE_ROW)
    number = sqlite3_column_int64 (statement, 0);
  sqlite3_finalize (statement);
  sqlite3_close (db);
  return number;
}

static CU_SuiteInfo suites[] = {
  { "restarts", NULL, NULL, open_bed, close_bed, file_restarts },
  { "SIGKILL", NULL, NULL, open_bed, close_bed, file_kills },
  { "the file", NULL, NULL, open_bed, close_bed, file_files },
  { "no room", NULL, NULL, open_bed, close_bed, file_rooms },
  { "copies", NULL, NULL, open_bed, close_bed, file_copies },
  { "its size", NULL, NULL, open_bed, close_bed, file_sizes },
  CU_SUITE_INFO_NULL,
};
TAP_MAIN (suites)
