/* What only a file can do: outlive the daemon, be damaged, be full, be copied. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/sql.h"
#include "store_faults.h"
#include "store_rig.h"
#include "tap.h"

static struct rig bed;

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

static const char *
path_of (const char *name)
{
  static char path[256];

  snprintf (path, sizeof path, "%s/%s", bed.place.path, name);
  return path;
}

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

/* Do this to the file with SQLite itself, while no daemon has it. */
static void
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

static int64_t
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

/* ---- a daemon's end and the next one's begin ---- */

static void
everything_is_there_after_a_restart (void)
{
  size_t len = 600000;
  char *large = xcalloc (1, len);
  struct said said;

  memset (large, 'x', len);
  rig_claim (&bed, 1, 1);
  rig_finish (&bed, 1, TEXT ("{\"a\":1}"));
  rig_claim (&bed, 2, 1);
  rig_finish (&bed, 2, (struct store_bytes){ large, len });
  rig_cancel (&bed, 3);
  rig_put (&bed, "t", "{\"v\":1}", 0);
  rig_put (&bed, "t", "{\"v\":2}", 1);
  rig_context_set (&bed, 4, "{\"c\":1}", 0, bed.now_ms + 1000);
  rig_post (&bed, "letter");
  rig_stop (&bed);
  rig_start (&bed);
  CU_ASSERT_TRUE (is_text (rig_claim (&bed, 1, 1).call.result, "{\"a\":1}"));
  said = rig_lookup (&bed, 2);
  CU_ASSERT_EQUAL_FATAL (said.call.result.len, len);
  CU_ASSERT_EQUAL (memcmp (said.call.result.data, large, len), 0);
  CU_ASSERT_EQUAL (rig_claim (&bed, 3, 1).verdict, STORE_CANCELLED);
  said = rig_scan (&bed, &(struct store_scan){ .history = true });
  CU_ASSERT_EQUAL (said.count, 2);
  CU_ASSERT_EQUAL (said.revision, 2);
  CU_ASSERT_EQUAL (rig_put (&bed, "t", "{\"v\":3}", 2).revision, 3);
  CU_ASSERT_TRUE (is_text (rig_context_get (&bed, 4).context.body, "{\"c\":1}"));
  CU_ASSERT_TRUE (is_text (rig_take (&bed, 1, 1).dues[0].payload, "letter"));
  CU_ASSERT_TRUE (store_is_durable (bed.store));
  CU_ASSERT_STRING_EQUAL (store_name (bed.store), "sqlite");
  free (large);
}

static void
what_ran_is_unknown_after_a_restart (void)
{
  struct said said;

  rig_claim (&bed, 1, 1);
  rig_claim (&bed, 2, 1);
  rig_cancel (&bed, 2);
  rig_stop (&bed);
  bed.now_ms += 7;
  rig_start (&bed);
  CU_ASSERT_EQUAL (store_figures (bed.store).unknown, 1);
  CU_ASSERT_EQUAL (store_figures (bed.store).running, 0);
  said = rig_claim (&bed, 1, 1);
  CU_ASSERT_EQUAL (said.verdict, STORE_UNKNOWN);
  CU_ASSERT_EQUAL (said.call.ended_ms, bed.now_ms);
  CU_ASSERT_EQUAL (rig_claim (&bed, 1, 2).verdict, STORE_OTHER);
  CU_ASSERT_EQUAL (rig_claim (&bed, 2, 1).verdict, STORE_CANCELLED);
  CU_ASSERT_EQUAL (rig_cancel (&bed, 1), STORE_CONFLICT);
}

