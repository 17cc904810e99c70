/* schema_bench - how long our reader and schema engine take for the documents of the schema bench.
 * For schema.py, which runs it beside node.
 *
 * schema_bench FOLDER reads one order a line, "WHAT DOCUMENT MILLISECONDS", and answers each with
 * "NANOSECONDS ALLOCATIONS", both of one operation, after doing it for so long:
 *
 *   valid     validate the valid document
 *   invalid   validate the invalid one, for the answer alone
 *   report    the same, and say what is wrong
 *   parse     read the valid document
 *   both      read and validate it
 *   compile   compile the schema and free it
 *
 * schema_bench --bombs prints what the costly cases of bounds.h take. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bounds.h"
#include "schema/schema.h"

/* ---- allocations are counted, those of libraries too ---- */

static uint64_t allocations;

extern void *__libc_malloc (size_t size);
extern void *__libc_calloc (size_t count, size_t size);
extern void *__libc_realloc (void *p, size_t size);

void *
malloc (size_t size)
{
  allocations++;
  return __libc_malloc (size);
}

void *
calloc (size_t count, size_t size)
{
  allocations++;
  return __libc_calloc (count, size);
}

void *
realloc (void *p, size_t size)
{
  allocations++;
  return __libc_realloc (p, size);
}

/* ---- documents ---- */

/* So many, that they are not all in the nearest cache, nor the branches of one text learnt. */
enum { COPIES = 64 };

struct texts {
  char *copies[COPIES];
  size_t len;
};

struct document {
  struct texts valid;
  struct texts invalid;
  struct json_tape valid_tapes[COPIES];
  struct json_tape invalid_tapes[COPIES];
  struct json_tape schema_tape;
  struct schema *schema;
  struct arena arena; /* of the tapes above */
};

static void __attribute__ ((noreturn)) die (const char *what, const char *why)
{
  (void) fprintf (stderr, "schema_bench: %s: %s\n", what, why);
  exit (2);
}

static struct texts
read_texts (const char *folder, const char *document, const char *kind)
{
  struct texts texts = { .len = 0 };
  char path[4096];
  char *text;
  FILE *file;

  (void) snprintf (path, sizeof path, "%s/%s.%s.json", folder, document, kind);
  file = fopen (path, "rbe");
  if (file == NULL)
    die (path, strerror (errno));
  text = xmalloc (1 << 20);
  texts.len = fread (text, 1, 1 << 20, file);
  (void) fclose (file);
  texts.copies[0] = text;
  for (size_t i = 1; i < COPIES; i++)
    texts.copies[i] = xstrndup (text, texts.len);
  return texts;
}

static void
read_tape (struct json_tape *tape, const struct texts *texts, size_t i, struct arena *arena)
{
  if (!json_read (tape, texts->copies[i], texts->len, &json_default_limits, arena))
    die ("a document", tape->problem);
}

static void
load (struct document *d, const char *folder, const char *name)
{
  struct texts schema = read_texts (folder, name, "schema");
  struct error err = { "" };

  d->valid = read_texts (folder, name, "valid");
  d->invalid = read_texts (folder, name, "invalid");
  for (size_t i = 0; i < COPIES; i++) {
    read_tape (&d->valid_tapes[i], &d->valid, i, &d->arena);
    read_tape (&d->invalid_tapes[i], &d->invalid, i, &d->arena);
  }
  read_tape (&d->schema_tape, &schema, 0, &d->arena);
  d->schema = schema_compile (&d->schema_tape, json_root (&d->schema_tape), NULL, &err);
  if (d->schema == NULL)
    die (name, err.text);
  if (!schema_validate (d->schema, &d->valid_tapes[0], json_root (&d->valid_tapes[0]), NULL, NULL))
    die (name, "its valid document is said to be invalid");
}

/* ---- what is measured: one operation on one copy, true when it went as it should ---- */

typedef bool operation (struct document *d, size_t copy, struct arena *arena);

static bool
do_valid (struct document *d, size_t copy, struct arena *arena)
{
  const struct json_tape *tape = &d->valid_tapes[copy];

  return schema_validate (d->schema, tape, json_root (tape), NULL, arena);
}

static bool
do_invalid (struct document *d, size_t copy, struct arena *arena)
{
  const struct json_tape *tape = &d->invalid_tapes[copy];

  return !schema_validate (d->schema, tape, json_root (tape), NULL, arena);
}

