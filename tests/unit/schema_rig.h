/* schema_rig.h - JSON and schemas that a test's own text is sure to be. */
#ifndef TOOLHOST_TESTS_UNIT_SCHEMA_RIG_H
#define TOOLHOST_TESTS_UNIT_SCHEMA_RIG_H

#include "tap.h"

#include "schema/schema.h"

#define DRAFT_07 "\"$schema\":\"http://json-schema.org/draft-07/schema#\","

static inline void
read_good (struct json_tape *tape, const char *text, size_t len, struct arena *a)
{
  static const struct json_limits limits = {
    .depth = 1000, .nodes = 1000000, .members = 100000, .number_len = 4096
  };

  if (!json_read (tape, text, len, &limits, a)) {
    printf ("# %.80s: %s at %zu\n", text, tape->problem, tape->offset);
    CU_FAIL_FATAL ("a test's own JSON is bad");
  }
}

static inline struct schema *
compile (const char *text, struct error *err)
{
  CLEANUP_ARENA struct arena a = { 0 };
  struct json_tape tape;

  read_good (&tape, text, strlen (text), &a);
  return schema_compile (&tape, json_root (&tape), NULL, err);
}

static inline struct schema *
compile_good (const char *text)
{
  struct error err = { 0 };
  struct schema *schema = compile (text, &err);

  if (schema == NULL) {
    printf ("# %s\n", err.text);
    CU_FAIL_FATAL ("a good schema was refused");
  }
  return schema;
}

#endif