static void
an_earlier_daemons_call_is_not_ended_by_a_later_one (void)
{
  rig_claim (&bed, 1, 1);
  rig_claim (&bed, 2, 1);
  rig_cancel (&bed, 2);
  rig_stop (&bed);
  rig_start (&bed);
  CU_ASSERT_EQUAL (rig_finish (&bed, 1, TEXT ("{}")), STORE_NOT_FOUND);
  CU_ASSERT_EQUAL (rig_finish (&bed, 2, TEXT ("{}")), STORE_NOT_FOUND);
  CU_ASSERT_EQUAL (rig_release (&bed, 1), STORE_NOT_FOUND);
  CU_ASSERT_EQUAL (rig_lookup (&bed, 1).call.state, STORE_UNKNOWN);
  CU_ASSERT_EQUAL (rig_lookup (&bed, 2).call.state, STORE_CANCELLED);
}

static void
only_its_owner_ends_what_is_unknown (void)
{
  rig_claim (&bed, 1, 1);
  rig_claim (&bed, 2, 1);
  rig_stop (&bed);
  by_hand ("toolhost.db", "UPDATE call SET state = 4, ended_ms = 5");   /* as a reaper says it */
  by_hand ("toolhost.db", "UPDATE call SET epoch = 2 WHERE rowid = 1"); /* the daemon that comes */
  rig_start (&bed);
  CU_ASSERT_EQUAL (rig_finish (&bed, 1, TEXT ("{}")), STORE_OK);
  CU_ASSERT_EQUAL (rig_finish (&bed, 2, TEXT ("{}")), STORE_NOT_FOUND);
  CU_ASSERT_EQUAL (rig_lookup (&bed, 1).call.state, STORE_ENDED);
}

static void
contexts_versions_never_come_twice (void)
{
  int64_t version = rig_context_set (&bed, 1, "{}", 0, bed.now_ms + 1000).context.version;

  rig_context_set (&bed, 1, NULL, version, 0);
  rig_stop (&bed);
  rig_start (&bed);
  CU_ASSERT_TRUE (rig_context_set (&bed, 1, "{}", 0, bed.now_ms + 1).context.version > version);
}

static void
figures_are_counted_when_it_opens (void)
{
  struct store_figures figures;

  rig_claim (&bed, 1, 1);
  rig_finish (&bed, 1, TEXT ("{}"));
  rig_put (&bed, "a", "{}", 0);
  rig_put (&bed, "b", "{}", 0);
  rig_put (&bed, "b", NULL, 2);
  rig_context_set (&bed, 1, "{}", 0, bed.now_ms + 1000);
  rig_post (&bed, "x");
  rig_stop (&bed);
  rig_start (&bed);
  figures = store_figures (bed.store);
  CU_ASSERT_EQUAL (figures.calls, 1);
  CU_ASSERT_EQUAL (figures.definitions, 1);
  CU_ASSERT_EQUAL (figures.contexts, 1);
  CU_ASSERT_EQUAL (figures.letters, 1);
  CU_ASSERT_EQUAL (figures.revision, 3);
  CU_ASSERT_TRUE (figures.bytes >= 4096);
}

static void
very_many_are_forgotten_in_several_turns (void)
{
  enum { MANY = 2500 };
  struct said *said = xcalloc (MANY, sizeof *said);

  for (unsigned i = 0; i < MANY; i++) {
    struct store_key key = key_of (i);

    said[i].rig = &bed;
    store_cancel (bed.store, &key, said_status, &said[i]);
  }
  rig_until (&bed, &said[MANY - 1], 1);
  bed.now_ms += bed.settings.result_ttl_ms;
  store_tick (bed.store);
  ev_run (bed.loop, 0); /* until there is nothing to do */
  CU_ASSERT_EQUAL (store_figures (bed.store).calls, 0);
  free (said);
}

static void
chunks_go_with_their_call (void)
{
  char *large = xcalloc (1, 600000);

  rig_claim (&bed, 1, 1);
  rig_finish (&bed, 1, (struct store_bytes){ large, 600000 });
  bed.now_ms += bed.settings.result_ttl_ms;
  rig_tick (&bed);
  rig_stop (&bed);
  CU_ASSERT_EQUAL (number_in ("toolhost.db", "SELECT count (*) FROM chunk"), 0);
  rig_start (&bed);
  free (large);
}

