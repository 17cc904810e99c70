/* sql_batch.c - a batch as one transaction; if that fails, each act as one of its own, so that what
 * can be done is done, whatever else was asked in the same turn. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "store/sql.h"

enum { FAILURES_MAX = 8 }; /* writes that fail one after another: the rest is not tried any more */

uint64_t
sql_forgot (struct sql *sql, struct store_act *act)
{
  uint64_t rows = sql_changed (sql);

  sql->counts.figures.forgotten += rows;
  act->more |= rows == SQL_FORGET_AT_ONCE;
  return rows;
}

static bool
sql_tick (struct sql *sql, struct store_act *act)
{
  act->status = STORE_OK;
  return sql_forget_calls (sql, act) && sql_forget_definitions (sql)
         && sql_forget_contexts (sql, act) && sql_forget_records (sql, act) && sql_shrink (sql, act)
         && (!sql->ill
             || sql_do (sql, SQL_SET,
                        SQL_WITH (sql_text ("forgotten"), sql_int (sql->counts.forgotten))));
}

static bool
is_read (const struct store_act *act)
{
  return act->kind == STORE_ACT_LOOKUP || act->kind == STORE_ACT_SCAN
         || act->kind == STORE_ACT_CONTEXT_GET || act->kind == STORE_ACT_RECORDS;
}

static bool
run (struct sql *sql, struct store_act *act)
{
  static bool (*const acts[STORE_ACTS]) (struct sql *, struct store_act *) = {
    [STORE_ACT_CLAIM] = sql_claim,
    [STORE_ACT_FINISH] = sql_finish,
    [STORE_ACT_RELEASE] = sql_release,
    [STORE_ACT_CANCEL] = sql_cancel,
    [STORE_ACT_LOOKUP] = sql_lookup,
    [STORE_ACT_CHANGE] = sql_change,
    [STORE_ACT_SCAN] = sql_scan,
    [STORE_ACT_CONTEXT_GET] = sql_context_get,
    [STORE_ACT_CONTEXT_SET] = sql_context_set,
    [STORE_ACT_POST] = sql_post,
    [STORE_ACT_TAKE] = sql_take,
    [STORE_ACT_SENT] = sql_sent,
    [STORE_ACT_RETRY] = sql_retry,
    [STORE_ACT_RECORD] = sql_record,
    [STORE_ACT_RECORDS] = sql_records,
    [STORE_ACT_TICK] = sql_tick,
  };

  return acts[act->kind](sql, act) && !sql->torn;
}

/* As before it was tried. */
static void
reset (struct store_act *act)
{
  act->status = STORE_UNAVAILABLE;
  act->verdict = STORE_NOT_CLAIMED;
  act->found = false;
  act->more = false;
  memset (&act->out, 0, sizeof act->out);
}

/* ---- one transaction ---- */

static void
take_back (struct sql *sql, const struct sql_counts *before)
{
  char why[sizeof sql->trouble];

  memcpy (why, sql->trouble, sizeof why);
  if (sqlite3_get_autocommit (sql->db) == 0)
    (void) sql_do (sql, SQL_ROLLBACK, SQL_BARE);
  memcpy (sql->trouble, why, sizeof why);
  if (sql->torn)
    snprintf (sql->trouble, sizeof sql->trouble, "out of memory");
  sql->torn = false;
  sql->counts = *before;
}

static void
measure (struct sql *sql, int64_t began_ns, uint64_t acts, int64_t changes)
{
  struct store_figures *figures = &sql->counts.figures;
  uint64_t us = (uint64_t) (clock_ns () - began_ns) / 1000;

  figures->acts += acts;
  if (sqlite3_total_changes64 (sql->db) == changes)
    return;
  figures->commits++;
  histogram_add (&figures->commit_time, us);
  if (us > figures->commit_us_max)
    figures->commit_us_max = us;
}

/* The acts from `first` to before `end`: all done and committed; or none. */
static bool
transact (struct sql *sql, struct store_act *first, const struct store_act *end)
{
  struct sql_counts before = sql->counts;
  int64_t began_ns = clock_ns (), changes = sqlite3_total_changes64 (sql->db);
  uint64_t acts = 0;
  bool ok = sql_do (sql, SQL_BEGIN, SQL_BARE);

  for (struct store_act *act = first; ok && act != end; act = act->next, acts++) {
    reset (act);
    ok = run (sql, act);
  }
  if (ok && sql_do (sql, SQL_COMMIT, SQL_BARE)) {
    measure (sql, began_ns, acts, changes);
    return true;
  }
  take_back (sql, &before);
  return false;
}

/* ---- the batch ---- */

static void
one_by_one (struct sql *sql, struct store_batch *batch)
{
  unsigned failures = 0;

  for (struct store_act *act = batch->first; act != NULL; act = act->next) {
    reset (act);
    if (failures >= FAILURES_MAX && !is_read (act))
      sql->counts.figures.failures++;
    else if (transact (sql, act, act->next))
      failures = is_read (act) ? failures : 0;
    else {
      reset (act);
      sql->counts.figures.failures++;
      failures++;
    }
  }
}

void
sql_measure (struct sql *sql)
{
  char wal[4096];
  struct stat main_file, wal_file;

  snprintf (wal, sizeof wal, "%s-wal", sql->path);
  if (stat (sql->path, &main_file) != 0)
    main_file.st_size = 0;
  if (stat (wal, &wal_file) != 0)
    wal_file.st_size = 0;
  sql->counts.figures.bytes = (uint64_t) (main_file.st_size + wal_file.st_size);
}

/* Is there something that could not be done?  Once there was, only what was written says that it is
 * over. */
static bool
is_ill (const struct sql *sql, const struct store_batch *batch, bool wrote)
{
  for (const struct store_act *act = batch->first; act != NULL; act = act->next)
    if (act->status == STORE_UNAVAILABLE)
      return true;
  return sql->ill && !wrote;
}

void
sql_batch (struct sql *sql, struct store_batch *batch)
{
  uint64_t commits = sql->counts.figures.commits;

  sql->now_ms = batch->now_ms;
  if (!transact (sql, batch->first, NULL))
    one_by_one (sql, batch);
  sql->ill = is_ill (sql, batch, sql->counts.figures.commits != commits);
  if (!sql->ill)
    sql->trouble[0] = '\0';
  memcpy (batch->trouble, sql->trouble, sizeof batch->trouble);
  sql_shrunk (sql);
  sql_measure (sql);
  batch->figures = sql->counts.figures;
}
