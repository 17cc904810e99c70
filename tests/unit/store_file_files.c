/* Whose file it is, in what state, of which version. */
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/sql.h"
#include "store_file.h"

/* What the store says that can't be opened. */
static const char *
refusal (void)
{
  static struct error err;

  err.text[0] = '\0';
  if (rig_try_start (&bed, &err))
    CU_FAIL ("the store was opened");
  return err.text;
}

static void
a_file_is_one_daemons (void)
{
  struct rig other = bed;
  struct error err = { 0 };
  char pid[32];

  CU_ASSERT_FALSE (rig_try_start (&other, &err));
  CU_ASSERT_PTR_NOT_NULL (strstr (err.text, "/toolhost.db: another daemon has it, process "));
  snprintf (pid, sizeof pid, "process %ld:", (long) getpid ());
  CU_ASSERT_PTR_NOT_NULL (strstr (err.text, pid));
  CU_ASSERT_EQUAL (rig_claim (&bed, 1, 1).verdict, STORE_WON);
}

static void
only_its_owner_may_read_the_file (void)
{
  struct stat is;
  const char *const names[] = { "toolhost.db", "toolhost.db-wal", "toolhost.db.lock" };

  rig_claim (&bed, 1, 1);
  for (int i = 0; i < 3; i++) {
    CU_ASSERT_EQUAL (stat (path_of (names[i]), &is), 0);
    CU_ASSERT_EQUAL (is.st_mode & 07777, 0600);
  }
}

static void
a_file_of_a_later_version_is_refused (void)
{
  char back[60];

  rig_claim (&bed, 1, 1);
  rig_stop (&bed);
  by_hand ("toolhost.db", "PRAGMA user_version = 99");
  CU_ASSERT_PTR_NOT_NULL (strstr (refusal (), "toolhost.db: its tables are of version 99, and this "
                                              "daemon knows"));
  snprintf (back, sizeof back, "PRAGMA user_version = %zu", sql_steps_count);
  by_hand ("toolhost.db", back);
  rig_start (&bed);
  CU_ASSERT_EQUAL (rig_lookup (&bed, 1).call.state, STORE_UNKNOWN);
}

static void
another_programs_file_is_refused (void)
{
  rig_stop (&bed);
  CU_ASSERT_EQUAL (unlink (path_of ("toolhost.db")), 0);
  by_hand ("toolhost.db", "CREATE TABLE theirs (x)");
  CU_ASSERT_PTR_NOT_NULL (strstr (refusal (), "it is no store of toolhost"));
  CU_ASSERT_EQUAL (number_in ("toolhost.db", "SELECT count (*) FROM sqlite_schema"), 1);
}

static void
overwrite (const char *name, off_t at, size_t len)
{
  int file = open (path_of (name), O_WRONLY);
  char *noise = xmalloc (len);

  memset (noise, 0xa5, len);
  CU_ASSERT_EQUAL (pwrite (file, noise, len, at), (ssize_t) len);
  close (file);
  free (noise);
}

static void
a_damaged_file_is_refused_and_left_alone (void)
{
  struct stat before, after;
  const char *why;

  for (unsigned i = 0; i < 300; i++)
    rig_claim (&bed, i, 1);
  rig_stop (&bed);
  overwrite ("toolhost.db", 4096, 6 * 4096);
  stat (path_of ("toolhost.db"), &before);
  why = refusal ();
  CU_ASSERT_PTR_NOT_NULL (strstr (why, bed.place.path));
  CU_ASSERT_PTR_NOT_NULL (strstr (why, "it is damaged"));
  CU_ASSERT_PTR_NOT_NULL (strstr (why, "`toolhost store backup`"));
  stat (path_of ("toolhost.db"), &after);
  CU_ASSERT_EQUAL (before.st_size, after.st_size);
  CU_ASSERT_EQUAL (before.st_ino, after.st_ino);
}

static void
a_file_that_is_no_database_is_refused (void)
{
  rig_stop (&bed);
  overwrite ("toolhost.db", 0, 8192);
  CU_ASSERT_PTR_NOT_NULL (strstr (refusal (), "move it"));
}

static void
a_folder_that_is_not_there_is_told (void)
{
  rig_stop (&bed);
  bed.settings.folder = "/nonexistent/folder";
  CU_ASSERT_STRING_EQUAL (refusal (),
                          "/nonexistent/folder/toolhost.db: its lock file can't be opened: No "
                          "such file or directory");
}

/* ---- versions ---- */

