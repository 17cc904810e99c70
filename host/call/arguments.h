/* arguments.h - the stages of a call that look at its arguments: parse, check, mend, and the words
 * for what is wrong with them.  Pure functions. */
#ifndef TOOLHOST_CALL_ARGUMENTS_H
#define TOOLHOST_CALL_ARGUMENTS_H

#include <stdbool.h>

#include "call/call.h"
#include "schema/repair/repair.h"

/* The arguments of a call once they were parsed: their text, and their place on a tape.  What a
 * front had parsed is borrowed, what came as text is parsed here; mended ones take the place of
 * those that came.  Zero-initialise, end with arguments_free. */
struct arguments {
  const struct json_tape *tape;
  const struct json_node *node;
  const char *text;
  size_t len;
  struct repaired *repaired; /* what was mended, its tape is not used; NULL: nothing */
  struct json_tape own;
  struct arena arena;
};

/* False: they are not a JSON object, `why` says what else.  Text of a model that is almost JSON,
 * arguments that are null, and an object that was written as a string are mended as `mode` lets.
 * Of a tool with a text of its own (toolhost.text) a text stands for that argument. */
bool arguments_parse (struct arguments *arguments, const struct tool *tool,
                      const struct call_request *request, unsigned depth, enum repair_mode mode,
                      struct buf *why);
/* False: they don't fit the tool's schema, could not be mended, and are no single text under
 * another name than that of toolhost.text; `json` gets the problems for programs, `text` for the
 * model (problems.h). */
bool arguments_check (struct arguments *arguments, const struct tool *tool, enum repair_mode mode,
                      struct buf *json, struct buf *text);
void arguments_free (struct arguments *arguments);

/* What was mended as [{"rule","pointer","note"}, …]; nothing when nothing was. */
void arguments_repairs_json (const struct arguments *arguments, struct buf *json);

/* What a tool's own validate has found, in the shape of arguments_check. */
void arguments_refused (const struct tool *tool, const char *found, size_t len, struct buf *json,
                        struct buf *text);

#endif
