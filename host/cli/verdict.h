/* verdict.h - what `toolhost schema check` finds about one document, and how it is told: to people,
 * to programs, and as the "basic" output of JSON Schema.  Pure. */
#ifndef TOOLHOST_CLI_VERDICT_H
#define TOOLHOST_CLI_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/json_tape.h"
#include "base/json_write.h"
#include "cli/caret.h"
#include "schema/repair/repair.h"
#include "schema/schema.h"

/* Of a schema and of documents that a person checks on their own machine. */
extern const struct json_limits verdict_limits;

enum verdict_kind {
  VERDICT_VALID,
  VERDICT_REPAIRED, /* valid once it was mended */
  VERDICT_INVALID,
  VERDICT_NOT_JSON,
  VERDICT_UNREADABLE,
  VERDICT_KINDS
};

struct verdict {
  const char *document; /* its name */
  size_t line;          /* which line of it this is about; 0: the whole */
  enum verdict_kind kind;
  struct schema_report report; /* of VERDICT_INVALID */
  /* what was mended */
  const char *syntax; /* in what was not JSON; NULL: nothing */
  struct repaired repaired;
  const char *value; /* of VERDICT_REPAIRED: JSON */
  size_t value_len;
  /* what is wrong with the document itself */
  const char *fault;
  struct caret place; /* of VERDICT_NOT_JSON */
  size_t byte;
};

/* Judge a text that was read; name and line are set already.  What the verdict points to is the
 * arena's, and the text itself. */
void verdict_of (struct verdict *verdict, const struct schema *schema, enum repair_mode mode,
                 const char *text, size_t len, struct arena *arena);

struct verdict_look {
  bool terminal; /* what would harm it is shown as escapes, and the place of a fault as a picture */
  bool colour;
};

/* Append lines for people. */
void verdict_text (const struct verdict *verdict, struct verdict_look look, struct buf *out);
/* Append {"document", "line", "valid", "problems", "more", …} without a newline. */
void verdict_json (const struct verdict *verdict, struct buf *out);
/* Append {"valid", "errors": [{"instanceLocation", "keywordLocation", "error"}, …]}, likewise. */
void verdict_basic (const struct verdict *verdict, struct buf *out);

/* Append "line 2, column 5 (byte 17): why", and for a terminal the picture. */
void verdict_fault_text (const struct caret *place, size_t byte, const char *why,
                         struct verdict_look look, struct buf *out);

/* "line", "column" and "byte" as members. */
void verdict_place_json (struct json_writer *w, const struct caret *place, size_t byte);

/* The reason that stands in JSON for a kind: "not_json". */
const char *verdict_kind_name (enum verdict_kind kind);

#endif
