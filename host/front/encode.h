/* encode.h - what the fronts share when they put a result on a wire: JSON of others kept on one
 * line, content blocks, media types, event streams.  Pure functions, any thread. */
#ifndef TOOLHOST_FRONT_ENCODE_H
#define TOOLHOST_FRONT_ENCODE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/json_write.h"
#include "call/call.h"
#include "front/http/http.h"

/* One value of JSON that has passed the strict reader, without its line breaks (they can only stand
 * between tokens): event streams and stdio end a message at one. */
void encode_raw (struct json_writer *w, const char *json, size_t len);
void encode_name_raw (struct json_writer *w, const char *name, const char *json, size_t len);

/* What the model is told of a failed call; never "". */
struct slice encode_message (const struct result *result);

/* The array of content blocks.  A failed call has its message as the first block; a result that is
 * only structured has its JSON as a text block, for clients that read nothing else. */
void encode_content (struct json_writer *w, const struct result *result);

/* Did the tool run to its end?  Then the request worked, also when the tool says it failed. */
bool encode_has_ended (const struct result *result);
/* The result of a call as the plain HTTP paths and the command line show it: { "call_id", "ok",
 * "error", "content", "structured", "repairs", "usage" }, each where there is any; of a read
 * "contents" in the place of content, of a prompt "description" and "messages". */
void encode_result (struct buf *out, const char *call_id, const struct result *result);

/* What a call cost, as { "daemon": {…}, "worker": {…}, "kernel": {…} } by who measured it, each
 * where it did; the members' names are those of MCP ("wallUs") or of plain HTTP ("wall_us"). */
enum encode_names { ENCODE_MCP, ENCODE_HTTP };
void encode_usage (struct json_writer *w, const char *name, const struct usage *usage,
                   enum encode_names names);

/* Is a Content-Type JSON?  Parameters are not looked at. */
bool media_is_json (struct slice type);
/* Does an Accept allow `type` ("text/event-stream"), by itself or by a wildcard?  An absent or
 * empty Accept allows everything. */
bool media_accepted (struct slice accept, const char *type);
/* Does it name the type itself? */
bool media_named (struct slice accept, const char *type);

#define SSE_TYPE "text/event-stream"
#define SSE_HEADERS "Cache-Control: no-cache\r\nX-Accel-Buffering: no\r\n"
/* An event whose data is JSON on one line. */
void sse_event (struct buf *out, const char *event, const char *json, size_t len);

#endif
