/* sqlite_copy.c - a copy of the store while it serves: some pages at a time between batches.  What
 * is written meanwhile goes into the copy, too: it is the store as it is when the copy ends.
 * Another thread then checks it and puts it in its place. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/sqlite.h"

enum { STEP_PAGES = 256 };

struct sqlite_copying {
  struct sqlite *sqlite;
  struct store_copy *copy; /* the store's; status and why are filled here */
  char *part;              /* it is made there */
  sqlite3 *db;
  sqlite3_backup *backup;
  bool whole, failed;
};

static bool
fail (struct sqlite_copying *copying, enum store_status status, const char *what, const char *why)
{
  copying->failed = true;
  copying->copy->status = status;
  snprintf (copying->copy->why, sizeof copying->copy->why, "%s: %s", what, why);
  return false;
}

static bool
fail_errno (struct sqlite_copying *copying, const char *what)
{
  return fail (copying, errno == EEXIST ? STORE_CONFLICT : STORE_UNAVAILABLE, what,
               strerror (errno));
}

/* ---- in the store's thread ---- */

static bool
is_free (struct sqlite_copying *copying)
{
  struct stat is;

  if (lstat (copying->copy->path, &is) != 0 && errno == ENOENT)
    return true;
  errno = EEXIST;
  return fail_errno (copying, "the copy");
}

/* An empty file of ours; one that an interrupted copy has left goes. */
static bool
make_part (struct sqlite_copying *copying)
{
  int file;

  (void) unlink (copying->part);
  file = open (copying->part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0)
    return fail (copying, STORE_UNAVAILABLE, "the copy can't be made", strerror (errno));
  (void) close (file);
  return true;
}

static bool
begin_copy (struct sqlite_copying *copying)
{
  if (!is_free (copying) || !make_part (copying))
    return false;
  if (sqlite3_open_v2 (copying->part, &copying->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                       NULL)
        != SQLITE_OK
      || sqlite3_exec (copying->db,
                       "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = OFF;"
                       " PRAGMA synchronous = OFF",
                       NULL, NULL, NULL)
           != SQLITE_OK)
    return fail (copying, STORE_UNAVAILABLE, "the copy can't be made",
                 sqlite3_errmsg (copying->db));
  copying->backup = sqlite3_backup_init (copying->db, "main", copying->sqlite->sql->db, "main");
  return copying->backup != NULL
         || fail (copying, STORE_UNAVAILABLE, "the copy can't be begun",
                  sqlite3_errmsg (copying->db));
}

static void
step (struct sqlite_copying *copying)
{
  int rc = sqlite3_backup_step (copying->backup, STEP_PAGES);

  if (rc != SQLITE_OK && rc != SQLITE_DONE)
    fail (copying, STORE_UNAVAILABLE, "the copy can't be written", sqlite3_errstr (rc));
  copying->whole = rc == SQLITE_DONE;
}

/* The connection of the store knows of the copy until this. */
static void
end_backup (struct sqlite_copying *copying)
{
  (void) sqlite3_backup_finish (copying->backup);
  copying->backup = NULL;
}

static void
work_step (void *ctx, const struct offload_job *job)
{
  struct sqlite_copying *copying = ctx;

  (void) job;
  if (copying->backup != NULL || begin_copy (copying))
    step (copying);
  if (copying->whole || copying->failed)
    end_backup (copying);
}

/* ---- in the other thread ---- */

static bool
is_whole (struct sqlite_copying *copying)
{
  sqlite3_stmt *statement = NULL;
  bool ok =
    sqlite3_prepare_v2 (copying->db, "PRAGMA quick_check (1)", -1, &statement, NULL) == SQLITE_OK
    && sqlite3_step (statement) == SQLITE_ROW
    && strcmp ((const char *) sqlite3_column_text (statement, 0), "ok") == 0;

  (void) sqlite3_finalize (statement);
  return ok || fail (copying, STORE_UNAVAILABLE, "the copy is damaged", "it was thrown away");
}

