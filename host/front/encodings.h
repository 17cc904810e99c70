/* encodings.h - one result in the forms that other systems of tools know, and back:
 *
 *   sonore           { "function_call_id", "ok", "error", "output" }, the output a string of JSON
 *   agui             { "success", "result"?, "message"? }
 *   agent-framework  { "is_error", "output": [ … ], "error_code"?, "message"?, "details"?,
 *                      "structured"? }; details are all that is wrong with arguments
 *   mcp              { "content": [ … ], "structuredContent"?, "isError" }
 *
 * What was read and is written again in the same form is the same; from one form to another what
 * the other can't say is lost (agui has no codes, sonore no blocks of text alone).  Pure functions.
 */
#ifndef TOOLHOST_FRONT_ENCODINGS_H
#define TOOLHOST_FRONT_ENCODINGS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json_tape.h"
#include "call/call.h"

enum encoding {
  ENCODING_OWN, /* encode.h */
  ENCODING_SONORE,
  ENCODING_AGUI,
  ENCODING_AGENT_FRAMEWORK,
  ENCODING_MCP
};

/* Of a name; the empty or absent (NULL) one is ENCODING_OWN.  False: there is none of this name,
 * err says which there are. */
bool encoding_find (const char *name, size_t len, enum encoding *encoding, struct error *err);

/* Append a call's result, on one line.  Not ENCODING_OWN.  `call_id` may be NULL. */
void encoding_put (struct buf *out, enum encoding encoding, const char *call_id,
                   const struct result *result);

/* What a model is told of a result where that is one text, as "function_call_output" has it
 * (A3-10): OUTPUT_TEXT is the text of a result that is one text alone, and else as OUTPUT_BLOCKS,
 * which is { "is_error", "output": [ … ], … } of the agent-framework. */
enum output_form { OUTPUT_SONORE, OUTPUT_BLOCKS, OUTPUT_TEXT };
/* Of "sonore", "blocks" or "text"; NULL is the first.  False: there is none of this name. */
bool output_form_find (const char *name, enum output_form *form);
/* Append it, made of what the Sonore Phone Agent is told; OUTPUT_SONORE: that itself.  `error` is
 * the code of a call that failed, or NULL. */
void encoding_put_output (struct buf *out, enum output_form form, const char *error,
                          const char *sonore, size_t len);

/* Read one: what *result points to lives in the tape's text and in `arena`; *call_id is NULL where
 * none is told.  False: it has not the form, err says where. */
bool encoding_read (enum encoding encoding, const struct json_tape *tape,
                    const struct json_node *root, struct arena *arena, const char **call_id,
                    struct result *result, struct error *err);

/* The message of a result that failed, as AG-UI has it: "Validation failed: …" with all that is
 * wrong, the prefix that goes with the code (S1-12), "Tool execution failed: …" of what was no
 * failure of the tool's own.  True: of the last kind. */
bool encoding_agui_message (struct buf *out, const struct result *result);
/* What is told the model there: the result's JSON, or the message, or "true" (U1-15). */
void encoding_agui_content (struct buf *out, const struct result *result);

#endif
