/* sql_vacuum.c - the file's size: empty pages go back to the disk, some at each tick, when there
 * are many; and a file is made anew while no daemon has it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/sql.h"

/* What is left empty for what comes: a file that grows and shrinks all the time does work for
 * nothing. */
enum { SPARE_PAGES = 1024, SPARE_PART = 4 };

static bool
give_back (struct sql *sql)
{
  enum sql_got got = sql_first (sql, SQL_GIVE_BACK, SQL_BARE); /* a row for each page */

  while (got == SQL_ROW)
    got = sql_next (sql, SQL_GIVE_BACK);
  return got == SQL_NO_ROW;
}

static bool
count_empty (struct sql *sql, int64_t *empty)
{
  int64_t page = 4096;

  (void) sql_ask_number (sql->db, "PRAGMA page_size", &page);
  if (!sql_number (sql, SQL_FREE_PAGES, SQL_BARE, empty))
    return false;
  sql->counts.figures.free_bytes = (uint64_t) (*empty * page);
  return true;
}

bool
sql_shrink (struct sql *sql, struct store_act *act)
{
  int64_t empty = 0, pages = 0;

  if (!count_empty (sql, &empty) || !sql_number (sql, SQL_PAGES, SQL_BARE, &pages))
    return false;
  /* What is still to be forgotten empties more; where nothing can be written, nothing can shrink.
   */
  if (!sql->shrinks || sql->ill || act->more || empty <= SPARE_PAGES || empty <= pages / SPARE_PART)
    return true;
  act->more = true;
  sql->shrunk = true;
  return give_back (sql) && count_empty (sql, &empty);
}

void
sql_shrunk (struct sql *sql)
{
  if (sql->shrunk)
    (void) sqlite3_wal_checkpoint_v2 (sql->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
  sql->shrunk = false;
}

/* ---- while no daemon has it ---- */

static bool
is_there (const char *folder, struct stat *is, struct error *err)
{
  CLEANUP_BUF struct buf path = { 0 };

  buf_printf (&path, "%s/toolhost.db", folder);
  return stat (buf_cstr (&path), is) == 0
         || error_set (err, "%s: %s", buf_cstr (&path), strerror (errno));
}

/* The lock may be new, and is the daemon's who has the file. */
static bool
make_anew (struct sql *sql, const struct stat *owner, struct error *err)
{
  if (fchown (sql->lock, owner->st_uid, owner->st_gid) != 0)
    return error_set (err, "%s.lock: %s", sql->path, strerror (errno));
  return sqlite3_exec (sql->db,
                       "PRAGMA temp_store = FILE; PRAGMA auto_vacuum = INCREMENTAL; VACUUM", NULL,
                       NULL, NULL)
           == SQLITE_OK
         || error_set (err, "%s: %s; nothing was changed", sql->path, sqlite3_errmsg (sql->db));
}

bool
store_vacuum (const char *folder, struct store_vacuumed *vacuumed, struct error *err)
{
  struct store_settings settings = store_defaults;
  struct stat before, after;
  struct sql *sql;
  bool ok;

  if (!is_there (folder, &before, err))
    return false;
  settings.folder = folder;
  (void) setenv ("SQLITE_TMPDIR", folder,
                 1); /* what it needs meanwhile is as private as the file */
  sql = sql_open_alone (&settings, err);
  if (sql == NULL)
    return false;
  ok = make_anew (sql, &before, err);
  sql_close (sql); /* puts what was written ahead into the file */
  if (!ok || !is_there (folder, &after, err))
    return false;
  *vacuumed = (struct store_vacuumed){ (uint64_t) before.st_size, (uint64_t) after.st_size };
  return true;
}
