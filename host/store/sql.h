/* sql.h - one SQLite connection of the store: its statements, what it counts, its transactions.
 * One thread at a time. */
#ifndef TOOLHOST_STORE_SQL_H
#define TOOLHOST_STORE_SQL_H

#include <sqlite3.h>

#include "store/store_engine.h"

enum sql_statement {
#define STATEMENT(name, text) SQL_##name,
#include "store/sql_statements.def"
#undef STATEMENT
  SQL_STATEMENTS
};

/* What a transaction changes beside the tables: put back when it fails. */
struct sql_counts {
  struct store_figures figures;
  int64_t versions;  /* the last one a context was given */
  int64_t forgotten; /* the last revision of a removed definition that is not known any more */
};

enum { SQL_FORGET_AT_ONCE = 1000 /* rows of a table that one tick forgets */ };

struct sql {
  sqlite3 *db;
  sqlite3_stmt *statements[SQL_STATEMENTS]; /* NULL: not needed yet */
  struct store_settings settings;
  struct sql_counts counts;
  int64_t epoch; /* of this daemon */
  int64_t now_ms;
  char *path;
  int lock;          /* the lock file */
  char trouble[256]; /* what SQLite said last of what it could not do; "": it is well */
  bool ill;          /* something could not be done, and nothing was written since */
  bool torn;         /* SQLite had no memory for a column: what was read is not whole */
  bool shrinks;      /* the file can give pages back */
  bool shrunk;       /* it has, in what is not in the file yet */
};

/* ---- statements ---- */

enum sql_type { SQL_INT, SQL_TEXT, SQL_BYTES };
struct sql_value {
  enum sql_type type;
  int64_t number;
  struct store_bytes bytes; /* data NULL: NULL */
};

struct sql_value sql_int (int64_t number);
struct sql_value sql_text (const char *text);
struct sql_value sql_bytes (struct store_bytes bytes);
struct sql_value sql_hash (const unsigned char hash[STORE_HASH]);

#define SQL_WITH(...)                                                                              \
  (const struct sql_value[]){ __VA_ARGS__ },                                                       \
    sizeof ((const struct sql_value[]){ __VA_ARGS__ }) / sizeof (struct sql_value)
#define SQL_BARE NULL, 0

/* Run a statement that gives no rows; false: trouble says what went wrong. */
bool sql_do (struct sql *sql, enum sql_statement which, const struct sql_value *values,
             size_t count);
/* The rows that the last sql_do changed. */
uint64_t sql_changed (const struct sql *sql);

enum sql_got { SQL_FAILED, SQL_ROW, SQL_NO_ROW };
/* The first row of a statement, and each next one; whoever has had SQL_ROW ends it with sql_end. */
enum sql_got sql_first (struct sql *sql, enum sql_statement which, const struct sql_value *values,
                        size_t count);
enum sql_got sql_next (struct sql *sql, enum sql_statement which);
void sql_end (struct sql *sql, enum sql_statement which);
/* One number; left as it was when there is no row, or it is NULL. */
bool sql_number (struct sql *sql, enum sql_statement which, const struct sql_value *values,
                 size_t count, int64_t *number);

/* A column of the row: copied into the arena.  Text: NULL for NULL. */
const char *sql_copy_text (struct sql *sql, enum sql_statement which, int column,
                           struct arena *arena);
struct store_bytes sql_copy_bytes (struct sql *sql, enum sql_statement which, int column,
                                   struct arena *arena);
int64_t sql_column (struct sql *sql, enum sql_statement which, int column);
bool sql_is_null (struct sql *sql, enum sql_statement which, int column);
/* Is the column these bytes? */
bool sql_is (struct sql *sql, enum sql_statement which, int column, struct store_bytes bytes);

/* ---- the acts: false when SQLite failed ---- */

bool sql_claim (struct sql *sql, struct store_act *act);
bool sql_finish (struct sql *sql, struct store_act *act);
bool sql_release (struct sql *sql, struct store_act *act);
bool sql_cancel (struct sql *sql, struct store_act *act);
bool sql_lookup (struct sql *sql, struct store_act *act);
bool sql_forget_calls (struct sql *sql, struct store_act *act);

bool sql_change (struct sql *sql, struct store_act *act);
bool sql_scan (struct sql *sql, struct store_act *act);
bool sql_forget_definitions (struct sql *sql);

bool sql_context_get (struct sql *sql, struct store_act *act);
bool sql_context_set (struct sql *sql, struct store_act *act);
bool sql_forget_contexts (struct sql *sql, struct store_act *act);

bool sql_put_letters (struct sql *sql, const struct store_letter *letters, size_t count,
                      uint64_t nonce);
bool sql_post (struct sql *sql, struct store_act *act);
bool sql_take (struct sql *sql, struct store_act *act);
bool sql_sent (struct sql *sql, struct store_act *act);
bool sql_retry (struct sql *sql, struct store_act *act);

bool sql_record (struct sql *sql, struct store_act *act);
bool sql_records (struct sql *sql, struct store_act *act);
bool sql_forget_records (struct sql *sql, struct store_act *act);

/* ---- whole ---- */

/* Rows that the last sql_do has forgotten: counted, and if there may be more of them the tick goes
 * on. */
uint64_t sql_forgot (struct sql *sql, struct store_act *act);

/* ---- the file's size ---- */

/* A step of giving empty pages back, if there are many; `act` is the tick, which goes on. */
bool sql_shrink (struct sql *sql, struct store_act *act);
/* Outside of a transaction: what has shrunk shrinks the file. */
void sql_shrunk (struct sql *sql);

/* How many bytes the files have. */
void sql_measure (struct sql *sql);

/* Do the acts of a batch and commit them; what can't be done is STORE_UNAVAILABLE. */
void sql_batch (struct sql *sql, struct store_batch *batch);

/* Open folder/toolhost.db as this daemon's; NULL: err says why.  Blocks. */
struct sql *sql_open (const struct store_settings *settings, struct error *err);
/* The same without an epoch: to work on a file that no daemon has, and bring no tables up to date.
 */
struct sql *sql_open_alone (const struct store_settings *settings, struct error *err);
void sql_close (struct sql *sql);

/* The first row's number of a text of ours. */
bool sql_ask_number (sqlite3 *db, const char *text, int64_t *number);

/* The steps from each version of the tables to the next one, each a transaction of its own that
 * ends with the version it has made. */
extern const char *const sql_steps[];
extern const size_t sql_steps_count;
bool sql_migrate (sqlite3 *db, const char *const *steps, size_t count, struct error *err);

#endif