/* The tables of version 1 as they were then, whatever sql_schema.c says now. */
#define ID_1 "x'0100000000000000000000000000000000000000000000000000000000000000'"
#define ID_2 "x'0200000000000000000000000000000000000000000000000000000000000000'"
#define ID_3 "x'0300000000000000000000000000000000000000000000000000000000000000'"

static const char file_of_version_1[] =
  "PRAGMA application_id = 1953261683;"
  "CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;"
  "INSERT INTO meta VALUES ('revision', 1), ('versions', 1), ('forgotten', 0);"
  "CREATE TABLE epoch (epoch INTEGER PRIMARY KEY AUTOINCREMENT, started_ms INTEGER NOT NULL,"
  " ended_ms INTEGER, build TEXT NOT NULL);"
  "INSERT INTO epoch VALUES (1, 5, NULL, 'an old one');"
  "CREATE TABLE call (number INTEGER PRIMARY KEY, tenant TEXT NOT NULL, id BLOB NOT NULL,"
  " what BLOB, tool TEXT, about BLOB, state INTEGER NOT NULL, epoch INTEGER NOT NULL,"
  " nonce INTEGER NOT NULL, created_ms INTEGER NOT NULL, ended_ms INTEGER,"
  " deadline_ms INTEGER NOT NULL, result BLOB, chunks INTEGER NOT NULL DEFAULT 0);"
  "CREATE UNIQUE INDEX call_id ON call (tenant, id);"
  "CREATE INDEX call_open ON call (epoch) WHERE ended_ms IS NULL;"
  "CREATE INDEX call_ended ON call (ended_ms) WHERE ended_ms IS NOT NULL;"
  "CREATE INDEX call_unknown ON call (state) WHERE state = 4;"
  "INSERT INTO call VALUES (1, 'acme', " ID_1 ", " ID_1 ", 'a', "
  "x'7b7d', 2,"
  " 1, 1, 5, 6, 0, x'7b7d', 0);"
  "INSERT INTO call VALUES (2, 'acme', " ID_2 ", " ID_1 ", 'a', "
  "x'7b7d', 1,"
  " 1, 2, 5, NULL, 0, NULL, 0);"
  "INSERT INTO call VALUES (3, 'acme', " ID_3 ", " ID_1 ", 'a', "
  "x'7b7d', 2,"
  " 1, 3, 5, 6, 0, x'', 2);"
  "CREATE TABLE chunk (call INTEGER NOT NULL, place INTEGER NOT NULL, bytes BLOB "
  "NOT NULL,"
  " PRIMARY KEY (call, place)) WITHOUT ROWID;"
  "INSERT INTO chunk VALUES (3, 0, x'6162'), (3, 1, x'6364');"
  "CREATE TABLE definition (tenant TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT "
  "NULL,"
  " revision INTEGER NOT NULL, latest INTEGER NOT NULL, body BLOB, written_ms "
  "INTEGER NOT NULL,"
  " created_ms INTEGER NOT NULL, author TEXT NOT NULL, epoch INTEGER NOT NULL,"
  " nonce INTEGER NOT NULL, PRIMARY KEY (tenant, kind, name, revision));"
  "CREATE UNIQUE INDEX definition_latest ON definition (tenant, kind, name) WHERE "
  "latest = 1;"
  "CREATE INDEX definition_revision ON definition (revision);"
  "INSERT INTO definition VALUES ('acme', 'tool', 't', 1, 1, x'7b7d', 5, 5, 'ops', "
  "1, 4);"
  "CREATE TABLE context (tenant TEXT NOT NULL, handle BLOB NOT NULL, version "
  "INTEGER NOT NULL,"
  " expires_ms INTEGER NOT NULL, body BLOB NOT NULL, epoch INTEGER NOT NULL,"
  " nonce INTEGER NOT NULL, PRIMARY KEY (tenant, handle));"
  "CREATE INDEX context_expires ON context (expires_ms);"
  "INSERT INTO context VALUES ('acme', " ID_1 ", 1, 9000000, x'7b7d', 1, 5);"
  "CREATE TABLE letter (id INTEGER PRIMARY KEY AUTOINCREMENT, tenant TEXT NOT "
  "NULL,"
  " hook TEXT NOT NULL, payload BLOB NOT NULL, attempt INTEGER NOT NULL, "
  "due_ms INTEGER NOT NULL,"
  " created_ms INTEGER NOT NULL, epoch INTEGER NOT NULL, nonce INTEGER NOT "
  "NULL);"
  "CREATE INDEX letter_due ON letter (due_ms, id);"
  "INSERT INTO letter VALUES (7, 'acme', 'ended', x'7b7d', 2, 5, 5, 1, 6);"
  "PRAGMA user_version = 1;";