/* ---- whose file it is, and in what state ---- */

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
  rig_claim (&bed, 1, 1);
  rig_stop (&bed);
  by_hand ("toolhost.db", "PRAGMA user_version = 99");
  CU_ASSERT_PTR_NOT_NULL (strstr (refusal (), "toolhost.db: its tables are of version 99, and this "
                                              "daemon knows"));
  by_hand ("toolhost.db", "PRAGMA user_version = 1");
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

/* ---- no room ---- */

/* Claims that hold about so many bytes, until one is not won; how many were. */
static unsigned
fill (unsigned from, size_t bytes)
{
  char *about = xcalloc (1, bytes);
  unsigned won = 0;

  for (unsigned i = from;; i++) {
    struct said said = { .rig = &bed };
    struct store_claim claim = claim_of (i, 1);

    claim.about = (struct store_bytes){ about, bytes };
    store_claim (bed.store, &claim, said_claim, &said);
    rig_until (&bed, &said, 1);
    if (said.verdict != STORE_WON || won == 100000)
      break;
    won++;
  }
  free (about);
  return won;
}

/* Full from here on: what was won is kept and told, and nothing is won. */
static void
check_full (unsigned won)
{
  struct said said = { .rig = &bed };
  struct store_claim claim = claim_of (1000000, 1);

  CU_ASSERT_TRUE (won > 10 && won < 100000);
  CU_ASSERT_FALSE (bed.well);
  CU_ASSERT_PTR_NOT_NULL (strstr (bed.why, "full"));
  CU_ASSERT_EQUAL (rig_lookup (&bed, won - 1).call.state, STORE_RUNNING);
  claim.about = TEXT ("{}");
  for (int i = 0; i < 20; i++)
    store_claim (bed.store, &claim, said_claim, &said);
  rig_until (&bed, &said, 20);
  CU_ASSERT_TRUE (store_figures (bed.store).failures >= 1);
}

static void
a_full_file_is_told_and_recovers (void)
{
  unsigned won;

  rig_stop (&bed);
  bed.settings.file_max = 1 << 20;
  rig_start (&bed);
  for (unsigned i = 0; i < 50; i++)
    rig_cancel (&bed, 500000 + i);
  won = fill (0, 8000);
  check_full (won);
  for (unsigned i = 0; i < 20; i++) /* what runs may still be let go of */
    rig_release (&bed, i);
  CU_ASSERT_EQUAL (rig_claim (&bed, 0, 1).verdict, STORE_WON);
  CU_ASSERT_TRUE (bed.well);
  CU_ASSERT_EQUAL (rig_lookup (&bed, won - 1).call.state, STORE_RUNNING);
}

static void
reads_go_on_in_a_turn_whose_writes_have_no_room (void)
{
  char *about = xcalloc (1, 200000);
  struct said said[3] = { { .rig = &bed }, { .rig = &bed }, { .rig = &bed } };
  struct store_claim claim = claim_of (900000, 1);
  struct store_key key = key_of (0), new = key_of (900001);
  unsigned won;

  rig_stop (&bed);
  bed.settings.file_max = 1 << 20;
  rig_start (&bed);
  won = fill (0, 8000);
  rig_release (&bed, won - 1); /* room for something small */
  claim.about = (struct store_bytes){ about, 200000 };
  store_claim (bed.store, &claim, said_claim, &said[0]);
  store_lookup (bed.store, &key, said_call, &said[1]);
  store_cancel (bed.store, &new, said_status, &said[2]);
  rig_until (&bed, &said[2], 1);
  CU_ASSERT_EQUAL (said[0].verdict, STORE_NOT_CLAIMED);
  CU_ASSERT_EQUAL (said[1].call.state, STORE_RUNNING);
  CU_ASSERT_EQUAL (said[2].status, STORE_OK);
  free (about);
}

