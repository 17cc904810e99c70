/* sql_calls.c - the ledger in SQLite. */
#include "store/sql.h"

/* The columns of SQL_CALL. */
enum { NUMBER, STATE, WHAT, TOOL, ABOUT, EPOCH, NONCE, CREATED, ENDED, RESULT, CHUNKS };
enum { IS_RUNNING = 1, IS_ENDED, IS_CANCELLED, IS_UNKNOWN }; /* the column `state` */
enum { CHUNK = 256 << 10 /* bytes of a result in one row */ };

#define KEY(key) sql_text ((key)->tenant), sql_hash ((key)->id)

static enum sql_got
find (struct sql *sql, const struct store_key *key)
{
  return sql_first (sql, SQL_CALL, SQL_WITH (KEY (key)));
}

static int64_t
column (struct sql *sql, int which)
{
  return sql_column (sql, SQL_CALL, which);
}

/* ---- results: in the call's row, or in chunks ---- */

static bool
read_chunks (struct sql *sql, int64_t call, struct arena *arena, struct store_bytes *result)
{
  CLEANUP_BUF struct buf whole = { 0 };
  enum sql_got got = sql_first (sql, SQL_CHUNKS, SQL_WITH (sql_int (call)));

  for (; got == SQL_ROW; got = sql_next (sql, SQL_CHUNKS)) {
    struct arena chunk = { 0 };
    struct store_bytes bytes = sql_copy_bytes (sql, SQL_CHUNKS, 0, &chunk);

    buf_append (&whole, bytes.data, bytes.len);
    arena_free (&chunk);
  }
  *result = (struct store_bytes){ arena_strndup (arena, whole.data, whole.len), whole.len };
  return got == SQL_NO_ROW;
}

static bool
write_chunks (struct sql *sql, const struct store_finish *finish)
{
  const char *data = finish->result.data;
  int64_t place = 0;

  for (size_t at = 0; at < finish->result.len; at += CHUNK, place++) {
    size_t len = finish->result.len - at < CHUNK ? finish->result.len - at : CHUNK;

    if (!sql_do (sql, SQL_CHUNK,
                 SQL_WITH (KEY (&finish->key), sql_int (place),
                           sql_bytes ((struct store_bytes){ data + at, len }))))
      return false;
  }
  return true;
}

/* ---- what is told of a call ---- */

static enum store_claimed
state_of (int64_t state)
{
  switch (state) {
  case IS_RUNNING:
    return STORE_RUNNING;
  case IS_ENDED:
    return STORE_ENDED;
  case IS_CANCELLED:
    return STORE_CANCELLED;
  default:
    return STORE_UNKNOWN;
  }
}

/* Of the row that was found, which is ended with it. */
static bool
show (struct sql *sql, struct store_act *act)
{
  struct store_call *call = &act->out.call;
  const char *tool = sql_copy_text (sql, SQL_CALL, TOOL, act->arena);
  int64_t number = column (sql, NUMBER), chunks = column (sql, CHUNKS);

  act->found = true;
  *call = (struct store_call){ .state = state_of (column (sql, STATE)),
                               .tool = tool != NULL ? tool : "",
                               .about = sql_copy_bytes (sql, SQL_CALL, ABOUT, act->arena),
                               .created_ms = column (sql, CREATED),
                               .ended_ms = column (sql, ENDED) };
  if (call->state == STORE_ENDED)
    call->result = sql_copy_bytes (sql, SQL_CALL, RESULT, act->arena);
  sql_end (sql, SQL_CALL);
  return chunks == 0 || read_chunks (sql, number, act->arena, &call->result);
}

/* ---- the acts ---- */

static bool
is_other (struct sql *sql, const struct store_claim *claim)
{
  struct store_bytes what = { claim->what, STORE_HASH };

  return !sql_is_null (sql, SQL_CALL, WHAT) && !sql_is (sql, SQL_CALL, WHAT, what);
}

/* Is the row that was found this very claim, asked before? */
static bool
is_mine (struct sql *sql, const struct store_act *act)
{
  return column (sql, STATE) == IS_RUNNING && column (sql, EPOCH) == sql->epoch
         && (act->freed || (act->again && column (sql, NONCE) == (int64_t) act->nonce));
}

static bool
claim_again (struct sql *sql, struct store_act *act)
{
  int64_t number = column (sql, NUMBER);

  sql_end (sql, SQL_CALL);
  act->verdict = STORE_WON;
  return sql_do (sql, SQL_CLAIM_AGAIN, SQL_WITH (sql_int (number), sql_int ((int64_t) act->nonce)));
}

static bool
judge (struct sql *sql, struct store_act *act)
{
  bool other = is_other (sql, &act->in.claim);

  if (!other && is_mine (sql, act))
    return claim_again (sql, act);
  if (!show (sql, act))
    return false;
  act->verdict = other ? STORE_OTHER : act->out.call.state;
  return true;
}

