/* arguments.h - the stages of a call that look at its arguments: parse, check, and the words for
 * what is wrong with them.  Pure functions. */
#ifndef TOOLHOST_CALL_ARGUMENTS_H
#define TOOLHOST_CALL_ARGUMENTS_H

#include <stdbool.h>

#include "call/call.h"

/* The arguments of a call once they were parsed: their text, and their place on a tape.  What a
 * front had parsed is borrowed, what came as text is parsed here.  Zero-initialise, end with
 * arguments_free. */
struct arguments {
  const struct json_tape *tape;
  const struct json_node *node;
  const char *text;
  size_t len;
  struct json_tape own;
  struct arena arena;
};

/* False: they are not a JSON object, `why` says what else. */
bool arguments_parse (struct arguments *arguments, const struct call_request *request,
                      unsigned depth, struct buf *why);
/* False: they don't fit the tool's schema; `json` gets the problems as [{"pointer","message"}, …],
 * `text` the same for the model. */
bool arguments_check (const struct arguments *arguments, const struct tool *tool, struct buf *json,
                      struct buf *text);
void arguments_free (struct arguments *arguments);

/* The text for the model to problems that a tool's own validate has found. */
void arguments_problems_text (const char *json, size_t len, struct buf *text);

#endif