static void
a_full_disk_is_told_and_recovers (void)
{
  char ballast[256];
  unsigned won;
  int file;

  rig_stop (&bed);
  if (mount ("none", bed.place.path, "tmpfs", 0, "size=4m") != 0) {
    rig_start (&bed);
    TAP_SKIP ("only root may mount a small file system");
  }
  snprintf (ballast, sizeof ballast, "%s/ballast", bed.place.path);
  file = open (ballast, O_WRONLY | O_CREAT, 0600);
  CU_ASSERT_EQUAL (posix_fallocate (file, 0, 2 << 20), 0);
  close (file);
  rig_start (&bed);
  won = fill (0, 8000);
  check_full (won);
  CU_ASSERT_EQUAL (unlink (ballast), 0);
  while (!bed.well) /* it is tried again by itself */
    ev_run (bed.loop, EVRUN_ONCE);
  CU_ASSERT_EQUAL (rig_claim (&bed, 1000001, 1).verdict, STORE_WON);
  rig_stop (&bed);
  rig_start (&bed);
  CU_ASSERT_EQUAL (rig_lookup (&bed, won - 1).call.state, STORE_UNKNOWN);
  CU_ASSERT_EQUAL (rig_lookup (&bed, won + 1).status, STORE_NOT_FOUND);
  rig_stop (&bed);
  umount (bed.place.path);
  rig_start (&bed);
}

/* ---- copies ---- */

static struct said
backup (const char *name)
{
  struct said said = { .rig = &bed };

  store_backup (bed.store, path_of (name), said_backup, &said);
  CU_ASSERT_EQUAL (said.told, 0);
  rig_until (&bed, &said, 1);
  return said;
}

/* Some megabytes, so that a copy takes several steps; how many calls. */
static unsigned
make_large (void)
{
  char about[16384] = "";
  unsigned number;

  for (number = 0; number < 300; number++) {
    struct said said = { .rig = &bed };
    struct store_claim claim = claim_of (number, 1);

    claim.about = (struct store_bytes){ about, sizeof about };
    store_claim (bed.store, &claim, said_claim, &said);
    rig_until (&bed, &said, 1);
  }
  return number;
}

static void
a_copy_is_made_while_it_serves (void)
{
  struct said said = { .rig = &bed };
  unsigned number, before;
  struct stat is;

  number = make_large ();
  store_backup (bed.store, path_of ("copy.db"), said_backup, &said);
  before = number;
  while (said.told == 0) {
    CU_ASSERT_EQUAL (rig_claim (&bed, number, 1).verdict, STORE_WON);
    number++;
  }
  CU_ASSERT_EQUAL (said.status, STORE_OK);
  CU_ASSERT_PTR_NULL (said.why);
  CU_ASSERT_TRUE (number > before);
  CU_ASSERT_EQUAL (stat (path_of ("copy.db"), &is), 0);
  CU_ASSERT_EQUAL (is.st_mode & 07777, 0600);
  CU_ASSERT_FALSE (place_has (&bed.place, "copy.db.part"));
  rig_stop (&bed);
  CU_ASSERT_EQUAL (rename (path_of ("copy.db"), path_of ("toolhost.db")), 0);
  rig_start (&bed);
  CU_ASSERT_EQUAL (rig_lookup (&bed, 0).call.state, STORE_UNKNOWN);
  CU_ASSERT_EQUAL (rig_lookup (&bed, before - 1).call.state, STORE_UNKNOWN);
  CU_ASSERT_TRUE (store_figures (bed.store).calls >= before);
  CU_ASSERT_TRUE (store_figures (bed.store).calls <= number);
}

static void
a_copy_takes_no_files_place (void)
{
  struct said said;

  place_append (&bed.place, "mine", "x", 1);
  said = backup ("mine");
  CU_ASSERT_EQUAL (said.status, STORE_CONFLICT);
  CU_ASSERT_STRING_EQUAL (said.why, "the copy: File exists");
  CU_ASSERT_FALSE (place_has (&bed.place, "mine.part"));
  said = backup ("no/such/folder");
  CU_ASSERT_EQUAL (said.status, STORE_UNAVAILABLE);
  CU_ASSERT_STRING_EQUAL (said.why, "the copy can't be made: No such file or directory");
  CU_ASSERT_EQUAL (backup ("fine").status, STORE_OK);
}

