/* sql_open.c - the file: whose it is, whether it is whole, which version; and this daemon's epoch.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "store/sql.h"

enum {
  APPLICATION = 0x746c6873, /* of the file's header: a store of toolhost */
  AUTO_INCREMENTAL = 2,     /* of PRAGMA auto_vacuum */
  CHECK_MS = 2000,          /* so long is looked at a file at most that was closed well, */
  CHECK_DOUBTFUL_MS = 10000 /* and at one that was not */
};

/* ---- one daemon for a folder ---- */

static bool
lock_is_taken (const struct sql *sql, struct error *err)
{
  char pid[32] = "";
  ssize_t len = pread (sql->lock, pid, sizeof pid - 1, 0);

  pid[len > 0 ? strcspn (pid, "\n") : 0] = '\0';
  return error_set (err, "another daemon has it%s%s: one store is one daemon's",
                    pid[0] != '\0' ? ", process " : "", pid);
}

static bool
take_lock (struct sql *sql, struct error *err)
{
  CLEANUP_BUF struct buf path = { 0 };
  char pid[32];
  int len = snprintf (pid, sizeof pid, "%ld\n", (long) getpid ());

  buf_printf (&path, "%s.lock", sql->path);
  sql->lock = open (buf_cstr (&path), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (sql->lock < 0)
    return error_set (err, "its lock file can't be opened: %s", strerror (errno));
  if (flock (sql->lock, LOCK_EX | LOCK_NB) != 0)
    return errno == EWOULDBLOCK ? lock_is_taken (sql, err)
                                : error_set (err, "it can't be locked: %s", strerror (errno));
  /* Only for whoever is refused: that it is not written harms nothing. */
  if (ftruncate (sql->lock, 0) == 0 && pwrite (sql->lock, pid, (size_t) len, 0) != len)
    return true;
  return true;
}

/* Make the file, so that nobody else can read it, and its name durable. */
static bool
make_file (struct sql *sql, struct error *err)
{
  CLEANUP_FD int folder = open (sql->settings.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int file = open (sql->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  bool ok = folder >= 0 && file >= 0 && fchmod (file, 0600) == 0 && fsync (folder) == 0;

  if (!ok)
    error_set (err, "it can't be made: %s", strerror (errno));
  if (file >= 0)
    (void) close (file);
  return ok;
}

/* ---- the connection ---- */

static bool
pragma (struct sql *sql, const char *text, struct error *err)
{
  if (sqlite3_exec (sql->db, text, NULL, NULL, NULL) == SQLITE_OK)
    return true;
  return error_set (err, "%s: %s", text, sqlite3_errmsg (sql->db));
}

bool
sql_ask_number (sqlite3 *db, const char *text, int64_t *number)
{
  sqlite3_stmt *statement = NULL;
  bool ok = sqlite3_prepare_v2 (db, text, -1, &statement, NULL) == SQLITE_OK
            && sqlite3_step (statement) == SQLITE_ROW;

  if (ok)
    *number = sqlite3_column_int64 (statement, 0);
  (void) sqlite3_finalize (statement);
  return ok;
}

static bool
bound_file (struct sql *sql, struct error *err)
{
  char text[64];
  int64_t page = 4096;

  if (sql->settings.file_max == 0)
    return true;
  (void) sql_ask_number (sql->db, "PRAGMA page_size", &page);
  snprintf (text, sizeof text, "PRAGMA max_page_count = %llu",
            (unsigned long long) (sql->settings.file_max / (uint64_t) page + 1));
  return pragma (sql, text, err);
}

/* A new file gives back pages that are empty.  One that has something in it keeps its way. */
static bool
let_it_shrink (struct sql *sql, struct error *err)
{
  int64_t pages = 1;

  return !sql_ask_number (sql->db, "PRAGMA page_count", &pages) || pages != 0
         || pragma (sql, "PRAGMA auto_vacuum = INCREMENTAL", err);
}

/* A file that SQLite can't read at all says so at the first pragma that reads it. */
static bool
connect (struct sql *sql, struct error *err)
{
  static const char *const pragmas[] = {
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL", /* a commit is on the disk before it is told */
    "PRAGMA busy_timeout = 0",
    "PRAGMA foreign_keys = OFF",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA cache_size = -16384",       /* KiB */
    "PRAGMA wal_autocheckpoint = 2000", /* pages */
    "PRAGMA journal_size_limit = 67108864",
  };

  if (sqlite3_open_v2 (sql->path, &sql->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL)
      != SQLITE_OK)
    return error_set (err, "it can't be opened: %s",
                      sql->db != NULL ? sqlite3_errmsg (sql->db) : "out of memory");
  (void) sqlite3_db_config (sql->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  (void) sqlite3_db_config (sql->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  /* No shared memory beside it, and nobody else writes. */
  if (!pragma (sql, "PRAGMA locking_mode = EXCLUSIVE", err) || !let_it_shrink (sql, err))
    return false;
  for (size_t i = 0; i < sizeof pragmas / sizeof *pragmas; i++)
    if (!pragma (sql, pragmas[i], err))
      return false;
  return bound_file (sql, err);
}

static bool
is_ours (struct sql *sql, struct error *err)
{
  int64_t application = 0, tables = 0;

  if (!sql_ask_number (sql->db, "PRAGMA application_id", &application)
      || !sql_ask_number (sql->db, "SELECT count (*) FROM sqlite_schema", &tables))
    return error_set (err, "it can't be read: %s", sqlite3_errmsg (sql->db));
  if (application == APPLICATION)
    return true;
  if (application != 0 || tables != 0)
    return error_set (err, "it is no store of toolhost, but another program's file");
  return pragma (sql, "PRAGMA application_id = 1953261683", err);
}
_Static_assert(APPLICATION == 1953261683, "the number that is written is the one that is asked");

/* ---- is it whole? ---- */

static int
has_taken_long (void *until_ns)
{
  return clock_ns () > *(const int64_t *) until_ns;
}

static bool
step_check (struct sql *sql, sqlite3_stmt *check, struct error *err)
{
  int rc = sqlite3_step (check);
  const char *said =
    rc == SQLITE_ROW ? (const char *) sqlite3_column_text (check, 0) : sqlite3_errmsg (sql->db);

  if (rc == SQLITE_INTERRUPT) {
    log_event (sql->settings.log, LOG_NOTICE, "store_checked_in_part", "file", sql->path, NULL);
    return true;
  }
  if (rc == SQLITE_ROW && said != NULL && strcmp (said, "ok") == 0)
    return true;
  return error_set (err, "it is damaged (%s)", said != NULL ? said : "no memory");
}

static bool
check (struct sql *sql, bool closed_well, struct error *err)
{
  int64_t until_ns = clock_ns () + INT64_C (1000000) * (closed_well ? CHECK_MS : CHECK_DOUBTFUL_MS);
  sqlite3_stmt *statement = NULL;
  bool ok;

  sqlite3_progress_handler (sql->db, 1000, has_taken_long, &until_ns);
  if (sqlite3_prepare_v2 (sql->db, "PRAGMA quick_check (1)", -1, &statement, NULL) != SQLITE_OK)
    ok = error_set (err, "it is damaged (%s)", sqlite3_errmsg (sql->db));
  else
    ok = step_check (sql, statement, err);
  (void) sqlite3_finalize (statement);
  sqlite3_progress_handler (sql->db, 0, NULL, NULL);
  return ok;
}

/* Did the last daemon close it?  A store that is new was. */
static bool
was_closed_well (struct sql *sql)
{
  int64_t closed = 1;

  return !sql_ask_number (sql->db, "SELECT 1 FROM sqlite_schema WHERE name = 'epoch'", &closed)
         || !sql_ask_number (
           sql->db, "SELECT ended_ms IS NOT NULL FROM epoch ORDER BY epoch DESC LIMIT 1", &closed)
         || closed != 0;
}

/* ---- this daemon's epoch ---- */

static bool
count (struct sql *sql, enum sql_statement which, uint64_t *figure)
{
  int64_t number = 0;
  bool ok = sql_number (sql, which, SQL_BARE, &number);

  *figure = (uint64_t) number;
  return ok;
}

static bool
count_all (struct sql *sql)
{
  struct store_figures *figures = &sql->counts.figures;

  return count (sql, SQL_CALLS, &figures->calls) && count (sql, SQL_UNKNOWNS, &figures->unknown)
         && count (sql, SQL_DEFINITIONS, &figures->definitions)
         && count (sql, SQL_CONTEXTS, &figures->contexts)
         && count (sql, SQL_LETTERS, &figures->letters)
         && count (sql, SQL_RECORDS_ALL, &figures->records)
         && sql_number (sql, SQL_GET, SQL_WITH (sql_text ("revision")), &figures->revision)
         && sql_number (sql, SQL_GET, SQL_WITH (sql_text ("versions")), &sql->counts.versions)
         && sql_number (sql, SQL_GET, SQL_WITH (sql_text ("forgotten")), &sql->counts.forgotten);
}

/* From now on it is this daemon's; what an earlier one left running is unknown. */
static bool
begin_epoch (struct sql *sql, struct error *err)
{
  sql->now_ms = sql->settings.now_ms (sql->settings.ctx);
  if (sql_do (sql, SQL_BEGIN, SQL_BARE)
      && sql_do (sql, SQL_EPOCH, SQL_WITH (sql_int (sql->now_ms), sql_text (TOOLHOST_BUILD_ID)))) {
    sql->epoch = sqlite3_last_insert_rowid (sql->db);
    if (sql_do (sql, SQL_EPOCH_FORGET, SQL_WITH (sql_int (sql->epoch)))
        && sql_do (sql, SQL_LEFT_RUNNING, SQL_WITH (sql_int (sql->now_ms)))
        && sql_do (sql, SQL_COMMIT, SQL_BARE) && count_all (sql))
      return true;
  }
  return error_set (err, "it can't be written: %s", sql->trouble);
}

/* ---- life ---- */

/* It is this process's alone, and whole. */
static bool
attach (struct sql *sql, struct error *err)
{
  bool closed_well;

  if (!take_lock (sql, err) || !make_file (sql, err) || !connect (sql, err) || !is_ours (sql, err))
    return false;
  closed_well = was_closed_well (sql);
  return check (sql, closed_well, err);
}

/* A file of before it could shrink stays as it is until it is made anew (store_vacuum). */
static void
ask_whether_it_shrinks (struct sql *sql)
{
  int64_t way = 0;

  sql->shrinks = sql_ask_number (sql->db, "PRAGMA auto_vacuum", &way) && way == AUTO_INCREMENTAL;
  if (!sql->shrinks)
    log_event (sql->settings.log, LOG_NOTICE, "store_does_not_shrink", "file", sql->path, "advice",
               "stop the daemon, and run: toolhost store vacuum STATE_DIR", NULL);
}

static bool
open_it (struct sql *sql, struct error *err)
{
  if (!attach (sql, err))
    return false;
  ask_whether_it_shrinks (sql);
  return sql_migrate (sql->db, sql_steps, sql_steps_count, err) && begin_epoch (sql, err);
}

static bool
is_damage (const struct sql *sql, const struct error *err)
{
  int rc = sql->db != NULL ? sqlite3_errcode (sql->db) : SQLITE_OK;

  return rc == SQLITE_CORRUPT || rc == SQLITE_NOTADB || strstr (err->text, "damaged") != NULL;
}

static void
explain (const struct sql *sql, struct error *err)
{
  static const char advice[] =
    ".  Nothing was changed.  Put a copy that `toolhost store backup` has made in its place, or "
    "move it and its -wal away to begin with an empty store";

  if (is_damage (sql, err)) {
    size_t len = strlen (err->text);

    snprintf (err->text + len, sizeof err->text - len, "%s", advice);
  }
  error_wrap (err, "%s: ", sql->path);
}

static struct sql *
open_by (bool (*way) (struct sql *, struct error *), const struct store_settings *settings,
         struct error *err)
{
  struct sql *sql = xcalloc (1, sizeof *sql);
  CLEANUP_BUF struct buf path = { 0 };

  buf_printf (&path, "%s/toolhost.db", settings->folder);
  sql->path = xstrdup (buf_cstr (&path));
  sql->settings = *settings;
  sql->lock = -1;
  if (way (sql, err)) {
    sql_measure (sql);
    return sql;
  }
  explain (sql, err);
  sql_close (sql);
  return NULL;
}

struct sql *
sql_open (const struct store_settings *settings, struct error *err)
{
  return open_by (open_it, settings, err);
}

struct sql *
sql_open_alone (const struct store_settings *settings, struct error *err)
{
  return open_by (attach, settings, err);
}

void
sql_close (struct sql *sql)
{
  if (sql->epoch != 0) {
    int64_t now_ms = sql->settings.now_ms (sql->settings.ctx);

    (void) sql_do (sql, SQL_EPOCH_END, SQL_WITH (sql_int (sql->epoch), sql_int (now_ms)));
  }
  for (size_t i = 0; i < SQL_STATEMENTS; i++)
    (void) sqlite3_finalize (sql->statements[i]);
  (void) sqlite3_close (sql->db);
  if (sql->lock >= 0)
    (void) close (sql->lock);
  free (sql->path);
  free (sql);
}
