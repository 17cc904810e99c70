/* sql_contexts.c - contexts in SQLite. */
#include "store/sql.h"

enum { VERSION, EXPIRES, BODY, EPOCH, NONCE }; /* of SQL_CONTEXT */

#define HANDLED(context) sql_text ((context)->tenant), sql_hash ((context)->handle)

/* What is there, but for what has expired. */
struct present {
  int64_t version; /* 0: nothing */
  bool mine;       /* this very act has written it */
};

/* Also told in act->out. */
static bool
find (struct sql *sql, struct store_act *act, struct present *present)
{
  const struct store_context *in = &act->in.context;
  enum sql_got got = sql_first (sql, SQL_CONTEXT, SQL_WITH (HANDLED (in)));

  *present = (struct present){ 0 };
  if (got != SQL_ROW)
    return got == SQL_NO_ROW;
  if (sql_column (sql, SQL_CONTEXT, EXPIRES) > sql->now_ms) {
    present->version = sql_column (sql, SQL_CONTEXT, VERSION);
    present->mine = act->again && sql_column (sql, SQL_CONTEXT, EPOCH) == sql->epoch
                    && sql_column (sql, SQL_CONTEXT, NONCE) == (int64_t) act->nonce;
    act->found = true;
    act->out.context = *in;
    act->out.context.version = present->version;
    act->out.context.expires_ms = sql_column (sql, SQL_CONTEXT, EXPIRES);
    act->out.context.body = sql_copy_bytes (sql, SQL_CONTEXT, BODY, act->arena);
  }
  sql_end (sql, SQL_CONTEXT);
  return true;
}

bool
sql_context_get (struct sql *sql, struct store_act *act)
{
  struct present present;

  if (!find (sql, act, &present))
    return false;
  act->status = present.version != 0 ? STORE_OK : STORE_NOT_FOUND;
  return true;
}

static bool
show_version (struct store_act *act, int64_t version)
{
  act->status = STORE_OK;
  act->found = true;
  act->out.context = act->in.context;
  act->out.context.body = (struct store_bytes){ 0 };
  act->out.context.version = version;
  return true;
}

static bool
write_context (struct sql *sql, struct store_act *act, const struct present *was)
{
  const struct store_context *in = &act->in.context;
  int64_t version = ++sql->counts.versions;

  sql->counts.figures.contexts += was->version == 0;
  return sql_do (sql, SQL_CONTEXT_WRITE,
                 SQL_WITH (HANDLED (in), sql_int (version), sql_int (in->expires_ms),
                           sql_bytes (in->body), sql_int (sql->epoch),
                           sql_int ((int64_t) act->nonce)))
         && sql_do (sql, SQL_SET, SQL_WITH (sql_text ("versions"), sql_int (version)))
         && show_version (act, version);
}

static bool
forget (struct sql *sql, const struct store_context *in)
{
  if (!sql_do (sql, SQL_CONTEXT_FORGET, SQL_WITH (HANDLED (in))))
    return false;
  sql->counts.figures.contexts -= sql_changed (sql);
  return true;
}

bool
sql_context_set (struct sql *sql, struct store_act *act)
{
  const struct store_context *in = &act->in.context;
  bool forgets = in->body.data == NULL;
  struct present present;

  if (!find (sql, act, &present))
    return false;
  if (present.version == 0 && !forget (sql, in)) /* what has expired makes room */
    return false;
  if (present.mine)
    return show_version (act, present.version);
  if (forgets && in->version != 0 && present.version == 0 && act->again)
    return show_version (act, 0);
  if (in->version != present.version || (forgets && present.version == 0)) {
    act->status = STORE_CONFLICT;
    return true;
  }
  if (forgets)
    return forget (sql, in) && show_version (act, 0);
  return write_context (sql, act, &present);
}

bool
sql_forget_contexts (struct sql *sql, struct store_act *act)
{
  if (!sql_do (sql, SQL_FORGET_CONTEXTS,
               SQL_WITH (sql_int (sql->now_ms), sql_int (SQL_FORGET_AT_ONCE))))
    return false;
  sql->counts.figures.contexts -= sql_forgot (sql, act);
  return true;
}