static void
one_copy_is_made_at_a_time (void)
{
  struct said said[2] = { { .rig = &bed }, { .rig = &bed } };

  store_backup (bed.store, path_of ("one"), said_backup, &said[0]);
  store_backup (bed.store, path_of ("two"), said_backup, &said[1]);
  rig_until (&bed, &said[0], 1);
  rig_until (&bed, &said[1], 1);
  CU_ASSERT_EQUAL (said[0].status, STORE_OK);
  CU_ASSERT_EQUAL (said[1].status, STORE_CONFLICT);
  CU_ASSERT_STRING_EQUAL (said[1].why, "another copy is being made");
  CU_ASSERT_EQUAL (backup ("two").status, STORE_OK);
}

static void
closing_ends_a_copy (void)
{
  struct said said = { .rig = &bed };

  store_backup (bed.store, path_of ("one"), said_backup, &said);
  rig_stop (&bed);
  CU_ASSERT_EQUAL (said.told, 1);
  CU_ASSERT_EQUAL (said.status, STORE_UNAVAILABLE);
  CU_ASSERT_STRING_EQUAL (said.why, "the copy was not ended: the store was closed");
  CU_ASSERT_FALSE (place_has (&bed.place, "one"));
  CU_ASSERT_FALSE (place_has (&bed.place, "one.part"));
  rig_start (&bed);
}

static void
memory_has_no_copies (void)
{
  struct rig memory;
  struct said said = { .rig = &memory };

  rig_open (&memory, RIG_MEMORY);
  store_backup (memory.store, "/x", said_backup, &said);
  rig_until (&memory, &said, 1);
  CU_ASSERT_EQUAL (said.status, STORE_NOT_FOUND);
  CU_ASSERT_FALSE (store_is_durable (memory.store));
  rig_close (&memory);
}

/* ---- SIGKILL ---- */

enum { KILLS = 20, AT_ONCE = 16, CALLS_MAX = 200000 };

/* What the child was told, in memory that outlives it. */
struct ledger {
  atomic_uint next;              /* the number of the next claim */
  atomic_uchar won[CALLS_MAX];   /* 1: told */
  atomic_uchar ended[CALLS_MAX]; /* 1: told */
};

struct life {
  struct ledger *ledger;
  unsigned number;
};

static void begin_life (struct life *life);

static void
on_life_ended (void *ctx, enum store_status status)
{
  struct life *life = ctx;

  if (status == STORE_OK)
    life->ledger->ended[life->number] = 1;
  begin_life (life);
}

static void
on_life_won (void *ctx, enum store_claimed verdict, const struct store_call *call)
{
  struct life *life = ctx;
  struct store_finish finish = { .key = key_of (life->number), .result = TEXT ("done") };

  (void) call;
  if (verdict != STORE_WON)
    _exit (1);
  life->ledger->won[life->number] = 1;
  store_finish (bed.store, &finish, on_life_ended, life);
}

static void
begin_life (struct life *life)
{
  struct store_claim claim;

  life->number = atomic_fetch_add (&life->ledger->next, 1);
  if (life->number >= CALLS_MAX)
    _exit (2);
  claim = claim_of (life->number, 1);
  store_claim (bed.store, &claim, on_life_won, life);
}

static void
live (struct ledger *ledger)
{
  struct life lives[AT_ONCE];

  bed.loop = ev_loop_new (EVFLAG_AUTO);
  bed.settings.loop = bed.loop;
  rig_start (&bed);
  for (int i = 0; i < AT_ONCE; i++) {
    lives[i] = (struct life){ .ledger = ledger };
    begin_life (&lives[i]);
  }
  ev_run (bed.loop, 0);
  _exit (3);
}

