/* sql_letters.c - the outbox in SQLite. */
#include "store/sql.h"

enum { ID, TENANT, HOOK, PAYLOAD, ATTEMPT, CREATED }; /* of SQL_DUE */

bool
sql_put_letters (struct sql *sql, const struct store_letter *letters, size_t count, uint64_t nonce)
{
  for (size_t i = 0; i < count; i++)
    if (!sql_do (sql, SQL_POST,
                 SQL_WITH (sql_text (letters[i].tenant), sql_text (letters[i].hook),
                           sql_bytes (letters[i].payload), sql_int (sql->now_ms),
                           sql_int (sql->epoch), sql_int ((int64_t) nonce))))
      return false;
  sql->counts.figures.letters += count;
  return true;
}

bool
sql_post (struct sql *sql, struct store_act *act)
{
  const struct store_letters *in = &act->in.letters;
  int64_t posted = 0;

  act->status = STORE_OK;
  if (act->again
      && !sql_number (sql, SQL_POSTED,
                      SQL_WITH (sql_int (sql->epoch), sql_int ((int64_t) act->nonce)), &posted))
    return false;
  return posted != 0 || sql_put_letters (sql, in->list, in->count, act->nonce);
}

/* ---- taking ---- */

static struct store_due
show (struct sql *sql, struct arena *arena)
{
  return (struct store_due){
    .id = sql_column (sql, SQL_DUE, ID),
    .tenant = sql_copy_text (sql, SQL_DUE, TENANT, arena),
    .hook = sql_copy_text (sql, SQL_DUE, HOOK, arena),
    .payload = sql_copy_bytes (sql, SQL_DUE, PAYLOAD, arena),
    .attempt = (unsigned) sql_column (sql, SQL_DUE, ATTEMPT),
    .created_ms = sql_column (sql, SQL_DUE, CREATED),
  };
}

static bool
read_due (struct sql *sql, struct store_act *act, struct buf *list)
{
  int64_t most = act->in.errand.most < INT32_MAX ? (int64_t) act->in.errand.most : INT32_MAX;
  enum sql_got got = sql_first (sql, SQL_DUE, SQL_WITH (sql_int (sql->now_ms), sql_int (most)));

  for (; got == SQL_ROW; got = sql_next (sql, SQL_DUE)) {
    struct store_due due = show (sql, act->arena);

    buf_append (list, &due, sizeof due);
  }
  return got == SQL_NO_ROW;
}

static bool
lease (struct sql *sql, const struct store_dues *dues, int64_t lease_ms)
{
  int64_t until_ms = sql->now_ms + (lease_ms > 0 ? lease_ms : 1);

  for (size_t i = 0; i < dues->count; i++)
    if (!sql_do (sql, SQL_LEASE, SQL_WITH (sql_int (dues->list[i].id), sql_int (until_ms))))
      return false;
  return true;
}

bool
sql_take (struct sql *sql, struct store_act *act)
{
  CLEANUP_BUF struct buf list = { 0 };
  struct store_dues *out = &act->out.dues;

  if (!read_due (sql, act, &list))
    return false;
  out->count = list.len / sizeof *out->list;
  out->list = arena_alloc (act->arena, list.len);
  if (list.len != 0)
    memcpy (out->list, list.data, list.len);
  act->status = STORE_OK;
  return lease (sql, out, act->in.errand.lease_ms)
         && sql_number (sql, SQL_DUE_NEXT, SQL_BARE, &out->next_ms);
}

bool
sql_sent (struct sql *sql, struct store_act *act)
{
  act->status = STORE_OK;
  if (!sql_do (sql, SQL_SENT, SQL_WITH (sql_int (act->in.errand.id))))
    return false;
  sql->counts.figures.letters -= sql_changed (sql);
  return true;
}

bool
sql_retry (struct sql *sql, struct store_act *act)
{
  const struct store_errand *in = &act->in.errand;

  if (!sql_do (sql, SQL_RETRY, SQL_WITH (sql_int (in->id), sql_int (in->at_ms))))
    return false;
  act->status = sql_changed (sql) != 0 ? STORE_OK : STORE_NOT_FOUND;
  return true;
}
