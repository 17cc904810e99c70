/* verdicts.h - what `toolhost schema check` prints: one verdict after the other, as they come, in
 * the form that was asked for. */
#ifndef TOOLHOST_CLI_VERDICTS_H
#define TOOLHOST_CLI_VERDICTS_H

#include "cli/exits.h"
#include "cli/verdict.h"

enum verdicts_form {
  VERDICTS_TEXT,
  VERDICTS_JSON,   /* one object */
  VERDICTS_NDJSON, /* an object for each document, one a line */
  VERDICTS_BASIC   /* the same, in the form of JSON Schema */
};

struct verdicts {
  enum verdicts_form form;
  struct verdict_look look;
  bool quiet;              /* nothing about what is valid */
  const char *schema;      /* its name */
  const char *description; /* lines about it; NULL: not asked for */
  size_t counts[VERDICT_KINDS];
  size_t printed;
};

void verdicts_begin (const struct verdicts *verdicts);
/* False: nobody reads it any more. */
bool verdicts_add (struct verdicts *verdicts, const struct verdict *verdict);
/* The status says how it went. */
enum cli_exit verdicts_end (const struct verdicts *verdicts);

/* What is wrong with the schema; then there are no verdicts. */
struct schema_fault {
  enum verdict_kind kind; /* VERDICT_INVALID: it is JSON, but no schema */
  const char *message;
  const char *pointer; /* into it; NULL: unknown */
  size_t pointer_len;
  struct caret place; /* of VERDICT_NOT_JSON */
  size_t byte;
};

/* To stdout when it is read by programs, else to stderr; the status is CLI_BAD_SCHEMA. */
enum cli_exit verdicts_refuse (const struct verdicts *verdicts, const struct schema_fault *fault);

#endif
