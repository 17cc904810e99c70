/* parts.h - the result of a call as it grows: parts as MCP content blocks, as what stands at a URI,
 * or as messages; the structured value or the values suggested; the reason of a failure, the
 * problems of the arguments.
 *
 * Everything is copied and checked on its way in, so that what comes out is good JSON and good
 * UTF-8 on one line.  Owned by one call; not locked. */
#ifndef TOOLHOST_WORKER_PARTS_H
#define TOOLHOST_WORKER_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <toolhost.h>

#include "base/buf.h"
#include "base/frame.h"
#include "base/json_write.h"

struct parts {
  size_t limit; /* bytes of content, structured and problems together */
  enum frame_content shape;
  const char *uri;  /* FRAME_CONTENTS: what is read, in the call's arena */
  const char *role; /* FRAME_MESSAGES: of the next one */
  size_t values;    /* FRAME_VALUES: suggested so far */
  struct buf content;
  struct json_writer blocks; /* onto content */
  bool has_text;
  struct buf structured;
  struct buf code;
  struct buf message;
  struct buf why;
  struct buf problems;
  struct json_writer problem; /* onto problems */
};

void parts_begin (struct parts *parts, size_t limit, enum frame_content shape);
void parts_end (struct parts *parts);

/* TOOLHOST_OK, TOOLHOST_BAD_VALUE, or TOOLHOST_CANCELLED (over the limit), as toolhost_part_add
 * says. */
toolhost_status parts_add (struct parts *parts, const toolhost_part *part);

/* As toolhost_role, toolhost_suggest and toolhost_list promise. */
toolhost_status parts_role (struct parts *parts, int32_t role);
toolhost_status parts_suggest (struct parts *parts, const char *value, size_t len);
toolhost_status parts_list (struct parts *parts, const char *json, size_t len);

/* A code that is none (not 1 to 64 of a-z0-9_) counts as NULL. */
void parts_fail (struct parts *parts, const char *code, const char *text, size_t len);
void parts_why (struct parts *parts, const char *text, size_t len);
void parts_invalid (struct parts *parts, const char *pointer, const char *text, size_t len);

/* Close the arrays; a tool's structured value without any text is told as text too, as MCP asks. */
void parts_finish (struct parts *parts);

/* The longest head of a text that has at most `max` bytes and does not cut a character. */
size_t utf8_head (const char *text, size_t len, size_t max);
/* Append at most `max` bytes of a text; what is not UTF-8 in it becomes U+FFFD. */
void append_text (struct buf *out, const char *text, size_t len, size_t max);

#endif
