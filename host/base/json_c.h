/* json_c.h - from the strict reader's tape to json-c's values, and back.
 *
 * json-c holds documents (configuration, definitions), but it never reads them: what came from a
 * file, a worker or the wire passes json_read first and becomes json-c's here, so that nothing is
 * held which the reader would have refused.  For all of the daemon and the CLI, in place of
 * <json-c/json.h>. */
#ifndef TOOLHOST_BASE_JSON_C_H
#define TOOLHOST_BASE_JSON_C_H

#include "base/error.h"
#include "base/json_tape.h"

/* Both have an enum of this name; json-c's is json_c_type where this header is included. */
#define json_type json_c_type
#include <json-c/json.h>
#undef json_type

/* Containers within containers, either way: json-c frees its values by recursion. */
enum { JSON_C_DEPTH_MAX = 512 };

/* The value at `node`, exactly: an integer that fits int64_t or uint64_t is one, any other number
 * is a double that is printed as it was written; a string keeps its length, also with U+0000 in it.
 * *object is the caller's to put; null is NULL, as json-c has it.
 *
 * False: json-c can't hold it (a number beyond all doubles, nested too deeply), err says what and
 * at which byte. */
bool json_c_from_tape (const struct json_tape *tape, const struct json_node *node,
                       struct json_object **object, struct error *err);

/* A value of json-c as a tape, its text in the arena.  A double made with the text it was written
 * in keeps that text, any other gets the shortest that reads back the same.  The value is only
 * read, but json-c keeps the text of a double in it: not from two threads at once.
 *
 * False: it is no JSON (a number that is not finite, bytes that are not UTF-8) or nested too
 * deeply; tape->fault and tape->problem say which. */
bool json_c_to_tape (struct json_object *object, struct json_tape *tape, struct arena *arena);

#endif
