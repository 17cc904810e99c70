/* repair.h - arguments mended so that they fit: what models often send a little wrong, put right
 * where the schema leaves no doubt what was meant.  Only called when a value was found invalid;
 * what it makes is validated again, and is used only if it then fits. */
#ifndef TOOLHOST_SCHEMA_REPAIR_REPAIR_H
#define TOOLHOST_SCHEMA_REPAIR_REPAIR_H

#include "base/json_tape.h"
#include "schema/schema.h"

enum repair_mode { REPAIR_OFF, REPAIR_SAFE, REPAIR_LENIENT };

/* "off", "safe", "lenient"; false: another text. */
bool repair_mode_find (const char *name, size_t len, enum repair_mode *mode);
const char *repair_mode_name (enum repair_mode mode);

enum repair_rule {
  REPAIR_WHOLE,       /* R1: the whole was a JSON string, or null, or missing */
  REPAIR_STRINGIFIED, /* R2: an array or object sent as text */
  REPAIR_SCALAR,      /* R3: "5", "true"; lenient also 5 for "5" */
  REPAIR_NULL,        /* R4: null for an optional member, dropped */
  REPAIR_NOTHING,     /* R5: "null", "None" for an optional member, dropped */
  REPAIR_WRAP,        /* R6: one item instead of an array */
  REPAIR_CASE,        /* R7: a value of an enum but for case, blanks, '-' and '_' */
  REPAIR_NAME,        /* R8: lenient: a misspelt name */
  REPAIR_EXTRA,       /* R9: lenient: an unknown member, dropped */
  REPAIR_SYNTAX,      /* R10: text that was almost JSON */
  REPAIR_RULES
};

/* A short name for logs, counters and _meta: "stringified", "scalar", … */
const char *repair_rule_name (enum repair_rule rule);

struct repair {
  enum repair_rule rule;
  const char *pointer; /* where; below a text that was taken apart, in what it held */
  const char *note;    /* "was the text \"4\", taken as the number 4"; harmless, nothing secret */
};

enum { REPAIRS_TOLD = 16 };

struct repaired {
  struct repair list[REPAIRS_TOLD];
  size_t count; /* of list */
  size_t more;  /* made, but not in the list */
  uint32_t by_rule[REPAIR_RULES];
  struct json_tape
    tape; /* the mended value, its root is the whole; text and nodes are the arena's */
};

/* Mend `value`, which does not fit.  True: `out` holds a value that fits.  False: it could not be
 * made to fit, or mode is REPAIR_OFF; the value as it was sent is then what is wrong. */
bool schema_repair (const struct schema *schema, const struct json_tape *tape,
                    const struct json_node *value, enum repair_mode mode, struct repaired *out,
                    struct arena *arena);

#endif
