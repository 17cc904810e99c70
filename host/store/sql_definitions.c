/* sql_definitions.c - documents in SQLite: a row for each write, the last one marked. */
#include "store/sql.h"

enum { TENANT, KIND, NAME, REVISION, WRITTEN, CREATED, AUTHOR, BODY }; /* of SCAN and HISTORY */

#define NAMED(change)                                                                              \
  sql_text ((change)->tenant), sql_text ((change)->kind), sql_text ((change)->name)

/* What is there of a document. */
struct present {
  int64_t revision, created_ms; /* 0: it is not there */
};

static bool
find (struct sql *sql, const struct store_change *change, struct present *present)
{
  enum sql_got got = sql_first (sql, SQL_DEFINITION_IS, SQL_WITH (NAMED (change)));

  *present = (struct present){ 0 };
  if (got != SQL_ROW)
    return got == SQL_NO_ROW;
  if (sql_column (sql, SQL_DEFINITION_IS, 2) == 0) {
    present->revision = sql_column (sql, SQL_DEFINITION_IS, 0);
    present->created_ms = sql_column (sql, SQL_DEFINITION_IS, 1);
  }
  sql_end (sql, SQL_DEFINITION_IS);
  return true;
}

/* ---- changes ---- */

static enum store_status
judge (const struct store_change *change, const struct present *present)
{
  if (change->expect >= 0 && change->expect != present->revision)
    return STORE_CONFLICT;
  if (change->body.data == NULL && present->revision == 0)
    return STORE_NOT_FOUND;
  return STORE_OK;
}

/* act->status says whether all of them may be made. */
static bool
judge_all (struct sql *sql, struct store_act *act)
{
  const struct store_changes *in = &act->in.changes;
  struct present present;

  act->status = STORE_OK;
  for (size_t i = 0; i < in->count; i++) {
    if (!find (sql, &in->list[i], &present))
      return false;
    act->status = judge (&in->list[i], &present);
    if (act->status != STORE_OK) {
      act->out.read.revision = present.revision;
      act->out.read.wrong = i;
      return true;
    }
  }
  return true;
}

static bool
write_one (struct sql *sql, const struct store_change *change, uint64_t nonce)
{
  struct store_figures *figures = &sql->counts.figures;
  struct present was;

  if (!find (sql, change, &was) || !sql_do (sql, SQL_DEFINITION_WAS, SQL_WITH (NAMED (change)))
      || !sql_do (
        sql, SQL_DEFINITION_WRITE,
        SQL_WITH (NAMED (change), sql_int (figures->revision), sql_bytes (change->body),
                  sql_int (sql->now_ms), sql_int (was.revision != 0 ? was.created_ms : sql->now_ms),
                  sql_text (change->author), sql_int (sql->epoch), sql_int ((int64_t) nonce)))
      || !sql_do (sql, SQL_DEFINITION_BOUND,
                  SQL_WITH (NAMED (change), sql_int ((int64_t) sql->settings.history_max))))
    return false;
  figures->definitions -= was.revision != 0;
  figures->definitions += change->body.data != NULL;
  return true;
}

static bool
write_all (struct sql *sql, struct store_act *act)
{
  const struct store_changes *in = &act->in.changes;
  int64_t *revision = &sql->counts.figures.revision;

  *revision += in->count != 0;
  act->out.read.revision = *revision;
  for (size_t i = 0; i < in->count; i++)
    if (!write_one (sql, &in->list[i], act->nonce))
      return false;
  return in->count == 0
         || sql_do (sql, SQL_SET, SQL_WITH (sql_text ("revision"), sql_int (*revision)));
}

bool
sql_change (struct sql *sql, struct store_act *act)
{
  if (act->again
      && !sql_number (sql, SQL_DEFINITION_MADE_BY,
                      SQL_WITH (sql_int (sql->epoch), sql_int ((int64_t) act->nonce)),
                      &act->out.read.revision))
    return false;
  if (act->out.read.revision != 0) {
    act->status = STORE_OK;
    return true;
  }
  return judge_all (sql, act) && (act->status != STORE_OK || write_all (sql, act));
}

/* ---- reading ---- */

static struct store_definition
show (struct sql *sql, enum sql_statement which, struct arena *arena)
{
  return (struct store_definition){
    .tenant = sql_copy_text (sql, which, TENANT, arena),
    .kind = sql_copy_text (sql, which, KIND, arena),
    .name = sql_copy_text (sql, which, NAME, arena),
    .revision = sql_column (sql, which, REVISION),
    .written_ms = sql_column (sql, which, WRITTEN),
    .created_ms = sql_column (sql, which, CREATED),
    .author = sql_copy_text (sql, which, AUTHOR, arena),
    .body = sql_copy_bytes (sql, which, BODY, arena),
  };
}

static bool
read_all (struct sql *sql, struct store_act *act, struct buf *list)
{
  const struct store_scan *scan = &act->in.scan;
  enum sql_statement which = scan->history ? SQL_HISTORY : SQL_SCAN;
  enum sql_got got = sql_first (sql, which,
                                SQL_WITH (sql_text (scan->tenant), sql_text (scan->kind),
                                          sql_text (scan->name), sql_int (scan->since),
                                          sql_int (scan->limit != 0 ? (int64_t) scan->limit : -1)));

  for (; got == SQL_ROW; got = sql_next (sql, which)) {
    struct store_definition definition = show (sql, which, act->arena);

    buf_append (list, &definition, sizeof definition);
  }
  return got == SQL_NO_ROW;
}

bool
sql_scan (struct sql *sql, struct store_act *act)
{
  const struct store_scan *scan = &act->in.scan;
  CLEANUP_BUF struct buf list = { 0 };
  struct store_read *out = &act->out.read;

  out->revision = sql->counts.figures.revision;
  act->status = STORE_CONFLICT;
  if (scan->since != 0 && scan->since < sql->counts.forgotten)
    return true;
  if (!read_all (sql, act, &list))
    return false;
  act->status = STORE_OK;
  out->count = list.len / sizeof *out->list;
  out->list = arena_alloc (act->arena, list.len);
  if (list.len != 0)
    memcpy (out->list, list.data, list.len);
  return true;
}

/* ---- upkeep ---- */

bool
sql_forget_definitions (struct sql *sql)
{
  int64_t before = sql->now_ms - sql->settings.removed_ttl_ms, last = 0, gone = 0;

  if (!sql_number (sql, SQL_REMOVED_LAST, SQL_WITH (sql_int (before)), &last))
    return false;
  if (last == 0)
    return true;
  if (!sql_number (sql, SQL_REMOVED, SQL_WITH (sql_int (before)), &gone))
    return false;
  sql->counts.figures.forgotten += (uint64_t) gone;
  if (last > sql->counts.forgotten)
    sql->counts.forgotten = last;
  return sql_do (sql, SQL_FORGET_REMOVED, SQL_WITH (sql_int (before)))
         && sql_do (sql, SQL_SET,
                    SQL_WITH (sql_text ("forgotten"), sql_int (sql->counts.forgotten)));
}