static void
kill_in_the_middle (struct ledger *ledger, unsigned acts)
{
  unsigned from = ledger->next;
  pid_t child = fork ();
  int status;

  if (child == 0)
    live (ledger);
  while (ledger->next < from + acts && waitpid (child, &status, WNOHANG) == 0)
    sched_yield ();
  kill (child, SIGKILL);
  waitpid (child, &status, 0);
  CU_ASSERT_TRUE (WIFSIGNALED (status) && WTERMSIG (status) == SIGKILL);
}

/* All that was told is there; what is there besides was being told. */
static void
check_ledger (const struct ledger *ledger, unsigned from, unsigned until)
{
  unsigned lost = 0;

  for (unsigned i = from; i < until; i++) {
    struct said said = rig_lookup (&bed, i);
    bool there = said.status == STORE_OK;

    lost += ledger->won[i] && !there;
    lost += ledger->ended[i] && (!there || said.call.state != STORE_ENDED);
    lost += there && said.call.state == STORE_RUNNING;
    lost += there && said.call.state == STORE_ENDED && !is_text (said.call.result, "done");
  }
  CU_ASSERT_EQUAL (lost, 0);
}

static void
what_was_told_survives_sigkill (void)
{
  struct ledger *ledger =
    mmap (NULL, sizeof *ledger, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  struct ev_loop *loop = bed.loop;

  rig_stop (&bed);
  for (unsigned i = 0; i < KILLS; i++) {
    unsigned from = ledger->next;

    kill_in_the_middle (ledger, AT_ONCE + 1 + i * 37);
    bed.loop = loop;
    rig_start (&bed);
    check_ledger (ledger, from, ledger->next);
    rig_stop (&bed);
  }
  rig_start (&bed);
  check_ledger (ledger, 0, ledger->next);
  CU_ASSERT_TRUE (ledger->next > KILLS * AT_ONCE);
  munmap (ledger, sizeof *ledger);
}

static CU_TestInfo restarts[] = {
  { "everything is there after a restart", everything_is_there_after_a_restart },
  { "what ran is unknown after a restart", what_ran_is_unknown_after_a_restart },
  { "an earlier daemon's call is not ended by a later one",
    an_earlier_daemons_call_is_not_ended_by_a_later_one },
  { "only its owner ends what is unknown", only_its_owner_ends_what_is_unknown },
  { "contexts' versions never come twice", contexts_versions_never_come_twice },
  { "figures are counted when it opens", figures_are_counted_when_it_opens },
  { "very many are forgotten in several turns", very_many_are_forgotten_in_several_turns },
  { "chunks go with their call", chunks_go_with_their_call },
  { "what was told survives SIGKILL", what_was_told_survives_sigkill },
  CU_TEST_INFO_NULL,
};

static CU_TestInfo files[] = {
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

static CU_TestInfo rooms[] = {
  { "a full file is told, and recovers", a_full_file_is_told_and_recovers },
  { "reads go on in a turn whose writes have no room",
    reads_go_on_in_a_turn_whose_writes_have_no_room },
  { "a full disk is told, and recovers", a_full_disk_is_told_and_recovers },
  CU_TEST_INFO_NULL,
};

static CU_TestInfo copies[] = {
  { "a copy is made while it serves", a_copy_is_made_while_it_serves },
  { "a copy takes no file's place", a_copy_takes_no_files_place },
  { "one copy is made at a time", one_copy_is_made_at_a_time },
  { "closing ends a copy", closing_ends_a_copy },
  { "memory has no copies", memory_has_no_copies },
  CU_TEST_INFO_NULL,
};

static CU_SuiteInfo suites[] = {
  { "restarts", NULL, NULL, open_bed, close_bed, restarts },
  { "the file", NULL, NULL, open_bed, close_bed, files },
  { "no room", NULL, NULL, open_bed, close_bed, rooms },
  { "copies", NULL, NULL, open_bed, close_bed, copies },
  CU_SUITE_INFO_NULL,
};
TAP_MAIN (suites)
