/* sql_schema.c - the tables, version by version. */
#include <stdio.h>

#include "store/sql.h"

/* Ids and hashes are SHA-256; times are Unix time in milliseconds; a nonce is an act's, unique in
 * its epoch, which is one life of a daemon.
 *
 * A call's row stays where it was made, so that claims and results of one time share pages, and
 * only the index by id is written all over.  What has no end yet is in call_open: what a daemon
 * left running is found without reading the table. */
static const char version_1[] =
  "BEGIN IMMEDIATE;"
  "CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;"
  "INSERT INTO meta VALUES ('revision', 0), ('versions', 0), ('forgotten', 0);"
  "CREATE TABLE epoch (epoch INTEGER PRIMARY KEY AUTOINCREMENT, started_ms INTEGER NOT NULL,"
  " ended_ms INTEGER, build TEXT NOT NULL);"
  "CREATE TABLE call (number INTEGER PRIMARY KEY, tenant TEXT NOT NULL, id BLOB NOT NULL,"
  " what BLOB, tool TEXT, about BLOB, state INTEGER NOT NULL, epoch INTEGER NOT NULL,"
  " nonce INTEGER NOT NULL, created_ms INTEGER NOT NULL, ended_ms INTEGER,"
  " deadline_ms INTEGER NOT NULL, result BLOB, chunks INTEGER NOT NULL DEFAULT 0);"
  "CREATE UNIQUE INDEX call_id ON call (tenant, id);"
  "CREATE INDEX call_open ON call (epoch) WHERE ended_ms IS NULL;"
  "CREATE INDEX call_ended ON call (ended_ms) WHERE ended_ms IS NOT NULL;"
  "CREATE INDEX call_unknown ON call (state) WHERE state = 4;"
  "CREATE TABLE chunk (call INTEGER NOT NULL, place INTEGER NOT NULL, bytes BLOB NOT NULL,"
  " PRIMARY KEY (call, place)) WITHOUT ROWID;"
  "CREATE TABLE definition (tenant TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL,"
  " revision INTEGER NOT NULL, latest INTEGER NOT NULL, body BLOB, written_ms INTEGER NOT NULL,"
  " created_ms INTEGER NOT NULL, author TEXT NOT NULL, epoch INTEGER NOT NULL,"
  " nonce INTEGER NOT NULL, PRIMARY KEY (tenant, kind, name, revision));"
  "CREATE UNIQUE INDEX definition_latest ON definition (tenant, kind, name) WHERE latest = 1;"
  "CREATE INDEX definition_revision ON definition (revision);"
  "CREATE TABLE context (tenant TEXT NOT NULL, handle BLOB NOT NULL, version INTEGER NOT NULL,"
  " expires_ms INTEGER NOT NULL, body BLOB NOT NULL, epoch INTEGER NOT NULL,"
  " nonce INTEGER NOT NULL, PRIMARY KEY (tenant, handle));"
  "CREATE INDEX context_expires ON context (expires_ms);"
  "CREATE TABLE letter (id INTEGER PRIMARY KEY AUTOINCREMENT, tenant TEXT NOT NULL,"
  " hook TEXT NOT NULL, payload BLOB NOT NULL, attempt INTEGER NOT NULL, due_ms INTEGER NOT NULL,"
  " created_ms INTEGER NOT NULL, epoch INTEGER NOT NULL, nonce INTEGER NOT NULL);"
  "CREATE INDEX letter_due ON letter (due_ms, id);"
  "PRAGMA user_version = 1;"
  "COMMIT;";

/* Records: what waits for people. */
static const char version_2[] =
  "BEGIN IMMEDIATE;"
  "CREATE TABLE record (number INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL,"
  " tenant TEXT NOT NULL, name TEXT NOT NULL, owner TEXT NOT NULL, state INTEGER NOT NULL,"
  " forget_ms INTEGER NOT NULL, body BLOB NOT NULL);"
  "CREATE UNIQUE INDEX record_name ON record (kind, name, tenant);"
  "CREATE INDEX record_forget ON record (forget_ms) WHERE forget_ms <> 0;"
  "PRAGMA user_version = 2;"
  "COMMIT;";

const char *const sql_steps[] = { version_1, version_2 };
const size_t sql_steps_count = sizeof sql_steps / sizeof *sql_steps;

static bool
read_version (sqlite3 *db, size_t *version, struct error *err)
{
  sqlite3_stmt *statement = NULL;
  bool ok = sqlite3_prepare_v2 (db, "PRAGMA user_version", -1, &statement, NULL) == SQLITE_OK
            && sqlite3_step (statement) == SQLITE_ROW;

  if (ok)
    *version = (size_t) sqlite3_column_int64 (statement, 0);
  else
    error_set (err, "its version can't be read: %s", sqlite3_errmsg (db));
  (void) sqlite3_finalize (statement);
  return ok;
}

static bool
take_step (sqlite3 *db, const char *text, size_t version, struct error *err)
{
  if (sqlite3_exec (db, text, NULL, NULL, NULL) == SQLITE_OK)
    return true;
  error_set (err, "its tables can't be brought to version %zu: %s; nothing was changed", version,
             sqlite3_errmsg (db));
  if (sqlite3_get_autocommit (db) == 0)
    (void) sqlite3_exec (db, "ROLLBACK", NULL, NULL, NULL);
  return false;
}

bool
sql_migrate (sqlite3 *db, const char *const *steps, size_t count, struct error *err)
{
  size_t version;

  if (!read_version (db, &version, err))
    return false;
  if (version > count)
    return error_set (err,
                      "its tables are of version %zu, and this daemon knows %zu at most: use the "
                      "daemon that wrote it, or a later one",
                      version, count);
  for (; version < count; version++)
    if (!take_step (db, steps[version], version + 1, err))
      return false;
  return true;
}