bool
sql_claim (struct sql *sql, struct store_act *act)
{
  const struct store_claim *claim = &act->in.claim;
  enum sql_got got;

  if (!sql_do (sql, SQL_CLAIM,
               SQL_WITH (KEY (&claim->key), sql_hash (claim->what), sql_text (claim->tool),
                         sql_bytes (claim->about), sql_int (sql->epoch),
                         sql_int ((int64_t) act->nonce), sql_int (sql->now_ms),
                         sql_int (claim->deadline_ms))))
    return false;
  act->status = STORE_OK;
  if (sql_changed (sql) == 1) {
    act->verdict = STORE_WON;
    sql->counts.figures.calls++;
    sql->counts.figures.running++;
    return true;
  }
  got = find (sql, &claim->key);
  return got == SQL_ROW && judge (sql, act);
}

/* It was not this epoch's to end; or it has ended, perhaps by the same act. */
static bool
explain_finish (struct sql *sql, struct store_act *act)
{
  enum sql_got got = find (sql, &act->in.finish.key);
  struct store_act seen = { .arena = act->arena };
  const struct store_bytes *is = &act->in.finish.result, *was = &seen.out.call.result;

  act->status = STORE_NOT_FOUND;
  if (got != SQL_ROW)
    return got == SQL_NO_ROW;
  if (!show (sql, &seen))
    return false;
  if (seen.out.call.state == STORE_ENDED)
    act->status =
      is->len == was->len && (is->len == 0 || memcmp (is->data, was->data, is->len) == 0)
        ? STORE_OK
        : STORE_CONFLICT;
  return true;
}

bool
sql_finish (struct sql *sql, struct store_act *act)
{
  const struct store_finish *finish = &act->in.finish;
  bool whole = finish->result.len <= CHUNK;
  int64_t chunks = whole ? 0 : (int64_t) ((finish->result.len + CHUNK - 1) / CHUNK);
  struct store_bytes inside = whole ? finish->result : (struct store_bytes){ "", 0 };

  if (!sql_do (sql, SQL_FINISH,
               SQL_WITH (KEY (&finish->key), sql_int (sql->epoch), sql_int (sql->now_ms),
                         sql_bytes (inside), sql_int (chunks))))
    return false;
  if (sql_changed (sql) == 0)
    return explain_finish (sql, act);
  sql->counts.figures.running--;
  act->status = STORE_OK;
  return (whole || write_chunks (sql, finish))
         && sql_put_letters (sql, finish->letters, finish->letters_count, act->nonce);
}

bool
sql_release (struct sql *sql, struct store_act *act)
{
  const struct store_key *key = &act->in.key;

  act->status = STORE_OK;
  if (!sql_do (sql, SQL_RELEASE, SQL_WITH (KEY (key), sql_int (sql->epoch))))
    return false;
  if (sql_changed (sql) == 1) {
    sql->counts.figures.calls--;
    sql->counts.figures.running--;
    return true;
  }
  if (!sql_do (sql, SQL_RELEASE_CANCELLED,
               SQL_WITH (KEY (key), sql_int (sql->epoch), sql_int (sql->now_ms))))
    return false;
  sql->counts.figures.running -= sql_changed (sql);
  if (sql_changed (sql) == 0)
    act->status = STORE_NOT_FOUND;
  return true;
}

static bool
explain_cancel (struct sql *sql, struct store_act *act)
{
  enum sql_got got = find (sql, &act->in.key);

  if (got != SQL_ROW)
    return false;
  act->status = column (sql, STATE) == IS_CANCELLED ? STORE_OK : STORE_CONFLICT;
  sql_end (sql, SQL_CALL);
  return true;
}

bool
sql_cancel (struct sql *sql, struct store_act *act)
{
  const struct store_key *key = &act->in.key;

  act->status = STORE_OK;
  if (!sql_do (sql, SQL_CANCEL, SQL_WITH (KEY (key), sql_int (sql->now_ms))))
    return false;
  if (sql_changed (sql) == 1) {
    sql->counts.figures.calls++;
    return true;
  }
  if (!sql_do (sql, SQL_CANCEL_RUNNING, SQL_WITH (KEY (key))))
    return false;
  return sql_changed (sql) == 1 || explain_cancel (sql, act);
}

bool
sql_lookup (struct sql *sql, struct store_act *act)
{
  enum sql_got got = find (sql, &act->in.key);

  act->status = got == SQL_ROW ? STORE_OK : STORE_NOT_FOUND;
  return got == SQL_ROW ? show (sql, act) : got == SQL_NO_ROW;
}

bool
sql_forget_calls (struct sql *sql, struct store_act *act)
{
  int64_t before = sql->now_ms - sql->settings.result_ttl_ms, unknown = 0;

  if (!sql_do (sql, SQL_FORGET_CHUNKS, SQL_WITH (sql_int (before), sql_int (SQL_FORGET_AT_ONCE)))
      || !sql_do (sql, SQL_FORGET_CALLS, SQL_WITH (sql_int (before), sql_int (SQL_FORGET_AT_ONCE))))
    return false;
  sql->counts.figures.calls -= sql_forgot (sql, act);
  if (!sql_number (sql, SQL_UNKNOWNS, SQL_BARE, &unknown))
    return false;
  sql->counts.figures.unknown = (uint64_t) unknown;
  return true;
}
