/* store_bench - what a durable call costs: claimed, ended, each told when it is on the disk.
 *
 * store_bench SIDE FOLDER AT_ONCE SECONDS measures one side once, in an empty folder of its own
 * within FOLDER, with so many calls at the same time, and prints a JSON object.  SIDE is "store";
 * "sqlite", which is called in one thread with the same tables and transactions of the same size;
 * or "disk": 4 KiB written and synced.  bench/store.py runs them by turns. */
#include <fcntl.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "store/sql.h"
#include "store/store.h"

enum { IN_FLIGHT_MAX = 64, SAMPLES_MAX = 4 << 20 };

static const char result[] = "{\"content\":[{\"type\":\"text\",\"text\":\"0123456789012345678901234"
                             "56789012345678901234567890123456789\"}]}";

struct bench {
  struct store *store;
  struct ev_loop *loop;
  int64_t until_ns;
  unsigned next, running;
  uint64_t calls;
  uint32_t *samples; /* us of each act */
  size_t samples_count;
};

/* One caller, who begins a call when the last one has ended. */
struct caller {
  struct bench *bench;
  struct store_key key;
  int64_t asked_ns;
};

static void
fail (const char *what)
{
  fprintf (stderr, "store_bench: %s\n", what);
  exit (1);
}

static void
sample (struct caller *caller)
{
  struct bench *bench = caller->bench;

  if (bench->samples_count < SAMPLES_MAX)
    bench->samples[bench->samples_count++] = (uint32_t) ((clock_ns () - caller->asked_ns) / 1000);
}

static double
per_second (uint64_t times, int64_t took_ns)
{
  return (double) times / ((double) took_ns / 1e9);
}

static void
show_rate (uint64_t times, int64_t took_ns)
{
  printf ("{\"rate\": %.1f}\n", per_second (times, took_ns));
}

/* ---- by the store ---- */

static void ask (struct caller *caller);

static void
on_ended (void *ctx, enum store_status status)
{
  struct caller *caller = ctx;

  if (status != STORE_OK)
    fail ("a call was not ended");
  sample (caller);
  caller->bench->calls++;
  ask (caller);
}

static void
on_won (void *ctx, enum store_claimed verdict, const struct store_call *call)
{
  struct caller *caller = ctx;
  struct store_finish finish = { .key = caller->key, .result = { result, sizeof result - 1 } };

  (void) call;
  if (verdict != STORE_WON)
    fail ("a call was not won");
  sample (caller);
  caller->asked_ns = clock_ns ();
  store_finish (caller->bench->store, &finish, on_ended, caller);
}

/* Ids are hashes in earnest: all over the index. */
static struct store_key
key_of (unsigned number)
{
  struct store_key key = { .tenant = "default" };
  uint64_t state = number;

  for (size_t i = 0; i < STORE_HASH; i += sizeof state) {
    state = (state + i + 1) * UINT64_C (0x9E3779B97F4A7C15);
    state ^= state >> 29;
    memcpy (key.id + i, &state, sizeof state);
  }
  return key;
}

static void
ask (struct caller *caller)
{
  struct bench *bench = caller->bench;
  struct store_claim claim = { .tool = "echo", .about = { "{\"call_id\":\"call_1\"}", 20 } };

  if (clock_ns () >= bench->until_ns) {
    bench->running--;
    return;
  }
  caller->key = key_of (bench->next++);
  caller->asked_ns = clock_ns ();
  claim.key = caller->key;
  store_claim (bench->store, &claim, on_won, caller);
}

static int
by_size (const void *a, const void *b)
{
  uint32_t one = *(const uint32_t *) a, other = *(const uint32_t *) b;

  return one < other ? -1 : one > other;
}

static void
measure_store (const char *folder, unsigned at_once, double seconds)
{
  struct bench bench = { .loop = ev_loop_new (EVFLAG_AUTO) };
  struct caller callers[IN_FLIGHT_MAX];
  struct store_settings settings = store_defaults;
  struct store_figures figures;
  struct error err = { 0 };
  int64_t began_ns, took_ns;

  settings.loop = bench.loop;
  settings.folder = folder;
  bench.store = store_open_sqlite (&settings, &err);
  if (bench.store == NULL)
    fail (err.text);
  bench.samples = xcalloc (SAMPLES_MAX, sizeof *bench.samples);
  began_ns = clock_ns ();
  bench.until_ns = began_ns + (int64_t) (seconds * 1e9);
  bench.running = at_once;
  for (unsigned i = 0; i < at_once; i++) {
    callers[i] = (struct caller){ .bench = &bench };
    ask (&callers[i]);
  }
  while (bench.running != 0)
    ev_run (bench.loop, EVRUN_ONCE);
  took_ns = clock_ns () - began_ns;
  figures = store_figures (bench.store);
  store_close (bench.store);
  qsort (bench.samples, bench.samples_count, sizeof *bench.samples, by_size);
  printf ("{\"rate\": %.1f, \"commits\": %.1f, \"p50_us\": %u, \"p99_us\": %u}\n",
          per_second (bench.calls, took_ns), per_second (figures.commits, took_ns),
          bench.samples[bench.samples_count / 2], bench.samples[bench.samples_count / 100 * 99]);
  free (bench.samples);
  ev_loop_destroy (bench.loop);
}

