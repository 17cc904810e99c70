/* args.h - the arguments of a call as the command line gives them: a JSON object, and --arg pairs.
 */
#ifndef TOOLHOST_CLI_ARGS_H
#define TOOLHOST_CLI_ARGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"

struct args_source {
  const char *json; /* the object, or NULL */
  size_t json_len;
  const char *const *pairs; /* "name=value", "name:=json" */
  size_t pairs_count;
  const char *definition; /* of the tool, as MCP lists it: what types its arguments have; or NULL */
  size_t definition_len;
};

/* Append the arguments as one JSON object.  A pair takes the place of the object's member of that
 * name.  "name=value" is text, unless the schema wants something else and the value is JSON. */
bool args_build (const struct args_source *source, struct buf *out, struct error *err);

/* Is the JSON, which stands alone, none that args_build takes, but text that the host may be able
 * to mend or read: almost JSON, or an object written as a string?  Then it is sent as it is. */
bool args_is_text (const struct args_source *source);

/* Read the JSON that a word of the command line stands for: itself, "-" for standard input, "@FILE"
 * for a file.  Appends to `out`. */
bool args_read (const char *word, struct buf *out, struct error *err);

#endif
