/* bounds.h - schemas and values made to keep a validator busy: patterns that backtrack, subschemas
 * that multiply.  test_bounds.c asks whether the engine's bounds hold, schema_bench.c what they
 * come to in milliseconds. */
#ifndef TOOLHOST_TESTS_UNIT_BOUNDS_H
#define TOOLHOST_TESTS_UNIT_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum bounds_outcome {
  BOUNDS_REFUSED = 1, /* the schema, when it was loaded */
  BOUNDS_VALID = 2,
  BOUNDS_INVALID = 4,
  BOUNDS_TOO_COSTLY = 8, /* the value: no verdict */
  BOUNDS_BROKEN = 16     /* refused or invalid without a sentence: never */
};

/* Either a pattern and a subject of 100 KB, head, many times unit, tail; or writers of a schema and
 * a value. */
struct bounds_case {
  const char *name; /* of a pattern: itself */
  const char *pattern;
  const char *head;
  const char *unit;
  const char *tail;
  void (*schema) (struct buf *out);
  void (*value) (struct buf *out); /* NULL: the value is null */
  unsigned expected;               /* bits of enum bounds_outcome */
};

extern const struct bounds_case bounds_cases[];
extern const size_t bounds_count;

struct bounds_times {
  double load_ns;  /* reading and compiling the schema */
  double check_ns; /* validating, with a report */
};

/* Run a case; `times` may be NULL. */
enum bounds_outcome bounds_run (const struct bounds_case *c, struct bounds_times *times);
const char *bounds_outcome_name (enum bounds_outcome outcome);

#endif