static void
a_file_of_version_1_serves (void)
{
  struct said said;

  rig_stop (&bed);
  CU_ASSERT_EQUAL (unlink (path_of ("toolhost.db")), 0);
  by_hand ("toolhost.db", file_of_version_1);
  rig_start (&bed);
  CU_ASSERT_TRUE (is_text (rig_claim (&bed, 1, 1).call.result, "{}"));
  CU_ASSERT_EQUAL (rig_claim (&bed, 2, 1).verdict, STORE_UNKNOWN);
  CU_ASSERT_TRUE (is_text (rig_claim (&bed, 3, 1).call.result, "abcd"));
  CU_ASSERT_EQUAL (rig_put (&bed, "t", "{\"v\":2}", 1).revision, 2);
  said = rig_context_get (&bed, 1);
  CU_ASSERT_EQUAL (said.context.version, 1);
  said = rig_take (&bed, 5, 10);
  CU_ASSERT_EQUAL_FATAL (said.count, 1);
  CU_ASSERT_EQUAL (said.dues[0].id, 7);
  CU_ASSERT_EQUAL (said.dues[0].attempt, 3);
  rig_stop (&bed);
  CU_ASSERT_EQUAL (number_in ("toolhost.db", "PRAGMA user_version"), (int64_t) sql_steps_count);
  rig_start (&bed);
}

static void
steps_are_taken_from_each_version (void)
{
  static const char *const steps[] = {
    "BEGIN; CREATE TABLE a (x); INSERT INTO a VALUES (1); PRAGMA user_version = 1; COMMIT;",
    "BEGIN; ALTER TABLE a ADD COLUMN y; UPDATE a SET y = x + 1; PRAGMA user_version = 2; COMMIT;",
    "BEGIN; CREATE TABLE b AS SELECT y FROM a; PRAGMA user_version = 3; COMMIT;",
  };
  struct error err = { 0 };

  for (size_t from = 0; from <= 3; from++) {
    sqlite3 *db;

    CU_ASSERT_EQUAL (sqlite3_open (":memory:", &db), SQLITE_OK);
    CU_ASSERT_TRUE (sql_migrate (db, steps, from, &err));
    CU_ASSERT_TRUE (sql_migrate (db, steps, 3, &err));
    CU_ASSERT_EQUAL (sqlite3_exec (db, "UPDATE b SET y = 2 WHERE y = 2", NULL, NULL, NULL),
                     SQLITE_OK);
    CU_ASSERT_EQUAL (sqlite3_changes (db), 1);
    sqlite3_close (db);
  }
}

static void
a_step_that_fails_changes_nothing (void)
{
  static const char *const steps[] = {
    "BEGIN; CREATE TABLE a (x); PRAGMA user_version = 1; COMMIT;",
    "BEGIN; CREATE TABLE b (x); INSERT INTO nowhere VALUES (1); PRAGMA user_version = 2; COMMIT;",
  };
  struct error err = { 0 };
  sqlite3 *db;

  CU_ASSERT_EQUAL (sqlite3_open (":memory:", &db), SQLITE_OK);
  CU_ASSERT_FALSE (sql_migrate (db, steps, 2, &err));
  CU_ASSERT_STRING_EQUAL (err.text, "its tables can't be brought to version 2: no such table: "
                                    "nowhere; nothing was changed");
  CU_ASSERT_TRUE (sqlite3_get_autocommit (db) != 0);
  CU_ASSERT_NOT_EQUAL (sqlite3_exec (db, "SELECT * FROM b", NULL, NULL, NULL), SQLITE_OK);
  CU_ASSERT_TRUE (sql_migrate (db, steps, 1, &err));
  sqlite3_close (db);
}

CU_TestInfo file_files[] = {
  { "a file is one daemon's", a_file_is_one_daemons },
  { "only its owner may read the file", only_its_owner_may_read_the_file },
  { "a file of a later version is refused", a_file_of_a_later_version_is_refused },
  { "another program's file is refused", another_programs_file_is_refused },
  { "a damaged file is refused and left alone", a_damaged_file_is_refused_and_left_alone },
  { "a file that is no database is refused", a_file_that_is_no_database_is_refused },
  { "a folder that is not there is told", a_folder_that_is_not_there_is_told },
  { "a file of version 1 serves", a_file_of_version_1_serves },
  { "steps are taken from each version", steps_are_taken_from_each_version },
  { "a step that fails changes nothing", a_step_that_fails_changes_nothing },
  CU_TEST_INFO_NULL,
};
