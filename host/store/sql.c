#include "store/sql.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const texts[SQL_STATEMENTS] = {
#define STATEMENT(name, text) text,
#include "store/sql_statements.def"
#undef STATEMENT
};

/* ---- values ---- */

struct sql_value
sql_int (int64_t number)
{
  return (struct sql_value){ .type = SQL_INT, .number = number };
}

struct sql_value
sql_text (const char *text)
{
  return (struct sql_value){ .type = SQL_TEXT,
                             .bytes = { text, text != NULL ? strlen (text) : 0 } };
}

struct sql_value
sql_bytes (struct store_bytes bytes)
{
  return (struct sql_value){ .type = SQL_BYTES, .bytes = bytes };
}

struct sql_value
sql_hash (const unsigned char hash[STORE_HASH])
{
  return sql_bytes ((struct store_bytes){ hash, STORE_HASH });
}

static int
bind (sqlite3_stmt *statement, int place, const struct sql_value *value)
{
  const struct store_bytes *bytes = &value->bytes;

  switch (value->type) {
  case SQL_INT:
    return sqlite3_bind_int64 (statement, place, value->number);
  case SQL_TEXT:
    return sqlite3_bind_text64 (statement, place, bytes->data, bytes->len, SQLITE_STATIC,
                                SQLITE_UTF8);
  case SQL_BYTES:
    return sqlite3_bind_blob64 (statement, place, bytes->data, bytes->len, SQLITE_STATIC);
  }
  return SQLITE_MISUSE;
}

/* ---- statements ---- */

static bool
failed (struct sql *sql)
{
  snprintf (sql->trouble, sizeof sql->trouble, "%s", sqlite3_errmsg (sql->db));
  return false;
}

static bool
start (struct sql *sql, enum sql_statement which, const struct sql_value *values, size_t count)
{
  sqlite3_stmt **statement = &sql->statements[which];

  if (*statement == NULL
      && sqlite3_prepare_v3 (sql->db, texts[which], -1, SQLITE_PREPARE_PERSISTENT, statement, NULL)
           != SQLITE_OK)
    return failed (sql);
  for (size_t i = 0; i < count; i++)
    if (bind (*statement, (int) i + 1, &values[i]) != SQLITE_OK)
      return failed (sql);
  return true;
}

void
sql_end (struct sql *sql, enum sql_statement which)
{
  (void) sqlite3_reset (sql->statements[which]);
  (void) sqlite3_clear_bindings (sql->statements[which]);
}

enum sql_got
sql_next (struct sql *sql, enum sql_statement which)
{
  int rc = sqlite3_step (sql->statements[which]);

  if (rc == SQLITE_ROW)
    return SQL_ROW;
  if (rc != SQLITE_DONE)
    (void) failed (sql);
  sql_end (sql, which);
  return rc == SQLITE_DONE ? SQL_NO_ROW : SQL_FAILED;
}

enum sql_got
sql_first (struct sql *sql, enum sql_statement which, const struct sql_value *values, size_t count)
{
  return start (sql, which, values, count) ? sql_next (sql, which) : SQL_FAILED;
}

bool
sql_do (struct sql *sql, enum sql_statement which, const struct sql_value *values, size_t count)
{
  enum sql_got got = sql_first (sql, which, values, count);

  if (got == SQL_ROW)
    sql_end (sql, which);
  return got != SQL_FAILED;
}

uint64_t
sql_changed (const struct sql *sql)
{
  return (uint64_t) sqlite3_changes64 (sql->db);
}

bool
sql_number (struct sql *sql, enum sql_statement which, const struct sql_value *values, size_t count,
            int64_t *number)
{
  enum sql_got got = sql_first (sql, which, values, count);

  if (got != SQL_ROW)
    return got == SQL_NO_ROW;
  if (!sql_is_null (sql, which, 0))
    *number = sql_column (sql, which, 0);
  sql_end (sql, which);
  return true;
}

/* ---- columns ---- */

struct store_bytes
sql_copy_bytes (struct sql *sql, enum sql_statement which, int column, struct arena *arena)
{
  sqlite3_stmt *statement = sql->statements[which];
  const void *data = sqlite3_column_blob (statement, column);
  size_t len = (size_t) sqlite3_column_bytes (statement, column);

  if (data == NULL && sqlite3_errcode (sql->db) == SQLITE_NOMEM)
    sql->torn = true;
  if (sql_is_null (sql, which, column))
    return (struct store_bytes){ 0 };
  return (struct store_bytes){ arena_strndup (arena, data, len), len };
}

const char *
sql_copy_text (struct sql *sql, enum sql_statement which, int column, struct arena *arena)
{
  return sql_copy_bytes (sql, which, column, arena).data;
}

int64_t
sql_column (struct sql *sql, enum sql_statement which, int column)
{
  return sqlite3_column_int64 (sql->statements[which], column);
}

bool
sql_is_null (struct sql *sql, enum sql_statement which, int column)
{
  return sqlite3_column_type (sql->statements[which], column) == SQLITE_NULL;
}

bool
sql_is (struct sql *sql, enum sql_statement which, int column, struct store_bytes bytes)
{
  const void *data = sqlite3_column_blob (sql->statements[which], column);
  size_t len = (size_t) sqlite3_column_bytes (sql->statements[which], column);

  return len == bytes.len && (len == 0 || memcmp (data, bytes.data, len) == 0);
}