/* One file, with nothing beside it that belongs to it. */
static bool
close_copy (struct sqlite_copying *copying)
{
  bool ok =
    sqlite3_exec (copying->db, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL) == SQLITE_OK;

  ok = sqlite3_close (copying->db) == SQLITE_OK && ok;
  copying->db = NULL;
  return ok || fail (copying, STORE_UNAVAILABLE, "the copy can't be closed", "SQLite failed");
}

static bool
sync_path (const char *path, int flags)
{
  CLEANUP_FD int fd = open (path, flags | O_CLOEXEC);

  return fd >= 0 && fsync (fd) == 0;
}

/* The name is given last, and takes no file's place. */
static bool
put_in_place (struct sqlite_copying *copying)
{
  CLEANUP_FREE char *path = xstrdup (copying->copy->path);

  if (!sync_path (copying->part, O_RDONLY))
    return fail_errno (copying, "the copy can't be written");
  if (renameat2 (AT_FDCWD, copying->part, AT_FDCWD, copying->copy->path, RENAME_NOREPLACE) != 0)
    return fail_errno (copying, "the copy can't be given its name");
  return sync_path (dirname (path), O_RDONLY | O_DIRECTORY)
         || fail_errno (copying, "the copy's folder can't be written");
}

static void
work_end (void *ctx, const struct offload_job *job)
{
  struct sqlite_copying *copying = ctx;

  (void) job;
  if (is_whole (copying) && close_copy (copying) && put_in_place (copying))
    copying->copy->status = STORE_OK;
}

/* ---- on the loop ---- */

static void
end (struct sqlite_copying *copying)
{
  struct sqlite *sqlite = copying->sqlite;
  struct store_copy *copy = copying->copy;

  if (copying->backup != NULL)
    end_backup (copying);
  if (copying->db != NULL)
    (void) sqlite3_close (copying->db);
  if (copy->status != STORE_OK)
    (void) unlink (copying->part);
  free (copying->part);
  free (copying);
  sqlite->copying = NULL;
  sqlite->engine.host.copied (sqlite->engine.host.ctx, copy);
}

static void
ended (void *ctx, bool cancelled)
{
  struct sqlite_copying *copying = ctx;

  (void) cancelled;
  if (copying->copy->status != STORE_OK && !copying->failed)
    fail (copying, STORE_UNAVAILABLE, "the copy was not ended", "the store was closed");
  end (copying);
}

static void
stepped (void *ctx, bool cancelled)
{
  struct sqlite_copying *copying = ctx;
  struct sqlite *sqlite = copying->sqlite;

  (void) cancelled;
  if (copying->failed || sqlite->settled) {
    ended (copying, false);
    return;
  }
  if (!copying->whole) {
    (void) offload_submit (
      sqlite->thread, &(struct offload_work){ .work = work_step, .done = stepped, .ctx = copying });
    return;
  }
  if (sqlite->aside == NULL)
    sqlite->aside = offload_new (sqlite->loop, 1);
  (void) offload_submit (sqlite->aside,
                         &(struct offload_work){ .work = work_end, .done = ended, .ctx = copying });
}

void
sqlite_copy (struct store_engine *engine, struct store_copy *copy)
{
  struct sqlite *sqlite = (struct sqlite *) engine;
  struct sqlite_copying *copying = xcalloc (1, sizeof *copying);
  CLEANUP_BUF struct buf part = { 0 };

  buf_printf (&part, "%s.part", copy->path);
  copying->sqlite = sqlite;
  copying->copy = copy;
  copying->part = xstrdup (buf_cstr (&part));
  copy->status = STORE_UNAVAILABLE;
  sqlite->copying = copying;
  (void) offload_submit (
    sqlite->thread, &(struct offload_work){ .work = work_step, .done = stepped, .ctx = copying });
}