static bool
do_report (struct document *d, size_t copy, struct arena *arena)
{
  const struct json_tape *tape = &d->invalid_tapes[copy];
  struct schema_report report;

  arena_reset (arena);
  return !schema_validate (d->schema, tape, json_root (tape), &report, arena) && report.count != 0;
}

static bool
do_parse (struct document *d, size_t copy, struct arena *arena)
{
  struct json_tape tape;

  arena_reset (arena);
  return json_read (&tape, d->valid.copies[copy], d->valid.len, &json_default_limits, arena);
}

static bool
do_both (struct document *d, size_t copy, struct arena *arena)
{
  struct json_tape tape;

  arena_reset (arena);
  return json_read (&tape, d->valid.copies[copy], d->valid.len, &json_default_limits, arena)
         && schema_validate (d->schema, &tape, json_root (&tape), NULL, arena);
}

static bool
do_compile (struct document *d, size_t copy, struct arena *arena)
{
  struct schema *schema = schema_compile (&d->schema_tape, json_root (&d->schema_tape), NULL, NULL);

  (void) copy;
  (void) arena;
  schema_free (schema);
  return schema != NULL;
}

static const struct {
  const char *name;
  operation *run;
} operations[] = { { "valid", do_valid }, { "invalid", do_invalid }, { "report", do_report },
                   { "parse", do_parse }, { "both", do_both },       { "compile", do_compile } };

static operation *
find_operation (const char *name)
{
  for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
    if (strcmp (operations[i].name, name) == 0)
      return operations[i].run;
  die (name, "no such operation");
}

static double
now (void)
{
  struct timespec ts;

  (void) clock_gettime (CLOCK_MONOTONIC, &ts);
  return (double) ts.tv_sec * 1e9 + (double) ts.tv_nsec;
}

static void
run_rounds (operation *run, struct document *d, uint64_t rounds, struct arena *arena)
{
  while (rounds-- != 0)
    for (size_t i = 0; i < COPIES; i++)
      if (!run (d, i, arena))
        die ("measuring", "the answer is wrong");
}

/* One batch.  The clock is read once a millisecond; the first round, which makes the arena as large
 * as it has to be, is not counted. */
static void
measure (operation *run, struct document *d, double milliseconds)
{
  CLEANUP_ARENA struct arena arena = { 0 };
  uint64_t step, before, rounds = 0;
  double start, end;

  run_rounds (run, d, 1, &arena);
  start = now ();
  run_rounds (run, d, 1, &arena);
  step = (uint64_t) (1e6 / (now () - start + 1)) + 1;
  before = allocations;
  start = now ();
  do {
    run_rounds (run, d, step, &arena);
    rounds += step;
    end = now ();
  } while (end - start < milliseconds * 1e6);
  printf ("%.2f %.4f\n", (end - start) / (double) (rounds * COPIES),
          (double) (allocations - before) / (double) (rounds * COPIES));
  (void) fflush (stdout);
}

static void
serve (const char *folder)
{
  static struct document documents[10];
  char line[64], what[16];
  unsigned number;
  double milliseconds;

  while (fgets (line, sizeof line, stdin) != NULL) {
    if (sscanf (line, "%15s t%u %lf", what, &number, &milliseconds) != 3 || number > 9)
      die (line, "expected: WHAT t1 MILLISECONDS");
    if (documents[number].schema == NULL) {
      char name[] = { 't', (char) ('0' + number), '\0' };
      load (&documents[number], folder, name);
    }
    measure (find_operation (what), &documents[number], milliseconds);
  }
}

/* ---- costly cases ---- */

static void
show_bombs (void)
{
  for (size_t i = 0; i < bounds_count; i++) {
    struct bounds_times times;
    enum bounds_outcome outcome = bounds_run (&bounds_cases[i], &times);

    printf ("%d\t%.3f\t%.3f\t%s\t%s\n", bounds_cases[i].pattern != NULL, times.load_ns / 1e6,
            times.check_ns / 1e6, bounds_outcome_name (outcome), bounds_cases[i].name);
  }
}

int
main (int argc, char **argv)
{
  if (argc != 2)
    die ("usage", "schema_bench FOLDER | --bombs");
  if (strcmp (argv[1], "--bombs") == 0)
    show_bombs ();
  else
    serve (argv[1]);
  return 0;
}
