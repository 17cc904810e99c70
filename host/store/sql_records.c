/* sql_records.c - records in SQLite. */
#include "store/sql.h"

enum { NUMBER, TENANT, NAME, OWNER, STATE, FORGET, BODY }; /* of SQL_RECORDS */

#define NAMED(record)                                                                              \
  sql_text ((record)->kind), sql_text ((record)->tenant), sql_text ((record)->name)

static bool
forget (struct sql *sql, const struct store_record *in)
{
  if (!sql_do (sql, SQL_RECORD_FORGET, SQL_WITH (NAMED (in))))
    return false;
  sql->counts.figures.records -= sql_changed (sql);
  return true;
}

bool
sql_record (struct sql *sql, struct store_act *act)
{
  const struct store_record *in = &act->in.record;
  int64_t is_there = 0;

  act->status = STORE_OK;
  if (in->body.data == NULL)
    return forget (sql, in);
  if (!sql_number (sql, SQL_RECORD_IS, SQL_WITH (NAMED (in)), &is_there))
    return false;
  sql->counts.figures.records += is_there == 0;
  return sql_do (sql, SQL_RECORD,
                 SQL_WITH (NAMED (in), sql_text (in->owner), sql_int (in->state),
                           sql_int (in->forget_ms), sql_bytes (in->body)));
}

static struct store_record
show (struct sql *sql, const struct store_act *act)
{
  return (struct store_record){
    .kind = act->in.records.kind,
    .number = sql_column (sql, SQL_RECORDS, NUMBER),
    .tenant = sql_copy_text (sql, SQL_RECORDS, TENANT, act->arena),
    .name = sql_copy_text (sql, SQL_RECORDS, NAME, act->arena),
    .owner = sql_copy_text (sql, SQL_RECORDS, OWNER, act->arena),
    .state = (int) sql_column (sql, SQL_RECORDS, STATE),
    .forget_ms = sql_column (sql, SQL_RECORDS, FORGET),
    .body = sql_copy_bytes (sql, SQL_RECORDS, BODY, act->arena),
  };
}

bool
sql_records (struct sql *sql, struct store_act *act)
{
  const struct store_record_query *in = &act->in.records;
  const int64_t limit = in->limit != 0 && in->limit < INT32_MAX ? (int64_t) in->limit : -1;
  CLEANUP_BUF struct buf list = { 0 };
  enum sql_got got = sql_first (
    sql, SQL_RECORDS,
    SQL_WITH (sql_text (in->kind), sql_text (in->tenant), sql_text (in->name), sql_text (in->owner),
              sql_int (in->states), sql_int (in->before), sql_int (sql->now_ms), sql_int (limit)));

  for (; got == SQL_ROW; got = sql_next (sql, SQL_RECORDS)) {
    const struct store_record record = show (sql, act);

    buf_append (&list, &record, sizeof record);
  }
  act->status = STORE_OK;
  act->out.records.count = list.len / sizeof (struct store_record);
  act->out.records.list = arena_alloc (act->arena, list.len);
  if (list.len != 0)
    memcpy (act->out.records.list, list.data, list.len);
  return got == SQL_NO_ROW;
}

bool
sql_forget_records (struct sql *sql, struct store_act *act)
{
  if (!sql_do (sql, SQL_FORGET_RECORDS,
               SQL_WITH (sql_int (sql->now_ms), sql_int (SQL_FORGET_AT_ONCE))))
    return false;
  sql->counts.figures.records -= sql_forgot (sql, act);
  return true;
}
