/* answer.h - the result of a call: from the JSON of the daemon to what is printed, and the exit
 * status. */
#ifndef TOOLHOST_CLI_ANSWER_H
#define TOOLHOST_CLI_ANSWER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/json_tape.h"
#include "cli/exits.h"

/* What the daemon says may be larger and deeper than what callers may say to it. */
extern const struct json_limits answer_limits;

/* Print the result `json` is: as it came if `as_json`, else its text on stdout, and its error and
 * what was mended of the arguments on stderr.  `http` is the status it came with. */
enum cli_exit answer_print (const char *json, size_t len, long http, bool as_json);

/* The text of the content blocks at `content` (a JSON array, or NULL), as a person reads it, or of
 * what a read or a prompt gave; of `structured` when there is no text.  False: not JSON. */
bool answer_text (const char *content, size_t content_len, const char *structured,
                  size_t structured_len, struct buf *out);

/* The "repairs" of a result, a line for each: what was mended of the arguments, where, and how. */
void answer_repairs (const struct json_tape *tape, const struct json_node *repairs,
                     struct buf *out);

#endif