/* ---- by SQLite itself ---- */

struct plain {
  sqlite3 *db;
  sqlite3_stmt *claim, *finish;
};

static const char plain_claim[] =
  "INSERT INTO call (tenant, id, what, tool, about, state, epoch, nonce, created_ms, deadline_ms)"
  " VALUES ('default', ?1, ?1, 'echo', '{\"call_id\":\"call_1\"}', 1, 1, 1, 1, 0)";
static const char plain_finish[] =
  "UPDATE call SET state = 2, ended_ms = 5, result = ?2, chunks = 0"
  " WHERE tenant = 'default' AND id = ?1 AND epoch = 1 AND state IN (1, 3, 4)";

static void
plain_run (struct plain *plain, const char *text)
{
  if (sqlite3_exec (plain->db, text, NULL, NULL, NULL) != SQLITE_OK)
    fail (sqlite3_errmsg (plain->db));
}

static void
plain_open (struct plain *plain, const char *path)
{
  if (sqlite3_open (path, &plain->db) != SQLITE_OK)
    fail ("SQLite can't open its file");
  plain_run (plain, "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL;"
                    " PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 2000;"
                    " PRAGMA cache_size = -16384");
  plain_run (plain, sql_steps[0]);
  if (sqlite3_prepare_v2 (plain->db, plain_claim, -1, &plain->claim, NULL) != SQLITE_OK
      || sqlite3_prepare_v2 (plain->db, plain_finish, -1, &plain->finish, NULL) != SQLITE_OK)
    fail (sqlite3_errmsg (plain->db));
}

static void
plain_step (struct plain *plain, sqlite3_stmt *statement, unsigned number)
{
  struct store_key key = key_of (number);

  sqlite3_bind_blob (statement, 1, key.id, STORE_HASH, SQLITE_STATIC);
  if (statement == plain->finish)
    sqlite3_bind_blob (statement, 2, result, sizeof result - 1, SQLITE_STATIC);
  if (sqlite3_step (statement) != SQLITE_DONE)
    fail (sqlite3_errmsg (plain->db));
  sqlite3_reset (statement);
}

/* In transactions of so many acts. */
static void
measure_sqlite (const char *path, unsigned at_once, double seconds)
{
  struct plain plain;
  unsigned number = 0;
  int64_t began_ns, until_ns;

  plain_open (&plain, path);
  began_ns = clock_ns ();
  until_ns = began_ns + (int64_t) (seconds * 1e9);
  for (; clock_ns () < until_ns; number += at_once) {
    plain_run (&plain, "BEGIN IMMEDIATE");
    for (unsigned i = 0; i < at_once; i++)
      plain_step (&plain, plain.claim, number + i);
    plain_run (&plain, "COMMIT; BEGIN IMMEDIATE");
    for (unsigned i = 0; i < at_once; i++)
      plain_step (&plain, plain.finish, number + i);
    plain_run (&plain, "COMMIT");
  }
  show_rate (number, clock_ns () - began_ns);
  sqlite3_finalize (plain.claim);
  sqlite3_finalize (plain.finish);
  sqlite3_close (plain.db);
}

/* ---- the disk ---- */

static void
measure_disk (const char *path, double seconds)
{
  char page[4096] = "";
  int file = open (path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  int64_t began_ns = clock_ns (), until_ns = began_ns + (int64_t) (seconds * 1e9);
  uint64_t syncs = 0;

  for (; clock_ns () < until_ns; syncs++)
    if (write (file, page, sizeof page) != sizeof page || fdatasync (file) != 0)
      fail ("the folder can't be written");
  show_rate (syncs, clock_ns () - began_ns);
  close (file);
}

/* ---- a run ---- */

static void
clear (const char *folder)
{
  static const char *const names[] = { "toolhost.db", "toolhost.db-wal", "toolhost.db.lock",
                                       "plain",       "plain-wal",       "disk" };
  char path[PATH_MAX];

  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    snprintf (path, sizeof path, "%s/%s", folder, names[i]);
    (void) unlink (path);
  }
  (void) rmdir (folder);
}

int
main (int argc, char **argv)
{
  unsigned at_once = argc == 5 ? (unsigned) atoi (argv[3]) : 0;
  double seconds = argc == 5 ? atof (argv[4]) : 0;
  char folder[PATH_MAX - 16], path[PATH_MAX];

  if (at_once < 1 || at_once > IN_FLIGHT_MAX || seconds <= 0)
    fail ("expected store, sqlite or disk, a folder, calls at once, seconds");
  snprintf (folder, sizeof folder, "%s/store-bench.XXXXXX", argv[2]);
  if (mkdtemp (folder) == NULL)
    fail ("the folder can't be written");
  snprintf (path, sizeof path, "%s/%s", folder, strcmp (argv[1], "disk") == 0 ? "disk" : "plain");
  if (strcmp (argv[1], "store") == 0)
    measure_store (folder, at_once, seconds);
  else if (strcmp (argv[1], "sqlite") == 0)
    measure_sqlite (path, at_once, seconds);
  else
    measure_disk (path, seconds);
  clear (folder);
  return 0;
}
